"""Style sheets of sets and what is dismissed: kept as events, merged by what is newest, minded at ready."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Dismissed, PutInSet, SetWord, StyleChosen
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.style_sheet import STANDARD_STYLE, StyleSheet
from quizwriter.domain.tossup import Answer
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave, now_ms

TEXT = "This king sold eels. He was Knut. For 10 points, name this king."


@pytest.fixture
def app(tmp_path):
    with App(tmp_path) as app:
        for key in ("one", "two"):
            app.store.save(PendingSave.begun(key, TEXT, Answer("Knut", Page("Knut")), 1))
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


def test_a_style_sheet_can_be_chosen_after_that_of_a_clock_that_is_ahead(app):
    ahead = StyleChosen("Winter", StyleSheet(shortest=60), now_ms() + 3 * 3_600_000)
    app.store.add_events([Event.new("one", 1, "eva", ahead)])
    app.problems.choose_style("Winter", StyleSheet(shortest=80))
    assert app.problems.style_sheet("Winter").shortest == 80


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


def test_words_that_two_people_add_at_once_are_both_right(app):
    app.problems.say_words("Winter", {"Vadsbru": True, "Eelsby": True})
    (mine, *_) = app.review.events("one")
    theirs = Event("theirs", "one", mine.at_ms - 5, "them", SetWord("Winter", "Skerry", at_ms=mine.at_ms - 5))
    app.store.add_events([theirs])
    assert set(app.problems.style_sheet("Winter").words) == {"Skerry", "Vadsbru", "Eelsby"}
    assert app.problems.style_sheet("Summer").words == ()


def test_the_dialog_says_only_which_words_changed(app):
    app.problems.choose_style("Winter", StyleSheet(words=("Vadsbru",)))
    app.problems.say_words("Winter", {"Eelsby": True})
    sheet = app.problems.style_sheet("Winter")
    before = len(app.review.events("one"))
    app.problems.choose_style("Winter", replace(sheet, words=("Eelsby", "Skerry")))
    bodies = [event.body for event in app.review.events("one")[before:]]
    assert {(one.word, one.right) for one in bodies} == {("Vadsbru", False), ("Skerry", True)}
    assert set(app.problems.style_sheet("Winter").words) == {"Eelsby", "Skerry"}
    app.problems.say_words("Winter", {"Vadsbru": True})
    assert "Vadsbru" in app.problems.style_sheet("Winter").words
    app.problems.choose_style("Winter", replace(app.problems.style_sheet("Winter"), longest=99))
    assert set(app.problems.style_sheet("Winter").words) == {"Eelsby", "Skerry", "Vadsbru"}


def test_the_list_of_an_older_program_keeps_its_meaning_and_no_word_gets_lost(app):
    old = StyleChosen("Winter", StyleSheet(words=("Oldsund", "Eelsby")), 5)
    app.store.add_events([Event("old", "one", 5, "me", old)])
    assert app.problems.style_sheet("Winter").words == ("Oldsund", "Eelsby")
    app.problems.say_words("Winter", {"Eelsby": False, "Skerry": True})
    later = StyleChosen("Winter", StyleSheet(longest=99, words=("Oldsund", "Eelsby")), 10**15)
    app.store.add_events([Event("later", "one", 10**15, "them", later)])
    assert app.problems.style_sheet("Winter") == StyleSheet(longest=99, words=("Oldsund", "Skerry"))


def test_words_of_a_set_go_with_a_tossup_that_comes_into_it(app):
    app.problems.say_words("Winter", {"Vadsbru": True})
    app.review.record(["two"], PutInSet("Winter"))
    assert app.review.review_of("two").words_of_set("Winter") == ("Vadsbru",)
    assert app.problems.style_sheet("Winter").longest == STANDARD_STYLE.longest
