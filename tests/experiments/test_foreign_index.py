"""Whose index plays: that of the bundle, that of another one, or somebody else's, on a real server."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch
from msgspec.structs import replace

from index_builder.index.elastic_publisher import publish_index
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import Connection, ServerReport
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.services.wiring import App
from quizwriter.settings import ServerSettings
from tests.helpers.elasticsearch_players import Watched
from tests.helpers.forest import TREES, ask, in_the_forest

BOTH = ("ir", "elasticsearch")


@pytest.fixture(scope="module")
def server(elasticsearch, bare_forest, tmp_path_factory):
    """A server with the forest, published as *trees*, and with texts that somebody else put into *wiki*."""
    connection = Connection(elasticsearch.url, "trees")
    publish_index(Bundle.open(bare_forest), connection, tmp_path_factory.mktemp("work"), Watched())
    with Elasticsearch(elasticsearch.url, request_timeout=60) as client:
        for name in TREES:
            client.index(index="wiki", document={"name": name, "text": in_the_forest(name, 500)})
        client.indices.refresh(index="wiki")
    return ServerSettings(on=True, url=elasticsearch.url, index="trees")


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.jsonl"
    ask(path, range(100, 105))
    return str(path)


def sentence(app, questions, **options):
    """What a result on ``questions`` says first of what the players have read."""
    given = ExperimentInputs(app, questions, players=BOTH, options=options)
    assert len(given.unread_questions) == len(given.questions)
    return given.read.sentence


def test_the_index_of_the_bundle_plays_without_a_word_also_where_its_fields_are_named(
    server, bare_forest, questions, tmp_path
):
    with App(tmp_path, bundle=bare_forest) as app:
        for fields in ("", "about,text"):
            app.engines.use_server(replace(server, fields=fields))
            assert sentence(app, questions) == ""


def test_the_index_of_another_bundle_plays_only_if_that_is_asked_for(server, novels, questions, tmp_path):
    with App(tmp_path, bundle=novels) as app:
        app.engines.use_server(server)
        with pytest.raises(QuizwriterError, match=r"The index trees-\w+ was not published from") as refusal:
            sentence(app, questions)
        assert "or play anyway with --read" in refusal.value.remedy
        held = ExperimentInputs(app, "held-back", players=BOTH)
        with pytest.raises(QuizwriterError, match="was not published from"):
            held.unread(())
        assert "Elastic plays from the index trees-" in sentence(app, questions, read="yes")
        alone = ExperimentInputs(app, questions, players=("ir",))
        assert alone.unread_questions
        assert alone.read.index == ""


def test_somebody_elses_index_plays_by_its_fields_and_the_result_says_whose_it_is(
    server, bare_forest, questions, tmp_path
):
    with App(tmp_path, bundle=bare_forest) as app:
        app.engines.use_server(replace(server, index="wiki", fields="name,text"))
        report = run("curves", ExperimentInputs(app, questions, players=BOTH))

    said = "Elastic plays from the index wiki, which may hold these questions."
    assert report.found.sentence.startswith(f"{said} IR is right on ")
    assert report.as_json()["read"]["index"] == "wiki"


def test_an_index_of_the_bundle_does_not_speak_for_another_one_behind_the_same_name(
    server, bare_forest, questions, tmp_path
):
    with App(tmp_path, bundle=bare_forest) as app:
        for names in ("trees,wiki", "wiki,trees"):
            app.engines.use_server(replace(server, index=names, fields="about,text"))
            assert (
                sentence(app, questions)
                == f"Elastic plays from the index {names}, which may hold these questions."
            )


def test_an_index_without_the_named_fields_is_refused(bare_forest, tmp_path, monkeypatch):
    with App(tmp_path, bundle=bare_forest) as app:
        app.engines.use_server(
            ServerSettings(on=True, url="http://lab:9200", index="wiki", fields="name,body")
        )
        monkeypatch.setattr(app.engines, "probe_server", lambda server: ServerReport("9.0.0", "wiki", 0, 1.0))
        with pytest.raises(QuizwriterError, match="The index wiki has no text with the fields name and body"):
            app.engines.foreign_index(bare_forest)
