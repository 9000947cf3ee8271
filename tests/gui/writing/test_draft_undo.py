"""Undo and redo in the draft: by keys and menus, over switching, appearance and restarts."""

import threading

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QDropEvent, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from quizwriter.domain.history import Change, Edit, EditKind, replay
from quizwriter.domain.span import Span
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import stop_background
from quizwriter.gui.writing.draft import DraftPane
from quizwriter.gui.writing.draft_undo import DraftUndo
from quizwriter.store.store import Store
from quizwriter.workflow.session import PendingSave, WritingSession
from tests.helpers.fakes import FakeApp
from tests.helpers.patience import PATIENCE_S
from tests.helpers.windows import app_of

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def undo(pane):
    QTest.keyClick(pane, Qt.Key.Key_Z, CONTROL)


def redo(pane):
    QTest.keyClick(pane, Qt.Key.Key_Y, CONTROL)


# -- the pane with a real database


class Desk:
    """A draft pane with its undo, on two tossups in a real database, with a clock of its own."""

    def __init__(self, path, theme):
        self.path, self.theme, self.now = path, theme, 0
        self.gate = threading.Event()
        self.gate.set()
        self.begin()
        self.open("one")

    def begin(self):
        """A run of the program begins."""
        self.store = Store(self.path)
        self.sessions = {}
        self.pane = DraftPane(self.theme)
        self.undo = DraftUndo(self.pane, self.history)
        self.refused = []
        self.undo.refused.connect(self.refused.append)
        self.pane.edited.connect(lambda edit, text: self.session.type(text, self.pane.cursor_at, edit=edit))

    def history(self, tossup_id):
        assert self.gate.wait(PATIENCE_S), "the test never opened the gate"
        return self.store.history(tossup_id)

    def open(self, key):
        if key not in self.sessions:
            try:
                kept = self.store.load(key)
            except QuizwriterError:
                self.sessions[key] = WritingSession(key, clock=lambda: self.now)
            else:
                self.sessions[key] = WritingSession(
                    key, kept.tossup, seq=kept.seq, head=kept.head, clock=lambda: self.now
                )
        self.session = self.sessions[key]
        self.pane.put(self.session.tossup.text, self.session.cursor)
        self.undo.open(self.session)

    def save(self):
        for session in self.sessions.values():
            saving = session.take_unsaved()
            if saving is not None:
                self.store.save(saving)

    def end(self):
        self.save()
        stop_background(self.undo)
        self.store.close()
        self.pane.deleteLater()

    def restart(self):
        self.end()
        self.begin()
        self.open(self.session.tossup_id)

    def key(self, press):
        self.now += 50
        press(self.pane)

    def settle(self):
        """Wait until the log is read."""
        while self.undo.busy:
            QCoreApplication.processEvents()


@pytest.fixture
def desk(tmp_path, theme):
    made = Desk(tmp_path / "quizwriter.db", theme)
    yield made
    made.gate.set()
    made.end()


def test_two_sentences_with_a_pause_are_two_steps_also_in_the_next_run(desk):
    QTest.keyClicks(desk.pane, "It froze.")
    desk.now += 8_000
    QTest.keyClicks(desk.pane, " It thawed.")
    desk.restart()
    undo(desk.pane)
    desk.settle()
    assert desk.pane.text == "It froze."
    undo(desk.pane)
    assert desk.pane.text == ""
    desk.restart()
    redo(desk.pane)
    desk.settle()
    assert desk.pane.text == "It froze."
    redo(desk.pane)
    assert desk.pane.text == "It froze. It thawed."


def test_what_is_asked_for_before_the_log_is_read_follows_and_nothing_waits(desk):
    QTest.keyClicks(desk.pane, "one")
    desk.now += 8_000
    QTest.keyClicks(desk.pane, " two")
    desk.restart()
    desk.gate.clear()
    undo(desk.pane)
    undo(desk.pane)
    redo(desk.pane)
    assert desk.pane.text == "one two"  # the window goes on meanwhile
    desk.gate.set()
    desk.settle()

    assert desk.pane.text == "one"


def test_who_types_on_while_the_log_is_read_keeps_what_was_typed(desk):
    QTest.keyClicks(desk.pane, "one")
    desk.restart()
    desk.gate.clear()
    undo(desk.pane)
    QTest.keyClicks(desk.pane, "x")
    undo(desk.pane)
    QTest.keyClicks(desk.pane, "y")
    desk.gate.set()
    desk.settle()

    assert desk.pane.text in ("yone", "oney")
    undo(desk.pane)
    undo(desk.pane)
    assert desk.pane.text == ""


