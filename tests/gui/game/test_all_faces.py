"""A packet that three scripted people play in the window, on the page and in a room, in real browsers.

Scripted players are test software: nothing is said of people here.
"""

from __future__ import annotations

import base64
import os
import random
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, MoveKind, Phase, PlayedBy, Seat
from quizwriter.gui.application import make_window
from quizwriter.gui.game.game_window import DOUBLE_MS
from quizwriter.services.match import GameChoices, Match
from quizwriter.services.room_lines import RoomAnswered, RoomBuzzed, RoomGuests
from quizwriter.services.rooms import RoomHost
from tests.helpers.firefox import BROWSERS
from tests.helpers.patience import until
from tests.helpers.room_client import RoomProcess
from tests.services.test_playtests import saved

PEOPLE, TOSSUPS = ("Ben", "Cem", "Dan"), 8
LINE = "<u>{0}</u> [prompt on <u>fish</u> by asking “what kind of fish?”]"
FISH = "eel", "carp", "pike", "tench"


def packet(app):
    """Tossups of a set, and what everybody does with each: the word of the buzz, and the answers."""
    rng = random.Random(5)
    for number in range(TOSSUPS):
        words = " ".join(rng.choice(("this", "fish", "swims", "far", "upstream")) for _ in range(12))
        text = f"{words} (*) For 10 points, name fish number {number}."
        saved(app, f"t{number:02}", Tossup(text, Answer(LINE.format(FISH[number % 4]))))
    tossups = app.games.tossups_of("Spring")
    scripts = {}
    for who in PEOPLE:
        for number, one in enumerate(tossups, start=1):
            right = FISH[int(one.key[1:]) % 4]
            answers = rng.choice(((right,), ("bream",), ("fish", right), ("fish", "fish"), ()))
            scripts[who, number] = rng.randrange(1, 15), answers
    return tossups, scripts


def games(app, by):
    """What was played by a face, without its times: the same for all faces."""
    found = set()
    for key in (f"t{number:02}" for number in range(TOSSUPS)):
        for event in app.store.review_of(key).games:
            played = event.body
            if played.by is by:
                moves = tuple(replace(move, at_ms=0) for move in played.moves)
                found.add((key, played.rules.seats, played.rules.tossup, moves))
    return found


@pytest.fixture
def people(app):
    return packet(app)


def in_the_window(qtbot, app, tossups, scripts):
    window = make_window(app, QApplication.instance(), scheme="light")
    window.show()
    now = [0]
    for who in PEOPLE:
        match = Match(f"w{who}", tossups, FORMATS["mACF"], (Seat(who),), lambda: now[0])
        game = window.games.play(match, (), GameChoices(100))
        for number in range(1, TOSSUPS + 1):
            word, answers = scripts[who, number]
            for _ in range(word):
                game._read_next()
                game._pace.stop()
            if answers:
                qtbot.keyClick(game, Qt.Key.Key_Space)
                for one in answers:
                    qtbot.keyClicks(game.field, one)
                    qtbot.keyClick(game.field, Qt.Key.Key_Return)
                    now[0] += DOUBLE_MS  # what follows is no double press
                if match.state.answered is None:
                    qtbot.keyClick(game, Qt.Key.Key_Return)  # the answer
            else:
                qtbot.keyClick(game, Qt.Key.Key_N)
            assert game._is_revealed
            qtbot.keyClick(game, Qt.Key.Key_Return)
            game._pace.stop()
        qtbot.keyClick(game, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(games(app, PlayedBy.WINDOW)) == len(PEOPLE) * TOSSUPS)
    window.close()
    window.deleteLater()
    qtbot.wait(1)


