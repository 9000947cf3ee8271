"""What a server's player asks about tossups, and what it makes of the answers.

No server is asked: the answers are made up, the same to the same question. So they say nothing of a server,
but show all that the program does before it and after it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from quizwriter.domain.guessing import TOP, Playthrough
from quizwriter.domain.page import answer_key, page_title
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.elastic.answers import Hit, IndexAbout
from quizwriter.engine.elastic.client import Connection, ElasticIndex, decode_answer
from quizwriter.engine.elastic.game import ServerGame
from quizwriter.engine.elastic.ranking import RankedHit, RankingGuesser
from quizwriter.engine.evidence import HeardWeighting

Searches = Sequence[Mapping[str, Any]]


def server_outputs(tossups: Sequence[Tossup], fields: Sequence[str]) -> Iterator[bytes]:
    """For each tossup, what the server is asked and what is guessed then.

    It ranks by ``fields``; without them, it adds up points.
    """
    names = sorted({str(one.answer.page) for one in tossups if one.answer is not None and one.answer.page})
    for one in tossups:
        made = _MadeAnswers(names, one, fields[0] if fields else "page")
        game = made.ranked(fields) if fields else made.summed()
        rows = [[[guess.page, round(guess.score, 3)] for guess in row] for row in game.rows]
        said = [made.asked, game.heard, rows, game.ranks, game.knows_answer]
        yield json.dumps(said, sort_keys=True).encode()


class _MadeAnswers:
    """Answers about pages, with the titles in ``field``, whose points their names and the question draw."""

    def __init__(self, names: Sequence[str], tossup: Tossup, field: str) -> None:
        self._names, self._tossup, self._field = names, tossup, field
        self.asked: list[Searches] = []

    def summed(self) -> Playthrough:
        """The game of the player for whom a server adds up points."""
        about = IndexAbout(largest_prior=1.0)
        index = ElasticIndex("made", about, HeardWeighting.of(about.hearing))

        def search(_: ElasticIndex, searches: Searches) -> list[list[Hit]]:
            return [decode_answer(hits, list[Hit]) for hits in self.answers(searches)]

        return ServerGame(search, index, self._tossup, TOP).play()

    def ranked(self, fields: Sequence[str]) -> Playthrough:
        """The game of the player for whom a server ranks pages."""
        title, text = fields
        connection = Connection("http://127.0.0.1:9200", "quizwriter", fields=(title, text))
        with closing(_MadeRanking(connection, self)) as player:
            return player.play(self._tossup)

    def answers(self, searches: Searches) -> list[list[dict[str, Any]]]:
        self.asked.append(searches)
        return [self._hits(one)[: one["size"]] for one in searches]

    def _hits(self, search: Mapping[str, Any]) -> list[dict[str, Any]]:
        terms = _named_terms(search["query"])
        wanted = {name for key in ("page", "key") for name in terms.get(key, ())}
        titles = terms.get("title", ())
        right = self._tossup.answer.page if self._tossup.answer is not None else None
        found = []
        for name in self._names:
            if wanted and not wanted & {name, answer_key(name)}:
                continue
            lot = hashlib.sha256(f"{name} {self._tossup.text}".encode("utf-8", "surrogatepass")).digest()
            share = lot[0] / 256 + (name == right) / 4
            points = {of: share * lot[at % 32] / 256 for at, of in enumerate(terms.get("_name", ()))}
            fields = {self._field: [page_title(name) if self._field != "page" else name]}
            if titles:  # it is read aloud somewhere
                fields["title"] = [titles[lot[1] % len(titles)]]
            score = share * len(terms.get("terms", terms.get("query", ())))
            found.append({"_score": score, "fields": fields, "matched_queries": points})
        return sorted(found, key=lambda hit: -hit["_score"])


class _MadeRanking(RankingGuesser):
    def __init__(self, connection: Connection, made: _MadeAnswers) -> None:
        super().__init__(connection)
        self._made = made

    def _search(self, searches: Searches) -> list[list[RankedHit]]:
        return [decode_answer(hits, list[RankedHit]) for hits in self._made.answers(searches)]


def _named_terms(query: object) -> dict[str, list[str]]:
    """The words and names in a ``query``, by the keys before them."""
    found: dict[str, list[str]] = {}
    todo = [query]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo += one
        elif isinstance(one, Mapping):
            for key, value in one.items():
                inside = value.get("value", ()) if isinstance(value, Mapping) else value
                for said in inside if isinstance(inside, list) else [inside]:
                    if isinstance(said, str):
                        found.setdefault(key, []).append(said)
                todo.append(value)
    return found
