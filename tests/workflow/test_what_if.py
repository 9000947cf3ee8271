"""What clues are worth, and which changes delay players."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.domain.evidence import Evidence, Reason
from quizwriter.domain.guessing import Buzz, Guess, Player, PlayOutline, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.buzzers import MarginBuzzer
from quizwriter.services.survival import Survival
from quizwriter.workflow.probes import Probe, editing_probes, split_clues
from quizwriter.workflow.what_if import (
    OFFERS,
    WhatIfReport,
    buzz_change,
    buzz_delay,
    change_lines,
    change_title,
    clue_strengths,
    cue_span,
    delay_summary,
    edits_to,
    find_cliff,
    find_inversion,
    find_race,
    giveaway_sentence,
    new_sentences,
    smallest_changes,
    stump_sentence,
    wanted_variants,
)
from tests.helpers.fakes import DRAFT, Overlap

BUTTERFLY = Answer("Madama Butterfly", Page("Madama_Butterfly"))


BUTTERFLY_PAGE = BUTTERFLY.page
TOSSUP = Tossup(DRAFT, BUTTERFLY)
CLUES = split_clues(TOSSUP)


def outline(
    name="ir", words=100, buzz=None, *, right=True, chance=0.0, knowable=True, page="Aida", first=None
):
    """An outline made by hand."""
    guess = Guess(BUTTERFLY_PAGE if right else Page("Aida"), 1.0)
    return PlayOutline(
        name,
        words,
        None,
        None,
        None if buzz is None else Buzz(buzz, guess, 0.6),
        right and buzz is not None,
        Page(page),
        chance,
        knowable,
    )


def played():
    """The report on the draft, with the games of one player."""
    players = [Player(Overlap(), MarginBuzzer(), "fake")]
    base = {player.name: PlayOutline.of(player.play(TOSSUP)) for player in players}
    variants = wanted_variants(TOSSUP, CLUES, because(reason("harbour"), reason("maid")))
    report = WhatIfReport(TOSSUP, CLUES, base)
    for player in players:
        outlines = [PlayOutline.of(player.play(variant.tossup)) for variant in variants]
        report = report.with_outlines(player.name, variants, outlines)
    return report


def by_chance(*chances, knowable=True):
    """A report in which each clue alone gives the answer with one of ``chances``."""
    tossup = Tossup(" ".join(f"Clue number {n} has some words." for n in range(len(chances))), BUTTERFLY)
    clues = split_clues(tossup)
    assert len(clues) == len(chances)
    solo = [one for one in editing_probes(tossup, clues) if one.probe is Probe.SOLO]
    report = WhatIfReport(tossup, clues, {"ir": outline(words=len(tossup.words), knowable=knowable)})
    return report.with_outlines("ir", solo, [outline(chance=chance, knowable=knowable) for chance in chances])


def test_the_offered_changes_delay_the_player_that_buzzes_first():
    report = played()
    before = report.base["ir"]
    offers = smallest_changes(report)

    assert report.earliest == "ir"
    assert 0 < len(offers) <= sum(OFFERS.values())
    for offer in offers:
        after = offer.played.outlines["ir"]
        assert buzz_delay(offer.played.variant, before, after) == offer.delay > 0
        assert offer.played.variant.clue < len(CLUES) - 1


def test_a_change_that_has_another_player_buzz_earlier_is_not_offered():
    alone = played()
    offered = smallest_changes(alone)[0]
    base = {"ir": alone.base["ir"], "dan": replace(alone.base["ir"], guesser="dan")}
    report = replace(
        alone,
        base=base,
        played=tuple(
            replace(one, outlines={**one.outlines, "dan": one.outlines["ir"]}) for one in alone.played
        ),
    )
    assert report.first_to_buzz == ("ir", "dan")
    assert smallest_changes(report)[0].played.variant is offered.played.variant
    early = replace(base["dan"], buzz=replace(base["dan"].buzz, heard=1))
    report = replace(
        report,
        played=tuple(
            replace(one, outlines={**one.outlines, "dan": early})
            if one.variant is offered.played.variant
            else one
            for one in report.played
        ),
    )
    assert not any(one.played.variant is offered.played.variant for one in smallest_changes(report))


def test_no_offered_change_is_beaten_by_another_of_its_kind():
    report = played()
    best = {offer.played.variant.probe: offer.delay for offer in reversed(smallest_changes(report))}
    for one in report.played:
        delay = buzz_delay(one.variant, report.base["ir"], one.outlines["ir"])
        if one.variant.probe in best and one.variant.clue < len(CLUES) - 2:
            assert round(10 * delay) <= round(10 * best[one.variant.probe])


def test_a_player_that_cannot_know_the_answer_is_neither_delayed_nor_counted():
    report = by_chance(0.9, 0.1, 0.1, 1.0, knowable=False)

    assert report.knowing() == ()
    assert report.earliest is None
    assert smallest_changes(report) == ()
    assert find_inversion(report) is None
    assert all(not one for one in clue_strengths(report))
    assert buzz_change("ir", report.base["ir"], outline()) == "IR cannot know the answer"
    assert giveaway_sentence(report, ("ir",)) == ""


def test_a_shorter_tossup_is_no_delay():
    clue = CLUES[-2]
    variant = next(
        one for one in editing_probes(TOSSUP, CLUES) if (one.probe, one.clue) == (Probe.DROP, clue.number)
    )
    words = len(TOSSUP.words)
    assert buzz_delay(variant, outline(words=words, buzz=20), outline(words=words - 20, buzz=20)) == 0
    never = buzz_delay(variant, outline(words=words, buzz=20), outline(words=words - 20))
    assert never == (words + 1 - 20) / words


@pytest.mark.parametrize(
    ("chances", "found"),
    [
        ((0.1, 0.2, 0.3, 0.9), None),
        ((0.1, 0.8, 0.2, 0.3, 0.9), (1, 3)),
        ((0.3, 0.2, 0.9), None),  # within the margin
        ((0.2, 0.9, 0.1), None),  # the giveaway stays last
    ],
)
def test_a_clue_that_is_easier_than_a_later_one_is_an_inversion(chances, found):
    inversion = find_inversion(by_chance(*chances))
    assert (None if inversion is None else (inversion.early, inversion.late)) == found


def test_an_inversion_is_said_with_its_figures():
    inversion = find_inversion(by_chance(0.1, 0.81, 0.2, 0.3, 0.9))
    assert inversion.in_words(14) == (
        "Clue 2 is easier than clue 4: alone, it gives IR the answer at 81\N{NO-BREAK SPACE}%, clue 4 at "
        "30\N{NO-BREAK SPACE}%. It was heard in 14 past questions."
    )


def test_the_order_of_clues_and_their_strengths_go_together():
    chances = (0.1, 0.8, 0.2, 0.9)
    turned = by_chance(*reversed(chances))
    assert [one["ir"] for one in clue_strengths(turned)] == list(reversed(chances))


def test_players_that_buzz_together_race():
    base = {"ir": outline(buzz=40), "dan": outline("dan", buzz=43), "rnn": outline("rnn", buzz=90)}
    race = find_race(WhatIfReport(TOSSUP, CLUES, base))
    assert (race.first, race.last, race.players) == (40, 43, ("ir", "dan"))
    assert race.in_words == "Buzzer race: IR and DAN buzz from word 40 to word 43."
    assert replace(race, last=40).in_words == "Buzzer race: IR and DAN buzz at word 40."
    alone = {"ir": outline(buzz=40), "dan": outline("dan", buzz=60)}
    assert find_race(WhatIfReport(TOSSUP, CLUES, alone)) is None
    at_the_end = {"ir": outline(buzz=100), "dan": outline("dan", buzz=100)}
    assert find_race(WhatIfReport(TOSSUP, CLUES, at_the_end)) is None


def test_a_leap_of_the_chance_within_a_clue_is_a_cliff():
    words = len(TOSSUP.words)
    leap = CLUES[1].first + 3
    row = (Guess(BUTTERFLY_PAGE, 1.0),)
    play = Playthrough(
        "ir",
        TOSSUP,
        tuple(range(1, words + 1)),
        (row,) * words,
        chances=tuple(0.1 if heard < leap else 0.9 for heard in range(1, words + 1)),
        knows_answer=True,
    )
    assert find_cliff(CLUES, [play]) == 1
    assert find_cliff(CLUES, []) is None


def test_edits_make_the_draft_into_the_variant():
    for variant in editing_probes(TOSSUP, CLUES):
        edits = edits_to(DRAFT, variant.tossup.text)
        text = DRAFT
        for edit in edits:
            text = edit.apply(text)
        assert text == variant.tossup.text
        assert len(edits) < 6


def test_changes_are_said_in_words():
    report = played()
    one = report.find(Probe.DROP, 0)
    assert change_title(one.variant, CLUES) == "Delete clue 1: “In this work, a man complains…”"
    (line,) = change_lines(report, one, ("ir",))
    assert line.startswith("IR ")
    assert buzz_change("ir", outline(buzz=41, words=128), outline(buzz=97, words=118)) == (
        "IR 32\u00a0% → 82\u00a0% (word 97 of 118)"
    )
    assert buzz_change("ir", outline(buzz=41), outline(buzz=41)) == "IR unchanged"
    assert buzz_change("ir", outline(buzz=41), outline()) == "IR 41\u00a0% → never"


def test_only_a_giveaway_that_gives_nothing_away_is_worth_a_sentence():
    report = played()
    assert giveaway_sentence(report, ("ir",)) == ""
    last = report.find(Probe.LAST)
    wrong = replace(last, outlines={"ir": replace(last.outlines["ir"], page="Aida")})
    report = replace(report, played=tuple(wrong if one is last else one for one in report.played))
    assert giveaway_sentence(report, ("ir",)) == (
        "The giveaway may be too hard: from the last sentence alone, IR guesses Aida."
    )


def test_no_two_changes_come_to_the_same_text():
    wanted = wanted_variants(TOSSUP, CLUES)
    moves = [one for one in wanted if one.probe in (Probe.SWAP, Probe.END, Probe.LATER)]
    assert len(CLUES) > 3
    assert {Probe.SWAP, Probe.END, Probe.LATER} == {one.probe for one in moves}
    assert len({one.tossup.text for one in moves}) == len(moves)


def stumped_report(*, trick):
    """A report on two clues of which IR gets none; with a ``trick`` it gets the answer without the first."""
    tossup = Tossup("A red herring swims here. It is green. Name this opera.", BUTTERFLY)
    clues = split_clues(tossup)
    variants = tuple(editing_probes(tossup, clues))
    outlines = [
        outline(page="Madama_Butterfly" if trick and one.probe is Probe.DROP and one.clue == 0 else "Aida")
        for one in variants
    ]
    return WhatIfReport(tossup, clues, {"ir": outline()}).with_outlines("ir", variants, outlines)


def test_a_stump_by_a_trick_is_told_from_one_by_new_clues():
    trick = stump_sentence(stumped_report(trick=True), (0, 0, 4))
    assert trick.startswith("IR misses the answer only because of clue 1; without it, IR is right.")
    new = stump_sentence(stumped_report(trick=False), (0, 0, 4))
    assert new == (
        "IR is stumped by new clues: 2 of 3 clues were heard in no past question, and deleting any one "
        "clue or name does not help."
    )
    assert "although most clues were heard before" in stump_sentence(stumped_report(trick=False), (3, 0, 4))
    assert "past question" not in stump_sentence(stumped_report(trick=False), ())


def test_a_stump_says_whether_it_survives_learning():
    gone, stays = (
        Survival(True, after, 19, "starter", "22 November", "digest").in_words for after in (False, True)
    )
    report = stumped_report(trick=False)
    assert stump_sentence(report, (), gone).endswith(
        "IR gets it after studying 19 other tossups (22 November, starter)."
    )
    assert "Still stumps IR after it has studied" in stump_sentence(report, (), stays)
    right = replace(report, base={"ir": replace(report.base["ir"], first_correct=3)})
    assert stump_sentence(right, (), gone) == ""


def test_a_row_says_once_where_each_player_buzzes_before_and_after():
    report = played()
    one = report.find(Probe.SWAP, 0)
    base = {
        "ir": outline(buzz=10),
        "dan": outline("dan", buzz=10),
        "rnn": outline("rnn", buzz=10),
        "ensemble": outline("ensemble", buzz=10),
        "dense": outline("dense", knowable=False),
    }
    after = {
        "ir": outline(words=90, buzz=45),
        "dan": outline("dan", buzz=9, right=False),
        "rnn": outline("rnn"),
        "ensemble": outline("ensemble", buzz=10),
        "dense": outline("dense", knowable=False),
    }
    said = delay_summary(replace(report, base=base), replace(one, outlines=after), tuple(base))
    assert said == "IR 10\u00a0% → 50\u00a0% · DAN 10\u00a0% → wrong at 9\u00a0% · RNN 10\u00a0% → never"
    same = {name: after[name] for name in ("ensemble", "dense")}
    said = delay_summary(replace(report, base=base), replace(one, outlines=same), tuple(base))
    assert said == "Ensemble unchanged · Dense cannot know the answer"


def reason(*words):
    return Reason(tuple(Span(DRAFT.index(word), DRAFT.index(word) + len(word)) for word in words), 1.0)


def because(*reasons, page=BUTTERFLY_PAGE):
    return Evidence("ir", page, reasons=reasons)


def test_a_cue_that_is_rephrased_says_nothing_in_all_its_places_and_comes_before_what_is_left_out():
    variants = wanted_variants(TOSSUP, CLUES, because(reason("Suzuki", "Sharpless")))
    (one,) = (variant for variant in variants if variant.probe is Probe.REPHRASE)

    assert len(one.tossup.words) == len(TOSSUP.words)
    assert "Sharpless" not in one.tossup.text
    assert "Suzuki" not in one.tossup.text
    assert change_title(one, CLUES) == "Rephrase “Suzuki”"
    assert cue_span(one).of(DRAFT).startswith("Suzuki")

    report = WhatIfReport(TOSSUP, CLUES, {"ir": outline(words=len(TOSSUP.words), buzz=20)})
    late = [outline(words=len(variant.tossup.words), buzz=None) for variant in variants]
    offers = smallest_changes(report.with_outlines("ir", variants, late))
    kinds = [offer.played.variant.probe for offer in offers]
    assert kinds[0] is Probe.REPHRASE
    assert kinds[-1] is Probe.DROP
    assert all(kinds.count(probe) <= most for probe, most in OFFERS.items())


def test_a_name_is_split_from_its_clue_and_said_right_before_the_last():
    variants = wanted_variants(TOSSUP, CLUES, because(reason("Suzuki"), reason("vigil")))
    (one,) = (variant for variant in variants if variant.probe is Probe.SPLIT)

    assert one.tossup.text == (
        DRAFT.replace("Suzuki", "the").replace("For 10 points", "Suzuki, For 10 points")
    )
    assert one.clue == next(clue.number for clue in CLUES if "Suzuki" in clue.text(TOSSUP))
    assert change_title(one, CLUES) == "Describe “Suzuki” here, and name it late"
    assert cue_span(one).of(DRAFT) == "Suzuki"
    words = len(TOSSUP.words)
    before, late = outline(words=words, buzz=50), outline(words=words + 1, buzz=60)
    assert buzz_delay(one, before, late) == 60 / (words + 1) - 50 / words
    at_name = next(
        number for number, word in enumerate(one.tossup.words) if "Suzuki" in word.of(one.tossup.text)
    )
    assert one.origins[at_name] is None
    assert buzz_delay(one, before, outline(words=words + 1, buzz=at_name + 1)) > 0.2


def test_offers_come_in_the_order_in_which_writers_do_them():
    variants = wanted_variants(TOSSUP, CLUES, because(reason("Suzuki"), reason("vigil"), reason("child")))
    report = WhatIfReport(TOSSUP, CLUES, {"ir": outline(words=len(TOSSUP.words), buzz=20)})
    late = [outline(words=len(variant.tossup.words), buzz=None) for variant in variants]
    offers = smallest_changes(report.with_outlines("ir", variants, late))
    assert list(dict.fromkeys(one.played.variant.probe for one in offers)) == list(OFFERS)


def test_the_new_sentences_are_those_that_the_draft_does_not_have():
    dropped = next(one for one in editing_probes(TOSSUP, CLUES) if one.probe is Probe.DROP and one.clue == 1)
    new = new_sentences(dropped)

    assert all(piece in dropped.tossup.text for piece in new.split(" … "))
    assert not any(span.of(DRAFT) in new for span in TOSSUP.sentences)
