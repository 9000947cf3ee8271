"""Players that are still to be trained: a program of its own does it while one writes."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from quizwriter.gui.background.child_process import ChildProcess
from quizwriter.workflow.wording import training_line

log = logging.getLogger(__name__)


class TrainingRun(QObject):
    """The program that trains, seen from outside; it goes on where it was ended.

    ``changed`` says that :attr:`said` has; ``trained`` that the bundle has new players; ``failed`` why it
    has not, as a sentence.
    """

    changed = Signal()
    trained = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._program = ChildProcess(self)
        self._program.message_received.connect(self._take)
        self._program.ended.connect(self._finished)
        self._program.absent.connect(self._missing)
        self._shares: dict[str, float] = {}
        self._problem = ""
        self.status_text = ""  # who is trained and how far that is; empty while nobody is

    @property
    def runs(self) -> bool:
        """Whether players are being trained."""
        return self._program.runs

    def start(self, command: Sequence[str]) -> None:
        """Run ``command``, which trains; only while nothing does."""
        self._shares, self._problem = {}, ""
        self._tell(training_line({}))
        self._program.start(command)

    def shutdown(self) -> None:
        """End it, because the window closes or has another bundle."""
        self._program.shutdown()
        self._tell("")

    def _take(self, said: dict[str, Any]) -> None:
        player, share = said.get("player"), said.get("share")
        if isinstance(player, str) and isinstance(share, int | float):
            self._shares[player] = min(1.0, max(0.0, float(share)))
            self._tell(training_line(self._shares))
        elif "problem" in said:
            self._problem = f"{said['problem']} {said.get('remedy', '')}".strip()

    def _missing(self, reason: str) -> None:
        log.error("the program that trains could not be started: %s", reason)
        self._tell("")
        self.failed.emit(f"The program that trains players could not be started ({reason}).")

    def _finished(self, well: bool, errors: str) -> None:
        self._tell("")
        if well:
            self.trained.emit()
            return
        if not self._problem:
            log.error("training broke: %s", errors)
        self.failed.emit(self._problem or "The training of the other players ended unexpectedly.")

    def _tell(self, said: str) -> None:
        if said != self.status_text:
            self.status_text = said
            self.changed.emit()
