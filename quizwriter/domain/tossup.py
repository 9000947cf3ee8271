"""A tossup, its answer, and the words a moderator reads aloud."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property

import msgspec

from quizwriter.domain.answer_line import accepted_titles, is_titled, main_answer
from quizwriter.domain.answer_line.words import words_of
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.span import Span


class Answer(msgspec.Struct, frozen=True):
    """What the tossup asks for: the line a packet prints, and the page it means.

    ``page`` is None while no page of the bundle carries the answer: no player can guess it then. A page that
    an imported file gives stays, also where the bundle in use does not have it.
    """

    line: str
    page: Page | None = None

    @property
    def main(self) -> str:
        """The first answer of the line, without directions and markup: what people call the tossup."""
        return main_answer(self.line)

    @property
    def key(self) -> str:
        """The key of the page; without a page, the key of :attr:`main`."""
        return answer_key(self.main if self.page is None else self.page)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of pages that may be right, :attr:`key` first; :meth:`accepts` decides."""
        key = self.key
        return (key, *(one for one in accepted_titles(self.line, self.page or "") if one != key))

    def accepts(self, page: str) -> bool:
        """Whether a guess of ``page`` is right.

        Right are the answer's own page and what has its key, and a page whose title the line accepts by name
        where that is certain; see :mod:`quizwriter.domain.answer_line.accepted_titles`.
        """
        if page == self.page:
            return True
        key = answer_key(page)
        if key == self.key:
            return True
        names = accepted_titles(self.line, self.page or "").get(key)
        return names is not None and is_titled(page, names)


