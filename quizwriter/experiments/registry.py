"""What an experiment is: one function with the question it answers, its table and its plot, all declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from quizwriter.errors import QuizwriterError
from quizwriter.experiments.column import ResultColumn
from quizwriter.experiments.experiment_options import OPTIONS
from quizwriter.workflow.estimates import Estimate

if TYPE_CHECKING:
    from quizwriter.experiments.inputs import ExperimentInputs

Cell = str | int | float | None | Estimate
"""What stands in a table. An estimate is written with its interval and its number; None is an empty cell."""


class PlotKind(StrEnum):
    """How the series of a plot are drawn: bars stand beside names, dots have their intervals."""

    LINES = "lines"
    BARS = "bars"
    DOTS = "dots"


class Plot(msgspec.Struct, frozen=True):
    """The declared plot of an experiment: how it is drawn, and what its axes say.

    With ``shares``, the axis of values goes from 0 to 100 per cent.
    """

    kind: PlotKind
    across: str
    up: str
    shares: bool = True

    @classmethod
    def lines(cls, across: str, up: str, *, shares: bool = True) -> Plot:
        return cls(PlotKind.LINES, across, up, shares)

    @classmethod
    def bars(cls, across: str, up: str = "", *, shares: bool = True) -> Plot:
        return cls(PlotKind.BARS, across, up, shares)

    @classmethod
    def dots(cls, across: str, up: str) -> Plot:
        return cls(PlotKind.DOTS, across, up)


class Series(msgspec.Struct, frozen=True):
    """What a plot draws under one name; ``low`` and ``high`` are the edges of a band or of intervals."""

    label: str
    across: Sequence[float] | Sequence[str]
    up: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()

    @classmethod
    def of(cls, label: str, across: Sequence[float] | Sequence[str], cells: Sequence[Cell]) -> Series:
        """The series of estimates with their intervals.

        What is not known is drawn as 0, and the edges of a figure without an interval are the figure itself.
        """
        found = [cell if isinstance(cell, Estimate) else Estimate(0) for cell in cells]
        up = [one.value or 0.0 for one in found]
        low, high = (
            [value if edge is None else edge for edge, value in zip(edges, up, strict=True)]
            for edges in ([one.low for one in found], [one.high for one in found])
        )
        return cls(label, across, up, low, high)


class Found(msgspec.Struct, frozen=True):
    """What an experiment found: the rows of its table, the series of its plot, one sentence, and remarks.

    ``details`` are the rows of its second table, with what was found of each question, and ``plot`` how the
    series are drawn where that is not as the experiment declares.
    """

    rows: Sequence[Sequence[Cell]]
    sentence: str
    series: Sequence[Series] = ()
    remarks: Sequence[str] = ()
    details: Sequence[Sequence[Cell]] = ()
    plot: Plot | None = None


class Need(StrEnum):
    """What an experiment may be given."""

    QUESTIONS = "questions"
    BUZZES = "buzzes"
    AGAINST_QUESTIONS = "against questions"
    AGAINST_BUZZES = "against buzzes"
    PLAYERS = "players"
    HISTORIES = "histories"


class Experiment(msgspec.Struct, frozen=True):
    """An experiment; see :func:`experiment`.

    One that an option makes of another has both in its ``name``: "shape --fit".
    """

    name: str
    title: str
    asks: str
    source: str
    columns: tuple[ResultColumn, ...]
    plot: Plot | None
    needs: frozenset[Need]
    may: frozenset[Need]
    options: tuple[str, ...]
    details: tuple[ResultColumn, ...]
    function: Callable[[ExperimentInputs], Found]
    unread: bool = False

    @property
    def stem(self) -> str:
        return self.name.replace(" --", "-")

    def missing(self, there: frozenset[Need]) -> str:
        """Why the experiment cannot be made with what is ``there``, in a sentence; empty if it can."""
        lacks = [_MISSING[need] for need in Need if need in self.needs - there]
        return f"This experiment needs {' and '.join(lacks)}." if lacks else ""


_MISSING = {
    Need.QUESTIONS: "questions",
    Need.BUZZES: "a file of buzzes",
    Need.AGAINST_QUESTIONS: "other questions to compare with",
    Need.AGAINST_BUZZES: "a second file of buzzes",
    Need.PLAYERS: "the players of a bundle",
    Need.HISTORIES: "tossups with a history",
}

READ = "read"
"""The option that plays also the questions that the players have read."""

YES = "yes"
"""The value of an option that is only given or not."""

_MODULES = (
    "people", "answerability", "curves", "adversarial", "beaten", "answer_only", "shape", "human_curve",
    "probing", "versus", "calibration", "teaming", "advscore", "skills", "effort", "cues", "overlap", "tags",
    "retraining", "distractor", "arms", "published",
)  # fmt: skip
"""The modules in which experiments are declared, in the order in which lists name them."""

_EXPERIMENTS: dict[str, Experiment] = {}


def experiment(
    name: str,
    *,
    title: str,
    asks: str,
    source: str,
    columns: Sequence[ResultColumn],
    plot: Plot | None = None,
    needs: Sequence[Need] = (),
    may: Sequence[Need] = (),
    options: Sequence[str] = (),
    details: Sequence[ResultColumn] = (),
    unread: bool = False,
) -> Callable[[Callable[[ExperimentInputs], Found]], Callable[[ExperimentInputs], Found]]:
    """Declare the function below as the experiment ``name``.

    A name such as "shape --fit" declares what that option makes of the experiment: another question, with a
    table and a plot of its own.
    ``asks`` is the question that it answers, ``source`` where it was asked first. ``needs`` and ``may`` are
    what it must and may be given; ``options`` are the names of the options that it takes, and ``details``
    the columns of its second table, which has what was found of each question. ``unread`` says that it
    measures players on questions that are new to them: it takes them from :meth:`ExperimentInputs.unread`.
    """

    def declare(function: Callable[[ExperimentInputs], Found]) -> Callable[[ExperimentInputs], Found]:
        assert OPTIONS.keys() >= set(options), "an option is declared in experiment_options"
        _EXPERIMENTS[name] = Experiment(
            name, title, asks, source, tuple(columns), plot, frozenset(needs), frozenset(may),
            (*options, *((READ,) if unread else ())), tuple(details), function, unread,
        )  # fmt: skip
        return function

    return declare


def asked_for(name: str, options: Mapping[str, str]) -> Experiment | None:
    """The experiment ``name``, or what one of the ``options`` makes of it; None if there is no such."""
    known = experiments()
    given = (f"{name} --{option}" for option, value in options.items() if value == YES)
    return next((known[key] for key in (*given, name) if key in known), None)


def experiments() -> dict[str, Experiment]:
    """All experiments by their names, in the order of their modules, of which some import others first."""
    for name in _MODULES:
        import_module(f"quizwriter.experiments.{name}")
    order = {f"quizwriter.experiments.{name}": at for at, name in enumerate(_MODULES)}
    return dict(sorted(_EXPERIMENTS.items(), key=lambda item: order.get(item[1].function.__module__, -1)))


def measured(cell: Cell) -> Estimate:
    """The estimate in a ``cell`` that always has one."""
    assert isinstance(cell, Estimate)
    return cell


def signed(cell: Cell, digits: int) -> str:
    """An estimated difference within a sentence, with its interval and signs: +0.021 (-0.002 to +0.046)."""
    one = measured(cell)
    said = f"{one.value or 0.0:+.{digits}f}"
    if one.low is not None and one.high is not None:
        said += f" ({one.low:+.{digits}f} to {one.high:+.{digits}f})"
    return said


def refuse(problem: str, remedy: str = "Name other files, or leave an option out.") -> QuizwriterError:
    """What an experiment raises that cannot say anything of what it was given."""
    return QuizwriterError(problem, remedy)
