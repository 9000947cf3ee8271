"""The Elasticsearch player: the retrieval player's own sum, computed by a server or a cluster of servers.

``index_builder publish`` writes into an index what the retrieval player's matrix holds: for each term and
page, how many points the page gets when the term is heard. One query sums the points of all terms heard, and
the server returns the same best pages as the retrieval player, however many pages there are. The server's own
statistics are not used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.players import ELASTIC
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.elastic.answers import Hit, SearchAnswers
from quizwriter.engine.elastic.client import (
    Connection,
    ElasticIndex,
    api_error,
    connect,
    decode_answer,
    open_index,
    server_version,
    translate_errors,
)
from quizwriter.engine.elastic.evidence import ServerEvidence
from quizwriter.engine.elastic.game import ServerGame
from quizwriter.errors import QuizwriterError

T = TypeVar("T")

_RESPONSE_FIELDS = ",".join(
    f"responses.{part}"
    for part in (
        "status",
        "error.type",
        "hits.hits._score",
        "hits.hits.fields",
        "hits.hits.matched_queries",
        "hits.hits.inner_hits",
    )
)


class ElasticGuesser:
    """Guesses pages as the retrieval player does, from the index that ``index_builder publish`` made.

    A game takes at most two requests; see :class:`quizwriter.engine.elastic.game.ServerGame`. Each row has
    the pages that a query of only the words heard until then finds.
    """

    def __init__(self, connection: Connection) -> None:
        """The player of this server and index. It sends nothing yet."""
        self.connection = connection
        self._client = connect(connection)
        self._lock = threading.Lock()
        self._index: ElasticIndex | None = None

    @property
    def name(self) -> str:
        return ELASTIC

    def close(self) -> None:
        self._client.close()

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses at sentence ends, every 25 characters, and after most words between.

        Units:
            Points, as of the retrieval player; the index keeps nine binary digits of each.
        """
        if not 1 <= top <= RANK_DEPTH:
            raise ValueError(f"top must be between 1 and {RANK_DEPTH}")
        if not tossup.words:
            return Playthrough(ELASTIC, tossup)
        return self._with_index(lambda index: ServerGame(self._search, index, tossup, top).play())

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """Each word's exact share of the score of ``page``, and the texts behind it, marked by the server.

        The shares are those of :func:`quizwriter.engine.evidence.word_cues`.
        """
        return self._with_index(lambda index: ServerEvidence(self._search, index, tossup, page).evidence())

    def _with_index(self, ask: Callable[[ElasticIndex], T]) -> T:
        """The result of ``ask`` for the index; where the index was replaced meanwhile, for the new one."""
        index = self._open_index()
        try:
            return ask(index)
        except _IndexReplaced as gone:
            self._index = None
            if self._open_index().name == index.name:
                raise gone.trouble from None
        try:
            return ask(self._open_index())
        except _IndexReplaced as gone:
            raise gone.trouble from None

    def _open_index(self) -> ElasticIndex:
        with self._lock:
            if self._index is None:
                server_version(self._client, self.connection)
                self._index = open_index(self._client, self.connection)
            return self._index

    def _search(self, index: ElasticIndex, searches: Sequence[Mapping[str, Any]]) -> list[list[Hit]]:
        """What ``searches`` find, in one request; a search finds no more than it asks for."""
        lines: list[Mapping[str, Any]] = []
        for search in searches:
            lines += [{"allow_partial_search_results": False}, search]
        with translate_errors(self.connection):
            body = self._client.msearch(
                searches=lines,
                index=index.name,
                include_named_queries_score=True,
                filter_path=_RESPONSE_FIELDS,
            ).body
            answers = decode_answer(body, SearchAnswers[Hit]).responses
        for one in answers:
            if one.error is not None:
                kind = one.error.type
                trouble = api_error(self.connection, one.status, kind)
                if kind in {"index_not_found_exception", "search_phase_execution_exception"}:
                    raise _IndexReplaced(trouble)
                raise trouble
        if len(answers) != len(searches):
            raise api_error(self.connection, 500, "too few answers")
        return [one.hits.hits[: search["size"]] for one, search in zip(answers, searches, strict=True)]


class _IndexReplaced(Exception):
    """The index may have been replaced and removed. Where it was not, ``trouble`` is the error."""

    def __init__(self, trouble: QuizwriterError) -> None:
        super().__init__(str(trouble))
        self.trouble = trouble
