"""A process that takes over a part of a long calculation, so that both of two cores are used.

Nothing depends on it but time: where it fails or is killed, the caller does that part, too.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import IO, Generic, TypeVar

from quizwriter.errors import QuizwriterError
from quizwriter.system.children import Child, child_command

Part = TypeVar("Part")

log = logging.getLogger(__name__)

_LENGTH = 8
"""Bytes before each message, which say how long it is; after the last one follows the length 0."""


class HelperProcess:
    """Runs a function of this program on messages."""

    def __init__(self, child: Child, messages: Iterable[bytes | memoryview]) -> None:
        """``child`` serves a function (:func:`serve`) that gets ``messages`` and yields its answers."""
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.CREATE_NO_WINDOW
        self._answers = SimpleQueue[bytes]()  # an empty one comes last
        self._has_ended = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the process)
        self._process = subprocess.Popen(
            child_command(child),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            creationflags=flags,
        )
        self._threads = [
            Thread(target=self._send, args=(messages,), daemon=True),
            Thread(target=self._receive, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def answers(self) -> Iterator[bytes]:
        """Each answer as soon as the function yields it; to be asked for once."""
        while answer := self._answers.get():
            yield answer

    def answer(self) -> bytes | None:
        """The last answer, once the function has ended; None if it failed."""
        last = None
        for last in self.answers():  # noqa: B007
            pass
        return last if self.succeeded() else None

    def succeeded(self) -> bool:
        """Whether the function came to its end; waits for it, but not until all of its memory is free."""
        for thread in self._threads:
            thread.join()
        if self._has_ended:
            return True
        self._process.wait()
        self._errors.seek(0)
        if said := self._errors.read(100_000).decode(errors="replace"):
            log.warning("A helper process failed, and its work is done again:\n%s", said)
        return False

    def close(self) -> None:
        """End the process."""
        with suppress(OSError):  # Windows refuses to end what is ending
            self._process.kill()
        for thread in self._threads:
            thread.join()
        self._process.wait()
        self._errors.close()
        self._answers = SimpleQueue()

    def _send(self, messages: Iterable[bytes | memoryview]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as pipe:  # it has ended: then there is no answer
            for message in messages:
                _write(pipe, message)
            pipe.write(bytes(_LENGTH))

    def _receive(self) -> None:
        assert self._process.stdout is not None
        with suppress(EOFError), self._process.stdout as pipe:
            for answer in _messages(pipe):
                self._answers.put(answer)
            self._has_ended = True
        self._answers.put(b"")


class WorkQueue(Generic[Part]):
    """Parts of a long calculation, each of which goes to the process that is free first.

    Each process asks for one part after the other in a thread of this process.
    """

    def __init__(self) -> None:
        self._parts = SimpleQueue[Part | None]()

    def put(self, part: Part) -> None:
        self._parts.put(part)

    def end(self) -> None:
        """No more parts come."""
        self._parts.put(None)

    def __iter__(self) -> Iterator[Part]:
        """The parts that no other process took, as they come."""
        yield from iter(self._parts.get, None)
        self.end()  # for the other processes


def has_second_core() -> bool:
    """Whether a helper process would not take the time of this one."""
    return (os.cpu_count() or 1) > 1


def serve(function: Callable[[Iterator[bytes]], Iterator[bytes]]) -> int:
    """Run ``function`` on the messages that come in and write what it yields; the exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the process that waits for this one
    gc.disable()  # it ends soon, and hardly makes a cycle of garbage
    output = sys.stdout.buffer
    try:
        for answer in function(_received()):
            _write(output, answer)
    except QuizwriterError:  # the caller meets it, too, and says it
        return 1
    output.write(bytes(_LENGTH))
    output.flush()
    return 0


def _received() -> Iterator[bytes]:
    try:
        yield from _messages(sys.stdin.buffer)
    except EOFError:
        sys.exit(1)  # the process that waited for this one has ended


def _write(pipe: IO[bytes], message: bytes | memoryview) -> None:
    pipe.write(len(message).to_bytes(_LENGTH, "little"))
    pipe.write(message)
    pipe.flush()  # the other process begins with it, though the next one may be long in coming


def _messages(pipe: IO[bytes]) -> Iterator[bytes]:
    """The messages that another process writes into ``pipe``.

    Raises:
        EOFError: it ended before the last one.
    """
    while True:
        length = int.from_bytes(head := pipe.read(_LENGTH), "little")
        if len(head) == _LENGTH and not length:
            return
        message = pipe.read(length)
        if len(head) < _LENGTH or len(message) < length:
            raise EOFError
        yield message
