"""The library of past questions in a bundle: what was asked on a page, and a search for words in all texts.

Everything is read from the files of the bundle when it is first needed, because the start of the window does
not wait for it. The files are outside data: each array is checked, and texts are read up to a limit.

The shelves and what is asked of them are in one file, because both know the same arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.past_questions import (
    EVERY_QUESTION,
    PastAnswerLine,
    PastClue,
    PastQuestion,
    QuestionFilter,
    QuestionKind,
    SearchHit,
    SearchResult,
    TimesAsked,
)
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.clues import ClueGroup, clues_of, ticked
from quizwriter.engine.retrieval import PassageKind, PassageTable
from quizwriter.engine.search_words import SearchWords
from quizwriter.engine.stored_arrays import Array, StoredArray, TextTable, require
from quizwriter.engine.tokenizer import Hashes, places
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import LONGEST_TEXT, DecodingError
from quizwriter.system.memory import own_cache

MOST_ON_PAGE = 3_000
"""Questions of one page that are read; the page that is asked most has some hundreds."""

MOST_COMPARED = 2_000
"""Texts in which a phrase is looked for; they have all its words, and few searches have more such texts."""

NO_LIBRARY = QuizwriterError(
    "This bundle has no library of past questions, because an older version of QuizWriter built it.",
    "Build the bundle again with this version.",
)

LONGEST_LINE = 5_000
"""Characters of an answer line that are read."""

_PAGES = "library/pages.txt"
_FAR = 1 << 14  # later than all years, harder than all difficulties
_LATER = 1
"""Where articles come among questions, whose place is the negative year."""

_KINDS = {PassageKind.TOSSUP: QuestionKind.TOSSUP, PassageKind.BONUS: QuestionKind.BONUS_PART}


class Library:
    """The past questions of a bundle and of the packets added to it.

    Any thread may ask. Pages are found by their :func:`answer_key`, so that an answer that no player can name
    has its past questions, too.
    """

    def __init__(self, bundle: Bundle, added: Bundle | None = None) -> None:
        """The library in ``bundle``, with the questions of the index ``added`` if there is one."""
        self._shelves = [LibraryShelf(bundle, yours=False)]
        self._clues_of = own_cache(self._find_clues, 8)
        if added is not None and _PAGES in added.files:
            self._shelves.append(LibraryShelf(added, yours=True))

    def questions_on(self, page: str) -> tuple[PastQuestion, ...]:
        """The questions with this answer, the oldest first; those without a year come before all others."""
        key = answer_key(page)
        found = [
            self._question(number, row)
            for number, shelf in enumerate(self._shelves)
            for row in shelf.on_page(key)[:MOST_ON_PAGE]
        ]
        return tuple(sorted(found, key=lambda question: question.year or 0))

    def answer_lines(self, page: str) -> tuple[PastAnswerLine, ...]:
        """The answer lines of the questions with this answer, the most frequent first, then the newest."""
        key = answer_key(page)
        counts: Counter[str] = Counter()
        last: dict[str, int] = {}
        for shelf in self._shelves:
            for row in shelf.on_page(key)[:MOST_ON_PAGE]:
                line = shelf.line(row)
                counts[line] += 1
                last[line] = max(last.get(line, 0), int(shelf.years[row]))
        found = (PastAnswerLine(line, count, last[line] or None) for line, count in counts.items())
        return tuple(sorted(found, key=lambda one: (-one.count, -(one.last or 0), one.line)))

    def counts(self, page: str) -> TimesAsked:
        """How often ``page`` was the answer. Quick: no text is read."""
        key = answer_key(page)
        tossups = parts = yours = 0
        years: list[int] = []
        for shelf in self._shelves:
            rows = shelf.on_page(key)
            kinds, known = shelf.kinds[rows.start : rows.stop], shelf.years[rows.start : rows.stop]
            some = int(np.count_nonzero(kinds == PassageKind.TOSSUP))
            tossups, parts = tossups + some, parts + len(kinds) - some
            yours += len(kinds) if shelf.yours else 0
            known = known[known > 0]
            years += [int(known.min()), int(known.max())] if len(known) else []
        return TimesAsked(tossups, parts, yours, min(years, default=None), max(years, default=None))

    def clues_on(self, page: str, draft: str) -> tuple[PastClue, ...]:
        """The clues that several questions with this answer use, the most used first.

        Those that ``draft`` has are marked. Slow at the first time for a page (up to half a second), quick
        for another draft.
        """
        return ticked(self._clues_of(answer_key(page)), draft)

    def rarity(self, stems: Collection[int]) -> dict[int, float]:
        """For each hash of a stem, how rare it is: the logarithm of all texts by the texts with the stem."""
        every = np.asarray(sorted(stems), np.uint64)
        counts = np.maximum(1, sum(shelf.text_counts(every) for shelf in self._shelves))
        return dict(zip(every.tolist(), (self.rarest - np.log(counts)).tolist(), strict=True))

    @cached_property
    def rarest(self) -> float:
        """The rarity of a stem that one text has."""
        return float(np.log(max(2, sum(shelf.size for shelf in self._shelves))))

    def question(self, number: int) -> PastQuestion:
        row = number
        for place, shelf in enumerate(self._shelves):
            if 0 <= row < shelf.questions:
                return self._question(place, row)
            row -= shelf.questions
        raise IndexError(number)

    def tossups(self, wanted: QuestionFilter) -> tuple[list[int], list[int]]:
        """The numbers of the tossups that ``wanted`` takes: first those that no player has learnt from."""
        unread: list[int] = []
        read: list[int] = []
        before = 0
        for shelf in self._shelves:
            rows, held = shelf.tossups(wanted)
            unread += (rows[held] + before).tolist()
            read += (rows[~held] + before).tolist()
            before += shelf.questions
        return unread, read

    def search(
        self, words: str, wanted: QuestionFilter = EVERY_QUESTION, *, limit: int = 100, start: int = 0
    ) -> SearchResult:
        """The texts that have all ``words``, in any order; what stands in quotation marks has to stand so.

        Words are compared without case, accents and endings. Words that nearly every text has, such as "of",
        count within phrases only. Questions come first, the newest of them first, then articles. ``limit``
        hits are read, from ``start`` on. Without words, every question that ``wanted`` takes is found; a
        search that says nothing at all finds nothing.
        """
        asked = SearchWords(words)
        if not asked.stems and (asked.said or wanted == EVERY_QUESTION):
            return SearchResult(too_common=asked.said)
        found = [shelf.find(asked, wanted) for shelf in self._shelves]
        counts: Counter[QuestionKind] = Counter()
        for shelf, some in zip(self._shelves, found, strict=True):
            counts.update(shelf.count_kinds(some.texts))
        texts = np.concatenate([some.texts for some in found])
        shelves = np.repeat(np.arange(len(found)), [len(some.texts) for some in found])
        keys = np.concatenate(
            [shelf.order[some.texts] for shelf, some in zip(self._shelves, found, strict=True)]
        )
        first = np.argsort(keys, kind="stable")[start : start + limit]
        hits = tuple(map(self._hit, shelves[first].tolist(), texts[first].tolist(), repeat(asked)))
        return SearchResult(hits, dict(counts), any(some.partial for some in found))

    @property
    def shelves(self) -> tuple[LibraryShelf, ...]:
        """The questions of the bundle, then those of the packets added to it."""
        return tuple(self._shelves)

    def _find_clues(self, key: str) -> tuple[ClueGroup, ...]:
        return clues_of(self.questions_on(key), self.rarity, self.rarest)

    def _hit(self, place: int, text: int, asked: SearchWords) -> SearchHit:
        shelf = self._shelves[place]
        if text >= shelf.questions:
            page, source, words = shelf.article(text)
            return SearchHit(QuestionKind.ARTICLE, words, page, source, asked.hits(words))
        question = self._question(place, text)
        return SearchHit(
            question.kind, question.text, question.page, question.source, asked.hits(question.text), question
        )

    def _question(self, place: int, row: int) -> PastQuestion:
        before = sum(shelf.questions for shelf in self._shelves[:place])
        return self._shelves[place].question(row, before + row)


def open_library(bundle: Bundle, added: Bundle | None) -> Library | None:
    """The library in ``bundle``; None if an older version built the bundle."""
    return Library(bundle, added) if _PAGES in bundle.files else None


class _FoundTexts(NamedTuple):
    """Numbers of texts, rising; ``partial``: others may have the phrase, too."""

    texts: npt.NDArray[np.int64]
    partial: bool


class LibraryShelf:
    """The library of one bundle. Texts are numbered: its questions by their rows, then its articles."""

    def __init__(self, bundle: Bundle, *, yours: bool) -> None:
        self.bundle = bundle  # other indexes of the questions lie in it, too
        self.yours = yours

    def _array(self, name: str, values: int | None = None) -> Array:
        """The array ``name`` of the library, which has so many ``values``, unless given one a question."""
        name = f"library/{name}.npy"
        found = self.bundle.array(name)
        with self.bundle.refusing(name):
            require(
                len(found) == (self.questions if values is None else values), "it does not fit the questions"
            )
        return found

    # -- questions

    @cached_property
    def page_starts(self) -> npt.NDArray[np.int64]:
        """Where the questions of each page begin, and then how many there are."""
        found = self.bundle.array("library/page_starts.npy")
        with self.bundle.refusing("library/page_starts.npy"):  # before anything is made of that size
            require(
                found[-1] == len(self.bundle.stored("library/kinds.npy")), "it does not fit the questions"
            )
        return found

    @property
    def questions(self) -> int:
        return int(self.page_starts[-1])

    @cached_property
    def page_names(self) -> list[str]:
        return self._lines("pages", len(self.page_starts) - 1)

    @cached_property
    def _keys(self) -> list[str]:
        return self._lines("page_keys", len(self.page_starts) - 1)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {key: number for number, key in enumerate(self._keys)}

    def _lines(self, name: str, count: int) -> list[str]:
        name = f"library/{name}.txt"
        lines = self.bundle.lines(name)
        with self.bundle.refusing(name):
            require(len(lines) == count, "it does not fit the questions")
        return lines

    @cached_property
    def kinds(self) -> Array:
        return self._array("kinds")

    @cached_property
    def years(self) -> Array:
        """For each question, its year; 0 where it is not known."""
        return self._array("years")

    @cached_property
    def _difficulties(self) -> Array:
        return self._array("difficulties")

    @cached_property
    def _powers(self) -> Array:
        return self._array("powers")

    @cached_property
    def _tournaments(self) -> _Names:
        return self._names("tournament", "tournaments")

    @cached_property
    def _categories(self) -> _Names:
        return self._names("category", "categories")

    @cached_property
    def _places(self) -> _Names:
        return self._names("place", "places")

    def _names(self, one: str, many: str) -> _Names:
        names, numbers = self.bundle.lines(f"library/{one}_names.txt"), self._array(many)
        with self.bundle.refusing(f"library/{many}.npy"):
            require(numbers.max(initial=-1) < len(names), "a name is missing")
        return _Names(names, numbers)

    @cached_property
    def _answer_lines(self) -> TextTable:
        found = self.bundle.texts("library/lines")
        with self.bundle.refusing("library/lines.utf8"):
            require(len(found) == self.questions, "it does not fit the questions")
        return found

    @cached_property
    def _passages(self) -> PassageTable:
        return PassageTable(self.bundle)

    @cached_property
    def _held(self) -> TextTable:
        return self.bundle.texts("held/texts")

    @cached_property
    def _passage_of(self) -> Array:
        found = self._array("passages")
        with self.bundle.refusing("library/passages.npy"):
            fits = found.max(initial=-1) < len(self._passages.texts) and -1 - found.min(initial=0) < len(
                self._held
            )
            require(fits, "a text is missing")
        return found

    def on_page(self, key: str) -> range:
        number = self._numbers.get(key)
        return range(0) if number is None else range(*self.page_starts[number : number + 2].tolist())

    def line(self, row: int) -> str:
        return self._answer_lines[row][:LONGEST_LINE]

    def question(self, row: int, number: int) -> PastQuestion:
        """The question in ``row``, which is known to others by ``number``."""
        text, power = self.text(row), int(self._powers[row])
        return PastQuestion(
            number=number,
            kind=_KINDS[PassageKind(int(self.kinds[row]))],
            text=text,
            line=self.line(row),
            page=Page(self.page_names[self._page_of(row)]),
            category=self._categories.of(row),
            tournament=self._tournaments.of(row),
            place=self._places.of(row),
            year=int(self.years[row]) or None,
            difficulty=int(self._difficulties[row]) or None,
            power=power if 0 < power < len(text) else None,
            yours=self.yours,
        )

    def text(self, row: int) -> str:
        passage = int(self._passage_of[row])
        return (self._passages.texts[passage] if passage >= 0 else self._held[-1 - passage])[:LONGEST_TEXT]

    def _page_of(self, row: int) -> int:
        return int(np.searchsorted(self.page_starts, row, "right")) - 1

    # -- articles

    @cached_property
    def _articles(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self._passages.kinds == PassageKind.ARTICLE)

    @cached_property
    def _page_of_article(self) -> npt.NDArray[np.int64]:
        return np.searchsorted(self._passages.starts, self._articles, "right") - 1

    @cached_property
    def _article_pages(self) -> list[str]:
        names = self.bundle.lines("pages.txt")
        with self.bundle.refusing("pages.txt"):
            require(len(names) == self._passages.pages, "it does not fit the passages")
        return names

    def article(self, text: int) -> tuple[str, str, str]:
        """Page, source and words of a text that is no question."""
        place = text - self.questions
        passage = int(self._articles[place])
        page = self._article_pages[int(self._page_of_article[place])]
        return page, self._passages.sources[passage], self._passages.texts[passage][:LONGEST_TEXT]

    # -- search

    @cached_property
    def size(self) -> int:
        return self.questions + len(self._articles)

    @cached_property
    def order(self) -> npt.NDArray[np.int16]:
        """For each text, where it comes among what is found: the smallest first."""
        return np.concatenate([-self.years, np.full(len(self._articles), _LATER, np.int16)]).astype(np.int16)

    @cached_property
    def _terms(self) -> Hashes:
        return self.bundle.array("library/terms.npy")

    @cached_property
    def _offsets(self) -> npt.NDArray[np.int64]:
        found = self.bundle.array("library/offsets.npy")
        with self.bundle.refusing("library/offsets.npy"):
            require(len(found) == len(self._terms) + 1, "it does not fit library/terms.npy")
            require(found[-1] == len(self._postings), "it does not fit library/rows.npy")
        return found

    @cached_property
    def _postings(self) -> StoredArray:
        return self.bundle.stored("library/rows.npy")

    def text_counts(self, stems: Hashes) -> npt.NDArray[np.int64]:
        rows = places(stems, self._terms)
        return np.where(rows >= 0, np.diff(self._offsets, append=0)[rows], 0)

    def texts_with(self, stem: int) -> npt.NDArray[np.int32]:
        """The texts that have the stem of this hash, rising."""
        (row,) = places(np.asarray([stem], np.uint64), self._terms).tolist()
        if row < 0:
            return np.zeros(0, np.int32)
        try:
            found = self._postings.piece(*self._offsets[row : row + 2].tolist())
            rising = len(found) and found[0] >= 0 and found[-1] < self.size and (found[1:] > found[:-1]).all()
            require(bool(rising), "a text is out of order")
        except (DecodingError, OSError) as trouble:
            raise self.bundle.changed("library/rows.npy", trouble) from trouble
        return found

    def find(self, asked: SearchWords, wanted: QuestionFilter) -> _FoundTexts:
        """The texts that have all words and phrases and that ``wanted`` takes."""
        mask = self._taken(wanted)
        texts: npt.NDArray[np.int64] | None = None
        for posting in sorted(map(self.texts_with, asked.stems), key=len):
            texts = posting.astype(np.int64) if texts is None else texts[places(texts, posting) >= 0]
        texts = np.flatnonzero(mask) if texts is None else texts[mask[texts]]
        if not asked.has_phrases:
            return _FoundTexts(texts, partial=False)
        newest = texts[np.argsort(self.order[texts], kind="stable")]
        kept = [text for text in newest[:MOST_COMPARED].tolist() if asked.has_all_phrases(*self._read(text))]
        return _FoundTexts(np.sort(np.asarray(kept, np.int64)), partial=len(newest) > MOST_COMPARED)

    def tossups(self, wanted: QuestionFilter) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """The rows of the tossups that ``wanted`` takes, and whether each was held back from the players."""
        taken = self._taken(wanted)[: self.questions] & (self.kinds == PassageKind.TOSSUP)
        rows = np.flatnonzero(taken)
        return rows, np.asarray(self._passage_of[rows] < 0)

    def _read(self, text: int) -> tuple[str, ...]:
        if text >= self.questions:
            return (self.article(text)[2],)
        passage = int(self._passage_of[text])
        words = self._passages.texts[passage] if passage >= 0 else self._held[-1 - passage]
        return words[:LONGEST_TEXT], self.line(text)

    def _taken(self, wanted: QuestionFilter) -> npt.NDArray[np.bool_]:
        mask = np.ones(self.size, np.bool_)
        questions, articles = mask[: self.questions], mask[self.questions :]
        if wanted.kinds:
            for kind, name in _KINDS.items():
                if name not in wanted.kinds:
                    questions[self.kinds == kind] = False
        articles[:] = wanted.takes_articles
        if wanted.yours is not None and wanted.yours != self.yours:
            mask[:] = False
        if wanted.answer:
            part = f" {answer_key(wanted.answer)}"
            of_page = np.fromiter((part in f" {key}" for key in self._keys), np.bool_, len(self._keys))
            questions &= np.repeat(of_page, np.diff(self.page_starts))
            if articles.any():
                named = (part in f" {answer_key(page)}" for page in self._article_pages)
                articles &= np.fromiter(named, np.bool_, len(self._article_pages))[self._page_of_article]
        if wanted.category:
            questions &= self._categories.with_part(wanted.category)
        if wanted.tournament:
            questions &= self._tournaments.with_part(wanted.tournament)
        for values, lowest, highest in (
            (self.years, wanted.first_year, wanted.last_year),
            (self._difficulties, wanted.easiest, wanted.hardest),
        ):
            if lowest is not None or highest is not None:
                questions &= values > 0
                questions &= values >= (0 if lowest is None else lowest)
                questions &= values <= (_FAR if highest is None else highest)
        return mask

    def count_kinds(self, texts: npt.NDArray[np.int64]) -> Iterator[QuestionKind]:
        asked = texts[texts < self.questions]
        counts = np.bincount(self.kinds[asked], minlength=len(_KINDS))
        for kind, name in _KINDS.items():
            yield from repeat(name, int(counts[kind]))
        yield from repeat(QuestionKind.ARTICLE, len(texts) - len(asked))


class _Names(NamedTuple):
    """Names that many questions share; ``numbers`` says which name each question has."""

    names: list[str]
    numbers: Array

    def of(self, row: int) -> str:
        """The name of a question."""
        return self.names[int(self.numbers[row])]

    def with_part(self, part: str) -> npt.NDArray[np.bool_]:
        """For each question, whether its name contains ``part`` in any case."""
        wanted = part.casefold()
        named = np.fromiter((wanted in name.casefold() for name in self.names), np.bool_, len(self.names))
        return named[self.numbers]
