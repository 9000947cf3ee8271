"""A cancellation token: whoever started slow work sets it, and the work looks at it between two steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock

from quizwriter.errors import QuizwriterError


class Cancelled(QuizwriterError):
    """The work was cancelled. The work itself raises this, from :meth:`Cancellation.check`."""

    def __init__(self) -> None:
        super().__init__("The work was stopped before it was done.", "Start it again if you want it.")


class Cancellation:
    """Says whether a piece of work is still wanted. Any thread may cancel it, once and for good.

    Whoever starts the work keeps the token and calls :meth:`cancel`; the work calls :meth:`check` between
    its steps. A token is made for one piece of work and not used again.
    """

    def __init__(self) -> None:
        self._event = Event()
        self._lock = Lock()
        self._actions: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        """Whether the work is no longer wanted."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Say that the work is no longer wanted, and call each action of :meth:`calling` at once."""
        with self._lock:
            self._event.set()
            actions, self._actions = self._actions, []
        for action in actions:
            action()

    def check(self) -> None:
        """Do nothing while the work is wanted.

        Raises:
            Cancelled: the work was cancelled.
        """
        if self.cancelled:
            raise Cancelled

    @contextmanager
    def calling(self, action: Callable[[], object]) -> Iterator[None]:
        """Within the block, have ``action`` called when the work is cancelled, in the thread that cancels.

        It ends what :meth:`check` cannot reach: a wait for another process. If the work was cancelled before,
        ``action`` is called at once.
        """
        with self._lock:
            late = self.cancelled
            if not late:
                self._actions.append(action)
        if late:
            action()
        try:
            yield
        finally:
            with self._lock, suppress(ValueError):  # it may have been called
                self._actions.remove(action)
