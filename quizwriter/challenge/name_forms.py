"""The ways to write a person's name, and when such letters in a text count as the name.

Three kinds of text differ. In **prose**, such as a question, a first or last name alone says nothing,
because questions are about people. In **remarks**, which people write to each other, a first or last name
alone counts. In a **tag**, ``<JD, Literature>``, initials count too.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterator
from functools import cached_property
from itertools import pairwise
from operator import itemgetter

import msgspec

from quizwriter.challenge.name_texts import FILE_NAME, bracketed, latin_letters, one_servant
from quizwriter.challenge.nicknames import cut_names, is_given_name, nicknames_of
from quizwriter.domain.answer_line.words import words_of
from quizwriter.services.look_alikes import plain_letters

SHORTEST_PART = 2
"""Letters of a first or last name that is looked for alone."""
_SHORTEST_DOUBLE = 10  # letters of two last names together
_SHORTEST_CUT_ALONE = 4  # letters of a part of a first name
_LONGEST_FAMILY = 6  # letters of what may be a last name in front, as in Nguyễn Thị Minh Khai
_LONGEST_INITIALS = 3  # letters of what may be initials
_SHORTEST_SHOUT = 20  # letters of a text of which it matters that most are capitals
_SHORTEST_SHOUTED = 3  # letters of a last name in capitals that counts in prose

WORD = re.compile(r"[^\W_]+")
"""A run of letters and digits."""
_BETWEEN_PARTS = re.compile(r"[-\s]")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_IDEOGRAPHS = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]{2,4}")
_UMLAUTS = {
    ord(one): two
    for one, two in zip(
        "äöüøåÄÖÜØÅ", ["ae", "oe", "ue", "oe", "aa", "Ae", "Oe", "Ue", "Oe", "Aa"], strict=True
    )
}
_UMLAUT = re.compile("[äöüøåÄÖÜØÅ]")
_PARTS_SENTENCES = re.compile(r"[;!?]")
_TAG = re.compile(r"<([^<>]{1,200})>")


COMMON_WORDS = words_of(
    """
    abbey ace amber angel apple april archer art ash aster august autumn baker ball banks barber barn bass
    bay beach bean bear bell berry best bird bishop black blank bliss block bloom blue bolt bond book
    booth bow bowl box boy branch brand bridge bright brook brooks brown buck bull burn burns bush butcher
    butler camp cannon card carpenter carter case cash castle chance chapel chase cherry christian church
    clay cliff close coal cock cole cook cool coral corn court cox crane cross crow crown curry cutter
    daisy dale dawn day dean dear destiny dial diamond dick dove drake draper driver duke earl early east
    eve faith fall farmer faulty fern field fish fisher fishes flag fleet flint flood flower ford forest
    forge forth foster fox frank free freeman fry gable gale game gates gay gene german gold good gore
    grace grant gray green grove guy hale hall ham hand harbor hardy harm harp harry hart haven hawk hay
    hazel head heard heath hill holiday holly holmes home honor hood hook hope horn house hunt hunter iris
    iron ivory ivy jack jade jasmine jay joy judge june justice keen key king kit knight lace lake lamb
    lance land lane lark law lead leaf lee lily little lock long lord love low luck mace major man mark
    market marsh mason may mercy merry mews miles mill miller mint monk moon moor more morning moss mount
    myrtle nail neck news nick noble north oak oaks olive opal page palm park parks parson pastor patience
    pearl penny pepper piper pitt pole pool poor pope porter post potter power price pride prince proctor
    prudence queen quick rain ray read red reed reeves rice rich ridge ring rise river rivers rob robin
    rock rod rose rosemary round rowan ruby rush rusty sage sail sand savage say seal self sharp shell
    sheriff shields ship short silver singer sky slate small smart smith snow song south spark speed
    spring stack stage star steel stem stern stone storm strange street strong sue summer sun swan sweet
    swift tailor tall taylor temple terry thorn tiger todd towers town trent trip true tucker turner twist
    tyler usher vale victor viola violet vista wade wales walk walker wall walls ward ware waters way
    weaver webb week well wells west wheat wheeler white wild will willow win wind wine winter wise wolf
    wood woods woody word words work worth wren wright young
    """
)
"""NameParts that are English words: in small letters they mean the word."""


def letters_only(text: str) -> str:
    """The letters and digits of ``text``, in lower case and without anything between."""
    return "".join(WORD.findall(text)).casefold()


class _Token(msgspec.Struct, frozen=True):
    """A run of letters of one case pattern, or of digits, in a text of plain letters."""

    raw: str
    low: str
    start: int
    end: int
    word: tuple[int, int]  # the whole run of letters and digits that it is in


class SearchedText(msgspec.Struct, frozen=True, dict=True):
    """A text of plain letters to search: its kind, and its tokens, of which the places and small letters."""

    plain: str
    remark: bool
    spans: tuple[tuple[int, int], ...]
    lows: tuple[str, ...]

    @classmethod
    def of(cls, plain: str, *, remark: bool) -> SearchedText:
        spans = tuple([hump.span() for hump in _HUMPS.finditer(plain)])
        return cls(plain, remark, spans, tuple([plain[start:end].casefold() for start, end in spans]))

    def without_initials(self) -> SearchedText:
        """The text without the tokens that are a capital letter alone, with or without a full stop."""
        initials = {
            number
            for number, (start, end) in enumerate(self.spans)
            if end - start == 1 and self.plain[start].isupper() and self.plain[end : end + 1] in {".", " "}
        }
        if not initials:
            return self
        kept = [number for number in range(len(self.spans)) if number not in initials]
        spans, lows = [self.spans[number] for number in kept], [self.lows[number] for number in kept]
        return SearchedText(self.plain, self.remark, tuple(spans), tuple(lows))

    def tokens(self, first: int, last: int) -> list[_Token]:
        """The tokens from the first to the last number, both included."""
        return self._tokens[first : last + 1]

    @cached_property
    def _tokens(self) -> list[_Token]:
        return [
            _Token(self.plain[start:end], low, start, end, self._word(start))
            for (start, end), low in zip(self.spans, self.lows, strict=True)
        ]

    def _word(self, start: int) -> tuple[int, int]:
        return self._words[bisect_right(self._words, start, key=itemgetter(0)) - 1]

    @cached_property
    def _words(self) -> list[tuple[int, int]]:
        return [word.span() for word in WORD.finditer(self.plain)]

    @cached_property
    def _tags(self) -> list[tuple[int, int]]:
        return [found.span() for found in _TAG.finditer(self.plain)]

    @property
    def has_tags(self) -> bool:
        return bool(self._tags)

    def in_tag(self, start: int) -> bool:
        at = bisect_left(self._tags, (start, 0)) - 1
        return at >= 0 and start < self._tags[at][1]

    @cached_property
    def shouted(self) -> bool:
        """Whether most of the text is in capitals."""
        letters = sum(map(str.isalpha, self.plain))
        return 2 * sum(map(str.isupper, self.plain)) > letters > _SHORTEST_SHOUT

    @cached_property
    def file_name(self) -> bool:
        return self.remark and FILE_NAME.fullmatch(self.plain.strip()) is not None

    def between(self, first: _Token, second: _Token) -> str:
        return self.plain[first.end : second.start]


_Rule = Callable[[SearchedText, int, int], bool]
"""Whether the tokens from the first to the last number, both included, are this form in this text."""


class NameForm(msgspec.Struct, frozen=True):
    """A way to write a person's name: its letters, and when they count."""

    given: str
    alone: bool
    counts: _Rule


