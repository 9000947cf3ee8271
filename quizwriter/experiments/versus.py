"""Players against the people who were recorded: who would have won, by several rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from quizwriter.domain.guessing import win_chance
from quizwriter.experiments import column
from quizwriter.experiments.accuracy import characters_heard
from quizwriter.experiments.curves import PeoplesWins
from quizwriter.experiments.inference import Floats, bootstrap_ratio, generator, interval
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.wording import counted_noun, player_title

RULES = ("people", "cubic", "qanta25", "qanta26", "acf")
TOSSUPS = 20
"""Tossups of a match."""

_MATCHES = 10_000


class _Duel(msgspec.Struct, frozen=True):
    """A player's game beside the rooms in which people played the same tossup."""

    question: SourceQuestion
    game: PlaySummary
    rooms: tuple[PlayedRoom, ...]

    @property
    def heard(self) -> float | None:
        """The share of the words at the player's buzz; None if it does not buzz."""
        return None if self.game.buzz is None else self.game.buzz / self.game.words

    @property
    def in_power(self) -> bool:
        """Whether the player buzzes before the power mark."""
        power = self.question.tossup.power or self.question.power_word
        return self.game.buzz is not None and power is not None and self.game.buzz <= power

    @property
    def still_open(self) -> float:
        """The share of the rooms in which nobody was right before the player's buzz; 0 without a buzz."""
        heard = self.heard
        if heard is None:
            return 0.0
        return float(np.mean([answered_share(one) >= heard - 1e-9 for one in self.rooms]))


def answered_share(one: PlayedRoom) -> float:
    """The share of the tossup after which somebody in the room was right; 2 if nobody was."""
    at = one.room.answered_at
    return 2.0 if at is None else one.share(at)


def qanta25(right: bool | None, still_open: float) -> float:
    """The expected score of QANTA 2025 for a buzz: 1 or -0.5 for each room that is still open; None: no buzz.

    Source:
        The metrics of the QANTA challenge 2025: (1, -0.5 or 0) times 1 less the share of people who were
        right earlier.
    """
    if right is None:
        return 0.0
    return (1.0 if right else -0.5) * still_open


def qanta26(right: bool | None, heard: float, *, in_power: bool) -> float:
    """The points of QANTA 2026: 10, with 3, 2 or 1 more in the first three quarters, and 2 more in power.

    Source:
        The rules of the QANTA challenge 2026. They take nothing off for a wrong buzz here.
    """
    if not right:
        return 0.0
    return 10.0 + max(0, 3 - int(min(heard, 0.999999) * 4)) + (2.0 if in_power else 0.0)


def match_points(duel: _Duel, room: PlayedRoom) -> tuple[float, float]:
    """What the player and the people score in ``room`` when they play the tossup against each other.

    Who buzzes first answers: 15 in power, else 10, or -5 before the end. After a wrong buzz the others hear
    on: people score what their right buzz scored, a player buzzes where it would have anyway. At the same
    word, people come first.
    """
    heard = duel.heard
    own = duel.game.buzzes_right
    people = [(room.share(buzz.position), buzz.right, buzz.value) for buzz in room.room.buzzes]
    player = people_points = 0.0
    first = people[0] if people else None
    if heard is not None and (first is None or heard < first[0]):
        if own:
            return (15.0 if duel.in_power else 10.0), 0.0
        player = -5.0 if heard < 1 else 0.0
        later = next((value for _, right, value in people if right), 0)
        return player, float(later)
    if first is None:
        return 0.0, 0.0
    if first[1]:
        return 0.0, float(first[2])
    people_points = float(first[2])
    if heard is not None and own:
        return (15.0 if duel.in_power else 10.0), people_points
    return player, people_points


