"""The tables of people from games: all games here are made up, and no figure of people comes from them."""

from __future__ import annotations

import msgspec
import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.review import Categorised, PutInSet, RoomsRecorded
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import Advice, Said, Seat
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import GAMES, ExperimentInputs
from quizwriter.experiments.registry import experiments
from quizwriter.services.blind_draws import BlindDraw, BlindDraws
from quizwriter.workflow.session import PendingSave
from tests.helpers.made_games import made_game

TEXT = "one two three four five six seven eight nine ten"


@pytest.fixture
def sets(app):
    """Eight tossups each in the sets Spring and Control; nobody played them."""
    for name in ("Spring", "Control"):
        for at in range(8):
            key, text = f"{name}-{at}", f"{name} {at} {TEXT}"
            app.store.save(PendingSave.begun(key, text, Answer("Ulysses"), 1, "ada"))
            category = "Literature" if at % 2 else "Science"
            app.store.add_events(
                [
                    Event.new(key, 1, "ada", PutInSet(name)),
                    Event.new(key, 1, "ada", Categorised((category,))),
                ]
            )
    return app


def play(app, key, person, word, said, answer="x"):
    tossup: Tossup = app.store.load(key).tossup
    app.games.keep(key, made_game(f"{key} {person}", tossup, person, word, said, answer))


def run(app, name, **given):
    return experiments()[name].function(ExperimentInputs(app, "Spring", GAMES, **given))


@pytest.mark.parametrize("name", ["people", "answerability", "versus", "curves"])
def test_without_games_each_table_says_no_people_yet(sets, name):
    with pytest.raises(QuizwriterError, match="No people yet"):
        run(sets, name, options={"read": "yes"})


def test_answerability_is_counted_by_k_of_n(sets):
    for person, right in (("Ben", True), ("Cleo", False), ("Dov", True)):
        play(sets, "Spring-0", person, 4, Said.ACCEPT if right else Said.REJECT)
    play(sets, "Spring-1", "Ben", 5, Said.REJECT)
    play(sets, "Spring-1", "ben", 5, Said.ACCEPT)  # he heard it before
    play(sets, "Spring-2", "ada", 5, Said.ACCEPT)
    imported = RoomsRecorded("a.qbj", 12, ("g1", "g2"), (4, 6))  # of these nobody knows who buzzed where
    sets.store.add_events([Event.new(f"Spring-{at}", 2, "ada", imported) for at in (0, 3)])
    found = run(sets, "answerability")
    table = {tuple(row[:3]): (row[3], row[4].value) for row in found.rows}
    assert table["all", 1, 1] == (3, 2 / 3)
    assert [table["all", 3, least] for least in (1, 2, 3)] == [(1, 1.0), (1, 1.0), (1, 0.0)]
    assert table["Literature", 1, 1] == (1, 0.0)


def test_a_team_heard_every_tossup_of_its_game_and_nobody_is_named(sets):
    ben, cleo = Seat("Ben", team="Ants"), Seat("Cleo", team="Bees")
    for game, key, seats, said in (
        ("one", "Spring-0", (ben, cleo), Said.REJECT),
        ("one", "Spring-1", (cleo, ben), Said.ACCEPT),
        ("two", "Spring-2", (Seat("Dov"),), Said.ACCEPT),
        ("two", "Spring-3", (Seat(),), Said.ACCEPT),
        ("three", "Spring-4", (Seat(),), Said.REJECT),
    ):
        tossup = sets.store.load(key).tossup
        made = made_game(game, tossup, seats[0], 5, said, "x", others=seats[1:])
        sets.games.keep(key, msgspec.structs.replace(made, number=1 + int(key[-1])))
    found = run(sets, "people", options={"by": "team"})
    assert sorted(row[2:4] for row in found.rows) == [[1, 1], *[[2, 1]] * 4]  # rooms and buzzes of each team
    assert not any(name in str(found) for name in ("Ants", "Bees", "Ben", "Cleo", "Dov"))
    assert [row[2] for row in run(sets, "people", options={"by": "ability"}).rows] == [3, 4, 2]

    given = ExperimentInputs(sets, "Spring", GAMES, players=("ir",), options={"read": "yes"})
    heard = experiments()["teaming"].function(given).rows[0][5].number
    assert heard == 9  # two games of two tossups, each heard by two teams, and one that one heard


