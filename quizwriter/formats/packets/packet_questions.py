"""The questions of packets: a text with its power mark and an answer line, made of styled text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.review import name_key
from quizwriter.domain.span import Span
from quizwriter.domain.styles import PLAIN, LetterStyle, TextStyles
from quizwriter.domain.tossup import Tossup
from quizwriter.formats.packet_tags import PLACES, are_initials, labelled_people, lone_name, split_tags
from quizwriter.formats.packets.styled_lines import StyledText, is_whole
from quizwriter.formats.question_files import SHORTEST
from quizwriter.system.english_words import is_listed

LONGEST_WORDS = 600
"""Words of the longest question believed in; beyond, answer lines are missing."""


class PacketTossup(msgspec.Struct, frozen=True):
    """A tossup of a packet, on one line; ``power`` stands in the text as ``(*)``."""

    number: str  # as printed: "5", "TB"; empty where there is none
    text: str
    answer: str  # the whole answer line, directions included
    tag: str  # the category or author between angle brackets
    place: int
    styles: TextStyles = PLAIN  # of the text; the bold of a power is none
    answer_styles: TextStyles = PLAIN
    based_on: str = ""  # the past question that it was begun with, where the packet says so


class PacketBonus(msgspec.Struct, frozen=True):
    """A bonus: what is read first, and pairs of a part's text and its answer line."""

    number: str
    leadin: str
    parts: tuple[tuple[str, str], ...]
    tag: str
    place: int


class UnreadQuestion(msgspec.Struct, frozen=True):
    """A question that could not be read, or not whole; ``place`` is a line or paragraph, from 1; 0: none."""

    place: int
    reason: str
    opening: str = ""


class Packet(msgspec.Struct):
    """What a packet holds; ``unit`` is what its places count."""

    unit: str
    tossups: list[PacketTossup] = msgspec.field(default_factory=list)
    bonuses: list[PacketBonus] = msgspec.field(default_factory=list)
    unread: list[UnreadQuestion] = msgspec.field(default_factory=list)
    odd: int = 0  # characters that no text can have; they were replaced or left out
    headings: int = 0  # lines that ask nothing: headings, notes, page numbers


def take_tags(packet: Packet) -> None:
    """Take the tags that are left behind the texts and answer lines of tossups off.

    A name that stands alone may be a part of the answer: it is a writer's behind a tag, or where the tags of
    the packet surely name the writer. Initials are where they stand behind several questions, too; but
    *Albany (NY)* and *Buffalo (NY)* or three *(WWI)* may be in one packet, so in such brackets only where
    initials end three texts or answer lines and half of them, and some that are no :data:`PLACES` several; or
    where two writers sign so several times, and then those of others who do it once, too.
    """
    for at, one in enumerate(packet.tossups):
        packet.tossups[at] = _tagged(one, split_tags(one.text), split_tags(one.answer))
    alone = [(lone_name(one.text), lone_name(one.answer)) for one in packet.tossups]
    seen = Counter(name_key(name) for ends in alone for name in {end[1] for end in ends if end})
    labelled = labelled_people(
        "; ".join(filter(None, (one.tag, *(tag for end in ends if end for tag in split_tags(end[0])[1]))))
        for one, ends in zip(packet.tossups, alone, strict=True)
    )
    usual = tuple(
        max(3, len(alone) / 2)
        <= len(names := [end[1] for end in place if end is not None and are_initials(end[1])])
        and any(seen[name_key(name)] > 1 for name in {*names} - PLACES)
        for place in zip(*alone, strict=True)
    )

    signing = Counter(
        end[1] for ends in alone for end in ends if end and are_initials(end[1]) and end[1] not in PLACES
    )
    writers = frozenset(signing) if sum(count > 1 for count in signing.values()) > 1 else frozenset()

    def without_name(text: str, end: tuple[str, str] | None, *, usual: bool) -> tuple[str, tuple[str, ...]]:
        if end is None:
            return text, ()
        before, name = end
        bare, tags = split_tags(before)
        often = are_initials(name) and seen[name_key(name)] > 1
        in_brackets = text[len(before) :].lstrip().startswith(("(", "["))
        signed = name in writers or (often and (usual or not in_brackets))
        if tags or name_key(name) in labelled or signed:
            return bare, (*tags, name)
        return text, ()

    for at, (one, ends) in enumerate(zip(packet.tossups, alone, strict=True)):
        text, answer = (
            without_name(words, end, usual=often)
            for words, end, often in zip((one.text, one.answer), ends, usual, strict=True)
        )
        packet.tossups[at] = _tagged(one, text, answer)


