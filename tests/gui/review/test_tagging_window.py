"""Tagging a set in the window: keys, blindness, comparison, decision; on a real database."""

from types import SimpleNamespace

import pytest
import shiboken6
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextDocumentFragment
from PySide6.QtWidgets import QLabel

from quizwriter.domain.events import Event
from quizwriter.domain.review import Person, PutInSet, Round, Tagged
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.queue.queue_window import QueueWindow
from quizwriter.gui.review.tag_pane import TagPane
from quizwriter.gui.review.tagging_window import BLIND, TaggingMode, TaggingWindow
from quizwriter.services.tossups import phenomena
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.helpers.windows import app_of

KEYS = ("t1", "t2", "t3")
NAMES = [one.name for one in phenomena()]


@pytest.fixture
def app(tmp_path):
    """An application with three tossups on Aida, Butterfly and Carmen, in that order of answers."""
    app = App(tmp_path)
    app.profile.save_settings(replace(app.profile.settings, profile_id="me", profile_name="Priya"))
    store = app.store
    for key, answer in zip(KEYS, ("Aida", "Butterfly", "Carmen"), strict=True):
        text = f"This is about {answer.lower()}."
        store.save(PendingSave.begun(key, text, Answer(answer), 1))
    for who in ("ana", "tom"):
        store.save_person(Person(who, who.capitalize(), "", 1))
    yield app
    app.close()
    store.close()


def tag(app, person, *found, of=Round.BLIND):
    for key, tags in zip(KEYS, found, strict=False):
        app.store.add_events([Event.new(key, 1, person, Tagged(tuple(NAMES[number] for number in tags), of))])


@pytest.fixture
def opened(qtbot, theme, app, collecting_here):
    """Opens the window and waits until the first tossup is there."""
    windows = []

    def opened(keys=(), place=None):
        window = TaggingWindow(app, theme, keys, place=place)
        windows.append(window)
        window.show()
        qtbot.waitExposed(window)
        qtbot.waitUntil(
            lambda: "about" in window.text.toPlainText() or bool(window.status_text != "Reading\u2026")
        )
        return window

    yield opened
    for window in filter(shiboken6.isValid, windows):
        window.close()
        window.close()


def kept(app, key):
    return dict(fold_events(app.store.events(key)).tags)


def press(qtbot, window, keys):
    for key in keys:
        qtbot.keyClick(window, key)


def test_a_set_is_tagged_with_keys_alone(opened, app, qtbot):
    window = opened()
    press(qtbot, window, "14n")
    press(qtbot, window, "662n")
    press(qtbot, window, "n")
    qtbot.waitUntil(lambda: window.idle)

    me = (Round.BLIND, "me")
    assert kept(app, "t1") == {me: (NAMES[0], NAMES[3])}
    assert kept(app, "t2") == {me: (NAMES[1],)}
    assert kept(app, "t3") == {me: ()}
    assert "3 of 3 tossups tagged by you" in window._progress.text()
    assert not window.modes.button(TaggingMode.COMPARE).isEnabled()


def test_what_is_ticked_is_kept_when_the_window_closes_and_is_there_again(opened, app, qtbot):
    window = opened()
    press(qtbot, window, "2")
    assert window.close()

    assert kept(app, "t1") == {(Round.BLIND, "me"): (NAMES[1],)}
    again = opened()
    assert again.key == "t2"  # the first is done with
    press(qtbot, again, "p")
    assert again.tags.ticked == (NAMES[1],)


def test_a_window_opens_where_it_was_left(opened, app, qtbot):
    app.review.record(["t2", "t3"], PutInSet("Winter"))
    window = opened()
    window.which.setCurrentIndex(window.which.findData("Winter"))
    window._choose_group(window.which.currentIndex())
    qtbot.waitUntil(lambda: window._progress.text().endswith("of 2 tossups tagged by you"))
    press(qtbot, window, "n")
    assert window.key == "t3"
    again = opened(place=window.place)

    qtbot.waitUntil(lambda: again.key == "t3")
    assert again.which.currentText() == "Winter"
    assert len(again._visible) == 2


def test_looking_at_a_tossup_is_not_being_done_with_it(opened, app, qtbot):
    window = opened()
    window.list.setCurrentIndex(window._model.index(2))
    press(qtbot, window, "p")
    window.close()

    assert not any(app.store.events(key) for key in KEYS)


