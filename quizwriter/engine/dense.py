"""The dense player: it looks for the passages whose meaning is nearest to what was heard.

A sentence encoder made a vector of each passage of the bundle. What was heard becomes a vector, too, and the
passages with the nearest vectors are looked up, every one of them compared: an index that leaves some out
would be a file that a library written in C++ believes without checking it, and at some hundred thousand
passages it saves little. The player is asked at the ends of sentences only.

Source:
    Karpukhin et al., "Dense Passage Retrieval for Open-Domain Question Answering", EMNLP 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Evidence, Method, Passage
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Guess, Playthrough
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.players import DENSE
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle, TrainedPlayer
from quizwriter.engine.evidence import TITLE_POINTS, best_passages
from quizwriter.engine.pages import Pages
from quizwriter.engine.retrieval import PassageTable
from quizwriter.engine.sentence_encoder import (
    LARGEST_MODEL,
    LARGEST_TOKENIZER,
    EncoderAbout,
    Floats,
    SentenceEncoder,
    encoder_digest,
)
from quizwriter.engine.sentence_points import Points, sentence_ends, sentence_words, words_read
from quizwriter.engine.stored_arrays import StoredWeights, require
from quizwriter.engine.tokenizer import TOKEN, TitleFinder, token, tokenize
from quizwriter.errors import QuizwriterError
from quizwriter.system.extras import require_extra
from quizwriter.system.members import read_member
from quizwriter.system.memory import own_cache

MODEL, TOKENIZER, EMBEDDINGS = "model.onnx", "tokenizer.json", "embeddings"
"""The files of the player in a bundle: the encoder, and the vectors of the passages."""

PLAYING = "The dense player"
"""Begins the sentence about the extra that it needs."""

NEAREST = 100
"""So many of the nearest passages of each text speak for their pages."""

SHARPNESS = 20.0
"""What the cosine of two vectors is multiplied by, to be a natural logarithm of odds.

Encoders are trained with this factor: Reimers and Gurevych, "Sentence-BERT", EMNLP 2019, and its library."""

REMEMBERED = 256
"""The texts whose nearest passages are remembered: a draft with another last sentence has all but one."""

BLOCK = 1_024
"""So many vectors are compared at once."""

_Hits = tuple[npt.NDArray[np.int64], Floats]
"""The numbers of passages, the nearest first, and the cosines."""


def quantized(vectors: Floats) -> npt.NDArray[np.int8]:
    """``vectors`` as bytes. Each is its own scale, as only directions count: ``[passages, width]``."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    found: npt.NDArray[np.int8] = np.round(vectors / largest * 127).astype(np.int8)
    return found


class PassageVectors:
    """The vectors of passages, each of which is compared with what is looked for.

    NumPy does it in 30 ms of one core for 334,000 vectors of 384 numbers: a block at a time, which stays in
    the processor's cache while its bytes become numbers.
    """

    def __init__(self, stored: npt.NDArray[np.int8]) -> None:
        """The vectors that :func:`quantized` made: ``[passages, width]``."""
        self._stored = np.ascontiguousarray(stored)
        ones = np.ones(self._stored.shape[1], np.float32)
        squares = self._products(ones, lambda block: np.square(block, out=block))
        self._lengths: Floats = np.sqrt(np.maximum(squares, np.float32(1)))

    def cosines(self, query: Floats) -> Floats:
        found: Floats = self._products(query) / self._lengths
        return found

    def _products(self, by: Floats, change: Callable[[Floats], object] = lambda block: None) -> Floats:
        """The inner product of each vector, after ``change`` was made to a copy of it, and ``by``."""
        count, width = self._stored.shape
        found = np.empty(count, np.float32)
        buffer = np.empty((BLOCK, width), np.float32)
        for start in range(0, count, BLOCK):
            block = buffer[: min(BLOCK, count - start)]
            np.copyto(block, self._stored[start : start + BLOCK], casting="unsafe")
            change(block)
            np.dot(block, by, out=found[start : start + BLOCK])
        return found


