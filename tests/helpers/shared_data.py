"""The folder of real questions beside the repository, and what happens where something is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "data"
"""Real questions; never inside the repository."""


def not_here(reason):
    """Skip what cannot be tested here; where everything is to be tested, fail."""
    if os.environ.get("QUIZWRITER_REQUIRE_DATA"):
        pytest.fail(reason)
    pytest.skip(reason)
