"""Three-way merge of texts, word by word: what several branches made of the text that they began with.

Changes of several branches that touch different words are all taken. Where branches changed the same words in
different ways, somebody has to choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from quizwriter.domain.history import Edit, TextDifference, differences
from quizwriter.domain.span import Span


class Alternative(msgspec.Struct, frozen=True):
    """What may stand in a stretch, and the numbers (from 0) of the branches that say so.

    No branch says the words that stood there before; all branches say what they inserted one after another.
    """

    text: str
    branches: tuple[int, ...]


class MergedStretch(msgspec.Struct, frozen=True):
    """A stretch of the base that a branch changed, with what may stand there.

    Without a conflict there is one alternative. In a conflict, the last alternative is what stood there
    before; where nothing stood there, it is all that was inserted, in the order of the branches.
    """

    base: Span
    alternatives: tuple[Alternative, ...]

    @property
    def is_conflict(self) -> bool:
        return len(self.alternatives) > 1


class MergedPiece(msgspec.Struct, frozen=True):
    """A piece of the merged text: of ``stretch``, or unchanged text; ``conflict`` counts conflicts from 0."""

    text: str
    stretch: MergedStretch | None = None
    conflict: int | None = None
    branches: tuple[int, ...] = ()


class TextMerge(msgspec.Struct, frozen=True):
    """The merge of the texts of some branches: :func:`merged_texts` makes one."""

    base: str
    changes: tuple[tuple[TextDifference, ...], ...]  # of each branch, in order
    stretches: tuple[MergedStretch, ...]  # in order

    @property
    def conflicts(self) -> tuple[MergedStretch, ...]:
        return tuple(one for one in self.stretches if one.is_conflict)

    def pieces(self, choices: Sequence[int | None] = ()) -> Iterator[MergedPiece]:
        """The merged text in pieces; ``choices`` are the numbers of the alternatives taken in conflicts.

        A conflict in which nothing is chosen yet (None, or ``choices`` is too short) has an empty text.
        """
        at = number = 0
        for one in self.stretches:
            if at < one.base.start:
                yield MergedPiece(self.base[at : one.base.start])
            at = one.base.end
            if not one.is_conflict:
                yield MergedPiece(one.alternatives[0].text, one, None, one.alternatives[0].branches)
                continue
            choice = choices[number] if number < len(choices) else None
            if choice is not None and not 0 <= choice < len(one.alternatives):
                raise IndexError(f"conflict {number + 1} has no alternative {choice + 1}")
            taken = Alternative("", ()) if choice is None else one.alternatives[choice]
            yield MergedPiece(taken.text, one, number, taken.branches)
            number += 1
        if at < len(self.base):
            yield MergedPiece(self.base[at:])

    def text(self, choices: Sequence[int] = ()) -> str:
        if len(choices) != len(self.conflicts):
            raise ValueError(f"{len(self.conflicts)} conflicts need as many choices, not {len(choices)}")
        return "".join(piece.text for piece in self.pieces(choices))


def merged_texts(base: str, texts: Sequence[str]) -> TextMerge:
    """What ``texts`` made of ``base``, merged.

    Changes of different branches are in conflict if they touch the same words, if they insert different words
    at the same place, or if one word would be made of two.

    Source:
        The way of diff3 (Khanna, Kunal and Pierce 2007, "A Formal Investigation of Diff3"), by words and for
        any number of branches.
    """
    changes = tuple(differences(base, text) for text in texts)
    marked = sorted(
        (
            (one.before, branch, one.after.of(texts[branch]))
            for branch, of in enumerate(changes)
            for one in of
        ),
        key=lambda found: (found[0].start, found[0].end, found[1]),
    )
    groups: list[tuple[Span, list[_Change]]] = []
    for span, branch, text in marked:
        here = groups[-1][0] if groups else Span(-1, -1)
        if span.start < here.end or span == here:
            groups[-1] = (Span(here.start, max(here.end, span.end)), [*groups[-1][1], (span, branch, text)])
        else:
            groups.append((span, [(span, branch, text)]))
    found: list[MergedStretch] = []
    for run in _touching(groups):
        stretches = [_stretch(base, span, parts) for span, parts in run]
        if len(run) > 1 and _glues(base, stretches):
            whole = Span(run[0][0].start, run[-1][0].end)
            stretches = [_stretch(base, whole, [part for _, parts in run for part in parts])]
        found += stretches
    return TextMerge(base, changes, tuple(found))


_Change = tuple[Span, int, str]  # what of the base, the number of the branch, and what stands there instead


def _touching(
    groups: Sequence[tuple[Span, list[_Change]]],
) -> Iterator[list[tuple[Span, list[_Change]]]]:
    """``groups`` in runs between which something of the base is left."""
    run: list[tuple[Span, list[_Change]]] = []
    for group in groups:
        if run and run[-1][0].end < group[0].start:
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _stretch(base: str, span: Span, parts: Sequence[_Change]) -> MergedStretch:
    of: dict[int, list[_Change]] = {}
    for part in parts:
        of.setdefault(part[1], []).append(part)
    says: dict[str, list[int]] = {}
    for branch in sorted(of):
        at, pieces = span.start, list[str]()
        for changed, _, text in of[branch]:
            pieces += [base[at : changed.start], text]
            at = changed.end
        says.setdefault("".join([*pieces, base[at : span.end]]), []).append(branch)
    found = [Alternative(text, tuple(branches)) for text, branches in says.items()]
    if len(found) > 1:
        before = span.of(base)
        if before:
            found.append(Alternative(before, ()))
        elif not any(_is_glued(one.text, other.text) for one, other in pairwise(found)):
            found.append(Alternative("".join(one.text for one in found), tuple(sorted(of))))
    return MergedStretch(span, tuple(found))


def _glues(base: str, stretches: Sequence[MergedStretch]) -> bool:
    """Whether ``stretches``, which touch each other, can make one word of two, whatever is chosen."""
    start, end = stretches[0].base.start, stretches[-1].base.end
    ends = {base[max(0, start - 1) : start]}
    for one in stretches:
        texts = {alternative.text for alternative in one.alternatives}
        if any(_is_glued(last, text) for last in ends for text in texts):
            return True
        ends = {text[-1:] for text in texts if text} | (ends if "" in texts else set())
    return any(_is_glued(last, base[end : end + 1]) for last in ends)


def _is_glued(left: str, right: str) -> bool:
    return all(one.isalnum() or one == "_" for one in (left[-1:], right[:1]))


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """The edits that make ``after`` of ``before``, one for each stretch of words that differs."""
    found, shift = [], 0
    for one in differences(before, after):
        edit = Edit(one.before.start + shift, one.before.of(before), one.after.of(after))
        shift += len(edit.inserted) - len(edit.removed)
        found.append(edit)
    return tuple(found)
