"""Publish questions, bonuses and encyclopedia text to Elasticsearch, for the player that asks it.

What goes there is what a bundle holds: for every page what hearing a term adds to its points, and the
passages. Nothing is held in memory that grows with the texts. They are first sorted by page into a folder of
work; then the terms are counted there, batch by batch; then each page's points are worked out and sent. The
folder and the index both say how far that is, so the same command goes on after a cut.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import json
import math
import shutil
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from index_builder.answers import Answers
from index_builder.build import origin
from index_builder.corpus import Inputs, Row, cut
from index_builder.index import (
    ASKED,
    UNSEEN,
    WEIGHINGS,
    Numbers,
    Weighing,
    counted,
    counting,
    everywhere,
    said_in,
    tokenise,
)
from index_builder.sources import answer_map, articles, bonus_parts
from quizwriter import __version__
from quizwriter.atomic import atomic_text
from quizwriter.domain.tossup import answer_key
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic import (
    META,
    PRIOR,
    SCHEMA,
    Connection,
    connect,
    term_names,
    translate_errors,
    version_of,
)
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import STOP_WORDS, Hashes, terms_of, title_hashes
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import GUESS, ReadReport, questions

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

WAITS = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0, 60.0, 60.0)
"""Seconds waited after each failure in a row; after one more we stop."""

PATIENCE = 120.0
"""Seconds that a server gets to take in what it is sent."""

MERGING = 3 * 3600.0
"""Seconds that a server gets to merge the finished index."""

RUN_CHARACTERS = 32_000_000  # sorted at once in memory
BATCH_CHARACTERS = 8_000_000  # counted at once
SENT_AT_ONCE = 4_000_000  # bytes of a bulk request, about
UNDER_WAY = 2  # requests sent and not answered
TOLD_EVERY = 10.0
"""Seconds from one note in the index about how far it is to the next."""

LONGEST_PAGE = 500
"""Characters; a longer answer is no name."""


class Progress(Protocol):
    """Is told how far publishing is."""

    def reading(self, report: ReadReport) -> None:
        """A file is being read."""

    def indexing(self, done: int, total: int) -> None:
        """So many of all passages are counted."""

    def sending(self, done: int, total: int) -> None:
        """So many of all documents have arrived."""

    def waiting(self, why: str, seconds: float) -> None:
        """Nothing happens for so long."""


@dataclass(frozen=True)
class Ranking:
    """How the server ranks passages by words (BM25), and over how many shards it spreads them."""

    k1: float = 1.2
    b: float = 0.75
    shards: int = 1


@dataclass(frozen=True)
class Published:
    """What is in the index: its own name, pages, passages, bytes on disk; and how long sending took."""

    index: str
    pages: int
    passages: int
    bytes: int
    seconds: float  # 0 if everything was there


def publish(
    source: Inputs | Bundle,
    connection: Connection,
    work: Path,
    progress: Progress,
    *,
    ranking: Ranking = Ranking(),
    waits: Sequence[float] = WAITS,
) -> Published:
    """Put ``source`` into an index of its own; once it is whole, turn the alias ``connection.index`` to it.

    The index that the alias named before is removed then. ``work`` is a folder for what is sorted and
    counted; what is made there is removed at the end, and used again after a cut. A bundle's held folds are
    not sent.

    Raises:
        QuizwriterError: a file cannot be read, the disk is full, or the server does not take it.
    """
    client = connect(connection, PATIENCE)
    try:
        version_of(client, connection)
        told = {**_origin(source), **asdict(ranking), "schema": SCHEMA, "program": __version__}
        digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]
        target = _Target(client, connection, f"{connection.index}-{digest}", waits, progress)
        target.check()
        about = target.complete()
        if about is not None:
            return Published(target.name, about["pages"], about["passages"], target.size(), 0.0)
        try:
            staged = _staged(source, work / digest, progress)
            started = time.monotonic()
            target.create(ranking, {**told, **staged.about})
            target.fill(staged)
            target.finish(staged)
        except OSError as trouble:
            raise QuizwriterError(
                f"The folder {work} cannot be written to ({trouble.strerror}).",
                "Make room or allow writing there; the same command goes on from where it stopped.",
            ) from trouble
        shutil.rmtree(staged.folder, ignore_errors=True)
        pages, passages = staged.about["pages"], staged.about["passages"]
        return Published(target.name, pages, passages, target.size(), time.monotonic() - started)
    finally:
        client.close()


def _origin(source: Inputs | Bundle) -> dict[str, object]:
    return origin(source) if isinstance(source, Inputs) else {"bundle": source.digest}


class _Text(NamedTuple):
    """A passage, and what it is sorted by: its page, its kind, and its place among what was read."""

    page: str
    kind: int
    place: int
    source: str
    text: str


_Pages = list[tuple[str, list[_Text]]]


@dataclass(frozen=True)
class _Staged:
    """What is ready to be sent from ``folder``. ``texts`` come page by page, each time the same."""

    folder: Path
    about: dict[str, Any]
    texts: Callable[[], Iterator[_Text]]

    def batches(self) -> Iterator[tuple[int, _Pages]]:
        """The passages by page, some pages at a time, each with its number."""
        return enumerate(_batched(self.texts()))


def _batched(texts: Iterable[_Text]) -> Iterator[_Pages]:
    batch: _Pages = []
    size = 0
    for page, group in groupby(texts, itemgetter(0)):
        passages = list(group)
        batch.append((page, passages))
        size += sum(len(one.text) for one in passages)
        if size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _staged(source: Inputs | Bundle, folder: Path, progress: Progress) -> _Staged:
    """``source``, sorted and counted in ``folder``; what is there already is used."""
    texts = partial(_of_bundle, source) if isinstance(source, Bundle) else partial(_of_runs, folder)
    kept = folder / "about.json"
    if kept.exists():
        return _Staged(folder, json.loads(kept.read_text(encoding="utf-8")), texts)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if isinstance(source, Bundle):
        common: Hashes = source.array("ir/everywhere.npy")
        total = len(source.texts("passages/texts"))
    else:
        common, total = _sort(source, folder, progress)
    if not total:
        raise QuizwriterError(
            "None of the rows can be used, so there is nothing to publish.",
            "See that the files hold questions, one JSON object a line.",
        )
    about = _count(_Staged(folder, {}, texts), common, total, progress)
    with atomic_text(kept) as file:
        json.dump(about, file)
    return _Staged(folder, about, texts)


def _of_bundle(bundle: Bundle) -> Iterator[_Text]:
    texts, sources = bundle.texts("passages/texts"), bundle.texts("passages/sources")
    kinds, starts = bundle.array("passages/kinds.npy"), bundle.array("passages/page_starts.npy")
    for row, page in enumerate(bundle.lines("pages.txt")):
        for place in range(int(starts[row]), int(starts[row + 1])):
            yield _Text(page, int(kinds[place]), place, sources[place], texts[place])


def _of_runs(folder: Path) -> Iterator[_Text]:
    """All sorted runs in ``folder`` as one."""

    def run(path: Path) -> Iterator[_Text]:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield _Text(*json.loads(line))

    return heapq.merge(*map(run, sorted(folder.glob("run-*"))), key=itemgetter(0, 1, 2))


class _Sorter:
    """Sorts more passages than fit into memory: runs of them are sorted, and merged when read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: list[_Text] = []
        self._size = self._runs = self.count = 0

    def add(self, page: str, kind: PassageKind, source: str, text: str) -> None:
        """Take in a passage."""
        self._held.append(_Text(page, int(kind), self.count, source, text))
        self.count += 1
        self._size += len(text)
        if self._size >= RUN_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        self._held.sort()
        _write_lines(self._folder / f"run-{self._runs:05}", self._held)
        self._held, self._size, self._runs = [], 0, self._runs + 1


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _sort(inputs: Inputs, folder: Path, progress: Progress) -> tuple[Hashes, int]:
    """Read ``inputs`` into runs in ``folder``; the stems that are everywhere, and the number of passages.

    Questions are filed under the same pages as when a bundle is built. For that only those titles of
    articles are remembered that some answer without a page may mean.
    """

    def read(reader: Callable[[Path, ReadReport], Iterator[Row]], paths: Iterable[Path]) -> Iterator[Row]:
        for path in paths:
            report = ReadReport(str(path))
            for count, row in enumerate(reader(path, report)):
                if count % 500 == 0:
                    progress.reading(report)
                yield row
            report.read = 1.0
            progress.reading(report)

    mapped = dict(read(answer_map, inputs.answer_maps))
    given = Counter[str]()
    wanted: set[str] = set()

    def asked() -> Iterator[tuple[PassageKind, str | None, str, str, str]]:
        for question in read(questions, inputs.questions):
            if question.page is not None:
                given[question.page] += 1
            if inputs.everything or question.fold == GUESS:
                yield PassageKind.TOSSUP, question.page, question.answer, question.source, question.text
        for part in read(bonus_parts, inputs.bonuses):
            if part.page is not None:
                given[part.page] += 0
            yield PassageKind.BONUS, part.page, part.answer, part.source, part.text

    def noted() -> Iterator[tuple[PassageKind, str | None, str, str, str]]:
        for row in asked():
            if row[1] is None:
                wanted.add(answer_key(row[2]))
            yield row

    unsettled = folder / "unsettled"
    _write_lines(unsettled, noted())
    sorter = _Sorter(folder)
    for article in read(articles, inputs.wiki):
        if answer_key(article.page) in wanted:
            given[article.page] += 0
        for passage in cut(article.text):
            if len(article.page) <= LONGEST_PAGE:
                sorter.add(article.page, PassageKind.ARTICLE, article.source, passage)
    answers = Answers(given, mapped)
    seen = _Everywhere()
    with unsettled.open(encoding="utf-8") as lines:
        for kind, page, answer, source, text in map(json.loads, lines):
            filed = answers.page(page, answer)
            if len(filed) <= LONGEST_PAGE:
                sorter.add(filed, PassageKind(kind), source, text)
                if kind == PassageKind.TOSSUP:
                    seen.add(text)
    sorter.flush()
    unsettled.unlink()
    return seen.found(), sorter.count


