"""Merging: in whatever order and however often things come, the same is known in the end; nothing is lost."""

import random
from contextlib import closing

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit, EditKind
from quizwriter.domain.review import (
    Commented,
    Consent,
    ConsentGiven,
    Person,
    Status,
    StatusSet,
    Superseded,
    TakenBack,
)
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store.merging import MergeOutcome
from quizwriter.store.store import Store
from quizwriter.workflow.branches import Branch, name_branches, unite_branches
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession
from quizwriter.workflow.wording import merge_sentence
from tests.helpers.database import connected, select

# -- the laws, of the pure part

changes = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.sampled_from(["", "ada"])), max_size=4
)


def branch_of(steps, created_ms, draw):
    made, text = [], ""
    for seq, (letter, at_ms, author) in enumerate(steps, start=1):
        made.append(Change(seq, at_ms, Edit(len(text), "", letter), author))
        text += letter
    bare = Branch.of("root", created_ms, made)
    seq = draw.randint(0, len(made))
    after = bare.ids[seq - 1] if seq else "root"
    games = [(seq, 1, "ir", "d", 1, None, None, None, None, "[]")]
    key = f"{after}{draw.randint(0, 2)}"
    events = [Event(key, "root", 1, "ada", StatusSet(Status.READY), seq, after)]
    return Branch.of("root", created_ms, made, games=games, events=events)


branches = st.lists(st.builds(branch_of, changes, st.integers(0, 3), st.randoms()), min_size=1, max_size=6)


@given(branches, st.randoms())
def test_uniting_does_not_depend_on_order_or_repeats(some, draw):
    shuffled = some + draw.choices(some, k=3)
    draw.shuffle(shuffled)

    assert unite_branches(shuffled) == unite_branches(some)
    assert name_branches({}, unite_branches(shuffled), free) == name_branches({}, unite_branches(some), free)


@given(branches, st.integers(1, 5))
def test_it_does_not_matter_what_was_united_before(some, cut):
    first = unite_branches(some[:cut])

    assert unite_branches([*first, *some[cut:]]) == unite_branches(some)
    assert unite_branches([*unite_branches(some), *some]) == unite_branches(some)


@given(branches)
def test_nothing_is_lost_in_uniting(some):
    whole = unite_branches(some)

    for one in some:
        assert any(
            other.covers(one)
            and set(one.games) <= set(other.games)
            and {event.id for event in one.events} <= {event.id for event in other.events}
            for other in whole
        )
    assert all(not one.covers(other) for one in whole for other in whole if one is not other)


@given(branches)
def test_what_is_said_of_one_branch_is_not_said_of_another(some):
    for one in unite_branches(some):
        assert all(one.contains(event.seq, event.after) for event in one.events)


def free(key):
    """No other tossup has the id."""
    return False


@given(branches, branches)
def test_a_branch_that_is_known_keeps_its_id_whatever_comes(here, arrived):
    known = name_branches({}, unite_branches(here), free)
    named = name_branches(known, unite_branches([*known.values(), *arrived]), free)

    assert all(named[key].covers(old) for key, old in known.items())
    assert set(named.values()) == set(unite_branches([*here, *arrived]))


@given(branches)
def test_an_id_that_another_tossup_has_is_given_to_no_branch(some):
    united = unite_branches(some)
    usual = name_branches({}, united, free)
    taken = usual.keys() - {"root"}
    named = name_branches({}, united, taken.__contains__)

    assert not named.keys() & taken
    assert list(named.values()) == list(usual.values())


# -- the same with databases of several machines

LOCAL = {"cursor", "changed_ms"}


