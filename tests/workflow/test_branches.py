"""What a branch contains, which of several histories are kept apart, and what ids they get."""

from __future__ import annotations

import hashlib

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Cited, Commented
from quizwriter.domain.tossup import Answer
from quizwriter.system.signing import Signature
from quizwriter.workflow.branches import (
    Branch,
    games_in_order,
    name_branches,
    preferred_events,
    unite_branches,
)
from quizwriter.workflow.session import AnswerChange


def branch(*pieces, at_ms=10, created_ms=5, **parts):
    """A branch whose edits each add a piece at the end, a millisecond apart."""
    changes = [
        Change(seq, at_ms + seq, Edit(len("".join(pieces[: seq - 1])), "", piece), "ada")
        for seq, piece in enumerate(pieces, start=1)
    ]
    return Branch.of("root", created_ms, changes, **parts)


def game(seq, at_ms=20, guesser="ir", engine="d", top="[]"):
    return seq, at_ms, guesser, engine, 1, None, None, None, None, top


def answer(seq, line, at_ms=20, page=None, author="ada"):
    return AnswerChange(seq, at_ms, None if line is None else Answer(line, page), author)


def event(key, of, seq, at_ms=30):
    return Event(key, "root", at_ms, "eve", Cited("x"), seq, of.ids[seq - 1] if seq else "")


LAKE, RIVER = branch("lake", " deep", " blue"), branch("river", at_ms=20)


def test_a_branch_contains_its_edits_and_the_beginning():
    assert [LAKE.contains(seq, LAKE.ids[1]) for seq in range(5)] == [True, False, True, False, False]
    assert LAKE.contains(3, LAKE.head)
    assert (LAKE.head, branch().head) == (LAKE.ids[2], "root")
    assert LAKE.covers(branch("lake", " deep"))
    assert LAKE.covers(branch())
    assert not branch("lake").covers(LAKE)
    assert not LAKE.covers(RIVER)


def test_a_branch_was_touched_by_its_last_edit_or_answer():
    assert branch(created_ms=7).touched_ms == 7
    assert branch(created_ms=99).touched_ms == 99
    assert LAKE.touched_ms == 13
    assert branch("lake", answers=[answer(1, "Onega", 40), answer(0, "Ladoga", 30)]).touched_ms == 40


def test_the_answer_is_that_set_last():
    assert branch("lake", answers=[answer(1, "Onega"), answer(0, "Ladoga", 90)]).answer == Answer("Onega")
    assert branch("lake", answers=[answer(1, "Onega"), answer(1, None, 21)]).answer is None
    assert LAKE.answer is None


def test_the_beginning_of_a_branch_has_what_was_there_by_then():
    whole = branch(
        "lake",
        " deep",
        answers=[answer(1, "Onega"), answer(2, "Ladoga")],
        games=[game(1), game(2)],
        events=[event("a", LAKE, 1), event("b", LAKE, 2)],
    )
    first = whole.until(1)

    assert (first.text, first.ids, first.created_ms, first.root) == ("lake", whole.ids[:1], 5, "root")
    assert first.answers == whole.answers[:1]
    assert first.games == whole.games[:1]
    assert first.events == whole.events[:1]
    assert whole.until(2) == whole


def test_branches_are_equal_by_all_but_their_signatures():
    same = branch("lake", " deep", " blue")

    assert replace(same, runs=("run",)) == LAKE
    assert hash(replace(same, runs=("run",))) == hash(LAKE)
    assert hash(LAKE) != hash(RIVER)
    assert LAKE != "lake deep blue"
    others = [
        replace(LAKE, created_ms=6),
        replace(LAKE, root="other"),
        replace(LAKE, text="other"),
        replace(LAKE, ids=()),
        replace(LAKE, games=(game(1),)),
        replace(LAKE, answers=(answer(1, "Onega"),)),
        replace(LAKE, events=(event("a", LAKE, 1),)),
        replace(LAKE, changes=()),
    ]
    assert all(other != LAKE for other in others)
    assert len({LAKE, *others}) == 9


def test_answers_games_and_events_are_in_one_order_and_once():
    answers = [
        answer(0, "b", 30), answer(1, None, 20), answer(1, "", 20, "A"), answer(1, "a", 20),
        answer(1, "a", 20, "A"), answer(1, "a", 20, "A", "bo"), answer(1, "b", 20), answer(1, "a", 21),
        answer(2, "a", 1),
    ]  # fmt: skip
    games = [game(0, 9), game(1, 2), game(1, 3, "b"), game(1, 3, "c", "a"), game(1, 3, "c", "b"), game(2, 1)]
    events = [event("b", LAKE, 1, 1), event("a", LAKE, 1, 2), event("c", LAKE, 0, 2)]
    made = branch("lake", " deep", answers=answers[::-1] * 2, games=games[::-1] * 2, events=events[::-1])

    assert made.answers == tuple(answers)
    assert made.games == tuple(games)
    assert made.events == tuple(events)


