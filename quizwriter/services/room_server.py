"""The process that serves a room on the local network: its page, its seats, and who buzzes first.

It never knows a word before it is read, nor an answer line. The window tells it each move of the game, and
the move is in the log on the disk before any phone is told. What comes from the network is outside data.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol
from wsproto import events

from quizwriter.domain.tossup_game import MOST_SEATS, clean_line
from quizwriter.services.look_alikes import look
from quizwriter.services.play_page import ROOM, play_page
from quizwriter.services.room_door import MOST_HEAD_BYTES, SLOWEST_S, Door
from quizwriter.services.room_lines import (
    FromPhone,
    FromRoom,
    Guest,
    Joining,
    RoomAdvice,
    RoomAnswered,
    RoomAsked,
    RoomBuzz,
    RoomBuzzed,
    RoomGuests,
    RoomMove,
    RoomOpened,
    RoomOpening,
    RoomRemoval,
    RoomSeat,
    RoomTossup,
    RoomTrouble,
    RoomView,
    TokenBucket,
    ToRoom,
)
from quizwriter.system.decoding import DecodingError, decode_small_json

MOST_MESSAGE_BYTES = 1_000
MESSAGES_A_SECOND, MOST_AT_ONCE = 20, 40
MOST_CONNECTIONS = MOST_SEATS
WRONG_CODES_A_SECOND, MOST_WRONG_CODES = 0.2, 20
"""Guesses of the code, for all phones together: 720 an hour, of a million."""

JOIN_S, MOST_TRIES = 10.0, 5
"""How long a connection may be open without a seat, and how much it may say; pages say their code at once."""

RETURNS_A_SECOND, MOST_RETURNS = 0.5, 5
"""How often a phone comes back to its seat without waiting at the door."""

GRACE_MS = 600
"""How far behind the room a screen may be for its word to count."""

BEAT_S = 2.0
"""How long a phone hears nothing at most: one that hears nothing for longer is cut off, and comes back."""

TAKEN_OVER, SENT_AWAY, TOO_MANY, OTHER_ROOM = 4001, 4002, 4003, 4004
"""Why the room closes a connection; the page says it in words."""

_MOST_PONG_BYTES = 65_536
_MOST_WAITING = 500  # messages that a phone has not taken yet; one that is so slow comes back later


class _Phone:
    """A connection, and what it is sent; only one task writes to it."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket = socket
        self.seat: _PhoneSeat | None = None
        self.closes = False
        self._waiting = asyncio.Queue[bytes | None](_MOST_WAITING)
        self._closing = 1000

    def send(self, message: bytes) -> None:
        """Have ``message`` sent; a phone that takes none for long is sent away."""
        if self.closes:
            return
        try:
            self._waiting.put_nowait(message)
        except asyncio.QueueFull:
            self.close(TOO_MANY)

    def close(self, code: int) -> None:
        """Close the connection after what waits, which is dropped where too much waits."""
        self.closes, self._closing = True, code
        if self._waiting.full():
            while not self._waiting.empty():
                self._waiting.get_nowait()
        self._waiting.put_nowait(None)

    async def write(self) -> None:
        """Send what waits, until the connection is to be closed or takes nothing for too long."""
        while (message := await self._next()) is not None:
            async with asyncio.timeout(SLOWEST_S):
                await self.socket.send_text(message.decode())
        await self.socket.close(self._closing)

    async def _next(self) -> bytes | None:
        try:
            async with asyncio.timeout(BEAT_S):
                return await self._waiting.get()
        except TimeoutError:
            return b"{}"


class _PhoneSeat(msgspec.Struct):
    """A seat: whoever knows its ``token`` has it."""

    number: int
    name: str
    team: str
    token: str
    returns: TokenBucket = msgspec.field(default_factory=lambda: TokenBucket(RETURNS_A_SECOND, MOST_RETURNS))
    phone: _Phone | None = None
    acked: int = 0
    barred: bool = False


