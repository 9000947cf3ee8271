"""The queue: what fits a filter, in which order, and its window over thousands of tossups."""

from __future__ import annotations

import csv
import json
import random
from dataclasses import replace

import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from quizwriter.domain.guessing import Guess, Outcome
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import (
    Categorised,
    Commented,
    Event,
    Person,
    PutInSet,
    Status,
    StatusSet,
    Superseded,
    WrittenBy,
)
from quizwriter.domain.tossup import Answer, Page
from quizwriter.errors import QuizwriterError
from quizwriter.gui.background.saver import Saver
from quizwriter.gui.queue.queue_model import PAGE
from quizwriter.gui.queue.queue_window import QueueWindow
from quizwriter.gui.theme import Theme
from quizwriter.services import App
from quizwriter.workflow.categories import STANDARD
from quizwriter.workflow.queue import COLUMNS, GAME, LastPlay, QueueFilter, QueueSort, cell, row_json
from quizwriter.workflow.session import PendingSave, RecordedPlay
from tests.helpers.database import connected

ADA, BEN = Person("ada", "Ada", "", 1), Person("ben", "Ben", "", 1)


@pytest.fixture
def app(tmp_path):
    app = App(tmp_path)
    app.profile.save_settings(replace(app.profile.settings, profile_id="ada", profile_name="Ada"))
    yield app
    app.store.close()


def put(app, key, line="", text="A text.", *, author="ada", at_ms=1_000, shown=(), bodies=()):
    """A tossup of one edit, and what was recorded of it."""
    page = Page(line.replace(" ", "_")) if line else None
    change = Change(1, at_ms, Edit(0, "", text), author)
    app.store.save(
        PendingSave(key, text, Answer(line, page) if line else None, 0, at_ms, (change,), shown, author)
    )
    app.store.add_events([Event.new(key, at_ms + 1, author, body) for body in bodies])


def played(guesser, first, stable, buzz, right=True, words=10, seq=1):
    page = Page("Kraków") if right else Page("Warsaw")
    return RecordedPlay(
        seq, 1_001, guesser, "engine", (Guess(page, 1.0),), first, stable, buzz, page if buzz else None, words
    )


@pytest.fixture
def four(app):
    """Four tossups that differ in everything."""
    for person in (ADA, BEN):
        app.store.save_person(person)
    put(
        app, "a", "Kraków", "A dragon lived (*) below a castle in this city of kings, in the south.",
        at_ms=4_000, shown=(played("ir", 3, 5, 4), played("dan", None, None, 8, right=False)),
        bodies=[PutInSet("Winter"), Categorised(("Geography", "Europe")), StatusSet(Status.READY)],
    )  # fmt: skip
    put(
        app, "b", "_Zürich_ [or Zurich]", "A city on a lake.", author="ben", at_ms=3_000,
        shown=(played("ir", None, None, None),),
        bodies=[PutInSet("Autumn"), Categorised(("History",)), Commented("Which lake?")],
    )  # fmt: skip
    put(
        app, "c", "", "Nothing is decided here, 100% sure.", at_ms=2_000,
        bodies=[Categorised(("Geography",)), StatusSet(Status.REJECTED, "Too vague.")],
    )  # fmt: skip
    put(app, "d", "avocado", "A fruit.", author="", at_ms=1_000)
    return app


def found(app, wanted=None, sort=None):
    return "".join(app.store.queue(wanted or QueueFilter(), sort or QueueSort()))


# -- what players can know


def unlisted(app, key, knows=None, line="My aunt", seq=1, page=None):
    """A tossup with an answer that has no page, and a game that is right after no word."""
    answer = Answer(line, page)
    shown = replace(played("dan", None, None, 8, right=False), answer_key=answer.key, knows_answer=knows)
    text = "A text."
    app.store.save(
        PendingSave(
            key, text, answer, 0, 1_000, (Change(1, 1_000, Edit(0, "", text), "ada"),), (shown,), "ada"
        )
    )


