"""*Review > Sets > Progress of writers and sets…*: counts, hours, stumps, whose turn, samples to review."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QTreeWidget, QTreeWidgetItem, QWidget

from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import named, number_box
from quizwriter.gui.widgets.labels import tree_row
from quizwriter.gui.widgets.layouts import FieldRows
from quizwriter.services.statistics import StatisticsReport
from quizwriter.services.wiring import App
from quizwriter.workflow.set_progress import (
    HOURS_RULE,
    PROGRESS_COLUMNS,
    QUALIFIED_SHARE,
    SetProgress,
    progress_cells,
    sample_size,
)
from quizwriter.workflow.set_state import StateLine
from quizwriter.workflow.wording import counted_noun, percent

SAMPLE_RULE = (
    f"The sample for review is drawn from each writer: {sample_size(10)} of 10 tossups, {sample_size(100)} "
    "of 100. Another number draws others. “To review” also says how many of them editors accepted, of those "
    f"that they decided on, and where that is under {percent(QUALIFIED_SHARE)}."
)

STATE_RULE = "A double click or Enter on a number shows its tossups in the queue."

NO_TOSSUPS = "There are no tossups here yet. Write one, or import a file (File > Import questions…)."

HEADING = 12
"""Letters in a line of a heading: in one line, the widest would push the last ones out of sight."""

_Found = tuple[StatisticsReport, tuple[str, ...], tuple[StateLine, ...]]
"""The figures, the names of all sets, and the state."""


class ProgressDialog(Dialog):
    """Shows the figures of writers and sets. ``sample_chosen`` carries the ids of tossups to be reviewed."""

    sample_chosen = Signal(object)

    def __init__(self, app: App, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Progress of writers and sets", parent, size=(960, 720))
        self._app, self._jobs = app, jobs
        self._report: StatisticsReport | None = None
        self.set = QComboBox()
        self.set.addItem("Every set", None)
        self.set.setAccessibleName("Set")
        self.seed = number_box("Number of the sample", 0, 999_999)
        form = FieldRows()
        form.add("Set", self.set)
        form.add("Number of the sample", self.seed)
        self.list = QTreeWidget()
        self.list.setHeaderLabels([fill(name, HEADING) for name in PROGRESS_COLUMNS])
        self.list.setAccessibleName("Figures of writers and sets")
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
        self.list.setColumnWidth(0, theme.px(150))
        self.list.currentItemChanged.connect(lambda *_: self._offer_sample())
        self.state = named(QTreeWidget(), "State of the set")
        self.state.setHeaderLabels(["State", "Tossups", ""])
        self.state.setUniformRowHeights(True)
        self.state.setAllColumnsShowFocus(True)
        self.state.itemActivated.connect(lambda item: self._show_rows(item))
        self.body.addLayout(form)
        state_rule = self.label(STATE_RULE, TextStyle.CAPTION)
        rules = self.label(f"{HOURS_RULE} {SAMPLE_RULE}", TextStyle.CAPTION)
        self.nothing = self.label(NO_TOSSUPS)
        self.body.addWidget(self.nothing)
        self.body.addWidget(self.state, 1)
        self.body.addWidget(state_rule)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(rules)
        self.sample_button = self.add_primary("Show the sample in the queue", self._show_sample)
        self._full = (self.state, state_rule, self.list, rules, self.sample_button)
        self.nothing.hide()
        self.fill(False, *self._full)
        self.set_ready(False)
        self.set.currentIndexChanged.connect(self._read)
        self.seed.valueChanged.connect(self._read)
        self._read()

    def _read(self) -> None:
        name, seed = self.set.currentData(), self.seed.value()
        wanted = () if name is None else (name,)

        def do(_: object) -> _Found:
            from quizwriter.challenge.set_names import state_with_names

            report = self._app.statistics.report(wanted, seed)
            return report, self._app.review.sets(), state_with_names(self._app, wanted)

        self.run_job(self._jobs, "Counting…", do, self._show)

    def _show(self, found: _Found) -> None:
        self._report, sets, state = found
        if self.set.count() == 1:
            with QSignalBlocker(self.set):
                for name in sets:
                    self.set.addItem(name or "In no set", name)
        self.list.clear()
        self._add("Writers", self._report.writers)
        self._add("Sets", (*self._report.sets, self._report.everything))
        for column in range(1, len(PROGRESS_COLUMNS)):
            self.list.resizeColumnToContents(column)
        self.state.clear()
        for group in dict.fromkeys(line.group for line in state):
            above = QTreeWidgetItem([group])
            for line in state:
                if line.group == group:
                    item = QTreeWidgetItem(list(line.cells))
                    item.setData(0, Qt.ItemDataRole.UserRole, line.tossups)
                    above.addChild(item)
            self.state.addTopLevelItem(above)
            above.setExpanded(True)
        self.state.resizeColumnToContents(0)
        self.state.resizeColumnToContents(1)
        self._offer_sample()
        self.nothing.setHidden(bool(self._report.everything.tossups))
        self.fill(bool(self._report.everything.tossups), *self._full)

    def _show_rows(self, item: QTreeWidgetItem) -> None:
        keys = item.data(0, Qt.ItemDataRole.UserRole)
        if keys:
            self.sample_chosen.emit(tuple(keys))
            self.accept()

    def _add(self, title: str, figures: Sequence[SetProgress]) -> None:
        above = QTreeWidgetItem([title])
        for one in figures:
            above.addChild(tree_row(progress_cells(one), one.sample))
        self.list.addTopLevelItem(above)
        above.setExpanded(True)

    @property
    def sample(self) -> tuple[str, ...]:
        """The tossups drawn of the selected writer, else of all writers."""
        item = self.list.currentItem()
        chosen = item.data(0, Qt.ItemDataRole.UserRole) if item is not None else None
        if chosen:
            return tuple(chosen)
        return tuple(key for one in self._report.writers for key in one.sample) if self._report else ()

    def _offer_sample(self) -> None:
        count = counted_noun(len(self.sample), "tossup")
        self.sample_button.setText(f"Show the sample of {count} in the queue")
        self.set_ready(bool(self.sample))

    def _show_sample(self) -> None:
        if self.sample:
            self.sample_chosen.emit(self.sample)
            self.accept()
