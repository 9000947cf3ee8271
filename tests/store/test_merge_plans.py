"""What a merge plans and writes, row by row, and what comes of a plan that others overtook."""

from __future__ import annotations

import io
from contextlib import closing

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.review import Categorised, Cited, Commented, Person, PutInSet
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError
from quizwriter.store import merging, signed_rows, summaries
from quizwriter.store.merging import CLOCKS_DIFFER_MS, MergeOutcome, MergePlan, MergeReport
from quizwriter.store.store import Store
from quizwriter.system.signing import Signature
from quizwriter.workflow.branches import Branch
from quizwriter.workflow.session import AnswerChange
from tests.helpers.database import connected


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with closing(Store(tmp_path_factory.mktemp("plans") / "here.db")) as opened:
        yield opened


@pytest.fixture
def db(store):
    """A transaction of which nothing stays."""
    with connected(store) as connection:
        connection.execute("begin")
        yield connection
        connection.execute("rollback")


def branch(*pieces, root="root", at_ms=10, author="ada", **parts):
    """A branch whose edits each add a piece at the end, a millisecond apart."""
    changes = [
        Change(seq, at_ms + seq, Edit(len("".join(pieces[: seq - 1])), "", piece), author)
        for seq, piece in enumerate(pieces, start=1)
    ]
    return Branch.of(root, at_ms, changes, **parts)


def game(seq, at_ms=20, guesser="ir"):
    return seq, at_ms, guesser, "d", 1, 1, 1, 1, "Lake", "[]"


def said(of, seq, body, key="said", at_ms=30):
    """An event at edit ``seq`` of the branch ``of``."""
    return Event(key, of.root, at_ms, "eve", body, seq, of.ids[seq - 1] if seq else "")


def planned(db, *groups):
    plan = MergePlan(io.BytesIO())
    for group in groups:
        plan.add(db, group)
    return plan


def nothing():
    pass


def texts(db):
    return {text for (text,) in db.execute("select text from tossup")}


LAKE = branch("lake", " deep", " blue")
WHOLE = branch(
    "lake",
    " deep",
    answers=[AnswerChange(1, 15, Answer("Baikal", "Lake_Baikal"), "ada"), AnswerChange(2, 16, None, "bo")],
    games=[game(1), game(2, 21, "elastic")],
)


# -- plans


def test_a_plan_of_what_is_known_is_empty_and_says_so(db):
    merging.merge(db, [LAKE])
    plan = planned(db, [LAKE])

    assert plan.empty
    assert plan.report() == MergeReport({"root": MergeOutcome.UNCHANGED})
    assert plan.write(db, nothing) == plan.report()


def test_each_tossup_of_a_plan_is_written_after_a_step(db):
    merging.merge(db, [branch("known", root="c")])
    plan = planned(db, [branch("one", root="a")], [branch("two", root="b")], [branch("known", root="c")])
    steps = []
    report = plan.write(db, lambda: steps.append(len(texts(db))))

    assert not plan.empty
    assert steps == [1, 2]
    assert report.outcomes == {"a": MergeOutcome.NEW, "b": MergeOutcome.NEW, "c": MergeOutcome.UNCHANGED}
    assert (report.count(MergeOutcome.NEW), report.count(MergeOutcome.UNCHANGED)) == (2, 1)
    assert report.count(MergeOutcome.BRANCHED) == 0


def test_the_branches_of_a_tossup_are_planned_only_once(db):
    with pytest.raises(ValueError, match=r"^the branches of a tossup are planned at once$"):
        planned(db, [LAKE], [LAKE])


