"""Your own packets in the window: added, reported on and removed, and nobody waits."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QGuiApplication

from quizwriter.domain.evidence import Evidence, Passage
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from tests.helpers.fakes import FakeEngine
from tests.helpers.windows import app_of, put_back


@pytest.fixture(scope="module")
def opened(open_shared):
    return open_shared()


@pytest.fixture
def window(opened, qtbot):
    window = put_back(opened, qtbot)
    first, used = app_of(window).load(), window.analysis.engine
    if (first.digest, first.folder, first.troubles) != (used.digest, used.folder, used.troubles):
        with qtbot.waitSignal(window.analysis_runner.loaded):
            window.engines._load_with(lambda: first)
    return window


@pytest.fixture
def app(window):
    return app_of(window)


@pytest.fixture
def shown(window, qtbot):
    """A window with the dialog open, and nothing going on."""
    window.engines.open_packets()
    qtbot.waitUntil(lambda: idle(window.engines.packets))
    return window


def idle(dialog):
    return not dialog.busy


def titles(dialog):
    return [dialog.list.topLevelItem(row).text(0) for row in range(dialog.list.topLevelItemCount())]


def test_the_menu_opens_the_dialog_which_says_that_nothing_was_added(window, qtbot):
    window.menus.actions["packets"].trigger()
    qtbot.waitUntil(lambda: idle(window.engines.packets))

    assert window.engines.packets.isVisible()
    assert window.engines.packets.nothing.isVisible()
    assert not window.engines.packets.remove.isEnabled()


def test_added_packets_are_listed_with_what_was_not_read_and_the_engine_is_the_new_one(shown, qtbot):
    with qtbot.waitSignal(shown.analysis_runner.loaded):
        shown.engines.packets.add_requested.emit([Path("Winter Open"), Path("Spring Open")])
    qtbot.waitUntil(lambda: idle(shown.engines.packets))

    assert titles(shown.engines.packets) == ["Winter Open", "Spring Open"]
    assert shown.analysis.engine.digest == "fake+1"
    assert shown.engines.packets.chosen.title == "Spring Open"
    line = shown.engines.packets.report.topLevelItem(0)
    assert [line.text(place) for place in range(4)] == ["one.txt", "line 4", "no answer line", "This man …"]
    shown.engines.packets.copy.click()
    assert "one.txt, line 4: no answer line (“This man …”)" in QGuiApplication.clipboard().text()


def test_the_writer_types_while_packets_are_read(shown, app, qtbot):
    app.adding.clear()
    shown.engines.packets.add_requested.emit([Path("Winter Open")])
    qtbot.waitUntil(lambda: "Reading file 1 of 1" in shown.engines.packets.message.text())
    assert not shown.engines.packets.add_folder.isEnabled()

    shown.draft.setPlainText("Pinkerton rents a house in Nagasaki.")
    qtbot.waitUntil(lambda: shown.settled)  # the players are not held up either

    app.adding.set()
    qtbot.waitUntil(lambda: idle(shown.engines.packets))
    assert titles(shown.engines.packets) == ["Winter Open"]


def test_removed_packets_are_gone_and_the_engine_is_without_them(shown, qtbot):
    with qtbot.waitSignal(shown.analysis_runner.loaded):
        shown.engines.packets.add_requested.emit([Path("Winter Open")])
    qtbot.waitUntil(lambda: idle(shown.engines.packets))

    with qtbot.waitSignal(shown.analysis_runner.loaded):
        shown.engines.packets.remove.click()
    qtbot.waitUntil(lambda: idle(shown.engines.packets))

    assert titles(shown.engines.packets) == []
    assert shown.engines.packets.message.text() == "The packets were removed. Their files are untouched."
    assert shown.analysis.engine.digest == "fake"


def test_what_cannot_be_added_is_said_in_the_dialog_and_changes_nothing(shown, qtbot):
    shown.engines.packets.add_requested.emit([Path("missing")])
    qtbot.waitUntil(lambda: idle(shown.engines.packets))

    assert shown.engines.packets.message.text().startswith("There is no missing.")
    assert shown.analysis.engine.digest == "fake"


def test_a_dialog_closed_meanwhile_leaves_a_word_in_the_window(shown, app, qtbot):
    app.adding.clear()
    shown.engines.packets.add_requested.emit([Path("Winter Open")])
    shown.engines.packets.close()
    assert shown.engines.packets is None

    app.adding.set()
    qtbot.waitUntil(lambda: shown.analysis.engine.digest == "fake+1")
    qtbot.waitUntil(lambda: bool(shown.messages.text("packets")))


def test_what_could_not_be_read_is_said_beside_what_was_also_in_the_window(shown, app, qtbot, monkeypatch):
    add = app.add_packets

    def add_some(*given):
        (first, *others), engine = add(*given)
        return [replace(first, name=""), *others], engine

    monkeypatch.setattr(app, "add_packets", add_some)
    app.adding.clear()
    shown.engines.packets.add_requested.emit([Path("Winter Open"), Path("Spring Open")])
    shown.engines.packets.close()
    app.adding.set()
    said = "Your packets are in the evidence. Winter Open: nothing could be read, and nothing was added."
    qtbot.waitUntil(lambda: shown.messages.text("packets") == said)


def test_a_dialog_that_was_only_looked_at_leaves_no_word(shown, qtbot):
    shown.engines.packets.close()
    shown.engines.open_packets()
    shown.engines.packets.close()
    later = []
    shown.engines.jobs.ask(lambda _: "listed", later.append)
    qtbot.waitUntil(lambda: bool(later))
    assert not shown.messages.text("packets")


def test_another_bundle_closes_the_dialog_and_late_additions_do_not_bring_the_first_back(
    shown, app, qtbot, monkeypatch
):
    app.adding.clear()
    shown.engines.packets.add_requested.emit([Path("Winter Open")])
    other = FakeEngine(app.players, title="Other", folder=Path("other"))
    monkeypatch.setattr(app, "open_bundle", lambda path: other)
    with qtbot.waitSignal(shown.analysis_runner.loaded):
        shown.engines.use_bundle(Path("other"))
    assert shown.engines.packets is None

    app.adding.set()
    qtbot.waitUntil(lambda: bool(shown.messages.text("packets")))
    qtbot.wait(50)
    assert shown.analysis.engine is other


def test_without_a_bundle_there_is_nothing_to_add_to(open_window):
    window = open_window(start=False)
    window.engines.open_packets()

    assert window.engines.packets is None
    assert window.messages.text("packets")


def test_packets_that_had_to_be_skipped_are_said_in_the_window(window, app, qtbot):
    trouble = QuizwriterError("Of your packets, x is damaged.", "Remove it.")
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.engines._load_with(lambda: FakeEngine(app.players, troubles=(trouble,)))

    assert window.messages.text("user packets") == "Of your packets, x is damaged. Remove it."


def test_passages_of_yours_are_marked_in_the_evidence(window):
    passages = (
        Passage("Winter Open, packet 1, tossup 3", "A house in Nagasaki.", (Span(2, 7),), 0, yours=True),
        Passage("Opera notes", "Nagasaki again.", (Span(0, 8),), 0),
    )
    tossup = Tossup("A house in Nagasaki.")
    window.evidence.show_evidence(tossup, Evidence("ir", Page("Madama_Butterfly"), 2.0, (), passages))
    window.evidence._write()

    text = window.evidence.text.toPlainText().replace("\N{NO-BREAK SPACE}", " ")
    assert "yours  Winter Open, packet 1, tossup 3" in text
    assert text.count("yours") == 1


SAYS = """
import json, sys
for line in {lines!r}:
    print(json.dumps(line), flush=True)
