"""What must hold before a tossup is ready, each of which a person may override with a reason."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Protocol

from quizwriter.domain.tossup import Answer, Page, Tossup, answer_key, bare_word, page_title
from quizwriter.workflow.wording import counted_noun, listed, percent

SHORTEST, LONGEST = 50, 175
"""Words of a tossup; 98 in 100 published ones are within."""

DUPLICATE_THRESHOLD = 0.35
"""Two tossups that share this much of their runs of words say the same.

The nearest neighbours of 1,500 published tossups on the same answers came to 0.31 at most; one with every
eighth word changed keeps 0.5.
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold: its ``name`` is what an override refers to, ``finding`` is a sentence."""

    name: str
    passed: bool
    finding: str


@dataclass(frozen=True, slots=True)
class OtherTossup:
    """A tossup to compare with: what it is known by, what people call it, and its text."""

    key: str
    name: str
    text: str


CHECKS_VERSION = 2
"""It grows when a check may find something else of the same tossup, so that no kept finding is used again."""

TITLES = {
    "text": "There is a text",
    "answer": "There is an answer",
    "page": "The answer can be guessed",
    "length": "Length",
    "leak": "The answer is not said",
    "set": "New in this set",
    "past": "Not asked before",
    "vulgar": "Language",
    "filler": "No test strings",
}
"""What people call the checks, by name, in the order they are made."""


class PageIndex(Protocol):
    """The pages that the players of a bundle can name."""

    def find(self, name: str) -> Page | None:
        """The page that ``name`` means; None if the bundle has none."""


def check(
    tossup: Tossup,
    key: str = "",
    *,
    in_set: DuplicateFinder | None = None,
    past: DuplicateFinder | None = None,
    pages: PageIndex | None = None,
) -> tuple[Check, ...]:
    """What must hold before ``tossup``, known by ``key``, is ready, in the order of :data:`TITLES`.

    ``in_set`` are the tossups of its set, which may hold itself, ``past`` the past questions that come near
    it, and ``pages`` those of the bundle. None: they could not be looked at, and so do not pass.
    """
    return (
        _text(tossup),
        _answer(tossup.answer),
        _page(tossup.answer, pages),
        _length(tossup),
        _leak(tossup),
        _repeat("set", "in this set", tossup.text, key, in_set),
        _repeat("past", "among past questions", tossup.text, key, past),
        _vulgar(tossup),
        _filler(tossup),
    )


def _text(tossup: Tossup) -> Check:
    there = bool(tossup.words)
    return Check("text", there, "There is a text." if there else "There is no text to read aloud.")


def _answer(answer: Answer | None) -> Check:
    there = answer is not None and bool(answer.line.strip())
    return Check("answer", there, f"It asks for {answer.main}." if answer and there else "No answer is set.")


def _page(answer: Answer | None, pages: PageIndex | None) -> Check:
    if answer is None or answer.page is None:
        return Check("page", False, "No page of the bundle has this answer, so no player can guess it.")
    if pages is None:
        return Check("page", False, "No bundle is open, so its pages could not be looked at.")
    found = pages.find(answer.page)
    if found is None:
        return Check(
            "page", False, f"The bundle has no page {page_title(answer.page)}, so no player can guess it."
        )
    return Check("page", True, f"Players know it as {page_title(found)}.")


def _length(tossup: Tossup) -> Check:
    words = len(tossup.words)
    told = f"{counted_noun(words, 'word')}; from {SHORTEST} to {LONGEST} is usual."
    return Check("length", SHORTEST <= words <= LONGEST, told)


# -- the answer in the text

_BRACKETS = re.compile(r"[\[(<]([^\[\]()<>]*)[\])>]")
_OPTIONAL_ENDING = re.compile(r"(?<=\w)[\[(]\w{1,4}[\])]")  # War[s], hash(ing)
_DISAMBIGUATION = re.compile(r"_\([^()]*\)$")
_REQUIRED = re.compile(r"_([^_]+)_")
_ACCEPTING = re.compile(r"\s*(?:also\s+)?(?:or|accept|aka|a\.k\.a\.)\b[:\s]*", re.IGNORECASE)
_BETWEEN_NAMES = re.compile(r" (?:or|also accept|accept) | ?/ ?")
_NOT_ACCEPTING = re.compile(
    r"\s*(?:(?:anti-?)?prompt|do\s+not|don['’]?t|reject|note|read|before|until)\b", re.IGNORECASE
)
# What may be said in the text by the answer line's own words, or is no name at all.
_NO_NAME = re.compile(
    r"\b(?:until|before|after|any|either|equivalents?|forms?|descri\w+|underlined|portions?|parts?|specific"
    r"|such\s+as|similar|mention\w*|synonyms?|reasonable|clear|variants?|variations?|other)\b",
    re.IGNORECASE,
)
_COMMON_WORDS = """
    a about above after again against all am an and another any are art as at be because been before being
    below between book both but by can character city come could country day death did do does down each end
    even event everyone everything few film first five for form four from further good great group had has
    have having he her here hers him his history home house how i if in into is it its itself just king last
    law left life like line long made make man many may me men mine more most much must my name new night no
    none nor not nothing novel now number of off on once one only opera or other others our out over own
    painting part people place play poem point power right same second set she side so some song state still
    story such symphony term than that the their theirs them then there these they thing third this those
    three through time title to too two under until up upon us use war was water way we well were what when
    where which while who whom whose why will with woman women word words work world would year years yes yet
    you young your yours
