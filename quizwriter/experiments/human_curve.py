"""The predicted curve of people: how much of it a tossup's text and a player's games tell beforehand.

A room is read clue by clue. While nobody has answered, each clue has a hazard: the chance that the room is
answered in it. A logistic regression tells it from features of the clue, on top of the mean curve of the
tossup's difficulty, and is judged on tossups that it was not fitted on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.experiments import column
from quizwriter.experiments.clue_readings import ClueReading, clue_ends, read_clues
from quizwriter.experiments.inference import Floats, bootstrap_ratio, generator, interval, ridge_logistic
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.people import percent
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.wording import counted_noun, listed, player_title

FOLDS = 5
"""Parts of the tossups; each is foretold by what the others taught."""

FEWEST_TOSSUPS = 50
"""Tossups with a room that a fit needs."""

PENALTY = 3.0
"""Of the squared coefficients of features, which are in standard deviations."""

PRIOR_ROOMS = 8.0
"""How many rooms the mean curve counts for beside the other rooms of a tossup."""

MEAN, OF_DIFFICULTY, TEXT = "mean curve of all", "mean curve of the difficulty", "fitted on the text"
CEILING = "by the other rooms of the same tossup"
"""What is known once the tossup was played elsewhere: a ceiling for what its text can tell."""

_LEAST = 1e-4  # no clue is sure to be answered, or not to be
_BINS = 10
_STRONGEST = 4  # features that the remark names


class HeardTossup(msgspec.Struct, frozen=True):
    """A tossup clue by clue, with what its rooms did.

    ``open`` has the rooms that nobody had answered when each clue began, ``answered`` those answered in it;
    ``ends`` the share of the words at the end of each clue. ``text`` and ``played`` are features by clue.
    """

    question: SourceQuestion
    rooms: int
    open: Floats
    answered: Floats
    ends: Floats
    text: Floats
    played: Floats

    @property
    def begins(self) -> Floats:
        return np.concatenate([[0.0], self.ends[:-1]])

    @property
    def group(self) -> int:
        """The difficulty; -1 where it is not known."""
        return -1 if self.question.difficulty is None else self.question.difficulty


_TEXT_FEATURES = (
    "place of the clue", "words of the clue", "clues of the tossup", "words of the tossup", "last clue",
    "last clue but one", "“for 10 points”", "times the answer was asked", "stock clue",
    "stock clue on the answer", "nearly the same as a past sentence",
)  # fmt: skip
_PLAYED_FEATURES = ("ease of the clue alone", "chance after the clue", "chance before the clue", "rise")


def clue_outcomes(ends: Sequence[int], rooms: Sequence[PlayedRoom]) -> tuple[Floats, Floats]:
    """For each clue, in how many rooms nobody had been right before it, and how many were answered in it."""
    answered = np.zeros(len(ends))
    for one in rooms:
        at = one.room.answered_at
        if at is not None:
            answered[bisect_left(ends, min(at, one.words - 1) + 1)] += 1
    return len(rooms) - np.cumsum(answered) + answered, answered


def mean_curve(heard: Sequence[HeardTossup]) -> npt.NDArray[np.float64]:
    """The share of all rooms answered after each per cent of the words, from 0 to 100.

    Within a clue, the rooms answered in it are spread evenly over its words.
    """
    grid = np.linspace(0, 1, 101)
    sums, rooms = np.zeros(101), 0
    for one in heard:
        reached = np.cumsum(one.answered)
        sums += np.interp(grid, np.concatenate([[0.0], one.ends]), np.concatenate([[0.0], reached]))
        rooms += one.rooms
    return np.asarray(sums / rooms, dtype=np.float64)


def curve_hazards(curve: npt.NDArray[np.float64], one: HeardTossup) -> Floats:
    """The hazard of each clue where people follow ``curve``."""
    reached = np.interp(np.concatenate([[0.0], one.ends]), np.linspace(0, 1, 101), curve)
    left = np.maximum(1 - reached[:-1], _LEAST)
    return np.asarray(np.clip(np.diff(reached) / left, _LEAST, 1 - _LEAST), dtype=np.float64)


def log_losses(one: HeardTossup, hazards: Floats) -> float:
    """The sum over the rooms of ``one`` of minus the logarithm of the chance of what came to pass there."""
    return float(-(one.answered @ np.log(hazards) + (one.open - one.answered) @ np.log1p(-hazards)))


def ceiling_losses(one: HeardTossup, hazards: Floats) -> float:
    """As :func:`log_losses`, where each room is foretold by the other rooms of the same tossup.

    They count beside :data:`PRIOR_ROOMS` rooms with the ``hazards``. No prediction from a text can know more.
    """

    def told(open_rooms: Floats, answered: Floats) -> Floats:
        chances = (answered + PRIOR_ROOMS * hazards) / (open_rooms + PRIOR_ROOMS)
        return np.asarray(np.clip(chances, _LEAST, 1 - _LEAST), dtype=np.float64)

    found = 0.0
    silent = one.rooms - one.answered.sum()
    if silent:
        found -= silent * float(np.log1p(-told(one.open - 1, one.answered)).sum())
    for at in np.flatnonzero(one.answered).tolist():
        still_open, answered = one.open.copy(), one.answered.copy()
        still_open[: at + 1] -= 1
        answered[at] -= 1
        chances = told(still_open, answered)
        found -= one.answered[at] * float(np.log1p(-chances[:at]).sum() + np.log(chances[at]))
    return found


class CurveModel(msgspec.Struct):
    """What a fit learned: the mean curves by difficulty, and the coefficients of the features."""

    curves: Mapping[int, Floats]
    names: tuple[str, ...]
    played: bool
    categories: tuple[str, ...]
    centre: Floats
    scale: Floats
    coefficients: Floats

    @classmethod
    def fitted(cls, heard: Sequence[HeardTossup], *, played: bool) -> CurveModel:
        """The model that these tossups teach; with ``played``, the features of the player count, too."""
        by_group: dict[int, list[HeardTossup]] = {}
        for one in heard:
            by_group.setdefault(one.group, []).append(one)
        curves = {group: mean_curve(of) for group, of in by_group.items()} | {-2: mean_curve(heard)}
        categories = tuple(sorted({one.question.category for one in heard}))
        names = (*_TEXT_FEATURES, *(_PLAYED_FEATURES if played else ()), *categories)
        size = len(names)
        model = cls(curves, names, played, categories, np.zeros(size), np.ones(size), np.zeros(size + 1))
        rows = np.concatenate([model._features(one) for one in heard])
        model.centre, model.scale = rows.mean(axis=0), rows.std(axis=0)
        model.scale[model.scale == 0] = 1.0
        model.coefficients = ridge_logistic(
            np.column_stack([np.ones(len(rows)), (rows - model.centre) / model.scale]),
            np.concatenate([one.answered for one in heard]),
            np.concatenate([one.open for one in heard]),
            np.concatenate([_logit(model.of_difficulty(one)) for one in heard]),
            PENALTY,
        )
        return model

    def _features(self, one: HeardTossup) -> Floats:
        parts = [one.text, one.played] if self.played else [one.text]
        of = np.array([one.question.category == name for name in self.categories], dtype=np.float64)
        return np.column_stack([*parts, np.repeat(of[None, :], len(one.ends), axis=0)])

    def of_all(self, one: HeardTossup) -> Floats:
        """The hazards by the mean curve of all tossups."""
        return curve_hazards(self.curves[-2], one)

    def of_difficulty(self, one: HeardTossup) -> Floats:
        """The hazards by the mean curve of the difficulty; of all where that difficulty is new."""
        return curve_hazards(self.curves.get(one.group, self.curves[-2]), one)

    def hazards(self, one: HeardTossup) -> Floats:
        from scipy.special import expit

        rows = (self._features(one) - self.centre) / self.scale
        logits = _logit(self.of_difficulty(one)) + self.coefficients[0] + rows @ self.coefficients[1:]
        return np.clip(expit(logits), _LEAST, 1 - _LEAST)

    @property
    def strongest(self) -> Iterator[tuple[str, float]]:
        """The features with the largest coefficients, for one standard deviation each."""
        order = np.argsort(-np.abs(self.coefficients[1:]), kind="stable")[:_STRONGEST]
        return ((self.names[at], float(self.coefficients[1 + at])) for at in order.tolist())


def _logit(chances: Floats) -> Floats:
    return np.log(chances) - np.log1p(-chances)


@experiment(
    "shape --fit",
    title="The predicted curve of people",
    asks="How well is it known beforehand where people answer a tossup?",
    source="no paper; the statistic is the log loss of a discrete hazard",
    columns=(
        column.text("prediction"), column.count("tossups"), column.count("rooms"),
        column.number("log loss of a room", estimated=True), column.share("less than the difficulty's"),
        column.share("distance of the curves"),
    ),
    plot=Plot.lines("predicted hazard of a clue, per cent", "rooms answered in it, per cent"),
    needs=(Need.QUESTIONS, Need.BUZZES, Need.PLAYERS),
    options=("fit", "machines"),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.count("rooms"), column.count("clues"),
        column.number("log loss, difficulty"), column.number("log loss, predicted"),
    ),
)  # fmt: skip
def predicted_curve(given: ExperimentInputs) -> Found:
    """The table has a row for each mean curve, for the text alone, and for the text with each player."""
    questions = _questions(given)
    draw = generator(given.seed, "shape --fit")
    fold_of = draw.permutation(len(questions)) % FOLDS
    texts = [_text_features(given, one) for one in given.watched("Looking up the clues", questions)]
    rows: list[list[Cell]] = []
    series: list[Series] = []
    losses: dict[str, Floats] = {}
    remarks = [
        "A room is read clue by clue until somebody is right; the log loss is minus the logarithm of the "
        "chance that was predicted for where it was answered, or for nobody. Every tossup is predicted by a "
        "fit on the other four fifths, drawn by the seed; intervals are by bootstrap over tossups.",
        "The row of the other rooms is a ceiling: there each room is foretold by what all other rooms did on "
        "the same tossup. What chance decides in a single room, nothing foretells.",
    ]
    details: list[list[Cell]] = []

    def judge(label: str, heard: Sequence[HeardTossup], hazards: Sequence[Floats]) -> None:
        loss = ceiling_losses if label == CEILING else log_losses
        losses[label] = np.array([loss(*pair) for pair in zip(heard, hazards, strict=True)])
        rows.append(_row(label, heard, hazards, losses, draw))
        if label not in {MEAN, OF_DIFFICULTY, CEILING}:
            series.append(_calibration(label, heard, hazards))

    for name, readings in given.by_player(
        "hears each clue alone", questions, lambda player, one: read_clues(player, one.tossup)
    ):
        heard = [
            _heard(question, given.rooms_by_question[question.key], text, reading)
            for question, text, reading in zip(questions, texts, readings, strict=True)
        ]
        if not rows:
            models = _cross_fitted(heard, fold_of, played=False)
            told: list[tuple[str, Callable[[CurveModel, HeardTossup], Floats]]] = [
                (MEAN, CurveModel.of_all),
                (OF_DIFFICULTY, CurveModel.of_difficulty),
                (CEILING, CurveModel.of_difficulty),
                (TEXT, CurveModel.hazards),
            ]
            for label, hazards in told:
                judge(label, heard, [hazards(*pair) for pair in zip(models, heard, strict=True)])
        label = f"fitted on the text and {player_title(name)}"
        models = _cross_fitted(heard, fold_of, played=True)
        judge(label, heard, [model.hazards(one) for model, one in zip(models, heard, strict=True)])
        strongest = listed([f"{of} ({size:+.2f})" for of, size in models[0].strongest])
        remarks.append(
            f"With {player_title(name)}, the strongest features are {strongest}, each for one standard "
            "deviation."
        )
        details = [
            [one.question.key, one.question.title, one.rooms, len(one.ends), old / one.rooms, new / one.rooms]
            for one, old, new in zip(heard, losses[OF_DIFFICULTY], losses[label], strict=True)
        ]
    return Found(rows, _sentence(rows), series, remarks, details)


def _questions(given: ExperimentInputs) -> list[SourceQuestion]:
    found = []
    given.count_unplayed()
    played = [one for one in given.resolved(given.questions) if one.key in given.rooms_by_question]
    for one in given.unread(played):
        if len(one.tossup.sentences) < 2:
            given.left_out["tossups of one clue"] += 1
        else:
            found.append(one)
    if len(found) < FEWEST_TOSSUPS:
        raise refuse(
            f"Recorded rooms are there of only {counted_noun(len(found), 'tossup')} of two clues or more, "
            f"and a fit needs {FEWEST_TOSSUPS}.",
            "Name buzzes on more tossups.",
        )
    rooms = [room for one in found for room in given.rooms_by_question[one.key]]
    if len({room.room.answered_at is None for room in rooms}) < 2:
        raise refuse(
            "Every room was answered, or none was: no curve can be fitted.", "Name buzzes of other rooms."
        )
    return found


def _text_features(given: ExperimentInputs, question: SourceQuestion) -> Floats:
    """The features of each clue that need no player; see :data:`_TEXT_FEATURES`."""
    tossup = question.tossup
    spans = tossup.sentences
    clues = len(spans)
    finder, library, answer = given.engine.clue_finder, given.engine.library, tossup.answer
    stock = finder.look_up(tossup) if finder is not None else ()
    asked = (
        library.counts(answer.page).tossups
        if library is not None and answer is not None and answer.page
        else 0
    )
    found = np.zeros((clues, len(_TEXT_FEATURES)))
    for at, span in enumerate(spans):
        words = len(span.of(tossup.text).split())
        told = stock[at] if at < len(stock) else None
        found[at] = (
            at / (clues - 1), np.log1p(words), clues, np.log1p(len(tossup.words)), at == clues - 1,
            at == clues - 2, _asks(span.of(tossup.text)), np.log1p(asked),
            np.log1p(told.anywhere) if told else 0, np.log1p(told.on_answer) if told else 0,
            told.near.share if told and told.near else 0,
        )  # fmt: skip
    return found


def _asks(sentence: str) -> bool:
    folded = sentence.casefold()
    return "10 points" in folded or "ten points" in folded or folded.startswith("ftp")


def _heard(
    question: SourceQuestion, rooms: Sequence[PlayedRoom], text: Floats, reading: ClueReading
) -> HeardTossup:
    ends = clue_ends(question.tossup, rooms[0].words)
    still_open, answered = clue_outcomes((*ends[:-1], rooms[0].words), rooms)
    ease, after = _logit(_sure(reading.ease)), _logit(_sure(reading.reached))
    before = np.concatenate([[_logit(_sure((0.0,)))[0]], after[:-1]])
    return HeardTossup(
        question,
        len(rooms),
        still_open,
        answered,
        np.minimum(1.0, np.array([*ends[:-1], rooms[0].words]) / rooms[0].words),
        text,
        np.column_stack([ease, after, before, after - before]),
    )


def _sure(chances: Sequence[float]) -> Floats:
    return np.clip(np.array(chances, dtype=np.float64), 0.005, 0.995)


def _cross_fitted(
    heard: Sequence[HeardTossup], fold_of: npt.NDArray[np.int64], *, played: bool
) -> list[CurveModel]:
    """For each tossup, the model that was fitted on the other folds."""
    models = [
        CurveModel.fitted([one for one, of in zip(heard, fold_of, strict=True) if of != fold], played=played)
        for fold in range(FOLDS)
    ]
    return [models[fold] for fold in fold_of.tolist()]


def _row(
    label: str,
    heard: Sequence[HeardTossup],
    hazards: Sequence[Floats],
    losses: Mapping[str, Floats],
    draw: np.random.Generator,
) -> list[Cell]:
    rooms = np.array([one.rooms for one in heard], dtype=np.float64)
    total = int(rooms.sum())
    distances = np.array([
        one.rooms * np.abs(1 - np.cumprod(1 - chances) - np.cumsum(one.answered) / one.rooms).mean()
        for one, chances in zip(heard, hazards, strict=True)
    ])  # fmt: skip
    columns = np.column_stack([losses[label], losses.get(OF_DIFFICULTY, losses[label]), distances])
    drawn = bootstrap_ratio(columns, np.repeat(rooms[:, None], 3, axis=1), draw)
    mean, base, distance = (columns.sum(axis=0) / rooms.sum()).tolist()
    less = None
    if label not in {MEAN, OF_DIFFICULTY}:
        less = interval(1 - drawn[:, 0] / drawn[:, 1], 1 - mean / base, total)
    return [
        label, len(heard), total, interval(drawn[:, 0], mean, total), less,
        None if label == CEILING else interval(drawn[:, 2], distance, total),
    ]  # fmt: skip


def _calibration(label: str, heard: Sequence[HeardTossup], hazards: Sequence[Floats]) -> Series:
    """Clues in ten groups by predicted hazard: the mean prediction, and the share that was answered."""
    said = np.concatenate(list(hazards))
    still_open = np.concatenate([one.open for one in heard])
    answered = np.concatenate([one.answered for one in heard])
    order = np.argsort(said, kind="stable")
    weight = np.cumsum(still_open[order])
    group = np.minimum((weight / weight[-1] * _BINS).astype(int), _BINS - 1)
    across, up = [], []
    for at in range(_BINS):
        of = order[group == at]
        if still_open[of].sum():
            across.append(float(said[of] @ still_open[of] / still_open[of].sum()))
            up.append(float(answered[of].sum() / still_open[of].sum()))
    return Series(label, across, up)


def _sentence(rows: Sequence[Sequence[Cell]]) -> str:
    said = []
    for row in rows:
        loss, less = row[3], row[4]
        assert isinstance(loss, Estimate)
        if isinstance(less, Estimate):
            edges = f" ({percent(less.low)} to {percent(less.high)})" if less.low is not None else ""
            said.append(f"{_shown(loss)} {row[0]}, {percent(less.value)} less{edges}")
        elif row[0] == OF_DIFFICULTY:
            said.append(f"{_shown(loss)} by the {row[0]}")
    return f"On tossups held back, the log loss of a room is {'; '.join(said)}."


def _shown(loss: Estimate) -> str:
    return "unknown" if loss.value is None else f"{loss.value:.3f}"
