"""Whom a tossup in the database stumps: only a player whose guesses are all surely wrong."""

import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace

from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer
from quizwriter.services.wiring import App
from quizwriter.store.store import Store
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.session import PendingSave, RecordedPlay
from tests.helpers.database import select

RAVENS = Answer("ravens [or crows or Corvidae]", Page("Corvidae"))
TEXT = "Odin owns two of these birds. For ten points, name them."


def save(store, final, possible=None):
    """A tossup on which IR was never right, and ended on the page ``final``."""
    shown = (wrong_play(final, possible),)
    store.save(PendingSave("t", TEXT, RAVENS, 0, 1, (Change(1, 1, Edit(0, "", TEXT)),), shown))


def wrong_play(final, possible, seq=1):
    return RecordedPlay(
        seq, 2, "ir", "engine", (Guess(Page(final), 1.0),), None, None, None, None, 11, RAVENS.key, True,
        possible=possible,
    )  # fmt: skip


def stumped(store):
    """How many the tossup stumps, by its row, by the game in it, and by the filter of the queue."""
    (row,) = store.queue_rows(["t"])
    return row.stumped, row.games["ir"].stumped, len(store.queue(QueueFilter(stumps=("ir",)), QueueSort()))


@pytest.mark.parametrize(
    ("final", "possible", "stumps"),
    [("Owl", None, True), ("Raven", None, False), ("Owl", 4, False)],
    ids=["always wrong", "another title at the end", "another title before"],
)
def test_a_guess_that_may_be_right_stumps_nobody(tmp_path, final, possible, stumps):
    with closing(Store(tmp_path / "q.db")) as store:
        save(store, final, possible)
        assert stumped(store) == (stumps, stumps, stumps)


@pytest.mark.parametrize("way", ["an edit of another computer", "an edit beside one of another computer"])
def test_what_may_have_been_right_is_known_after_a_merge(tmp_path, way):
    """A pack does not say it, and the game is here all the same."""
    with closing(Store(tmp_path / "q.db")) as store, closing(Store(tmp_path / "ada.db")) as ada:
        save(store, "Owl", 4)
        ada.merge(store.branches(["t"]))
        ada.save(edited(ada.load("t"), "ada", 9))
        mine = edited(store.load("t"), "me", 10)
        store.merge(ada.branches(["t"]))
        if way.startswith("an edit beside"):
            key = store.save(replace(mine, shown=(wrong_play("Owl", 5, seq=2),)))
            assert select(store, "select possible from shown where tossup = ? order by seq", key) == [
                (4,),
                (5,),
            ]
            assert not store.queue_rows([key])[0].stumped

        assert stumped(store) == (0, False, 0)


def edited(stored, author, at_ms):
    """The saving of one more word by ``author``."""
    text = f"{stored.tossup.text} {author}"
    change = Change(2, at_ms, Edit(len(stored.tossup.text), "", f" {author}"), author)
    return PendingSave(
        "t", text, stored.tossup.answer, 0, at_ms, (change,), author=author, after=stored.head,
        answered=False, seq=1,
    )  # fmt: skip


def test_what_may_have_been_right_is_known_of_a_copy(tmp_path):
    with App(tmp_path) as app:
        save(app.store, "Owl", 4)
        (row,) = app.store.queue_rows([app.tossups.duplicate("t")])
        assert (row.stumped, row.games["ir"].possible) == (0, 4)


def test_the_games_of_an_older_database_are_judged_by_their_last_guess(tmp_path):
    path = tmp_path / "q.db"
    with closing(Store(path)) as store:
        save(store, "Raven")
    db = sqlite3.connect(path)
    for table in ("shown", "standing"):
        db.execute(f"alter table {table} drop column possible")
    for column, number in (("players", 1), ("able", 1), ("stumped", 1)):
        db.execute(f"alter table listed add column {column} integer not null default {number}")
    db.execute("delete from _sqlite_migrations where name in ('0010_possible', '0011_counted')")
    db.commit()
    db.close()

    with closing(Store(path)) as store:
        assert stumped(store) == (0, False, 0)
