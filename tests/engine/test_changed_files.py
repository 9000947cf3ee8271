"""A bundle whose files change while it is open ends in a sentence; the program goes on."""

import shutil
from random import Random

import pytest

from quizwriter.cancellation import Cancellation
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from quizwriter.engine.player_processes import batch_players
from quizwriter.errors import QuizwriterError
from tests.helpers.foreign_bundles import foreign_bundle, use

DRAFT = Tossup("AA1 BB2 AA3 this tree", Answer("Alder", Page("Alder")))
LATER = Tossup("CC1 CC2 AA5 BB7 this tree of the forest", Answer("Birch", Page("Birch")))


@pytest.fixture
def folder(forest, tmp_path):
    return shutil.copytree(forest[0], tmp_path / "forest")


def shorten(folder):
    """Take from every file what lies behind its first byte."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in {".npy", ".utf8"}:
            with path.open("r+b") as file:
                file.truncate(1)


def outcome(ask):
    """What ``ask`` does: "plays", or the sentence it ends in."""
    try:
        ask()
    except QuizwriterError as trouble:
        return trouble.problem
    return "plays"


def test_files_that_become_shorter_end_in_a_sentence_in_this_process(folder):
    engine = load(folder)
    for player in engine.players:
        player.play(DRAFT)
    shorten(folder)

    ir = engine.players[0]
    assert outcome(lambda: ir.play(LATER)).startswith(f"The bundle in {folder} was changed while it was open")
    assert "was changed while it was open" in outcome(engine.retrieval.past_tossups)
    for player in engine.players:
        assert outcome(lambda player=player: player.play(LATER)) != ""
    assert ir.play(DRAFT).rows  # what was read already stays


def test_files_that_become_shorter_end_in_a_sentence_in_a_player_process(folder):
    cancellation = Cancellation()
    with batch_players(load(folder), cancellation) as engine:
        dan = next(player for player in engine.players if player.name == "dan")
        dan.play(DRAFT)
        shorten(folder)
        told = [outcome(lambda one=one: one.play(LATER)) for one in engine.players]
        again = [outcome(lambda one=one: one.play(DRAFT)) for one in engine.players[:1]]

    assert any("was changed while it was open" in one or "makes no sense" in one for one in told), told
    assert again
    assert not any("ended unexpectedly" in one for one in told)


@pytest.mark.parametrize("seed", range(12))
def test_a_bundle_of_a_stranger_plays_or_is_refused_in_a_sentence(folder, tmp_path, seed):
    foreign_bundle(folder, tmp_path / "foreign", Random(seed))
    told = outcome(lambda: use(tmp_path / "foreign", "Alder"))

    assert told == "plays" or str(tmp_path / "foreign") in told
