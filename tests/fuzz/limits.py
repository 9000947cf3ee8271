"""The limits within which a worker of the fuzzer reads a case: time, memory, and its own folder."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

LONGEST_S = 5.0
"""Seconds of the processor that a case may take. Other programs on the machine do not count."""

LONGEST_WAIT_S = 20.0
"""Seconds on the clock that a case may take, for readers that wait without computing."""

MOST_BYTES = 500 << 20
"""Bytes by which the memory of a worker may grow within a case."""

_HARD_BYTES = 1536 << 20
"""Bytes at which the operating system refuses more memory, so that a case cannot take the machine's."""

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = {  # events of the interpreter, and how many of their first arguments are paths
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
    "os.remove": 1,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.chown": 1,
    "os.utime": 1,
    "os.mkfifo": 1,
    "os.mknod": 1,
    "shutil.rmtree": 1,
    "sqlite3.connect": 1,
}
_FORBIDDEN = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.startfile",
    "os.fork",
    "os.forkpty",
}
_SYSTEM = (
    "/usr",
    "/lib",
    "/bin",
    "/proc",
    "/sys",
    "/etc",
    "/opt",
    "/dev/null",
    "/dev/urandom",
    "/var/cache/fontconfig",
)


class OutsideError(BaseException):
    """The reader touched something outside the folder of its case; no handler of a reader catches this."""


class Fence:
    """Stops the reader of a case at everything outside the folder of the case, by an audit hook.

    The hook stays for the rest of the process. It sees what Python code does, not what SQLite does by itself.
    """

    def __init__(self, seeds: Path) -> None:
        """A fence; beside the interpreter and this repository, readers may read the folder ``seeds``."""
        self._folder: str | None = None
        self._busy = False
        repository = str(Path(__file__).parents[2])
        paths = [
            *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
            sys.prefix,
            sys.base_prefix,
            repository,
            str(seeds),
        ]
        self._readable = tuple({os.path.realpath(path) for path in paths}) + tuple(paths) + _SYSTEM
        sys.dont_write_bytecode = True  # the interpreter's own writing beside a module that a reader imports
        sys.addaudithook(self._check)

    @contextmanager
    def around(self, folder: Path) -> Iterator[None]:
        """A block that may write in ``folder`` only."""
        self._folder = os.path.realpath(folder)
        before, tempfile.tempdir = tempfile.tempdir, str(folder)
        try:
            yield
        finally:
            self._folder = None
            tempfile.tempdir = before

    def _check(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._folder is None or self._busy:
            return
        self._busy = True  # what this does is not looked at
        try:
            if event == "open":
                path, mode, flags = arguments
                writes = bool(flags & _WRITES) if isinstance(flags, int) else False
                writes = writes or (isinstance(mode, str) and any(letter in mode for letter in "wax+"))
                self._check_path(event, path, writes=writes)
            elif event in _PATHS:
                if event != "os.truncate" and isinstance(arguments[-1], int) and arguments[-1] >= 0:
                    return  # relative to a folder that is open; its opening was looked at
                for path in arguments[: _PATHS[event]]:
                    self._check_path(event, path, writes=True)
            elif event in _FORBIDDEN:
                raise OutsideError(f"{event}: {arguments!r:.200}")
            elif event == "socket.connect":
                address = arguments[1]
                if not (isinstance(address, tuple) and address and address[0] in ("127.0.0.1", "::1")):
                    raise OutsideError(f"{event}: {address!r:.200}")
            elif event == "socket.getaddrinfo" and arguments[0] not in (
                "127.0.0.1",
                "localhost",
                "::1",
                None,
            ):
                raise OutsideError(f"{event}: {arguments!r:.200}")
        finally:
            self._busy = False

    def _check_path(self, event: str, path: object, *, writes: bool) -> None:
        if isinstance(path, int) or path is None or path == ":memory:":
            return
        name = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else str(path)
        if "\0" in name:
            return  # the call refuses it
        if name.startswith("file:"):
            name = name.removeprefix("file:").removeprefix("//").split("?")[0]
        real = os.path.realpath(name)
        assert self._folder is not None
        if _lies_in(real, self._folder) or real == os.devnull:
            return
        if writes or not any(_lies_in(real, one) for one in self._readable):
            raise OutsideError(f"{event}: {name:.200} ({'written' if writes else 'read'})")


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def limit_memory() -> None:
    """Have the operating system refuse memory far above what any case may take."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_memory("VmData") + _HARD_BYTES, resource.RLIM_INFINITY))


class Meter:
    """Measures a block: ``seconds`` of the processor, and the ``bytes`` by which the peak of memory grew."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.bytes = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """A block that is measured."""
        before = _reset_peak()
        started = time.process_time()
        try:
            yield
        finally:
            self.seconds = time.process_time() - started
            self.bytes = max(0, _peak() - before)


@contextmanager
def ending_after(seconds: float, waiting: float, trace: IO[str]) -> Iterator[None]:
    """End the process with a traceback in ``trace`` if the block takes too long; both limits are seconds.

    ``seconds`` are of the processor, ``waiting`` of the clock.
    """
    faulthandler.dump_traceback_later(waiting, exit=True, file=trace)
    timed = hasattr(signal, "setitimer")
    if timed:
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def trace_slow_cases(trace: IO[str]) -> None:
    """Have the timer of :func:`ending_after` write a traceback into ``trace`` before it ends the process."""
    faulthandler.enable(trace)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        faulthandler.register(signal.SIGPROF, trace, all_threads=False, chain=True)


def _reset_peak() -> int:
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _memory("VmRSS")
    return _peak()


def _peak() -> int:
    if sys.platform == "linux":
        return _memory("VmHWM")
    if sys.platform == "win32":
        return 0  # nothing in the standard library knows it
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS, and never less than before


def _memory(name: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) << 10
    return 0
