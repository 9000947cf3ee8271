"""Games of the player on Elasticsearch, against real servers of version 8 and 9."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quizwriter.domain.tossup import Tossup
from quizwriter.engine.networks import play_positions
from tests.helpers.strategies import tossups

pytestmark = pytest.mark.logs("has failed for|marked alive|Retrying request", always=False)
"""The client logs each node that does not answer, and each that answers again."""

laws = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)


def counted(player):
    """``player``, and a list that grows with every request it sends."""
    requests = []
    search = player._search
    player._search = lambda index, searches: requests.append(len(searches)) or search(index, searches)
    return player, requests


@laws
@given(tossup=tossups, data=st.data())
def test_a_guess_never_depends_on_words_not_yet_heard(player, tossup, data):
    play = player.play(tossup)
    if not play.heard:
        return
    heard = data.draw(st.sampled_from(play.heard))

    before = player.play(tossup.heard(heard))

    assert before.heard[-1] == heard
    assert before.rows[-1] == play.rows[play.heard.index(heard)]


@laws
@given(tossup=tossups)
def test_it_guesses_as_the_retrieval_player_does(player, engine, tossup):
    play, local = player.play(tossup), engine.retrieval.play(tossup)

    assert list(play.heard) == sorted(set(play.heard))
    assert set(play_positions(tossup) if tossup.words else []) <= set(play.heard)
    for heard, row in zip(play.heard, play.rows, strict=True):
        other = local.rows[heard - 1]
        assert [guess.score for guess in row] == pytest.approx([guess.score for guess in other], rel=5e-3)
        assert [guess.score for guess in row] == sorted((guess.score for guess in row), reverse=True)
        assert len({guess.page for guess in row}) == len(row)


def test_nothing_is_guessed_before_anything_is_said(player):
    assert player.play(Tossup("")).heard == ()
    assert player.play(Tossup("For 10 points, name this")).final == ()
    with pytest.raises(ValueError, match="top"):
        player.play(Tossup("Pinkerton"), top=0)


def test_files_published_are_the_bundle_built_from_them(real, real_there):
    _, engine, asked = real
    player, requests = counted(real_there)
    same = moments = most = 0
    for tossup in asked:
        requests.clear()
        play, local = player.play(tossup), engine.retrieval.play(tossup)
        most = max(most, len(requests))
        for heard, row, rank in zip(play.heard, play.rows, play.ranks, strict=True):
            other = local.rows[heard - 1]
            assert [guess.score for guess in row] == pytest.approx([guess.score for guess in other], rel=5e-3)
            moments += 1
            same += [guess.page for guess in row[:1]] == [guess.page for guess in other[:1]]
            if heard in (play_positions(tossup)[-1],) and rank is not None and rank < 5:
                assert abs(rank - local.ranks[heard - 1]) <= 1

    assert most <= 2
    assert moments > 1500
    assert same / moments > 0.97
