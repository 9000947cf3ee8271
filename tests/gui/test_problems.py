"""The problems in the window: found after a pause, walked through, fixed, dismissed, and switched off."""

from __future__ import annotations

import threading

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu

from quizwriter.domain.review import Dismissed, StyleChosen
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import (
    NO_GOAL_AT_ALL,
    STANDARD_STYLE,
    BuzzGoal,
    PointsPhrase,
    Powers,
    Spelling,
    StyleSheet,
)
from quizwriter.domain.styles import PLAIN
from quizwriter.domain.tossup import Tossup
from quizwriter.gui import problems_controller
from quizwriter.gui.analysis_controller import AnalysisController
from quizwriter.gui.application import make_window
from quizwriter.gui.dialogs.set_style import StyleSheetDialog
from quizwriter.gui.review.status_dialog import LineDialog
from quizwriter.gui.writing.problem_list import ROW_SIDE, ProblemRow
from quizwriter.services.wiring import App
from quizwriter.workflow.goals import goal_sentence
from quizwriter.workflow.session import WritingSession
from tests.helpers.patience import PATIENCE_MS, hurried

TEXT = "This king sold the the eels. He didn't like them. For 10 points, name this king  of eels."


@pytest.fixture(scope="module", autouse=True)
def _hurried():
    with hurried("problems_controller.PAUSE_MS"):
        yield


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(qtbot, shared_window):
    window = shared_window
    window.analysis.show_placeholder("")  # no players are loaded here, and none are waited for
    qtbot.waitExposed(window)
    return window


@pytest.fixture
def written(qtbot, window):
    """A window with a draft that has three problems in its text."""
    write(qtbot, window, TEXT)
    return window


def write(qtbot, window, text):
    with found(qtbot, window):
        window.draft.replace(text)


def found(qtbot, window):
    """Waits until the problems of the present draft are shown."""
    return qtbot.waitSignal(
        window.problems.found, check_params_cb=lambda generation: generation == window.session.generation
    )


def in_text(window):
    return [one.words for one in window.problems.problems if one.words]


def underlined(window):
    return [one.span.of(window.draft.text) for one in window.draft.underlined("problems")]


def dialog_of(window, kind):
    return next(dialog for dialog in window.findChildren(kind) if dialog.isVisible())


@pytest.fixture
def no_screen(monkeypatch):
    """Menus are filled and not shown: the platform of the tests grabs no keyboard for them."""
    monkeypatch.setattr(QMenu, "popup", lambda menu, place: None)


def dismiss(qtbot, window, reason="It is a quotation.", meanwhile=lambda: None):
    record_dismissal(qtbot, window, reason, meanwhile)
    qtbot.waitUntil(lambda: not window.problems._busy)


def record_dismissal(qtbot, window, reason, meanwhile=lambda: None):
    window.problems.list.dismiss_button.click()
    dialog = dialog_of(window, LineDialog)
    dialog.line.setText(reason)
    meanwhile()
    with qtbot.waitSignal(window.review_actions.changed):
        dialog._enter()


def test_problems_are_found_after_a_pause_counted_and_underlined_once_somebody_looks(qtbot, written):
    assert in_text(written) == ["the the", "didn't", "  "]
    count = len(written.problems.problems)
    assert written.status.problems.text() == f"{count} problems"
    assert not written.problems.list.is_open
    assert underlined(written) == []

    written.problems.toggle()
    assert underlined(written) == ["the the", "didn't", "  "]
    qtbot.keyClick(written.draft, Qt.Key.Key_Escape)
    assert not written.problems.list.is_open
    assert underlined(written) == []


def test_an_empty_draft_has_no_problem(window):
    assert window.problems.problems == ()
    assert window.status.problems.isHidden()


def test_a_count_waits_for_the_games_that_some_rules_are_about(qtbot, written, monkeypatch):
    """What the players have not played yet is not without problems."""
    monkeypatch.setattr(AnalysisController, "games_to_come", property(lambda _: True))
    written.sessions.open(
        WritingSession("eels", Tossup("This king sold eels. For 10 points, name this king."))
    )
    assert written.status.problems.isHidden()
    with found(qtbot, written):
        written.problems.read()
    assert written.status.problems.isHidden()
    monkeypatch.undo()
    written.problems.read()
    qtbot.waitUntil(lambda: written.status.problems.isVisible())
    assert written.status.problems.text() == f"{len(written.problems.problems)} problems"


