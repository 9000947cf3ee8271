"""A bundle: the folder with everything the engine loads, and its manifest."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from quizwriter.atomic import atomic_text
from quizwriter.errors import QuizwriterError

FORMAT = "quizwriter bundle"
SCHEMA = 3
"""Since 2 a bundle keeps the counts behind its points, so that packets can be added; since 3 also by which
weights they became points."""

MANIFEST = "manifest.json"
PLAYERS = "players"  # in the manifest, and the folder their weights are in
YOURS, INDEX = "yours", "index"
"""The folder in a bundle for packets added to it, and the one in that with their index.

The folder is no part of what was built, and stays when the bundle is built anew."""

LARGEST_MANIFEST = 1 << 24  # bytes; ours have a few thousand
_FOREIGN = frozenset("\\:\0")  # in no name of ours; the first two lead out of a folder on Windows


@dataclass(frozen=True)
class Bundle:
    """An opened bundle, whose files are complete.

    ``about`` is what the manifest says beyond the files: title, what it was built from, settings.
    ``digest`` names the bundle's exact contents.
    """

    folder: Path
    digest: str
    about: Mapping[str, Any]

    @classmethod
    def open(cls, folder: Path, *, trusted: bool = False) -> Bundle:
        """The bundle in ``folder``, every file checked against its digest.

        One that is ``trusted`` was checked a moment ago: then only the files' sizes are looked at.

        Raises:
            QuizwriterError: there is no bundle, it is damaged, or a newer program wrote it.
        """
        if not folder.exists() and (aside := _old(folder)).exists():  # a build was killed in its last step
            folder = aside
        path = folder / MANIFEST
        try:
            with path.open("rb") as file:
                raw = file.read(LARGEST_MANIFEST + 1)
        except FileNotFoundError:
            raise QuizwriterError(
                f"There is no bundle in {folder}.",
                "Choose the folder that holds a manifest.json, or build one with python -m index_builder.",
            ) from None
        except OSError as trouble:
            raise _unreadable(folder, trouble) from trouble
        try:
            if len(raw) > LARGEST_MANIFEST:
                raise ValueError
            manifest = json.loads(raw)
            form, schema, files = manifest["format"], manifest["schema"], manifest["files"]
            if form != FORMAT or not isinstance(schema, int) or schema < 1:
                raise ValueError
            expected = {name: (int(entry["bytes"]), str(entry["sha256"])) for name, entry in files.items()}
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise QuizwriterError(
                f"{path} is not the manifest of a QuizWriter bundle.",
                "Choose another folder, or build the bundle again.",
            ) from None
        if schema > SCHEMA:
            raise QuizwriterError(
                f"The bundle in {folder} is for a newer QuizWriter (its schema is {schema}, ours {SCHEMA}).",
                "Install a newer QuizWriter, or build the bundle again with this one.",
            )
        for name, (size, digest) in expected.items():
            _check_file(folder, name, size, None if trusted else digest)
        return cls(folder, _digest(raw), manifest)

    @classmethod
    def digest_of(cls, folder: Path) -> str | None:
        """The digest of the bundle in ``folder``, its files unchecked; None if there is none."""
        try:
            return _digest((folder / MANIFEST).read_bytes())
        except OSError:
            return None

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """The NumPy array ``name``, memory-mapped and read-only; never unpickled."""
        # as a plain array: slicing numpy.memmap itself costs more than most slices hold
        return np.asarray(np.load(self._path(name), mmap_mode="r", allow_pickle=False))

    def player(self, name: str) -> tuple[dict[str, np.ndarray[Any, Any]], Mapping[str, Any]] | None:
        """The arrays of a trained player and its description; None if the bundle has no such player."""
        about = self.about.get(PLAYERS, {}).get(name)
        if about is None:
            return None
        folder = f"{about['folder']}/"
        names = [file for file in self.about["files"] if file.startswith(folder)]
        return {file.removeprefix(folder).removesuffix(".npy"): self.array(file) for file in names}, about

    def lines(self, name: str) -> list[str]:
        """The lines of the text file ``name``."""
        return self._path(name).read_bytes().decode("utf-8").split("\n")[:-1]  # "\r" is part of a line

    def texts(self, name: str) -> TextTable:
        """The texts that :meth:`BundleWriter.texts` wrote under ``name``; each is read when it is used."""
        raw = np.asarray(np.memmap(self._path(f"{name}.utf8"), mode="r"))  # plain, as above
        return TextTable(raw, self.array(f"{name}.offsets.npy"))

    def _path(self, name: str) -> Path:
        if name not in self.about["files"]:
            raise QuizwriterError(
                f"The bundle in {self.folder} has no {name}.",
                "Build it again with this version of QuizWriter.",
            )
        return self.folder / name


class TextTable:
    """A list of texts on disk; one costs the disk pages it lies on."""

    def __init__(self, raw: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any]) -> None:
        self._raw = raw
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, index: int) -> str:
        if not 0 <= index < len(self):
            raise IndexError(index)
        start, end = self._offsets[index : index + 2]
        return bytes(self._raw[start:end]).decode("utf-8")


class BundleWriter:
    """Collects the files of a bundle that is not published yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def array(self, name: str, values: np.ndarray[Any, Any]) -> None:
        """Keep ``values`` under ``name``."""
        np.save(self._path(name), values, allow_pickle=False)

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
                file.write(b"\n")  # an empty file cannot be memory-mapped
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

    Raises:
        QuizwriterError: something other than a bundle is in the way, or the disk does not take it.
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
        Bundle.open(half)
        if (destination / YOURS).is_dir():
            shutil.copytree(destination / YOURS, half / YOURS)
        shutil.rmtree(old, ignore_errors=True)
        if destination.exists():
            destination.rename(old)
        half.rename(destination)
    except OSError as trouble:
        raise QuizwriterError(
            f"The bundle could not be written to {destination} ({trouble.strerror}).",
            "Make room or allow writing there; whatever was there before is untouched.",
        ) from trouble
    finally:
        shutil.rmtree(half, ignore_errors=True)
        if old.exists() and not destination.exists():
            old.rename(destination)
        shutil.rmtree(old, ignore_errors=True)


