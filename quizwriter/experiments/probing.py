"""What if: variants of tossups, played by every player, and how much each kind of change costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.domain.guessing import Player, PlayOutline
from quizwriter.domain.tossup import Tossup
from quizwriter.experiments import column
from quizwriter.experiments.attacks import ATTACKS, COMMON, QUERIES, WORDS, Attacked, Attacker
from quizwriter.experiments.inference import bootstrap_statistic, generator, interval, mcnemar, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.services.what_if import WhatIf
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.probes import (
    Probe,
    Variant,
    frame_only,
    masked_names,
    only_clue,
    only_sentence,
    shuffled_clues,
    split_clues,
    swapped_clues,
    without_clue,
)
from quizwriter.workflow.wording import counted_noun, player_title

PROBES = ("drop", "solo", "swap", "first", "last", "shuffle", "frame", "mask")
"""The probes that change clues, by the names that ``--probe`` takes; it takes attacks, too."""

EVERY = "all"
"""What ``--probe`` takes for all probes and attacks."""

MOST_CLUES = 40
"""A tossup of more clues is none, and is left out."""


class _Played(msgspec.Struct, frozen=True):
    """A player's game on a tossup, and on each variant of a probe, or on the one of an attack."""

    question: SourceQuestion
    before: PlayOutline
    after: tuple[PlayOutline, ...]
    attacked: Attacked | None = None

    @property
    def fooled(self) -> bool:
        """Whether the answer was right, and is wrong on a variant."""
        return _is_right(self.before) and not all(map(_is_right, self.after))

    @property
    def shift(self) -> float:
        """How much later the answer is first right, in the mean over the variants, as a share of the words.

        Words that were added count as words heard, and do not make the tossup longer.
        """
        longer = self.attacked is not None
        after = [_first(one, self.before.words if longer else one.words) for one in self.after]
        return fmean(after) - _first(self.before, self.before.words)


ADDENDA = (
    "AddOneSent is a sentence of another past question on the same kind of thing, with names and numbers of "
    "yet others; AddSent the worst of it and of such sentences about the player's two first wrong guesses in "
    "three places each; AddRandom the worst of it and of as many more that were drawn as it was, so that "
    "what AddSent takes beyond AddRandom is not what choosing the worst of many takes; AddAny the worst "
    f"{WORDS} words that were found among frequent ones, those of the "
    f"tossup and those about a rival, AddCommon among {COMMON:,} frequent ones alone: exact for IR, whose "
    f"points are a sum, and for others a greedy search of {QUERIES} variants at most. The fool radius, the "
    "fewest words, is exact for IR where the questions' table says so, and else a bound. A tossup that is "
    "wrong as it stands counts as wrong, but for AddOneSent."
)
"""What the attacks are, for the remarks."""

TITLES = {
    "addone": "AddOneSent", "addrandom": "AddRandom", "addsent": "AddSent", "addany": "AddAny",
    "addcommon": "AddCommon", "radius": "the fewest words",
}  # fmt: skip
"""What sentences call the attacks."""

SENTENCES = ("addone", "addrandom", "addsent")
"""The attacks that add a sentence."""

AS_IT_IS = "as it is"
"""What the plot calls the tossups before anything is done to them."""


def _chosen_probes(given: ExperimentInputs) -> tuple[str, ...]:
    every = (*PROBES, *ATTACKS)
    said = given.option("probe", ",".join(PROBES))
    found = tuple(dict.fromkeys(name.strip() for name in said.split(",") if name.strip()))
    if found == (EVERY,):
        return every
    if unknown := [name for name in found if name not in every]:
        raise refuse(
            f"There is no probe {' and '.join(unknown)} here.",
            f"Choose some of {', '.join(every)}, or {EVERY}.",
        )
    return found


