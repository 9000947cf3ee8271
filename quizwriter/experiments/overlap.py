"""Overlap with past tossups on the same answer: how much of a set is stock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from quizwriter.domain.stock_clues import STOCK_FROM
from quizwriter.domain.tossup import Tossup
from quizwriter.experiments import column
from quizwriter.experiments.inference import Floats, bootstrap_ratio, generator, interval, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.wording import counted_noun, sentence

_COLUMNS, _CLUES = 5, 4
"""Figures of a tossup that are averaged, and counts of its clues."""


def tossup_words(tossup: Tossup) -> list[str]:
    """The words of ``tossup`` as they are compared: in small letters, without punctuation."""
    return [word for word in tossup.bare_words if word]


def longest_run(words: Sequence[str], pasts: Sequence[Sequence[str]]) -> int:
    """The most words in a row that ``words`` shares with one of ``pasts``; linear in all their lengths."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        own = set(_runs(words, middle))
        if any(run in own for past in pasts for run in _runs(past, middle)):
            low = middle
        else:
            high = middle - 1
    return low


def _runs(words: Sequence[str], length: int) -> Iterator[int]:
    """A hash of each run of ``length`` words; two runs of the same words have the same."""
    base, modulus = 1_000_003, (1 << 61) - 1
    if length > len(words):
        return
    top = pow(base, length - 1, modulus)
    rolling = 0
    numbers = [hash(word) % modulus for word in words]
    for at, value in enumerate(numbers):
        if at >= length:
            rolling = (rolling - numbers[at - length] * top) % modulus
        rolling = (rolling * base + value) % modulus
        if at >= length - 1:
            yield rolling


@experiment(
    "overlap",
    title="Stock or new",
    asks="How much of these tossups was asked before on the same answer?",
    source="Wallace et al. 2019, section 5; Bartolo et al. 2020, table 4",
    columns=(
        column.text("set"), column.count("tossups"), column.share("unigrams seen"),
        column.share("bigrams seen"), column.number("longest run", estimated=True),
        column.number("past tossups on the answer", estimated=True), column.number("words", estimated=True),
        column.share("stock clues"), column.share("stock on the answer"), column.share("new clues"),
    ),
    plot=Plot.lines("longest run of words in one past tossup", "tossups, share", shares=False),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    may=(Need.AGAINST_QUESTIONS,),
    details=(
        column.text("question"), column.text("answer"), column.text("set"), column.number("unigrams seen"),
        column.number("bigrams seen"), column.count("longest run"), column.count("past tossups"),
        column.count("clues"), column.count("stock clues"), column.count("stock on the answer"),
        column.count("new clues"), column.count("heard first"), column.count("heard last"),
    ),
)  # fmt: skip
def overlap(given: ExperimentInputs) -> Found:
    """The table has a row for the set, and one for what it is compared with."""
    draw = generator(given.seed, "overlap")
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, said = [], []
    sets = [("these", given.questions)]
    if given.against_from:
        sets.append(("against", given.against_questions))
    for name, questions in sets:
        figures = _figures(given, name, given.resolved(questions), details)
        if not len(figures):
            raise refuse(
                f"None of {counted_noun(len(questions), 'question')} is on an answer that past tossups of "
                "the bundle have.",
                "Name questions on answers of the bundle, or build it with past questions.",
            )
        found = mean_estimates(figures[:, :_COLUMNS], draw)
        rows.append([name, len(figures), *found, *_of_clues(figures[:, _COLUMNS:], draw)])
        longest = figures[:, 2].astype(int)
        counts = np.bincount(longest)
        series.append(Series(name, list(range(len(counts))), (counts / len(longest)).tolist()))
        said.append(_sentence(name, found))
    remarks = [
        "Unigrams and bigrams are shares of the distinct ones of a tossup that occur in past tossups of the "
        "bundle on the same answer, the tossup itself left out. Published overlaps are by another "
        "definition: Wallace et al. print .37 and .05 for regular questions, .40 and .08 for theirs.",
        f"A clue is a sentence. It is stock if {STOCK_FROM} or more other past questions have it, and new if "
        "none has. Its interval is by bootstrap over tossups.",
    ]
    return Found(rows, sentence("; ".join(said)) + ".", series, remarks, details)


