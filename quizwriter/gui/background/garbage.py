"""Python's garbage collector, kept to the window's thread."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from PySide6.QtCore import QTimer

log = logging.getLogger(__name__)

T = TypeVar("T")

TURN_S = 0.0005
"""How long a player's thread computes before the window's gets its turn; Python's own 5 ms can be felt."""


SWEEP_MS = 1_000
"""How often the window's thread looks whether there is garbage."""


@contextmanager
def collecting_garbage_here() -> Iterator[None]:
    """Python's cyclic garbage is collected in this thread only, between events.

    Otherwise whichever thread happens to trip the collector would destroy widgets that another one is
    painting, and Qt crashes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()  # modules and the window are here to stay: the first sweeps would take 50 ms over them
    interval = sys.getswitchinterval()
    sys.setswitchinterval(TURN_S)
    timer = QTimer()
    timer.setInterval(SWEEP_MS)
    timer.timeout.connect(_collect_garbage)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
        gc.unfreeze()
        sys.setswitchinterval(interval)
        if was_enabled:
            gc.enable()


def _collect_garbage() -> None:
    for generation in (2, 1, 0):
        if gc.get_count()[generation] > gc.get_threshold()[generation]:
            gc.collect(generation)
            return
