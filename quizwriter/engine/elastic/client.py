"""The connection to an Elasticsearch server: its client, its errors as sentences, its version and its index.

The library ``elasticsearch`` is imported when a server is first asked: the import takes a third of a second.
"""

from __future__ import annotations

import base64
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec
import numpy as np

from quizwriter.domain.server_address import addresses, host, is_address, is_encrypted, is_here, is_open
from quizwriter.engine.elastic.answers import Counted, IndexAbout, ServerInfo
from quizwriter.engine.evidence import HeardWeighting
from quizwriter.engine.server_words import one_line
from quizwriter.engine.tokenizer import Hashes
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import DecodingError, convert_value
from quizwriter.system.tls_faults import tls_fault, unencrypted_fault

if TYPE_CHECKING:
    from elasticsearch import Elasticsearch

T = TypeVar("T")

REQUEST_TIMEOUT_S = 2.0
"""How many seconds the server has for one request before the player gives up."""

OLDEST_VERSION, NEWEST_MAJOR = (8, 11), 9
"""The oldest version and the newest major version that QuizWriter can use.

Fields of type ``sparse_vector`` exist again since 8.11."""

META_KEY = "quizwriter"
"""The key in an index's ``_meta`` under which ``index_builder publish`` describes the index."""

INDEX_SCHEMA = 1
"""The version of the index's fields."""

_JSON_TYPES = "application/json", "application/vnd.elasticsearch+json"

PRIOR_TERM = "asked"
"""The term whose points are the prior of a page. No name of a hash is as short."""


@dataclass(frozen=True)
class Connection:
    """The address of a server, the name of its index, and how both sides prove who they are.

    ``url`` may name several nodes of a cluster, separated by commas. ``ca`` is the file of a certificate
    authority; where it is empty, the system's own authorities count. ``verify`` says whether certificates are
    checked at all. The client signs in with ``user`` and ``secret``, or with ``api_key``. ``plain_ok`` allows
    http to another computer, where anyone on the way can read drafts. ``fields`` are those with the title and
    the text of a page, where the server itself ranks pages by them; empty where it adds up IR's points.
    """

    url: str
    index: str
    ca: str = ""
    verify: bool = True
    user: str = ""
    secret: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    plain_ok: bool = False
    fields: tuple[str, ...] = ()

    @property
    def hosts(self) -> list[str]:
        return list(addresses(self.url))


class ServerReport(msgspec.Struct, frozen=True):
    """A server that answered: its version, the index behind the alias, how many passages the index has.

    ``latency_ms`` is the time that the first request took. ``bundle`` is the digest of the bundle that was
    published into the index, as far as the index says it.
    """

    version: str
    index: str
    documents: int
    latency_ms: float
    bundle: str = ""


class ElasticIndex(msgspec.Struct, frozen=True, dict=True):
    """A complete index: its name behind the alias, and the description that publishing left in it.

    ``hearing`` says how terms count by how they are heard; the description has its numbers.
    """

    name: str
    about: IndexAbout
    hearing: HeardWeighting

    @cached_property
    def stop_words(self) -> Hashes:
        """The stems that count as stop words, sorted."""
        return np.asarray(sorted(int(stem, 16) for stem in self.about.everywhere), np.uint64)

    @property
    def largest_prior(self) -> float:
        return self.about.largest_prior


def term_names(hashes: Hashes) -> list[str]:
    """The names in an index of the terms with these hashes: the first 11 characters of URL-safe Base64.

    Shapes:
        ``hashes``: ``[terms]``. The result has one name for each.
    """
    # Nine bytes make twelve characters, so that all names come of one call; the last one says nothing.
    padded = np.zeros((len(hashes), 9), np.uint8)
    padded[:, :8] = np.asarray(hashes, "<u8").view(np.uint8).reshape(-1, 8)
    names = base64.urlsafe_b64encode(padded.tobytes()).decode("ascii")
    return [names[at : at + 11] for at in range(0, len(names), 12)]


