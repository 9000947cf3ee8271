"""*Restore from backup*, the daily backup, and the rescue of a database that cannot be opened."""

from __future__ import annotations

import sqlite3
import sys
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from quizwriter.gui.application import mending_dialog
from quizwriter.services.wiring import DATABASE, App
from quizwriter.store.backups import BackupReason
from quizwriter.store.refusals import DamagedDatabaseError
from tests.helpers.made_histories import fill
from tests.helpers.windows import is_news


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def application(home):
    """Makes applications whose databases are closed after their windows."""
    made = []

    def make():
        made.append(App(home))
        return made[-1]

    yield make
    for app in made:
        if "store" in app.__dict__:
            app.store.close()


def opened_backups(window, qtbot):
    """The dialog, opened by its menu, with all backups read."""
    window.menus.actions["backups"].trigger()
    qtbot.waitUntil(lambda: not window.recovery.dialog.busy)
    return window.recovery.dialog


def test_a_backup_is_restored_in_the_open_window_and_the_step_is_taken_back(
    qtbot, application, open_window, monkeypatch
):
    app = application()
    fill(app.store, 3, seed=2)
    app.store.backups.make(BackupReason.DAY)
    window = open_window(app, start=False)
    window.sessions.open_new()
    qtbot.keyClicks(window.draft, "A tossup begun later")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    later = window.session.tossup_id

    dialog = opened_backups(window, qtbot)
    assert dialog.list.topLevelItemCount() == 1
    assert dialog.list.topLevelItem(0).text(2) == "3"
    assert dialog.list.topLevelItem(0).text(4) == "1 tossup would leave the list."
    dialog.restore.click()
    qtbot.waitUntil(lambda: "is restored" in window.messages.text("restored"))
    assert is_news(window, "restored")

    assert window.draft.text == ""  # the tossup that was open is not in the backup
    assert later not in {one.tossup_id for one in app.tossups.summaries()}
    qtbot.keyClicks(window.draft, "Something else")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    assert app.store.check() == ()

    restore, going_on = app.recovery.restore, threading.Event()
    monkeypatch.setattr(app.recovery, "restore", lambda path: going_on.wait() and restore(path))
    window.messages.findChild(QPushButton).click()
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_X)
    assert window.draft.text == "Something else"  # what is replaced takes no keys
    going_on.set()
    qtbot.waitUntil(lambda: "as it was before" in window.messages.text("restored"))
    assert app.store.load(later).tossup.text == "A tossup begun later"
    assert app.store.check() == ()


def test_what_is_typed_while_a_backup_is_restored_is_a_branch(qtbot, application, open_window):
    app = application()
    (key,) = fill(app.store, 1, seed=2)
    backup = app.store.backups.make(BackupReason.DAY).path
    window = open_window(app, start=False)
    window.sessions.open_saved(key)
    before = window.draft.text
    qtbot.keyClicks(window.draft, "First. ")
    window.save()
    app.recovery.restore(backup)
    qtbot.keyClicks(window.draft, "Second. ")
    window.sessions.reopen({})

    mine = window.session.tossup_id
    assert "saved as a second branch" in window.messages.text("parted")
    assert {one: app.store.load(one).tossup.text for one in app.store.expand_branches()} == {
        key: before,
        mine: window.draft.text,
    }


@pytest.mark.skipif(sys.platform == "win32", reason="There an open file cannot be replaced.")
def test_the_window_says_once_where_a_replaced_database_is_kept(qtbot, application, open_window):
    app = application()
    fill(app.store, 2, seed=2)
    backup = app.store.backups.make(BackupReason.DAY).path
    window = open_window(app, start=False)
    window.recovery.start()
    window.sessions.open_new()
    qtbot.keyClicks(window.draft, "A tossup")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    app.store.backups.put_in_place(backup)

    with qtbot.waitSignal(window.recovery.replaced):
        qtbot.keyClicks(window.draft, " begun")
        window.sessions.save()
    (aside,) = [one.path for one in app.store.backups.all() if one.reason is BackupReason.MOVED]
    assert str(aside) in window.messages.text("replaced")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    assert app.store.load(window.session.tossup_id).tossup.text == "A tossup begun"

    window.messages.dismiss("replaced")
    qtbot.keyClicks(window.draft, " later")
    window.sessions.save()
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    assert window.messages.text("replaced") == ""


def test_the_backup_of_the_day_is_made_in_the_background_once(qtbot, application, open_window):
    app = application()
    fill(app.store, 2, seed=2)
    window = open_window(app, start=False)
    for _ in range(2):
        window.recovery.back_up_if_due()
    qtbot.waitUntil(lambda: len(app.store.backups.all()) == 1)
    window.recovery.jobs.stop()
    assert [one.reason for one in app.store.backups.all()] == [BackupReason.DAY]


def test_without_room_the_window_says_so_in_one_sentence(qtbot, application, open_window, monkeypatch):
    app = application()
    fill(app.store, 2, seed=2)
    monkeypatch.setattr("quizwriter.store.backups.RESERVE_BYTES", 1 << 60)
    window = open_window(app, start=False)
    window.recovery.back_up_if_due()
    qtbot.waitUntil(lambda: "no room for a backup of your tossups" in window.messages.text("backup"))


def damaged(app, home):
    """Damage the database of ``app`` so that it cannot be opened; the refusal."""
    app.store.close()
    del app.__dict__["store"]
    raw = (home / DATABASE).read_bytes()
    (home / DATABASE).write_bytes(bytes(4096) + raw[4096:])
    with pytest.raises(DamagedDatabaseError) as refusal:
        app.open_database()
    return refusal.value


def test_a_database_that_cannot_be_opened_is_rescued_at_the_start(qtbot, qapp, application, home):
    app = application()
    keys = fill(app.store, 4, seed=2)
    dialog = mending_dialog(app, qapp, damaged(app, home))
    dialog.open()
    qtbot.waitUntil(lambda: not dialog.busy)
    assert not dialog.restore.isEnabled()
    dialog.rescue.click()
    qtbot.waitUntil(lambda: not dialog.busy)

    assert dialog.report.toPlainText().startswith("4 tossups rescued completely, 0 in part, and 0 are lost.")
    assert "is kept in" in dialog.message.text()
    with qtbot.waitSignal(dialog.accepted):
        dialog._primary.click()
    app.open_database()
    assert app.store.check() == ()
    assert set(app.store.expand_branches()) == set(keys)


def test_a_database_that_cannot_be_opened_gives_way_to_a_backup(qtbot, qapp, application, home):
    app = application()
    keys = fill(app.store, 4, seed=2)
    app.store.backups.make(BackupReason.DAY)
    dialog = mending_dialog(app, qapp, damaged(app, home))
    dialog.open()
    qtbot.waitUntil(lambda: not dialog.busy)
    with qtbot.waitSignal(dialog.accepted):
        dialog.restore.click()
    app.open_database()
    assert set(app.store.expand_branches()) == set(keys)
    kept = [path for path in app.recovery.folder.iterdir() if "damaged" in path.name]
    assert len(kept) == 1
    with pytest.raises(sqlite3.DatabaseError), sqlite3.connect(kept[0]) as db:
        db.execute("select * from tossup")
    db.close()
