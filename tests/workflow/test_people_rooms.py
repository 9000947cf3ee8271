"""People's buzzes in the text as it is now: they fit, move with the diff, or no longer fit; who counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Person, RoomsRecorded
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import (
    FORMATS,
    Game,
    Played,
    PlayedBy,
    PlayedTossup,
    Rules,
    Said,
    Seat,
    version_digest,
)
from quizwriter.workflow.people_curve import recorded_curve
from quizwriter.workflow.people_rooms import (
    BuzzFit,
    PastVersions,
    PeopleRooms,
    PlacedBuzz,
    Placement,
    neg_of,
    people_rooms,
)
from quizwriter.workflow.session import AnswerChange
from tests.helpers.made_games import made_game

TEXT = "one two three four five six seven eight nine ten"
TOSSUP = Tossup(TEXT, Answer("Ulysses"))
WRITTEN = Change(1, 1, Edit(0, "", TEXT), "ada")


def history(*edits, people=()):
    changes = [WRITTEN, *(Change(at, at, edit, "ada") for at, edit in enumerate(edits, start=2))]
    return PastVersions(changes, [AnswerChange(1, 1, TOSSUP.answer)], {one.id: one for one in people})


def test_the_version_that_people_read_is_looked_for_from_the_last_one_on(monkeypatch):
    looked = []

    def digest(tossup):
        looked.append(tossup)
        return version_digest(tossup)

    monkeypatch.setattr("quizwriter.workflow.people_rooms.version_digest", digest)
    edits = [Edit(at, "", "x") for at in range(50)]
    now = Tossup("x" * 50 + TEXT, TOSSUP.answer)
    wanted, first = (version_digest(now), 0), (version_digest(TOSSUP), 0)

    assert history(*edits).versions([wanted]) == {wanted: now}
    assert len(looked) == 1
    after = {first: TOSSUP, ("", 0): Tossup(""), ("", 2): Tossup(f"x{TEXT}"), ("", 99): None}
    assert history(*edits).versions(after) == after
    other = ("0" * 64, 0)
    assert history(*edits).versions([other, wanted]) == {other: None, wanted: now}


def events(*bodies, seq=1):
    return [replace(Event.new("t", 100 + at, "", body), seq=seq) for at, body in enumerate(bodies)]


def placed(text, heard, read=TEXT):
    found = Placement(Tossup(read), Tossup(text)).place(heard)
    return found.fit, found.word


def test_a_buzz_fits_while_the_words_that_were_heard_are_the_first_ones():
    assert placed(TEXT, 4) == (BuzzFit.FITS, 4)
    assert placed("One, two — three four! then another end", 4) == (BuzzFit.FITS, 4)


def test_a_buzz_moves_with_its_word_and_is_gone_with_it():
    assert placed("zero one two three four five six seven eight nine ten", 4) == (BuzzFit.MOVED, 5)
    assert placed("two three four five six seven eight nine ten", 4) == (BuzzFit.MOVED, 3)
    assert placed("one two three 4 five six seven eight nine ten", 4) == (BuzzFit.GONE, 0)
    assert placed("a b c d e f four five six seven eight nine ten", 4) == (BuzzFit.GONE, 0)  # other clues
    assert placed("", 4) == (BuzzFit.GONE, 0)
    assert Placement(None, TOSSUP).place(4).fit is BuzzFit.GONE


@pytest.mark.parametrize(
    ("heard", "words", "found"),
    [
        (4, 8, PlacedBuzz(BuzzFit.FITS, 3)),  # "one / two three (*) four - five": what spaces part
        (2, 8, PlacedBuzz(BuzzFit.FITS, 1)),
        (8, 8, PlacedBuzz(BuzzFit.FITS, 5)),
        (9, 8, PlacedBuzz(BuzzFit.FITS, 5)),  # past the last word
        (4, 5, PlacedBuzz(BuzzFit.FITS, 4)),
        (6, 10, PlacedBuzz(BuzzFit.MOVED, 3)),  # words of which only the share is known
    ],
)
def test_a_file_may_count_what_spaces_part(heard, words, found):
    read = Tossup("one / two three (*) four - five")
    assert Placement(read, read).place_share(heard, words) == found


WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=30).map(" ".join)


@given(WORDS, st.integers(1, 30))
def test_on_the_version_that_was_read_every_buzz_fits(text, heard):
    assert placed(text, heard, text) == (BuzzFit.FITS, min(heard, len(Tossup(text).words)))


@given(WORDS, WORDS)
def test_buzzes_stay_in_the_text_and_in_their_order(read, now):
    words = [placed(now, heard, read) for heard in range(1, len(Tossup(read).words) + 1)]
    there = [word for fit, word in words if fit is not BuzzFit.GONE]
    assert there == sorted(set(there))
    assert all(1 <= word <= len(Tossup(now).words) for word in there)
    assert all(word == 0 for fit, word in words if fit is BuzzFit.GONE)


@given(WORDS, WORDS, WORDS)
def test_what_is_edited_behind_a_buzz_does_not_touch_it(heard, before, after):
    at = len(Tossup(heard).words)
    assert placed(f"{heard} {after}", at, f"{heard} {before}") == (BuzzFit.FITS, at)


@given(st.integers(1, 10), st.integers(1, 5))
def test_words_put_before_a_buzz_move_it_by_as_many(heard, more):
    new = " ".join(f"new{at}" for at in range(more))
    fit, word = placed(f"{new} {TEXT}", heard)
    assert (fit, word) in {(BuzzFit.MOVED, heard + more), (BuzzFit.GONE, 0)}
    assert (fit is BuzzFit.MOVED) == (more <= heard)


def test_a_game_belongs_to_the_version_with_its_digest_even_if_it_was_kept_later():
    played = made_game("g", TOSSUP, "Ben", 4, Said.ACCEPT)
    now = Tossup(f"zero {TEXT}", TOSSUP.answer)
    (room,) = people_rooms(events(played, seq=2), now, history(Edit(0, "", "zero "))).rooms
    assert (room.answered, room.placed.fit, room.placed.word) == (True, BuzzFit.MOVED, 5)
    other = made_game("g", Tossup("another text", TOSSUP.answer), "Ben", 1, Said.ACCEPT)
    (room,) = people_rooms(events(other), TOSSUP, history()).rooms
    assert room.placed.fit is BuzzFit.GONE


def test_an_edit_that_is_undone_brings_the_buzz_back():
    played = made_game("g", TOSSUP, "Ben", 4, Said.ACCEPT)
    there_and_back = history(Edit(14, "four", "4"), Edit(14, "4", "four"))
    (room,) = people_rooms(events(played), TOSSUP, there_and_back).rooms
    assert room.placed.fit is BuzzFit.FITS


def test_writers_and_whoever_heard_it_before_do_not_count():
    ada = Person("ada", "Ada Byron")
    games = [
        made_game("g1", TOSSUP, Seat("x", person="ada"), 2, Said.ACCEPT),
        made_game("g2", TOSSUP, "ada  byron", 2, Said.ACCEPT),  # she came into a room under her name
        made_game("g3", TOSSUP, "Ben", 4, Said.ACCEPT),
        made_game("g4", TOSSUP, "ben", 1, Said.ACCEPT),
        made_game("g5", TOSSUP, Seat("", person="b"), 5, Said.REJECT, "Iliad"),
        made_game("g6", TOSSUP, Seat("B", person="b"), 1, Said.ACCEPT),
        made_game("g7", TOSSUP, Seat("IR", machine="ir"), 3, Said.ACCEPT),
        made_game("g8", TOSSUP, "", 6, Said.ACCEPT),  # without names nobody is known again
        made_game("g9", TOSSUP, "", 7, Said.ACCEPT),
        replace(made_game("g10", TOSSUP, "Eve", 7, Said.ACCEPT), replaced=True),
    ]
    found = people_rooms(events(*games), TOSSUP, history(people=[ada]))
    assert [(one.name, one.answered) for one in found.rooms] == [
        ("g3 1", True), ("g5 1", False), ("g8 1", True), ("g9 1", True),
    ]  # fmt: skip
    assert found.right_words == (4, 6, 7)


def test_a_room_that_a_machine_or_the_moderator_ended_tells_nothing():
    machine = Seat("IR", machine="ir")
    ended = [
        made_game("g1", TOSSUP, machine, 3, Said.ACCEPT, others=(Seat("Ben"),)),
        made_game("g2", TOSSUP, "Cleo", 3, read_all=False),
    ]
    found = people_rooms(events(*ended), TOSSUP, history())
    assert [one.whole for one in found.rooms] == [False, False]
    assert found.fitting == ()
    curve = recorded_curve(found, 10)
    assert (curve.rooms, curve.cut, curve.shares) == (0, 2, ())


def test_recorded_rooms_count_once_and_are_placed_by_their_version():
    digest = version_digest(TOSSUP)
    first = RoomsRecorded("a.qbj", 10, ("g1", "g2", "g3"), (4, 0, 8), (3, 10), digest)
    again = RoomsRecorded("b.qbj", 10, ("g2", "g4", "g5"), (0, 2, 10), (6,), digest)
    people = people_rooms(events(first, first, again, seq=2), TOSSUP, history(Edit(48, "", " eleven")))
    curve = recorded_curve(people, 10)
    assert (curve.rooms, curve.half, curve.gone) == (5, 8, 0)
    assert curve.shares == (0, 0.2, 0.2, 0.4, 0.4, 0.4, 0.4, 0.6, 0.6, 0.8)
    assert curve.low[3] < 0.4 < curve.high[3]
    assert [(one.placed.word, one.neg) for one in people.buzzes if not one.right] == [
        (3, True), (10, False), (6, True),
    ]  # fmt: skip
    assert curve.in_words.startswith("People, recorded in 5 rooms: half of the rooms by word 8, 80")
    longer = people_rooms(events(first), Tossup(f"{TEXT} eleven", TOSSUP.answer), history())
    assert longer.counted(BuzzFit.GONE) == 1  # whoever was silent heard no eleventh word


def test_negs_are_of_the_rooms_that_count_and_of_buzzes_that_still_fit():
    negged = made_game("g1", TOSSUP, "Ben", 3, Said.REJECT, "Iliad", read_all=True)
    ended = made_game("g2", TOSSUP, "Cleo", 3, Said.REJECT, "Iliad", others=(Seat("Dan"),), read_all=False)
    people = people_rooms(events(negged, ended), TOSSUP, history())
    assert [one.neg for one in people.buzzes] == [True, True]
    assert (people.figures.rooms, people.figures.negs) == (1, 1)

    read = RoomsRecorded("a.qbj", 10, ("g",), (8,), (3,), version_digest(TOSSUP))
    now = Tossup(TEXT.replace("three", "3"), TOSSUP.answer)
    people = people_rooms(events(read), now, history())
    assert [one.placed.fit for one in people.buzzes] == [BuzzFit.MOVED, BuzzFit.GONE]
    assert people.figures.negs == 0


def test_a_neg_is_the_first_wrong_buzz_with_minus_points_before_the_last_word():
    assert neg_of([(3, False, -5), (5, False, 0), (8, True, 10)], 10) == 0
    assert neg_of([(3, False, 0), (5, False, -5), (6, False, -5)], 10) == 1
    assert neg_of([(10, False, -5)], 10) is None
    assert neg_of([(3, True, 10)], 10) is None

    read = RoomsRecorded("a.qbj", 10, ("g",), (9,), (3, 5, 5, 10), version_digest(TOSSUP), (5,))
    people = people_rooms(events(read), TOSSUP, history())
    assert [(one.placed.word, one.neg) for one in people.buzzes] == [
        (9, False), (3, True), (5, False), (5, True), (10, False),
    ]  # fmt: skip
    assert people.figures.negs == 2


@pytest.mark.parametrize(("name", "negs"), [("ACF", 1), ("PACE", 0)])
def test_a_later_wrong_buzz_and_one_that_costs_nothing_are_no_negs(name, negs):
    rules = Rules(FORMATS[name], PlayedTossup.of(TOSSUP), (Seat("Ben"), Seat("Cleo")))
    game = Game(rules, lambda: 0)
    for seat, word in ((0, 3), (1, 5)):
        game.read(word)
        game.buzz(seat)
        game.judge(Said.REJECT)
        game.read_on()
    game.read(10)
    game.end()
    played = Played("g", 1, PlayedBy.WINDOW, rules, tuple(game.log))
    people = people_rooms(events(played), TOSSUP, history())
    assert ([one.neg for one in people.buzzes], people.figures.negs) == ([bool(negs), False], negs)

    end = TOSSUP.words[2].end
    cut = people_rooms(events(played), Tossup(TEXT[:end], TOSSUP.answer), history(Edit(end, TEXT[end:], "")))
    assert [one.neg for one in cut.buzzes] == [bool(negs), False]  # that of the text that was read


@pytest.mark.parametrize("heard", [-5, 0, 1, 10, 11, 1 << 70])
def test_positions_outside_the_text_lie_in_it(heard):
    rooms = RoomsRecorded("a", 20, ("g",), (heard,), (heard,))
    people = people_rooms(events(rooms), TOSSUP, history())
    assert all(1 <= one.placed.word <= 10 for one in people.buzzes)
    assert all(one.placed.fit is BuzzFit.MOVED for one in people.buzzes)  # the file counts other words


def test_under_five_rooms_there_are_marks_and_no_curve():
    games = [
        made_game(f"g{at}", TOSSUP, f"P{at}", at + 2, Said.REJECT, "Iliad", read_all=True) for at in range(4)
    ]
    curve = recorded_curve(people_rooms(events(*games), TOSSUP, history()), 10)
    assert (curve.shares, curve.rooms, len(curve.buzzes)) == ((), 4, 4)
    assert "too few for a curve" in curve.in_words
    assert "“Iliad” (p" in curve.at_word(2)
    assert "P0" not in curve.at_word(2)  # a pseudonym, and no name
    assert curve.wrong_answers == ("Iliad",)
    more = [*games, made_game("g5", TOSSUP, "P5", 3, Said.ACCEPT)]
    assert len(recorded_curve(people_rooms(events(*more), TOSSUP, history()), 10).shares) == 10


def test_without_events_there_are_no_people():
    assert people_rooms([], TOSSUP, history()) == PeopleRooms()
    assert recorded_curve(PeopleRooms(), 10) is None
