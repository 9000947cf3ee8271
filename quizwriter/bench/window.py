"""How long a writer waits: real keys into the real window, timed until the guesses are painted."""

from __future__ import annotations

import json
import random
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent

from quizwriter.domain.guessing import TOP, Guess
from quizwriter.domain.history import Change, Edit, replay
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.gui.application import make_window, qt_application
from quizwriter.gui.background.garbage import collecting_garbage_here
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.main_window import MainWindow
from quizwriter.gui.theme import Theme
from quizwriter.services import App
from quizwriter.workflow.evaluation import percentile
from quizwriter.workflow.queue import QueueFilter
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession

if TYPE_CHECKING:
    from quizwriter.gui.queue.queue_window import QueueWindow

HEARTBEAT_MS = 5
"""Between two beats of the timer whose lateness is the event loop's stall."""

LOAD_MS = 120_000
"""How long the engine may take to load."""

LAST_MS = 10_000
"""How long the last guesses may take to be painted."""


class _Typist(QObject):
    """Presses a key every so often, and notes when the guesses for it are on the screen."""

    finished = Signal()

    def __init__(self, window: MainWindow, letters: list[str], interval_ms: float) -> None:
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
        self._beat = 0.0
        self._keys = QTimer(self)
        self._keys.setTimerType(Qt.TimerType.PreciseTimer)
        self._keys.setSingleShot(True)
        self._keys.timeout.connect(self._press)
        self._patience = QTimer(self)  # ours, so that it ends with us
        self._patience.setSingleShot(True)
        self._patience.setInterval(LAST_MS)
        self._patience.timeout.connect(self.finished)
        self._heart = QTimer(self)
        self._heart.setTimerType(Qt.TimerType.PreciseTimer)
        self._heart.setInterval(HEARTBEAT_MS)
        self._heart.timeout.connect(self._heard)
        window.painted.connect(self._painted)
        window.completed.connect(self._completed)

    def start(self) -> None:
        """Begin to type."""
        self._started = self._beat = time.perf_counter()
        self._heart.start()
        self._keys.start(0)

    @property
    def unanswered(self) -> int:
        """How many keys the guesses were never painted for."""
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
            self._patience.start()
        else:
            due = self._started + self._next * self._interval_ms / 1000
            self._keys.start(max(0, round((due - time.perf_counter()) * 1000)))

    def _painted(self, generation: int) -> None:
        pressed = self._pressed.pop(generation, None)
        if pressed is not None:
            self.waits_ms.append((time.perf_counter() - pressed) * 1000)
        for older in [other for other in self._pressed if other < generation]:
            # Overtaken: its writer saw the guesses of a later key instead.
            self.waits_ms.append((time.perf_counter() - self._pressed.pop(older)) * 1000)

    def _completed(self, generation: int) -> None:
        for older in [other for other in self._complete if other <= generation]:
            self.all_waits_ms.append((time.perf_counter() - self._complete.pop(older)) * 1000)
        if self._next == len(self._letters) and not self._pressed and not self._complete:
            self._heart.stop()
            self.finished.emit()

    def _heard(self) -> None:
        now = time.perf_counter()
        self.stalls_ms.append(max(0.0, (now - self._beat) * 1000 - HEARTBEAT_MS))
        self._beat = now


def measure_typing(
    app: App, text: str, answer: Answer | None = None, *, keys_per_second: float = 10, keys: int = 300
) -> dict[str, float]:
    """What typing the last ``keys`` characters of ``text`` costs, in milliseconds.

    ``key_to_guesses``: from a key to the first guesses of exactly that draft on the screen, or of a later
    one; ``key_to_all_players``: the same until every player's are; ``key_handling``: the window's own work on
    a key; ``stall``: how late a timer of 5 ms is. Nothing is kept on disk.

    Raises:
        QuizwriterError: there is no engine.
    """
    return _measure(app, text, answer, keys_per_second=keys_per_second, keys=keys, keep=False, shown=_ignore)


