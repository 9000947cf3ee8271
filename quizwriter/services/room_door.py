"""Who comes into a room's process, and when: strangers take turns by address, and seats do not wait for them.

A request is parsed, and its socket opened, only once its sender is let in: until then it costs little.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from quizwriter.services.room_lines import TokenBucket

ACCEPTED_A_SECOND, MOST_ACCEPTED = 200, 200
"""Connections that are taken from the system, which keeps the others waiting for nothing."""

LET_IN_A_SECOND, MOST_LET_IN = 10, 100
"""Strangers whose request is read: at once, the page and the socket of 50 phones."""

MOST_WAITING = 200
MOST_HEAD_BYTES = 8_192

SLOWEST_S = 10.0
"""How long a phone may take no message, and a connection ask for nothing, wait at the door or not end."""

_SEAT = re.compile(rb"GET /room\?seat=([\w-]{1,100}) ")
_NO_REQUEST = (
    b"HTTP/1.1 405 Method Not Allowed\r\nAllow: GET\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


class _Visitor(asyncio.Protocol):
    """A connection of which nothing is parsed yet."""

    def __init__(self, door: Door, address: str) -> None:
        self._door, self.address = door, address
        self.transport: asyncio.Transport
        self.head = b""
        self.asks = False
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._patience = asyncio.get_running_loop().call_later(SLOWEST_S, transport.abort)
        self._door.comes(self)

    def data_received(self, data: bytes) -> None:
        searched = max(0, len(self.head) - 3)
        self.head += data
        self.asks = self.head.find(b"\r\n\r\n", searched) >= 0
        if self.asks:
            self.transport.pause_reading()
            if self.head.startswith(b"GET /"):
                self._door.asks(self)
            else:
                self.transport.write(_NO_REQUEST)
                self.transport.close()
        elif len(self.head) > MOST_HEAD_BYTES:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.leave()

    def leave(self) -> None:
        """Be at the door no more."""
        if self._patience is not None:
            self._patience.cancel()
        self._door.goes(self)


class Door:
    """Lets visitors in to protocols that ``inside`` makes.

    ``returns`` says whether whoever shows this token comes back to a seat.
    """

    def __init__(self, returns: Callable[[str], bool], inside: Callable[[], asyncio.Protocol]) -> None:
        self._returns, self._inside = returns, inside
        self._waiting: dict[str, dict[_Visitor, None]] = {}  # by address, whose turn is next first
        self._accepted = TokenBucket(ACCEPTED_A_SECOND, MOST_ACCEPTED)
        self._let_in = TokenBucket(LET_IN_A_SECOND, MOST_LET_IN)
        self._turn: asyncio.TimerHandle | None = None

    async def watch(self, listener: socket.socket) -> None:
        """Take who comes to ``listener``, one after the other."""
        listener.setblocking(False)
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, (address, _) = await loop.sock_accept(listener)
            except OSError:  # it went again, or too much is open
                await asyncio.sleep(0.1)
                continue
            with suppress(OSError):
                await loop.connect_accepted_socket(partial(_Visitor, self, address), connection)
            while not self._accepted.take():
                await asyncio.sleep(1 / ACCEPTED_A_SECOND)

    def close(self) -> None:
        """Send away who is still at the door."""
        for visitor in [one for here in self._waiting.values() for one in here]:
            visitor.transport.abort()

    def comes(self, visitor: _Visitor) -> None:
        """Somebody is at the door; where too many are, the first of the fullest address goes."""
        self._waiting.setdefault(visitor.address, {})[visitor] = None
        if sum(map(len, self._waiting.values())) > MOST_WAITING:
            fullest = max(self._waiting.values(), key=lambda here: len(here))
            first = next(iter(fullest))
            first.leave()
            first.transport.abort()

    def goes(self, visitor: _Visitor) -> None:
        here = self._waiting.get(visitor.address, {})
        here.pop(visitor, None)
        if not here:
            self._waiting.pop(visitor.address, None)

    def asks(self, visitor: _Visitor) -> None:
        """Somebody said all that a request needs."""
        seat = _SEAT.match(visitor.head)
        if seat and self._returns(seat[1].decode()):
            self._enter(visitor)
        elif self._turn is None:
            self._serve()

    def _serve(self) -> None:
        """Let in as many as may come now, and the others later."""
        self._turn = None
        while (visitor := self._next()) is not None:
            if not self._let_in.take():
                self._turn = asyncio.get_running_loop().call_later(1 / LET_IN_A_SECOND, self._serve)
                return
            self._enter(visitor)
            if here := self._waiting.pop(visitor.address, None):  # the others of this address come last
                self._waiting[visitor.address] = here

    def _next(self) -> _Visitor | None:
        return next((one for here in self._waiting.values() for one in here if one.asks), None)

    def _enter(self, visitor: _Visitor) -> None:
        visitor.leave()
        if visitor.transport.is_closing():
            return
        inside = self._inside()
        visitor.transport.set_protocol(inside)
        inside.connection_made(visitor.transport)
        visitor.transport.resume_reading()
        inside.data_received(visitor.head)
