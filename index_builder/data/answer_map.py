"""Answers to pages: the page that a source gives, else one of the same name, else the answer's own name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from quizwriter.domain.tossup import Page, answer_key


class AnswerMap:
    """Decides under which page a text is filed.

    Pages that the sources name come first. An answer whose name differs from one of them only as redirects
    do (case, accents, articles, punctuation) is filed under that page. ``mapped`` adds pages by answer key.
    Any other answer is filed under its own name, and its clues are not lost.
    """

    def __init__(self, named: Mapping[str, int], mapped: Mapping[str, str]) -> None:
        """``named``: the pages that sources name, with how many tossups ask for each."""
        self.counts = Counter[str]()
        """How many answers were settled in each way: "given", "mapped" or "own name"."""
        self._pages: dict[str, Page] = {}
        for page, _ in sorted(named.items(), key=lambda item: (-item[1], item[0])):
            self._pages.setdefault(answer_key(page), Page(page))
        self._mapped = {key: Page(page) for key, page in mapped.items()}

    def page(self, given: str | None, answer: str) -> Page:
        """The page of a text whose source gave the page ``given``, or where that is None only ``answer``."""
        if given is not None:
            self.counts["given"] += 1
            return Page(given)
        key = answer_key(answer)
        found = self._pages.get(key) or self._mapped.get(key)
        if found is not None:
            self.counts["mapped"] += 1
            return found
        self.counts["own name"] += 1
        page = Page(answer.replace(" ", "_"))
        self._pages[key] = page  # the next text that spells the answer otherwise is filed with this one
        return page
