"""The starter bundle: built once, again when its texts change, and with the players that are shipped."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile

import pytest

from index_builder.progress import Progress
from index_builder.starter import (
    SHIPPED,
    corpus_digest,
    first_steps,
    play_examples,
    starter_bundle,
    train_starter,
)
from index_builder.training.buzzers import CHANCE_LIMITS, LOWEST_THRESHOLD
from quizwriter.engine.buzzers import CalibratedBuzzer
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from quizwriter.system.resource_files import resources_folder

TEXTS = resources_folder() / "starter"
EXAMPLES = resources_folder() / "examples.jsonl"
FOUR = ["ir", "dan", "rnn", "ensemble"]


def shipped(texts=TEXTS):
    """What is said of the shipped players."""
    return json.loads((texts / "players" / SHIPPED).read_text(encoding="utf-8"))


def names(folder):
    return [player.name for player in load(folder).players]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The folder of the starter bundle, with the shipped players."""
    return starter_bundle(TEXTS, tmp_path_factory.mktemp("bundles"))


@pytest.fixture
def texts(tmp_path):
    """A copy of the starter texts and players, to be changed."""
    return shutil.copytree(TEXTS, tmp_path / "starter")


def test_the_starter_bundle_is_built_once_and_again_when_its_texts_change(texts, tmp_path):
    first = starter_bundle(texts, tmp_path / "bundles")
    built = (first / "manifest.json").stat().st_mtime_ns

    again = starter_bundle(texts, tmp_path / "bundles")
    with (texts / "articles" / "science.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"page": "Fox", "text": "Foxes are small canids with a bushy tail."}) + "\n")
    changed = starter_bundle(texts, tmp_path / "bundles")

    assert again == first
    assert (again / "manifest.json").stat().st_mtime_ns == built
    assert changed != first
    assert load(changed).pages.find("fox") == "Fox"
    assert names(changed) == ["ir"]  # the others learnt from other texts


def test_all_four_players_are_there_from_the_first_start_each_with_a_buzzer(bundle):
    engine = load(bundle)

    assert [player.name for player in engine.players] == FOUR
    assert all(isinstance(player.buzzer, CalibratedBuzzer) for player in engine.players)


def test_no_shipped_buzzer_has_its_threshold_at_the_end_of_what_was_tried(bundle):
    for player in load(bundle).players:
        assert LOWEST_THRESHOLD + 0.01 < player.buzzer.threshold < CHANCE_LIMITS[1] - 0.01
        assert abs(player.buzzer.threshold - 0.925) > 0.001  # where the grid ended once


def test_other_players_make_a_new_bundle(texts, tmp_path):
    first = starter_bundle(texts, tmp_path / "bundles")
    about = shipped(texts)
    about["players"]["dan"]["steps"] += 1
    (texts / "players" / SHIPPED).write_text(json.dumps(about), encoding="utf-8")

    assert starter_bundle(texts, tmp_path / "bundles") != first


@pytest.mark.parametrize("file", [SHIPPED, "rnn.npz"])
def test_players_that_cannot_be_read_are_said_and_nothing_is_published(texts, tmp_path, file):
    path = texts / "players" / file
    path.write_bytes(path.read_bytes()[:-2_000])

    with pytest.raises(QuizwriterError, match="The players that come with QuizWriter cannot be read"):
        starter_bundle(texts, tmp_path / "bundles")
    assert list((tmp_path / "bundles").iterdir()) == []


def test_without_the_shipped_players_one_player_plays(texts, tmp_path):
    shutil.rmtree(texts / "players")

    assert names(starter_bundle(texts, tmp_path / "bundles")) == ["ir"]


# --- whether the shipped players are those of these texts and this code


STALE = "The shipped players are of older {}: run make starter, and commit what it writes."


def test_the_shipped_players_learnt_from_these_texts():
    assert shipped()["corpus"] == corpus_digest(TEXTS), STALE.format("texts")


def test_the_shipped_players_were_trained_by_this_code():
    pytest.importorskip("torch", reason="PyTorch is not installed.")
    then, now = shipped()["first steps"], first_steps(TEXTS)

    assert list(now) == list(then) == ["dan", "rnn"], STALE.format("training code")
    for name, arrays in now.items():
        # with another number of threads the last digits differ, and training makes the difference larger
        assert arrays == pytest.approx(then[name], rel=5e-3), STALE.format("training code")


def test_the_shipped_players_play_as_they_did_when_they_were_trained(bundle):
    then, now = shipped()["games"], play_examples(bundle, EXAMPLES)

    assert list(now) == list(then) == FOUR, STALE.format("playing code")
    for name, games in now.items():
        for (page, chance), (page_then, chance_then) in zip(games, then[name], strict=True):
            assert page == page_then, STALE.format("playing code")
            assert chance == pytest.approx(chance_then, abs=0.02), STALE.format("playing code")


def test_the_shipped_players_are_small():
    assert sum(path.stat().st_size for path in (TEXTS / "players").iterdir()) < 5_000_000


def test_training_them_twice_gives_the_same_bytes(texts, tmp_path, small_and_quick):
    def trained():
        with small_and_quick():
            train_starter(texts, EXAMPLES, Progress())
        return {path.name: path.read_bytes() for path in (texts / "players").iterdir()}

    for path in [*texts.glob("*/*.jsonl")]:
        if path.stem != "mythology":
            path.unlink()
    first = trained()
    assert names(starter_bundle(texts, tmp_path / "bundles")) == FOUR
    assert trained() == first


# --- the wheel


def test_the_wheel_brings_the_players_along_and_they_play(tmp_path):
    pytest.importorskip("hatchling", reason="The wheel is built with hatchling, of the extra dev.")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, check=True, capture_output=True, cwd=resources_folder().parent)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path; from quizwriter.services.wiring import App\n"
        "engine = App(Path(sys.argv[2])).engines.load_starter()\n"
        "from quizwriter.domain.tossup import Tossup\n"
        "for player in engine.players:\n"
        "    play = player.play(Tossup('This composer of Turandot and Madama Butterfly'))\n"
        "    print(player.name, len(play.rows) > 0, play.final[0].page)\n"
    )
    command = [sys.executable, "-P", "-c", script, str(tmp_path / "site"), str(tmp_path / "home")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [[name, "True"] for name in FOUR]
