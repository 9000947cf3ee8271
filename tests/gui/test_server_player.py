"""A player that asks over a network: nobody waits for it, and it comes back by itself."""

import threading

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, Qt, QTimer

from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.settings import ServerSettings
from quizwriter.workflow.analysis import Analyst, Request
from tests.helpers.fakes import DRAFT, Estimating, FakeApp, FakeEngine, Gated, Lead, Overlap
from tests.helpers.patience import PATIENCE_S
from tests.helpers.windows import app_of

pytestmark = pytest.mark.usefixtures("collecting_here")

FULL = Tossup(
    "Suzuki hears a humming chorus in Nagasaki. The child named Sorrow falls asleep beside Pinkerton.",
    Answer("Madama Butterfly", Page("Madama_Butterfly")),
)
NAME = "elasticsearch"
AGAIN_MS = 20
PAUSE_MS = 150


class Flaky(Overlap):
    """A guesser whose server is ``down``, or answers only once it is let to."""

    def __init__(self, *, down=False):
        super().__init__(NAME)
        object.__setattr__(self, "down", down)
        object.__setattr__(self, "asked", [])
        object.__setattr__(self, "gate", threading.Event())
        self.gate.set()

    def _ask(self, what):
        self.asked.append(what)
        assert self.gate.wait(PATIENCE_S)
        if self.down:
            raise QuizwriterError("The server at lab does not answer.", "See that it runs.")

    def play(self, tossup, top=5):
        self._ask(tossup.text)
        return super().play(tossup, top)

    def explain(self, tossup, page, *, exact=False):
        self._ask(page)
        return super().explain(tossup, page)


def far(guesser):
    return Player(guesser, Lead(), f"{guesser.name} digest", distant=True)


@pytest.fixture
def waits(monkeypatch):
    """The milliseconds for which the runner's timers are started, in turn."""
    waits = []

    class Noted(QTimer):
        def start(self, *interval):
            waits.append(interval[0] if interval else self.interval())
            super().start(*interval)

    monkeypatch.setattr("quizwriter.gui.background.analysis_runner.QTimer", Noted)
    return waits


@pytest.fixture
def machine(qtbot):
    """Asks a distant player again soon after a trouble."""
    machine = AnalysisRunner(again_ms=AGAIN_MS, pause_ms=0)
    yield machine
    machine.stop()


@pytest.fixture
def said(qtbot, machine):
    """Gives the machine these players; what they say."""

    def use(*players):
        with qtbot.waitSignal(machine.loaded):
            machine.load(lambda: FakeEngine(players))
        heard = []
        machine.analysed.connect(heard.append)
        return heard

    return use


def names(analysis):
    return [play.guesser for play in analysis.plays]


def test_everyone_else_is_done_while_a_server_thinks(qtbot, machine, said):
    slow = Flaky()
    slow.gate.clear()
    heard = said(Player(Overlap("ir"), Lead()), Player(Overlap("dan"), Lead()), far(slow))
    machine.submit(Request(1, Tossup(DRAFT), whose="ir"))
    qtbot.waitUntil(lambda: bool(heard) and heard[-1].done)

    assert names(heard[-1]) == ["ir", "dan"]
    assert heard[-1].evidence
    slow.gate.set()
    qtbot.waitUntil(lambda: names(heard[-1]) == ["ir", "dan", NAME])
    assert heard[-1].done


def test_who_wants_the_server_s_evidence_waits_for_it(qtbot, machine, said):
    slow = Flaky()
    slow.gate.clear()
    heard = said(Player(Overlap("ir"), Lead()), far(slow))
    machine.submit(Request(1, Tossup(DRAFT), whose=NAME))
    qtbot.waitUntil(lambda: bool(heard) and names(heard[-1]) == ["ir"])
    assert not any(analysis.done for analysis in heard)
    slow.gate.set()
    qtbot.waitUntil(lambda: heard[-1].done)

    (found,) = heard[-1].evidence
    assert found.guesser == NAME
    assert found.passages


