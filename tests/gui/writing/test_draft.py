"""The draft pane: text in, marks out, positions right whatever the letters."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QDataStream, QIODevice, QMimeData, QPointF, Qt
from PySide6.QtGui import QColor, QDropEvent, QHelpEvent, QStandardItem, QStandardItemModel, QTextCursor
from PySide6.QtWidgets import QApplication, QDataWidgetMapper

from quizwriter.domain.history import Edit
from quizwriter.domain.plain_text import cleaned
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.gui.writing.draft import LARGEST_PASTE, DraftPane
from quizwriter.gui.writing.draft_marks import BuzzMark, DraftMarks, Underline, UnderlinedStretch
from quizwriter.gui.writing.draft_text import Utf16Positions, word_at
from quizwriter.gui.writing.mark_painter import STRIP_WIDTH

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # one person to the eye, eight units to Qt
letters = st.text("ab \U0001f3b5e\u0301שם\n", max_size=30)


@pytest.fixture
def pane(qtbot, theme):
    pane = DraftPane(theme)
    qtbot.addWidget(pane)
    pane.resize(800, 500)
    pane.show()
    qtbot.waitExposed(pane)
    pane.setFocus()
    return pane


def paste(pane, text):
    source = QMimeData()
    source.setText(text)
    pane.insertFromMimeData(source)


def test_the_caret_stays_in_sight_when_lanes_come_below_a_long_paste(pane):
    paste(pane, "In this chapter an eel swims past a mill. " * 120)
    sight = pane.viewport()
    assert sight.rect().contains(pane.cursorRect())
    pane.resize(pane.width(), pane.height() - 150)
    assert sight.rect().contains(pane.cursorRect())
    pane.verticalScrollBar().setValue(0)  # to read the beginning
    pane.resize(pane.width(), pane.height() - 50)
    assert pane.verticalScrollBar().value() == 0


@given(text=letters, data=st.data())
def test_positions_survive_the_way_to_qt_and_back(text, data):
    units = Utf16Positions(text)
    point = data.draw(st.integers(0, len(text)))

    assert units.to_qt(point) == len(text[:point].encode("utf-16-le")) // 2
    assert units.from_qt(units.to_qt(point)) == point


@given(text=letters)
def test_half_of_a_pair_counts_as_its_letter(text):
    units = Utf16Positions(text)
    points = [units.from_qt(unit) for unit in range(units.to_qt(len(text)) + 1)]

    assert points == sorted(points)
    assert set(points) == set(range(len(text) + 1))


@given(before=letters, after=letters, data=st.data())
def test_marks_move_along_with_the_text(before, after, data):
    edit = Edit.between(before, after)
    if edit is None or not before:
        return
    start = data.draw(st.integers(0, len(before) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(before))))
    marks = DraftMarks(cues=((span, 1.0),), buzzes=(BuzzMark("ir", span.end, None),))
    moved = marks.after(edit)

    for kept, _ in moved.cues:
        assert kept.of(after) == span.of(before)
    assert 0 <= moved.buzzes[0].at <= len(after)


@pytest.mark.parametrize(
    "text",
    [
        f"A {FAMILY} plays \U0001f3b5 in this opera",
        "Cafe\u0301 and Dvor\u030ca\u0301k wrote this opera",
        'כותב זה חיבר את "סיפור" this opera',
        "no\u00a0break this opera",
    ],
)
def test_any_letters_come_back_as_typed_and_marks_find_their_words(pane, text):
    pane.put(text, len(text))
    assert pane.text == text
    assert pane.cursor_at == len(text)

    for span in Tossup(text).words:
        cursor = QTextCursor(pane.document())
        units = Utf16Positions(text)
        cursor.setPosition(units.to_qt(span.start))
        cursor.setPosition(units.to_qt(span.end), QTextCursor.MoveMode.KeepAnchor)
        assert cursor.selectedText() == span.of(text)
        (box,) = pane.boxes(span)
        assert box.width() > 1
        assert pane.viewport().rect().contains(box.toRect())


def test_words_of_a_right_to_left_text_lie_from_right_to_left(pane):
    text = "אחת שתיים שלוש"
    pane.put(text, 0)
    lefts = [next(pane.boxes(span)).left() for span in Tossup(text).words]

    assert lefts == sorted(lefts, reverse=True)
    assert pane.reads_right_to_left()


def test_a_long_span_has_a_box_a_line(pane):
    text = "word " * 60
    pane.put(text, 0)

    boxes = list(pane.boxes(Span(0, len(text) - 1)))

    assert len(boxes) > 2
    assert [box.top() for box in boxes] == sorted(box.top() for box in boxes)


def test_every_line_has_the_same_height_even_with_an_emoji(pane):
    pane.put("one\n\U0001f3b5 two\nthree\nfour", 0)
    tops = [next(pane.boxes(span)).top() for span in Tossup(pane.text).words if span.of(pane.text).isalpha()]
    steps = {round(below - above) for above, below in pairwise(tops)}

    assert steps == {24}


def test_what_is_typed_is_told_once_a_key(qtbot, pane):
    heard = []
    pane.edited.connect(lambda _, text: heard.append(text))

    qtbot.keyClicks(pane, "An o")

    assert heard == ["A", "An", "An ", "An o"]


def test_formatting_alone_is_no_edit(pane):
    heard = []
    pane.put("An opera", 8)
    pane.edited.connect(lambda _, text: heard.append(text))
    pane.show_marks(DraftMarks(cues=((Span(0, 2), 1.0),)))
    pane.show_marks(DraftMarks())

    assert heard == []
    assert not pane.document().isUndoAvailable()


def test_undo_and_redo_are_wanted_by_key_and_qt_has_none_of_its_own(qtbot, pane):
    wanted = []
    pane.undo_requested.connect(lambda: wanted.append("undo"))
    pane.redo_requested.connect(lambda: wanted.append("redo"))
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClicks(pane, "s")
    qtbot.keyClick(pane, Qt.Key.Key_Z, control)
    qtbot.keyClick(pane, Qt.Key.Key_Z, control | shift)
    qtbot.keyClick(pane, Qt.Key.Key_Y, control)

    assert wanted == ["undo", "redo", "redo"]
    assert pane.text == "s"
    assert not pane.document().isUndoRedoEnabled()


def test_a_step_ends_where_the_cursor_is_moved_and_around_a_paste_and_a_cut(qtbot, pane):
    told = []
    pane.edited.connect(lambda _, text: told.append(text))
    pane.step_ended.connect(lambda: told.append("ended"))
    qtbot.keyClicks(pane, "ab")
    assert told == ["a", "ab"]
    qtbot.keyClick(pane, Qt.Key.Key_Left)
    assert told == ["a", "ab", "ended"]
    told.clear()
    paste(pane, "x")
    assert told == ["ended", "axb", "ended"]
    pane.selectAll()
    told.clear()
    pane.cut()
    assert told == ["ended", "", "ended"]
    told.clear()
    qtbot.keyClicks(pane, "c")
    assert told == ["c"]


def test_the_power_mark_moves_to_the_cursor_as_one_step(pane):
    told = []
    pane.step_begun.connect(lambda: told.append("begun"))
    pane.edited.connect(lambda _, text: told.append(text))
    pane.step_ended.connect(lambda: told.append("ended"))
    pane.put("one (*) two three", 13)
    told.clear()
    pane.insert_power_mark()

    assert told[0] == "begun"
    assert told[1:-1] == ["one two three", "one two t (*) hree"]
    assert told[-1] == "ended"


def test_a_paste_is_plain_and_loses_control_characters(pane):
    paste(pane, "a\x00b\x07c\r\nd\u2028e\ufffcf\tg\U0001f3b5")

    assert pane.text == "abc\nd\nef\tg\U0001f3b5"
    assert cleaned(pane.text) == pane.text


def put_half_a_pair(pane):
    """``a``, half of an emoji, ``b``: on a way without Python, which is not given such text."""
    written = QByteArray()
    QStandardItem("XY").write(QDataStream(written, QIODevice.OpenModeFlag.WriteOnly))
    half = bytes(written).replace(b"\0\0\0\x04\0X\0Y", b"\0\0\0\x06\0a\xd8\x3c\0b")
    item = QStandardItem()
    item.read(QDataStream(QByteArray(half)))
    model = QStandardItemModel()
    model.appendRow(item)
    mapper = QDataWidgetMapper()
    mapper.setModel(model)
    mapper.addMapping(pane, 0, b"plainText")
    mapper.toFirst()


def test_half_of_a_pair_keeps_its_place_and_what_follows_is_right(qtbot, pane):
    put_half_a_pair(pane)
    assert pane.document().characterCount() == 4
    assert pane.text == "a\ufffdb"
    pane.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(pane, " c")

    assert pane.text == "a\ufffdb c"
    assert pane.cursor_at == 5
    assert pane.text.encode("utf-8")


def test_a_paste_that_is_no_tossup_is_refused_and_nothing_is_lost(qtbot, pane):
    pane.put("An opera", 8)
    with qtbot.waitSignal(pane.refused_paste) as refused:
        paste(pane, "x" * (LARGEST_PASTE + 1))

    assert pane.text == "An opera"
    assert "20,001 characters" in refused.args[0]


def test_pastes_that_are_no_tossup_together_are_refused_from_the_one_that_is_too_much(qtbot, pane):
    paste(pane, "x" * (LARGEST_PASTE - 8))
    with qtbot.waitSignal(pane.refused_paste) as refused:
        paste(pane, "y" * 9)
    assert pane.text == "x" * (LARGEST_PASTE - 8)
    assert "the draft would have 20,001 characters" in refused.args[0]

    pane.selectAll()
    paste(pane, "z" * LARGEST_PASTE)  # in place of what is selected
    assert pane.text == "z" * LARGEST_PASTE

    pane.put("\U0001f3b5" * 12_000, 0)  # two units of Qt's each
    pane.selectAll()
    paste(pane, "z" * 15_000)
    assert pane.text == "z" * 15_000


def test_a_draft_that_was_imported_longer_keeps_what_is_dragged_in_it(pane):
    long = f"An eel. {'x' * LARGEST_PASTE} It ends."
    pane.put(long, 0)
    chosen = pane.textCursor()
    chosen.setPosition(8, QTextCursor.MoveMode.KeepAnchor)
    pane.setTextCursor(chosen)
    carried = pane.createMimeDataFromSelection()
    place = QTextCursor(pane.document())  # from here on as Qt drops what comes from the pane itself
    place.movePosition(QTextCursor.MoveOperation.End)
    place.beginEditBlock()
    chosen.removeSelectedText()
    pane.setTextCursor(place)
    pane.insertFromMimeData(carried)
    place.endEditBlock()

    assert pane.text == f"{long[8:]}An eel. "


def test_a_drop_that_is_too_long_is_left_where_it_was_dragged_from(qtbot, pane):
    pane.put("x" * (LARGEST_PASTE - 4), 0)
    source = QMimeData()
    source.setText("A comment.")
    drop = QDropEvent(
        QPointF(5, 5), Qt.DropAction.MoveAction, source,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    with qtbot.waitSignal(pane.refused_paste) as refused:
        pane.dropEvent(drop)
    assert pane.text == "x" * (LARGEST_PASTE - 4)
    assert (drop.isAccepted(), drop.dropAction()) == (False, Qt.DropAction.IgnoreAction)
    assert "the draft would have 20,006 characters" in refused.args[0]


def test_the_power_mark_gets_the_spaces_it_needs(pane):
    pane.put("one two", 3)
    pane.insert_power_mark()
    assert pane.text == "one (*) two"
    pane.put("one two", 4)
    pane.insert_power_mark()
    assert pane.text == "one (*) two"
    pane.put("", 0)
    pane.insert_power_mark()
    assert pane.text == "(*)"


def test_shift_return_is_a_line_end_like_any_other(qtbot, pane):
    qtbot.keyClicks(pane, "a")
    qtbot.keyClick(pane, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(pane, "b")

    assert pane.text == "a\nb"


def test_a_strong_cue_is_shaded_and_underlined_more_than_a_weak_one(qtbot, pane):
    pane.put("strong weak none", 0)
    pane.show_marks(DraftMarks(cues=((Span(0, 6), 1.0), (Span(7, 11), 0.3), (Span(12, 16), 0.1))))
    image = pane.viewport().grab().toImage()

    def blue(span):
        box = next(pane.boxes(span)).toRect()
        inside = [image.pixelColor(x, box.top() + 1) for x in range(box.left() + 1, box.right())]
        return sum(255 - colour.red() for colour in inside) / len(inside)

    def lines(span):
        box = next(pane.boxes(span)).toRect()
        column = [image.pixelColor(box.center().x(), y) for y in range(box.bottom() + 1, box.bottom() + 6)]
        return sum(colour.blue() > colour.red() + 120 for colour in column)

    assert blue(Span(0, 6)) > blue(Span(7, 11)) > blue(Span(12, 16))
    assert lines(Span(0, 6)) == 3
    assert lines(Span(7, 11)) in (1, 2)
    assert lines(Span(12, 16)) == 0


# -- the margin and the marks of buzzes

LINES = "The maid Suzuki prays while her mistress waits for a ship that never comes. " * 40


def buzzes(pane, *at, right=True):
    """Marks of several players after the words with these numbers, from 0."""
    words = Tossup(pane.text).words
    names = ("ir", "dan", "rnn", "ensemble")
    return DraftMarks(
        buzzes=tuple(BuzzMark(name, words[n].end, right) for name, n in zip(names, at, strict=False))
    )


def margin_colours(pane, colours):
    """At which heights of the viewport the margin has one of ``colours``."""
    image = pane.grab().toImage()
    left = pane.column.left()
    return {
        y - pane.column.top()
        for y in range(image.height())
        if any(image.pixelColor(x, y).name().upper() in colours for x in range(left + 4))
    }


def test_a_line_has_one_mark_of_its_earliest_buzz_and_counts_the_others(qtbot, pane):
    pane.put(LINES, 0)
    pane.show_marks(buzzes(pane, 6, 2, 60, 4))  # IR, DAN and the ensemble on one line, DAN before them
    first, second = pane.mark_painter.buzz_lines()

    assert [mark.player for mark in first.marks] == ["dan", "ensemble", "ir"]
    assert (first.label, second.label) == ("DAN +2", "RNN")
    said = pane.mark_painter.margin_hint(first.box.center().y()).splitlines()
    assert [line.split()[0] for line in said] == ["DAN", "Ensemble", "IR"]
    assert said[0] == "DAN buzzes on “Suzuki”, right"
    assert pane.mark_painter.margin_hint(first.box.center().y() + 48) == ""


def test_a_mark_stands_at_its_line_and_leaves_the_sight_with_it(qtbot, pane):
    pane.put(LINES, 0)
    pane.show_marks(buzzes(pane, 2, 20, 40, 60))
    colours = {pane.mark_painter.buzz_colour(mark).name().upper() for mark in pane.buzz_marks()}
    rows = margin_colours(pane, colours)
    assert rows
    for line in pane.mark_painter.buzz_lines():
        assert any(line.box.top() <= y <= line.box.bottom() for y in rows)

    bar = pane.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.maximum() > 200
    assert all(line.box.bottom() < 0 for line in pane.mark_painter.buzz_lines())
    assert margin_colours(pane, colours) == set()


def test_the_marks_in_the_text_are_told_apart_by_player(qtbot, pane, theme):
    pane.put(LINES, 0)
    pane.show_marks(buzzes(pane, 3, 3, 3, 8))
    shapes = {mark.player: shape for mark, shape in pane.mark_painter.buzz_shapes()}
    image = pane.viewport().grab().toImage()

    for name, shape in shapes.items():
        at = shape.center().toPoint()
        found = {image.pixelColor(at.x() + by, at.y()).name().upper() for by in (-1, 0, 1)}
        assert theme.tokens.player(name).colour in found
    assert shapes["ir"].right() < shapes["dan"].left() < shapes["dan"].right() < shapes["rnn"].left()
    assert all(shape.top() > next(pane.boxes(Span(2, 3))).center().y() for shape in shapes.values())


def test_a_wrong_buzz_is_hollow_in_the_margin_and_a_right_one_is_not(qtbot, pane, theme):
    pane.put(LINES, 0)
    inside = []
    for right in (True, False):
        pane.show_marks(buzzes(pane, 3, right=right))
        image, (line,) = pane.grab().toImage(), pane.mark_painter.buzz_lines()
        y = round(line.box.center().y()) + pane.column.top()
        inside.append(image.pixelColor(pane.column.left() + 8 - 4 - 7, y).name().upper())

    assert inside == [theme.tokens.player("ir").colour, theme.tokens.page]


def test_what_speaks_against_is_an_empty_frame_and_no_line_as_a_spelling_mistake_has(qtbot, pane, theme):
    pane.put("strong against", 0)
    pane.show_marks(DraftMarks(cues=((Span(0, 6), 1.0), (Span(7, 14), -1.0))))
    image = pane.viewport().grab().toImage()
    box = next(pane.boxes(Span(7, 14))).toRect()
    counter = theme.tokens.counter

    def coloured(rows):
        return [
            y
            for y in rows
            if any(
                image.pixelColor(x, y).name().upper() == counter
                for x in range(box.left() + 8, box.right() - 8)
            )
        ]

    above = coloured(range(box.top() - 3, box.top() + 3))
    below = coloured(range(box.bottom() - 2, box.bottom() + 6))
    assert above
    assert 1 <= len(below) <= 2
    inside = image.pixelColor(box.left() + 1, box.center().y() - 6)
    assert inside.name().upper() == theme.tokens.page


def test_what_is_typed_is_never_soft_not_even_a_guide(qtbot, pane):
    pane.put("one (read wun)", 14)
    qtbot.keyClicks(pane, " two")
    assert [one.cursor.selectedText() for one in pane.extraSelections()] == ["(read wun)"]
    pane.show_marks(DraftMarks(buzzes=(BuzzMark("ir", 3, right=True),)))
    assert [one.cursor.selectedText() for one in pane.extraSelections()] == ["(read wun)"]

    pane.select(Span(10, 10))
    assert pane.extraSelections() == []
    pane.select(Span(1, 1))
    assert [one.cursor.selectedText() for one in pane.extraSelections()] == ["(read wun)"]


def test_the_text_is_a_column_in_the_middle(qtbot, pane):
    pane.resize(1400, 500)
    QApplication.processEvents()
    column = pane.column
    text = "n" * 400

    assert abs((column.left() + column.right()) / 2 - 700) < 20
    pane.put(text.replace("nnnn", "word "), 0)
    line = pane.document().firstBlock().layout().lineAt(0)
    assert 60 <= line.textLength() <= 84


def test_the_hint_goes_with_the_first_letter(qtbot, pane):
    hint = pane.findChild(type(pane._empty.label), "")
    assert pane._empty.label is not None
    assert hint.isVisible()
    qtbot.keyClicks(pane, "A")
    assert not pane._empty.label.isVisible()


def test_the_word_at_a_point_is_the_one_it_is_in_or_after():
    words = Tossup("one two").words

    assert [word_at(words, point) for point in (0, 3, 4, 7)] == [0, 0, 1, 1]
    assert word_at((), 0) is None


@pytest.mark.parametrize("seed", range(4))
def test_boxes_kept_from_before_an_edit_are_where_the_letters_are(qtbot, pane, theme, seed):
    """Only what may have moved is looked up again; all of it must be."""
    draw = random.Random(seed)
    pane.resize(300, 500)
    pane.put("The maid Suzuki prays while her mistress waits for a ship. " * 4, 40)
    alphabet = "abc  \n-" if seed % 2 else "abc  שם\n"
    for _ in range(60):
        at = draw.randrange(len(pane.text))
        removed = pane.text[at : at + draw.choice((0, 0, 1, 8))]
        pane.make(Edit(at, removed, "".join(draw.choices(alphabet, k=draw.choice((0, 1, 1, 9))))))
        kept = [list(pane.boxes(span)) for span in Tossup(pane.text).words]
        pane.mark_painter.forget_boxes()
        assert kept == [list(pane.boxes(span)) for span in Tossup(pane.text).words]


def test_figures_before_the_only_hebrew_word_move_when_that_goes(pane):
    pane.put("1948 שם", 0)
    figures = Span(0, 4)
    before = list(pane.boxes(figures))  # at the right: the paragraph runs from there

    pane.make(Edit(5, "שם", "new"))

    kept = list(pane.boxes(figures))
    assert kept != before
    pane.mark_painter.forget_boxes()
    assert kept == list(pane.boxes(figures))


def underlined(pane, owner):
    return [one.span.of(pane.text) for one in pane.underlined(owner)]


def test_underlined_words_move_with_the_text_and_one_that_is_changed_is_not_underlined_any_more(qtbot, pane):
    pane.put("A tower  by a river", 0)
    pane.show_underlined("style", [UnderlinedStretch(Span(7, 9), Underline.WAVY, "Two spaces.")])
    pane.show_underlined("stock", [UnderlinedStretch(Span(14, 19), Underline.DOTTED, "Heard before.")])
    pane.make(Edit(0, "", "Here is "))
    assert [one.span for one in pane.underlined("style")] == [Span(15, 17)]
    assert underlined(pane, "stock") == ["river"]
    pane.make(Edit(24, "v", "b"))
    assert underlined(pane, "stock") == []
    assert underlined(pane, "style") == ["  "]
    pane.show_underlined("style", [])
    assert underlined(pane, "style") == []
    pane.show_underlined("stock", [UnderlinedStretch(Span(0, 4), Underline.DOTTED, "")])
    pane.put("Another draft", 0)
    assert underlined(pane, "stock") == []


@pytest.mark.parametrize("underline", list(Underline))
def test_a_line_stands_under_its_words_only(qtbot, pane, theme, underline):
    pane.put("One two three four", 0)

    def inked():
        image = pane.viewport().grab().toImage()
        boxes = [next(iter(pane.boxes(span))) for span in Tossup(pane.text).words]
        plain = theme.tokens.page.lower()
        rows = range(round(boxes[0].bottom()) - 4, round(boxes[0].bottom()))
        return [
            sum(
                image.pixelColor(x, y).name() != plain
                for x in range(round(box.left()), round(box.right()))
                for y in rows
            )
            for box in boxes
        ]

    before = inked()
    pane.show_underlined("style", [UnderlinedStretch(Span(4, 13), underline, "Why.")])
    grown = [after > was for was, after in zip(before, inked(), strict=True)]
    assert grown == [False, True, True, False]


@pytest.mark.parametrize("underline", list(Underline))
def test_a_line_reaches_from_the_first_of_its_letters_to_the_last(qtbot, pane, theme, underline):
    pane.resize(1_000, 500)
    pane.put("m" * 45 + " end", 0)

    def inked(x):
        image = pane.viewport().grab().toImage()
        low = round(box.bottom())
        return any(image.pixelColor(round(x) + by, low - up) != plain for by in range(4) for up in range(5))

    box = next(iter(pane.boxes(Span(0, 45))))
    assert box.width() > STRIP_WIDTH
    plain = QColor(theme.tokens.page)
    pane.show_underlined("style", [UnderlinedStretch(Span(0, 45), underline, "Why.")])
    assert all(inked(x) for x in (box.left(), box.left() + STRIP_WIDTH - 2, box.right() - 5))
    assert not inked(box.right() + 2)


def test_the_mouse_is_told_why_words_are_underlined(qtbot, pane, monkeypatch):
    said = []

    class Hints:
        @staticmethod
        def showText(place, text, widget):
            said.append(text)

    monkeypatch.setattr("quizwriter.gui.writing.draft.QToolTip", Hints)
    pane.put("One two three", 0)
    pane.show_underlined("style", [UnderlinedStretch(Span(4, 7), Underline.WAVY, "<b>Two</b> & why")])
    for span in (Span(4, 7), Span(8, 13)):
        at = next(iter(pane.boxes(span))).center().toPoint()
        where = pane.viewport().mapToGlobal(at)
        QApplication.sendEvent(pane.viewport(), QHelpEvent(QHelpEvent.Type.ToolTip, at, where))
    assert "&lt;b&gt;Two&lt;/b&gt; &amp; why" in said[0]
    assert said[1:] == [""]


def test_text_fades_where_it_goes_on_out_of_sight(pane, qtbot):
    pane.replace("word " * 900)
    bar = pane.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 200)

    def colours(row):
        image, sight = pane.grab().toImage(), pane.viewport().geometry()
        y = sight.top() + row if row >= 0 else sight.bottom() + 1 + row
        return len({image.pixelColor(x, y).name() for x in range(sight.left(), sight.right())})

    seen = {0: set(), -1: set()}
    for down in range(60, 60 + 24, 3):  # whatever part of a line is cut
        bar.setValue(down)
        for row in seen:
            seen[row].add(colours(row))
    assert seen == {0: {1}, -1: {1}}
    bar.setValue(0)
    qtbot.waitUntil(lambda: max(map(colours, range(12, 36))) > 1)  # the first line is whole
