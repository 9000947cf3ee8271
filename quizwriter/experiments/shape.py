"""The shape of tossups: whether the clues go from hard to easy, by people and by players."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean

import msgspec
import numpy as np

from quizwriter.experiments import column
from quizwriter.experiments.clue_readings import ClueReading, clue_ends, read_clues
from quizwriter.experiments.inference import (
    bootstrap_ratio,
    generator,
    interval,
    kendall_tau,
    mean_estimates,
    roc_estimate,
    spearman,
)
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.people import percent
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.what_if import INVERSION_MARGIN
from quizwriter.workflow.wording import counted_noun, player_title

FEWEST_RIGHT = 10
"""Right buzzes that a tossup needs, for its shape to be told."""

FEWEST_CLUES = 4
"""Clues that a tossup needs; a clue is a sentence."""

FEWEST_LEFT = 5
"""Right buzzes still to come that a clue needs, for its hazard to be told."""

MARGIN = 0.05
"""How much more hazard an earlier clue must have than a later one to be out of order."""

RACE_WORDS, RACE_SHARE, RACE_END = 5, 0.4, 0.95
"""A buzzer race: so many of all right buzzes within so many words, in so much of the tossup."""

PILE_UP_WRONG, PILE_UP_SHARE = 5, 0.6
"""A neg pile-up: of so many wrong buzzes or more, so many in one clue."""

AGREEMENT_COLUMNS = 8
"""Columns that hold a player against people."""


class PeoplesShape(msgspec.Struct, frozen=True):
    """What people's buzzes say of one tossup.

    ``hazards`` has the hazard of each clue before the last, as far as :data:`FEWEST_LEFT` right buzzes were
    still to come: the share of those that came in the clue.
    """

    question: SourceQuestion
    right: int
    wrong: int
    hazards: tuple[float, ...]
    race_share: float
    pile_up_share: float | None
    pile_up_clue: int | None

    @property
    def pairs(self) -> int:
        """How many pairs of clues have an order."""
        return math.comb(len(self.hazards), 2)

    @property
    def inversions(self) -> int:
        """How many of these pairs are out of order by more than :data:`MARGIN`."""
        return sum(early > late + MARGIN for early, late in combinations(self.hazards, 2))

    @property
    def has_race(self) -> bool:
        return self.race_share >= RACE_SHARE

    @property
    def has_pile_up(self) -> bool:
        return self.pile_up_share is not None and self.pile_up_share >= PILE_UP_SHARE

    @property
    def cliff(self) -> float | None:
        """The largest rise of the hazard from one clue to the next; None with fewer than two clues."""
        rises = [late - early for early, late in zip(self.hazards, self.hazards[1:], strict=False)]
        return max(rises, default=None)


def peoples_shape(rooms: Sequence[PlayedRoom]) -> PeoplesShape | None:
    """The shape of the tossup of these ``rooms`` by their buzzes; None if they are too few to tell."""
    question = rooms[0].question
    if question is None:
        return None
    buzzes = [(buzz.position, buzz.right) for one in rooms for buzz in one.room.buzzes]
    right = sorted(position for position, is_right in buzzes if is_right)
    words = rooms[0].words
    ends = clue_ends(question.tossup, words)
    if len(right) < FEWEST_RIGHT or len(ends) < FEWEST_CLUES:
        return None
    of_clue, wrong_of = [0] * len(ends), [0] * len(ends)
    for position, is_right in buzzes:
        clue = min(bisect_right(ends, min(position, words - 1)), len(ends) - 1)
        (of_clue if is_right else wrong_of)[clue] += 1
    hazards, left = [], len(right)
    for hits in of_clue[:-1]:
        if left < FEWEST_LEFT:
            break
        hazards.append(hits / left)
        left -= hits
    early = [position for position in right if position / words < RACE_END]
    race = max((bisect_right(early, at + RACE_WORDS - 1) - early.index(at) for at in early), default=0)
    wrong = sum(wrong_of)
    piled = max(range(len(ends)), key=lambda clue: wrong_of[clue]) if wrong >= PILE_UP_WRONG else None
    return PeoplesShape(
        question,
        len(right),
        wrong,
        tuple(hazards),
        race / len(right),
        wrong_of[piled] / wrong if piled is not None else None,
        piled,
    )


@experiment(
    "shape",
    title="The shape of tossups",
    asks="Is the pyramid a pyramid: do clues go from hard to easy?",
    source="Wallace et al. 2019, section 2.1; the guides for writers on shape, cliffs and buzzer races",
    columns=(
        column.text("by"), column.count("tossups"), column.share("clue pairs out of order"),
        column.share("tossups out of order"), column.number("tau with the order", estimated=True),
        column.share("buzzer race"), column.share("neg pile-up"), column.share("giveaway alone is enough"),
        column.number("Spearman with people", estimated=True), column.share("ROC area, pairs out of order"),
        column.share("ROC area, tossups out of order"), column.share("ROC area, buzzer races"),
        column.share("ROC area, neg pile-ups"), column.share("marked pairs that people have"),
        column.share("marked cliffs where people race"), column.share("swerve alarms where people pile up"),
    ),
    plot=Plot.bars("per cent", "", shares=True),
    needs=(Need.QUESTIONS,),
    may=(Need.BUZZES, Need.PLAYERS),
    options=("machines",),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.count("clues"), column.count("right buzzes"),
        column.count("wrong buzzes"), column.count("inversions"), column.number("cliff"),
        column.number("race share"), column.number("pile-up share"), column.count("pile-up clue"),
    ),
)  # fmt: skip
def shape(given: ExperimentInputs) -> Found:
    """The table has a row of people, where they buzzed, and one for each player."""
    shapes = _shapes(given) if given.buzzes_from else {}
    draw = generator(given.seed, "shape")
    rows: list[list[Cell]] = []
    sentences: list[str] = []
    if shapes:
        rows.append(_people_row(list(shapes.values()), draw))
        sentences.append(_people_sentence(list(shapes.values())))
    machines = given.option("machines", "no" if shapes else "yes", ("yes", "no"))
    if machines == "yes":
        rows += _player_rows(given, shapes, draw, sentences)
    series = [
        Series.of(
            "people" if row[0] == "people" else player_title(str(row[0])),
            ["clue pairs out of order", "tossups out of order", "buzzer race", "neg pile-up"],
            [row[2], row[3], row[5], row[6]],
        )
        for row in rows
    ]
    remarks = [
        "A clue is a sentence. Its hazard is the share of the right buzzes still to come that come in it, "
        f"where {FEWEST_LEFT} or more are still to come; the last clue, at which all that are left buzz, is "
        f"left out. Two clues are out of order if the earlier has more than {MARGIN} more.",
        f"A buzzer race is {RACE_SHARE:.0%} of all right buzzes within {RACE_WORDS} words in the first "
        f"{RACE_END:.0%} of a tossup; a neg pile-up {PILE_UP_SHARE:.0%} of {PILE_UP_WRONG} or more wrong "
        "buzzes in one clue.",
    ]
    return Found(rows, ". ".join(sentences) + ".", series, remarks, [_detail(one) for one in shapes.values()])


def _shapes(given: ExperimentInputs) -> dict[str, PeoplesShape]:
    found = {}
    given.count_unplayed()
    for key, rooms in given.rooms_by_question.items():
        told = peoples_shape(rooms)
        if told is None:
            given.left_out[
                f"tossups with fewer than {FEWEST_RIGHT} right buzzes or {FEWEST_CLUES} clues"
            ] += 1
        else:
            found[key] = told
    if not found:
        raise refuse(
            f"No tossup has {FEWEST_RIGHT} right buzzes and {FEWEST_CLUES} clues.",
            "Name buzzes of more rooms, or leave --buzzes out to see the players alone.",
        )
    return found


def _people_row(shapes: Sequence[PeoplesShape], draw: np.random.Generator) -> list[Cell]:
    pairs = np.array([[one.inversions, one.pairs] for one in shapes], dtype=np.float64)
    drawn = bootstrap_ratio(pairs[:, 0], pairs[:, 1], draw)[:, 0]
    total = int(pairs[:, 1].sum())
    share_out = float(pairs[:, 0].sum() / total) if total else None
    judged = [one for one in shapes if one.pairs]
    taus = [kendall_tau(one.hazards, list(range(len(one.hazards)))) for one in shapes]
    return [
        "people", len(shapes), interval(drawn, share_out, total),
        share_of(sum(one.inversions > 0 for one in judged), len(judged)), _mean(taus, draw),
        share_of(sum(one.has_race for one in shapes), len(shapes)),
        share_of(sum(one.has_pile_up for one in shapes), len(shapes)), None, *[None] * AGREEMENT_COLUMNS,
    ]  # fmt: skip


def _mean(values: Sequence[float | None], draw: np.random.Generator) -> Estimate:
    there = np.array([one for one in values if one is not None], dtype=np.float64)
    return mean_estimates(there[:, None], draw)[0]


def _people_sentence(shapes: Sequence[PeoplesShape]) -> str:
    pairs = sum(one.pairs for one in shapes)
    out = sum(one.inversions for one in shapes)
    return (
        f"By people's buzzes on {counted_noun(len(shapes), 'tossup')}, "
        f"{percent(out / pairs if pairs else None)} of {pairs:,} pairs of clues are out of order, "
        f"{percent(fmean(one.has_race for one in shapes))} of the tossups have a buzzer race and "
        f"{percent(fmean(one.has_pile_up for one in shapes))} a neg pile-up"
    )


def _player_rows(
    given: ExperimentInputs,
    shapes: Mapping[str, PeoplesShape],
    draw: np.random.Generator,
    sentences: list[str],
) -> list[list[Cell]]:
    chosen = given.unread([one for one in given.resolved(given.questions) if not shapes or one.key in shapes])
    questions = [one for one in chosen if len(one.tossup.sentences) > 1]
    if len(questions) < len(chosen):
        given.left_out["a tossup of one clue"] += len(chosen) - len(questions)
    if not questions:
        raise refuse("No question has two clues or more.", "Name whole tossups.")
    rows: list[list[Cell]] = []
    for name, readings in given.by_player(
        "hears each clue alone", questions, lambda player, one: read_clues(player, one.tossup)
    ):
        rows.append(_player_row(name, questions, readings, shapes, draw))
        sentences.append(_player_sentence(name, rows[-1]))
    return rows


def _player_sentence(name: str, row: Sequence[Cell]) -> str:
    out, agreed, area = row[2], row[8], row[9]
    assert isinstance(out, Estimate)
    said = f"For {player_title(name)}, {percent(out.value)} of {out.number:,} pairs are out of order"
    if isinstance(agreed, Estimate) and agreed.value is not None:
        said += f"; Spearman's correlation of its ease with people's hazard is {agreed.value:.2f}"
    if isinstance(area, Estimate) and area.value is not None:
        said += f", and its falls of ease tell people's pairs out of order with an area of {area.value:.2f}"
    return said


def _player_row(
    name: str,
    questions: Sequence[SourceQuestion],
    readings: Sequence[ClueReading],
    shapes: Mapping[str, PeoplesShape],
    draw: np.random.Generator,
) -> list[Cell]:
    eases = [one.ease for one in readings]
    inversions = [sum(a > b + MARGIN for a, b in combinations(one[:-1], 2)) for one in eases]
    pairs = [math.comb(len(one) - 1, 2) for one in eases]
    drawn = bootstrap_ratio(np.array(inversions, float), np.array(pairs, float), draw)[:, 0]
    share_out = sum(inversions) / sum(pairs) if sum(pairs) else None
    judged = [at for at, of in enumerate(pairs) if of]
    taus = [kendall_tau(one, list(range(len(one)))) for one in eases]
    compared = [
        (reading, shapes[question.key])
        for question, reading in zip(questions, readings, strict=True)
        if question.key in shapes
    ]
    return [
        name, len(questions), interval(drawn, share_out, sum(pairs)),
        share_of(sum(inversions[at] > 0 for at in judged), len(judged)), _mean(taus, draw),
        share_of(sum(one.has_cliff for one in readings), len(readings)),
        share_of(sum(one.swerves for one in readings), len(readings)),
        share_of(sum(one[-1] >= 0.5 for one in eases), len(eases)),
        *(_agreement(compared, draw) if shapes else [None] * AGREEMENT_COLUMNS),
    ]  # fmt: skip


def _agreement(
    compared: Sequence[tuple[ClueReading, PeoplesShape]], draw: np.random.Generator
) -> list[Estimate]:
    """How well a player's figures tell people's: a correlation, areas under ROC curves, and hits of marks."""
    falls, out = [], []
    for reading, people in compared:
        ease = reading.ease[: len(people.hazards)]
        falls.append([early - late for early, late in combinations(ease, 2)])
        out.append([early > late + MARGIN for early, late in combinations(people.hazards, 2)])
    marks = [[fall >= INVERSION_MARGIN for fall in of] for of in falls]
    several = [at for at, of in enumerate(out) if of]
    races = [people.has_race for _, people in compared]
    told = [at for at, (_, people) in enumerate(compared) if people.pile_up_share is not None]
    piled = [people.has_pile_up for _, people in compared]
    return [
        _mean([spearman(reading.ease[: len(people.hazards)], people.hazards) for reading, people in compared],
              draw),
        roc_estimate(falls, out, draw),
        roc_estimate([[max(falls[at])] for at in several], [[any(out[at])] for at in several], draw),
        roc_estimate([[reading.rise] for reading, _ in compared], [[race] for race in races], draw),
        roc_estimate([[compared[at][0].misled] for at in told], [[piled[at]] for at in told], draw),
        _hits(marks, out, draw),
        _hits([[reading.has_cliff] for reading, _ in compared], [[race] for race in races], draw),
        _hits([[reading.swerves] for reading, _ in compared], [[one] for one in piled], draw),
    ]  # fmt: skip


def _hits(
    marks: Sequence[Sequence[bool]], truths: Sequence[Sequence[bool]], draw: np.random.Generator
) -> Estimate:
    """The share of the marks at which people bear the program out, by bootstrap over tossups."""
    if not marks:
        return Estimate(0)
    hits = np.array(
        [sum(a and b for a, b in zip(*of, strict=True)) for of in zip(marks, truths, strict=True)]
    )
    marked = np.array([sum(of) for of in marks])
    total = int(marked.sum())
    drawn = bootstrap_ratio(hits.astype(np.float64), marked.astype(np.float64), draw)[:, 0]
    return interval(drawn, float(hits.sum() / total) if total else None, total)


def _detail(one: PeoplesShape) -> list[Cell]:
    return [
        one.question.key, one.question.title, len(one.question.tossup.sentences), one.right, one.wrong,
        one.inversions, one.cliff, one.race_share, one.pile_up_share,
        None if one.pile_up_clue is None else one.pile_up_clue + 1,
    ]  # fmt: skip
