"""Finds past sentences that have the clue of a draft's sentence, and sentences that say nearly the same.

The index has for each stem the past sentences with it, so that one running sum over the stems of a sentence
compares it with all that ever were asked. Texts are read of the few that share enough rare words; they tell
which of them have the same clue (:mod:`quizwriter.engine.same_clue`) and which are worded alike only.
Everything is read from the bundle when it is first needed.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from threading import Lock
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from quizwriter.domain.page import answer_key
from quizwriter.domain.span import Span
from quizwriter.domain.stock_clues import CluePlace, Hearing, NearSentence, SentenceClues, clue_place
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.clue_tables import COMMON, TITLES, TOTALS, TitleWords, rarities, sentence_totals
from quizwriter.engine.library import Library, LibraryShelf
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.same_clue import (
    MOST_WORDS,
    SAME_FROM,
    AnswerWords,
    SentenceWords,
    sentence_words,
    shared_clue,
    tells_the_answer,
)
from quizwriter.engine.stored_arrays import Array, StoredArray, require
from quizwriter.engine.tokenizer import TOKEN, Hashes, places, title_stems, token
from quizwriter.system.decoding import DecodingError
from quizwriter.system.memory import own_cache

_LEAST_SHARED = 4.0  # the weight that two sentences must share to be looked at

_SHARED, _OF_DRAFT, _OF_PAST, _SAME_ANSWER, _RELATED_ANSWER, _BIAS = (4.59, 3.04, 3.63, 5.37, 3.56, -15.42)
"""The chance that two sentences have the same clue: a logistic regression on five figures.

They are the logarithm of one more than the weight that both share, its part of the draft's sentence and of
the past one, whether the answers are the same, and else whether one is named in the other sentence or answer.

Source:
    Fitted on 608 judged pairs of sentences, of held-back tournaments and of others; cross-validated by
    sentence, the area under the ROC is 0.945. How it was chosen is in docs/researchers.md.
"""

_Weights = Callable[[Hashes], npt.NDArray[np.float64]]

ALIKE_FROM = 0.6
"""A past sentence is worded alike from this chance on; then its words are compared with the draft's, too."""

NEAR_FROM = 0.55
"""Two sentences of which so much of the weight is common to both say nearly the same.

So are 90 in 100 past sentences found whose halves are swapped and of whose longer words every seventh is gone
or another one; one published tossup in four has such a sentence before its giveaway.
"""

_NEAR_STEMS, _NEAR_WEIGHT = 4, 12.0  # a sentence with less says what many must say

MOST_HEARINGS, MOST_ALIKE = 12, 3
"""Hearings of a sentence that are told; with those worded alike, if there are few others."""

_FIRST = "sentences/first.npy"

_REMEMBERED_STEMS = 20_000
_REMEMBERED_ANSWERS = 4  # with the past questions that have each stem
_REMEMBERED = (
    1_000  # sentences whose clues are kept, or words: those of a draft are asked for with every pause
)


class _Stems(msgspec.Struct, frozen=True):
    """A sentence of a draft: the places of its words by stem, and the weight of each stem that has one."""

    places: Mapping[int, tuple[Span, ...]]
    weights: Mapping[int, float]
    total: float


