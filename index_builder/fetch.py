"""Polite and stubborn HTTP: files that survive cut connections, and the waiting between tries."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import lzma
import re
import shutil
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Protocol

import httpx

from index_builder.catalogue import Source, megabytes
from quizwriter import __version__
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import unpacked

KEPT = "What has arrived is kept, and the next try goes on from there."
_CHUNK = 1 << 20
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


class Progress(Protocol):
    """Is told how far a fetch is."""

    def fetching(self, name: str, done: int, total: int | None, unit: str) -> None:
        """So many ``unit`` of ``name`` are here, of ``total`` (None: nobody knows)."""

    def waiting(self, why: str, seconds: float) -> None:
        """Nothing happens for ``seconds`` more, for the reason ``why``."""

    def note(self, sentence: str) -> None:
        """Something happened that its user should know."""


@dataclass(frozen=True)
class Manners:
    """How a server is treated; times in seconds."""

    tries: int = 6  # in a row that bring nothing new
    wait: float = 1.0  # after the first failure; doubled after each further one
    longest: float = 60.0  # wait of our own accord
    asked: float = 600.0  # longest wait that a server may ask for; one that wants more is left alone
    timeout: float = 30.0
    apart: float = 1.0  # from one question to the encyclopedia to the next


MANNERS = Manners()


class Failed(Exception):
    """A try that came to nothing and may be worth another, ``after`` so many seconds at the earliest."""

    def __init__(self, problem: str, remedy: str, after: float | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.after = after


class Tries:
    """Counts failures in a row, and waits longer after each."""

    def __init__(self, manners: Manners, progress: Progress) -> None:
        self._manners = manners
        self._progress = progress
        self._failed = 0

    def well(self) -> None:
        """Something new has arrived, so the count begins again."""
        self._failed = 0

    def wait(self, failed: Failed) -> None:
        """Wait as long as ``failed`` calls for.

        Raises:
            QuizwriterError: it has failed too often, or the server asks for more patience than we have.
        """
        manners = self._manners
        self._failed += 1
        if failed.after is not None and failed.after > manners.asked:
            minutes = round(failed.after / 60)
            raise QuizwriterError(
                f"{failed.problem} It asks to be left alone for {minutes} minutes.",
                f"Try again after that. {KEPT}",
            )
        if self._failed >= manners.tries:
            raise QuizwriterError(failed.problem, failed.remedy)
        own = min(manners.longest, manners.wait * 2 ** (self._failed - 1))
        until = time.monotonic() + max(own, failed.after or 0.0)
        while (left := until - time.monotonic()) > 0:
            self._progress.waiting(failed.problem, left)
            time.sleep(min(1.0, left))


@contextmanager
def client(manners: Manners, contact: str = "") -> Iterator[httpx.Client]:
    """An HTTP client that says who it is; ``contact`` is where its user can be reached."""
    about = f"desktop program for quizbowl writers{f'; {contact}' if contact else ''}"
    agent = f"QuizWriter/{__version__} ({about}) python-httpx/{httpx.__version__}"
    with httpx.Client(
        headers={"User-Agent": agent}, timeout=manners.timeout, follow_redirects=True
    ) as opened:
        yield opened


@contextmanager
def explained(host: str) -> Iterator[None]:
    """What goes wrong on the way to ``host``, as :class:`Failed`.

    Raises:
        QuizwriterError: ``host`` is no address.
    """
    try:
        yield
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as trouble:
        raise QuizwriterError(
            f"{host} is not an address on the internet.", "Name one that begins with https://."
        ) from trouble
    except httpx.TimeoutException as trouble:
        raise Failed(f"{host} does not answer.", f"Try again later. {KEPT}") from trouble
    except httpx.ConnectError as trouble:
        if "CERTIFICATE" in str(trouble):
            raise Failed(
                f"Nobody vouches that it is {host} that answers (its certificate cannot be checked).",
                "See that the clock is right, and that no login page or filter stands between this computer "
                "and the internet.",
            ) from trouble
        raise Failed(
            f"{host} cannot be reached.", f"See that this computer is online, then try again. {KEPT}"
        ) from trouble
    except httpx.DecodingError as trouble:
        raise Failed(f"What {host} sent is damaged.", f"Try again later. {KEPT}") from trouble
    except httpx.TooManyRedirects as trouble:
        raise Failed(f"{host} sends us round in circles.", f"Try again later. {KEPT}") from trouble
    except httpx.TransportError as trouble:
        raise Failed(f"{host} broke off the connection.", f"Try again later. {KEPT}") from trouble


def check(response: httpx.Response, remedy: str) -> None:
    """Return if ``response`` brings what was asked for; ``remedy`` helps where the address has nothing.

    Raises:
        Failed: the server is busy or broken, which may pass.
        QuizwriterError: it refuses.
    """
    status, host = response.status_code, response.url.host
    if status in (200, 206):
        return
    after = retry_after(response)
    if status == 429:
        raise Failed(f"{host} asks for fewer requests.", f"Try again later. {KEPT}", after)
    if status == 408 or status >= 500:
        raise Failed(f"{host} is out of order or too busy ({status}).", f"Try again later. {KEPT}", after)
    if status in (404, 410):
        raise QuizwriterError(f"{host} has no such file any more ({status}).", remedy)
    raise QuizwriterError(f"{host} refuses the request ({status}).", remedy)


def retry_after(response: httpx.Response) -> float | None:
    """How many seconds the server asks us to wait, which it may say as a number or as a date."""
    value = response.headers.get("Retry-After", "").strip()
    if value.isdecimal():
        return float(value)
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    try:  # by the server's clock, since ours may be wrong
        now = parsedate_to_datetime(response.headers.get("Date", ""))
    except ValueError:
        now = datetime.now(UTC)
    try:
        return max(0.0, (then - now).total_seconds())
    except TypeError:  # only one of them names its time zone
        return None


@contextmanager
def on_disk(folder: Path) -> Iterator[None]:
    """What the disk does wrong in ``folder``, as one sentence.

    Raises:
        QuizwriterError: the disk is full, or nothing may be written there.
    """
    try:
        yield
    except OSError as trouble:
        full = trouble.errno in (errno.ENOSPC, errno.EDQUOT)
        raise QuizwriterError(
            f"The disk with {folder} is full."
            if full
            else f"Nothing can be written to {folder} ({trouble.strerror}).",
            f"{'Make room' if full else 'Allow writing there'}, then try again. {KEPT}",
        ) from trouble


def need_room(folder: Path, needed: int, what: str) -> None:
    """Return if the disk has room for ``needed`` bytes in ``folder``.

    Raises:
        QuizwriterError: it has not.
    """
    with on_disk(folder):
        free = shutil.disk_usage(folder).free
    if free < needed:
        raise QuizwriterError(
            f"There is not enough room in {folder}: {what} needs {megabytes(needed)}, "
            f"and {megabytes(free)} are free.",
            "Make room, or choose a folder on another disk.",
        )


def keep_notice(source: Source, folder: Path) -> None:
    """Put the licence notice of ``source`` into ``folder``."""
    (folder / f"{source.file}.LICENSE.txt").write_text(source.notice, encoding="utf-8")


def fetch(
    source: Source, folder: Path, progress: Progress, *, mirror: str = "", manners: Manners = MANNERS
) -> Path:
    """The file of ``source`` in ``folder``, fetched if it is not there; its licence notice lies beside it.

    ``mirror`` is another address of the same contents or a file on this computer; either may be packed. A
    fetch that was cut off goes on where it ended. Without a known checksum, what arrives first is trusted,
    and expected from then on.

    Raises:
        QuizwriterError: it cannot be had, its checksum is wrong, or the disk does not take it.
    """
    path = folder / source.file
    record = folder / f"{source.file}.fetched.json"
    with on_disk(folder):
        folder.mkdir(parents=True, exist_ok=True)
        keep_notice(source, folder)
        expected = source.sha256 or _recorded(record)
        if expected and path.exists() and _digest(path) == expected:
            return path
    part = _Part(folder / f"{source.file}.part")
    local = Path(mirror)
    is_file = bool(mirror) and "://" not in mirror
    resumed = False
    while True:
        if is_file:
            _copy(local, part, progress)
        else:
            resumed = _download(mirror or source.address, source, part, progress, manners)
        with on_disk(folder):
            digest = _digest(part.path)
        if digest is not None and expected in (None, digest):
            break
        with on_disk(folder):
            part.drop()
        if resumed:  # its beginning may have been of another file
            progress.note("What had arrived did not fit together; it is fetched again from the beginning.")
            resumed = False
            continue
        whence = str(local) if is_file else httpx.URL(mirror or source.address).host
        raise QuizwriterError(
            f"What {whence} holds ends early, or is damaged."
            if digest is None
            else f"What {whence} holds is not {source.title}: its checksum is wrong.",
            "Nothing of it was used. Try again, or name another address or file (--mirror).",
        )
    with on_disk(folder):
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
            f"No checksum of {source.title} is known, so what arrived is trusted, and expected from now on: "
            f"{digest}."
        )
    return path


@dataclass
class _Known:
    """What the server said of the file whose beginning we have."""

    address: str
    validator: str  # an ETag or a date that changes with the file; empty if it gave none
    total: int | None


class _Part:
    """The beginning of a file, and beside it what is known of the whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._beside = path.with_name(f"{path.name}.json")

    @property
    def size(self) -> int:
        """Bytes that are here."""
        return self.path.stat().st_size if self.path.exists() else 0

    def known(self, address: str) -> _Known | None:
        """What is known of the whole, if this is the beginning of what ``address`` has."""
        try:
            about = json.loads(self._beside.read_bytes())
            known = _Known(str(about["address"]), str(about["validator"]), about["total"])
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return known if known.address == address and known.validator and self.size else None

    def begin(self, known: _Known) -> None:
        """Forget what is here; ``known`` is what comes."""
        self.drop()
        self._beside.write_text(json.dumps(asdict(known)), encoding="utf-8")

    def drop(self) -> None:
        """Remove what is here."""
        self.path.unlink(missing_ok=True)
        self._beside.unlink(missing_ok=True)


