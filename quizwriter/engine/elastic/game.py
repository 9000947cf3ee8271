"""The Elasticsearch player: the retrieval player's own sum, worked out by a server or a cluster of them.

``index_builder publish`` puts into an index what the retrieval player's matrix holds: for every page, what
hearing each term adds to its points. One query is then the sum over the terms heard, so a server finds the
pages that the retrieval player would, for any number of pages, and needs no statistics of its own.

Nothing else may import the server's client, and only once there is a server to ask.
"""

from __future__ import annotations

import base64
import math
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Cue, Evidence, Passage
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Guess, Playthrough, Row
from quizwriter.domain.server_address import addresses, host, is_address, is_encrypted, is_here, is_open
from quizwriter.domain.tossup import Page, Span, Tossup, answer_key
from quizwriter.engine.networks import grid
from quizwriter.engine.retrieval import NAMED
from quizwriter.engine.tokenizer import TOKEN, Hashes, titles_in, token, tokenize
from quizwriter.errors import QuizwriterError

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

Found = TypeVar("Found")

NAME = "elasticsearch"

PATIENCE = 2.0
"""Seconds after which a server counts as too slow."""

OLDEST, NEWEST = (8, 11), 9
"""The servers we can use: sparse_vector fields are there again since 8.11; 10 is not there yet."""

META = "quizwriter"
"""Under this an index's ``_meta`` says what ``index_builder publish`` put into it."""

SCHEMA = 1
PRIOR = "asked"
"""The term that stands for what a page starts with; no hash is as short."""

ABOUT = 60
"""Pages asked for after every moment: those in sight, and some for those whose titles are read aloud."""

MOMENTS = 64
"""At most so many points of the grid are asked about; longer drafts than any tossup get a wider one."""

EVERY = 4
"""How many points of the grid from one anchor to the next; see :class:`_ServerGame`."""

FEW = 16
"""Below so many terms, a query says outright that a page must have one; see :func:`_query`."""

MARKS = ("\x01", "\x02")
"""What the server's highlighter puts around a word; no text has them, since reading strips them."""


@dataclass(frozen=True)
class Connection:
    """Where the server is and how it is to be trusted.

    ``url`` may name several nodes of a cluster, by commas. ``ca`` is the file of a certificate authority,
    empty for the system's own. ``user`` and ``secret``, or ``api_key``, say who asks. ``plain_ok`` allows
    http to another computer, where anyone on the way can read drafts.
    """

    url: str
    index: str
    ca: str = ""
    verify: bool = True
    user: str = ""
    secret: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    plain_ok: bool = False

    @property
    def hosts(self) -> list[str]:
        """Every address."""
        return list(addresses(self.url))


@dataclass(frozen=True)
class ServerReport:
    """What answered: its version, the index behind the alias, the passages in it, and how soon it did."""

    version: str
    index: str
    documents: int
    latency_ms: float


@dataclass(frozen=True)
class ElasticIndex:
    """A complete index: its own name, and what publishing said about it."""

    name: str
    about: Mapping[str, Any]

    @cached_property
    def everywhere(self) -> Hashes:
        """The stems that count as stop words, sorted."""
        return np.asarray(sorted(int(stem, 16) for stem in self.about["everywhere"]), np.uint64)

    @property
    def largest_prior(self) -> float:
        """What the page asked for most starts with."""
        return float(self.about["largest_prior"])


def term_names(hashes: Hashes) -> list[str]:
    """What terms with these hashes are called in an index."""
    raw = np.asarray(hashes, "<u8").tobytes()
    return [base64.urlsafe_b64encode(raw[at : at + 8])[:11].decode("ascii") for at in range(0, len(raw), 8)]


