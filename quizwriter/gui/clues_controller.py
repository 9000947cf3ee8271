"""The clues of the open draft: looked up after each pause, marked in the draft, and said of its sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.gui.background.jobs import Jobs, give_way
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.writing.clue_view import NO_SENTENCE, READING_CLUES, ClueView
from quizwriter.gui.writing.draft_marks import Underline, UnderlinedStretch, untouched_span
from quizwriter.gui.writing.panes import WindowContext
from quizwriter.workflow.control_arm import HIDDEN_IN_SHORT
from quizwriter.workflow.session import WritingSession

if TYPE_CHECKING:
    from quizwriter.domain.stock_clues import SentenceClues

PAUSE_MS = 105
"""The pause in typing, in ms, after which sentences are looked up; what is found shall be there after 150.

Ten keys a second leave 100 ms between them: a look-up in every gap took the window's turns from the next key.
"""

OWNER = "clues"
"""Whose underlines in the draft these are."""


class CluesController(QObject):
    """Looks the sentences of the draft up off the window's thread, one look-up at a time.

    ``found`` carries the generation of the draft whose clues are shown now.
    ``view`` says what is known of the sentence at the cursor; it is for the window to place.
    """

    found = Signal(int)

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context.window)
        self._app, self._draft, self._engine = context.app, context.panes.draft, context.engine
        self.view = ClueView(context.theme)
        self._persistent, self._hidden = context.persistent, False
        self._marked = context.app.profile.settings.marks_stock_clues
        self._session: WritingSession | None = None
        self._clues: tuple[SentenceClues, ...] = ()
        self._trouble = READING_CLUES  # why there are no clues; empty if there are
        self._runs = False  # whether a look-up is under way
        self._jobs = Jobs("clues", self)
        self._soon = SingleShot(self, PAUSE_MS, self._look_up)
        self._draft.edited.connect(self._follow)
        self._draft.moved.connect(lambda _: self._say())

    @property
    def clues(self) -> tuple[SentenceClues, ...]:
        return self._clues

    def open(self, session: WritingSession) -> None:
        self._session, self._clues = session, ()
        self._trouble = READING_CLUES
        self._say()
        self._look_up()

    def follow_change(self) -> None:
        if self._session is not None:
            self._soon.start()

    def _follow(self, edit: Edit, _text: str) -> None:
        """What the edit does not touch stays as it was found."""
        moved = (_moved(one, edit) for one in self._clues)
        self._clues = tuple(one for one in moved if one is not None)
        self._say()
        self.follow_change()

    # -- looking up

    def _look_up(self) -> None:
        engine, session = self._engine(), self._session
        if session is None or self._runs:
            return
        if engine is None:
            return  # the window says so when one is there
        tossup, generation = session.tossup, session.generation
        key = session.tossup_id if self._persistent else ""
        self._runs = True

        def look_up(_: object) -> tuple[SentenceClues, ...]:
            from quizwriter.workflow import past_wording  # noqa: F401  # in this thread: no start waits for it

            return self._app.clue_lookup.look_up(engine, tossup, key, give_way)

        def show(clues: tuple[SentenceClues, ...], trouble: str = "") -> None:
            self._runs = False
            if session is not self._session or session.generation != generation:
                self._look_up()  # the draft went on meanwhile
                return
            self._clues, self._trouble = clues, trouble
            self._mark()
            self._say()
            self.found.emit(generation)

        self._jobs.ask(look_up, show, lambda trouble: show((), trouble))

    # -- what is shown

    def show_marks(self, *, shown: bool) -> None:
        self._marked = shown
        self._mark()

    def hide(self, *, hidden: bool) -> None:
        """Mark and say nothing, whatever is wanted otherwise: the tossup is written without the machines."""
        self._hidden = hidden
        self._mark()
        self._say()

    def _mark(self) -> None:
        found = self._clues if self._marked and not self._hidden else ()
        self._draft.show_underlined(OWNER, tuple(_marks(found, self._draft.text)))

    def _say(self) -> None:
        if self._hidden:
            self.view.show_nothing(HIDDEN_IN_SHORT)
            return
        at = self._draft.cursor_at
        here = [one for one in self._clues if one.span.start <= at <= one.span.end + 1]
        if here:
            self.view.show_clues(here[-1] if at > here[0].span.end else here[0])
        elif self._trouble or not self._draft.text.strip():
            self.view.show_nothing(self._trouble if self._draft.text.strip() else NO_SENTENCE)
        else:
            self.view.show_nothing(READING_CLUES if self._soon.isActive() or self._runs else NO_SENTENCE)


def _moved(clues: SentenceClues, edit: Edit) -> SentenceClues | None:
    """``clues`` where their sentence is after ``edit``; None if the edit touches the sentence."""
    span = untouched_span(clues.span, edit)
    return None if span is None else replace(clues.moved(span.start - clues.span.start), span=span)


def _marks(clues: tuple[SentenceClues, ...], text: str) -> Iterator[UnderlinedStretch]:
    """What is underlined: the known words of a stock clue, or all of a sentence that others nearly said."""
    if not clues:
        return
    from quizwriter.workflow.past_wording import clue_sentence, near_sentence  # the look-up has loaded it

    for one in clues:
        hint = "\n".join(
            filter(
                None,
                (
                    clue_sentence(one) if one.stock else "",
                    near_sentence(one.near) if one.near is not None else "",
                ),
            )
        )
        if not hint:
            continue
        stretches = [one.span] if one.near is not None else list(_runs(one.words, text))
        label = f"{one.anywhere:,}\N{MULTIPLICATION SIGN}" if one.stock else "≈"
        for number, span in enumerate(stretches):
            yield UnderlinedStretch(span, Underline.DOTTED, hint, label="" if number else label)


def _runs(words: tuple[Span, ...], text: str) -> Iterator[Span]:
    """``words``, those that stand side by side as one."""
    run: Span | None = None
    for word in words:
        if run is not None and len(text[run.end : word.start].split()) <= 1 and word.start - run.end < 12:
            run = Span(run.start, word.end)
        else:
            if run is not None:
                yield run
            run = word
    if run is not None:
        yield run
