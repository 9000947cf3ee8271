"""A tossup's history, walked: what the text was, what the players made of it, and what moved them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

import msgspec

from quizwriter.cancellation import Cancellation
from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Player, Playthrough
from quizwriter.domain.history import Change, Edit, VersionCache, merged_edits
from quizwriter.domain.page import Page
from quizwriter.domain.styles import TextStyles, answer_styles, styles_after
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.analysis import Analyst, Request
from quizwriter.workflow.session import AnswerChange, RecordedPlay

NEVER = 1.1
"""Where never buzzing lies as a share of the words: beyond the end by as much as a line above a chart needs.

So from the last word to never is a small step, and from the tenth to never a large one.
"""

PAUSE_MS = 60_000
"""After a pause as long as this, what is typed at the same place is something new."""

TYPED = 40
"""Characters of an edit that can still be typing on, and how far from the last: others are new work."""


class Position(StrEnum):
    """Which of a player's positions."""

    BUZZ = "buzz"
    FIRST = "first"
    STABLE = "stable"

    def of(self, shown: RecordedPlay) -> int | None:
        """Words heard; None: never."""
        if self is Position.BUZZ:
            return shown.buzz_heard
        return shown.first_correct if self is Position.FIRST else shown.stable_correct


class PositionUnit(StrEnum):
    """What positions are counted in."""

    WORDS = "words"
    PERCENT = "per cent"


def position_share(heard: int | None, words: int) -> float:
    return NEVER if heard is None else heard / max(1, words)


class StepSize(StrEnum):
    """How far a step through a history goes."""

    EDIT = "edit"
    SENTENCE = "sentence"
    GUESS = "guess"


class HistoryStep(msgspec.Struct, frozen=True):
    """A moment of a history: after an edit, or when the same text was read anew.

    ``shown`` has what every player had said last by then, ``fresh`` names those who said it of this very
    text and answer. ``words`` is how long the text was.
    """

    seq: int  # edits made until then
    at_ms: int
    is_edit: bool  # else the same text read to other players or for another answer
    answer: Answer | None
    words: int
    shown: Mapping[str, RecordedPlay]
    fresh: frozenset[str]


class PlayerShift(msgspec.Struct, frozen=True):
    """How far the edits between two analyses moved a player."""

    player: str
    before: RecordedPlay
    after: RecordedPlay

    @property
    def moved(self) -> bool:
        return self.before.buzz_heard != self.after.buzz_heard

    @property
    def size(self) -> float:
        """How far, as a share of the words; positive where it buzzes later."""
        return position_share(self.after.buzz_heard, self.after.words) - position_share(
            self.before.buzz_heard, self.before.words
        )


class HistoryMove(msgspec.Struct, frozen=True):
    """Edits ``first`` to ``last``, made between two analyses, and whom they moved how far.

    ``edits`` are these edits as few, in whole words, one after the other.
    """

    first: int
    last: int
    edits: tuple[Edit, ...]
    shifts: tuple[PlayerShift, ...]

    def size(self, player: str = "") -> float:
        """The shift of ``player``, or the largest shift of all players, as a share of the words."""
        shifts = [one for one in self.shifts if one.moved and player in ("", one.player)]
        return max((abs(one.size) for one in shifts), default=0.0)


