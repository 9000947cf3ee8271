"""Jobs: what comes back of each, which answers are dropped, and those held back until the first paint."""

import threading
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QObject

from quizwriter.errors import QuizwriterError
from quizwriter.gui.background import jobs as background
from quizwriter.gui.background.jobs import (
    ANSWER_S,
    MOST_THREADS,
    Jobs,
    answer_first,
    answered,
    bugs,
    give_way,
    hold_jobs,
    release_jobs,
    stop_background,
)
from quizwriter.gui.background.timers import SingleShot
from tests.helpers.patience import PATIENCE_S


@pytest.fixture
def queues(qtbot):
    queues = Jobs("one"), Jobs("two")
    hold_jobs()
    yield queues
    for queue in queues:
        queue.stop()


def test_jobs_that_are_held_back_begin_when_they_are_released(qtbot, queues):
    done, then = [], []
    one, two = queues
    for queue, name in ((one, "a"), (one, "b"), (two, "c")):
        queue.ask(lambda _, name=name: done.append(name), lambda _, name=name: then.append(name))
    hold_jobs()
    qtbot.wait(1)
    assert done == []

    release_jobs()
    qtbot.waitUntil(lambda: len(then) == 3)

    assert [name for name in done if name != "c"] == ["a", "b"]
    assert sorted(done) == sorted(then) == ["a", "b", "c"]
    two.ask(lambda _: done.append("d"), lambda _: then.append("d"))
    qtbot.waitUntil(lambda: then[-1] == "d")


def test_a_queue_that_stops_does_not_wait_for_a_release(qtbot, queues):
    done = []
    queues[0].ask(lambda _: done.append("a"), lambda _: None)

    queues[0].stop()

    assert done == ["a"], "what was begun is done, as without being held back"


def test_slow_work_waits_while_the_writer_waits_for_an_answer(monkeypatch):
    now, slept = [100.0], []

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(background, "_answered_at", 0.0)
    monkeypatch.setattr(background, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    give_way()
    assert slept == []

    answer_first()
    now[0] += 0.1
    give_way()
    give_way()

    assert sum(slept) == pytest.approx(ANSWER_S - 0.1)
    assert max(slept) < 0.1, "the answer may come at any time"
    answer_first()
    answered()
    give_way()
    assert sum(slept) == pytest.approx(ANSWER_S - 0.1)


def test_a_queue_that_stops_does_not_wait_for_an_answer(queues, monkeypatch):
    monkeypatch.setattr(background, "ANSWER_S", background.PATIENCE_MS)
    done = []
    answer_first()
    queues[0].ask(lambda _: done.append("a"), lambda _: None)

    queues[0].stop()

    assert done == ["a"]


@pytest.fixture
def jobs(qtbot):
    jobs = Jobs("test")
    yield jobs
    jobs.stop()


def test_a_result_comes_back_in_the_window_s_thread_and_a_trouble_as_its_sentences(qtbot, jobs):
    threads, came, failed = [], [], []

    def refuse(_):
        raise QuizwriterError("The disk is full.", "Free some disk space.")

    jobs.ask(lambda _: threads.append(threading.current_thread()), came.append, failed.append)
    jobs.ask(refuse, came.append, lambda text: failed.append((text, threading.current_thread())))
    qtbot.waitUntil(lambda: bool(failed))

    assert came == [None], "a job may have no result"
    assert failed == [("The disk is full. Free some disk space.", threading.main_thread())]
    assert threads[0] is not threading.main_thread()


def test_a_job_gives_way_before_it_begins(qtbot, jobs, monkeypatch):
    did, came = [], []
    monkeypatch.setattr(background, "give_way", lambda: did.append("gave way"))
    jobs.ask(lambda _: did.append("began"), came.append)
    qtbot.waitUntil(lambda: bool(came))

    assert did == ["gave way", "began"]


def test_as_many_queues_work_beside_each_other_as_a_program_has(qtbot):
    all_work, came = threading.Barrier(MOST_THREADS, timeout=PATIENCE_S), []
    queues = [Jobs(str(number)) for number in range(MOST_THREADS)]
    for queue in queues:
        queue.ask(lambda _: all_work.wait(), came.append)
    qtbot.waitUntil(lambda: len(came) == MOST_THREADS)
    for queue in queues:
        queue.stop()


@pytest.mark.logs("failed.*a bug")
def test_a_bug_is_reported_once_at_the_one_door_and_the_next_job_runs(qtbot, jobs):
    came, failed = [], []

    def bug(_):
        raise RuntimeError("a bug of ours")

    with qtbot.waitSignal(bugs.reported) as reported:
        jobs.ask(bug, came.append, failed.append)
    jobs.ask(lambda _: "next", came.append, failed.append)
    qtbot.waitUntil(lambda: bool(came))

    assert came == ["next"]
    assert failed == [""]
    assert "a bug of ours" in reported.args[0]
    assert "Traceback" in reported.args[0]


def test_progress_reaches_who_asked_and_nobody_once_it_is_not_wanted(qtbot, jobs):
    first, second, third, came = [], [], [], []
    jobs.ask(lambda tell: tell(1, 2), came.append, told=lambda *far: first.append(far))
    jobs.ask(lambda tell: tell(3, 4), came.append, told=lambda *far: second.append(far))
    jobs.ask(lambda tell: tell(5, 6), came.append, still=lambda: False, told=lambda *far: third.append(far))
    jobs.ask(lambda tell: tell(7, 8), came.append)
    qtbot.waitUntil(lambda: len(came) == 3)

    assert (first, second, third) == ([(1, 2)], [(3, 4)], [])


def test_an_answer_that_is_not_wanted_any_more_is_dropped(qtbot, jobs):
    came, wanted = [], {"old"}
    jobs.ask(lambda _: "old", came.append, still=lambda: "old" in wanted)
    wanted.clear()
    jobs.ask(lambda _: "new", came.append)
    qtbot.waitUntil(lambda: bool(came))

    assert came == ["new"]


def test_an_owner_that_closes_stops_the_jobs_and_timers_of_all_its_parts(qtbot, qapp):
    owner, did, came = QObject(), [], []
    part = QObject(owner)
    jobs, timer = Jobs("part", part), SingleShot(part, 0, lambda: did.append("timer"))
    timer.start()
    jobs.ask(lambda tell: [tell(1, 2), did.append("job")], came.append, told=lambda *far: came.append(far))
    jobs.ask(lambda _: did.append("behind it"), came.append)
    stop_background(owner)
    jobs.ask(lambda _: did.append("too late"), came.append)
    qapp.processEvents()
    stop_background(owner)  # waits for what runs, if anything does

    assert did == ["job"], "what was begun is done"
    assert came == []
