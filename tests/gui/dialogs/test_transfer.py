"""Sending and receiving tossups in the window, on real databases."""

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import Person, Status, StatusSet
from quizwriter.gui.application import make_window
from quizwriter.gui.dialogs.profile import NAME_MISSING, ProfileDialog
from quizwriter.gui.dialogs.transfer import SendDialog
from quizwriter.services.wiring import App
from quizwriter.store.merging import MergeOutcome
from tests.helpers.made_histories import fill
from tests.helpers.patience import PATIENCE_MS


@pytest.fixture
def apps(tmp_path):
    """Two machines that have the same three tossups."""
    made = [App(tmp_path / name) for name in ("ours", "theirs")]
    fill(made[0].store, 3, seed=8, reviewed=False)
    for app, name in zip(made, ("Ada", "Ben"), strict=True):
        app.profile.set_profile(name, "")
    made[0].transfer.pack(tmp_path / "all.qwpack")
    made[1].transfer.merge([tmp_path / "all.qwpack"])
    yield made
    for app in made:
        app.store.close()


@pytest.fixture
def window(qtbot, qapp, apps, collecting_here):
    opened = make_window(apps[0], qapp)
    opened.show()
    qtbot.waitExposed(opened)
    yield opened
    opened.close()
    opened.deleteLater()


def write(app, key, more):
    session = app.tossups.session(key)
    session.type(session.tossup.text + more)
    app.store.save(session.take_unsaved())


def packed(app, tmp_path, name="from.qwpack"):
    app.transfer.pack(tmp_path / name)
    return tmp_path / name


def received(qtbot, window, *paths):
    dialog = window.windows.transfer.receive(paths)
    qtbot.waitUntil(lambda: not dialog.busy)
    return dialog


def test_what_was_received_is_told_and_listed(qtbot, window, apps, tmp_path):
    fill(apps[1].store, 1, seed=9, prefix="new", reviewed=False)
    write(apps[1], "made000001", " More.")
    dialog = received(qtbot, window, packed(apps[1], tmp_path))

    assert dialog.message.text() == (
        "4 tossups received: 1 new, 1 updated and 2 already here.\nVerified: 1 edit. Unsigned: 169 edits."
    )
    assert {dialog.list.topLevelItem(row).text(1) for row in range(2)} == {"new", "updated"}
    assert len(window._app.store.tossups()) == 4
    dialog.close()


def test_the_draft_on_screen_goes_on_as_it_was_received(qtbot, window, apps, tmp_path):
    key = window.session.tossup_id
    write(apps[1], key, " Theirs.")
    received(qtbot, window, packed(apps[1], tmp_path)).close()

    assert window.session.tossup_id == key
    assert window.draft.text.endswith(" Theirs.")
    window.draft.insertPlainText("Ours. ")
    window.save()
    assert window.saver.flush(PATIENCE_MS)
    assert "Ours. " in apps[0].store.load(key).tossup.text


def test_what_a_pack_changes_of_an_accepted_tossup_is_told_and_marked(qtbot, window, apps, tmp_path):
    key = window.session.tossup_id
    window._app.store.add_events([Event.new(key, 1, "ben", StatusSet(Status.ACCEPTED))])
    write(apps[1], key, " Theirs.")
    dialog = received(qtbot, window, packed(apps[1], tmp_path))

    assert "1 accepted tossup was changed elsewhere and will not be released" in dialog.message.text()
    assert dialog.list.topLevelItem(0).text(1) == "updated, to be accepted again"
    assert window.header.status_chip.full_text == "Accepted, changed"
    assert "unlock it and accept it again" in window.header.status_chip.toolTip()
    dialog.close()


