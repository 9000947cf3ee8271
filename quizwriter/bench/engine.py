"""How fast the program is on this computer: the players, the window under typing, the start, the memory."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256
from heapq import nsmallest
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from quizwriter.cancellation import PartProgress
from quizwriter.domain.history import Edit
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.language_models import without_gaps
from quizwriter.services.wiring import App
from quizwriter.system.children import Child, child_command
from quizwriter.workflow.estimates import percentile

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

TOSSUPS = 200
"""How many tossups every player plays."""

PREFIX_TOSSUPS = 20
"""For how many tossups every prefix is a query of its own, which is a hundred times slower."""

MODEL_TOSSUPS = 5
"""How many tossups a language model plays; it is paid for each."""

STARTS = 3
"""How many starts of the window are timed."""

KEYS = 300
"""How many keys are typed into the window."""

BELL_TOSSUPS = 10
"""On the bells of how many tossups is clicked."""

COMPLETED_PAGES = 50
"""Of how many pages every beginning is completed."""

LONG_TEXT = 100_000
"""Characters of a long text, a hundred times a tossup."""

EDITS = 3_000
"""Edits of a long history."""


def bench(app: App, whole: Engine, progress: PartProgress = lambda work, done, total: None) -> dict[str, Any]:
    """Every figure of ``whole``, the engine in use, by name; times are in milliseconds.

    The tossups are a fixed choice from the bundle's own past questions, for figures of one bundle to compare.
    ``progress`` is told what is timed.
    """
    engine = without_gaps(whole)
    chosen = _choose_tossups(engine)
    figures: dict[str, Any] = {
        "bundle": engine.title,
        "digest": engine.digest,
        "computer": _computer(),
        "tossups": len(chosen),
        "words_p50": percentile([len(tossup.words) for tossup in chosen], 50),
    }
    for tossup in chosen[:PREFIX_TOSSUPS]:  # the operating system reads the files of the bundle meanwhile
        for player in engine.players:
            player.play(tossup)
    games = []
    for done, tossup in enumerate(chosen):
        progress("Timing the players", done, len(chosen))
        # all players on one tossup, as in the window: the ensemble asks players that have just played it
        games.append([player.play(tossup).milliseconds for player in engine.players])
    for player, times in zip(engine.players, zip(*games, strict=True), strict=True):
        figures[f"{player.name}_play_p50"] = _rounded(percentile(times, 50))
        figures[f"{player.name}_play_p95"] = _rounded(percentile(times, 95))
    queries = []
    for done, tossup in enumerate(chosen[:PREFIX_TOSSUPS]):
        progress("Timing the queries", done, len(chosen[:PREFIX_TOSSUPS]))
        queries.append(_prefix_queries_ms(engine, tossup))
    figures["ir_fresh_query_per_prefix_p50"] = _rounded(percentile(queries, 50))
    figures["ir_fresh_query_per_prefix_p95"] = _rounded(percentile(queries, 95))
    figures |= _completion_figures(engine) | _long_text_figures(chosen[0])
    figures |= _model_figures(app, whole, chosen, progress)
    figures |= _pause_figures(whole, chosen, progress)
    figures |= _window_figures(engine.folder, chosen, progress)
    return figures


def _computer() -> str:
    """The computer of the figures, which names nobody: its system, its processor and how many cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.processor() or platform.machine()
    return f"{platform.system()}, {processor}, {os.cpu_count()} cores"


def _model_figures(app: App, engine: Engine, tossups: list[Tossup], progress: PartProgress) -> dict[str, Any]:
    """The time that a language model takes to answer, if one plays: of texts that it was not asked before."""
    times = []
    for player in (player for player in engine.players if player.metered):
        for done, tossup in enumerate(tossups[:MODEL_TOSSUPS]):
            progress("Timing the language model", done, MODEL_TOSSUPS)
            before = app.models.spent().requests
            took = player.play(tossup).milliseconds
            asked = app.models.spent().requests - before
            times += [took / asked] * asked if asked else []
    if not times:
        return {}
    figures = {f"llm_answer_p{at}": _rounded(percentile(times, at)) for at in (50, 95)}
    return {**figures, "llm_requests": len(times)}