@pytest.mark.logs("elasticsearch could not play")
def test_after_a_trouble_it_is_asked_again_less_and_less_often_and_comes_back(qtbot, waits, machine, said):
    server = Flaky(down=True)
    heard = said(Player(Overlap("ir"), Lead()), far(server))
    machine.submit(Request(1, Tossup(DRAFT), whose="ir"))
    qtbot.waitUntil(lambda: len(server.asked) >= 5)  # and nobody types
    assert [wait for wait in waits if wait >= AGAIN_MS][:4] == [20, 40, 80, 160]
    assert heard[-1].plays[-1].trouble == (
        "The server at lab does not answer. See that it runs. QuizWriter tries again automatically."
    )
    server.down = False
    qtbot.waitUntil(lambda: heard[-1].plays[-1].trouble is None)

    assert heard[-1].plays[-1].rows


@pytest.mark.logs("elasticsearch could not play")
def test_while_it_is_left_alone_its_trouble_is_said_of_every_draft_and_nothing_is_sent(qtbot, said, machine):
    machine._readers[2]._first_ms = machine._readers[2]._wait_ms = 60_000
    server = Flaky(down=True)
    heard = said(Player(Overlap("ir"), Lead()), far(server))
    for generation, text in enumerate(("one", "one two", "one two three"), start=1):
        machine.submit(Request(generation, Tossup(text), whose="ir"))
        qtbot.waitUntil(lambda text=text: bool(heard) and names(heard[-1]) == ["ir", NAME])
        assert heard[-1].plays[-1].tossup.text == text
        assert heard[-1].plays[-1].trouble
        heard.clear()

    assert server.asked == ["one"]
    machine.submit(Request(4, Tossup("one"), whose="ir", silent=frozenset({NAME})))
    qtbot.waitUntil(lambda: bool(heard) and heard[-1].done)
    assert names(heard[-1]) == ["ir"]


@pytest.mark.logs("elasticsearch could not play")
def test_a_trouble_with_a_draft_that_is_old_already_counts_too(qtbot, machine, said):
    machine._readers[2]._first_ms = machine._readers[2]._wait_ms = 60_000
    server = Flaky(down=True)
    server.gate.clear()  # a server that hangs
    heard = said(Player(Overlap("ir"), Lead()), far(server))
    machine.submit(Request(1, Tossup("one"), whose="ir"))
    qtbot.waitUntil(lambda: len(server.asked) == 1)
    machine.submit(Request(2, Tossup("one two"), whose="ir"))
    server.gate.set()
    qtbot.waitUntil(lambda: bool(heard) and names(heard[-1]) == ["ir", NAME])

    assert len(server.asked) == 1  # so who types on hears of the trouble, and not of one wait after another


@pytest.mark.logs("elasticsearch could not play")
def test_a_player_that_is_off_is_not_asked_again_either(qtbot, machine, said):
    server = Flaky(down=True)
    said(Player(Overlap("ir"), Lead()), far(server))
    machine.submit(Request(1, Tossup("one")))
    qtbot.waitUntil(lambda: len(server.asked) >= 2)
    machine.submit(Request(2, Tossup("one two"), silent=frozenset({NAME})))
    asked = len(server.asked)
    qtbot.wait(10 * AGAIN_MS * 2 ** (asked - 1))  # long enough for three more

    assert len(server.asked) <= asked + 1  # the one that was on its way


def test_exact_evidence_stays_when_the_server_answers_late(qtbot, machine, said):
    slow = Flaky()
    slow.gate.clear()
    heard = said(Player(Estimating("ir"), Lead()), far(slow))
    machine.submit(Request(1, Tossup(DRAFT), whose="ir"))
    qtbot.waitUntil(lambda: bool(heard) and heard[-1].done)
    machine.sharpen(heard[-1])
    qtbot.waitUntil(lambda: heard[-1].request.exact)
    exact = heard[-1].evidence
    slow.gate.set()
    qtbot.waitUntil(lambda: names(heard[-1]) == ["ir", NAME])

    assert heard[-1].evidence == exact
    assert heard[-1].request.exact


