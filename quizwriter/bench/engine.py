"""How fast the program is here: the players, the window under typing, the start, the memory."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from quizwriter.domain.history import Edit
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Span, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services import App
from quizwriter.workflow.evaluation import percentile

if TYPE_CHECKING:
    from quizwriter.services import Engine

TOSSUPS = 200
FRESH = 20  # tossups for which every prefix is asked anew; it is a hundred times slower
STARTS = 3
KEYS = 300
TYPED = 50  # pages of which every beginning is completed
LONG = 100_000  # characters, a hundred times a tossup
EDITS = 3_000


def bench(app: App) -> dict[str, Any]:
    """Every figure, by name; times are in milliseconds.

    The tossups are a fixed choice from the bundle's own past questions, so figures of one bundle compare.

    Raises:
        QuizwriterError: the bundle cannot be used, or the window does not start.
    """
    engine = app.engines.load()
    chosen = _tossups(engine)
    figures: dict[str, Any] = {
        "bundle": engine.title,
        "tossups": len(chosen),
        "words_p50": percentile([len(tossup.words) for tossup in chosen], 50),
    }
    for tossup in chosen[:FRESH]:  # the operating system brings in the pages of the bundle
        for player in engine.players:
            player.play(tossup)
    # one tossup after the other, as in the window: the ensemble asks players who have just played it
    games = [[player.play(tossup).milliseconds for player in engine.players] for tossup in chosen]
    for player, times in zip(engine.players, zip(*games, strict=True), strict=True):
        figures[f"{player.name}_play_p50"] = _rounded(percentile(times, 50))
        figures[f"{player.name}_play_p95"] = _rounded(percentile(times, 95))
    fresh = [_fresh(engine, tossup) for tossup in chosen[:FRESH]]
    figures["ir_fresh_query_per_prefix_p50"] = _rounded(percentile(fresh, 50))
    figures["ir_fresh_query_per_prefix_p95"] = _rounded(percentile(fresh, 95))
    figures |= _pages(engine) | _texts(chosen[0])
    figures |= _window(engine.folder, chosen[0])
    return figures


def _tossups(engine: Engine) -> list[Tossup]:
    texts = engine.retrieval.past_tossups()
    chosen = random.Random(0).sample(range(len(texts)), min(TOSSUPS, len(texts)))
    return [Tossup(texts[index]) for index in chosen]


def _fresh(engine: Engine, tossup: Tossup) -> float:
    """The time to ask for the guesses after each word anew, as if nothing could be kept."""
    started = time.perf_counter()
    for count in range(1, len(tossup.words) + 1):
        engine.retrieval.ask(tossup.heard(count))
    return (time.perf_counter() - started) * 1000


def _pages(engine: Engine) -> dict[str, float]:
    """The time to complete what is typed of an answer, for each key of some of the bundle's pages."""
    draw, pages = random.Random(0), engine.pages.all
    names = [page.replace("_", " ") for page in draw.sample(pages, min(TYPED, len(pages)))]
    times = [
        _milliseconds(partial(engine.pages.complete, name[:end]))
        for name in names
        for end in range(1, min(len(name), 12) + 1)
    ]
    return {
        "complete_page_p50": _rounded(percentile(times, 50)),
        "complete_page_p95": _rounded(percentile(times, 95)),
    }


def _texts(tossup: Tossup) -> dict[str, float]:
    """The time for a text and a history longer than anybody's: work that grows too fast shows here."""
    long = f"{tossup.text} " * (1 + LONG // len(tossup.text))
    word = "word "
    edits = [Edit(len(word) * number, "", word) for number in range(EDITS)]
    return {
        f"read_{LONG}_characters": _rounded(
            _milliseconds(lambda: (Tossup(long).words, Tossup(long).sentences))
        ),
        f"anchors_{EDITS}_edits": _rounded(
            _milliseconds(lambda: AnchorTracker(edits).place(EDITS // 2, Span(0, len(word))))
        ),
    }


def _milliseconds(do: Callable[[], object]) -> float:
    started = time.perf_counter()
    do()
    return (time.perf_counter() - started) * 1000


def _window(bundle: Path, tossup: Tossup) -> dict[str, Any]:
    """The window's figures, each start in a fresh process; the first is not counted, the last one types."""
    with tempfile.TemporaryDirectory() as home:
        starts = [
            _started(bundle, Path(home), tossup.text, KEYS if number == STARTS else 0)
            for number in range(STARTS + 1)
        ][1:]
    figures = {
        name: _rounded(median(start[name] for start in starts))
        for name in ("start_to_window", "start_to_guess", "start_to_all_players")
    }
    return figures | {name: _rounded(value) for name, value in starts[-1].items() if name not in figures}


def _started(bundle: Path, home: Path, text: str, keys: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "quizwriter.bench.window", str(bundle), str(time.time()), str(keys)]
    environment = {**os.environ, "QUIZWRITER_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, env=environment, check=False, encoding="utf-8"
    )
    if done.returncode != 0:
        raise QuizwriterError(
            f"The window could not be timed: {done.stderr.strip()[-300:]}",
            "Start quizwriter to see what is wrong.",
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _rounded(value: float) -> float:
    return round(value, 2)
