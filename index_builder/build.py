"""Build a bundle: gather, index, publish; and say what was left out and why."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from index_builder.corpus import Inputs, gather
from index_builder.index import write_index
from quizwriter import __version__
from quizwriter.engine.bundle import Bundle, publishing, sha256_of
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport

REPORT = "report.json"


class Progress(Protocol):
    """Is told how far a build is."""

    def reading(self, report: ReadReport) -> None:
        """A file is being read."""

    def indexing(self, done: int, total: int) -> None:
        """So many of all passages are indexed."""


def is_built(inputs: Inputs, out: Path) -> bool:
    """Whether a sound bundle of exactly these inputs is at ``out``, built by this version."""
    try:
        about = Bundle.open(out).about
    except QuizwriterError:
        return False
    wanted = {**origin(inputs), "program": __version__}
    return all(about.get(name) == value for name, value in wanted.items())


def origin(inputs: Inputs) -> dict[str, object]:
    """What is said of where a bundle or an index comes from."""
    return {
        "sources": [
            {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256_of(path)}
            for path in inputs.all
        ],
        "folds": "all" if inputs.everything else ["guess"],
    }


def build(inputs: Inputs, out: Path, title: str, progress: Progress) -> dict[str, object]:
    """Publish the bundle of ``inputs`` at ``out``; its report, which also stands inside it.

    Raises:
        QuizwriterError: a file cannot be read, nothing in them can be used, or the disk is full.
    """
    started = time.monotonic()
    reports: list[ReadReport] = []
    about: dict[str, object] = {
        "title": title,
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": __version__,
    }
    with publishing(out, about) as writer:
        corpus = gather(inputs, reports, progress.reading)
        if not corpus.texts:
            raise QuizwriterError(
                "None of the rows can be used, so there is nothing to index.",
                "See that the files hold questions, one JSON object a line.",
            )
        about.update(origin(inputs))
        counts = write_index(corpus, writer, lambda done: progress.indexing(done, len(corpus.texts)))
        report: dict[str, object] = {
            "files": [report.as_json() for report in reports],
            "tossups_by_fold": corpus.folds,
            "answers": corpus.settled,
            "counts": counts,
            "seconds": round(time.monotonic() - started, 1),
        }
        about["counts"] = counts
        writer.lines(REPORT, json.dumps(report, indent=1, ensure_ascii=False).split("\n"))
    return report
