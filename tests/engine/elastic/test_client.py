"""Servers that cannot be used, and what the player says of them."""

from __future__ import annotations

import json
import random
import threading
import time
from dataclasses import replace

import pytest
import trustme

from index_builder.index.elastic_publisher import IndexOptions, publish_index
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import META_KEY, Connection, probe_index
from quizwriter.engine.elastic.guesser import ElasticGuesser
from quizwriter.errors import QuizwriterError
from tests.helpers.elasticsearch_node import VERSIONS, NotHere, cluster, node
from tests.helpers.elasticsearch_players import Watched, patient
from tests.helpers.hostile_server import HostileServer, redirects_elsewhere, sends_nothing
from tests.helpers.nginx import KEY, gates
from tests.helpers.patience import PATIENCE_S
from tests.helpers.shared_data import not_here

pytestmark = pytest.mark.logs("has failed for|marked alive|Retrying request", always=False)
"""The client logs each node that does not answer, and each that answers again."""

FIRST = next(iter(VERSIONS))
TOSSUP = Tossup("Pinkerton leaves this geisha in Nagasaki after singing of the Stars and Stripes.")


def trouble(player):
    """What a game of ``player`` comes to."""
    with pytest.raises(QuizwriterError) as said:
        player.play(TOSSUP)
    return said.value


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def gate(starter_there, authority, tmp_path_factory):
    """nginx before the server."""
    try:
        started = gates(tmp_path_factory.mktemp("nginx"), starter_there.url, authority)
        with started as found:
            yield found
    except NotHere as reason:
        not_here(str(reason))


@pytest.fixture
def certificate(authority, tmp_path):
    """The file of the authority that signed for the server."""
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return str(tmp_path / "ca.pem")


def test_it_plays_through_tls_with_a_key(gate, certificate, player):
    secure = patient(Connection(gate.secure, "starter", ca=certificate, api_key=KEY))

    assert secure.play(TOSSUP) == player.play(TOSSUP)
    assert KEY not in repr(secure.connection)


@pytest.mark.parametrize("key", ["", "a-bad-key"])
def test_a_wrong_key_is_said(gate, certificate, key):
    said = trouble(ElasticGuesser(Connection(gate.secure, "starter", ca=certificate, api_key=key)))

    assert "does not accept the key" in said.problem
    assert "API key" in said.remedy
    assert not key or key not in str(said)


def test_a_certificate_of_nobody_known_is_refused_unless_told_otherwise(gate):
    said = trouble(ElasticGuesser(Connection(gate.secure, "starter", api_key=KEY)))

    assert "certificate" in said.problem
    assert patient(Connection(gate.secure, "starter", api_key=KEY, verify=False)).play(TOSSUP).final


def test_a_certificate_file_that_is_none_is_said(gate, tmp_path):
    (tmp_path / "no.pem").write_text("no certificate")

    for name in ("no.pem", "nowhere.pem"):
        with pytest.raises(QuizwriterError, match="certificate") as said:
            ElasticGuesser(Connection(gate.secure, "starter", ca=str(tmp_path / name), api_key=KEY))
        assert "PEM" in said.value.remedy


def test_a_cut_connection_is_said(gate):
    said = trouble(ElasticGuesser(Connection(gate.cutting, "starter")))

    assert "cannot be reached" in said.problem


def test_another_version_or_another_server_is_said(gate):
    said = trouble(ElasticGuesser(Connection(gate.old, "starter")))
    assert "7.17.9" in said.problem

    said = trouble(ElasticGuesser(Connection(gate.other, "starter")))
    assert "not Elasticsearch" in said.problem


def test_a_proxy_that_takes_no_large_requests_is_said(gate, starter, tmp_path):
    with pytest.raises(QuizwriterError, match="takes no requests of this size"):
        publish_index(Bundle.open(starter), Connection(gate.stingy, "stingy"), tmp_path, Watched())


def test_a_missing_index_is_said(starter_there):
    said = trouble(ElasticGuesser(Connection(starter_there.url, "nowhere")))

    assert "no index nowhere" in said.problem
    assert "publish" in said.remedy


def test_a_wrong_port_is_said():
    said = trouble(ElasticGuesser(Connection("http://127.0.0.1:9", "starter")))

    assert "cannot be reached" in said.problem


def test_a_server_that_sends_its_client_elsewhere_is_said():
    with HostileServer(redirects_elsewhere).running() as server, pytest.raises(QuizwriterError) as said:
        probe_index(Connection(server.url, "lakes"))

    assert str(said.value).startswith(
        f"{server.url} sends QuizWriter to another address, which gets nothing."
    )


def test_what_is_sent_to_this_computer_passes_no_proxy(monkeypatch):
    with HostileServer(sends_nothing).running() as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(QuizwriterError, match="cannot be reached"):
            probe_index(Connection("http://localhost:9", "lakes"))
        assert proxy.requests == 0


