"""What the tests of windows share beside the fixtures of all tests."""

from __future__ import annotations

import pytest


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
