"""The program's own child processes, in a checkout and in a frozen program."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import resolve_name

import pytest

from quizwriter.system.children import Child, child_command, run_child


@pytest.mark.parametrize("child", Child)
def test_each_child_runs_a_function_of_the_program(child):
    assert callable(resolve_name(child.function))


def test_python_starts_it_in_a_checkout_and_the_program_itself_where_it_is_frozen(monkeypatch):
    arguments = ("--child-process", "trials", "--more")

    assert child_command(Child.TRIALS, "--more") == (sys.executable, "-P", "-m", "quizwriter", *arguments)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert child_command(Child.TRIALS, "--more") == (sys.executable, *arguments)


def test_the_program_becomes_the_child_that_is_named():
    done = subprocess.run(
        child_command(Child.BUILDER, "--help"), capture_output=True, text=True, check=True, timeout=60
    )

    assert "Build the bundles that QuizWriter loads." in done.stdout


@pytest.mark.parametrize("name", ["", "os:system", "index_builder.trials:main", "PLAYERS"])
def test_the_list_is_closed(name, capsys):
    assert run_child([name]) == 2
    assert "There is no child process" in capsys.readouterr().err