def connect(connection: Connection, timeout_s: float = REQUEST_TIMEOUT_S) -> Elasticsearch:
    """A client for the servers of ``connection``. It sends nothing yet."""
    for url in connection.hosts or [""]:
        _require_usable(url, connection)
    from elasticsearch import Elasticsearch  # takes a third of a second

    from quizwriter.engine.elastic.http_node import LimitedNode, StrictJson

    secure: dict[str, Any] = {}
    if any(map(is_encrypted, connection.hosts)):
        secure = {"verify_certs": connection.verify, "ssl_show_warn": False}
        if connection.ca and connection.verify:
            secure["ca_certs"] = _certificate_file(connection.ca)
    if connection.api_key:
        secure["api_key"] = connection.api_key
    elif connection.user:
        secure["basic_auth"] = (connection.user, connection.secret)
    # where an address names no port: Elasticsearch's own, or that of a proxy for https
    ports = ((url, 443 if is_encrypted(url) else 9200) for url in connection.hosts)
    hosts = [url if urlsplit(url).port else f"{url}:{port}" for url, port in ports]
    try:
        return Elasticsearch(
            hosts,
            request_timeout=timeout_s,
            max_retries=len(hosts) - 1,
            retry_on_timeout=False,
            retry_on_status=(),
            http_compress=not all(map(is_here, hosts)),
            node_class=LimitedNode,
            serializers=dict.fromkeys(_JSON_TYPES, StrictJson()),
            **secure,
        )
    except ValueError as trouble:  # a name that no host can have
        raise QuizwriterError(
            f"{connection.url[:100]} is not the address of an Elasticsearch server.",
            "Give an address such as https://search.example.org:9200, without a password in it.",
        ) from trouble


def _certificate_file(path: str) -> str:
    try:
        ssl.create_default_context(cafile=path)
    except OSError as trouble:  # ssl.SSLError is one
        raise QuizwriterError(
            f"{path} is not the certificate of an authority.",
            "Name the file of the certificate authority, in PEM format.",
        ) from trouble
    return path


def _require_usable(url: str, connection: Connection) -> None:
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


@contextmanager
def translate_errors(connection: Connection, timeout_s: float = REQUEST_TIMEOUT_S) -> Iterator[None]:
    """Turn the exceptions of the client library into problem and remedy.

    ``timeout_s`` is the time that the server had for the request.
    """
    import elasticsearch

    try:
        yield
    except elasticsearch.UnsupportedProductError as trouble:
        raise QuizwriterError(
            f"What answers at {connection.url} is not Elasticsearch.", "Check the address in Preferences."
        ) from trouble
    except elasticsearch.ApiError as trouble:
        raise api_error(connection, trouble.status_code, str(trouble.message)) from trouble
    except elasticsearch.TransportError as trouble:
        raise _transport_error(connection, trouble, timeout_s) from trouble
    except DecodingError as trouble:
        raise _nonsense_error(connection, str(trouble)) from trouble


def decode_answer(body: object, kind: type[T]) -> T:
    return convert_value(body, kind)


def _nonsense_error(connection: Connection, why: str) -> QuizwriterError:
    return QuizwriterError(
        f"{connection.url} answers, but not as Elasticsearch does ({why}).",
        "Check the address in Preferences, and ask the server's operator what is in front of it.",
    )


def _transport_error(connection: Connection, trouble: Exception, timeout_s: float) -> QuizwriterError:
    import elastic_transport

    from quizwriter.engine.elastic.http_node import RefusedAnswerError

    if isinstance(trouble, RefusedAnswerError):
        return _nonsense_error(connection, trouble.message)
    if (fault := tls_fault(trouble, connection.url)) is not None:
        return QuizwriterError(fault.problem, fault.remedy)
    if isinstance(trouble, elastic_transport.ConnectionTimeout):
        return QuizwriterError(
            f"{connection.url} did not answer within {timeout_s:.0f} seconds.",
            "Wait until the server is less busy.",
        )
    if isinstance(trouble, elastic_transport.SerializationError):
        return QuizwriterError(
            f"What answers at {connection.url} is not Elasticsearch.", "Check the address in Preferences."
        )
    import httpx

    # so does a server that encrypts, when it is asked in the open
    hung_up = isinstance(trouble.__cause__, httpx.RemoteProtocolError)
    in_the_open = not any(map(is_encrypted, connection.hosts))
    maybe = ": a server that encrypts has one with https://" if hung_up and in_the_open else ""
    return QuizwriterError(
        f"{connection.url} cannot be reached.",
        f"Check that the server runs and that the address is right{maybe}.",
    )


def api_error(connection: Connection, status: int, kind: str) -> QuizwriterError:
    """The error for an HTTP status that is no success; ``kind`` is the server's word for it."""
    if status == 401:
        return QuizwriterError(
            f"{connection.url} does not accept the key or password.",
            "Enter a valid API key, or a user name and password, in Preferences.",
        )
    if status == 403:
        return QuizwriterError(
            f"The key or user may not read the index {connection.index} on {connection.url}.",
            "Ask the server's operator for the privilege to read it.",
        )
    if status == 404:
        return QuizwriterError(
            f"There is no index {connection.index} on {connection.url}.",
            "Check its name, or make it with python -m index_builder publish.",
        )
    if 300 <= status < 400:
        return QuizwriterError(
            f"{connection.url} sends QuizWriter to another address, which gets nothing.",
            "Write the address of the server itself in Preferences.",
        )
    if status == 400 and (fault := unencrypted_fault(kind, connection.url)) is not None:
        return QuizwriterError(fault.problem, fault.remedy)
    if status in {406, 400} and "media_type" in kind:
        return _version_error(connection, "an older version")
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
        f"{connection.url} refused what QuizWriter asked ({status} {one_line(kind, 80)}).",
        "Check that the index was made by this version of QuizWriter.",
    )


