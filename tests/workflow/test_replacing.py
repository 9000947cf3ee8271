"""Find and replace: which words are found, what is put in their place, and what tidying takes away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.history import replay
from quizwriter.workflow.replacing import (
    EditableTossup,
    TextSearch,
    chosen_edits,
    edited,
    plan_replacing,
    plan_tidying,
    tidying_edits,
)

WORDS = st.text(alphabet="aAßİé .\n-", max_size=30)


def found(text, words, **how):
    return [span.of(text) for span in TextSearch(words, **how).matches(text)]


def replaced(text, words, new, **how):
    return replay(TextSearch(words, **how).replacements(text, new), text)


@pytest.mark.parametrize(
    ("text", "words", "how", "matches"),
    [
        ("A lake, a Lake, LAKES.", "lake", {}, ["lake", "Lake", "LAKE"]),
        ("A lake, a Lake, LAKES.", "lake", {"whole_words": True}, ["lake", "Lake"]),
        ("A lake, a Lake, LAKES.", "Lake", {"match_case": True}, ["Lake"]),
        ("aaaa", "aa", {}, ["aa", "aa"]),
        ("Straße, STRASSE", "strasse", {}, ["Straße", "STRASSE"]),
        ("Straße", "s", {}, ["S"]),  # half of a sharp s is no letter
        ("a.b*c", ".b*", {}, [".b*"]),
        ("x", "", {}, []),
    ],
)
def test_words_are_found_as_they_are_typed(text, words, how, matches):
    assert found(text, words, **how) == matches


@given(text=WORDS, words=st.text(alphabet="aAßİé .", min_size=1, max_size=3), new=WORDS)
def test_replacing_changes_the_matches_and_nothing_else(text, words, new):
    search = TextSearch(words)
    parts, at = [], 0
    for span in search.matches(text):
        assert span.of(text).casefold() == words.casefold()
        assert span.start >= at
        parts += [text[at : span.start], new]
        at = span.end
    assert replaced(text, words, new) == "".join([*parts, text[at:]])


def test_what_reads_the_same_already_is_no_edit():
    assert TextSearch("lake").replacements("Lake lake", "lake")[0].start == 0
    assert len(TextSearch("lake").replacements("Lake lake", "lake")) == 1


@pytest.mark.parametrize(
    ("text", "tidy"),
    [
        ("  A  lake \n", "A lake"),
        ("One. \n\n\n\n Two.", "One.\n\nTwo."),
        ("One.\n Two.", "One.\nTwo."),
        ("Fine as it is.", "Fine as it is."),
        (" \n ", ""),
        ("A\u00a0lake", "A\u00a0lake"),
    ],
)
def test_tidying_takes_away_spaces_that_nobody_reads(text, tidy):
    assert replay(tidying_edits(text), text) == tidy


@given(WORDS)
def test_tidying_changes_no_word_and_is_done_once(text):
    tidy = replay(tidying_edits(text), text)
    assert tidy.split() == text.split()
    assert tidying_edits(tidy) == ()


def test_a_plan_lists_the_edits_of_all_tossups_but_locked_ones():
    tossups = [
        EditableTossup("a", "Lake", "A lake and a lake."),
        EditableTossup("b", "River", "A river."),
        EditableTossup("c", "Other", "A lake.", locked=True),
    ]
    plan = plan_replacing(tossups, TextSearch("lake"), "pond")
    assert [(one.tossup_id, one.edit.start) for one in plan.edits] == [("a", 2), ("a", 13)]
    assert plan.locked == 1

    (edits,) = chosen_edits(plan.edits).values()
    assert edited(tossups[0].text, edits.text) == "A pond and a pond."
    (edits,) = chosen_edits(plan.edits[1:]).values()
    assert edited(tossups[0].text, edits.text) == "A lake and a pond."
    assert edited("It was changed meanwhile.", edits.text) is None


def test_a_plan_lists_edits_of_answer_lines_behind_those_of_the_text():
    one = EditableTossup("a", "Lake", "A lake.", answer_line="Lake Baikal [or a lake of ice]")
    plan = plan_replacing([one, replace(one, tossup_id="b", locked=True)], TextSearch("lake"), "pond")
    assert [(one.in_answer, one.edit.start) for one in plan.edits] == [(False, 2), (True, 0), (True, 18)]
    assert plan.locked == 1

    (edits,) = chosen_edits(plan.edits[1:]).values()
    assert edits.text == ()
    assert edited(one.answer_line, edits.answer) == "pond Baikal [or a pond of ice]"


def test_tidying_names_blank_drafts_and_edits_none_of_them():
    tossups = [
        EditableTossup("a", "", " \n "),
        EditableTossup("b", "Lake", "", answer_line="Lake  Baikal"),
        EditableTossup("c", "", "", locked=True),
        EditableTossup("d", "Lake", "A  lake."),
    ]
    plan = plan_tidying(tossups)
    assert plan.blank == ("a",)
    assert [one.tossup_id for one in plan.edits] == ["d"]