def test_an_answer_without_a_page_stumps_nobody(four):
    unlisted(four, "e")
    (row,) = four.store.queue_rows(["e"])

    assert (row.players, row.able, row.stumped) == (1, 0, 0)
    assert row.games["dan"].outcome is Outcome.CANNOT_KNOW
    assert found(four, QueueFilter(stumps=("dan",))) == "a"
    people = four.store.people()
    assert cell(row, people, "stumped") == "nobody can know it"
    assert [cell(row, people, column, "dan") for column in ("first", "stable", "buzz")] == [
        "cannot know it",
        "cannot know it",
        "8",
    ]
    assert row_json(row, people)["players"]["dan"]["outcome"] == "cannot know it"


def test_a_page_that_the_player_does_not_know_stumps_it_not(four):
    unlisted(four, "e", knows=False, page=Page("My_aunt"))
    unlisted(four, "f", knows=True, line="My uncle")

    assert found(four, QueueFilter(stumps=("dan",))) == "af"


def test_what_a_player_said_of_an_answer_holds_for_games_recorded_before(four):
    unlisted(four, "e", page=Page("My_aunt"))  # as older versions recorded it
    assert found(four, QueueFilter(stumps=("dan",))) == "ae"
    unlisted(four, "f", knows=False, page=Page("My_aunt"))
    one = replace(played("dan", None, None, 8, right=False, seq=1), at_ms=1_002)
    four.store.save(PendingSave("e", "A text.", Answer("My aunt", Page("My_aunt")), 0, 1_002, (), (one,)))

    assert found(four, QueueFilter(stumps=("dan",))) == "a"


def test_a_new_answer_decides_anew_who_can_know_it(four):
    text = "A dragon lived (*) below a castle in this city of kings, in the south."
    four.store.save(PendingSave("a", text, Answer("My aunt"), 0, 9_000))

    assert found(four, QueueFilter(stumps=("dan",))) == ""
    assert four.store.queue_rows(["a"])[0].games["dan"].outcome is Outcome.CANNOT_KNOW


def test_whoever_sets_the_answer_before_the_text_is_the_author(app):
    app.store.save(PendingSave("e", "", Answer("My aunt"), 0, 1_000, author="ada"))
    assert app.store.queue_rows(["e"])[0].author == "ada"
    app.store.save(
        PendingSave("e", "A", Answer("My aunt"), 1, 1_001, (Change(1, 1_001, Edit(0, "", "A"), "ada"),))
    )
    assert app.store.queue_rows(["e"])[0].author == "ada"


def test_whoever_types_first_is_the_author_of_a_tossup_that_had_no_known_one(app):
    app.store.save(PendingSave("e", "", None, 0, 1_000))
    app.store.save(PendingSave("e", "A", None, 1, 1_001, (Change(1, 1_001, Edit(0, "", "A"), "ben"),)))

    assert app.store.queue_rows(["e"])[0].author == "ben"


# -- by SQL


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (QueueFilter(), "abcd"),
        (QueueFilter(text="krakow"), "a"),  # as answers are compared
        (QueueFilter(text="zurich zÜrich"), "b"),
        (QueueFilter(text="CITY"), "ab"),
        (QueueFilter(text="city dragon"), "a"),
        (QueueFilter(text="100%"), "c"),  # no wildcard
        (QueueFilter(text="_"), ""),
        (QueueFilter(sets=("Winter", "")), "acd"),
        (QueueFilter(statuses=(Status.READY, Status.REJECTED)), "ac"),
        (QueueFilter(categories=(("Geography",),)), "ac"),
        (QueueFilter(categories=(("Geography", "Europe"), ("History",))), "ab"),
        (QueueFilter(authors=("ben", "")), "bd"),
        (QueueFilter(stumps=("dan",)), "a"),
        (QueueFilter(stumps=("ir",)), "b"),
        (QueueFilter(stumps=("ir", "dan")), ""),
        (QueueFilter(least_words=5, most_words=6), "bc"),
        (QueueFilter(changed_after_ms=3_000), "ab"),
        (QueueFilter(commented=True), "b"),
        (QueueFilter(sets=("Winter",), statuses=(Status.DRAFT,)), ""),
    ],
)
def test_a_filter_takes_what_fits_all_of_it(four, wanted, expected):
    assert found(four, wanted) == expected


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        (QueueSort("changed", True), "abcd"),
        (QueueSort("changed", False), "dcba"),
        (QueueSort("answer", False), "dabc"),  # a, k, z; none last, whichever way
        (QueueSort("answer", True), "badc"),
        (QueueSort("set", False), "bacd"),
        (QueueSort("category", False), "acbd"),  # within Geography, too
        (QueueSort("status", False), "bdac"),
        (QueueSort("author", False), "acbd"),
        (QueueSort("words", True), "acbd"),
        (QueueSort("power", True), "abcd"),
        (QueueSort("stumped", True), "abcd"),
        (QueueSort("comments", True), "bacd"),
        (QueueSort("buzz", False, "ir"), "abcd"),
        (QueueSort("first", False, "ir"), "abcd"),
        (QueueSort("stable", True, "dan"), "abcd"),
    ],
)
def test_what_has_nothing_in_the_column_comes_last(four, sort, expected):
    assert found(four, sort=sort) == expected


