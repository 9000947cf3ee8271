"""The tokens of many texts at once, as every index counts them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from quizwriter.engine.tokenizer import TOKEN, Hashes, token


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
