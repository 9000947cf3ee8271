"""Sources of clues: where they are in the text now, and which links may be opened."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event, encode_body, first_pack_version
from quizwriter.domain.history import Edit
from quizwriter.domain.review import BasedOn, ClueSourced
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.sources import (
    SourcedTossup,
    changed_source,
    clue_at,
    new_source,
    sentences_with_source,
    source_rows,
    sourced_clues,
    sources_json,
    web_address,
)

TEXT = "This lake holds a fifth of all fresh water. Seals live in this lake."
WATER = Span(TEXT.index("a fifth"), TEXT.index("."))


def noted(*bodies):
    return fold_events(Event(f"e{at}", "t", at, "ada", body) for at, body in enumerate(bodies))


def test_a_source_stays_with_its_words_and_is_kept_when_they_go():
    review = noted(new_source("  A book,\n p. 3 ", "One  fifth.", 1, WATER, TEXT))
    trail = AnchorTracker([Edit(0, "", TEXT)])
    (clue,) = sourced_clues(review, trail)
    assert (clue.clue, clue.source, clue.excerpt) == (
        "a fifth of all fresh water",
        "A book, p. 3",
        "One fifth.",
    )

    trail.add(Edit(0, "", "In Asia: "))
    (clue,) = sourced_clues(review, trail)
    assert clue.place == Span(WATER.start + 9, WATER.end + 9)

    trail.add(Edit(0, trail.text[: clue.place.end + 2], ""))
    (clue,) = sourced_clues(review, trail)
    assert (clue.place, clue.clue, clue.source) == (None, "a fifth of all fresh water", "A book, p. 3")


def test_another_source_of_the_same_clue_keeps_its_place():
    review = noted(new_source("One", "", 1, WATER, TEXT))
    (clue,) = sourced_clues(review, AnchorTracker([Edit(0, "", TEXT)]))
    body = changed_source(clue, "Two", "So it says.")
    assert (body.source, body.excerpt, body.start, body.quoted) == (
        "Two",
        "So it says.",
        WATER.start,
        clue.clue,
    )


def test_a_source_is_about_the_selection_or_the_sentence_of_the_cursor():
    tossup = Tossup(TEXT)
    assert clue_at(tossup, WATER) == WATER
    at = TEXT.index("Seals") + 2
    assert clue_at(tossup, Span(at, at)).of(TEXT) == "Seals live in this lake."


def test_sentences_with_a_source_are_counted_once():
    found = noted(new_source("One", "", 1, WATER, TEXT), new_source("Two", "", 1, WATER, TEXT))
    clues = sourced_clues(found, AnchorTracker([Edit(0, "", TEXT)]))
    assert sentences_with_source(Tossup(TEXT), clues) == 1


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("https://example.org/lake?id=3", "https://example.org/lake?id=3"),
        ("Novak 2019, see <https://example.org/a>.", "https://example.org/a"),
        ("HTTP://EXAMPLE.ORG/", "HTTP://EXAMPLE.ORG/"),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("ftp://example.org/a", ""),
        ("https://example.org@evil.test/", ""),
        ("https://", ""),
        ("https://example.org:port/", ""),
        ("https://[::1", ""),
        ("https://example.org\\evil", ""),
        ("https://exa\u202emple.org/", ""),
        ("https://example.org/" + "a" * 3_000, ""),
        ("A book about lakes", ""),
    ],
)
def test_only_plain_web_addresses_are_links(source, link):
    assert web_address(source) == link


def test_sources_are_written_as_a_table_and_as_json():
    review = noted(new_source("https://example.org/a", "One fifth.", 1, WATER, TEXT))
    clues = sourced_clues(review, AnchorTracker([Edit(0, "", TEXT)]))
    one = SourcedTossup("t", "Lake Baikal", "Spring", "3", "2011 Winter, tossup 4", clues)
    bare = SourcedTossup("u", "The Nile", "", "", "2012 Winter, tossup 5", ())
    head, row, other = source_rows([one, bare])
    assert len(head) == len(row) == len(other)
    assert row[4:] == (
        "2011 Winter, tossup 4",
        "a fifth of all fresh water",
        "https://example.org/a",
        "One fifth.",
        "yes",
    )
    assert other[4:] == ("2012 Winter, tossup 5", "", "", "", "")
    first, _ = sources_json([one, bare])
    (source,) = first["sources"]
    assert (first["based_on"], source["start"], source["link"]) == (
        "2011 Winter, tossup 4", WATER.start, "https://example.org/a",
    )  # fmt: skip


def test_packs_with_new_kinds_of_events_say_so():
    assert first_pack_version(ClueSourced("A book")) == first_pack_version(BasedOn("A question")) == 3
    assert encode_body(ClueSourced("A book", 1, 0, 1, "A")) == (
        "clue source",
        {"source": "A book", "seq": 1, "start": 0, "end": 1, "quoted": "A", "excerpt": ""},
    )


def test_sources_of_strangers_are_shown_on_one_line_of_a_sound_length():
    wild = noted(*(ClueSourced("Line one\n" + "x" * 5_000, 1, 0, 4, "This", "\n" * 9) for _ in range(1_200)))
    clues = sourced_clues(wild, AnchorTracker([Edit(0, "", TEXT)]))
    assert len(clues) == 1_000
    assert clues[0].source.startswith("Line one x")
    assert (len(clues[0].source), clues[0].excerpt) == (1_000, "")
