"""How well the rule for stock clues agrees with pairs of real sentences that were judged by reading.

The pairs are in tests/data by the ids of their questions; tests/data/README.md says how they were drawn.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import NullProgress
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from tests.helpers.json_lines import write_lines
from tests.helpers.shared_data import SHARED, not_here

PAIRS = json.loads((Path(__file__).parents[1] / "data" / "stock_clue_pairs.json").read_text(encoding="utf-8"))
PAIRS = [pair for pair in PAIRS if pair["half"] == "working"]  # the others are for the rule that comes
BESIDE = 4
"""Every so-many-th tossup is in the library, too, so that words are as rare as they are."""


def rows_of(name):
    path = SHARED / name
    if not path.exists():
        not_here(f"{name} is not here")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Of each pair: its half, whether it tells the same fact, and whether it is found to be the same clue."""
    folder = tmp_path_factory.mktemp("truth")
    drafts, pasts = {pair["draft"][0] for pair in PAIRS}, {pair["past"][0] for pair in PAIRS}
    tossups = {row["id"]: row for row in rows_of("tossups.jsonl.xz")}
    bonuses = {row["id"]: row for row in rows_of("bonuses.jsonl.xz") if row["id"] in pasts}
    kept = [
        row
        for number, (key, row) in enumerate(tossups.items())
        if key not in drafts and (key in pasts or number % BESIDE == 0)
    ]
    inputs = Inputs(
        [write_lines(folder / "tossups.jsonl", kept)],
        bonuses=[write_lines(folder / "bonuses.jsonl", list(bonuses.values()))],
        everything=True,
    )
    build(inputs, folder / "bundle", "Judged pairs", NullProgress())
    finder = load(folder / "bundle").clue_finder

    def found(pair):
        draft, past = tossups[pair["draft"][0]], pair["past"]
        text = tossups[past[0]]["text"] if len(past) == 2 else bonuses[past[0]]["parts"][past[1]]["text"]
        passage = Tossup(text).sentences[past[-1]].of(text)
        tossup = Tossup(draft["text"], Answer(draft["answer"], Page(draft["page"])))
        clues = finder.look_up(tossup)[pair["draft"][1]]
        return any(one.same_clue and one.passage == passage for one in clues.hearings)

    return [(pair["half"], pair["same_fact"], found(pair)) for pair in PAIRS]


@pytest.mark.parametrize(("half", "pairs", "precision", "recall"), [("working", 500, 0.92, 0.64)])
def test_a_stock_clue_is_the_same_fact(judged, half, pairs, precision, recall):
    verdicts = [(truth, found) for part, truth, found in judged if part == half]
    right = sum(truth and found for truth, found in verdicts)
    measured = right / sum(found for _, found in verdicts), right / sum(truth for truth, _ in verdicts)

    assert len(verdicts) == pairs
    assert measured[0] >= precision
    assert measured[1] >= recall
