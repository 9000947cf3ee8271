"""What past questions call each page, counted for the ensemble."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy import sparse

from index_builder.training.training_set import Arrays
from quizwriter.engine.answer_kinds import AFTER_POINTER
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import TOKEN, token

Numbers = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

MOST_KINDS, LEAST_USED = 600, 20
"""So many kinds are told apart at most, each of which follows "this" so often at least."""

MOST_COUNTED = 20
"""A page that is called one kind oftener is taken to be called so as often as this."""

WEIGHTIEST = 10
"""A page that is called kinds oftener counts as much as one that is called so many."""

RANDOM_MENTIONS = 5
"""So many random pages are taken to be called each kind: chance makes rare kinds alike."""

_CALLED = re.compile(r"\b[Tt]h(?:is|ese) ([^.?!,;:]{1,60})")
_IS = re.compile(r"\b(?:is|was|are|were) ([^.;:]{1,120})")
_OPENING = 300  # characters of an article in which it says what its page is
_SAID_FIRST = 14  # words after "is" of which one is the kind


def fit_kinds(bundle: Bundle) -> Arrays:
    """The arrays of :class:`quizwriter.engine.answer_kinds.AnswerKinds`, from the texts in ``bundle``."""
    said = list(_said(bundle))
    first = Counter(stems[0] for _, asked, stems in said if asked and stems[0])
    common = sorted((-count, stem) for stem, count in first.items() if count >= LEAST_USED)[:MOST_KINDS]
    terms = np.sort(np.asarray([stem for _, stem in common], np.uint64))
    number = {stem: place for place, stem in enumerate(terms.tolist())}
    counts: Counter[tuple[int, int]] = Counter()
    for page, asked, stems in said:
        near = stems[:AFTER_POINTER] if asked else stems
        kind = next((number[stem] for stem in near if stem in number), None)
        if kind is not None:
            counts[page, kind] += 1
    places = np.asarray(sorted(counts), np.int64).reshape(-1, 2)
    rows, kinds = places[:, 0], places[:, 1]
    used = np.asarray([min(counts[one, kind], MOST_COUNTED) for one, kind in places.tolist()], np.float64)
    shares = np.bincount(kinds, used, minlength=len(terms)) / max(1.0, float(used.sum()))
    return {
        "kind_terms": terms,
        "kind_shares": shares.astype(np.float32),
        "kind_likeness": _likeness(rows, kinds, used, shares).astype(np.float16),
        "page_kind_starts": np.searchsorted(rows, np.arange(len(bundle.lines("pages.txt")) + 1)),
        "page_kinds": kinds.astype(np.int32),
        "page_kind_counts": used.astype(np.float16),
    }


def _said(bundle: Bundle) -> Iterator[tuple[int, bool, list[int]]]:
    """The row of a page, whether a question calls it what follows, and the stems that are said of it."""
    texts, kinds = bundle.texts("passages/texts"), bundle.array("passages/kinds.npy").tolist()
    starts = bundle.array("passages/page_starts.npy")
    for row, title in enumerate(bundle.lines("pages.txt")):
        opened = False
        for place in range(*starts[row : row + 2].tolist()):
            if kinds[place] != PassageKind.ARTICLE:
                for found in _CALLED.finditer(texts[place]):
                    yield row, True, _stems(found[1], AFTER_POINTER)
            elif not opened:
                opened = True
                found_first = _IS.search(texts[place][:_OPENING])
                if found_first is not None:
                    yield row, False, _stems(found_first[1], _SAID_FIRST)
        if title.endswith(")") and "_(" in title:
            yield row, False, _stems(title.rsplit("_(", 1)[1].replace("_", " "), _SAID_FIRST)


def _stems(text: str, most: int) -> list[int]:
    """The hashes of the first ``most`` words in ``text``, 0 for stop words; never none."""
    return [token(word).hash for word in TOKEN.findall(text)[:most]] or [0]


def _likeness(page: Numbers, kinds: Numbers, used: Doubles, shares: Doubles) -> Doubles:
    """How often a page that is called one kind is called each kind at another time.

    Shapes:
        ``page``, ``kinds`` and ``used``, how often it is called so: an entry for each page and kind.
        ``shares``: ``[kinds]``. Result: ``[kinds, kinds]``; each row is a distribution.
    """
    total = np.bincount(page, used)[page] if len(page) else used
    often = total > 1
    _, row = np.unique(page[often], return_inverse=True)
    kinds, share, total = kinds[often], (used / total)[often], total[often]
    weights = np.minimum(total, WEIGHTIEST) / (total - 1)
    wide = int(row.max(initial=-1)) + 1, len(shares)
    dense = np.zeros(wide, np.float32)
    dense[row, kinds] = share
    some = sparse.csr_matrix(((share * weights * total).astype(np.float32), (row, kinds)), shape=wide)
    pairs = some.T @ dense - np.diag(np.bincount(kinds, share * weights, minlength=len(shares)))
    found: Doubles = np.maximum(pairs, 0) + RANDOM_MENTIONS * shares
    found /= np.maximum(found.sum(axis=1, keepdims=True), 1e-9)
    return found
