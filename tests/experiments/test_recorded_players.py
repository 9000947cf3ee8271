"""Players of other programs say again what a file has, and an experiment compares them with ours."""

from __future__ import annotations

import pytest

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.experiments.recorded_players import recorded_players
from quizwriter.experiments.runner import run
from quizwriter.formats.game_files import RecordedGame, RecordedPlayer, page_digest, write_games
from quizwriter.judging import first_possible
from quizwriter.services.wiring import App
from tests.helpers.forest import TREES, ask

PER_TREE = 5


@pytest.fixture(scope="module")
def app(bare_forest, tmp_path_factory):
    with App(tmp_path_factory.mktemp("home"), bundle=bare_forest) as app:
        yield app


def test_a_game_is_the_one_that_was_recorded(tmp_path):
    text = "Name this tall old tree."
    path = tmp_path / "games.jsonl.xz"
    pages = [page_digest("Oak"), page_digest("Elm")]
    write_games(
        path, [RecordedPlayer("their-dan", pages), RecordedGame.of("their-dan", text, [1, 0, 1, 0, 0])]
    )
    (player,) = recorded_players(path, ["Oak", "Elm"])

    play = player.play(Tossup(text, Answer("Oak", "Oak")))
    assert [(heard, row[0].page) for heard, row in zip(play.heard, play.rows, strict=True)] == [
        (1, "Elm"), (2, "Oak"), (3, "Elm"), (4, "Oak"), (5, "Oak"),
    ]  # fmt: skip
    assert (play.first_correct, play.stable_correct, play.knowable, play.buzz) == (2, 4, True, None)
    assert not player.play(Tossup(text, Answer("Ash", "Ash"))).knowable
    with pytest.raises(QuizwriterError, match="has no game of their-dan on “Another tree"):
        player.play(Tossup("Another tree.", Answer("Oak", "Oak")))


def test_a_right_guess_is_right_also_where_the_bundle_lacks_its_page(tmp_path):
    text, path = "Name this tall old tree.", tmp_path / "games.jsonl.xz"
    player = RecordedPlayer("their-dan", [page_digest("Oak"), page_digest("Elm")])
    write_games(path, [player, RecordedGame.of("their-dan", text, [1, 0, 0, 0, 0])])
    (player,) = recorded_players(path, ["Elm"])

    play = player.play(Tossup(text, Answer("Oak", "Oak")))
    assert (play.first_correct, play.knowable, play.ranks) == (2, True, (None, 1, 1))


def test_a_title_that_the_bundle_lacks_is_said_as_the_file_has_it_and_may_be_right(tmp_path):
    text, path = "Name this tall old tree.", tmp_path / "games.jsonl.xz"
    player = RecordedPlayer("their-dan", ["Old Oak", page_digest("Elm")])
    write_games(path, [player, RecordedGame.of("their-dan", text, [1, 1, 0, 0, 0])])
    (player,) = recorded_players(path, ["Ash"])

    play = player.play(Tossup(text, Answer("oak [accept old oak]", "Oak")))
    assert [row[0].page for row in play.rows] == [page_digest("Elm"), "Old_Oak", "Old_Oak"]
    assert first_possible(play) == 3


def test_the_titles_of_a_file_are_shown_in_one_line_without_marks_that_turn_it(tmp_path):
    text, path = "Name this old tree.", tmp_path / "games.jsonl.xz"
    pages = ["Old\n\u202eOak\x07", "\u200bOld Elm", "\u202e"]
    write_games(path, [RecordedPlayer("theirs", pages), RecordedGame.of("theirs", text, [0, 1, 2, 2])])
    (player,) = recorded_players(path, ["Ash"])

    play = player.play(Tossup(text, Answer("elm", "Old_Elm")))
    assert [row[0].page for row in play.rows] == [
        "Old_Oak",
        "Old_Elm",
        page_digest("\u202e"),
        page_digest("\u202e"),
    ]
    assert play.ranks == (None, 1, None, None)


def test_a_recorded_player_with_the_name_of_one_of_ours_is_refused(app, tmp_path):
    path = tmp_path / "games.jsonl.xz"
    write_games(path, [RecordedPlayer("ir", ["Oak"]), RecordedGame.of("ir", "A tree.", [0, 0])])
    given = ExperimentInputs(app, str(path), options={"recorded": str(path)})
    with pytest.raises(QuizwriterError, match="has games of ir, a player of the bundle"):
        given.player_names  # noqa: B018 - what it raises


def test_the_adversarial_experiment_names_the_players_of_a_file_beside_ours(app, tmp_path):
    these, others, games = (tmp_path / name for name in ("these.jsonl", "others.jsonl", "games.jsonl.xz"))
    recorded = [RecordedPlayer("qanta-dan", list(TREES))]
    for start, path, right in ((100, these, False), (200, others, True)):
        for row in ask(path, range(start, start + PER_TREE)):
            guess = (list(TREES).index(row["answer"]) + (0 if right else 1)) % len(TREES)
            recorded.append(RecordedGame.of("qanta-dan", row["text"], [guess] * len(row["text"].split())))
    write_games(games, recorded)

    def given(*players):
        options = {"recorded": str(games)}
        return ExperimentInputs(app, str(these), against_from=str(others), players=players, options=options)

    report = run("adversarial", given("ir", "qanta-dan"))
    rows = {(row[0], row[1]): row for row in report.found.rows}
    assert rows["qanta-dan", "regular"][-1].value == 1.0
    assert rows["qanta-dan", "adversarial"][-1].value == 0.0
    assert "QANTA DAN falls from 100.0 % to 0.0 %" in report.found.sentence
    assert {*report.players} == {"ir", "qanta-dan"}
    assert ("recorded", games.name) in {(one["role"], one["name"]) for one in report.inputs}
    with pytest.raises(QuizwriterError, match="has no player their-rnn"):
        run("adversarial", given("their-rnn"))
