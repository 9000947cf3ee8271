"""The columns of a row as the domain's objects, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import overload

from quizwriter.domain.guessing import Guess
from quizwriter.domain.tossup import Answer, Page
from quizwriter.formats.histories import decode_guesses
from quizwriter.workflow.branches import Game
from quizwriter.workflow.session import RecordedPlay


def answer_of_columns(line: str, page: str | None) -> Answer | None:
    """The answer with the columns ``answer_line`` and ``page``; None if the line is empty."""
    return Answer(line, None if page is None else Page(page)) if line else None


def answer_columns(answer: Answer | None) -> tuple[str, str | None]:
    """The columns ``answer_line`` and ``page`` of ``answer``."""
    return (answer.line, answer.page) if answer is not None else ("", None)


def game_of_play(shown: RecordedPlay) -> Game:
    """The columns of a player's game."""
    return (
        shown.seq, shown.at_ms, shown.guesser, shown.engine, shown.words, shown.first_correct,
        shown.stable_correct, shown.buzz_heard, shown.buzz_page,
        json.dumps([[guess.page, guess.score] for guess in shown.top], ensure_ascii=False),
    )  # fmt: skip


def play_of_game(game: Game) -> RecordedPlay:
    """The play with the columns ``game``; its guesses are decoded when somebody looks at them."""
    seq, at_ms, guesser, engine, words, first, stable, buzz, page, top = game
    return RecordedPlay(
        seq, at_ms, guesser, engine, StoredGuesses(top), first, stable, buzz,
        None if page is None else Page(page), words,
    )  # fmt: skip


class StoredGuesses(Sequence[Guess]):
    """The guesses of a stored game, decoded when they are first used: most of a history never are."""

    __slots__ = ("_kept",)

    def __init__(self, kept: str) -> None:
        self._kept: str | tuple[Guess, ...] = kept

    @property
    def _read(self) -> tuple[Guess, ...]:
        if isinstance(self._kept, str):
            self._kept = decode_guesses(self._kept)
        return self._kept

    def __len__(self) -> int:
        return len(self._read)

    @overload
    def __getitem__(self, at: int) -> Guess: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Guess, ...]: ...
    def __getitem__(self, at: int | slice) -> Guess | tuple[Guess, ...]:
        return self._read[at]

    def __eq__(self, other: object) -> bool:
        return self._read == (other._read if isinstance(other, StoredGuesses) else other)

    def __hash__(self) -> int:
        return hash(self._read)

    def __repr__(self) -> str:
        return repr(self._read)
