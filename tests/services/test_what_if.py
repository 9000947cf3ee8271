"""Variants are played in batches, kept, and given up when nobody wants them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import pytest
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Cancelled
from quizwriter.domain.guessing import Player, PlayOutline
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.buzzers import MarginBuzzer
from quizwriter.engine.fool_radius import fool_radius, rival_words
from quizwriter.services.what_if import BATCH, MOST_GREEDY, WhatIf
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


def test_the_distractor_fools_in_a_text_that_is_thrown_away(engine):
    page = engine.retrieval.pages.all[0]
    text = engine.retrieval.texts_about(0)[0]
    tossup = Tossup(text, Answer(page, page))

    found, fooled, bounds = WhatIf().fool(engine, engine.players, tossup, Cancellation())

    assert found.distractor
    assert found.distractor not in tossup.text
    assert set(fooled) <= {player.name for player in engine.players}
    assert bounds == {}  # of retrieval the radius is exact
    assert WhatIf().fool(engine, engine.players, Tossup(text), Cancellation()) == (None, (), {})


def first_sentence(engine, row):
    """The first sentence about a page, which few words are enough to take from it; None if more are."""
    page, text = engine.retrieval.pages.all[row], engine.retrieval.texts_about(row)[0]
    short = Tossup(next(span.of(text) for span in Tossup(text).sentences), Answer(page, page))
    radius = fool_radius(engine.retrieval, short)
    return (short, radius) if radius is not None and radius.distractor and len(radius.words) <= 2 else None


def test_the_bound_of_another_player_is_a_set_of_words_that_fools_it(engine):
    (ir,) = (player for player in engine.players if player.name == "ir")
    short, radius = next(found for found in map(partial(first_sentence, engine), range(60)) if found)
    words = rival_words(engine.retrieval, short, radius.rival, 12)
    other = replace(ir, guesser=Renamed(ir.guesser))  # it is searched, as its points are not known

    _, _, bounds = WhatIf().fool(engine, [other], short, Cancellation())

    found = bounds["other"]
    assert 0 < len(set(found)) == len(found) <= MOST_GREEDY
    after = ir.play(Tossup(f"{short.text} {' '.join(found)}.", short.answer))
    assert after.final[0].page != short.answer.page
    assert len(words) == 12
    assert rival_words(engine.retrieval, Tossup("x"), radius.rival, 12) == ()