def measure_history(
    app: App,
    text: str,
    *,
    edits: int = 3_000,
    steps: int = 300,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """What the history window costs for a draft of ``text`` with so many ``edits``, in milliseconds.

    ``history_read``: from the database to the steps of the history;
    ``history_open``: from the wish until text, positions and chart are painted, once its library is loaded;
    ``history_step``: from the slider's new place until that version is painted, for ``steps`` places all
    over the history. Four players are shown after every edit. The history is put into the
    store of ``app``. ``clock`` tells seconds.
    """
    from quizwriter.gui.history.history_window import CHART, HistoryWindows

    import_module(CHART)
    key = f"bench-{edits}"
    app.store.add([_keyed(key, text, edits)])
    theme = Theme(qt_application(), scheme="light", draft_font="", draft_size_px=16)
    histories = HistoryWindows(app, theme, lambda: None)
    with collecting_garbage_here():
        started = clock()
        window = histories.show(key)
        window.resize(1280, 800)
        loop = QEventLoop()
        window.drawn.connect(loop.quit)
        QTimer.singleShot(LOAD_MS, loop.quit)
        loop.exec()
        window.grab()  # whatever was not painted yet
        opened = clock() - started
        begun = clock()
        app.tossups.titled_history(key)
        read = clock() - begun
        times = []
        for number in range(steps):
            place = (number * 7_919) % steps * len(window.history or ()) // steps
            begun = clock()
            window.slider.setValue(place)
            QCoreApplication.processEvents()
            times.append((clock() - begun) * 1000)
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

    ``queue_open``: from the wish until the first rows are painted; ``queue_sort`` and ``queue_filter``: from
    the wish until the rows in sight are painted anew; ``queue_scroll``: from a jump to any place until the
    rows there have been fetched and painted. The tossups are put into the store of ``app``.
    """
    from quizwriter.gui.queue.queue_window import QueueWindow

    draw = random.Random(0)
    app.store.add(_short(f"queue-{number}", number, draw) for number in range(rows))
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
        columns = (("answer", ""), ("status", ""), ("author", ""), ("buzz", "ir"), ("stumped", "")) * 4
        sorts = [timed(partial(window.sort_by, *column)) for column in columns]
        words = ("lake 77", "treaty", "symphony of", "lake") * 5
        filters = [timed(partial(window.use_filter, QueueFilter(text=word))) for word in words]
        timed(partial(window.use_filter, QueueFilter()))
        scrolls = [_jump(window, draw.randrange(rows)) for _ in range(20)]
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


def _jump(window: QueueWindow, row: int) -> float:
    """Milliseconds until the ``row`` says its answer after a jump to it."""
    index = window.model.index(row, 0)
    started = time.perf_counter()
    window.table.scrollTo(index)
    until = started + LAST_MS / 1000
    while not index.data(Qt.ItemDataRole.DisplayRole) and time.perf_counter() < until:
        QCoreApplication.processEvents()
    window.table.viewport().repaint()
    return (time.perf_counter() - started) * 1000


def _short(key: str, number: int, draw: random.Random) -> PendingSave:
    """A tossup of one edit that one player has played."""
    words = ("lake", "author", "treaty", "symphony", "of", "river", "crystal", "winter")
    text = " ".join(draw.choices(words, k=80))
    line = f"{draw.choice(words)} {draw.choice(words)} {number}".title()
    page = Page(line.replace(" ", "_"))
    first = draw.choice([None, draw.randrange(1, 80)])
    play = RecordedPlay(1, number, "ir", "bench", (Guess(page, 1.0),), first, first, first, page, 80)
    change = Change(1, number, Edit(0, "", text), f"person{number % 7}")
    return PendingSave(key, text, Answer(line, page), 0, number, (change,), (play,), author=change.author)


def _keyed(key: str, text: str, count: int) -> PendingSave:
    """``text`` typed key by key, then words of it rubbed out and typed again, ``count`` edits in all."""
    draw = random.Random(0)
    edits = [Edit(at, "", letter) for at, letter in enumerate(text)][:count]
    while len(edits) < count:
        start = draw.randrange(max(1, len(text) - 12))
        rubbed = list(enumerate(text[start : start + 12], start))
        edits += [Edit(at, letter, "") for at, letter in reversed(rubbed)]
        edits += [Edit(at, "", letter) for at, letter in rubbed]
    pages = [Page(f"Page_{number}") for number in range(TOP)]
    changes, shown, length = [], [], 0
    for seq, edit in enumerate(edits[:count], start=1):
        length += len(edit.inserted) - len(edit.removed)
        words = 1 + length // 6
        changes.append(Change(seq, seq * 200, edit))
        for number, player in enumerate(("ir", "dan", "rnn", "ensemble")):
            heard = 1 + (seq // 40 * (number + 3)) % words
            top = tuple(Guess(page, draw.random()) for page in pages)
            shown.append(
                RecordedPlay(seq, seq * 200 + 50, player, "bench", top, heard, heard, heard, pages[0], words)
            )
    whole = replay(edits[:count])
    return PendingSave(key, whole, None, 0, count * 200, tuple(changes), tuple(shown))


def _measure(
    app: App,
    text: str,
    answer: Answer | None,
    *,
    keys_per_second: float,
    keys: int,
    keep: bool,
    shown: Callable[[str], None],
) -> dict[str, float]:
    """As above; ``shown`` is called with ``window``, ``guess`` and ``all_players`` at their first paints."""
    qt = qt_application()
    before = text[:-keys] if len(text) > keys > 0 else text if keys == 0 else ""
    letters = list(islice(cycle(text[len(before) :].replace("\n", " ") or "word "), keys))
    session = WritingSession("typing", Tossup(before or "A", answer), cursor=len(before) or 1)
    app.engines.in_processes = True  # as in the window that people open
    with collecting_garbage_here():
        window = make_window(app, qt, session=session, keep=keep)
        try:
            first = _FirstPaint(window, shown)
            guesses, complete = _Reached(window.painted), _Reached(window.completed)
            window.show()
            QTimer.singleShot(0, window.start)
            for what, reached in (("guess", guesses), ("all_players", complete)):
                _wait(window, reached)
                shown(what)
            window.draft.viewport().removeEventFilter(first)
            window.draft.setFocus()
            typist = _Typist(window, letters, 1000 / keys_per_second)
            if letters:
                loop = QEventLoop()
                typist.finished.connect(loop.quit)
                typist.start()
                loop.exec()
            shown("end")
        finally:
            window.close()
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
    }


class _FirstPaint(QObject):
    """Says when the draft pane is on the screen."""

    def __init__(self, window: MainWindow, shown: Callable[[str], None]) -> None:
        super().__init__()
        self._shown: Callable[[str], None] | None = shown
        window.draft.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._shown is not None:
            QTimer.singleShot(0, lambda shown=self._shown: shown("window"))
            self._shown = None
        return False


class _Reached(QObject):
    """Notes that something was painted, and ends the loop of whoever waits for that."""

    again = Signal()

    def __init__(self, painted: SignalInstance) -> None:
        super().__init__()
        self.yet = False
        painted.connect(self._note)

    def _note(self, generation: int) -> None:
        self.yet = True
        self.again.emit()


def _wait(window: MainWindow, reached: _Reached) -> None:
    loop = QEventLoop()
    refused: list[QuizwriterError] = []
    window.analysis_runner.refused.connect(refused.append)
    window.analysis_runner.refused.connect(loop.quit)
    reached.again.connect(loop.quit)
    QTimer.singleShot(LOAD_MS, loop.quit)
    while not refused and not reached.yet:
        loop.exec()
    if refused:
        raise refused[0]


def _memory() -> dict[str, float]:
    """What this process and those it started have in memory: their own, and mapped from files; in megabytes.

    Empty where unknown. The system takes mapped pages back whenever it needs them, so only the first is
    really spent.
    """
    own = resident = 0.0
    try:
        tasks = Path("/proc/self/task").glob("*/children")
        started = [number for task in tasks for number in task.read_text(encoding="ascii").split()]
        for number in ("self", *started):
            rollup = Path("/proc", number, "smaps_rollup").read_text(encoding="ascii")
            sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", rollup, re.MULTILINE))
            own += int(sizes["Anonymous"]) / 1024
            resident += int(sizes["Rss"]) / 1024
    except OSError:
        return {}
    return {"memory_own_mb": own, "memory_mapped_mb": resident - own}


def _ignore(what: str) -> None:
    """Nobody asked."""


def main(arguments: list[str]) -> int:
    """Time one window in this process, started at ``arguments[1]`` (seconds since 1970), into JSON.

    The other arguments are the bundle's folder and how many keys to press; the text comes by standard input.
    """
    bundle, started, keys = Path(arguments[0]), float(arguments[1]), int(arguments[2])
    text = sys.stdin.read()
    found: dict[str, float] = {}

    def shown(what: str) -> None:
        if what != "end":
            found.setdefault(f"start_to_{what}", (time.time() - started) * 1000)
        for name, megabytes in _memory().items():
            found[name] = max(megabytes, found.get(name, 0.0))

    app = App(bundle=bundle)
    app.engines.trains = False
    found |= _measure(app, text, None, keys_per_second=10, keys=keys, keep=True, shown=shown)
    if keys:  # last, so that the memory is what writing takes
        found |= measure_history(app, text)
        found |= measure_queue(app)
    sys.stdout.write(json.dumps(found))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
