"""Rules of the architecture that the import contracts in pyproject.toml cannot express."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import quizwriter

GUI = Path(quizwriter.__file__).parent / "gui"
APP_NAMES = {"app", "_app"}
SPOKEN = re.compile(r'messages\.(?:show_message|telling|dismiss)[(,]\s*(?:"([^"]+)")?')


def store_reads(source: str) -> list[int]:
    """The lines of ``source`` on which the attribute ``store`` of an app is read."""
    if not re.search(r"(?<!quizwriter)\.[\s\\]*store\b", source):
        return []  # without a syntax tree, which takes long
    return sorted(
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr == "store"
        and (
            (isinstance(node.value, ast.Name) and node.value.id in APP_NAMES)
            or (isinstance(node.value, ast.Attribute) and node.value.attr in APP_NAMES)
        )
    )


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
    assert store_reads("x = 1\n(self.app  # of the window\n .store.load('a'))\ny = app.\\\nstore") == [2, 4]
    assert store_reads("from quizwriter.store import x  # not app.store\n'app.store'\n") == []


def test_a_kind_of_message_belongs_to_one_module():
    speakers = defaultdict(set)
    for path in GUI.rglob("*.py"):
        for kind in SPOKEN.findall(path.read_text(encoding="utf-8")):
            speakers[kind].add(path.name)

    assert len(speakers) > 30
    assert "" not in speakers, "a kind of message is written out where it is shown"
    assert [(kind, names) for kind, names in speakers.items() if len(names) > 1] == []
