"""Who loses more on adversarial questions, retrieval or networks: the drop of each player beside others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeGuard

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.experiments import column
from quizwriter.experiments.curves import known_by_any, matched_control
from quizwriter.experiments.inference import Floats, generator, mean_estimates
from quizwriter.experiments.inputs import RECORDED, ExperimentInputs, SourceQuestion
from quizwriter.experiments.people import percent
from quizwriter.experiments.published import printed_figures
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.wording import counted_noun, player_title

ADVERSARIAL = "adversarial"

SHARES = (25, 50, 75, 100)
"""Per cent of the words after which the table gives the accuracy."""

FEWEST = 20
"""Pairs that all players can know, of which a fall is told."""

_DROP, _SAME = "drop", "drop, same answer"

_PRINTED = "DAN keeps this share of its accuracy on challenge questions"
"""The printed figure that this experiment is set beside."""


class _Fall(msgspec.Struct, frozen=True):
    """A player on the pairs: row i has what it is worth after each of the shares, 1 for right.

    ``known`` are the pairs of which it can know both answers.
    """

    regular: Floats
    adversarial: Floats
    known: npt.NDArray[np.bool_]

    @property
    def drops(self) -> Floats:
        return self.regular - self.adversarial


@experiment(
    ADVERSARIAL,
    title="Adversarial questions",
    asks="Who loses more on adversarial questions: retrieval or networks?",
    source="Wallace et al. 2019, figure 3",
    columns=(
        column.text("player"), column.text("of"), column.count("pairs"),
        *(column.share(f"right after {at} %") for at in SHARES),
    ),
    plot=Plot.bars("right after the last word, per cent of the questions"),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    may=(Need.AGAINST_QUESTIONS,),
    unread=True,
    options=("draw", RECORDED),
    details=(
        column.text("question"), column.text("answer"), column.text("control"), column.text("same answer"),
        column.text("player"), column.text("right in the end"), column.text("control right in the end"),
    ),
)  # fmt: skip
def adversarial(given: ExperimentInputs) -> Found:
    """The table has for each player the regular and the adversarial questions and its drop; then, for each
    two players, how much more the one loses than the other, on the pairs that every player can know."""
    questions = _drawn(given, given.unread_questions)
    control, pairs, same = matched_control(given, questions, known_by_any(given.summaries(questions)))
    paired = [questions[at] for at in pairs]
    played, beside = given.summaries(paired), given.summaries(control)
    falls = {name: _fall(beside[name], games) for name, games in played.items()}
    every = np.logical_and.reduce([one.known for one in falls.values()])
    if every.sum() < FEWEST:
        raise refuse(
            f"All players can know the answers of only {counted_noun(int(every.sum()), 'pair')}; "
            f"{FEWEST} are needed.",
            "Name more questions, or fewer players with --players.",
        )
    rows: list[list[Cell]] = []
    for name, one in falls.items():
        rows += [
            _row(name, "regular", one.regular[every], given.seed),
            _row(name, "adversarial", one.adversarial[every], given.seed),
            _row(name, _DROP, one.drops[every], given.seed),
            _row(name, _SAME, one.drops[every & same], given.seed),
            _row(name, "drop of all", one.drops, given.seed),  # what it cannot know counts as wrong
        ]
    more = {
        (one, other, of): _row(
            f"{other} less {one}", of, (falls[other].drops - falls[one].drops)[chosen], given.seed
        )
        for of, chosen in ((_DROP, every), (_SAME, every & same))
        for one, other in combinations(falls, 2)
    }
    remarks = [
        f"Each adversarial question has a question of {given.against_from or 'the bundle, held back'} beside "
        f"it: {int(same.sum()):,} of {len(pairs):,} are on the same answer, the others of the same category "
        "if there is one; then the nearest in length, in how often the answer was asked, and in difficulty "
        "where it is known. Intervals are by bootstrap over pairs.",
        f"The rows are of the {int(every.sum()):,} pairs of which every player can know both answers; in "
        "*drop of all*, an answer that the player cannot know counts as wrong.",
        *_printed(),
    ]
    return Found(
        [*rows, *more.values()],
        _sentence(falls, every, more),
        [_series(name, rows[5 * at : 5 * at + 2]) for at, name in enumerate(falls)],
        remarks,
        [*_details(paired, control, same, played, beside)],
    )


def _drawn(given: ExperimentInputs, questions: Sequence[SourceQuestion]) -> Sequence[SourceQuestion]:
    """Those of ``questions`` that are played: all, or as many as were asked for, drawn by the seed."""
    wanted = given.whole_option("draw", len(questions), min(FEWEST, len(questions)), len(questions))
    if wanted == len(questions):
        return questions
    given.left_out["questions that were not drawn"] += len(questions) - wanted
    chosen = generator(given.seed, f"{ADVERSARIAL} draw").permutation(len(questions))[:wanted]
    return [questions[at] for at in sorted(chosen.tolist())]


def _fall(regular: Sequence[PlaySummary], games: Sequence[PlaySummary]) -> _Fall:
    known = np.array([one.knowable and other.knowable for one, other in zip(regular, games, strict=True)])
    return _Fall(_right(regular), _right(games), known)


def _right(games: Sequence[PlaySummary]) -> Floats:
    return np.array([[float(game.right_after(at)) for at in SHARES] for game in games])


def _row(name: str, of: str, values: Floats, seed: int) -> list[Cell]:
    """The same pairs are drawn for every row of as many."""
    found = (
        mean_estimates(values, generator(seed, ADVERSARIAL)) if len(values) else [Estimate(0)] * len(SHARES)
    )
    return [name, of, len(values), *found]


def _series(name: str, rows: Sequence[Sequence[Cell]]) -> Series:
    return Series.of(player_title(name), [str(row[1]) for row in rows], [row[-1] for row in rows])


def _sentence(
    falls: Mapping[str, _Fall],
    every: npt.NDArray[np.bool_],
    more: Mapping[tuple[str, str, str], Sequence[Cell]],
) -> str:
    """Whose fall is shown to differ from the first player's, whose is not, and each player's fall."""
    fallen = [
        _fallen(name, *(float(of[every, -1].mean()) for of in (one.regular, one.adversarial)))
        for name, one in falls.items()
    ]
    told: list[str] = []
    first = next(iter(falls))
    for part in (_DROP, _SAME):
        beside = {other: row for (one, other, of), row in more.items() if of == part and one == first}
        pairs = next((row[2] for row in beside.values()), 0)
        where = f"on the {pairs:,} pairs on one answer, " if part == _SAME else ""
        cells = {other: row[-1] for other, row in beside.items()}
        shown = {other: cell for other, cell in cells.items() if _is_shown(cell)}
        told += [where + _compared(first, other, cell) for other, cell in shown.items()]
        if rest := [player_title(other) for other in cells if other not in shown]:
            names = f"{player_title(first)} and {' or '.join(rest)}"
            told.append(f"{where}no difference is shown between the falls of {names}")
        if part == _DROP:
            told.append(", ".join(fallen))
    number = int(every.sum())
    return f"On {number:,} pairs of a regular and an adversarial question, {'; '.join(told)}."


def _fallen(name: str, regular: float, adversarial: float) -> str:
    before, after = percent(regular), percent(adversarial)
    if before == after:
        return f"{player_title(name)} stays at {after}"
    moves = "falls" if adversarial < regular else "rises"
    return f"{player_title(name)} {moves} from {before} to {after}"


def _is_shown(cell: Cell) -> TypeGuard[Estimate]:
    if not isinstance(cell, Estimate):
        return False
    return cell.low is not None and cell.high is not None and not cell.low <= 0 <= cell.high


def _compared(one: str, other: str, cell: Estimate) -> str:
    """How much more one of the two loses, where that is shown."""
    assert cell.value is not None
    assert cell.low is not None
    assert cell.high is not None
    loser, winner = (other, one) if cell.value > 0 else (one, other)
    low, high = sorted((abs(100 * cell.low), abs(100 * cell.high)))
    return (
        f"{player_title(loser)} loses {abs(100 * cell.value):.1f} points more than {player_title(winner)} "
        f"({low:.1f} to {high:.1f})"
    )


def _printed() -> list[str]:
    """What the paper prints, from the list of printed figures."""
    return [
        f"As printed by {one.paper}: its DAN falls from {one.values[1]} to {one.values[0]} % at the end, on "
        "other questions and with another training."
        for one in printed_figures()
        if one.what == _PRINTED
    ]


def _details(
    questions: Sequence[SourceQuestion],
    control: Sequence[SourceQuestion],
    same: npt.NDArray[np.bool_],
    played: Mapping[str, Sequence[PlaySummary]],
    beside: Mapping[str, Sequence[PlaySummary]],
) -> list[list[Cell]]:
    def said(game: PlaySummary) -> str:
        return ("yes" if game.right_after(100) else "no") if game.knowable else ""

    return [
        [one.key, one.title, other.key, "yes" if on_it else "no", name, said(game), said(regular)]
        for name, games in played.items()
        for one, other, on_it, game, regular in zip(
            questions, control, same, games, beside[name], strict=True
        )
    ]
