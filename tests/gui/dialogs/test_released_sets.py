"""The dialogs on released challenge sets: one is verified, and questions of it are withdrawn."""

from __future__ import annotations

import json

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from quizwriter.challenge.export import export
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.selection import Selection
from quizwriter.domain.events import Event
from quizwriter.domain.page import Page
from quizwriter.domain.review import Consent, ConsentGiven, Status, StatusSet
from quizwriter.domain.tossup import Answer
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.released_sets import NO_RELEASE, RetractDialog, VerifyDialog
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave

LINES = {
    "a": "A lantern on a cold pier opens the first novel of this author.",
    "b": "A heroine of this author counts nineteen umbrellas.",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory, starter):
    """An application with two tossups that were released, and the folder of the release."""
    folder = tmp_path_factory.mktemp("released")
    app = App(folder / "home", starter)
    app.profile.set_profile("Ada Novak", "ada@example.org")
    me = app.profile.me.id
    for key, line in LINES.items():
        text = f"{line} For 10 points, name this author of Emma."
        app.store.save(PendingSave.begun(key, text, Answer("Jane Austen", Page("Jane_Austen")), 1, me))
        app.store.add_events(
            Event.new(key, 2, me, body) for body in (StatusSet(Status.ACCEPTED), ConsentGiven(Consent.YES))
        )
    export(app, folder / "set", Selection(), SetMetadata("Spring"))
    yield app, folder / "set"
    app.store.close()


@pytest.fixture
def opened(qtbot, theme):
    """Shows a dialog of this kind and waits until it is ready; it is closed when the test ends."""
    jobs, dialogs = Jobs("test"), []

    def open_one(kind, app, *given):
        dialog = kind(app, theme, jobs, *given)
        dialogs.append(dialog)
        dialog.show()
        qtbot.waitUntil(lambda: not dialog.busy)
        return dialog

    yield open_one
    for dialog in dialogs:
        if shiboken6.isValid(dialog):
            dialog.done(0)
    jobs.stop()


def lines(dialog):
    """The headings of the report, and the lines below each."""
    tops = [dialog.list.topLevelItem(at) for at in range(dialog.list.topLevelItemCount())]
    return {top.text(0): [top.child(at).text(0) for at in range(top.childCount())] for top in tops}


def item(dialog, words):
    (found,) = [
        dialog.list.topLevelItem(at)
        for at in range(dialog.list.topLevelItemCount())
        if words in dialog.list.topLevelItem(at).text(2)
    ]
    return found


def test_a_sound_set_has_no_problem_and_its_report_can_be_copied(home, opened):
    app, folder = home
    dialog = opened(VerifyDialog, app, [folder])

    assert dialog.message.text() == "No problem was found."
    (heading,) = lines(dialog)
    assert heading == f"Verified: {len(lines(dialog)[heading])}"
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text().splitlines() == lines(dialog)[heading]


def test_a_set_that_was_changed_lists_its_problems_first(home, opened, tmp_path):
    app, folder = home
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    rows = json.loads((tmp_path / "questions.json").read_bytes())
    rows["questions"][0]["text"] += " And more."
    (tmp_path / "questions.json").write_text(json.dumps(rows), encoding="utf-8")
    dialog = opened(VerifyDialog, app, [tmp_path])

    first = next(iter(lines(dialog)))
    assert first.startswith("Problems: ")
    assert any("questions.json" in line for line in lines(dialog)[first])
    assert "found." in dialog.message.text()
    assert dialog.message.text() != "No problem was found."


def test_a_folder_without_a_set_says_so(home, opened, tmp_path):
    dialog = opened(VerifyDialog, home[0], [tmp_path])

    assert dialog.message.text()
    assert not dialog.copy_button.isEnabled()


def test_of_several_folders_each_is_verified_and_one_without_a_set_stops_no_other(home, opened, tmp_path):
    app, folder = home
    dialog = opened(VerifyDialog, app, [tmp_path, folder])

    headings = list(lines(dialog))
    assert headings[0] == f"Problems in {tmp_path.name}: 1"
    assert headings[1].startswith(f"Verified in {folder.name}: ")
    assert dialog.message.text() == "1 problem found."


def test_folders_of_one_name_are_told_apart_by_their_paths(home, opened, tmp_path):
    folders = [tmp_path / part / "set" for part in ("first", "second")]
    dialog = opened(VerifyDialog, home[0], folders)

    assert list(lines(dialog)) == [f"Problems in {folder}: 1" for folder in folders]


def test_questions_are_found_ticked_and_withdrawn_in_a_new_version(qtbot, home, opened, tmp_path):
    app, folder = home
    dialog = opened(RetractDialog, app, ["a"])
    assert str(folder) in dialog.releases.currentText()
    assert dialog.list.topLevelItemCount() == len(LINES)
    assert item(dialog, "lantern").checkState(0) is Qt.CheckState.Checked
    assert item(dialog, "umbrellas").checkState(0) is Qt.CheckState.Unchecked
    assert dialog.retract_button.text() == "Withdraw 1 question…"
    assert not dialog.retract_button.isEnabled()

    dialog.search.setText("umbrellas AUSTEN")
    assert item(dialog, "lantern").isHidden()
    assert not item(dialog, "umbrellas").isHidden()
    dialog.reason.setText("The clue is wrong.")
    assert dialog.retract_button.isEnabled()
    dialog.retract_button.click()
    (chooser,) = dialog.findChildren(QFileDialog)
    chooser.reject()

    (withdrawn,) = dialog.ticked
    dialog.retract_to(tmp_path / "next")
    qtbot.waitUntil(lambda: dialog.message.text().startswith("1 question withdrawn."))
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.releases.currentData() == str(tmp_path / "next")
    assert item(dialog, "lantern").text(0) == f"{withdrawn} (withdrawn)"
    assert dialog.ticked == ()
    assert not dialog.retract_button.isEnabled()
    assert app.set_log.releases()[-1].reason == "The clue is wrong."


def test_without_a_release_it_asks_for_a_folder(opened, tmp_path):
    app = App(tmp_path / "home")
    dialog = opened(RetractDialog, app)

    assert dialog.message.text() == NO_RELEASE
    assert dialog.retract_button.text() == "Withdraw…"
    assert not dialog.retract_button.isEnabled()
    app.store.close()
