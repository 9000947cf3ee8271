"""The starter bundle: the texts that come with the program, built into a bundle at the first start."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import suppress
from pathlib import Path

from index_builder.build import build
from index_builder.data import Inputs
from index_builder.progress import NullProgress
from quizwriter import __version__
from quizwriter.engine.bundle import MANIFEST, SCHEMA, YOURS

TITLE = "Starter bundle"

PARTS = "library aliases"
"""What this version puts into a bundle beside what every bundle of its schema has."""


def starter_bundle(texts: Path, bundles: Path, *, anew: bool = False) -> Path:
    """The folder of the bundle built from the files in ``texts/tossups`` and ``texts/articles``.

    The bundle is built under ``bundles`` if it is not there. Changed texts, or another version of the
    program, make a new bundle; ``anew`` replaces the old one.

    Raises:
        QuizwriterError: the disk does not take the bundle.
    """
    questions = sorted((texts / "tossups").glob("*.jsonl"))
    articles = sorted((texts / "articles").glob("*.jsonl"))
    digest = hashlib.sha256(f"{__version__} {SCHEMA} {PARTS}".encode())
    for path in (*questions, *articles):
        digest.update(path.read_bytes())
    folder = bundles / f"starter-{digest.hexdigest()[:12]}"
    if anew or not (folder / MANIFEST).exists():
        build(Inputs(questions, wiki=articles, everything=True), folder, TITLE, NullProgress())
        _copy_added_packets(folder)
    return folder


def _copy_added_packets(folder: Path) -> None:
    """Copy the packets that were added to an earlier starter bundle into this new one."""
    others = [one for one in folder.parent.glob("starter-*") if one != folder and (one / YOURS).is_dir()]
    if others and not (folder / YOURS).exists():
        last = max(others, key=lambda one: (one / YOURS).stat().st_mtime)
        with suppress(OSError, shutil.Error):  # the packets stay with the earlier bundle
            shutil.copytree(last / YOURS, folder / YOURS)
