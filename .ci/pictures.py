"""Makes the pictures of the pages in docs from the example set, without a screen; ``make pictures`` runs it.

Every picture is of the windows as they are now, with the starter bundle in ``build/pictures``.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import TypeVar

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["TZ"] = "UTC"  # the times in the pictures do not depend on where they are made

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from quizwriter.domain.events import Body, Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import (
    Categorised,
    Commented,
    Person,
    PutInSet,
    Replied,
    Status,
    StatusSet,
    Suggested,
    WrittenBy,
)
from quizwriter.gui.application import make_window, qt_application
from quizwriter.gui.background.garbage import collecting_garbage_here
from quizwriter.gui.history.history_window import HistoryWindow
from quizwriter.gui.main_window import MainWindow
from quizwriter.gui.queue.queue_window import QueueWindow
from quizwriter.services.wiring import App
from quizwriter.system.resource_files import resources_folder

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "pictures"
HOME = ROOT / "build" / "pictures"

LARGEST = 200_000
"""Bytes of a picture."""

PATIENCE_S = 120.0
"""How long anything may take to be painted."""

Shown = TypeVar("Shown", bound=QWidget)

BEGAN_MS = 1_795_300_000_000
"""When the first remark was made: after the edits of the example set."""

HASTY = " For 10 points name this this opera , in which Sharpless reads a letter aloud."
"""A sentence with problems."""

FIRST_SENTENCE = (
    "The bells that open the last act of this work were tuned to one in Rome, and its heroine stabs a chief "
    "of police at his own table."
)

MAXWELL = "qw-example-james-clerk-maxwell"
OPERA = "qw-example-madama-butterfly"
BRAHMS = "qw-example-johannes-brahms"
ANNA, BEN = Person("picture-anna", "Anna"), Person("picture-ben", "Ben")


def main() -> None:
    """Make every picture."""
    qt = qt_application()
    take_first_start(qt)
    app = prepared_app()
    window = make_window(app, qt, session=app.tossups.session(MAXWELL), scheme="light")
    window.resize(1280, 800)
    window.show()
    window.start()
    with collecting_garbage_here():
        settle(qt, window, MAXWELL)
        take(window, "window")
        take_why(qt, window)
        take_history(qt, window)
        for summary in app.tossups.summaries():  # so that the queue knows what the players make of each
            settle(qt, window, summary.tossup_id)
        review(app)
        take_queue(qt, window)
        take_comments(qt, window)
        take_desk(qt, window)
        window.close()
    app.close()


def take_first_start(qt: QApplication) -> None:
    """The first seconds of a writer who has just installed the program: nothing is there but the program."""
    home = HOME / "first"
    shutil.rmtree(home, ignore_errors=True)
    app = App(home)
    window = make_window(app, qt, scheme="light")
    window.resize(1280, 800)
    window.show()
    window.start()
    with collecting_garbage_here():
        window.answer.line.setFocus()
        QTest.keyClicks(window.answer.line, "Tosca\r")
        QTest.keyClicks(window.draft, FIRST_SENTENCE)
        wait(qt, lambda: window.settled and window.analysis.engine is not None, "the first guesses")
        rest(qt)
        take(window, "first_start")
        window.close()
    app.close()


def prepared_app() -> App:
    """The application with the example set in a new database."""
    HOME.mkdir(parents=True, exist_ok=True)
    for old in HOME.iterdir():  # all but the bundle: the last run's layout, too, would be seen
        if old.is_file():
            old.unlink()
    app = App(HOME)
    app.engines.load_starter()
    app.profile.set_profile("Clara", "")
    app.tossups.add_examples()
    return app


def settle(qt: QApplication, window: MainWindow, tossup_id: str) -> None:
    """Open a tossup, and wait until everything on screen is of it and has come to rest."""
    window.tossups.opened.emit(tossup_id)
    calm = 0

    def rested() -> bool:
        nonlocal calm
        here = window.session.tossup_id == tossup_id
        quiet = window.settled and window.what_if.settled and not window.messages.isVisible()
        calm = calm + 1 if here and quiet else 0
        return calm > 10

    wait(qt, rested, f"{tossup_id} to be painted")


def wait(qt: QApplication, done: Callable[[], bool], what: str) -> None:
    """Handle events until ``done``.

    Raises:
        SystemExit: it takes too long.
    """
    until = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > until:
            sys.exit(f"Waited {PATIENCE_S:.0f} s in vain for {what}.")
        qt.processEvents()
        time.sleep(0.02)


def rest(qt: QApplication, seconds: float = 1.0) -> None:
    """Let a window finish what it does on its own account."""
    until = time.monotonic() + seconds
    wait(qt, lambda: time.monotonic() > until, "a window to rest")


def take(widget: QWidget, name: str) -> None:
    """Write what ``widget`` shows as a small PNG with a palette.

    Raises:
        SystemExit: it is too large, or a notice lies over it, which is no part of the program at rest.
    """
    if isinstance(widget, MainWindow) and widget.messages.isVisible():
        sys.exit(f"A notice lies over {name}.")
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    widget.grab().save(buffer, "PNG")
    with Image.open(io.BytesIO(bytes(buffer.data().data()))) as shot:
        colours = Image.Quantize.MAXCOVERAGE  # keeps rare ones, such as the mark of a player
        small = shot.convert("RGB").quantize(256, method=colours, kmeans=2, dither=Image.Dither.NONE)
    path = OUT / f"{name}.png"
    small.save(path, optimize=True)
    size = path.stat().st_size
    if size > LARGEST:
        sys.exit(f"{path} has {size:,} bytes, more than {LARGEST:,}.")
    say(f"{path.relative_to(ROOT)}: {size:,} bytes")


def trigger(window: MainWindow, action_id: str) -> None:
    """Choose an action of the menus."""
    window.menus.actions[action_id].trigger()


def opened(qt: QApplication, kind: type[Shown]) -> Shown:
    """The one window of a ``kind`` that is on the screen."""
    (window,) = (one for one in qt.topLevelWidgets() if isinstance(one, kind) and one.isVisible())
    return window


def take_why(qt: QApplication, window: MainWindow) -> None:
    """The reason of the first buzz."""
    trigger(window, "next-buzz")
    wait(qt, lambda: window.settled and bool(window.evidence.why), "the reason of a buzz")
    rest(qt)
    take(window, "why")
    window.put_away()


def take_history(qt: QApplication, window: MainWindow) -> None:
    """The history of a tossup, at the edit that moved a buzz the farthest."""
    window.windows.open("history", BRAHMS)
    history = opened(qt, HistoryWindow)
    history.resize(1180, 720)
    wait(qt, lambda: history.history is not None, "the history")
    history.tab.choose("moves")
    history.go(12)
    rest(qt)
    take(history, "history")
    history.close()


def review(app: App) -> None:
    """Give the examples writers, a set, categories and statuses, and one of them remarks."""
    for person in (ANNA, BEN):
        app.review.save_person(person)
    remark(app)  # first: an event is never earlier than those before it
    lines = (resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    for row, status, writer in zip(map(json.loads, lines), cycle(list(Status)[:6]), cycle((ANNA, BEN))):
        key = row["id"]
        record(app, key, PutInSet("Winter Open"), WrittenBy(writer.id))
        record(app, key, Categorised((row["category"], row["subcategory"])))
        if key != OPERA:
            record(app, key, StatusSet(status))


def remark(app: App) -> None:
    """A comment with a reply, and a suggestion, by two people."""
    text, seq = app.review.tossup(OPERA).text, app.review.changes(OPERA)[-1].seq
    quoted, old, new = "a diplomat who loves a spy", "a Japanese bride's", "a bride's"
    start = text.index(quoted)
    end = start + len(quoted)
    comment = event(1, BEN, Commented("Can this clue come later?", seq, start, end, quoted))
    reply = event(2, ANNA, Replied(comment.id, "Yes, it is easier than I thought."))
    suggestion = event(3, BEN, Suggested(seq, Edit(text.index(old), old, new), "Too easy."))
    app.review.add_events([comment, reply, suggestion])


def event(number: int, person: Person, body: Body) -> Event:
    """Something that ``person`` said of the opera, at a time that is the same in each run."""
    return Event(f"picture-{number}", OPERA, BEGAN_MS + number * 600_000, person.id, body)


def record(app: App, key: str, *bodies: Body) -> None:
    """Record ``bodies`` of a tossup."""
    for body in bodies:
        app.review.record([key], body)


def take_queue(qt: QApplication, window: MainWindow) -> None:
    """The queue, sorted by the answers."""
    trigger(window, "queue")
    queue = opened(qt, QueueWindow)
    queue.resize(1600, 640)
    wait(qt, lambda: queue.model.rowCount() > 0, "the queue")
    queue.sort_by("answer")
    rest(qt)
    take(queue, "queue")
    queue.close()


def take_comments(qt: QApplication, window: MainWindow) -> None:
    """The main window with comments."""
    settle(qt, window, OPERA)
    trigger(window, "toggle-comments")
    rest(qt)
    take(window, "comments")


def take_desk(qt: QApplication, window: MainWindow) -> None:
    """The past questions on the answer, and the problems of a hasty last sentence."""
    trigger(window, "go-past")
    wait(qt, lambda: bool(window.panes.past.list.rows), "past questions")
    rest(qt)
    take(window, "past_questions")
    trigger(window, "go-evidence")
    window.draft.moveCursor(QTextCursor.MoveOperation.End)
    window.draft.insertPlainText(HASTY)
    wait(qt, lambda: len(window.problems.problems) > 3, "problems")
    settle(qt, window, OPERA)
    trigger(window, "next-problem")
    rest(qt)
    take(window, "problems")


def say(sentence: str) -> None:
    """Tell the person at the keyboard what is there."""
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
