"""The processor's time for a job, where a sweep of garbage or another thread may come between."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(job: Callable[[], object], limit: float, between: Callable[[], None] = lambda: None) -> float:
    """The processor's time for ``job``; over ``limit``, the best of three with ``between`` between them."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        job()
        best = min(best, time.process_time() - begun)
        if best <= limit:
            break
        between()
    return best
