"""The options that only some experiments take, each declared once: commands and windows read this table.

It imports nothing of the experiments, because the parser of commands is made at every start.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from quizwriter.errors import translate_reading_errors


class ExperimentOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option, as ``--name`` of the command and as ``name=…`` in the window; ``help`` says what it does."""

    name: str
    help: str
    switch: bool = False  # whether it is only given or not
    file: bool = False  # whether its value is the path of a file


OPTIONS = {
    one.name: one
    for one in (
        ExperimentOption(
            name="by",
            help="compare groups: for curves difficulty or category, for people difficulty, category, set, "
            "ability or team",
        ),
        ExperimentOption(
            name="machines",
            switch=True,
            help="for shape, have the players hear each clue alone, too (no where there are buzzes); for "
            "skills, let them answer beside the teams (no)",
        ),
        ExperimentOption(
            name="fit", switch=True, help="for shape, fit the predicted curve of people instead"
        ),
        ExperimentOption(
            name="probe",
            help="for whatif, only some of drop, solo, swap, first, last, shuffle, frame, mask, addsent, "
            "addone, addrandom, addany, addcommon and radius, with commas between them, or all",
        ),
        ExperimentOption(name="plan", help="for retrain: kfold, sizes, seeds, ablate or matrix"),
        ExperimentOption(name="folds", help="for retrain, how many folds (5)"),
        ExperimentOption(name="seeds", help="for retrain, how many seeds (10)"),
        ExperimentOption(
            name="classes", help="for retrain, how many pages are learned (300 by a DAN, 3000 by IR)"
        ),
        ExperimentOption(
            name="rows",
            help="for retrain, how many past tossups are learned at most (3000 by a DAN, 1000 for a matrix)",
        ),
        ExperimentOption(
            name="draw",
            help="draw so many tossups: for tags to be tagged, by category; for adversarial to be played",
        ),
        ExperimentOption(
            name="recorded",
            file=True,
            help="for adversarial and beaten, a file of games of other players, which play again as they did",
        ),
        ExperimentOption(
            name="calibration",
            switch=True,
            help="for versus, compare how sure players are with how early people answer instead",
        ),
        ExperimentOption(
            name="rule", help="for versus, only this rule: people, cubic, qanta25, qanta26 or acf"
        ),
        ExperimentOption(
            name="blind",
            switch=True,
            help="for people, only the tossups that were drawn blind of the set and its control",
        ),
        ExperimentOption(
            name="read",
            switch=True,
            help="also play questions that the players have read; the results do not hold for new ones",
        ),
    )
}
"""Every option by its name, in the order of the help."""


def source_name(value: str) -> str:
    """What a report calls a source: a file or folder by its name alone, a set or tossups as they are."""
    path = Path(value)
    with translate_reading_errors(value):  # of a name that no file can have
        return path.name or value if path.exists() else value


def source_words(sources: Mapping[str, str]) -> list[str]:
    """The ``sources`` as arguments of the command, see :func:`source_name`."""
    return [word for name, value in sources.items() if value for word in (f"--{name}", source_name(value))]


def option_words(options: Mapping[str, str]) -> list[str]:
    """The ``options`` as arguments of the command: files by their names, without their folders."""
    files = {name: value for name, value in options.items() if name in OPTIONS and OPTIONS[name].file}
    named = {**options, **{name: Path(value).name for name, value in files.items()}}
    return [word for name, value in named.items() for word in (f"--{name}", value)]
