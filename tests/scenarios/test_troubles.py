"""The real application in a broken world: the window says what is wrong, and nothing typed is lost."""

import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QTextCursor
from PySide6.QtWidgets import QAbstractButton, QApplication

from quizwriter.errors import QuizwriterError
from quizwriter.gui.application import run
from quizwriter.gui.window_lock import window_lock
from quizwriter.gui.writing.answer_field import LONGEST
from quizwriter.gui.writing.draft_text import Utf16Positions
from quizwriter.services.wiring import DATABASE, App
from quizwriter.store.backups import BackupReason
from tests.helpers.fakes import fill
from tests.helpers.windows import app_of

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def application():
    """Makes applications whose databases are closed after their windows."""
    made = []

    def make(*arguments):
        made.append(App(*arguments))
        return made[-1]

    yield make
    for app in made:
        app.store.close()


def saved(home):
    """The text of the only tossup on disk, once it is known to be sound."""
    app = App(home)
    with closing(app.store) as store:
        assert store.check() == ()
        (listed,) = store.tossups()
        return store.load(listed.tossup_id).tossup.text


@pytest.mark.logs("not saved yet.*full")
def test_a_full_disk_is_said_and_all_is_saved_once_there_is_room(
    qtbot, small_disk, application, open_window, caplog
):
    window = open_window(application(small_disk), start=False)
    qtbot.keyClicks(window.draft, "A colony")
    qtbot.waitUntil(lambda: window.saver.idle and window.status.saved == "saved")
    fill(small_disk / "filler")

    qtbot.keyClicks(window.draft, " of kings")
    window.draft.insertPlainText(" and queens" * 2_000)  # more than the last page has room for
    qtbot.waitUntil(lambda: "Free some disk space." in window.messages.text("disk"))
    assert window.status.saved == "not saved"
    assert not window.close()
    assert "not on disk yet" in window.messages.text("closing")
    assert "Free some disk space." not in window.messages.text("closing")  # which is said beside it

    (small_disk / "filler").unlink()
    qtbot.keyClicks(window.draft, "!")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    assert window.messages.text("disk") == "Everything is saved again."
    assert window.messages.text("closing") == ""
    assert window.close()
    assert saved(small_disk) == "A colony of kings" + " and queens" * 2_000 + "!"


@pytest.mark.logs("not saved yet.*locked")
def test_while_another_program_holds_the_database_no_key_waits_and_nothing_is_lost(
    qtbot, home, application, open_window, monkeypatch
):
    monkeypatch.setattr("quizwriter.store.database.BUSY_MS", 250)  # or the sentence would come after 10 s
    app = application(home)
    save, writers = app.tossups.save, set()

    def note(saving):
        writers.add(threading.current_thread())
        save(saving)

    monkeypatch.setattr(app.tossups, "save", note)
    window = open_window(app, start=False)
    with closing(sqlite3.connect(home / DATABASE, isolation_level=None)) as other:
        other.execute("begin immediate")
        for word in ("A ", "colony ", "of "):
            qtbot.keyClicks(window.draft, word)
        qtbot.waitUntil(lambda: "close that one" in window.messages.text("disk"))
        qtbot.keyClicks(window.draft, "kings")
        assert window.draft.text == "A colony of kings"  # while the database is held
        other.execute("rollback")
    qtbot.waitUntil(lambda: window.status.saved == "saved")

    assert threading.main_thread() not in writers  # so no key waited for the disk
    assert window.close()
    assert saved(home) == "A colony of kings"


@pytest.mark.logs("not saved yet.*moved or deleted")
@pytest.mark.skipif(sys.platform == "win32", reason="There an open file can be neither moved nor deleted.")
def test_a_home_that_was_deleted_is_a_bar_and_not_a_saved_draft(
    qtbot, home, application, open_window, caplog
):
    window = open_window(application(home), start=False)
    qtbot.keyClicks(window.draft, "A colony")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    shutil.rmtree(home)
    qtbot.keyClicks(window.draft, " of kings")

    qtbot.waitUntil(lambda: "was moved or deleted while it was open" in window.messages.text("disk"))
    assert window.status.saved == "not saved"


@pytest.mark.logs("not saved yet.*moved or deleted")
@pytest.mark.skipif(sys.platform == "win32", reason="There an open file can be neither moved nor deleted.")
def test_closing_says_why_the_last_words_are_not_saved(qtbot, home, application, open_window, caplog):
    window = open_window(application(home), start=False)
    qtbot.keyClicks(window.draft, "A colony")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    shutil.rmtree(home)
    qtbot.keyClicks(window.draft, " of kings")

    assert not window.close()
    assert "was moved or deleted" in window.messages.text("closing")
    assert "disk space" not in window.messages.text("closing")