def test_all_columns_sort_both_ways(four):
    for column in COLUMNS:
        for down in (False, True):
            assert sorted(found(four, sort=QueueSort(column, down))) == list("abcd")
    for column in GAME:
        assert sorted(found(four, sort=QueueSort(column, True, "dan"))) == list("abcd")
    with pytest.raises(ValueError, match="no column"):
        found(four, sort=QueueSort("text; drop table tossup"))


def test_a_row_has_all_that_is_known(four):
    (row,) = four.store.queue_rows(["a"])
    assert (row.answer_line, row.set_name, row.category) == ("Kraków", "Winter", ("Geography", "Europe"))
    assert (row.status, row.locked, row.author, row.power) == (Status.READY, False, "ada", 3)
    assert (row.players, row.stumped, row.comments, row.changed_ms) == (2, 1, 0, 4_000)
    assert row.games == {"ir": LastPlay(10, 3, 5, 4, True), "dan": LastPlay(10, None, None, 8, False)}
    assert row.opening.startswith("A dragon lived")
    assert [row.tossup_id for row in four.store.queue_rows(["d", "gone", "b"])] == ["d", "b"]


def test_an_edit_after_the_status_was_set_is_known(four):
    assert not four.store.queue_rows(["a"])[0].changed_since
    edit = Edit(0, "", "x")
    text = "xA dragon lived (*) below a castle in this city of kings, in the south."
    four.store.save(
        PendingSave("a", text, Answer("Kraków", Page("Kraków")), 0, 9_000, (Change(2, 9_000, edit),))
    )
    assert four.store.queue_rows(["a"])[0].changed_since
    assert found(four, QueueFilter(changed=True)) == "a"


def test_what_another_branch_replaced_is_not_listed(four):
    four.store.add_events([Event.new("a", 9_000, "ada", Superseded("elsewhere"))])
    assert found(four) == "bcd"
    assert "Winter" not in four.store.facets().sets


def test_the_answer_is_found_and_sorted_by_what_it_became(four):
    (row,) = four.store.queue_rows(["c"])
    four.store.save(PendingSave("c", row.opening, Answer("Aachen"), 0, 9_000, author="ada"))
    assert found(four, QueueFilter(text="aachen")) == "c"
    assert found(four, sort=QueueSort("answer", False)) == "cdab"


def test_facets_count_what_there_is(four):
    facets = four.store.facets()
    assert facets.sets == {"": 2, "Autumn": 1, "Winter": 1}
    assert facets.statuses == {Status.DRAFT: 2, Status.READY: 1, Status.REJECTED: 1}
    assert facets.categories == {(): 1, ("Geography",): 1, ("Geography", "Europe"): 1, ("History",): 1}
    assert facets.authors == {"": 1, "ada": 2, "ben": 1}
    assert four.store.players() == ("dan", "ir")


def test_a_row_as_json_says_the_same(four):
    row = row_json(four.store.queue_rows(["a"])[0], four.store.people())
    assert row["author"] == "Ada"
    assert row["players"]["dan"] == {
        "words": 10,
        "first": None,
        "stable": None,
        "buzz": 8,
        "buzz_right": False,
        "outcome": "wrong",
    }
    assert (row["stumped"], row["can_know"]) == (1, 2)
    assert row["changed"] == "1970-01-01T00:00:04+00:00"
    assert json.loads(json.dumps(row)) == row