def test_own_tags_have_keys_too_and_letters_typed_into_their_field_are_letters(opened, app, qtbot):
    window = opened()
    qtbot.keyClicks(window.tags.own, "n1 swerve")
    qtbot.keyClick(window.tags.own, Qt.Key.Key_Return)
    assert window.tags.ticked == ("n1 swerve",)
    press(qtbot, window, "n7n")
    qtbot.waitUntil(lambda: window.idle)

    assert kept(app, "t1") == kept(app, "t2") == {(Round.BLIND, "me"): ("n1 swerve",)}


def test_nothing_of_what_others_found_is_to_be_seen_before_both_are_done(opened, app, qtbot):
    tag(app, "ana", [0], [1], [2])
    app.store.add_events([Event.new("t1", 9, "ana", Tagged((NAMES[0], "Ana's own")))])
    window = opened()

    assert [row.name for row in window.tags.rows] == NAMES
    assert all(not row._found.isVisible() for row in window.tags.rows)
    assert "Ana 3 of 3" in window.status_text
    window.use(TaggingMode.COMPARE)
    assert not window.comparison.isVisible()

    press(qtbot, window, "1nnn")
    assert window.modes.button(TaggingMode.COMPARE).isEnabled()
    press(qtbot, window, "ppp2n")  # what was found blind stays so
    window.use(TaggingMode.COMPARE)
    assert window.comparison.isVisible()
    qtbot.waitUntil(lambda: window.idle)
    assert kept(app, "t1")[Round.BLIND, "me"] == (NAMES[0],)


def test_the_comparison_has_numbers_that_were_worked_out_by_hand(opened, app, qtbot):
    tag(app, "ana", [0], [1], [])
    tag(app, "tom", [0], [], [])
    window = opened()
    window.use(TaggingMode.COMPARE)

    head, first, second, third, *_ = window.comparison.cells()
    assert head == ["Tag", "Ana", "Tom", "Both", "Agreement", "Cohen\u2019s kappa"]
    assert first == [NAMES[0], "1", "1", "1", "100\u00a0%", "1.00"]
    assert second == [NAMES[1], "1", "0", "0", "67\u00a0%", "0.00"]
    assert third == [NAMES[2], "0", "0", "0", "100\u00a0%", "\u2013"]
    assert "In 67% of them, all tags are the same." in window.comparison._foot.text()
    window.comparison._copy.click()
    assert "Composing seen clues,1,1,1," in QGuiApplication.clipboard().text()


def test_three_are_compared_by_fleiss_and_any_two_of_them_by_cohen(opened, app, qtbot):
    for who in ("ana", "tom", "me"):
        tag(app, who, [0] if who != "tom" else [], [], [])
    window = opened()
    window.use(TaggingMode.COMPARE)
    choices = [window.comparison.who.itemText(place) for place in range(window.comparison.who.count())]

    assert choices == ["You, Ana and Tom", "You and Ana", "You and Tom", "Ana and Tom"]
    assert window.comparison.cells()[0][-1] == "Fleiss\u2019 kappa"
    window.comparison.who.setCurrentIndex(1)
    assert window.comparison.cells()[0][-1] == "Cohen\u2019s kappa"
    assert window.comparison.cells()[1][-1] == "1.00"


def test_a_third_decides_what_the_two_found_differently(opened, app, qtbot):
    tag(app, "ana", [0], [1, 2], [])
    tag(app, "tom", [0], [1], [])
    window = opened()
    window.use(TaggingMode.DECIDE)

    assert window.key == "t2"  # the only one
    assert window.tags.ticked == (NAMES[1],)  # which both found
    assert window.tags.rows[1]._found.text() == "Ana and Tom"
    assert window.tags.rows[2]._found.text() == "Ana, not Tom"
    press(qtbot, window, "3n")
    qtbot.waitUntil(lambda: window.idle)
    assert kept(app, "t2")[Round.DECIDING, "me"] == (NAMES[1], NAMES[2])


def test_who_tagged_does_not_decide(opened, app, qtbot):
    tag(app, "ana", [0], [], [])
    tag(app, "me", [], [], [])
    window = opened()
    window.use(TaggingMode.DECIDE)
    press(qtbot, window, "1n")
    window.close()

    assert "somebody else must decide" in window.status_text
    assert (Round.DECIDING, "me") not in kept(app, "t1")


