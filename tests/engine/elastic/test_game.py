"""The player on Elasticsearch, against real servers of version 8 and 9."""

from __future__ import annotations

import json
import lzma
import random
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import trustme
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index_builder.__main__ import main
from index_builder.build import build
from index_builder.data import Inputs
from index_builder.index.elastic_publisher import IndexOptions, publish_index
from index_builder.progress import NullProgress
from quizwriter.domain.evidence import Evidence
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.engine import load
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic import Connection, ElasticGuesser, probe_index
from quizwriter.engine.networks import play_positions
from quizwriter.errors import QuizwriterError
from tests.helpers.elasticsearch_node import VERSIONS, NotHere, cluster, node
from tests.helpers.elasticsearch_players import Watched, patient
from tests.helpers.nginx import KEY, gates
from tests.helpers.shared_data import not_here
from tests.helpers.strategies import tossups

pytestmark = pytest.mark.logs("has failed for|marked alive|Retrying request", always=False)
"""The client logs each node that does not answer, and each that answers again."""

FIRST = next(iter(VERSIONS))
laws = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)


def counted(player):
    """``player``, and a list that grows with every request it sends."""
    requests = []
    search = player._search
    player._search = lambda index, searches: requests.append(len(searches)) or search(index, searches)
    return player, requests


@pytest.fixture(scope="module")
def starter_there(elasticsearch, starter, tmp_path_factory):
    """The starter bundle's passages under the name ``starter``; the connection."""
    connection = Connection(elasticsearch.url, "starter")
    publish_index(Bundle.open(starter), connection, tmp_path_factory.mktemp("work"), Watched())
    return connection


@pytest.fixture(scope="module")
def player(starter_there):
    """The player on the starter bundle's passages."""
    player = patient(starter_there)
    yield player
    player.close()


# -- the laws


@laws
@given(tossup=tossups, data=st.data())
def test_a_guess_never_depends_on_words_not_yet_heard(player, tossup, data):
    play = player.play(tossup)
    if not play.heard:
        return
    heard = data.draw(st.sampled_from(play.heard))

    before = player.play(tossup.heard(heard))

    assert before.heard[-1] == heard
    assert before.rows[-1] == play.rows[play.heard.index(heard)]


@laws
@given(tossup=tossups)
def test_it_guesses_as_the_retrieval_player_does(player, engine, tossup):
    play, local = player.play(tossup), engine.retrieval.play(tossup)

    assert list(play.heard) == sorted(set(play.heard))
    assert set(play_positions(tossup) if tossup.words else []) <= set(play.heard)
    for heard, row in zip(play.heard, play.rows, strict=True):
        other = local.rows[heard - 1]
        assert [guess.score for guess in row] == pytest.approx([guess.score for guess in other], rel=5e-3)
        assert [guess.score for guess in row] == sorted((guess.score for guess in row), reverse=True)
        assert len({guess.page for guess in row}) == len(row)


@laws
@given(tossup=tossups)
def test_cues_add_up_to_the_score_they_explain(player, tossup):
    for guess in player.play(tossup).final[:2]:
        evidence = player.explain(tossup, guess.page)

        assert evidence.score == pytest.approx(guess.score, rel=1e-5, abs=1e-5)
        assert sum(cue.weight for cue in evidence.cues) == pytest.approx(guess.score, rel=1e-5, abs=1e-5)


def test_a_title_read_aloud_speaks_against_its_page(player):
    tossup = Tossup("Pinkerton and this opera Madama Butterfly")

    (cue,) = [c for c in player.explain(tossup, Page("Madama_Butterfly")).cues if c.weight < 0]

    assert cue.span.of(tossup.text) == "Butterfly"
    assert player.play(tossup).final[0].page != "Madama_Butterfly"


def test_a_page_that_the_index_does_not_know_has_no_evidence(player):
    assert player.explain(Tossup("Pinkerton sings."), Page("Nobody_at_all")) == Evidence(
        "elasticsearch", Page("Nobody_at_all")
    )


