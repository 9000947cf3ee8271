"""*Review > Sets > People…*: who is known, who somebody is, and *Forget…*."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHeaderView, QWidget

from quizwriter.cancellation import Progress
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.gui.widgets.fields import choice_box, plain_table, widen_columns
from quizwriter.gui.widgets.labels import tree_row
from quizwriter.gui.widgets.layouts import row_of
from quizwriter.services.forgotten_people import ForgetPlan, ForgetReport
from quizwriter.services.known_people import OUTSIDE, OUTSIDER, KnownPerson, Proposals, merge_line
from quizwriter.services.wiring import App
from quizwriter.workflow.wording import counted_noun

EXPLANATION = (
    "A writer who is only named in a file has no key and cannot sign here. Once that writer sends a file "
    "with a key, choose below who the name is; or choose that the writer does not use QuizWriter. You sign "
    "the choice, packs take it to the other editors, and you or the writer can undo it."
)
FOREVER = "Nobody can undo this."


class PeopleDialog(Dialog):
    """Lists everybody, merges a name into a person, separates them, and forgets a person.

    ``changed``: the database says something else now. ``erasing`` is sent before a name is erased, and
    ``erased`` afterwards, whether that succeeded or not.
    """

    changed = Signal()
    erasing = Signal()
    erased = Signal()

    def __init__(self, app: App, theme: Theme, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(theme, "People", parent, size=(760, 520))
        self._app, self._jobs = app, jobs
        self._known: Sequence[KnownPerson] = ()
        self.list = plain_table("People", "Name", "E-mail", "Tossups", "Who")
        self.list.setUniformRowHeights(True)
        widen_columns(self.list, theme.px, 220, 200)
        self.list.header().setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(lambda *_: self._offer())
        self.into = choice_box("Who the selected name is")
        self.into.setPlaceholderText("Choose who it is")
        self.into.currentIndexChanged.connect(lambda _: self._offer_merge())
        self.merge_button = outlined("Merge", self.merge)
        self.separate_button = outlined("Separate", self.separate)
        self.body.addWidget(self.label(EXPLANATION, TextStyle.CAPTION))
        self.body.addWidget(self.list, 1)
        self.body.addLayout(
            row_of(
                self.label("The selected name is", wrap=False), (self.into, 1), self.merge_button,
                self.separate_button, spacing=8,
            )
        )  # fmt: skip
        self.forget_button = self.add_aside("Forget…", self.forget)
        self._read()

    def _read(self, told: str = "") -> None:
        """List everybody anew; ``told`` is what was done before."""

        def then(known: Sequence[KnownPerson]) -> None:
            self._show(known)
            if told:
                self.show_message(told)

        self.run_job(self._jobs, "Reading…", lambda _: self._app.people.known(), then)

    def _show(self, known: Sequence[KnownPerson]) -> None:
        self._known = known
        names = {one.person.id: one.person.name for one in known}
        self.list.clear()
        self.into.clear()
        for place, one in enumerate(known):
            name = one.person.name or "no name"
            cells = [
                f"{name} (you)" if place == 0 else name,
                one.person.email,
                f"{one.tossups:,}",
                one.told(names),
            ]
            item = tree_row(cells)
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self.list.addTopLevelItem(item)
            if one.has_key:
                self.into.addItem(name, one.person.id)
        self.into.addItem(OUTSIDER, OUTSIDE)
        self._offer()

    @property
    def selected(self) -> KnownPerson | None:
        place = self.list.currentIndex().row()
        return self._known[place] if 0 <= place < len(self._known) else None

    def _offer(self) -> None:
        one = self.selected
        me = self._known[0].person.id if self._known else ""
        free = one is not None and not (one.has_key or one.into or one.person.id == me)
        self.into.setEnabled(free)
        keyed = Proposals(known for known in self._known if known.has_key)
        self.into.setCurrentIndex(
            self.into.findData(keyed.of(one.person.name)) if one is not None and free else -1
        )
        self._offer_merge()
        self.separate_button.setEnabled(
            one is not None and (one.outside or bool(one.into)) and not one.has_key
        )
        self.forget_button.setEnabled(one is not None and one.person.id != me and not one.into)

    def _offer_merge(self) -> None:
        self.merge_button.setEnabled(self.into.isEnabled() and self.into.currentIndex() >= 0)
        self.merge_button.setText("Record" if self.into.currentData() == OUTSIDE else "Merge")

    def merge(self) -> None:
        one, into = self.selected, str(self.into.currentData())
        if one is not None:
            person, name = one.person, OUTSIDE if into == OUTSIDE else self.into.currentText()
            self._do(
                lambda: self._app.people.merge(person.id, into),
                lambda count: merge_line(person.name, name, count),
            )

    def separate(self) -> None:
        one = self.selected
        if one is not None:
            person = one.person
            self._do(
                lambda: self._app.people.separate(person.id),
                lambda count: f"{person.name} is separate again on {counted_noun(count, 'tossup')}.",
            )

    def _do(self, do: Callable[[], int], told: Callable[[int], str]) -> None:
        def then(count: int) -> None:
            self.changed.emit()
            self._read(told(count))

        self.run_job(self._jobs, "Recording…", lambda _: do(), then)

    def forget(self) -> None:
        one = self.selected
        if one is not None:
            dialog = ForgetDialog(self._app, self._theme, self._jobs, one, self)
            dialog.erasing.connect(self.erasing)
            dialog.erased.connect(self.erased)
            dialog.erased.connect(lambda: self._read())
            dialog.open()


class ForgetDialog(Dialog):
    """Says what forgetting somebody changes here and what it cannot reach, and forgets the person."""

    erasing = Signal()
    erased = Signal()

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, one: KnownPerson, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "Forget a person", parent, width=560)
        self._app, self._jobs = app, jobs
        self._plan: ForgetPlan | None = None
        name = one.person.name or one.person.email
        self.here = self.label("")
        self.elsewhere = self.label("")
        self.backups = QCheckBox("Also in the backups")
        self.backups.setChecked(True)
        self.backups.hide()
        self.body.addWidget(self.label(f"Forget {name}", TextStyle.HEADING))
        self._here_title = self.label("On this computer", TextStyle.CAPTION)
        self._elsewhere_title = self.label("What forgetting does not reach", TextStyle.CAPTION)
        for widget in (
            self._here_title, self.here, self.backups, self._elsewhere_title, self.elsewhere,
            self.label(FOREVER),
        ):  # fmt: skip
            self.body.addWidget(widget)
        self.forget_button = self.add_primary("Forget for good", self.forget)
        self.name_close_button("Cancel")
        self.set_ready(False)
        wanted = one.person.id
        self.run_job(
            self._jobs,
            "Searching for the name everywhere…",
            lambda progress: app.forgotten_people.plan(wanted, progress),
            self._show,
        )

    def _show(self, plan: ForgetPlan) -> None:
        self._plan = plan
        self.here.setText("\n".join(plan.here))
        self.elsewhere.setText("\n".join(plan.elsewhere))
        self.backups.setText(f"Also in {counted_noun(len(plan.backups), 'backup')}")
        self.backups.setVisible(bool(plan.backups))
        self.set_ready(True)
        self.fit()

    def forget(self) -> None:
        plan, backups = self._plan, self.backups.isChecked()
        if plan is None:
            return
        self.erasing.emit()

        def do(progress: Progress) -> ForgetReport:
            return self._app.forgotten_people.forget(plan, backups=backups, progress=progress)

        def then(report: ForgetReport) -> None:
            self.set_ready(False)
            self.name_close_button("Close")
            self.show_message(report.sentence, trouble=bool(report.left))
            self.erased.emit()

        self.run_job(self._jobs, "Erasing…", do, then, closable=False)

    def show_failure(self, text: str) -> None:
        super().show_failure(text)
        self.erased.emit()
