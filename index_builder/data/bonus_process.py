"""Reads a large file of bonuses in a process of its own: their answer lines take as long as all else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import msgspec

from index_builder.data.aliases import LineNames
from index_builder.data.readers import BonusPart, read_bonus_parts
from index_builder.helper_process import HelperProcess, has_second_core, serve
from quizwriter.formats.question_files import ReadReport
from quizwriter.system.children import Child

APART_FROM = 2 << 20
"""Bytes of the smallest file that is read apart; a smaller one is read before a process has started."""

TELL_EVERY = 1_000
"""Parts that are read between two reports of progress."""


class RowsRead(msgspec.Struct, tag=True):
    """How far the file is read: so many rows, and the share of its bytes."""

    rows: int
    read: float


class BonusFile(msgspec.Struct, tag=True):
    """The parts of the bonuses in a file, and what came of its rows.

    ``names`` are those in their answer lines and in the other lines that were read.
    """

    parts: list[BonusPart]
    names: dict[str, tuple[str, dict[str, str]]]
    rows: int
    used: int
    rejected: dict[str, int]
    first: dict[str, int]

    def tell(self, report: ReadReport) -> None:
        """Put into ``report`` what came of the rows."""
        report.rows, report.used = self.rows, self.used
        report.rejected, report.first = Counter(self.rejected), self.first


class BonusProcess(HelperProcess):
    """A process that reads the file of bonuses at ``path``, and then answer lines out of ``lines``."""

    def __init__(self, path: Path, lines: Iterable[list[str]]) -> None:
        super().__init__(Child.BONUSES, chain([bytes(path)], map(msgspec.msgpack.encode, lines)))

    @staticmethod
    def is_worth_it(path: Path) -> bool:
        """Whether ``path`` is large enough to be read apart, and there is a core for that."""
        return has_second_core() and path.is_file() and path.stat().st_size >= APART_FROM

    def found(self, tell: Callable[[RowsRead], object]) -> BonusFile | None:
        """What is in the file, once all of it is read and no more lines come; None if the process failed.

        ``tell`` is told how far it is, again and again.
        """
        for raw in self.answers():
            answer = _ANSWERS.decode(raw)
            if isinstance(answer, BonusFile):
                return answer if self.succeeded() else None
            tell(answer)
        self.succeeded()  # logs why not
        return None


_ANSWERS = msgspec.msgpack.Decoder(RowsRead | BonusFile)


def read_file(messages: Iterator[bytes]) -> Iterator[bytes]:
    """How far it is, and at last the :class:`BonusFile` at the path that is the first message."""
    path = Path(next(messages).decode("utf-8", "surrogateescape"))
    report, names, parts = ReadReport(str(path)), LineNames(), list[BonusPart]()
    for part in read_bonus_parts(path, report):
        names.read(part.line)  # now, while its main answer is remembered
        parts.append(part)
        if len(parts) % TELL_EVERY == 0:
            yield msgspec.msgpack.encode(RowsRead(report.rows, report.read))
    for some in messages:
        for line in msgspec.msgpack.decode(some, type=list[str]):
            names.read(line)
    found = BonusFile(parts, names, report.rows, report.used, report.rejected, report.first)
    yield msgspec.msgpack.encode(found)


def main(arguments: Sequence[str]) -> int:
    """Be the helper process of :func:`read_file`."""
    return serve(read_file)
