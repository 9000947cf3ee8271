"""The pane of comments alone: what it lists, how answers are written, what its keys and buttons ask for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.domain.styles import TextStyles
from quizwriter.gui.review.comments_pane import (
    CARDS_AT_ONCE,
    CHANGED,
    GONE,
    MADE,
    MOST_CARDS,
    NOTHING,
    CommentDraft,
    CommentsPane,
)
from quizwriter.workflow.threads import SuggestionState, Thread, ThreadEntry
from tests.helpers import processor_time

PLACE = Span(0, 6)
NAMES = {"a": "Ada Novak", "b": "Ben <b>Osei</b>"}


def thread(name, *said, quoted="a lake", place=PLACE, **more):
    remarks = tuple(ThreadEntry(f"{name}{at}", who, 1_000, text) for at, (who, text) in enumerate(said))
    return Thread(name, remarks, place, quoted, **more)


COMMENT = thread("one", ("b", "Is this unique?"), ("a", "I think so."))
RESOLVED = thread("two", ("a", "Spelt wrong."), open=False)
CHANGE = SuggestionState("a lake", "a pond", "By ", " stood", Edit(3, "a lake", "a pond"))
SUGGESTION = thread("three", ("a", "Smaller."), proposal=CHANGE)


@pytest.fixture
def pane(qtbot, theme):
    pane = CommentsPane(theme)
    qtbot.addWidget(pane)
    pane.resize(360, 700)
    pane.show()
    pane.activateWindow()
    qtbot.waitExposed(pane)
    assert QTest.qWaitForWindowActive(pane)
    return pane


def show(pane, *threads, me="a"):
    pane.show_threads(threads, lambda person: NAMES[person], me)


def card(pane, name):
    return next(card for card in pane.cards if card.about.id == name)


def press(qtbot, where, text):
    button = next(one for one in where.findChildren(QPushButton) if one.text() == text and one.isVisible())
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def buttons(card):
    return [button.text() for button in card.findChildren(QPushButton)]


def words(pane):
    """All labels that are seen."""
    return [label.text() for label in pane.findChildren(QLabel) if label.isVisible()]


def test_where_nothing_was_said_the_pane_says_how_to(pane):
    show(pane)
    assert NOTHING in words(pane)
    show(pane, COMMENT)
    assert NOTHING not in words(pane)


def test_a_card_says_who_said_what_of_which_words(pane):
    show(pane, COMMENT)

    said = card(pane, "one").lines
    assert said[0] == "On a lake."
    assert [line for line in said if line in ("Is this unique?", "I think so.")] == said[2::2]
    assert said[1].startswith("Ben <b>Osei</b>, ")
    assert not any("<b>Osei</b>" in label for label in words(pane))  # a name is never markup
    assert card(pane, "one").accessibleName() == " ".join(said)


def test_open_matters_come_first_and_what_is_done_is_hidden_until_asked_for(qtbot, pane):
    show(pane, RESOLVED, COMMENT)

    assert [card.about.id for card in pane.cards] == ["one", "two"]
    assert card(pane, "one").isVisible()
    assert not card(pane, "two").isVisible()
    press(qtbot, pane, "Show resolved comments (1)")
    assert card(pane, "two").isVisible()
    press(qtbot, pane, "Hide resolved comments (1)")
    assert not card(pane, "two").isVisible()


def test_to_look_at_what_is_done_shows_it(pane):
    show(pane, COMMENT, RESOLVED)
    pane.choose("two")

    assert card(pane, "two").isVisible()


def test_words_that_are_gone_are_said_to_be(pane):
    show(pane, replace(COMMENT, place=None))

    assert card(pane, "one").lines[:2] == ["The words were: a lake.", GONE]


@pytest.mark.parametrize(
    ("proposal", "place", "says", "may"),
    [
        (CHANGE, Span(0, 6), None, True),
        (replace(CHANGE, edit=None), Span(0, 6), CHANGED, False),
        (replace(CHANGE, edit=None), None, GONE, False),
        (replace(CHANGE, edit=None, made=True), Span(0, 6), MADE, True),
    ],
)
def test_a_suggestion_says_whether_it_can_still_be_made(pane, proposal, place, says, may):
    show(pane, replace(SUGGESTION, proposal=proposal, place=place))

    one = card(pane, "three")
    assert one.lines[0] == "Replace a lake with a pond."
    assert [line for line in one.lines if line in (CHANGED, GONE, MADE)] == ([says] if says else [])
    accept = next(button for button in one.findChildren(QPushButton) if button.text() == "Accept")
    assert accept.isEnabled() is may


def test_the_buttons_of_a_card_ask_for_what_they_say(qtbot, pane):
    asked = []
    for name in ("resolved", "accepted", "deleted"):
        getattr(pane, name).connect(lambda *given, name=name: asked.append((name, *given)))
    show(pane, COMMENT, SUGGESTION, thread("mine", ("a", "Mine.")))
    assert buttons(card(pane, "one")) == ["Reply", "Resolve"]  # somebody else began it
    press(qtbot, card(pane, "one"), "Resolve")
    press(qtbot, card(pane, "three"), "Accept")
    press(qtbot, card(pane, "mine"), "Delete")

    assert asked == [("resolved", "one", True), ("accepted", "three"), ("deleted", "mine")]


def test_what_was_resolved_can_be_opened_again(qtbot, pane):
    show(pane, RESOLVED)
    press(qtbot, pane, "Show resolved comments (1)")
    with qtbot.waitSignal(pane.resolved) as asked:
        press(qtbot, card(pane, "two"), "Reopen")

    assert asked.args == ["two", False]


def test_a_reply_is_written_in_the_card_and_sent_with_return(qtbot, pane):
    show(pane, COMMENT)
    one = card(pane, "one")
    press(qtbot, one, "Reply")
    assert one.reply.hasFocus()
    with qtbot.assertNotEmitted(pane.replied):
        qtbot.keyClick(one.reply, Qt.Key.Key_Return)  # there is nothing in it
    qtbot.keyClicks(one.reply, "Yes.")
    with qtbot.waitSignal(pane.replied) as sent:
        qtbot.keyClick(one.reply, Qt.Key.Key_Return)
    assert sent.args == ["one", "Yes."]

    pane.answered("one")
    assert not one.reply.isVisible()
    assert one.reply.text() == ""


def test_a_suggestion_is_declined_with_or_without_a_reason(qtbot, pane):
    show(pane, SUGGESTION)
    one = card(pane, "three")
    press(qtbot, one, "Decline")
    with qtbot.waitSignal(pane.declined) as sent:
        press(qtbot, one, "Decline")
    assert sent.args == ["three", ""]
    qtbot.keyClicks(one.reply, "Too small.")
    with qtbot.waitSignal(pane.declined) as sent:
        qtbot.keyClick(one.reply, Qt.Key.Key_Return)
    assert sent.args == ["three", "Too small."]


def test_a_reply_outlives_what_others_say_meanwhile_and_keeps_the_keyboard(qtbot, pane):
    show(pane, COMMENT)
    press(qtbot, card(pane, "one"), "Reply")
    qtbot.keyClicks(card(pane, "one").reply, "Half a")
    show(pane, COMMENT, SUGGESTION)

    assert card(pane, "one").reply.text() == "Half a"
    assert card(pane, "one").reply.isVisible()
    assert card(pane, "one").has_keyboard()


def test_cards_stay_where_only_their_place_in_the_text_moved(pane):
    show(pane, COMMENT)
    before = pane.cards
    show(pane, replace(COMMENT, place=Span(7, 13)))
    assert pane.cards == before
    pane.forget()
    show(pane, COMMENT)
    assert pane.cards != before


def test_escape_puts_a_reply_away_and_goes_back_to_the_card(qtbot, pane):
    show(pane, COMMENT)
    one = card(pane, "one")
    press(qtbot, one, "Reply")
    qtbot.keyClick(one.reply, Qt.Key.Key_Escape)

    assert not one.reply.isVisible()
    assert one.hasFocus()


def test_keys_go_from_card_to_card_and_to_the_text(qtbot, pane):
    show(pane, COMMENT, SUGGESTION)
    pane.take_keyboard()
    assert card(pane, "one").hasFocus()
    with qtbot.waitSignal(pane.jumped) as jumped:
        qtbot.keyClick(card(pane, "one"), Qt.Key.Key_Return)
    assert jumped.args == ["one"]
    with qtbot.waitSignal(pane.chosen) as chosen:
        card(pane, "three").setFocus()
    assert chosen.args == ["three"]
    card(pane, "one").clearFocus()
    pane.take_keyboard()
    assert card(pane, "three").hasFocus()  # it was looked at last


def test_a_comment_needs_words_and_a_suggestion_other_words(qtbot, pane):
    composer = pane.composer
    pane.compose(CommentDraft(1, Span(0, 6), "a lake"))
    assert composer.isVisible()
    assert not composer.send.isEnabled()
    qtbot.keyClicks(composer.text, "Which?")
    assert composer.send.isEnabled()
    assert composer.taken() == CommentDraft(1, Span(0, 6), "a lake", text="Which?")

    pane.compose(CommentDraft(1, Span(0, 6), "a lake", suggests=True, text="a lake"))
    assert not composer.send.isEnabled()
    composer.text.setPlainText("")  # to leave words out is a suggestion as well
    assert composer.send.isEnabled()
    assert composer.note.isVisible()
    pane.compose(None)
    assert not composer.isVisible()


@pytest.mark.parametrize("keys", [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier])
def test_control_and_return_send_what_return_alone_goes_on_writing(qtbot, pane, keys):
    pane.compose(CommentDraft(1, Span(0, 6), "a lake", text="Which?"))
    sent = []
    pane.sent.connect(lambda: sent.append(True))
    qtbot.keyClick(pane.composer.text, Qt.Key.Key_Return, keys)

    alone = keys is Qt.KeyboardModifier.NoModifier
    assert sent == ([] if alone else [True])
    assert ("\n" in pane.composer.text.toPlainText()) is alone


def test_what_cannot_be_sent_is_not_sent_by_its_key(qtbot, pane):
    pane.compose(CommentDraft(1, Span(0, 6), "a lake"))
    with qtbot.assertNotEmitted(pane.sent):
        qtbot.keyClick(pane.composer.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(pane.given_up):
        qtbot.keyClick(pane.composer.text, Qt.Key.Key_Escape)


def test_a_trouble_is_said_and_what_was_written_stays(pane):
    pane.compose(CommentDraft(1, Span(0, 6), "a lake", text="Which?"))
    pane.composer.show_trouble("The disk is full.")
    assert "The disk is full." in words(pane)
    assert pane.composer.text.toPlainText() == "Which?"
    pane.compose(CommentDraft(1, Span(0, 6), "a lake", text="Which?"))
    assert "The disk is full." not in words(pane)


def test_what_is_quoted_is_shown_with_its_styles_and_nothing_else_of_it_is_html(pane):
    words = "a <b>lake</b>"
    show(pane, replace(COMMENT, quoted=words, styles=TextStyles(bytes(5) + b"\4\4\4\4")))
    found = [label.text() for label in card(pane, "one").findChildren(QLabel)]

    assert "\u201ca &lt;b&gt;<i>lake</i>&lt;/b&gt;\u201d" in found
    assert f"On {words}." in card(pane, "one").lines


def test_twelve_thousand_comments_are_shown_at_once_and_few_are_drawn(pane, qtbot):
    many = [thread(f"t{at}", ("a", f"Comment {at}.")) for at in range(12_000)]
    widgets = len(pane.findChildren(QWidget))

    took = processor_time.seconds(lambda: show(pane, *many), 0.5, between=lambda: show(pane))
    assert took <= 0.5  # 0.04 s on a quiet machine
    assert len(pane.cards) == CARDS_AT_ONCE
    qtbot.waitUntil(lambda: len(pane.cards) == MOST_CARDS)
    assert len(pane.findChildren(QWidget)) - widgets < 20 * MOST_CARDS
    pane.choose("t11999")
    assert card(pane, "t11999").isVisible()
    assert len(pane.cards) == MOST_CARDS
    press(qtbot, pane, "Show the comments before these (11,980)")
    qtbot.waitUntil(lambda: [card.about.id for card in pane.cards][-1] == "t11979")


def test_a_reply_is_kept_while_other_comments_are_shown(pane, qtbot):
    many = [thread(f"t{at}", ("a", f"Comment {at}.")) for at in range(MOST_CARDS + 1)]
    show(pane, *many)
    card(pane, "t0").resume("Half a rep")
    press(qtbot, pane, "Show the comments after these (1)")
    assert [one.about.id for one in pane.cards] == [f"t{MOST_CARDS}"]
    press(qtbot, pane, f"Show the comments before these ({MOST_CARDS})")

    assert card(pane, "t0").reply.text() == "Half a rep"
