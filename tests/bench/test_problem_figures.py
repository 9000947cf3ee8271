"""The figures of problems: published slips are counted by rule, planted ones are planted and found."""

from __future__ import annotations

import json

from quizwriter import spelling
from quizwriter.bench.problem_figures import PLANTERS, figures_of, problem_figures
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.spelling import Speller
from quizwriter.workflow.problems.rules import RULES

TEXT = (
    "This king of the marsh sold eels to the monks. A skald wrote of the reeds that this king cut. "
    "After a flood, the barns of this king were moved to a hill above the ferry, where a bridge of forty oak "
    "beams was built by his brother for the carts of the abbey. "
    "For 10 points, name this king who drowned in a river of mud."
)


def test_a_slip_of_each_kind_is_planted_and_found(monkeypatch):
    assert PLANTERS.keys() <= RULES.keys()
    usual = {word.strip(",."): 20_000 for word in TEXT.split() if word.islower()}
    monkeypatch.setattr(spelling, "LARGE", len(usual))  # or a slip that English texts have is none
    speller = Speller({**usual, "skald": 9})
    figures = figures_of([Tossup(TEXT, Answer("Knut"))] * 3, lambda *_: None, speller)
    assert {name: figures[f"planted_{name}_found"] for name in PLANTERS} == dict.fromkeys(PLANTERS, 1.0)
    assert figures["planted_leak_found"] == 1.0
    assert figures["problems_a_tossup"] == 0
    assert figures["problems_questions"] == 3


def test_only_questions_of_hard_tournaments_are_drawn_with_their_power_marks(tmp_path):
    rows = [
        {"id": "a", "text": TEXT, "answer": "Knut", "difficulty": 3},
        {"id": "b", "text": TEXT, "answer": "Cnut", "difficulty": 8, "power_char": 5},
    ]
    path = tmp_path / "published.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    figures = problem_figures(None, path, lambda *_: None)
    assert figures["problems_questions"] == 1
    assert figures["problems_power"] == 1.0
