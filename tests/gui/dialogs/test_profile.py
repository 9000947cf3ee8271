"""The dialogs of the profile: the name that is asked for, and the file that carries a profile over."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import stop_background
from quizwriter.gui.dialogs.profile import (
    NAME_MISSING,
    PASSPHRASES_DIFFER,
    ProfileController,
    ProfileDialog,
    require_profile,
)
from quizwriter.services.identity import UNSIGNED
from quizwriter.services.wiring import App

PASSPHRASE = "six lanterns over a ferry"


@pytest.fixture
def app(tmp_path):
    app = App(tmp_path / "home")
    yield app
    app.store.close()


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def profiles(app, theme, window):
    controller = ProfileController(app, theme, window)
    yield controller
    stop_background(controller)


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_name_is_needed_and_both_lines_are_saved_without_stray_spaces(qtbot, app, profiles):
    dialog = profiles.open()
    dialog.save()
    assert dialog.message.text() == NAME_MISSING
    assert app.profile.me.name == ""

    dialog.name.setText("  Ada   Novak ")
    dialog.email.setText(" ada@example.org")
    with qtbot.waitSignal(dialog.accepted):
        dialog.save()
    assert (app.profile.me.name, app.profile.me.email) == ("Ada Novak", "ada@example.org")


def test_a_profile_that_cannot_be_saved_stays_in_the_dialog(app, profiles, monkeypatch):
    def refuse(name, email):
        raise QuizwriterError("The disk is full.", "Free some space.")

    monkeypatch.setattr(app.profile, "set_profile", refuse)
    dialog = profiles.open()
    dialog.name.setText("Ada Novak")
    dialog.save()

    assert dialog.isVisible()
    assert dialog.message.text() == "The disk is full. Free some space."
    dialog.reject()


def test_what_needs_a_profile_waits_for_the_name_and_asks_only_once(qtbot, app, theme, window):
    done = []
    require_profile(app, theme, window, done.append)
    (dialog,) = window.findChildren(ProfileDialog)
    assert done == []

    dialog.name.setText("Ada Novak")
    dialog.save()
    assert [person.name for person in done] == ["Ada Novak"]
    require_profile(app, theme, window, done.append)
    assert len(done) == 2


def test_without_a_name_what_needs_one_is_not_done(app, theme, window):
    done = []
    require_profile(app, theme, window, done.append)
    (dialog,) = window.findChildren(ProfileDialog)
    dialog.reject()

    assert done == []


@pytest.fixture
def quick_keys(monkeypatch):
    """Keys are made of passphrases at once; with the program's cost, each takes half a second."""

    def quick(**given):
        return Scrypt(**given | {"n": 2})

    monkeypatch.setattr("cryptography.hazmat.primitives.kdf.scrypt.Scrypt", quick)


@pytest.mark.usefixtures("quick_keys")
def test_a_profile_is_carried_to_another_computer_by_a_file(qtbot, app, profiles, theme, window, tmp_path):
    app.profile.set_profile("Ada Novak", "ada@example.org")
    app.profile.identity.load()
    path = tmp_path / "ada.qwprofile"
    dialog = profiles.export()
    assert not dialog.findChild(QWidget, "primary").isEnabled()
    dialog.passphrase.setText(PASSPHRASE)
    dialog.repeated.setText("another one")
    press(qtbot, dialog.findChild(QWidget, "primary"))
    assert dialog.message.text() == PASSPHRASES_DIFFER

    dialog.repeated.setText(PASSPHRASE)
    dialog.export_to(path)
    qtbot.waitUntil(lambda: not dialog.busy)
    assert str(path) in dialog.message.text()
    assert dialog.passphrase.text() == dialog.repeated.text() == ""
    dialog.reject()

    other = App(tmp_path / "other")
    there = ProfileController(other, theme, window)
    told, imported = [], []
    there.told.connect(lambda *said: told.append(said))
    there.imported.connect(imported.append)
    dialog = there.import_from(path)
    assert not dialog.findChild(QWidget, "primary").isEnabled()
    dialog.passphrase.setText("not the right passphrase")
    dialog.import_file()
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.message.text()
    assert imported == []

    dialog.passphrase.setText(PASSPHRASE)
    with qtbot.waitSignal(there.imported):
        dialog.import_file()
    assert imported[0].id == app.profile.me.id == other.profile.me.id
    assert told == [("You write as Ada Novak on this computer from now on.", True)]
    stop_background(there)
    other.store.close()


def test_a_passphrase_that_is_too_short_leaves_no_file(qtbot, app, profiles, tmp_path):
    app.profile.set_profile("Ada Novak", "")
    app.profile.identity.load()
    dialog = profiles.export()
    dialog.passphrase.setText("x")
    dialog.repeated.setText("x")
    dialog.export_to(tmp_path / "ada.qwprofile")
    qtbot.waitUntil(lambda: not dialog.busy)

    assert dialog.message.text()
    assert not (tmp_path / "ada.qwprofile").exists()
    dialog.reject()


def test_the_file_is_chosen_in_a_dialog_that_knows_the_ending(qtbot, app, profiles, window):
    dialog = profiles.export()
    for line in (dialog.passphrase, dialog.repeated):
        line.setText(PASSPHRASE)
    press(qtbot, dialog.findChild(QWidget, "primary"))
    (chooser,) = dialog.findChildren(QFileDialog)
    assert chooser.defaultSuffix() == "qwprofile"
    chooser.reject()
    dialog.reject()

    profiles.choose_import()
    (chooser,) = window.findChildren(QFileDialog, options=Qt.FindChildOption.FindDirectChildrenOnly)
    assert chooser.fileMode() is QFileDialog.FileMode.ExistingFile
    chooser.reject()


def test_a_computer_that_keeps_no_key_tells_so_and_a_sound_key_is_not_spoken_of(
    qtbot, app, profiles, monkeypatch
):
    told = []
    profiles.told.connect(lambda *said: told.append(said))
    app.profile.set_profile("Ada Novak", "")
    profiles.load_key()
    qtbot.waitUntil(lambda: app.profile.identity.key is not None)
    assert told == []

    def missing(_):
        raise QuizwriterError("Your key is not here.", "Import your profile.")

    monkeypatch.setattr(app.profile.identity, "_found", missing)
    with qtbot.waitSignal(profiles.told):
        profiles.load_key()
    assert told == [(f"{UNSIGNED} Your key is not here. Import your profile.", False)]
