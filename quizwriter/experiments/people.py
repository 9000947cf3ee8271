"""People's buzzes: how often they are right, how early, and whether two sets differ by chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from quizwriter.domain.guessing import win_chance
from quizwriter.experiments import column
from quizwriter.experiments.advised import advice_remark
from quizwriter.experiments.inference import (
    Floats,
    GroupedFigures,
    Moments,
    fisher_exact,
    interval,
    t_test,
)
from quizwriter.experiments.inputs import GAMES, ExperimentInputs, PlayedRoom
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.people_rooms import neg_of
from quizwriter.workflow.wording import counted_noun

SHARES = (25, 50, 75, 90, 100)
"""Per cent of the words after which the table says how many rooms were answered."""

PER_CENT = tuple(at / 100 for at in range(1, 101))
"""The shares of the words after which a curve has a value."""

GROUPS = ("difficulty", "category", "set", "ability", "team")
MOST_GROUPS = 12
"""Groups of a table; those with the fewest buzzes are left out, and said."""

RIGHT, _POSITION, _RIGHT_POSITION, _CONVERSION, _POWER, _NEG, _BPA, CURVE = range(8)
"""The columns of a :class:`BuzzSample`; the curve are all from the last one on."""


class BuzzSample(GroupedFigures, frozen=True):
    """Buzzes and rooms as arrays.

    The columns are right buzzes, positions, positions of right buzzes, rooms answered, powers, negs, what is
    left of the tossup at right buzzes, and the rooms answered after each per cent of the words.
    """

    rooms: int
    right: npt.NDArray[np.bool_]  # by buzz
    positions: Floats  # by buzz
    silent: int

    @property
    def buzzes(self) -> int:
        return len(self.right)


def sample_of(rooms: Sequence[PlayedRoom]) -> BuzzSample:
    """The buzzes in ``rooms`` as arrays, which do not depend on the order of the rooms."""
    tossups = {key: at for at, key in enumerate(sorted({one.key for one in rooms}))}
    buzzed: list[tuple[int, float, bool, int]] = []
    negged: list[int] = []  # the tossup of each neg
    read: list[tuple[int, int]] = []  # the tossup, and the per cent at which it was answered
    silent = 0
    for one in rooms:
        at = tossups[one.key]
        answered = 101
        told = ((buzz.position + 1, buzz.right, buzz.value) for buzz in one.room.buzzes)
        if neg_of(told, one.words) is not None:
            negged.append(at)
        for buzz in one.room.buzzes:
            position = one.share(buzz.position)
            buzzed.append((at, position, buzz.right, buzz.value))
            if buzz.right and answered > 100:
                answered = min(100, int(np.ceil(100 * position - 1e-9)))
        silent += not one.room.buzzes
        read.append((at, answered))
    groups = len(tossups)
    which = np.array([at for at, _, _, _ in buzzed], dtype=np.int64)
    positions = np.array([position for _, position, _, _ in buzzed], dtype=np.float64)
    right = np.array([is_right for _, _, is_right, _ in buzzed], dtype=bool)
    points = np.array([value for _, _, _, value in buzzed], dtype=np.int64)
    of_room = np.array([at for at, _ in read], dtype=np.int64)
    answered_at = np.array([at for _, at in read], dtype=np.int64)

    def by_tossup(places: npt.NDArray[np.int64], weights: npt.NDArray[np.generic] | None = None) -> Floats:
        return np.bincount(places, weights, groups).astype(np.float64)

    curve = np.zeros((groups, 102))
    np.add.at(curve, (of_room, answered_at), 1.0)
    curve = np.cumsum(curve[:, 1:101], axis=1)
    buzz_count, room_count = by_tossup(which), by_tossup(of_room)
    right_count = by_tossup(which[right])
    sums = np.column_stack([
        right_count, by_tossup(which, positions), by_tossup(which[right], positions[right]), curve[:, 99],
        by_tossup(which[points > 10]), by_tossup(np.array(negged, dtype=np.int64)),
        by_tossup(which[right], 1 - positions[right]), curve,
    ])  # fmt: skip
    counts = np.column_stack([
        buzz_count, buzz_count, right_count, room_count, room_count, room_count, room_count,
        np.repeat(room_count[:, None], 100, axis=1),
    ])  # fmt: skip
    return BuzzSample(sums, counts, len(read), right, positions, silent)


def people_estimates(one: BuzzSample, seed: int) -> list[Estimate]:
    """The columns with their intervals, for every experiment that shows people."""
    drawn = one.drawn(seed, "people")
    return [
        interval(drawn[:, at], value, number_of)
        for at, (value, number_of) in enumerate(zip(one.values, one.numbers, strict=True))
    ]


def _groups(given: ExperimentInputs, rooms: Sequence[PlayedRoom], by: str) -> dict[str, list[PlayedRoom]]:
    if by in {"ability", "team"}:
        return _teams(rooms, by)
    found: dict[str, list[PlayedRoom]] = {}
    for one in rooms:
        question = one.question
        if by == "set":
            name = one.room.set or (question.set if question is not None else "")
        elif question is None:
            raise refuse(
                f"The file of buzzes does not say the {by} of its tossups.",
                "Name the questions that were read there with --questions.",
            )
        elif by == "category":
            name = question.category
        else:
            name = f"{question.difficulty:02d}" if question.difficulty is not None else ""
        found.setdefault(f"{by} {name}".strip() if name else f"no {by} given", []).append(one)
    return dict(sorted(found.items()))


def _teams(rooms: Sequence[PlayedRoom], by: str) -> dict[str, list[PlayedRoom]]:
    """The rooms of each team, or of each third of the teams by what is left at their right buzzes.

    A team heard every recorded tossup of a game in which it buzzed; of a room it has its own buzzes only.
    """
    games: dict[str, list[PlayedRoom]] = {}
    for one in rooms:
        games.setdefault(one.room.room, []).append(one)
    of_team: dict[str, list[PlayedRoom]] = {}
    for played in games.values():
        for team in sorted({buzz.team for one in played for buzz in one.room.buzzes}):
            own = of_team.setdefault(team, [])
            for one in played:
                buzzes = tuple(buzz for buzz in one.room.buzzes if buzz.team == team)
                own.append(replace(one, room=replace(one.room, buzzes=buzzes)))
    if by == "team":
        return {f"team {team}": own for team, own in sorted(of_team.items())}

    def left(own: Sequence[PlayedRoom]) -> float:
        return sum(1 - one.share(b.position) for one in own for b in one.room.buzzes if b.right) / len(own)

    order = sorted(of_team, key=lambda team: (left(of_team[team]), team))
    thirds = ("lowest third of the teams", "middle third of the teams", "highest third of the teams")
    return {
        name: [one for team in part.tolist() for one in of_team[team]]
        for name, part in zip(thirds, np.array_split(np.array(order), 3), strict=True)
        if len(part)
    }


@experiment(
    "people",
    title="People's buzzes",
    asks="Do people buzz earlier, and are they right more often?",
    source="Wallace et al. 2019, section 3 and figure 4",
    columns=(
        column.text("group"), column.count("tossups"), column.count("rooms"), column.count("buzzes"),
        column.share("right"), column.share("position"), column.share("position of right buzzes"),
        column.share("conversion"), column.share("powers"), column.share("negs"),
        column.number("BPA", estimated=True), column.number("first right buzz"),
        *(column.share(f"answered by {at} %") for at in SHARES), column.p_value("Fisher p"),
        column.number("t"), column.number("df"), column.p_value("t p"), column.p_value("Welch p"),
    ),
    plot=Plot.lines("words heard, per cent of the tossup", "rooms answered, per cent"),
    needs=(Need.BUZZES,),
    may=(Need.QUESTIONS, Need.AGAINST_BUZZES),
    options=("by", "blind"),
)  # fmt: skip
def people(given: ExperimentInputs) -> Found:
    """The table has a row for each group, and with a second file of buzzes the difference of the two."""
    by = given.option("by", "", ("", *GROUPS))
    if by and given.against_from:
        raise refuse("--by and --against ask for two comparisons at once.", "Leave one of them out.")
    if given.against_from:
        groups: Mapping[str, Sequence[PlayedRoom]] = {"these": given.rooms, "against": given.against_rooms}
    elif by:
        groups = _groups(given, given.rooms, by)
    else:
        groups = {"all": given.rooms}
    samples = {name: sample_of(rooms) for name, rooms in groups.items()}
    samples = {name: one for name, one in samples.items() if one.buzzes}
    if len(samples) > MOST_GROUPS:
        largest = sorted(samples, key=lambda name: (-samples[name].buzzes, name))[:MOST_GROUPS]
        left = len(samples) - MOST_GROUPS
        given.left_out[f"groups by {by} with fewer buzzes than the {MOST_GROUPS} largest"] += left
        samples = {name: one for name, one in samples.items() if name in largest}
    estimates = {name: people_estimates(one, given.seed) for name, one in samples.items()}
    rows = [_row(name, one, estimates[name]) for name, one in samples.items()]
    remarks = []
    if given.against_from and len(samples) == 2:
        one, other = samples.values()
        rows.append(_difference(one, other, given.seed))
        sentence = _comparison(one, other, rows[-1])
    else:
        sentence = _sentence(samples)
    if not any(one.silent for one in samples.values()):
        remarks.append(
            "No room without a buzz is recorded: the shares of rooms answered are ceilings, not estimates."
        )
    if given.buzzes_from == GAMES:
        remarks.append(advice_remark(given.asked))
    remarks.append(
        "Intervals are by bootstrap over tossups, because buzzes on one tossup depend on each other. "
        "Fisher's test and the t-tests take buzzes as independent; they are the published ones."
    )
    series = [Series.of(name, PER_CENT, found[CURVE:]) for name, found in estimates.items()]
    if len(samples) == 1:
        series.append(Series("by the published cubic", PER_CENT, [1 - win_chance(at) for at in PER_CENT]))
    return Found(rows, sentence, series, remarks)


def _row(name: str, one: BuzzSample, found: Sequence[Estimate]) -> list[Cell]:
    bpa = _scaled(found[_BPA], 100)
    first = float(one.positions[one.right].min()) if one.right.any() else None
    return [
        name, len(one.sums), one.rooms, one.buzzes, found[RIGHT], found[_POSITION], found[_RIGHT_POSITION],
        found[_CONVERSION], found[_POWER], found[_NEG], bpa, first,
        *(found[CURVE + at - 1] for at in SHARES), None, None, None, None, None,
    ]  # fmt: skip


def _scaled(one: Estimate, by: float) -> Estimate:
    value, low, high = (None if part is None else by * part for part in (one.value, one.low, one.high))
    return Estimate(one.number, value, low, high)


def _difference(one: BuzzSample, other: BuzzSample, seed: int) -> list[Cell]:
    # by one stream, sets of as many tossups would be drawn alike
    drawn = one.drawn(seed, "people"), other.drawn(seed, "people against")
    difference = partial(one.less, other, drawn)
    wrong, other_wrong = int((~one.right).sum()), int((~other.right).sum())
    fisher = fisher_exact(int(one.right.sum()), wrong, int(other.right.sum()), other_wrong)
    moments, other_moments = Moments.of(one.positions), Moments.of(other.positions)
    pooled = t_test(moments, other_moments, pooled=True)
    welch = t_test(moments, other_moments, pooled=False)
    return [
        "difference", len(one.sums) + len(other.sums), one.rooms + other.rooms, one.buzzes + other.buzzes,
        difference(RIGHT), difference(_POSITION), difference(_RIGHT_POSITION), difference(_CONVERSION),
        difference(_POWER), difference(_NEG), difference(_BPA, 100), None,
        *(difference(CURVE + at - 1) for at in SHARES),
        fisher.p, pooled.statistic, pooled.freedom, pooled.p, welch.p,
    ]  # fmt: skip


def percent(value: float | None) -> str:
    """A share as a sentence has it: "43.1 %", or "an unknown share" where there is none."""
    return "an unknown share" if value is None else f"{100 * value:.1f} %"


def percent_range(shares: Mapping[str, float | None]) -> str:
    """The smallest and the largest share, each with its group; groups without a share are left out."""
    known = sorted((value, name) for name, value in shares.items() if value is not None)
    if not known:
        return percent(None)
    (low, of_low), (high, of_high) = known[0], known[-1]
    return f"{percent(low)} ({of_low}) to {percent(high)} ({of_high})"


def p_shown(p: float | None) -> str:
    return "p is not defined" if p is None else f"p = {p:.3g}"


def _sentence(samples: Mapping[str, BuzzSample]) -> str:
    """Of several groups, those with the lowest and the highest figure are named."""
    if len(samples) == 1:
        (one,) = samples.values()
        nobody = "" if one.right.any() else "; nobody was right, so there is no position of right buzzes"
        return (
            f"People are right in {percent(one.values[RIGHT])} of "
            f"{counted_noun(one.buzzes, 'buzz', 'buzzes')} and have answered "
            f"{percent(one.values[CURVE + 74])} of {counted_noun(one.rooms, 'room')} after three quarters "
            f"of the tossup{nobody}."
        )

    def ends(at: int) -> str:
        return percent_range({name: one.values[at] for name, one in samples.items()})

    return (
        f"Among {len(samples)} groups, people are right in {ends(RIGHT)} of the buzzes, and have answered "
        f"{ends(CURVE + 74)} of the rooms after three quarters of the tossup."
    )


def _comparison(one: BuzzSample, other: BuzzSample, row: Sequence[Cell]) -> str:
    difference = row[4]
    assert isinstance(difference, Estimate)
    edges = (
        f", {100 * difference.low:+.1f} to {100 * difference.high:+.1f} points by bootstrap"
        if difference.low is not None and difference.high is not None
        else ""
    )
    fisher, p = row[-5], row[-2]
    said = (
        f"People are right in {percent(one.values[RIGHT])} of "
        f"{counted_noun(one.buzzes, 'buzz', 'buzzes')} here and in "
        f"{percent(other.values[RIGHT])} of {other.buzzes:,} there "
        f"(Fisher: {p_shown(fisher if isinstance(fisher, float) else None)}{edges}); they buzz after "
        f"{percent(one.values[_POSITION])} of the words here and {percent(other.values[_POSITION])} there "
        f"(t-test: {p_shown(p if isinstance(p, float) else None)})."
    )
    return said.replace("+-", "-")
