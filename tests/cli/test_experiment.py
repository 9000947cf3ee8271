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
    (tmp_path / "set.jsonl").touch()
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


def test_the_command_of_a_report_names_sets_and_tossups_as_they_are(tmp_path):
    words = ["experiment", "tags", "--questions", "Winter / Open", "--buzzes", str(tmp_path)]
    assert _command(parser_of_all().parse_args(words), {}) == (
        f"quizwriter experiment tags --questions 'Winter / Open' --buzzes {tmp_path.name} --seed 1"
    )
    words = ["experiment", "tags", "--tossups", "one,two"]
    assert _command(parser_of_all().parse_args(words), {}).endswith(" tags --tossups one,two --seed 1")


def test_out_is_refused_before_the_run_where_it_would_replace_what_is_not_ours(tmp_path, capsys, buzzes):
    own = tmp_path / "own"
    own.mkdir()
    (own / "README.md").write_text("# My thesis\n")
    odd = tmp_path / "odd"
    odd.mkdir()
    (odd / "CITATION.cff").mkdir()
    for out, said in (
        (own, f"{own} has a README.md that no experiment wrote."),
        (odd, f"{odd} has a CITATION.cff that no experiment wrote."),
        (buzzes, f"{buzzes} is a file."),
        (buzzes / "deep", f"{buzzes} is a file."),
    ):
        assert main(["experiment", "people", "--buzzes", "missing", "--out", str(out)]) == 1
        assert said in capsys.readouterr().err
    assert [path.name for path in own.iterdir()] == ["README.md"]
    assert (own / "README.md").read_text() == "# My thesis\n"


def test_questions_and_tossups_are_not_named_at_once(capsys):
    assert main(["experiment", "tags", "--questions", "Spring", "--tossups", "one"]) == 1
    assert "Both --questions and --tossups were given." in capsys.readouterr().err