class _Everywhere:
    """Finds the stems that are in so many tossups that they say nothing."""

    def __init__(self) -> None:
        self._held: list[str] = []
        self._counts: dict[int, int] = {}
        self._tossups = 0

    def add(self, text: str) -> None:
        """Take in a tossup."""
        self._held.append(text)
        if len(self._held) == 5_000:
            self._count()

    def found(self) -> Hashes:
        """The stems, sorted."""
        self._count()
        stems = np.asarray(sorted(self._counts), np.uint64)
        return everywhere(stems, np.asarray([self._counts[int(stem)] for stem in stems]), self._tossups)

    def _count(self) -> None:
        tokens = tokenise(self._held, lambda _: None)
        stems, counts = said_in(tokens, np.full(len(self._held), PassageKind.TOSSUP, np.int8))
        for stem, count in zip(stems.tolist(), counts.tolist(), strict=True):
            self._counts[stem] = self._counts.get(stem, 0) + count
        self._tossups += len(self._held)
        self._held = []


def _count(staged: _Staged, common: Hashes, total: int, progress: Progress) -> dict[str, Any]:
    """Count the terms of every page and of all pages into ``staged.folder``; what is to be known of them."""
    passages = pages = most = 0
    for number, batch in staged.batches():
        kinds = np.asarray([one.kind for _, group in batch for one in group], np.int8)
        page_of = np.repeat(np.arange(len(batch), dtype=np.int32), [len(group) for _, group in batch])
        tokens = tokenise([one.text for _, group in batch for one in group], lambda _: None)
        sorts = terms_of(tokens.stems, tokens.pointers, tokens.passages, common)
        for sort, (weighing, terms) in enumerate(zip(WEIGHINGS, sorts, strict=True)):
            of = tokens.passages[terms.last]
            found = _Counted(*counted(terms.hashes, page_of[of], counting(weighing)[kinds[of]]))
            found.write(_place(staged.folder, number, sort))
            _add_up(staged.folder, sort, found)
        most = max(most, max(_asked(group) for _, group in batch))
        passages, pages = passages + len(kinds), pages + len(batch)
        progress.indexing(passages, total)
    for sort in range(len(WEIGHINGS)):
        _total(staged.folder, sort)
    return {
        "pages": pages,
        "passages": passages,
        "documents": pages + passages,
        "largest_prior": _prior(most),
        "everywhere": [f"{stem:x}" for stem in common.tolist()],
    }


