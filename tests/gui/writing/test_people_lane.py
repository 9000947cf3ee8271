"""The people's lane: what it paints and says, and the dialog that fills it."""

from __future__ import annotations

from contextlib import closing

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QTextCursor

from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.services.recorded_rooms import RecordedRooms
from quizwriter.store.store import Store
from quizwriter.workflow.people_curve import PeopleCurve
from quizwriter.workflow.people_rooms import BuzzFit, PeopleBuzz, PlacedBuzz
from tests.helpers.fakes import DRAFT, FakeApp

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))
WORDS = len(Tossup(DRAFT).words)


def wrong(word, answer):
    return PeopleBuzz(PlacedBuzz(BuzzFit.FITS, word), False, True, (answer,), "p0")


class FakeRooms:
    """Rooms of people without a disk."""

    def __init__(self):
        self.found = PeopleCurve(
            WORDS, (0.0,) * (WORDS - 1) + (1.0,), True, 6, buzzes=(wrong(3, "Tosca & <b>La bohème</b>"),)
        )
        self.asked = 0

    def curve(self, key, tossup):
        self.asked += 1
        return self.found


@pytest.fixture
def app(tmp_path):
    app = FakeApp(tmp_path)
    app.settings = replace(app.settings, shows_people_lane=True)
    app.recorded_rooms = FakeRooms()
    return app


@pytest.fixture
def window(app, open_window, qtbot):
    window = open_window(app, tossup=Tossup(DRAFT, BUTTERFLY), persistent=False)
    qtbot.waitUntil(lambda: window.people.lane.curve is not None)
    return window


def colours(lane):
    image = lane.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(image.height())}


def test_the_lane_tells_recorded_from_predicted(window, app, qtbot):
    lane = window.people.lane
    assert lane.isVisible()
    assert lane.caption == "recorded, 6 rooms"
    assert "recorded in 6 rooms" in lane.accessibleDescription()
    recorded, height = colours(lane), lane.height()
    app.recorded_rooms.found = replace(
        app.recorded_rooms.found, recorded=False, buzzes=(), basis="It is a mean."
    )
    window.people.read()
    qtbot.waitUntil(lambda: lane.caption == "predicted")
    assert lane.accessibleDescription().startswith("People, predicted: ")
    assert lane.height() == height
    assert recorded != colours(lane)


def test_an_early_curve_does_not_cross_the_caption(window, app, qtbot):
    def painted(shares):
        app.recorded_rooms.found = replace(app.recorded_rooms.found, shares=shares, buzzes=())
        window.people.read()
        qtbot.waitUntil(lambda: window.people.lane.curve.shares == shares)
        return window.people.lane.grab().toImage()

    lane = window.people.lane
    low, early = painted((0.0,) * WORDS), painted((0.5,) * WORDS)
    begin, middle = round(window.time_line.box(0, 1).left()), lane.height() // 2
    wide = lane.fontMetrics().horizontalAdvance(lane.caption) // 2
    caption = [(x, y) for x in range(begin + 6, begin + wide) for y in range(middle - 3, middle + 4)]
    assert {early.pixelColor(*at).name() for at in caption} == {low.pixelColor(*at).name() for at in caption}
    assert early != low


def test_the_lane_follows_typing_and_can_be_hidden(window, app, qtbot):
    asked = app.recorded_rooms.asked
    window.draft.setFocus()
    qtbot.keyClicks(window.draft, "x ")
    qtbot.waitUntil(lambda: app.recorded_rooms.asked > asked)
    window.menus.actions["people-lane"].trigger()
    assert not window.people.lane.isVisible()
    assert not app.settings.shows_people_lane


def test_a_predicted_curve_waits_until_the_tossup_asks(app, open_window, qtbot, tmp_path):
    with closing(Store(tmp_path / "rooms.db")) as store:
        app.recorded_rooms = rooms = RecordedRooms(store, app)
        read, found = rooms.curve, {}
        rooms.curve = lambda key, tossup: found.setdefault(tossup.text, read(key, tossup))
        window = open_window(app, tossup=Tossup("This lake is deep", BUTTERFLY))
        window.draft.setFocus()
        window.draft.moveCursor(QTextCursor.MoveOperation.End)
        lane = window.people.lane

        qtbot.keyClicks(window.draft, ". It is long.")
        qtbot.waitUntil(lambda: "This lake is deep. It is long." in found)
        qtbot.keyClicks(window.draft, " Name this lake.")
        qtbot.waitUntil(lambda: lane.caption == "predicted")

    assert [curve is not None for curve in found.values()] == [False, False, True]


def test_a_curve_that_is_hidden_stays_hidden(window, qtbot):
    window.people.hide_curve(hidden=True)
    qtbot.waitUntil(lambda: window.people.lane.curve is None)
    window.people.hide_curve(hidden=False)
    qtbot.waitUntil(lambda: window.people.lane.curve is not None)


def test_a_wrong_answer_goes_into_the_answer_line_in_one_step_of_its_undo(window):
    line = window.answer.line
    before = line.text()
    window.menus.actions["people-answers"].trigger()
    offers = [action for action in window.people.lane.menu.actions() if not action.isSeparator()]
    assert [one.text() for one in offers] == [
        f"{what} “Tosca && <b>La bohème</b>” in the answer line" for what in ("Accept", "Prompt on", "Reject")
    ]
    offers[1].trigger()
    assert line.text() == f"{before} [prompt on Tosca & b La bohème /b]"
    line.undo()
    assert line.text() == before


def test_without_wrong_answers_the_action_says_so(window, app, qtbot):
    app.recorded_rooms.found = replace(app.recorded_rooms.found, buzzes=())
    window.people.read()
    qtbot.waitUntil(lambda: not window.people.lane.curve.buzzes)
    window.menus.actions["people-answers"].trigger()
    assert "No wrong answers of people" in window.messages.text("people")
