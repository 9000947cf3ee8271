"""A player that is declared once is trained, played, coloured, worded and explained everywhere."""

from __future__ import annotations

import shutil

import pytest
from PySide6.QtWidgets import QLabel

from index_builder.__main__ import main
from index_builder.progress import Progress
from index_builder.training.dan import TRAINING as OF_DAN
from index_builder.training.dan import DanLearner
from index_builder.training.learner import NetworkTraining
from index_builder.training.trainer import train
from quizwriter.domain.players import NUMBERS, PLAYERS, PlayerKind, usual_training
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.dan import Dan
from quizwriter.engine.engine import load
from quizwriter.gui.dialogs.players import PlayersDialog
from quizwriter.gui.theme import Theme
from quizwriter.workflow.wording import player_name, player_title
from tests.helpers.forest import in_the_forest

NAME, ABOUT = "median", "Median is made up: it thinks as DAN does."


class Median(Dan):
    """DAN by another name."""


def _learner(task):
    learner = DanLearner(task.training_set, task.plan, device=task.device)
    learner.name = NAME
    return learner


TRAINING = NetworkTraining(OF_DAN.schedule, _learner)


@pytest.fixture
def median(monkeypatch):
    """The made-up player, declared: the one thing that is done for it."""
    kind = PlayerKind(
        name=NAME, title="Median", phrase="the median", number=NUMBERS - 1, about=ABOUT,
        guesser=f"{__name__}:Median", training=f"{__name__}:TRAINING", trained_unless_named=True,
    )  # fmt: skip
    monkeypatch.setitem(PLAYERS, NAME, kind)
    return kind


def test_a_declared_player_is_trained_and_plays(median, bare_forest, small_and_quick, tmp_path):
    folder = shutil.copytree(bare_forest, tmp_path / "forest")
    with small_and_quick():
        report = train(folder, (NAME,), Progress())
    found = {player.name: player for player in load(folder).players}
    play = found[NAME].play(Tossup(in_the_forest("Elm", 3)))

    assert report[NAME]["steps"] > 0
    assert list(found) == ["ir", NAME]
    assert type(found[NAME].guesser).__name__ == "Median"
    assert play.guesser == NAME
    assert play.final


def test_commands_and_sentences_know_it(median, capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])

    assert NAME in usual_training()
    assert f"birnn, {NAME}" in " ".join(capsys.readouterr().out.split())
    assert (player_title(NAME), player_name(NAME)) == ("Median", "the median")


def test_windows_show_its_colour_and_its_prose(median, qtbot, qapp):
    theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=18)
    dialog = PlayersDialog(theme, {NAME}, None)
    qtbot.addWidget(dialog)
    texts = [label.text() for label in dialog.findChildren(QLabel)]

    assert theme.tokens.player(NAME) not in {theme.tokens.player(name) for name in PLAYERS if name != NAME}
    assert texts.index("Median") < texts.index(ABOUT) < texts.index("IR, which is off")
