"""The names of an answer line as candidates for what a typed answer may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product

import msgspec
from msgspec.structs import replace

from quizwriter.domain.answer_line import (
    AnswerClause,
    AnswerLine,
    AnswerName,
    AnswerRule,
    Directive,
    read_markup,
)
from quizwriter.judging.known_names import GIVEN_NAMES, SAME_NAMES
from quizwriter.judging.same_word import bare_titles
from quizwriter.judging.spoken_words import (
    SpokenWord,
    first_letters,
    part_turned,
    spoken_words,
    squashed,
    verbatim,
    words_of_name,
)

MOST_CANDIDATES = 200
"""Names of a line that are compared; no published line has as many."""

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_ENDS = re.compile(r"([\[\](){};])")
_BEGIN = re.compile(
    r"\s*(?:(?:or|and|but|also|accept|reject|(?:do\s+not|don['’]t)(?:\s+(?:accept|prompt))?|(?:anti-?)?prompt(?:\s+on)?)\s+)+",
    re.IGNORECASE,
)
_AND = re.compile(r"\band\b", re.IGNORECASE)
_MOST_REPLACED = 8  # words of "in place of … or …", any of which may be replaced


class NameCandidate(msgspec.Struct, frozen=True, dict=True):
    """A name of a clause with its words."""

    clause: AnswerClause
    text: str
    words: tuple[SpokenWord, ...]
    described: bool = False

    @property
    def directive(self) -> Directive:
        return self.clause.directive

    @cached_property
    def content(self) -> tuple[SpokenWord, ...]:
        """The words that count; all, where none does."""
        return tuple(word for word in self.words if not word.light) or self.words

    @cached_property
    def marked(self) -> bool:
        """Whether the line says which of its words are required."""
        return any(word.required for word in self.words)

    @cached_property
    def is_person(self) -> bool:
        """Whether it begins with a given name, or with the initial of one: "T. S. Eliot"."""
        if len(self.content) < 2:
            return False
        first = self.content[0]
        initial = len(first.raw) == 1 and self.text[first.span.end : first.span.end + 1] == "."
        return initial or first.raw in GIVEN_NAMES

    @cached_property
    def is_fraction(self) -> bool:
        """Whether it is a fraction such as "2/3" or "one half", of which no part means anything."""
        return len(self.words) == 2 and all(word.number for word in self.words) and "," not in self.text

    @cached_property
    def key(self) -> str:
        """Its words as they are, articles included."""
        return verbatim(self.words)

    @cached_property
    def squashes(self) -> frozenset[str]:
        """Its letters without spaces: all, those that are not optional, and those that are required."""
        bare = [word for word in self.words if not word.optional]
        required = [word for word in self.words if word.required]
        if any(word.stem for word in required):
            required = []  # a part of a word has no letters of its own to be said
        return frozenset(squashed(words) for words in (self.words, bare, required) if words) - {""}

    @cached_property
    def aliases(self) -> frozenset[int]:
        """The things of :data:`SAME_NAMES` that it names."""
        required = [word.text for word in self.content if word.required]
        names = {" ".join(word.text for word in self.content), " ".join(required)}
        if not self.marked and self.is_person:
            names.add(self.content[-1].text)
        return frozenset(SAME_NAMES[name] for name in names if name in SAME_NAMES)

    @cached_property
    def initials(self) -> frozenset[str]:
        """Its first letters, with and without light words, and the letters that alone are required."""
        return first_letters(self.words, self.content)


class LineCandidates(msgspec.Struct, frozen=True):
    """All candidates of a line, and what the line says about all of them."""

    line: AnswerLine
    candidates: tuple[NameCandidate, ...]
    known: frozenset[str]
    """Words of names that the line accepts or prompts on: to say them, too, is not wrong."""
    rules: frozenset[AnswerRule]
    directed: bool
    """Whether there are directions at all; a line without may be a bare title."""
    literals: tuple[tuple[AnswerClause, frozenset[str]], ...]
    """What clauses say word for word, conditions and lists included, by clause."""
    segments: Mapping[str, Directive]
    """What stands between two brackets or semicolons, word for word, and what the line says to it."""


def candidates_of(line: AnswerLine) -> LineCandidates:
    found: list[NameCandidate] = []
    for clause in line.clauses:
        if not clause.instead_of:
            for name in clause.names:
                found += _of_name(clause, name)
                if len(found) > MOST_CANDIDATES:
                    break
    found = found[:MOST_CANDIDATES]
    found += _replaced(line, found)
    known = {
        text
        for one in found
        if one.directive is not Directive.REJECT and not one.described
        for word in one.words
        for text in (word.text, word.raw)
    }
    return LineCandidates(
        line,
        tuple(found[:MOST_CANDIDATES]),
        frozenset(known),
        line.rules,
        len(line.clauses) > 1,
        tuple((clause, _literals(line, clause)) for clause in line.clauses if clause.names),
        _segments(line),
    )


def _literals(line: AnswerLine, clause: AnswerClause) -> frozenset[str]:
    text = read_markup(line.written[clause.span.start : clause.span.end]).text
    titled = clause.directive is Directive.MAIN and line.marked
    parts = (text,) if titled else (text, *_OR.split(text))
    return frozenset(verbatim(spoken_words(part)) for part in parts) - {""}


def _segments(line: AnswerLine) -> Mapping[str, Directive]:
    """The parts of a line that directions begin, whole and split at "or"; an earlier one comes first."""
    found: dict[str, Directive] = {}
    pieces = ["", *_ENDS.split(read_markup(line.written).text)]
    for opener, segment in zip(pieces[::2], pieces[1::2], strict=True):
        begin = _BEGIN.match(segment)
        if opener == "(" and begin is None:
            continue  # a part of the name
        words = "" if begin is None else begin.group().casefold()
        directive = (
            Directive.REJECT
            if "not" in words or "reject" in words
            else Directive.PROMPT
            if "prompt" in words
            else Directive.ACCEPT
        )
        text = segment if begin is None else segment[begin.end() :]
        titled = begin is None and line.marked  # the rest of "Candide, or Optimism" is no name
        for part in (text,) if titled else (text, *_OR.split(text)):
            found.setdefault(verbatim(spoken_words(part)), directive)
    found.pop("", None)
    return found


def _of_name(clause: AnswerClause, name: AnswerName) -> Iterator[NameCandidate]:
    words = words_of_name(name)
    if not words:
        return
    yield NameCandidate(clause, name.text, words, clause.described)
    if turned := part_turned(words):
        yield NameCandidate(clause, name.text, turned, clause.described)
    if clause.directive is Directive.PROMPT and len(sides := _AND.split(name.text)) == 2:
        for side in filter(spoken_words, sides):
            yield NameCandidate(clause, side, spoken_words(side), clause.described)
    title, colon, _ = name.text.partition(": ")
    if colon and not name.required:  # "Nudge: Improving Decisions"
        before = spoken_words(title)
        if before and " ".join(word.text for word in before if not word.light) not in bare_titles():
            yield NameCandidate(clause, title, before)
    if "/" in name.text:
        sides = [side.strip() for side in name.text.split("/")]
        if len(sides) <= 4 and all(len(side) > 2 and not side.isdigit() for side in sides):
            for side in sides:
                yield NameCandidate(clause, side, spoken_words(side), clause.described)


def _replaced(line: AnswerLine, found: Sequence[NameCandidate]) -> list[NameCandidate]:
    """The names that arise where a line accepts some words in place of others."""
    made: list[NameCandidate] = []
    names = [one for one in found if one.directive in {Directive.MAIN, Directive.ACCEPT}]
    for clause in line.clauses:
        if not clause.instead_of or len(made) > MOST_CANDIDATES:
            continue
        replaced = [
            [word.text for word in spoken_words(part)]
            for part in dict.fromkeys((clause.instead_of, *_OR.split(clause.instead_of)[:_MOST_REPLACED]))
        ]
        for one, old in product(names, filter(None, replaced)):
            texts = [word.text for word in one.words]
            at = next((at for at in range(len(texts)) if texts[at : at + len(old)] == old), None)
            if at is None:
                continue
            required = any(word.required for word in one.words[at : at + len(old)])
            for name in clause.names:
                new = tuple(replace(word, required=required, stem="") for word in words_of_name(name))
                words = (*one.words[:at], *new, *one.words[at + len(old) :])
                made.append(NameCandidate(clause, name.text, words))
    return made
