"""The words that the texts of a bundle use, and in how many of them each is."""

from __future__ import annotations

from functools import cached_property

from quizwriter.engine.bundle import Bundle
from quizwriter.engine.stored_arrays import require

_WORDS, _COUNTS = "words/words.txt", "words/counts.npy"
_AT_ONCE = 10_000


class BundleWords:
    """The word list of a bundle, read when it is first needed. Any thread may ask."""

    def __init__(self, bundle: Bundle) -> None:
        """The list in ``bundle``; it is empty if an older version built the bundle."""
        self._bundle = bundle

    @cached_property
    def counts(self) -> dict[str, int]:
        """In how many texts each word is; words that are only written with a capital have it.

        Raises:
            QuizwriterError: the bundle was changed or damaged.
        """
        if _WORDS not in self._bundle.files:
            return {}
        words, counts = self._bundle.lines(_WORDS), self._bundle.array(_COUNTS)
        with self._bundle.refusing(_COUNTS):
            require(len(words) == len(counts), "it does not fit the words")
        found: dict[str, int] = {}
        for start in range(0, len(words), _AT_ONCE):  # other threads get their turn in between
            stop = start + _AT_ONCE
            found.update(zip(words[start:stop], counts[start:stop].tolist(), strict=True))
        return found
