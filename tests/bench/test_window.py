"""The figures of the window: each is taken, and of what it says; how large they are is for the bench."""

from __future__ import annotations

from contextlib import closing

import pytest

from quizwriter.bench.bells import SHOWN_MS, measure_bells
from quizwriter.bench.window import measure_history, measure_queue, measure_typing
from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from tests.helpers.fakes import DRAFT, FakeApp, Lead, Overlap

pytestmark = pytest.mark.usefixtures("collecting_here")


@pytest.fixture
def app(tmp_path):
    with closing(App(tmp_path / "home")) as app:
        yield app


def test_typing_is_timed_key_by_key(qapp, tmp_path):
    butterfly = Answer("Madama Butterfly", Page("Madama_Butterfly"))
    figures = measure_typing(FakeApp(tmp_path), DRAFT[:200], butterfly, keys_per_second=50, keys=20)

    assert figures["keys"] == 20
    assert figures["keys_unanswered"] == 0
    assert 0 < figures["key_to_guesses_p50"] <= figures["key_to_guesses_p95"]
    assert 0 < figures["busy_p99"] <= figures["busy_worst"]


def test_a_window_without_an_engine_is_not_timed(qapp, tmp_path):
    app = FakeApp(tmp_path)
    app.refusal = QuizwriterError("There is no bundle.", "Open one.")

    with pytest.raises(QuizwriterError, match="no bundle"):
        measure_typing(app, DRAFT[:200], keys=1)


def test_a_window_that_paints_nothing_is_not_waited_for_without_end(qapp, tmp_path, monkeypatch):
    monkeypatch.setattr("quizwriter.bench.window.LOAD_MS", 0)

    with pytest.raises(QuizwriterError, match="painted no guesses"):
        measure_typing(FakeApp(tmp_path), DRAFT[:200], keys=1)


def test_a_history_of_all_its_edits_is_opened_and_gone_through(qapp, app):
    figures = measure_history(app, DRAFT, edits=900, steps=20)

    assert figures["history_edits"] == len(app.tossups.titled_history("bench-900").history) == 900
    for name in ("history_read", "history_open", "history_step_p50", "history_step_p95"):
        assert figures[name] > 0, name


def test_the_queue_is_timed_over_all_its_rows(qapp, app):
    figures = measure_queue(app, rows=200)

    assert figures["queue_rows"] == len(app.tossups.summaries()) == 200
    for name in ("open", "sort_p50", "sort_p95", "filter_p50", "filter_p95", "scroll_p50", "scroll_p95"):
        assert 0 < figures[f"queue_{name}"] < 10_000, name  # ten seconds: a row that never came


def test_each_bell_is_clicked_before_and_after_its_evidence_is_prepared(qtbot, open_window):
    players = tuple(Player(Overlap(name), Lead(), "fake") for name in ("ir", "dan"))
    window = open_window(tossup=Tossup("A"), players=players, right=False)
    explained = []
    window.draft.buzz_clicked.connect(explained.append)

    figures = measure_bells(window, [DRAFT])

    assert sorted(explained) == ["dan", "dan", "ir", "ir"]
    assert figures.pop("bells") == len(explained) / 2
    kinds = ("bell_p50", "bell_p95", "prepared_bell_p50", "prepared_bell_p95")
    assert sorted(figures) == [f"{player}_{kind}" for player in ("dan", "ir") for kind in kinds]
    assert all(0 < figure < SHOWN_MS for figure in figures.values())
    assert not window.columns.shows_players


def test_players_that_never_play_are_not_waited_for_without_end(qtbot, open_window, monkeypatch):
    monkeypatch.setattr("quizwriter.bench.bells.SHOWN_MS", 50)
    window = open_window(tossup=Tossup("A"), start=False, right=False)

    with pytest.raises(QuizwriterError, match="did not play"):
        measure_bells(window, [DRAFT])
