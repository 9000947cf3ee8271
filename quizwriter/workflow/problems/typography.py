"""Rules on spaces, punctuation, quotation marks, dashes and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quizwriter.domain.span import Span
from quizwriter.domain.style_sheet import Spelling
from quizwriter.workflow.problems.rule import Finding, Inspection, Rule, found_by

_DOUBLE_SPACE = re.compile(r"(?<=\S)(?:[ \u00a0\t\u2002-\u200a\u202f]{2,}|\t)(?=\S)")
_BEFORE_PUNCTUATION = re.compile(r"(?<=\S)[ \t\u00a0]+(?:[,;:!?)\]”](?!\))|\.(?![.\d]))")
_AFTER_OPENING = re.compile(r"[(\[“][ \t\u00a0]+(?=\S)")
_NO_SPACE = re.compile(
    r"(?<=[^\W\d_]{2})[,;](?=[^\W\d_“(])|(?<=[^\W\d_])[,;](?=[^\W\d_]{2})|(?<=[^\W\d_]{3}):(?=[^\W\d_]{2})|(?<=[a-z\d][a-z\d)”\"])[.?!](?=[A-Z](?:[a-z]|\s))|(?<=\w)[,.;]”(?=[^\W\d_])"
)
_QUOTE_THEN_STOP = re.compile(r"(?:(?<=[^\s,.?!…—–-])”|(?<=[^\s\d,.?!…—–-])\")[,.](?!\w)")
_SUSPENSION = re.compile(r"\.(?: ?\.)+")
_HYPHENS = re.compile(r"[ \u00a0]?-{2,}[ \u00a0]?")
_SPACED_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})[,)”\"]? - (?=[\"“(]?[^\W\d_]{2})")
_TORN_HYPHEN = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{2,40})(- )(?!(?:and|but|et|nor|or|than|to|und|when|which|while)\b)"
    r"(?=([^\W\d_]{2,40}))"
)
_RANGE = re.compile(r"(?<![\w./–-])(\d{1,4})\s?-\s?(\d{1,4})(?![\w/–-]|\.\d)")
_AMPERSAND = re.compile(r"(\S{1,40}) & (\S)")


def _double_space(inspection: Inspection) -> Iterator[Finding]:
    for span, _ in found_by(_DOUBLE_SPACE, inspection.text):
        yield Finding(span, "There is more than one space between these words.", " ")


def _space_before_punctuation(inspection: Inspection) -> Iterator[Finding]:
    for span, words in found_by(_BEFORE_PUNCTUATION, inspection.text):
        yield Finding(span, f"Remove the space before “{words.strip()}”.", words.strip())
    for span, words in found_by(_AFTER_OPENING, inspection.text):
        yield Finding(span, f"Remove the space after “{words.strip()}”.", words.strip())


def _no_space_after(inspection: Inspection) -> Iterator[Finding]:
    for span, words in found_by(_NO_SPACE, inspection.text):
        yield Finding(span, f"Put a space after “{words}”.", f"{words} ")


def _quotes_and_stops(inspection: Inspection) -> Iterator[Finding]:
    if inspection.sheet.spelling is Spelling.BRITISH:
        return
    for span, words in found_by(_QUOTE_THEN_STOP, inspection.text):
        name = "comma" if words[1] == "," else "full stop"
        yield Finding(span, f"Put the {name} before the quotation mark.", words[::-1])


def _mixed_quotes(inspection: Inspection) -> Iterator[Finding]:
    text = inspection.text
    straight, curly = text.count('"'), text.count("“") + text.count("”")
    if not straight or not curly:
        return
    opens = False
    for at, letter in enumerate(text):
        if straight > curly and letter in "“”":
            yield Finding(Span(at, at + 1), "Other quotation marks of this text are straight.", '"')
        elif letter == '"':
            opens = not at or text[at - 1].isspace() or text[at - 1] in "([—–"
            if straight <= curly:
                fix = "“" if opens else "”"
                yield Finding(Span(at, at + 1), "Other quotation marks of this text are curly.", fix)


def _ellipsis(inspection: Inspection) -> Iterator[Finding]:
    for span, words in found_by(_SUSPENSION, inspection.text):
        if len(words) == 2:
            yield Finding(span, "There are two full stops in a row.", ".")
        else:
            four = words.count(".") > 3
            yield Finding(span, "An ellipsis is one sign: “…”.", "…." if four else "…")


def _double_hyphen(inspection: Inspection) -> Iterator[Finding]:
    dash = " – " if inspection.sheet.spelling is Spelling.BRITISH else "—"
    for span, _ in found_by(_HYPHENS, inspection.text):
        yield Finding(span, f"A dash is written “{dash.strip()}”, not as hyphens.", dash)
    for span, _ in found_by(_SPACED_HYPHEN, inspection.text):
        why = f"Use a dash “{dash.strip()}” here, not a hyphen."
        yield Finding(Span(span.end - 3, span.end), why, dash)


def _torn_hyphen(inspection: Inspection) -> Iterator[Finding]:
    checker = inspection.spelling
    for found in _TORN_HYPHEN.finditer(inspection.text):
        whole = "" if checker is None else checker.untorn(found[1], found[3])
        told, fix = "Remove the space after this hyphen, and the hyphen if this is one word.", None
        if whole:
            fix = whole[len(found[1]) : -len(found[3])]
            told = (
                f"Write “{whole}” without this space." if fix else f"“{whole}” is one word, without a hyphen."
            )
        yield Finding(Span(*found.span(2)), told, fix)


def _number_range(inspection: Inspection) -> Iterator[Finding]:
    for found in _RANGE.finditer(inspection.text):
        first, last = found.groups()
        whole = first[: len(first) - len(last)] + last  # 1914-18
        if int(first) < int(whole) and (first, last) != ("9", "11"):
            fix = f"{first}–{last}"
            yield Finding(Span(*found.span()), f"A range is written with a dash: “{fix}”.", fix)


def _ampersand(inspection: Inspection) -> Iterator[Finding]:
    for found in _AMPERSAND.finditer(inspection.own_words):
        if not (found[1][0].isupper() and found[2].isupper()):  # Simon & Schuster call themselves so
            at = found.end(1) + 1
            yield Finding(Span(at, at + 1), "“&” is read aloud as “and”.", "and")


_PAIRS = {")": "(", "]": "[", "}": "{"}
_INTERVAL = 16
"""Characters that an interval such as (0, 1] has at most."""


def _unbalanced_brackets(inspection: Inspection) -> Iterator[Finding]:
    text = inspection.text
    opened: list[int] = []
    for at, letter in enumerate(text):
        if letter in "([{":
            opened.append(at)
        elif letter in _PAIRS:
            fits = bool(opened) and (
                text[opened[-1]] == _PAIRS[letter]
                or (at - opened[-1] <= _INTERVAL and "," in text[opened[-1] : at])
            )
            if fits:
                opened.pop()
            elif not _counts(text, at):
                yield Finding(Span(at, at + 1), f"No bracket is opened before this “{letter}”.")
    for at in opened:
        yield Finding(Span(at, at + 1), f"The bracket “{text[at]}” is never closed.")


def _counts(text: str, at: int) -> bool:
    """Whether the bracket at ``at`` stands after a letter or a figure that counts: a) and b)."""
    return text[at] == ")" and at > 0 and text[at - 1].isalnum() and (at < 2 or not text[at - 2].isalnum())


def _unbalanced_quotes(inspection: Inspection) -> Iterator[Finding]:
    text, opened, last = inspection.text, -1, -1
    straight = 0
    for at, letter in enumerate(text):
        if letter == "“":
            if opened >= 0:
                yield Finding(Span(opened, opened + 1), "This quotation is never closed.")
            opened = at
        elif letter == "”":
            if opened < 0 and last < 0:
                yield Finding(Span(at, at + 1), "No quotation begins before this mark.")
            opened = last = -1
        elif letter == '"' and not (at and text[at - 1].isdigit() and straight % 2 == 0):  # 5" is inches
            straight += 1
            last = at if straight % 2 else -1
    if opened >= 0 and last < 0:
        yield Finding(Span(opened, opened + 1), "This quotation is never closed.")
    if last >= 0 and opened < 0:
        yield Finding(Span(last, last + 1), "This quotation mark has no partner.")


RULES = (
    Rule(
        "double_space", "Double spaces", _double_space,
        "This river  flows past a tower.", "This river flows past a tower.",
    ),
    Rule(
        "space_before_punct", "Spaces before punctuation", _space_before_punctuation,
        "This river , which floods, is long.", "This river, at .5 metres, is shallow.",
    ),
    Rule(
        "comma_no_space", "Missing spaces after punctuation", _no_space_after,
        "In spring,this river floods.", "This river has 1,200 islands of the N,N kind.",
    ),
    Rule(
        "quote_punct", "Quotation marks and punctuation", _quotes_and_stops,
        "He calls it “the old road”, and weeps.", "He calls it “the old road,” and asks “why?”, too.",
    ),
    Rule(
        "mixed_quotes", "Straight and curly quotation marks mixed", _mixed_quotes,
        'The poems “Reeds” and "Mud" name it.', "The poems “Reeds” and “Mud” name it.",
    ),
    Rule(
        "ellipsis", "Ellipses", _ellipsis,
        "The line “and then... the rain” is by this poet.", "The line “and then… the rain” is by this poet.",
    ),
    Rule(
        "double_hyphen", "Dashes", _double_hyphen,
        "This king--a glutton--died young.", "This well-known king—a glutton—died young.",
    ),
    Rule(
        "torn_hyphen", "Spaces after hyphens", _torn_hyphen,
        "This well- known king sold eels.", "This pre- and post-war king was well-known.",
    ),
    Rule(
        "number_range", "Ranges of numbers", _number_range,
        "It raged from 1702-1709.", "It raged in 1702–1709 after a 5-3 vote on 9-11.",
    ),
    Rule(
        "ampersand", "Ampersands", _ampersand,
        "It sells salt & pepper.", "It was printed by Reed & Marsh, fans of R&B.",
    ),
    Rule(
        "unbalanced_parens", "Brackets without a partner", _unbalanced_brackets,
        "This river (the longest of all floods.", "This river (the longest) maps [0, 1) to itself.",
    ),
    Rule(
        "unbalanced_quotes", "Quotation marks without a partner", _unbalanced_quotes,
        "The poem “Reeds names this river.", 'The poem "Reeds" names this 5" deep river.',
    ),
)  # fmt: skip
