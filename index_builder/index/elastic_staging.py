"""Documents for an Elasticsearch index, made in a folder of work without holding the texts in memory.

Passages are first sorted by page into runs on disk; then their terms are counted, batch by batch, and what
they tell of other pages; then each page's points are worked out from the counts of all batches. The folder
says how far that is, and what is finished there is used again.
"""

from __future__ import annotations

import heapq
import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby, pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import astuple

from index_builder.data.aliases import LineNames
from index_builder.data.answer_map import AnswerMap, page_keys
from index_builder.data.corpus import (
    InputReader,
    Inputs,
    PassageRow,
    UnfiledPassage,
    bundle_passages,
    filed,
    split_article,
    unfiled,
)
from index_builder.data.merged_pages import spelling
from index_builder.index.mentions import MentionCounter, MentionCounts
from index_builder.index.term_matrix import (
    HEARING,
    MENTIONS_FROM,
    PSEUDO_COUNT,
    WEIGHTINGS,
    WORDS,
    Numbers,
    TermCounts,
    TermWeighting,
    corpus_stop_words,
    count_terms,
    prior_points,
    tossup_frequencies,
    with_mentions,
)
from index_builder.index.tokenized_texts import TokenizedTexts, tokenize_texts
from index_builder.progress import Progress
from quizwriter.domain.page import Page, answer_key
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import PRIOR_TERM, term_names
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import Hashes, is_in, title_hashes, title_stems
from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import Count, DecodingError, decode_json, read_limited

RUN_CHARACTERS = 32_000_000  # sorted at once in memory
BATCH_CHARACTERS = 8_000_000  # counted at once
_LARGEST_ABOUT = 1 << 24  # bytes
COUNTED_TOSSUPS = 5_000  # whose stems are counted at once

LONGEST_PAGE_NAME = 500
"""Characters; a longer answer is not the name of a page."""

Row = TypeVar("Row")
Counts = TypeVar("Counts", TermCounts, MentionCounts)
PassageRows = Callable[[], Iterator[PassageRow]]
PageGroups = list[tuple[Page, list[PassageRow]]]
"""Some pages, each with its passages."""


class StagedAbout(msgspec.Struct, frozen=True):
    """What an index will say of its contents.

    ``largest_prior`` has the points that the page asked for most starts with, ``everywhere`` the stems that
    count as stop words, in hexadecimal digits. ``hearing`` has the numbers of
    :class:`quizwriter.engine.evidence.HeardWeighting`.
    """

    pages: Count
    passages: Count
    documents: Count
    largest_prior: float
    everywhere: list[str]
    hearing: tuple[float, ...]


class StagedPassages(msgspec.Struct, frozen=True):
    """Passages whose terms are counted in ``folder``; ``rows`` gives them page by page, each time alike."""

    folder: Path
    about: StagedAbout
    rows: PassageRows


MaySend = Callable[[str], bool]
"""Says of a text whether it may be sent to a server."""


def stage(
    source: Inputs | Bundle, folder: Path, progress: Progress, may_send: MaySend = lambda text: True
) -> StagedPassages:
    """Sort the passages of ``source`` and count their terms in ``folder``; finished work there is used again.

    Passages whose text may not be sent are left out.
    """
    rows = (
        partial(_bundle_rows, source, may_send)
        if isinstance(source, Bundle)
        else partial(_sorted_rows, folder)
    )
    finished = folder / "about.json"
    with suppress(OSError, DecodingError):  # missing, or damaged since: the work is done again
        return StagedPassages(
            folder,
            decode_json(read_limited(finished, _LARGEST_ABOUT), StagedAbout, most_bytes=_LARGEST_ABOUT),
            rows,
        )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if isinstance(source, Bundle):
        stop_words: Hashes = source.array("ir/everywhere.npy")
        total = len(source.texts("passages/texts"))
    else:
        stop_words, total = _sort_inputs(source, folder, progress, may_send)
    if not total:
        raise QuizwriterError(
            "None of the rows can be used, so there is nothing to publish.",
            "Check that the files hold questions, one JSON object a line.",
        )
    about = _count(folder, rows, stop_words, total, progress)
    with atomic_write(finished) as file:
        file.write(msgspec.json.encode(about))
    return StagedPassages(folder, about, rows)


