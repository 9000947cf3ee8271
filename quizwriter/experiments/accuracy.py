"""How a player does on some questions: the one place where accuracy by words heard is counted.

The experiment ``curves``, the command ``evaluate`` and the README of a challenge set take it from here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import msgspec

from quizwriter.domain.guessing import Player, Reliability, win_chance
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.store.plays import Course, PlayRecord, PlaySummary
from quizwriter.workflow.estimates import Estimate, mean_of, percentile, share_of

SHARES_HEARD = (10, 25, 50, 75, 90, 100)
"""The shares of the words, in per cent, after which results give the accuracy."""

_AMONG = 5
"""Guesses of which one is right, for the second accuracy of ``evaluate``."""

WinChance = Callable[[float], float]
"""The chance to win a tossup by a right answer after a share of it, from 0 to 1."""


class PlayerResult(msgspec.Struct, frozen=True):
    """How a player does on some questions; all but ``questions`` is of those whose answer it can know.

    ``right`` is the share that is right after each of :data:`SHARES_HEARD`; ``first`` the mean share of the
    words until the first guess is right, where a question that is never right counts as 1. ``wins`` are
    expected wins, see :func:`win`: the mean over the questions of the chance to win at the player's own buzz,
    0 where it does not buzz or buzzes wrong.
    """

    player: str
    questions: int
    can_know: int
    right: Mapping[int, Estimate]
    first: Estimate
    stumped: int
    buzzes_right: Estimate
    wins: Estimate


def player_result(
    player: str,
    played: Iterable[PlaySummary],
    tossups: Sequence[Tossup] | None = None,
    buzzes: Sequence[float | None] | None = None,
) -> PlayerResult:
    """The result of ``player`` in the games ``played``, one for each question.

    With ``tossups``, one for each game, expected wins are by the share of the characters heard, on which the
    published curve was fitted; without, where the texts are not there, by ``buzzes``, the share heard at the
    buzz in each game, or else by that of the words.
    """
    whole = list(played)
    at = [number for number, game in enumerate(whole) if game.knowable]
    games = [whole[number] for number in at]
    wins = [
        win(
            whole[number],
            None if tossups is None else tossups[number],
            share=None if buzzes is None else buzzes[number],
        )
        for number in at
    ]
    return PlayerResult(
        player,
        len(whole),
        len(games),
        {
            share: share_of(sum(game.right_after(share) for game in games), len(games))
            for share in SHARES_HEARD
        },
        mean_of([first_right(game) for game in games]),
        sum(game.stumped() for game in games),
        share_of(sum(game.buzzes_right for game in games), len(games)),
        mean_of(wins),
    )


def first_right(game: PlaySummary) -> float:
    """The share of the words heard when the first guess was right first; 1 where it never was."""
    return game.first_correct / game.words if game.first_correct is not None and game.words else 1.0


def win(
    game: PlaySummary,
    tossup: Tossup | None = None,
    chance: WinChance = win_chance,
    share: float | None = None,
) -> float:
    """The chance that ``game`` wins its tossup by its own buzz, at ``share``; 0 without a right buzz."""
    if game.buzz is None or not game.buzzes_right or not game.words:
        return 0.0
    if share is not None:
        return chance(share)
    return chance(game.buzz / game.words if tossup is None else characters_heard(tossup, game.buzz))


def characters_heard(tossup: Tossup, words: int) -> float:
    """The share of the characters of ``tossup`` that was read after ``words`` words."""
    length = len(tossup.text.rstrip())
    if not length or not words:
        return 0.0
    return min(1.0, tossup.words[min(words, len(tossup.words)) - 1].end / length)


def _among_first(course: Course, tossup: Tossup, share: int) -> bool:
    """Whether any of the first guesses is right after ``share`` per cent of the words."""
    count, said = math.ceil(share / 100 * len(tossup.words)), None
    for heard, guesses in zip(course.heard, course.guesses, strict=True):
        if heard > count:
            break
        said = guesses
    answer = tossup.answer
    if said is None or answer is None:
        return False
    return any(answer.accepts(course.pages[at]) for at in said[:_AMONG])


class _Evaluation(msgspec.Struct):
    """The games of one player, as ``evaluate`` reports them."""

    records: list[PlayRecord]
    tossups: list[Tossup]
    milliseconds: list[float]
    reliability: Reliability
    answerable: int = 0

    def report(self) -> dict[str, object]:
        games = [one.summary for one in self.records]
        known = [at for at, game in enumerate(games) if game.knowable]
        every = range(len(games))
        firsts = [one.first_correct / one.words for one in games if one.first_correct is not None]
        stables = [one.stable_correct / one.words for one in games if one.stable_correct is not None]
        return {
            "answerable": self.answerable,
            **self._accuracy(every),
            "first_correct": _mean(firsts),
            "first_correct_or_end": _mean([first_right(one) for one in games]),
            "stable_correct": _mean(stables),
            "expected_wins": self._wins(every),
            "guessable": {
                "questions": len(known),
                **self._accuracy(known),
                "first_correct_or_end": _mean([first_right(games[at]) for at in known]),
                "expected_wins": self._wins(known),
            },
            "calibration_error": round(self.reliability.error, 4),
            "milliseconds": {
                key: round(percentile(self.milliseconds, part), 2) if self.milliseconds else None
                for key, part in (("p50", 50), ("p95", 95))
            },
        }

    def _accuracy(self, numbers: Sequence[int]) -> dict[str, object]:
        top1: dict[str, float | None] = {}
        top5: dict[str, float | None] = {}
        for share in SHARES_HEARD:
            top1[str(share)] = _mean([float(self.records[at].summary.right_after(share)) for at in numbers])
            top5[str(share)] = _mean(
                [float(_among_first(self.records[at].course, self.tossups[at], share)) for at in numbers]
            )
        return {"top1": top1, "top5": top5}

    def _wins(self, numbers: Sequence[int]) -> float | None:
        return _mean([win(self.records[at].summary, self.tossups[at]) for at in numbers])


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), 4) if values else None


def evaluate(
    players: Sequence[Player], tossups: Iterable[Tossup], known: Iterable[Page | str]
) -> dict[str, Any]:
    """Every player's figures over ``tossups``, whose answers must be set; ready for JSON.

    ``known`` are the keys of the pages a player can name; a tossup on another is not answerable and
    counts as wrong. Under ``guessable`` the shares are of the questions that the player itself can know, and
    their number stands beside them. ``first_correct`` and ``stable_correct`` are means over the tossups that
    have one, as shares of the words; in ``first_correct_or_end`` a tossup without one counts as 1.
    ``expected_wins`` is the mean of :func:`win` by characters. ``calibration_error`` is that of the chances
    after every word.
    """
    keys = frozenset(known)
    found = {player.name: _Evaluation([], [], [], Reliability()) for player in players}
    questions = 0
    for tossup in tossups:
        questions += 1
        for player in players:
            play = player.play(tossup)
            one = found[player.name]
            one.answerable += tossup.answer is not None and not keys.isdisjoint(tossup.answer.keys)
            one.reliability.add(play)
            one.milliseconds.append(play.milliseconds)
            one.records.append(PlayRecord.of(play, player.engine))
            one.tossups.append(tossup)
    return {"questions": questions, "guessers": {name: one.report() for name, one in found.items()}}
