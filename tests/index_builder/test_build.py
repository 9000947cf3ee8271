"""From question files to a published bundle, and what happens to rows that cannot be used."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from threading import Event

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from index_builder import helper_process
from index_builder.build import REPORT, build
from index_builder.data import bonus_process
from index_builder.data.corpus import Corpus, Inputs, PassageRow
from index_builder.index import bundle_index, tokenized_corpus
from index_builder.progress import Progress
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import MANIFEST
from quizwriter.engine.engine import load
from quizwriter.engine.retrieval import PassageKind
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import DEVELOPMENT, fold_of
from quizwriter.system.decoding import file_digest
from tests.helpers.json_lines import write_lines

QUESTIONS = [
    ("red fox jumps over lazy dogs near rivers", "Fox"),
    ("this vixen red coat hunts hens at dusk quietly", "Fox"),
    ("grey wolf howls at moon with packs in winter", "Wolf"),
]


class Stopped(Progress):
    """The user presses Ctrl-C once passages are indexed."""

    def indexing(self, done, total):
        raise KeyboardInterrupt


def few_questions(folder):
    """A file of :data:`QUESTIONS`."""
    rows = [
        {"id": f"q{n}", "text": text, "page": page, "answer": page}
        for n, (text, page) in enumerate(QUESTIONS)
    ]
    return write_lines(folder / "questions.jsonl", rows)


@pytest.fixture
def questions(tmp_path):
    return few_questions(tmp_path)


def everything(*questions, **more):
    return Inputs(questions, everything=True, **more)


def test_a_bundle_of_a_few_questions_guesses_their_answers(questions, tmp_path):
    build(everything(questions), tmp_path / "out", "Few", Progress())

    (player,) = load(tmp_path / "out").players

    assert player.play(Tossup("A vixen jumps")).final[0].page == "Fox"
    assert player.play(Tossup("It howls")).final[0].page == "Wolf"


def test_rows_that_cannot_be_used_are_counted_by_reason(questions, tmp_path):
    with questions.open("ab") as file:
        file.write(b'{"id": "x", "text": \n')
        file.write(b"\xff\xfe\n")
        file.write(b'{"id": "y", "text": "long enough to be a question", "answer": ""}\n')
        file.write(b'["no", "object"]\n')

    report = build(everything(questions), tmp_path / "out", "Few", Progress())

    (file_report,) = report["files"]
    assert file_report["file"] == questions.name
    assert file_report["sha256"] == file_digest(questions)
    assert file_report["used"] == 3
    assert {reason: entry["rows"] for reason, entry in file_report["rejected"].items()} == {
        "not JSON": 1,
        "not UTF-8": 1,
        "no answer": 1,
        "not a JSON object": 1,
    }
    written = (tmp_path / "out" / REPORT).read_text(encoding="utf-8")
    assert json.loads(written) == report
    assert str(tmp_path) not in written + (tmp_path / "out" / MANIFEST).read_text(encoding="utf-8")


def test_answers_without_a_page_go_to_the_page_of_that_name(tmp_path):
    rows = [
        {"id": "1", "text": "the first clue about something", "page": "Émile_Zola"},
        {"id": "2", "text": "the second clue about something", "answer": "Emile ZOLA [accept Zola]"},
        {"id": "3", "text": "the third clue about something", "answer": "The author of Germinal"},
        {"id": "4", "text": "the fourth clue about something", "answer": "Nobody we know"},
    ]
    mapped = write_lines(tmp_path / "map.jsonl", [{"key": "author of germinal", "page": "Émile_Zola"}])

    build(
        everything(write_lines(tmp_path / "q.jsonl", rows), answer_maps=(mapped,)),
        tmp_path / "out",
        "Zola",
        Progress(),
    )

    assert [*load(tmp_path / "out").pages.all] == ["Nobody_we_know", "Émile_Zola"]


def test_bonus_parts_and_articles_are_evidence_too(questions, tmp_path):
    bonuses = write_lines(
        tmp_path / "b.jsonl",
        [
            {
                "leadin": "For 10 points each:",
                "parts": [{"text": "It lives in a badger's sett sometimes", "answer": "fox"}],
            }
        ],
    )
    wiki = write_lines(
        tmp_path / "w.jsonl", [{"page": "Wolf", "text": "Wolves are canids. They live in Yellowstone park."}]
    )
    build(everything(questions, bonuses=(bonuses,), wiki=(wiki,)), tmp_path / "out", "More", Progress())
    guesser = load(tmp_path / "out").players[0].guesser

    assert guesser.play(Tossup("badger")).final[0].page == "Fox"
    (passage,) = guesser.explain(Tossup("Seen in Yellowstone."), Page("Wolf")).passages
    assert passage.source == "Wikipedia"
    assert [hit.of(passage.text) for hit in passage.hits] == ["Yellowstone"]


def test_ctrl_c_leaves_the_old_bundle_and_no_half_one(questions, tmp_path):
    out = tmp_path / "out"
    build(everything(questions), out, "Old", Progress())
    before = load(out).digest

    with pytest.raises(KeyboardInterrupt):
        build(everything(questions), out, "New", Stopped())

    assert load(out).digest == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["out"]


def test_ctrl_c_while_files_are_read_ends_the_processes_that_help(sources, tmp_path, two_processes):
    class StoppedLate(Progress):
        """The user presses Ctrl-C when all tossups and articles are read."""

        def reading(self, report):
            if Path(report.path) in sources.bonuses:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(sources, tmp_path / "out", "", StoppedLate())

    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_bundle_is_not_overwritten(questions, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")

    with pytest.raises(QuizwriterError, match="not a bundle"):
        build(everything(questions), tmp_path / "precious", "Oops", Progress())

    assert (tmp_path / "precious" / "thesis.txt").read_text() == "years of work"


def test_real_questions_are_guessed_far_above_chance(shared_data, tmp_path):
    """A slice of the real data, end to end: build on most of it, play what was left out."""
    import lzma
    from itertools import islice

    from quizwriter.experiments.accuracy import evaluate
    from quizwriter.services.tossups import read_tossups

    with lzma.open(shared_data / "tossups.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in islice(file, 6000)]
    asked = Counter(row["answer_label"] for row in rows)
    held_out = [row for row in rows if asked[row["answer_label"]] > 2 and fold_of(row["id"]) == DEVELOPMENT][
        :60
    ]
    kept = {row["id"] for row in held_out}
    train = write_lines(tmp_path / "train.jsonl", [row for row in rows if row["id"] not in kept])
    build(everything(train), tmp_path / "out", "Slice", Progress())
    engine = load(tmp_path / "out")

    report = evaluate(
        engine.players, read_tossups(write_lines(tmp_path / "dev.jsonl", held_out)), engine.pages.rows
    )

    figures = report["guessers"]["ir"]
    assert figures["top1"]["100"] > 0.5
    assert figures["top1"]["100"] > figures["top1"]["50"] > figures["top1"]["10"]


def test_the_arrays_of_a_bundle_are_never_pickles(questions, tmp_path):
    build(everything(questions), tmp_path / "out", "Few", Progress())

    for path in (tmp_path / "out").rglob("*.npy"):
        assert not np.load(path, allow_pickle=False).dtype.hasobject


def contents(folder):
    """The bytes of the files in a bundle that do not say when it was built."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in {REPORT, "manifest.json"}
    }


