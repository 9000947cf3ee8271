"""The words of an answer as they are compared: without case, accents, punctuation; numbers by value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec
from anyascii import anyascii
from msgspec.structs import replace

from quizwriter.domain.answer_line import AnswerName
from quizwriter.domain.answer_line.words import words_of
from quizwriter.domain.plain_text import ACCENTS, UNSEEN
from quizwriter.domain.span import Span


def listed(text: str) -> list[str]:
    """The words of ``text`` in their order."""
    return text.split()


MOST_WORDS = 64
"""Words of a name or of a typed answer that are compared; longer answers are no answers."""

LIGHT = words_of(
    """
    the a an of and
    """
)
"""What may be missing or too much anywhere."""

ARTICLES = words_of(
    """
    la le les l der die das el los las il lo gli un une ein eine al
    """
)
"""Articles of other languages: one may be missing before a title, or be too much there."""

PARTICLES = ARTICLES | words_of(
    """
    de d du des dem den del della di da dos do von van zu y et und ibn bin
    """
)
"""Articles and particles of other languages: they may be missing where two other words are said."""

_WORD = re.compile(
    rf"\d+(?:[.,]\d+)+|(?:[^\W_]|[{ACCENTS}])(?:[^\W_]|[{ACCENTS}{UNSEEN}])*"
    rf"(?:['`\u2019\u02bc\u2018\u00b4](?:[^\W_]|[{ACCENTS}{UNSEEN}])+)*|[&+%\u221a\u266d\u266f]|(?<=\b[A-Ga-g])#|(?<!\S)[-\u2212\u2013](?=\d)"
)
_INITIALS = re.compile(r"\s*(?:[^\W\d_]\.\s?){1,4}(?=[^\W\d_]{2})")  # "V. I." before "Lenin"
_APOSTROPHES = dict.fromkeys(map(ord, "\u2019\u02bc\u2018\u00b4`"), "'")
_ACCIDENTALS = {"#": "sharp", "\u266f": "sharp", "\u266d": "flat"}  # of keys: C#, A♭
_MINUS = frozenset("-\u2212\u2013")
_DIGITS_FIRST = re.compile(r"(\d+)([a-z]+)")
_NOT_ALNUM = re.compile(r"[^a-z0-9]+")
_ROMAN = re.compile(r"(?:l?x{0,3}|xl)(?:ix|iv|v?i{0,3})")
ELIDED = words_of(
    """
    d l qu dell all nell
    """
)

_UNITS = listed(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
    """
)
_ORDINALS = listed(
    """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
    """
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_TENTHS = [
    "twentieth",
    "thirtieth",
    "fortieth",
    "fiftieth",
    "sixtieth",
    "seventieth",
    "eightieth",
    "ninetieth",
]
NUMBERS = {
    **{word: number for words in (_UNITS, _ORDINALS) for number, word in enumerate(words)},
    **{word: 10 * number for words in (_TENS, _TENTHS) for number, word in enumerate(words, start=2)},
    **{f"{word[:-1]}ies": 10 * number for number, word in enumerate(_TENS, start=2)},
    "half": 2, "halves": 2, "thirds": 3, "fourths": 4, "fifths": 5, "sixths": 6, "eighths": 8, "tenths": 10,
    "hundred": 100, "hundreds": 100, "hundredth": 100, "thousand": 1_000, "thousandth": 1_000,
    "million": 1_000_000, "billion": 1_000_000_000,
}  # fmt: skip
_FIGURES = re.compile(r"[0-9]{1,6}")
_SCALES = frozenset({"hundred", "thousand", "million", "billion"})
GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        [
            "alpha",
            "beta",
            "gamma",
            "delta",
            "epsilon",
            "zeta",
            "eta",
            "theta",
            "iota",
            "kappa",
            "lambda",
            "mu",
            "nu",
            "xi",
            "omicron",
            "pi",
            "rho",
            "sigma",
            "tau",
            "upsilon",
            "phi",
            "chi",
            "psi",
            "omega",
        ],
        strict=True,
    )
)
SHORT = {
    "dr": "doctor", "st": "saint", "ste": "saint", "mt": "mount", "ft": "fort", "vs": "versus",
    "v": "versus", "jr": "junior", "sr": "senior", "prof": "professor", "gen": "general", "capt": "captain",
    "col": "colonel", "cm": "centimeter", "centimetre": "centimeter", "mm": "millimeter", "km": "kilometer",
    "kilometre": "kilometer", "metre": "meter", "nm": "nanometer", "nanometre": "nanometer",
    "kg": "kilogram", "hz": "hertz", "no": "number", "nr": "number", "op": "opus", "pt": "part",
    "vol": "volume", "bros": "brothers", "intl": "international", "govt": "government",
    "dept": "department", "univ": "university", "mr": "mister", "mrs": "missus", "okay": "ok",
    "tv": "television", "grey": "gray", "tsar": "czar", "tzar": "czar", "csar": "czar", "percent": "%",
    "sqrt": "root", "mont": "mount", "feb": "february", "apr": "april", "aug": "august",
    "sept": "september", "oct": "october", "nov": "november", "dec": "december",
    "koran": "quran", "qoran": "quran", "&": "and", "plus": "+", "minus": "negative", "moslem": "muslim",
    "aluminium": "aluminum", "caesium": "cesium", "sulphur": "sulfur", "feet": "foot", "men": "man",
    "women": "woman", "children": "child", "mice": "mouse", "geese": "goose", "teeth": "tooth",
    "oxen": "ox", "lice": "louse", "people": "person", "wives": "wife", "knives": "knife", "wolves": "wolf",
    "leaves": "leaf", "lives": "life", "loaves": "loaf", "thieves": "thief", "elves": "elf",
    "dwarves": "dwarf", "halves": "half", "calves": "calf", "shelves": "shelf", "criteria": "criterion",
    "phenomena": "phenomenon", "mitochondria": "mitochondrion", "automata": "automaton", "genera": "genus",
    "matrices": "matrix", "vertices": "vertex", "indices": "index", "vortices": "vortex",
    "corpora": "corpus", "octopi": "octopus", "cacti": "cactus", "fungi": "fungus", "nuclei": "nucleus",
    "radii": "radius", "stimuli": "stimulus", "alumni": "alumnus", "bacilli": "bacillus", "foci": "focus",
    "loci": "locus", "bacteria": "bacterium", "spectra": "spectrum", "quanta": "quantum",
    "strata": "stratum", "media": "medium", "data": "datum", "curricula": "curriculum",
    "memoranda": "memorandum", "ova": "ovum", "larvae": "larva", "antennae": "antenna", "nebulae": "nebula",
    "formulae": "formula", "algae": "alga", "vertebrae": "vertebra", "supernovae": "supernova",
    "axes": "axis", "crises": "crisis", "theses": "thesis", "hypotheses": "hypothesis", "bases": "basis",
    "oases": "oasis", "analyses": "analysis", "syntheses": "synthesis", "metastases": "metastasis",
}  # fmt: skip
"""Short and irregular forms, by what they are compared as."""

