"""What a tossup would be with its clues changed: left out, alone, in another order, or without names.

A tossup is cut into clues, and each probe makes a variant of it: a tossup that players can play like any
other. A variant knows which word of the tossup each of its words is.
"""

from __future__ import annotations

import random
import re
import string
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, pairwise

import msgspec

from quizwriter.domain.names import AFTER_FRAME, LOWERED, name_spans
from quizwriter.domain.span import Span
from quizwriter.domain.styles import TextStyles
from quizwriter.domain.tossup import Tossup, bare_word

LONG_SENTENCE = 25
"""A sentence of more words is cut into several clues where a semicolon or ", and" allows it."""

SHORTEST_CLUE = 5
"""Words that each part of such a sentence has at least."""


FRAME_WORDS = 5
"""Words after "this" that say at most what kind of thing is asked for."""


SAYS_NOTHING = "the"
"""What stands in the place of words that are to say nothing: no player counts it."""


class Probe(StrEnum):
    """How a variant differs from its tossup."""

    DROP = "drop"
    """One clue is left out."""
    SOLO = "solo"
    """One clue is all there is."""
    SWAP = "swap"
    """One clue changes places with the next."""
    FRONT = "front"
    """One clue comes before all others."""
    END = "end"
    """One clue comes after all others."""
    LATER = "later"
    """One clue comes right before the last, which has the giveaway."""
    REPHRASE = "rephrase"
    """Some words, such as a name, say nothing: what it comes to if other words give nothing away."""
    REWORD = "reword"
    """A word is replaced by one of the same meaning."""
    SPLIT = "split"
    """A name is said right before the last clue, and says nothing where it was."""
    FIRST = "first"
    """Only the first sentence is there."""
    LAST = "last"
    """Only the last sentence is there, which has the giveaway."""
    SHUFFLE = "shuffle"
    """All clues are in an order drawn at random."""
    FRAME = "frame"
    """Only the phrase is there that says what kind of thing is asked for."""
    MASK = "mask"
    """Each name is replaced by the word "this"."""

    @property
    def asked_of_each_clue(self) -> bool:
        """Whether :func:`editing_probes` has it."""
        return self in (Probe.DROP, Probe.SOLO, Probe.SWAP, Probe.FRONT, Probe.END)


class Clue(msgspec.Struct, frozen=True):
    """One clue of a tossup. ``span`` is its text, without the punctuation that ends it.

    Its words are those from ``first`` to before ``end``, counted from 0. The clues of a tossup follow each
    other, and each word is in exactly one of them. An "and" that joins a clue to the one before is one of its
    words, but not in its span.
    """

    number: int
    span: Span
    first: int
    end: int

    def text(self, tossup: Tossup) -> str:
        return self.span.of(tossup.text)


Piece = tuple[str, int | None]
"""Letters of a variant, and where in the tossup's text they come from; None where they are new."""


class Variant(msgspec.Struct, frozen=True, dict=True):
    """A changed tossup. ``clue`` is the number of the clue that was changed, None where it is none."""

    probe: Probe
    clue: int | None
    base: Tossup
    pieces: tuple[Piece, ...]

    @cached_property
    def tossup(self) -> Tossup:
        return Tossup("".join(letters for letters, _ in self.pieces), self.base.answer)

    @cached_property
    def origins(self) -> tuple[int | None, ...]:
        """For each word of the variant the number of the same word in the tossup; None where it is new."""
        starts = [word.start for word in self.base.words]
        ends = list(accumulate(len(letters) for letters, _ in self.pieces))
        found: list[int | None] = []
        number = 0
        for word in self.tossup.words:
            while ends[number] <= word.start:
                number += 1
            letters, start = self.pieces[number]
            place = None if start is None else start + len(letters) - (ends[number] - word.start)
            found.append(None if place is None else bisect_right(starts, place) - 1)
        return tuple(found)

    def carried(self, styles: TextStyles) -> TextStyles:
        """The styles of the variant's text: each letter has what it has in ``styles``, those of the base."""
        codes = bytearray()
        for letters, start in self.pieces:
            own = b"" if start is None else styles.codes[start : start + len(letters)]
            codes += own.ljust(len(letters), b"\0")
        return TextStyles.of_codes(codes)


