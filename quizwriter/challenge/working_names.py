"""Numbers in place of names of the working day: of files, packets, and of a team's own tags.

They often name people, and tell nobody outside anything. Which number is which stays in the data folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Body, Event
from quizwriter.domain.review import Imported, PutInSet, Tagged
from quizwriter.domain.review_state import Review
from quizwriter.services.tossups import phenomena

_NUMBERED = re.compile(r"(file|packet|tag) ([1-9]\d{0,8})\Z")
_Text = Annotated[str, msgspec.Meta(max_length=10_000)]


class WorkingName(msgspec.Struct, frozen=True):
    """What a number stands for: a name, and the digest of a file. A set released elsewhere tells no name."""

    name: _Text = ""
    digest: _Text = ""


class ReleasedFile(msgspec.Struct, frozen=True):
    """What a released question says of the file that it came from."""

    file: _Text = ""
    digest: _Text = ""


def released_names(
    questions: Iterable[tuple[ReleasedFile | None, Sequence[str]]],
) -> dict[str, WorkingName]:
    """The numbers in a released set, from the file and the tags of each question.

    A number of a file has its digest; of a tag nothing is known but that its number is taken.
    """
    found: dict[str, WorkingName] = {}
    for of_file, tags in questions:
        if of_file is not None and _NUMBERED.match(of_file.file):
            found[of_file.file] = WorkingName("", of_file.digest)
        found |= {tag: WorkingName() for tag in tags if _NUMBERED.match(tag)}
    return found


class WorkingNames:
    """Gives each name its number: the one it has in ``kept``, else the next."""

    def __init__(self, kept: Mapping[str, WorkingName]) -> None:
        self.kept = dict(kept)
        self._shared = frozenset(one.name for one in phenomena())
        self._number: dict[tuple[str, str], str] = {}
        self._taken: dict[str, int] = {}
        for released, one in self.kept.items():
            if (numbered := _NUMBERED.match(released)) is None:
                continue
            kind = numbered[1]
            self._taken[kind] = max(self._taken.get(kind, 0), int(numbered[2]))
            if one.name or one.digest:
                self._number[kind, one.digest or one.name] = released

    def of(self, kind: str, name: str, digest: str = "") -> str:
        """What is released for ``name``; nothing for nothing."""
        if not name:
            return ""
        key = kind, digest or name
        if key not in self._number:
            self._taken[kind] = self._taken.get(kind, 0) + 1
            self._number[key] = f"{kind} {self._taken[kind]}"
        self.kept[self._number[key]] = WorkingName(name, digest)
        return self._number[key]

    def of_tags(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Tags, of which the phenomena that everybody tags by keep their names."""
        return tuple(tag if tag in self._shared else self.of("tag", tag) for tag in tags)

    def without(self, event: Event) -> Event:
        body = self._without(event.body)
        return event if body is event.body else replace(event, body=body)

    def _without(self, body: Body) -> Body:
        match body:
            case Imported(file=file, digest=digest):
                return replace(body, file=self.of("file", file, digest))
            case Tagged(tags=tags):
                return replace(body, tags=self.of_tags(tags))
            case PutInSet(packet=packet):
                return replace(body, packet=self.of("packet", packet))
        return body

    def without_in(self, review: Review) -> Review:
        return replace(
            review,
            packet=self.of("packet", review.packet),
            tags={by: self.of_tags(tags) for by, tags in review.tags.items()},
            imported=None if review.imported is None else self.without(review.imported),
        )
