"""The window that exports a challenge set."""

from __future__ import annotations

import json
import sys
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QSpinBox, QWidget

import quizwriter.engine.player_processes
from quizwriter.challenge.metadata import SetMetadata, metadata_path
from quizwriter.challenge.name_decisions import NameGroup
from quizwriter.challenge.name_search import NameMatch
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.domain.events import Event
from quizwriter.domain.page import Page
from quizwriter.domain.review import (
    Commented,
    Consent,
    ConsentGiven,
    NameVerdict,
    PutInSet,
    Status,
    StatusSet,
)
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.player_processes import batch_players
from quizwriter.gui.dialogs.challenge import ChallengeDialog
from quizwriter.gui.dialogs.release_texts import NamesDialog, RemarksDialog
from quizwriter.gui.review.status_dialog import StatusDialog
from quizwriter.gui.theme import SYSTEM_FONT, Theme
from quizwriter.services.review import PlannedStatus
from quizwriter.services.wiring import App
from quizwriter.workflow.checks import Check, check_titles
from quizwriter.workflow.session import PendingSave
from tests.helpers.forest import in_the_forest
from tests.helpers.patience import hurried


@pytest.fixture(scope="module", autouse=True)
def _hurried():
    with hurried("dialogs.challenge.PREVIEW_DELAY_MS"):
        yield


@pytest.fixture
def app(tmp_path, starter):
    """An application with three accepted tossups of mine: one was not asked for, one is of another set."""
    made = App(tmp_path / "home", starter)
    made.profile.set_profile("Ada Novak", "ada@example.org")
    for key, consent in (("a", Consent.YES), ("b", Consent.NOT_ASKED), ("c", Consent.YES)):
        accepted(made, key, consent)
    yield made
    made.store.close()


def accepted(app, key, consent):
    """Put a tossup of mine that was accepted into the database."""
    text = f"This author wrote book {key}{key}{key} of poems. For 10 points, name this author."
    app.store.save(
        PendingSave.begun(key, text, Answer("Jane Austen", Page("Jane_Austen")), 1, app.profile.me.id)
    )
    bodies = [StatusSet(Status.ACCEPTED), PutInSet("Spring" if key != "c" else "Winter")]
    bodies += [ConsentGiven(consent)] if consent is Consent.YES else []
    app.store.add_events(Event.new(key, 2, app.profile.me.id, body) for body in bodies)


@pytest.fixture
def opened(app, qtbot, qapp, collecting_here):
    """Opens the dialog; it is closed when the test ends."""
    dialogs = []

    def open_one():
        engine = app.engines.load()
        theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=16)
        dialog = ChallengeDialog(app, theme, lambda: engine)
        dialogs.append((dialog, theme))
        dialog.show()
        qtbot.waitUntil(lambda: bool(dialog.counted.text()))
        qapp.processEvents()  # and laid out anew
        return dialog

    yield open_one
    for dialog, _ in dialogs:
        if not dialog.closed:
            dialog.done(0)


def exported(qtbot, dialog, folder):
    dialog.export_to(folder)
    qtbot.waitUntil(lambda: not dialog.busy)
    return dialog.message.text()


@pytest.fixture
def large_letters(qapp):
    """The system's letters at one and a half of their size, for themes that are made meanwhile."""
    before, kept = qapp.font(), qapp.property(SYSTEM_FONT)
    font = QFont(before)
    font.setPointSizeF(before.pointSizeF() * 1.5)
    qapp.setProperty(SYSTEM_FONT, None)
    qapp.setFont(font)
    yield
    qapp.setProperty(SYSTEM_FONT, kept)  # or the windows of all later tests would have the large letters
    qapp.setFont(before)


def test_no_label_is_cut_where_letters_are_large(large_letters, opened):
    dialog = opened()
    assert dialog.width() == 900
    for child in dialog.findChildren(QWidget):
        if child.isVisible():
            assert not cut(child), (child, getattr(child, "placeholderText", str)(), child.accessibleName())


def test_no_label_of_the_checks_is_cut_where_letters_are_large(large_letters, qtbot, theme):
    dialog = StatusDialog(theme, Status.READY, {"a": "Johannes Brahms"}, explain=False)
    qtbot.addWidget(dialog)
    dialog.show()
    told = "What was found is said here in a sentence of some length, which goes on for a second line."
    checks = tuple(Check(name, number % 2 == 0, told) for number, name in enumerate(check_titles()))
    dialog.show_plan({"a": PlannedStatus(Status.DRAFT, (Status.READY,), "", checks)})
    qtbot.waitUntil(lambda: len(dialog.findChildren(QLineEdit)) > 3)

    assert dialog.width() <= 900
    labels = [label for label in dialog.findChildren(QLabel) if label.text() in check_titles().values()]
    assert len(labels) == len(check_titles())
    for child in dialog.findChildren(QWidget):
        if child.isVisible():
            assert not cut(child), (child, getattr(child, "placeholderText", str)(), child.accessibleName())


