"""The networks of a bundle learn from added packets.

A network that has learnt goes on, at low rates, on batches of which half is drawn from the packets and half
from what it learnt before, so that it keeps that. Its old weights stay in the bundle. The classes stay those
that it has: the ensemble, which was fitted on the network, goes on with it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch

from index_builder.data.corpus import PassageRow
from index_builder.progress import Progress
from index_builder.training.learner import (
    Learner,
    TrainingPlan,
    chosen_device,
    network_training,
    usable_cores,
)
from index_builder.training.page_classifier import NetworkSize
from index_builder.training.training_set import TrainingSet
from quizwriter.domain.page import answer_key
from quizwriter.domain.players import networks
from quizwriter.engine.bundle import Bundle, add_player, restore_player
from quizwriter.engine.engine import trained
from quizwriter.engine.pages import read_pages
from quizwriter.engine.tokenizer import places
from quizwriter.errors import QuizwriterError

RATE, DENSE_RATE = 0.02, 2e-4
"""A tenth of the rates of a whole training: what was learnt before is to be kept."""


class PacketsLearnt(msgspec.Struct, frozen=True):
    """The networks that learnt from packets, and how many of the texts are on pages that they know."""

    networks: tuple[str, ...]
    texts: int
    unknown: int

    @property
    def sentence(self) -> str:
        """The result as it is shown."""
        names = " and ".join(name.upper() for name in self.networks)
        said = (
            f"{names} learned from {self.texts:,} {'text' if self.texts == 1 else 'texts'} of your packets."
        )
        if self.unknown:
            others = "One is on a page" if self.unknown == 1 else f"{self.unknown:,} are on pages"
            said += f" {others} that no past question asked for, which only IR knows."
        return said


def fine_tune(
    folder: Path,
    passages: Sequence[PassageRow],
    progress: Progress,
    *,
    seed: int = 0,
    device: str = "auto",
    threads: int | None = None,
) -> PacketsLearnt:
    """Let the DAN and the RNN of the bundle at ``folder`` learn from ``passages`` of added packets.

    They begin with the weights that they had before they learnt from any packets, and have these again while
    they learn; those that have not begun stay as they were.
    """
    device = chosen_device(device)
    bundle = Bundle.open(folder)
    names = [
        kind.name
        for kind in networks()
        if network_training(kind.name).tuner is not None and trained(bundle, kind.name) is not None
    ]
    if not names:
        raise QuizwriterError("The bundle has no network that could learn.", "Train its players first.")
    rows = read_pages(bundle).rows
    base = TrainingSet.of(bundle)
    wanted = [rows.get(answer_key(passage.page), -1) for passage in passages]
    labels = places(np.asarray(wanted, np.int64), base.classes).tolist()
    known = [(text, label) for text, label in zip(passages, labels, strict=True) if label >= 0]
    if not known:
        raise QuizwriterError(
            "Your packets have no question on a page that past questions of the bundle asked for.",
            "Add more packets first; the retrieval player knows those that you have.",
        )
    training_set = base.with_added(
        [text.text for text, _ in known], [text.kind for text, _ in known], [label for _, label in known]
    )
    before = torch.get_num_threads()
    torch.set_num_threads(threads or usable_cores())
    try:
        for name in names:
            if restore_player(folder, name):
                bundle = Bundle.open(folder)
            player = trained(bundle, name)
            assert player is not None
            learner = _learner(name, training_set, player[0], seed, device)

            def watch(done: float, name: str = name) -> bool:
                progress.training(name, done)
                return True

            learner.learn(watch)
            about = {**bundle.about["players"][name], "packets": len(known)}
            del about["folder"]
            add_player(folder, name, learner.arrays(), about, keep_before=True)
            progress.training(name, 1.0)
    finally:
        torch.set_num_threads(before)
    return PacketsLearnt(tuple(names), len(known), len(passages) - len(known))


def _learner(
    name: str, training_set: TrainingSet, arrays: Mapping[str, np.ndarray[Any, Any]], seed: int, device: str
) -> Learner[Any, Any]:
    """A learner of the network ``name`` that goes on from its weights."""
    training = network_training(name)
    assert training.tuner is not None
    size = NetworkSize(
        width=arrays["vectors"].shape[1],
        hidden=len(arrays["hidden_bias"]),
        units=arrays["across"].shape[1] if "across" in arrays else 0,
    )
    plan = TrainingPlan(0, 1e9, training.schedule.tuning_batch, RATE, DENSE_RATE, seed, size)
    learner = training.tuner(training_set, plan, device)
    learner.steps = training.schedule.tuning_steps
    learner.go_on(arrays)
    return learner
