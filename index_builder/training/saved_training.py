"""The file in which a training is saved until it is done, so that the same command goes on after a stop.

It holds arrays only, never a pickle: what the module and its optimisers know, the best weights so far, and
how far the training has come.
"""

from __future__ import annotations

import signal
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from index_builder.training.page_classifier import tensor
from index_builder.training.training_set import Arrays
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import LARGEST_NUMBER, DecodingError, decode_json


class TrainingState(msgspec.Struct, frozen=True):
    """How far a training has come: the steps taken, the seconds they took, and what was measured so far.

    ``learnt_from`` is a digest of what it learns from and of its plan: it does not go on with others.
    """

    learnt_from: str
    step: Annotated[int, msgspec.Meta(ge=0, le=LARGEST_NUMBER)]
    spent: Annotated[float, msgspec.Meta(ge=0)]
    curve: tuple[tuple[float, ...], ...] = ()


_KNOWN_OF_A_WEIGHT = {frozenset({"step", "sum"}), frozenset({"step", "exp_avg", "exp_avg_sq"})}
"""What Adagrad and Adam know of each weight."""

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
    """Save all that is needed to go on; the file before is replaced at once or not at all."""
    saved = {f"module.{name}": weights for name, weights in module.state_dict().items()}
    for number, optimiser in enumerate(optimisers):
        for place, known in optimiser.state_dict()["state"].items():
            saved |= {f"optimiser{number}.{place}.{name}": value for name, value in known.items()}
    arrays = {name: value.detach().cpu().numpy() for name, value in saved.items()}
    arrays |= {f"best.{name}": array for name, array in (best or {}).items()}
    with atomic_write(
        path,
        problem=f"The training could not be saved in {path.parent}",
        remedy="Free some disk space or allow writing there; the same command continues from there.",
        make_folder=True,
    ) as file:
        about = np.frombuffer(msgspec.json.encode(state), np.uint8)
        np.savez(file, allow_pickle=False, about=about, **arrays)


def load_training(
    path: Path,
    learnt_from: str,
    module: nn.Module,
    optimisers: Sequence[torch.optim.Optimizer],
    *,
    columns: int = 0,
) -> tuple[TrainingState, Arrays] | None:
    """Give ``module`` and ``optimisers`` back what :func:`save_training` saved; how far it was, and the best.

    None, and nothing is changed, if no training that learnt from the same was saved, or the file is damaged
    or makes no sense: a point of its curve has so many ``columns``, an array is as large as what it is for,
    and every number is finite.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            if any(one.compress_type != zipfile.ZIP_STORED for one in saved.zip.infolist()):
                return None  # nobody packs it, and what is packed may have any size
            state = decode_json(saved["about"].tobytes(), TrainingState)
            if state.learnt_from != learnt_from or any(len(point) != columns for point in state.curve):
                return None
            arrays = {name: saved[name] for name in saved.files if name != "about"}
            weights = {name: tensor(array) for name, array in _under("module", arrays).items()}
            states = [
                _optimiser_state(optimiser, _under(f"optimiser{number}", arrays))
                for number, optimiser in enumerate(optimisers)
            ]
    except (  # there is none, or it is damaged
        OSError, ValueError, KeyError, EOFError, MemoryError, RuntimeError, TypeError, DecodingError,
        zipfile.BadZipFile,
    ):  # fmt: skip
        return None
    best = _under("best", arrays)
    if (
        _forms(weights) != _forms(module.state_dict())
        or bool(best) > bool(state.curve)
        or not all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f")
    ):
        return None
    module.load_state_dict(weights)
    for optimiser, known in zip(optimisers, states, strict=True):
        optimiser.load_state_dict({**optimiser.state_dict(), "state": known})
    return state, best


def _forms(arrays: Mapping[str, Tensor]) -> dict[str, tuple[object, object]]:
    return {name: (one.shape, one.dtype) for name, one in arrays.items()}


def _optimiser_state(optimiser: torch.optim.Optimizer, saved: Arrays) -> dict[int, dict[str, Tensor]]:
    """What the ``optimiser`` knows of each of its weights, by the weight's number.

    Raises:
        ValueError: the arrays in ``saved`` are not of its weights.
    """
    shapes = [tuple(one.shape) for group in optimiser.param_groups for one in group["params"]]
    known: dict[int, dict[str, Tensor]] = {}
    for name, array in saved.items():
        place, _, key = name.partition(".")
        if not 0 <= int(place) < len(shapes) or array.shape not in ((), shapes[int(place)]):
            raise ValueError(name)
        known.setdefault(int(place), {})[key] = tensor(array)
    if not {frozenset(of) for of in known.values()} <= _KNOWN_OF_A_WEIGHT:
        raise ValueError("an optimiser needs to know something else of a weight")
    return known


def _under(part: str, arrays: Arrays) -> Arrays:
    return {
        name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")
    }
