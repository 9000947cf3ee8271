"""``quizwriter bench --compare``: the figures of two runs beside each other."""

from __future__ import annotations

import json

import pytest

from quizwriter.bench import engine
from quizwriter.bench.comparison import (
    compared_figures,
    comparison_remarks,
    comparison_sentence,
    read_figures,
)
from quizwriter.cli import main
from quizwriter.errors import QuizwriterError
from quizwriter.services.engines import Engines

KEPT = {"bundle": "Starter bundle", "tossups": 200, "ir_play_p50": 4.0, "stall_worst": 20.0, "gone": 1.0}


def test_of_two_bundles_with_nearly_the_same_questions_nearly_the_same_are_timed():
    texts = [f"Question {number}" for number in range(500)]
    chosen = engine._fixed_choice(texts, 20)
    assert len(set(chosen)) == 20
    assert len({*chosen, *engine._fixed_choice(["A new one", *texts[:99], *texts[100:]], 20)}) <= 22


def test_every_figure_of_both_runs_has_its_ratio_and_the_worse_ones_are_named():
    now = {"bundle": "Starter bundle", "tossups": 200, "ir_play_p50": 6.0, "stall_worst": 10.0, "new": 3.0}

    found = compared_figures(KEPT, now)

    assert [(one.name, one.ratio) for one in found] == [("ir_play_p50", 1.5), ("stall_worst", 0.5)]
    assert comparison_sentence(found) == (
        "1 of the 2 figures is 1.25 times the kept one or more: ir_play_p50 (1.50 times)."
    )
    assert comparison_sentence(compared_figures(KEPT, KEPT)) == (
        "None of the 3 figures is 1.25 times the kept one or more."
    )


def test_a_figure_that_was_nothing_has_no_finite_ratio():
    (found,) = compared_figures({"stall_p50": 0.0}, {"stall_p50": 0.2})
    assert found.ratio == float("inf")
    (found,) = compared_figures({"stall_p50": 0.0}, {"stall_p50": 0.0})
    assert found.ratio == 1.0


def test_runs_of_two_bundles_are_not_compared():
    with pytest.raises(QuizwriterError, match="different things"):
        compared_figures(KEPT, KEPT | {"bundle": "My packets"})


def test_runs_without_a_common_figure_are_not_called_as_quick_as_each_other():
    with pytest.raises(QuizwriterError, match="no figure that this one has"):
        compared_figures(KEPT, {"bundle": "Starter bundle", "tossups": 200, "new": 1.0})


def test_another_computer_another_state_and_missing_figures_are_remarked():
    now = {**KEPT, "computer": "Linux, quick, 8 cores", "digest": "b"}
    del now["gone"]
    same = comparison_remarks(now, now)
    other = comparison_remarks({**KEPT, "computer": "Linux, slow, 2 cores"}, now)

    assert same == []
    assert other == [
        "The kept run is on another computer (Linux, slow, 2 cores; now Linux, quick, 8 cores).",
        "The kept run does not say its digest; it may be of another state of the bundle.",
        "Only the kept run has gone.",
    ]


def test_runs_with_other_bells_are_compared_but_for_their_number():
    kept, now = {**KEPT, "bells": 40.0}, {**KEPT, "bells": 37.0}

    assert "bells" not in {one.name for one in compared_figures(kept, now)}
    assert comparison_remarks(kept, now) == ["The kept run is on another number of bells (40.0; now 37.0)."]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"bundle": "Starter bundle", "tossups": 3}',
        b'{"a": []}',
        b"\xff",
        b"{" * 100_000,
        b" " * 1_000_001,
    ],
)
def test_a_file_without_figures_is_refused(tmp_path, content):
    file = tmp_path / "kept.json"
    file.write_bytes(content)
    with pytest.raises(QuizwriterError, match=r"figures|too large"):
        read_figures(file)


def test_another_bundle_is_told_before_anything_is_measured(monkeypatch, capsys, tmp_path, starter):
    monkeypatch.setattr(engine, "bench", None)
    file = tmp_path / "kept.json"
    file.write_text(json.dumps(KEPT | {"bundle": "My packets"}))

    assert main(["bench", "--bundle", str(starter), "--compare", str(file)]) == 1
    assert "different things" in capsys.readouterr().err


def test_the_command_loads_the_bundle_once_and_prints_the_comparison(monkeypatch, capsys, tmp_path, starter):
    loaded, load = [], Engines.load_bundle
    monkeypatch.setattr(Engines, "load_bundle", lambda *given: loaded.append(load(*given)) or loaded[-1])
    monkeypatch.setattr(
        engine,
        "bench",
        lambda app, whole, progress: dict(KEPT) | {"ir_play_p50": 8.0, "bundle": whole.title},
    )
    file = tmp_path / "kept.json"
    file.write_text(json.dumps(KEPT | {"stall_worst": 0.0}))

    assert main(["bench", "--bundle", str(starter), "--compare", str(file)]) == 0
    assert "ir_play_p50 (2.00 times)" in capsys.readouterr().out.replace("\n", " ")
    assert len(loaded) == 1

    assert main(["bench", "--bundle", str(starter), "--compare", str(file), "--json"]) == 0
    compared = json.loads(capsys.readouterr().out)["compared"]
    assert compared["ir_play_p50"] == {"kept": 4.0, "now": 8.0, "ratio": 2.0}
    assert compared["stall_worst"]["ratio"] is None

    assert main(["bench", "--desk", "--compare", str(file)]) == 1
    assert "--compare" in capsys.readouterr().err
