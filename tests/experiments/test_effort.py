"""Effort: kinds of edits by rule, the shipped histories exactly, any database, bad input in a sentence."""

from __future__ import annotations

import json

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Arm, ArmDrawn
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.edit_kinds import EditClass, classify_edit
from quizwriter.experiments.effort import EVERY, _sentence
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.formats.histories import HistoryParts, ReleaseView, encode_history
from quizwriter.services.wiring import App
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.session import PendingSave, RecordedPlay
from tests.helpers.made_histories import fill

FIRST = "This woman sang before the king of Norway at the age of nine."
SECOND = "She later ran a school for blind children in Bergen."
LAST = "Name this soprano of the northern opera."
ANSWER = Answer("Anna Holm", "Anna_Holm")


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (f"{FIRST} {LAST}", f"{FIRST} {SECOND} {LAST}", EditClass.ADDED),
        (f"{FIRST} {SECOND} {LAST}", f"{FIRST} {LAST}", EditClass.DELETED),
        (f"{FIRST} {SECOND} {LAST}", f"{SECOND} {FIRST} {LAST}", EditClass.MOVED),
        ("It has 12 acts and 3 parts.", "It has 13 acts and 3 parts.", EditClass.NUMBER),
        ("He met Richard Wagner there.", "He met another composer there.", EditClass.NAME_HIDDEN),
        ("He met another composer there.", "He met Richard Wagner there.", EditClass.NAME_GIVEN),
        (
            "The hero drinks poison in a cold garden.",
            "The hero swallows a deadly potion outdoors.",
            EditClass.PARAPHRASE,
        ),
        ("The hero drinks the poison.", "The hero drinks that poison.", EditClass.WORDING),
        ("The hero drinks.", "The  hero drinks.", None),
        ("", "", None),
    ],
)
def test_the_kind_of_an_edit_follows_from_words_and_names(before, after, kind):
    assert classify_edit(before, after) is kind


def rows(report):
    return [dict(zip(report.head, row, strict=True)) for row in report.found.rows]


def save(app, texts, right, *, gap_ms=20_000, players=("ir",), key="t1", author="", wrong="Oslo"):
    """A tossup whose versions are ``texts``, each shown to the players, which are right where ``right``."""
    changes, shown, before, at = [], [], "", 1_700_000_000_000
    for seq, text in enumerate(texts, start=1):
        edit = Edit.between(before, text)
        assert edit is not None
        changes.append(Change(seq, at, edit, author))
        words = len(text.split())
        for player in players:
            buzz = words if right[seq - 1] else None
            shown.append(
                RecordedPlay(
                    seq, at + 500, player, "engine", (Guess("Anna_Holm" if buzz else wrong, 0.0),), buzz,
                    buzz, buzz, "Anna_Holm" if buzz else None, words, ANSWER.key, True,
                )
            )  # fmt: skip
        before, at = text, at + gap_ms
    app.store.save(PendingSave(key, before, ANSWER, 0, at, changes=tuple(changes), shown=tuple(shown)))


VERSIONS = (f"{FIRST} {LAST}", f"{FIRST} {SECOND} {LAST}", f"{SECOND} {LAST}", f"{SECOND} Name her.")


def test_an_attempt_that_costs_the_player_the_answer_is_counted_with_its_minutes(app):
    save(app, VERSIONS, (True, True, False, False), gap_ms=90_000)

    every, *kinds = rows(run("effort", ExperimentInputs(app)))

    assert (every["attempts"], every["tossups"]) == (3, 1)
    assert (every["fooled"].value, every["fooled"].number) == (0.5, 2)
    assert every["minutes of an attempt"].value == 1.0  # of a pause, one minute counts
    assert every["stumped for good"].value == 1.0
    assert (every["median attempts until stumped"], every["median minutes until stumped"]) == (3.0, 2.0)
    assert [(row["edits"], row["attempts"]) for row in kinds] == [("clue added", 1), ("clue deleted", 2)]
    # the first deletion takes the buzz from the last word to never, a tenth behind it
    assert kinds[1]["shift of the buzz"].value == pytest.approx(0.05)


def test_no_kind_of_edit_is_named_for_one_attempt(app):
    save(app, VERSIONS, (True, True, False, False), gap_ms=90_000)

    assert "the kind that delays it most" not in run("effort", ExperimentInputs(app)).found.sentence


