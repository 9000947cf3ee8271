"""The ensemble, and the buzzers: what is told of candidates, and chances that mean what they say."""

from __future__ import annotations

import json
import math
import random
import shutil
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_builder.calibration import Told, fit_buzzer, fit_ensemble, reliability

from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.engine import load
from quizwriter.engine.bundle import Bundle, add_player, amend
from quizwriter.engine.buzzers import FEATURES, CalibratedBuzzer, buzzer_features
from quizwriter.engine.ensemble import AnswerTypes, ClueKinds, Ensemble, candidates, feature_count
from quizwriter.errors import QuizwriterError
from tests.conftest import TREES, in_the_forest

TOSSUP = Tossup(in_the_forest("Alder", 60) + " " + in_the_forest("Fir", 60))
ROWS = np.arange(len(TREES))


@pytest.fixture
def member(trees):
    return {player.name: player.guesser for player in trees.players}


@pytest.fixture
def types(forest, member):
    return AnswerTypes(Bundle.open(forest[0]).player("ensemble")[0], member["dan"])


def test_the_type_wanted_speaks_for_pages_of_that_type(types):
    match = types.match(Tossup("zzz This novel AA1 BB2 AA3"), np.asarray([0, 3, 99]))

    assert match.shape == (6, 3)
    assert (match[0] == 0).all()
    assert (match[:, 2] == 0).all()
    assert match[-1, 0] > match[-1, 1] + 0.5
    assert types.match(Tossup("zzz"), ROWS).tolist() == [[0.0] * len(TREES)]
    assert types.match(Tossup(""), ROWS).shape == (0, len(TREES))


def test_the_network_alone_decides_the_order(trees, member, types):
    """With weights that look at nothing but the distance from retrieval's best, it repeats retrieval."""
    members = [member["ir"], member["dan"]]
    retrieval = trees.retrieval
    weights = np.zeros((feature_count(len(members)), 1), np.float32)
    weights[0] = -1.0
    ends = np.full(len(weights), np.inf, np.float32)
    biases = np.asarray([2.0], np.float32)
    arrays = {"weights0": weights, "biases0": biases, "lowest": -ends, "highest": ends}
    ensemble = Ensemble(arrays, members, ClueKinds(retrieval), types, retrieval.pages, retrieval.asked)

    expected, play = retrieval.play(TOSSUP, top=6), ensemble.play(TOSSUP, top=6)

    moments = candidates(TOSSUP, members, ClueKinds(retrieval), types, retrieval.asked).moment_of.tolist()
    assert len(set(moments)) > 5
    for moment, row in zip(moments, play.rows, strict=True):
        theirs = expected.rows[moment - 1] if moment else ()
        for one, guess in zip(theirs, row, strict=False):
            assert guess.page == one.page
            behind = min(15.0, theirs[0].score - one.score)
            assert guess.score - row[0].score == pytest.approx(-behind, abs=1e-3)
        assert sum(math.exp(guess.score) for guess in row) < 1 + 1e-6


def test_candidates_are_the_first_guesses_of_all_members(member, types, trees):
    members = [member["ir"], member["dan"], member["rnn"]]
    field = candidates(TOSSUP, members, ClueKinds(trees.retrieval), types, trees.retrieval.asked)

    assert field.features.shape == (len(field.rows), feature_count(len(members)))
    assert np.isfinite(field.features).all()
    assert (np.diff(field.words) >= 0).all()
    for word, moment in enumerate(field.moment_of.tolist()):
        found = set(field.rows[field.words == moment].tolist())
        assert moment <= word + 1
        assert found == {
            page for one in members for page in one.candidates(TOSSUP)[word].tolist() if page >= 0
        }


def test_a_tie_that_fell_the_other_way_costs_no_more_than_time(trees, member):
    """The ensemble goes on from its last game only if its members still see the same candidates in it."""
    ensemble = member["ensemble"]
    expected = ensemble.play(TOSSUP)
    ensemble.play(Tossup(f"{TOSSUP.text} zzz"))
    reading, answer, top, said = ensemble._before
    ensemble._before = reading, answer, top, {moment: row for moment, row in said.items() if moment < 20}

    assert ensemble.play(Tossup(f"{TOSSUP.text} yyy")).rows[: len(TOSSUP.words)] == expected.rows


