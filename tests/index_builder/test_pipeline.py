"""All steps from nothing to a bundle, and what a program that watches them reads."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading

import pytest
from msgspec.structs import replace

from index_builder.data.catalogue import QANTA
from index_builder.pipeline import Pipeline
from index_builder.progress_output import NICENESS
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from tests.helpers.http_servers import HASTY, Files, Told, Wiki, status

OPENINGS = {"Fox": "Foxes are small canids.", "Wolf": "Wolves live in packs that hunt elk."}

QUESTIONS = [
    {"qanta_id": n, "text": text, "page": page, "answer": page, "fold": "guesstrain"}
    for n, (text, page) in enumerate(
        [
            ("red fox jumps over lazy dogs near rivers", "Fox"),
            ("this vixen red coat hunts hens at dusk quietly", "Fox"),
            ("grey wolf howls at moon with packs in winter", "Wolf"),
        ]
    )
]


@pytest.fixture(scope="module")
def world(small_and_quick):
    """A server of questions and one of articles; ``world(out)`` is the pipeline from them to a bundle."""
    content = json.dumps({"questions": QUESTIONS}).encode()
    source = replace(QANTA, bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    with (
        pytest.MonkeyPatch.context() as patch,
        Files(content).running() as files,
        Wiki(OPENINGS).running() as wiki,
        small_and_quick(),
    ):
        patch.setattr("index_builder.pipeline.QANTA", source)
        patch.setattr("index_builder.pipeline.INDEX_GROWTH", 1)

        def pipeline(out):
            return Pipeline(out, mirror=files.url, api=wiki.url, policy=HASTY)

        pipeline.files, pipeline.wiki = files, wiki
        yield pipeline


@pytest.fixture(scope="module")
def made(world, tmp_path_factory):
    """The folder of a pipeline that has run, what it told, and the articles that it asked for."""
    out, told = tmp_path_factory.mktemp("made"), Told()
    world(out).run(told)
    return out, told, list(world.wiki.questions)


@pytest.fixture
def copied(made, world, tmp_path):
    """A copy of that folder; the servers begin to count."""
    world.files.asked.clear()
    world.wiki.asked.clear()
    return shutil.copytree(made[0], tmp_path / "copy")


def passages(bundle, text, page):
    return [found.text for found in load(bundle).retrieval.explain(Tossup(text), Page(page)).passages]


def test_one_command_goes_from_nothing_to_a_bundle_with_articles(made):
    out, told, questions = made

    # without articles, with them, and with the players that could be trained
    assert told.bundles == [out / "questions", out / "bundle", out / "bundle"]
    assert told.trained[-1][1] <= 1.0
    assert len(told.steps) == 5
    assert "Wolves live in packs that hunt elk." in passages(out / "bundle", "It hunts elk.", "Wolf")
    assert sorted(path.name for path in out.iterdir()) == ["bundle", "sources"]
    assert questions == [["Fox", "Wolf"]]  # the answer asked for most comes first


def test_what_is_done_is_not_done_again(world, copied):
    built, told = (copied / "bundle" / "manifest.json").stat().st_mtime_ns, Told()
    world(copied).run(told)

    assert world.files.asked == world.wiki.asked == []
    assert (copied / "bundle" / "manifest.json").stat().st_mtime_ns == built
    assert told.bundles == [copied / "bundle"]


def test_a_damaged_bundle_is_built_again(world, copied):
    (copied / "bundle" / "pages.txt").write_text("Nothing\n")

    world(copied).run(Told())

    assert [*load(copied / "bundle").pages.all] == ["Fox", "Wolf"]


def test_without_the_encyclopedia_the_questions_are_there_all_the_same(world, tmp_path):
    world.wiki.faults = [status(403)]
    asked, told = len(world.files.asked), Told()
    with pytest.raises(QuizwriterError, match="refuses"):
        world(tmp_path).run(told)
    assert [*load(told.bundles[0]).pages.all] == ["Fox", "Wolf"]

    world(tmp_path).run(told)
    assert told.bundles[-1] == tmp_path / "bundle"
    assert len(world.files.asked) == asked + 1


COMMAND = """
import sys
from msgspec.structs import replace
from index_builder import pipeline
from index_builder.__main__ import main
pipeline.QANTA = replace(pipeline.QANTA, bytes={size}, sha256={sha256!r})
{more}
sys.exit(main(sys.argv[1:]))
"""

SMALL = """
from index_builder.training import ensemble, trainer
from index_builder.training.learner import TrainingPlan
from index_builder.training.page_classifier import NetworkSize
trainer.standard_plan = lambda *_: TrainingPlan(8, 1e9, 16, size=NetworkSize(12, 16, 8))
ensemble.LAYERS = (6,)
"""


@pytest.fixture
def command(world, tmp_path):
    """Makes the pipeline's command line, in a process that knows the checksum of the test's questions."""

    def command(more=""):
        content = world.files.content
        sha256 = hashlib.sha256(content).hexdigest()
        program = COMMAND.format(size=len(content), sha256=sha256, more=more)
        sources = ["--mirror", world.files.url, "--api", world.wiki.url, "--json-progress"]
        return [sys.executable, "-c", program, "all", "--out", str(tmp_path / "out"), *sources]

    return command


def test_another_program_reads_the_progress_in_lines(command, world, tmp_path):
    process = subprocess.Popen(command(SMALL), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        said = [json.loads(line) for line in process.stdout]
        assert process.wait() == 0

    assert [line["step"] for line in said if "step" in line] == [1, 2, 3, 4, 5]
    assert said[-1] == {"published": str(tmp_path / "out" / "bundle")}
    size = len(world.files.content)
    assert any(line.get("done") == line.get("total") == size for line in said)
    assert any(line.get("said") == "2 of 2 articles" for line in said)


def test_trouble_is_a_line_as_well(command, world):
    world.files.faults = [status(404)]
    _closed, open_end = os.pipe()
    done = subprocess.run(command(), stdout=subprocess.PIPE, text=True, stdin=open_end, check=False)

    assert done.returncode == 1
    assert "no such file" in json.loads(done.stdout.splitlines()[-1])["problem"]


def test_it_stops_when_the_program_that_started_it_is_gone(command, world):
    asked, over = threading.Event(), threading.Event()

    def never_answer(server, request):
        asked.set()
        over.wait(60)
        request.close_connection = True

    world.files.faults = [never_answer]
    process = subprocess.Popen(
        command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        while "step" not in json.loads(process.stdout.readline()):
            pass
        ours, its = (os.getpriority(os.PRIO_PROCESS, number) for number in (0, process.pid))
        assert its == min(ours + NICENESS, 19)
        assert asked.wait(60)
        process.stdin.close()
        assert process.wait(timeout=60) == 130
    over.set()