# -- when the letters of a form count


def always_counts(text: SearchedText, first: int, last: int) -> bool:
    """The rule of whole names and handles, which no end of a sentence parts."""
    for one, two in pairwise(text.tokens(first, last)):
        gap = text.between(one, two)
        if _PARTS_SENTENCES.search(gap) or (gap == ". " and len(one.raw) > 1):
            return False
    return True


def _initial_counts(initials: str, *, before: bool) -> _Rule:
    """The rule of ``jdoe``, ``j.doe`` and ``J. Doe``, or not ``before``: of ``doej`` and ``Doe, J.``"""

    def counts(text: SearchedText, first: int, last: int) -> bool:
        tokens = text.tokens(first, last)
        gaps = [text.between(one, two) for one, two in pairwise(tokens)]
        lone = text.remark or text.in_tag(tokens[0].start)
        if not any(gaps):
            start, end = tokens[0].word
            behind = text.plain[tokens[-1].end : end]
            whole_word = tokens[0].start == start and (not behind or behind.isdigit())
            word = "".join(one.low for one in tokens)
            return whole_word and (lone or (len(word) > 3 and word not in COMMON_WORDS))
        cut = len(initials) if before else len(tokens) - len(initials)
        if not 0 < cut < len(tokens):
            return False
        letters, rest = (tokens[:cut], tokens[cut:]) if before else (tokens[cut:], tokens[:cut])
        if "".join(one.low for one in letters) != initials:  # cut elsewhere, as in "jd oe"
            return False
        capital = rest[0].raw[:1].isupper()
        if not any(map(_has_space, gaps)):  # a handle, but no possessive: "Berkeley's"
            return "'" not in gaps[cut - 1] and (lone or capital or "-" not in gaps[cut - 1])
        if not all(one.raw.isupper() for one in letters):
            return lone
        if not before:
            dotted = capital and text.plain[tokens[-1].end :][:1] == "."
            return (
                lone
                or "," in gaps[cut - 1]
                or (dotted and not text.plain[tokens[-1].end + 1 :][1:2].isupper())
            )
        (earlier,) = text.tokens(first - 1, first - 1) if first else (None,)
        if earlier is not None and len(earlier.raw) == 1 and text.between(earlier, tokens[0]).startswith("."):
            return False  # "D. H. Lawrence" is no H. Lawrence
        return lone or "." in gaps[cut - 1] or (capital and letters[0].raw not in {"A", "I", "O"})

    return counts