@pytest.mark.parametrize(
    "url", ["", "localhost:9200", "ftp://localhost", "http://me:secret@localhost", "http://a b"]
)
def test_what_is_no_address_is_said(url):
    with pytest.raises(QuizwriterError) as said:
        ElasticGuesser(Connection(url, "starter"))
    assert "secret" not in said.value.remedy


def test_drafts_cross_no_network_in_the_open_unless_allowed():
    with pytest.raises(QuizwriterError, match="plain http"):
        ElasticGuesser(Connection("http://192.0.2.1:9200", "starter"))
    ElasticGuesser(Connection("http://192.0.2.1:9200", "starter", plain_ok=True)).close()


@pytest.fixture
def own(starter, tmp_path):
    """A server of the test's own, the starter bundle's passages there, and the player on it."""
    try:
        with node(FIRST, tmp_path) as started:
            connection = Connection(started.url, "starter")
            publish_index(Bundle.open(starter), connection, tmp_path / "work", Watched())
            yield started, ElasticGuesser(connection)
    except NotHere as reason:
        not_here(str(reason))


def test_a_server_that_hangs_is_given_up_and_one_that_dies_is_said(own):
    server, player = own
    calm = patient(player.connection)
    expected = calm.play(TOSSUP)
    server.freeze()
    said = trouble(player)
    assert "within 2 seconds" in said.problem  # and it stays frozen until here
    server.thaw()
    assert calm.play(TOSSUP) == expected

    failed = []

    def play_until_it_fails():
        try:
            while True:
                calm.play(TOSSUP)  # the other may be tired of a busy machine before it dies
        except QuizwriterError as trouble:
            failed.append(trouble)

    playing = threading.Thread(target=play_until_it_fails)
    playing.start()
    time.sleep(random.Random(0).uniform(0.2, 0.4))
    server.kill()
    playing.join(PATIENCE_S)
    assert "cannot be reached" in failed[0].problem
    assert "cannot be reached" in trouble(player).problem


def test_copies_answer_for_a_lost_node_and_without_copies_it_is_said(bare_forest, tmp_path):
    connection, tossup = Connection("", "forest"), Tossup("This novel AA1 AA2 AA3")
    try:
        with cluster(FIRST, tmp_path) as nodes:
            connection = replace(connection, url=",".join(one.url for one in nodes))
            options = IndexOptions(shards=3)
            publish_index(Bundle.open(bare_forest), connection, tmp_path / "work", Watched(), options=options)
            health = nodes[0].ask("/_cluster/health?wait_for_status=green&timeout=30s", within_s=45)
            assert health["status"] == "green"
            at_once = {"index": {"unassigned.node_left.delayed_timeout": "0"}}  # not after a minute
            nodes[0].ask("/forest-*/_settings", "PUT", at_once)
            player = patient(connection)
            expected = player.play(tossup)
            nodes[2].kill()
            assert player.play(tossup) == expected

            health = nodes[0].ask(
                "/_cluster/health?wait_for_nodes=2&wait_for_status=green&timeout=60s", within_s=75
            )
            assert health["status"] == "green", "two nodes have two copies of all"
            alone = {"index": {"auto_expand_replicas": False, "number_of_replicas": 0}}
            nodes[0].ask(f"/{probe_index(connection).index}/_settings", "PUT", alone)
            shards = nodes[0].ask("/_cat/shards/forest-*?format=json")
            holder = next(one for one in nodes[:2] if any(shard["node"] == one.name for shard in shards))
            other = next(one for one in nodes[:2] if one is not holder)
            holder.kill()
            said = trouble(ElasticGuesser(replace(connection, url=other.url)))
            assert "part of the cluster" in said.problem or "did not answer" in said.problem
    except NotHere as reason:
        not_here(str(reason))


@pytest.mark.parametrize("hearing", [[0.5, 0.75, 1, 1], [-0.1, 0, 1, 1], [0, 0, 1, -1], [0, 0, 1]], ids=str)
def test_an_index_that_weighs_terms_by_nonsense_is_refused(hearing):
    about = {"schema": 1, "complete": True, "hearing": [0.5, 0.5, 1, 1]}

    def sound(target):
        mapping = {"lakes-1": {"mappings": {"_meta": {META_KEY: about}}}}
        counted = {"count": 9, "_shards": {"total": 1, "successful": 1, "failed": 0}}
        version = {"version": {"number": "8.19.0"}}
        found = version if target == "/" else mapping if "_mapping" in target else counted
        return json.dumps(found).encode()

    with HostileServer(lambda request: None, sound).running() as server:
        connection = Connection(server.url, "lakes")
        assert probe_index(connection).index == "lakes-1"
        about["hearing"] = hearing
        with pytest.raises(QuizwriterError, match="but not as Elasticsearch does"):
            probe_index(connection)
