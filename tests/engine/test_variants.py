"""Many variants of a tossup: each result is that of playing the variant by itself."""

from __future__ import annotations

from contextlib import closing

import pytest
from msgspec.structs import replace

from quizwriter.domain.guessing import PlayOutline
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.player_processes import PlayerProcesses
from quizwriter.engine.variants import play_variants
from quizwriter.workflow.probes import editing_probes, split_clues
from tests.helpers.forest import in_the_forest

TEXT = ". ".join(in_the_forest(tree, 12).rstrip(".") for tree in ("Alder", "Birch", "Alder")) + "."
TOSSUP = Tossup(TEXT, Answer("Alder", Page("Alder")))
VARIANTS = [variant.tossup for variant in editing_probes(TOSSUP, split_clues(TOSSUP))]


def plain(player, variant, buzz_chance=0.0):
    """The outline of the variant's own game."""
    play = player.play(variant)
    if buzz_chance:
        play = replace(play, buzz=play.first_buzz(buzz_chance))
    return PlayOutline.of(play)


def nearly(outlines):
    """Outlines with their chances rounded: a network may break the last bit of a sum in another way."""
    return [
        replace(
            one,
            answer_chance=round(one.answer_chance, 4),
            buzz=one.buzz
            and replace(
                one.buzz,
                confidence=round(one.buzz.confidence, 4),
                guess=replace(one.buzz.guess, score=round(one.buzz.guess.score, 3)),
            ),
        )
        for one in outlines
    ]


def test_there_are_variants():
    assert len(VARIANTS) > 5


@pytest.mark.parametrize("buzz_chance", [0.0, 0.2])
def test_every_player_makes_of_a_variant_what_it_makes_of_it_alone(trees, buzz_chance):
    assert len(trees.players) > 3
    for player in trees.players:
        fast = list(play_variants(player, TOSSUP, VARIANTS, buzz_chance=buzz_chance))
        assert nearly(fast) == nearly(plain(player, one, buzz_chance) for one in VARIANTS)


def test_players_in_another_process_play_a_batch_for_one_request(trees):
    with closing(PlayerProcesses()) as processes:
        apart = processes.variant_players(trees)
        assert len(apart) == len(trees.players)
        for away, here in zip(apart[:3], trees.players[:3], strict=True):
            assert nearly(play_variants(away, TOSSUP, VARIANTS)) == nearly(
                play_variants(here, TOSSUP, VARIANTS)
            )
            assert list(play_variants(away, TOSSUP, [])) == []


def test_an_outline_says_how_likely_the_answer_is_in_the_end(trees):
    player = trees.players[0]
    (outline,) = play_variants(player, TOSSUP, [TOSSUP])
    play = player.play(TOSSUP)
    assert outline.page == play.final[0].page
    assert play.right[-1]
    assert outline.answer_chance == play.chances[-1]
    (unanswered,) = play_variants(player, TOSSUP, [Tossup(TEXT)])
    assert unanswered.answer_chance == 0
    assert not unanswered.knowable