def _has_space(gap: str) -> bool:
    return any(map(str.isspace, gap))


def _first_and_initial_counts(text: SearchedText, first: int, last: int) -> bool:
    """The rule of ``janed`` and ``Jane D.``, which are common in prose."""
    tokens = text.tokens(first, last)
    if not (text.remark or text.in_tag(tokens[0].start)):  # in prose only "JaneD"
        glued = len(tokens) == 2 and tokens[0].word == (tokens[0].start, tokens[1].end)
        return glued and len(tokens[0].raw) > 3 and tokens[0].raw.istitle() and tokens[1].raw.isupper()
    if first == last:
        return tokens[0].low not in COMMON_WORDS and not tokens[0].low.endswith("s")
    return tokens[-1].raw.isupper()


def _part_counts(text: SearchedText, first: int, last: int) -> bool:
    """The rule of a first or last name alone."""
    tokens = text.tokens(first, last)
    if any(text.between(one, two) not in {"", "-", " ", "'"} for one, two in pairwise(tokens)):
        return False
    if tokens[0].word[0] != tokens[0].start and tokens[0].raw.islower():
        return False
    start, end = tokens[0].start, tokens[-1].end
    if text.in_tag(start):
        return True
    letters = end - start
    if text.file_name:
        return letters >= SHORTEST_PART
    if text.remark:
        return letters >= SHORTEST_PART and (
            tokens[0].raw[:1].isupper()
            or (letters > 3 and tokens[0].low not in COMMON_WORDS)
            or (not text.plain[:start].strip() and text.plain[end : end + 1] == ":")
        )
    return (
        letters >= _SHORTEST_SHOUTED
        and not text.shouted
        and all(one.raw.isupper() for one in tokens)
        and tokens[0].word == (start, end)
        and "-" not in (text.plain[start - 1 : start], text.plain[end : end + 1])
        and not _in_quotes(text.plain, start, end)
    )


def last_counts(text: SearchedText, first: int, last: int) -> bool:
    return _part_counts(text, first, last)


def _first_counts(text: SearchedText, first: int, last: int) -> bool:
    lone = text.remark or text.in_tag(text.spans[first][0])
    return lone and _part_counts(text, first, last)


def _short_counts(text: SearchedText, first: int, last: int) -> bool:
    """The rule of the beginning or the end of a first name: in a remark that is said to that person."""
    if not text.remark or first != last:
        return False
    (token,) = text.tokens(first, last)
    if token.word != (token.start, token.end):
        return False
    begins = not text.plain[: token.start].strip()
    return begins and (token.raw[:1].isupper() or text.plain[token.end : token.end + 1] == ":")


def _one_name_counts(text: SearchedText, first: int, last: int) -> bool:
    """The rule of people of whom only one name is known; a short one may be initials."""
    (token,) = text.tokens(first, first)
    if text.spans[last][1] - token.start <= _LONGEST_INITIALS:
        return (text.remark or text.in_tag(token.start)) and token.raw.isupper()
    return _part_counts(text, first, last) or token.raw[:1].isupper() or token.low not in COMMON_WORDS


def _glued_counts(text: SearchedText, first: int, last: int) -> bool:
    """The rule of a shortened first name that is run together with the last, as handles have it."""
    return not any(_has_space(text.between(*pair)) for pair in pairwise(text.tokens(first, last)))


def _in_quotes(text: str, start: int, end: int) -> bool:
    """Whether a word stands in quotation marks in a bracket, as a pronunciation guide does."""
    return text[max(0, start - 1) : start] in {'"', "“"} and text[end : end + 1] in {'"', "”"}