def test_another_tossup_opened_meanwhile_is_not_undone(desk):
    QTest.keyClicks(desk.pane, "one")
    desk.open("two")
    QTest.keyClicks(desk.pane, "other")
    desk.open("one")
    desk.restart()
    desk.gate.clear()
    undo(desk.pane)
    desk.open("two")
    desk.gate.set()
    desk.settle()
    assert desk.pane.text == "other"
    desk.open("one")
    assert desk.pane.text == "one"
    undo(desk.pane)
    desk.settle()
    assert desk.pane.text == ""


@pytest.mark.logs("cannot be undone")
def test_a_history_that_does_not_lead_to_the_text_is_said_and_what_is_typed_is_undone_all_the_same(desk):
    QTest.keyClicks(desk.pane, "one")
    desk.restart()
    desk.undo._history = lambda key: (Change(1, 1, Edit(0, "", "two")),)
    undo(desk.pane)
    desk.settle()

    assert desk.pane.text == "one"
    assert ["cannot be undone" in said for said in desk.refused] == [True]
    QTest.keyClicks(desk.pane, "x")
    undo(desk.pane)
    assert desk.pane.text == "one"


def test_the_cursor_lands_where_the_undone_change_was(desk):
    QTest.keyClicks(desk.pane, "one two three")
    desk.pane.select(Span(4, 8))
    QTest.keyClick(desk.pane, Qt.Key.Key_Delete)
    desk.pane.select(Span(0, 0))
    undo(desk.pane)
    assert (desk.pane.text, desk.pane.cursor_at) == ("one two three", 8)
    redo(desk.pane)
    assert (desk.pane.text, desk.pane.cursor_at) == ("one three", 4)


def test_any_letters_come_back_in_their_places(desk):
    for text in ("A \U0001f3b5 \U0001f468\u200d\U0001f469", "שלום", "e\u0301\na\u00a0b"):
        source = QMimeData()
        source.setText(text)
        desk.pane.insertFromMimeData(source)
    whole = desk.pane.text
    desk.pane.select(Span(1, 3))
    desk.pane.cut()
    desk.restart()
    undo(desk.pane)
    desk.settle()
    assert desk.pane.text == whole
    for _ in range(3):
        undo(desk.pane)
    assert desk.pane.text == ""
    for _ in range(3):
        redo(desk.pane)
    assert desk.pane.text == whole
    assert desk.session.tossup.text == whole


def test_what_an_input_method_composes_is_put_in_before_it_is_undone(desk):
    QTest.keyClicks(desk.pane, "a")
    composing = QInputMethodEvent("に", [])
    QCoreApplication.sendEvent(desk.pane, composing)
    assert desk.pane.text == "a"
    desk.now += 50
    undo(desk.pane)

    assert desk.pane.textCursor().block().layout().preeditAreaText() == ""
    assert desk.pane.text == desk.session.tossup.text == ""
    redo(desk.pane)
    assert desk.pane.text == "aに"


def test_what_is_composed_is_put_in_before_the_draft_is_locked(desk):
    QCoreApplication.sendEvent(desk.pane, QInputMethodEvent("に", []))
    desk.pane.lock(locked=True)
    assert desk.pane.text == desk.session.tossup.text == "に"


