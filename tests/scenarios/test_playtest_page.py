"""The page of playtesters in a real browser: from the file that is sent to the games that come back."""

from __future__ import annotations

import time

import msgspec

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS
from tests.helpers.patience import PATIENCE_S, until
from tests.judging.test_verdict_table import check_published_cases, check_shared_lines
from tests.services.test_playtests import EELS, HOSTILE_TEXTS, saved


def text(browser, name):
    return browser.run("return document.getElementById(arguments[0]).textContent", name)


def test_a_packet_is_played_by_keys_left_gone_on_with_and_received(browser, app, tmp_path):
    for key in "abc":
        saved(app, key)
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["mACF"], "Spring")
    browser.open(file)
    browser.run("document.getElementById('name').focus()")
    browser.run("playtest.kept.speed = 500")
    browser.press("Ben\ue007")
    until(lambda: browser.run("return playtest.game.word") >= 3)
    browser.press(" ")
    word = browser.run("return playtest.game.buzz.word")
    assert text(browser, "text").split() == EELS.heard_text.split()[:word]
    browser.press("fish\ue007")
    assert text(browser, "said") == "Prompt: what kind of fish?"
    browser.open(file)  # closed and opened again
    assert text(browser, "begin") == "Continue"
    browser.click("begin")
    assert text(browser, "said") == "Prompt: what kind of fish?"
    browser.run(
        "localStorage.setItem(playtest.storeName, JSON.stringify({ ...playtest.kept, tab: 'other' }))"
    )
    browser.run("document.querySelector('#answering button').click()")
    assert text(browser, "elsewhere").startswith("This playtest was opened again")
    browser.click("begin")
    browser.run("document.getElementById('answer').focus()")
    browser.press("eel\ue007")
    assert text(browser, "said") == "Right, provisionally."
    assert "ANSWER: eels" in text(browser, "line")
    browser.click("next")
    until(lambda: browser.run("return playtest.game.word") >= 2)
    browser.press(" ")
    browser.press("carp\ue007")
    assert text(browser, "said") == "Not right, provisionally."
    browser.run("playtest.kept.speed = 1")
    assert browser.run("return document.activeElement.id") == "on"
    browser.click("on")
    browser.run("while (playtest.game.phase === 'reading') playtest.read()")
    assert text(browser, "said") == "Not right, provisionally."  # nobody waits for a buzz that cannot come
    assert browser.run("return document.activeElement.id") == "next"
    browser.click("claim")
    assert text(browser, "said") == "Right, provisionally."
    browser.click("next")  # not a word of the last one is read
    browser.click("end")
    browser.click("next")
    assert "points" in text(browser, "score")
    browser.click("show")
    raw = browser.run("return document.getElementById('paste').value")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    found = app.playtests.understand(raw)
    assert (found.name, len(found.games)) == ("Ben", 2)
    (note,) = found.notes
    assert note.startswith("Tossup 2: “carp” of Ben after word ")
    assert note.endswith(" counted as right there; the judge says reject.")
    first = found.games[0][1].replay()
    assert (first.state.buzzes[0].word, first.state.buzzes[0].answers) == (word, ("fish", "eel"))


def test_a_pause_stops_the_clock(browser, app, tmp_path):
    saved(app)
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["mACF"], "Spring")
    browser.open(file)
    browser.run("playtest.ms = 0; playtest.clock = () => playtest.ms")
    browser.run("playtest.kept.speed = 1")
    browser.click("begin")
    browser.run("while (playtest.game.word < playtest.tossup.words) playtest.read()")
    until(lambda: text(browser, "left") == "5 s")
    browser.run("playtest.ms = 3000")
    until(lambda: text(browser, "left") == "2 s")
    browser.click("pause")
    assert text(browser, "left") == ""
    browser.run("playtest.focus()")
    assert browser.run("return document.activeElement.id") == "pause"
    browser.run("playtest.ms = 60000")
    browser.click("pause")
    until(lambda: text(browser, "left") == "2 s")
    browser.run("playtest.ms = 61900")
    browser.run("document.getElementById('buzz').click()")
    browser.press("eel\ue007")
    browser.click("show")
    raw = browser.run("return document.getElementById('paste').value")
    ((_, played),) = app.playtests.understand(raw).games
    assert [move.at_ms for move in played.moves if move.kind == "buzz"] == [4900]