def test_the_tossups_chosen_elsewhere_are_those_tagged_and_a_set_can_be_chosen(opened, app, qtbot):
    app.store.add_events([Event.new("t3", 1, "me", PutInSet("Winter"))])
    window = opened(("t2", "t1"))
    assert window._model.rowCount() == 2
    assert [window.which.itemText(place) for place in range(window.which.count())] == [
        "Chosen: 2 tossups",
        "All tossups",
        "Winter",
    ]

    window.which.setCurrentIndex(2)
    window.which.activated.emit(2)
    qtbot.waitUntil(lambda: window.key == "t3")


def test_a_full_disk_loses_no_tag(opened, app, qtbot, monkeypatch):
    window = opened()
    real = app.store.add_events

    def full(events):
        raise QuizwriterError("The disk is full.", "Free some disk space.")

    monkeypatch.setattr(app.store, "add_events", full)
    press(qtbot, window, "1n")
    qtbot.waitUntil(lambda: "The disk is full." in window.status_text)
    assert not window.close()
    monkeypatch.setattr(app.store, "add_events", real)
    press(qtbot, window, "2n")
    qtbot.waitUntil(lambda: window.idle)

    assert kept(app, "t1") == {(Round.BLIND, "me"): (NAMES[0],)}
    assert kept(app, "t2") == {(Round.BLIND, "me"): (NAMES[1],)}


def test_tags_that_wait_are_told_until_the_next_tossup_brings_them_to_the_disk(
    opened, app, qtbot, monkeypatch
):
    window, tries = opened(), []

    def full(events):
        tries.append(events)
        raise QuizwriterError("The disk is full.", "Free some disk space.")

    with monkeypatch.context() as broken:
        broken.setattr(app.store, "add_events", full)
        press(qtbot, window, "1")
        window.list.setCurrentIndex(window._model.index(1))
        qtbot.waitUntil(lambda: "The disk is full." in window.status_text)
        window.list.setCurrentIndex(window._model.index(2))
        qtbot.waitUntil(lambda: len(tries) == 2)
        assert "The disk is full." in window.status_text
    window.list.setCurrentIndex(window._model.index(0))
    qtbot.waitUntil(lambda: window.idle)
    assert kept(app, "t1") == {(Round.BLIND, "me"): (NAMES[0],)}
    assert window.status_text.startswith(BLIND)


def test_the_menu_asks_who_sits_here_and_opens_the_window(open_window, qtbot):
    window = open_window(start=False)
    app_of(window).profile.set_profile("Priya", "")
    app_of(window).queue = SimpleNamespace(
        find_tossups=lambda wanted, sort: ((), {}),
        rows=lambda keys: (),
        facets=lambda: SimpleNamespace(sets={}),
    )
    app_of(window).reviews = lambda keys: {}
    window.windows.open("tag")

    qtbot.waitUntil(lambda: "no tossups here yet" in window.windows.find("tag").status_text)


def test_the_queue_hands_over_what_is_selected_or_else_all_that_is_shown(qtbot, theme, app, collecting_here):
    saver = Saver(app.store.save)
    queue = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    queue.query()
    qtbot.waitUntil(lambda: len(queue.model.keys) == 3)
    try:
        with qtbot.waitSignal(queue.tagging_requested) as wanted:
            queue.action_bar.tag_button.click()
        assert set(wanted.args[0]) == set(KEYS)
        queue.table.selectRow(1)
        with qtbot.waitSignal(queue.tagging_requested) as wanted:
            queue.action_bar.tag_button.click()
        assert wanted.args[0] == (queue.model.keys[1],)
    finally:
        queue.shutdown()
        saver.stop()


def test_the_text_follows_another_theme(qtbot, opened):
    window = opened()
    qtbot.waitUntil(lambda: "about" in window.text.toPlainText())
    theme = window._theme
    assert theme.tokens.ink.lower() in window.text.toHtml().lower()

    theme.use_theme("dark")
    assert theme.tokens.ink.lower() in window.text.toHtml().lower()
    theme.use_theme("light")


def test_an_example_shows_both_questions_of_a_phenomenon_and_why_one_is_harder(qtbot, theme):
    pane = TagPane(theme, phenomena())
    qtbot.addWidget(pane)

    for row, one in zip(pane.rows, pane.phenomena, strict=True):
        shown = [
            QTextDocumentFragment.fromHtml(label.text()).toPlainText() for label in row.findChildren(QLabel)
        ]
        assert f"{one.answer}, as usual:\n{one.usual}\nHarder:\n{one.harder}\n{one.because}" in " | ".join(
            text.replace("\u2028", "\n") for text in shown
        )
