"""A room's process and phones that speak with it over loopback, as a browser's page does."""

from __future__ import annotations

import json
import os
import queue
import socket
import subprocess
import threading
import time

import msgspec
from wsproto import ConnectionType, WSConnection, events
from wsproto.utilities import LocalProtocolError

from quizwriter.services.room_lines import FromRoom, RoomOpened
from quizwriter.services.room_server import serve_room
from quizwriter.system.children import Child, child_command
from tests.helpers.patience import PATIENCE_S


class _ServedRoom:
    """A room that somebody serves: lines to it, and a queue of its reports."""

    def __init__(self, lines, reports):
        self._lines, self._told = lines, reports
        self.reports = queue.Queue()
        self.port = 0
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        for line in self._told:
            self.reports.put(msgspec.json.decode(line, type=FromRoom))

    def send(self, line):
        self._lines.write(line)
        self._lines.flush()

    def opened(self):
        """The port; the room was just opened."""
        report = self.reports.get(timeout=PATIENCE_S)
        assert isinstance(report, RoomOpened), report
        self.port = report.port
        return self.port

    def report(self, kind, wanted=lambda _: True):
        """The next report of this kind."""
        end = time.monotonic() + PATIENCE_S
        while True:
            found = self.reports.get(timeout=max(0.01, end - time.monotonic()))
            if isinstance(found, kind) and wanted(found):
                return found

    def close(self):
        """End it as the window does, and as when the window is killed."""
        self._lines.close()
        self._wait()
        self._reader.join()
        self._told.close()


class RoomProcess(_ServedRoom):
    """A room in a process of its own, as the program has it."""

    def __init__(self):
        self.process = subprocess.Popen(
            child_command(Child.ROOM), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        super().__init__(self.process.stdin, self.process.stdout)

    def _wait(self):
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class RoomThread(_ServedRoom):
    """A room in a thread of the test: to start a process takes ten times as long."""

    def __init__(self):
        lines, to_room = map(os.fdopen, os.pipe(), ("rb", "wb"))
        told, reports = map(os.fdopen, os.pipe(), ("rb", "wb"))

        def serve():
            with lines, reports:
                serve_room(lines, reports)

        self._server = threading.Thread(target=serve)
        self._server.start()
        super().__init__(to_room, told)

    def _wait(self):
        self._server.join(20)
        assert not self._server.is_alive(), "the room did not end"


class LoopbackSocket:
    """A WebSocket without a browser, at ``target`` of a server here, which is asked for ``host``."""

    def __init__(self, port, target, *, host="", origin="", patience=PATIENCE_S):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=patience)
        # as browsers do: or the second of two messages waits 40 ms for the acknowledgement of the first
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waiting, self._patience = [], patience
        self.closed = None  # the code, once the server closed it
        self.refused = False
        self._connection = WSConnection(ConnectionType.CLIENT)
        host = host or f"127.0.0.1:{port}"
        headers = [(b"origin", origin.encode())] if origin else []
        self._write(self._connection.send(events.Request(host=host, target=target, extra_headers=headers)))
        self._take(lambda event: isinstance(event, events.AcceptConnection | events.RejectConnection))

    def _write(self, data):
        self.socket.sendall(data)

    def _take(self, wanted):
        """Read until an event is wanted, and return it; others wait as messages."""
        end = time.monotonic() + self._patience
        while True:
            assert time.monotonic() < end, "nothing came"
            for event in self._connection.events():
                if isinstance(event, events.TextMessage):
                    self._text = getattr(self, "_text", "") + event.data
                    if event.message_finished:
                        self._waiting.append(json.loads(self._text))
                        self._text = ""
                elif isinstance(event, events.Ping):
                    self._write(self._connection.send(event.response()))
                elif isinstance(event, events.CloseConnection):
                    self.closed = event.code
                elif isinstance(event, events.RejectConnection):
                    self.refused = True
                if wanted(event):
                    return event
            if self.closed is not None:
                return None
            data = self.socket.recv(65_536)
            if not data:
                self.closed = self.closed or 1006
                return None
            self._connection.receive_data(data)

    def say(self, message):
        """Send a message: JSON, or as it is."""
        data = message if isinstance(message, str | bytes) else json.dumps(message)
        kind = events.BytesMessage if isinstance(data, bytes) else events.TextMessage
        try:
            self._write(self._connection.send(kind(data=data)))
        except (OSError, LocalProtocolError):
            self.closed = self.closed or 1006

    def raw(self, data):
        self._write(data)

    def hear(self, wanted=lambda _: True):
        """The next message that is wanted; None once the connection is closed."""
        end = time.monotonic() + self._patience
        while True:
            assert time.monotonic() < end, "only what is not wanted came"
            while self._waiting:
                message = self._waiting.pop(0)
                if wanted(message):
                    return message
            if self._take(lambda event: isinstance(event, events.TextMessage)) is None and not self._waiting:
                return None

    def fileno(self):
        """For those who wait for several."""
        return self.socket.fileno()

    def close(self):
        self.socket.close()


class Phone(LoopbackSocket):
    """A phone in a room, with the seat of ``token`` if that is given; ``origin`` "none": it names none.

    ``begun`` is the number of the tossup that its page would show: what it says of another one is dropped.
    """

    def __init__(self, port, token="", *, host="", origin="", patience=PATIENCE_S):
        origin = "" if origin == "none" else origin or f"http://{host or f'127.0.0.1:{port}'}"
        target = f"/room?seat={token}" if token else "/room"
        self.begun = 0
        super().__init__(port, target, host=host, origin=origin, patience=patience)

    def hear(self, wanted=lambda _: True):
        def heard(message):
            self.begun = message.get("begin", self.begun)
            return wanted(message)

        return super().hear(heard)

    def has(self, words, number):
        """Hear until its page would show so many words of this tossup, and not of the one before."""
        return self.hear(
            lambda one: self.begun == number and one.get("from", 0) + len(one.get("words", ())) >= words
        )

    def join(self, code, name="", team=""):
        self.say({"join": {"code": code, "name": name, "team": team}})
        return self.hear(lambda one: "token" in one or "refused" in one)
