"""The command line of the builder."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from index_builder.__main__ import main
from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index import elastic_publisher
from index_builder.progress import Progress
from quizwriter.domain.review import PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.engine.engine import load
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.helpers.http_servers import Files, Wiki
from tests.helpers.json_lines import write_lines


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="/proc tells that the builder reads")
def test_ctrl_c_on_the_command_line_is_quiet(tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"id": "1"}\n' * 1_000_000)  # some seconds of reading
    command = [
        sys.executable,
        "-m",
        "index_builder",
        "build",
        "--questions",
        str(questions),
        "--out",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        while process.poll() is None and not _reads(process.pid, questions):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "Stopped; nothing was published" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()


def _reads(pid, path):
    with suppress(FileNotFoundError):  # a file that was closed meanwhile
        return any(one.resolve() == path for one in Path(f"/proc/{pid}/fd").iterdir())
    return False


def test_nothing_to_index_is_said_in_a_sentence(tmp_path, capsys):
    path = write_lines(tmp_path / "q.jsonl", [{"id": "1"}])

    assert main(["build", "--questions", str(path), "--out", str(tmp_path / "out")]) == 1

    said = capsys.readouterr().err
    assert (
        "None of the rows can be used (most of them: text missing or too short), so there is nothing" in said
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.logs("has failed for", always=False)  # of the client
def test_the_command_wants_files_or_a_bundle(capsys, starter):
    assert main(["publish", "--to", "http://127.0.0.1:9", "--index", "x"]) == 1
    assert "either files" in capsys.readouterr().err
    assert main(["publish", "--to", "http://127.0.0.1:9", "--index", "x", "--bundle", str(starter)]) == 1
    assert "cannot be reached" in capsys.readouterr().err


def test_what_never_leaves_this_machine_is_not_published_either(capsys, starter, tmp_path, monkeypatch):
    text = "A child named Sorrow watches the harbour of Nagasaki in this work of three acts by Puccini."
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    published = []
    monkeypatch.setattr(
        elastic_publisher,
        "publish_index",
        lambda *_, barred, **options: (
            published.append(barred) or elastic_publisher.Publication("x", 1, 1, 1, 0)
        ),
    )
    command = ["publish", "--to", "http://127.0.0.1:9", "--index", "x", "--bundle", str(starter)]

    assert main(command) == 0
    assert not (tmp_path / "home").exists(), "no database is made for it"
    with App(tmp_path / "home", bundle=starter) as app:
        app.store.save(PendingSave.begun("one", text, Answer("Madama Butterfly"), 1, "ada"))
        app.review.record(["one"], PutInSet("Winter"))
        assert main(command) == 0
        app.models.bar("Winter")
    assert main(command) == 0

    never, not_yet, barred = published
    assert never is None
    assert not_yet is None
    assert not barred.may_send(f"Another beginning. {text.upper()}")
    assert barred.may_send("Another text entirely.")
    assert barred.digest
    assert capsys.readouterr().out.count("are left out: Winter.") == 1


def test_the_commands_fetch_and_say_what_it_may_be_used_for(tmp_path, capsys):
    rows = [{"id": "1", "text": "red fox jumps over lazy dogs near rivers", "page": "Fox"}]
    questions = write_lines(tmp_path / "q.jsonl", rows)
    build(Inputs((questions,), everything=True), tmp_path / "few", "Few", Progress())
    command = ["fetch", "wikipedia", "--titles-from", str(tmp_path / "few"), "--out", str(tmp_path / "s")]

    with Wiki({"Fox": "Foxes are small canids."}).running() as wiki:
        assert main([*command, "--api", wiki.url]) == 0
    assert "ShareAlike" in capsys.readouterr().out

    wrong = ["fetch", "qanta", "--out", str(tmp_path / "s"), "--mirror"]
    with Files(b"not these questions").running() as files:
        assert main([*wrong, files.url]) == 1
    assert "checksum is wrong" in capsys.readouterr().err


def test_training_prints_its_report_as_json_and_nothing_else(bare_forest, tmp_path, capsys, small_and_quick):
    bundle = shutil.copytree(bare_forest, tmp_path / "forest")

    with small_and_quick():
        assert main(["train", "--bundle", str(bundle), "--players", "dan"]) == 0

    assert json.loads(capsys.readouterr().out)["dan"]["tossups"] > 0
    assert [player.name for player in load(bundle).players] == ["ir", "dan"]


def test_packets_are_added_listed_and_removed(bare_forest, tmp_path, capsys):
    bundle = shutil.copytree(bare_forest, tmp_path / "forest")
    row = {"text": "These cones were stacked beside a harbour by an architect.", "answer": "Jørn Utzon"}
    packet = write_lines(tmp_path / "mine.jsonl", [row, {"text": "short"}])

    assert main(["add", str(packet), "--bundle", str(bundle)]) == 0
    assert "mine.jsonl: 1 tossup from 1 file. 1 not read, or not whole:" in capsys.readouterr().out

    assert main(["add", "--bundle", str(bundle)]) == 0
    name = capsys.readouterr().out.partition(":")[0]
    assert load(bundle).pages.find("Jørn Utzon") is not None

    assert main(["add", "--bundle", str(bundle), "--remove", name]) == 0
    assert f"Removed {name}." in capsys.readouterr().out
    assert load(bundle).pages.find("Jørn Utzon") is None
