"""Packet tags: what editors write between angle brackets behind a question, ``<JD, American Literature>``.

A tag names the category and the writer. Players never hear it, and it is no part of the question: readers of
files take it off and keep what it says. Between other brackets, which answer lines need for themselves, a tag
is only what is surely no answer: a category beside initials, a name behind *Ed.* or behind another tag, or a
writer's name that the other questions of the packet give away.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from quizwriter.domain.answer_line import begins_with_direction
from quizwriter.domain.answer_line.words import words_of
from quizwriter.domain.review import name_key

MOST_TAGS = 8
"""Tags behind one text that are taken off; more are left."""

LONGEST_TAG_LINE = 60
"""Characters of a line that is a tag without angle brackets."""

LONGEST_TAG = 200
"""Characters between the brackets of a tag."""

_SENTENCE = re.compile(
    r"The above question is for the category (?P<category>.+?)(?: and was written by (?P<writer>.+))?\.?\Z",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;|]")
_DASH = re.compile(r"\s[-–—]\s")
_COLON = re.compile(r":\s")
_PEOPLE = re.compile(r"/|&|\+|\band\b")
_NO_EDITOR = r"(?!(?-i:ED)\s*(?:\Z|[/&+])|(?-i:Ed)\s(?!by\b)[\w'’-]*(?-i:[a-z]))"
"""*ED* alone is a writer's initials, and *Ed Smith* a writer's name."""
_EDITED = re.compile(rf"{_NO_EDITOR}ed(?:s|itor|itors|ited by)?\b", re.IGNORECASE)
_EDITOR = re.compile(
    rf"(?:{_EDITED.pattern}\.?:?|by\b:?|written by\b:?|(?:writer|author)s?\b:?)\s*", re.IGNORECASE
)
_EDITOR_BEHIND = re.compile(
    r"(?<=\w)\.?\s+\(?((?:edited|ed\.?)\sby\s|eds?\.\s)([^()]{1,60})\)?", re.IGNORECASE
)
"""An editor behind a writer without a comma between: *Ann Lee. Edited by Bo Chen*, *CL (ed. BC)*."""
_ONLY_EDITOR = re.compile(r"\s*(?:eds?\.|editors?)\s*")
"""What says that the name before it is an editor's: *Ann Lee, ed.*"""
_LABEL = re.compile(r"\A\s*(?:sub)?(?:category|subject):\s*", re.IGNORECASE)
_BRACKETS = {">": "<", "\uff1e": "\uff1c", "\u3009": "\u3008", "\u203a": "\u2039", "&gt;": "&lt;"}
"""The brackets of tags by how they end."""
_OTHER_BRACKETS = {"}": "{", ")": "(", "]": "["}
_ABBREVIATED = re.compile(
    r"\b(?:am|amer|anc|brit|can|euro|gen|inorg|med|mod|nat|org|phys|soc)\.\s*(?=\w)", re.IGNORECASE
)
_REMARK = re.compile(r"edited\W*", re.IGNORECASE)
"""What editors write behind a question, too, and names nobody."""
_NO_NAME = re.compile(
    r"X{0,3}(?:IX|IV|V?I{0,3})|AD|BCE?|[JS]R\.?|[JS]r\.?|(?:BY|By)\b.*"
    r"|.*\b[Aa]cceptable\W*|.*(?:[A-Z]{2}-|-[A-Z]{2}).*"
)
"""What looks like a name in an answer line and names nobody; the last is a pronunciation: *VAY-bur*."""
_INITIALS = re.compile(r"(?:[^\W\d_]\.\s?){2,3}|[^\W\d_]{2,3}")
_BY_INITIALS = re.compile(r"([^\W\d_]{2,3})\.\s+(?=\w)|([A-Z]{2,3})\s+(?=\w)")
"""Initials before a category without a comma between: *Cl. Science*, *CL Science*."""
_DASHED_INITIALS = re.compile(r"\s[-–—~/]{1,2}\s?([^\W\d_]{2,3})\s*\Z")
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,2}")
_NO_TAG_BEGINS = ("or ", "accept ", "prompt ", "do not ")
"""No name begins so, and no category."""
_SAYS_EDITOR = re.compile(r"\b(?:eds?\.|editors?:)\s*(?=\S)", re.IGNORECASE)
_SAYS_PERSON = re.compile(r"\b(?:eds?\.|(?:editor|writer|author)s?:|(?:edited|written) by\b)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_NAMED = re.compile(r"[^\W\d_]{2}")  # one letter is a variable: "x < y >"
_HTML = re.compile(
    r"/?\s*(?:a|b|br|div|em|font|i|img|p|s|script|span|strong|style|sub|sup|u)\b[^<>]*", re.IGNORECASE
)


_CATEGORY_WORDS = words_of(
    """
    academic africa american analytic anatomy ancient and anthropology architecture art arts asia astro
    astronomy auditory australia avant bible bio biology bonus books british canada ce chem chemistry
    china chinese christian christianity cinema civics classical classics common comp computer cs culture
    current dance drama earth east eastern econ economics egypt engineering english environment epic
    ethics euro europe european events fa fiction film fine folklore foreign form games geo geography
    geology german germany global government greece greek hinduism hist history human indian
    interdisciplinary islam italian japan japanese jazz judaism knowledge language languages latin law
    leftover legend legends linguistics lit literature long math mathematics maths media medicine medieval
    mexico misc miscellaneous mixed modern music myth mythology nature nba nfl non nonfiction novel novels
    of opera other painting paintings performance phil philosophy photography phys physical physics plays
    poetry political politics pop popular post prehistory present prose psych psychology rel religion
    religious rmp rmpss roman rome russia russian sci science sciences sculpture shakespeare short social
    sociology sports ss states stories studies technology television the theater theatre theology thought
    to tossup trash tv uk united us usa video visual war wars west western world
    """
)


PLACES = words_of(
    """
    AB AK AL AR AZ BC CA CO CT DC DE EU FL GA HI IA ID IL IN KS KY LA MA MB MD ME MI MN MO MS MT NB NC ND NE
    NH NJ NL NM NS NT NU NV NY NZ OH OK ON OR PA PE PR QC RI SC SD SK TN TX UAE UK US USA UT VA VT WA WI WV WY
    YT
    """
)
"""What is written for states and countries, and may be a writer's initials, too."""


class PacketTag(msgspec.Struct, frozen=True):
    """What tags say: the category, from the broadest level on, the writers, and who edited the question."""

    category: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    editors: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        return (*self.people, *self.editors)


NO_TAG = PacketTag()


def split_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """``text`` without the tags at its end, and these tags without their brackets, in their order.

    HTML such as ``</i>`` is no tag, and a text that is one tag alone stays. ``[Edited]`` is only left out.
    """
    whole = bare = text.rstrip()
    found: list[str] = []
    for _ in range(MOST_TAGS):
        if (end := _last_brackets(bare)) is None:
            break
        before, inside, close = end
        if not _REMARK.fullmatch(inside):
            names = close in _BRACKETS or _says_it_is_tag(inside, braces=close == "}")
            if not names or not _NAMED.search(inside) or _HTML.fullmatch(inside):
                break
            found.append(inside)
        bare = before
    return text if bare == whole else bare, tuple(reversed(found))


def _last_brackets(text: str) -> tuple[str, str, str] | None:
    """What stands before the brackets that end ``text``, what is in them, and how they close."""
    whole = text[:-1] if text.endswith((">.", ").", "].", "}.")) else text
    close = "&gt;" if whole.endswith("&gt;") else whole[-1:]
    opened = _BRACKETS.get(close) or _OTHER_BRACKETS.get(close)
    if opened is None:
        return None
    start = whole.rfind(opened, max(0, len(whole) - LONGEST_TAG - len(opened + close)))
    inside, before = whole[start + len(opened) : -len(close)].strip(), whole[: max(start, 0)].rstrip()
    if inside.endswith(close) and before.endswith(opened):  # <<CL, Science>>
        inside, before = inside[: -len(close)].rstrip(), before[: -len(opened)].rstrip()
    return None if start < 0 or not before or close in inside else (before, inside, close)


def _says_it_is_tag(inside: str, *, braces: bool) -> bool:
    """Whether what stands in brackets that answer lines have, too, is surely a tag. ``braces``: few have.

    *(opera, Bizet)*, *[novel – Jane Austen]* and *(written by Jane Austen)* are parts of answers, so only
    initials are a writer here, and only behind *Ed.* is a name.
    """
    if not braces and inside.startswith(_NO_TAG_BEGINS):  # a quick look: what most answer lines end with
        return False
    said = read_tags((inside,))
    if braces and said.category and said.named:
        return True
    if not said.named or not all(map(_like_name, said.named)) or begins_with_direction(inside):
        return False
    others = ",".join(
        part
        for part in _BETWEEN.split(_EDITOR_BEHIND.sub(r"; \1\2", inside))
        if not _SAYS_EDITOR.match(part.strip())
    )
    if not all(map(are_initials, read_tags((others,)).people)):
        return False
    both = said.category and any(mark.search(inside) for mark in (_BETWEEN, _DASH, _COLON, _PEOPLE))
    return bool(both or _SAYS_PERSON.match(inside))


def are_initials(text: str) -> bool:
    return text.isupper() and bool(_INITIALS.fullmatch(text)) and not _NO_NAME.fullmatch(text)


def _like_name(text: str) -> bool:
    named = are_initials(text) or (_NAME.fullmatch(text) and not _NO_NAME.fullmatch(text))
    return bool(named) and all(word[0].isupper() for word in text.split())


def lone_name(text: str) -> tuple[str, str] | None:
    """``text`` without a name alone in brackets at its end, or initials behind a dash, and that name.

    That may be the writer, and it may be a part of the answer: *Symphony No. 3 (Beethoven)*.
    """
    if (end := _last_brackets(text.rstrip())) is not None:
        before, inside, close = end
    elif found := _DASHED_INITIALS.search(text[-LONGEST_TAG:]):
        before, inside, close = text.rstrip()[: -len(found[0].rstrip())], found[1], ""
    else:
        return None
    alone = close not in _BRACKETS and not _is_category(inside) and not begins_with_direction(inside)
    return (before, inside) if alone and before and _like_name(inside) else None


def labelled_people(tags: Iterable[str]) -> frozenset[str]:
    """The name keys of those whom the ``tags`` of a packet surely name, one text for each question.

    They are initials, stand before the category, or behind *Ed.* or *Author:*. Behind the category may be a
    level below it, *<Geography, Ontario>*: two questions must have it, and no initials of a writer beside it.
    """
    sure: set[str] = set()
    behind: Counter[str] = Counter()
    for tag in tags:
        said, line = read_tags((tag,)), " ".join(tag.split())
        first = min((line.find(level) for level in said.category), default=0)
        has_initials = any(map(are_initials, said.named))
        for name in said.named:
            at = line.find(name)
            if at < first or are_initials(name) or _SAYS_PERSON.search(_BETWEEN.split(line[:at])[-1]):
                sure.add(name_key(name))
            elif said.category and not has_initials:
                behind[name_key(name)] += 1
    return frozenset(sure.union(key for key, count in behind.items() if count > 1))


def read_tags(tags: tuple[str, ...]) -> PacketTag:
    """What ``tags`` say. A part whose words are all words of categories is a category, and else a person.

    Who edited a question is no second writer, but a name that is not to be released, too.
    """
    category: list[str] = []
    people: list[str] = []
    editors: list[str] = []
    for tag in tags:
        if said := _SENTENCE.fullmatch(tag):
            category.append(said["category"].strip())
            people += _PEOPLE.split(said["writer"] or "")
            continue
        tag = _EDITOR_BEHIND.sub(r"; \1\2", tag)
        parts = [_LABEL.sub("", part, count=1) for part in _BETWEEN.split(tag)]
        for at in range(len(parts) - 1, 0, -1):
            if _ONLY_EDITOR.fullmatch(parts[at]) and not _is_category(parts[at - 1]):
                parts[at - 1 : at + 1] = [f"ed. by {parts[at - 1].strip()}"]
        apart = {part: both for part in parts if (both := _around_initials(part))}
        if not any(part not in apart and _names_writer(part) for part in parts):
            parts, apart = [one for part in parts for one in apart.get(part, (part,))], {}
        writers = [number for number, part in enumerate(parts) if part not in apart and _names_writer(part)]
        for number, part in enumerate(parts):
            if part in apart:  # beside a writer, what looks like initials may be a word: "Org. Chemistry"
                category.append(part.strip())
                continue
            elsewhere = bool(writers) and writers != [number]
            _read_part(part, elsewhere and writers[0] < number, elsewhere, category, people, editors)
    writing, editing = (dict.fromkeys(" ".join(one.split()) for one in names) for names in (people, editors))
    return PacketTag(
        tuple(dict.fromkeys(category)), tuple(filter(None, writing)), tuple(filter(None, editing))
    )


def is_tag_line(text: str, *, above: bool = False) -> bool:
    """Whether a line without angle brackets is surely a tag: *Literature - Other*, *[Literature - CL]*.

    ``above``: it stands between a number and a question, where one level is enough.
    """
    bare = text.strip()
    inside = bare[1:-1] if bare[:1] + bare[-1:] in ("()", "[]", "{}") else bare
    if not 2 < len(inside) <= LONGEST_TAG_LINE or begins_with_direction(inside):
        return False
    said = read_tags((inside,))
    named = bool(said.named) and inside is not bare and all(map(are_initials, said.named))
    return bool(said.category) and (named or not said.named) and (above or named or len(said.category) > 1)


def _is_category(text: str) -> bool:
    whole = _ABBREVIATED.sub("", text)
    return _CATEGORY_WORDS.issuperset(word.casefold() for word in _WORD.findall(whole))


def _around_initials(part: str) -> tuple[str, str] | None:
    """The initials and the category that a part of a tag may be made of without a comma."""
    found = _BY_INITIALS.match(part.strip())
    if found is None or _is_category(part) or _EDITOR.match(found[0]):
        return None
    rest = part.strip()[found.end() :]
    return (found[1] or found[2], rest) if _is_category(rest) else None


def _names_writer(part: str) -> bool:
    several = _DASH.search(part) or _COLON.search(part)
    return not (several or _is_category(part) or _EDITOR.match(part.strip()))


def _read_part(
    part: str, before: bool, elsewhere: bool, category: list[str], people: list[str], editors: list[str]
) -> None:
    """Add what one part of a tag says, whose levels stand behind dashes or colons.

    ``before``: a writer is named in a part before it, ``elsewhere``: in any other part. Then what stands
    below a level that is known is a level, too: *Immuno* in "JD, Biology: Immuno". Behind the first dash it
    may still be a writer, unless one was named before.
    """
    known, labelled = 0, False
    dashed = _DASH.split(part)
    for at, level in enumerate(one for piece in dashed for one in _COLON.split(piece)):
        level = level.strip()
        edited = labelled or bool(_EDITED.match(level))
        bare = _EDITOR.sub("", level, count=1).strip() if _EDITOR.match(level) else level
        labelled = edited and not _WORD.search(bare)  # a level of its own: "Editor: Ann Lee"
        if not _WORD.search(bare):
            continue
        below = known > 1 or (known == 1 and len(dashed) == 1)
        is_level = _is_category(bare) or (known and at and (before or (elsewhere and below)))
        if bare == level and is_level:
            category.append(bare)
            known += 1
        else:
            for one in _PEOPLE.split(bare):  # the name of a writer, or beside one: "CL/Science"
                if _WORD.search(one):
                    named = editors if edited else people
                    (category if _is_category(one) else named).append(one.strip())
