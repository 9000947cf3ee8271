"""The documentation says what is so."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from quizwriter.cli import command_parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_the_readme_names_is_understood():
    named = re.findall(r"^\| `quizwriter ([^`]+)` \|", README, re.MULTILINE)

    (commands,) = (one for one in command_parser()._actions if isinstance(one, argparse._SubParsersAction))
    assert {line.split()[0] for line in named} == set(commands.choices)
    for line in named:
        arguments = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        command_parser().parse_args(arguments)


def test_every_file_the_readme_shows_is_there():
    for name in re.findall(r"\]\(([^):]+)\)", README):
        assert (ROOT / name).is_file()


def test_the_make_targets_the_readme_names_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in set(re.findall(r"`?make ([a-z-]+)", README)) - {"installs"}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
