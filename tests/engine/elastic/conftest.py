"""Indexes on a real server of version 8 and of version 9, and the player on each."""

from __future__ import annotations

import json
import lzma

import pytest

from index_builder.__main__ import main
from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index.elastic_publisher import publish_index
from index_builder.progress import Progress
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.elastic.client import Connection, probe_index
from quizwriter.engine.engine import load
from tests.helpers.elasticsearch_players import Watched, patient


@pytest.fixture(scope="session")
def starter_there(elasticsearch, starter, tmp_path_factory):
    """The starter bundle's passages under the name ``starter``; the connection."""
    connection = Connection(elasticsearch.url, "starter")
    publish_index(Bundle.open(starter), connection, tmp_path_factory.mktemp("work"), Watched())
    return connection


@pytest.fixture(scope="session")
def player(starter_there):
    """The player on the starter bundle's passages."""
    player = patient(starter_there)
    yield player
    player.close()


@pytest.fixture(scope="session")
def real(shared_data, tmp_path_factory):
    """Some thousand real tossups and articles, as files and as a bundle; and tossups to play."""
    folder = tmp_path_factory.mktemp("real")
    files = {}
    for name, rows in (("tossups", 1500), ("bonuses", 500), ("wiki_openings", 800)):
        files[name] = folder / f"{name}.jsonl"
        with lzma.open(shared_data / f"{name}.jsonl.xz", "rt", encoding="utf-8") as packed:
            files[name].write_text("".join(next(packed) for _ in range(rows)), encoding="utf-8")
    inputs = Inputs((files["tossups"],), (files["bonuses"],), (files["wiki_openings"],))
    build(inputs, folder / "bundle", "Real", Progress())
    lines = (shared_data / "tossups_sample.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines][:25]
    asked = [Tossup(row["text"], Answer(row["answer"] or row["page"], row["page"])) for row in rows]
    return files, load(folder / "bundle"), asked


@pytest.fixture(scope="session")
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
