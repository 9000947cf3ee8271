"""Runs one experiment and writes what it found: a table, a report, a plot twice, and one sentence.

The same inputs give the same bytes: no file says when it was written, or where.
"""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from quizwriter import __version__
from quizwriter.errors import translate_reading_errors
from quizwriter.experiments.column import Kind, ResultColumn
from quizwriter.experiments.drawing import PlotStyle, draw
from quizwriter.experiments.inputs import ExperimentInputs, ReadQuestions
from quizwriter.experiments.registry import Cell, Experiment, Found, Plot, asked_for, experiments, refuse
from quizwriter.formats.tables import write_table
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import DecodingError, decode_json, read_limited
from quizwriter.system.extras import require_extra
from quizwriter.workflow.estimates import Estimate

README, CITATION = "README.md", "CITATION.cff"
_HEADING = "# Results of experiments"

_LARGEST_REPORT = 64 << 20
"""Bytes of a report that the README of its folder sums up."""

_DIGITS = 4
"""Digits behind the point in files; p values have more."""


class ExperimentReport(msgspec.Struct, frozen=True):
    """The result of a run: what was found, and how it came about."""

    experiment: Experiment
    found: Found
    command: str
    seed: int
    inputs: tuple[dict[str, Any], ...]
    players: dict[str, str]
    left_out: tuple[tuple[str, int], ...]
    read: ReadQuestions | None = None

    @property
    def head(self) -> tuple[str, ...]:
        return tuple(column.title for column in self.experiment.columns)

    @property
    def lines(self) -> Iterator[tuple[str, ...]]:
        """The rows of the table as people read them."""
        for row in self.found.rows:
            yield tuple(
                shown_cell(cell, column) for cell, column in zip(row, self.experiment.columns, strict=True)
            )

    @property
    def _caption(self) -> str:
        """The title of the plot, which says where players had read what they play."""
        read = self.read is not None and self.read.read and self.read.played
        return f"{self.experiment.title}{' (the players have read some questions)' if read else ''}"

    def as_json(self) -> dict[str, Any]:
        """The report, ready for JSON; no number in it is nan or infinite."""
        titles = [title for title, _ in _written(self.experiment.columns)]
        return {
            "experiment": self.experiment.name,
            "asks": self.experiment.asks,
            "source": self.experiment.source,
            "program": f"quizwriter {__version__}",
            "command": self.command,
            "seed": self.seed,
            "inputs": list(self.inputs),
            "players": self.players,
            "left_out": [{"reason": reason, "number": number} for reason, number in self.left_out],
            **({} if self.read is None else {"read": msgspec.to_builtins(self.read)}),
            "columns": titles,
            "rows": [list(_flat(row, self.experiment.columns)) for row in self.found.rows],
            "sentence": self.found.sentence,
            "remarks": list(self.found.remarks),
        }

    def files(self) -> dict[str, bytes]:
        name = self.experiment.stem
        text = json.dumps(self.as_json(), ensure_ascii=False, indent=1, allow_nan=False)
        found = {
            f"{name}.csv": _csv(self.experiment.columns, self.found.rows),
            f"{name}.json": f"{text}\n".encode(),
        }
        if self.found.details:
            found[f"{name}.questions.csv"] = _csv(self.experiment.details, self.found.details)
        if self._plot is not None and self.found.series:
            for kind, raw in draw(self._plot, self.found.series, self._caption).items():
                found[f"{name}.{kind}"] = raw
        return found

    @property
    def has_plot(self) -> bool:
        return self._plot is not None and bool(self.found.series)

    @property
    def _plot(self) -> Plot | None:
        return self.found.plot or self.experiment.plot

    def picture(self, style: PlotStyle) -> bytes:
        plot, found = self._plot, self.found
        if plot is None or not found.series:
            return b""
        return draw(plot, found.series, self._caption, style=style, kinds=("png",))["png"]

    def write(self, folder: Path) -> tuple[Path, ...]:
        """Write the files of the report into ``folder``, which is made if it is missing; their paths.

        A README there sums up all reports of the folder, and ``CITATION.cff`` names the program.
        """
        require_folder(folder)
        written = [_put(folder / name, raw) for name, raw in self.files().items()]
        written += [_put(folder / README, _readme(folder)), _put(folder / CITATION, _CITATION.encode())]
        return tuple(written)


class _WrittenReport(msgspec.Struct):
    """What the README of a folder takes from the file of a report."""

    experiment: str
    asks: str
    source: str
    command: str
    sentence: str


_CITATION = f"""cff-version: 1.2.0
message: Name the program, its version, and the source of each experiment that README.md gives.
type: software
title: QuizWriter
version: {__version__}
authors:
- name: The QuizWriter authors
"""


_OURS = {README: _HEADING, CITATION: _CITATION[: _CITATION.index("type:")]}
"""How the files begin that every folder of reports has."""


def require_folder(folder: Path) -> None:
    """Raise unless reports can be written into ``folder``, without replacing a README or citation of others.

    Slow runs ask before they begin.
    """
    with translate_reading_errors(folder):
        there = next(one for one in (folder, *folder.parents) if one.exists())
        if not there.is_dir():
            raise refuse(f"{there} is a file.", "Name a folder for the results.")
        if not os.access(there, os.W_OK | os.X_OK):
            raise refuse(
                f"Nothing can be written into {there}.", "Allow writing there, or name another folder."
            )
        for name, begins in _OURS.items():
            path = folder / name
            if path.exists() and not _begins(path, begins.encode()):
                raise refuse(
                    f"{folder} has a {name} that no experiment wrote.",
                    "Name a new folder for the results, or one that has only results.",
                )


