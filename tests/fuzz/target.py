"""A target of the fuzzer: a reader of foreign files, with seeds and mutations that suit it."""

from __future__ import annotations

import lzma
import random
import tarfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quizwriter.errors import QuizwriterError

REPOSITORY = Path(__file__).parents[2]
DATA = REPOSITORY / "tests" / "data"


class Target(ABC):
    """A reader of foreign files. A worker has one object of each target that it runs."""

    name: str
    """What the table calls the target."""

    def prepare(self, folder: Path) -> None:  # noqa: B027 - many targets need nothing
        """Make the seeds, once for each worker; ``folder`` stays until the worker ends."""

    @abstractmethod
    def make(self, draw: random.Random, case: Path) -> None:
        """Write a foreign file into the empty folder ``case``, all drawn from ``draw``."""

    @abstractmethod
    def read(self, case: Path) -> None:
        """Read what lies in ``case`` as the program does.

        Raises:
            QuizwriterError: the file is refused, which is as good as being read.
        """


@contextmanager
def refusal() -> Iterator[None]:
    """A block that may be refused; the reading goes on after it."""
    try:
        yield
    except QuizwriterError as trouble:
        if not trouble.problem:
            raise ValueError("a refusal without a problem") from trouble


def packed_seed(name: str) -> bytes:
    """The contents of the xz file ``name`` in ``tests/data``."""
    return lzma.decompress((DATA / name).read_bytes())


def unpack_seed(name: str, folder: Path) -> Path:
    """``folder``, with what the tar file ``name`` in ``tests/data`` holds."""
    with tarfile.open(DATA / name) as files:
        files.extractall(folder, filter="data")
    return folder
