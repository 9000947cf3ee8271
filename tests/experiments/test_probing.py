"""What if, overlap and retraining: identities that hold by construction, and bad input."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.overlap import longest_run, tossup_words
from quizwriter.experiments.probing import PROBES, variants_of
from quizwriter.experiments.runner import run
from quizwriter.system.resource_files import resources_folder

EXAMPLES = str(resources_folder() / "examples.jsonl")
TEXT = "The first clue names nobody at all. The second clue is about Ohm. Name this very last thing."
QUESTION = SourceQuestion("q", Tossup(TEXT, Answer("Volt")), "Science")


def rows(report):
    return [dict(zip(report.head, row, strict=True)) for row in report.found.rows]


def test_dropping_the_last_clue_is_hearing_the_words_before_it():
    last = list(variants_of(QUESTION, "drop", 1))[-1]
    before = QUESTION.tossup.heard(len(QUESTION.tossup.words) - 5)

    assert tossup_words(last.tossup) == tossup_words(before)


def test_shuffled_clues_end_as_they_were_where_no_pair_of_words_lies_across_their_borders(engine):
    """Retrieval adds up words and pairs of words; each clue is put between words that the bundle has not."""
    clues = (
        "Zorblatt a humming chorus is sung while Suzuki sleeps quexes.",
        "Zorblatt Pinkerton leaves Cio-Cio-San in Nagasaki quexes.",
        "Zorblatt Sharpless reads a letter aloud in this opera quexes.",
    )
    question = SourceQuestion("q", Tossup(" ".join(clues), Answer("Madama Butterfly")))

    orders = {next(variants_of(question, "shuffle", seed)).tossup for seed in range(12)}
    ends = [engine.retrieval.play(tossup).rows[-1] for tossup in orders]

    assert len(orders) > 3
    assert ends[0][0].page == "Madama_Butterfly"
    for end in ends[1:]:
        assert {guess.page: guess.score for guess in end} == pytest.approx(
            {guess.page: guess.score for guess in ends[0]}
        )


@pytest.mark.parametrize(
    ("probe", "variants"),
    [("drop", 3), ("solo", 3), ("swap", 2), ("first", 1), ("last", 1), ("shuffle", 1), ("mask", 1)],
)
def test_each_probe_makes_its_variants(probe, variants):
    assert len(list(variants_of(QUESTION, probe, 1))) == variants


def test_whatif_has_a_row_for_each_probe_and_the_same_twice(app, told):
    def report():
        return run("whatif", ExperimentInputs(app, questions_from=EXAMPLES, limit=3))

    first = report()

    assert [row["probe"] for row in rows(first)] == list(PROBES)
    for row in rows(first):
        if row["tossups"]:
            assert row["change"].value == pytest.approx(row["right after"].value - row["right before"].value)
            assert row["worst of a tossup"].value <= row["right after"].value + 1e-9
    assert told(first) == told(report())


def test_an_unknown_probe_and_questions_of_one_clue_are_a_sentence_each(app, tmp_path):
    with pytest.raises(QuizwriterError, match="no probe tickle"):
        run("whatif", ExperimentInputs(app, questions_from=EXAMPLES, options={"probe": "drop,tickle"}))
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"text": "One short clue that is all there is.", "answer": "Thing"}))
    with pytest.raises(QuizwriterError, match="No question has from two to 40 clues"):
        run("whatif", ExperimentInputs(app, questions_from=str(path)))


@pytest.mark.parametrize(
    ("words", "pasts", "longest"),
    [
        ("a b c d", ["x b c d y"], 3),
        ("a b c d", ["a b", "c d"], 2),
        ("a b", ["c d"], 0),
        ("a b c", ["a b c"], 3),
        ("a", [], 0),
        ("a a a b", ["a a b"], 3),
    ],
)
def test_the_longest_run_is_of_one_past_tossup(words, pasts, longest):
    assert longest_run(words.split(), [past.split() for past in pasts]) == longest


HUMMING = "A humming chorus is sung while Suzuki sleeps in this opera. Name this opera about Pinkerton."


def overlap_with(app, folder, *texts):
    """The row of overlap of :data:`HUMMING`, where the past tossups on its answer have these ``texts``."""
    path = folder / "q.jsonl"
    path.write_text(json.dumps({"text": HUMMING, "answer": "Madama Butterfly"}))
    past = tuple(SimpleNamespace(kind=SimpleNamespace(value="tossup"), text=text) for text in texts)
    given = ExperimentInputs(app, questions_from=str(path))
    engine = given.engine
    given.__dict__["engine"] = SimpleNamespace(
        library=SimpleNamespace(questions_on=lambda page: past),
        pages=engine.pages,
        players=engine.players,
        clue_finder=None,
    )
    return rows(run("overlap", given))[0]


def test_a_text_that_is_among_the_past_tossups_is_seen_whole(tmp_path, app):
    found = overlap_with(app, tmp_path, f"Before it. {HUMMING} Behind it.")

    assert found["unigrams seen"].value == found["bigrams seen"].value == 1
    assert found["longest run"].value == len(HUMMING.split())


def test_the_tossup_itself_is_no_past_tossup(tmp_path, app):
    found = overlap_with(app, tmp_path, HUMMING, "Somebody sleeps in this house.")

    assert found["past tossups on the answer"].value == 1
    assert found["longest run"].value == 3  # "sleeps in this"
    assert found["unigrams seen"].value == pytest.approx(3 / 14)


def test_overlap_without_past_tossups_is_one_sentence(app, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"text": "A long text on nothing that anybody ever knew.", "answer": "Qxzzy"}))

    with pytest.raises(QuizwriterError, match=r"past tossups of the bundle|no library"):
        run("overlap", ExperimentInputs(app, questions_from=str(path)))


def test_a_question_whose_sibling_says_the_same_falls_and_an_unrelated_one_does_not(app, tmp_path):
    """Two copies of one text are in different folds: each gives the other away."""
    marvel = "Zyzzyva quorble frimpling wexed the glimmering ostrock beneath seven vorpal plinths of yore."
    other = "Nobody wrote about this unheard instrument of brass before anybody listened to it at all."
    answers = [("a", marvel, "Madama Butterfly"), ("b", marvel, "Madama Butterfly"), ("c", other, "Tosca")]
    path = tmp_path / "q.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": key, "text": text, "answer": line}) for key, text, line in answers)
    )

    report = run(
        "retrain", ExperimentInputs(app, questions_from=str(path), options={"folds": "3", "plan": "kfold"})
    )

    detail = {row[0]: row for row in report.found.details}
    assert detail["a"][5] == detail["b"][5] == "yes"
    before, after = rows(report)
    assert after["right in the end"].value >= before["right in the end"].value
    assert not list((app.home).glob("retrain-*"))


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"folds": "1"}, "--folds cannot be 1"), ({"plan": "magic"}, "--plan cannot be magic")],
)
def test_bad_plans_are_a_sentence(app, options, problem):
    with pytest.raises(QuizwriterError, match=problem):
        run("retrain", ExperimentInputs(app, questions_from=EXAMPLES, options=options))
    with pytest.raises(QuizwriterError, match="cannot be split into 5 folds"):
        run("retrain", ExperimentInputs(app, questions_from=EXAMPLES, limit=2))
