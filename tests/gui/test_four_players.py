"""Four players that have read the whole draft, in one window: their lanes, lists and evidence."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt

from quizwriter.domain.evidence import Method
from quizwriter.domain.page import Page
from quizwriter.gui.analysis_controller import ALL_PLAYERS_OFF
from quizwriter.gui.writing.guess_row import HIGH, LOW
from tests.gui.test_players import CONTROL_SHIFT, FOUR, FULL, action, cards, lanes
from tests.helpers.fakes import DRAFT
from tests.helpers.windows import app_of, put_back


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared(tossup=FULL, players=FOUR)


@pytest.fixture
def four(qtbot, opened):
    window = put_back(opened, qtbot, FULL)
    qtbot.waitUntil(lambda: window.settled)
    return window


def test_every_player_has_a_lane_and_its_guesses_with_their_chances(four):
    assert lanes(four) == cards(four) == ["ir", "dan", "rnn", "ensemble"]
    assert len({lane.states for lane in four.time_line.lanes}) == 1
    firsts = [view.texts()[0] for view in four.guesses.cards]
    assert firsts == ["1, Madama Butterfly, 80\u00a0%, your answer"] * 4
    assert all("\u00a0%" in text for text in four.guesses.texts() if not text.startswith("Your answer"))


def test_one_sentence_tells_all_games_to_eyes_and_ears(four):
    said = four.status.sentence
    assert said.startswith("IR buzzes at ")
    assert said.count("Madama Butterfly") == 1
    assert "; the ensemble at " in said
    heard = four.time_line.accessibleDescription()
    assert heard.startswith(said)
    assert "Every player gets it" in heard
    assert four.status.shown == "Every player gets it before the last sentence."
    assert said in four.status.accessible_sentence


def rows_in_sight(window):
    """How many guesses each player's card shows."""
    return [len(view.names()) for view in window.guesses.cards]


@pytest.mark.parametrize("width", [800, 1280])
def test_many_lists_fold_to_their_first_guess_and_one_click_on_a_player_unfolds_its_list(qtbot, four, width):
    four.resize(width, 600)
    qtbot.waitUntil(lambda: four.guesses.folds)
    first = rows_in_sight(four)[0]
    assert first > 1
    assert rows_in_sight(four) == [first, 1, 1, 1]

    four.analysis.show_evidence_of("rnn")
    qtbot.waitUntil(lambda: rows_in_sight(four) == [1, 1, first, 1])
    qtbot.waitUntil(lambda: four.evidence.shown.about == ("rnn", "Madama_Butterfly"))


def test_a_folded_list_says_in_its_line_who_guesses_and_when_it_buzzes(qtbot, four):
    four.resize(1280, 800)
    qtbot.waitUntil(lambda: four.guesses.folds)
    row = four.guesses.cards[1]._rows[0]
    assert row.accessibleDescription().startswith("DAN: Buzzes at 29\u00a0%")
    assert "your answer is ranked 1st" in row.toolTip()

    qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=QPoint(14, 8))  # on the player, not on its guess
    qtbot.waitUntil(lambda: four.evidence.shown.about == ("dan", "Madama_Butterfly"))
    assert rows_in_sight(four)[1] > 1


def test_two_lists_are_both_unfolded(qtbot, four):
    for name in ("rnn", "ensemble"):
        four.analysis.switch_player(name)
    assert not four.guesses.folds
    assert min(rows_in_sight(four)) > 1


def test_many_lists_have_lower_rows_and_few_have_higher_ones(qtbot, four):
    assert four.guesses.cards[0]._rows[0].sizeHint().height() == LOW
    for name in ("rnn", "ensemble"):
        four.analysis.switch_player(name)
    assert four.guesses.cards[0]._rows[0].sizeHint().height() == HIGH


def test_a_player_moves_past_one_that_is_off(four):
    four.analysis.switch_player("dan")
    four.analysis.move_player("rnn", -1)

    assert lanes(four) == ["rnn", "ir", "ensemble"]
    assert action(four, "player:dan").shortcut().toString() == "Ctrl+Shift+2"  # keys keep their meaning


def test_with_every_player_off_the_window_says_how_to_switch_them_on(qtbot, four):
    four.analysis.show_word(3)
    for number in (1, 2, 3, 4):
        qtbot.keyClick(four, getattr(Qt.Key, f"Key_{number}"), CONTROL_SHIFT)

    assert cards(four) == []
    assert four.time_line.message == ALL_PLAYERS_OFF
    assert four.time_line._marked is None
    qtbot.keyClick(four, Qt.Key.Key_1, CONTROL_SHIFT)
    qtbot.waitUntil(lambda: lanes(four) == ["ir"] and four.settled)


def test_no_key_does_two_things_with_players_either(four):
    keys = [key.toString() for one in four.menus.actions.values() for key in one.shortcuts()]

    assert len(keys) == len(set(keys))


