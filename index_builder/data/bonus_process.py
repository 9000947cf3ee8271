"""Reads a large file of bonuses in a process of its own: their answer lines take as long as all else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from index_builder.data.aliases import LineNames
from index_builder.data.readers import BonusPart, read_bonus_parts
from index_builder.helper_process import HelperProcess, has_second_core
from quizwriter.formats.question_files import ReadReport

APART_FROM = 2 << 20
"""Bytes of the smallest file that is read apart; a smaller one is read before a process has started."""


class BonusFile(msgspec.Struct):
    """The parts of the bonuses in a file, the names in their answer lines, and what came of its rows."""

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
    """A process that reads the file of bonuses at ``path``."""

    def __init__(self, path: Path) -> None:
        super().__init__(__name__, "read_file", [bytes(path)])

    @staticmethod
    def is_worth_it(path: Path) -> bool:
        """Whether ``path`` is large enough to be read apart, and there is a core for that."""
        return has_second_core() and path.is_file() and path.stat().st_size >= APART_FROM

    def found(self) -> BonusFile | None:
        """What is in the file, once all of it is read; None if the process failed."""
        raw = self.answer()
        return None if raw is None else msgspec.msgpack.decode(raw, type=BonusFile)


def read_file(messages: Iterator[bytes]) -> bytes:
    """The :class:`BonusFile` at the path that is the only message.

    Raises:
        QuizwriterError: the file cannot be read to its end.
    """
    path = Path(next(messages).decode("utf-8", "surrogateescape"))
    report, names, parts = ReadReport(str(path)), LineNames(), list[BonusPart]()
    for part in read_bonus_parts(path, report):
        names.read(part.line)  # now, while its main answer is remembered
        parts.append(part)
    found = BonusFile(parts, names, report.rows, report.used, report.rejected, report.first)
    return msgspec.msgpack.encode(found)
