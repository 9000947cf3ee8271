"""The swerve alarm: where players agree on a wrong page, and what is said of it."""

from __future__ import annotations

import pytest

from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.workflow.swerves import find_swerve

TOSSUP = Tossup(" ".join(f"w{number}" for number in range(20)), Answer("Aida", Page("Aida")))


def play(leads, chance=0.3, name="ir", *, knows=True):
    """A game in which a letter says what leads after each word: *a* the answer, *t* and *b* other pages."""
    pages = {"a": "Aida", "t": "Turandot", "b": "La_bohème"}
    rows = [() if one == "." else (Guess(Page(pages[one]), 1.0),) for one in leads]
    heard = tuple(range(1, len(leads) + 1))
    return Playthrough(name, TOSSUP, heard, tuple(rows), chances=(chance,) * len(rows), knows_answer=knows)


@pytest.mark.parametrize(
    ("plays", "found"),
    [
        ([play("tttttttttttaaaaaaaaa", 0.6)], ("Turandot", 1, 11, ("ir",))),
        ([play("tttttttttttaaaaaaaaa", 0.4)], None),  # not sure enough
        ([play("ttttaaaaaaaaaaaaaaaa", 0.6)], None),  # too short
        ([play("ttbtttttaaaaaaaaaaaa", 0.6)], ("Turandot", 4, 8, ("ir",))),
        (
            [play("..ttttttttaaaaaaaaaa", 0.2), play("....tttttttttttaaaaa", 0.2, "dan")],
            ("Turandot", 5, 10, ("ir", "dan")),
        ),
        ([play("tttttttttttttttttttt", 0.2), play("bbbbbbbbbbbbbbbbbbbb", 0.2, "dan")], None),
        ([play("tttttttttttttttttttt", 0.9, knows=False)], None),
        ([play("aaaaaaaaaaaaaaaaaaaa", 0.9)], None),
        ([], None),
    ],
)
def test_a_swerve_is_a_stretch_on_one_wrong_page(plays, found):
    swerve = find_swerve(plays)
    assert (None if swerve is None else (swerve.page, swerve.first, swerve.last, swerve.players)) == found
