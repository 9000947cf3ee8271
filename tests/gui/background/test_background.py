"""The threads: the newest request wins, bugs do not end a thread, nothing typed is lost."""

import threading

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject

from quizwriter.domain.evidence import Method
from quizwriter.domain.guessing import Player
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.database_watch import DatabaseWatch
from quizwriter.gui.background.jobs import bugs
from quizwriter.gui.background.saver import Saver
from quizwriter.workflow.analysis import Request
from quizwriter.workflow.session import PendingSave
from tests.helpers.fakes import DRAFT, Buggy, Estimating, FakeEngine, FakeStore, Gated, Lead, Overlap
from tests.helpers.patience import PATIENCE_MS, PATIENCE_S

pytestmark = pytest.mark.usefixtures("collecting_here")


def engine_of(*guessers):
    return FakeEngine(tuple(Player(guesser, Lead()) for guesser in guessers))


@pytest.fixture
def machine(qtbot):
    machine = AnalysisRunner()
    yield machine
    machine.stop()


@pytest.fixture
def store():
    return FakeStore()


@pytest.fixture
def saver(qtbot, store):
    saver = Saver(store.save, retry_ms=30)
    yield saver
    saver.stop()


def load(qtbot, machine, engine):
    with qtbot.waitSignal(machine.loaded):
        machine.load(lambda: engine)


def saving(text, seq=1, tossup_id="t"):
    return PendingSave(tossup_id, text, None, 0, seq, (Change(seq, seq, Edit(0, "", text)),))


def test_what_the_players_say_arrives_in_the_window_s_thread(qtbot, machine):
    seen = []
    load(qtbot, machine, engine_of(Overlap()))
    machine.analysed.connect(lambda analysis: seen.append(threading.current_thread()))

    with qtbot.waitSignal(machine.analysed):
        machine.submit(Request(1, Tossup("A humming chorus")))

    assert seen[0] is threading.main_thread()


def test_what_comes_while_the_window_is_busy_is_said_in_one_go(qtbot, machine):
    told, last = [], Gated("h")
    load(qtbot, machine, engine_of(*map(Overlap, "abcdefg"), last))
    machine.analysed.connect(told.append)
    machine.submit(Request(1, Tossup("A humming chorus")))
    assert last.thinking.wait(PATIENCE_S)  # in the window's thread, which paints meanwhile

    qtbot.waitUntil(lambda: bool(told))

    assert {play.guesser for play in told[0].plays} >= set("bcdefg")
    last.open(1)
    qtbot.waitUntil(lambda: told[-1].done)


def test_the_engine_is_loaded_outside_the_window_s_thread(qtbot, machine):
    seen = []

    def loading():
        seen.append(threading.current_thread())
        return engine_of(Overlap())

    with qtbot.waitSignal(machine.loaded):
        machine.load(loading)

    assert seen[0] is not threading.main_thread()


def test_only_the_newest_of_a_burst_is_read(qtbot, machine):
    gated = Gated()
    load(qtbot, machine, engine_of(gated))
    machine.submit(Request(1, Tossup("one")))
    qtbot.waitUntil(gated.thinking.is_set)
    for number, text in enumerate(("one two", "one two three", "one two three four"), start=2):
        machine.submit(Request(number, Tossup(text)))

    generations = []
    machine.analysed.connect(lambda analysis: generations.append(analysis.request.generation))
    gated.open(2)
    qtbot.waitUntil(lambda: 4 in generations)

    assert gated.heard == ["one", "one two three four"]
    assert set(generations) == {4}


def test_a_forgotten_request_is_never_answered(qtbot, machine):
    gated = Gated()
    load(qtbot, machine, engine_of(gated))
    generations = []
    machine.analysed.connect(lambda analysis: generations.append(analysis.request.generation))
    machine.submit(Request(1, Tossup("one")))
    qtbot.waitUntil(gated.thinking.is_set)
    machine.forget()
    gated.open(2)
    machine.submit(Request(2, Tossup("two")))
    qtbot.waitUntil(lambda: 2 in generations)

    assert set(generations) == {2}


def test_a_refused_engine_is_reported_and_the_next_one_works(qtbot, machine):
    def refuse():
        raise QuizwriterError("There is no bundle.", "Open another.")

    with qtbot.waitSignal(machine.refused) as refused:
        machine.load(refuse)
    load(qtbot, machine, engine_of(Overlap()))

    assert refused.args[0].remedy == "Open another."


