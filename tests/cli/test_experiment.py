"""``quizwriter experiment``."""

from __future__ import annotations

import json

import pytest

from quizwriter.cli import main
from quizwriter.cli.experiment import _command
from quizwriter.cli.parser import parser_of_all

BUZZ = {"bq": "q1", "game": "g", "pos": 4, "n_words": 10, "correct": True, "value": 10}


@pytest.fixture
def buzzes(tmp_path):
    path = tmp_path / "buzzes.jsonl"
    path.write_text("\n".join(json.dumps(BUZZ | {"game": f"g{at}", "pos": at}) for at in range(8)))
    return path


def test_without_a_name_all_experiments_are_listed_with_what_they_ask(command, capsys):
    found = {one["name"]: one for one in command("experiment")}

    assert found["people"]["needs"] == ["buzzes"]
    assert found["published"]["needs"] == []
    assert all(one["asks"].endswith("?") for one in found.values())
    assert main(["experiment"]) == 0
    assert "Do people buzz earlier" in " ".join(capsys.readouterr().out.split())


def test_an_experiment_writes_its_files_and_prints_one_table_and_one_sentence(tmp_path, capsys, buzzes):
    out = tmp_path / "out"

    assert main(["experiment", "people", "--buzzes", str(buzzes), "--out", str(out)]) == 0

    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith("People are right in 100.0 % of 8 buzzes")
    assert sorted(path.name for path in out.iterdir()) == [
        "CITATION.cff", "README.md", "people.csv", "people.json", "people.png", "people.svg",
    ]  # fmt: skip
    report = json.loads((out / "people.json").read_text())
    assert report["command"] == "quizwriter experiment people --buzzes buzzes.jsonl --seed 1"
    assert report["inputs"][0]["number"] == 8
    assert len(report["inputs"][0]["sha256"]) == 64


def test_the_command_of_a_report_names_the_server_that_played(tmp_path):
    words = ["experiment", "curves", "--questions", str(tmp_path / "set.jsonl"), "--players", "elasticsearch"]
    server = ["--elasticsearch", "http://lab:9200", "--index", "wiki", "--fields", "title,text"]

    arguments = parser_of_all().parse_args([*words, *server, "--ca", str(tmp_path / "ca.crt")])

    assert _command(arguments, {}) == (
        "quizwriter experiment curves --questions set.jsonl --players elasticsearch "
        "--elasticsearch http://lab:9200 --index wiki --fields title,text --seed 1"
    )


def test_the_command_of_a_report_holds_no_password():
    server = "http://ada:sword@fish@lab:9200,http://ada:pass@lab2:9200"
    arguments = parser_of_all().parse_args(["experiment", "people", "--elasticsearch", server])

    assert "--elasticsearch http://lab:9200,http://lab2:9200 " in _command(arguments, {})


def test_json_is_the_report(command, buzzes):
    said = command("experiment", "people", "--buzzes", buzzes, "--seed", "7")

    assert said["seed"] == 7
    assert said["rows"][0][:4] == ["all", 1, 8, 8]
    assert said["columns"][4:8] == ["right", "right low", "right high", "right n"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nothing"], "There is no experiment “nothing”."),
        (["people"], "This experiment needs a file of buzzes."),
        (["people", "--buzzes", "missing.jsonl"], "missing.jsonl cannot be read"),
        (["published", "--by", "set"], "The experiment published has no option --by."),
    ],
)
def test_bad_input_is_a_sentence(capsys, arguments, problem):
    assert main(["experiment", *arguments]) == 1

    said = capsys.readouterr()
    assert problem in said.err
    assert said.out == ""
