"""What several test files need: the starter bundle, and the shared data."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import hypothesis
import pytest

from index_builder.build import build
from index_builder.data import Inputs
from index_builder.progress import NullProgress
from index_builder.starter import starter_bundle
from quizwriter.domain.evidence import Evidence, Method
from quizwriter.domain.guessing import TOP, Buzz, Guess, Player, Playthrough
from quizwriter.engine import load
from quizwriter.services import resources_folder
from tests.elasticsearch_node import VERSIONS, Node, NotHere, node

hypothesis.settings.register_profile("quizwriter", deadline=None, database=None)  # no clock, no stray files
hypothesis.settings.load_profile("quizwriter")

SHARED = Path(__file__).parents[2] / "shared" / "data"


def pytest_collection_modifyitems(items):
    """Where several processes test at once, a file's tests stay in one, as do those that share much."""
    for item in items:
        shared = {"elasticsearch", "forest"} & set(item.fixturenames)
        item.add_marker(pytest.mark.xdist_group(min(shared, default=item.path.stem)))


@pytest.fixture(scope="session")
def starter(tmp_path_factory):
    """The folder of the starter bundle, built once a run."""
    return starter_bundle(resources_folder() / "starter", tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="session")
def engine(starter):
    """The engine of the starter bundle."""
    return load(starter)


TREES = dict.fromkeys(("Alder", "Birch", "Cedar"), "novel") | dict.fromkeys(("Dogwood", "Elm", "Fir"), "king")
"""The pages of the forest, and what tossups call each."""


def in_the_forest(tree, number):
    """A tossup on ``tree``: clues of its own, and words that may be about any."""
    draw = random.Random(f"{tree} {number}")
    clues = [f"{tree[0]}{tree[0]}{draw.randrange(8)}" for _ in range(6)]
    others = [f"leaf{draw.randrange(20)}" for _ in range(5)]
    words = draw.sample([*clues, *others], 11)
    return f"This {TREES[tree]} {' '.join(words[:6])}. {' '.join(words[6:])}."


def plant(folder, folds):
    """A bundle in ``folder`` of tossups on trees; number n is of fold ``folds[n % len(folds)]``."""
    rows = [
        {
            "id": f"{tree}{number}",
            "text": in_the_forest(tree, number) + (" Rare" + fold if fold != "guesstrain" else ""),
            "page": tree,
            "answer": tree,
            "category": "Literature" if kind == "novel" else "History",
            "fold": fold,
        }
        for tree, kind in TREES.items()
        for number in range(20)
        for fold in [folds[number % len(folds)]]
    ]
    file = folder.with_suffix(".jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    build(Inputs((file,)), folder, "Forest", NullProgress())
    return folder


@pytest.fixture(scope="session")
def bare_forest(tmp_path_factory):
    """A bundle, nothing trained, of tossups on six trees: 12 on each to learn, 4 to judge, 4 to measure."""
    return plant(tmp_path_factory.mktemp("forests") / "bare", ["guesstrain"] * 3 + ["buzztrain", "guessdev"])


@pytest.fixture(scope="session")
def small_and_quick():
    """Makes trained players small and their training short, within a context."""
    from contextlib import contextmanager

    import jax

    from index_builder.training import TrainingPlan, ensemble, trainer

    def plan(name, training_set, minutes, seed):
        sizes = {"width": 12, "hidden": 16, "units": 8}
        return TrainingPlan(
            20 if name == "dan" else 8, 1e9, 16, rate=0.3, dense_rate=1e-2, seed=seed, **sizes
        )

    jax.config.update("jax_disable_most_optimizations", True)  # they take longer than such a training

    @contextmanager
    def smaller():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ensemble, "LAYERS", (6,))
            patch.setattr(trainer, "standard_plan", plan)
            yield

    return smaller


@pytest.fixture(scope="session")
def forest(bare_forest, small_and_quick, tmp_path_factory):
    """The forest with everyone trained, and the report of the training."""
    import shutil

    from index_builder.training import train

    folder = shutil.copytree(bare_forest, tmp_path_factory.mktemp("trained") / "forest")
    with small_and_quick():
        report = train(folder, ("dan", "rnn", "birnn", "ensemble", "buzzers"), NullProgress())
    return folder, report


@pytest.fixture(scope="session")
def trees(forest):
    """The engine of the forest."""
    return load(forest[0])


