"""``quizwriter judge``: one verdict for one answer, or one a line for a file of cases."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from quizwriter.cli import main

LINE = "<b><u>Elizabeth I</u></b> [prompt on <u>Elizabeth</u> by asking “which one?”; reject “Elizabeth II”]"


@pytest.mark.parametrize(
    ("typed", "verdict", "ask", "clause"),
    [
        ("Elizabeth the First", "accept", None, "main"),
        ("Elizabeth", "prompt", "which one?", "prompt"),
        ("Elizabeth II", "reject", None, "reject"),
        ("Victoria", "reject", None, None),
    ],
)
def test_a_verdict_as_json(capsys, typed, verdict, ask, clause):
    assert main(["judge", LINE, typed, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["ask"], found["clause"]) == (verdict, ask, clause)


def test_a_verdict_as_a_sentence(capsys):
    assert main(["judge", LINE, "Elizabeth"]) == 0
    assert capsys.readouterr().out == "prompt: The line prompts on it. (Elizabeth) Ask: which one?\n"


def test_what_was_heard_counts(capsys):
    assert main(["judge", "a [accept b until “c” is read]", "b", "--heard", "the c", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "reject"


@pytest.mark.parametrize(
    "fields", [("answerline", "given"), ("answer_line", "typed"), ("line", "guess"), ("answer", "response")]
)
def test_a_file_of_cases_gives_one_verdict_a_line(tmp_path, capsys, fields):
    path = tmp_path / "cases.jsonl"
    cases = [(LINE, "elizabeth i"), ("", "nothing"), (LINE, "Elizabeth")]
    path.write_text(
        "\n".join(json.dumps(dict(zip(fields, case, strict=True))) for case in cases) + "\n\n",
        encoding="utf-8",
    )
    assert main(["judge", "--cases", str(path)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["verdict"] for one in found] == ["accept", "reject", "prompt"]


def test_a_case_that_is_none_is_told_and_the_others_are_judged(monkeypatch, capsys):
    raw = b'{"answerline": "a", "given": "a"}\nnonsense\n{"given": "a"}\n{"answerline": [], "given": "a"}\n'
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
    assert main(["judge", "--cases", "-"]) == 1
    first, *others = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert first["verdict"] == "accept"
    assert [(one["verdict"], one["error"].split(":")[0]) for one in others] == [
        (None, "line 2"), (None, "line 3"), (None, "line 4")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [[], ["a"], ["a", "b", "--cases", "x"], ["--cases", "no such file"]],
)
def test_wrong_arguments_are_told(capsys, arguments):
    assert main(["judge", *arguments]) == 1
    printed = capsys.readouterr()
    assert (printed.out, len(printed.err.splitlines())) == ("", 2)
