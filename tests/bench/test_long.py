"""A long day: what is measured of it, and that a bundle goes as soon as another one is open."""

from __future__ import annotations

import gc
import sys
import weakref
from contextlib import closing

import pytest

from quizwriter.bench.long import LongUse, measure_long_use
from quizwriter.engine.engine import load
from quizwriter.services.wiring import App
from tests.helpers.fakes import DRAFT

pytestmark = pytest.mark.usefixtures("collecting_here")


def test_nothing_of_a_bundle_stays_once_nobody_uses_it(qapp, starter):
    engine = load(starter)
    for player in engine.players:
        player.play(engine_tossup := _tossup())
    engine.pages.complete("mad")
    engine.clue_finder.look_up(engine_tossup)
    kept = [weakref.ref(one) for one in (engine.retrieval, engine.pages, engine.library, engine.clue_finder)]
    gc.disable()
    try:
        del engine, player
        assert [one() for one in kept] == [None] * 4
    finally:
        gc.enable()


def _tossup():
    from quizwriter.domain.tossup import Tossup

    return Tossup(DRAFT)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a program holds")
def test_a_long_day_types_all_keys_and_changes_bundles_in_turns(qapp, tmp_path, starter, monkeypatch):
    monkeypatch.setattr("quizwriter.bench.long.REST_MS", 50)
    monkeypatch.setattr("quizwriter.bench.long.LEVEL_KEYS", 5)
    noted = []
    with closing(App(tmp_path / "home", bundle=starter)) as app:
        rows = measure_long_use(app, [DRAFT[:300]], (starter, starter), LongUse(20, 3, 2), noted.append)
        texts = {one.tossup_id: app.store.load(one.tossup_id).tossup.text for one in app.tossups.summaries()}

    assert rows == noted
    assert [(one.keys, one.tossups, one.changes) for one in rows] == [
        (0, 0, 0), (5, 1, 0), (6, 1, 1), (12, 2, 2), (20, 3, 2),
    ]  # fmt: skip
    assert sum(len(text) - 300 for text in texts.values()) == 20
    assert all(one.window_mb > 10 and one.files > 3 and one.threads > 1 for one in rows)
