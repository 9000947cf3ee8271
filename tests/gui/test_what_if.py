"""What if: the changes in their tab, the clue strip, previews, and changes that are made."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QScrollArea

from quizwriter.domain.evidence import Evidence, Reason
from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.styles import LetterStyle, StyledSpan, TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.buzzers import MarginBuzzer
from quizwriter.gui import people_controller, what_if_controller
from quizwriter.gui.background.timers import SingleShot
from quizwriter.gui.widgets.two_line_list import ListRow
from quizwriter.gui.writing.what_if_pane import NO_DRAFT, PLAYING
from quizwriter.workflow.rewording import reworded_cues
from quizwriter.workflow.what_if import OFFERS, find_inversion
from tests.helpers.fakes import DRAFT, FakeApp, Overlap
from tests.helpers.patience import hurried
from tests.helpers.windows import app_of, put_back

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))


EASY_FIRST = (
    "Pinkerton and Sharpless hear a humming chorus, no riddles, with Suzuki and Cio-Cio-San. A man wrote it "
    "in the year that he was ill. It was changed after a bad night. A brother of the man never saw it. For "
    "10 points, name this opera with a humming chorus about Pinkerton."
)


class Reasoned(Overlap):
    """The last word heard is the one to change."""

    def explain(self, tossup, page, *, exact=False):
        found = super().explain(tossup, page, exact=exact)
        return replace(found, reasons=tuple(Reason((cue.span,), cue.weight) for cue in found.cues[-1:]))


@pytest.fixture(scope="module", autouse=True)
def _hurried():
    with hurried("what_if_controller.PAUSE_MS", "people_controller.PAUSE_MS"):
        yield


@pytest.fixture(scope="module")
def opened(open_shared, tmp_path_factory):
    app = FakeApp(tmp_path_factory.mktemp("home"), (Player(Reasoned(), MarginBuzzer(), "fake"),))
    app.settings = replace(app.settings, shows_clue_strip=True)
    return open_shared(app, persistent=False)


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT, BUTTERFLY))
    window.what_if.pane.best_button.click()
    window.what_if.show_strip(shown=True)
    window.right_tabs.choose(window.what_if.pane)
    settle(window, qtbot)
    return window


@pytest.fixture
def app(window):
    return app_of(window)


def settle(window, qtbot):
    """Wait until all variants of the draft on the screen were played."""

    qtbot.waitUntil(lambda: window.what_if.settled)


def choose(window, row):
    changes = window.what_if.pane.list
    changes.setCurrentIndex(changes.model().index(row))


def test_the_tab_opens_with_the_changes_that_delay_the_earliest_player(window):
    pane = window.what_if.pane
    assert pane.shows_best
    assert 0 < len(pane.list.rows) <= sum(OFFERS.values())
    assert pane.said.text() == "IR buzzes first. These changes delay the first right buzz most."
    told = re.compile("IR [0-9]+\u00a0% \u2192 ([0-9]+\u00a0%|never)")
    assert all(told.match(row.caption) for row in pane.list.rows)
    assert pane.list.rows[0].title.startswith("Rephrase “")
    assert pane.notes.text() == ""  # the giveaway gives the answer away, as it should


def test_players_that_are_too_slow_are_told_together(window, monkeypatch):
    monkeypatch.setattr(type(window.analysis), "enabled_players", ("ir", "rnn", "ensemble"))
    monkeypatch.setattr(window.what_if, "_is_slow", lambda name: name != "ir")
    window.what_if.pane.clue_button.click()
    assert window.what_if.pane.notes.text() == "RNN and the ensemble are left out: too slow for variants."


def test_a_tossup_that_waits_for_its_games_is_not_said_to_be_missing(window, qtbot):
    window.what_if.open(window.session)
    assert window.what_if.pane.said.text() == ""
    settle(window, qtbot)
    assert window.what_if.pane.list.rows
    window.sessions.open_new()
    qtbot.waitUntil(lambda: window.what_if.pane.said.text() == NO_DRAFT)


def test_who_asks_for_a_change_too_soon_hears_that_they_are_being_played(window, qtbot):
    choose(window, 0)
    window.draft.insertPlainText("It is old. ")
    text = window.draft.text
    window.what_if.make_first()  # the list is that of the text before
    assert window.messages.text("what if") == PLAYING
    settle(window, qtbot)
    assert window.draft.text == text


def test_the_first_change_cannot_be_applied_before_it_was_played(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT, BUTTERFLY))
    window.right_tabs.choose(window.what_if.pane)
    window.what_if.pane.show_nothing(PLAYING)
    window.what_if.make_first()
    assert not window.messages.text("what if")  # the pane tells it
    window.what_if.pane.show_nothing("")
    window.what_if.make_first()
    assert window.messages.text("what if") == PLAYING
    settle(window, qtbot)
    window.what_if.make_first()
    assert window.what_if.pane.list.currentIndex().row() == 0


def test_who_asks_for_a_change_of_a_tossup_without_an_answer_hears_what_is_missing(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT))
    window.right_tabs.choose(window.what_if.pane)
    qtbot.waitUntil(lambda: window.what_if.pane.said.text() == NO_DRAFT)
    window.what_if.make_first()
    assert window.messages.text("what if") == NO_DRAFT


def test_a_change_is_previewed_and_said_player_by_player(window, qtbot):
    ghosts = window.what_if.ghosts
    assert ghosts.ghosts == ()
    choose(window, 0)
    qtbot.waitUntil(lambda: bool(ghosts.ghosts))

    assert [lane.name for lane in ghosts.ghosts] == ["ir"]
    assert ghosts.isVisible()
    details = window.what_if.pane.details.text()
    assert window.what_if.pane.list.rows[0].caption in details  # one measure
    (effect,) = window.what_if.pane.findChildren(QScrollArea, "effect")
    qtbot.waitUntil(lambda: effect.verticalScrollBar().maximum() == 0)  # there is room above
    assert not window.time_line.grab().isNull()
    window.right_tabs.choose(window.evidence)
    assert not ghosts.isVisible()
    window.what_if._preview_row(0)  # a slower player has read it meanwhile
    assert window.what_if._ghost_text == ""
    window.right_tabs.choose(window.what_if.pane)
    qtbot.waitUntil(lambda: bool(ghosts.ghosts))
    window.draft.insertPlainText("!")
    assert ghosts.ghosts == ()  # they were those of the draft before


def test_every_change_is_in_sight_and_what_it_does_is_said_to_the_end(window, qtbot):
    window.resize(1280, 800)
    choose(window, 0)
    changes, details = window.what_if.pane.list, window.what_if.pane.details
    last = changes.model().index(len(changes.rows) - 1)
    qtbot.waitUntil(lambda: changes.viewport().rect().contains(changes.visualRect(last)))
    assert changes.viewport().height() > 5 * changes.visualRect(last).height()
    assert not window.guesses.isVisible()
    assert "the buzz comes this late:" in details.text()


def test_the_keyboard_comes_to_the_first_change_and_enter_applies_it(window, qtbot):
    window.menus.actions["go-evidence"].trigger()
    qtbot.keyClick(window, Qt.Key.Key_F6)
    settle(window, qtbot)
    assert window.what_if.pane.list.hasFocus()
    assert window.what_if.pane.list.currentIndex().row() == 0
    title = window.what_if.pane.list.rows[0].title
    qtbot.keyClick(window.what_if.pane.list, Qt.Key.Key_Return)
    assert f"“{window.draft.selected.of(window.draft.text).strip('.,')}”" in title


def test_the_keyboard_stays_at_the_best_change_until_another_is_chosen(window):
    pane = window.what_if.pane
    late, best, better = (ListRow(f"Delete clue {number}", f"IR {number} %") for number in (1, 2, 3))
    window.menus.actions["go-what-if"].trigger()
    pane.show_changes("", ())
    pane.list.setFocus()
    pane.show_changes("", (late,))
    pane.show_changes("", (best, late))
    assert pane.list.currentIndex().row() == 0  # the next player has played, and nobody has chosen the other
    choose(window, 1)
    pane.show_changes("", (better, best, late))
    assert pane.list.currentIndex().row() == 2


def show_clue(window, qtbot, number=1):
    """Show the changes of a clue."""
    window.draft.select(window.what_if.report.clues[number].span)
    window.what_if.pane.clue_button.click()
    settle(window, qtbot)


def test_a_cue_to_rephrase_is_selected_for_the_writer(window):
    before = window.draft.text
    window.menus.actions["make-change"].trigger()
    assert window.what_if.pane.details.text().startswith(what_if_controller.REPHRASED)
    window.menus.actions["make-change"].trigger()
    title = window.what_if.pane.list.rows[0].title

    assert window.draft.text == before
    assert f"“{window.draft.selected.of(before).strip('.,')}”" in title
    assert window.draft.hasFocus()


def test_a_word_that_is_offered_is_applied_with_its_article_and_is_one_step(window, qtbot):
    text = "In it an author hears a man. A child sleeps in the house. For 10 points, name this opera."
    window.draft.replace(text)
    settle(window, qtbot)
    report = window.what_if.report
    word = Span(text.index("author"), text.index("author") + len("author"))
    evidence = Evidence("ir", BUTTERFLY.page, reasons=(Reason((word,), 1.0),))
    (variant,) = reworded_cues(report.tossup, report.clues, evidence)
    window.what_if._report = report.with_outlines("ir", [variant], [report.base["ir"]])
    window.what_if._rows = window.what_if._report.played

    window.what_if._preview_row(0)
    assert window.what_if.pane.details.text().startswith("New: In it a writer hears a man.\n")
    assert window.draft.text == text
    window.what_if._make_row(0)
    assert window.session.tossup.text == text.replace("an author", "a writer")
    window.draft.undo()
    qtbot.waitUntil(lambda: window.draft.text == text)


def test_one_key_makes_the_change_and_one_takes_it_back(window, qtbot):
    before = window.draft.text
    show_clue(window, qtbot)
    choose(window, 1)
    window.what_if.pane.list.setFocus()
    qtbot.keyClick(window.what_if.pane.list, Qt.Key.Key_Return)

    assert window.draft.text != before
    assert window.session.tossup.text == window.draft.text  # the session has logged it
    window.draft.undo()
    qtbot.waitUntil(lambda: window.draft.text == before)


def test_the_menu_shows_the_first_change_and_then_makes_it(window, qtbot):
    before = window.draft.text
    show_clue(window, qtbot)
    window.menus.actions["make-change"].trigger()
    assert window.draft.text == before
    assert window.what_if.pane.details.text()
    window.menus.actions["make-change"].trigger()
    assert window.draft.text != before
    window.draft.undo()
    qtbot.waitUntil(lambda: window.draft.text == before)


def test_the_clue_at_the_cursor_and_the_selection_are_probed(window, qtbot):
    pane = window.what_if.pane
    report = window.what_if.report
    window.draft.select(report.clues[1].span)
    pane.clue_button.click()
    settle(window, qtbot)

    titles = [row.title.split(":")[0] for row in pane.list.rows]
    assert titles == [
        "Clue 2 alone",
        "Delete clue 2",
        "Swap clue 2 with clue 3",
        "Move clue 2 to the end",
        "Move clue 2 to the front",
    ]
    start = DRAFT.index("humming")
    window.draft.select(report.clues[0].span.__class__(start, start + len("humming chorus")))
    qtbot.waitUntil(lambda: any("“humming chorus”" in row.title for row in pane.list.rows))


def test_words_that_were_selected_before_are_probed_and_a_selection_of_all_is_none(window, qtbot):
    pane = window.what_if.pane
    start = DRAFT.index("humming")
    window.draft.select(Span(start, start + len("humming chorus")))
    pane.clue_button.click()
    qtbot.waitUntil(lambda: any("“humming chorus”" in row.title for row in pane.list.rows))
    window.draft.select(Span(0, len(DRAFT)))
    qtbot.waitUntil(lambda: any(row.title.startswith("Clue 1 alone") for row in pane.list.rows))
    settle(window, qtbot)
    assert len(window.what_if.strip.bars) > 1


@pytest.mark.parametrize("part", ["what_if", "people"])
def test_variants_and_the_peoples_curve_wait_for_a_pause_in_typing(window, part):
    controller = getattr(window, part)
    (waiting,) = controller.findChildren(SingleShot, options=Qt.FindChildOption.FindDirectChildrenOnly)
    timer = waiting.findChild(QTimer)
    window.what_if.follow_hiding()
    window.people.read()
    assert timer.interval() == 0  # what was asked for is looked up at once

    window.draft.insertPlainText("More. ")

    assert waiting.isActive()
    assert timer.interval() == {"what_if": what_if_controller, "people": people_controller}[part].PAUSE_MS


def test_the_strip_has_a_bar_for_each_clue_under_its_words(window):
    strip, report = window.what_if.strip, window.what_if.report
    assert len(strip.bars) == len(report.clues)
    for number, clue in enumerate(report.clues):
        first = window.time_line.box(0, clue.first + 1)
        assert strip.box(number).left() == pytest.approx(first.left() + 1)
    assert strip.mapTo(window, QPoint(0, 0)).x() == window.time_line.mapTo(window, QPoint(0, 0)).x()
    assert not strip.grab().isNull()


def test_a_screen_reader_finds_a_name_and_a_value_for_each_bar(window):
    strip = window.what_if.strip
    found = QAccessible.queryAccessibleInterface(strip)
    bars = [found.child(number) for number in range(found.childCount())]
    bars = [bar for bar in bars if bar.role() == QAccessible.Role.ProgressBar and not bar.state().invisible]
    assert len(bars) == len(strip.bars)
    assert bars[0].text(QAccessible.Text.Name).startswith("Clue 1, words 1 to ")
    values = [bar.valueInterface().currentValue() for bar in bars]
    assert values == [round(100 * bar.chances["ir"]) for bar in strip.bars]


def test_a_click_on_a_bar_selects_its_clue(window, qtbot):
    strip, report = window.what_if.strip, window.what_if.report
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=strip.box(1).center().toPoint())
    assert window.draft.selected == report.clues[1].span


def test_a_clue_that_is_too_easy_for_its_place_is_moved_by_one_key(window, qtbot):
    window.draft.replace(EASY_FIRST)
    settle(window, qtbot)
    strip = window.what_if.strip
    inversion = find_inversion(window.what_if.report)
    assert inversion.early == 0
    assert strip.take.isVisible()
    assert "is easier than clue" in strip.accessibleDescription()
    strip.looked.emit(True)
    qtbot.waitUntil(lambda: bool(window.what_if.ghosts.ghosts))

    window.menus.actions["move-easy-clue"].trigger()

    assert not window.draft.text.startswith("Pinkerton")
    assert window.draft.text.endswith("about Pinkerton.")
    window.draft.undo()
    qtbot.waitUntil(lambda: window.draft.text == EASY_FIRST)


def test_a_clue_that_is_moved_takes_its_italics_along(window, qtbot):
    start = EASY_FIRST.index("Suzuki")
    italics = TextStyles.of([StyledSpan(start, start + 6, (LetterStyle.ITALIC,))], len(EASY_FIRST))
    window.draft.replace(EASY_FIRST, italics)
    settle(window, qtbot)

    window.menus.actions["move-easy-clue"].trigger()

    (moved,) = window.session.styles.spans()
    assert moved.start > start
    assert window.draft.text[moved.start : moved.end] == "Suzuki"
    window.draft.undo()
    qtbot.waitUntil(lambda: window.draft.text == EASY_FIRST)
    assert window.session.styles == italics
    window.draft.redo()
    assert tuple(window.session.styles.spans()) == (moved,)


@pytest.fixture
def cancellation(window, app, qtbot, monkeypatch):
    """By which the variants that were played last can be called back."""
    play, asked = app.what_if.play, []

    def keep(*given, cancellation, **named):
        asked.append(cancellation)
        return play(*given, cancellation=cancellation, **named)

    monkeypatch.setattr(app.what_if, "play", keep)
    window.what_if.open(window.session)
    settle(window, qtbot)
    assert not asked[-1].cancelled
    return asked[-1]


def test_an_edit_dims_the_strip_and_calls_the_variants_back_at_once(window, cancellation):
    strip = window.what_if.strip
    bar, bright = strip.box(0), strip.grab().toImage()

    window.draft.insertPlainText("!")

    assert cancellation.cancelled
    assert strip.box(0) == bar
    assert strip.grab().toImage() != bright


def test_variants_are_called_back_where_the_window_closes(window, cancellation):
    window.what_if.shutdown()
    assert cancellation.cancelled


def test_the_strip_is_hidden_and_stays_so(window, app):
    action = window.menus.actions["clue-strip"]
    high = window.what_if.strip.height()
    assert action.isChecked()
    window.draft.insertPlainText(" More words follow.")
    assert window.what_if.strip.height() == high  # nothing moves the draft
    action.trigger()
    assert not window.what_if.strip.isVisible()
    assert not app.settings.shows_clue_strip


def test_without_an_answer_nothing_is_probed(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT))
    window.right_tabs.choose(window.what_if.pane)
    qtbot.waitUntil(lambda: "enter the answer" in window.what_if.pane.said.text())
    assert window.what_if.strip.bars == ()


def test_an_answer_that_nobody_knows_is_no_stump(opened, qtbot):
    window = put_back(opened, qtbot, Tossup(DRAFT, Answer("Nobody knows this")))
    window.right_tabs.choose(window.what_if.pane)
    settle(window, qtbot)
    pane = window.what_if.pane
    assert pane.said.text() == "No player can know this answer, so no change can delay one."
    assert window.what_if.strip.accessibleDescription() == "No player can know this answer."
    assert pane.list.rows == ()


def test_the_four_tabs_have_keys(window):
    for number, widget in enumerate(
        (window.evidence, window.panes.past, window.what_if.pane, window.comments.pane), start=1
    ):
        action = next(
            one
            for one in window.menus.actions.values()
            if f"Ctrl+Alt+{number}" in [key.toString() for key in one.shortcuts()]
        )
        action.trigger()
        assert window.right_tabs.shown is widget
    window.right_tabs.choose_name("what if")
    assert window.right_tabs.chosen_name == "what if"
