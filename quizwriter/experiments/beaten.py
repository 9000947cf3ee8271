"""Which players each question beats, by the page that they name in the end, or by the words of the answer."""

from __future__ import annotations

import numpy as np

from quizwriter.domain.page import plain_title
from quizwriter.experiments import column
from quizwriter.experiments.inputs import RECORDED, ExperimentInputs
from quizwriter.experiments.people import percent
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.services.beat_goal import BeatGoal, answer_overlap, beats
from quizwriter.workflow.estimates import share_of
from quizwriter.workflow.wording import counted_noun, player_title


@experiment(
    "beaten",
    title="Questions that beat the players",
    asks="Which players does each question beat, by the page or by the words of the answer?",
    source="Bartolo et al. 2020, section 3.1: F1 of the words, and three adversaries, each stronger",
    columns=(
        column.text("player"), column.count("questions"), column.share("beaten by the page"),
        column.share("beaten by F1"), column.share("by the page alone"),
        column.share("beaten with all weaker"), column.share("by F1 with all weaker"),
    ),
    plot=Plot.bars("questions that beat the player, per cent"),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    unread=True,
    options=(RECORDED,),
    details=(
        column.text("question"), column.text("answer"), column.text("player"), column.text("guess"),
        column.number("F1"), column.text("beaten by the page"), column.text("beaten by F1"),
    ),
)  # fmt: skip
def beaten(given: ExperimentInputs) -> Found:
    """The table has a row for each player, the one that most questions beat first."""
    questions = given.unread_questions
    games = given.courses(questions)
    known = [at for at in range(len(questions)) if all(of[at].summary.knowable for of in games.values())]
    if left := len(questions) - len(known):
        given.left_out["questions whose answers some player cannot know"] += left
    if not known:
        raise refuse("No question has an answer that all players can know.", "Name questions on their pages.")
    answers = [one.tossup.answer for one in questions]
    guesses = {name: [of[at].course.last_guess for at in known] for name, of in games.items()}
    shared = {
        name: np.array([answer_overlap(said, answers[at]) for said, at in zip(of, known, strict=True)])
        for name, of in guesses.items()
    }
    by_page, by_words = (
        {
            name: np.array(
                [beats(answers[at], said, by_f1=by_f1) for said, at in zip(of, known, strict=True)]
            )
            for name, of in guesses.items()
        }
        for by_f1 in (False, True)
    )
    order = sorted(games, key=lambda name: -by_page[name].sum())
    rows: list[list[Cell]] = []
    weaker = {"page": np.ones(len(known), dtype=bool), "words": np.ones(len(known), dtype=bool)}
    for name in order:
        page, words = by_page[name], by_words[name]
        weaker = {"page": weaker["page"] & page, "words": weaker["words"] & words}
        counted = (page, words, page & ~words, weaker["page"], weaker["words"])
        rows.append([name, len(known), *(share_of(int(one.sum()), len(known)) for one in counted)])
    said = [
        f"{percent(float(by_page[name].mean()))} beat {player_title(name)} by the page and "
        f"{percent(float(by_words[name].mean()))} by F1"
        for name in order
    ]
    if len(order) > 1:
        said.append(
            f"{percent(float(weaker['page'].mean()))} beat them all by the page and "
            f"{percent(float(weaker['words'].mean()))} by F1"
        )
    return Found(
        rows,
        f"Of {counted_noun(len(known), 'question')}, {'; '.join(said)}.",
        [Series.of("by the page", [*map(player_title, order)], [row[2] for row in rows])],
        [
            f"{BeatGoal().rule} {BeatGoal(by_f1=True).rule} Beat the AI counted by F1 alone. The "
            "weaker players are those that more questions beat. Every player can know the answers. Intervals "
            "are Wilson's.",
        ],
        [
            [
                questions[at].key, questions[at].title, name, "" if said is None else plain_title(said),
                float(shared[name][place]), _told(by_page[name][place]), _told(by_words[name][place]),
            ]
            for name in order
            for place, (at, said) in enumerate(zip(known, guesses[name], strict=True))
        ],
    )  # fmt: skip


def _told(value: np.bool_) -> str:
    return "yes" if value else "no"
