"""Pronunciation guides: where they stand in a text, of which name each is, and where a new one goes.

A guide is part of the text, in brackets and quotation marks behind its name: ``Brahms (“brahmz”)``. What
nobody reads aloud, guides included, is :attr:`quizwriter.domain.tossup.Tossup.unread`: it is no word, so that
a guide that is put in or taken out moves no word and changes no game. Only what :func:`bracketed` writes is
put in, and the lexer of words always reads it as a guide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from quizwriter.domain.history import Edit
from quizwriter.domain.page import answer_key
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup

LONGEST_GUIDE = 80
"""Characters of a guide without its brackets and quotation marks."""

MOST_NAMED = 5
"""Words of the longest name that has one guide."""

_MARKS = "\"“”„'‘’`"
_UNFIT = re.compile(r"[()\[\]\"“”„\s]+")
_LEAD = re.compile(r"^(?:pronounced|read as|say|pr\.)\s+", re.IGNORECASE)
_NOTE = re.compile(
    r"^(?:read|pause|emphasi[sz]e|slowly|moderator|note to|two answers|do not|description)\b", re.IGNORECASE
)
_LAST_WORDS = re.compile(r"\S+")
_SAID = re.compile(r"[^\W\d_]+(?:['’-]+[^\W\d_]+)*+")
_AT_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*+")
_BEHIND = re.compile(r"['’][^\W\d_]{0,2}(?![^\W_])|[,.]?[”\"](?!\w)")
_ENGLISH = frozenset(
    [
        "a", "an", "and", "are", "as", "at", "by", "for", "from", "in", "is", "it", "its", "of", "on", "or",
        "that", "the", "this", "to", "was", "were", "which", "who", "with",
    ]
)  # fmt: skip


class PlacedGuide(msgspec.Struct, frozen=True):
    """A guide in a text: ``span`` has its brackets, ``said`` is what is in them, ``name`` what it is of."""

    span: Span
    said: str
    name: Span


class UsedGuide(msgspec.Struct, frozen=True):
    """How ``name`` is said in ``count`` past questions; ``last`` is the last year, if it is known.

    ``own``: in so many tossups of the writer instead.
    """

    name: str
    said: str
    count: int
    last: int | None = None
    own: bool = False


def placed_guides(text: str) -> Iterator[PlacedGuide]:
    """The guides in ``text`` that stand behind a name, in their order. Power marks and notes are none."""
    last = 0
    for span in Tossup(text).unread:
        aside = span.of(text)
        said = cleaned_guide(_LEAD.sub("", aside[1:-1].strip().strip(_MARKS)))
        if aside[0] in "([" and said and not _NOTE.match(said):
            name = _name_before(text, Span(last, span.start), said)
            if name is not None:
                yield PlacedGuide(span, said, name)
        last = span.end


def _name_before(text: str, gap: Span, said: str) -> Span | None:
    """The words at the end of ``gap`` that ``said`` is of: as many as the guide has words."""
    near = Span(max(gap.start, gap.end - 40 * MOST_NAMED), gap.end)
    words = [
        Span(near.start + one.start(), near.start + one.end()) for one in _LAST_WORDS.finditer(near.of(text))
    ]
    wanted = min(MOST_NAMED, max(1, len(said.split())))
    if not words:
        return None
    name = Span(words[-wanted:][0].start, words[-1].end)
    letters = [one for one in range(name.start, name.end) if text[one].isalnum()]
    return Span(letters[0], letters[-1] + 1) if letters else None


def cleaned_guide(said: str) -> str:
    """``said`` as it can stand in a guide: on one line, without brackets and quotation marks, cut if long.

    Empty where it has no letter.
    """
    said = " ".join(_UNFIT.sub(" ", said).strip(_MARKS + " ").split())[:LONGEST_GUIDE].strip(_MARKS + " ")
    return said if any(map(str.isalpha, said)) else ""


def bracketed(said: str, text: str = "") -> str:
    """``said`` as a guide for ``text``: in quotation marks as the text has them, and in brackets."""
    curly = "“" in text or '"' not in text
    return f"(“{said}”)" if curly else f'("{said}")'


def is_respelling(said: str, name: str) -> bool:
    """Whether ``said`` says how ``name`` sounds, and is not its translation or another title.

    A respelling is of syllables joined by hyphens, or of few letters of which most are those of the name.
    """
    words = _SAID.findall(said)
    if not words or len(words) > MOST_NAMED or any(word.casefold() in _ENGLISH for word in words):
        return False
    syllables = [part for word in words for part in word.split("-")]
    if any(len(part) > 8 for part in syllables) or said.casefold() == name.casefold():
        return False
    stressed = any(len(part) > 1 and part.isupper() for part in syllables)
    joined = any("-" in word for word in words)
    first, other = answer_key(name)[:1], answer_key(said)[:1]
    if not all(part.islower() or part.isupper() for part in syllables):
        return False
    if joined and (stressed or said.islower()):
        return True
    return said.isupper() or (first == other and (stressed or len(words) == 1))


def respellings(text: str) -> tuple[tuple[str, str], ...]:
    """The names in ``text`` that have a guide which says how they sound, each with that guide."""
    if text.count(")") == text.count("(*)") and "]" not in text:  # a quick look: no aside but power marks
        return ()
    found = ((one.name.of(text), one.said) for one in placed_guides(text))
    return tuple(
        (name, said)
        for name, said in dict.fromkeys(found)
        if is_respelling(said, name) and name.isprintable() and said.isprintable()
    )


def word_at(text: str, selected: Span) -> Span:
    """The name that a guide is wanted for: what is ``selected``, else the word at the cursor or before it."""
    if selected.start < selected.end:
        inside = selected.of(text)
        start = selected.start + len(inside) - len(inside.lstrip())
        return Span(start, start + len(inside.strip()))
    line_start, cursor = text.rfind("\n", 0, selected.start) + 1, selected.start
    asides = [one for one in reversed(Tossup(text).unread) if one.start <= cursor]
    for aside in (*asides, None):  # from guide to guide, towards the start
        found = Span(cursor, cursor)
        for one in _AT_WORD.finditer(text, max(line_start, cursor - 200), cursor + 200):
            if one.start() > cursor:
                break
            found = Span(*one.span())
        if aside is not None and aside.start <= found.start < aside.end:
            cursor = aside.start  # the name of the guide at the cursor
    return found


def names_at(text: str, name: Span) -> tuple[str, ...]:
    """The names that end where ``name`` does, the longest first: "Johannes Brahms", "Brahms"."""
    before = Tossup(text).heard_text[: name.start]
    words = [one.group() for one in _LAST_WORDS.finditer(before[-40 * MOST_NAMED :])][1 - MOST_NAMED :]
    own = name.of(text)
    return tuple(" ".join((*words[at:], own)) for at in range(len(words))) + ((own,) if own else ())


def guide_of(text: str, name: Span) -> PlacedGuide | None:
    """The guide that stands behind ``name`` already."""
    end = guide_place(text, name)
    for one in placed_guides(text):
        if one.span.start >= name.end and not text[end : one.span.start].strip():
            return one
    return None


def guide_place(text: str, name: Span) -> int:
    """Where a guide of ``name`` goes: behind it, its possessive ending and a closing quotation mark.

    Words that a dash alone joins are one word of the moderator; a guide between them makes them two.
    """
    at = name.end
    while (found := _BEHIND.match(text, at)) is not None:
        at = found.end()
    return at


def guide_edit(text: str, name: Span, said: str) -> Edit | None:
    """The edit that puts the guide ``said`` behind ``name``, in the place of the one it has.

    Empty: it takes that away. None where all is as it should be.
    """
    said = cleaned_guide(said)
    there = guide_of(text, name)
    if there is not None:
        start = there.span.start
        if not said:
            start -= len(text[:start]) - len(text[:start].rstrip(" "))
        new = bracketed(said, _without(text, there.span)) if said else ""
        edit = Edit(start, text[start : there.span.end], new)
        return None if edit.removed == edit.inserted else edit
    if not said:
        return None
    at = guide_place(text, name)
    behind = " " if text[at : at + 1].isalnum() else ""
    before = " " if at and not text[at - 1].isspace() else ""
    return Edit(at, "", f"{before}{bracketed(said, text)}{behind}")


def _without(text: str, span: Span) -> str:
    return text[: span.start] + text[span.end :]


def guide_key(name: str) -> str:
    """What two writings of one name have in common; the key by which its guides are found."""
    return answer_key(name.removesuffix("'s").removesuffix("’s"))


def own_guides(name: str, texts: Iterable[str]) -> tuple[UsedGuide, ...]:
    """The guides that ``name`` has in ``texts`` of the writer, the most used first."""
    key = guide_key(name)
    counts = Counter(
        said
        for text in texts
        for said in {one.said for one in placed_guides(text) if guide_key(one.name.of(text)) == key}
    )
    return best_guides([UsedGuide(name, said, count, own=True) for said, count in counts.items()])


def best_guides(found: Sequence[UsedGuide]) -> tuple[UsedGuide, ...]:
    """``found`` with the most used first, then the newest; one that differs in case only is left out."""
    kept: dict[str, UsedGuide] = {}
    for one in sorted(found, key=lambda one: (-one.count, -(one.last or 0), one.said)):
        kept.setdefault(one.said.casefold(), one)
    return tuple(kept.values())
