"""What a team of the recorded rooms would have won, had it followed a player from a stated chance on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from quizwriter.experiments import column
from quizwriter.experiments.advised import advice_remark, advised
from quizwriter.experiments.inference import bootstrap_ratio, generator, interval
from quizwriter.experiments.inputs import GAMES, ExperimentInputs, PlayedRoom, SourceQuestion
from quizwriter.experiments.registry import (
    Cell,
    Found,
    Need,
    Plot,
    Series,
    experiment,
    measured,
    refuse,
    signed,
)
from quizwriter.experiments.versus import answered_share, qanta25, qanta26
from quizwriter.workflow.wording import counted_noun, player_title

if TYPE_CHECKING:
    from quizwriter.store.plays import PlayRecord

CHANCES = (0.3, 0.5, 0.7, 0.9)
"""The stated chances from which on a team follows the player."""


class TeamBuzz(msgspec.Struct, frozen=True):
    """A buzz of a team or of the player that it follows, after a share of the words."""

    heard: float
    right: bool


class TeamRoom(msgspec.Struct, frozen=True):
    """A tossup as one team heard it: its own buzz, and when another team was right first."""

    own: TeamBuzz | None
    closed: float  # the share heard when another team was right; 2 where none was

    @classmethod
    def of(cls, one: PlayedRoom, team: str) -> TeamRoom:
        own = next((buzz for buzz in one.room.buzzes if buzz.team == team), None)
        other = next((buzz for buzz in one.room.buzzes if buzz.right and buzz.team != team), None)
        return cls(
            None if own is None else TeamBuzz(one.share(own.position), own.right),
            2.0 if other is None else one.share(other.position),
        )

    def with_player(self, player: TeamBuzz | None) -> TeamBuzz | None:
        """The buzz of the team that follows ``player``: whichever comes first, its own at the same word.

        A buzz after another team was right never comes. A team has one buzz.
        """
        if player is None or player.heard >= self.closed:
            return self.own
        return self.own if self.own is not None and self.own.heard <= player.heard else player


def stated_buzz(game: PlayRecord, chance: float) -> TeamBuzz | None:
    """The first word after which the player gives its first guess this ``chance``."""
    course, words = game.course, game.summary.words
    for heard, right, now, row in zip(
        course.heard, course.right, course.chances, course.guesses, strict=True
    ):
        if row and now >= chance:
            return TeamBuzz(heard / words, bool(right))
    return None


class _Tally(msgspec.Struct):
    """Of one tossup: the scores by QANTA's rules without and with the player, and when it was followed."""

    rooms: int = 0
    alone: tuple[float, float] = (0.0, 0.0)
    together: tuple[float, float] = (0.0, 0.0)
    followed: int = 0
    followed_right: int = 0


