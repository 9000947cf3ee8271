"""Answers alone: how often the right one of a player's guesses is known without a word of the question."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quizwriter.domain.guessing import TOP
from quizwriter.domain.page import Page
from quizwriter.experiments import column
from quizwriter.experiments.inference import generator, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.people import percent
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.store.plays import PlayRecord
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.wording import counted_noun, player_title, sentence


@experiment(
    "answers",
    title="Answers alone",
    asks="Can the answer be picked out of the guesses of a player without the question?",
    source="Chen et al. 2019, section 4: the baseline that sees the answers only",
    columns=(
        column.text("player"), column.count("can know"), column.count("among its guesses"),
        column.share("right by chance"), column.share("right by the answer alone"),
        column.share("right by the question"), column.share("alone, more than chance"),
    ),
    plot=Plot.bars("right among the guesses, per cent"),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("player"), column.count("guesses"),
        column.text("asked most"), column.number("right by the answer alone"),
        column.text("right by the question"),
    ),
)  # fmt: skip
def answers(given: ExperimentInputs) -> Found:
    """The table has a row for each player, of the tossups whose answer is among its last guesses."""
    questions = given.unread_questions
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, said = [], []
    for name, games in given.courses(questions).items():
        known = [at for at, game in enumerate(games) if game.summary.knowable]
        picks = {
            at: pick
            for at in known
            if (pick := _Pick.of(questions[at], games[at], given.engine.pages.asked)) is not None
        }
        worth = np.array([[one.chance, one.alone, one.played] for one in picks.values()]).reshape(-1, 3)
        shares = mean_estimates(
            np.column_stack([worth, worth[:, 1] - worth[:, 0]]), generator(given.seed, "answers")
        )
        rows.append([name, len(known), len(picks), *shares])
        bars = ("chance", "the answer alone", "the question")
        series.append(Series.of(player_title(name), bars, shares[:3]))
        details += [
            [
                questions[at].key, questions[at].title, name, one.guesses, " / ".join(one.most_asked),
                one.alone, "yes" if one.played else "no",
            ]
            for at, one in picks.items()
        ]  # fmt: skip
        if picks:
            said.append(_sentence(player_title(name), shares))
    if not said:
        raise refuse("No answer is among the guesses of any player.", "Name questions on their pages.")
    return Found(
        rows,
        sentence("; ".join(said)) + ".",
        series,
        [
            f"The choices are the {TOP} guesses after the last word; tossups whose answer is not among them "
            "are left out. *By the answer alone* takes the one that most past tossups asked for, and of as "
            "many that are asked as often each counts its part. Intervals are by bootstrap over tossups.",
        ],
        details,
    )


class _Pick:
    """What each way of choosing is worth on one tossup whose answer is among the last guesses."""

    def __init__(self, right: list[bool], asked: list[int], pages: list[Page]) -> None:
        most = max(asked)
        tied = [at for at, times in enumerate(asked) if times == most]
        self.guesses = len(right)
        self.chance = sum(right) / len(right)
        self.alone = sum(right[at] for at in tied) / len(tied)
        self.played = float(right[0])
        self.most_asked = [pages[at] for at in tied]

    @classmethod
    def of(cls, question: SourceQuestion, game: PlayRecord, asked: Callable[[Page], int]) -> _Pick | None:
        """None: no guess is right. ``asked`` says how many past tossups ask for a page."""
        answer = question.tossup.answer
        last = game.course.guesses[-1] if game.course.guesses else []
        said = [Page(game.course.pages[at]) for at in last]
        right = [answer is not None and answer.accepts(page) for page in said]
        return cls(right, [*map(asked, said)], said) if any(right) else None


def _sentence(title: str, shares: list[Estimate]) -> str:
    chance, alone, played, more = shares
    found = (
        f"of {title}'s guesses the one asked most often is right in {percent(alone.value or 0.0)} of "
        f"{counted_noun(alone.number, 'tossup')}, a random one in {percent(chance.value or 0.0)}, and its "
        f"first in {percent(played.value or 0.0)}"
    )
    if more.value is None or more.low is None or more.high is None:
        return found
    if more.low <= 0 <= more.high:
        return f"{found}: the answers alone are not shown to give anything away"
    word = "more" if more.value > 0 else "less"
    low, high = sorted((abs(100 * more.low), abs(100 * more.high)))
    points = f"{abs(100 * more.value):.1f} points {word} than chance ({low:.1f} to {high:.1f})"
    return f"{found}: the answers alone bring {points}"
