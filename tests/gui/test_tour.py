"""The tour, What is this?, and the players: what the window says of itself."""

import ast
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QWhatsThis, QWidget

import quizwriter.gui
from quizwriter.domain.guessing import Player
from quizwriter.domain.players import PLAYERS
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.dialogs.players import PlayersDialog
from quizwriter.gui.help_texts import DIALOGS, TOUR, WHAT_IS_THIS
from quizwriter.gui.tour import card_place
from quizwriter.gui.widgets.whats_this import explanation
from tests.helpers.fakes import DRAFT, Lead, Overlap
from tests.helpers.syntax_trees import syntax_tree
from tests.helpers.windows import put_back


@pytest.fixture(scope="module")
def opened(open_shared):
    players = tuple(Player(Overlap(name), Lead(), "fake") for name in ("ir", "dan"))
    return open_shared(tossup=Tossup(DRAFT), players=players)


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT))
    qtbot.waitUntil(lambda: window.settled)
    return window


@pytest.fixture
def theme(opened):
    return opened.theme


def start(window):
    window.menus.keys.action("tour").trigger()
    return window.tour


def card_text(tour):
    return tour.card.accessibleName()


# -- the tour


def test_the_tour_goes_from_part_to_part_on_the_example_set(window, qtbot):
    tour = start(window)
    assert window.draft.text == DRAFT  # the first of the example set
    seen = []
    while window.tour is not None:
        seen.append(tour.stop.title)
        assert tour.stop.text in card_text(tour)
        assert window.rect().contains(tour.card.geometry())
        qtbot.keyClick(tour.card.next_button, Qt.Key.Key_Space)

    assert seen == [stop.title for stop in TOUR]
    assert window.draft.hasFocus()


def test_the_tour_is_a_matter_of_a_minute_and_of_five_steps():
    words = sum(len(f"{stop.title} {stop.text}".split()) for stop in TOUR)

    assert len(TOUR) == 5
    assert 100 < words < 220  # people read some 150 words a minute of what is new to them
    assert all(len(re.split(r"(?<=[.:]) ", stop.text)) <= 5 for stop in TOUR)


def test_the_tour_needs_no_mouse(window, qtbot):
    tour = start(window)
    first = tour.stop
    qtbot.keyClick(tour.card.next_button, Qt.Key.Key_Right)
    assert tour.stop is not first
    qtbot.keyClick(tour.card.next_button, Qt.Key.Key_Left)
    assert tour.stop is first
    qtbot.keyClick(tour.card.next_button, Qt.Key.Key_Escape)

    assert window.tour is None