_MUHAMMAD = re.compile(r"m[ou]h+a?m+[aeiou]t?d|mahomet|mahommed")


class SpokenWord(msgspec.Struct, frozen=True):
    """A word of a name or of a typed answer.

    ``text`` is its normal form and ``raw`` its letters as they stand; ``number`` is its value where it is a
    number. ``stem`` is the required beginning of a word of which only a part is required.
    """

    text: str
    raw: str
    number: str = ""
    span: Span = Span(0, 0)
    required: bool = False
    optional: bool = False
    stem: str = ""
    spelled: bool = False  # whether the number was a word
    initial: bool = False  # whether it is the initial of a name, with its stop: "A." is no article

    @property
    def light(self) -> bool:
        """Whether nothing depends on it."""
        return self.text in LIGHT and not self.initial


@lru_cache(maxsize=50_000)
def folded(raw: str) -> str:
    """``raw`` in plain lower-case letters and digits; a lone Greek letter by its name."""
    lower = raw.lower()
    if lower in GREEK:
        return GREEK[lower]
    return _NOT_ALNUM.sub("", anyascii(raw).lower()) or raw


@lru_cache(maxsize=50_000)
def singular(word: str) -> str:
    """``word`` without the ending of a plural, well enough to compare by."""
    if word in SHORT:
        return SHORT[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return "muhammad" if word[0] == "m" and _MUHAMMAD.fullmatch(word) else word


@lru_cache(maxsize=20_000)
def spoken_words(text: str) -> tuple[SpokenWord, ...]:
    """The words of ``text``, numbers put together: "nineteen eighty-four" is one word with the value 1984.

    At most :data:`MOST_WORDS` and one more, so that a longer text can be told.
    """
    return _first_words(text, MOST_WORDS)


@lru_cache(maxsize=200)
def words_read(text: str) -> str:
    """All words of a ``text`` that was read, as :func:`verbatim` has them."""
    return verbatim(_first_words(text, len(text)))


def _first_words(text: str, most: int) -> tuple[SpokenWord, ...]:
    found: list[SpokenWord] = []
    initials = _INITIALS.match(text)
    for match in _WORD.finditer(text):
        if len(found) > most:
            break
        if initials is not None and match.end() <= initials.end():
            letter = folded(match.group())
            found.append(SpokenWord(letter, letter, span=Span(match.start(), match.end()), initial=True))
        elif match.group() == "v" and text.startswith(". ", match.end()):  # "Roe v. Wade"
            found.append(SpokenWord("versus", "v", span=Span(match.start(), match.end())))
        else:
            found += _words_in(match.group(), match.start())
    return tuple(_put_together(_as_fraction(found)))


FRACTIONS = {
    "half": "2",
    "halves": "2",
    "third": "3",
    "quarter": "4",
    "quarters": "4",
    "fourth": "4",
    "fifth": "5",
}


def _as_fraction(words: list[SpokenWord]) -> list[SpokenWord]:
    """The words, or the two numbers of the fraction that they are: "half", "a third", "three quarters"."""
    last = words[-1] if words else None
    parts = None if last is None else FRACTIONS.get(last.raw)
    if last is None or parts is None or len(words) > 2:
        return words
    part = replace(last, text=parts, number=parts, spelled=True)
    if len(words) == 2 and words[0].number:
        return [words[0], part]
    whole = last.raw in {"half", "halves", "quarter"} if len(words) == 1 else words[0].raw == "a"
    return [replace(part, text="1", raw="1", number="1"), part] if whole else words


def _words_in(raw: str, start: int) -> Iterator[SpokenWord]:
    if raw in _ACCIDENTALS:
        yield SpokenWord(_ACCIDENTALS[raw], _ACCIDENTALS[raw], span=Span(start, start + len(raw)))
        return
    if raw in _MINUS:
        yield SpokenWord("negative", "negative", span=Span(start, start + len(raw)))
        return
    plain = raw.translate(_APOSTROPHES)
    head, mark, tail = plain.partition("'")
    if mark and tail.lower() == "s":
        raw = head
    elif mark and head.lower() in ELIDED and tail:
        yield SpokenWord(head.lower(), head.lower(), span=Span(start, start + len(head)))
        start += len(head) + 1
        raw = tail
    span = Span(start, start + len(raw))
    if raw[0].isdigit() and raw.isascii() and not raw.isalnum():
        value = raw.replace(",", "") if "." not in raw else raw
        yield SpokenWord(value, value, value, span)
        return
    letters = folded(raw)
    digits = _DIGITS_FIRST.fullmatch(letters)
    if digits is not None and digits[2] not in {"st", "nd", "rd", "th", "s"}:
        middle = start + len(digits[1])
        yield SpokenWord(digits[1], digits[1], _value(digits[1]), Span(start, middle))
        yield SpokenWord(singular(digits[2]), digits[2], span=Span(middle, span.end))
        return
    if digits is not None:
        yield SpokenWord(_value(digits[1]), letters, _value(digits[1]), span)
        return
    if letters.isdigit():
        yield SpokenWord(_value(letters), letters, _value(letters), span)
        return
    number = NUMBERS.get(letters)
    if number is not None:
        yield SpokenWord(str(number), letters, str(number), span, spelled=True)
        return
    roman = _roman(letters)
    if roman:
        yield SpokenWord(str(roman), letters, str(roman), span)
        return
    yield SpokenWord(singular(letters), letters, span=span)


def _value(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _roman(letters: str) -> int:
    """The value of a Roman number up to 89; 0 if it is none, or a word such as "l"."""
    if letters == "l" or not letters or not _ROMAN.fullmatch(letters):
        return 0
    values = {"i": 1, "v": 5, "x": 10, "l": 50}
    total = 0
    for one, after in zip(letters, [*letters[1:], ""], strict=True):
        total += -values[one] if after and values[one] < values[after] else values[one]
    return total


def _put_together(words: Sequence[SpokenWord]) -> Iterator[SpokenWord]:
    """The words with numbers of several words as one."""
    at = 0
    while at < len(words):
        end, value = at, 0
        if words[at].spelled or _is_scaled(words, at):
            end, value = _number_from(words, at)
        if end > at + 1:
            raw = "".join(word.raw for word in words[at:end])
            yield SpokenWord(str(value), raw, str(value), Span(words[at].span.start, words[end - 1].span.end))
        else:
            yield words[at]
        end = max(end, at + 1)
        at = end


def _is_scaled(words: Sequence[SpokenWord], at: int) -> bool:
    """Whether it is a number in figures before one in letters, such as "100 million"."""
    scaled = at + 1 < len(words) and words[at + 1].raw in _SCALES
    return scaled and _FIGURES.fullmatch(words[at].number) is not None


def _number_from(words: Sequence[SpokenWord], at: int) -> tuple[int, int]:
    """Where a number that is spelled from ``at`` ends, and its value."""

    def small(at: int) -> tuple[int, int]:
        """A number below 100."""
        value = int(words[at].number)
        follows = at + 1 < len(words) and words[at + 1].spelled
        if 20 <= value < 100 and value % 10 == 0 and follows and 0 < int(words[at + 1].number) < 10:
            return at + 2, value + int(words[at + 1].number)
        return at + 1, value

    total = 0
    end, value = small(at)
    while end < len(words) and words[end].spelled and words[end].raw[0] in "htmb":
        scale = int(words[end].number)
        if scale < 100 or value >= scale:
            break
        value *= scale
        end += 1
        if scale > 100:
            total, value = total + value, 0
        after = end + (end + 1 < len(words) and words[end].text == "and" and words[end + 1].spelled)
        if after < len(words) and words[after].spelled and int(words[after].number) < 100:
            end, more = small(after)
            value += more
    if total + value < 100 and value >= 10:
        no_ten = end + 1 < len(words) and words[end].raw in {"o", "oh"}  # nineteen oh five
        if end + no_ten < len(words) and words[end + no_ten].spelled:
            year_end, year = small(end + no_ten)
            if 0 < year < 10 if no_ten else 10 <= year < 100:
                return year_end, value * 100 + year
    return end, total + value


def words_of_name(name: AnswerName) -> tuple[SpokenWord, ...]:
    """The words of a name of an answer line, with what is required and what is optional."""
    found = []
    for word in spoken_words(name.text)[:MOST_WORDS]:
        start, end = word.span.start, word.span.end
        parts = [one for one in name.required if one.start < end and one.end > start]
        optional = any(one.start <= start and end <= one.end for one in name.optional)
        stem = ""
        if parts and not word.number and parts[0].start <= start and parts[0].end < end:
            stem = folded(name.text[start : parts[0].end])
        found.append(replace(word, required=bool(parts), optional=optional and not parts, stem=stem))
    return tuple(found)


def squashed(words: Iterable[SpokenWord]) -> str:
    """The letters of words without the spaces between them; light words left out, but not in "U.A.E."."""
    found = list(words)
    spelled = all(len(word.raw) == 1 for word in found)
    return "".join(
        word.raw if spelled else word.number or word.raw for word in found if spelled or not word.light
    )


def verbatim(words: Iterable[SpokenWord]) -> str:
    """Words as they are, articles included, for comparison by letters."""
    return " ".join(word.number or word.raw for word in words)


def is_fragment(word: SpokenWord) -> bool:
    """Whether a word is too short to be told apart from a piece of another."""
    return (
        len(word.raw) == 2 and not word.number and not word.light and word.raw not in PARTICLES | {"mc", "mt"}
    )


def part_turned(words: tuple[SpokenWord, ...]) -> tuple[SpokenWord, ...]:
    """A part of a play with a numbered ruler, called the other way; empty for all other names.

    *Henry IV, Part 1* is called *1 Henry IV*, too.
    """
    parts = {"1", "2", "3"}
    if len(words) < 3:
        return ()
    if words[-1].number in parts and words[-2].text == "part" and words[-3].number:
        return (words[-1], *words[:-2])
    if words[0].number in parts and words[-1].number and not words[1].number:
        part = replace(spoken_words("part")[0], required=words[0].required, span=words[0].span)
        return (*words[1:], part, words[0])
    return ()


def first_letters(words: Sequence[SpokenWord], content: Sequence[SpokenWord]) -> frozenset[str]:
    """The first letters of ``words``, of those that count, and the letters that alone are required."""
    found = set()
    letters = [word.stem for word in words if word.required]
    if len(letters) > 1 and all(len(letter) == 1 for letter in letters):
        found.add("".join(letters))
    articles = {"the", "a", "an"}
    for chosen in (
        words,
        content,
        [word for word in words if word.text not in articles],
        [word for word in content if not word.optional],
    ):
        if sum(not word.number for word in chosen) < 2 or len(chosen) < 3:
            continue
        first = "".join(
            word.raw if word.number and word.raw != word.number else word.raw[0] for word in chosen
        )
        found.add(first)
        found.add("".join(word.number or word.raw[0] for word in chosen))
    return frozenset(found)
