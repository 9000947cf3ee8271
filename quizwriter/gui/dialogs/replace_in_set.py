"""*Edit > Find and replace in a set…* and *Tidy…*: what would be edited, to be chosen before it is done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QWidget

from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, plain_table, widen_columns
from quizwriter.gui.widgets.labels import tree_row
from quizwriter.gui.widgets.layouts import FieldRows
from quizwriter.services.tossups import EditReport
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.replacing import (
    EditableTossup,
    EditPlan,
    PlannedEdit,
    TextSearch,
    chosen_edits,
    plan_replacing,
    plan_tidying,
)
from quizwriter.workflow.wording import counted_noun

MOST_LISTED = 2_000
"""Edits that the list shows; with more, the search is too wide to be looked through."""

Planner = Callable[[tuple[EditableTossup, ...]], EditPlan]
"""Finds the edits of tossups."""

_EVERYWHERE = "All tossups"


class SetEditDialog(Dialog):
    """Shows edits of many tossups, lets each be left out, and makes the others.

    ``edited`` carries an :class:`EditReport` after the edits were made.
    """

    edited = Signal(object)

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, title: str, set_name: str, parent: QWidget | None = None
    ) -> None:
        """Begin with the set ``set_name``; empty: all tossups."""
        super().__init__(theme, title, parent, size=(760, 560))
        self._app, self._jobs = app, jobs
        self._plan = EditPlan()
        self._stale = True
        self.sets = choice_box("Set")
        self.sets.addItem(_EVERYWHERE, None)
        for name in app.review.sets():
            self.sets.addItem(name or "In no set", name)
        self.sets.setCurrentIndex(max(0, self.sets.findData(set_name)) if set_name else 0)
        self.sets.activated.connect(lambda _: self.forget_plan())
        self.form = FieldRows()
        self.form.add("Where", self.sets)
        self.list = plain_table("Planned edits", "Tossup", "Before", "After")
        self.list.setUniformRowHeights(True)
        widen_columns(self.list, theme.px, 170, 270)
        self.list.itemChanged.connect(lambda *_: self._allow())
        self.summary = self.label("", TextStyle.CAPTION)
        self.body.addLayout(self.form)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self.summary)
        self.primary = self.add_primary("Preview", self._go)
        self.name_close_button("Close")
        self.fill(False, self.list)

    def planner(self) -> Planner:
        """What finds the edits, called in another thread."""
        raise NotImplementedError

    def looked_for(self) -> str:
        """That nothing was found, and of what: the beginning of a sentence."""
        raise NotImplementedError

    @property
    def can_plan(self) -> bool:
        """Whether there is enough to look for."""
        return True

    def forget_plan(self) -> None:
        """What is listed is not what is wanted any more."""
        self._stale, self._plan = True, EditPlan()
        self.list.clear()
        self.summary.setText("")
        self._allow()

    def preview(self) -> None:
        chosen = self.sets.currentData()
        wanted = QueueFilter() if chosen is None else QueueFilter(sets=(chosen,))

        planner, app = self.planner(), self._app

        def do(_: object) -> EditPlan:
            keys = app.queue.find(wanted, QueueSort("answer", down=False))
            return planner(app.tossups.editable(keys))

        self.run_job(self._jobs, "Searching the tossups…", do, self._show)

    def _show(self, plan: EditPlan) -> None:
        self._plan, self._stale = plan, False
        with QSignalBlocker(self.list):
            self.list.clear()
            for one in plan.edits[:MOST_LISTED]:
                title = f"{one.title} (answer line)" if one.in_answer else one.title
                cells = [title, _around(one, one.edit.removed), _around(one, one.edit.inserted)]
                item = tree_row(cells)
                item.setCheckState(0, Qt.CheckState.Checked)
                self.list.addTopLevelItem(item)
        self.fill(bool(plan.edits), self.list)
        self._allow()

    def chosen(self) -> list[PlannedEdit]:
        ticked = Qt.CheckState.Checked
        return [
            one
            for row, one in enumerate(self._plan.edits[:MOST_LISTED])
            if (item := self.list.topLevelItem(row)) is not None and item.checkState(0) == ticked
        ]

    def _allow(self) -> None:
        if self._stale:
            self.primary.setText("Preview")
            self.set_ready(self.can_plan)
            return
        chosen = self.chosen()
        tossups = len({one.tossup_id for one in chosen})
        said = [f"{counted_noun(len(chosen), 'edit')} of {counted_noun(tossups, 'tossup')} chosen."]
        if not self._plan.edits:
            said = [f"{self.looked_for()} in {counted_noun(self._plan.looked_at, 'tossup')}."]
        if len(self._plan.edits) > MOST_LISTED:
            said.append(f"Only the first {MOST_LISTED:,} of {len(self._plan.edits):,} are listed.")
        if self._plan.locked:
            locked = counted_noun(self._plan.locked, "accepted tossup")
            said.append(f"{locked} would change, but cannot: accepted tossups are locked.")
        self.summary.setText(" ".join(said))
        self.primary.setText(f"Make {counted_noun(len(chosen), 'edit')}" if chosen else "Make the edits")
        self.set_ready(bool(chosen))

    def _go(self) -> None:
        if self._stale:
            self.preview()
            return
        edits = chosen_edits(self.chosen())

        def then(report: EditReport) -> None:
            self.edited.emit(report)
            self.forget_plan()
            self.accept()

        self.run_job(self._jobs, "Editing…", lambda _: self._app.tossups.edit(edits), then, closable=False)


class ReplaceInSetDialog(SetEditDialog):
    """Finds words in the texts and answer lines of a set and replaces them."""

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, set_name: str, search: TextSearch, new: str,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        """Begin with ``search`` and the words ``new``."""
        super().__init__(app, theme, jobs, "Find and replace in a set", set_name, parent)
        self.words, self.new_words = QLineEdit(search.words), QLineEdit(new)
        self.match_case = QCheckBox("Match case")
        self.match_case.setChecked(search.match_case)
        self.whole_words = QCheckBox("Whole words only")
        self.whole_words.setChecked(search.whole_words)
        for field, name in ((self.words, "Find"), (self.new_words, "Replace with")):
            field.setAccessibleName(name)
            field.setMaxLength(1_000)
            field.textChanged.connect(lambda _: self.forget_plan())
            self.form.add(name, field)
        boxes = QHBoxLayout()
        boxes.setSpacing(16)
        for box in (self.match_case, self.whole_words):
            box.toggled.connect(lambda _: self.forget_plan())
            boxes.addWidget(box)
        boxes.addStretch(1)
        self.form.add("", boxes)
        self.words.setFocus()
        self.forget_plan()

    @property
    def can_plan(self) -> bool:
        return hasattr(self, "words") and bool(self.words.text())

    def looked_for(self) -> str:
        words = self.words.text()
        return f"Nothing to replace: “{_visible(words[:60])}{'…' * (len(words) > 60)}” was not found"

    def planner(self) -> Planner:
        search = TextSearch(self.words.text(), self.match_case.isChecked(), self.whole_words.isChecked())
        new = self.new_words.text()
        return lambda found: plan_replacing(found, search, new)


class TidyDialog(SetEditDialog):
    """Takes away spaces that nobody reads, and offers blank drafts for the bin.

    ``blanks_wanted`` carries the ids of tossups without any text to be thrown away.
    """

    blanks_wanted = Signal(object)

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, set_name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(app, theme, jobs, "Tidy", set_name, parent)
        self.blanks = self.add_aside("", self._throw_blanks)
        self.blanks.hide()
        self.forget_plan()
        self.preview()

    def planner(self) -> Planner:
        return plan_tidying

    def looked_for(self) -> str:
        return (
            "Nothing to tidy: no spaces at the ends of texts and lines, no double spaces and no double empty "
            f"lines{'' if self._plan.blank else ', and no blank drafts'}"
        )

    def _show(self, plan: EditPlan) -> None:
        super()._show(plan)
        self.blanks.setVisible(bool(plan.blank))
        self.blanks.setText(f"Move {counted_noun(len(plan.blank), 'blank draft')} to the bin")

    def _throw_blanks(self) -> None:
        self.blanks.hide()
        self.blanks_wanted.emit(self._plan.blank)


class UndoDialog(Dialog):
    """Lies over the window while many tossups become what they were, so that nobody types into these.

    ``undone`` carries what the work gave; ``failed`` says that nothing was undone.
    """

    undone = Signal(object)
    failed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Undo", parent, width=360)

    def undo(self, jobs: Jobs, settle: Callable[[], None], do: Callable[[], object]) -> None:
        """Have ``do`` done, once ``settle`` says that all is on disk that was typed before."""

        def work(_: object) -> object:
            settle()
            return do()

        def then(made: object) -> None:
            self.undone.emit(made)
            self.accept()

        self.run_job(jobs, "Undoing…", work, then, closable=False)

    def show_failure(self, text: str) -> None:
        self.failed.emit()
        super().show_failure(text)


def _around(one: PlannedEdit, words: str) -> str:
    """``words`` in brackets between the words around the edit, with spaces and line ends to be seen."""
    before, after = one.before[-24:].replace("\n", "↵"), one.after[:24].replace("\n", "↵")
    return f"…{before}[{_visible(words)}]{after}…"


def _visible(words: str) -> str:
    """``words`` with line ends to be seen, and with spaces where there is nothing else."""
    shown = words.replace("\n", "↵")
    return shown if words.strip() else shown.replace(" ", "␣")
