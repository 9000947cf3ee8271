"""What each clue is worth, and which change of a tossup would delay the players.

Every figure is of a game that was played of a changed text. A player that cannot know the answer says nothing
about a clue, and no change of its game counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import PlayOutline, Playthrough, odds, stumped
from quizwriter.domain.history import Edit, differences
from quizwriter.domain.names import name_spans
from quizwriter.domain.page import page_title
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup, bare_word
from quizwriter.workflow.probes import (
    Clue,
    Probe,
    Variant,
    delayed_clue,
    editing_probes,
    only_sentence,
    rephrased_cue,
    split_name,
)
from quizwriter.workflow.rewording import reworded_cues
from quizwriter.workflow.wording import (
    counted_noun,
    listed,
    percent,
    player_name,
    player_title,
    position_line,
    sentence,
    share_line,
)

MOST_CLUES = 40
"""A draft of more clues is no tossup; nothing is probed then."""

OFFERS = {
    Probe.REWORD: 2,
    Probe.REPHRASE: 2,
    Probe.LATER: 1,
    Probe.SWAP: 1,
    Probe.SPLIT: 1,
    Probe.DROP: 1,
}
"""How many changes of each kind are offered; what writers do first comes first."""

LEAST_DELAY = 0.02
"""The share of the words by which an offered change delays the first buzz at least."""

INVERSION_MARGIN = 0.25
"""How much easier, in chance of the answer, an earlier clue is than a later one before it is said."""

RACE_WORDS = 5
"""Buzzes within so many words are a race."""

CLIFF = 0.5
"""The rise of the chance of the answer within one clue, as a mean over the players, that is a cliff."""

_SHORT = 6  # words of a clue that its title quotes


class PlayedVariant(msgspec.Struct, frozen=True):
    """A variant, and what each player makes of it, by the player's name."""

    variant: Variant
    outlines: Mapping[str, PlayOutline] = msgspec.field(default_factory=dict)


class WhatIfReport(msgspec.Struct, frozen=True):
    """The variants of one tossup, as far as they were played.

    ``base`` has what each player makes of the tossup itself; only players in it count.
    """

    tossup: Tossup
    clues: tuple[Clue, ...] = ()
    base: Mapping[str, PlayOutline] = msgspec.field(default_factory=dict)
    played: tuple[PlayedVariant, ...] = ()

    def find(self, probe: Probe, clue: int | None = None) -> PlayedVariant | None:
        return next(
            (one for one in self.played if one.variant.probe is probe and one.variant.clue == clue), None
        )

    def knowing(self) -> tuple[str, ...]:
        return tuple(name for name, one in self.base.items() if one.knowable and one.trouble is None)

    def with_outlines(
        self, player: str, variants: Sequence[Variant], outlines: Sequence[PlayOutline]
    ) -> WhatIfReport:
        """The report with what ``player`` makes of ``variants``."""
        known = {id(one.variant): one for one in self.played}
        played = tuple(
            PlayedVariant(
                variant,
                {**(known[id(variant)].outlines if id(variant) in known else {}), player: outline},
            )
            for variant, outline in zip(variants, outlines, strict=True)
        )
        return replace(self, played=played)

    def without_player(self, player: str) -> WhatIfReport:
        return replace(self, base={name: one for name, one in self.base.items() if name != player})

    @property
    def first_to_buzz(self) -> tuple[str, ...]:
        """The players that can know the answer and buzz right at the first word at which one does."""
        buzzes = {name: self.base[name].right_buzz for name in self.knowing()}
        first = min((at for at in buzzes.values() if at is not None), default=None)
        return tuple(name for name, at in buzzes.items() if at == first is not None)

    @property
    def earliest(self) -> str | None:
        return next(iter(self.first_to_buzz), None)


