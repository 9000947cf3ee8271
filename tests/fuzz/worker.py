"""A worker of the fuzzer: a process that makes and reads cases until it is told to end, or a case ends it.

``python -m tests.fuzz.worker FOLDER MODULE SECONDS WAIT`` gets a line of JSON for each case to run. It
answers with two lines: that the case is made and is being read, and the outcome. ``MODULE`` has
``all_targets``; a case may take so many seconds of the processor, and so many on the clock.
"""

from __future__ import annotations

import gc
import importlib
import json
import logging
import os
import random
import shutil
import sys
import traceback
from pathlib import Path
from typing import Any

from quizwriter.errors import QuizwriterError
from tests.fuzz.limits import (
    MOST_BYTES,
    Fence,
    Meter,
    OutsideError,
    ending_after,
    limit_memory,
    trace_slow_cases,
)
from tests.fuzz.target import Target

TRACE = "trace.txt"
"""The file in the folder of a worker into which a case that ends the worker leaves its traceback."""

FINE = "read", "refused"
"""The outcomes of cases without a finding."""

_ATTEMPTS = 20
"""How often a maker tries to make a case."""


class Worker:
    """Runs cases of ``targets`` in the folder ``home``."""

    def __init__(self, targets: list[Target], home: Path, longest_s: float, longest_wait_s: float) -> None:
        self._limits_s = longest_s, longest_wait_s
        self._targets = {target.name: target for target in targets}
        self._prepared: set[str] = set()
        self._home = home
        self._fence = Fence(home / "seeds")
        self._trace = (home / TRACE).open("w+", encoding="utf-8")
        trace_slow_cases(self._trace)

    def make(self, name: str, seed: str, case: Path) -> None:
        """Make the case ``seed`` of the target ``name`` in ``case``.

        A maker that trips over what it has changed before tries again: that is no fault of a reader.
        """
        for attempt in range(_ATTEMPTS):
            shutil.rmtree(case, ignore_errors=True)
            case.mkdir(parents=True)
            try:
                self.prepare(name).make(random.Random(f"{seed} {attempt}" if attempt else f"{seed}"), case)
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                return

    def read(self, name: str, case: Path) -> dict[str, Any]:
        """What came of reading ``case`` with the target ``name``."""
        target = self.prepare(name)
        gc.collect()
        meter = Meter()
        outcome, trace = "read", ""
        try:
            with ending_after(*self._limits_s, self._trace), meter.running(), self._fence.around(case):
                target.read(case)
        except QuizwriterError as refused:
            outcome, trace = "refused", str(refused)
        except OutsideError:
            outcome, trace = "outside", traceback.format_exc()
        except MemoryError:
            outcome, trace = "memory", traceback.format_exc()
        except Exception:  # noqa: BLE001 - this is what the fuzzer looks for
            outcome, trace = "traceback", traceback.format_exc()
        if outcome in FINE and meter.bytes > MOST_BYTES:
            outcome, trace = "memory", f"The memory grew by {meter.bytes >> 20} MB."
        if outcome in FINE and meter.seconds > self._limits_s[0]:
            outcome, trace = "time", f"It took {meter.seconds:.1f} s."
        return {"outcome": outcome, "trace": trace[-20_000:], "seconds": meter.seconds, "bytes": meter.bytes}

    def prepare(self, name: str) -> Target:
        """The target ``name`` with its seeds."""
        target = self._targets[name]
        if name not in self._prepared:
            folder = self._home / "seeds" / name.replace(" ", "-").replace(",", "")
            folder.mkdir(parents=True)
            target.prepare(folder)
            self._prepared.add(name)
            gc.collect()
            gc.freeze()  # so that collecting before each case is quick
        return target


def main(folder: str, module: str, longest_s: str, longest_wait_s: str) -> None:
    """Answer the lines of the standard input."""
    home = Path(folder)
    os.environ.update(QT_QPA_PLATFORM="offscreen", QUIZWRITER_HOME=str(home / "nobody"))
    os.environ["PYTHON_KEYRING_BACKEND"] = (
        "keyring.backends.null.Keyring"  # never the keyring of the developer
    )
    logging.getLogger().addHandler(logging.NullHandler())  # what is logged is formatted nowhere
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a reader prints is no answer

    def answer(**said: object) -> None:
        out.write(json.dumps(said) + "\n")
        out.flush()

    targets = importlib.import_module(module).all_targets()
    worker = Worker(targets, home, float(longest_s), float(longest_wait_s))
    limit_memory()
    case = home / "case"
    for line in sys.stdin:
        asked = json.loads(line)
        if "replay" in asked:
            shutil.rmtree(case, ignore_errors=True)
            shutil.copytree(asked["replay"], case, symlinks=True)
            worker.prepare(asked["target"])
        else:
            where = Path(asked["into"]) if "into" in asked else case
            worker.make(asked["target"], asked["seed"], where)
            if "into" in asked:
                answer(made=True)
                continue
        answer(made=True)
        answer(**worker.read(asked["target"], case))
    shutil.rmtree(case, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
