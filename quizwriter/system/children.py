"""The program's own child processes: which there are, the command that starts each, and how one begins.

A checkout, an installed wheel and a frozen program start them alike: the program itself runs with
:data:`OPTION` and a name of the closed list, and :mod:`quizwriter.__main__` hands over to :func:`run_child`.
"""

from __future__ import annotations

import gc
import sys
from enum import StrEnum
from pkgutil import resolve_name

OPTION = "--child-process"
"""The first argument of a child process; the name of a :class:`Child` follows."""


class Child(StrEnum):
    """A child process: its name on the command line, and the function it runs as "module:function".

    The function takes the other arguments and returns the exit status.
    """

    function: str

    PLAYERS = "players", "quizwriter.engine.player_process:main"
    BUILDER = "builder", "index_builder.__main__:main"
    TRIALS = "trials", "index_builder.trials:main"
    BONUSES = "bonuses", "index_builder.data.bonus_process:main"
    TERMS = "terms", "index_builder.index.bundle_index:main"
    TOKENS = "tokens", "index_builder.index.tokenized_corpus:main"
    WORDS = "words", "index_builder.index.word_list:main"
    ROOM = "room", "quizwriter.services.room_server:main"
    TIMED_WINDOW = "timed-window", "quizwriter.bench.window:main"
    LONG_USE = "long-use", "quizwriter.bench.long:main"

    def __new__(cls, name: str, function: str) -> Child:
        child = str.__new__(cls, name)
        child._value_ = name
        child.function = function
        return child


def child_command(child: Child, *arguments: str) -> tuple[str, ...]:
    frozen = getattr(sys, "frozen", False)  # then the executable is the program, not Python
    program = (sys.executable,) if frozen else (sys.executable, "-P", "-m", "quizwriter")
    return (*program, OPTION, child.value, *arguments)


def run_child(arguments: list[str]) -> int:
    """Be the child process that ``arguments``, those behind :data:`OPTION`, name; the exit status."""
    name, *others = arguments or [""]
    child = {one.value: one for one in Child}.get(name)
    if child is None:
        sys.stderr.write(f"There is no child process “{name}”.\n")
        return 2
    function = resolve_name(child.function)
    gc.enable()  # quizwriter.__main__ disables it for the imports
    status: int = function(others)
    return status