def connect(connection: Connection, patience: float = PATIENCE) -> Elasticsearch:
    """A client for the servers of ``connection``; nothing is asked of them yet.

    Raises:
        QuizwriterError: the address makes no sense, the certificate file cannot be read, or drafts would
            cross a network in the open.
    """
    for url in connection.hosts or [""]:
        _check(url, connection)
    from elasticsearch import Elasticsearch  # takes a third of a second, which only this player needs

    secure: dict[str, Any] = {}
    if any(map(is_encrypted, connection.hosts)):
        secure = {"verify_certs": connection.verify, "ssl_show_warn": False}
        if connection.ca and connection.verify:
            secure["ca_certs"] = _authority(connection.ca)
    if connection.api_key:
        secure["api_key"] = connection.api_key
    elif connection.user:
        secure["basic_auth"] = (connection.user, connection.secret)
    hosts = [url if urlsplit(url).port else f"{url}:{_port(url)}" for url in connection.hosts]
    return Elasticsearch(
        hosts,
        request_timeout=patience,
        max_retries=len(hosts) - 1,
        retry_on_timeout=False,
        retry_on_status=(),
        http_compress=not all(map(is_here, hosts)),
        **secure,
    )


def _authority(path: str) -> str:
    """``path``, if it is the file of a certificate authority."""
    try:
        ssl.create_default_context(cafile=path)
    except OSError as trouble:  # ssl.SSLError is one
        raise QuizwriterError(
            f"{path} is not the certificate of an authority.",
            "Name the file of the certificate authority, in PEM format.",
        ) from trouble
    return path


def _check(url: str, connection: Connection) -> None:
    sound = is_address(url) and "@" not in url
    if not sound or not connection.index.strip():
        raise QuizwriterError(
            f"{url or 'The empty address'} is not the address of an Elasticsearch server."
            if not sound
            else "No index is named.",
            "Give an address such as https://search.example.org:9200, without a password in it."
            if not sound
            else "Name the index that index_builder publish made.",
        )
    if is_open(url) and not connection.plain_ok:
        raise QuizwriterError(
            f"{host(url)} would get drafts over plain http, which anyone on the way can read.",
            "Use its https address, or allow plain http for this server in Preferences.",
        )


def _port(url: str) -> int:
    """Where a server listens unless the address says: where Elasticsearch does, behind https a proxy may."""
    return 443 if is_encrypted(url) else 9200


@contextmanager
def translate_errors(connection: Connection, patience: float = PATIENCE) -> Iterator[None]:
    """What a server does wrong, as one sentence and a remedy; ``patience`` is how long it was given.

    Raises:
        QuizwriterError: instead of what the client raises.
    """
    import elasticsearch

    try:
        yield
    except elasticsearch.UnsupportedProductError as trouble:
        raise QuizwriterError(
            f"What answers at {connection.url} is not Elasticsearch.", "Check the address in Preferences."
        ) from trouble
    except elasticsearch.ApiError as trouble:
        raise _refusal(connection, trouble.status_code, str(trouble.message)) from trouble
    except elasticsearch.TransportError as trouble:
        raise _unreached(connection, trouble, patience) from trouble


def _unreached(connection: Connection, trouble: Exception, patience: float) -> QuizwriterError:
    import elastic_transport

    if isinstance(trouble, elastic_transport.TlsError) or "CERTIFICATE" in str(trouble):
        return QuizwriterError(
            f"The certificate of {connection.url} is not trusted.",
            "Choose its certificate authority's file in Preferences, or ask whoever runs the server for it.",
        )
    if isinstance(trouble, elastic_transport.ConnectionTimeout):
        return QuizwriterError(
            f"{connection.url} did not answer within {patience:.0f} seconds.",
            "Wait until the server is less busy.",
        )
    if isinstance(trouble, elastic_transport.SerializationError):
        return QuizwriterError(
            f"What answers at {connection.url} is not Elasticsearch.", "Check the address in Preferences."
        )
    return QuizwriterError(
        f"{connection.url} cannot be reached.",
        "See that the server runs and that the address is right.",
    )


def _refusal(connection: Connection, status: int, kind: str) -> QuizwriterError:
    """Why a server that answers says no; ``kind`` is its own word for it."""
    if status == 401:
        return QuizwriterError(
            f"{connection.url} does not accept the key or password.",
            "Enter a valid API key, or a user name and password, in Preferences.",
        )
    if status == 403:
        return QuizwriterError(
            f"The key or user may not read the index {connection.index} on {connection.url}.",
            "Ask whoever runs the server for the privilege to read it.",
        )
    if status == 404:
        return QuizwriterError(
            f"There is no index {connection.index} on {connection.url}.",
            "Check its name, or make it with python -m index_builder publish.",
        )
    if status in {406, 400} and "media_type" in kind:
        return _wrong_version(connection, "an older version")
    if status == 413:
        return QuizwriterError(
            f"{connection.url} takes no requests of this size.",
            "Raise the largest request of the proxy before the server to 100 MB.",
        )
    if status in {429, 502, 503, 504} or "shard" in kind or "phase" in kind:
        return QuizwriterError(
            f"{connection.url} cannot search all of the index now: part of the cluster is missing or busy.",
            "Wait until the cluster has recovered.",
        )
    return QuizwriterError(
        f"{connection.url} refused what QuizWriter asked ({status} {kind[:80]}).",
        "See that the index was made by this version of QuizWriter.",
    )


