"""A plugin of pytest for ``make mutants``: each run of the tests begins with empty caches.

mutmut runs the tests once and forks that process for each mutant; values that the sound code has cached would
answer in the place of the mutant.
"""

import gc
from functools import _lru_cache_wrapper


def pytest_sessionstart() -> None:
    """Empty each cache of a function of the program."""
    for found in gc.get_objects():
        if isinstance(found, _lru_cache_wrapper) and found.__module__.startswith("quizwriter."):
            found.cache_clear()