class History:
    """How one tossup came to be, step by step; immutable."""

    def __init__(
        self,
        changes: Sequence[Change],
        shown: Sequence[RecordedPlay] = (),
        asked: Sequence[AnswerChange] = (),
        styled: Sequence[Event] = (),
    ) -> None:
        """The history that consists of ``changes``.

        ``shown`` is what the players showed and ``asked`` every answer that the tossup was given, both by
        edit and time, as they are kept. ``styled`` are the events of the tossup in order; those that say
        how it looks count.
        """
        self.changes = tuple(changes)
        self.shown = tuple(shown)
        self.styled = tuple(styled)
        try:
            if [change.seq for change in self.changes] != list(range(1, len(self.changes) + 1)):
                raise ValueError("edits are missing")
            self._versions = VersionCache(change.edit for change in self.changes)
        except ValueError as trouble:
            raise QuizwriterError(
                f"The history of this tossup does not replay: {trouble}.",
                "Its text is not affected. Restore the database from a copy to see its history.",
            ) from trouble
        self.steps = tuple(_steps(self.changes, self._versions, shown, asked))
        self.players = tuple(dict.fromkeys(one.guesser for one in shown))

    def __len__(self) -> int:
        return len(self.steps)

    @cached_property
    def longest(self) -> int:
        """Words of the longest version, at least one."""
        return max((step.words for step in self.steps), default=0) or 1

    def text(self, index: int) -> str:
        return self._versions.after(self.steps[index].seq)

    def text_after(self, seq: int) -> str:
        return self._versions.after(seq)

    def styles_after(self, seq: int) -> TextStyles:
        """The styles of the text after edit ``seq``, with all that was set before the next edit."""
        return styles_after(self.changes[:seq], self._styled_until(seq))

    def answer_styles(self, index: int) -> TextStyles:
        step = self.steps[index]
        return answer_styles(step.answer.line if step.answer else "", self._styled_until(step.seq))

    def _styled_until(self, seq: int) -> tuple[Event, ...]:
        return tuple(event for event in self.styled if event.seq <= seq)

    def text_before(self, index: int) -> str:
        """The text before the edit of step ``index``; the same as after it where there was none."""
        step = self.steps[index]
        return self._versions.after(step.seq - step.is_edit)

    def edit(self, index: int) -> Edit | None:
        """The edit that made step ``index``; None if the text was only read anew."""
        step = self.steps[index]
        return self.changes[step.seq - 1].edit if step.is_edit else None

    def tossup(self, index: int) -> Tossup:
        return Tossup(self.text(index), self.steps[index].answer)

    def index_of(self, seq: int) -> int:
        """The last step that shows the text after edit ``seq``; the first step for 0."""
        return self._last_of.get(seq, 0)

    @cached_property
    def _last_of(self) -> dict[int, int]:
        return {step.seq: index for index, step in enumerate(self.steps)}

    def next_index(self, index: int, stride: StepSize, direction: int) -> int:
        """The step where one halts who leaves step ``index`` forwards (1) or backwards (-1).

        By sentence that is the last step of a stretch of work on one sentence; by guess a step where some
        player's first guess, or what it buzzes on, is another than before. The ends of a history are halts,
        too.
        """
        index += direction
        while 0 < index < len(self.steps) - 1 and not self._halts(index, stride):
            index += direction
        return max(0, min(index, len(self.steps) - 1))

    def _halts(self, index: int, stride: StepSize) -> bool:
        if stride is StepSize.SENTENCE:
            return self._ends_sentence(index)
        if stride is StepSize.GUESS:
            before, now = self.steps[index - 1].shown, self.steps[index].shown
            return now is not before and any(
                _guess(one) != _guess(before.get(name)) for name, one in now.items()
            )
        return True

    def _ends_sentence(self, index: int) -> bool:
        """Whether the next edit is in another sentence than the one that led here."""
        here, there = self.steps[index], self.steps[index + 1]
        if not there.is_edit:
            return False
        last, following = self.changes[here.seq - 1].edit, self.changes[there.seq - 1].edit
        at = last.start + len(last.inserted)
        if following.start < at:
            removed_to = following.start + len(following.removed)
            at = max(at, removed_to) - len(following.removed) + len(following.inserted)
        sentences = Tossup(self._versions.after(there.seq)).sentences

        def number(point: int) -> int:
            return sum(span.end < point for span in sentences)

        return number(at) != number(following.start + len(following.inserted))

    def points(self, player: str) -> tuple[tuple[int, RecordedPlay], ...]:
        return tuple(self._points.get(player, ()))

    @cached_property
    def _points(self) -> dict[str, list[tuple[int, RecordedPlay]]]:
        found: dict[str, list[tuple[int, RecordedPlay]]] = {}
        for index, step in enumerate(self.steps):
            for player in step.fresh:
                found.setdefault(player, []).append((index, step.shown[player]))
        return found

    @cached_property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """First and last edit of every stretch of typing, see :func:`typing_stretches`."""
        return typing_stretches(self.changes)

    @cached_property
    def moves(self) -> tuple[HistoryMove, ...]:
        """What moved the players, the farthest first: :attr:`attempts` after which one buzzes elsewhere."""
        order = {player: place for place, player in enumerate(self.players)}
        found = []
        for (before_seq, seq), shifts in self.attempts.items():
            if any(one.moved for one in shifts):
                told = self.merged_edits_between(before_seq, seq)
                if told:
                    moved = sorted(shifts, key=lambda one: order[one.player])
                    found.append(HistoryMove(before_seq + 1, seq, told, tuple(moved)))
        return tuple(sorted(found, key=lambda move: (-move.size(), move.first)))

    @cached_property
    def attempts(self) -> Mapping[tuple[int, int], tuple[PlayerShift, ...]]:
        """What the players said before and after each run of edits, by the edits after which they were asked.

        Every run of edits counts as far as it was analysed; where a slow player missed runs, what it said
        next is owed to all of them. Analyses by different engines are not compared, and a player that
        cannot know the answer is moved by no edit.
        """
        kept: dict[str, dict[int, RecordedPlay]] = {player: {} for player in self.players}
        for step in self.steps:
            for player in step.fresh:
                kept[player][step.seq] = step.shown[player]
        shifts: dict[tuple[int, int], list[PlayerShift]] = {}
        last: dict[str, RecordedPlay] = {}
        for first, final in self.runs:
            for player, seq in _cuts(kept, first, final):
                here = kept[player][seq]
                before = last.get(player)
                last[player] = here
                if not (here.knowable and (before is None or before.knowable)):
                    continue
                if before is not None and before.engine == here.engine:
                    shifts.setdefault((before.seq, seq), []).append(PlayerShift(player, before, here))
        return {place: tuple(found) for place, found in shifts.items()}

    def merged_edits_between(self, before: int, after: int) -> tuple[Edit, ...]:
        """What leads from the text after edit ``before`` to that after edit ``after``, as people tell it.

        These are edits in whole words, each of the text that those before it left.
        """
        text = self._versions.after(before)
        found = []
        made = merged_edits((change.edit for change in self.changes[before:after]), text)
        for piece in made:
            found.append(piece.expanded_to_words(text))
            text = piece.apply(text)
        return tuple(found)