def test_no_kind_of_edit_is_named_that_delays_by_no_tenth_of_a_point():
    def row(kind, shift):
        return ["all", kind, "ir", "yes", 20, 3, Estimate(20, 0.5), Estimate(20, shift)]

    assert "delays" not in _sentence([row(EVERY, 0.0), row("wording", 0.0004)])
    assert "“wording” (+0.1 points, n 20)" in _sentence([row(EVERY, 0.0), row("wording", 0.001)])


def test_a_tossup_that_was_left_with_the_player_right_is_censored(app):
    save(app, VERSIONS, (False, True, False, True))

    every = rows(run("effort", ExperimentInputs(app)))[0]

    assert every["stumped for good"].value == 0.0
    assert every["median attempts until stumped"] is None
    assert (every["fooled"].value, every["fooled"].number) == (1.0, 1)


def test_a_guess_that_may_be_the_answer_by_another_title_is_no_stump(app):
    save(app, VERSIONS, (False,) * 4, wrong="Holm")

    assert rows(run("effort", ExperimentInputs(app)))[0]["stumped for good"].value == 0.0


def test_all_right_and_none_right_have_no_nan(app):
    save(app, VERSIONS, (True,) * 4, key="all")
    save(app, VERSIONS, (False,) * 4, key="none", players=("dan",))

    report = run("effort", ExperimentInputs(app))

    by_player = {row["player"]: row for row in rows(report) if row["edits"] == "every edit"}
    assert by_player["ir"]["fooled"].value == 0.0
    assert by_player["dan"]["fooled"].value is None
    assert "was right before none of 3 attempts" in report.found.sentence
    json.dumps(report.as_json(), allow_nan=False)


def test_the_shipped_histories_give_one_table(app):
    app.tossups.add_examples()

    found = {row["edits"]: row for row in rows(run("effort", ExperimentInputs(app)))}

    counts = {kind: row["attempts"] for kind, row in found.items()}
    assert counts == {
        "every edit": 35, "clue added": 21, "clue deleted": 6, "name replaced by description": 1,
        "description replaced by name": 1, "paraphrase": 4, "wording": 2,
    }  # fmt: skip
    assert found["clue added"]["shift of the buzz"].value == pytest.approx(-0.148, abs=5e-4)
    assert found["clue deleted"]["shift of the buzz"].value == pytest.approx(0.460, abs=5e-4)
    assert found["every edit"]["stumped for good"].number == 2


@pytest.mark.parametrize("by", ["", "writer", "tag", "month"])
def test_any_database_gives_a_table_whose_kinds_sum_up(app, by, told):
    fill(app.store, 6, seed=7)

    report = run("effort", ExperimentInputs(app, options={"by": by} if by else {}))

    table = rows(report)
    for whole in (row for row in table if row["edits"] == "every edit"):
        same = [
            row["attempts"]
            for row in table
            if (row["group"], row["player"]) == (whole["group"], whole["player"]) and row is not whole
        ]
        assert sum(same) == whole["attempts"]
        assert (whole["tossups to review"] is not None) is (by == "writer")
    json.dumps(report.as_json(), allow_nan=False)
    again = run("effort", ExperimentInputs(app, options={"by": by} if by else {}))
    assert told(report) == told(again)


def test_players_that_were_not_in_view_play_the_versions_now(tmp_path, starter):
    with App(tmp_path / "home", bundle=starter) as app:
        text = "A humming chorus is sung while Suzuki sleeps."
        known = Answer("Madama Butterfly", "Madama_Butterfly")
        changes = (
            Change(1, 1_700_000_000_000, Edit(0, "", text)),
            Change(2, 1_700_000_090_000, Edit(len(text), "", " Name this opera about Cio-Cio-San.")),
        )
        shown = tuple(
            RecordedPlay(seq, 1_700_000_100_000, "dan", "e", (), None, None, None, None, 8, known.key, True)
            for seq in (1, 2)
        )
        whole = text + " Name this opera about Cio-Cio-San."
        app.store.save(PendingSave("t", whole, known, 0, 1_700_000_100_000, changes=changes, shown=shown))

        table = rows(run("effort", ExperimentInputs(app, players=("ir",))))

    assert {(row["player"], row["in view"]) for row in table} == {("dan", "yes"), ("ir", "no")}
    assert all(row["edits"] in {"every edit", "clue added"} for row in table)


