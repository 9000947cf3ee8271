"""Games on tossups of the database: their score, machines that hear no more than people, and their log."""

from __future__ import annotations

import json
import zipfile

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Buzz, Guess, Player, Playthrough
from quizwriter.domain.review import Commented, PutInSet
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, Impression, Phase, Played, Ruling, Said, Seat
from quizwriter.errors import QuizwriterError
from quizwriter.formats.archive import write
from quizwriter.services.match import Match, MatchTossup
from quizwriter.workflow.session import PendingSave
from tests.helpers.made_games import EELS

LAKE = Tossup(
    "This lake is the deepest. For 10 points, name it.", Answer("Lake <u>Baikal</u>", "Lake_Baikal")
)


TWO = Seat("Ada"), Seat("Ben")


class Spy:
    """A machine that notes each text it is given, and buzzes once it has heard ``at`` words."""

    def __init__(self, at=5, page="Eel"):
        self.name, self.at, self.page, self.given, self.threshold = "ir", at, page, [], 0.0

    def play(self, tossup, top=5):
        self.given.append(tossup)
        words = len(tossup.words)
        heard = tuple(range(1, words + 1))
        return Playthrough(
            self.name, tossup, heard, tuple((Guess(self.page, 0.0),) for _ in heard), (None,) * words
        )

    def chances(self, play):
        return (0.9,) * len(play.rows)

    def buzz(self, play):
        return Buzz(self.at, Guess(self.page, 0.0), 0.9) if len(play.heard) >= self.at else None


def saved(app, key, tossup, set_name="Spring", packet="", at_ms=1):
    app.store.save(PendingSave.begun(key, tossup.text, tossup.answer, at_ms, "ada"))
    app.store.add_events([Event.new(key, 2, "ada", PutInSet(set_name, packet))])


def a_match(*tossups, seats=TWO, name="mACF"):
    now = [0]

    def clock():
        now[0] += 10
        return now[0]

    return Match(
        "m", [MatchTossup(f"t{at}", one) for at, one in enumerate(tossups)], FORMATS[name], seats, clock
    )


def test_a_match_judges_prompts_once_scores_and_keeps_a_log_of_each_tossup():
    match = a_match(EELS, LAKE)
    match.game.read(6)
    match.game.buzz(0)
    found = match.answer("a fish")
    assert (match.state.phase, found.ask) == (Phase.PROMPTED, "what kind of fish?")
    match.answer("fish")  # prompted on again: that is wrong
    assert match.state.phase is Phase.DECIDED
    assert match.score == (-5, 0)
    match.game.read_on()
    match.game.read(7)
    match.game.buzz(1)
    match.answer("eels")
    assert match.score == (-5, 15)
    first = match.played
    assert (first.number, first.replay().state) == (1, match.state)
    match.next()
    assert match.is_last
    assert match.played is None
    match.game.read(4)
    match.game.buzz(1)
    assert not match.answer_page("Caspian_Sea")
    assert match.overrule()
    assert match.state.buzzes[0].overruled
    assert match.score == (-5, 25)
    assert match.played.replay().state.answered.seat == 1


@pytest.mark.parametrize(
    ("page", "typed", "taken"),
    [
        ("Eel", "eel", True),
        ("Eel", " EEL. ", True),
        ("Café_(band)", "cafe (band)", True),
        ("Eel", "", False),
        ("!!!", "", False),
        ("!!!", "!!!", True),
        ("Eel", "moray eel", False),
    ],
)
def test_a_guess_is_taken_where_it_is_what_was_answered(page, typed, taken):
    match = a_match(EELS)
    match.game.read(3)
    match.game.buzz(0)
    match.advise("ir", page, 0.9)
    match.answer(typed)
    assert [one.taken for one in match.played.advice] == [taken]


@pytest.mark.parametrize("back", ["undo", "overrule"])
def test_a_bonus_goes_with_the_right_answer_that_was_taken_back(back):
    match, ruled = a_match(EELS), []
    match.ruled = ruled.append
    match.game.read(3)
    match.game.buzz(0)
    match.answer("eel")
    match.rule(replace(match.ruling, bonus=20, protest="Too loud."))
    if back == "undo":
        match.undo()
        match.answer("carp")
    else:
        match.overrule()
    assert match.ruling == ruled[-1] == Ruling(protest="Too loud.")
    match.game.read_on()
    match.game.buzz(1)
    match.answer("eel")
    assert match.standings == (("Ada", -5), ("Ben", 15))
    match.rule(replace(match.ruling, bonus=10))
    assert match.standings == (("Ada", -5), ("Ben", 25))


def test_advice_goes_with_an_undone_buzz_and_is_taken_only_while_it_is_the_answer():
    match = a_match(EELS)
    match.game.read(3)
    match.game.buzz(0)
    asked = match.advise("ir", "Eel", 0.9)
    match.answer("eel")
    assert [one.taken for one in match.played.advice] == [True]
    match.undo()
    assert match.state.phase is Phase.ANSWERING
    assert match.played.advice == (asked,)
    match.answer("carp")
    assert match.played.advice == (asked,)
    for _ in ("verdict", "buzz"):
        match.undo()
    assert match.advice is None
    assert match.played.advice == ()
    match.game.read(6)
    match.game.buzz(0)
    assert match.advice is None
    match.advise("ir", "Eel", 0.95)
    match.answer("fish")
    match.answer("eel")  # after the prompt
    assert [(one.word, one.taken) for one in match.played.advice] == [(6, True)]


