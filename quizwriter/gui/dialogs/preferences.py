"""*Preferences*: one page for each concern; what is chosen holds at once, in all windows, and is saved."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QHBoxLayout, QListWidget, QStackedWidget, QWidget

from quizwriter.gui.dialogs.preferences_keys import KeysPage
from quizwriter.gui.dialogs.preferences_pages import (
    AppearanceChoices,
    AppearancePage,
    BackupsPage,
    Concerns,
    PlayerChoices,
    PlayersPage,
    PreferencesPage,
    SpellingPage,
    WritingPage,
)
from quizwriter.gui.theme import Theme, restyle
from quizwriter.gui.widgets.dialog import Dialog
from quizwriter.gui.widgets.key_bindings import KeyBindings

PAGES: list[type[PreferencesPage]] = [
    AppearancePage,
    PlayersPage,
    WritingPage,
    SpellingPage,
    KeysPage,
    BackupsPage,
]
"""Every page, in the order of the list; each says its title."""


class PreferencesDialog(Dialog):
    """The pages of the preferences, each by its title in a list on the left."""

    def __init__(
        self,
        theme: Theme,
        choices: AppearanceChoices,
        players: PlayerChoices,
        keys: KeyBindings,
        *,
        open_server: Callable[[], object],
        open_model: Callable[[], object],
        open_backups: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, "Preferences", parent, size=(780, 560))
        self.pages: list[PreferencesPage] = []
        self.list = QListWidget()
        self.list.setObjectName("pages")
        self.list.setAccessibleName("Pages")
        self.list.setWhatsThis("The pages of the preferences. The arrow keys go from one to the next.")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.stack = QStackedWidget()
        self.list.currentRowChanged.connect(self._show_page)
        row = QHBoxLayout()
        row.addWidget(self.list)
        row.addWidget(self.stack, 1)
        self.body.addLayout(row, 1)
        self._reset_button = self.add_aside("Reset this page", self._reset)
        of = Concerns(theme, choices, players, keys, open_server, open_model, open_backups, self.show_message)
        for page in PAGES:
            self.add_page(page(of))
        self.list.setCurrentRow(0)
        self.list.setFocus()

    def add_page(self, page: PreferencesPage) -> None:
        self.pages.append(page)
        self.list.addItem(page.title)
        self.stack.addWidget(page)
        page.show_settings()
        self._style()

    def open_page(self, title: str) -> None:
        self.list.setCurrentRow([page.title for page in self.pages].index(title))

    @property
    def page(self) -> PreferencesPage:
        """The page in sight."""
        return self.pages[max(0, self.list.currentRow())]

    def done(self, result: int) -> None:
        """Close; a number that was just changed is applied first."""
        for page in self.pages:
            page.finish()
        super().done(result)

    def _show_page(self, row: int) -> None:
        self.stack.setCurrentIndex(row)
        self.page.show_settings()
        self._reset_button.setVisible(type(self.page).reset is not PreferencesPage.reset)
        self.show_message("")

    def _reset(self) -> None:
        self.page.reset()
        self.page.show_settings()

    def apply_theme(self) -> None:
        super().apply_theme()
        self._style()

    def _style(self) -> None:
        if not hasattr(self, "list"):
            return  # the base is not done yet
        tokens = self._theme.tokens
        widest = max(
            (self.list.fontMetrics().horizontalAdvance(page.title) for page in self.pages), default=0
        )
        self.list.setFixedWidth(widest + 40)
        # a page that is added takes it from the stack
        restyle(self.stack, f"QLabel#caption {{ color: {tokens.soft}; }}")
        for page in self.pages:
            for label in page.findChildren(QWidget, "caption"):
                label.setFont(self._theme.font(small=True))