def cut(widget):
    """Whether not all of the text of ``widget`` is in sight."""
    metrics, room = widget.fontMetrics(), widget.contentsRect().width()
    if isinstance(widget, QLabel):
        if widget.wordWrap():
            return widget.heightForWidth(widget.width()) > widget.height()
        return widget.sizeHint().width() > widget.width()
    if isinstance(widget, QAbstractButton | QComboBox | QSpinBox):
        return bool(widget.sizeHint().width() > widget.width())
    if isinstance(widget, QLineEdit) and not isinstance(widget.parent(), QSpinBox):
        return metrics.horizontalAdvance(widget.placeholderText()) > room - 16
    return False


def test_it_says_what_would_go_in_and_exports_it(app, opened, qtbot, tmp_path):
    dialog = opened()
    assert dialog.counted.text().startswith("2 tossups can be released. Left out: the writer was not asked")

    player = dialog.stumps.tree.topLevelItem(0)
    player.setCheckState(0, Qt.CheckState.Checked)
    qtbot.waitUntil(lambda: dialog.counted.text().startswith("At most 2 tossups can"))
    player.setCheckState(0, Qt.CheckState.Unchecked)
    dialog.set.setCurrentIndex(dialog.set.findData("Winter"))
    dialog.title.setText("Winter set")
    dialog.answers["funding"].setPlainText("Nobody.")
    qtbot.waitUntil(lambda: dialog.counted.text().startswith("1 tossup can"))
    said = exported(qtbot, dialog, tmp_path / "out")

    assert said.startswith("1 question released")
    assert [
        row["tossup_id"] for row in json.loads((tmp_path / "out/questions.json").read_bytes())["quizwriter"]
    ] == [Pseudonyms.load(app.home / "pseudonyms.key").of_question("c")]
    kept = SetMetadata.read(metadata_path(app.home))
    assert (kept.title, kept.answers["funding"]) == ("Winter set", "Nobody.")
    again = opened()  # what was asked once is not asked again
    assert again.title.text() == "Winter set"
    assert again.answers["funding"].toPlainText() == "Nobody."


def test_a_writer_allows_the_release_of_what_is_theirs(app, opened, qtbot):
    dialog = opened()
    qtbot.waitUntil(lambda: dialog.allow_mine.isVisible())
    assert "1 tossup of mine" in dialog.allow_mine.text()
    dialog.allow_mine.click()

    qtbot.waitUntil(lambda: dialog.counted.text().startswith("3 tossups can be released."))
    qtbot.waitUntil(lambda: not dialog.allow_mine.isVisible())


def test_a_name_stops_the_export_until_the_editor_says_that_it_means_somebody_else(
    app, opened, qtbot, tmp_path
):
    app.store.add_events([Event.new("a", 5, app.profile.me.id, PutInSet("Novak Memorial"))])
    dialog = opened()
    assert exported(qtbot, dialog, tmp_path / "out").startswith("Nothing was exported")
    names = dialog.findChild(NamesDialog)
    (item,) = (names.tree.topLevelItem(at) for at in range(names.tree.topLevelItemCount()))
    assert [item.text(at) for at in range(3)] == ["Novak", "Ada Novak", "the set of “Jane Austen”"]
    assert names.counted.text() == "0 of 1 name decided."
    names.buttons[NameVerdict.ANOTHER_PERSON].click()

    assert (item.text(4), names.counted.text()) == ("Another person", "1 of 1 name decided.")
    names.findChild(QAbstractButton, "primary").click()
    qtbot.waitUntil(lambda: (tmp_path / "out").exists() and not dialog.busy)

    assert "2 questions released" in dialog.message.text()
    assert exported(qtbot, dialog, tmp_path / "again").startswith("2 questions released")


def test_names_are_shown_with_their_decisions_before_an_export(app, opened, qtbot):
    app.store.add_events([Event.new("a", 5, app.profile.me.id, PutInSet("Novak Memorial"))])
    dialog = opened()
    qtbot.waitUntil(dialog.export_button.isEnabled)
    for shown, verdict in ((""), NameVerdict.NEVER_RELEASE), ("Never release", NameVerdict.THIS_PERSON):
        dialog.names_button.click()
        qtbot.waitUntil(lambda: dialog.findChild(NamesDialog) is not None and not dialog.busy)
        names = dialog.findChild(NamesDialog)
        assert names.tree.topLevelItem(0).text(4) == shown
        names.buttons[verdict].click()
        names.findChild(QAbstractButton, "primary").click()
        qtbot.waitUntil(lambda: dialog.findChild(NamesDialog) is None and not dialog.busy)


def test_the_words_around_a_name_are_shown_whole(qapp, qtbot):
    words = "…start fires in Vietnam. Jon Novak wrote this one…"
    group = NameGroup((NameMatch("Jon Novak", "Jon Novak", "the text of “napalm”", words, False, "k"),))
    dialog = NamesDialog(Theme(qapp, scheme="light", draft_font="", draft_size_px=16), [group], "Keep")
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    assert dialog.tree.sizeHintForColumn(3) <= dialog.tree.columnWidth(3)
    before = dialog.tree.columnWidth(3)
    dialog.resize(dialog.width() + 200, dialog.height())
    qtbot.waitUntil(lambda: dialog.tree.columnWidth(3) == before + 200)


