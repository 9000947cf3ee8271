"""Whether players are sure where they are right, and whether people have answered by then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.experiments import column
from quizwriter.experiments.clue_readings import clue_ends
from quizwriter.experiments.inference import (
    Floats,
    bootstrap_ratio,
    bootstrap_statistic,
    generator,
    interval,
    mean_estimates,
)
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.people import RIGHT, people_estimates, sample_of
from quizwriter.experiments.registry import YES, Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.store.plays import PlayRecord
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.wording import counted_noun, player_title

BINS = 10
"""Bins of equal width into which chances are sorted."""

FEWEST_ROOMS = 2
"""Rooms of a tossup, so that people can be held against each other."""


def mean_calibration_error(right: Sequence[bool], chances: Sequence[float]) -> float:
    """One less the mean of what a player is sure of where it is right: MCE, 0 for one that always knows.

    ``right`` and ``chances`` are of the same moments of one tossup, at least one.

    Source:
        Sung et al., "GRACE: A Granular Benchmark for Evaluating Model Calibration against Human
        Calibration", ACL 2025: 1 - E[g c].
    """
    return cal_score(right, chances, [0.0] * len(chances))


def cal_score(right: Sequence[bool], chances: Sequence[float], answered: Sequence[float]) -> float:
    """As :func:`mean_calibration_error`, where a moment counts as far as people have not ``answered`` yet.

    ``answered`` has the share of people who were right by each of the moments.

    Source:
        As before: CalScore, 1 - E[(1 - h) g c].
    """
    return 1 - float(
        np.mean((1 - np.asarray(answered)) * np.asarray(right, np.float64) * np.asarray(chances))
    )


def peoples_scores(answered: Sequence[int], rooms: int) -> tuple[float, float]:
    """MCE and CalScore of people on one tossup: each room as a player, the other rooms as people.

    A room is sure, and right, from its right buzz on. ``answered`` has how many of ``rooms``, at least two,
    were answered rightly by each moment.
    """
    count = np.asarray(answered, np.float64)
    share = count / rooms
    others_open = 1 - (count - 1) / (rooms - 1)
    return 1 - float(share.mean()), 1 - float((share * others_open).mean())


class _Sure(msgspec.Struct, frozen=True):
    """What one player was sure of on one tossup, at the ends of its clues."""

    right: tuple[bool, ...]
    chances: tuple[float, ...]
    answered: tuple[float, ...]
    buzzed: bool
    buzzed_right: bool

    @property
    def scores(self) -> tuple[float, float, float, float]:
        """CalScore, MCE, the mean chance, and the share that is right."""
        return (
            cal_score(self.right, self.chances, self.answered),
            mean_calibration_error(self.right, self.chances),
            float(np.mean(self.chances)),
            float(np.mean(self.right)),
        )


@experiment(
    "versus --calibration",
    title="Sure and right",
    asks="Are the players sure where they are right, and have people answered by then?",
    source="Sung et al. 2025 (GRACE)",
    columns=(
        column.text("player"), column.count("tossups"), column.count("moments"), column.share("CalScore"),
        column.share("MCE"), column.share("mean chance"), column.share("right"), column.share("Brier score"),
        column.share("calibration error"), column.share("right of its buzzes"),
    ),
    plot=Plot.lines("chance of the first guess, per cent", "first guesses that are right, per cent"),
    needs=(Need.QUESTIONS, Need.BUZZES, Need.PLAYERS),
    options=("calibration",),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("player"), column.number("CalScore"),
        column.number("MCE"), column.number("mean chance"), column.number("right"), column.count("rooms"),
    ),
)  # fmt: skip
def calibration(given: ExperimentInputs) -> Found:
    """The table has a row for each player, and one for people, where each room plays the others."""
    given.option("calibration", YES, (YES,))
    of_question = given.rooms_by_question
    given.count_unplayed()
    few = [key for key, rooms in of_question.items() if len(rooms) < FEWEST_ROOMS]
    questions = [
        one
        for one in given.unread_questions
        if len(of_question.get(one.key, ())) >= FEWEST_ROOMS and one.tossup.words
    ]
    if few:
        given.left_out[f"tossups with fewer than {FEWEST_ROOMS} rooms"] += len(few)
    if not questions:
        raise refuse(
            f"No question was played in {FEWEST_ROOMS} rooms.", "Name more buzzes, or their questions."
        )
    ends = {one.key: clue_ends(one.tossup, len(one.tossup.words)) for one in questions}
    answered = {one.key: _answered(one, ends[one.key], of_question[one.key]) for one in questions}
    draw = generator(given.seed, "calibration")
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, sentences = [], []
    people_row, people_details = _people(given, questions, answered, draw)
    for name, games in given.courses(questions).items():
        sure: list[tuple[SourceQuestion, _Sure]] = []
        for one, game in zip(questions, games, strict=True):
            if game.summary.knowable:
                shares = answered[one.key] / len(of_question[one.key])
                sure.append((one, _moments(game, ends[one.key], shares)))
        if unknown := len(questions) - len(sure):
            given.left_out[f"tossups whose answers {player_title(name)} cannot know"] += unknown
        rows.append(_row(name, [one for _, one in sure], draw))
        details += [
            [
                one.key, one.title, name, *of.scores, len(of_question[one.key]),
            ]
            for one, of in sure
        ]  # fmt: skip
        if sure:
            series.append(_reliability(player_title(name), [one for _, one in sure], draw))
        sentences.append(_sentence(player_title(name), rows[-1]))
    rows.append(people_row)
    people = people_row[3]
    assert isinstance(people, Estimate)
    if people.value is not None:
        sentences.append(f"people against each other have {people.value:.3f} (n {people.number:,})")
    if series:
        series.append(Series("as sure as right", (0.0, 1.0), (0.0, 1.0)))
    remarks = [
        "A moment is the end of a sentence. MCE is 1 less the mean of the chance where the first guess is "
        "right; in CalScore, a moment counts as far as rooms are not answered rightly yet. Both are means of "
        "the tossups, and lower is better. The Brier score and the calibration error, in "
        f"{BINS} bins, are over all moments.",
        "People's row has each room as a player that is sure from its right buzz on, and the other rooms as "
        "the people. Rooms in which nobody buzzed are not recorded. The authors ask a model after each clue "
        "and divide by the teams that buzzed; here rooms are counted, in which only the first right buzz is "
        "known. Intervals are by bootstrap over tossups.",
    ]
    return Found(rows, "; ".join(sentences) + ".", series, remarks, [*details, *people_details])


def _answered(
    question: SourceQuestion, ends: Sequence[int], rooms: Sequence[PlayedRoom]
) -> npt.NDArray[np.int64]:
    """How many of ``rooms`` were answered rightly by each of ``ends``."""
    words = len(question.tossup.words)
    at = [one.share(one.room.answered_at) for one in rooms if one.room.answered_at is not None]
    return np.searchsorted(np.sort(np.array(at)), np.array(ends) / words + 1e-9, side="right")


def _moments(game: PlayRecord, ends: Sequence[int], answered: Floats) -> _Sure:
    course, summary = game.course, game.summary
    at = np.searchsorted(course.heard, ends, side="right") - 1
    return _Sure(
        tuple(bool(course.right[place]) if place >= 0 else False for place in at.tolist()),
        tuple(course.chances[place] if place >= 0 else 0.0 for place in at.tolist()),
        tuple(answered.tolist()),
        summary.buzz is not None,
        summary.buzzes_right,
    )


def _row(name: str, sure: Sequence[_Sure], draw: np.random.Generator) -> list[Cell]:
    if not sure:
        return [name, 0, 0, *([Estimate(0)] * 7)]
    means = mean_estimates(np.array([one.scores for one in sure]), draw)
    errors = np.array(
        [sum((c - r) ** 2 for c, r in zip(one.chances, one.right, strict=True)) for one in sure]
    )
    counts = np.array([len(one.right) for one in sure], np.float64)
    moments = int(counts.sum())
    brier = interval(bootstrap_ratio(errors, counts, draw)[:, 0], float(errors.sum() / moments), moments)
    binned = np.array([_binned(one) for one in sure])
    every = np.arange(len(sure))
    error = interval(
        bootstrap_statistic(len(sure), lambda drawn: _error(binned[drawn]), draw),
        _error(binned[every]),
        moments,
    )
    return [
        name, len(sure), moments, *means, brier, error,
        share_of(sum(one.buzzed_right for one in sure), sum(one.buzzed for one in sure)),
    ]  # fmt: skip


def _binned(one: _Sure) -> Floats:
    """For each bin: how many moments, the sum of their chances, how many are right; ``[3, BINS]``."""
    found = np.zeros((3, BINS))
    for chance, right in zip(one.chances, one.right, strict=True):
        found[:, min(int(chance * BINS), BINS - 1)] += (1, chance, right)
    return found


def _error(binned: Floats) -> float:
    """The expected calibration error: the mean distance of what was said from what was right."""
    count, said, right = binned.sum(axis=0)
    return float(np.abs(said - right).sum() / count.sum())


def _reliability(label: str, sure: Sequence[_Sure], draw: np.random.Generator) -> Series:
    """The share that is right by the mean chance, for each bin that has any."""
    binned = np.array([_binned(one) for one in sure])
    count, said, right = binned.sum(axis=0)
    drawn = bootstrap_ratio(binned[:, 2], binned[:, 0], draw)
    there = np.flatnonzero(count)
    shares = [interval(drawn[:, at], float(right[at] / count[at]), int(count[at])) for at in there.tolist()]
    return Series.of(label, (said[there] / count[there]).tolist(), shares)


def _people(
    given: ExperimentInputs,
    questions: Sequence[SourceQuestion],
    answered: Mapping[str, npt.NDArray[np.int64]],
    draw: np.random.Generator,
) -> tuple[list[Cell], list[list[Cell]]]:
    """The row of people, and what was found of each question."""
    columns, details, played = [], list[list[Cell]](), list[PlayedRoom]()
    for one in questions:
        rooms = given.rooms_by_question[one.key]
        played += rooms
        mce, score = peoples_scores(answered[one.key].tolist(), len(rooms))
        share = float((answered[one.key] / len(rooms)).mean())
        columns.append((score, mce, share))
        details.append([one.key, one.title, "people", score, mce, None, share, len(rooms)])
    score_of, mce_of, share_of_rooms = mean_estimates(np.array(columns), draw)
    moments = sum(len(answered[one.key]) for one in questions)
    row: list[Cell] = [
        "people", len(questions), moments, score_of, mce_of, None, share_of_rooms, None, None,
        people_estimates(sample_of(played), given.seed)[RIGHT],
    ]  # fmt: skip
    return row, details


def _sentence(title: str, row: Sequence[Cell]) -> str:
    score, mce, chance, right = row[3:7]
    for one in (score, mce, chance, right):
        assert isinstance(one, Estimate)
        if one.value is None:
            return f"{title} can know the answer of none of these tossups"
    assert isinstance(score, Estimate)
    assert isinstance(chance, Estimate)
    assert isinstance(right, Estimate)
    return (
        f"{title} has a CalScore of {score.value:.3f} on {counted_noun(score.number, 'tossup')}, with a mean "
        f"chance of {100 * (chance.value or 0):.1f} % where it is right in {100 * (right.value or 0):.1f} %"
    )