def add_player(
    folder: Path, name: str, arrays: Mapping[str, np.ndarray[Any, Any]], about: Mapping[str, Any]
) -> None:
    """Put the trained player ``name`` into the bundle at ``folder``, in place of one of that name.

    The bundle is whole before and after, also if the computer stops in between.

    Raises:
        QuizwriterError: there is no bundle, or the disk does not take it.
    """
    manifest = _manifest(folder)
    half = folder / f".{name}.adding"
    try:
        shutil.rmtree(half, ignore_errors=True)
        writer = BundleWriter(half)
        for key, values in arrays.items():
            writer.array(f"{key}.npy", values)
        digest = hashlib.sha256(json.dumps(_inventory(half), sort_keys=True).encode()).hexdigest()[:12]
        inside = f"{PLAYERS}/{name}-{digest}"
        place = folder / inside
        files = {f"{inside}/{key}": entry for key, entry in _inventory(half).items()}
        if not files.keys() <= manifest["files"].keys():
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(exist_ok=True)
            half.rename(place)
        before = manifest.get(PLAYERS, {}).get(name, {}).get("folder", inside)
        kept = {key: entry for key, entry in manifest["files"].items() if not key.startswith(f"{before}/")}
        manifest["files"] = {**kept, **files}
        manifest[PLAYERS] = {**manifest.get(PLAYERS, {}), name: {**about, "folder": inside}}
        _replace_manifest(folder, manifest)
        if before != inside:
            shutil.rmtree(folder / before, ignore_errors=True)  # stays, unused, while a window has it open
    except OSError as trouble:
        raise QuizwriterError(f"{_not_added_to(folder)} ({trouble.strerror}).", _AS_BEFORE) from trouble
    finally:
        shutil.rmtree(half, ignore_errors=True)


def amend(folder: Path, about: Mapping[str, Any]) -> None:
    """Add ``about`` to the manifest of the bundle at ``folder``.

    Raises:
        QuizwriterError: there is no bundle, or the disk does not take it.
    """
    manifest = _manifest(folder)
    _replace_manifest(folder, {**manifest, **about})


def _manifest(folder: Path) -> dict[str, Any]:
    return dict(Bundle.open(folder).about)


def _replace_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    with atomic_text(folder / MANIFEST, problem=_not_added_to(folder), remedy=_AS_BEFORE) as file:
        file.write(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


_AS_BEFORE = "Make room or allow writing there; the bundle is as it was before."


def _not_added_to(folder: Path) -> str:
    return f"The bundle in {folder} could not be added to"


def _old(destination: Path) -> Path:
    """Where the bundle to be replaced stands for a moment."""
    return destination.with_name(f".{destination.name}.old")


def any_inside(folder: Path) -> bool:
    """Whether ``folder`` is a file or holds anything."""
    return not folder.is_dir() or next(folder.iterdir(), None) is not None


def sha256_of(path: Path) -> str:
    """The digest of a file's bytes, as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(manifest: bytes) -> str:
    return hashlib.sha256(manifest).hexdigest()[:16]


def _inventory(folder: Path) -> dict[str, dict[str, object]]:
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _check_file(folder: Path, name: str, size: int, digest: str | None) -> None:
    inside = PurePosixPath(name)
    if inside.is_absolute() or ".." in inside.parts or not _FOREIGN.isdisjoint(name):
        raise QuizwriterError(
            f"The bundle in {folder} names a file outside itself ({name}).", "Do not use it; build it again."
        )
    try:
        sound = (folder / name).stat().st_size == size and (
            digest is None or sha256_of(folder / name) == digest
        )
    except FileNotFoundError:
        sound = False
    except OSError as trouble:
        raise _unreadable(folder, trouble) from trouble
    if not sound:
        raise QuizwriterError(
            f"The bundle in {folder} is damaged: {name} is missing or not as it was built.",
            "Copy it again from where it came, or build it again.",
        )


def _unreadable(folder: Path, trouble: OSError) -> QuizwriterError:
    return QuizwriterError(
        f"The bundle in {folder} cannot be read ({trouble.strerror}).",
        "Allow reading it, or choose another folder.",
    )