def variants_of(question: SourceQuestion, probe: str, seed: int) -> Iterator[Variant]:
    """The variants that ``probe`` makes of ``question``; none where it makes none."""
    tossup = question.tossup
    clues = split_clues(tossup)
    if probe == "drop":
        yield from (without_clue(tossup, clues, at) for at in range(len(clues)) if len(clues) > 1)
    elif probe == "solo":
        yield from (only_clue(tossup, clues, at) for at in range(len(clues)))
    elif probe == "swap":
        yield from (swapped_clues(tossup, clues, at) for at in range(len(clues) - 1))
    elif probe in {"first", "last"}:
        yield only_sentence(tossup, Probe(probe))
    elif probe == "shuffle":
        yield shuffled_clues(tossup, clues, seed)
    elif probe == "mask":
        yield masked_names(tossup)
    else:
        framed = frame_only(tossup, question.category)
        if framed is not None:
            yield framed


@experiment(
    "whatif",
    title="What if",
    asks="What is each clue worth, and what would fool the players?",
    source="Jia and Liang 2017; Wallace et al. 2019, section 5",
    columns=(
        column.text("player"), column.text("probe"), column.count("tossups"), column.count("variants"),
        column.share("right before"), column.share("right after"), column.share("change"),
        column.share("worst of a tossup"), column.share("shift of first right"),
        column.p_value("McNemar p"), column.number("words that fool, median", estimated=True),
        column.share("right, mean of sentences"),
    ),
    plot=Plot.bars("tossups right in the end, per cent", ""),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    options=("probe",),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("player"), column.text("probe"),
        column.count("variants"), column.text("right before"), column.count("right after"),
        column.text("single point of failure"), column.count("words added"), column.count("asked"),
        column.text("fewest words"), column.text("added"),
    ),
)  # fmt: skip
def whatif(given: ExperimentInputs) -> Found:
    """The table has a row for each player and probe, of the tossups whose answers the player can know."""
    probes = _chosen_probes(given)
    attacks = [name for name in probes if name in ATTACKS]
    whole = []
    for one in given.resolved(given.questions):
        if 1 < len(split_clues(one.tossup)) <= MOST_CLUES:
            whole.append(one)
        else:
            given.left_out["a tossup of one clue, or of too many"] += 1
    if not whole:
        raise refuse(f"No question has from two to {MOST_CLUES} clues.", "Name whole tossups.")
    questions = given.unread(whole)
    asked = WhatIf()

    def outlines(player: Player, tossup: Tossup, variants: Sequence[Tossup]) -> Sequence[PlayOutline]:
        return asked.play(player, tossup, variants, cancellation=given.cancellation)

    attacker = Attacker(given.engine, given.seed, outlines) if attacks else None
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, sentences = [], []

    def play(player: Player, one: SourceQuestion) -> dict[str, _Played] | None:
        """The games on the variants of each probe; None where the player cannot know the answer."""
        wanted = [
            (name, made)
            for name in probes
            if name not in attacks
            for made in variants_of(one, name, given.seed)
        ]
        before, *after = outlines(player, one.tossup, [one.tossup, *(made.tossup for _, made in wanted)])
        if not before.knowable:
            given.left_out[f"tossups whose answers {player_title(player.name)} cannot know"] += 1
            return None
        games: dict[str, list[PlayOutline]] = {}
        for (name, _), outline in zip(wanted, after, strict=True):
            games.setdefault(name, []).append(outline)
        found = {name: _Played(one, before, tuple(of)) for name, of in games.items()}
        for name in attacks:
            assert attacker is not None
            made = attacker.attacked(name, player, one.key, one.tossup, before)
            if made is None:
                given.left_out[f"tossups to which {name} has nothing to add"] += 1
            else:  # played again whole: a search may be wrong about its end
                found[name] = _Played(one, before, tuple(outlines(player, one.tossup, [made.variant])), made)
        return found

    for player_name, played in given.by_player("plays variants", questions, play):
        title = player_title(player_name)
        known = [games for games in played if games is not None]
        found = {name: [games[name] for games in known if name in games] for name in probes}
        rows += [_row(player_name, name, found[name], given.seed) for name in probes]
        details += [_detail(player_name, name, one) for name in probes for one in found[name]]
        series.append(_series(title, rows[-len(probes) :]))
        sentences.append(_sentence(title, found, given.seed))
    remarks = [
        "Right means right after the last word. The change is of the mean over the variants of a tossup, by "
        "bootstrap over tossups. The worst of a tossup counts it as wrong if any variant is: that is fair to "
        "players, which say the same each time, and never to people.",
    ]
    if attacks:
        remarks.append(
            f"What attacks add never names the answer, and stands before the last sentence; {ADDENDA} Words "
            "that fool are the median over the tossups that a player gets, where one that is not fooled "
            "counts as needing more than any; a dash says that fewer than half are fooled. The mean of "
            "sentences is of all that were tried on a tossup, each alone in its place."
        )
    return Found(rows, "; ".join(sentences) + ".", series, remarks, details)


