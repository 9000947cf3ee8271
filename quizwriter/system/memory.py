"""Memory that goes back to the system with a bundle: caches that hold nobody, and the heap."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from typing import TypeVar
from weakref import WeakMethod

T = TypeVar("T")


def own_cache(method: Callable[..., T], maxsize: int) -> _lru_cache_wrapper[T]:
    """``method``, with its last results remembered, for its own object to keep.

    A plain ``lru_cache`` of a bound method holds the object that holds it: a bundle would stay in memory,
    with its files open, until the next sweep for garbage, and the window sweeps rarely.
    """
    weak = WeakMethod(method)

    def call(*arguments: object) -> T:
        found = weak()
        assert found is not None
        return found(*arguments)

    return lru_cache(maxsize)(call)


_ARENAS = -8  # M_ARENA_MAX of malloc.h


def keep_one_heap() -> None:
    """Have all threads share one heap, where the system's library is glibc; before they start.

    With one for each thread, what a bundle leaves free in one is of no use to the next that another loads.
    """
    _call_of_glibc("mallopt", _ARENAS, 1)


def return_memory() -> None:
    """Give freed memory back to the system, where its library, glibc, keeps it. Takes some 50 ms."""
    _call_of_glibc("malloc_trim", 0)


def _call_of_glibc(name: str, *numbers: int) -> None:
    if sys.platform == "linux":
        function = getattr(ctypes.CDLL(None), name, None)  # musl has none
        if function is not None:
            function(*numbers)
