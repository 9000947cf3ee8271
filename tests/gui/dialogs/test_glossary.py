"""The glossary in the window."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel

from quizwriter.gui.dialogs.glossary import GlossaryDialog
from quizwriter.workflow.glossary import GlossaryEntry, glossary


@pytest.fixture
def opened(qtbot, theme):
    """Opens a dialog with entries."""

    def open_dialog(*entries):
        dialog = GlossaryDialog(entries, theme)
        qtbot.addWidget(dialog)
        dialog.look_up("")
        qtbot.waitExposed(dialog)
        return dialog

    return open_dialog


def texts(dialog):
    """What the dialog shows, from the top."""
    shown = [label for label in dialog.findChildren(QLabel) if label.isVisible()]
    return [label.text() for label in sorted(shown, key=lambda label: label.mapTo(dialog, QPoint()).y())]


BUNDLE = GlossaryEntry("bundle", "A folder for players.")
LANE = GlossaryEntry("lane", "A strip.")
PLAYER = GlossaryEntry("player", "It plays.")


def test_it_shows_every_word_with_its_meaning(opened):
    dialog = opened(BUNDLE, LANE)

    assert texts(dialog) == ["bundle", "A folder for players.", "lane", "A strip."]


def test_typing_shows_the_words_that_match_the_nearest_first(opened, qtbot):
    dialog = opened(BUNDLE, LANE, PLAYER)
    qtbot.keyClicks(dialog.search, "Play")

    assert dialog.words() == ["player", "bundle"]
    nearest_first = ["player", "It plays.", "bundle", "A folder for players."]
    qtbot.waitUntil(lambda: texts(dialog) == nearest_first)


def test_a_search_without_a_match_says_so_and_clearing_it_shows_all_again(opened, qtbot):
    dialog = opened(BUNDLE, LANE)
    qtbot.keyClicks(dialog.search, "zebra")
    assert texts(dialog) == ["No word or meaning contains this text."]

    dialog.search.clear()
    assert dialog.words() == ["bundle", "lane"]
    assert len(texts(dialog)) == 4


def test_a_meaning_is_shown_as_plain_text(opened):
    dialog = opened(GlossaryEntry("<b>bold</b>", "<img src=x> &amp;"))

    assert texts(dialog) == ["<b>bold</b>", "<img src=x> &amp;"]
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in dialog.findChildren(QLabel))


def test_page_down_scrolls_while_the_search_has_the_keyboard_and_escape_closes(opened, qtbot):
    dialog = opened(*glossary())
    bar = dialog.findChildren(type(dialog._area))[0].verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    qtbot.keyClick(dialog.search, Qt.Key.Key_PageDown)
    assert bar.value() > 0

    qtbot.keyClick(dialog.search, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_no_line_of_the_real_glossary_is_cut(opened, qtbot):
    dialog = opened(*glossary())
    dialog.resize(360, 640)
    labels = [label for label in dialog.findChildren(QLabel) if label.isVisible()]

    def all_fit():
        return all(label.height() >= label.heightForWidth(label.width()) for label in labels)

    qtbot.waitUntil(all_fit)


def test_help_opens_the_glossary_once(open_window, qtbot):
    window = open_window(start=False)
    (action,) = [one for one in window.findChildren(QAction) if one.text() == "&Glossary"]
    action.trigger()
    first = window.findChild(GlossaryDialog)
    assert first.isVisible()
    assert "stump" in first.words()

    first.close()
    action.trigger()
    assert first.isVisible()
    assert window.findChildren(GlossaryDialog) == [first]
