"""Killed whatever it does, the window has lost at most a quarter of a second of typing, and nothing else.

As a program this file is what is killed: the real window, with a typist at its keys who also tags, comments,
merges packs and exports. ``make kills N=1000`` kills it 1,000 times, several windows at once. The variables
``QUIZWRITER_KILLS`` and ``QUIZWRITER_KILL_WINDOWS`` say how often and how many at once, ``QUIZWRITER_SEED``
with which dice.

What was lost is measured by the window's own record: a line for each key with its time and what was on the
screen then. From the time between the first key that is not on the disk and the kill, the time is taken off
in which the kernel let threads of the window wait for a processor (``schedstat``), any of which may have the
interpreter then: on a loaded machine that is the machine's delay and not the program's, and an idle machine
has next to none.
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from quizwriter.challenge.export import export
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.selection import Selection
from quizwriter.challenge.verify import verify
from quizwriter.domain.page import Page
from quizwriter.domain.review import Commented, Consent, ConsentGiven, Status, StatusSet, Tagged
from quizwriter.domain.styles import TextStyles
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.formats.archive import Pack
from quizwriter.gui.application import qt_application, run
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.main_window import MainWindow
from quizwriter.services.wiring import App
from quizwriter.workflow.session import WritingSession

ROUNDS = int(os.environ.get("QUIZWRITER_KILLS", "6"))  # one of each of KINDS
WINDOWS = int(os.environ.get("QUIZWRITER_KILL_WINDOWS", "1"))
SEED = int(os.environ.get("QUIZWRITER_SEED", "1"))
LONGEST_S = 1.5
KINDS = ("typing", "tagging", "commenting", "merging", "exporting", "mixed")
PACK, SENT, SET = "arrives.qwpack", "sent.qwpack", "spring"
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
    styles: str = ""  # of text and answer line

    @classmethod
    def of(cls, text: str, cursor: int, answer: Answer | None, *styles: TextStyles) -> "State":
        """The state of a draft with the ``styles`` of its text and its answer line."""
        said = " | ".join(
            " ".join(f"{one.start}-{one.end}:{','.join(one.styles)}" for one in of.spans()) for of in styles
        )
        return cls(text, answer.line if answer else "", cursor, said.strip(" |"))


# -- the one who is killed


class Typist:
    """Presses 10 to 25 keys a second, and says after each when it was and what there is now."""

    def __init__(self, dice: random.Random, home: Path, kind: str) -> None:
        self._dice, self._home = dice, home
        deeds = {
            "tagging": (self._tag,),
            "commenting": (self._comment,),
            "merging": (self._merge,),
            "exporting": (self._pack, self._export),
            "mixed": (self._tag, self._comment, self._merge, self._pack, self._export),
        }
        self._deeds = deeds.get(kind, ())
        self._asked: list[str] = []  # what was said of tossups and is not confirmed
        self._window = None
        self._received = None
        self._line = iter("")  # an answer being typed
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._press)
        self._timer.start(0)

    def _press(self) -> None:
        window = next(one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow))
        if self._window is None:
            self._window = window
            self._jobs = Jobs("typist", window)
            window.review_actions.changed.connect(self._confirm)
            assert QApplication.activeModalWidget() is None, "the start asked something"
        window.activateWindow()
        if QApplication.focusWidget() is None:
            window.draft.setFocus()
        when, waited = time.monotonic(), waited_s(os.getpid())
        if self._received is not None:  # nobody types behind a dialog
            if not self._received.busy:
                self._received.reject()
                self._received = None
        elif self._timer.interval():  # what was there at the start is said too
            if self._deeds and self._dice.random() < 0.15:
                self._dice.choice(self._deeds)(window)
            else:
                self._key(window)
        session, draft = window.session, window.draft
        styles = session.styles, session.answer_styles
        state = State.of(draft.text, draft.cursor_at, session.tossup.answer, *styles)
        self._say([when, waited, session.tossup_id, *state])
        self._timer.start(self._dice.randrange(40, 100))

    def _say(self, what: object) -> None:
        os.write(1, f"{json.dumps(what)}\n".encode())

    def _confirm(self, *_: object) -> None:
        if self._asked:
            self._say({"confirmed": self._asked.pop(0)})

    def _tag(self, window: MainWindow) -> None:
        self._review(window, lambda word: Tagged((word,)))

    def _comment(self, window: MainWindow) -> None:
        self._review(window, Commented)

    def _review(self, window, body) -> None:
        if window.session.tossup.text:
            word = f"word {self._dice.randrange(1 << 60)}"
            self._asked.append(word)
            window.review_actions.record([window.session.tossup_id], body(word), "it")

    def _merge(self, window: MainWindow) -> None:
        self._received = window.windows.transfer.receive([self._home / PACK])

    def _pack(self, window: MainWindow) -> None:
        self._run(lambda: window._app.transfer.pack(self._home / SENT))

    def _export(self, window: MainWindow) -> None:
        out = self._home / f"{SET}-{self._dice.randrange(1 << 30)}"
        self._run(lambda: export(window._app, out, Selection(), SetMetadata("Spring")))

    def _run(self, do) -> None:
        self._jobs.ask(lambda _: do(), lambda _: None)

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
        elif chance < 0.84:  # of the word at the cursor
            QTest.keyClick(window, self._dice.choice((Qt.Key.Key_B, Qt.Key.Key_I, Qt.Key.Key_U)), CONTROL)
        elif chance < 0.85:
            QTest.keyClick(window, Qt.Key.Key_G, CONTROL | SHIFT)
            self._line = iter("vahdz-broo\n")
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


def write(home: Path, bundle: Path, seed: str, kind: str) -> None:
    """The window, typed into without end."""
    qt_application()
    typist = Typist(random.Random(seed), home, kind)
    sys.exit(run(App(home, bundle)) if typist else 1)


def waited_s(process: int) -> float:
    """For how many seconds the threads of the window have waited for a processor; 0 if unknown."""
    waited = 0
    with contextlib.suppress(OSError, ValueError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            waited += int((thread / "schedstat").read_text().split()[1])
    return waited / 1e9


# -- the one who kills


@dataclass
class Killed:
    """What was said before the end: for each tossup, when it became what."""

    at: float
    waited: float
    said: dict[str, list[tuple[float, float, State]]]
    first: State | None
    keys: int
    confirmed: list[str]


def killed(home: Path, bundle: Path, seed: str, seconds: float, kind: str, *, typing: bool) -> Killed:
    """Kill the window so long after its start, or after its first word where it is to be ``typing``."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(home), str(bundle), seed, kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join((os.environ.get("PYTHONPATH", ""), str(ROOT))),
            "QT_QPA_PLATFORM": "offscreen",
        },
    )
    head = process.stdout.readline() if typing else ""
    moments = []

    def kill():
        moments.append((time.monotonic(), waited_s(process.pid)))
        process.kill()

    killer = threading.Timer(seconds, kill)
    killer.start()
    rest, complaints = process.communicate()
    killer.join()
    assert not complaints.replace("This plugin does not support propagateSizeHints()", "").strip(), complaints
    lines = [json.loads(line) for line in (head + rest).rpartition("\n")[0].splitlines()]
    states = [line for line in lines if isinstance(line, list)]
    said = defaultdict(list)
    for when, waited, tossup_id, *state in states:
        said[tossup_id].append((when, waited, State(*state)))
    first = State(*states[0][3:]) if states else None
    confirmed = [line["confirmed"] for line in lines if isinstance(line, dict)]
    return Killed(*moments[0], said, first, max(0, len(states) - 1), confirmed)


