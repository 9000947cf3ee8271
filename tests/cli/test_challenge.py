"""``quizwriter export``, ``verify`` and ``retract``: their options. ``tests/challenge`` tests the sets."""

from __future__ import annotations

import pytest

from quizwriter.cli import main


def test_an_unknown_licence_is_refused(capsys, tmp_path):
    assert main(["export", "--out", str(tmp_path / "out"), "--licence", "mine"]) == 1

    problem, remedy = capsys.readouterr().err.splitlines()
    assert "“mine” is not a licence" in problem
    assert "CC BY 4.0" in remedy
    assert not (tmp_path / "out").exists()


def test_a_sheet_that_is_not_there_is_not_made(capsys, tmp_path):
    sheet = tmp_path / "sheet.toml"

    assert main(["export", "--out", str(tmp_path / "out"), "--sheet", str(sheet)]) == 1
    assert f"There is no file {sheet}." in capsys.readouterr().err
    assert not sheet.exists()


@pytest.mark.parametrize("share", ["0", "101", "half"])
def test_only_per_cent_of_the_words_are_a_share(capsys, tmp_path, share):
    with pytest.raises(SystemExit):
        main(["export", "--out", str(tmp_path / "out"), "--until", share])
    assert "must be a whole number from 1 to 100" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["verify"], ["retract", "1", "--reason", "Wrong.", "--out", "new"]])
def test_a_folder_without_a_set_is_said(capsys, tmp_path, command):
    name, *others = command
    assert main([name, str(tmp_path), *others]) == 1
    assert f"There is no challenge set in {tmp_path}" in capsys.readouterr().err
