"""Publish questions, bonuses and encyclopedia text to Elasticsearch, for the player that asks the server.

The index has what a bundle has: for every page what hearing a term adds to its points, and the passages.
:mod:`index_builder.index.elastic_staging` makes the documents; this module sends them. The folder of work and
the index both say how far that is, and the same command goes on after a cut.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import asdict

from index_builder.data.corpus import Inputs
from index_builder.index.elastic_staging import MaySend, StagedPassages, documents, stage
from index_builder.progress import Progress
from quizwriter import __version__
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.answers import (
    BulkAnswer,
    Counted,
    Health,
    IndexAbout,
    IndexSize,
    NodesStats,
)
from quizwriter.engine.elastic.client import (
    INDEX_SCHEMA,
    META_KEY,
    Connection,
    connect,
    decode_answer,
    index_about,
    server_version,
    translate_errors,
)
from quizwriter.engine.tokenizer import STOP_WORDS
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import DecodingError

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

T = TypeVar("T")

RETRY_WAITS = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 60.0, 60.0, 60.0)
"""Seconds waited after each failure in a row; one failure more ends the publication."""

REQUEST_TIMEOUT = 120.0
"""Seconds that a server gets to answer a request."""

MERGE_TIMEOUT = 3 * 3600.0
"""Seconds that a server gets to merge the finished index."""

COPIES = "0-1"
"""How many copies of the index beside the first: one where there is a second node."""

GREEN_TIMEOUT = 600.0
"""Seconds that a cluster gets to make the copies of the finished index."""

DISK_EVERY = 8.0
"""Seconds from one look at the disks of a server that merges to the next."""

DISK_TIMEOUT = 5.0
"""Seconds that a server gets to say how full its disks are."""

LEAST_FREE = 0.06
"""The share of a disk below which a server merges nothing; Elasticsearch itself waits below 0.05."""

REQUEST_BYTES = 4_000_000
"""The size of a bulk request, about."""

REQUESTS_AT_ONCE = 2
"""Bulk requests that may be unanswered at a time."""

NOTE_EVERY = 10.0
"""Seconds from one note in the index about how far it is to the next."""


class IndexOptions(msgspec.Struct, frozen=True):
    """How the server ranks passages by their words (``k1`` and ``b`` of BM25), and over how many shards."""

    k1: float = 1.2
    b: float = 0.75
    shards: int = 1


_USUAL_OPTIONS = IndexOptions()


class BarredPassages(msgspec.Struct, frozen=True):
    """What must not be sent to a server; ``digest`` is another one where something else is barred."""

    may_send: MaySend
    digest: str


class Publication(msgspec.Struct, frozen=True):
    """What an index holds: its own name, pages, passages, bytes on disk; and how long sending took."""

    index: str
    pages: int
    passages: int
    bytes: int
    seconds: float  # 0 if everything was there before


def publish_index(
    source: Inputs | Bundle,
    connection: Connection,
    work: Path,
    progress: Progress,
    *,
    options: IndexOptions = _USUAL_OPTIONS,
    waits: Sequence[float] = RETRY_WAITS,
    barred: BarredPassages | None = None,
) -> Publication:
    """Put ``source`` into an index of its own; once it is whole, point the alias ``connection.index`` to it.

    The index that the alias pointed to before is removed then. ``work`` is a folder in which passages are
    sorted and counted; the results are removed at the end, and used again after a cut. The tossups that a
    bundle holds back are not sent, and nothing that is ``barred``; where more was barred since, the same
    source makes another index. ``waits`` are the seconds waited after each failure in a row.
    """
    client = connect(connection, REQUEST_TIMEOUT)
    try:
        server_version(client, connection)
        about_source = {
            **_provenance(source),
            **asdict(options),
            "schema": INDEX_SCHEMA,
            "program": __version__,
        }
        barring = {} if barred is None else {"barred": barred.digest}
        named = json.dumps({**about_source, **barring}, sort_keys=True)
        digest = hashlib.sha256(named.encode()).hexdigest()[:12]
        target = _TargetIndex(client, connection, f"{connection.index}-{digest}", waits, progress)
        target.check()
        about = target.complete()
        if about is not None:
            return Publication(target.name, about.pages, about.passages, target.size(), 0.0)
        try:
            may_send = (lambda text: True) if barred is None else barred.may_send
            staged = stage(source, work / digest, progress, may_send)
            started = time.monotonic()
            target.create(options, {**about_source, **msgspec.to_builtins(staged.about)})
            target.fill(staged)
            target.finish(staged)
        except OSError as trouble:
            raise QuizwriterError(
                f"The folder {work} cannot be written to ({trouble.strerror}).",
                "Free some disk space or allow writing there, and publish again to continue from there.",
            ) from trouble
        shutil.rmtree(staged.folder, ignore_errors=True)
        pages, passages = staged.about.pages, staged.about.passages
        return Publication(target.name, pages, passages, target.size(), time.monotonic() - started)
    finally:
        client.close()


def _provenance(source: Inputs | Bundle) -> dict[str, Any]:
    return source.provenance if isinstance(source, Inputs) else {"bundle": source.digest}


_WHILE_LOADING = {
    "refresh_interval": "-1",
    # all segments are merged at the end, so that what is merged before is merged twice
    "merge.policy.max_merge_at_once": 50,
    "merge.policy.segments_per_tier": 50,
}
"""The settings that are put back to the server's own when the index is complete."""