def kept(store, tossup_id):
    """What is on disk of a tossup; nothing is as good as an empty one."""
    if tossup_id is None or tossup_id not in {row.tossup_id for row in store.tossups()}:
        return State("", "", 0)
    found = store.load(tossup_id)
    return State.of(found.tossup.text, found.cursor, found.tossup.answer, found.styles, found.answer_styles)


def branches(store, tossup_id) -> list[State]:
    """What is on disk of all branches of a tossup: a merge may have given the writer's own another id."""
    if tossup_id not in {row.tossup_id for row in store.tossups()}:
        return [kept(store, tossup_id)]
    return [kept(store, key) for key in store.expand_branches([tossup_id])]


def known(store, tossup_id):
    """What is on disk of a tossup, and every edit of it: a merge may bring more edits after those."""
    return kept(store, tossup_id), store.history(tossup_id)


def versions(store, tossup_id) -> set[str]:
    """Every text that any branch of a tossup has ever had."""
    texts = {""}
    there = tossup_id in {row.tossup_id for row in store.tossups()}
    for key in store.expand_branches([tossup_id]) if there else ():
        text = ""
        for change in store.history(key):
            text = change.edit.apply(text)
            texts.add(text)
    return texts


def mine(found: list[State], said: list[tuple[float, float, State]]) -> list[State]:
    """Those of ``found`` that were on the screen; all if none was."""
    states = {state for _, _, state in said}
    return [one for one in found if one in states] or found


