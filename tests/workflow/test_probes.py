"""Clues of a tossup, and the variants that probes make of them."""

import pytest

from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.probes import (
    Probe,
    editing_probes,
    frame_only,
    healed,
    masked_names,
    moved_clue,
    only_clue,
    only_sentence,
    shuffled_clues,
    split_clues,
    swapped_clues,
    without_clue,
)

ANSWER = Answer("Ludwig van Beethoven", Page("Ludwig_van_Beethoven"))
TEXT = (
    "This composer wrote a sonata for a violinist who never played it. He dedicated a symphony to a general "
    "and tore up the title page; his deafness began before that work was heard in Vienna for the first time, "
    "and he conducted its premiere at the theatre of Lobkowitz. (*) His nephew Karl shot himself. For 10 "
    "points, name this German composer of the Moonlight Sonata."
)
TOSSUP = Tossup(TEXT, ANSWER)
CLUES = split_clues(TOSSUP)


def words(tossup):
    """The words of a tossup, without punctuation and case."""
    return ["".join(filter(str.isalnum, word.of(tossup.text))).lower() for word in tossup.words]


def test_a_long_sentence_is_cut_into_clues_and_a_short_one_is_a_clue():
    assert [clue.text(TOSSUP) for clue in CLUES] == [
        "This composer wrote a sonata for a violinist who never played it",
        "He dedicated a symphony to a general and tore up the title page",
        "his deafness began before that work was heard in Vienna for the first time",
        "he conducted its premiere at the theatre of Lobkowitz",
        "His nephew Karl shot himself",
        "For 10 points, name this German composer of the Moonlight Sonata",
    ]


def test_each_word_is_in_one_clue():
    assert [number for clue in CLUES for number in range(clue.first, clue.end)] == list(
        range(len(TOSSUP.words))
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("   ", 0),
        ("(*)", 0),
        ("One", 1),
        ("One. Two. Three", 3),
        ("A short one; it has a semicolon, and more.", 1),
        ('He said "one two three four five six seven eight nine ten; ' + "word " * 20 + 'end" once.', 1),
    ],
)
def test_clues_of_odd_texts(text, count):
    assert len(split_clues(Tossup(text))) == count


def test_words_that_are_selected_are_a_clue_of_their_own():
    start = TEXT.index("symphony")
    clues = split_clues(TOSSUP, Span(start + 2, start + len("symphony to a gen")))
    assert "symphony to a general" in [clue.text(TOSSUP) for clue in clues]
    assert [number for clue in clues for number in range(clue.first, clue.end)] == list(
        range(len(TOSSUP.words))
    )
    assert split_clues(TOSSUP, Span(start, start)) == CLUES  # nothing is selected


def test_without_the_last_clue_the_words_are_those_heard_before_it():
    last = CLUES[-1]
    variant = without_clue(TOSSUP, CLUES, last.number)
    heard = TOSSUP.heard(last.first)
    assert words(variant.tossup) == words(heard)
    assert variant.origins == tuple(range(last.first))


def test_the_first_clue_alone_is_what_is_heard_until_it_ends():
    variant = only_clue(TOSSUP, CLUES, 0)
    assert variant.tossup.text == TOSSUP.heard(CLUES[0].end).text
    assert only_sentence(TOSSUP, Probe.FIRST).tossup.text == variant.tossup.text


def test_the_last_sentence_alone_has_the_giveaway():
    variant = only_sentence(TOSSUP, Probe.LAST)
    assert (
        variant.tossup.text
        == "For 10 points, name this German composer of the Moonlight Sonata."
        == only_clue(TOSSUP, CLUES, CLUES[-1].number).tossup.text
    )
    assert variant.origins[0] == CLUES[-1].first


def test_a_clue_that_stays_where_it_is_changes_nothing():
    assert moved_clue(TOSSUP, CLUES, 2, 2).tossup.text == TEXT


def test_swapping_twice_gives_the_tossup_back():
    once = swapped_clues(TOSSUP, CLUES, 0).tossup
    twice = swapped_clues(once, split_clues(once), 0).tossup
    assert once.text != TEXT
    assert twice.text == TEXT


def test_swapping_with_the_next_is_moving_by_one():
    swapped = swapped_clues(TOSSUP, CLUES, 1).tossup.text
    assert swapped == moved_clue(TOSSUP, CLUES, 2, 1).tossup.text
    assert swapped == (
        "This composer wrote a sonata for a violinist who never played it. His deafness began before that "
        "work was heard in Vienna for the first time; he dedicated a symphony to a general and tore up "
        "the title page, and he conducted its premiere at the theatre of Lobkowitz. (*) His nephew Karl "
        "shot himself. For 10 points, name this German composer of the Moonlight Sonata."
    )


