"""The embedded default: the shipped texts as a bundle, built on first use."""

from __future__ import annotations

import hashlib
from pathlib import Path

from index_builder.build import build
from index_builder.corpus import Inputs
from quizwriter import __version__
from quizwriter.engine.bundle import MANIFEST, SCHEMA
from quizwriter.questions import Report

TITLE = "Starter bundle"


def starter_bundle(texts: Path, bundles: Path, *, anew: bool = False) -> Path:
    """The folder of the bundle built from the ``tossups`` and ``articles`` that lie in the folder ``texts``.

    It is built under ``bundles`` if it is not there. Changed texts, or another version of the program,
    make a new bundle; ``anew`` replaces the old one.

    Raises:
        QuizwriterError: the disk does not take it.
    """
    questions = sorted((texts / "tossups").glob("*.jsonl"))
    articles = sorted((texts / "articles").glob("*.jsonl"))
    digest = hashlib.sha256(f"{__version__} {SCHEMA}".encode())
    for path in (*questions, *articles):
        digest.update(path.read_bytes())
    folder = bundles / f"starter-{digest.hexdigest()[:12]}"
    if anew or not (folder / MANIFEST).exists():
        build(Inputs(questions, wiki=articles, everything=True), folder, TITLE, Silence())
    return folder


class Silence:
    """Nobody waits for so small a build."""

    def reading(self, report: Report) -> None:
        """Said to nobody."""

    def indexing(self, done: int, total: int) -> None:
        """Said to nobody."""
