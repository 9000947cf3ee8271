"""The two listeners to the builder's progress: bars for people, and lines of JSON for programs."""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from index_builder.data.catalogue import megabytes
from index_builder.progress import Progress
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport

LINE_EVERY = 0.2
"""Seconds from one line of JSON about progress to the next."""

NICENESS = 15
"""By how much a run that another program watches lowers its priority where both want a core."""

CURVE_SHOWN = 4
"""How many of the last measurements of a player in training stand before its bar."""

GRACE_S = 1.0
"""Seconds that a program may take to end in good order once no program reads its lines; then it is ended."""

STOPPED = 130
"""The exit status after an interrupt, as shells have it."""


class ConsoleProgress(Progress):
    """Shows a bar on the terminal for each file, index or training, and notes between the bars.

    It is a context manager: the bars are drawn while it is open.
    """

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), _SpeedColumn(), TimeRemainingColumn())
        self._bars = RichProgress(*columns, console=Console(stderr=True, highlight=False))
        self._tasks: dict[str, TaskID] = {}
        self._curves: dict[str, list[str]] = {}  # what each player in training was measured to know
        self._before: dict[str, int] = {}  # what an earlier run fetched, which says nothing about speed
        self._waited_for = ""

    def __enter__(self) -> ConsoleProgress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, trouble: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def reading(self, report: ReadReport) -> None:
        self._show(f"Reading {Path(report.path).name}", report.rows, report.read, 1.0)

    def reading_packets(self, done: int, total: int) -> None:
        """``done`` of ``total`` files of packets are read."""
        self._show("Reading packets", done, done, total)

    def indexing(self, done: int, total: int) -> None:
        self._show("Indexing", done, done, total)

    def fetching(self, name: str, done: int, total: int | None, unit: str) -> None:
        self._show(f"Fetching {name}", done - self._before.setdefault(name, done), done, total, unit)

    def sending(self, done: int, total: int) -> None:
        self._show("Sending", done - self._before.setdefault("Sending", done), done, total)

    def training(self, player: str, share: float) -> None:
        self._show(f"Training {player}", 0, share, 1.0)

    def measured(self, player: str, half: float, end: float) -> None:
        curve = self._curves.setdefault(player, [])
        curve.append(f"{half:.3f}/{end:.3f}")
        self._bars.update(
            self._tasks[f"Training {player}"],
            description=f"Training {player}, right after half/all: {', '.join(curve[-CURVE_SHOWN:])}",
        )

    def waiting(self, why: str, seconds: float) -> None:
        if why != self._waited_for:
            self._waited_for = why
            self.note(f"{why} Trying again.")

    def note(self, sentence: str) -> None:
        self._bars.console.print(sentence, markup=False)

    def step(self, number: int, of: int, name: str) -> None:
        self._tasks.clear()
        self.note(f"Step {number} of {of}: {name}")

    def published(self, bundle: Path) -> None:
        self.note(f"Published {bundle}.")

    def _show(self, name: str, counted: int, done: float, total: float | None, unit: str = "") -> None:
        """Draw the bar of ``name``; ``counted`` is what its speed is worked out from."""
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(name, total=total, counted=0, unit=unit)
        self._bars.update(self._tasks[name], completed=done, total=total, counted=counted)


class _SpeedColumn(ProgressColumn):
    """Rows, passages, articles or megabytes a second."""

    def render(self, task: Task) -> Text:
        speed = task.fields["counted"] / task.elapsed if task.elapsed else 0.0
        shown = f"{megabytes(round(speed))}/s" if task.fields["unit"] == "bytes" else f"{speed:,.0f}/s"
        return Text(shown if speed else "", "cyan")


