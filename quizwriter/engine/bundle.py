"""A bundle: the folder with everything the engine loads, and its manifest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
import numpy as np

from quizwriter.engine.name_table import Names
from quizwriter.engine.sentence_encoder import EncoderAbout
from quizwriter.engine.stored_arrays import (
    INDEX_ARRAYS,
    OFFSETS,
    PLAYER_ARRAYS,
    Array,
    ArrayKind,
    StoredArray,
    StoredBytes,
    StoredWeights,
    TextTable,
)
from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_text
from quizwriter.system.decoding import Count, DecodingError, decode_json, file_digest
from quizwriter.system.members import MemberName, member_folder, member_state, open_member, read_member

FORMAT = "quizwriter bundle"
SCHEMA = 3
"""Since 2 a bundle keeps the counts behind its points, so that packets can be added; since 3 also by which
weights they became points."""

MANIFEST = "manifest.json"
PLAYERS = "players"  # in the manifest, and the folder their weights are in
YOURS, INDEX, PACKETS = "yours", "index", "packets"
"""The folder in a bundle for packets added to it, and the one in that with their index.

The folder is no part of what was built, and stays when the bundle is built anew."""

LARGEST_MANIFEST = 1 << 24  # bytes; ours have a few thousand
LONGEST_LINE = 10_000  # characters of one line of a text file; ours are names of pages
MOST_LINES = 4_000_000
LARGEST_LIST = 64 << 20
"""The most lines of a text file, which take up to 60 bytes beside their letters, and its most bytes.

