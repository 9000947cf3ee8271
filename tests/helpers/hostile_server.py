"""A server on this computer that answers with whatever does harm: too much, too slowly, or nonsense."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

PRODUCT = "X-Elastic-Product: Elasticsearch\r\nContent-Type: application/json\r\n"
"""What a client of Elasticsearch wants to see in the head of an answer."""

DRIP_S = 0.05
"""Seconds between two bytes of a slow server; every timeout of a test is longer."""

Behaviour = Callable[["Request"], None]


class Request:
    """A request that has arrived, and the connection to answer on."""

    def __init__(self, connection: socket.socket, target: str, closing: threading.Event) -> None:
        self.target = target
        self.closing = closing
        self._connection = connection

    def send(self, raw: bytes) -> None:
        """Send ``raw`` as it is."""
        self._connection.sendall(raw)

    def head(self, *, status: str = "200 OK", more: str = "") -> None:
        """Send the head of an answer; ``more`` are further lines of it."""
        self.send(f"HTTP/1.1 {status}\r\n{PRODUCT}{more}Connection: close\r\n\r\n".encode("latin-1"))

    def reply(self, body: bytes, *, status: str = "200 OK", more: str = "") -> None:
        """Send a sound answer with this body."""
        self.head(status=status, more=f"{more}Content-Length: {len(body)}\r\n")
        self.send(body)


class HostileServer:
    """Answers each request with ``behaviour``, or with the body that ``sound`` gives for its target."""

    def __init__(self, behaviour: Behaviour, sound: Callable[[str], bytes | None] = lambda _: None) -> None:
        self._behaviour = behaviour
        self._sound = sound
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self.requests = 0
        port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"

    @contextmanager
    def running(self) -> Iterator[HostileServer]:
        """Answer until the block ends."""
        threads: list[threading.Thread] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = self._listener.accept()
                    self._connections.append(connection)
                    threads.append(threading.Thread(target=self._answer, args=(connection,)))
                    threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield self
        finally:
            self._closing.set()
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            for connection in self._connections:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            for thread in (accepting, *threads):
                thread.join()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            raw = b""
            while b"\r\n\r\n" not in raw:
                read = connection.recv(65536)
                if not read:
                    return
                raw += read
            head, _, body = raw.partition(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            lengths = [line.split(":")[1] for line in lines if line.lower().startswith("content-length:")]
            left = int(lengths[0]) - len(body) if lengths else 0
            while left > 0 and (read := connection.recv(65536)):
                left -= len(read)
            self.requests += 1
            request = Request(connection, lines[0].split(" ")[1], self._closing)
            sound = self._sound(request.target)
            if sound is None:
                self._behaviour(request)
            else:
                request.reply(sound)


def _drip(request: Request, raw: bytes) -> None:
    for number in range(1 << 20):
        if request.closing.wait(DRIP_S):
            return
        place = number % len(raw)
        request.send(raw[place : place + 1])


def never_answers(request: Request) -> None:
    """The connection stays open, and nothing comes."""
    request.closing.wait()


def drips_its_head(request: Request) -> None:
    """The head of the answer comes byte by byte, without end."""
    request.send(b"HTTP/1.1 200 OK\r\n")
    _drip(request, b"X-Lake: Baikal\r\n")


def drips_its_body(request: Request) -> None:
    """The body comes byte by byte, of a million."""
    request.head(more="Content-Length: 1000000\r\n")
    _drip(request, b" ")


def sends_without_end(request: Request) -> None:
    """The body never ends."""
    request.head(more="Transfer-Encoding: chunked\r\n")
    block = b"10000\r\n" + b"[" * 0x10000 + b"\r\n"
    while not request.closing.is_set():
        request.send(block)


@cache
def _bomb() -> bytes:
    """600 megabytes of zeros as gzip has them: one megabyte is packed, and said 600 times."""
    zeros, crc = bytes(1 << 20), 0
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    for _ in range(600):
        crc = zlib.crc32(zeros, crc)
    return b"\x1f\x8b\x08" + bytes(6) + b"\xff" + block * 600 + b"\x03\0" + struct.pack("<II", crc, 600 << 20)


def sends_a_bomb(request: Request) -> None:
    """Half a megabyte or so that unpacks to 600."""
    request.reply(_bomb(), more="Content-Encoding: gzip\r\n")


@cache
def _bomb_in_a_bomb() -> bytes:
    return gzip.compress(_bomb())


def sends_a_bomb_in_a_bomb(request: Request) -> None:
    """A kilobyte or two that unpack twice, to 600 megabytes."""
    request.reply(_bomb_in_a_bomb(), more="Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n")


def sends_half_a_pack(request: Request) -> None:
    """A packed body that ends in its middle."""
    packed = gzip.compress(json.dumps(list(range(9_999))).encode())
    request.reply(packed[: len(packed) // 2], more="Content-Encoding: gzip\r\n")


def sends_html(request: Request) -> None:
    """The page at which a hotel wants a password."""
    request.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\n<html>\n")


def cuts_the_connection(request: Request) -> None:
    """Fewer bytes than were announced."""
    request.head(more="Content-Length: 5000\r\n")
    request.send(b'{"query": ')


def announces_digits(request: Request) -> None:
    """A length of 5,000 digits."""
    request.head(more=f"Content-Length: {'9' * 5_000}\r\n")


def announces_petabytes(request: Request) -> None:
    """More than any disk has room for."""
    request.head(more="Content-Length: 4503599627370496\r\n")
    request.send(bytes(1 << 16))


def announces_less_than_nothing(request: Request) -> None:
    """A negative length."""
    request.head(more="Content-Length: -5\r\n")


def sends_long_headers(request: Request) -> None:
    """Headers without end, quickly."""
    request.send(b"HTTP/1.1 200 OK\r\n")
    while not request.closing.is_set():
        request.send(b"X-Lake: " + b"a" * 65_000 + b"\r\n")


def speaks_no_http(request: Request) -> None:
    """Bytes of no protocol."""
    request.send(b"\x00\x01\x02 hello\r\n" * 50)


def redirects_elsewhere(request: Request) -> None:
    """To another server."""
    request.head(status="302 Found", more="Location: http://192.0.2.1/elsewhere\r\nContent-Length: 0\r\n")


def redirects_to_a_file(request: Request) -> None:
    """To a file of this computer."""
    request.head(status="301 Moved", more="Location: file:///etc/passwd\r\nContent-Length: 0\r\n")


def redirects_in_a_circle(request: Request) -> None:
    """To itself."""
    request.head(status="307 Again", more=f"Location: {request.target}\r\nContent-Length: 0\r\n")


def redirects_nowhere(request: Request) -> None:
    """To what is no address."""
    request.head(status="302 Found", more="Location: http://[::1::]:99999999/\x7f\r\nContent-Length: 0\r\n")


def asks_for_years(request: Request) -> None:
    """To be left alone for longer than anybody lives."""
    request.head(status="429 Slow", more=f"Retry-After: {'9' * 5_000}\r\nContent-Length: 0\r\n")


def asks_for_another_date(request: Request) -> None:
    """To be left alone until a date that no calendar has."""
    date = "Wed, 99 Foo 99999 99:99:99 +99999999"
    request.head(status="503 Busy", more=f"Retry-After: {date}\r\nDate: {date}\r\nContent-Length: 0\r\n")


def nests_deeply(request: Request) -> None:
    """JSON of 200,000 levels."""
    request.reply(b'{"responses":' + b"[" * 200_000 + b"]" * 200_000 + b"}")


def sends_digits(request: Request) -> None:
    """JSON with numbers of 5,000 digits."""
    digits = b"9" * 5_000
    request.reply(
        b'{"version":{"number":%s},"count":%s,"responses":[{"status":%s}]}' % (digits, digits, digits)
    )


def sends_values(request: Request) -> None:
    """JSON with millions of empty lists."""
    request.reply(b'{"responses":[' + b"[]," * 3_000_000 + b"[]]}")


def sends_no_numbers(request: Request) -> None:
    """Scores that are no numbers."""
    hit = b'{"_score":NaN,"fields":{"page":["Lake"]},"matched_queries":{"0":Infinity}}'
    request.reply(b'{"responses":[{"hits":{"hits":[%s]}},{"hits":{"hits":[%s]}}]}' % (hit, hit))


def sends_wrong_types(request: Request) -> None:
    """Sound JSON in which everything is something else."""
    request.reply(
        b'{"version":[1],"count":"many","query":[3],"batchcomplete":"yes","continue":7,"error":false,'
        b'"responses":[{"hits":{"hits":{"_score":"x"}}},null,7,{"error":"text"}]}'
    )


def sends_a_list(request: Request) -> None:
    """A list where an object is expected."""
    request.reply(b'["Lake Baikal", null, {"a": 1}]')


def sends_nothing(request: Request) -> None:
    """An empty body."""
    request.reply(b"")


BEHAVIOURS: tuple[Behaviour, ...] = (
    never_answers,
    drips_its_head,
    drips_its_body,
    sends_without_end,
    sends_a_bomb,
    sends_a_bomb_in_a_bomb,
    sends_half_a_pack,
    sends_html,
    cuts_the_connection,
    announces_digits,
    announces_petabytes,
    announces_less_than_nothing,
    sends_long_headers,
    speaks_no_http,
    redirects_elsewhere,
    redirects_to_a_file,
    redirects_in_a_circle,
    redirects_nowhere,
    asks_for_years,
    asks_for_another_date,
    nests_deeply,
    sends_digits,
    sends_values,
    sends_no_numbers,
    sends_wrong_types,
    sends_a_list,
    sends_nothing,
)
