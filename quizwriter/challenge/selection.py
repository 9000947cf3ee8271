"""Which tossups are released, which of several alike stands for them, and to which split each belongs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quizwriter.domain.history import Change
from quizwriter.domain.review import Consent, Event, Review, Status
from quizwriter.domain.tossup import Tossup
from quizwriter.store import ReleaseState
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.branches import Game
from quizwriter.workflow.checks import DuplicateFinder, OtherTossup
from quizwriter.workflow.session import AnswerChange

SHARES: Mapping[str, float] = {"validation": 0.2, "test": 0.8}
"""The splits, and how much of the questions each gets."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tossup that may be released, with all that the store knows of it."""

    tossup_id: str
    tossup: Tossup
    review: Review
    author: str  # a person's id; empty if unknown
    changes: tuple[Change, ...] = ()
    events: tuple[Event, ...] = ()
    answers: tuple[AnswerChange, ...] = ()
    games: Sequence[Game] = ()

    @property
    def changed_ms(self) -> int:
        """When it was edited last; 0 if that is not known."""
        return self.changes[-1].at_ms if self.changes else 0


@dataclass(frozen=True, slots=True)
class Selection:
    """What the editor wants released; consent is needed in any case.

    Players in ``stumps`` must be able to know the answer, and not be right at any time in the first ``until``
    per cent of the words.
    Tossups in ``kept`` are released though another says much the same; ``every_repeat`` keeps all.
    """

    statuses: frozenset[Status] = frozenset({Status.ACCEPTED})
    set_name: str | None = None  # None: of whichever set
    stumps: tuple[str, ...] = ()
    until: int = 100
    every_repeat: bool = False
    kept: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """The choice as the manifest has it."""
        return {
            "statuses": sorted(self.statuses),
            "set": self.set_name,
            "stumps": sorted(self.stumps),
            "until_per_cent_of_words": self.until,
            "near_duplicates": "all kept" if self.every_repeat else "one kept",
            "kept_all_the_same": sorted(self.kept),
        }


@dataclass
class Exclusions:
    """What stays out: how many for each reason, and what was near the same."""

    reasons: Counter[str] = field(default_factory=Counter)
    repeats: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # who stands for whom


UNWANTED = "another status or set"
UNFINISHED = "no text or no answer"
SUPERSEDED = "another branch was adopted"
NOT_ASKED = "the writer was not asked for consent"
REFUSED = "the writer does not consent"
NEVER = "marked do not release"
RETRACTED = "retracted earlier"
NOT_STUMPING = "does not stump the players chosen"
NOT_KNOWABLE = "no page of the players it is to stump"
REPEATED = "near duplicate of one that is released"
_CONSENT = {Consent.NOT_ASKED: NOT_ASKED, Consent.NO: REFUSED, Consent.DO_NOT_RELEASE: NEVER}


def releasable(
    stands: Iterable[ReleaseState], choice: Selection, retracted: frozenset[str], left: Exclusions
) -> list[str]:
    """The ids of those that may be released as far as lists know; ``left`` counts the others."""
    found = []
    for one in stands:
        if one.superseded:
            reason = SUPERSEDED
        elif one.status not in choice.statuses or choice.set_name not in (None, one.set_name):
            reason = UNWANTED
        elif one.consent != Consent.YES:
            reason = _CONSENT[Consent(one.consent)]
        elif one.tossup_id in retracted:
            reason = RETRACTED
        elif not one.words or not one.answered:
            reason = UNFINISHED
        else:
            found.append(one.tossup_id)
            continue
        left.reasons[reason] += 1
    return found


def stumping(
    candidates: Iterable[Candidate],
    games: Mapping[str, Sequence[PlaySummary]],
    choice: Selection,
    left: Exclusions,
) -> list[Candidate]:
    """Those that stump the players chosen, by the ``games`` on each; ``left`` counts the others."""
    found = []
    for one in candidates:
        chosen = [game for game in games[one.tossup_id] if game.guesser in choice.stumps]
        if not all(game.knowable for game in chosen):
            left.reasons[NOT_KNOWABLE] += 1
        elif not all(game.stumped(choice.until) for game in chosen):
            left.reasons[NOT_STUMPING] += 1
        else:
            found.append(one)
    return found


def represented(
    candidates: Sequence[Candidate],
    games: Mapping[str, Sequence[PlaySummary]],
    choice: Selection,
    released: frozenset[str],
    left: Exclusions,
) -> tuple[list[Candidate], dict[str, str]]:
    """Those that stand for all that say much the same, and for each of a group what the group is called.

    One that was ``released`` before stands for the others, else the one that stumps the most players, else
    the one changed last.
    """
    by_id = {one.tossup_id: one for one in candidates}

    def rank(key: str) -> tuple[bool, int, int, str]:
        stumps = sum(game.stumped() for game in games[key])
        return key not in released, -stumps, -by_id[key].changed_ms, key

    others = sorted(by_id)
    repeats = DuplicateFinder(OtherTossup(key, key, by_id[key].tossup.text) for key in others)
    groups: dict[str, str] = {}
    out: set[str] = set()
    for group in repeats.groups():
        first, *rest = sorted(group, key=rank)
        groups |= dict.fromkeys(group, first)
        leaving = [] if choice.every_repeat else [key for key in rest if key not in choice.kept]
        if leaving:
            left.repeats.append((first, tuple(sorted(leaving))))
            left.reasons[REPEATED] += len(leaving)
            out.update(leaving)
    return [one for one in candidates if one.tossup_id not in out], groups


def numbered(keys: Iterable[str], frozen: Mapping[str, int]) -> dict[str, int]:
    """A number for each tossup: the ``frozen`` one, else one that hardly depends on which others there are.

    They are above all numbers that QANTA gives out, and fit its 32 bits.
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


@dataclass(frozen=True, slots=True)
class SplitGroup:
    """Tossups that must be in one split, because they say much the same, and the stratum they count in."""

    stratum: str
    keys: tuple[str, ...]


def split(units: Iterable[SplitGroup], frozen: Mapping[str, str], seed: int) -> dict[str, str]:
    """The split of each tossup: the ``frozen`` one, else the one that has too few of its stratum.

    Units come in an order drawn with ``seed`` from their keys. Each goes where what is missing in its
    stratum and what is missing in all come to the most; so every stratum is split as :data:`SHARES` say, as
    far as whole tossups can be, and nothing that was split before moves.
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
            return sum(SHARES[name] * (tally.total() + size) - tally[name] for tally in tallies)

        put(unit, max(SHARES, key=missing))
    return found


def _draw(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
