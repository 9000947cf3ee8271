"""The entities that a bundle's questions ask for, by type, and what they are exchanged for.

The type of an entity is the noun by which questions call it: "this Italian *composer*" makes its page a
composer. No list of names and no recogniser is needed beside the bundle.

Source:
    Fan and Liu, "Adversarial data generation for reading comprehension with Transformer" (2021), section
    3.2.1, whose libraries have the classes of OntoNotes.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path

import numpy as np

from quizwriter.domain.page import Page, plain_title
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.pages import read_pages
from quizwriter.engine.retrieval import PassageKind, PassageTable

FEWEST_ENTITIES = 10
"""A type of fewer entities has no library: too little could be drawn from it."""

MOST_TEXTS_OF_PAGE = 40
"""Texts about a page that say its type; more would not change it."""

LONGEST_NAME = 6
"""Words of a name that is looked for in a text."""

_CALLED = re.compile(r"\b[Tt]h(?:is|ese) ((?:[\w-]++ ?){1,4})")
_NO_TYPES = frozenset(
    """
    also appears are called did does first form former forms general had has have is kind kinds known last
    named not often one ones other set sets sort sorts thing things two type types was were
    """.split()  # noqa: SIM905
)
"""Words after "this" that no answer is called by, or any."""

_GOES_ON = frozenset(
    """
    a about after an and as at be before between by can during for from he her his if in include into it its
    of on or she that the their they to when where which while who whom whose with
    """.split()  # noqa: SIM905
)
"""Words at which a noun is over."""

_WORD = re.compile(r"[^\W_]++(?:['’.-][^\W_]++)*+")
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")


def called_types(text: str) -> list[str]:
    """The words by which ``text`` may call its answer: those after each "this", nouns among them."""
    return [
        word
        for phrase in _CALLED.findall(text)
        for word in takewhile(lambda word: word not in _GOES_ON, phrase.split())
        if word.isalpha() and word.islower() and word not in _NO_TYPES and not word.endswith("ed")
    ]


class EntityLibraries:
    """The pages of a bundle by type: composers, novels, rivers."""

    def __init__(
        self,
        texts: Iterable[tuple[Page, Sequence[str]]],
        find: Callable[[str], Page | None],
        fewest: int = FEWEST_ENTITIES,
    ) -> None:
        """``texts`` are the questions on each page; ``find`` gives the page with a name.

        The type of a page is the word that most of its questions have; of several the one that most pages
        have. A word that a single question of several has tells nothing.
        """
        counts: dict[Page, tuple[int, Counter[str]]] = {}
        everywhere: Counter[str] = Counter()
        for page, some in texts:
            words = Counter(word for text in some for word in set(called_types(text)))
            counts[page] = len(some), words
            everywhere.update(words.keys())
        types: dict[Page, str] = {}
        for page, (number, words) in counts.items():
            best = max(words, key=lambda word: (words[word], everywhere[word], word), default="")
            if best and (words[best] > 1 or number == 1):
                types[page] = best
        sizes = Counter(types.values())
        self._find = find
        self._types = {page: noun for page, noun in types.items() if sizes[noun] >= fewest}
        self._libraries: dict[str, list[Page]] = {}
        for page, noun in self._types.items():
            self._libraries.setdefault(noun, []).append(page)

    @classmethod
    def of(cls, of: Bundle | Path, fewest: int = FEWEST_ENTITIES) -> EntityLibraries:
        """The libraries of a bundle, of the pages that questions ask for."""
        bundle = Bundle.open(of, trusted=True) if isinstance(of, Path) else of
        pages, passages = read_pages(bundle), PassageTable(bundle)
        question = np.asarray(passages.kinds) != PassageKind.ARTICLE

        def texts() -> Iterable[tuple[Page, Sequence[str]]]:
            for row, page in enumerate(pages.all):
                numbers = (number for number in passages.about(row) if question[number])
                some = [passages.texts[number] for number in islice(numbers, MOST_TEXTS_OF_PAGE)]
                if some:
                    yield page, some

        return cls(texts(), pages.find, fewest)

    @property
    def sizes(self) -> Mapping[str, int]:
        """How many entities each type has, the most first."""
        counted = {noun: len(pages) for noun, pages in self._libraries.items()}
        return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))

    def type_of(self, page: Page | None) -> str | None:
        return None if page is None else self._types.get(page)

    def other(self, page: Page, draw: random.Random) -> Page | None:
        """Another page of the type of ``page``, drawn at random, no word of whose title is in its title.

        None where there is none.
        """
        noun = self._types.get(page)
        if noun is None:
            return None
        words = set(plain_title(page).casefold().split())
        library = self._libraries[noun]
        for drawn in draw.sample(library, min(len(library), 20)):
            if drawn != page and words.isdisjoint(plain_title(drawn).casefold().split()):
                return drawn
        return None

    def rewritten(self, sentence: str, draw: random.Random) -> str | None:
        """``sentence`` with each entity exchanged for another of its type; None where it has none.

        Names are exchanged that are those of pages with a type, and what is written in digits.
        """
        pieces: list[str] = []
        done = 0
        changed = False
        for start, end, put in self._exchanges(sentence, draw):
            pieces += [sentence[done:start], put]
            changed |= put != sentence[start:end]
            done = end
        return "".join([*pieces, sentence[done:]]) if changed else None

    def _exchanges(self, sentence: str, draw: random.Random) -> Iterable[tuple[int, int, str]]:
        words = list(_WORD.finditer(sentence))
        at = 0
        while at < len(words):
            word = words[at].group()
            if word.isdecimal():
                yield *words[at].span(), _other_number(word, draw)
            elif word[0].isupper():
                for last in range(min(at + LONGEST_NAME, len(words)) - 1, at - 1, -1):
                    if not words[last].group()[0].isupper() or (last == at == 0):
                        continue  # a name ends in a capital, and any word may begin the sentence in one
                    start, end = words[at].start(), words[last].end()
                    page = self._find(sentence[start:end])
                    other = None if page is None else self.other(page, draw)
                    if other is not None:
                        yield start, end, plain_title(other)
                        at = last
                        break
            at += 1


def _other_number(digits: str, draw: random.Random) -> str:
    """Another number like ``digits``: a year near it, or a number of as many digits."""
    if _YEAR.fullmatch(digits):
        other = int(digits) + draw.choice((-1, 1)) * draw.randint(3, 40)
        return str(min(max(other, 1000), 2099))
    few = len(digits) if len(digits) < 10 else 9
    return str(draw.randint(10 ** (few - 1), 10**few - 1))
