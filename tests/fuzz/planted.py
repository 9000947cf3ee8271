"""Readers with planted faults, on which a test tries the fuzzer itself."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from quizwriter.errors import QuizwriterError
from tests.fuzz.target import Target


class Planted(Target):
    """Writes a number and calls ``fault`` with its file."""

    def __init__(self, name: str, fault: Callable[[Path], object]) -> None:
        self.name = name
        self._fault = fault

    def make(self, draw: random.Random, case: Path) -> None:
        (case / "number").write_text(str(draw.random()), encoding="ascii")

    def read(self, case: Path) -> None:
        self._fault(case / "number")


def _refuses(path: Path) -> None:
    raise QuizwriterError(f"{path.name} is not liked.", "Take another.")


def _waits(path: Path) -> None:
    os.mkfifo(path.with_name("fifo"))
    path.with_name("fifo").read_bytes()


def _swallows(path: Path) -> None:
    try:
        Path("/tmp/quizwriter-fuzzer-was-here").write_bytes(b"")
    except Exception:  # noqa: BLE001 - the fence must be stronger than this
        path.read_bytes()


def all_targets() -> list[Target]:
    """Two sound readers, and one of each fault."""
    return [
        Planted("reads", lambda path: path.read_bytes()),
        Planted("refuses", _refuses),
        Planted("raises", lambda path: {}[path.read_text()]),
        Planted("computes", lambda _: re.match(r"(a+)+$", "a" * 40 + "b")),
        Planted("waits", _waits),
        Planted("sleeps", lambda _: time.sleep(0.2)),
        Planted("eats", lambda _: len(bytearray(560 << 20))),
        Planted("eats all", lambda _: len(bytearray(1 << 40))),
        Planted("writes outside", lambda path: path.parents[1].joinpath("escaped").write_bytes(b"x")),
        Planted("swallows", _swallows),
        Planted("removes outside", lambda path: path.parents[1].joinpath("nothing").unlink(missing_ok=True)),
        Planted("reads outside", lambda _: Path.home().joinpath("secret").read_bytes()),
        Planted("starts a program", lambda _: subprocess.run([sys.executable, "-c", ""], check=False)),
        Planted("crashes", lambda _: os.abort()),
    ]
