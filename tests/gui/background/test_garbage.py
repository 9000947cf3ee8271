"""When garbage is collected, so that nobody who types waits for it."""

import gc
import weakref

import pytest

from quizwriter.gui.background import garbage
from quizwriter.gui.background.garbage import AWAY_S, MOST_NEW, PAUSE_S, GarbageSweeper


class Cycle:
    """An object that only a sweep ends."""

    def __init__(self):
        self.itself = self


class Collector:
    """Stands in for Python's collector: says how many objects are new, and keeps what it is told to do."""

    def __init__(self):
        self.count = [0, 0, 0]
        self.done = []

    def get_count(self):
        return tuple(self.count)

    def get_threshold(self):
        return 700, 10, 10

    def collect(self, generation=2):
        self.done.append(f"collect {generation}")

    def freeze(self):
        self.done.append("freeze")
        self.count = [0, 0, 0]

    def unfreeze(self):
        self.done.append("unfreeze")


@pytest.fixture
def collector(monkeypatch):
    collector = Collector()
    monkeypatch.setattr(garbage, "gc", collector)
    return collector


@pytest.fixture
def clock():
    return [1_000.0]


@pytest.fixture
def sweeper(clock):
    return GarbageSweeper(lambda: clock[0])


def test_whoever_types_waits_for_no_sweep_of_older_objects(collector, clock, sweeper):
    collector.count = [800, 11, 11]
    for _ in range(50):
        sweeper.note_key()
        clock[0] += 0.1
        sweeper.sweep()
    assert set(collector.done) == {"collect 0"}
    clock[0] += PAUSE_S + 0.1
    sweeper.sweep()
    assert collector.done[-1] == "collect 2"


def test_older_objects_are_swept_in_a_pause_the_oldest_first(collector, clock, sweeper):
    clock[0] += PAUSE_S + 0.1
    for count, wanted in (
        ([800, 11, 11], ["collect 2"]),
        ([800, 11, 3], ["collect 1"]),
        ([800, 3, 3], ["collect 0"]),
        ([3, 3, 3], []),
    ):
        collector.count, collector.done = count, []
        sweeper.sweep()
        assert collector.done == wanted


def test_what_was_loaded_is_set_aside_and_swept_when_nobody_has_typed_for_long(collector, clock, sweeper):
    collector.count = [MOST_NEW + 1, 11, 11]
    clock[0] += AWAY_S + 1
    sweeper.sweep()
    assert collector.done == ["freeze"]
    sweeper.sweep()
    clock[0] += AWAY_S - 1
    sweeper.sweep()
    assert collector.done == ["freeze"]  # something was loaded a moment ago
    sweeper.note_key()
    clock[0] += AWAY_S - 1
    sweeper.sweep()
    assert collector.done == ["freeze"]  # somebody typed a moment ago
    clock[0] += 2
    sweeper.sweep()
    assert collector.done == ["freeze", "unfreeze", "collect 2", "freeze"]
    clock[0] += 10 * AWAY_S
    sweeper.sweep()
    assert len(collector.done) == 4  # nothing was loaded since


def test_loaded_data_that_became_garbage_are_released(qapp, collecting_here, clock, sweeper):
    kept = [Cycle() for _ in range(MOST_NEW + 1)]
    sweeper.sweep()
    last = weakref.ref(kept[-1])
    kept.clear()
    clock[0] += PAUSE_S + 0.1
    gc.collect()
    assert last() is not None  # set aside, so that no sweep looks at it
    clock[0] += AWAY_S
    sweeper.sweep()
    assert last() is None


def test_a_key_in_the_draft_puts_large_sweeps_off(qtbot, open_window, monkeypatch):
    heard = []
    monkeypatch.setattr(garbage.sweeper, "_clock", lambda: heard.append("key") or 0.0)
    window = open_window()
    heard.clear()
    qtbot.keyClicks(window.draft, "a")
    assert heard
