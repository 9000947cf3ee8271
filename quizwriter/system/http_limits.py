"""Answers over HTTP within limits: of time in all, of size, and from no other server than the one asked.

A server may send its answer for ever, or a byte in a while, which no timeout of a single read notices; it may
unpack to any size, and send its client elsewhere. Everything that this program fetches comes through here.
"""

from __future__ import annotations

import socket
import ssl
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any

import httpx

MOST_REDIRECTS = 5

_CONNECTED = "connection.connect_tcp.complete", "connection.start_tls.complete"
"""The events of httpx's extension ``trace`` that bring a connection."""


_CODINGS = "gzip", "deflate"
"""How a body may be packed: a piece of 64 KB unpacks to 64 MB at most, and a pack in a pack to gigabytes.

So does one piece of *br* or *zstd*, which the library unpacks wherever their packages are installed."""


class AnswerTooLargeError(httpx.TransportError):
    """The answer is longer than its reader takes."""


class ForeignRedirectError(httpx.TransportError):
    """The server sends its client to ``address``: another server, or a connection that is not encrypted."""

    def __init__(self, address: str) -> None:
        super().__init__(f"redirected to {address}")
        self.address = address


class MalformedAnswerError(httpx.TransportError):
    """The answer breaks the rules of HTTP in a way that the library does not expect."""


@cache
def _authorities(*, from_environment: bool) -> ssl.SSLContext:
    """The authorities that a client trusts if it names none of its own; to read them takes 40 ms.

    ``from_environment`` says whether the file that the user set in the environment counts.
    """
    return httpx.create_ssl_context(trust_env=from_environment)