def _tagged(
    one: PacketTossup, text: tuple[str, tuple[str, ...]], answer: tuple[str, tuple[str, ...]]
) -> PacketTossup:
    tags = filter(None, (one.tag, *text[1], *answer[1]))
    return replace(one, text=text[0], answer=answer[0], tag="; ".join(tags))


_POWER = re.compile(
    r"(?:(?<!\s)\s++)?+[(\[]\s*+\\?+(?:[*\u2217\uff0a\u2217\u2731\u2605\u2606]{1,3}+|\+)\s*+[)\]]\s*+"
)
_WORTH_ABOVE = re.compile(
    r"\s*+[(\[]\s*+(?:\d{1,2}(?:\s*+/\s*+\d{1,2}){1,2}+(?:\s*+p(?:oin)?ts?\.?)?|\d{1,2}\s*+p(?:oin)?ts?\.?)\s*+[)\]]\s*+",
    re.IGNORECASE,
)
"""What a tossup is worth, before its text: *[15/10]*, *(10 points)*."""
_EMPHASIS = re.compile(r"(?<!\w)(__|[~_])(?=\S)([^~_]+?)(?<=\S)\1(?!\w)")
_BRACKETS = re.compile(r"[\[(][^\[\]()]*[\])]")


_LAST_LETTERS = re.compile(r"(?<![\w-])[^\W\d_]{2,20}(?=-\Z)")
_FIRST_LETTERS = re.compile(r"[^\W\d_]{2,20}(?![\w’'-])")


def _is_one_word(before: str, after: str) -> bool:
    """Whether the hyphen at the end of the line ``before`` only parts a word of the next line.

    Between two words it stays: *long-term* and *anti-communist* are words without it, too.
    """
    one, other = _LAST_LETTERS.search(before[-24:]), _FIRST_LETTERS.match(after)
    if one is None or other is None or not other[0].islower():
        return False
    from quizwriter.spelling import dictionaries  # late: few packets need it

    known, whole = dictionaries(), one[0] + other[0]
    if one[0] in known and other[0] in known:
        return False
    return whole in known or whole.casefold() in known or is_listed(whole.casefold())


def joined(texts: Iterable[StyledText]) -> StyledText:
    """The ``texts`` on one line, single-spaced; a word broken at its hyphen is whole again."""
    letters, codes = [""], [b""]
    for text in texts:
        more, before = text.stripped(), letters[-1]
        if before.endswith("-") and _is_one_word(before, more.text):
            letters[-1], codes[-1] = before[:-1], codes[-1][:-1]
        elif before and not (before.endswith("-") and before[-2:-1].isalnum() and more.text[:1].isalnum()):
            letters.append(" ")
            codes.append(bytes((codes[-1][-1] & more.codes[0],)) if more.codes else b"\0")
        letters.append(more.text)
        codes.append(more.codes)
    return StyledText("".join(letters), b"".join(codes)).without(_SPACES).stripped()


_SPACES = re.compile(r"(?<= ) +")
_WORD = re.compile(r"\w")


_JOINED_LETTERS = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xad": ""}
_JOINED_LETTER = re.compile(f"[{''.join(_JOINED_LETTERS)}]")


def without_typesetting(styled: StyledText) -> StyledText:
    """``styled`` without what a typesetter put in: soft hyphens, and signs that are two letters."""
    if styled.text.isascii() or not _JOINED_LETTER.search(styled.text):
        return styled
    letters = [_JOINED_LETTERS.get(one, one) for one in styled.text]
    codes = b"".join(bytes((code,)) * len(one) for one, code in zip(letters, styled.codes, strict=True))
    return StyledText("".join(letters), codes)


_STRONG = re.compile(r"(?<![\w*])(\*{2,3})(?=\S)((?:\(\\?\*\)|[^*])++)(?<=\S)\1(?![\w*])")


def without_stars(styled: StyledText) -> StyledText:
    """``styled`` without the stars that Markdown has for bold words; they become bold."""
    if "**" not in styled.text:
        return styled
    parts, at = [], 0
    for found in _STRONG.finditer(styled.text):
        bold = bytes(code | LetterStyle.BOLD.bit for code in styled.codes[slice(*found.span(2))])
        parts += [styled.cut(at, found.start()), StyledText(found[2], bold)]
        at = found.end()
    parts.append(styled.cut(at))
    return StyledText("".join(one.text for one in parts), b"".join(one.codes for one in parts))