def _settings(options: IndexOptions) -> dict[str, Any]:
    """The settings of an index that is being loaded; its analysis is as near to ours as a server's can be."""
    return {
        "number_of_shards": options.shards,
        "number_of_replicas": 0,
        **_WHILE_LOADING,
        "similarity": {"passages": {"type": "BM25", "k1": options.k1, "b": options.b}},
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
                    # the filter of possessives takes long, and half of all words are stop words
                    "filter": [
                        "lowercase",
                        "asciifolding",
                        "stop_words",
                        "possessive",
                        "stop_words",
                        "stems",
                    ],
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


class _TargetIndex(msgspec.Struct):
    """The index that is filled, and the alias that is to point to it."""

    client: Elasticsearch
    connection: Connection
    name: str
    waits: Sequence[float]
    progress: Progress

    def check(self) -> None:
        """Return if the name of the alias is free, or is that of an alias."""
        alias = self.connection.index
        with translate_errors(self.connection, REQUEST_TIMEOUT):
            taken = self.client.indices.exists(index=alias) and not self.client.indices.exists_alias(
                name=alias
            )
        if taken:
            raise QuizwriterError(
                f"{alias} is an index on {self.connection.url}, and not one that this program made.",
                "Name another index.",
            )

    def complete(self) -> IndexAbout | None:
        """What the index says of itself, if it is complete and in use."""
        with translate_errors(self.connection, REQUEST_TIMEOUT):
            used = self.client.indices.exists_alias(index=self.name, name=self.connection.index)
        about = self._about()[0] if used else IndexAbout()
        return about if about.complete else None

    def create(self, options: IndexOptions, about: dict[str, Any]) -> None:
        """Make the index, unless an earlier run made it; ``about`` is saved in its ``_meta``."""
        mappings = {**_MAPPINGS, "_meta": {META_KEY: {**about, "sent": 0, "complete": False}}}

        def create() -> None:
            if not self.client.indices.exists(index=self.name):
                self.client.indices.create(index=self.name, settings=_settings(options), mappings=mappings)

        self._patiently(create)

    def fill(self, staged: StagedPassages) -> None:
        """Send every document that has not arrived."""
        known, about = self._patiently(self._about)
        total = staged.about.documents
        sent = total if known.complete else known.sent
        noted = time.monotonic()
        unanswered: deque[tuple[int, Future[None]]] = deque()
        with ThreadPoolExecutor(REQUESTS_AT_ONCE) as senders:
            try:
                for end, group in _groups(documents(staged, sent)):
                    unanswered.append((end, senders.submit(self._send, group)))
                    if len(unanswered) > REQUESTS_AT_ONCE:
                        sent = self._arrived(unanswered)
                        self.progress.sending(sent, total)
                    if time.monotonic() - noted > NOTE_EVERY:
                        noted = time.monotonic()
                        with contextlib.suppress(QuizwriterError):  # the next request fails too, and says why
                            self._note({**about, "sent": sent})
                while unanswered:
                    sent = self._arrived(unanswered)
                    self.progress.sending(sent, total)
            except BaseException:
                for _, future in unanswered:
                    future.cancel()
                with contextlib.suppress(QuizwriterError):
                    self._note({**about, "sent": sent})
                raise

    @staticmethod
    def _arrived(unanswered: deque[tuple[int, Future[None]]]) -> int:
        """How many documents have arrived once the oldest request is answered."""
        end, future = unanswered.popleft()
        future.result()
        return end

    def finish(self, staged: StagedPassages) -> None:
        """Count the documents that have arrived, and point the alias to the index."""
        documents = staged.about.documents
        _, about = self._patiently(self._about)
        patient = self.client.options(request_timeout=MERGE_TIMEOUT)
        arrived = self._patiently(lambda: self._count(patient))
        if arrived != documents:
            self._note({**about, "sent": 0})
            raise QuizwriterError(
                f"Only {arrived:,} of {documents:,} documents are in the index {self.name}.",
                "Publish again; the index in use is as it was.",
            )
        self._patiently(lambda: self._merge(patient))
        self._patiently(self._restore_settings)
        self._patiently(self._wait_until_green)
        self._patiently(lambda: self._note({**about, "sent": documents, "complete": True}))
        self._patiently(self._put_in_use)

    def _count(self, patient: Elasticsearch) -> int:
        patient.indices.refresh(index=self.name)
        return decode_answer(patient.count(index=self.name).body, Counted).count

    def _restore_settings(self) -> None:
        restored = {**dict.fromkeys(_WHILE_LOADING), "auto_expand_replicas": COPIES}
        self.client.indices.put_settings(index=self.name, settings=restored)

    def _put_in_use(self) -> None:
        """Point the alias to the index, and delete those that it pointed to."""
        alias = self.connection.index
        found = self.client.options(ignore_status=404).indices.get_alias(name=alias).body
        before = [name for name in found if name not in {self.name, "error", "status"}]
        actions: list[dict[str, Any]] = [{"remove_index": {"index": name}} for name in before]
        actions.append({"add": {"index": self.name, "alias": alias}})
        self.client.indices.update_aliases(actions=actions)

    def _merge(self, patient: Elasticsearch) -> None:
        """Merge the index, and tell while the server waits for room on a disk: it may wait for hours."""
        merged: Future[object] = Future()

        def merge() -> None:
            try:
                merged.set_result(patient.indices.forcemerge(index=self.name, max_num_segments=1))
            except Exception as trouble:  # noqa: BLE001 - raised where it is waited for
                merged.set_exception(trouble)

        Thread(target=merge, daemon=True).start()  # who stops the command does not wait for the server
        while not wait([merged], DISK_EVERY).done:
            self._tell_full_disks()
        merged.result()

    def _tell_full_disks(self) -> None:
        """Tell which nodes have too little room to merge; nothing where the server does not say."""
        from elasticsearch import ApiError, TransportError

        with contextlib.suppress(ApiError, TransportError, DecodingError):
            body = self.client.options(request_timeout=DISK_TIMEOUT).nodes.stats(metric="fs").body
            nodes = decode_answer(body, NodesStats).nodes
            if full := sorted(node.name for node in nodes.values() if node.fs.total.free_share < LEAST_FREE):
                self.progress.waiting(
                    f"{', '.join(full)} has too little room on its disk to merge.", DISK_EVERY
                )

    def _wait_until_green(self) -> None:
        """Return once the cluster has every copy of the index.

        Raises:
            QuizwriterError: it has not within :data:`GREEN_TIMEOUT`; the index in use stays.
        """
        ends = time.monotonic() + GREEN_TIMEOUT
        while True:
            body = (
                self.client.options(ignore_status=408)
                .cluster.health(index=self.name, wait_for_status="green", timeout=f"{DISK_EVERY:.0f}s")
                .body
            )
            status = decode_answer(body, Health).status
            if status == "green":
                return
            if time.monotonic() > ends:
                raise QuizwriterError(
                    f"{self.connection.url} has not copied {self.name} to all of its nodes ({status}).",
                    "The index in use is as it was. Check that all nodes run and have room on their disks, "
                    "and publish again.",
                )
            self.progress.waiting(f"The cluster copies {self.name} to its other nodes.", DISK_EVERY)

    def size(self) -> int:
        """The bytes of one copy on disk."""

        def measure() -> int:
            self.client.indices.flush(index=self.name)  # until then merged segments are there twice
            stats = self.client.indices.stats(index=self.name, metric="store").body
            return decode_answer(stats, IndexSize).bytes

        return self._patiently(measure)

    def _about(self) -> tuple[IndexAbout, dict[str, Any]]:
        """What publishing wrote into the index, as typed values and as it stands there."""
        with translate_errors(self.connection, REQUEST_TIMEOUT):
            found = self.client.indices.get_mapping(index=self.name).body
        described: Any = found.get(self.name) if isinstance(found, dict) else None
        about = index_about(self.connection, described)
        if about is None:
            raise QuizwriterError(
                f"The index {self.name} on {self.connection.url} does not say how far it was filled.",
                "Delete that index on the server, and publish again.",
            )
        return about, described["mappings"]["_meta"][META_KEY]

    def _note(self, about: dict[str, Any]) -> None:
        with translate_errors(self.connection, REQUEST_TIMEOUT):
            self.client.indices.put_mapping(index=self.name, meta={META_KEY: about})

    def _send(self, group: list[_EncodedDocument]) -> None:
        """Send some documents; those that do not arrive are sent again."""
        left = group

        def send() -> None:
            nonlocal left
            lines: list[Any] = [line for document in left for line in document.lines]
            body = self.client.bulk(
                operations=lines,
                index=self.name,
                filter_path="items.*._id,items.*.status,items.*.error",
            ).body
            answers = decode_answer(body, BulkAnswer).items
            errors = [one for answer in answers for one in answer.values() if one.error is not None]
            for one in errors:
                if one.status not in _BUSY:
                    raise QuizwriterError(
                        f"{self.connection.url} refused documents ({str(one.error)[:200]}).",
                        "See the server's log. What has arrived is kept; publish again to continue.",
                    )
            again = {one.id for one in errors}
            left = [one for one in left if str(one.number) in again]
            if left:
                raise _BusyError

        self._patiently(send)

    def _patiently(self, ask: Callable[[], T]) -> T:
        """What ``ask`` returns; where the server is busy or away, it is asked again after ever longer waits.

        A cluster that has just lost a node refuses for some seconds what it grants before and after. ``ask``
        must do no harm where the answer to an earlier call was lost.
        """
        from elasticsearch import ApiError, TransportError

        waits = iter(self.waits)
        while True:
            try:
                with translate_errors(self.connection, REQUEST_TIMEOUT):
                    return ask()
            except _BusyError:
                problem = f"{self.connection.url} is busy."
            except QuizwriterError as translated:
                cause = translated.__cause__
                if not isinstance(cause, TransportError) and not (
                    isinstance(cause, ApiError) and cause.status_code in _BUSY
                ):
                    raise
                problem = translated.problem
            wait = next(waits, None)
            if wait is None:
                raise QuizwriterError(
                    problem,
                    "What has arrived is kept; publish again to continue from there.",
                )
            self.progress.waiting(problem, wait)
            time.sleep(wait)


class _BusyError(Exception):
    """The server took some documents of a request, and has no room for the others now."""


_BUSY = frozenset({408, 429, 500, 502, 503, 504})


class _EncodedDocument(msgspec.Struct, frozen=True):
    """A document by its number, as JSON."""

    number: int
    source: bytes

    @property
    def lines(self) -> tuple[bytes, bytes]:
        """The two lines of a bulk request that put the document into its index."""
        return b'{"index":{"_id":"%d"}}' % self.number, self.source


def _groups(documents: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[tuple[int, list[_EncodedDocument]]]:
    """The documents, some megabytes at a time, with the number after the last of them."""
    encoder = msgspec.json.Encoder()
    group: list[_EncodedDocument] = []
    size = number = 0
    for number, document in documents:
        group.append(_EncodedDocument(number, encoder.encode(document)))
        size += len(group[-1].source)
        if size >= REQUEST_BYTES:
            yield number + 1, group
            group, size = [], 0
    if group:
        yield number + 1, group