def test_what_is_typed_after_a_backup_was_restored_elsewhere_is_a_branch(
    qtbot, home, application, open_window
):
    window = open_window(application(home), start=False)
    qtbot.keyClicks(window.draft, "A colony")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    other = application(home)
    backup = other.store.backups.make(BackupReason.REQUESTED).path
    root = window.session.tossup_id
    qtbot.keyClicks(window.draft, " of kings")
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    other.store.restore(backup)

    window.comments.comment()
    window.comments.pane.composer.text.setPlainText("Which one?")
    window.draft.setFocus()
    qtbot.keyClicks(window.draft, " and queens")
    qtbot.waitUntil(lambda: window.session.tossup_id != root and window.status.saved == "saved")
    assert "saved as a second branch" in window.messages.text("parted")
    qtbot.keyClicks(window.draft, " came")
    qtbot.waitUntil(lambda: window.status.saved == "saved")

    texts = {key: other.store.load(key).tossup.text for key in other.store.expand_branches()}
    mine = window.session.tossup_id
    assert texts == {root: "A colony", mine: "A colony of kings and queens came"}
    assert other.store.sibling_branches(root) == (mine,)
    window.sessions.open_saved(root)
    assert window.draft.text == "A colony"
    assert window.comments.pane.composer.text.toPlainText() == "Which one?"
    assert window.close()
    assert other.store.check() == ()


@pytest.mark.logs("not saved yet")
def test_a_bug_while_saving_is_not_called_safe(qtbot, open_window, caplog):
    window = open_window(start=False)
    window.saver._writer._retry.setInterval(20)
    app_of(window).store.savings = None  # so that keeping one is a bug
    qtbot.keyClicks(window.draft, "A colony")

    qtbot.waitUntil(lambda: "The draft is not saved yet" in window.messages.text("disk"))
    assert window.status.saved == "not saved"
    assert window.messages.text("bug") == ""
    app_of(window).store.savings = []
    qtbot.waitUntil(lambda: window.status.saved == "saved")


