"""How well the rule for stock clues agrees with pairs of real sentences that were judged by reading.

The pairs are in tests/data by the ids of their questions; tests/data/README.md says how they were drawn.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from quizwriter.domain.answer_line import main_answer
from quizwriter.domain.page import answer_key
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine import clue_finder
from quizwriter.engine.engine import load
from quizwriter.engine.same_clue import BIAS, SAME_FROM, WEIGHTS, ClueFigures, sentence_words, shared_clue
from quizwriter.workflow.estimates import share_of
from tests.helpers.json_lines import write_lines
from tests.helpers.shared_data import SHARED, not_here

ROOT = Path(__file__).parents[2]
PAIRS = json.loads((ROOT / "tests" / "data" / "stock_clue_pairs.json").read_text(encoding="utf-8"))
RIDGE = 1 / 3
BESIDE = 4
"""Every so-many-th tossup is in the library, too, so that words are as rare as they are.

All questions on the answers of the drafts are.
"""


def rows_of(name):
    path = SHARED / name
    if not path.exists():
        not_here(f"{name} is not here")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def answer_of(question):
    return answer_key(question["page"] or main_answer(question["answer"]))


class Judged(NamedTuple):
    """A pair that was judged: whether it tells the same fact, and its figures where it may tell one clue."""

    half: str
    same_fact: bool
    figures: ClueFigures | None

    @property
    def found(self):
        return self.figures is not None and self.figures.chance >= SAME_FROM


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("truth")
    drafts, pasts = {pair["draft"][0] for pair in PAIRS}, {pair["past"][0] for pair in PAIRS}
    tossups = {row["id"]: row for row in rows_of("tossups.jsonl.xz")}
    bonuses = {row["id"]: row for row in rows_of("bonuses.jsonl.xz")}
    answers = {answer_of(tossups[key]) for key in drafts}
    kept = [
        row
        for number, (key, row) in enumerate(tossups.items())
        if key not in drafts and (key in pasts or number % BESIDE == 0 or answer_of(row) in answers)
    ]
    parts = [
        row | {"parts": some}
        for key, row in bonuses.items()
        if (some := [part for part in row["parts"] if key in pasts or answer_of(part) in answers])
    ]
    inputs = Inputs(
        [write_lines(folder / "tossups.jsonl", kept)],
        bonuses=[write_lines(folder / "bonuses.jsonl", parts)],
        everything=True,
    )
    build(inputs, folder / "bundle", "Judged pairs", Progress())
    finder = load(folder / "bundle").clue_finder
    compared = []

    def recorded(one, other, *about, **how):
        compared.append((one, other, found := shared_clue(one, other, *about, **how)))
        return found

    def figures(pair):
        """Those by which the finder decides, if it compares the pair."""
        draft, past = tossups[pair["draft"][0]], pair["past"]
        text = tossups[past[0]]["text"] if len(past) == 2 else bonuses[past[0]]["parts"][past[1]]["text"]
        sentence = Tossup(draft["text"]).sentences[pair["draft"][1]].of(draft["text"])
        words = sentence_words(sentence), sentence_words(Tossup(text).sentences[past[-1]].of(text))
        compared.clear()
        finder.look_up(Tossup(sentence, Answer(draft["answer"], draft["page"])))
        return next((one.figures for *both, one in compared if one and tuple(both) == words), None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clue_finder, "shared_clue", recorded)
        patch.setattr(clue_finder, "SAME_FROM", 2)  # so that all sentences of a question are compared
        return [Judged(pair["half"], pair["same_fact"], figures(pair)) for pair in PAIRS]


def table_row(name, judged):
    """The row of docs/researchers.md with the precision and recall of pairs, and their 95 % intervals."""
    right = sum(one.same_fact and one.found for one in judged)
    flagged, same = sum(one.found for one in judged), sum(one.same_fact for one in judged)
    shares = (share_of(right, flagged), share_of(right, same))
    said = " | ".join(
        f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f}), n = {found.number}".replace("0.", ".")
        for found in shares
    )
    return f"| {name}, n = {len(judged):,} | {said} |"


@pytest.mark.parametrize(
    ("name", "pairs", "drawn"),
    [
        ("working", 1_000, lambda one: one.half != "final"),
        ("final", 300, lambda one: one.half == "final"),
    ],
)
def test_a_stock_clue_is_the_same_fact_as_often_as_the_page_says(judged, name, pairs, drawn):
    some = [one for one in judged if drawn(one)]
    page = (ROOT / "docs" / "researchers.md").read_text(encoding="utf-8")

    assert len(some) == pairs
    assert table_row(name, some) in page.splitlines()


def test_the_weights_are_those_that_fit_the_working_pairs(judged):
    """A logistic regression with a ridge, by Newton's steps; a failure shows the weights to write down."""
    compared = [one for one in judged if one.half != "final" and one.figures is not None]
    figures = np.asarray([(*one.figures, 1.0) for one in compared])
    truth = np.asarray([one.same_fact for one in compared])
    ridge = np.diag([*[RIDGE] * len(WEIGHTS), 0.0])
    fitted = np.zeros(len(ridge))
    for _ in range(20):
        chances = 1 / (1 + np.exp(-figures @ fitted))
        slope = figures.T @ (truth - chances) - ridge @ fitted
        fitted += np.linalg.solve(figures.T @ (figures * (chances * (1 - chances))[:, None]) + ridge, slope)

    assert fitted == pytest.approx((*WEIGHTS, BIAS), abs=0.05)
