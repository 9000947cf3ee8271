"""Playing all tossups: what is missing, what is kept for queue and exports, and going on after a stop."""

from __future__ import annotations

from contextlib import closing

import pytest
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.guessing import Player
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Arm, ArmDrawn, PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.store.plays import PlayCache
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.session import PendingSave
from tests.helpers.fakes import Failing, FakeEngine, Lead, Overlap
from tests.helpers.made_queue import put

TEXT = "The author of Emma, Persuasion and Sanditon lived at Chawton in Hampshire."


@pytest.fixture
def engine():
    return FakeEngine((Player(Overlap(), Lead(), "one"), Player(Overlap("dan"), Lead(), "two")))


def drafts(app, *keys):
    for at_ms, key in enumerate(keys, start=1_000):
        put(app, key, "Jane Austen", f"{TEXT} {key}", at_ms=at_ms)


def games(app, key):
    (row,) = app.queue.rows([key])
    return row.games


def test_every_tossup_is_played_once_and_the_queue_shows_it(app, engine):
    drafts(app, "a", "b", "c")
    assert app.plays.unplayed(engine) == ("c", "b", "a")
    told = []
    report = app.plays.play_all(engine, progress=lambda done, total: told.append((done, total)))
    assert (report.tossups, report.games, report.left, report.troubles) == (3, 6, 0, ())
    assert told == [(0, 3), (1, 3), (2, 3)]
    assert set(games(app, "a")) == {"ir", "dan"}
    assert games(app, "a")["ir"].first is not None
    (row,) = app.queue.rows(["a"])
    assert (len(row.games), row.able, row.stumped) == (2, 2, 0)
    assert app.plays.play_all(engine).tossups == 0
    assert app.plays.play_all(engine).sentence == "Every tossup was played before."


def test_an_empty_database_has_no_tossup_to_play(app, engine):
    assert app.plays.play_all(engine).sentence == "There is no tossup to play."
    put(app, "a", "Jane Austen", "(*)")
    assert app.plays.play_all(engine).sentence == "There is no tossup to play."


def test_the_tossups_whose_machines_are_hidden_are_counted(app, engine):
    drafts(app, "a")
    hidden = "1 tossup waits until it is ready, because its machines are hidden."
    put(app, "h", "Jane Austen", TEXT, bodies=[PutInSet("Control"), ArmDrawn("Control", Arm.HIDDEN, 1)])
    assert app.plays.play_all(engine).sentence == f"1 tossup played, with 2 new games. {hidden}"
    report = app.plays.play_all(engine)
    assert report.sentence == f"Every other tossup was played before. {hidden}"
    assert replace(report, hidden=2).sentence.endswith(
        "2 tossups wait until they are ready, because their machines are hidden."
    )


def test_no_writer_saw_these_games_so_no_history_has_them(app, engine):
    drafts(app, "a")
    app.plays.play_all(engine)
    assert app.store.recorded_plays("a") == ()
    assert app.queue.rows(["a"])[0].shift is None  # no edit moved a buzz


def test_what_an_export_played_need_not_be_played_for_the_queue(app, engine):
    drafts(app, "a")
    with closing(PlayCache(app.home)) as cache:
        tossup = app.store.load("a").tossup
        for player in engine.players:
            cache.summary(player, tossup)
    report = app.plays.play_all(engine)
    assert (report.tossups, report.games) == (1, 0)
    assert set(games(app, "a")) == {"ir", "dan"}


def test_what_is_played_for_the_queue_need_not_be_played_for_an_export(app, engine):
    drafts(app, "a")
    app.plays.play_all(engine)
    with closing(PlayCache(app.home)) as cache:
        assert all(cache.has(player, app.store.load("a").tossup) for player in engine.players)


def test_another_engine_and_another_text_make_a_game_stale(app, engine):
    drafts(app, "a", "b")
    app.plays.play_all(engine)
    app.engines.use_engine(engine)
    assert app.queue.find(QueueFilter(unplayed=True), QueueSort()) == ()
    text = f"{TEXT} a!"
    app.store.save(
        PendingSave("a", text, Answer("Jane Austen", Page("Jane_Austen")), 0, 5_000,
                    (Change(2, 5_000, Edit(len(text) - 1, "", "!"), "ada"),))
    )  # fmt: skip
    assert app.queue.find(QueueFilter(unplayed=True), QueueSort()) == ("a",)
    assert games(app, "a")["ir"].outdated
    trained = FakeEngine((engine.players[0], replace(engine.players[1], engine="trained")))
    app.engines.use_engine(trained)
    assert set(app.queue.find(QueueFilter(unplayed=True), QueueSort())) == {"a", "b"}
    game = games(app, "b")["dan"]
    assert not game.outdated
    assert not game.counts
    assert games(app, "b")["ir"].counts
    report = app.plays.play_all(trained)
    assert (report.tossups, report.games) == (2, 3)  # the first player knows b
    assert games(app, "b")["dan"].engine == "trained"


def test_what_was_played_before_a_stop_is_kept_and_the_rest_follows(app, engine):
    drafts(app, "a", "b", "c")
    stop = Cancellation()
    with pytest.raises(Cancelled):
        app.plays.play_all(engine, lambda done, _: stop.cancel() if done == 2 else None, stop)
    left = len(app.plays.unplayed(engine))
    assert 1 <= left < 3
    assert app.plays.play_all(engine).tossups == left
    assert app.plays.unplayed(engine) == ()


@pytest.mark.logs("is left out of playing all")
def test_a_player_that_fails_does_not_hold_up_the_others(app, engine):
    drafts(app, "a", "b")
    failing = FakeEngine((engine.players[0], Player(Failing("dan"), Lead(), "two")))
    report = app.plays.play_all(failing)
    assert (report.tossups, report.games, report.left) == (2, 2, 2)
    assert [player for player, _ in report.troubles] == ["dan"]
    assert set(games(app, "a")) == {"ir"}


def test_a_text_that_was_edited_meanwhile_gets_no_game_of_the_old_one(app, engine):
    drafts(app, "a")
    old = app.store.load("a").tossup
    with closing(PlayCache(app.home)) as cache:
        found = [cache.summary(player, old) for player in engine.players]
    text = f"{old.text}!"
    app.store.save(
        PendingSave("a", text, old.answer, 0, 5_000, (Change(2, 5_000, Edit(len(old.text), "", "!"), "ada"),))
    )
    assert not app.store.put_plays("a", old, found)
    assert games(app, "a") == {}


def test_it_is_remembered_that_playing_has_to_go_on(app):
    assert not app.plays.is_pending
    app.plays.set_pending(True)
    assert app.plays.is_pending
    app.plays.set_pending(False)
    assert not app.plays.is_pending
