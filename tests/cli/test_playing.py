"""``quizwriter play`` and ``quizwriter evaluate``."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from quizwriter.cli import main
from quizwriter.services.tossups import example_tossup
from quizwriter.services.wiring import App
from quizwriter.system.resource_files import resources_folder


def test_play_says_everything_in_json(command, draft, starter):
    said = command("play", draft, "--answer", "Madama Butterfly", "--bundle", starter)

    text = draft.read_text(encoding="utf-8")
    words = len(text.replace("(*) ", "").split())
    assert said["tossup"] == {"text": text, "words": words, "power": 16}
    (play,) = said["plays"]
    assert play["guesser"] == "ir"
    assert play["heard"] == list(range(1, words + 1))
    assert len(play["rows"]) == words
    assert play["rows"][-1][0]["page"] == "Madama_Butterfly"
    assert set(play["rows"][-1][0]) == {"page", "score"}
    assert 1 <= play["first_correct"] <= play["stable_correct"] <= words
    assert set(play["buzz"]) == {"heard", "page", "confidence"}
    assert play["milliseconds"] > 0
    assert len(play["chances"]) == words
    assert all(0 <= chance <= 1 for chance in play["chances"])
    assert said["summary"].startswith("IR buzzes at ")
    assert said["transfer"] == ""  # one player says nothing of others
    evidence = said["evidence"]
    assert evidence["page"] == "Madama_Butterfly"
    total = sum(cue["weight"] for cue in evidence["cues"])
    assert total == pytest.approx(play["rows"][-1][0]["score"], rel=1e-3)
    for passage in evidence["passages"]:
        assert all(0 <= start < end <= len(passage["text"]) for start, end in passage["hits"])


def test_play_says_that_an_unlisted_answer_cannot_be_guessed(capsys, draft, starter):
    assert main(["play", str(draft), "--answer", "My aunt", "--bundle", str(starter)]) == 0

    said = capsys.readouterr().out
    assert "no player can guess it" in " ".join(said.split())
    assert "It cannot know your answer" in " ".join(said.split())


def test_an_empty_tossup_is_played_without_complaint(command, tmp_path, starter):
    empty = tmp_path / "empty.txt"
    empty.write_text("")

    said = command("play", empty, "--bundle", starter)

    assert said["plays"][0]["rows"] == []
    assert said["evidence"] is None


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"text\0with NUL", "NUL bytes"), (b"\xff\xfe\x00", "not a UTF-8 text"), (None, "cannot be read")],
)
def test_a_file_that_is_no_text_is_refused_in_two_lines(capsys, tmp_path, starter, content, complaint):
    path = tmp_path / "draft.txt"
    if content is not None:
        path.write_bytes(content)

    assert main(["play", str(path), "--bundle", str(starter)]) == 1

    said = capsys.readouterr().err
    assert complaint in said
    assert len(said.splitlines()) == 2


def test_the_embedded_default_is_there_without_any_bundle(command, draft):
    said = command("play", draft, "--answer", "Madama Butterfly")

    assert said["plays"][0]["rows"][-1][0]["page"] == "Madama_Butterfly"


def test_the_example_that_is_shipped_can_be_guessed():
    app = App()
    tossup = example_tossup()

    plays = {player.name: player.play(tossup) for player in app.engines.load().players}

    assert (resources_folder() / "examples.jsonl").is_file()
    assert list(plays) == ["ir", "dan", "rnn", "ensemble"]
    assert all(play.knows_answer for play in plays.values())
    assert plays["ir"].buzzes_right
    assert plays["ensemble"].buzzes_right


def test_play_reads_an_answer_line_and_needs_neither_qt_nor_what_trains_nor_elasticsearch(draft, starter):
    """The core runs where none of them can even be imported."""
    program = (
        "import sys\n"
        "without = 'PySide6 torch scipy sklearn elasticsearch keyring sqlite_utils'\n"
        "for name in without.split():\n"
        "    sys.modules[name] = None\n"
        "from quizwriter.cli import main\n"
        f"sys.exit(main(['play', '-', '--bundle', {str(starter)!r}]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=f"{draft.read_text(encoding='utf-8')}\nANSWER: Madama Butterfly",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Answer: Madama Butterfly" in done.stdout
    assert "IR buzzes at " in done.stdout
    assert "Evidence for Madama Butterfly" in done.stdout


def test_evaluate_counts_rows_without_a_page_under_their_label(command, draft, tmp_path, starter):
    text = draft.read_text(encoding="utf-8")
    rows = [
        {"id": "1", "text": text, "answer": "whatever", "page": "Madama_Butterfly"},
        {"id": "2", "text": text, "answer": "x", "page": None, "answer_label": "Madama_Butterfly"},
        {"id": "3", "text": text, "answer": "Nobody", "page": None, "answer_label": "Nobody"},
    ]
    path = tmp_path / "q.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    said = command("evaluate", "--questions", path, "--bundle", starter)

    figures = said["guessers"]["ir"]
    assert said["questions"] == 3
    assert figures["answerable"] == 2
    assert list(figures["top1"]) == ["10", "25", "50", "75", "90", "100"]
    assert figures["top1"]["100"] == pytest.approx(2 / 3, abs=1e-3)
    assert 0 < figures["expected_wins"] < 1
    assert set(figures["milliseconds"]) == {"p50", "p95"}
    assert command("evaluate", "--questions", path, "--bundle", starter, "--limit", 1)["questions"] == 1


@pytest.mark.parametrize("raw", [b"", b"\x7fELF\0\1\2\xff\n\0\n", b"[]", b'{"text": "short", "answer": "x"}'])
def test_a_file_without_questions_is_refused_in_two_lines(capsys, tmp_path, starter, raw):
    path = tmp_path / "q.jsonl"
    path.write_bytes(raw)

    assert main(["evaluate", "--questions", str(path), "--bundle", str(starter)]) == 1
    said = capsys.readouterr().err
    assert f"There are no answered questions in {path}." in said
    assert len(said.splitlines()) == 2


def test_evaluate_prints_a_table_without_json(capsys, draft, tmp_path, starter):
    path = tmp_path / "q.jsonl"
    text = draft.read_text(encoding="utf-8")
    rows = [{"qanta_id": one, "text": text, "answer": "x", "page": "Madama_Butterfly"} for one in (1, 2)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (tmp_path / "retracted.json").write_text('[{"qanta_id": 1}]')

    assert main(["evaluate", "--questions", str(path), "--bundle", str(starter)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("1 question. ")
    assert "1 row left out: withdrawn from its challenge set. It is row 1." in err
    assert re.search(r"right after 100 % +│ 1\.000", out)


def test_evaluate_prints_the_end_for_no_question_that_a_player_cannot_know(capsys, draft, tmp_path, starter):
    path = tmp_path / "q.jsonl"
    text = draft.read_text(encoding="utf-8")
    rows = [
        {"id": name, "text": text, "answer": "x", "page": name} for name in ("Madama_Butterfly", "Nobody")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    assert main(["evaluate", "--questions", str(path), "--bundle", str(starter)]) == 0
    table = dict(re.findall(r"│ ([^│]+?) +│ ([^│ ]+)", capsys.readouterr().out))
    assert table["questions it can know"] == "1"
    assert table["the same, 1 where never right"] == table["first right, share of the words"]


def test_only_a_count_of_questions_is_a_limit(capsys, tmp_path):
    for limit in ("0", "-3", "many"):
        with pytest.raises(SystemExit):
            main(["evaluate", "--questions", str(tmp_path / "q.jsonl"), "--limit", limit])
        assert "must be a whole number from 1" in capsys.readouterr().err
