"""What the tests of windows share beside the fixtures of all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from quizwriter.services.wiring import App


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The application of a writer named Ada, with a database and no bundle."""
    app = App(tmp_path)
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    yield app
    app.store.close()


@pytest.fixture
def window(qtbot, qapp, app):
    """The main window of ``app``, in light."""
    from quizwriter.gui.application import make_window

    window = make_window(app, qapp, scheme="light")
    window.show()
    yield window
    window.close()
    window.deleteLater()
    qtbot.wait(1)
