"""What a long day takes: thousands of keys over hundreds of tossups, with other bundles opened meanwhile."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path

import msgspec
from PySide6.QtCore import QEventLoop, QTimer

from quizwriter.bench.window import LOAD_MS, PaintWait, Typist, memory_of, started_processes
from quizwriter.cancellation import PartProgress
from quizwriter.errors import QuizwriterError
from quizwriter.gui.application import make_window, qt_application
from quizwriter.gui.background.garbage import collecting_garbage_here
from quizwriter.gui.background.jobs import hold_jobs
from quizwriter.gui.main_window import MainWindow
from quizwriter.services.wiring import App
from quizwriter.system.children import Child, child_command
from quizwriter.workflow.session import PendingSave

LEVEL_KEYS = 200
"""After so many keys the memory is measured that the end is compared with."""

KEYS_PER_SECOND = 50
"""Four times as fast as people type."""

LAST_MS = 1_000
"""How long the guesses after the last key in a tossup are waited for, in ms."""

REST_MS = 8_000
"""How long nobody types before a measurement: what waits for a pause is done then."""


class LongUse(msgspec.Struct, frozen=True):
    """How long it goes on."""

    keys: int = 20_000
    tossups: int = 300
    changes: int = 20


A_DAY = LongUse()


class LongUseRow(msgspec.Struct, frozen=True):
    """What the program holds after so many keys."""

    keys: int
    tossups: int
    changes: int
    window_mb: float
    players_mb: float
    mapped_mb: float
    threads: int
    files: int
    processes: int


def bench_long(
    app: App, other: Path | None, progress: PartProgress, use: LongUse = A_DAY
) -> list[LongUseRow]:
    """The rows of a long day in a window of its own, which writes in a home of its own.

    The bundle in use is opened in turns with ``other``; None: with a copy of itself.
    """
    engine = app.engines.load()
    texts = engine.retrieval.past_tossups()
    chosen = random.Random(0).sample(range(len(texts)), min(use.tossups, len(texts)))
    rows = []
    with tempfile.TemporaryDirectory() as home:
        if other is None:
            other = Path(home) / "copy"
            shutil.copytree(engine.folder, other)
        command = child_command(
            Child.LONG_USE, str(engine.folder), str(other), str(use.keys), str(use.tossups), str(use.changes)
        )
        environment = {**os.environ, "QUIZWRITER_HOME": home, "QT_QPA_PLATFORM": "offscreen"}
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as trouble,
            subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=trouble,
                text=True,
                encoding="utf-8",
                env=environment,
            ) as child,
        ):
            assert child.stdin is not None
            assert child.stdout is not None
            with child.stdin:
                child.stdin.write(json.dumps([texts[number] for number in chosen]))
            for line in child.stdout:
                rows.append(msgspec.json.decode(line, type=LongUseRow))
                progress("Typing", rows[-1].keys, use.keys)
            if child.wait() != 0:
                trouble.seek(0)
                raise QuizwriterError(
                    f"The window could not be measured: {trouble.read().strip()[-300:]}",
                    "Start quizwriter to see what is wrong.",
                )
    return rows


def measure_long_use(
    app: App,
    texts: Sequence[str],
    bundles: tuple[Path, Path],
    use: LongUse,
    noted: Callable[[LongUseRow], None] = lambda row: None,
) -> list[LongUseRow]:
    """What the window and its players hold: once they are loaded, after 200 keys, and after each change.

    A change opens the other one of ``bundles``; after an even number of them the first is open again.
    The tossups begin with ``texts``, and are put into the store of ``app``.
    """
    draw = random.Random(0)
    keys = [f"long-{number}" for number in range(use.tossups)]
    app.store.add(
        PendingSave.begun(key, text, None, 0)
        for key, text in zip(keys, islice(cycle(texts), use.tossups), strict=True)
    )
    words = " ".join(texts).replace("\n", " ").split()
    app.engines.start_players()
    rows: list[LongUseRow] = []
    with collecting_garbage_here():
        hold_jobs()
        window = make_window(app, qt_application())
        try:
            loaded = PaintWait(window, window.completed)
            window.show()
            window.start_after_paint()
            window.sessions.open_saved(keys[0])
            loaded.wait()

            def note(typed: int, opened: int, changed: int) -> None:
                _rest(REST_MS)
                rows.append(_row(typed, opened, changed))
                noted(rows[-1])

            note(0, 0, 0)
            typed = changed = 0
            each = use.keys // use.tossups
            changes_at = {use.tossups * number // (use.changes + 1) for number in range(1, use.changes + 1)}
            for number, key in enumerate(keys):
                if number in changes_at:
                    changed += 1
                    _change_bundle(window, bundles[changed % 2])
                    note(typed, number, changed)
                window.sessions.open_saved(key)
                left = use.keys - typed if number == use.tossups - 1 else each
                for count in _parts(left, LEVEL_KEYS - typed):
                    _type(window, " ".join(draw.choices(words, k=count))[:count])
                    typed += count
                    if typed == LEVEL_KEYS:
                        note(typed, number + 1, changed)
            note(typed, use.tossups, changed)
        finally:
            window.close()
            window.deleteLater()
    return rows


def _parts(count: int, first: int) -> tuple[int, ...]:
    """``count`` keys, with a stop after ``first`` of them if that is among them."""
    return (first, count - first) if 0 < first < count else (count,)


def _type(window: MainWindow, letters: str) -> None:
    window.draft.setFocus()
    typist = Typist(window, list(letters), 1000 / KEYS_PER_SECOND, LAST_MS)
    loop = QEventLoop()
    typist.finished.connect(loop.quit)
    typist.start()
    loop.exec()
    typist.deleteLater()


def _change_bundle(window: MainWindow, folder: Path) -> None:
    loop = QEventLoop()
    window.engines.engine_changed.connect(loop.quit)
    window.engines.use_bundle(folder)
    QTimer.singleShot(LOAD_MS, loop, loop.quit)
    loop.exec()
    window.engines.engine_changed.disconnect(loop.quit)
    if window.engines.engine is None or window.engines.engine.folder != folder:
        raise QuizwriterError(f"The bundle {folder} was not opened.", "Check it with quizwriter check.")


def _row(keys: int, tossups: int, changes: int) -> LongUseRow:
    try:
        started = started_processes()
        window, *players = (memory_of(number) for number in ("self", *started))
        threads, files = (len(list(Path("/proc/self", folder).iterdir())) for folder in ("task", "fd"))
    except OSError as trouble:
        raise QuizwriterError("This system does not say what a program holds.", "Use Linux.") from trouble
    return LongUseRow(
        keys,
        tossups,
        changes,
        window_mb=round(window[0], 1),
        players_mb=round(sum(own for own, _ in players), 1),
        mapped_mb=round(window[1] + sum(mapped for _, mapped in players), 1),
        threads=threads,
        files=files,
        processes=len(started),
    )


def _rest(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop, loop.quit)
    loop.exec()


def main(arguments: list[str]) -> int:
    """Measure in this process; a line of JSON for each measurement.

    The arguments are the two bundles' folders and the numbers of :class:`LongUse`; the texts come by
    standard input, a list in JSON.
    """
    first, other, *numbers = arguments
    texts = json.loads(sys.stdin.read())

    def say(row: LongUseRow) -> None:
        sys.stdout.write(f"{json.dumps(msgspec.structs.asdict(row))}\n")
        sys.stdout.flush()

    app = App(bundle=Path(first))
    try:
        measure_long_use(app, texts, (Path(first), Path(other)), LongUse(*map(int, numbers)), say)
    except QuizwriterError as trouble:
        sys.stderr.write(f"{trouble.problem}\n")
        return 1
    return 0