_NEEDLESS = re.compile(r"[,;:]\s*(?=[,;:.?!])|\s+(?=[,;.?!])|(?<=\s)\s+")
"""Punctuation and space that nothing needs: before a mark, and after a space."""

_CUT = re.compile(r";(?=\s)|,(?=\s++and\s)")
_JOINT = re.compile(r",?\s*+and\s++")
_END_OF_SENTENCE = re.compile(r"[.?!]")
_CLOSED = re.compile(r"[.?!][\"”’')\]]*+$")
_QUOTATION_MARK = re.compile('["“”]')
_OPENING = '"“‘(['
_CLOSING = string.whitespace + ".?!;,"
_POWER_MARK = re.compile(r"\([*+]\)")
_POINTER = re.compile(r"\b(?:this|these)\s++", re.IGNORECASE)

_PARTICIPLE = re.compile(r"[a-z]{3,}+(?<=ed)$")


def split_clues(tossup: Tossup, selection: Span | None = None) -> tuple[Clue, ...]:
    """The clues of ``tossup``: its sentences; long ones cut at semicolons and before ", and".

    The words of ``selection``, a stretch of the text, are a clue of their own.
    """
    words = tossup.words
    if not words:
        return ()
    starts = [word.start for word in words]
    borders = set()
    for sentence in tossup.sentences:
        first, end = _words_in(sentence, starts)
        borders.add(first)
        borders.update(_cuts(tossup, sentence, first, end, starts))
    borders.discard(len(words))
    borders.add(0)
    if selection is not None:
        first, end = _words_in(selection, starts)
        if first and words[first - 1].end > selection.start:
            first -= 1  # the selection begins inside a word
        if first < end:
            borders = {border for border in borders if not first < border < end} | {first, end}
            borders.discard(len(words))
    ends = [*sorted(borders)[1:], len(words)]
    return tuple(
        Clue(number, _content(tossup, first, end), first, end)
        for number, (first, end) in enumerate(zip(sorted(borders), ends, strict=True))
    )


def _words_in(span: Span, starts: Sequence[int]) -> tuple[int, int]:
    """The first of the words that begin in ``span``, and the first after them."""
    return bisect_right(starts, span.start - 1), bisect_right(starts, span.end - 1)


def _cuts(tossup: Tossup, sentence: Span, first: int, end: int, starts: Sequence[int]) -> Iterator[int]:
    """The words inside a long ``sentence`` at which another clue begins."""
    if end - first <= LONG_SENTENCE:
        return
    read, quoted = sentence.start, False
    for cut in _CUT.finditer(tossup.text, sentence.start, sentence.end):
        for mark in _QUOTATION_MARK.findall(tossup.text, read, cut.start()):
            quoted = mark == "“" or (mark == '"' and not quoted)
        read = cut.start()
        at = bisect_right(starts, cut.start())
        if not quoted and at - first >= SHORTEST_CLUE and end - at >= SHORTEST_CLUE:
            first = at
            yield at


def _content(tossup: Tossup, first: int, end: int) -> Span:
    """The text of the words from ``first`` to before ``end``, and of what belongs to them."""
    words = tossup.words
    start = words[first].start
    joint = _JOINT.match(tossup.text, start) if first else None
    if joint is not None and end - first > 1:
        start = joint.end()
    last = words[end - 1].end
    after = words[end].start if end < len(words) else len(tossup.text)
    for guide in tossup.unread:  # a guide belongs to the word before, a power mark to none
        beside = last <= guide.start < after and _POWER_MARK.search(guide.of(tossup.text)) is None
        if beside and _END_OF_SENTENCE.search(tossup.text, last, guide.start) is None:
            last = guide.end
    letters = tossup.text[start:last].rstrip(_CLOSING)
    return Span(start, start + max(1, len(letters)))


# -- variants


def without_clue(tossup: Tossup, clues: Sequence[Clue], number: int) -> Variant:
    """The tossup without the clue ``number``; a power mark in it stays, unless all before it is left out."""
    order = [clue.number for clue in clues if clue.number != number]
    return Variant(Probe.DROP, number, tossup, _composed(tossup, clues, order))


