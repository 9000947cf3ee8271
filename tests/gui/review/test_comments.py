"""Comments and suggestions in the window: said, kept, shown where they belong, and nothing of them lost."""

import re
import threading

import msgspec
import pytest
from PySide6.QtCore import Qt

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import Commented, Decided, Person, Replied, Resolved, Suggested, TakenBack
from quizwriter.domain.span import Span
from quizwriter.gui.background.database_watch import DatabaseWatch
from quizwriter.gui.review import comments_controller
from quizwriter.gui.review.comments_controller import read_unsent
from quizwriter.gui.review.comments_pane import MOST_CARDS, CommentDraft
from quizwriter.workflow.session import PendingSave
from tests.helpers.fakes import DRAFT, FakeApp
from tests.helpers.windows import app_of, put_back

SMOKE = Span(DRAFT.index("thread of smoke"), DRAFT.index("thread of smoke") + len("thread of smoke"))


@pytest.fixture(scope="module")
def shared_window(open_shared):
    return open_shared(start=False)


@pytest.fixture
def window(shared_window, qtbot):
    yield put_back(shared_window, qtbot)
    pane = shared_window.comments.pane
    if pane._done.isChecked():
        pane._done.click()
    pane.given_up.emit()
    shared_window.comments._unsent.clear()  # of other tossups, too


def with_one_tossup(app):
    """``app`` with one tossup, of which nothing is said."""
    app.profile.set_profile("Priya", "")
    app.store.known["ana"] = Person("ana", "Ana")
    app.store.save(PendingSave.begun("t", DRAFT, None, 1))
    return app


@pytest.fixture
def app(window):
    return with_one_tossup(app_of(window))


def said(app, body, author="ana", at_ms=1):
    event = Event(f"e{len(app.store.recorded)}", "t", at_ms, author, body)
    app.store.add_events([event])
    return event.id


def comment(app, text="Too easy?", span=SMOKE, **more):
    return said(app, Commented(text, 1, span.start, span.end, span.of(DRAFT)), **more)


def suggestion(app, removed, inserted, note=""):
    return said(app, Suggested(1, Edit(DRAFT.index(removed), removed, inserted), note))


@pytest.fixture
def opened(window, app, qtbot):
    """Opens the tossup, and waits until so many things said are shown."""

    def opened(count):
        window.sessions.open_saved("t")
        qtbot.waitUntil(lambda: len(window.comments.threads) == count)
        return window

    return opened


def card(window, number=0):
    return window.comments.pane.cards[number]


def press(card, name):
    from PySide6.QtWidgets import QPushButton

    next(button for button in card.findChildren(QPushButton) if button.text() == name).click()


def trigger(window, action_id):
    window.menus.actions[action_id].trigger()


def bodies(app):
    return [event.body for event in app.store.recorded]


def test_a_comment_that_another_program_wrote_is_shown(opened, app, qtbot):
    window = opened(0)
    comment(app)
    window.findChild(DatabaseWatch).changed.emit()
    qtbot.waitUntil(lambda: len(window.comments.threads) == 1)


def test_a_comment_on_the_selected_words_is_kept_and_marked(opened, app, qtbot):
    window = opened(0)
    window.draft.select(SMOKE)
    trigger(window, "comment")
    composer = window.comments.pane.composer
    assert composer.isVisible()
    assert not composer.send.isEnabled()

    qtbot.keyClicks(composer.text, "Too easy?")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(window.comments.threads))

    assert bodies(app) == [Commented("Too easy?", 1, SMOKE.start, SMOKE.end, "thread of smoke")]
    assert app.store.recorded[0].author == app.profile.me.id
    assert [note.span for note in window.draft.notes] == [SMOKE]
    assert not composer.isVisible()
    assert "On thread of smoke. You, just now: Too easy?" in card(window).accessibleName()


