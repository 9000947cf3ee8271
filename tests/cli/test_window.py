"""``quizwriter`` without a command. What the window does is tested in ``tests/gui``."""

from __future__ import annotations

import sys

import pytest

from quizwriter.cli import main


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="There is always a screen.")
def test_without_a_screen_it_says_what_to_do_and_writes_nothing(capsys, monkeypatch, tmp_path, home):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)

    assert main([]) == 1

    out, err = capsys.readouterr()
    problem, remedy = err.splitlines()
    assert "needs a screen" in problem
    assert "quizwriter play FILE" in remedy
    assert (out, list(folder.iterdir()), home.exists()) == ("", [], False)
