"""The first day of a new writer by the keyboard alone, from the first start until the program opens again.

Nothing is clicked and no method of the window is called: every key goes to whatever has the keyboard, as on a
real desk. Actions without a key of their own are found by their names, as F1 finds them.
"""

from __future__ import annotations

import json

import pytest
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu

from quizwriter.domain.review import Status
from quizwriter.domain.span import Span
from quizwriter.domain.styles import LetterStyle
from quizwriter.gui.application import make_window
from quizwriter.services.wiring import App

EASY_CLUE = "Pinkerton leaves Cio-Cio-San in Nagasaki in this opera by Giacomo Puccini."
HARD_CLUE = "A hundred small stones lie in the garden where an uncle shouts at the guests of a quiet feast."
LAST = "For 10 points, name this this opera whose heroine waits for Lieutenant Pinkerton."


class Keyboard:
    """Presses keys; each goes to what has the keyboard."""

    def __init__(self, qtbot):
        self._qtbot = qtbot
        self.main = None

    @property
    def widget(self):
        """What gets the next key."""
        popup = QApplication.activePopupWidget()
        found = QApplication.focusWidget() if popup is None else popup.focusWidget() or popup
        if found is None:  # where there is no screen, no window manager makes a window active again
            top = QApplication.activeModalWidget() or self.main
            top.activateWindow()
            self.wait(top.isActiveWindow)
            found = top.focusWidget()
        assert found is not None, "nothing has the keyboard"
        return found

    def press(self, *keys):
        """Press keys one after the other, such as "Ctrl+N" or "Return"."""
        for key in keys:
            combination = QKeySequence(key)[0]
            QTest.keyClick(self.widget, combination.key(), combination.keyboardModifiers())

    def type(self, text):
        """Type letters."""
        for letter in text:  # a word may move the keyboard elsewhere
            QTest.keyClicks(self.widget, letter)

    def do(self, name):
        """Find an action by its name, and run it."""
        self.press("F1")
        self.type(name)
        self.press("Return")

    def wait(self, done):
        """Wait until ``done()``."""
        self._qtbot.waitUntil(done)

    def wait_for(self, kind, title=""):
        """The dialog of a kind that opens, once it has the keyboard."""

        def there():
            found = QApplication.activeWindow()
            has_it = QApplication.focusWidget() is not None
            return has_it and isinstance(found, kind) and title in found.windowTitle()

        self.wait(there)
        return QApplication.activeWindow()

    def name_file(self, path):
        """Type the name of a file into the file dialog that opens."""
        self.wait_for(QFileDialog)
        self.press("Ctrl+A")
        self.type(str(path))
        self.press("Return")


@pytest.fixture
def keys(qtbot):
    return Keyboard(qtbot)


@pytest.fixture
def start(qtbot, tmp_path, starter):
    """Starts the program on the same home, as often as it is called; the one before was closed."""
    apps = []

    def do():
        app = App(tmp_path / "home", starter)
        apps.append(app)
        window = make_window(app, QApplication.instance())
        qtbot.addWidget(window)
        window.show()
        window.start()
        window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
        return app, window

    yield do
    for window in QApplication.topLevelWidgets():
        window.close()
    for app in apps:
        app.store.close()


def test_a_new_writer_needs_no_mouse_all_day(keys, start, tmp_path):
    app, keys.main = start()
    window = keys.main
    assert keys.widget is window.draft

    take_the_tour(keys, window)
    write_a_tossup(keys, window)
    look_around(keys, window)
    mend_the_draft(keys, window)
    finish(keys, window, app)
    exported = export(keys, tmp_path)
    import_again(keys, window, app, exported)
    throw_away_and_take_back(keys, window, app)

    text = window.draft.text
    keys.press("Ctrl+Q")
    keys.wait(lambda: not window.isVisible())
    _, keys.main = start()
    again = keys.main
    assert again.draft.text == text
    assert again.answer.line.text() == "Madama Butterfly"
    assert keys.widget is again.draft
    keys.press("Ctrl+Q")


def take_the_tour(keys, window):
    keys.do("Tour")
    keys.wait(lambda: window.tour is not None)
    for _ in range(20):
        if window.tour is None:
            break
        keys.press("Return")
    assert window.tour is None
    assert keys.widget is window.draft


def write_a_tossup(keys, window):
    keys.press("Ctrl+N", "Ctrl+L")
    keys.type("madama but")
    keys.wait(lambda: bool(window.answer.offered()))
    keys.press("Return")
    assert window.answer.line.text() == "Madama Butterfly"
    assert keys.widget is window.draft
    keys.type(EASY_CLUE + " A caf")
    keys.press("Ctrl+Shift+U")
    keys.type("e")
    keys.press("Return")
    assert keys.widget is window.draft
    keys.type(" stands ")
    keys.press("Ctrl+B")
    keys.type("nearby")
    keys.press("Ctrl+B")
    keys.type(". " + HARD_CLUE + " Sharpless")
    keys.press("Ctrl+Shift+G")
    keys.type("SHARP-less")
    keys.press("Return")
    keys.press("Ctrl+End")
    keys.type(" reads a letter. " + LAST)
    text = window.draft.text
    assert " A café stands nearby. " in text
    assert "Sharpless (“SHARP-less”) reads a letter." in text
    start = text.index("nearby")
    assert window.draft.styling.has(LetterStyle.BOLD, Span(start, start + len("nearby")))
    keys.wait(lambda: window.settled)