def _download(address: str, source: Source, part: _Part, progress: Progress, manners: Manners) -> bool:
    """Fill ``part`` from ``address``; whether some of it was there before."""
    tries = Tries(manners, progress)
    furthest = part.size
    resumed = part.known(address) is not None
    try:
        host = httpx.URL(address).host or address
    except httpx.InvalidURL:
        host = address
    with client(manners) as http:
        while True:
            try:
                with explained(host):
                    return _rest(http, address, source, part, progress) or resumed
            except Failed as failed:
                with on_disk(part.path.parent):
                    if part.size > furthest:
                        furthest = part.size
                        tries.well()
                tries.wait(failed)


def _rest(http: httpx.Client, address: str, source: Source, part: _Part, progress: Progress) -> bool:
    """Fetch what is missing of ``part``; whether anything was there and still holds."""
    folder = part.path.parent
    with on_disk(folder):
        known, start = part.known(address), part.size
    if known is not None and start == known.total:
        return True
    headers = {"Accept-Encoding": "identity"}  # ranges of a packed answer would be of another file
    if known is not None:
        headers |= {"Range": f"bytes={start}-", "If-Range": known.validator}
    with http.stream("GET", address, headers=headers) as response:
        host = response.url.host
        if response.status_code == 416:
            with on_disk(folder):
                part.drop()
            raise Failed(f"{host} no longer has what had begun to arrive.", "Try again.")
        check(response, "Name another address, or a file on this computer (--mirror).")
        if response.status_code == 206:
            found = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if (
                known is None
                or not found
                or int(found[1]) != start
                or not _same(known, response, int(found[2]))
            ):
                with on_disk(folder):
                    part.drop()
                raise Failed(f"The file on {host} has changed meanwhile.", "Try again.")
            total: int | None = int(found[2])
        else:
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() else None
            start = 0
            with on_disk(folder):
                part.begin(_Known(address, _validator(response), total))
        need_room(folder, (total or source.bytes or 0) - start, source.title)
        with on_disk(folder), part.path.open("ab") as file:
            done = start
            for chunk in response.iter_raw():  # a chunk size would hold back what came before a cut
                file.write(chunk)
                done += len(chunk)
                progress.fetching(source.title, done, total or source.bytes, "bytes")
    return start > 0


