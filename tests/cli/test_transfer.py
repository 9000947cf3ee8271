"""``quizwriter pack``, ``quizwriter merge`` and ``quizwriter branches``."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing

import pytest

from quizwriter.cancellation import Cancellation
from quizwriter.cli import main
from quizwriter.formats.archive import Pack
from quizwriter.services.transfer import merge_report_sentence
from quizwriter.services.wiring import App
from quizwriter.workflow.session import WritingSession


def test_what_was_packed_is_merged_into_another_store(command, made, tmp_path):
    pack, other = tmp_path / "set.qwpack", tmp_path / "other.db"
    assert command("pack", pack)["tossups"] == 8
    assert set(command("merge", pack, pack, "--store", other)["came"].values()) == {"new"}
    assert set(command("merge", pack, "--store", other)["came"].values()) == {"unchanged"}

    assert command("list", "--store", other) == command("list")


def test_some_can_be_packed_by_id_or_by_filter(command, made, tmp_path):
    pack = tmp_path / "set.qwpack"
    assert command("pack", pack, made[0], made[3])["tossups"] == 2
    accepted = len(command("list", "--status", "accepted"))
    assert command("pack", pack, "--status", "accepted")["tossups"] == accepted
    assert main(["pack", str(pack), made[0], "--status", "accepted"]) == 1


def test_of_several_packs_with_a_bad_one_none_is_merged(command, capsys, made, tmp_path):
    good, bad, other = tmp_path / "good.qwpack", tmp_path / "bad.qwpack", tmp_path / "other.db"
    command("pack", good)
    raw = good.read_bytes()
    bad.write_bytes(raw[: len(raw) // 2])
    assert main(["merge", str(good), str(bad), "--store", str(other)]) == 1
    assert str(bad) in capsys.readouterr().err

    assert command("list", "--store", other) == []


def test_what_came_is_told_in_a_sentence(command, capsys, made, tmp_path):
    pack = tmp_path / "set.qwpack"
    command("pack", pack)
    capsys.readouterr()

    assert main(["merge", str(pack), "--store", str(tmp_path / "other.db")]) == 0
    assert capsys.readouterr().out == "8 tossups received: 8 new.\nUnsigned: 313 edits and 35 events.\n"


def test_a_tossup_edited_in_two_places_is_told_as_such(tmp_path):
    apps = [App(tmp_path / name) for name in "ab"]
    session = WritingSession("one", author="a")
    session.type("lake")
    apps[0].store.save(session.take_unsaved())
    pack = tmp_path / "one.qwpack"
    apps[0].transfer.pack(pack)
    apps[1].transfer.merge([pack])
    for app, text in zip(apps, ("a lake", "the lake"), strict=True):
        session = app.tossups.session("one")
        session.type(text)
        app.store.save(session.take_unsaved())
    apps[0].transfer.pack(pack)

    told = merge_report_sentence(apps[1].transfer.merge([pack]), {})
    assert told.startswith("1 tossup received: 1 edited in two places. A tossup that was edited")
    for app in apps:
        app.store.close()


@pytest.mark.parametrize("after", [0, 4, 20])
def test_ctrl_c_in_a_merge_takes_nothing_and_says_so(command, capsys, made, tmp_path, monkeypatch, after):
    pack, other = tmp_path / "set.qwpack", tmp_path / "other.db"
    command("pack", pack)
    check, checks = Cancellation.check, []

    def interrupted(self):
        checks.append(1)
        if len(checks) == after + 1:
            signal.raise_signal(signal.SIGINT)
        check(self)

    monkeypatch.setattr(Cancellation, "check", interrupted)
    capsys.readouterr()

    assert main(["merge", str(pack), "--store", str(other)]) == 130
    assert capsys.readouterr().err == (
        "Nothing was received, because you stopped it.\nStart it again if you want it.\n"
    )
    monkeypatch.undo()
    assert command("list", "--store", other) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_in_packing_leaves_no_pack(command, capsys, made, tmp_path, monkeypatch):
    check = Cancellation.check
    monkeypatch.setattr(Cancellation, "check", lambda self: (signal.raise_signal(signal.SIGINT), check(self)))
    capsys.readouterr()

    assert main(["pack", str(tmp_path / "set.qwpack")]) == 130
    assert capsys.readouterr().err.startswith("No pack was written, because you stopped it.")
    assert list(tmp_path.glob("*.qwpack*")) == []


def test_a_damaged_tossup_is_named_and_the_others_are_packed(command, home, made, tmp_path):
    with closing(sqlite3.connect(home / "quizwriter.db")) as db, db:
        db.execute("update tossup set text = cast(x'ff' as text) where id = ?", [made[2]])

    packed = command("pack", tmp_path / "all.qwpack", status=1)

    assert packed["tossups"] == len(made) - 1
    assert made[2] in packed["left_out"][0]
    assert Pack(tmp_path / "all.qwpack").tossups == len(made) - 1


def test_branches_are_listed_merged_with_a_choice_and_brought_back(command, capsys, tmp_path):
    apps = [App(tmp_path / name) for name in "ab"]
    store, pack = tmp_path / "a" / "quizwriter.db", tmp_path / "one.qwpack"
    for text in ("a deep lake", "a blue lake", "a cold lake"):
        app = apps[1] if "cold" in text else apps[0]
        known = bool(app.store.tossups())
        session = app.tossups.session("one") if known else WritingSession("one", author="a")
        session.type(text)
        app.store.save(session.take_unsaved())
        if not known:
            apps[0].transfer.pack(pack)
            apps[1].transfer.merge([pack])
    apps[1].transfer.pack(pack)
    apps[0].transfer.merge([pack])
    for app in apps:
        app.store.close()
    (family,) = command("branches", "--store", store)
    (choice,) = family["choices"]
    assert set(choice) == {"blue", "cold", "deep"}
    assert main(["branches", "merge", "one", "--store", str(store)]) == 1
    assert "1 choice" in capsys.readouterr().err
    taken = f"1={choice.index('cold') + 1}"
    done = command("branches", "merge", "one", "--choose", taken, "--store", store)
    assert [done["goes_on"], len(done["hidden"])] == [["one"], 1]
    assert command("branches", "--store", store) == []
    assert main(["branches", "list", "--hidden", "--store", str(store)]) == 0
    assert capsys.readouterr().out.count("hidden") == 1
    command("branches", "restore", done["hidden"][0], "--store", store)
    (family,) = command("branches", "--store", store)
    assert "a cold lake" in {branch["text"] for branch in family["branches"]}
    command("branches", "keep", "one", "--store", store)

    assert main(["branches", "keep", "--store", str(store)]) == 1
    assert main(["branches", "merge", "nothing", "--store", str(store)]) == 1
