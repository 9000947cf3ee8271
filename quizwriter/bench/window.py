"""How long a writer waits: real keys into the real window, timed until the guesses are painted."""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent

from quizwriter.bench.bells import measure_bells
from quizwriter.domain.guessing import TOP, Guess
from quizwriter.domain.history import Change, Edit, replay
from quizwriter.domain.page import Page
from quizwriter.domain.players import IR, usual_players
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.application import make_window, qt_application
from quizwriter.gui.background.garbage import collecting_garbage_here
from quizwriter.gui.background.jobs import hold_jobs
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.main_window import MainWindow
from quizwriter.gui.theme import Theme
from quizwriter.services.wiring import App
from quizwriter.workflow.estimates import percentile
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession

if TYPE_CHECKING:
    from quizwriter.gui.queue.queue_window import QueueWindow

HEARTBEAT_MS = 5
"""Milliseconds between two beats of a timer; how late a beat is, is a stall of the event loop."""

LOAD_MS = 120_000
"""How many milliseconds the engine may take to load, or a window to be painted."""

LAST_MS = 10_000
"""How many milliseconds the last guesses may take to be painted."""

_KILOBYTES = re.compile(r"^(\w+):\s+(\d+) kB$", re.MULTILINE)


class Typist(QObject):
    """Presses a key at every interval, and notes when the guesses for it are on the screen."""

    finished = Signal()

    def __init__(
        self, window: MainWindow, letters: list[str], interval_ms: float, last_ms: int = LAST_MS
    ) -> None:
        super().__init__()
        self._window = window
        self._letters = letters
        self._interval_ms = interval_ms
        self._next = 0
        self._started = 0.0
        self._pressed: dict[int, float] = {}  # the generation a key made, and when it was pressed
        self.waits_ms: list[float] = []
        self.handling_ms: list[float] = []
        self.all_waits_ms: list[float] = []
        self._complete: dict[int, float] = {}  # as ``_pressed``, until all players' guesses are there
        self.stalls_ms: list[float] = []
        self.busy_ms: list[float] = []
        self._beat, self._spent = 0.0, 0.0
        self._keys = QTimer(self)
        self._keys.setTimerType(Qt.TimerType.PreciseTimer)
        self._keys.setSingleShot(True)
        self._keys.timeout.connect(self._press)
        self._deadline = QTimer(self)  # a child, which ends with the typist
        self._deadline.setSingleShot(True)
        self._deadline.setInterval(last_ms)
        self._deadline.timeout.connect(self.finished)
        self._heartbeat = QTimer(self)
        self._heartbeat.setTimerType(Qt.TimerType.PreciseTimer)
        self._heartbeat.setInterval(HEARTBEAT_MS)
        self._heartbeat.timeout.connect(self._note_stall)
        window.painted.connect(self._painted)
        window.completed.connect(self._completed)

    def start(self) -> None:
        self._started = self._beat = time.perf_counter()
        self._spent = time.thread_time()
        self._heartbeat.start()
        self._keys.start(0)

    @property
    def unanswered(self) -> int:
        return len(self._pressed)

    def _press(self) -> None:
        letter = self._letters[self._next]
        self._next += 1
        key = Qt.Key.Key_Space if letter == " " else Qt.Key.Key_A
        pressed = time.perf_counter()
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, letter)
            QCoreApplication.sendEvent(self._window.draft, event)
        self.handling_ms.append((time.perf_counter() - pressed) * 1000)
        self._pressed[self._window.session.generation] = pressed
        self._complete[self._window.session.generation] = pressed
        if self._next == len(self._letters):
            self._deadline.start()
        else:
            due = self._started + self._next * self._interval_ms / 1000
            self._keys.start(max(0, round((due - time.perf_counter()) * 1000)))

    def _painted(self, generation: int) -> None:
        pressed = self._pressed.pop(generation, None)
        if pressed is not None:
            self.waits_ms.append((time.perf_counter() - pressed) * 1000)
        for older in [other for other in self._pressed if other < generation]:
            # The writer saw the guesses for a later key instead.
            self.waits_ms.append((time.perf_counter() - self._pressed.pop(older)) * 1000)

    def _completed(self, generation: int) -> None:
        for older in [other for other in self._complete if other <= generation]:
            self.all_waits_ms.append((time.perf_counter() - self._complete.pop(older)) * 1000)
        if self._next == len(self._letters) and not self._pressed and not self._complete:
            self._heartbeat.stop()
            self.finished.emit()

    def _note_stall(self) -> None:
        now, spent = time.perf_counter(), time.thread_time()
        self.stalls_ms.append(max(0.0, (now - self._beat) * 1000 - HEARTBEAT_MS))
        self.busy_ms.append((spent - self._spent) * 1000)
        self._beat, self._spent = now, spent


