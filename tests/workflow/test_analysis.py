"""Reading a draft to the players: their order, their troubles, what is remembered, what is said of it."""

import logging
import math

import pytest
from msgspec.structs import replace

from quizwriter.domain.evidence import Method
from quizwriter.domain.guessing import Buzz, Guess, chance_of, odds
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.analysis import (
    BUG,
    LONGEST_DRAFT,
    MOST_EVIDENCE,
    Analyst,
    Request,
    with_exact_weights,
)

BROKEN = QuizwriterError("The weights are gone.", "Build them again.")
LAKE = Tossup("this deep lake freezes", Answer("Lake Baikal", "Lake_Baikal"))


def last(analyst, request):
    *_, analysis = analyst.analyse(request)
    return analysis


def test_every_game_is_a_step_in_the_players_order_and_its_explanation_follows_it(player):
    analyst = Analyst([player("ir", "Ladoga"), player("dan", "Lake_Baikal")])

    steps = [
        ([play.guesser for play in analysis.plays], [evidence.guesser for evidence in analysis.evidence])
        for analysis in analyst.analyse(Request(1, LAKE))
    ]
    assert steps == [
        (["ir"], []),
        (["ir"], ["ir"]),
        (["ir", "dan"], ["ir"]),
        (["ir", "dan"], ["ir", "dan"]),
        (["ir", "dan"], ["ir", "dan"]),  # done
    ]


def test_only_the_last_step_is_done_and_it_comes_though_nobody_plays(player):
    analyst = Analyst([player("ir", "Ladoga"), player("dan", "Ladoga")])

    assert [step.done for step in analyst.analyse(Request(1, LAKE))] == [False] * 4 + [True]
    assert [step.done for step in analyst.analyse(Request(2, LAKE, silent=frozenset({"ir", "dan"})))] == [
        True
    ]


def test_one_player_s_evidence_is_worked_out_where_only_that_is_wanted(player):
    ir, dan, rnn = (player(name, "Ladoga") for name in ("ir", "dan", "rnn"))
    analysis = last(Analyst([ir, dan, rnn]), Request(1, LAKE, whose="dan"))

    assert [evidence.guesser for evidence in analysis.evidence] == ["dan"]
    assert (ir.guesser.explained, rnn.guesser.explained) == ([], [])


def test_exact_evidence_says_the_chance_that_the_guess_has(trees):
    """One chance everywhere: the one that the buzzer judges, not the network's own."""
    tossup = Tossup("AA1 AA2 leaf1 AA3 leaf2 AA4 leaf3 AA5 leaf4 AA6 leaf5 AA7 leaf6.")
    networks = [player for player in trees.players if player.name in ("dan", "rnn")]
    for player in networks:
        for heard in (len(tossup.words), 11):
            request = Request(1, tossup, heard=heard, whose=player.name, exact=True)
            analysis = last(Analyst(networks), request)
            (play,) = (play for play in analysis.plays if play.guesser == player.name)
            (evidence,) = analysis.evidence
            index = play.index_after(heard)
            shown = dict(
                zip(
                    (guess.page for guess in play.rows[index]),
                    odds(play.rows[index], play.chances[index]),
                    strict=True,
                )
            )
            raw = player.guesser.explain(tossup.heard(heard), evidence.page, exact=True)
            found = evidence.faithfulness

            assert found.whole == pytest.approx(shown[evidence.page], rel=1e-6)
            assert found.unread == ()
            assert raw.faithfulness.whole != pytest.approx(found.whole, rel=1e-3)


def test_a_page_that_is_no_guess_has_the_chance_its_score_gives_it():
    row = (Guess("Elm", -1.0), Guess("Fir", -2.0))

    assert chance_of("Fir", -2.0, row, 0.6) == odds(row, 0.6)[1]
    assert chance_of("Oak", -3.0, row, 0.6) == pytest.approx(0.6 * math.exp(-2.0))


def test_evidence_that_was_prepared_is_not_worked_out_again(player):
    ir = player("ir", "Ladoga")
    analyst = Analyst([ir])
    at_two = Request(1, LAKE, whose="ir", heard=2)
    last(analyst, Request(1, LAKE, whose="dan"))
    analyst.prepare(at_two)
    assert ir.guesser.explained == [("this deep", "Ladoga")]

    assert [evidence.page for evidence in last(analyst, at_two).evidence] == ["Ladoga"]
    assert ir.guesser.explained == [("this deep", "Ladoga")]
    last(analyst, replace(at_two, heard=3))
    assert len(ir.guesser.explained) == 2


def test_nothing_is_prepared_of_a_draft_that_was_not_played_and_evidence_of_the_last_one_is_gone(player):
    ir = player("ir", "Ladoga")
    analyst = Analyst([ir])
    analyst.prepare(Request(1, LAKE, whose="ir"))
    assert ir.guesser.explained == []

    whole = Request(1, LAKE, whose="ir")
    last(analyst, whole)
    last(analyst, replace(whole, tossup=Tossup("this shallow lake", LAKE.answer)))
    last(analyst, whole)
    assert len(ir.guesser.explained) == 3