def only_clue(tossup: Tossup, clues: Sequence[Clue], number: int) -> Variant:
    span, text = clues[number].span, tossup.text
    gap = _Gap((("", None),), ends_sentence=True)
    pieces = (*_cased(span, text, first=True), *_after(span.of(text), gap))
    return Variant(Probe.SOLO, number, tossup, pieces)


def swapped_clues(tossup: Tossup, clues: Sequence[Clue], number: int) -> Variant:
    """The clue ``number`` after the next one."""
    if number + 1 >= len(clues):
        raise ValueError("the last clue has no next one")
    return Variant(Probe.SWAP, number, tossup, moved_clue(tossup, clues, number, number + 1).pieces)


def moved_clue(tossup: Tossup, clues: Sequence[Clue], number: int, place: int) -> Variant:
    """The clue ``number`` as the clue ``place``, from 0, of the variant.

    What stands between two clues, such as a power mark, stays between them.
    """
    order = [clue.number for clue in clues if clue.number != number]
    order.insert(place, number)
    probe = Probe.FRONT if place == 0 else Probe.END if place == len(clues) - 1 else Probe.SWAP
    return Variant(probe, number, tossup, _composed(tossup, clues, order))


def only_sentence(tossup: Tossup, probe: Probe) -> Variant:
    """The first or the last sentence alone, as ``probe`` says."""
    sentences = tossup.sentences
    span = sentences[-1 if probe is Probe.LAST else 0] if sentences else Span(0, 0)
    return Variant(probe, None, tossup, (_piece(span, tossup.text),))


def shuffled_clues(tossup: Tossup, clues: Sequence[Clue], seed: int) -> Variant:
    """The clues in an order that ``seed`` draws."""
    order = list(range(len(clues)))
    random.Random(seed).shuffle(order)
    return Variant(Probe.SHUFFLE, None, tossup, _composed(tossup, clues, order))


def frame_only(tossup: Tossup, category: str = "") -> Variant | None:
    """Only what says what kind of thing is asked for, as "name this Italian composer", and the category.

    It is the phrase after "For 10 points", or else the first one that begins with "this". None where the
    tossup has no such phrase.
    """
    text, clues = tossup.text, tossup.clues
    stock = next((number for number, clue in enumerate(clues) if not clue), None)
    called = None
    if stock is not None:
        called = _POINTER.search(text, tossup.words[stock].start)
    start = None
    if called is not None and stock is not None:
        before = tossup.words[max(0, stock - 1)]
        start = (before if bare_word(before.of(text)).casefold() == "for" else tossup.words[stock]).start
    if called is None:
        called = _POINTER.search(text)
        start = None if called is None else called.start()
    if called is None or start is None:
        return None
    end = called.end()
    following = [word for word in tossup.words if word.start >= called.end()]
    for word in following[:FRAME_WORDS]:
        bare = bare_word(word.of(text))
        if bare.casefold() in AFTER_FRAME or (end > called.end() and _PARTICIPLE.match(bare)):
            break
        end = word.start + word.of(text).rfind(bare) + len(bare)
        if end < word.end:
            break  # punctuation ends the phrase
    ending = f". {category}." if category else "."
    return Variant(Probe.FRAME, None, tossup, (*_cased(Span(start, end), text, first=True), (ending, None)))


def masked_names(tossup: Tossup) -> Variant:
    """The tossup with "this" in the place of each name; see :func:`name_spans`."""
    text = tossup.text
    starts = {span.start for span in tossup.sentences}
    pieces: list[Piece] = []
    at = 0
    for span in name_spans(tossup):
        pieces += [(text[at : span.start], at), ("This" if span.start in starts else "this", span.start)]
        at = span.end
    return Variant(Probe.MASK, None, tossup, (*pieces, (text[at:], at)))


