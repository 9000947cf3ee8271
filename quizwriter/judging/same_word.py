"""Whether two words are the same: forms, spellings of other alphabets, and slips of the hand."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import permutations

import Stemmer
from rapidfuzz.distance import OSA

from quizwriter.judging.spoken_words import listed, singular
from quizwriter.system.resource_files import resource_lines

EXACT, FORM, SPELLING, SLIP = 0.0, 0.1, 0.3, 0.6
"""What it costs that a word is another form, another spelling, or a slip."""

_DOUBLE = re.compile(r"(.)\1+")
_ENDINGS = (
    ("", ("s", "ed", "ing")),
    ("e", ("ing", "ed", "es")),
    ("y", ("ies", "ied")),
)
_DERIVED = listed(
    """
        e y s ic ics ical ism ist ists istic ity ive al ally ous ing ed er ers or ors tion tions tive tic tics
        ation ations ational ion ions ional ment ments ance ence ant ent ness able ible ize ized izing ise ate
        ated ating esis etic is ial ially
        """
)
_NATIONAL = frozenset(listed("a an ans n ns ese ia ian ians ish"))
_PLACES = _NATIONAL | frozenset(listed("e o y ey and"))
_DOERS = frozenset(listed("er ers or ors"))
_BEHIND_STEMS = frozenset(["", *_DERIVED, "on", "ons"])
"""How words of one required beginning may end: electricity and electron, but not Dante and Danzig."""

_SPELLINGS = (
    ("tsch", "ch"), ("tch", "ch"), ("shch", "sh"), ("sch", "sh"), ("kh", "k"), ("gh", "g"), ("ph", "f"),
    ("ck", "k"), ("x", "ks"), ("ae", "a"), ("oy", "oi"), ("ey", "ei"), ("oe", "o"), ("ue", "u"), ("ou", "u"),
    ("oo", "u"), ("w", "v"),
)  # fmt: skip
_GLIDE = re.compile(r"(?<=[dlnt])y(?=[aou])|(?<=[aeiou])y(?=[aeiou])")
_HARD_C = re.compile(r"c(?=[aourlt]|$)")
_HARD_Q = re.compile(r"q(?!u)")
_UMLAUT = re.compile(r"([aou])e")
_FIRST_OE = re.compile(r"^oe(?=[dns])")
_LAST_V = re.compile(r"(?<=[aeio])v$")
_LAST_I = re.compile(r"(?:iy|ij|ii|yi|yy|y|i)$")
_BRITISH = re.compile(r"(?<=[a-z]{2})(?:is(?=e$|ation$|ing$|ed$|er$)|ys(?=e$))|our$|ogue$|(?<=[bt])re$")
_BRITISH_AS = {"is": "iz", "ys": "yz", "our": "or", "ogue": "og", "re": "er"}


LEAST_BEFORE_END = 5
"""Letters that two words have in common before another last vowel makes no other word."""

_PAIRS = (
    ("chromatid", "chromatin"),
    ("cortisol", "cortisone"),
    ("cysteine", "cystine"),
    ("forcep", "force"),
    ("homburg", "hamburg"),
    ("homeomorphism", "homomorphism"),
    ("inulin", "insulin"),
    ("isotone", "isotope"),
    ("ketone", "ketose"),
    ("nucleoside", "nucleotide"),
    ("shaanxi", "shanxi"),
    ("silicon", "silicone"),
)
APART = {frozenset({one + end, other + end}) for one, other in _PAIRS for end in ("", "s")}
"""Different words that look like slips or spellings of one another, and are no titles of pages."""


@cache
def confusable_words() -> frozenset[str]:
    """Words that name something and differ little from another such word: no slip of that other word.

    They are the words of five letters and more in titles of pages that have a neighbour among those words
    within the distance of a slip.
    """
    words = resource_lines("titles/confusable_words.txt")
    return frozenset([*words, *map(singular, words)])


@cache
def bare_titles() -> frozenset[str]:
    """What is left of a page's title without the word for its kind, its article, what is behind its colon, or
    the middle names of a person, where that is the title of another page.

    Words are in their normal forms, joined by spaces: "columbia" is one because of Columbia University.
    """
    return frozenset(resource_lines("titles/bare_titles.txt"))


@lru_cache(maxsize=50_000)
def spelling(word: str) -> str:
    """``word`` without what spellings and transliterations vary: Tchaikovsky and Chaikovskii are the same."""
    found = _BRITISH.sub(lambda match: _BRITISH_AS[match.group()], word)
    found = _GLIDE.sub("", _FIRST_OE.sub("e", found))
    for one, other in _SPELLINGS:
        found = found.replace(one, other)
    found = _HARD_Q.sub("k", _HARD_C.sub("k", found))
    found = _LAST_I.sub("i", found).replace("y", "i")
    return _LAST_V.sub("f", _DOUBLE.sub(r"\1", found))


def most_slips(length: int) -> int:
    """How many letters may be wrong in a word of ``length`` letters."""
    return 0 if length < 5 else 1 if length < 8 else 2


def is_form(one: str, other: str) -> bool:
    """Whether two words are forms of one word by their endings: test and testing."""
    short, long = sorted((one, other), key=len)
    if len(short) < 3 or long[:2] != short[:2]:
        return False
    if long == short + "es" and short.endswith(("s", "x", "z", "ch", "sh", "o")):
        return True
    for dropped, endings in _ENDINGS:
        if short.endswith(dropped):
            stem = short[: len(short) - len(dropped)]
            if long.startswith(stem) and long[len(stem) :] in endings:
                return True
    return long[: len(short)] == short and long[len(short) :] in {short[-1] + "ing", short[-1] + "ed"}


def is_of_stem(said: str, stem: str, name: str) -> bool:
    """Whether ``said`` is another word of the required beginning ``stem`` of ``name``.

    Of a plural, such as "cats" of which "cat" is required, only forms are: "cattle" is none. Of "passing"
    so are "passed" and "passers", but not "passion".
    """
    if not said.startswith(stem) or len(said) - len(stem) > 3:
        return False
    ending, behind = name[len(stem) :], said[len(stem) :]
    if ending in {"s", "es"}:
        return not behind or is_form(said, stem)
    if ending == "ing":
        return behind in _DOERS or is_form(said, stem) or _stemmed(said) == _stemmed(name)
    return behind in _BEHIND_STEMS or (behind in _NATIONAL and ending in _PLACES)


_CONTRAST_BEFORE = (
    ("endo", "ecto", "exo"), ("hyper", "hypo"), ("inter", "intra"), ("macro", "micro"), ("ante", "anti"),
    ("ana", "cata"), ("homo", "hetero"), ("ab", "ad"), ("ef", "af"),
)  # fmt: skip
_CONTRAST_BEHIND = (("ane", "ene", "yne"), ("ate", "ite", "ide"), ("ase", "ose"), ("ol", "al", "yl"))
"""Beginnings and endings of terms that set one thing against another: ethane and ethene."""


def is_contrast(one: str, other: str) -> bool:
    """Whether two words differ in nothing but a beginning or an ending that makes another term."""
    return any(
        one.startswith(first) and other.startswith(second) and one[len(first) :] == other[len(second) :]
        for parts in _CONTRAST_BEFORE
        for first, second in permutations(parts, 2)
    ) or any(
        one.endswith(first) and other.endswith(second) and one[: -len(first)] == other[: -len(second)]
        for parts in _CONTRAST_BEHIND
        for first, second in permutations(parts, 2)
    )


def is_slip(said: str, meant: str) -> bool:
    """Whether ``said`` is ``meant`` but for a slip, even if it is a word of its own: Allen and Allan."""
    most = most_slips(min(len(said), len(meant)))
    return said[:1] == meant[:1] and OSA.distance(said, meant, score_cutoff=most) <= most


def has_other_end(one: str, other: str) -> bool:
    """Whether two long words differ in a last vowel alone, as languages write them: madama, madame, madam."""
    bare = one.rstrip("ae")
    return len(bare) >= LEAST_BEFORE_END and bare == other.rstrip("ae")


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def _stemmed(word: str) -> str:
    return _stemmer().stemWord(word)


@lru_cache(maxsize=50_000)
def is_word_form(one: str, other: str) -> bool:
    """Whether two words have one stem, as a line means that accepts word forms."""
    if min(len(one), len(other)) < 4:
        return False
    if _stemmed(one) == _stemmed(other):
        return True
    if one in confusable_words():
        return False
    return bool(_bases(one) & _bases(other))


def _bases(word: str) -> frozenset[str]:
    """What is left of a word without the endings that make other words of it."""
    return frozenset(
        word[: len(word) - len(ending)]
        for ending in _DERIVED
        if word.endswith(ending) and len(word) - len(ending) >= 4
    )


@lru_cache(maxsize=100_000)
def word_cost(said: str, meant: str) -> float | None:
    """What it costs to take ``said`` for ``meant``; None where they are different words.

    Both are normal forms. Source of the distance: optimal string alignment (Damerau 1964), by rapidfuzz.
    """
    if said == meant:
        return EXACT
    if not said or not meant or not (said.isalpha() and meant.isalpha()):
        return None
    if is_form(said, meant):
        return FORM
    shorter = min(len(said), len(meant))
    if frozenset((said, meant)) in APART:
        return None
    if shorter >= 5 and spelling(said) == spelling(meant):
        return SPELLING
    if shorter >= 4 and _UMLAUT.sub(r"\1", said) == _UMLAUT.sub(r"\1", meant):
        return SPELLING
    if said[0] != meant[0] and sorted(said[:2]) != sorted(meant[:2]):
        return None
    if said in confusable_words() or is_contrast(said, meant):
        return None
    most = most_slips(shorter)
    distance = OSA.distance(said, meant, score_cutoff=most)
    if distance <= most:
        return SLIP + 0.1 * distance
    if len(meant) > 5 and said[0] == meant[0] and sorted(said) == sorted(meant):
        return SLIP + 0.2  # syllables in another order
    return None


def is_national(one: str, other: str) -> bool:
    """Whether one word is the adjective of the other, a place: Australian, Peruvian, Japanese."""
    other, one = sorted((one, other), key=len)
    if len(other) < 4 or one[:3] != other[:3]:
        return False
    forms = {other + ending for ending in ("an", "ian", "ese", "ish")}
    if other[-1] in "aeiouy":
        forms |= {other[:-1] + ending for ending in ("an", "ian", "ese", "ish")}
    return one in forms
