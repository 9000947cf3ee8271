"""Databases of others: damaged pages, rows edited by SQL; and all that the program does with a database."""

from __future__ import annotations

import csv
import json
import random
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from quizwriter.domain.review import Commented
from quizwriter.domain.review_state import fold_events
from quizwriter.services.wiring import App
from quizwriter.workflow.queue import COLUMNS, QueueFilter, QueueSort, row_json
from tests.fuzz import mutation
from tests.fuzz.target import Target, packed_seed, refusal

NEWEST = "0002-31848ef"
SEEDS = (NEWEST, NEWEST, "0001-62cbc3f", "0002-46b7d58")

MOST_TOSSUPS = 6
"""So many tossups of a database are read whole; the lists have them all."""


def read_everything(app: App, out: Path) -> None:
    """Ask ``app`` for all that windows and commands show of its database; ``out`` gets what they write."""
    out.mkdir(exist_ok=True)
    keys: Sequence[str] = ()
    with refusal():
        app.open_database()
    with refusal():
        keys = [one.tossup_id for one in app.tossups.summaries()][:MOST_TOSSUPS]
    with refusal():
        app.tossups.last_session()
    with refusal():
        report = app.tossups.check_database()
        str(report).encode("utf-8", "strict")
    with refusal():
        app.review.find_people("a")
    with refusal():
        people = app.review.people()
        for sort in (
            QueueSort(),
            QueueSort("answer", down=False),
            QueueSort("changed"),
            QueueSort("stumped"),
        ):
            found = app.queue.find(QueueFilter(), sort)
        app.queue.find(QueueFilter(text="the*\"'"), QueueSort())
        columns = [(name, "") for name in COLUMNS]
        app.queue.export_csv(out / "queue.csv", found, columns)
        with (out / "queue.csv").open(encoding="utf-8-sig", newline="") as file:
            list(csv.reader(file))
        json.dumps([row_json(row, people) for row in app.queue.rows(found)]).encode()
    with refusal():
        app.queue.facets(), app.queue.players(), app.queue.filters()
    with refusal():
        for name in app.review.sets():
            app.review.categories(name)
            repr((app.problems.style_sheet(name), app.briefs.report(name), app.rewriting.taken(name)))
        app.review.sets_with_categories()
    for key in keys:
        with refusal():
            app.tossups.session(key)
            app.review.check({key: app.review.tossup(key)})
        with refusal():
            titled = app.tossups.titled_history(key)
            for index in (0, len(titled.history.steps) // 2, len(titled.history.steps) - 1):
                if titled.history.steps:
                    titled.history.text(index)
        with refusal():
            json.dumps(app.transfer.history_json(key)).encode()
        with refusal():
            review = fold_events(app.review.events(key))
            repr(review)
        with refusal():
            repr(app.problems.of_saved(key))
            around = app.problems.surroundings(key)
            repr(around.dismissals(app.review.tossup(key)))
        with refusal():
            app.sources.export(out / "sources.csv", [key])
    families = ()
    with refusal():
        families = app.branches.families(hidden=True)
    with refusal():
        app.transfer.pack(out / "all.qwpack")
    for key in keys[:1]:
        with refusal():
            app.review.record([key], Commented("One more comment."))
    for family in families:
        with refusal():
            app.branches.keep(family, family.lines[-1].tossup_id)


class Databases(Target):
    """Databases of this version and of older ones, with cells, tables or bytes changed."""

    name = "databases"

    def prepare(self, folder: Path) -> None:
        self._seeds = []
        for number, name in enumerate(SEEDS):
            path = folder / f"{number}.db"
            path.write_bytes(packed_seed(f"databases/{name}.db.xz"))
            if number != 1:  # the second stays old, and is migrated while it is read
                with App(folder / "home", database=path) as app:
                    app.open_database()
                with closing(sqlite3.connect(path)) as db:
                    db.execute("pragma journal_mode = delete")
            self._seeds.append(path.read_bytes())

    def make(self, draw: random.Random, case: Path) -> None:
        path = case / "quizwriter.db"
        path.write_bytes(draw.choice(self._seeds))
        mutation.database(draw, path)

    def read(self, case: Path) -> None:
        home = case / "home"
        home.mkdir()
        shutil.copyfile(case / "quizwriter.db", home / "quizwriter.db")
        with refusal(), App(home) as app:
            read_everything(app, case / "written")
