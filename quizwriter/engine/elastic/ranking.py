"""The server's own ranking: BM25 over the pages of any index, with the sentences that its highlighter marks.

Nothing of QuizWriter needs to be in the index. It has one field with the title of a page and one with text:
an index of Wikipedia, or the passages that ``quizwriter publish`` sent, whose titles are in ``about``.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from quizwriter.domain.evidence import Evidence, Passage
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Buzz, Guess, Playthrough, Row
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.players import ELASTIC
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.buzzers import DEFAULT_THRESHOLD
from quizwriter.engine.elastic.answers import Counted, Name, Points, SearchAnswers, Title
from quizwriter.engine.elastic.client import (
    Connection,
    ServerReport,
    api_error,
    connect,
    decode_answer,
    measured_version,
    published_bundle,
    server_version,
    translate_errors,
)
from quizwriter.engine.elastic.evidence import HIGHLIGHT_TAGS, without_tags
from quizwriter.engine.evidence import word_cues
from quizwriter.engine.networks import spaced_positions
from quizwriter.engine.tokenizer import STOP_WORDS, TOKEN
from quizwriter.system.decoding import LONGEST_TEXT

RANKING_TIMEOUT_S = 10.0
"""Seconds that a server has for the whole game: it ranks all of its pages once for each position."""

MOST_POSITIONS = 32
"""A game asks about at most so many positions."""

HITS_PER_QUERY = 60
"""How many texts one query asks for. Several may be of one page, which counts with its best."""

MOST_CLAUSES = 400
"""The words of a tossup that are asked for at most; a server refuses queries of some thousand."""

_PASSAGES = 3
_RESPONSES = "responses.status,responses.error.type,responses.hits.hits"


class RankedHit(msgspec.Struct):
    """A text that a search found, by the names that the index gives its fields."""

    score: Points | None = msgspec.field(name="_score", default=None)
    fields: dict[Name, list[Title]] = {}
    matched_queries: dict[Name, Points] = {}
    highlight: dict[Name, list[Annotated[str, Meta(max_length=LONGEST_TEXT)]]] = {}


class RankingGuesser:
    """Guesses the pages that a server ranks first for the words heard so far.

    A game is one request with a search for each position; the words of the language are left out of it.
    """

    def __init__(self, connection: Connection, timeout_s: float = RANKING_TIMEOUT_S) -> None:
        """The player of this server and the two ``fields`` of its index. It sends nothing yet."""
        self.connection = connection
        self._title, self._text = connection.fields
        self._timeout_s = timeout_s
        self._client = connect(connection, timeout_s)
        self._lock = threading.Lock()
        self._version = ""

    @property
    def name(self) -> str:
        return ELASTIC

    def close(self) -> None:
        self._client.close()

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses after each sentence and some words between.

        Units:
            The server's scores, such as those of BM25.
        """
        if not 1 <= top <= RANK_DEPTH:
            raise ValueError(f"top must be between 1 and {RANK_DEPTH}")
        if not tossup.words:
            return Playthrough(ELASTIC, tossup)
        positions = spaced_positions(tossup, MOST_POSITIONS)
        answer = tossup.answer
        heard, searches = self.searches(tossup)
        titles = [] if answer is None else [self._ranked_search(self._titles_query(_names(answer)))]
        answers = self._search([*titles, *searches])
        knows = None if answer is None else any(answer.accepts(page) for page in self._pages(answers.pop(0)))
        ranked = dict(zip(heard, (self._pages(hits) for hits in answers), strict=True))
        rows: list[Row] = []
        ranks: list[int | None] = []
        for count in positions:
            best = list(ranked.get(count, {}).items())[:RANK_DEPTH]
            rows.append(tuple(Guess(page, score) for page, score in best[:top]))
            right = [answer is not None and answer.accepts(page) for page, _ in best]
            ranks.append(right.index(True) + 1 if True in right else None)
        return Playthrough(ELASTIC, tossup, tuple(positions), tuple(rows), tuple(ranks), knows_answer=knows)

    def searches(self, tossup: Tossup) -> tuple[list[int], list[dict[str, Any]]]:
        """After how many words the server is asked, and with what; not before the first word that counts."""
        words = _content_words(tossup)
        queries = {
            heard: self._ranked_search(self._words_query(counts))
            for heard in spaced_positions(tossup, MOST_POSITIONS)
            if (counts := Counter(word for at, word in words if at < heard))
        }
        return list(queries), list(queries.values())

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """Each word's exact share of the server's score of ``page``, and the sentences it highlights."""
        words = _content_words(tossup)
        if not words:
            return Evidence(ELASTIC, page)
        counts = Counter(word for _, word in words)
        query = self._words_query(counts, named=True)
        query["bool"]["filter"] = [self._titles_query([page])]
        fragments = {"number_of_fragments": 2, "fragment_size": 300, "type": "unified"}
        search = {
            "query": query,
            "size": 20,
            "_source": False,
            "fields": [self._title],
            "highlight": {
                "pre_tags": [HIGHLIGHT_TAGS[0]],
                "post_tags": [HIGHLIGHT_TAGS[1]],
                "fields": {self._text: fragments},
            },
        }
        (hits,) = self._search([search])
        hits = [hit for hit in hits if self._page_of(hit) == page]
        if not hits:
            return Evidence(ELASTIC, page)
        points = hits[0].matched_queries
        terms = [(at, at, points.get(word, 0.0) / counts[word]) for at, word in words]
        scored = word_cues(tossup, terms, 0.0, None)
        if scored is None:
            return Evidence(ELASTIC, page)
        return Evidence(ELASTIC, page, *scored, tuple(self._passages(tossup, page, hits)))

    def report(self) -> ServerReport:
        """The version of the server and how many texts the index has. Takes up to seconds."""
        version, latency = measured_version(self._client, self.connection)
        with translate_errors(self.connection, self._timeout_s):
            exists = {"bool": {"filter": [{"exists": {"field": name}} for name in (self._title, self._text)]}}
            found = self._client.count(index=self.connection.index, query=exists).body
            texts = decode_answer(found, Counted).count
        bundle = published_bundle(self._client, self.connection)
        return ServerReport(version, self.connection.index, texts, latency, bundle)

    def _passages(self, tossup: Tossup, page: Page, hits: Sequence[RankedHit]) -> Iterable[Passage]:
        """The highlighted pieces, each beside the sentence of the draft that has most of its words."""
        sentences = [
            {token.casefold() for token in TOKEN.findall(tossup.text, span.start, span.end)}
            for span in tossup.sentences
        ]
        pieces = [piece for hit in hits for piece in hit.highlight.get(self._text, [])]
        for piece in pieces[:_PASSAGES]:
            text, marked = without_tags(piece)
            said = {span.of(text).casefold() for span in marked}
            shared = [len(said & words) for words in sentences]
            yield Passage(page_title(page), text, marked, shared.index(max(shared)))

    def _words_query(self, counts: Mapping[str, int], *, named: bool = False) -> dict[str, Any]:
        """The query for texts with some of the words; one heard twice counts twice."""
        return {
            "bool": {
                "should": [
                    {
                        "multi_match": {
                            "query": word,
                            "fields": [self._title, self._text],
                            "type": "most_fields",
                            "boost": count,
                            "lenient": True,
                            **({"_name": word} if named else {}),
                        }
                    }
                    for word, count in counts.items()
                ],
                "minimum_should_match": 1,
            }
        }

    def _ranked_search(self, query: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "query": query,
            "size": HITS_PER_QUERY,
            "_source": False,
            "fields": [self._title],
            "track_total_hits": False,
        }

    def _titles_query(self, names: Iterable[str]) -> dict[str, Any]:
        """The query for pages with one of these titles, with underscores or with spaces."""
        spellings = dict.fromkeys(one for name in names for one in (name, page_title(name)))
        phrases = [{"match_phrase": {self._title: one}} for one in spellings]
        return {"bool": {"should": phrases, "minimum_should_match": 1}}

    def _page_of(self, hit: RankedHit) -> Page:
        title = next(iter(hit.fields.get(self._title, [])), "")
        return Page(title.strip().replace(" ", "_"))

    def _pages(self, hits: Sequence[RankedHit]) -> dict[Page, float]:
        """The pages that were found with their best scores, the best first, ties by name."""
        best: dict[Page, float] = {}
        for hit in hits:
            page = self._page_of(hit)
            if page:
                best[page] = max(best.get(page, -math.inf), hit.score or 0.0)
        return dict(sorted(best.items(), key=lambda pair: (-pair[1], pair[0])))

    def _search(self, searches: Sequence[Mapping[str, Any]]) -> list[list[RankedHit]]:
        with self._lock:
            if not self._version:
                self._version = server_version(self._client, self.connection)
        lines: list[Mapping[str, Any]] = []
        for search in searches:
            lines += [{"allow_partial_search_results": False}, search]
        with translate_errors(self.connection, self._timeout_s):
            body = self._client.msearch(
                searches=lines,
                index=self.connection.index,
                include_named_queries_score=True,
                filter_path=_RESPONSES,
            ).body
            answers = decode_answer(body, SearchAnswers[RankedHit]).responses
        for one in answers:
            if one.error is not None:
                raise api_error(self.connection, one.status, one.error.type)
        if len(answers) != len(searches):
            raise api_error(self.connection, 500, "too few answers")
        return [one.hits.hits[: search["size"]] for one, search in zip(answers, searches, strict=True)]


