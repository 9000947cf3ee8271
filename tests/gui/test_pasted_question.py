"""A whole question that is pasted into an empty draft: what is offered, and what is filled in."""

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtWidgets import QPushButton

from quizwriter.domain.review import Categorised
from quizwriter.domain.span import Span
from quizwriter.domain.styles import LetterStyle, TextStyles
from quizwriter.domain.tossup import Answer
from quizwriter.formats.packets.grammar import read_pasted
from tests.helpers.windows import put_back

QUESTION = (
    "7. This animal, in a story by a made-up author, sleeps on a stove and (*) counts the flies above it. "
    "For 10 points, name this animal that purrs."
)
BONUS = (
    "7. This bird builds nests. For 10 points each:\n[10] Name this bird that quacks and swims on ponds.\n"
    "ANSWER: duck\n[10] This person wrote about ducks, and about the ponds they swim on.\nANSWER: Ada\n"
    "[10] This made-up city holds ducks in a park.\nANSWER: Pondville\n<Ada, Biology>"
)
WHOLE = f"{QUESTION}\nANSWER: cat [accept kitten]\n<Ada, American Literature>"


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared()


@pytest.fixture
def window(opened, qtbot):
    return put_back(opened, qtbot)


def paste(window, text, html=""):
    source = QMimeData()
    source.setText(text)
    if html:
        source.setHtml(html)
    window.draft.insertFromMimeData(source)


def test_a_whole_question_is_offered_and_one_key_fills_it_in(qtbot, window):
    recorded = []
    window.review_actions.record_as_pasted = lambda key, body, what: recorded.append((key, body))
    paste(window, WHOLE)
    assert window.draft.text == WHOLE  # plain until somebody asks
    assert window.messages.text("pasted") == (
        "This looks like a whole question. Press Ctrl+Alt+V to fill in its text, answer and category, or "
        "leave the text as it is."
    )
    window.menus.actions["fill-question"].trigger()

    session = window.sessions.current
    assert session.tossup.text == window.draft.text == QUESTION.removeprefix("7. ")
    assert session.tossup.answer.line == window.answer.line.text() == "cat [accept kitten]"
    assert recorded == [(session.tossup_id, Categorised(("American Literature",)))]
    assert window.messages.text("pasted") == ""
    window.draft.undo()
    assert window.draft.text == WHOLE


def test_styles_of_the_question_and_of_its_answer_line_come_along(window):
    window.review_actions.record_as_pasted = lambda key, body, what: None
    html = WHOLE.replace("<", "&lt;").replace("\n", "<br>")
    html = html.replace("made-up author", "<i>made-up</i> author").replace(
        "ANSWER: cat", "ANSWER: <b><u>cat</u></b>"
    )
    paste(window, WHOLE, html)
    window.pasted.fill()
    session = window.sessions.current
    at = session.tossup.text.index("made-up")

    assert session.styles.stretch(Span(at, at + 7)).has(LetterStyle.ITALIC, "made-up", Span(0, 7))
    assert session.answer_styles == TextStyles(b"\3\3\3") == window.answer.styling.styles


def test_the_bold_that_prints_a_power_becomes_no_style(window):
    html = f"<b>{QUESTION.replace('(*)', '(*)</b>')}<br>ANSWER: <b><u>cat</u></b>"
    paste(window, f"{QUESTION}\nANSWER: cat", html)
    window.pasted.fill()
    session = window.sessions.current
    assert "(*)" in session.tossup.text
    assert not session.styles
    assert session.answer_styles == TextStyles(b"\3\3\3")


def test_what_is_filled_in_is_one_step_of_undo_with_its_styles(window):
    text = f"{QUESTION}\nANSWER: cat".replace("made-up", "<i>made-up</i>")
    paste(window, text)
    window.pasted.fill()
    assert window.sessions.current.styles
    window.draft.undo()
    assert (window.draft.text, window.sessions.current.styles) == (text, TextStyles())
    window.draft.redo()
    assert window.draft.text == QUESTION.removeprefix("7. ")
    assert window.sessions.current.styles