class ClueFinder:
    """Looks up the sentences of drafts among the past questions of a library. Any thread may ask."""

    def __init__(self, library: Library) -> None:
        """Those of ``library``; nothing is read yet."""
        before = np.cumsum([0, *(shelf.questions for shelf in library.shelves)]).tolist()
        self._shelves = [
            _Sentences(shelf, first)
            for shelf, first in zip(library.shelves, before, strict=False)
            if _FIRST in shelf.bundle.files
        ]  # the first says what stems weigh
        self._clues = own_cache(self._find, _REMEMBERED)
        self._words = own_cache(self._read, _REMEMBERED)
        self._asked = own_cache(self._words_on, _REMEMBERED_ANSWERS)
        self._known: dict[int, float] = {}
        self._turn = Lock()
        self._give_way: Callable[[], object] = lambda: None  # whoever has the turn

    @property
    def is_there(self) -> bool:
        return bool(self._shelves)

    def look_up(
        self,
        tossup: Tossup,
        others: SetSentences | None = None,
        give_way: Callable[[], object] = lambda: None,
    ) -> tuple[SentenceClues, ...]:
        """What past questions, and the ``others`` of its set, say of each sentence of ``tossup``, in order.

        A sentence that was looked up before, anywhere in a draft on the same answer, costs nothing.
        ``give_way`` is called every few milliseconds, for what is in more of a hurry.
        """
        page = "" if tossup.answer is None else tossup.answer.page or tossup.answer.main
        found = []
        for span in tossup.sentences:
            sentence = span.of(tossup.text)
            with self._turn:
                self._give_way = give_way
                clues = self._clues(sentence, page)
            near = None if others is None else others.near(self._weighed(sentence), self._weights)
            if near is not None and (clues.near is None or near.share > clues.near.share):
                clues = replace(clues, near=near)
            found.append(clues.moved(span.start))
        return tuple(found)

    def near_sentences(
        self, tossup: Tossup, others: SetSentences | None = None, key: str = ""
    ) -> Iterator[tuple[Span, NearSentence]]:
        """The sentences of ``tossup`` that a past question, or else one of ``others``, nearly says.

        ``key`` is the id of the one of the ``others`` that is ``tossup`` itself.
        """
        if others is None:
            found = ((clues.span, clues.near) for clues in self.look_up(tossup))
        else:
            found = (
                (span, others.near(self._weighed(span.of(tossup.text)), self._weights, key))
                for span in tossup.sentences
            )
        yield from ((span, near) for span, near in found if near is not None)

    # -- weights

    @property
    def _rarest(self) -> float:
        """What a stem weighs that one sentence has."""
        return max(0.0, math.log(max(1, self._shelves[0].count)) - COMMON)

    def _weights(self, stems: Hashes) -> npt.NDArray[np.float64]:
        first = self._shelves[0]
        rows = places(stems, first.terms)
        sizes = np.where(rows >= 0, first.offsets[rows + 1] - first.offsets[rows], 1)
        return rarities(sizes, first.count)

    def _weight_of(self, stems: Collection[int]) -> dict[int, float]:
        """What each of ``stems`` weighs; past sentences compared with a draft have many in common."""
        known = self._known
        if missing := [stem for stem in stems if stem not in known]:
            if len(known) > _REMEMBERED_STEMS:
                known.clear()
                missing = list(stems)
            found = self._weights(np.asarray(missing, np.uint64)).tolist()
            known.update(zip(missing, found, strict=True))
        return {stem: known[stem] for stem in stems}

    def _weighed(self, sentence: str) -> _Stems:
        where = defaultdict[int, list[Span]](list)
        for number, found in enumerate(TOKEN.finditer(sentence)):
            if number == MOST_WORDS:
                break
            if stem := token(found.group()).hash:
                where[stem].append(Span(*found.span()))
        weighed = {stem: weight for stem, weight in self._weight_of(where).items() if weight > 0}
        return _Stems({stem: tuple(where[stem]) for stem in weighed}, weighed, sum(weighed.values()))

    # -- one sentence

    def _find(self, sentence: str, page: str) -> SentenceClues:
        self._give_way()
        draft, words = self._weighed(sentence), sentence_words(sentence)
        own, asked = frozenset(title_stems(page)), self._asked(page)
        found: list[_Match] = []
        nearest: tuple[float, _Sentences, int] | None = None
        for shelf in self._shelves:
            rows, shared = shelf.sharing(draft.weights)
            own_weights = shelf is self._shelves[0]
            totals = shelf.totals(None if own_weights else self._weights)[rows]
            same = shelf.of_page(rows, page)
            chances = _chances(draft.total, shared, totals, same, shelf.related(rows, page, draft.places))
            found += [
                self._match(shelf, candidates, draft, words, own, asked)
                for candidates in shelf.surest(rows, chances, same)
            ]
            common = shared / np.maximum(draft.total + totals - shared, 1e-6)
            if len(common) and (nearest is None or common.max() > nearest[0]):
                best = int(common.argmax())
                nearest = float(common[best]), shelf, int(rows[best])
        found.sort(key=lambda one: (not one.on_answer, not one.shelf.year(one.row), -one.chance))
        heard = [one for one in found if one.stems]  # known sources first
        alike = [one for one in found if not one.stems]
        hearings = (*heard[:MOST_HEARINGS], *alike[: max(0, MOST_ALIKE - len(heard))])
        years = [year for one in heard if (year := one.shelf.year(one.row))]
        return SentenceClues(
            span=Span(0, len(sentence)),
            words=_known_words(draft, heard[:MOST_HEARINGS]),
            on_answer=sum(one.on_answer for one in heard),
            anywhere=len(heard),
            alike=len(alike),
            places=dict(Counter(one.shelf.place(one.row) for one in heard).most_common()),
            first=min(years, default=None),
            last=max(years, default=None),
            hearings=tuple(one.shelf.hearing(one, draft) for one in hearings),
            near=_near(draft, nearest),
        )

    def _read(self, shelf: _Sentences, row: int) -> SentenceWords:
        return sentence_words(shelf.passage(row))

    def _words_on(self, page: str) -> AnswerWords:
        shelves = [(shelf, shelf.on_page(page)) for shelf in self._shelves]
        before = np.cumsum([0, *(len(rows) for _, rows in shelves)]).tolist()

        def with_stem(stem: int) -> npt.NDArray[np.int64]:
            return np.concatenate(
                [
                    shelf.questions_with(stem, rows) + first
                    for (shelf, rows), first in zip(shelves, before, strict=False)
                ]
            )

        return AnswerWords(before[-1], with_stem)

    def _match(
        self,
        shelf: _Sentences,
        candidates: Sequence[tuple[int, float, bool]],
        draft: _Stems,
        words: SentenceWords,
        own: frozenset[int],
        asked: AnswerWords,
    ) -> _Match:
        """The sentence of a past question with the clue of the draft's, or else the one worded most alike."""
        for row, chance, on_answer in candidates:
            self._give_way()
            past = self._words(shelf, row)
            clue = shared_clue(
                words,
                past,
                {**self._weight_of(past.places), **draft.weights},
                self._rarest,
                own,
                asked=asked,
                on_answer=on_answer,
                names_answer=on_answer
                or not own
                or tells_the_answer(own, past, title_stems(shelf.page(row))),
            )
            if clue is not None and clue.figures.chance >= SAME_FROM:
                return _Match(row, chance, on_answer, shelf, clue.stems)
        return _Match(*candidates[0], shelf, frozenset())


