"""The control arm in the window: nothing of the machines is shown before the tossup is ready."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel

from quizwriter.domain.events import Event
from quizwriter.domain.review import Arm, ArmDrawn, PutInSet, Status
from quizwriter.gui.dialogs.control_arm import ControlArmDialog
from quizwriter.services.wiring import App
from quizwriter.workflow.control_arm import HIDDEN_IN_SHORT, HIDDEN_NOTICE
from quizwriter.workflow.session import PendingSave
from tests.helpers.windows import put_back


@pytest.fixture(scope="module")
def app(tmp_path_factory, starter):
    app = App(tmp_path_factory.mktemp("arms"), starter)
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    yield app
    app.store.close()


@pytest.fixture(scope="module")
def opened(app, open_shared):
    return open_shared(app)


@pytest.fixture
def window(qtbot, opened):
    return put_back(opened, qtbot, right=False)


def empty_tossup(app, arm):
    """The id of an empty tossup that is saved and in ``arm``."""
    app.store.save(PendingSave("drawn", "", None, 0, 1, author="ada"))
    said = (PutInSet("Spring"), ArmDrawn("Spring", arm, 1))
    app.store.add_events([Event.new("drawn", 1, "ada", body) for body in said])
    return "drawn"


@pytest.mark.parametrize("arm", Arm)
def test_a_hidden_tossup_shows_no_guess_until_it_is_ready(qtbot, app, window, arm):
    key = empty_tossup(app, arm)
    window.sessions.open_saved(key)
    qtbot.keyClicks(window.draft, "A sailor leaves Cio-Cio-San in Nagasaki.")
    hidden = arm is Arm.HIDDEN
    qtbot.waitUntil(lambda: window.settled and (hidden or bool(window.time_line.lanes)))

    assert bool(window.time_line.lanes) is not hidden
    assert window.header.arm.isVisible() is hidden
    assert (
        HIDDEN_NOTICE in [label.text() for label in window.guesses.findChildren(QLabel)]
    ) is hidden  # it is said whole once
    assert (window.time_line.message == HIDDEN_IN_SHORT) is hidden
    assert bool(window.status.sentence) is not hidden
    assert bool(window.analysis.current_plays) is not hidden
    if hidden:
        assert window.people.lane.curve is None
        assert window.clues.view.said.text() == HIDDEN_IN_SHORT
        window.what_if.move_easy_clue()
        assert window.messages.text("what if") == HIDDEN_IN_SHORT
        window.what_if.make_first()
        assert window.messages.text("what if") == HIDDEN_IN_SHORT
        window.save()
        qtbot.waitUntil(lambda: window.saver.idle)
        assert app.store.recorded_plays(key) == ()
        assert key not in app.plays.unplayed(window.analysis.engine)
        app.review.set_status([key], Status.READY)
        window.header.refresh()
        qtbot.waitUntil(lambda: bool(window.time_line.lanes))
        assert not window.header.arm.isVisible()


def test_the_dialog_begins_the_arm_and_a_tossup_in_it(qtbot, app, window):
    qtbot.keyClicks(window.draft, "A deep lake.")
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)
    window.menus.actions["control-arm"].trigger()
    qtbot.waitUntil(lambda: "in no set" in window.messages.text("bin"))
    app.store.add_events([Event.new(window.session.tossup_id, 1, "ada", PutInSet("Spring"))])
    window.menus.actions["control-arm"].trigger()
    qtbot.waitUntil(lambda: bool(window.findChildren(ControlArmDialog)))
    (dialog,) = window.findChildren(ControlArmDialog)
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.button.text() == "Start permanently"
    dialog.button.click()
    qtbot.waitUntil(lambda: dialog.button.text() == "New tossup")
    assert "The seed is" in dialog.state.text()
    before = window.session.tossup_id
    dialog.button.click()
    qtbot.waitUntil(lambda: window.session.tossup_id != before)
    assert app.store.review_of(window.session.tossup_id).arm is not None