def test_what_was_typed_just_now_is_kept_where_others_typed_too(qtbot, window, apps, tmp_path):
    key = window.session.tossup_id
    write(apps[1], key, " Theirs.")  # the earlier edit, which does not take our id
    window.draft.moveCursor(window.draft.textCursor().MoveOperation.Start)
    window.draft.insertPlainText("Ours. ")
    dialog = received(qtbot, window, packed(apps[1], tmp_path))

    assert "1 edited in two places" in dialog.message.text()
    assert window.session.tossup_id == key
    assert window.draft.text.startswith("Ours. ")
    (other,) = apps[0].store.sibling_branches(key)
    assert apps[0].store.load(other).tossup.text.endswith(" Theirs.")
    assert apps[0].store.check() == ()
    dialog.close()


def test_a_bad_pack_is_said_and_the_window_goes_on(qtbot, window, tmp_path):
    bad = tmp_path / "bad.qwpack"
    bad.write_bytes(b"nothing")
    dialog = received(qtbot, window, bad)

    assert f"{bad} is not a pack" in dialog.message.text()
    dialog.close()
    window.draft.insertPlainText("Ours. ")
    window.save()
    assert window.saver.flush(PATIENCE_MS)
    assert "Ours. " in apps_text(window)


def apps_text(window):
    return window._app.store.load(window.session.tossup_id).tossup.text


def test_the_tossup_on_screen_can_be_sent(qtbot, window, apps, tmp_path):
    window.menus.actions["send"].trigger()
    (dialog,) = [one for one in window.findChildren(SendDialog) if one.isVisible()]
    qtbot.waitUntil(lambda: dialog.which.count() == 2)
    dialog.pack(tmp_path / "one.qwpack")
    qtbot.waitUntil(lambda: not dialog.busy)

    assert dialog.message.text() == f"1 tossup packed into {tmp_path / 'one.qwpack'}."
    assert set(apps[1].transfer.merge([tmp_path / "one.qwpack"]).outcomes.values()) == {
        MergeOutcome.UNCHANGED
    }
    dialog.close()


def test_everything_can_be_sent(qtbot, window, apps, tmp_path):
    written = {one.tossup_id for one in apps[0].tossups.summaries()}
    window.menus.actions["send"].trigger()
    (dialog,) = [one for one in window.findChildren(SendDialog) if one.isVisible()]
    qtbot.waitUntil(lambda: dialog.which.count() == 2)
    assert dialog.which.itemText(1).startswith("Everything: ")
    dialog.which.setCurrentIndex(1)
    dialog.pack(tmp_path / "all.qwpack")
    qtbot.waitUntil(lambda: not dialog.busy)

    assert set(apps[1].transfer.merge([tmp_path / "all.qwpack"]).outcomes) == written
    dialog.close()


def test_a_pack_that_cannot_be_written_is_said(qtbot, window, tmp_path):
    window.menus.actions["send"].trigger()
    (dialog,) = [one for one in window.findChildren(SendDialog) if one.isVisible()]
    dialog.pack(tmp_path / "no" / "one.qwpack")
    qtbot.waitUntil(lambda: not dialog.busy)

    assert "could not be written" in dialog.message.text()
    dialog.close()


def test_who_writes_here_is_asked_once_when_it_is_first_needed(qtbot, window, apps):
    from quizwriter.gui.dialogs.profile import require_profile

    window.appearance.save_settings(profile_name="")
    known = []
    require_profile(apps[0], window.theme, window, known.append)
    (dialog,) = window.findChildren(ProfileDialog)
    dialog.save()
    assert dialog.message.text() == NAME_MISSING
    dialog.name.setText("  Ada  Novak ")
    dialog.email.setText("ada@example.org")
    dialog.save()
    require_profile(apps[0], window.theme, window, known.append)

    me = Person(apps[0].profile.settings.profile_id, "Ada Novak", "ada@example.org")
    assert known == [me, me]
    assert apps[0].store.people()[me.id].name == "Ada Novak"
    assert window.session.author == me.id


def test_who_writes_here_is_the_same_person_in_the_next_run(tmp_path):
    first = App(tmp_path).profile.me
    assert first.id
    assert App(tmp_path).profile.me == first