@pytest.mark.logs("elasticsearch could not explain")
def test_a_server_lost_between_its_guesses_and_their_evidence_says_so():
    server = Flaky()
    analyst = Analyst([far(server)])
    *_, before = analyst.analyse(Request(1, FULL))
    assert before.evidence
    server.down = True
    *_, after = analyst.analyse(Request(2, FULL, focus=Page("Turandot")))
    assert "does not answer" in after.plays[0].trouble
    assert after.evidence == ()
    server.down = False
    *_, healed = analyst.analyse(Request(3, FULL, focus=Page("Turandot")))

    assert healed.plays[0].trouble is None
    assert healed.evidence[0].page == "Turandot"


# -- in the window


@pytest.fixture
def with_server(qtbot, open_window, tmp_path):
    """A window with a quick player and that of a server, which is asked again soon."""

    def make(guesser, **more):
        app = FakeApp(tmp_path)
        app.distant = far(guesser)
        app.engines.use_server(ServerSettings(on=True, url="https://lab:9200"))
        window = open_window(app, start=False, **more)
        reader = window.analysis_runner._readers[2]
        reader._first_ms = reader._wait_ms = 20
        with qtbot.waitSignal(window.analysis_runner.loaded):
            window.start()
        return window

    return make


def lanes(window):
    return [one.name for one in window.time_line.lanes]


def test_the_server_s_player_has_its_lane_and_its_list_and_its_evidence(qtbot, with_server):
    window = with_server(Flaky(), tossup=FULL)
    qtbot.waitUntil(lambda: window.analysis.players_up_to_date == {"ir", NAME})

    assert lanes(window) == ["ir", NAME]
    assert [view.shown.player for view in window.guesses.cards] == ["ir", NAME]
    window.analysis.show_evidence_of(NAME)
    qtbot.waitUntil(lambda: window.settled and window.evidence.shown.about == (NAME, "Madama_Butterfly"))
    assert window.evidence.heading == "Evidence for Madama Butterfly"


@pytest.mark.logs("elasticsearch could not play")
def test_a_server_in_trouble_says_so_in_its_lane_and_no_key_waits(qtbot, with_server):
    server = Flaky(down=True)
    window = with_server(server, tossup=FULL)
    qtbot.waitUntil(lambda: len(lanes(window)) == 2 and bool(window.time_line.lanes[1].trouble))
    assert "does not answer" in window.time_line.lanes[1].trouble
    server.gate.clear()  # now it hangs
    for letter in " more":
        with qtbot.waitSignal(window.painted):
            qtbot.keyClicks(window.draft, letter)
    qtbot.waitUntil(lambda: window.settled)  # of the evidence, too
    assert not window.evidence._dim

    server.down = False
    server.gate.set()
    qtbot.waitUntil(lambda: window.time_line.lanes[1].states != "")
    assert window.time_line.lanes[1].trouble is None


def test_the_changes_of_what_if_do_not_wait_for_a_slow_server(qtbot, with_server):
    server = Flaky()
    server.gate.clear()  # it hangs from the first word on
    window = with_server(server, tossup=FULL)
    window.right_tabs.choose(window.what_if.pane)
    qtbot.waitUntil(lambda: window.what_if.settled)

    assert window.analysis.players_up_to_date == {"ir"}
    assert [play.guesser for play in window.analysis.current_plays] == ["ir"]
    assert "Elastic is left out: no variant is sent to a server." in window.what_if.pane.notes.text()
    report = window.what_if.report
    server.gate.set()
    qtbot.waitUntil(lambda: window.analysis.players_up_to_date == {"ir", NAME})
    qtbot.waitUntil(lambda: window.what_if.settled)
    assert window.what_if.report is report  # its answer makes nobody play again