_CONSTANT, _LEAD, _HEARD = -7.98, 7.0, 1.21


class ShareBuzzer:
    """Buzzes by how far the first guess leads, as a share of its score: servers score on scales of their own.

    The chance is a logistic function of the root of that share and of the logarithm of the words heard. It
    was fitted on 494 recorded tossups that the index had not read; fitted on half of them, its expected
    calibration error on the others is .025.
    """

    threshold = DEFAULT_THRESHOLD

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        return tuple(
            _chance(row, heard) if row else 0.0 for heard, row in zip(play.heard, play.rows, strict=True)
        )

    def buzz(self, play: Playthrough) -> Buzz | None:
        return play.first_buzz(self.threshold)


def _chance(row: Row, heard: int) -> float:
    return 1 / (1 + math.exp(-(_CONSTANT + _LEAD * math.sqrt(_lead_share(row)) + _HEARD * math.log(heard))))


def _lead_share(row: Row) -> float:
    """How far the first guess of ``row`` leads the second, as a share of its score."""
    first = row[0].score
    second = row[1].score if len(row) > 1 else 0.0
    return max(first - second, 0.0) / first if first > 0 else 0.0


def _content_words(tossup: Tossup) -> list[tuple[int, str]]:
    """The words that say something about an answer, in small letters, with the number of each from 0."""
    found = [
        (number, token.casefold())
        for number, span in enumerate(tossup.words)
        for token in TOKEN.findall(tossup.text, span.start, span.end)
        if token.casefold() not in STOP_WORDS
    ]
    return found[:MOST_CLAUSES]


def _names(answer: Answer) -> list[str]:
    return [name for name in (answer.page, answer.main) if name]
