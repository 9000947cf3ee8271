"""The three columns alone: what is hidden comes back, and where everything is outlives the window."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from quizwriter.gui.widgets.column_layout import ColumnLayout
from quizwriter.gui.widgets.saved_layout import ColumnSizes, read_layout, save_layout


class Panes:
    """Four panes in their columns; each has a field for the keyboard."""

    def __init__(self, qtbot):
        self.all = self.tossups, self.writing, self.guesses, self.evidence = [_pane() for _ in range(4)]
        self.columns = ColumnLayout(*self.all)
        qtbot.addWidget(self.columns)
        self.columns.resize(1280, 800)
        self.columns.show()
        self.columns.activateWindow()
        qtbot.waitExposed(self.columns)
        assert QTest.qWaitForWindowActive(self.columns)

    @property
    def shown(self):
        """Which panes are seen: list, writing, guesses, evidence."""
        return tuple(pane.isVisible() for pane in self.all)


def _pane():
    pane = QWidget()
    QVBoxLayout(pane).addWidget(QLineEdit())
    return pane


@pytest.fixture
def panes(qtbot):
    return Panes(qtbot)


def test_everything_is_shown_at_first_and_the_writing_is_widest(panes):
    assert panes.shown == (True, True, True, True)
    assert panes.writing.width() > max(panes.tossups.width(), panes.guesses.width())
    assert panes.guesses.geometry().bottom() < panes.guesses.parentWidget().height()


def test_each_side_hides_and_comes_back(qtbot, panes):
    with qtbot.waitSignal(panes.columns.moved):
        panes.columns.toggle_tossups()
    assert panes.shown == (False, True, True, True)
    panes.columns.close_right()
    assert panes.shown == (False, True, False, False)
    panes.columns.show_tossups()
    panes.columns.show_players_side()
    assert panes.shown == (True, True, True, True)


def test_the_writing_is_left_alone_and_only_what_was_shown_comes_back(panes):
    widths = panes.columns.sizes()
    panes.columns.leave_writing_alone(alone=True)
    panes.columns.leave_writing_alone(alone=False)
    assert panes.columns.sizes() == pytest.approx(widths, abs=1)

    panes.columns.toggle_tossups()
    panes.columns.leave_writing_alone(alone=True)
    assert panes.shown == (False, True, False, False)
    kept = panes.columns.sizes_to_save()
    assert (kept.tossups_hidden, kept.players_hidden) == (True, False)  # a new start shows them
    panes.columns.leave_writing_alone(alone=False)
    assert panes.shown == (False, True, True, True)


def test_another_page_on_the_right_leaves_no_keyboard_to_chance(qtbot, panes):
    problems, other = _pane(), _pane()
    for page in (problems, other):
        panes.columns.add_page(page)
    panes.columns.show_page(problems)
    problems.findChild(QLineEdit).setFocus()
    assert QApplication.focusWidget() is problems.findChild(QLineEdit)
    with qtbot.waitSignal(panes.columns.left):
        panes.columns.show_page(other)


def test_a_list_dragged_very_wide_leaves_the_right_column_its_width(panes):
    before = panes.columns.sizes()
    panes.columns.moveSplitter(1_000, 1)
    dragged = panes.columns.sizes()
    assert dragged[2] == before[2]
    assert before[0] < dragged[0] < 1_000
    assert dragged[1] == panes.writing.minimumWidth()

    panes.columns.close_right()
    panes.columns.moveSplitter(1_000, 1)
    panes.columns.show_players_side()
    assert panes.columns.sizes() == dragged


def test_a_page_on_the_right_leaves_what_was_there_before(qtbot, panes):
    page = _pane()
    panes.columns.add_page(page)
    panes.columns.show_page(page)
    assert (panes.shown, page.isVisible()) == ((True, True, False, False), True)
    panes.columns.leave_page(page)
    assert panes.shown == (True, True, True, True)

    panes.columns.close_right()
    width = panes.columns.right_width
    with qtbot.waitSignal(panes.columns.turned):
        panes.columns.show_page(page)
    assert page.width() == width
    panes.columns.leave_page(page)
    assert panes.columns.page is None
    panes.columns.show_players_side()
    assert panes.shown == (True, True, True, True)


def test_the_writing_keeps_free_just_what_the_right_column_takes(qtbot, panes):
    panes.columns.close_right()
    qtbot.waitUntil(lambda: panes.writing.width() > 1_000)
    free, before = panes.columns.free_width, panes.writing.width()
    panes.columns.show_players_side()

    qtbot.waitUntil(lambda: panes.writing.width() == before - free)
    assert panes.columns.free_width == 0


def test_the_right_column_is_narrower_in_a_narrow_window_until_it_is_dragged(panes):
    panes.columns.close_right()
    panes.columns.resize(1000, 700)
    panes.columns.show_players_side()
    assert panes.guesses.width() == 300
    panes.columns.moveSplitter(1000 - 380, 2)
    panes.columns.close_right()
    panes.columns.show_players_side()
    assert panes.guesses.width() == pytest.approx(380, abs=2)


def test_the_list_is_narrower_in_a_narrow_window_until_it_is_dragged(panes):
    assert panes.tossups.width() == 208
    panes.columns.resize(1000, 700)
    assert panes.tossups.width() == 168  # its least
    panes.columns.toggle_tossups()
    panes.columns.resize(1100, 700)
    panes.columns.toggle_tossups()
    assert panes.tossups.width() == 179
    panes.columns.moveSplitter(240, 1)
    panes.columns.resize(1050, 700)
    assert panes.tossups.width() == pytest.approx(240, abs=2)


def test_what_opens_on_the_right_is_laid_out_once_in_its_width(qtbot, panes, monkeypatch):
    panes.columns.close_right()
    QTest.qWait(10)
    widths = {panes.writing: [], panes.guesses: []}

    def note(self, event, *, resize=QWidget.resizeEvent):
        if self in widths and self.isVisible():
            widths[self].append(event.size().width())
        resize(self, event)

    for pane in widths:
        monkeypatch.setattr(pane, "resizeEvent", note.__get__(pane), raising=False)
    panes.columns.show_players_side()
    QTest.qWait(50)
    assert set(widths[panes.guesses]) <= {panes.columns.right_width}
    assert widths[panes.writing] == [panes.writing.width()]
    assert sum(panes.columns.sizes()) == panes.columns.width() - 2 * panes.columns.handleWidth()


def test_it_is_said_when_what_has_the_keyboard_hides(qtbot, panes):
    panes.tossups.findChild(QLineEdit).setFocus()
    with qtbot.waitSignal(panes.columns.left):
        panes.columns.toggle_tossups()
    panes.writing.findChild(QLineEdit).setFocus()
    with qtbot.assertNotEmitted(panes.columns.left):
        panes.columns.close_right()
    assert panes.writing.isAncestorOf(QApplication.focusWidget())


def test_the_guesses_get_the_height_they_ask_for_but_never_most_of_it(panes):
    panes.columns.fit_guesses(200)
    assert panes.guesses.height() == 200
    whole = panes.guesses.parentWidget().height()
    panes.columns.fit_guesses(whole * 3 // 5)
    assert panes.guesses.height() == whole * 3 // 5
    panes.columns.fit_guesses(whole * 2 // 3)  # only their edge is cut off
    assert panes.guesses.height() == whole * 3 // 5
    panes.columns.fit_guesses(whole * 2 // 3 + 1)  # they scroll, and the evidence has more room
    assert panes.guesses.height() == whole // 2


def test_what_the_writer_dragged_stays(qtbot, panes):
    panes.columns.fit_guesses(200)
    drag(panes, 120)
    dragged = panes.guesses.height()
    assert dragged > 250

    panes.columns.fit_guesses(200)
    assert panes.guesses.height() == dragged


def drag(panes, by):
    """Pull the handle between guesses and evidence down, as the mouse does."""
    splitter = panes.guesses.parentWidget()
    splitter.handle(1).moveSplitter(splitter.handle(1).pos().y() + by)


def test_where_everything_is_outlives_the_window(qtbot, panes, tmp_path):
    drag(panes, 100)
    panes.columns.moveSplitter(300, 1)
    panes.columns.toggle_tossups()
    save_layout(tmp_path, columns=panes.columns.sizes_to_save())

    again = Panes(qtbot)
    again.columns.restore(read_layout(tmp_path).columns)
    assert again.shown == (False, True, True, True)
    again.columns.show_tossups()
    assert again.tossups.width() == pytest.approx(300, abs=2)
    again.columns.fit_guesses(150)  # not the writer's wish, who dragged it
    assert again.guesses.height() == pytest.approx(panes.guesses.height(), abs=2)


@pytest.mark.parametrize("sizes", [(), (1,), (0, 0, 0), (1, 2, 3, 4)])
def test_sizes_of_other_columns_change_nothing(panes, sizes):
    before = panes.columns.sizes()
    panes.columns.restore(ColumnSizes(sizes, sizes))

    assert panes.columns.sizes() == before
    assert panes.shown == (True, True, True, True)


def test_the_list_is_hidden_from_the_first_where_large_letters_leave_no_room(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    columns = ColumnLayout(*(_pane() for _ in range(4)))
    columns.setParent(window)
    columns.fit_letters(lambda pixels: round(2 * pixels))
    for widget in (window, columns):
        widget.resize(1024, 700)
    window.show()
    qtbot.waitExposed(window)
    assert [columns.widget(place).isVisible() for place in range(3)] == [False, True, True]
    assert columns.widget(2).geometry().right() < 1024
    columns.resize(1280, 700)
    assert columns.widget(0).isVisible()
