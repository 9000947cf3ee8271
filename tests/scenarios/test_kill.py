"""Killed while somebody types into it, the window has lost at most the last quarter of a second.

As a program this file is what is killed: the real window, with a typist at its keys. ``QUIZWRITER_KILLS``
says how often to kill, ``QUIZWRITER_SEED`` with which dice; a long run also needs
``-o faulthandler_timeout=0``.
"""

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from quizwriter.gui.application import qt_application, run
from quizwriter.gui.main_window import MainWindow
from quizwriter.services import App

ROUNDS = int(os.environ.get("QUIZWRITER_KILLS", "8"))
SEED = int(os.environ.get("QUIZWRITER_SEED", "1"))
LONGEST_S = 1.5 if ROUNDS < 50 else 3.0
LOST_S = 0.250
ROOT = Path(__file__).resolve().parents[2]

CONTROL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)
BY_INPUT_METHOD = ("\U0001f3ad", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301", "שם", "\u4e2d")
PASTED = ("This opera\r\nhas a \U0001f3b5 chorus. ", "בחירה (*) ", "a" * 300 + " ", "\u00a0— “one fine day” ")


class State(NamedTuple):
    """What the writer sees of a tossup."""

    text: str
    answer: str
    cursor: int


# -- the one who is killed


class Typist:
    """Presses 10 to 25 keys a second, and says after each when it was and what there is now."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._line = iter("")  # an answer being typed
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._press)
        self._timer.start(0)

    def _press(self) -> None:
        window = next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))
        window.activateWindow()
        if QApplication.focusWidget() is None:
            window.draft.setFocus()
        when = time.monotonic()
        if self._timer.interval():  # what was there at the start is said too
            self._key(window)
        tossup = window.session.tossup
        state = State(window.draft.text, tossup.answer.line if tossup.answer else "", window.draft.cursor_at)
        os.write(1, f"{json.dumps([when, window.session.tossup_id, *state])}\n".encode())
        self._timer.start(self._dice.randrange(40, 100))

    def _key(self, window: MainWindow) -> None:
        at = QApplication.focusWidget()
        letter = next(self._line, None)
        if letter is not None:
            QTest.keyClick(at, Qt.Key.Key_Return) if letter == "\n" else QTest.keyClicks(at, letter)
            return
        chance = self._dice.random()
        if chance < 0.60:
            QTest.keyClicks(at, self._dice.choice("etaoinshrdlu   ,.?"))
        elif chance < 0.68:
            event = QInputMethodEvent()
            event.setCommitString(self._dice.choice(BY_INPUT_METHOD))
            QCoreApplication.sendEvent(at, event)
        elif chance < 0.76:
            QTest.keyClick(at, Qt.Key.Key_Backspace, self._dice.choice((NONE, NONE, CONTROL)))
        elif chance < 0.82:
            QGuiApplication.clipboard().setText(self._dice.choice(PASTED))
            QTest.keyClick(at, Qt.Key.Key_V, CONTROL)
        elif chance < 0.90:
            moves = (Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Right)
            QTest.keyClick(at, self._dice.choice(moves), self._dice.choice((NONE, SHIFT, CONTROL)))
        elif chance < 0.94:
            QTest.keyClick(at, Qt.Key.Key_Z, self._dice.choice((CONTROL, CONTROL | SHIFT)))
        elif chance < 0.96:
            QTest.keyClick(at, Qt.Key.Key_K, CONTROL)
        elif chance < 0.98:
            QTest.keyClick(window, Qt.Key.Key_L, CONTROL)
            self._line = iter(self._dice.choice(("turandot\n", "a cafe [accept x]\n", "madama\n")))
        else:
            QTest.keyClick(window, Qt.Key.Key_N, CONTROL)


def write(home: Path, bundle: Path, seed: str) -> None:
    """The window, typed into without end."""
    qt_application()
    typist = Typist(random.Random(seed))
    sys.exit(run(App(home, bundle)) if typist else 1)


# -- the one who kills


@dataclass
class Killed:
    """What was said before the end: for each tossup, when it became what."""

    at: float
    said: dict[str, list[tuple[float, State]]]
    first: State | None
    keys: int


def killed(home: Path, bundle: Path, seed: str, seconds: float, *, typing: bool) -> Killed:
    """Kill the window so long after its start, or after its first word where it is to be ``typing``."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(home), str(bundle), seed],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((os.environ["PYTHONPATH"], str(ROOT))),
            "QT_QPA_PLATFORM": "offscreen",
        },
    )
    head = process.stdout.readline() if typing else ""
    moments = []

    def kill():
        moments.append(time.monotonic())
        process.kill()

    killer = threading.Timer(seconds, kill)
    killer.start()
    rest, complaints = process.communicate()
    killer.join()
    assert not complaints.replace("This plugin does not support propagateSizeHints()", "").strip()
    lines = [json.loads(line) for line in (head + rest).rpartition("\n")[0].splitlines()]
    said = defaultdict(list)
    for when, tossup_id, *state in lines:
        said[tossup_id].append((when, State(*state)))
    first = State(*lines[0][2:]) if lines else None
    return Killed(moments[0], said, first, max(0, len(lines) - 1))


