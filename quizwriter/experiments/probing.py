"""What if: variants of tossups, played by every player, and how much each kind of change costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quizwriter.domain.guessing import Player, PlayOutline
from quizwriter.domain.tossup import Tossup
from quizwriter.experiments import column
from quizwriter.experiments.estimates import share_of
from quizwriter.experiments.inference import generator, mcnemar, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.services.what_if import WhatIf
from quizwriter.workflow.probes import (
    Probe,
    Variant,
    frame_only,
    masked_names,
    only_clue,
    only_sentence,
    shuffled_clues,
    split_clues,
    swapped_clues,
    without_clue,
)
from quizwriter.workflow.wording import counted_noun, player_title

PROBES = ("drop", "solo", "swap", "first", "last", "shuffle", "frame", "mask")
"""The probes of this experiment, by the names that ``--probe`` takes."""

MOST_CLUES = 40
"""A tossup of more clues is none, and is left out."""


@dataclass(frozen=True)
class _Played:
    """A player's game on a tossup, and on each variant of a probe."""

    question: SourceQuestion
    before: PlayOutline
    after: tuple[PlayOutline, ...]


def variants_of(
    question: SourceQuestion, probe: str, seed: int, *, in_words: Tossup | None = None
) -> Iterator[Variant]:
    """The variants that ``probe`` makes of ``question``; none where it makes none."""
    tossup = in_words or question.tossup
    clues = split_clues(tossup)
    if probe == "drop":
        yield from (without_clue(tossup, clues, at) for at in range(len(clues)) if len(clues) > 1)
    elif probe == "solo":
        yield from (only_clue(tossup, clues, at) for at in range(len(clues)))
    elif probe == "swap":
        yield from (swapped_clues(tossup, clues, at) for at in range(len(clues) - 1))
    elif probe in {"first", "last"}:
        yield only_sentence(tossup, Probe(probe))
    elif probe == "shuffle":
        yield shuffled_clues(tossup, clues, seed)
    elif probe == "mask":
        yield masked_names(tossup)
    else:
        framed = frame_only(tossup, question.category)
        if framed is not None:
            yield framed


@experiment(
    "whatif",
    title="What if",
    asks="What is each clue worth, and what would fool the players?",
    source="Jia and Liang 2017; Chen et al. 2019 (answer only); Wallace et al. 2019, section 5",
    columns=(
        column.text("player"), column.text("probe"), column.count("tossups"), column.count("variants"),
        column.share("right before"), column.share("right after"), column.share("change"),
        column.share("worst of a tossup"), column.share("shift of first right"),
        column.p_value("McNemar p"),
    ),
    plot=Plot.bars("tossups right in the end, per cent", ""),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    options=("probe",),
    details=(
        column.text("question"), column.text("answer"), column.text("player"), column.text("probe"),
        column.count("variants"), column.text("right before"), column.count("right after"),
        column.text("single point of failure"),
    ),
)  # fmt: skip
def whatif(given: ExperimentInputs) -> Found:
    """The table has a row for each player and probe, of the tossups whose answers the player can know."""
    probes = tuple(
        name.strip() for name in given.option("probe", ",".join(PROBES)).split(",") if name.strip()
    )
    if unknown := [name for name in probes if name not in PROBES]:
        raise refuse(
            f"There is no probe {' and '.join(unknown)} here.", f"Choose some of {', '.join(PROBES)}."
        )
    questions = []
    for one in given.resolved(given.questions):
        if 1 < len(split_clues(one.tossup)) <= MOST_CLUES:
            questions.append(one)
        else:
            given.left_out["a tossup of one clue, or of too many"] += 1
    if not questions:
        raise refuse("No question has two clues or more.", "Name whole tossups.")
    draw, asked = generator(given.seed, "whatif"), WhatIf()
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, sentences = [], []

    def play(player: Player, one: SourceQuestion) -> dict[str, _Played] | None:
        """The games on the variants of each probe; None where the player cannot know the answer."""
        wanted = [(name, made) for name in probes for made in variants_of(one, name, given.seed)]
        tossups = [one.tossup, *(made.tossup for _, made in wanted)]
        before, *after = asked.play(player, one.tossup, tossups, cancellation=given.cancellation)
        if not before.knowable:
            given.left_out[f"tossups whose answers {player_title(player.name)} cannot know"] += 1
            return None
        games: dict[str, list[PlayOutline]] = {}
        for (name, _), outline in zip(wanted, after, strict=True):
            games.setdefault(name, []).append(outline)
        return {name: _Played(one, before, tuple(of)) for name, of in games.items()}

    for player_name, played in given.by_player("plays variants", questions, play):
        title = player_title(player_name)
        known = [games for games in played if games is not None]
        found = {name: [games[name] for games in known if name in games] for name in probes}
        rows += [_row(player_name, name, found[name], draw) for name in probes]
        details += [_detail(player_name, name, one) for name in probes for one in found[name]]
        series.append(_series(title, rows[-len(probes) :]))
        sentences.append(_sentence(title, found))
    remarks = [
        "Right means right after the last word. The change is of the mean over the variants of a tossup, by "
        "bootstrap over tossups. The worst of a tossup counts it as wrong if any variant is: that is fair to "
        "players, which say the same each time, and never to people.",
    ]
    return Found(rows, "; ".join(sentences) + ".", series, remarks, details)


