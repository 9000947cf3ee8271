"""The tokens of many texts at once, as every index counts them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quizwriter.engine.tokenizer import TOKEN, Hashes, token

PARTS = 8
"""Stems are sorted part by part, because each takes an eighth of the memory."""


@dataclass(frozen=True)
class TokenizedTexts:
    """Every token of some texts, in order; ``passages`` says which text each token is of.

    Shapes:
        All three run parallel, one entry for each token.
    """

    stems: Hashes
    pointers: npt.NDArray[np.bool_]
    passages: npt.NDArray[np.int32]


def tokenize_texts(
    texts: Sequence[str], progress: Callable[[int], None] = lambda done: None
) -> TokenizedTexts:
    """Every token of ``texts``; each distinct word is folded, stemmed and hashed once.

    ``progress`` is told how many texts are done.
    """
    vocabulary = _Vocabulary()
    tokens, lengths = array("i"), []
    for place, text in enumerate(texts):
        before = len(tokens)
        tokens.extend([vocabulary[word] for word in TOKEN.findall(text)])
        lengths.append(len(tokens) - before)
        if place % 1000 == 0:
            progress(place)
    progress(len(texts))
    which = np.frombuffer(tokens, np.int32) if tokens else np.zeros(0, np.int32)
    return TokenizedTexts(
        np.asarray(vocabulary.stems, np.uint64)[which],
        np.asarray(vocabulary.pointers, np.bool_)[which],
        np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
    )


class _Vocabulary(dict[str, int]):
    """Numbers words as they are first met; ``stems`` and ``pointers`` have an entry for each number."""

    def __init__(self) -> None:
        super().__init__()
        self.stems: list[int] = []
        self.pointers: list[bool] = []

    def __missing__(self, word: str) -> int:
        found = token(word)
        self.stems.append(found.hash)
        self.pointers.append(found.pointer)
        self[word] = len(self)
        return len(self) - 1


Postings = tuple[Hashes, npt.NDArray[np.int64], npt.NDArray[np.int32]]


def postings_by_stem(stems: Hashes, texts: npt.NDArray[np.int32]) -> Postings:
    """The distinct stems in rising order, how many texts have each, and these texts, stem by stem.

    ``texts`` has the text of each of ``stems``; stop words are left out.
    """
    terms, sizes, found = zip(*_parts_of_postings(stems, texts), strict=True)
    return np.concatenate(terms), np.concatenate(sizes), np.concatenate(found)


def _parts_of_postings(stems: Hashes, texts: npt.NDArray[np.int32]) -> Iterator[Postings]:
    part_of = (stems >> np.uint64(61)).astype(np.int8)
    part_of[stems == 0] = -1  # stop words
    for part in range(PARTS):
        some = np.flatnonzero(part_of == part)
        order = some[np.lexsort((texts[some], stems[some]))]
        stem, text = stems[order], texts[order]
        new_stem = np.concatenate([[True], stem[1:] != stem[:-1]])[: len(stem)]
        kept = np.flatnonzero(new_stem | np.concatenate([[True], text[1:] != text[:-1]])[: len(stem)])
        yield stem[new_stem], np.diff(np.flatnonzero(new_stem[kept]), append=len(kept)), text[kept]