def test_an_answer_that_was_there_before_stays_although_the_paste_has_it_too(window):
    window.review_actions.record_as_pasted = lambda key, body, what: None
    window.answer.fill_in("cat [accept kitten]", TextStyles())
    paste(window, WHOLE)
    window.pasted.fill()
    window.draft.undo()
    assert (window.draft.text, window.answer.line.text()) == (WHOLE, "cat [accept kitten]")


def test_an_undo_of_what_was_filled_in_keeps_an_answer_that_was_written_since_or_before(window):
    window.review_actions.record_as_pasted = lambda key, body, what: None
    paste(window, WHOLE)
    window.pasted.fill()
    window.answer.fill_in("tomcat", TextStyles())
    window.draft.undo()
    assert (window.draft.text, window.session.tossup.answer.line) == (WHOLE, "tomcat")

    window.sessions.open_new()
    window.answer.fill_in("lion", TextStyles())
    paste(window, WHOLE)
    window.pasted.fill()
    window.draft.undo()
    assert (window.draft.text, window.session.tossup.answer.line) == (WHOLE, "lion")


@pytest.mark.parametrize("text", [f"{WHOLE}\n\n{BONUS}", f"{BONUS}\n\n{WHOLE}"], ids=["before", "behind"])
def test_of_a_tossup_with_its_bonus_the_tossup_is_filled_in(window, text):
    window.review_actions.record_as_pasted = lambda key, body, what: None
    paste(window, text)
    assert window.messages.text("pasted") == (
        "This looks like a tossup with its bonus. Press Ctrl+Alt+V to fill in the tossup's text, answer and "
        "category, without the bonus, or leave the text as it is."
    )
    window.pasted.fill()
    assert window.draft.text == QUESTION.removeprefix("7. ")
    assert window.sessions.current.tossup.answer.line == "cat [accept kitten]"
    window.draft.undo()
    assert window.draft.text == text


def test_the_line_ends_of_word_end_lines(window):
    paste(window, f"{QUESTION}\vANSWER: cat\f<Ada, Music>")
    assert window.draft.text == f"{QUESTION}\nANSWER: cat\n<Ada, Music>"
    assert "answer and category" in window.messages.text("pasted")


def test_html_alone_is_pasted_with_its_styles(window):
    source = QMimeData()
    source.setHtml("<p>This <i>eel</i> king</p><script>mud()</script>")
    assert window.draft.canInsertFromMimeData(source)
    window.draft.insertFromMimeData(source)
    assert window.draft.text == "This eel king"
    styles = window.sessions.current.styles
    assert [(span.start, span.end, span.styles) for span in styles.spans()] == [(5, 8, (LetterStyle.ITALIC,))]


def test_a_small_answer_mark_does_not_lose_the_styles_of_the_answer_line(window):
    text = f"{QUESTION}\nAnswer: cat"
    paste(window, text, text.replace("\n", "<br>").replace("Answer: cat", "Answer: <b><u>cat</u></b>"))
    window.pasted.fill()
    assert window.sessions.current.answer_styles == TextStyles(b"\3\3\3")


def test_tags_that_are_pasted_as_plain_text_become_styles(window):
    paste(window, f"{QUESTION.replace('made-up', '<i>made-up</i>')}\nANSWER: <b><u>cat</u></b> [or kitten]")
    window.pasted.fill()
    session = window.sessions.current
    at = session.tossup.text.index("made-up")

    assert session.tossup.text == QUESTION.removeprefix("7. ")
    assert session.styles.stretch(Span(at, at + 7)).has(LetterStyle.ITALIC, "made-up", Span(0, 7))
    assert session.tossup.answer.line == "cat [or kitten]"
    assert session.answer_styles == TextStyles(b"\3\3\3")