PRESSED = """
    const enter = (target, values) => {
      const keys = { key: "Enter", bubbles: true, cancelable: true, ...values };
      return target.dispatchEvent(new KeyboardEvent("keydown", keys)); // false: nothing follows from it
    };
    """


def test_a_double_press_neither_answers_a_prompt_nor_goes_on(browser, app, tmp_path):
    saved(app, "a")
    saved(app, "b")
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    browser.open(file)
    browser.run("playtest.kept.speed = 1")
    browser.click("begin")
    browser.run("playtest.read(); playtest.buzz(); document.getElementById('answer').value = 'fish'")
    twice = "const form = document.getElementById('answering'); form.requestSubmit(); form.requestSubmit()"
    browser.run(twice)
    assert browser.run("return playtest.game.phase") == "prompted"
    field = "document.getElementById('answer')"
    assert browser.run(f"{PRESSED} return enter({field}, {{ repeat: true }})") is False
    assert browser.run(f"{PRESSED} return enter({field}, {{}})") is True
    next_by_enter = "document.getElementById('next').click()"
    # in one go: the time between them is that of a double press
    browser.run(
        f"{field}.value = 'eel'; document.getElementById('answering').requestSubmit(); {next_by_enter}"
    )
    assert browser.run("return [playtest.game.phase, playtest.kept.number]") == ["over", 1]
    browser.run(f"playtest.presses.answered = -1000; {next_by_enter}")  # as if that was long ago
    assert browser.run("return playtest.kept.number") == 2


def test_nothing_is_read_while_nobody_sees_the_page(browser, app, tmp_path):
    saved(app, "a")
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    leave = """
        Object.defineProperty(document, "hidden", { value: true, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
        """
    browser.open(file)
    browser.run("playtest.kept.speed = 500")
    browser.click("begin")
    # in one go, or it might have been read to its end
    until(lambda: browser.run(f"if (playtest.game.word < 2) return false; {leave} return true"))
    word = browser.run("return playtest.game.word")
    time.sleep(0.5)
    assert browser.run("return playtest.game.word") == word
    assert text(browser, "pause") == "Continue"
    browser.click("pause")
    until(lambda: browser.run("return playtest.game.word") > word)
    browser.run(f"playtest.buzz(); {leave}")
    assert not browser.run("return playtest.paused")  # the time for an answer goes on


def test_a_browser_whose_storage_is_full_plays_on_and_says_so(browser, app, tmp_path):
    saved(app)
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    browser.open(file)
    browser.click("begin")
    browser.open(file)  # what was kept is of another tab
    browser.run("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }")
    browser.run("playtest.kept.speed = 1")
    browser.click("begin")
    assert text(browser, "unkept").startswith("This browser keeps nothing")
    browser.run("playtest.read(); playtest.read(); document.getElementById('buzz').click()")
    browser.press("eel\ue007")
    assert text(browser, "said") == "Right, provisionally."
    browser.run("playtest.clock = () => 0")  # and the computer's clock goes back
    browser.click("next")
    browser.click("show")
    raw = browser.run("return document.getElementById('paste').value")
    (game,) = app.playtests.understand(raw).games
    assert game[1].replay().state.buzzes[0].answers == ("eel",)


def test_remarks_on_the_tossup_on_the_screen_are_in_the_results_and_outlive_the_page(browser, app, tmp_path):
    saved(app)
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    browser.open(file)
    browser.run("playtest.kept.speed = 1")
    browser.click("begin")
    browser.run("playtest.read(); playtest.end(); document.getElementsByName('felt')[2].click()")
    browser.run("document.getElementById('comment').focus()")
    browser.press("My long remark")
    browser.click("show")
    raw = browser.run("return document.getElementById('paste').value")
    browser.run("document.getElementById('unfair').focus()")
    browser.press("No verb")
    assert browser.run("return document.getElementById('paste').hidden")  # it has an older text
    browser.open(file)
    browser.click("begin")
    assert browser.run("return document.getElementById('unfair').value") == "No verb"
    ((_, remark, _),) = app.playtests.understand(raw).remarks
    assert remark == "After a game, as a playtester: Too hard. My long remark."


