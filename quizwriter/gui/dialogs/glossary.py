"""*Help > Glossary*: the words of the program and what they mean, with a search field."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog
from quizwriter.gui.widgets.fields import scrolling
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.layouts import column_of
from quizwriter.workflow.glossary import GlossaryEntry, glossary, search

NOTHING = "No word or meaning contains this text."

_SCROLLING = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
"""The keys that scroll while the search field has the keyboard, and by how many steps."""


class GlossaryDialog(Dialog):
    """The words with their meanings; those that match the search are shown, the nearest first.

    It is not modal: a writer may read it beside the draft.
    """

    def __init__(self, entries: Sequence[GlossaryEntry], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Glossary", parent, size=(560, 640))
        self._entries = tuple(entries)
        self.search = SearchField(theme, "Search words and meanings", name="Search the glossary")
        self.search.textChanged.connect(self._show_found)
        self.nothing = plain_label(NOTHING)
        self.nothing.hide()
        self._entry_labels = {
            one.word: (plain_label(one.word, selectable=True), plain_label(one.meaning, selectable=True))
            for one in self._entries
        }
        self._list = QWidget()
        self._rows = column_of(on=self._list, margins=(16, 8, 16, 16), spacing=0)
        self._area = scrolling(self._list, sideways=False, by_keys=True)
        self._area.setAccessibleName("Words and their meanings")
        self.body.addWidget(self.search)
        self.body.addWidget(self._area, 1)
        self._show_found("")
        self.search.setFocus()

    def words(self) -> list[str]:
        return [entry.word for entry in search(self._entries, self.search.text())]

    def look_up(self, query: str) -> None:
        self.search.setText(query)
        self.search.selectAll()
        self.search.setFocus()
        self.show()
        self.activateWindow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = _SCROLLING.get(Qt.Key(event.key()))
        if steps is None:
            super().keyPressEvent(event)
            return
        bar = self._area.verticalScrollBar()
        bar.setValue(bar.value() + steps * bar.singleStep())

    def _show_found(self, query: str) -> None:
        while self._rows.count():
            self._rows.takeAt(0)
        found = search(self._entries, query)
        shown = {entry.word for entry in found}
        for word, labels in self._entry_labels.items():
            for label in labels:
                label.setVisible(word in shown)
        for entry in found:
            title, meaning = self._entry_labels[entry.word]
            self._rows.addSpacing(8)
            self._rows.addWidget(title)
            self._rows.addSpacing(4)
            self._rows.addWidget(meaning)
        self._rows.addWidget(self.nothing)
        self.nothing.setVisible(not found)
        self._rows.addStretch(1)
        self._area.verticalScrollBar().setValue(0)

    def apply_theme(self) -> None:
        super().apply_theme()
        tokens = self._theme.tokens
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(tokens.page))
        palette.setColor(QPalette.ColorRole.WindowText, QColor(tokens.ink))
        for widget in (self._area, self._list):
            widget.setPalette(palette)
        for word, meaning in self._entry_labels.values():
            word.setFont(self._theme.font(bold=True))
            meaning.setFont(self._theme.font())


def show_glossary(theme: Theme, parent: QWidget) -> GlossaryDialog:
    dialog = parent.findChild(GlossaryDialog) or GlossaryDialog(glossary(), theme, parent)
    dialog.look_up("")
    return dialog