def _wrong_version(connection: Connection, version: str) -> QuizwriterError:
    return QuizwriterError(
        f"The server at {connection.url} is Elasticsearch {version}, which QuizWriter cannot use.",
        f"Use a server of version {OLDEST[0]}.{OLDEST[1]} to {NEWEST}.",
    )


def version_of(client: Elasticsearch, connection: Connection) -> str:
    """The server's version.

    Raises:
        QuizwriterError: it cannot be reached, or we cannot use it.
    """
    with translate_errors(connection):
        answer = client.info()
    version = str(answer.body.get("version", {}).get("number", "of unknown version"))
    numbers = [int(part) for part in version.split(".")[:2] if part.isdigit()]
    if len(numbers) < 2 or tuple(numbers) < OLDEST or numbers[0] > NEWEST:
        raise _wrong_version(connection, version)
    return version


def open_index(client: Elasticsearch, connection: Connection) -> ElasticIndex:
    """The complete index behind the name in ``connection``.

    Raises:
        QuizwriterError: there is none, it is still being loaded, or it is not one of ours.
    """
    with translate_errors(connection):
        found = client.options(ignore_status=404).indices.get_mapping(index=connection.index).body
    if found.get("status") == 404 or "error" in found or not found:
        raise _missing(client, connection)
    name, described = max(found.items())
    about = described.get("mappings", {}).get("_meta", {}).get(META)
    if not isinstance(about, dict) or about.get("schema") != SCHEMA or not about.get("complete"):
        if isinstance(about, dict) and about.get("schema") == SCHEMA:
            raise _loading(connection, about)
        raise QuizwriterError(
            f"The index {connection.index} on {connection.url} was not made by this version of QuizWriter.",
            "Make it with python -m index_builder publish, or name another.",
        )
    return ElasticIndex(name, about)


def _missing(client: Elasticsearch, connection: Connection) -> QuizwriterError:
    """Why there is no such index: perhaps it is being loaded."""
    with translate_errors(connection):
        found = client.indices.get_mapping(index=f"{connection.index}-*", allow_no_indices=True).body
    for name, described in found.items():
        about = described.get("mappings", {}).get("_meta", {}).get(META)
        if isinstance(about, dict) and name.rpartition("-")[0] == connection.index:
            return _loading(connection, about)
    return _refusal(connection, 404, "")


def _loading(connection: Connection, about: Mapping[str, Any]) -> QuizwriterError:
    sent, total = about.get("sent", 0), about.get("documents", 0)
    far = f": {100 * sent // total} % is there" if total else ""
    return QuizwriterError(
        f"The index {connection.index} on {connection.url} is still being loaded{far}.",
        "Wait until python -m index_builder publish has finished, or start it again if it was stopped.",
    )


def probe_index(connection: Connection) -> ServerReport:
    """Ask the server who it is and what is in the index.

    Raises:
        QuizwriterError: no such server or index, or it does not let us in.
    """
    client = connect(connection)
    try:
        started = time.perf_counter()
        version = version_of(client, connection)
        latency = (time.perf_counter() - started) * 1000
        index = open_index(client, connection)
        with translate_errors(connection):
            passages = client.count(index=index.name, query={"exists": {"field": "kind"}})["count"]
        return ServerReport(version, index.name, int(passages), latency)
    finally:
        client.close()


