"""The embedded default: the shipped texts as a bundle, built on first use."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import suppress
from pathlib import Path

from index_builder.build import build
from index_builder.corpus import Inputs
from quizwriter import __version__
from quizwriter.engine.bundle import MANIFEST, SCHEMA, YOURS
from quizwriter.formats.question_files import ReadReport

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
        _take_over(folder)
    return folder


def _take_over(folder: Path) -> None:
    """Let a new starter bundle have the packets that were added to the one before it."""
    others = [one for one in folder.parent.glob("starter-*") if one != folder and (one / YOURS).is_dir()]
    if others and not (folder / YOURS).exists():
        last = max(others, key=lambda one: (one / YOURS).stat().st_mtime)
        with suppress(OSError, shutil.Error):  # they stay where they are
            shutil.copytree(last / YOURS, folder / YOURS)


class Silence:
    """Nobody waits for so small a build."""

    def reading(self, report: ReadReport) -> None:
        """Said to nobody."""

    def indexing(self, done: int, total: int) -> None:
        """Said to nobody."""