class RoomDesk:
    """The seats and the lock-out of one room, whatever carries its messages.

    ``tell`` takes reports for the window, ``clock`` gives milliseconds.
    """

    def __init__(
        self, opening: RoomOpening, tell: Callable[[FromRoom], object], clock: Callable[[], int]
    ) -> None:
        self._opening, self._tell, self._clock = opening, tell, clock
        first = len(opening.fixed)
        self.seats = [
            _PhoneSeat(at, one.name, one.team, one.token, barred=one.barred)
            for at, one in enumerate(opening.seats, first)
        ]
        self._joining: dict[_Phone, None] = {}  # those without a seat, the oldest first
        self._guesses = TokenBucket(WRONG_CODES_A_SECOND, MOST_WRONG_CODES)
        self._wrong_codes = 0
        self._number = 0
        self._words: list[str] = []
        self._sent_ms: list[int] = []  # when each of the words was sent
        self._view: RoomView | None = None
        self._viewed_ms = 0  # when it was told
        self._locked: int | None = None  # the seat with the first buzz that the window has not settled
        self._buzzes = 0
        self._journal: BinaryIO | None = None

    # -- the window

    def take(self, line: ToRoom) -> None:
        match line:
            case RoomTossup():
                self._keep(line)
                self._number, self._words, self._sent_ms = line.number, [], []
                self._view, self._locked = None, None
                for seat in self.seats:
                    seat.acked = 0
                self._send_all({"begin": line.number})
            case RoomMove():
                for row in filter(None, (line.move, line.ruling)):
                    self._keep(row)
                if line.settled >= self._buzzes:
                    self._locked = None
                self._view, self._viewed_ms = line.view, self._clock()
                self._words += line.words
                self._sent_ms += [self._clock()] * len(line.words)
                message: dict[str, object] = {"view": line.view}
                if line.words:
                    message |= {"words": line.words, "from": len(self._words) - len(line.words)}
                if self._locked is not None:
                    message["lock"] = self._locked
                self._send_all(message)
            case RoomBuzz():
                self._buzz(line.seat, None)
            case RoomRemoval():
                self._keep(line)
                for seat in self.seats:
                    if seat.number == line.seat:
                        seat.barred = True
                        if seat.phone is not None:
                            seat.phone.close(SENT_AWAY)
            case RoomAdvice():
                told = _encoded({"advice": {"guess": line.guess, "chance": line.chance}})
                for seat in self.seats:
                    if seat.number in line.seats and seat.phone is not None:
                        seat.phone.send(told)
            case RoomOpening():
                pass  # it is open

    def _keep(self, row: object) -> None:
        """Put a row into the log; it is there when this returns, whoever is killed next."""
        try:
            if self._journal is None:
                self._journal = _opened_log(Path(self._opening.journal))
            self._journal.write(msgspec.json.encode(row) + b"\n")
        except OSError as trouble:
            problem = f"The log of the room cannot be written: {trouble.strerror}."
            self._tell(
                RoomTrouble(problem, "The game is kept when the tossup is over; free some disk space.")
            )

    def open(self, port: int) -> None:
        """The room is open at ``port``: a window that is killed can open it there again."""
        self._keep(msgspec.structs.replace(self._opening, port=port, journal=""))
        self._tell(RoomOpened(port))
        if self.seats:
            self._tell_guests()

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    # -- phones

    def let_in(self, phone: _Phone, token: str) -> int:
        """Let a phone connect, or say why not: who holds a seat always may, others while there are seats.

        A page says its code as soon as it is connected, so whoever has said nothing for longest makes room.
        """
        if token:
            seat = self._seat_of(token)
            if seat is None or seat.barred:
                return OTHER_ROOM if seat is None else SENT_AWAY
            self._seat(phone, seat)
            return 0
        most = MOST_CONNECTIONS - len(self._opening.fixed) - len(self.seats)
        if most <= 0:
            return TOO_MANY
        if len(self._joining) >= most:
            oldest = next(iter(self._joining))
            del self._joining[oldest]
            oldest.close(TOO_MANY)
        self._joining[phone] = None
        return 0

    def returns(self, token: str) -> bool:
        """Whether somebody comes back to a seat, and not so often that strangers would wait for it."""
        seat = self._seat_of(token)
        return seat is not None and not seat.barred and seat.returns.take()

    def _seat_of(self, token: str) -> _PhoneSeat | None:
        shown = token.encode()
        return next((one for one in self.seats if hmac.compare_digest(one.token.encode(), shown)), None)

    def leave(self, phone: _Phone) -> None:
        self._joining.pop(phone, None)
        if phone.seat is not None and phone.seat.phone is phone:
            phone.seat.phone = None
            self._tell_guests()

    def hear(self, phone: _Phone, message: FromPhone) -> None:
        """Do what a phone says, if it may say so; what it may not is dropped."""
        seat = phone.seat
        if seat is None:
            if message.join is not None:
                self._join(phone, message.join)
            return
        if seat.phone is not phone or message.number != self._number:
            return
        if message.ack is not None:
            seat.acked = max(seat.acked, min(message.ack, len(self._words)))
        elif message.buzz:
            self._buzz(seat.number, seat)
        elif message.answer is not None or message.ask:
            view = self._view
            answers = view is not None and view.phase in ("answering", "prompted") and self._opening.typed
            if answers and view is not None and view.seat == seat.number:
                number, answer = seat.number, message.answer
                self._tell(RoomAsked(number) if answer is None else RoomAnswered(number, answer))

    def _join(self, phone: _Phone, joining: Joining) -> None:
        right = hmac.compare_digest(joining.code.encode(), self._opening.code.encode())
        # a right code is refused like a wrong one then, or a guesser would go on until it is right
        if not self._guesses.take():
            phone.send(_encoded({"refused": "Too many codes were tried. Wait a minute and try again."}))
            return
        if not right:
            self._wrong_codes += 1
            self._tell_guests()
            phone.send(_encoded({"refused": "The code is wrong."}))
            return
        self._guesses.give_back()
        number = len(self._opening.fixed) + len(self.seats)
        name = clean_line(joining.name) or f"Player {len(self.seats) + 1}"
        teams = {one.team.casefold(): one.team for one in self.seats if one.team}
        called = [
            *self._opening.fixed,
            self._opening.adviser,
            *teams.values(),
            *(one.name for one in self.seats),
        ]
        taken = {look(one) for one in called}
        name = next(one for one in _numbered(name) if look(one) not in taken)
        team = clean_line(joining.team)
        if team:  # of phones that write it with other capitals, it is one team
            known = (teams.get(one.casefold(), "" if look(one) in taken else one) for one in _numbered(team))
            team = next(filter(None, known))
        seat = _PhoneSeat(number, name, team, secrets.token_urlsafe(16))
        self.seats.append(seat)
        self._keep(RoomSeat(seat.name, seat.team, seat.token))
        self._joining.pop(phone, None)
        self._seat(phone, seat)

    def _seat(self, phone: _Phone, seat: _PhoneSeat) -> None:
        if seat.phone is not None:
            seat.phone.close(TAKEN_OVER)
        seat.phone, phone.seat, seat.acked = phone, seat, 0
        hello: dict[str, object] = {
            "seat": seat.number,
            "token": seat.token,
            "name": seat.name,
            "typed": self._opening.typed,
            "begin": self._number,
            "words": self._words,
            "from": 0,
        }
        if self._view is not None:
            left = self._view.left_ms
            late = None if left is None else max(0, left - self._clock() + self._viewed_ms)
            hello["view"] = msgspec.structs.replace(self._view, left_ms=late)
        if self._locked is not None:
            hello["lock"] = self._locked
        phone.send(_encoded(hello))
        self._tell_guests()

    def _tell_guests(self) -> None:
        guests = tuple(Guest(one.name, one.team, one.phone is not None) for one in self.seats)
        self._tell(RoomGuests(guests, self._wrong_codes))

    def _buzz(self, number: int, seat: _PhoneSeat | None) -> None:
        """Lock the others out, if the seat may buzz and nobody was before."""
        view = self._view
        if view is None or view.paused or self._locked is not None or number not in view.may:
            return
        self._locked = number
        self._buzzes += 1
        self._send_all({"lock": number})
        heard = len(self._words)
        acked = heard if seat is None else seat.acked
        late_ms = self._clock() - self._sent_ms[acked] if acked < heard else 0
        marked = late_ms > GRACE_MS
        self._tell(RoomBuzzed(self._number, number, heard if marked else acked, marked))

    def _send_all(self, message: dict[str, object]) -> None:
        encoded = _encoded(message)
        for seat in self.seats:
            if seat.phone is not None:
                seat.phone.send(encoded)


