"""Which tossups are released, which one stands for its near duplicates, and which split each belongs to."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change
from quizwriter.domain.provenance import Provenance
from quizwriter.domain.review import LOCKED, Consent, Status
from quizwriter.domain.review_state import Review
from quizwriter.domain.tossup import Tossup
from quizwriter.store.plays import PlaySummary
from quizwriter.store.summaries import ReleaseState
from quizwriter.workflow.branches import Game
from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup
from quizwriter.workflow.session import AnswerChange

SPLIT_SHARES: Mapping[str, float] = {"validation": 0.2, "test": 0.8}
"""The splits, with the share of the questions that each gets."""


class Candidate(msgspec.Struct, frozen=True):
    """A tossup that may be released, with all that the store knows of it."""

    tossup_id: str  # in the database
    released_id: str  # see :meth:`quizwriter.challenge.privacy.Pseudonyms.of_question`
    tossup: Tossup
    review: Review
    author: str  # a person's id; empty if unknown
    provenance: Provenance
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    answers: tuple[AnswerChange, ...] = ()
    games: Sequence[Game] = ()
    shown: Sequence[tuple[int, str]] = ()  # after which edit which player showed its game

    @property
    def changed_ms(self) -> int:
        """The time of the last edit in milliseconds since 1970; 0 if it is not known."""
        return self.changes[-1].at_ms if self.changes else 0


class Selection(msgspec.Struct, frozen=True):
    """What the editor wants released; consent is needed in any case.

    Players in ``stumps`` must be able to know the answer, and not be right at any time in the first ``until``
    per cent of the words.
    Tossups in ``kept_duplicates`` are released although they are near duplicates of another one;
    ``keep_duplicates`` releases all near duplicates.
    """

    statuses: frozenset[Status] = frozenset({Status.ACCEPTED})
    set_name: str | None = None  # None: any set
    stumps: tuple[str, ...] = ()
    until: int = 100
    keep_duplicates: bool = False
    kept_duplicates: frozenset[str] = frozenset()

    def as_json(self, released_id: Callable[[str], str]) -> dict[str, Any]:
        """The selection as the manifest records it, ready for JSON.

        ``released_id`` gives the id under which a tossup is released.
        """
        return {
            "statuses": sorted(self.statuses),
            "set": self.set_name,
            "stumps": sorted(self.stumps),
            "until_per_cent_of_words": self.until,
            "near_duplicates": "all kept" if self.keep_duplicates else "one kept",
            "kept_all_the_same": sorted(map(released_id, self.kept_duplicates)),
        }


class Exclusions(msgspec.Struct):
    """The tossups that are left out: their number for each reason, and the near duplicates among them."""

    reasons: Counter[str] = msgspec.field(default_factory=Counter)
    near_duplicates: list[tuple[str, tuple[str, ...]]] = msgspec.field(
        default_factory=list
    )  # a released tossup, and its near duplicates


UNWANTED = "another status or set"
UNFINISHED = "no text or no answer"
SUPERSEDED = "another branch was adopted"
BINNED = "in the bin"
NOT_ASKED = "the writer was not asked for consent"
REFUSED = "the writer does not consent"
NEVER = "marked do not release"
RETRACTED = "retracted earlier"
NAMED = "a name in it is never to be released"
CHANGED = "not accepted again after a change"
NOT_STUMPING = "does not stump the players chosen"
NOT_KNOWABLE = "no page of the players it is to stump"
NEAR_DUPLICATE = "near duplicate of one that is released"
ANOTHER_BRANCH = "another branch of one that is released"
_CONSENT = {Consent.NOT_ASKED: NOT_ASKED, Consent.NO: REFUSED, Consent.DO_NOT_RELEASE: NEVER}


def select_releasable(
    states: Iterable[ReleaseState],
    selection: Selection,
    exclusions: Exclusions,
    is_retracted: Callable[[str], bool],
    was_released: Callable[[str], bool] = lambda key: False,
) -> list[str]:
    """The ids of the tossups whose states allow a release; ``exclusions`` counts the others.

    Of a tossup with branches one is released, of those that may be: one that was before, else the first of
    ``states``. It is retracted if one of them is, and a refusal of one of them that is shown holds. It is
    left out once, if none of them is released.
    """
    states = list(states)
    branches: dict[str, list[ReleaseState]] = {}
    for one in states:
        branches.setdefault(one.root, []).append(one)
    refusals = {
        one.root: one.consent
        for one in states
        if one.consent in (Consent.NO, Consent.DO_NOT_RELEASE) and not (one.superseded or one.binned)
    }
    found: dict[str, list[str]] = {}  # by the tossups that the branches are of
    left_out: dict[str, str] = {}
    for one in states:
        if one.superseded:
            reason = SUPERSEDED
        elif one.binned:
            reason = BINNED
        elif one.status not in selection.statuses or selection.set_name not in (None, one.set_name):
            reason = UNWANTED
        elif (consent := refusals.get(one.root, one.consent)) != Consent.YES:
            reason = _CONSENT[Consent(consent)]
        elif any(is_retracted(branch.tossup_id) for branch in branches[one.root]):
            reason = RETRACTED
        elif not one.words or not one.answered:
            reason = UNFINISHED
        elif one.changed_since and one.status in LOCKED:
            reason = CHANGED  # what is there now is not what was accepted
        else:
            found.setdefault(one.root, []).append(one.tossup_id)
            continue
        if left_out.get(one.root, SUPERSEDED) == SUPERSEDED:
            left_out[one.root] = reason
    exclusions.reasons.update(reason for root, reason in left_out.items() if root not in found)
    exclusions.reasons.update(ANOTHER_BRANCH for keys in found.values() for _ in keys[1:])
    return [next(filter(was_released, keys), keys[0]) for keys in found.values()]


def select_stumping(
    candidates: Iterable[Candidate],
    games: Mapping[str, Sequence[PlaySummary]],
    selection: Selection,
    exclusions: Exclusions,
) -> list[Candidate]:
    """The candidates that stump the chosen players in ``games``; ``exclusions`` counts the others."""
    found = []
    for one in candidates:
        chosen = [game for game in games[one.tossup_id] if game.guesser in selection.stumps]
        if not all(game.knowable for game in chosen):
            exclusions.reasons[NOT_KNOWABLE] += 1
        elif not all(game.stumped(selection.until) for game in chosen):
            exclusions.reasons[NOT_STUMPING] += 1
        else:
            found.append(one)
    return found


def select_representatives(
    candidates: Sequence[Candidate],
    games: Mapping[str, Sequence[PlaySummary]],
    selection: Selection,
    released: frozenset[str],
    exclusions: Exclusions,
) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates to release; and for the id of each near duplicate, the id that stands for its group.

    A tossup whose released id is among those ``released`` before stands for its near duplicates, else the
    tossup that stumps the most players, else the tossup that was changed last.
    """
    by_id = {one.tossup_id: one for one in candidates}

    def rank(key: str) -> tuple[bool, int, int, str]:
        stumps = sum(game.stumped() for game in games[key])
        return by_id[key].released_id not in released, -stumps, -by_id[key].changed_ms, key

    others = sorted(by_id)
    near_duplicates = DuplicateFinder(OtherTossup(key, key, by_id[key].tossup.text) for key in others)
    groups: dict[str, str] = {}
    out: set[str] = set()
    for group in near_duplicates.groups():
        first, *rest = sorted(group, key=rank)
        groups |= dict.fromkeys(group, first)
        leaving = (
            [] if selection.keep_duplicates else [key for key in rest if key not in selection.kept_duplicates]
        )
        if leaving:
            exclusions.near_duplicates.append((first, tuple(sorted(leaving))))
            exclusions.reasons[NEAR_DUPLICATE] += len(leaving)
            out.update(leaving)
    return [one for one in candidates if one.tossup_id not in out], groups


