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
from threading import Thread

from quizwriter.errors import QuizwriterError

log = logging.getLogger(__name__)

_CODE = "from index_builder.helper_process import serve; from {0} import {1}; serve({1})"
_LENGTH = 8
"""Bytes before each message, which say how long it is; after the last one follows the length 0."""


class HelperProcess:
    """Runs a function of this program on messages."""

    def __init__(self, module: str, function: str, messages: Iterable[bytes | memoryview]) -> None:
        """``function`` in ``module`` gets ``messages``, none of which is empty, and returns its answer."""
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.CREATE_NO_WINDOW
        self._answer = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the process)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _CODE.format(module, function)],
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

    def answer(self) -> bytes | None:
        """What the function returned, once it has; None if it did not."""
        for thread in self._threads:
            thread.join()
        if self._process.wait() == 0:
            return self._answer
        self._errors.seek(0)
        if said := self._errors.read(100_000).decode(errors="replace"):
            log.warning("A helper process failed, and its work is done again:\n%s", said)
        return None

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        for thread in self._threads:
            thread.join()
        self._process.wait()
        self._errors.close()
        self._answer = b""

    def _send(self, messages: Iterable[bytes | memoryview]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as pipe:  # it has ended: then there is no answer
            for message in messages:
                pipe.write(len(message).to_bytes(_LENGTH, "little"))
                pipe.write(message)
            pipe.write(bytes(_LENGTH))

    def _receive(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            self._answer = pipe.read()


def has_second_core() -> bool:
    """Whether a helper process would not take the time of this one."""
    return (os.cpu_count() or 1) > 1


def serve(function: Callable[[Iterator[bytes]], bytes]) -> None:
    """Be the helper process: run ``function`` on the messages that come in, and write what it returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the process that waits for this one
    gc.disable()  # it ends soon, and hardly makes a cycle of garbage
    try:
        answer = function(_messages())
    except QuizwriterError:  # the caller meets it, too, and says it
        sys.exit(1)
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()


def _messages() -> Iterator[bytes]:
    while True:
        length = sys.stdin.buffer.read(_LENGTH)
        if len(length) < _LENGTH:
            sys.exit(1)  # the process that waited for this one has ended
        if not any(length):
            return
        yield sys.stdin.buffer.read(int.from_bytes(length, "little"))
