"""Attacks: what they add never names the answer, what they claim is so when it is played, seeds decide."""

from __future__ import annotations

import math
import random
from itertools import combinations

import numpy as np
import pytest

from quizwriter.domain.guessing import PlayOutline
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.tokenizer import stems_in
from quizwriter.engine.variants import play_ends, play_variants
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.attacks import ATTACKS, QUERIES, WORDS, AnswerNames, Attacker
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.runner import run
from quizwriter.system.resource_files import resources_folder

EXAMPLES = str(resources_folder() / "examples.jsonl")


@pytest.fixture(scope="module")
def tried():
    """The variants that attacks play."""
    return []


@pytest.fixture(scope="module")
def attacking(engine, tried):
    """The attacks of one seed: to read the past tossups that they draw from takes a second."""

    def play(player, tossup, some):
        tried.extend(some)
        return list(play_variants(player, tossup, some))

    return Attacker(engine, 1, play)


def known_tossups(engine, player, number):
    """Past tossups of the bundle whose answers ``player`` gets."""
    found = []
    library = engine.library
    for page in engine.pages.all:
        for one in library.questions_on(page):
            tossup = Tossup(one.text, Answer(one.line, Page(page)))
            if len(tossup.sentences) > 2:
                (before,) = play_variants(player, tossup, [tossup])
                if before.page is not None and tossup.answer.accepts(before.page):
                    found.append((tossup, before))
                break
        if len(found) == number:
            return found
    return found


@pytest.fixture(scope="module")
def known(engine):
    return known_tossups(engine, engine.players[0], 6)


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_added_never_names_the_answer_and_nothing_else_changes(engine, known, attacking, name):
    player = engine.players[0]
    attacked = 0
    for number, (tossup, before) in enumerate(known):
        made = attacking.attacked(name, player, str(number), tossup, before)
        if made is None or not made.added:
            continue
        attacked += 1
        names = AnswerNames(tossup.answer)
        added = " ".join(made.added)
        assert not names.are_in(added)
        assert stems_in(added).isdisjoint(stems_in(tossup.answer.main))
        text, starts = made.variant.text, [span.start for span in tossup.sentences]
        grown = len(text) - len(tossup.text)
        assert any(text[:at] + text[at + grown :] == tossup.text for at in starts)
        assert made.variant.answer == tossup.answer
    assert attacked


def test_the_words_that_an_answer_line_accepts_may_not_be_added():
    names = AnswerNames(
        Answer("Samuel Clemens [accept Mark Twain; prompt on the humorist]", Page("Mark_Twain"))
    )

    assert names.are_in("Twain wrote of a river.")
    assert names.are_in("A certain Clemens did.")
    assert not names.are_in("A humorist wrote of a river.")


@pytest.fixture(scope="module")
def report(shared_app):
    """The report of one sentence, and of the worst of all and of some at random, on the example tossups."""
    options = {"probe": "addone,addrandom,addsent"}
    return run("whatif", ExperimentInputs(shared_app, questions_from=EXAMPLES, limit=6, options=options))


def test_the_worst_of_sentences_is_no_better_than_one_sentence_nor_than_the_tossup(report):
    right = {(row[0], row[2], row[3]): (row[5], row[6]) for row in report.found.details}
    checked = 0
    for (question, player, probe), (before, after) in right.items():
        if probe == "addsent":
            checked += 1
            assert after <= (before == "yes")
            if (question, player, "addone") in right:
                assert after <= right[question, player, "addone"][1]
    assert checked


def test_random_sentences_are_as_many_as_those_about_rivals_and_each_is_played_alone(
    engine, known, attacking, tried
):
    """The share that holds is counted again by whole games of the variants that were tried."""
    player, told = engine.players[0], 0
    for number, (tossup, before) in enumerate(known):
        made, counts = {}, {}
        for name in ("addsent", "addrandom"):
            tried.clear()
            made[name] = attacking.attacked(name, player, f"of its own {number}", tossup, before)
            counts[name] = len(tried)
            ends = [player.play(variant).final for variant in tried]
            held = [bool(end) and tossup.answer.accepts(end[0].page) for end in ends]
            assert made[name].held == (pytest.approx(sum(held) / len(held)) if held else None)
            if held:
                (worst,) = [at for at, variant in enumerate(tried) if variant == made[name].variant][:1]
                assert held[worst] == all(held)
        assert counts["addrandom"] <= counts["addsent"]
        told += counts["addrandom"] > 1
    assert told


def test_what_addsent_takes_beyond_random_sentences_is_recounted(report):
    rows = {(row[0], row[1]): dict(zip(report.head, row, strict=True)) for row in report.found.rows}
    for player in {name for name, _ in rows}:
        after = {(row[3], row[0]): row[6] for row in report.found.details if row[2] == player}
        got = [row[0] for row in report.found.details if row[2:4] == [player, "addsent"] and row[5] == "yes"]
        both = [
            (after["addrandom", key], after["addsent", key]) for key in got if ("addrandom", key) in after
        ]
        taken = sum(random == 0 for random, _ in both)
        more = sum(worst == 0 for _, worst in both) - taken
        said = (
            f"of the {len(both)} tossups that it gets, AddRandom takes {100 * taken / len(both):.1f} %, "
            f"and AddSent {100 * more / len(both):.1f} points more"
        )
        assert said in report.found.sentence
        for name in ("addrandom", "addsent"):
            row = rows[player, name]
            assert row["right, mean of sentences"].value >= row["right after"].value
        alone = rows[player, "addone"]
        assert alone["right, mean of sentences"].value == alone["right after"].value