@pytest.mark.logs("the filter Broken", "the filter Newer")
def test_a_saved_filter_is_the_same_filter(four):
    wanted = QueueFilter(
        text="a b", sets=("", "Winter"), statuses=(Status.READY,), categories=(("Geography", "Europe"),),
        stumps=("ir",), least_words=3, changed_after_ms=5, commented=True,
    )  # fmt: skip
    four.queue.save_filter("Mine", wanted)
    four.store.put_item("filter", "Broken", '{"statuses": ["no such"]}')
    four.store.put_item("filter", "Newer", '{"moods": []}')
    assert four.queue.filters() == {"Mine": wanted}
    four.queue.save_filter("Mine", None)
    assert four.queue.filters() == {}


def test_a_set_has_categories_of_its_own(four):
    assert four.review.categories("Winter") == STANDARD
    four.review.save_categories("Winter", [("Food", "Fruit"), ("Food",), ("Drink",)])
    assert four.review.categories("Winter") == (("Food",), ("Food", "Fruit"), ("Drink",))
    assert four.review.categories("Autumn") == STANDARD
    four.review.save_categories("Winter", None)
    assert four.review.categories("Winter") == STANDARD
    four.store.put_item("categories", "Winter", "[3]")
    with pytest.raises(QuizwriterError, match="make no sense"):
        four.review.categories("Winter")


def test_the_queue_as_csv_can_be_read_again(four, tmp_path):
    path = tmp_path / "queue.csv"
    four.queue.export_csv(
        path, ("b", "a"), [("answer", ""), ("category", ""), ("buzz", "ir"), ("stumped", "")]
    )
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["Id", "Answer", "Category", "IR buzz", "Stumped"],
        ["b", "_Zürich_ [or Zurich]", "History", "", "1 of 1"],
        ["a", "Kraków", "Geography / Europe", "4", "1 of 2"],
    ]
    with pytest.raises(QuizwriterError, match="could not be written"):
        four.queue.export_csv(tmp_path / "none" / "queue.csv", ("a",), [("answer", "")])
    assert [one.name for one in tmp_path.iterdir() if "half" in one.name] == []


# -- many at once


def test_many_are_changed_and_taken_back_together(four):
    done = four.review.record(["a", "b", "d"], WrittenBy("ben"))
    assert [event.tossup_id for event in done.events] == ["a", "b", "d"]
    assert found(four, QueueFilter(authors=("ben",))) == "abd"
    back = four.review.take_back(done.events)
    assert found(four, QueueFilter(authors=("ben",))) == "b"
    four.review.take_back(back.events)
    assert found(four, QueueFilter(authors=("ben",))) == "abd"


def test_what_is_so_already_is_not_recorded_again(four):
    assert [one.tossup_id for one in four.review.record(["a", "b"], PutInSet("Winter")).events] == ["b"]
    assert four.review.record(["c"], Categorised(("Geography",))).events == ()


def test_a_status_that_cannot_follow_is_refused_for_that_tossup_alone(four):
    done = four.review.set_status(["a", "b"], Status.IN_REVIEW)
    assert [event.tossup_id for event in done.events] == ["a"]
    ((key, trouble),) = done.refused
    assert key == "b"
    assert "A tossup that is draft cannot become in review at once" in str(trouble)


def test_ready_needs_the_failing_checks_explained(four):
    checks = four.review.check(four.tossups.drafts(["b", "d"]))
    failed = {key: [one.name for one in all_ if not one.passed] for key, all_ in checks.items()}
    assert failed["d"] == ["length", "past"]  # without an engine the past is unknown
    assert len(four.review.set_status(["d"], Status.READY, failed=failed).refused) == 1
    reasons = {"length": "A sample.", "past": "It is new."}
    (event,) = four.review.set_status(["d"], Status.READY, failed=failed, overridden=reasons).events
    assert {one.check: one.reason for one in event.body.overridden} == reasons


def test_the_set_is_searched_for_repeats_and_nothing_else_is(four):
    text = (
        "One dragon after another lived below the tall old castle until a cobbler fed it sulphur and sheep."
    )
    for key, name in (("x", "Winter"), ("y", "Winter"), ("z", "Autumn")):
        put(four, key, f"Answer {key}", text, bodies=[PutInSet(name)])
    passed = {
        key: {one.name: one for one in checks}["set"]
        for key, checks in four.review.check(four.tossups.drafts(["x", "z"])).items()
    }
    assert not passed["x"].passed
    assert "Answer y" in passed["x"].finding
    assert passed["z"].passed


