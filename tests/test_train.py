"""Training: what is learnt from and what is not, stopping and going on, and what ends up in the bundle."""

from __future__ import annotations

import ast
import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from index_builder.networks import DanLearner, Lessons, Plan, RnnLearner, Rows, vectors_in
from index_builder.train import train

from index_builder import calibration, networks
from index_builder import train as training
from quizwriter.domain.tossup import Tossup
from quizwriter.engine import bundle as bundles
from quizwriter.engine import ensemble, load, networks
from quizwriter.engine.bundle import Bundle, add_player, amend
from quizwriter.engine.tokenizer import places, token, tokenize
from quizwriter.errors import QuizwriterError
from tests.conftest import TREES, plant

PLAN = Plan(4, 1e9, 16, rate=0.3, seed=3)


def silent(name, share):
    pass


@pytest.fixture
def bare(bare_forest, tmp_path):
    return shutil.copytree(bare_forest, tmp_path / "forest")


@pytest.fixture
def small(small_and_quick):
    with small_and_quick():
        yield


@pytest.fixture
def lessons(bare_forest):
    return Lessons.of(Bundle.open(bare_forest))


@pytest.mark.parametrize("make", [DanLearner, lambda lessons, plan: RnnLearner(lessons, plan, 1)])
def test_a_training_that_was_stopped_ends_where_it_would_have(lessons, tmp_path, small, make):
    whole, first, second = (make(lessons, PLAN) for _ in range(3))
    whole.learn(lambda done, arrays: True)
    first.learn(lambda done, arrays: first.step < whole.steps // 2)
    first.save(tmp_path)

    assert second.resume(tmp_path)
    assert 0 < second.step < whole.steps
    second.learn(lambda done, arrays: True)

    assert second.step == whole.steps
    expected = whole.arrays()
    for name, array in second.arrays().items():
        assert np.array_equal(array, expected[name]), name


def test_nothing_goes_on_from_a_training_on_other_words_or_a_damaged_file(lessons, tmp_path, small):
    learner = DanLearner(lessons, PLAN)
    assert not learner.resume(tmp_path)
    learner.save(tmp_path)
    other = DanLearner(lessons, PLAN)
    other.terms = other.terms + np.uint64(2)
    assert not other.resume(tmp_path)

    (tmp_path / "dan.npz").write_bytes((tmp_path / "dan.npz").read_bytes()[:3000])
    assert not learner.resume(tmp_path)


def test_a_training_that_cannot_be_kept_says_so(lessons, tmp_path, small):
    (tmp_path / "a file").write_text("in the way")

    with pytest.raises(QuizwriterError, match="could not be kept"):
        DanLearner(lessons, PLAN).save(tmp_path / "a file")


def test_tossups_held_back_are_never_learnt_from(lessons, forest, small):
    arrays, about = Bundle.open(forest[0]).player("dan")
    rare = np.asarray([token("Rarebuzztrain").hash, token("Rareguessdev").hash], np.uint64)

    assert about["tossups"] == 12 * len(TREES)
    assert (places(rare, np.sort(lessons.stems)) == -1).all()
    assert (places(rare, arrays["terms"]) == -1).all()
    assert places(np.asarray([token("AA1").hash], np.uint64), arrays["terms"])[0] >= 0


def test_labels_are_always_candidates_and_nothing_is_taken_off_where_all_are(lessons):
    draw = networks.Draw(lessons, 0)
    for wanted in (1, 3, 5):
        labels = np.asarray([5, 2, 2, 0])
        choice = draw.candidates(labels, wanted)
        assert choice.classes[choice.labels].tolist() == labels.tolist()
        assert len(set(choice.classes.tolist())) == len(choice.classes)
        assert (choice.taken_off <= 0).all()
    everyone = draw.candidates(labels, 100)
    assert everyone.classes.tolist() == list(range(len(TREES)))
    assert not everyone.taken_off.any()


def test_the_gradient_of_drawn_candidates_is_nearly_that_of_all():
    """Averaged over draws, as a share of the full softmax's length; a biased draw misses by far more."""
    classes, batch = 300, 40
    random = np.random.default_rng(0)
    asked = random.integers(1, 30, classes)
    kinds = np.zeros(asked.sum(), np.int8)
    labels = np.repeat(np.arange(classes), asked)
    nothing = np.zeros(0, np.uint64)
    made = Lessons(
        np.arange(classes, dtype=np.int32), labels, kinds, np.arange(len(labels) + 1),
        np.ones(len(labels), np.uint64), np.zeros(len(labels), bool), nothing,
    )  # fmt: skip
    draw = networks.Draw(made, 0)
    logits = random.standard_normal(classes)
    chances = np.exp(logits) / np.exp(logits).sum()
    found, plain, times = np.zeros(classes), np.zeros(classes), 400
    for _ in range(times):
        choice = draw.candidates(random.choice(labels, batch), 80)
        for into, scores in (
            (found, logits[choice.classes] - choice.taken_off),
            (plain, logits[choice.classes]),
        ):
            share = np.exp(scores)
            into[choice.classes] += share / share.sum() / times

    def miss(one):
        return np.linalg.norm(one - chances) / np.linalg.norm(chances)

    assert miss(found) < 0.25
    assert miss(found) < miss(plain) / 2


def test_rows_that_nothing_touches_stay():
    rows = Rows(np.ones((3, 2), np.float32))
    rows.update(np.zeros(0, np.int64), np.zeros((0, 2), np.float32), 1.0)
    rows.update(np.asarray([1]), np.ones((1, 2), np.float32), 0.1)

    assert (rows.table[[0, 2]] == 1).all()
    assert (rows.table[1] < 1).all()


NUMBERS = " ".join(str(number / 10) for number in range(12))


@pytest.mark.parametrize("header", ["", "3 12\n"], ids=["glove", "word2vec"])
def test_word_vectors_are_read(tmp_path, lessons, header):
    terms = np.unique(lessons.stems)
    file = tmp_path / "vectors.txt"
    file.write_text(
        f"{header}novel {NUMBERS}\nat a place {NUMBERS}\nnovels {NUMBERS[::-1]}\nking {NUMBERS} \n",
        encoding="utf-8",
    )

    vectors, known = vectors_in(file, terms)

    assert sorted(terms[known].tolist()) == sorted(token(word).hash for word in ("novel", "king"))
    assert vectors.shape == (2, networks.WIDTH)
    assert np.allclose(vectors[0], vectors[1])
    assert 0.05 < vectors.std() < 0.2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"novel {NUMBERS}\nking a b c d e f g h i j k l\n", "does not hold word vectors"),
        (f"novel {NUMBERS}\nking 1 2 3\n", "does not hold word vectors"),
        ("novel 1 2 3\n", "does not hold word vectors"),
        (f"novel {NUMBERS.replace('0.5', 'nan')}\n", "does not hold word vectors"),
        (f"unheard {NUMBERS}\n", "has no vector for any word"),
        ("", "has no vector for any word"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_is_none_of_word_vectors_is_refused(tmp_path, lessons, text, problem):
    file = tmp_path / "vectors.txt"
    if text is not None:
        file.write_text(text, encoding="utf-8")

    with pytest.raises(QuizwriterError, match=problem):
        vectors_in(file, np.unique(lessons.stems))


def test_only_the_players_asked_for_are_trained_and_only_anew_again(bare, small):
    assert set(train(bare, ["dan"], silent)) == {"dan"}
    before = Bundle.open(bare)

    assert train(bare, ["dan"], silent) == {}
    assert Bundle.open(bare).digest == before.digest
    assert set(train(bare, ["dan"], silent, anew=True, seed=5)) == {"dan"}

    after = Bundle.open(bare)
    assert after.about["players"]["dan"]["seed"] == 5
    assert after.about["players"]["dan"]["folder"] != before.about["players"]["dan"]["folder"]
    assert len(list((bare / "players").iterdir())) == 1
    assert [player.name for player in load(bare).players] == ["ir", "dan"]
    assert not list(bare.parent.glob("*.training"))


def test_the_ensemble_needs_the_dan(bare):
    with pytest.raises(QuizwriterError) as trouble:
        train(bare, ["ensemble"], silent)

    assert trouble.value.problem == "The ensemble needs the DAN."


def test_a_bundle_with_too_little_in_it_says_so(tmp_path, small):
    from index_builder.corpus import Inputs

    from index_builder.build import build
    from index_builder.starter import Silence

    file = tmp_path / "one.jsonl"
    file.write_text(
        json.dumps(
            {"id": "1", "text": "Here not one word is ever said twice over", "page": "Elm", "answer": "Elm"}
        )
        + "\n"
    )
    build(Inputs((file,), everything=True), tmp_path / "one", "One", Silence())

    for players in (["dan"], ["rnn"]):
        with pytest.raises(QuizwriterError, match="too little in the bundle"):
            train(tmp_path / "one", players, silent)


def test_a_bundle_of_everything_is_judged_by_halves(tmp_path, small, monkeypatch):
    folder = plant(tmp_path / "all", ["guesstrain"])
    parts = []
    part = training._part
    monkeypatch.setattr(training, "plan_for", lambda *given: PLAN)
    monkeypatch.setattr(training, "_part", lambda *given: parts.append(part(*given)) or parts[-1])

    report = train(folder, ["dan", "ensemble", "buzzers"], silent)

    halves = [one for one in parts if one.tossups]
    texts = [{tossup.text for tossup in one.tossups} for one in halves]
    assert len(halves) == 2
    assert not texts[0] & texts[1]
    assert len(texts[0] | texts[1]) == len({*load(folder).retrieval.past_tossups()})
    for half, heard in zip(halves, texts, strict=True):
        assert not heard & {*half.retrieval.past_tossups()}
    assert set(report["buzzers"]) == {"ir", "dan", "ensemble"}
    assert [player.name for player in load(folder).players] == ["ir", "dan", "ensemble"]


def test_a_kill_in_the_middle_leaves_a_bundle_that_opens_and_a_training_that_goes_on(bare, small):
    program = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from index_builder import networks, train\n"
        "networks.WIDTH, networks.HIDDEN, networks.UNITS = 12, 16, 8\n"
        "train.plan_for = lambda *given: networks.Plan(4, 1e9, 16)\n"
        "train.KEEP_EVERY = -1.0\n"
        "def kill(name, share):\n"
        "    share > 0.5 and os.kill(os.getpid(), signal.SIGKILL)\n"
        f"train.train(Path({str(bare)!r}), ['dan'], kill)\n"
    )
    hasty = {**os.environ, "JAX_DISABLE_MOST_OPTIMIZATIONS": "true"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=hasty, capture_output=True, text=True, check=False
    )

    assert done.returncode == -signal.SIGKILL, done.stderr
    assert [player.name for player in load(bare).players] == ["ir"]
    assert train(bare, ["dan"], silent)["dan"]["resumed"]
    assert [player.name for player in load(bare).players] == ["ir", "dan"]


