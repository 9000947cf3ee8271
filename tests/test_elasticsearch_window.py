"""A real server in trouble: its lane says what and what helps, and the others play on as if it were not there."""

import json
import time
from dataclasses import replace

import pytest
import trustme

from quizwriter.app import App
from quizwriter.cli import main
from quizwriter.domain.tossup import Tossup
from quizwriter.settings import ServerSettings
from tests.elasticsearch_front import Front

SOON = 2.0
"""Seconds within which the guesses of this computer are there, whatever the server does."""

OPENING = "This opera"


@pytest.fixture
def writing(qtbot, open_window, tmp_path, starter, monkeypatch):
    """Opens a real window beside a server."""
    made = []

    def write(server, text=OPENING, again_ms=100):
        app = App(tmp_path / "home", starter)
        made.append(app)
        app.trains = False
        app.change(replace(app.settings, elasticsearch=replace(server, on=True)))
        window = open_window(app, tossup=Tossup(text), start=False)
        reader = window.machine._readers[2]
        reader._first_ms = reader._wait_ms = again_ms
        with qtbot.waitSignal(window.machine.loaded):
            window.start()
        return window

    yield write
    for app in made:
        app.store.close()


def said(window):
    """What the lane of the server says instead of a game."""
    lanes = {one.name: one for one in window.time_line._lanes}
    lane = lanes.get("elasticsearch")
    return (lane.trouble or "") if lane else ""


def plays(window):
    lanes = {one.name: one for one in window.time_line._lanes}
    lane = lanes.get("elasticsearch")
    return bool(lane and lane.states) and "elasticsearch" in window._fresh


def type_along(qtbot, window, text=" about a geisha"):
    """Types; the seconds until the guesses of this computer for the slowest key were on screen."""
    slowest = 0.0
    for letter in text:
        pressed = time.monotonic()
        with qtbot.waitSignal(window.painted, timeout=10_000):
            qtbot.keyClicks(window.draft, letter)
        slowest = max(slowest, time.monotonic() - pressed)
    return slowest


@pytest.fixture
def authority():
    return trustme.CA()


@pytest.fixture
def front(published, authority):
    """Stands before the node; encrypted if told so."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def stand(*, encrypted=False):
            return stack.enter_context(
                Front(published.url, authority=authority if encrypted else None).standing()
            )

        yield stand


def there(published, **more):
    return replace(ServerSettings(url=published.url, index=published.index), **more)
