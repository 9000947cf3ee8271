"""Styles in the answer line: set, typed on, pasted, copied and undone, and known to the session."""

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence

from quizwriter.domain.answer_line import Directive
from quizwriter.domain.styles import LetterStyle, TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from tests.helpers.windows import put_back

BOLD, UNDERLINE = LetterStyle.BOLD, LetterStyle.UNDERLINE


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared()


@pytest.fixture
def window(qtbot, opened):
    put_back(opened, qtbot, Tossup("A lake.", Answer("Lake Baikal")))
    opened.answer.line.setFocus()
    qtbot.waitUntil(opened.answer.line.hasFocus)
    return opened


def spans(window):
    window.sessions.current.take_unsaved()
    line = window.sessions.current.tossup.answer.line
    styles = window.sessions.current.answer_styles
    assert styles == window.answer.styling.styles
    return [(line[one.start : one.end], *map(str, one.styles)) for one in styles.spans()]


def choose(window, name):
    window.menus.actions[name].trigger()


def test_the_required_words_are_set_and_the_draft_is_left_alone(qtbot, window):
    line = window.answer.line
    line.setSelection(5, 6)
    choose(window, "style:bold")
    choose(window, "style:underline")
    assert spans(window) == [("Baikal", "bold", "underline")]
    assert not window.sessions.current.styles
    choose(window, "plain-letters")
    assert spans(window) == []
    for _ in range(2):
        qtbot.keySequence(line, QKeySequence(QKeySequence.StandardKey.Undo))
    assert spans(window) == [("Baikal", "bold")]
    qtbot.keySequence(line, QKeySequence(QKeySequence.StandardKey.Redo))
    assert spans(window) == [("Baikal", "bold", "underline")]


def test_what_is_typed_next_has_the_style_and_a_text_that_comes_back_its_own(qtbot, window):
    line = window.answer.line
    line.end(False)
    qtbot.keyClicks(line, " [or ")
    choose(window, "style:italic")
    qtbot.keyClicks(line, "Baikal")
    choose(window, "style:italic")
    qtbot.keyClicks(line, "]")
    assert line.text() == "Lake Baikal [or Baikal]"
    assert spans(window) == [("Baikal", "italic")]
    line.setSelection(15, 7)
    qtbot.keyClick(line, Qt.Key.Key_Delete)
    assert spans(window) == []
    choose(window, "undo")
    assert spans(window) == [("Baikal", "italic")]


def test_the_clipboard_of_another_program_is_asked_for_nothing_but_a_paste(qtbot, window, monkeypatch):
    line = window.answer.line
    monkeypatch.setattr(QGuiApplication, "clipboard", lambda: pytest.fail("it may hang"))
    line.setText("Madama Butterfly")
    window.answer.fill_in("Lake Ladoga", TextStyles.of_codes(b""))
    window.answer.add_name(Directive.ACCEPT, "Nevo")
    line.selectAll()
    qtbot.keyClicks(line, "turan")
    qtbot.waitUntil(lambda: window.answer.offered() == ("Turandot",))
    qtbot.keyClick(line, Qt.Key.Key_Return)

    assert line.text() == "Turandot"


def test_the_clipboard_brings_and_takes_styles(qtbot, window):
    line = window.answer.line
    source = QMimeData()
    source.setText("Madama Butterfly")
    source.setHtml("Madama <b>Butterfly</b><script>no</script>")
    QGuiApplication.clipboard().setMimeData(source)
    line.selectAll()
    line.paste()
    assert spans(window) == [("Butterfly", "bold")]
    line.setSelection(7, 9)
    choose(window, "copy")
    assert "<b>Butterfly</b>" in QGuiApplication.clipboard().mimeData().html()
    choose(window, "cut")
    assert line.text() == "Madama "
    assert spans(window) == []


def test_the_style_of_a_chosen_place_is_seen_in_the_menu(window):
    window.answer.line.setSelection(0, 4)
    choose(window, "style:bold")
    assert window.answer.styling.has(BOLD)
    window.answer.line.setSelection(0, 11)
    assert not window.answer.styling.has(BOLD)
    window.answer.line.setCursorPosition(4)
    assert window.answer.styling.has(BOLD)
    assert not window.answer.styling.has(UNDERLINE)


def test_a_line_that_takes_no_edits_keeps_its_styles(qtbot, window):
    window.answer.put(Answer("Lake Baikal"), TextStyles())
    window.answer.line.setSelection(0, 1)
    choose(window, "style:bold")
    window.answer.line.setReadOnly(True)
    qtbot.keySequence(window.answer.line, QKeySequence(QKeySequence.StandardKey.Undo))
    assert window.answer.styling.styles == TextStyles(b"\1")
    window.answer.line.selectAll()
    choose(window, "style:bold")
    choose(window, "plain-letters")
    assert window.answer.styling.styles == TextStyles(b"\1")
