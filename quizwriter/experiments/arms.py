"""The control arm of a set: do tossups stump more players that were written with the machines in sight?"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from quizwriter.domain.review import Arm
from quizwriter.experiments import column
from quizwriter.experiments.inference import fisher_exact
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.control_arm import as_written
from quizwriter.workflow.estimates import share_of
from quizwriter.workflow.wording import player_name, sentence

ARM_TITLES = {Arm.SHOWN: "machines in sight", Arm.HIDDEN: "machines hidden"}


@experiment(
    "arms",
    title="Control arm",
    asks="Do tossups stump players more often that were written with the machines in sight?",
    source="Kaushik et al. 2021: writers drawn at random to see a model or not",
    columns=(
        column.text("player"), column.text("arm"), column.count("tossups"), column.count("can know"),
        column.share("stumped"), column.p_value("Fisher p"),
    ),
    plot=Plot.bars("tossups that stump the player, per cent"),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("arm"), column.text("player"),
        column.text("can know"), column.text("stumped"),
    ),
)  # fmt: skip
def arms(given: ExperimentInputs) -> Found:
    """The table has two rows for each player, one for each arm, with Fisher's p of the two in the second."""
    drawn: list[tuple[Arm, SourceQuestion]] = []
    for one in given.questions:
        found = _drawn(given, one)
        if found is not None:
            drawn.append(found)
    new = {one.key: one for one in given.unread(given.resolved([one for _, one in drawn]))}
    drawn = [(arm, new[one.key]) for arm, one in drawn if one.key in new]
    if {arm for arm, _ in drawn} != set(Arm):
        raise refuse(
            "These tossups are not in both arms of a control arm.",
            "Name a set whose control arm was begun, with tossups in both arms that are ready.",
        )
    games = given.summaries([one for _, one in drawn])
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, said = [], []
    for player, plays in games.items():
        counted = {arm: _counts(drawn, plays, arm) for arm in ARM_TITLES}
        shares = {arm: share_of(stumps, known) for arm, (_, known, stumps) in counted.items()}
        (_, known, stumps), (_, other_known, other_stumps) = counted.values()
        p = None
        if known and other_known:
            p = fisher_exact(stumps, known - stumps, other_stumps, other_known - other_stumps).p
        for arm, title in ARM_TITLES.items():
            of, can_know, _ = counted[arm]
            rows.append([player, title, of, can_know, shares[arm], p if arm is Arm.HIDDEN else None])
        values = [shares[arm].value or 0.0 for arm in ARM_TITLES]
        series.append(Series(player, list(ARM_TITLES.values()), values))
        said.append(
            f"{sentence(player_name(player))} is stumped by {stumps:,} of {known:,} tossups written with the "
            f"machines in sight and by {other_stumps:,} of {other_known:,} written with them hidden"
            + (f" (Fisher: p = {p:.3g})" if p is not None else "")
        )
        details += [
            [
                one.key, one.title, ARM_TITLES[arm], player, "yes" if play.knowable else "no",
                "yes" if play.stumped() else "no",
            ]
            for (arm, one), play in zip(drawn, plays, strict=True)
        ]  # fmt: skip
    remarks = [
        "Each tossup is played as it was when it first left the draft: what is edited later may be edited "
        "with the machines in sight, in both arms.",
        "Intervals are Wilson's. Writers differ: tossups of one writer depend on each other.",
    ]
    return Found(rows, ". ".join(said) + ".", series, remarks, details)


def _drawn(given: ExperimentInputs, one: SourceQuestion) -> tuple[Arm, SourceQuestion] | None:
    """The arm of a question and the question as it was written in it; None if it is counted in none."""
    store = given.app.store
    review = store.review_of(one.key)
    if review.arm is None:
        given.left_out["a tossup that was drawn into no arm"] += 1
        return None
    written = as_written(one.tossup, store.history(one.key), review)
    if written is None:
        given.left_out["a tossup that was never ready"] += 1
        return None
    return review.arm, replace(one, tossup=written)


def _counts(
    drawn: Sequence[tuple[Arm, SourceQuestion]], plays: Sequence[PlaySummary], arm: Arm
) -> tuple[int, int, int]:
    """How many tossups are in ``arm``, how many the player can know, and how many of these stump it."""
    of = [play for (one, _), play in zip(drawn, plays, strict=True) if one is arm]
    known = [play for play in of if play.knowable]
    return len(of), len(known), sum(play.stumped() for play in known)
