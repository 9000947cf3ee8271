"""A campaign of the fuzzer: workers, the time that each target gets, and the findings."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.limits import LONGEST_S, LONGEST_WAIT_S
from tests.fuzz.target import REPOSITORY
from tests.fuzz.worker import FINE, TRACE

TARGETS = "tests.fuzz.targets"
"""The module with the targets; tests name another one."""

FINDING, CASE = "finding.json", "case"
"""In the folder of a finding: what is known of it, and the files of the case."""

_FRAME = re.compile(r'File "([^"]+)", line (\d+),? in (\S+)')
_ERROR = re.compile(
    r"^([\w.]+(?:Error|Exception|Warning|Interrupt|Exit|Iteration)\w*|[A-Z]\w*Trouble)\b", re.MULTILINE
)


@dataclass
class TargetResult:
    """What came of the cases of one target."""

    cases: int = 0
    refused: int = 0
    findings: int = 0
    seconds: float = 0.0  # spent on it, of all workers
    slowest: float = 0.0  # seconds of the processor of its slowest case
    largest: int = 0  # bytes by which the memory grew in its largest case


@dataclass
class Campaign:
    """Cases of all targets with one seed; findings of the same cause are one group."""

    folder: Path  # for the findings
    seed: str = "0"
    module: str = TARGETS
    names: tuple[str, ...] = ()  # of the targets; empty: all
    limits_s: tuple[float, float] = (LONGEST_S, LONGEST_WAIT_S)  # of a case: by the processor, by the clock
    notice: Callable[[str], None] = lambda _: None  # gets a line for each cause, when it is found
    results: dict[str, TargetResult] = field(default_factory=dict)
    groups: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        import importlib

        targets = [target.name for target in importlib.import_module(self.module).all_targets()]
        if unknown := set(self.names) - set(targets):
            raise SystemExit(f"There is no target {sorted(unknown)[0]!r}. There are: {', '.join(targets)}.")
        self.results = {name: TargetResult() for name in targets if not self.names or name in self.names}
        self._lock = threading.Lock()
        self._running: Counter[str] = Counter()
        self._next: Counter[str] = Counter()

    def run(self, seconds: float, *, cases: int | None = None, workers: int | None = None) -> None:
        """Run cases for ``seconds``, or ``cases`` of each target, whatever ends first."""
        until = time.monotonic() + seconds
        count = workers or min(len(self.results), os.cpu_count() or 1)
        with ThreadPoolExecutor(count) as threads:
            for working in [threads.submit(self._work, until, cases) for _ in range(count)]:
                working.result()

    def replay(self, finding: Path) -> dict[str, Any]:
        """What comes of the case that was saved in the folder ``finding``, in a new worker."""
        about = json.loads((finding / FINDING).read_text(encoding="utf-8"))
        with _Worker(self.module, self.limits_s) as worker:
            return worker.ask({"target": about["target"], "replay": str((finding / CASE).resolve())})

    def table(self) -> str:
        """The results by target, as text."""
        rows = [("target", "cases", "refused", "findings", "seconds", "slowest", "memory")]
        for name, one in self.results.items():
            rows.append(
                (
                    *(name, f"{one.cases:,}", f"{one.refused:,}", f"{one.findings:,}", f"{one.seconds:.0f}"),
                    *(f"{one.slowest:.1f} s", f"{one.largest >> 20} MB"),
                )
            )
        every = self.results.values()
        totals = (
            sum(one.cases for one in every),
            sum(one.refused for one in every),
            sum(one.findings for one in every),
        )
        rows.append(("all", *(f"{total:,}" for total in totals), "", "", ""))
        widths = [max(len(row[place]) for row in rows) for place in range(7)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if not place else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )

    # -- the threads, one for each worker

    def _work(self, until: float, cases: int | None) -> None:
        worker = _Worker(self.module, self.limits_s)
        try:
            while time.monotonic() < until and (turn := self._take(cases)) is not None:
                name, number = turn
                asked = {"target": name, "seed": f"{self.seed}/{name}/{number}"}
                found = worker.ask(asked)
                with self._lock:
                    self._running[name] -= 1
                    self._count(name, found)
                if found["outcome"] not in FINE:
                    self._save(asked, found)
        finally:
            worker.close()

    def _take(self, cases: int | None) -> tuple[str, int] | None:
        """The target that had the least time, and the number of its next case; None: no more are wanted."""
        with self._lock:
            open_ = [name for name in self.results if cases is None or self._next[name] < cases]
            if not open_:
                return None
            name = min(
                open_, key=lambda one: (self.results[one].seconds + self._running[one], self._next[one])
            )
            self._running[name] += 1
            self._next[name] += 1
            return name, self._next[name]

    def _count(self, name: str, found: dict[str, Any]) -> None:
        result = self.results[name]
        result.cases += 1
        result.seconds += found["clock"]
        result.refused += found["outcome"] == "refused"
        result.findings += found["outcome"] not in FINE
        result.slowest = max(result.slowest, found["seconds"])
        result.largest = max(result.largest, found["bytes"])

    def _save(self, asked: dict[str, str], found: dict[str, Any]) -> None:
        """Keep the case of a finding, unless another one of the same cause is kept already."""
        cause = cause_of(found)
        with self._lock:
            self.groups[f"{asked['target']}: {cause}"] += 1
            if self.groups[f"{asked['target']}: {cause}"] > 1:
                return
            digest = hashlib.sha256(f"{asked['target']}{cause}".encode()).hexdigest()[:8]
            place = self.folder / f"{re.sub(r'[^a-z]+', '-', asked['target'].lower())}-{digest}"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        with _Worker(self.module, self.limits_s) as worker:
            worker.ask({**asked, "into": str((place / CASE).resolve())})
        about = {**asked, "cause": cause, **found}
        (place / FINDING).write_text(json.dumps(about, indent=1), encoding="utf-8")
        self.notice(f"{asked['target']}: {cause}\n  make fuzz REPLAY={place}")


def cause_of(found: dict[str, Any]) -> str:
    """The cause of a finding: the outcome, the error, and the place in our own code where it happened."""
    trace = found["trace"]
    frames = _FRAME.findall(trace)
    if found["outcome"] in ("time", "crash"):
        frames.reverse()  # the traceback of a process that was ended begins with the last call
    own = [
        (file, function)
        for file, _, function in frames
        if ("/quizwriter/" in file or "/index_builder/" in file)
        and "/tests/" not in file
        and "site-packages" not in file
    ]
    errors = _ERROR.findall(trace)
    where = " > ".join(f"{Path(file).name}:{function}" for file, function in own[-2:]) or "no place of ours"
    return f"{found['outcome']} {errors[-1] if errors else ''} at {where}".replace("  ", " ")


class CaseNotMadeError(Exception):
    """The fuzzer itself failed: a target raised while it prepared its seeds or made a case."""


class _Worker:
    """The process of a worker, which is started again after a case has ended it."""

    def __init__(self, module: str, limits_s: tuple[float, float]) -> None:
        self._arguments = (module, *map(str, limits_s))
        self._longest_s = limits_s[0]
        memory = Path("/dev/shm")  # a disk in memory, where the machine has one: databases wait for the disk
        place = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
        self._folder = Path(tempfile.mkdtemp(prefix="quizwriter-fuzz-", dir=place))
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, case: dict[str, str]) -> dict[str, Any]:
        """What came of ``case``."""
        process = self._process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(case) + "\n")
        process.stdin.flush()
        if not process.stdout.readline():
            said = self._said(process)
            raise CaseNotMadeError(f"{case}\n{said}")
        if "into" in case:
            return {}
        started = time.monotonic()
        answer = process.stdout.readline()
        clock = time.monotonic() - started
        if answer:
            return {**json.loads(answer), "clock": clock}
        said = self._said(process)
        slow = "Timeout (" in said or -process.returncode == _signal("SIGPROF")
        outcome = "time" if slow else "crash"
        return {
            "outcome": outcome,
            "trace": said,
            "seconds": self._longest_s if slow else 0.0,
            "bytes": 0,
            "clock": clock,
        }

    def close(self) -> None:
        """End the process and remove its files."""
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> subprocess.Popen[str]:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        command = [sys.executable, "-m", "tests.fuzz.worker", str(self._folder), *self._arguments]
        path = os.pathsep.join(filter(None, (str(REPOSITORY), os.environ.get("PYTHONPATH"))))
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": (self._folder / "err").open("w"),
        }
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
        with pipes["stderr"]:
            return subprocess.Popen(command, text=True, cwd=REPOSITORY, env=environment, **pipes)

    def _said(self, process: subprocess.Popen[str]) -> str:
        """What the ended ``process`` left behind as its last words."""
        process.wait()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()
        self._process = None
        said = "".join(
            (self._folder / name).read_text(encoding="utf-8", errors="replace")[-8_000:]
            for name in ("err", TRACE)
            if (self._folder / name).exists()
        )
        return f"{said}\nThe process ended with {process.returncode}."


def _signal(name: str) -> int:
    import signal

    return int(getattr(signal, name, 0))
