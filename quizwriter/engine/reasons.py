"""The words to change: those without which a page would lead by the least.

A cue is a name, whole, or one word that is no name, wherever the draft has it. Words that many pages share,
such as the noun of "this composer", are the frame of a tossup: no writer can do without them, so they are
told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Reason
from quizwriter.domain.names import name_spans
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup, bare_word
from quizwriter.engine.tokenizer import Hashes, tokenize

REASONS = 3
"""Cues that are named."""

RIVALS = 24
"""So many of the next guesses may come first once a cue is gone."""

TRIED = 8
"""So many cues are tried beside those already named: the others do less by themselves."""

IsFrame = Callable[[Hashes], npt.NDArray[np.bool_]]
"""Of each of some stems, which rise, whether many pages share it."""

Leads = Callable[[Sequence[frozenset[int]]], Sequence[float]]
"""By how much a page leads when the tossup is heard without some words, for each of several sets of words."""


class CueGroup(msgspec.Struct, frozen=True):
    """A cue: its ``words``, from 0, wherever the tossup has them, and whether it belongs to the ``frame``."""

    words: frozenset[int]
    frame: bool


def no_frame(stems: Hashes) -> npt.NDArray[np.bool_]:
    """Where nothing is known of what pages share."""
    return np.zeros(len(stems), np.bool_)


def cue_groups(tossup: Tossup, is_frame: IsFrame) -> tuple[CueGroup, ...]:
    """The cues of ``tossup``; ``is_frame`` says of stems, which rise, whether many pages share them.

    A stem right after "this" belongs to the frame, too, unless it is a name.
    """
    reading = tokenize(tossup)
    places: dict[int, set[int]] = {}
    for stem, word in zip(reading.stems.tolist(), reading.words.tolist(), strict=True):
        if stem:
            places.setdefault(stem, set()).add(word)
    stems = np.asarray(sorted(places), np.uint64)
    frame = set(stems[is_frame(stems)].tolist()) if len(stems) else set()
    names = [
        frozenset(
            number
            for number, word in enumerate(tossup.words)
            if word.start < name.end and word.end > name.start
        )
        for name in name_spans(tossup)
    ]
    named = frozenset[int]().union(*names)
    called = np.flatnonzero(reading.pointers[:-1] & (reading.stems[1:] != 0)) + 1
    frame |= {
        stem
        for stem, word in zip(reading.stems[called].tolist(), reading.words[called].tolist(), strict=True)
        if word not in named
    }
    runs = [*names, *(frozenset({word}) for words in places.values() for word in words - named)]
    found: dict[frozenset[int], CueGroup] = {}
    for run in runs:
        own = {
            stem
            for stem, word in zip(reading.stems.tolist(), reading.words.tolist(), strict=True)
            if stem and word in run
        }
        rare = own - frame
        group = CueGroup(frozenset().union(*(places[stem] for stem in rare or own)), not rare)
        if own:
            found.setdefault(group.words, group)
    return tuple(found.values())


def find_reasons(
    tossup: Tossup, groups: Sequence[CueGroup], lead: float, leads: Leads
) -> tuple[tuple[Reason, ...], tuple[Span, ...]]:
    """The :data:`REASONS` cues whose loss leaves the smallest lead, found one after the other, and the frame.

    ``lead`` is that with all words. The frame has the first place of each word that adds to the lead, what
    adds most first.
    """
    alone = leads([group.words for group in groups])
    falls = {group.words: lead - left for group, left in zip(groups, alone, strict=True)}
    cues = [group.words for group in groups if not group.frame and falls[group.words] > 0]
    cues = sorted(cues, key=lambda words: -falls[words])[:TRIED]
    gone: frozenset[int] = frozenset()
    reasons: list[Reason] = []
    while cues and len(reasons) < REASONS:
        left = leads([gone | words for words in cues]) if gone else [-falls[words] for words in cues]
        words = cues.pop(min(range(len(cues)), key=left.__getitem__))
        gone |= words
        cues = [other for other in cues if not other <= gone]
        reasons.append(Reason(runs_of(tossup, words), falls[words]))
    frame = sorted(
        (group for group in groups if group.frame and falls[group.words] > 0),
        key=lambda group: -falls[group.words],
    )
    return tuple(reasons), tuple(runs_of(tossup, frozenset({min(group.words)}))[0] for group in frame)


def runs_of(tossup: Tossup, words: frozenset[int]) -> tuple[Span, ...]:
    """The stretches of the text that ``words`` are, without the punctuation around them."""
    found: list[Span] = []
    before = -2
    for number in sorted(words):
        word = tossup.words[number]
        bare = bare_word(word.of(tossup.text))
        start = word.start + word.of(tossup.text).find(bare)
        span = Span(start, start + len(bare))
        found[-1:] = [Span(found[-1].start, span.end)] if number == before + 1 else [*found[-1:], span]
        before = number
    return tuple(found)
