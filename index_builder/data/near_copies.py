"""The questions that a bundle is built without, found again in other words of the same sources.

A question is a near copy of another one if it shares a fifth of its runs of five words with it. Of 72,491
public tossups, 3,546 share six tenths or more with one of 3,607 recorded ones, 8 a fifth to three tenths, and
none anything between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport, clean, rows

RUN = 5
"""Words in a row that two texts share."""

SHARE = 5
"""One in so many runs of a text is in its near copy."""

_WORD = re.compile(r"\w+")
_FACTORS = np.array([pow(1_000_003, power, 1 << 64) for power in range(RUN)], np.uint64)

Runs = npt.NDArray[np.uint64]


class NearCopies:
    """Tells near copies of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        runs = [_runs(text) for text in texts]
        self.texts = len(runs)
        found = np.concatenate([np.zeros(0, np.uint64), *runs])
        owners = np.repeat(np.arange(self.texts), [len(one) for one in runs])
        order = np.argsort(found, kind="stable")
        self._runs, first = np.unique(found[order], return_index=True)
        self._first = np.append(first, len(found))
        self._owners = owners[order]

    def has_copy(self, text: str) -> bool:
        """Whether ``text`` is one of the texts, or a near copy of one; never if it is shorter than a run."""
        if not len(self._runs):
            return False
        runs = _runs(text)
        at = np.searchsorted(self._runs, runs)
        at[at == len(self._runs)] = 0
        shared = at[self._runs[at] == runs]
        if not len(shared):
            return False
        ends = zip(self._first[shared].tolist(), self._first[shared + 1].tolist(), strict=True)
        owners = [self._owners[first:last] for first, last in ends]
        return bool(np.bincount(np.concatenate(owners)).max() * SHARE >= len(runs))


def _runs(text: str) -> Runs:
    """A hash of each distinct run of words in ``text``; only within one process is it the same."""
    words = np.fromiter(map(hash, _WORD.findall(text.casefold())), np.int64).view(np.uint64)
    if len(words) < RUN:
        return np.zeros(0, np.uint64)
    return np.unique(np.lib.stride_tricks.sliding_window_view(words, RUN) @ _FACTORS)


def read_texts(path: Path) -> Iterator[str]:
    """The texts of the questions in a JSON-lines or QANTA file, also of those without an answer."""
    found = False
    for row in rows(path, ReadReport(str(path))):
        if text := clean(row.get("text")):
            found = True
            yield text
    if not found:
        raise QuizwriterError(f"{path} has no questions.", "Name a file of JSON lines, each with a text.")
