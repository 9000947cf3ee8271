"""*Review > Sets > Control arm of the set…*: half of its tossups are written with the machines hidden."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from quizwriter.domain.review import Arm
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import Dialog, TextStyle
from quizwriter.services.wiring import App
from quizwriter.workflow.wording import counted_noun

EXPLAINED = (
    "Each new tossup of the set is put into one of two arms at random. In one arm, the window hides the "
    "machines while you write: no guesses, no lanes, no evidence, no stock clues. The players play the "
    "tossup once it is ready, and then you see their games. This tests whether the machines help. The draw "
    "is recorded with its seed and is permanent: it cannot be undone."
)


class ControlArmDialog(Dialog):
    """Begins the control arm of a set, or says how it stands and begins a tossup of it.

    ``started`` says that tossups may have been drawn, ``begun`` carries the id of a new tossup.
    """

    started = Signal()
    begun = Signal(str)

    def __init__(
        self, app: App, theme: Theme, jobs: Jobs, set_name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, "Control arm of the set", parent, width=520)
        self._app, self._jobs, self.set_name = app, jobs, set_name
        self.state = self.label()
        self.body.addWidget(self.label(f"Control arm of {set_name}", TextStyle.HEADING))
        self.body.addWidget(self.label(EXPLAINED))
        self.body.addWidget(self.state)
        self._seed: int | None = None
        self.button = self.add_primary("Start permanently", self._go)
        self.name_close_button("Cancel")
        self._read()

    def _read(self) -> None:
        def do(_: object) -> tuple[int | None, dict[Arm | None, int]]:
            arms = self._app.control_arms
            return arms.seed(self.set_name), arms.sizes(self.set_name)

        self.run_job(self._jobs, "", do, self._show)

    def _show(self, found: tuple[int | None, dict[Arm | None, int]]) -> None:
        self._seed, sizes = found
        if self._seed is None:
            tossups = counted_noun(sum(sizes.values()), "tossup")
            self.state.setText(
                f"The set has {tossups} now. Tossups whose guesses were already shown are in no arm."
            )
        else:
            self.state.setText(
                f"{counted_noun(sizes[Arm.HIDDEN], 'tossup')} with the machines hidden, {sizes[Arm.SHOWN]:,} "
                f"with the machines in sight, {sizes[None]:,} in no arm. The seed is {self._seed}. "
                "The experiment Control arm compares the two."
            )
            self.button.setText("New tossup")
            self.name_close_button("Close")
        self.fit()

    def _go(self) -> None:
        if self._seed is None:
            self.run_job(
                self._jobs,
                "Drawing…",
                lambda _: self._app.control_arms.start(self.set_name),
                self._take_start,
            )
        else:
            self.run_job(
                self._jobs,
                "Drawing…",
                lambda _: self._app.control_arms.begin(self.set_name),
                self._take_begun,
            )

    def _take_start(self, _: object) -> None:
        self.started.emit()
        self._read()

    def _take_begun(self, tossup_id: str) -> None:
        self.begun.emit(tossup_id)
        self.accept()
