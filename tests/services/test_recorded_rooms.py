"""People's buzzes on the tossups of a set: matched, counted once, kept as events, and shown."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import BegunFor, Imported, PutInSet, TakenBack
from quizwriter.domain.tossup import Tossup
from quizwriter.domain.tossup_game import version_digest
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.registry import experiments
from quizwriter.services.recorded_rooms import people_figures
from quizwriter.services.wiring import DATABASE, App
from quizwriter.workflow.people_rooms import REST_MS
from quizwriter.workflow.session import PendingSave
from tests.services.test_branches import write

LAKE = "This lake is deep. It is cold. For 10 points, name this deep lake of the north."
RIVER = "This river is long. It is slow. For 10 points, name this long river of the south."


@pytest.fixture
def app(tmp_path):
    with App(tmp_path / "home") as app:
        for at, (key, text) in enumerate({"lake": LAKE, "river": RIVER}.items(), start=1):
            app.store.save(PendingSave.begun(key, text, None, at, "ada"))
            app.store.add_events([Event.new(key, at, "ada", PutInSet("Spring"))])
        yield app


@pytest.fixture
def packets(tmp_path):
    file = tmp_path / "read.jsonl"
    rows = [
        {"id": "q1", "packet": "Round 1", "num": 1, "text": LAKE.upper(), "answer": "a lake"},
        {"id": "q2", "packet": "Round 1", "num": 2, "text": "Something else.", "answer": "a hill"},
    ]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def buzzes(tmp_path, *rows, name="buzzes.jsonl"):
    file = tmp_path / name
    file.write_text(
        "".join(
            f"{json.dumps({'bq': bq, 'game': game, 'team': team, 'pos': pos, 'correct': right})}\n"
            for bq, game, team, pos, right in rows
        )
    )
    return file


def test_buzzes_are_matched_by_the_text_and_kept_once(app, tmp_path, packets):
    file = buzzes(
        tmp_path,
        ("q1", "g1", "A", 4, False), ("q1", "g1", "B", 9, True), ("q1", "g2", "C", 400, True),
        ("q2", "g1", "A", 3, True), ("elsewhere", "g1", "A", 3, True), ("q1", "g1", "A", 4, False),
    )  # fmt: skip
    planned = app.recorded_rooms.plan("Spring", file, packets)

    assert planned.sentence == "2 rooms with 3 buzzes on 1 tossup of Spring."
    assert planned.remarks == (
        "2 buzzes fit no tossup of the set.",
        "1 buzz lies past the last word, which counts as the end.",
        "1 rows: the same buzz of the same room is there twice.",
    )
    app.recorded_rooms.record(planned)
    curve = app.recorded_rooms.curve("lake", Tossup(LAKE))
    assert (curve.recorded, curve.rooms, curve.moved, curve.shares) == (True, 2, 0, ())
    assert [(one.placed.word, one.right) for one in curve.buzzes] == [(10, True), (17, True), (5, False)]

    again = app.recorded_rooms.plan("Spring", file, packets)
    assert again.recorded == {}
    assert again.sentence == "buzzes.jsonl has nothing new about the tossups of Spring."
    assert "2 rooms are recorded already, and not counted twice." in again.remarks


def test_the_queue_and_the_experiment_count_the_same_negs_of_a_file(app, tmp_path):
    file = tmp_path / "buzzes.jsonl"
    rows = [
        ("lake", "g1", 4, -5), ("lake", "g1", 9, 10),
        ("lake", "g2", 4, -5), ("lake", "g2", 4, 0), ("lake", "g2", 8, 0),  # after the neg
        ("lake", "g3", 4, 0),  # where wrong answers cost nothing
        ("river", "g1", 16, -5),  # after the last word
    ]  # fmt: skip
    with file.open("w") as lines:
        for at, (bq, game, pos, value) in enumerate(rows):
            row = {"bq": bq, "game": game, "team": f"t{at}", "pos": pos, "value": value, "n_words": 17}
            lines.write(f"{json.dumps({**row, 'correct': value > 0})}\n")
    app.recorded_rooms.record(app.recorded_rooms.plan("Spring", file))
    assert {key: one.negs for key, one in people_figures(app.store, ["lake", "river"]).items()} == {
        "lake": 2,
        "river": 0,
    }
    people = experiments()["people"]
    (row,) = people.function(ExperimentInputs(app, buzzes_from=str(file))).rows
    negs = row[[one.title for one in people.columns].index("negs")]
    assert (negs.value, negs.number) == (0.5, 4)


def test_a_tossup_is_known_by_its_id_and_by_the_id_it_was_imported_under(app, tmp_path):
    file = buzzes(tmp_path, ("river", "g1", "A", 4, True))

    assert set(app.recorded_rooms.plan("Spring", file).recorded) == {"river"}


def test_every_name_of_a_tossup_with_branches_names_the_one_that_the_queue_shows(app, tmp_path):
    app.store.add_events([Event.new("lake", 3, "ada", Imported("read.jsonl", "d" * 64, "old"))])
    with App(tmp_path / "ben") as ben:
        ben.store.merge(app.store.branches(["lake"]), ())
        write(ben, "lake", f"{LAKE} Really.")
        write(app, "lake", f"Now: {LAKE}")
        app.store.merge(ben.store.branches(["lake"]), ())
    branches = [key for key, _, _ in app.store.tossups_of_set("Spring") if key != "river"]
    (shown,) = {*app.store.one_of_each(branches)}
    texts = [app.store.load(one).tossup.text for one in branches]
    read = tmp_path / "texts.jsonl"
    rows = [{"id": f"q{at}", "text": text, "answer": "a lake"} for at, text in enumerate(texts)]
    read.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    names = ["old", *branches, "q0", "q1"]
    file = buzzes(tmp_path, *((name, f"g{at}", "A", at, True) for at, name in enumerate(names, start=1)))

    planned = app.recorded_rooms.plan("Spring", file, read)
    assert planned.sentence == "5 rooms with 5 buzzes on 1 tossup of Spring."
    assert planned.remarks == ("4 rooms do not say which version was read.",)
    rooms = {one.digest: len(one.games) for one in planned.recorded[shown]}
    assert rooms == {"": 4, version_digest(app.store.load(shown).tossup): 1}


def test_what_was_kept_can_be_taken_back(app, tmp_path):
    (event,) = app.recorded_rooms.record(
        app.recorded_rooms.plan("Spring", buzzes(tmp_path, ("river", "g1", "A", 4, True)))
    )
    app.store.add_events([Event.new("river", 99, "ada", TakenBack((event.id,)))])

    assert not app.recorded_rooms.curve("river", Tossup(RIVER)).recorded


@pytest.mark.parametrize(
    ("rows", "says"),
    [([("nowhere", "g", "A", 3, True)], "No buzz in buzzes.jsonl is on a tossup of Spring."), ([], "buzz")],
)
def test_a_file_without_a_buzz_on_the_set_is_refused_in_a_sentence(app, tmp_path, rows, says):
    with pytest.raises(QuizwriterError, match=says) as refusal:
        app.recorded_rooms.plan("Spring", buzzes(tmp_path, *rows))
    assert refusal.value.remedy


def test_an_empty_set_is_refused(app, tmp_path):
    with pytest.raises(QuizwriterError, match="No tossup is in the set Autumn"):
        app.recorded_rooms.plan("Autumn", buzzes(tmp_path, ("river", "g1", "A", 4, True)))


def test_without_buzzes_the_curve_is_predicted_from_the_difficulty_and_says_so(app):
    curve = app.recorded_rooms.curve("lake", Tossup(LAKE))
    assert not curve.recorded
    assert curve.in_words.startswith("People, predicted: ")
    assert "log loss" in curve.basis
    app.store.add_events([Event.new("lake", 9, "ada", BegunFor("a place", "Regionals"))])
    regionals = app.recorded_rooms.curve("lake", Tossup(LAKE))
    assert "difficulty 8" in regionals.basis
    assert regionals.shares != curve.shares
    assert app.recorded_rooms.curve("lake", Tossup("")) is None


def test_a_tossup_without_its_end_has_no_predicted_curve(app, tmp_path):
    begun = Tossup("This lake is deep. It is cold.")

    assert app.recorded_rooms.curve("lake", begun) is None
    assert app.recorded_rooms.curve("lake", Tossup(f"{begun.text} Name this lake.")) is not None
    app.recorded_rooms.record(
        app.recorded_rooms.plan("Spring", buzzes(tmp_path, ("river", "g1", "A", 4, True)))
    )
    assert app.recorded_rooms.curve("river", begun).recorded  # rooms are known at any time


def test_an_edit_after_the_rooms_moves_them(app, tmp_path):
    app.recorded_rooms.record(
        app.recorded_rooms.plan("Spring", buzzes(tmp_path, ("river", "g1", "A", 4, True)))
    )
    change = Change(2, 50, Edit(0, "", "So. "), "ada")
    app.store.save(PendingSave("river", f"So. {RIVER}", None, 0, 50, (change,), author="ada"))

    curve = app.recorded_rooms.curve("river", Tossup(f"So. {RIVER}"))
    assert (curve.moved, [one.placed.word for one in curve.buzzes]) == (1, [6])
    assert "1 room was moved by later edits." in curve.in_words


def test_a_file_is_of_the_version_whose_text_it_has_and_else_of_none(app, tmp_path, packets):
    """The packet was read before the edit, and imported after it."""
    now = f"So. {LAKE}"
    change = Change(2, 2 * REST_MS, Edit(0, "", "So. "), "ada")
    app.store.save(PendingSave("lake", now, None, 0, 2 * REST_MS, (change,), author="ada"))
    rows = [("q1", "g1", "A", 4, True), ("river", "g1", "A", 4, True)]
    planned = app.recorded_rooms.plan("Spring", buzzes(tmp_path, *rows), packets)
    assert "1 room does not say which version was read." in planned.remarks
    digests = {key: one.digest for key, (one,) in planned.recorded.items()}
    assert digests == {"lake": version_digest(Tossup(LAKE)), "river": ""}
    app.recorded_rooms.record(planned)
    lake, river = (
        app.recorded_rooms.curve(key, Tossup(text)) for key, text in (("lake", now), ("river", RIVER))
    )
    assert (lake.moved, lake.untold, [one.placed.word for one in lake.buzzes]) == (1, 0, [6])
    assert (river.moved, river.untold, [one.placed.word for one in river.buzzes]) == (0, 1, [5])
    assert river.in_words.endswith("1 room does not say which version was read.")


def test_rooms_of_two_versions_in_one_file_are_kept_apart(app, tmp_path, packets):
    rows = [("q1", "g1", "A", 4, True), ("lake", "g2", "A", 2, True)]
    planned = app.recorded_rooms.plan("Spring", buzzes(tmp_path, *rows), packets)
    found = {one.digest: one.right for one in planned.recorded["lake"]}
    assert found == {version_digest(Tossup(LAKE)): (5,), "": (3,)}


def test_the_curves_that_come_with_the_program_say_where_they_are_from(app):
    predicted = app.recorded_rooms.predicted

    assert "SHA-256" in predicted.source
    assert predicted.loss < predicted.loss_of_all
    assert predicted.held_back > 20_000
    assert all(one.rooms >= sum(one.answered) for one in predicted.curves.values())


def test_a_match_of_modaq_says_its_words_and_they_are_kept_as_ours(app, tmp_path):
    text = 'This lake — it is “deep” (Read slowly.) — is ("LAYK") cold / wet. For 10 points, name it.'
    app.store.save(PendingSave.begun("dash", text, None, 9, "ada"))
    app.store.add_events([Event.new("dash", 9, "ada", PutInSet("Spring"))])
    packet = tmp_path / "Round 1.json"
    packet.write_text(
        json.dumps({"tossups": [{"question": text, "answer": "Lake Example"}]}), encoding="utf-8"
    )
    match = tmp_path / "game.qbj"
    buzz = {
        "team": {"name": "A"}, "player": {"name": "P"}, "buzz_position": {"word_index": 10},
        "result": {"value": 10},
    }  # fmt: skip
    asked = {"question_number": 1, "tossup_question": {"question_number": 1}, "buzzes": [buzz]}
    match.write_text(json.dumps({"packets": "Round 1", "match_questions": [asked]}), encoding="utf-8")

    ((recorded,),) = app.recorded_rooms.plan("Spring", match, packet).recorded.values()

    heard = Tossup(text).words[recorded.right[0] - 1].of(text)
    assert (heard, recorded.right, recorded.words) == ("cold", (7,), len(Tossup(text).words))


FIGURES = """
    with recorded as (
      select json_extract(body, '$.words') as words, json_extract(body, '$.right') as rights,
        json_array_length(body, '$.wrong') as wrongs from event where kind = 'rooms'),
    room as (select 1.0 * value / words as part from recorded, json_each(rights))
    select count(*), sum(part > 0), (select sum(wrongs) from recorded),
      avg(case when part > 0 then part end), avg(part > 0 and part <= .25), avg(part > 0 and part <= .5),
      avg(part > 0 and part <= .75), avg(part > 0 and part <= .9), avg(part > 0) from room
"""


def test_the_shared_buzzes_are_imported_in_seconds_and_the_database_has_their_figures(tmp_path, shared_data):
    questions = shared_data / "buzz_tossups.jsonl.xz"
    with App(tmp_path / "home") as app:
        app.transfer.import_files([questions], set_name="Shared")
        began = time.process_time()
        app.recorded_rooms.record(
            app.recorded_rooms.plan("Shared", shared_data / "buzzes.jsonl.xz", questions)
        )
        # 7 s on a quiet machine
        assert time.process_time() - began < 20
    with closing(sqlite3.connect(tmp_path / "home" / DATABASE)) as database:
        rooms, right, wrong, mean, *answered = database.execute(FIGURES).fetchone()
    assert (rooms, right + wrong) == (56_736, 69_614)  # 20 rooms with 24 buzzes are there twice
    assert right / (right + wrong) == pytest.approx(0.7501, abs=5e-5)
    assert mean == pytest.approx(0.744, abs=5e-4)
    assert answered == pytest.approx([0.022, 0.149, 0.431, 0.628, 0.920], abs=6e-4)
