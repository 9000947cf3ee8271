"""``quizwriter check`` and ``quizwriter bench``. The figures of the window are tested in ``tests/bench``."""

from __future__ import annotations

from pathlib import Path

from quizwriter.bench import engine
from quizwriter.cli import main
from quizwriter.gui.window_lock import window_lock
from quizwriter.store.store import Store
from quizwriter.workflow.session import WritingSession
from tests.helpers.database import connected


def test_check_replays_every_history(capsys, home, starter):
    store = Store(home / "quizwriter.db")
    session = WritingSession("one")
    for text in ("This", "This opera", "This 🎭 opera"):
        session.type(text)
        store.save(session.take_unsaved())
    store.close()

    assert main(["check", "--bundle", str(starter)]) == 0
    assert "1 history replays, both ways" in capsys.readouterr().out

    store = Store(home / "quizwriter.db")
    with connected(store) as db:
        db.execute("update edit set inserted = 'That' where seq = 1")
    store.close()

    assert main(["check", "--bundle", str(starter)]) == 1
    assert "does not" in capsys.readouterr().out


def test_bench_takes_the_figures_of_players_texts_and_starts(command, monkeypatch, starter):
    for name, fewer in (("TOSSUPS", 3), ("PREFIX_TOSSUPS", 1), ("STARTS", 1), ("KEYS", 0), ("EDITS", 30)):
        monkeypatch.setattr(engine, name, fewer)

    figures = command("bench", "--bundle", starter)

    assert (figures["tossups"], figures["bundle"]) == (3, "Starter bundle")
    for name in ("ir_play", "ir_fresh_query_per_prefix", "complete_page"):
        assert 0 < figures[f"{name}_p50"] <= figures[f"{name}_p95"]
    assert 0 < figures["start_to_window"] <= figures["start_to_all_players"]
    assert figures["start_to_guess"] > 0


def test_backups_are_made_listed_and_restored(command, capsys, home, made):
    assert command("backup", "list") == []
    backup = command("backup", "make")
    assert backup["file"].startswith(str(home / "backups"))

    store = Store(home / "quizwriter.db")
    before = {key: store.load(key).tossup.text for key in made}
    session = WritingSession("later")
    session.type("A tossup begun later")
    store.save(session.take_unsaved())
    store.close()

    (line,) = command("backup", "list")
    assert (line["tossups"], line["returning"], line["changing"], line["leaving"]) == (8, 0, 0, 1)
    assert main(["backup", "list"]) == 0
    assert "made on request" in capsys.readouterr().out

    restored = command("backup", "restore")
    store = Store(home / "quizwriter.db")
    assert {key: store.load(key).tossup.text for key in store.expand_branches()} == before
    store.close()

    command("backup", "restore", restored["aside"])
    store = Store(home / "quizwriter.db")
    assert store.load("later").tossup.text == "A tossup begun later"
    store.close()


def test_a_backup_is_restored_where_the_database_cannot_be_opened(command, home, made):
    command("backup", "make")
    damaged = b"no database at all" * 1000
    (home / "quizwriter.db").write_bytes(damaged)

    restored = command("backup", "restore")

    with Path(restored["aside"]).open("rb") as file:
        assert file.read() == damaged
    store = Store(home / "quizwriter.db")
    assert store.check() == ()
    assert set(store.expand_branches()) == set(made)
    store.close()


def test_no_backup_is_restored_under_an_open_window(command, capsys, home, made):
    command("backup", "make")
    store = Store(home / "quizwriter.db")
    session = WritingSession("later")
    session.type("A tossup begun later")
    store.save(session.take_unsaved())

    with window_lock(home, ""):
        assert main(["backup", "restore"]) == 1
    said = capsys.readouterr().err
    assert "QuizWriter is already open with the tossups in" in said
    assert "Close its window first" in said
    assert store.load("later").tossup.text == "A tossup begun later"
    store.close()
    assert main(["backup", "restore"]) == 0  # as it says
    assert (
        main(["backup", "restore", "--store", str(home / "other" / "quizwriter.db")]) == 1
    )  # no backups there


def test_a_backup_that_is_not_there_is_a_sentence(capsys, made):
    assert main(["backup", "restore"]) == 1
    assert "There are no backups in" in capsys.readouterr().err
    assert main(["backup", "restore", "other.db"]) == 1
    assert "quizwriter backup list names all of them" in capsys.readouterr().err
