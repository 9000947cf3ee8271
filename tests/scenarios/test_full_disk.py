"""Every writer on a disk that is full: one sentence, nothing half written, and the old file as it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from index_builder.starter import starter_bundle
from quizwriter.challenge.metadata import SetMetadata, WithdrawnQuestions
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.errors import QuizwriterError
from quizwriter.gui.widgets.saved_layout import ColumnSizes, read_layout, save_layout
from quizwriter.services.wiring import App
from quizwriter.settings import Settings
from quizwriter.store.backups import BackupReason, Backups
from quizwriter.store.rescue import rescue
from quizwriter.system.resource_files import resources_folder
from tests.helpers.fakes import fill as fill_disk
from tests.helpers.made_histories import fill

OLD = b"what was there before"


def settings(app, disk):
    Settings(profile_name="n" * 9000).write(disk / "settings.toml")


def pack(app, disk):
    app.transfer.pack(disk / "all.qwpack")


def csv(app, disk):
    keys = app.store.expand_branches() * 200
    app.queue.export_csv(disk / "queue.csv", keys, [("answer", ""), ("status", "")])


def metadata(app, disk):
    SetMetadata("Spring", answers={"motivation": "a" * 9000}).write(disk / "challenge.toml")


def withdrawn(app, disk):
    WithdrawnQuestions(disk / "withdrawn.json", Pseudonyms.load(app.home / "pseudonyms.key")).save()


def profile(app, disk):
    app.profile.identity.export(disk / "ben.qwprofile", "a passphrase of several words")


def rescued(app, disk):
    rescue(app.store.path, disk / "rescued.db")


def starter(app, disk):
    starter_bundle(resources_folder() / "starter", disk / "bundles")


WRITERS = {
    "settings.toml": settings,
    "all.qwpack": pack,
    "queue.csv": csv,
    "challenge.toml": metadata,
    "withdrawn.json": withdrawn,
    "ben.qwprofile": profile,
    "rescued.db": rescued,
    "bundles": starter,
}


@pytest.fixture
def app(tmp_path):
    with App(tmp_path / "home") as made:
        made.profile.set_profile("Ben Osei", "ben@example.org")
        fill(made.store, 3, seed=1)
        yield made


def files(disk):
    return sorted(
        str(path.relative_to(disk)) for path in disk.rglob("*") if path.is_file() and path.name != "filler"
    )


@pytest.mark.parametrize("name", WRITERS)
def test_a_writer_on_a_full_disk_says_so_and_leaves_the_disk_as_it_was(small_disk, app, name):
    old = small_disk / name
    if name not in ("rescued.db", "bundles"):
        old.write_bytes(OLD)
    before = files(small_disk)
    fill_disk(small_disk / "filler")
    with pytest.raises(QuizwriterError, match=r"No space left|full|could not be written|cannot be used"):
        WRITERS[name](app, small_disk)
    assert files(small_disk) == before
    assert not old.is_file() or old.read_bytes() == OLD
    assert app.store.check() == ()


def test_the_key_of_the_pseudonyms_is_whole_or_not_there(small_disk, app):
    fill_disk(small_disk / "filler")
    with pytest.raises(QuizwriterError, match="No space left"):
        Pseudonyms.load(small_disk / "pseudonyms.key")
    assert files(small_disk) == []


def test_the_layout_of_the_windows_stays_the_old_one(small_disk):
    save_layout(small_disk, columns=ColumnSizes(across=(200, 600, 400)))
    before = read_layout(small_disk)
    fill_disk(small_disk / "filler")
    save_layout(small_disk, columns=ColumnSizes(across=(300, 500, 400)))
    assert read_layout(small_disk) == before
    assert files(small_disk) == ["window.json"]


def test_a_backup_that_finds_no_room_says_so_and_leaves_the_database(small_disk, app):
    database = small_disk / "quizwriter.db"
    app.recovery.sync()
    with closing(sqlite3.connect(app.store.path)) as source, closing(sqlite3.connect(database)) as copy:
        source.backup(copy)
    before = database.read_bytes()
    fill_disk(small_disk / "filler")
    with pytest.raises(QuizwriterError, match=r"No space left|full|room") as said:
        Backups(database).make(BackupReason.REQUESTED)
    assert said.value.remedy
    assert database.read_bytes() == before
    assert Backups(database).all() == ()