def test_the_last_clue_has_no_next_one():
    with pytest.raises(ValueError, match="no next one"):
        swapped_clues(TOSSUP, CLUES, len(CLUES) - 1)


def test_the_power_mark_stays_between_clues():
    for variant in editing_probes(TOSSUP, CLUES):
        if variant.probe is not Probe.SOLO:
            assert variant.tossup.text.count("(*)") == 1
            assert variant.tossup.power is not None
    assert without_clue(TOSSUP, CLUES, 4).tossup.text.endswith(
        "theatre of Lobkowitz. (*) For 10 points, name this German composer of the Moonlight Sonata."
    )


def test_a_power_mark_inside_a_clue_that_is_left_out_stays():
    tossup = Tossup("One clue is here. Another (*) clue follows it. The last one is here.")
    clues = split_clues(tossup)
    assert without_clue(tossup, clues, 1).tossup.text == "One clue is here. (*) The last one is here."
    shorter = without_clue(tossup, clues, 0).tossup.text
    assert shorter == "Another (*) clue follows it. The last one is here."


@pytest.mark.parametrize("mark", [" (*).", ". (*)", " (*) here."])
def test_no_power_mark_stands_before_the_first_clue(mark):
    tossup = Tossup(f"One clue is in this place{mark} Another clue follows it. The last one is here.")
    clues = split_clues(tossup)
    shorter = without_clue(tossup, clues, 0).tossup.text
    assert shorter == "Another clue follows it. The last one is here."


def test_quotation_marks_end_a_sentence_once():
    tossup = Tossup('He wrote "No one knows." It was never sung. It is lost.')
    clues = split_clues(tossup)
    assert (
        swapped_clues(tossup, clues, 0).tossup.text
        == 'It was never sung. He wrote "No one knows." It is lost.'
    )


def test_shuffled_clues_have_all_words_and_follow_the_seed():
    one = shuffled_clues(TOSSUP, CLUES, seed=3)
    assert one.tossup.text == shuffled_clues(TOSSUP, CLUES, seed=3).tossup.text != TEXT
    assert sorted(words(one.tossup)) == sorted(words(TOSSUP))


def test_each_word_of_a_variant_knows_where_it_comes_from():
    for variant in (
        *editing_probes(TOSSUP, CLUES),
        shuffled_clues(TOSSUP, CLUES, seed=1),
        only_sentence(TOSSUP, Probe.LAST),
    ):
        came = [words(TOSSUP)[origin] for origin in variant.origins]
        assert words(variant.tossup) == came


def test_a_writer_asks_five_things_of_a_clue_in_the_middle():
    asked = [variant.probe for variant in editing_probes(TOSSUP, CLUES) if variant.clue == 2]
    assert asked == [Probe.DROP, Probe.SOLO, Probe.SWAP, Probe.END, Probe.FRONT]
    assert editing_probes(Tossup("Only one clue."), split_clues(Tossup("Only one clue."))) == ()


def test_the_frame_says_what_is_asked_for_and_nothing_else():
    assert frame_only(TOSSUP).tossup.text == "For 10 points, name this German composer."
    assert frame_only(TOSSUP, "Music").tossup.text == "For 10 points, name this German composer. Music."
    assert frame_only(TOSSUP, "Music").origins[-1] is None
    assert frame_only(Tossup("This river of Asia floods. It is long.")).tossup.text == "This river."
    assert frame_only(Tossup("It floods.")) is None


def test_names_are_masked():
    masked = masked_names(TOSSUP)
    assert masked.tossup.text.endswith("name this this composer of the this.")
    assert "Lobkowitz" not in masked.tossup.text
    assert "nephew this shot" in masked.tossup.text
    assert masked.tossup.text.startswith("This composer wrote")
    text = "Anna Karenina met Levin. Levin farmed. Opening with a train, it ends with one."
    masked = masked_names(Tossup(text)).tossup.text
    assert masked == "This met this. This farmed. Opening with a train, it ends with one."


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([("A friend of hers,", 0), (", sang.", 30)], "A friend of hers, sang."),
        ([("One clue;", 0), (". Two.", 20)], "One clue. Two."),
        ([("One ", 0), (" two.", 9)], "One two."),
        ([("One ", 0), (", two.", 9)], "One, two."),
        ([("Wait . . . ", 0), ("he said.", 30)], "Wait . . . he said."),
        ([("Ends, ", 0), ("and,, as typed, goes on.", 8)], "Ends, and,, as typed, goes on."),
    ],
)
def test_punctuation_heals_where_pieces_meet_and_stays_as_typed_elsewhere(pieces, text):
    healed_pieces = healed(pieces)

    assert "".join(letters for letters, _ in healed_pieces) == text
    whole = {start + at: letter for letters, start in pieces for at, letter in enumerate(letters)}
    for letters, start in healed_pieces:
        assert [whole[start + at] for at in range(len(letters))] == list(letters)