def dump(store, *, local=False):
    """All that a store knows; how far its own writer got only if ``local``.

    A branch is called by its last edit: its id is each machine's own.
    """
    found = {}
    with connected(store) as db:
        names = {
            key: f"{root} until {head}" for key, root, head in db.execute("select id, root, head from tossup")
        }
        tables = db.execute(
            "select name from sqlite_master where type = 'table' and name not like '%sqlite%'"
        )
        for (table,) in tables.fetchall():
            columns = [name for _, name, *_ in db.execute(f"pragma table_info({table})")]
            if table in ("asked", "shown"):
                columns.remove("id")  # a row's number says nothing
            if table == "tossup" and not local:
                columns = [name for name in columns if name not in LOCAL]
            if table == "edit" and not local:
                columns.remove("kind")  # what undo makes of an edit is known on its writer's machine
            rows = db.execute(f"select {', '.join(columns)} from {table}").fetchall()
            at = (
                columns.index("id")
                if table == "tossup"
                else columns.index("tossup")
                if "tossup" in columns
                else None
            )
            if at is not None:
                rows = [(*row[:at], names[row[at]], *row[at + 1 :]) for row in rows]
            found[table] = sorted(rows, key=repr)
    return found


def empty(store):
    with connected(store) as db:
        for table in ("edit", "asked", "shown", "standing", "listed", "event", "person", "tossup"):
            db.execute(f"delete from {table}")


def by_tossup(branches):
    """``branches`` with those of one tossup together."""
    return sorted(branches, key=lambda branch: branch.root)


class Machine:
    """A store, and somebody who writes there by a clock of its own."""

    def __init__(self, store, name, skew):
        self.store, self.name, self.now = store, name, skew

    def clock(self):
        self.now += 1
        return self.now

    def session(self, key):
        if key in self.known():
            kept = self.store.load(key)
            return WritingSession(key, kept.tossup, seq=kept.seq, clock=self.clock, author=self.name)
        return WritingSession(key, clock=self.clock, author=self.name)

    def known(self):
        return [key for (key,) in select(self.store, "select id from tossup order by id")]

    def type(self, key, text, *, answer="keep", played=False):
        session = self.session(key)
        session.type(text)
        if answer != "keep":
            session.set_answer(answer)
        if played and session._seq:
            session._shown.append(
                RecordedPlay(session._seq, self.clock(), "ir", "d", (Guess("A", 1.0),), 1, 1, 1, "A", 1)
            )
        unsaved = session.take_unsaved()
        if unsaved is not None:
            self.store.save(unsaved)

    def say(self, key, body):
        self.store.add_events([Event.new(key, self.clock(), self.name, body)])

    def all(self):
        return list(self.store.branches(self.known())), list(self.store.people().values())

    def send(self, other):
        branches, people = self.all()
        return other.store.merge(by_tossup(branches), people)


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    opened = [Store(folder / f"{number}.db") for number in range(4)]
    yield opened
    for store in opened:
        store.close()


@pytest.fixture
def machines(stores):
    for store in stores:
        empty(store)
    return [
        Machine(store, name, skew) for store, name, skew in zip(stores, "abcd", (0, 50, 5, 9), strict=True)
    ]


letters = st.text("xy ", min_size=1, max_size=3)
who = st.integers(0, 2)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("type"), who, st.integers(0, 3), letters),
        st.tuples(st.just("answer"), who, st.integers(0, 3), letters),
        st.tuples(st.just("say"), who, st.integers(0, 3), letters),
        st.tuples(st.just("send"), who, who, st.just("")),
        st.tuples(st.just("adopt"), who, st.integers(0, 3), st.just("")),
    ),
    min_size=4,
    max_size=18,
)


def adopt(machine, key):
    """Let the branch ``key`` supersede the tossup's other branches."""
    head = machine.store.load(key).head
    others = machine.store.sibling_branches(key)
    events = [Event.new(other, machine.clock(), machine.name, Superseded(head)) for other in others]
    return machine.store.save_with_events({key: head}, None, events)


def happen(machines, todo):
    """Let ``todo`` happen; all that machines would have sent after each step."""
    sent = []
    for what, at, where, text in todo:
        machine = machines[at]
        keys = machine.known() or ["root"]
        key = keys[where % len(keys)]
        if what == "type":
            machine.type(key, text, played=len(text) > 1)
        elif what == "answer":
            machine.type(key, text, answer=Answer(text, None if text < "y" else text))
        elif what == "say" and key in machine.known():
            machine.say(key, Commented(text) if text < "x" else StatusSet(Status.READY))
        elif what == "send":
            machine.send(machines[where % 3])
        elif what == "adopt" and key in machine.known():
            adopt(machine, key)
        machine.store.save_person(Person(machine.name, text, "", machine.clock()))
        sent.append(machine.all())
    return sent


