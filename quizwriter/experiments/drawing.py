"""The plot of an experiment as SVG and PNG; the same series give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quizwriter.experiments.registry import Plot, PlotKind, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8A8000")
"""Okabe and Ito's, with a darker yellow: people who see no red or green can tell them apart."""

DASHES = ("-", "--", "-.", ":")
MOST_SERIES = 12
"""Series in one plot; a reader cannot tell more from each other."""

_LONGEST_LABEL = 40


def draw(plot: Plot, series: Sequence[Series], title: str) -> dict[str, bytes]:
    """The plot of ``series`` as the files ``svg`` and ``png``; the font comes with the plotting library."""
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
        figure = Figure(figsize=(7.6, 4.0), facecolor="white", layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        shown = list(series)[:MOST_SERIES]
        _DRAWN[plot.kind](axes, shown, 100.0 if plot.shares else 1.0)
        axes.set_title(title, loc="left")
        axes.set_xlabel(plot.across)
        axes.set_ylabel(plot.up)
        if plot.shares and plot.kind is PlotKind.LINES:
            axes.set_xlim(0, 100)
            axes.set_ylim(0, 100)
        axes.grid(visible=True, color="#DDD9D0", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        if len(shown) > 1:
            if plot.kind is PlotKind.BARS:  # bars leave no room among them
                figure.legend(frameon=False, loc="outside lower center", ncols=min(4, len(shown)))
            else:
                axes.legend(frameon=False, loc="best")
        font = FontProperties(fname=f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", size=9)
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            text.set_fontproperties(font)
        found = {}
        for kind, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
            written = io.BytesIO()
            figure.savefig(written, format=kind, dpi=144, metadata=metadata)
            found[kind] = written.getvalue()
    return found


def _label(text: str) -> str:
    """``text`` as the library draws it: short, and no formula."""
    return text[:_LONGEST_LABEL].replace("$", r"\$")


def _lines(axes: Axes, shown: Sequence[Series], scale: float) -> None:
    for at, one in enumerate(shown):
        colour = COLOURS[at % len(COLOURS)]
        across = [scale * float(value) for value in one.across]
        up = [scale * value for value in one.up]
        axes.plot(
            across,
            up,
            color=colour,
            linestyle=DASHES[at % len(DASHES)],
            linewidth=1.8,
            label=_label(one.label),
        )
        if one.low and one.high:
            low, high = ([scale * value for value in edge] for edge in (one.low, one.high))
            axes.fill_between(across, low, high, color=colour, alpha=0.15, linewidth=0)


def _dots(axes: Axes, shown: Sequence[Series], scale: float) -> None:
    for at, one in enumerate(shown):
        colour = COLOURS[at % len(COLOURS)]
        across = [scale * float(value) for value in one.across]
        up = [scale * value for value in one.up]
        axes.plot(across, up, "o", color=colour, markersize=3.5, alpha=0.7, label=_label(one.label))
        if one.low and one.high:
            axes.vlines(
                across, [scale * edge for edge in one.low], [scale * edge for edge in one.high], color=colour
            )


def _bars(axes: Axes, shown: Sequence[Series], scale: float) -> None:
    names = list(dict.fromkeys(str(name) for one in shown for name in one.across))
    height = 0.8 / max(1, len(shown))
    for at, one in enumerate(shown):
        places = [names.index(str(name)) + (at - (len(shown) - 1) / 2) * height for name in one.across]
        values = [scale * value for value in one.up]
        errors = None
        if one.low and one.high:
            errors = [
                [max(0.0, scale * (value - low)) for value, low in zip(one.up, one.low, strict=True)],
                [max(0.0, scale * (high - value)) for value, high in zip(one.up, one.high, strict=True)],
            ]
        axes.barh(
            places, values, height * 0.9, xerr=errors, color=COLOURS[at % len(COLOURS)],
            label=_label(one.label), error_kw={"ecolor": "#444444", "elinewidth": 0.9},
        )  # fmt: skip
    axes.set_yticks(range(len(names)), [_label(name) for name in names])
    axes.invert_yaxis()


_DRAWN = {PlotKind.LINES: _lines, PlotKind.BARS: _bars, PlotKind.DOTS: _dots}
