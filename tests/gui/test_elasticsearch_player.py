"""A real server in the window: what it says, and that nobody waits for it when it is in trouble."""

import gc
import json
import logging
from contextlib import ExitStack
from functools import partial

import keyring
import pytest
import trustme
from msgspec.structs import replace
from PySide6.QtCore import Qt

from index_builder.index.elastic_publisher import publish_index
from quizwriter.cli import main
from quizwriter.domain.evidence import Method
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import Connection
from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings
from tests.helpers.elasticsearch_node import VERSIONS, node
from tests.helpers.elasticsearch_proxy import Front
from tests.helpers.fakes import MemoryKeyring
from tests.helpers.forest import in_the_forest

OPENING = in_the_forest("Elm", 3)
"""What the writer has so far: a king, by clues of its own and leaves of all trees."""
SECRET = "hunter2-very-secret"


pytestmark = [
    # a client that refuses a certificate leaves its socket to the garbage collector
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.logs("elasticsearch could not", "elastic_transport", always=False),
]


@pytest.fixture(autouse=True)
def _swept():
    yield
    gc.collect()  # here, where it does no harm


@pytest.fixture
def made():
    """Applications, whose databases are closed after their windows."""
    made = []
    yield made
    for app in made:
        app.store.close()


@pytest.fixture
def writing(qtbot, made, open_window, tmp_path, bare_forest):
    """Opens a real window beside a server."""

    def write(server, text=OPENING, again_ms=100):
        app = App(tmp_path / "home", bare_forest)
        made.append(app)
        app.profile.save_settings(replace(app.profile.settings, elasticsearch=server))
        window = open_window(app, tossup=Tossup(text), start=False)
        reader = window.analysis_runner._readers[2]
        reader._first_ms = reader._wait_ms = again_ms
        with qtbot.waitSignal(window.analysis_runner.loaded):
            window.start()
        return window

    return write


def said(window):
    """What the lane of the server says instead of a game."""
    lanes = {one.name: one for one in window.time_line.lanes}
    lane = lanes.get("elasticsearch")
    return (lane.trouble or "") if lane else ""


def plays(window):
    lanes = {one.name: one for one in window.time_line.lanes}
    lane = lanes.get("elasticsearch")
    return bool(lane and lane.states) and "elasticsearch" in window.analysis.players_up_to_date


def type_along(qtbot, window, text=" Leaf3 EE5 leaf7"):
    """Types; the guesses of this computer for each key come onto the screen, whatever the server does."""
    for letter in text:
        with qtbot.waitSignal(window.painted, check_params_cb=partial(_newest, window)):
            qtbot.keyClicks(window.draft, letter)


def _newest(window, generation):
    return generation == window.session.generation


class Quiet:
    """Progress that nobody watches."""

    def __getattr__(self, name):
        return lambda *_: None


def put(bundle, node, folder, index="tossups"):
    """Publish the passages of a bundle."""
    publish_index(Bundle.open(bundle), Connection(node.url, index), folder, Quiet())


@pytest.fixture(scope="module")
def server(elasticsearch, bare_forest, tmp_path_factory):
    """A node with the forest's passages, and its settings."""
    put(bare_forest, elasticsearch, tmp_path_factory.mktemp("work"))
    return ServerSettings(on=True, url=elasticsearch.url, index="tossups")


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def front(server, authority):
    """Stands before the node; encrypted if told so."""
    with ExitStack() as stack:

        def stand(*, encrypted=False):
            front = Front(server.url, authority=authority if encrypted else None)
            return stack.enter_context(front.standing())

        yield stand


def lost(qtbot, window, sentence, healed=None):
    """The lane says ``sentence``; meanwhile nobody else waits. If ``healed``, it comes back without a key."""
    qtbot.waitUntil(lambda: sentence in said(window))
    type_along(qtbot, window)
    assert sentence in said(window)
    if healed is not None:
        healed()
        qtbot.waitUntil(lambda: plays(window))


# -- all is well


def test_the_server_plays_along_and_shows_its_own_passages(qtbot, writing, server):
    window = writing(server)
    qtbot.waitUntil(lambda: plays(window))
    ir, elastic = (view.shown for view in window.guesses.cards)
    assert [line.page for line in elastic.lines] == [line.page for line in ir.lines] != []

    window.analysis.show_evidence_of("elasticsearch")
    qtbot.waitUntil(lambda: window.settled and window.evidence.shown.about[0] == "elasticsearch")
    (found,) = window.session.analysis.evidence
    assert found.method is Method.SHARE
    marked = {hit.of(passage.text).casefold() for passage in found.passages for hit in passage.hits}
    said = {word.of(OPENING).strip(".").casefold() for word in window.session.tossup.words}
    assert marked
    assert marked <= said


def test_preferences_let_one_into_a_guarded_server_and_its_key_is_nowhere_else(
    qtbot, writing, server, front, authority, monkeypatch, tmp_path, caplog
):
    kept = MemoryKeyring()
    monkeypatch.setattr(keyring, "get_keyring", lambda: kept)
    monkeypatch.delenv("QUIZWRITER_ELASTICSEARCH_API_KEY", raising=False)
    caplog.set_level(logging.DEBUG)
    guard = front(encrypted=True)
    guard.let_in(SECRET)
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(trusted)
    window = writing(ServerSettings())
    window.engines.open_server()
    dialog = window.engines.server_dialog
    dialog.url.setText(guard.url)
    dialog.index.setText("tossups")
    dialog.ca.setText(str(trusted))
    dialog.sign_in["key"].setChecked(True)
    dialog.secret.setText(SECRET)
    dialog.on.setChecked(True)
    qtbot.mouseClick(dialog.test_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.message.text().startswith("It answers in"))
    assert "documents in tossups-" in dialog.message.text()
    assert not any(body for _, _, body in guard.asked if b"exists" not in body)  # no draft yet
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: plays(window))

    assert SECRET in kept.kept.values()
    assert SECRET not in (tmp_path / "home" / "settings.toml").read_text()
    assert SECRET not in caplog.text
    assert OPENING not in caplog.text
    qtbot.keyClicks(window.draft, "s")
    window.analysis.switch_player("elasticsearch")
    asked = len(guard.asked)
    type_along(qtbot, window)
    qtbot.waitUntil(lambda: window.settled)
    assert len(guard.asked) <= asked + 1  # the one that was on its way


