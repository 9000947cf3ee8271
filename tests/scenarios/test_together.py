"""A window that is typed into, commands, and a program that copies the data folder elsewhere, all at once.

``QUIZWRITER_TOGETHER_S`` says for how many seconds; without it, it is quick.
"""

import contextlib
import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from quizwriter.domain.review import Imported
from quizwriter.services.wiring import App
from tests.scenarios.test_kill import LOST_S, branches, furnish, killed, lost_s, mine

SECONDS = float(os.environ.get("QUIZWRITER_TOGETHER_S", "6"))

QUESTION = (
    '{{"text": "This lake number {number} is deep. For 10 points, name it.", "answer": "Lake {number}"}}\n'
)


def command(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the program on the data folder ``home``."""
    return subprocess.run(
        [sys.executable, "-m", "quizwriter", *arguments],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        env={**os.environ, "QUIZWRITER_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
    )


def copy_again_and_again(home: Path, elsewhere: Path, ended: threading.Event, copies: list[int]) -> None:
    """What a sync program does: copy every file as it is now, and leave copies of its own beside them."""
    dice = random.Random(1)
    while not ended.wait(0.05):
        # os.walk passes over a folder that is gone by now; a Path's own search raises an error then
        found = [Path(folder, name) for folder, _, names in os.walk(home) for name in names]
        for path in [one for one in found if one.is_file() and "conflicted" not in one.name]:
            target = elsewhere / path.relative_to(home)
            target.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # a temporary file is gone by now
                shutil.copy2(path, target)
                copies.append(1)
                if dice.random() < 0.02:
                    shutil.copy2(path, path.with_stem(f"{path.stem} (conflicted copy {dice.randrange(9)})"))


def run_commands(
    home: Path, folder: Path, ended: threading.Event, done: list[subprocess.CompletedProcess[str]]
) -> None:
    """Import, list, back up and pack, one command after the other."""
    for number in range(10_000):
        file = folder / f"questions{number}.jsonl"
        file.write_text(QUESTION.format(number=number), encoding="utf-8")
        for arguments in (
            ("import", str(file)),
            ("list", "--json"),
            ("backup", "make"),
            ("check",),
        ):
            if ended.is_set():
                return
            done.append(command(home, *arguments))


def test_a_window_commands_and_a_sync_program_do_each_other_no_harm(tmp_path, starter):
    home, folder = tmp_path / "home", tmp_path / "files"
    folder.mkdir()
    furnish(home)
    ended, copies, done = threading.Event(), [], []
    beside = [
        threading.Thread(target=copy_again_and_again, args=(home, tmp_path / "cloud", ended, copies)),
        threading.Thread(target=run_commands, args=(home, folder, ended, done)),
    ]
    for thread in beside:
        thread.start()
    try:
        end = killed(home, starter, "together", SECONDS, "mixed", typing=True)
    finally:
        ended.set()
        for thread in beside:
            thread.join()

    assert end.keys > SECONDS
    assert copies
    assert done
    assert [(one.args[3:], one.stderr) for one in done if one.returncode] == []
    with App(home, starter) as app:
        assert app.store.check() == ()
        for tossup_id, said in end.said.items():
            loss = min(lost_s(one, said, end) for one in mine(branches(app.store, tossup_id), said))
            assert loss <= LOST_S
        events = [event for row in app.store.tossups() for event in app.store.events(row.tossup_id)]
        assert [word for word in end.confirmed if word not in str(events)] == []
        imported = sum("import" in one.args for one in done)  # some are open in the window, and typed into
        assert sum(isinstance(event.body, Imported) for event in events) >= imported