# Nobody reads these aloud: power marks, pronunciation guides, notes to the moderator.
_NOTE = re.compile(
    r"\s*(?:note to (?:the )?(?:moderator|players?)|moderator note)\s*:[^.]{0,200}\.", re.IGNORECASE
)
_ASIDE = re.compile(  # begins with a bracket, because a pattern that begins with a sign is found quickly
    r"""
    [(\[] (?:
      (?<=\() [*+] \)                                               # power, superpower
    | \s* ["“'‘] [^()\[\]]{1,80} ["”'’] \s* [)\]]                   # ("PROH-nun-see-AY-shun")
    | \s* (?: (?:pronounced|read\ as|say)\b | pr\.\s ) [^()\[\]]{1,80} [)\]]
    | (?<=\[) \s* \w+ (?: -\w+ )+ \s* \]                            # [eye-ZAY-uh]
    | \s* (?:read|pause|emphasi[sz]e|slowly|moderator|note\ to|two\ answers|do\ not|description)\b
        [^()\[\]]{0,200} [)\]]
    | (?P<respelt> [^()\[\]]{3,80} [)\]] )                          # (SIM-ee-un), see _is_guide
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)


LONGEST_SYLLABLE = 6
"""Letters; longer parts of an aside are English words."""

_SYLLABLES = re.compile(r"(?:(?<!\s)\s++)?+-\s*+")
_ELIDED = re.compile(r"^[A-Za-z]{1,2}['’](?=.)")  # as in "d’NEE-pur"
_VOWEL = re.compile(r"[AEIOUYÀ-Ý]")
_ENGLISH = words_of("a an and are as at by de for from in is it not of on or that the to was were which with")
_AFTER_INITIALS = words_of(
    """
    aided area backed based born bound brand built capped class coded driven era fed free funded held led less
    level like linked listed made member model named only owned plus rich run shaped size sized soil style to
    type wide year zone
    """
)
"""What follows a hyphen after initials in ordinary asides such as "US-led"; no guide ends so."""
_BEFORE_INITIALS = words_of("anti ex inter mid multi neo non post pre pro re semi sub trans ultra un")
_INITIALS = words_of(
    """
    AD AIDS ASEAN BC BCE CE CIA EU FIFA HIV IRA NASA NATO OPEC UAE UEFA UK UN UNESCO US USA USSR WWI WWII
    """
)
_APOSTROPHES = re.compile("['’‘ʻ`]")
_POWER = re.compile(r"\(\*\)")
_WORD = re.compile(r"\S+")

_ENDS = (".", "?", "!")
_CLOSING = "\"”’')]"
_NUMBERS = frozenset({"5", "10", "15", "20", "five", "ten", "fifteen", "twenty"})
_CALLS = frozenset({"name", "identify", "give", "state"})
_BARE = re.compile(r"\W*+(.*\w)?", re.DOTALL)

# the sign comes before the look behind it, because a pattern that begins with a sign is found quickly
_SENTENCE_END = re.compile(
    r"[.?!](?<![.?!]{2})[.?!]*+[\"”’')\]]*+"
    r"(?:(?=\s++(?:\([*+]\)\s*+)?[\"“‘'(\[]*+[A-Z0-9À-Þ])|\s*+$)"
)
_NO_SENTENCE_END = re.compile(
    r"(?:^|[\s(\[\"“])"
    r"(?:[A-Za-z]|(?:[A-Z]\.)+[A-Z]|Mr|Mrs|Ms|Dr|Sts?|Jr|Sr|Mt|Ft|Nos?|Op|vs|ca|cf|etc|approx|Gen|Col|Lt|Sgt|Capt"
    r"|Rev|Prof|Gov|Sen|Rep|Jan|Feb|Aug|Sept|Oct|Nov|Dec)\.$"
)


def bare_word(word: str) -> str:
    """``word`` without the punctuation around it; empty if it is nothing else."""
    found = _BARE.match(word)
    return (found[1] if found else None) or ""


def bare_words(text: str) -> list[str]:
    """The words of ``text`` without the punctuation around them, in small letters."""
    return [bare for word in text.split() if (bare := bare_word(word).casefold())]


def _is_syllable(letters: str) -> bool:
    """Whether ``letters`` may be a syllable of a guide: short, and all in capitals or none of them."""
    if not letters.isalpha() or not (letters.isupper() or letters.islower()):
        return False
    return len(letters) <= LONGEST_SYLLABLE and (len(letters) > 1 or letters in "aeiouyAEIOUY")


def _is_guide(aside: str) -> bool:
    """Whether ``aside``, with its brackets, says how something is pronounced: ``(SIM-ee-un)``.

    Such a guide is made of syllables joined by hyphens, the stressed ones in capitals, all others in small
    letters. Ordinary asides may look alike: "(US-led)", "(pre-WWII)".
    """
    if "-" not in aside:  # a quick look: nothing is joined
        return False
    words = [word.split("-") for word in _SYLLABLES.sub("-", aside[1:-1].strip()).split()]
    syllables = [
        _APOSTROPHES.sub("", _ELIDED.sub("", syllable)) for word in words for syllable in word
    ]  # fmt: skip
    if len(syllables) < 2 or not all(map(_is_syllable, syllables)):
        return False
    stressed = [one for one in syllables if len(one) > 1 and one.isupper()]
    joined = any(len(word) > 1 for word in words)
    if not joined or not any(map(_VOWEL.search, stressed)) or not any(map(str.islower, syllables)):
        return False
    if len(words) > 1 and any(len(word) == 1 and word[0] in _ENGLISH for word in words):
        return False
    return not any(
        len(word) == 2
        and (
            (word[0].isupper() and word[1] in _AFTER_INITIALS)
            or (word[0] in _BEFORE_INITIALS and word[1] in _INITIALS)
        )
        for word in words
    )


def _unread_in(text: str) -> Iterator[Span]:
    note = _NOTE.match(text)
    if note is not None:
        yield Span(*note.span())
    if "(" not in text and "[" not in text:  # a quick look: no aside
        return
    for found in _ASIDE.finditer(text, 0 if note is None else note.end()):
        if found["respelt"] is None or _is_guide(found.group()):
            yield Span(*found.span())


_MAY_BE_LONE = re.compile(r"\s[\W_]+\s")
_NOT_READ = frozenset("|~^`\u25ba\ufffc\ufffd")
_READ = frozenset("&%@#§¶")


def _is_word(token: str) -> bool:
    """Whether anybody reads ``token`` aloud; lone punctuation is no word."""
    return (
        token[0].isalnum()
        or token[-1].isalnum()
        or any(
            letter.isalnum()
            or letter in _READ
            or (letter not in _NOT_READ and unicodedata.category(letter) in {"Sm", "Sc", "So"})
            for letter in token
        )
    )


class Tossup(msgspec.Struct, frozen=True, dict=True):
    """A pyramidal question and, when known, its answer.

    The text is kept exactly as typed; everything else is derived from it. Spans are in code points.
    """

    text: str
    answer: Answer | None = None

    @cached_property
    def heard_text(self) -> str:
        """The text with spaces in the place of what nobody reads aloud; positions are the same."""
        heard, end = list[str](), 0
        for span in self.unread:
            heard += self.text[end : span.start], " " * (span.end - span.start)
            end = span.end
        return "".join([*heard, self.text[end:]]) if heard else self.text

    @cached_property
    def words(self) -> tuple[Span, ...]:
        """What a moderator reads aloud, in order; marks, guides, notes and lone punctuation are not words.

        Sound for prefixes: the words of the text up to the end of word *n* are the first *n* words.
        """
        read_aloud = self.heard_text
        tokens = _WORD.finditer(read_aloud)
        if _MAY_BE_LONE.search(f" {read_aloud} ") is None:
            return tuple(Span(*found.span()) for found in tokens)
        return tuple(Span(*found.span()) for found in tokens if _is_word(found.group()))

    @property
    def bare_words(self) -> tuple[str, ...]:
        """Each of :attr:`words` in small letters, without the punctuation around it; may be empty."""
        return tuple(bare_word(span.of(self.text)).casefold() for span in self.words)

    @cached_property
    def unread(self) -> tuple[Span, ...]:
        """What nobody reads aloud: power marks, pronunciation guides, notes to the moderator."""
        return tuple(_unread_in(self.text))

    @property
    def length(self) -> int:
        """How many words there are; many times quicker than to find them."""
        text = self.heard_text
        if _MAY_BE_LONE.search(f" {text} ") is None:
            return len(text.split())
        return sum(map(_is_word, text.split()))

    @property
    def characters(self) -> int:
        """How long the text is on paper, without what nobody reads aloud and the space before that."""
        return len(self.text) - sum(
            span.end - span.start + (span.start > 0 and self.text[span.start - 1] == " ")
            for span in self.unread
        )

    @cached_property
    def clues(self) -> tuple[bool, ...]:
        """For each word, whether it can be a clue; False inside "For 10 points, name".

        Decided from the words before it only, so that hearing more never changes what was heard.
        """
        verdicts = []
        before = ("", "")  # the two words before, lower case and bare
        fresh, calling = True, False  # at a sentence's start; right after "for 10 points"
        end = 0  # of the word before
        for span in self.words:
            raw = span.of(self.text)
            if span.start - end > 1:  # a full stop behind a guide: "by Brahms (“brahmz”). Name"
                fresh = fresh or self.heard_text[end : span.start].rstrip().rstrip(_CLOSING).endswith(_ENDS)
            word = bare_word(raw).casefold()
            stock = (
                word == "ftp"
                or (word in _NUMBERS and before[1] == "for")
                or (word in {"point", "points"} and before[0] == "for" and before[1] in _NUMBERS)
                or (calling and word == "each")
            )
            called = (fresh or calling) and word in _CALLS
            verdicts.append(not stock and not called)
            calling = stock and word not in _NUMBERS
            fresh, end = raw.rstrip(_CLOSING).endswith(_ENDS), span.end
            before = (before[1], word)
        return tuple(verdicts)

    @cached_property
    def power(self) -> int | None:
        """How many words are in power; None without a power mark."""
        mark = _POWER.search(self.text)
        return None if mark is None else sum(span.end <= mark.start() for span in self.words)

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """The sentences, without the white space between them."""
        text, heard = self.text, self.heard_text
        spans, start, end = list[Span](), 0, len(text.rstrip())
        for found in _SENTENCE_END.finditer(text):
            sign, stop = found.start(), min(found.end(), end)
            if stop < end and _NO_SENTENCE_END.search(text, max(start, sign - 8), sign + 1):
                continue
            if heard[sign] == " ":
                later = _WORD.search(text, stop)
                if later is not None and heard[later.start()] == " ":
                    continue  # "St. Denis" in a guide
            spans.append(Span(stop - len(text[start:stop].lstrip()), stop))
            start = stop
        if start < end:
            spans.append(Span(end - len(text[start:end].lstrip()), end))
        return tuple(spans)

    def heard(self, count: int) -> Tossup:
        if not 0 <= count <= len(self.words):
            raise ValueError(f"cannot hear {count} of {len(self.words)} words")
        return Tossup(self.text[: self.words[count - 1].end] if count else "", self.answer)
