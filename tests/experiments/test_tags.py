"""Tags of a set: frequencies with intervals, agreement, and accuracy by tag."""

from __future__ import annotations

import json

import pytest

from quizwriter.domain.review import Round
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.experiments.tags import _kappas, final_tags
from quizwriter.workflow.estimates import share_of


class Tagged:
    """A review with the tags ``people`` gave, and what somebody decided."""

    def __init__(self, *people, final=None):
        self.tags = {(Round.BLIND, f"p{at}"): tags for at, tags in enumerate(people)}
        if final is not None:
            self.tags[Round.DECIDING, "editor"] = final


@pytest.mark.parametrize(
    ("review", "tags"),
    [
        (None, None),
        (Tagged(), None),
        (Tagged(("a",)), ("a",)),
        (Tagged(("a",), ("a",)), ("a",)),
        (Tagged(("a",), ("b",)), None),
        (Tagged(("a",), ("b",), final=("b",)), ("b",)),
    ],
)
def test_tags_count_that_are_agreed_decided_or_nobody_else_s(review, tags):
    assert final_tags(review) == tags


def test_kappa_is_over_those_who_tagged_blind():
    reviews = [Tagged(("a",), ("a",)), Tagged((), ()), Tagged(("a",), ("a",)), Tagged(("b",), ())]

    found = _kappas(["a", "b"], reviews)

    assert found["a"].value == 1
    assert found["b"].value == 0
    assert _kappas(["a"], [Tagged(("a",))]) == {}


def test_the_table_has_each_tag_and_all_tagged_tossups(app, monkeypatch):
    keys = [one.tossup_id for one in app.tossups.add_examples()][:4]
    reviews = {
        keys[0]: Tagged(("Paraphrase",), ("Paraphrase",)),
        keys[1]: Tagged(("Paraphrase", "Operator"), ("Operator",), final=("Operator",)),
        keys[2]: Tagged((), ()),
        keys[3]: Tagged(("Operator",), ()),
    }
    monkeypatch.setattr(app.store, "tag_reviews", lambda wanted: reviews)

    report = run("tags", ExperimentInputs(app, tossup_ids=tuple(keys)))

    rows = [dict(zip(report.head, row, strict=True)) for row in report.found.rows]
    assert [(row["tag"], row["tossups"]) for row in rows] == [
        ("Operator", 1), ("Paraphrase", 1), ("every tossup", 3),
    ]  # fmt: skip
    assert rows[0]["frequency"] == share_of(1, 3)
    # of all four that two people tagged, the disputed one too: they agree on 3, and would on 2 by chance
    assert [(row["kappa"].value, row["kappa"].number) for row in rows[:2]] == [(0.5, 4), (0.5, 4)]
    assert dict(report.left_out) == {"tossups that nobody tagged, or on whose tags nobody decided": 1}


def test_people_stand_beside_the_players_of_each_tag(app, tmp_path, monkeypatch):
    keys = [one.tossup_id for one in app.tossups.add_examples()][:4]
    tags = [("Paraphrase",), ("Paraphrase", "Operator"), ("Operator",), ("Operator",)]
    reviews = {key: Tagged(of) for key, of in zip(keys, tags, strict=True)}
    monkeypatch.setattr(app.store, "tag_reviews", lambda wanted: reviews)
    rooms = [(keys[0], True), (keys[0], False), (keys[1], True), (keys[2], False)]  # nobody played the last
    buzzes = tmp_path / "b.jsonl"
    said = [
        {"bq": key, "game": f"g{at}", "pos": 5, "correct": right, "n_words": 9}
        for at, (key, right) in enumerate(rooms)
    ]
    buzzes.write_text("\n".join(map(json.dumps, said)))

    report = run("tags", ExperimentInputs(app, buzzes_from=str(buzzes), tossup_ids=tuple(keys)))

    rows = [dict(zip(report.head, row, strict=True)) for row in report.found.rows]
    people = [
        (row["tag"], row["tossups"], row["right in the end"].number, row["right in the end"].value)
        for row in rows
        if row["player"] == "people"
    ]
    assert people == [("Operator", 2, 2, 0.5), ("Paraphrase", 2, 3, 2 / 3), ("every tossup", 3, 4, 0.5)]
    assert "people do worst on Operator, where 50 % of 2 rooms answered" in report.found.sentence


def test_kappa_is_told_where_taggers_differ_on_every_tossup(app, monkeypatch):
    keys = [one.tossup_id for one in app.tossups.add_examples()][:2]
    reviews = {keys[0]: Tagged(("Operator",), ()), keys[1]: Tagged((), ("Operator",))}
    monkeypatch.setattr(app.store, "tag_reviews", lambda wanted: reviews)
    report = run("tags", ExperimentInputs(app, tossup_ids=tuple(keys)))
    rows = [dict(zip(report.head, row, strict=True)) for row in report.found.rows]
    assert [(row["tag"], row["tossups"]) for row in rows] == [("Operator", 0), ("every tossup", 0)]
    assert (rows[0]["kappa"].value, rows[0]["kappa"].number) == (-1, 2)
    assert report.found.sentence == "On the tags of every tagged tossup, taggers differ, and nobody decided."


def test_a_set_without_tags_is_one_sentence(app):
    keys = tuple(one.tossup_id for one in app.tossups.add_examples())[:2]

    with pytest.raises(QuizwriterError, match="None of 2 tossups is tagged"):
        run("tags", ExperimentInputs(app, tossup_ids=keys))


def test_a_sample_has_of_each_category_its_share_and_the_seed_draws_it(app, tmp_path):
    path = tmp_path / "q.jsonl"
    rows = [
        {
            "id": f"{category}{at}",
            "text": "One clue is about nobody at all. Name it.",
            "answer": "Carmen",
            "category": category,
        }
        for category, number in (("History", 60), ("Music", 30), ("Law", 10))
        for at in range(number)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))

    def drawn(seed):
        given = ExperimentInputs(app, questions_from=str(path), seed=seed, options={"draw": "20"})
        return run("tags", given).found

    found = drawn(1)
    assert {row[0]: row[2] for row in found.rows} == {
        "drawn of History": 12, "drawn of Law": 2, "drawn of Music": 6,
    }  # fmt: skip
    keys = [row[0] for row in found.details]
    assert len(set(keys)) == 20
    assert keys == [row[0] for row in drawn(1).details]
    assert keys != [row[0] for row in drawn(2).details]
    with pytest.raises(QuizwriterError, match="--draw cannot be 101"):
        run("tags", ExperimentInputs(app, questions_from=str(path), options={"draw": "101"}))