def unsaid(tossup: Tossup, words: Collection[int]) -> tuple[Piece, ...]:
    """The text of ``tossup`` with :data:`SAYS_NOTHING` in the place of each of ``words``, from 0."""
    text, at = tossup.text, 0
    pieces: list[Piece] = []
    for number in sorted(words):
        span = tossup.words[number]
        bare = bare_word(span.of(text))
        start = span.start + span.of(text).find(bare)
        pieces += [(text[at:start], at), (SAYS_NOTHING, None)]
        at = start + len(bare)
    return tuple(piece for piece in (*pieces, (text[at:], at)) if piece[0])


def rephrased_cue(tossup: Tossup, clues: Sequence[Clue], cue: Sequence[Span]) -> Variant:
    """The tossup with the words of ``cue``, all its places, said so that they give nothing away."""
    words = {
        number
        for number, word in enumerate(tossup.words)
        if any(word.start < span.end and word.end > span.start for span in cue)
    }
    return Variant(Probe.REPHRASE, clue_at(clues, cue[0].start), tossup, unsaid(tossup, words))


def clue_at(clues: Sequence[Clue], place: int) -> int | None:
    return next((clue.number for clue in clues if clue.span.start <= place < clue.span.end), None)


def split_name(tossup: Tossup, clues: Sequence[Clue], name: Sequence[Span]) -> Variant:
    """The tossup with ``name``, all its places before the last clue, said right before that clue alone."""
    last = clues[-1].span.start
    described = rephrased_cue(tossup, clues, [span for span in name if span.end <= last] or name)
    said = max((span.of(tossup.text) for span in name), key=len)
    pieces: list[Piece] = []
    for letters, start in described.pieces:
        if start is not None and start <= last < start + len(letters):
            pieces += [(letters[: last - start], start), (f"{said}, ", None), (letters[last - start :], last)]
        else:
            pieces.append((letters, start))
    return Variant(Probe.SPLIT, described.clue, tossup, tuple(piece for piece in pieces if piece[0]))


def delayed_clue(tossup: Tossup, clues: Sequence[Clue], number: int) -> Variant:
    """The clue ``number`` right before the last clue."""
    moved = moved_clue(tossup, clues, number, len(clues) - 2)
    return Variant(Probe.LATER, number, tossup, moved.pieces)


def with_sentence(tossup: Tossup, clues: Sequence[Clue], sentence: str) -> Tossup:
    """``tossup`` with ``sentence`` before its last clue, to be played and thrown away."""
    if len(clues) < 2:
        return Tossup(f"{sentence} {tossup.text}", tossup.answer)
    at = clues[-1].span.start
    return Tossup(f"{tossup.text[:at]}{sentence} {tossup.text[at:]}", tossup.answer)


def editing_probes(tossup: Tossup, clues: Sequence[Clue]) -> tuple[Variant, ...]:
    """What a writer may ask of each clue: without it, alone, first, last, swapped with the next.

    A change that leaves the clue where it is, is no variant.
    """
    last = len(clues) - 1
    if last < 1:
        return ()
    found = []
    for clue in clues:
        number = clue.number
        found += [without_clue(tossup, clues, number), only_clue(tossup, clues, number)]
        if number < last - 1:  # to swap the last two clues is to move the one of them to the end
            found.append(swapped_clues(tossup, clues, number))
        if number < last:
            found.append(moved_clue(tossup, clues, number, last))
        if number:
            found.append(moved_clue(tossup, clues, number, 0))
    return tuple(found)


# -- putting clues together


def _piece(span: Span, text: str) -> Piece:
    return span.of(text), span.start


class _Gap(msgspec.Struct, frozen=True):
    """What stands between two clues, and whether a sentence ends there.

    ``after`` is the number of the clue that it followed in the tossup, None where it is a new one.
    """

    pieces: tuple[Piece, ...]
    ends_sentence: bool
    after: int | None = None


