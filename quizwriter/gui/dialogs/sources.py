"""*Review > Comments and sources > Sources of the clues…*: where the clues of the open tossup come from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import plain_table, text_line, widen_columns
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import STRETCH, FieldRows, row_of
from quizwriter.workflow.sources import LONGEST_EXCERPT, LONGEST_SOURCE, SourcedClue, web_address
from quizwriter.workflow.wording import counted_noun, quoted

FILES = "Tables (*.csv);;JSON (*.json)"


class SourcesDialog(Dialog):
    """Lists the clues with their sources, and takes new ones, while the writer goes on.

    ``noted`` carries a source, what it says, and the :class:`SourcedClue` that it replaces or None;
    ``removed`` a :class:`SourcedClue`, ``chosen`` the place of a clue in the text.
    """

    noted = Signal(str, str, object)
    removed = Signal(object)
    chosen = Signal(object)
    export_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Sources of the clues", parent, size=(680, 520), reused=True)
        self._clues: tuple[SourcedClue, ...] = ()
        self._changed: SourcedClue | None = None
        self._target = ""
        self._heading = self.label("", TextStyle.HEADING)
        self._summary = self.label("", TextStyle.CAPTION)
        self.list = plain_table("Clues with their sources", "Clue", "Source")
        self.list.setUniformRowHeights(True)
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.list.header().setStretchLastSection(True)
        widen_columns(self.list, theme.px, 280)
        self.list.currentItemChanged.connect(lambda *_: self._show_choice())
        self.list.itemActivated.connect(lambda *_: self._go())
        self.go_button = outlined("Go to the clue", self._go)
        self.open_button = outlined("Open the link", self._open)
        self.change_button = outlined("Change…", self._change)
        self.remove_button = outlined("Remove", self._remove)
        row = row_of(
            self.go_button, self.open_button, self.change_button, self.remove_button, STRETCH, spacing=8
        )
        self._about = self.label("")
        self.source = text_line(
            "Source", "A link, a book with the page, a past question", longest=LONGEST_SOURCE
        )
        self.source.textChanged.connect(lambda _: self._allow())
        self.excerpt = text_line("Quote", "The words of the source (optional)", longest=LONGEST_EXCERPT)
        form = FieldRows()
        form.add("Clue", self._about)
        form.add("Source", self.source)
        form.add("Quote", self.excerpt)
        self.body.addWidget(self._heading)
        self.body.addWidget(self._summary)
        self.body.addWidget(self.list, 1)
        self.body.addLayout(row)
        self.body.addLayout(form)
        self.add_aside("Export…", self.export_wanted.emit)
        self.note_button = self.add_primary("Add source", self._note)
        self._full = (self.list, self.go_button, self.open_button, self.change_button, self.remove_button)
        self.fill(False, *self._full)
        self._show_choice()
        self._allow()

    def show_clues(self, title: str, clues: Sequence[SourcedClue], with_source: int, sentences: int) -> None:
        """Show ``clues`` of the tossup ``title``; so many of its sentences have at least one source."""
        current = self._current()
        self._heading.setText(title)
        have = "has" if with_source == 1 else "have"
        said = f"{with_source:,} of {counted_noun(sentences, 'sentence')} {have} a source."
        self._summary.setText(
            f"{said} Editors see the sources; packets and challenge sets do not include them."
        )
        if tuple(clues) == self._clues:
            return
        self._clues = tuple(clues)
        self.list.clear()
        for clue in self._clues:
            gone = "" if clue.place is not None else " (no longer in the text)"
            item = QTreeWidgetItem(
                [quoted(clue.clue) + gone if clue.clue else "The whole tossup", clue.source]
            )
            said = "\n".join(filter(None, [clue.source, clue.excerpt]))
            item.setToolTip(0, plain_tooltip(clue.clue))
            item.setToolTip(1, plain_tooltip(said))
            self.list.addTopLevelItem(item)
            if current is not None and clue.event.id == current.event.id:
                self.list.setCurrentItem(item)
        self.fill(bool(clues), *self._full)
        self._show_choice()

    def compose(self, clue: str) -> None:
        """Let the writer note a source of ``clue``, words of the text; empty: of nothing yet.

        What the writer has typed and not noted stays; what was to be changed is not changed.
        """
        if self._changed is not None:
            self._fill(None)
        self._set_target(clue)
        self.source.setFocus()

    def _fill(self, changed: SourcedClue | None) -> None:
        self._changed = changed
        self.source.setText(changed.source if changed is not None else "")
        self.excerpt.setText(changed.excerpt if changed is not None else "")
        self.note_button.setText("Add source" if changed is None else "Change the source")

    def show_target(self, clue: str) -> None:
        """Show what a source would be about, while the writer has begun none."""
        if self._changed is None and not (self._target and self.source.text()):
            self._set_target(clue)

    def _set_target(self, clue: str) -> None:
        self._target = clue
        whole = (
            "The whole tossup" if self._changed is not None else "Select the words of the clue in the draft."
        )
        self._about.setText(quoted(clue) if clue else whole)
        self._allow()

    def _allow(self) -> None:
        known = bool(self._target) or self._changed is not None
        self.set_ready(known and bool(self.source.text().strip()))

    def _note(self) -> None:
        self.noted.emit(self.source.text(), self.excerpt.text(), self._changed)
        self._fill(None)
        self.compose(self._target)

    def _current(self) -> SourcedClue | None:
        row = self.list.currentIndex().row()
        return self._clues[row] if 0 <= row < len(self._clues) else None

    def _show_choice(self) -> None:
        clue = self._current()
        self.go_button.setEnabled(clue is not None and clue.place is not None)
        self.open_button.setEnabled(clue is not None and bool(clue.link))
        self.open_button.setToolTip(plain_tooltip(clue.link) if clue is not None else "")
        self.change_button.setEnabled(clue is not None)
        self.remove_button.setEnabled(clue is not None)

    def _go(self) -> None:
        clue = self._current()
        if clue is not None and clue.place is not None:
            self.chosen.emit(clue.place)

    def _open(self) -> None:
        clue = self._current()
        link = web_address(clue.source) if clue is not None else ""
        if link:
            QDesktopServices.openUrl(QUrl(link, QUrl.ParsingMode.StrictMode))

    def _change(self) -> None:
        clue = self._current()
        if clue is not None:
            self._fill(clue)
            self._set_target(clue.clue)
            self.source.setFocus()

    def _remove(self) -> None:
        clue = self._current()
        if clue is not None:
            self.removed.emit(clue)