ARRAYS = {"some": np.arange(5), "more": np.ones((2, 2), np.float16)}


def test_a_player_is_added_replaced_and_told_of(bare):
    add_player(bare, "one", ARRAYS, {"said": 1})
    first = Bundle.open(bare).about["players"]["one"]
    add_player(bare, "one", {"some": np.arange(6)}, {"said": 2})
    amend(bare, {"note": "kept"})

    arrays, about = Bundle.open(bare).player("one")
    assert first["said"] == 1
    assert about["said"] == 2
    assert set(arrays) == {"some"}
    assert arrays["some"].tolist() == list(range(6))
    assert Bundle.open(bare).about["note"] == "kept"
    assert [path.name for path in (bare / "players").iterdir()] == [Path(about["folder"]).name]
    add_player(bare, "one", {"some": np.arange(6)}, {"said": 3})
    assert Bundle.open(bare).player("one")[1]["said"] == 3


@pytest.mark.parametrize("failing", ["array", "rename", "replace"])
def test_a_failing_disk_leaves_the_bundle_as_it_was(bare, monkeypatch, failing):
    add_player(bare, "one", ARRAYS, {"said": 1})
    digest = Bundle.open(bare).digest

    def full(*given, **more):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(*((bundles.BundleWriter, "array") if failing == "array" else (Path, failing)), full)
        with pytest.raises(QuizwriterError, match=r"could not be added to \(No space left"):
            add_player(bare, "one", {"some": np.arange(7)}, {"said": 2})

    assert Bundle.open(bare).digest == digest
    assert Bundle.open(bare).player("one")[0]["some"].tolist() == list(range(5))


