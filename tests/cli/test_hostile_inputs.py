"""The commands of the desk with inputs that nobody means: each works or says what is wrong."""

from __future__ import annotations

import json
import os

import pytest

from quizwriter.cli import main
from tests.helpers.stock_bundle import stock_bundle

HOSTILE = {
    "empty": b"",
    "blank": b" \n\t\n",
    "controls": bytes(range(1, 32)) + b"\x7f\x1b[2Jsay",
    "nul": b"A text\x00with NUL.\nANSWER: Emma",
    "right to left": "\u202eA text \u200f\u2067turned.\u2069\nANSWER: \u202eEmma".encode(),
    "lone marks": "\u0301\u0301 \ufeff\u200b\u2028\ufffe\nANSWER: \u0301".encode(),
    "one long line": b"word " * 24_000,
    "one long word": b"w" * 200_000,
    "brackets": b"([{<" * 20_000 + b"\nANSWER: " + b"[(" * 20_000,
    "answers": b"ANSWER: x\n" * 1_000,
    "binary": bytes(range(256)) * 40,
    "utf-16": "A text.\nANSWER: Emma".encode("utf-16"),
    "surrogates": b"\xed\xa0\x80\xed\xb0\x80",
    "deep json": b'{"text":' + b"[" * 50_000,
    "zip": b"PK\x03\x04" + bytes(2_000),
}

SHORT = [name for name, content in HOSTILE.items() if len(content) < 100_000]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return stock_bundle(tmp_path_factory.mktemp("stock"))[0]


def says(capsys, *arguments):
    """The exit status of a command, and what it says of its trouble: at most a problem and a remedy."""
    try:
        status = main([str(one) for one in arguments])
    except SystemExit as stopped:  # argparse refuses arguments so
        status = stopped.code
    printed = capsys.readouterr()
    assert status in {0, 1, 2}, printed.err
    assert "Traceback" not in printed.err + printed.out
    if status == 1:
        assert 1 <= len(printed.err.strip().splitlines()) <= 2, printed.err
        assert len(printed.err) < 2_000
    return status, printed


FILES = [(name, "txt") for name in HOSTILE]
FILES += [(name, ending) for name in SHORT for ending in ("jsonl", "docx", "json")]


@pytest.mark.parametrize(("name", "ending"), FILES)
def test_files(name, ending, bundle, tmp_path, capsys):
    path = tmp_path / f"hostile.{ending}"
    path.write_bytes(HOSTILE[name])

    says(capsys, "problems", path)
    says(capsys, "stock", path, "--bundle", bundle)
    if ending == "txt":
        says(capsys, "past", "Ida Frost", "--draft", path, "--bundle", bundle)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize(
    "arguments",
    [
        ("judge", "--cases"),
        ("past", "Ida Frost", "--draft"),
        ("play",),
        ("problems",),
        ("bench", "--compare"),
    ],
)
def test_a_pipe_without_a_writer_is_not_waited_for(arguments, bundle, tmp_path, capsys):
    options = () if arguments[0] in {"judge", "problems"} else ("--bundle", bundle)
    for ending in ("txt", "docx", "jsonl"):
        path = tmp_path / f"pipe.{ending}"
        os.mkfifo(path)

        status, printed = says(capsys, *arguments, path, *options)

        assert status == 1
        assert "it is not a regular file" in printed.err


@pytest.mark.parametrize("name", HOSTILE)
def test_cases_of_the_judge(name, tmp_path, capsys):
    path = tmp_path / "cases.jsonl"
    path.write_bytes(HOSTILE[name])
    main(["judge", "--cases", str(path)])
    verdicts = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(one["verdict"] is None and one["error"] for one in verdicts)

    text = HOSTILE[name].decode("utf-8", "replace")
    path.write_text(json.dumps({"answerline": text, "given": text}), encoding="utf-8")
    long = len(text) > 100_000
    assert main(["judge", "--cases", str(path)]) == long
    (verdict,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert verdict["verdict"] in ({None} if long else {"accept", "prompt", "reject"})


@pytest.mark.parametrize("name", SHORT)
def test_words_of_the_command_line(name, bundle, capsys):
    words = HOSTILE[name].decode("utf-8", "surrogateescape")[:2_000]
    for arguments in (
        ("judge", words, words),
        ("judge", "Emma", words),
        ("past", words, "--bundle", bundle),
        ("past", words, "--bundle", bundle, "--json"),
        ("search", words, "--bundle", bundle),
        ("search", words, words, "--bundle", bundle, "--json"),
    ):
        if "\0" not in words and not words.startswith("-"):  # no shell can pass these
            says(capsys, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("judge",),
        ("judge", "Emma"),
        ("judge", "--cases", "missing.jsonl"),
        ("judge", "--cases", "."),
        ("problems",),
        ("problems", "missing.txt"),
        ("problems", "."),
        ("problems", "missing.docx"),
        ("problems", "--id", "\u202enobody"),
        ("stock", "missing.txt"),
        ("stock", "."),
        ("past", "Ida Frost", "--draft", "."),
        ("past", "Ida Frost", "--bundle", "missing"),
        ("search", "boat", "--bundle", "."),
    ],
)
def test_what_is_missing_is_said(arguments, tmp_path, monkeypatch, bundle, capsys):
    monkeypatch.chdir(tmp_path)
    if arguments[0] in {"stock", "past"} and "--bundle" not in arguments:
        arguments = (*arguments, "--bundle", bundle)
    status, printed = says(capsys, *arguments)
    assert status == 1
    assert printed.out == ""
