"""*File > New for the set brief…*: what a set still wants, and a tossup begun for one line of that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from quizwriter.domain.review import BriefLine
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box
from quizwriter.gui.widgets.labels import plain_tooltip
from quizwriter.gui.widgets.layouts import STRETCH, row_of
from quizwriter.services.beat_goal import ADVERSARIES, F1_LIMIT, BeatGoal
from quizwriter.services.briefs import SetBriefReport
from quizwriter.services.wiring import App
from quizwriter.workflow.brief_lines import MOST_LINES, MOST_WANTED, BriefState, line_title
from quizwriter.workflow.wording import counted_noun, listed, player_title

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

NO_BRIEF = "The brief has no lines yet. Add one for each category, with the number of tossups needed."

NO_PLAYERS = "No players are loaded yet, so the tossups that reach the goal are not counted."

COLUMNS = ("Category", "Answer type", "Difficulty", "Needed", "Written", "Missing")
_WANTED, _WRITTEN, _MISSING = 3, 4, 5


class SetBriefDialog(Dialog):
    """Shows the brief of a set as a table to be edited; ``begun`` carries the id of a new tossup."""

    begun = Signal(str)

    def __init__(
        self,
        app: App,
        theme: Theme,
        jobs: Jobs,
        set_name: str,
        parent: QWidget | None = None,
        *,
        engine: Callable[[], Engine | None],
    ) -> None:
        """The brief of the set; the games of the ``engine`` in use say which tossups reach its goal."""
        super().__init__(theme, "Set brief", parent, size=(760, 520))
        self._app, self._jobs, self._engine = app, jobs, engine
        self._changed = False  # whether there is anything to save: a brief that is only proposed, too
        self._typed = False  # whether somebody has changed the table since it was saved
        self._shown_set = set_name
        self._warned = False
        self._counting: object = None  # another one for each count of the goal; None: what is shown holds
        self.sets = choice_box("Set")
        for name in dict.fromkeys((set_name, *app.review.sets())):
            self.sets.addItem(name or "In no set", name)
        self.sets.activated.connect(lambda _: self._choose_set())
        row = row_of(self.label("Set", wrap=False), (self.sets, 1), spacing=8)
        self.table = QTableWidget(0, len(COLUMNS))
        self.table.setHorizontalHeaderLabels(list(COLUMNS))
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setAccessibleName("Lines of the brief")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for place, width in enumerate((220, 140, 120, 70, 60, 70)):
            self.table.setColumnWidth(place, max(width, header.sectionSizeHint(place)))
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(theme.px(70))  # names of categories are never a letter or two
        self.table.itemChanged.connect(lambda _: self._take_change())
        self.table.itemSelectionChanged.connect(self._allow)
        self.summary = self.label("", TextStyle.CAPTION)
        self.beats = choice_box("Players to beat")
        for players in ((), *ADVERSARIES):
            self.beats.addItem(listed([*map(player_title, players)]) or "no player", players)
        self.beats.setToolTip(plain_tooltip("Each tossup of the set is to beat all of these players."))
        self.by_f1 = choice_box("When a player is beaten")
        for by_f1, title in enumerate(("by the page", f"by {F1_LIMIT}")):
            self.by_f1.addItem(title, bool(by_f1))
            self.by_f1.setItemData(
                by_f1, plain_tooltip(BeatGoal(by_f1=bool(by_f1)).rule), Qt.ItemDataRole.ToolTipRole
            )
        for box in (self.beats, self.by_f1):
            box.activated.connect(lambda _: self._take_change())
        self.reached = self.label("", TextStyle.CAPTION)
        goal = row_of(
            self.label("Each tossup is to beat", wrap=False), self.beats, self.by_f1, STRETCH, spacing=8
        )
        edits = QHBoxLayout()
        edits.setSpacing(8)
        self.add_line_button = outlined("Add a line", self.add_line)
        self.remove_button = outlined("Remove the line", self.remove_line)
        self.save_line_button = outlined("Save the brief", self.save)
        for button in (self.add_line_button, self.remove_button, self.save_line_button):
            edits.addWidget(button)
        edits.addStretch(1)
        self.body.addWidget(
            self.label(
                "How many tossups the set needs. An empty cell means any. Separate the levels of a "
                "category with “/”. Other people receive the brief with the tossups of the set.",
                TextStyle.CAPTION,
            )
        )
        self.body.addLayout(row)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(self.summary)
        self.body.addLayout(goal)
        self.body.addWidget(self.reached)
        self.body.addLayout(edits)
        self.begin_button = self.add_primary("Start a tossup", self.begin)
        self._full = (self.table, self.remove_button, self.begin_button)
        self.fill(False, *self._full)
        self.read()

    @property
    def set_name(self) -> str:
        return str(self.sets.currentData() or "")

    def _choose_set(self) -> None:
        if self.set_name == self._shown_set:
            return
        if self._may_leave("choose the set again"):
            self.read()
        else:
            self.sets.setCurrentIndex(max(0, self.sets.findData(self._shown_set)))

    def reject(self) -> None:
        """What Esc does: what was typed is not thrown away unasked."""
        if self.busy or self._may_leave("close again"):
            super().reject()

    def _may_leave(self, anyway: str) -> bool:
        """Whether nothing is lost with the table as it is, or whether the writer was told so before."""
        if not self._typed or self._warned:
            return True
        self._warned = True
        self.show_failure(f"The brief is not saved. Save it, or {anyway} to discard your changes.")
        return False

    def read(self) -> None:
        name, briefs = self.set_name, self._app.briefs
        self._shown_set, self._typed, self._warned = name, False, False
        self.run_job(self._jobs, "Counting the tossups…", lambda _: briefs.report(name), self._show)

    def count_goal(self) -> None:
        """Say how many tossups reach the goal, by the games that are kept, once there are players."""
        name, goal, engine, briefs = self.set_name, self.goal, self._engine(), self._app.briefs
        if self.busy or self._typed or not goal.players:
            return  # it is counted once the goal is read, or saved
        if engine is None:
            self.reached.setText(NO_PLAYERS)
            return
        players = engine.players
        self._counting = counting = object()
        self._jobs.ask(
            lambda _: briefs.count_goal(name, goal, players),
            lambda found: self.reached.setText(found.sentence),
            self.show_failure,
            still=lambda: not self._closed and self._counting is counting,
        )

    @property
    def goal(self) -> BeatGoal:
        return BeatGoal(tuple(self.beats.currentData()), bool(self.by_f1.currentData()))

    def _show(self, report: SetBriefReport) -> None:
        self.beats.setCurrentIndex(((), *ADVERSARIES).index(report.goal.players))
        self.by_f1.setCurrentIndex(int(report.goal.by_f1))
        self._clear_count()
        with QSignalBlocker(self.table):
            self.table.setRowCount(0)
            for state in report.states:
                self._put_row(state)
        self._changed = report.proposed and bool(report.states)
        missing = sum(state.missing for state in report.states)
        said = f"{counted_noun(missing, 'tossup')} still needed."
        if report.proposed:
            said = (
                "The brief has no lines yet, so the list shows the set's categories now; change the numbers."
            )
        self.summary.setText(said if report.states else NO_BRIEF)
        first = next((row for row, state in enumerate(report.states) if state.missing), 0)
        self.table.selectRow(first)
        self.fill(bool(report.states), *self._full)
        self._allow()
        self.count_goal()

    def _put_row(self, state: BriefState) -> None:
        row = self.table.rowCount()
        self.table.insertRow(row)
        line = state.line
        cells = (
            " / ".join(line.category), line.answer_type, line.difficulty,
            str(line.wanted), str(state.there), str(state.missing),
        )  # fmt: skip
        for place, text in enumerate(cells):
            item = QTableWidgetItem(text)
            item.setToolTip(plain_tooltip(text))
            if place >= _WANTED:
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            if place > _WANTED:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
            self.table.setItem(row, place, item)

    def lines(self) -> list[BriefLine]:
        return [self._line(row) for row in range(self.table.rowCount())]

    def _line(self, row: int) -> BriefLine:
        def cell(place: int) -> str:
            item = self.table.item(row, place)
            return item.text().strip() if item is not None else ""

        levels = tuple(filter(None, (level.strip() for level in cell(0).split("/"))))
        digits = cell(_WANTED)
        known = digits.isascii() and digits.isdigit() and len(digits) <= len(str(MOST_WANTED))
        return BriefLine(levels, cell(1), cell(2), int(digits) if known else 0)

    def add_line(self) -> None:
        self.fill(True, *self._full)
        self._put_row(BriefState(BriefLine(wanted=1), 0))
        row = self.table.rowCount() - 1
        self.table.selectRow(row)
        self.table.setCurrentCell(row, 0)
        self.table.setFocus()
        self._take_change()

    def remove_line(self) -> None:
        self.table.removeRow(self.table.currentRow())
        self._take_change()

    def _wanted_lines(self) -> list[BriefLine] | None:
        """The lines as they stand in the table; None, with a message, if one cannot be saved."""
        lines = self.lines()
        wrong = [line_title(line) for line in lines if line.wanted <= 0]
        if wrong:
            self.show_failure(f"{wrong[0]}: the number of tossups must be 1 or more.")
            return None
        return lines

    def save(self) -> None:
        name, lines, goal, briefs = self.set_name, self._wanted_lines(), self.goal, self._app.briefs
        if lines is None:
            return
        self.run_job(
            self._jobs, "Saving the brief…", lambda _: briefs.choose(name, lines, goal), lambda _: self.read()
        )

    def begin(self) -> None:
        """Begin a tossup for the selected line; a brief that was changed is saved first."""
        row = self.table.currentRow()
        lines = self._wanted_lines() if self._typed else []
        if row < 0 or lines is None:
            return
        name, line, goal, briefs = self.set_name, self._line(row), self.goal, self._app.briefs

        def do(_: object) -> str:
            if lines:
                briefs.choose(name, lines, goal)
            return briefs.begin(name, line)

        def then(key: str) -> None:
            self.begun.emit(key)
            self.accept()

        self.run_job(self._jobs, "Starting the tossup…", do, then)

    def _clear_count(self) -> None:
        """Another goal or set is shown, of which nothing is counted."""
        self._counting = None
        self.by_f1.setEnabled(bool(self.goal.players))
        self.reached.clear()

    def _take_change(self) -> None:
        self._clear_count()
        self._changed = self._typed = True
        self._warned = False
        self.show_message("")
        self._allow()

    def _allow(self) -> None:
        selected = bool(self.table.selectionModel().selectedRows())
        self.remove_button.setEnabled(selected)
        self.add_line_button.setEnabled(self.table.rowCount() < MOST_LINES)
        self.save_line_button.setEnabled(self._changed)
        self.set_ready(selected)
