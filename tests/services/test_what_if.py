"""Variants are played in batches, kept, and given up when nobody wants them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.guessing import Player, PlayOutline
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.buzzers import MarginBuzzer
from quizwriter.services.what_if import BATCH, WhatIf
from tests.helpers.fakes import Overlap

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))


TOSSUP = Tossup("A maid Suzuki sings. A consul Sharpless reads.", BUTTERFLY)
VARIANTS = [Tossup(f"A maid number {number} sings.", BUTTERFLY) for number in range(2 * BATCH)]


@dataclass(frozen=True)
class Counting(Overlap):
    """Notes what it plays, and calls ``then`` after each."""

    played: list[str] = field(default_factory=list)
    then: object = None

    def play(self, tossup, top=5):
        self.played.append(tossup.text)
        if self.then is not None:
            self.then()
        return super().play(tossup, top)


@dataclass(frozen=True)
class Renamed:
    """A player like another, under another name."""

    guesser: object
    name: str = "other"

    def play(self, tossup, top=5):
        return self.guesser.play(tossup, top)


def test_a_variant_is_played_once():
    guesser, what_if = Counting(), WhatIf()
    player = Player(guesser, MarginBuzzer(), "one")

    first = what_if.play(player, TOSSUP, [*VARIANTS, VARIANTS[0]])
    again = what_if.play(player, Tossup("Another draft.", BUTTERFLY), VARIANTS)

    assert first == (*again, first[0])
    assert first == tuple(PlayOutline.of(player.play(one)) for one in (*VARIANTS, VARIANTS[0]))
    assert guesser.played[: len(VARIANTS)] == [one.text for one in VARIANTS]
    assert len(guesser.played) == len(VARIANTS) + len(VARIANTS) + 1


def test_another_engine_another_answer_and_another_rule_are_played_anew():
    guesser, what_if = Counting(), WhatIf()
    what_if.play(Player(guesser, MarginBuzzer(), "one"), TOSSUP, VARIANTS[:1])
    what_if.play(Player(guesser, MarginBuzzer(), "two"), TOSSUP, VARIANTS[:1])
    what_if.play(Player(guesser, MarginBuzzer(), "one"), TOSSUP, VARIANTS[:1], buzz_chance=0.3)
    what_if.play(Player(guesser, MarginBuzzer(), "one"), TOSSUP, [Tossup(VARIANTS[0].text)])
    assert len(guesser.played) == 4


def test_a_batch_that_nobody_wants_is_the_last():
    wanted = Cancellation()
    guesser = Counting(then=wanted.cancel)
    with pytest.raises(Cancelled):
        WhatIf().play(Player(guesser, MarginBuzzer(), "one"), TOSSUP, VARIANTS, cancellation=wanted)
    assert len(guesser.played) == BATCH
