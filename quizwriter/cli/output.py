"""What commands print: sentences, tables, JSON, progress and errors. No other module of this package prints.

Rich is imported where it is used, because the window starts through this package, too.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.errors import QuizwriterError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from quizwriter.services.recording import RecordReport

T = TypeVar("T")

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""

_CONTROL = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that make a terminal do something; only tabs and ends of lines may."""

_LOST_OUTPUT = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT}


def exit_status(run: Callable[[], int], stopped: str = "") -> int:
    """The exit status of the command ``run``; its errors are printed, and a closed output ends it quietly.

    ``stopped`` is printed after Ctrl-C.
    """
    if sys.stdout is None:  # closed, or started without a console
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the program
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ✓ still shows the other letters
    try:
        status = run()
        sys.stdout.flush()
        return status
    except QuizwriterError as trouble:
        print_trouble(trouble)
        return INTERRUPTED if isinstance(trouble, Cancelled) else 1
    except KeyboardInterrupt:
        print_notes(*filter(None, [stopped]))
        return INTERRUPTED
    except BrokenPipeError:  # the program that read the output has ended
        _discard_output()
        return 0
    except OSError as trouble:  # of the output: services report their own files as QuizwriterError
        if trouble.errno not in _LOST_OUTPUT:
            raise
        _discard_output()
        problem = f"The output could not be written ({trouble.strerror})."
        print_trouble(QuizwriterError(problem, "Free some disk space, or send it elsewhere."))
        return 1


@contextmanager
def cancelled_by_interrupt() -> Iterator[Cancellation]:
    """A token for the work in the block, which the first Ctrl-C cancels; a second one ends the program.

    The work stops between two steps, so that what it says of itself is true.
    """
    cancellation = Cancellation()
    if threading.current_thread() is not threading.main_thread():  # signals come to that thread only
        yield cancellation
        return
    before = signal.getsignal(signal.SIGINT)

    def cancel(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        cancellation.cancel()

    signal.signal(signal.SIGINT, cancel)
    try:
        yield cancellation
    finally:
        signal.signal(signal.SIGINT, before)


def print_trouble(trouble: QuizwriterError) -> None:
    print_notes(trouble.problem, trouble.remedy)


def print_notes(*lines: str) -> None:
    if sys.stderr is not None:  # print() would take None for the standard output
        for line in lines:
            print(_plain(line), file=sys.stderr)


def _discard_output() -> None:
    """Let nothing more be written at the exit, where it would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _plain(text: str) -> str:
    """``text`` without control characters: texts come from other people."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def print_lines(*lines: str) -> None:
    for line in lines:
        print(_plain(line))


def print_json(value: object) -> None:
    """Print ``value`` as JSON. Letters that the output cannot show are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=1)
    print(text)


def print_text(text: str, *styles: tuple[int, int, str]) -> None:
    """Print ``text`` in lines as wide as the terminal.

    Each of ``styles`` is a start, an end and how a terminal shows the characters between them.
    """
    from rich.text import Text

    styled = Text(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
    for start, end, style in styles:
        styled.stylize(style, start, end)
    _console().print(styled)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str = "") -> None:
    """Print a table with the titles ``columns``; every cell is plain text. A row may lack its last cells."""
    from rich.table import Table

    table = Table(*columns, title=_plain(title) or None, title_justify="left")
    for row in rows:
        table.add_row(*map(_plain, row))
    _console().print(table)


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    class CommandConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # as from print(); Rich would exit with 1

    return CommandConsole(stderr=stderr, highlight=False, markup=False, emoji=False)


class ProgressBars:
    """Shows how far slow work is, with a bar for each part of it."""

    def __init__(self, bars: Progress | None = None) -> None:
        """Draw on ``bars``; without them nothing is shown."""
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def show(self, work: str, done: float, total: float | None) -> None:
        """Show that ``done`` of ``total`` of ``work`` is done; of None or 0 nobody knows how much it is."""
        if self._bars is None:
            return
        if work not in self._tasks:
            self._tasks[work] = self._bars.add_task(work)
        self._bars.update(self._tasks[work], completed=done, total=total or None)

    def counter(self, work: str) -> Callable[[float, float], None]:
        """A function that a service calls with the number of steps of ``work`` done, and of all."""
        return lambda done, total: self.show(work, done, total)

    def counted(self, work: str, things: Sequence[T]) -> Iterator[T]:
        """``things``; each counts as done when the next is asked for."""
        for done, thing in enumerate(things):
            self.show(work, done, len(things))
            yield thing
        self.show(work, len(things), len(things))


@contextmanager
def progress() -> Iterator[ProgressBars]:
    """Progress bars on standard error within the block; nothing is shown where that is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield ProgressBars()
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_console(stderr=True), transient=True, redirect_stdout=False) as bars:
        yield ProgressBars(bars)


def print_recorded(done: RecordReport, sentence: str, *, as_json: bool = False) -> int:
    """Print what was recorded, and each reason for a refusal once, with the ids; the exit status."""
    if as_json:
        print_json({"changed": list(done.changed), "refused": {key: str(why) for key, why in done.refused}})
    else:
        print_lines(sentence)
        for reason in done.reasons:
            print_lines(f"{reason.sentence} ({', '.join(reason.tossups)})")
    return 1 if done.refused else 0
