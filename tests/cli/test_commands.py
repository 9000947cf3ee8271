"""The table of commands: what is declared in it is everywhere, and each program has its own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from quizwriter.cli import builder_main, main
from quizwriter.cli.commands import COMMANDS, argument, builder_command, command
from quizwriter.cli.parser import builder_parser, parser_of_all


@pytest.fixture(autouse=True)
def declared():
    """The table, all of it; what a test adds goes again."""
    parser_of_all()
    before = dict(COMMANDS)
    yield
    COMMANDS.clear()
    COMMANDS.update(before)


@pytest.fixture
def greet():
    """A made-up command, declared: the one thing that is done for it."""
    given = []

    @command("greet", "Greet a player of the bundle.", argument("name", help="who is greeted"), json=True)
    def run(arguments):
        given.append(arguments)
        return 3

    return given


def test_a_declared_command_is_run_with_its_arguments(greet, tmp_path):
    assert main(["greet", "IR", "--json", "--bundle", str(tmp_path)]) == 3
    (arguments,) = greet
    assert (arguments.name, arguments.json, arguments.bundle) == ("IR", True, tmp_path)


def test_the_help_and_the_page_say_what_it_does(greet, capsys):
    for line in (["--help"], ["greet", "--help"]):
        with pytest.raises(SystemExit):
            main(line)
    of_all, of_it = capsys.readouterr().out.split("usage: quizwriter greet")
    assert "greet       Greet a player of the bundle." in of_all
    assert "who is greeted" in of_it
    assert ("quizwriter greet", "Greet a player of the bundle.") in tables().commands()


def tables():
    pytest.importorskip("docutils")
    path = Path(__file__).parents[2] / "docs" / "extensions" / "tables.py"
    spec = importlib.util.spec_from_file_location("tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_command_that_makes_bundles_is_in_both_programs(greet, capsys):
    @builder_command("melt", "Melt a bundle.", stopped="Stopped; it is half molten.")
    def melt(arguments):
        raise KeyboardInterrupt

    assert main(["melt"]) == 130
    assert builder_main(["melt"]) == 130
    assert capsys.readouterr().err == "Stopped; it is half molten.\n" * 2
    with pytest.raises(SystemExit):
        builder_main(["greet", "IR"])


def test_a_command_below_another_one_is_found(capsys):
    found = builder_parser().parse_args(["fetch", "qanta", "--out", "here"])
    assert (found.run, found.out) == (COMMANDS["fetch qanta"].run, Path("here"))