@settings(max_examples=25)
@given(todo=steps, seed=st.integers(0, 1000))
def test_any_order_any_repetition_and_any_subset_first_make_the_same_store(stores, todo, seed):
    for store in stores:
        empty(store)
    machines = [
        Machine(store, name, skew) for store, name, skew in zip(stores, "abc", (0, 50, 5), strict=False)
    ]
    sent = happen(machines, todo)
    target, draw, dumps = stores[3], random.Random(seed), []
    for _ in range(3):
        empty(target)
        order = sent + draw.choices(sent, k=2)
        draw.shuffle(order)
        for some, people in order:
            draw.shuffle(some)
            target.merge(by_tossup(some), people)
        dumps.append(dump(target, local=True))
        assert target.check() == ()

    assert dumps[1:] == dumps[:-1]
    from quizwriter.store.summaries import rebuild_columns

    with connected(target) as db:
        for (key,) in db.execute("select id from tossup").fetchall():
            rebuild_columns(db, key)
    assert dump(target, local=True) == dumps[0]


@settings(max_examples=20)
@example(todo=[("type", 0, 0, "xxx"), ("send", 0, 0, ""), ("type", 0, 0, "xx"), ("answer", 0, 0, "x")])
@example(
    todo=[
        ("type", 0, 0, "x"),
        ("type", 0, 0, "xx"),
        ("send", 2, 0, ""),
        ("type", 2, 0, "xx"),
        ("send", 2, 0, ""),
        ("type", 0, 0, "xx"),
    ]
)
@given(todo=steps)
def test_machines_that_have_told_each_other_everything_know_the_same(stores, todo):
    for store in stores:
        empty(store)
    machines = [
        Machine(store, name, skew) for store, name, skew in zip(stores, "abc", (0, 50, 5), strict=False)
    ]
    happen(machines, todo)
    for _ in range(2):
        for one in machines:
            for other in machines:
                one.send(other)

    assert dump(stores[0]) == dump(stores[1]) == dump(stores[2])
    assert [store.check() for store in stores] == [()] * 4


@settings(max_examples=6)
@given(todo=steps)
def test_no_edit_is_ever_lost(stores, todo):
    for store in stores:
        empty(store)
    machines = [
        Machine(store, name, skew) for store, name, skew in zip(stores, "abc", (0, 50, 5), strict=False)
    ]
    sent = happen(machines, todo)
    target = stores[3]
    for some, people in sent:
        target.merge(by_tossup(some), people)

    here = [whole for key in Machine(target, "", 0).known() for whole in target.branches([key])]
    for some, _ in sent:
        for one in some:
            assert any(other.covers(one) for other in here)


def test_a_tossup_comes_over_whole(machines):
    a, b, *_ = machines
    a.store.save_person(Person("a", "Ada", "ada@example.org", 1))
    a.type("root", "a lake", answer=Answer("Lake Baikal", "Lake_Baikal"), played=True)
    a.type("root", "a river", played=True)
    a.say("root", Commented("Which?"))
    came = a.send(b)

    assert came.outcomes == {"root": MergeOutcome.NEW}
    assert b.store.load("root").tossup == Tossup("a river", Answer("Lake Baikal", "Lake_Baikal"))
    for what in ("history", "recorded_plays", "answers", "events"):
        assert getattr(b.store, what)("root") == getattr(a.store, what)("root")
    assert b.store.people() == a.store.people()
    assert dump(b.store) == dump(a.store)


def test_what_goes_on_elsewhere_goes_on_here(machines):
    a, b, *_ = machines
    a.type("root", "a")
    a.send(b)
    b.type("root", "ab")

    assert b.send(a).outcomes == {"root": MergeOutcome.UPDATED}
    assert a.send(b).outcomes == {"root": MergeOutcome.UNCHANGED}
    assert a.store.load("root").tossup.text == "ab"


