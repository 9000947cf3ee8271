"""What the window says and cuts, without a window."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizwriter.domain.evidence import Cue, Evidence, Passage
from quizwriter.domain.guessing import Buzz, Guess, Playthrough
from quizwriter.domain.tossup import Answer, Page, Span, Tossup
from quizwriter.gui.answer import matching
from quizwriter.gui.evidence import cut
from quizwriter.gui.guesses import card, wikipedia
from quizwriter.workflow.analysis import Player
from quizwriter.workflow.telling import counted, lane, lead_words, ordinal, parts, rank_line, tell
from tests.fakes import DRAFT, Lead, Overlap

RIGHT, WRONG = Page("Madama_Butterfly"), Page("Turandot")


def game(leaders, answer=RIGHT, buzz=None, heard=None):
    """A game in which ``leaders`` (r, w or a dash for nobody) lead."""
    pages = {"r": RIGHT, "w": WRONG}
    rows = tuple((Guess(pages[who], 1.0),) if who in pages else () for who in leaders)
    heard = heard or tuple(range(1, len(rows) + 1))
    tossup = Tossup(" ".join(["word"] * heard[-1]), Answer("Madama Butterfly", answer) if answer else None)
    found = Buzz(buzz, rows[heard.index(buzz)][0], 0.9) if buzz else None
    return Playthrough("ir", tossup, heard, rows, (None,) * len(rows), buzz=found)


def test_a_lane_has_a_state_for_every_word():
    assert lane(game("-wwrr")).states == ".wwrr"


def test_after_a_wrong_buzz_another_leader_is_confidently_wrong():
    assert lane(game("wwwrw", buzz=2)).states == "wccrc"


def test_without_an_answer_nothing_is_right_or_wrong():
    shown = lane(game("-ww", answer=None, buzz=3))

    assert (shown.states, shown.buzzes_right) == (".??", None)


def test_a_player_asked_at_sentence_ends_keeps_its_guess_between():
    assert lane(game("wr", heard=(3, 6))).states == "..wwwr"


@pytest.mark.parametrize(
    ("play", "said"),
    [
        (game("wrr", buzz=3), "IR buzzes at word 3 of 3 on Madama Butterfly. Right for good from word 2."),
        (
            game("wwr", buzz=2),
            "IR buzzes at word 2 of 3 on Turandot, which is wrong. Right for good from word 3.",
        ),
        (game("rwr"), "IR does not buzz in 3 words. Right first at word 1, for good from word 3."),
        (game("rw"), "IR does not buzz in 2 words. Right first at word 1, but not in the end."),
        (game("ww"), "IR does not buzz in 2 words. It never has your answer first."),
        (game("w", answer=None), "IR does not buzz in 1 word."),
        (Playthrough("dan", Tossup("word"), trouble="It is broken."), "DAN: It is broken."),
        (Playthrough("ir", Tossup("")), ""),
    ],
)
def test_a_game_is_told_in_plain_english(play, said):
    assert tell(play) == said


@pytest.mark.parametrize(("number", "said"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd")])
def test_ranks_read_as_people_say_them(number, said):
    assert ordinal(number) == said


def test_one_word_is_not_words():
    assert (counted(1, "word"), counted(1024, "word")) == ("1 word", "1,024 words")


def test_the_true_answer_s_rank_is_told_and_so_is_that_it_has_none():
    play = replace(game("ww"), ranks=(None, 17))
    unlisted = replace(play, tossup=replace(play.tossup, answer=Answer("Cavalleria rusticana")))

    assert rank_line(play, 1) == "Your answer: 17th"
    assert rank_line(play, 0) == "Your answer: not among the first 50"
    assert rank_line(unlisted, 0) == "Your answer is not in this bundle"
    assert rank_line(game("ww", answer=None), 1) == ""


def test_the_shares_of_the_sentences_add_up_to_the_score():
    tossup = Tossup(DRAFT)
    found = parts(tossup, Overlap().explain(tossup, RIGHT))

    assert [part.number for part in found] == [0, 1, 2, 3, 4]
    assert sum(part.share for part in found) == pytest.approx(1)
    assert max(abs(share) for part in found for _, share in part.words) == 1


def test_the_words_that_speak_loudest_are_listed_once():
    tossup = Tossup("This opera's first act; the opera.")
    cues = tuple(Cue(span, weight) for span, weight in zip(tossup.words, (0, 2, 0, 1, 0, 3), strict=True))

    assert lead_words(tossup, Evidence("ir", RIGHT, 6.0, cues)) == ("opera", "act")


def test_no_evidence_has_no_shares():
    assert all(part.share == 0 for part in parts(Tossup(DRAFT), Evidence("ir", RIGHT)))


def test_the_card_shows_the_word_stepped_to():
    play = Player(Overlap(), Lead()).play(Tossup(DRAFT, Answer("Madama Butterfly", RIGHT)))
    assert play.buzz is not None

    assert card(play, play.buzz.heard, None).buzz == "buzzes here"
    assert card(play, 5, None).lines == ()
    last = card(play, len(play.tossup.words), WRONG)
    assert [line.right for line in last.lines][:2] == [True, False]
    assert [line.page for line in last.lines if line.focus] == [WRONG]


def test_links_carry_titles_as_wikipedia_spells_them():
    assert wikipedia(Page("La_bohème")).toEncoded() == b"https://en.wikipedia.org/wiki/La_boh%C3%A8me"
    assert wikipedia(Page("Who?")).toEncoded() == b"https://en.wikipedia.org/wiki/Who%3F"


@pytest.mark.parametrize(
    ("title", "typed", "bold"),
    [
        ("La bohème", "boh", "boh"),
        ("La bohème", "BOHEME", "bohème"),
        ("Madama Butterfly", "ma", "Ma"),
        ("Cosima and Ma", "ma", "Ma"),
        ("Straße", "strasse", "Straße"),
        ("Turandot", "x", ""),
        ("Turandot", " ", ""),
    ],
)
def test_the_typed_part_is_found_whatever_its_case_and_accents(title, typed, bold):
    start, end = matching(title, typed)

    assert title[start:end] == bold


texts = st.text("ab .", max_size=400)


@given(text=texts, data=st.data())
def test_a_cut_passage_keeps_every_shared_word_where_it_is(text, data):
    starts = data.draw(st.lists(st.integers(0, max(0, len(text) - 3)), max_size=5, unique=True))
    hits = tuple(Span(start, start + 2) for start in sorted(starts)[::2] if start + 2 <= len(text))
    hits = tuple(hit for number, hit in enumerate(hits) if not number or hits[number - 1].end <= hit.start)

    pieces = cut(Passage("here", text, hits, 0), around=20)

    assert [hit.of(piece.text) for piece in pieces for hit in piece.hits] == [hit.of(text) for hit in hits]
    assert all(piece.text in text for piece in pieces)


def test_a_short_passage_is_not_cut():
    (piece,) = cut(Passage("here", "A white ship.", (Span(2, 7),), 0))

    assert (piece.text, piece.before, piece.after) == ("A white ship.", False, False)