# -- the window


@pytest.fixture
def saver(app):
    saver = Saver(app.store.save)
    yield saver
    saver.stop()


@pytest.fixture
def theme(qapp):
    return Theme(qapp, scheme="light", draft_font="", draft_size_px=16)


@pytest.fixture
def window(qtbot, app, theme, saver):
    """The queue over whatever the test put into the store; it is asked to show itself by the test."""
    window = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    yield window
    window.shutdown()
    qtbot.wait(1)


def shown(window):
    return "".join(window.model.keys)


def choose(window, keys):
    selection = QItemSelection()
    last = window.model.columnCount() - 1
    for key in keys:
        place = window.model.keys.index(key)
        selection.select(window.model.index(place, 0), window.model.index(place, last))
    window.table.selectionModel().select(selection, QItemSelectionModel.SelectionFlag.ClearAndSelect)


def text_of(window, key, title):
    titles = [
        str(window.model.headerData(at, Qt.Orientation.Horizontal)).rstrip(" ▾▴")
        for at in range(window.model.columnCount())
    ]
    index = window.model.index(window.model.keys.index(key), titles.index(title))
    return window.model.data(index)


def present(qtbot, window):
    with qtbot.waitSignal(window.painted):
        window.present()


def test_the_window_lists_filters_and_sorts(qtbot, four, window):
    present(qtbot, window)
    assert shown(window) == "abcd"
    assert text_of(window, "a", "IR buzz") == "4"
    assert text_of(window, "a", "DAN buzz") == "8 ✗"
    assert text_of(window, "b", "IR buzz") == "never"
    assert text_of(window, "c", "Answer") == "No answer yet"
    assert text_of(window, "a", "Author") == "Ada"
    with qtbot.waitSignal(window.painted):
        window.sort_by("buzz", "ir")
    assert shown(window) == "abcd"
    with qtbot.waitSignal(window.painted):
        qtbot.keyClicks(window.filters.search, "city")
    assert shown(window) == "ab"
    qtbot.waitUntil(lambda: window.action_bar.count_label.text() == "2 of 4 tossups")
    with qtbot.waitSignal(window.painted):
        window.filters.clear_button.click()
    assert shown(window) == "abcd"
    assert window.filters.search.text() == ""


def test_ticking_a_category_shows_all_below_it(qtbot, four, window):
    present(qtbot, window)
    qtbot.waitUntil(lambda: bool(window.filters.category_facet._items))
    with qtbot.waitSignal(window.painted):
        window.filters.category_facet._items["Geography",].setCheckState(0, Qt.CheckState.Checked)
    assert shown(window) == "ac"
    assert window.filters.category_facet.text() == "Category: Geography"


def test_a_filter_is_saved_and_comes_back(qtbot, four, window):
    present(qtbot, window)
    wanted = QueueFilter(text="city", statuses=(Status.READY,), least_words=3, changed_after_ms=0)
    with qtbot.waitSignal(window.painted):
        window.use_filter(wanted)
    window.filters.save_filter("Cities that are ready")
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter())
    (kept,) = four.queue.filters().values()
    with qtbot.waitSignal(window.painted):
        window.use_filter(kept)
    assert shown(window) == "a"
    assert window.filters.filter.text == "city"
    assert window.filters.filter.statuses == (Status.READY,)


def test_many_get_an_author_and_it_can_be_undone_and_redone(qtbot, four, window):
    present(qtbot, window)
    choose(window, "acd")
    assert window.table.selected == ("a", "c", "d")
    with qtbot.waitSignal(window.painted):
        window.bulk.set_author(BEN)
    assert {text_of(window, key, "Author") for key in "abcd"} == {"Ben"}
    assert window.table.selected == ("a", "c", "d")  # the selection stays
    assert window.messages.said("review") == "3 tossups are by Ben now."
    with qtbot.waitSignal(window.painted):
        window.review_actions.undo()
    assert [text_of(window, key, "Author") for key in "abcd"] == ["Ada", "Ben", "Ada", ""]
    with qtbot.waitSignal(window.painted):
        window.review_actions.redo()
    assert {text_of(window, key, "Author") for key in "abcd"} == {"Ben"}


