"""The appearance of the window: theme, font size and geometry, which are applied and saved."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMainWindow

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.widgets.date_language import use_dates
from quizwriter.gui.widgets.file_dialog import begin_in, last_folder
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.saved_layout import OpenPlace, WindowFrame, read_layout, save_layout
from quizwriter.services.profile import Profile
from quizwriter.settings import MAX_DRAFT_SIZE_PX, MIN_DRAFT_SIZE_PX, Settings

_LENGTHS = frozenset({"shortest_words", "longest_words", "reading_speed"})


class Appearance(QObject):
    """Applies and saves the theme, the font size of the draft, and the geometry of the window.

    ``lengths_changed``: another length of tossups, or another reading speed was saved.
    """

    lengths_changed = Signal()

    def __init__(
        self, profile: Profile, theme: Theme, messages: MessageBars, home: Path, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._profile, self._theme, self._messages = profile, theme, messages
        self._home = home

    def save_settings(self, **settings: object) -> None:
        """Save the settings that the keywords name; a message shows a failure."""
        with self._messages.telling("settings"):
            self._profile.save_settings(replace(self._profile.settings, **settings))
        if not _LENGTHS.isdisjoint(settings):
            self.lengths_changed.emit()

    def say_trouble(self) -> None:
        """Say so if the settings could not be read."""
        if self._profile.settings_trouble is not None:
            self._messages.show_message(
                "settings", f"{self._profile.settings_trouble} The default settings are used until then."
            )

    @property
    def settings(self) -> Settings:
        return self._profile.settings

    def use_theme(self, name: str) -> None:
        """Use the theme ``name``, which is light, dark, system or contrast, in all windows."""
        self._theme.use_theme(name)
        self.save_settings(theme=name)

    def use_letters(self, *, family: str, draft_px: int, percent: int) -> None:
        """Set the draft in ``family``, or the program's choice if it is empty, and size all letters."""
        self._theme.use_letters(family, draft_px, percent)
        self.save_settings(draft_font=family, draft_size_px=draft_px, text_percent=percent)

    def reduce_motion(self, reduced: bool) -> None:
        """Whether nothing glides or fades, also where the system does not ask for that."""
        self._theme.reduced_motion = reduced
        self.save_settings(reduced_motion=reduced)

    def use_dates(self, name: str) -> None:
        """Write dates as the setting ``name`` says from now on."""
        if name == self.settings.dates:
            return
        use_dates(name)
        self._theme.changed.emit()
        self.save_settings(dates=name)

    def resize_draft(self, by: int) -> None:
        pixels = max(MIN_DRAFT_SIZE_PX, min(MAX_DRAFT_SIZE_PX, self._theme.draft_size_px + by))
        self._theme.use_draft_size(pixels)
        self.save_settings(draft_size_px=pixels)

    def keep_geometry(self, window: QMainWindow, columns: ColumnLayout, tab: str, place: OpenPlace) -> None:
        """Save the frame of ``window``, the widths of its ``columns``, the ``tab`` and the ``place``.

        With them goes the folder of the last file dialog.
        """
        frame, sizes = WindowFrame.of(window), columns.sizes_to_save()
        save_layout(self._home, window=frame, columns=sizes, tab=tab, place=place, folder=last_folder())

    @property
    def last_place(self) -> OpenPlace | None:
        """Where the writer was when the window closed."""
        return read_layout(self._home).place

    def restore_geometry(self, window: QMainWindow, columns: ColumnLayout) -> str:
        """Restore the saved geometry of ``window`` and its ``columns``, if there is one; the tab in use.

        The next file dialog begins where the last one ended.
        """
        saved = read_layout(self._home)
        if saved.window is not None:
            saved.window.apply(window)
        if saved.columns is not None:
            columns.restore(saved.columns)
        begin_in(saved.folder)
        return saved.tab
