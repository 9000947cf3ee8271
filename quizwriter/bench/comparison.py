"""The figures of one run of the benchmark beside those of a run that was kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.system.decoding import DecodingError, decode_small_json, open_regular

INPUTS = ("bundle", "tossups", "words_p50", "keys", "history_edits", "queue_rows")
"""The figures that say what was measured, which must be the same in both runs."""

CONDITIONS = {
    "computer": "on another computer",
    "digest": "of another state of the bundle",
    "bells": "on another number of bells",
}
"""What both runs should share, too: where they differ, their figures differ for that reason as well."""

SLOWER = 1.25
"""A figure that is this many times the kept one is named; one program differs by less on a quiet computer."""

MOST_NAMED = 40
"""How many figures a remark names; one run has about as many."""

LARGEST_BYTES = 1_000_000
"""The largest file of figures that is read; one run has about 2,000 bytes."""


class ComparedFigure(msgspec.Struct, frozen=True):
    """One figure of two runs: milliseconds or megabytes, so that less is better."""

    name: str
    kept: float
    now: float

    @property
    def ratio(self) -> float:
        """How many times the kept figure the new one is; 1.0 where both are 0, infinite where the kept is."""
        if self.kept > 0:
            return self.now / self.kept
        return 1.0 if self.now <= 0 else float("inf")


def read_figures(file: Path) -> dict[str, float | str]:
    """The figures that ``quizwriter bench --json`` once printed into ``file``."""
    remedy = "Name a file that quizwriter bench --json was printed into."
    with translate_reading_errors(file, remedy), open_regular(file) as opened:
        raw = opened.read(LARGEST_BYTES + 1)
    if len(raw) > LARGEST_BYTES:
        raise QuizwriterError(f"{file} is too large to hold figures.", remedy)
    try:
        found = decode_small_json(raw, dict[str, float | str])
    except DecodingError as trouble:
        raise QuizwriterError(f"{file} holds no figures ({trouble}).", remedy) from trouble
    if not isinstance(found.get("bundle"), str) or not any(map(_is_figure, found, found.values())):
        raise QuizwriterError(f"{file} holds no figures of a bundle.", remedy)
    return found


def _is_figure(name: str, value: object) -> bool:
    return name not in (*INPUTS, *CONDITIONS) and isinstance(value, (int, float))


def require_comparable(kept: Mapping[str, float | str], now: Mapping[str, Any]) -> None:
    """Refuse two runs that measured different bundles or amounts, as far as ``now`` says."""
    for name in INPUTS:
        if name in kept and name in now and kept[name] != now[name]:
            raise QuizwriterError(
                f"The kept run has {name} {kept[name]}, and this one has {now[name]}: "
                "they measure different things.",
                "Compare runs of one bundle and one version of the benchmark.",
            )


def compared_figures(kept: Mapping[str, float | str], now: Mapping[str, Any]) -> list[ComparedFigure]:
    """Every figure that both runs have, in the order of the new one, but those that say what was measured."""
    require_comparable(kept, now)
    found = [
        ComparedFigure(name, float(before), float(value))
        for name, value in now.items()
        if _is_figure(name, value) and isinstance(before := kept.get(name), (int, float))
    ]
    if not found:
        raise QuizwriterError(
            "The kept run has no figure that this one has.", "Compare runs with the same options."
        )
    return found


def comparison_remarks(kept: Mapping[str, float | str], now: Mapping[str, Any]) -> list[str]:
    """What to bear in mind when the figures of the two runs are compared, in sentences."""
    said = []
    for name, what in CONDITIONS.items():
        if name not in now or now[name] == kept.get(name):
            continue
        if name in kept:
            said.append(f"The kept run is {what} ({kept[name]}; now {now[name]}).")
        else:
            said.append(f"The kept run does not say its {name}; it may be {what}.")
    for run, one, other in (("kept run", kept, now), ("new run", now, kept)):
        alone = [name for name, value in one.items() if _is_figure(name, value) and name not in other]
        if alone:
            said.append(f"Only the {run} has {', '.join(sorted(alone)[:MOST_NAMED])}.")
    return said


def comparison_sentence(figures: list[ComparedFigure]) -> str:
    """Which of the ``figures`` are worse than the kept ones, worst first."""
    worse = sorted((one for one in figures if one.ratio >= SLOWER), key=lambda one: -one.ratio)
    if not worse:
        return f"None of the {len(figures)} figures is {SLOWER:g} times the kept one or more."
    named = ", ".join(f"{one.name} ({one.ratio:.2f} times)" for one in worse)
    verb = "is" if len(worse) == 1 else "are"
    return (
        f"{len(worse)} of the {len(figures)} figures {verb} {SLOWER:g} times the kept one or more: {named}."
    )
