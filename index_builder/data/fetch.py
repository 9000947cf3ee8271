"""Files over HTTP: downloads that go on after a cut connection, and the waits between tries."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Annotated

import httpx
import msgspec
from msgspec.structs import asdict

from index_builder.data.catalogue import DataSource, megabytes
from index_builder.progress import Progress
from quizwriter import __version__
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.system.decoding import (
    Count,
    DecodingError,
    decode_json,
    decode_small_json,
    read_limited,
    translate_unpacking_errors,
    unpacked,
)
from quizwriter.system.http_limits import AnswerTooLargeError, ForeignRedirectError, LimitedClient
from quizwriter.system.tls_faults import tls_fault

RESUME_HINT = "What has arrived is kept, and the next try continues from there."
_CHUNK = 1 << 20
LARGEST_RECORD = 1 << 16
"""Bytes of a record beside a fetched file; ours have a few hundred."""

LARGEST_FILE = 1 << 34
"""Bytes of a fetched file whose size is not known; the largest files that people index have some billions."""

_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18})")
_LENGTH = re.compile(r"[0-9]{1,18}")
_HeaderValue = Annotated[str, msgspec.Meta(pattern=r"\A[ -~]{0,1000}\Z")]


class RetryPolicy(msgspec.Struct, frozen=True):
    """How a server is treated; times in seconds. ``clock`` and ``sleep`` tell the time and wait."""

    tries: int = 6  # in a row that bring nothing new
    first_wait: float = 1.0  # after the first failure; doubled after each further one
    longest_wait: float = 60.0  # of our own accord
    longest_asked: float = 600.0  # that a server may ask for; one that asks for more is left alone
    timeout: float = 30.0  # for a connection, for the beginning of an answer, and for each part of it
    answer: float = 120.0  # for a whole answer of the encyclopedia
    slowest: int = 1 << 16  # bytes that a file has to bring within each ``timeout``
    interval: float = 1.0  # from one request to the encyclopedia to the next
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


DEFAULT_POLICY = RetryPolicy()


class TransientFailure(Exception):
    """A failed try that may succeed later, ``after`` so many seconds at the earliest."""

    def __init__(self, problem: str, remedy: str, after: float | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.after = after


class RetryState:
    """Counts failures in a row, and waits longer after each."""

    def __init__(self, policy: RetryPolicy, progress: Progress) -> None:
        self._policy = policy
        self._progress = progress
        self._failed = 0

    def succeeded(self) -> None:
        """Begin to count anew: something new has arrived."""
        self._failed = 0

    def wait(self, failure: TransientFailure) -> None:
        """Wait as long as ``failure`` calls for."""
        policy = self._policy
        self._failed += 1
        if failure.after is not None and failure.after > policy.longest_asked:
            minutes = round(failure.after / 60)
            raise QuizwriterError(
                f"{failure.problem} It asks to be left alone for {minutes} minutes.",
                f"Try again after that. {RESUME_HINT}",
            )
        if self._failed >= policy.tries:
            raise QuizwriterError(failure.problem, failure.remedy)
        own = min(policy.longest_wait, policy.first_wait * 2 ** (self._failed - 1))
        until = policy.clock() + max(own, failure.after or 0.0)
        while (left := until - policy.clock()) > 0:
            self._progress.waiting(failure.problem, left)
            policy.sleep(min(1.0, left))


def http_client(policy: RetryPolicy, contact: str = "") -> LimitedClient:
    """An HTTP client that names this program; ``contact`` says where its user can be reached."""
    about = f"desktop program for quizbowl writers{f'; {contact}' if contact else ''}"
    agent = f"QuizWriter/{__version__} ({about}) python-httpx/{httpx.__version__}"
    return LimitedClient(timeout_s=policy.timeout, headers={"User-Agent": agent})


@contextmanager
def translate_http_errors(host: str) -> Iterator[None]:
    """Raise what goes wrong on the way to ``host`` as :class:`TransientFailure`."""
    try:
        yield
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as trouble:
        raise QuizwriterError(
            f"{host} is not an address on the internet.", "Name one that begins with https://."
        ) from trouble
    except ForeignRedirectError as trouble:
        raise QuizwriterError(
            f"{host} sends QuizWriter to another address ({trouble.address}).",
            "Nothing was fetched from there. If you trust that address, name it yourself (--mirror).",
        ) from trouble
    except AnswerTooLargeError as trouble:
        raise QuizwriterError(
            f"{host} sends more than it has been asked for.", "Nothing of it was kept. Try again later."
        ) from trouble
    except httpx.TimeoutException as trouble:
        raise TransientFailure(f"{host} does not answer.", f"Try again later. {RESUME_HINT}") from trouble
    except httpx.DecodingError as trouble:
        raise TransientFailure(
            f"What {host} sent is damaged.", f"Try again later. {RESUME_HINT}"
        ) from trouble
    except httpx.TooManyRedirects as trouble:
        raise TransientFailure(
            f"{host} redirects in a circle.", f"Try again later. {RESUME_HINT}"
        ) from trouble
    except httpx.TransportError as trouble:
        if (fault := tls_fault(trouble, host)) is not None:
            raise TransientFailure(
                fault.problem,
                "Check that the clock is right, and that no login page or filter is between this computer "
                "and the internet.",
            ) from trouble
        if isinstance(trouble, httpx.ConnectError):
            raise TransientFailure(
                f"{host} cannot be reached.",
                f"Check that this computer is online, then try again. {RESUME_HINT}",
            ) from trouble
        raise TransientFailure(
            f"{host} broke off the connection.", f"Try again later. {RESUME_HINT}"
        ) from trouble


def check_response(response: httpx.Response, remedy: str) -> None:
    """Return if ``response`` brings the file; ``remedy`` says what to do if the server does not have it.

    Raises:
        TransientFailure: the server is busy or broken, which may pass.
    """
    status, host = response.status_code, response.url.host
    if status in (200, 206):
        return
    after = retry_after(response)
    if status == 429:
        raise TransientFailure(f"{host} asks for fewer requests.", f"Try again later. {RESUME_HINT}", after)
    if status == 408 or status >= 500:
        raise TransientFailure(
            f"{host} is out of order or too busy ({status}).", f"Try again later. {RESUME_HINT}", after
        )
    if status in (404, 410):
        raise QuizwriterError(f"{host} has no such file any more ({status}).", remedy)
    raise QuizwriterError(f"{host} refuses the request ({status}).", remedy)


def retry_after(response: httpx.Response) -> float | None:
    """How many seconds the server asks us to wait, which it may say as a number or as a date."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value[:9])  # thirty years; more is no number that anybody waits for
    try:
        then = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    try:  # by the server's clock, since ours may be wrong
        now = parsedate_to_datetime(response.headers.get("Date", ""))
    except (ValueError, TypeError, OverflowError):
        now = datetime.now(UTC)
    try:
        return max(0.0, (then - now).total_seconds())
    except (TypeError, OverflowError):  # only one of them names its time zone
        return None