sys.stdin.read() if {waits} else None
sys.exit({status})
"""


def program(*lines, waits=False, status=0):
    """A program that says ``lines``, and then waits to be stopped or ends with ``status``."""
    return [sys.executable, "-S", "-c", SAYS.format(lines=lines, waits=waits, status=status)]


@pytest.fixture
def with_packets(shown, qtbot):
    """The window with the dialog, in which packets are listed."""
    assert not shown.engines.packets.learn.isEnabled()
    shown.engines.packets.add_requested.emit([Path("Winter Open")])
    qtbot.waitUntil(lambda: idle(shown.engines.packets))
    return shown


def test_the_networks_learn_from_packets_and_that_is_taken_back(with_packets, app, qtbot):
    dialog = with_packets.engines.packets
    app.learning = program(
        {"player": "dan", "share": 0.5, "seconds_left": 3},
        {"note": "DAN learned from 2 texts of your packets."},
    )
    assert not dialog.unlearn.isEnabled()  # nothing has been learned yet
    dialog.learn.click()
    assert dialog.busy
    assert not dialog.add_folder.isEnabled()
    qtbot.waitUntil(lambda: idle(dialog))
    assert dialog.message.text() == "DAN learned from 2 texts of your packets."
    qtbot.waitUntil(lambda: with_packets.analysis.engine.digest == "fake+learnt")

    assert dialog.unlearn.isEnabled()
    dialog.unlearn.click()
    qtbot.waitUntil(lambda: idle(dialog))
    assert not dialog.unlearn.isEnabled()
    assert dialog.message.text() == "DAN plays as before your packets."
    qtbot.waitUntil(lambda: with_packets.analysis.engine.digest == "fake+unlearnt")


def test_the_learning_goes_on_while_its_window_is_closed_and_can_be_stopped(with_packets, app, qtbot):
    engines = with_packets.engines
    app.learning = program({"player": "rnn", "share": 0.25, "seconds_left": 60}, waits=True, status=130)
    engines.packets.learn.click()
    qtbot.waitUntil(lambda: "RNN" in engines.packets.message.text())
    engines.packets.close_button.click()
    assert engines.packets is None
    engines.open_packets()
    qtbot.waitUntil(lambda: engines.packets.list.topLevelItemCount() == 1)
    assert engines.packets.busy

    assert engines.packets.learn.text() == "&Stop learning"
    engines.packets.learn.click()
    qtbot.waitUntil(lambda: idle(engines.packets))
    assert "ended early" in engines.packets.message.text()
    assert engines.packets.learn.text() == "&Learn from my packets"


def test_why_nothing_was_learnt_is_said(with_packets, app, qtbot, monkeypatch):
    dialog = with_packets.engines.packets
    app.learning = program({"problem": "The bundle has no network.", "remedy": "Train it."}, status=1)
    dialog.learn.click()
    qtbot.waitUntil(lambda: idle(dialog))
    assert dialog.message.text() == "The bundle has no network. Train it."

    def missing(bundle):
        raise QuizwriterError("The training of players needs PyTorch.", "Install it.")

    monkeypatch.setattr(app, "learning_command", missing)
    dialog.learn.click()
    assert dialog.message.text() == "The training of players needs PyTorch. Install it."
    assert not dialog.busy
