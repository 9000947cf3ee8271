"""Controls: other questions, one for each question of a set, as like it as there are."""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

import msgspec

from quizwriter.cancellation import Progress
from quizwriter.domain.past_questions import QuestionFilter
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import Engine
from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup

WORDS_APART, LEVELS_APART = 30, 2
"""So many words, or levels of difficulty, part two questions as far as one answer asked twice as often."""

FEWEST_WORDS, MOST_WORDS = 20, 400
"""A control is no fragment, and no longer than a draft may be."""

LOOKED_AT = 32
"""So many candidates that are shorter, and so many that are longer, are looked at: the nearest in length."""


class ControlCandidate(msgspec.Struct, frozen=True):
    """A question that may become a control, or that a control is wanted for; ``key`` is that of its answer.

    ``asked`` is how many tossups of the bundle ask for the answer; ``difficulty`` is None where it is not
    known.
    """

    id: str
    tossup: Tossup
    category: str
    key: str
    words: int
    asked: int = 0
    difficulty: int | None = None

    @classmethod
    def of(
        cls,
        identifier: str,
        tossup: Tossup,
        category: str,
        engine: Engine | None = None,
        difficulty: int | None = None,
    ) -> ControlCandidate:
        """The candidate that ``tossup`` is; ``engine`` has the bundle that says how often it was asked."""
        answer = tossup.answer
        asked = 0 if engine is None or answer is None or not answer.page else engine.pages.asked(answer.page)
        return cls(
            identifier, tossup, category, answer.key if answer else "", tossup.length, asked, difficulty
        )

    def distance(self, other: ControlCandidate) -> float:
        """How far two questions are apart in length, in how often they were asked, and in difficulty."""
        far = abs(self.words - other.words) / WORDS_APART
        far += abs(math.log2((1 + self.asked) / (1 + other.asked)))
        if self.difficulty is not None and other.difficulty is not None:
            far += abs(self.difficulty - other.difficulty) / LEVELS_APART
        return far


def with_page(tossup: Tossup, engine: Engine) -> Tossup:
    """``tossup`` with the page of the engine that its answer names, where the engine has one."""
    answer, pages = tossup.answer, engine.pages
    if answer is None:
        return tossup
    page = pages.find(answer.page or answer.main) or pages.find(answer.main)
    return tossup if page in {None, answer.page} else Tossup(tossup.text, Answer(answer.line, page))


def held_back_origins(engine: Engine) -> Mapping[str, tuple[str, int | None]]:
    """The category and the difficulty of each tossup that the bundle holds back, by its text.

    Bundles of older versions do not say them.
    """
    library = engine.library
    if library is None:
        return {}
    held, _ = library.tossups(QuestionFilter())
    found = map(library.question, held)
    return {one.text: (one.category, one.difficulty) for one in found}


class ControlPool:
    """The candidates that are not matched yet."""

    def __init__(self, candidates: Iterable[ControlCandidate], seed: int) -> None:
        """``seed`` decides between candidates that are equally near."""
        self._seed = seed
        self._by_id = {one.id: one for one in candidates}
        # the lengths and ids in each bucket, in order, so that the nearest lengths are found by halving
        self._whole = sorted((one.words, one.id) for one in self._by_id.values())
        self._by_key: dict[str, list[tuple[int, str]]] = {}
        self._by_category: dict[str, list[tuple[int, str]]] = {}
        for place in self._whole:
            one = self._by_id[place[1]]
            self._by_key.setdefault(one.key, []).append(place)
            self._by_category.setdefault(one.category.casefold(), []).append(place)

    def take_nearest(self, target: ControlCandidate, *, same_answer: bool) -> ControlCandidate | None:
        """The candidate nearest to ``target``, which is in the pool no longer; None: no one.

        With ``same_answer``, it is on the same answer; else on the same answer if there is one, else of the
        same category, else any.
        """
        among = self._by_key.get(target.key, [])
        if not same_answer:
            among = among or self._by_category.get(target.category.casefold(), []) or self._whole
        if not among:
            return None
        at = bisect_left(among, (target.words, ""))
        near = (self._by_id[name] for _, name in among[max(0, at - LOOKED_AT) : at + LOOKED_AT])
        nearest = min(near, key=lambda one: (one.distance(target), self._lot(one.id)))
        place = nearest.words, nearest.id
        for held in (self._by_key[nearest.key], self._by_category[nearest.category.casefold()], self._whole):
            del held[bisect_left(held, place)]
        return nearest

    def _lot(self, identifier: str) -> bytes:
        return hashlib.sha256(f"{self._seed} {identifier}".encode("utf-8", "surrogatepass")).digest()


Target = TypeVar("Target", bound=Hashable)


def matched(
    targets: Mapping[Target, ControlCandidate],
    candidates: Iterable[ControlCandidate],
    seed: int,
    *,
    may_be: Callable[[ControlCandidate], bool] = lambda one: True,
    step: Progress = lambda done, total: None,
) -> dict[Target, tuple[ControlCandidate, bool]]:
    """A control for each of ``targets``, as far as there are any; True: it is on the same answer.

    The control is on the same answer, else of the same category, else any; of several, the nearest, and of
    equally near ones the one that ``seed`` draws. No target takes another one's only match on its answer.
    What ``may_be`` refuses is no control.
    ``step`` gets how many targets have one and how many there are.
    """
    pool = ControlPool(candidates, seed)
    found: dict[Target, tuple[ControlCandidate, bool]] = {}
    for same_answer in (True, False):
        for name, target in targets.items():
            step(len(found), len(targets))
            while name not in found:
                nearest = pool.take_nearest(target, same_answer=same_answer)
                if nearest is None:
                    break
                if may_be(nearest):
                    found[name] = nearest, same_answer
    return {name: found[name] for name in targets if name in found}


def is_fresh(texts: Iterable[str], engine: Engine) -> Callable[[ControlCandidate], bool]:
    """Says of a candidate whether it is near none of ``texts`` and no past question of the bundle.

    Fragments, and what is longer than a draft may be, are refused, too.
    """
    near = DuplicateFinder(OtherTossup(str(at), "", text) for at, text in enumerate(texts))

    def may_be(one: ControlCandidate) -> bool:
        if not FEWEST_WORDS <= one.words <= MOST_WORDS:
            return False
        return not near.of(one.tossup.text) and not was_asked(one.tossup, engine)

    return may_be


def was_asked(tossup: Tossup, engine: Engine) -> bool:
    """Whether a past question of the bundle of ``engine`` is the same as ``tossup``, or near to it."""
    past = engine.retrieval.similar_past_tossups(tossup)
    finder = DuplicateFinder(OtherTossup(str(at), source, text) for at, (source, text) in enumerate(past))
    return bool(finder.of(tossup.text))