@contextmanager
def translate_disk_errors(folder: Path) -> Iterator[None]:
    """Raise an error of the disk in ``folder`` as one sentence."""
    try:
        yield
    except OSError as trouble:
        full = trouble.errno in (errno.ENOSPC, errno.EDQUOT)
        raise QuizwriterError(
            f"The disk with {folder} is full."
            if full
            else f"Nothing can be written to {folder} ({trouble.strerror}).",
            f"{'Free some disk space' if full else 'Allow writing there'}, then try again. {RESUME_HINT}",
        ) from trouble


def require_disk_space(folder: Path, needed: int, what: str) -> None:
    """Return if the disk has room for ``needed`` bytes in ``folder``."""
    with translate_disk_errors(folder):
        free = shutil.disk_usage(folder).free
    if free < needed:
        raise QuizwriterError(
            f"There is not enough room in {folder}: {what} needs {megabytes(needed)}, "
            f"and {megabytes(free)} are free.",
            "Free some disk space, or choose a folder on another disk.",
        )


def write_licence_notice(source: DataSource, folder: Path) -> None:
    (folder / f"{source.file}.LICENSE.txt").write_text(source.notice, encoding="utf-8")


def fetch_file(
    source: DataSource,
    folder: Path,
    progress: Progress,
    *,
    mirror: str = "",
    policy: RetryPolicy = DEFAULT_POLICY,
) -> Path:
    """The file of ``source`` in ``folder``, fetched if it is not there; its licence notice lies beside it.

    ``mirror`` is another address of the same contents or a file on this computer; either may be packed. A
    fetch that was cut off goes on where it ended. Without a known checksum the first contents are trusted,
    and expected from then on.
    """
    path = folder / source.file
    record = folder / f"{source.file}.fetched.json"
    with translate_disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_licence_notice(source, folder)
        expected = source.sha256 or _recorded(record)
        if expected and path.exists() and _digest(path) == expected:
            return path
    part = _PartialFile(folder / f"{source.file}.part")
    local = Path(mirror)
    is_file = bool(mirror) and "://" not in mirror
    resumed = False
    while True:
        if is_file:
            _copy(local, part, progress)
        else:
            resumed = _download(mirror or source.address, source, part, progress, policy)
        with translate_disk_errors(folder):
            digest = _digest(part.path)
        if digest is not None and expected in (None, digest):
            break
        with translate_disk_errors(folder):
            part.drop()
        if resumed:  # its beginning may have been of another file
            progress.note(
                "The parts that had arrived were of different files; all is fetched again from the beginning."
            )
            resumed = False
            continue
        whence = str(local) if is_file else httpx.URL(mirror or source.address).host
        raise QuizwriterError(
            f"The file on {whence} ends early, or is damaged."
            if digest is None
            else f"The file on {whence} is not {source.title}: its checksum is wrong.",
            "The file was not used. Try again, or name another address or file (--mirror).",
        )
    with translate_disk_errors(folder):
        size = part.path.stat().st_size
        part.path.replace(path)
        part.drop()
        about = {
            "address": mirror or source.address,
            "bytes": size,
            "sha256": digest,
            "fetched": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        record.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    if expected is None:
        progress.note(
            f"No checksum of {source.title} is known. The file that arrived is trusted, and its checksum is "
            f"expected from now on: {digest}."
        )
    return path


class _FileVersion(msgspec.Struct, frozen=True):
    """The version of a file on a server; ``total`` counts its bytes, None where the server does not say."""

    address: str
    validator: _HeaderValue  # an ETag or a date that changes with the file; empty if the server gave neither
    total: Count | None


class _Fetched(msgspec.Struct, frozen=True):
    """What is needed of the record beside a file that was fetched before."""

    sha256: str


class _PartialFile:
    """The beginning of a file on disk, and beside it which version of the file it is the beginning of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._beside = path.with_name(f"{path.name}.json")

    @property
    def size(self) -> int:
        """The number of bytes that have arrived."""
        return self.path.stat().st_size if self.path.exists() else 0

    def version_from(self, address: str) -> _FileVersion | None:
        """The version of the whole file, if this is the beginning of the file at ``address``."""
        try:
            found = decode_small_json(read_limited(self._beside, LARGEST_RECORD), _FileVersion)
        except (OSError, DecodingError):
            return None
        return found if found.address == address and found.validator and self.size else None

    def begin(self, version: _FileVersion) -> None:
        """Remove what has arrived; a file of this ``version`` comes now."""
        self.drop()
        self._beside.write_text(json.dumps(asdict(version)), encoding="utf-8")

    def drop(self) -> None:
        """Remove what has arrived."""
        self.path.unlink(missing_ok=True)
        self._beside.unlink(missing_ok=True)


def _download(
    address: str, source: DataSource, part: _PartialFile, progress: Progress, policy: RetryPolicy
) -> bool:
    """Fill ``part`` from ``address``; whether some of it had arrived in an earlier run."""
    tries = RetryState(policy, progress)
    furthest = part.size
    resumed = part.version_from(address) is not None
    try:
        host = httpx.URL(address).host or address
    except httpx.InvalidURL:
        host = address
    with http_client(policy) as http:
        while True:
            try:
                with translate_http_errors(host):
                    return _fetch_rest(http, address, source, part, progress, policy) or resumed
            except TransientFailure as failure:
                with translate_disk_errors(part.path.parent):
                    if part.size > furthest:
                        furthest = part.size
                        tries.succeeded()
                tries.wait(failure)


def _fetch_rest(
    http: LimitedClient,
    address: str,
    source: DataSource,
    part: _PartialFile,
    progress: Progress,
    policy: RetryPolicy,
) -> bool:
    """Fetch what is missing of ``part``; whether its beginning was there before and is still valid."""
    folder = part.path.parent
    with translate_disk_errors(folder):
        version, start = part.version_from(address), part.size
    if version is not None and start == version.total:
        return True
    headers = {"Accept-Encoding": "identity"}  # ranges of a packed answer would be of another file
    if version is not None:
        headers |= {"Range": f"bytes={start}-", "If-Range": version.validator}
    seconds = 2 * policy.timeout
    with http.stream("GET", address, seconds=seconds, whole=False, headers=headers) as response:
        host = response.url.host
        if response.status_code == 416:
            with translate_disk_errors(folder):
                part.drop()
            raise TransientFailure(f"{host} no longer has the file that had begun to arrive.", "Try again.")
        check_response(response, "Name another address, or a file on this computer (--mirror).")
        if response.status_code == 206:
            found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if (
                version is None
                or not found
                or int(found[1]) != start
                or not _is_of(version, response, int(found[2]))
            ):
                with translate_disk_errors(folder):
                    part.drop()
                raise TransientFailure(f"The file on {host} has changed meanwhile.", "Try again.")
            total: int | None = int(found[2])
        else:
            length = response.headers.get("Content-Length", "")
            total = int(length) if _LENGTH.fullmatch(length) else None
            start = 0
            with translate_disk_errors(folder):
                part.begin(_FileVersion(address, _validator(response), total))
        require_disk_space(folder, (total or source.bytes or 0) - start, source.title)
        with translate_disk_errors(folder), part.path.open("ab") as file:
            done = start
            most = LARGEST_FILE if source.bytes is None else max(2 * source.bytes, source.bytes + _CHUNK)
            pace = _Pace(policy)
            for chunk in response.iter_raw():  # a chunk size would hold back what came before a cut
                done += len(chunk)
                if done > most:
                    file.close()
                    part.drop()
                    raise AnswerTooLargeError(f"more than {most:,} bytes")
                file.write(chunk)
                pace.keep_up(host, done - start)
                progress.fetching(source.title, done, total or source.bytes, "bytes")
    return start > 0


class _Pace:
    """How quickly a file comes."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._since, self._before = policy.clock(), 0

    def keep_up(self, host: str, done: int) -> None:
        """Return if the file of ``host``, of which ``done`` bytes have come, comes quickly enough."""
        now = self._policy.clock()
        if now - self._since < self._policy.timeout:
            return
        if done - self._before < self._policy.slowest:
            raise QuizwriterError(
                f"{host} sends too slowly: {done - self._before:,} bytes in {now - self._since:.0f} seconds.",
                f"Try again later, or name another address (--mirror). {RESUME_HINT}",
            )
        self._since, self._before = now, done


def _validator(response: httpx.Response) -> str:
    """What names this version of the file in a request for more of it; empty if nothing does."""
    for name in ("ETag", "Last-Modified"):
        value = str(response.headers.get(name, ""))
        # a weak ETag does not promise the same bytes; what is no plain text cannot be sent back
        if value and not value.startswith("W/") and value.isascii() and value.isprintable():
            return value
    return ""


def _is_of(version: _FileVersion, response: httpx.Response, total: int) -> bool:
    """Whether ``response``, a part of a file of ``total`` bytes, is a part of this ``version`` of it."""
    validator = _validator(response)
    return (not validator or validator == version.validator) and version.total in (None, total)


def _copy(local: Path, part: _PartialFile, progress: Progress) -> None:
    """Fill ``part`` from a file on this computer."""
    with translate_reading_errors(local):
        size = local.stat().st_size
        file = local.open("rb")
    folder = part.path.parent
    require_disk_space(folder, size, local.name)
    with file, translate_disk_errors(folder):
        part.drop()
        with part.path.open("wb") as copy:
            while chunk := file.read(_CHUNK):
                copy.write(chunk)
                progress.fetching(local.name, copy.tell(), size, "bytes")


def _recorded(record: Path) -> str | None:
    """The checksum of the file that was fetched before; None if there was no such file."""
    with contextlib.suppress(OSError, DecodingError):
        return decode_json(read_limited(record, LARGEST_RECORD), _Fetched).sha256
    return None


def _digest(path: Path) -> str | None:
    """The SHA-256 of the unpacked contents of ``path``; None if they end early or are damaged."""
    digest = hashlib.sha256()
    with path.open("rb") as raw, unpacked(raw) as stream:
        try:
            with translate_unpacking_errors():
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
        except DecodingError:
            return None
    return digest.hexdigest()
