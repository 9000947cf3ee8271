"""Jobs that are held back until the window is painted."""

import pytest

from quizwriter.gui.background.jobs import JobQueue, hold_jobs, release_jobs


@pytest.fixture
def queues(qtbot):
    queues = JobQueue("one"), JobQueue("two")
    hold_jobs()
    yield queues
    for queue in queues:
        queue.stop()


def test_jobs_that_are_held_back_begin_when_they_are_released(qtbot, queues):
    done, then = [], []
    one, two = queues
    for queue, name in ((one, "a"), (one, "b"), (two, "c")):
        queue.run(lambda _, name=name: done.append(name), lambda _, name=name: then.append(name))
    hold_jobs()
    qtbot.wait(1)
    assert done == []

    release_jobs()
    qtbot.waitUntil(lambda: len(then) == 3)

    assert [name for name in done if name != "c"] == ["a", "b"]
    assert sorted(done) == sorted(then) == ["a", "b", "c"]
    two.run(lambda _: done.append("d"), lambda _: then.append("d"))
    qtbot.waitUntil(lambda: then[-1] == "d")


def test_a_queue_that_stops_does_not_wait_for_a_release(qtbot, queues):
    done = []
    queues[0].run(lambda _: done.append("a"), lambda _: None)

    queues[0].stop()

    assert done == ["a"], "what was begun is done, as without being held back"