def test_an_edited_file_does_not_send_drafts_over_a_network_in_the_open(qtbot, writing):
    window = writing(ServerSettings(on=True, url="http://search.invalid:9200", index="tossups"))
    lost(qtbot, window, "would get drafts over plain http")


def test_the_commands_take_the_server_s_player(capsys, server, bare_forest, tmp_path, monkeypatch):
    monkeypatch.setenv("QUIZWRITER_HOME", str(tmp_path / "home"))
    draft = tmp_path / "draft.txt"
    draft.write_text(f"{OPENING}\nANSWER: Elm")
    options = ["--bundle", str(bare_forest), "--json", "--elasticsearch", server.url]
    assert main(["play", str(draft), *options, "--index", "tossups"]) == 0
    plays = {play["guesser"]: play for play in json.loads(capsys.readouterr().out)["plays"]}
    assert plays["elasticsearch"]["rows"][-1][0]["page"] == plays["ir"]["rows"][-1][0]["page"] == "Elm"
    assert main(["play", str(draft), *options, "--index", "nowhere"]) == 0  # the others play on
    assert "no index nowhere" in json.loads(capsys.readouterr().out)["plays"][-1]["trouble"]

    questions = ["--questions", str(bare_forest.with_suffix(".jsonl")), "--limit", "5"]
    assert main(["evaluate", *questions, *options, "--index", "tossups"]) == 0
    guessers = json.loads(capsys.readouterr().out)["guessers"]
    assert guessers["elasticsearch"]["top1"]["100"] == guessers["ir"]["top1"]["100"]
    assert main(["evaluate", *questions, *options, "--index", "nowhere"]) == 1
    assert capsys.readouterr().err.splitlines()[0].startswith("There is no index nowhere on")


# -- each trouble


FIRST = next(iter(VERSIONS))
one_is_enough = pytest.mark.parametrize("elasticsearch", [FIRST], indirect=True, scope="session")
"""What the program says does not depend on the server's version."""


def test_a_server_that_hangs_and_comes_back_and_then_dies_in_a_query(qtbot, writing, bare_forest, tmp_path):
    with node(FIRST, tmp_path / "node") as own:
        put(bare_forest, own, tmp_path / "work")
        window = writing(ServerSettings(on=True, url=own.url, index="tossups"))
        qtbot.waitUntil(lambda: plays(window))
        own.freeze()
        type_along(qtbot, window)  # while the query hangs
        lost(qtbot, window, "did not answer within 2 seconds", healed=own.thaw)
        own.freeze()
        qtbot.keyClicks(window.draft, "s")
        qtbot.wait(300)  # the query is on its way
        own.kill()
        lost(qtbot, window, "cannot be reached")


@one_is_enough
def test_a_wrong_port(qtbot, writing, server):
    window = writing(replace(server, url="http://127.0.0.1:9"))
    lost(qtbot, window, "cannot be reached")


@one_is_enough
def test_a_wrong_key(qtbot, writing, server, front, monkeypatch):
    guard = front()
    guard.let_in("the right one")
    monkeypatch.setenv("QUIZWRITER_ELASTICSEARCH_API_KEY", "hunter2")
    window = writing(replace(server, url=guard.url, sign_in="key"))
    lost(qtbot, window, "does not accept the key or password", healed=lambda: guard.let_in("hunter2"))


@one_is_enough
def test_a_proxy_that_cuts_the_connection(qtbot, writing, server, front):
    proxy = front()
    window = writing(replace(server, url=proxy.url))
    qtbot.waitUntil(lambda: plays(window))
    proxy.cut = 100
    qtbot.keyClicks(window.draft, "s")
    lost(qtbot, window, "cannot be reached", healed=lambda: setattr(proxy, "cut", None))


@one_is_enough
def test_a_certificate_that_nobody_here_trusts(qtbot, writing, server, front):
    lost(qtbot, writing(replace(server, url=front(encrypted=True).url)), "is not trusted")


@pytest.mark.parametrize("version", ["7.17.0", "8.2.0", "10.0.0"])
@one_is_enough
def test_another_version(qtbot, writing, server, front, version):
    old = front()
    old.version = version
    window = writing(replace(server, url=old.url))
    lost(qtbot, window, f"Elasticsearch {version}, which QuizWriter cannot use")


@one_is_enough
def test_no_such_index(qtbot, writing, server):
    window = writing(replace(server, index="nowhere"))
    lost(qtbot, window, "There is no index nowhere")


@one_is_enough
def test_an_index_that_is_still_being_loaded(qtbot, writing, server, bare_forest, elasticsearch, tmp_path):
    about = {"quizwriter": {"schema": 1, "sent": 30, "documents": 100}}
    elasticsearch.ask("/later-1", "PUT", {"mappings": {"_meta": about}})
    window = writing(replace(server, index="later"))
    lost(
        qtbot,
        window,
        "still being loaded: 30 % is there",
        healed=lambda: put(bare_forest, elasticsearch, tmp_path / "work", "later"),
    )