def _numbered(name: str) -> Iterator[str]:
    """``name``, and others that it may be told apart by."""
    yield name
    yield from (f"{name[:34]} ({at})" for at in range(2, 2 * MOST_SEATS + 3))


_encoded = msgspec.json.encode


def _opened_log(path: Path) -> BinaryIO:
    """The log at ``path``, to be written on after its last whole row."""
    log = path.open("a+b", buffering=0)
    log.seek(0)
    log.truncate(log.read().rfind(b"\n") + 1)
    return log


class _OnlyOurs:
    """Answers only what was asked of an address that is served, by a page that was served there."""

    def __init__(self, app: ASGIApp, hosts: frozenset[bytes]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            headers = list[tuple[bytes, bytes]](scope["headers"])
            hosts = [value for name, value in headers if name == b"host"]
            origins = [value for name, value in headers if name == b"origin"]
            ours = len(hosts) == 1 and hosts[0] in self._hosts
            if scope["type"] == "websocket" or origins:
                ours = ours and origins == [b"http://" + hosts[0]]
            brings = any(name in (b"content-length", b"transfer-encoding") for name, _ in headers)
            if not ours or brings:  # closed, or whatever is brought would be read
                if scope["type"] == "http":
                    told = (
                        ("This address takes no data.", 413)
                        if ours
                        else ("There is no page at this address.", 421)
                    )
                    await Response(*told, headers={"Connection": "close"})(scope, receive, send)
                else:
                    await receive()
                    await send({"type": "websocket.close", "code": 1008, "reason": ""})
                return
        await self._app(scope, receive, send)


def room_app(desk: RoomDesk, title: str, hosts: Sequence[str]) -> ASGIApp:
    """What is served at ``hosts``, each an address with its port: the page and its sockets."""
    served = [f"{scheme}://{one}" for one in hosts for scheme in ("ws", "http")]
    page = play_page(ROOM, msgspec.json.encode({"title": title}).decode(), served)
    headers = {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }

    async def show_page(_: Request) -> Response:
        return Response(page, media_type="text/html", headers=headers)

    async def take_socket(socket: WebSocket) -> None:
        phone = _Phone(socket)
        await socket.accept()
        if closing := desk.let_in(phone, socket.query_params.get("seat", "")[:100]):
            await socket.close(closing)
            return
        if phone.seat is not None:
            socket.state.trust()
        tasks = {asyncio.create_task(one) for one in (_listen(desk, phone), phone.write())}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if phone.closes:  # its last words
                await asyncio.wait(tasks, timeout=1)
        finally:
            desk.leave(phone)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    routes = [Route("/", show_page), WebSocketRoute("/room", take_socket)]
    return _OnlyOurs(Starlette(routes=routes), frozenset(one.encode() for one in hosts))


async def _listen(desk: RoomDesk, phone: _Phone) -> None:
    """Hear a phone until it goes, or joins too late."""
    async with asyncio.timeout(None if phone.seat is not None else JOIN_S) as patience:
        while True:
            received = await phone.socket.receive()
            if received["type"] != "websocket.receive":
                return
            text = received.get("text")
            if not isinstance(text, str) or len(text.encode()) > MOST_MESSAGE_BYTES:
                continue
            with suppress(DecodingError):
                desk.hear(phone, decode_small_json(text, FromPhone))
            if phone.seat is not None and patience.when() is not None:
                patience.reschedule(None)
                phone.socket.state.trust()


# -- the process


def main(_: list[str]) -> int:
    """Serve a room until the window is gone; the exit status."""
    reports = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no report
    logging.disable(logging.WARNING)  # whoever floods the room would fill the window's memory with lines
    return serve_room(sys.stdin.buffer, reports)


def serve_room(lines: BinaryIO, reports: BinaryIO) -> int:
    """Serve the room that the first of the window's ``lines`` opens, until they end; the exit status."""
    decoder = msgspec.json.Decoder(ToRoom)
    opening = decoder.decode(lines.readline())
    assert isinstance(opening, RoomOpening)

    def tell(report: FromRoom) -> None:
        reports.write(msgspec.json.encode(report) + b"\n")
        reports.flush()

    def after_phones(report: FromRoom) -> None:
        """The system may let the window run as soon as it is written to, and phones wait for their lock."""
        asyncio.get_running_loop().call_soon(tell, report)

    try:
        sockets = _listening(opening)
    except OSError as trouble:
        tell(RoomTrouble(f"No room can be opened at {', '.join(opening.addresses)}: {trouble.strerror}.",
                         "Choose another address."))  # fmt: skip
        return 1
    port = sockets[0].getsockname()[1]
    desk = RoomDesk(opening, after_phones, lambda: time.monotonic_ns() // 1_000_000)
    said = map(decoder.decode, lines)
    with ExitStack() as open_sockets:
        for one in sockets:
            open_sockets.enter_context(one)
        asyncio.run(_serve(desk, opening, sockets, said, lambda: desk.open(port)))
    desk.close()
    return 0


def _listening(opening: RoomOpening) -> list[socket.socket]:
    """A socket for each address, all at one port; at any if somebody else has taken that of before."""
    found: list[socket.socket] = []
    port = opening.port
    for address in opening.addresses:
        try:
            one = socket.create_server((address, port), reuse_port=False)
        except OSError:
            if not opening.port:
                raise
            return _listening(msgspec.structs.replace(opening, port=0))
        found.append(one)
        port = one.getsockname()[1]
    return found


async def _serve(
    desk: RoomDesk,
    opening: RoomOpening,
    sockets: list[socket.socket],
    said: Iterator[ToRoom],
    opened: Callable[[], object],
) -> None:
    port = sockets[0].getsockname()[1]
    hosts = [f"{address}:{port}" for address in opening.addresses]
    config = uvicorn.Config(
        room_app(desk, opening.title, hosts),
        ws=_Socket,
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        ws_max_size=MOST_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=5,
        ws_ping_timeout=10,
        limit_concurrency=4 * MOST_CONNECTIONS,
        h11_max_incomplete_event_size=2 * MOST_HEAD_BYTES,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    loop = asyncio.get_running_loop()
    reading = threading.Thread(target=_read_lines, args=(desk, said, loop, server), daemon=True)
    reading.start()
    door = Door(desk.returns, lambda: _Page(config, server.server_state, {}, loop))
    tasks = [asyncio.create_task(one) for one in (_sweep(server), *map(door.watch, sockets))]
    loop.call_soon(opened)
    try:
        await server.serve()
    finally:
        for task in tasks:
            task.cancel()
        door.close()
        for connection in server.server_state.connections:  # of whoever does not go by themselves
            connection.transport.abort()


class _Server(uvicorn.Server):
    """Ends what came in by the door; the window closes its standard input to have it end."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.servers, self.started = [], True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Page(H11Protocol):
    def on_response_complete(self) -> None:
        """Whoever wants more comes to the door again."""
        self.transport.close()


class _TooFastError(Exception):
    """A phone says more than anybody types."""


class _Socket(WSProtocol):
    """Lets nobody fill the memory with the answers to pings that are never fetched, or keep the room busy."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        super().connection_made(transport)
        self._allowed = TokenBucket(0, MOST_TRIES)

    def handle_connect(self, event: events.Request) -> None:
        super().handle_connect(event)
        self.scope["state"]["trust"] = self.trust

    def trust(self) -> None:
        """Somebody has a seat, and may say more than whoever has none."""
        self._allowed = TokenBucket(MESSAGES_A_SECOND, MOST_AT_ONCE)

    def data_received(self, data: bytes) -> None:
        """Take what came; of a thousand messages at once the rest is not even looked at."""
        try:
            super().data_received(data)
        except _TooFastError:
            self.transport.abort()

    def _count(self) -> None:
        if not self._allowed.take():
            raise _TooFastError

    def handle_message(self, event: events.TextMessage | events.BytesMessage) -> None:
        self._count()
        super().handle_message(event)

    def handle_pong(self, event: events.Pong) -> None:
        self._count()
        super().handle_pong(event)

    def handle_ping(self, event: events.Ping) -> None:
        self._count()
        if self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size() > _MOST_PONG_BYTES:
            self.transport.abort()
        else:
            super().handle_ping(event)


async def _sweep(server: uvicorn.Server) -> None:
    """End the connections that do not end; at once where they are many."""
    since: dict[object, float] = {}
    while True:
        await asyncio.sleep(1)
        now = time.monotonic()
        ending = [
            one
            for one in server.server_state.connections
            if one.transport.is_closing() or (isinstance(one, WSProtocol) and one.close_sent)
        ]
        slowest = SLOWEST_S if len(ending) < MOST_CONNECTIONS else 0
        since = {one: since.get(one, now) for one in ending}
        for one in ending:
            if now - since[one] > slowest:
                one.transport.abort()


def _read_lines(
    desk: RoomDesk, said: Iterator[ToRoom], loop: asyncio.AbstractEventLoop, server: _Server
) -> None:
    """Hand over what the window says, until it is closed or killed."""
    for line in said:
        loop.call_soon_threadsafe(desk.take, line)
    server.should_exit = True