def test_the_tour_can_be_skipped_and_taken_again(window, qtbot):
    tour = start(window)
    qtbot.mouseClick(tour.card.next_button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(tour.card.skip_button, Qt.MouseButton.LeftButton)
    assert window.tour is None

    assert start(window).stop is TOUR[0]


def test_a_part_that_moves_after_the_end_does_not_bring_the_tour_back(window):
    tour = start(window)
    part = window.parts[tour.stop.part]
    tour.end()
    part.resize(part.width() - 1, part.height())  # before the event loop deletes the tour

    assert tour.card.isHidden()


def test_a_tour_that_goes_on_begins_anew(window):
    tour = start(window)
    tour.go(1)

    assert start(window).stop is TOUR[0]
    assert sum(one.isVisible() for one in window.findChildren(type(tour.card))) == 1


def test_the_tour_asks_why_and_puts_the_reason_away_again(window, qtbot):
    window.put_away()
    tour = start(window)
    qtbot.waitUntil(lambda: window.settled)
    for stop in TOUR:
        assert tour.stop is stop
        assert window.columns.shows_players is stop.asks
        assert window.parts[stop.part].isVisible()
        assert (window.session.heard is not None) is stop.asks
        assert tour.card.next_button.hasFocus()
        tour.go(1)


def test_the_card_follows_the_size_of_the_window(window, qtbot):
    tour = start(window)
    window.resize(900, 600)
    qtbot.waitUntil(lambda: window.rect().contains(tour.card.geometry()))


def test_the_outline_follows_its_part_as_lanes_come(window, qtbot):
    tour = start(window)
    part = window.parts[tour.stop.part]
    window.time_line.setMinimumHeight(window.time_line.height() + 60)

    qtbot.waitUntil(lambda: tour._outline.height() == part.height())


ROOM = QRect(0, 0, 900, 600)


@pytest.mark.parametrize(
    "around",
    [QRect(0, 0, 200, 600), QRect(700, 0, 200, 600), QRect(200, 0, 500, 90), QRect(200, 500, 500, 100)],
    ids=["left", "right", "top", "bottom"],
)
def test_a_card_beside_its_part_hides_nothing_of_it(around):
    place = card_place(around, QSize(340, 200), ROOM)

    assert ROOM.contains(place)
    assert not place.intersects(around)


def test_a_card_that_has_no_room_beside_its_part_lies_in_its_corner():
    place = card_place(QRect(0, 0, 900, 600), QSize(340, 200), ROOM)

    assert ROOM.contains(place)
    assert place.bottomRight().x() > 850


# -- What is this?


def nameless(top):
    """Every widget that can be seen or take the keyboard and is not explained."""
    return [
        f"{type(one).__name__} {one.accessibleName() or one.objectName()}"
        for one in top.findChildren(QWidget)
        if one.isVisibleTo(top) and not explanation(one) and one.focusPolicy() != Qt.FocusPolicy.NoFocus
    ]


def test_every_part_of_the_window_is_explained(window):
    for tab in range(window.right_tabs.count()):
        window.right_tabs.setCurrentIndex(tab)
        assert nameless(window) == []
    assert all(re.fullmatch(r"[A-Z].*\.", text) for text in WHAT_IS_THIS.values())


def test_shift_f1_explains_what_has_the_keyboard(window, qtbot, monkeypatch):
    shown = []
    monkeypatch.setattr(QWhatsThis, "showText", lambda place, text, widget: shown.append(text))
    for widget, part in (
        (window.draft, "draft"),
        (window.time_line, "time_line"),
        (window.tossups.search, "tossups"),
    ):
        widget.setFocus()
        qtbot.keyClick(widget, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
        assert shown[-1] == WHAT_IS_THIS[part]


def test_shift_f1_explains_a_dialog_too(window, qtbot, monkeypatch):
    shown = []
    monkeypatch.setattr(QWhatsThis, "showText", lambda place, text, widget: shown.append(text))
    window.open_preferences()
    dialog = window.preferences
    assert nameless(dialog) == []
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.close_button.setFocus()
    qtbot.keyClick(dialog.close_button, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)

    assert shown == [DIALOGS["Preferences"]]


def titles_of_dialogs():
    """The titles that the dialogs of the program give themselves, from their source."""
    for path in sorted(Path(quizwriter.gui.__file__).parent.rglob("*.py")):
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "super().__init__":
                theme, title = [*node.args, None, None][:2]
                if isinstance(title, ast.Constant) and ast.unparse(theme) == "theme":
                    yield title.value


def test_every_dialog_is_explained():
    titles = list(titles_of_dialogs())

    assert len(titles) > 15
    assert [title for title in titles if not DIALOGS.get(title)] == []


# -- the players


def test_each_player_has_a_paragraph_and_it_is_said_who_plays(qtbot, theme):
    dialog = PlayersDialog(theme, ["dan"])
    qtbot.addWidget(dialog)
    texts = [label.text() for label in dialog.findChildren(QLabel)]

    assert texts.index("DAN") < texts.index("IR, which is off")
    assert all(kind.about in texts for kind in PLAYERS.values())


def test_the_keyboard_comes_back_to_the_paragraphs_and_scrolls_them(qtbot, theme):
    dialog = PlayersDialog(theme, ["dan"])
    qtbot.addWidget(dialog)
    dialog.show()
    area = dialog.findChild(QScrollArea)
    assert dialog.focusWidget() is area
    qtbot.keyClick(area, Qt.Key.Key_Tab)
    qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    assert dialog.focusWidget() is area
    qtbot.keyClick(area, Qt.Key.Key_Down)
    assert area.verticalScrollBar().value() > 0


def test_the_window_opens_them(window):
    window.menus.keys.action("players").trigger()
    (dialog,) = window.findChildren(PlayersDialog)

    assert dialog.isVisible()