def wanted_variants(
    tossup: Tossup, clues: Sequence[Clue], evidence: Evidence | None = None
) -> tuple[Variant, ...]:
    """Everything that is asked about ``tossup``: of clues, of its last sentence, of the cues of ``evidence``.

    Clues alone come first, because the clue strip waits for them.
    """
    if not 1 < len(clues) <= MOST_CLUES:
        return ()
    probes = editing_probes(tossup, clues)
    later = [delayed_clue(tossup, clues, clue.number) for clue in clues[:-3]]  # the next is swapped
    rephrased: list[Variant] = []
    if evidence is not None:
        names = name_spans(tossup)
        for reason in evidence.reasons:
            rephrased.append(rephrased_cue(tossup, clues, reason.spans))
            if any(name.start <= reason.spans[0].start < name.end for name in names):
                rephrased.append(split_name(tossup, clues, reason.spans))
        rephrased += reworded_cues(tossup, clues, evidence)
    alone = [one for one in probes if one.probe is Probe.SOLO]
    others = [one for one in probes if one.probe is not Probe.SOLO]
    return (*alone, only_sentence(tossup, Probe.LAST), *others, *later, *rephrased)


# -- the strength of clues


def clue_strengths(report: WhatIfReport) -> tuple[Mapping[str, float], ...]:
    """For each clue and each player that can know the answer, the chance of the answer by this clue alone.

    A player that has not played the clue yet is missing.
    """
    found = []
    for clue in report.clues:
        solo = report.find(Probe.SOLO, clue.number)
        outlines = solo.outlines if solo is not None else {}
        found.append({name: outlines[name].answer_chance for name in report.knowing() if name in outlines})
    return tuple(found)


class Inversion(msgspec.Struct, frozen=True):
    """A clue that is easier than a later one, for ``player`` by the most; the last clue is not meant."""

    early: int
    late: int
    player: str
    early_chance: float
    late_chance: float

    @property
    def in_short(self) -> str:
        """The inversion in half a line."""
        figures = f"{player_name(self.player)} {percent(self.early_chance)} and {percent(self.late_chance)}"
        return f"Clue {self.early + 1} is easier than clue {self.late + 1}: {figures} alone"

    def in_words(self, heard: int = 0) -> str:
        """The inversion in a sentence; ``heard`` past questions have the early clue."""
        name = player_name(self.player)
        past = f" It was heard in {counted_noun(heard, 'past question')}." if heard else ""
        return (
            f"Clue {self.early + 1} is easier than clue {self.late + 1}: alone, it gives {name} the answer "
            f"at {percent(self.early_chance)}, clue {self.late + 1} at {percent(self.late_chance)}.{past}"
        )


def find_inversion(report: WhatIfReport) -> Inversion | None:
    """The clue that most clearly comes too early, and the last clue that is harder by a margin.

    The ease of a clue is the mean over the players that can know the answer.
    """
    strengths = clue_strengths(report)[:-1]
    if any(set(one) != set(report.knowing()) for one in strengths) or not report.knowing():
        return None
    means = [sum(one.values()) / len(one) for one in strengths]
    pairs = [
        (means[early] - means[late], early, late)
        for early in range(len(means))
        for late in range(early + 1, len(means))
        if means[early] - means[late] >= INVERSION_MARGIN
    ]
    if not pairs:
        return None
    _, early, _ = max(pairs, key=lambda pair: (pair[0], -pair[1]))
    late = max(pair[2] for pair in pairs if pair[1] == early)
    player = max(report.knowing(), key=lambda name: strengths[early][name] - strengths[late][name])
    return Inversion(early, late, player, strengths[early][player], strengths[late][player])


class BuzzerRace(msgspec.Struct, frozen=True):
    """Half or more of the players buzz right from word ``first`` to word ``last``, before the end."""

    first: int
    last: int
    players: tuple[str, ...]

    @property
    def in_words(self) -> str:
        who = sentence(listed([player_name(name) for name in self.players]))
        if self.first == self.last:
            return f"Buzzer race: {who} buzz at word {self.first}."
        return f"Buzzer race: {who} buzz from word {self.first} to word {self.last}."