def _is_right(outline: PlayOutline) -> bool:
    return outline.stable_correct is not None


def _first(outline: PlayOutline, words: int) -> float:
    """The share of ``words`` after which the answer is first right; 1 where it never is."""
    first = outline.first_correct
    return min(1.0, first / words) if first is not None and words else 1.0


def _row(name: str, probe: str, played: Sequence[_Played], seed: int) -> list[Cell]:
    """The same tossups are drawn for each probe, so that a share that is in two rows has one interval."""
    draw = generator(seed, "whatif")
    number = len(played)
    variants = sum(len(one.after) for one in played)
    if not number:
        return [name, probe, 0, 0, *([None] * 8)]
    before = np.array([float(_is_right(one.before)) for one in played])
    after = np.array([np.mean([_is_right(each) for each in one.after]) for one in played])
    worst = [all(_is_right(each) for each in one.after) for one in played]
    shifts = np.array([one.shift for one in played])
    columns = np.column_stack([before, after, after - before, shifts, worst, [_held(one) for one in played]])
    estimates = mean_estimates(columns, draw)
    lost = sum(is_right and not held for is_right, held in zip(before > 0, worst, strict=True))
    won = sum(held and not is_right for is_right, held in zip(before > 0, worst, strict=True))
    return [
        name, probe, number, variants, estimates[0], estimates[1], estimates[2],
        estimates[4], estimates[3], mcnemar(lost, won).p, _median_words(played, draw),
        estimates[5] if probe in SENTENCES else None,
    ]  # fmt: skip


def _held(one: _Played) -> float:
    """The share of the sentences that were tried with which the answer is still right."""
    if one.attacked is not None and one.attacked.held is not None:
        return one.attacked.held
    return float(_is_right(one.after[0]))


