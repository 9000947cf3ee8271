"""What the tests of windows share beside the fixtures of all tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from quizwriter.services import App


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The application of a writer named Ada, with a database and no bundle."""
    app = App(tmp_path)
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    yield app
    app.store.close()
