"""The state machine of the game: what each move does, replay, and what it refuses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import decode_body, encode_body
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import (
    FORMATS,
    MOST_MOVES,
    Game,
    GameFormat,
    GameState,
    IllegalMoveError,
    Move,
    MoveKind,
    Phase,
    Played,
    PlayedBy,
    PlayedTossup,
    Rules,
    Said,
    Seat,
    version_digest,
)
from quizwriter.system.decoding import DecodingError

TOSSUP = PlayedTossup("0" * 64, 20, power=10, superpower=5)
SEATS = (Seat("Ada", "Red"), Seat("Ben", "Red"), Seat("Cleo", "Blue"), Seat("Dov"), Seat("Eve"))


class Clock:
    """A clock that a test moves on."""

    def __init__(self):
        self.ms = 7_000

    def __call__(self):
        return self.ms


@pytest.fixture
def clock():
    return Clock()


def a_game(clock, name="Superpowers", tossup=TOSSUP, seats=SEATS):
    return Game(Rules(FORMATS[name], tossup, seats), clock)


def test_a_right_answer_in_power_ends_the_tossup(clock):
    game = a_game(clock, "mACF")
    game.read(10)
    clock.ms += 300
    assert game.buzz(0).phase is Phase.ANSWERING
    assert game.answer("  an eel ").phase is Phase.JUDGING
    assert game.judge(Said.ACCEPT).phase is Phase.DECIDED
    buzz = game.state.buzzes[0]
    assert (buzz.word, buzz.at_ms, buzz.answers) == (10, 300, ("an eel",))
    assert game.state.score(game.rules) == (15, 0, 0, 0, 0)
    with pytest.raises(IllegalMoveError):
        game.read_on()
    assert game.end().phase is Phase.OVER


@pytest.mark.parametrize(
    ("name", "word", "right", "wrong"),
    [
        ("ACF", 5, 10, -5),
        ("mACF", 5, 15, -5),
        ("mACF", 11, 10, -5),
        ("PACE", 5, 20, 0),
        ("Superpowers", 5, 20, -5),
        ("Superpowers", 6, 15, -5),
        ("Superpowers", 20, 10, 0),  # everything was read: no interruption
    ],
)
def test_what_a_buzz_is_worth(clock, name, word, right, wrong):
    for said, points in ((Said.ACCEPT, right), (Said.REJECT, wrong)):
        game = a_game(clock, name)
        game.read(word)
        game.buzz(3)
        game.answer("eel")
        game.judge(said)
        assert game.state.points(game.rules) == (points,)


def test_a_format_of_ones_own(clock):
    own = GameFormat("Ours", right=7, neg=-2, power=9)
    game = Game(Rules(own, TOSSUP, SEATS), clock)
    game.read(10)
    game.buzz(0)
    game.judge(Said.ACCEPT)
    assert game.state.points(game.rules) == (9,)
    assert own.in_words == "Ours 9/7/\N{MINUS SIGN}2"
    names = [one.in_words.replace("\N{MINUS SIGN}", "-") for one in FORMATS.values()]
    assert names == ["ACF 10/-5", "mACF 15/10/-5", "PACE 20/10", "Superpowers 20/15/10/-5"]


def test_after_a_wrong_answer_the_team_is_locked_out_and_only_the_first_interruption_costs(clock):
    game = a_game(clock, "ACF")
    game.read(4)
    game.buzz(0)
    game.judge(Said.REJECT)
    assert game.read_on().phase is Phase.READING
    with pytest.raises(IllegalMoveError, match="may not buzz"):
        game.buzz(1)  # of the same team
    game.read(8)
    game.buzz(3)
    game.judge(Said.REJECT)
    game.read_on()
    game.read(20)
    game.buzz(4)  # who has no team either, and is not of Dov's
    game.judge(Said.ACCEPT)
    assert game.state.points(game.rules) == (-5, 0, 10)
    assert game.state.score(game.rules) == (-5, 0, 0, 0, 10)


def test_a_player_is_prompted_once(clock):
    game = a_game(clock)
    game.read(4)
    game.buzz(2)
    game.answer("fish")
    state = game.judge(Said.PROMPT, "what kind of fish?")
    assert (state.phase, state.buzzes[0].prompt) == (Phase.PROMPTED, "what kind of fish?")
    assert state.due_ms == game.now_ms + game.rules.format.answer_ms
    game.answer("a big fish")
    with pytest.raises(IllegalMoveError, match="once"):
        game.judge(Said.PROMPT)
    game.judge(Said.ACCEPT)
    assert game.state.buzzes[0].answers == ("fish", "a big fish")


def test_the_clock_runs_out_for_an_answer_and_for_a_buzz(clock):
    game = a_game(clock, "ACF")
    game.read(4)
    game.buzz(0)
    clock.ms += 9_999
    with pytest.raises(IllegalMoveError):
        game.time_up()
    clock.ms += 1
    assert game.time_up().phase is Phase.DECIDED
    assert (game.state.buzzes[0].said, game.state.buzzes[0].timed_out) == (Said.REJECT, True)
    game.read_on()
    assert game.read(20).due_ms == 10_000 + 5_000
    clock.ms += 5_000
    assert game.time_up().phase is Phase.OVER
    assert game.state.points(game.rules) == (-5,)


def test_an_overruling_is_kept_and_changes_the_points_of_all(clock):
    game = a_game(clock, "ACF")
    game.read(4)
    game.buzz(0)
    game.judge(Said.REJECT)
    game.read_on()
    game.buzz(2)
    game.judge(Said.ACCEPT)
    game.end()
    assert game.state.points(game.rules) == (-5, 10)
    game.overrule(0, Said.ACCEPT)
    assert game.state.points(game.rules) == (10, 0)
    assert [one.overruled for one in game.state.buzzes] == [True, False]
    with pytest.raises(IllegalMoveError, match="nothing to overrule"):
        game.overrule(0, Said.ACCEPT)
    game.overrule(0, Said.REJECT)
    assert not game.state.buzzes[0].overruled
    for seat, said in ((4, Said.ACCEPT), (0, Said.PROMPT)):
        with pytest.raises(IllegalMoveError):
            game.overrule(seat, said)


def test_undo_takes_back_all_but_what_was_heard(clock):
    game = a_game(clock, "ACF")
    game.read(4)
    game.buzz(0)
    game.judge(Said.REJECT)
    game.read_on()
    game.read(20)
    clock.ms += 1_000
    for phase in (Phase.DECIDED, Phase.ANSWERING, Phase.READING):
        assert game.undo().phase is phase
    assert (game.state.word, game.state.buzzes, game.state.due_ms) == (20, (), 1_000 + 5_000)
    with pytest.raises(IllegalMoveError):
        game.undo()
    assert len(game.log) == 8
    assert Game.replayed(game.rules, game.log).state == game.state


@pytest.mark.parametrize(
    "move",
    [
        Move(MoveKind.READ, 0, 0),
        Move(MoveKind.READ, 0, 21),
        Move(MoveKind.BUZZ, 0, 0, 5),
        Move(MoveKind.BUZZ, 0, 1, 0),  # a word that nobody has heard yet
        Move(MoveKind.ANSWER, 0, text="eel"),
        Move(MoveKind.VERDICT, 0, said=Said.ACCEPT),
        Move(MoveKind.TIME, 0),
        Move(MoveKind.OVERRULE, 0, said=Said.ACCEPT),
        Move(MoveKind.READ_ON, 0),
        Move(MoveKind.UNDO, 0),
    ],
    ids=lambda move: f"{move.kind} {move.word}",
)
def test_what_cannot_be_at_the_start_is_refused_and_changes_nothing(clock, move):
    game = a_game(clock)
    with pytest.raises(IllegalMoveError):
        game.take(move)
    assert (game.state, game.log) == (GameState(), [])


def test_time_does_not_run_backwards(clock):
    game = a_game(clock)
    clock.ms += 50
    game.read(1)
    with pytest.raises(IllegalMoveError, match="backwards"):
        game.take(Move(MoveKind.READ, 49, 2))
    clock.ms -= 5_000  # the clock of the machine was set back
    assert game.read(2).at_ms == 50


def test_a_move_that_a_full_log_has_no_room_for_changes_nothing(clock):
    game = a_game(clock)
    game.read(4)
    game.buzz(0)
    game.judge(Said.REJECT)
    while len(game.log) < MOST_MOVES:
        game.overrule(0, Said.ACCEPT if game.state.buzzes[0].said is Said.REJECT else Said.REJECT)
    before, log = game.state, list(game.log)
    for tried in (game.end, game.undo):
        with pytest.raises(IllegalMoveError, match="full"):
            tried()
        assert (game.state, game.log) == (before, log)
    assert Game.replayed(game.rules, game.log).state == before


moves = st.builds(
    Move,
    st.sampled_from(MoveKind),
    st.just(0),
    st.integers(0, 21),
    st.integers(0, len(SEATS)),
    st.sampled_from(Said) | st.none(),
    st.text("aé😀", max_size=3),
)


@given(st.lists(st.tuples(moves, st.integers(0, 6_000)), max_size=60), st.sampled_from(list(FORMATS)))
def test_replay_gives_the_same_state_whatever_was_tried(tried, name):
    """Moves at random: those that may not be change nothing, and the log of the others is the game."""
    game = a_game(lambda: 0, name)
    now = 0
    for move, passed in tried:
        now += passed
        before, log = game.state, list(game.log)
        try:
            game.take(replace(move, at_ms=now))
        except IllegalMoveError:
            assert (game.state, game.log) == (before, log)
    again = Game.replayed(game.rules, game.log)
    assert (again.state, again.log) == (game.state, game.log)
    state, rules = game.state, game.rules
    teams = [rules.team(one.seat) for one in state.buzzes]
    assert len(set(teams)) == len(teams)  # nobody answers twice
    assert sum(points > 0 for points in state.points(rules)) <= 1
    assert sum(points < 0 for points in state.points(rules)) <= 1
    assert all(one.word <= state.word for one in state.buzzes)
    assert (state.due_ms is None) == (
        not (
            state.phase in {Phase.ANSWERING, Phase.PROMPTED}
            or (state.phase is Phase.READING and state.word == TOSSUP.words)
        )
    )
    played = Played("g", 1, PlayedBy.WINDOW, rules, tuple(game.log))
    kind, values = encode_body(played)
    decoded = decode_body(kind, json.dumps(values))
    assert decoded == played
    assert decoded.replay().state == state


@given(st.lists(moves, min_size=1, max_size=20), st.integers(0, 40))
def test_a_log_that_cannot_have_been_is_refused(wrong, at):
    game = a_game(lambda: 0)
    game.read(4)
    game.buzz(0)
    game.answer("eel")
    game.judge(Said.REJECT)
    game.end()
    whole = tuple(game.log)
    forged = (*whole[: at % 5], *wrong, *whole[at % 5 :])
    found = Played("g", 1, PlayedBy.MAIL, game.rules, forged).replay()
    if found is not None:  # then each move could be made, one after the other
        state = GameState()
        for move in found.log:
            if move.kind is not MoveKind.UNDO:
                assert move.at_ms >= state.at_ms
    backwards = (Move(MoveKind.READ, 5, 1), *whole)
    assert Played("g", 1, PlayedBy.MAIL, game.rules, backwards).replay() is None


@pytest.mark.parametrize(
    "values",
    [
        {"number": 0},
        {"game": ""},
        {"by": "post"},
        {"moves": [{"kind": "read", "word": 2_001}]},
        {"moves": [{"kind": "read", "at_ms": -1}]},
        {"moves": [{"kind": "answer", "text": "x" * 201}]},
        {"moves": [{"kind": "read"}] * 2_001},
    ],
)
def test_values_out_of_their_ranges_are_refused(values):
    played = Played("g", 1, PlayedBy.WINDOW, Rules(FORMATS["ACF"], TOSSUP, SEATS), ())
    kind, sound = encode_body(played)
    assert decode_body(kind, json.dumps(sound)) == played
    with pytest.raises(DecodingError):
        decode_body(kind, json.dumps({**sound, **values}))


def test_a_version_is_its_text_and_its_answer_line():
    tossup = Tossup("This (+) fish (*) is long. (“EEL”)", Answer("eel"))
    played = PlayedTossup.of(tossup)
    assert (played.words, played.superpower, played.power) == (4, 1, 2)
    assert PlayedTossup.of(Tossup("This fish")).superpower is None
    digests = {
        version_digest(one) for one in (tossup, Tossup(tossup.text), Tossup("x" + tossup.text, tossup.answer))
    }
    assert played.digest in digests
    assert len(digests) == 3
    assert version_digest(Tossup("ab", Answer("c"))) != version_digest(Tossup("a", Answer("bc")))