@experiment(
    "versus",
    title="Players against people",
    asks="Who would win: the players, or the people who played these tossups?",
    source="Wallace et al. 2019, section 4.1; the QANTA challenges of 2025 and 2026",
    columns=(
        column.text("player"), column.text("rule"), column.count("tossups"), column.count("rooms"),
        column.number("mean score", estimated=True), column.share("buzzes"),
        column.share("right of its buzzes"), column.share("matches won"),
        column.number("points in a match", estimated=True),
        column.number("people's points", estimated=True), column.share("best"), column.share("late"),
        column.share("premature"), column.share("hopeless"),
    ),
    plot=Plot.lines("points of the player less the people's", "share of the matches", shares=False),
    needs=(Need.QUESTIONS, Need.BUZZES, Need.PLAYERS),
    options=("rule",),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("player"), column.number("buzz"),
        column.text("right"), column.number("rooms still open"), column.count("rooms"),
    ),
)  # fmt: skip
def versus(given: ExperimentInputs) -> Found:
    """The table has a row for each player and rule."""
    chosen = given.option("rule", "", ("", *RULES))
    rules = (chosen,) if chosen else RULES
    wins = PeoplesWins.of(given.rooms)
    of_question = given.rooms_by_question
    questions = given.unread([one for one in given.resolved(given.questions) if one.key in of_question])
    given.count_unplayed()
    draw = generator(given.seed, "versus")
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, sentences = [], []
    for name, games in given.summaries(questions).items():
        duels = [
            _Duel(question, game, tuple(of_question[question.key]))
            for question, game in zip(questions, games, strict=True)
            if game.knowable
        ]
        unknown = len(questions) - len(duels)
        if unknown:
            given.left_out[f"tossups whose answers {player_title(name)} cannot know"] += unknown
        matches = _matches(duels, draw) if "acf" in rules and duels else None
        rows += [_row(name, rule, duels, wins, matches, draw) for rule in rules]
        details += [_detail(name, duel) for duel in duels]
        if matches is not None:
            series.append(_distribution(player_title(name), matches))
        sentences.append(_sentence(name, duels, wins, matches))
    remarks = [
        "The score of the rule people is the share of the rooms that were still open at a right buzz; that "
        "of cubic is the published curve in characters; that of acf is the mean of a tossup in a match.",
        f"A match is {TOSSUPS} tossups, each drawn with one of its rooms, with replacement; {_MATCHES:,} "
        "matches are played. Who buzzes first answers, people at the same word; 15 in power, else 10, -5 "
        "before the end; after a wrong answer the others go on as they did alone. There are no bonuses.",
    ]
    return Found(rows, "; ".join(sentences) + ".", series, remarks, details)


def _scores(rule: str, duels: Sequence[_Duel], wins: PeoplesWins) -> list[float]:
    found = []
    for duel in duels:
        heard, right = duel.heard, duel.game.buzzes_right
        if heard is None or duel.game.buzz is None:
            found.append(0.0)
        elif rule == "people":
            found.append(wins.chance(duel.question.key, heard) if right else 0.0)
        elif rule == "cubic":
            share_read = characters_heard(duel.question.tossup, duel.game.buzz)
            found.append(win_chance(share_read) if right else 0.0)
        elif rule == "qanta25":
            found.append(qanta25(right, duel.still_open))
        elif rule == "qanta26":
            found.append(qanta26(right, heard, in_power=duel.in_power))
        else:
            found.append(float(np.mean([match_points(duel, room)[0] for room in duel.rooms])))
    return found


def _classes(duels: Sequence[_Duel]) -> Mapping[str, int]:
    """How many games are best, late, premature and hopeless.

    A game is *best* with a right buzz; *late* if the first guess was right once and the buzz is missing or no
    longer right; *premature* if the buzz is wrong and the first guess was right later; else *hopeless*.
    """
    found = dict.fromkeys(("best", "late", "premature", "hopeless"), 0)
    for duel in duels:
        game = duel.game
        if game.buzzes_right:
            kind = "best"
        elif game.first_correct is None:
            kind = "hopeless"
        elif game.buzz is not None and game.buzz < game.first_correct:
            kind = "premature"
        else:
            kind = "late"
        found[kind] += 1
    return found