def _pause_figures(engine: Engine, tossups: list[Tossup], progress: PartProgress) -> dict[str, Any]:
    """The times of the players that play at pauses: a whole game, and one with a new last sentence."""
    figures: dict[str, Any] = {}
    for player in (player for player in engine.players if player.at_pauses):
        whole, added = [], []
        player.play(Tossup("Players read their files when they first play."))
        for done, tossup in enumerate(tossups[:PREFIX_TOSSUPS]):
            progress(f"Timing {player.name}", done, len(tossups[:PREFIX_TOSSUPS]))
            whole.append(player.play(tossup).milliseconds)
            longer = Tossup(f"{tossup.text} This is a new sentence about tossup {done}.")
            added.append(player.play(longer).milliseconds)
        for name, times in (("play", whole), ("new_sentence", added)):
            figures |= {f"{player.name}_{name}_p{at}": _rounded(percentile(times, at)) for at in (50, 95)}
    return figures


def _choose_tossups(engine: Engine) -> list[Tossup]:
    return [Tossup(text) for text in _fixed_choice(engine.retrieval.past_tossups(), TOSSUPS)]


def _fixed_choice(texts: Iterable[str], count: int) -> list[str]:
    """``count`` of ``texts`` by their digests: of nearly the same ones nearly the same, in the same order."""
    return nsmallest(count, texts, key=lambda text: sha256(text.encode("utf-8", "surrogatepass")).digest())


def _prefix_queries_ms(engine: Engine, tossup: Tossup) -> float:
    """The time to ask for the guesses after each word with a query of its own, of which nothing is kept."""
    counts = range(1, len(tossup.words) + 1)
    return _milliseconds(lambda: [engine.retrieval.query(tossup.heard(count)) for count in counts])


def _completion_figures(engine: Engine) -> dict[str, float]:
    """The time to complete what is typed of an answer, for each key of some of the bundle's pages."""
    names = [page.replace("_", " ") for page in _fixed_choice(engine.pages.all, COMPLETED_PAGES)]
    times = [
        _milliseconds(partial(engine.pages.complete, name[:end]))
        for name in names
        for end in range(1, min(len(name), 12) + 1)
    ]
    return {
        "complete_page_p50": _rounded(percentile(times, 50)),
        "complete_page_p95": _rounded(percentile(times, 95)),
    }


def _long_text_figures(tossup: Tossup) -> dict[str, float]:
    """The time for a text and a history much longer than usual: work that grows too fast shows here."""
    long = f"{tossup.text} " * (1 + LONG_TEXT // len(tossup.text))
    word = "word "
    edits = [Edit(len(word) * number, "", word) for number in range(EDITS)]
    return {
        f"read_{LONG_TEXT}_characters": _rounded(
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


def _window_figures(bundle: Path, tossups: Sequence[Tossup], progress: PartProgress) -> dict[str, Any]:
    """The window's figures, each start in a new process.

    The first one is not counted; the last one types the first of ``tossups``, and clicks on bells of others.
    """
    typed, *others = (tossup.text for tossup in tossups[: 1 + BELL_TOSSUPS])
    starts = []
    with tempfile.TemporaryDirectory() as home:
        for number in range(STARTS + 1):
            progress("Timing the window", number, STARTS + 1)
            keys = KEYS if number == STARTS else 0
            texts = [typed, *others] if keys else [typed]
            starts.append(_time_window(bundle, Path(home), texts, keys))
    counted = starts[1:]
    figures = {
        name: _rounded(median(start[name] for start in counted))
        for name in ("start_to_window", "start_to_guess", "start_to_all_players")
    }
    return figures | {name: _rounded(value) for name, value in counted[-1].items() if name not in figures}


def _time_window(bundle: Path, home: Path, texts: list[str], keys: int) -> dict[str, Any]:
    command = child_command(Child.TIMED_WINDOW, str(bundle), str(time.time()), str(keys))
    environment = {**os.environ, "QUIZWRITER_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command,
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        encoding="utf-8",
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
