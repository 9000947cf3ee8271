"""The database: events, who and when, and what lists sort by."""

import lzma
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from quizwriter.domain.events import Event
from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit, edit_ids
from quizwriter.domain.review import (
    Categorised,
    Commented,
    Person,
    PutInSet,
    Resolved,
    Status,
    StatusSet,
    Superseded,
    TakenBack,
    WrittenBy,
)
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.store.refusals import DamagedDatabaseError
from quizwriter.store.schema import Database, migrations
from quizwriter.store.store import Store
from quizwriter.workflow.session import AnswerChange, PendingSave, RecordedPlay, WritingSession
from tests.helpers.database import connected, select
from tests.helpers.made_histories import fill

BAIKAL = Answer("Lake Baikal", "Lake_Baikal")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "quizwriter.db"


@pytest.fixture
def store(path):
    with closing(Store(path)) as opened:
        yield opened


def saving(*versions, key="one", answer=None, at_ms=1, author="ada"):
    session = WritingSession(key, clock=lambda: at_ms, author=author)
    for text in versions:
        session.type(text)
    session.set_answer(answer)
    return session.take_unsaved()


def happens(body, key="one", at_ms=5, author="ben"):
    return Event.new(key, at_ms, author, body)


def row(store, key="one"):
    with connected(store) as db:
        cursor = db.execute("select * from listed where tossup = ?", [key])
        return dict(zip([name for name, *_ in cursor.description], cursor.fetchone(), strict=True))


def listed_anew(store):
    """All that lists show, as it follows from the rest."""
    from quizwriter.store.summaries import rebuild_columns

    with connected(store) as db:
        for one in db.execute("select id from tossup").fetchall():
            rebuild_columns(db, *one)
    return listed(store)


def listed(store):
    return [select(store, f"select * from {table} order by 1, 2") for table in ("listed", "standing")]


def test_events_come_back_in_order_and_after_the_last_edit(store):
    store.save(saving("a lake", "a river"))
    first, second = happens(StatusSet(Status.READY)), happens(Commented("Which?"))
    store.add_events([first])
    store.add_events([second])

    found = store.events("one")
    assert [(event.id, event.body) for event in found] == [(event.content_id, event.body) for event in found]
    assert [event.id[:33] for event in found] == [f"{first.id}-", f"{second.id}-"]
    assert [event.body for event in found] == [first.body, second.body]
    assert {(event.seq, event.after) for event in found} == {(2, edit_ids("one", store.history("one"))[-1])}
    assert found[0].at_ms < found[1].at_ms  # though the clock stood still


def test_an_event_is_recorded_once(store):
    store.save(saving("a"))
    event = happens(StatusSet(Status.READY))

    assert len(store.add_events([event, event])) == 1
    assert store.add_events([event]) == ()
    assert len(store.events("one")) == 1


def test_events_are_recorded_all_or_none(store):
    store.save(saving("a"))
    with pytest.raises(QuizwriterError, match="not in the database"):
        store.add_events([happens(StatusSet(Status.READY)), happens(StatusSet(Status.READY), key="none")])

    assert store.events("one") == ()
    assert row(store)["status"] == "draft"


@pytest.mark.parametrize("text", ["word " * 20_001, "word " * 300_000, "half a pair: \ud83d"])
def test_what_nobody_could_read_again_is_refused_and_the_database_is_not_called_damaged(store, text):
    store.save(saving("Here"))
    with pytest.raises(QuizwriterError, match="Nothing was recorded") as refused:
        store.add_events([happens(Commented(text))])

    assert not isinstance(refused.value, DamagedDatabaseError)
    assert store.events("one") == ()
    assert store.add_events([happens(Commented("word " * 19_999))])


def test_lists_show_where_a_tossup_stands(store):
    store.save(saving("This (*) lake freezes", answer=BAIKAL))
    *_, comment = store.add_events(
        [
            happens(StatusSet(Status.READY), at_ms=9),
            happens(Categorised(("Geography", "Lakes"))),
            happens(PutInSet("Winter Open")),
            happens(Commented("Is it?")),
        ]
    )

    shown = row(store)
    assert shown["status"] == "ready"
    assert (shown["status_ms"], shown["status_seq"], shown["locked"]) == (9, 1, 0)
    assert (shown["category"], shown["subcategory"], shown["topic"]) == ("Geography", "Lakes", "")
    assert (shown["set_name"], shown["author"], shown["comments"]) == ("Winter Open", "ada", 1)
    assert (shown["words"], shown["power"]) == (3, 1)
    store.add_events([happens(WrittenBy("ben"), author="ada"), happens(Resolved(comment.id))])
    assert (row(store)["author"], row(store)["comments"]) == ("ben", 0)


