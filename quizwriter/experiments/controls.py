"""Controls: other questions, one for each question of a set, as like it as there are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quizwriter.domain.tossup import Tossup
from quizwriter.engine import Engine
from quizwriter.workflow.checks import DuplicateFinder, OtherTossup


@dataclass(frozen=True, slots=True)
class ControlCandidate:
    """A question that may become a control; ``key`` is that of its answer."""

    id: str
    tossup: Tossup
    category: str
    key: str
    words: int

    @classmethod
    def of(cls, identifier: str, tossup: Tossup, category: str) -> ControlCandidate:
        """The candidate that ``tossup`` is."""
        key = tossup.answer.key if tossup.answer else ""
        return cls(identifier, tossup, category, key, tossup.length)


class ControlPool:
    """The candidates that are not matched yet."""

    def __init__(self, candidates: Iterable[ControlCandidate]) -> None:
        self._by_id = {one.id: one for one in candidates}
        # the lengths and ids in each bucket, in order, so that the nearest length is found by halving
        self._whole = sorted((one.words, one.id) for one in self._by_id.values())
        self._by_key: dict[str, list[tuple[int, str]]] = {}
        self._by_category: dict[str, list[tuple[int, str]]] = {}
        for place in self._whole:
            one = self._by_id[place[1]]
            self._by_key.setdefault(one.key, []).append(place)
            self._by_category.setdefault(one.category.casefold(), []).append(place)

    def take_nearest(
        self, key: str, category: str, words: int, *, same_answer: bool
    ) -> ControlCandidate | None:
        """The candidate whose length is nearest to ``words``, which is in the pool no longer; None: no one.

        With ``same_answer``, it is on the answer with ``key``; else on the same answer if there is one, else
        of the same category, else any.
        """
        among = self._by_key.get(key, [])
        if not same_answer:
            among = among or self._by_category.get(category.casefold(), []) or self._whole
        if not among:
            return None
        at = bisect_left(among, (words, ""))
        near = among[at : at + 1]
        if at:
            near += [among[bisect_left(among, (among[at - 1][0], ""))]]
        place = min(near, key=lambda one: (abs(one[0] - words), one[1]))
        nearest = self._by_id[place[1]]
        for held in (self._by_key[nearest.key], self._by_category[nearest.category.casefold()], self._whole):
            del held[bisect_left(held, place)]
        return nearest


def matched(
    targets: Sequence[ControlCandidate], pool: Sequence[ControlCandidate]
) -> list[tuple[int, ControlCandidate, bool]]:
    """A candidate of ``pool`` for each of ``targets``, as far as there are any; True: on the same answer.

    No target takes another one's only match on its answer.
    """
    left = ControlPool(pool)
    found: dict[int, tuple[ControlCandidate, bool]] = {}
    for same_answer in (True, False):
        for at, target in enumerate(targets):
            if at in found:
                continue
            one = left.take_nearest(target.key, target.category, target.words, same_answer=same_answer)
            if one is not None:
                found[at] = one, same_answer
    return [(at, one, same) for at, (one, same) in sorted(found.items())]


def was_asked(tossup: Tossup, engine: Engine) -> bool:
    """Whether a past question of the bundle of ``engine`` is the same as ``tossup``, or near to it."""
    past = engine.retrieval.similar_past_tossups(tossup)
    finder = DuplicateFinder(OtherTossup(str(at), source, text) for at, (source, text) in enumerate(past))
    return bool(finder.of(tossup.text))