def test_text_that_is_dragged_is_one_step(desk):
    desk.pane.resize(800, 300)
    desk.pane.show()
    QTest.keyClicks(desk.pane, "one two ")
    desk.pane.select(Span(0, 4))
    source = QMimeData()
    source.setText("one ")
    end = next(desk.pane.boxes(Span(7, 8)))
    drop = QDropEvent(
        QPointF(end.right() + 200, end.center().y()), Qt.DropAction.CopyAction, source,
        Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    desk.pane.dropEvent(drop)
    assert desk.pane.text == "one two one "
    QTest.keyClicks(desk.pane, "x")
    undo(desk.pane)
    assert desk.pane.text == "one two one "
    undo(desk.pane)
    assert desk.pane.text == "one two "


def test_the_power_mark_moves_in_one_step(desk):
    QTest.keyClicks(desk.pane, "one two")
    desk.pane.select(Span(3, 3))
    desk.pane.insert_power_mark()
    desk.pane.select(Span(11, 11))
    desk.pane.insert_power_mark()
    assert desk.pane.text == "one two (*)"
    desk.restart()
    undo(desk.pane)
    desk.settle()
    assert desk.pane.text == "one (*) two"
    undo(desk.pane)
    assert desk.pane.text == "one two"


class PlainTossup:
    """The texts between the steps of one tossup, and where we are among them."""

    def __init__(self):
        self.texts, self.at, self.run_end, self.run_length = [""], 0, None, 0

    @property
    def text(self):
        return self.texts[self.at]

    def step(self, text, run_end=None, run_length=0):
        self.texts[self.at + 1 :] = [text]
        self.at += 1
        self.run_end, self.run_length = run_end, run_length

    def go(self, by):
        self.at = max(0, min(len(self.texts) - 1, self.at + by))
        self.run_end = None


class Writing(RuleBasedStateMachine):
    """Keys pressed in the pane, saved in a real database, in any number of runs."""

    folders = None  # where databases go
    theme = None
    made = 0

    def __init__(self):
        super().__init__()
        type(self).made += 1
        self.desk = Desk(self.folders / f"{self.made}.db", self.theme)
        self.models = {"one": PlainTossup(), "two": PlainTossup()}

    @property
    def model(self):
        return self.models[self.desk.session.tossup_id]

    words = st.text("ab", min_size=1, max_size=4)
    places = st.floats(0, 1)

    @rule(word=words, share=places)
    def type_somewhere(self, word, share):
        model, text = self.model, self.model.text
        at = round(share * len(text))
        if at == self.desk.pane.cursor_at:  # a place where nobody has to go
            at = 0 if at else len(text)
        if at == self.desk.pane.cursor_at:
            return
        self.desk.pane.select(Span(at, at))
        for letter in word:
            self.desk.key(lambda pane, letter=letter: QTest.keyClicks(pane, letter))
        model.step(text[:at] + word + text[at:], at + len(word), len(word))

    @precondition(lambda self: self.model.run_end is not None and self.model.run_length < 30)
    @rule(word=words, pause=st.booleans())
    def type_on(self, word, pause):
        model, text, at = self.model, self.model.text, self.model.run_end
        self.desk.now += 8_000 * pause
        word = f" {word}"
        for letter in word:
            self.desk.key(lambda pane, letter=letter: QTest.keyClicks(pane, letter))
        whole = text[:at] + word + text[at:]
        if pause:
            model.step(whole, at + len(word), len(word))
        else:
            model.texts[model.at] = whole
            model.run_end += len(word)
            model.run_length += len(word)

    @precondition(lambda self: self.model.text)
    @rule(share=places, size=st.integers(1, 9))
    def cut_out(self, share, size):
        text = self.model.text
        start = min(round(share * len(text)), len(text) - 1)
        self.desk.pane.select(Span(start, min(len(text), start + size)))
        self.desk.key(lambda pane: QTest.keyClick(pane, Qt.Key.Key_Backspace))
        self.model.step(text[:start] + text[start + size :])

    @rule(word=words)
    def paste(self, word):
        text, at = self.model.text, self.desk.pane.selected
        source = QMimeData()
        source.setText(f"[{word}]")
        self.desk.pane.insertFromMimeData(source)
        self.model.step(text[: at.start] + f"[{word}]" + text[at.end :])

    @rule(count=st.integers(1, 4))
    def undo(self, count):
        for _ in range(count):
            self.desk.key(undo)
            self.model.go(-1)
        self.desk.settle()

    @rule(count=st.integers(1, 4))
    def redo(self, count):
        for _ in range(count):
            self.desk.key(redo)
            self.model.go(1)
        self.desk.settle()

    @rule()
    def save(self):
        self.desk.save()

    @rule(key=st.sampled_from(["one", "two"]))
    def switch(self, key):
        self.desk.open(key)
        self.model.run_end = None

    @rule(pixels=st.integers(12, 24))
    def change_the_size_of_the_text(self, pixels):
        self.theme.use_draft_size(pixels)

    @rule()
    def restart(self):
        self.desk.restart()
        for model in self.models.values():
            model.run_end = None

    @invariant()
    def the_text_is_that_of_the_model(self):
        assert self.desk.pane.text == self.desk.session.tossup.text == self.model.text

    def teardown(self):
        try:
            for key, model in self.models.items():
                self.desk.open(key)
                self.desk.restart()
                while model.at:
                    undo(self.desk.pane)
                    self.desk.settle()
                    model.go(-1)
                    assert self.desk.pane.text == model.text
            assert self.desk.store.check() == ()
        finally:
            self.desk.end()


def test_any_mix_of_keys_switching_and_restarting_gives_the_texts_of_a_plain_model(tmp_path, theme):
    Writing.folders, Writing.theme = tmp_path, theme
    run_state_machine_as_test(
        Writing, settings=settings(max_examples=20, stateful_step_count=25, deadline=None, database=None)
    )


# -- the window


def action(window, name):
    return window.menus.actions[name]


def focus(window, widget, qtbot):
    window.activateWindow()
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)


def saved(window, qtbot):
    qtbot.waitUntil(lambda: window.saver.idle and not window.session.has_unsaved)


