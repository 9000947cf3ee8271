"""The figures of past questions and the search."""

from __future__ import annotations

from quizwriter.bench.library import library_figures
from quizwriter.services.wiring import App
from tests.helpers.past_packets import past_packets


def test_reports_and_searches_are_timed(tmp_path):
    shown = []
    with App(tmp_path / "home", bundle=past_packets(tmp_path / "past")) as app:
        figures = library_figures(app, app.engines.load(), lambda work, done, total: shown.append(work))

    kinds = ("past_first", "past_again", "search_words", "search_phrase")
    assert set(figures) == {f"{kind}_p{share}" for kind in kinds for share in (50, 95)}
    assert all(value >= 0 for value in figures.values())
    assert set(shown) == {"Telling past questions", "Searching for words", "Searching for phrase"}
