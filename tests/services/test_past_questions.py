"""Past questions as windows and commands ask for them, own tossups among what a search finds."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.past_questions import QuestionFilter, QuestionKind, TimesAsked
from quizwriter.domain.review import Categorised, PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.past_wording import asked_sentence, counts_line
from quizwriter.workflow.session import PendingSave
from quizwriter.workflow.wording import counted_noun
from tests.helpers.past_packets import past_packets

OWN = {
    "one": ("Maren Oldsund rowed to this tower in a cracked boat.", "Gralholm Light"),
    "two": ("The cracked boat of Maren Oldsund lies in this museum.", "Boat Museum"),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return load(past_packets(tmp_path_factory.mktemp("past")))


@pytest.fixture
def app(app):
    for key, (text, line) in OWN.items():
        app.store.save(PendingSave.begun(key, text, Answer(line), 1, "ada"))
    app.store.add_events(
        [
            Event.new("one", 1, "ada", PutInSet("Spring")),
            Event.new("one", 1, "ada", Categorised(("Geography",))),
        ]
    )
    return app


def own(result):
    return sorted(hit.tossup_id for hit in result.hits if hit.kind is QuestionKind.OWN)


def test_own_tossups_come_first_and_are_counted(app, engine):
    found = app.past.search(engine, "oldsund", limit=3)
    assert [hit.kind for hit in found.hits] == [QuestionKind.OWN, QuestionKind.OWN, QuestionKind.BONUS_PART]
    assert found.counts[QuestionKind.OWN] == 2
    assert found.count == 7
    rest = app.past.search(engine, "oldsund", limit=10, start=3)
    assert len(rest.hits) == 4
    assert not {hit.text for hit in found.hits} & {hit.text for hit in rest.hits}


def test_own_tossups_keep_to_phrases_and_filters(app, engine):
    assert own(app.past.search(engine, '"cracked boat" oldsund')) == ["one", "two"]
    assert own(app.past.search(engine, '"boat cracked"')) == []
    for wanted, keys in (
        (QuestionFilter(answer="museum"), ["two"]),
        (QuestionFilter(tournament="spring"), ["one"]),
        (QuestionFilter(category="geo"), ["one"]),
        (QuestionFilter(kinds=frozenset({QuestionKind.OWN})), ["one", "two"]),
        (QuestionFilter(kinds=frozenset({QuestionKind.TOSSUP})), []),
        (QuestionFilter(first_year=2010), []),
        (QuestionFilter(easiest=1), []),
    ):
        assert own(app.past.search(engine, "oldsund", wanted)) == keys, wanted


def test_a_report_has_counts_questions_and_ticked_clues(app, engine):
    report = app.past.report(engine, "Gralholm_Light", "The diary of Maren Oldsund.")
    assert (report.counts.all, len(report.questions)) == (4, 4)
    assert report.clues[0].in_draft
    assert not app.past.report(engine, "Gralholm_Light").clues[0].in_draft


def test_a_bundle_without_library_is_refused_in_a_sentence(app, engine):
    old = replace(engine, library=None)
    for ask in (lambda: app.past.report(old, "Gannet"), lambda: app.past.search(old, "oldsund")):
        with pytest.raises(QuizwriterError, match="no library of past questions") as trouble:
            ask()
        assert "Build the bundle again" in trouble.value.remedy


def test_offers_note_and_pane_count_the_same_questions(app, engine):
    page = "Gralholm_Light"
    asked = app.past.times_asked(engine.pages.asked, engine.library, page)
    report = app.past.report(engine, page, "")

    assert asked == report.counts
    kinds = [one.kind for one in report.questions]
    assert asked.tossups == kinds.count(QuestionKind.TOSSUP) > 1
    assert asked.bonus_parts == kinds.count(QuestionKind.BONUS_PART) > 0
    line = counts_line(asked)
    assert line.split(", ") == [
        counted_noun(asked.tossups, "tossup"),
        counted_noun(asked.bonus_parts, "bonus part"),
    ]
    assert all(part in asked_sentence(asked) for part in line.split(", "))
    assert (
        counts_line(app.past.times_asked(engine.pages.asked, engine.library, "Nobody_Asks_This"))
        == "never asked"
    )


def test_a_bundle_without_library_counts_by_its_pages(app, engine):
    old = replace(engine, library=None)
    asked = app.past.times_asked(old.pages.asked, old.library, "Gralholm_Light")
    assert asked == TimesAsked(tossups=engine.pages.asked("Gralholm_Light"))
