"""Steps through a history by hand or by itself, and says what the step on the screen is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.fields import named
from quizwriter.gui.widgets.icons import Icon, IconButton, put_icon
from quizwriter.gui.widgets.labels import ElidedLabel, plain_label
from quizwriter.gui.widgets.layouts import Gap, row_of
from quizwriter.gui.widgets.option_row import OptionRow
from quizwriter.workflow.history_analysis import StepSize

FRAME_MS, SLOWEST_MS, WHOLE_MS = 33, 600, 20_000
"""How long a step is shown in play: long enough for all to take about the last, within the first two."""

PLAY_SIGN = 12
"""Pixels of a side of the sign beside *Play*, at 100 %."""

STEP_SIZES = (
    (StepSize.EDIT, "Edit", "Step by edit"),
    (StepSize.SENTENCE, "Sentence", "Step from one stretch of work on a sentence to the next"),
    (StepSize.GUESS, "Guess", "Step to the next change of a player's guess or buzz"),
)


class PlaybackBar(QWidget):
    """``stepped`` carries -1 or 1 of a button, ``ticked`` says that it is time for the next step in play."""

    stepped = Signal(int)
    ticked = Signal()

    def __init__(self, theme: Theme, play: Callable[[], object]) -> None:
        super().__init__()
        self._theme = theme
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.ticked)
        self._back = IconButton(
            theme, Icon.LEFT, "One step back (Left)", lambda: self.stepped.emit(-1), name="One step back"
        )
        self.play_button = outlined("Play", play)
        self.play_button.setMinimumWidth(theme.px(88))
        self._forward = IconButton(
            theme, Icon.RIGHT, "One step forward (Right)", lambda: self.stepped.emit(1),
            name="One step forward",
        )  # fmt: skip
        for arrow in (self._back, self._forward):
            arrow.setAutoRepeat(True)
        self._by = plain_label("by", wrap=False)
        self.step_size = OptionRow(theme, STEP_SIZES)
        self.step_label = named(ElidedLabel(), "This step")
        self.time_label = plain_label(wrap=False)
        row_of(
            self._back, self.play_button, self._forward, Gap(4), self._by, self.step_size, Gap(8),
            (self.step_label, 1), self.time_label, on=self, margins=(16, 0, 16, 8), spacing=8,
        )  # fmt: skip
        theme.follow(self._apply_theme)

    @property
    def playing(self) -> bool:
        return self._timer.isActive()

    def start(self, steps: int) -> None:
        """Step by itself, at a speed for a history of so many ``steps``."""
        per_step = max(FRAME_MS, min(SLOWEST_MS, WHOLE_MS // steps))
        self._timer.start(per_step if self.step_size.value == StepSize.EDIT else SLOWEST_MS)
        self._label_button()

    def stop(self) -> None:
        self._timer.stop()
        self._label_button()

    def show_step(self, said: str, time: str, *, earlier: bool, later: bool) -> None:
        """Say what the step did and when, and whether there are ``earlier`` and ``later`` ones."""
        self.step_label.setText(said)
        self.time_label.setText(time)
        self._back.setEnabled(earlier)
        self._forward.setEnabled(later)

    def _label_button(self) -> None:
        self.play_button.setText("Pause" if self.playing else "Play")
        sign = Icon.PAUSE if self.playing else Icon.PLAY
        put_icon(self.play_button, sign, self._theme, PLAY_SIGN)
        self.play_button.setToolTip("Stop here (Space)" if self.playing else "Play the history (Space)")

    def _apply_theme(self) -> None:
        self._label_button()
        for label in (self._by, self.time_label):
            label.setStyleSheet(f"color: {self._theme.tokens.soft};")