def test_an_answer_as_long_as_a_book_is_cut_and_that_is_said(qtbot, open_window):
    window = open_window()
    QGuiApplication.clipboard().setText("Madama Butterfly " * 60_000)
    window.answer.line.setFocus()
    qtbot.keyClick(window.answer.line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    assert len(window.session.tossup.answer.line) <= LONGEST
    assert "at most 1,000 characters" in window.messages.text("refused")


def test_a_book_pasted_into_the_draft_is_refused_in_a_bar(qtbot, open_window):
    window = open_window(start=False)
    qtbot.keyClicks(window.draft, "A")
    QGuiApplication.clipboard().setText("This opera. " * 90_000)
    qtbot.keyClick(window.draft, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)

    assert window.draft.text == "A"
    assert "a tossup has at most 20,000" in window.messages.text("paste")


def test_a_second_window_on_the_same_tossups_is_refused_in_a_sentence(qapp, home, application):
    with (
        window_lock(home, ""),
        pytest.raises(QuizwriterError, match="QuizWriter is already open with the tossups in"),
    ):
        run(application(home))


def test_the_lock_of_a_killed_window_on_a_read_only_disk_is_not_taken_for_a_window(small_disk):
    ended = subprocess.Popen(["true"])
    ended.wait()
    (small_disk / "window.lock").write_text(f"{ended.pid}\npython\n{socket.gethostname()}\n")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with window_lock(small_disk, ""), pytest.raises(QuizwriterError, match="read and write"):
        App(small_disk).store.tossups()


def test_a_database_that_cannot_be_used_ends_the_program_in_a_sentence(qapp, home):
    home.mkdir()
    (home / DATABASE).write_bytes(b"garbage" * 1_000)
    with App(home) as app, pytest.raises(QuizwriterError, match="file is not a database"):
        run(app)


def test_settings_that_make_no_sense_are_said_and_left_to_be_corrected(qtbot, home, application, open_window):
    home.mkdir()
    file = home / "settings.toml"
    file.write_text('theme = "dark"\ncolour = 3')
    window = open_window(application(home), start=False)
    assert "colour = 3 makes no sense" in window.messages.text("settings")
    assert window.theme.tokens.page.lower() != "#ffffff"  # what does make sense is in force

    window.appearance.resize_draft(1)
    assert "until you close QuizWriter" in window.messages.text("settings")
    assert file.read_text() == 'theme = "dark"\ncolour = 3'

    file.write_text('theme = "dark"')
    window.appearance.resize_draft(1)
    assert "draft_size_px = 18" in file.read_text()


def test_a_bundle_opens_even_where_that_cannot_be_remembered(qtbot, home, application, open_window, starter):
    home.mkdir()
    (home / "settings.toml").write_text("colour = 3")
    window = open_window(application(home), start=False)
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.engines.use_bundle(starter)

    assert window.windowTitle() == "Starter bundle \u2014 QuizWriter"
    assert "until you close QuizWriter" in window.messages.text("settings")


def test_a_damaged_bundle_is_a_bar(qtbot, home, application, open_window, tmp_path):
    (tmp_path / "manifest.json").write_text("[]")
    window = open_window(application(home, tmp_path), start=False)
    with qtbot.waitSignal(window.analysis_runner.refused):
        window.start()

    assert "is not the manifest of a QuizWriter bundle (" in window.messages.text("bundle")
    (starter,) = [one for one in window.messages.findChildren(QAbstractButton) if "starter" in one.text()]
    with qtbot.waitSignal(window.analysis_runner.loaded):
        starter.click()
    assert window.messages.text("bundle") == ""
    assert window.windowTitle() == "Starter bundle \u2014 QuizWriter"


def test_a_layout_that_makes_no_sense_and_one_of_an_older_version_are_passed_over(
    home, application, open_window
):
    home.mkdir()
    (home / "window.json").write_bytes(b'{"window": "@Variant(\\0\\0\\0\\x7f)"}')
    (home / "window.ini").write_bytes(b'[General]\nwindow="@Variant(\\0\\0\\0\\x13\\xff\\xff\\xff\\xff)"\n')

    assert open_window(application(home), start=False).isVisible()


def test_the_tossup_that_was_open_comes_back_and_the_list_keeps_its_order(
    qtbot, home, application, open_window
):
    first = open_window(application(home), start=False)
    qtbot.keyClicks(first.draft, "older")
    older = first.session.tossup_id
    first.save()
    first.sessions.open_new()
    qtbot.keyClicks(first.draft, "newer")
    first.sessions.open_saved(older)
    qtbot.keyClick(first.draft, Qt.Key.Key_Home)
    assert first.close()

    second = open_window(application(home), start=False)
    assert (second.draft.text, second.draft.cursor_at) == ("older", 0)
    assert [entry.opening for entry in second.tossups._model.entries] == ["newer", "older"]


def test_a_word_in_composition_stays_in_the_tossup_it_is_typed_in(home, application, open_window):
    window = open_window(application(home), start=False)
    QApplication.sendEvent(window.draft, QInputMethodEvent("A colony", []))
    window.sessions.open_new()
    assert window.draft.text == ""
    QApplication.sendEvent(window.draft, QInputMethodEvent("A king", []))
    assert window.close()

    second = open_window(application(home), start=False)
    assert {entry.opening for entry in second.tossups._model.entries} == {"A colony", "A king"}


def test_marks_land_on_their_words_whatever_was_typed_or_pasted(
    qtbot, home, application, open_window, starter
):
    window = open_window(application(home, starter), start=False)
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.start()
    event = QInputMethodEvent()
    event.setCommitString(f"{FAMILY} In Dvor\u030ca\u0301k's day \U0001f3ad, ")
    QApplication.sendEvent(window.draft, event)
    qtbot.keyClicks(window.draft, "a humming chorus is sung while Suzuki sleeps. ")
    QGuiApplication.clipboard().setText(
        "\U0001f3b5 \u05d4\u05d0\u05d5\u05e4\u05e8\u05d4 Sharpless\r\nreads \u202ba letter\u202c to "
        "Cio-Cio-San in this opera by Puccini."
    )
    qtbot.keyClick(window.draft, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.settled)
    text, marks = window.draft.text, window.draft.mark_painter.marks

    def selected(start, end):
        cursor = QTextCursor(window.draft.document())
        cursor.setPosition(Utf16Positions(text).to_qt(start))
        cursor.setPosition(Utf16Positions(text).to_qt(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText()

    cued = {selected(span.start, span.end) for span, _ in marks.cues}
    assert {"humming", "Suzuki", "Sharpless"} <= cued
    assert cued <= set(text.split())
    assert cued <= set(text.split())
    (play,) = window.session.analysis.plays
    assert [mark.at for mark in marks.buzzes] == [play.tossup.words[play.buzz.heard - 1].end]
    assert selected(0, marks.buzzes[0].at).replace("\u2029", "\n").split() == text.split()[: play.buzz.heard]
    qtbot.waitUntil(lambda: window.status.saved == "saved")
    assert window.close()
    assert saved(home) == text