def diverged(machines):
    a, b, *_ = machines
    a.type("root", "lake")
    a.send(b)
    a.type("root", "a lake")
    b.type("root", "the lake")
    return a, b


def test_a_tossup_edited_in_two_places_becomes_two_branches_on_both_machines_alike(machines):
    a, b = diverged(machines)
    merged = b.send(a)

    assert merged.outcomes == {"root": MergeOutcome.BRANCHED}
    (other,) = a.store.sibling_branches("root")
    assert a.store.load("root").tossup.text == "a lake"
    assert a.store.load(other).tossup.text == "the lake"
    a.send(b)
    (other,) = b.store.sibling_branches("root")
    assert b.store.load("root").tossup.text == "the lake"  # everybody's own branch stays where it is
    assert b.store.load(other).tossup.text == "a lake"
    assert dump(a.store) == dump(b.store)


def test_what_was_said_of_a_branch_goes_with_it_and_what_was_said_before_is_of_both(machines):
    a, b, *_ = machines
    a.type("root", "lake")
    a.say("root", Commented("Before."))
    a.send(b)
    a.type("root", "a lake")
    b.type("root", "the lake")
    b.say("root", StatusSet(Status.READY))
    b.send(a)
    (other,) = a.store.sibling_branches("root")

    assert fold_events(a.store.events("root")).status is Status.DRAFT
    assert fold_events(a.store.events(other)).status is Status.READY
    for key in ("root", other):
        assert [one.event.body.text for one in fold_events(a.store.events(key)).comments] == ["Before."]


def test_a_branch_can_be_written_on_and_is_told_apart_from_then_on(machines):
    a, b = diverged(machines)
    b.send(a)
    a.send(b)
    (other,) = a.store.sibling_branches("root")
    (others,) = b.store.sibling_branches("root")
    a.type(other, "the lakes")
    b.type(others, "a lake!")
    a.send(b)
    b.send(a)

    assert dump(a.store) == dump(b.store)
    assert {a.store.load(key).tossup.text for key in a.known()} == {"the lakes", "a lake!"}


def test_joining_by_hand_keeps_the_other_branch_as_superseded(machines):
    a, b = diverged(machines)
    b.send(a)
    (other,) = a.store.sibling_branches("root")
    events = adopt(a, other)

    assert [one.tossup_id for one in a.store.tossups()] == [other]
    assert a.store.load("root").tossup.text == "a lake"
    a.send(b)
    assert [one.opening for one in b.store.tossups()] == ["the lake"]
    a.say("root", TakenBack(tuple(event.id for event in events)))
    assert len(a.store.tossups()) == 2


def test_a_superseded_branch_that_somebody_goes_on_with_comes_back(machines):
    a, b = diverged(machines)
    b.send(a)
    (other,) = a.store.sibling_branches("root")
    adopt(a, "root")
    b.type("root", "the lakes")
    b.send(a)

    assert {one.opening for one in a.store.tossups()} == {"a lake", "the lakes"}
    assert a.store.sibling_branches("root") == (other,)


def test_of_two_answers_the_later_holds_and_that_is_said(machines):
    a, b, *_ = machines
    a.type("root", "lake", answer=Answer("Ladoga"))
    a.send(b)
    b.type("root", "lake", answer=Answer("Onega"))
    a.type("root", "lake", answer=Answer("Baikal"))

    assert b.send(a).answered == ["root"]
    assert a.send(b).answered == []
    assert a.store.load("root").tossup.answer == Answer("Onega")
    assert [one.answer.line for one in a.store.answers("root")] == ["Ladoga", "Baikal", "Onega"]