def look_around(keys, window):
    keys.press("Ctrl+E")
    assert window.evidence.isAncestorOf(keys.widget)
    keys.press("Ctrl+Alt+2")
    assert window.panes.past.isAncestorOf(keys.widget)
    keys.press("Ctrl+T", "Left", "Left")
    assert window.session.heard is not None
    keys.press("Ctrl+D", "Ctrl+Shift+F")
    keys.wait(lambda: QApplication.activeWindow() is not window)
    found = QApplication.activeWindow()
    keys.type("Puccini")
    keys.press("Return")
    keys.wait(lambda: bool(found.list.rows))
    keys.press("Escape", "Escape")
    keys.wait(lambda: not found.isVisible())
    assert keys.widget is window.draft


def mend_the_draft(keys, window):
    text = window.draft.text
    keys.do("Clue strip below")
    keys.press("Ctrl+Alt+3")
    keys.wait(lambda: window.what_if.settled and bool(window.what_if.pane.list.rows))
    assert keys.widget is window.what_if.pane.list
    keys.press("Home", "Return")  # to rephrase a cue: its words are selected
    assert keys.widget is window.draft
    assert window.draft.textCursor().hasSelection()
    keys.type("Someone")
    assert window.draft.text != text
    keys.press("Ctrl+Z")
    assert window.draft.text == text
    keys.wait(lambda: window.what_if.settled and window.what_if.strip.take.isVisible())
    keys.press("Ctrl+Alt+Y")
    assert window.draft.text.index(EASY_CLUE) > 0
    keys.wait(lambda: "“this” is repeated." in [one.sentence for one in window.problems.problems])
    keys.press("Ctrl+Home")
    for _ in window.problems.problems:
        keys.press("F8")
        if window.draft.selected.of(window.draft.text) == "this this":
            break
    keys.press("Ctrl+.")
    keys.wait(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    keys.press("Return")
    assert "this this" not in window.draft.text


def finish(keys, window, app):
    keys.press("Ctrl+D", "Ctrl+Home", "Ctrl+Shift+Right", "Ctrl+Alt+M")
    keys.type("Is this clue new?")
    keys.press("Ctrl+Return")
    keys.wait_for(QDialog, "Profile")  # the first remark asks who makes it
    keys.type("Ada")
    keys.press("Return")
    keys.wait(lambda: len(window.comments.threads) == 1)
    keys.press("Ctrl+D", "Ctrl+Return")
    dialog = keys.wait_for(QDialog)
    keys.type("An editor may read it.")
    keys.wait(dialog.primary.isEnabled)  # the checks have run
    keys.press("Return")
    keys.wait(lambda: app.review.review_of(window.session.tossup_id).status is Status.READY)
    assert keys.widget is window.draft


def export(keys, folder):
    for name, file in (("Word", "out.docx"), ("MODAQ", "out.json"), ("PDF", "out.pdf")):
        keys.do(f"Export as {name}")
        keys.name_file(folder / file)
        keys.wait((folder / file).exists)
    QGuiApplication.clipboard().clear()
    keys.press("Ctrl+Alt+F")
    keys.wait(lambda: "Madama Butterfly" in QGuiApplication.clipboard().text())
    assert len(json.loads((folder / "out.json").read_text(encoding="utf-8"))["tossups"]) == 1
    return folder / "out.docx"


def import_again(keys, window, app, path):
    before = len(app.tossups.summaries())
    keys.press("Ctrl+Alt+I")
    keys.name_file(path)
    dialog = keys.wait_for(QDialog, "Import questions")
    keys.wait(lambda: dialog.list.topLevelItemCount() == 1 and dialog.import_button.isEnabled())
    keys.press("Return")
    keys.wait(lambda: len(app.tossups.summaries()) == before + 1)
    keys.wait(lambda: keys.widget is window.draft)


def throw_away_and_take_back(keys, window, app):
    key, before = window.session.tossup_id, len(app.tossups.summaries())
    keys.press("Ctrl+Shift+Del")
    keys.wait(lambda: len(app.tossups.summaries()) == before - 1)
    keys.do("Bin")
    dialog = keys.wait_for(QDialog, "Bin")
    keys.wait(lambda: dialog.list.topLevelItemCount() == 1)
    keys.press("Return")
    keys.wait(lambda: len(app.tossups.summaries()) == before)
    keys.press("Escape")
    keys.wait(lambda: not dialog.isVisible())
    keys.press("Ctrl+O")
    keys.type("stands nearby")
    keys.wait(lambda: window.tossups.view.model().rowCount() in (1, 2))  # with what was imported
    keys.press("Return")
    keys.wait(lambda: "A café stands nearby" in window.draft.text)
    assert key in [one.tossup_id for one in app.tossups.summaries()]
    assert keys.widget is window.draft
