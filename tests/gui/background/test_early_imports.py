"""Modules of windows are imported one at a time in a pause, each before what needs it."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QObject

from quizwriter.gui.background import early_imports
from quizwriter.gui.background.early_imports import MODULES, EarlyImports


@pytest.fixture
def imported(monkeypatch):
    found = []
    monkeypatch.setattr(early_imports, "import_module", found.append)
    monkeypatch.setattr(early_imports, "PAUSE_MS", 40)
    monkeypatch.setattr(early_imports, "BETWEEN_MS", 1)
    return found


def test_nothing_is_imported_before_it_begins_nor_while_keys_come(qtbot, imported):
    owner = QObject()
    imports = EarlyImports(owner, ("one", "two", "three"))
    imports.note_key()
    qtbot.wait(60)
    assert imported == []

    imports.begin()
    assert imported == []
    qtbot.waitUntil(lambda: imported == ["one", "two", "three"])
    imports.note_key()
    qtbot.wait(60)
    assert imported == ["one", "two", "three"]


def test_no_module_brings_another_one_of_the_list_with_it():
    source = (
        "import sys, quizwriter.gui.main_window\n"
        "from importlib import import_module\n"
        "from quizwriter.gui.background.early_imports import MODULES\n"
        "for name in MODULES:\n"
        "    assert name not in sys.modules, name\n"
        "    import_module(name)\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert len(MODULES) == len(set(MODULES))
