"""The figures of the answer field's completion."""

from types import SimpleNamespace

from quizwriter.bench import completion_figures as measured
from quizwriter.bench.completion_figures import completion_figures
from quizwriter.domain.page import Page, answer_key
from quizwriter.engine.pages import Pages

ASKED = {"Johannes_Brahms": 40, "Johannes_Vermeer": 10, "Lake_Baikal": 20, "Sodium": 9, "Never_Asked": 0}


def engine_with(asked):
    names = [Page(name) for name in asked]
    return SimpleNamespace(pages=Pages(names, [answer_key(name) for name in names], list(asked.values())))


def test_the_shares_are_counted_by_how_often_pages_are_asked_for(monkeypatch):
    monkeypatch.setattr(measured, "DRAWN", 150)
    told = []
    figures = completion_figures(engine_with(ASKED), lambda *steps: told.append(steps))

    assert (figures["pages"], figures["aliases"], len(told)) == (5, 0, 150)
    assert figures["complete_two_beginnings_first"] == figures["complete_last_word_first"] == 1
    assert figures["complete_six_letters_in_five"] == 1
    share = figures["complete_six_letters_first"]  # "johann" is Brahms, four times of five
    assert 0.8 < share < 0.93
    assert figures["complete_whole_with_slip_first"] > 0.95
    assert figures["complete_p95"] >= figures["complete_p50"] >= 0
    assert figures == completion_figures(engine_with(ASKED), lambda *_: None) | {
        name: figures[name] for name in ("complete_p50", "complete_p95")
    }


def test_a_bundle_without_tossups_has_no_figures():
    assert completion_figures(engine_with({"Sodium": 0}), lambda *_: None) == {}