def test_what_is_said_of_words_just_typed_is_said_of_words_that_are_kept(opened, app, qtbot):
    window = opened(0)
    window.draft.select(Span(0, 0))
    qtbot.keyClicks(window.draft, "Slowly. ")
    window.draft.select(Span(0, 6))
    window.comments.comment()
    window.comments.pane.composer.text.setPlainText("No.")
    window.comments.pane.sent.emit()
    qtbot.waitUntil(lambda: bool(window.comments.threads))

    kept = app.store.history("t")
    assert bodies(app) == [Commented("No.", kept[-1].seq, 0, 6, "Slowly")]
    assert app.store.savings[-1].text.startswith("Slowly. In this")


def test_marks_move_with_the_text_and_a_comment_says_when_it_is_gone(opened, app, qtbot):
    comment(app)
    window = opened(1)
    window.draft.select(Span(0, 0))
    qtbot.keyClicks(window.draft, "Now: ")
    assert [note.span for note in window.draft.notes] == [Span(SMOKE.start + 5, SMOKE.end + 5)]

    window.draft.select(Span(SMOKE.start, SMOKE.end + 9))
    qtbot.keyClick(window.draft, Qt.Key.Key_Delete)
    assert window.draft.notes == ()
    assert card(window).about.is_removed
    assert "The words were: thread of smoke. The words were deleted." in card(window).accessibleName()

    window.draft.undo()
    assert [note.span.of(window.draft.text) for note in window.draft.notes] == ["thread of smoke"]


def test_replies_and_resolving_are_kept_and_who_said_what_is_shown(opened, app, qtbot):
    key = comment(app)
    window = opened(1)
    said = r"Ana, 19(69-12-31|70-01-01) \d\d:\d\d, unsigned: Too easy\?"  # west of Greenwich, or not
    assert re.search(said, card(window).accessibleName())

    press(card(window), "Reply")
    qtbot.keyClicks(card(window).reply, "No: people like it.")
    qtbot.keyClick(card(window).reply, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(window.comments.threads[0].remarks) == 2)
    press(card(window), "Resolve")
    qtbot.waitUntil(lambda: not window.comments.threads[0].open)

    assert bodies(app)[1:] == [Replied(key, "No: people like it."), Resolved(key, True)]
    assert window.draft.notes == ()
    assert card(window).isHidden()
    window.comments.pane._done.click()
    press(card(window), "Reopen")
    qtbot.waitUntil(lambda: window.comments.threads[0].open)
    assert len(window.draft.notes) == 1


def test_a_suggestion_shows_whole_words_and_is_accepted_as_an_edit_that_can_be_undone(opened, app, qtbot):
    window = opened(0)
    start = DRAFT.index("whiskey-drinking")
    window.draft.select(Span(start, start + len("whiskey-drinking Yankee")))
    trigger(window, "suggest")
    composer = window.comments.pane.composer
    composer.text.setPlainText("whisky-drinking Yankee")
    composer.note.setText("One spelling.")
    window.comments.pane.sent.emit()
    qtbot.waitUntil(lambda: bool(window.comments.threads))
    edit = Edit(start, "whiskey-drinking", "whisky-drinking")
    assert bodies(app) == [Suggested(1, edit, "One spelling.")]

    window.draft.select(Span(0, 0))
    qtbot.keyClicks(window.draft, "Now: ")
    press(card(window), "Decline")
    qtbot.keyClicks(card(window).reply, "As it was, per")
    press(card(window), "Accept")
    qtbot.waitUntil(lambda: not window.comments.threads[0].open)

    assert window.comments.pane.replies == {}
    assert window.draft.text == "Now: " + edit.apply(DRAFT)
    assert window.session.tossup.text == window.draft.text
    assert bodies(app)[1] == Decided(app.store.recorded[0].id, True)
    window.draft.undo()
    assert window.draft.text == "Now: " + DRAFT


