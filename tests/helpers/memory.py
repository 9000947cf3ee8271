"""How much memory a block of a test takes at its peak."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@contextmanager
def memory_at_most(megabytes: int) -> Iterator[None]:
    """A block during which this process may grow by at most so much. Measured on Linux only."""
    if not _RESET.exists():
        yield
        return
    _RESET.write_text("5")  # the peak begins anew
    before = _read("VmRSS")
    yield
    grown = (_read("VmHWM") - before) >> 10
    assert grown <= megabytes, f"the process grew by {grown:,} MB, not by at most {megabytes:,} MB"


def _read(name: str) -> int:
    """A figure in kilobytes."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", _STATUS.read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None
    return int(found[1])
