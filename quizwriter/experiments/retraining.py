"""Does a question survive learning: players learn other questions, or less, and are asked again.

Retrieval learns at once, as it does from packets; what needs trainings is in
:mod:`quizwriter.experiments.training_plans`.
"""

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

from index_builder.trials import TrialPlayer
from index_builder.user_packets import add_packets
from quizwriter.domain.players import DAN, IR
from quizwriter.engine.engine import load
from quizwriter.experiments import column
from quizwriter.experiments.inference import generator
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.experiments.training_plans import (
    others_of,
    paired_rows,
    run_ablation,
    run_folds,
    run_matrix,
    run_seeds,
    stratified_folds,
)
from quizwriter.experiments.training_process import forget_trials
from quizwriter.store.plays import PlaySummary, play_and_record
from quizwriter.workflow.wording import counted_noun, player_title

if TYPE_CHECKING:
    from quizwriter.experiments.runner import ExperimentReport

FOLDS, MOST_FOLDS = 5, 20

PLANS = ("kfold", "sizes", "seeds", "ablate", "matrix")

SIZES = (20, 40, 60, 80, 100)
"""Per cent of the other folds that are learned, as in Chen et al. 2019."""


@experiment(
    "retrain",
    title="Does it survive learning?",
    asks="Do these questions still stump a player once it has learned others, with other seeds or less?",
    source="Chen et al. 2019, table 3; Bartolo et al. 2020, tables 5 to 8",
    columns=(
        column.text("player"), column.text("learned"), column.text("tested on"), column.count("trainings"),
        column.count("questions"), column.count("can know"), column.share("right in the end"),
        column.share("change"), column.number("spread over seeds"), column.share("stumped"),
        column.share("stumped before and still"), column.p_value("McNemar p"),
    ),
    plot=Plot.bars("questions right in the end, per cent", ""),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    options=("plan", "folds", "seeds", "classes", "rows"),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.count("fold"), column.text("can know"),
        column.text("right before"), column.text("right after"), column.text("stumped before"),
        column.text("stumped after"),
    ),
)  # fmt: skip
def retrain(given: ExperimentInputs) -> Found:
    """The table has a row for each training, or mean of trainings, and test."""
    plan = given.option("plan", "kfold", PLANS)
    players = _players(given, plan)
    if plan == "seeds":
        found = run_seeds(given)
    elif plan == "matrix":
        found = run_matrix(given)
    elif plan == "sizes":
        found = _sizes_ir(given)
    elif plan == "ablate":
        found = run_ablation(given, players)
    else:
        found = _joined(
            [_fold_ir(given) if one == IR else run_folds(given, _folds(given)) for one in players]
        )
    forget_trials(given)
    return found


def _players(given: ExperimentInputs, plan: str) -> tuple[TrialPlayer, ...]:
    """The players that learn: IR does at once, and a DAN in a small training; no other is trained here."""
    learn: tuple[TrialPlayer, ...] = (IR, DAN) if plan in {"kfold", "ablate"} else (DAN,)
    if plan == "sizes":
        learn = (IR,)
    if unknown := [name for name in given.players if name not in learn]:
        raise refuse(
            f"The plan {plan} does not train {' and '.join(map(player_title, unknown))}.",
            f"Name {' or '.join(learn)} with --players, or leave --players out.",
        )
    return tuple(name for name in learn if name in given.players) or learn[:1]


def _joined(parts: Sequence[Found]) -> Found:
    return Found(
        [row for one in parts for row in one.rows],
        " ".join(one.sentence for one in parts),
        [series for one in parts for series in one.series],
        [remark for one in parts for remark in one.remarks],
        [row for one in parts for row in one.details],
    )


def _fold_ir(given: ExperimentInputs) -> Found:
    """Before and after the other folds were added to the bundle, as packets are."""
    folds = _folds(given)
    questions = given.unread_questions
    if len(questions) < folds:
        raise refuse(
            f"{counted_noun(len(questions), 'question')} cannot be split into {folds} folds.",
            "Name more questions, or fewer folds with --folds.",
        )
    draw = generator(given.seed, "retrain")
    fold_of = stratified_folds([one.category for one in questions], folds, draw)
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
    stumped = np.array([[before[at].stumped(), after[at].stumped()] for at in known])
    rows = paired_rows(IR, ("before", "after"), len(questions), right, stumped, draw)
    was, still = int(stumped[:, 0].sum()), int(stumped.all(axis=1).sum())
    values = right.mean(axis=0)
    sentence = (
        f"Learning the other {others_of(folds)} takes IR from {100 * values[0]:.1f} % to "
        f"{100 * values[1]:.1f} % of {counted_noun(len(known), 'question')}; of {was:,} that stumped it, "
        f"{still:,} still "
        f"{'does' if still == 1 else 'do'}, and {was - still:,} "
        f"{'was' if was - still == 1 else 'were'} given away by their siblings."
    )
    return Found(
        rows,
        sentence,
        [Series.of("IR", ["before", "after"], [row[6] for row in rows])],
        [
            f"The questions are split into {folds} folds by the seed, each category by its share. For each "
            "fold, the others are added to a copy of the bundle, as packets are; the bundle itself does not "
            "change. Stumped means never right."
        ],
        [_detail(one, int(fold_of[at]), before[at], after[at]) for at, one in enumerate(questions)],
    )