def test_a_suggestion_of_words_that_have_changed_cannot_be_accepted(opened, app, qtbot):
    suggestion(app, "white ship", "pale ship")
    window = opened(1)
    start = DRAFT.index("ship")
    window.draft.select(Span(start, start + 4))
    qtbot.keyClicks(window.draft, "boat")

    assert "have changed since" in card(window).accessibleName()
    press(card(window), "Accept")  # does nothing, because it is off
    assert "pale" not in window.draft.text
    press(card(window), "Decline")
    qtbot.keyClicks(card(window).reply, "It is a boat.")
    press(card(window), "Decline")
    qtbot.waitUntil(lambda: not window.comments.threads[0].open)
    assert bodies(app)[1] == Decided("e0", False, "It is a boat.")
    window.comments.pane._done.click()
    assert "You, just now: Declined: It is a boat." in card(window).accessibleName()


def test_what_the_writer_has_changed_alike_is_accepted_without_an_edit(opened, app, qtbot):
    suggestion(app, "white ship", "white boat")
    window = opened(1)
    start = DRAFT.index("ship will")
    window.draft.select(Span(start, start + 4))
    qtbot.keyClicks(window.draft, "boat")
    now = window.draft.text

    assert "The draft has these words already." in card(window).accessibleName()
    press(card(window), "Accept")
    qtbot.waitUntil(lambda: not window.comments.threads[0].open)
    assert window.draft.text == now
    assert bodies(app)[1] == Decided("e0", True)


@pytest.mark.logs("not saved yet: The disk is full", always=False)
def test_a_full_disk_loses_no_comment(opened, app, qtbot):
    window = opened(0)
    window.draft.select(SMOKE)
    window.comments.comment()
    composer = window.comments.pane.composer
    composer.text.setPlainText("Too easy?")
    app.store.full = True
    window.comments.pane.sent.emit()
    qtbot.waitUntil(
        lambda: "The comment was not saved:" in composer._trouble.text()
    )  # nor may the draft be, which comes first

    assert composer.text.toPlainText() == "Too easy?"
    window.comments.pane.sent.emit()
    window.sessions.open_new()
    qtbot.keyClicks(window.draft, "Another")
    window.comments.comment()
    qtbot.waitUntil(lambda: "The comment was not saved:" in window.messages.text("comments"))
    assert composer._trouble.text() == ""  # this is another comment

    app.store.full = False
    opened(0)
    window.comments.pane.sent.emit()
    qtbot.waitUntil(lambda: bool(window.comments.threads))


@pytest.mark.parametrize("answers", [False, True])
def test_a_comment_that_is_being_sent_takes_no_keys_and_is_sent_once(
    opened, app, qtbot, monkeypatch, answers
):
    going_on, add = threading.Event(), app.store.add_events
    if answers:
        comment(app)
    window = opened(int(answers))
    if answers:
        press(card(window), "Reply")
        field, modifier = card(window).reply, Qt.KeyboardModifier.NoModifier
    else:
        window.comments.comment()
        field, modifier = window.comments.pane.composer.text, Qt.KeyboardModifier.ControlModifier
    monkeypatch.setattr(app.store, "add_events", lambda events: going_on.wait() and add(events))
    qtbot.keyClicks(field, "Once.")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Return, Qt.Key.Key_Escape):
        qtbot.keyClick(field, key, modifier)
        qtbot.keyClicks(field, " More")
    before = len(app.store.recorded)
    going_on.set()
    qtbot.waitUntil(lambda: not window.comments.pane.sending)
    assert [body.text for body in bodies(app)[before:]] == ["Once."]
    assert not window.comments.pane.composer.text.isReadOnly()


def test_a_comment_that_is_being_sent_at_the_close_is_not_offered_again(
    qtbot, tmp_path, open_window, monkeypatch
):
    app = with_one_tossup(FakeApp(tmp_path))
    window = open_window(app, start=False)
    window.comments.comment()
    window.comments.pane.composer.text.setPlainText("Once.")
    begun, going_on, add = threading.Event(), threading.Event(), app.store.add_events
    monkeypatch.setattr(
        app.store, "add_events", lambda events: begun.set() or (going_on.wait() and add(events))
    )
    window.comments.pane.sent.emit()
    qtbot.waitUntil(begun.is_set)
    threading.Timer(0.05, going_on.set).start()
    window.close()
    assert [event.body.text for event in app.store.recorded] == ["Once."]
    assert not (app.home / "unsent.json").exists()


