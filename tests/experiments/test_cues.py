"""The words to change: the arms of the experiment, and what it measures on questions of the starter."""

from __future__ import annotations

from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.experiments.cues import ARMS, DARKEST, MARKS, NAMED, _evidence, _without
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.system.resource_files import resources_folder
from tests.helpers.fakes import Lead, Mute, Overlap

EXAMPLES = str(resources_folder() / "examples.jsonl")


def test_a_masked_tossup_keeps_its_words_and_its_punctuation():
    tossup = Tossup("“Vogl,” he sang (for Vienna’s salons).")

    masked = _without(tossup, {0, 4})

    assert masked.text == "“the,” he sang (for the salons)."
    assert len(masked.words) == len(tossup.words)


def test_the_table_has_each_arm_and_its_differences_are_paired(app):
    given = ExperimentInputs(app, questions_from=EXAMPLES, players=("ir",), options={"read": "yes"})
    report = run("cues", given)

    rows = [dict(zip(report.head, row, strict=True)) for row in report.found.rows]
    by_arm = {row["masked"]: row for row in rows}
    assert tuple(by_arm) == ARMS
    delay = {arm: row["delay"].value for arm, row in by_arm.items()}
    for arm in ARMS:
        assert abs(by_arm[arm]["less the darkest words"].value - delay[arm] + delay[DARKEST]) < 1e-9
        assert abs(by_arm[arm]["less the darkest marks"].value - delay[arm] + delay[MARKS]) < 1e-9
    assert delay[MARKS] <= delay[DARKEST] + 1e-9
    assert by_arm[NAMED]["generic noun first"].value == 0


def test_a_player_without_evidence_borrows_that_of_who_ranks_the_page_highest():
    heard = Tossup("The slave Liu loves a prince near the harbour of Nagasaki.")
    lenders = [Player(Overlap(name), Lead(), "fake") for name in ("dan", "ir")]
    ensemble = Player(Mute("ensemble"), Lead(), "fake")

    borrowed = _evidence(ensemble, lenders, heard, Page("Turandot"))

    assert borrowed == lenders[0].explain(heard, Page("Turandot"))
    assert _evidence(lenders[1], lenders, heard, Page("Turandot")).guesser == "ir"
    assert _evidence(ensemble, lenders, heard, Page("Nobody_guesses_this")) is None