def test_many_become_ready_once_what_fails_is_explained(qtbot, four, window):
    present(qtbot, window)
    choose(window, "bd")
    window.bulk.set_status(Status.READY)
    qtbot.waitUntil(
        lambda: window.review_actions.dialog is not None and bool(window.review_actions.dialog.overrides)
    )
    dialog = window.review_actions.dialog
    assert set(dialog.overrides) == {"length", "past"}
    assert not dialog.can_choose
    for line in dialog.overrides.values():
        qtbot.keyClicks(line, "Only a sample.")
    assert dialog.can_choose
    with qtbot.waitSignal(window.painted):
        dialog.choose_all()
    assert text_of(window, "b", "Status") == text_of(window, "d", "Status") == "Ready"


def test_those_that_cannot_follow_are_named_and_the_others_go_on(qtbot, four, window):
    present(qtbot, window)
    choose(window, "ab")
    window.bulk.set_status(Status.IN_REVIEW)
    qtbot.waitUntil(lambda: window.review_actions.dialog is not None)
    with qtbot.waitSignal(window.painted):
        window.review_actions.dialog.choose_all()
    assert text_of(window, "a", "Status") == "In review"
    assert text_of(window, "b", "Status") == "Draft"
    assert "1 other could not be changed: A tossup that is draft" in window.messages.said("review")


def test_a_refusal_needs_a_reason(qtbot, four, window):
    present(qtbot, window)
    choose(window, "a")
    window.bulk.set_status(Status.SENT_BACK)
    qtbot.waitUntil(lambda: window.review_actions.dialog is not None)
    dialog = window.review_actions.dialog
    assert not dialog.can_choose
    qtbot.keyClicks(dialog.reason, "Two clues are swapped.")
    with qtbot.waitSignal(window.painted):
        qtbot.keyClick(dialog.reason, Qt.Key.Key_Return)
    assert text_of(window, "a", "Status") == "Sent back"


def test_what_is_shown_is_copied_with_its_titles(qtbot, four, window):
    present(qtbot, window)
    choose(window, "a")
    window.copy()
    qtbot.waitUntil(lambda: "Kraków" in QGuiApplication.clipboard().text())
    titles, row = QGuiApplication.clipboard().text().split("\n")
    assert titles.split("\t")[:3] == ["Answer", "Set", "Category"]
    assert dict(zip(titles.split("\t"), row.split("\t"), strict=True))["IR buzz"] == "4"
    assert "IR first right" not in titles  # not shown


