"""The palette of accents and special letters, which puts a letter into the field that has the keyboard."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.popup import Popup, TextField, text_field_in_focus

COLUMNS = 12
MOST_RECENT = COLUMNS
"""Letters that are remembered: a row of them."""

CELL, ROWS_SHOWN = 30, 9
"""Pixels of a letter's cell, and how many rows are seen without scrolling."""

_STEPS: Mapping[int, tuple[int, int]] = {
    Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0),
}  # fmt: skip
"""The keys that choose another letter, with how far down and right that is."""

GROUPS: Sequence[tuple[str, str]] = (
    ("A", "áàâäãåāăąæ"), ("C", "çćčĉċ"), ("D", "ďđð"), ("E", "éèêëēėęěĕə"), ("G", "ğģĝġ"), ("H", "ħĥḥ"),
    ("I", "íìîïīįĩıİ"), ("J, K", "ĵķḱ"), ("L", "łľĺļḷ"), ("N", "ñńňņŋṇ"), ("O", "óòôöõøōőŏœơ"),
    ("R", "řŕŗṛ"), ("S", "śšşșŝßṣ"), ("T", "ťţțŧþṭ"), ("U", "úùûüūůűųũŭưǚ"), ("W, Y", "ŵýÿŷỳ"), ("Z", "źżžẓ"),
    ("Greek", "αβγδεζηθικλμνξοπρσςτυφχψωΓΔΘΛΞΠΣΦΨΩ"),
    ("Dashes, quotes", "–—…“”‘’«»„‚ʻʼ′″·•"),  # noqa: RUF001
    ("Numbers", "×÷±−≤≥≠≈∞√½⅓¼¾²³¹⁻₀₁₂₃₄"),  # noqa: RUF001
    ("Signs", "°§¶†‡©®™€£¥¢→←↔⇌♯♭♮♀♂∂∇∫∑∏∈∪∩∅"),  # noqa: RUF001
)  # fmt: skip
"""The letters by groups, the frequent ones first; those with a capital have it behind them."""

_LATIN = (range(0xC0, 0x250), range(0x1E00, 0x1F00))
_BASES = dict(zip("æəðđħıłŋøœßþŧ", "aedd" + "hilnoostt", strict=True))
"""The letters that Unicode does not take apart."""


def _with_capitals(letters: str) -> str:
    capitals = "".join(one.upper() for one in letters if len(one.upper()) == 1 and one.upper() != one)
    return letters + "".join(one for one in capitals if one not in letters)


def base_letter(letter: str) -> str:
    """The letter without its accents: ``e`` of ``ế``, ``E`` of ``Ê``; empty of a sign."""
    small = letter.lower()
    base = _BASES.get(small) or unicodedata.normalize("NFD", small)[:1]
    if not ("a" <= base <= "z") or base == letter:
        return ""
    return base.upper() if letter != small else base


def letter_name(letter: str) -> str:
    """The name of ``letter`` as people read it: "e with acute"."""
    name = unicodedata.name(letter, "").lower()
    for lead in ("latin small letter ", "greek small letter "):
        if name.startswith(lead):
            return name.removeprefix(lead)
    return name.replace("latin capital letter", "capital").replace("greek capital letter", "capital")


@lru_cache(maxsize=1)
def _every_letter() -> tuple[str, ...]:
    """All letters that can be found, the frequent ones first."""
    usual = "".join(_with_capitals(letters) for _, letters in GROUPS)
    others = (chr(code) for codes in _LATIN for code in codes)
    return tuple(dict.fromkeys((*usual, *(one for one in others if base_letter(one)))))


def found_letters(asked: str) -> tuple[str, ...]:
    """The letters that ``asked`` means: the accents of a letter, those of its case first; else by name."""
    if len(asked) == 1 and asked.isascii() and asked.isalpha():
        same = [one for one in _every_letter() if base_letter(one) == asked]
        other = [one for one in _every_letter() if base_letter(one) == asked.swapcase()]
        return (*same, *other)
    words = asked.casefold().split()
    names = ((one, letter_name(one).split()) for one in _every_letter())
    return tuple(
        one
        for one, name in names
        if one == asked.strip() or all(any(part.startswith(word) for part in name) for word in words)
    )