def test_a_taken_back_status_is_the_one_before(store):
    store.save(saving("a"))
    (event,) = store.add_events([happens(StatusSet(Status.READY))])
    store.add_events([happens(TakenBack((event.id,)))])

    assert row(store)["status"] == "draft"


def test_an_accepted_tossup_takes_no_edits_until_it_is_unlocked_and_then_all(store):
    session = WritingSession("one", author="ada")
    session.type("a lake")
    store.save(session.take_unsaved())
    store.add_events([happens(StatusSet(Status.ACCEPTED))])
    assert store.load("one").locked
    session.type("a river")
    unsaved = session.take_unsaved()
    with pytest.raises(QuizwriterError, match="accepted"):
        store.save(unsaved)
    assert store.load("one").tossup == Tossup("a lake")

    store.add_events([happens(StatusSet(Status.EDITED, "A typo."))])
    store.save(unsaved)
    assert store.load("one").tossup == Tossup("a river")


def test_an_accepted_tossup_takes_no_other_answer_but_can_be_opened_and_played(store):
    store.save(saving("a lake"))
    store.add_events([happens(StatusSet(Status.ACCEPTED))])
    with pytest.raises(QuizwriterError, match="accepted"):
        store.save(PendingSave("one", "a lake", BAIKAL, 0, 9))

    shown = RecordedPlay(1, 9, "ir", "digest", (Guess("Lake_Baikal", 1.0),), None, None, None, None, 2)
    store.save(PendingSave("one", "a lake", None, 3, 9, shown=(shown,)))
    assert store.load("one").cursor == 3
    assert store.recorded_plays("one") == (replace(shown, knowable=False),)  # no answer was ever set


def test_what_was_asked_and_shown_comes_back(store):
    shown = RecordedPlay(
        1, 5, "ir", "digest", (Guess("Été", 1.5), Guess("Ladoga", 1.0)), 3, 4, 2, "Ladoga", 9
    )
    store.save(
        PendingSave("one", "a", BAIKAL, 0, 7, (Change(1, 1, Edit(0, "", "a")),), (shown,), author="ada")
    )
    store.save(PendingSave("one", "a", None, 0, 6, author="ben"))

    assert store.recorded_plays("one") == (replace(shown, answer_key=BAIKAL.key),)
    assert store.answers("one") == (AnswerChange(1, 7, BAIKAL, "ada"), AnswerChange(1, 8, None, "ben"))


def test_every_edit_says_who_made_it(store):
    store.save(saving("a", author="ada"))
    kept = store.load("one")
    session = WritingSession("one", kept.tossup, seq=kept.seq, author="ben")
    session.type("ab")
    store.save(session.take_unsaved())

    assert [change.author for change in store.history("one")] == ["ada", "ben"]
    assert row(store)["author"] == "ada"


def opened(store, key="one", at_ms=50):
    kept = store.load(key)
    return WritingSession(
        key, kept.tossup, seq=kept.seq, head=kept.head, cursor=kept.cursor, clock=lambda: at_ms, author="ada"
    )


def texts(store):
    return {store.load(key).tossup.text for key in store.expand_branches()}


def test_what_is_typed_where_the_tossup_was_changed_meanwhile_becomes_a_branch(store):
    store.save(saving("a lake"))
    one, other = opened(store), opened(store, at_ms=60)
    one.type("a river")
    store.save(one.take_unsaved())
    other.type("the lake")
    other._shown = [game(other._seq, None, right=False)]
    other.set_answer(BAIKAL)
    store.save(other.take_unsaved())

    assert texts(store) == {"a river", "the lake"}
    (branch,) = store.sibling_branches("one")
    assert store.load(branch).tossup == Tossup("the lake", BAIKAL)
    assert store.load("one").tossup.answer is None
    assert [shown.seq for shown in store.recorded_plays(branch)] == [2]
    assert store.check() == ()


def test_both_sessions_go_on_in_their_branches(store):
    store.save(saving("a lake"))
    one, other = opened(store), opened(store, at_ms=40)  # whose edit is earlier, but not here
    one.type("a river")
    store.save(one.take_unsaved())
    other.type("the lake")
    store.save(other.take_unsaved())
    one.type("a river!")
    store.save(one.take_unsaved())
    other.type("the lakes")
    other.move_cursor(4)
    store.save(other.take_unsaved())

    assert texts(store) == {"a river!", "the lakes"}
    assert store.load("one").tossup.text == "a river!"
    (branch,) = store.sibling_branches("one")
    assert store.load(branch).cursor == 4
    assert store.check() == ()


