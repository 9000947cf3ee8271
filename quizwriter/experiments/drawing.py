"""The plot of an experiment as SVG and PNG; the same series in the same style give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from quizwriter.domain.players import NUMBERS, PLAYERS, player_kind
from quizwriter.experiments.registry import Plot, PlotKind, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DASHES = ("-", "--", "-.", ":")
MOST_SERIES = 12
"""Series in one plot; a reader cannot tell more from each other."""

_LONGEST_LABEL = 40


class PlotStyle(msgspec.Struct, frozen=True):
    """How a plot looks: colours as ``#RRGGBB``, the size in inches, the letters in points.

    ``series`` has one colour for each number of a player; a series that is no player's gets one that is free.
    """

    ground: str
    ink: str
    grid: str
    series: tuple[str, ...]
    inches: tuple[float, float] = (7.6, 4.0)
    dots_per_inch: float = 144
    letters_pt: float = 9


PAPER = PlotStyle(
    ground="#FFFFFF",
    ink="#000000",
    grid="#DDD9D0",
    series=(
        "#0072B2",
        "#D55E00",
        "#009E73",
        "#CC79A7",
        "#56B4E9",
        "#E69F00",
        "#000000",
        "#8A8000",
        "#AA3350",
    ),
)
"""The style of files: Okabe and Ito's colours, with a darker yellow, on white."""


def draw(
    plot: Plot,
    series: Sequence[Series],
    title: str,
    *,
    style: PlotStyle = PAPER,
    kinds: Sequence[str] = ("svg", "png"),
) -> dict[str, bytes]:
    """The plot of ``series`` as files of the ``kinds``; the font comes with the plotting library."""
    from matplotlib import get_data_path, rc_context, rcdefaults
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text

    with rc_context():
        rcdefaults()  # whatever the user has set for other programs
        from matplotlib import rcParams

        rcParams["svg.hashsalt"] = "quizwriter"
        rcParams["svg.fonttype"] = "path"
        for name in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"):
            rcParams[name] = style.ink
        rcParams["axes.facecolor"] = style.ground
        figure = Figure(figsize=style.inches, facecolor=style.ground, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        shown = list(series)[:MOST_SERIES]
        _DRAWN[plot.kind](
            axes, list(zip(shown, _numbers(shown), strict=True)), style, 100.0 if plot.shares else 1.0
        )
        axes.set_title(title, loc="left")
        axes.set_xlabel(plot.across)
        axes.set_ylabel(plot.up)
        if plot.shares and plot.kind is PlotKind.LINES:
            axes.set_xlim(0, 100)
            axes.set_ylim(0, 100)
        axes.grid(visible=True, color=style.grid, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        if len(shown) > 1:
            if plot.kind is PlotKind.BARS:  # bars leave no room among them
                figure.legend(frameon=False, loc="outside lower center", ncols=min(4, len(shown)))
            else:
                axes.legend(frameon=False, loc="best")
        font = FontProperties(fname=f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", size=style.letters_pt)
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            text.set_fontproperties(font)
        found = {}
        for kind in kinds:
            written = io.BytesIO()
            metadata = _METADATA[kind]
            figure.savefig(written, format=kind, dpi=style.dots_per_inch, metadata=metadata)
            found[kind] = written.getvalue()
    return found


_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}


def _numbers(shown: Sequence[Series]) -> Iterator[int]:
    """The number of each series, which says its colour: a player has its own, others get what is free."""
    named = {label: kind.name for kind in PLAYERS.values() for label in (kind.name, kind.title)}
    players = [named.get(one.label) for one in shown]
    taken = {player_kind(name).number for name in players if name}
    free = [number for number in range(NUMBERS) if number not in taken] or [*range(NUMBERS)]
    others = 0
    for name in players:
        if name:
            yield player_kind(name).number
        else:
            yield free[others % len(free)]
            others += 1


def _label(text: str) -> str:
    """``text`` as the library draws it: short, and no formula."""
    return text[:_LONGEST_LABEL].replace("$", r"\$")


def _lines(axes: Axes, shown: Sequence[tuple[Series, int]], style: PlotStyle, scale: float) -> None:
    for one, number in shown:
        colour = style.series[number]
        across = [scale * float(value) for value in one.across]
        up = [scale * value for value in one.up]
        axes.plot(
            across,
            up,
            color=colour,
            linestyle=DASHES[number % len(DASHES)],
            linewidth=1.8,
            label=_label(one.label),
        )
        if one.low and one.high:
            low, high = ([scale * value for value in edge] for edge in (one.low, one.high))
            axes.fill_between(across, low, high, color=colour, alpha=0.15, linewidth=0)


def _dots(axes: Axes, shown: Sequence[tuple[Series, int]], style: PlotStyle, scale: float) -> None:
    for one, number in shown:
        colour = style.series[number]
        across = [scale * float(value) for value in one.across]
        up = [scale * value for value in one.up]
        axes.plot(across, up, "o", color=colour, markersize=3.5, alpha=0.7, label=_label(one.label))
        if one.low and one.high:
            axes.vlines(
                across, [scale * edge for edge in one.low], [scale * edge for edge in one.high], color=colour
            )


def _bars(axes: Axes, shown: Sequence[tuple[Series, int]], style: PlotStyle, scale: float) -> None:
    names = list(dict.fromkeys(str(name) for one, _ in shown for name in one.across))
    height = 0.8 / max(1, len(shown))
    for at, (one, number) in enumerate(shown):
        places = [names.index(str(name)) + (at - (len(shown) - 1) / 2) * height for name in one.across]
        values = [scale * value for value in one.up]
        errors = None
        if one.low and one.high:
            errors = [
                [max(0.0, scale * (value - low)) for value, low in zip(one.up, one.low, strict=True)],
                [max(0.0, scale * (high - value)) for value, high in zip(one.up, one.high, strict=True)],
            ]
        axes.barh(
            places, values, height * 0.9, xerr=errors, color=style.series[number],
            label=_label(one.label), error_kw={"ecolor": style.ink, "elinewidth": 0.9},
        )  # fmt: skip
    axes.set_yticks(range(len(names)), [_label(name) for name in names])
    axes.invert_yaxis()


_DRAWN = {PlotKind.LINES: _lines, PlotKind.BARS: _bars, PlotKind.DOTS: _dots}
