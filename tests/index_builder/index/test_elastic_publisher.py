"""Publishing to real Elasticsearch servers of version 8 and 9: cuts, losses, and indexes of other people."""

from __future__ import annotations

import dataclasses
import threading

import numpy as np
import pytest
from elastic_transport import Transport, TransportApiResponse
from elasticsearch import Elasticsearch

from index_builder.index import elastic_publisher, elastic_staging
from index_builder.index.elastic_publisher import IndexOptions, publish_index
from index_builder.index.elastic_staging import rounded_points
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import Connection, probe_index
from quizwriter.engine.elastic.guesser import ElasticGuesser
from quizwriter.errors import QuizwriterError
from tests.helpers.elasticsearch_node import VERSIONS
from tests.helpers.elasticsearch_players import Watched, patient
from tests.helpers.novels import author, novel

pytestmark = pytest.mark.logs("elastic_transport", "has been marked alive", always=False)
"""The client logs each node that does not answer, and when it answers again."""


@pytest.fixture(scope="module")
def player(elasticsearch, starter, tmp_path_factory):
    """The player on the starter bundle's passages."""
    connection = Connection(elasticsearch.url, "starter")
    publish_index(Bundle.open(starter), connection, tmp_path_factory.mktemp("work"), Watched())
    player = patient(connection)
    yield player
    player.close()


@pytest.fixture
def small_requests(monkeypatch):
    """So many requests that publishing can be stopped among them; what is there is noted after each."""
    monkeypatch.setattr(elastic_publisher, "REQUEST_BYTES", 20_000)
    monkeypatch.setattr(elastic_staging, "BATCH_CHARACTERS", 100_000)
    monkeypatch.setattr(elastic_staging, "RUN_CHARACTERS", 200_000)
    monkeypatch.setattr(elastic_publisher, "NOTE_EVERY", 0.0)


def test_after_a_cut_it_goes_on_and_nobody_sees_half_an_index(
    elasticsearch, starter, player, tmp_path, small_requests
):
    connection, bundle = Connection(elasticsearch.url, "halves"), Bundle.open(starter)
    with pytest.raises(KeyboardInterrupt):
        publish_index(bundle, connection, tmp_path, Watched(stop=600))

    with pytest.raises(QuizwriterError, match=r"still being loaded: \d\d % is there"):
        probe_index(connection)
    with pytest.raises(QuizwriterError, match="still being loaded"):
        ElasticGuesser(connection).play(Tossup("Pinkerton"))

    watched = Watched()
    done = publish_index(bundle, connection, tmp_path, watched)

    assert watched.sent[0][0] > 600, "it began anew"
    assert done.passages == len(bundle.texts("passages/texts"))
    assert not list(tmp_path.iterdir()), "what is made for sending is removed at the end"
    tossup = Tossup("Pinkerton leaves this geisha in Nagasaki after singing of the Stars and Stripes.")
    assert patient(connection).play(tossup) == player.play(tossup)
    assert publish_index(bundle, connection, tmp_path, Watched(stop=0)).seconds == 0, "nothing is sent twice"


def test_a_new_index_takes_the_place_of_the_old_one_under_a_player(
    elasticsearch, novels, bare_forest, tmp_path
):
    connection = Connection(elasticsearch.url, "replaced")
    publish_index(Bundle.open(bare_forest), connection, tmp_path, Watched())
    player, tossup = patient(connection), Tossup(f"AA1 AA2 and a novel by {author(0)}")
    assert player.play(tossup).final[0].page == "Alder"
    before = probe_index(connection).index
    said, over, answered = [], threading.Event(), threading.Semaphore(0)

    def keep_asking():
        while not over.is_set():
            said.append(player.play(tossup).final[0].page)
            answered.release()

    asking = threading.Thread(target=keep_asking)
    asking.start()
    try:
        publish_index(Bundle.open(novels), connection, tmp_path, Watched())
        while answered.acquire(blocking=False):
            pass  # an answer from before
        for _ in range(3):
            assert answered.acquire(timeout=60)
    finally:
        over.set()
        asking.join()

    assert said[0] == "Alder"
    assert said[-1] != "Alder"
    assert set(said) == {"Alder", novel(0).replace(" ", "_")}
    assert before not in elasticsearch.ask("/_alias")


