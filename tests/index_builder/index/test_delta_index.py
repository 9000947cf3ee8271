"""The index of added packets: added texts are worth what a build from everything would give them."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index_builder import user_packets
from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.index.delta_index import write_delta_index
from index_builder.progress import Progress
from index_builder.user_packets import add_packets
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.engine import load
from tests.helpers.json_lines import write_lines

WORDS = ["fox", "wolf", "vixen", "howls", "moon", "hens", "river", "winter", "burrow", "cubs", "this", "tail"]

rows_of = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), min_size=6, max_size=14), st.sampled_from(["Fox", "Wolf", "Owl"])
    ),
    min_size=1,
    max_size=5,
)


def as_rows(asked, prefix):
    """Rows with texts that differ."""
    return [
        {
            "id": f"{prefix}{number}",
            "text": f"{prefix}{number} {' '.join(words)}",
            "answer": name,
            "page": name,
        }
        for number, (words, name) in enumerate(asked)
    ]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(first=rows_of, second=rows_of, heard=st.lists(st.sampled_from(WORDS), max_size=10))
def test_with_no_tolerance_an_addition_plays_as_a_bundle_of_everything(
    tmp_path_factory, first, second, heard
):
    folder = tmp_path_factory.mktemp("law")
    one, two = (
        write_lines(folder / "1.jsonl", as_rows(first, "a")),
        write_lines(folder / "2.jsonl", as_rows(second, "b")),
    )
    build(Inputs((one,), everything=True), folder / "part", "Part", Progress())
    build(Inputs((one, two), everything=True), folder / "whole", "Whole", Progress())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_packets, "write_delta_index", partial(write_delta_index, tolerance=0.0))
        add_packets(folder / "part", [two])
    tossup = Tossup(" ".join(heard), Answer("Owl", "Owl"))

    ours, theirs = load(folder / "part").retrieval, load(folder / "whole").retrieval

    played = ours.play(tossup, top=3)
    for row, expected in zip(played.rows, theirs.play(tossup, top=3).rows, strict=True):
        scores = {guess.page: guess.score for guess in row}
        assert scores == pytest.approx({guess.page: guess.score for guess in expected}, rel=1e-3, abs=1e-3)
    for count in range(len(tossup.words)):
        assert ours.play(tossup.heard(count), top=3).rows == played.rows[:count]
    for guess in played.final:
        evidence = ours.explain(tossup, guess.page)
        assert sum(cue.weight for cue in evidence.cues) == pytest.approx(guess.score, rel=1e-4, abs=1e-4)
    assert [guess.page for guess in ours.query(tossup, top=3)] == [guess.page for guess in played.final]
