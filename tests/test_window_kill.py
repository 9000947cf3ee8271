"""Killed at any moment, a database opens, is sound, and has lost at most a quarter of a second.

As a program this file is the one that is killed: it types into a tossup and saves every 100 ms.
``QUIZWRITER_KILLS`` says how often to kill, ``QUIZWRITER_SEED`` from which dice.
"""

import os
import queue
import random
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

from quizwriter.domain.tossup import Tossup
from quizwriter.store import Store
from quizwriter.workflow.writing import Saving, WritingSession

ROUNDS = int(os.environ.get("QUIZWRITER_KILLS", "12"))
SEED = int(os.environ.get("QUIZWRITER_SEED", "1"))
SAVE_S, LOST_S = 0.100, 0.250
ROOT = Path(__file__).resolve().parents[1]


def write(path: Path) -> None:
    """Type without end; print after every letter when it was and how long the text is now."""
    store = Store(path)
    unsaved: queue.Queue[Saving] = queue.Queue()

    def save():
        while True:
            store.save(unsaved.get())

    threading.Thread(target=save, daemon=True).start()
    last = store.last()
    kept = store.load(last) if last else None
    session = WritingSession("one", kept.tossup, seq=kept.seq) if kept else WritingSession("one", Tossup(""))
    due = time.monotonic() + SAVE_S
    while True:
        text = session.tossup.text
        session.type(text + "a😀 "[len(text) % 3])
        if len(text) % 7 == 0:  # an edit elsewhere, so that there are many
            session.type("é" + session.tossup.text[1:] if text[:1] == "E" else "E" + session.tossup.text[1:])
        now = time.monotonic()
        print(f"{now:.4f} {len(session.tossup.text)}", flush=True)  # noqa: T201 - this is its output
        if now >= due:
            due = now + SAVE_S
            unsaved.put(session.take_unsaved())
        time.sleep(0.002)


def killed(path: Path, seconds: float, *, typing: bool) -> list[tuple[float, int]]:
    """What a program said it had before it was killed: pairs of time and length of the text.

    It is killed so long after its start, or after its first letter where it is to be ``typing``.
    """
    process = subprocess.Popen(
        [sys.executable, __file__, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said = process.stdout.readline() if typing else ""
    killer = threading.Timer(seconds, process.kill)
    killer.start()
    rest, complaints = process.communicate()
    killer.join()
    assert complaints == ""
    whole = (said + rest).rpartition("\n")[0]
    return [(float(when), int(length)) for when, length in (line.split() for line in whole.splitlines())]


def test_whenever_the_program_is_killed_the_database_is_sound_and_hardly_anything_is_lost(tmp_path):
    dice = random.Random(SEED)
    number, worst, letters = 0, 0.0, 0
    path, before = tmp_path / "0.db", 0
    for _ in range(ROUNDS):
        if dice.random() < 0.4:  # a new database, so that its making is interrupted too
            number, before = number + 1, 0
            path = tmp_path / f"{number}.db"
        typing = dice.random() < 0.75
        said = killed(path, dice.uniform(0.0, 0.8 if typing else 0.4), typing=typing)

        letters += len(said)
        with closing(Store(path)) as store:
            assert store.check() == ()
            last = store.last()
            saved = len(store.load(last).tossup.text) if last else 0
        assert before <= saved <= max([before, *(length for _, length in said)]) + 1
        lost = [said[-1][0] - when for when, length in said if length > saved]
        worst = max([worst, *lost])
        assert worst <= LOST_S, f"{worst:.3f} s lost with seed {SEED}"
        before = saved

    assert letters > 20 * ROUNDS, "Too little was typed to show anything."
    print(f"{ROUNDS} kills, {letters} letters; at most {worst * 1000:.0f} ms lost")  # noqa: T201 - for long runs, with -s


if __name__ == "__main__":
    write(Path(sys.argv[1]))