def _matches(duels: Sequence[_Duel], draw: np.random.Generator) -> Floats:
    """The points of the player and of the people in :data:`_MATCHES` matches; shape (matches, 2)."""
    points = [np.array([match_points(duel, room) for room in duel.rooms]) for duel in duels]
    counts = np.array([len(of_duel) for of_duel in points])
    starts = np.cumsum(counts) - counts
    which = draw.integers(0, len(duels), (_MATCHES, TOSSUPS))
    where = (draw.random((_MATCHES, TOSSUPS)) * counts[which]).astype(np.intp)
    found: Floats = np.concatenate(points)[starts[which] + where].sum(axis=1)
    return found


def _row(
    name: str,
    rule: str,
    duels: Sequence[_Duel],
    wins: PeoplesWins,
    matches: Floats | None,
    draw: np.random.Generator,
) -> list[Cell]:
    rooms = sum(len(duel.rooms) for duel in duels)
    if not duels:
        return [name, rule, 0, 0, Estimate(0), *([None] * 9)]
    scores = np.array(_scores(rule, duels, wins))
    drawn = bootstrap_ratio(scores, np.ones(len(scores)), draw)[:, 0]
    buzzes = sum(duel.heard is not None for duel in duels)
    right = sum(duel.game.buzzes_right for duel in duels)
    classes = _classes(duels)
    shown: list[Cell] = [None, None, None]
    if rule == "acf" and matches is not None:
        won = int((matches[:, 0] > matches[:, 1]).sum())
        shown = [share_of(won, len(matches)), *(_spread(matches[:, column]) for column in (0, 1))]
    return [
        name, rule, len(duels), rooms, interval(drawn, float(scores.mean()), len(scores)),
        share_of(buzzes, len(duels)), share_of(right, buzzes), *shown,
        *(share_of(classes[kind], len(duels)) for kind in ("best", "late", "premature", "hopeless")),
    ]  # fmt: skip


def _spread(points: Floats) -> Estimate:
    """The mean of the points of all matches, and the middle 95 % of them."""
    low, high = np.quantile(points, (0.025, 0.975))
    return Estimate(len(points), float(points.mean()), float(low), float(high))


def _distribution(label: str, matches: Floats) -> Series:
    ahead = matches[:, 0] - matches[:, 1]
    edges = np.arange(np.floor(ahead.min() / 20) * 20, ahead.max() + 40, 20)
    counts, _ = np.histogram(ahead, edges)
    return Series(label, (edges[:-1] + 10).tolist(), (counts / len(ahead)).tolist())


def _sentence(
    name: str,
    duels: Sequence[_Duel],
    wins: PeoplesWins,
    matches: Floats | None,
) -> str:
    title = player_title(name)
    if not duels:
        return f"{title} can know the answer of none of these tossups"
    people, cubic = (float(np.mean(_scores(rule, duels, wins))) for rule in ("people", "cubic"))
    said = (
        f"{title} wins {100 * people:.1f} % of {counted_noun(len(duels), 'tossup')} against the recorded "
        f"people and would win {100 * cubic:.1f} % by the published cubic"
    )
    if matches is not None:
        won = float((matches[:, 0] > matches[:, 1]).mean())
        said += (
            f"; it wins {100 * won:.1f} % of {len(matches):,} matches of {TOSSUPS} tossups, by "
            f"{matches[:, 0].mean():.0f} to {matches[:, 1].mean():.0f} points on average"
        )
    return said


def _detail(name: str, duel: _Duel) -> list[Cell]:
    return [
        duel.question.key, duel.question.title, name, duel.heard,
        "yes" if duel.game.buzzes_right else "no", duel.still_open, len(duel.rooms),
    ]  # fmt: skip
