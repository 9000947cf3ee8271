"""The file in which a training is saved: it comes back whole, or not at all where somebody changed it."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
import torch
from torch import nn

from index_builder.training.saved_training import TrainingState, load_training, save_training

STATE = TrainingState("these texts", 3, 1.5, ((0.1, 0.2, 0.3),))
BEST = {"weights": np.ones(2, np.float32)}


def made(kind=torch.optim.AdamW):
    torch.manual_seed(0)
    module = nn.Linear(3, 2)
    optimiser = kind(module.parameters(), 0.1)
    module(torch.ones(1, 3)).sum().backward()
    return module, optimiser


@pytest.fixture
def path(tmp_path):
    module, optimiser = made()
    optimiser.step()
    save_training(tmp_path / "dan.npz", STATE, module, [optimiser], BEST)
    return tmp_path / "dan.npz"


def load(path, columns=3):
    """What was loaded, and whether the module and its optimiser are as they were before."""
    module, optimiser = made()
    before = [one.clone() for one in module.parameters()]
    found = load_training(path, STATE.learnt_from, module, [optimiser], columns=columns)
    same = all(map(torch.equal, before, module.parameters())) and not optimiser.state_dict()["state"]
    return found, same


def rewrite(path, packed=False, **changes):
    """Save the arrays again, with ``changes``; None leaves one out."""
    with np.load(path) as saved:
        arrays = {**{name: saved[name] for name in saved.files}, **changes}
    with path.open("wb") as file:
        save = np.savez_compressed if packed else np.savez
        save(file, **{name: one for name, one in arrays.items() if one is not None})


def about(**changes):
    """The state with ``changes``, as the file holds it."""
    said = {"learnt_from": STATE.learnt_from, "step": 3, "spent": 1.5, "curve": [[0.1, 0.2, 0.3]], **changes}
    return {"about": np.frombuffer(json.dumps(said).encode(), np.uint8)}


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.Adagrad])
def test_a_training_comes_back_as_it_was_saved(tmp_path, kind):
    module, optimiser = made(kind)
    optimiser.step()
    save_training(tmp_path / "dan.npz", STATE, module, [optimiser], BEST)
    other, again = made(kind)

    state, best = load_training(tmp_path / "dan.npz", STATE.learnt_from, other, [again], columns=3)

    assert state == STATE
    assert best["weights"].tolist() == [1, 1]
    assert all(map(torch.equal, module.parameters(), other.parameters()))
    was, now = optimiser.state_dict()["state"], again.state_dict()["state"]
    assert {(at, key) for at, of in was.items() for key in of} == {(at, key) for at in now for key in now[at]}
    assert all(
        torch.equal(torch.as_tensor(was[at][key]), torch.as_tensor(now[at][key]))
        for at in was
        for key in was[at]
    )


@pytest.mark.parametrize(
    "changes",
    [
        about(learnt_from="other texts"),
        about(step=-1),
        about(spent="long"),
        about(curve=[[0.1]]),
        about(curve=[]),
        {"about": None},
        {"module.weight": np.ones((2, 4), np.float32)},
        {"module.weight": np.ones((2, 3), np.int64)},
        {"module.weight": np.full((2, 3), np.nan, np.float32)},
        {"module.weight": None},
        {"module.more": np.ones(1, np.float32)},
        {"optimiser0.first.step": np.ones(1)},
        {"optimiser0.7.step": np.ones(())},
        {"optimiser0.0.exp_avg": np.ones((9, 9), np.float32)},
        {"optimiser0.0.exp_avg": np.full((2, 3), np.inf, np.float32)},
        {"optimiser0.0.exp_avg": None},
        {"best.weights": np.full(2, np.nan, np.float32)},
    ],
    ids=str,
)
def test_a_training_that_somebody_changed_begins_anew(path, changes):
    rewrite(path, **changes)

    assert load(path) == (None, True)


def test_what_is_packed_is_not_unpacked(path):
    rewrite(path, packed=True)

    assert load(path) == (None, True)


def test_an_array_that_says_it_is_huge_is_not_made(path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (1 << 48,)})
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("best.more.npy", head.getvalue())

    assert load(path) == (None, True)


@pytest.mark.parametrize("end", [0, 100, -100])
def test_a_file_that_was_cut_begins_anew(path, end):
    path.write_bytes(path.read_bytes()[:end])

    assert load(path) == (None, True)
