"""People in the window: who a name is, and forgetting somebody while a tossup of hers is open."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.forgotten_names import BLACK
from quizwriter.domain.review import Commented
from quizwriter.gui.dialogs.who_is_who import ForgetDialog
from quizwriter.services.known_people import OUTSIDER
from quizwriter.services.wiring import App
from tests.services.test_known_people import packet

NAME = "Zoltán Quastenberg"


@pytest.fixture
def writer(tmp_path, app):
    """The program of a writer, whose file the editor has received, with a packet in the writer's name."""
    app.profile.set_profile("Ada Example", "ada@example.org")
    app.profile.identity.load()
    made = App(tmp_path / "writer")
    made.profile.set_profile(NAME, "zq@example.org")
    made.transfer.import_files([packet(tmp_path / "theirs.txt", "")])
    made.transfer.pack(tmp_path / "theirs.qwpack")
    app.transfer.merge([tmp_path / "theirs.qwpack"])
    done = app.transfer.import_files([packet(tmp_path / "lakes.txt", "ZQ, Science")])
    app.store.add_events([Event.new(done.added[0], 1, app.profile.me.id, Commented(f"Ask {NAME}."))])
    yield made
    made.store.close()


def rows(dialog):
    return {
        dialog.list.topLevelItem(row).text(0): dialog.list.topLevelItem(row).text(3)
        for row in range(dialog.list.topLevelItemCount())
    }


def select(dialog, name):
    row = list(rows(dialog)).index(name)
    dialog.list.setCurrentItem(dialog.list.topLevelItem(row))


def test_a_name_is_merged_separated_and_the_person_forgotten(qtbot, window, app, writer):
    window.menus.actions["people"].trigger()
    dialog = window.recovery.people_dialog
    qtbot.waitUntil(lambda: not dialog.busy)
    qtbot.keyClicks(window.draft, "Typed beside it. ")
    dialog.changed.emit()
    assert window.draft.text == app.review.tossup(window.session.tossup_id).text == "Typed beside it. "
    assert rows(dialog) == {
        "Ada Example (you)": "signs with a key",
        NAME: "signs with a key",
        "ZQ": "not decided yet",
    }
    select(dialog, "Ada Example (you)")
    assert not dialog.merge_button.isEnabled()
    assert not dialog.forget_button.isEnabled()
    select(dialog, "ZQ")
    assert dialog.into.currentText() == NAME  # whose initials these are
    dialog.merge_button.click()
    qtbot.waitUntil(lambda: rows(dialog).get("ZQ") == f"is {NAME}")
    select(dialog, "ZQ")
    dialog.separate_button.click()
    qtbot.waitUntil(lambda: rows(dialog).get("ZQ") == "not decided yet")
    select(dialog, "ZQ")
    dialog.into.setCurrentText(OUTSIDER)
    assert dialog.merge_button.text() == "Record"
    dialog.merge_button.click()
    qtbot.waitUntil(lambda: rows(dialog).get("ZQ") == "does not use QuizWriter")
    assert "is a writer who does not use QuizWriter on 1 tossup" in dialog.message.text()
    select(dialog, "ZQ")
    dialog.separate_button.click()
    qtbot.waitUntil(lambda: rows(dialog).get("ZQ") == "not decided yet")
    select(dialog, "ZQ")
    dialog.merge_button.click()
    qtbot.waitUntil(lambda: rows(dialog).get("ZQ") == f"is {NAME}")

    select(dialog, NAME)
    dialog.forget_button.click()
    (asked,) = dialog.findChildren(ForgetDialog)
    qtbot.waitUntil(lambda: asked.forget_button.isEnabled())
    assert "2 tossups stay, under a pseudonym." in asked.here.text()
    assert "The name is blacked out in 1 comment or other entry." in asked.here.text()
    assert asked.elsewhere.text().startswith("Packs, packets")
    with qtbot.waitSignal(window.recovery.restored):
        asked.forget_button.click()
    assert "is called Former writer" in asked.message.text()
    assert not window.recovery.busy
    (told,) = [one.body.text for one in app.store.all_events() if isinstance(one.body, Commented)]
    assert told == f"Ask {BLACK * 6} {BLACK * 11}."
    asked.reject()
    qtbot.waitUntil(lambda: not dialog.busy and NAME not in rows(dialog))
    dialog.reject()


def test_who_stops_before_the_end_forgets_nobody(qtbot, window, app, writer):
    window.recovery.open_people()
    dialog = window.recovery.people_dialog
    qtbot.waitUntil(lambda: not dialog.busy)
    select(dialog, NAME)
    dialog.forget()
    (asked,) = dialog.findChildren(ForgetDialog)
    qtbot.waitUntil(lambda: not asked.busy)
    asked.reject()
    assert NAME in {person.name for person in app.store.people().values()}
    dialog.reject()