def test_what_is_shown_is_written_to_a_file(qtbot, four, window, tmp_path):
    present(qtbot, window)
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter(text="city"))
    window.export(tmp_path / "out.csv")
    qtbot.waitUntil(lambda: (tmp_path / "out.csv").exists())
    assert len((tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()) == 3
    window.export(tmp_path / "none" / "out.csv")
    qtbot.waitUntil(lambda: "could not be written" in window.messages.said("queue"))


def test_opening_a_row_says_which(qtbot, four, window):
    present(qtbot, window)
    with qtbot.waitSignal(window.opened) as opened:
        window.table.activated.emit(window.model.index(1, 0))
    assert opened.args == ["b"]


def test_what_the_main_window_saves_comes_up(qtbot, four, window, saver):
    present(qtbot, window)
    with qtbot.waitSignal(window.painted, timeout=3_000):
        saver.keep(
            PendingSave("e", "Anew.", Answer("Eel"), 0, 9_000, (Change(1, 9_000, Edit(0, "", "Anew.")),))
        )
    assert shown(window) == "eabcd"


def test_the_columns_chosen_are_remembered(qtbot, four, window, app, theme, saver):
    present(qtbot, window)
    places = {column: at for at, column in enumerate(window.model.columns)}
    assert window.table.isColumnHidden(places["first", "ir"])
    window.table.show_column("first", "ir", shown=True)
    window.table.show_column("power", shown=False)
    window.close()
    again = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    present(qtbot, again)
    assert not again.table.isColumnHidden(places["first", "ir"])
    assert again.table.isColumnHidden(places["first", "dan"])
    assert again.table.isColumnHidden(places["power", ""])
    again.shutdown()


def test_nothing_is_said_to_be_there_when_nothing_is(qtbot, app, window):
    present(qtbot, window)
    assert window.table.empty_label.isVisible()
    assert "no tossups yet" in window.table.empty_label.text()


# -- at 20,000


def crowd(app, count):
    """A store of ``count`` tossups with games of four players, put there as rows."""
    draw = random.Random(4)
    for person in (ADA, BEN):
        app.store.save_person(person)
    words = [
        f"{first}{second}" for first in ("bla", "gro", "tri", "mon", "ser") for second in ("de", "ka", "nu")
    ]
    statuses, sets = list(Status), ["", "Winter", "Spring", "Autumn"]
    tossups, listed, standings = [], [], []
    for number in range(count):
        key, text = f"{draw.getrandbits(128):032x}", " ".join(draw.choices(words, k=110))
        line = f"{draw.choice(words)} {draw.choice(words)} {number}"
        tossups.append((key, line, line, text, 110, 0, number, number, key, 1, key))
        path = draw.choice(STANDARD)
        listed.append(
            (key, number, line, 110, draw.choice([None, 60]), draw.choice(["ada", "ben"]),
             str(draw.choice(statuses)), 0, 0, 0, 0, draw.choice(sets), *(*path, "", "", "")[:3], "not asked",
             0, 0, 4, 4, draw.randrange(5), draw.randrange(90))
        )  # fmt: skip
        for guesser in ("dan", "ensemble", "ir", "rnn"):
            first = draw.choice([None, draw.randrange(110)])
            standings.append((key, guesser, "engine", 1, 110, first, first, draw.randrange(110), 1, 1))
    columns = (
        "tossup, changed_ms, answer, words, power, author, status, status_ms, status_seq, locked, "
        "superseded, set_name, category, subcategory, topic, consent, comments, suggestions, players, able, "
        "stumped, shift"
    )
    with connected(app.store) as db:
        db.execute("begin")
        db.executemany(
            """
            insert into tossup (id, answer_line, page, text, words, cursor, created_ms, changed_ms, root, seq,
                                head) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            tossups,
        )
        db.executemany(f"insert into listed ({columns}) values ({', '.join('?' * 22)})", listed)
        db.executemany(f"insert into standing values ({', '.join('?' * 10)})", standings)


def test_of_twenty_thousand_rows_few_are_ever_read(qtbot, app, theme, saver, monkeypatch):
    crowd(app, 20_000)
    read, rows = [], app.store.queue_rows
    monkeypatch.setattr(app.store, "queue_rows", lambda keys: read.extend(keys) or rows(keys))
    window = QueueWindow(app, theme, saver, lambda: None, lambda: None)
    present(qtbot, window)
    window.table.viewport().repaint()
    assert len(window.model.keys) == 20_000
    assert len(read) == PAGE

    def fetched(do):
        """How many rows are read until the table is painted anew."""
        read.clear()
        with qtbot.waitSignal(window.painted):
            do()
        window.table.viewport().repaint()
        return len(read)

    for column, player in (("answer", ""), ("status", ""), ("author", ""), ("buzz", "ir"), ("stumped", "")):
        assert 0 < fetched(lambda one=column, who=player: window.sort_by(one, who)) <= 2 * PAGE
    for wanted in (QueueFilter(text="tride 77"), QueueFilter(categories=(("Science",),), stumps=("ir",))):
        assert 0 < fetched(lambda wanted=wanted: window.use_filter(wanted)) <= 2 * PAGE
        assert 0 < len(window.model.keys) < 5_000
    with qtbot.waitSignal(window.painted):
        window.use_filter(QueueFilter())

    read.clear()
    window.table.scrollToBottom()
    window.table.viewport().repaint()
    last = window.model.keys[-1]
    qtbot.waitUntil(lambda: last in read)
    for place in range(0, 20_000, 250):  # however far it is scrolled, few pages are kept
        window.table.scrollTo(window.model.index(place, 0))
        window.table.viewport().repaint()
        QApplication.processEvents()
    assert len(window.model._rows) <= 61 * PAGE
    window.shutdown()


def test_cells_are_empty_where_nothing_is_known(four):
    (row,) = four.store.queue_rows(["d"])
    assert [cell(row, {}, column) for column in COLUMNS] == [
        "avocado", "", "", "draft", "", "2", "", "", "", cell(row, {}, "changed"), "",
    ]  # fmt: skip
    assert cell(row, {}, "buzz", "ir") == ""
