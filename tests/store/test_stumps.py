"""Whom a tossup in the database stumps: only a player whose guesses are all surely wrong."""

import sqlite3
from contextlib import closing

import pytest

from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer
from quizwriter.store.store import Store
from quizwriter.workflow.queue import QueueFilter, QueueSort
from quizwriter.workflow.session import PendingSave, RecordedPlay

RAVENS = Answer("ravens [or crows or Corvidae]", Page("Corvidae"))
TEXT = "Odin owns two of these birds. For ten points, name them."


def save(store, final, possible=None):
    """A tossup on which IR was never right, and ended on the page ``final``."""
    play = RecordedPlay(
        1, 2, "ir", "engine", (Guess(Page(final), 1.0),), None, None, None, None, 11, RAVENS.key, True,
        possible=possible,
    )  # fmt: skip
    store.save(PendingSave("t", TEXT, RAVENS, 0, 1, (Change(1, 1, Edit(0, "", TEXT)),), (play,)))


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


def test_the_games_of_an_older_database_are_judged_by_their_last_guess(tmp_path):
    path = tmp_path / "q.db"
    with closing(Store(path)) as store:
        save(store, "Raven")
    db = sqlite3.connect(path)
    for table in ("shown", "standing"):
        db.execute(f"alter table {table} drop column possible")
    db.execute("update listed set stumped = 1")
    db.execute("delete from _sqlite_migrations where name = '0010_possible'")
    db.commit()
    db.close()

    with closing(Store(path)) as store:
        assert stumped(store) == (0, False, 0)
