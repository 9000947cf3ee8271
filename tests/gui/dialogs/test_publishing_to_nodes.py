"""Publishing from Preferences to real servers: to one, and to three of which one is killed meanwhile."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import Qt

from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.services.wiring import App
from tests.helpers.elasticsearch_node import VERSIONS, NotHere, cluster

pytestmark = pytest.mark.logs("", "elastic_transport", always=False)

INDEX = "forest"


@pytest.fixture(autouse=True)
def _swept():
    yield
    gc.collect()  # here, where it does no harm


@pytest.fixture
def preferences(qtbot, open_window, tmp_path, bare_forest):
    """The dialog of the server in a real window on the forest."""
    app = App(tmp_path / "home", bare_forest)
    window = open_window(app, tossup=Tossup("This tree is"), start=False)
    with qtbot.waitSignal(window.analysis_runner.loaded):
        window.start()
    window.engines.open_server()
    yield window.engines.server_dialog
    app.store.close()


def publish(qtbot, dialog, url, cache):
    """Press Publish twice; what is made for it goes into the folder ``cache``, not into that of all tests."""
    dialog.url.setText(url)
    dialog.index.setText(INDEX)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        for _ in range(2):
            qtbot.mouseClick(dialog.publish_button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: dialog.publishing)


def finish(qtbot, dialog):
    """Wait for the end; what the dialog says then."""
    qtbot.waitUntil(lambda: not dialog.publishing, timeout=100_000)
    return dialog.message.text()


def passages(bundle):
    """How many passages the bundle has."""
    return Bundle.open(bundle).about["counts"]["passages"]


def test_one_server_has_the_whole_bundle_and_the_connection_test_counts_it(
    qtbot, elasticsearch, preferences, bare_forest, tmp_path
):
    publish(qtbot, preferences, elasticsearch.url, tmp_path / "cache")
    assert finish(qtbot, preferences).startswith(f"Published {INDEX}")

    qtbot.mouseClick(preferences.test_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: INDEX in preferences.message.text())
    assert f"{passages(bare_forest):,}" in preferences.message.text()


def test_of_three_nodes_one_is_killed_while_passages_are_sent_and_nothing_is_lost(
    qtbot, preferences, bare_forest, tmp_path, monkeypatch
):
    show, killed_at = preferences.message.setText, []
    try:
        with cluster(next(iter(VERSIONS)), tmp_path / "nodes") as nodes:

            def show_and_kill(text):
                show(text)
                if text.startswith("Sending") and not killed_at:
                    killed_at.append(
                        text
                    )  # here: waiting for the text may miss it, as there is little to send
                    # an index that is being loaded has one copy: who loses that one is told so
                    rows = nodes[0].ask("/_cat/shards?format=json")
                    holders = {row["node"] for row in rows if row["index"].startswith(INDEX)}
                    nodes[1 if "three" in holders else 2].kill()

            monkeypatch.setattr(preferences.message, "setText", show_and_kill)
            publish(qtbot, preferences, ",".join(one.url for one in nodes), tmp_path / "cache")
            assert finish(qtbot, preferences).startswith(f"Published {INDEX}")
            assert killed_at

            counted = nodes[0].ask(f"/{INDEX}/_count", "POST", {"query": {"exists": {"field": "text"}}})
            assert counted["count"] == passages(bare_forest)
            assert nodes[0].ask(f"/_cluster/health/{INDEX}")["status"] == "green"
    except NotHere as missing:
        pytest.skip(str(missing))
