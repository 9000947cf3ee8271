"""A bundle of tossups on trees, small enough to build and to train within seconds."""

from __future__ import annotations

import json
import random

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress

TREES = dict.fromkeys(("Alder", "Birch", "Cedar"), "novel") | dict.fromkeys(("Dogwood", "Elm", "Fir"), "king")
"""The pages of the forest, and what tossups call each."""


def in_the_forest(tree, number):
    """A tossup on ``tree``: clues of its own, and words that may be about any."""
    draw = random.Random(f"{tree} {number}")
    clues = [f"{tree[0]}{tree[0]}{draw.randrange(8)}" for _ in range(6)]
    others = [f"leaf{draw.randrange(20)}" for _ in range(5)]
    words = draw.sample([*clues, *others], 11)
    return f"This {TREES[tree]} {' '.join(words[:6])}. {' '.join(words[6:])}."


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
    file = folder.with_suffix(".jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    build(Inputs((file,)), folder, "Forest", Progress())
    return folder
