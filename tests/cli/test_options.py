"""What the commands share: how they find the bundle, the database and the settings."""

from __future__ import annotations

import os

import pytest

from quizwriter.cli import main


def test_a_file_where_the_home_should_be_is_said_in_two_lines(capsys, home, draft):
    home.write_text("in the way")

    assert main(["play", str(draft)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_settings_that_make_no_sense_are_said_unless_the_bundle_is_named(capsys, home, draft, starter):
    home.mkdir()
    (home / "settings.toml").write_text("colour = 3")

    assert main(["play", str(draft)]) == 1
    assert "colour = 3 makes no sense" in capsys.readouterr().err
    assert main(["play", str(draft), "--bundle", str(starter)]) == 0


def test_a_missing_bundle_is_said_in_two_lines(capsys, tmp_path):
    assert main(["check", "--bundle", str(tmp_path / "nowhere")]) == 1

    said = capsys.readouterr().err
    assert "There is no bundle in" in said
    assert len(said.splitlines()) == 2


def test_an_unknown_author_is_said(capsys, made):
    assert main(["list", "--author", "Nobody"]) == 1
    assert "Nobody here is called Nobody." in capsys.readouterr().err


def test_a_mistyped_database_is_no_new_one(capsys, tmp_path):
    missing = tmp_path / "typo" / "quizwriter.db"
    for words in (["list"], ["figures", "--json"], ["log"], ["backup", "list"], ["backup", "make"]):
        assert main([*words, "--store", str(missing)]) == 1
        problem, remedy = capsys.readouterr().err.splitlines()
        assert problem == f"There is no database {missing}."
        assert "import and merge make a new database" in remedy
    assert not missing.parent.exists()


def test_an_import_may_make_the_database_that_it_fills(command, tmp_path):
    new, file = tmp_path / "new" / "own.db", tmp_path / "q.jsonl"
    file.write_text('{"text": "This very deep lake freezes every winter.", "answer": "Lake Baikal"}')
    added = command("import", file, "--store", new, "--bundle", tmp_path / "none")["added"]
    assert [one["id"] for one in command("list", "--store", new)] == added

    backup = command("backup", "make", "--store", new)["file"]
    new.unlink()  # lost, and there are backups of it
    assert [one["file"] for one in command("backup", "list", "--store", new)] == [backup]
    command("backup", "restore", "--store", new)
    assert [one["id"] for one in command("list", "--store", new)] == added


@pytest.mark.parametrize("words", [["list"], ["figures"], ["log"], ["sources"]])
def test_a_set_that_is_not_there_is_said(capsys, made, words):
    assert main([*words, "--in-set", "Nowhere"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "There is no set “Nowhere”.",
        "Name a set that has tossups.",
    ]
    assert main([*words, "--in-set", ""]) == 0


def test_the_log_of_a_tossup_that_is_not_there_is_no_empty_one(capsys, made):
    assert main(["log", made[0], "--text", "no such word"]) == 0
    assert main(["log", made[0], "nosuchid"]) == 1
    assert "That tossup is not in the database.\nPick another from" in capsys.readouterr().err


def test_who_has_no_name_yet_is_told_how_to_give_one(capsys):
    assert main(["people", "merge", "Ada", "Ben"]) == 1
    assert "quizwriter profile --name." in capsys.readouterr().err


def test_the_server_is_named_before_what_describes_it(capsys, draft, starter):
    assert main(["play", str(draft), "--bundle", str(starter), "--index", "quiz"]) == 1

    problem, remedy = capsys.readouterr().err.splitlines()
    assert "no server is named" in problem
    assert "--elasticsearch" in remedy


@pytest.mark.parametrize("fields", ["title", "a,b,c", "title text", "*,text", ","])
def test_the_fields_of_an_index_are_two(capsys, draft, starter, fields):
    server = ["--elasticsearch", "http://127.0.0.1:9", "--fields", fields]
    assert main(["play", str(draft), "--bundle", str(starter), *server]) == 1
    assert "does not name two fields" in capsys.readouterr().err


def test_a_bundle_may_be_named_before_the_command(capsys, tmp_path):
    assert main(["--bundle", str(tmp_path / "nowhere"), "check"]) == 1
    assert f"There is no bundle in {tmp_path / 'nowhere'}" in capsys.readouterr().err


def test_a_date_is_checked(capsys):
    for date in ("soon", "0001-01-01"):
        with pytest.raises(SystemExit):
            main(["list", "--since", date])
        assert "must be a date like 2031-10-04" in capsys.readouterr().err


@pytest.mark.parametrize(
    "given",
    [
        ("list", "--text", "a\udcffb"),
        ("list", "--category", "a\udcffb"),
        ("history", "a\udcffb"),
        ("profile", "--name", "a\udcffb"),
        ("problems", "--id", "a\udcffb"),
        ("figures", "--in-set", "a\udcffb"),
        ("list", "--min-words", "9" * 30),
        ("list", "--max-words", "9" * 30),
        ("list", "--since", "2024-W01-1"),
        ("list", "--since", "1" * 5_000),
        ("train", "--minutes", "nan"),
        ("train", "--seed", "-1"),
    ],
)
def test_what_is_no_text_or_no_such_number_is_refused(capsys, home, given):
    with pytest.raises(SystemExit):
        main(list(given))
    assert f"{given[0]}: error: argument" in capsys.readouterr().err
    assert not home.exists()


def test_a_file_may_have_a_name_that_is_no_text(capsys, tmp_path, starter):
    path = tmp_path / "a\udcffb.txt"
    path.write_text("A colony of ants.", encoding="utf-8")
    assert main(["play", str(path), "--bundle", str(starter)]) == 0


@pytest.mark.parametrize("command", [["problems"], ["stock"], ["past", "Ida Frost", "--draft"]])
def test_of_an_endless_draft_no_more_is_read_than_a_draft_may_have(capsys, home, command, tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte that takes no room
    assert main([*command, str(path)]) == 1
    assert f"{path} has more than 8 MB." in capsys.readouterr().err


NOWHERE = {"long": "n" * 300, "deep": "d/" * 3_000, "empty": ""}
"""Names that no file can have."""


@pytest.mark.parametrize("name", NOWHERE)
@pytest.mark.parametrize(
    "given",
    [
        ("pack",),
        ("packet", "--out"),
        ("sources", "--output"),
        ("rescue", "old.db", "--to"),
        ("backup", "restore"),
        ("check", "--bundle"),
        ("experiment", "shape", "--questions"),
        ("playtest", "receive"),
    ],
)
def test_a_name_that_no_file_can_have_is_said(capsys, home, tmp_path, monkeypatch, given, name):
    monkeypatch.chdir(tmp_path)
    main([*given, NOWHERE[name]])
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 or given[0] in {"check", "experiment"}, said
    assert "Errno" not in said[0]


@pytest.mark.parametrize("command", [["import"], ["buzzes", "fit"], ["rescue", "--to", "new.db"]])
def test_a_pipe_is_not_waited_for(capsys, home, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    assert main([*command, "pipe"]) == 1
    assert "cannot be read (it is not a regular file)" in capsys.readouterr().err
