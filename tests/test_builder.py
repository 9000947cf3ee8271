"""From question files to a published bundle, and what happens to rows that cannot be used."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from index_builder.corpus import Inputs, cut

from index_builder.__main__ import main
from index_builder.build import REPORT, build
from index_builder.index import ASKED, KINDS, PAIRS, SOURCE_WEIGHT, WORDS
from index_builder.starter import starter_bundle
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.engine import load
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.tokenizer import token
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import DEVELOPMENT, GUESS, fold_of
from quizwriter.services.wiring import resources

QUESTIONS = [
    ("red fox jumps over lazy dogs near rivers", "Fox"),
    ("this vixen red coat hunts hens at dusk quietly", "Fox"),
    ("grey wolf howls at moon with packs in winter", "Wolf"),
]


class Quiet:
    """Progress that nobody sees; ``stop_at`` passages in, the user presses Ctrl-C."""

    def __init__(self, stop_at=None):
        self.stop_at = stop_at

    def reading(self, report):
        pass

    def indexing(self, done, total):
        if self.stop_at is not None and done >= self.stop_at:
            raise KeyboardInterrupt


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def questions(tmp_path):
    rows = [
        {"id": f"q{n}", "text": text, "page": page, "answer": page}
        for n, (text, page) in enumerate(QUESTIONS)
    ]
    return lines(tmp_path / "questions.jsonl", rows)


def everything(*questions, **more):
    return Inputs(questions, everything=True, **more)


def test_a_bundle_of_a_few_questions_guesses_their_answers(questions, tmp_path):
    build(everything(questions), tmp_path / "out", "Few", Quiet())

    (player,) = load(tmp_path / "out").players

    assert player.play(Tossup("A vixen jumps")).final[0].page == "Fox"
    assert player.play(Tossup("It howls")).final[0].page == "Wolf"


def test_points_are_those_of_the_formula(questions, tmp_path):
    """An independent count, word by word, of what the matrix holds for one short draft."""
    build(everything(questions), tmp_path / "out", "Few", Quiet())
    guesser = load(tmp_path / "out").players[0].guesser
    stems = {
        page: [token(word).hash for text, answer in QUESTIONS if answer == page for word in text.split()]
        for page in ("Fox", "Wolf")
    }
    words = {page: Counter(stem for stem in found if stem) for page, found in stems.items()}
    total = sum(words.values(), Counter())
    size = sum(total.values()) + 0.5 * len(total)

    expected = ASKED * math.log1p(2)
    for word in ("red", "hens"):
        stem = token(word).hash
        tf = words["Fox"][stem]
        heard = tf / (1 + tf / WORDS.saturation)
        room = (sum(words["Fox"].values()) + WORDS.smoothing) ** WORDS.normalisation
        expected += WORDS.weight * math.log1p(WORDS.sharpness * heard / (room * (total[stem] + 0.5) / size))

    (fox,) = guesser.play(Tossup("red and again and again hens")).final

    assert fox.page == "Fox"
    assert fox.score == pytest.approx(expected, rel=1e-5)


LENGTHS = np.asarray([0.0, 3.0, 40.0, 2500.0])


@pytest.mark.parametrize("weighing", [WORDS, PAIRS, KINDS], ids=["word", "pair", "kind"])
def test_counts_come_back_from_points(weighing):
    tf = np.asarray([0.2, 1.0, 17.4, 800.0])[:, None]
    share = np.asarray([1e-7, 1e-4, 0.03])[:, None, None]

    points = weighing.points(tf, LENGTHS, share)

    assert points.dtype == np.float32
    assert (np.diff(points, axis=1) > 0).all()
    assert (np.diff(points, axis=0) < 0).all()  # what is everywhere says less
    assert weighing.counts(points, LENGTHS, share) == pytest.approx(
        np.broadcast_to(tf, points.shape), rel=1e-2
    )


def test_a_long_page_is_held_back_by_less_than_its_length():
    one = np.ones(1)
    pair = PAIRS.points(np.ones(len(LENGTHS)), LENGTHS, one * 1e-6)
    assert pair == pytest.approx(np.full(len(LENGTHS), pair[0]))

    half = replace(WORDS, smoothing=0.0, normalisation=0.5, saturation=math.inf)
    longer, shorter = half.points(2 * one, 400 * one, one), half.points(one, 100 * one, one)
    assert longer == pytest.approx(shorter)


def test_pairs_and_kinds_add_to_their_words(questions, tmp_path):
    build(everything(questions), tmp_path / "out", "Few", Quiet())
    guesser = load(tmp_path / "out").players[0].guesser

    def score(text):
        return guesser.play(Tossup(text)).final[0].score

    assert score("lazy dogs") > score("dogs lazy")
    assert score("this vixen") > score("that vixen")
    assert {PAIRS.least, KINDS.least} == {1.0, 0.0}
    assert SOURCE_WEIGHT[PassageKind.ARTICLE] < SOURCE_WEIGHT[PassageKind.TOSSUP]


def test_rows_that_cannot_be_used_are_counted_by_reason(questions, tmp_path):
    with questions.open("ab") as file:
        file.write(b'{"id": "x", "text": \n')
        file.write(b"\xff\xfe\n")
        file.write(b'{"id": "y", "text": "long enough to be a question", "answer": ""}\n')
        file.write(b'["no", "object"]\n')

    report = build(everything(questions), tmp_path / "out", "Few", Quiet())

    (file_report,) = report["files"]
    assert file_report["used"] == 3
    assert {reason: entry["rows"] for reason, entry in file_report["rejected"].items()} == {
        "not JSON": 1,
        "not UTF-8": 1,
        "no answer": 1,
        "not a JSON object": 1,
    }
    assert json.loads((tmp_path / "out" / REPORT).read_text(encoding="utf-8")) == report


def test_only_the_guessers_fold_is_indexed_unless_all_is_asked_for(tmp_path):
    rows = [{"id": f"q{n}", "text": f"a clue number{n} for nobody else", "page": f"P{n}"} for n in range(200)]
    path = lines(tmp_path / "q.jsonl", rows)
    folds = Counter(fold_of(row["id"]) for row in rows)

    some = build(Inputs((path,)), tmp_path / "some", "Some", Quiet())
    build(everything(path), tmp_path / "all", "All", Quiet())

    assert some["tossups_by_fold"] == dict(folds)
    assert len(load(tmp_path / "some").pages) == folds[GUESS]
    assert folds[DEVELOPMENT] > 0
    assert len(load(tmp_path / "all").pages) == 200


def test_answers_without_a_page_go_to_the_page_of_that_name(tmp_path):
    rows = [
        {"id": "1", "text": "the first clue about something", "page": "Émile_Zola"},
        {"id": "2", "text": "the second clue about something", "answer": "Emile ZOLA [accept Zola]"},
        {"id": "3", "text": "the third clue about something", "answer": "The author of Germinal"},
        {"id": "4", "text": "the fourth clue about something", "answer": "Nobody we know"},
    ]
    mapped = lines(tmp_path / "map.jsonl", [{"key": "author of germinal", "page": "Émile_Zola"}])

    build(
        everything(lines(tmp_path / "q.jsonl", rows), answer_maps=(mapped,)),
        tmp_path / "out",
        "Zola",
        Quiet(),
    )

    assert load(tmp_path / "out").pages.all == ("Nobody_we_know", "Émile_Zola")


def test_bonus_parts_and_articles_are_evidence_too(questions, tmp_path):
    bonuses = lines(
        tmp_path / "b.jsonl",
        [
            {
                "leadin": "For 10 points each:",
                "parts": [{"text": "It lives in a badger's sett sometimes", "answer": "fox"}],
            }
        ],
    )
    wiki = lines(
        tmp_path / "w.jsonl", [{"page": "Wolf", "text": "Wolves are canids. They live in Yellowstone park."}]
    )
    build(everything(questions, bonuses=(bonuses,), wiki=(wiki,)), tmp_path / "out", "More", Quiet())
    guesser = load(tmp_path / "out").players[0].guesser

    assert guesser.play(Tossup("badger")).final[0].page == "Fox"
    (passage,) = guesser.explain(Tossup("Seen in Yellowstone."), Page("Wolf")).passages
    assert passage.source == "Wikipedia"
    assert [hit.of(passage.text) for hit in passage.hits] == ["Yellowstone"]


def test_ctrl_c_leaves_the_old_bundle_and_no_half_one(questions, tmp_path):
    out = tmp_path / "out"
    build(everything(questions), out, "Old", Quiet())
    before = load(out).digest

    with pytest.raises(KeyboardInterrupt):
        build(everything(questions), out, "New", Quiet(stop_at=0))

    assert load(out).digest == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["out"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_ctrl_c_on_the_command_line_is_quiet(tmp_path):
    fifo = tmp_path / "endless.jsonl"
    os.mkfifo(fifo)
    command = [
        sys.executable,
        "-m",
        "index_builder",
        "build",
        "--questions",
        str(fifo),
        "--out",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process, fifo.open("w") as feed:  # opens once the builder reads
        feed.write('{"id": "1"')
        feed.flush()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "Stopped; nothing was published" in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_nothing_to_index_is_said_in_a_sentence(tmp_path, capsys):
    path = lines(tmp_path / "q.jsonl", [{"id": "1"}])

    assert main(["build", "--questions", str(path), "--out", str(tmp_path / "out")]) == 1

    assert "nothing to index" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_bundle_is_not_overwritten(questions, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")

    with pytest.raises(QuizwriterError, match="not a bundle"):
        build(everything(questions), tmp_path / "precious", "Oops", Quiet())

    assert (tmp_path / "precious" / "thesis.txt").read_text() == "years of work"


def test_the_starter_bundle_is_built_once_and_again_when_its_texts_change(tmp_path):
    import shutil

    texts = shutil.copytree(resources() / "starter", tmp_path / "starter")
    first = starter_bundle(texts, tmp_path / "bundles")
    built = (first / "manifest.json").stat().st_mtime_ns

    again = starter_bundle(texts, tmp_path / "bundles")
    with (texts / "articles" / "science.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"page": "Fox", "text": "Foxes are small canids with a bushy tail."}) + "\n")
    changed = starter_bundle(texts, tmp_path / "bundles")

    assert again == first
    assert (again / "manifest.json").stat().st_mtime_ns == built
    assert changed != first
    assert load(changed).pages.find("fox") == "Fox"


def test_a_passage_never_cuts_a_sentence():
    text = "One two three. Four five six seven. Eight nine ten."

    assert list(cut(text, words=6)) == ["One two three.", "Four five six seven.", "Eight nine ten."]
    assert list(cut(text, words=7)) == ["One two three. Four five six seven.", "Eight nine ten."]


def test_real_questions_are_guessed_far_above_chance(shared_data, tmp_path):
    """A slice of the real data, end to end: build on most of it, play what was left out."""
    import lzma
    from itertools import islice

    from quizwriter.services.wiring import tossups
    from quizwriter.workflow.evaluation import evaluate

    with lzma.open(shared_data / "tossups.jsonl.xz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in islice(file, 6000)]
    asked = Counter(row["answer_label"] for row in rows)
    held_out = [row for row in rows if asked[row["answer_label"]] > 2 and fold_of(row["id"]) == DEVELOPMENT][
        :60
    ]
    kept = {row["id"] for row in held_out}
    train = lines(tmp_path / "train.jsonl", [row for row in rows if row["id"] not in kept])
    build(everything(train), tmp_path / "out", "Slice", Quiet())
    engine = load(tmp_path / "out")

    report = evaluate(engine.players, tossups(lines(tmp_path / "dev.jsonl", held_out)), engine.pages.rows)

    figures = report["guessers"]["ir"]
    assert figures["top1"]["100"] > 0.5
    assert figures["top1"]["100"] > figures["top1"]["50"] > figures["top1"]["10"]


def test_the_arrays_of_a_bundle_are_never_pickles(questions, tmp_path):
    build(everything(questions), tmp_path / "out", "Few", Quiet())

    for path in (tmp_path / "out").rglob("*.npy"):
        assert not np.load(path, allow_pickle=False).dtype.hasobject
    assert Answer("Fox", Page("Fox")).accepts("Fox")
