"""Many variants of one tossup, played quickly: what a player would make of each.

A player of another process plays a whole batch for one request, and sends outlines instead of games.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from quizwriter.domain.guessing import Player, PlayOutline, Playthrough
from quizwriter.domain.tossup import Tossup


@runtime_checkable
class VariantGuesser(Protocol):
    """A guesser that plays several variants of a tossup quicker than one by one, with the same result."""

    def play_variants(self, tossup: Tossup, variants: Sequence[Tossup]) -> Iterator[Playthrough]:
        """The games of ``variants``, in their order."""


@runtime_checkable
class EndGuesser(Protocol):
    """A guesser that says what it guesses after the last word quicker than it plays the whole tossup."""

    def play_ends(self, tossups: Sequence[Tossup]) -> Iterator[Playthrough]:
        """Games whose only row is the one after the last word."""


@runtime_checkable
class OutlineGuesser(Protocol):
    """A guesser in another process, which tells outlines of whole batches."""

    def outlines(
        self, tossup: Tossup, variants: Sequence[Tossup], buzz_chance: float, *, ends: bool = False
    ) -> Sequence[PlayOutline]:
        """The outlines of the games of ``variants``, in their order; with ``ends``, as :func:`play_ends`."""


def play_variants(
    player: Player, tossup: Tossup, variants: Sequence[Tossup], *, buzz_chance: float = 0.0
) -> Iterator[PlayOutline]:
    """What ``player`` makes of each of ``variants`` of ``tossup``, exactly as if it played it by itself.

    Where ``buzz_chance`` is not 0, the player buzzes once its guess has that chance, not by its own rule.
    """
    guesser = player.guesser
    if isinstance(guesser, OutlineGuesser):
        yield from guesser.outlines(tossup, variants, buzz_chance)
        return
    plays: Iterable[Playthrough]
    if isinstance(guesser, VariantGuesser):
        plays = guesser.play_variants(tossup, variants)
    else:
        plays = map(guesser.play, variants)
    for play in plays:
        yield PlayOutline.of(player.judged(play).buzzing_at(buzz_chance))


def play_ends(player: Player, tossup: Tossup, variants: Sequence[Tossup]) -> Iterator[PlayOutline]:
    """What ``player`` guesses once all of each of ``variants`` of ``tossup`` is heard.

    Only ``page``, ``answer_chance`` and ``knowable`` of an outline say something of the game: where and when
    the player buzzes is not played, and the chance is what its buzzer makes of the end alone. Networks say it
    for dozens of variants in the time of one game.
    """
    guesser = player.guesser
    if isinstance(guesser, OutlineGuesser):
        yield from guesser.outlines(tossup, variants, 0.0, ends=True)
    elif isinstance(guesser, EndGuesser):
        for play in guesser.play_ends(variants):
            yield PlayOutline.of(player.judged(play))
    else:
        yield from play_variants(player, tossup, variants)
