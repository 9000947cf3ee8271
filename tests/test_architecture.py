"""Rules of the architecture that the import contracts in pyproject.toml cannot express."""

from __future__ import annotations

import re
from pathlib import Path

import quizwriter

GUI = Path(quizwriter.__file__).parent / "gui"
STORE_OF_AN_APP = re.compile(r"\b_?app\.store\b")


def store_reads(source: str) -> list[int]:
    """The lines of ``source`` on which the attribute ``store`` of an app is read."""
    return [at for at, line in enumerate(source.splitlines(), start=1) if STORE_OF_AN_APP.search(line)]


def test_windows_ask_services_instead_of_the_store():
    files = sorted(GUI.rglob("*.py"))
    found = [
        f"{path.relative_to(GUI.parent)}:{line}"
        for path in files
        for line in store_reads(path.read_text(encoding="utf-8"))
    ]

    assert len(files) > 30
    assert found == [], "quizwriter/gui reads app.store; ask a class of quizwriter.services instead"


def test_a_read_of_the_store_of_an_app_is_found_however_it_is_written():
    source = "app.store\nself._app.store.load('a')\nwindow.app.store\nself.store\nx = self._app.queue\n"

    assert store_reads(source) == [1, 2, 3]