@pytest.fixture
def shared_data() -> Path:
    """The folder with real questions, beside the repository; never inside it."""
    folder = SHARED
    if not folder.is_dir():
        reason = f"There is no real data in {folder}, so nothing can be said about real questions."
        not_here(reason)
    return folder


def not_here(reason):
    """Skip what cannot be tested here; where everything is to be tested, fail."""
    if os.environ.get("QUIZWRITER_REQUIRE_DATA"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session", params=list(VERSIONS))
def elasticsearch(request, tmp_path_factory):
    """A real Elasticsearch of each version: the one QUIZWRITER_TEST_ELASTICSEARCH names, else one from Maven.

    Tests that kill or stop theirs start their own; everyone else shares this one.
    """
    named = os.environ.get("QUIZWRITER_TEST_ELASTICSEARCH")
    if named:
        if request.param != next(iter(VERSIONS)):
            pytest.skip("Only the server that QUIZWRITER_TEST_ELASTICSEARCH names is tested.")
        yield Node(None, named.rstrip("/"), None, request.param)
        return
    try:
        started = node(request.param, tmp_path_factory.mktemp(f"elasticsearch-{request.param}"))
        with started as found:
            yield found
    except NotHere as reason:
        if request.param == next(iter(VERSIONS)):
            not_here(str(reason))
        pytest.skip(str(reason))


class Scripted:
    """A guesser whose first guess after each word is the next page of ``script``, the last one for good."""

    def __init__(self, name, *script, play_trouble=None, explain_trouble=None, mute=False):
        self.name = name
        self._script = script
        self._play_trouble = play_trouble
        self._explain_trouble = explain_trouble
        self._mute = mute
        self.played = []
        self.explained = []

    def play(self, tossup, top=TOP):
        self.played.append(tossup)
        if self._play_trouble is not None:
            raise self._play_trouble
        heard = tuple(range(1, len(tossup.words) + 1)) if self._script else ()
        pages = [self._script[min(i, len(self._script) - 1)] for i in range(len(heard))]
        rows = tuple((Guess(page, 2.0), Guess("Runner_up", 1.0))[:top] for page in pages)
        return Playthrough(self.name, tossup, heard, rows, (None,) * len(rows))

    def explain(self, tossup, page, *, exact=False):
        self.explained.append((tossup.text, page))
        if self._explain_trouble is not None:
            raise self._explain_trouble
        if self._mute:
            return None
        return Evidence(self.name, page, 2.0, method=Method.WITHOUT if exact else Method.GRADIENT)


class BuzzAt:
    """A buzzer that answers with the first guess after ``heard`` words; never, if None."""

    def __init__(self, heard=None):
        self._heard = heard

    def chances(self, play):
        return (0.5,) * len(play.rows)

    def buzz(self, play):
        if self._heard is None or self._heard not in play.heard:
            return None
        return Buzz(self._heard, play.rows[play.heard.index(self._heard)][0], 0.5)


@pytest.fixture
def player():
    """Makes a player of this name and script that buzzes after that many words."""

    def player(name, *script, buzz=None, **troubles):
        return Player(Scripted(name, *script, **troubles), BuzzAt(buzz), engine=f"{name}-digest")

    return player


@pytest.fixture
def collecting_here():
    """Garbage is collected between events of this thread only, as in the running window."""
    from quizwriter.gui.background.garbage import collecting_garbage_here

    with collecting_garbage_here():
        yield


@pytest.fixture
def open_window(qtbot, qapp, tmp_path, collecting_here):
    """Opens windows on fake applications; all are closed when the test ends."""
    from quizwriter.gui.main_window import make_window
    from tests.fakes import FakeApp

    opened = []

    def open_one(app=None, *, tossup=None, players=None, start=True, keep=True):
        from quizwriter.workflow.session import WritingSession

        app = app or FakeApp(tmp_path, players)
        session = None if tossup is None else WritingSession("t0", tossup, cursor=len(tossup.text))
        window = make_window(app, qapp, session=session, keep=keep)
        opened.append(window)
        window.show()
        qtbot.waitExposed(window)
        if start:
            with qtbot.waitSignal(window.analysis_runner.loaded):
                window.start()
        window.draft.setFocus()
        return window

    yield open_one
    for window in opened:
        window.close()  # twice, should the disk of the test be full
        window.close()
        window.deleteLater()


@pytest.fixture
def small_disk(tmp_path):
    """A disk of half a megabyte."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("Only the superuser of a Linux system may mount a small disk.")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)],
        check=False,
        capture_output=True,
        text=True,
    )
    if mounted.returncode:
        pytest.skip(f"A small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)