"""
_COMMON = frozenset(_COMMON_WORDS.split())  # a text says them without thinking of the answer of that name
_GENERIC_WORDS = """
    academy act affair agreement airport algorithm alliance apes army assembly award bank basin battle bay
    bird boy bridge building canal cape cathedral cell chapel church circle club coast code college comedy
    company conference congress constant convention council country county court crisis cross cycle day days
    dialogue disease dynasty effect eight emperor empire equation expedition experiment falls family festival
    flower force forest fort front game gate generation girl group gulf heart hill hills house hypothesis
    institute island islands juice king kingdom kings lady lake language law league letters lights line magic
    man march massacre method model monastery moon mountain mountains movement museum music nation nations
    night north number numbers ocean office opera orchestra order palace paradox park party pass path peak
    people peninsula people plan plane plateau play point pole port principle prize problem process project
    proof queen race range reaction rebellion reform region religion republic revolt revolution ring rings
    river road rock room rule school sea series sonata song songs south speech spring square star states stone
    store story strait street structure summer sun symphony synthesis system tale tales temple test theatre
    theorem theory tower trade transform treaty tree trial tribe trilogy trio union university valley verses
    wall wars water waters wedding west wind winter woods world york
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())  # last words of names that many others share


_LONGEST_WORD = 100
"""Characters of a word that are looked at; no word of any packet has as many."""


def _tokens(word: str) -> tuple[str, ...]:
    """What is left of ``word`` without case, accents, punctuation and possessive; "well-known" is two."""
    return _tokens_of(word[:_LONGEST_WORD])


@lru_cache(maxsize=100_000)
def _tokens_of(word: str) -> tuple[str, ...]:
    key = answer_key(_POSSESSIVE.sub("", word))
    return tuple(key.split()) if key[:1].isalnum() else ()


_POSSESSIVE = re.compile(r"['’]s?(?!\w)")


@lru_cache(maxsize=100_000)
def _singular(token: str) -> str:
    """``token`` without the ending of a plural; good enough to compare by, not to print."""
    if len(token) > 4 and token.endswith("ies"):
        return token[:-3] + "y"
    if len(token) > 4 and token.endswith(("sses", "xes", "zes", "ches", "shes")):
        return token[:-2]
    if len(token) > 3 and token.endswith("s") and not token.endswith(("ss", "us", "is")):
        return token[:-1]
    return token


_LONGEST_PHRASE = 24
"""Words of a name that are looked for in a text; of a longer name, the first ones."""


