"""A game in the window, by its keys: words, buzzes, verdicts, the machines' buzzers, and what is kept."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from quizwriter.domain.guessing import Buzz, Guess, Player, Playthrough
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, LONGEST_NAME, Advice, MoveKind, Phase, Said, Seat
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.jobs import hold_jobs, release_jobs
from quizwriter.gui.game.game_window import COMMENT, DOUBLE_MS, TOO_LATE_MS, UNFAIR
from quizwriter.gui.game.new_game import NewGameDialog
from quizwriter.gui.game.scoreboard import PLACE
from quizwriter.services.match import GameChoices, Match, MatchTossup

TEXT = "This fish, named by Brahms (“brahmz”). It swims far. (*) For 10 points, name this fish."
LINE = "<u>eel</u>s [prompt on <u>fish</u> by asking “what kind of fish?”]"
WORDS = 14


ADA = (Seat("Ada"),)


class Spy:
    """A machine that notes what it is given, and buzzes once it has heard ``at`` words."""

    def __init__(self, at=99, page="Eel"):
        self.name, self.at, self.page, self.given, self.threshold = "ir", at, page, [], 0.0

    def play(self, tossup, top=5):
        self.given.append(tossup)
        heard = tuple(range(1, len(tossup.words) + 1))
        rows = tuple((Guess(self.page, 0.0),) for _ in heard)
        return Playthrough(self.name, tossup, heard, rows, (None,) * len(heard))

    def chances(self, play):
        return (0.9,) * len(play.rows)

    def buzz(self, play):
        return Buzz(self.at, Guess(self.page, 0.0), 0.9) if len(play.heard) >= self.at else None


def write_question(qtbot, window):
    window.draft.insertPlainText(TEXT)
    window.answer.line.setText("eels")
    window.answer.line.textEdited.emit("eels")
    window.save()
    qtbot.waitUntil(lambda: window.saver.idle)
    return window


@pytest.fixture
def app(shared_app):
    return shared_app


@pytest.fixture
def window(qtbot, shared_window):
    return write_question(qtbot, shared_window)


@pytest.fixture
def play(qtbot, window):
    """Begins a game on the open tossup; the words come when the test says so."""

    def play(machines=(), times=1, line=LINE, people=ADA, spares=0, **choices):
        tossup = MatchTossup(window.session.tossup_id, Tossup(TEXT, Answer(line, "Eel")))
        seats = (*people, *(Seat("IR", machine="ir") for _ in machines))
        match = Match("m", [tossup] * times, FORMATS["mACF"], seats, lambda: now[0], spares=[tossup] * spares)
        choices.setdefault("alone", not choices.get("marks"))
        game = window.games.play(match, machines, GameChoices(100, reaction_ms=0, **choices))
        game._pace.stop()
        game.now = now
        game.activateWindow()
        qtbot.waitUntil(game.isActiveWindow)
        return game

    now = [0]
    return play


def read(game, words):
    for _ in range(words):
        game._read_next()
        game._pace.stop()


def press(qtbot, game, *keys):
    for key in keys:
        qtbot.keyClick(game, key)


def typed(qtbot, game, text):
    enter(qtbot, game, text)
    game.now[0] += DOUBLE_MS  # what follows is no double press


def enter(qtbot, game, text):
    qtbot.keyClicks(game.field, text)
    qtbot.keyClick(game.field, Qt.Key.Key_Return)


def test_a_game_by_its_keys_is_kept_with_its_remark(qtbot, window, play, app):
    game = play(times=2)
    read(game, 8)
    assert game.text.toPlainText().strip() == "This fish, named by Brahms. It swims far."
    press(qtbot, game, Qt.Key.Key_Space)
    assert game.match.state.phase is Phase.ANSWERING
    typed(qtbot, game, "fish")
    assert game.said.text() == "Prompt: what kind of fish?"
    assert "name this" not in game.text.toPlainText()  # nothing is given away yet
    typed(qtbot, game, "a carp")
    assert game.said.text() == "Not right. \N{MINUS SIGN}5."
    assert game.lanes.isHidden()
    press(qtbot, game, Qt.Key.Key_R)
    read(game, 2)
    press(qtbot, game, Qt.Key.Key_Space)  # locked out
    assert game.match.state.phase is Phase.READING
    press(qtbot, game, Qt.Key.Key_N)
    assert game.text.toPlainText().endswith("ANSWER: eels [prompt on fish by asking “what kind of fish?”]")
    assert not game.lanes.isHidden()
    assert "Word 8 of 14, Ada: fish, then a carp" in game.notes.text()
    press(qtbot, game, Qt.Key.Key_3, Qt.Key.Key_U)
    assert game.field.placeholderText() == UNFAIR
    typed(qtbot, game, "eels do not swim")
    press(qtbot, game, Qt.Key.Key_C)
    assert game.field.placeholderText() == COMMENT
    typed(qtbot, game, "Nice.")
    with qtbot.waitSignal(game.kept):
        press(qtbot, game, Qt.Key.Key_Return)
    assert game.match.number == 2
    review = app.store.review_of(window.session.tossup_id)
    assert [one.kind for one in review.games[0].body.moves] == [
        *("read", "buzz", "answer", "verdict", "answer", "verdict", "read on", "read", "end")
    ]
    said = "After a game, as a player: Too hard. Unfair because eels do not swim. Nice."
    assert [one.event.body.text for one in review.comments] == [said]
    game._pace.stop()
    read(game, 2)
    press(qtbot, game, Qt.Key.Key_P, Qt.Key.Key_N, Qt.Key.Key_C)
    qtbot.keyClicks(game.field, "Too short")
    with qtbot.waitSignals([game.closed, game.kept]):
        game.close()  # in the middle of a remark
    review = app.store.review_of(window.session.tossup_id)
    assert len(review.games) == 2
    assert review.comments[1].event.body.text == "After a game, as a player: Too short."


def test_one_key_overrules_and_both_verdicts_are_kept(qtbot, play):
    game = play()
    read(game, 9)
    press(qtbot, game, Qt.Key.Key_Space)
    typed(qtbot, game, "long swimmers")
    assert game.score.text() == "Ada: \N{MINUS SIGN}5"
    press(qtbot, game, Qt.Key.Key_O)
    assert game.said.text() == "Overruled: Right. +10."
    assert game.score.text() == "Ada: 10"
    kinds = [move.kind for move in game.match.game.log]
    assert kinds[-2:] == [MoveKind.VERDICT, MoveKind.OVERRULE]
    assert game.match.state.buzzes[0].overruled
    assert "(overruled)" in game.notes.text()


def test_speed_and_pause_while_it_runs(qtbot, play):
    game = play()
    press(qtbot, game, *[Qt.Key.Key_Up] * 30)
    assert game.choices.words_per_minute == 500
    game._read_next()
    qtbot.waitUntil(lambda: game.match.state.word >= 3)  # 120 ms each
    press(qtbot, game, Qt.Key.Key_P)
    heard = game.match.state.word
    press(qtbot, game, Qt.Key.Key_Space)  # no buzz in a pause
    qtbot.wait(300)
    assert (game.match.state.word, game.match.state.phase) == (heard, Phase.READING)
    press(qtbot, game, Qt.Key.Key_P)
    qtbot.waitUntil(lambda: game.match.state.word > heard)
    press(qtbot, game, *[Qt.Key.Key_Down] * 30)
    assert game.choices.words_per_minute == 100


def test_a_machine_hears_exactly_what_was_read_and_its_buzz_is_judged(qtbot, play):
    spy = Spy(at=4)
    game = play([Player(spy, spy, "fake")])
    for _ in range(3):
        read(game, 1)
        qtbot.waitUntil(lambda: game._asked_at is None)
    assert [len(one.words) for one in spy.given] == [1, 2, 3]
    assert all(TEXT.startswith(one.text) and one.answer is None for one in spy.given)
    read(game, 1)
    qtbot.waitUntil(lambda: not game.lanes.isHidden())
    assert game.said.text() == "IR: Eel. Right. +15."
    assert [len(one.words) for one in spy.given[:4]] == [1, 2, 3, 4]
    buzz = game.match.state.buzzes[0]
    assert (buzz.seat, buzz.word, buzz.said) == (1, 4, Said.ACCEPT)
    qtbot.waitUntil(lambda: bool(game._plays))
    assert "IR: stays right from word 1, buzz after word 4." in game.lanes.lines()
    spied = spy.given[-1]
    assert spied.text == TEXT  # only when it was over


def test_the_answer_of_a_player_who_buzzed_just_after_the_machine_is_no_row_of_keys(qtbot, play):
    game = play([Player(spy := Spy(at=4), spy, "fake")])
    read(game, 4)
    qtbot.waitUntil(lambda: not game.lanes.isHidden())
    game.now[0] += TOO_LATE_MS
    press(qtbot, game, Qt.Key.Key_Space)
    assert "IR was faster" in game.hints.text()
    qtbot.keyClicks(game, "1 duct to tow exotic dodos")  # overrule, rate, throw out, comment, scoreboard
    assert game._scoreboard is None
    assert (game.score.text(), game._asks, game._rating.felt) == ("Ada: 0 · IR: 15", "", "")
    press(qtbot, game, Qt.Key.Key_Return)
    assert "Enter: end" in game.hints.text()  # and from now on the keys mean what is said
    press(qtbot, game, Qt.Key.Key_3)
    assert game._rating.felt == "too hard"


def test_of_two_at_the_keys_the_slower_one_rates_nothing_with_a_late_buzz(qtbot, play):
    game = play([Player(spy := Spy(at=4), spy, "fake")], people=(Seat("Ada"), Seat("Ben")), marks=True)
    read(game, 4)
    qtbot.waitUntil(lambda: not game.lanes.isHidden())
    qtbot.keyClicks(game, "2 duct to tow")
    assert "IR was faster" in game.hints.text()
    assert (game._rating.felt, game._asks, game.match.ruling.replaced) == ("", "", False)


def test_who_looks_at_the_reason_before_a_space_keeps_the_keys(qtbot, play):
    game = play([Player(spy := Spy(at=4), spy, "fake")])
    read(game, 4)
    qtbot.waitUntil(lambda: not game.lanes.isHidden())
    game.now[0] += TOO_LATE_MS + 1
    press(qtbot, game, Qt.Key.Key_Space, Qt.Key.Key_1)
    assert game._rating.felt == "too easy"


def test_who_reads_to_teams_scores_the_match_without_the_marks_of_the_text_too(qtbot, play):
    game = play(people=(Seat("Ada"), Seat("Ben")), alone=False, marks=False)
    read(game, 9)
    press(qtbot, game, Qt.Key.Key_2)
    typed(qtbot, game, "eel")
    assert "B: bonus (0) · T: throw it out · X: protest" in game.hints.text()
    press(qtbot, game, Qt.Key.Key_B)
    assert game.match.ruling.bonus == 10
    press(qtbot, game, Qt.Key.Key_T)
    assert game.match.ruling.replaced
    qtbot.keyClick(game, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert game.match.state.phase is Phase.ANSWERING


def test_who_plays_alone_throws_nothing_out_and_has_no_bonus(qtbot, play):
    game = play()
    read(game, 9)
    press(qtbot, game, Qt.Key.Key_Space)
    typed(qtbot, game, "eel")
    press(qtbot, game, Qt.Key.Key_T, Qt.Key.Key_B, Qt.Key.Key_X)
    assert (game.score.text(), game._asks) == ("Ada: 10", "")
    assert not game.match.ruling.replaced


def test_after_a_wrong_machine_the_words_go_on_for_the_person(qtbot, play):
    spy = Spy(at=2, page="Carp")
    game = play([Player(spy, spy, "fake")])
    read(game, 2)
    qtbot.waitUntil(lambda: len(game.match.state.buzzes) == 1)
    assert game.said.text() == "IR: Carp. Not right. \N{MINUS SIGN}5."
    assert game.match.state.phase is Phase.READING
    game._pace.stop()
    read(game, 1)
    press(qtbot, game, Qt.Key.Key_Space)
    typed(qtbot, game, "an eel")
    assert game.score.text() == "Ada: 15 · IR: \N{MINUS SIGN}5"


def test_no_machine_plays_where_the_machines_are_hidden(qtbot, play):
    spy = Spy(at=1)
    game = play([Player(spy, spy, "fake")])
    hidden = MatchTossup(game.match.current.key, Tossup(TEXT, Answer(LINE)), machines=False)
    game.match.tossups = (hidden,)
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_N)
    qtbot.wait(50)
    assert spy.given == []


def test_the_clock_runs_out(qtbot, play):
    game = play()
    read(game, WORDS)
    assert "5 s · " in game.hints.text()
    game.now[0] += 5_000
    game._count_down()
    assert game.match.state.phase is Phase.OVER
    assert not game.lanes.isHidden()


@pytest.mark.parametrize(
    ("people", "said"),
    [(ADA, "Time. Not right. \N{MINUS SIGN}5."),
     ((*ADA, Seat("Ben")), "Time. Ada: Not right. \N{MINUS SIGN}5.")],
)  # fmt: skip
def test_it_is_said_whose_time_is_up(qtbot, play, people, said):
    game = play(people=people, marks=True)
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_1 if len(people) > 1 else Qt.Key.Key_Space)
    game.now[0] += 10_000
    game._count_down()
    assert game.said.text() == said


def test_no_clock_runs_in_a_pause(qtbot, play):
    game = play(marks=True)
    read(game, WORDS)
    press(qtbot, game, Qt.Key.Key_Space)
    game.now[0] += 2_000
    game._undo()  # which pauses
    for pause_ms in (60_000, 3_000):
        game.now[0] += pause_ms
        press(qtbot, game, Qt.Key.Key_P)
        game._count_down()
        assert (game.match.state.phase, game.match.state.due_ms) == (Phase.READING, 7_000)
        assert "5 s · " in game.hints.text()
        press(qtbot, game, Qt.Key.Key_P)
    press(qtbot, game, Qt.Key.Key_P)
    game.now[0] += 5_000
    game._count_down()
    assert game.match.state.phase is Phase.OVER
    assert [move.at_ms for move in game.match.game.log] == [0, 0, 2_000, 7_000]


def test_a_moderator_sees_marks_and_guides_takes_back_and_has_a_key_for_each_person(qtbot, play):
    game = play(people=(Seat("Ada"), Seat("Ben")), marks=True)
    read(game, 5)
    assert game.text.toPlainText().strip() == "This fish, named by Brahms (“brahmz”)."
    press(qtbot, game, Qt.Key.Key_2)
    assert game.said.text() == "Ben:"
    typed(qtbot, game, "carp")
    assert game.score.text() == "Ada: 0 · Ben: \N{MINUS SIGN}5"
    assert game.hints.text().endswith("Enter: the answer · Ctrl+Z: undo")
    qtbot.keyClick(game, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert game.match.state.phase is Phase.ANSWERING
    qtbot.keyClick(game.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert game.score.text() == "Ada: 0 · Ben: 0"
    assert game.match.state.word == 5


def test_the_dialog_begins_a_game_on_the_open_tossup(qtbot, window):
    window.menus.actions["play-alone"].trigger()
    (dialog,) = window.findChildren(NewGameDialog)
    assert dialog.what.currentText() == "This tossup"
    assert not dialog.points["Neg"].isVisible()
    dialog.format.setCurrentText("Own")
    dialog.points["Neg"].setValue(-3)
    with qtbot.waitSignal(dialog.begun) as begun:
        dialog._primary.click()
    match, machines, choices = begun.args
    assert (match.seats[0].name, match.seats[0].person) == ("Ada", "ada")
    assert match.game.rules.format.in_words == "Own 15/10/\N{MINUS SIGN}3"
    assert (machines, choices.marks) == ((), False)


def test_players_that_come_later_are_offered_to_who_is_about_to_play(qtbot, window, monkeypatch):
    engine = [None]
    monkeypatch.setattr(window.games, "_engine", lambda: engine[0])
    window.menus.actions["play-alone"].trigger()
    (dialog,) = window.findChildren(NewGameDialog)
    assert dialog._lacking.text() == "The players are still being loaded."
    spy = Spy()
    engine[0] = SimpleNamespace(players=(Player(spy, spy, "fake"),))
    for _ in range(2):
        window.engines.engine_changed.emit()
    assert dialog._lacking.isHidden()
    assert [box.text() for box in dialog.boxes.values()] == ["IR"]
    assert dialog.adviser.count() == 2
    dialog.close()
    window.engines.engine_changed.emit()  # nobody is asked any more
    engine[0] = None


def test_a_moderator_scores_bonuses_notes_protests_and_saves_the_sheet(qtbot, play, tmp_path):
    game = play(people=(Seat("Ada", "Red"), Seat("Ben", "Blue")), marks=True)
    read(game, 9)
    board = game.show_scoreboard()
    press(qtbot, game, Qt.Key.Key_1)
    typed(qtbot, game, "eel")
    assert game.score.text() == "Red: 10 · Blue: 0"
    press(qtbot, game, Qt.Key.Key_B, Qt.Key.Key_B)
    assert game.score.text() == "Red: 30 · Blue: 0"
    assert [points.text() for _, points in board._rows] == ["30", "0"]
    press(qtbot, game, Qt.Key.Key_X)
    typed(qtbot, game, "Ben was first.")
    press(qtbot, game, Qt.Key.Key_T)
    assert game.score.text() == "Red: 0 · Blue: 0"
    press(qtbot, game, Qt.Key.Key_T)
    with qtbot.waitSignal(game.kept):
        press(qtbot, game, Qt.Key.Key_Return)
    ((_, played),) = game.match.records
    assert (played.bonus, played.protest, played.replaced) == (20, "Ben was first.", False)
    sheet = tmp_path / "match.qbj"
    game.save_sheet(sheet)
    qtbot.waitUntil(lambda: game.said.text() == f"The score sheet is in {sheet}.")
    assert '"controlled_points": 20' in sheet.read_text(encoding="utf-8")
    press(qtbot, game, Qt.Key.Key_Return)


def test_one_esc_that_was_meant_for_the_scoreboard_ends_no_game_of_others(qtbot, play):
    game = play(people=(Seat("Ada", "Red"), Seat("Ben", "Blue")), marks=True)
    read(game, 9)
    press(qtbot, game, Qt.Key.Key_Escape)
    assert game.hints.text() == "Esc again: end the game for everybody"
    press(qtbot, game, Qt.Key.Key_1)  # it goes on
    assert game.match.state.phase is Phase.ANSWERING
    typed(qtbot, game, "eel")
    press(qtbot, game, Qt.Key.Key_T, Qt.Key.Key_Escape, Qt.Key.Key_O)
    assert game.said.text() == "Overruled: Not right."  # of what is thrown out nobody has points
    press(qtbot, game, Qt.Key.Key_Escape)
    assert not game._closed
    with qtbot.waitSignal(game.closed):
        press(qtbot, game, Qt.Key.Key_Escape)


def test_a_spare_is_read_in_the_place_of_a_tossup_that_is_thrown_out(qtbot, play):
    game = play(people=(Seat("Ada", "Red"), Seat("Ben", "Blue")), times=2, spares=2, marks=True)
    read(game, 9)
    press(qtbot, game, Qt.Key.Key_1)
    typed(qtbot, game, "eel")
    press(qtbot, game, Qt.Key.Key_T)
    assert game.field.text() == "3"
    game.field.clear()
    typed(qtbot, game, "7")
    assert game.said.text() == "There is no spare tossup 7. Spares left: 3, 4."
    game.field.clear()
    typed(qtbot, game, "4")
    assert game.hints.text().startswith("Enter: tossup 4 in its place · ")
    press(qtbot, game, Qt.Key.Key_T)  # it counts after all
    assert game.hints.text().startswith("Enter: next tossup · ")
    press(qtbot, game, Qt.Key.Key_T)
    typed(qtbot, game, "")
    with qtbot.waitSignal(game.kept):
        press(qtbot, game, Qt.Key.Key_Return)
    game._pace.stop()
    assert game.place.text().startswith("Tossup 1 of 2, in whose place tossup 3 is read · ")
    assert game.score.text() == "Red: 0 · Blue: 0"
    read(game, 9)
    press(qtbot, game, Qt.Key.Key_2)
    typed(qtbot, game, "eel")
    with qtbot.waitSignal(game.kept):
        press(qtbot, game, Qt.Key.Key_Return)
    game._pace.stop()
    assert [(one.number, one.replaces, one.replaced) for _, one in game.match.records] == [
        (1, 0, True), (3, 1, False),
    ]  # fmt: skip
    assert game.place.text().startswith("Tossup 2 of 2 · ")


def test_who_answers_sees_a_machines_guess_and_takes_it_or_leaves_it(qtbot, play, monkeypatch):
    spy = Spy(page="Moray_eel")
    machine = Player(spy, spy, "fake")
    game = play(times=2)
    game._adviser = machine
    for takes in (True, False):
        read(game, 6)
        press(qtbot, game, Qt.Key.Key_Space)
        assert "Ctrl+G: ask IR" in game.hints.text()
        qtbot.keyClick(game.field, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
        qtbot.waitUntil(lambda: game.said.text() == "IR says Moray eel, 90 %. Ctrl+G: take it.")
        assert spy.given[-1] == Tossup(Tossup(TEXT).heard(6).text)
        if takes:
            qtbot.keyClick(game.field, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
            typed(qtbot, game, "")
        else:
            typed(qtbot, game, "eels")
        (advice,) = game.match.ruling.advice
        right = game.match.state.buzzes[0].said is Said.ACCEPT
        assert advice == Advice(0, 6, "ir", "Moray eel", 90, taken=takes, right=False)
        assert right is not takes
        if takes:
            press(qtbot, game, Qt.Key.Key_Return)
        assert (
            f"Ada asked IR: Moray eel, 90 %; {'taken' if takes else 'not taken'}, wrong" in game.notes.text()
        )
        press(qtbot, game, Qt.Key.Key_Return)
        game._pace.stop()
    assert [[one.taken for one in played.advice] for _, played in game.match.records] == [[True], [False]]


def ask(qtbot, game):
    qtbot.keyClick(game.field, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)


ASKED = "IR says Eel, 90 %. Ctrl+G: take it."


def test_after_an_undone_buzz_the_machine_is_asked_anew_on_what_was_heard_by_then(qtbot, play):
    spy = Spy()
    game = play(people=(Seat("Ada"), Seat("Ben")), marks=True)
    game._adviser = Player(spy, spy, "fake")
    for who, word in (("1", 3), ("1", 6), ("2", 9)):
        read(game, word - game.match.state.word)
        qtbot.keyClicks(game, who)
        assert "Ctrl+G: ask IR" in game.hints.text()
        ask(qtbot, game)
        assert game.field.text() == ""
        qtbot.waitUntil(lambda: game.said.text() == ASKED)
        assert spy.given[-1] == Tossup(Tossup(TEXT).heard(word).text)
        (advice,) = game.match.ruling.advice
        assert (advice.seat, advice.word) == (int(who) - 1, word)
        game._undo()
        assert game.match.ruling.advice == ()
        press(qtbot, game, Qt.Key.Key_P)
        game._pace.stop()


def test_what_a_machine_says_after_the_buzz_was_undone_is_not_shown_to_another(qtbot, play):
    spy = Spy()
    game = play(people=(Seat("Ada"), Seat("Ben")), marks=True)
    game._adviser = Player(spy, spy, "fake")
    read(game, 3)
    qtbot.keyClicks(game, "1")
    hold_jobs()
    ask(qtbot, game)
    game._undo()
    press(qtbot, game, Qt.Key.Key_P)
    game._pace.stop()
    qtbot.keyClicks(game, "2")
    release_jobs()
    qtbot.waitUntil(lambda: bool(spy.given) and not (game.jobs._runs or game.jobs._waiting))
    assert game.said.text() == "Ben:"
    assert game.match.ruling.advice == ()


def test_what_was_typed_comes_back_when_a_taken_guess_is_undone(qtbot, play):
    spy = Spy()
    game = play()
    game._adviser = Player(spy, spy, "fake")
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_Space)
    qtbot.keyClicks(game.field, "lamprey")
    ask(qtbot, game)
    qtbot.waitUntil(lambda: game.said.text() == ASKED)
    ask(qtbot, game)
    assert game.field.text() == "Eel"
    qtbot.keyClick(game.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert game.field.text() == "lamprey"


def test_each_undo_takes_back_one_thing_that_a_moderator_did(qtbot, play):
    game = play(marks=True)

    def undo():
        qtbot.keyClick(game.focusWidget() or game, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        return game.match.state.phase, game.said.text(), game.field.text()

    read(game, 3)
    press(qtbot, game, Qt.Key.Key_Space)
    typed(qtbot, game, "fish")
    typed(qtbot, game, "carp")
    press(qtbot, game, Qt.Key.Key_Return)
    assert game._is_revealed
    assert undo() == (Phase.DECIDED, "Undone. Not right. \N{MINUS SIGN}5.", "")
    prompt = "Undone. Prompt: what kind of fish?"
    assert undo() == (Phase.PROMPTED, prompt, "carp")
    assert "Ctrl+Z: undo" in game.hints.text()
    qtbot.keyClicks(game.field, "!")
    assert undo() == (Phase.PROMPTED, prompt, "carp")  # what was typed
    assert undo() == (Phase.ANSWERING, "Undone.", "fish")
    assert undo() == (Phase.READING, "Undone.", "")
    assert game.match.paused
    assert undo() == (Phase.READING, "Undone.", "")  # there is nothing more
    press(qtbot, game, Qt.Key.Key_P)
    game._pace.stop()
    press(qtbot, game, Qt.Key.Key_Space)
    typed(qtbot, game, "eel")
    assert game.match.state.answered is not None


@pytest.mark.parametrize("right", [True, False])
def test_an_undone_overruling_leaves_a_tossup_over(qtbot, play, right):
    game = play(marks=True)
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_Space)
    typed(qtbot, game, "eel" if right else "carp")
    if not right:
        press(qtbot, game, Qt.Key.Key_Return)
    revealed = game.said.text(), game.hints.text(), game.text.toPlainText(), game.lanes.lines()
    press(qtbot, game, Qt.Key.Key_O)
    qtbot.keyClick(game, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert game.said.text() == "Undone. " + (revealed[0] if right else "Not right. \N{MINUS SIGN}5.")
    assert (game.hints.text(), game.text.toPlainText(), game.lanes.lines()) == revealed[1:]
    press(qtbot, game, Qt.Key.Key_R)  # there is nothing to read on to
    assert game._is_revealed


def test_undo_held_down_clears_the_field_and_keeps_the_buzz(qtbot, play):
    game = play(marks=True)
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_Space)
    qtbot.keyClicks(game.field, "carp")
    control_z = Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
    for is_repeated in (False, True, True):
        QApplication.sendEvent(
            game.field, QKeyEvent(QKeyEvent.Type.KeyPress, *control_z, "", autorep=is_repeated)
        )
    assert (game.match.state.phase, game.field.text()) == (Phase.ANSWERING, "")
    qtbot.keyClick(game.field, *control_z)
    assert game.match.state.phase is Phase.READING


def test_a_machine_that_could_not_answer_may_be_asked_again(qtbot, play, monkeypatch):
    spy = Spy()
    game = play()
    game._adviser = Player(spy, spy, "fake")
    fails = [True]
    play_of = spy.play

    def fail_once(tossup, top=5):
        if fails.pop():
            raise QuizwriterError("IR is busy.", "Ask again.")
        return play_of(tossup, top)

    fails.insert(0, False)
    monkeypatch.setattr(spy, "play", fail_once)
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_Space)
    ask(qtbot, game)
    qtbot.waitUntil(lambda: game.said.text() == "IR is busy. Ask again.")
    assert "Ctrl+G: ask IR" in game.hints.text()
    ask(qtbot, game)
    qtbot.waitUntil(lambda: game.said.text() == ASKED)


def test_a_player_who_thinks_long_does_not_end_what_goes_on(qtbot, play):
    spy = Spy()
    game = play([Player(spy, spy, "fake")], marks=True)
    read(game, 2)
    hold_jobs()
    press(qtbot, game, Qt.Key.Key_N)
    assert game._is_revealed
    qtbot.keyClick(game, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    release_jobs()
    qtbot.waitUntil(lambda: not (game.jobs._runs or game.jobs._waiting))
    assert game.match.state.phase is Phase.READING
    assert game.lanes.isHidden()


def test_the_answer_is_in_sight_and_many_teams_do_not_widen_the_window(qtbot, play):
    people = tuple(Seat(f"A player with quite a long name {at}") for at in range(40))
    game = play(people=people, line=f"<u>eel</u> [{'or fish; ' * 200}]", marks=True)
    game.showNormal()
    game.resize(1024, 700)
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_N)
    qtbot.waitUntil(lambda: game.text.verticalScrollBar().maximum() > 0)
    bar = game.text.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    assert game.width() == 1024


def test_a_pause_moves_no_line_of_the_text(qtbot, play):
    game = play(people=(Seat("Ada", "Red"), Seat("Ben", "Blue")), marks=True)
    game.showNormal()
    game.resize(1_000, 700)
    read(game, 2)
    QApplication.processEvents()
    before = game.text.geometry()
    assert game.hints.text().startswith("1 or 2: buzz")
    press(qtbot, game, Qt.Key.Key_P)
    QApplication.processEvents()
    assert game.place.text().endswith("paused")
    assert game.text.geometry() == before


def test_a_hall_can_read_which_tossup_is_played(play):
    board = play().show_scoreboard()
    assert board.place.font().pixelSize() >= 24


def test_a_game_that_could_not_be_kept_holds_up_none_after_it(qtbot, play, app, monkeypatch):
    keep, tried = app.games.keep, []

    def once_full(key, played, remark=""):
        tried.append(played.number)
        if len(tried) == 1:
            raise QuizwriterError("The disk is full.", "Make some room.")
        keep(key, played, remark)

    monkeypatch.setattr(app.games, "keep", once_full)
    game = play(times=2)
    for number in (1, 2):
        read(game, 3)
        press(qtbot, game, Qt.Key.Key_N)
        game.now[0] += DOUBLE_MS
        press(qtbot, game, Qt.Key.Key_Return)
        game._pace.stop()
        qtbot.waitUntil(lambda number=number: tried[-1:] == [number] and not game._log_jobs._runs)
    assert tried == [1, 1, 2]
    assert game._keeping == []
    game.close()


def test_a_game_that_was_closed_just_before_the_program_ends_is_kept_once(qtbot, window, app, play):
    game = play()
    read(game, 3)
    hold_jobs()
    with qtbot.waitSignal(game.closed):
        press(qtbot, game, Qt.Key.Key_Escape)
    window.games.shutdown()
    (event,) = app.store.review_of(window.session.tossup_id).games
    assert event.body.moves[-1].word == 3
    release_jobs()
    qtbot.wait(100)
    assert app.store.review_of(window.session.tossup_id).games == (event,)


@pytest.mark.parametrize("width", [700, 1280])
def test_a_name_of_one_long_word_is_whole_on_the_scoreboard_and_leaves_others_large(qtbot, play, width):
    board = play(people=(Seat("Ada"), Seat("W" * LONGEST_NAME))).show_scoreboard()
    board.resize(width, 600)
    qtbot.wait(1)
    (ada, _), (long, points) = board._rows
    assert board.width() == width
    assert long.fontMetrics().horizontalAdvance(long.text()) <= long.width()
    assert ada.font().pixelSize() == points.font().pixelSize() > long.font().pixelSize()


@pytest.mark.parametrize(("teams", "size"), [(2, (900, 600)), (14, (1280, 720))])
def test_every_team_is_on_the_screen_with_its_whole_name(qtbot, play, teams, size):
    people = [Seat("", f"{at} Consolidated High School of Mornel A") for at in range(teams)]
    board = play(people=people).show_scoreboard()
    board.resize(*size)
    qtbot.wait(1)
    assert (board.width(), board.height()) == size
    assert board._rows[-1][0].geometry().bottom() < board.height()
    assert all(name.heightForWidth(name.width()) <= name.height() for name, _ in board._rows)
    board.resize(1, 1)  # as small as a desktop lets it be
    qtbot.wait(1)
    assert board._rows[0][1].font().pixelSize() == PLACE


def test_enter_that_is_held_or_pressed_twice_does_not_answer_a_prompt(qtbot, play):
    game = play()
    read(game, 8)
    press(qtbot, game, Qt.Key.Key_Space)
    typed(qtbot, game, "fish")
    held = QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "", True)
    QApplication.sendEvent(game.field, held)
    assert game.match.state.phase is Phase.PROMPTED
    game.now[0] -= 1
    enter(qtbot, game, "")
    assert game.match.state.phase is Phase.PROMPTED
    game.now[0] += 1
    typed(qtbot, game, "")  # who knows no more says so
    assert game.match.state.phase is Phase.DECIDED


@pytest.mark.parametrize("answer", ["eel", "carp"])
def test_a_double_press_does_not_go_on_from_a_verdict_that_nobody_saw(qtbot, play, answer):
    game = play(times=2)
    read(game, 3)
    press(qtbot, game, Qt.Key.Key_Space)
    enter(qtbot, game, answer)
    game.now[0] += DOUBLE_MS - 1
    said, phase = game.said.text(), game.match.state.phase
    press(qtbot, game, Qt.Key.Key_Return)
    assert (game.match.number, game.match.state.phase, game.said.text()) == (1, phase, said)

    game.now[0] += 1
    press(qtbot, game, Qt.Key.Key_Return)
    assert (game.match.number, game.match.state.phase) != (1, phase)
