"""Style sheets of sets and what is dismissed: kept as events, merged by what is newest, minded at ready."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Dismissed, Event, PutInSet, StyleChosen
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.tossup import Answer, Page
from quizwriter.services import App
from quizwriter.workflow.session import PendingSave

TEXT = "This king sold eels. He was Knut. For 10 points, name this king."


@pytest.fixture
def app(tmp_path):
    with App(tmp_path) as app:
        for key in ("one", "two"):
            change = Change(1, 1, Edit(0, "", TEXT))
            app.store.save(PendingSave(key, TEXT, Answer("Knut", Page("Knut")), 0, 1, (change,)))
        app.review.record(["one"], PutInSet("Winter"))
        yield app


def failed(app, key):
    tossup = app.review.tossup(key)
    return {one.name for one in app.review.check({key: tossup})[key] if not one.passed}


def test_a_style_sheet_is_of_its_set_only_and_counts_at_ready(app):
    assert app.problems.style_sheet("Winter") == STANDARD_STYLE
    assert "length" in failed(app, "one")
    app.problems.choose_style("Winter", StyleSheet(shortest=5))
    assert app.problems.style_sheet("Winter").shortest == 5
    assert app.problems.style_sheet("") == STANDARD_STYLE
    assert "length" not in failed(app, "one")
    assert "length" in failed(app, "two")


def test_a_set_without_a_style_sheet_has_the_lengths_of_the_preferences(app):
    lengths = replace(app.profile.settings, shortest_words=5, longest_words=20, buzz_percent=40)
    app.profile.save_settings(lengths)
    assert "length" not in failed(app, "one")
    assert (app.problems.style_sheet("Winter").shortest, app.problems.style_sheet("Winter").longest) == (
        5,
        20,
    )
    app.problems.choose_style("Winter", StyleSheet())
    assert "length" in failed(app, "one")
    assert "length" not in failed(app, "two")


def test_the_buzz_rule_of_a_set_comes_before_that_of_the_preferences(app):
    assert app.problems.buzz_chance("one") == 0
    app.profile.save_settings(replace(app.profile.settings, buzz_percent=40))
    assert app.problems.buzz_chance("one") == 0.4
    app.problems.choose_style("Winter", StyleSheet(buzz_percent=0))
    assert app.problems.buzz_chance("one") == 0
    app.problems.choose_style("Winter", StyleSheet(buzz_percent=75))
    assert (app.problems.buzz_chance("one"), app.problems.buzz_chance("two")) == (0.75, 0.4)
    app.problems.choose_style("Winter", StyleSheet(buzz_percent=10**9))  # of a hostile pack
    assert app.problems.buzz_chance("one") == 0.4


def test_the_newest_style_sheet_counts_in_whatever_order_events_arrive():
    chosen = [StyleChosen("Winter", StyleSheet(longest=number), number) for number in (3, 9, 5)]
    events = [Event(f"e{at}", "t", at, "me", body) for at, body in enumerate(chosen)]
    assert fold_events(events).styles["Winter"].sheet.longest == 9
    assert fold_events(events[::-1]).styles["Winter"].sheet.longest == 9


def test_a_style_sheet_can_be_taken_back(app):
    done = app.problems.choose_style("Winter", StyleSheet(shortest=5))
    app.review.take_back(done.events)
    assert app.problems.style_sheet("Winter") == STANDARD_STYLE


def test_a_tossup_that_comes_into_a_set_carries_its_style_sheet(app):
    app.problems.choose_style("Winter", StyleSheet(shortest=5))
    app.review.record(["two"], PutInSet("Winter"))
    assert app.review.review_of("two").styles == app.review.review_of("one").styles
    app.review.record(["two"], PutInSet("Summer"))
    assert set(app.review.review_of("two").styles) == {"Winter"}


def test_a_dismissed_leak_does_not_hold_the_tossup_back(app):
    assert "leak" in failed(app, "one")
    at = TEXT.index("Knut")
    app.review.record(["one"], Dismissed("leak", "Another Knut.", 1, at, at + 4, "Knut"))
    assert "leak" not in failed(app, "one")
    assert "leak" not in {one.rule for one in app.problems.of_saved("one")}
    assert "leak" in failed(app, "two")


def test_words_of_a_set_and_of_a_person_are_no_problems(app):
    def doubted():
        return [one.words for one in app.problems.of_saved("one") if one.rule == "spelling"]

    text = "This king sold necesary eels."
    app.store.save(PendingSave("one", text, None, 0, 2, (Change(2, 2, Edit(0, TEXT, text)),)))
    assert doubted() == ["necesary"]
    app.problems.choose_style("Winter", StyleSheet(words=("necesary",)))
    assert doubted() == []
    app.problems.choose_style("Winter", StyleSheet())
    app.problems.add_own_word("Necesary")
    app.problems.add_own_word("Necesary")
    assert doubted() == []
    assert app.profile.settings.own_words == ("Necesary",)