@pytest.mark.logs("elasticsearch could not play")
def test_while_it_is_in_trouble_evidence_is_that_of_the_next_unless_it_was_chosen(qtbot, with_server):
    server = Flaky(down=True)
    window = with_server(server, tossup=FULL)
    window.appearance.save_settings(player_order=(NAME, "ir"))
    qtbot.waitUntil(lambda: window.evidence.shown.about == ("ir", "Madama_Butterfly"))
    window.analysis.show_evidence_of(NAME)
    qtbot.waitUntil(lambda: "does not answer" in window.evidence.why)
    window.analysis.show_evidence_of("")
    qtbot.waitUntil(lambda: window.evidence.shown.about == ("ir", "Madama_Butterfly"))

    server.down = False
    qtbot.waitUntil(lambda: window.evidence.shown.about == (NAME, "Madama_Butterfly"))


def test_the_server_s_player_stays_when_another_bundle_is_opened(qtbot, with_server, tmp_path):
    window = with_server(Flaky(), tossup=FULL)
    qtbot.waitUntil(lambda: window.analysis.players_up_to_date == {"ir", NAME})
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.engines.use_bundle(tmp_path / "another")
    app_of(window).engines.open_bundle(tmp_path)
    qtbot.waitUntil(lambda: window.analysis.players_up_to_date == {"ir", NAME})

    assert lanes(window) == ["ir", NAME]


class _Hiding(QObject):
    """Sets an event when the window it watches is hidden."""

    def __init__(self, event):
        super().__init__()
        self._event = event

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Hide:
            self._event.set()
        return False


def test_a_window_that_closes_is_gone_though_a_server_is_still_thinking(qtbot, with_server):
    server = Flaky()
    server.gate.clear()
    window = with_server(server, tossup=FULL)
    qtbot.waitUntil(lambda: bool(server.asked))
    hidden, seen = threading.Event(), []
    window.installEventFilter(ends := _Hiding(hidden))
    watch = threading.Thread(target=lambda: (seen.append(hidden.wait(PATIENCE_S)), server.gate.set()))
    watch.start()
    window.close()
    watch.join()
    window.removeEventFilter(ends)

    assert seen == [True]


def test_a_server_s_player_is_switched_off_like_any_other(qtbot, with_server):
    server = Flaky()
    window = with_server(server, tossup=FULL)
    qtbot.waitUntil(lambda: window.analysis.players_up_to_date == {"ir", NAME})
    qtbot.keyClick(
        window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    asked = len(server.asked)
    qtbot.keyClicks(window.draft, " more")
    qtbot.waitUntil(lambda: window.settled)

    assert lanes(window) == ["ir"]
    assert len(server.asked) == asked


def test_a_server_hears_of_a_draft_when_the_writer_pauses(qtbot, waits):
    machine = AnalysisRunner(pause_ms=PAUSE_MS)
    server = Flaky()
    with qtbot.waitSignal(machine.loaded):
        machine.load(lambda: FakeEngine((far(server),)))
    heard = []
    machine.analysed.connect(heard.append)
    for generation in range(1, 9):
        machine.submit(Request(generation, Tossup("word " * generation)))
    qtbot.waitUntil(lambda: bool(heard) and heard[-1].done)
    assert waits.count(PAUSE_MS) == 8
    machine.submit(replace(heard[-1].request, generation=9, focus=Page("Turandot")))  # nothing was typed
    qtbot.waitUntil(lambda: heard[-1].request.focus is not None)
    machine.stop()

    assert [what for what in server.asked if what.startswith("word")] == ["word " * 8]
    assert waits.count(PAUSE_MS) == 8, "nobody waits for a pause where nothing was typed"


def test_a_gate_is_only_for_those_behind_it(qtbot, machine, said):
    """A slow player of the bundle does not hold up the server's either."""
    slow = Gated("dan")
    heard = said(Player(Overlap("ir"), Lead()), Player(slow, Lead()), far(Flaky()))
    machine.submit(Request(1, Tossup(DRAFT), whose="ir"))
    qtbot.waitUntil(lambda: bool(heard) and names(heard[-1]) == ["ir", NAME])
    slow.open(1)
    qtbot.waitUntil(lambda: heard[-1].done)
