"""What asks servers, set up against a hostile one: a download, the encyclopedia, and Elasticsearch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from index_builder.data.catalogue import DataSource
from index_builder.data.encyclopedia import fetch_articles
from index_builder.data.fetch import RetryPolicy, fetch_file
from index_builder.progress import Progress
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.elastic.client import Connection, probe_index
from quizwriter.engine.elastic.guesser import ElasticGuesser

POLICY = RetryPolicy(tries=2, first_wait=0.01, longest_wait=0.05, timeout=0.4, answer=0.8, interval=0.0)
"""Quick enough for a test: a real download waits for half a minute before it gives up."""

SOURCE = DataSource("Questions", "", "questions.json", 100_000, "0" * 64, "", "A notice.")
TOSSUP = Tossup("Pinkerton leaves this geisha in Nagasaki.", Answer("Butterfly", Page("Madama_Butterfly")))

_ABOUT = {"schema": 1, "complete": True, "everywhere": ["a1", "ff"], "largest_prior": 1.5, "documents": 9}
_MAPPING = {"lakes-1": {"mappings": {"_meta": {"quizwriter": _ABOUT}}}}


def download(url: str, folder: Path) -> object:
    """A file of past questions from a mirror."""
    return fetch_file(SOURCE, folder, Progress(), mirror=f"{url}/questions.json", policy=POLICY)


def encyclopedia(url: str, folder: Path) -> object:
    """Openings of articles."""
    return fetch_articles(["Fox", "Wolf"], folder, Progress(), api=f"{url}/w/api.php", policy=POLICY)


def elasticsearch_probe(url: str, _: Path) -> object:
    """The button *Test* in Preferences."""
    return probe_index(Connection(url, "lakes"))


def elasticsearch_game(url: str, _: Path) -> object:
    """A game, and the evidence after it."""
    player = ElasticGuesser(Connection(url, "lakes"))
    player._client = player._client.options(request_timeout=0.5)
    try:
        play = player.play(TOSSUP)
        player.explain(TOSSUP, Page("Madama_Butterfly"))
        return play
    finally:
        player.close()


def sound_until_searches(target: str) -> bytes | None:
    """The answers of a sound Elasticsearch, up to its searches."""
    if target == "/":
        return b'{"version": {"number": "8.19.0"}}'
    return json.dumps(_MAPPING).encode() if "_mapping" in target else None


READERS: dict[str, tuple[Callable[[str, Path], object], Callable[[str], bytes | None]]] = {
    "download": (download, lambda _: None),
    "encyclopedia": (encyclopedia, lambda _: None),
    "Elasticsearch, test": (elasticsearch_probe, lambda _: None),
    "Elasticsearch, game": (elasticsearch_game, sound_until_searches),
}
"""What asks, and what its server still answers as a sound one does."""
