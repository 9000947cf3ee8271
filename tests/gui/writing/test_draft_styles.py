"""Styles in the draft pane: what is typed and pasted, what Qt's document shows, and what is copied."""

import random

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QFont, QGuiApplication, QKeySequence, QTextCharFormat, QTextCursor

from quizwriter.domain.history import replay
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.background.jobs import stop_background
from quizwriter.gui.theme import Theme
from quizwriter.gui.writing.draft import DraftPane
from quizwriter.gui.writing.draft_text import Utf16Positions
from quizwriter.gui.writing.draft_undo import DraftUndo
from quizwriter.workflow.session import WritingSession

RAISED = QTextCharFormat.VerticalAlignment.AlignSuperScript
LOWERED = QTextCharFormat.VerticalAlignment.AlignSubScript


class Desk:
    """A pane with a session, as the controller of the session connects them."""

    def __init__(self, qapp, text="", styles=PLAIN):
        self.theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=16)
        self.pane = DraftPane(self.theme)
        self.pane.resize(800, 400)
        self.session = WritingSession("t", Tossup(text), styles=styles)
        self.undo = DraftUndo(self.pane, lambda key: ())
        self.undo.open(self.session)
        self.pane.put(text, len(text), styles)
        self.pane.edited.connect(self.take_edit)
        self.pane.styling.restyled.connect(self.take_styles)

    def take_edit(self, edit, text):
        self.session.type(text, self.pane.cursor_at, edit=edit)
        self.pane.styling.show(self.session.styles)

    def take_styles(self, span, styles, belongs):
        self.session.restyle(span, styles, belongs=belongs)
        self.pane.styling.show(self.session.styles)

    def shown(self):
        """The styles of the letters as Qt has them."""
        codes, units = bytearray(), Utf16Positions(self.pane.text)
        cursor = QTextCursor(self.pane.document())
        for point in range(len(self.pane.text)):
            cursor.setPosition(units.to_qt(point))
            cursor.setPosition(units.to_qt(point + 1), QTextCursor.MoveMode.KeepAnchor)
            looks = cursor.charFormat()
            code = LetterStyle.BOLD.bit * (looks.fontWeight() == QFont.Weight.Bold)
            code |= (
                LetterStyle.ITALIC.bit * looks.fontItalic()
                | LetterStyle.UNDERLINE.bit * looks.fontUnderline()
            )
            code |= LetterStyle.SUPERSCRIPT.bit * (looks.verticalAlignment() is RAISED)
            code |= LetterStyle.SUBSCRIPT.bit * (looks.verticalAlignment() is LOWERED)
            codes.append(code if self.pane.text[point] != "\n" else self.session.styles.before(point + 1))
        return TextStyles.of_codes(codes)

    def check(self):
        assert self.shown() == self.session.styles == self.pane.styling.styles
        assert self.pane.text == self.session.tossup.text

    def spans(self):
        self.check()
        text = self.pane.text
        return [(text[one.start : one.end], *map(str, one.styles)) for one in self.session.styles.spans()]

    def select(self, words):
        at = self.pane.text.index(words)
        self.pane.select(Span(at, at + len(words)))


@pytest.fixture
def desk(qtbot, qapp):
    made = []

    def make(text="", styles=PLAIN):
        made.append(Desk(qapp, text, styles))
        qtbot.addWidget(made[-1].pane)
        made[-1].pane.show()
        qtbot.waitExposed(made[-1].pane)
        return made[-1]

    yield make
    for one in made:
        stop_background(one.undo)


def test_a_selection_gets_each_style_and_loses_it_again(desk):
    one = desk("a red fox 😀 ran")
    for style, words in zip(LetterStyle, ("a", "red", "fox 😀", "ra", "n"), strict=True):
        one.select(words)
        one.pane.toggle_style(style)
    assert one.spans() == [
        ("a", "bold"),
        ("red", "italic"),
        ("fox 😀", "underline"),
        ("ra", "superscript"),
        ("n", "subscript"),
    ]
    one.select("red")
    one.pane.toggle_style(LetterStyle.ITALIC)
    assert ("red", "italic") not in one.spans()
    one.pane.selectAll()
    one.pane.toggle_style(None)
    assert one.spans() == []
    one.pane.undo()
    one.pane.undo()
    assert len(one.spans()) == 5


def test_what_is_typed_next_gets_the_style_that_was_switched_on(qtbot, desk):
    one = desk("say ")
    qtbot.keyClicks(one.pane, "so ")
    one.pane.toggle_style(LetterStyle.ITALIC)
    assert one.pane.styling.has(LetterStyle.ITALIC, one.pane.selected)
    qtbot.keyClicks(one.pane, "loud")
    one.pane.toggle_style(LetterStyle.ITALIC)
    qtbot.keyClicks(one.pane, " now")
    assert one.spans() == [("loud", "italic")]
    one.pane.toggle_style(LetterStyle.BOLD)
    qtbot.keyClick(one.pane, Qt.Key.Key_Left)  # it is forgotten where the cursor goes elsewhere
    qtbot.keyClicks(one.pane, "x")
    assert one.spans() == [("loud", "italic")]