def find_race(report: WhatIfReport) -> BuzzerRace | None:
    """The first stretch of :data:`RACE_WORDS` in which at least two players, and half of those that can know
    the answer, buzz right."""
    knowing = report.knowing()
    buzzes = sorted(
        (at, name)
        for name in knowing
        if (at := report.base[name].right_buzz) is not None and at < report.base[name].words
    )
    for number, (at, _) in enumerate(buzzes):
        together = [one for one in buzzes[number:] if one[0] < at + RACE_WORDS]
        if len(together) >= max(2, len(knowing) / 2):
            return BuzzerRace(at, together[-1][0], tuple(name for _, name in together))
    return None


def find_cliff(clues: Sequence[Clue], plays: Sequence[Playthrough]) -> int | None:
    """The number of the clue within which the chance of the answer rises most, if that is a cliff.

    The mean is over the ``plays`` of the players that can know the answer. The last clue is no cliff.
    """
    known = [play for play in plays if play.knowable and play.trouble is None and play.chances]
    if not known or len(clues) < 2:
        return None
    rises = []
    for clue in clues[:-1]:
        rise = sum(answer_chance(play, clue.end) - answer_chance(play, clue.first) for play in known)
        rises.append((rise / len(known), -clue.number))
    most, number = max(rises)
    return -number if most >= CLIFF else None


def answer_chance(play: Playthrough, heard: int) -> float:
    """The chance that the player gives the true answer after ``heard`` words; 0 where it is no guess."""
    index = play.index_after(heard)
    answer = play.tossup.answer
    if index is None or answer is None or not play.rows[index]:
        return 0.0
    row = play.rows[index]
    chances = odds(row, play.chances[index])
    return next(
        (chance for guess, chance in zip(row, chances, strict=False) if answer.accepts(guess.page)), 0.0
    )


# -- changes


class OfferedChange(msgspec.Struct, frozen=True):
    """A change that delays the first buzz: by which share of the words, and how many words it moves."""

    played: PlayedVariant
    delay: float
    size: int


def smallest_changes(report: WhatIfReport) -> tuple[OfferedChange, ...]:
    """The changes that delay the first buzz most, as many of each kind as :data:`OFFERS` says.

    No player may buzz earlier than the first did. Delays are told in tenths of the words; of two changes with
    the same delay, the smaller is the better. Changes of the last clue, which has the giveaway, are not
    offered.
    """
    player, knowing = report.earliest, report.knowing()
    if player is None:
        return ()
    before = report.base[player]
    found = []
    for one in report.played:
        after = [one.outlines[name] for name in knowing if name in one.outlines]
        size = change_size(one.variant, report.clues)
        if size is None or player not in one.outlines or any(game.trouble is not None for game in after):
            continue
        delay = min(buzz_delay(one.variant, before, game) for game in after)
        if delay >= LEAST_DELAY:
            found.append(OfferedChange(one, delay, size))
    found.sort(key=lambda change: (-round(10 * change.delay), change.size, -change.delay))
    return tuple(
        change
        for probe, most in OFFERS.items()
        for change in [one for one in found if one.played.variant.probe is probe][:most]
    )


def buzz_delay(variant: Variant, before: PlayOutline, after: PlayOutline) -> float:
    """The share of the tossup by which the right buzz comes later; to never is past the last word.

    Where words are left out or added, it must be later both by its word of the tossup and by the share of
    what is there: neither a shorter tossup nor words that are gone before the buzz are a delay.
    """
    old, new, words = before.right_buzz, after.right_buzz, max(1, before.words)
    if old is None:
        return 0.0
    if new is None:
        return (words + 1 - old) / words
    if len(variant.origins) == words:
        return (new - old) / words
    origin = next((one for one in variant.origins[new - 1 :] if one is not None), words - 1)
    moved = origin + 1 - old
    return min(moved / words, new / max(1, after.words) - old / words)