def test_no_more_evidence_is_kept_than_a_writer_can_ask_for(player):
    long = Tossup("lake " * (MOST_EVIDENCE + 2), LAKE.answer)
    ir = player("ir", "Ladoga")
    analyst = Analyst([ir])
    for heard in range(1, MOST_EVIDENCE + 2):
        last(analyst, Request(1, long, whose="ir", heard=heard))
    explained = len(ir.guesser.explained)
    last(analyst, Request(1, long, whose="ir", heard=MOST_EVIDENCE))
    assert len(ir.guesser.explained) == explained
    last(analyst, Request(1, long, whose="ir", heard=1))
    assert len(ir.guesser.explained) == explained + 1


def test_a_player_switched_off_is_not_asked(player):
    ir, dan = player("ir", "Ladoga"), player("dan", "Ladoga")
    analysis = last(Analyst([ir, dan]), Request(1, LAKE, silent=frozenset({"dan"})))

    assert [play.guesser for play in analysis.plays] == ["ir"]
    assert (dan.guesser.played, dan.guesser.explained) == ([], [])


@pytest.mark.logs("ir could not play")
def test_a_player_with_a_bug_leaves_the_others_their_games(player):
    analyst = Analyst([player("ir", "Ladoga", play_trouble=ZeroDivisionError("bug")), player("dan", "Onega")])
    steps = analyst.analyse(Request(1, LAKE))
    analysis = next(step for step in steps if step.done)

    assert [play.trouble for play in analysis.plays] == [BUG, None]
    with pytest.raises(ZeroDivisionError):
        next(steps)


def test_what_is_sharpened_is_explained_exactly_at_the_same_word_and_nobody_plays_again(player):
    dan = player("dan", "Ladoga", "Onega")
    rough = last(Analyst([dan]), Request(1, LAKE, heard=1))
    fine = with_exact_weights([dan], rough)

    assert fine.request == replace(rough.request, exact=True)
    assert fine.plays == rough.plays
    assert dan.guesser.explained == [("this", "Ladoga"), ("this", "Ladoga")]
    assert fine.evidence[0].method is Method.WITHOUT
    assert len(dan.guesser.played) == 1


@pytest.mark.logs("dan could not explain exactly")
def test_evidence_that_cannot_be_sharpened_stays(player, caplog):
    dan = player("dan", "Ladoga")
    rough = last(Analyst([dan]), Request(1, LAKE))

    assert (
        with_exact_weights([player("dan", "Ladoga", explain_trouble=BROKEN)], rough).evidence
        == rough.evidence
    )


def test_two_halves_are_done_when_both_are(player):
    request = Request(1, LAKE, whose="rnn")
    first, done = Analyst([player("ir", "Ladoga")]).analyse(request)
    other, other_done = Analyst([player("dan", "Ladoga")]).analyse(request)

    assert not first.merged_with(other_done).done
    assert not done.merged_with(other).done
    assert done.merged_with(other_done).done
    assert [play.guesser for play in first.merged_with(other).plays] == ["ir", "dan"]


def test_a_later_player_is_not_asked_once_nobody_listens(player):
    slow = player("dan", "Lake_Baikal")
    next(Analyst([player("ir", "Ladoga"), slow]).analyse(Request(1, LAKE)))

    assert slow.guesser.played == []


def test_who_was_passed_over_is_asked_first_next_time_and_stands_where_it_always_does(player):
    analyst = Analyst([player("dan", "Ladoga"), player("rnn", "Ladoga"), player("ensemble", "Ladoga")])
    asked = []
    for number in range(3):  # the listener always leaves after two steps
        steps = analyst.analyse(Request(number, Tossup(f"lake {number}"), whose="nobody"))
        next(steps)
        asked.append([play.guesser for play in next(steps).plays])
        steps.close()

    assert asked == [["dan", "rnn"], ["dan", "ensemble"], ["dan", "rnn"]]


def test_an_analysis_carries_its_request(player):
    request = Request(7, LAKE, 3)

    assert last(Analyst([player("ir", "Ladoga")]), request).request is request


def test_a_game_holds_its_buzz_and_its_time(player):
    (play,) = last(Analyst([player("ir", "Ladoga", "Lake_Baikal", buzz=2)]), Request(1, LAKE)).plays

    assert play.buzz == Buzz(2, Guess("Lake_Baikal", 2.0), 0.5)
    assert play.milliseconds > 0


@pytest.mark.logs("ir could not play")
def test_a_player_in_trouble_says_so_and_the_others_go_on(player, caplog):
    analyst = Analyst([player("ir", "Ladoga", play_trouble=BROKEN), player("dan", "Lake_Baikal")])

    with caplog.at_level(logging.WARNING):
        analysis = last(analyst, Request(1, LAKE))
    assert [play.trouble for play in analysis.plays] == ["The weights are gone. Build them again.", None]
    assert [evidence.guesser for evidence in analysis.evidence] == ["dan"]
    assert "ir could not play" in caplog.text


