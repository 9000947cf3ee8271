"""Rules on the form of a tossup: what it asks for, "for 10 points", power mark, guides, length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quizwriter.domain.answer_line.words import words_of
from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import Powers
from quizwriter.domain.tossup import bare_word
from quizwriter.workflow.problems.rule import POINTS, WHOLE, Finding, HoldsBack, Inspection, Rule
from quizwriter.workflow.wording import counted_noun

# -- what the tossup asks for

_VERBS = words_of(
    """
    is was has had can could may might would should will did does do are were be been being and or but if
    that which who of in on at by for to from with as than then so led leads caused causes
    """
)
_CALL = re.compile(
    r"\b(?:(?:name|identify|give|state)\s+(?!(?:him|her|it|them|one|me|us)\b)|what\s+|which\s+)\w",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"\b(?:name|identify|give|state|list|describe|answer|tell|provide|complete|what|which|who|whose|whom|where|when"
    r"|how)\b",
    re.IGNORECASE,
)
_TYPE = re.compile(r"\bth(?:is|ese)\s+(\w+)", re.IGNORECASE)


def _names_type(inspection: Inspection) -> int:
    """Where the kind of the answer is named first, as "this king"; -1: nowhere."""
    for found in _TYPE.finditer(inspection.own_words):
        if found[1].casefold() not in _VERBS:
            return found.start()
    return -1


def _no_type(inspection: Inspection) -> Iterator[Finding]:
    text = inspection.own_words
    if not inspection.tossup.words or _names_type(inspection) >= 0:
        return
    points = inspection.points
    if points is not None and _CALL.search(text, points.end()):
        return
    last = inspection.tossup.sentences[-1]
    yield Finding(last, "The text never names what it asks for, such as “this king”.")


_PREPOSITIONS = words_of(
    """
    in on at by for with of from to within during throughout about near into onto upon over under around among
    amongst across against toward towards via
    """
)
_LATE = 0.55
_LATEST_WORD = 25
_LATE_SENTENCES = 2


def _late_identifier(inspection: Inspection) -> Iterator[Finding]:
    """The first sentence should say early what is asked for.

    Source:
        The style guide that QEMS2 follows: a phrase such as "by this artist" at the end of a long first
        sentence can go to its front.
    """
    sentences = inspection.tossup.sentences
    if not sentences:
        return
    first = sentences[0]
    at = _names_type(inspection)
    if at < 0:
        return
    if at >= first.end:
        if len(sentences) > _LATE_SENTENCES and at >= sentences[_LATE_SENTENCES - 1].end:
            before = inspection.own_words[: sentences[_LATE_SENTENCES - 1].end].casefold()
            if not _PRONOUN.search(before) and not _ANY_CALL.search(before):
                span = Span(at, inspection.sentence_at(at).end)
                yield Finding(_two_words(inspection, span), "The text names what it asks for only here.")
        return
    words = [span for span in inspection.tossup.words if span.end <= first.end]
    place = next((number for number, span in enumerate(words) if span.end > at), len(words))
    if place >= _LATEST_WORD:
        span = _two_words(inspection, Span(words[place].start, first.end))
        yield Finding(span, f"“{span.of(inspection.text)}” comes only after {counted_noun(place, 'word')}.")
        return
    if len(words) < 10 or place < 6 or place < _LATE * len(words):
        return
    before = bare_word(words[place - 1].of(inspection.text)).casefold()
    if before in _PREPOSITIONS:
        span = Span(words[place - 1].start, first.end)
        said = _two_words(inspection, Span(words[place].start, first.end)).of(inspection.text)
        yield Finding(
            Span(span.start, _two_words(inspection, Span(words[place].start, first.end)).end),
            f"“{said}” comes late in the first sentence: begin with it.",
        )


_ANY_CALL = re.compile(r"\b(?:name|identify|give|what|which|these|this|those)\b")


def _two_words(inspection: Inspection, span: Span) -> Span:
    found = [one for one in inspection.tossup.words if one.end > span.start and one.start < span.end][:2]
    text = inspection.text
    end = found[-1].end if found else span.end
    while end > span.start and text[end - 1] in ",.;:?!":
        end -= 1
    return Span(found[0].start if found else span.start, end)


_PRONOUN = re.compile(r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs)\b", re.IGNORECASE)
_NO_PRONOUN = re.compile(
    r"(?:It|He|She|They)(?:(?:['’](?:s|re)|\s(?:is|was|are|were))\s(?:not|said|believed)|\s(?:is|was|are|were)n['’]t)\b"
)
_ANTECEDENT = words_of(
    """
    a an the this these that those one two three four five six seven eight nine ten some many several another
    any each every most both other first second when where if no someone people men women
    """
)


def _pronoun_first(inspection: Inspection) -> Iterator[Finding]:
    """A pronoun at the beginning of the tossup that nothing stands before to which it could refer."""
    sentences = inspection.tossup.sentences
    if not sentences:
        return
    first = True
    for span in inspection.tossup.words:
        if span.start >= sentences[0].end:
            return
        word = bare_word(span.of(inspection.own_words))
        bare = word.replace("’", "'").partition("'")[0]
        if _PRONOUN.fullmatch(bare):
            if first and _NO_PRONOUN.match(inspection.text, span.start):
                return
            start = span.start + span.of(inspection.text).index(word)
            told = f"“{bare}” comes before its noun: begin with “this” and the noun."
            yield Finding(Span(start, start + len(bare)), told)
            return
        if not word or bare.casefold() in _ANTECEDENT or word[0].isdigit():
            return  # what is quoted or counted may be what it means
        if not first and word[0].isupper():
            return
        if bare.casefold() not in _PREPOSITIONS and bare.casefold() not in _OPENERS:
            return
        first = False


_OPENERS = words_of(
    "after before while though although because as and but since until upon despite unlike like when"
)


# -- "for 10 points"

_USUAL_WORDS = re.compile(r"[Ff]or (?:10|ten) points(?: each)?")
_NAME = re.compile(r"(?P<call>name|identify|give)\s+(?:this|these|the|both|either)\b", re.IGNORECASE)


def _points_phrase(inspection: Inspection) -> Iterator[Finding]:
    text, sheet = inspection.text, inspection.sheet
    if not inspection.tossup.words:
        return
    found = list(POINTS.finditer(inspection.text))
    last = inspection.tossup.sentences[-1]
    phrase = sheet.points.value
    if not found:
        call = _NAME.match(text, last.start)
        told = f"“{phrase}” is missing."
        if call is not None:
            start, end = call.span("call")
            fix = f"{phrase[0].upper()}{phrase[1:]}, {call['call'].lower()}"
            yield Finding(Span(start, end), told, fix)
        else:
            yield Finding(last, told)
        return
    for number, one in enumerate(found):
        span, words = Span(*one.span("all")), one["all"]
        right = phrase[0].upper() + phrase[1:] if words[0].isupper() else phrase
        if number:
            times = "twice" if len(found) == 2 else f"{len(found):,} times"
            yield Finding(span, f"“{phrase}” is in the text {times}.")
            continue
        value = (one["number"] or "").strip().lower()
        if words.lower() == "ftp" or not value:
            start = span.start in inspection.sentence_starts
            fix = phrase[0].upper() + phrase[1:] if start else phrase
            yield Finding(span, f"Write “{words}” in full: “{phrase}”.", fix)
        elif value not in ("10", "ten"):
            yield Finding(span, f"A tossup is worth 10 points, not “{words}”.", right)
        elif not _USUAL_WORDS.fullmatch(words):
            yield Finding(span, f"The usual words are “{right}”.", right)
        rest = text[one.end() :].lstrip()[:1]
        if rest and rest not in ',—–-:;.?!)"“”*(':
            yield Finding(span, f"Put a comma after “{words}”.", f"{words},")
        ended = text[max(0, span.start - 4) : span.start].rstrip(' \n"”)').endswith((".", "?", "!"))
        if ended and words[0].islower() and words.lower() != "ftp":
            yield Finding(
                span, f"The sentence begins with a small letter: “{words}”.", words[0].upper() + words[1:]
            )
        if span.start < min(last.start, _FIRST_HALF * len(text.rstrip())):
            yield Finding(span, f"Move “{words}” to the last clue; it is in the first half.")


_FIRST_HALF = 0.5


def _each(inspection: Inspection) -> Iterator[Finding]:
    for found in POINTS.finditer(inspection.text):
        if found["each"]:
            span = Span(found.start("each"), found.end("each"))
            yield Finding(span, "“Each” belongs to bonuses; a tossup has one answer.", "")


def _imperative(inspection: Inspection) -> Iterator[Finding]:
    text, sentences = inspection.text, inspection.tossup.sentences
    if sentences and text.rstrip(' \n\t"”)’').endswith("?"):
        start = sentences[-1].start
        points = inspection.points
        if points is not None and points.start() >= start:
            if points.start() > start and points.group()[0].islower():
                return  # "this dance is from, for 10 points, what country?" is one sentence
            start = points.start()
        told = "The last sentence is a question; tossups use “name this …”."
        yield Finding(Span(start, len(text.rstrip())), told)
        return
    points = inspection.points
    last = sentences[-1].start if sentences else 0
    if points is not None and points.start() >= last and not _COMMAND.search(text, last):
        told = "After “for 10 points”, tell players what to do: “name this …”."
        yield Finding(Span(points.start(), len(text.rstrip())), told)


# -- power mark, guides, length

_POWER = re.compile(r"\(\*\)")
_EARLIEST, _LATEST = 0.15, 0.95


def _power(inspection: Inspection) -> Iterator[Finding]:
    text, sheet = inspection.text, inspection.sheet
    marks = [Span(*found.span()) for found in _POWER.finditer(text)]
    expected = sheet.powers is Powers.EXPECTED or (
        sheet.powers is Powers.AS_OTHERS and inspection.powers_usual
    )
    if not marks:
        if expected and inspection.tossup.words:
            yield Finding(WHOLE, "The power mark (*) is missing.")
        return
    if sheet.powers is Powers.NONE:
        for mark in marks:
            yield Finding(mark, "The tossups of this set have no power mark.", "")
        return
    for mark in marks[1:]:
        yield Finding(mark, "The text has a power mark already.", "")
    mark = marks[0]
    before, after = text[: mark.start], text[mark.end :]
    joined = (before[-1:].isalnum() and bool(before)) or after[:1].isalnum()
    if joined:
        fix = (" " if before[-1:].strip() else "") + "(*)" + (" " if after[:1].strip() else "")
        yield Finding(mark, "Put the power mark between words, with spaces.", fix)
    points, power = inspection.points, inspection.tossup.power or 0
    share = power / max(1, len(inspection.tossup.words))
    if points is not None and mark.start > points.start():
        yield Finding(mark, "The power mark is after “for 10 points”; put it before the last clue.")
    elif share < _EARLIEST:
        yield Finding(mark, f"The power mark comes after {counted_noun(power, 'word')}, before any clue.")
    elif share > _LATEST:
        yield Finding(mark, "The power mark is at the end of the text.")


_GUIDE_MARKS = "\"“”'‘’"
_HYPHENED = re.compile(r"[(\[]\s*\w+(?:[- ]\w+)*-\w+(?:[- ]\w+)*\s*[)\]]")
_STRESSED = re.compile(r"[A-Z]{2}|-[A-Z]\b")


_SAY = re.compile(r"^(?:pronounced|read as|say|pr\.)\s+", re.IGNORECASE)


def _guide_quotes(inspection: Inspection) -> Iterator[Finding]:
    for span in inspection.tossup.unread:
        aside = span.of(inspection.text)
        inside = aside[1:-1].strip()
        if not _HYPHENED.fullmatch(aside) or not inside or inside[0] in _GUIDE_MARKS:
            continue
        if aside[0] == "(" or _STRESSED.search(inside) or inside.islower():
            quote = "“”" if "“" in inspection.text else '""'
            fix = f"({quote[0]}{_SAY.sub('', inside)}{quote[1]})"
            yield Finding(span, "Put pronunciation guides in quotation marks.", fix)


def _length(inspection: Inspection) -> Iterator[Finding]:
    words, sheet = len(inspection.tossup.words), inspection.sheet
    if not sheet.shortest <= words <= sheet.longest:
        usual = f"from {sheet.shortest} to {sheet.longest} is usual"
        yield Finding(WHOLE, f"{counted_noun(words, 'word')}; {usual}.")


def _usual_length(inspection: Inspection) -> str:
    words, sheet = counted_noun(len(inspection.tossup.words), "word"), inspection.sheet
    return f"{words}; from {sheet.shortest} to {sheet.longest} is usual."


_KING = "This king was crowned in a barn. "

RULES = (
    Rule(
        "late_identifier", "Late identification of the answer", _late_identifier,
        "A bridge of forty arches was built over the spring floods of a valley by this king.",
        "This king built a bridge of forty arches over the spring floods of a valley.",
    ),
    Rule(
        "pronoun_first", "Pronouns before their noun", _pronoun_first,
        "In his youth this king sold eels.", "In a letter to his mother, this king sells eels.",
    ),
    Rule(
        "no_type", "The type of answer is never named", _no_type,
        "He was crowned in a barn. For 10 points, tell us.", _KING + "For 10 points, name him.",
    ),
    Rule(
        "fps", "“For 10 points”", _points_phrase,
        _KING + "Name this king of eels.", _KING + "For 10 points, name this king of eels.",
    ),
    Rule(
        "fpe", "“Each” in a tossup", _each,
        _KING + "For 10 points each, name this king.", _KING + "For 10 points, name this king.",
    ),
    Rule(
        "imperative", "A question instead of “name this …”", _imperative,
        _KING + "For 10 points, what king sold eels?", _KING + "For 10 points, name this king.",
    ),
    Rule(
        "power", "Power mark", _power,
        _KING + "For 10 points, name (*) this king.",
        "This king was crowned in a barn and drowned (*) there. For 10 points, name this king.",
    ),
    Rule(
        "pg_span", "Guides without quotation marks", _guide_quotes,
        "This king died in Wroclaw (VROTS-wahf).", "This king died in Wroclaw (“VROTS-wahf”).",
    ),
    Rule(
        "length", "Length", _length,
        holds_back=HoldsBack(
            "the text has 50 to 175 words, as 98 of 100 published tossups do, or what the style sheet of the "
            "set says",
            _usual_length, place=4,
        ),
    ),
)  # fmt: skip
