"""The log: what it says of each event, what was taken back, who said it, and what fits a filter."""

from __future__ import annotations

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Edit
from quizwriter.domain.review import (
    Categorised,
    Commented,
    Consent,
    ConsentGiven,
    Decided,
    Override,
    Person,
    PutInSet,
    Replied,
    Resolved,
    Round,
    Status,
    StatusSet,
    Suggested,
    Tagged,
    TakenBack,
    WrittenBy,
)
from quizwriter.workflow.event_log import (
    LogFilter,
    LoggedTossup,
    ReleaseRecord,
    entry_json,
    fits,
    log_entries,
    person_labels,
)
from quizwriter.workflow.queue import person_name

PEOPLE = {
    "ada": Person("ada", "Ada Novak", "ada@here.example", 1),
    "ben": Person("ben", "Ben Okafor", "", 1),
}
TOSSUPS = {"t": LoggedTossup("t", "Kraków", "Winter"), "u": LoggedTossup("u", "Zürich", "Autumn")}


def happened(*bodies, tossup="t", author="ada"):
    return [Event(f"e{number}", tossup, 1_000 + number, author, body) for number, body in enumerate(bodies)]


def texts(events, releases=()):
    return [entry.text for entry in reversed(log_entries(events, releases, TOSSUPS, PEOPLE))]


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (StatusSet(Status.REJECTED, "Too vague."), "status", "Status rejected: Too vague."),
        (
            StatusSet(Status.READY, "", (Override("length", "A tiebreaker."),)),
            "status",
            "Status ready: Check “length” overridden: A tiebreaker.",
        ),
        (Commented("Which lake?"), "comment", "Which lake?"),
        (Commented("Which?", 1, 2, 8, "a lake"), "comment", "On “a lake”: Which?"),
        (Suggested(1, Edit(0, "a", "b"), "Better."), "suggestion", "Suggests “b” for “a”: Better."),
        (Tagged(("Paraphrase", "Novel clues")), "tags", "Finds Paraphrase and Novel clues"),
        (Tagged((), Round.DECIDING), "tags", "Decides on no tag"),
        (ConsentGiven(Consent.YES, "By e-mail."), "consent", "Consent yes: By e-mail."),
        (Categorised(("History", "Europe")), "category", "History / Europe"),
        (PutInSet(""), "set", "No set"),
        (WrittenBy("ben"), "author", "Written by Ben Okafor"),
    ],
)  # fmt: skip
def test_each_event_is_a_sentence(body, kind, text):
    (entry,) = log_entries(happened(body), (), TOSSUPS, PEOPLE)
    assert (entry.kind, entry.text, entry.title) == (kind, text, "Kraków")


def test_answers_say_what_they_are_about():
    events = happened(
        Commented("Which lake?"), Replied("e0", "The large one."), Resolved("e0"),
        Suggested(1, Edit(0, "lake", "river")), Decided("e3", False, "It is a lake."),
    )  # fmt: skip
    assert texts(events)[1:3] == ["Reply to “Which lake?”: The large one.", "Resolved “Which lake?”"]
    assert texts(events)[4] == "Declined “river” for “lake”: It is a lake."


def test_what_was_taken_back_stays_in_the_log_and_is_marked():
    events = happened(PutInSet("Winter"), TakenBack(("e0",)))
    back, done = log_entries(events, (), TOSSUPS, PEOPLE)
    assert (done.text, done.counts) == ("Winter", False)
    assert (back.text, back.counts) == ("Undoes: Winter", True)


def test_two_people_of_one_name_are_told_apart():
    people = {**PEOPLE, "0123456789": Person("0123456789", "Ada Novak", "", 1)}
    labels = person_labels(people)
    assert labels["ada"] == "Ada Novak (ada@here.example)"
    assert labels["0123456789"] == "Ada Novak (01234567)"
    assert labels["ben"] == "Ben Okafor"


def test_a_release_is_an_entry_of_each_of_its_tossups():
    released = ReleaseRecord(5_000, "ada", "Winter Open", "1.0", "/out", ("t", "u"))
    withdrawn = ReleaseRecord(
        6_000, "ben", "Winter Open", "1.1", "/out2", ("u",), retracted=True, reason="A clue is wrong."
    )
    after, before = log_entries((), (released, withdrawn), TOSSUPS, PEOPLE)
    assert before.text == "2 tossups released in Winter Open 1.0"
    assert before.title == "2 tossups"
    assert after.text == "1 tossup withdrawn in Winter Open 1.1: A clue is wrong."
    assert fits(before, LogFilter(tossups=("t",)), {})
    assert not fits(after, LogFilter(tossups=("t",)), {})
    assert fits(before, LogFilter(sets=("Autumn",)), {})


@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        (LogFilter(), 3),
        (LogFilter(text="VAGUE ada"), 1),
        (LogFilter(text="zürich"), 1),
        (LogFilter(sets=("Winter",)), 2),
        (LogFilter(kinds=("status", "set")), 2),
        (LogFilter(authors=("ben",)), 1),
        (LogFilter(tossups=("u",), kinds=("status",)), 0),
    ],
)
def test_a_filter_takes_what_fits_all_of_it(wanted, number):
    events = [
        *happened(StatusSet(Status.REJECTED, "Too vague."), Commented("Why?")),
        Event("other", "u", 9_000, "ben", PutInSet("Autumn")),
    ]
    labels = person_labels(PEOPLE)
    entries = log_entries(events, (), TOSSUPS, PEOPLE)
    assert sum(fits(entry, wanted, labels) for entry in entries) == number


def test_json_says_who_and_how_sure_that_is():
    (entry,) = log_entries(happened(PutInSet("Winter")), (), TOSSUPS, PEOPLE)
    assert entry_json(entry, person_labels(PEOPLE)) == {
        "at": "1970-01-01T00:00:01+00:00", "kind": "set", "text": "Winter", "by": "Ada Novak",
        "signature": "unsigned", "taken_back": False, "tossups": ["t"], "sets": ["Winter"],
    }  # fmt: skip


def test_a_name_from_a_pack_makes_no_line_of_its_own_and_turns_no_words():
    ada = Person("a", "Ada\u202e\n2031-10-04  Grace,\u2066 signed")
    assert person_labels({"a": ada}) == {"a": "Ada 2031-10-04 Grace, signed"}
    assert person_name({"a": ada}, "a") == "Ada 2031-10-04 Grace, signed"
    assert person_labels({"a": Person("a", "\n", "a@example.org")}) == {"a": "a@example.org"}