@pytest.mark.parametrize(
    ("here", "arrived", "outcome"),
    [
        ([], [LAKE], MergeOutcome.NEW),
        ([], [LAKE, branch("river")], MergeOutcome.BRANCHED),
        ([LAKE], [LAKE], MergeOutcome.UNCHANGED),
        ([LAKE], [branch("lake")], MergeOutcome.UNCHANGED),
        ([LAKE], [branch("lake", " deep", " blue", "!")], MergeOutcome.UPDATED),
        ([LAKE], [replace(LAKE, games=(game(1),))], MergeOutcome.UPDATED),
        ([LAKE], [replace(LAKE, events=(said(LAKE, 1, Cited("x")),))], MergeOutcome.UPDATED),
        ([LAKE], [branch("river")], MergeOutcome.BRANCHED),
        ([LAKE, branch("river")], [branch("river", "s")], MergeOutcome.UPDATED),
        ([LAKE, branch("river")], [branch("sea")], MergeOutcome.BRANCHED),
    ],
)
def test_what_a_merge_was_for_a_tossup(db, here, arrived, outcome):
    if here:
        merging.merge(db, here)

    assert planned(db, arrived).write(db, nothing).outcomes == {"root": outcome}


def test_a_changed_answer_is_reported_for_each_tossup_that_had_one(db):
    def answered(root, *lines):
        answers = [AnswerChange(1, 15 + at, Answer(line), "ada") for at, line in enumerate(lines)]
        return branch("text", root=root, answers=answers)

    for root, lines in (("a", ["Ladoga"]), ("b", ["Ladoga"]), ("c", []), ("d", ["Ladoga"])):
        merging.merge(db, [answered(root, *lines)])
    report = planned(
        db,
        [answered("a", "Ladoga", "Onega")],
        [answered("b", "Ladoga", "Baikal")],
        [answered("c", "Ladoga")],
        [replace(answered("d", "Ladoga"), games=(game(1),))],
    ).write(db, nothing)

    assert report.answered == ["a", "b"]


def test_a_tossup_with_the_id_of_a_branch_is_refused(db):
    merging.merge(db, [LAKE, branch("river")])
    ((other,),) = db.execute("select id from tossup where id <> root").fetchall()

    with pytest.raises(QuizwriterError) as raised:
        planned(db, [branch("aimed", root=other)])
    assert (raised.value.problem, raised.value.remedy) == (
        f"The pack has a tossup {other}, but here a branch of another tossup has this id.",
        "The pack was made by hand; nothing of it was taken.",
    )


# -- limits


def test_the_branches_left_out_of_all_tossups_are_counted(db, monkeypatch):
    monkeypatch.setattr(merging, "MOST_BRANCHES", 1)
    groups = [[branch(f"{root}{at}", root=root) for at in range(most)] for root, most in (("a", 2), ("b", 3))]
    for first, *_ in groups:
        merging.merge(db, [first])
    plan = planned(db, *groups)
    report = plan.write(db, nothing)

    assert report.left_out == 3
    assert report.outcomes == {"a": MergeOutcome.UNCHANGED, "b": MergeOutcome.UNCHANGED}
    assert texts(db) == {"a0", "b0"}


@pytest.mark.parametrize(("most", "kept"), [(2, 2), (3, 3), (4, 4), (5, 4)])
def test_a_tossup_has_as_many_branches_as_it_may_have(db, monkeypatch, most, kept):
    monkeypatch.setattr(merging, "MOST_BRANCHES", most)
    merging.merge(db, [branch("a"), branch("b")])
    report = planned(db, [branch("c"), branch("d")]).write(db, nothing)

    assert (len(texts(db)), report.left_out) == (kept, 4 - kept)


SIZED = replace(branch("lake", " deep", answers=WHOLE.answers), games=(game(1), game(1, 21), game(2)))
SIZED = replace(SIZED, events=tuple(said(SIZED, 1, Cited("x"), key) for key in "abcd"))
"""Two edits, two answers, three games and four events: eleven rows."""


@pytest.mark.parametrize(("most", "kept"), [(16, 3), (15, 2), (14, 2), (13, 1), (12, 1), (2, 1)])
def test_rows_are_counted_over_all_branches_and_the_first_is_always_taken(db, monkeypatch, most, kept):
    """The first one in the course of time has 11 rows, then come those of 3 and of 2."""
    monkeypatch.setattr(merging, "MOST_ROWS", most)
    later = [branch("b", "b", "b", at_ms=50), branch("c", "c", at_ms=90)]
    report = planned(db, [SIZED, *later]).write(db, nothing)

    assert (len(texts(db)), report.left_out) == (kept, 3 - kept)
    assert "lake deep" in texts(db)