@pytest.fixture
def sources(questions, tmp_path):
    """Questions, bonuses and an article."""
    parts = [
        {"text": f"This hen number {n} lays a brown egg. It is read aloud.", "answer": "Hen [or <b>Fowl</b>]"}
        for n in range(3)
    ]
    bonuses = write_lines(tmp_path / "bonuses.jsonl", [{"id": "b", "parts": parts}, {"id": "c", "parts": []}])
    article = [{"page": "Wolf", "text": "Wolves hunt in packs. They howl at the moon, it is said."}]
    return everything(questions, bonuses=(bonuses,), wiki=(write_lines(tmp_path / "wiki.jsonl", article),))


@pytest.fixture
def two_processes(monkeypatch):
    """Makes the smallest files large enough for a helper process."""
    monkeypatch.setattr(helper_process.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(bonus_process, "APART_FROM", 0)
    monkeypatch.setattr(tokenized_corpus, "SHARED_FROM", 0)
    monkeypatch.setattr(bundle_index, "APART_FROM", 0)


def test_the_bytes_of_a_bundle_do_not_depend_on_the_number_of_processes(sources, tmp_path, two_processes):
    report = build(sources, tmp_path / "two", "", Progress())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(helper_process.os, "cpu_count", lambda: 1)
        alone = build(sources, tmp_path / "one", "", Progress())

    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    assert report["files"] == alone["files"]
    assert [Counter(file["rejected"].keys()) for file in report["files"]][1] == {"no bonus parts": 1}


def test_bonuses_that_are_named_twice_are_read_twice(sources, tmp_path, two_processes):
    twice = replace(sources, bonuses=(*sources.bonuses, *sources.bonuses))
    once, again = (build(one, tmp_path / "out", "", Progress()) for one in (sources, twice))

    assert len(again["files"]) == len(once["files"]) + 1


class RowsShown(Progress):
    """Remembers how many rows of each file were shown as read."""

    def __init__(self):
        self.rows = {}

    def reading(self, report):
        self.rows.setdefault(Path(report.path).name, []).append(report.rows)


def test_a_helper_process_tells_how_far_it_is(questions, tmp_path, monkeypatch):
    monkeypatch.setattr(helper_process.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(bonus_process, "APART_FROM", 0)
    part = {"text": "This hen lays a brown egg. It is read aloud.", "answer": "Hen"}
    bonuses = write_lines(tmp_path / "bonuses.jsonl", [{"parts": [part] * 5}] * 650)
    shown = RowsShown()

    build(everything(questions, bonuses=(bonuses,)), tmp_path / "out", "", shown)

    rows = shown.rows["bonuses.jsonl"]
    assert {200, 400, 600} < set(rows)
    assert rows == sorted(rows)
    assert rows[-1] == 650


def test_the_process_that_reads_bonuses_begins_before_there_are_answer_lines(tmp_path):
    part = {"text": "This hen lays a brown egg. It is read aloud.", "answer": "Hen"}
    bonuses = write_lines(tmp_path / "bonuses.jsonl", [{"parts": [part] * 5}] * 200)
    begun = Event()
    process = bonus_process.BonusProcess(bonuses, (["Rooster"] for _ in range(1) if begun.wait(60)))
    found = process.found(lambda _: begun.set())
    process.close()

    assert found is not None
    assert "Rooster" in found.names


def test_the_process_that_reads_bonuses_reads_answer_lines_after_them(sources):
    (path,) = sources.bonuses
    lines = msgspec.msgpack.encode(["Rooster [or <b>Cock</b>]"])

    *_, last = bonus_process.read_file(iter([bytes(path), lines]))

    names = msgspec.msgpack.decode(last)["names"]
    assert names["Rooster [or <b>Cock</b>]"] == ["rooster", {"rooster": "Rooster", "cock": "Cock"}]
    assert names["Hen [or <b>Fowl</b>]"] == ["hen", {"hen": "Hen", "fowl": "Fowl"}]


@pytest.mark.logs(
    "RuntimeError: bonuses", "RuntimeError: tokens", "RuntimeError: terms", "RuntimeError: words"
)
def test_a_helper_process_that_fails_costs_nothing_but_time(sources, tmp_path, two_processes, monkeypatch):
    failing = "import sys; raise RuntimeError(sys.argv[1])"
    monkeypatch.setattr(
        helper_process, "child_command", lambda child: (sys.executable, "-S", "-c", failing, child)
    )
    build(sources, tmp_path / "failed", "", Progress())

    monkeypatch.setattr(helper_process.os, "cpu_count", lambda: 1)
    build(sources, tmp_path / "alone", "", Progress())

    assert contents(tmp_path / "failed") == contents(tmp_path / "alone")


def test_a_matrix_that_a_helper_process_cannot_write_is_left_to_the_caller(tmp_path):
    row = PassageRow(Page("Hen"), PassageKind.TOSSUP, 0, "", "This bird lays an egg.")
    corpus = Corpus((Page("Hen"),), (1,), (row,))
    (tmp_path / "no folder").touch()
    messages = bundle_index._messages(
        corpus, tokenized_corpus.tokenize_corpus(corpus).passages, tmp_path / "no folder"
    )

    with pytest.raises(QuizwriterError):
        next(bundle_index.write_terms_apart(map(bytes, messages)))


def test_a_file_that_a_helper_process_cannot_read_is_refused_with_the_reason(
    sources, tmp_path, two_processes
):
    (bonuses,) = sources.bonuses
    bonuses.rename(bonuses.with_suffix(".jsonl.xz"))
    damaged = replace(sources, bonuses=(bonuses.with_suffix(".jsonl.xz"),))
    damaged.bonuses[0].write_bytes(b"\xfd7zXZ\x00 and then nothing that could be unpacked")

    with pytest.raises(QuizwriterError, match=r"bonuses\.jsonl\.xz"):
        build(damaged, tmp_path / "out", "", Progress())
    assert not (tmp_path / "out").exists()
