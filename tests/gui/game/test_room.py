"""A room from the menu to the database: its dialog, phones, the window, and the log after a kill."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from shiboken6 import delete

from quizwriter.domain.guessing import Player
from quizwriter.domain.tossup_game import Advice, Phase, PlayedBy, Seat
from quizwriter.gui.game import game_window
from quizwriter.gui.game.game_window import GameWindow
from quizwriter.gui.game.new_game import SPOKEN, NewGameDialog
from quizwriter.gui.game.room import QUIET, QrCode, RoomDialog
from quizwriter.services.rooms import LONGEST_BREAK_S, read_log
from tests.gui.game.test_game_window import Spy, read, write_question
from tests.helpers.patience import hurried
from tests.helpers.room_client import Phone


@pytest.fixture(scope="module", autouse=True)
def _hurried():
    with hurried("game.game_window.DOUBLE_MS"):
        yield


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(qtbot, app, shared_window):
    for journal in app.room_journals.path("").parent.glob("*"):
        journal.unlink()  # of a room that another test left in the middle of its game
    return write_question(qtbot, shared_window)


@pytest.fixture
def room(qtbot, window):
    """Opens a room on loopback from the menu, and begins once the phones are there."""

    def room(*names, spoken=False):
        window.menus.actions["play-room"].trigger()
        (asking,) = window.findChildren(NewGameDialog)
        asking.address.setCurrentText("127.0.0.1")
        if spoken:
            asking.reading.setCurrentText(SPOKEN)
        asking._primary.click()
        qtbot.waitUntil(lambda: bool(window.findChildren(RoomDialog)))
        (dialog,) = window.findChildren(RoomDialog)
        link = window.games._rooms[0]
        qtbot.waitUntil(lambda: link.is_open)
        for seats, name in enumerate(names, start=1):  # one after the other: who comes first has the first
            phones.append(Phone(link.port))
            phones[-1].say({"join": {"code": link.code, "name": name}})
            qtbot.waitUntil(lambda seats=seats: len(link.host.guests) == seats)
        dialog._primary.click()
        (game,) = window.games._games
        game._pace.stop()
        return link, dialog, game, phones

    phones = []
    yield room
    for phone in phones:
        phone.close()


def heard(qtbot, phone, wanted):
    """The message of a phone that is wanted; the window goes on meanwhile."""
    with ThreadPoolExecutor(1) as threads:
        message = threads.submit(phone.hear, wanted)
        qtbot.waitUntil(message.done)
    return message.result()


def wait(qtbot, true):
    qtbot.waitUntil(true)


def test_phones_buzz_answer_and_are_kept_and_the_log_goes(qtbot, window, app, room):
    link, dialog, game, (ben, cem) = room("Ben", "Cem")
    assert dialog.address.text() == link.address == f"http://127.0.0.1:{link.port}/"
    assert [dialog.guests.item(at).text() for at in range(2)] == ["Ben", "Cem"]
    assert game.score.text() == "Ben: 0 · Cem: 0"
    read(game, 6)
    heard(qtbot, ben, lambda got: got.get("view", {}).get("word") == 6)
    ben.say({"ack": 6, "number": 1})
    ben.say({"buzz": True, "number": 1})
    wait(qtbot, lambda: game.match.state.phase is Phase.ANSWERING)
    assert game.said.text() == "Ben:"
    heard(qtbot, ben, lambda got: got.get("view", {}).get("phase") == "answering")
    ben.say({"answer": "carp", "number": 1})
    wait(qtbot, lambda: game.match.state.phase is Phase.DECIDED)
    assert game.said.text() == "Ben: carp. Not right. \N{MINUS SIGN}5."
    qtbot.keyClick(game, Qt.Key.Key_R)
    read(game, 2)
    heard(qtbot, cem, lambda got: got.get("view", {}).get("word") == 8)
    cem.say({"ack": 8, "number": 1})
    cem.say({"buzz": True, "number": 1})
    wait(qtbot, lambda: game.match.state.phase is Phase.ANSWERING)
    qtbot.keyClicks(game.field, "eel")  # he says it, and the moderator types
    qtbot.keyClick(game.field, Qt.Key.Key_Return)
    assert game.score.text() == "Ben: \N{MINUS SIGN}5 · Cem: 10"
    journal = app.room_journals.path(game.match.name)
    assert journal.is_file()
    qtbot.wait(2 * game_window.DOUBLE_MS)  # a timer of Qt may be early
    with qtbot.waitSignal(game.kept):
        qtbot.keyClick(game, Qt.Key.Key_Return)
    with qtbot.waitSignal(game.closed):
        qtbot.keyClick(game, Qt.Key.Key_Escape)
    wait(qtbot, lambda: not journal.exists())
    (event,) = app.store.review_of(window.session.tossup_id).games
    assert event.body.by is PlayedBy.ROOM
    assert event.body.rules.seats == (Seat("Ben"), Seat("Cem"))
    assert [(buzz.seat, buzz.word) for buzz in event.body.replay().state.buzzes] == [(0, 6), (1, 8)]
    assert window.games._rooms == []


def test_a_moderator_clicks_the_word_and_no_phone_gets_a_text(qtbot, window, room):
    _, _, game, (ben,) = room("Ben", spoken=True)
    assert game.text.toPlainText().startswith("This fish, named by Brahms (“brahmz”).")
    assert game.text.toPlainText().endswith(" \n\nANSWER: eels")  # she judges what she hears
    view = heard(qtbot, ben, lambda got: "view" in got)
    assert "words" not in view or view["words"] == []
    ben.say({"buzz": True, "number": 1})
    wait(qtbot, lambda: game.said.text() == "Ben buzzed. Click the last word that you read.")
    cursor = game.text.textCursor()
    cursor.setPosition(game.text.toPlainText().index("Brahms") + 2)
    place = game.text.cursorRect(cursor).center()
    qtbot.mouseClick(game.text.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert game.match.state.phase is Phase.ANSWERING
    assert game.match.state.buzzes[0].word == 5
    qtbot.keyClicks(game.field, "carp")
    qtbot.keyClick(game.field, Qt.Key.Key_Return)
    assert game.score.text() == "Ben: \N{MINUS SIGN}5"
    qtbot.keyClick(game, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert game.text.toPlainText().endswith(" \n\nANSWER: eels")
    qtbot.keyClick(game.field, Qt.Key.Key_Return)
    view = heard(qtbot, ben, lambda got: got.get("view", {}).get("phase") == "decided")
    assert "words" not in view
    qtbot.keyClick(game, Qt.Key.Key_R)
    qtbot.keyClick(game, Qt.Key.Key_N)
    assert game.match.state.word == game.match.game.rules.tossup.words  # she read it all
    assert game.match.state.phase is Phase.OVER


def test_words_are_chosen_with_the_keys_and_a_buzz_can_be_none(qtbot, window, room):
    _, _, game, (ben,) = room("Ben", spoken=True)
    heard(qtbot, ben, lambda got: got.get("view", {}).get("may") == [0])
    ben.say({"buzz": True, "number": 1})
    wait(qtbot, lambda: game._is_asking_word)
    qtbot.keyClick(game, Qt.Key.Key_Backspace)
    assert game.match.state.phase is Phase.READING
    heard(qtbot, ben, lambda got: "lock" in got)  # that of his buzz; what came before it also lets him buzz
    heard(qtbot, ben, lambda got: "view" in got and "lock" not in got)
    ben.say({"buzz": True, "number": 1})
    wait(qtbot, lambda: game._is_asking_word)
    for key in (*[Qt.Key.Key_Right] * 4, Qt.Key.Key_Left, Qt.Key.Key_Return):
        qtbot.keyClick(game, key)
    assert game.match.state.buzzes[0].word == 4


def test_a_misclicked_word_is_corrected_and_no_clock_runs_while_the_word_is_chosen(qtbot, room, monkeypatch):
    _, _, game, (ben,) = room("Ben", spoken=True)

    def buzz():
        heard(qtbot, ben, lambda got: got.get("view", {}).get("may") == [0] and not got["view"]["paused"])
        ben.say({"buzz": True, "number": 1})
        wait(qtbot, lambda: game._is_asking_word)

    buzz()
    game._choose_word(9)
    game._tell_word()
    assert game.match.state.buzzes[0].word == 9
    game._undo()
    game.pause(False)
    buzz()
    assert game._chosen == 1
    game._choose_word(4)
    monkeypatch.setattr(type(game.match.state), "due_ms", 0)
    game._count_down()
    assert game.match.state.phase is Phase.READING
    monkeypatch.undo()
    game._tell_word()
    assert game.match.state.buzzes[0].word == 4


@pytest.mark.parametrize("spoken", [False, True])
def test_a_game_goes_on_in_its_window_though_its_room_is_gone(qtbot, room, spoken):
    link, _, game, _ = room("Ben", spoken=spoken)
    read(game, 3)
    link._process._process.kill()
    wait(qtbot, lambda: not link.is_open)
    qtbot.keyClick(game, Qt.Key.Key_Space)
    if spoken:
        assert game.said.text() == "Ben buzzed. Click the last word that you read."
        qtbot.keyClick(game, Qt.Key.Key_Return)
    assert game.match.state.phase is Phase.ANSWERING
    assert game.match.state.buzzes[0].word == (1 if spoken else 3)


def texts_of(dialog):
    return [one for one in dialog.findChildren(QLabel) if one.isVisible()]


def test_a_room_that_is_given_up_is_closed(qtbot, window, room):
    window.menus.actions["play-room"].trigger()
    (asking,) = window.findChildren(NewGameDialog)
    asking.address.setCurrentText("127.0.0.1")
    asking._primary.click()
    wait(qtbot, lambda: bool(window.findChildren(RoomDialog)))
    (dialog,) = window.findChildren(RoomDialog)
    (link,) = window.games._rooms
    wait(qtbot, lambda: link.is_open)
    link.host.wrong_codes = 1
    link.guests_changed.emit()
    assert dialog.warning.text() == "1 wrong code typed."
    wait(qtbot, lambda: dialog.warning.y() > dialog.guests.y())
    wait(qtbot, lambda: not any(dialog.qr.geometry().intersects(one.geometry()) for one in texts_of(dialog)))
    dialog.close_button.click()
    assert window.games._rooms == []
    assert not window.findChildren(GameWindow)


def killed(app, game):
    """What a kill of the window would leave of the room now, under another name."""
    journal = app.room_journals.path(game.match.name)
    left = journal.with_name("killed.jsonl")
    left.write_bytes(journal.read_bytes().replace(game.match.name.encode(), b"killed"))
    return left


def test_the_game_of_a_killed_window_is_kept_once_its_room_cannot_go_on(qtbot, window, app, room):
    link, _, game, (ben,) = room("Ben")
    read(game, 3)
    heard(qtbot, ben, lambda got: got.get("view", {}).get("word") == 3)
    ben.say({"ack": 3, "number": 1})
    ben.say({"buzz": True, "number": 1})
    wait(qtbot, lambda: game.match.state.phase is Phase.ANSWERING)
    heard(qtbot, ben, lambda got: got.get("view", {}).get("phase") == "answering")
    left = killed(app, game)
    window.games._recover()
    recovered = []
    window.games.jobs.ask(lambda _: None, recovered.append)  # one job after another
    wait(qtbot, lambda: bool(recovered))
    assert left.is_file()  # it may go on
    os.utime(left, (time.time() - LONGEST_BREAK_S - 60,) * 2)
    window.games._recover()
    wait(qtbot, lambda: not left.exists())
    assert app.room_journals.path(game.match.name).is_file()  # it is being played
    (event,) = app.store.review_of(window.session.tossup_id).games
    assert (event.body.game, event.body.moves) == ("killed", tuple(game.match.game.log))
    window.games._recover()
    assert link.is_open


def test_a_killed_room_goes_on_in_the_middle_of_an_answer_and_phones_have_their_seats(
    qtbot, window, app, room
):
    link, _, game, (ben, _) = room("Ben", "Cem", spoken=True)
    (seat, _) = read_log(app.room_journals.path(game.match.name)).opening.seats
    link.host.match.game.read(6)
    link.host.match.game.buzz(0)
    game._take_buzz()
    game.match.game.answer("fish")  # the log has it, and then the window is killed
    heard(qtbot, ben, lambda got: got.get("view", {}).get("phase") == "judging")
    left = killed(app, game)
    ben.close()
    with qtbot.waitSignal(game.closed):
        game.close()
    window.menus.actions["play-room"].trigger()
    (asking,) = (one for one in window.findChildren(NewGameDialog) if one.isVisible())
    wait(qtbot, lambda: "can be continued" in asking.message.text())
    assert asking.message.text() == (
        "A room was interrupted: tossup 1 of 1. It can be continued, with everybody's seats."
    )
    asking.goes_on.click()
    wait(qtbot, lambda: bool(window.games._rooms))
    (link,) = window.games._rooms
    wait(qtbot, lambda: link.is_open and len(link.host.guests) == 2)
    dialog = next(one for one in window.findChildren(RoomDialog) if one.isVisible())
    assert [dialog.guests.item(at).text() for at in range(2)] == ["Ben, away", "Cem, away"]
    assert dialog._primary.text() == "Continue"
    ben = Phone(link.port, seat.token)
    assert heard(qtbot, ben, lambda got: "token" in got)["name"] == "Ben"
    dialog._primary.click()
    game = window.games._games[-1]
    assert game.match.name == "killed"
    assert game.said.text() == "The room goes on. Ben:"
    assert game.field.text() == "fish"  # to be judged again
    assert heard(qtbot, ben, lambda got: got.get("view", {}).get("phase") == "answering")["view"]["seat"] == 0
    game.field.selectAll()
    qtbot.keyClicks(game.field, "eels")
    qtbot.keyClick(game.field, Qt.Key.Key_Return)
    assert game.score.text() == "Ben: 10 · Cem: 0"
    qtbot.wait(2 * game_window.DOUBLE_MS)
    with qtbot.waitSignal(game.kept, timeout=20_000):
        qtbot.keyClick(game, Qt.Key.Key_Return)
    with qtbot.waitSignal(game.closed):
        qtbot.keyClick(game, Qt.Key.Key_Return)
    wait(qtbot, lambda: not left.exists())
    kept = [one.body for one in app.store.review_of(window.session.tossup_id).games]
    (resumed,) = (one for one in kept if one.game == "killed")
    assert resumed.replay().state.answered.answers[-1] == "eels"
    ben.close()


def test_a_kill_leaves_a_remark_that_is_half_typed_and_esc_discards_it(qtbot, app, room, monkeypatch):
    monkeypatch.setattr(game_window, "LOG_MS", 10)
    _, _, game, _ = room("Ben")
    qtbot.keyClicks(game, "nc")
    qtbot.keyClicks(game.field, "Too sho")

    def comments():
        log = read_log(app.room_journals.path(game.match.name))
        return [ruling.impression.comment for *_, ruling in log.tossups]

    wait(qtbot, lambda: comments() == ["Too sho"])
    qtbot.keyClick(game.field, Qt.Key.Key_Escape)
    wait(qtbot, lambda: comments() == [""])
    assert game.field.isHidden()


@pytest.mark.parametrize("spoken", [False, True])
def test_machines_that_come_late_have_their_room_in_the_dialog(qtbot, window, spoken):
    window.menus.actions["play-room"].trigger()
    (asking,) = window.findChildren(NewGameDialog)
    qtbot.waitExposed(asking)
    if spoken:
        asking.reading.setCurrentText(SPOKEN)
    spies = [Player(Spy(), Spy(), "fake")]
    asking.offer_machines(spies, loaded=True)
    height = asking.height()
    qtbot.wait(1)
    asking.fit()
    assert asking.height() == height  # Qt showed nothing more since
    assert all(box.isVisible() is not spoken for box in (asking.adviser, *asking.boxes.values()))
    assert asking.speed.height() >= asking.speed.minimumSizeHint().height() or spoken
    asking.close()


def test_the_code_to_scan_has_its_quiet_zone_on_every_side(qtbot, window):
    code = QrCode(window.theme)
    qtbot.addWidget(code)
    code.show_text("http://192.168.100.200:50123/#012345")
    code.show()
    image = code.grab().toImage()
    dark = [
        (x, y)
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).lightness() < 128
    ]
    (left, top), (right, bottom) = map(min, zip(*dark, strict=True)), map(max, zip(*dark, strict=True))
    module = (right - left + 1) // len(code._rows)
    least = QUIET * module
    assert min(left, top, image.width() - 1 - right, image.height() - 1 - bottom) >= least
    assert (right - left, bottom - top) == (module * len(code._rows) - 1,) * 2


def test_a_machine_advises_the_phones_of_the_team_that_answers_and_nobody_else(qtbot, app, room):
    link, _, game, (ben, cem) = room("Ben", "Cem")
    spy = Spy(page="Eel")
    game._adviser, link.host.adviser = Player(spy, spy, "fake"), "IR"
    read(game, 6)
    heard(qtbot, ben, lambda got: got.get("view", {}).get("word") == 6)
    cem.say({"ask": True, "number": 1})  # he has not buzzed
    ben.say({"ack": 6, "number": 1})
    ben.say({"buzz": True, "number": 1})
    assert heard(qtbot, ben, lambda got: got.get("view", {}).get("seat") == 0)["view"]["adviser"] == "IR"
    hinted = game.hints.text().partition(" · ")[2]
    for _ in range(3):
        ben.say({"ask": True, "number": 1})
    assert heard(qtbot, ben, lambda got: "advice" in got) == {"advice": {"guess": "Eel", "chance": 90}}
    assert game.said.text() == "Ben:"  # others see this screen
    assert hinted == game.hints.text().partition(" · ")[2] == "Enter: answer · Ctrl+Z: undo"
    qtbot.keyClick(game.field, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    ben.say({"answer": "Eel", "number": 1})
    wait(qtbot, lambda: game.match.state.answered is not None)
    advice = (Advice(0, 6, "ir", "Eel", 90, taken=True, right=True),)
    assert game.match.ruling.advice == advice
    told = []
    heard(qtbot, cem, lambda got: told.append(got) or got.get("view", {}).get("phase") == "decided")
    assert not any("advice" in one for one in told)
    ((_, kept),) = read_log(
        app.room_journals.path(game.match.name)
    ).played  # on the disk before phones are told
    assert kept.advice == advice


def test_the_theme_changes_after_a_room_was_closed(window):
    code = QrCode(window.theme)
    delete(code)
    window.theme.changed.emit()