def test_a_branch_that_is_here_is_continued_whatever_its_size(db, monkeypatch):
    merging.merge(db, [LAKE])
    monkeypatch.setattr(merging, "MOST_ROWS", 2)
    longer = branch("lake", " deep", " blue", "!")

    assert planned(db, [longer, branch("river")]).write(db, nothing).left_out == 1
    assert texts(db) == {"lake deep blue!"}


def test_an_event_of_a_branch_that_was_left_out_is_left_out_too(db, monkeypatch):
    monkeypatch.setattr(merging, "MOST_BRANCHES", 1)
    merging.merge(db, [LAKE])
    fork = branch("river")
    events = (said(fork, 1, Cited("left out")), said(fork, 0, Cited("of all"), "all"))
    planned(db, [replace(fork, events=events)]).write(db, nothing)

    assert [event.id for event in summaries.events(db, "root")] == ["all"]


# -- what others wrote since the plan was made


def test_a_plan_that_was_overtaken_writes_all_that_arrived_beside_the_new(db):
    merging.merge(db, [branch("lake")])
    arriving = replace(WHOLE, events=(said(WHOLE, 2, Cited("x")), said(WHOLE, 1, PutInSet("Open"), "set")))
    plan = planned(db, [arriving])
    merging.merge(db, [branch("lake", " here")])
    report = plan.write(db, nothing)

    assert report.outcomes == {"root": MergeOutcome.BRANCHED}
    ((fork,),) = db.execute("select id from tossup where id <> 'root'").fetchall()
    assert merging.read_branch(db, fork) == arriving
    own = merging.read_branch(db, "root")
    assert (own.text, [event.id for event in own.events]) == ("lake here", ["set"])
    assert [game[0] for game in own.games] == [1]


def test_a_new_tossup_that_somebody_else_brought_meanwhile_is_written_once(db):
    plan = planned(db, [WHOLE])
    merging.merge(db, [WHOLE])

    assert plan.write(db, nothing).outcomes == {"root": MergeOutcome.UNCHANGED}
    assert merging.read_branch(db, "root") == WHOLE


def test_events_of_an_overtaken_plan_go_to_the_branches_that_have_their_edits(db):
    river = branch("river")
    merging.merge(db, [LAKE, river])
    first, second = (replace(one, events=(said(one, 1, Cited(one.text), one.text),)) for one in (LAKE, river))
    plan = planned(db, [first, second])
    old = said(LAKE, 0, Commented("Meanwhile."), "old")
    merging.merge(db, [replace(LAKE, events=(old,))])
    plan.write(db, nothing)

    found = {
        merging.read_branch(db, key).text: {event.id for event in merging.read_branch(db, key).events}
        for (key,) in db.execute("select id from tossup").fetchall()
    }
    assert found == {"lake deep blue": {"lake deep blue", "old"}, "river": {"river", "old"}}


def test_a_branch_and_an_event_of_another_are_both_planned_again(db):
    river = branch("river")
    merging.merge(db, [LAKE, river])
    event = said(river, 1, Cited("x"))
    plan = planned(db, [branch("lake", " deep", " blue", "!"), replace(river, events=(event,))])
    merging.merge(db, [branch("sea")])
    report = plan.write(db, nothing)

    assert report.outcomes == {"root": MergeOutcome.UPDATED}
    assert texts(db) == {"lake deep blue!", "river", "sea"}
    (key,) = db.execute("select id from tossup where text = 'river'").fetchone()
    assert [one.id for one in summaries.events(db, key)] == ["said"]
    assert db.execute("select id, body from event").fetchall() == [("said", '{"source": "x"}')]


def test_an_id_that_a_tossup_took_meanwhile_is_given_to_no_branch(db):
    merging.merge(db, [LAKE])
    plan = planned(db, [branch("river")])
    other = planned(db, [branch("river")])
    other.write(db, nothing)
    ((aimed,),) = db.execute("select id from tossup where id <> 'root'").fetchall()
    db.execute("delete from tossup where id = ?", [aimed])
    for table in ("edit", "listed"):
        db.execute(f"delete from {table} where tossup = ?", [aimed])
    merging.merge(db, [branch("squatter", root=aimed)])
    plan.write(db, nothing)

    assert merging.read_branch(db, aimed).text == "squatter"
    assert texts(db) == {"lake deep blue", "river", "squatter"}