def _asked(group: Sequence[_Text]) -> int:
    return sum(one.kind == PassageKind.TOSSUP for one in group)


def _prior(asked: int) -> float:
    """What a page starts with after so many tossups on it."""
    return float(_kept(np.asarray([ASKED * math.log1p(asked)], np.float32))[0])


def _kept(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """``points`` rounded as the server keeps them, to nine binary digits; it would cut off the others."""
    bits = np.ascontiguousarray(points, np.float32).view(np.uint32)
    return ((bits + np.uint32(0x4000)) & np.uint32(0xFFFF8000)).view(np.float32)


def _place(folder: Path, batch: int, sort: int) -> Path:
    return folder / f"counted-{batch:05}-{sort}.npz"


class _Counted(NamedTuple):
    """Distinct terms of a batch, sorted; how many pages have each; those, term by term; the counts there."""

    terms: Hashes
    sizes: npt.NDArray[np.int64]
    pages: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]

    def write(self, path: Path) -> None:
        np.savez(path, **self._asdict())

    @classmethod
    def read(cls, path: Path) -> _Counted:
        with np.load(path) as kept:
            return cls(*(kept[name] for name in cls._fields))

    def sums(self) -> npt.NDArray[np.float64]:
        """What each term counts on all pages of the batch."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.add.reduceat(self.counts.astype(np.float64), starts) if len(starts) else np.zeros(0)


_PARTS = 256
_SUM = np.dtype([("term", np.uint64), ("sum", np.float64)])


def _add_up(folder: Path, sort: int, found: _Counted) -> None:
    """Put what each term counts in a batch beside what it counts in others, by the first byte of its hash."""
    sums = np.empty(len(found.terms), _SUM)
    sums["term"], sums["sum"] = found.terms, found.sums()
    ends = np.searchsorted(found.terms, np.arange(1, _PARTS, dtype=np.uint64) << np.uint64(56))
    for part, some in enumerate(np.split(sums, ends)):
        if len(some):
            with (folder / f"part-{sort}-{part:03}").open("ab") as file:
                some.tofile(file)


def _total(folder: Path, sort: int) -> None:
    """What each term counts in all batches: the terms, sorted, and the sums."""
    with _terms(folder, sort).open("wb") as terms, _sums(folder, sort).open("wb") as sums:
        for part in sorted(folder.glob(f"part-{sort}-*")):
            found = np.fromfile(part, _SUM)
            distinct, number = np.unique(found["term"], return_inverse=True)
            distinct.tofile(terms)
            np.bincount(number, found["sum"], minlength=len(distinct)).tofile(sums)
            part.unlink()


def _terms(folder: Path, sort: int) -> Path:
    return folder / f"terms-{sort}"


def _sums(folder: Path, sort: int) -> Path:
    return folder / f"sums-{sort}"


def _mapped(path: Path, kind: type[np.generic]) -> npt.NDArray[Any]:
    """The numbers in a file, read where they are touched; an empty one cannot be memory-mapped."""
    return np.asarray(np.memmap(path, kind, "r")) if path.stat().st_size else np.zeros(0, kind)


class _Points:
    """Works out what hearing each term adds to a page, as a bundle's builder does."""

    def __init__(self, folder: Path, sort: int, weighing: Weighing) -> None:
        self._folder, self._sort, self._weighing = folder, sort, weighing
        self._terms: Hashes = _mapped(_terms(folder, sort), np.uint64)
        self._sums = _mapped(_sums(folder, sort), np.float64)
        self._mass = float(self._sums.sum()) + UNSEEN * len(self._sums)

    def of(self, batch: int, pages: int) -> tuple[list[str], Numbers, Numbers, Numbers]:
        """The names of the terms of a batch; and for each of its postings the term, the page, the points."""
        found = _Counted.read(_place(self._folder, batch, self._sort))
        totals = self._sums[np.searchsorted(self._terms, found.terms)]
        share = np.repeat((totals + UNSEEN) / self._mass, found.sizes)
        length = np.bincount(found.pages, found.counts, minlength=pages)
        term = np.repeat(np.arange(len(found.terms)), found.sizes)
        used = np.repeat(totals >= self._weighing.least, found.sizes)
        points = self._weighing.points(found.counts[used], length[found.pages[used]], share[used])
        return term_names(found.terms), term[used], found.pages[used], _kept(points)


