"""The panes of tagging: tags to be ticked, and the table of how far people agree."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import combinations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHeaderView,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from quizwriter.domain.review_state import Review
from quizwriter.formats.tables import write_table
from quizwriter.gui.colours import mixed
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.fields import choice_box, text_line
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip, rich_label
from quizwriter.gui.widgets.layouts import STRETCH, column_of, row_of
from quizwriter.workflow.tagging import Phenomenon, TagAgreement, agreements, ratio, share_of_equal_taggings
from quizwriter.workflow.wording import counted_noun, listed

NUMBERED = 9
"""How many tags have a key of their own."""

KAPPA = (
    "Agreement is the share of pairs of people who decide the same about a tossup. Kappa corrects it for "
    "chance: 1 is full agreement, 0 is no more than chance. It is {whose}. A dash means that kappa is not "
    "defined, because nobody used the tag or everybody always did."
)

WIDEST = 860
"""Pixels of the table of agreement; wider, the eye loses the line."""


class TagPane(QScrollArea):
    """The tags to be ticked, the phenomena with their definitions first, then own ones."""

    def __init__(self, theme: Theme, known: Sequence[Phenomenon]) -> None:
        super().__init__()
        self._theme = theme
        self.phenomena = tuple(known)
        self.added: list[str] = []  # own tags made here
        self._examples = False
        self._own: list[TagRow] = []
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._rows: list[TagRow] = []
        inside = QWidget()
        self._column = column_of(on=inside, margins=(12, 8, 8, 8), spacing=4)
        self._heads: list[QLabel] = []
        group = ""
        for number, one in enumerate(self.phenomena):
            if one.group != group:
                group = one.group
                self._head(f"{group[:1].upper()}{group[1:]}")
            row = TagRow(theme, one.name, number, one)
            self._rows.append(row)
            self._column.addWidget(row)
        self._head("Own tags")
        self.own = text_line("Another tag", "Another tag, then Enter", longest=60)
        self.own.returnPressed.connect(self._add)
        self._column.addWidget(self.own)
        self.more = QPushButton("Show examples (E)")
        self.more.clicked.connect(self.show_examples)
        self._column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)
        self.setWidget(inside)
        self.setStyleSheet("QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }")
        theme.follow(self._apply_theme)

    @property
    def rows(self) -> tuple[TagRow, ...]:
        """All tags, in the order of their keys."""
        return (*self._rows, *self._own)

    @property
    def ticked(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows if row.box.isChecked())

    def toggle(self, number: int) -> None:
        """Tick tag ``number``, from 0, or no longer."""
        rows = self.rows
        if number < len(rows) and rows[number].box.isEnabled():
            rows[number].box.toggle()

    def show_tags(
        self,
        own: Sequence[str],
        ticked: Sequence[str],
        *,
        frozen: bool,
        found: Mapping[str, str] | None = None,
        disputed: Sequence[str] = (),
    ) -> None:
        """Tick ``ticked``, with the tags ``own`` besides the phenomena; ``frozen`` ones cannot be changed.

        ``found`` says of a tag who found it; None: that is not to be seen.
        """
        wanted = [*own, *(tag for tag in ticked if tag not in own and tag not in self._names)]
        if [row.name for row in self._own] != wanted:
            for row in self._own:
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
            self._own = []
            for tag in wanted:
                self._put_own(tag)
        for row in self.rows:
            row.box.setChecked(row.name in ticked)
            row.box.setEnabled(not frozen)
            row.say_found(None if found is None else found.get(row.name, ""), disputed=row.name in disputed)
        self.own.setEnabled(not frozen)

    def show_examples(self) -> None:
        """Show an example of each phenomenon, or no longer."""
        self._examples = not self._examples
        self.more.setText("Hide examples (E)" if self._examples else "Show examples (E)")
        for row in self._rows:
            row.example.setVisible(self._examples)

    @property
    def _names(self) -> set[str]:
        return {one.name for one in self.phenomena}

    def _add(self) -> None:
        name = " ".join(self.own.text().split())
        same = next((row for row in self.rows if row.name.casefold() == name.casefold()), None)
        if name and same is None:
            self.added.append(name)
            same = self._put_own(name)
        if same is not None:
            same.box.setChecked(True)
        self.own.clear()
        self.setFocus()  # the next key is a tag's again

    def _put_own(self, tag: str) -> TagRow:
        row = TagRow(self._theme, tag, len(self._rows) + len(self._own))
        self._column.insertWidget(self._column.indexOf(self.own), row)
        self._own.append(row)
        return row

    def _head(self, text: str) -> None:
        label = plain_label(text, wrap=False)
        label.setContentsMargins(0, 8 if self._heads else 0, 0, 0)
        self._heads.append(label)
        self._column.addWidget(label)

    def _apply_theme(self) -> None:
        for label in self._heads:
            label.setFont(self._theme.font(small=True))
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")


class TagRow(QWidget):
    """One tag with its key, what it means, and who found it."""

    def __init__(self, theme: Theme, name: str, number: int, phenomenon: Phenomenon | None = None) -> None:
        super().__init__()
        self._theme = theme
        self.name = name
        self._phenomenon = phenomenon
        key = f"{number + 1}" if number < NUMBERED else ""
        shown = name.replace("&", "&&")  # one of them would underline a letter
        self.box = QCheckBox(f"{key}  {shown}" if key else shown)
        self.box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._definition = wrapped(phenomenon.definition if phenomenon is not None else "")
        self._found = wrapped()
        self.example = rich_label()
        self.example.setWordWrap(True)
        self.example.hide()
        self._found.hide()
        self._definition.setVisible(phenomenon is not None)
        column = column_of(self.box, on=self, margins=(0, 2, 0, 2), spacing=2)
        for label in (self._found, self._definition, self.example):
            label.setContentsMargins(24, 0, 0, 0)
            column.addWidget(label)
        if phenomenon is not None:
            self.box.setToolTip(plain_tooltip(phenomenon.definition))
            self.box.setAccessibleDescription(phenomenon.definition)
        theme.follow(self._apply_theme)

    def say_found(self, who: str | None, *, disputed: bool) -> None:
        """Say who found it; None: nothing is to be seen of that."""
        tokens = self._theme.tokens
        self._found.setVisible(who is not None and bool(who))
        self._found.setText(who or "")
        self._found.setStyleSheet(f"color: {tokens.confident if disputed else tokens.right};")

    def _apply_theme(self) -> None:
        tokens, one = self._theme.tokens, self._phenomenon
        self.box.setFont(self._theme.font(bold=True))
        for label in (self._definition, self.example, self._found):
            label.setFont(self._theme.font(small=True))
        self._definition.setStyleSheet(f"color: {tokens.soft};")
        if one is not None:
            serif = f"font-family: {self._theme.draft_families}; color: {tokens.ink};"
            self.example.setText(
                f"<p style='margin: 2px 0;'>{escape(one.answer)}, as usual:<br>"
                f'<span style="{serif}">{escape(one.usual)}</span></p>'
                "<p style='margin: 2px 0;'>Harder:<br>"
                f'<span style="{serif}">{escape(one.harder)}</span></p>'
                f"<p style='margin: 2px 0 6px 0;'>{escape(one.because)}</p>"
            )
        ground = mixed(tokens.accent, tokens.page, 0.08)
        self.example.setStyleSheet(
            f"color: {tokens.soft}; background: {ground}; border-radius: 6px; padding: 4px 8px;"
        )


class AgreementTable(QWidget):
    """How far people agree, tag by tag."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._reviews: Mapping[str, Review] = {}
        self._finished: tuple[str, ...] = ()
        self._called: Callable[[str], str] = str
        self._tags: tuple[str, ...] = ()
        self.who = choice_box("Whose tags")
        self.who.currentIndexChanged.connect(self._fill)
        self._copy = outlined("Copy as CSV", self._to_clipboard)
        head = row_of(plain_label("Tagged by", wrap=False), self.who, STRETCH, self._copy)
        self.table = QTreeWidget()
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setAccessibleName("Agreement")
        self._foot = wrapped()
        column_of(head, (self.table, 1), self._foot, on=self, margins=(0, 4, 0, 0), spacing=8)
        self.setMaximumWidth(WIDEST)
        theme.follow(self._apply_theme)

    def show_group(
        self,
        reviews: Mapping[str, Review],
        finished: Sequence[str],
        called: Callable[[str], str],
        tags: Sequence[str],
    ) -> None:
        """Compare which of ``tags`` those who ``finished`` found; ``called`` says what to call a person."""
        self._reviews, self._finished, self._called = reviews, tuple(finished), called
        self._tags = tuple(tags)
        pairs = list(combinations(self._finished, 2))
        choices = [self._finished, *pairs] if len(self._finished) > 2 else pairs
        with QSignalBlocker(self.who):
            self.who.clear()
            for people in choices:
                self.who.addItem(listed([called(person) for person in people]), people)
            self.who.setEnabled(len(choices) > 1)
        self._fill()

    def cells(self) -> list[list[str]]:
        head = self.table.headerItem()
        items = [self.table.topLevelItem(row) for row in range(self.table.topLevelItemCount())]
        return [
            [item.text(place) for place in range(self.table.columnCount())]
            for item in (head, *items)
            if item is not None
        ]

    def _fill(self) -> None:
        people = self.who.currentData() or ()
        if len(people) < 2:
            return
        name = "Cohen\u2019s kappa" if len(people) == 2 else "Fleiss\u2019 kappa"
        whole = "Both" if len(people) == 2 else "All"
        self.table.clear()
        heads = ["Tag", *(self._called(person) for person in people), whole, "Agreement", name]
        self.table.setColumnCount(len(heads))
        self.table.setHeaderLabels(heads)
        found = agreements(self._reviews, people, self._tags)
        for agreement in found:
            self._put(agreement)
        header = self.table.header()
        header.setStretchLastSection(False)
        for place in range(len(heads)):
            mode = QHeaderView.ResizeMode.Stretch if place == 0 else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(place, mode)
            if place:
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                self.table.headerItem().setTextAlignment(place, right)
        same = share_of_equal_taggings(self._reviews, people)
        told = "" if same is None else f" In {same:.0%} of them, all tags are the same."
        number = counted_noun(len(self._reviews), "tossup")
        whose = f"{name.split()[0]} (1960)" if len(people) == 2 else f"{name.split()[0]} (1971)"
        self._foot.setText(f"{number}.{told} {KAPPA.format(whose=whose)}")

    def _put(self, agreement: TagAgreement) -> None:
        share = "\u2013" if agreement.share is None else f"{agreement.share:.0%}".replace("%", "\u00a0%")
        counts = [f"{count:,}" for count in (*agreement.counts, agreement.everyone)]
        item = QTreeWidgetItem([agreement.tag, *counts, share, ratio(agreement.kappa)])
        for place in range(1, item.columnCount()):
            item.setTextAlignment(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if not any(agreement.counts):
            for place in range(item.columnCount()):
                item.setForeground(place, QColor(self._theme.tokens.soft))
        self.table.addTopLevelItem(item)

    def _to_clipboard(self) -> None:
        out = io.StringIO(newline="")
        write_table(out, self.cells())
        QGuiApplication.clipboard().setText(out.getvalue())

    def _apply_theme(self) -> None:
        self._foot.setStyleSheet(f"color: {self._theme.tokens.soft};")


def wrapped(text: str = "") -> QLabel:
    """A label of plain words that takes as many lines as it needs."""
    label = plain_label(text, wrap=False)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return label