def _sizes_ir(given: ExperimentInputs) -> Found:
    """How much of the other folds has to be learned: the set itself is ablated, and not the corpus."""
    folds, questions = _folds(given), given.unread_questions
    if len(questions) < folds:
        raise refuse(
            f"{counted_noun(len(questions), 'question')} cannot be split into {folds} folds.",
            "Name more questions, or fewer folds with --folds.",
        )
    fold_of = stratified_folds([one.category for one in questions], folds, generator(given.seed, "retrain"))
    lots = generator(given.seed, "sizes").permutation(len(questions)) * 100 / len(questions)
    games = [_played(given, questions)]
    games += [_learned(given, questions, fold_of, folds, lots < share) for share in SIZES]
    known = [at for at in range(len(questions)) if all(of[at].knowable for of in games)]
    if left := len(questions) - len(known):
        given.left_out["questions whose answers IR cannot know"] += left
    if not known:
        raise refuse("IR can know the answer of none of these questions.", "Name questions on its pages.")
    right = np.array([[_right(of[at]) for of in games] for at in known], dtype=np.float64)
    labels = ("nothing", *(f"{share} %" for share in SIZES))
    rows = [
        paired_rows(
            IR, (labels[0], label), len(questions), right[:, [0, at]], right[:, [0, at]] == 0,
            generator(given.seed, "retrain"),
        )[min(at, 1)]
        for at, label in enumerate(labels)
    ]  # fmt: skip
    means = 100 * right.mean(axis=0)
    return Found(
        rows,
        f"IR is right on {means[0]:.1f} % of {counted_noun(len(known), 'question')}, on {means[1]:.1f} % "
        f"with {SIZES[0]} % of the other folds and on {means[-1]:.1f} % with all of them.",
        [Series.of("IR", labels, [row[6] for row in rows])],
        [
            f"The questions are split into {folds} folds by the seed, each category by its share. For each "
            "fold, a part of the others is added to a copy of the bundle, as packets are.",
            "Stumped means wrong after the last word.",
        ],
    )


def _folds(given: ExperimentInputs) -> int:
    return given.whole_option("folds", FOLDS, 2, MOST_FOLDS)


def _right(game: PlaySummary) -> bool:
    return game.stable_correct is not None


def _played(given: ExperimentInputs, questions: Sequence[SourceQuestion]) -> list[PlaySummary]:
    named, given.players = given.players, (IR,)
    try:
        return given.summaries(questions)[IR]
    finally:
        given.players = named


def _learned(
    given: ExperimentInputs,
    questions: Sequence[SourceQuestion],
    fold_of: npt.NDArray[np.int64],
    folds: int,
    taken: npt.NDArray[np.bool_] | None = None,
) -> list[PlaySummary]:
    """The game on each question of a bundle that learned the other folds, or what is ``taken`` of them."""
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
                    wanted = fold_of[at] != fold and (taken is None or taken[at])
                    if wanted and one.tossup.answer is not None:
                        row = {
                            "id": f"learned-{at}",
                            "text": one.tossup.text,
                            "answer": one.tossup.answer.line,
                            "page": one.tossup.answer.page,
                        }
                        file.write(json.dumps(row) + "\n")
            add_packets(copy, [packet])
            engine = load(copy, trusted=True)
            (player,) = (one for one in engine.players if one.name == IR)
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
    """
    titles = [one.title for one in report.experiment.details]
    wanted = ("question", "can know", "stumped before", "stumped after")
    by_folds = report.experiment.name == "retrain" and given.options.get("plan", "kfold") == "kfold"
    if not by_folds or given.players not in {(), (IR,)} or not set(wanted) <= set(titles):
        return 0
    places = [titles.index(name) for name in wanted]
    tossups = {one.key: one.tossup for one in given.questions if one.names == (one.key,)}
    kept = 0
    for row in report.found.details:
        key, can_know, before, after = (str(row[place]) for place in places)
        if key in tossups and can_know == "yes":
            given.app.survival.keep(
                key, tossups[key], before=before == "yes", after=after == "yes",
                learned=len(given.unread_questions) - 1, bundle=given.engine.title, day=day,
            )  # fmt: skip
            kept += 1
    return kept