def _is_right(outline: PlayOutline) -> bool:
    return outline.stable_correct is not None


def _first(outline: PlayOutline) -> float:
    first, words = outline.first_correct, outline.words
    return first / words if first is not None and words else 1.0


def _row(name: str, probe: str, played: Sequence[_Played], draw: np.random.Generator) -> list[Cell]:
    number = len(played)
    variants = sum(len(one.after) for one in played)
    if not number:
        return [name, probe, 0, 0, *([None] * 6)]
    before = np.array([float(_is_right(one.before)) for one in played])
    after = np.array([np.mean([_is_right(each) for each in one.after]) for one in played])
    worst = [all(_is_right(each) for each in one.after) for one in played]
    shifts = np.array([np.mean([_first(each) for each in one.after]) - _first(one.before) for one in played])
    columns = np.column_stack([before, after, after - before, shifts])
    estimates = mean_estimates(columns, draw)
    lost = sum(is_right and not held for is_right, held in zip(before > 0, worst, strict=True))
    won = sum(held and not is_right for is_right, held in zip(before > 0, worst, strict=True))
    return [
        name, probe, number, variants, estimates[0], estimates[1], estimates[2],
        share_of(sum(worst), number), estimates[3], mcnemar(lost, won).p,
    ]  # fmt: skip


def _series(label: str, rows: Sequence[Sequence[Cell]]) -> Series:
    shown = [row for row in rows if row[2]]
    return Series.of(label, [str(row[1]) for row in shown], [row[5] for row in shown])


def _single_points(played: Sequence[_Played]) -> tuple[int, int]:
    """How many tossups lose the answer with one of their clues, and how many were right before."""
    right = [one for one in played if _is_right(one.before)]
    return sum(not all(_is_right(each) for each in one.after) for one in right), len(right)


def _sentence(title: str, found: dict[str, list[_Played]]) -> str:
    if dropped := found.get("drop"):
        lost, right = _single_points(dropped)
        of = share_of(lost, right)
        if of.value is not None:
            return (
                f"{title} loses {lost:,} of the {right:,} tossups that it gets ({100 * of.value:.1f} %) when "
                "one clue is left out"
            )
    played = max((len(one) for one in found.values()), default=0)
    return f"{title} played variants of {counted_noun(played, 'tossup')}"


def _detail(name: str, probe: str, one: _Played) -> list[Cell]:
    right = sum(_is_right(each) for each in one.after)
    fails = _is_right(one.before) and right < len(one.after)
    return [
        one.question.key, one.question.title, name, probe, len(one.after),
        "yes" if _is_right(one.before) else "no", right,
        ("yes" if fails else "no") if probe == "drop" else "",
    ]  # fmt: skip