def documents(staged: StagedPassages, start: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every document from number ``start`` on, numbered: each page, and after it the passages about it."""
    sorts = [_CorpusCounts(staged.folder, sort, weighting) for sort, weighting in enumerate(WEIGHTINGS)]
    number = 0
    for batch, pages in _batches(staged.rows):
        size = len(pages) + sum(len(group) for _, group in pages)
        if number + size > start:
            found = _batch_documents(sorts, batch, pages)
            yield from (pair for pair in enumerate(found, number) if pair[0] >= start)
        number += size


# -- sorting


def _batches(rows: PassageRows) -> Iterator[tuple[int, PageGroups]]:
    """The passages by page, some pages at a time, each batch with its number."""
    return enumerate(_batched(rows()))


def _batched(rows: Iterable[PassageRow]) -> Iterator[PageGroups]:
    batch: PageGroups = []
    size = 0
    for page, group in groupby(rows, attrgetter("page")):
        passages = list(group)
        batch.append((page, passages))
        size += sum(len(passage.text) for passage in passages)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _bundle_rows(bundle: Bundle, may_send: MaySend) -> Iterator[PassageRow]:
    return (passage for passage in bundle_passages(bundle) if may_send(passage.text))


def _sorted_rows(folder: Path) -> Iterator[PassageRow]:
    runs = [_read_lines(path, PassageRow) for path in sorted(folder.glob("run-*"))]
    return heapq.merge(*runs)


class _Sorter:
    """Sorts more passages than fit into memory: runs of them are sorted, and merged when read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: list[PassageRow] = []
        self._size = self._runs = self.count = 0

    def add(self, passage: PassageRow) -> None:
        """Take in a passage, unless the name of its page is too long."""
        if len(passage.page) > LONGEST_PAGE_NAME:
            return
        self._held.append(passage)
        self.count += 1
        self._size += len(passage.text)
        if self._size >= RUN_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write what is held in memory as a run."""
        self._held.sort()
        _write_lines(self._folder / f"run-{self._runs:05}", self._held)
        self._held, self._size, self._runs = [], 0, self._runs + 1


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        file.writelines(encoder.encode(row) + b"\n" for row in rows)


def _read_lines(path: Path, form: type[Row]) -> Iterator[Row]:
    decoder = msgspec.json.Decoder(form)
    with path.open("rb") as lines:
        for line in lines:
            yield decoder.decode(line)


def _sort_inputs(inputs: Inputs, folder: Path, progress: Progress, may_send: MaySend) -> tuple[Hashes, int]:
    """Read ``inputs`` into runs in ``folder``; the corpus stop words, and the number of passages.

    Questions are filed under the same pages as when a bundle is built. For that, only those titles of
    articles are remembered that some answer without a page may mean.
    """
    reader = InputReader(inputs, progress.reading)
    mapped = reader.answer_map()
    unsettled: set[str] = set()
    names_of = LineNames()

    def asked() -> Iterator[UnfiledPassage]:
        for question in reader.questions():
            if inputs.indexes(question):
                yield unfiled(question)
        yield from map(unfiled, reader.bonus_parts())

    def noted() -> Iterator[UnfiledPassage]:
        for passage in asked():
            if not may_send(passage.text):
                continue
            if passage.page is None:
                unsettled.update(page_keys(passage.answer, passage.line, names_of))
            yield passage

    waiting = folder / "unsettled"
    _write_lines(waiting, noted())
    sorter = _Sorter(folder)

    def perhaps_merged() -> Iterator[UnfiledPassage]:
        for article in reader.articles():
            if not unsettled.isdisjoint((answer_key(article.page), spelling(article.page))):
                reader.named[article.page] += 0
            for cut in filter(lambda cut: may_send(cut.text), split_article(article)):
                if reader.spellings.may_merge(article.page):
                    yield cut
                else:
                    sorter.add(PassageRow(Page(article.page), cut.kind, sorter.count, cut.source, cut.text))

    spelt = folder / "spelt"
    _write_lines(spelt, perhaps_merged())
    merged = reader.spellings.merged(reader.named)
    answers = AnswerMap(reader.named, mapped, reader.lines, names_of, merged)
    for cut in _read_lines(spelt, UnfiledPassage):
        sorter.add(filed(cut, answers, sorter.count))
    spelt.unlink()
    seen = _StopWordCounter()
    for passage in _read_lines(waiting, UnfiledPassage):
        row = filed(passage, answers, sorter.count)
        sorter.add(row)
        if row.kind is PassageKind.TOSSUP and len(row.page) <= LONGEST_PAGE_NAME:
            seen.add(row.text)
    sorter.flush()
    waiting.unlink()
    return seen.found(), sorter.count


class _StopWordCounter:
    """Finds the corpus stop words: the stems that occur in so many tossups that they say nothing."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._counts: dict[int, int] = {}
        self._tossups = 0

    def add(self, text: str) -> None:
        """Take in a tossup."""
        self._held.append(text)
        if len(self._held) == COUNTED_TOSSUPS:
            self._count()

    def found(self) -> Hashes:
        """The stop words among the tossups taken in, sorted."""
        self._count()
        stems = np.asarray(sorted(self._counts), np.uint64)
        counts = np.asarray([self._counts[int(stem)] for stem in stems])
        return corpus_stop_words(stems, counts, self._tossups)

    def _count(self) -> None:
        kinds = np.full(len(self._held), PassageKind.TOSSUP, np.int8)
        stems, counts = tossup_frequencies(tokenize_texts(self._held), kinds)
        for stem, count in zip(stems.tolist(), counts.tolist(), strict=True):
            self._counts[stem] = self._counts.get(stem, 0) + count
        self._tossups += len(self._held)
        self._held = []


# -- counting


def _count(
    folder: Path, rows: PassageRows, stop_words: Hashes, total: int, progress: Progress
) -> StagedAbout:
    """Count the terms of each page and of all pages into ``folder``; what the index says of itself."""
    passages = pages = most = 0
    mentions = _StagedMentions(folder, rows, stop_words)
    for number, batch in _batches(rows):
        kinds = np.asarray([passage.kind for _, group in batch for passage in group], np.int8)
        page_of = np.repeat(np.arange(len(batch), dtype=np.int32), [len(group) for _, group in batch])
        tokens = tokenize_texts([passage.text for _, group in batch for passage in group])
        for sort, counts in enumerate(count_terms(tokens, kinds, page_of, stop_words)):
            _save_counts(_batch_file(folder, number, sort), counts)
            _add_totals(folder, sort, counts)
        mentions.add(number, tokens, page_of, [page for page, _ in batch])
        most = max(most, max(_question_count(group) for _, group in batch))
        passages, pages = passages + len(kinds), pages + len(batch)
        progress.indexing(passages, total)
    for sort in range(len(WEIGHTINGS)):
        _merge_totals(folder, sort)
    mentions.settle()
    everywhere = [f"{stem:x}" for stem in stop_words.tolist()]
    return StagedAbout(pages, passages, pages + passages, _prior(most), everywhere, astuple(HEARING))


def _question_count(group: Sequence[PassageRow]) -> int:
    return sum(passage.kind != PassageKind.ARTICLE for passage in group)


def _prior(questions: int) -> float:
    """The points that a page with so many questions starts with."""
    return float(rounded_points(prior_points(np.asarray([questions])))[0])


def rounded_points(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """``points`` rounded as the server saves them, to nine binary digits; the server itself would cut off."""
    bits = np.ascontiguousarray(points, np.float32).view(np.uint32)
    return ((bits + np.uint32(0x4000)) & np.uint32(0xFFFF8000)).view(np.float32)


def _batch_file(folder: Path, batch: int, sort: int) -> Path:
    return folder / f"counted-{batch:05}-{sort}.npz"


def _mentions_file(folder: Path, batch: int) -> Path:
    return folder / f"mentioned-{batch:05}.npz"


def _save_counts(path: Path, counts: TermCounts | MentionCounts) -> None:
    np.savez(path, allow_pickle=False, **counts._asdict())


def _load_counts(path: Path, form: Callable[..., Counts]) -> Counts:
    with np.load(path, allow_pickle=False) as saved:
        return form(**saved)


PARTS = 256
"""So many files at most hold what terms count, or what mentions tell, before it is added up."""

_TOTAL = np.dtype([("term", np.uint64), ("sum", np.float64)])


def _add_totals(folder: Path, sort: int, counts: TermCounts) -> None:
    """Append what each term counts in a batch to the file of the terms whose hash has the same first byte."""
    totals = np.empty(len(counts.terms), _TOTAL)
    totals["term"], totals["sum"] = counts.terms, counts.totals()
    ends = np.searchsorted(counts.terms, np.arange(1, PARTS, dtype=np.uint64) << np.uint64(56))
    for part, some in enumerate(np.split(totals, ends)):
        if len(some):
            with (folder / f"part-{sort}-{part:03}").open("ab") as file:
                some.tofile(file)


def _merge_totals(folder: Path, sort: int) -> None:
    """Write what each term counts in all batches: the terms, sorted, and the sums."""
    with _terms_file(folder, sort).open("wb") as terms, _sums_file(folder, sort).open("wb") as sums:
        for part in sorted(folder.glob(f"part-{sort}-*")):
            found = np.fromfile(part, _TOTAL)
            distinct, number = np.unique(found["term"], return_inverse=True)
            distinct.tofile(terms)
            np.bincount(number, found["sum"], minlength=len(distinct)).tofile(sums)
            part.unlink()


_TOLD = np.dtype([("stem", np.uint64), ("page", np.int32), ("count", np.float32)])


class _StagedMentions:
    """What mentions tell of pages, kept on disk until all passages are read; of few pages nothing is kept.

    The passages are gone through once more, before they are counted, for the titles of all pages.
    """

    def __init__(self, folder: Path, rows: PassageRows, stop_words: Hashes) -> None:
        self._folder = folder
        self._firsts = [0]  # the number of the first page of each batch, and of the one behind all
        titles, titled = list[Hashes](), list[npt.NDArray[np.int32]]()
        for _, batch in _batches(rows):
            hashes, pages = title_hashes([page for page, _ in batch])
            titles.append(hashes)
            titled.append(pages + np.int32(self._firsts[-1]))
            self._firsts.append(self._firsts[-1] + len(batch))
        count = self._firsts[-1]
        self._counted = count >= MENTIONS_FROM
        self._counter = MentionCounter(np.concatenate(titles), np.concatenate(titled), count, stop_words)
        self._together = math.ceil((len(self._firsts) - 1) / PARTS)  # batches in one file

    def add(
        self, batch: int, tokens: TokenizedTexts, page_of: npt.NDArray[np.int32], pages: Sequence[Page]
    ) -> None:
        """Append what passages of a batch tell of pages to the files of those pages' batches."""
        if not self._counted:
            return
        found = self._counter.read(tokens, page_of, list(map(title_stems, pages)), self._firsts[batch])
        order = np.argsort(found.pages, kind="stable")
        told = np.empty(len(order), _TOLD)
        told["stem"], told["page"], told["count"] = (
            found.stems[order],
            found.pages[order],
            found.counts[order],
        )
        ends = np.searchsorted(told["page"], self._firsts[self._together : -1 : self._together])
        for part, some in enumerate(np.split(told, ends)):
            if len(some):
                with self._part(part).open("ab") as file:
                    some.tofile(file)

    def settle(self) -> None:
        """Write for each batch what mentions tell of its pages, which are numbered from its first one."""
        if not self._counted:
            return
        for batch, (first, behind) in enumerate(pairwise(self._firsts)):
            if batch % self._together == 0:
                part = self._part(batch // self._together)
                told = np.fromfile(part, _TOLD) if part.exists() else np.zeros(0, _TOLD)
                found = self._counter.settled(MentionCounts(told["stem"], told["page"], told["count"]))
                part.unlink(missing_ok=True)
            some = (found.pages >= first) & (found.pages < behind)
            settled = MentionCounts(
                found.stems[some], found.pages[some] - np.int32(first), found.counts[some]
            )
            _save_counts(_mentions_file(self._folder, batch), settled)

    def _part(self, number: int) -> Path:
        return self._folder / f"told-{number:03}"


def _terms_file(folder: Path, sort: int) -> Path:
    return folder / f"terms-{sort}"


def _sums_file(folder: Path, sort: int) -> Path:
    return folder / f"sums-{sort}"


def _memory_mapped(path: Path, kind: type[np.generic]) -> npt.NDArray[Any]:
    """The numbers in a file, read where they are touched; an empty file cannot be memory-mapped."""
    return np.asarray(np.memmap(path, kind, "r")) if path.stat().st_size else np.zeros(0, kind)


# -- documents


class _CorpusCounts:
    """What the terms of one sort count in the whole corpus; the points of a batch follow from it."""

    def __init__(self, folder: Path, sort: int, weighting: TermWeighting) -> None:
        self._folder, self._sort, self._weighting = folder, sort, weighting
        self._terms: Hashes = _memory_mapped(_terms_file(folder, sort), np.uint64)
        self._sums = _memory_mapped(_sums_file(folder, sort), np.float64)
        self._mass = float(self._sums.sum()) + PSEUDO_COUNT * len(self._sums)

    def points(self, batch: int, pages: int) -> tuple[list[str], Numbers, Numbers, Numbers]:
        """The names of the terms of a batch; and for each of its postings the term, the page, the points."""
        counts = _load_counts(_batch_file(self._folder, batch, self._sort), TermCounts)
        mentions = self._mentions(batch)
        if mentions is not None:
            counts = counts.with_terms(mentions.stems)
        totals = self._sums[np.searchsorted(self._terms, counts.terms)]
        length = counts.page_lengths(pages)
        postings = counts.points(self._weighting, totals, self._mass, length)
        if mentions is not None:
            share = (totals + PSEUDO_COUNT) / self._mass
            postings = with_mentions(postings, counts.terms, self._weighting, share, length, mentions)
        term, page, points = postings
        return term_names(counts.terms), term, page, rounded_points(points)

    def _mentions(self, batch: int) -> MentionCounts | None:
        """What mentions tell of a batch by terms of the corpus: by words, if they were counted."""
        path = _mentions_file(self._folder, batch)
        if self._weighting is not WORDS or not path.exists():
            return None
        found = _load_counts(path, MentionCounts)
        known = is_in(found.stems, self._terms)
        return MentionCounts(found.stems[known], found.pages[known], found.counts[known])


def _batch_documents(
    sorts: Sequence[_CorpusCounts], batch: int, pages: PageGroups
) -> Iterator[dict[str, Any]]:
    names: list[str] = []
    columns = []
    for sort in sorts:
        more, term, page, points = sort.points(batch, len(pages))
        columns.append((term + len(names), page, points))
        names += more
    term, page, points = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.argsort(page, kind="stable")
    ends = np.searchsorted(page[order], np.arange(len(pages) + 1))
    hashes, rows = title_hashes([name for name, _ in pages])
    titles = dict(zip(rows.tolist(), term_names(hashes), strict=True))
    for row, (name, group) in enumerate(pages):
        some = order[ends[row] : ends[row + 1]]
        terms = dict(zip(map(names.__getitem__, term[some].tolist()), points[some].tolist(), strict=True))
        tossups = sum(passage.kind == PassageKind.TOSSUP for passage in group)
        if questions := _question_count(group):
            terms[PRIOR_TERM] = _prior(questions)
        document = {"page": name, "key": answer_key(name), "asked": tossups, "terms": terms}
        yield document | ({"title": titles[row]} if row in titles else {})
        for place, passage in enumerate(group):
            yield {
                "about": name,
                "kind": int(passage.kind),
                "number": place,
                "source": passage.source,
                "text": passage.text,
            }