def test_what_is_said_of_whole_tossups_waits_until_the_last_sentence_is_begun(qtbot, window):
    write(qtbot, window, "This king sold the the eels.")
    assert [one.rule for one in window.problems.problems] == ["repeated_word"]
    write(qtbot, window, "This king sold the the eels. For 10 points, name him.")
    assert {one.rule for one in window.problems.problems} >= {"repeated_word", "length", "answer"}
    write(qtbot, window, "This king sold eels. " * 13)
    assert {one.rule for one in window.problems.problems} >= {"fps", "answer"}


def test_a_long_sentence_of_the_list_is_whole(qtbot, written):
    written.problems.toggle()
    tree = written.problems.list.tree
    written.problems.list.show_rows([ProblemRow("This sentence is longer than the list is wide. " * 2, "")])
    item = tree.topLevelItem(0)
    line = tree.fontMetrics().height()
    qtbot.waitUntil(lambda: tree.visualItemRect(item).height() > 2 * line)

    # one that just fits has one line, as the row below it
    text = "m"
    while tree.fontMetrics().horizontalAdvance(text + "m") <= tree.viewport().width() - 2 * ROW_SIDE:
        text += "m"
    written.problems.list.show_rows([ProblemRow(text, ""), ProblemRow("m", ""), ProblemRow(text + "m m", "")])
    heights = [tree.visualItemRect(tree.topLevelItem(row)).height() for row in range(3)]
    assert heights[0] == heights[1] < heights[2]


def test_an_answer_alone_has_no_problem(qtbot, window):
    with found(qtbot, window):
        window.answer.line.setFocus()
        qtbot.keyClicks(window.answer.line, "Atlantis of the eels")
    assert window.problems.problems == ()


def marked_by(qtbot, window, key, times):
    """The words that are selected after each stroke of ``key`` in the draft, which keeps the keyboard."""
    marked = []
    for _ in range(times):
        qtbot.keyClick(window.draft, key)
        marked.append(window.draft.selected.of(window.draft.text))
        assert window.draft.hasFocus()
    return marked


