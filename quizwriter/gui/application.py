"""The program with its window: the start, and the lock against a second start."""

from __future__ import annotations

import logging
import signal
import sys
import traceback
from contextlib import ExitStack
from types import TracebackType

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.garbage import collecting_garbage_here
from quizwriter.gui.background.jobs import hold_jobs, release_jobs
from quizwriter.gui.main_window import MainWindow
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.date_language import use_dates
from quizwriter.gui.window_lock import window_lock
from quizwriter.services.wiring import App
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.system.memory import keep_one_heap
from quizwriter.workflow.session import WritingSession

log = logging.getLogger(__name__)


def make_window(
    app: App,
    qt: QApplication,
    *,
    session: WritingSession | None = None,
    persistent: bool = True,
    scheme: str = "",
) -> MainWindow:
    """A main window for ``app``, not yet shown."""
    keep_one_heap()
    theme = _theme(app, qt, scheme or app.profile.settings.theme)
    with theme.bare_widgets():
        return MainWindow(app, theme, session=session, persistent=persistent)


def _theme(app: App, qt: QApplication, scheme: str) -> Theme:
    settings = app.profile.settings
    use_dates(settings.dates)
    return Theme(
        qt,
        scheme=scheme,
        draft_font=settings.draft_font,
        draft_size_px=settings.draft_size_px,
        text_percent=settings.text_percent,
        reduced_motion=settings.reduced_motion,
    )


def qt_application() -> QApplication:
    """Qt's application object, made if there is none yet."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    qt = QApplication(["quizwriter"])
    qt.setApplicationName("QuizWriter")
    qt.setApplicationDisplayName("QuizWriter")
    return qt


def open_or_mend(app: App, qt: QApplication) -> None:
    """Open the database; a damaged one is rescued first, or a backup is restored, as the writer chooses."""
    try:
        app.open_database()
    except DamagedDatabaseError as damage:
        if qt.platformName() in {"offscreen", "minimal"}:  # nobody is there to choose
            raise
        if not mending_dialog(app, qt, damage).exec():
            raise QuizwriterError("QuizWriter was not opened.", damage.remedy) from damage
        app.open_database()


def mending_dialog(app: App, qt: QApplication, damage: DamagedDatabaseError) -> QDialog:
    from quizwriter.gui.dialogs.backups import BackupsDialog

    theme = _theme(app, qt, app.profile.settings.theme)
    return BackupsDialog(app.recovery, theme, damage=damage.problem)


def run(app: App) -> int:
    """Show the main window until it is closed. The result is the exit status."""
    qt = qt_application()
    held = ExitStack()
    try:
        held.enter_context(window_lock(app.home, "Continue in that window, or close it first."))
        open_or_mend(app, qt)
        app.profile.identity.deferred = True  # the keyring may ask for a password, and saving does not wait
        hold_jobs()  # until the window is painted
        window = make_window(app, qt)
    except QuizwriterError as trouble:
        held.close()
        release_jobs()
        if qt.platformName() not in {"offscreen", "minimal"}:  # someone started it from a menu
            box = QMessageBox(QMessageBox.Icon.Critical, "QuizWriter cannot start", str(trouble))
            box.setTextFormat(Qt.TextFormat.PlainText)
            box.exec()
        raise

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.critical("a bug", exc_info=(kind, error, trace))
        window.report("".join(traceback.format_exception(kind, error, trace)))

    before = sys.excepthook
    sys.excepthook = report
    interrupted = False

    def stop(number: int, _: object) -> None:  # called at the next sweep, within a second
        nonlocal interrupted
        interrupted = number == signal.SIGINT
        window.close()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    window.show()
    window.start_after_paint()
    try:
        with collecting_garbage_here():
            status = qt.exec()
            return 130 if interrupted else status
    finally:
        sys.excepthook = before
        held.close()
