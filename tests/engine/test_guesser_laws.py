"""What every guesser must honour, whatever is inside it; and what is special to retrieval."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quizwriter.domain.page import Page, answer_key, page_title
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.engine.evidence import TITLE_POINTS
from tests.helpers.strategies import tossups

laws = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture(params=["ir"])
def guesser(request, engine):
    return next(player.guesser for player in engine.players if player.name == request.param)


@laws
@given(tossup=tossups, data=st.data())
def test_a_guess_never_depends_on_words_not_yet_heard(guesser, tossup, data):
    count = data.draw(st.integers(0, len(tossup.words)))

    assert guesser.play(tossup).rows[:count] == guesser.play(tossup.heard(count)).rows


@laws
@given(tossup=tossups)
def test_rows_are_sorted_and_name_no_page_twice(guesser, tossup):
    for row in guesser.play(tossup).rows:
        assert len(row) <= 5
        assert [guess.score for guess in row] == sorted((guess.score for guess in row), reverse=True)
        assert len({guess.page for guess in row}) == len(row)


@laws
@given(tossup=tossups)
def test_there_is_a_row_for_every_word_heard_up_to_the_last(guesser, tossup):
    play = guesser.play(tossup)

    assert list(play.heard) == sorted(set(play.heard))
    assert len(play.heard) == len(play.rows) == len(play.ranks)
    assert not tossup.words or play.heard[-1] == len(tossup.words)


@laws
@given(tossup=tossups)
def test_cues_add_up_to_the_score_they_explain(guesser, tossup):
    for guess in guesser.play(tossup).final:
        evidence = guesser.explain(tossup, guess.page)

        assert sum(cue.weight for cue in evidence.cues) == pytest.approx(guess.score, rel=1e-4, abs=1e-4)
        assert evidence.score == pytest.approx(guess.score, rel=1e-4, abs=1e-4)


@laws
@given(tossup=tossups)
def test_the_same_tossup_gets_the_same_game(guesser, tossup):
    assert guesser.play(tossup) == guesser.play(tossup)


@laws
@given(tossup=tossups)
def test_playing_ends_where_a_fresh_query_does(guesser, tossup):
    final, asked = guesser.play(tossup).final, guesser.query(tossup)

    assert [guess.page for guess in final] == [guess.page for guess in asked]
    assert [guess.score for guess in final] == pytest.approx([guess.score for guess in asked], rel=1e-5)


@laws
@given(tossup=tossups)
def test_the_rank_of_the_answer_is_its_place_among_all_pages(guesser, tossup):
    answered = Tossup(tossup.text, Answer("Johannes Brahms", Page("Johannes_Brahms")))
    order = [guess.page for guess in guesser.query(tossup, top=1000)]
    expected = order.index(Page("Johannes_Brahms")) + 1 if "Johannes_Brahms" in order else None

    ranks = guesser.play(answered).ranks

    assert not ranks or ranks[-1] == expected


def test_the_rank_is_that_of_the_best_page_that_is_right(guesser):
    tossup = Tossup("This opera opens in Nagasaki with Goro and Pinkerton.")
    best = guesser.play(tossup).final
    first, second = (guess.page for guess in best[:2])
    answered = Answer(f"{page_title(second)} [accept {page_title(first)}]", second)

    play = guesser.play(Tossup(tossup.text, answered))

    assert play.right[-1] == (play.ranks[-1] == 1) == answered.accepts(first)


def test_boilerplate_marks_and_guides_score_nothing(guesser):
    bare = Tossup("This opera opens in Nagasaki with Goro and Pinkerton. Name this opera.")
    full = Tossup(
        'This opera (*) opens in Nagasaki ("nah-gah-SAH-kee") with Goro and Pinkerton. '
        "For 10 points, name this opera."
    )

    assert guesser.play(full).final == guesser.play(bare).final
    cues = guesser.explain(full, guesser.play(full).final[0].page).cues
    assert {"10", "points,", "name", "(*)", "For"}.isdisjoint(cue.span.of(full.text) for cue in cues)


def test_a_page_whose_title_is_read_aloud_falls_from_that_word_on(guesser):
    tossup = Tossup("Pinkerton and this opera Madama Butterfly")
    play = guesser.play(tossup, top=40)
    before = {guess.page: guess.score for guess in play.rows[-2]}

    (cue,) = [c for c in guesser.explain(tossup, Page("Madama_Butterfly")).cues if c.weight < 0]

    assert "Madama_Butterfly" in before
    assert play.rows[-2][0].page == "Madama_Butterfly"
    assert play.final[0].page != "Madama_Butterfly"
    assert cue.span.of(tossup.text) == "Butterfly"
    assert cue.weight >= TITLE_POINTS


def test_evidence_marks_the_words_a_passage_shares_with_the_sentence(guesser):
    tossup = Tossup("Nothing here. Pinkerton leaves Nagasaki in this opera.")

    passages = guesser.explain(tossup, Page("Madama_Butterfly")).passages

    assert passages
    assert {passage.sentence for passage in passages} == {1}
    for passage in passages:
        shared = {hit.of(passage.text).lower().removesuffix("'s") for hit in passage.hits}
        assert shared & {"pinkerton", "nagasaki", "opera", "leaves"}


def test_names_are_the_words_to_change_and_what_the_answer_is_called_is_the_frame(guesser):
    tossup = Tossup("In this opera Pinkerton leaves Nagasaki. Goro finds Pinkerton a house in this opera.")

    evidence = guesser.explain(tossup, Page("Madama_Butterfly"))

    named = [[span.of(tossup.text) for span in one.spans] for one in evidence.reasons]
    assert ["Pinkerton", "Pinkerton"] in named
    assert ["Nagasaki"] in named
    assert [one.fall > 0 for one in evidence.reasons] == [True] * 3
    assert "opera" in [span.of(tossup.text) for span in evidence.frame]


def test_a_page_the_bundle_does_not_know_has_no_evidence(guesser):
    assert guesser.explain(Tossup("Pinkerton sings."), Page("Nobody_at_all")).cues == ()


def test_less_than_one_guess_is_a_bug_of_the_caller(guesser):
    with pytest.raises(ValueError, match="top"):
        guesser.play(Tossup("Pinkerton"), top=0)


def test_the_confidence_of_a_buzz_is_a_probability(engine):
    for player in engine.players:
        play = player.play(Tossup("Pinkerton leaves Cio-Cio-San in Nagasaki; this opera has a Suzuki."))
        assert play.buzz is not None
        assert 0 < play.buzz.confidence < 1
        assert math.isfinite(play.milliseconds)
        assert play.rows[play.buzz.heard - 1][0] == play.buzz.guess


def test_every_page_of_the_bundle_is_found_by_its_title(engine):
    for page in engine.pages.all:
        assert answer_key(engine.pages.find(page.replace("_", " ")) or "") == answer_key(page)


def test_a_bundle_is_the_same_engine_wherever_it_is_copied(engine, tmp_path):
    import shutil

    copy = shutil.copytree(engine.folder, tmp_path / "a copy")

    assert load(copy).digest == engine.digest


@pytest.mark.parametrize(
    ("answer", "knows"),
    [
        (Answer("Johannes Brahms", Page("Johannes_Brahms")), True),
        (Answer("the johannes brahms"), True),  # unlisted by the writer, and yet one of the pages
        (Answer("My aunt [or Johannes Brahms]"), True),  # the line accepts the page by name
        (Answer("My aunt"), False),
        (Answer("Nobody", Page("Nobody_at_all")), False),  # a page of another bundle
        (None, None),
    ],
)
def test_a_player_says_whether_the_answer_is_one_of_its_pages(guesser, answer, knows):
    assert guesser.play(Tossup("Pinkerton leaves Nagasaki", answer)).knows_answer is knows


@laws
@given(tossup=tossups, data=st.data())
def test_a_variant_is_played_as_it_would_be_by_itself(guesser, tossup, data):
    """Retrieval shares the words before the first difference; nothing of that may be seen."""
    words = [word.of(tossup.text) for word in tossup.words]
    variants = [tossup, Tossup("", tossup.answer)]
    for _ in range(3):
        start = data.draw(st.integers(0, len(words)))
        end = data.draw(st.integers(start, len(words)))
        variants.append(Tossup(" ".join(words[:start] + words[end:]), tossup.answer))
        variants.append(Tossup(" ".join(words[:start] + words[end:] + words[start:end]), tossup.answer))

    assert list(guesser.play_variants(tossup, variants)) == [guesser.play(one) for one in variants]