@pytest.mark.logs("ir could not play.*a bug of ours", "an analysis failed.*a bug of ours")
def test_a_bug_is_logged_and_reported_and_the_thread_lives(qtbot, machine, caplog):
    load(qtbot, machine, engine_of(Buggy()))
    with qtbot.waitSignal(bugs.reported) as broke:
        machine.submit(Request(1, Tossup("one")))
    load(qtbot, machine, engine_of(Overlap()))
    with qtbot.waitSignal(machine.analysed):
        machine.submit(Request(2, Tossup("two")))

    assert "a bug of ours" in broke.args[0]
    assert "Traceback" in broke.args[0]
    assert "an analysis failed" in caplog.text


def test_stopping_does_not_wait_for_a_burst(qtbot):
    machine, gated = AnalysisRunner(), Gated()
    load(qtbot, machine, engine_of(gated))
    for number in range(50):
        machine.submit(Request(number, Tossup(f"word {number}")))
    gated.open(1)

    machine.stop()

    assert len(gated.heard) <= 1


def test_savings_reach_the_store_from_another_thread(qtbot, saver, store):
    with qtbot.waitSignal(saver.settled):
        saver.keep(saving("A colony"))

    assert store.texts["t"].text == "A colony"
    assert saver.idle


@pytest.mark.logs("not saved yet: The disk is full")
def test_what_a_full_disk_refused_is_saved_whole_once_there_is_room(qtbot, saver, store):
    store.full = True
    with qtbot.waitSignal(saver.troubled) as troubled:
        saver.keep(saving("A", 1))
    with qtbot.waitSignal(saver.troubled):
        saver.keep(saving("A colony", 2))
    assert not saver.idle
    store.full = False

    with qtbot.waitSignal(saver.settled):
        pass  # by the retry alone

    assert troubled.args[0].problem == "The disk is full."
    assert [change.seq for change in store.savings[0].changes] == [1, 2]
    assert store.texts["t"].text == "A colony"


@pytest.mark.logs("not saved yet: The disk is full")
def test_one_tossup_s_savings_never_mix_with_another_s(qtbot, saver, store):
    store.full = True
    with qtbot.waitSignal(saver.troubled):
        saver.keep(saving("one", 1, "a"))
    with qtbot.waitSignal(saver.troubled):
        saver.keep(saving("two", 1, "b"))
    store.full = False

    assert saver.flush(PATIENCE_MS)

    assert {key: kept.text for key, kept in store.texts.items()} == {"a": "one", "b": "two"}


@pytest.mark.logs("not saved yet.*a bug of ours")
def test_a_tossup_that_cannot_be_saved_does_not_hold_up_the_others(qtbot, store, caplog):
    def save(one):
        if one.tossup_id == "a":
            raise RuntimeError("a bug of ours")
        store.save(one)

    saver = Saver(save, retry_ms=30)
    with qtbot.waitSignal(saver.broke):
        saver.keep(saving("one", 1, "a"))
    with qtbot.waitSignal(saver.saved):
        saver.keep(saving("two", 1, "b"))
    saver.stop()

    assert store.texts["b"].text == "two"
    assert not saver.idle


@pytest.mark.logs("not saved yet: The disk is full")
def test_flushing_a_full_disk_says_so_and_does_not_hang(qtbot, saver, store):
    store.full = True
    saver.keep(saving("one"))

    assert not saver.flush(PATIENCE_MS)


@pytest.mark.logs("not saved yet.*a bug of ours")
def test_a_bug_while_saving_is_reported_and_nothing_is_lost(qtbot, caplog):
    kept, broken = [], [True]

    def save(one):
        if broken:
            raise RuntimeError("a bug of ours")
        kept.append(one)

    saver = Saver(save, retry_ms=30)
    with qtbot.waitSignal(saver.broke):
        saver.keep(saving("one"))
    broken.clear()
    with qtbot.waitSignal(saver.settled):
        pass
    saver.stop()

    assert [one.text for one in kept] == ["one"]


# -- several players


def test_the_first_player_answers_though_a_slow_one_still_reads_an_older_draft(qtbot, machine):
    slow = Gated("dan")
    load(qtbot, machine, engine_of(Overlap("ir"), slow))
    said = []
    machine.analysed.connect(lambda analysis: said.append((analysis.request.generation, len(analysis.plays))))
    machine.submit(Request(1, Tossup("one")))
    qtbot.waitUntil(slow.thinking.is_set)
    machine.submit(Request(2, Tossup("one two")))
    qtbot.waitUntil(lambda: (2, 1) in said)
    assert slow.heard == ["one"]
    slow.open(2)
    qtbot.waitUntil(lambda: (2, 2) in said)

    assert slow.heard == ["one", "one two"]


