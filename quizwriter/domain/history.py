"""How a tossup came to be: the edits, in the order they were made.

An edit that does not fit the text before it is a ``ValueError``, wherever edits are replayed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from quizwriter.domain.alignment import matching_words
from quizwriter.domain.span import Span

CHECKPOINT = 64
"""Edits between two texts that :class:`VersionCache` keeps; more in long histories."""

MOST_CHECKPOINTS = 256
"""Texts that :class:`VersionCache` keeps."""

PIECE = 4096
"""Characters of a long text that :func:`replay` copies for an edit."""

MERGE_GAP = 2
"""Characters that may lie between two edits at one place."""

FARTHEST = 100
"""Characters by which an edit is moved to where people would say it was made."""

_ENDS = (".", "?", "!")
_IN_A_WORD = re.compile(r"\w[\w'’-]|['’-]\w")
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


class Edit(msgspec.Struct, frozen=True):
    """Replace ``removed`` by ``inserted`` at code point ``start``.

    The removed text is kept, so that a history can be walked backwards and a damaged one is noticed
    rather than replayed into nonsense.
    """

    start: int
    removed: str
    inserted: str

    @classmethod
    def between(cls, before: str, after: str) -> Edit | None:
        """The smallest single edit from ``before`` to ``after``; None if they are equal.

        Where the choice is free (an "a" typed among "aaa") the longest common prefix wins; replay is
        exact either way.
        """
        if before == after:
            return None
        start = _shared(before, after, limit=min(len(before), len(after)))
        limit = min(len(before), len(after)) - start
        tail = _shared(before[::-1], after[::-1], limit=limit)
        return cls(start, before[start : len(before) - tail], after[start : len(after) - tail])

    def apply(self, text: str) -> str:
        """``text`` with this edit made.

        Raises:
            ValueError: ``text`` does not contain ``removed`` at ``start``: the edit is another draft's.
        """
        end = self.start + len(self.removed)
        if not 0 <= self.start <= len(text) or text[self.start : end] != self.removed:
            raise ValueError(f"edit at {self.start} does not fit this text")
        return text[: self.start] + self.inserted + text[end:]

    def leads(self, before: str, after: str) -> bool:
        """Whether this edit of ``before`` gives ``after``, as far as lengths and the words replaced show."""
        end = self.start + len(self.removed)
        return (
            before[self.start : end] == self.removed
            and len(before) - len(self.removed) + len(self.inserted) == len(after)
            and after.startswith(self.inserted, self.start)
        )

    def inverse(self) -> Edit:
        return Edit(self.start, self.inserted, self.removed)

    def starting_at(self, start: int, text: str) -> Edit | None:
        """The same change of ``text``, but begun at ``start``; None if that would be another change.

        To type an "e" before or after another "e" comes to the same.
        """
        moved = self.inserted or self.removed
        if (self.inserted and self.removed) or not 0 <= start <= self.start:
            return None
        gap = text[start : self.start]
        here = (gap + moved)[: len(moved)]
        if here + gap != gap + moved:
            return None
        return Edit(start, "", here) if self.inserted else Edit(start, here, "")

    def then(self, later: Edit) -> Edit | None:
        """This edit and ``later`` as one, where ``later`` types on or rubs out; else None."""
        end = self.start + len(self.inserted)
        if not later.removed and later.start == end:
            return Edit(self.start, self.removed, self.inserted + later.inserted)
        if not later.inserted and not self.inserted and later.start + len(later.removed) == self.start:
            return Edit(later.start, later.removed + self.removed, "")
        return None

    def joined(self, later: Edit, text: str) -> Edit | None:
        """This edit, which made ``text``, and ``later`` as one where they are at one place; else None.

        They may be a letter or two apart: which of two spaces went, no history knows. The two may have taken
        each other back: then nothing is removed and inserted, or the same.
        """
        end = self.start + len(self.inserted)
        later_end = later.start + len(later.removed)
        if max(later.start - end, self.start - later_end) > MERGE_GAP:
            return None
        ahead, behind = text[later_end : self.start], text[end : later.start]
        start, removed = min(self.start, later_end), ahead + self.removed + behind
        inserted = ahead + self.inserted + behind
        before = later.removed[: max(0, start - later.start)]
        after = later.removed[max(0, start + len(inserted) - later.start) :]
        kept = inserted[: max(0, later.start - start)]
        left = inserted[max(0, later_end - start) :]
        return Edit(min(start, later.start), before + removed + after, kept + later.inserted + left)

    def trimmed(self) -> Edit | None:
        """The same change without what is both removed and inserted; None if nothing is left."""
        least = Edit.between(self.removed, self.inserted)
        return least and Edit(self.start + least.start, least.removed, least.inserted)

    @property
    def difference(self) -> TextDifference:
        start = self.start
        return TextDifference(Span(start, start + len(self.removed)), Span(start, start + len(self.inserted)))

    def expanded_to_words(self, text: str) -> Edit:
        """The same change of ``text``, but beginning and ending between words, as people would tell it."""
        start, removed, inserted = self.start, self.removed, self.inserted
        end = start + len(removed)
        if not removed or not inserted:  # then it may as well begin earlier, among equal letters
            at, moved = _begun(text, start, removed or inserted, gone=len(removed))
            start, end = at, at + len(removed)
            removed, inserted = (moved, "") if removed else ("", moved)
        while start and any(_inside(text[start - 1], (new + text[end:])[:1]) for new in (removed, inserted)):
            start -= 1
            removed, inserted = text[start] + removed, text[start] + inserted
        while end < len(text) and any(
            _inside((text[:start] + new)[-1:], text[end]) for new in (removed, inserted)
        ):
            removed, inserted = removed + text[end], inserted + text[end]
            end += 1
        return Edit(start, removed, inserted)


class EditKind(StrEnum):
    """How an edit stands to the steps in which its writer can undo."""

    UNKNOWN = ""  # it was made by an older program, or on another machine
    FIRST = "first"  # it begins a step
    MORE = "more"  # it belongs to the step of the edit before it
    UNDO = "undo"  # it takes the latest edit back that was not taken back yet
    REDO = "redo"  # it makes again what the latest undo took back


class Change(msgspec.Struct, frozen=True):
    """An edit as it stands in a tossup's history: its number from 1, and when and by whom it was made.

    ``kind`` is known on the writer's own machine only. It is no part of the history that machines compare.
    """

    seq: int
    at_ms: int  # milliseconds since 1970, by the writer's clock
    edit: Edit
    author: str = ""  # a person's id; empty if unknown
    kind: EditKind = EditKind.UNKNOWN

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Change) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[int, int, Edit, str]:
        return self.seq, self.at_ms, self.edit, self.author

    def id_after(self, before: str) -> str:
        """The id of this edit where the one before it has the id ``before``, and the first the tossup's own.

        It says what the whole history up to here is: two histories with one id in common are the same so
        far. 32 hexadecimal digits of SHA-256.
        """
        edit = self.edit
        lengths = f"{self.at_ms} {self.author} {edit.start} {len(edit.removed)} {len(edit.inserted)}"
        whole = f"{before}\n{lengths}\n{edit.removed}{edit.inserted}"
        return hashlib.sha256(whole.encode()).hexdigest()[:32]


def edit_ids(root: str, changes: Iterable[Change]) -> list[str]:
    """The ids of ``changes``, the whole history of a tossup that was made with the id ``root``."""
    found = []
    before = root
    for change in changes:
        before = change.id_after(before)
        found.append(before)
    return found


def replay(edits: Iterable[Edit], text: str = "") -> str:
    """The text after ``edits``, starting from ``text``.

    The time grows with the number of edits and with what they remove and insert, not with the text.
    """
    rest = iter(edits)
    for edit in rest:
        text = edit.apply(text)
        if len(text) > 2 * PIECE:
            pieces = _TextPieces(text)
            for later in rest:
                pieces.apply(later)
            return "".join(pieces.pieces)
    return text


class _TextPieces:
    """A long text in pieces, of which an edit copies those that it touches.

    No piece is longer than twice :data:`PIECE`, and no two neighbours are shorter than half of it.
    """

    def __init__(self, text: str) -> None:
        self.pieces = _cut_up(text)
        self._length = len(text)

    def apply(self, edit: Edit) -> None:
        start, end = edit.start, edit.start + len(edit.removed)
        if not 0 <= start <= end <= self._length:
            raise ValueError(f"edit at {start} does not fit this text")
        first = at = 0
        while start > at + len(self.pieces[first]):
            at += len(self.pieces[first])
            first += 1
        last, reached = first, at + len(self.pieces[first])
        while reached < end:
            last += 1
            reached += len(self.pieces[last])
        moved = Edit(start - at, edit.removed, edit.inserted)
        whole = moved.apply("".join(self.pieces[first : last + 1]))
        if len(whole) < PIECE // 2 and first:
            first -= 1
            whole = self.pieces[first] + whole
        self.pieces[first : last + 1] = _cut_up(whole)
        self._length += len(edit.inserted) - len(edit.removed)


def _cut_up(text: str) -> list[str]:
    if len(text) <= 2 * PIECE:
        return [text]
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def merged_edits(edits: Iterable[Edit], text: str = "") -> tuple[Edit, ...]:
    """``edits`` of ``text`` as fewer that lead to the same: those at one place joined, idle ones left out.

    Only edits that follow each other are joined, so the order stays.
    """
    found: list[Edit] = []
    for edit in edits:
        joined = found[-1].joined(edit, text) if found else None
        if joined is None:
            found.append(edit)
        else:
            found[-1] = joined
        text = edit.apply(text)
    return tuple(least for piece in found if (least := piece.trimmed()) is not None)


class VersionCache:
    """Every text that a history went through, each to be had at once."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        """The versions after each of ``edits``, which begin with an empty text."""
        self._edits = tuple(edits)
        self._step = max(CHECKPOINT, len(self._edits) // MOST_CHECKPOINTS)
        self._kept = [""]
        for at in range(0, len(self._edits), self._step):
            self._kept.append(replay(self._edits[at : at + self._step], self._kept[-1]))

    def __len__(self) -> int:
        """How many edits there are; there is one version more."""
        return len(self._edits)

    def after(self, count: int) -> str:
        """The text after the first ``count`` edits."""
        if not 0 <= count <= len(self._edits):
            raise IndexError(f"there is no version {count} among {len(self._edits)} edits")
        at = count // self._step
        return replay(self._edits[at * self._step : count], self._kept[at])


class TextDifference(msgspec.Struct, frozen=True):
    """A stretch of one version that stands for a stretch of another; either may be empty, not both."""

    before: Span
    after: Span


def differences(before: str, after: str) -> tuple[TextDifference, ...]:
    """Where two versions differ, in whole words; what is between them is equal.

    Words that stand alone between two changes belong to them: a reader sees one phrase replaced, not four
    words with "the" and "of" untouched. The time grows with the length: see
    :func:`quizwriter.domain.alignment.matching_words`.
    """
    ours, theirs = tokens(before), tokens(after)
    words = [span.of(before) for span in ours], [span.of(after) for span in theirs]
    found: list[TextDifference] = []
    low = first = 0
    for high, last in (*matching_words(*words), (len(ours), len(theirs))):
        if low < high or first < last:
            here = TextDifference(_covering(ours, low, high, before), _covering(theirs, first, last, after))
            if found and _close(before[found[-1].before.end : here.before.start]):
                earlier = found.pop()
                here = TextDifference(
                    Span(earlier.before.start, here.before.end), Span(earlier.after.start, here.after.end)
                )
            if here.before.of(before) != here.after.of(after):
                found.append(here)
        low, first = high + 1, last + 1
    return tuple(found)


class InlineDiff(msgspec.Struct, frozen=True):
    """A version with what the one before it had in its place: both in ``text``, what is gone first."""

    text: str
    removed: tuple[Span, ...]
    inserted: tuple[Span, ...]
    found: tuple[TextDifference, ...]

    @classmethod
    def of(cls, before: str, after: str, found: Sequence[TextDifference]) -> InlineDiff:
        """``after`` with the differences ``found`` to ``before``."""
        parts, removed, inserted = [], [], []
        at = length = 0
        for one in found:
            old, new, kept = one.before.of(before), one.after.of(after), after[at : one.after.start]
            length += len(kept)
            if old:
                removed.append(Span(length, length + len(old)))
            length += len(old)
            if new:
                inserted.append(Span(length, length + len(new)))
            length += len(new)
            parts += [kept, old, new]
            at = one.after.end
        return cls("".join([*parts, after[at:]]), tuple(removed), tuple(inserted), tuple(found))

    def place(self, point: int) -> int:
        """Where in ``text`` the code point ``point`` of the version itself stands."""
        gone = (one.before for one in self.found if one.after.start < point)
        return point + sum(span.end - span.start for span in gone)


def tokens(text: str) -> Sequence[Span]:
    """The words of ``text``, and what is between them: runs of spaces, and signs one by one."""
    return [Span(*found.span()) for found in _TOKEN.finditer(text)]


def _covering(tokens: Sequence[Span], low: int, high: int, text: str) -> Span:
    start = tokens[low].start if low < len(tokens) else len(text)
    return Span(start, tokens[high - 1].end if high > low else start)


def _close(between: str) -> bool:
    """Whether what is ``between`` two changes is too little to stand for itself."""
    return not between.strip() or (len(between) <= 5 and between.strip().isalpha())


def _inside(left: str, right: str) -> bool:
    """Whether a word goes on from the letter ``left`` to the letter ``right``."""
    return bool(_IN_A_WORD.fullmatch(left + right))


def _begun(text: str, start: int, moved: str, *, gone: int) -> tuple[int, str]:
    """Where people would say that ``moved`` was put into ``text``, or taken out of it if it is ``gone``.

    That is where a sentence begins, or else where no word is cut, among the places that come to the same.
    """
    found: tuple[int, str] | None = None
    at, here = start, moved
    for _ in range(FARTHEST):
        if not _cuts(text[:at][-1:], here, text[at + gone :][:1]):
            found = found or (at, here)
            before = text[:at].rstrip()
            if not before or before.endswith(_ENDS) or not any(end in moved for end in _ENDS):
                break
        if not at or text[at - 1] != here[-1]:
            return found or (start, moved)
        at, here = at - 1, here[-1] + here[:-1]
    else:
        return found or (start, moved)
    return at, here


def _cuts(left: str, moved: str, right: str) -> bool:
    """Whether a word is cut where ``moved`` is put or taken from between two letters."""
    return _inside(left, moved[:1]) or _inside(moved[-1:], right) or _inside(left, right)


def _shared(one: str, other: str, *, limit: int) -> int:
    """How many characters the two have in common from the left, at most ``limit``.

    By halving, because comparing slices is fast and a loop over a pasted book is not.
    """
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
