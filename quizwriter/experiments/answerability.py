"""Answerability: of how many tossups at least k of n people who played them were right."""

from __future__ import annotations

from quizwriter.experiments import column
from quizwriter.experiments.inputs import ExperimentInputs, PlayedRoom
from quizwriter.experiments.people import percent
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.workflow.estimates import share_of
from quizwriter.workflow.wording import counted_noun

MOST_VALIDATORS = 5


@experiment(
    "answerability",
    title="Answerability",
    asks="Can people answer these tossups?",
    source="Bartolo et al. 2020, section 3",
    columns=(
        column.text("category"), column.count("validators"), column.count("right, at least"),
        column.count("tossups"), column.share("answerable"),
    ),
    plot=Plot.lines("people who were right, at least", "tossups, per cent"),
    needs=(Need.QUESTIONS, Need.BUZZES),
    details=(column.text("question"), column.text("answer"), column.count("rooms"), column.count("answered")),
)  # fmt: skip
def answerability(given: ExperimentInputs) -> Found:
    """The table has a row for each n and k: of tossups with n rooms or more, the first n rooms count."""
    given.count_unplayed()
    played = [one for one in given.questions if one.key in given.rooms_by_question]
    rows: list[list[Cell]] = []
    series: list[Series] = []
    for number in range(1, MOST_VALIDATORS + 1):
        counts = {
            one.key: sum(map(_is_right, rooms[:number]))
            for one in played
            if len(rooms := given.rooms_by_question[one.key]) >= number
        }
        if not counts:
            break
        found = [
            share_of(sum(count >= least for count in counts.values()), len(counts))
            for least in range(1, number + 1)
        ]
        rows += [["all", number, least, len(counts), one] for least, one in enumerate(found, start=1)]
        series.append(Series.of(counted_noun(number, "person", "people"), [*range(1, number + 1)], found))
        for category in sorted({one.category for one in played if one.category and one.key in counts}):
            some = [counts[one.key] for one in played if one.category == category and one.key in counts]
            rows.append([category, number, 1, len(some), share_of(sum(map(bool, some)), len(some))])
    if not rows:
        raise refuse("No people yet: nobody played a question of these.", "Name other buzzes.")
    ever = sum(any(map(_is_right, given.rooms_by_question[one.key])) for one in played)
    return Found(
        rows,
        f"In one room or more, people answered {percent(ever / len(played))} of "
        f"{counted_noun(len(played), 'tossup')}.",
        series,
        ["Of each tossup the first n rooms count; intervals are Wilson's."],
        [
            [one.key, one.title, len(rooms), sum(map(_is_right, rooms))]
            for one in played
            if (rooms := given.rooms_by_question[one.key])
        ],
    )


def _is_right(one: PlayedRoom) -> bool:
    return one.room.answered_at is not None
