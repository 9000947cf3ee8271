"""After a power failure, all that was called saved is there, and every file is whole or the one before.

As a program this file does what the window does to the disk: it saves edits and events, and writes settings,
a pack and a backup. ``strace`` records what it asks of the system. The test then is the disk: it cuts the
record anywhere, keeps what was brought to the disk by ``fsync``, and of everything else any part: sectors of
512 bytes in any order, and names of files up to any change. What is left is opened.
``QUIZWRITER_POWER_LOSSES`` says how many disks are tried, ``QUIZWRITER_SEED`` with which dice.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import Commented
from quizwriter.formats.archive import Pack
from quizwriter.services.wiring import App
from quizwriter.settings import Settings
from quizwriter.store.store import Store
from quizwriter.workflow.session import WritingSession

DISKS = int(os.environ.get("QUIZWRITER_POWER_LOSSES", "60"))
SEED = os.environ.get("QUIZWRITER_SEED", "1")
ROOT = Path(__file__).resolve().parents[2]
SECTOR = 512
SAVINGS = 60

CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink,mkdir,rmdir,lseek"
NAME = r'"((?:\\x[0-9a-f]{2})*)"'
CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+)(?:<(.*)>)?(?: .*)?")
FILE = re.compile(r"\d+<([^>]*)>")


def work(home: Path, *, deferred: bool) -> None:
    """Save, comment, write settings, a pack and a backup; say after each that it is done.

    With ``deferred``, as in a window: savings are brought to the disk later, and said to be done then.
    """
    waiting = list[str]()

    def done(what: str) -> None:
        waiting.append(what)
        if deferred and len(waiting) < 7:
            return
        if deferred:
            app.store.sync()
        os.write(1, "".join(f"{one}\n" for one in waiting).encode())
        waiting.clear()

    with App(home) as app:
        if deferred:
            app.store.serve_window(lambda: None)
        session = WritingSession("one")
        for number in range(SAVINGS):
            session.type(session.tossup.text + f"{number} ")
            app.store.save(session.take_unsaved())
            done(f"saved {number}")
            if number % 5 == 0:
                app.store.add_events([Event.new("one", 1, "", Commented(f"said {number}."))])
                done(f"said {number}")
            if number % 20 == 7:
                Settings(profile_name=f"name {number}").write(home / "mine.toml")
                done(f"named {number}")
            if number % 20 == 9:
                app.transfer.pack(home / "all.qwpack")
                done("packed 0")
            if number % 20 == 11:
                app.recovery.back_up(requested=True)
                done(f"copied {len(list((home / 'backups').iterdir()))}")


@dataclass
class Inode:
    """A file: what is on the disk for certain, and what was written since."""

    sure: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)  # None: cut there
    at: int = 0

    def sync(self) -> None:
        """Bring everything to the disk."""
        for at, data in self.pending:
            put(self.sure, at, data)
        self.pending.clear()

    def left(self, dice: random.Random) -> bytes:
        """What may be there after the power failed."""
        found = bytearray(self.sure)
        chance = dice.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        for at, data in self.pending:
            if data is None:
                if dice.random() < chance:
                    put(found, at, data)
                continue
            for start in range(0, len(data), SECTOR):
                if dice.random() < chance:
                    put(found, at + start, data[start : start + SECTOR])
        return bytes(found)


def put(content: bytearray, at: int, data: bytes | None) -> None:
    """Write ``data`` at ``at``; None: let the file end there."""
    if len(content) < at:
        content.extend(bytes(at - len(content)))
    if data is None:
        del content[at:]
    else:
        content[at : at + len(data)] = data


class Disk:
    """The disk under ``home``, to which recorded calls are made one after the other."""

    def __init__(self, home: Path, *, syncs: bool) -> None:
        self._home, self._syncs = str(home), syncs
        self._sure: dict[str, Inode] = {}
        self._now: dict[str, Inode] = {}
        self._changes: list[dict[str, Inode]] = []  # the names after each change that may be lost
        self.said: list[str] = []

    def make(self, call: str, arguments: str, result: int, opened: str | None) -> None:
        """Make one call."""
        strings = [unescaped(one) for one in re.findall(NAME, arguments)]
        named = FILE.match(arguments)
        path = unescaped(named[1]) if named else ""
        if call == "write" and arguments.startswith("1<"):
            self.said += strings[0].decode().split("\n")[:-1]
        elif call == "openat" and opened is not None:
            path = unescaped(opened).decode()
            if self._mine(path) and ("O_CREAT" in arguments or path in self._now):
                if path not in self._now:
                    self._change(self._now | {path: Inode()})
                inode = self._now[path]
                inode.at = 0
                if "O_TRUNC" in arguments:
                    inode.pending.append((0, None))
        elif call in ("rename", "unlink") and self._mine(strings[0].decode()):
            names = dict(self._now)
            inode = names.pop(strings[0].decode(), None)
            if call == "rename" and inode is not None:
                names[strings[1].decode()] = inode
            self._change(names)
        elif named and self._mine(name := path if isinstance(path, str) else path.decode()):
            self._write(call, name, arguments, strings, result)

    def _write(self, call: str, path: str, arguments: str, strings: list[bytes], result: int) -> None:
        if call in ("fsync", "fdatasync"):
            if not self._syncs:
                return
            if path in self._now:
                self._now[path].sync()
            else:  # a folder: its names are sure now
                self._sure, self._changes = dict(self._now), []
            return
        inode = self._now.get(path)
        if inode is None:
            return
        if call == "lseek":
            inode.at = result
        elif call == "ftruncate":
            inode.pending.append((int(arguments.rsplit(", ", 1)[1]), None))
        elif call == "pwrite64":
            inode.pending.append((int(arguments.rsplit(", ", 1)[1]), strings[0][:result]))
        elif call == "write":
            inode.pending.append((inode.at, strings[0][:result]))
            inode.at += result

    def _mine(self, path: str) -> bool:
        return path.startswith(self._home) and not path.endswith("-shm")

    def _change(self, names: dict[str, Inode]) -> None:
        self._now = names
        self._changes.append(names)

    def leave(self, to: Path, dice: random.Random) -> None:
        """Write to the folder ``to`` what may be on the disk after the power failed."""
        names = dice.choice([self._sure, *self._changes])
        for path, inode in names.items():
            place = to / Path(path).relative_to(self._home)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(inode.left(dice))
        to.mkdir(exist_ok=True)


def unescaped(text: str) -> bytes:
    """The bytes that strace shows as ``text``."""
    return bytes.fromhex(text.replace("\\x", "")) if "\\x" in text else text.encode()


@pytest.fixture(scope="module", params=["each saving", "deferred"])
def recorded(request, tmp_path_factory):
    """The folder in which the program worked, and its calls."""
    if shutil.which("strace") is None:
        pytest.skip("strace records what a program asks of the disk, and is not here.")
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "home").mkdir()
    with open(folder / "said", "wb") as said:
        done = subprocess.run(
            ["strace", "-y", "-xx", "-s", "10000000", "-e", f"trace={CALLS}", "-o", str(folder / "trace"),
             sys.executable, __file__, str(folder / "home"), request.param],
            stdout=said, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((os.environ.get("PYTHONPATH", ""), str(ROOT)))},
        )  # fmt: skip
    if done.returncode and "ptrace" in done.stderr.lower():
        pytest.skip(f"strace may not record here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    calls = []
    for line in (folder / "trace").read_text().splitlines():
        found = CALL.fullmatch(line)
        if found and int(found[3]) >= 0:
            calls.append((found[1], found[2], int(found[3]), found[4]))
    return folder / "home", calls


def number_of(said, what):
    """The number that was said last of ``what``; -1 if it was not."""
    return max((int(line.split()[1]) for line in said if line.startswith(what)), default=-1)


def failures(recorded, folder, count, *, syncs):
    """What was wrong on so many disks after a power failure."""
    home, calls = recorded
    dice = random.Random(f"{SEED} {syncs}")
    cuts = sorted(dice.randrange(len(calls) + 1) for _ in range(count))
    disk, done, wrong = Disk(home, syncs=syncs), 0, []
    for place, cut in enumerate(cuts):
        for call in calls[done:cut]:
            disk.make(*call)
        done = cut
        left = folder / str(place)
        disk.leave(left, dice)
        try:
            look_at(left, disk.said)
        except Exception as trouble:  # noqa: BLE001 - each is counted
            wrong.append(f"call {cut}: {trouble!r}")
        shutil.rmtree(left)
    return wrong


def look_at(left, said):
    """Open what is on the disk.

    Raises:
        Exception: something is damaged, or something is lost that was said to be done.
    """
    with closing(Store(left / "quizwriter.db")) as store:
        assert store.check() == ()
        saved = number_of(said, "saved")
        text = store.load("one").tossup.text if store.expand_branches() else ""
        texts = ["".join(f"{number} " for number in range(count)) for count in range(SAVINGS + 1)]
        assert text in texts[saved + 1 :], f"saving {saved} is lost"
        comments = str(store.events("one"))
        assert number_of(said, "said") == -1 or f"said {number_of(said, 'said')}." in comments
    settings = left / "mine.toml"
    named = number_of(said, "named")
    assert named == -1 or settings.exists()
    if settings.exists():
        name = tomllib.loads(settings.read_text())["profile_name"]
        assert int(name.split()[1]) >= named
    packed = left / "all.qwpack"
    assert number_of(said, "packed") == -1 or packed.exists()
    if packed.exists():
        assert len(list(Pack(packed).branches())) == 1
    backups = [one for one in left.glob("backups/*") if not one.name.startswith(".")]
    assert len(backups) >= number_of(said, "copied")
    for one in backups:
        with closing(Store(one)) as store:
            assert store.check() == ()


def test_whatever_the_disk_had_not_written_yet_nothing_is_lost_that_was_called_saved(recorded, tmp_path):
    assert len(recorded[1]) > 5 * SAVINGS
    assert failures(recorded, tmp_path, DISKS, syncs=True) == []


def test_on_a_disk_that_lies_the_same_test_finds_what_is_lost(recorded, tmp_path):
    assert len(failures(recorded, tmp_path, 20, syncs=False)) > 5


if __name__ == "__main__":
    work(Path(sys.argv[1]), deferred=sys.argv[2] == "deferred")