class _Match(NamedTuple):
    """A past sentence that may have a clue, and the stems by which it has; none if it is worded alike."""

    row: int
    chance: float
    on_answer: bool
    shelf: _Sentences
    stems: frozenset[int]


def _chances(
    total: float,
    shared: npt.NDArray[np.float64],
    totals: npt.NDArray[np.float64],
    same: npt.NDArray[np.bool_],
    related: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float64]:
    """The chance of each past sentence to have the clue of a sentence that weighs ``total``."""
    sums = (
        _BIAS
        + _SHARED * np.log1p(shared)
        + _OF_DRAFT * shared / max(total, 1e-6)
        + _OF_PAST * shared / np.maximum(totals, 1e-6)
        + _SAME_ANSWER * same
        + _RELATED_ANSWER * (related & ~same)
    )
    return np.asarray(1 / (1 + np.exp(-sums)))


def _known_words(draft: _Stems, heard: Sequence[_Match]) -> tuple[Span, ...]:
    """The words of ``draft`` by which at least a third of the past sentences have its clue."""
    counts = Counter(stem for one in heard for stem in one.stems)
    known = (draft.places[stem] for stem, count in counts.items() if 3 * count >= len(heard))
    return tuple(sorted(span for spans in known for span in spans))


def _near(draft: _Stems, nearest: tuple[float, _Sentences, int] | None) -> NearSentence | None:
    if nearest is None or nearest[0] < NEAR_FROM or not _can_be_near(draft):
        return None
    share, shelf, row = nearest
    return NearSentence(shelf.source(row), shelf.passage(row), share)


