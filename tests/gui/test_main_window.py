"""The whole window with a real thread: one keystroke and what follows from it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from quizwriter.domain.guessing import Player
from quizwriter.domain.history import replay
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.gui.writing import right_tabs
from quizwriter.gui.writing.tossup_list import TossupEntry, fold_case
from quizwriter.workflow.session import WritingSession
from tests.helpers.fakes import DRAFT, Buggy, Failing, Gated, Lead, Overlap
from tests.helpers.windows import app_of

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))
FULL = Tossup(DRAFT, BUTTERFLY)


@pytest.fixture
def answered(qtbot, reopen):
    """A window whose draft is fully analysed."""
    window = reopen(FULL)
    qtbot.waitUntil(lambda: window.settled)
    return window


@pytest.fixture
def gated(reopen):
    """A window whose player waits at a gate, and the player."""
    player = Gated()
    return reopen(players=(Player(player, Lead()),)), player


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


def test_an_edit_is_in_the_store_without_another_key(qtbot, reopen):
    window = reopen()
    store = app_of(window).store
    qtbot.keyClicks(window.draft, "A")
    qtbot.waitUntil(lambda: bool(store.savings))

    assert store.savings[0].text == "A"


def test_typing_without_a_pause_is_saved_all_the_same(qtbot, reopen):
    window = reopen()
    store = app_of(window).store
    for _ in range(500):  # a busy machine takes longer to save
        qtbot.keyClicks(window.draft, "a ", delay=15)
        if store.savings:
            break

    assert store.savings, "no pause was needed"


def test_the_kept_edits_replay_to_the_draft(qtbot, reopen):
    window = reopen()
    qtbot.keyClicks(window.draft, "A humming chorus", delay=5)
    for _ in range(4):
        qtbot.keyClick(window.draft, Qt.Key.Key_Backspace, delay=30)
    window.draft.undo()
    qtbot.waitUntil(lambda: window.saver.idle and not window.session.has_unsaved)
    changes = [change for saving in app_of(window).store.savings for change in saving.changes]

    assert replay(change.edit for change in changes) == window.draft.text


@pytest.mark.logs("not saved yet: The disk is full")
def test_a_full_disk_is_said_and_nothing_typed_is_lost(qtbot, reopen):
    window = reopen()
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


def test_the_cursor_is_kept_along_with_what_was_typed(qtbot, reopen):
    window = reopen()
    window.draft.insertPlainText("A \U0001f3b5")  # no key of a test keyboard types this
    qtbot.keyClicks(window.draft, " b")
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)

    assert [saving.cursor for saving in app_of(window).store.savings][-1] == 5


# -- stepping and looking


@pytest.mark.parametrize(("page", "state", "full"), [("Madama_Butterfly", "r", True), ("Aida", "w", False)])
def test_a_lane_is_full_where_the_answer_leads_and_low_elsewhere(qtbot, reopen, page, state, full):
    window = reopen(Tossup(DRAFT, Answer(page, Page(page))))
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


def test_a_right_to_left_draft_has_a_mirrored_time_line(qtbot, reopen):
    window = reopen(Tossup("אחת שתיים שלוש", BUTTERFLY))
    qtbot.waitUntil(lambda: window.settled)

    assert window.time_line.box(0, 1).left() > window.time_line.box(0, 3).left()


# -- troubles


@pytest.mark.logs("ir could not play")
def test_a_player_in_trouble_says_so_in_its_lane(qtbot, reopen, caplog):
    window = reopen(FULL, players=(Player(Failing(), Lead()), Player(Overlap("dan"), Lead())))
    qtbot.waitUntil(lambda: "DAN buzzes at " in window.status.sentence)

    assert "The file with its weights is damaged." in window.status.sentence


def test_many_players_keep_the_height_of_their_rows(qtbot, reopen):
    players = tuple(Player(Overlap(name), Lead()) for name in ("ir", "dan", "rnn", "es"))
    window = reopen(FULL, players=players)
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


@pytest.mark.logs("ir could not play.*a bug of ours", "an analysis failed.*a bug of ours")
def test_a_bug_gives_a_bar_with_a_report_and_the_draft_is_saved(qtbot, reopen, caplog):
    window = reopen(players=(Player(Buggy(), Lead()),))
    qtbot.keyClicks(window.draft, "A")
    qtbot.waitUntil(lambda: bool(window.messages.text("bug")))
    qtbot.waitUntil(lambda: bool(app_of(window).store.savings))

    assert "Your text is safe" in window.messages.text("bug")


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


@pytest.mark.parametrize("typed", ["boheme", "BOHÈME", "aria la", "mimi KEY", "mimì"])
def test_the_list_is_searched_whatever_the_case_the_accents_and_the_order(typed):
    entry = TossupEntry("t0", "La bohème, aria", "Mimì loses her key.", 4)

    assert entry.has(fold_case(typed).split())
    assert not entry.has([*fold_case(typed).split(), "turandot"])


@pytest.mark.logs("not saved yet: The disk is full")
def test_a_tossup_that_never_reached_the_disk_opens_again(qtbot, reopen):
    window = reopen()
    app_of(window).store.full = True
    qtbot.keyClicks(window.draft, "A colony")
    mine = window.session.tossup_id
    window.sessions.open_new()
    window.sessions.open_saved(mine)

    assert window.draft.text == "A colony"
    app_of(window).store.full = False


def test_the_example_set_opens_from_the_empty_draft(qtbot, reopen):
    window = reopen()
    window.draft.examples_requested.emit()
    qtbot.waitUntil(lambda: window.settled)

    assert window.draft.text == DRAFT
    assert window.answer.answer == BUTTERFLY
    assert [entry.tossup_id for entry in window.tossups._model.entries] == ["e1", "e2"]


@pytest.mark.logs("not saved yet: The disk is full")
def test_the_example_set_leaves_what_was_written_alone(qtbot, reopen):
    window = reopen()
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


def test_an_example_set_that_finds_no_room_is_said(reopen):
    window = reopen()
    app_of(window).store.full = True
    window.sessions.open_examples()

    assert "disk is full" in window.messages.text("open")
    assert window.draft.text == ""
    app_of(window).store.full = False


def test_nothing_is_laid_out_anew_for_a_tossup_that_takes_edits_as_the_last_one_did(reopen, monkeypatch):
    window, laid_out = reopen(), []
    monkeypatch.setattr(window.columns, "fit_letters", laid_out.append)
    monkeypatch.setattr(right_tabs, "restyle", lambda *what: laid_out.append(what))
    window.sessions.open(WritingSession("t0", FULL))
    assert laid_out == []

    window.right_tabs.show_comment_count(1)
    assert laid_out, "there is less room for the other tabs"
    laid_out.clear()
    window.header.locked.emit(True)
    assert len(laid_out) == 1
    assert window.draft.isReadOnly()
    window.header.locked.emit(False)