def test_the_ensemble_learns_which_of_those_that_compete_is_right():
    """What is right here only the comparison tells: at each moment, whoever has most of the first feature."""
    draw = np.random.default_rng(0)
    lessons = []
    for _ in range(240):
        moments = np.repeat([2, 5, 9], [3, 5, 4])
        features = draw.normal(draw.normal(), 1, (12, 3)).astype(np.float32)
        best = [
            np.flatnonzero(moments == moment)[features[moments == moment, 0].argmax()] for moment in (2, 5, 9)
        ]
        lessons.append(Told(features, moments, np.isin(np.arange(12), best)))

    arrays = fit_ensemble(lessons[:220], 0)

    hits = 0
    for lesson in lessons[220:]:
        found = np.clip(lesson.features, arrays["lowest"], arrays["highest"])
        for layer in range(2):
            found = np.maximum(found @ arrays[f"weights{layer}"] + arrays[f"biases{layer}"], 0)
        logits = (found @ arrays["weights2"] + arrays["biases2"])[:, 0]
        for moment in (2, 5, 9):
            some = lesson.moments == moment
            hits += bool(lesson.right[some][logits[some].argmax()])
    assert hits >= 54  # of 60


def test_an_ensemble_of_an_older_program_waits_to_be_trained_again(forest, tmp_path):
    folder = tmp_path / "forest"
    shutil.copytree(forest[0], folder)
    arrays, about = Bundle.open(folder).player("ensemble")
    older = {name: array for name, array in arrays.items() if name not in {"lowest", "highest"}}
    assert load(folder).is_trained

    add_player(folder, "ensemble", older, about)

    assert [player.name for player in load(folder).players] == ["ir", "dan", "rnn", "birnn"]
    assert not load(folder).is_trained


def test_an_ensemble_of_nothing_is_refused():
    with pytest.raises(QuizwriterError, match="too few tossups"):
        fit_ensemble([], 0)


def test_an_ensemble_of_which_nobody_is_right_is_fitted_all_the_same():
    features = np.random.default_rng(0).random((20, 3), np.float32)
    arrays = fit_ensemble([Told(features, np.repeat([3, 9], 10), np.zeros(20, bool))], 0)

    assert all(np.isfinite(array).all() for array in arrays.values())


# buzzers


def made_play(draw, answer="A"):
    """A game whose first guess is right with a chance that its lead alone tells."""
    words = draw.randrange(15, 30)
    tossup = Tossup(" ".join(["word"] * words), Answer(answer, Page(answer)))
    rows = []
    for _ in range(words):
        lead = draw.uniform(0, 6)
        right = draw.random() < 1 / (1 + math.exp(3 - 1.2 * lead))
        pages = ("A", "B") if right else ("B", "A")
        rows.append((Guess(Page(pages[0]), 3.0), Guess(Page(pages[1]), 3.0 - lead)))
    return Playthrough("made", tossup, tuple(range(1, words + 1)), tuple(rows), (None,) * words)


@pytest.fixture(scope="module")
def buzzer():
    draw = random.Random(0)
    return fit_buzzer([made_play(draw) for _ in range(400)])


def test_a_buzzer_means_what_it_says_on_fresh_games(buzzer):
    draw = random.Random(1)
    fresh = [made_play(draw) for _ in range(300)]

    found = reliability(buzzer, fresh)

    assert found["error"] < 0.05
    assert len(found["table"]) > 5
    for count, said, right in found["table"]:
        assert count < 10 or said == pytest.approx(right, abs=0.1)


def test_the_curve_of_a_buzzer_rises(buzzer, trees):
    for one in (buzzer, *(player.buzzer for player in trees.players)):
        assert list(one.knots) == sorted(set(one.knots))
        assert list(one.values) == sorted(one.values)
        assert 0 <= one.values[0] <= one.values[-1] <= 1


def test_everyone_trained_has_a_buzzer_and_its_reliability_is_told(forest, trees):
    told = Bundle.open(forest[0]).about["buzzers"]

    assert list(told) == [player.name for player in trees.players]
    for player in trees.players:
        assert isinstance(player.buzzer, CalibratedBuzzer)
        assert 0 <= told[player.name]["reliability"]["error"] <= 1
        assert sum(count for count, _, _ in told[player.name]["reliability"]["table"]) == pytest.approx(
            24, abs=1
        )


pages = st.sampled_from("ABC").map(Page)
rows = st.lists(st.tuples(pages, st.floats(-50, 50)), max_size=6).map(
    lambda found: tuple(
        Guess(page, score) for page, score in sorted(dict(found).items(), key=lambda one: -one[1])
    )
)


@given(said=st.lists(rows, min_size=1, max_size=8), data=st.data())
def test_no_chance_depends_on_what_is_said_later(buzzer, said, data):
    count = data.draw(st.integers(0, len(said)))
    tossup = Tossup(" ".join(["word"] * len(said)))
    heard = tuple(range(1, len(said) + 1))
    whole = Playthrough("made", tossup, heard, tuple(said), (None,) * len(said))
    part = replace(whole, heard=heard[:count], rows=tuple(said[:count]), ranks=(None,) * count)

    chances = buzzer.chances(whole)

    assert chances[:count] == pytest.approx(buzzer.chances(part), abs=1e-12)
    assert buzzer_features(whole).shape == (len(said), FEATURES)
    assert all(0 <= chance <= 1 for chance in chances)
    assert all(row or not chance for row, chance in zip(said, chances, strict=True))


