"""The evidence of the Elasticsearch player: each word's share of a score, and the passages behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from quizwriter.domain.evidence import Cue, Evidence, Passage
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.players import ELASTIC
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.elastic.answers import Hit
from quizwriter.engine.elastic.client import PRIOR_TERM, ElasticIndex
from quizwriter.engine.elastic.term_queries import SearchFunction, TossupTerms
from quizwriter.engine.evidence import best_passages, stem_weights, word_cues

HIGHLIGHT_TAGS = ("\x01", "\x02")
"""The server's highlighter puts these around a word. No passage has them: readers of questions strip them."""


class ServerEvidence:
    """The evidence for a page after all of a tossup, in two requests: for the shares and for the passages."""

    def __init__(self, search: SearchFunction, index: ElasticIndex, tossup: Tossup, page: Page) -> None:
        self._search = search
        self._index = index
        self._tossup = tossup
        self._page = page
        self._heard = TossupTerms(tossup, index)

    def evidence(self) -> Evidence:
        """The evidence; without a score where no word of the tossup speaks for the page."""
        found = self._scored_words()
        if found is None:
            return Evidence(ELASTIC, self._page)
        page, score, cues = found
        return Evidence(ELASTIC, self._page, score, cues, tuple(self._passages(page, cues)))

    def _scored_words(self) -> tuple[Page, float, tuple[Cue, ...]] | None:
        """The page as the index names it, its score and its cues; None where the page has no term heard."""
        heard = self._heard
        named = [
            {"term": {"terms": {"value": name, "_name": name}}}
            for name in (PRIOR_TERM, *dict.fromkeys(heard.names))
        ]
        (hits,) = self._search(
            self._index,
            [
                {
                    "query": {
                        "bool": {"filter": [{"term": {"key": answer_key(self._page)}}], "should": named}
                    },
                    "sort": [{"asked": "desc"}, {"page": "asc"}],
                    "track_scores": True,
                    "size": 1,
                    "stored_fields": "_none_",
                    "docvalue_fields": ["page", "title"],
                }
            ],
        )
        if not hits:
            return None
        (hit,) = hits
        points = dict(hit.matched_queries)
        prior = points.pop(PRIOR_TERM, 0.0)
        shares = np.asarray([points.get(name, 0.0) for name in heard.distinct])[:, None]
        terms = zip(heard.first, heard.last, heard.points(shares)[:, 0].tolist(), strict=True)
        title_word = heard.titles.get(hit.title)
        scored = word_cues(self._tossup, terms, prior, title_word)
        return None if scored is None else (hit.page, *scored)

    def _passages(self, page: Page, cues: tuple[Cue, ...]) -> Iterator[Passage]:
        """For each sentence, the passages about the page that contain its heaviest words."""
        searches = []
        for number, sentence in enumerate(self._tossup.sentences):
            words = stem_weights(self._tossup, sentence, cues)
            if words:
                searches.append((number, _passage_search(page, list(words.values()))))
        answers = self._search(self._index, [search for _, search in searches]) if searches else []
        for (number, _), groups in zip(searches, answers, strict=True):
            for hit in _best_hits(groups):
                text, hits = without_tags(hit.highlight.text[0])
                yield Passage(hit.source.source, text, hits, number)


def _passage_search(page: Page, words: Sequence[tuple[float, str]]) -> dict[str, Any]:
    """The search for the passages about ``page`` with the heaviest of ``words``: the best two of each kind.

    A passage's score is the sum of the weights of the words in it, each counted once.
    """
    query = {
        "bool": {
            "filter": [{"term": {"about": page}}],
            "should": [
                {"constant_score": {"filter": {"match": {"text": word}}, "boost": weight}}
                for weight, word in words
            ],
            "minimum_should_match": 1,
        }
    }
    order = [{"_score": "desc"}, {"number": "asc"}]
    return {
        "query": query,
        "size": 3,
        "sort": order,
        "track_scores": True,
        "_source": False,
        "track_total_hits": False,
        "collapse": {
            "field": "kind",
            "inner_hits": {
                "name": "best",
                "size": 2,
                "sort": order,
                "track_scores": True,
                "_source": ["source"],
                "docvalue_fields": ["kind", "number"],
                "highlight": {
                    "pre_tags": [HIGHLIGHT_TAGS[0]],
                    "post_tags": [HIGHLIGHT_TAGS[1]],
                    "fields": {"text": {"number_of_fragments": 0, "type": "unified"}},
                },
            },
        },
    }


def _best_hits(groups: Iterable[Hit]) -> list[Hit]:
    """At most two of the passages found, as :func:`best_passages` chooses them."""
    inner = [group.inner_hits.best.hits.hits for group in groups if group.inner_hits is not None]
    found = [hit for hits in inner for hit in hits if hit.highlight.text]
    found.sort(key=lambda hit: (-hit.points, hit.fields.number))
    return best_passages([(hit.points, hit) for hit in found], lambda hit: hit.fields.kind)


def without_tags(text: str) -> tuple[str, tuple[Span, ...]]:
    """A text without the highlighter's tags, and the spans that were between them."""
    start, end = HIGHLIGHT_TAGS
    parts: list[str] = []
    hits: list[Span] = []
    length = 0
    for number, part in enumerate(text.split(start)):
        inside, _, rest = part.partition(end) if number else ("", "", part)
        if number:
            hits.append(Span(length, length + len(inside)))
        parts += [inside, rest]
        length += len(inside) + len(rest)
    return "".join(parts), tuple(hits)
