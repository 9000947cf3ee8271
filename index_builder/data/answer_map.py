"""Answers to pages: the page that a source gives, else one of the same name, else the answer's own name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from index_builder.data.aliases import LineNames
from index_builder.data.merged_pages import spelling
from quizwriter.domain.page import Page, answer_key
from quizwriter.engine.pages import CLEAR_SHARE

LEAST_LINES = 2
"""A name stands for a page where so many answer lines of the page accept it: one line alone may be wrong."""

SHORTEST_NAME = 4
"""Letters that a name behind "or" has at least to stand for the page called so: "Ra" may be radium."""


class AnswerMap:
    """Decides under which page a text is filed.

    Pages that the sources name come first. An answer whose name differs from one of them only as redirects
    do (case, accents, articles, punctuation) is filed under that page. ``mapped`` adds pages by answer key.
    Then come the names that answer lines of pages accept, another name in the line of the answer itself, the
    same name in another number, and the same name of several words but for accents, dots or hyphens. Any
    other answer is filed under its own name, and its clues are not lost.
    """

    def __init__(
        self,
        named: Mapping[str, int],
        mapped: Mapping[str, str],
        lines: Iterable[tuple[str, str]] = (),
        names_of: LineNames | None = None,
        merged: Mapping[str, Page] | None = None,
    ) -> None:
        """``named``: the pages that sources name, with how many tossups ask for each.

        ``lines`` are pages that sources name with an answer line of each of their questions; ``names_of``
        knows lines that were read before. ``merged`` has the pages that are filed under another spelling.
        """
        self._merged = {} if merged is None else merged
        self._names_of = LineNames() if names_of is None else names_of
        self.counts = Counter[str]()
        """How many answers were settled in each way: "given", "mapped", "another name" or "own name"."""
        self._pages: dict[str, Page] = {}
        self._spelled: dict[str, Page] = {}  # of names of several words
        for page, _ in sorted(named.items(), key=lambda item: (-item[1], item[0])):
            self._pages.setdefault(answer_key(page), self._merged.get(page, Page(page)))
            if "_" in page:
                self._spelled.setdefault(spelling(page), self._merged.get(page, Page(page)))
        self._mapped = {key: self._merged.get(page, Page(page)) for key, page in mapped.items()}
        self._accepted = _accepted_names(
            ((self._merged.get(page, page), line) for page, line in lines), self._names_of
        )

    def page(self, given: str | None, answer: str, line: str = "") -> Page:
        """The page of a text whose source gave the page ``given``, or where that is None only ``answer``.

        ``line`` is the whole answer line, where it is known.
        """
        if given is not None:
            self.counts["given"] += 1
            return self._merged.get(given, Page(given))
        key = answer_key(answer)
        found = self._pages.get(key) or self._mapped.get(key)
        if found is not None:
            self.counts["mapped"] += 1
            return found
        found = self._accepted.get(key) or self._alternative(line) or self._other_number(key)
        own = Page(answer.replace(" ", "_"))
        if found is None and "_" in own:
            found = self._spelled.get(spelling(own))
        if found is not None:
            self.counts["another name"] += 1
        else:
            self.counts["own name"] += 1
            found = self._spelled[spelling(own)] = own
        self._pages[key] = found  # the next text that spells the answer otherwise is filed with this one
        return found

    def _alternative(self, line: str) -> Page | None:
        """The page called by a name that ``line`` has after "or"; what it accepts may be only a part."""
        if not _may_have_alternative(line):
            return None
        folded = line.casefold()
        for key, name in self._names_of[line][1].items():
            page = self._pages.get(key)
            if page is not None and len(key) >= SHORTEST_NAME:
                before = folded[: max(folded.find(name.casefold()), 0)].removesuffix("the ").rstrip()
                if before.endswith((" or", "[or", "(or")):
                    return page
        return None

    def _other_number(self, key: str) -> Page | None:
        """The page called ``key`` in another number."""
        if len(key) < SHORTEST_NAME:
            return None
        return next((self._pages[name] for name in other_numbers(key) if name in self._pages), None)


def page_keys(answer: str, line: str, names_of: LineNames) -> set[str]:
    """The keys of all pages under which an answer without a page may be filed by the pages' own names.

    ``line`` is its answer line. Whoever cannot remember every page must remember these.
    """
    key = answer_key(answer)
    others = names_of[line][1] if _may_have_alternative(line) else ()
    return {key, spelling(answer.replace(" ", "_")), *other_numbers(key), *others}


def _may_have_alternative(line: str) -> bool:
    return " or " in line or "[or " in line or "(or " in line


def other_numbers(key: str) -> tuple[str, ...]:
    """Names that ``key`` may have in the singular and in the plural; most of them are no words."""
    singular = [key[:-1]] if key.endswith("s") else []
    singular += [key[:-2]] if key.endswith("es") else []
    singular += [f"{key[:-3]}y"] if key.endswith("ies") else []
    return (*singular, f"{key}s", f"{key}es")


def _accepted_names(lines: Iterable[tuple[str, str]], names_of: LineNames) -> dict[str, Page]:
    """The pages of the names, by their keys, that their answer lines clearly accept."""
    counts: dict[str, dict[str, int]] = {}  # a Counter for each name takes a second
    for page, line in lines:
        for key in names_of[line][1]:
            asked = counts.setdefault(key, {})
            asked[page] = asked.get(page, 0) + 1
    found: dict[str, Page] = {}
    for key, pages in counts.items():
        page, most = min(pages.items(), key=lambda one: (-one[1], one[0]))
        if most >= max(LEAST_LINES, CLEAR_SHARE * sum(pages.values())):
            found[key] = Page(page)
    return found
