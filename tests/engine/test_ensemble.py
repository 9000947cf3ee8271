"""The ensemble, and the buzzers: what is told of candidates, and chances that mean what they say."""

from __future__ import annotations

import json
import math
import random
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from index_builder.training.buzzers import fit_buzzer
from quizwriter.domain.guessing import Guess, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.answer_kinds import AnswerKinds
from quizwriter.engine.bundle import MANIFEST, Bundle, add_player, amend
from quizwriter.engine.buzzers import FEATURES, CalibratedBuzzer, buzzer_features
from quizwriter.engine.engine import load
from quizwriter.engine.ensemble import (
    AnswerTypes,
    ClueKinds,
    Ensemble,
    PastUse,
    candidates,
    feature_count,
)
from quizwriter.engine.past_sentences import PastSentences
from quizwriter.errors import QuizwriterError
from tests.helpers.forest import TREES, in_the_forest
from tests.helpers.made_plays import made_play

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
    weights = np.zeros((feature_count(len(members), past=False), 1), np.float32)
    weights[0] = -1.0
    ends = np.full(len(weights), np.inf, np.float32)
    biases = np.asarray([2.0], np.float32)
    arrays = {"weights0": weights, "biases0": biases, "lowest": -ends, "highest": ends}
    ensemble = Ensemble(
        arrays, members, ClueKinds(retrieval), types, retrieval.pages, retrieval.log_tossup_counts
    )

    expected, play = retrieval.play(TOSSUP, top=6), ensemble.play(TOSSUP, top=6)

    positions = candidates(
        TOSSUP, members, ClueKinds(retrieval), types, retrieval.log_tossup_counts
    ).position_of.tolist()
    assert len(set(positions)) > 5
    for position, row in zip(positions, play.rows, strict=True):
        theirs = expected.rows[position - 1] if position else ()
        for one, guess in zip(theirs, row, strict=False):
            assert guess.page == one.page
            behind = min(15.0, theirs[0].score - one.score)
            assert guess.score - row[0].score == pytest.approx(-behind, abs=1e-3)
        assert sum(math.exp(guess.score) for guess in row) < 1 + 1e-6


def test_candidates_are_the_first_guesses_of_all_members(member, types, trees):
    members = [member["ir"], member["dan"], member["rnn"]]
    field = candidates(TOSSUP, members, ClueKinds(trees.retrieval), types, trees.retrieval.log_tossup_counts)

    assert field.features.shape == (len(field.rows), feature_count(len(members), past=False))
    assert np.isfinite(field.features).all()
    assert (np.diff(field.words) >= 0).all()
    for word, position in enumerate(field.position_of.tolist()):
        found = set(field.rows[field.words == position].tolist())
        assert position <= word + 1
        assert found == {
            page for one in members for page in one.candidates(TOSSUP)[word].tolist() if page >= 0
        }


def test_a_tie_that_fell_the_other_way_costs_no_more_than_time(trees, member):
    """The ensemble goes on from its last game only if its members still see the same candidates in it."""
    ensemble = member["ensemble"]
    expected = ensemble.play(TOSSUP)
    ensemble.play(Tossup(f"{TOSSUP.text} zzz"))
    reading, answer, top, said = ensemble._previous
    ensemble._previous = (
        reading,
        answer,
        top,
        {position: row for position, row in said.items() if position < 20},
    )

    assert ensemble.play(Tossup(f"{TOSSUP.text} yyy")).rows[: len(TOSSUP.words)] == expected.rows


def test_an_ensemble_that_is_trained_now_hears_the_past(forest, member, types, trees):
    arrays = Bundle.open(forest[0]).player("ensemble")[0]
    members = [member["ir"], member["dan"], member["rnn"]]
    past = PastUse(PastSentences(Bundle.open(forest[0])), AnswerKinds(arrays))

    field = candidates(
        TOSSUP, members, ClueKinds(trees.retrieval), types, trees.retrieval.log_tossup_counts, past
    )

    assert arrays.shapes["lowest"] == (feature_count(3, past=True),)
    assert field.features.shape == (len(field.rows), feature_count(3, past=True))
    assert np.isfinite(field.features).all()


def test_an_ensemble_that_hears_the_past_does_not_play_where_there_is_none(forest, tmp_path):
    folder = tmp_path / "forest"
    shutil.copytree(forest[0], folder)
    shutil.rmtree(folder / "sentences")
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    manifest["files"] = {
        name: entry for name, entry in manifest["files"].items() if not name.startswith("sentences/")
    }
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")

    assert [player.name for player in load(folder).players] == ["ir", "dan", "rnn", "birnn"]


def test_an_ensemble_of_an_older_program_waits_to_be_trained_again(forest, tmp_path):
    folder = tmp_path / "forest"
    shutil.copytree(forest[0], folder)
    bundle = Bundle.open(folder)
    arrays, about = bundle.player("ensemble")[0], bundle.about["players"]["ensemble"]
    older = {name: array for name, array in arrays.items() if name not in {"lowest", "highest"}}
    assert load(folder).players[-1].name == "ensemble"

    add_player(folder, "ensemble", older, about)

    assert [player.name for player in load(folder).players] == ["ir", "dan", "rnn", "birnn"]


# buzzers


@pytest.fixture(scope="module")
def buzzer():
    draw = random.Random(0)
    return fit_buzzer([made_play(draw) for _ in range(400)])


def test_the_curve_of_a_buzzer_rises(buzzer, trees):
    for one in (buzzer, *(player.buzzer for player in trees.players)):
        assert list(one.knots) == sorted(set(one.knots))
        assert list(one.values) == sorted(one.values)
        assert 0 <= one.values[0] <= one.values[-1] <= 1


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
    assert CalibratedBuzzer.from_json(json.loads(json.dumps(buzzer.as_json()))) == buzzer


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
        {"worth_it": 10**400},
        {"worth_it": 2.0},
    ],
)
def test_a_senseless_buzzer_is_refused_in_one_sentence(buzzer, bare_forest, tmp_path, change):
    import shutil

    folder = shutil.copytree(bare_forest, tmp_path / "forest")
    amend(folder, {"buzzers": {"ir": {**buzzer.as_json(), **change}}})

    with pytest.raises(QuizwriterError, match=r"^The buzzer of ir in .* makes no sense \(") as trouble:
        load(folder)

    assert trouble.value.remedy == "Train the buzzers of that bundle again."


@pytest.mark.parametrize("kept", [[1], "buzz", {"ir": [1]}])
def test_buzzers_that_are_none_are_refused(bare_forest, tmp_path, kept):
    import shutil

    folder = shutil.copytree(bare_forest, tmp_path / "forest")
    amend(folder, {"buzzers": kept})

    with pytest.raises(QuizwriterError, match=r"^The buzzer of ir in .* makes no sense \("):
        load(folder)
