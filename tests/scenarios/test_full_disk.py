"""Every writer on a disk that is full: one sentence, nothing half written, and the old file as it was."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings

from index_builder.starter import starter_bundle
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.errors import QuizwriterError
from quizwriter.services import App, resources_folder
from quizwriter.settings import Settings
from quizwriter.store.rescue import rescue
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


def rescued(app, disk):
    rescue(app.store.path, disk / "rescued.db")


def starter(app, disk):
    starter_bundle(resources_folder() / "starter", disk / "bundles")


WRITERS = {
    "settings.toml": settings,
    "all.qwpack": pack,
    "queue.csv": csv,
    "challenge.toml": metadata,
    "rescued.db": rescued,
    "bundles": starter,
}


@pytest.fixture
def app(tmp_path):
    with App(tmp_path / "home") as made:
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


def test_the_geometry_of_the_window_stays_the_old_one(small_disk, app):
    kept = QSettings(str(small_disk / "window.ini"), QSettings.Format.IniFormat)
    kept.setValue("window", "old")
    kept.sync()
    before = (small_disk / "window.ini").read_bytes()
    fill_disk(small_disk / "filler")
    kept.setValue("window", "new" * 9000)
    kept.sync()
    assert kept.status() == QSettings.Status.AccessError
    assert (small_disk / "window.ini").read_bytes() == before
    assert [name for name in files(small_disk) if name != "window.ini"] == []
