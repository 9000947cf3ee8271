"""The file in which a training is saved until it is done, so that the same command goes on after a stop.

It holds arrays only, never a pickle: what the module and its optimisers know, the best weights so far, and
how far the training has come.
"""

from __future__ import annotations

import signal
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from index_builder.training.page_classifier import tensor
from index_builder.training.training_set import Arrays
from quizwriter.atomic import atomic_write
from quizwriter.decoding import DecodingError, decode_json


class TrainingState(msgspec.Struct, frozen=True):
    """How far a training has come: the steps taken, the seconds they took, and what was measured so far.

    ``learnt_from`` is a digest of what it learns from and of its plan: it does not go on with others.
    """

    learnt_from: str
    step: int
    spent: float
    curve: tuple[tuple[float, ...], ...] = ()


SAVE_EVERY = 120.0
"""Seconds between two savings of a training."""


@contextmanager
def whole_step() -> Iterator[None]:
    """Within it an interrupt, as by Ctrl-C, waits for the end: nothing is saved in the midst of a step."""
    if threading.current_thread() is not threading.main_thread():  # the others hear no signals
        yield
        return
    heard = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *what: heard.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard.is_set():
        signal.raise_signal(signal.SIGINT)


def save_training(
    path: Path,
    state: TrainingState,
    module: nn.Module,
    optimisers: Sequence[torch.optim.Optimizer],
    best: Arrays | None = None,
) -> None:
    """Save all that is needed to go on; the file before is replaced at once or not at all.

    Raises:
        QuizwriterError: the disk does not take the file.
    """
    saved = {f"module.{name}": weights for name, weights in module.state_dict().items()}
    for number, optimiser in enumerate(optimisers):
        for place, known in optimiser.state_dict()["state"].items():
            saved |= {f"optimiser{number}.{place}.{name}": value for name, value in known.items()}
    arrays = {name: value.detach().cpu().numpy() for name, value in saved.items()}
    arrays |= {f"best.{name}": array for name, array in (best or {}).items()}
    with atomic_write(
        path,
        problem=f"The training could not be saved in {path.parent}",
        remedy="Make room or allow writing there; the same command goes on from where it was last saved.",
        make_folder=True,
    ) as file:
        about = np.frombuffer(msgspec.json.encode(state), np.uint8)
        np.savez(file, allow_pickle=False, about=about, **arrays)


def load_training(
    path: Path, learnt_from: str, module: nn.Module, optimisers: Sequence[torch.optim.Optimizer]
) -> tuple[TrainingState, Arrays] | None:
    """Give ``module`` and ``optimisers`` back what :func:`save_training` saved; how far it was, and the best.

    None, and nothing is changed, if no training that learnt from the same was saved, or the file is damaged.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            state = decode_json(saved["about"].tobytes(), TrainingState)
            if state.learnt_from != learnt_from:
                return None
            arrays = {name: saved[name] for name in saved.files if name != "about"}
    except (OSError, ValueError, KeyError, EOFError, DecodingError, zipfile.BadZipFile):  # none, or damaged
        return None
    weights = {name: tensor(array) for name, array in _under("module", arrays).items()}
    if {name: one.shape for name, one in weights.items()} != {
        name: one.shape for name, one in module.state_dict().items()
    }:
        return None
    module.load_state_dict(weights)
    for number, optimiser in enumerate(optimisers):
        known: dict[int, dict[str, Tensor]] = {}
        for name, array in _under(f"optimiser{number}", arrays).items():
            place, _, key = name.partition(".")
            known.setdefault(int(place), {})[key] = tensor(array)
        optimiser.load_state_dict({**optimiser.state_dict(), "state": known})
    return state, _under("best", arrays)


def _under(part: str, arrays: Arrays) -> Arrays:
    return {
        name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")
    }