class Dense:
    """Guesses the pages of the passages that are nearest in meaning to what was heard."""

    name = DENSE

    def __init__(
        self,
        bundle: Bundle,
        stored: tuple[StoredWeights, TrainedPlayer],
        pages: Pages,
        titles: TitleFinder,
        points: Points = sentence_ends,
        threads: int = 1,
    ) -> None:
        """The player in ``bundle``, asked after the ``points`` of a tossup; it is read at its first game."""
        self._bundle, self._pages, self._titles = bundle, pages, titles
        self._points, self._threads = points, threads
        self._arrays, about = stored
        self._folder = about.folder
        with bundle.refusing(f"{about.folder}/{EMBEDDINGS}.npy"):
            require(EMBEDDINGS in self._arrays, "it is missing")
            require(about.encoder is not None, "the manifest does not say which encoder made it")
            assert about.encoder is not None
            self._about: EncoderAbout = about.encoder
            passages = bundle.stored("passages/kinds.npy")
            wanted = len(passages), self._about.width
            require(self._arrays.shapes[EMBEDDINGS] == wanted, "it does not fit the passages or the encoder")
        self._nearest = own_cache(self._search, REMEMBERED)

    def asked_after(self, points: Points, threads: int | None = None) -> Dense:
        """The same player, asked after other ``points``."""
        stored = self._arrays, self._bundle.players[DENSE]
        return Dense(self._bundle, stored, self._pages, self._titles, points, threads or self._threads)

    def play(self, tossup: Tossup, top: int = TOP, *, without: int | None = None) -> Playthrough:
        """The ``top`` guesses after each of the points; what is between them is not known.

        ``without`` is the number of a passage that is not looked at: the tossup's own, where it is measured.

        Units:
            A score is :data:`SHARPNESS` times a cosine, added up over the passages of a page as odds are.
        """
        if not 1 <= top <= RANK_DEPTH:
            raise ValueError(f"top must be between 1 and {RANK_DEPTH}")
        heard = tuple(self._points(tossup))
        right = self._pages.right(tossup.answer)
        titles = self._titles.find(tokenize(tossup)) if heard else {}
        rows, ranks = [], []
        for count in heard:
            scores = self._page_scores(words_read(tossup, count), without)
            for page, word in titles.items():
                if word < count and page in scores:
                    scores[page] += TITLE_POINTS
            best = sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:RANK_DEPTH]
            rows.append(tuple(Guess(self._pages.all[page], score) for page, score in best[:top]))
            ranks.append(next((place for place, (page, _) in enumerate(best, 1) if page in right), None))
        knows = None if tossup.answer is None else any(self._has_passage(row) for row in right)
        return Playthrough(DENSE, tossup, heard, tuple(rows), tuple(ranks), knows_answer=knows, sampled=True)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence:
        """The passages about ``page`` among the nearest of each sentence, with the shared words."""
        row = self._pages.rows.get(answer_key(page))
        if row is None:
            return Evidence(DENSE, page, method=Method.NEAREST)
        score = self._page_scores(words_read(tossup, len(tossup.words)), None).get(row, 0.0)
        numbers = [
            number
            for number, sentence in enumerate(tossup.sentences)
            if any(sentence.start <= word.start < sentence.end for word in tossup.words)
        ]
        texts = [" ".join(word.of(tossup.text) for word in words) for words in sentence_words(tossup)]
        passages = [
            passage
            for number, text in zip(numbers, texts, strict=False)
            for passage in self._passages_for(text, number, row)
        ]
        return Evidence(DENSE, page, score, passages=tuple(passages), method=Method.NEAREST)

    # -- searching

    def _search(self, text: str) -> _Hits:
        """The nearest passages of ``text``, one more than are counted."""
        encoder, vectors = self._encoder, self._vectors
        with self._bundle.refusing(f"{self._folder}/{MODEL}"):
            query = encoder.encode_queries([text])[0]
        cosines = vectors.cosines(query)
        count = min(NEAREST + 1, len(cosines))
        best = np.argpartition(-cosines, count - 1)[:count] if count else np.zeros(0, np.int64)
        best = best[np.lexsort((best, -cosines[best]))]
        return best, cosines[best]

    def _page_scores(self, text: str, without: int | None) -> dict[int, float]:
        """The score of each page that one of the passages nearest to ``text`` is about."""
        found: dict[int, float] = {}
        passages, cosines = self._nearest(text)
        kept = np.flatnonzero(passages != (-1 if without is None else without))[:NEAREST]
        for page, cosine in zip(self._page_of[passages[kept]].tolist(), cosines[kept].tolist(), strict=True):
            score = SHARPNESS * cosine
            found[page] = float(np.logaddexp(found[page], score)) if page in found else score
        return found

    def _has_passage(self, row: int) -> bool:
        starts = self._table.starts
        return row + 1 < len(starts) and bool(starts[row] < starts[row + 1])

    def _passages_for(self, text: str, number: int, row: int) -> list[Passage]:
        """The best passages about a page among the nearest of a sentence, which has this number."""
        table = self._table
        passages, cosines = self._nearest(text)
        of_page = np.flatnonzero(self._page_of[passages] == row).tolist()
        ranked = [(float(cosines[place]), int(passages[place])) for place in of_page]
        stems = {token(word).hash for word in TOKEN.findall(text)} - self._stop_words
        found = []
        for passage in best_passages(ranked, lambda one: int(table.kinds[one])):
            said = table.texts[passage]
            hits = tuple(
                Span(*one.span()) for one in TOKEN.finditer(said) if token(one.group()).hash in stems
            )
            found.append(Passage(table.sources[passage], said, hits, number))
        return found

    # -- files

    @cached_property
    def _table(self) -> PassageTable:
        return PassageTable(self._bundle)

    @cached_property
    def _page_of(self) -> npt.NDArray[np.int64]:
        return np.repeat(np.arange(self._table.pages), np.diff(self._table.starts))

    @cached_property
    def _stop_words(self) -> frozenset[int]:
        return frozenset({0, *self._bundle.array("ir/everywhere.npy").tolist()})

    @cached_property
    def _vectors(self) -> PassageVectors:
        return PassageVectors(self._arrays[EMBEDDINGS])

    @cached_property
    def _encoder(self) -> SentenceEncoder:
        """The encoder in the bundle, if it is the one that made the vectors."""
        require_extra(DENSE, PLAYING)
        raw: Mapping[str, bytes] = {
            name: self._read(name, most)
            for name, most in ((MODEL, LARGEST_MODEL), (TOKENIZER, LARGEST_TOKENIZER))
        }
        if encoder_digest(raw[MODEL], raw[TOKENIZER]) != self._about.digest:
            raise QuizwriterError(
                f"The encoder of the dense player in {self._bundle.folder} is another one than the one "
                "that made the vectors of its passages.",
                "Train the dense player of this bundle again: python -m index_builder train --players dense.",
            )
        with self._bundle.refusing(f"{self._folder}/{MODEL}"):
            return SentenceEncoder(raw[MODEL], raw[TOKENIZER], self._about, self._threads)

    def _read(self, name: str, most_bytes: int) -> bytes:
        path = f"{self._folder}/{name}"
        with self._bundle.refusing(path):
            require(path in self._bundle.files, "it is missing")
            return read_member(self._bundle.folder, path, most_bytes)