def test_more_guesses_in_a_row_change_no_chance(buzzer, trees):
    for player in trees.players:
        few, many = (player.guesser.play(TOSSUP, top=top) for top in (5, 6))
        assert buzzer.chances(few) == buzzer.chances(many)


def test_a_buzzer_survives_json(buzzer):
    assert CalibratedBuzzer.read(json.loads(json.dumps(buzzer.as_json()))) == buzzer


@pytest.mark.parametrize(
    "change",
    [
        {"weights": [1.0]},
        {"weights": None},
        {"knots": [0.0, 1.0], "values": [0.1]},
        {"knots": [], "values": []},
        {"knots": [1.0, 0.0], "values": [0.1, 0.2]},
        {"knots": [0.0, 1.0], "values": [0.2, 0.1]},
        {"knots": [0.0, 1.0], "values": [0.2, 1.1]},
        {"constant": "much"},
        {"constant": math.nan},
        {"worth_it": 10**400},
        {"worth_it": 2.0},
    ],
)
def test_a_senseless_buzzer_is_refused_in_one_sentence(buzzer, bare_forest, tmp_path, change):
    import shutil

    folder = shutil.copytree(bare_forest, tmp_path / "forest")
    amend(folder, {"buzzers": {"ir": {**buzzer.as_json(), **change}}})

    with pytest.raises(QuizwriterError, match=r"^The buzzer of ir in .* makes no sense\. ") as trouble:
        load(folder)

    assert trouble.value.remedy == "Train the buzzers of that bundle again."


@pytest.mark.parametrize("kept", [[1], "buzz", {"ir": [1]}])
def test_buzzers_that_are_none_are_refused(bare_forest, tmp_path, kept):
    import shutil

    folder = shutil.copytree(bare_forest, tmp_path / "forest")
    amend(folder, {"buzzers": kept})

    with pytest.raises(QuizwriterError, match=r"^The buzzer of ir in .* makes no sense\. "):
        load(folder)


def constant(chance):
    return CalibratedBuzzer((0.0,) * FEATURES, 0.0, (0.0,), (chance,), 0.5)


def game(*first):
    """A game in which these pages are first in turn; the answer is A."""
    tossup = Tossup(" ".join(["word"] * len(first)), Answer("A", Page("A")))
    rows = tuple((Guess(Page(page), 1.0),) if page else () for page in first)
    return Playthrough("made", tossup, tuple(range(1, len(first) + 1)), rows, (None,) * len(first))


def test_reliability_counts_a_tossup_once():
    assert reliability(constant(0.5), [game("A", "B")]) == {"error": 0.0, "table": [[1.0, 0.5, 0.5]]}
    assert reliability(constant(0.7), [game("A"), game("B")])["error"] == pytest.approx(0.2)
    # one of two words right, and ten of ten: three quarters of the two tossups
    found = reliability(constant(0.75), [game("A", "B"), game(*"AAAAAAAAAA")])
    assert found == {"error": 0.0, "table": [[2.0, 0.75, 0.75]]}
    assert reliability(constant(1.0), [game("A"), game("")]) == {"error": 0.0, "table": [[1.0, 1.0, 1.0]]}
    assert reliability(constant(0.3), [game(""), game()]) == {"error": 0.0, "table": []}


@pytest.mark.parametrize(
    ("plays", "chance"), [([], 0.005), ([game("", "")], 0.005), ([game("A")], 0.995), ([game("B")], 0.005)]
)
def test_games_that_teach_nothing_make_a_buzzer_that_says_so(plays, chance):
    buzzer = fit_buzzer(plays)

    assert buzzer.chances(game("A")) == (chance,)
    assert CalibratedBuzzer.read(buzzer.as_json()) == buzzer


def test_a_buzzer_buzzes_where_it_wins_most():
    """Right from the third word on, and the lead says so: it buzzes there, not before and not much later."""

    def play(number):
        words = 10 + number % 3
        tossup = Tossup(" ".join(["word"] * words), Answer("A", Page("A")))
        rows = tuple(
            (Guess(Page("A" if word > 2 else "B"), 5.0), Guess(Page("C"), 1.0 if word > 2 else 4.8))
            for word in range(1, words + 1)
        )
        return Playthrough("made", tossup, tuple(range(1, words + 1)), rows, (None,) * words)

    buzzer = fit_buzzer([play(number) for number in range(30)])
    fresh = play(7)

    buzz = buzzer.buzz(replace(fresh, chances=buzzer.chances(fresh)))

    assert buzz is not None
    assert (buzz.heard, buzz.guess.page) == (3, "A")