@experiment(
    "teaming",
    title="Teams that follow a player",
    asks="What would a team have won, had it answered with the player once that was sure enough?",
    source="the scores of QANTA 2025 and 2026; no paper has this table",
    columns=(
        column.text("player"), column.text("followed from"), column.count("tossups"),
        column.share("followed"), column.share("right where followed"),
        column.number("QANTA 2025, alone", estimated=True), column.number("QANTA 2025, gain", estimated=True),
        column.number("QANTA 2026, alone", estimated=True), column.number("QANTA 2026, gain", estimated=True),
    ),
    plot=Plot.bars("gain by QANTA 2025, points a tossup", shares=False),
    needs=(Need.QUESTIONS, Need.BUZZES, Need.PLAYERS),
    unread=True,
)  # fmt: skip
def teaming(given: ExperimentInputs) -> Found:
    """The table has a row for each player and chance; a case is a team that heard a tossup."""
    given.count_unplayed()
    of_question = given.rooms_by_question
    questions = given.unread([one for one in given.resolved(given.questions) if one.key in of_question])
    if not questions:
        raise refuse("None of these questions was read in a recorded room.", "Name buzzes on them.")
    teams = _teams(given.rooms)
    rows: list[list[Cell]] = []
    series, said = [], []
    for name, games in given.courses(questions).items():
        of_player: list[list[Cell]] = []
        for chance in CHANCES:
            tallies = [
                _tally(question, of_question[question.key], teams, stated_buzz(game, chance))
                for question, game in zip(questions, games, strict=True)
            ]
            of_player.append(_row(name, chance, tallies, generator(given.seed, "teaming")))
        rows += of_player
        gains = [row[6] for row in of_player]
        series.append(Series.of(player_title(name), [str(row[1]) for row in of_player], gains))
        told = ", ".join(f"{signed(row[6], 3)} {row[1]}" for row in of_player)
        said.append(
            f"By QANTA 2025, a team that follows {player_title(name)} gains, in points a tossup, {told} on "
            f"({counted_noun(measured(of_player[0][6]).number, 'tossup')} that teams heard)"
        )
    if given.buzzes_from == GAMES:
        rows += [  # a case is a guess that somebody saw who asked
            [name, "asked in a game", one.tossups, one.taken, one.taken_right, None, None, None, None]
            for name, one in advised(given.asked).items()
        ]
        said.append(advice_remark(given.asked).rstrip("."))
    remarks = [
        "A case is a tossup that a team heard; a team heard every recorded tossup of a game in which it "
        "buzzed. The team buzzes with the player's first guess when the player first gives it the chance, "
        "unless the team buzzed before or another team was right; then it has no other buzz. Guesses on "
        "answers that the player cannot know are wrong. Other teams do as they did.",
        "QANTA 2025: 1 or -0.5 times the share of recorded rooms in which nobody was right yet. QANTA 2026: "
        "10 for a right buzz, with more for an early one, and nothing off for a wrong one.",
        "Intervals are by bootstrap over tossups. Rooms in which nobody buzzed are not recorded.",
    ]
    return Found(rows, ". ".join(said) + ".", series, remarks)


def _teams(rooms: Sequence[PlayedRoom]) -> Mapping[str, Sequence[str]]:
    """The teams that buzzed in each game, by the name of the game."""
    found: dict[str, set[str]] = {}
    for one in rooms:
        found.setdefault(one.room.room, set()).update(buzz.team for buzz in one.room.buzzes)
    return {game: sorted(of) for game, of in found.items()}


def _tally(
    question: SourceQuestion,
    rooms: Sequence[PlayedRoom],
    teams: Mapping[str, Sequence[str]],
    player: TeamBuzz | None,
) -> _Tally:
    answered = np.sort([answered_share(one) for one in rooms])
    power = question.tossup.power or question.power_word or 0
    in_power = power / len(question.tossup.words)

    def scores(buzz: TeamBuzz | None) -> tuple[float, float]:
        if buzz is None:
            return 0.0, 0.0
        still_open = 1 - float(np.searchsorted(answered, buzz.heard - 1e-9)) / len(answered)
        points = qanta26(buzz.right, buzz.heard, in_power=buzz.heard <= in_power)
        return qanta25(buzz.right, still_open), points

    found = _Tally()
    for one in rooms:
        for team in teams[one.room.room]:
            room = TeamRoom.of(one, team)
            buzz = room.with_player(player)
            alone, together = scores(room.own), scores(buzz)
            found.rooms += 1
            found.alone = (found.alone[0] + alone[0], found.alone[1] + alone[1])
            found.together = (found.together[0] + together[0], found.together[1] + together[1])
            if buzz is player and player is not None:
                found.followed += 1
                found.followed_right += player.right
    return found


def _row(name: str, chance: float, tallies: Sequence[_Tally], draw: np.random.Generator) -> list[Cell]:
    rooms, followed, right = np.array(
        [(one.rooms, one.followed, one.followed_right) for one in tallies], dtype=np.float64
    ).T
    alone = np.array([one.alone for one in tallies])
    gained = np.array([one.together for one in tallies]) - alone
    sums = np.column_stack([followed, right, alone[:, 0], gained[:, 0], alone[:, 1], gained[:, 1]])
    counts = np.column_stack([rooms, followed, rooms, rooms, rooms, rooms])
    drawn = bootstrap_ratio(sums, counts, draw)
    of_all = zip(sums.sum(axis=0).tolist(), counts.sum(axis=0).astype(int).tolist(), strict=True)
    return [
        name, f"from {100 * chance:.0f} %", len(tallies),
        *(
            interval(drawn[:, at], one / number if number else None, number)
            for at, (one, number) in enumerate(of_all)
        ),
    ]  # fmt: skip
