"""The words of a tossup as MODAQ counts them, by which it and its files say where somebody buzzed.

To MODAQ a word is what stands between spaces: lone dashes and guides without quotation marks, too. Power
marks, guides in its marks and directives such as ``(pause)`` are none.

Source:
    MODAQ fde1bcc (1.42.1), src/parser/FormattedTextParser.ts, and getWords in src/state/PacketState.ts.
"""

from __future__ import annotations

import re

from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup

_POWER = "(*)"
_GUIDE_STARTS, _GUIDE_ENDS = ('("', "(“"), ('")', "”)")
_DIRECTIVES = tuple(
    f"{before}{directive}{after}"
    for before, after in ("()", "[]")
    for directive in ("emphasize", "emphasise", "pause", "read slowly")
)
_MARKS = re.compile(
    "|".join(map(re.escape, (*_GUIDE_STARTS, *_GUIDE_ENDS, *_DIRECTIVES))),
    re.IGNORECASE,
)
_SPACED = re.compile("[^\t\n\v\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
"""What has no white space of JavaScript in it."""


def modaq_words(text: str) -> tuple[Span, ...]:
    """What MODAQ counts as the words of ``text``, in order."""
    silent, begun = [], -1  # the stretches that are no words
    for mark in _MARKS.finditer(text):
        if mark.group() in _GUIDE_STARTS:
            begun = mark.start() if begun < 0 else begun
        elif mark.group() in _GUIDE_ENDS:
            if begun >= 0:
                silent.append(Span(begun, mark.end()))
            begun = -1
        else:
            silent.append(Span(*mark.span()))
    if begun >= 0:
        silent.append(Span(begun, len(text)))
    found, at = [], 0
    for word in _SPACED.finditer(text):
        start = word.start()
        while at < len(silent) and silent[at].end <= start:
            at += 1
        is_silent = at < len(silent) and silent[at].start <= start
        if not is_silent and not word.group().startswith(_POWER):
            found.append(Span(*word.span()))
    return tuple(found)


def position_of_modaq(text: str, index: int) -> int:
    """Where a buzz lies among our words, from 0, that MODAQ places at ``index``.

    The index behind the last word is that of its mark for the end; beyond that, positions go on.
    """
    ours, theirs = Tossup(text).words, modaq_words(text)
    if index >= len(theirs):
        return len(ours) + index - len(theirs)
    return max(0, sum(word.start < theirs[index].end for word in ours) - 1)


def index_in_modaq(text: str, position: int) -> int:
    """Where MODAQ places a buzz that lies at ``position`` among our words, from 0."""
    ours, theirs = Tossup(text).words, modaq_words(text)
    if position >= len(ours):
        return len(theirs) + position - len(ours)
    return max(0, sum(word.start < ours[position].end for word in theirs) - 1)
