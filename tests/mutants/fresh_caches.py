"""A plugin of pytest for ``make mutants``: each test begins with empty caches.

mutmut runs the tests once, notes which of them reach a function, and forks that process for each mutant.
Values that the sound code has cached would answer in the place of the mutant, and of two tests that ask for
the same value only the first would be noted.
"""

import sys
from functools import _lru_cache_wrapper


def pytest_runtest_setup() -> None:
    """Empty each cache of a function; a look at all objects would miss those that are frozen."""
    for name, module in list(sys.modules.items()):
        if name.startswith("quizwriter."):
            for found in vars(module).values():
                if isinstance(found, _lru_cache_wrapper):
                    found.cache_clear()
