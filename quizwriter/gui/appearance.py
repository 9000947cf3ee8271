"""What the writer chooses of the looks, and where the window lay last: applied and remembered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings
from PySide6.QtWidgets import QMainWindow

from quizwriter.errors import QuizwriterError
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.services import Profile
from quizwriter.settings import MAX_DRAFT_SIZE_PX, MIN_DRAFT_SIZE_PX


class Appearance(QObject):
    """Keeps settings, theme, size of the draft's letters, and the window's geometry."""

    def __init__(
        self, profile: Profile, theme: Theme, messages: MessageBars, home: Path, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._profile, self._theme, self._messages = profile, theme, messages
        self._file = home / "window.ini"

    def remember(self, **settings: object) -> None:
        """Keep the settings named by keywords; a failure is said in a message."""
        try:
            self._profile.save_settings(replace(self._profile.settings, **settings))  # type: ignore[arg-type]
        except QuizwriterError as trouble:
            self._messages.show_message("settings", str(trouble))

    @property
    def theme_name(self) -> str:
        """Which theme the writer chose: light, dark or system."""
        return self._profile.settings.theme

    def use_theme(self, name: str) -> None:
        """Show all windows light, dark, or as the system does."""
        self._theme.use_theme(name)
        self.remember(theme=name)

    def resize_draft(self, by: int) -> None:
        """Make the draft's letters larger by so many pixels, or smaller."""
        pixels = max(MIN_DRAFT_SIZE_PX, min(MAX_DRAFT_SIZE_PX, self._theme.draft_size_px + by))
        self._theme.use_draft_size(pixels)
        self.remember(draft_size_px=pixels)

    def keep_geometry(self, window: QMainWindow, columns: ColumnLayout) -> None:
        """Keep where ``window`` lies and how wide its ``columns`` are."""
        kept = QSettings(str(self._file), QSettings.Format.IniFormat)
        kept.setValue("window", window.saveGeometry())
        columns.keep(kept)
        kept.sync()

    def restore_geometry(self, window: QMainWindow, columns: ColumnLayout) -> None:
        """Lay ``window`` and its ``columns`` as they were kept, if they were."""
        kept = QSettings(str(self._file), QSettings.Format.IniFormat)
        geometry = kept.value("window")
        if isinstance(geometry, QByteArray):
            window.restoreGeometry(geometry)
        columns.restore(kept)
