"""One window with a draft that is fully analysed: its guesses, its time line, its keys."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer
from quizwriter.gui.writing.answer_field import UNLISTED
from quizwriter.workflow.session import PendingSave
from quizwriter.workflow.wording import Lane
from tests.gui.test_main_window import FULL
from tests.helpers.fakes import DRAFT
from tests.helpers.windows import app_of, put_back


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared(tossup=FULL)


@pytest.fixture
def answered(qtbot, opened):
    window = put_back(opened, qtbot, FULL)
    qtbot.waitUntil(lambda: window.settled)
    return window


def test_the_guesses_are_shown_before_the_evidence_is_worked_out(qtbot, answered):
    assert answered.guesses.texts()[0].startswith("1, Madama Butterfly, 80\u00a0%")
    assert "your answer" in answered.guesses.texts()[0]
    assert answered.guesses.texts()[-1] == "Your answer is ranked 1st"
    assert answered.evidence.heading == "Evidence for Madama Butterfly"
    assert answered.status.sentence.startswith("IR buzzes at ")
    assert "of 104) on Madama Butterfly" in answered.status.sentence


def test_painted_says_which_draft_the_guesses_are_of(qtbot, answered):
    def is_this(generation):  # before it, those of the draft before the key may be painted once more
        return generation == answered.session.generation

    with qtbot.waitSignal(answered.painted, check_params_cb=is_this):
        qtbot.keyClicks(answered.draft, "x")


def test_the_answer_is_completed_from_the_pages(qtbot, answered):
    line = answered.answer.line
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "BOHE")
    qtbot.waitUntil(lambda: answered.answer.offered() == ("La bohème",))
    qtbot.keyClick(line, Qt.Key.Key_Return)

    assert answered.session.tossup.answer == Answer("La bohème", Page("La_bohème"))
    assert answered.answer.offered() == ()
    assert QApplication.focusWidget() is answered.draft


def test_return_without_a_choice_takes_what_was_typed(qtbot, answered):
    line = answered.answer.line
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "turandot [accept Turandotte]")
    qtbot.keyClick(line, Qt.Key.Key_Return)

    assert answered.session.tossup.answer == Answer("turandot [accept Turandotte]", Page("Turandot"))


def test_an_unlisted_answer_is_allowed_and_said(qtbot, answered):
    line = answered.answer.line
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "Cavalleria rusticana")
    assert answered.answer.verdict == ""  # not while one types
    qtbot.keyClick(line, Qt.Key.Key_Return)

    assert answered.answer.verdict == UNLISTED
    assert answered.session.tossup.answer == Answer("Cavalleria rusticana")
    qtbot.waitUntil(lambda: answered.settled)
    assert answered.guesses.texts()[-1] == "The players do not know your answer"


def test_an_answer_that_was_not_listed_is_found_in_a_bundle_that_has_it(qtbot, answered):
    app = app_of(answered)
    app.store.texts["old"] = PendingSave("old", "Liu dies", Answer("Turandot"), 0, 1)
    answered.sessions.open_saved("old")

    assert answered.session.tossup.answer == Answer("Turandot", Page("Turandot"))
    assert answered.answer.verdict == ""


def test_the_time_line_steps_and_the_guesses_follow(qtbot, answered):
    answered.time_line.setFocus()
    for _ in range(3):
        qtbot.keyClick(answered.time_line, Qt.Key.Key_Left)
    assert answered.session.heard == 101  # though nothing was painted between the keys
    qtbot.waitUntil(lambda: answered.guesses.word == "After word 101 of 104")
    assert answered.draft.mark_painter.marks.word == FULL.words[100]
    qtbot.waitUntil(lambda: answered.settled)

    qtbot.keyClick(answered.time_line, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: answered.guesses.word == "After word 104 of 104")
    assert answered.draft.mark_painter.marks.word is None


def test_hovering_shows_the_guesses_then_and_leaving_goes_back(qtbot, answered):
    box = answered.time_line.box(0, 30)
    generation = answered.session.generation
    qtbot.mouseMove(answered.time_line, QPoint(round(box.center().x()), round(box.center().y())))
    qtbot.waitUntil(lambda: answered.guesses.word == "After word 30 of 104")
    assert answered.draft.mark_painter.marks.word == FULL.words[29]

    answered.time_line.leaveEvent(None)

    assert answered.guesses.word == "After word 104 of 104"
    assert answered.session.generation == generation  # nobody was asked anything


def test_typing_goes_back_to_the_last_word(qtbot, answered):
    answered.time_line.step(-50)
    qtbot.keyClicks(answered.draft, " more")
    qtbot.waitUntil(lambda: answered.settled)

    assert answered.guesses.word == "After word 105 of 105"


def test_another_guess_shows_its_evidence_and_the_answer_comes_back(qtbot, answered):
    qtbot.keyClick(answered, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: answered.evidence.heading == "Evidence for Turandot")
    assert answered.guesses.texts()[0].startswith("1, Madama Butterfly")
    assert not answered.guesses.stale

    qtbot.keyClick(answered, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: answered.evidence.heading == "Evidence for Madama Butterfly")


def test_a_long_passage_opens_on_a_click(qtbot, answered):
    whole = "In this opera by Giacomo Puccini a naval officer named Pinkerton rents a house above"
    answered.analysis.show_word(len(answered.session.tossup.words))
    qtbot.waitUntil(lambda: answered.settled and "Sentence 5" in answered.evidence.text.toPlainText())
    assert whole not in answered.evidence.text.toPlainText()
    answered.evidence._unfold(type(answered.evidence.text.source())("#1.0"))

    assert whole in answered.evidence.text.toPlainText()


def test_the_time_line_says_in_words_what_it_paints(answered):
    said = answered.time_line.accessibleDescription()

    assert said.startswith("104 words; power mark after word 68; IR, first right at word ")


def test_the_lane_is_painted_in_the_colours_of_its_words(answered):
    image = answered.time_line.grab().toImage()
    at = answered.time_line.box(0, 60).center().toPoint()

    assert image.pixelColor(at).name().upper() == answered.theme.tokens.right


def test_the_marks_of_a_lane_stand_at_their_words_however_close_those_are(qtbot, answered):
    line = answered.time_line
    close = Lane("ir", "w" * 20 + "r" * 40, first=21, stable=22, buzz=21, buzzes_right=True)
    for mirrored in (False, True):
        line.mirror(mirrored=mirrored)
        line.show_lanes(FULL, (close,))
        marks = dict(line.mark_boxes(0))
        for kind, heard in (("buzz", 21), ("first", 21), ("stable", 22)):
            assert marks[kind].center().x() == pytest.approx(line.box(0, heard).center().x()), kind
        assert not marks["buzz"].intersects(marks["first"])


def test_a_bell_has_its_player_s_colour_where_it_buzzes(qtbot, answered):
    line, tokens = answered.time_line, answered.theme.tokens
    line.show_lanes(FULL, (Lane("dan", "w" * 60, buzz=30, buzzes_right=True),))
    (kind, box), image = line.mark_boxes(0)[0], line.grab().toImage()

    assert kind == "buzz"
    assert image.pixelColor(box.center().toPoint()).name().upper() == tokens.player("dan").colour


def test_the_mouse_beside_the_text_points_at_no_word(qtbot, answered):
    pointed = []
    answered.draft.pointed.connect(pointed.append)
    viewport = answered.draft.viewport()

    def moves(place):  # again and again: the draft may still scroll, or its pane may still grow
        qtbot.mouseMove(viewport, place())
        return pointed[-1] if pointed else None

    def word():
        return next(answered.draft.boxes(FULL.words[9])).center().toPoint()

    start, end = FULL.words[9].start, FULL.words[9].end
    qtbot.waitUntil(lambda: (at := moves(word)) is not None and start <= at <= end)
    qtbot.waitUntil(lambda: moves(lambda: QPoint(word().x(), viewport.height() - 4)) is None)


def test_guesses_that_are_gone_are_gone_at_once(qtbot, answered):
    (card,) = answered.guesses.cards
    answered.sessions.open_new()

    assert not card.isVisible()


def test_tossups_are_listed_found_and_opened_again(qtbot, answered):
    qtbot.keyClick(answered.draft, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert answered.draft.text == ""
    qtbot.keyClicks(answered.draft, "A colony of kings")
    assert answered.tossups.lines()[0] == ""
    answered.tossups.search.setText("butter")
    qtbot.keyClick(answered.tossups.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: answered.settled)

    assert answered.draft.text == DRAFT
    assert answered.evidence.heading == "Evidence for Madama Butterfly"
    texts = app_of(answered).store.texts
    qtbot.waitUntil(lambda: any(saving.text == "A colony of kings" for saving in texts.values()))


def test_every_action_is_found_by_its_name(qtbot, answered):
    answered.menus.actions["search-actions"].trigger()
    for words, name in (
        ("accents", "Insert an accent or a special letter"),
        ("settings", "Preferences"),
        ("dark mode", "Theme: dark"),
        ("shortcuts", "Keys and actions"),
    ):
        answered.menus.search.search.setText(words)
        assert name in answered.menus.search.names()
    answered.menus.search.search.clear()
    qtbot.keyClicks(answered.menus.search.search, "mark power")
    assert answered.menus.search.names() == ("Insert the power mark",)
    qtbot.keyClick(answered.menus.search.search, Qt.Key.Key_Return)

    assert answered.draft.text.endswith(" (*)")
    assert not answered.menus.search.isVisible()


def test_the_power_mark_s_key_is_not_the_platform_s_delete_to_the_end_of_the_line(qtbot, answered):
    qtbot.keyClick(answered.draft, Qt.Key.Key_Home)
    qtbot.keyClick(answered.draft, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)

    assert "(*)" in answered.draft.text[-70:]
    assert "".join(answered.draft.text.replace("(*)", "").split()) == "".join(
        DRAFT.replace("(*)", "").split()
    )


def test_no_key_does_two_things(answered):
    keys = [key.toString() for action in answered.menus.actions.values() for key in action.shortcuts()]

    assert len(keys) == len(set(keys))


def test_a_page_for_writing_brings_back_only_what_was_there_before(qtbot, answered):
    def beside():
        return answered.tossups.isVisible(), answered.guesses.isVisible()

    qtbot.keyClick(answered, Qt.Key.Key_F11)
    assert beside() == (False, False)
    qtbot.keyClick(answered, Qt.Key.Key_F11)
    assert beside() == (True, True)
    qtbot.keyClick(answered, Qt.Key.Key_F9)
    for _ in range(2):
        qtbot.keyClick(answered, Qt.Key.Key_F11)
    assert beside() == (False, True)  # what was hidden before stays so


def test_hiding_what_has_the_keyboard_gives_it_back_to_the_draft(qtbot, answered):
    qtbot.keyClick(answered, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(answered, Qt.Key.Key_F10)

    assert QApplication.focusWidget() is answered.draft


def test_the_draft_grows_and_the_size_is_remembered(qtbot, answered):
    qtbot.keyClick(answered, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)

    assert app_of(answered).profile.settings.draft_size_px == 17
    assert answered.draft.font().pixelSize() == 17
    assert answered.draft.text == DRAFT
    qtbot.waitUntil(lambda: answered.draft.mark_painter.marks.cues != ())


def test_the_theme_changes_at_once(qtbot, answered):
    answered.appearance.use_theme("dark")
    assert answered.draft.viewport().grab().toImage().pixelColor(2, 2).lightness() < 60
    answered.appearance.use_theme("light")
    assert answered.draft.viewport().grab().toImage().pixelColor(2, 2).lightness() > 200


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_a_guess_is_chosen_from_the_keyboard_alone(qtbot, answered, key):
    row = answered.guesses.cards[0]._rows[1]
    row.setFocus()
    qtbot.keyClick(row, key)
    qtbot.waitUntil(lambda: answered.evidence.heading == "Evidence for Turandot")

    assert QApplication.focusWidget() is row


def test_wikipedia_opens_only_on_a_click(qtbot, answered, monkeypatch):
    opened = []
    browser = "quizwriter.gui.writing.guess_row.QDesktopServices.openUrl"
    monkeypatch.setattr(browser, lambda url: opened.append(url.toString()))
    row = answered.guesses.cards[0]._rows[0]
    qtbot.mouseClick(row, Qt.MouseButton.LeftButton)
    assert opened == []
    qtbot.mouseClick(row.link, Qt.MouseButton.LeftButton)

    assert opened == ["https://en.wikipedia.org/wiki/Madama_Butterfly"]


def bell_place(window):
    """Where the margin has the bell of the line on which a player buzzes."""
    (line, *_) = window.draft.mark_painter.buzz_lines()
    return QPoint(
        window.draft.buzz_margin.width() - 10, round(line.box.center().y()) + window.draft.column.top()
    )


@pytest.mark.parametrize("way", ["bell", "mark", "lane", "name", "key"])
def test_a_bell_its_mark_the_lane_and_a_key_lead_to_the_evidence_at_the_buzz(qtbot, answered, way):
    window = answered
    window.right_tabs.choose(window.panes.past)
    (buzz,) = window.draft.buzz_marks()
    heard = next(lane.buzz for lane in window.time_line.lanes)
    assert window.session.heard is None
    if way == "bell":
        qtbot.mouseClick(window.draft.buzz_margin, Qt.MouseButton.LeftButton, pos=bell_place(window))
    elif way == "mark":
        ((_, shape),) = window.draft.mark_painter.buzz_shapes()
        place = shape.center().toPoint()
        qtbot.mouseClick(window.draft.viewport(), Qt.MouseButton.LeftButton, pos=place)
    elif way == "lane":
        box = dict(window.time_line.mark_boxes(0))["buzz"]
        qtbot.mouseClick(window.time_line, Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    elif way == "name":
        place = QPoint(8, round(window.time_line.box(0, 1).center().y()))
        qtbot.mouseClick(window.time_line, Qt.MouseButton.LeftButton, pos=place)
    else:
        window.menus.actions["next-buzz"].trigger()

    assert window.session.heard == heard
    assert window.right_tabs.shown is window.evidence
    qtbot.waitUntil(lambda: f"(word {heard} of 104)" in window.evidence.why)
    assert window.evidence.why.startswith("Buzz at ")
    assert all(span.end <= buzz.at for span, _ in window.draft.mark_painter.marks.cues)


def test_the_evidence_opens_at_the_buzz_and_the_lane_says_what_an_edit_did(qtbot, answered):
    window = answered
    heard = window.time_line.lanes[0].buzz
    share = round(100 * heard / 104)
    assert f"{share}\u00a0% (word {heard} of 104)" in window.evidence.why
    assert window.time_line.lanes[0].label == f"{share}\u00a0% (word {heard} of 104)"

    window.draft.select(Span(0, window.draft.buzz_marks()[0].at))
    qtbot.keyClick(window.draft, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: window.settled)
    label = window.time_line.lanes[0].label
    assert label.startswith(f"{share}\u00a0% \u2192 ")
    moved = label.split(" \u2192 ")[1].split(" (")[0]
    qtbot.keyClick(window.draft, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.settled and window.time_line.lanes[0].buzz == heard)
    assert window.time_line.lanes[0].label == f"{moved} \u2192 {share}\u00a0% (word {heard} of 104)"