class LetterPalette(Popup):
    """Shows letters by groups, narrowed by what is typed; the last used ones come first.

    The arrow keys choose a letter and Enter puts it into the field, as if it were typed there.
    """

    def __init__(
        self, theme: Theme, recent: Callable[[], Sequence[str]], keep: Callable[[tuple[str, ...]], object],
        parent: QWidget,
    ) -> None:  # fmt: skip
        """``recent`` gives the letters that were used last, ``keep`` takes them after a letter was used."""
        super().__init__(parent)
        self._theme, self._recent, self._keep = theme, recent, keep
        self.search = SearchField(
            theme, "Type a letter to see its accents, or a name: alpha, dash", name="Letter or name"
        )
        self.search.setMaxLength(40)
        self.table = named(QTableWidget(0, COLUMNS), "Letters")
        self.table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.horizontalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.verticalHeader().setHighlightSections(False)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for header in (self.table.horizontalHeader(), self.table.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(1)
        self.table.verticalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.name = plain_label("", wrap=False)
        self.body.addWidget(self.search)
        self.body.addWidget(self.table)
        self.body.addWidget(self.name)
        self.search.textChanged.connect(self._fill)
        self.search.installEventFilter(self)
        self.table.currentCellChanged.connect(lambda *_: self._say())
        self.table.cellClicked.connect(lambda *_: self.insert())

    def open_for(self, field: TextField | None = None) -> None:
        """Open at ``field``, or at the one that has the keyboard; where there is none, do nothing."""
        field = field or text_field_in_focus()
        if field is None:
            return
        self.search.clear()
        self._fill()
        self.open_at(field, self.search)

    @property
    def current(self) -> str:
        """The chosen letter; empty if nothing is found."""
        item: QTableWidgetItem | None = self.table.currentItem()
        return item.text() if item is not None else ""

    def insert(self) -> None:
        """Put the chosen letter into the field, and close."""
        letter, field = self.current, self.field
        self.close()
        if not letter or field is None:
            return
        if isinstance(field, QLineEdit):
            field.insert(letter)
        else:
            field.insertPlainText(letter)
        self._keep(tuple(dict.fromkeys((letter, *self._recent())))[:MOST_RECENT])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        key = Qt.Key(event.key())
        if key in steps:
            self._step(*steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.insert()
        elif key == Qt.Key.Key_Escape:
            self.close()
        else:
            return False
        return True

    def _step(self, down: int, right: int) -> None:
        """To the next letter of the row and over its end, or to the letter below or above."""
        table = self.table
        row, column = table.currentRow(), table.currentColumn()
        if right:
            cells = [
                (y, x)
                for y in range(table.rowCount())
                for x in range(COLUMNS)
                if table.item(y, x) is not None
            ]
            if (row, column) in cells:
                row, column = cells[(cells.index((row, column)) + right) % len(cells)]
        else:
            row = max(0, min(table.rowCount() - 1, row + down))
            while column > 0 and table.item(row, column) is None:
                column -= 1
        table.setCurrentCell(row, column)

    def _fill(self) -> None:
        asked = self.search.text()
        self.table.clearContents()
        self.table.setRowCount(0)
        if asked.strip():
            self._add_group("", found_letters(asked))
        else:
            self._add_group("Last used", tuple(one for one in self._recent() if len(one) == 1))
            for title, letters in GROUPS:
                self._add_group(title, _with_capitals(letters))
        if self.table.rowCount():
            self.table.setCurrentCell(0, 0)
        self._lay_out(titled=not asked.strip())
        self._say()

    def _add_group(self, title: str, letters: Sequence[str]) -> None:
        for row, start in enumerate(range(0, len(letters), COLUMNS)):
            at = self.table.rowCount()
            self.table.insertRow(at)
            self.table.setVerticalHeaderItem(at, QTableWidgetItem("" if row else title))
            for column, letter in enumerate(letters[start : start + COLUMNS]):
                item = QTableWidgetItem(letter)
                item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                item.setToolTip(plain_tooltip(letter_name(letter)))
                item.setData(Qt.ItemDataRole.AccessibleTextRole, letter_name(letter))
                self.table.setItem(at, column, item)

    def _lay_out(self, *, titled: bool) -> None:
        cell, theme = self._theme.px(CELL), self._theme
        self.table.setFont(theme.font())
        self.table.verticalHeader().setVisible(titled)
        self.table.verticalHeader().setFixedWidth(theme.px(116))
        self.table.horizontalHeader().setDefaultSectionSize(cell)
        self.table.verticalHeader().setDefaultSectionSize(cell)
        bar = self.table.verticalScrollBar().sizeHint().width()
        width = COLUMNS * cell + theme.px(116) + bar + 4
        self.table.setFixedSize(QSize(width, ROWS_SHOWN * cell + 4))
        self.name.setStyleSheet(f"color: {theme.tokens.soft};")

    def _say(self) -> None:
        letter = self.current
        self.name.setText(
            f"{letter}  {letter_name(letter)}" if letter else "There is no letter with this name."
        )