def lost_s(found: State, said: list[tuple[float, float, State]], end: Killed) -> float:
    """For how long nothing had been saved at the end, in seconds; the cursor alone does not count.

    Without the time for which the window waited for a processor.
    """
    states = [state for _, _, state in said]
    assert found in states, f"{found} was never on the screen: {states[-5:]}"
    last = max(number for number, state in enumerate(states) if state == found)
    later = [(when, waited) for when, waited, state in said[last:] if state[:2] != found[:2]]
    if not later:
        return 0.0
    when, waited = later[0]
    return max(0.0, end.at - when - max(0.0, end.waited - waited))


def furnish(home: Path) -> None:
    """A home with a name, two tossups that may be released, and a pack that may arrive."""
    with App(home) as app:
        app.profile.set_profile("Ada", "")
        for number, (page, text) in enumerate(
            (
                ("Madama_Butterfly", "This opera has a humming chorus."),
                ("Turandot", "A prince answers riddles."),
            )
        ):
            session = WritingSession(f"released{number}", author=app.profile.me.id)
            session.type(text)
            session.set_answer(Answer(page.replace("_", " "), Page(page)))
            app.store.save(session.take_unsaved())
            key = session.tossup_id
            app.review.record([key], ConsentGiven(Consent.YES))
            app.review.record([key], StatusSet(Status.ACCEPTED))
        session = WritingSession("first", author=app.profile.me.id)
        session.type("This")
        app.store.save(session.take_unsaved())
        app.transfer.pack(home / PACK)
    with App(home / "another") as other:  # somebody who goes on with it, and writes more
        other.profile.set_profile("Ben", "")
        other.transfer.merge([home / PACK])
        for key in ("first", *(f"theirs{number}" for number in range(40))):
            session = other.tossups.session(key) if key == "first" else WritingSession(key)
            session.type(f"This was {key}. " * 20)
            other.store.save(session.take_unsaved())
        other.transfer.pack(home / PACK)


