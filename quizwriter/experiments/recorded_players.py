"""Players of other programs, whose games a file has: they say again what they said then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import TOP, Buzz, Guess, Player, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.server_words import one_line
from quizwriter.experiments.registry import refuse
from quizwriter.formats.game_files import LONGEST_NAME, RecordedGames, page_digest, read_games, text_digest
from quizwriter.system.decoding import file_digest


class RecordedGuesser:
    """Says the first guesses that a file has, and no others."""

    def __init__(self, name: str, file: str, recorded: RecordedGames, titles: Mapping[str, Page]) -> None:
        """``titles`` are the pages of the bundle by their digests."""
        self.name, self._file, self._games = name, file, recorded.games
        self._digests = [page_digest(page) for page in recorded.players[name]]
        self._known = frozenset(self._digests)
        shown = (one_line(page, LONGEST_NAME).replace(" ", "_") for page in recorded.players[name])
        own = {digest: Page(page) for page in shown if (digest := page_digest(page)) != page}
        self._titles = {**own, **titles}

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The recorded game; nothing is known of the places behind the first."""
        answer, last = tossup.answer, len(tossup.words)
        guesses = self._games.get((self.name, text_digest(tossup.text)))
        if guesses is None:
            raise refuse(
                f"{self._file} has no game of {self.name} on “{tossup.heard(min(8, last)).text} …”.",
                "Record its games on all questions that are played, the controls included.",
            )
        right = {} if answer is None else {page_digest(key): Page(key) for key in answer.keys}
        digests = ((heard, self._digests[place]) for heard, place in guesses if heard <= last)
        # the bundle need not have the page that the answer has
        said = [(heard, self._titles.get(one) or right.get(one, Page(one))) for heard, one in digests]
        if said and said[-1][0] < last:
            said.append((last, said[-1][1]))
        ranks = tuple(1 if answer is not None and answer.accepts(page) else None for _, page in said)
        return Playthrough(
            self.name,
            tossup,
            tuple(heard for heard, _ in said),
            tuple((Guess(page, 0.0),) for _, page in said),
            ranks,
            knows_answer=None if answer is None else not self._known.isdisjoint(right),
        )

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """None: a recorded game has no evidence."""


class NoBuzzer:
    """Never buzzes: a recorded game does not say how sure the player was."""

    threshold = 0.0

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        return (0.0,) * len(play.rows)

    def buzz(self, play: Playthrough) -> Buzz | None:
        """None."""


def recorded_players(path: Path, pages: Iterable[Page]) -> tuple[Player, ...]:
    """The players of the file at ``path``, in its order; ``pages`` are those of the bundle in use."""
    recorded = read_games(path)
    titles = {page_digest(page): page for page in pages}
    digest = file_digest(path)
    return tuple(
        Player(RecordedGuesser(name, path.name, recorded, titles), NoBuzzer(), digest)
        for name in recorded.players
    )