def test_a_comment_that_was_not_sent_is_there_after_another_tossup_and_after_closing(tmp_path, open_window):
    app = with_one_tossup(FakeApp(tmp_path))
    window = open_window(app, start=False)
    window.draft.select(SMOKE)
    window.comments.comment()
    window.comments.pane.composer.text.setPlainText("Perhaps")
    window.sessions.open_new()
    assert not window.comments.pane.composer.isVisible()
    window.sessions.open_saved("t")
    assert window.comments.pane.composer.text.toPlainText() == "Perhaps"
    window.close()

    again = open_window(app, start=False)
    assert again.comments.pane.composer.text.toPlainText() == "Perhaps"
    again.comments.pane.given_up.emit()
    again.close()
    assert not (app.home / "unsent.json").exists()


def test_a_kill_leaves_what_is_half_written(tmp_path, open_window, qtbot, monkeypatch):
    monkeypatch.setattr(comments_controller, "KEEP_MS", 10)
    app = with_one_tossup(FakeApp(tmp_path))
    comment(app)
    window = open_window(app, start=False)
    qtbot.waitUntil(lambda: bool(window.comments.pane.cards))
    pane, file = window.comments.pane, app.home / "unsent.json"
    window.draft.select(SMOKE)
    window.comments.suggest()
    qtbot.keyClicks(pane.composer.note, "Clear")
    qtbot.waitUntil(lambda: [one.note for one in read_unsent(file).values()] == ["Clear"])
    pane.composer.text.setPlainText("mist")
    qtbot.waitUntil(lambda: [one.text for one in read_unsent(file).values()] == ["mist"])
    pane.given_up.emit()
    qtbot.waitUntil(lambda: not file.exists())
    press(card(window), "Reply")
    qtbot.keyClicks(card(window).reply, "No: pe")
    qtbot.waitUntil(lambda: [*read_unsent(file).values()] == ["No: pe"])
    window.close()

    again = open_window(app, start=False)
    qtbot.waitUntil(lambda: bool(again.comments.pane.cards))
    assert card(again).reply.text() == "No: pe"
    qtbot.keyClick(card(again).reply, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not file.exists())


@pytest.mark.logs("comments that were not sent cannot be read")
def test_what_cannot_be_read_of_the_unsent_takes_nothing_else_along_and_is_kept(tmp_path):
    file, beside = tmp_path / "unsent.json", tmp_path / comments_controller.UNREADABLE
    draft = CommentDraft(3, Span(0, 4), "This", False, "Perhaps", "")
    written = {"a": msgspec.to_builtins(draft), "b": "No.", "c": {"of": "another version"}}
    file.write_bytes(msgspec.json.encode(written))
    assert read_unsent(file) == {"a": draft, "b": "No."}
    assert beside.read_bytes() == file.read_bytes()
    file.write_bytes(b'{"a": ')
    assert read_unsent(file) == {}
    assert beside.read_bytes() == b'{"a": '
    beside.unlink()
    file.write_bytes(msgspec.json.encode({"b": "No."}))
    assert read_unsent(file) == {"b": "No."}
    assert not beside.exists()


def test_a_bubble_and_a_card_lead_to_each_other(opened, app, qtbot):
    first = comment(app)
    start = DRAFT.index("Pinkerton")
    second = comment(app, "Yes.", Span(start, start + 9))
    window = opened(2)
    assert window.right_tabs.shown is window.evidence

    window.draft.note_chosen.emit(second)
    assert window.right_tabs.shown is window.comments.pane
    assert [note.name for note in window.draft.notes if note.current] == [second]
    card(window).setFocus()
    assert [note.name for note in window.draft.notes if note.current] == [first]
    qtbot.keyClick(card(window), Qt.Key.Key_Return)
    assert window.draft.selected == SMOKE
    assert window.draft.hasFocus()
    trigger(window, "toggle-comments")
    assert window.right_tabs.shown is window.evidence