class ElasticGuesser:
    """Guesses pages as the retrieval player does, from the index that ``index_builder publish`` made.

    A game is at most two requests; see :class:`_ServerGame`. A row is
    what a query of just the words heard finds.
    """

    def __init__(self, connection: Connection) -> None:
        """Nothing is asked of the server yet.

        Raises:
            QuizwriterError: as :func:`connect` does.
        """
        self.connection = connection
        self._client = connect(connection)
        self._lock = threading.Lock()
        self._index: ElasticIndex | None = None

    @property
    def name(self) -> str:
        """``elasticsearch``."""
        return NAME

    def close(self) -> None:
        """End the connections."""
        self._client.close()

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses at sentence ends, every 25 characters, and after most words between.

        Units:
            Points, as of the retrieval player; the server keeps nine binary digits of each.

        Raises:
            ValueError: ``top`` is not between 1 and ``RANK_DEPTH``.
            QuizwriterError: the server cannot be used now.
        """
        if not 1 <= top <= RANK_DEPTH:
            raise ValueError(f"top must be between 1 and {RANK_DEPTH}")
        if not tossup.words:
            return Playthrough(NAME, tossup)
        return self._with_index(lambda index: _ServerGame(self._search, index, tossup, top).play())

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """Each word's exact share of the score of ``page``, and the texts behind it, marked by the server.

        The shares are made as those of the retrieval player, which see.

        Raises:
            QuizwriterError: the server cannot be used now.
        """
        return self._with_index(lambda index: _ServerEvidence(self._search, index, tossup, page).evidence())

    def _with_index(self, ask: Callable[[ElasticIndex], Found]) -> Found:
        """What ``ask`` finds in the index; in the new one, should the index have been replaced meanwhile."""
        index = self._opened()
        try:
            return ask(index)
        except _Gone as gone:
            self._index = None
            if self._opened().name == index.name:
                raise gone.trouble from None
        try:
            return ask(self._opened())
        except _Gone as gone:
            raise gone.trouble from None

    def _opened(self) -> ElasticIndex:
        with self._lock:
            if self._index is None:
                version_of(self._client, self.connection)
                self._index = open_index(self._client, self.connection)
            return self._index

    def _search(self, index: ElasticIndex, searches: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """The answers to ``searches``, in one request.

        Raises:
            _Gone: the index is no longer there, or no longer all of it.
            QuizwriterError: the server cannot be used now.
        """
        lines: list[Mapping[str, Any]] = []
        for search in searches:
            lines += [{"allow_partial_search_results": False}, search]
        with translate_errors(self.connection):
            answer = self._client.msearch(
                searches=lines,
                index=index.name,
                include_named_queries_score=True,
                filter_path=_WANTED,
            )
        found: list[Mapping[str, Any]] = []
        for one in answer.body.get("responses", ()):
            if "error" in one:
                kind = str(one["error"].get("type"))
                trouble = _refusal(self.connection, int(one.get("status", 500)), kind)
                if kind in {"index_not_found_exception", "search_phase_execution_exception"}:
                    raise _Gone(trouble)
                raise trouble
            found.append(one.get("hits", {}))
        if len(found) != len(searches):
            raise _refusal(self.connection, 500, "too few answers")
        return found


class _Gone(Exception):
    """The index may have been replaced, and its predecessor removed; if not, there is ``trouble``."""

    def __init__(self, trouble: QuizwriterError) -> None:
        super().__init__(str(trouble))
        self.trouble = trouble


_WANTED = ",".join(
    f"responses.{part}"
    for part in (
        "status",
        "error.type",
        "hits.hits._score",
        "hits.hits.fields",
        "hits.hits.matched_queries",
        "hits.hits.inner_hits",
    )
)

_Search = Callable[[ElasticIndex, Sequence[Mapping[str, Any]]], list[Mapping[str, Any]]]
_Query = Mapping[str, Any]


class _HeardWords:
    """What the words of a tossup say to the index; words are counted from 0.

    ``names`` are the terms in the order they are complete, each begun by the word in ``first`` and complete
    with that in ``last``. ``titles`` says which word first completes each run of words that may be a title.
    """

    def __init__(self, tossup: Tossup, index: ElasticIndex) -> None:
        reading = tokenize(tossup)
        terms = reading.terms(index.everywhere)
        order = np.argsort(terms.last, kind="stable")
        self.names = term_names(terms.hashes[order])
        self.first: list[int] = terms.first[order].tolist()
        self.last: list[int] = terms.last[order].tolist()
        hashes, ends = titles_in(reading.stems)
        self.titles: dict[str, int] = {}
        for name, word in zip(term_names(hashes), reading.words[ends].tolist(), strict=True):
            self.titles[name] = min(word, self.titles.get(name, word))

    @cached_property
    def distinct(self) -> list[str]:
        """The terms, each once."""
        return list(dict.fromkeys(self.names))

    def terms_by(self, heard: int) -> int:
        """How many distinct terms are complete after so many words."""
        return len({name for name, last in zip(self.names, self.last, strict=True) if last < heard})


@dataclass(frozen=True)
class _RankedPages:
    """Pages and their points after ``heard`` words; no other page has more than ``floor``."""

    heard: int
    points: Mapping[Page, float]
    floor: float

    def best(self, named: Mapping[Page, int]) -> list[tuple[Page, float]]:
        """Best first, ties by name, as far as no other page can come before them."""
        final = self.after(self.heard, named).items()
        return sorted((pair for pair in final if pair[1] > self.floor), key=lambda pair: (-pair[1], pair[0]))

    def after(self, heard: int, named: Mapping[Page, int]) -> dict[Page, float]:
        """What each page has at least after so many words; what it has, after ours."""
        return {
            page: points + NAMED if named.get(page, math.inf) <= heard else points
            for page, points in self.points.items()
        }

    def surely(self, count: int, heard: int, named: Mapping[Page, int]) -> float:
        """What at least ``count`` pages have after so many words, no fewer than ours."""
        points = sorted(self.after(heard, named).values(), reverse=True)
        return points[count - 1] if len(points) >= count else -math.inf


class _ServerGame:
    """One tossup played on the server, in two requests.

    The first asks for the best pages at every fourth point of the grid: the anchors. Points never fall but by
    :data:`NAMED`. So before an anchor no page that is not on its list has more than the last one there; where
    enough pages had more already at the anchor before, the first guesses are all on the list. The
    second request brings what each term adds for all pages listed, which settles those moments, word by
    word, and asks anew about the others that are of the grid: most of them in the first dozen words.
    """

    def __init__(self, search: _Search, index: ElasticIndex, tossup: Tossup, top: int) -> None:
        self._search = search
        self._index = index
        self._tossup = tossup
        self._top = top
        self._heard = _HeardWords(tossup, index)
        self._named: Mapping[Page, int] = {}
        self._knows_answer: bool | None = None
        self._rows: dict[int, tuple[Row, int | None]] = {}

    def play(self) -> Playthrough:
        """The game."""
        moments = _grid(self._tossup)
        anchors = self._anchors(moments[::-1][::EVERY][::-1])
        settled, asked = self._sorted_out(moments, anchors)
        pages = sorted({page for anchor in anchors for page in anchor.points}) if settled else []
        queries = self._queries(asked, few=math.inf)
        searches = [*([self._sums_of(pages)] if pages else []), *map(_pages, queries.values())]
        answers = self._search(self._index, searches) if searches else []
        for word in (*settled, *asked):
            self._rows[word] = (), None  # nothing said, unless there is an answer
        if pages:
            self._settle(settled, answers.pop(0))
        for word, answer in zip(queries, answers, strict=True):
            self._say(self._listed(word, answer, few=math.inf))
        for anchor in anchors:
            if anchor.heard not in asked:
                self._say(anchor)
        said = sorted(self._rows.items())
        return Playthrough(
            NAME,
            self._tossup,
            tuple(heard for heard, _ in said),
            tuple(row for _, (row, _) in said),
            tuple(rank for _, (_, rank) in said),
            knows_answer=self._knows_answer,
        )

    def _anchors(self, moments: Sequence[int]) -> list[_RankedPages]:
        """What the server lists at these moments; and who is named, it says as well."""
        queries = self._queries(moments)
        looked_up = [] if self._tossup.answer is None else [_lookup(self._tossup.answer.key)]
        searches = [self._titles(), *looked_up, *map(_pages, queries.values())]
        first, *answers = self._search(self._index, searches)
        if looked_up:
            self._knows_answer = bool(answers.pop(0).get("hits"))
        self._named = {
            Page(hit["fields"]["page"][0]): self._heard.titles[hit["fields"]["title"][0]] + 1
            for hit in first.get("hits", ())
        }
        found = dict(zip(queries, answers, strict=True))
        return [
            self._listed(heard, found[heard]) if heard in found else _RankedPages(heard, {}, -math.inf)
            for heard in moments
        ]

    def _sorted_out(
        self, moments: Sequence[int], anchors: Sequence[_RankedPages]
    ) -> tuple[dict[int, float], list[int]]:
        """The moments that the lists settle, each with the floor of the next one; and those to ask about."""
        settled: dict[int, float] = {}
        asked: list[int] = []
        before = _RankedPages(0, {}, -math.inf)
        for after in anchors:
            for heard in range(before.heard + 1, after.heard):
                if before.surely(self._top, heard, self._named) > after.floor or after.floor == -math.inf:
                    settled[heard] = after.floor
                elif heard in moments:
                    asked.append(heard)
            if after.floor > -math.inf and len(after.best(self._named)) < self._top:
                asked.append(after.heard)
            before = after
        return settled, asked

    def _queries(self, moments: Iterable[int], few: float = FEW) -> dict[int, _Query]:
        """The query of each moment, in words heard, at which any term is; ``few`` as of :func:`_query`."""
        queries: dict[int, _Query] = {}
        counts: dict[str, int] = {}
        clauses: dict[str, _Query] = {}
        terms = deque(zip(self._heard.names, self._heard.last, strict=True))
        for moment in sorted(moments):
            while terms and terms[0][1] < moment:
                name, _ = terms.popleft()
                counts[name] = counts.get(name, 0) + 1
                clauses[name] = _term(name, counts[name])
            if clauses:
                queries[moment] = _query(list(clauses.values()), few)
        return queries

    def _titles(self) -> dict[str, Any]:
        """The search for the pages whose titles are read aloud."""
        return {
            "query": {"constant_score": {"filter": {"terms": {"title": list(self._heard.titles)}}}},
            "size": 1_000,
            "stored_fields": "_none_",
            "docvalue_fields": ["page", "title"],
            "track_total_hits": False,
        }

    def _sums_of(self, pages: Sequence[Page]) -> dict[str, Any]:
        """The search for what each term adds for ``pages``."""
        clauses = [_term(name, 1, str(number)) for number, name in enumerate(self._heard.distinct)]
        query = {"filter": {"terms": {"page": pages}}, "should": [_term(PRIOR, 1, PRIOR), *clauses]}
        return {**_pages({"bool": query}), "size": len(pages)}

    def _listed(self, heard: int, answer: Mapping[str, Any], few: float = FEW) -> _RankedPages:
        """The pages in ``answer`` to the query of a moment."""
        points = {Page(hit["fields"]["page"][0]): _exact(hit["_score"]) for hit in answer.get("hits", ())}
        floor = min(points.values()) if len(points) == ABOUT else -math.inf
        largest = self._index.largest_prior
        if self._heard.terms_by(heard) >= few and any(score <= largest for score in points.values()):
            floor = max(floor, largest)  # those below may share no term
        return _RankedPages(heard, points, floor)

    def _say(self, listed: _RankedPages) -> None:
        """Keep what is said then."""
        best = listed.best(self._named)[:RANK_DEPTH]
        right = self._right([page for page, _ in best])
        row = tuple(Guess(page, points) for page, points in best[: self._top])
        self._rows[listed.heard] = row, int(np.argmax(right)) + 1 if right.any() else None

    def _settle(self, settled: Mapping[int, float], answer: Mapping[str, Any]) -> None:
        """Add up what is said at the moments of ``settled``, none of which is asked about.

        The place of the true answer is that among the pages listed, the only ones known then.

        Shapes:
            added, points: ``[pages, words]``.
        """
        hits = sorted(answer.get("hits", ()), key=lambda hit: str(hit["fields"]["page"][0]))
        pages = [Page(hit["fields"]["page"][0]) for hit in hits]
        right = self._right(pages)
        number = {name: str(place) for place, name in enumerate(self._heard.distinct)}
        shares: dict[str, npt.NDArray[np.float64]] = {}
        prior = np.zeros(len(pages))
        for place, hit in enumerate(hits):
            for term, points in hit.get("matched_queries", {}).items():
                if term == PRIOR:
                    prior[place] = _exact(points)
                else:
                    shares.setdefault(term, np.zeros(len(pages)))[place] = _exact(points)
        added = np.zeros((len(pages), len(self._tossup.words)))
        for name, word in zip(self._heard.names, self._heard.last, strict=True):
            if number[name] in shares:
                added[:, word] += shares[number[name]]
        points = np.cumsum(added, axis=1)
        touched = points > 0
        points += prior[:, None]
        for place, page in enumerate(pages):
            if page in self._named:
                points[place, self._named[page] - 1 :] += NAMED
        for heard, floor in settled.items():
            scores = np.where(touched[:, heard - 1], points[:, heard - 1], -np.inf)
            order = np.argsort(-scores, kind="stable")[: min(RANK_DEPTH, int(touched[:, heard - 1].sum()))]
            row = tuple(
                Guess(pages[at], float(scores[at])) for at in order[: self._top] if scores[at] > floor
            )
            found = np.flatnonzero(right[order])
            self._rows[heard] = row, int(found[0]) + 1 if len(found) else None

    def _right(self, pages: Sequence[Page]) -> npt.NDArray[np.bool_]:
        """Which of ``pages`` are the true answer."""
        answer = self._tossup.answer
        return np.asarray([answer is not None and answer.accepts(page) for page in pages], np.bool_)


def _exact(points: float) -> float:
    """The number that a server means by the digits it prints: it reckons in single precision."""
    return float(np.float32(points))


def _grid(tossup: Tossup) -> list[int]:
    """The words heard at which every game has a row; the last word is among them."""
    moments = grid(tossup)
    stride = math.ceil(len(moments) / MOMENTS)
    return moments[::-1][::stride][::-1]


def _term(name: str, count: int, asked_as: str = "") -> _Query:
    """The points of a page for a term heard so many times."""
    value: dict[str, Any] = {"value": name}
    if count > 1:
        value["boost"] = count
    if asked_as:
        value["_name"] = asked_as
    return {"term": {"terms": value}}


def _query(clauses: list[_Query], few: float) -> _Query:
    """The sum of ``clauses`` and of what a page starts with.

    A page that shares no term is never guessed. With ``few`` terms or more, the query does not say so, since
    the server adds up twice as fast then: such a page has at most the largest prior, which gives it away.
    """
    prior = _term(PRIOR, 1)
    if len(clauses) >= few:
        return {"bool": {"should": [*clauses, prior]}}
    return {"bool": {"must": [{"bool": {"should": clauses}}], "should": [prior]}}


def _lookup(key: str) -> dict[str, Any]:
    """The search for one page with this answer key: whether the index holds it at all."""
    return {
        "query": {"bool": {"filter": [{"term": {"key": key}}]}},
        "size": 1,
        "stored_fields": "_none_",
        "docvalue_fields": ["page"],
        "track_total_hits": False,
    }


def _pages(query: _Query) -> dict[str, Any]:
    """The search for the pages with the most points; nothing but their names is read."""
    return {
        "query": query,
        "size": ABOUT,
        "stored_fields": "_none_",
        "docvalue_fields": ["page"],
        "track_total_hits": False,
    }


class _ServerEvidence:
    """Why a page, after all of a tossup: two requests, one for the shares and one for the texts."""

    def __init__(self, search: _Search, index: ElasticIndex, tossup: Tossup, page: Page) -> None:
        self._search = search
        self._index = index
        self._tossup = tossup
        self._page = page
        self._heard = _HeardWords(tossup, index)

    def evidence(self) -> Evidence:
        found = self._shares()
        if found is None:
            return Evidence(NAME, self._page)
        page, shares = found
        cues = tuple(
            Cue(span, share) for span, share in zip(self._tossup.words, shares, strict=True) if share
        )
        return Evidence(NAME, self._page, sum(shares), cues, tuple(self._passages(page, cues)))

    def _shares(self) -> tuple[Page, list[float]] | None:
        """The page as the index names it, and each word's share; None if it shares nothing."""
        heard = self._heard
        named = [
            {"term": {"terms": {"value": name, "_name": name}}}
            for name in (PRIOR, *dict.fromkeys(heard.names))
        ]
        (answer,) = self._search(
            self._index,
            [
                {
                    "query": {
                        "bool": {"filter": [{"term": {"key": answer_key(self._page)}}], "should": named}
                    },
                    "sort": [{"asked": "desc"}, {"page": "asc"}],
                    "track_scores": True,
                    "size": 1,
                    "stored_fields": "_none_",
                    "docvalue_fields": ["page", "title"],
                }
            ],
        )
        hits = answer.get("hits", ())
        if not hits:
            return None
        (hit,) = hits
        points: dict[str, float] = dict(hit.get("matched_queries", {}))
        prior = points.pop(PRIOR, 0.0)
        shares = [0.0] * len(self._tossup.words)
        for name, one, other in zip(heard.names, heard.first, heard.last, strict=True):
            shares[one] += points.get(name, 0.0) / 2
            shares[other] += points.get(name, 0.0) / 2
        spoken_for = sum(shares)
        if not spoken_for:
            return None
        shares = [share * (1 + prior / spoken_for) for share in shares]
        word = heard.titles.get(hit["fields"].get("title", [""])[0])
        if word is not None:
            shares[word] += NAMED
        return Page(hit["fields"]["page"][0]), shares

    def _passages(self, page: Page, cues: tuple[Cue, ...]) -> Iterator[Passage]:
        """For each sentence, the passages about the page that share its weightiest words."""
        weighty = []
        for number, sentence in enumerate(self._tossup.sentences):
            words: dict[int, tuple[float, str]] = {}
            for cue in cues:
                if sentence.start <= cue.span.start < sentence.end and cue.weight > 0:
                    for word in TOKEN.findall(self._tossup.text, cue.span.start, cue.span.end):
                        stem = token(word).hash
                        if stem and cue.weight > words.get(stem, (0.0, ""))[0]:
                            words[stem] = cue.weight, word
            if words:
                weighty.append((number, _texts(page, list(words.values()))))
        answers = self._search(self._index, [search for _, search in weighty]) if weighty else []
        for (number, _), answer in zip(weighty, answers, strict=True):
            for hit in _chosen(answer.get("hits", ())):
                text, hits = _marked(hit["highlight"]["text"][0])
                yield Passage(hit["_source"]["source"], text, hits, number)