def test_a_tossup_whose_machines_are_hidden_is_left_out_and_counted(app):
    save(app, VERSIONS, (True, True, False, False))
    save(app, VERSIONS, (True, True, False, False), key="t2")
    app.store.add_events([Event.new("t2", 1, "ada", ArmDrawn("Spring", Arm.HIDDEN, 1))])

    report = run("effort", ExperimentInputs(app))

    assert report.left_out == (("tossups whose machines are hidden until they are ready", 1),)
    assert {row["tossups"] for row in rows(report)} == {1}


def test_what_cannot_be_used_is_one_sentence(app):
    with pytest.raises(QuizwriterError, match="There is no tossup in the database"):
        run("effort", ExperimentInputs(app))
    app.store.save(PendingSave.begun("t", FIRST, ANSWER, 1))
    with pytest.raises(QuizwriterError, match="In none of 1 tossup did the players play"):
        run("effort", ExperimentInputs(app))
    with pytest.raises(QuizwriterError, match="no tossup in the set “nowhere”"):
        run("effort", ExperimentInputs(app, questions_from="nowhere"))
    with pytest.raises(QuizwriterError, match="cannot be moon"):
        run("effort", ExperimentInputs(app, options={"by": "moon"}))


# -- challenge sets


def release(app, folder, *keys, tags=()):
    """The folder of a challenge set with the histories of these tossups, as an export writes them."""
    folder.mkdir()
    lines, rows_of_set = [], []
    for number, key in enumerate(keys, start=1):
        parts = HistoryParts(
            app.store.history(key), app.store.answers(key), app.store.game_rows(key), app.store.events(key)
        )
        view = ReleaseView(parts, lambda person: f"person-{person}" if person else "unknown", str)
        lines.append({"qanta_id": number, "tossup_id": f"question-{key}", **encode_history(parts, view)})
        rows_of_set.append(
            {"qanta_id": number, "tags": tags, "positions": [{"guesser": "ir", "can_know": True}]}
        )
    (folder / "histories.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (folder / "questions.json").write_text(json.dumps({"quizwriter": rows_of_set}), encoding="utf-8")
    return folder


def test_a_challenge_set_gives_the_table_of_the_database_it_came_from(app, tmp_path):
    save(app, VERSIONS, (True, True, False, False), gap_ms=90_000, author="a" * 16)
    save(app, VERSIONS, (False, True, False, True), key="t2", author="b" * 16)
    folder = release(app, tmp_path / "set", "t1", "t2", tags=["Paraphrase"])

    of_database = run("effort", ExperimentInputs(app))
    of_set = run("effort", ExperimentInputs(app, questions_from=str(folder)))
    of_file = run("effort", ExperimentInputs(app, questions_from=str(folder / "histories.jsonl")))

    assert of_set.found.rows == of_database.found.rows == of_file.found.rows
    assert [row[0] for row in of_set.found.details] == ["question-t1", "question-t2"]
    by_tag = run("effort", ExperimentInputs(app, questions_from=str(folder), options={"by": "tag"}))
    assert {row[0] for row in by_tag.found.rows} == {"Paraphrase"}
    by_writer = run("effort", ExperimentInputs(app, questions_from=str(folder), options={"by": "writer"}))
    assert {row[0] for row in by_writer.found.rows} == {"person-" + "a" * 16, "person-" + "b" * 16}


def test_withdrawn_tossups_are_left_out_before_the_first_are_counted(app, tmp_path):
    for key in ("t1", "t2"):
        save(app, VERSIONS, (True, True, False, False), key=key)
    folder = release(app, tmp_path / "set", "t1", "t2")
    (folder / "retracted.json").write_text('[{"qanta_id": 1}]')

    given = ExperimentInputs(app, questions_from=str(folder), limit=1)
    assert [row[0] for row in run("effort", given).found.details] == ["question-t2"]
    assert given.left_out == {"tossups that were withdrawn from their challenge set": 1}


@pytest.mark.parametrize(
    ("make", "options", "said"),
    [
        (lambda folder: None, {}, "There are no histories in"),
        (lambda folder: (folder / "histories.jsonl").write_text("{}"), {}, "line 1, is not a history"),
        (lambda folder: (folder / "histories.jsonl").write_text(""), {}, "no tossup with edits"),
        (lambda folder: None, {"by": "month"}, "do not say in which month"),
    ],
)
def test_a_challenge_set_without_usable_histories_is_one_sentence(app, tmp_path, make, options, said):
    folder = tmp_path / "set"
    folder.mkdir()
    make(folder)

    with pytest.raises(QuizwriterError, match=said):
        run("effort", ExperimentInputs(app, questions_from=str(folder), options=options))
