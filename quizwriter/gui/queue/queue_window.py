"""The queue: one table over all tossups, sorted and filtered by the database, and changes of many at once."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QByteArray,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSettings,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QIcon,
    QKeySequence,
    QPainter,
    QShortcut,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from quizwriter.domain.guessing import Outcome
from quizwriter.domain.review import Categorised, Person, PutInSet, Status, WrittenBy
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import JobQueue
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.queue.filters import FacetButton, MoreFiltersButton, dress_facet
from quizwriter.gui.review.category_menu import fill_categories, open_categories
from quizwriter.gui.review.review_actions import ReviewActions
from quizwriter.gui.review.status_dialog import LineDialog
from quizwriter.gui.theme import Theme, mixed
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.gui.widgets.status_icon import DO, ICON_MENU, status_icon
from quizwriter.workflow.categories import Category
from quizwriter.workflow.queue import (
    GAME,
    LastPlay,
    QueueFacets,
    QueueFilter,
    QueueRow,
    QueueSort,
    cell,
    column_title,
    person_name,
)
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.wording import counted_noun, player_name, player_title, sentence

if TYPE_CHECKING:
    from quizwriter.services import App, Engine

PAGE = 100
"""Rows that are read at once."""

PAGES = 60
"""Pages that are kept."""

TYPING_MS = 120
"""From the last key in the search box to the query."""

FRESHEN_MS = 800
"""How long after a saving the table is read again; typing saves ten times a second."""

CALM_MS = 300
"""How long after the last question it is counted what there is to filter by, which takes as long as one."""

_Index = QModelIndex | QPersistentModelIndex
_Column = tuple[str, str]  # of COLUMNS or GAME, and the player

INSET = 11
"""Pixels between a cell's edge and its text."""

_RIGHT = frozenset({"words", "power", "stumped", "shift", "changed", "comments", *GAME})
_WIDTHS = {
    "answer": 220, "set": 130, "category": 150, "status": 116, "author": 116, "words": 72, "power": 72,
    "stumped": 132, "shift": 108, "changed": 100, "comments": 128, "first": 96, "stable": 112, "buzz": 88,
}  # fmt: skip
_ORDER = (
    "answer", "set", "category", "status", "author", "changed", "words", "power", "stumped", "shift",
    "comments",
)  # fmt: skip
_HIDDEN = frozenset({"comments", "first", "stable"})
"""Columns that are shown only when asked for."""

_MEANS = {
    "power": "Words in power",
    "stumped": "How many players are right after no word, of those who can know the answer",
    "shift": "The farthest that one edit moved a player's buzz, in words",
    "first": "The word after which {0} is right first",
    "stable": "The word after which {0} stays right",
    "buzz": "The word at which {0} buzzes",
}

NOTHING = "No tossup fits."
EMPTY = "There are no tossups yet. What you write in the main window is listed here."


@dataclass(frozen=True, slots=True)
class _QueueResult:
    """What the database says fits, and the first rows of it."""

    keys: tuple[str, ...]
    rows: tuple[QueueRow, ...]
    people: Mapping[str, Person]
    players: tuple[str, ...]


