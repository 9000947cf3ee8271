"""QANTA's own networks, trained beside ours to compare: what they learn, and what a stop changes."""

from __future__ import annotations

import json
import lzma
import shutil

import numpy as np
import pytest

from index_builder.__main__ import main
from index_builder.progress import Progress
from index_builder.training.qanta_networks import RECIPES, Recipe
from index_builder.training.qanta_recipes import RecipeTask, compare_recipes, recipe_words
from index_builder.training.trainer import TrainingOptions
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.engine import held_back
from quizwriter.engine.pages import read_pages
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.recorded_players import recorded_players
from quizwriter.formats.game_files import read_games, text_digest
from quizwriter.formats.question_files import DEVELOPMENT
from quizwriter.formats.tables import write_table
from tests.helpers.forest import TREES, in_the_forest

SMALL = Recipe(16, 8, 0.1)
ONE_THREAD = TrainingOptions(device="cpu", threads=1)


@pytest.fixture
def bare(bare_forest, tmp_path):
    return shutil.copytree(bare_forest, tmp_path / "forest")


@pytest.fixture
def short(small_and_quick, monkeypatch):
    from index_builder.training import qanta_networks, qanta_recipes

    monkeypatch.setattr(qanta_recipes, "RECIPES", dict.fromkeys(RECIPES, SMALL))
    monkeypatch.setattr(qanta_networks, "PASSES", 12)
    monkeypatch.setattr(qanta_networks, "SAVE_EVERY", 0.0)
    with small_and_quick():
        yield


def test_words_are_told_apart_as_the_recipe_does():
    text = "For 10 points, name this “Café” [kah-FAY] owner (emphasize) of 1848's show, ftp."

    assert recipe_words(text) == [
        *["name", "this"],
        '"',
        "cafe",
        '"',
        *["owner", "of", "1848", "'", "s", "show", ",", "."],
    ]


def test_both_recipes_learn_beside_ours_and_leave_the_bundle_as_it_is(bare, short):
    before = Bundle.open(bare).digest

    report = compare_recipes(bare, [*RECIPES, "dan"], Progress(), options=ONE_THREAD)

    assert (report["classes"], report["tossups"], report["judged_by"], report["measured_on"]) == (
        6,
        72,
        24,
        24,
    )
    for name in RECIPES:
        assert report["players"][name]["end"] >= 0.5, report  # one in six by chance
        assert 1 <= report["players"][name]["passes"] <= 12
    assert report["players"]["dan"]["end"] >= 0.9
    assert Bundle.open(bare).digest == before
    assert not list(bare.parent.glob("*.recipes"))


def test_a_share_of_the_classes_is_all_that_anyone_learns_and_is_measured_on(bare, short):
    report = compare_recipes(bare, ["qanta-dan", "rnn"], Progress(), share=0.5, options=ONE_THREAD)

    assert (report["classes"], report["tossups"], report["judged_by"], report["measured_on"]) == (
        3,
        36,
        12,
        12,
    )
    assert set(report["players"]) == {"qanta-dan", "rnn"}


class Stop(Progress):
    """Presses Ctrl-C at the ``nth`` measurement."""

    def __init__(self, nth):
        self.left = nth

    def measured(self, player, half, end):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


def trainer(name):
    draw = np.random.default_rng(3)
    tossups = [
        (Tossup(" ".join(f"{'ab'[label]}{number}" for number in draw.integers(0, 9, 6)) + "."), label)
        for label in (0, 1) * 20
    ]
    task = RecipeTask(np.arange(2), ["A", "B"], tossups[:30], tossups[30:], tossups[30:])
    return task.trainer(name, TrainingOptions(device="cpu", seed=5))


@pytest.mark.parametrize("name", list(RECIPES))
def test_a_training_that_was_stopped_ends_where_it_would_have(tmp_path, name, short):
    whole, stopped, resumed = (trainer(name) for _ in range(3))
    whole.train(tmp_path / "whole", Progress())
    with pytest.raises(KeyboardInterrupt):
        stopped.train(tmp_path / "work", Stop(5))
    resumed.train(tmp_path / "work", Progress())

    assert 0 < len(stopped.curve) < len(whole.curve)
    assert resumed.curve == whole.curve
    for key, weights in whole.module.state_dict().items():
        assert weights.equal(resumed.module.state_dict()[key]), key


