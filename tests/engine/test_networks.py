"""The networks: the laws of all guessers, and that NumPy computes what torch learnt."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quizwriter.domain.evidence import Method
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.engine import load
from quizwriter.engine.evidence import TITLE_POINTS
from quizwriter.engine.networks import _GROUP, POSITION_STEP, _top
from quizwriter.engine.rnn import GatedUnits
from quizwriter.engine.tokenizer import tokenize
from tests.helpers.forest import TREES, in_the_forest

WORDS = [
    *("AA1", "AA2", "BB1", "BB3", "CC0", "DD5", "EE2", "FF7", "leaf1", "leaf2.", "leaf3", "this", "novel"),
    *("king", "Alder", "Elm", "zzz", "of", "(*)", '("BROMZ")', "For", "10", "points,", "name"),
]
tossups = st.lists(st.sampled_from(WORDS), max_size=16).map(lambda words: Tossup(" ".join(words)))
laws = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)

LONG = Tossup(" ".join(in_the_forest(tree, 50) for tree in ("Alder", "Birch")))


def named(engine, name):
    return next(player.guesser for player in engine.players if player.name == name)


@pytest.fixture(params=["dan", "rnn", "birnn", "ensemble"])
def guesser(request, trees):
    return named(trees, request.param)


@pytest.fixture
def newcomer(forest):
    """Players, each time of their own, that have heard nothing yet."""
    return lambda name: named(load(forest[0]), name)


@pytest.fixture(params=["dan", "rnn", "birnn"])
def network(request, trees):
    return named(trees, request.param)


def same(row, other):
    """Whether two rows say the same, but for the last digits of what two ways of computing give."""
    by_page = {guess.page: guess.score for guess in other}
    close = all(guess.score == pytest.approx(by_page.get(guess.page, guess.score), abs=1e-3) for guess in row)
    order = [guess.score for guess in row] == pytest.approx([guess.score for guess in other], abs=1e-4)
    return close and order


@laws
@given(tossup=tossups, data=st.data())
def test_a_guess_never_depends_on_words_not_yet_heard(guesser, tossup, data):
    count = data.draw(st.integers(0, len(tossup.words)))
    whole, part = guesser.play(tossup), guesser.play(tossup.heard(count))
    later = dict(zip(whole.heard, whole.rows, strict=True))

    if guesser.name != "birnn":
        assert whole.heard[:count] == part.heard
    for heard, row in zip(part.heard, part.rows, strict=True):
        assert heard not in later or same(row, later[heard])


@laws
@given(tossup=tossups)
def test_rows_are_sorted_name_no_page_twice_and_end_with_the_last_word(guesser, tossup):
    play = guesser.play(tossup)

    for row in play.rows:
        assert len(row) <= 5
        assert [guess.score for guess in row] == sorted((guess.score for guess in row), reverse=True)
        assert len({guess.page for guess in row}) == len(row)
    assert list(play.heard) == sorted(set(play.heard))
    assert len(play.heard) == len(play.rows) == len(play.ranks)
    assert not tossup.words or play.heard[-1] == len(tossup.words)


@laws
@given(tossup=tossups, tree=st.sampled_from(sorted(TREES)))
def test_the_rank_of_the_answer_is_its_place_in_the_row(guesser, tossup, tree):
    play = guesser.play(Tossup(tossup.text, Answer(tree, Page(tree))), top=6)

    for row, rank in zip(play.rows, play.ranks, strict=True):
        pages = [guess.page for guess in row]
        assert rank == (pages.index(Page(tree)) + 1 if tree in pages else None)


@settings(laws, max_examples=20)  # each loads the network anew
@given(one=tossups, other=tossups, answer=st.sampled_from([None, *sorted(TREES)]), data=st.data())
def test_what_was_heard_before_changes_nothing(guesser, newcomer, one, other, answer, data):
    """Players go on from what a draft shares with the one before; from nothing it comes out alike."""
    shared = data.draw(st.integers(0, len(one.words)))
    asked = None if answer is None else Answer(answer, Page(answer))
    guesser.play(Tossup(one.text, data.draw(st.sampled_from([None, asked]))))
    draft = Tossup(f"{one.heard(shared).text} {other.text}".strip(), asked)

    found, fresh = guesser.play(draft), newcomer(guesser.name).play(draft)

    assert found.heard == fresh.heard
    assert found.ranks == fresh.ranks
    assert all(same(row, other) for row, other in zip(found.rows, fresh.rows, strict=True))


@laws
@given(tossup=tossups)
def test_the_same_tossup_gets_the_same_game(guesser, tossup):
    assert guesser.play(tossup) == guesser.play(tossup)


@laws
@given(some=st.lists(tossups, min_size=1, max_size=5), gone=st.sets(st.integers(0, 15)))
def test_readings_heard_together_are_heard_as_each_alone(network, some, gone):
    readings = [tokenize(tossup).without(gone) for tossup in some]
    alone = [network._last_vectors([reading])[0] for reading in readings]
    assert network._last_vectors(readings) == pytest.approx(np.stack(alone), abs=1e-5)
    for tossup, reading in zip(some, readings, strict=True):
        if network.name == "dan":
            means = network.means(reading)[1]
            last = means[-1:] if len(means) else np.zeros((1, network.width), np.float32)
            assert (network._hidden_layer(last) == network._last_vectors([reading])).all()
        assert not set(reading.words.tolist()) & gone
        assert set(reading.words.tolist()) == set(tokenize(tossup).words.tolist()) - gone


def test_less_than_one_guess_is_a_bug_of_the_caller(guesser):
    with pytest.raises(ValueError, match="top"):
        guesser.play(Tossup("AA1"), top=0)


def test_they_have_learnt_their_trees(guesser):
    right = [
        guesser.play(Tossup(in_the_forest(tree, number), Answer(tree, Page(tree)))).right[-1]
        for tree in TREES
        for number in range(100, 105)
    ]

    assert sum(right) > 0.8 * len(right)


def test_a_draft_without_a_known_word_is_met_with_silence(guesser):
    play = guesser.play(Tossup("zzz yyy xxx", Answer("Elm", Page("Elm"))))

    assert set(play.rows) == {()}
    assert set(play.ranks) == {None}
    assert guesser.play(Tossup("")).rows == ()


def test_a_network_that_reads_both_ways_plays_at_the_grid_and_where_its_mind_changes(trees):
    tossup = Tossup(
        " ".join(["AA1 AA2 AA3 leaf1 leaf2 leaf3"] * 6 + ["BB1 BB2 BB3 BB4 leaf1 BB6"] * 9 + ["."])
    )
    play = named(trees, "birnn").play(tossup)
    ends = [span.end for span in tossup.words]
    grid = {
        next(i for i, end in enumerate(ends, 1) if end >= at)
        for at in range(POSITION_STEP, ends[-1], POSITION_STEP)
    }

    assert grid <= set(play.heard)
    assert len(play.heard) < len(tossup.words)
    for one, other, before, after in zip(play.rows, play.rows[1:], play.heard, play.heard[1:], strict=False):
        assert after == before + 1 or one[0].page == other[0].page


def torch_module(network):
    """The torch module with the weights of ``network``, as they were before they were stored."""
    import torch

    from index_builder.training.dan import DanModule
    from index_builder.training.page_classifier import NetworkSize
    from index_builder.training.rnn import RnnModule

    arrays = {name: np.asarray(values) for name, values in network._arrays.items()}
    sizes = {"width": arrays["vectors"].shape[1], "hidden": len(arrays["hidden_bias"])}
    shape = len(arrays["terms"]), len(arrays["classes"])
    if network.name == "dan":
        module = DanModule(*shape, NetworkSize(**sizes), sparse=False)
    else:
        directions, units, _ = arrays["across"].shape
        module = RnnModule(*shape, directions, NetworkSize(**sizes, units=units), sparse=False)
    module.load(arrays)
    return module.eval(), torch


def by_torch(network, tossup, number):
    """After all of ``tossup``: the logits of all classes, and each word's gradient times its vectors.

    The gradient is that of the log-probability of a class, by autograd.
    """
    from index_builder.training.page_classifier import Bags, tensor
    from index_builder.training.rnn import Sequences

    module, torch = torch_module(network)
    reading = tokenize(tossup)
    vectors = module.vectors.weight
    if network.name == "dan":
        numbers, first, last = network._terms(reading)
        emphasis = np.asarray(network._arrays["emphasis"][numbers], np.float32)
        inputs = Bags(tensor(numbers), torch.zeros(1, dtype=torch.long), tensor(emphasis / emphasis.sum()))
        ends = zip(first, last, strict=True)
        words = [[(one, 0.5), (other, 0.5)] for one, other in ends]
    else:
        (steps,) = network._steps([reading])
        assert (steps.pairs >= 0).any()
        rows, words, starts = [], [], []
        for row, word, pair, first in zip(steps.numbers, steps.words, steps.pairs, steps.first, strict=True):
            starts.append(len(rows))
            rows += [int(row), int(pair)][: 1 + (pair >= 0)]
            words += [[(word, 1.0)], [(word, 0.5), (first, 0.5)]][: 1 + (pair >= 0)]
        bags = Bags(torch.tensor(rows), torch.tensor(starts), torch.ones(len(rows)))
        inputs = Sequences(bags, torch.tensor([[len(steps)]]))

    # a vector of its own for each time a term is heard, so that each has a gradient of its own
    bags = inputs if network.name == "dan" else inputs.words
    own = torch.nn.Parameter(vectors[bags.terms].detach().clone())
    module.vectors.weight = own
    alone = bags._replace(terms=torch.arange(len(bags.terms)))
    inputs = alone if network.name == "dan" else Sequences(alone, inputs.ends)
    logits = module(inputs, torch.arange(len(network.classes)))[0]
    read = list(network._titles_read(reading))
    logits = logits.index_add(0, torch.tensor(read, dtype=torch.long), torch.full((len(read),), TITLE_POINTS))
    chances = logits.log_softmax(dim=0)
    chances[number].backward()
    moved = (own.grad * own).sum(dim=1).tolist()
    shares = np.zeros(len(tossup.words))
    for share, parts in zip(moved, words, strict=True):
        for word, part in parts:
            shares[word] += part * share
    return chances.detach().numpy(), shares


def test_numpy_plays_what_torch_computes(network):
    tossup = Tossup(f"{LONG.text} Alder EE1 EE2 leaf3")  # a title read aloud counts too
    chances, _ = by_torch(network, tossup, 0)

    guesses = network.play(tossup).final

    best = np.argsort(-chances, kind="stable")[:5]
    assert [guess.page for guess in guesses] == [network._page(int(number)) for number in best]
    assert [guess.score for guess in guesses] == pytest.approx(chances[best].tolist(), abs=1e-4)


def test_the_evidence_in_numpy_is_the_gradient_that_autograd_finds(network):
    tossup = Tossup(f"{LONG.text} Alder EE1 EE2 leaf3")
    number = sorted(TREES).index("Alder")
    chances, shares = by_torch(network, tossup, number)

    evidence = network.explain(tossup, Page("Alder"))

    weights = {cue.span: cue.weight for cue in evidence.cues}
    found = [weights.get(span, 0.0) for span in tossup.words]
    assert evidence.method is Method.GRADIENT
    assert evidence.score == pytest.approx(float(chances[number]), abs=1e-4)
    assert found == pytest.approx(shares.tolist(), abs=1e-4)
    assert max(map(abs, found)) > 1e-3


def test_the_gradient_of_units_is_that_of_finite_differences():
    draw = np.random.default_rng(1)
    parts = [draw.standard_normal(shape) * 0.5 for shape in ((3, 6), (2, 6), (6,), (6,))]
    units = GatedUnits(*(part.astype(np.float32) for part in parts))
    inputs, by_states = draw.standard_normal((5, 3)), draw.standard_normal((5, 2))
    step = 1e-2

    def moved(place, by):
        other = inputs.copy()
        other[place] += by
        return float((units.run(other[:, None].astype(np.float32)).states[:, 0] * by_states).sum())

    expected = [
        [(moved((i, j), step) - moved((i, j), -step)) / (2 * step) for j in range(3)] for i in range(5)
    ]

    found = units.backward(units.run(inputs[:, None].astype(np.float32)), by_states.astype(np.float32))

    assert found == pytest.approx(np.asarray(expected), abs=2e-3)


def without(tossup, words):
    return Tossup(" ".join(span.of(tossup.text) for i, span in enumerate(tossup.words) if i not in words))


def last_score(network, tossup, tree):
    row = network._pages.rows[Answer(tree, Page(tree)).key]
    return float(network.scores(tossup, np.asarray([row]))[-1, 0])


def test_exact_evidence_is_the_score_less_that_without_the_word(network):
    evidence = network.explain(LONG, Page("Alder"), exact=True)
    assert evidence.reasons == network.explain(LONG, Page("Alder")).reasons
    falls = [one.fall for one in evidence.reasons]
    assert falls[0] == max(falls) > 0
    least = min(evidence.cues, key=lambda cue: cue.weight)
    assert least.span not in [span for one in evidence.reasons for span in one.spans]

    weights = {cue.span: cue.weight for cue in evidence.cues}
    score = last_score(network, LONG, "Alder")
    assert evidence.method is Method.WITHOUT
    assert evidence.score == pytest.approx(score, abs=1e-4)
    for word, span in enumerate(LONG.words):
        fresh = last_score(network, without(LONG, {word}), "Alder")
        assert weights.get(span, 0.0) == pytest.approx(score - fresh, abs=2e-4)


def test_faithfulness_is_the_chance_with_the_weightiest_words_unread(network):
    evidence = network.explain(LONG, Page("Birch"), exact=True)

    weights = {cue.span: cue.weight for cue in evidence.cues}
    clues = [word for word, clue in enumerate(LONG.clues) if clue]
    order = sorted(clues, key=lambda word: -weights.get(LONG.words[word], 0.0))
    draw = random.Random(len(LONG.text))
    rest = [word for word in clues if word not in order[:5]]
    drawn = [set(draw.sample(rest, 5)) for _ in range(5)]

    def chance(words):
        return np.exp(last_score(network, without(LONG, words), "Birch"))

    assert evidence.faithfulness.whole == pytest.approx(chance(set()), abs=1e-4)
    assert evidence.faithfulness.without_top == pytest.approx(chance(set(order[:5])), abs=1e-4)
    assert evidence.faithfulness.without_random == pytest.approx(np.mean([*map(chance, drawn)]), abs=1e-4)
    assert evidence.faithfulness.without_top <= evidence.faithfulness.whole + 1e-4


def test_few_words_have_no_faithfulness_and_strangers_no_evidence(network):
    assert network.explain(Tossup("AA1 AA2 leaf1"), Page("Alder"), exact=True).faithfulness is None
    assert network.explain(LONG, Page("Alder")).faithfulness is None  # an estimate is shown at once
    for exact in (False, True):
        assert network.explain(LONG, Page("Nobody"), exact=exact).cues == ()
        assert network.explain(Tossup("zzz"), Page("Alder"), exact=exact).cues == ()


def test_a_title_read_aloud_costs_the_page_what_it_costs_with_retrieval(network):
    tossup = Tossup("AA1 AA2 Alder leaf1")
    rows = np.asarray([network._pages.rows[Answer(tree, Page(tree)).key] for tree in ("Alder", "Elm")])
    plain, aloud = (network.scores(Tossup(text), rows)[-1] for text in ("AA1 AA2", "AA1 AA2 Alder"))

    assert aloud[0] - aloud[1] == pytest.approx(plain[0] - plain[1] + TITLE_POINTS, abs=1e-3)
    assert network.best_row(Tossup("AA1 AA2 leaf1")) == rows[0]
    assert network.play(tossup).final[0].page == network._pages.all[network.best_row(tossup)]


@pytest.mark.parametrize("name", ["ir", "dan", "rnn", "birnn"])
def test_what_the_ensemble_is_told_is_what_a_player_plays(trees, name):
    member = named(trees, name)
    tossup = Tossup(LONG.text + " Alder AA1 zzz")
    rows = np.arange(len(TREES))
    scores, firsts = member.scores(tossup, rows), member.candidates(tossup)

    play = member.play(tossup, top=6)

    for heard, row in zip(play.heard, play.rows, strict=True):
        pages = [trees.pages.all[page] for page in firsts[heard - 1] if page >= 0]
        assert pages == [guess.page for guess in row]
        for guess in row:
            assert scores[heard - 1, trees.pages.all.index(guess.page)] == pytest.approx(
                guess.score, abs=1e-3
            )


def test_players_are_plain_arrays_without_a_pickle(forest):
    bundle = Bundle.open(forest[0])
    for name in ("dan", "rnn", "birnn", "ensemble"):
        arrays, _ = bundle.player(name)
        assert all(array.dtype.kind in "fiu" for array in arrays.values())


def test_playing_needs_nothing_that_trains(forest):
    """In a fresh interpreter all players play, and neither torch, SciPy nor scikit-learn is there."""
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from quizwriter.domain.tossup import Tossup\n"
        "from quizwriter.engine.engine import load\n"
        f"players = load(Path({str(forest[0])!r})).players\n"
        f"names = [player.play(Tossup({LONG.text!r})).guesser for player in players]\n"
        "top = {name.partition('.')[0] for name in sys.modules}\n"
        "print(json.dumps([names, sorted(top & {'scipy', 'sklearn', 'joblib', 'torch'})]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == [["ir", "dan", "rnn", "birnn", "ensemble"], []]


@pytest.mark.parametrize("columns", [7, 20 * _GROUP, 25 * _GROUP + 3])
@pytest.mark.parametrize("levels", [2, 9, 10_000])
def test_the_largest_numbers_of_a_row_are_those_of_a_sort_ties_by_place(columns, levels):
    draw = np.random.default_rng(columns * levels)
    logits = draw.integers(levels, size=(12, columns)).astype(np.float32)

    found, values = _top(logits, 7)

    for row, places, largest in zip(logits, found, values, strict=True):
        wanted = sorted(range(columns), key=lambda place: (-row[place], place))[:7]
        assert places.tolist() == wanted
        assert largest.tolist() == row[wanted].tolist()