class JsonProgress(Progress):
    """Writes progress for another program to standard output: JSON objects, one a line.

    The program that reads the lines stops this one, in good order, by closing its standard input; this one
    therefore stops too when that program is killed. Its priority is lowered by :data:`NICENESS`, because
    somebody may be typing in that program.
    """

    def __init__(self) -> None:
        if sys.platform != "win32":
            os.nice(NICENESS)
        self._doing = ""
        self._began = self._written = 0.0  # when the first and the last line about that were written
        self._first = 0.0  # how far it was in the first
        threading.Thread(target=_stop_when_unread, daemon=True).start()

    def step(self, number: int, of: int, name: str) -> None:
        self._write(step=number, of=of, name=name)

    def published(self, bundle: Path) -> None:
        self._write(published=str(bundle))

    def training(self, player: str, share: float) -> None:
        now = time.monotonic()
        if player != self._doing:
            self._doing, self._began, self._first = player, now, share
        if share >= 1 or now - self._written > LINE_EVERY:
            self._written = now
            done = share - self._first
            left = round((now - self._began) * (1 - share) / done) if done > 0 else None
            self._write(player=player, share=round(share, 3), seconds_left=left)

    def measured(self, player: str, half: float, end: float) -> None:
        self._write(player=player, half=round(half, 4), end=round(end, 4))

    def reading(self, report: ReadReport) -> None:
        self._write_share(f"Reading {Path(report.path).name}", report.read, 1.0, "")

    def indexing(self, done: int, total: int) -> None:
        self._write_share("Indexing", done, total, "passages")

    def fetching(self, name: str, done: int, total: int | None, unit: str) -> None:
        self._write_share(name, done, total, unit)

    def sending(self, done: int, total: int) -> None:
        self._write_share("Sending", done, total, "documents")

    def waiting(self, why: str, seconds: float) -> None:
        self._write(waiting=why, seconds=round(seconds))

    def note(self, sentence: str) -> None:
        self._write(note=sentence)

    def trouble(self, trouble: QuizwriterError) -> None:
        """Write why the run failed."""
        self._write(problem=trouble.problem, remedy=trouble.remedy)

    def _write_share(self, doing: str, done: float, total: float | None, unit: str) -> None:
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._began, self._first = doing, now, done
        elif now - self._written < LINE_EVERY and done != total:
            return
        self._written = now
        speed = (done - self._first) / (now - self._began) if now > self._began else 0.0
        self._write(doing=doing, done=done, total=total, said=_in_words(done, total, unit, speed))

    def _write(self, **what: object) -> None:
        try:
            sys.stdout.write(json.dumps(what) + "\n")
            sys.stdout.flush()
        except OSError as trouble:  # nobody reads the lines any more
            raise KeyboardInterrupt from trouble


def _in_words(done: float, total: float | None, unit: str, speed: float) -> str:
    """How far something is, as a user reads it; ``speed`` is in units a second."""
    if unit == "bytes":
        far = megabytes(round(done)) + (f" of {megabytes(round(total))}" if total else "")
        far += f", {megabytes(round(speed))} a second" if speed else ""
    elif unit:
        far = f"{done:,.0f}" + (f" of {total:,.0f} {unit}" if total else f" {unit}")
    else:
        far = f"{100 * done / total:.0f} %" if total else ""
    if not total or not speed or done >= total:
        return far
    left = (total - done) / speed
    if left < 60:
        return f"{far}, less than a minute left"
    return (
        f"{far}, about {left / 60:.0f} min left" if left < 5_400 else f"{far}, about {left / 3600:.0f} h left"
    )


def _stop_when_unread() -> None:
    """Interrupt the main thread, as Ctrl-C does, once no program holds the other end of standard input.

    A compiler or a library may hear of the interrupt only after half a minute. The process ends all the same
    after :data:`GRACE_S`: every file is written under another name first, and survives any end.
    """
    while os.read(sys.stdin.fileno(), 1024):
        pass
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # wakes it even where it waits for the network
    else:
        _thread.interrupt_main()
    time.sleep(GRACE_S)
    os._exit(STOPPED)
