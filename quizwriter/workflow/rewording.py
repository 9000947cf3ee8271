"""A cue said in other words: synonyms from the list in ``resources/synonyms``, of words that are no names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.names import name_spans
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup, bare_word
from quizwriter.system.resource_files import resource_lines
from quizwriter.workflow.probes import Clue, Piece, Probe, Variant, clue_at

MOST_CUES = 10
"""Words for which others are offered, those that count most."""

_WORD = re.compile(r"[a-z]++")
_QUOTED = re.compile(r"“[^“”]*+”|\"[^\"]*+\"")
_GOVERNED = re.compile(
    r"about|against|away|back|down|for|from|into|off|on|out|over|to|up|upon|with", re.IGNORECASE
)
"""What a word before may demand, and its synonym does not: one relies on, and trusts in."""
_UNSURE = re.compile(r"u|eu|h|on[ce]")
"""How words begin of which the letters do not say whether "a" or "an" comes before."""


@cache
def _listed() -> str:
    return "\n".join(("", *resource_lines("synonyms/synonyms.txt"), ""))


def synonyms(word: str) -> tuple[str, ...]:
    """What may be said instead of ``word``, in the same form, best first; ``word`` is in small letters."""
    if not _WORD.fullmatch(word):
        return ()
    before = f"\n{word} "
    start = _listed().find(before)
    if start < 0:
        return ()
    start += len(before)
    return tuple(_listed()[start : _listed().index("\n", start)].split())


def reworded_cues(tossup: Tossup, clues: Sequence[Clue], evidence: Evidence) -> Iterator[Variant]:
    """The tossup with one of its cues in other words, for the cues that count most.

    A word is replaced in all its places. Names, quotations, the frame and a word that demands its preposition
    stay, and no word of the answer is offered.
    """
    places = _replaceable(tossup)
    weighed = sorted((cue for cue in evidence.cues if cue.weight > 0), key=lambda cue: -cue.weight)
    spans = [*(span for reason in evidence.reasons for span in reason.spans), *(cue.span for cue in weighed)]
    found = [_folded(span, tossup) for span in spans]
    answer = set(_WORD.findall(tossup.answer.line.casefold())) if tossup.answer is not None else set()
    frame = {_folded(span, tossup) for span in evidence.frame}
    cues = [one for one in dict.fromkeys(found) if one in places and one not in frame and synonyms(one)]
    for word in cues[:MOST_CUES]:
        for other in synonyms(word):
            pieces = None if other in answer else _with_word(tossup, places[word], other)
            if pieces is not None:
                clue = clue_at(clues, tossup.words[places[word][0]].start)
                yield Variant(Probe.REWORD, clue, tossup, pieces)


def _folded(span: Span, tossup: Tossup) -> str:
    return bare_word(span.of(tossup.text)).casefold()


def _replaceable(tossup: Tossup) -> dict[str, list[int]]:
    """The words outside of names and quotations, in small letters, with the numbers of their places."""
    text = tossup.text
    kept = [*name_spans(tossup), *tossup.unread]
    kept_at = [(span.start, span.end) for span in kept] + [found.span() for found in _QUOTED.finditer(text)]
    found: dict[str, list[int]] = {}
    demanding = set()
    for number, (word, after) in enumerate(zip(tossup.words, (*tossup.words[1:], None), strict=True)):
        bare = bare_word(word.of(text))
        if bare[1:].islower() and not any(start < word.end and word.start < end for start, end in kept_at):
            found.setdefault(bare.casefold(), []).append(number)
            goes_on = word.of(text).endswith(bare)  # no comma or full stop comes between
            if goes_on and after is not None and _GOVERNED.fullmatch(after.of(text)):
                demanding.add(bare.casefold())
    return {word: places for word, places in found.items() if word not in demanding}


def _with_word(tossup: Tossup, places: Sequence[int], other: str) -> tuple[Piece, ...] | None:
    """The text with the word ``other`` in ``places``; None where nobody knows which article it needs."""
    text, at = tossup.text, 0
    pieces: list[Piece] = []

    def put(number: int, word: str) -> None:
        nonlocal at
        span = tossup.words[number]
        bare = bare_word(span.of(text))
        start = span.start + span.of(text).find(bare)
        new = word.capitalize() if bare[:1].isupper() else word
        pieces.extend([(text[at:start], at), (new, None)])
        at = start + len(bare)

    for number in places:
        before = tossup.words[number - 1].of(text).casefold() if number else ""
        if before in ("a", "an"):
            if _UNSURE.match(other):
                return None
            article = "an" if other[0] in "aeio" else "a"
            if article != before:
                put(number - 1, article)
        put(number, other)
    return tuple(piece for piece in (*pieces, (text[at:], at)) if piece[0])