def test_comments_are_shown_by_person_before_they_are_released(app, opened, qtbot, tmp_path, monkeypatch):
    app.store.add_events([Event.new("a", 5, app.profile.me.id, Commented("Is <b>this</b> unique?"))])
    dialog = opened()
    asked = []
    monkeypatch.setattr(dialog, "_choose_folder", lambda: asked.append(dialog.metadata.remarks))
    dialog.export_button.click()
    assert asked == [False]

    dialog.remarks.setChecked(True)
    dialog.export_button.click()
    qtbot.waitUntil(lambda: dialog.findChild(RemarksDialog) is not None and not dialog.busy)
    shown = dialog.findChild(RemarksDialog)
    text = shown.texts.toPlainText()
    assert text == "Ada Novak (1)\n\nComment on Jane Austen:\nIs <b>this</b> unique?"
    assert asked == [False]
    shown.findChild(QAbstractButton, "primary").click()

    assert asked == [False, True]


def test_stopping_leaves_no_folder(opened, qtbot, tmp_path):
    dialog = opened()
    dialog.export_to(tmp_path / "out")
    dialog.close_button.click()
    qtbot.waitUntil(lambda: not dialog.busy)

    assert "stopped" in dialog.message.text()
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []


def test_closing_while_it_exports_leaves_no_folder(opened, qtbot, tmp_path):
    dialog = opened()
    dialog.export_to(tmp_path / "out")
    dialog.done(0)  # waits for the step that is being done

    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []


def test_a_draft_is_played_while_an_export_waits_for_a_player(
    qtbot, theme, tmp_path, forest, collecting_here, monkeypatch
):
    """The process that plays for the export never answers; the one that plays the draft does."""
    note = tmp_path / "started"
    code = f"import pathlib, time; pathlib.Path({str(note)!r}).touch(); time.sleep(600)"
    command = (sys.executable, "-c", code)
    monkeypatch.setattr(
        quizwriter.engine.player_processes, "batch_players", partial(batch_players, command=command)
    )
    app = App(tmp_path / "home", forest[0])
    app.engines.uses_player_processes = True
    accepted(app, "a", Consent.YES)
    engine = app.engines.load()
    dialog = ChallengeDialog(app, theme, lambda: engine)
    dialog.show()
    dialog.export_to(tmp_path / "out")
    qtbot.waitUntil(note.exists)

    draft = Tossup(in_the_forest("Alder", 60), Answer("Alder", Page("Alder")))
    for player in engine.players:
        assert player.play(draft).rows
    assert dialog.busy
    dialog.close_button.click()
    qtbot.waitUntil(lambda: not dialog.busy)

    assert dialog.message.text().startswith("The export was stopped; no folder was made.")
    assert not (tmp_path / "out").exists()
    dialog.done(0)
    app.close()
    app.store.close()


def test_the_main_window_asks_for_consent_and_opens_it(app, open_window, qtbot):
    window = open_window(app)
    window.sessions.open_saved("b")
    window.menus.actions["consent:yes"].trigger()
    qtbot.waitUntil(lambda: fold_events(app.store.events("b")).consent is Consent.YES)

    window.menus.actions["export-challenge"].trigger()
    dialog = window.windows.find("export-challenge")
    qtbot.waitUntil(lambda: dialog.counted.text().startswith("3 tossups can"))
    dialog.close()
    assert window.windows.find("export-challenge") is None


def test_an_editors_file_that_makes_no_sense_is_told_and_the_window_opens(app, opened):
    metadata_path(app.home).write_text("licence = 'mine'", encoding="utf-8")
    dialog = opened()

    assert "challenge.toml" in dialog.message.text()


def test_who_looks_after_the_set_is_asked_once_and_the_next_version_is_numbered(app, opened, qtbot, tmp_path):
    dialog = opened()
    dialog.maintainer.setText("The office of the set")
    dialog.contact.setText("https://example.org/contact")
    assert "version 1.0" in exported(qtbot, dialog, tmp_path / "one")
    dialog.done(0)

    again = opened()
    assert (again.maintainer.text(), again.contact.text()) == (
        "The office of the set",
        "https://example.org/contact",
    )
    again.continue_from(str(tmp_path / "one"))
    qtbot.waitUntil(lambda: again.version.text() == "1.1")
    assert "version 1.1" in exported(qtbot, again, tmp_path / "two")
    citation = (tmp_path / "two/CITATION.cff").read_text(encoding="utf-8")
    assert 'name: "The office of the set"' in citation
    again.continue_from(str(tmp_path / "nothing"))
    qtbot.waitUntil(lambda: "not a challenge set" in again.message.text())


def test_the_questions_of_the_data_sheet_follow_another_theme(opened, qtbot):
    dialog = opened()
    answer = next(iter(dialog.answers.values()))
    light = answer.grab().toImage().pixelColor(answer.width() // 2, answer.height() // 2)
    assert light.lightness() > 200

    dialog._theme.use_theme("dark")
    dark = answer.grab().toImage().pixelColor(answer.width() // 2, answer.height() // 2)
    assert dark.lightness() < 60
    dialog._theme.use_theme("light")
