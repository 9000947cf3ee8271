"""What tests of several packages need: bundles, engines, windows, a watch over what tests leave behind."""

from __future__ import annotations

import faulthandler
import gc
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # several processes test at once: threads of each would wait
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for those of the others
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"  # never the keyring of the developer

import quizwriter.gui  # noqa: F401, I001 - first, so that PySide looks at no import

import hypothesis
import pytest
import shiboken6
from _pytest.faulthandler import fault_handler_stderr_fd_key
from msgspec.structs import replace

from index_builder.progress import Progress
from index_builder.starter import starter_bundle
from quizwriter.domain.guessing import Player
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import DATABASE, App
from quizwriter.system.extras import TRAINING, require_extra
from quizwriter.system.resource_files import resources_folder
from tests.helpers.elasticsearch_node import VERSIONS, Node, NotHere, node
from tests.helpers.fakes import BuzzAt, Scripted
from tests.helpers.firefox import BROWSERS
from tests.helpers.forest import plant
from tests.helpers.leaks import Leaks
from tests.helpers.logs import Logs
from tests.helpers.made_database import made_once
from tests.helpers.made_queue import put_four
from tests.helpers.novels import plant_novels
from tests.helpers.patience import PatientBot, release_modifiers
from tests.helpers.scheduling import ALL, PROOFS, ROOT, TRAINING_PROCESS, is_proof, undeclared
from tests.helpers.shared_data import SHARED, not_here
from tests.helpers.windows import belongs, shared

# no clock, no stray files; each run draws others, so that few a run are many in a day
hypothesis.settings.register_profile("quizwriter", deadline=None, database=None, max_examples=20)
# of make test-all and make mutants
hypothesis.settings.register_profile("thorough", deadline=None, database=None, max_examples=100)
hypothesis.settings.load_profile("quizwriter")

IMPORTS_TRAINING = re.compile(r"^(?:from|import) (?:index_builder\.training|torch)\b", re.MULTILINE)

IMPORTS_DENSE = re.compile(
    r"^(?:from|import) (?:onnx|safetensors|tokenizers|tests\.helpers\.made_encoder)\b", re.MULTILINE
)
"""What only the tests of the dense player import."""


def missing(extra, purpose):
    """Which packages of an extra are not installed, in a sentence; empty if all are."""
    try:
        require_extra(extra, purpose)
    except QuizwriterError as trouble:
        return trouble.problem
    return ""


UNTRAINED, NOT_DENSE = missing("train", TRAINING), missing("dense", "The dense player")


def _only_proves(path):
    return path.is_relative_to(ROOT) and PROOFS.get(path.relative_to(ROOT).as_posix()) is ALL


LONG_SETUP_S = 900.0
"""How long a fixture that several tests share may take on a busy machine before it counts as hanging."""

_SETUPS: list[object] = []  # what is being made, and needs what is being made after it


def pytest_configure(config):
    """Tests fail for what they leave running and for warnings that they did not announce."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell lets what runs behind it ignore Ctrl+C
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the programs of tests must not
    for plugin in (Leaks(), Logs()):
        config.pluginmanager.register(plugin)


def pytest_report_header():
    """Says what is left out, so that nobody takes such a run for a whole one."""
    lines = [f"{said} The tests that need them are left out." for said in (UNTRAINED, NOT_DENSE) if said]
    return lines or None


def pytest_ignore_collect(collection_path, config):
    """Leave out the files of tests that import what trains, where the extra that has it is not installed.

    Of several processes, all but one do so anyway. ``make test`` leaves out those that only prove, too: to
    import them takes a second.
    """
    if collection_path.name.startswith("test_"):
        if config.option.markexpr == "not proof" and _only_proves(collection_path):
            return True
        process = getattr(config, "workerinput", {"workerid": TRAINING_PROCESS})["workerid"]
        untrained = UNTRAINED or process != TRAINING_PROCESS
        patterns = [*([IMPORTS_TRAINING] if untrained else []), *([IMPORTS_DENSE] if NOT_DENSE else [])]
        text = collection_path.read_text(encoding="utf-8") if patterns else ""
        return any(pattern.search(text) for pattern in patterns) or None
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that ``make test`` leaves to ``make test-all``."""
    for item in items:
        if is_proof(item.nodeid, item.fixturenames):
            item.add_marker("proof")


