"""The table of the queue: its columns, their menu and widths, and which tossups are selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QTableView

from quizwriter.domain.players import ENSEMBLE, IR
from quizwriter.domain.review import Person
from quizwriter.gui.queue.queue_delegate import QueueDelegate
from quizwriter.gui.queue.queue_model import ColumnKey, QueueModel
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.labels import plain_label
from quizwriter.gui.widgets.saved_layout import TableColumns
from quizwriter.workflow.queue import GAME, PEOPLE, QueueRow, QueueSort, column_title

COLUMN_WIDTHS = {
    "answer": 220, "set": 130, "category": 150, "status": 116, "consent": 116, "author": 116, "words": 72,
    "power": 72, "stumped": 132, "shift": 108, "changed": 100, "comments": 128,
    "conversion": 108, "people_word": 148, "negs": 72, "people_early": 200,
    "first": 96, "stable": 112, "buzz": 88,
}  # fmt: skip
"""Pixels of each column where there is room, unless the writer chose otherwise."""

LEAST_WIDTHS = {
    "answer": 140, "set": 84, "category": 96, "status": 100, "consent": 100, "author": 104, "changed": 88,
}  # fmt: skip
"""Pixels of a column at least; the others are no narrower than their titles."""

COLUMN_ORDER = (
    "answer", "set", "category", "status", "consent", "author", "changed", "words", "power", "stumped",
    "shift", "comments", "conversion", "people_word", "negs", "people_early",
)  # fmt: skip
"""The columns before those of the players."""

HIDDEN_COLUMNS = frozenset({"shift", "comments", "first", "stable", *PEOPLE})
"""Columns that are shown only when asked for."""

GREATEST_FIRST = frozenset({"stumped", "shift", "changed", "comments", "negs", "people_early"})
"""Columns whose greatest values say most: the first click on their header sorts downwards."""

WIDTH_RANGE = range(20, 2_001)
"""Pixels that a width in the settings may have."""


class QueueTable(QTableView):
    """The table over a :class:`QueueModel`.

    ``sort_changed`` says that a header was clicked, and :attr:`sort` is the new order. ``row_opened`` carries
    the id of the tossup that was double-clicked, ``menu_requested`` the place, on the screen, of a context
    menu for the selected tossups, ``selection_changed`` says that others are selected.
    """

    sort_changed = Signal()
    row_opened = Signal(str)
    menu_requested = Signal(QPoint)
    selection_changed = Signal()

    def __init__(self, theme: Theme, model: QueueModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self.sort = QueueSort()
        self._hidden: set[str] = set(HIDDEN_COLUMNS)
        self._widths: dict[str, int] = {}
        self.setModel(model)
        self.setAccessibleName("Tossups")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._delegate = QueueDelegate(theme, model, self)
        self.setItemDelegate(self._delegate)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._request_menu)
        self.activated.connect(self.open_row)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._popup_columns)
        header.sectionClicked.connect(self._sort_by_section)
        self._fitting = False  # whether columns get their widths from here
        header.sectionResized.connect(self._keep_width)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selection_changed.emit())
        self.empty_label = plain_label(wrap=False, parent=self.viewport())
        self.empty_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty_label.hide()
        theme.follow(self._apply_theme)

    # -- rows

    def show_tossups(
        self,
        keys: Sequence[str],
        first: Sequence[QueueRow],
        people: Mapping[str, Person],
        players: Sequence[str],
        *,
        empty: str,
    ) -> None:
        """Show the tossups ``keys``, of which the ``first`` rows are read; ``empty`` says why there are none.

        Tossups that were selected stay selected. ``people`` are everybody by id, ``players`` have columns.
        """
        model = self._model
        selected = set(self.selected)
        current = self.currentIndex().row()
        current_key = model.keys[current] if 0 <= current < len(model.keys) else ""
        top = self.verticalScrollBar().value()
        same = tuple(keys) == model.keys
        self.show_players(players)
        model.show_keys(keys, first, people, self.sort)
        self._make_room_for_arrow()
        self._select(selected, current_key)
        if same:
            self.verticalScrollBar().setValue(top)
        self.empty_label.setText(empty)
        self.empty_label.setVisible(not keys)

    @property
    def selected(self) -> tuple[str, ...]:
        selection, keys = self.selectionModel().selection(), self._model.keys
        parts = [selection.at(number) for number in range(selection.count())]
        places = {place for part in parts for place in range(part.top(), part.bottom() + 1)}
        return tuple(keys[place] for place in sorted(places) if place < len(keys))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The selected tossups, with all branches of those that have one row for several."""
        return self._model.with_closed_branches(self.selected)

    def open_row(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self._model.keys):
            self.row_opened.emit(self._model.keys[index.row()])

    def _select(self, keys: set[str], current: str) -> None:
        """Select ``keys``, as far as they are there, in as few ranges as possible."""
        if not keys:
            return
        model = self._model
        places = [place for place, key in enumerate(model.keys) if key in keys]
        last = model.columnCount() - 1
        selection = QItemSelection()
        start = 0
        for at in range(1, len(places) + 1):
            if at == len(places) or places[at] != places[at - 1] + 1:
                selection.select(model.index(places[start], 0), model.index(places[at - 1], last))
                start = at
        selecting = self.selectionModel()
        if current in keys and current in model.keys:
            place = model.index(model.keys.index(current), 0)
            selecting.setCurrentIndex(place, QItemSelectionModel.SelectionFlag.NoUpdate)
        selecting.select(selection, QItemSelectionModel.SelectionFlag.Select)

    def _request_menu(self, at: QPoint) -> None:
        if self.selected:
            self.menu_requested.emit(self.viewport().mapToGlobal(at))

    # -- columns

    def show_players(self, players: Sequence[str]) -> None:
        """Have three columns for each of the ``players``, besides those that every tossup has."""
        known = sorted(players, key=lambda name: (name != IR, name == ENSEMBLE, name))
        games = [(name, player) for player in known for name in ("buzz", "first", "stable")]
        columns = (*((name, "") for name in COLUMN_ORDER), *games)
        if columns == self._model.columns:
            return
        self._model.show_columns(columns)
        for place, (name, player) in enumerate(columns):
            self.setColumnHidden(place, f"{name}:{player}" in self._hidden or name in self._hidden)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give each column its width; where not all fit, those that nobody chose are narrower."""
        metrics, px = QFontMetricsF(self._theme.font()), self._theme.px
        widths: dict[int, tuple[int, int]] = {}  # by place: the wanted one, and the least
        for place, (name, player) in enumerate(self._model.columns):
            if self.isColumnHidden(place):
                continue
            title = self._title_width(metrics, place)
            chosen = self._widths.get(f"{name}:{player}")
            wanted = max(px(chosen or COLUMN_WIDTHS[name]), title if name in GAME else 0)
            least = px(LEAST_WIDTHS[name]) if name in LEAST_WIDTHS else title
            widths[place] = wanted, min(wanted, least) if chosen is None else wanted
        over = sum(wanted for wanted, _ in widths.values()) - self.viewport().width()
        spare = sum(wanted - least for wanted, least in widths.values())
        share = min(1, max(0, over) / spare) if spare else 0
        self._fitting = True
        for place, (wanted, least) in widths.items():
            self.setColumnWidth(place, int(wanted - share * (wanted - least)))
        self._fitting = False

    def _title_width(self, metrics: QFontMetricsF, place: int) -> int:
        title = str(self._model.headerData(place, Qt.Orientation.Horizontal))
        return round(metrics.horizontalAdvance(title)) + 26

    def _make_room_for_arrow(self) -> None:
        """Fit the columns anew only if the title of the sorted one lacks room: all would be painted again."""
        metrics, sort = QFontMetricsF(self._theme.font()), (self.sort.column, self.sort.player)
        for place in (at for at, column in enumerate(self._model.columns) if column == sort):
            if not self.isColumnHidden(place) and self.columnWidth(place) < self._title_width(metrics, place):
                self._fit_columns()

    def _keep_width(self, place: int, before: int, width: int) -> None:
        """Note a width that the writer chose; 0 is that of a hidden column."""
        if not self._fitting and before and width and place < len(self._model.columns):
            name, player = self._model.columns[place]
            self._widths[f"{name}:{player}"] = round(width / self._theme.scale)

    @property
    def columns_shown(self) -> list[ColumnKey]:
        """The columns that are not hidden, from left to right."""
        header = self.horizontalHeader()
        places = (header.logicalIndex(place) for place in range(len(self._model.columns)))
        return [self._model.columns[place] for place in places if not self.isColumnHidden(place)]

    def fill_columns_menu(self, menu: QMenu) -> None:
        """Fill ``menu`` with a tick for every column but the answer."""
        menu.clear()
        for place, (name, player) in enumerate(self._model.columns):
            if name == "answer":
                continue
            action = menu.addAction(column_title(name, player))
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(place))
            action.toggled.connect(
                lambda shown, name=name, player=player: self.show_column(name, player, shown=shown)
            )

    def show_column(self, column: str, player: str = "", *, shown: bool) -> None:
        """Show or hide a column; ``player`` is whose, empty for a column that every tossup has."""
        if column in self._hidden:  # hidden for every player: from now on for each player by itself
            self._hidden.discard(column)
            self._hidden |= {f"{name}:{who}" for name, who in self._model.columns if name == column}
        (self._hidden.discard if shown else self._hidden.add)(f"{column}:{player}")
        self.setColumnHidden(self._model.columns.index((column, player)), not shown)
        self._fit_columns()

    def _popup_columns(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_columns_menu(menu)
        menu.popup(self.horizontalHeader().mapToGlobal(at))

    # -- the order

    def sort_by(self, column: str, player: str = "", *, down: bool = False) -> None:
        """Ask for the rows in another order; the header marks the column once they are there."""
        self.sort = QueueSort(column, down, player)
        self.sort_changed.emit()

    def _sort_by_section(self, place: int) -> None:
        column, player = self._model.columns[place]
        if (column, player) == (self.sort.column, self.sort.player):
            down = not self.sort.down
        else:
            down = column in GREATEST_FIRST
        self.sort_by(column, player, down=down)

    # -- settings

    def columns_to_save(self) -> TableColumns:
        """The chosen widths, as at 100 %, and which columns are hidden, for :meth:`restore_columns`."""
        return TableColumns(dict(self._widths), tuple(sorted(self._hidden)))

    def restore_columns(self, saved: TableColumns) -> None:
        """Restore what was ``saved``, for the columns that are shown from now on."""
        self._widths = {name: width for name, width in saved.widths.items() if width in WIDTH_RANGE}
        if saved.hidden is not None:
            self._hidden = set(saved.hidden)

    # -- Qt's

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.empty_label.resize(self.viewport().size())
        if event.oldSize().width() != event.size().width():
            self._fit_columns()

    def _apply_theme(self) -> None:
        tokens, font = self._theme.tokens, self._theme.font()
        self._model.apply_theme()
        self._delegate.apply_theme()
        self.setFont(font)
        self.verticalHeader().setDefaultSectionSize(round(QFontMetricsF(font).height()) + 12)
        self.setStyleSheet(
            f"""
            QTableView {{ background: {tokens.page}; border: none; outline: none;
                          border-top: 1px solid {tokens.line}; border-bottom: 1px solid {tokens.line}; }}
            QHeaderView::section {{ padding: 6px 11px; border: none; border-bottom: 1px solid {tokens.line};
                                    background: {tokens.page}; color: {tokens.soft}; }}
            QTableCornerButton::section {{ background: {tokens.page}; border: none; }}
            """
        )
        self.empty_label.setStyleSheet(f"color: {tokens.soft}; background: transparent;")
        self.viewport().update()
