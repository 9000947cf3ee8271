"""Are the words that the evidence names at a buzz those to change? They are masked, and the tossup played."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Collection, Sequence
from statistics import fmean

import msgspec
import numpy as np

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import Player
from quizwriter.domain.names import name_spans
from quizwriter.domain.page import Page
from quizwriter.domain.players import player_kind
from quizwriter.domain.tossup import Tossup, bare_word
from quizwriter.engine.tokenizer import STOP_WORDS, TOKEN, token
from quizwriter.experiments import column
from quizwriter.experiments.inference import bootstrap_ratio, generator, interval
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.probes import SAYS_NOTHING, unsaid
from quizwriter.workflow.wording import page_ranks, player_title, supporter

NAMED, DARKEST, MARKS, RANDOM = "named", "darkest words", "darkest marks", "random words"
ARMS = (NAMED, DARKEST, MARKS, RANDOM)

CUES = 3
"""Cues of an arm."""

CALLED = 100
"""A noun is generic if so many past tossups call their answer by it: "this man"."""

_CALLED = re.compile(r"\b[Tt]h(?:is|ese) ([a-z]+)")


class _Masked(msgspec.Struct, frozen=True):
    """A tossup whose right buzz was explained: for each arm the delay, and which of its cues are generic."""

    delays: dict[str, float]
    generic: dict[str, tuple[bool, ...]]


@experiment(
    "cues",
    title="The words to change",
    asks="Does it delay a player if the words that its evidence names are changed?",
    source="Wallace et al. 2019, section 3.3, of the words that a writer is shown",
    columns=(
        column.text("player"), column.text("masked"), column.count("tossups"),
        column.share("generic nouns"), column.share("generic noun first"), column.share("delay"),
        column.share("less the darkest words"), column.share("less the darkest marks"),
    ),
    plot=Plot.bars("delay of the buzz, per cent of the tossup", ""),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    unread=True,
)  # fmt: skip
def cues(given: ExperimentInputs) -> Found:
    """The table has a row for each player and each way to choose three words; the differences are paired."""
    questions = given.unread_questions
    generic = _generic_stems(given)
    rows: list[list[Cell]] = []
    series, sentences = [], []

    lenders: list[Player] = []  # the ensemble, which has no evidence, comes after its members

    def mask(player: Player, one: SourceQuestion) -> _Masked | None:
        if player_kind(player.name).explains and player not in lenders:
            lenders.append(player)
        return _masked(player, lenders, one.tossup, generic)

    for name, played in given.by_player("masks words", questions, mask):
        found = [one for one in played if one is not None]
        given.left_out[f"tossups on which {player_title(name)} does not buzz right"] += len(played) - len(
            found
        )
        if not found:
            continue
        of_player = [_row(given, name, arm, found) for arm in ARMS]
        rows += of_player
        series.append(Series.of(player_title(name), ARMS, [row[5] for row in of_player]))
        sentences.append(
            f"{player_title(name)} buzzes {100 * fmean(one.delays[NAMED] for one in found):.1f} % of the "
            f"tossup later without the words named, {100 * fmean(one.delays[MARKS] for one in found):.1f} % "
            f"without the three darkest marks (n {len(found):,})"
        )
    if not rows:
        raise refuse("No player buzzes right on any of these questions, or has evidence.")
    remarks = [
        "Explained is the right buzz of a player. A player without evidence, as the ensemble, shows "
        "that of the player above it here which ranks the page highest then. A masked word becomes "
        f"“{SAYS_NOTHING}” wherever it stands; "
        "the marks are masked where they stand only. A tossup that is never buzzed right counts as heard "
        f"whole. Random are {CUES} words heard by then that are no stop words. A noun is generic if it "
        f"follows “this” in the tossup, or in {CALLED} past tossups.",
    ]
    return Found(rows, "; ".join(sentences) + ".", series, remarks)


def _generic_stems(given: ExperimentInputs) -> frozenset[int]:
    counted = Counter[str]()
    for text in given.engine.retrieval.past_tossups():
        counted.update(_CALLED.findall(text))
    return frozenset(token(word).hash for word, times in counted.items() if times >= CALLED) - {0}


def _stems(text: str) -> frozenset[int]:
    return frozenset(token(found).hash for found in TOKEN.findall(text)) - {0}


def _masked(
    player: Player, lenders: Sequence[Player], tossup: Tossup, generic: frozenset[int]
) -> _Masked | None:
    play = player.play(tossup)
    if play.buzz is None or not play.buzzes_right:
        return None
    heard = tossup.heard(play.buzz.heard)
    evidence = _evidence(player, lenders, heard, play.buzz.guess.page)
    if evidence is None or not evidence.cues:
        return None
    stems = [_stems(word.of(tossup.text)) for word in tossup.words]
    chosen = _chosen(heard, evidence)
    before = play.buzz.heard / len(tossup.words)
    delays, of_frame = {}, {}
    names = frozenset().union(*(_stems(span.of(heard.text)) for span in name_spans(heard)))
    generic = generic | (
        frozenset().union(*(_stems(found.group(1)) for found in _CALLED.finditer(heard.text))) - names
    )
    for arm in ARMS:
        cues = chosen[MARKS if arm == DARKEST else arm]
        wanted = frozenset[int]().union(*(stems[number] for cue in cues for number in cue))
        words = (
            {number for cue in cues for number in cue}
            if arm == MARKS
            else {number for number, own in enumerate(stems) if own & wanted}
        )
        after = player.play(_without(tossup, words))
        heard_after = after.buzz.heard / len(tossup.words) if after.buzz and after.buzzes_right else 1.0
        delays[arm] = heard_after - before
        of_frame[arm] = tuple(any(stems[number] & generic for number in cue) for cue in cues)
    return _Masked(delays, of_frame)


def _evidence(player: Player, lenders: Sequence[Player], heard: Tossup, page: Page) -> Evidence | None:
    """The evidence of ``player``, or as in the window that of the lender which ranks ``page`` highest."""
    if not player_kind(player.name).explains:
        ranks = page_ranks(page, [one.play(heard) for one in lenders], len(heard.words))
        player = next((one for one in lenders if one.name == supporter(ranks)), player)
    return player.explain(heard, page)


def _chosen(heard: Tossup, evidence: Evidence) -> dict[str, list[frozenset[int]]]:
    """The numbers of the words of each cue of an arm."""
    number_of = {word: number for number, word in enumerate(heard.words)}
    named = [
        frozenset(
            number
            for word, number in number_of.items()
            if any(word.start < span.end and word.end > span.start for span in reason.spans)
        )
        for reason in evidence.reasons[:CUES]
    ]
    speaking = sorted((cue for cue in evidence.cues if cue.weight > 0), key=lambda cue: -cue.weight)
    marks = [frozenset({number_of[cue.span]}) for cue in speaking[:CUES]]
    said = [
        number
        for word, number in number_of.items()
        if heard.clues[number] and bare_word(word.of(heard.text)).casefold() not in STOP_WORDS
    ]
    drawn = random.Random(heard.text).sample(said, min(len(said), len(frozenset().union(*named)) or CUES))
    return {NAMED: named, MARKS: marks, RANDOM: [frozenset({number}) for number in drawn]}


def _without(tossup: Tossup, words: Collection[int]) -> Tossup:
    """``tossup`` with a word that says nothing in the place of each of ``words``."""
    return Tossup("".join(letters for letters, _ in unsaid(tossup, words)), tossup.answer)


def _row(given: ExperimentInputs, name: str, arm: str, found: list[_Masked]) -> list[Cell]:
    cues = [is_generic for one in found for is_generic in one.generic[arm]]
    first = [one.generic[arm][0] for one in found if one.generic[arm]]
    values = {other: np.array([one.delays[other] for one in found]) for other in (arm, DARKEST, MARKS)}
    draw = generator(given.seed, f"cues {name} {arm}")

    def mean(column: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Estimate:
        samples = bootstrap_ratio(column[:, None], np.ones((len(column), 1)), draw)[:, 0]
        return interval(samples, float(column.mean()), len(column))

    return [
        name, arm, len(found), share_of(sum(cues), len(cues)), share_of(sum(first), len(first)),
        mean(values[arm]), mean(values[arm] - values[DARKEST]), mean(values[arm] - values[MARKS]),
    ]  # fmt: skip