def pytest_terminal_summary(terminalreporter):
    """Name long tests and groups that are not declared."""
    reports = [report for kind in ("", "passed", "failed") for report in terminalreporter.stats.get(kind, ())]
    for sentence in undeclared((one.nodeid, one.duration) for one in reports if "proof" not in one.keywords):
        terminalreporter.write_line(sentence, yellow=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Have few sweeps of garbage, and none look at what the tests import: half a million objects, which stay.

    As Python sets it, sweeping takes a third of the time of importing, and of every test that reads much.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(7_000, 10, 50)  # Python's own: 700, 10, 10
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep tests together that share what takes long to make."""
    from tests.helpers.scheduling import Together

    return Together(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """Stop the clock that ends a hanging test while something is made that many tests share.

    On a busy machine it takes minutes to train networks or to start a server; a test takes seconds.
    """
    limit = float(request.config.getini("faulthandler_timeout") or 0)
    if fixturedef.scope == "function" or not limit:
        return (yield)
    to = {"exit": True, "file": request.config.stash[fault_handler_stderr_fd_key]}
    _SETUPS.append(fixturedef)
    faulthandler.dump_traceback_later(LONG_SETUP_S, **to)
    try:
        return (yield)
    finally:
        _SETUPS.pop()
        faulthandler.dump_traceback_later(LONG_SETUP_S if _SETUPS else limit, **to)


@pytest.fixture(scope="session", autouse=True)
def _databases(tmp_path_factory):
    """The tables of new databases are made once a run, as each window has one."""
    with made_once(tmp_path_factory.mktemp("database")):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Collect no garbage during a test with windows.

    A thread that trips the collector, or a style sheet that is being set, would destroy widgets that Qt uses.
    """
    if "qapp" not in item.fixturenames or not (gc.isenabled() or shared):
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        if not shared:
            gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Collect the garbage of a test with windows once nothing holds them, before the watch looks for them.

    What is left at the end of a file stays, as imports and shared fixtures do: no later sweep looks at it.
    """
    result = yield
    if not gc.isenabled():
        item.funcargs.clear()
        last = nextitem is None or nextitem.path != item.path
        gc.collect(2 if last else 1)
        if last:
            gc.freeze()
    return result


@pytest.fixture
def qtbot(qapp, request):
    """That of pytest-qt, which waits longer; the keys that a test held are released after it."""
    yield PatientBot(request)
    release_modifiers()


@pytest.fixture
def app(tmp_path):
    """The application of a writer named Ada, with a database and no bundle."""
    app = App(tmp_path)
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    yield app
    app.store.close()


@pytest.fixture(scope="session")
def four_made(tmp_path_factory):
    """A database with four tossups, which is closed."""
    with App(tmp_path_factory.mktemp("four")) as app:
        app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
        put_four(app)
    return app.home / DATABASE


@pytest.fixture
def four(app, four_made):
    """The application with four tossups in its queue."""
    assert not (app.home / DATABASE).exists()
    for made in (four_made, *four_made.parent.glob("signing-*.key")):
        shutil.copy2(made, app.home)
    return app


@pytest.fixture(scope="session")
def starter(tmp_path_factory):
    """The folder of the starter bundle without the shipped players, whom few tests need; built once a run."""
    texts = tmp_path_factory.mktemp("texts") / "starter"
    shutil.copytree(resources_folder() / "starter", texts, ignore=shutil.ignore_patterns("players"))
    return starter_bundle(texts, tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="session")
def engine(starter):
    """The engine of the starter bundle."""
    return load(starter)


@pytest.fixture(scope="session")
def bare_forest(tmp_path_factory):
    """A bundle, nothing trained, of tossups on six trees: 12 on each to learn, 4 to judge, 4 to measure."""
    return plant(tmp_path_factory.mktemp("forests") / "bare", ["guesstrain"] * 3 + ["buzztrain", "guessdev"])


@pytest.fixture(scope="session")
def small_and_quick():
    """Makes trained players small and their training short, within a context."""
    if UNTRAINED:
        pytest.skip(UNTRAINED)
    from index_builder.training import ensemble, trainer
    from index_builder.training.learner import TrainingPlan
    from index_builder.training.page_classifier import NetworkSize

    def plan(name, training_set, minutes, seed):
        size = NetworkSize(width=12, hidden=16, units=8)
        return TrainingPlan(
            20 if name == "dan" else 8, 1e9, 16, rate=0.3, dense_rate=1e-2, seed=seed, size=size
        )

    @contextmanager
    def smaller():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ensemble, "LAYERS", (6,))
            patch.setattr(ensemble, "MINIMUM_STEPS", 60)
            patch.setattr(trainer, "standard_plan", plan)
            yield

    return smaller


@pytest.fixture(scope="session")
def forest(bare_forest, small_and_quick, tmp_path_factory):
    """The forest with everyone trained, and the report of the training."""
    from index_builder.training.trainer import train

    folder = shutil.copytree(bare_forest, tmp_path_factory.mktemp("trained") / "forest")
    with small_and_quick():
        report = train(folder, ("dan", "rnn", "birnn", "ensemble", "buzzers"), Progress())
    return folder, report


@pytest.fixture(scope="session")
def trees(forest):
    """The engine of the forest."""
    return load(forest[0])


@pytest.fixture(scope="session")
def novels(tmp_path_factory):
    """A bundle of made-up authors and novels, nothing trained."""
    return plant_novels(tmp_path_factory.mktemp("novels") / "novels")


@pytest.fixture(scope="session")
def novels_with_distractor(novels, tmp_path_factory):
    """The made-up novels with a distractor, and the report of its training."""
    if UNTRAINED:
        pytest.skip(UNTRAINED)
    from index_builder.training.distractor import DistractorPlan
    from index_builder.training.trainer import TrainingOptions, train

    folder = shutil.copytree(novels, tmp_path_factory.mktemp("novels") / "trained")
    plan = DistractorPlan(steps=80, batch=12, rate=2e-3, warm_up=20)
    options = TrainingOptions(distractor=plan, threads=1, device="cpu")
    return folder, train(folder, ["distractor"], Progress(), options=options)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with real questions, beside the repository; never inside it."""
    folder = SHARED
    if not folder.is_dir():
        reason = f"There is no real data in {folder}, so nothing can be said about real questions."
        not_here(reason)
    return folder


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


@pytest.fixture(scope="module", params=BROWSERS)
def open_browser(request, tmp_path_factory):
    """A window of each browser, which takes seconds to start."""
    with request.param(tmp_path_factory.mktemp("browser") / "profile") as browser:
        yield browser


@pytest.fixture
def browser(open_browser, tmp_path):
    """That window, with nothing of what another test did in it."""
    empty = tmp_path / "empty.html"
    empty.write_text("<title>Empty</title>", encoding="utf-8")
    open_browser.open(empty)
    open_browser.run("localStorage.clear()")
    return open_browser


@pytest.fixture
def player():
    """Makes a player of this name and script that buzzes after that many words."""

    def player(name, *script, buzz=None, **troubles):
        return Player(Scripted(name, *script, **troubles), BuzzAt(buzz), engine=f"{name}-digest")

    return player


@contextmanager
def _collecting_here():
    from quizwriter.gui.background.garbage import collecting_garbage_here

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)  # what stays is frozen since the tests were collected
        with collecting_garbage_here():
            patch.undo()
            yield
            patch.setattr(gc, "unfreeze", lambda: None)