def _can_be_near(draft: _Stems) -> bool:
    return len(draft.weights) >= _NEAR_STEMS and draft.total >= _NEAR_WEIGHT


class SetSentences:
    """The sentences of the tossups of a set, to find those that say nearly the same."""

    def __init__(self, others: Iterable[tuple[str, str, str]]) -> None:
        """Those of ``others``: id, name and text of each tossup."""
        self._sentences: list[tuple[str, str, str, frozenset[int]]] = []
        self._with_stem = defaultdict[int, list[int]](list)
        for key, name, text in others:
            for passage, stems in _sentences_of(text):
                for stem in stems:
                    self._with_stem[stem].append(len(self._sentences))
                self._sentences.append((key, name, passage, stems))

    def near(self, draft: _Stems, weights: _Weights, but: str = "") -> NearSentence | None:
        """The sentence that is nearest to ``draft``, if it is near; those of the tossup ``but`` are none."""
        if not _can_be_near(draft):
            return None
        shared: Counter[int] = Counter()
        for stem, weight in draft.weights.items():
            for number in self._with_stem.get(stem, ()):
                shared[number] += weight  # type: ignore[assignment]
        best, nearest = 0.0, -1
        for number, weight in shared.items():
            if weight < NEAR_FROM * draft.total:  # then less than that is common to both
                continue
            if but and self._sentences[number][0] == but:
                continue
            stems = self._sentences[number][3]
            total = float(weights(np.fromiter(stems, np.uint64, len(stems))).sum())
            common = weight / (draft.total + total - weight)
            if common > best:
                best, nearest = common, number
        if best < NEAR_FROM:
            return None
        key, name, passage, _ = self._sentences[nearest]
        return NearSentence(name, passage, best, key)


@lru_cache(maxsize=2_000)  # the tossups of a set are looked through after every pause
def _sentences_of(text: str) -> tuple[tuple[str, frozenset[int]], ...]:
    passages = [span.of(text) for span in Tossup(text).sentences]
    return tuple(
        (passage, frozenset(token(word).hash for word in TOKEN.findall(passage)) - {0})
        for passage in passages
    )


