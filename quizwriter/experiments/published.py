"""The numbers that papers print, computed again from counts and moments by the functions of this package."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import msgspec

from quizwriter.domain.guessing import win_chance
from quizwriter.experiments import column
from quizwriter.experiments.inference import Moments, fisher_exact, t_test
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.registry import Found, experiment
from quizwriter.system.decoding import convert_value, decode_toml
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.estimates import share_of
from quizwriter.workflow.set_progress import sample_size


class PrintedFigure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A printed number, and what it is computed from; see ``resources/published.toml``."""

    paper: str
    what: str
    statistic: str
    values: tuple[float, ...]
    printed: float
    digits: int
    source: str
    weights: tuple[float, ...] = ()
    remark: str = ""

    @property
    def computed(self) -> float | None:
        return _STATISTICS[self.statistic](self)

    @property
    def tests_statistic(self) -> bool:
        """Whether a test, an interval or a model gives the number; else it follows from printed ones by
        arithmetic, and shows that these were copied right."""
        return self.statistic in _TESTS

    @property
    def reproduced(self) -> bool:
        """Whether the computed number rounds to the printed one; a half may go either way."""
        computed = self.computed
        if computed is None:
            return False
        return bool(abs(computed - self.printed) <= 0.5 * 10.0**-self.digits + 1e-9)


class _Figures(msgspec.Struct, forbid_unknown_fields=True):
    figure: list[PrintedFigure]


def printed_figures() -> tuple[PrintedFigure, ...]:
    raw = (resources_folder() / "published.toml").read_bytes()
    return tuple(convert_value(decode_toml(raw), _Figures).figure)


def _moments(values: Sequence[float]) -> Moments:
    return Moments(int(values[0]), values[1], values[2])


def _t_test_p(one: PrintedFigure) -> float | None:
    return t_test(_moments(one.values[:3]), _moments(one.values[3:]), pooled=True).p


def _fisher_p(one: PrintedFigure) -> float | None:
    right, wrong, other_right, other_wrong = map(int, one.values)
    return fisher_exact(right, wrong, other_right, other_wrong).p


def _share(one: PrintedFigure) -> float | None:
    return share_of(int(one.values[0]), int(one.values[1])).value


def _per_cent(one: PrintedFigure) -> float | None:
    found = _share(one)
    return None if found is None else 100 * found


def _weighted_mean(one: PrintedFigure) -> float:
    weighted = (value * weight for value, weight in zip(one.values, one.weights, strict=True))
    return math.fsum(weighted) / math.fsum(one.weights)


_TESTS: Mapping[str, Callable[[PrintedFigure], float | None]] = {
    "t-test p": _t_test_p,
    "Welch p": lambda one: t_test(_moments(one.values[:3]), _moments(one.values[3:]), pooled=False).p,
    "Fisher p": _fisher_p,
    "Wilson low": lambda one: share_of(int(one.values[0]), int(one.values[1])).low,
    "Wilson high": lambda one: share_of(int(one.values[0]), int(one.values[1])).high,
    "win chance": lambda one: win_chance(one.values[0]),
    "review sample": lambda one: float(sample_size(int(one.values[0]))),
}

_STATISTICS: Mapping[str, Callable[[PrintedFigure], float | None]] = {
    **_TESTS,
    "share": _share,
    "per cent": _per_cent,
    "left": lambda one: 1 - _moments(one.values).mean,
    "ratio": lambda one: one.values[0] / one.values[1],
    "product": lambda one: math.prod(one.values),
    "difference": lambda one: one.values[0] - one.values[1],
    "mean": lambda one: fmean(one.values),
    "weighted mean": _weighted_mean,
    "sum": lambda one: math.fsum(one.values),
}


@experiment(
    "published",
    title="Numbers of the papers",
    asks="Are our statistics right: do they give the numbers that the papers print?",
    source="the papers that the table names",
    columns=(
        column.text("paper"), column.text("number"), column.text("by"), column.number("printed"),
        column.number("computed"), column.text("result"), column.text("remark"),
    ),
)  # fmt: skip
def published(given: ExperimentInputs) -> Found:
    """The table has a row for each printed number."""
    del given
    figures = printed_figures()
    rows = [
        [
            one.paper, one.what, "a statistic" if one.tests_statistic else "arithmetic", one.printed,
            one.computed, "reproduced" if one.reproduced else "not reproduced", one.remark,
        ]
        for one in figures
    ]  # fmt: skip
    tests = [one for one in figures if one.tests_statistic]
    others = [one for one in figures if not one.reproduced]
    said = (
        f"{sum(one.reproduced for one in tests)} of {len(tests)} printed numbers that test a statistic are "
        f"reproduced, and {sum(one.reproduced for one in figures if not one.tests_statistic)} of "
        f"{len(figures) - len(tests)} that follow from printed ones by arithmetic"
    )
    if others:
        named = "; ".join(f"{one.paper}, {one.what}" for one in others)
        said += f"; not reproduced, with the reason in the table: {named}"
    return Found(rows, f"{said}.")