@pytest.fixture
def collecting_here():
    """Garbage is collected between events of this thread only, as in the running window."""
    with _collecting_here():
        yield


@contextmanager
def _windows(qtbot, qapp, home, opened):
    """Opens windows, in ``opened``; all are closed at the end of the block."""
    from quizwriter.gui.application import make_window
    from tests.helpers.fakes import FakeApp

    def open_one(app=None, *, tossup=None, players=None, start=True, persistent=True, right=True):
        from quizwriter.workflow.session import WritingSession

        app = app or FakeApp(home, players)
        session = None if tossup is None else WritingSession("t0", tossup, cursor=len(tossup.text))
        window = make_window(app, qapp, session=session, persistent=persistent)
        opened.append(window)
        belongs(window, app)
        window.show()
        qtbot.waitExposed(window)
        if start:
            with qtbot.waitSignal(window.analysis_runner.loaded):
                window.start()
            window.engines._settle()  # no test waits for players that it holds back
            qtbot.waitUntil(lambda: window.answer.has_pages)
        if right:
            window.show_right()
        window.draft.setFocus()
        return window

    yield open_one
    for window in filter(shiboken6.isValid, opened):
        window.close()  # twice, should the disk of the test be full
        window.close()
        window.deleteLater()


@pytest.fixture
def open_window(qtbot, qapp, tmp_path, collecting_here):
    """Opens windows on fake applications; all are closed when the test ends.

    Guesses and evidence are in sight, as most tests look at them; without ``right``, as at rest.
    """
    with _windows(qtbot, qapp, tmp_path, []) as open_one:
        yield open_one


@pytest.fixture(scope="module")
def open_shared(request, qapp, tmp_path_factory):
    """As ``open_window``, for all tests of a file together, each of which has them put back.

    Making a window takes longer than most tests.
    """
    home = tmp_path_factory.mktemp("home")
    with _collecting_here(), _windows(PatientBot(request), qapp, home, shared) as open_one:
        yield open_one
    shared.clear()


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
