"""The sources of a tossup's clues, beside the text as it is now."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.review import ClueSourced
from quizwriter.domain.review_state import Review
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Tossup

LONGEST_SOURCE, LONGEST_EXCERPT = 1_000, 2_000
"""Characters of a source, and of what it says; what is longer is cut."""

MOST_SOURCES = 1_000
"""Sources of one tossup that are shown; a tossup has ten clues."""

_LONGEST_LINK = 2_000
_SOURCE_COLUMNS = ("tossup", "answer", "set", "packet", "based on", "clue", "source", "says", "in the text")


class SourcedClue(msgspec.Struct, frozen=True):
    """A clue with its source.

    ``place`` is where the clue is in the text now, None where its words are gone; ``clue`` is its words as
    they are now, else as they were.
    """

    event: Event
    place: Span | None
    clue: str
    source: str
    excerpt: str

    @property
    def link(self) -> str:
        """The web address in the source; empty if there is none that may be opened."""
        return web_address(self.source)


def web_address(source: str) -> str:
    """The first web address in ``source`` that may be opened, empty if there is none.

    It has the scheme http or https and names a host. An address with a user's name in front of the host is
    refused, because it looks like another host than it is, and so is one with characters that no address has.
    """
    for word in source.split():
        found = word.strip("<>()[]\"'“”‘’.,;")
        if len(found) > _LONGEST_LINK or not found.lower().startswith(("http://", "https://")):
            continue
        try:
            parts = urlsplit(found)
            host = parts.hostname
            _ = parts.port  # raises for what is no number
        except ValueError:
            continue
        if host and "@" not in parts.netloc and found.isprintable() and "\\" not in found:
            return found
    return ""


def sourced_clues(review: Review, trail: AnchorTracker) -> tuple[SourcedClue, ...]:
    """All clues with sources in the order of the text; those whose words are gone come last.

    ``trail`` begins with the tossup's history, and may go on with what is not saved yet.
    """
    found = []
    for event in review.clue_sources[:MOST_SOURCES]:
        body = event.body
        assert isinstance(body, ClueSourced)
        place = trail.place(body.seq, Span(body.start, body.end)) if body.quoted else None
        clue = place.of(trail.text) if place is not None else body.quoted
        source, excerpt = one_line(body.source, LONGEST_SOURCE), one_line(body.excerpt, LONGEST_EXCERPT)
        found.append(SourcedClue(event, place, clue, source, excerpt))

    def order(one: SourcedClue) -> tuple[bool, int, int, str]:
        return one.place is None, 0 if one.place is None else one.place.start, one.event.at_ms, one.event.id

    return tuple(sorted(found, key=order))


def new_source(source: str, excerpt: str, seq: int, span: Span, text: str) -> ClueSourced:
    """The source of the clue ``span`` of the ``text`` after edit ``seq``, on lines that lists can show."""
    return ClueSourced(
        one_line(source, LONGEST_SOURCE),
        seq,
        span.start,
        span.end,
        span.of(text),
        one_line(excerpt, LONGEST_EXCERPT),
    )


def changed_source(clue: SourcedClue, source: str, excerpt: str) -> ClueSourced:
    body = clue.event.body
    assert isinstance(body, ClueSourced)
    return replace(body, source=one_line(source, LONGEST_SOURCE), excerpt=one_line(excerpt, LONGEST_EXCERPT))


def one_line(text: str, longest: int) -> str:
    return " ".join(text.split())[:longest]


def clue_at(tossup: Tossup, selected: Span) -> Span:
    """What a source is about: what is ``selected``, else the sentence with the cursor, without its spaces."""
    span = selected
    if span.start == span.end:
        at = span.start
        span = next((one for one in tossup.sentences if one.start <= at <= one.end), span)
    words = span.of(tossup.text)
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip()))


def sentences_with_source(tossup: Tossup, clues: Iterable[SourcedClue]) -> int:
    """How many sentences of ``tossup`` have at least one clue with a source."""
    places = [one.place for one in clues if one.place is not None and one.place.end <= len(tossup.text)]
    return sum(
        any(place.start < sentence.end and sentence.start < place.end for place in places)
        for sentence in tossup.sentences
    )


class SourcedTossup(msgspec.Struct, frozen=True):
    """A tossup with its sources, as an editor reads them; ``based_on`` is the past question it began with."""

    tossup_id: str
    answer_line: str
    set_name: str
    packet: str
    based_on: str
    clues: tuple[SourcedClue, ...]


def source_rows(tossups: Iterable[SourcedTossup]) -> list[tuple[object, ...]]:
    """A table of all sources: a row of titles, then one row for each clue with a source.

    A tossup that is based on a past question has a row in any case.
    """
    rows: list[tuple[object, ...]] = [_SOURCE_COLUMNS]
    for one in tossups:
        head = (one.tossup_id, one.answer_line, one.set_name, one.packet, one.based_on)
        rows += [
            (*head, clue.clue, clue.source, clue.excerpt, "yes" if clue.place is not None else "no")
            for clue in one.clues
        ]
        if not one.clues and one.based_on:
            rows.append((*head, "", "", "", ""))
    return rows


def sources_json(tossups: Iterable[SourcedTossup]) -> list[dict[str, object]]:
    """The sources of tossups, ready for JSON; ``start`` and ``end`` are code points of the text."""
    return [
        {
            "id": one.tossup_id,
            "answer": one.answer_line,
            "set": one.set_name,
            "packet": one.packet,
            "based_on": one.based_on,
            "sources": [
                {
                    "clue": clue.clue,
                    "start": None if clue.place is None else clue.place.start,
                    "end": None if clue.place is None else clue.place.end,
                    "source": clue.source,
                    "link": clue.link,
                    "says": clue.excerpt,
                }
                for clue in one.clues
            ],
        }
        for one in tossups
    ]