def _documents(staged: _Staged, sent: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every document from number ``sent`` on, numbered: each page, and after it the passages about it."""
    sorts = [_Points(staged.folder, sort, weighing) for sort, weighing in enumerate(WEIGHINGS)]
    number = 0
    for batch, pages in staged.batches():
        size = len(pages) + sum(len(group) for _, group in pages)
        if number + size > sent:
            found = _batch_documents(sorts, batch, pages)
            yield from (pair for pair in enumerate(found, number) if pair[0] >= sent)
        number += size


def _batch_documents(sorts: Sequence[_Points], batch: int, pages: _Pages) -> Iterator[dict[str, Any]]:
    names: list[str] = []
    columns = []
    for sort in sorts:
        more, term, page, points = sort.of(batch, len(pages))
        columns.append((term + len(names), page, points))
        names += more
    term, page, points = (np.concatenate(column) for column in zip(*columns, strict=True))
    order = np.argsort(page, kind="stable")
    ends = np.searchsorted(page[order], np.arange(len(pages) + 1))
    hashes, rows = title_hashes([name for name, _ in pages])
    titles = dict(zip(rows.tolist(), term_names(hashes), strict=True))
    for row, (name, group) in enumerate(pages):
        some = order[ends[row] : ends[row + 1]]
        heard = dict(zip(map(names.__getitem__, term[some].tolist()), points[some].tolist(), strict=True))
        asked = _asked(group)
        if asked:
            heard[PRIOR] = _prior(asked)
        document = {"page": name, "key": answer_key(name), "asked": asked, "terms": heard}
        yield document | ({"title": titles[row]} if row in titles else {})
        for place, one in enumerate(group):
            yield {"about": name, "kind": one.kind, "number": place, "source": one.source, "text": one.text}


def _settings(ranking: Ranking) -> dict[str, Any]:
    """Of an index that is being loaded; the analysis is as near as the server's comes to ours."""
    return {
        "number_of_shards": ranking.shards,
        "number_of_replicas": 0,
        "refresh_interval": "-1",
        "similarity": {"passages": {"type": "BM25", "k1": ranking.k1, "b": ranking.b}},
        "analysis": {
            "filter": {
                "possessive": {"type": "pattern_replace", "pattern": "'s$|'", "replacement": ""},
                "stop_words": {"type": "stop", "stopwords": sorted(STOP_WORDS)},
                "stems": {"type": "snowball", "language": "English"},
            },
            "analyzer": {
                "passages": {
                    "type": "custom",
                    "tokenizer": "standard",
                    "filter": ["lowercase", "asciifolding", "possessive", "stop_words", "stems"],
                }
            },
        },
    }


_MAPPINGS = {
    "dynamic": "strict",
    "_source": {"excludes": ["terms"]},
    "properties": {
        # of a page
        "page": {"type": "keyword"},
        "key": {"type": "keyword", "doc_values": False},
        "title": {"type": "keyword"},
        "asked": {"type": "integer", "index": False},
        "terms": {"type": "sparse_vector"},
        # of a passage
        "about": {"type": "keyword", "doc_values": False},
        "kind": {"type": "byte"},
        "number": {"type": "integer", "index": False},
        "source": {"type": "keyword", "index": False, "doc_values": False},
        "text": {
            "type": "text",
            "analyzer": "passages",
            "similarity": "passages",
            "index_options": "freqs",
        },
    },
}


@dataclass
class _Target:
    """The index that is filled, and the alias that is to name it."""

    client: Elasticsearch
    connection: Connection
    name: str
    waits: Sequence[float]
    progress: Progress

    def check(self) -> None:
        """See that the alias is free, or is an alias.

        Raises:
            QuizwriterError: an index of that name is in the way, or the server cannot be used.
        """
        alias = self.connection.index
        with translate_errors(self.connection, PATIENCE):
            taken = self.client.indices.exists(index=alias) and not self.client.indices.exists_alias(
                name=alias
            )
        if taken:
            raise QuizwriterError(
                f"{alias} is an index on {self.connection.url}, and not one that this program made.",
                "Give another name with --index.",
            )

    def complete(self) -> dict[str, Any] | None:
        """What the index says of itself, if all is there and in use."""
        with translate_errors(self.connection, PATIENCE):
            used = self.client.indices.exists_alias(index=self.name, name=self.connection.index)
        about = self._about() if used else {}
        return about if about.get("complete") else None

    def create(self, ranking: Ranking, about: dict[str, Any]) -> None:
        """Make the index, unless it is there from before; ``about`` is kept in its ``_meta``."""
        with translate_errors(self.connection, PATIENCE):
            if not self.client.indices.exists(index=self.name):
                mappings = {**_MAPPINGS, "_meta": {META: {**about, "sent": 0, "complete": False}}}
                self.client.indices.create(index=self.name, settings=_settings(ranking), mappings=mappings)

    def fill(self, staged: _Staged) -> None:
        """Send every document that has not arrived."""
        about = self._about()
        total = staged.about["documents"]
        sent = total if about["complete"] else int(about["sent"])
        noted = time.monotonic()
        under_way: deque[tuple[int, Future[None]]] = deque()
        with ThreadPoolExecutor(UNDER_WAY) as senders:
            try:
                for end, group in _groups(_documents(staged, sent)):
                    under_way.append((end, senders.submit(self._send, group)))
                    if len(under_way) > UNDER_WAY:
                        sent = self._arrived(under_way)
                        self.progress.sending(sent, total)
                    if time.monotonic() - noted > TOLD_EVERY:
                        noted = time.monotonic()
                        with contextlib.suppress(QuizwriterError):  # the next one will say so, too
                            self._note({**about, "sent": sent})
                while under_way:
                    sent = self._arrived(under_way)
                    self.progress.sending(sent, total)
            except BaseException:
                for _, future in under_way:
                    future.cancel()
                with contextlib.suppress(QuizwriterError):
                    self._note({**about, "sent": sent})
                raise

    @staticmethod
    def _arrived(under_way: deque[tuple[int, Future[None]]]) -> int:
        """How many documents have arrived once the oldest request is answered."""
        end, future = under_way.popleft()
        future.result()
        return end

    def finish(self, staged: _Staged) -> None:
        """Count what has arrived, and turn the alias to it.

        Raises:
            QuizwriterError: something is missing; the alias stays as it is.
        """
        about, documents = self._about(), staged.about["documents"]
        patient = self.client.options(request_timeout=MERGING)
        indices = patient.indices
        with translate_errors(self.connection, PATIENCE):
            indices.refresh(index=self.name)
            arrived = patient.count(index=self.name)["count"]
            if arrived == documents:
                indices.forcemerge(index=self.name, max_num_segments=1)
                restored = {"refresh_interval": None, "auto_expand_replicas": "0-1"}
                indices.put_settings(index=self.name, settings=restored)
        if arrived != documents:
            self._note({**about, "sent": 0})
            raise QuizwriterError(
                f"Only {arrived:,} of {documents:,} documents are in the index {self.name}.",
                "Start the same command again; the index in use is as it was.",
            )
        self._note({**about, "sent": documents, "complete": True})
        alias = self.connection.index
        with translate_errors(self.connection, PATIENCE):
            found = self.client.options(ignore_status=404).indices.get_alias(name=alias).body
            before = [name for name in found if name not in {self.name, "error", "status"}]
            actions: list[dict[str, Any]] = [{"remove": {"index": name, "alias": alias}} for name in before]
            actions.append({"add": {"index": self.name, "alias": alias}})
            indices.update_aliases(actions=actions)
            for name in before:
                indices.delete(index=name)

    def size(self) -> int:
        """Bytes on disk, of one copy."""
        with translate_errors(self.connection, PATIENCE):
            self.client.indices.flush(index=self.name)  # what was merged is there twice until then
            stats = self.client.indices.stats(index=self.name, metric="store")
        return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])

    def _about(self) -> dict[str, Any]:
        with translate_errors(self.connection, PATIENCE):
            found = self.client.indices.get_mapping(index=self.name).body[self.name]
        return dict(found["mappings"]["_meta"][META])

    def _note(self, about: dict[str, Any]) -> None:
        with translate_errors(self.connection, PATIENCE):
            self.client.indices.put_mapping(index=self.name, meta={META: about})

    def _send(self, group: list[dict[str, Any]]) -> None:
        """Send some documents; what does not arrive is sent again, after longer and longer waits.

        Raises:
            QuizwriterError: nothing helped, or the server refuses them.
        """
        from elasticsearch import ApiError, TransportError, helpers

        waits = iter(self.waits)
        while True:
            try:
                _, refused = helpers.bulk(
                    self.client,
                    group,
                    index=self.name,
                    chunk_size=len(group),
                    max_chunk_bytes=10 * SENT_AT_ONCE,
                    raise_on_error=False,
                )
                assert isinstance(refused, list)
                errors = [next(iter(one.values())) for one in refused]
                if not errors:
                    return
                if any(one["status"] not in _BUSY for one in errors):
                    why = str(next(one for one in errors if one["status"] not in _BUSY).get("error"))
                    raise QuizwriterError(
                        f"{self.connection.url} refused documents ({why[:200]}).",
                        "See the server's log; what has arrived is kept, and the same command goes on.",
                    )
                again = {one["_id"] for one in errors}
                group = [one for one in group if one["_id"] in again]
                problem = f"{self.connection.url} is busy."
            except (ApiError, TransportError) as trouble:
                try:
                    with translate_errors(self.connection, PATIENCE):
                        raise trouble
                except QuizwriterError as said:
                    if isinstance(trouble, ApiError) and trouble.status_code not in _BUSY:
                        raise
                    problem = said.problem
            wait = next(waits, None)
            if wait is None:
                raise QuizwriterError(
                    problem,
                    "What has arrived is kept; start the same command again, and it goes on from there.",
                )
            self.progress.waiting(problem, wait)
            time.sleep(wait)


_BUSY = frozenset({408, 429, 500, 502, 503, 504})


def _groups(documents: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """The documents as actions, some megabytes at a time, with the number after the last of them."""
    group: list[dict[str, Any]] = []
    size = number = 0
    for number, document in documents:
        group.append({"_id": str(number), "_source": document})
        size += 300 + len(document.get("text", "")) + 28 * len(document.get("terms", ()))
        if size >= SENT_AT_ONCE:
            yield number + 1, group
            group, size = [], 0
    if group:
        yield number + 1, group
