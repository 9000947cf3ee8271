"""Python's garbage collector, kept to the window's thread and out of the way of whoever types.

A sweep takes about a millisecond for every thousand objects that it looks at, and the window stands still
meanwhile. So no sweep looks at what was loaded to stay, and large sweeps wait for a pause in typing.
"""

from __future__ import annotations

import gc
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QTimer

log = logging.getLogger(__name__)

TURN_S = 0.0005
"""How long a player's thread computes before the window's gets its turn; Python's own 5 ms can be felt."""


SWEEP_MS = 1_000
"""How often the window's thread looks whether there is garbage."""


MOST_NEW = 10_000
"""Objects made since the last sweep that are still there; more of them are loaded data, and no garbage."""


PAUSE_S = 1.0
"""How long nobody types before older objects are swept."""


AWAY_S = 120.0
"""How long nobody types, nor loads data, before everything is swept: data may have become garbage."""


class GarbageSweeper:
    """Sweeps a little at a time; see :meth:`sweep`. There is one collector in a process, so one of these."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._typed = self._loaded = clock()  # when a key was pressed last, and when data were set aside
        self._set_aside = False  # whether data were set aside since everything was swept

    def note_key(self) -> None:
        """Somebody types: large sweeps wait."""
        self._typed = self._clock()

    def sweep(self) -> None:
        """Sweep what is due.

        Many new objects are loaded data: they are set aside, which takes no time. Few are swept. Older
        objects are swept only in a pause, and those set aside only when nothing has happened for long.
        """
        count, threshold, now = gc.get_count(), gc.get_threshold(), self._clock()
        if count[0] > MOST_NEW:
            gc.freeze()
            self._set_aside, self._loaded = True, now
        elif self._set_aside and now - max(self._typed, self._loaded) > AWAY_S:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._set_aside = False
        else:
            for generation in (2, 1, 0) if now - self._typed > PAUSE_S else (0,):
                if count[generation] > threshold[generation]:
                    gc.collect(generation)
                    return


sweeper = GarbageSweeper()
"""The one of this process."""


@contextmanager
def collecting_garbage_here() -> Iterator[None]:
    """Python's cyclic garbage is collected in this thread only, between events.

    Otherwise whichever thread happens to trip the collector would destroy widgets that another one is
    painting, and Qt crashes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()  # modules and the window are here to stay: the first sweeps would take 50 ms over them
    sweeper.note_key()  # whoever opens the window is about to type
    interval = sys.getswitchinterval()
    sys.setswitchinterval(TURN_S)
    timer = QTimer()
    timer.setInterval(SWEEP_MS)
    timer.timeout.connect(sweeper.sweep)
    timer.start()
    try:
        yield
    finally:
        timer.stop()
        gc.unfreeze()
        sys.setswitchinterval(interval)
        if was_enabled:
            gc.enable()
