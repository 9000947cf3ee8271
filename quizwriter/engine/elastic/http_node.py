"""A node of a server as the client library sees it, whose answers come within limits of time and size."""

from __future__ import annotations

import base64
import gzip
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple, cast

import elastic_transport
import httpx
from elastic_transport import (
    ApiResponseMeta,
    BaseNode,
    ConnectionTimeout,
    HttpHeaders,
    NodeConfig,
)
from elastic_transport.client_utils import DEFAULT, DefaultType

from quizwriter.domain.server_address import is_here
from quizwriter.engine.server_words import without_secrets
from quizwriter.system.decoding import DecodingError, check_json_shape, decode_json
from quizwriter.system.http_limits import AnswerTooLargeError, LimitedClient

LARGEST_ANSWER = 1 << 25
"""Bytes of one answer, unpacked. A whole game of the longest draft gets six million."""

MOST_VALUES = 1_000_000
"""Values in the JSON of one answer. A whole game of the longest draft gets 300,000."""


_SPOKEN = frozenset(("", "/"))
"""What is asked for words alone: the greeting, with the version. Elsewhere the letters of a password may be
those of a field, an index or what that holds."""


class RefusedAnswerError(elastic_transport.TransportError):
    """The answer is too long, too deep or has too many values."""


class _NodeAnswer(NamedTuple):
    """An answer as the library wants it."""

    meta: ApiResponseMeta
    body: bytes


class StrictJson(elastic_transport.JsonSerializer):
    """JSON by our own decoder: numbers are finite and have a bearable length."""

    def json_loads(self, data: bytes) -> object:
        return decode_json(data, object)


class LimitedNode(BaseNode):
    """A node that is asked with :class:`LimitedClient`; each thread has a client of its own."""

    _CLIENT_META_HTTP_CLIENT: ClassVar[tuple[str, str]] = ("hx", httpx.__version__)

    def __init__(self, config: NodeConfig) -> None:
        """The node of ``config``; nothing is sent yet."""
        super().__init__(config)
        self._verify = _tls(config) if config.scheme == "https" else None
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._clients: list[LimitedClient] = []
        self._closed = False

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: DefaultType | float | None = DEFAULT,
    ) -> Any:  # noqa: ANN401 - the library's own type has no public name
        """The answer of the node to a request, within ``request_timeout`` seconds in all."""
        seconds = self.config.request_timeout if request_timeout is DEFAULT else request_timeout
        seconds = 60.0 if seconds is None else float(seconds)
        sent = self.headers.copy()
        sent.update(headers or {})
        if body and self._http_compress:
            body = gzip.compress(body)
            sent["content-encoding"] = "gzip"
        began = time.perf_counter()
        try:
            answer, content = self._client().request(
                method,
                f"{self.base_url}{target}",
                seconds=seconds,
                most_bytes=LARGEST_ANSWER,
                timeout_s=seconds,
                redirects=False,
                headers=dict(sent),
                content=body or None,
            )
            if target in _SPOKEN or not 200 <= answer.status_code < 300:
                content = without_secrets(content, _secrets(sent.get("authorization") or ""))
            check_json_shape(content, most_values=MOST_VALUES)
        except httpx.TimeoutException as trouble:
            raise ConnectionTimeout("the request took too long", errors=(trouble,)) from trouble
        except (AnswerTooLargeError, DecodingError) as trouble:
            raise RefusedAnswerError(str(trouble), errors=(trouble,)) from trouble
        except (httpx.HTTPError, httpx.InvalidURL) as trouble:
            raise elastic_transport.ConnectionError(str(trouble)[:300], errors=(trouble,)) from trouble
        meta = ApiResponseMeta(
            node=self.config,
            duration=time.perf_counter() - began,
            http_version="1.1",
            status=answer.status_code,
            headers=HttpHeaders(
                # the library would print a warning
                {name: value for name, value in answer.headers.items() if name.lower() != "warning"}
            ),
        )
        return _NodeAnswer(meta, content)

    def close(self) -> None:
        """End the connections of all threads; requests fail from now on."""
        with self._lock:
            self._closed = True
            while self._clients:
                self._clients.pop().close()

    def _client(self) -> LimitedClient:
        client = getattr(self._of_thread, "client", None)
        if client is None:
            with self._lock:
                if self._closed:  # nobody would end another connection
                    raise elastic_transport.ConnectionError("the client is closed")
                client = self._of_thread.client = LimitedClient(
                    timeout_s=self.config.request_timeout or 60.0,
                    verify=self._verify,
                    proxies=not is_here(self.base_url),  # one elsewhere would read the drafts
                )
                self._clients.append(client)
        return cast(LimitedClient, client)


def _secrets(authorization: str) -> Iterator[str]:
    """What nobody is to read of the header: the key, or the password and its encoded form."""
    scheme, _, sent = authorization.partition(" ")
    yield sent
    if scheme.casefold() == "basic":
        with suppress(ValueError):
            yield base64.b64decode(sent).decode().partition(":")[2]


def _tls(config: NodeConfig) -> ssl.SSLContext:
    """How the certificate of a server is checked: by the authority that is named, or by the system's own."""
    context = ssl.create_default_context(cafile=config.ca_certs or None)
    if not config.verify_certs:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif not config.ca_certs:
        import certifi

        context.load_verify_locations(certifi.where())
    return context
