"""The draft while it is being written: one owner for its text, its history and its analysis."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import groupby

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.history import Change, Edit, EditKind, replay
from quizwriter.domain.page import Page
from quizwriter.domain.plain_text import shown_text
from quizwriter.domain.provenance import PASTED
from quizwriter.domain.span import Span
from quizwriter.domain.styles import AnswerStyled, Restyle, Styled, TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.system.decoding import Count, Milliseconds
from quizwriter.workflow.analysis import Analysis, Request
from quizwriter.workflow.undo import StyledEdit, UndoLog


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class RecordedPlay(msgspec.Struct, frozen=True):
    """What one player showed the writer of the draft after edit ``seq``."""

    seq: Count
    at_ms: Milliseconds
    guesser: str
    engine: str
    top: Sequence[Guess]
    first_correct: Count | None
    stable_correct: Count | None
    buzz_heard: Count | None
    buzz_page: Page | None
    words: Count
    answer_key: str = ""  # what the tossup asked for then, by :attr:`Answer.key`
    knows_answer: bool | None = None  # whether the player knows that page; None when it does not say
    knowable: bool = True  # whether the player can know the answer of then, see domain.guessing.can_know
    possible: Count | None = None  # where the first guess may be right first, see judging.first_possible

    @classmethod
    def of(cls, play: Playthrough, *, seq: int, at_ms: int, engine: str) -> RecordedPlay:
        """The summary of ``play`` that is kept."""
        buzz = play.buzz
        return cls(
            seq=seq,
            at_ms=at_ms,
            guesser=play.guesser,
            engine=engine,
            top=play.final,
            first_correct=play.first_correct,
            stable_correct=play.stable_correct,
            buzz_heard=buzz.heard if buzz else None,
            buzz_page=buzz.guess.page if buzz else None,
            words=len(play.tossup.words),
            answer_key=play.tossup.answer.key if play.tossup.answer else "",
            knows_answer=play.knows_answer,
            knowable=play.knowable,
            possible=play.possible,
        )


class AnswerChange(msgspec.Struct, frozen=True):
    """What a tossup was to ask for from edit ``seq`` on; ``answer`` is None where that was taken back."""

    seq: int
    at_ms: int
    answer: Answer | None
    author: str = ""


class PendingSave(msgspec.Struct, frozen=True):
    """All of one tossup that is not on disk yet; saved whole or not at all.

    ``after`` is the id of the edit before the first of ``changes``, or before what was only looked at: where
    the tossup has got other edits meanwhile, this goes on from there as a branch of its own. Empty: unknown.
    """

    tossup_id: str
    text: str  # the draft with ``changes`` made
    answer: Answer | None
    cursor: int  # code points
    at_ms: int
    changes: tuple[Change, ...] = ()
    shown: tuple[RecordedPlay, ...] = ()
    author: str = ""  # who set the answer: a person's id
    after: str = ""
    answered: bool = True  # whether ``answer`` may be another than before
    copied: bool = False  # whether the changes were made elsewhere, so that no key signs them here
    styled: tuple[Event, ...] = ()  # what was set bold and so on, each after the edit of its ``seq``
    seq: int = 0  # the number of the edit ``after``, where that is known
    styles: TextStyles | None = None  # of ``text``, where they are known
    answer_styles: TextStyles | None = None

    @classmethod
    def begun(
        cls, tossup_id: str, text: str, answer: Answer | None, at_ms: int, author: str = ""
    ) -> PendingSave:
        """A new tossup, whose ``text`` is written in one edit."""
        written = Change(1, at_ms, Edit(0, "", text), author)
        return cls(tossup_id, text, answer, 0, at_ms, (written,), author=author)

    @property
    def head(self) -> str:
        """The id of the last of the changes, or ``after``; empty if unknown."""
        head = self.after
        for change in self.changes if head else ():
            head = change.id_after(head)
        return head

    @property
    def text_before(self) -> str:
        """The text that the first of the changes was made in."""
        text = self.text
        for edit in reversed([change.edit for change in self.changes]):
            text = text[: edit.start] + edit.removed + text[edit.start + len(edit.inserted) :]
        return text

    def placed_after(self, head: str, seq: int) -> PendingSave:
        """The same after the edit ``head``, which has the number ``seq``."""
        by = seq - self.seq
        return replace(
            self,
            changes=tuple(replace(one, seq=one.seq + by) for one in self.changes),
            shown=tuple(replace(one, seq=one.seq + by) for one in self.shown),
            styled=tuple(replace(one, seq=one.seq + by) for one in self.styled),
            after=head,
            seq=seq,
        )

    def before(self, later: PendingSave) -> PendingSave:
        """This and the ``later`` saving of the same tossup as one."""
        return replace(
            later,
            changes=self.changes + later.changes,
            shown=self.shown + later.shown,
            styled=self.styled + later.styled,
            after=self.after,
            seq=self.seq,
            answered=self.answered or later.answered,
        )


class WritingSession:
    """One tossup being written.

    The only mutable object of the core. Everything that changes what the machine should say gives the
    draft a new ``generation``; an analysis of an older one is refused, so that what is shown is always
    of exactly the text on screen.
    """

    def __init__(
        self,
        tossup_id: str,
        tossup: Tossup | None = None,
        *,
        seq: int = 0,
        head: str = "",
        cursor: int = 0,
        clock: Callable[[], int] = now_ms,
        author: str = "",
        styles: TextStyles | None = None,
        answer_styles: TextStyles | None = None,
    ) -> None:
        """``seq`` and ``head`` are the number and the id of the last edit; ``head`` is empty if unknown."""
        self.tossup_id = tossup_id
        self.author = author
        self.tossup = tossup or Tossup("")
        self.generation = 0
        self.cursor = cursor
        self.focus: Page | None = None
        self.heard: int | None = None
        self.analysis: Analysis | None = None
        self.undo_log = UndoLog(styles=styles)
        self.answer_styles = answer_styles or TextStyles()
        self._answer_styled = False  # whether these are other ones than on disk
        self._styled: list[Event] = []
        self._made_styled: set[str] = set()  # the ids of all events of this session, before they are stored
        self._opened = (seq, self.tossup.text)
        self._knows_log = seq == 0
        self._seq = seq
        self._head = head or ("" if seq else tossup_id)
        self._answered = False
        self._clock = clock
        self._changes: list[Change] = []
        self._shown: list[RecordedPlay] = []
        # (player, engine, answer) already among what was shown of the last edit
        self._seen: set[tuple[str, str, Answer | None]] = set()
        self._touched = False

    def type(self, text: str, cursor: int | None = None, *, edit: Edit | None = None) -> bool:
        """Take the draft as it now stands; False if nothing changed.

        What an editor shows instead of odd characters is no change. With the first change it becomes the
        text, as edits of their own.

        ``edit`` is what was done to the text that this session has, if that is known; else it is found out.

        ``cursor``, in code points, is where the writer is now: right after what was typed. It says which of
        two equal letters is the new one.

        Typing on extends the last change as long as that is neither saved nor was seen analysed, and the two
        are one step of undo.
        """
        shown = shown_text(self.tossup.text)
        if text in (shown, self.tossup.text):
            return False
        self._clean(shown)
        if edit is None or not edit.leads(self.tossup.text, text):
            edit = Edit.between(self.tossup.text, text)
        if edit is None:
            return False
        places = self.undo_log.places(edit)
        if cursor is not None:
            places = (cursor - len(edit.inserted), *places)
        edit = next((one for at in places if (one := edit.starting_at(at, self.tossup.text))), edit)
        at_ms = self._clock()
        kind = self.undo_log.kind_of(edit, at_ms)
        typed = Change(self._seq + 1, at_ms, edit, self.author, kind)
        fresh = not self._seen and not (self._styled and self._styled[-1].seq == self._seq)
        last = self._changes[-1] if self._changes and fresh and kind is EditKind.MORE else None
        joined = None if last is None else last.edit.then(edit)
        if last is not None and joined is not None:
            self._changes[-1] = replace(last, edit=joined)
        else:
            self._append(typed)
        self.undo_log.add(typed)
        self._take_text(text)
        return True

    @property
    def title(self) -> str:
        """The main answer, or the beginning of the text."""
        return self.tossup.answer.main if self.tossup.answer else f"{self.tossup.text[:40].strip()} …"

    @property
    def styles(self) -> TextStyles:
        return self.undo_log.styles

    def restyle(self, span: Span, styles: TextStyles, *, belongs: bool = False) -> bool:
        """Let the text in ``span`` have ``styles``, which begin with it; False if nothing changed.

        ``belongs``: it is part of the edit before it, as where styled text was pasted, and undone with it.
        """
        span = Span(max(0, span.start), min(span.end, len(self.tossup.text)))
        if span.start >= span.end:
            return False
        restyle = Restyle(span, self.styles.stretch(span), styles.stretch(Span(0, span.end - span.start)))
        return self._restyle(restyle, EditKind.MORE if belongs else self.undo_log.restyle_kind)

    def restyle_answer(self, styles: TextStyles) -> bool:
        """Let the answer line have ``styles``; False if nothing changed."""
        line = self.tossup.answer.line if self.tossup.answer else ""
        styles = styles.stretch(Span(0, len(line)))
        if styles == self.answer_styles:
            return False
        self.answer_styles = styles
        self._answer_styled = self._touched = True
        return True

    def undo(self) -> tuple[Edit | Restyle, ...]:
        """Take the last step back, as edits and restylings like any others; these, or none without a step.

        The steps from before this session are known once :meth:`take_log` was called.
        """
        return self._make(self.undo_log.undo_step(), EditKind.UNDO)

    def redo(self) -> tuple[Edit | Restyle, ...]:
        """Make the step again that was taken back last; what was done, or nothing if there is no step."""
        return self._make(self.undo_log.redo_step(), EditKind.REDO)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back, or may be one in the part of the log that is not known."""
        return self.undo_log.can_undo or not self._knows_log

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to make again, or may be one in the part of the log that is not known."""
        return self.undo_log.can_redo or not (self._knows_log or self.undo_log.touched)

    @property
    def log_wanted(self) -> int:
        """How many edits were made before this session while :meth:`take_log` was not called; then 0."""
        return 0 if self._knows_log else self._opened[0]

    def log_of(self, changes: Sequence[Change], events: Sequence[Event] = ()) -> UndoLog:
        """The log of what was done before this session, from the whole history; any thread may call it.

        ``events`` are those of the tossup, in order. What was styled in this session is left out. A text that
        came in one piece, from a file for instance, stays: the undo of a document never empties it.
        """
        seq, text = self._opened
        earlier = changes[:seq]
        if replay(change.edit for change in earlier) != text:
            raise ValueError("the history is another text's")
        own = self._made_styled
        found = UndoLog(earlier, [one for one in events if one.seq <= seq and one.id[:32] not in own])
        if earlier and len(earlier[0].edit.inserted) > PASTED:
            found.keep(earlier[0].edit)
        return found

    def take_log(self, earlier: UndoLog) -> None:
        """Let undo go back beyond this session, through all of ``earlier``."""
        if not self._knows_log:
            self.undo_log.go_back_to(earlier)
            self._knows_log = True

    def set_answer(self, answer: Answer | None) -> bool:
        """Set what the tossup asks for; False if that is what it was."""
        if answer == self.tossup.answer:
            return False
        lines = [one.line if one else "" for one in (self.tossup.answer, answer)]
        edit = Edit.between(*lines)
        if edit is not None and self.answer_styles:
            self.answer_styles = self.answer_styles.after(edit)
            self._answer_styled = True
        self.tossup = replace(self.tossup, answer=answer)
        self._answered = True
        self._moved()
        return True

    def set_focus(self, page: Page | None, heard: int | None = None) -> bool:
        """Want the evidence for ``page`` after ``heard`` words; None: the top guess, the last word."""
        if (page, heard) == (self.focus, self.heard):
            return False
        self.focus, self.heard = page, heard
        self.generation += 1
        return True

    def move_cursor(self, position: int) -> None:
        """Remember where the writer is, in code points."""
        if position != self.cursor:
            self.cursor, self._touched = position, True

    def touch(self) -> None:
        """Have it saved that this tossup was opened last; a new one is not kept for that."""
        self._touched = self._touched or self._seq > 0 or self.tossup != Tossup("")

    def request(self) -> Request:
        return Request(
            self.generation, self.tossup, self._seq, self.focus, self.heard, tossup_id=self.tossup_id
        )

    def accept(self, analysis: Analysis, engines: Sequence[str] = ()) -> bool:
        """Take ``analysis`` unless it is of an older generation; False if it is.

        What a player shows is kept once per edit, answer and engine: positions are of an answer.
        ``engines`` are the digests of what the players were loaded from, in the plays' order.
        """
        if analysis.request.generation != self.generation:
            return False
        self.analysis = analysis
        for index, play in enumerate(analysis.plays):
            engine = engines[index] if index < len(engines) else ""
            mark = (play.guesser, engine, self.tossup.answer)
            if play.trouble is None and not play.grows and mark not in self._seen and self._seq:
                self._seen.add(mark)
                self._shown.append(RecordedPlay.of(play, seq=self._seq, at_ms=self._clock(), engine=engine))
        return True

    @property
    def has_unsaved(self) -> bool:
        return bool(self._changes or self._shown or self._styled or self._touched)

    @property
    def has_typed(self) -> bool:
        """Whether somebody wrote or styled what is not on disk, and did not only look at the tossup."""
        return bool(self._changes or self._styled or self._answered or self._answer_styled)

    def take_unsaved(self) -> PendingSave | None:
        """All that is not on disk yet, handed over to be saved; None if there is nothing."""
        if not self.has_unsaved:
            return None
        if self._answer_styled:
            line = self.tossup.answer.line if self.tossup.answer else ""
            self._log_event(AnswerStyled(line, tuple(self.answer_styles.spans())))
            self._answer_styled = False
        saving = PendingSave(
            tossup_id=self.tossup_id,
            text=self.tossup.text,
            answer=self.tossup.answer,
            cursor=self.cursor,
            at_ms=self._clock(),
            changes=tuple(self._changes),
            shown=tuple(self._shown),
            author=self.author,
            after=self._head,
            answered=self._answered,
            styled=tuple(self._styled),
            seq=self._seq - len(self._changes),
            styles=self.styles,
            answer_styles=self.answer_styles,
        )
        self._head = saving.head
        self._changes, self._shown, self._touched, self._answered = [], [], False, False
        self._styled = []
        return saving

    def _make(self, step: Sequence[StyledEdit | Restyle], kind: EditKind) -> tuple[Edit | Restyle, ...]:
        edits = [done.edit for done in step if isinstance(done, StyledEdit)]
        try:
            text = replay(edits, self.tossup.text)
        except ValueError:  # the log is another text's
            self.undo_log = UndoLog(styles=self.styles)
            return ()
        for done in step:
            if isinstance(done, Restyle):
                self._restyle(done, kind)
                continue
            edit = done.edit
            made = Change(self._seq + 1, self._clock(), edit, self.author, kind)
            self._append(made)
            self.undo_log.add(made)
            span = Span(edit.start, edit.start + len(edit.inserted))
            self._restyle(Restyle(span, self.styles.stretch(span), done.inserted), kind)
        if edits:
            self._take_text(text)
        return tuple(done.edit if isinstance(done, StyledEdit) else done for done in step)

    def _restyle(self, restyle: Restyle, kind: EditKind) -> bool:
        if restyle.before == restyle.after:
            return False
        self._log_event(Styled.setting(restyle.span, restyle.after, kind))
        self.undo_log.add_restyle(restyle, kind)
        self._touched = True
        return True

    def _log_event(self, body: Styled | AnswerStyled) -> None:
        event = replace(Event.new(self.tossup_id, self._clock(), self.author, body), seq=self._seq)
        self._made_styled.add(event.id)
        self._styled.append(event)

    def _clean(self, shown: str) -> None:
        """Let the text be what is ``shown`` of it, as a step of undo by itself."""
        text = self.tossup.text
        if shown == text:
            return
        held = self.undo_log.holds
        self.undo_log.end_step()
        kind = EditKind.FIRST
        for same, run in groupby(
            enumerate(zip(text, shown, strict=True)), key=lambda one: one[1][0] == one[1][1]
        ):
            if not same:  # each stretch by itself, so that comments on the words between keep their place
                places = [at for at, _ in run]
                span = slice(places[0], places[-1] + 1)
                edit = Edit(places[0], text[span], shown[span])
                change = Change(self._seq + 1, self._clock(), edit, self.author, kind)
                self._append(change)
                self.undo_log.add(change)
                kind = EditKind.MORE
        self.undo_log.end_step()
        if held:
            self.undo_log.hold()
        self._take_text(shown)

    def _append(self, change: Change) -> None:
        self._seq = change.seq
        self._seen.clear()
        self._changes.append(change)

    def _take_text(self, text: str) -> None:
        self.tossup = replace(self.tossup, text=text)
        self.heard = None
        self._moved()

    def _moved(self) -> None:
        self.generation += 1
        self._touched = True
