"""Overlap with past tossups on the same answer: how much of a set is stock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from quizwriter.domain.tossup import Tossup, bare_word
from quizwriter.experiments import column
from quizwriter.experiments.estimates import Estimate
from quizwriter.experiments.inference import generator, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.workflow.wording import counted_noun

_COLUMNS = 5


def tossup_words(tossup: Tossup) -> list[str]:
    """The words of ``tossup`` as they are compared: in small letters, without punctuation."""
    found = (bare_word(span.of(tossup.text)).casefold() for span in tossup.words)
    return [word for word in found if word]


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
    ),
    plot=Plot.lines("longest run of words in one past tossup", "tossups, share", shares=False),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    may=(Need.AGAINST_QUESTIONS,),
    details=(
        column.text("question"), column.text("answer"), column.text("set"), column.number("unigrams seen"),
        column.number("bigrams seen"), column.count("longest run"), column.count("past tossups"),
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
        found = mean_estimates(figures, draw)
        rows.append([name, len(figures), *found])
        longest = figures[:, 2].astype(int)
        counts = np.bincount(longest)
        series.append(Series(name, list(range(len(counts))), (counts / len(longest)).tolist()))
        said.append(_sentence(name, found))
    remarks = [
        "Unigrams and bigrams are shares of the distinct ones of a tossup that occur in past tossups of the "
        "bundle on the same answer, the tossup itself left out. Published overlaps are by another "
        "definition: Wallace et al. print .37 and .05 for regular questions, .40 and .08 for theirs.",
    ]
    return Found(rows, "; ".join(said) + ".", series, remarks, details)


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
        found.append([*shares, run, len(pasts), len(own)])
        details.append([one.key, one.title, name, *shares, run, len(pasts)])
    return np.array(found, dtype=np.float64).reshape(-1, _COLUMNS)


def _sentence(name: str, found: Sequence[Estimate]) -> str:
    unigrams, bigrams, run = (one.value or 0.0 for one in found[:3])
    return (
        f"{'of these' if name == 'these' else 'of the others'}, {100 * unigrams:.1f} % of the unigrams and "
        f"{100 * bigrams:.1f} % of the bigrams were in past tossups on the same answer "
        f"(n {found[0].number:,}), and the longest run has {run:.1f} words"
    )
