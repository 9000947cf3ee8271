"""The column of the open tossup in windows of several heights."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from quizwriter.domain.tossup import Tossup
from tests.helpers.fakes import DRAFT, FakeApp
from tests.helpers.windows import put_back


@pytest.fixture(scope="module")
def opened(open_shared, tmp_path_factory):
    app = FakeApp(tmp_path_factory.mktemp("column"))
    app.settings = replace(app.settings, shows_clue_strip=True, shows_people_lane=True)
    app.recorded_rooms = SimpleNamespace(curve=lambda key, tossup: None)
    return open_shared(app)


@pytest.mark.parametrize(
    ("percent", "height", "strip", "lane"),
    [(100, 800, True, True), (100, 600, True, False), (200, 800, False, False)],
)
def test_lanes_make_room_for_the_draft(opened, qtbot, percent, height, strip, lane):
    window = put_back(opened, qtbot, Tossup(DRAFT))
    window.resize(1280, height)
    window.appearance.use_letters(family="", draft_px=16, percent=percent)
    try:
        qtbot.waitUntil(lambda: window.what_if.strip.isVisible() is strip)
        qtbot.waitUntil(lambda: window.people.lane.isVisible() is lane)
        if strip and not lane:  # a bar below the draft takes the room of the other lane, too
            window.find_bar.open_bar(replace=True)
            qtbot.waitUntil(lambda: not window.what_if.strip.isVisible())
            window.find_bar.close_bar()
            qtbot.waitUntil(lambda: window.what_if.strip.isVisible())
        line = window.draft.fontMetrics().lineSpacing()
        qtbot.waitUntil(lambda: window.draft.viewport().height() > 3 * line)
    finally:
        window.appearance.use_letters(family="", draft_px=16, percent=100)