def test_what_was_only_looked_at_changes_nothing_of_what_was_changed_meanwhile(store):
    store.save(saving("a lake", answer=BAIKAL))
    one, other = opened(store), opened(store)
    one.type("a river")
    one.set_answer(None)
    store.save(one.take_unsaved())
    other.move_cursor(2)
    other._shown = [game(1, 5)]
    store.save(other.take_unsaved())

    assert store.load("one").tossup == Tossup("a river")
    assert store.expand_branches() == ("one",)
    assert [shown.seq for shown in store.recorded_plays("one")] == [1]
    assert store.check() == ()


def test_an_answer_set_where_the_tossup_was_changed_meanwhile_is_kept(store):
    store.save(saving("a lake"))
    one, other = opened(store), opened(store, at_ms=60)
    one.type("a river")
    store.save(one.take_unsaved())
    other.set_answer(BAIKAL)
    store.save(other.take_unsaved())

    assert store.load("one").tossup == Tossup("a river", BAIKAL)
    assert [asked.seq for asked in store.answers("one")] == [1]


def test_edits_of_a_draft_that_the_database_has_lost_are_a_branch(store):
    store.save(saving("a lake"))
    session = WritingSession("one", Tossup("a lake"), seq=1, head="unknown")
    session.type("a river")

    branch = store.save(session.take_unsaved())
    assert branch == "one", "the same text was there"
    assert store.load("one").tossup == Tossup("a river")


def test_the_newest_name_of_a_person_counts(store):
    for person in (Person("p", "Ada", "a@b.org", 2), Person("p", "A.", "", 1), Person("q", "Ben")):
        store.save_person(person)

    assert store.people() == {"p": Person("p", "Ada", "a@b.org", 2), "q": Person("q", "Ben")}


def test_a_superseded_branch_is_not_listed_until_it_is_edited(store):
    store.save(saving("a"))
    store.add_events([happens(Superseded("other"))])
    assert store.tossups() == ()

    session = WritingSession("one", Tossup("a"), seq=1)
    session.type("ab")
    store.save(session.take_unsaved())
    assert [one.tossup_id for one in store.tossups()] == ["one"]


def game(seq, buzz, words=20, right=True, guesser="ir", engine="digest"):
    page = "Lake_Baikal" if right else "Ladoga"
    first = buzz if right else None
    return RecordedPlay(
        seq, seq, guesser, engine, (Guess(page, 1.0),), first, first, buzz, buzz and page, words
    )


def test_lists_know_each_players_last_game_and_how_far_an_edit_moved_a_buzz(store):
    session = WritingSession("one", clock=lambda: 1)
    for seq, games in enumerate(
        [
            [game(1, 5), game(1, 9, guesser="dan")],
            [game(2, 12), game(2, None, guesser="dan", right=False)],
            [game(3, 11), game(3, 3, guesser="dan", engine="another", right=False)],
        ],
        start=1,
    ):
        session.type("a" * seq)
        session.set_answer(BAIKAL)
        session._shown = games
        store.save(session.take_unsaved())

    (shown,) = store.queue_rows(["one"])
    assert (shown.able, shown.stumped, shown.shift) == (2, 1, 11)  # DAN: from 9 to the end, 20
    standing = select(
        store, "select guesser, seq, first_correct, buzz_heard, buzz_right from standing order by guesser"
    )
    assert standing == [("dan", 3, None, 3, 0), ("ir", 3, 11, 11, 1)]
    before = listed(store)
    assert listed_anew(store) == before


def test_what_lists_show_is_the_same_kept_up_or_made_anew(store):
    fill(store, 12, seed=3)

    before = listed(store)
    assert listed_anew(store) == before
    assert store.check() == ()