def _figures(
    given: ExperimentInputs, name: str, questions: Sequence[SourceQuestion], details: list[list[Cell]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    library = given.engine.library
    if library is None:
        raise refuse("The bundle has no library of past questions.", "Build the bundle again.")
    found = []
    for one in given.watched("Comparing with past tossups", questions):
        answer = one.tossup.answer
        past = library.questions_on(answer.page) if answer is not None and answer.page else ()
        own = tossup_words(one.tossup)
        pasts = [tossup_words(Tossup(each.text)) for each in past if each.kind.value == "tossup"]
        pasts = [each for each in pasts if each and each != own]
        if not pasts or len(own) < 2:
            given.left_out["questions on whose answers no other past tossup is"] += 1
            continue
        words, pairs = set(own), set(pairwise(own))
        past_words = {word for each in pasts for word in each}
        past_pairs = {pair for each in pasts for pair in pairwise(each)}
        shares = [len(words & past_words) / len(words), len(pairs & past_pairs) / len(pairs)]
        run = longest_run(own, pasts)
        itself = sum(tossup_words(Tossup(each.text)) == own for each in past)
        clues, years = _clue_counts(given, one.tossup, itself)
        found.append([*shares, run, len(pasts), len(own), *clues])
        details.append([one.key, one.title, name, *shares, run, len(pasts), *clues, *years])
    return np.array(found, dtype=np.float64).reshape(-1, _COLUMNS + _CLUES)


def _clue_counts(
    given: ExperimentInputs, tossup: Tossup, itself: int
) -> tuple[tuple[int, int, int, int], tuple[int | None, int | None]]:
    """How many clues ``tossup`` has, how many are stock, stock on its answer, and new; and of what years.

    ``itself`` is how many of the past questions are the tossup. Without an index of sentences, none counts.
    """
    finder = given.engine.clue_finder
    found = finder.look_up(tossup) if finder is not None else ()
    anywhere = [max(0, one.anywhere - itself) for one in found]
    on_answer = [max(0, one.on_answer - itself) for one in found]
    heard = [one for one, times in zip(found, anywhere, strict=True) if times]
    first = min((one.first for one in heard if one.first), default=None)
    last = max((one.last for one in heard if one.last), default=None)
    stock = sum(times >= STOCK_FROM for times in anywhere)
    of_answer = sum(times >= STOCK_FROM for times in on_answer)
    return (len(found), stock, of_answer, sum(not times for times in anywhere)), (first, last)


def _of_clues(counts: Floats, draw: np.random.Generator) -> list[Estimate]:
    """The shares of the clues that are stock, stock on the answer, and new, over all tossups."""
    clues = counts[:, [0]]
    total = int(clues.sum())
    if not total:
        return [Estimate(0)] * (_CLUES - 1)
    drawn = bootstrap_ratio(counts[:, 1:], np.repeat(clues, _CLUES - 1, axis=1), draw)
    shares = counts[:, 1:].sum(axis=0) / total
    return [interval(drawn[:, at], float(share), total) for at, share in enumerate(shares)]


def _sentence(name: str, found: Sequence[Estimate]) -> str:
    of = "of these" if name == "these" else "of the others"
    if not found[0].number:
        return f"none {of} is on an answer that another past tossup has"
    unigrams, bigrams, run = (one.value or 0.0 for one in found[:3])
    return (
        f"{of}, {100 * unigrams:.1f} % of the unigrams and "
        f"{100 * bigrams:.1f} % of the bigrams were in past tossups on the same answer "
        f"(n {found[0].number:,}), and the longest run has {run:.1f} words in the mean"
    )
