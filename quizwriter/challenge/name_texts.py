"""What a text says to who reads it: characters that are encoded, turned round or drawn in another style.

The search for names looks through every reading of a text, and through what people noted in brackets.
"""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote

from anyascii import anyascii

from quizwriter.services.look_alikes import MOST_LETTERS, plain_letters

_MARKUP = re.compile(r"</?(?:b|i|u|em|strong|small|sub|sup|span|p|br|font|mark|s)\s?/?>", re.IGNORECASE)
_UNICODE_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_RIGHT_TO_LEFT, _ENDS = "\u202e", "\u202c\u2069\n"
_LINE_END = re.compile(r"(?<=\w)-[ \t]*\n[ \t]*(?=\w)")
_MOST_CODED = 3  # times that one text may be encoded
_LETTER_BY_LETTER = re.compile(r"\b[^\W\d_](?:([-. ])[^\W\d_](?:\1[^\W\d_]){3,30})\b")
_HYPHEN_INSIDE = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_WITH_DIGITS = re.compile(r"(?<![^\W_])(?:\d++[^\W\d_]|[^\W\d_]++\d)[^\W_]*+")
_DIGITS_AS_LETTERS = str.maketrans("013457", "oleast")
"""Digits that people write for letters."""
_MISREAD = re.compile("[\u00c2\u00c3\u00d0\u00d1][\u0080-\u00bf]")
_SERVANT = re.compile(r"\babd(?:[ -]?(?:[aeu][lrsz])[ -]|[aeu][lrsz])(?=[a-z])", re.IGNORECASE)
"""*Abd al-*, *Abdul*, *Abdel-*: one name in the spellings of several countries."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{12,200}={0,2}(?![A-Za-z0-9+/=])")
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{2}){6,200}(?![0-9a-fA-F])")
_DOT_AT = re.compile(r"[ \[({]{1,2}(dot|at)[ \])}]{1,2}", re.IGNORECASE)


def latin_letters(text: str) -> str:
    """``text`` in Latin letters, as it sounds; signs for soft and hard consonants go."""
    return _NOT_ASCII.sub(lambda one: _sounds(one[0]), text)


@lru_cache(maxsize=20_000)
def _sounds(one: str) -> str:
    if unicodedata.category(one) in {"Cf", "Mn", "Me"}:
        return ""
    letters = anyascii(one).strip("'")
    return letters if 0 < len(letters) <= MOST_LETTERS else "" if one.isalpha() and not letters else " "


def decoded(text: str) -> str:
    """``text`` without entities, percent and backslash codes, simple markup, and turned-round stretches."""
    for _ in range(_MOST_CODED):
        before, text = text, unquote(html.unescape(text))
        if text == before:
            break
    if "\\u" in text:
        text = _UNICODE_ESCAPE.sub(lambda code: chr(int(code[1], 16)), text)
    if "<" in text:
        text = _MARKUP.sub("", text)
    if _MISREAD.search(text):
        from ftfy import fix_encoding  # late: hardly any text needs it

        text = fix_encoding(text)
    return _read_forwards(text) if _RIGHT_TO_LEFT in text else text


def _read_forwards(text: str) -> str:
    """``text`` as it is seen: from each right-to-left override on, the other way round."""
    before, *turned = text.split(_RIGHT_TO_LEFT)
    seen = [before]
    for stretch in turned:
        end = next((at for at, one in enumerate(stretch) if one in _ENDS), len(stretch))
        seen += [stretch[:end][::-1], stretch[end:]]
    return "".join(seen)


def readings(text: str) -> Iterator[str]:
    """Every way to read ``text`` in plain letters, the usual one first; none twice."""
    whole = decoded(text)
    first = plain_letters(whole)
    yield first
    seen = {first}
    ways = [latin_letters(whole)] if not whole.isascii() else []
    for pattern, bytes_of in ((_BASE64, _of_base64), (_HEX, bytes.fromhex)):
        ways += [said for found in pattern.finditer(whole) if (said := _said(bytes_of(found[0])))]
    if _WITH_DIGITS.search(first):  # "d03" is doe
        ways.append(_WITH_DIGITS.sub(lambda word: word[0].translate(_DIGITS_AS_LETTERS), first))
    if _HYPHEN_INSIDE.search(first):
        ways.append(_HYPHEN_INSIDE.sub("", first))
    if _SERVANT.search(first):
        ways.append(one_servant(first))
    if _LINE_END.search(first):
        ways.append(_LINE_END.sub("", first))
    if "dot" in first.lower() and _DOT_AT.search(first):
        ways.append(_DOT_AT.sub(lambda said: "." if said[1].lower() == "dot" else "@", first))
    if _LETTER_BY_LETTER.search(first):
        ways.append(_LETTER_BY_LETTER.sub(lambda said: said[0].replace(said[1], ""), first))
    for way in ways:
        if way not in seen:
            seen.add(way)
            yield way


def one_servant(plain: str) -> str:
    """``plain`` with one spelling of the names that begin with *Abd al-*."""
    return _SERVANT.sub("Abdul", plain)


def _of_base64(code: str) -> bytes:
    bare = code.rstrip("=")
    return base64.b64decode(bare + "=" * (-len(bare) % 4)) if len(bare) % 4 != 1 else b""


def _said(raw: bytes) -> str:
    """The text that ``raw`` is; empty where it is none."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return ""
    return plain_letters(text) if text.isprintable() else ""


# -- what people noted in brackets