def change_size(variant: Variant, clues: Sequence[Clue]) -> int | None:
    """How many words the change leaves out or moves; None where a writer would not make it so."""
    number = variant.clue
    if number is None or number >= len(clues) - 1:
        return None
    own = clues[number].end - clues[number].first
    if variant.probe in (Probe.DROP, Probe.FRONT, Probe.LATER):
        return own
    if variant.probe in (Probe.REPHRASE, Probe.REWORD, Probe.SPLIT):
        return len(variant.base.words) - sum(origin is not None for origin in variant.origins)
    if variant.probe is Probe.SWAP:
        return min(own, clues[number + 1].end - clues[number + 1].first)
    return None


def edits_to(before: str, after: str) -> tuple[Edit, ...]:
    """The edits of whole words that make ``before`` into ``after``; the last first, so that places hold."""
    return tuple(
        Edit(one.before.start, one.before.of(before), one.after.of(after))
        for one in reversed(differences(before, after))
    )


# -- in words


def _quoted(tossup: Tossup, span: Span) -> str:
    words = span.of(tossup.text).split()
    return f"“{' '.join(words[:_SHORT])}{'…' if len(words) > _SHORT else ''}”"


def change_title(variant: Variant, clues: Sequence[Clue]) -> str:
    """What a variant changes, as an order to the writer."""
    if variant.clue is None:
        return "The last sentence alone"
    number, quote = variant.clue + 1, _quoted(variant.base, clues[variant.clue].span)
    match variant.probe:
        case Probe.DROP:
            return f"Delete clue {number}: {quote}"
        case Probe.SOLO:
            return f"Clue {number} alone: {quote}"
        case Probe.SWAP:
            return f"Swap clue {number} with clue {number + 1}: {quote}"
        case Probe.FRONT:
            return f"Move clue {number} to the front: {quote}"
        case Probe.END:
            return f"Move clue {number} to the end: {quote}"
        case Probe.LATER:
            return f"Move clue {number} before the last clue: {quote}"
        case Probe.REWORD:
            new = [number for number, origin in enumerate(variant.origins) if origin is None]
            word = bare_word(variant.tossup.words[_first_run(new)[-1]].of(variant.tossup.text))
            return f"Rephrase “{cue_words(variant).split()[-1]}” as “{word}”"
        case Probe.SPLIT:
            return f"Describe “{cue_words(variant)}” here, and name it late"
        case _:
            return f"Rephrase “{cue_words(variant)}”"


def cue_words(variant: Variant) -> str:
    """The words of the first place of the cue that a variant rephrases."""
    span = cue_span(variant)
    return bare_word(span.of(variant.base.text)).removesuffix("'s").removesuffix("’s")


def cue_span(variant: Variant) -> Span:
    """The first words, side by side, that a variant does not have from its tossup."""
    kept = {origin for origin in variant.origins if origin is not None}
    gone = [number for number in range(len(variant.base.words)) if number not in kept]
    run = _first_run(gone)
    return Span(variant.base.words[run[0]].start, variant.base.words[run[-1]].end)


def _first_run(numbers: Sequence[int]) -> Sequence[int]:
    """Those of ``numbers``, which rise, that follow the first without a gap."""
    return [number for place, number in enumerate(numbers) if number == numbers[0] + place]


def new_sentences(variant: Variant) -> str:
    """The sentences of the variant that its tossup does not have, as they would stand in the draft."""
    known = {span.of(variant.base.text) for span in variant.base.sentences}
    tossup = variant.tossup
    return " … ".join(span.of(tossup.text) for span in tossup.sentences if span.of(tossup.text) not in known)


def buzz_change(name: str, before: PlayOutline, after: PlayOutline) -> str:
    """How the buzz of a player changes: *IR 24 % → 95 % (word 99 of 104)*."""
    title = player_title(name)
    if not before.knowable:
        return f"{title} cannot know the answer"
    if after.trouble is not None:
        return f"{title} could not play"
    old, new = _buzz(before, share_line), _buzz(after, position_line)
    if _buzz(before, position_line) == new:
        return f"{title} unchanged"
    return f"{title} {old} → {new}"


def _buzz(outline: PlayOutline, said: Callable[[int | None, int], str]) -> str:
    if outline.buzz is None:
        return "never"
    where = said(outline.buzz.heard, outline.words)
    return where if outline.buzzes_right else f"wrong at {where}"


