"""The whole window with a real thread: one keystroke and what follows from it."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from quizwriter.domain.guessing import Player
from quizwriter.domain.history import Edit, replay
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.secondary_windows import SecondaryWindows
from quizwriter.gui.widgets.file_dialog import begin_in, file_dialog
from quizwriter.gui.widgets.saved_layout import OpenPlace, read_layout, save_layout
from quizwriter.gui.writing.tossup_list import TossupEntry, fold_case
from quizwriter.workflow.session import WritingSession
from tests.helpers.fakes import DRAFT, Buggy, Failing, FakeApp, Gated, Lead, Overlap
from tests.helpers.patience import hurried
from tests.helpers.windows import app_of

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))
FULL = Tossup(DRAFT, BUTTERFLY)


@pytest.fixture
def answered(qtbot, open_window):
    """A window whose draft is fully analysed."""
    window = open_window(tossup=FULL)
    qtbot.waitUntil(lambda: window.settled)
    return window


@pytest.fixture
def gated(open_window):
    """A window whose player waits at a gate, and the player."""
    player = Gated()
    return open_window(players=(Player(player, Lead()),)), player


# -- the flow


def test_guesses_for_a_tossup_that_is_opened_again_are_told_of_again(qtbot, answered):
    for _ in range(2):
        with qtbot.waitSignal(answered.completed):
            answered.sessions.open(WritingSession("t1", FULL))


def test_a_burst_of_typing_is_read_to_the_machine_once(qtbot, gated):
    window, player = gated
    qtbot.keyClicks(window.draft, "A")
    qtbot.waitUntil(player.thinking.is_set)
    qtbot.keyClicks(window.draft, " humming chorus")
    player.open(2)
    qtbot.waitUntil(lambda: window.session.analysis is not None)

    assert player.heard == ["A", "A humming chorus"]
    assert window.session.analysis.request.generation == window.session.generation


def test_guesses_for_a_text_that_is_gone_are_refused(qtbot, gated):
    window, player = gated
    qtbot.keyClicks(window.draft, "humming")
    qtbot.waitUntil(player.thinking.is_set)
    window.draft.selectAll()
    qtbot.keyClicks(window.draft, "Liu")
    player.open(9)
    qtbot.waitUntil(lambda: window.settled)

    assert window.guesses.texts()[0].startswith("1, Turandot")


def test_guesses_of_an_older_draft_dim_and_stay(qtbot, gated):
    window, player = gated
    player.open(1)
    qtbot.keyClicks(window.draft, "Suzuki")
    player.open(6)
    qtbot.waitUntil(lambda: window.settled)
    player._gate = type(player._gate)(0)
    before = window.guesses.texts()
    assert not window.guesses.stale

    qtbot.keyClicks(window.draft, "s")
    assert not window.guesses.stale  # not at once, that would flicker
    qtbot.waitUntil(lambda: window.guesses.stale)
    assert window.guesses.texts() == before
    player.open(1)
    qtbot.waitUntil(lambda: not window.guesses.stale)


# -- the disk


def test_an_edit_is_in_the_store_without_another_key(qtbot, open_window):
    window = open_window(start=False)
    store = app_of(window).store
    qtbot.keyClicks(window.draft, "A")
    qtbot.waitUntil(lambda: bool(store.savings))

    assert store.savings[0].text == "A"


def test_typing_without_a_pause_is_saved_all_the_same(qtbot, open_window):
    window = open_window(start=False)
    store = app_of(window).store
    for _ in range(500):  # a busy machine takes longer to save
        qtbot.keyClicks(window.draft, "a ", delay=15)
        if store.savings:
            break

    assert store.savings, "no pause was needed"


def test_the_kept_edits_replay_to_the_draft(qtbot, open_window):
    window = open_window()
    qtbot.keyClicks(window.draft, "A humming chorus", delay=5)
    for _ in range(4):
        qtbot.keyClick(window.draft, Qt.Key.Key_Backspace, delay=30)
    window.draft.undo()
    qtbot.waitUntil(lambda: window.saver.idle and not window.session.has_unsaved)
    changes = [change for saving in app_of(window).store.savings for change in saving.changes]

    assert replay(change.edit for change in changes) == window.draft.text


@pytest.mark.logs("not saved yet: The disk is full")
def test_a_full_disk_is_said_and_nothing_typed_is_lost(qtbot, open_window):
    window = open_window()
    store = app_of(window).store
    store.full = True
    qtbot.keyClicks(window.draft, "A colony")
    qtbot.waitUntil(lambda: "Free some disk space." in window.messages.text("disk"))
    assert window.status.saved == "not saved"
    qtbot.keyClicks(window.draft, " of kings")
    store.full = False

    window.save()
    qtbot.waitUntil(lambda: window.status.saved == "saved")

    assert next(iter(store.texts.values())).text == "A colony of kings"
    assert window.messages.text("disk") == "Everything is saved again."


@pytest.mark.logs("not saved yet: The disk is full")
def test_a_window_with_unsaved_words_does_not_close_at_once(qtbot, open_window):
    window = open_window()
    app_of(window).store.full = True
    qtbot.keyClicks(window.draft, "A colony")

    assert not window.close()
    assert "not on disk yet" in window.messages.text("closing")
    assert window.close()


def test_what_was_open_comes_back_with_cursor_and_answer(qtbot, open_window):
    first = open_window()
    app = app_of(first)
    qtbot.keyClicks(first.draft, "A humming chorus")
    first.answer.line.setFocus()
    qtbot.keyClicks(first.answer.line, "turandot")
    first.draft.setFocus()
    for _ in range(3):
        qtbot.keyClick(first.draft, Qt.Key.Key_Left)
    first.close()

    second = open_window(app)

    assert second.draft.text == "A humming chorus"
    assert second.draft.cursor_at == 13
    assert second.answer.answer == Answer("turandot", Page("Turandot"))


def test_the_window_opens_where_it_was_left_and_not_where_was_written_last(qtbot, open_window):
    first = open_window(start=False)
    app = app_of(first)
    qtbot.keyClicks(first.draft, "The older of two")
    older = first.session.tossup_id
    first.sessions.open_new()
    qtbot.keyClicks(first.draft, "The newer one")
    qtbot.waitUntil(lambda: first.saver.idle and not first.session.has_unsaved)
    first.sessions.open_saved(older)
    cursor = first.draft.textCursor()
    cursor.setPosition(4)
    first.draft.setTextCursor(cursor)
    first.close()
    second = open_window(app, start=False)

    assert second.draft.text == "The older of two"
    assert second.draft.cursor_at == 4


def test_the_first_file_dialog_of_a_run_begins_where_the_last_one_of_the_run_before_ended(
    qtbot, open_window, tmp_path, monkeypatch
):
    monkeypatch.setattr("quizwriter.gui.widgets.file_dialog._last", [])
    first = open_window(start=False)
    app = app_of(first)
    dialog = file_dialog(first, "Import questions")
    dialog.filesSelected.emit([str(tmp_path / "packet.docx")])
    dialog.deleteLater()
    first.close()
    begin_in("")
    second = open_window(app, start=False)

    again = file_dialog(second, "Import questions")
    assert Path(again.directory().absolutePath()) == tmp_path
    again.deleteLater()
    begin_in("/packets\udcff")  # a name that is not in the system's encoding is not saved
    second.close()
    assert read_layout(app.home).folder == ""


def test_a_tossup_that_is_gone_leaves_the_one_written_last(qtbot, open_window):
    first = open_window(start=False)
    qtbot.keyClicks(first.draft, "Still here")
    first.close()
    save_layout(app_of(first).home, place=OpenPlace("thrown away", 0, ("unknown",)))
    second = open_window(app_of(first))

    assert second.draft.text == "Still here"


def test_the_draft_is_scrolled_to_its_place_before_it_is_painted(qtbot, open_window):
    first = open_window(start=False)
    qtbot.keyClicks(first.draft, "Wide " * 4)
    first.draft.insertPlainText("\n" * 200)
    first.close()
    save_layout(app_of(first).home, place=OpenPlace(first.session.tossup_id, 300, ()))
    second = open_window(app_of(first), start=False)
    assert second.draft.verticalScrollBar().value() != 300

    second.start_after_paint()

    assert second.draft.verticalScrollBar().value() == 300


def test_the_windows_that_were_open_open_again(qtbot, open_window, monkeypatch):
    opened = []
    monkeypatch.setattr(SecondaryWindows, "_open", lambda self, spec, *what: opened.append(spec.id))
    first = open_window(start=False)
    first.close()
    save_layout(app_of(first).home, place=OpenPlace("", 0, ("queue", "unknown")))
    open_window(app_of(first))

    assert opened == ["queue"]


def test_the_window_keeps_its_places(qtbot, open_window):
    first = open_window(start=False)
    first.columns.toggle_tossups()
    first.resize(780, 600)
    first.close()
    second = open_window(app_of(first), start=False)

    assert second.tossups.isHidden()
    assert second.size() == first.size()


def test_the_cursor_is_kept_along_with_what_was_typed(qtbot, open_window):
    window = open_window(start=False)
    window.draft.insertPlainText("A \U0001f3b5")  # no key of a test keyboard types this
    qtbot.keyClicks(window.draft, " b")
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)

    assert [saving.cursor for saving in app_of(window).store.savings][-1] == 5


# -- stepping and looking


@pytest.mark.parametrize(("page", "state", "full"), [("Madama_Butterfly", "r", True), ("Aida", "w", False)])
def test_a_lane_is_full_where_the_answer_leads_and_low_elsewhere(qtbot, open_window, page, state, full):
    window = open_window(tossup=Tossup(DRAFT, Answer(page, Page(page))))
    qtbot.waitUntil(lambda: window.settled)
    line = window.time_line
    box = line.box(0, line.lanes[0].states.index(state) + 1).toRect()
    image = line.grab().toImage()
    high, low = (image.pixelColor(box.center().x(), y).name() for y in (box.top() + 3, box.bottom() - 3))

    assert (high == low) is full


def test_the_window_s_title_says_the_program_s_name_once(qtbot, answered, qapp):
    before = qapp.applicationDisplayName()
    qapp.setApplicationDisplayName("QuizWriter")
    try:
        answered.engines._take_engine(answered.analysis.engine)
        shown = answered.windowHandle().title()
    finally:
        qapp.setApplicationDisplayName(before)

    assert shown.startswith("A few operas")
    assert shown.count("QuizWriter") == 1


def test_a_right_to_left_draft_has_a_mirrored_time_line(qtbot, open_window):
    window = open_window(tossup=Tossup("אחת שתיים שלוש", BUTTERFLY))
    qtbot.waitUntil(lambda: window.settled)

    assert window.time_line.box(0, 1).left() > window.time_line.box(0, 3).left()


# -- troubles


@pytest.mark.logs("ir could not play")
def test_a_player_in_trouble_says_so_in_its_lane(qtbot, open_window, caplog):
    window = open_window(tossup=FULL, players=(Player(Failing(), Lead()), Player(Overlap("dan"), Lead())))
    qtbot.waitUntil(lambda: "DAN buzzes at " in window.status.sentence)

    assert "The file with its weights is damaged." in window.status.sentence


def test_many_players_keep_the_height_of_their_rows(qtbot, open_window):
    players = tuple(Player(Overlap(name), Lead()) for name in ("ir", "dan", "rnn", "es"))
    window = open_window(tossup=FULL, players=players)
    qtbot.waitUntil(lambda: window.settled)
    cards = window.guesses.cards

    def shown():
        return [row for card in window.guesses.cards for row in card._rows if row.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) > len(cards))
    hint = cards[0]._rows[0].sizeHint().height()
    qtbot.waitUntil(lambda: {row.height() for row in shown()} == {hint})  # laid out
    assert not cards[0].geometry().intersects(cards[1].geometry())
    assert "Ctrl+1" in cards[0]._rows[0].toolTip()
    assert "Ctrl" not in cards[1]._rows[0].toolTip()


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


@pytest.mark.logs("ir could not play.*a bug of ours", "an analysis failed.*a bug of ours")
def test_a_bug_gives_a_bar_with_a_report_and_the_draft_is_saved(qtbot, open_window, caplog):
    window = open_window(players=(Player(Buggy(), Lead()),))
    qtbot.keyClicks(window.draft, "A")
    qtbot.waitUntil(lambda: bool(window.messages.text("bug")))
    qtbot.waitUntil(lambda: bool(app_of(window).store.savings))

    assert "Your text is safe" in window.messages.text("bug")


# -- what waits for the players of a new engine


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


# -- the list and the actions


def test_the_keyboard_goes_through_the_panes_as_they_stand(qtbot, answered):
    answered.tossups.search.setFocus()
    stops = [answered.tossups.search]
    while stops[-1] is not answered.evidence.text and len(stops) < 30:
        qtbot.keyClick(stops[-1], Qt.Key.Key_Tab)
        stops.append(QApplication.focusWidget())
    row = answered.guesses.cards[0]._rows[0]
    wanted = [
        answered.tossups.search,
        answered.tossups.view,
        answered.answer.line,
        answered.draft,
        answered.time_line,
        row,
        row.link,
        answered.evidence.text,
    ]

    assert [stop for stop in stops if stop in wanted] == wanted


def test_nothing_is_looked_up_for_a_window_that_was_closed(answered):
    answered.close()
    generation = answered.session.generation

    answered.sessions.edited.emit()
    answered.engines.engine_changed.emit()
    answered.analysis.completed.emit(generation)
    answered.answer.changed.emit(None)
    answered.draft.edited.emit(Edit(0, "", ""), answered.draft.text)

    for controller in (answered.past, answered.clues, answered.problems):
        timers = controller.findChildren(QTimer)
        assert timers
        assert not any(timer.isActive() for timer in timers), controller


@pytest.mark.parametrize("typed", ["boheme", "BOHÈME", "aria la", "mimi KEY", "mimì"])
def test_the_list_is_searched_whatever_the_case_the_accents_and_the_order(typed):
    entry = TossupEntry("t0", "La bohème, aria", "Mimì loses her key.", 4)

    assert entry.has(fold_case(typed).split())
    assert not entry.has([*fold_case(typed).split(), "turandot"])


@pytest.mark.logs("not saved yet: The disk is full")
def test_a_tossup_that_never_reached_the_disk_opens_again(qtbot, open_window):
    window = open_window()
    app_of(window).store.full = True
    qtbot.keyClicks(window.draft, "A colony")
    mine = window.session.tossup_id
    window.sessions.open_new()
    window.sessions.open_saved(mine)

    assert window.draft.text == "A colony"
    app_of(window).store.full = False


def test_the_example_set_opens_from_the_empty_draft(qtbot, open_window):
    window = open_window()
    window.draft.examples_requested.emit()
    qtbot.waitUntil(lambda: window.settled)

    assert window.draft.text == DRAFT
    assert window.answer.answer == BUTTERFLY
    assert [entry.tossup_id for entry in window.tossups._model.entries] == ["e1", "e2"]


@pytest.mark.logs("not saved yet: The disk is full")
def test_the_example_set_leaves_what_was_written_alone(qtbot, open_window):
    window = open_window()
    qtbot.keyClicks(window.draft, "My own.")
    mine = window.session.tossup_id
    window.sessions.open_examples()
    qtbot.keyClicks(window.draft, "Now ")
    app_of(window).store.full = True  # so what follows cannot come from the disk
    window.sessions.open_saved(mine)
    assert window.draft.text == "My own."
    window.sessions.open_examples()

    assert window.draft.text == "Now " + DRAFT
    assert [entry.tossup_id for entry in window.tossups._model.entries] == ["e1", "e2", mine]
    app_of(window).store.full = False


def test_an_example_set_that_finds_no_room_is_said(open_window):
    window = open_window()
    app_of(window).store.full = True
    window.sessions.open_examples()

    assert "disk is full" in window.messages.text("open")
    assert window.draft.text == ""
    app_of(window).store.full = False


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