def test_an_event_of_a_tossup_that_was_erased_meanwhile_is_dropped(db):
    merging.merge(db, [LAKE])
    plan = planned(db, [replace(LAKE, events=(said(LAKE, 1, Cited("x")),))])
    for table, column in (("edit", "tossup"), ("listed", "tossup"), ("tossup", "id")):
        db.execute(f"delete from {table} where {column} = 'root'")

    assert plan.write(db, nothing).outcomes == {"root": MergeOutcome.UNCHANGED}
    assert not texts(db)
    assert db.execute("select count(*) from event").fetchone() == (0,)


# -- rows


def test_a_branch_is_read_as_it_was_written(db):
    merging.put_branch(db, "key", WHOLE, {WHOLE.ids[1]: "more"}, 3, 5)
    whole = merging.read_branch(db, "key")

    assert whole == replace(WHOLE, changes=(WHOLE.changes[0], replace(WHOLE.changes[1], kind=EditKind.MORE)))
    columns = "id, answer_line, page, text, words, cursor, created_ms, changed_ms, root, seq, head"
    assert db.execute(f"select {columns} from tossup").fetchall() == [
        ("key", "", None, "lake deep", 2, 3, 10, 16, "root", 2, WHOLE.head)
    ]
    assert merging.kinds_of_edits(db, "root") == {WHOLE.ids[1]: "more"}
    assert merging.kinds_of_edits(db, "key") == {}


@pytest.mark.parametrize(("changed_ms", "kept"), [(0, 13), (12, 13), (99, 99)])
def test_a_new_branch_was_changed_by_its_last_edit_or_opened_later(db, changed_ms, kept):
    merging.put_branch(db, "root", LAKE, {}, 99, changed_ms)

    assert db.execute("select cursor, changed_ms from tossup").fetchone() == (len(LAKE.text), kept)


def test_what_arrives_was_never_opened_here(db):
    merging.merge(db, [LAKE])

    assert db.execute("select cursor, changed_ms from tossup").fetchone() == (0, LAKE.touched_ms)


@pytest.mark.parametrize(("opened_ms", "kept"), [(13, 12), (14, 14)])
def test_a_branch_in_the_place_of_another_keeps_the_cursor_and_when_it_was_opened(db, opened_ms, kept):
    merging.put_branch(db, "root", LAKE, {}, 5, opened_ms)
    db.execute("update listed set shift = 3")
    shorter = branch("lake", " de")
    merging.replace_branch(db, "root", shorter, {shorter.ids[0]: "first"}, LAKE)

    assert db.execute("select text, cursor, changed_ms, seq, head from tossup").fetchall() == [
        ("lake de", 5, kept, 2, shorter.head)
    ]
    assert db.execute("select seq, inserted, kind from edit order by seq").fetchall() == [
        (1, "lake", "first"),
        (2, " de", ""),
    ]
    assert db.execute("select shift from listed").fetchall() == [(None,)]


def test_the_lists_are_those_that_follow_from_the_rows(db):
    merging.merge(db, [replace(WHOLE, events=(said(WHOLE, 1, Categorised(("Arts", "Film"))),))])
    merging.merge(db, [branch("lake", " deep", "!", answers=WHOLE.answers[:1], games=[game(3, 40)])])
    listed, standing = (db.execute(f"select * from {one}").fetchall() for one in ("listed", "standing"))
    summaries.rebuild_columns(db, "root")

    assert db.execute("select category, subcategory from listed").fetchall() == [("Arts", "Film")]
    assert db.execute("select * from listed").fetchall() == listed
    assert db.execute("select * from standing").fetchall() == standing


def test_an_event_alone_is_listed_in_every_branch(db):
    merging.merge(db, [LAKE, branch("river")])
    merging.merge(db, [replace(LAKE, events=(said(LAKE, 0, PutInSet("Open")),))])

    assert db.execute("select set_name from listed").fetchall() == [("Open",), ("Open",)]