def test_the_window_undoes_over_switching_text_size_and_restart(qtbot, open_window):
    window = open_window(start=False)
    qtbot.keyClicks(window.draft, "A port")
    key = window.session.tossup_id
    window.draft.select(Span(0, 1))
    qtbot.keyClicks(window.draft, "The")
    saved(window, qtbot)
    action(window, "new").trigger()
    qtbot.keyClicks(window.draft, "Another")
    saved(window, qtbot)
    window.sessions.open_saved(key)
    action(window, "larger-text").trigger()
    undo(window.draft)
    assert window.draft.text == "A port"
    saved(window, qtbot)
    window.close()

    second = open_window(app_of(window), start=False)
    second.sessions.open_saved(key)
    undo(second.draft)
    qtbot.waitUntil(lambda: second.draft.text == "")
    QTest.keyClick(second.draft, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert second.draft.text == "A port"
    redo(second.draft)
    assert second.draft.text == "The port"
    saved(second, qtbot)
    changes = app_of(second).store.history(key)
    assert replay(change.edit for change in changes) == "The port"
    assert [change.kind for change in changes][-4:] == [
        EditKind.UNDO,
        EditKind.UNDO,
        EditKind.REDO,
        EditKind.REDO,
    ]


def test_undo_and_redo_can_be_chosen_where_there_is_something_to_undo_and_redo(qtbot, open_window):
    window = open_window(start=False)

    def offered():
        return action(window, "undo").isEnabled(), action(window, "redo").isEnabled()

    assert offered() == (False, False)
    qtbot.keyClicks(window.draft, "A")
    assert offered() == (True, False)
    action(window, "undo").trigger()
    assert window.draft.text == ""
    assert offered() == (False, True)
    action(window, "redo").trigger()
    assert window.draft.text == "A"
    assert offered() == (True, False)
    focus(window, window.answer.line, qtbot)
    qtbot.keyClicks(window.answer.line, "Aida")
    assert offered() == (True, True)  # a field has an undo of its own
    qtbot.keyClick(window.answer.line, Qt.Key.Key_Z, CONTROL)
    assert window.answer.line.text() != "Aida"
    assert window.draft.text == "A"


def test_the_context_menu_offers_the_same(qtbot, open_window, monkeypatch):
    window = open_window(start=False)
    opened = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, where: opened.append(menu))
    qtbot.keyClicks(window.draft, "A")

    def menu():
        at = QPoint(5, 5)
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, window.draft.mapToGlobal(at))
        window.draft.contextMenuEvent(event)
        return (opened[-1].findChild(QAction, name) for name in ("edit-undo", "edit-redo"))

    undoes, redoes = menu()
    assert (undoes.isEnabled(), redoes.isEnabled()) == (True, False)
    undoes.trigger()
    assert window.draft.text == ""
    undoes, redoes = menu()
    assert (undoes.isEnabled(), redoes.isEnabled()) == (False, True)
    redoes.trigger()
    assert window.draft.text == "A"


def test_an_undo_is_read_by_the_players(qtbot, open_window):
    window = open_window()
    qtbot.keyClicks(window.draft, "A humming chorus")
    qtbot.waitUntil(lambda: window.settled)
    with qtbot.waitSignal(window.completed):
        undo(window.draft)
        qtbot.keyClicks(window.draft, "A maid")
    qtbot.waitUntil(lambda: window.settled)

    assert window.session.analysis.request.tossup.text == window.draft.text == "A maid"


def test_a_locked_draft_offers_no_undo(qtbot, open_window):
    window = open_window(start=False)
    qtbot.keyClicks(window.draft, "A")
    window._lock(True)

    assert not action(window, "undo").isEnabled()
    with qtbot.waitSignal(window.draft.refused_edit):
        undo(window.draft)
    assert window.draft.text == "A"
    window._lock(False)
    undo(window.draft)
    assert window.draft.text == ""


def test_what_was_merged_from_elsewhere_can_be_undone_as_if_it_were_typed_here(qtbot, open_window, tmp_path):
    app = FakeApp(tmp_path)
    app.store.save(PendingSave.begun("t", "one", None, 1))
    window = open_window(app, start=False)
    qtbot.keyClicks(window.draft, "x")
    saved(window, qtbot)
    undo(window.draft)
    saved(window, qtbot)
    seq = len(app.store.history("t"))
    app.store.save(
        PendingSave("t", "one two", None, 0, 9, (Change(seq + 1, 9_000, Edit(3, "", " two"), "ana"),))
    )
    window._take_merged({})
    assert window.draft.text == "one two"
    undo(window.draft)
    qtbot.waitUntil(lambda: window.draft.text == "one")
    undo(window.draft)
    assert window.draft.text == ""


def test_a_long_answer_line_shows_its_beginning_once_the_field_is_left(qtbot, open_window):
    window = open_window(start=False)
    line = window.answer.line
    focus(window, line, qtbot)
    QApplication.clipboard().setText("Aida " * 60)
    line.paste()
    assert line.cursorPosition() == len(line.text())
    focus(window, window.draft, qtbot)

    assert line.cursorPosition() == 0
    assert line.text().startswith("Aida")