def _version_error(connection: Connection, version: str) -> QuizwriterError:
    return QuizwriterError(
        f"The server at {connection.url} is Elasticsearch {version}, which QuizWriter cannot use.",
        f"Use a server of version {OLDEST_VERSION[0]}.{OLDEST_VERSION[1]} to {NEWEST_MAJOR}.",
    )


def server_version(client: Elasticsearch, connection: Connection) -> str:
    with translate_errors(connection):
        version = one_line(decode_answer(client.info().body, ServerInfo).version.number, 40)
    numbers = [int(part) for part in version.split(".")[:2] if part.isdecimal()]
    if len(numbers) < 2 or tuple(numbers) < OLDEST_VERSION or numbers[0] > NEWEST_MAJOR:
        raise _version_error(connection, version)
    return version


def measured_version(client: Elasticsearch, connection: Connection) -> tuple[str, float]:
    """The server's version, and the milliseconds that it took to say so."""
    started = time.perf_counter()
    version = server_version(client, connection)
    return version, (time.perf_counter() - started) * 1000


def open_index(client: Elasticsearch, connection: Connection) -> ElasticIndex:
    with translate_errors(connection):
        found = client.options(ignore_status=404).indices.get_mapping(index=connection.index).body
    if not isinstance(found, dict) or not found or found.get("status") == 404 or "error" in found:
        raise _missing_index_error(client, connection)
    name, described = max(found.items())
    about = index_about(connection, described)
    if about is None or about.schema != INDEX_SCHEMA or not about.complete:
        if about is not None and about.schema == INDEX_SCHEMA:
            raise _loading_index_error(connection, about)
        raise QuizwriterError(
            f"The index {connection.index} on {connection.url} was not made by this version of QuizWriter.",
            "Make it with python -m index_builder publish, or name another.",
        )
    with translate_errors(connection):
        return ElasticIndex(name, about, HeardWeighting.of(about.hearing))


def index_about(connection: Connection, described: object) -> IndexAbout | None:
    """What publishing wrote into the index that is ``described``; None where it wrote nothing."""
    for key in ("mappings", "_meta", META_KEY):
        described = described.get(key) if isinstance(described, dict) else None
    if not isinstance(described, dict):
        return None
    with translate_errors(connection):
        return decode_answer(described, IndexAbout)


def published_bundle(client: Elasticsearch, connection: Connection) -> str:
    """The digest of the bundle that was published into each index behind the name; empty if one has none."""
    with translate_errors(connection):
        found = client.options(ignore_status=(403, 404)).indices.get_mapping(index=connection.index).body
    said = set[str]()
    for described in found.values() if isinstance(found, dict) else ():
        try:
            about = index_about(connection, described)
        except QuizwriterError:  # somebody else's index may say anything there
            return ""
        said.add("" if about is None else about.bundle)
    return said.pop() if len(said) == 1 else ""


def _missing_index_error(client: Elasticsearch, connection: Connection) -> QuizwriterError:
    """The error for a missing index: publishing may still be loading it."""
    with translate_errors(connection):
        found = client.indices.get_mapping(index=f"{connection.index}-*", allow_no_indices=True).body
    for name, described in found.items() if isinstance(found, dict) else ():
        about = index_about(connection, described)
        if about is not None and name.rpartition("-")[0] == connection.index:
            return _loading_index_error(connection, about)
    return api_error(connection, 404, "")


def _loading_index_error(connection: Connection, about: IndexAbout) -> QuizwriterError:
    far = f": {100 * about.sent // about.documents} % is there" if about.documents else ""
    return QuizwriterError(
        f"The index {connection.index} on {connection.url} is still being loaded{far}.",
        "Wait until python -m index_builder publish has finished, or start it again if it was stopped.",
    )


def probe_index(connection: Connection) -> ServerReport:
    """The version of the server and the contents of its index. Takes up to seconds."""
    client = connect(connection)
    try:
        version, latency = measured_version(client, connection)
        index = open_index(client, connection)
        with translate_errors(connection):
            found = client.count(index=index.name, query={"exists": {"field": "kind"}}).body
            passages = decode_answer(found, Counted).count
        return ServerReport(version, one_line(index.name, 100), passages, latency, index.about.bundle)
    finally:
        client.close()