def assign_numbers(keys: Iterable[str], frozen: Mapping[str, int]) -> dict[str, int]:
    """A number for each tossup by its released id: its ``frozen`` number, else one drawn from that id.

    The numbers are larger than those of QANTA's own questions, and fit its 32 bits.
    """
    found = {key: frozen[key] for key in keys if key in frozen}
    taken = set(frozen.values())
    for key in sorted(set(keys) - found.keys()):
        attempt = 0
        while (number := 1_000_000_000 + _draw(f"{attempt} {key}") % 1_000_000_000) in taken:
            attempt += 1
        found[key] = number
        taken.add(number)
    return found


class SplitGroup(msgspec.Struct, frozen=True):
    """Near duplicates, which must be in one split, and the stratum in which they are counted."""

    stratum: str
    keys: tuple[str, ...]


def assign_splits(units: Iterable[SplitGroup], frozen: Mapping[str, str], seed: int) -> dict[str, str]:
    """The split of each tossup: its ``frozen`` split, else the split that has too few of its stratum.

    Groups come in an order drawn with ``seed`` from their keys. Each group goes into the split that lacks
    most tossups, in its stratum and in all strata together. Each stratum is therefore divided by
    :data:`SPLIT_SHARES`, as far as whole groups allow, and no tossup leaves the split of an earlier release.
    """
    found: dict[str, str] = {}
    counts: dict[str, Counter[str]] = {"": Counter()}  # by stratum; "" is all of them

    def put(unit: SplitGroup, where: str) -> None:
        for key in unit.keys:
            found[key] = frozen.get(key, where)
            for stratum in (unit.stratum, ""):
                counts.setdefault(stratum, Counter())[found[key]] += 1

    fresh = []
    for unit in units:
        before = sorted(frozen[key] for key in unit.keys if key in frozen)
        if before:
            put(unit, before[0])
        else:
            fresh.append(unit)
    for unit in sorted(fresh, key=lambda unit: (_draw(f"{seed} {min(unit.keys)}"), unit.keys)):
        size = len(unit.keys)

        def missing(name: str, unit: SplitGroup = unit, size: int = size) -> float:
            tallies = [counts.get(stratum, Counter[str]()) for stratum in (unit.stratum, "")]
            return sum(SPLIT_SHARES[name] * (tally.total() + size) - tally[name] for tally in tallies)

        put(unit, max(SPLIT_SHARES, key=missing))
    return found


def _draw(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
