"""Answer lines to pages: the page given, else one of the same name, else the name itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from quizwriter.domain.tossup import Page, answer_key


class Answers:
    """Decides under which page a question is filed.

    Pages that the sources name come first, and a name that differs from one of them only as redirects
    do (case, accents, articles, punctuation) is that page. ``mapped`` adds pages by answer key. What is
    left is kept under its own name, so that its clues are not lost.
    """

    def __init__(self, given: Mapping[str, int], mapped: Mapping[str, str]) -> None:
        """``given``: the pages sources name, with how often each is."""
        self.by = Counter[str]()  # how answers were settled
        self._pages: dict[str, Page] = {}
        for page, _ in sorted(given.items(), key=lambda item: (-item[1], item[0])):
            self._pages.setdefault(answer_key(page), Page(page))
        self._mapped = {key: Page(page) for key, page in mapped.items()}

    def page(self, given: str | None, answer: str) -> Page:
        """The page of a question whose source gave ``given``, or else ``answer``."""
        if given is not None:
            self.by["given"] += 1
            return Page(given)
        key = answer_key(answer)
        found = self._pages.get(key) or self._mapped.get(key)
        if found is not None:
            self.by["mapped"] += 1
            return found
        self.by["own name"] += 1
        page = Page(answer.replace(" ", "_"))
        self._pages[key] = page  # the next question that spells it otherwise is filed with this one
        return page