@pytest.mark.parametrize("change", [("lake, deep", "keep"), ("lake", Answer("Onega"))])
def test_what_a_pack_changes_of_an_accepted_tossup_is_said_until_it_is_accepted_again(machines, change):
    a, b, c, _ = machines
    b.type("root", "lake", answer=Answer("Ladoga"))
    b.send(a)
    b.send(c)
    a.say("root", StatusSet(Status.ACCEPTED))  # by a clock that is behind b's
    assert a.store.release_states()[0].changed_since is False
    a.send(c)
    b.type("root", change[0], answer=change[1])

    merged = b.send(a)
    assert merged.changed_accepted == ["root"]
    assert a.store.release_states()[0].changed_since
    told = merge_sentence(0, 1, 0, 0, answered=0, left_out=0, changed_accepted=len(merged.changed_accepted))
    assert told.endswith("will not be released until you unlock it and accept it again.")
    assert b.send(a).changed_accepted == []  # it was said

    for status in (Status.EDITED, Status.PROOFREAD, Status.ACCEPTED):
        a.say("root", StatusSet(status))
    assert not a.store.release_states()[0].changed_since
    assert a.send(c).changed_accepted == []  # the change comes with its acceptance


def test_where_the_writer_was_goes_along(machines):
    a, b = diverged(machines)
    b.store.save(PendingSave("root", "the lake", None, 5, 999))
    a.send(b)

    assert b.store.load("root").cursor == 5
    assert b.store.last() == "root"


def test_a_merge_that_fails_in_the_middle_leaves_nothing(machines):
    a, b, *_ = machines
    a.type("one", "a")
    a.type("two", "b")

    def breaking():
        branches, _ = a.all()
        yield branches[0]
        raise QuizwriterError("The pack is damaged.", "Get it again.")

    before = dump(b.store)
    with pytest.raises(QuizwriterError, match="damaged"):
        b.store.merge(breaking(), [Person("a")])
    assert dump(b.store) == before


def test_an_altered_event_of_an_older_program_does_not_block_the_genuine_one(machines):
    """Its random id says nothing; every machine decides in the same way which of the two stays."""
    a, b, c, _ = machines
    a.type("root", "a")
    (branch,), _ = a.all()
    old = Event("0" * 32, "root", 5, "ada", Commented("Yes."), 1, branch.head)
    genuine = replace(branch, events=(old,))
    altered = replace(branch, events=(replace(old, body=Commented("No.")),))

    for machine, order in ((b, [genuine, altered]), (c, [altered, genuine])):
        for one in order:
            machine.store.merge([one])
    assert b.store.events("root") == c.store.events("root")
    assert len(b.store.events("root")) == 1


def test_an_altered_copy_cannot_take_a_refusal_away(machines):
    a, b, c, _ = machines
    a.type("root", "a")
    (branch,), _ = a.all()
    no = Event("0" * 32, "root", 5, a.name, ConsentGiven(Consent.NO), 1, branch.head)
    for number, body in enumerate([ConsentGiven(Consent.YES), Commented("No."), TakenBack(("x",))]):
        altered = replace(no, body=body)
        for machine, order in ((b, [no, altered]), (c, [altered, no])):
            machine.store.merge([replace(branch, events=(one,)) for one in order])
            assert machine.store.review_of("root").consent is Consent.NO, number


def test_kinds_stay_with_their_edits_when_others_are_merged(tmp_path):
    """They are known here only, and what comes back from an editor has none."""
    with closing(Store(tmp_path / "mine.db")) as mine, closing(Store(tmp_path / "editor.db")) as editors:
        session = WritingSession("one", clock=lambda: 1)
        session.type("a")
        session.undo_log.end_step()
        session.type("ab")
        session.undo()
        mine.save(session.take_unsaved())
        editors.merge(mine.branches(["one"]))
        kept = editors.load("one")
        theirs = WritingSession("one", kept.tossup, seq=kept.seq, head=kept.head, clock=lambda: 9_999)
        theirs.type("ac")
        editors.save(theirs.take_unsaved())
        bare = [
            Branch.of(
                branch.root,
                branch.created_ms,
                [Change(one.seq, one.at_ms, one.edit, one.author) for one in branch.changes],
                branch.answers,
            )
            for branch in editors.branches(["one"])
        ]
        mine.merge(bare)

        assert [change.kind for change in mine.history("one")] == [
            EditKind.FIRST,
            EditKind.FIRST,
            EditKind.UNDO,
            EditKind.UNKNOWN,
        ]
        assert mine.check() == ()
