"""The same tossup from several machines: which histories belong together, and which are separate branches.

Uniting is commutative, associative and idempotent: machines that have received the same histories end with
the same branches, and the order in which the histories came does not matter. The ids of branches are each
machine's own: a branch keeps the id under which its machine knew it first, whatever others send.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, edit_ids, replay
from quizwriter.domain.signatures import SignedRun
from quizwriter.domain.tossup import Answer
from quizwriter.workflow.session import AnswerChange

T = TypeVar("T")

MOST_BRANCHES = 100
"""Branches that a tossup may have. People who write together make two or three."""

Game = tuple[int, int, str, str, int, int | None, int | None, int | None, str | None, str]
"""A player's game as it is stored: seq, at_ms, guesser, engine, words, first_correct, stable_correct,
buzz_heard, buzz_page, and the last guesses as JSON. A tuple, because a history has thousands of games."""


class Branch(msgspec.Struct, frozen=True):
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
    runs: tuple[SignedRun, ...] = ()  # signatures of its edits

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Branch) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[object, ...]:
        parts = (self.changes, self.answers, self.games, self.events)
        return (self.root, self.created_ms, *parts, self.ids, self.text)

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


def unite_branches(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """The branches of one tossup that together contain everything in ``branches``, in their order.

    A history that is the beginning of another becomes part of it. Answers, games and events belong to every
    branch that contains the edit after which they happened. Where two histories diverge, the one whose next
    edit was made first comes first.
    """
    known = list(branches)
    if len(known) < 2:
        return tuple(known)
    kept: list[Branch] = []
    contained: set[str] = set()
    for branch in sorted(known, key=lambda one: len(one.ids), reverse=True):
        if branch.head in contained or (kept and not branch.ids):
            continue
        kept.append(branch)
        contained.update(branch.ids)
    created_ms = min(branch.created_ms for branch in known)
    answers = _by_edit((_at(branch, one.seq), one) for branch in known for one in branch.answers)
    games = _by_edit((_at(branch, one[0]), one) for branch in known for one in branch.games)
    events = _by_edit(
        (event.after if event.seq else event.tossup_id, event) for event in preferred_events(known)
    )
    answers_at = {at: _answers_in_order(some) for at, some in answers.items()}
    games_at = {at: games_in_order(some) for at, some in games.items()}
    return tuple(
        replace(
            branch,
            created_ms=created_ms,
            answers=_at_edits(branch, answers_at),
            games=_at_edits(branch, games_at),
            events=_events_in_order(_at_edits(branch, events)),
        )
        for branch in sorted(kept, key=_course)
    )


def preferred_events(branches: Iterable[Branch]) -> Iterable[Event]:
    """The events of ``branches``; of several with one id, the one that every computer prefers."""
    found: dict[str, Event] = {}
    for branch in branches:
        for event in branch.events:
            found[event.id] = found.get(event.id, event).preferred(event)
    return found.values()


def name_branches(
    known: Mapping[str, Branch], united: Sequence[Branch], is_taken: Callable[[str], bool]
) -> dict[str, Branch]:
    """The ``united`` branches of a tossup by their ids, in their order.

    A branch that continues one of those ``known`` keeps its id; if several do, the first. Of the others, the
    first gets the tossup's own id if it is free, and each other one an id computed from the first edit that
    no branch before it has, unless the id ``is_taken`` by another tossup.
    """
    heads = {branch.head: key for key, branch in known.items()}
    keys: dict[str, Branch] = {}
    new: list[Branch] = []
    contained: set[str] = set()
    for branch in united:
        continued = next((heads[at] for at in reversed(branch.ids) if at in heads), heads.get(branch.root))
        if continued is None or continued in keys:
            new.append(branch)
        else:
            keys[continued] = branch
            contained.update(branch.ids)
    for branch in new:
        key = branch.root
        if key in keys:
            way = next(at for at in branch.ids if at not in contained)
            named = (_branch_id(branch.root, way, count) for count in itertools.count())
            key = next(one for one in named if one not in keys and not is_taken(one))
        keys[key] = branch
        contained.update(branch.ids)
    return keys


def _branch_id(root: str, way: str, count: int) -> str:
    """The id of a branch that goes the ``way`` of an edit; ``count`` is how many such ids are taken."""
    return hashlib.sha256(" ".join(["branch", root, way, *[str(count)][: count > 0]]).encode()).hexdigest()[
        :32
    ]


def _at(branch: Branch, seq: int) -> str:
    return branch.ids[seq - 1] if seq else branch.root


def _by_edit(things: Iterable[tuple[str, T]]) -> dict[str, set[T]]:
    """``things``, each with the id of its edit, by these ids."""
    found: dict[str, set[T]] = {}
    for at, thing in things:
        found.setdefault(at, set()).add(thing)
    return found


def _at_edits(branch: Branch, things: Mapping[str, Iterable[T]]) -> tuple[T, ...]:
    """Those of ``things``, by the ids of their edits, that are at edits of ``branch``, in its order."""
    return tuple(thing for at in (branch.root, *branch.ids) for thing in things.get(at, ()))


def _course(branch: Branch) -> list[tuple[int, str]]:
    """The times and ids of the edits; histories diverge where these do."""
    return [(change.at_ms, key) for change, key in zip(branch.changes, branch.ids, strict=True)]


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
