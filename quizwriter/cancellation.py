"""Slow work: how it tells its progress, and the token by which its starter cancels it between two steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock

from quizwriter.errors import QuizwriterError

Progress = Callable[[int, int], None]
"""Is told how many steps of slow work are done, and how many there are."""

PartProgress = Callable[[str, int, int], None]
"""The same of work in several parts; the name of the part comes first."""


class Cancelled(QuizwriterError):
    """The work was cancelled. The work itself raises this, from :meth:`Cancellation.check`."""

    def __init__(self, problem: str = "The work was stopped before it was done.") -> None:
        super().__init__(problem, "Start it again if you want it.")


class Cancellation:
    """Says whether a piece of work is still wanted. Any thread may cancel it, once and for good.

    The starter of the work keeps the token and calls :meth:`cancel`; the work calls :meth:`check` between its
    steps. Each piece of work needs a new token.
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
        """Cancel the work, and call each action of :meth:`on_cancel` in this thread."""
        with self._lock:
            self._event.set()
            actions, self._actions = self._actions, []
        for action in actions:
            action()

    def check(self) -> None:
        """Do nothing while the work is wanted."""
        if self.cancelled:
            raise Cancelled

    @contextmanager
    def on_cancel(self, action: Callable[[], object]) -> Iterator[None]:
        """Within the block, ``action`` is called once the work is cancelled, in the thread that cancels it.

        The action ends a wait for another process, during which the work cannot call :meth:`check`. If the
        work was cancelled before, ``action`` is called at once.
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