_BRACKETS = re.compile(r"[\[({]([^\[\](){}]{1,300})[\])}]")
_DIRECTION = re.compile(
    r"\s*(?:also\s|do\s+not\s|don't\s|anti)?(?:accept|prompt|reject|or\b|but\b|until\b|before\b|after\b|equivalent"
    r"|read\b|emphasi|moderator|pause|\"|“|pronounced)",
    re.IGNORECASE,
)
"""How directions of an answer line and pronunciation guides begin: they name what is asked, not who works."""
_NOTED = re.compile(
    r"\b(?:notes?|eds?|editors?|todo|tk|ask(?:ed)?|check(?:ed|s)?|confirm(?:s|ed)?|thanks|thank|thx|per|fix(?:ed)?"
    r"|suggest(?:s|ed)|says|said|wants|wrote|writes|moved|added|please|cut|swap(?:ped)?|via|cc|cf|packet|clue"
    r"|hey|hi|dear|h/t|idea|credit|(?<=['’]s\s)(?:draft|edit|end(?:ing)?|tossup|version|wording))\b|@|\A\s*from\s[^\W\d_]+\s*\Z",
    re.IGNORECASE,
)
_SMALL_WORD = re.compile(r"\s*[a-z]{4,20}\s*")
_WITH_INITIALS = re.compile(r"\s*[^\W\d_]{2,20}(?:\s[A-Z]\.?){1,3}\s*")
_ADDRESSED = re.compile(
    r"\s*[^\W\d_]{2,20}(?:\s*[/&+]\s*[^\W\d_]{2,20})*\s*(?::|,|\?\?|\?\s*\Z|\s[-–—]|\s(?:will|to|has|thinks|should|can|is)\b)"
)
_NAME = r"[^\W\d_]{2,20}(?:-[^\W\d_]{2,20})?"
_SPOKEN_TO = re.compile(
    r"(?:\A|(?=[@/*#^.!?\])\n]|\b[acdfhpt]))(?:"  # where any of these may begin
    rf"(?:\b(?:hey|hi|hello|dear|thanks|thank\s+you|thx|cc|ping|todo|ask|fyi)\b[\s,:]{{1,3}}|@\s?)"
    rf"(?P<greeted>{_NAME})(?=\s*[,:!?.–—-]|\s+(?:please|pls|can|could|do|is|this|we|about|if|to)\b|\s*\Z)"
    rf"|[/*#^]{{2}}\s?(?P<marked>{_NAME})\b(?-i:(?!\s[A-Z]))"
    rf"|(?:\A|[.!?][\"”’)\]]?\s{{1,3}})(?:(?:idea|lead-?in|clue|question|tossup)s?\s(?:by|from)|thanks\sto)\s"
    rf"(?P<thanked>{_NAME}(?:\s[A-Z]\.?)?)(?=\s?[.!]|\s*\Z|\sfor\s(?:the|this)\b)"
    rf"|(?:\A|[.!?][\"”’)\]]?\s{{1,3}})(?P<wrote>{_NAME})\swrote\sthis\s(?:one|question|tossup|packet)\b"
    rf"|(?:\A|[.!?][\"”’)\]]?\s{{1,3}})(?:author|writer|(?:written|submitted|sent)\sby):?\s(?P<author>{_NAME})\b"
    r"(?-i:(?!\s[A-Z][^\W\d_]))"
    rf"|[.!?][\"”’]?\s{{1,3}}[\[({{](?P<below>{_NAME})[\])}}][\s.]{{0,3}}\Z"
    rf"|[.!?\])][\"”’)\]]?\s{{0,3}}[—–~-]{{1,2}}\s?(?P<signed>{_NAME}(?:\s[A-Z]\.?)?)\s{{0,3}}\Z"
    rf"|\A\s{{0,3}}(?P<by>{_NAME}(?:\s?[/&+]\s?{_NAME}){{1,3}}):\s"
    rf"|(?:\A|[.!?]\s{{1,3}}|\n)(?P<called>{_NAME})(?:[,:!?]{{1,3}}|\s?[-–—])\s{{1,3}}"
    r"(?=(?:please|pls|can|could|do|does|did|is|are|should|this|these|here|you|your|we|let's|check|cut|fix|swap"
    r"|find|shorten|move|add|change|replace|rewrite|make|see|look|source|drop|trim|need|thanks)\b))",
    re.IGNORECASE,
)
"""Who is spoken to in the middle of a question: *Hey Kim, …*, *Kim, can you …*, *@kim*, *todo kim:*.

Or who signed it, *name it. —Kim R.*, stands above it, *Kim/Lee: This river …*, behind the marks of a comment,
*// Kim*, or is thanked for it, *Thanks to Kim for the lead-in.*
"""
_CLAUSE = re.compile(r"[^;]+")


def bracketed(plain: str) -> Iterator[tuple[int, int]]:
    """The stretches of ``plain`` inside brackets, at semicolons apart."""
    for found in _BRACKETS.finditer(plain):
        for clause in _CLAUSE.finditer(plain, *found.span(1)):
            yield clause.span()


def is_note(said: str) -> bool:
    """Whether ``said``, in brackets, is what people say to each other, and no part of the question."""
    if _DIRECTION.match(said):
        return False
    return bool(
        _NOTED.search(said)
        or _ADDRESSED.match(said)
        or _SMALL_WORD.fullmatch(said)
        or _WITH_INITIALS.fullmatch(said)
    )


def spoken_to(plain: str) -> Iterator[tuple[int, int]]:
    """The stretches of ``plain`` that call somebody by name, or say whose it is."""
    for found in _SPOKEN_TO.finditer(plain):
        yield found.span(found.lastgroup or 0)


FILE_NAME = re.compile(
    r"[^\n]{1,200}\.(?:docx?|txt|pdf|rtf|odt|jsonl?|csv|md|html?|gz|xz|zip)\Z", re.IGNORECASE
)
"""The name of a file as a whole remark, in which people write names in small letters."""