def measure_typing(
    app: App, text: str, answer: Answer | None = None, *, keys_per_second: float = 10, keys: int = 300
) -> dict[str, float]:
    """What typing the last ``keys`` characters of ``text`` costs, in milliseconds.

    ``key_to_guesses``: from a key to the first guesses of exactly that draft on the screen, or of a later
    one; ``key_to_all_players``: from a key to the guesses of all players; ``key_handling``: the window's own
    work on a key; ``stall``: how late a timer of 5 ms is; ``busy``: the processor time of the window's thread
    between two beats of it, which other programs hardly change. Nothing is saved on disk.
    """
    return _measure_window(
        app,
        text,
        answer,
        keys_per_second=keys_per_second,
        keys=keys,
        persistent=False,
        painted=lambda stage: None,
    )


def measure_history(
    app: App,
    text: str,
    *,
    edits: int = 3_000,
    steps: int = 300,
) -> dict[str, float]:
    """What the history window costs for a draft of ``text`` with so many ``edits``, in milliseconds.

    ``history_read``: from the database to the steps of the history;
    ``history_open``: from the command until text, positions and chart are painted;
    ``history_step``: from the slider's new place until that version is painted, for ``steps`` places all
    over the history. Four players are shown after every edit. The history is put into the
    store of ``app``.
    """
    from quizwriter.gui.history.history_window import HistoryWindows

    key = f"bench-{edits}"
    app.store.add([_typed_history(key, text, edits)])
    theme = Theme(qt_application(), scheme="light", draft_font="", draft_size_px=16)
    histories = HistoryWindows(app, theme, lambda: None)
    with collecting_garbage_here():
        started = time.perf_counter()
        window = histories.show(key)
        window.resize(1280, 800)
        loop = QEventLoop()
        window.drawn.connect(loop.quit)
        QTimer.singleShot(LOAD_MS, loop.quit)
        loop.exec()
        window.grab()  # paints what was not painted yet
        opened = time.perf_counter() - started
        begun = time.perf_counter()
        app.tossups.titled_history(key)
        read = time.perf_counter() - begun
        times = []
        for number in range(steps):
            place = (number * 7_919) % steps * len(window.history or ()) // steps
            begun = time.perf_counter()
            window.chart_pane.slider.setValue(place)
            QCoreApplication.processEvents()
            times.append((time.perf_counter() - begun) * 1000)
        histories.shutdown()
    return {
        "history_edits": edits,
        "history_read": read * 1000,
        "history_open": opened * 1000,
        "history_step_p50": percentile(times, 50),
        "history_step_p95": percentile(times, 95),
    }


def measure_queue(app: App, *, rows: int = 5_000) -> dict[str, float]:
    """What the queue costs over so many tossups, in milliseconds.

    ``queue_open``: from the command until the first rows are painted; ``queue_sort`` and ``queue_filter``:
    from the command until the visible rows are painted anew; ``queue_scroll``: from a jump to any place until
    the rows there have been fetched and painted. The tossups are put into the store of ``app``.
    """
    from quizwriter.gui.queue.queue_window import QueueWindow
    from quizwriter.workflow.queue import QueueFilter

    draw = random.Random(0)
    app.store.add(_played_tossup(f"queue-{number}", number, draw) for number in range(rows))
    theme = Theme(qt_application(), scheme="light", draft_font="", draft_size_px=16)
    saver = Saver(app.tossups.save)
    with collecting_garbage_here():
        window = QueueWindow(app, theme, saver, lambda: None, lambda: None)
        window.resize(1280, 800)

        def timed(do: Callable[[], object]) -> float:
            loop = QEventLoop()
            window.painted.connect(loop.quit)
            QTimer.singleShot(LOAD_MS, loop.quit)
            started = time.perf_counter()
            do()
            loop.exec()
            window.table.viewport().repaint()
            window.painted.disconnect(loop.quit)
            return (time.perf_counter() - started) * 1000

        opened = timed(window.present)
        columns = (("answer", ""), ("status", ""), ("author", ""), ("buzz", IR), ("stumped", "")) * 4
        sorts = [timed(partial(window.sort_by, *column)) for column in columns]
        words = ("lake 77", "treaty", "symphony of", "lake") * 5
        filters = [timed(partial(window.use_filter, QueueFilter(text=word))) for word in words]
        timed(partial(window.use_filter, QueueFilter()))
        scrolls = [_scroll_ms(window, draw.randrange(rows)) for _ in range(20)]
        window.shutdown()
        saver.stop()
        window.deleteLater()
    return {
        "queue_rows": rows,
        "queue_open": opened,
        "queue_sort_p50": percentile(sorts, 50),
        "queue_sort_p95": percentile(sorts, 95),
        "queue_filter_p50": percentile(filters, 50),
        "queue_filter_p95": percentile(filters, 95),
        "queue_scroll_p50": percentile(scrolls, 50),
        "queue_scroll_p95": percentile(scrolls, 95),
    }


