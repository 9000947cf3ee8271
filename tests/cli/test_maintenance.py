"""``quizwriter check`` and ``quizwriter bench``. The figures of the window are tested in ``tests/bench``."""

from __future__ import annotations

from quizwriter.bench import engine
from quizwriter.cli import main
from quizwriter.store import Store
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
