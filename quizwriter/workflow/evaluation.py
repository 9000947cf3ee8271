"""How good a player is: accuracy by words heard, positions, expected wins, time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from quizwriter.domain.guessing import Player, Playthrough, Reliability, win_chance
from quizwriter.domain.tossup import Page, Tossup

SHARES = (10, 25, 50, 75, 90, 100)
"""Per cent of the words heard at which accuracy is taken."""


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest of ``values`` that ``percent`` of them do not exceed; nan of nothing."""
    if not values:
        return math.nan
    return sorted(values)[max(0, math.ceil(percent / 100 * len(values)) - 1)]


@dataclass
class _Tally:
    answerable: int = 0
    can_know: int = 0
    top1: dict[int, int] = field(default_factory=lambda: dict.fromkeys(SHARES, 0))
    top5: dict[int, int] = field(default_factory=lambda: dict.fromkeys(SHARES, 0))
    first: list[float] = field(default_factory=list)
    stable: list[float] = field(default_factory=list)
    wins: list[float] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    reliability: Reliability = field(default_factory=Reliability)

    def add(self, play: Playthrough, *, answerable: bool) -> None:
        tossup, answer = play.tossup, play.tossup.answer
        words = len(tossup.words)
        self.answerable += answerable
        self.can_know += play.knowable
        self.reliability.add(play)
        self.milliseconds.append(play.milliseconds)
        self.wins.append(win_chance(play.buzz.heard / words) if play.buzz and play.buzzes_right else 0.0)
        if answer is None:
            return
        for share in SHARES:
            index = play.index_after(math.ceil(share / 100 * words))
            if index is None:
                continue
            self.top1[share] += play.right[index]
            self.top5[share] += any(answer.accepts(guess.page) for guess in play.rows[index])
        if play.first_correct is not None:
            self.first.append(play.first_correct / words)
        if play.stable_correct is not None:
            self.stable.append(play.stable_correct / words)

    def report(self, questions: int) -> dict[str, object]:
        def share(counts: dict[int, int], of: int = questions) -> dict[str, float | None]:
            return {str(key): round(count / of, 4) if of else None for key, count in counts.items()}

        def mean(values: Sequence[float]) -> float | None:
            return round(fmean(values), 4) if values else None

        return {
            "answerable": self.answerable,
            "top1": share(self.top1),
            "top5": share(self.top5),
            "first_correct": mean(self.first),
            "stable_correct": mean(self.stable),
            "expected_wins": round(sum(self.wins) / questions, 4) if questions else None,
            "guessable": {
                "questions": self.can_know,
                "top1": share(self.top1, self.can_know),
                "top5": share(self.top5, self.can_know),
                "expected_wins": round(sum(self.wins) / self.can_know, 4) if self.can_know else None,
            },
            "calibration_error": round(self.reliability.error, 4),
            "milliseconds": {
                key: round(percentile(self.milliseconds, percent), 2) if self.milliseconds else None
                for key, percent in (("p50", 50), ("p95", 95))
            },
        }


def evaluate(
    players: Sequence[Player], tossups: Iterable[Tossup], known: Iterable[Page | str]
) -> dict[str, object]:
    """Every player's figures over ``tossups``, whose answers must be set; ready for JSON.

    ``known`` are the keys of the pages a player can name; a tossup on another is not answerable and
    counts as wrong. Under ``guessable`` the shares are of the questions that the player itself can know, and
    their number stands beside them. ``first_correct`` and ``stable_correct`` are means over the tossups that
    have one, as shares of the words. ``expected_wins`` is the mean of :func:`win_chance` at the player's own
    buzz, 0 where it does not buzz or buzzes wrong. ``calibration_error`` is that of the chances after every
    word.
    """
    keys = frozenset(known)
    tallies = {player.name: _Tally() for player in players}
    questions = 0
    for tossup in tossups:
        questions += 1
        answerable = tossup.answer is not None and not keys.isdisjoint(tossup.answer.keys)
        for player in players:
            tallies[player.name].add(player.play(tossup), answerable=answerable)
    return {
        "questions": questions,
        "guessers": {name: tally.report(questions) for name, tally in tallies.items()},
    }
