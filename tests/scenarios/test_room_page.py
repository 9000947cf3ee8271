"""The page of a room in a real browser: what a player typed is nobody's to take."""

from __future__ import annotations

import time

import pytest

from quizwriter.domain.tossup_game import Ruling
from quizwriter.services.room_lines import RoomAnswered, RoomAsked, RoomBuzzed, RoomGuests
from quizwriter.services.rooms import read_log
from tests.helpers.patience import until
from tests.helpers.room_client import RoomProcess
from tests.services.test_rooms import CODE, OpenRoom, told


class PlayedOnThePage:
    """A room whose one phone is a real browser."""

    def __init__(self, browser, folder):
        self.browser, self.room = browser, OpenRoom(folder, RoomProcess)
        self.room.host.adviser = "IR"
        browser.open(f"http://127.0.0.1:{self.room.port}/#{CODE}")
        browser.run("document.getElementById('name').focus()")
        browser.press("Ben\ue007")
        self.room.take(RoomGuests)
        self.room.host.begin()

    def buzz(self, words):
        self.room.read(words)
        self.until("room.mayBuzz && room.onScreen > 0")
        self.browser.press(" ")
        self.room.take(RoomBuzzed)
        self.until("!document.getElementById('answering').hidden")

    def advise(self, page):
        self.browser.click("ask")
        self.room.take(RoomAsked)
        self.room.match.advise("ir", page, 0.9)
        self.room.host.tell_advice()
        self.until("room.advice !== null")

    def until(self, true):
        until(lambda: self.browser.run(f"return {true}"), true)

    @property
    def shown(self):
        """What is in the field, and on the button that asks."""
        return self.browser.run(
            "return [document.getElementById('answer').value, document.getElementById('ask').textContent]"
        )


@pytest.fixture
def page(browser, tmp_path):
    one = PlayedOnThePage(browser, tmp_path)
    yield one
    one.room.close()


def test_a_guess_that_is_taken_gives_back_what_was_typed(page):
    page.buzz(3)
    assert page.shown == ["", "Ask IR"]
    page.browser.press("lamprey")
    page.advise("Moray_eel")
    assert page.shown == ["lamprey", "Take “Moray eel”"]
    page.until("document.getElementById('advice').textContent === 'IR: Moray eel, 90 %.'")
    page.browser.click("ask")
    assert page.shown == ["Moray eel", "Back to “lamprey”"]
    page.browser.click("ask")
    assert page.shown == ["lamprey", "Take “Moray eel”"]
    page.browser.click("ask")
    page.browser.press("s")
    assert page.shown == ["Moray eels", "Take “Moray eel”"]
    page.browser.click("ask")
    page.browser.press("\ue007")
    page.room.take(RoomAnswered)
    assert page.room.match.state.buzzes[0].answers == ("Moray eel",)
    assert page.room.match.ruling.advice[0].taken


def test_what_was_typed_too_late_is_not_the_next_answer(page):
    page.buzz(3)
    page.browser.press("lamprey")
    page.room.match.undo()
    page.until("document.getElementById('answering').hidden")
    page.buzz(1)
    assert page.shown == ["", "Ask IR"]


def test_a_double_press_does_not_answer_a_prompt(page):
    page.buzz(3)
    page.browser.press("fish")
    page.browser.run(
        """
        const form = document.getElementById("answering"), send = room.send;
        window.sent = [];
        room.send = function (message) { sent.push(message); send.call(this, message) };
        form.requestSubmit();
        form.requestSubmit();
        """
    )
    page.room.take(RoomAnswered)
    page.until("room.view.phase === 'prompted'")
    assert page.browser.run("return room.presses.answered > 0")
    # as if that was right now, however long the prompt took
    page.browser.run(
        "room.presses.answered = performance.now(); document.getElementById('answering').requestSubmit()"
    )
    assert page.browser.run("return sent") == [{"answer": "fish"}]
    page.browser.run("room.presses.answered = -1000")  # and as if it was long ago
    page.browser.press("\ue007")  # who knows no more says so
    page.until("sent.length === 2")