Ours have a tenth of both."""

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=1_000)]


class FileEntry(msgspec.Struct, frozen=True):
    """The size and the digest of a file, as the manifest has them."""

    bytes: Count
    sha256: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class TrainedPlayer(msgspec.Struct, frozen=True):
    """A trained player in the manifest: the folder of its weights, and the members of an ensemble.

    ``before`` is the player that it was before it learnt from added packets. ``encoder`` is the sentence
    encoder of a player that has one.
    """

    folder: MemberName
    members: tuple[_Name, ...] = ()
    encoder: EncoderAbout | None = None
    before: TrainedPlayer | None = None

    @property
    def folders(self) -> list[str]:
        return [self.folder, *([] if self.before is None else self.before.folders)]


class Manifest(msgspec.Struct, frozen=True):
    """What the program reads of the manifest of a bundle, or of the index of packets added to a bundle."""

    format: str
    schema: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    files: dict[MemberName, FileEntry]
    title: Annotated[str, msgspec.Meta(max_length=1_000)] = ""
    players: dict[_Name, TrainedPlayer] = {}
    of: str = ""  # in the index of added packets: the digest of its bundle
    packets: dict[_Name, str] = {}
    known: dict[_Name, Count] = {}

    def check(self) -> None:
        if self.format != FORMAT:
            raise DecodingError("format: another word is expected")
        folders = [folder for player in self.players.values() for folder in player.folders]
        if len({*folders}) < len(folders) or not all(map(_is_of_player, folders)):
            raise DecodingError(f"each player has a folder of its own in {PLAYERS}")


def _is_of_player(folder: str) -> bool:
    above, _, name = folder.partition("/")
    return above == PLAYERS and bool(name) and "/" not in name


class Bundle(msgspec.Struct, frozen=True):
    """An opened bundle, whose files are complete.

    ``about`` is what the manifest says beyond the files: title, what it was built from, settings.
    ``digest`` names the bundle's exact contents.
    """

    folder: Path
    digest: str
    about: Mapping[str, Any]
    manifest: Manifest

    @property
    def title(self) -> str:
        return self.manifest.title

    @property
    def files(self) -> Mapping[str, FileEntry]:
        return self.manifest.files

    @property
    def players(self) -> Mapping[str, TrainedPlayer]:
        return self.manifest.players

    @classmethod
    def open(cls, folder: Path, *, trusted: bool = False) -> Bundle:
        """The bundle in ``folder``, every file checked against its digest.

        One that is ``trusted`` was checked a moment ago: then only the files' sizes are looked at.
        """
        if not folder.exists() and (aside := _old(folder)).exists():  # a build was killed in its last step
            folder = aside
        try:
            raw = read_member(folder, MANIFEST, LARGEST_MANIFEST)
            manifest = decode_json(raw, Manifest)
            about = decode_json(raw, dict[str, Any])
            manifest.check()
        except FileNotFoundError:
            raise QuizwriterError(
                f"There is no bundle in {folder}.",
                "Choose the folder that holds a manifest.json, or build one with python -m index_builder.",
            ) from None
        except OSError as trouble:
            raise _unreadable(folder, trouble) from trouble
        except DecodingError as trouble:
            raise QuizwriterError(
                f"{folder / MANIFEST} is not the manifest of a QuizWriter bundle ({trouble}).",
                "Choose another folder, or build the bundle again.",
            ) from trouble
        if manifest.schema > SCHEMA:
            raise QuizwriterError(
                f"The bundle in {folder} is for a newer QuizWriter (its schema is {manifest.schema},"
                f" ours {SCHEMA}).",
                "Install a newer QuizWriter, or build the bundle again with this one.",
            )
        for name, entry in manifest.files.items():
            _check_file(folder, name, entry, trusted=trusted)
        return cls(folder, _digest(raw), about, manifest)

    @classmethod
    def digest_of(cls, folder: Path) -> str | None:
        """The digest of the bundle in ``folder``, its files unchecked; None if there is none."""
        try:
            return _digest(read_member(folder, MANIFEST, LARGEST_MANIFEST))
        except (OSError, DecodingError):
            return None

    def array(self, name: str) -> Array:
        """The NumPy array ``name``, read whole; it cannot be changed, and is never unpickled."""
        return self._read(name, self.stored(name))

    def stored(self, name: str, kind: ArrayKind | None = None) -> StoredArray:
        """The array ``name``, of which only the header was read."""
        with self.refusing(name):
            wanted = kind or INDEX_ARRAYS[name]
            with open_member(self.folder, self._known(name)) as file:
                return StoredArray(file, wanted)

    def player(self, name: str) -> tuple[StoredWeights, TrainedPlayer] | None:
        """The weights of a trained player and its description; None if the bundle has no such player.

        Arrays that no player of this version uses are left out.
        """
        about = self.players.get(name)
        if about is None:
            return None
        paths = {key: path for key in PLAYER_ARRAYS if (path := f"{about.folder}/{key}.npy") in self.files}
        stored = {key: self.stored(path, PLAYER_ARRAYS[key]) for key, path in paths.items()}
        return StoredWeights(stored, lambda key: self.refusing(paths[key])), about

    def lines(self, name: str) -> list[str]:
        with self.refusing(name):
            raw = self._whole(name)
            lines = raw.decode("utf-8").split("\n")[:-1]  # "\r" is part of a line
            if max(map(len, lines), default=0) > LONGEST_LINE:
                raise DecodingError(f"a line has more than {LONGEST_LINE:,} characters")
        return lines

    def names(self, name: str) -> Names:
        """The lines of the text file ``name``, which become objects only when they are asked for."""
        with self.refusing(name):
            names = Names(self._whole(name))
            # a character has a byte at least
            if names.longest > LONGEST_LINE and names.lengths().max() > LONGEST_LINE:
                raise DecodingError(f"a line has more than {LONGEST_LINE:,} characters")
        return names

    def texts(self, name: str) -> TextTable:
        """The texts that :meth:`BundleWriter.texts` wrote under ``name``; each is read when it is used."""
        raw, offsets = f"{name}.utf8", f"{name}.offsets.npy"
        places = self._read(offsets, self.stored(offsets, OFFSETS))
        with self.refusing(raw), open_member(self.folder, self._known(raw)) as file:
            stored = StoredBytes(file, 0, self.files[raw].bytes)
            return TextTable(stored, places, lambda trouble: self.changed(raw, trouble))

    @contextmanager
    def refusing(self, name: str) -> Iterator[None]:
        """A block that reads the file ``name``; what is wrong with its contents is said of this bundle."""
        try:
            yield
        except (DecodingError, UnicodeDecodeError, MemoryError) as trouble:
            reason = str(trouble) if isinstance(trouble, DecodingError) else "it is no text, or too large"
            raise QuizwriterError(
                f"The bundle in {self.folder} cannot be used, because {name} makes no sense: {reason}.",
                "Copy the bundle again from its source, or build it again.",
            ) from trouble
        except OSError as trouble:
            raise self.changed(name, trouble) from trouble

    def changed(self, name: str, trouble: Exception) -> QuizwriterError:
        """The error for a file that was sound when the bundle was opened."""
        reason = trouble.strerror if isinstance(trouble, OSError) else trouble
        if isinstance(trouble, UnicodeDecodeError):
            reason = "it has bytes that are no text"
        return QuizwriterError(
            f"The bundle in {self.folder} was changed while it was open: {name} cannot be read ({reason}).",
            "Open the bundle again. If it is refused, copy it again from its source, or build it again.",
        )

    def _read(self, name: str, stored: StoredArray) -> Array:
        with self.refusing(name):
            return stored.whole()

    def _whole(self, name: str) -> bytes:
        """The bytes of the text file ``name``, whose lines can be made objects."""
        size = self.files[self._known(name)].bytes
        raw = read_member(self.folder, name, min(size, LARGEST_LIST))
        if raw.count(b"\n") > MOST_LINES:
            raise DecodingError(f"it has more than {MOST_LINES:,} lines")
        return raw

    def _known(self, name: str) -> str:
        if name not in self.files:
            raise QuizwriterError(
                f"The bundle in {self.folder} has no {name}.",
                "Build it again with this version of QuizWriter.",
            )
        return name


def added_folder(folder: Path, *inside: str) -> Path:
    """The folder for added packets in the bundle at ``folder``, or the one below it that ``inside`` names.

    It need not be there.
    """
    try:
        return member_folder(folder, "/".join((YOURS, *inside)))
    except DecodingError as trouble:
        raise QuizwriterError(
            f"The packets added to the bundle in {folder} are not used, because {trouble}.",
            f"Remove {folder / YOURS}, and add the packets again.",
        ) from trouble


class BundleWriter:
    """Collects the files of a bundle that is not published yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def array(self, name: str, values: Array) -> None:
        """Keep ``values`` under ``name``."""
        np.save(self._path(name), values, allow_pickle=False)

    def file(self, name: str, raw: bytes) -> None:
        self._path(name).write_bytes(raw)

    def lines(self, name: str, lines: Iterator[str] | list[str]) -> None:
        """Keep ``lines``, none of which may hold a line feed, under ``name``."""
        with self._path(name).open("w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                if "\n" in line:
                    raise ValueError(f"a line feed in a line of {name}: {line!r}")
                file.write(f"{line}\n")

    def texts(self, name: str, texts: Iterator[str] | list[str]) -> None:
        """Keep ``texts`` under ``name``, each to be had by its number."""
        offsets = [0]
        with self._path(f"{name}.utf8").open("wb") as file:
            for text in texts:
                offsets.append(offsets[-1] + file.write(text.encode("utf-8")))
            if offsets[-1] == 0:
                file.write(b"\n")  # older versions cannot open an empty file
        self.array(f"{name}.offsets.npy", np.asarray(offsets, np.int64))

    def _path(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@contextmanager
def publishing(destination: Path, about: Mapping[str, Any]) -> Iterator[BundleWriter]:
    """Write a bundle beside ``destination`` and put it there once it is whole and opens.

    What was at ``destination`` stays until that moment; if anything fails, or the user stops it, it stays
    for good and the half-built bundle is removed. ``about`` may be filled until the block ends.
    """
    if destination.exists() and not (destination / MANIFEST).exists() and any_inside(destination):
        raise QuizwriterError(
            f"{destination} exists and is not a bundle.", "Name a new folder, or remove that one first."
        )
    destination = destination.resolve()
    half = destination.with_name(f".{destination.name}.building")
    old = _old(destination)
    try:
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        yield BundleWriter(half)
        manifest = {"format": FORMAT, "schema": SCHEMA, **about, "files": _inventory(half)}
        (half / MANIFEST).write_text(
            json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        Bundle.open(half, trusted=True)  # the digests were worked out a moment ago
        if (destination / YOURS).is_dir():
            shutil.copytree(destination / YOURS, half / YOURS, symlinks=True)  # nothing of another folder
        shutil.rmtree(old, ignore_errors=True)
        if destination.exists():
            destination.rename(old)
        half.rename(destination)
    except OSError as trouble:
        raise QuizwriterError(
            f"The bundle could not be written to {destination} ({trouble.strerror}).",
            "Free some disk space or allow writing there; whatever was there before is untouched.",
        ) from trouble
    finally:
        shutil.rmtree(half, ignore_errors=True)
        if old.exists() and not destination.exists():
            old.rename(destination)
        shutil.rmtree(old, ignore_errors=True)


def add_player(
    folder: Path,
    name: str,
    arrays: Mapping[str, Array],
    about: Mapping[str, Any],
    *,
    keep_before: bool = False,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> None:
    """Put the trained player ``name`` into the bundle at ``folder``, in place of one of that name.

    With ``keep_before``, :func:`restore_player` can put that one back. ``files`` are kept beside ``arrays``.

    The bundle is whole before and after, also if the computer stops in between.
    """
    opened = Bundle.open(folder)
    manifest = dict(opened.about)
    half = folder / f".{name}.adding"
    try:
        players = member_folder(folder, PLAYERS)
        shutil.rmtree(half, ignore_errors=True)
        writer = BundleWriter(half)
        for key, values in arrays.items():
            writer.array(f"{key}.npy", values)
        for key, raw in files.items():
            writer.file(key, raw)
        inventory = _inventory(half)
        digest = hashlib.sha256(json.dumps(inventory, sort_keys=True).encode()).hexdigest()[:12]
        inside = f"{PLAYERS}/{name}-{digest}"
        place = players / f"{name}-{digest}"
        entries = {f"{inside}/{key}": one for key, one in inventory.items()}
        if not entries.keys() <= manifest["files"].keys():
            shutil.rmtree(place, ignore_errors=True)
            players.mkdir(exist_ok=True)
            half.rename(place)
        before = opened.players[name].folders if name in opened.players else []
        gone = [one for one in before if one != inside and not keep_before]
        entry = {**about, "folder": inside}
        if keep_before and opened.players[name].folder != inside:
            entry["before"] = manifest[PLAYERS][name]
        manifest["files"] = {**_without(manifest["files"], gone), **entries}
        manifest[PLAYERS] = {**manifest.get(PLAYERS, {}), name: entry}
        _replace_manifest(folder, manifest)
        for one in gone:
            shutil.rmtree(folder / one, ignore_errors=True)  # stays, unused, while a window has it open
    except DecodingError as trouble:
        raise QuizwriterError(f"{_not_added_to(folder)}, because {trouble}.", _AS_BEFORE) from trouble
    except OSError as trouble:
        raise QuizwriterError(f"{_not_added_to(folder)} ({trouble.strerror}).", _AS_BEFORE) from trouble
    finally:
        shutil.rmtree(half, ignore_errors=True)


def restore_player(folder: Path, name: str) -> bool:
    """Put the player ``name`` back that :func:`add_player` kept; False if it kept none."""
    opened = Bundle.open(folder)
    player = opened.players.get(name)
    if player is None or player.before is None:
        return False
    manifest = dict(opened.about)
    manifest["files"] = _without(manifest["files"], [player.folder])
    manifest[PLAYERS] = {**manifest[PLAYERS], name: manifest[PLAYERS][name]["before"]}
    _replace_manifest(folder, manifest)
    shutil.rmtree(folder / player.folder, ignore_errors=True)  # stays, unused, while a window has it open
    return True


def _without(files: Mapping[str, Any], folders: list[str]) -> dict[str, Any]:
    return {key: entry for key, entry in files.items() if key.rpartition("/")[0] not in folders}


def amend(folder: Path, about: Mapping[str, Any]) -> None:
    _replace_manifest(folder, {**Bundle.open(folder).about, **about})


def _replace_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    with atomic_text(folder / MANIFEST, problem=_not_added_to(folder), remedy=_AS_BEFORE) as file:
        file.write(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


_AS_BEFORE = "Free some disk space or allow writing there; the bundle is as it was before."


def _not_added_to(folder: Path) -> str:
    return f"The bundle in {folder} could not be added to"


def _old(destination: Path) -> Path:
    """Where the bundle to be replaced stands for a moment."""
    return destination.with_name(f".{destination.name}.old")


def any_inside(folder: Path) -> bool:
    """Whether ``folder`` is a file or holds anything."""
    return not folder.is_dir() or next(folder.iterdir(), None) is not None


def _digest(manifest: bytes) -> str:
    return hashlib.sha256(manifest).hexdigest()[:16]


def _inventory(folder: Path) -> dict[str, dict[str, object]]:
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": file_digest(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _check_file(folder: Path, name: str, entry: FileEntry, *, trusted: bool) -> None:
    try:
        if trusted:
            with open_member(folder, name) as file:
                sound = os.fstat(file.fileno()).st_size == entry.bytes
        else:
            sound = member_state(folder, name) == (entry.bytes, entry.sha256)
    except (FileNotFoundError, DecodingError):
        sound = False
    except OSError as trouble:
        raise _unreadable(folder, trouble) from trouble
    if not sound:
        raise QuizwriterError(
            f"The bundle in {folder} is damaged: {name} is missing or not as it was built.",
            "Copy it again from its source, or build it again.",
        )


def _unreadable(folder: Path, trouble: OSError) -> QuizwriterError:
    return QuizwriterError(
        f"The bundle in {folder} cannot be read ({trouble.strerror}).",
        "Allow reading it, or choose another folder.",
    )
