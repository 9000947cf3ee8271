"""A program of ours in a process of its own, which says how far it is in lines of JSON."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

log = logging.getLogger(__name__)

STOP_MS = 1_500
"""How long a program may take to end in good order before it is ended without; ours take a second at most."""


MOST_ERRORS = 20_000
"""Bytes of what a program says when it breaks."""


class ChildProcess(QObject):
    """A program of ours in a process of its own, which says how far it is in lines of JSON.

    It ends in good order when its standard input is closed. ``message_received`` carries a line as a dict,
    ``ended`` whether the program did what it should and what it wrote to the standard error, ``absent`` why
    it could not be started.
    """

    message_received = Signal(object)
    ended = Signal(bool, str)
    absent = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._output = b""
        self._impatience = QTimer(self)
        self._impatience.setSingleShot(True)
        self._impatience.setInterval(STOP_MS)
        self._impatience.timeout.connect(self._kill)

    @property
    def runs(self) -> bool:
        return self._process is not None

    def start(self, command: Sequence[str], secrets: Mapping[str, str] | None = None) -> None:
        """Start ``command`` with ``secrets`` in its environment, where others cannot read them; only while
        none runs."""
        assert self._process is None
        self._output = b""
        program, *arguments = command
        process = self._process = QProcess(self)
        process.readyReadStandardOutput.connect(self._read)
        process.finished.connect(self._finished)
        process.errorOccurred.connect(self._failed)
        if secrets:
            environment = QProcessEnvironment.systemEnvironment()
            for variable, secret in secrets.items():
                environment.insert(variable, secret)
            process.setProcessEnvironment(environment)
        process.start(program, arguments)

    def write(self, line: bytes) -> None:
        """Hand a line to its standard input; if it has ended, nothing happens."""
        if self._process is not None:
            self._process.write(line)

    def stop(self) -> None:
        if self._process is not None:
            self._process.closeWriteChannel()
            self._impatience.start()

    def shutdown(self) -> None:
        """End it and wait for that, because the window closes; no signal follows."""
        process, self._process = self._process, None
        if process is None:
            return
        process.blockSignals(True)
        process.closeWriteChannel()
        if not process.waitForFinished(STOP_MS):
            process.kill()
            process.waitForFinished(STOP_MS)

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _read(self) -> None:
        assert self._process is not None
        self._output += self._process.readAllStandardOutput().data()
        *lines, self._output = self._output.split(b"\n")
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if isinstance(message, dict):
                self.message_received.emit(message)
            else:
                log.warning("not understood: %r", line[:200])

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            reason = self._process.errorString()
            self._forget()
            self.absent.emit(reason)

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        assert self._process is not None
        self._read()
        errors = bytes(self._process.readAllStandardError().data())[-MOST_ERRORS:].decode("utf-8", "replace")
        self._forget()
        well = status is QProcess.ExitStatus.NormalExit and code == 0
        if not well:
            log.info("a program ended with %s, %s: %s", status, code, errors)
        self.ended.emit(well, errors)

    def _forget(self) -> None:
        self._impatience.stop()
        if self._process is not None:
            self._process.deleteLater()
            self._process = None
