"""Files of recorded games: what any program guessed first while tossups were read to it, as JSON lines.

A row for each player has the pages that it can name: their titles, or digests of them, so that a file says
nothing of the questions of a bundle. A row for each of its games, below it, has the SHA-256 of the tossup's
text and the first guesses, as places in that list, each with after how many words it came.
"""

from __future__ import annotations

import hashlib
import lzma
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import msgspec

from quizwriter.domain.page import answer_key
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport, rows
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import DecodingError, convert_value

MOST_PLAYERS, MOST_GAMES = 20, 200_000
"""Of a file; all published questions are fewer."""

MOST_PAGES = 200_000
"""That a player can name; those that past questions ask for are a tenth."""

MOST_WORDS = 2_000
"""Words of a tossup; the longest have 250."""

LONGEST_NAME = 300
"""Characters of the name of a page."""

_DIGEST = re.compile(r"#[0-9a-f]{12}")

Name = Annotated[str, msgspec.Meta(pattern=r"\A[a-z][a-z0-9-]{0,30}\Z")]
PageName = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NAME)]
Place = Annotated[int, msgspec.Meta(ge=0, lt=MOST_PAGES)]
Words = Annotated[int, msgspec.Meta(ge=1, le=MOST_WORDS)]


class RecordedPlayer(msgspec.Struct, frozen=True):
    """A player with the pages that it can name, as titles or as what :func:`page_digest` makes of them."""

    player: Name
    pages: Annotated[list[PageName], msgspec.Meta(max_length=MOST_PAGES)]


class RecordedGame(msgspec.Struct, frozen=True):
    """A game of ``player``: ``guesses`` are after how many words it first guessed another of its pages."""

    player: Name
    text: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    guesses: Annotated[list[tuple[Words, Place]], msgspec.Meta(max_length=MOST_WORDS)]

    def __post_init__(self) -> None:
        if any(one[0] >= after[0] for one, after in pairwise(self.guesses)):
            raise ValueError("the words do not rise")

    @classmethod
    def of(cls, player: str, text: str, firsts: Sequence[int]) -> RecordedGame:
        """The game whose first guess after ``i + 1`` words is the page at ``firsts[i]``."""
        changed = [(at, page) for at, page in enumerate(firsts, 1) if at == 1 or page != firsts[at - 2]]
        return cls(player, text_digest(text), changed)


class RecordedGames(msgspec.Struct, frozen=True):
    """The games of a file: the pages of its players by name, and their guesses by the digest of the text."""

    players: Mapping[str, Sequence[str]]
    games: Mapping[tuple[str, str], Sequence[tuple[int, int]]]


def text_digest(text: str) -> str:
    """What names a tossup in a file of games."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def page_digest(page: str) -> str:
    """What stands for ``page``, and for other ways to write its title; a digest stands for itself."""
    if _DIGEST.fullmatch(page):
        return page
    return f"#{hashlib.sha256(answer_key(page).encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def read_games(path: Path) -> RecordedGames:
    report = ReadReport(str(path))
    players: dict[str, Sequence[str]] = {}
    games: dict[tuple[str, str], Sequence[tuple[int, int]]] = {}
    try:
        for row in rows(path, report):
            if "pages" in row:
                player = convert_value(row, RecordedPlayer)
                if player.player in players:
                    raise DecodingError(f"a row above has the pages of {player.player}")
                players[player.player] = player.pages
            else:
                game = convert_value(row, RecordedGame)
                known = len(players.get(game.player, ()))
                if any(place >= known for _, place in game.guesses):
                    raise DecodingError(f"no row above has such a page of {game.player}")
                games[game.player, game.text] = game.guesses
            if len(players) > MOST_PLAYERS or len(games) > MOST_GAMES:
                raise DecodingError(f"it has more than {MOST_PLAYERS} players or {MOST_GAMES:,} games")
        if report.rejected:
            raise DecodingError(next(iter(report.rejected)))
        if not games:
            raise DecodingError("it has no game")
    except DecodingError as trouble:
        raise QuizwriterError(
            f"{path} is not a file of recorded games: {trouble} (row {report.rows:,}).",
            "Name one that “index_builder recipes --games” wrote, or see File formats.",
        ) from trouble
    return RecordedGames(players, games)


def write_games(path: Path, found: Iterable[RecordedPlayer | RecordedGame]) -> None:
    """Write what was recorded, packed with xz."""
    with atomic_write(path) as file, lzma.open(file, "wb") as packed:
        for one in found:
            packed.write(msgspec.json.encode(one) + b"\n")