def _scroll_ms(window: QueueWindow, row: int) -> float:
    """The time from a jump to ``row`` until its answer is painted."""
    index = window.model.index(row, 0)
    started = time.perf_counter()
    window.table.scrollTo(index)
    until = started + LAST_MS / 1000
    while not index.data(Qt.ItemDataRole.DisplayRole) and time.perf_counter() < until:
        QCoreApplication.processEvents()
    window.table.viewport().repaint()
    return (time.perf_counter() - started) * 1000


def _played_tossup(key: str, number: int, draw: random.Random) -> PendingSave:
    """A tossup of one edit that one player has played."""
    words = ("lake", "author", "treaty", "symphony", "of", "river", "crystal", "winter")
    text = " ".join(draw.choices(words, k=80))
    line = f"{draw.choice(words)} {draw.choice(words)} {number}".title()
    page = Page(line.replace(" ", "_"))
    first = draw.choice([None, draw.randrange(1, 80)])
    play = RecordedPlay(1, number, IR, "bench", (Guess(page, 1.0),), first, first, first, page, 80)
    change = Change(1, number, Edit(0, "", text), f"person{number % 7}")
    return PendingSave(key, text, Answer(line, page), 0, number, (change,), (play,), author=change.author)


def _typed_history(key: str, text: str, count: int) -> PendingSave:
    """``text`` typed key by key, then parts of it erased and typed again, ``count`` edits in all."""
    draw = random.Random(0)
    edits = [Edit(at, "", letter) for at, letter in enumerate(text)][:count]
    while len(edits) < count:
        start = draw.randrange(max(1, len(text) - 12))
        erased = list(enumerate(text[start : start + 12], start))
        edits += [Edit(at, letter, "") for at, letter in reversed(erased)]
        edits += [Edit(at, "", letter) for at, letter in erased]
    pages = [Page(f"Page_{number}") for number in range(TOP)]
    changes, shown, length = [], [], 0
    for seq, edit in enumerate(edits[:count], start=1):
        length += len(edit.inserted) - len(edit.removed)
        words = 1 + length // 6
        changes.append(Change(seq, seq * 200, edit))
        for number, player in enumerate((IR, *usual_players())):
            heard = 1 + (seq // 40 * (number + 3)) % words
            top = tuple(Guess(page, draw.random()) for page in pages)
            shown.append(
                RecordedPlay(seq, seq * 200 + 50, player, "bench", top, heard, heard, heard, pages[0], words)
            )
    whole = replay(edits[:count])
    return PendingSave(key, whole, None, 0, count * 200, tuple(changes), tuple(shown))


def _measure_window(
    app: App,
    text: str,
    answer: Answer | None,
    *,
    keys_per_second: float,
    keys: int,
    persistent: bool,
    painted: Callable[[str], None],
    bells: Sequence[str] = (),
) -> dict[str, float]:
    """The figures of :func:`measure_typing`, which are empty without keys, then those of the ``bells``.

    ``bells`` are tossups on whose bells is clicked. ``painted`` is called with ``window``, ``guess`` and
    ``all_players`` when each is painted for the first time, and with ``end`` after the last key.
    """
    qt = qt_application()
    before = text[:-keys] if len(text) > keys > 0 else text if keys == 0 else ""
    letters = list(islice(cycle(text[len(before) :].replace("\n", " ") or "word "), keys))
    session = WritingSession("typing", Tossup(before or "A", answer), cursor=len(before) or 1)
    app.engines.start_players()
    app.profile.identity.deferred = True  # as in the window that people open
    with collecting_garbage_here():
        hold_jobs()
        window = make_window(app, qt, session=session, persistent=persistent)
        try:
            first = _FirstPaint(window, painted)
            waits = {
                "guess": PaintWait(window, window.painted),
                "all_players": PaintWait(window, window.completed),
            }
            window.show()
            window.start_after_paint()
            for stage, wait in waits.items():
                wait.wait()
                painted(stage)
            window.draft.viewport().removeEventFilter(first)
            window.draft.setFocus()
            typist = Typist(window, letters, 1000 / keys_per_second)
            if letters:
                loop = QEventLoop()
                typist.finished.connect(loop.quit)
                typist.start()
                loop.exec()
            painted("end")
            of_bells = measure_bells(window, bells) if bells else {}
        finally:
            window.close()
            window.deleteLater()
    if not letters:
        return {}
    return {
        "keys": len(letters),
        "keys_unanswered": typist.unanswered,
        "key_to_guesses_p50": percentile(typist.waits_ms, 50),
        "key_to_guesses_p95": percentile(typist.waits_ms, 95),
        "key_to_all_players_p50": percentile(typist.all_waits_ms, 50),
        "key_to_all_players_p95": percentile(typist.all_waits_ms, 95),
        "key_handling_p50": percentile(typist.handling_ms, 50),
        "key_handling_p95": percentile(typist.handling_ms, 95),
        "stall_p50": percentile(typist.stalls_ms, 50),
        "stall_p99": percentile(typist.stalls_ms, 99),
        "stall_worst": max(typist.stalls_ms, default=0.0),
        "busy_p99": percentile(typist.busy_ms, 99),
        "busy_worst": max(typist.busy_ms, default=0.0),
    } | of_bells


class _FirstPaint(QObject):
    """Says when the draft pane is on the screen."""

    def __init__(self, window: MainWindow, painted: Callable[[str], None]) -> None:
        super().__init__()
        self._painted: Callable[[str], None] | None = painted
        window.draft.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._painted is not None:
            QTimer.singleShot(0, lambda painted=self._painted: painted("window"))
            self._painted = None
        return False


class PaintWait(QObject):
    """Notes the first time that a window has painted something, and waits for it."""

    _ended = Signal()

    def __init__(self, window: MainWindow, painted: SignalInstance) -> None:
        super().__init__()
        self._painted = False
        self._trouble: QuizwriterError | None = None
        painted.connect(self._note_paint)
        window.analysis_runner.refused.connect(self._note_trouble)

    def _note_paint(self, generation: int) -> None:
        self._painted = True
        self._ended.emit()

    def _note_trouble(self, trouble: QuizwriterError) -> None:
        self._trouble = trouble
        self._ended.emit()

    def wait(self) -> None:
        """Run the event loop until it is painted."""
        if not self._painted and self._trouble is None:
            loop = QEventLoop()
            self._ended.connect(loop.quit)
            QTimer.singleShot(LOAD_MS, loop, loop.quit)
            loop.exec()
        if self._trouble is not None:
            raise self._trouble
        if not self._painted:
            raise QuizwriterError(
                f"The window painted no guesses within {LOAD_MS // 1000} seconds.",
                "Try again when the computer has less to do.",
            )


def memory_of(process: str) -> tuple[float, float]:
    """What a process has in memory: its own, and mapped from files; in megabytes.

    The system takes mapped pages back whenever it needs them, so only the first is really spent.

    Raises:
        OSError: it has ended, or this system does not say.
    """
    rollup = Path("/proc", process, "smaps_rollup").read_text(encoding="ascii")
    sizes = dict(_KILOBYTES.findall(rollup))
    own = int(sizes["Anonymous"]) / 1024
    return own, int(sizes["Rss"]) / 1024 - own


def started_processes() -> list[str]:
    """The numbers of the processes that this one has started; none where the system does not say."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [number for task in tasks for number in task.read_text(encoding="ascii").split()]


def _memory() -> dict[str, float]:
    """What this process and those it started have in memory, in megabytes; empty where unknown."""
    try:
        held = [memory_of(number) for number in ("self", *started_processes())]
    except OSError:
        return {}
    own, mapped = (sum(part) for part in zip(*held, strict=True))
    return {"memory_own_mb": own, "memory_mapped_mb": mapped}


def main(arguments: list[str]) -> int:
    """Time one window in this process, started at ``arguments[1]`` (seconds since 1970), into JSON.

    The other arguments are the bundle's folder and how many keys to press. Standard input has the texts in
    JSON: the one that is typed, then those on whose bells is clicked.
    The exit status is 1 after an error, which is written to standard error.
    """
    bundle, started, keys = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    text, *bells = json.loads(sys.stdin.read())
    found: dict[str, float] = {}

    def painted(stage: str) -> None:
        if stage != "end":
            found.setdefault(f"start_to_{stage}", (time.time() - started) * 1000)
        for name, megabytes in _memory().items():
            found[name] = max(megabytes, found.get(name, 0.0))

    app = App(bundle=bundle)
    app.engines.start_players()
    try:
        found |= _measure_window(
            app, text, None, keys_per_second=10, keys=keys, persistent=True, painted=painted, bells=bells
        )
        if keys:  # last, so that the memory is what writing takes
            found |= measure_history(app, text)
            found |= measure_queue(app)
    except QuizwriterError as trouble:
        sys.stderr.write(f"{trouble.problem}\n")
        return 1
    sys.stdout.write(json.dumps(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
