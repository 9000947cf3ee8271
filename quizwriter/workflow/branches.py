"""The same tossup from several machines: which histories belong together, and which are separate branches.

Uniting is commutative, associative and idempotent: machines that have received the same histories end with
the same branches, and the order in which the histories came does not matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import itemgetter

from quizwriter.domain.history import Change, edit_ids, replay
from quizwriter.domain.review import Event
from quizwriter.domain.signatures import SignedRun
from quizwriter.domain.tossup import Answer
from quizwriter.workflow.session import AnswerChange

Game = tuple[int, int, str, str, int, int | None, int | None, int | None, str | None, str]
"""A player's game as it is stored: seq, at_ms, guesser, engine, words, first_correct, stable_correct,
buzz_heard, buzz_page, and the last guesses as JSON. A tuple, because a history has thousands of games."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of a tossup's history, whole, with everything that belongs to it.

    ``root`` is the id that the tossup was made with, which all its branches share. :meth:`of` makes one.
    """

    root: str
    created_ms: int
    changes: tuple[Change, ...]
    answers: tuple[AnswerChange, ...]  # in order
    games: tuple[Game, ...]  # in order
    events: tuple[Event, ...]  # in order
    ids: tuple[str, ...]  # of the changes
    text: str  # the draft as it stands
    runs: tuple[SignedRun, ...] = field(default=(), compare=False)  # signatures of its edits

    @classmethod
    def of(
        cls,
        root: str,
        created_ms: int,
        changes: Sequence[Change],
        answers: Iterable[AnswerChange] = (),
        games: Iterable[Game] = (),
        events: Iterable[Event] = (),
    ) -> Branch:
        """The branch with all its parts in order.

        Raises:
            ValueError: the changes do not fit each other.
        """
        return cls(
            root,
            created_ms,
            tuple(changes),
            _answers_in_order(set(answers)),
            games_in_order(set(games)),
            _events_in_order(events),
            tuple(edit_ids(root, changes)),
            replay(change.edit for change in changes),
        )

    @property
    def head(self) -> str:
        """The id of its last edit, or its root."""
        return self.ids[-1] if self.ids else self.root

    @property
    def answer(self) -> Answer | None:
        """The answer that was set last; None without one."""
        return self.answers[-1].answer if self.answers else None

    @property
    def touched_ms(self) -> int:
        """When its text or answer was changed last, in milliseconds since 1970."""
        return max(
            self.created_ms,
            max((change.at_ms for change in self.changes), default=0),
            max((one.at_ms for one in self.answers), default=0),
        )

    def contains(self, seq: int, after: str) -> bool:
        """Whether the branch contains edit number ``seq`` with the id ``after``; every branch contains 0."""
        return seq == 0 or (seq <= len(self.ids) and self.ids[seq - 1] == after)

    def until(self, seq: int) -> Branch:
        """The beginning of the branch, up to edit ``seq``."""
        return Branch.of(
            self.root,
            self.created_ms,
            self.changes[:seq],
            (one for one in self.answers if one.seq <= seq),
            (one for one in self.games if one[0] <= seq),
            (one for one in self.events if one.seq <= seq),
        )

    def covers(self, other: Branch) -> bool:
        """Whether ``other``'s history is a beginning of this one's."""
        return self.contains(len(other.ids), other.head)


def unite_branches(branches: Iterable[Branch]) -> dict[str, Branch]:
    """The branches of one tossup, by id, that together contain everything in ``branches``.

    A history that is the beginning of another becomes part of it. Where histories diverge, the one whose
    next edit was made first keeps the id, and each other one gets an id computed from its next edit. Answers,
    games and events belong to every branch that contains the edit after which they happened.
    """
    known = list(branches)
    kept: list[Branch] = []
    for branch in sorted(known, key=lambda one: len(one.ids), reverse=True):
        if not any(longer.covers(branch) for longer in kept):
            kept.append(branch)
    created_ms = min(branch.created_ms for branch in known)
    if len(known) == 1:
        return {known[0].root: known[0]}
    answers = {(_at(branch, one.seq), one) for branch in known for one in branch.answers}
    games = {(_at(branch, one[0]), one) for branch in known for one in branch.games}
    events = {event.id: event for branch in known for event in branch.events}
    return {
        key: replace(
            branch,
            created_ms=created_ms,
            answers=_answers_in_order(one for at, one in answers if branch.contains(one.seq, at)),
            games=games_in_order(one for at, one in games if branch.contains(one[0], at)),
            events=_events_in_order(
                event for event in events.values() if branch.contains(event.seq, event.after)
            ),
        )
        for key, branch in _named(kept[0].root, kept, 0)
    }


def _at(branch: Branch, seq: int) -> str:
    return branch.ids[seq - 1] if seq else branch.root


def _named(key: str, branches: Sequence[Branch], at: int) -> Iterator[tuple[str, Branch]]:
    """``branches``, the same up to edit ``at`` and none a beginning of another, with their ids."""
    if len(branches) == 1:
        yield key, branches[0]
        return
    while len({branch.ids[at] for branch in branches}) == 1:
        at += 1
    ways: dict[str, list[Branch]] = {}
    for branch in branches:
        ways.setdefault(branch.ids[at], []).append(branch)
    first, *others = sorted(ways, key=lambda way: (ways[way][0].changes[at].at_ms, way))
    yield from _named(key, ways[first], at + 1)
    for way in others:
        branched = hashlib.sha256(f"branch {branches[0].root} {way}".encode()).hexdigest()[:32]
        yield from _named(branched, ways[way], at + 1)


def _answers_in_order(answers: Iterable[AnswerChange]) -> tuple[AnswerChange, ...]:
    def place(one: AnswerChange) -> tuple[int, int, str, str, str]:
        answer = one.answer
        line, page = (answer.line, answer.page or "") if answer else ("", "")
        return one.seq, one.at_ms, line, page, one.author

    return tuple(sorted(answers, key=place))


_WHICH_GAME = itemgetter(0, 1, 2, 3)


def games_in_order(games: Iterable[Game]) -> tuple[Game, ...]:
    """``games`` in the order of the edits they are of, the same on every machine."""
    found = sorted(games, key=_WHICH_GAME)
    if any(_WHICH_GAME(one) == _WHICH_GAME(other) for one, other in pairwise(found)):
        found.sort(key=lambda game: (_WHICH_GAME(game), str(game)))
    return tuple(found)


def _events_in_order(events: Iterable[Event]) -> tuple[Event, ...]:
    return tuple(sorted(events, key=lambda event: event.order))