def test_the_seconds_that_are_left_are_in_sight_until_the_answer(page):
    # all that was shown: a second may be over when this asks for what is shown
    page.browser.run(
        """
        const left = document.getElementById("left");
        globalThis.shown = [];
        new MutationObserver(() => shown.push(left.textContent)).observe(left, { childList: true });
        """
    )
    page.buzz(3)
    page.until("shown.some((one) => /^(9|10) s$/.test(one)) && shown.some((one) => /^[1-8] s$/.test(one))")
    page.room.host.pause(paused=True)
    page.until("shown.at(-1) === ''")
    page.browser.run("shown.length = 0")
    page.room.host.pause(paused=False)
    page.until("shown.includes('10 s')")  # the host's clock, which nobody moved
    page.browser.press("carp\ue007")
    page.room.take(RoomAnswered)
    page.until("shown.at(-1) === ''")


def test_a_phone_that_was_locked_says_what_is_on_its_screen_once(page):
    page.buzz(3)
    page.browser.run("window.sent = []; room.send = (message) => sent.push(message)")
    page.browser.run("for (let at = 0; at < 90; at++) room.take({ words: ['eel'], from: at })")
    page.until("sent.length > 0")
    assert page.browser.run("return sent") == [{"ack": 90}]


def test_what_is_needed_is_in_sight_below_a_long_text(page):
    def in_sight(name):
        return f"document.getElementById('{name}').getBoundingClientRect().bottom <= innerHeight + 1"

    page.browser.run("document.getElementById('text').style.minHeight = '200vh'")
    page.room.read(3)
    page.until(f"room.onScreen === 3 && {in_sight('buzz')}")
    page.browser.run("scrollTo(0, 0); dispatchEvent(new Event('resize'))")
    page.until(in_sight("buzz"))
    page.buzz(1)
    page.until(f"/^\\d+ s$/.test(document.getElementById('left').textContent) && {in_sight('answering')}")


def test_a_name_of_one_long_word_is_whole_on_the_page(page):
    page.room.read(3)
    page.until("room.onScreen === 3")
    page.browser.run("room.name = 'W'.repeat(40); room.show()")
    place = "document.getElementById('place')"
    assert page.browser.run(f"return {place}.scrollWidth <= {place}.clientWidth + 1")
    assert page.browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_advice_is_gone_with_the_connection_and_another_answers(page):
    advice = "document.getElementById('advice').textContent"
    cem, _ = page.room.phone("Cem")
    page.room.host.begin()
    page.buzz(3)
    page.advise("Moray_eel")
    page.until(f"{advice} === 'IR: Moray eel, 90 %.'")
    page.browser.run("room.socket.close(); room.closed(0); clearTimeout(room.again)")
    assert page.browser.run(f"return {advice}") == ""
    told(cem, "answering")  # what it was told before also lets it buzz
    page.room.match.undo()
    cem.hear(lambda got: 1 in got.get("view", {}).get("may", ()))
    cem.say({"buzz": True, "number": 1})
    page.room.take(RoomBuzzed)
    page.browser.run("room.open()")
    page.until("room.view !== null && room.view.seat === 1")
    assert page.browser.run(f"return {advice}") == ""


def test_a_phone_is_back_in_its_seat_when_the_host_was_killed_and_opens_the_room_again(page, tmp_path):
    page.browser.run("delete AbortSignal.timeout")  # as on older phones
    page.buzz(3)
    page.browser.press("lamp")
    page.room.process.process.stdin.close()  # as it is when the window is killed
    page.room.process.process.wait(20)
    said = "document.getElementById('said').textContent"
    page.until(f"{said}.startsWith('The host closed the room.')")
    time.sleep(3)  # in vain: what was asked for meanwhile is refused
    assert page.browser.run(f"return {said}").startswith("The host closed the room.")
    page.room.close()
    log = read_log(page.room.journal)
    page.room = OpenRoom(tmp_path, RoomProcess, before=log.opening)
    page.room.match.go_on([one for _, one in log.played], 1, 0, Ruling())
    began = time.monotonic()
    while not any(one.here for one in page.room.host.guests):
        page.room.take(RoomGuests)
    assert time.monotonic() - began < 20
    page.room.host.begin()
    page.room.host.pause(paused=False)
    page.until("room.view?.phase === 'answering' && !document.getElementById('answering').hidden")
    assert page.browser.run("return [room.seat, room.words]") == [0, 3]
    page.browser.press("rey\ue007")
    page.room.take(RoomAnswered)
    assert page.room.match.state.buzzes[0].answers == ("lamprey",)
