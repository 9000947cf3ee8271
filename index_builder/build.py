"""Build a bundle: gather the corpus, index it, publish it; and say which rows were left out and why."""

from __future__ import annotations

import gc
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from index_builder.data.corpus import Inputs, gather_corpus
from index_builder.index.bundle_index import write_index
from index_builder.index.tokenized_corpus import CorpusTokenizer
from index_builder.progress import Progress
from quizwriter import __version__
from quizwriter.engine.bundle import Bundle, BundleWriter, publishing
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport

REPORT = "report.json"
"""The file in a bundle that says what came of each file that it was built from."""


def is_built(inputs: Inputs, out: Path) -> bool:
    """Whether ``out`` has an undamaged bundle of exactly these inputs, built by this version."""
    try:
        about = Bundle.open(out).about
    except QuizwriterError:
        return False
    wanted = {**inputs.provenance, "program": __version__}
    return all(about.get(name) == value for name, value in wanted.items())


def build(
    inputs: Inputs,
    out: Path,
    title: str,
    progress: Progress,
    *,
    extend: Callable[[BundleWriter], Mapping[str, object]] | None = None,
) -> dict[str, object]:
    """Publish the bundle of ``inputs`` at ``out``; its report, which is also a file of the bundle.

    ``extend`` adds files to the bundle before it is published; the result is added to the manifest.
    """
    started = time.monotonic()
    about: dict[str, object] = {
        "title": title,
        "built": datetime.now(UTC).isoformat(timespec="seconds"),
        "program": __version__,
    }
    with publishing(out, about) as writer:
        with _without_sweeps():
            report = _indexed(inputs, about, writer, progress)
        report["seconds"] = round(time.monotonic() - started, 1)
        writer.lines(REPORT, json.dumps(report, indent=1, ensure_ascii=False).split("\n"))
        if extend is not None:
            about.update(extend(writer))
    return report


def _indexed(
    inputs: Inputs, about: dict[str, object], writer: BundleWriter, progress: Progress
) -> dict[str, object]:
    """Put ``inputs`` into a bundle; what came of them. ``about`` gets what the manifest says of them."""
    with CorpusTokenizer() as tokenizer:
        corpus = gather_corpus(inputs, progress.reading, tokenizer.take)
        total = len(corpus.passages)
        if not total:
            raise QuizwriterError(
                f"None of the rows can be used{_reason(corpus.reports)}, so there is nothing to index.",
                "Check that the files hold questions, one JSON object a line.",
            )
        tokens = tokenizer.tokens_of(corpus, lambda done: progress.indexing(done, total))
    provenance = inputs.provenance
    counts = write_index(corpus, tokens, writer)
    about |= {**provenance, "counts": counts}
    return {
        "files": [
            # without the folder, which names the user of whoever shares the bundle
            {**report.as_json(), "file": Path(report.path).name, "sha256": source["sha256"]}
            for report, source in zip(corpus.reports, provenance["sources"], strict=True)
        ],
        "tossups_by_fold": corpus.folds,
        "answers": corpus.answer_counts,
        "left_out": corpus.left_out,
        "merged_pages": corpus.merged,
        "counts": counts,
    }


@contextmanager
def _without_sweeps() -> Iterator[None]:
    """A block in which Python does not look for cycles of garbage.

    Gathering makes millions of objects and hardly a cycle; to look through them again and again takes a fifth
    of its time. They are to be gone when the block ends, or all of them are looked through at once.
    """
    swept = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if swept:
            gc.enable()


def _reason(reports: Sequence[ReadReport]) -> str:
    """Why most of the rows were not used, in brackets; empty where there are no rows."""
    reasons: Counter[str] = sum((report.rejected for report in reports), Counter())
    return f" (most of them: {reasons.most_common(1)[0][0]})" if reasons else ""