def test_a_full_disk_leaves_the_bundle_as_it_was(small_disk, tmp_path, bare):
    folder = small_disk / "forest"
    if sum(path.stat().st_size for path in bare.rglob("*") if path.is_file()) > 400_000:
        pytest.fail("The bundle of the test is too large for its disk.")
    shutil.copytree(bare, folder)
    digest = Bundle.open(folder).digest

    with pytest.raises(QuizwriterError, match="could not be added to"):
        add_player(folder, "large", {"some": np.zeros(1 << 18)}, {})

    assert Bundle.open(folder).digest == digest
    assert not list(folder.glob(".*"))


@pytest.mark.parametrize("module", [networks, calibration, training, networks, ensemble, bundles])
def test_nobody_opens_or_writes_a_pickle(module):
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            assert not {"pickle", "joblib", "dill", "skops", "shelve"} & {
                name.split(".")[0] for name in names
            }
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"np.load", "np.save", "np.savez"}:
            allowed = [ast.unparse(one.value) for one in node.keywords if one.arg == "allow_pickle"]
            assert allowed == ["False"], ast.unparse(node)


def test_what_was_kept_of_a_training_holds_no_pickle(lessons, tmp_path, small):
    DanLearner(lessons, PLAN).save(tmp_path)

    with np.load(tmp_path / "dan.npz", allow_pickle=False) as kept:
        assert all(kept[name].dtype.kind != "O" for name in kept.files)
    assert os.listdir(tmp_path) == ["dan.npz"]


def test_a_dan_of_the_same_lessons_is_taken_over_by_an_rnn(lessons, forest, small):
    dan = DanLearner(lessons, PLAN)
    player = Bundle.open(forest[0]).player("dan")

    assert not DanLearner(lessons, PLAN).adopt(None)
    assert not dan.adopt(({**player[0], "terms": player[0]["terms"][:-1]}, {}))
    assert dan.adopt(player)
    rnn = RnnLearner(lessons, PLAN, 1, dan)
    assert np.array_equal(rnn.outputs.table, player[0]["outputs"].astype(np.float32))
    stem = places(tokenize(Tossup("AA1")).stems, rnn.terms), places(tokenize(Tossup("AA1")).stems, dan.terms)
    assert np.array_equal(rnn.vectors.table[stem[0]], dan.vectors.table[stem[1]])
