"""How well and how quickly the answer field completes what people type of an answer."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from quizwriter.cancellation import PartProgress
from quizwriter.domain.page import answer_key, page_title
from quizwriter.workflow.estimates import percentile

if TYPE_CHECKING:
    from quizwriter.domain.page import Page
    from quizwriter.engine.engine import Engine

DRAWN = 1_000
"""Pages that are typed, drawn by how often each is asked for."""

OFFERED = 5
"""Places of the list that count as in sight."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def completion_figures(engine: Engine, progress: PartProgress) -> dict[str, Any]:
    """For each way of typing a page, how often it comes first and among the first five; and the times.

    Shares are between 0 and 1, times are milliseconds of this thread's processor. A surname is typed alone
    although several people may have it, so that no ranking reaches 1.
    """
    pages, dice = engine.pages, random.Random(16)
    asked = [pages.asked(page) for page in pages.all]
    if not any(asked):
        return {}
    pages.prepare()
    first: dict[str, list[bool]] = {}
    in_sight: dict[str, list[bool]] = {}
    times: list[float] = []
    for done, page in enumerate(dice.choices(pages.all, weights=asked, k=DRAWN)):
        progress("Completing answers", done, DRAWN)
        for way, typed in _ways(page, dice):
            started = time.thread_time()
            found = [offered.page for offered in pages.complete(typed, OFFERED)]
            times.append(1000 * (time.thread_time() - started))
            first.setdefault(way, []).append(found[:1] == [page])
            in_sight.setdefault(way, []).append(page in found)
    figures: dict[str, Any] = {"pages": len(pages), "aliases": len(pages.aliases)}
    for way in first:
        figures[f"complete_{way}_typed"] = len(first[way])
        figures[f"complete_{way}_first"] = round(sum(first[way]) / len(first[way]), 3)
        figures[f"complete_{way}_in_five"] = round(sum(in_sight[way]) / len(in_sight[way]), 3)
    figures["complete_p50"] = round(percentile(times, 50), 2)
    figures["complete_p95"] = round(percentile(times, 95), 2)
    return figures


def _ways(page: Page, dice: random.Random) -> Iterator[tuple[str, str]]:
    """What people type who mean ``page``, each with the name of the way."""
    title = page_title(page).partition(" (")[0]
    key = answer_key(title)
    words = key.split(" ")
    yield "four_letters", key[:4]
    yield "six_letters", key[:6]
    if len(key) > 3:
        yield "whole_with_slip", _with_slip(key, dice)
    if len(words) > 1:
        yield "two_beginnings", f"{words[0][:4]} {words[-1][:3]}"
        if all(word[:1].isupper() for word in title.split()):
            yield "last_word", words[-1]


def _with_slip(text: str, dice: random.Random) -> str:
    """``text`` with a letter left out, changed, added or swapped with the next."""
    at, letter = dice.randrange(len(text) - 1), dice.choice(_LETTERS)
    before, here, after = text[:at], text[at], text[at + 1 :]
    swapped = before + after[:1] + here + after[1:]
    return dice.choice((before + after, before + letter + after, before + letter + here + after, swapped))