def test_typing_in_a_styled_word_extends_it_and_deleting_shrinks_it(qtbot, desk):
    one = desk("a fox ran")
    one.select("fox")
    one.pane.toggle_style(LetterStyle.BOLD)
    at = one.pane.textCursor()
    at.setPosition(4)
    one.pane.setTextCursor(at)
    qtbot.keyClicks(one.pane, "oo")
    assert one.spans() == [("fooox", "bold")]
    for _ in range(4):
        qtbot.keyClick(one.pane, Qt.Key.Key_Backspace)
    assert one.spans() == [("x", "bold")]
    qtbot.keyClick(one.pane, Qt.Key.Key_Delete)
    assert one.spans() == []
    qtbot.keyClicks(one.pane, "y")
    assert one.spans() == []
    one.pane.undo()
    one.pane.undo()  # all that was rubbed out at once
    assert one.spans() == [("fooox", "bold")]


def paste(pane, text, html=""):
    source = QMimeData()
    source.setText(text)
    if html:
        source.setHtml(html)
    pane.insertFromMimeData(source)


def test_a_paste_brings_the_five_styles_and_is_undone_at_once(qtbot, desk):
    one = desk("say  now")
    one.pane.select(Span(4, 4))
    paste(one.pane, "it is H2O", "<p>it <b>is</b> <i>H<sub>2</sub>O</i><script>x</script></p>")
    assert one.pane.text == "say it is H2O now"
    assert one.spans() == [("is", "bold"), ("H", "italic"), ("2", "italic", "subscript"), ("O", "italic")]
    one.pane.undo()
    assert (one.pane.text, one.spans()) == ("say  now", [])
    one.pane.redo()
    assert len(one.spans()) == 4


def test_plain_text_gets_the_styles_of_its_place_and_html_brings_its_own(desk):
    one = desk("ab", TextStyles(b"\1\1"))
    one.pane.select(Span(1, 1))
    paste(one.pane, "x")
    assert one.spans() == [("axb", "bold")]
    paste(one.pane, "yy", "<span>yy</span>")
    assert one.spans() == [("ax", "bold"), ("b", "bold")]
    QGuiApplication.clipboard().setMimeData(one.pane.styling.copied(Span(0, 2)))
    one.pane.select(Span(3, 3))
    one.pane.styling.paste_plain()
    assert one.pane.text == "axyaxyb"
    assert one.spans() == [("ax", "bold"), ("b", "bold")]


def test_what_is_copied_is_the_exact_text_and_html_only_where_there_are_styles(desk):
    one = desk("a\u00a0b <i>\nfox", TextStyles(bytes(9) + b"\7\7"))
    plain = one.pane.styling.copied(Span(0, 7))
    assert plain.text() == "a\u00a0b <i>"
    assert not plain.hasHtml()
    one.pane.selectAll()
    source = one.pane.createMimeDataFromSelection()
    assert source.text() == one.pane.text
    assert "a\u00a0b &lt;i&gt;<br>f<b><i><u>ox</u></i></b>" in source.html()
    other = desk("")
    other.pane.insertFromMimeData(source)
    assert other.spans() == [("ox", "bold", "italic", "underline")]


def test_a_locked_draft_keeps_its_styles(desk):
    one = desk("ab", TextStyles(b"\1"))
    told = []
    one.pane.refused_edit.connect(lambda: told.append(1))
    one.pane.lock(locked=True)
    one.pane.selectAll()
    one.pane.toggle_style(LetterStyle.BOLD)
    one.pane.toggle_style(None)
    assert one.spans() == [("a", "bold")]
    assert len(told) == 2


def test_another_font_size_keeps_the_styles(desk):
    one = desk("a fox", TextStyles(bytes(2) + b"\4\4\4"))
    one.theme.use_draft_size(22)
    assert one.spans() == [("fox", "italic")]


def test_another_draft_begins_plain(qtbot, desk):
    one = desk("fox", TextStyles(b"\1\1\1"))
    one.session = WritingSession("u")
    one.undo.open(one.session)
    one.pane.put("", 0)
    qtbot.keyClicks(one.pane, "dog")
    assert one.spans() == []


def test_the_document_shows_the_styles_of_the_session_whatever_is_done(qtbot, desk):
    draw = random.Random(7)
    one = desk("a red fox\nran far")
    for _ in range(150):
        size = len(one.pane.text)
        low, high = sorted((draw.randint(0, size), draw.randint(0, size)))
        one.pane.select(Span(low, high if draw.random() < 0.6 else low))
        match draw.randint(0, 7):
            case 0 | 1:
                one.pane.toggle_style(draw.choice(list(LetterStyle)))
            case 2:
                qtbot.keyClicks(one.pane, draw.choice(("a", "aa", "x y")))
            case 3:
                qtbot.keyClick(
                    one.pane, draw.choice((Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Return))
                )
            case 4:
                paste(one.pane, "a b", draw.choice(("", "<b>a</b> <u>b</u>")))
            case 5:
                one.pane.undo()
            case 6:
                one.pane.redo()
            case 7:
                one.pane.toggle_style(LetterStyle.BOLD)
                qtbot.keyClicks(one.pane, "b")
        one.check()
    saving = one.session.take_unsaved()
    assert replay((change.edit for change in saving.changes), "a red fox\nran far") == one.pane.text


def test_the_keys_of_the_clipboard_keep_styles(qtbot, desk):
    one = desk("a red fox", TextStyles(bytes(2) + b"\1\1\1"))
    one.select("red ")
    qtbot.keySequence(one.pane, QKeySequence(QKeySequence.StandardKey.Cut))
    assert (one.pane.text, one.spans()) == ("a fox", [])
    qtbot.keyClick(one.pane, Qt.Key.Key_End)
    qtbot.keySequence(one.pane, QKeySequence(QKeySequence.StandardKey.Paste))
    assert one.spans() == [("red", "bold")]
    assert one.pane.text == "a foxred "