def test_nothing_is_guessed_before_anything_is_said(player):
    assert player.play(Tossup("")).heard == ()
    assert player.play(Tossup("For 10 points, name this")).final == ()
    with pytest.raises(ValueError, match="top"):
        player.play(Tossup("Pinkerton"), top=0)


# -- real questions


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """A few thousand real tossups and articles, as files and as a bundle; and tossups to play."""
    data = Path(__file__).parents[4] / "shared" / "data"
    if not data.is_dir():
        not_here(f"There is no real data in {data}.")
    folder = tmp_path_factory.mktemp("real")
    files = {}
    for name, rows in (("tossups", 2500), ("bonuses", 1000), ("wiki_openings", 1500)):
        files[name] = folder / f"{name}.jsonl"
        with lzma.open(data / f"{name}.jsonl.xz", "rt", encoding="utf-8") as packed:
            files[name].write_text("".join(next(packed) for _ in range(rows)), encoding="utf-8")
    inputs = Inputs((files["tossups"],), (files["bonuses"],), (files["wiki_openings"],))
    build(inputs, folder / "bundle", "Real", NullProgress())
    lines = (data / "tossups_sample.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines][:25]
    asked = [Tossup(row["text"], Answer(row["answer"] or row["page"], row["page"])) for row in rows]
    return files, load(folder / "bundle"), asked


@pytest.fixture(scope="module")
def real_there(elasticsearch, real, tmp_path_factory):
    """Those files published by the command, and the player on them."""
    files, engine, _ = real
    command = ["publish", "--to", elasticsearch.url, "--index", "real"]
    command += ["--questions", str(files["tossups"]), "--bonuses", str(files["bonuses"])]
    command += ["--wiki", str(files["wiki_openings"]), "--work", str(tmp_path_factory.mktemp("work"))]
    assert main(command) == 0
    player = patient(Connection(elasticsearch.url, "real"))
    counts = engine.about["counts"]
    assert probe_index(player.connection).documents == counts["passages"]
    yield player
    player.close()


def test_files_published_are_the_bundle_built_from_them(real, real_there):
    _, engine, asked = real
    player, requests = counted(real_there)
    same = moments = most = 0
    for tossup in asked:
        requests.clear()
        play, local = player.play(tossup), engine.retrieval.play(tossup)
        most = max(most, len(requests))
        for heard, row, rank in zip(play.heard, play.rows, play.ranks, strict=True):
            other = local.rows[heard - 1]
            assert [guess.score for guess in row] == pytest.approx([guess.score for guess in other], rel=5e-3)
            moments += 1
            same += [guess.page for guess in row[:1]] == [guess.page for guess in other[:1]]
            if heard in (play_positions(tossup)[-1],) and rank is not None and rank < 5:
                assert abs(rank - local.ranks[heard - 1]) <= 1

    assert most <= 2
    assert moments > 1500
    assert same / moments > 0.97


def test_the_same_passages_are_chosen_and_the_same_words_marked(real, real_there):
    _, engine, asked = real
    same = passages = marked = marks = 0
    for tossup in asked[:10]:
        page = engine.retrieval.play(tossup).final[0].page
        ours = engine.retrieval.explain(tossup, page)
        theirs = real_there.explain(tossup, page)
        assert [cue.span for cue in theirs.cues] == [cue.span for cue in ours.cues]
        assert [cue.weight for cue in theirs.cues] == pytest.approx(
            [cue.weight for cue in ours.cues], rel=1e-2, abs=1e-2
        )
        by_text = {(passage.sentence, passage.text): passage for passage in theirs.passages}
        for passage in ours.passages:
            passages += 1
            twin = by_text.get((passage.sentence, passage.text))
            if twin is not None:
                same += 1
                assert twin.source == passage.source
                marked += len(set(twin.hits) & set(passage.hits))
                marks += len(set(twin.hits) | set(passage.hits))

    assert passages > 20
    assert same / passages > 0.9
    assert marked / marks > 0.9


# -- trouble


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
                player.play(TOSSUP)
        except QuizwriterError as trouble:
            failed.append(trouble)

    playing = threading.Thread(target=play_until_it_fails)
    playing.start()
    time.sleep(random.Random(0).uniform(0.2, 0.4))
    server.kill()
    playing.join(5)
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