def test_people_are_counted_by_category_and_beside_a_plain_set(sets):
    for at in range(8):
        play(sets, f"Spring-{at}", "Ben", 10 + at % 3, Said.REJECT if at % 2 else Said.ACCEPT)
        play(sets, f"Control-{at}", "Cleo", 4 + at % 3, Said.ACCEPT)
    rows = {row[0]: row for row in run(sets, "people", options={"by": "category"}).rows}
    assert (rows["category Literature"][4].value, rows["category Science"][4].value) == (0, 1)
    rows = run(sets, "people", against_from="Control").rows
    assert [row[0] for row in rows] == ["these", "against", "difference"]
    assert [row[4].value for row in rows] == [0.5, 1, -0.5]
    assert 0.05 < rows[2][-5] < 0.1  # Fisher: 4 of 8 against 8 of 8 is .077
    assert rows[2][-2] < 0.001


def test_a_blind_draw_is_shuffled_kept_and_the_only_one_that_is_compared(sets):
    draws = BlindDraws(sets.store, sets.games)
    drawn = [one.key for one in draws.draw("Spring", "Control", 4, 7)]
    assert sum(key.startswith("Spring") for key in drawn) == sum(key.startswith("C") for key in drawn) == 4
    assert drawn != sorted(drawn)
    assert [one.key for one in draws.draw("Spring", "Control", 4, 7)] == drawn
    with pytest.raises(QuizwriterError, match="were drawn before"):
        draws.draw("Spring", "Control", 4, 8)
    with pytest.raises(QuizwriterError, match="has only 8"):
        draws.draw("Control", "Spring", 9, 1)
    blind = {"against_from": "Control", "options": {"blind": "yes"}}
    with pytest.raises(QuizwriterError, match="No people yet"):
        run(sets, "people", **blind)
    for at in range(8):
        for name in ("Spring", "Control"):
            play(sets, f"{name}-{at}", "Ben", 5, Said.ACCEPT)
    assert [row[2] for row in run(sets, "people", **blind).rows] == [4, 4, 8]


def test_sets_whose_names_have_slashes_share_no_draw_and_old_draws_open(sets):
    sets.store.add_events(
        Event.new(f"{name}-{at}", 2, "ada", PutInSet(given))
        for name, names in (("Spring", ("A / B", "A")), ("Control", ("C", "B / C")))
        for given, places in zip(names, (range(4), range(4, 8)), strict=True)
        for at in places
    )
    draws = BlindDraws(sets.store, sets.games)
    first, other = (draws.draw(*pair, 3, 1) for pair in (("A / B", "C"), ("A", "B / C")))
    assert not {one.key for one in first} & {one.key for one in other}

    def old(name, drawn):
        sets.store.put_item("blind draw", name, msgspec.json.encode(drawn).decode())

    for stored in list(sets.store.items("blind draw")):
        sets.store.put_item("blind draw", stored, None)
    kept = BlindDraw(9, ("Spring-0",), ("Control-0",))
    old("A / B / C", kept)
    old("Gone / Away", kept)  # its tossups are in other sets today
    assert draws.of("A / B", "C") == draws.of("Gone", "Away") == kept
    assert draws.of("A", "B / C") is None


def test_what_people_made_of_a_machines_guess_is_counted(sets):
    (remark,) = asked_of(sets, [])
    assert remark == "No people yet: nobody asked a machine in these games."
    asked = [("Cleo", True, True), ("Dov", True, False), ("Eve", False, True)]
    asked.append((Seat("Ada", person="ada"), True, True))
    (remark,) = asked_of(sets, asked)  # a writer's own games do not count
    assert remark == (
        "People asked IR 3 times. Guesses taken: 2, 1 of them right; not taken: 1, 1 of them right."
    )
    given = ExperimentInputs(sets, "Spring", GAMES, players=("ir",), options={"read": "yes"}, seed=3)
    found = experiments()["teaming"].function(given)
    name, how, tossups, taken, right, *rest = found.rows[-1]
    assert (name, how, tossups) == ("ir", "asked in a game", 3)
    assert ((taken.value, taken.number), (right.value, right.number)) == ((2 / 3, 3), (1 / 2, 2))
    assert rest == [None] * 4


def asked_of(app, asked):
    """The remark on machines, once people ``asked``: a name, and whether the guess is taken and right."""
    play(app, "Spring-7", "Ben", 5, Said.ACCEPT)
    for at, (person, taken, right) in enumerate(asked):
        key = f"Spring-{at}"
        game = made_game(f"{key} {person}", app.store.load(key).tossup, person, 5, Said.REJECT, "x")
        advice = (Advice(0, 5, "ir", "Ulysses", 40, taken, right), Advice(0, 6, "ir", "of no buzz", 1))
        app.games.keep(key, msgspec.structs.replace(game, advice=advice))
    return [one for one in run(app, "people").remarks if "asked" in one]
