"""Made-up games of made-up players, which know every answer: so that every rule of counting meets a case.

They are for checks that the program still counts as it did, and are never shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from quizwriter.domain.page import Page
from quizwriter.experiments.inputs import SourceQuestion
from quizwriter.formats.game_files import RecordedGame, RecordedPlayer, write_games

MADE_PLAYERS = ("made-good", "made-fair", "made-poor")
"""From the one that is right most to the one that is right least."""

_RIGHT = (160, 120, 80)
"""Of 256 games, in how many each ends with the right page."""


def write_made_games(path: Path, questions: Sequence[SourceQuestion]) -> None:
    """Write into ``path`` a game of each of the players on each of ``questions``, drawn by its text."""
    answers = [_page(one) for one in questions]
    near = [Page(f"Second_{page}") for page in answers]  # by F1 it is right
    pages: list[str] = list(dict.fromkeys([*answers, *near]))
    place = {page: at for at, page in enumerate(pages)}

    def games() -> Iterator[RecordedPlayer | RecordedGame]:
        for name, right in zip(MADE_PLAYERS, _RIGHT, strict=True):
            yield RecordedPlayer(name, pages)
            for at, one in enumerate(questions):
                lot = hashlib.sha256(f"{name} {one.tossup.text}".encode("utf-8", "surrogatepass")).digest()
                words = len(one.tossup.words)
                other = place[answers[(at + 1 + lot[0]) % len(answers)]]
                ends = place[answers[at]] if lot[1] < right else place[near[at]] if lot[1] % 2 else other
                until = 1 + lot[2] * (words - 1) // 256  # the first guess before is on another answer
                yield RecordedGame.of(name, one.tossup.text, [other] * until + [ends] * (words - until))

    write_games(path, games())


def _page(one: SourceQuestion) -> Page:
    answer = one.tossup.answer
    return Page(one.key) if answer is None or answer.page is None else answer.page
