"""Players in a process of their own: what they say, and what happens when it ends."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.engine.player_process import NICE, NICE_BATCH, _PlayerServer
from quizwriter.engine.player_processes import PlayerProcesses, PlayerRequest, batch_players
from quizwriter.errors import QuizwriterError
from quizwriter.gui.application import make_window
from quizwriter.gui.background.analysis_runner import AnalysisRunner
from quizwriter.gui.background.jobs import bugs
from quizwriter.services.wiring import App
from quizwriter.workflow.analysis import Analysis, Request
from quizwriter.workflow.session import WritingSession
from tests.helpers.forest import in_the_forest
from tests.helpers.patience import PATIENCE_S

TOSSUP = Tossup(in_the_forest("Alder", 60), Answer("Alder", Page("Alder")))
NETWORKS = ("dan", "rnn", "birnn", "ensemble")


@pytest.fixture(scope="module")
def trees(trees):
    """Players that have played nothing yet: what a network keeps of a draft may differ in the last bit."""
    return load(trees.folder)


@pytest.fixture(scope="module")
def apart(trees):
    with closing(PlayerProcesses()) as apart:
        quickest = named(apart.players(trees), "dan")  # both processes start here, and run until the end
        quickest.play(TOSSUP)
        quickest.guesser.explain(TOSSUP, Page("Alder"), exact=True)
        yield apart


def named(engine, name):
    return next(player for player in engine.players if player.name == name)


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def company():
    """The processes in which players play for this one."""
    children = Path("/proc", str(os.getpid()), "task").glob("*/children")
    started = [number for task in children for number in task.read_text().split()]
    return {
        int(one)
        for one in started
        if b"--child-process\0players" in Path(f"/proc/{one}/cmdline").read_bytes()
    }


def gone(process, within_s=20.0):
    """Whether a process ends in so many seconds."""
    until = time.monotonic() + within_s
    while is_there(process) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_there(process)


def stubborn(tmp_path, does):
    """The command of a process that notes its number and then ``does`` something else than play."""
    note = tmp_path / "processes"
    note.touch()
    code = f"import os, time; print(os.getpid(), file=open({str(note)!r}, 'a'), flush=True); {does}"
    return (sys.executable, "-c", code), lambda: [int(line) for line in note.read_text().splitlines()]


@pytest.mark.parametrize("name", NETWORKS)
def test_they_say_the_same_apart(apart, trees, name):
    here, there = named(trees, name), named(apart.players(trees), name)

    ours, theirs = here.play(TOSSUP), there.play(TOSSUP)

    assert ours.rows
    for what in ("guesser", "tossup", "heard", "rows", "ranks", "chances", "buzz", "trouble", "right"):
        assert getattr(theirs, what) == getattr(ours, what), what
    assert there.guesser.play(TOSSUP, 2).rows == here.guesser.play(TOSSUP, 2).rows
    for page in (Page("Fir"), Page("Nowhere")):
        for exact in (False, True):
            assert there.explain(TOSSUP, page, exact=exact) == here.explain(TOSSUP, page, exact=exact)


def test_the_quickest_and_the_distant_stay(apart, trees, player):
    far = replace(player("elasticsearch", Page("Elm")), distant=True)
    kept = apart.players(replace(trees, players=(*trees.players, far))).players

    assert (kept[0], kept[-1]) == (trees.players[0], far)
    assert [one.name for one in kept] == [*(one.name for one in trees.players), "elasticsearch"]
    assert [one.engine for one in kept[:-1]] == [one.engine for one in trees.players]
    assert apart.players(trees).players == kept[:-1]

    names = [one.name for one in apart.variant_players(replace(trees, players=kept))]
    assert names == [one.name for one in trees.players]  # none that is distant


@pytest.mark.logs("players ended with -9")
def test_one_that_was_killed_gets_a_successor(trees):
    with closing(PlayerProcesses()) as apart:
        dan = named(apart.players(trees), "dan")
        first = dan.play(TOSSUP)
        process = apart._quick._process
        ours, its = (os.getpriority(os.PRIO_PROCESS, number) for number in (0, process.pid))
        assert its == min(ours + NICE, 19)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

        assert dan.play(TOSSUP).rows == first.rows
        assert apart._quick._process.pid != process.pid


@pytest.mark.logs("players ended", "no room")
def test_one_that_always_ends_is_said_once_and_left_alone_for_a_while(trees, tmp_path, monkeypatch, caplog):
    command, started = stubborn(tmp_path, "raise SystemExit('no room')")
    with closing(PlayerProcesses(command)) as apart:
        dan = named(apart.players(trees), "dan")
        for _ in range(3):
            with pytest.raises(QuizwriterError, match=r"ended unexpectedly\. .* type on"):
                dan.play(TOSSUP)
        assert len(started()) == 2, "tried twice, then left alone"
        assert "no room" in caplog.text
        monkeypatch.setattr(
            "quizwriter.engine.player_processes.time.monotonic", lambda real=time.monotonic: real() + 6
        )
        with pytest.raises(QuizwriterError, match="ended unexpectedly"):
            dan.play(TOSSUP)
        assert len(started()) == 4


def test_where_no_process_can_be_started_that_is_said(trees, tmp_path):
    with closing(PlayerProcesses((str(tmp_path / "nothing"),))) as apart:
        apart.start()
        with pytest.raises(QuizwriterError, match="ended unexpectedly"):
            named(apart.players(trees), "dan").play(TOSSUP)


@pytest.mark.parametrize("wanted", ["a game", "exact evidence"])
def test_a_window_that_is_closed_during_a_game_says_nothing(qtbot, trees, tmp_path, caplog, wanted):
    """The log of the window goes to the standard error, too."""
    command, started = stubborn(tmp_path, "time.sleep(600)")
    here = named(trees, "dan")
    apart = PlayerProcesses(command)
    runner = AnalysisRunner()
    try:
        broken = []
        bugs.reported.connect(broken.append)
        runner.use(apart.players(trees))
        request = Request(1, TOSSUP)
        if wanted == "a game":
            runner.submit(request)
        else:
            evidence = here.explain(TOSSUP, Page("Alder"))
            runner.sharpen(Analysis(request, (here.play(TOSSUP),), (evidence,), done=True))
        qtbot.waitUntil(lambda: bool(started()))
    finally:
        apart.close()
        runner.stop()
    assert broken == []
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_closing_ends_whoever_waits(trees, tmp_path):
    command, started = stubborn(tmp_path, "time.sleep(600)")
    apart = PlayerProcesses(command)
    dan = named(apart.players(trees), "dan")
    said = []

    def ask():
        try:
            dan.play(TOSSUP)
        except QuizwriterError as trouble:
            said.append(trouble)

    waiting = threading.Thread(target=ask)
    waiting.start()
    while not started():
        time.sleep(0.01)
    apart.close()
    waiting.join(PATIENCE_S)

    assert [type(one) for one in said] == [Cancelled], "nothing ended that was not to end"
    assert [is_there(process) for process in started()] == [False]
    with pytest.raises(Cancelled):
        dan.play(TOSSUP)
    assert len(started()) == 1, "nothing is started once it is closed"


def test_it_ends_with_the_program_that_was_killed(forest, tmp_path):
    code = (
        "import sys; from pathlib import Path; "
        "from quizwriter.engine.player_processes import PlayerProcesses; "
        "from quizwriter.engine.engine import load; from quizwriter.domain.tossup import Tossup; "
        "engine = load(Path(sys.argv[1])); apart = PlayerProcesses(); "
        "apart.players(engine).players[1].play(Tossup('AA1')); "
        "print(apart._quick._process.pid, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(forest[0])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        process = int(program.stdout.readline())
        assert is_there(process)
        program.kill()

    assert gone(process)


def test_bugs_and_troubles_come_back_as_they_are(apart, trees):
    with pytest.raises(RuntimeError, match="ValueError: top must be"):
        named(apart.players(trees), "dan").guesser.play(TOSSUP, 0)

    def refuse(folder, *, trusted):
        raise QuizwriterError(f"{folder} is damaged.", "Build it again.")

    reply = _PlayerServer(refuse).reply(PlayerRequest("here", "d", "dan", "This", None))
    assert reply.trouble == ("here is damaged.", "Build it again.")


def test_a_bundle_that_was_replaced_meanwhile_is_not_played_with(forest, tmp_path):
    folder = shutil.copytree(forest[0], tmp_path / "forest")
    engine = load(folder)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text(encoding="utf-8") + " ", encoding="utf-8")

    with closing(PlayerProcesses()) as apart:
        dan = named(apart.players(engine), "dan")
        with pytest.raises(QuizwriterError, match="another bundle than when it was opened"):
            dan.play(TOSSUP)


def test_one_that_gets_ready_has_read_what_it_will_be_asked_for(trees):
    loaded, played = [], []

    def load(folder, *, trusted):
        loaded.append(str(folder))
        return replace(trees, players=tuple(map(heeded, trees.players)))

    def heeded(player):
        return replace(player, guesser=Heeded(player.guesser, played))

    server = _PlayerServer(load)
    server.get_ready("here")
    assert played == list(NETWORKS), "all but the first, which plays in the window"
    played.clear()
    assert server.reply(PlayerRequest("here", trees.digest, "dan", TOSSUP.text, None)).play.rows
    assert (loaded, played) == (["here"], ["dan"])


class Heeded:
    """A guesser that notes when it plays."""

    def __init__(self, guesser, played):
        self.guesser, self.name, self.played = guesser, guesser.name, played

    def play(self, tossup, top=5):
        self.played.append(self.name)
        return self.guesser.play(tossup, top)


def test_one_that_cannot_get_ready_says_so_when_it_is_asked():
    asked = []

    def load(folder, *, trusted):
        asked.append(folder)
        raise QuizwriterError(f"{folder} is damaged.", "Build it again.") if len(asked) > 1 else ValueError

    server = _PlayerServer(load)
    server.get_ready("here")
    reply = server.reply(PlayerRequest("here", "d", "dan", "This", None))
    assert reply.trouble == ("here is damaged.", "Build it again.")


def test_the_process_is_told_once_which_bundle_it_will_be_asked_for(trees, tmp_path):
    code = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    if json.loads(line)['player']: print(json.dumps({'trouble': [heard, '']}), flush=True)\n"
        "    else: heard = heard + line if 'heard' in globals() else line\n"
    )
    with closing(PlayerProcesses((sys.executable, "-c", code))) as apart:
        apart.start()
        apart.start(trees.folder)
        apart.start(trees.folder)
        apart.start(tmp_path)
        with pytest.raises(QuizwriterError) as told:
            apart.ask(PlayerRequest("there", "digest", "dan", "This"))

    (line,) = told.value.problem.splitlines()
    assert json.loads(line)["folder"] == str(trees.folder)


def test_a_process_that_was_told_a_bundle_plays_with_it(trees):
    with closing(PlayerProcesses()) as apart:
        apart.start(trees.folder)
        dan = named(apart.players(trees), "dan")
        assert dan.play(TOSSUP).rows == named(trees, "dan").play(TOSSUP).rows


def test_two_engines_are_kept(trees):
    asked = []

    def keep(folder, *, trusted):
        asked.append(str(folder))
        return trees

    company = _PlayerServer(keep)
    for folder in ("a", "b", "a", "b", "c", "b", "a"):
        assert company.reply(PlayerRequest(folder, trees.digest, "dan", TOSSUP.text, None)).play.rows
    assert asked == ["a", "b", "c", "a"]


def test_a_batch_has_a_process_of_its_own_that_stands_back_and_ends_with_the_block(
    apart, trees, player, tmp_path
):
    far = replace(player("elasticsearch", Page("Elm")), distant=True)
    before = company()
    everyone = replace(apart.players(trees), players=(*apart.players(trees).players, far))
    with batch_players(everyone, Cancellation()) as batch:
        assert company() == before, "it starts when somebody is asked"
        assert batch.players[-1] is far
        assert [one.name for one in batch.players] == [one.name for one in everyone.players]
        for one in batch.players[:-1]:
            here = named(trees, one.name).play(TOSSUP)
            assert (one.play(TOSSUP).rows, one.play(TOSSUP).buzz) == (here.rows, here.buzz)
        (process,) = company() - before
        assert os.getpriority(os.PRIO_PROCESS, process) == min(
            os.getpriority(os.PRIO_PROCESS, 0) + NICE_BATCH, 19
        )
    assert company() == before


def test_a_draft_is_played_while_a_batch_waits_for_its_player(apart, trees, tmp_path):
    """The process of the batch never answers: whoever shared it would wait for ever."""
    command, started = stubborn(tmp_path, "time.sleep(600)")
    cancellation, said = Cancellation(), []

    def work():
        with batch_players(apart.players(trees), cancellation, command) as batch:
            try:
                named(batch, "dan").play(TOSSUP)
            except QuizwriterError as trouble:
                said.append(trouble)

    waiting = threading.Thread(target=work)
    waiting.start()
    while not started():
        time.sleep(0.01)

    assert named(apart.players(trees), "dan").play(TOSSUP).rows == named(trees, "dan").play(TOSSUP).rows
    assert waiting.is_alive()
    assert said == []
    cancellation.cancel()
    waiting.join(PATIENCE_S)

    assert [type(one) for one in said] == [Cancelled]
    assert [is_there(process) for process in started()] == [False]


def test_who_asks_after_a_batch_was_cancelled_starts_nothing(trees, tmp_path):
    command, started = stubborn(tmp_path, "time.sleep(600)")
    cancellation = Cancellation()
    cancellation.cancel()
    with batch_players(trees, cancellation, command) as batch, pytest.raises(Cancelled):
        named(batch, "dan").play(TOSSUP)
    assert started() == []


@pytest.mark.logs("players ended with 1", "they said: no room")
def test_a_batch_whose_process_always_ends_says_so(trees, tmp_path):
    command, _ = stubborn(tmp_path, "raise SystemExit('no room')")
    with (
        batch_players(trees, Cancellation(), command) as batch,
        pytest.raises(QuizwriterError, match=r"ended unexpectedly\. .* start this again") as trouble,
    ):
        named(batch, "dan").play(TOSSUP)
    assert not isinstance(trouble.value, Cancelled)


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux says in files which processes one started.")
def test_the_window_has_networks_play_apart_and_leaves_nothing(
    qtbot, qapp, tmp_path, forest, collecting_here
):
    before = company()
    app = App(tmp_path / "home", forest[0])
    app.engines.uses_player_processes = True
    window = make_window(app, qapp, session=WritingSession("t0", TOSSUP))
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.start()
    qtbot.waitUntil(lambda: window.session.analysis is not None and window.session.analysis.done)

    analysis = window.session.analysis
    played = {play.guesser: play for play in analysis.plays}
    assert list(played) == ["ir", *NETWORKS]
    assert [play.trouble for play in analysis.plays] == [None] * 5
    assert all(play.rows for play in analysis.plays)
    assert company() > before
    window.close()
    window.deleteLater()

    assert company() == before


def test_at_the_first_start_the_process_starts_while_the_bundle_is_built(tmp_path, starter, monkeypatch):
    done = []
    monkeypatch.setattr(PlayerProcesses, "start", lambda processes, folder=None: done.append("process"))
    monkeypatch.setattr(
        "index_builder.starter.starter_bundle", lambda *given, **how: done.append("bundle") or starter
    )
    with App(tmp_path / "home") as app:
        app.engines.uses_player_processes = True
        app.engines.load_starter()

    assert done[:2] == ["process", "bundle"]