@pytest.mark.parametrize(
    "damage",
    [
        "update tossup set text = 'another'",
        "update edit set removed = 'what was never there' where seq = 2",
    ],
)
def test_a_history_that_does_not_lead_to_the_text_is_not_handed_out(db, damage):
    merging.merge(db, [LAKE])
    db.execute(damage)

    with pytest.raises(QuizwriterError, match="The history of tossup root is damaged"):
        merging.read_branch(db, "root")


# -- events and people


def test_an_event_is_put_once_and_a_damaged_one_is_replaced(db):
    merging.merge(db, [LAKE])
    event = replace(said(LAKE, 1, Commented("Was weiß ich?")), signature=Signature("key", "value"))

    assert merging.put_event(db, event)
    assert not merging.is_news(db, event)
    assert not merging.put_event(db, event)
    columns = "root, id, at_ms, author, kind, body, seq, after, key, signature"
    before = db.execute(f"select {columns} from event").fetchall()
    assert before == [
        (
            *("root", "said", 30, "eve", "comment"),
            '{"end": 0, "quoted": "", "seq": 0, "start": 0, "text": "Was weiß ich?"}',
            *(1, LAKE.ids[0], "key", "value"),
        )
    ]
    db.execute("update event set body = '{'")
    assert merging.put_event(db, event)
    assert db.execute(f"select {columns} from event").fetchall() == before


def test_of_two_events_with_one_id_the_signed_one_stays(db):
    merging.merge(db, [LAKE])
    loose = said(LAKE, 1, Commented("Loose."))
    signed = replace(said(LAKE, 1, Commented("Signed.")), signature=Signature("key", "value"))

    assert [merging.put_event(db, one) for one in (loose, signed, loose)] == [True, True, False]
    assert [event.body for event in summaries.events(db, "root")] == [Commented("Signed.")]


def person(name, changed_ms=5, key="", email=""):
    return Person("ada", name, email, changed_ms, Signature(key, "value") if key else None)


@pytest.mark.parametrize(
    ("before", "after", "better"),
    [
        (person("Ada", 5), person("Ada", 5), False),
        (person("Ada", 5), person("Adah", 6), True),
        (person("Ada", 6), person("Adah", 5), False),
        (person("Ada"), person("Adah"), True),  # at once: the same one on every machine
        (person("Adah"), person("Ada"), False),
        (person("Ada"), person("Ada", email="a@example.org"), True),
        (person("Ada", 6, "own"), person("Adah", 7), False),  # her key comes first
        (person("Ada", 7), person("Adah", 6, "own"), True),
        (person("Ada", 6), person("Adah", 7, "other"), True),
        (person("Ada", 7), person("Adah", 6, "other"), False),
        (person("Ada", 7, "other"), person("Adah", 6, "own"), True),
        (person("Ada", 5), person("Adah", 100 + CLOCKS_DIFFER_MS), True),
        (person("Ada", 5), person("Adah", 101 + CLOCKS_DIFFER_MS), False),  # from the future
        (person("Ada", 101 + CLOCKS_DIFFER_MS), person("Adah", 5), True),
    ],
)
def test_which_of_two_names_of_a_person_is_kept(db, monkeypatch, before, after, better):
    monkeypatch.setattr(merging, "now_ms", lambda: 100)
    signed_rows.put_key(db, "ada", "own", first=True)
    assert merging.is_better_name(db, before)
    merging.save_person(db, before)

    assert merging.is_better_name(db, after) is better
    merging.save_person(db, after)
    kept = after if better else before
    assert merging.people(db).keys() == {"ada"}
    assert db.execute("select id, name, email, changed_ms, key, signature from person").fetchall() == [
        (
            "ada",
            kept.name,
            kept.email,
            kept.changed_ms,
            kept.signature.key if kept.signature else "",
            "value" if kept.signature else "",
        )
    ]


def test_without_a_known_key_no_signature_makes_a_name_better(db):
    merging.save_person(db, person("Ada", 6))

    assert not merging.is_better_name(db, person("Adah", 5, "own"))
    assert merging.is_better_name(db, Person("bo"))
