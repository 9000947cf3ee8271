"""What several test files need: the starter bundle, and the shared data."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

from index_builder.starter import starter_bundle
from quizwriter.app import resources
from quizwriter.engine import load

SHARED = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def starter(tmp_path_factory):
    """The folder of the starter bundle, built once a run."""
    return starter_bundle(resources() / "starter", tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="session")
def engine(starter):
    """The engine of the starter bundle."""
    return load(starter)