def test_a_tab_that_reads_on_leaves_what_another_keeps(browser, app, tmp_path):
    saved(app)
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    browser.open(file)
    browser.run("playtest.kept.speed = 1")
    browser.click("begin")
    browser.run("playtest.read(); playtest.buzz(); playtest.answer('carp'); playtest.readOn()")
    kept, found = browser.run(
        """
        const kept = JSON.stringify({ ...playtest.kept, name: "Cem", tab: "other" });
        localStorage.setItem(playtest.storeName, kept);
        while (playtest.game?.phase === "reading") playtest.read();
        return [kept, localStorage.getItem(playtest.storeName)];
        """
    )
    assert found == kept
    assert text(browser, "elsewhere").startswith("This playtest was opened again")


def test_no_hostile_text_runs_and_nothing_is_fetched(browser, app, tmp_path):
    for number in range(200):
        hostile = HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]
        saved(app, f"t{number:03}", Tossup(f"This {hostile} fish {number}.", Answer(f"eel {hostile}")))
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], HOSTILE_TEXTS[3])
    began = time.monotonic()
    browser.open(file)
    assert time.monotonic() - began < PATIENCE_S
    browser.run(
        """
        globalThis.ran = 0; globalThis.alert = () => { ran += 1 };
        document.getElementById("name").value = arguments[0];
        document.getElementById("begin").click();
        for (let at = 0; at < 200; at++) {
          document.getElementById("end").click();
          document.getElementById("comment").value = arguments[0];
          document.getElementById("next").click();
        }
        document.getElementById("show").click();
        """,
        HOSTILE_TEXTS[3],
    )
    state = browser.run(
        """
        return [ran, playtest.kept.number, document.querySelectorAll("img, svg, iframe, script").length,
                performance.getEntriesByType("resource").length]
        """
    )
    assert state == [0, 201, 2, 0]


def test_each_browser_judges_as_the_judge_does(browser, app, tmp_path):
    saved(app, "a")
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    judge = """
        const matcher = (table) => new playtest.matcher.constructor(playtest.words, table);
        return arguments[0].map(({ table, typed }) => typed.map((one) => matcher(table).judge(one, 1e6)));
        """
    browser.open(file)
    browser.click("begin")

    def judged(tables):
        for at in range(0, len(tables), 50):
            rows = msgspec.to_builtins(tables[at : at + 50])
            yield from browser.run(judge, rows)

    check_published_cases(judged, every=6)  # Node judges all
    check_shared_lines(judged, lines=50)


def test_twice_as_large_on_a_phone_nothing_is_cut_and_the_newest_word_is_seen(browser, app, tmp_path):
    saved(app, "a", Tossup(f"{'This fish swims far upstream. ' * 24}Name it.", Answer("eel")))
    file = tmp_path / "page.html"
    app.playtests.send(file, app.games.tossups_of("Spring"), FORMATS["ACF"], "Spring")
    browser.open(file)
    browser.run("document.documentElement.style.fontSize = '200%'; playtest.kept.speed = 1")

    def in_sight(name):
        place = "document.getElementById(arguments[0]).getBoundingClientRect()"
        top, bottom, height = browser.run(f"return [{place}.top, {place}.bottom, innerHeight]", name)
        assert -1 <= top < bottom <= height + 1

    read = "for (let at = 0; at < 60; at++) playtest.read()"
    buzz = "playtest.buzz(); playtest.answer('carp')"
    rest = "while (playtest.game.phase === 'reading') playtest.read()"
    for step, seen in (
        ("begin", "buzz"), (read, "buzz"), (buzz, "said"), ("on", "pause"), (read, "pause"),
        (rest, "said"),
    ):  # fmt: skip
        browser.run(step) if "(" in step else browser.click(step)
        in_sight(seen)
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    in_sight("line")
    browser.click("next")
    assert browser.run("return innerWidth") == 390