def test_word_vectors_are_where_the_table_begins(tmp_path, short):
    file = tmp_path / "vectors.txt"
    file.write_text("a1 " + "0.5 " * 299 + "0.5\nzebra " + "1 " * 299 + "1\n", encoding="utf-8")
    tossups = [(Tossup("a1 a2. a2 a1."), 0), (Tossup("b1 b2. b2 b1."), 1)]
    task = RecipeTask(np.arange(2), ["A", "B"], tossups, tossups, tossups)
    made = task.trainer("qanta-dan", TrainingOptions(device="cpu", vectors=file))
    assert (made.module.vectors.weight == 0.5).all(dim=1).sum() == 1

    file.write_text("a1 0.5 0.5\n", encoding="utf-8")
    with pytest.raises(QuizwriterError, match="no vectors of 300 numbers"):
        task.trainer("qanta-dan", TrainingOptions(device="cpu", vectors=file))


def test_the_command_prints_the_report_and_a_bundle_of_everything_is_refused(bare, short, capsys, starter):
    assert main(["recipes", "--bundle", str(bare), "--players", "qanta-dan", "--device", "cpu"]) == 0
    assert set(json.loads(capsys.readouterr().out)["players"]) == {"qanta-dan"}

    assert main(["recipes", "--bundle", str(starter)]) == 1
    assert "holds back no tossups" in capsys.readouterr().err


def test_the_games_of_the_recipes_are_written_and_play_again_as_they_were(bare, short, tmp_path, capsys):
    asked, games = tmp_path / "asked.jsonl", tmp_path / "games.jsonl.xz"
    tree = next(iter(TREES))
    asked.write_text(json.dumps({"text": in_the_forest(tree, 400), "answer": tree}), encoding="utf-8")
    command = ["recipes", "--bundle", str(bare), "--players", "qanta-dan", "--device", "cpu"]

    assert main([*command, "--play", str(asked)]) == 1
    assert "Name one with --games" in capsys.readouterr().err
    assert main([*command, "--games", str(games), "--play", str(asked)]) == 0

    end = json.loads(capsys.readouterr().out)["players"]["qanta-dan"]["end"]
    pages = read_pages(Bundle.open(bare)).all
    (player,) = recorded_players(games, pages)
    held = held_back(bare, DEVELOPMENT)
    right = [player.play(tossup).stable_correct is not None for tossup in held]
    assert sum(right) / len(right) == pytest.approx(end, abs=1e-4)
    assert player.play(Tossup(in_the_forest(tree, 400))).final[0].page in pages
    assert not any(page.encode() in lzma.decompress(games.read_bytes()) for page in pages)


def test_games_are_written_on_the_controls_of_an_experiment_and_on_no_other_question(
    bare, short, tmp_path, capsys
):
    asked, table, games = (tmp_path / name for name in ("asked.jsonl", "table.csv", "games.jsonl.xz"))
    tree = next(iter(TREES))
    asked.write_text(json.dumps({"text": in_the_forest(tree, 400), "answer": tree}), encoding="utf-8")
    command = ["recipes", "--bundle", str(bare), "--players", "qanta-dan", "--device", "cpu"]
    command += ["--games", str(games), "--play", str(asked), "--controls", str(table)]
    held = held_back(bare, DEVELOPMENT)

    def write(*keys):
        with table.open("w", encoding="utf-8", newline="") as file:
            write_table(file, [["question", "control"], *([f"q{at}", key] for at, key in enumerate(keys))])

    for keys in ((), (f"held-back-{len(held)}",), ("held-back-0", "another")):
        write(*keys)
        assert main(command) == 1
        assert "names other controls than the bundle holds back" in capsys.readouterr().err
    table.write_bytes(b"\xff")
    assert main(command) == 1
    assert "is no table" in capsys.readouterr().err

    write("held-back-1", "held-back-0", "held-back-1")
    assert main(command) == 0
    written = read_games(games).games
    wanted = {held[0].text, held[1].text, in_the_forest(tree, 400)}
    assert written.keys() == {("qanta-dan", text_digest(text)) for text in wanted}