@pytest.mark.parametrize("name", ["addany", "addcommon", "radius"])
def test_what_the_search_of_a_network_claims_is_so_when_it_is_played(trees, name):
    player = next(one for one in trees.players if one.name == "dan")
    attacking = Attacker(trees, 1, lambda player, tossup, some: list(play_variants(player, tossup, some)))
    added = 0
    for number, (tossup, before) in enumerate(known_tossups(trees, player, 4)):
        made = attacking.attacked(name, player, str(number), tossup, before)
        added += bool(made.added)
        assert sum(len(text.split()) for text in made.added) <= WORDS
        assert made.queries <= QUERIES + WORDS * (WORDS + 1)
        (outline,) = play_variants(player, tossup, [made.variant])
        if name == "radius" and made.added:  # all its words are needed, and they are enough
            assert outline.stable_correct is None
            assert made.exact is False
    assert added or name == "radius"


def test_the_same_seed_gives_the_same_bytes_and_attacks_do_not_depend_on_each_other(shared_app):
    def report(probe, limit):
        given = ExperimentInputs(shared_app, questions_from=EXAMPLES, limit=limit, options={"probe": probe})
        return run("whatif", given)

    every = report(",".join(ATTACKS), 2)

    assert every.files() == report(",".join(ATTACKS), 2).files()
    alone = list(report("addsent", 1).found.details)
    assert [row for row in every.found.details if row[3] == "addsent" and row in alone] == alone


def test_ends_are_those_of_whole_games(engine):
    for player in engine.players[:2]:
        tossup, _ = known_tossups(engine, player, 1)[0]
        variants = [tossup, *(tossup.heard(count) for count in (3, 10, 25))]

        ends = list(play_ends(player, tossup, variants))

        games = list(play_variants(player, tossup, variants))
        assert [one.page for one in ends] == [one.page for one in games]
        assert [one.knowable for one in ends] == [one.knowable for one in games]


def test_ten_words_for_retrieval_are_the_best_of_a_small_vocabulary(engine):
    """Brute force over every pair of a dozen words finds none that brings a rival nearer in a real game."""
    from quizwriter.engine.fool_radius import word_gains

    player = engine.players[0]
    tossup, _ = known_tossups(engine, player, 1)[0]
    page_rows = engine.retrieval.pages.rows
    answer = page_rows[tossup.answer.key]
    rival = next(row for row in range(len(engine.pages.all)) if row != answer)
    rows = np.asarray(sorted((answer, rival)), np.int64)
    text = engine.retrieval.texts_about(rival)[0]
    words = random.Random(3).sample(sorted({word for word in text.split() if word.isalpha()}), 12)

    def lead(added):
        apart = "".join(f" of the of the {word}" for word in added)  # no two of them are a pair
        answer_points, rival_points = engine.retrieval.scores(
            Tossup(tossup.text + apart, tossup.answer), rows
        )[-1][[int(np.searchsorted(rows, answer)), int(np.searchsorted(rows, rival))]]
        return float(rival_points - answer_points)

    gains = word_gains(engine.retrieval, tossup, answer, rival, words)

    assert len(gains) > 5
    best = sorted(gains, key=gains.__getitem__, reverse=True)[:2]
    assert math.isclose(lead(best), max(map(lead, combinations(gains, 2))), abs_tol=1e-4)
    assert math.isclose(lead(best), lead([]) + sum(map(gains.__getitem__, best)), abs_tol=1e-3)


def test_a_bundle_without_past_questions_is_a_sentence(shared_app):
    from msgspec.structs import replace

    given = ExperimentInputs(shared_app, questions_from=EXAMPLES, options={"probe": "addone"})
    given.__dict__["engine"] = replace(given.engine, library=None)

    with pytest.raises(QuizwriterError, match="no library of past questions"):
        run("whatif", given)


def test_a_tossup_that_the_player_misses_is_not_attacked(engine, attacking):
    player = engine.players[0]
    tossup = Tossup("Nothing at all. Nothing more. Name this.", Answer("Carmen", Page("Carmen")))
    wrong = PlayOutline(player.name, 7, knowable=True)

    for name in ("addsent", "addany", "addcommon", "radius"):
        made = attacking.attacked(name, player, "q", tossup, wrong)
        assert made.variant == tossup
        assert made.added == ()


def test_players_that_cannot_know_any_answer_are_a_sentence(shared_app, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"text": "One clue is here. Another clue is there. Name it.", "answer": "Qxzzyq"}')

    report = run("whatif", ExperimentInputs(shared_app, questions_from=str(path), options={"probe": "all"}))

    assert "can know the answer of none" in report.found.sentence
    assert "nan" not in b"".join(report.files().values()).decode("utf-8", "replace").lower().split("svg")[0]
    for row in report.as_json()["rows"]:
        assert all(cell is None or not isinstance(cell, float) or math.isfinite(cell) for cell in row)
