"""What tests of experiments share: programs on the starter bundle."""

import pytest

from quizwriter.services.wiring import App


@pytest.fixture
def app(tmp_path, starter):
    """A program with an empty database."""
    with App(tmp_path / "home", bundle=starter) as app:
        yield app


@pytest.fixture(scope="module")
def shared_app(tmp_path_factory, starter):
    """A program for all tests of a module, which only play: games that one test had played are kept."""
    with App(tmp_path_factory.mktemp("home"), bundle=starter) as app:
        yield app


@pytest.fixture(scope="session")
def told():
    """All that a report says, without what takes half a second and follows from it: the plot."""
    return lambda report: (report.found, report.as_json())