def healed(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """``pieces`` without the punctuation and the spaces that are too many where two of them meet."""
    text = "".join(letters for letters, _ in pieces)
    seams = set(accumulate(len(letters) for letters, _ in pieces))
    gone = {
        place
        for found in _NEEDLESS.finditer(text)
        if any(found.start() <= seam <= found.end() for seam in seams)
        for place in range(*found.span())
    }
    kept: list[Piece] = []
    at = 0
    for letters, start in pieces:
        run = 0
        for place in range(len(letters) + 1):
            if place == len(letters) or at + place in gone:
                if place > run:
                    kept.append((letters[run:place], None if start is None else start + run))
                run = place + 1
        at += len(letters)
    return tuple(kept)


def _composed(tossup: Tossup, clues: Sequence[Clue], order: Sequence[int]) -> tuple[Piece, ...]:
    """The text of the clues in ``order``, with what stands between clues of the tossup between them."""
    if not order:
        return ()
    text = tossup.text
    spans = [clue.span for clue in clues]
    borders = [0, *(border for span in spans for border in (span.start, span.end)), len(text)]
    stretches = [Span(*borders[number : number + 2]) for number in range(0, len(borders), 2)]
    ending = [
        number in (0, len(clues))
        or _END_OF_SENTENCE.search(stretch.of(text)) is not None
        or _CLOSED.search(spans[number - 1].of(text)) is not None
        for number, stretch in enumerate(stretches)
    ]
    if len(order) == len(clues):
        gaps = [
            _Gap((_piece(stretch, text),), ends, number - 1)
            for number, (stretch, ends) in enumerate(zip(stretches, ending, strict=True))
        ]
    else:  # the clues that are left are in the order of the tossup
        kept = [-1, *order, len(clues)]
        gaps = [
            _merged_gap(text, stretches, ending, spans, before + 1, after) for before, after in pairwise(kept)
        ]
    pieces = list(gaps[0].pieces)
    for place, number in enumerate(order):
        begins = gaps[place].ends_sentence
        pieces += (
            _cased(spans[number], text, first=begins)
            if begins != ending[number]
            else [_piece(spans[number], text)]
        )
        following = gaps[place + 1]
        own = following.after == number
        pieces += following.pieces if own else _after(spans[number].of(text), following)
    return healed([piece for piece in pieces if piece[0]])


def _after(letters: str, gap: _Gap) -> Iterator[Piece]:
    """The ``gap`` after a clue of these ``letters``, with one end of the sentence if it ends there."""
    first, *others = gap.pieces
    mark, start = first
    closed = _CLOSED.search(letters) is not None
    if closed and start is not None:
        bare = mark.lstrip(".?!")
        first = bare, start + len(mark) - len(bare)
    elif gap.ends_sentence and not closed and _END_OF_SENTENCE.search(mark) is None:
        yield ".", None
    yield first
    yield from others


def _merged_gap(
    text: str, stretches: Sequence[Span], ending: Sequence[bool], spans: Sequence[Span], first: int, last: int
) -> _Gap:
    """What stands between two clues once the clues from ``first`` to before ``last`` are left out.

    It is the end of a sentence if one of the ``stretches`` around them is, with the power marks of all that
    is left out. Before the first clue that is left there is nothing that a power mark could end.
    """
    if first == last:
        return _Gap((_piece(stretches[first], text),), ending[first], first - 1)
    numbers = range(first, last + 1)
    chosen = first if not first else next((number for number in numbers if ending[number]), first)
    left_out = [*(stretches[number] for number in numbers if number != chosen), *spans[first:last]]
    marks = " ".join(mark for span in left_out for mark in _POWER_MARK.findall(span.of(text)) if first)
    at_end = last == len(spans)
    letters, start = _piece(stretches[chosen], text)
    ends = any(ending[number] for number in numbers)
    if marks or at_end:
        letters = letters.rstrip()
    marked = f"{' ' if first or letters else ''}{marks}{'' if at_end else ' '}" if marks else ""
    return _Gap(((letters, start), (marked, None)), ends)


def _cased(span: Span, text: str, *, first: bool) -> list[Piece]:
    """The text of ``span`` as it begins a sentence, or as it does not."""
    letters = span.of(text)
    letter, word = letters[:1], letters.split(maxsplit=1)[0] if letters.strip() else ""
    other = letter.upper() if first else letter.lower() if word.casefold() in LOWERED else letter
    return [(other if len(other) == 1 else letter, span.start), (letters[1:], span.start + 1)]
