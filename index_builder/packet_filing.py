"""Added questions under the pages of a bundle: which page each has, and which were in the bundle before."""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from index_builder.data.answer_map import other_numbers
from index_builder.data.corpus import Corpus, LibraryRow, PassageRow, sorted_library
from quizwriter.domain.page import Page, answer_key
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.pages import read_pages
from quizwriter.engine.retrieval import PassageKind, PassageTable
from quizwriter.formats.question_files import NO_ORIGIN, QuestionOrigin


class AddedText(msgspec.Struct, frozen=True):
    """A tossup or a bonus part as it is saved."""

    kind: PassageKind
    text: str
    page: str | None
    answers: tuple[str, ...]
    source: str
    line: str = ""  # the whole answer line; packets added by older versions have none
    category: str = ""
    origin: QuestionOrigin = NO_ORIGIN
    guides: tuple[tuple[str, str], ...] = ()  # names with the pronunciation guides that ``text`` has no more


def corpus_of(bundle: Bundle, texts: list[tuple[str, AddedText]]) -> tuple[Corpus, dict[str, int]]:
    """The added texts under pages of the bundle, or under new ones; and how many were left out as known."""
    finder = _PageFinder(bundle)
    questions = _FiledQuestions(bundle)
    known: Counter[str] = Counter()
    found: list[tuple[int, PassageRow]] = []
    added: list[AddedText] = []
    for name, text in texts:
        row = finder.row(text)
        if questions.has(row, text.text):
            known[name] += 1
        else:
            passage = PassageRow(finder.pages[row], text.kind, len(found), text.source, text.text)
            found.append((row, passage))
            added.append(text)
    found.sort(key=lambda one: (one[0], one[1].kind))
    tossups = Counter(row for row, passage in found if passage.kind is PassageKind.TOSSUP)
    corpus = Corpus(
        pages=tuple(finder.pages),
        tossup_counts=tuple(tossups[row] for row in range(len(finder.pages))),
        passages=tuple(passage for _, passage in found),
        library=sorted_library(_library_row(n, one, added[one.place]) for n, (_, one) in enumerate(found)),
    )
    return corpus, dict(known)


def _library_row(number: int, passage: PassageRow, text: AddedText) -> LibraryRow:
    line = text.line or text.answers[0]
    year = text.origin.year or 0
    return LibraryRow(passage.page, year, number, text.kind, line, text.category, text.origin, text.guides)


class _FiledQuestions:
    """Knows which questions are filed under a page already."""

    def __init__(self, bundle: Bundle) -> None:
        self._passages = PassageTable(bundle)
        self._by_row: dict[int, dict[str, set[str]]] = {}  # questions that begin alike, by how they begin

    def has(self, row: int, text: str) -> bool:
        """Whether ``text`` was filed under the page before; from now on it is."""
        if row not in self._by_row:
            openings = self._by_row[row] = {}
            for place in self._passages.about(row):
                if self._passages.kinds[place] == PassageKind.ARTICLE:
                    continue
                old = self._passages.texts[place]
                openings.setdefault(_first_letters(old), set()).add(old)
        alike = self._by_row[row].setdefault(_first_letters(text), set())
        wanted = letters(text)
        if any(letters(old) == wanted for old in alike):
            return True
        alike.add(text)
        return False


_SIGNS = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """The letters that ``text`` begins with: no two different questions share so many."""
    return _SIGNS.sub("", text[:200])[:120].casefold()


def _first_letters(text: str) -> str:
    """The first few of these letters, which are compared sooner."""
    return _SIGNS.sub("", text[:40])[:16].casefold()


class _PageFinder:
    """Finds the page under which a text is filed; missing pages are added."""

    def __init__(self, bundle: Bundle) -> None:
        known = read_pages(bundle)
        self.pages = list(known.all)
        self._rows = dict(known.rows)
        self._aliased = known.aliased
        keys, asked = bundle.lines("page_keys.txt"), bundle.array("pages_asked.npy").tolist()
        self._disambiguated: dict[str, int] = {}  # Orion_(mythology) by "orion"
        disambiguated = [row for row, page in enumerate(self.pages) if page.endswith(")") and asked[row]]
        for row in sorted(disambiguated, key=lambda row: (-asked[row], keys[row])):
            self._disambiguated.setdefault(answer_key(self.pages[row].rpartition("_(")[0]), row)

    def row(self, text: AddedText) -> int:
        """The row number of the page of this name, else of a page whose name differs as answer lines do."""
        keys = [answer_key(answer) for answer in ((text.page,) if text.page else text.answers)]
        if text.page:
            found = self._rows.get(keys[0])
        else:
            found = next((row for key in keys if (row := self._similar_page(key)) is not None), None)
        if found is None:
            found = len(self.pages)
            self.pages.append(Page((text.page or text.answers[0]).replace(" ", "_")))
            self._rows[keys[0]] = found
        return found

    def _similar_page(self, key: str) -> int | None:
        """The page of this name or alias, or without a title, in another number, or with a disambiguation."""
        if key in self._rows:
            return self._rows[key]
        if (aliased := self._aliased(key)) is not None:
            return aliased
        bare = _PARTS_OF_NAMES.sub("", key).strip()
        for name in (bare, *(other_numbers(bare) if len(bare) > 2 else ())):
            if name in self._rows:
                return self._rows[name]
        return self._disambiguated.get(key)


_PARTS_OF_NAMES = re.compile(
    r"^(?:sir|dame|lord|saint|st|king|queen|emperor|pope|president|republic of|kingdom of|empire of|river) | "
    r"(?:river|period|empire|dynasty)$"
)
