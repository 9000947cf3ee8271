"""Directives for tables that are read from the program and the Makefile, and so are not written twice."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from quizwriter.challenge.documents import FILE_DESCRIPTIONS
from quizwriter.cli.commands import COMMANDS
from quizwriter.cli.parser import parser_of_all
from quizwriter.domain.review import Status, allowed_next
from quizwriter.experiments.registry import experiments
from quizwriter.store.schema import migrate
from quizwriter.store.views import VIEWS
from quizwriter.workflow.checks import checks
from quizwriter.workflow.problems.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sphinx.application import Sphinx


def commands() -> list[tuple[str, str]]:
    """Each command as it is typed, with the sentence of its help."""
    parser_of_all()  # imports the modules that declare commands
    return [(f"quizwriter {command.name}", command.summary) for command in COMMANDS.values()]


def table(head: tuple[str, ...], rows: Iterable[tuple[nodes.Node, ...]]) -> nodes.table:
    """A table with the titles ``head``; each row has a node for each column."""
    titles = nodes.row("", *(nodes.entry("", nodes.paragraph(text=title)) for title in head))
    body = nodes.tbody("", *(nodes.row("", *(nodes.entry("", cell) for cell in row)) for row in rows))
    widths = (nodes.colspec(colwidth=1) for _ in head)
    return nodes.table("", nodes.tgroup("", *widths, nodes.thead("", titles), body, cols=len(head)))


def text(words: str) -> nodes.paragraph:
    """A cell of words; those between backticks are code."""
    parts = enumerate(words.split("`"))
    cells = (nodes.literal(text=part) if at % 2 else nodes.Text(part) for at, part in parts)
    return nodes.paragraph("", "", *cells)


def code(words: str) -> nodes.paragraph:
    """A cell of code."""
    return nodes.paragraph("", "", nodes.literal(text=words))


class Commands(SphinxDirective):
    """``commands``: every command of the program."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each command and what its help says."""
        rows = ((code(command), text(summary)) for command, summary in commands())
        return [table(("command", "what it does"), rows)]


class Rules(SphinxDirective):
    """``rules``: every rule of the list of problems."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each rule, and a text in which it finds a problem."""
        rows = (
            (
                code(rule.name),
                text(rule.title),
                text(rule.wrong),
                text(", ".join(need.title for need in rule.needs)),
            )
            for rule in RULES.values()
        )
        return [table(("rule", "title in the style sheet", "it marks, for example", "it needs"), rows)]


class Checks(SphinxDirective):
    """``checks``: every rule that holds a tossup back from *ready*."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each check and when it passes."""
        rows = ((code(name), text(check.when)) for name, check in checks().items())
        return [table(("check", "it passes when"), rows)]


class Views(SphinxDirective):
    """``views``: every view of the database."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each view, its columns, and what one of its rows is."""
        with closing(sqlite3.connect(":memory:")) as db:
            migrate(db)
            columns = {
                name: ", ".join(column[1] for column in db.execute(f"pragma table_info({name})"))
                for name in VIEWS
            }
        rows = ((code(name), text(view.row), code(columns[name])) for name, view in VIEWS.items())
        return [table(("view", "a row of it is", "columns"), rows)]


class Statuses(SphinxDirective):
    """``statuses``: which status may follow which."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each status."""
        rows = ((text(status), text(", ".join(allowed_next(status)))) for status in Status)
        return [table(("status", "what may follow"), rows)]


class SetFiles(SphinxDirective):
    """``set-files``: the files of a challenge set."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each file and what the README of a set says of it."""
        rows = ((code(name), text(meaning)) for name, meaning in FILE_DESCRIPTIONS.items())
        return [table(("file", "what it holds"), rows)]


class Experiments(SphinxDirective):
    """``experiments``: every experiment, with its question and where that comes from."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each experiment."""
        rows = ((code(found.name), text(found.asks), text(found.source)) for found in experiments().values())
        return [table(("experiment", "what it asks", "source"), rows)]


class Targets(SphinxDirective):
    """``targets``: what can be typed behind ``make``."""

    def run(self) -> list[nodes.Node]:
        """A table with a row for each line of the list at the top of the Makefile."""
        makefile = Path(__file__).parents[2] / "Makefile"
        self.env.note_dependency(str(makefile))
        lines = re.findall(r"^#   (make .+?)  +(.+)$", makefile.read_text(encoding="utf-8"), re.MULTILINE)
        return [
            table(("command", "what it does"), ((code(typed), text(meaning)) for typed, meaning in lines))
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directives."""
    app.add_directive("commands", Commands)
    app.add_directive("rules", Rules)
    app.add_directive("views", Views)
    app.add_directive("statuses", Statuses)
    app.add_directive("set-files", SetFiles)
    app.add_directive("experiments", Experiments)
    app.add_directive("targets", Targets)
    app.add_directive("checks", Checks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
