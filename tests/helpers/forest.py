"""A bundle of tossups on trees, small enough to build and to train within seconds."""

from __future__ import annotations

import random

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from tests.helpers.json_lines import write_lines

TREES = dict.fromkeys(("Alder", "Birch", "Cedar"), "novel") | dict.fromkeys(("Dogwood", "Elm", "Fir"), "king")
"""The pages of the forest, and what tossups call each."""


def in_the_forest(tree, number):
    """A tossup on ``tree``: clues of its own, and words that may be about any."""
    draw = random.Random(f"{tree} {number}")
    clues = [f"{tree[0]}{tree[0]}{draw.randrange(8)}" for _ in range(6)]
    others = [f"leaf{draw.randrange(20)}" for _ in range(5)]
    words = draw.sample([*clues, *others], 11)
    return f"This {TREES[tree]} {' '.join(words[:6])}. {' '.join(words[6:])}."


def ask(path, numbers):
    """The rows of the file ``path``: the tossups of these numbers on each tree."""
    rows = [
        {"id": f"{tree}-{number}", "text": in_the_forest(tree, number), "answer": tree, "page": tree}
        for tree in TREES
        for number in numbers
    ]
    write_lines(path, rows)
    return rows


def plant(folder, folds):
    """A bundle in ``folder`` of tossups on trees; number n is of fold ``folds[n % len(folds)]``."""
    rows = [
        {
            "id": f"{tree}{number}",
            "text": in_the_forest(tree, number) + (" Rare" + fold if fold != "guesstrain" else ""),
            "page": tree,
            "answer": tree,
            "category": "Literature" if kind == "novel" else "History",
            "fold": fold,
        }
        for tree, kind in TREES.items()
        for number in range(20)
        for fold in [folds[number % len(folds)]]
    ]
    file = write_lines(folder.with_suffix(".jsonl"), rows)
    build(Inputs((file,)), folder, "Forest", Progress())
    return folder
