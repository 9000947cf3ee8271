"""The retrieval player: a running sum over a matrix of terms and pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.evidence import Cue, Evidence, Passage, Reason
from quizwriter.domain.guessing import RANK_DEPTH, TOP, Guess, Playthrough, Row
from quizwriter.domain.page import Page, answer_key
from quizwriter.domain.players import IR
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.evidence import TITLE_POINTS, HeardWeighting, best_passages, stem_weights, word_cues
from quizwriter.engine.pages import read_pages
from quizwriter.engine.reasons import RIVALS, cue_groups, find_reasons
from quizwriter.engine.running_sum import HeardTerms, Posting, Ranking, RunningSum
from quizwriter.engine.stored_arrays import LARGEST_VALUE, require
from quizwriter.engine.term_table import TermTable
from quizwriter.engine.tokenizer import TOKEN, Hashes, TitleFinder, common, is_in, kind_hash, token, tokenize
from quizwriter.system.decoding import DecodingError
from quizwriter.system.memory import own_cache

HEARING = "ir/hearing.npy"
"""The file of a bundle that has the numbers of :class:`HeardWeighting`; older bundles have none."""

CANDIDATES = 10
"""How many guesses after every word a member of the ensemble proposes."""


CALLED_SHARE, COMMON_SHARE, LEAST_CALLED = 0.001, 1 / 15, 3
"""A stem belongs to the frame where so large a share of the pages is called by it, or has it; and so many."""


class PassageKind(IntEnum):
    """The kind of source that a passage comes from."""

    TOSSUP = 0
    BONUS = 1
    ARTICLE = 2


MOST_CACHED = 1 << 22
"""How many postings a matrix keeps in memory, 32 MB: the words of a draft are asked for with every key."""


OVERHEAD = 16
"""A term that is kept takes as much room as so many postings, also where no page has it."""


class _Matrix:
    """The postings of a bundle. They are read from the file, term by term, and checked then."""

    def __init__(self, bundle: Bundle, pages: int) -> None:
        """``pages`` is the number of pages that postings may name."""
        self._bundle = bundle
        self._page_count = pages
        self._pages, self._points = bundle.stored("ir/rows.npy"), bundle.stored("ir/points.npy")
        self._terms = TermTable(bundle)
        self._cached: dict[int, Posting | None] = {}  # by hash; None where no page has the term
        self._cached_size = 0
        with bundle.refusing("ir/offsets.npy"):
            fits = self._terms.postings == len(self._pages) == len(self._points)
            require(fits, "it does not fit the postings")

    def largest_points(self) -> float:
        size = len(self._points)
        ends = [*range(0, size, MOST_CACHED), size]
        return max((float(self._points.piece(*piece).max()) for piece in pairwise(ends)), default=0.0)

    def postings(self, hashes: Hashes) -> tuple[npt.NDArray[np.bool_], list[Posting]]:
        """Which of the terms with these hashes are on any page, and their postings."""
        wanted = hashes.tolist()
        cached = self._cached  # once, as another thread may begin a new one
        unread = sorted({term for term in wanted if term not in cached})
        if unread:
            read = self._read_postings(np.asarray(unread, np.uint64))
            if self._cached_size > MOST_CACHED:
                cached = self._cached = {term: cached[term] for term in wanted if term in cached}
                self._cached_size = _size_of(cached)
            cached.update(read)
            self._cached_size += _size_of(read)
        found = [cached[term] for term in wanted]
        known = np.fromiter((posting is not None for posting in found), np.bool_, len(found))
        return known, [posting for posting in found if posting is not None]

    def document_frequency(self, hashes: Hashes) -> npt.NDArray[np.int64]:
        """On how many pages each of the terms with these hashes, which rise, is."""
        numbers = self._terms.places(hashes)
        found = np.zeros(len(hashes), np.int64)
        starts, ends = self._terms.ranges(numbers[numbers >= 0])
        found[numbers >= 0] = ends - starts
        return found

    def _read_postings(self, terms: Hashes) -> dict[int, Posting | None]:
        """The postings of ``terms``, checked together: that is much quicker than one by one."""
        numbers = self._terms.places(terms)
        known = numbers >= 0
        starts, ends = self._terms.ranges(numbers[known])
        borders = np.cumsum(ends - starts)
        try:
            pages, points = (stored.pieces(starts, ends) for stored in (self._pages, self._points))
            if len(pages):
                require(pages.min() >= 0 and pages.max() < self._page_count, "a page is out of order")
                rises = pages[1:] > pages[:-1]
                rises[borders[(borders > 0) & (borders < len(pages))] - 1] = True  # another term begins
                require(rises.all(), "a page is out of order")
                require(
                    points.min() >= -LARGEST_VALUE and points.max() <= LARGEST_VALUE, "points are too large"
                )
        except (DecodingError, OSError) as trouble:
            raise self._bundle.changed("ir/rows.npy or ir/points.npy", trouble) from trouble
        found: dict[int, Posting | None] = dict.fromkeys(terms[~known].tolist())
        between = pairwise([0, *borders.tolist()])
        for term, (first, last) in zip(terms[known].tolist(), between, strict=True):
            found[term] = pages[first:last], points[first:last]
        return found


def _size_of(cached: Mapping[int, Posting | None]) -> int:
    """How much room some postings take, counted in pages; each takes some besides its pages."""
    return sum(OVERHEAD + (0 if posting is None else len(posting[0])) for posting in cached.values())


class PassageTable:
    """The passages of a bundle, sorted by page. ``added`` says that a packet added them.

    ``starts`` has where the passages of each page begin, and then how many there are.
    """

    def __init__(self, bundle: Bundle, *, added: bool = False) -> None:
        """The passages of ``bundle``, each read when it is used."""
        self.texts = bundle.texts("passages/texts")
        self.sources = bundle.texts("passages/sources")
        self.kinds: npt.NDArray[np.int8] = bundle.array("passages/kinds.npy")
        self.added = added
        self.starts: npt.NDArray[np.int64] = bundle.array("passages/page_starts.npy")
        with bundle.refusing("passages/page_starts.npy"):
            sizes = {len(self.texts), len(self.sources), len(self.kinds), int(self.starts[-1])}
            require(len(sizes) == 1, "it does not fit the passages")

    @property
    def pages(self) -> int:
        return len(self.starts) - 1

    def about(self, page: int) -> range:
        return range(*self.starts[page : page + 2].tolist()) if page + 1 < len(self.starts) else range(0)


_PassageReference = tuple[PassageTable, int]


class _MatchedTerms(msgspec.Struct, frozen=True):
    """The terms of a tossup that the index has. Words are counted from 0.

    ``terms`` are postings with the points that count here, each begun by the word in ``first`` and complete
    with the one in ``last``; ``numbers`` says which of the terms read it is, and ``sorts`` what sort each
    of those is.
    ``titles_read`` has, for each page whose title is read aloud, the word that first completes it.
    """

    terms: list[Posting]
    first: list[int]
    last: list[int]
    numbers: list[int]
    sorts: npt.NDArray[np.int8]
    titles_read: dict[int, int]


class TermShares(msgspec.Struct, frozen=True):
    """The points that each term of a tossup adds to some pages; terms on no page are left out.

    Shapes:
        ``points``: ``[terms, pages]``. ``last``, the word, from 0, that completes the term, ``sorts``, as in
        :class:`quizwriter.engine.tokenizer.TermRun`, and ``document_frequency``, the number of pages with the
        term: ``[terms]``.
    """

    points: npt.NDArray[np.float32]
    last: npt.NDArray[np.int64]
    sorts: npt.NDArray[np.int8]
    document_frequency: npt.NDArray[np.int64]


class Retrieval:
    """Guesses pages by the terms that past questions and articles about them share with the draft.

    The matrix has, for every term and page, the points that the page gets when the term is heard, as
    index_builder computed them. A tossup is played as one running sum, see
    :mod:`quizwriter.engine.running_sum`.
    """

    def __init__(self, bundle: Bundle, added: Bundle | None = None) -> None:
        """The player in ``bundle``; postings and texts stay on disk and are read when a draft needs them.

        ``log_tossup_counts`` has for each page the logarithm of one more than the tossups on it.

        ``added`` is the index of packets added to it, by index_builder.index: all pages, the added
        texts, and a matrix of what the points of the bundle's own lack.
        """
        every = bundle if added is None else added  # knows all pages
        self.pages = read_pages(every, bundle)
        self._matrices = [_Matrix(one, len(self.pages)) for one in (bundle, added) if one is not None]
        self._prior: npt.NDArray[np.float32] = every.array("ir/prior.npy")
        self._stop_words: Hashes = bundle.array("ir/everywhere.npy")
        self._hearing = HeardWeighting()
        if HEARING in bundle.files:
            numbers = bundle.array(HEARING).tolist()
            with bundle.refusing(HEARING):
                self._hearing = HeardWeighting.of(numbers)
        titles, titled = every.array("ir/titles.npy"), every.array("ir/titled.npy")
        with every.refusing("the list of pages"):
            require(len(self._prior) == len(self.pages), "ir/prior.npy does not fit it")
            require(len(titles) == len(titled), "ir/titles.npy does not fit it")
            require(titled.max(initial=-1) < len(self.pages), "ir/titled.npy does not fit it")
        self.titles = TitleFinder(titles, titled)
        self._passage_tables = [PassageTable(bundle, added=False)]
        if added is not None:
            self._passage_tables.append(PassageTable(added, added=True))
        with every.refusing("passages/page_starts.npy"):
            require(self._passage_tables[-1].pages == len(self.pages), "it does not fit the list of pages")
        self.log_tossup_counts: npt.NDArray[np.float32] = np.log1p(every.array("pages_asked.npy")).astype(
            np.float32
        )
        self._passages_of = own_cache(self._read_passages, 4)
        # the ensemble needs them right after the game, more than once
        self._rankings = own_cache(self._rank, 2)
        self._last_sum: list[RunningSum] = []  # of the last draft, which the next one often only goes on
        self._matched_terms = own_cache(self._match_terms, 2)
        self._cached_shares = own_cache(self._term_shares, 1)

    @property
    def name(self) -> str:
        return IR

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses after every word of ``tossup``.

        Shapes:
            running sum: float32 ``[pages]``. Result: one row per word, best first, ties by page. A page
            that shares no term with the words heard is never guessed.

        Units:
            Points are weighted log likelihood ratios; a softmax over pages turns them into chances.

        Source:
            A language model per page with Dirichlet smoothing: Zhai and Lafferty, "A Study of Smoothing
            Methods for Language Models Applied to Information Retrieval" (2004); like BM25 a sum over terms.
        """
        if not 1 <= top <= RANK_DEPTH:
            raise ValueError(f"top must be between 1 and {RANK_DEPTH}")
        return self._playthrough(tossup, self._rankings(tossup, max(top, CANDIDATES)), top)

    def _playthrough(self, tossup: Tossup, ranking: Ranking, top: int) -> Playthrough:
        pages, points = ranking.pages[:, :top], ranking.points[:, :top]
        changes = (pages[1:] != pages[:-1]).any(axis=1) | (points[1:] != points[:-1]).any(axis=1)
        named = {number: self.pages.all[number] for number in set(pages.ravel().tolist()) if number >= 0}
        row: Row = ()
        rows: list[Row] = []
        for word, changed in enumerate([True, *changes.tolist()][: len(pages)]):
            if changed:  # most words change nothing, and share the row before
                names = [named[number] for number in pages[word].tolist() if number >= 0]
                row = tuple(map(Guess, names, points[word].tolist()))
            rows.append(row)
        return Playthrough(
            IR,
            tossup,
            tuple(range(1, len(rows) + 1)),
            tuple(rows),
            tuple(ranking.ranks),
            knows_answer=None if tossup.answer is None else bool(self.pages.right(tossup.answer)),
        )

    def knows(self, row: int) -> bool:
        return 0 <= row < len(self.pages)

    def candidates(self, tossup: Tossup) -> npt.NDArray[np.int64]:
        return self._rankings(tossup, CANDIDATES).pages[:, :CANDIDATES]

    def scores(self, tossup: Tossup, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The points of ``rows``, distinct pages in rising order, after every word, as :meth:`play` has them.

        Shapes:
            ``[words, rows]``.
        """
        found = np.zeros((len(tossup.words), len(rows)), np.float32)
        if not found.size:
            return found
        shares = self.shares(tossup, rows)
        found[0] = self._prior[rows]
        np.add.at(found, shares.last, shares.points)
        for page, word in self._matched_terms(tossup).titles_read.items():
            column = int(np.searchsorted(rows, page))
            if column < len(rows) and rows[column] == page:
                found[word, column] += np.float32(TITLE_POINTS)
        return np.cumsum(found, axis=0, dtype=np.float32)

    def shares(self, tossup: Tossup, rows: npt.NDArray[np.int64]) -> TermShares:
        """The points that each term of ``tossup`` adds to ``rows``, distinct pages in rising order."""
        return self._cached_shares(tossup, rows.astype(np.int64).tobytes())

    def _term_shares(self, tossup: Tossup, wanted: bytes) -> TermShares:
        rows = np.frombuffer(wanted, np.int64)
        heard = self._matched_terms(tossup)
        points = np.zeros((len(heard.sorts), len(rows)), np.float32)
        document_frequency, last = np.zeros((2, len(heard.sorts)), np.int64)
        for (pages, added), number, word in zip(heard.terms, heard.numbers, heard.last, strict=True):
            some, at = common(rows, pages)
            points[number, some] += added[at]
            document_frequency[number] += len(pages)
            last[number] = word
        known = document_frequency > 0
        return TermShares(points[known], last[known], heard.sorts[known], document_frequency[known])

    def query(self, tossup: Tossup, top: int = TOP) -> Row:
        """The ``top`` guesses once all of ``tossup`` is heard, by one fresh query.

        The result equals the last row of :meth:`play`, but every page is scored and sorted. Tests compare the
        two, and ``quizwriter bench`` measures the time that the running sum saves.
        """
        points, ranked = self.final_points(tossup)
        return tuple(Guess(self.pages.all[page], float(points[page])) for page in ranked[:top].tolist())

    def final_points(self, tossup: Tossup) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """The points of all pages once all of ``tossup`` is heard, and the pages that share a term with it.

        Shapes:
            ``[pages]``, and the rows of pages, best first.
        """
        points, touched = self._points_heard(tossup)
        return points, np.argsort(np.where(touched, -points, np.inf), kind="stable")[: touched.sum()]

    def _points_heard(self, tossup: Tossup) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """The points of all pages once all of ``tossup`` is heard, and which share a term with it."""
        points = self._prior.copy()
        touched = np.zeros(len(self.pages), np.bool_)
        heard = self._matched_terms(tossup)
        order = sorted(zip(heard.last, heard.terms, strict=True), key=lambda pair: pair[0])
        for _, (pages, added) in order:
            points[pages] += added
            touched[pages] = True
        points[list(heard.titles_read)] += np.float32(TITLE_POINTS)
        return points, touched

    def term_points(
        self, tossup: Tossup, hashes: Hashes, rows: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64]:
        """The points that each of the stems ``hashes``, heard alone after ``tossup``, gives to ``rows``.

        Shapes:
            ``rows`` rise. Result: ``[stems, rows]``.
        """
        found = np.zeros((len(hashes), len(rows)))
        counted = self._hearing.word_weights(tossup, hashes) * ~is_in(hashes, self._stop_words)
        for matrix in self._matrices:
            known, postings = matrix.postings(hashes)
            for number, (pages, points) in zip(np.flatnonzero(known).tolist(), postings, strict=True):
                some, at = common(rows, pages)
                found[number, some] += points[at] * counted[number]
        return found

    @cached_property
    def largest_points(self) -> float:
        return sum(matrix.largest_points() for matrix in self._matrices)

    def texts_about(self, row: int) -> list[str]:
        return [table.texts[place] for table in self._passage_tables for place in table.about(row)]

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence:
        """Each word's exact share of the score of ``page`` after all of ``tossup``, and the texts behind it.

        A pair of words shares its points evenly. What the page starts with is spread over its words in
        proportion, so that the shares add up to the score. The word that completes the page's title has a
        negative share. For each sentence come the passages about the page with its weightiest words.
        """
        row = self.pages.rows.get(answer_key(page))
        if row is None:
            return Evidence(IR, page)
        found = word_cues(
            tossup,
            self._term_points(tossup, row),
            float(self._prior[row]),
            self._matched_terms(tossup).titles_read.get(row),
        )
        if found is None:
            return Evidence(IR, page)
        score, cues = found
        reasons, frame = self._reasons(tossup, row)
        return Evidence(
            IR, page, score, cues, tuple(self._passages_for(tossup, row, cues)), reasons=reasons, frame=frame
        )

    def is_frame(self, stems: Hashes) -> npt.NDArray[np.bool_]:
        """Of each of ``stems``, which rise, whether many pages have it or are called so: "this composer"."""
        kinds = np.asarray([kind_hash(stem) for stem in stems.tolist()], np.uint64)
        order = np.argsort(kinds)
        common, called = np.zeros((2, len(stems)), np.int64)
        for matrix in self._matrices:
            common += matrix.document_frequency(stems)
            called[order] += matrix.document_frequency(kinds[order])
        pages = len(self.pages)
        found: npt.NDArray[np.bool_] = (called >= max(LEAST_CALLED, CALLED_SHARE * pages)) | (
            common >= max(LEAST_CALLED, COMMON_SHARE * pages)
        )
        return found | is_in(stems, self._stop_words)

    def _reasons(self, tossup: Tossup, row: int) -> tuple[tuple[Reason, ...], tuple[Span, ...]]:
        """The cues without which the page in ``row`` leads by the least, and the frame."""
        points, touched = self._points_heard(tossup)
        brought_up = np.flatnonzero(touched & (np.arange(len(points)) != row))
        most = min(RIVALS, len(brought_up))
        ranked = brought_up[np.argpartition(-points[brought_up], most - 1)[:most]] if most else brought_up
        rows = np.asarray([row, *ranked.tolist()])
        order = np.argsort(rows)
        heard = self._matched_terms(tossup)
        added = np.zeros((len(heard.terms), len(rows)), np.float32)
        for term, (pages, of_term) in enumerate(heard.terms):
            some, at = common(rows[order], pages)
            added[term, order[some]] = of_term[at]
        ends = np.asarray([heard.first, heard.last])
        whole = points[rows]

        def leads(without: Sequence[frozenset[int]]) -> list[float]:
            gone = np.zeros((len(without), len(tossup.words)), np.bool_)
            for number, words in enumerate(without):
                gone[number, list(words)] = True
            lost = gone[:, ends].any(axis=1).astype(np.float32)
            left = whole - lost @ added
            found: list[float] = (left[:, 0] - left[:, 1:].max(axis=1, initial=0)).tolist()
            return found

        return find_reasons(tossup, cue_groups(tossup, self.is_frame), leads([frozenset()])[0], leads)

    def _term_points(self, tossup: Tossup, row: int) -> Iterator[tuple[int, int, float]]:
        """For each term of ``tossup`` that is on the page: its first word, its last word, its points."""
        heard = self._matched_terms(tossup)
        for (pages, points), first, last in zip(heard.terms, heard.first, heard.last, strict=True):
            place = np.searchsorted(pages, row)
            if place < len(pages) and pages[place] == row:
                yield first, last, float(points[place])

    @cached_property
    def log_passage_counts(self) -> npt.NDArray[np.float32]:
        counts = np.zeros(len(self.pages), np.int64)
        for table in self._passage_tables:
            counts[: table.pages] += np.diff(table.starts)
        return np.log1p(counts).astype(np.float32)

    def past_tossups(self) -> list[str]:
        """The texts of all tossups in the bundle, those added last."""
        return [
            table.texts[int(place)]
            for table in self._passage_tables
            for place in np.flatnonzero(table.kinds == PassageKind.TOSSUP)
        ]

    def similar_past_tossups(self, tossup: Tossup) -> Iterator[tuple[str, str]]:
        """Source and text of the past tossups that may have the clues of ``tossup``, each once.

        Those on its answer, and those on the first :data:`CANDIDATES` guesses after all words. Words that
        were asked before lead to the page they were asked about, whatever the answer is called.
        """
        rows = [row for row in self.candidates(tossup)[-1:].ravel().tolist() if row >= 0]
        answer = None if tossup.answer is None else self.pages.rows.get(tossup.answer.key)
        for row in dict.fromkeys(rows if answer is None else [answer, *rows]):
            for table in self._passage_tables:
                for place in table.about(row):
                    if table.kinds[place] == PassageKind.TOSSUP:
                        yield table.sources[place], table.texts[place]

    def play_variants(
        self, tossup: Tossup, variants: Sequence[Tossup], top: int = TOP
    ) -> Iterator[Playthrough]:
        """The games of ``variants``, each exactly as :meth:`play` has it, in their order.

        The words that a variant shares with the beginning of ``tossup`` are added up once.
        """
        if not 1 <= top <= RANK_DEPTH:
            raise ValueError(f"top must be between 1 and {RANK_DEPTH}")
        whole = RunningSum(self._prior)
        self._play_on(whole, tossup, top)
        for variant in variants:
            yield self._playthrough(variant, self._play_on(whole.copy(), variant, top), top)

    def _rank(self, tossup: Tossup, depth: int) -> Ranking:
        try:
            running = self._last_sum.pop()
        except IndexError:  # the first draft, or another thread has taken it
            running = RunningSum(self._prior)
        ranking = self._play_on(running, tossup, depth)
        self._last_sum[:] = [running]
        return ranking

    def _play_on(self, running: RunningSum, tossup: Tossup, depth: int) -> Ranking:
        """Take ``running`` to the words of ``tossup``: the first ``depth`` pages after every word."""
        heard = self._matched_terms(tossup)
        by_word: list[list[Posting]] = [[] for _ in tossup.words]
        for term, word in zip(heard.terms, heard.last, strict=True):
            by_word[word].append(term)
        found = HeardTerms(tokenize(tossup), by_word, heard.titles_read)
        return running.play(found, depth, self.pages.right(tossup.answer))

    def _match_terms(self, tossup: Tossup) -> _MatchedTerms:
        reading = tokenize(tossup)
        terms = reading.terms(self._stop_words)
        heard = _MatchedTerms([], [], [], [], terms.sorts, self.titles.find(reading))
        for matrix in self._matrices:
            known, postings = matrix.postings(terms.hashes)
            heard.terms.extend(postings)
            heard.first.extend(terms.first[known].tolist())
            heard.last.extend(terms.last[known].tolist())
            heard.numbers.extend(np.flatnonzero(known).tolist())
        self._hearing.weigh(heard.terms, heard.numbers, terms, len(self.pages))
        return heard

    def _passages_for(self, tossup: Tossup, row: int, cues: tuple[Cue, ...]) -> Iterator[Passage]:
        """For each sentence, the passages about the page that share its weightiest words."""
        passages = self._passages_of(row)
        for number, sentence in enumerate(tossup.sentences):
            weights = {stem: weight for stem, (weight, _) in stem_weights(tossup, sentence, cues).items()}
            scored = sorted(
                (
                    (sum(weights[stem] for stem in weights.keys() & stems), -number)
                    for number, (_, stems) in enumerate(passages)
                ),
                reverse=True,
            )
            ranked = [(score, passages[-number][0]) for score, number in scored if score > 0]
            for table, place in best_passages(ranked, _kind):
                text = table.texts[place]
                hits = tuple(
                    Span(*found.span())
                    for found in TOKEN.finditer(text)
                    if token(found.group()).hash in weights
                )
                yield Passage(table.sources[place], text, hits, number, yours=table.added)

    def _read_passages(self, row: int) -> list[tuple[_PassageReference, frozenset[int]]]:
        """Every passage about the page, with the stems in it."""
        return [
            (
                (table, place),
                frozenset(token(word).hash for word in TOKEN.findall(table.texts[place])) - {0},
            )
            for table in self._passage_tables
            for place in table.about(row)
        ]


def _kind(place: _PassageReference) -> tuple[bool, int]:
    """What sort of text a passage is: whether the writer added it, and its :class:`PassageKind`."""
    table, number = place
    return table.added, int(table.kinds[number])