def test_games_of_one_player_at_once_are_in_one_order_whatever_else_they_have():
    """None and numbers are in other columns of them, which are not compared with each other."""
    some = [game(1, top="[2]"), game(1, top="[1]"), (*game(1)[:5], 3, *game(1)[6:]), game(0)]

    assert games_in_order(some) == games_in_order(some[::-1])
    assert games_in_order(some)[0] == game(0)
    assert games_in_order(some[:2]) == (some[1], some[0])


# -- uniting


def test_nothing_and_one_branch_are_united_as_they_are():
    assert unite_branches([]) == ()
    assert unite_branches(iter([LAKE])) == (LAKE,)


def test_two_branches_share_what_was_there_before_they_diverged():
    start = Change(1, 11, Edit(0, "", "a"), "ada")
    first, second = (
        Branch.of("root", 5, [start, Change(2, at_ms, Edit(1, "", piece), "ada")])
        for piece, at_ms in (("b", 30), ("c", 20))
    )
    one = replace(
        first,
        answers=(answer(0, "all"), answer(2, "one")),
        games=(game(1), game(2)),
        events=(event("e0", first, 0), event("e1", first, 1), event("e2", first, 2, 1)),
    )
    other = replace(second, answers=(answer(1, "both"),), games=(game(0),), created_ms=3)
    found = unite_branches([one, branch("a"), branch(), other])

    assert [one.text for one in found] == ["ac", "ab"]  # by the time of the edit in which they differ
    assert [one.created_ms for one in found] == [3, 3]
    assert [[a.answer.line for a in one.answers] for one in found] == [
        ["all", "both"],
        ["all", "both", "one"],
    ]
    assert [[g[0] for g in one.games] for one in found] == [[0, 1], [0, 1, 2]]
    assert [[e.id for e in one.events] for one in found] == [["e0", "e1"], ["e2", "e0", "e1"]]


def test_a_branch_without_edits_is_kept_only_alone():
    assert [one.text for one in unite_branches([branch(), branch()])] == [""]
    assert [one.text for one in unite_branches([branch(), LAKE])] == [LAKE.text]


def test_of_events_with_one_id_the_signed_one_is_preferred():
    loose = replace(event("a", LAKE, 1), body=Commented("Loose."))
    signed = replace(loose, body=Commented("Signed."), signature=Signature("key", "value"))
    other = event("b", LAKE, 1)

    for order in ([loose, signed], [signed, loose]):
        branches = [replace(LAKE, events=(one, other)) for one in order]
        assert list(preferred_events(branches)) == [signed, other]


# -- ids


def computed(*words):
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:32]


def free(_):
    return False


def test_the_first_new_branch_has_the_id_of_the_tossup_and_others_that_of_their_way():
    named = name_branches({}, [LAKE, RIVER], free)

    assert named == {"root": LAKE, computed("branch", "root", RIVER.ids[0]): RIVER}
    assert list(named) == ["root", computed("branch", "root", RIVER.ids[0])]


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_an_id_that_is_taken_is_counted_up(taken):
    ids = [computed("branch", "root", RIVER.ids[0], *[str(count)][: count > 0]) for count in range(3)]

    assert list(name_branches({}, [LAKE, RIVER], ids[:taken].__contains__)) == ["root", ids[taken]]


def test_the_way_of_a_branch_begins_where_it_leaves_those_before_it():
    start = [Change(1, 11, Edit(0, "", "a"), "ada")]
    first, second, third = (
        Branch.of("root", 5, [*start, Change(2, 12, Edit(1, "", piece), "ada")]) for piece in "bcd"
    )

    assert list(name_branches({}, [first, second, third], free)) == [
        "root",
        computed("branch", "root", second.ids[1]),
        computed("branch", "root", third.ids[1]),
    ]
    assert list(name_branches({"mine": first}, [first, second], free)) == ["mine", "root"]
    known = {"root": first}
    assert list(name_branches(known, [first, second], free)) == [
        "root",
        computed("branch", "root", second.ids[1]),
    ]


def test_a_branch_that_goes_on_keeps_its_id_and_of_two_the_first():
    start = [Change(1, 11, Edit(0, "", "a"), "ada")]
    first, second = (
        Branch.of("root", 5, [*start, Change(2, 12, Edit(1, "", piece), "ada")]) for piece in "bc"
    )
    before = {"mine": Branch.of("root", 5, start)}
    named = name_branches(before, [first, second], free)

    assert named == {"mine": first, "root": second}
    assert name_branches({"mine": branch()}, [first, second], free) == {"mine": first, "root": second}
    # the last one that is known of those on its way
    longer = Branch.of("root", 5, [*first.changes, Change(3, 13, Edit(2, "", "!"), "ada")])
    assert name_branches({"old": before["mine"], "new": first}, [longer], free) == {"new": longer}
