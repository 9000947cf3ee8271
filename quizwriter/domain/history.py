"""How a tossup came to be: the edits, in the order they were made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
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

    def undone(self) -> Edit:
        """The edit that takes this one back."""
        return Edit(self.start, self.inserted, self.removed)

    def then(self, later: Edit) -> Edit | None:
        """This edit and ``later`` as one, where ``later`` types on or rubs out; else None."""
        end = self.start + len(self.inserted)
        if not later.removed and later.start == end:
            return Edit(self.start, self.removed, self.inserted + later.inserted)
        if not later.inserted and not self.inserted and later.start + len(later.removed) == self.start:
            return Edit(later.start, later.removed + self.removed, "")
        return None


@dataclass(frozen=True, slots=True)
class Change:
    """An edit as it stands in a tossup's history: its number from 1, and when and by whom it was made."""

    seq: int
    at_ms: int  # milliseconds since 1970, by the writer's clock
    edit: Edit
    author: str = ""  # a person's id; empty if unknown

    def id_after(self, before: str) -> str:
        """The id of this edit where the one before it has the id ``before``, and the first the tossup's own.

        It says what the whole history up to here is: two histories with one id in common are the same so
        far. 32 hexadecimal digits of SHA-256.
        """
        edit = self.edit
        lengths = f"{self.at_ms} {self.author} {edit.start} {len(edit.removed)} {len(edit.inserted)}"
        whole = f"{before}\n{lengths}\n{edit.removed}{edit.inserted}"
        return hashlib.sha256(whole.encode()).hexdigest()[:32]


def ids(root: str, changes: Iterable[Change]) -> list[str]:
    """The ids of ``changes``, the whole history of a tossup that was made with the id ``root``."""
    found = []
    before = root
    for change in changes:
        before = change.id_after(before)
        found.append(before)
    return found


def replay(edits: Iterable[Edit], text: str = "") -> str:
    """The text after ``edits``, starting from ``text``."""
    for edit in edits:
        text = edit.apply(text)
    return text


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