_INITIALS = re.compile(
    r"(?<![^\W\d_])(?:[^\W\d_]{2,4}(?![^\W\d_'’])|(?:[^\W\d_]\. ?){2,4}|[A-Z]-[A-Z] ?[A-Z](?![^\W_]))"
)
_BEFORE_FIELD, _AFTER_FIELD = frozenset("<,|/:;-–—"), frozenset(">,|/:;-–—")
_SIGNED = re.compile(r"[-–—~/+&]\s*\Z|[.!?][\"”’)\]]?\s+\Z")
_SIGNED_NOTE = re.compile(r"\s[-–—~]{1,2}\s?\Z")
_SPEAKS = re.compile(r"\s?:|\s(?:says|said|thinks|wants|wrote|asks|agrees|likes|did|has|is|to)\b")
_SIGNED_TOO = re.compile(r"(?:\s?[+&/,]\s?[A-Z]{2,4}){0,9}[ .\n]*")  # behind initials at the end
_BESIDE_INITIALS = re.compile(
    r"[\W\d_]*(?:(?:written|edited|ed|by|wr|writer|author|editor|from|via|for|and|(?-i:[A-Z]{2,4}))\b[\W\d_]*){0,4}",
    re.IGNORECASE,
)
_LONGEST_SIGNATURE = 30  # characters


