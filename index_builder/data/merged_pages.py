"""Pages that sources spell in several ways, and the one page that each of them is filed under.

What a player knows of an answer lies on one page: spread over two, each has half of the chance, and the
second guess is the first one again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from anyascii import anyascii

from quizwriter.domain.page import Page

LEAST_MORE = 2
"""One way of writing a name is no accident unless others are more than so many times as frequent."""

_BETWEEN = re.compile(r"[_-]+")
_WITHIN = re.compile(r"['`.,]")
_ARTICLE = re.compile(r"^(?:The|An?) ")
_PLURAL = re.compile(r"ies\Z|(?<=s|x|z)es\Z|(?<=ch|sh)es\Z|(?<![su])s\Z")


class PageSpellings:
    """How the texts about a page write its name, and which pages are therefore one.

    Names of several words that differ only in accents, hyphens or apostrophes are of one page. Where they
    differ in capitals (Han dynasty, but *Common Sense* is a pamphlet) or in number (oxbow lakes, but the
    Rolling Stones are no stone), the texts decide.
    """

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}
        self._asked: set[str] = set()

    def ask(self, page: str, text: str) -> None:
        """Note how ``text``, a tossup that asks for ``page``, writes its name."""
        if "_" in page:
            self._asked.add(_singular(page))
            self._count(page, text)

    def read(self, page: str, text: str) -> None:
        """Note how the article ``text`` writes the name of ``page``, after all tossups were read."""
        if self.may_merge(page):
            self._count(page, text)

    def may_merge(self, page: str) -> bool:
        """Whether tossups ask for a page with about this name; other pages stay as they are."""
        return "_" in page and _singular(page) in self._asked

    def _count(self, page: str, text: str) -> None:
        counts = self._counts.setdefault(page, [0, 0, 0])
        beginning, last = page.replace("_", " ").rsplit(" ", 1)
        common, last_common = f"{beginning} {last}".lower(), f"{beginning} {last.lower()}"
        proper = f"{beginning} {last.capitalize()}"
        counts[0] += common in text
        counts[1] += last_common in text and last_common != common
        counts[2] += proper in text and proper != last_common

    def merged(self, asked: Mapping[str, int]) -> dict[str, Page]:
        """The page under which a page is filed, for each that another spelling takes the place of.

        ``asked`` counts the tossups that ask for each page. Of several spellings the one with the most
        accents stays, and among these the one that is asked for most often.
        """
        found: dict[str, Page] = {}

        def join(key_of: Callable[[str], str], is_one: Callable[[list[str]], bool]) -> None:
            groups: dict[str, list[str]] = {}
            for page in self._counts:
                if page not in found:
                    groups.setdefault(key_of(page), []).append(page)
            for group in groups.values():
                if len(group) > 1 and is_one(group):
                    kept, *others = sorted(
                        group, key=lambda page: (-_accents(page), -asked.get(page, 0), page)
                    )
                    found.update(dict.fromkeys(others, Page(kept)))

        join(spelling, lambda group: True)
        join(lambda page: spelling(page).casefold(), self._are_proper)
        join(_singular, self._are_common)
        for page, kept in found.items():
            while kept in found:  # what another spelling took the place of may have had its own replaced
                kept = found[kept]
            found[page] = kept
        return found

    def _are_proper(self, pages: Iterable[str]) -> bool:
        """Whether texts write the names with a capital, and none of them as a common noun."""
        counts = [self._counts[page] for page in pages]
        return any(map(sum, counts)) and all(one <= LEAST_MORE * (two + three) for one, two, three in counts)

    def _are_common(self, pages: Collection[str]) -> bool:
        """Whether texts write the last word of the names without a capital, and none of them with one."""
        if len({spelling(page).casefold() for page in pages}) < len(pages):
            return False  # capitals, too, tell them apart
        counts = [self._counts[page] for page in pages]
        return any(map(sum, counts)) and all(LEAST_MORE * three <= one + two for one, two, three in counts)


def spelling(page: str) -> str:
    """``page`` without accents, hyphens and apostrophes; an aside in brackets stands for an article."""
    words = _BETWEEN.sub(" ", _WITHIN.sub("", anyascii(page))).strip()
    return _ARTICLE.sub("", words) if "(" in words else words


def _singular(page: str) -> str:
    """The spelling of ``page`` in small letters, and its last word in the singular."""
    return _PLURAL.sub(lambda ending: "y" if ending[0] == "ies" else "", spelling(page).casefold())


def _accents(page: str) -> int:
    return sum(letter.isalpha() and not letter.isascii() for letter in page)