def test_an_index_that_lost_something_is_not_used(elasticsearch, bare_forest, tmp_path, monkeypatch):
    connection = Connection(elasticsearch.url, "lossy")
    send = Elasticsearch.bulk

    def lossy(client, *, operations, **more):
        return send(client, operations=operations[2:], **more)  # two lines for each document

    monkeypatch.setattr(Elasticsearch, "bulk", lossy)
    with pytest.raises(QuizwriterError, match="documents are in the index"):
        publish_index(Bundle.open(bare_forest), connection, tmp_path, Watched())
    with pytest.raises(QuizwriterError, match="still being loaded"):
        probe_index(connection)
    monkeypatch.undo()

    publish_index(Bundle.open(bare_forest), connection, tmp_path, Watched())

    assert probe_index(connection).documents == 72


def test_documents_that_the_server_refuses_are_said(elasticsearch, bare_forest, tmp_path, monkeypatch):
    made = elastic_publisher.documents

    def with_a_stranger(staged, start):
        yield from ((number, one | {"colour": "green"}) for number, one in made(staged, start))

    monkeypatch.setattr(elastic_publisher, "documents", with_a_stranger)

    with pytest.raises(QuizwriterError, match=r"refused documents \(.*colour"):
        publish_index(Bundle.open(bare_forest), Connection(elasticsearch.url, "strange"), tmp_path, Watched())


def test_the_settings_are_those_asked_for(elasticsearch, bare_forest, tmp_path):
    connection = Connection(elasticsearch.url, "settings")
    options = IndexOptions(0.9, 0.4, 2)
    publish_index(Bundle.open(bare_forest), connection, tmp_path, Watched(), options=options)

    (found,) = elasticsearch.ask("/settings/_settings").values()
    (mapped,) = elasticsearch.ask("/settings/_mapping").values()

    similarity = found["settings"]["index"]["similarity"]["passages"]
    assert {name: float(similarity[name]) for name in ("k1", "b")} == {"k1": 0.9, "b": 0.4}
    assert found["settings"]["index"]["number_of_shards"] == "2"
    assert not {"refresh_interval", "merge"} & set(found["settings"]["index"]), "those of loading are gone"
    assert mapped["mappings"]["_meta"]["quizwriter"]["bundle"] == Bundle.open(bare_forest).digest
    assert patient(connection).play(Tossup("This novel AA1 AA2")).final[0].page == "Alder"


def test_an_index_of_someone_else_is_left_alone(elasticsearch, bare_forest, tmp_path):
    elasticsearch.ask("/theirs", "PUT", {})

    with pytest.raises(QuizwriterError, match="not one that this program made"):
        publish_index(Bundle.open(bare_forest), Connection(elasticsearch.url, "theirs"), tmp_path, Watched())
    with pytest.raises(QuizwriterError, match="not made by this version"):
        probe_index(Connection(elasticsearch.url, "theirs"))


def test_points_are_rounded_to_what_the_server_keeps():
    points = np.exp(np.random.default_rng(0).uniform(-9, 3, 10_000)).astype(np.float32)

    kept = rounded_points(points)

    assert np.abs(kept / points - 1).max() < 2**-8.9
    assert abs(np.mean(kept / points - 1)) < 1e-4, "cut off, they would be less on the whole"


