"""A pytest plugin: a test fails when the program logs a warning or worse that the test did not announce.

``@pytest.mark.logs("could not play")`` announces records whose text, traceback included, has a match of that
pattern; at least one has to come. With ``always=False`` it may also stay away.
"""

from __future__ import annotations

import logging
import re

import pytest

from tests.helpers.leaks import FAILED


class Logs(logging.Handler):
    """Collects the records of one test, from all threads."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said: list[str] = []
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record):
        """Keep what it says: the record itself may change before somebody reads it."""
        self.said.append(self.format(record))

    def pytest_configure(self, config):
        """Explain the marker."""
        config.addinivalue_line(
            "markers", "logs(*patterns, always=True): the program logs warnings that match these patterns"
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Listen from before the first fixture until after the last."""
        self.said = []
        logging.getLogger().addHandler(self)
        try:
            return (yield)
        finally:
            logging.getLogger().removeHandler(self)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        """Fail the test for a record it did not announce, or one announced that did not come."""
        result = yield
        if not item.stash.get(FAILED, False):
            marks = list(item.iter_markers("logs"))
            announced = [pattern for mark in marks for pattern in mark.args]
            strange = [
                one
                for one in self.said
                if not any(re.search(pattern, one, re.DOTALL) for pattern in announced)
            ]
            wanted = [pattern for mark in marks if mark.kwargs.get("always", True) for pattern in mark.args]
            missing = [
                pattern
                for pattern in wanted
                if not any(re.search(pattern, one, re.DOTALL) for one in self.said)
            ]
            if strange:
                pytest.fail("The program logged unexpectedly:\n" + "\n".join(strange), pytrace=False)
            if missing:
                pytest.fail(f"The program never logged: {missing}", pytrace=False)
        return result
