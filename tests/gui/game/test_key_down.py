"""The word that is kept of a buzz is the one that was on the screen when the key went down.

QUIZWRITER_KEYS says how many keys are pressed, ``--log-cli-level=INFO`` shows what was counted.
"""

from __future__ import annotations

import logging
import os
import random
import time
from contextlib import contextmanager
from threading import Event, Thread, active_count

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, GameFormat, Phase, PlayedBy, Said, Seat
from quizwriter.services.match import GameChoices, Match, MatchTossup
from quizwriter.services.room_lines import RoomBuzzed, RoomGuests
from quizwriter.services.rooms import RoomHost
from tests.helpers.patience import until
from tests.helpers.room_client import RoomProcess
from tests.services.test_playtests import saved

KEYS = int(os.environ.get("QUIZWRITER_KEYS", "15"))
WORDS_A_MINUTE = 300
log = logging.getLogger(__name__)

WATCH = """
globalThis.frames = [];
globalThis.pressed = 0;
const text = document.getElementById("text");
const look = () => {
  frames.push([performance.now(), text.textContent.split(" ").length - 1]);
  requestAnimationFrame(look);
};
look();
addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
"""
"""Notes how many words each frame shows, and when the system saw the key."""

BEGIN = f"""
playtest.game = null;
playtest.kept.games = [];
playtest.kept.speed = {WORDS_A_MINUTE};
frames.length = 0;
playtest.begin();
"""
SEEN = "return frames.filter(([at]) => at <= pressed).at(-1)?.[1] ?? 0;"


def test_the_page_keeps_the_word_that_was_on_the_screen(browser, app, tmp_path):
    words = " ".join(f"word{at}" for at in range(40))
    saved(app, "a", Tossup(f"{words}. For 10 points, name it.", Answer("eel")))
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    draw = random.Random(5)
    found = []
    browser.open(file)
    browser.click("begin")
    browser.run(WATCH)
    for _ in range(KEYS):
        browser.run(BEGIN)
        time.sleep(draw.uniform(0.3, 1.0))
        browser.press(" ")
        found.append((browser.run("return playtest.game.buzz.word"), browser.run(SEEN)))
    check(type(browser).__name__, found)


def test_a_room_keeps_the_word_that_was_on_the_screen(browser, tmp_path):
    words = " ".join(f"word{at}" for at in range(40))
    tossup = MatchTossup("t", Tossup(f"{words}. For 10 points, name it.", Answer("eel")))
    untimed = GameFormat("Untimed", answer_ms=0, end_ms=0)
    match = Match("k", [tossup] * (KEYS + 1), untimed, (), lambda: 0, PlayedBy.ROOM)
    process = RoomProcess()
    host = RoomHost(match, process.send)
    host.opening("127.0.0.1", "012345", "Spring", tmp_path / "k.jsonl")
    draw = random.Random(5)
    found, late = [], []  # the room's own word, marked, is kept where a screen was too far behind
    try:
        browser.open(f"http://127.0.0.1:{process.opened()}/#012345")
        browser.run("document.getElementById('name').focus()")
        browser.press("Ben\ue007")
        host.take(process.report(RoomGuests, lambda report: report.guests))
        browser.run(WATCH)
        for _ in range(KEYS):
            browser.run("frames.length = 0")
            host.begin()
            with being_read(match):
                until(
                    lambda: browser.run(
                        "return room.number === arguments[0] && room.mayBuzz && room.onScreen > 0",
                        match.number,
                    )
                )
                time.sleep(draw.uniform(0.1, 0.8))
                browser.press(" ")
                buzz = process.report(RoomBuzzed)
            host.take(buzz)
            told = browser.run(SEEN)
            (late if buzz.marked else found).append((buzz.word, told))
            match.game.judge(Said.REJECT)
            match.game.end()
            match.next()
    finally:
        process.close()
    log.info("marked, the word kept and the word seen: %s", late)
    assert len(late) <= max(1, KEYS / 20)
    assert all(seen < kept for kept, seen in late)
    check(f"room in {type(browser).__name__}", found)


@contextmanager
def being_read(match):
    """Another thread reads a word each 200 ms; none is left behind, whatever happens."""
    over = Event()

    def read():
        while not over.wait(60 / WORDS_A_MINUTE) and match.state.word < len(match.current.tossup.words):
            match.game.read(match.state.word + 1)

    reading = Thread(target=read)
    reading.start()
    try:
        yield
    finally:
        over.set()
        reading.join()


def test_nobody_reads_on_after_a_failure_and_no_wait_is_endless():
    tossup = MatchTossup("t", Tossup("One two three four. Name it.", Answer("eel")))
    match = Match("k", [tossup], GameFormat("Untimed"), (), lambda: 0)
    before = active_count()
    with pytest.raises(AssertionError, match="it did not come"), being_read(match):
        until(lambda: False, seconds=0.5)
    assert match.state.word > 0
    assert active_count() <= before


def check(face, found):
    """The word that was kept is never off by more than one from the word that was seen."""
    off = [abs(kept - seen) for kept, seen in found]
    counts = off.count(0), off.count(1), sum(one > 1 for one in off)
    log.info("%s: %d keys, the kept word is off by 0, by 1, by more: %s", face, KEYS, counts)
    assert max(off) <= 1
    assert len({kept for kept, _ in found}) > 1


class Watch(QObject):
    """Notes how many words the window showed at each painting, and presses a key from another thread."""

    pressed = Signal()

    def __init__(self, game):
        super().__init__()
        self._game, self.times, self.pressed_at = game, [], 0.0
        game.text.viewport().installEventFilter(self)
        self.pressed.connect(self._press)

    def wait_and_press(self, seconds):
        """As keys come: while the window is busy with something else."""
        time.sleep(seconds)
        self.pressed_at = time.perf_counter()
        self.pressed.emit()

    def _press(self):
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Space, Qt.KeyboardModifier.NoModifier, " ")
        QCoreApplication.sendEvent(self._game, key)

    @property
    def seen(self):
        """The words of the last painting before the key."""
        return max((one for one in self.times if one[0] <= self.pressed_at), default=(0, 0))[1]

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.times.append((time.perf_counter(), len(self._game.text.toPlainText().split())))
        return False


def test_the_window_keeps_the_word_that_was_on_the_screen(qtbot, app, window):
    words = " ".join(f"word{at}" for at in range(40))
    tossup = MatchTossup("t", Tossup(f"{words}. For 10 points, name it.", Answer("eel")))
    saved(app, "t", tossup.tossup)  # the last game may be kept
    untimed = GameFormat("Untimed", answer_ms=0, end_ms=0)
    match = Match("w", [tossup] * (KEYS + 1), untimed, (Seat("Ada"),), app.games.clock)
    game = window.games.play(match, (), GameChoices(WORDS_A_MINUTE))
    watch = Watch(game)
    draw = random.Random(5)
    found = []

    for _ in range(KEYS):
        thread = Thread(target=watch.wait_and_press, args=(draw.uniform(0.3, 1.0),))
        thread.start()
        qtbot.waitUntil(lambda: match.state.phase is Phase.ANSWERING)
        thread.join()
        found.append((match.state.buzzes[0].word, watch.seen))
        watch.times.clear()
        match.game.judge(Said.REJECT)
        match.game.end()
        match.next()
        game._begin()
    check("window", found)
