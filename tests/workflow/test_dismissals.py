"""Dismissed problems: they stay with their words, through edits elsewhere, and go when the words change."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import Dismissed
from quizwriter.domain.span import Span
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.problems.rule import Inspection, Problem
from quizwriter.workflow.problems.rules import dismissal_of, find_problems, placed_dismissals

TEXT = "This king didn't sleep, and this queen didn't."


def event(body):
    return Event.new("t", 1, "me", body)


def dismissed_words(trail, *bodies, line=""):
    tossup = Tossup(trail.text, Answer(line) if line else None)
    placed = placed_dismissals(map(event, bodies), trail, tossup)
    problems = find_problems(Inspection(tossup), only=["contractions", "length", "filler"])
    return [one.words for one in problems if dismissal_of(one, placed) is not None]


def trail_of(text, *edits):
    trail = AnchorTracker([Edit(0, "", text)])
    for edit in edits:
        trail.add(edit)
    return trail


FIRST = TEXT.index("didn't")
SECOND = TEXT.rindex("didn't")


def dismissal(at=FIRST):
    return Dismissed("contractions", "He says so.", 1, at, at + 6, "didn't")


def test_only_the_dismissed_place_is_dismissed():
    trail = trail_of(TEXT)
    tossup = Tossup(TEXT)
    placed = placed_dismissals([event(dismissal(SECOND))], trail, tossup)
    problems = find_problems(Inspection(tossup), only=["contractions"])
    assert [dismissal_of(one, placed) is not None for one in problems] == [False, True]


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        (Edit(0, "", "Long ago, "), ["didn't"]),
        (Edit(len(TEXT), "", " Eels sang."), ["didn't"]),
        (Edit(FIRST, "didn't", "doesn't"), []),
        (Edit(FIRST + 6, "", "ly"), []),
    ],
)
def test_a_dismissal_survives_edits_elsewhere_and_goes_with_its_words(edit, left):
    assert dismissed_words(trail_of(TEXT, edit), dismissal()) == left


def test_a_dismissal_is_back_when_the_words_are_what_they_were():
    there = Edit(FIRST, "didn't", "did not")
    back = Edit(FIRST, "did not", "didn't")
    assert dismissed_words(trail_of(TEXT, there), dismissal()) == []
    assert dismissed_words(trail_of(TEXT, there, back), dismissal()) == ["didn't"]


def test_what_is_said_of_the_whole_and_of_the_answer_needs_no_place():
    short = Dismissed("length", "A joke.")
    filler = Dismissed("filler", "It is a name.", quoted="TODO", in_answer=True)
    assert dismissed_words(trail_of(TEXT), short, filler, line="TODO") == ["", "TODO"]
    assert dismissed_words(trail_of(TEXT), filler, line="Something else") == []


def test_another_rule_is_not_dismissed():
    problem = Problem("one_of", Span(FIRST, FIRST + 6), "didn't", "Said.")
    placed = placed_dismissals([event(dismissal())], trail_of(TEXT), Tossup(TEXT))
    assert dismissal_of(problem, placed) is None
