"""The queue: which tossups fit a filter, in which order, what their rows say, and changes of many at once."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Outcome
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Categorised, PutInSet, Status, StatusSet, Superseded, WrittenBy
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.formats.tables import read_table
from quizwriter.workflow.categories import STANDARD
from quizwriter.workflow.queue import COLUMNS, GAME, LastPlay, QueueFilter, QueueSort, cell, row_json
from quizwriter.workflow.session import PendingSave
from tests.helpers.made_queue import played, put


def found(app, wanted=None, sort=None):
    return "".join(app.store.queue(wanted or QueueFilter(), sort or QueueSort()))


def test_statuses_are_counted_of_the_tossups_asked_for(four):
    rows = four.queue.rows(("a", "b", "c"))
    assert four.queue.count_statuses(["a", "b", "c", "nobody"]) == Counter(row.status for row in rows)
    assert four.queue.count_statuses([]) == {}


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

    assert (len(row.games), row.able, row.stumped) == (1, 0, 0)
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


# -- which games count


def standings(app):
    """The cells of the stumped by tossup; what the filter takes for stumps, by player; what is unplayed."""
    rows = {row.tossup_id: cell(row, {}, "stumped") for row in app.queue.rows("abcd")}
    stumps = {
        name: "".join(app.queue.find(QueueFilter(stumps=(name,)), QueueSort())) for name in ("ir", "dan")
    }
    return rows, stumps, "".join(app.queue.find(QueueFilter(unplayed=True), QueueSort("answer", False)))


def edit(app, key, text):
    stored = app.store.load(key).tossup
    change = Change(2, 9_000, Edit(0, stored.text, text), "ada")
    app.store.save(PendingSave(key, text, stored.answer, 0, 9_000, (change,)))


def test_a_game_of_an_older_text_counts_nowhere(four):
    assert standings(four) == (
        {"a": "1 of 2", "b": "1 of 1", "c": "", "d": ""},
        {"ir": "b", "dan": "a"},
        "dc",
    )
    edit(four, "a", "Another text.")

    assert standings(four) == ({"a": "", "b": "1 of 1", "c": "", "d": ""}, {"ir": "b", "dan": ""}, "dac")
    assert "".join(four.queue.find(QueueFilter(), QueueSort("stumped"))) == "bacd"
    (row,) = four.queue.rows("a")
    assert [game.counts for game in row.games.values()] == [False, False]
    assert row_json(row, {})["can_know"] == 0


def test_a_game_of_an_older_version_of_a_player_counts_nowhere(four):
    four.engines.players_in_use = {"ir": "engine", "dan": "trained since"}

    assert standings(four) == (
        {"a": "0 of 1", "b": "1 of 1", "c": "", "d": ""}, {"ir": "b", "dan": ""}, "dabc"
    )  # fmt: skip
    assert not four.queue.rows("a")[0].games["dan"].counts
    assert [*four.statistics.report().everything.stumps] == ["ir"]


def test_the_state_of_a_set_counts_the_same_games(four):
    def machines():
        lines = four.statistics.state()
        return {one.title: one.number for one in lines if one.group == "Machines"}

    four.engines.players_in_use = {"ir": "engine"}
    answer = four.store.load("b").tossup.answer
    shown = played("elasticsearch", None, None, None)  # which is not in use, and never plays the new text
    four.store.save(PendingSave("b", "A city on a lake.", answer, 0, 3_500, (), (shown,)))
    edit(four, "b", "Another city.")
    assert machines() == {
        "IR is stumped": "0 of 1", "DAN is stumped": "1 of 1", "Not played as it is now": "3 of 4"
    }  # fmt: skip
    again = played("ir", None, None, None, seq=2)
    four.store.save(PendingSave("b", "Another city.", answer, 0, 9_001, (), (again,)))
    edit(four, "d", "")

    assert machines() == {
        "IR is stumped": "1 of 2", "DAN is stumped": "1 of 1", "Not played as it is now": "1 of 3"
    }  # fmt: skip
    assert found(four, QueueFilter(unplayed=True)) == "c"


@pytest.mark.parametrize("text", ["(*)", "  ", "–", ""])
def test_a_tossup_without_words_has_no_game_and_lacks_none(four, text):
    edit(four, "a", text)
    shown = replace(played("dan", None, None, None, seq=2), words=0)
    four.store.save(PendingSave("a", text, four.store.load("a").tossup.answer, 0, 9_001, (), (shown,)))

    assert standings(four) == ({"a": "", "b": "1 of 1", "c": "", "d": ""}, {"ir": "b", "dan": ""}, "dc")
    assert four.queue.rows("a")[0].games == {}


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
        (QueueFilter(text="city " * 3_000), "ab"),
        (QueueFilter(text=" ".join(map(str, range(3_000)))), ""),
        (QueueFilter(text="x" * 60_000), ""),  # longer than patterns of SQLite may be
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
            assert sorted(four.queue.find(QueueFilter(), QueueSort(column, down))) == list("abcd")
    for column in GAME:
        assert sorted(found(four, sort=QueueSort(column, True, "dan"))) == list("abcd")
    with pytest.raises(ValueError, match="no column"):
        found(four, sort=QueueSort("text; drop table tossup"))


def test_a_row_has_all_that_is_known(four):
    (row,) = four.store.queue_rows(["a"])
    assert (row.answer_line, row.set_name, row.category) == ("Kraków", "Winter", ("Geography", "Europe"))
    assert (row.status, row.locked, row.author, row.power) == (Status.READY, False, "ada", 3)
    assert (row.able, row.stumped, row.comments, row.changed_ms) == (2, 1, 0, 4_000)
    assert row.games == {
        "ir": LastPlay(10, 3, 5, 4, True, engine="engine"),
        "dan": LastPlay(10, None, None, 8, False, engine="engine"),
    }
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


def test_another_answer_after_the_status_was_set_is_known(four):
    text = four.store.load("a").tossup.text
    four.store.save(PendingSave("a", text, Answer("Gdańsk"), 0, 9_000, author="ben"))
    assert four.store.queue_rows(["a"])[0].changed_since
    assert found(four, QueueFilter(changed=True)) == "a"
    assert four.review.is_changed_since("a")

    four.store.add_events(
        [Event.new("a", 8_000, "ada", StatusSet(Status.READY))]
    )  # by a clock that is behind
    assert found(four, QueueFilter(changed=True)) == ""


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
        "engine": "engine",
        "text_edited_since": False,
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
    with pytest.raises(QuizwriterError, match="cannot be read by this version"):
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


def test_no_cell_of_the_queue_is_a_formula_in_a_spreadsheet(four, tmp_path):
    unlisted(four, "e", line='=HYPERLINK("http://example.org")')
    path = tmp_path / "queue.csv"
    four.queue.export_csv(path, ("e",), [("answer", "")])

    with path.open(encoding="utf-8-sig", newline="") as file:
        assert next(csv.DictReader(file))["Answer"] == """'=HYPERLINK("http://example.org")"""
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert next(read_table(file)) == {"Id": "e", "Answer": '=HYPERLINK("http://example.org")'}


# -- many at once


def test_many_are_changed_and_taken_back_together(four):
    done = four.review.record(["a", "b", "d"], WrittenBy("ben"))
    assert [event.tossup_id for event in done.events] == ["a", "d"]  # the other is Ben's already
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
    assert "A tossup cannot go from draft to in review directly" in str(trouble)


def test_ready_needs_the_failing_checks_explained(four):
    checks = four.review.check(four.tossups.drafts(["b", "d"]))
    failed = {key: [one.name for one in all_ if not one.passed] for key, all_ in checks.items()}
    assert failed["d"] == ["page", "length", "past"]  # without an engine, pages and the past are unknown
    assert len(four.review.set_status(["d"], Status.READY, failed=failed).refused) == 1
    reasons = {"page": "It is known.", "length": "A sample.", "past": "It is new."}
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


def test_cells_are_empty_where_nothing_is_known(four):
    (row,) = four.store.queue_rows(["d"])
    assert [cell(row, {}, column) for column in COLUMNS] == [
        "avocado", "", "", "draft", "not asked", "", "2", "", "", "", cell(row, {}, "changed"), "",
        "", "", "", "",
    ]  # fmt: skip
    assert cell(row, {}, "buzz", "ir") == ""
