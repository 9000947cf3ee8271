"""Changes of statuses, sets, categories and authors: asked about, recorded in the background, taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.domain.events import Body, Event
from quizwriter.domain.review import Consent, ConsentGiven, Person, Status
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.dialogs.profile import require_profile
from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.dialog import BUG
from quizwriter.gui.widgets.messages import MessageBars
from quizwriter.services.recording import RecordReport
from quizwriter.services.review import PlannedStatus
from quizwriter.services.wiring import App
from quizwriter.workflow.statuses import STEP_RULES, needs_reason, steps_to
from quizwriter.workflow.wording import counted_noun, sentence

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.gui.review.status_dialog import StatusDecision, StatusDialog

DISK_MS = 10_000
"""How long a change waits for the words typed before it to be on disk."""

CONSENT_QUESTION = (
    "Another person wrote this tossup, at least in part. How do you know what the writer answered? For "
    "example: by e-mail on 3 May."
)

NAMELESS = "Nothing is recorded without your name."

MOST_REASONS = 3
"""Reasons of refusals that a message gives."""

Drafts = Mapping[str, Tossup]
"""Tossups by id, as they stand in the window."""


class _DoneChange(NamedTuple):
    """What was changed of the tossups ``keys``, by ``events``."""

    change: str
    keys: tuple[str, ...]
    events: tuple[Event, ...]


class ReviewActions(QObject):
    """Changes statuses, sets, categories and authors, off the window's thread, and takes changes back.

    ``changed`` carries the ids of the tossups of which something was recorded. ``messages`` shows what was
    done, with *Undo*.
    """

    changed = Signal(object)

    def __init__(
        self,
        app: App,
        theme: Theme,
        saver: Saver,
        messages: MessageBars,
        window: QWidget,
        *,
        save: Callable[[], object],
        engine: Callable[[], Engine | None],
        shown: Callable[[], str] = str,
    ) -> None:
        """``save`` hands what was typed to the ``saver``, for nothing is recorded before that is on disk.

        ``shown`` gives the id of the tossup that the window shows, which is called this one.
        """
        super().__init__(window)
        self._app, self._theme, self._saver, self._messages, self._window = (
            app,
            theme,
            saver,
            messages,
            window,
        )
        self._save, self._engine, self._shown = save, engine, shown
        self._done: list[_DoneChange] = []
        self._undone: list[_DoneChange] = []
        self._dialog: StatusDialog | None = None
        self.count_problems: Callable[[str], int] = lambda _: 0
        """How many problems the window lists of the tossup with an id."""
        self.jobs = Jobs("review actions", self)

    @property
    def dialog(self) -> StatusDialog | None:
        return self._dialog

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    def set_status(
        self,
        names: Mapping[str, str],
        status: Status,
        *,
        now: Iterable[Status] = (),
        drafts: Drafts | None = None,
    ) -> None:
        """Ask why, then give the tossups with these ids and answers a ``status``.

        ``now`` are the statuses they have, as far as known. ``drafts`` are read for the checks; None: as
        they were saved.
        """
        from quizwriter.gui.review.status_dialog import StatusDialog  # late: not needed at start

        many = len(names) > 1
        before = {one for one in now if not many or steps_to(one, status)}  # the others stay as they are
        unlocks = before == {Status.ACCEPTED} and status is Status.EDITED
        explain = any(needs_reason(one, status) for one in before) or needs_reason(Status.DRAFT, status)

        def ask(_: Person) -> None:
            dialog = StatusDialog(
                self._theme, status, names, explain=explain, unlocks=unlocks, parent=self._window
            )
            dialog.decided.connect(partial(self._change_status, status))
            dialog.finished.connect(lambda _: self._forget(dialog))
            self._dialog = dialog
            dialog.open()
            if status in STEP_RULES or len(names) > 1:
                dialog.show_checking()
                self._after_saving(lambda: self._make_plan(dialog, status, tuple(names), drafts))

        require_profile(self._app, self._theme, self._window, ask)

    def _make_plan(
        self, dialog: StatusDialog, status: Status, keys: Sequence[str], drafts: Drafts | None
    ) -> None:
        if self._dialog is not dialog:
            return  # it was closed while the drafts were saved
        engine, cancellation = self._engine(), Cancellation()
        dialog.finished.connect(lambda _: cancellation.cancel())

        def plan(progress: Progress) -> dict[str, PlannedStatus]:
            cancellation.check()
            return self._app.review.plan_status(keys, status, engine, progress, cancellation, drafts)

        def failed(trouble: str) -> None:
            dialog.reject()
            self._say(trouble)

        def show(plan: dict[str, PlannedStatus]) -> None:
            dialog.show_plan(plan, self.count_problems(keys[0]) if len(keys) == 1 else 0)

        def told(done: int, total: int) -> None:
            if total > 1:
                dialog.show_checking(done, total)

        self.jobs.ask(plan, show, failed, still=lambda: self._dialog is dialog, told=told)

    def _forget(self, dialog: StatusDialog) -> None:
        if self._dialog is dialog:
            self._dialog = None

    def _change_status(self, status: Status, choice: StatusDecision) -> None:
        self._run(
            lambda: self._app.review.set_status(
                choice.keys,
                status,
                choice.reason,
                failed=choice.failed,
                overridden=choice.overridden,
                in_steps=True,
            ),
            f"the status “{status}”",
            len(choice.keys),
        )

    def record(self, keys: Sequence[str], body: Body, what: str) -> None:
        """Record ``body`` of the tossups ``keys``; ``what`` names it: *the category History*, *no set*."""
        self.run(lambda: self._app.review.record(keys, body), what, len(keys))

    def record_as_pasted(self, key: str, body: Body, what: str) -> None:
        """Record ``body`` because a pasted text says so: who pastes is not asked for a name."""
        self._run(lambda: self._app.review.record([key], body), what, 1)

    def run(self, do: Callable[[], RecordReport], what: str, asked: int) -> None:
        """Have ``do`` record ``what`` of so many tossups, once the user has a name."""
        again = partial(self.run, do, what, asked)
        require_profile(
            self._app,
            self._theme,
            self._window,
            lambda _: self._run(do, what, asked),
            lambda: self._offer_again(NAMELESS, again),
        )

    def record_consent(self, keys: Sequence[str], consent: Consent) -> None:
        """Record whether the tossups ``keys`` may be released; ask for a reason if another wrote one."""

        def record(reason: str) -> None:
            self.record(keys, ConsentGiven(consent, reason), f"the consent “{consent}”")

        def others(me: Person) -> bool:
            return any(self._app.review.review_of(key).release.writer != me.id for key in keys)

        def ask(foreign: bool) -> None:
            from quizwriter.gui.review.status_dialog import LineDialog  # late: not needed at start

            if not foreign:
                record("")
            else:
                dialog = LineDialog(
                    self._theme, "Release", CONSENT_QUESTION, action="Record", parent=self._window
                )
                dialog.entered.connect(record)
                dialog.open()

        require_profile(
            self._app,
            self._theme,
            self._window,
            lambda me: self._after_saving(lambda: self.jobs.ask(lambda _: others(me), ask, self._say)),
        )

    def _run(self, do: Callable[[], RecordReport], what: str, asked: int) -> None:
        def then(result: RecordReport) -> None:
            changed, refused = result.changed, result.refused
            count, told = len(changed), ""
            if count:
                subject = self._called(changed) if asked == 1 else counted_noun(count, "tossup")
                told = f"{sentence(subject)} now {'has' if count == 1 else 'have'} {what}."
                change = f"the change to {what}" if what.startswith("no ") else what
                self._done.append(_DoneChange(change, changed, result.events))
                self._undone.clear()
                self.changed.emit(list(changed))
            if refused:
                rest = (
                    f"{counted_noun(len(refused), 'other')} could not be changed"
                    if count
                    else "Nothing was changed"
                )
                reasons = [reason.sentence for reason in result.reasons]
                if len(reasons) > MOST_REASONS:
                    reasons[MOST_REASONS:] = [f"There are {len(reasons) - MOST_REASONS} more reasons."]
                told = f"{told} {rest}. {' '.join(reasons)}" if asked > 1 else str(refused[0][1])
            if told:
                undo = [("Undo", self.undo)] if count else []
                self._messages.show_message("review", told.strip(), undo, brief=not refused, news=count > 0)
            else:
                self._messages.show_message("review", "There was nothing to change.", brief=True)

        def failed(trouble: str) -> None:
            self._offer_again(trouble or BUG, partial(self._run, do, what, asked))

        self._after_saving(lambda: self.jobs.ask(lambda _: do(), then, failed))

    def _offer_again(self, trouble: str, again: Callable[[], None]) -> None:
        """Say why nothing was recorded; what somebody typed for that is kept to be recorded ``again``."""

        def do() -> None:
            self._messages.dismiss("review")
            again()

        self._messages.show_message("review", trouble, [("Try again", do)])

    def undo(self) -> None:
        self._take_back(self._done, self._undone, "Undone", "Redo", self.redo)

    def redo(self) -> None:
        self._take_back(self._undone, self._done, "Redone", "Undo", self.undo)

    def _take_back(
        self,
        stack: list[_DoneChange],
        other: list[_DoneChange],
        said: str,
        name: str,
        back: Callable[[], None],
    ) -> None:
        if not stack:
            self._messages.show_message("review", "There is nothing to undo.", brief=True)
            return
        self._messages.dismiss("review")  # a second click would take back what was done before
        done = stack.pop()

        def then(result: RecordReport) -> None:
            other.append(done._replace(events=result.events))
            self.changed.emit(list(done.keys))
            told = f"{said}: {done.change} of {self._called(done.keys)}."
            self._messages.show_message("review", told, [(name, back)], brief=True)

        def failed(trouble: str) -> None:
            stack.append(done)
            self._say(trouble)

        self.jobs.ask(lambda _: self._app.review.take_back(done.events), then, failed)

    def _called(self, keys: Sequence[str]) -> str:
        if len(keys) > 1:
            return counted_noun(len(keys), "tossup")
        return "this tossup" if keys[0] == self._shown() else "one tossup"

    def _after_saving(self, then: Callable[[], object]) -> None:
        """Do ``then`` once what was typed is on disk; after a while all the same: the disk may be full."""
        self._save()
        if self._saver.idle:
            then()
            return
        waiting = _ActionAfterSaving(self, then)
        self._saver.settled.connect(waiting.go)
        waiting.startTimer(DISK_MS)

    def _say(self, text: str) -> None:
        self._messages.show_message("review", text)


class _ActionAfterSaving(QObject):
    """Does something once."""

    def __init__(self, parent: QObject, then: Callable[[], object]) -> None:
        super().__init__(parent)
        self._then: Callable[[], object] | None = then

    def go(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            self.deleteLater()
            then()

    def timerEvent(self, event: object) -> None:
        self.go()