def test_the_tab_of_the_comments_says_how_many_are_open(opened, app, qtbot):
    comment(app)
    done = comment(app, "Fine.")
    said(app, Resolved(done, True))
    window = opened(2)

    assert window.right_tabs.shown is window.evidence
    assert window.right_tabs.tabText(3) == "Comments · 1"
    window.draft.select(SMOKE)
    window.comments.comment()
    window.comments.pane.composer.text.setPlainText("Perhaps")
    assert window.right_tabs.tabText(3) == "Comments · 1"
    assert not window.right_tabs.tabIcon(3).isNull()
    window.sessions.open_new()
    assert window.right_tabs.tabText(3) == "Comments"


def test_another_tossup_brings_back_the_tab_that_the_writer_chose(opened, app, qtbot):
    comment(app)
    window = opened(1)
    window.draft.note_chosen.emit(window.comments.threads[0].id)
    assert window.right_tabs.shown is window.comments.pane
    window.sessions.open_new()
    assert window.right_tabs.shown is window.evidence  # the comments were only looked at

    bar = window.right_tabs.tabBar()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(3).center())
    assert window.right_tabs.shown is window.comments.pane
    window.sessions.open_saved("t")
    assert window.right_tabs.shown is window.comments.pane
    trigger(window, "go-evidence")
    window.sessions.open_new()
    assert window.right_tabs.shown is window.evidence


def test_a_comment_not_sent_does_not_take_the_place_of_the_evidence(opened, app, qtbot):
    window = opened(0)
    window.draft.select(SMOKE)
    window.comments.comment()
    window.comments.pane.composer.text.setPlainText("Perhaps")
    window.sessions.open_new()
    window.sessions.open_saved("t")

    assert window.right_tabs.shown is window.evidence
    assert window.right_tabs.tabText(3) == "Comments"
    assert not window.right_tabs.tabIcon(3).isNull()


def test_while_people_talk_the_machine_shades_nothing(opened, app, qtbot):
    comment(app)
    window = opened(1)
    window.start()
    qtbot.waitUntil(lambda: bool(window.draft.mark_painter.cue_boxes()))
    trigger(window, "toggle-comments")
    assert not window.draft.mark_painter.cue_boxes()

    trigger(window, "go-evidence")
    assert window.draft.mark_painter.cue_boxes()


def test_the_keyboard_goes_to_what_is_said_and_back(opened, app, qtbot):
    first = comment(app)
    window = opened(1)
    trigger(window, "toggle-comments")
    assert card(window).hasFocus()
    assert [note.name for note in window.draft.notes if note.current] == [first]

    trigger(window, "toggle-comments")
    assert window.draft.hasFocus()


def test_what_is_open_is_shown_when_the_queue_opens_a_tossup(window, app, qtbot):
    comment(app)
    window.sessions.open_saved("t")
    window.comments.reveal()
    qtbot.waitUntil(lambda: bool(window.comments.threads))

    assert window.right_tabs.shown is window.comments.pane


def test_a_click_on_a_bubble_is_a_click_on_what_was_said_there(opened, app, qtbot):
    key = comment(app)
    window = opened(1)
    window.draft.comment_margin.grab()  # paints it
    place, name = window.draft.comment_margin.places[0]
    assert name == key
    with qtbot.waitSignal(window.draft.note_chosen):
        qtbot.mouseClick(window.draft.comment_margin, Qt.MouseButton.LeftButton, pos=place.center().toPoint())


def test_my_own_comment_can_be_deleted_and_that_be_undone(opened, app, qtbot):
    key = comment(app, author=app.profile.me.id)
    window = opened(1)
    press(card(window), "Delete")
    qtbot.waitUntil(lambda: not window.comments.threads)
    assert bodies(app)[1] == TakenBack((key,))

    window.sessions.open_new()
    window.messages._messages["comments"].findChildren(type(window.comments.pane.new_comment))[0].click()
    qtbot.waitUntil(lambda: len(app.store.recorded) == 3)
    assert app.store.recorded[2].tossup_id == "t"
    opened(1)


