"""What a screen reader gets from the window: names, roles, states, and what changes while one writes."""

import contextlib
import re
import subprocess
import sys

import pytest

from tests.helpers.shared_data import not_here

pytest.importorskip("jeepney", reason="AT-SPI is the protocol of Linux desktops.")
from tests.helpers.screen_reader import ScreenReader, desktop, missing


class Desk:
    """The window on a display of its own, with a screen reader that looks at it."""

    def __init__(self, reader, process):
        self.reader, self._process = reader, process
        self.app = reader.application()

    def tell(self, *commands):
        """Have the program do ``commands``, as a user does."""
        for command in commands:
            self._process.stdin.write(f"{command}\n")

    def find(self, role, name, *, exact=True):
        """The first thing on the screen with this role and name."""
        return self.reader.find(self.app, role, name, exact=exact)


@pytest.fixture(scope="module")
def desk(tmp_path_factory, starter):
    """The window with the example set open."""
    if reason := missing():
        not_here(reason)
    folder = tmp_path_factory.mktemp("desk")
    (folder / "data").mkdir()
    with contextlib.ExitStack() as stack:
        env = stack.enter_context(desktop(folder))
        reader = stack.enter_context(contextlib.closing(ScreenReader(env["DBUS_SESSION_BUS_ADDRESS"])))
        command = [sys.executable, "-m", "tests.scenarios.screen_reader_desk", folder / "data", starter]
        log = stack.enter_context((folder / "log").open("w"))
        process = stack.enter_context(
            subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stderr=log, text=True, bufsize=1)
        )
        stack.callback(process.kill)  # should it not have closed
        made = Desk(reader, process)
        made.find("push button", "New tossup")
        made.tell("action example-set")
        made.find("push button", "1, James Clerk Maxwell", exact=False)
        yield made
        made.tell("quit")
        process.wait(60)


def test_the_parts_of_the_window_have_names_and_roles(desk):
    found = {(role, name) for _, name, role in desk.reader.showing(desk.app)}

    assert {
        ("text", "Draft"),
        ("text", "Answer"),
        ("text", "Search tossups"),
        ("list", "Tossups"),
        ("button menu", "Status: Draft"),
        ("push button", "One word back"),
        ("page tab", "Evidence"),
        ("menu item", "Help"),
    } <= found


def test_nothing_that_takes_the_keyboard_is_without_a_name(desk):
    def nameless():
        """Again, should something go away while it is asked for its states."""
        return [
            (role, one)
            for one, name, role in desk.reader.showing(desk.app)
            if not name and "focusable" in desk.reader.states(one)
        ]

    assert desk.reader.wait(nameless, "the parts of the window") == []


def test_the_draft_is_a_text_that_can_be_edited(desk):
    draft = desk.find("text", "Draft")
    desk.tell("focus draft")
    desk.reader.wait(lambda: "focused" in desk.reader.states(draft) or None, "the keyboard in the draft")

    assert {"editable", "multi line", "focusable", "focused", "showing"} <= desk.reader.states(draft)
    assert desk.reader.text(draft).startswith("High mountains on Venus")


def test_what_is_typed_is_heard(desk):
    draft = desk.find("text", "Draft")
    desk.tell("focus draft")
    inserted = desk.reader.heard(
        lambda one: one.element == draft and one.kind == "TextChanged" and one.detail == "insert",
        "a letter that is typed",
        do=lambda: desk.tell("type Q"),
    )
    assert inserted.value == "Q"
    moved = desk.reader.heard(
        lambda one: one.element == draft and one.kind == "TextCaretMoved" and one.value == 2,
        "the cursor behind the second letter",
        do=lambda: desk.tell("type z"),
    )
    assert moved.value == desk.reader.caret(draft)
    assert desk.reader.text(draft).startswith("Qz")


def test_a_guess_is_a_button_with_its_rank_its_title_and_its_chance(desk):
    guess = desk.find("push button", "1, James Clerk Maxwell", exact=False)

    assert desk.reader.name(guess).endswith("your answer")
    assert "focusable" in desk.reader.states(guess)
    assert desk.reader.description(guess).startswith("Show the evidence for James Clerk Maxwell")


def test_each_lane_says_what_it_shows(desk):
    line = next(one for one, name, _ in desk.reader.showing(desk.app) if name == "Time line")

    def said():
        """What the lane of the line says: lanes are made anew while players play."""
        lanes = map(desk.reader.name, desk.reader.children(line))
        return next((name for name in lanes if name.startswith("IR, first right at word")), None)

    assert "buzzes at word" in desk.reader.wait(said, "the lane of IR")
    assert "words" in desk.reader.description(line)


