"""The log of all sets in a window of its own."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from quizwriter.gui.background.jobs import Jobs, stop_background
from quizwriter.gui.review.log_pane import LogPane
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of
from quizwriter.gui.widgets.saved_layout import WindowFrame, WindowPlace, resize_within_screen
from quizwriter.services.wiring import App


class LogWindow(QWidget):
    """Lists what was recorded of all tossups. ``opened`` carries the id of one to write on."""

    opened = Signal(str)

    def __init__(self, app: App, theme: Theme) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self.setWindowTitle("Log")
        self.pane = LogPane(app, theme, Jobs("log", self))
        self.pane.opened.connect(self.opened)
        column_of(self.pane, on=self, margins=NO_MARGINS)
        self.setMinimumSize(560, 320)
        resize_within_screen(self, 1080, 640)
        for key, do in (
            ("Escape", self._clear_or_close), ("Ctrl+W", self.close), ("F5", self.pane.read),
            ("Ctrl+F", self.pane.search.setFocus),
        ):  # fmt: skip
            QShortcut(QKeySequence(key), self, do)

    def present(self, set_name: str | None = None) -> None:
        """Show the window with the log as it is now; of one set if that is given."""
        if set_name is not None:
            self.pane.choose_set(set_name)
        self.pane.read()
        self.show()
        self.activateWindow()
        self.pane.search.setFocus()

    @property
    def place(self) -> WindowPlace:
        """Where the window is, to be opened there again."""
        return WindowPlace("log", WindowFrame.of(self))

    def restore_place(self, place: WindowPlace) -> None:
        if place.frame is not None:
            place.frame.apply(self)

    def refresh(self) -> None:
        if self.isVisible():
            self.pane.read()

    def shutdown(self) -> None:
        self.close()
        stop_background(self)
        self.deleteLater()

    def _clear_or_close(self) -> None:
        if self.pane.search.hasFocus() and self.pane.search.text():
            self.pane.search.clear()
        else:
            self.close()
