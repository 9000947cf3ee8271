"""The commands, as people and scripts use them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quizwriter.cli import main
from quizwriter.services import App, resources_folder
from quizwriter.store import Store
from quizwriter.workflow.session import WritingSession
from tests.helpers.database import connected

BUTTERFLY = (
    "This opera's humming chorus is sung while Suzuki sleeps. Sharpless reads a letter in this opera. (*) "
    "For 10 points, name this work about Pinkerton and Cio-Cio-San."
)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of its own for every test."""
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def draft(tmp_path):
    path = tmp_path / "draft.txt"
    path.write_text(BUTTERFLY, encoding="utf-8")
    return path


def run_json(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_play_says_everything_in_json(capsys, draft, starter):
    said = run_json(capsys, "play", draft, "--answer", "Madama Butterfly", "--bundle", starter)

    words = len(BUTTERFLY.replace("(*) ", "").split())
    assert said["tossup"] == {"text": BUTTERFLY, "words": words, "power": 16}
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
    assert said["summary"].startswith("IR buzzes at word ")
    assert said["transfer"] == ""  # one player says nothing of others
    evidence = said["evidence"]
    assert evidence["page"] == "Madama_Butterfly"
    total = sum(cue["weight"] for cue in evidence["cues"])
    assert total == pytest.approx(play["rows"][-1][0]["score"], rel=1e-3)
    for passage in evidence["passages"]:
        assert all(0 <= start < end <= len(passage["text"]) for start, end in passage["hits"])


def test_play_reads_standard_input_and_an_answer_line(starter):
    command = [sys.executable, "-m", "quizwriter", "play", "-", "--bundle", str(starter)]
    done = subprocess.run(
        command,
        input=f"{BUTTERFLY}\nANSWER: Madama Butterfly",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Answer: Madama Butterfly" in done.stdout
    assert "IR buzzes at word" in done.stdout
    assert "Evidence for Madama Butterfly" in done.stdout


def test_play_says_that_an_unlisted_answer_cannot_be_guessed(capsys, draft, starter):
    assert main(["play", str(draft), "--answer", "My aunt", "--bundle", str(starter)]) == 0

    said = capsys.readouterr().out
    assert "no machine can guess it" in " ".join(said.split())
    assert "It cannot know your answer" in " ".join(said.split())


def test_an_empty_tossup_is_played_without_complaint(capsys, tmp_path, starter):
    empty = tmp_path / "empty.txt"
    empty.write_text("")

    said = run_json(capsys, "play", empty, "--bundle", starter)

    assert said["plays"][0]["rows"] == []
    assert said["evidence"] is None


def test_evaluate_counts_rows_without_a_page_under_their_label(capsys, tmp_path, starter):
    rows = [
        {"id": "1", "text": BUTTERFLY, "answer": "whatever", "page": "Madama_Butterfly"},
        {"id": "2", "text": BUTTERFLY, "answer": "x", "page": None, "answer_label": "Madama_Butterfly"},
        {"id": "3", "text": BUTTERFLY, "answer": "Nobody", "page": None, "answer_label": "Nobody"},
    ]
    path = tmp_path / "q.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    said = run_json(capsys, "evaluate", "--questions", path, "--bundle", starter)

    figures = said["guessers"]["ir"]
    assert said["questions"] == 3
    assert figures["answerable"] == 2
    assert list(figures["top1"]) == ["10", "25", "50", "75", "90", "100"]
    assert figures["top1"]["100"] == pytest.approx(2 / 3, abs=1e-3)
    assert 0 < figures["expected_wins"] < 1
    assert set(figures["milliseconds"]) == {"p50", "p95"}
    assert (
        run_json(capsys, "evaluate", "--questions", path, "--bundle", starter, "--limit", 1)["questions"] == 1
    )


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


def run_program(command, *, setup="", **environment):
    """What a shell makes of a command, whose standard streams ``setup`` bends."""
    return subprocess.run(
        f"exec {setup}; {shlex.quote(sys.executable)} -m quizwriter {command}",
        shell=True,
        executable="/bin/bash",
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
    )


posix = pytest.mark.skipif(os.name != "posix", reason="There is no such shell.")


@posix
@pytest.mark.parametrize("setup", [">&-", "> >(true)", "<&-", "2>&-"])
def test_a_closed_stream_ends_a_command_quietly(draft, starter, setup):
    done = run_program(f"play {draft} --bundle {starter}", setup=setup)

    assert (done.returncode, done.stderr) == (0, "")


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Only Linux has a device that is always full.")
@pytest.mark.parametrize("form", ["", "--json"])
def test_output_that_finds_no_room_is_said_in_two_lines(draft, starter, form):
    done = run_program(f"play {draft} --bundle {starter} {form}", setup="> /dev/full")

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "The output could not be written (No space left on device).",
        "Make room, or send it elsewhere.",
    ]


@posix
def test_a_terminal_without_our_letters_shows_the_others(draft, starter):
    done = run_program(
        f"play {draft} --answer 'Madama Butterfly' --bundle {starter}", PYTHONIOENCODING="ascii"
    )

    assert done.returncode == 0, done.stderr
    assert "IR buzzes at word" in done.stdout


@posix
def test_ctrl_c_ends_a_command_quietly(starter):
    process = subprocess.Popen(
        [sys.executable, "-m", "quizwriter", "play", "--bundle", str(starter)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"word " * 1_000_000)  # more than a pipe holds: it returns while the command reads
    process.send_signal(signal.SIGINT)

    process.stdin.close()
    assert (process.stderr.read(), process.wait()) == (b"", 130)
    process.stderr.close()


@pytest.mark.parametrize("raw", [b"", b"\x7fELF\0\1\2\xff\n\0\n", b"[]", b'{"text": "short", "answer": "x"}'])
def test_a_file_without_questions_is_refused_in_two_lines(capsys, tmp_path, starter, raw):
    path = tmp_path / "q.jsonl"
    path.write_bytes(raw)

    assert main(["evaluate", "--questions", str(path), "--bundle", str(starter)]) == 1
    said = capsys.readouterr().err
    assert f"There are no answered questions in {path}." in said
    assert len(said.splitlines()) == 2


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


def test_check_replays_every_history(capsys, home, starter):
    store = Store(home / "quizwriter.db")
    session = WritingSession("one")
    for text in ("This", "This opera", "This 🎭 opera"):
        session.type(text)
        store.save(session.take_unsaved())
    store.close()

    assert main(["check", "--bundle", str(starter)]) == 0
    assert "1 history replays, both ways" in capsys.readouterr().out

    store = Store(home / "quizwriter.db")
    with connected(store) as db:
        db.execute("update edit set inserted = 'That' where seq = 1")
    store.close()

    assert main(["check", "--bundle", str(starter)]) == 1
    assert "does not" in capsys.readouterr().out


def test_the_embedded_default_is_there_without_any_bundle(capsys, draft):
    said = run_json(capsys, "play", draft, "--answer", "Madama Butterfly")

    assert said["plays"][0]["rows"][-1][0]["page"] == "Madama_Butterfly"


def test_the_example_that_is_shipped_can_be_guessed():
    app = App()
    tossup = app.tossups.example()

    (player,) = app.engines.load().players
    play = player.play(tossup)

    assert (resources_folder() / "examples.jsonl").is_file()
    assert play.stable_correct is not None
    assert play.buzzes_right


def test_commands_need_neither_qt_nor_what_trains_nor_elasticsearch(draft, starter):
    """The core runs where none of them can even be imported."""
    program = (
        "import sys\n"
        "without = 'PySide6 jax optax scipy sklearn elasticsearch keyring sqlite_utils'\n"
        "for name in without.split():\n"
        "    sys.modules[name] = None\n"
        "from quizwriter.cli import main\n"
        f"sys.exit(main(['play', {str(draft)!r}, '--bundle', {str(starter)!r}, '--json']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plays"]