def initials_in(text: SearchedText, known: Container[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The ``known`` initials where people leave them: the small letters, and the place.

    In a tag they are in capitals or a field alone; in a remark, and in the name of a file in any case, they
    are a word; in prose they are in brackets alone, or signed at the end.
    """
    plain = text.plain
    small_too = text.remark or text.has_tags
    letters_once = {_small(one) for one in set(_INITIALS.findall(plain)) if small_too or one.isupper()}
    if not any(one in known for one in letters_once):
        return
    signatures: list[tuple[int, int]] | None = None
    for found in _INITIALS.finditer(plain):
        letters = _small(found[0])
        if letters not in known:
            continue
        if signatures is None:
            signatures = [span for span in bracketed(plain) if span[1] - span[0] <= _LONGEST_SIGNATURE]
        start, end = found.span()
        end = start + len(found[0].rstrip())
        before, after = plain[max(0, start - 8) : start], plain[end : end + 8]
        capital = found[0].isupper()
        if text.in_tag(start):
            field = before.rstrip()[-1:] in _BEFORE_FIELD and after.lstrip()[:1] in _AFTER_FIELD
            counts = capital or field
        elif text.remark:
            speaks = not before.strip() and _SPEAKS.match(plain, end) is not None
            counts = text.file_name or speaks or (capital and not text.shouted)
        else:
            at = bisect_right(signatures, start, key=itemgetter(0)) - 1
            inside = signatures[at] if at >= 0 and start < signatures[at][1] else None
            counts = capital and (
                (inside is None and bool(_SIGNED_TOO.fullmatch(plain, end) and _SIGNED.search(before)))
                or (
                    inside is not None
                    and _SIGNED_NOTE.search(before) is not None
                    and not plain[end : inside[1]].strip(". ")
                )
                or (
                    inside is not None
                    and _BESIDE_INITIALS.fullmatch(plain, inside[0], start) is not None
                    and _BESIDE_INITIALS.fullmatch(plain, end, inside[1]) is not None
                )
            )
        if counts:
            yield letters, (start, end)


def _small(initials: str) -> str:
    return initials.casefold() if initials.isalpha() else letters_only(initials)


_RUN_TOGETHER = re.compile(
    r"(?<![^\W_])[^\W\d_]{3,20}(?=s?(?:set|pack|pick|question|tossup|round|open|final|edit|scien|lit|hist|art|team|"
    r"tourn|fest|bowl|cup|mania|palooza))",
    re.IGNORECASE,
)


def run_together(text: SearchedText) -> Iterator[tuple[str, tuple[int, int]]]:
    """What may be a name in front of a word for work, as in *grantset*: the letters, and the place."""
    for found in _RUN_TOGETHER.finditer(text.plain):
        low = found[0].lower()
        yield low, found.span()
        yield low.removesuffix("s"), found.span()


# -- the forms of a person's name


class NameParts(msgspec.Struct, frozen=True):
    """The parts of a person's name in plain small letters; each may have several ways."""

    first: tuple[str, ...]
    middle: str
    last: tuple[str, ...]
    initials: str  # of the first and middle names
    short_initials: frozenset[str]  # two or more: of all names, and of the first and any last name

    @classmethod
    def of(cls, given: str, read: Callable[[str], str] = plain_letters) -> NameParts:
        """The parts of the name ``given``, in the letters that ``read`` makes of it."""
        from nameparser import HumanName

        def letters(part: str) -> str:
            return letters_only(read(part))

        parsed = HumanName(given)
        firsts = [letters(one) for one in (parsed.first, parsed.nickname)]
        lasts = [letters(parsed.last)]
        for ways, whole in ((firsts, parsed.first), (lasts, parsed.last)):
            parts = [letters(part) for part in _BETWEEN_PARTS.split(whole)]
            ways += [part for part in parts if len(part) > 3]
        middle = [letters(one) for one in parsed.middle.split()]
        called = [firsts[0], *middle]
        if all(len(one) == 1 for one in called):  # T. J. is called TJ
            firsts.append("".join(called))
        # the first of two last names is no middle name
        lasts += [one for one in middle if len(one) > 3 and not is_given_name(one)]
        pieces = [letters(part)[:1] for part in _BETWEEN_PARTS.split(parsed.last)]
        begin = "".join(one[:1] for one in (firsts[0], *middle))
        hyphened = "".join(letters(part)[:1] for part in _BETWEEN_PARTS.split(parsed.first))
        short = {begin + "".join(pieces), begin + pieces[0]}
        short |= {letter + one[:1] for letter in (firsts[0][:1], hyphened) for one in (*pieces, *lasts)}
        return cls(
            tuple(dict.fromkeys(filter(None, firsts))),
            "".join(middle),
            tuple(dict.fromkeys(filter(None, lasts))),
            begin,
            frozenset(one for one in short if len(one) > 1),
        )

    @property
    def called(self) -> frozenset[str]:
        """The nicknames of the first names."""
        return frozenset().union(*map(nicknames_of, self.first))


def read_names(given: str) -> Iterator[NameParts]:
    """The parts of the name ``given`` in the letters it looks like, and in those it sounds like."""
    if _IDEOGRAPHS.fullmatch(given):  # the family comes first, and has one sign
        given = " ".join(map(latin_letters, (given[1:], given[0])))
    looks, sounds = NameParts.of(given), NameParts.of(given, latin_letters)
    yield looks
    if (servant := one_servant(given)) != given:
        yield NameParts.of(servant)
    if sounds != looks:
        yield sounds
    if _UMLAUT.search(given):
        yield NameParts.of(given.translate(_UMLAUTS))
    family, _, called = given.partition(" ")
    if (
        0 < len(family) <= _LONGEST_FAMILY
        and called.replace(" ", "").isalpha()
        and not is_given_name(letters_only(plain_letters(family)))
    ):
        yield NameParts.of(f"{called} {family}")


def name_forms(given: str, names: NameParts) -> Iterator[tuple[str, NameForm]]:
    """The ways to write the name ``given`` with the parts ``names``: the letters, and the form."""
    whole = NameForm(given, False, always_counts)
    if not names.first or not names.last:
        yield letters_only(plain_letters(given)), NameForm(given, False, _one_name_counts)
        return
    first = names.first[0]
    for last in names.last:
        for one in names.first:
            yield one + last, whole
            yield last + one, whole
            yield one + last[0], NameForm(given, True, _first_and_initial_counts)
        if names.middle:
            yield first + names.middle + last, whole
            yield first + names.initials[1:] + last, whole
            yield last + first + names.middle, whole
            yield last + first + names.initials[1:], whole
            yield names.middle + last + first, whole
            if len(names.middle) > 1:
                yield names.middle + last, whole
        for initials in dict.fromkeys((first[0], names.initials)):
            yield initials + last, NameForm(given, False, _initial_counts(initials, before=True))
            yield last + initials, NameForm(given, False, _initial_counts(initials, before=False))
        if len(last) >= SHORTEST_PART:
            yield last, NameForm(given, True, last_counts)
        for one in names.called:
            yield one + last, whole
            yield last + one, whole
        for one in frozenset().union(*map(cut_names, names.first)):
            yield one + last, NameForm(given, False, _glued_counts)
    if len(names.last[0]) >= _SHORTEST_DOUBLE and len(names.last) > 1:  # both of two last names
        yield names.last[0], whole
    for one in (*names.first, *names.called):
        if len(one) >= SHORTEST_PART:
            yield one, NameForm(given, True, _first_counts)
    for one in frozenset().union(*map(cut_names, (*names.first, *names.called))):
        if len(one) >= _SHORTEST_CUT_ALONE and one not in COMMON_WORDS:
            yield one, NameForm(given, True, _short_counts)
