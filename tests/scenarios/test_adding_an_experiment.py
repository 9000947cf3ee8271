"""An experiment that only this file knows is everywhere where experiments are: it is declared once."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from quizwriter.cli import main
from quizwriter.experiments import column, registry
from quizwriter.experiments.experiment_options import OPTIONS, option_words, source_words
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.registry import Found, Need, Plot, Series, experiment
from quizwriter.gui.background.jobs import Jobs
from quizwriter.gui.dialogs.run_experiment import ExperimentDialog
from quizwriter.gui.theme import Theme
from quizwriter.services.wiring import App

ROOT = Path(__file__).parents[2]


def count_eels(given: ExperimentInputs) -> Found:
    number = sum("eel" in one.tossup.text for one in given.questions)
    bars = [Series("all", ["eels"], [number])]
    return Found([["all", number]], f"Eels are in {number} of {len(given.questions)} questions.", bars)


@pytest.fixture
def eels(monkeypatch):
    monkeypatch.setattr(registry, "_EXPERIMENTS", dict(registry.experiments()))
    experiment(
        "eels", title="Eels", asks="Any eels?", source="made up",
        columns=(column.text("questions"), column.count("eels")),
        plot=Plot.bars("questions", shares=False), needs=(Need.QUESTIONS,), options=("by", "fit"),
    )(count_eels)  # fmt: skip


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "two questions.jsonl"
    texts = ("This king sold eels. Name him.", "This king sold cod. Name him.")
    rows = [{"text": text, "answer": "Knut"} for text in texts]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_the_command_lists_it_runs_it_and_writes_its_files(eels, questions, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    assert main(["experiment"]) == 0
    assert "Any eels?" in " ".join(capsys.readouterr().out.split())

    out = tmp_path / "out"
    assert main(["experiment", "eels", "--questions", str(questions), "--fit", "--out", str(out)]) == 0
    assert "Eels are in 1 of 2 questions." in capsys.readouterr().out
    written = json.loads((out / "eels.json").read_text(encoding="utf-8"))
    assert written["rows"] == [["all", 1]]
    assert written["command"].endswith("eels --questions 'two questions.jsonl' --fit yes --seed 1")
    assert (out / "eels.svg").exists()


def test_the_window_runs_it_and_explains_its_options(eels, questions, tmp_path, qtbot, qapp):
    app, jobs = App(tmp_path / "home"), Jobs("test")
    theme = Theme(qapp, scheme="light", draft_font="", draft_size_px=16)
    dialog = ExperimentDialog(app, theme, jobs, lambda: None, name="eels")
    assert dialog.asks.text() == "Any eels?"
    assert dialog.options.placeholderText() == "by=…, fit"
    assert f"fit: {OPTIONS['fit'].help}." in dialog.options.toolTip()

    dialog.questions.setText(str(questions))
    dialog.options.setText("fit")
    dialog.run_button.click()
    qtbot.waitUntil(lambda: not dialog.busy)
    assert dialog.sentence.text() == "Eels are in 1 of 2 questions."
    dialog.save(tmp_path / "out")
    qtbot.waitUntil(lambda: not dialog.busy)
    written = json.loads((tmp_path / "out" / "eels.json").read_text(encoding="utf-8"))
    assert written["command"] == "quizwriter experiment eels --questions 'two questions.jsonl' --fit yes"
    dialog.done(0)
    jobs.stop()
    app.store.close()


def test_the_page_on_experiments_lists_it(eels):
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("tables", ROOT / "docs/extensions/tables.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    assert "Any eels?" in tables.Experiments.run(None)[0].astext()


def test_an_option_that_nobody_declared_is_noticed_at_once(eels):
    with pytest.raises(AssertionError, match="experiment_options"):
        experiment("eels", title="", asks="", source="", columns=(), options=("slime",))(count_eels)


def test_a_command_that_is_released_names_files_without_their_folders(tmp_path):
    path = str(tmp_path / "games.jsonl")
    Path(path).touch()
    assert option_words({"recorded": path, "by": "difficulty"}) == [
        "--recorded", "games.jsonl", "--by", "difficulty",
    ]  # fmt: skip
    assert source_words({"questions": path, "buzzes": "", "against": "held-back"}) == [
        "--questions", "games.jsonl", "--against", "held-back",
    ]  # fmt: skip
