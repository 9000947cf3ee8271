"""The words to change: names whole, wherever they stand, and never the frame that all pages share."""

from __future__ import annotations

import numpy as np
import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.reasons import REASONS, cue_groups, find_reasons, runs_of
from quizwriter.engine.tokenizer import token

DRAFT = Tossup(
    "This composer of lieder met Johann Vogl. This man, whom Vogl praised, wrote lieder for Vienna’s salons."
)
FRAME = np.asarray(sorted(token(word).hash for word in ("man", "wrote")), np.uint64)


def is_frame(stems):
    return np.isin(stems, FRAME)


def said(words):
    return [span.of(DRAFT.text) for span in runs_of(DRAFT, words)]


def group(*start):
    return next(one for one in cue_groups(DRAFT, is_frame) if said(one.words)[: len(start)] == list(start))


def test_a_name_is_one_cue_with_all_its_places():
    assert said(group("Johann Vogl").words) == ["Johann Vogl", "Vogl"]


def test_a_word_is_one_cue_with_all_its_places():
    assert said(group("lieder").words) == ["lieder", "lieder"]
    assert not group("lieder").frame


@pytest.mark.parametrize("word", ["man", "composer", "wrote"])
def test_what_many_pages_share_and_what_the_tossup_calls_its_answer_is_the_frame(word):
    assert group(word).frame


def leads_of(points):
    """By how much a page leads that has these ``points`` for words: all but those that are not heard."""
    numbers = {number: points.get(said(frozenset({number}))[0], 0.0) for number in range(len(DRAFT.words))}

    def leads(without):
        return [sum(worth for number, worth in numbers.items() if number not in words) for words in without]

    return leads


def test_the_cues_without_which_the_page_leads_by_least_are_named_and_the_frame_is_told_apart():
    points = {"composer": 9.0, "man": 8.0, "lieder": 2.0, "Vogl": 3.0, "praised": 1.0, "salons": -4.0}
    leads = leads_of(points)

    reasons, frame = find_reasons(DRAFT, cue_groups(DRAFT, is_frame), leads([frozenset()])[0], leads)

    assert [[span.of(DRAFT.text) for span in one.spans] for one in reasons] == [
        ["Johann Vogl", "Vogl"],
        ["lieder", "lieder"],
        ["praised"],
    ]
    assert [one.fall for one in reasons] == [6.0, 4.0, 1.0]
    assert [span.of(DRAFT.text) for span in frame] == ["composer", "man"]


def test_the_next_cue_is_the_best_beside_those_already_named():
    both = {
        number for number in range(len(DRAFT.words)) if said(frozenset({number}))[0] in ("lieder", "Vogl")
    }

    def leads(without):  # the two say the same thing: only without both does the page fall
        return [
            10.0
            - 3.0 * (set(both) <= words)
            - 2.0 * any(said(frozenset({one}))[0] == "praised" for one in words)
            - 1.0 * any(one in both for one in words)
            for words in without
        ]

    reasons, _ = find_reasons(DRAFT, cue_groups(DRAFT, is_frame), 10.0, leads)
    named = [one.spans[0].of(DRAFT.text) for one in reasons]
    assert named[0] == "praised"
    assert set(named[1:]) == {"lieder", "Johann Vogl"}


def test_a_draft_without_clues_has_no_reasons():
    empty = Tossup("", Answer("Schubert"))
    assert find_reasons(empty, cue_groups(empty, is_frame), 0.0, lambda without: [0.0] * len(without)) == (
        (),
        (),
    )
    assert REASONS == 3
