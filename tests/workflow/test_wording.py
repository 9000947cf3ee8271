"""What the window says and cuts, without a window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.evidence import Cue, Evidence, Faithfulness, Method, Passage, Reason
from quizwriter.domain.guessing import Buzz, Guess, Outcome, Player, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.gui.writing.answer_field import matching
from quizwriter.gui.writing.evidence import excerpt
from quizwriter.gui.writing.guess_card import guess_card, wikipedia
from quizwriter.workflow.dates import relative_time
from quizwriter.workflow.queue import day
from quizwriter.workflow.wording import (
    borrowed_evidence_line,
    counted_noun,
    faithfulness_line,
    lane,
    lead_words,
    ordinal,
    page_ranks,
    percent,
    play_sentence,
    progress_sentence,
    rank_line,
    scored_sentences,
    server_line,
    stumped_sentence,
    summary_sentence,
    supporter,
    training_line,
)
from tests.helpers.fakes import DRAFT, Lead, Overlap

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
        (
            game("wrr", buzz=3),
            "IR buzzes at 100\u00a0% (word 3 of 3) on Madama Butterfly. It stays right from word 2.",
        ),
        (
            game("wwr", buzz=2),
            "IR buzzes at 67\u00a0% (word 2 of 3) on Turandot, which is wrong. It stays right from word 3.",
        ),
        (game("rwr"), "IR does not buzz in 3 words. First right at word 1; stays right from word 3."),
        (game("rw"), "IR does not buzz in 2 words. Right at word 1, then wrong again."),
        (game("ww"), "IR does not buzz in 2 words. Your answer is never its first guess."),
        (game("w", answer=None), "IR does not buzz in 1 word."),
        (Playthrough("dan", Tossup("word"), trouble="It is broken."), "DAN: It is broken."),
        (Playthrough("ir", Tossup("")), ""),
    ],
)
def test_a_game_is_told_in_plain_english(play, said):
    assert play_sentence(play) == said


def games(**leaders):
    """Games of players by name, as :func:`game` has them; a figure is the word of the buzz."""
    found = []
    for name, told in leaders.items():
        script, _, buzz = told.partition("@")
        found.append(replace(game(script, buzz=int(buzz) if buzz else None), guesser=name))
    return found


@pytest.mark.parametrize(
    ("plays", "said"),
    [
        (
            games(ir="wrr@2", dan="wrr", rnn="wrr@3"),
            "IR buzzes at 67\u00a0% (word 2 of 3) on Madama Butterfly; DAN never; RNN at 100\u00a0%.",
        ),
        (
            games(ir="www", dan="wrr@2"),
            "IR never buzzes in 3 words; DAN buzzes at 67\u00a0% (word 2 of 3) on Madama Butterfly.",
        ),
        (games(ir="www", dan="wrr"), "No player buzzes in 3 words."),
        (
            games(ir="wrr@1", dan="wrr@2", ensemble="wrr@3"),
            "IR buzzes at 33\u00a0% (word 1 of 3) on Turandot (wrong); "
            "DAN at 67\u00a0% on Madama Butterfly; the ensemble at 100\u00a0%.",
        ),
        (
            games(ensemble="wr@2", ir="wr"),
            "The ensemble buzzes at 100\u00a0% (word 2 of 2) on Madama Butterfly; IR never.",
        ),
        (
            games(ir="rr@2"),
            "IR buzzes at 100\u00a0% (word 2 of 2) on Madama Butterfly. It stays right from word 1.",
        ),
        (
            [*games(ir="rr@2"), Playthrough("dan", Tossup("word word"), trouble="It is broken.")],
            "IR buzzes at 100\u00a0% (word 2 of 2) on Madama Butterfly. DAN: It is broken.",
        ),
        ([Playthrough(name, Tossup("a"), trouble="Gone.") for name in ("ir", "dan")], "IR: Gone. DAN: Gone."),
        ([Playthrough(name, Tossup("")) for name in ("ir", "dan")], ""),
        ([], ""),
    ],
)
def test_all_games_are_told_in_one_sentence(plays, said):
    assert summary_sentence(plays) == said


def test_players_are_named_while_another_still_reads():
    silent = games(ir="www", dan="wrr")
    assert summary_sentence(silent, all_played=False) == "IR never buzzes in 3 words; DAN never."


def of_sentences(plays, *lengths):
    """The same games on a tossup whose sentences have so many words."""
    text = " ".join(" ".join(["Word", *["word"] * (length - 1)]) + "." for length in lengths)
    return [replace(play, tossup=replace(play.tossup, text=text)) for play in plays]


@pytest.mark.parametrize(
    ("plays", "said"),
    [
        (
            games(ir="wrrr", dan="wwww", rnn="wwww", ensemble="rrrr"),
            "Stumps DAN and RNN; IR and the ensemble get it.",
        ),
        (games(ir="wwrr", dan="wwww"), "Stumps DAN; IR gets it only in the last sentence."),
        (
            games(ir="wrwr", dan="wwwr"),
            "IR (right at word 2, then wrong again) and DAN get it only in the last sentence.",
        ),
        (
            games(ir="wrww", dan="rrrr", rnn="wwww"),
            "Stumps RNN; IR (right at word 2) lost it again; DAN gets it.",
        ),
        (games(ir="wwww", dan="wwww"), "Stumps every player."),
        (games(ir="rrrr", dan="wrrr"), "Every player gets it before the last sentence."),
        (games(ir="wwwr", dan="wwrr"), "IR and DAN get it only in the last sentence."),
        (games(ir="wwww@1", dan="rrrr@1"), "Stumps IR; DAN gets it."),  # who buzzes does not matter
        (
            games(ir="wrww", dan="rwrr"),
            "IR (right at word 2) lost it again; DAN (right at word 1, then wrong again) gets it only in "
            "the last sentence.",
        ),
        (games(ir="wwww"), ""),  # one player stumps nobody but itself
    ],
)
def test_whom_a_draft_stumps(plays, said):
    assert stumped_sentence(of_sentences(plays, 2, 2)) == said


@pytest.mark.parametrize(
    ("plays", "said"),
    [
        (games(ir="wrrr", dan="wwww", rnn="wwrr"), "IR and RNN have your answer."),
        (games(ir="wwww", dan="wwwr"), "DAN has your answer."),
        (games(ir="rwww", dan="wwww"), "No player has your answer yet."),
        (games(ir="rrrr"), ""),
    ],
)
def test_who_has_the_answer_of_an_unfinished_draft(plays, said):
    assert progress_sentence(plays) == said


def test_whom_a_draft_of_one_sentence_stumps():
    plays = of_sentences(games(ir="wwwr", dan="wwww"), 4)

    assert stumped_sentence(plays) == "Stumps DAN; IR gets it."
    assert stumped_sentence([plays[0], replace(plays[0], guesser="dan")]) == "Stumps no player."


def test_beside_a_player_asked_after_some_words_only_the_others_are_not_called_all():
    """The first guess of Dense may be wrong: what is said of all would be said of it, too."""

    def beside_dense(**rows):
        *plays, dense = of_sentences(games(**rows, dense="wwww"), 2, 2)
        return [*plays, replace(dense, sampled=True)]

    assert stumped_sentence(beside_dense(ir="rrrr", dan="wrrr")) == "IR and DAN get it."
    assert stumped_sentence(beside_dense(ir="wwww", dan="wwww")) == "Stumps IR and DAN."


def test_nobody_is_stumped_by_what_nobody_can_guess():
    plays = games(ir="ww", dan="ww")
    unlisted = [replace(play, tossup=replace(play.tossup, answer=Answer("My aunt"))) for play in plays]
    unset = [replace(play, tossup=replace(play.tossup, answer=None)) for play in plays]
    broken = replace(plays[1], rows=(), heard=(), trouble="It is broken.")

    assert (stumped_sentence(unset), stumped_sentence([plays[0], broken])) == ("", "")
    assert stumped_sentence(unlisted) == "No player can know your answer."


def test_a_player_that_cannot_know_the_answer_is_told_apart_from_one_that_is_stumped():
    ir, dan, rnn = games(ir="wwww@2", dan="wwww@3", rnn="rrrr@1")
    dan = replace(dan, knows_answer=False)

    assert (
        stumped_sentence(of_sentences([ir, dan, rnn], 2, 2)) == "Stumps IR; RNN gets it; DAN cannot know it."
    )
    assert stumped_sentence(of_sentences([ir, dan], 2, 2)) == "Stumps IR; DAN cannot know it."
    assert summary_sentence([ir, dan, rnn]) == (
        "IR buzzes at 50\u00a0% (word 2 of 4) on Turandot (wrong); DAN at 75\u00a0%; "
        "RNN at 25\u00a0% on Madama Butterfly. "
        "DAN cannot know your answer."
    )
    assert play_sentence(dan) == (
        "DAN buzzes at 75\u00a0% (word 3 of 4) on Turandot. "
        "It cannot know your answer, which is not among its pages."
    )
    assert (lane(dan).states, lane(dan).buzzes_right, lane(dan).outcome) == (
        "????",
        False,  # or its bell would be that of a right buzz
        Outcome.CANNOT_KNOW,
    )
    assert (lane(ir).states, lane(ir).buzzes_right, lane(ir).outcome) == ("wccc", False, Outcome.WRONG)


def test_a_player_of_which_nobody_knows_what_it_knows_is_judged_by_the_page():
    (play,) = games(ir="ww")
    unlisted = replace(play, tossup=replace(play.tossup, answer=Answer("My aunt")))

    assert play.knows_answer is None
    assert (lane(play).outcome, lane(unlisted).outcome) == (Outcome.WRONG, Outcome.CANNOT_KNOW)


@pytest.mark.parametrize(
    ("chance", "said"),
    [(0.0, "<1"), (0.0049, "<1"), (0.0051, "1"), (0.824, "82"), (0.9949, "99"), (0.995, ">99"), (1.0, ">99")],
)
def test_chances_are_in_whole_per_cent_and_never_certain(chance, said):
    assert percent(chance) == f"{said}\u00a0%"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((0.82, 0.12, 0.79), "falls from 82 % to 12 %; without five others, it is 79 %."),
        ((0.40, 0.55, 0.41), "rises from 40 % to 55 %; without five others, it is 41 %."),
        ((0.824, 0.821, 0.3), "stays at 82 %; without five others, it is 30 %."),
    ],
)
def test_faithfulness_in_plain_words(found, said):
    told = faithfulness_line(Faithfulness(*found)).replace("\u00a0", " ")

    assert told == f"Without the five strongest words the chance {said}"


def test_where_the_others_have_a_page_and_who_has_it_highest():
    plays = games(ir="-ww", dan="rrr", rnn="--r")

    assert page_ranks(RIGHT, plays, 3) == {"ir": None, "dan": 1, "rnn": 1}
    assert page_ranks(RIGHT, plays, 1) == {"ir": None, "dan": 1, "rnn": None}
    assert supporter(page_ranks(RIGHT, plays, 3)) == "dan"
    assert supporter(page_ranks(Page("Aida"), plays, 3)) is None
    assert borrowed_evidence_line("ensemble", RIGHT, page_ranks(RIGHT, plays, 3)) == (
        "The ensemble weighs the guesses of the others. They rank Madama Butterfly: IR not at all, DAN "
        "1st, RNN "
        "1st. The evidence here is that of DAN."
    )


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ({}, "Training players\u2026"),
        ({"dan": 0.4, "rnn": 0.4}, "Training DAN and RNN\u2026 40 %"),
        ({"dan": 1.0, "rnn": 0.5}, "Training RNN\u2026 75 %"),
        ({"dan": 1.0}, "Training DAN\u2026 100 %"),
    ],
)
def test_how_far_training_is(shares, said):
    assert training_line(shares).replace("\u00a0", " ") == said


def test_weights_that_are_no_shares_are_shared_out_by_what_they_come_to():
    tossup = Tossup("One two. Three.")
    cues = tuple(Cue(span, weight) for span, weight in zip(tossup.words, (3.0, -1.0, -4.0), strict=True))
    found = scored_sentences(tossup, Evidence("dan", RIGHT, 9.0, cues, method=Method.GRADIENT))

    assert [part.share for part in found] == [0.25, -0.5]


@pytest.mark.parametrize(("number", "said"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd")])
def test_ranks_read_as_people_say_them(number, said):
    assert ordinal(number) == said


def test_one_word_is_not_words():
    assert (counted_noun(1, "word"), counted_noun(1024, "word")) == ("1 word", "1,024 words")


def test_the_true_answer_s_rank_is_told_and_so_is_that_it_has_none():
    play = replace(game("ww"), ranks=(None, 17))
    unlisted = replace(play, tossup=replace(play.tossup, answer=Answer("Cavalleria rusticana")))

    assert rank_line(play, 1) == "Your answer is ranked 17th"
    assert rank_line(play, 0) == "Your answer is not among the first 50"
    assert rank_line(unlisted, 0) == "The players do not know your answer"
    assert rank_line(game("ww", answer=None), 1) == ""


def test_the_shares_of_the_sentences_add_up_to_the_score():
    tossup = Tossup(DRAFT)
    found = scored_sentences(tossup, Overlap().explain(tossup, RIGHT))

    assert [part.number for part in found] == [0, 1, 2, 3, 4]
    assert sum(part.share for part in found) == pytest.approx(1)
    assert max(abs(share) for part in found for _, share in part.words) == 1


def test_the_sentences_of_the_reasons_come_first_and_other_words_are_faint():
    tossup = Tossup("This man. His friend Boltzmann. A demon of Faraday.")
    weights = (1.0, 8.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 3.0)
    cues = tuple(Cue(span, weight) for span, weight in zip(tossup.words, weights, strict=True))
    reasons = (Reason((tossup.words[8],), 2.0), Reason((tossup.words[4],), 1.0))
    found = scored_sentences(tossup, Evidence("ir", RIGHT, 19.0, cues, reasons=reasons))

    assert [part.number for part in found] == [2, 1, 0]
    shades = {span.of(tossup.text): shade for part in found for span, shade in part.words}
    assert shades["Faraday."] == 1 > shades["Boltzmann."] > 2 * shades["man."] > 0
    assert sum(part.share for part in found) == pytest.approx(1)


def test_the_words_that_speak_loudest_are_listed_once():
    tossup = Tossup("This opera's first act; the opera.")
    cues = tuple(Cue(span, weight) for span, weight in zip(tossup.words, (0, 2, 0, 1, 0, 3), strict=True))

    assert lead_words(tossup, Evidence("ir", RIGHT, 6.0, cues)) == ("opera", "act")


def test_no_evidence_has_no_shares():
    assert all(part.share == 0 for part in scored_sentences(Tossup(DRAFT), Evidence("ir", RIGHT)))


def test_the_card_shows_the_word_stepped_to():
    play = Player(Overlap(), Lead()).play(Tossup(DRAFT, Answer("Madama Butterfly", RIGHT)))
    assert play.buzz is not None

    assert guess_card(play, play.buzz.heard, None).buzz == "buzzes here"
    assert guess_card(play, 5, None).lines == ()
    last = guess_card(play, len(play.tossup.words), WRONG)
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

    pieces = excerpt(Passage("here", text, hits, 0), around=20)

    assert [hit.of(piece.text) for piece in pieces for hit in piece.hits] == [hit.of(text) for hit in hits]
    assert all(piece.text in text for piece in pieces)


def test_a_short_passage_is_not_cut():
    (piece,) = excerpt(Passage("here", "A white ship.", (Span(2, 7),), 0))

    assert (piece.text, piece.before, piece.after) == ("A white ship.", False, False)


@pytest.mark.parametrize("at_ms", [2**53, 2**60, -(2**53)])
def test_a_moment_outside_the_calendar_has_a_date_all_the_same(at_ms):
    assert relative_time(at_ms, 1_700_000_000_000)
    assert day(at_ms)


def test_an_empty_index_is_called_so():
    assert server_line("9.1.0", "wiki", 0, 12.3).endswith("Elasticsearch 9.1.0, the index wiki is empty.")
