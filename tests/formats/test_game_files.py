"""Files of recorded games: what is written is read again, and what makes no sense is refused."""

from __future__ import annotations

import json

import pytest

from quizwriter.errors import QuizwriterError
from quizwriter.formats.game_files import (
    RecordedGame,
    RecordedPlayer,
    page_digest,
    read_games,
    text_digest,
    write_games,
)

PLAYER = {"player": "other-program", "pages": ["Oak", "Elm_(tree)"]}
GAME = {"player": "other-program", "text": text_digest("A tree."), "guesses": [[1, 1], [2, 0]]}


def written(path, *rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_what_was_written_is_read_and_a_guess_is_kept_once_until_another_comes(tmp_path):
    path = tmp_path / "games.jsonl.xz"
    game = RecordedGame.of("other-program", "A tall old tree.", [1, 1, 0, 1])
    write_games(path, [RecordedPlayer("other-program", ["Oak", "Elm"]), game])

    found = read_games(path)
    assert found.players == {"other-program": ["Oak", "Elm"]}
    assert found.games["other-program", text_digest("A tall old tree.")] == [(1, 1), (3, 0), (4, 1)]


def test_a_digest_stands_for_all_ways_to_write_a_title_and_for_itself():
    assert page_digest("Elm_(Tree)") == page_digest("elm (tree)") != page_digest("Oak")
    assert page_digest(page_digest("Oak")) == page_digest("Oak")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([PLAYER], "it has no game"),
        ([GAME, PLAYER], "no row above has such a page of other-program"),
        ([PLAYER, {**GAME, "guesses": [[1, 2]]}], "no row above has such a page"),
        ([PLAYER, {**GAME, "guesses": [[2, 0], [2, 1]]}], "the words do not rise"),
        ([PLAYER, {**GAME, "guesses": [[0, 0]]}], "guesses"),
        ([PLAYER, {**GAME, "text": "A tree."}], "text"),
        ([PLAYER, {**GAME, "player": "../x"}], "player"),
        ([{**PLAYER, "pages": ["O" * 10_000]}], "pages"),
        ([PLAYER, GAME, {**PLAYER, "pages": ["Oak"]}], "a row above has the pages of other-program"),
        ([PLAYER, GAME, 5], "not a JSON object"),
        ([{"text": "A question.", "answer": "Oak"}], "text"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_row(tmp_path, rows, said):
    with pytest.raises(QuizwriterError, match="is not a file of recorded games") as refusal:
        read_games(written(tmp_path / "games.jsonl", *rows))
    assert said in str(refusal.value)
    assert "index_builder recipes --games" in str(refusal.value)
