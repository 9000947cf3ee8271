"""Networks learn from added packets, keep what they knew, and can be given their old weights back."""

from __future__ import annotations

import json
import shutil

import pytest
from msgspec.structs import replace

from index_builder.__main__ import main
from index_builder.progress import Progress
from index_builder.training import fine_tuning
from index_builder.training.trainer import train
from index_builder.user_packets import add_packets, learn_from_packets
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from tests.helpers.forest import TREES, in_the_forest

NEWS = "Its zorbs glim in the quux beside a frandle and many a wibble"
"""Words that are in no tossup of the forest."""


@pytest.fixture
def packets(tmp_path):
    """A file of tossups with new clues for Elm, and one on a tree that is in no bundle."""
    file = tmp_path / "packets.jsonl"
    words = NEWS.split()
    asked = [" ".join([*words[at:], *words[:at], "name this tree"]) for at in range(6)]
    lines = [{"id": str(number), "text": text, "answer": "Elm"} for number, text in enumerate(asked)]
    lines.append({"id": "new", "text": "Nobody knows this strangler, name this tree", "answer": "Baobab"})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.fixture
def bundle(forest, tmp_path):
    return shutil.copytree(forest[0], tmp_path / "forest")


@pytest.fixture(autouse=True)
def at_rates_for_few_tossups(monkeypatch):
    """So small networks are trained at higher rates from the start; they learn more at higher ones, too."""
    monkeypatch.setattr(fine_tuning, "RATE", 0.1)
    monkeypatch.setattr(fine_tuning, "DENSE_RATE", 2e-3)

    def few_a_step(name, of=fine_tuning.network_training):
        return replace(of(name), schedule=replace(of(name).schedule, tuning_batch=32))

    monkeypatch.setattr(fine_tuning, "network_training", few_a_step)


def first(bundle, text):
    return {player.name: str(player.play(Tossup(text)).final[0].page) for player in load(bundle).players[1:3]}


def right(bundle):
    """The share of all trees that both networks know from tossups in the forest."""
    asked = [(tree, in_the_forest(tree, number)) for tree in TREES for number in range(100, 103)]
    found = [page == tree for tree, text in asked for page in first(bundle, text).values()]
    return sum(found) / len(found)


def weights(bundle):
    return {path.name: path.read_bytes() for path in sorted((bundle / "players").rglob("*.npy"))}


def test_networks_learn_from_packets_and_can_be_taken_back(bundle, packets, capsys):
    before, known = Bundle.open(bundle), right(bundle)
    untouched = {path: path.stat().st_mtime_ns for path in sorted((bundle / "players").iterdir())}
    add_packets(bundle, [packets])

    assert main(["learn", "--bundle", str(bundle)]) == 0

    said = capsys.readouterr().out
    assert said.startswith("DAN and RNN learned from 6 texts of your packets. One is on a page")
    after = Bundle.open(bundle)
    assert first(bundle, NEWS) == {"dan": "Elm", "rnn": "Elm"}
    assert right(bundle) >= known - 0.1
    assert [player.name for player in load(bundle).players] == ["ir", "dan", "rnn", "birnn", "ensemble"]
    assert not load(bundle).troubles  # the packets are indexed for the bundle as it is now
    assert after.players["dan"].before.folder == before.players["dan"].folder
    assert after.players["birnn"] == before.players["birnn"]
    assert {path: path.stat().st_mtime_ns for path in untouched} == untouched

    assert main(["learn", "--bundle", str(bundle), "--undo"]) == 0

    assert capsys.readouterr().out == "DAN and RNN play as before your packets.\n"
    assert Bundle.open(bundle).about["players"] == before.about["players"]
    assert Bundle.open(bundle).files == before.files
    assert len(list((bundle / "players").iterdir())) == len(untouched)
    assert not load(bundle).troubles
    assert main(["learn", "--bundle", str(bundle), "--undo"]) == 0
    assert capsys.readouterr().out == "No network has learned from packets.\n"


def test_learning_twice_is_learning_once(bundle, packets):
    original = Bundle.open(bundle).players["dan"]
    add_packets(bundle, [packets])
    learn_from_packets(bundle, Progress(), device="cpu")
    once = weights(bundle)

    learn_from_packets(bundle, Progress(), device="cpu")

    assert weights(bundle) == once
    assert Bundle.open(bundle).players["dan"].before == original
    with pytest.raises(QuizwriterError, match="no question on a page"):
        fine_tuning.fine_tune(bundle, [], Progress())
    assert weights(bundle) == once
    assert Bundle.open(bundle).players["dan"].before == original


def test_a_network_that_is_trained_anew_has_nothing_before_it(bundle, packets, small_and_quick):
    add_packets(bundle, [packets])
    learn_from_packets(bundle, Progress(), device="cpu")

    with small_and_quick():
        train(bundle, ["dan"], Progress(), anew=True)

    players = Bundle.open(bundle).players
    assert players["dan"].before is None
    assert players["rnn"].before is not None
    assert sum(path.name.startswith("dan-") for path in (bundle / "players").iterdir()) == 1


def test_there_must_be_packets_networks_and_something_they_know(bundle, bare_forest, packets, tmp_path):
    with pytest.raises(QuizwriterError, match="Nothing was added"):
        learn_from_packets(bundle, Progress())
    bare = shutil.copytree(bare_forest, tmp_path / "bare")
    add_packets(bare, [packets])
    with pytest.raises(QuizwriterError, match="no network that could learn"):
        learn_from_packets(bare, Progress())
    strangers = tmp_path / "strangers.jsonl"
    strangers.write_text(packets.read_text().splitlines()[-1] + "\n")
    add_packets(bundle, [strangers])
    with pytest.raises(QuizwriterError, match="no question on a page that past questions"):
        learn_from_packets(bundle, Progress())
