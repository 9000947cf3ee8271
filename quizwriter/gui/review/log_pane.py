"""The log as a list to search and filter: what was recorded of all tossups, of a set, or of one tossup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QSizePolicy, QTableView, QWidget

from quizwriter.domain.signatures import Authenticity
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.facet_button import FacetButton
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.icons import SearchField
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, column_of, row_of
from quizwriter.services.wiring import App
from quizwriter.workflow.dates import moment
from quizwriter.workflow.event_log import KINDS, SIGNATURES, LogEntry, LogFilter, fits, person_labels
from quizwriter.workflow.wording import counted_noun

TYPING_MS = 150
"""How long after the last key the list is searched."""

TITLES = ("When", "Who", "Tossup", "Kind", "What")
_WIDTHS = (130, 140, 180, 100)

_INSET = 9
"""Pixels beside the text of a cell."""

NOTHING = "No entries yet."
NO_ENTRY_FITS = "No entry matches."

ModelIndex = QModelIndex | QPersistentModelIndex


class LogModel(QAbstractTableModel):
    """Entries of a log as rows."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.entries: Sequence[LogEntry] = ()
        self._labels: Mapping[str, str] = {}

    def show_entries(self, entries: Sequence[LogEntry], labels: Mapping[str, str]) -> None:
        """Show ``entries``; ``labels`` are what people are called, by id."""
        self.beginResetModel()
        self.entries, self._labels = entries, labels
        self.endResetModel()

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def columnCount(self, parent: ModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return None

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry, column = self.entries[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._text(entry, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            if column == 1:
                return plain_tooltip(f"{self._text(entry, 1)}: {SIGNATURES[entry.authenticity]}")
            return plain_tooltip(self._text(entry, column))
        if role == Qt.ItemDataRole.ForegroundRole:
            tokens = self._theme.tokens
            if not entry.counts or column in (0, 3):
                return QColor(tokens.soft)
            if column == 1 and entry.authenticity in (Authenticity.OTHER_KEY, Authenticity.FORGED):
                return QColor(tokens.confident)
        return None

    def _text(self, entry: LogEntry, column: int) -> str:
        if column == 0:
            return moment(entry.at_ms)
        if column == 1:
            sign = " ✓" if entry.authenticity is Authenticity.VERIFIED else ""
            return f"{self._labels.get(entry.author) or 'unknown'}{sign}"
        if column == 2:
            return entry.title
        if column == 3:
            return KINDS[entry.kind]
        text = " ".join(entry.text.split())
        return text if entry.counts else f"{text} (undone)"


class LogPane(QWidget):
    """Lists what was recorded, the newest first. ``opened`` carries the id of a tossup to write on.

    ``painted`` says that the list is the newest one.
    """

    opened = Signal(str)
    painted = Signal()

    def __init__(self, app: App, theme: Theme, jobs: Jobs, tossup_id: str = "") -> None:
        """The log of ``tossup_id`` alone; empty: of all tossups."""
        super().__init__()
        self._app, self._theme, self._jobs, self._tossup = app, theme, jobs, tossup_id
        self._all: tuple[LogEntry, ...] = ()
        self._labels: dict[str, str] = {}
        self._reads = self._fitted = False
        self.search = SearchField(theme, "Search the log")
        self.search.setMinimumWidth(120)
        self._search_soon = SingleShot(self, TYPING_MS, self._show)
        self.search.textChanged.connect(self._search_soon.start)
        self.sets, self.kinds = FacetButton(theme, "Set"), FacetButton(theme, "Kind")
        self.authors = FacetButton(theme, "Who")
        self.count = plain_label(wrap=False)
        row = row_of((self.search, 1), margins=(12, 12, 12, 8), spacing=8)
        for facet in (self.sets, self.kinds, self.authors):
            facet.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            facet.changed.connect(self._show)
            row.addWidget(facet)
        self.sets.setVisible(not tossup_id)
        row.addWidget(self.count)
        self.model = LogModel(theme, self)
        self.table = named(QTableView(), "Log")
        self.table.setModel(self.model)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.table.verticalHeader().hide()
        self.table.activated.connect(self._open)
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for place, width in enumerate(_WIDTHS):
            self.table.setColumnWidth(place, theme.px(width))
        if tossup_id:  # beside a history there is little room
            self.table.setColumnHidden(2, True)
            self.table.setColumnHidden(3, True)
            self.table.setColumnWidth(0, theme.px(118))
            self.table.setColumnWidth(1, theme.px(84))
        self.nothing = plain_label(NOTHING, wrap=False)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.hide()
        column_of(row, (self.nothing, 1), (self.table, 1), on=self, margins=NO_MARGINS, spacing=0)
        theme.follow(self._apply_theme)

    def read(self) -> None:
        """Read the log again; the filters stay."""
        if self._reads:
            return
        self._reads = True
        wanted = LogFilter(tossups=(self._tossup,) if self._tossup else ())

        self._jobs.ask(
            lambda _: (self._app.set_log.entries(wanted), person_labels(self._app.set_log.people())),
            self._take,
            self._show_failure,
        )

    def _show_failure(self, trouble: str) -> None:
        self._reads = False
        self.nothing.setText(trouble or "The log could not be read.")
        self.nothing.show()
        self.table.hide()

    @property
    def filter(self) -> LogFilter:
        return LogFilter(
            self.search.text().strip(),
            tuple(path[0] for path in self.sets.chosen),
            tuple(path[0] for path in self.kinds.chosen),
            tuple(path[0] for path in self.authors.chosen),
        )

    def choose_set(self, name: str) -> None:
        self.sets.choose([(name,)])
        self._show()

    def _take(self, result: tuple[tuple[LogEntry, ...], dict[str, str]]) -> None:
        self._reads = False
        self._all, self._labels = result
        kinds, sets, authors = dict[str, int](), dict[str, int](), dict[str, int]()
        for entry in self._all:
            kinds[entry.kind] = kinds.get(entry.kind, 0) + 1
            authors[entry.author] = authors.get(entry.author, 0) + 1
            for name in {one.set_name for one in entry.tossups}:
                sets[name] = sets.get(name, 0) + 1
        self.kinds.offer([((kind,), KINDS[kind], kinds[kind]) for kind in KINDS if kind in kinds])
        self.sets.offer([((name,), name or "In no set", sets[name]) for name in sorted(sets)])
        named = [((key,), self._labels.get(key) or "Unknown", count) for key, count in authors.items()]
        self.authors.offer(sorted(named, key=lambda option: option[1].casefold()))
        self._show()
        if not self._fitted and self._all:
            self._fitted = True  # from now on the columns are as wide as the reader makes them
            self.table.resizeColumnToContents(0)
        self.painted.emit()

    def _show(self) -> None:
        self._search_soon.stop()
        wanted = self.filter
        found = [entry for entry in self._all if fits(entry, wanted, self._labels)]
        self.model.show_entries(found, self._labels)
        self.count.setText(counted_noun(len(found), "entry", "entries"))
        self.nothing.setText(NO_ENTRY_FITS if self._all else NOTHING)
        self.nothing.setVisible(not found)
        self.table.setVisible(bool(found))

    def _open(self, index: QModelIndex) -> None:
        tossups = self.model.entries[index.row()].tossups
        if len(tossups) == 1:
            self.opened.emit(tossups[0].tossup_id)

    def _apply_theme(self) -> None:
        tokens = self._theme.tokens
        self.table.setFont(self._theme.font())
        self.table.verticalHeader().setDefaultSectionSize(self.table.fontMetrics().height() + 12)
        self.table.setStyleSheet(
            f"""
            QTableView {{ background: {tokens.page}; border: none; outline: none;
                          border-top: 1px solid {tokens.line}; }}
            QTableView::item {{ padding: 0 {_INSET}px; }}
            QHeaderView::section {{ padding: 6px {_INSET + 3}px; border: none;
                                    border-bottom: 1px solid {tokens.line};
                                    background: {tokens.page}; color: {tokens.soft}; }}
            """
        )
        for label in (self.count, self.nothing):
            label.setStyleSheet(f"color: {tokens.soft};")