def without_signs(styled: StyledText) -> StyledText:
    """``styled`` without the signs for italics and underlining that plain text has; they become styles."""
    if not _EMPHASIS.search(styled.text):
        return styled
    codes = bytearray(styled.codes)
    kept, at = [], 0
    for found in _EMPHASIS.finditer(styled.text):
        style = LetterStyle.ITALIC if found[1] == "~" else LetterStyle.UNDERLINE
        for place in range(*found.span(2)):
            codes[place] |= style.bit
        kept += [slice(at, found.start()), slice(*found.span(2))]
        at = found.end()
    kept.append(slice(at, len(codes)))
    return StyledText("".join(styled.text[one] for one in kept), b"".join(bytes(codes[one]) for one in kept))


def finished(styled: StyledText) -> StyledText:
    """A question's text with its power mark as ``(*)`` between spaces; without one, the bold words say it.

    A ``(+)`` before another mark is that of a superpower, and stays.
    """
    if marks := list(_POWER.finditer(styled.text)):
        parts, codes, at = [], [], 0
        for found in marks:
            is_super = "+" in found.group() and "+" not in marks[-1].group()
            parts += [styled.text[at : found.start()], " (+) " if is_super else " (*) "]
            codes += [styled.codes[at : found.start()], bytes(5)]
            at = found.end()
        marked = StyledText("".join([*parts, styled.text[at:]]), b"".join([*codes, styled.codes[at:]]))
        return marked.stripped()
    words = Tossup(styled.text).words
    count = _leading([_is_bold(styled, word) for word in words])
    if 0 < count < len(words):
        end = words[count - 1].end
        return StyledText(
            f"{styled.text[:end]} (*){styled.text[end:]}", styled.codes[:end] + bytes(4) + styled.codes[end:]
        )
    return styled


def _is_bold(styled: StyledText, span: Span) -> bool:
    codes = styled.codes[span.start : span.end]
    return 2 * sum(bool(code & LetterStyle.BOLD.bit) for code in codes) > len(codes)


def without_printed_power(text: str, styles: TextStyles) -> TextStyles:
    """``styles`` of a finished text without the bold up to its power mark: a power is printed so."""
    mark = text.find("(*)")
    if mark < 0:
        return styles
    styled = StyledText(text, styles.codes.ljust(len(text), b"\0"))
    words = [word for word in Tossup(text).words if word.end <= mark]
    if 2 * sum(_is_bold(styled, word) for word in words) <= len(words):
        return styles
    codes = bytearray(styled.codes)
    for at in range(mark + len("(*)")):
        codes[at] &= ~LetterStyle.BOLD.bit
    return TextStyles.of_codes(codes)


def finished_tossup(
    number: str, opening: StyledText, answer: StyledText, tag: str, place: int, based_on: str
) -> PacketTossup | UnreadQuestion:
    """The tossup whose text and answer line are on one line each, or why it cannot be used."""
    worth = _WORTH_ABOVE.match(opening.text)
    text = finished(opening.cut(worth.end()) if worth else opening)
    if reason := why_unusable(text.text, answer.text):
        return unread_question(place, reason, text.text or answer.text)
    styles = without_printed_power(text.text, text.styles)
    return PacketTossup(number, text.text, answer.text, tag, place, styles, answer.styles, based_on)


def unread_question(place: int, reason: str, text: str) -> UnreadQuestion:
    return UnreadQuestion(place, reason, " ".join(text.split()[:8]))


_GAP, _ON = 2, 3


def _leading(bold: Sequence[bool]) -> int:
    """How many words are in bold from the first on; a title that lost its bold does not end it."""
    count = 0
    for at, one in enumerate(bold):
        if one and (at == count or (at - count <= _GAP and count and all(bold[at : at + _ON]))):
            count = at + 1
        elif at - count > _GAP:
            break
    return count


def why_unusable(text: str, answer: str) -> str:
    if not text:
        return "an answer line without a question"
    if len(text) < SHORTEST:
        return "the text is too short"
    if not _WORD.search(answer):
        return "the answer line is empty"
    if len(text.split()) > LONGEST_WORDS:
        return "longer than any question, so answer lines seem to be missing"
    if is_whole(_BRACKETS.sub("", answer)):
        return "the answer line runs on into another question"
    return ""
