"""A history walked and told: its steps, its halts, and what moved the players."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.guessing import Guess, Player
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Rewritten
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.workflow.history_analysis import (
    PAUSE_MS,
    History,
    Position,
    StepSize,
    every_nth,
    history_table,
    position_share,
    replay_with,
)
from quizwriter.workflow.session import AnswerChange, RecordedPlay
from quizwriter.workflow.wording import edit_line, move_line, position_line, quoted, shifts_line, step_line
from tests.helpers.fakes import Failing, Lead, Overlap

OPERA, PLAY = Page("Madama_Butterfly"), Page("The_Mikado")
ASKED = (AnswerChange(1, 100, Answer("Madama Butterfly", OPERA)),)


def changes(*edits, gap_ms=1_000):
    return tuple(Change(seq, seq * gap_ms, edit) for seq, edit in enumerate(edits, start=1))


def typed(*texts, gap_ms=1_000):
    """The history of a draft that was these texts, one after the other."""
    pairs = zip(["", *texts], texts, strict=False)
    return changes(*(Edit.between(one, other) for one, other in pairs), gap_ms=gap_ms)


def said(seq, buzz, *, player="ir", words=10, page=OPERA, engine="old", at_ms=0, first=None):
    return RecordedPlay(
        seq=seq, at_ms=at_ms or seq * 1_000 + 50, guesser=player, engine=engine, top=(Guess(page, 1.0),),
        first_correct=first, stable_correct=first, buzz_heard=buzz,
        buzz_page=None if buzz is None else page, words=words,
    )  # fmt: skip


# -- steps


def test_every_edit_is_a_step_that_remembers_what_was_said_last():
    history = History(typed("a", "a b", "a b c"), [said(1, 1, words=1), said(3, None, words=3)], ASKED)

    assert [step.seq for step in history.steps] == [1, 2, 3]
    assert [step.words for step in history.steps] == [1, 2, 3]
    assert [history.text(at) for at in range(3)] == ["a", "a b", "a b c"]
    assert [step.shown["ir"].buzz_heard for step in history.steps] == [1, 1, None]
    assert [step.fresh for step in history.steps] == [{"ir"}, set(), {"ir"}]


def test_the_same_text_read_again_for_another_answer_or_by_another_engine_is_a_step_of_its_own():
    asked = (
        AnswerChange(0, 10, Answer("The Mikado", PLAY)),
        AnswerChange(1, 2_000, Answer("Madama Butterfly", OPERA)),
    )
    shown = [
        said(1, 4, at_ms=1_050),
        said(1, 5, player="dan", at_ms=1_060),
        said(1, 4, at_ms=1_990),
        said(1, 6, engine="new", at_ms=9_000),
    ]
    history = History(changes(Edit(0, "", "one two"), Edit(7, "", " three"), gap_ms=10_000), shown, asked)

    assert [(step.seq, step.is_edit) for step in history.steps] == [
        (1, True),
        (1, False),
        (1, False),
        (2, True),
    ]
    assert [step.answer.page for step in history.steps] == [PLAY, OPERA, OPERA, OPERA]
    assert history.steps[2].shown["ir"].engine == "new"
    assert history.text_before(1) == history.text(1) == "one two"
    assert history.edit(1) is None
    assert step_line(history, 1) == "Edit 1 of 2, read again (Madama Butterfly)"


def test_before_an_answer_was_set_the_first_one_is_taken():
    late = (AnswerChange(2, 5_000, Answer("Madama Butterfly", OPERA)),)

    assert History(typed("a", "a b"), (), late).steps[0].answer.page == OPERA
    assert History(typed("a", "a b")).steps[0].answer is None


def test_what_does_not_replay_is_refused_with_a_remedy():
    good = typed("ab", "abc")
    for broken in (good[1:], (good[0], replace(good[1], edit=Edit(1, "x", "y")))):
        with pytest.raises(QuizwriterError, match="does not replay") as trouble:
            History(broken)
        assert "copy" in trouble.value.remedy


def test_an_empty_history_has_no_steps():
    history = History(())

    assert len(history) == 0
    assert history.moves == ()
    assert list(every_nth(history, 1)) == []


def test_a_step_says_what_was_done_by_it_or_since_an_earlier_one():
    history = History(typed("A man.", "A man sang.", "A man sang. Who?", "A man."))

    assert step_line(history, 1) == "Edit 2 of 4: added “sang”"
    assert step_line(history, 2, since=0) == "Edits 1 to 3 of 4: added “A man sang. Who?”"
    assert step_line(history, 3, since=1) == "Edits 2 to 4 of 4: no change in the end"


# -- strides


def test_one_can_step_edit_by_edit_and_the_ends_hold():
    history = History(typed("a", "a b", "a b c"))

    assert [history.next_index(at, StepSize.EDIT, 1) for at in range(3)] == [1, 2, 2]
    assert [history.next_index(at, StepSize.EDIT, -1) for at in range(3)] == [0, 0, 1]


def test_by_sentence_one_halts_where_the_work_on_a_sentence_ends():
    texts = ["A man", "A man sang.", "A man sang. She", "A man sang. She left.", "An old man sang. She left.",
             "An old man sang. She left. Who?"]  # fmt: skip
    history = History(typed(*texts))
    halts, at = [], 0
    while at < len(history) - 1:
        at = history.next_index(at, StepSize.SENTENCE, 1)
        halts.append(history.text(at))

    assert halts == [texts[1], texts[3], texts[4], texts[5]]


def test_by_guess_one_halts_where_somebody_thinks_of_another_page_or_buzzes_on_it():
    shown = [
        said(1, None),
        said(2, None, page=PLAY),
        said(3, None, page=PLAY),
        said(4, 3, page=PLAY),
        said(5, 2, page=PLAY),
        said(6, 2, page=PLAY),
    ]
    history = History(typed("a", "ab", "abc", "abcd", "abcde", "abcdef"), shown)

    assert history.next_index(0, StepSize.GUESS, 1) == 1
    assert history.next_index(1, StepSize.GUESS, 1) == 3
    assert history.next_index(3, StepSize.GUESS, 1) == 5
    assert history.next_index(5, StepSize.GUESS, -1) == 3


# -- what moved it


def test_a_phrase_typed_letter_by_letter_is_told_as_the_phrase_it_replaced():
    begin = "He wrote to Karl Ferdinand Pohl of it."
    texts = [begin]
    texts += [f"He wrote to {'Karl Ferdinand Pohl'[:rest]} of it." for rest in range(18, -1, -1)]
    whole = "the archivist of the Musikverein"
    texts += [f"He wrote to {whole[:done]} of it." for done in range(1, len(whole) + 1)]
    last = len(texts)
    shown = [
        said(1, 12, words=118), said(1, 40, player="dan", words=118),
        *(said(seq, 30, words=118) for seq in range(2, last)),
        said(last, 61, words=118), said(last, 40, player="dan", words=118),
    ]  # fmt: skip
    moves = History(typed(*texts, gap_ms=200), shown, ASKED).moves

    assert [move_line(move) for move in moves] == [
        "Replaced “Karl Ferdinand Pohl” by “the archivist of the Musikverein”: "
        "IR 10\u00a0% → 52\u00a0% (word 61 of 118), DAN unchanged"
    ]
    assert (moves[0].first, moves[0].last) == (2, last)


def test_moves_are_ranked_by_how_far_they_moved_anyone_or_one_player():
    texts = [
        "One. Two. Three.",
        "One. Two. Three. Four.",
        "Zero. One. Two. Three. Four.",
        "Zero. One. Three. Four.",
    ]
    shown = [
        *(said(seq, buzz) for seq, buzz in enumerate((5, 6, 9, 9), start=1)),
        *(said(seq, buzz, player="dan") for seq, buzz in enumerate((5, 5, 6, None), start=1)),
    ]
    moves = History(typed(*texts), shown).moves

    assert [(move.first, move.last) for move in moves] == [(4, 4), (3, 3), (2, 2)]
    assert [round(move.size(), 2) for move in moves] == [0.5, 0.3, 0.1]
    assert [round(move.size("ir"), 2) for move in moves] == [0, 0.3, 0.1]
    assert shifts_line(moves[0].shifts) == "DAN 60\u00a0% → never, IR unchanged"
    assert shifts_line(moves[1].shifts, "dan") == (
        "DAN 50\u00a0% → 60\u00a0% (word 6 of 10), IR 60\u00a0% → 90\u00a0% (word 9 of 10)"
    )


def test_a_pause_a_new_sentence_and_a_paste_each_begin_something_new():
    edits = [
        Edit(0, "", "A man sang."),
        Edit(11, "", " She left."),
        Edit(21, "", " W"),
        Edit(23, "", "ho"),
        Edit(25, "", "?"),
        Edit(25, "?", " is it that anybody would pay to hear him sing?"),
        Edit(72, "", " x"),
    ]
    made = [Change(seq, seq * 100, edit) for seq, edit in enumerate(edits, start=1)]
    late = PAUSE_MS + 10_000
    made[-1] = replace(made[-1], at_ms=late)

    assert History(made).runs == ((1, 1), (2, 2), (3, 5), (6, 6), (7, 7))


def test_what_was_missed_by_a_slow_player_is_owed_to_all_that_it_missed():
    texts = ["One.", "One. Two.", "One. Two. Three."]
    shown = [said(1, 2), said(1, 9, player="rnn"), said(2, 4), said(3, 4), said(3, 3, player="rnn")]
    moves = {(move.first, move.last): move for move in History(typed(*texts), shown).moves}

    assert [shift.player for shift in moves[2, 2].shifts] == ["ir"]
    assert [shift.player for shift in moves[2, 3].shifts] == ["rnn"]
    assert edit_line(moves[2, 3].edits) == "added “Two. Three.”"


def test_another_engine_moves_nobody():
    shown = [said(1, 2, engine="old"), said(2, 9, engine="new")]

    assert History(typed("One.", "One. Two."), shown).moves == ()


def test_what_came_to_nothing_moved_nobody():
    shown = [said(1, 2), said(2, 9), said(3, 2)]

    assert History(typed("One", "One x", "One"), shown).moves == ()


@given(st.lists(st.text("ab. ", max_size=10), min_size=1), st.lists(st.sampled_from([None, 1, 4])))
def test_the_runs_are_the_whole_history_and_every_move_leads_somewhere(texts, buzzes):
    wanted = [text for one, text in zip(["", *texts], texts, strict=False) if text != one]
    shown = [said(seq, buzz) for seq, buzz in enumerate(buzzes[: len(wanted)], start=1)]
    history = History(typed(*wanted), shown)

    seqs = [seq for first, last in history.runs for seq in range(first, last + 1)]
    assert seqs == list(range(1, len(wanted) + 1))
    for move in history.moves:
        text = history.text_after(move.first - 1)
        for edit in move.edits:
            text = edit.apply(text)
        assert text == history.text_after(move.last)
        assert move.size() > 0


# -- told


@pytest.mark.parametrize(
    ("heard", "words", "line"),
    [
        (61, 118, "52\u00a0% (word 61 of 118)"),
        (None, 118, "never"),
        (1, 1, "100\u00a0% (word 1 of 1)"),
    ],
)
def test_a_position_is_told_in_words_and_per_cent(heard, words, line):
    assert position_line(heard, words) == line


def test_long_quotes_lose_their_middle_and_a_short_partner_lends_its_room():
    text = " ".join(f"word{number}" for number in range(40))
    line = edit_line([Edit(0, "his", text)])

    assert quoted("short one ") == "“short one”"
    assert len(quoted(text)) < 100
    assert " … " in line
    assert line.startswith("replaced “his” by “word0 word1 word2")
    assert edit_line([Edit(0, "a b", "")] * 5) == (
        "deleted “a b”; deleted “a b”; deleted “a b”; and 2 more changes"
    )
    assert edit_line([Edit(0, " ", "\n")]) == "changed the space between words"
    assert edit_line([Edit(0, "cat", "cat ")]) == "changed the space between words"
    assert edit_line([Edit(0, "a  cat", "a cat")]) == "changed the space between words"
    assert edit_line([Edit(0, "cat", "cat,"), Edit(9, ";", "")]) == "; ".join(["changed the punctuation"] * 2)
    assert edit_line([Edit(0, "wri", "writer was")]) == "extended “wri” to “writer was”"


def test_never_is_beyond_the_end():
    assert position_share(None, 100) > position_share(100, 100) == 1.0
    assert Position.BUZZ.of(said(1, 7)) == 7
    assert Position.STABLE.of(said(1, 7, first=3)) == 3


# -- then and now


def test_today_s_players_read_an_old_history_for_the_answer_it_had(player):
    ours = player("ir", PLAY, OPERA, buzz=2)
    history = History(typed("one two", "one two three", "one two"), [said(1, 9)], ASKED)
    found = dict(replay_with(history, every_nth(history, 1), [ours]))

    assert list(found) == [0, 1, 2]
    assert [found[at][0].buzz_heard for at in range(3)] == [2, 2, 2]
    assert found[0][0].engine == "ir-digest"
    assert found[0][0].first_correct == 2
    assert len(ours.guesser.played) == 2, "a text that came back is read once"
    assert ours.guesser.explained == []


def test_versions_are_read_again_by_the_rule_that_is_chosen(player):
    history = History(typed("one two three"), [said(1, 9)], ASKED)
    ours = player("ir", PLAY, OPERA, buzz=2)
    first = next(heard for heard, row in enumerate(ours.play(history.tossup(0)).rows, 1) if row)
    chances = {
        found[0].buzz_heard
        for chance in (0.0, 0.01, 1.0)
        for _, found in replay_with(history, [0], [ours], buzz_chance=chance)
    }

    assert chances == {2, first, None}


@pytest.mark.logs("dan could not play")
def test_a_player_in_trouble_is_left_out_and_the_others_read_on():
    history = History(typed("A humming chorus", "A humming chorus from offstage"), (), ASKED)
    players = [Player(Failing("dan"), Lead()), Player(Overlap(), Lead(), "today")]

    found = dict(replay_with(history, [1], players))

    assert [shown.guesser for shown in found[1]] == ["ir"]


def test_every_tenth_version_has_the_last_and_no_empty_one():
    history = History(typed(*("a" * length for length in range(1, 22))))

    assert every_nth(history, 10) == (0, 10, 20)
    assert every_nth(History(typed("a", "", "b")), 1) == (0, 2)


def test_the_table_has_a_row_for_every_analysis_then_and_now():
    history = History(typed("one", "one two"), [said(1, 1, words=1)], ASKED)
    head, *body = history_table(history, {"ir": [(1, said(2, None, words=2, engine="new"))]})

    table = [dict(zip(head, row, strict=True)) for row in body]
    assert [(row["step"], row["player"], row["engine"], row["reread"]) for row in table] == [
        (1, "ir", "old", 0),
        (2, "ir", "new", 1),
    ]
    assert table[0]["buzz"] == 1
    assert table[0]["answer"] == "Madama Butterfly"
    assert table[1]["buzz"] is None
    assert table[1]["characters"] == 7


# -- from the store


def test_the_example_set_has_histories_that_can_be_walked_told_and_branched(tmp_path):
    app = App(tmp_path)
    app.tossups.add_examples()
    past = app.tossups.titled_history("qw-example-johannes-brahms")
    history = past.history

    assert past.title == "Johannes Brahms"
    assert len(history) == 20
    assert history.text(19) == app.store.load("qw-example-johannes-brahms").tossup.text
    assert move_line(history.moves[0]) == (
        "Added “The publisher Simrock printed Dvořák's first duets because this man asked him to.”: "
        "IR 74\u00a0% → 5\u00a0% (word 5 of 94)"
    )

    branch = app.tossups.branch_from("qw-example-johannes-brahms", history, 9)
    kept = app.tossups.titled_history(branch).history
    assert kept.changes == history.changes[:10]
    assert kept.text(9) == app.store.load(branch).tossup.text == history.text(9)
    assert kept.steps[9].shown["ir"] == history.steps[9].shown["ir"]
    assert app.store.load(branch).tossup.answer == history.steps[9].answer
    (event,) = app.store.events(branch)
    assert event.body == Rewritten("qw-example-johannes-brahms", 10)
    assert app.store.check() == ()


@given(st.text("ab (*)[]\"'note. \n\t\u00a0", max_size=40))
def test_a_tossup_knows_its_length_without_finding_its_words(text):
    assert Tossup(text).length == len(Tossup(text).words)