class LimitedClient:
    """An HTTP client whose requests end in time. Threads must not share it: it has one request at a time."""

    def __init__(
        self,
        *,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        verify: ssl.SSLContext | None = None,
        proxies: bool = True,
    ) -> None:
        """A client that waits ``timeout_s`` for a connection, and as long for each part of an answer.

        ``proxies`` says whether the proxies that the user set in the environment are used.
        """
        self._http = httpx.Client(
            headers={"Accept-Encoding": ", ".join(_CODINGS), **(headers or {})},
            timeout=timeout_s,
            follow_redirects=False,
            verify=verify or _authorities(from_environment=proxies),
            trust_env=proxies,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # nobody is known again by them
        )
        self._watch = _Watch()
        weakref.finalize(self, self._http.close)  # where nobody closes it

    def __enter__(self) -> LimitedClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, trouble: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections; a request on its way in another thread fails, and so does a later one."""
        self._watch.close()
        self._http.close()

    @contextmanager
    def stream(
        self,
        method: str,
        url: str,
        *,
        seconds: float,
        whole: bool = True,
        timeout_s: float | None = None,
        redirects: bool = True,
        **request: Any,  # noqa: ANN401 - as of httpx
    ) -> Iterator[httpx.Response]:
        """The answer to a request; the body is read within the block.

        ``seconds`` are for the ``whole`` exchange, or only until the body begins. Redirects to the same
        server are followed, if ``redirects``. ``request`` has the arguments of
        :meth:`httpx.Client.build_request`.

        Raises:
            httpx.TransportError: the server cannot be reached, is too slow, or breaks a rule.
            httpx.InvalidURL, httpx.UnsupportedProtocol: ``url`` is no address.
        """
        if timeout_s is not None:
            request["timeout"] = timeout_s
        if self._watch.closed:
            raise httpx.ConnectError("the client is closed")
        with self._watch.within(seconds) as watch:
            for _ in range(MOST_REDIRECTS + 1):
                extensions = {"trace": watch.note}
                asked = self._http.build_request(method, url, extensions=extensions, **request)
                answer = self._send(asked)
                try:
                    target = _redirect(answer) if redirects else None
                    if target is None:
                        if not whole:
                            watch.stop()
                        yield answer
                        return
                finally:
                    answer.close()
                url = target
            raise httpx.TooManyRedirects("too many redirects", request=asked)

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._http.send(request, stream=True)
        except RuntimeError as trouble:
            if not self._http.is_closed:
                raise
            raise httpx.ConnectError("the client is closed") from trouble
        except (ValueError, OverflowError, httpx.InvalidURL) as trouble:
            # what the library does not expect: a length of 5,000 digits, or a redirect to what is no address
            raise MalformedAnswerError(str(trouble)[:200]) from trouble

    def request(
        self,
        method: str,
        url: str,
        *,
        seconds: float,
        most_bytes: int,
        **request: Any,  # noqa: ANN401
    ) -> tuple[httpx.Response, bytes]:
        """The answer to a request, and its body, unpacked; other arguments as for :meth:`stream`.

        Raises:
            AnswerTooLargeError: the body, as sent or unpacked, has more than ``most_bytes`` bytes.
            httpx.HTTPError: as for :meth:`stream`.
        """
        with self.stream(method, url, seconds=seconds, **request) as answer:
            _refuse_codings(answer)
            body = bytearray()
            for chunk in answer.iter_bytes():  # of at most 64 KB, which unpack to 64 MB
                body += chunk
                if len(body) > most_bytes or answer.num_bytes_downloaded > most_bytes:
                    raise AnswerTooLargeError(f"more than {most_bytes:,} bytes")
            return answer, bytes(body)


def _refuse_codings(answer: httpx.Response) -> None:
    """Refuse a body that is packed more than once, or otherwise than in one of :data:`_CODINGS`."""
    said = ",".join(answer.headers.get_list("content-encoding")).split(",")
    codings = [coding for one in said if (coding := one.strip().lower()) not in ("", "identity")]
    if len(codings) > 1 or not set(codings) <= set(_CODINGS):
        raise MalformedAnswerError("the answer is packed in a way that was not asked for")


def _redirect(answer: httpx.Response) -> str | None:
    """Where ``answer`` sends its client, on the same server and as safely; None if it is no redirect."""
    if not answer.has_redirect_location:
        return None
    before, location = answer.request.url, answer.headers["location"]
    try:
        target = before.join(location)
    except (httpx.InvalidURL, ValueError):
        raise ForeignRedirectError(location[:200]) from None
    same = (target.scheme, target.port) == (before.scheme, before.port)
    safer = (before.scheme, target.scheme) == ("http", "https")
    if target.host != before.host or not (same or safer):
        raise ForeignRedirectError(str(target)[:200])
    return str(target)


class _Watch:
    """Cuts the connections of a client when the time of its request is over.

    Only that ends a request whose server sends a byte in a while: each read of the library is in time.
    """

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._over = False
        self.closed = False
        self._timer: threading.Timer | None = None

    @contextmanager
    def within(self, seconds: float) -> Iterator[_Watch]:
        """A block that has ``seconds``, or until :meth:`stop`."""
        self._over = False
        timer = self._timer = threading.Timer(seconds, self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield self
        except httpx.TransportError as trouble:
            if self._over:
                raise httpx.ReadTimeout("too slow") from trouble
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Let the rest of the block take as long as it likes."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._timer = None

    def note(self, event: str, info: Mapping[str, Any]) -> None:
        """Take note of an event of httpx's extension ``trace``."""
        if event not in _CONNECTED:
            return
        connection: socket.socket = info["return_value"].get_extra_info("socket")
        with self._lock:
            self._sockets = [one for one in self._sockets if one.fileno() >= 0]
            self._sockets.append(connection)
            over, closed = self._over, self.closed
        if over or closed:
            connection.close()  # nobody else has it yet
            raise httpx.ConnectError("the client is closed") if closed else httpx.ConnectTimeout("too slow")

    def close(self) -> None:
        """Cut the connections; one that comes into being from now on is closed at once."""
        with self._lock:
            self.closed = True
            self._shut_down()

    def _cut(self) -> None:
        with self._lock:
            self._over = True
            self._shut_down()

    def _shut_down(self) -> None:
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