def _phrase(name: str) -> tuple[str, ...]:
    """``name`` as it is looked for in a text."""
    tokens = (_singular(token) for word in name.split() for token in _tokens(word))
    return tuple(islice(tokens, _LONGEST_PHRASE))


def answer_names(answer: Answer) -> tuple[str, ...]:
    """All that ``answer`` is called: the line's first, what must be said of it, what is accepted, the page.

    What a line accepts only before it is read may be read, and is left out; so is what it prompts on or
    does not accept.
    """
    line = _OPTIONAL_ENDING.sub("", answer.line)
    found = [_BRACKETS.sub(" ", line)]
    for bracket in _BRACKETS.findall(line):
        if _ACCEPTING.match(bracket):
            found += bracket.split(";")
    if answer.page is not None:
        found.append(_DISAMBIGUATION.sub("", answer.page).replace("_", " "))
    called: dict[str, None] = {}
    for clause in (part for one in found for part in one.split(";")):
        if _NOT_ACCEPTING.match(clause):
            continue
        accepting = _ACCEPTING.match(clause)
        names = clause[accepting.end() if accepting else 0 :]
        for name in _BETWEEN_NAMES.split(" ".join(names.split())):
            if not _NO_NAME.search(name):
                called.update(dict.fromkeys([*_REQUIRED.findall(name), name.replace("_", "")]))
    trimmed = (name.strip(" \t,.:\"“”‘’'") for name in called)
    return tuple(dict.fromkeys(name for name in trimmed if name))


def _surname(answer: Answer) -> str:
    """The last word of what may be a person's name; empty where it may not."""
    words = answer.main.split()
    if not 2 <= len(words) <= 4 or "," in answer.main or not all(word[:1].isupper() for word in words):
        return ""
    last = _phrase(words[-1])
    apt = len(last) == 1 and len(last[0]) > 3 and words[0].casefold() not in {"the", "a", "an"}
    return words[-1] if apt and not {last[0], answer_key(words[-1])} & (_GENERIC | _COMMON) else ""


def _leak(tossup: Tossup) -> Check:
    if tossup.answer is None:
        return Check("leak", True, "There is no answer that could be said.")
    said = [
        (_singular(token), number, span.of(tossup.text))
        for number, span in enumerate(tossup.words, start=1)
        for token in _tokens(span.of(tossup.text))
    ]
    starts = {span.start for span in tossup.sentences}
    fresh = {number for number, span in enumerate(tossup.words, start=1) if span.start in starts}
    phrases = {name: _phrase(name) for name in answer_names(tossup.answer)}
    surname = _surname(tossup.answer)
    last_name = _phrase(surname)
    places = _places({*phrases.values(), last_name}, [token for token, *_ in said])
    for name, phrase in phrases.items():
        common = all(token in _COMMON for word in name.split() for token in _tokens(word))
        tiny = len(phrase) == 1 and len(phrase[0]) < 3  # "S" for entropy, "Cu" for copper
        for at in places.get(phrase, ()):
            _, number, word = said[at]
            meant = word.strip("\"“”‘’'([")[:1].isupper() and number not in fresh
            if meant or not (common or tiny):
                return Check("leak", False, f"“{name}” is said at word {number}.")
    for at in places.get(last_name, ()):
        _, number, word = said[at]
        if word.strip("\"“”‘’'([")[:1].isupper():
            return Check("leak", False, f"“{surname}”, which is in the answer, is said at word {number}.")
    return Check("leak", True, "Neither the answer nor what it accepts is in the text.")


