"""Everything that is indexed, gathered from its files: passages sorted by page, and the pages themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from index_builder.data.aliases import LineNames, gather_aliases
from index_builder.data.answer_map import AnswerMap
from index_builder.data.bonus_process import BonusProcess, RowsRead
from index_builder.data.merged_pages import PageSpellings
from index_builder.data.near_copies import NearCopies, read_texts
from index_builder.data.readers import (
    Article,
    BonusPart,
    read_answer_map,
    read_articles,
    read_bonus_parts,
)
from index_builder.helper_process import WorkQueue
from quizwriter.domain.page import Page, answer_key
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.pages import Alias
from quizwriter.engine.retrieval import PassageKind, PassageTable
from quizwriter.engine.stored_arrays import require
from quizwriter.formats.question_files import (
    GUESS,
    HELD_BACK,
    FileQuestion,
    QuestionOrigin,
    ReadReport,
    is_held_back,
    questions,
)
from quizwriter.system.decoding import file_digest

PASSAGE_WORDS = 120
"""Encyclopedia text is cut at sentence ends into passages of about so many words."""

REPORT_EVERY = 500
"""So many rows are read between two reports of progress."""

LINES_AT_ONCE = 500
"""Answer lines that a process takes in one go."""

WITHOUT = "without"
"""The key in the manifest of a bundle for the files whose questions were left out."""

FileRow = TypeVar("FileRow")
Asked = TypeVar("Asked", FileQuestion, BonusPart)


class PassageRow(msgspec.Struct, frozen=True, order=True, array_like=True):
    """A passage, filed under the page that it is evidence for.

    Rows sort by page, then by kind, then as they were read: ``place`` counts the passages that were read
    before. ``category`` is that of a tossup as its source names it, else empty.
    """

    page: Page
    kind: PassageKind
    place: int
    source: str
    text: str
    category: str = ""


class UnfiledPassage(msgspec.Struct, frozen=True, array_like=True):
    """A passage as its file gives it: with a page or, where that is None, only with an answer."""

    page: str | None
    answer: str
    kind: PassageKind
    source: str
    text: str
    category: str = ""
    line: str = ""


class LibraryRow(msgspec.Struct, frozen=True):
    """A tossup or a bonus part as the library of past questions has it.

    ``year`` is 0 where it is not known. ``passage`` is the number of the passage that has its text; those of
    the tossups held back count from -1 downwards. ``guides`` are names with pronunciation guides that the
    text had and the passage has not.
    """

    page: Page
    year: int
    passage: int
    kind: PassageKind
    line: str
    category: str
    origin: QuestionOrigin
    guides: tuple[tuple[str, str], ...] = ()


class HeldTossup(msgspec.Struct, frozen=True):
    """A tossup of a fold that is not indexed: the players are calibrated and measured on it."""

    text: str
    page: Page
    fold: str


class Corpus(msgspec.Struct, frozen=True, dict=True):
    """What goes into a bundle: ``passages`` in the order of their pages in ``pages``.

    ``library`` has all questions, those held back included, in the order of their own pages.

    ``tossup_counts`` counts the tossups that ask for each page. ``folds`` counts tossups by fold, those held
    back included; ``answer_counts`` says how many answers found their page in which way, and ``reports`` what
    came of each file. ``left_out`` counts what is missing as a near copy. ``aliases`` are other names of the
    pages, and ``merged`` has the pages that are filed under another spelling of their name.
    """

    pages: tuple[Page, ...]
    tossup_counts: tuple[int, ...]
    passages: tuple[PassageRow, ...]
    held: tuple[HeldTossup, ...] = ()
    folds: dict[str, int] = msgspec.field(default_factory=dict)
    answer_counts: dict[str, int] = msgspec.field(default_factory=dict)
    reports: tuple[ReadReport, ...] = ()
    left_out: dict[str, int] = msgspec.field(default_factory=dict)
    library: tuple[LibraryRow, ...] = ()
    aliases: tuple[Alias, ...] = ()
    merged: dict[str, Page] = msgspec.field(default_factory=dict)

    @cached_property
    def page_rows(self) -> npt.NDArray[np.int32]:
        """For each passage, the number of its page in ``pages``."""
        number = {page: row for row, page in enumerate(self.pages)}
        found = (number[passage.page] for passage in self.passages)
        return np.fromiter(found, np.int32, len(self.passages))

    @cached_property
    def kinds(self) -> npt.NDArray[np.int8]:
        return np.fromiter((passage.kind for passage in self.passages), np.int8, len(self.passages))


class Inputs(msgspec.Struct, frozen=True):
    """The files that a bundle is built from; ``everything`` indexes all folds, not only the guessers'.

    ``hold_back`` per cent of the tournaments are left out as if they were not in the files: their questions
    are new to the bundle and to its library, so that what finds old clues can be measured on them. So are the
    questions in the files ``without`` and their near copies.
    """

    questions: Sequence[Path]
    bonuses: Sequence[Path] = ()
    wiki: Sequence[Path] = ()
    answer_maps: Sequence[Path] = ()
    everything: bool = False
    hold_back: int = 0
    without: Sequence[Path] = ()

    @property
    def all(self) -> tuple[Path, ...]:
        """Every file, in the order in which they are read."""
        return (*self.answer_maps, *self.questions, *self.bonuses, *self.wiki)

    def indexes(self, question: FileQuestion) -> bool:
        """Whether ``question`` is indexed; else it is held back."""
        return self.everything or question.fold == GUESS

    def takes(self, asked: FileQuestion | BonusPart) -> bool:
        return not is_held_back(asked.origin.tournament, self.hold_back)

    @property
    def provenance(self) -> dict[str, Any]:
        """What a bundle or an index says of the files that it comes from: names, sizes, digests and folds."""
        return {
            "sources": [_source(path) for path in self.all],
            "folds": "all" if self.everything else ["guess"],
            **({HELD_BACK: self.hold_back} if self.hold_back else {}),
            **({WITHOUT: [_source(path) for path in self.without]} if self.without else {}),
        }


def _source(path: Path) -> dict[str, Any]:
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": file_digest(path)}


class InputReader:
    """Reads the files of some inputs, reports how far it is, and remembers the pages that questions name."""

    def __init__(self, inputs: Inputs, progress: Callable[[ReadReport], None]) -> None:
        """``progress`` gets the report of the file that is being read, again and again as it grows."""
        self.reports: list[ReadReport] = []
        """One report for each file, with the rejected rows by reason."""
        self.named = Counter[str]()
        """The pages that questions and bonus parts name, with how many tossups ask for each."""
        self.lines: list[tuple[str, str]] = []
        """The answer lines of the questions that are indexed, with the pages that they name."""
        self.names_of = LineNames()
        """The names in the answer lines that were read."""
        self.left_out = Counter[str]()
        """How many tossups and bonus parts were left out as near copies."""
        self.spellings = PageSpellings()
        """How the texts about a page write its name."""
        self._inputs = inputs
        self._copies = NearCopies(chain.from_iterable(map(read_texts, inputs.without)))
        self._progress = progress
        self._apart: dict[Path, BonusProcess] = {}
        self._lines_left = WorkQueue[list[str]]()

    @contextmanager
    def bonuses_apart(self) -> Iterator[None]:
        """A block in which large files of bonuses are read in processes of their own."""
        try:
            for path in self._inputs.bonuses:
                if self._inputs.bonuses.count(path) == 1 and BonusProcess.is_worth_it(path):
                    self._apart[path] = BonusProcess(path, self._lines_left)
            yield
        finally:
            self._lines_left.end()
            for process in self._apart.values():
                process.close()
            self._apart.clear()

    def answer_map(self) -> dict[str, str]:
        """Pages by answer key, from the files that map answers to pages."""
        return dict(self._read(read_answer_map, self._inputs.answer_maps))

    def questions(self) -> Iterator[FileQuestion]:
        """The tossups of all folds."""
        for question in self._taken("tossups", self._read(questions, self._inputs.questions)):
            if question.page is not None:
                self.named[question.page] += 1
                self.spellings.ask(question.page, question.text)
                if self._inputs.indexes(question):
                    self.lines.append((question.page, question.line))
            yield question

    def read_lines(self, lines: Iterable[str]) -> None:
        """Read the names in answer ``lines``; so do the processes that have read their bonuses."""
        left = iter(dict.fromkeys(lines))
        while some := list(islice(left, LINES_AT_ONCE)):
            self._lines_left.put(some)
        self._lines_left.end()
        for some in self._lines_left:
            for line in some:
                self.names_of.read(line)

    def bonus_parts(self) -> Iterator[BonusPart]:
        """The parts of all bonuses."""
        for part in self._taken("bonus parts", self._read(self._bonus_parts, self._inputs.bonuses)):
            if part.page is not None:
                self.named[part.page] += 0
                self.lines.append((part.page, part.line))
            yield part

    def _bonus_parts(self, path: Path, report: ReadReport) -> Iterator[BonusPart]:
        def tell(far: RowsRead) -> None:
            report.rows, report.read = far.rows, far.read
            self._progress(report)

        process = self._apart.get(path)
        found = None if process is None else process.found(tell)
        if found is None:
            report.rows, report.read = 0, 0.0
            for part in read_bonus_parts(path, report):
                self.names_of.read(part.line)  # now, while its main answer is remembered
                yield part
        else:
            found.tell(report)
            self.names_of |= found.names
            yield from found.parts

    def _taken(self, noun: str, found: Iterable[Asked]) -> Iterator[Asked]:
        for one in filter(self._inputs.takes, found):
            if self._copies.has_copy(one.text):
                self.left_out[noun] += 1
            else:
                yield one

    def articles(self) -> Iterator[Article]:
        """The encyclopedia text."""
        for article in self._read(read_articles, self._inputs.wiki):
            self.spellings.read(article.page, article.text)
            yield article

    def _read(
        self, reader: Callable[[Path, ReadReport], Iterator[FileRow]], paths: Iterable[Path]
    ) -> Iterator[FileRow]:
        for path in paths:
            report = ReadReport(str(path))
            self.reports.append(report)
            for count, row in enumerate(reader(path, report)):
                if count % REPORT_EVERY == 0:
                    self._progress(report)
                yield row
            report.read = 1.0
            self._progress(report)


def gather_corpus(
    inputs: Inputs,
    progress: Callable[[ReadReport], None],
    take: Callable[[Iterable[str], bool], None] = lambda texts, in_sentences: None,
) -> Corpus:
    """The corpus in ``inputs``; ``progress`` is told how far the reading is.

    ``take`` gets every text and answer line before it is filed, and whether it is the text of a question,
    which is read sentence by sentence.
    """
    reader = InputReader(inputs, progress)
    with reader.bonuses_apart():
        mapped = reader.answer_map()
        asked = list(reader.questions())
        indexed = [question for question in asked if inputs.indexes(question)]
        left_out = [question for question in asked if not inputs.indexes(question)]
        cut = [passage for article in reader.articles() for passage in split_article(article)]
        reader.read_lines(question.line for question in indexed)
        take((passage.text for passage in cut), False)
        take((question.text for question in asked), True)
        take(dict.fromkeys(question.line for question in asked), False)
        parts = list(reader.bonus_parts())  # the last, because another process may still be reading them
    take((part.text for part in parts), True)
    take(dict.fromkeys(part.line for part in parts), False)
    named = reader.named
    named.update(dict.fromkeys((passage.answer for passage in cut), 0))
    merged = reader.spellings.merged(named)
    answers = AnswerMap(named, mapped, reader.lines, reader.names_of, merged)
    found = chain(map(unfiled, indexed), map(unfiled, parts), cut)
    rows = (filed(passage, answers, place) for place, passage in enumerate(found))
    passages = sorted(rows, key=attrgetter("page"))  # those of a page come in their order
    pages = tuple(dict.fromkeys(passage.page for passage in passages))
    tossups = Counter(passage.page for passage in passages if passage.kind is PassageKind.TOSSUP)
    answer_counts = dict(answers.counts)  # without those of the tossups left out
    held = tuple(
        HeldTossup(one.text, answers.page(one.page, one.answer, one.line), one.fold) for one in left_out
    )
    questions: list[FileQuestion | BonusPart] = [*indexed, *parts]  # in the order of their places
    library = [
        library_row(passage.page, number, questions[passage.place])
        for number, passage in enumerate(passages)
        if passage.kind is not PassageKind.ARTICLE
    ]
    library += [
        library_row(one.page, -1 - number, question)
        for number, (one, question) in enumerate(zip(held, left_out, strict=True))
    ]
    lines = ((row.page, row.line) for row in library if row.passage >= 0)
    return Corpus(
        pages=pages,
        tossup_counts=tuple(tossups[page] for page in pages),
        passages=tuple(passages),
        held=held,
        folds=dict(Counter(question.fold for question in asked)),
        answer_counts=answer_counts,
        reports=tuple(sorted(reader.reports, key=lambda report: inputs.all.index(Path(report.path)))),
        left_out=dict(reader.left_out),
        library=sorted_library(library),
        aliases=gather_aliases(pages, lines, mapped, reader.names_of),
        merged=merged,
    )


def sorted_library(rows: Iterable[LibraryRow]) -> tuple[LibraryRow, ...]:
    """``rows`` in the order of the library; pages whose names differ as answer lines do stand together."""
    keys: dict[str, str] = {}
    return tuple(sorted(rows, key=lambda row: (_key_of(row.page, keys), row.year, row.passage)))


def _key_of(page: Page, keys: dict[str, str]) -> str:
    """The answer key of ``page``, worked out once."""
    key = keys.get(page)
    if key is None:
        key = keys[page] = answer_key(page)
    return key


def library_row(page: Page, passage: int, question: FileQuestion | BonusPart) -> LibraryRow:
    """The row of ``question``, whose text is the passage of this number, under ``page``."""
    kind = PassageKind.TOSSUP if isinstance(question, FileQuestion) else PassageKind.BONUS
    origin = question.origin
    return LibraryRow(page, origin.year or 0, passage, kind, question.line, question.category, origin)


def unfiled(asked: FileQuestion | BonusPart) -> UnfiledPassage:
    """The passage that a tossup or a part of a bonus is."""
    if isinstance(asked, FileQuestion):
        return UnfiledPassage(
            asked.page, asked.answer, PassageKind.TOSSUP, asked.source, asked.text, asked.category, asked.line
        )
    return UnfiledPassage(
        asked.page, asked.answer, PassageKind.BONUS, asked.source, asked.text, line=asked.line
    )


def split_article(article: Article) -> Iterator[UnfiledPassage]:
    for passage in split_text(article.text):
        yield UnfiledPassage(article.page, article.page, PassageKind.ARTICLE, article.source, passage)


def filed(passage: UnfiledPassage, answers: AnswerMap, place: int) -> PassageRow:
    """``passage`` under the page that ``answers`` decides on; ``place`` counts those read before it."""
    page = answers.page(passage.page, passage.answer, passage.line)
    return PassageRow(page, passage.kind, place, passage.source, passage.text, passage.category)


def bundle_passages(bundle: Bundle) -> Iterator[PassageRow]:
    """The passages of ``bundle``, in the order of its pages; a bundle of an old version has no categories."""
    passages = PassageTable(bundle)
    names, categories = [""], np.zeros(len(passages.kinds), np.int16)
    if "passages/categories.npy" in bundle.files:
        names, categories = passage_categories(bundle)
    for row, page in enumerate(bundle.lines("pages.txt")):
        for place in passages.about(row):
            kind, category = PassageKind(int(passages.kinds[place])), names[categories[place]]
            yield PassageRow(
                Page(page), kind, place, passages.sources[place], passages.texts[place], category
            )


def passage_categories(bundle: Bundle) -> tuple[list[str], npt.NDArray[np.int16]]:
    """The names of the categories in ``bundle``, and the number of the name of each passage's category."""
    names = bundle.lines("passages/category_names.txt")
    categories = bundle.array("passages/categories.npy")
    with bundle.refusing("passages/categories.npy"):
        require(categories.max(initial=-1) < len(names), "a category has no name")
        require(len(categories) == len(bundle.array("passages/kinds.npy")), "it does not fit the passages")
    return names, categories


_SENTENCE_END = re.compile(r"[.!?]\s+(?=[\"“(A-Z0-9])")


def split_text(text: str, words: int = PASSAGE_WORDS) -> Iterator[str]:
    """``text`` in passages of about ``words`` words; a sentence is never cut."""
    held: list[str] = []
    count = 0
    for sentence in _sentences(text):
        size = len(sentence.split())
        if held and count + size > words:
            yield " ".join(held)
            held, count = [], 0
        held.append(sentence)
        count += size
    if held:
        yield " ".join(held)


def _sentences(text: str) -> Iterator[str]:
    """The sentences of ``text``, without the white space around them; none is longer than its line."""
    for line in text.split("\n"):
        start = 0
        for found in _SENTENCE_END.finditer(line):
            yield line[start : found.start() + 1].strip()
            start = found.end()
        if rest := line[start:].strip():
            yield rest
