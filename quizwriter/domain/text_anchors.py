"""What was said of a stretch of text, kept with it while the text goes on changing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from quizwriter.domain.history import Edit, replay
from quizwriter.domain.span import Span


def shift_span(span: Span, edit: Edit) -> Span | None:
    """Where ``span`` is once ``edit`` is made; None if nothing of what it held is left.

    It moves with what changes before it, and grows and shrinks with what changes inside. What is typed
    at its very ends stays outside. An empty span is a point: it stays before what is typed there, and is
    gone when the letters on both sides of it are.
    """
    start, end = edit.start, edit.start + len(edit.removed)
    by = len(edit.inserted) - len(edit.removed)
    if span.start == span.end:
        if start < span.start < end:
            return None
        shift = by if end <= span.start and start < span.start else 0
        return Span(span.start + shift, span.end + shift)
    if end <= span.start:
        return Span(span.start + by, span.end + by)
    if start >= span.end:
        return span
    if start <= span.start and end >= span.end:
        return None
    if start < span.start:  # its beginning went with what stood before it
        return Span(end + by, span.end + by)
    if end > span.end:
        return Span(span.start, start)
    return Span(span.start, span.end + by)


LONGEST_RUN = 500
"""Letters typed in one go that count as one edit."""


class _RemovedStretch(msgspec.Struct, frozen=True):
    """A stretch that an edit took away: it was at ``span`` of ``taken``."""

    taken: str
    span: Span


_Place: TypeAlias = Span | _RemovedStretch


class AnchorTracker:
    """A text and everything that was done to it since the beginning; says where old stretches are now.

    A stretch goes along with every edit, see :func:`shift_span`, where what was typed in one go counts as one
    edit. Two more things hold that no single edit tells. The same text has the same stretches: undoing a
    deletion, or going back to an old version, brings back what was there. And a passage of at least two
    words that is cut out and put back elsewhere takes along what lies inside.

    Versions are numbered by the edits made: 0 is the empty text.
    """

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        """The trail of a text that began empty and went through ``edits``."""
        self.text = ""
        self._edits: list[Edit] = []
        self._runs: list[tuple[int, Edit, Edit]] = []  # for every edit: see :meth:`add`
        self._twins = [-1]  # for every version, the last one before it with the same text
        self._last = {hash(""): 0}  # the last version with a text of that hash
        self._put: dict[int, str] = {}  # what stands around the words that made a version, if many
        self._versions: dict[int, str] = {}  # those that were asked for
        self._begins: list[int] = []  # the versions before all that was typed in one go, each once
        self._places: dict[tuple[int, Span], list[_Place]] = {}  # in each of those versions after its own
        for edit in edits:
            self.add(edit)

    def __len__(self) -> int:
        return len(self._edits)

    def add(self, edit: Edit) -> None:
        self.text = edit.apply(self.text)
        self._edits.append(edit)
        # The version before all that was typed in one go, that as one edit, and the least that comes to it.
        begun, run, _ = self._runs[-1] if self._runs else (0, Edit(-1, "", ""), edit)
        joined = run.then(edit) if len(run.inserted) < LONGEST_RUN else None
        if joined is None:
            begun, joined = len(self._edits) - 1, edit
        self._runs.append((begun, joined, _least(joined)))
        if not self._begins or self._begins[-1] != begun:
            self._begins.append(begun)
        version, key = len(self._edits), hash(self.text)
        self._twins.append(self._last.get(key, -1))
        self._last[key] = version
        if _is_passage(edit.inserted):
            # The edit may begin later than what was put there, where both begin alike.
            size = len(edit.inserted)
            self._put[version] = self.text[max(0, edit.start - size) : edit.start + 2 * size]

    def version(self, seq: int) -> str:
        if seq not in self._versions:
            self._versions[seq] = replay(self._edits[:seq])
        return self._versions[seq]

    def place(self, seq: int, span: Span) -> Span | None:
        """Where that is now which was at ``span`` after edit ``seq``; None: the text is gone."""
        if not 0 <= seq <= len(self._edits) or not 0 <= span.start <= span.end:
            return None
        first = bisect_right(self._begins, seq)
        places = self._places.setdefault((seq, span), [])
        for version in self._begins[first + len(places) :]:
            places.append(self._place_in(version, seq, span, places))
        now = self._place_in(len(self._edits), seq, span, places)
        return now if isinstance(now, Span) and now.end <= len(self.text) else None

    def rebased(self, seq: int, edit: Edit) -> Edit | None:
        """The ``edit`` of the text after edit ``seq`` as one of the text now.

        None: what it would change has changed, so that somebody has to look.
        """
        span = self.place(seq, Span(edit.start, edit.start + len(edit.removed)))
        if span is None or span.of(self.text) != edit.removed:
            return None
        return Edit(span.start, edit.removed, edit.inserted)

    def _place_in(self, version: int, seq: int, span: Span, known: Sequence[_Place]) -> _Place:
        """Where that is in ``version`` which was at ``span`` of version ``seq``.

        ``known`` are its places in the versions of ``_begins`` after ``seq``, at least in those before
        ``version``. Only these are kept: there are as many as pauses, and a place for each letter that was
        typed would be hundreds of times as many.
        """
        first, way = bisect_right(self._begins, seq), list[int]()
        while True:  # back to a version where it is known
            at = bisect_left(self._begins, version) - first
            if version == seq:
                place: _Place = span
            elif 0 <= at < len(known) and self._begins[first + at] == version:
                place = known[at]
            elif self._twins[version] >= seq:
                version = self._twins[version]
                continue
            else:
                begun, _, least = self._runs[version - 1]
                at = bisect_left(self._begins, begun) - first
                start = span if begun == seq else known[at] if begun > seq else None
                if not isinstance(start, Span):
                    way.append(version)
                    version -= 1
                    continue
                place = self._next(version, start, least)
            break
        for version in reversed(way):
            place = self._next(version, place, self._edits[version - 1])
        return place

    def _next(self, version: int, before: _Place, edit: Edit) -> _Place:
        """Where a stretch is in ``version``, which ``edit`` makes of the one in which it was ``before``."""
        if isinstance(before, Span):
            if edit.start >= before.end > before.start:
                return before  # as most do
            lost = Span(before.start - edit.start, before.end - edit.start)
            return shift_span(before, edit) or _RemovedStretch(edit.removed, lost)
        around = self._put.get(version)
        passage = before.taken.strip()
        if around is None or not _is_passage(passage) or passage not in around:
            return before
        at = max(0, edit.start - len(edit.inserted)) + around.index(passage)
        at -= len(before.taken) - len(before.taken.lstrip())
        return Span(at + before.span.start, at + before.span.end)


def _least(edit: Edit) -> Edit:
    """``edit`` without what it takes away only to put it back."""
    if not edit.removed:
        return edit
    least = Edit.between(edit.removed, edit.inserted) or Edit(0, "", "")
    return Edit(edit.start + least.start, least.removed, least.inserted)


def _is_passage(text: str) -> bool:
    return len(text.split()) > 1