@pytest.mark.parametrize("elasticsearch", [next(iter(VERSIONS))], indirect=True, scope="session")
def test_publishing_waits_for_a_server_that_is_away(elasticsearch, bare_forest, player, tmp_path):
    """The server that all share hangs: it has answered before, so that it does not take long to begin."""
    if elasticsearch.process is None:
        pytest.skip("Only a server that the tests started can be made to hang.")
    connection, bundle = Connection(elasticsearch.url, "patient"), Bundle.open(bare_forest)

    class Freezing(Watched):
        """Lets the server hang in the middle, and go on when we have noticed."""

        def sending(self, done, total):
            super().sending(done, total)
            if len(self.sent) == 5:
                elasticsearch.freeze()

        def waiting(self, why, seconds):
            super().waiting(why, seconds)
            elasticsearch.thaw()

    watched = Freezing()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(elastic_publisher, "REQUEST_BYTES", 1_000)
            patch.setattr(elastic_publisher, "REQUEST_TIMEOUT", 3.0)
            patch.setattr(elastic_publisher, "MERGE_TIMEOUT", 30.0)
            done = publish_index(bundle, connection, tmp_path, watched, waits=(0.1,) * 50)
    finally:
        elasticsearch.thaw()

    assert watched.waits
    assert done.passages == len(bundle.texts("passages/texts"))


def test_publishing_ends_well_though_the_first_answer_to_each_request_is_lost(
    elasticsearch, novels, bare_forest, tmp_path, monkeypatch
):
    """As while a cluster that has lost a node elects a master: what it answers is 503, whatever it did."""
    connection = Connection(elasticsearch.url, "lost")
    publish_index(Bundle.open(bare_forest), connection, tmp_path, Watched())
    before, lost, ask = probe_index(connection).index, [], Transport.perform_request

    def losing(transport, method, target, **more):
        answer = ask(transport, method, target, **more)
        asked = method, target.partition("?")[0]
        begun = bool(lost) or method == "PUT"  # until it makes the index it says at once what is wrong
        if not begun or asked in lost:
            return answer
        lost.append(asked)
        refused = dataclasses.replace(answer.meta, status=503)
        return TransportApiResponse(refused, {"error": {"type": "master_not_discovered_exception"}})

    monkeypatch.setattr(Transport, "perform_request", losing)
    watched = Watched()
    done = publish_index(Bundle.open(novels), connection, tmp_path, watched, waits=(0.01, 0.01))
    monkeypatch.undo()

    ends = [path.rpartition("/")[2] for _, path in lost if path.count("/") > 1]
    assert {"_bulk", "_refresh", "_count", "_forcemerge", "_settings", "_mapping", "_flush"} <= set(ends)
    assert ("POST", "/_aliases") in lost
    assert len(watched.waits) >= len(lost)
    assert probe_index(connection).index == done.index
    assert before not in elasticsearch.ask("/_alias")


def test_it_tells_when_the_server_has_no_room_to_merge(elasticsearch, bare_forest, tmp_path, monkeypatch):
    monkeypatch.setattr(elastic_publisher, "LEAST_FREE", 1.1)  # no disk is as empty
    monkeypatch.setattr(elastic_publisher, "DISK_EVERY", 0.001)
    watched = Watched()
    publish_index(Bundle.open(bare_forest), Connection(elasticsearch.url, "tight"), tmp_path, watched)

    assert any("too little room on its disk to merge" in why for why in watched.waits)


def test_an_index_without_all_of_its_copies_does_not_take_the_place_of_the_old_one(
    elasticsearch, novels, bare_forest, tmp_path, monkeypatch
):
    connection = Connection(elasticsearch.url, "copied")
    publish_index(Bundle.open(bare_forest), connection, tmp_path, Watched())
    before = probe_index(connection).index
    with monkeypatch.context() as patch:
        patch.setattr(elastic_publisher, "COPIES", "1-all")  # a second node, which is not there
        patch.setattr(elastic_publisher, "GREEN_TIMEOUT", 0.0)
        patch.setattr(elastic_publisher, "DISK_EVERY", 1.0)
        with pytest.raises(
            QuizwriterError, match=r"has not copied copied-\w+ to all of its nodes \(yellow\)"
        ):
            publish_index(Bundle.open(novels), connection, tmp_path, Watched())
    assert probe_index(connection).index == before

    publish_index(Bundle.open(novels), connection, tmp_path, Watched())
    assert probe_index(connection).index != before