def test_the_evidence_is_that_of_the_player_one_chooses(qtbot, four):
    assert four.evidence.shown.about == ("ir", "Madama_Butterfly")
    assert four.evidence.why.startswith("Buzz at 29\u00a0% (word 30 of 104). Top cues: <b>")
    assert not four.evidence.exact.isVisible()

    four.evidence.chooser._buttons["dan"].click()
    qtbot.waitUntil(lambda: four.evidence.shown.about == ("dan", "Madama_Butterfly"))
    assert "Top cues: <b>" in four.evidence.why
    assert "Estimated from the gradient." in four.evidence.why
    assert "Without the five strongest words" not in four.evidence.text.toPlainText()
    assert four.evidence.exact.isVisible()


def test_a_guess_in_another_s_list_shows_that_player_s_evidence_for_it(qtbot, four):
    four.guesses.cards[2]._rows[1].click()
    qtbot.waitUntil(lambda: four.evidence.shown.about == ("rnn", "Turandot"))

    assert [view.shown.current for view in four.guesses.cards] == [False, False, True, False]
    assert "Ctrl+2" in four.guesses.cards[2]._rows[1].toolTip()


def test_words_are_underlined_as_they_speak_for_the_page_or_against_it(qtbot, four):
    four.analysis.show_word(len(FULL.words))
    qtbot.waitUntil(lambda: "Sharpless" in dict(four.evidence.text.underlined()))
    underlined = dict(four.evidence.text.underlined())

    assert underlined["Sharpless"] > 0.9
    assert all(word in DRAFT for word in underlined)
    four.analysis.choose_page(Page("Turandot"))
    qtbot.waitUntil(lambda: four.evidence.heading == "Evidence for Turandot")
    assert min(share for _, share in four.evidence.text.underlined()) < 0


def test_for_and_against_are_told_apart_without_colours(qtbot, four):
    four.analysis.choose_page(Page("Turandot"))
    qtbot.waitUntil(lambda: four.evidence.heading == "Evidence for Turandot")
    legend = four.evidence._legend.grab().toImage()
    lows = [y for y in range(legend.height()) if legend.pixelColor(4, y) == four.theme.tokens.cue]
    y = lows[-1]
    row = [legend.pixelColor(x, y).name().upper() for x in range(legend.width())]
    solid = row.index(four.theme.tokens.cue)
    # A frame, not a line below: a word that counts against the page has its colour above and below it.
    framed = [
        [y for y in range(legend.height()) if legend.pixelColor(x, y) == four.theme.tokens.counter]
        for x in range(legend.width())
    ]
    tall = max(column[-1] - column[0] for column in framed[solid + 60 :] if column)

    assert set(row[solid : solid + 30]) == {four.theme.tokens.cue}
    assert tall >= 8
    assert not any(framed[solid : solid + 30])


def test_exact_weights_come_by_themselves_and_nothing_moves(qtbot, four):
    four.analysis.show_evidence_of("dan")
    qtbot.waitUntil(lambda: four.evidence.exact.isVisible())
    bar = four.evidence.text.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    where, top = bar.value(), four.evidence.text.geometry().top()
    generation = four.session.generation
    qtbot.waitUntil(lambda: "Exact: each word left out." in four.evidence.why)

    assert (bar.value(), four.evidence.text.geometry().top()) == (where, top)
    assert four.session.generation == generation
    assert four.evidence.shown.evidence.method is Method.WITHOUT
    assert four.evidence.text.toPlainText().endswith(
        "Without the five strongest words the chance falls from 82 % to 12 %; without five others, "
        "it is 79 %."
    )
    assert not four.evidence.exact.isVisible()
    four.analysis._hover(30)
    assert four.evidence.shown.evidence.method is Method.WITHOUT  # and stay


def test_a_bundle_loaded_anew_keeps_what_the_writer_looks_at(qtbot, four):
    four.analysis.show_word(30)
    four.analysis.show_evidence_of("rnn")
    qtbot.waitUntil(lambda: four.settled)
    app_of(four).players = (*FOUR[:3], replace(FOUR[3], engine="newer"))
    with qtbot.waitSignal(four.analysis_runner.loaded):
        four.engines._load_with(app_of(four).engines.load)
    qtbot.waitUntil(lambda: four.settled)

    assert four.session.heard == 30
    qtbot.waitUntil(lambda: four.evidence.shown.about[0] == "rnn")
    assert four.analysis._plays["ensemble"][0] == four.session.tossup


@pytest.mark.parametrize("height", [700, 900])
def test_all_cards_of_four_players_are_in_sight_also_when_the_window_was_resized(qtbot, four, height):
    four.resize(1280, 600)
    qtbot.waitUntil(lambda: four.guesses.folds)
    four.resize(1280, height)
    last = four.guesses.cards[-1]

    def whole():
        return last.visibleRegion().boundingRect().height() == last.height()

    qtbot.waitUntil(whole)
    assert four.evidence.height() > 200
