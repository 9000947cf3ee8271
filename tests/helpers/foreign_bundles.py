"""Bundles that a stranger made: whole in every digest, wrong in their contents."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from quizwriter.domain.page import Page
from quizwriter.domain.past_questions import EVERY_QUESTION, QuestionFilter
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import MANIFEST
from quizwriter.engine.engine import load

STRANGE = (
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    2**70,
    1.5,
    -1e300,
    "",
    "a",
    "\0",
    "../..",
    "/etc/passwd",
    "😀" * 9,
)


def foreign_bundle(sound: Path, folder: Path, random: Random) -> str:
    """Copy the bundle ``sound`` to ``folder``, change something in it, and seal it; what changed."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    changes = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        if random.random() < 0.25:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            changes.append(_change_value(manifest, random))
            (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        else:
            path = random.choice(files)
            if path.exists():
                change = _change_array if path.suffix == ".npy" and random.random() < 0.85 else _change_bytes
                changes.append(f"{path.relative_to(folder)}: {change(path, random)}")
    seal(folder)
    return "; ".join(changes)


def use(folder: Path, page: str) -> None:
    """Load the bundle in ``folder``, and ask every player for all that the program asks for."""
    engine = load(folder)
    for text in (f"this novel and AA1 BB2 AA3 {page} cat dog 17", "", "zzz " * 30):
        tossup = Tossup(text, Answer("a", Page(page)))
        for player in engine.players:
            play = player.play(tossup)
            guesses = [guess for row in play.rows for guess in row]
            assert all(np.isfinite(guess.score) for guess in guesses)
            assert all(0 <= chance <= 1 for chance in play.chances)
            for guess in {guess.page for guess in guesses[:3]} | {Page(page)}:
                player.explain(tossup, guess)
                player.explain(tossup, guess, exact=True)
        engine.retrieval.query(tossup)
        list(engine.retrieval.similar_past_tossups(tossup))
    if engine.clue_finder is not None:
        engine.clue_finder.look_up(Tossup(f"This novel AA1 BB2 AA3 {page} cat dog.", Answer("a", Page(page))))
    library = engine.library
    if library is not None:
        for name in (page, "a"):
            library.questions_on(name), library.counts(name), library.answer_lines(name)
            library.clues_on(name, f"this novel and AA1 BB2 {page}")
        for words in ("AA1 BB2", '"AA1 BB2" tree', ""):
            for wanted in (
                EVERY_QUESTION,
                QuestionFilter(answer="a", category="a", first_year=1990, easiest=2),
            ):
                library.search(words, wanted)
    engine.retrieval.past_tossups()
    engine.pages.complete("a")


def seal(folder: Path) -> None:
    """Make the sizes and digests in the manifest fit the files again, as far as it is a manifest still."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    for name, entry in manifest["files"].items() if isinstance(manifest.get("files"), dict) else ():
        path = folder / name.replace("\0", "")
        if isinstance(entry, dict) and path.is_file() and path.is_relative_to(folder):
            raw = path.read_bytes()
            entry |= {"bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def _change_value(value: Any, random: Random) -> str:
    """Change one value somewhere in the dictionary or list ``value``."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return "nothing"
        key = random.choice(keys)
        if isinstance(value[key], dict | list) and value[key] and random.random() < 0.8:
            value = value[key]
            continue
        kind = random.randrange(4)
        if kind == 0:
            del value[key]
        elif kind == 1 and isinstance(value, dict):
            value[str(random.choice(STRANGE))] = value.pop(key)
        elif kind == 2:
            value[key] = random.choice(([], {}, [[]], {"a": {}}, [1], ["dan"] * 3))
        else:
            value[key] = random.choice(STRANGE)
        return f"{key} of the manifest, {kind}"


def _change_array(path: Path, random: Random) -> str:
    values = np.load(path, allow_pickle=False).copy()
    kind = random.randrange(9)
    flat = values.reshape(-1)
    extreme = [0, 1, -1, 127, 2**31 - 1, -(2**31), 1e38, -1e38, float("nan"), float("inf")]
    with np.errstate(all="ignore"):
        if kind == 0 and flat.size:
            for place in random.sample(range(flat.size), min(flat.size, random.choice((1, 3, flat.size)))):
                flat[place] = np.asarray(random.choice(extreme)).astype(values.dtype)
        elif kind == 1:
            values = values[: random.randrange(len(values) + 1)]
        elif kind == 2:
            values = np.concatenate([values, values[: random.randrange(len(values) + 1)]])
        elif kind == 3:
            values = values[::-1].copy()
        elif kind == 4:
            types = (
                np.int8,
                np.int64,
                np.uint64,
                np.float16,
                np.float64,
                ">i4",
                "U3",
                np.complex64,
                np.bool_,
            )
            values = values.astype(random.choice(types))
        elif kind == 5:
            values = values.reshape(random.choice([(-1,), (1, -1), (-1, 1), (1, 1, -1)]))
        elif kind == 6:
            values = np.zeros(random.choice([(0,), (0, 0), (1,), (1, 1), (), (3, 3, 3)]), values.dtype)
        elif kind == 7:
            values = np.asfortranarray(values.T)
        else:
            values = np.full_like(values, np.asarray(random.choice(extreme)).astype(values.dtype))
    np.save(path, values, allow_pickle=False)
    return f"array {kind}"


def _change_bytes(path: Path, random: Random) -> str:
    raw = bytearray(path.read_bytes())
    kind = random.randrange(6)
    if kind == 0:
        path.unlink()
    elif kind == 1:
        path.write_bytes(raw[: random.randrange(len(raw) + 1)])
    elif kind == 2:
        path.write_bytes(raw + bytes(random.randrange(256) for _ in range(random.randrange(1, 40))))
    elif kind == 3 and raw:
        for _ in range(random.randrange(1, 6)):
            raw[random.randrange(len(raw))] = random.randrange(256)
        path.write_bytes(raw)
    elif kind == 4:  # the header of an array, or the first lines
        head = (
            raw[:128].replace(b"(", random.choice((b"((", b"(-", b"(9999999999, ", b"["))).replace(b"<", b">")
        )
        path.write_bytes(head + raw[128:])
    else:
        lines = raw.split(b"\n")
        random.shuffle(lines)
        path.write_bytes(b"\n".join(lines[random.randrange(2) :]))
    return f"bytes {kind}"
