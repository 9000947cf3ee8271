"""Savings brought to the disk: what a store that outlives its window tells of them."""

from __future__ import annotations

import shiboken6

from quizwriter.gui.background.disk_sync import DiskSync
from quizwriter.gui.background.jobs import stop_background


def test_a_store_that_outlives_the_window_saves_on(qapp):
    disk = DiskSync(lambda: None)
    disk.end()
    stop_background(disk)
    shiboken6.delete(disk)

    disk.follow()  # the store knows it still
