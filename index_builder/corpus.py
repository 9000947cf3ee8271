"""Everything that is indexed, gathered from its files: passages by page, and the pages themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from index_builder.answers import Answers
from index_builder.sources import Article, Part, answer_map, articles, bonus_parts
from quizwriter.domain.tossup import Page
from quizwriter.engine.retrieval import PassageKind
from quizwriter.formats.question_files import GUESS, FileQuestion, ReadReport, questions

PASSAGE_WORDS = 120
"""Encyclopedia text is cut into passages of about so many words, at sentence ends."""

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Held:
    """A tossup of a fold that is not indexed: the players are calibrated and measured on it."""

    text: str
    page: Page
    fold: str


@dataclass(frozen=True)
class Corpus:
    """What goes into a bundle.

    Passages are sorted by page and, within a page, by kind: the five columns run parallel, and the
    passages of ``pages[row]`` lie beside each other. ``asked`` counts each page's tossups. ``categories``
    are those of tossups as their source names them, else empty.
    """

    pages: tuple[Page, ...]
    asked: tuple[int, ...]
    page_rows: tuple[int, ...]
    kinds: tuple[PassageKind, ...]
    sources: tuple[str, ...]
    texts: tuple[str, ...]
    categories: tuple[str, ...]
    held: tuple[Held, ...]
    folds: dict[str, int]  # tossups by fold, those left out included
    settled: dict[str, int]  # answers by how their page was found


@dataclass(frozen=True)
class Inputs:
    """The files a bundle is built from; ``everything`` indexes all folds."""

    questions: Sequence[Path]
    bonuses: Sequence[Path] = ()
    wiki: Sequence[Path] = ()
    answer_maps: Sequence[Path] = ()
    everything: bool = False

    @property
    def all(self) -> tuple[Path, ...]:
        """Every file, in the order they are read."""
        return (*self.answer_maps, *self.questions, *self.bonuses, *self.wiki)


Progress = Callable[[ReadReport], None]
"""Is told of a report as it grows."""


def gather(inputs: Inputs, reports: list[ReadReport], progress: Progress) -> Corpus:
    """The corpus in ``inputs``; ``reports`` gets one report per file, rejected rows by reason.

    Raises:
        QuizwriterError: a file cannot be read to its end.
    """

    def read(reader: Callable[[Path, ReadReport], Iterator[Row]], paths: Iterable[Path]) -> Iterator[Row]:
        for path in paths:
            report = ReadReport(str(path))
            reports.append(report)
            for count, row in enumerate(reader(path, report)):
                if count % 500 == 0:
                    progress(report)
                yield row
            report.read = 1.0
            progress(report)

    mapped = dict(read(answer_map, inputs.answer_maps))
    asked_all = list(read(questions, inputs.questions))
    parts = list(read(bonus_parts, inputs.bonuses))
    wiki = list(read(articles, inputs.wiki))

    given = Counter(question.page for question in asked_all if question.page is not None)
    given.update(dict.fromkeys((part.page for part in parts if part.page is not None), 0))
    given.update(dict.fromkeys((article.page for article in wiki), 0))
    answers = Answers(given, mapped)

    folds = Counter(question.fold for question in asked_all)
    left_out = [] if inputs.everything else [one for one in asked_all if one.fold != GUESS]
    if not inputs.everything:
        asked_all = [question for question in asked_all if question.fold == GUESS]
    rows = sorted(_passages(asked_all, parts, wiki, answers), key=lambda row: (row[0], row[1]))
    pages = tuple(dict.fromkeys(page for page, *_ in rows))
    row_of = {page: number for number, page in enumerate(pages)}
    asked = Counter(page for page, kind, *_ in rows if kind is PassageKind.TOSSUP)
    settled = dict(answers.by)  # those of the tossups left out are not counted
    return Corpus(
        pages=pages,
        asked=tuple(asked[page] for page in pages),
        page_rows=tuple(row_of[page] for page, *_ in rows),
        kinds=tuple(kind for _, kind, *_ in rows),
        sources=tuple(source for *_, source, _, _ in rows),
        texts=tuple(text for *_, text, _ in rows),
        categories=tuple(category for *_, category in rows),
        held=tuple(Held(one.text, answers.page(one.page, one.answer), one.fold) for one in left_out),
        folds=dict(folds),
        settled=settled,
    )


def _passages(
    asked: Iterable[FileQuestion], parts: Iterable[Part], wiki: Iterable[Article], answers: Answers
) -> Iterator[tuple[Page, PassageKind, str, str, str]]:
    for question in asked:
        page = answers.page(question.page, question.answer)
        yield page, PassageKind.TOSSUP, question.source, question.text, question.category
    for part in parts:
        yield answers.page(part.page, part.answer), PassageKind.BONUS, part.source, part.text, ""
    for article in wiki:
        for passage in cut(article.text):
            yield answers.page(article.page, article.page), PassageKind.ARTICLE, article.source, passage, ""


_BREAK = re.compile(r"(?<=[.!?])\s+(?=[\"“(A-Z0-9])|\n\s*")


def cut(text: str, words: int = PASSAGE_WORDS) -> Iterator[str]:
    """``text`` in passages of about ``words`` words; a sentence is never cut."""
    held: list[str] = []
    count = 0
    for sentence in _BREAK.split(text):
        if not sentence.strip():
            continue
        size = len(sentence.split())
        if held and count + size > words:
            yield " ".join(held)
            held, count = [], 0
        held.append(sentence.strip())
        count += size
    if held:
        yield " ".join(held)