def _validator(response: httpx.Response) -> str:
    """What names this version of the file in a request for more of it; empty if nothing does."""
    etag: str = response.headers.get("ETag", "")
    if etag and not etag.startswith("W/"):  # a weak one does not promise the same bytes
        return etag
    return str(response.headers.get("Last-Modified", ""))


def _same(known: _Known, response: httpx.Response, total: int) -> bool:
    validator = _validator(response)
    return (not validator or validator == known.validator) and known.total in (None, total)


def _copy(local: Path, part: _Part, progress: Progress) -> None:
    """Fill ``part`` from a file on this computer."""
    try:
        size = local.stat().st_size
        file = local.open("rb")
    except OSError as trouble:
        raise QuizwriterError(
            f"{local} cannot be read ({trouble.strerror}).", "Check its name and that you may read it."
        ) from trouble
    folder = part.path.parent
    need_room(folder, size, local.name)
    with file, on_disk(folder):
        part.drop()
        with part.path.open("wb") as copy:
            while chunk := file.read(_CHUNK):
                copy.write(chunk)
                progress.fetching(local.name, copy.tell(), size, "bytes")


def _recorded(record: Path) -> str | None:
    """The checksum of what was fetched before, if it was."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads(record.read_bytes())["sha256"])
    return None


def _digest(path: Path) -> str | None:
    """The SHA-256 of the unpacked contents of ``path``; None if they end early or are damaged."""
    digest = hashlib.sha256()
    with path.open("rb") as raw, unpacked(raw) as stream:
        try:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        except (EOFError, lzma.LZMAError, zlib.error):
            return None
        except OSError as trouble:
            if trouble.errno is None:  # not the system: gzip and bz2 say so of damage
                return None
            raise
    return digest.hexdigest()