def replay_with(
    history: History,
    indices: Sequence[int],
    players: Sequence[Player],
    cancellation: Cancellation | None = None,
    *,
    buzz_chance: float = 0.0,
) -> Iterator[tuple[int, tuple[RecordedPlay, ...]]]:
    """What ``players`` make of the steps ``indices`` of an old history; one step after the other.

    Each is read for the answer it had then. Texts that came back are read once. A player in trouble is
    left out. ``buzz_chance`` is the buzz rule, as in :class:`~quizwriter.workflow.analysis.Request`. Slow:
    every step is a whole game of every player.
    """
    cancellation = cancellation or Cancellation()
    analyst = Analyst(players)
    engines = {player.name: player.engine for player in players}
    known: dict[Tossup, tuple[Playthrough, ...]] = {}
    for index in indices:
        tossup, step = history.tossup(index), history.steps[index]
        plays = known.get(tossup)
        if plays is None:
            # Nobody is called so: only the games are wanted, and no evidence.
            for analysis in analyst.analyse(Request(0, tossup, whose="", buzz_chance=buzz_chance)):
                cancellation.check()
                plays = analysis.plays
            assert plays is not None
            known[tossup] = plays
        yield (
            index,
            tuple(
                RecordedPlay.of(play, seq=step.seq, at_ms=step.at_ms, engine=engines[play.guesser])
                for play in plays
                if play.trouble is None
            ),
        )


def every_nth(history: History, nth: int) -> tuple[int, ...]:
    """Every ``nth`` step of ``history`` that has words, counted back from the last one."""
    last = len(history) - 1
    return tuple(
        index for index in range(len(history)) if (last - index) % nth == 0 and history.steps[index].words
    )


def history_table(
    history: History, reread: Mapping[str, Sequence[tuple[int, RecordedPlay]]] | None = None
) -> Iterator[list[object]]:
    """The history as a table, a row for every analysis of every step, with the names of the columns first.

    Positions are in words, and empty where a player has none; ``can_know`` is 0 where the player cannot know
    the answer. ``reread`` adds what today's players say of it.
    """
    yield [
        "step", "edit", "at_ms", "characters", "words", "answer", "player", "engine", "reread",
        "buzz", "buzz_page", "first_right", "right_for_good", "guess", "can_know",
    ]  # fmt: skip
    later: dict[int, list[RecordedPlay]] = {}
    for points in (reread or {}).values():
        for index, shown in points:
            later.setdefault(index, []).append(shown)
    for index, step in enumerate(history.steps):
        begins = [
            index + 1, step.seq, step.at_ms, len(history.text(index)), step.words,
            step.answer.line if step.answer else "",
        ]  # fmt: skip
        analyses = [(step.shown[name], 0) for name in history.players if name in step.fresh]
        analyses += [(shown, 1) for shown in later.get(index, [])]
        for shown, anew in analyses:
            yield [
                *begins, shown.guesser, shown.engine, anew, shown.buzz_heard, shown.buzz_page,
                shown.first_correct, shown.stable_correct, shown.top[0].page if shown.top else None,
                int(shown.knowable),
            ]  # fmt: skip
        if not analyses:
            yield [*begins, *[None] * 9]


