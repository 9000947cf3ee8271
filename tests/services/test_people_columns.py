"""People's figures in the queue and in the state of a set, without names; all games here are made up."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import Categorised, PutInSet, RoomsRecorded, Status
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import Said, version_digest
from quizwriter.services.wiring import App
from quizwriter.workflow.people_rooms import RoomFigures, pseudonym
from quizwriter.workflow.queue import PEOPLE, LastPlay, QueueFilter, QueueRow, QueueSort, cell
from quizwriter.workflow.session import PendingSave
from tests.helpers.made_games import made_game

TOSSUP = Tossup("one two three four five six seven eight nine ten", Answer("Ulysses"))


@pytest.fixture
def app(tmp_path):
    with App(tmp_path / "home") as app:
        for key, packet in (("a", "Round 1"), ("b", "Round 2"), ("c", "Round 2"), ("d", "")):
            app.store.save(PendingSave.begun(key, TOSSUP.text, TOSSUP.answer, 1, "ada"))
            app.store.add_events(
                [
                    Event.new(key, 1, "ada", PutInSet("Spring", packet)),
                    Event.new(key, 1, "ada", Categorised(("Literature",))),
                ]
            )
        rooms = RoomsRecorded("r", 10, ("1", "2", "3"), (4, 8, 0), (2, 10), version_digest(TOSSUP))
        app.store.add_events([Event.new("a", 2, "ada", rooms)])
        app.games.keep("b", made_game("g", TOSSUP, "Ben", 2, Said.ACCEPT))
        app.games.keep("c", made_game("g", TOSSUP, "Ben", 2, Said.REJECT, "Iliad"))
        yield app


def column(app, name, *keys):
    rows = {row.tossup_id: row for row in app.queue.rows(keys)}
    return [cell(rows[key], {}, name) for key in keys]


def test_rows_have_the_figures_of_people(app):
    assert column(app, "conversion", "a", "b", "c", "d") == ["2 of 3", "1 of 1", "0 of 1", ""]
    assert column(app, "people_word", "a", "b", "c", "d") == ["6.0", "2.0", "", ""]
    assert column(app, "negs", "a", "b", "c", "d") == ["1", "0", "1", ""]
    assert column(app, "people_early", "a", "b", "c", "d") == [""] * 4  # no machine played


def test_people_early_is_counted_to_the_first_player_that_stays_right():
    games = {
        "ir": LastPlay(10, 3, 9, None, None),
        "dan": LastPlay(10, None, None, None, None),
        "rnn": LastPlay(10, 1, 1, None, None, knowable=False),
        "ensemble": LastPlay(10, 1, 1, None, None, outdated=True),
    }
    figures = RoomFigures(2, 2, 4.5, 0)
    assert _row(games, figures).of_people("people_early") == 4.5
    assert _row({"dan": games["dan"]}, figures).of_people("people_early") == 5.5
    assert _row(games, RoomFigures(2, 0, None, 0)).of_people("people_early") is None
    assert _row(games, None).of_people("negs") is None


def _row(games, people):
    return QueueRow(
        "a", "Ulysses", "one", "Spring", (), Status.DRAFT, False, False, "ada", 10, None, None, 1, 0,
        games, people=people,
    )  # fmt: skip


@pytest.mark.parametrize("name", sorted(PEOPLE))
@pytest.mark.parametrize("down", [True, False])
def test_the_queue_is_sorted_by_them_with_the_unplayed_last(app, name, down):
    keys = app.queue.find(QueueFilter(), QueueSort(name, down))
    assert sorted(keys) == ["a", "b", "c", "d"]
    rows = {row.tossup_id: row.of_people(name) for row in app.queue.rows(keys)}
    known = [rows[key] for key in keys if rows[key] is not None]
    assert known == sorted(known, reverse=down)
    assert [rows[key] for key in keys[len(known) :]] == [None] * (4 - len(known))


def test_only_what_people_played_is_read_for_the_order(app, monkeypatch):
    read, rows = [], app.store.queue_rows
    monkeypatch.setattr(app.store, "queue_rows", lambda keys, _: (read.extend(keys), rows(keys))[1])
    assert app.queue.find(QueueFilter(), QueueSort("negs"))[-1] == "d"
    assert sorted(read) == ["a", "b", "c"]


def test_the_state_of_a_set_counts_rooms_by_category_and_packet(app):
    lines = {(one.group, one.title): one for one in app.statistics.state(["Spring"])}
    assert lines["People", "Played by people"].number == "3 of 4"
    assert lines["People", "Answered by people"].number == "2 of 3"
    assert lines["People, by category", "Literature"].number == "3 of 5 rooms"
    assert lines["People, by packet", "Round 1"].number == "2 of 3 rooms"
    assert set(lines["People, by packet", "Round 2"].tossups) == {"b", "c"}


def test_the_lane_has_pseudonyms_and_who_is_forgotten_is_gone_from_it(app):
    name = "Zoltán Quastenberg"
    app.games.keep("d", made_game("g", TOSSUP, name, 5, Said.REJECT, f"{name} says Tanganyika"))

    told = app.recorded_rooms.curve("d", TOSSUP).at_word(5)
    assert pseudonym("p", f"\0{name}") in told
    app.forgotten_people.forget(app.forgotten_people.plan(name))

    curve = app.recorded_rooms.curve("d", TOSSUP)
    assert (curve.rooms, len(curve.buzzes)) == (1, 1)
    assert "Tanganyika" in curve.at_word(5)
    for gone in ("Quastenberg", "Zoltán", pseudonym("p", f"\0{name}")):
        assert gone not in curve.at_word(5)
        assert gone not in str(curve)
