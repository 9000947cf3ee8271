"""Windows that open and close: what the next one takes over, and what waits for the draft and the players."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt, QTimer

from quizwriter.domain.guessing import Player
from quizwriter.domain.history import Edit
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.gui.secondary_windows import SecondaryWindows
from quizwriter.gui.widgets.file_dialog import begin_in, file_dialog
from quizwriter.gui.widgets.saved_layout import OpenPlace, read_layout, save_layout
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.gui.test_main_window import FULL
from tests.gui.test_pasted_question import QUESTION, WHOLE, paste
from tests.gui.test_players import FOUR, action, cards, lanes
from tests.helpers.fakes import FakeApp, Gated, Lead
from tests.helpers.patience import hurried
from tests.helpers.windows import app_of, closed

# -- what the next window takes over


def test_what_was_open_comes_back_with_cursor_and_answer(qtbot, open_window):
    first = open_window()
    qtbot.keyClicks(first.draft, "A humming chorus")
    first.answer.line.setFocus()
    qtbot.keyClicks(first.answer.line, "turandot")
    first.draft.setFocus()
    for _ in range(3):
        qtbot.keyClick(first.draft, Qt.Key.Key_Left)
    app = closed(first)

    second = open_window(app)

    assert second.draft.text == "A humming chorus"
    assert second.draft.cursor_at == 13
    assert second.answer.answer == Answer("turandot", Page("Turandot"))


def test_the_window_opens_where_it_was_left_and_not_where_was_written_last(qtbot, open_window):
    first = open_window(start=False)
    qtbot.keyClicks(first.draft, "The older of two")
    older = first.session.tossup_id
    first.sessions.open_new()
    qtbot.keyClicks(first.draft, "The newer one")
    qtbot.waitUntil(lambda: first.saver.idle and not first.session.has_unsaved)
    first.sessions.open_saved(older)
    cursor = first.draft.textCursor()
    cursor.setPosition(4)
    first.draft.setTextCursor(cursor)
    app = closed(first)
    second = open_window(app, start=False)

    assert second.draft.text == "The older of two"
    assert second.draft.cursor_at == 4


def test_the_first_file_dialog_of_a_run_begins_where_the_last_one_of_the_run_before_ended(
    qtbot, open_window, tmp_path, monkeypatch
):
    monkeypatch.setattr("quizwriter.gui.widgets.file_dialog._last", [])
    first = open_window(start=False)
    dialog = file_dialog(first, "Import questions")
    dialog.filesSelected.emit([str(tmp_path / "packet.docx")])
    dialog.deleteLater()
    app = closed(first)
    begin_in("")
    second = open_window(app, start=False)

    again = file_dialog(second, "Import questions")
    assert Path(again.directory().absolutePath()) == tmp_path
    again.deleteLater()
    begin_in("/packets\udcff")  # a name that is not in the system's encoding is not saved
    second.close()
    assert read_layout(app.home).folder == ""


@pytest.fixture
def kept(tmp_path):
    """An application that keeps a tossup of many lines."""
    app = FakeApp(tmp_path)
    app.store.save(PendingSave.begun("t9", "Wide " * 4 + "\n" * 200, None, 1))
    return app


def test_a_tossup_that_is_gone_leaves_the_one_written_last(kept, open_window):
    save_layout(kept.home, place=OpenPlace("thrown away", 0, ("unknown",)))

    assert open_window(kept).session.tossup_id == "t9"


def test_the_draft_is_scrolled_to_its_place_before_it_is_painted(kept, open_window):
    save_layout(kept.home, place=OpenPlace("t9", 300, ()))
    window = open_window(kept, start=False)
    assert window.draft.verticalScrollBar().value() != 300

    window.start_after_paint()

    assert window.draft.verticalScrollBar().value() == 300


def test_the_windows_that_were_open_open_again(kept, open_window, monkeypatch):
    opened = []
    monkeypatch.setattr(SecondaryWindows, "_open", lambda self, spec, *what: opened.append(spec.id))
    save_layout(kept.home, place=OpenPlace("", 0, ("queue", "unknown")))
    open_window(kept)

    assert opened == ["queue"]


def test_the_window_keeps_its_places(qtbot, open_window):
    first = open_window(start=False)
    first.columns.toggle_tossups()
    first.resize(780, 600)
    app = closed(first)
    second = open_window(app, start=False)

    assert second.tossups.isHidden()
    assert second.size() == QSize(780, 600)


def test_there_is_a_legend_once_it_is_wanted_and_that_is_remembered(qtbot, open_window):
    four = open_window(tossup=FULL, players=FOUR)
    qtbot.waitUntil(lambda: four.settled)
    line = four.time_line
    without = line.sizeHint().height()
    action(four, "legend").trigger()
    assert line.sizeHint().height() > without
    assert app_of(four).settings.shows_legend

    again = open_window(closed(four), tossup=FULL)
    qtbot.waitUntil(lambda: again.settled)
    assert again.time_line.sizeHint().height() > without
    again.menus.actions["legend"].trigger()
    assert again.time_line.sizeHint().height() == without


def test_a_player_moves_and_stays_where_it_was_put(qtbot, open_window):
    four = open_window(tossup=FULL, players=FOUR)
    qtbot.waitUntil(lambda: four.settled)
    next(one for one in four.guesses.cards[2].menu().actions() if one.text() == "Move up").trigger()
    assert lanes(four) == cards(four) == ["ir", "rnn", "dan", "ensemble"]
    action(four, "move-up:rnn").trigger()
    assert lanes(four) == ["rnn", "ir", "dan", "ensemble"]

    app = closed(four)
    again = open_window(app, tossup=FULL)
    qtbot.waitUntil(lambda: lanes(again) == ["rnn", "ir", "dan", "ensemble"])
    assert app.profile.settings.player_order == ("rnn", "ir", "dan", "ensemble")


def test_an_undo_after_a_restart_takes_the_answer_and_the_category_along_too(qtbot, app, open_window):
    window = open_window(app, start=False)
    paste(window, WHOLE.replace("cat [accept", "<b><u>cat</u></b> [accept"))
    pasted = window.draft.text
    window.pasted.fill()
    key, styles = window.session.tossup_id, window.session.answer_styles
    qtbot.waitUntil(lambda: app.store.review_of(key).category == ("American Literature",))
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)

    closed(window)
    window = open_window(App(app.home), start=False)
    window.sessions.open_saved(key)
    for _ in range(2):
        window.draft.undo()
        qtbot.waitUntil(lambda: window.draft.text == pasted)
        assert (window.answer.line.text(), window.session.tossup.answer) == ("", None)
        qtbot.waitUntil(lambda: app.store.review_of(key).category == ())
        window.draft.redo()
        assert window.draft.text == QUESTION.removeprefix("7. ")
        assert window.session.tossup.answer.line == "cat [accept kitten]"
        assert window.session.answer_styles == window.answer.styling.styles == styles
        qtbot.waitUntil(lambda: app.store.review_of(key).category == ("American Literature",))
    closed(window).store.close()


# -- closing


@pytest.mark.logs("not saved yet: The disk is full")
def test_a_window_with_unsaved_words_does_not_close_at_once(qtbot, open_window):
    window = open_window()
    app_of(window).store.full = True
    qtbot.keyClicks(window.draft, "A colony")

    assert not window.close()
    assert "not on disk yet" in window.messages.text("closing")
    assert window.close()


def test_nothing_is_looked_up_for_a_window_that_was_closed(qtbot, open_window):
    window = open_window(tossup=FULL)
    qtbot.waitUntil(lambda: window.settled)
    window.close()

    window.sessions.edited.emit()
    window.engines.engine_changed.emit()
    window.analysis.completed.emit(window.session.generation)
    window.answer.changed.emit(None)
    window.draft.edited.emit(Edit(0, "", ""), window.draft.text)

    for controller in (window.past, window.clues, window.problems):
        timers = controller.findChildren(QTimer)
        assert timers
        assert not any(timer.isActive() for timer in timers), controller


# -- what waits


def test_the_engine_is_loaded_once_the_draft_is_painted(open_window, qtbot):
    window = open_window(start=False)
    events = []
    window.draft.painted.connect(lambda: events.append("painted"))
    load = window.engines.start
    window.engines.start = lambda: (events.append("loads"), load())
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.start_after_paint()
        window.draft.viewport().update()
    window.start()

    assert "painted" in events[: events.index("loads")]
    assert events.count("loads") == 1


def test_the_engine_of_a_window_that_is_not_painted_is_loaded_all_the_same(open_window, qtbot):
    with hurried("main_window.UNSEEN_MS"):
        window = open_window(start=False)
    window.hide()
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.start_after_paint()


def test_without_a_bundle_one_can_write_and_is_told_the_remedy(qtbot, open_window, tmp_path):
    app = FakeApp(tmp_path)
    app.refusal = QuizwriterError("The bundle is of a newer version.", "Open another.")
    window = open_window(app, start=False)
    with qtbot.waitSignal(window.analysis_runner.refused):
        window.start()
    qtbot.keyClicks(window.draft, "A colony")
    assert "newer version. Open another." in window.messages.text("bundle")
    assert window.status.sentence.startswith("No bundle is open")
    qtbot.waitUntil(lambda: bool(app.store.savings))

    window.engines.use_bundle(tmp_path)
    qtbot.waitUntil(lambda: window.settled)
    assert window.messages.text("bundle") == ""


@pytest.fixture
def waiting(qtbot, open_window, monkeypatch):
    """A window whose player waits at a gate, the player, and the pages that answers are completed from."""
    monkeypatch.setattr("quizwriter.gui.engine_controller.SETTLE_MS", 600_000)
    player, used = Gated(), []
    window = open_window(players=(Player(player, Lead()),), tossup=FULL, start=False)
    monkeypatch.setattr(window.answer, "use_pages", lambda pages, _: used.append(pages))
    window.start()
    qtbot.waitUntil(player.thinking.is_set)
    return window, player, used


def test_tables_for_answers_and_clues_wait_until_the_players_have_answered(qtbot, waiting):
    window, player, used = waiting
    settled = []
    window.engines.engine_settled.connect(lambda: settled.append(True))
    assert used == []
    player.open(9)
    qtbot.waitUntil(lambda: bool(settled))
    assert window.session.analysis.done
    assert used == [window.analysis.engine.pages]
    window.answer.line.textEdited.emit("a")
    assert len(used) == len(settled) == 1, "once for each engine"


def test_tables_for_answers_wait_for_a_pause_in_typing(qtbot, waiting, monkeypatch):
    window, player, used = waiting
    monkeypatch.setattr("quizwriter.gui.engine_controller.PAUSE_MS", 600_000)
    player.open(9)
    qtbot.waitUntil(lambda: window.session.analysis is not None and window.session.analysis.done)
    qtbot.keyClicks(window.draft, " and")
    qtbot.waitUntil(lambda: window.analysis.settled)
    assert used == []
    # The guesses may be painted later than this, which begins the pause anew.
    monkeypatch.setattr("quizwriter.gui.engine_controller.PAUSE_MS", 1)
    window.engines._settle_in_pause()
    qtbot.waitUntil(lambda: used == [window.analysis.engine.pages])


def test_whoever_types_an_answer_waits_for_no_player(qtbot, waiting):
    window, player, used = waiting
    qtbot.keyClicks(window.answer.line, "a")
    assert used == [window.analysis.engine.pages]
    player.open(9)


def test_players_that_take_long_are_waited_for_no_longer(qtbot, waiting):
    window, player, used = waiting
    window.engines._settle_soon.start_in(1)
    qtbot.waitUntil(lambda: used == [window.analysis.engine.pages])
    player.open(9)