def test_f8_opens_the_list_and_goes_through_the_text_and_round(qtbot, written):
    written.draft.select(Span(0, 0))
    written.draft.setFocus()
    assert marked_by(qtbot, written, Qt.Key.Key_F8, 4)[:3] == ["the the", "didn't", "  "]
    assert written.problems.list.is_open
    qtbot.keyClick(written.draft, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert written.draft.selected.of(TEXT) == "  "
    current = [one for one in written.draft.underlined("problems") if one.current]
    assert [one.span.of(TEXT) for one in current] == ["  "]


def test_the_list_moves_nothing_of_the_draft(qtbot, written):
    written.resize(1280, 800)

    def place():
        left = written.draft.mapTo(written, written.draft.column.topLeft())
        return left, list(written.draft.boxes(Span(0, 60))), written.time_line.height()

    before = place()
    written.problems.toggle()
    qtbot.waitUntil(lambda: written.problems.list.height() > 600)
    assert place() == before
    assert written.time_line.isVisible()
    qtbot.keyClick(written.problems.list.tree, Qt.Key.Key_Escape)
    assert not written.problems.list.is_open
    assert written.draft.hasFocus()
    assert place() == before


def test_problems_keep_to_their_words_while_somebody_types(written):
    spans = [one.span for one in written.problems.problems if one.words]
    written.draft.select(Span(0, 4))

    written.draft.insertPlainText("The")  # a letter less, and problems are not looked for yet

    moved = [one.span for one in written.problems.problems if one.words]
    assert moved == [Span(span.start - 1, span.end - 1) for span in spans]
    written.draft.select(moved[0])
    written.draft.insertPlainText("an")
    assert in_text(written) == ["didn't", "  "]


@pytest.fixture
def slow_look(qtbot, written, monkeypatch):
    """Looks for the problems of the written draft, and goes on with that once the event is set."""
    find, looks, may_find = problems_controller._find, threading.Event(), threading.Event()

    def find_later(*given):
        looks.set()
        may_find.wait(PATIENCE_MS / 1_000)
        return find(*given)

    monkeypatch.setattr(problems_controller, "_find", find_later)
    written.problems.read()
    qtbot.waitUntil(looks.is_set)
    yield may_find
    may_find.set()


@pytest.mark.parametrize("goes_on", ["typing", "another tossup"])
def test_what_was_found_in_an_older_text_is_not_shown(qtbot, written, slow_look, goes_on):
    shown = []
    written.problems.found.connect(shown.append)
    if goes_on == "typing":
        written.draft.insertPlainText("!")
    else:
        written.sessions.open(WritingSession("eels", Tossup("This king sold eels.")))
    slow_look.set()
    qtbot.waitUntil(lambda: not written.problems._busy and bool(shown))
    written.problems.found.disconnect(shown.append)

    assert shown == [written.session.generation]


def test_f7_goes_from_one_misspelt_word_to_the_next_and_round(qtbot, window):
    text = "This king recieved  the the eels of a goverment that he liked."
    write(qtbot, window, text)
    assert {one.rule for one in window.problems.problems} > {"spelling"}
    window.draft.select(Span(0, 0))
    window.draft.setFocus()
    assert marked_by(qtbot, window, Qt.Key.Key_F7, 3) == ["recieved", "goverment", "recieved"]


def test_a_fix_is_a_step_of_undo_and_takes_the_problem_away(qtbot, written):
    written.draft.select(Span(0, 0))
    written.problems.step(1)
    with found(qtbot, written):
        written.problems.list.fix_button.click()
    assert "sold the eels" in written.draft.text
    assert in_text(written) == ["didn't", "  "]
    with found(qtbot, written):
        written.draft.undo()
    assert written.draft.text == TEXT
    assert in_text(written) == ["the the", "didn't", "  "]


def test_problems_are_fixed_one_after_the_other_by_the_same_button(qtbot, written):
    problems = written.problems.list
    written.draft.select(Span(0, 0))
    written.problems.step(1)
    problems.fix_button.setFocus()
    with found(qtbot, written):
        problems.fix_button.click()
    assert problems.fix_button.hasFocus()
    assert problems.current_row.sentence == written.problems.problems[problems.current].sentence
    assert written.draft.selected.of(written.draft.text) == "didn't"


def test_ctrl_period_says_of_a_clean_draft_that_it_has_no_problems(window, monkeypatch):
    told = []
    monkeypatch.setattr(window.messages, "show_message", lambda _, text, **__: told.append(text))
    window.problems.offer()
    assert told == ["There are no problems."]
    window.problems.toggle()
    assert window.problems.list._count.text() == ""


def test_the_menu_at_the_cursor_offers_what_can_be_done(qtbot, written, no_screen):
    at = TEXT.index("didn't") + 2
    written.draft.select(Span(at, at))
    written.problems.offer()
    texts = [action.text() for action in written.problems.menu.actions()]
    assert texts == [
        "“didn't” is a contraction.",
        "Change to “did not”",
        "Dismiss with a reason…",
        "Switch this rule off in the set",
    ]
    with found(qtbot, written):
        written.problems.menu.actions()[1].trigger()
    written.problems.menu.close()
    assert "He did not like" in written.draft.text
    written.problems.step(1)
    end = len(written.draft.text)
    written.draft.select(Span(end, end))
    written.draft.insertPlainText("!")  # who types elsewhere has left the problem
    written.problems.offer()
    assert "There is no problem here" in written.messages.text("problems")


def test_what_is_dismissed_stays_so_with_its_words_through_edits_and_a_new_start(qtbot, written, app):
    written.draft.select(Span(TEXT.index("didn't"), TEXT.index("didn't")))
    written.problems.step(1)
    key = written.session.tossup_id
    dismiss(qtbot, written, meanwhile=written.sessions.open_new)
    written.sessions.open_saved(key)
    qtbot.waitUntil(lambda: in_text(written) == ["the the", "  "])
    assert written.problems.list.rows[-1].reason == "It is a quotation."
    (event,) = app.review.review_of(written.session.tossup_id).dismissed
    assert (event.body.rule, event.body.quoted) == ("contractions", "didn't")
    with found(qtbot, written):
        written.draft.select(Span(0, 0))
        written.draft.insertPlainText("Long ago. ")
        written.problems.list.chosen.emit(len(written.problems.problems))
        assert written.draft.selected.of(written.draft.text) == "didn't"
    assert in_text(written) == ["the the", "  "]
    written.save()
    written.saver.flush(PATIENCE_MS)
    assert "contractions" not in {one.rule for one in app.problems.of_saved(written.session.tossup_id)}
    at = written.draft.text.index("didn't")
    with found(qtbot, written):
        written.draft.select(Span(at, at + len("didn't")))
        qtbot.keyClicks(written.draft, "doesn't")
    assert "doesn't" in in_text(written)


def test_what_is_dismissed_while_older_dismissals_are_read_stays_dismissed(qtbot, written, slow_look):
    written.draft.select(Span(0, 0))
    written.problems.step(1)
    record_dismissal(qtbot, written, "A song.")
    slow_look.set()
    qtbot.waitUntil(lambda: not written.problems._busy)
    assert in_text(written) == ["didn't", "  "]


def test_what_was_dismissed_can_count_again(qtbot, written):
    written.problems.list.open_list()
    written.problems.list.make_current(
        written.problems.problems.index(
            next(one for one in written.problems.problems if one.words == "didn't")
        )
    )
    dismiss(qtbot, written)
    qtbot.waitUntil(lambda: "didn't" not in in_text(written))
    written.problems.list.make_current(len(written.problems.list.rows) - 1)
    assert written.problems.list.dismiss_button.text() == "Count it again"
    with qtbot.waitSignal(written.review_actions.changed):
        written.problems.list.dismiss_button.click()
    qtbot.waitUntil(lambda: "didn't" in in_text(written))


def test_a_rule_is_switched_off_for_the_set_and_the_style_sheet_says_so(qtbot, written, app, no_screen):
    at = TEXT.index("didn't") + 2
    written.save()
    written.saver.flush(PATIENCE_MS)
    written.draft.select(Span(at, at))
    written.problems.offer()
    with qtbot.waitSignal(written.review_actions.changed):
        written.problems.menu.actions()[3].trigger()
    written.problems.menu.close()
    qtbot.waitUntil(lambda: in_text(written) == ["the the", "  "])
    assert app.problems.style_sheet("").changed == ("contractions",)


def test_a_rule_that_the_style_sheet_had_switched_on_is_switched_off_again(qtbot, written, app, no_screen):
    written.answer.fill_in("eels", PLAIN)
    written.problems._save_sheet("", StyleSheet(("underline", "contractions")))
    qtbot.waitUntil(lambda: any(one.rule == "underline" for one in written.problems.problems))
    written.problems.step(1, "underline")
    written.problems.offer()
    written.problems.menu.actions()[-1].trigger()
    written.problems.menu.close()
    qtbot.waitUntil(lambda: app.problems.style_sheet("").changed == ("contractions",))


def test_the_dialog_gives_back_what_it_shows(qtbot, window):
    sheet = StyleSheet(("contractions",), 60, 120, 30, Spelling.BRITISH, PointsPhrase.WORDS, Powers.EXPECTED)
    dialog = StyleSheetDialog(window.theme, "Winter Open", sheet, ["ir"], window)
    assert dialog.sheet == sheet
    for percent in (0, 70, None):
        full = replace(sheet, buzz_percent=percent, goal=BuzzGoal(60, "a player elsewhere"))
        dialog.show_sheet(full)
        assert dialog.sheet == full
    later = replace(sheet, changed=("contractions", "a_rule_of_a_later_version"))
    dialog.show_sheet(later)
    assert dialog.sheet == later
    dialog.show_sheet(STANDARD_STYLE)
    with qtbot.waitSignal(dialog.saved) as saved:
        dialog.save()
    assert saved.args == [STANDARD_STYLE]


def test_a_dismissal_and_a_style_sheet_are_events_of_the_tossup(qtbot, written, app):
    written.save()
    written.saver.flush(PATIENCE_MS)
    app.problems.choose_style("", StyleSheet(longest=99))
    kinds = [type(event.body) for event in app.review.events(written.session.tossup_id)]
    assert kinds == [StyleChosen]
    assert Dismissed not in kinds


def test_lengths_are_those_of_the_preferences_until_the_set_has_its_own(qtbot, written, app):
    def said():
        return [one.sentence for one in written.problems.problems if one.rule == "length"]

    written.appearance.save_settings(shortest_words=3, longest_words=10)
    qtbot.waitUntil(lambda: said() == ["18 words; from 3 to 10 is usual."])
    assert "(8 too many)" in written.status.length

    written.problems._save_sheet("", StyleSheet(longest=15))
    qtbot.waitUntil(lambda: said() == ["18 words; from 50 to 15 is usual."])
    assert "(3 too many)" in written.status.length
    written.appearance.save_settings(longest_words=500)
    assert "(3 too many)" in written.status.length


def test_the_goal_of_the_set_stands_in_the_time_line_until_the_tossup_has_one(qtbot, written):
    def described():
        return written.time_line.accessibleDescription()

    written.problems._save_sheet("", StyleSheet(goal=BuzzGoal(50, "ir")))
    qtbot.waitUntil(lambda: "IR is not to buzz before 50 % of the words, which is word 9" in described())
    key = written.session.tossup_id
    with qtbot.waitSignal(written.review_actions.changed):
        written.review_actions.record([key], BuzzGoal(100), "a goal")
    qtbot.waitUntil(lambda: "No player is to buzz before 100 %" in described())
    with qtbot.waitSignal(written.review_actions.changed):
        written.review_actions.record([key], NO_GOAL_AT_ALL, "no goal")
    qtbot.waitUntil(lambda: "goal" not in described())
    assert goal_sentence(NO_GOAL_AT_ALL) == "No goal for this tossup"


def test_the_buzz_rule_of_the_set_holds_before_the_first_look_for_problems(qtbot, tmp_path, monkeypatch):
    app = App(tmp_path)
    session = app.tossups.new_session()
    session.type("A lake in Asia.")
    app.tossups.save(session.take_unsaved())
    app.problems.choose_style("", StyleSheet(buzz_percent=40, goal=BuzzGoal(50, "ir")))
    monkeypatch.setattr(problems_controller, "FIRST_LOOK_MS", 10_000_000)

    window = make_window(app, QApplication.instance(), scheme="light")
    qtbot.waitUntil(lambda: window.problems.sheet.buzz_percent == 40)
    assert "IR is not to buzz before 50 %" in window.time_line.accessibleDescription()
    window.close()
    window.deleteLater()
    qtbot.wait(1)


def spelling_menu(window):
    """What Ctrl+. offers for the misspelt word, by what it says."""
    (one,) = [one for one in window.problems.problems if one.rule == "spelling"]
    window.draft.select(one.span)
    window.problems.offer()
    return {action.text(): action for action in window.problems.menu.actions()}


@pytest.mark.usefixtures("no_screen")
def test_a_misspelt_word_is_underlined_and_mended_by_a_suggestion(qtbot, window):
    write(qtbot, window, "This king found it necesary to flee.")
    assert "necesary" in underlined(window)
    with found(qtbot, window):
        spelling_menu(window)["Change to “necessary”"].trigger()
    assert window.draft.text == "This king found it necessary to flee."
    assert not [one for one in window.problems.problems if one.rule == "spelling"]


@pytest.mark.usefixtures("no_screen")
@pytest.mark.parametrize("choice", ["Add to the words of the set", "Add to my words"])
def test_a_word_is_added_to_those_that_are_right(qtbot, app, window, choice):
    write(qtbot, window, "This king found it necesary to flee.")
    spelling_menu(window)[choice].trigger()
    qtbot.waitUntil(lambda: "necesary" not in underlined(window))
    of_set = app.problems.style_sheet("").words
    assert (of_set, app.profile.settings.own_words) in ((("necesary",), ()), ((), ("necesary",)))