def test_a_pack_says_that_programs_without_games_are_too_old_for_it(app, tmp_path):
    written = []
    for key, asks in (("a", None), ("b", False), ("c", True)):
        saved(app, key, EELS)
        match = a_match(EELS)
        match.game.read(3)
        match.game.buzz(0)
        if asks:
            match.advise("ir", "Eel", 0.9)
        match.answer("eel")
        if asks is not None:
            app.games.keep(key, match.record())
        write(tmp_path / key, app.store.branches([key]), ())
        with zipfile.ZipFile(tmp_path / key) as pack:
            written.append(json.loads(pack.read("manifest.json"))["version"])
    assert written == [2, 4, 4]


def test_one_undo_takes_back_a_verdict_with_its_answer_and_a_machines_with_its_buzz():
    match = a_match(EELS, seats=(Seat("Ada"), Seat("IR", machine="ir")))
    match.game.read(3)
    match.game.buzz(0)
    match.answer("fish")
    assert match.state.phase is Phase.PROMPTED
    match.answer("carp")
    match.undo()
    assert (match.state.phase, match.state.buzzes[0].answers) == (Phase.PROMPTED, ("fish",))
    match.undo()
    assert (match.state.phase, match.state.buzzes[0].answers) == (Phase.ANSWERING, ())
    match.answer("carp")
    match.game.read_on()
    match.game.buzz(1)
    match.answer_page("Eel")
    match.undo()
    assert (match.state.phase, len(match.state.buzzes)) == (Phase.READING, 1)
    assert match.played.replay().state == match.state
    for phase in (Phase.DECIDED, Phase.ANSWERING, Phase.READING):
        assert match.game.can_undo
        match.undo()
        assert match.state.phase is phase
    assert not match.game.can_undo


def test_advice_of_a_buzz_stays_while_a_later_one_is_undone():
    match = a_match(EELS)
    match.game.read(3)
    match.game.buzz(0)
    match.advise("ir", "Carp", 0.2)
    match.answer("carp")
    match.game.read_on()
    match.game.buzz(1)
    match.advise("ir", "Eel", 0.9)
    match.undo()
    assert [(one.seat, one.guess, one.taken) for one in match.played.advice] == [(0, "Carp", True)]


def test_nothing_is_overruled_before_a_verdict():
    match = a_match(EELS)
    match.game.read(3)
    assert not match.overrule()


def test_a_condition_of_the_line_is_judged_by_what_was_heard():
    tossup = replace(EELS, answer=Answer("<u>eel</u>s [accept <u>fish</u> until “Sargasso” is read]"))
    for word, said in ((3, Said.ACCEPT), (7, Said.REJECT)):
        match = a_match(tossup)
        match.game.read(word)
        match.game.buzz(0)
        match.answer("fish")
        assert match.state.buzzes[0].said is said


def test_a_machine_gets_exactly_the_words_that_were_read(app):
    spy = Spy(at=5)
    machine = Player(spy, spy, "fake")
    guesses = [app.games.buzz_of(machine, EELS, heard) for heard in range(1, 7)]
    assert [len(one.words) for one in spy.given] == [1, 2, 3, 4, 5, 6]
    assert all(EELS.text.startswith(one.text) for one in spy.given)
    assert {one.answer for one in spy.given} == {None}
    assert [guess is not None for guess in guesses] == [False] * 4 + [True] * 2


def test_machines_that_cost_or_are_far_away_are_not_asked_after_each_word(app):
    from types import SimpleNamespace

    spy = Spy()
    near = Player(spy, spy)
    engine = SimpleNamespace(
        players=(
            near,
            replace(near, distant=True),
            replace(near, metered=True),
            replace(near, at_pauses=True),
        )
    )
    assert app.games.machines(engine) == (near,)
    assert app.games.machines(None) == ()


def test_sets_and_packets_are_read_in_the_order_of_packets_and_what_cannot_be_read_is_left_out(app):
    for key, packet in (("a", "10"), ("b", "9"), ("c", "")):
        saved(app, key, EELS, packet=packet)
    saved(app, "d", replace(LAKE, answer=None), packet="9")
    assert app.games.places() == (("Spring", ""), ("Spring", "9"), ("Spring", "10"))
    assert [one.key for one in app.games.tossups_of("Spring")] == ["c", "b", "a"]
    assert [one.key for one in app.games.tossups_of("Spring", "9")] == ["b"]
    saved(app, "0", EELS, packet="9", at_ms=7)
    assert [one.key for one in app.games.tossups_of("Spring", "9")] == ["b", "0"]  # as they were begun
    saved(app, "long", Tossup("word " * 2_001, Answer("eel")))  # no log could be kept of it
    for key in ("d", "long"):
        with pytest.raises(QuizwriterError, match="no tossup to read"):
            app.games.tossups([key])


def test_a_game_and_what_was_said_are_kept_with_the_version_that_was_read(app):
    saved(app, "a", EELS)
    match = a_match(EELS, seats=(Seat("Ben", person="ben"),))
    match.game.read(6)
    match.game.buzz(0)
    match.answer("eel")
    said = Impression("too hard", "nobody eats eels", "Nice!").remark("a player")
    for _ in range(2):
        app.games.keep("a", match.played, said)
    review = app.store.review_of("a")
    (event,) = review.games
    assert event.body == match.played
    assert event.body.rules.tossup == match.game.rules.tossup
    assert isinstance(event.body, Played)
    (comment,) = review.comments
    assert comment.event.body == Commented(
        "After a game, as a player: Too hard. Unfair because nobody eats eels. Nice!"
    )
    assert Impression().remark("a player") == ""
    curve = app.recorded_rooms.curve("a", EELS)
    assert (curve.recorded, curve.rooms, curve.half) == (True, 1, None)  # marks alone under five rooms
