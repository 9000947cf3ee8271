"""What the judge says to the answers of one line, as a table for a page that has no Python.

For each name of the line, and for each part of it that somebody may say, the judge is asked here; the page
knows only how to split an answer into words, and when two words are the same but for a slip. So it decides
less than the judge, and what it decides is provisional.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, pairwise

import msgspec
from msgspec.structs import replace
from rapidfuzz import process
from rapidfuzz.distance import OSA

from quizwriter.domain.answer_line import AnswerRule
from quizwriter.domain.plain_text import ACCENTS, UNSEEN
from quizwriter.domain.tossup import Tossup
from quizwriter.judging.candidates import LineCandidates, NameCandidate
from quizwriter.judging.judge import Verdict, groups_of, holds, judge_one, prepared, segment_verdict
from quizwriter.judging.known_names import HONORIFICS, OFFICIAL_NAMES, SAME_NAMES
from quizwriter.judging.same_word import APART, confusable_words, most_slips
from quizwriter.judging.spoken_words import (
    ELIDED,
    FRACTIONS,
    GREEK,
    LIGHT,
    NUMBERS,
    PARTICLES,
    SHORT,
    SpokenWord,
    spoken_words,
)

MOST_FORMS = 700
"""Forms of one line that the judge is asked about; no published line needs as many."""

_MOST_SUBSETS = 6  # words of a name of which every choice is tried
_NATIONAL = "n", "an", "ian", "ese", "ish"  # Australian
_LETTERS = {Verdict.ACCEPT: "a", Verdict.PROMPT: "p", Verdict.REJECT: "r"}


class AnswerTable(msgspec.Struct, frozen=True):
    """What the answers of a line are worth once ``word`` words are read, until the next table.

    ``answers`` has, for each answer that the line asks for at once, its :class:`FormTable`.
    """

    word: int
    answers: tuple[FormTable, ...]


class FormTable(msgspec.Struct, frozen=True):
    """The forms of one answer by their codes.

    A code is a letter for the verdict, the number of what a prompt asks, and flags: ``s`` where a slip of the
    hand changes nothing, ``b`` or ``c`` where the first four or five letters of a long word will do. What may
    be said besides is ``x`` for ``known`` words, ``h`` for an honorific before, ``y`` for anything.

    ``forms`` are words in their normal forms without light words, ``verbatim`` words as they are,
    ``squashed`` letters without spaces. ``raws`` are the letters of words with another normal form.
    """

    forms: dict[str, list[str]]
    verbatim: dict[str, list[str]]
    squashed: dict[str, list[str]]
    known: list[str]
    raws: dict[str, list[str]]


class VerdictTable(msgspec.Struct, frozen=True):
    """All that a page needs for one line; ``apart`` has for a word those that are no slips of it."""

    stages: tuple[AnswerTable, ...]
    asks: list[str]
    apart: dict[str, list[str]]


def language() -> dict[str, object]:
    """What the page must know of words to split an answer as :func:`spoken_words` does."""
    return {
        "short": SHORT,
        "numbers": NUMBERS,
        "fractions": FRACTIONS,
        "greek": GREEK,
        "light": sorted(LIGHT),
        "particles": sorted(PARTICLES),
        "elided": sorted(ELIDED),
        "honorifics": sorted(HONORIFICS),
        "accents": ACCENTS,
        "unseen": UNSEEN,
    }


def verdict_table(tossup: Tossup) -> VerdictTable:
    """The table of the answer line of ``tossup``, with its conditions by what was read. Takes some ms."""
    answer = tossup.answer
    if answer is None:
        return VerdictTable((), [], {})
    among = prepared(answer.line)
    if answer.page:
        known = {word.text for word in spoken_words(answer.page.replace("_", " "))}
        among = replace(among, known=among.known | known)
    asks: list[str] = []
    words: dict[str, None] = {}
    stages = []
    for word, heard in _stages(tossup, among):
        found = tuple(_Asked(group, heard, asks, words).table() for group in groups_of(among))
        stages.append(AnswerTable(word, found))
    apart = {word: list(others) for word in words if (others := _apart(word))}
    return VerdictTable(tuple(stages), asks, apart)


def _stages(tossup: Tossup, among: LineCandidates) -> Iterator[tuple[int, str | None]]:
    """After which words another condition of the line holds, with the text up to there."""
    conditional = [clause for clause in among.line.clauses if clause.condition is not None]
    if not conditional:
        yield 0, None
        return
    before: tuple[bool, ...] | None = None
    for word in range(len(tossup.words) + 1):
        heard = tossup.heard(word).text
        now = tuple(holds(clause, heard) for clause in conditional)
        if now != before:
            yield word, heard
        before = now


@lru_cache(maxsize=20_000)
def _apart(word: str) -> tuple[str, ...]:
    """The words that look like slips of ``word`` and are none."""
    most = most_slips(len(word))
    if not most:
        return ()
    pairs = {one for pair in APART if word in pair for one in pair} - {word}
    among = [*_confusable().get(word[0], ()), *_confusable().get(word[1], ())]  # or it is no slip
    near = process.extract(word, among, scorer=OSA.distance, score_cutoff=most, limit=None)
    return tuple(sorted(pairs.union(one for one, _, _ in near) - {word}))


@cache
def _confusable() -> Mapping[str, tuple[str, ...]]:
    """The words that are no slips of others, by their first letters."""
    found: dict[str, list[str]] = {}
    for word in sorted(confusable_words()):
        found.setdefault(word[0], []).append(word)
    return {letter: tuple(words) for letter, words in found.items()}


class _Asked:
    """The judge asked about the forms of one answer."""

    def __init__(
        self, among: LineCandidates, heard: str | None, asks: list[str], words: dict[str, None]
    ) -> None:
        """``asks`` and ``words`` collect what prompts ask and the words of all forms."""
        self._among, self._heard, self._asks, self._words = among, heard, asks, words
        self._codes: dict[str, str] = {}  # by the form
        self._verdicts: dict[str, str] = {}  # by the text
        self._verbatim: dict[str, str] = {}
        self._squashed: dict[str, str] = {}
        self._whole: set[str] = set()  # forms of whole names
        self._joined: set[str] = set()  # texts in which two words are written as one
        self._raws: dict[str, dict[str, None]] = {}

    def table(self) -> FormTable:
        known = sorted(word for word in self._among.known if word and not word.isdigit())
        for text in self._texts():
            if len(self._codes) >= MOST_FORMS:
                break
            self._take(text, known)
        for key in self._literals():
            if (code := self._verdict(key)) and self._codes.get(_form(spoken_words(key)), "")[
                : len(code)
            ] != code:
                self._verbatim.setdefault(key, code)
        for candidate in self._among.candidates:
            for letters in sorted(candidate.squashes):
                if code := self._verdict(letters):
                    self._squashed.setdefault(letters, code)
        self._prune(set(known))
        self._words.update(
            dict.fromkeys(word for form in self._codes for word in form.split() if len(word) > 4)
        )
        raws = {text: list(raw) for text, raw in self._raws.items()}
        codes, verbatim_codes = _by_code(self._codes), _by_code(self._verbatim)
        return FormTable(codes, verbatim_codes, _by_code(self._squashed), known, raws)

    def _verdict(self, text: str) -> str:
        """What the judge says to ``text``; empty where it is no answer of the line."""
        if text not in self._verdicts:
            said = spoken_words(text)
            found = judge_one(said, self._among, self._heard)
            if found.verdict is Verdict.REJECT and found.clause is None:
                segment = segment_verdict(said, self._among)
                if segment is None:
                    self._verdicts[text] = ""
                    return ""
                found = segment
            code = _LETTERS[found.verdict]
            if found.verdict is Verdict.PROMPT and found.ask:
                if found.ask not in self._asks:
                    self._asks.append(found.ask)
                code += str(self._asks.index(found.ask))
            self._verdicts[text] = code
        return self._verdicts[text]

    def _take(self, text: str, known: Sequence[str]) -> None:
        code = self._verdict(text)
        form = _form(spoken_words(text))
        if not code or not form or form in self._codes:
            return
        flags = ""
        longest = max((word for word in text.split() if word.isalpha()), key=len, default="")
        if len(longest) > 4:
            middle = len(longest) // 2
            slipped = f"{longest[:middle]}q{longest[middle:]}"
            if self._verdict(text.replace(longest, slipped, 1)) == code:
                flags += "s"
            # the first of two words is no beginning of both
            for flag, least, begun in () if text in self._joined else (("b", 10, 4), ("c", 6, 5)):
                cut = text.replace(longest, longest[:begun], 1)
                if len(longest) >= least and self._verdict(cut) == code:
                    flags += flag
                    break
        if code[0] != "r":
            if self._verdict(f"sir {text}") == code:
                flags += "h"
            if self._verdict(f"{text} zyzzyx") == code:
                flags += "y"
        extra = next((one for one in known if one not in form.split() and one not in LIGHT), "")
        if extra and code[0] != "r" and self._verdict(f"{text} {extra}") == code:
            flags += "x"
        self._codes[form] = code + flags

    def _prune(self, known: set[str]) -> None:
        """Leave out forms that are others with known words besides."""
        wider = [(form.split(), code) for form, code in self._codes.items() if code.endswith("x")]
        for form, code in list(self._codes.items()):
            if form in self._whole:
                continue
            words = form.split()
            for less, same in wider:
                if len(less) < len(words) and same == code and _is_within(less, words):
                    rest = [word for word in words if word not in less]
                    if all(word in known and not word.isdigit() for word in rest):
                        del self._codes[form]
                        break

    def _literals(self) -> Iterator[str]:
        for _, keys in self._among.literals:
            yield from sorted(keys)
        yield from self._among.segments

    def _texts(self) -> Iterator[str]:
        """What people may say, the likeliest first."""
        candidates = self._among.candidates
        for one in candidates:
            self._whole.add(_form(one.words))
            for word in one.words:
                if word.raw != word.text and not word.number:
                    self._raws.setdefault(word.text, {})[word.raw] = None
            yield _text(one.words)
        for one in candidates:
            if len(one.content) == 1:
                for official in OFFICIAL_NAMES.get(one.content[0].text, ()):
                    yield f"{official} of {_text(one.content)}"
            texts = [word.raw for word in one.words]
            if "of" in texts:  # the prime minister of Australia is Australia's prime minister
                at = texts.index("of")
                self._whole.add(_form([*one.words[at + 1 :], *one.words[:at]]))
                yield f"{_text(one.words[at + 1 :])} {_text(one.words[:at])}"
                for ending in _NATIONAL:
                    yield f"{_text(one.words[at + 1 :])}{ending} {_text(one.words[:at])}"
            for first, second in pairwise(one.content):
                text = _text(one.words).replace(_text((first, second)), first.raw + second.raw)
                self._joined.add(text)
                yield text
            for number in sorted(one.aliases):
                yield from (name for name, same in SAME_NAMES.items() if same == number)
            yield from sorted(one.initials)
            if len(one.content) > 1:
                yield _text(one.content[-1:])
                yield from self._parts(one)
        for one in candidates:
            yield from (one.text.split(",")[0], *one.text.replace("-", " ").split(" or "))

    def _parts(self, one: NameCandidate) -> Iterator[str]:
        words = one.content
        count = len(words)
        may_abbreviate = one.is_person or one.marked
        if count <= _MOST_SUBSETS:
            chosen = [
                list(some) for size in range(count - 1, 0, -1) for some in combinations(range(count), size)
            ]
        else:
            chosen = [[at for at in range(count) if at != left] for left in range(count)]
            chosen += [
                list(range(start, end)) for start in range(count) for end in range(start + 1, count + 1)
            ]
        for places in (list(range(count)), *chosen):
            some = [words[at] for at in places]
            yield _text(some)
            if may_abbreviate and len(some) > 1:
                letters = [word.raw[:1] for word in some[:-1]]
                yield " ".join((letters[0], _text(some[1:])))
                yield " ".join((*letters, _text(some[-1:])))
        if AnswerRule.ANY_ORDER in self._among.rules and count <= 3:
            yield _text(words[::-1])


def _text(words: Sequence[SpokenWord]) -> str:
    """``words`` as somebody may type them."""
    return " ".join(f"{word.raw}." if word.initial else word.number or word.raw for word in words)


def _form(words: Sequence[SpokenWord]) -> str:
    return " ".join(word.text for word in words if not word.light) or " ".join(word.text for word in words)


def _is_within(less: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter(words)
    return all(word in rest for word in less)


def _by_code(codes: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for form, code in codes.items():
        found.setdefault(code, []).append(form)
    return found
