"""The palette of letters: found by base letter and by name, put in as if typed, the last used ones first."""

import unicodedata

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit

from quizwriter.domain.tossup import Tossup
from quizwriter.gui.widgets.dialog import Dialog
from quizwriter.gui.widgets.letter_palette import COLUMNS, GROUPS, base_letter, found_letters, letter_name
from tests.helpers.windows import put_back

OPEN = "letters"


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared()


@pytest.fixture
def window(opened, qtbot):
    return put_back(opened, qtbot, Tossup("A caf"))


def open_palette(window):
    window.menus.actions[OPEN].trigger()
    return window.letters


def press(qtbot, palette, *keys):
    for key in keys:
        qtbot.keyClick(palette.search, key)


@pytest.mark.parametrize(
    ("letter", "base"), [("é", "e"), ("Ệ", "E"), ("ß", "s"), ("Ø", "O"), ("e", ""), ("–", "")]
)
def test_a_letter_has_a_base(letter, base):
    assert base_letter(letter) == base


def test_a_base_letter_shows_its_accents_in_its_case_first():
    found = found_letters("e")
    assert found[:4] == ("é", "è", "ê", "ë")
    assert {"ế", "ē", "ə"} <= set(found)
    assert {base_letter(one) for one in found} == {"e", "E"}
    assert found_letters("E")[0] == "É"
    assert found.index("É") > found.index("ế")


@pytest.mark.parametrize(
    ("asked", "letter"),
    [
        ("beta", "β"),
        ("em dash", "—"),
        ("dash em", "—"),
        ("degree", "°"),
        ("square root", "√"),
        ("é", "é"),
        ("sharp", "♯"),
    ],
)
def test_a_letter_is_found_by_its_name(asked, letter):
    assert letter in found_letters(asked)


def test_every_letter_of_the_groups_is_one_letter_with_a_name():
    every = "".join(letters for _, letters in GROUPS)
    assert len(every) == len(set(every))
    assert unicodedata.is_normalized("NFC", every)
    assert all(map(letter_name, every))


def test_enter_types_the_letter_into_the_draft_and_undo_takes_it_back(qtbot, window):
    palette = open_palette(window)
    qtbot.keyClicks(palette.search, "e")
    assert palette.name.text() == "é  e with acute"
    press(qtbot, palette, Qt.Key.Key_Return)

    assert window.draft.text == window.session.tossup.text == "A café"
    assert window.draft.hasFocus()
    assert window.appearance.settings.recent_letters == ("é",)
    window.draft.undo()
    assert window.draft.text == "A caf"


def test_the_last_used_letters_come_first(qtbot, window):
    for asked in ("e", "o", "e"):
        palette = open_palette(window)
        qtbot.keyClicks(palette.search, asked)
        press(qtbot, palette, Qt.Key.Key_Return)
    palette = open_palette(window)
    assert palette.table.verticalHeaderItem(0).text() == "Last used"
    assert [palette.table.item(0, column).text() for column in (0, 1)] == ["é", "ó"]
    press(qtbot, palette, Qt.Key.Key_Right, Qt.Key.Key_Return)
    assert window.draft.text == "A caféóéó"


def test_the_arrow_keys_go_to_every_letter(qtbot, window):
    palette = open_palette(window)
    first = palette.current
    press(qtbot, palette, Qt.Key.Key_Left)
    assert palette.current == GROUPS[-1][1][-1]
    press(qtbot, palette, Qt.Key.Key_Right, Qt.Key.Key_Down)
    assert palette.current != first
    assert palette.table.currentRow() == 1
    press(qtbot, palette, *[Qt.Key.Key_Down] * 99)
    assert palette.table.currentRow() == palette.table.rowCount() - 1
    assert palette.table.item(palette.table.rowCount() - 1, COLUMNS) is None
    palette.search.setText("no such letter")
    assert palette.name.text() == "There is no letter with this name."
    press(qtbot, palette, Qt.Key.Key_Down, Qt.Key.Key_Return)
    assert window.draft.text == "A caf"


def test_the_answer_field_and_other_fields_take_letters(qtbot, window):
    window.answer.line.setFocus()
    qtbot.keyClicks(window.answer.line, "Lod")
    palette = open_palette(window)
    qtbot.keyClicks(palette.search, "z")
    press(qtbot, palette, Qt.Key.Key_Return)
    assert window.answer.line.text() == "Lodź"
    assert window.draft.text == "A caf"

    window.tossups.search.setFocus()
    palette = open_palette(window)
    qtbot.keyClicks(palette.search, "L")
    press(qtbot, palette, Qt.Key.Key_Return)
    assert window.tossups.search.text() == "Ł"

    other = QPlainTextEdit("x")
    qtbot.addWidget(other)
    palette.open_for(other)
    qtbot.keyClicks(palette.search, "beta")
    press(qtbot, palette, Qt.Key.Key_Return)
    assert other.toPlainText() == "βx"


def test_a_locked_draft_takes_no_letter(qtbot, window):
    refused = []
    window.draft.refused_edit.connect(lambda: refused.append(True))
    window.draft.lock(locked=True)
    window.menus.actions[OPEN].trigger()
    assert refused == [True]


def test_dialogs_have_the_key_of_the_palette(window):
    dialog = Dialog(window.theme, "Tidy", window)
    assert window.menus.actions[OPEN] in dialog.actions()
    dialog.close()