def delay_summary(report: WhatIfReport, played: PlayedVariant, names: Sequence[str]) -> str:
    """Where the players that have played the variant buzz before and after, in one line.

    Beside one whose buzz changes, the others are left out.
    """
    said, moved = [], []
    for name in names:
        if name in report.base and name in played.outlines:
            before, after = report.base[name], played.outlines[name]
            change = buzz_change(name, before, after)
            if "→" in change:
                change = f"{player_title(name)} {_buzz(before, share_line)} → {_buzz(after, share_line)}"
                moved.append(change)
            said.append(change)
    return " · ".join(moved or said) or "Playing…"


def change_lines(report: WhatIfReport, played: PlayedVariant, names: Sequence[str]) -> Iterator[str]:
    """For each player its buzz before and after, and its last guess where that is another one."""
    for name in names:
        before, after = report.base.get(name), played.outlines.get(name)
        if before is None or after is None:
            continue
        said = buzz_change(name, before, after)
        if after.trouble is None and before.page != after.page:
            guesses = [page_title(one.page) if one.page else "none" for one in (before, after)]
            said += f"; final guess {' → '.join(guesses)}"
        yield f"{said}."


def stump_sentence(report: WhatIfReport, heard: Sequence[int], survival: str = "") -> str:
    """Whether a stump is won by a trick or by new clues, and the sentence whether it survives learning.

    A player is tricked if it gives the answer in the end once a single clue or name is left out. ``heard``
    has for each clue in how many past questions it was heard, nothing where nobody knows. Empty where no
    player is stumped.
    """
    knowing = ((name, report.base[name]) for name in report.knowing())
    beaten = [name for name, one in knowing if stumped(one.first_correct, one.possible, knowable=True)]
    if not beaten or report.tossup.answer is None:
        return ""
    answer, tricks, said = report.tossup.answer, dict[str, PlayedVariant](), []
    for one in report.played:
        if one.variant.probe not in (Probe.DROP, Probe.REPHRASE):
            continue
        size = change_size(one.variant, report.clues)
        for name in beaten:
            after = one.outlines.get(name)
            if size is None or after is None or after.page is None or not answer.accepts(after.page):
                continue
            known = tricks.get(name)
            if known is None or size < (change_size(known.variant, report.clues) or 0):
                tricks[name] = one
    for name, one in tricks.items():
        who, variant = player_name(name), one.variant
        clue = f"“{cue_words(variant)}”"
        if variant.probe is Probe.DROP and variant.clue is not None:
            clue = f"clue {variant.clue + 1}"
        said.append(f"{sentence(who)} misses the answer only because of {clue}; without it, {who} is right.")
    if rest := [name for name in beaten if name not in tricks]:
        who, verb = sentence(listed([player_name(name) for name in rest])), "is" if len(rest) == 1 else "are"
        new, why, counted = sum(not count for count in heard), "", ""
        if heard:
            why = " by new clues" if 2 * new >= len(heard) else " although most clues were heard before"
            counted = f"{new:,} of {counted_noun(len(heard), 'clue')} were heard in no past question, and "
        gone = "deleting any one clue or name does not help"
        said.append(f"{who} {verb} stumped{why}: {counted}{gone}.")
    return " ".join(filter(None, (*said, survival)))


def giveaway_sentence(report: WhatIfReport, names: Sequence[str]) -> str:
    """Which players do not get the answer from the last sentence alone; empty if all do, as they should."""
    last = report.find(Probe.LAST)
    told = [
        (name, last.outlines[name])
        for name in names
        if last is not None and name in last.outlines and last.outlines[name].knowable
    ]
    if not told or report.tossup.answer is None:
        return ""
    answer = report.tossup.answer
    wrong = [
        f"{player_name(name)} guesses {page_title(one.page) if one.page else 'nothing'}"
        for name, one in told
        if one.page is None or not answer.accepts(one.page)
    ]
    if not wrong:
        return ""
    return f"The giveaway may be too hard: from the last sentence alone, {listed(wrong)}."
