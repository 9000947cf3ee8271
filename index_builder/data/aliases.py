"""Other names of pages: those that past answer lines accept, and those that the map of answers has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from quizwriter.domain.answer_line import Directive, plain_names, read_answer_line
from quizwriter.domain.page import Page, answer_key
from quizwriter.engine.pages import LONGEST_ALIAS, MOST_ALIASES, Alias, main_words

_ONE_NAME = re.compile(r"\w[\w .'’-]*+")
_JOINED = re.compile(r"\b(?:accept|or|and|prompt|until|before)\b", re.IGNORECASE)


def gather_aliases(
    pages: Sequence[Page],
    lines: Iterable[tuple[Page, str]],
    mapped: Mapping[str, str],
    names_of: LineNames | None = None,
) -> tuple[Alias, ...]:
    """The aliases of ``pages``, by page and then by name.

    ``lines`` are the answer lines of past questions with their pages; ``mapped`` are pages by answer key, and
    ``names_of`` knows lines that were read before. Of more than
    :data:`quizwriter.engine.pages.MOST_ALIASES`, those that most lines have are kept.
    """
    names_of = LineNames() if names_of is None else names_of
    rows = {page: row for row, page in enumerate(pages)}
    own = [answer_key(page) for page in pages]
    bare = [" ".join(main_words(page, key)) for page, key in zip(pages, own, strict=True)]
    counts, beside = Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    spellings: dict[tuple[int, str], dict[str, int]] = {}  # a Counter for each alias takes a second
    for page, line in lines:
        row = rows[page]
        main, names = names_of[line]
        for key, name in names.items():
            if key == own[row]:
                continue
            counts[row, key] += 1
            spelled = spellings.setdefault((row, key), {})
            spelled[name] = spelled.get(name, 0) + 1
            if key != main and main in (own[row], bare[row]):
                beside[row, key] += 1
    from_map = {(rows[Page(page)], key) for key, page in mapped.items() if page in rows}
    for row, key in from_map:
        if _is_usable(key, key) and key != own[row]:
            spellings.setdefault((row, key), {key: 1})
    found = sorted(spellings, key=lambda one: (-counts[one], one))[:MOST_ALIASES]
    return tuple(
        Alias(
            name=max(spellings[one], key=spellings[one].__getitem__),
            key=one[1],
            row=one[0],
            lines=counts[one],
            beside=beside[one],
            mapped=one in from_map,
        )
        for one in sorted(found)
    )


class LineNames(dict[str, tuple[str, dict[str, str]]]):
    """For an answer line, the key of its main answer and the names that it accepts, by their keys.

    A line is read when it is first looked up, and never again.
    """

    def __missing__(self, line: str) -> tuple[str, dict[str, str]]:
        names = self[line] = _line_names(line)
        return names

    def read(self, line: str) -> None:
        """Read ``line`` now, unless it was read before."""
        self[line]


def _line_names(line: str) -> tuple[str, dict[str, str]]:
    if _ONE_NAME.fullmatch(line) and not _JOINED.search(line):  # nearly half of all lines; saves minutes
        key = answer_key(line)
        return key, {key: line} if _is_usable(line, key) else {}
    texts: Sequence[str] = plain_names(line)
    if texts:
        main = texts[0]
    else:
        read = read_answer_line(line)
        main = read.main
        texts = [
            " ".join(name.text.split())
            for clause in read.clauses
            if clause.directive in {Directive.MAIN, Directive.ACCEPT} and not clause.described
            for name in clause.names
        ]
    found: dict[str, str] = {}
    for text in texts:
        if text and _is_usable(text, key := answer_key(text)):
            found.setdefault(key, text)
    return answer_key(main) if main.strip() else "", found


def _is_usable(name: str, key: str) -> bool:
    return bool(key) and len(name) <= LONGEST_ALIAS and len(key) <= LONGEST_ALIAS and name.isprintable()
