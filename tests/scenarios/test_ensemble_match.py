"""A match of the shipped ensemble against three scripted people, played twice and replayed from the database.

Scripted players are test software: nothing is said of people here.
"""

from __future__ import annotations

import json
import random

from index_builder.starter import starter_bundle
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS, Game, Phase, Said, Seat
from quizwriter.engine.engine import load
from quizwriter.services.match import Match, MatchTossup
from quizwriter.services.score_sheets import write_score_sheet
from quizwriter.system.resource_files import resources_folder
from tests.services.test_games import saved

TOSSUPS = 3


def played(app, ensemble, tossups):
    """The records of a match: people by a script, the ensemble by the words that were read."""
    draw, now = random.Random(5), [0]
    seats = (Seat("Ben", "Red"), Seat("Cem", "Red"), Seat("Dan", "Blue"))
    machine = Seat("Ensemble", machine=ensemble.name, engine=ensemble.engine)
    match = Match("m", tossups, FORMATS["mACF"], (*seats, machine), lambda: now[0])
    while True:
        game, tossup = match.game, match.current.tossup
        words = len(tossup.words)
        buzzes = {draw.randrange(words // 2, words): at for at in range(len(seats))}
        while game.state.phase is Phase.READING and game.state.word < words:
            now[0] += 270
            game.read(game.state.word + 1)
            heard, seat = game.state.word, buzzes.get(game.state.word)
            if seat is not None and game.state.may_buzz(game.rules, seat):
                game.buzz(seat)
                match.answer(draw.choice((tossup.answer.line, "a carp")))
            elif game.state.may_buzz(game.rules, len(seats)):
                guess = app.games.buzz_of(ensemble, tossup, heard)
                if guess is not None:
                    game.buzz(len(seats))
                    match.answer_page(guess.page)
            if game.state.phase is Phase.DECIDED and game.state.answered is None:
                game.read_on()
        game.end() if game.state.phase is not Phase.OVER else None
        match.record()
        if match.is_last:
            return match.records
        match.next()


def test_a_match_of_the_ensemble_is_replayed_identically(app, tmp_path):
    bundle = starter_bundle(resources_folder() / "starter", tmp_path / "bundles")
    (ensemble,) = (one for one in load(bundle).players if one.name == "ensemble")
    examples = (resources_folder() / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in examples[:TOSSUPS]]
    tossups = [
        MatchTossup(f"t{at}", Tossup(row["text"], Answer(row["answer"]))) for at, row in enumerate(rows)
    ]
    first, again = played(app, ensemble, tossups), played(app, ensemble, tossups)
    assert first == again
    machine = [
        buzz for _, one in first for buzz in one.replay().state.buzzes if one.rules.seats[buzz.seat].machine
    ]
    assert {one.said for one in machine} & {Said.ACCEPT}
    kept = []
    for tossup, one in first:
        saved(app, tossup.key, tossup.tossup)
        app.games.keep(tossup.key, one)
        (event,) = app.store.review_of(tossup.key).games
        kept.append((tossup, event.body))
        assert tuple(Game.replayed(event.body.rules, event.body.moves).log) == one.moves
    for name in ("match.qbj", "match.csv"):
        for records, folder in ((first, "played"), (kept, "kept")):
            (tmp_path / folder).mkdir(exist_ok=True)
            write_score_sheet(tmp_path / folder / name, records)
        assert (tmp_path / "played" / name).read_bytes() == (tmp_path / "kept" / name).read_bytes()