def test_another_tossup_changes_guesses_and_lanes_to_the_ear(desk):
    changed = desk.reader.heard(
        lambda one: (
            one.kind == "PropertyChange"
            and one.detail == "accessible-name"
            and str(one.value).startswith("1, ")
        ),
        "another first guess",
        do=lambda: desk.tell("action new", "type Cio-Cio-San waits for Pinkerton in this opera by Puccini."),
    )
    assert changed.value.startswith("1, ")
    lane = desk.find("label", "IR, buzzes", exact=False)
    assert desk.reader.name(lane)


def test_a_step_along_the_words_is_announced(desk):
    desk.tell("focus time_line")
    said = desk.reader.heard(
        lambda one: one.kind == "Announcement", "a step along the time line", do=lambda: desk.tell("key Left")
    )

    assert str(said.value).startswith("Word ")
    assert "IR: " in str(said.value)


def test_tab_goes_from_part_to_part(desk):
    """From the answer over its status and the draft to the time line, as they stand on the screen."""
    desk.tell("focus draft", "action go-answer")
    names = ["Answer"]
    answer = desk.find("text", "Answer")
    desk.reader.wait(lambda: "focused" in desk.reader.states(answer) or None, "the keyboard in the answer")
    for wanted in ("Status: Draft", "Draft", "Time line"):
        one = next(one for one, name, _ in desk.reader.showing(desk.app) if name == wanted)
        desk.tell("key Tab")
        desk.reader.wait(
            lambda one=one: "focused" in desk.reader.states(one) or None, f"the keyboard in {wanted}"
        )
        names.append(wanted)

    assert names == ["Answer", "Status: Draft", "Draft", "Time line"]


def test_problems_are_counted_listed_and_stepped_through(desk):
    reader = desk.reader
    counted = reader.heard(
        lambda one: (
            one.kind == "PropertyChange"
            and one.detail == "accessible-name"
            and re.fullmatch(r"[1-9]\d* problems", str(one.value))
        ),
        "another number of problems",
        do=lambda: desk.tell("action new", "type This king sold the the eels . He did not."),
    )
    assert reader.role(counted.element) == "push button"

    desk.tell("focus draft", "action next-problem")
    tree = desk.find("tree", "Problems of the draft")

    def listed():
        """Whether there is a row for each that is counted now: both follow the keys."""
        return len(reader.children(tree)) >= int(reader.name(counted.element).split()[0]) or None

    reader.wait(listed, "the rows of the list")
    wanted = "Repeated words: “the” is repeated."

    def current():
        """The row that is selected now: the list is filled again when a slower check adds to it."""
        return next(
            (reader.name(row) for row in reader.children(tree) if "selected" in reader.states(row)), None
        )

    def reached():
        """Whether that problem is the current one; if not, the next one becomes it."""
        if current() == wanted:
            return True
        desk.tell("action next-problem")
        return None

    reader.wait(reached, "that problem to be the current one")
    assert "focused" in reader.states(desk.find("text", "Draft")), "the keyboard stays in the draft"
    desk.tell("action toggle-problems")


def test_past_questions_are_a_list_with_a_name(desk):
    reader = desk.reader
    desk.tell("action example-set", "action go-past")
    clues = desk.find("list", "Clues of past questions")
    reader.wait(lambda: reader.children(clues) or None, "the clues")
    desk.tell("press Questions")
    questions = desk.find("list", "Past questions")

    def listed():
        return {(reader.role(row), reader.name(row)) for row in reader.children(questions)} or None

    rows = reader.wait(listed, "the questions")
    assert {role for role, _ in rows} == {"list item"}
    assert all("QuizWriter starter set" in name for _, name in rows)
    assert desk.find("page tab", "Past questions", exact=False)
    assert desk.find("text", "Find in the past questions on this answer")
    reader.wait(lambda: "focused" in reader.states(questions) or None, "the keyboard in the list")
    desk.tell("action go-evidence")


def test_the_search_of_actions_is_heard_and_gives_the_keyboard_back(desk):
    reader = desk.reader
    draft = desk.find("text", "Draft")
    desk.tell("focus draft")
    reader.wait(lambda: "focused" in reader.states(draft) or None, "the keyboard in the draft")
    desk.tell("action search-actions")
    line = desk.find("text", "Search actions")
    reader.wait(lambda: "focused" in reader.states(line) or None, "the keyboard in the search")
    listed = desk.find("list", "Actions found")
    assert len(reader.children(listed)) > 50
    desk.tell("write gloss")
    found = reader.wait(
        lambda: rows if len(rows := reader.children(listed)) == 1 else None, "one action that fits"
    )
    assert reader.name(found[0]).strip() == "Glossary"
    assert "selected" in reader.states(found[0])

    desk.tell("key Esc")
    reader.wait(lambda: "focused" in reader.states(draft) or None, "the keyboard in the draft again")