def old_database(path):
    """A database as the first version made it, with two tossups."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        migrations.apply(Database(database), stop_before="0002_review")
        database.executescript("""
            insert into tossup values ('one', 'Lake Baikal', 'Lake_Baikal', 'a lake!', 2, 3, 10, 40);
            insert into tossup values ('two', '', null, '', 0, 0, 20, 20);
            insert into edit values ('one', 1, 10, 0, '', 'lake');
            insert into edit values ('one', 2, 20, 0, '', 'a ');
            insert into edit values ('one', 3, 30, 6, '', '!');
            insert into asked values (1, 'one', 15, 'Ladoga', null);
            insert into asked values (2, 'one', 30, 'Lake Baikal', 'Lake_Baikal');
            insert into shown
            values (1, 'one', 2, 25, 'ir', 'd', 2, 1, 1, 1, 'Lake_Baikal', '[["Lake_Baikal", 1]]');
        """)


def test_a_database_of_the_first_version_comes_over_without_loss(path):
    old_database(path)
    with closing(Store(path)) as store:
        assert store.check() == ()
        kept = store.load("one")
        assert (kept.tossup, kept.seq, kept.cursor) == (Tossup("a lake!", BAIKAL), 3, 3)
        assert [change.edit for change in store.history("one")] == [
            Edit(0, "", "lake"),
            Edit(0, "", "a "),
            Edit(6, "", "!"),
        ]
        assert [change.author for change in store.history("one")] == [""] * 3
        assert store.answers("one") == (AnswerChange(1, 15, Answer("Ladoga")), AnswerChange(3, 30, BAIKAL))
        assert [shown.seq for shown in store.recorded_plays("one")] == [2]
        assert [(one.tossup_id, one.changed_ms) for one in store.tossups()] == [("one", 30), ("two", 20)]
        assert store.last() == "one"
        assert row(store)["status"] == "draft"
        (listed,) = store.queue_rows(["one"])
        assert listed.games["ir"].knowable
        assert (listed.able, listed.games["ir"].outdated) == (
            0,
            True,
        )  # it is of the text before the last edit
        session = WritingSession("one", kept.tossup, seq=kept.seq, author="ada")
        session.type("a lake")
        store.save(session.take_unsaved())
        store.add_events([happens(StatusSet(Status.READY))])
        assert fold_events(store.events("one")).status is Status.READY
        assert store.check() == ()
    with closing(Store(path)) as store:
        assert store.load("one").seq == 4


def test_a_place_that_is_no_text_refuses_the_event_with_a_sentence(store):
    store.save(saving("A text."))
    with connected(store) as db:
        db.execute("update tossup set head = cast(x'ff00' as text)")

    with pytest.raises(QuizwriterError, match="head"):
        store.add_events([replace(happens(PutInSet("Spring")), after="")])


def test_a_database_whose_tables_are_not_those_of_its_version_is_not_updated(tmp_path):
    data = Path(__file__).parents[1] / "data" / "databases"
    path = tmp_path / "old.db"
    path.write_bytes(lzma.decompress((data / "0001-62cbc3f.db.xz").read_bytes()))
    with closing(sqlite3.connect(path)) as db:
        db.execute("alter table edit add column kind text")

    with pytest.raises(QuizwriterError, match="cannot be updated"):
        Store(path)


def test_a_damaged_game_is_said_where_a_history_is_told(tmp_path):
    with App(tmp_path) as app:
        fill(app.store, 1, seed=1)
        (key,) = (one.tossup_id for one in app.tossups.summaries())
        with connected(app.store) as db:
            db.execute("update shown set top = '[[nonsense'")

        with pytest.raises(QuizwriterError, match="A game of tossup"):
            app.transfer.history_json(key)


def test_where_a_tossup_stands_is_the_review_without_its_comments(store):
    store.save(saving("a lake", "a river"))
    store.add_events([happens(Commented("Which?"), at_ms=5), happens(StatusSet(Status.READY), at_ms=6)])
    whole = store.review_of("one")

    assert whole.comments
    assert store.standing_of("one") == replace(whole, comments=())


def test_comments_share_the_names_of_their_author_and_are_let_go(store):
    store.save(saving("A river."))
    count = 200
    store.add_events([Event.new("one", 4, "ben", Commented("Too easy.", 1, 0, 7))])
    store.review_of("one")  # what the first comment leaves for all
    tracemalloc.start()
    try:
        said = [Commented(f"I think that this is too easy, number {at}.", 1, 0, 7) for at in range(count)]
        store.add_events([Event.new("one", 5, "ben", one) for one in said])
        del said
        review = store.review_of("one")
        held, _ = tracemalloc.get_traced_memory()
        assert len(review.comments) == count + 1
        assert held / count < 700  # bytes; 500, and 980 where the names and the bodies were kept beside
        del review
        assert tracemalloc.get_traced_memory()[0] / count < 100
    finally:
        tracemalloc.stop()
