"""What tests of experiments share: programs on the starter bundle."""

import pytest

from quizwriter.experiments import runner
from quizwriter.services.wiring import App


@pytest.fixture
def app(tmp_path, starter, engine):
    """A program with an empty database."""
    with App(tmp_path / "home", bundle=starter) as app:
        app.engines.load = lambda: engine
        yield app


@pytest.fixture(scope="module")
def shared_app(tmp_path_factory, starter, engine):
    """A program for all tests of a module, which only play: games that one test had played are kept."""
    with App(tmp_path_factory.mktemp("home"), bundle=starter) as app:
        app.engines.load = lambda: engine
        yield app


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch):
    """A plot of a report is what would be drawn: to draw it takes half a second."""

    def drawn(*what, kinds=("svg", "png"), **styles):
        return dict.fromkeys(kinds, repr((what, styles)).encode())

    monkeypatch.setattr(runner, "draw", drawn)


@pytest.fixture(scope="session")
def told():
    """All that a report says, without what follows from it: its files."""
    return lambda report: (report.found, report.as_json())