def on_the_page(app, browser, folder, tossups, scripts):
    for who in PEOPLE:
        file = folder / f"{who}.html"
        app.playtests.send(file, tossups, FORMATS["mACF"], "Spring")
        browser.open(file)
        browser.run("document.getElementById('name').focus()")
        browser.press(who)
        browser.run("playtest.kept.speed = 1")  # the test reads
        browser.click("begin")
        for number in range(1, TOSSUPS + 1):
            word, answers = scripts[who, number]
            browser.run("for (let at = 0; at < arguments[0]; at++) playtest.read()", word)
            if answers:
                browser.press(" ")
                for one in answers:
                    browser.press(f"{one}\ue007")
                browser.run("playtest.presses.answered = -1000")  # nobody clicks as soon as this does
                if not browser.run("return playtest.game.phase === 'over'"):
                    browser.click("end")
            else:
                browser.click("end")
            picture(browser, f"page-{who}-{number}") if number == 2 else None
            browser.click("next")
        browser.click("show")
        raw = browser.run("return document.getElementById('paste').value")
        found = app.playtests.understand(raw)
        (note,) = found.notes  # they played in the window before
        assert note.startswith(f"{who} played {TOSSUPS} of these tossups before")
        app.playtests.keep(found)


def in_a_room(app, browser, folder, tossups, scripts):
    for who in PEOPLE:
        process = RoomProcess()
        try:
            match = Match(f"r{who}", tossups, FORMATS["mACF"], (), app.games.clock, PlayedBy.ROOM)
            host = RoomHost(match, process.send)
            host.opening("127.0.0.1", "123456", "Spring", folder / f"{who}.jsonl")
            browser.open(f"http://127.0.0.1:{process.opened()}/#123456")
            browser.run("document.getElementById('name').focus()")
            browser.press(who)
            picture(browser, f"room-join-{who}") if who == "Ben" else None
            browser.click("join")
            host.take(process.report(RoomGuests, lambda report: report.guests))
            for number in range(1, TOSSUPS + 1):
                host.begin()
                word, answers = scripts[who, number]
                match.game.read(
                    word
                )  # at once: words that come quicker than people read are too many messages
                until(partial(shows, browser, [number, word, True]))
                if answers:
                    browser.press(" ")
                    assert host.take(process.report(RoomBuzzed))
                    for one in answers:
                        until(partial(browser.run, "return !document.getElementById('answering').hidden"))
                        picture(browser, f"room-answer-{who}-{number}") if number == 2 else None
                        browser.press(f"{one}\ue007")
                        assert host.take(process.report(RoomAnswered))
                        if match.state.phase is Phase.PROMPTED:
                            until(lambda: browser.run("return room.view.phase") == "prompted")
                match.game.end()
                if number == 2:
                    until(lambda: browser.run("return room.view.phase") == "over")
                    picture(browser, f"room-over-{who}-{number}")
                app.games.keep(match.current.key, match.played)
                if not match.is_last:
                    match.next()
        finally:
            process.close()


def shows(browser, state):
    """Whether the page of a room is at this tossup and word, which is on the screen, and may buzz."""
    return browser.run("return [room.number, room.onScreen, room.mayBuzz]") == state


def picture(browser, name):
    """Keep a picture where QUIZWRITER_PICTURES says so."""
    folder = os.environ.get("QUIZWRITER_PICTURES")
    if folder:
        Path(folder, f"{type(browser).__name__.lower()}-{name}.png").write_bytes(
            base64.b64decode(browser.picture())
        )


@pytest.mark.parametrize("a_browser", BROWSERS)
def test_the_same_games_are_in_the_database_whatever_people_play_on(a_browser, qtbot, app, people, tmp_path):
    tossups, scripts = people
    in_the_window(qtbot, app, tossups, scripts)
    with a_browser(tmp_path / "profile") as browser:
        on_the_page(app, browser, tmp_path, tossups, scripts)
        in_a_room(app, browser, tmp_path, tossups, scripts)
    window, page, room = (games(app, one) for one in (PlayedBy.WINDOW, PlayedBy.MAIL, PlayedBy.ROOM))
    assert len(window) == len(PEOPLE) * TOSSUPS
    assert window == page == room
    kinds = {move.kind for _, _, _, moves in window for move in moves}
    assert kinds == {MoveKind.READ, MoveKind.BUZZ, MoveKind.ANSWER, MoveKind.VERDICT, MoveKind.END}
