"""Find and replace in the window: in the open tossup, and over a set with a preview."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Commented, PutInSet, Status, StatusSet
from quizwriter.domain.span import Span
from quizwriter.domain.styles import LetterStyle, StyledSpan, TextStyles
from quizwriter.domain.tossup import Answer
from quizwriter.gui.dialogs.replace_in_set import ReplaceInSetDialog, TidyDialog
from quizwriter.gui.writing.find_bar import OWNER
from quizwriter.services.wiring import App
from quizwriter.workflow.replacing import TextSearch, TossupEdits, chosen_edits, plan_replacing
from quizwriter.workflow.session import PendingSave

TEXT = "A lake in Asia. Seals live in this Lake. Name this lake."


def saving(key, text, at_ms):
    return PendingSave.begun(key, text, None, at_ms, "ada")


def fill(app):
    """Put three tossups of a set into the database of ``app``."""
    app.store.save(saving("other", "No lake  here, but a LAKE there. ", 1))
    app.store.save(saving("locked", "A lake.", 2))
    app.store.save(saving("open", TEXT, 3))
    app.store.add_events(
        [Event.new(key, 4, "ada", PutInSet("Spring")) for key in ("open", "other", "locked")]
        + [Event.new("locked", 5, "ada", StatusSet(Status.ACCEPTED))]
    )


@pytest.fixture
def app(shared_app, shared_window):
    fill(shared_app)
    return shared_app


@pytest.fixture
def window(app, shared_window):
    shared_window.sessions.read_list()
    shared_window.sessions.open_saved("open")
    return shared_window


@pytest.fixture
def bar(window):
    window.menus.actions["replace"].trigger()
    bar = window.find_bar
    bar.match_case.setChecked(False)
    bar.new_words.clear()
    bar.words.clear()
    bar.words.setText("lake")
    return bar


def press(widget, name):
    next(button for button in widget.findChildren(QPushButton) if button.text() == name).click()


def test_all_matches_are_marked_and_walked_through_in_a_circle(qtbot, bar, window):
    assert bar.found.text() == "1 of 3"
    assert [one.span.of(TEXT) for one in window.draft.underlined(OWNER)] == ["lake", "Lake", "lake"]
    seen = []
    for _ in range(3):
        qtbot.keyClick(bar.words, Qt.Key.Key_Return)
        seen.append(bar.found.text())
    assert seen == ["2 of 3", "3 of 3", "1 of 3"]
    qtbot.keyClick(bar.words, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert window.draft.selected == Span(TEXT.rindex("lake"), TEXT.rindex("lake") + 4)

    bar.match_case.click()
    assert len(window.draft.underlined(OWNER)) == 2
    qtbot.keyClick(bar.words, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert window.draft.underlined(OWNER) == ()


def test_tab_goes_from_the_words_to_the_new_words_and_on_to_replace(qtbot, bar, window):
    window.activateWindow()
    bar.words.setFocus()
    for widget in (bar.new_words, bar.replace_one, bar.replace_every, bar.in_set, bar.match_case):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is widget


@pytest.mark.parametrize("where", ["draft", "button"])
def test_escape_closes_the_bar_wherever_the_keyboard_is(qtbot, bar, window, where):
    (window.draft if where == "draft" else bar.replace_every).setFocus()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert window.draft.underlined(OWNER) == ()
    assert window.draft.hasFocus()


def test_one_match_is_replaced_and_the_next_is_selected(bar, window):
    bar.new_words.setText("sea")
    bar.replace()
    assert window.draft.text.startswith("A sea in Asia. Seals live in this Lake.")
    assert window.draft.selected.of(window.draft.text) == "Lake"


def test_replacing_all_is_one_step_of_undo_and_keeps_comments_between(qtbot, bar, window, app):
    at = TEXT.index("Seals")
    app.store.add_events([Event.new("open", 6, "ada", Commented("Rare?", 1, at, at + 5, "Seals"))])
    window.comments.read()
    qtbot.waitUntil(lambda: len(window.comments.threads) == 1)
    bar.new_words.setText("inland sea")
    bar.replace_all()
    assert window.draft.text == TEXT.replace("lake", "inland sea").replace("Lake", "inland sea")
    assert bar.found.text() == "3 matches replaced"
    (thread,) = window.comments.threads
    assert thread.place.of(window.draft.text) == "Seals"
    window.draft.undo()
    assert window.draft.text == TEXT


def test_a_locked_tossup_is_searched_and_not_edited(bar, window):
    window.sessions.open_saved("locked")
    assert bar.found.text() == "1 match"
    bar.new_words.setText("sea")
    bar.replace_all()
    assert window.draft.text == "A lake."
    assert bar.found.text() == "1 match"


def preview(qtbot, window, kind):
    qtbot.waitUntil(lambda: bool(window.findChildren(kind)))
    (dialog,) = window.findChildren(kind)
    return dialog


def texts(app):
    return {key: app.store.load(key).tossup.text for key in ("open", "other", "locked")}


def test_over_a_set_every_edit_is_shown_before_and_can_be_left_out_and_taken_back(qtbot, bar, window, app):
    before = texts(app)
    bar.new_words.setText("sea")
    bar.in_set.click()
    dialog = preview(qtbot, window, ReplaceInSetDialog)
    assert (dialog.words.text(), dialog.new_words.text(), dialog.sets.currentData()) == (
        "lake",
        "sea",
        "Spring",
    )
    press(dialog, "Preview")
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 5)
    assert texts(app) == before
    assert "1 accepted tossup would change, but cannot" in dialog.summary.text()
    rows = [dialog.list.topLevelItem(row) for row in range(5)]
    left_out = next(row for row in rows if row.text(1).startswith("…No [lake]"))
    left_out.setCheckState(0, Qt.CheckState.Unchecked)
    press(dialog, "Make 4 edits")
    qtbot.waitUntil(lambda: window.messages.text("edits") == "2 tossups edited.")

    assert window.draft.text == "A sea in Asia. Seals live in this sea. Name this sea."
    assert texts(app)["other"] == "No lake  here, but a sea there. "
    assert app.store.check() == ()
    assert [change.author for change in app.store.history("other")] == ["ada", "ada"]

    press(window.messages, "Undo")
    assert QApplication.activeModalWidget() is not None  # nobody types into what is being edited
    qtbot.waitUntil(lambda: window.messages.text("edits") == "2 tossups as before.")
    assert QApplication.activeModalWidget() is None
    assert texts(app) == before
    assert len(app.store.history("open")) == 7  # nothing is rubbed out of the history


def test_other_words_need_another_preview(qtbot, bar, window):
    bar.in_set.click()
    dialog = preview(qtbot, window, ReplaceInSetDialog)
    dialog.preview()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() > 0)
    dialog.words.setText("seal")
    assert (dialog.list.topLevelItemCount(), dialog.primary.text()) == (0, "Preview")
    dialog.reject()


def test_a_text_that_was_changed_meanwhile_is_left_alone(app):
    meant = {"other": (Edit(0, "Yes", "No"),), "locked": (Edit(0, "A", "The"),)}
    report = app.tossups.edit({key: TossupEdits(edits) for key, edits in meant.items()})
    assert (dict(report.undo), set(report.refused)) == ({}, {"other", "locked"})


def styled(app, key, words):
    session = app.tossups.session(key)
    at = session.tossup.text.index(words)
    session.restyle(Span(at, at + len(words)), TextStyles.of_codes(b"\4" * len(words)))
    app.tossups.save(session.take_unsaved())
    return app.store.load(key)


@pytest.mark.parametrize(
    ("old", "new", "styled_now"),
    [
        pytest.param("LAKE there", "", "", id="the styled words go"),
        pytest.param("a LAKE", "a SEA", "SEA there", id="the styled words begin in a match"),
        pytest.param("there.", "there, too.", "LAKE there, too", id="a match reaches beyond them"),
    ],
)
def test_a_set_is_edited_with_the_styles_that_typing_gives_and_taken_back_with_all(app, old, new, styled_now):
    before = styled(app, "other", "LAKE there")
    report = replaced(app, old, new)
    stored = app.store.load("other")
    shown = "".join(stored.tossup.text[one.start : one.end] for one in stored.styles.spans())
    assert shown == styled_now

    app.tossups.take_back(report.undo)
    stored = app.store.load("other")
    assert (stored.tossup, stored.styles) == (before.tossup, before.styles)
    session = app.tossups.session("other")
    session.take_log(session.log_of(app.store.history("other"), app.store.events("other")))
    session.redo()  # it is a step of undo like any other
    assert session.tossup.text == before.tossup.text.replace(old, new)
    assert app.store.check() == ()


def test_what_was_changed_since_is_not_taken_back(app):
    report = replaced(app, "No lake", "")
    session = app.tossups.session("other")
    session.type(f"So {session.tossup.text}")
    app.tossups.save(session.take_unsaved())
    before = app.store.load("other").tossup
    undone = app.tossups.take_back(report.undo)
    assert (dict(undone.undo), undone.refused) == ({}, ("other",))
    assert app.store.load("other").tossup == before


def test_what_is_locked_or_gone_since_is_not_taken_back(app):
    report = replaced(app, "No lake", "")
    app.store.add_events([Event.new("other", 9, "ada", StatusSet(Status.ACCEPTED))])
    assert app.tossups.take_back(report.undo).refused == ("other",)
    assert app.tossups.take_back({"gone": report.undo["other"]}).refused == ("gone",)


def answered(app, line, page, bold):
    session = app.tossups.session("other")
    session.set_answer(Answer(line, page))
    session.restyle_answer(TextStyles.of([StyledSpan(bold.start, bold.end, (LetterStyle.BOLD,))], len(line)))
    app.tossups.save(session.take_unsaved())


def replaced(app, old, new):
    plan = plan_replacing(app.tossups.editable(["other"]), TextSearch(old, match_case=True), new)
    return app.tossups.edit(chosen_edits(plan.edits))


def test_answer_lines_are_edited_with_their_styles_and_taken_back_whole(app):
    answered(app, "Lake Baikal [or Baikal Lake]", Page("Lake_Baikal"), Span(5, 11))

    report = replaced(app, "or Baikal", "accept the Baikal")
    stored = app.store.load("other")
    assert stored.tossup.answer == Answer("Lake Baikal [accept the Baikal Lake]", Page("Lake_Baikal"))
    assert app.store.check() == ()

    report = replaced(app, "Baikal", "Onega")
    stored = app.store.load("other")
    assert stored.tossup.answer == Answer("Lake Onega [accept the Onega Lake]")  # another answer, so no page
    assert [stored.tossup.answer.line[one.start : one.end] for one in stored.answer_styles.spans()] == [
        "Onega"
    ]

    app.tossups.take_back(report.undo)
    assert app.store.load("other").tossup.answer == Answer(
        "Lake Baikal [accept the Baikal Lake]", Page("Lake_Baikal")
    )


def test_the_preview_says_which_edits_are_of_answer_lines(qtbot, bar, app):
    answered(app, "a lake", None, Span(0, 1))
    bar.in_set.click()
    dialog = preview(qtbot, bar.window(), ReplaceInSetDialog)
    dialog.preview()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 6)
    titles = [dialog.list.topLevelItem(row).text(0) for row in range(6)]
    assert titles.count("a lake (answer line)") == 1
    dialog.reject()


@pytest.fixture
def own_app(tmp_path):
    app = App(tmp_path)
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    fill(app)
    yield app
    app.store.close()


def test_tidying_takes_spaces_away_and_offers_blank_drafts_for_the_bin(qtbot, own_app, open_window):
    app = own_app
    window = open_window(app, start=False, right=False)
    app.store.save(saving("blank", "  ", 9))
    window.menus.actions["tidy"].trigger()
    dialog = preview(qtbot, window, TidyDialog)
    dialog.sets.setCurrentIndex(0)
    qtbot.waitUntil(lambda: not dialog.busy)
    dialog.preview()
    qtbot.waitUntil(lambda: not dialog.busy and dialog.list.topLevelItemCount() == 2)
    press(dialog, "Move 1 blank draft to the bin")
    qtbot.waitUntil(lambda: [one.tossup_id for one in app.tossups.bin_contents()] == ["blank"])
    press(dialog, "Make 2 edits")
    qtbot.waitUntil(lambda: texts(app)["other"] == "No lake here, but a LAKE there.")


def test_where_nothing_is_to_be_tidied_the_dialog_says_what_it_looked_for(qtbot, window, app):
    replaced(app, "lake  here", "lake here")
    session = app.tossups.session("other")
    session.type(session.tossup.text.strip())
    app.tossups.save(session.take_unsaved())
    window.menus.actions["tidy"].trigger()
    dialog = preview(qtbot, window, TidyDialog)
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.summary.text() == (
        "Nothing to tidy: no spaces at the ends of texts and lines, no double spaces and no double empty "
        "lines, and no blank drafts in 3 tossups."
    )


def test_a_search_in_vain_says_what_was_looked_for(qtbot, bar, window):
    bar.words.setText("  ")
    bar.in_set.click()
    dialog = preview(qtbot, window, ReplaceInSetDialog)
    dialog.match_case.setChecked(True)
    dialog.words.setText("no such words")
    dialog.preview()
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.summary.text() == "Nothing to replace: “no such words” was not found in 3 tossups."