def _begins(path: Path, opening: bytes) -> bool:
    """Whether the file at ``path`` begins so; nothing that waits for somebody, such as a pipe, is opened."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(opening)) == opening


def _put(path: Path, raw: bytes) -> Path:
    with atomic_write(path, make_folder=True) as file:
        file.write(raw)
    return path


def _readme(folder: Path) -> bytes:
    """What the reports in ``folder`` asked, found and were made by."""
    lines = [
        _HEADING,
        "",
        f"By QuizWriter {__version__}. Each table is a CSV file, and its",
    ]
    lines += ["JSON file has the digests of inputs and players and what was left out.", ""]
    for path in sorted(folder.glob("*.json")):
        try:
            one = decode_json(read_limited(path, _LARGEST_REPORT), _WrittenReport)
        except (DecodingError, OSError):
            continue  # another file
        names = sorted(other.name for other in folder.glob(f"{path.stem}.*"))
        lines += [f"## {one.experiment}", "", one.asks, f"After {one.source}.", "", one.sentence, ""]
        lines += ["```", one.command, "```", "", f"Files: {', '.join(names)}.", ""]
    return "\n".join(lines).encode("utf-8", "replace")


def run(name: str, given: ExperimentInputs, command: str = "") -> ExperimentReport:
    """Run the experiment ``name`` on what was ``given``; ``command`` is how the report says to repeat it.

    Slow; any thread may call it.
    """
    chosen = asked_for(name, given.options)
    if chosen is None:
        raise refuse(f"There is no experiment “{name}”.", f"Choose {', '.join(experiments())}.")
    if lacks := chosen.missing(given.there):
        raise refuse(lacks, "Give it with --questions, --buzzes or --against.")
    if unknown := [option for option in given.options if option not in chosen.options]:
        takes = ", ".join(f"--{option}" for option in chosen.options) or "none"
        raise refuse(
            f"The experiment {name} has no option {' and '.join(f'--{option}' for option in unknown)}.",
            f"Its own options are {takes}.",
        )
    require_extra("science", "An experiment")
    found = chosen.function(given)
    if given.read is not None and given.read.sentence:
        found = replace(found, sentence=f"{given.read.sentence} {found.sentence}")
    for columns, rows in ((chosen.columns, found.rows), (chosen.details, found.details)):
        for row in rows:
            _check(row, columns)
    played = "engine" in given.__dict__
    those = (*given.engine.players, *given.recorded_players) if played else ()
    engines = {player.name: player.engine for player in those}
    return ExperimentReport(
        chosen,
        found,
        command or f"quizwriter experiment {name}",
        given.seed,
        tuple(
            {"role": one.role, "name": one.name, "sha256": one.digest, "number": one.number}
            for one in given.records
        ),
        {player: engines[player] for player in given.players or engines if player in engines},
        tuple(sorted(given.left_out.items())),
        given.read,
    )


def _csv(columns: Sequence[ResultColumn], rows: Sequence[Sequence[Cell]]) -> bytes:
    table = io.StringIO(newline="")
    write_table(table, [[title for title, _ in _written(columns)]])
    write_table(table, (list(_flat(row, columns)) for row in rows))
    return table.getvalue().encode("utf-8", "replace")


def _check(row: Sequence[Cell], columns: Sequence[ResultColumn]) -> None:
    """A table never shows nan: an experiment that would is wrong."""
    for cell, column in zip(row, columns, strict=True):
        numbers = (cell.value, cell.low, cell.high) if isinstance(cell, Estimate) else (cell,)
        if any(isinstance(one, float) and not math.isfinite(one) for one in numbers):
            raise ValueError(f"{column.title} is not finite")


def _written(columns: Sequence[ResultColumn]) -> Iterator[tuple[str, ResultColumn]]:
    """The titles of the columns of a file: an estimate has four."""
    for column in columns:
        yield column.title, column
        if column.estimated:
            yield from ((f"{column.title} {end}", column) for end in ("low", "high", "n"))


def _flat(row: Sequence[Cell], columns: Sequence[ResultColumn]) -> Iterator[str | int | float | None]:
    for cell, column in zip(row, columns, strict=True):
        if not column.estimated:
            assert not isinstance(cell, Estimate)
            yield _rounded(cell, column)
        elif isinstance(cell, Estimate):
            yield from (_rounded(one, column) for one in (cell.value, cell.low, cell.high))
            yield cell.number
        else:
            yield from (_rounded(cell, column), None, None, None)


def _rounded(cell: str | int | float | None, column: ResultColumn) -> str | int | float | None:
    if not isinstance(cell, float):
        return cell
    # a small loss is 0.0 and not -0.0
    return float(f"{cell:.4g}") if column.kind is Kind.P else round(cell, _DIGITS) + 0.0


def shown_cell(cell: Cell, column: ResultColumn) -> str:
    """``cell`` as people read it: a dash where there is nothing, an estimate with its interval and number."""
    if isinstance(cell, Estimate):
        value = _shown(cell.value, column.kind)
        if cell.value is None:
            return f"{value} (n {cell.number:,})"
        edges = ""
        if cell.low is not None and cell.high is not None:
            edges = f" [{_shown(cell.low, column.kind)} to {_shown(cell.high, column.kind)}]"
        return f"{value}{edges} (n {cell.number:,})"
    return _shown(cell, column.kind)


def _shown(cell: str | int | float | None, kind: Kind) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return f"{cell:,}"
    if kind is Kind.P:
        return "< .0001" if cell < 0.0001 else f"{cell:.4f}"
    if kind is Kind.NUMBER:
        return (f"{cell:,.1f}" if abs(cell) >= 1000 else f"{cell:.4g}").replace("-", "\N{MINUS SIGN}")
    return f"{round(cell, 3) + 0.0:.3f}".replace("-", "\N{MINUS SIGN}")