def test_an_answer_and_a_category_that_are_there_stay(window):
    window.review_actions.record_as_pasted = pytest.fail
    window.answer.fill_in("dog", TextStyles())
    paste(window, f"{QUESTION}\nANSWER: cat")
    assert "fill in its text, or" in window.messages.text("pasted")
    window.pasted.fill()
    assert window.sessions.current.tossup.answer == Answer("dog", window.answer.answer.page)


def test_the_offer_goes_with_the_text_and_without_one_the_key_says_what_to_do(qtbot, window):
    paste(window, WHOLE)
    qtbot.keyClicks(window.draft, "x")
    assert window.messages.text("pasted") == ""
    window.pasted.fill()
    assert window.draft.text == f"{WHOLE}x"
    assert window.messages.text("pasted").startswith("Paste a whole question")
    window.draft.undo()
    window.draft.undo()
    paste(window, WHOLE)
    window.sessions.open_new()
    assert window.messages.text("pasted") == ""


def test_what_became_of_a_paste_is_said_only_while_its_tossup_is_open(window):
    paste(window, "A paste")
    window.messages.show_message("pasted", "2 drafts added.", news=True)
    window.sessions.open_new()
    assert window.messages.text("pasted") == ""


def test_an_answer_line_may_begin_with_a_single_letter(window):
    paste(window, f"{QUESTION}\nA: cat")
    window.pasted.fill()
    assert window.session.tossup.answer.line == "cat"
    assert window.session.tossup.text.endswith(QUESTION[-20:])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{QUESTION}\nA: cat\nA: dog", id="two short answer marks"),
        pytest.param(QUESTION, id="no answer line"),
        pytest.param(f"{WHOLE}\n\n8. {QUESTION[3:]}", id="a question whose answer line is missing"),
        pytest.param(BONUS, id="a bonus alone"),
        pytest.param("ANSWER: cat", id="no question"),
        pytest.param("Fans of cats " * 2_000 + "\nANSWER: cat", id="far too long"),
        pytest.param("ANSWER: a\n" * 1_500, id="a list of answers"),
    ],
)
def test_what_is_no_whole_question_stays_a_paste(window, text):
    packet = read_pasted(text)
    assert packet is None or packet.unread
    paste(window, text)
    assert window.messages.text("pasted") == ""


def test_the_questions_of_a_packet_that_is_too_long_for_a_draft_are_imported_from_the_paste(qtbot, window):
    taken = []
    window.pasted._import = lambda text, then, failed: (taken.append(text), then("30 drafts added."))
    whole = "\n\n".join(f"{number}. {WHOLE[3:]}" for number in range(1, 130))
    paste(window, whole, whole.replace("<", "&lt;").replace("\n", "<br>").replace("stove", "<i>stove</i>"))
    assert window.draft.text == ""
    assert window.messages.text("paste").endswith("a tossup has at most 20,000, so nothing was changed.")
    (button,) = [one for one in window.messages.findChildren(QPushButton) if one.text().startswith("Import")]
    button.click()
    assert taken == [whole.replace("stove", "<i>stove</i>")]
    assert window.messages.text("paste") == "30 drafts added."


def test_a_paste_into_a_text_is_a_paste(qtbot, window):
    qtbot.keyClicks(window.draft, "Begun. ")
    paste(window, WHOLE)
    assert window.messages.text("pasted") == ""


def test_an_answer_line_that_was_cut_by_hand_comes_back_and_the_answer_stays(window):
    window.review_actions.record_as_pasted = lambda key, body, what: None
    question = QUESTION.removeprefix("7. ")
    paste(window, f"{question}\nANSWER: cat [accept kitten]")
    window.answer.fill_in("cat [accept kitten]", TextStyles())
    cursor = window.draft.textCursor()
    cursor.setPosition(len(question))
    cursor.movePosition(cursor.MoveOperation.End, cursor.MoveMode.KeepAnchor)
    window.draft.setTextCursor(cursor)
    window.draft.cut()
    assert window.draft.text == question
    window.draft.undo()
    assert window.draft.text.endswith("kitten]")
    assert window.answer.line.text() == "cat [accept kitten]"