@pytest.mark.logs("ir could not play")
def test_a_player_in_trouble_is_asked_again_next_time(player):
    broken = player("ir", "Ladoga", play_trouble=BROKEN)
    analyst = Analyst([broken])
    last(analyst, Request(1, LAKE))
    last(analyst, Request(2, LAKE))

    assert len(broken.guesser.played) == 2


@pytest.mark.logs("ir could not explain")
def test_an_explanation_that_fails_leaves_the_game_and_the_other_explanations(player, caplog):
    analyst = Analyst([player("ir", "Ladoga", explain_trouble=BROKEN), player("dan", "Lake_Baikal")])

    with caplog.at_level(logging.WARNING):
        analysis = last(analyst, Request(1, LAKE))
    assert [play.trouble for play in analysis.plays] == [None, None]
    assert [evidence.guesser for evidence in analysis.evidence] == ["dan"]
    assert "ir could not explain" in caplog.text


@pytest.mark.logs("ir could not play")
def test_a_bug_in_a_player_is_not_hidden(player):
    analyst = Analyst([player("ir", "Ladoga", play_trouble=ZeroDivisionError("bug"))])

    with pytest.raises(ZeroDivisionError):
        last(analyst, Request(1, LAKE))


def test_looking_at_another_page_costs_no_new_game(player):
    ir = player("ir", "Ladoga")
    analyst = Analyst([ir])
    last(analyst, Request(1, LAKE))
    analysis = last(analyst, Request(2, LAKE, focus="Onega"))

    assert len(ir.guesser.played) == 1
    assert analysis.evidence[0].page == "Onega"


def test_games_played_before_the_listener_left_are_remembered(player):
    ir, dan = player("ir", "Ladoga"), player("dan", "Onega")
    analyst = Analyst([ir, dan])
    next(analyst.analyse(Request(1, LAKE)))
    last(analyst, Request(2, LAKE))

    assert (len(ir.guesser.played), len(dan.guesser.played)) == (1, 1)


@pytest.mark.parametrize(
    "other", [Tossup(LAKE.text + "!", LAKE.answer), Tossup(LAKE.text)], ids=["text", "answer"]
)
def test_another_text_or_answer_is_a_new_game(player, other):
    ir = player("ir", "Ladoga")
    analyst = Analyst([ir])
    last(analyst, Request(1, LAKE))
    last(analyst, Request(2, other))
    last(analyst, Request(3, LAKE))

    assert ir.guesser.played == [LAKE, other, LAKE]


def test_evidence_is_for_the_top_guess_after_everything(player):
    ir = player("ir", "Ladoga", "Lake_Baikal")
    last(Analyst([ir]), Request(1, LAKE))

    assert ir.guesser.explained == [(LAKE.text, "Lake_Baikal")]


def test_evidence_at_a_word_is_for_the_top_guess_there_from_the_words_heard(player):
    ir = player("ir", "Ladoga", "Lake_Baikal")
    last(Analyst([ir]), Request(1, LAKE, heard=1))

    assert ir.guesser.explained == [("this", "Ladoga")]


def test_evidence_past_the_last_word_is_that_of_the_last_word(player):
    ir = player("ir", "Ladoga")
    last(Analyst([ir]), Request(1, LAKE, heard=99))

    assert ir.guesser.explained == [(LAKE.text, "Ladoga")]


def test_a_focus_is_explained_by_every_player_even_without_a_guess(player):
    silent = player("ir")
    last(Analyst([silent]), Request(1, LAKE, focus="Onega"))

    assert silent.guesser.explained == [(LAKE.text, "Onega")]


def test_without_a_guess_or_a_focus_nothing_is_explained(player):
    silent = player("ir")

    assert last(Analyst([silent]), Request(1, LAKE)).evidence == ()
    assert silent.guesser.explained == []


def test_an_empty_draft_is_played_without_rows(player):
    (play,) = last(Analyst([player("ir", "Ladoga")]), Request(1, Tossup(""))).plays

    assert (play.rows, play.trouble) == ((), None)


def test_a_pasted_book_is_read_only_so_far(player):
    ir = player("ir", "Ladoga")
    book = Tossup("water " * (LONGEST_DRAFT + 5))
    analysis = last(Analyst([ir]), Request(1, book, heard=LONGEST_DRAFT + 3))

    assert len(ir.guesser.played[0].words) == LONGEST_DRAFT
    assert analysis.plays[0].heard[-1] == LONGEST_DRAFT
    assert analysis.request.tossup is book


def test_a_draft_of_the_longest_length_is_read_whole(player):
    ir = player("ir", "Ladoga")
    last(Analyst([ir]), Request(1, Tossup("water " * LONGEST_DRAFT)))

    assert len(ir.guesser.played[0].words) == LONGEST_DRAFT
