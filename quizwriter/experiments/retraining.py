"""Does a question survive learning: retrieval learns all folds but one, and plays that one again."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from index_builder.user_packets import add_packets
from quizwriter.engine import load
from quizwriter.experiments import column
from quizwriter.experiments.estimates import share_of
from quizwriter.experiments.inference import generator, mcnemar, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.store.plays import PlaySummary, play_and_record
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.experiments.runner import ExperimentReport

PLAYER = "ir"
"""The player that learns at once; networks would have to be trained anew for each fold."""

FOLDS, MOST_FOLDS = 5, 20


@experiment(
    "retrain",
    title="Does it survive learning?",
    asks="Do these questions still stump retrieval once it has learned the others?",
    source="Chen et al. 2019, table 3; Bartolo et al. 2020, tables 5 to 8",
    columns=(
        column.text("player"), column.text("when"), column.count("questions"), column.count("can know"),
        column.share("right in the end"), column.share("stumped"), column.share("stumped before and still"),
        column.p_value("McNemar p"),
    ),
    plot=Plot.bars("questions right in the end, per cent", ""),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    options=("plan", "folds"),
    details=(
        column.text("question"), column.text("answer"), column.count("fold"), column.text("can know"),
        column.text("right before"), column.text("right after"), column.text("stumped before"),
        column.text("stumped after"),
    ),
)  # fmt: skip
def retrain(given: ExperimentInputs) -> Found:
    """The table has a row before and one after learning the other folds, and the difference."""
    given.option("plan", "kfold", ("kfold",))
    folds = _folds(given)
    if given.players not in {(), (PLAYER,)}:
        raise refuse("Only the retrieval player IR learns in this experiment.", "Leave --players out.")
    questions = given.resolved(given.questions)
    if len(questions) < folds:
        raise refuse(
            f"There are {counted_noun(len(questions), 'question')} for {folds} folds.",
            "Name more questions, or fewer folds with --folds.",
        )
    draw = generator(given.seed, "retrain")
    fold_of = np.empty(len(questions), dtype=np.int64)
    fold_of[draw.permutation(len(questions))] = np.arange(len(questions)) % folds
    before = _played(given, questions)
    after = _learned(given, questions, fold_of, folds)
    known = [
        at
        for at, (one, other) in enumerate(zip(before, after, strict=True))
        if one.knowable and other.knowable
    ]
    left = len(questions) - len(known)
    if left:
        given.left_out["questions whose answers IR cannot know"] += left
    if not known:
        raise refuse("IR can know the answer of none of these questions.", "Name questions on its pages.")
    right = np.array([[_right(before[at]), _right(after[at])] for at in known], dtype=np.float64)
    columns = np.column_stack([right, right[:, 1] - right[:, 0]])
    shown = mean_estimates(columns, draw)
    stumped = [at for at in known if before[at].stumped()]
    still = sum(after[at].stumped() for at in stumped)
    gained, lost = (int((columns[:, 2] == sign).sum()) for sign in (1, -1))
    rows: list[list[Cell]] = [
        [
            PLAYER, "before", len(questions), len(known), shown[0], share_of(len(stumped), len(known)),
            None, None,
        ],
        [
            PLAYER, "after", len(questions), len(known), shown[1],
            share_of(sum(after[at].stumped() for at in known), len(known)), share_of(still, len(stumped)),
            None,
        ],
        [PLAYER, "difference", len(questions), len(known), shown[2], None, None, mcnemar(gained, lost).p],
    ]  # fmt: skip
    values = [one.value or 0.0 for one in shown[:2]]
    sentence = (
        f"Learning the other {folds - 1} folds takes IR from {100 * values[0]:.1f} % to "
        f"{100 * values[1]:.1f} % of {counted_noun(len(known), 'question')}; of {len(stumped):,} that "
        f"stumped it, {still:,} still do, and {len(stumped) - still:,} were given away by their siblings."
    )
    return Found(
        rows,
        sentence,
        [Series.of("IR", ["before", "after"], shown[:2])],
        [
            f"The questions are split into {folds} folds by the seed. For each fold, the others are added to "
            "a copy of the bundle, as packets are; the bundle itself does not change."
        ],
        [_detail(one, int(fold_of[at]), before[at], after[at]) for at, one in enumerate(questions)],
    )


def _folds(given: ExperimentInputs) -> int:
    said = given.option("folds", str(FOLDS))
    if not said.isdecimal() or not 2 <= int(said[:9]) <= MOST_FOLDS:
        raise refuse(f"--folds cannot be {said[:20]}.", f"Choose a number from 2 to {MOST_FOLDS}.")
    return int(said)


def _right(game: PlaySummary) -> bool:
    return game.stable_correct is not None


def _played(given: ExperimentInputs, questions: Sequence[SourceQuestion]) -> list[PlaySummary]:
    named, given.players = given.players, (PLAYER,)
    try:
        return given.summaries(questions)[PLAYER]
    finally:
        given.players = named


def _learned(
    given: ExperimentInputs,
    questions: Sequence[SourceQuestion],
    fold_of: npt.NDArray[np.int64],
    folds: int,
) -> list[PlaySummary]:
    """The game on each question of a bundle that learned all other folds."""
    found: dict[int, PlaySummary] = {}
    given.app.home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="retrain-", dir=given.app.home) as name:
        copy = Path(name) / "bundle"
        shutil.copytree(given.engine.folder, copy, copy_function=_link)
        packet = Path(name) / "learned.jsonl"
        for fold in range(folds):
            given.cancellation.check()
            given.progress("Learning", fold, folds)
            with packet.open("w", encoding="utf-8") as file:
                for at, one in enumerate(questions):
                    if fold_of[at] != fold and one.tossup.answer is not None:
                        row = {
                            "id": f"learned-{at}",
                            "text": one.tossup.text,
                            "answer": one.tossup.answer.line,
                            "page": one.tossup.answer.page,
                        }
                        file.write(json.dumps(row) + "\n")
            add_packets(copy, [packet])
            engine = load(copy, trusted=True)
            (player,) = (one for one in engine.players if one.name == PLAYER)
            for at, one in enumerate(questions):
                if fold_of[at] == fold:
                    given.cancellation.check()
                    found[at] = play_and_record(player, one.tossup).summary
    return [found[at] for at in range(len(questions))]


def _link(source: str, target: str) -> object:
    """A second name of a file of the bundle, which is never written; a copy where the disk has none."""
    try:
        os.link(source, target)
    except OSError:
        return shutil.copy2(source, target)
    return target


def _detail(one: SourceQuestion, fold: int, before: PlaySummary, after: PlaySummary) -> list[Cell]:
    def said(value: bool) -> str:
        return "yes" if value else "no"

    return [
        one.key, one.title, fold + 1, said(before.knowable and after.knowable), said(_right(before)),
        said(_right(after)), said(before.stumped()), said(after.stumped()),
    ]  # fmt: skip


def keep_survival(given: ExperimentInputs, report: ExperimentReport, day: str) -> int:
    """Keep what ``report`` says of tossups of the database, on ``day``; of how many tossups that is.

    Any other report, one of another plan, and one on files have nothing to keep.

    Raises:
        QuizwriterError: the database cannot be written.
    """
    titles = [one.title for one in report.experiment.details]
    wanted = ("question", "can know", "stumped before", "stumped after")
    by_folds = report.experiment.name == "retrain" and given.options.get("plan", "kfold") == "kfold"
    if not by_folds or not set(wanted) <= set(titles):
        return 0
    places = [titles.index(name) for name in wanted]
    tossups = {one.key: one.tossup for one in given.questions if one.names == (one.key,)}
    kept = 0
    for row in report.found.details:
        key, can_know, before, after = (str(row[place]) for place in places)
        if key in tossups and can_know == "yes":
            given.app.survival.keep(
                key, tossups[key], before=before == "yes", after=after == "yes",
                learned=len(given.questions) - 1, bundle=given.engine.title, day=day,
            )  # fmt: skip
            kept += 1
    return kept
