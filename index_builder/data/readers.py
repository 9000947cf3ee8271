"""Readers of files that are indexed beside tossups: bonus parts, encyclopedia text and answer maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from quizwriter.formats.question_files import (
    NO_ORIGIN,
    SHORTEST,
    QuestionOrigin,
    ReadReport,
    answer_of,
    clean,
    one_line,
    origin_of,
    rows,
    too_long,
)

_ACTIONS = frozenset({"index", "create"})
"""The one key of a line between the articles of a CirrusSearch dump."""


class BonusPart(msgspec.Struct, frozen=True):
    """A part of a bonus: a short clue for its answer."""

    text: str
    page: str | None
    answer: str
    source: str
    line: str = ""  # the whole answer line
    category: str = ""
    origin: QuestionOrigin = NO_ORIGIN


class Article(msgspec.Struct, frozen=True):
    """Encyclopedia text about a page; ``source`` is the name of the encyclopedia, as a writer reads it."""

    page: str
    text: str
    source: str


def read_bonus_parts(path: Path, report: ReadReport) -> Iterator[BonusPart]:
    """The parts of all bonuses in a JSON-lines file, plain or packed; ``report`` counts unusable rows."""
    for row in rows(path, report):
        yield from parts_of_bonus(row, report)


def parts_of_bonus(row: Mapping[str, Any], report: ReadReport) -> Iterator[BonusPart]:
    """The usable parts of the bonus in ``row``; if the row has no such part, ``report`` counts why."""
    parts = row.get("parts")
    if not isinstance(parts, list) or not parts:
        report.reject("no bonus parts")
        return
    if reason := too_long(row):
        report.reject(reason)
        return
    origin = origin_of(row, "", kind="bonus")
    category = one_line(row.get("category")) or one_line(row.get("category_pred"))
    source, found = origin.source, 0
    for part in parts:
        if not isinstance(part, dict) or too_long(part):
            continue
        text, page = clean(part.get("text")), one_line(part.get("page")).replace(" ", "_")
        answer = answer_of(part) or page.replace("_", " ")
        if len(text) >= SHORTEST and answer:
            found += 1
            line = one_line(part.get("answer")) or answer
            yield BonusPart(text, page or None, answer, source, line, category, origin)
    if found:
        report.used += 1
    else:
        report.reject("no part with text and answer")


def read_articles(path: Path, report: ReadReport) -> Iterator[Article]:
    """The articles in a JSON-lines file, plain or packed; ``report`` counts unusable rows.

    Rows are ours (``page``, ``text``), WikiExtractor's (``title``, ``text``), or those of a CirrusSearch dump
    (``title``, ``text``, ``namespace``; before each article stands a line that only says where it goes).
    """
    for row in rows(path, report):
        if row and row.keys() <= _ACTIONS:
            report.rows -= 1  # it belongs to the next line
            continue
        title = one_line(row.get("page")) or one_line(row.get("title"))
        text = clean(row.get("text"))
        if "page" not in row:  # WikiExtractor may begin the text with the title
            text = text.removeprefix(f"{title}\n").strip()
        if row.get("namespace") not in (None, 0):
            report.reject("not an article")
        elif not title:
            report.reject("no page")
        elif len(text) < SHORTEST:
            report.reject("text missing or too short")
        else:
            report.used += 1
            yield Article(title.replace(" ", "_"), text, one_line(row.get("publication")) or "Wikipedia")


def read_answer_map(path: Path, report: ReadReport) -> Iterator[tuple[str, str]]:
    """Pairs of answer key and page in a JSON-lines file; ``report`` counts unusable rows."""
    for row in rows(path, report):
        key, page = clean(row.get("key")), one_line(row.get("page"))
        if key and page:
            report.used += 1
            yield key, page.replace(" ", "_")
        else:
            report.reject("no key or no page")
