"""How early people answer: recorded rooms, the mean curves, and how well these do."""

from __future__ import annotations

from math import log

import pytest

from quizwriter.domain.review import RoomsRecorded
from quizwriter.domain.tossup import Tossup
from quizwriter.domain.tossup_game import (
    FORMATS,
    Move,
    MoveKind,
    Played,
    PlayedBy,
    PlayedTossup,
    Rules,
    Said,
    Seat,
)
from quizwriter.workflow.people_curve import (
    STEPS,
    CurveOutcome,
    curve_part,
    difficulty_of,
    fit_curves,
    has_end,
    log_losses,
    recorded_curve,
    rooms_of_games,
)


def test_a_recorded_curve_counts_rooms_and_each_room_once():
    first = RoomsRecorded("a.qbj", 10, ("g1", "g2"), (4, 0), (3,))
    again = RoomsRecorded("b.qbj", 10, ("g2", "g3"), (0, 8), (6,))
    curve = recorded_curve([first, first, again], 10)

    assert curve is not None
    assert curve.rooms == 3
    assert curve.shares == pytest.approx((0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3))
    assert curve.wrong == (3, 6)
    assert curve.half == 8
    assert (
        curve.in_words
        == "People, recorded in 3 rooms: half of the rooms by word 8, 67\N{NO-BREAK SPACE}% at the end."
    )
    assert "1 wrong buzz here" in curve.at_word(6)


@pytest.mark.parametrize("heard", [-5, 0, 1, 10, 11, 1 << 70])
def test_positions_outside_the_text_lie_in_it(heard):
    curve = recorded_curve([RoomsRecorded("a", 10, ("g",), (heard,), (heard,))], 20, edited=True)

    assert curve is not None
    assert all(0 <= share <= 1 for share in curve.shares)
    assert all(1 <= at <= 20 for at in curve.wrong)
    assert "edited since" in curve.in_words


def test_without_a_room_or_a_word_nothing_is_recorded():
    assert recorded_curve([], 10) is None
    assert recorded_curve([RoomsRecorded("a", 10)], 10) is None
    assert recorded_curve([RoomsRecorded("a", 0, ("g",), (1,))], 0) is None


def test_the_mean_curve_is_that_of_the_rooms_and_its_loss_is_the_log_of_its_chance():
    outcomes = [CurveOutcome("a", 3, 0), CurveOutcome("a", 3, STEPS - 1), CurveOutcome("b", 8, None)]
    curves = fit_curves(outcomes)

    assert {level: (one.rooms, one.tossups) for level, one in curves.items()} == {
        3: (2, 1),
        8: (1, 1),
        None: (3, 2),
    }
    assert sum(curves[None].chances) == pytest.approx(1)
    assert log_losses(curves, [CurveOutcome("c", 3, 0)]) == [pytest.approx(-log(2 / (2 + STEPS + 1)))]
    assert log_losses(curves, [CurveOutcome("c", 5, None)]) == [pytest.approx(-log(2 / (3 + STEPS + 1)))]
    shares = curves[3].shares(7)
    assert list(shares) == sorted(shares)
    assert shares[-1] == pytest.approx(sum(curves[3].chances[:-1]))


def test_a_buzz_past_the_end_lies_in_the_last_part():
    assert [curve_part(heard, 100) for heard in (0, 1, 5, 6, 100, 130)] == [0, 0, 0, 1, 19, 19]


def test_difficulties_are_understood_in_digits_and_in_words():
    assert [difficulty_of(said) for said in ("8", " Regionals ", "11", "²", "hard-ish", "")] == [
        8, 8, None, None, None, None,
    ]  # fmt: skip


def played(game, person, word, said, machine=False):
    """A game of ten words in which the first seat answered after ``word`` words."""
    seats = (Seat(person, person="" if machine else person, machine=person if machine else ""),)
    rules = Rules(FORMATS["ACF"], PlayedTossup("0" * 64, 10), seats)
    moves = (
        Move(MoveKind.READ, 1, word),
        Move(MoveKind.BUZZ, 2, word),
        Move(MoveKind.VERDICT, 3, said=said),
    )
    return Played(game, 1, PlayedBy.WINDOW, rules, moves)


def test_games_of_people_are_rooms_but_not_the_writers_or_a_persons_second():
    games = [
        played("g1", "ada", 2, Said.ACCEPT),
        played("g2", "ben", 4, Said.ACCEPT),
        played("g3", "ben", 1, Said.ACCEPT),
        played("g4", "cleo", 6, Said.REJECT),
        played("g5", "ir", 3, Said.ACCEPT, machine=True),
        Played("g6", 1, PlayedBy.MAIL, games_rules(), (Move(MoveKind.END, 0), Move(MoveKind.END, 0))),
    ]
    rooms = rooms_of_games(games, {"ada"})
    assert [(one.games, one.right, one.wrong) for one in rooms] == [
        (("g2",), (4,), ()),
        (("g4",), (0,), (6,)),
    ]
    curve = recorded_curve(rooms, 10)
    assert (curve.rooms, curve.half, curve.wrong) == (2, 4, (6,))


def games_rules():
    return Rules(FORMATS["ACF"], PlayedTossup("0" * 64, 10), (Seat("Dov"),))


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("", False),
        ("This lake is deep.", False),
        ("For 10 points, name this lake. It is deep.", False),
        ("It is deep. For 10 points, name this lake.", True),
        ("It is deep. FTP, what is it", True),
        ("It is deep. Which lake is this?", True),
    ],
)
def test_the_end_of_a_tossup_asks(text, there):
    assert has_end(Tossup(text)) is there
