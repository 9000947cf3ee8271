"""Accuracy by the share heard: of a set beside its control, for every player and for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from quizwriter.engine.engine import HELD_BACK
from quizwriter.experiments import column
from quizwriter.experiments.accuracy import win
from quizwriter.experiments.controls import ControlCandidate, is_fresh, matched
from quizwriter.experiments.inference import (
    Floats,
    GroupedFigures,
    interval,
    paired_means,
)
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.people import (
    CURVE,
    PER_CENT,
    RIGHT,
    people_estimates,
    percent,
    percent_range,
    sample_of,
)
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.people_rooms import FEWEST_ROOMS
from quizwriter.workflow.wording import counted_noun, player_title, sentence

SHOWN = (25, 50, 75, 100)
"""Per cent of the words after which the table gives the accuracy."""

GROUPS = ("difficulty", "category")

_CURVE, _HALF = slice(0, 100), 49
_AREA, _NEVER, _ALL, _CUBIC, _PEOPLE, _BUZZ = range(100, 106)
_COLUMNS = 106

_STREAM = "curves"


class _PlayedSet(GroupedFigures, frozen=True):
    """The games of one player on one set."""

    first: tuple[float | None, ...]  # of the questions it can know; None: never right
    stable: tuple[float | None, ...]


class PeoplesWins:
    """The chance to win against recorded people: the share of rooms that nobody has answered yet.

    Those of a question count where they are :data:`FEWEST_ROOMS` or more, else those of all questions.
    """

    def __init__(self, answered: Mapping[str, Sequence[float | None]]) -> None:
        """``answered`` has for each question the share of the words at which a room answered it, or None."""
        own = {key: np.sort([2.0 if at is None else at for at in rooms]) for key, rooms in answered.items()}
        self._every = np.sort(np.concatenate([*own.values(), np.zeros(0)]))
        self._sorted = {key: rooms for key, rooms in own.items() if len(rooms) >= FEWEST_ROOMS}

    @classmethod
    def of(cls, rooms: Sequence[PlayedRoom]) -> PeoplesWins:
        """The chances to win against the people in ``rooms``."""
        answered: dict[str, list[float | None]] = {}
        for one in rooms:
            at = one.room.answered_at
            answered.setdefault(one.key, []).append(None if at is None else one.share(at))
        return cls(answered)

    def chance(self, key: str, share_heard: float) -> float:
        """The share of rooms on the question ``key`` that were not answered before ``share_heard``."""
        answered = self._sorted.get(key, self._every)
        return float(1 - np.searchsorted(answered, share_heard, side="left") / len(answered))


def _played(
    questions: Sequence[SourceQuestion], games: Sequence[PlaySummary], wins: PeoplesWins | None
) -> _PlayedSet:
    sums, counts = np.zeros((len(games), _COLUMNS)), np.zeros((len(games), _COLUMNS))
    first: list[float | None] = []
    stable: list[float | None] = []
    for at, (question, game) in enumerate(zip(questions, games, strict=True)):
        right = np.frombuffer(game.curve.encode("ascii"), dtype=np.uint8) == ord("1")
        sums[at, _ALL], counts[at, _ALL] = right[99], 1
        if not game.knowable:
            continue
        counts[at] = 1
        sums[at, _CURVE] = right
        sums[at, _AREA] = right.mean()
        sums[at, _NEVER] = game.first_correct is None
        sums[at, _CUBIC] = win(game, question.tossup)
        sums[at, _BUZZ], counts[at, _BUZZ] = game.buzzes_right, game.buzz is not None
        if wins is None:
            counts[at, _PEOPLE] = 0
        elif game.buzz is not None and game.buzzes_right:
            sums[at, _PEOPLE] = wins.chance(question.key, game.buzz / game.words)
        first.append(game.first_correct / game.words if game.first_correct is not None else None)
        stable.append(game.stable_correct / game.words if game.stable_correct is not None else None)
    return _PlayedSet(sums, counts, tuple(first), tuple(stable))


def median_position(positions: Sequence[float | None]) -> float | None:
    """The position before which half of the questions come; None if more than half never do.

    It is the median of Kaplan and Meier's curve: questions without a position are censored at their end,
    where no other question is still watched.
    """
    reached = sorted(at for at in positions if at is not None)
    middle = (len(positions) + 1) // 2
    return reached[middle - 1] if 0 < middle <= len(reached) else None


@experiment(
    "curves",
    title="Accuracy by the share heard",
    asks="Is this set harder for the players than other questions, and where?",
    source="Wallace et al. 2019, figure 3",
    columns=(
        column.text("player"), column.text("set"), column.count("questions"), column.count("can know"),
        *(column.share(f"right after {at} %") for at in SHOWN), column.share("area"),
        column.share("never right"), column.share("right in the end, of all"),
        column.number("median first right"), column.number("median right for good"),
        column.share("wins, by people"), column.share("wins, by the cubic"), column.share("right buzzes"),
    ),
    plot=Plot.lines("words heard, per cent of the tossup", "questions right, per cent"),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    may=(Need.AGAINST_QUESTIONS, Need.BUZZES),
    options=("by",),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("set"), column.text("player"),
        column.text("can know"), column.number("first right"), column.number("right for good"),
        column.number("buzz"), column.text("buzzes right"),
    ),
)  # fmt: skip
def curves(given: ExperimentInputs) -> Found:
    """The table has a row for each player and set, and the difference; then people, where they buzzed."""
    questions = given.unread_questions
    wins = PeoplesWins.of(given.rooms) if given.buzzes_from else None
    if given.options.get("by"):
        return _by_groups(given, questions, wins)
    played = given.summaries(questions)
    known = known_by_any(played)
    control, pairs, said = _control(given, questions, known)
    beside = given.summaries(control) if control else {}
    rows: list[list[Cell]] = []
    series: list[Series] = []
    details: list[list[Cell]] = []
    sentences = []
    for name, games in played.items():
        one = _played(questions, games, wins)
        details += _details("these", name, questions, games)
        drawn = one.drawn(given.seed, _STREAM)
        if not control:
            rows.append(_row(name, "these", one, drawn))
            series.append(_series(player_title(name), one, drawn))
            sentences.append(f"{player_title(name)} is right on {_half(one)} half-way")
            continue
        other = _played(control, beside[name], wins)
        details += _details("against", name, control, beside[name])
        other_drawn = other.drawn(given.seed, _STREAM)
        rows += [_row(name, "these", one, drawn), _row(name, "against", other, other_drawn)]
        rows.append(
            _difference(name, one, other, given.seed)
            if pairs is None
            else _paired_difference(name, one, other, pairs, given.seed)
        )
        series += [
            _series(f"{player_title(name)}, these", one, drawn),
            _series(f"{player_title(name)}, against", other, other_drawn),
        ]
        sentences.append(_comparison(name, one, other, rows[-1], pairs))
    if given.buzzes_from:
        row, answered = _people("these", given.rooms, given.seed)
        rows.append(row)
        series.append(Series.of("People", PER_CENT, answered))
    return Found(rows, sentence("; ".join(sentences)) + ".", series, said, details)


def known_by_any(played: Mapping[str, Sequence[PlaySummary]]) -> list[bool]:
    return [any(game.knowable for game in games) for games in zip(*played.values(), strict=True)]


def _people(of: str, rooms: Sequence[PlayedRoom], seed: int) -> tuple[list[Cell], list[Estimate]]:
    """The row of the people in ``rooms``, and the share of rooms answered after each per cent."""
    people = sample_of(rooms)
    found = people_estimates(people, seed)
    answered, number = found[CURVE:], len(people.sums)
    shown = [answered[at - 1] for at in SHOWN]
    return ["people", of, number, number, *shown, *([None] * 7), found[RIGHT]], answered


def _by_groups(
    given: ExperimentInputs, questions: Sequence[SourceQuestion], wins: PeoplesWins | None
) -> Found:
    """A row for each player and group of questions, and for people on those that a player can know."""
    by = given.option("by", GROUPS[0], GROUPS)
    groups: dict[str, list[int]] = {}
    for at, one in enumerate(questions):
        groups.setdefault(_group(one, by), []).append(at)
    played = given.summaries(questions)
    known = known_by_any(played)
    rows: list[list[Cell]] = []
    for name, members in sorted(groups.items()):
        for player, games in played.items():
            group = _played([questions[at] for at in members], [games[at] for at in members], wins)
            rows.append(_row(player, name, group, group.drawn(given.seed, _STREAM)))
        keys = {questions[at].key for at in members if known[at]}
        rooms = [room for room in given.rooms if room.key in keys] if given.buzzes_from else []
        if rooms:
            rows.append(_people(name, rooms, given.seed)[0])
    cells = {(str(row[0]), str(row[1])): row for row in rows}
    ends = {
        "People" if who == "people" else player_title(who): [
            (name, cells[who, name][7]) for name in sorted(groups) if (who, name) in cells
        ]
        for who in dict.fromkeys(str(row[0]) for row in rows)
    }
    said = [
        f"{who} {percent_range({name: cell.value for name, cell in of if isinstance(cell, Estimate)})}"
        for who, of in ends.items()
    ]
    found = [f"Right in the end by {by}: {'; '.join(said)}.", *_ahead(cells)]
    series = [Series.of(who, [name for name, _ in of], [cell for _, cell in of]) for who, of in ends.items()]
    return Found(rows, " ".join(found), series, plot=Plot.bars("right after the last word, per cent"))


def _ahead(cells: Mapping[tuple[str, str], Sequence[Cell]]) -> list[str]:
    """In how many groups people are ahead of each player, with intervals that do not touch."""
    found = []
    for who in dict.fromkeys(who for who, _ in cells if who != "people"):
        both = [name for name in dict.fromkeys(of for _, of in cells) if ("people", name) in cells]
        counts = []
        for column_at in (5, 7):
            pairs = [(cells[who, name][column_at], cells["people", name][column_at]) for name in both]
            counts.append(
                (sum(_above(one, two) for one, two in pairs), sum(_above(two, one) for one, two in pairs))
            )
        if both:
            (half, half_people), (end, end_people) = counts
            found.append(
                f"Of {counted_noun(len(both), 'group')}, {player_title(who)} is ahead half-way in {half} and "
                f"in the end in {end}, people in {half_people} and {end_people}: there the intervals do not "
                "meet."
            )
    return found


def _above(one: Cell, other: Cell) -> bool:
    """Whether the whole interval of ``one`` is above that of ``other``."""
    return (
        isinstance(one, Estimate)
        and isinstance(other, Estimate)
        and one.low is not None
        and other.high is not None
        and one.low > other.high
    )


def _group(one: SourceQuestion, by: str) -> str:
    if by == "category":
        return one.category or "no category"
    return "no difficulty" if one.difficulty is None else f"difficulty {one.difficulty:02d}"


def _control(
    given: ExperimentInputs, questions: Sequence[SourceQuestion], known: Sequence[bool]
) -> tuple[tuple[SourceQuestion, ...], npt.NDArray[np.int64] | None, list[str]]:
    """What stands beside the questions; for a matched control, the number of the question of each.

    ``known`` says of each question whether any player can know it; only those get a control.
    """
    said = []
    if given.buzzes_from:
        said.append(
            "Wins by people are the share of recorded rooms that nobody had answered yet at the player's "
            "buzz; wins by the cubic follow Rodriguez et al. (arXiv 1904.04792) in characters."
        )
    else:
        said.append(
            "No recorded buzzes were given: wins are only by the cubic of Rodriguez et al. "
            "(arXiv 1904.04792), in characters, which flatters late buzzes."
        )
    if given.against_from not in {"", HELD_BACK}:
        control = given.unread_controls()
        said.append("The sets are compared unpaired: each is drawn anew by itself.")
        return control, None, said
    if given.questions_from == HELD_BACK:
        return (), None, said
    if not given.against_from and not given.has_held_back:
        said.append("The bundle holds no questions back: nothing says how the players do on others.")
        return (), None, said
    control, numbers, same = matched_control(given, questions, known)
    said.append(
        f"The control is {counted_noun(len(control), 'question')} that the bundle holds back, each matched "
        f"to one of these by the seed {given.seed}: {int(same.sum()):,} on the same answer, the others by "
        "category; then by length, by how often the answer was asked, and by difficulty where it is known. "
        "Differences are drawn by pairs."
    )
    return control, numbers, said


def matched_control(
    given: ExperimentInputs, questions: Sequence[SourceQuestion], known: Sequence[bool]
) -> tuple[tuple[SourceQuestion, ...], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """A control for each of ``questions`` that has one, the number of its question, and whether it is on the
    same answer.

    ``known`` says of each question whether any player can know it; only those get a control. Of the bundle's
    own questions, those are left out that a challenge set would leave out.
    """
    of_bundle = given.against_from in {"", HELD_BACK}
    candidates = {one.key: one for one in given.unread_controls()}
    texts = {one.tossup.text for one in questions}

    def candidate(one: SourceQuestion) -> ControlCandidate:
        return ControlCandidate.of(one.key, one.tossup, one.category, given.engine, one.difficulty)

    found = matched(
        {at: candidate(one) for at, one in enumerate(questions) if known[at]},
        map(candidate, candidates.values()),
        given.seed,
        may_be=is_fresh((one.tossup.text for one in questions), given.engine)
        if of_bundle
        else lambda one: one.tossup.text not in texts,
        step=lambda done, total: given.progress("Choosing the control", done, total),
    )
    if len(found) < len(questions):
        given.left_out["questions without a control"] += len(questions) - len(found)
    return (
        tuple(candidates[one.id] for one, _ in found.values()),
        np.array(list(found), dtype=np.int64),
        np.array([same_answer for _, same_answer in found.values()], dtype=np.bool_),
    )


def _estimate(one: _PlayedSet, drawn: Floats, at: int) -> Estimate:
    return interval(drawn[:, at], one.values[at], one.numbers[at])


def _row(name: str, of: str, one: _PlayedSet, drawn: Floats) -> list[Cell]:
    return [
        name, of, len(one.sums), len(one.first),
        *(_estimate(one, drawn, at) for at in (*(at - 1 for at in SHOWN), _AREA, _NEVER, _ALL)),
        median_position(one.first), median_position(one.stable),
        *(_estimate(one, drawn, at) for at in (_PEOPLE, _CUBIC, _BUZZ)),
    ]  # fmt: skip


def _difference(name: str, one: _PlayedSet, other: _PlayedSet, seed: int) -> list[Cell]:
    """The difference of two sets that are not matched; its numbers are of the questions of both."""
    # by one stream, sets of as many questions would be drawn alike
    drawn = one.drawn(seed, _STREAM), other.drawn(seed, f"{_STREAM} against")
    number, known = len(one.sums) + len(other.sums), len(one.first) + len(other.first)
    return _difference_row(name, number, known, partial(one.less, other, drawn))


def _paired_difference(
    name: str, one: _PlayedSet, other: _PlayedSet, pairs: npt.NDArray[np.int64], seed: int
) -> list[Cell]:
    """The mean difference over the pairs of a question and its control, as the README of a set has it."""
    both = (one.counts[pairs] * other.counts) > 0
    known = both[:, _AREA]
    of_known = paired_means((one.sums[pairs] - other.sums)[known], seed)

    def difference(at: int) -> Estimate:
        # of all: nothing is matched to a question that no player can know, so there is nothing to compare
        return of_known[at] if at != _ALL and both[known, at].all() else Estimate(0)

    return _difference_row(name, len(pairs), int(known.sum()), difference)


def _difference_row(name: str, number: int, known: int, difference: Callable[[int], Estimate]) -> list[Cell]:
    return [
        name, "difference", number, known,
        *(difference(at) for at in (*(at - 1 for at in SHOWN), _AREA, _NEVER, _ALL)),
        None, None, *(difference(at) for at in (_PEOPLE, _CUBIC, _BUZZ)),
    ]  # fmt: skip


def _series(label: str, one: _PlayedSet, drawn: Floats) -> Series:
    return Series.of(label, PER_CENT, [_estimate(one, drawn, at) for at in range(100)])


def _half(one: _PlayedSet) -> str:
    value = one.values[_HALF]
    if value is None:
        return "none of these, since it can know none of their answers,"
    return f"{percent(value)} of {counted_noun(len(one.first), 'question')}"


def _comparison(
    name: str,
    one: _PlayedSet,
    other: _PlayedSet,
    row: Sequence[Cell],
    pairs: npt.NDArray[np.int64] | None,
) -> str:
    difference = row[5]
    assert isinstance(difference, Estimate)
    title = player_title(name)
    said = f"half-way {title} is right on {_half(one)} and on {_half(other)} of the others"
    if difference.value is None:
        return said
    if pairs is not None:  # the shares whose difference it is
        both = (one.counts[pairs, _HALF] * other.counts[:, _HALF]) > 0
        these, others = one.sums[pairs, _HALF][both].mean(), other.sums[both, _HALF].mean()
        said = (
            f"half-way, on {counted_noun(difference.number, 'pair')}, {title} is right on {percent(these)} "
            f"of these and {percent(others)} of the others"
        )
    size = f"{abs(100 * difference.value):.1f}"
    more = "less" if difference.value < 0 else "more"
    points = "no difference" if size == "0.0" else f"{size} points {more}"
    if difference.low is not None and difference.high is not None:
        points += f", {100 * difference.low:+.1f} to {100 * difference.high:+.1f}"
    return f"{said}: {points}"


def _details(
    of: str, name: str, questions: Sequence[SourceQuestion], games: Sequence[PlaySummary]
) -> list[list[Cell]]:
    def share_of_words(heard: int | None, game: PlaySummary) -> float | None:
        return heard / game.words if heard is not None and game.words else None

    return [
        [
            question.key, question.title, of, name, "yes" if game.knowable else "no",
            share_of_words(game.first_correct, game), share_of_words(game.stable_correct, game),
            share_of_words(game.buzz, game), "yes" if game.buzzes_right else "no",
        ]
        for question, game in zip(questions, games, strict=True)
    ]  # fmt: skip
