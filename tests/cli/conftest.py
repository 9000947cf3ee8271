"""What the tests of several commands need."""

from __future__ import annotations

import json

import pytest

from quizwriter.cli import main
from quizwriter.store.store import Store
from tests.helpers.made_histories import fill

BUTTERFLY = (
    "This opera's humming chorus is sung while Suzuki sleeps. Sharpless reads a letter in this opera. (*) "
    "For 10 points, name this work about Pinkerton and Cio-Cio-San."
)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of its own for every test."""
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def command(capsys):
    """Runs a command with ``--json``; what it prints, decoded."""

    def run(*arguments, status=0):
        assert main([*map(str, arguments), "--json"]) == status
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def draft(tmp_path):
    """A text file with a tossup on Madama Butterfly."""
    path = tmp_path / "draft.txt"
    path.write_text(BUTTERFLY, encoding="utf-8")
    return path


@pytest.fixture
def made(home):
    """The ids of eight tossups in the database, with histories and reviews."""
    home.mkdir()
    store = Store(home / "quizwriter.db")
    keys = fill(store, 8, seed=6)
    store.close()
    return keys