class QueueModel(QAbstractTableModel):
    """Rows that are read page by page as they come into view; ``lacking`` carries the number of a page."""

    lacking = Signal(int)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.keys: tuple[str, ...] = ()
        self.columns: tuple[_Column, ...] = ()
        self._people: Mapping[str, Person] = {}
        self._rows: dict[str, QueueRow] = {}
        self._pages: list[int] = []
        self._asked: set[int] = set()
        self._icons: dict[Status, QIcon] = {}
        self.sorted: _Column = ("", "")
        self.sign = ""

    def show_sorted(self, sort: QueueSort) -> None:
        """Say by which column it is sorted."""
        self.sorted, self.sign = (sort.column, sort.player), "▾" if sort.down else "▴"
        if self.columns:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)

    @property
    def players(self) -> tuple[str, ...]:
        """Whose games there are columns for."""
        return tuple(dict.fromkeys(player for _, player in self.columns if player))

    def show_columns(self, columns: Sequence[_Column]) -> None:
        """Have these columns."""
        if tuple(columns) != self.columns:
            self.beginResetModel()
            self.columns = tuple(columns)
            self.endResetModel()

    def show_keys(self, keys: Sequence[str], first: Sequence[QueueRow], people: Mapping[str, Person]) -> None:
        """Have these tossups, of which the ``first`` rows are read already."""
        self.beginResetModel()
        self.keys = tuple(keys)
        self._people = people
        self._rows = {row.tossup_id: row for row in first}
        self._pages = [0] if first else []
        self._asked.clear()
        self.endResetModel()

    def put(self, page: int, rows: Sequence[QueueRow]) -> None:
        """Take the rows of a page."""
        self._asked.discard(page)
        self._rows.update((row.tossup_id, row) for row in rows)
        self._pages = [*(one for one in self._pages if one != page), page]
        while len(self._pages) > PAGES:
            gone = self._pages.pop(0)
            for key in self.keys[gone * PAGE : (gone + 1) * PAGE]:
                self._rows.pop(key, None)
        last = min(len(self.keys), (page + 1) * PAGE) - 1
        if page * PAGE <= last and self.columns:
            self.dataChanged.emit(self.index(page * PAGE, 0), self.index(last, len(self.columns) - 1))

    def forgo(self, page: int) -> None:
        """That page is not read after all; it is asked for again when it comes into view."""
        self._asked.discard(page)

    def row(self, place: int) -> QueueRow | None:
        """The row at ``place``; None, and asked for, while it is not read."""
        row = self._rows.get(self.keys[place])
        if row is None and place // PAGE not in self._asked:
            self._asked.add(place // PAGE)
            self.lacking.emit(place // PAGE)
        return row

    def redress(self) -> None:
        """The colours are others."""
        self._icons.clear()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.keys)

    def columnCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column, player = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            title = column_title(column, player)
            return f"{title} {self.sign}" if (column, player) == self.sorted else title
        if role == Qt.ItemDataRole.ToolTipRole:
            return _MEANS.get(column, "").format(player_name(player))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
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
            return self._tip(row, column, player)
        return None

    def icon(self, status: Status) -> QIcon:
        """The sign of a status."""
        if status not in self._icons:
            self._icons[status] = status_icon(status, self._theme)
        return self._icons[status]

    def text(self, row: QueueRow, column: str, player: str) -> str:
        """What stands in a cell."""
        text = cell(row, self._people, column, player)
        if column == "answer":
            return text or "No answer yet"
        if column == "status":
            return sentence(text) + (", changed" if row.changed_since else "")
        if column in GAME and player in row.games:
            return f"{text} ✗" if column == "buzz" and _buzzes_wrong(row.games[player]) else text or "never"
        return text

    def colour(self, row: QueueRow, column: str, player: str) -> QColor | None:
        """In which colour, if not the usual one."""
        tokens = self._theme.tokens
        if column == "answer":
            return None if row.answer_line else QColor(tokens.soft)
        if column in GAME:
            game = row.games.get(player)
            if game is None or game.position(column) is None:
                return QColor(tokens.soft)
            if column == "buzz" and game.outcome is not Outcome.CANNOT_KNOW:
                return QColor(tokens.right if game.right else tokens.confident)
        if column in {"changed", "author", "set", "category"}:
            return QColor(tokens.soft)
        return None

    def _tip(self, row: QueueRow, column: str, player: str) -> str:
        if column == "answer":
            return f"{row.answer_line or 'No answer yet'}\n{row.opening}…" if row.opening else row.answer_line
        if column == "status" and row.changed_since:
            return "Edited after this status was set."
        if column in GAME and player in row.games:
            game, name = row.games[player], player_title(player)
            position = game.position(column)
            if column != "buzz" and game.outcome is Outcome.CANNOT_KNOW:
                return f"{name} cannot know the answer, which is no page of that player."
            if position is None:
                return f"{name}: never in {counted_noun(game.words, 'word')}"
            share = f"{100 * position / max(1, game.words):.0f}\u00a0%"
            wrong = ", on another page" if column == "buzz" and _buzzes_wrong(game) else ""
            return f"{name}: word {position} of {game.words}, {share}{wrong}"
        return cell(row, self._people, column, player)


class _CellDelegate(QStyledItemDelegate):
    """Paints the cells itself: a style sheet's way takes three times as long, which is felt in scrolling."""

    def __init__(self, theme: Theme, model: QueueModel, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._model = theme, model
        self.redress()

    def redress(self) -> None:
        """The colours or the font are others."""
        tokens = self._theme.tokens
        self._metrics = QFontMetricsF(self._theme.font())
        self._chosen = QColor(mixed(tokens.accent, tokens.page, 0.16))
        self._hairline = QColor(mixed(tokens.ink, tokens.page, 0.06))
        self._ink, self._focus = QColor(tokens.ink), QColor(tokens.accent)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        at, model = index.column(), self._model
        rect, state = option.rect, option.state.value  # plain numbers: Python's flags are slow
        chosen = bool(state & _SELECTED)
        if chosen:
            painter.fillRect(rect, self._chosen)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), self._hairline)
        if state & _FOCUSED:
            painter.fillRect(QRect(rect.left(), rect.top(), 2, rect.height()), self._focus)
        row = model.row(index.row())
        if row is None:
            return
        column, player = model.columns[at]
        box = QRect(rect.left() + INSET, rect.top(), rect.width() - 2 * INSET, rect.height() - 1)
        if column == "status":
            size = 12
            icon = model.icon(row.status)
            icon.paint(painter, box.left(), box.top() + (box.height() - size) // 2, size, size)
            box.setLeft(box.left() + size + 6)
        colour = None if chosen and column not in GAME else model.colour(row, column, player)
        painter.setPen(self._ink if colour is None else colour)
        text = self._metrics.elidedText(
            model.text(row, column, player), Qt.TextElideMode.ElideRight, box.width() + 1
        )
        painter.drawText(box, _FLAGS[column in _RIGHT], text)


_SELECTED, _FOCUSED = QStyle.StateFlag.State_Selected.value, QStyle.StateFlag.State_HasFocus.value
_FLAGS = [
    int(side | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)
    for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
]


def _buzzes_wrong(game: LastPlay) -> bool:
    """Whether the buzz is to be marked as wrong; not where the player cannot know the answer."""
    return game.right is False and game.outcome is not Outcome.CANNOT_KNOW


def _alignment(column: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class QueueWindow(QWidget):
    """All tossups in a table. ``opened`` carries the id of one to write on, ``broke`` a bug's traceback,
    ``tagging_wanted`` the ids of those to be tagged.

    ``painted`` says that the answer to the newest question is in the table.
    """

    opened = Signal(str)
    broke = Signal(str)
    tagging_wanted = Signal(object)
    painted = Signal()

    def __init__(
        self,
        app: App,
        theme: Theme,
        saver: Saver,
        save: Callable[[], object],
        engine: Callable[[], Engine | None],
    ) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self._app, self._theme = app, theme
        self._sort = QueueSort()
        self._ticket = 0
        self._facets: QueueFacets | None = None
        self._stale = True  # whether what there is to filter by is to be counted anew
        self._wanted_pages: list[int] = []
        self._fetching = False
        self._people: Mapping[str, Person] = {}
        self._hidden: set[str] = set(_HIDDEN)
        self._widths: dict[str, int] = {}
        self._total = 0
        self.setWindowTitle("Queue")
        self.messages = MessageBars(theme)
        self.review_actions = ReviewActions(
            app, theme, saver, self.messages, self, save=save, engine=engine, one="One tossup"
        )
        self.review_actions.broke.connect(self.broke)
        self.review_actions.changed.connect(self.refresh)
        self.jobs = JobQueue("queue")
        self.jobs.broke.connect(self.broke)
        self.jobs.progressed.connect(self._progressed)
        self.model = QueueModel(theme, self)
        self.model.lacking.connect(self._lack)
        self._search_soon = _timer(self, TYPING_MS, self.query)
        self._freshen_soon = _timer(self, FRESHEN_MS, self.refresh)
        self._count_soon = _timer(self, CALM_MS, self._count_facets)
        saver.saved.connect(self._saved)
        self._make_filters()
        self._make_table()
        self._make_foot()
        self._lay_out()
        for key, do in (
            ("Ctrl+Z", self.review_actions.undo), ("Ctrl+Shift+Z", self.review_actions.redo),
            ("Ctrl+C", self.copy),
            ("Ctrl+F", self._focus_search), ("Escape", self._leave), ("Ctrl+W", self.close),
            ("F5", self.query),
        ):  # fmt: skip
            QShortcut(QKeySequence(key), self, do)
        theme.changed.connect(self._apply_theme)
        self._restore()
        self._apply_theme()

    # -- making it

    def _make_filters(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search answers and texts")
        self.search.setAccessibleName("Search answers and texts")
        self.search.setToolTip("Search answers and texts (Ctrl+F)")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search_soon.start)
        self.search.returnPressed.connect(self._focus_table)
        self.set_facet, self.category_facet = (
            FacetButton(self._theme, "Set"),
            FacetButton(self._theme, "Category"),
        )
        self.status_facet, self.author_facet = (
            FacetButton(self._theme, "Status"),
            FacetButton(self._theme, "Author"),
        )
        self.more = MoreFiltersButton(self._theme)
        self._clear = QToolButton()
        self._clear.setText("Clear")
        self._clear.setToolTip("Show all tossups")
        self._clear.clicked.connect(lambda: self.use_filter(QueueFilter()))
        self._saved_filters = QToolButton()
        self._saved_filters.setText("Saved filters")
        self._saved_filters.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self._saved_filters)
        menu.aboutToShow.connect(self._fill_saved)
        self._saved_filters.setMenu(menu)
        for facet in self._all_facets:
            facet.changed.connect(self.query)

    @property
    def _all_facets(self) -> tuple[FacetButton | MoreFiltersButton, ...]:
        return self.set_facet, self.category_facet, self.status_facet, self.author_facet, self.more

    def _make_table(self) -> None:
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setAccessibleName("Tossups")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self._cells = _CellDelegate(self._theme, self.model, self)
        self.table.setItemDelegate(self._cells)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._show_context)
        self.table.activated.connect(self._open)
        rows = self.table.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.table.horizontalHeader()
        head.setSectionsMovable(True)
        head.setSectionsClickable(True)
        head.setHighlightSections(False)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._show_columns_menu)
        head.sectionClicked.connect(self._sort_by)
        self.table.selectionModel().selectionChanged.connect(self._count)
        self._nothing = QLabel(self.table.viewport())
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._nothing.hide()
        self.table.viewport().installEventFilter(self)

    def _make_foot(self) -> None:
        self._counted = QLabel()
        self._counted.setAccessibleName("How many")
        self.status_button, self.category_button = self._action("Status"), self._action("Category")
        self.author_button, self.set_button = self._action("Author"), self._action("Set")
        for button, fill in (
            (self.status_button, self._fill_statuses),
            (self.category_button, self._fill_categories),
            (self.author_button, self._fill_authors),
            (self.set_button, self._fill_sets),
        ):
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            menu = QMenu(button)
            menu.aboutToShow.connect(partial(fill, menu))
            button.setMenu(menu)
        self.tag_button = self._action("Tag…")
        self.tag_button.setToolTip(
            "Tag the selected tossups, or all that are shown, with what makes them hard"
        )
        self.tag_button.clicked.connect(self._tag)
        self._columns = self._action("Columns")
        self._columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self._columns)
        menu.aboutToShow.connect(partial(self._fill_columns, menu))
        self._columns.setMenu(menu)
        self.copy_button, self.export_button = self._action("Copy"), self._action("Export CSV…")
        self.copy_button.setToolTip("Copy the selected rows, or all that are shown (Ctrl+C)")
        self.copy_button.clicked.connect(self.copy)
        self.export_button.setToolTip("Write the selected rows, or all that are shown, to a file")
        self.export_button.clicked.connect(self._export)

    def _action(self, text: str) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        return button

    def _lay_out(self) -> None:
        filters = QHBoxLayout()
        filters.setContentsMargins(12, 12, 12, 8)
        filters.setSpacing(8)
        self.search.setMinimumWidth(120)
        self.search.setMaximumWidth(320)
        filters.addWidget(self.search, 1)
        for facet in self._all_facets:
            facet.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            filters.addWidget(facet)
        filters.addWidget(self._clear)
        filters.addStretch(1)
        filters.addWidget(self._saved_filters)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, 8, 12, 8)
        foot.setSpacing(8)
        foot.addWidget(self._counted)
        foot.addStretch(1)
        self._changers = (self.status_button, self.category_button, self.author_button, self.set_button)
        for button in self._changers:
            foot.addWidget(button)
        foot.addSpacing(16)
        for button in (self.tag_button, self._columns, self.copy_button, self.export_button):
            foot.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addLayout(filters)
        column.addWidget(self.table, 1)
        column.addLayout(foot)
        self.setMinimumSize(QSize(640, 400))
        self.resize(1280, 800)

    # -- from start to end

    def present(self) -> None:
        """Show the window with the tossups as they are now."""
        self._stale = True
        self.query()
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.activateWindow()
        self.search.setFocus()

    def shutdown(self) -> None:
        """End the threads and close."""
        self.close()
        for timer in (self._search_soon, self._freshen_soon, self._count_soon):
            timer.stop()
        self.review_actions.shutdown()
        self.jobs.stop()
        self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._keep()
        event.accept()

    def refresh(self) -> None:
        """Read everything again, if it is looked at; the selection stays."""
        self._freshen_soon.stop()
        self._stale = True
        if self.isVisible():
            self.query()

    def _saved(self) -> None:
        if self.isVisible() and not self._freshen_soon.isActive():
            self._freshen_soon.start()

    @property
    def wanted(self) -> QueueFilter:
        """The filter as it is set."""
        return self.more.put_into(
            QueueFilter(
                text=self.search.text().strip(),
                sets=tuple(path[0] for path in self.set_facet.chosen),
                statuses=tuple(Status(path[0]) for path in self.status_facet.chosen),
                categories=self.category_facet.chosen,
                authors=tuple(path[0] for path in self.author_facet.chosen),
            )
        )

    def use_filter(self, wanted: QueueFilter) -> None:
        """Set the filter, and show what fits."""
        self.search.blockSignals(True)
        self.search.setText(wanted.text)
        self.search.blockSignals(False)
        self.set_facet.choose([(name,) for name in wanted.sets])
        self.status_facet.choose([(str(status),) for status in wanted.statuses])
        self.category_facet.choose(wanted.categories)
        self.author_facet.choose([(key,) for key in wanted.authors])
        self.more.show_filter(wanted)
        self.query()

    def query(self) -> None:
        """Ask the database what fits, in which order; the table changes once it has answered."""
        self._search_soon.stop()
        self._count_soon.stop()
        self._ticket += 1
        ticket, wanted, sort = self._ticket, self.wanted, self._sort
        queue, review = self._app.queue, self._app.review
        known = self.model.players
        self._clear.setVisible(wanted != QueueFilter())

        def ask(_: object) -> _QueueResult | None:
            if ticket != self._ticket:
                return None  # something newer is wanted
            keys = queue.find(wanted, sort)
            players = known or queue.players()
            return _QueueResult(keys, queue.rows(keys[:PAGE]), review.people(), players)

        def then(result: _QueueResult | QuizwriterError | None) -> None:
            if isinstance(result, QuizwriterError):
                self.messages.show_message("queue", str(result))
            elif result is not None and ticket == self._ticket:
                self._show(result)

        self.jobs.run(ask, then)

    def _show(self, answer: _QueueResult) -> None:
        self.messages.dismiss("queue")
        chosen = set(self.chosen)
        current = self.table.currentIndex().row()
        current_key = self.model.keys[current] if 0 <= current < len(self.model.keys) else ""
        top = self.table.verticalScrollBar().value()
        same = answer.keys == self.model.keys
        self._people = answer.people
        self._wanted_pages.clear()
        self._show_columns(answer.players)
        self.model.show_keys(answer.keys, answer.rows, answer.people)
        self._select(chosen, current_key)
        if same:
            self.table.verticalScrollBar().setValue(top)
        self._nothing.setText(NOTHING if self.wanted != QueueFilter() else EMPTY)
        self._nothing.setVisible(not answer.keys)
        self._count()
        self.painted.emit()
        if self._stale:
            self._count_soon.start()

    def _count_facets(self) -> None:
        """Count anew what there is to filter by."""
        self._stale = False
        queue = self._app.queue
        self.jobs.run(lambda _: (queue.facets(), queue.players()), self._take_facets)

    def _select(self, keys: set[str], current: str) -> None:
        """Select these again, as far as they are still there."""
        if not keys:
            return
        places = [place for place, key in enumerate(self.model.keys) if key in keys]
        last = self.model.columnCount() - 1
        selection = QItemSelection()
        start = 0
        for at in range(1, len(places) + 1):
            if at == len(places) or places[at] != places[at - 1] + 1:
                selection.select(self.model.index(places[start], 0), self.model.index(places[at - 1], last))
                start = at
        model = self.table.selectionModel()
        if current in keys and current in self.model.keys:
            place = self.model.index(self.model.keys.index(current), 0)
            model.setCurrentIndex(place, QItemSelectionModel.SelectionFlag.NoUpdate)
        model.select(selection, QItemSelectionModel.SelectionFlag.Select)

    def _take_facets(self, found: tuple[QueueFacets, tuple[str, ...]] | QuizwriterError | None) -> None:
        if not isinstance(found, tuple):
            if found is not None:
                self.messages.show_message("queue", str(found))
            return
        result, players = found
        self._show_columns(players)
        if result == self._facets:
            return
        self._facets = result
        self.set_facet.offer([((name,), name or "In no set", count) for name, count in result.sets.items()])
        self.status_facet.offer(
            [((str(status),), sentence(str(status)), count) for status, count in result.statuses.items()]
        )
        self.category_facet.offer(
            [(path, path[-1], count) for path, count in result.categories.items() if path]
        )
        authors = [
            ((key,), person_name(self._people, key) or "Unknown", count)
            for key, count in result.authors.items()
        ]
        self.author_facet.offer(sorted(authors, key=lambda one: one[1].casefold()))
        self.more.offer(players)
        self._count()

    # -- pages

    def _lack(self, page: int) -> None:
        self._wanted_pages = [*(one for one in self._wanted_pages if one != page), page]
        if not self._fetching:
            self._fetching = True
            QTimer.singleShot(0, self._fetch)

    def _fetch(self) -> None:
        """Read the pages that came into view last; those scrolled past are asked for again if need be."""
        *passed, page = self._wanted_pages or [-1]
        for one in passed[:-2]:
            self.model.forgo(one)
        self._wanted_pages = passed[-2:]
        if page < 0:
            self._fetching = False
            return
        ticket, queue = self._ticket, self._app.queue
        keys = self.model.keys[page * PAGE : (page + 1) * PAGE]

        def then(result: tuple[QueueRow, ...] | QuizwriterError | None) -> None:
            if isinstance(result, tuple) and keys == self.model.keys[page * PAGE : (page + 1) * PAGE]:
                self.model.put(page, result)
            else:
                self.model.forgo(page)
                if isinstance(result, QuizwriterError) and ticket == self._ticket:
                    self.messages.show_message("queue", str(result))
            self._fetch()

        self.jobs.run(lambda _: queue.rows(keys), then)

    # -- columns

    def _show_columns(self, players: Sequence[str]) -> None:
        before = [self.model.columns[place] for place in range(len(self.model.columns))]
        known = sorted(players, key=lambda name: (name != "ir", name == "ensemble", name))
        games = [(name, player) for player in known for name in ("buzz", "first", "stable")]
        columns = [*((name, "") for name in _ORDER), *games]
        if columns == before:
            return
        self.model.show_columns(columns)
        for place, (name, player) in enumerate(columns):
            width = self._widths.get(f"{name}:{player}", _WIDTHS[name])
            title = column_title(name, player)
            least = round(QFontMetricsF(self._theme.font()).horizontalAdvance(f"{title} ▾")) + 26
            self.table.setColumnWidth(place, max(width, least if name in GAME else 0))
        self._show_hidden()
        self.model.show_sorted(self._sort)

    def _show_hidden(self) -> None:
        for place, (name, player) in enumerate(self.model.columns):
            self.table.setColumnHidden(place, f"{name}:{player}" in self._hidden or name in self._hidden)

    def sort_by(self, column: str, player: str = "", *, down: bool = False) -> None:
        """Sort by a column."""
        self._sort = QueueSort(column, down, player)
        self.model.show_sorted(self._sort)
        self.query()

    def _sort_by(self, place: int) -> None:
        column, player = self.model.columns[place]
        if (column, player) == (self._sort.column, self._sort.player):
            down = not self._sort.down
        else:
            down = column in {"stumped", "shift", "changed", "comments"}  # the greatest say most
        self.sort_by(column, player, down=down)

    def _fill_columns(self, menu: QMenu) -> None:
        menu.clear()
        for place, (name, player) in enumerate(self.model.columns):
            if name == "answer":
                continue
            action = menu.addAction(column_title(name, player))
            action.setCheckable(True)
            action.setChecked(not self.table.isColumnHidden(place))
            action.toggled.connect(partial(self._toggle_column, place))

    def _toggle_column(self, place: int, shown: bool) -> None:
        name, player = self.model.columns[place]
        if name in self._hidden:  # hidden for every player: from now on by name
            self._hidden.discard(name)
            self._hidden |= {f"{one}:{who}" for one, who in self.model.columns if one == name}
        (self._hidden.discard if shown else self._hidden.add)(f"{name}:{player}")
        self.table.setColumnHidden(place, not shown)

    def _show_columns_menu(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_columns(menu)
        menu.popup(self.table.horizontalHeader().mapToGlobal(at))

    # -- what is chosen

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ids of the selected tossups, in the order of the table."""
        selection = self.table.selectionModel().selection()
        parts = [selection.at(number) for number in range(selection.count())]
        places = {place for part in parts for place in range(part.top(), part.bottom() + 1)}
        return tuple(self.model.keys[place] for place in sorted(places) if place < len(self.model.keys))

    def _count(self) -> None:
        shown, chosen = len(self.model.keys), len(self.chosen)
        if self._facets is not None:
            self._total = sum(self._facets.statuses.values())
        text = counted_noun(shown, "tossup")
        if self.wanted != QueueFilter() and self._total > shown:
            text = f"{shown:,} of {counted_noun(self._total, 'tossup')}"
        if chosen:
            text += f", {chosen:,} selected"
        self._counted.setText(text)
        for button in self._changers:
            button.setEnabled(bool(chosen))
            button.setToolTip("Change it for the selected tossups" if chosen else "Select tossups first")
        for button in (self.tag_button, self.copy_button, self.export_button):
            button.setEnabled(bool(shown))

    def _open(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self.model.keys):
            self.opened.emit(self.model.keys[index.row()])

    def _tag(self) -> None:
        self.tagging_wanted.emit(self.chosen or tuple(self.model.keys))

    def _rows_known(self, keys: Sequence[str]) -> list[QueueRow]:
        """Those of the rows that are read: enough to know what may be done with them."""
        known = []
        wanted = set(keys)
        for place, key in enumerate(self.model.keys):
            if key in wanted:
                row = self.model.row(place)
                if row is not None:
                    known.append(row)
                if len(known) == PAGE:
                    break
        return known

    def _show_context(self, at: QPoint) -> None:
        if not self.chosen:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(self.chosen) == 1:
            menu.addAction("Open").triggered.connect(lambda: self._open(self.table.currentIndex()))
            menu.addSeparator()
        for text, fill in (
            ("Status", self._fill_statuses), ("Category", self._fill_categories),
            ("Author", self._fill_authors), ("Set", self._fill_sets),
        ):  # fmt: skip
            fill(menu.addMenu(text))
        menu.addSeparator()
        menu.addAction("Tag…").triggered.connect(self._tag)
        menu.addAction("Copy").triggered.connect(self.copy)
        menu.popup(self.table.viewport().mapToGlobal(at))

    # -- changing many at once

    def _fill_statuses(self, menu: QMenu) -> None:
        menu.clear()
        menu.setStyleSheet(ICON_MENU)
        for status in Status:
            action = menu.addAction(
                status_icon(status, self._theme, self.devicePixelRatioF()), f"{DO[status]}…"
            )
            action.triggered.connect(lambda _=False, status=status: self.set_status(status))

    def set_status(self, status: Status) -> None:
        """Have the selected tossups get a ``status``; it is asked why, and *ready* is checked."""
        keys = self.chosen
        queue = self._app.queue

        def then(result: tuple[QueueRow, ...] | QuizwriterError | None) -> None:
            if isinstance(result, tuple):
                names = {row.tossup_id: row.answer_line for row in result}
                if names:
                    self.review_actions.set_status(names, status, now={row.status for row in result})
            elif result is not None:
                self.messages.show_message("queue", str(result))

        if keys:
            self.jobs.run(lambda _: queue.rows(keys), then)

    def _fill_categories(self, menu: QMenu) -> None:
        menu.clear()
        known = self._rows_known(self.chosen)
        name = known[0].set_name if known else ""
        try:
            paths = self._app.review.categories(name)
        except QuizwriterError as trouble:
            self.messages.show_message("queue", str(trouble))
            paths = ()
        fill_categories(menu, paths, self.categorise)
        menu.addSeparator()
        menu.addAction("No category").triggered.connect(lambda: self.categorise(()))
        edit = menu.addAction("Change the categories…")
        edit.triggered.connect(lambda: open_categories(self._app, self._theme, self.messages, name, self))

    def categorise(self, path: Category) -> None:
        """Give the selected tossups a category."""
        told = f"{' / '.join(path)} now" if path else "without a category now"
        self.review_actions.record(self.chosen, Categorised(path), f"is {told}", f"are {told}")

    def _fill_authors(self, menu: QMenu) -> None:
        menu.clear()
        people = sorted(self._people.values(), key=lambda one: one.name.casefold())
        for person in people:
            if person.name:
                action = menu.addAction(person.name.replace("&", "&&"))
                action.triggered.connect(lambda _=False, person=person: self.give_to(person))
        if people:
            menu.addSeparator()
        menu.addAction("Somebody else…").triggered.connect(self._ask_author)

    def _ask_author(self) -> None:
        dialog = LineDialog(self._theme, "Author", "Name of the author", action="Set author", parent=self)

        def know(name: str) -> None:
            person = Person(uuid.uuid4().hex, name, "", now_ms())
            try:
                self._app.review.save_person(person)
            except QuizwriterError as trouble:
                self.messages.show_message("queue", str(trouble))
                return
            self.give_to(person)

        dialog.entered.connect(know)
        dialog.open()

    def give_to(self, person: Person) -> None:
        """Say who wrote the selected tossups."""
        told = f"by {person.name} now"
        self.review_actions.record(self.chosen, WrittenBy(person.id), f"is {told}", f"are {told}")

    def _fill_sets(self, menu: QMenu) -> None:
        menu.clear()
        names = [name for name in self._facets.sets if name] if self._facets is not None else []
        for name in names:
            menu.addAction(name.replace("&", "&&")).triggered.connect(partial(self._put_in, name))
        if names:
            menu.addSeparator()
        menu.addAction("In no set").triggered.connect(partial(self._put_in, ""))
        menu.addAction("New set…").triggered.connect(self._ask_set)

    def _ask_set(self) -> None:
        dialog = LineDialog(self._theme, "New set", "Name of the new set", action="Put into set", parent=self)
        dialog.entered.connect(self.put_in)
        dialog.open()

    def _put_in(self, name: str, _: bool = False) -> None:
        self.put_in(name)

    def put_in(self, name: str) -> None:
        """Put the selected tossups into a set; the empty name takes them out of theirs."""
        told = f"in {name} now" if name else "in no set now"
        self.review_actions.record(self.chosen, PutInSet(name), f"is {told}", f"are {told}")

    # -- saved filters

    def _fill_saved(self) -> None:
        menu = self._saved_filters.menu()
        assert menu is not None
        menu.clear()
        try:
            saved = self._app.queue.filters()
        except QuizwriterError as trouble:
            self.messages.show_message("queue", str(trouble))
            return
        for name, wanted in saved.items():
            action = menu.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(wanted == self.wanted)
            action.triggered.connect(lambda _=False, wanted=wanted: self.use_filter(wanted))
        if saved:
            menu.addSeparator()
        keep = menu.addAction("Save this filter…")
        keep.setEnabled(self.wanted != QueueFilter())
        keep.triggered.connect(self._ask_filter)
        if saved:
            forget = menu.addMenu("Delete")
            for name, wanted in saved.items():
                action = forget.addAction(name.replace("&", "&&"))
                action.triggered.connect(
                    lambda _=False, name=name, wanted=wanted: self._forget_filter(name, wanted)
                )

    def _ask_filter(self) -> None:
        dialog = LineDialog(
            self._theme,
            "Save this filter",
            "Name of the filter; a filter with the same name is replaced",
            action="Save",
            parent=self,
        )
        dialog.entered.connect(self.keep_filter)
        dialog.open()

    def keep_filter(self, name: str) -> None:
        """Save the filter as it is set."""
        self._set_filter(name, self.wanted)

    def _set_filter(self, name: str, wanted: QueueFilter | None) -> None:
        try:
            self._app.queue.save_filter(name, wanted)
        except QuizwriterError as trouble:
            self.messages.show_message("queue", str(trouble))

    def _forget_filter(self, name: str, wanted: QueueFilter) -> None:
        self._set_filter(name, None)
        undo = [("Undo", lambda: self._set_filter(name, wanted))]
        self.messages.show_message("review", f"The filter {name} is deleted.", undo, brief=True)

    # -- taking it elsewhere

    @property
    def _columns_shown(self) -> list[_Column]:
        head = self.table.horizontalHeader()
        places = (head.logicalIndex(place) for place in range(len(self.model.columns)))
        return [self.model.columns[place] for place in places if not self.table.isColumnHidden(place)]

    def copy(self) -> None:
        """Put the selected rows, or all that are shown, on the clipboard, with tabs between the columns."""
        keys, columns = self.chosen or self.model.keys, self._columns_shown
        titles = [column_title(*column) for column in columns]

        def read(progress: Callable[[int, int], None]) -> str:
            lines = [line[1:] for line in self._app.queue.lines(keys, columns, progress)]
            return "\n".join("\t".join(" ".join(text.split()) for text in line) for line in [titles, *lines])

        def then(result: str | QuizwriterError | None) -> None:
            if isinstance(result, str):
                QGuiApplication.clipboard().setText(result)
                self.messages.show_message("review", f"{counted_noun(len(keys), 'row')} copied.", brief=True)
            elif result is not None:
                self.messages.show_message("queue", str(result))

        if keys:
            self.jobs.run(read, then)

    def _export(self) -> None:
        dialog = QFileDialog(self, "Export as CSV", "queue.csv", "CSV (*.csv)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.export(Path(name)))
        dialog.open()

    def export(self, path: Path) -> None:
        """Write the selected rows, or all that are shown, to ``path`` as CSV."""
        keys, columns = self.chosen or self.model.keys, self._columns_shown

        def then(result: bool | QuizwriterError | None) -> None:
            self._count()
            if result is True:
                self.messages.show_message(
                    "review", f"{counted_noun(len(keys), 'tossup')} written to {path}.", brief=True
                )
            elif isinstance(result, QuizwriterError):
                self.messages.show_message("queue", str(result))

        def write(progress: Callable[[int, int], None]) -> bool:
            self._app.queue.export_csv(path, keys, columns, progress)
            return True

        self.jobs.run(write, then)

    def _progressed(self, done: int, total: int) -> None:
        if total > PAGE * 10:
            self._counted.setText(f"Reading {done:,} of {counted_noun(total, 'row')}…")

    # -- how it looks, and where things are

    def _focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _focus_table(self) -> None:
        self._search_soon.stop()
        self.query()
        self.table.setFocus()

    def _leave(self) -> None:
        if self.search.hasFocus() and self.search.text():
            self.search.clear()
        else:
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.table.viewport() and event.type() == QEvent.Type.Resize:
            self._nothing.setGeometry(
                QRect(0, 0, self.table.viewport().width(), self.table.viewport().height())
            )
        return super().eventFilter(watched, event)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self.model.redress()
        font = self._theme.font()
        self.table.setFont(font)
        self.table.verticalHeader().setDefaultSectionSize(round(QFontMetricsF(font).height()) + 12)
        self._cells.redress()
        self.table.setStyleSheet(
            f"""
            QTableView {{ background: {tokens.page}; border: none; outline: none;
                          border-top: 1px solid {tokens.line}; border-bottom: 1px solid {tokens.line}; }}
            QHeaderView::section {{ padding: 6px 11px; border: none; border-bottom: 1px solid {tokens.line};
                                    background: {tokens.page}; color: {tokens.soft}; }}
            QTableCornerButton::section {{ background: {tokens.page}; border: none; }}
            """
        )
        self._nothing.setStyleSheet(f"color: {tokens.soft}; background: transparent;")
        self._counted.setStyleSheet(f"color: {tokens.soft};")
        for button in (
            *self._changers,
            self._columns,
            self.tag_button,
            self.copy_button,
            self.export_button,
            self._saved_filters,
        ):
            dress_facet(button, self._theme, active=False)
        self.table.viewport().update()

    def _places(self) -> QSettings:
        return QSettings(str(self._app.home / "window.ini"), QSettings.Format.IniFormat)

    def _keep(self) -> None:
        places = self._places()
        widths = {
            f"{name}:{player}": self.table.columnWidth(place)
            for place, (name, player) in enumerate(self.model.columns)
            if not self.table.isColumnHidden(place)
        }
        places.setValue("queue/window", self.saveGeometry())
        places.setValue("queue/widths", json.dumps({**self._widths, **widths}))
        places.setValue("queue/hidden", json.dumps(sorted(self._hidden)))
        places.sync()

    def _restore(self) -> None:
        places = self._places()
        window = places.value("queue/window")
        if isinstance(window, QByteArray):
            self.restoreGeometry(window)
        widths, hidden = _json(places.value("queue/widths")), _json(places.value("queue/hidden"))
        if isinstance(widths, dict):
            fitting = {name: width for name, width in widths.items() if isinstance(width, int)}
            self._widths = {name: width for name, width in fitting.items() if 20 <= width <= 2_000}
        if isinstance(hidden, list):
            self._hidden = set(map(str, hidden))


def _json(kept: object) -> Any:  # noqa: ANN401 - a file that anybody may have edited
    """What was kept as JSON; None if it is none."""
    try:
        return json.loads(str(kept))
    except ValueError:
        return None


def _timer(parent: QObject, milliseconds: int, do: Callable[[], object]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(do)
    return timer
