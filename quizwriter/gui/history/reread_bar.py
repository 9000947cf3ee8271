"""Has today's players read the versions of a history, so that they stand beside what was said then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.buttons import outlined
from quizwriter.gui.widgets.fields import choice_box
from quizwriter.gui.widgets.labels import plain_label, plain_tooltip
from quizwriter.gui.widgets.layouts import NO_MARGINS, row_of
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.services.wiring import App
from quizwriter.workflow.control_arm import HIDDEN_NOTICE
from quizwriter.workflow.history_analysis import History, every_nth, replay_with
from quizwriter.workflow.session import RecordedPlay
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

DRAW_MS = 250
"""How often what has been read again is shown while the rest is read."""

SELECTIONS = (("Every version", 1), ("Every 10th version", 10), ("Every 100th version", 100))
RUN_ENDS = "The end of every run of edits"
LEGEND = "Dotted: then. Solid: today."


class RereadBar(QWidget):
    """Chooses versions and has them read. ``plays_changed`` says that :attr:`today` has other plays now,
    ``history_ready`` that :attr:`today_history` is there.
    """

    plays_changed = Signal()
    history_ready = Signal()

    def __init__(
        self,
        app: App,
        theme: Theme,
        engine: Callable[[], Engine | None],
        jobs: Jobs,
        reader: Jobs,
        messages: MessageBars,
        tossup_id: str,
    ) -> None:
        """``engine`` gives the one with today's players; ``reader`` has games played, ``jobs`` the rest.

        The players buzz by the rule of the set of ``tossup_id``, or by that of the preferences.
        """
        super().__init__()
        self._app, self._theme, self._engine, self._messages = app, theme, engine, messages
        self._jobs, self._reader, self._tossup_id = jobs, reader, tossup_id
        self._closed = False
        self.history: History | None = None
        self.today: dict[str, list[tuple[int, RecordedPlay]]] = {}  # by player, with the versions' indices
        self.today_history: History | None = None  # the same edits as today's players read them
        self.plays: list[tuple[int, tuple[RecordedPlay, ...]]] = []  # by version, as they were read
        self._cancellation = Cancellation()  # of the newest reading
        self._draw_later = QTimer(self)
        self._draw_later.setInterval(DRAW_MS)
        self._draw_later.timeout.connect(lambda: self._take_plays())
        self.versions_box = choice_box(
            "Which versions are read again",
            *(title for title, _ in SELECTIONS),
            RUN_ENDS,
            tip="Which versions today's players read",
        )
        self.button = outlined("Read again", self.toggle)
        self.button.setToolTip(
            "Let today's players read these versions, to compare with the saved analyses. The results are "
            "kept until the window closes."
        )
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setFixedSize(96, 8)
        self._progress.hide()
        self._legend = plain_label(LEGEND, wrap=False)
        self._legend.hide()
        row_of(
            self._legend,
            self._progress,
            self.versions_box,
            self.button,
            on=self,
            margins=NO_MARGINS,
            spacing=8,
        )
        theme.follow(self._apply_theme)

    @property
    def reading(self) -> bool:
        return self._draw_later.isActive()

    def toggle(self) -> None:
        """Have today's players read the versions that are chosen, or stop that."""
        if self.reading:
            self.button.setEnabled(False)
            self._cancellation.cancel()
            return
        try:
            hides = self._app.review.review_of(self._tossup_id).hides_machines
        except QuizwriterError as trouble:
            self._messages.show_message("again", str(trouble))
            return
        if hides:
            self._messages.show_message("again", HIDDEN_NOTICE, brief=True)
            return
        history, engine = self.history, self._engine()
        if history is None or not len(history):
            return
        if engine is None or not engine.players:
            self._messages.show_message("again", "No player is ready yet; try again in a moment.", brief=True)
            return
        if (which := self.versions_box.currentIndex()) < len(SELECTIONS):
            indices: Sequence[int] = every_nth(history, SELECTIONS[which][1])
        else:
            indices = sorted({history.index_of(last) for _, last in history.runs})
        self.plays, self._cancellation = [], Cancellation()
        self.today, self.today_history = {}, None
        plays, cancellation = self.plays, self._cancellation

        def read(_: object) -> None:
            chance = self._app.problems.buzz_chance(self._tossup_id)
            with suppress(Cancelled), self._app.engines.batch_players(engine, cancellation) as reading:
                for found in replay_with(history, indices, reading.players, cancellation, buzz_chance=chance):
                    plays.append(found)

        self._progress.setRange(0, len(indices))
        self._progress.setValue(0)
        self._progress.show()
        self.button.setText("Stop")
        self._draw_later.start()
        self._reader.ask(read, lambda _: self._finish(), self._finish, still=lambda: not self._closed)

    def shutdown(self) -> None:
        self._closed = True
        self._cancellation.cancel()
        self._draw_later.stop()

    def _take_plays(self, *, last: bool = False) -> None:
        """Show as much as has been read again; a chart of thousands of points is not drawn for each."""
        done = len(self.plays)
        self._progress.setValue(done)
        versions = counted_noun(self._progress.maximum(), "version")
        self._progress.setToolTip(plain_tooltip(f"{done:,} of {versions} read"))
        shown = max(map(len, self.today.values()), default=0)
        if done == shown or (not last and done < shown * 1.2):
            return
        found: dict[str, list[tuple[int, RecordedPlay]]] = {}
        for index, plays in self.plays[:done]:
            for play in plays:
                found.setdefault(play.guesser, []).append((index, play))
        self.today = found
        then = self.history.players if self.history is not None else ()
        self._legend.setVisible(bool(found) and bool(then))
        self.plays_changed.emit()

    def _finish(self, trouble: str = "") -> None:
        self._draw_later.stop()
        self._progress.hide()
        self.button.setText("Read again")
        self.button.setEnabled(True)
        self._take_plays(last=True)
        self._messages.show_message("again", trouble)
        history = self.history
        if history is None or not self.today:
            return
        read = [play for _, plays in self.plays for play in plays]

        def take(made: History) -> None:
            self.today_history = made
            self.history_ready.emit()

        self._jobs.ask(
            lambda _: History(history.changes, read, (), history.styled), take, still=lambda: not self._closed
        )

    def _apply_theme(self) -> None:
        self._legend.setStyleSheet(f"color: {self._theme.tokens.soft};")
