"""The queue as Qt's model: rows that are read page by page, and what its cells say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QIcon

from quizwriter.domain.answer_line import without_markup
from quizwriter.domain.guessing import Outcome
from quizwriter.domain.review import Consent, Person, Status
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.status_icon import status_icon
from quizwriter.workflow.queue import (
    GAME,
    PEOPLE,
    BranchGroup,
    QueueRow,
    QueueSort,
    cell,
    column_title,
)
from quizwriter.workflow.wording import counted_noun, person_tooltip, player_name, player_title, sentence

PAGE = 100
"""Rows that are read at once."""

PAGES = 60
"""Pages that are kept."""

ModelIndex = QModelIndex | QPersistentModelIndex
ColumnKey = tuple[str, str]
"""A column of COLUMNS or GAME in :mod:`quizwriter.workflow.queue`, and the player, empty for COLUMNS."""

RIGHT_ALIGNED = frozenset({"words", "power", "stumped", "shift", "changed", "comments", *PEOPLE, *GAME})

STALE_TEXT = "The text was edited after this game."
STALE_PLAYER = "This game is from an older version of the player: the bundle, its training or its packets "
"have changed."

_COLUMN_TIPS = {
    "power": "Words in power",
    "stumped": "How many of the players that can know the answer are never right in the current text",
    "shift": "The farthest that one edit moved a player's buzz, in words",
    "conversion": "In how many rooms people answered",
    "people_word": "The mean word of people's right buzzes",
    "negs": "People's negs: first wrong buzzes before the end, with minus points",
    "people_early": "By how many words people are before the first player that stays right",
    "first": "The word after which {0} is right first",
    "stable": "The word after which {0} stays right",
    "buzz": "The word at which {0} buzzes",
}


class QueueModel(QAbstractTableModel):
    """Rows that are read page by page as they come into view; ``page_missing`` carries the number of a page
    of which a row came into view before it was read.
    """

    page_missing = Signal(int)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.keys: tuple[str, ...] = ()
        self.columns: tuple[ColumnKey, ...] = ()
        self.people: Mapping[str, Person] = {}
        self.branches: Mapping[str, BranchGroup] = {}  # of the tossups that have several
        self.opened: set[str] = set()  # the tossups each branch of which has a row of its own
        self._rows: dict[str, QueueRow] = {}
        self._pages: list[int] = []
        self._requested: set[int] = set()
        self._icons: dict[Status, QIcon] = {}
        self.order: QueueSort | None = None  # of the rows that are shown

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(player for _, player in self.columns if player))

    def show_columns(self, columns: Sequence[ColumnKey]) -> None:
        if tuple(columns) != self.columns:
            self.beginResetModel()
            self.columns = tuple(columns)
            self.endResetModel()

    def show_keys(
        self, keys: Sequence[str], first: Sequence[QueueRow], people: Mapping[str, Person], order: QueueSort
    ) -> None:
        """Show the tossups ``keys``, in this ``order``, of which the ``first`` rows are read already."""
        self.beginResetModel()
        self.order = order
        self.keys = tuple(keys)
        self.people = people
        self._rows = {row.tossup_id: row for row in first}
        self._pages = [0] if first else []
        self._requested.clear()
        self.endResetModel()

    def put_page(self, page: int, rows: Sequence[QueueRow]) -> None:
        """Show the rows of a page; of more than PAGES pages the one read longest ago is forgotten."""
        self._requested.discard(page)
        self._rows.update((row.tossup_id, row) for row in rows)
        self._pages = [*(one for one in self._pages if one != page), page]
        while len(self._pages) > PAGES:
            gone = self._pages.pop(0)
            for key in self.keys[gone * PAGE : (gone + 1) * PAGE]:
                self._rows.pop(key, None)
        last = min(len(self.keys), (page + 1) * PAGE) - 1
        if page * PAGE <= last and self.columns:
            self.dataChanged.emit(self.index(page * PAGE, 0), self.index(last, len(self.columns) - 1))

    def skip_page(self, page: int) -> None:
        """Expect ``page`` no longer; ``page_missing`` asks for it again when it comes into view."""
        self._requested.discard(page)

    def row(self, place: int) -> QueueRow | None:
        """The row at ``place``; None while it is not read, and ``page_missing`` asks for its page."""
        row = self._rows.get(self.keys[place])
        if row is None and place // PAGE not in self._requested:
            self._requested.add(place // PAGE)
            self.page_missing.emit(place // PAGE)
        return row

    def apply_theme(self) -> None:
        self._icons.clear()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.keys)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column, player = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            title, order = column_title(column, player), self.order
            if order is None or (column, player) != (order.column, order.player):
                return title
            return f"{title} {'▾' if order.down else '▴'}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(_COLUMN_TIPS.get(column, "").format(player_name(player)))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        column, player = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        row = self.row(index.row())
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.text(row, column, player)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self.colour(row, column, player)
        if role == Qt.ItemDataRole.DecorationRole and column == "status":
            return self.icon(row.status)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(self._tool_tip(row, column, player))
        return None

    def icon(self, status: Status) -> QIcon:
        if status not in self._icons:
            self._icons[status] = status_icon(status, self._theme)
        return self._icons[status]

    def text(self, row: QueueRow, column: str, player: str) -> str:
        text = cell(row, self.people, column, player)
        if column == "answer":
            return self._with_branches(row.tossup_id, without_markup(text) or "No answer yet")
        if column == "status":
            return sentence(text) + (", changed" if row.changed_since else "")
        if column == "consent":
            return sentence(text)
        if column in GAME and player in row.games:
            stale = "" if row.games[player].counts else " ⟳"
            return f"{text or 'never'}{stale}"
        return text

    def _with_branches(self, key: str, answer: str) -> str:
        """``answer`` marked as that of a tossup with branches, or of one of these inside it."""
        group = self.branches.get(key)
        if group is None:
            return answer
        if key != group.keys[0]:
            return f"      └ {answer}"
        return f"{'▾' if group.opened else '▸'} {len(group.keys)} branches: {answer}"

    def with_closed_branches(self, keys: Iterable[str]) -> tuple[str, ...]:
        """``keys``, and the other branches of the tossups whose branches have no rows of their own."""
        found: dict[str, None] = {}
        for key in keys:
            group = self.branches.get(key)
            found |= dict.fromkeys((key,) if group is None or group.opened else group.keys)
        return tuple(found)

    def colour(self, row: QueueRow, column: str, player: str) -> QColor | None:
        """The colour of a cell's text; None for the colour of ordinary text."""
        tokens = self._theme.tokens
        if column == "answer":
            return None if row.answer_line else QColor(tokens.soft)
        if column in GAME:
            game = row.games.get(player)
            if game is None or game.position(column) is None or not game.counts:
                return QColor(tokens.soft)
            if column == "buzz" and game.outcome is not Outcome.CANNOT_KNOW:
                return QColor(tokens.right if game.right else tokens.confident)
        if column == "consent":
            return {Consent.YES: QColor(tokens.right), Consent.NOT_ASKED: QColor(tokens.soft)}.get(
                row.consent, QColor(tokens.confident)
            )
        if column in {"changed", "author", "set", "category"}:
            return QColor(tokens.soft)
        return None

    def _tool_tip(self, row: QueueRow, column: str, player: str) -> str:
        if column == "answer":
            answer = without_markup(row.answer_line)
            return f"{answer or 'No answer yet'}\n{row.opening}…" if row.opening else answer
        if column == "author" and row.author in self.people:
            return person_tooltip(self.people[row.author])
        if column == "status" and row.changed_since:
            again = " Unlock it and accept it again, or it is not released." if row.locked else ""
            return f"Edited after this status was set.{again}"
        if column == "stumped":
            return row.survival
        if column in GAME and player in row.games:
            game, name = row.games[player], player_title(player)
            position, stale = game.position(column), ""
            if not game.counts:
                stale = f"\n{STALE_TEXT if game.outdated else STALE_PLAYER} Choose Play all to play it again."
            if column != "buzz" and game.outcome is Outcome.CANNOT_KNOW:
                return f"{name} cannot know the answer: it is not among that player's pages."
            if position is None:
                return f"{name}: never in {counted_noun(game.words, 'word')}{stale}"
            share = f"{100 * position / max(1, game.words):.0f}\u00a0%"
            wrong = ", with another answer" if column == "buzz" and game.buzzes_wrong else ""
            return f"{name}: word {position} of {game.words}, {share}{wrong}{stale}"
        return cell(row, self.people, column, player)

    def read_rows(self, keys: Sequence[str]) -> list[QueueRow]:
        """At most PAGE rows of ``keys`` that are read already: enough to know what may be done with them."""
        wanted, found = set(keys), list[QueueRow]()
        for place, key in enumerate(self.keys):
            if key in wanted:
                row = self.row(place)
                if row is not None:
                    found.append(row)
                if len(found) == PAGE:
                    break
        return found


def _alignment(column: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in RIGHT_ALIGNED else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
