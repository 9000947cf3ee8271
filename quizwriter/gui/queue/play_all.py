"""*Play all*: the players play every tossup in the background, with Cancel, and go on after a restart."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quizwriter.cancellation import Cancellation, Cancelled, Progress
from quizwriter.gui.background.jobs import Jobs
from quizwriter.services.wiring import App

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

NO_ENGINE = "No bundle is open, so there are no players. Open a bundle first."


class PlayAll(QObject):
    """Has every tossup played by the players in use, in a process of their own with the lowest priority.

    ``changed`` says that :attr:`text` is another one, ``played`` that lists have new games, ``told`` carries
    how it ended and whether that is good news.
    """

    changed = Signal()
    played = Signal()
    told = Signal(str, bool)

    def __init__(self, app: App, engine: Callable[[], Engine | None], parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._engine = app, engine
        self._cancellation: Cancellation | None = None
        self._ends = False
        self.text = ""
        """What is going on; empty where nothing is."""
        self._jobs = Jobs("play all", self)

    @property
    def running(self) -> bool:
        return self._cancellation is not None

    def start(self) -> None:
        self._start(only_pending=False)

    def resume(self) -> None:
        """Go on where an earlier run of the program was closed; nothing happens if none was."""
        self._start(only_pending=True)

    def cancel(self) -> None:
        """Stop; what was played is kept, and nothing goes on after a restart."""
        if self._cancellation is not None:
            self._say("Stopping…")
            self._cancellation.cancel()

    def shutdown(self) -> None:
        """End the games, because the window closes; the next run goes on."""
        self._ends = True
        if self._cancellation is not None:
            self._cancellation.cancel()
        self._jobs.stop()

    def _start(self, *, only_pending: bool) -> None:
        engine = self._engine()
        if self.running or self._ends:
            return
        if engine is None:
            if not only_pending:
                self.told.emit(NO_ENGINE, False)
            return
        cancellation = self._cancellation = Cancellation()
        if not only_pending:
            self._say("Looking for tossups to play…")

        def do(progress: Progress) -> tuple[str, bool] | None:
            plays = self._app.plays
            if only_pending and not plays.is_pending:
                return None
            plays.set_pending(True)
            try:
                report = plays.play_all(engine, progress, cancellation)
            except Cancelled:
                if not self._ends:
                    plays.set_pending(False)
                return "Stopped. The finished games are kept.", True
            plays.set_pending(False)
            troubles = [f"{player}: {trouble}" for player, trouble in report.troubles]
            return " ".join([report.sentence, *troubles]), not troubles

        self._jobs.ask(do, self._take, lambda trouble: self._take((trouble, False)), told=self._show_progress)

    def _take(self, told: tuple[str, bool] | None) -> None:
        """Tell how the games ended; None: nothing was pending."""
        self._cancellation = None
        self._say("")
        if told is not None:
            self.played.emit()
            self.told.emit(*told)

    def _show_progress(self, done: int, total: int) -> None:
        if self.running and self._cancellation is not None and not self._cancellation.cancelled:
            self._say(f"Playing tossup {done + 1:,} of {total:,}…")
            if done % 10 == 0:
                self.played.emit()

    def _say(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.changed.emit()
