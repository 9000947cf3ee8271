"""The figures of past questions: how long the reports on answers and the search take."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from quizwriter.cancellation import PartProgress
from quizwriter.domain.tossup import Tossup
from quizwriter.services.wiring import App
from quizwriter.workflow.estimates import percentile

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

POPULAR = 100
"""Of how many of the answers that are asked most the past questions are told."""

SEARCHES = 200
"""How many searches of each kind are timed."""


def library_figures(
    app: App, engine: Engine, progress: PartProgress = lambda work, done, total: None
) -> dict[str, float]:
    """The times of reports and searches by name, in milliseconds of this thread's processor time.

    Searches are words and phrases of past tossups, a fixed choice, for figures of one bundle to compare.
    """
    asked = engine.retrieval.log_tossup_counts.argsort()[::-1][:POPULAR].tolist()
    first, again = [], []
    for done, row in enumerate(asked):
        progress("Telling past questions", done, len(asked))
        page = engine.pages.all[row]
        first.append(_milliseconds(partial(app.past.report, engine, page)))
        again.append(_milliseconds(partial(app.past.report, engine, page, "A diary of 1871.")))
    figures = {"past_first": first, "past_again": again}
    draw = random.Random(0)
    texts = engine.retrieval.past_tossups()
    chosen = draw.sample(texts, min(SEARCHES, len(texts)))
    for name, query in (("words", _words), ("phrase", _phrase)):
        times = []
        for done, text in enumerate(chosen):
            progress(f"Searching for {name}", done, len(chosen))
            words = query(text, draw)
            times.append(_milliseconds(partial(app.past.search, engine, words)))
        figures[f"search_{name}"] = times
    return {
        f"{name}_p{share}": round(percentile(times, share), 2)
        for name, times in figures.items()
        if times
        for share in (50, 95)
    }


def _words(text: str, draw: random.Random) -> str:
    """Two words of ``text``, not of its end."""
    words = [span.of(text) for span in Tossup(text).words]
    return " ".join(draw.sample(words, min(2, len(words))))


def _phrase(text: str, draw: random.Random) -> str:
    """Three words of ``text`` in a row, as a phrase."""
    words = [span.of(text) for span in Tossup(text).words]
    start = draw.randrange(max(1, len(words) - 2))
    return f'"{" ".join(words[start : start + 3])}"'.replace('""', '"')


def _milliseconds(do: Callable[[], object]) -> float:
    started = time.thread_time()
    do()
    return (time.thread_time() - started) * 1000