def _texts(page: Page, words: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """The search for the passages about ``page`` with the weightiest of ``words``: the best two of each kind.

    A passage's score is the sum of the weights of the words in it, each counted once.
    """
    query = {
        "bool": {
            "filter": [{"term": {"about": page}}],
            "should": [
                {"constant_score": {"filter": {"match": {"text": word}}, "boost": weight}}
                for weight, word in words
            ],
            "minimum_should_match": 1,
        }
    }
    order = [{"_score": "desc"}, {"number": "asc"}]
    return {
        "query": query,
        "size": 3,
        "sort": order,
        "track_scores": True,
        "_source": False,
        "track_total_hits": False,
        "collapse": {
            "field": "kind",
            "inner_hits": {
                "name": "best",
                "size": 2,
                "sort": order,
                "track_scores": True,
                "_source": ["source"],
                "docvalue_fields": ["kind", "number"],
                "highlight": {
                    "pre_tags": [MARKS[0]],
                    "post_tags": [MARKS[1]],
                    "fields": {"text": {"number_of_fragments": 0, "type": "unified"}},
                },
            },
        },
    }


def _chosen(groups: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The best passage, and the next best: of another kind if one comes near, as two views say more."""
    found = [hit for group in groups for hit in group["inner_hits"]["best"]["hits"]["hits"]]
    found.sort(key=lambda hit: (-hit["_score"], hit["fields"]["number"][0]))
    if len(found) < 2:
        return found
    first, second = found[:2]
    near = (
        hit
        for hit in found[1:]
        if hit["_score"] > first["_score"] / 2 and hit["fields"]["kind"] != first["fields"]["kind"]
    )
    return [first, next(near, second)]


def _marked(text: str) -> tuple[str, tuple[Span, ...]]:
    """A text without the highlighter's marks, and what stands between them."""
    start, end = MARKS
    parts: list[str] = []
    hits: list[Span] = []
    length = 0
    for number, part in enumerate(text.split(start)):
        inside, _, rest = part.partition(end) if number else ("", "", part)
        if number:
            hits.append(Span(length, length + len(inside)))
        parts += [inside, rest]
        length += len(inside) + len(rest)
    return "".join(parts), tuple(hits)
