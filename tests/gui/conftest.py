"""What the tests of windows share beside the fixtures of all tests."""

from __future__ import annotations

from functools import partial

import pytest
from msgspec.structs import replace

from quizwriter.services.wiring import App
from tests.helpers.windows import leave, put_back, shared


@pytest.fixture(autouse=True)
def _shared_windows():
    yield
    for window in shared:
        leave(window)


@pytest.fixture
def theme(qapp):
    from quizwriter.gui.theme import Theme

    return Theme(qapp, scheme="light", draft_font="", draft_size_px=16)


@pytest.fixture
def saver(app):
    from quizwriter.gui.background.saver import Saver

    saver = Saver(app.store.save)
    yield saver
    saver.stop()


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


@pytest.fixture(scope="module")
def shared_app(tmp_path_factory):
    """As ``app``, for all tests of a file together."""
    app = App(tmp_path_factory.mktemp("shared"))
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    yield app
    app.store.close()


@pytest.fixture(scope="module")
def _shared_window(shared_app, open_shared):  # in this order: the database closes last
    return open_shared(shared_app, start=False, right=False)


@pytest.fixture
def shared_window(qtbot, _shared_window):
    """As ``window``, made once for all tests of a file: with an empty draft above an empty database."""
    return put_back(_shared_window, qtbot, right=False)


@pytest.fixture(scope="module")
def _reopened(open_shared):
    return open_shared()


@pytest.fixture
def reopen(qtbot, _reopened):
    """Opens a window as ``open_window`` does, once a test: the one that all tests of the file share."""
    return partial(put_back, _reopened, qtbot)