def kept(store, tossup_id):
    """What is on disk of a tossup; nothing is as good as an empty one."""
    if tossup_id is None or tossup_id not in {row.tossup_id for row in store.tossups()}:
        return State("", "", 0)
    found = store.load(tossup_id)
    answer = found.tossup.answer.line if found.tossup.answer else ""
    return State(found.tossup.text, answer, found.cursor)


def lost_s(found: State, said: list[tuple[float, State]], at: float) -> float:
    """For how long nothing had been saved at the end, in seconds; the cursor alone does not count."""
    states = [state for _, state in said]
    assert found in states, f"{found} was never on the screen: {states[-5:]}"
    last = max(number for number, state in enumerate(states) if state == found)
    later = [when for when, state in said[last:] if state[:2] != found[:2]]
    return at - later[0] if later else 0.0


def test_whenever_the_window_is_killed_hardly_anything_is_lost_and_all_else_comes_back(
    tmp_path, starter, open_window
):
    dice = random.Random(SEED)
    number, keys, typed_into = 0, 0, 0
    losses = [0.0]
    home = tmp_path / "0"
    for turn in range(ROUNDS):
        if dice.random() < 0.3:  # a new home, so that the making of its database is interrupted too
            number += 1
            home = tmp_path / str(number)
        store = App(home).store if home.exists() else None
        before = {row.tossup_id: kept(store, row.tossup_id) for row in store.tossups()} if store else {}
        last = kept(store, store.last()) if store else State("", "", 0)
        if store:
            store.close()
        typing = dice.random() < 0.8
        seconds = dice.uniform(0.0, LONGEST_S if typing else 0.8)
        end = killed(home, starter, f"{SEED} {turn}", seconds, typing=typing)
        keys, typed_into = keys + end.keys, typed_into + (end.keys > 0)
        assert end.first in (None, last), "the window did not come back as it was"

        app = App(home)
        assert app.store.check() == ()
        for tossup_id, state in before.items():
            assert tossup_id in end.said or kept(app.store, tossup_id) == state
        for tossup_id, said in end.said.items():
            losses.append(lost_s(kept(app.store, tossup_id), said, end.at))
        assert max(losses) <= LOST_S, f"{max(losses):.3f} s lost in turn {turn} with seed {SEED}"
        window = open_window(app, start=False)
        line = window.answer.line.text()
        assert State(window.draft.text, line, window.draft.cursor_at) == kept(app.store, app.store.last())
        window.close()
        app.store.close()

    assert keys > 2 * ROUNDS, "Too little was typed to show anything."
    losses.sort()
    print(  # noqa: T201 - for long runs, with -s
        f"{ROUNDS} kills, {typed_into} while typing, {keys} keys; at most {losses[-1] * 1000:.0f} ms lost, "
        f"{losses[len(losses) // 2] * 1000:.0f} ms in the median"
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