@dataclass
class Chain:
    """Windows that are killed one after the other, each in the home that the one before left."""

    folder: Path
    bundle: Path
    dice: random.Random
    number: int = 0
    losses: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    count: Counter[str] = field(default_factory=Counter)
    window: object = None  # opens a window in this process, too; long runs leave that out

    @property
    def home(self) -> Path:
        """The home of the next window."""
        return self.folder / str(self.number)

    def kill(self, turn: int) -> None:
        """Kill a window, and look at what it left."""
        kind = KINDS[turn % len(KINDS)]
        dice = self.dice
        if dice.random() < 0.3:  # a new home, so that the making of its database is interrupted too
            self.number += 1
        if kind != "typing" and not (self.home / PACK).exists():
            self.number += not self.home.exists() or (self.home / "quizwriter.db").exists()
            furnish(self.home)
        home = self.home
        before, last = {}, State("", "", 0)
        if home.exists():
            with App(home) as app:
                before = {row.tossup_id: known(app.store, row.tossup_id) for row in app.store.tossups()}
                last = kept(app.store, app.store.last())
        typing = dice.random() < 0.8
        seconds = dice.uniform(0.0, LONGEST_S if typing else 0.8)
        end = killed(home, self.bundle, f"{SEED} {turn}", seconds, kind, typing=typing)
        self.count.update(
            {
                "kills": 1,
                "keys": end.keys,
                kind: 1,
                "confirmed": len(end.confirmed),
                "typed into": end.keys > 0,
            }
        )
        assert end.first in (None, last), "the window did not come back as it was"

        with App(home, self.bundle) as app:
            assert app.store.check() == ()
            for tossup_id, (state, changes) in before.items():
                keys = app.store.expand_branches([tossup_id])
                assert (
                    tossup_id in end.said
                    or state in branches(app.store, tossup_id)
                    or any(app.store.history(key)[: len(changes)] == changes for key in keys)
                ), "a tossup is neither what it was nor what somebody made of it"
            for tossup_id, said in end.said.items():
                found = mine(branches(app.store, tossup_id), said)
                later = said[-1][-1].text in versions(
                    app.store, tossup_id
                )  # what a merge brought comes after it
                self.losses[kind].append(0.0 if later else min(lost_s(one, said, end) for one in found))
            events = "".join(str(app.store.events(row.tossup_id)) for row in app.store.tossups())
            assert [word for word in end.confirmed if word not in events] == []
            self.look_at_files(app)
            if self.window is not None:
                window = self.window(app, start=False)
                line = window.answer.line.text()
                session = window.session
                styles = session.styles, session.answer_styles
                answer = Answer(line) if line else None
                state = State.of(window.draft.text, window.draft.cursor_at, answer, *styles)
                assert state == kept(app.store, app.store.last())
                window.close()

    def look_at_files(self, app) -> None:
        """What was written is whole, or not there."""
        sent = self.home / SENT
        if sent.exists():
            self.count["packs"] += 1
            assert len(list(Pack(sent).branches())) == Pack(sent).tossups
            sent.unlink()
        for out in self.home.glob(f"{SET}-*"):
            try:
                assert verify(app, out).problems == []
                self.count["sets"] += 1
            except QuizwriterError as trouble:
                raise AssertionError(f"half a challenge set: {trouble}") from trouble
            for file in sorted(out.rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()
            out.rmdir()


def test_whenever_the_window_is_killed_hardly_anything_is_lost_and_all_else_comes_back(
    tmp_path, starter, open_window
):
    long = ROUNDS >= 50
    chains = [
        Chain(
            tmp_path / str(number),
            starter,
            random.Random(f"{SEED} {number}"),
            window=None if long else open_window,
        )
        for number in range(WINDOWS)
    ]
    if WINDOWS == 1:
        for turn in range(ROUNDS):
            chains[0].kill(turn)
    else:
        turns = [range(number, ROUNDS, WINDOWS) for number in range(WINDOWS)]
        with ThreadPoolExecutor(WINDOWS) as pool:
            list(pool.map(lambda chain, mine: [chain.kill(turn) for turn in mine], chains, turns))

    count = sum((chain.count for chain in chains), Counter())
    assert count["keys"] > ROUNDS, "Too little was typed to show anything."
    for kind in KINDS:
        losses = sorted(loss for chain in chains for loss in chain.losses[kind]) or [0.0]
        print(  # noqa: T201 - for long runs, with -s
            f"{kind}: {count[kind]} kills; at most {losses[-1] * 1000:.0f} ms lost, "
            f"{losses[len(losses) // 2] * 1000:.0f} ms in the median"
        )
    worst = max(loss for chain in chains for losses in chain.losses.values() for loss in losses)
    assert worst <= LOST_S, f"{worst:.3f} s lost with seed {SEED}"
    print(dict(count))  # noqa: T201 - for long runs, with -s


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
