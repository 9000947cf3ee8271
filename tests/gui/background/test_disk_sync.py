"""Savings brought to the disk: those made meanwhile, and what a store that outlives its window tells."""

from __future__ import annotations

import threading

import shiboken6

from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.disk_sync import DiskSync
from quizwriter.gui.background.jobs import Jobs, stop_background


def test_a_store_that_outlives_the_window_saves_on(qapp):
    disk = DiskSync(lambda: None)
    disk.end()
    stop_background(disk)
    shiboken6.delete(disk)

    disk.follow()  # the store knows it still


def test_savings_made_while_the_disk_works_are_synced_together_also_where_it_fails(qtbot):
    works, goes_on, synced, came = threading.Event(), threading.Event(), [], []

    def sync():
        synced.append(len(synced))
        if len(synced) == 1:
            works.set()
            goes_on.wait()
            raise QuizwriterError("The disk is full.", "Free some disk space.")

    disk = DiskSync(sync)
    disk.follow()
    qtbot.waitUntil(works.is_set)
    for _ in range(2):
        disk.follow()
    goes_on.set()
    qtbot.waitUntil(lambda: len(synced) == 2)
    (jobs,) = disk.findChildren(Jobs)
    jobs.ask(lambda _: None, came.append)
    qtbot.waitUntil(lambda: came == [None])  # behind whatever the disk has to do
    stop_background(disk)
    assert len(synced) == 2
