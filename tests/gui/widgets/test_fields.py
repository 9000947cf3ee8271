"""Fields of forms with more in them than anybody types."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip

from quizwriter.gui.theme import Theme
from quizwriter.gui.widgets.fields import (
    LONGEST_BOX,
    LONGEST_LINE,
    TextBox,
    plain_table,
    text_line,
    widen_columns,
)
from quizwriter.gui.widgets.icons import LONGEST_SEARCH, SearchField
from tests.helpers.processor_time import seconds


@pytest.mark.parametrize("kind", ["search", "line"])
def test_a_book_pasted_into_a_line_is_painted_at_once(qtbot, qapp, kind):
    """Its letters may be in no font: each is then looked for in all of them."""
    if kind == "search":
        theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=16)
        field, longest = SearchField(theme, "Search"), LONGEST_SEARCH
    else:
        field, longest = text_line("Reason"), LONGEST_LINE
    qtbot.addWidget(field)
    field.resize(300, 30)
    field.show()
    qapp.clipboard().setText("漢" * 30_000)
    field.paste()
    QTest.qWait(50)

    assert len(field.text()) == longest
    assert seconds(lambda: field.grab(), 0.2) < 0.2


def test_a_book_pasted_into_a_box_is_refused_in_a_sentence_and_what_was_typed_stays(qtbot, qapp):
    box = TextBox("Comment")
    qtbot.addWidget(box)
    box.show()
    QTest.keyClicks(box, "Nice. ")
    qapp.clipboard().setText("a\n" * 400_000)

    assert seconds(box.paste, 0.1) < 0.1
    assert box.toPlainText() == "Nice. "
    assert QToolTip.text() == (
        f"The pasted text has 800,000 characters; this field takes {LONGEST_BOX:,} at most."
    )
    qapp.clipboard().setText("a\n" * (LONGEST_BOX // 2))
    box.paste()
    assert box.toPlainText() == "Nice. "
    assert QToolTip.text() == (
        f"With the pasted text, this field would have {LONGEST_BOX + 6:,} characters; it takes "
        f"{LONGEST_BOX:,} at most. Nothing was changed."
    )
    box.selectAll()
    box.paste()  # in place of what is selected
    assert len(box.toPlainText()) == LONGEST_BOX


def dropped(text):
    """``text`` that is dragged out of another field, which deletes it unless the drop is refused."""
    source = QMimeData()
    source.setText(text)
    drop = QDropEvent(
        QPointF(5, 5), Qt.DropAction.MoveAction, source,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    drop.made_of = source  # the event has no hold on it
    return drop


def test_a_drop_that_does_not_fit_is_left_where_it_was_dragged_from(qtbot):
    box = TextBox("Comment", text="Nice. ", longest=10)
    qtbot.addWidget(box)
    box.show()
    drop = dropped("too much")
    box.dropEvent(drop)
    assert box.toPlainText() == "Nice. "
    assert (drop.isAccepted(), drop.dropAction()) == (False, Qt.DropAction.IgnoreAction)
    assert "this field would have 14 characters" in QToolTip.text()

    drop = dropped("fits")
    box.dropEvent(drop)
    assert sorted(box.toPlainText()) == sorted("Nice. fits")
    assert drop.dropAction() == Qt.DropAction.MoveAction


def test_a_box_that_is_longer_than_its_limit_keeps_what_is_dragged_in_it(qtbot):
    box = TextBox("Your words", text="one two three", longest=5)
    qtbot.addWidget(box)
    chosen = box.textCursor()
    chosen.setPosition(4, QTextCursor.MoveMode.KeepAnchor)
    carried = QMimeData()
    carried.setText("one ")
    place = QTextCursor(box.document())  # from here on as Qt drops what comes from the box itself
    place.movePosition(QTextCursor.MoveOperation.End)
    place.beginEditBlock()
    chosen.removeSelectedText()
    box.setTextCursor(place)
    box.insertFromMimeData(carried)
    place.endEditBlock()

    assert box.toPlainText() == "two threeone "


def test_columns_are_as_much_wider_as_the_letters_are_larger(qtbot):
    rows = plain_table("New drafts", "Answer", "Author", "Text begins")
    qtbot.addWidget(rows)
    widen_columns(rows, lambda pixels: round(2 * pixels), 200, 110)
    assert [rows.columnWidth(place) for place in range(2)] == [400, 220]