def _places(phrases: Collection[tuple[str, ...]], among: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Where each of ``phrases`` begins ``among`` tokens, found in one walk for each length of a phrase."""
    found: dict[tuple[str, ...], list[int]] = {}
    for length in {len(phrase) for phrase in phrases} - {0}:
        for at in range(len(among) - length + 1):
            stretch = tuple(among[at : at + length])
            if stretch in phrases:
                found.setdefault(stretch, []).append(at)
    return found


# -- what was said before

_RUN = 4  # words
_FEWEST = 12  # runs of a text that may be near another; shorter ones only repeat it or do not
_LONG = re.compile(r"\w{6,}")  # words that few other texts have
_ANY = re.compile(r"\w+")
_ALIKE = 0.25  # two that share less of their long words do not share a third of their runs

_UNITS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: number for number, word in enumerate(_UNITS.split(), start=1)} | {
    word: 10 * number for number, word in enumerate(_TENS.split(), start=2)
}


def _digits(tokens: Iterable[str]) -> Iterator[str]:
    """``tokens`` with numbers up to 99 as digits: "twenty", "one" is "21"."""
    tens = 0
    for token in tokens:
        number = _NUMBERS.get(token)
        if tens and number is not None and number < 10:
            yield str(tens + number)
            tens = 0
            continue
        if tens:
            yield str(tens)
        tens = number if number is not None and number >= 20 else 0
        if not tens:
            yield token if number is None else str(number)
    if tens:
        yield str(tens)


def compared_words(text: str) -> tuple[str, ...]:
    """The words of ``text`` as they are compared: without case, accents, punctuation, "for 10 points"."""
    tossup = Tossup(text)
    return tuple(
        _digits(
            token
            for span, clue in zip(tossup.words, tossup.clues, strict=True)
            if clue
            for token in _tokens(span.of(text))
        )
    )


@dataclass(frozen=True, slots=True)
class _Runs:
    """A text by its runs of words, as hashes that are the same on every machine."""

    words: int  # a hash of all of them
    runs: frozenset[int]

    @classmethod
    def of(cls, text: str) -> _Runs:
        words = compared_words(text)
        runs = (" ".join(words[at : at + _RUN]) for at in range(max(1, len(words) - _RUN + 1)))
        return cls(_hash(" ".join(words)), frozenset(map(_hash, runs)) if words else frozenset())

    def shares(self, other: _Runs) -> float:
        """How much of the shorter the other says too, from 0 to 1."""
        if self.words == other.words:
            return 1.0 if self.runs else 0.0
        fewer = min(len(self.runs), len(other.runs))
        return len(self.runs & other.runs) / fewer if fewer >= _FEWEST else 0.0


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Another tossup that says much the same; ``share`` is how much, and 1 is every word of the shorter."""

    other: OtherTossup
    share: float


class DuplicateFinder:
    """Finds among tossups those that say what another says, be it reworded here and there.

    Compared are runs of four words; what moderators read to everybody is left out, numbers up to 99 are
    alike in words and digits.

    Those to compare with are found by the long words they share, so that a set of thousands is looked through
    in the time that it takes to split its texts into words.

    Source:
        Broder, "On the Resemblance and Containment of Documents" (1997): containment.
    """

    def __init__(self, others: Iterable[OtherTossup] = ()) -> None:
        self._others: list[OtherTossup] = []
        self._words: list[int] = []  # how many each is found by
        self._having: dict[str, list[int]] = {}
        self._runs: dict[int, _Runs] = {}
        for other in others:
            self.add(other)

    def add(self, other: OtherTossup) -> None:
        """Compare with ``other``, too; one without words is like no other."""
        words = _found_by(other.text)
        for word in words:
            self._having.setdefault(word, []).append(len(self._others))
        self._others.append(other)
        self._words.append(len(words))

    def of(self, text: str, key: str = "") -> tuple[NearDuplicate, ...]:
        """Those that say what ``text`` says, but for the one known by ``key``; the nearest first."""
        return tuple(NearDuplicate(self._others[at], share) for at, share in self._near(text, key))

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The keys of those that say the same, directly or through others, two or more each.

        In the order they were added, groups by their first.
        """
        leaders = list(range(len(self._others)))

        def leader(at: int) -> int:
            while leaders[at] != at:
                leaders[at] = at = leaders[leaders[at]]
            return at

        for at, other in enumerate(self._others):
            for near, _ in self._near(other.text, other.key):
                one, two = sorted((leader(at), leader(near)))
                leaders[two] = one
        grouped: dict[int, list[str]] = {}
        for at, other in enumerate(self._others):
            grouped.setdefault(leader(at), []).append(other.key)
        return tuple(tuple(keys) for keys in grouped.values() if len(keys) > 1)

    def _near(self, text: str, key: str) -> list[tuple[int, float]]:
        words = _found_by(text)
        shared = Counter(at for word in words for at in self._having.get(word, ()))
        runs, found = None, []
        for at, count in shared.items():
            if count < _ALIKE * min(len(words), self._words[at]) or (key and self._others[at].key == key):
                continue
            runs = runs or _Runs.of(text)
            if at not in self._runs:
                self._runs[at] = _Runs.of(self._others[at].text)
            share = runs.shares(self._runs[at])
            if share >= DUPLICATE_THRESHOLD:
                found.append((at, share))
        return sorted(found, key=lambda one: (-one[1], one[0]))


def _found_by(text: str) -> set[str]:
    """The long words of ``text``; all, where it has hardly any."""
    lower = text.lower()
    words = set(_LONG.findall(lower))
    return words if len(words) > 2 else set(_ANY.findall(lower))


def _repeat(name: str, where: str, text: str, key: str, among: DuplicateFinder | None) -> Check:
    if among is None:
        return Check(name, False, f"Nothing {where} could be looked at.")
    found = among.of(text, key)
    if not found:
        return Check(name, True, f"Nothing {where} says the same.")
    share = found[0].share
    much = "the same words are" if share == 1 else f"{percent(share)} of it is"
    others = f" and {counted_noun(len(found) - 1, 'other')}" if len(found) > 1 else ""
    return Check(name, False, f"{much[0].upper()}{much[1:]} {where}: {found[0].other.name}{others}.")


# -- what nobody wants to read aloud

# Swear words and insults only: what a question may have to name (rape, hell, bastard, whore) is not here, and
# neither are words that are also names (Dick, Cock) or birds (titmouse). Whole words, so Scunthorpe passes.
_VULGAR = frozenset(
    root + ending
    for roots, endings in (
        ("fuck motherfuck shit bullshit", " s ed er ers ing in ty tier"),
        ("cunt twat wank wanker asshole arsehole jackass dipshit shithead dickhead cocksucker", " s"),
        ("nigger nigga faggot fag kike spic wetback chink raghead towelhead tranny retard", " s"),
        ("slut skank", " s"),
        ("bitch", " es ing y"),
    )
    for root in roots.split()
    for ending in endings.split(" ")
)


def _vulgar(tossup: Tossup) -> Check:
    found = [
        word
        for span in tossup.words
        for word in [span.of(tossup.text)]
        if any(token in _VULGAR for token in _tokens(word))
    ]
    told = listed([f"“{bare_word(word)}”" for word in dict.fromkeys(found)])
    return Check("vulgar", not found, f"It says {told}." if found else "Nothing vulgar is in the text.")


_FILLER = re.compile(
    r"""
      \b(?: (?i:asdf\w* | qwertyu\w* | zxcv\w* | hjkl\w* | lorem\s+ipsum | dolor\s+sit\s+amet | foo\s*bar
              | test(?:\s+test)+ | (?:just\s+)?a\s+test\s+(?:question|tossup) | blah(?:\s+blah)+
              | (?:insert|placeholder)\s+(?:clue|text|lead-?in|here)\w*)
          | TODO | TBD | FIXME | TKTK? )\b
      | \?\?\?+
    """,
    re.VERBOSE,
)


def _filler(tossup: Tossup) -> Check:
    line = tossup.answer.line if tossup.answer else ""
    found = _FILLER.search(tossup.text) or _FILLER.search(line)
    if found is not None:
        return Check("filler", False, f"“{found.group()}” looks like a test.")
    words = compared_words(tossup.text)
    if len(words) >= 3 * len(set(words)) > 0:
        return Check("filler", False, "It says the same few words again and again.")
    return Check("filler", True, "Nothing in it looks like a test.")