class _Sentences:
    """The sentences of the questions on one shelf of the library, and for each stem those that have it."""

    def __init__(self, shelf: LibraryShelf, first_number: int) -> None:
        self._shelf, self._first_number = shelf, first_number
        self._bundle = shelf.bundle
        self._totals: npt.NDArray[np.float64] | None = None

    # -- what the bundle has

    @cached_property
    def terms(self) -> Hashes:
        return self._bundle.array("sentences/terms.npy")

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where the sentences of each stem begin, and then how many entries there are."""
        found = self._bundle.array("sentences/offsets.npy")
        with self._bundle.refusing("sentences/offsets.npy"):
            require(len(found) == len(self.terms) + 1, "it does not fit sentences/terms.npy")
            require(found[-1] == len(self._rows), "it does not fit sentences/rows.npy")
        return found

    @cached_property
    def _rows(self) -> StoredArray:
        return self._bundle.stored("sentences/rows.npy")

    @cached_property
    def _first(self) -> npt.NDArray[np.int64]:
        """The first sentence of each question, and then how many sentences there are."""
        found = self._bundle.array(_FIRST)
        with self._bundle.refusing(_FIRST):
            require(len(found) == self._shelf.questions + 1, "it does not fit the questions")
            fits = found[-1] == len(self._bundle.stored("sentences/starts.npy"))  # an array has that size
            require(bool(fits), "it does not fit the sentences")
        return found

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        """Where each sentence begins and ends in its question."""
        starts, ends = (self._bundle.array(f"sentences/{name}.npy") for name in ("starts", "ends"))
        with self._bundle.refusing("sentences/starts.npy"):
            require(len(starts) == len(ends) == self.count, "it does not fit the questions")
        return starts, ends

    @property
    def count(self) -> int:
        return int(self._first[-1])

    @cached_property
    def _sums(self) -> npt.NDArray[np.float32]:
        """Room for the sums of one search at a time: a new array would cost more than the sums."""
        return np.zeros(self.count, np.float32)

    @cached_property
    def _questions(self) -> npt.NDArray[np.int32]:
        return np.repeat(np.arange(self._shelf.questions, dtype=np.int32), np.diff(self._first))

    @cached_property
    def _pages(self) -> npt.NDArray[np.int32]:
        """The page of each sentence, as its number on the shelf."""
        starts = self._shelf.page_starts
        sizes = np.diff(self._first[starts])
        return np.repeat(np.arange(len(starts) - 1, dtype=np.int32), sizes)

    def _with_stem(self, row: int) -> npt.NDArray[np.int32]:
        """The sentences with the stem in this row of the index, rising."""
        try:
            found = self._rows.piece(*self.offsets[row : row + 2].tolist())
            rising = not len(found) or (
                found[0] >= 0 and found[-1] < self.count and (found[1:] > found[:-1]).all()
            )
            require(bool(rising), "a sentence is out of order")
        except (DecodingError, OSError) as trouble:
            raise self._bundle.changed("sentences/rows.npy", trouble) from trouble
        return found

    def totals(self, weights: _Weights | None) -> npt.NDArray[np.float64]:
        """What all stems of each sentence weigh; ``weights``: by those of another shelf."""
        if self._totals is None:
            if weights is None and TOTALS in self._bundle.files:
                self._totals = self._bundle.array(TOTALS)
                with self._bundle.refusing(TOTALS):
                    require(len(self._totals) == self.count, "it does not fit the questions")
            else:
                own = rarities(np.diff(self.offsets), self.count) if weights is None else weights(self.terms)
                self._totals = sentence_totals(own, self.offsets, self._piece, self.count)
        return self._totals

    def _piece(self, start: int, end: int) -> npt.NDArray[np.int32]:
        with self._bundle.refusing("sentences/rows.npy"):
            found = self._rows.piece(start, end)
            fits = found.min(initial=0) >= 0 and found.max(initial=-1) < self.count
            require(bool(fits), "a sentence is missing")
        return found

    # -- comparing

    def sharing(self, weights: Mapping[int, float]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The sentences that share stems with ``weights``, and the weight that each shares."""
        sums = self._sums
        sums.fill(0)
        rows = places(np.fromiter(weights, np.uint64, len(weights)), self.terms).tolist()
        for row, weight in zip(rows, weights.values(), strict=True):
            if row >= 0:
                sums[self._with_stem(row)] += weight  # no sentence twice, so a plain sum is exact
        found = np.flatnonzero(sums >= _LEAST_SHARED)
        return found, sums[found].astype(np.float64)

    def of_page(self, rows: npt.NDArray[np.int64], page: str) -> npt.NDArray[np.bool_]:
        on_page, questions = self.on_page(page), self._questions[rows]
        return np.asarray((questions >= on_page.start) & (questions < on_page.stop))

    def on_page(self, page: str) -> range:
        return self._shelf.on_page(answer_key(page)) if page else range(0)

    def questions_with(self, stem: int, among: range) -> npt.NDArray[np.int64]:
        """The questions of ``among`` with ``stem``, counted from the first of them."""
        row = int(places(np.asarray([stem], np.uint64), self.terms)[0])
        if row < 0 or not among:
            return np.zeros(0, np.int64)
        found = self._with_stem(row)
        first, end = found.searchsorted(self._first[[among.start, among.stop]]).tolist()
        return np.unique(self._questions[found[first:end]]).astype(np.int64) - among.start

    def related(
        self, rows: npt.NDArray[np.int64], page: str, said: Mapping[int, object]
    ) -> npt.NDArray[np.bool_]:
        """Which of ``rows`` have to do with ``page``: one title has a word of the other, or is said.

        ``said`` are the stems of the draft's sentence.
        """
        own = frozenset(title_stems(page))
        pages = self._titles.named_by(said)
        pages[self._titles.sharing(own)] = True
        found = pages[self._pages[rows]]
        if own:
            at = places(np.fromiter(own, np.uint64, len(own)), self.terms).tolist()
            if min(at) >= 0:
                found |= np.logical_and.reduce([places(rows, self._with_stem(row)) >= 0 for row in at])
        return np.asarray(found, np.bool_)

    @cached_property
    def _titles(self) -> TitleWords:
        if not set(TITLES) <= self._bundle.files.keys():
            return TitleWords.of(self._shelf.page_names)
        terms, offsets, pages = (self._bundle.array(name) for name in TITLES)
        with self._bundle.refusing(TITLES[0]):
            return TitleWords(terms, offsets, pages, len(self._shelf.page_starts) - 1)

    def surest(
        self, rows: npt.NDArray[np.int64], chances: npt.NDArray[np.float64], same: npt.NDArray[np.bool_]
    ) -> Iterable[list[tuple[int, float, bool]]]:
        """Of each question that may have the clue its sentences, the surest first.

        Each is given with its chance, and whether its question has the answer.
        """
        kept = np.flatnonzero(chances >= ALIKE_FROM)
        kept = kept[np.argsort(-chances[kept], kind="stable")]
        by_question = defaultdict[int, list[tuple[int, float, bool]]](list)
        for question, row, chance, on_answer in zip(
            self._questions[rows[kept]].tolist(),
            rows[kept].tolist(),
            chances[kept].tolist(),
            same[kept].tolist(),
            strict=True,
        ):
            by_question[question].append((row, chance, on_answer))
        return by_question.values()

    # -- what is shown

    def year(self, row: int) -> int:
        """The year of a sentence's question; 0 where it is not known."""
        return int(self._shelf.years[self._questions[row]])

    def place(self, row: int) -> CluePlace:
        question = int(self._questions[row])
        if self._shelf.kinds[question] == PassageKind.BONUS:
            return CluePlace.BONUS
        first, end = self._first[question : question + 2].tolist()
        return clue_place(row - first, end - first)

    def page(self, row: int) -> str:
        return self._shelf.page_names[int(self._pages[row])]

    def passage(self, row: int) -> str:
        starts, ends = self._ends
        return self._shelf.text(int(self._questions[row]))[int(starts[row]) : int(ends[row])]

    def source(self, row: int) -> str:
        return self._shelf.question(int(self._questions[row]), 0).source

    def hearing(self, match: _Match, draft: _Stems) -> Hearing:
        number = int(self._questions[match.row])
        question = self._shelf.question(number, self._first_number + number)
        passage = self.passage(match.row)
        shown = match.stems or draft.weights
        hits = tuple(
            Span(*found.span()) for found in TOKEN.finditer(passage) if token(found.group()).hash in shown
        )
        return Hearing(
            number=question.number,
            passage=passage,
            hits=hits,
            answer=question.page,
            same_answer=match.on_answer,
            same_clue=bool(match.stems),
            place=self.place(match.row),
            source=question.source,
            tournament=question.tournament,
            year=question.year,
            chance=match.chance,
        )