def test_others_comments_cannot_be_deleted(opened, app):
    from PySide6.QtWidgets import QPushButton

    comment(app)
    window = opened(1)

    assert "Delete" not in [button.text() for button in card(window).findChildren(QPushButton)]


def test_nobody_without_a_name_says_anything(opened, app, qtbot):
    from quizwriter.gui.dialogs.profile import ProfileDialog

    app.profile.set_profile("", "")
    window = opened(0)
    window.comments.comment()
    window.comments.pane.composer.text.setPlainText("Hm")
    window.comments.pane.sent.emit()
    dialog = window.findChild(ProfileDialog)
    assert not app.store.recorded

    window.sessions.open_new()  # as from the queue
    dialog.name.setText("Priya")
    dialog.save()
    qtbot.waitUntil(lambda: bool(app.store.recorded))
    assert app.store.recorded[0].tossup_id == "t"
    qtbot.waitUntil(lambda: not window.comments._unsent)


def test_of_an_empty_draft_nothing_can_be_said(window):
    window.comments.comment()

    assert "Write some text first" in window.messages.text("comments")
    assert not window.comments.pane.composer.isVisible()


def test_of_many_comments_a_few_are_looked_up_at_a_time_and_none_is_accepted_in_an_old_place(
    opened, app, qtbot, monkeypatch
):
    comment(app)
    suggested = suggestion(app, "thread", "wisp")
    window = opened(2)
    monkeypatch.setattr(comments_controller, "SLICE_S", 0.0)  # one at a time
    before = window.comments.threads
    window.draft.select(Span(0, 0))
    qtbot.keyClicks(window.draft, "So ")

    moved = Span(SMOKE.start + 3, SMOKE.end + 3)
    assert window.comments.threads == before
    assert [note.span for note in window.draft.notes] == [moved, Span(moved.start, moved.start + 6)]
    window.comments.pane.accepted.emit(suggested)
    assert window.draft.text == f"So {DRAFT}".replace("thread of smoke", "wisp of smoke")
    qtbot.waitUntil(lambda: window.comments.threads[0].place == Span(moved.start, moved.end - 2))


def test_of_more_comments_than_can_be_placed_those_with_cards_are(opened, app, qtbot, monkeypatch):
    monkeypatch.setattr(comments_controller, "MOST_PLACED", 1)
    every = MOST_CARDS + 2
    for at in range(every):
        comment(app, f"Comment {at}.", at_ms=at + 1)
    window = opened(every)

    def placed():
        return [one.place for one in window.comments.threads if one.placed]

    assert placed() == [SMOKE] * MOST_CARDS
    assert not any(one.is_removed for one in window.comments.threads)
    assert [note.span for note in window.draft.notes] == [SMOKE]
    window.draft.select(Span(0, 0))
    qtbot.keyClicks(window.draft, "So ")
    moved = Span(SMOKE.start + 3, SMOKE.end + 3)
    qtbot.waitUntil(lambda: placed() == [moved] * MOST_CARDS)
    window.comments.pane.choose(window.comments.threads[-1].id)
    qtbot.waitUntil(lambda: placed() == [moved] * 2)
    window.draft.select(Span(0, 0))
    qtbot.keyClicks(window.draft, "And ")
    moved = Span(moved.start + 4, moved.end + 4)
    qtbot.waitUntil(lambda: placed() == [moved] * 2)
    assert [note.span for note in window.draft.notes] == [moved]  # and none where the words were
    press(card(window, 1), "Resolve")
    qtbot.waitUntil(lambda: not window.comments.threads[-1].open)
    qtbot.waitUntil(
        lambda: (
            [one.id for one in window.comments.threads if one.placed]
            == [one.id for one in window.comments.threads[-2:]]
        )
    )
    window.draft.select(moved)
    qtbot.keyClick(window.draft, Qt.Key.Key_Backspace)
    qtbot.waitUntil(lambda: [one.is_removed for one in window.comments.threads].count(True) == 2)
