"""The way to the disk, in a thread of its own, so that no key ever waits for it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QThread, QTimer, Signal, Slot

from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import PATIENCE_MS
from quizwriter.workflow.session import PendingSave

log = logging.getLogger(__name__)

DISK_MS = 10_000
"""How long an action waits for the words that were typed before it to be on disk."""

FLUSH_MS = 3_000
"""The same where the window waits, before and after all tossups are replaced."""

RETRY_MS = 2_000
"""How long after a failed saving the next try is, unless more is typed before."""


class _SaveWorker(QObject):
    """Lives in the saver's thread; keeps what could not be saved and tries again."""

    saved = Signal(object)
    parted = Signal(str, str)
    settled = Signal(int)
    troubled = Signal(object, str)
    broke = Signal(str, str)

    def __init__(self, save: Callable[[PendingSave], str | None], retry_ms: int) -> None:
        super().__init__()
        self._save = save
        self._waiting: dict[str, PendingSave] = {}
        self._number = 0
        self.why_unsaved = ""
        self._retry = QTimer(self)  # a child, so that it moves to the thread too
        self._retry.setSingleShot(True)
        self._retry.setInterval(retry_ms)
        self._retry.timeout.connect(self.write)

    @Slot(int, object)
    def keep(self, number: int, saving: PendingSave) -> None:
        self._number = number
        earlier = self._waiting.get(saving.tossup_id)
        self._waiting[saving.tossup_id] = earlier.before(saving) if earlier else saving
        self.write()

    @Slot()
    def write(self) -> None:
        """Save what waits; a tossup that cannot be saved does not hold up the others."""
        self._retry.stop()
        for tossup_id, saving in list(self._waiting.items()):
            try:
                place = self._save(saving)
            except QuizwriterError as trouble:
                log.warning("not saved yet: %s", trouble)
                self.why_unsaved = str(trouble)
                self.troubled.emit(trouble, tossup_id)
            except Exception:
                log.exception("not saved yet")
                self.why_unsaved = "An error occurred in QuizWriter."
                self.broke.emit(traceback.format_exc(), tossup_id)
            else:
                del self._waiting[tossup_id]
                if place not in (None, tossup_id):
                    self.parted.emit(tossup_id, place)
                self.saved.emit(saving)
        if self._waiting:
            self._retry.start()
        else:
            self.why_unsaved = ""
            self.settled.emit(self._number)

    @Slot(str)
    def discard(self, tossup_id: str) -> None:
        self._waiting.pop(tossup_id, None)
        self.write()

    @Slot(object)
    def flush(self, done: Future[frozenset[str]]) -> None:
        self.write()
        done.set_result(frozenset(self._waiting))

    @Slot()
    def halt(self) -> None:
        self._retry.stop()  # a timer must be stopped in its own thread, so before that ends
        QThread.currentThread().quit()


class Saver(QObject):
    """The way to the disk, in a thread of its own, so that no key ever waits for it.

    ``saved`` carries a PendingSave that is on disk, ``settled`` says that everything is, ``troubled`` carries
    a QuizwriterError and ``broke`` the traceback of a bug, each with the id of the tossup: what was to be
    saved is kept and tried again.
    ``parted`` carries the id of a tossup and that of the branch under which it was saved instead, because the
    database has got another history under the first: a backup was restored, or tossups were received.
    """

    saved = Signal(object)
    parted = Signal(str, str)
    settled = Signal()
    troubled = Signal(object, str)
    broke = Signal(str, str)

    _keep = Signal(int, object)
    _discard = Signal(str)
    _flush = Signal(object)
    _halt = Signal()

    def __init__(self, save: Callable[[PendingSave], str | None], *, retry_ms: int = RETRY_MS) -> None:
        super().__init__()
        self._asked = 0
        self._done = 0
        self._thread = QThread()
        self._thread.setObjectName("saver")
        self._writer = _SaveWorker(save, retry_ms)
        self._writer.moveToThread(self._thread)
        self._keep.connect(self._writer.keep)
        self._discard.connect(self._writer.discard)
        self._flush.connect(self._writer.flush)
        self._halt.connect(self._writer.halt)
        self._writer.saved.connect(self.saved)
        self._writer.parted.connect(self.parted)
        self._writer.settled.connect(self._take_settled)
        self._writer.troubled.connect(self.troubled)
        self._writer.broke.connect(self.broke)
        self._thread.start()

    @property
    def idle(self) -> bool:
        return self._done == self._asked

    @property
    def why_unsaved(self) -> str:
        """What kept the last words from being saved, with its remedy; empty if nothing did."""
        return self._writer.why_unsaved

    def keep(self, saving: PendingSave) -> None:
        self._asked += 1
        self._keep.emit(self._asked, saving)

    def discard(self, tossup_id: str) -> None:
        self._discard.emit(tossup_id)

    def flush(self, within_ms: int) -> bool:
        """Wait until everything is on disk; False if that fails or takes longer."""
        return self._write_all(within_ms) == frozenset()

    def catch_up(self, within_ms: int) -> frozenset[str] | None:
        """Wait, in the window's thread, until it has heard of all savings; the tossups that still wait.

        None if that takes longer.
        """
        waiting = frozenset[str]() if self.idle else self._write_all(within_ms)
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall)
        return waiting

    def _write_all(self, within_ms: int) -> frozenset[str] | None:
        done: Future[frozenset[str]] = Future()
        self._flush.emit(done)
        try:
            return done.result(within_ms / 1000)
        except TooLate:
            return None

    def settle(self) -> None:
        """Wait, in another thread than the window's, until everything is on disk."""
        if not self.flush(DISK_MS):
            raise QuizwriterError("The draft is not saved yet.", "Try again when the draft is saved.")

    def stop(self) -> None:
        """End the thread; what it said last and nobody has heard yet is said no more."""
        self._halt.emit()
        self._thread.wait(PATIENCE_MS)
        self.blockSignals(True)  # the window that hears them may read a database that is closed by then

    @Slot(int)
    def _take_settled(self, number: int) -> None:
        self._done = number
        if self.idle:
            self.settled.emit()