def _steps(
    changes: Sequence[Change],
    versions: VersionCache,
    shown: Sequence[RecordedPlay],
    asked: Sequence[AnswerChange],
) -> Iterator[HistoryStep]:
    readings: dict[int, list[dict[str, RecordedPlay]]] = {}
    for one in shown:
        there = readings.setdefault(one.seq, [{}])
        if one.guesser in there[-1]:  # the same text again: another answer, or another engine
            there.append({})
        there[-1][one.guesser] = one
    state: dict[str, RecordedPlay] = {}
    # An answer is saved a moment after it was read to the players, so it is known to hold only by the
    # time the next step begins. Who has not set one yet knows all the same what it will be.
    answer = asked[0].answer if asked else None
    at = words = 0
    for change in changes:
        here = readings.get(change.seq, [{}])
        begins = [min((one.at_ms for one in reading.values()), default=0) for reading in here]
        for number, reading in enumerate(here):
            if reading:
                state = state | reading
                words = next(iter(reading.values())).words
            elif not number:
                words = Tossup(versions.after(change.seq)).length
            last = number + 1 == len(here)
            until = (change.seq + 1, 0) if last else (change.seq, begins[number + 1])
            while at < len(asked) and (asked[at].seq, asked[at].at_ms) < until:
                answer = asked[at].answer
                at += 1
            yield HistoryStep(
                seq=change.seq,
                at_ms=begins[number] if number else change.at_ms,
                is_edit=not number,
                answer=answer,
                words=words,
                shown=state,
                fresh=frozenset(reading),
            )


def _cuts(
    kept: Mapping[str, Mapping[int, RecordedPlay]], first: int, final: int
) -> Iterator[tuple[str, int]]:
    """After which edit from ``first`` to ``final`` each player is asked what the run did: for all the same.

    Where there is no such edit, it is each player's own last one; who read none of them is left out.
    """
    mine = {
        player: {seq for seq in range(first, final + 1) if seq in by_seq} for player, by_seq in kept.items()
    }
    mine = {player: seqs for player, seqs in mine.items() if seqs}
    common = set.intersection(*mine.values()) if mine else set()
    for player, seqs in mine.items():
        yield player, max(common or seqs)


def _guess(shown: RecordedPlay | None) -> tuple[Page | None, Page | None]:
    """What a player believes in: its first guess in the end, and what it buzzes on."""
    if shown is None:
        return None, None
    return shown.top[0].page if shown.top else None, shown.buzz_page


def typing_stretches(changes: Sequence[Change]) -> tuple[tuple[int, int], ...]:
    """First and last edit of every stretch of typing: at one place, without a pause, in one sentence.

    ``changes`` are those of a tossup from its first.
    """
    found: list[tuple[int, int]] = []
    run: Edit | None = None
    before: Change | None = None
    text = ""
    for change in changes:
        going_on = before is not None and run is not None and _goes_on(run, before, change)
        joined = run.joined(change.edit, text) if run is not None and going_on else None
        if joined is None:
            found.append((change.seq, change.seq))
            run = change.edit
        else:
            found[-1] = (found[-1][0], change.seq)
            run = joined
        before, text = change, change.edit.apply(text)
    return tuple(found)


def _goes_on(run: Edit, before: Change, change: Change) -> bool:
    """Whether ``change`` is typing on in ``run``, which ``before`` was the last edit of.

    Behind a sentence's end nothing goes on but taking that end back.
    """
    edit, last = change.edit, before.edit
    cursor, end = last.start + len(last.inserted), edit.start + len(edit.removed)
    if abs(change.at_ms - before.at_ms) >= PAUSE_MS or len(edit.removed) + len(edit.inserted) > TYPED:
        return False
    if max(edit.start - cursor, cursor - end) > TYPED:
        return False
    if run.inserted.rstrip(" \n\"”’')]").endswith((".", "?", "!")):
        return bool(edit.removed) and end == run.start + len(run.inserted)
    return True