def test_the_evidence_at_a_buzz_that_the_draft_asked_for_follows_a_click_at_once(qtbot, machine):
    explained = []

    class Explaining(Estimating):
        def explain(self, tossup, page, *, exact=False):
            explained.append(tossup.text)
            return super().explain(tossup, page, exact=exact)

    load(qtbot, machine, engine_of(Explaining("fake")))
    told, request = [], Request(1, Tossup("A humming chorus"), whose="fake")
    machine.analysed.connect(told.append)
    machine.submit(request)
    qtbot.waitUntil(lambda: bool(told) and told[-1].done)
    (play,), (evidence,) = told[-1].plays, told[-1].evidence
    heard = play.buzz.heard if play.buzz is not None else len(play.tossup.words)
    told.clear()

    machine.submit(replace(request, heard=heard))  # as of a click on the bell

    assert [one.evidence for one in told] == [(evidence,)]
    assert len(explained) == 1
    machine.submit(replace(request, heard=1))  # of another word, nothing is known
    assert len(told) == 1


def test_plays_stand_in_the_players_order_whoever_is_first(qtbot, machine):
    slow = Gated("ir")
    load(qtbot, machine, engine_of(slow, Overlap("dan")))
    said = []
    machine.analysed.connect(lambda analysis: said.append([play.guesser for play in analysis.plays]))
    machine.submit(Request(1, Tossup("one")))
    qtbot.waitUntil(lambda: ["dan"] in said)
    slow.open()
    qtbot.waitUntil(lambda: ["ir", "dan"] in said)


def test_an_exact_request_is_dropped_for_a_newer_one_and_does_not_delay_it(qtbot, machine):
    gate = Gated("gate")

    class Pondering(Estimating):
        def explain(self, tossup, page, *, exact=False):
            if exact:
                gate.play(tossup)
            return super().explain(tossup, page, exact=exact)

    load(qtbot, machine, engine_of(Pondering("dan")))
    said = []
    machine.analysed.connect(said.append)
    machine.submit(Request(1, Tossup(DRAFT)))
    qtbot.waitUntil(lambda: bool(said) and said[-1].done)
    machine.sharpen(said[-1])
    qtbot.waitUntil(gate.thinking.is_set)
    machine.submit(Request(2, Tossup(f"{DRAFT} more")))
    qtbot.waitUntil(lambda: said[-1].request.generation == 2 and said[-1].done)
    gate.open(2)
    qtbot.wait(50)
    assert not any(analysis.request.exact for analysis in said)

    with qtbot.waitSignal(machine.analysed):
        machine.sharpen(said[-1])
    assert said[-1].request.exact
    assert said[-1].evidence[0].method is Method.WITHOUT


@pytest.mark.logs("exact evidence failed.*a bug of ours")
def test_a_bug_in_exact_evidence_is_reported_and_the_thread_lives(qtbot, machine, caplog):
    class Wrong(Estimating):
        def explain(self, tossup, page, *, exact=False):
            if exact:
                raise RuntimeError("a bug of ours")
            return super().explain(tossup, page)

    load(qtbot, machine, engine_of(Wrong("dan")))
    said = []
    machine.analysed.connect(said.append)
    machine.submit(Request(1, Tossup(DRAFT)))
    qtbot.waitUntil(lambda: bool(said) and said[-1].done)
    with qtbot.waitSignal(bugs.reported) as broke:
        machine.sharpen(said[-1])
    load(qtbot, machine, engine_of(Overlap()))

    assert "a bug of ours" in broke.args[0]


def test_a_new_version_of_the_database_is_told_but_not_to_a_window_that_closes(qtbot, qapp):
    versions = iter((1, 1, 2, 3))
    told = []
    parent = QObject()
    watch = DatabaseWatch(lambda: next(versions), parent)
    watch.changed.connect(lambda: told.append("changed"))
    watch.start()
    for expected in ([], ["changed"]):
        qtbot.waitUntil(lambda: not watch.asks)
        watch.ask()
        qtbot.waitUntil(lambda: not watch.asks)
        assert told == expected

    watch.ask()
    watch.stop()
    qapp.processEvents()
    assert told == ["changed"]