def _median_words(played: Sequence[_Played], draw: np.random.Generator) -> Estimate | None:
    """The median of the words that an attack adds to fool the player, by bootstrap; None of other probes."""
    if any(one.attacked is None for one in played):
        return None
    needed = np.array(
        [
            float(_words_added(one)) if one.fooled else math.inf
            for one in played
            if _is_right(one.before)
        ]
    )  # fmt: skip

    def median(drawn: npt.NDArray[np.int64]) -> float | None:
        found = float(np.sort(needed[drawn])[(len(drawn) - 1) // 2])
        return found if math.isfinite(found) else None

    if not len(needed):
        return Estimate(0)
    value = median(np.arange(len(needed)))
    if value is None:
        return Estimate(len(needed))
    return interval(bootstrap_statistic(len(needed), median, draw), value, len(needed))


def _words_added(one: _Played) -> int:
    return sum(len(text.split()) for text in one.attacked.added) if one.attacked is not None else 0


def _series(label: str, rows: Sequence[Sequence[Cell]]) -> Series:
    """First the tossups as they are: the baseline."""
    shown = [row for row in rows if row[2]]
    before = max(shown, key=lambda row: int(str(row[2])), default=None)
    baseline = [] if before is None else [(AS_IT_IS, before[4])]
    bars = [*baseline, *((str(row[1]), row[5]) for row in shown)]
    return Series.of(label, [name for name, _ in bars], [cell for _, cell in bars])


def _single_points(played: Sequence[_Played]) -> tuple[int, int]:
    """How many tossups lose the answer with one of their clues, and how many were right before."""
    right = [one for one in played if _is_right(one.before)]
    return sum(not all(_is_right(each) for each in one.after) for one in right), len(right)


def _choosing_alone(found: dict[str, list[_Played]], seed: int) -> str:
    """What AddSent takes beyond what the worst of as many random sentences takes, on the same tossups."""
    random, worst = (
        {one.question.key: one for one in found.get(name, ())} for name in ("addrandom", "addsent")
    )
    pairs = [
        (_is_right(one.after[0]), _is_right(worst[key].after[0]))
        for key, one in random.items()
        if key in worst and _is_right(one.before)
    ]
    if not pairs:
        return ""
    right = np.array(pairs, dtype=np.float64)
    more = mean_estimates(right[:, :1] - right[:, 1:], generator(seed, "whatif"))[0]
    said = (
        f"of the {counted_noun(len(pairs), 'tossup')} that it gets, AddRandom takes "
        f"{100 * (1 - right[:, 0].mean()):.1f} %, and AddSent "
    )
    sign = -1 if (more.value or 0.0) < 0 else 1
    said += f"{100 * abs(more.value or 0.0):.1f} points {'more' if sign > 0 else 'less'}"
    if more.low is not None and more.high is not None:
        low, high = sorted((100 * sign * more.low, 100 * sign * more.high))
        said += f" ({low:.1f} to {high:.1f})"
    return said


def _sentence(title: str, found: dict[str, list[_Played]], seed: int) -> str:
    played = max((len(one) for one in found.values()), default=0)
    if not played:
        return f"{title} can know the answer of none of these tossups"
    said = []
    if dropped := found.get("drop"):
        lost, right = _single_points(dropped)
        of = share_of(lost, right)
        if of.value is not None:
            said.append(
                f"{title} loses {lost:,} of the {counted_noun(right, 'tossup')} that it gets "
                f"({100 * of.value:.1f} %) when one clue is left out"
            )
    first = next(games for games in found.values() if games)
    falls = [
        f"{100 * fmean(_is_right(one.after[0]) for one in games):.1f} % with {TITLES[name]}"
        + (f" (n {len(games):,})" if len(games) != len(first) else "")
        for name, games in found.items()
        if name in TITLES and games
    ]
    if falls:
        said.append(
            f"{title} is right on {100 * fmean(_is_right(one.before) for one in first):.1f} % of "
            f"{counted_noun(len(first), 'tossup')}, and on {', '.join(falls)}"
        )
    if chosen := _choosing_alone(found, seed):
        said.append(chosen)
    return "; ".join(said) or f"{title} played variants of {counted_noun(played, 'tossup')}"


def _detail(name: str, probe: str, one: _Played) -> list[Cell]:
    right = sum(_is_right(each) for each in one.after)
    fails = _is_right(one.before) and right < len(one.after)
    return [
        one.question.key, one.question.title, name, probe, len(one.after),
        "yes" if _is_right(one.before) else "no", right,
        ("yes" if fails else "no") if probe == "drop" else "", *_addition(one),
    ]  # fmt: skip


def _addition(one: _Played) -> list[Cell]:
    """What an attack added: words, variants that it asked for, whether fewer may do, the text."""
    made = one.attacked
    if made is None:
        return [None, None, "", ""]
    fewest = "" if made.exact is None else "exact" if made.exact else "a bound"
    return [_words_added(one), made.queries, fewest, " ".join(made.added)]
