"""What a rule is, what it looks at, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from typing import Protocol

import msgspec

from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.pronunciation import UsedGuide
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.near_duplicates import RepeatFinder

WHOLE = Span(0, 0)
"""The place of a problem with the whole tossup."""


class RuleNeed(Enum):
    """Something beside the tossup itself without which a rule finds nothing.

    ``title`` names it in the guide for editors; a check that could not be made says ``missing``.
    """

    SET = "the tossups of the set", "The tossups of this set could not be compared."
    PAST = "past questions", "Past questions could not be compared."
    PAGES = "a bundle", "No bundle is open, so its pages could not be checked."
    PLAYS = "games of the players", "No player has played it."
    SPELLING = "dictionaries", "No dictionary could be read."
    GUIDES = "guides of past questions", "The guides of past questions could not be read."
    NAMES = "past answer lines", "Past answer lines could not be read."

    def __init__(self, title: str, missing: str) -> None:
        self.title = title
        self.missing = missing


class PageIndex(Protocol):
    """The pages that the players of a bundle can name."""

    def find(self, name: str) -> Page | None:
        """The page called ``name``; None if the bundle has none."""

    def right(self, answer: Answer | None) -> Sequence[int]:
        """The rows of the pages that are right for ``answer``: a player can know it if there is any."""

    def meant(self, name: str) -> Page | None:
        """The page that a writer means with ``name``, also by another name of it; None if none is certain."""


class SpellingChecker(Protocol):
    """Tells words that are probably spelt wrong."""

    def meant(
        self,
        word: str,
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
        *,
        begins: bool = False,
        again: bool = False,
    ) -> tuple[str, ...]:
        """What is probably meant by ``word``; empty if it is no slip, or has :meth:`parts`.

        ``before`` and ``after`` are up to three words on each side, in the order of the text. A word that
        ``begins`` a sentence has its capital from there. One that stands ``again`` elsewhere in the text is
        meant so if any list has it.
        """

    def parts(self, word: str) -> str:
        """``word`` as two words, if a space between them is missing; else empty."""

    def untorn(self, first: str, second: str) -> str:
        """The two parts of a word that a hyphen and a space tear, as it is written; empty if that is open."""

    def suggestions(self, word: str) -> tuple[str, ...]:
        """What may be meant by ``word``, wherever it stands."""


class GuideSource(Protocol):
    """Knows how past questions say names."""

    def expected(self, name: str) -> UsedGuide | None:
        """The guide that ``name`` usually has in past questions; None if it usually has none."""


class Finding(msgspec.Struct, frozen=True):
    """What a rule finds: the stretch, one sentence on it, and what to write in its place if that is clear.

    The stretch is of the text, or ``in_answer`` of the answer line. An empty one at 0 stands for the whole.
    """

    span: Span
    sentence: str
    fix: str | None = None
    in_answer: bool = False


class Problem(msgspec.Struct, frozen=True):
    """Something in a tossup that one of the rules wants looked at.

    ``words`` stand at ``span`` of the text, or ``in_answer`` of the answer line; ``fix`` is what to write in
    their place, None where a person has to say it. ``rule`` is the name of the rule.
    """

    rule: str
    span: Span
    words: str
    sentence: str
    fix: str | None = None
    in_answer: bool = False

    @property
    def of_whole(self) -> bool:
        """Whether it is about the whole tossup rather than about some words."""
        return not self.words


class Inspection(msgspec.Struct, frozen=True, dict=True):
    """A tossup with what is known around it; the rules look at nothing else.

    ``key`` is what the tossup itself is known by among those ``in_set``. ``past`` are the past questions that
    come near it, ``pages`` those of the bundle, ``plays`` the games of the players on exactly this text. None
    or empty: not known, so that rules which need it find nothing. ``powers_usual``: most other tossups of the
    set have a power mark. ``known_words`` are the writer's own, right as they are, with or without a capital.
    ``usual_names`` are those that most past answer lines of the answer accept. ``answer_styles`` are those of
    the answer line, beside what markup it has.
    """

    tossup: Tossup
    key: str = ""
    sheet: StyleSheet = STANDARD_STYLE
    in_set: RepeatFinder | None = None
    past: RepeatFinder | None = None
    pages: PageIndex | None = None
    plays: tuple[Playthrough, ...] = ()
    powers_usual: bool = False
    spelling: SpellingChecker | None = None
    known_words: frozenset[str] = frozenset()
    guides: GuideSource | None = None
    usual_names: tuple[str, ...] = ()
    answer_styles: TextStyles = PLAIN

    @property
    def text(self) -> str:
        """The draft."""
        return self.tossup.text

    @cached_property
    def own_words(self) -> str:
        """The text with signs in the place of what is quoted, and spaces where nobody reads aloud.

        It is as long as the text, so that positions are the same.
        """
        letters = list(self.text)
        for span in quotations(self.text):
            letters[span.start : span.end] = _QUOTED * (span.end - span.start)
        for span in self.tossup.unread:
            letters[span.start : span.end] = " " * (span.end - span.start)
        return "".join(letters)

    @cached_property
    def points(self) -> re.Match[str] | None:
        """The first "for 10 points" of the text, in whatever form."""
        return POINTS.search(self.text)

    def sentence_at(self, point: int) -> Span:
        """The sentence in which ``point`` is, or that ends before it."""
        found = Span(0, 0)
        for span in self.tossup.sentences:
            if span.start <= point:
                found = span
        return found

    def has(self, need: RuleNeed) -> bool:
        """Whether ``need`` is known here."""
        known: dict[RuleNeed, object] = {
            RuleNeed.SET: self.in_set,
            RuleNeed.PAST: self.past,
            RuleNeed.PAGES: self.pages,
            RuleNeed.PLAYS: self.plays,
            RuleNeed.SPELLING: self.spelling,
            RuleNeed.GUIDES: self.guides,
            RuleNeed.NAMES: self.usual_names,
        }
        return known[need] is not None and known[need] != ()

    @cached_property
    def sentence_starts(self) -> frozenset[int]:
        return frozenset(span.start for span in self.tossup.sentences)


POINTS = re.compile(
    r"\b(?P<all>(?:for\s*(?P<number>\d{1,3}\s*|(?<=\s)(?:five|ten|fifteen|twenty)\s+)points?|ftp|fifteen\s+points)"
    r"(?P<each>\s+each)?)\b",
    re.IGNORECASE,
)
"""The phrase before the last clue, also where it is written in an odd way."""


def quotations(text: str) -> Iterator[Span]:
    """The stretches of ``text`` in quotation marks, curly or straight, with the marks.

    A mark that is never closed begins none.
    """
    opened = -1
    for found in _MARK.finditer(text):
        mark, at = found.group(), found.start()
        if mark == "“" or (mark == '"' and opened < 0):
            opened = at if opened < 0 or mark == "“" else opened
        elif opened >= 0:
            yield Span(opened, at + 1)
            opened = -1


_MARK = re.compile('[“”"]')
_QUOTED = "¤"


def found_by(pattern: re.Pattern[str], text: str) -> Iterator[tuple[Span, str]]:
    """Where ``pattern`` is found in ``text``, and what stands there."""
    for found in pattern.finditer(text):
        yield Span(*found.span()), found.group()


Find = Callable[[Inspection], Iterable[Finding]]


def _first_sentence(problems: Sequence[Problem]) -> str:
    return problems[0].sentence


class HoldsBack(msgspec.Struct, frozen=True):
    """A rule as a check: a tossup is not ready while the rule finds a problem that nobody dismissed.

    ``when`` completes "it passes when" in the guide for editors. ``passes`` is the sentence of a check that
    passes, or makes it; ``fails`` makes the sentence of one that does not. ``never`` says why the check
    cannot pass whatever was dismissed; empty if it can. Checks come in the order of ``place``.
    """

    when: str
    passes: str | Callable[[Inspection], str]
    fails: Callable[[Sequence[Problem]], str] = _first_sentence
    never: Callable[[Inspection], str] = lambda _: ""
    place: int = 100


class Rule(msgspec.Struct, frozen=True):
    """One thing that a tossup should keep to.

    Dismissals and style sheets use ``name``, people ``title``. A set without a style sheet of its own has the
    rule if ``default``. ``wrong`` and ``right`` are examples: a text with the problem and one without; empty
    where a text alone cannot show it. The rule finds nothing without its ``needs``; a rule without any can be
    repeated from the tossup alone, as the verification of a challenge set does.
    """

    name: str
    title: str
    find: Find
    wrong: str = ""
    right: str = ""
    holds_back: HoldsBack | None = None
    default: bool = True
    needs: tuple[RuleNeed, ...] = ()

    def is_on(self, sheet: StyleSheet) -> bool:
        return self.default != (self.name in sheet.changed)
