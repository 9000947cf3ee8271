"""A damaged database rescued: everything that can be read comes back, and the rest is listed."""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import Commented, Status, StatusSet
from quizwriter.errors import QuizwriterError
from quizwriter.store import merging
from quizwriter.store.database import COLUMNS
from quizwriter.store.rescue import RescueState, rescue
from quizwriter.store.store import Store
from quizwriter.workflow.branches import Branch
from tests.helpers.database import connected, select
from tests.helpers.made_histories import fill
from tests.store.test_damage import ROWS, damage

PAGE = 4096


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A database of five tossups with histories, closed; and its tossups, by id."""
    path = tmp_path_factory.mktemp("made") / "quizwriter.db"
    store = Store(path)
    keys = fill(store, 5, seed=5)
    with connected(store) as db:
        for table in ("shown", "standing"):
            db.execute(f"update {table} set possible = 1 where first_correct is null")
    store.add_events(Event.new(key, 1, "", StatusSet(Status.READY)) for key in keys)
    store.put_item("filter", "mine", "{}")
    before = {key: snapshot(store, key) for key in keys}
    store.close()
    return path, before


@pytest.fixture
def path(made, tmp_path):
    return shutil.copyfile(made[0], tmp_path / "quizwriter.db")


def snapshot(store, key):
    """Everything of a tossup."""
    return (
        store.load(key).tossup,
        store.load(key).head,
        store.history(key),
        store.answers(key),
        frozenset(store.game_rows(key)),  # those of one moment have no order
        store.events(key),
    )


def rescued(path):
    """What comes back of the database at ``path``: the report, and the new database, open."""
    before = {file: hashlib.sha256(file.read_bytes()).digest() for file in path.parent.glob("quizwriter*")}
    report = rescue(path, path.with_name("rescued.db"))
    assert before == {
        file: hashlib.sha256(file.read_bytes()).digest() for file in path.parent.glob("quizwriter*")
    }
    assert not [file for file in path.parent.iterdir() if file.name.startswith(".")]
    store = Store(path.with_name("rescued.db"))
    assert store.check() == ()
    return report, store


def states(report):
    return {one.tossup_id: one.state for one in report.tossups}


def test_a_sound_database_comes_back_whole_with_every_row(path, made):
    report, store = rescued(path)
    with closing(store), closing(Store(path)) as old:
        assert set(states(report).values()) == {RescueState.WHOLE}
        assert report.sentence == "5 tossups rescued completely, 0 in part, and 0 are lost."
        assert report.bad_pages == 0
        for table, columns in COLUMNS.items():
            names = ", ".join(column for column in columns.split() if column != "id" or table in ("event",))
            names = names.replace("words, cursor, created_ms, changed_ms, ", "words, cursor, created_ms, ")
            rows = f"select {names} from {table} order by {names}"
            assert select(store, rows) == select(old, rows), table


def test_what_is_only_in_the_log_comes_back(path):
    with closing(Store(path)) as store:
        fill(store, 9, seed=5)
        shutil.copyfile(path, path.with_name("quizwriter-2.db"))
        shutil.copyfile(f"{path}-wal", path.with_name("quizwriter-2.db-wal"))
    report, store = rescued(path.with_name("quizwriter-2.db"))
    store.close()
    assert len(report.tossups) == 9
    assert report.count(RescueState.WHOLE) == 9


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9])
def test_a_cut_log_counts_up_to_its_last_whole_saving(path, kept):
    cut = path.with_name("quizwriter-2.db")
    with closing(Store(path)) as store:
        fill(store, 9, seed=5)
        shutil.copyfile(path, cut)
        with open(f"{path}-wal", "rb") as log:
            whole = log.read()
        cut.with_name(f"{cut.name}-wal").write_bytes(whole[: int(len(whole) * kept)])
    report, store = rescued(cut)
    store.close()
    with closing(Store(cut)) as sqlite:
        assert set(states(report)) == set(sqlite.expand_branches())
    assert set(states(report).values()) == {RescueState.WHOLE}


@pytest.mark.parametrize("statement", ROWS.values(), ids=ROWS)
def test_a_damaged_row_costs_only_what_it_held(path, made, statement):
    before = made[1]
    hurt = list(before)[3]
    damage(path, (statement, [hurt]))
    report, store = rescued(path)
    with closing(store):
        for key, whole in before.items():
            if key != hurt:
                assert states(report)[key] is RescueState.WHOLE
                assert snapshot(store, key) == whole
        text = store.load(hurt).tossup.text
        if "text" not in statement.partition("set ")[2].partition("=")[0]:
            assert text == before[hurt][0].text
        history = store.history(hurt)
        if states(report)[hurt] is RescueState.PART:
            assert history[:1] == before[hurt][2][:1] or "seq = 1" in statement


def test_a_text_that_its_history_leads_to_comes_back_exactly(path, made):
    hurt = list(made[1])[3]
    damage(path, (ROWS["bytes in the text"], [hurt]))
    report, store = rescued(path)
    with closing(store):
        assert states(report)[hurt] is RescueState.WHOLE
        assert snapshot(store, hurt) == made[1][hurt]


def test_without_its_row_a_tossup_comes_back_from_its_edits(path, made):
    hurt = list(made[1])[3]
    damage(path, ("pragma foreign_keys = off", []), ("delete from tossup where id = ?", [hurt]))
    damage(path, ("vacuum", []))  # or the deleted row would still be found
    report, store = rescued(path)
    with closing(store):
        (one,) = (one for one in report.tossups if one.tossup_id == hurt)
        assert one.state is RescueState.PART
        assert one.missing == ("The text was rebuilt from its edits.",)
        assert snapshot(store, hurt)[2] == made[1][hurt][2]
        assert store.load(hurt).tossup.text == made[1][hurt][0].text


def test_an_edit_of_an_older_state_is_not_taken_for_the_edit_that_came_after(path, made):
    damage(
        path,
        ("pragma legacy_alter_table = on", []),  # views may look for the table meanwhile
        ("create table loose as select * from edit", []),
        ("update loose set inserted = 'an older state'", []),
        ("insert into loose select * from edit", []),
        ("drop table edit", []),
        ("alter table loose rename to edit", []),
    )
    report, store = rescued(path)
    with closing(store):
        assert report.count(RescueState.WHOLE) == 5
        assert {key: snapshot(store, key) for key in made[1]} == made[1]


def test_a_branch_without_its_row_comes_back_as_a_branch(path, made):
    """The id of its first edit says of which tossup it is one."""
    root = list(made[1])[3]
    fork = Branch.of(root, 1, [Change(1, 2, Edit(0, "", "Another"))])
    with closing(Store(path)) as store, connected(store) as db:
        db.execute("begin")
        merging.merge(db, [fork])
    damage(
        path, ("pragma foreign_keys = off", []), ("delete from tossup where id <> root", []), ("vacuum", [])
    )
    report, store = rescued(path)
    with closing(store), connected(store) as db:
        (one,) = (one for one in report.tossups if one.state is RescueState.PART)
        assert merging.read_branch(db, one.tossup_id).changes == fork.changes
        assert set(store.expand_branches([root])) == {root, one.tossup_id}


def test_analyses_of_edits_that_are_lost_are_counted_and_left_out(path, made):
    with closing(Store(path)) as store:
        hurt = next(key for key in made[1] if select(store, f"select 1 from shown where tossup = '{key}'"))
    damage(
        path,
        ("delete from edit where tossup = ? and seq > 1", [hurt]),
        ("update shown set seq = 9 where tossup = ?", [hurt]),
        ("vacuum", []),
    )
    report, store = rescued(path)
    with closing(store):
        assert states(report)[hurt] is RescueState.PART
        assert f"Players' analyses that are lost: {len(made[1][hurt][4])}." in " ".join(report.lines)
        assert select(store, f"select * from shown where tossup = '{hurt}'") == []


def test_without_its_edits_a_tossup_comes_back_with_its_text(path, made):
    hurt = list(made[1])[3]
    with closing(Store(path)) as store:
        store.add_events([Event.new(hurt, 2, "", Commented("Good", quoted=""))])
    damage(path, ("delete from edit where tossup = ?", [hurt]), ("vacuum", []))
    report, store = rescued(path)
    with closing(store):
        (one,) = (one for one in report.tossups if one.tossup_id == hurt)
        assert one.missing[0] == "The text is there without its history."
        assert store.load(hurt).tossup == made[1][hurt][0]
        assert len(store.history(hurt)) == 1
        assert [event.body for event in store.events(hurt)][-1] == Commented("Good", quoted="")


def test_a_tossup_of_which_only_the_list_knows_is_listed_as_lost(path, made):
    hurt = list(made[1])[3]
    tables = ("edit", "asked", "shown")
    damage(
        path,
        ("pragma foreign_keys = off", []),
        *((f"delete from {table} where tossup = ?", [hurt]) for table in tables),
        ("delete from tossup where id = ?", [hurt]),
        ("vacuum", []),
    )
    report, store = rescued(path)
    store.close()
    assert states(report)[hurt] is RescueState.LOST
    assert report.sentence.endswith("and 1 is lost.")


@pytest.mark.parametrize("seed", range(4))
def test_overwritten_pages_cost_only_what_they_held(path, made, seed):
    dice = random.Random(seed)
    raw = bytearray(path.read_bytes())
    pages = len(raw) // PAGE
    for number in dice.sample(range(pages), 3 if seed else 1):  # with seed 0 it is one page
        number = 0 if not seed else number
        raw[number * PAGE : (number + 1) * PAGE] = dice.randbytes(PAGE) if seed % 2 else bytes(PAGE)
    path.write_bytes(raw)
    report, store = rescued(path)
    with closing(store):
        found = states(report)
        for key, whole in made[1].items():
            if found.get(key) is RescueState.WHOLE:
                assert snapshot(store, key)[:3] == whole[:3]
        assert sum(found.get(key) is not None for key in made[1]) >= 4


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_of_a_truncated_file_the_beginning_comes_back(path, made, share):
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * share)])
    if share == 0.05:
        with pytest.raises(QuizwriterError, match=r"Nothing in .* can be read as a tossup"):
            rescue(path, path.with_name("rescued.db"))
        return
    report, store = rescued(path)
    with closing(store):
        for key, state in states(report).items():
            if state is RescueState.WHOLE:
                assert snapshot(store, key)[:3] == made[1][key][:3]


def test_what_a_foreign_database_would_run_is_not_run(path, made):
    damage(
        path,
        ("create trigger t after insert on edit begin delete from tossup; end", []),
        ("create view v as select * from tossup", []),
        ("create virtual table f using fts5(x)", []),
    )
    with pytest.raises(QuizwriterError, match="a trigger"):
        Store(path)
    report, store = rescued(path)
    with closing(store):
        assert report.count(RescueState.WHOLE) == 5
        assert select(store, "select name from sqlite_master where name in ('t', 'v', 'f')") == []


def test_a_database_without_its_tables_of_lists_comes_back_whole(path, made):
    damage(path, ("drop table listed", []), ("drop table standing", []))
    report, store = rescued(path)
    with closing(store):
        assert report.count(RescueState.WHOLE) == 5
        assert {key: snapshot(store, key) for key in made[1]} == made[1]


def test_a_file_that_is_there_is_not_written_over(path):
    with pytest.raises(QuizwriterError, match="is there already"):
        rescue(path, path)
    other = path.with_name("other")
    other.write_bytes(b"no database")
    with pytest.raises(QuizwriterError, match="can be read as a tossup"):
        rescue(other, path.with_name("new.db"))
    assert not path.with_name("new.db").exists()


@pytest.mark.parametrize("seed", range(6))
def test_no_damage_ends_in_a_traceback(path, seed):
    dice = random.Random(f"noise {seed}")
    raw = bytearray(path.read_bytes())
    for _ in range(400):
        raw[dice.randrange(100 if seed % 3 else 0, len(raw))] = dice.randrange(256)
    path.write_bytes(raw)
    report, store = rescued(path)
    store.close()
    assert report.tossups


def test_databases_of_the_first_version_are_rescued(tmp_path):
    import lzma
    from pathlib import Path

    for packed in sorted((Path(__file__).parents[1] / "data" / "databases").glob("*.xz")):
        folder = tmp_path / packed.name
        folder.mkdir()
        old = folder / "quizwriter.db"
        old.write_bytes(lzma.decompress(packed.read_bytes()))
        with closing(sqlite3.connect(old)) as db:
            texts = dict(db.execute("select id, text from tossup"))
        report, store = rescued(old)
        with closing(store):
            assert {key: store.load(key).tossup.text for key in texts} == texts
            assert set(states(report).values()) == {RescueState.WHOLE}, report.lines
