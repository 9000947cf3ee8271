"""What a player makes of each clue of a tossup: alone, and in its place."""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec

from quizwriter.domain.guessing import Player, Playthrough
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.swerves import SWERVE_WORDS, find_swerve
from quizwriter.workflow.what_if import CLIFF, RACE_WORDS, answer_chance

_WORD = re.compile(r"\S+")


def clue_ends(tossup: Tossup, words: int) -> tuple[int, ...]:
    """After how many words each sentence of ``tossup`` ends, in the words that a file of buzzes counts.

    Some files count every word between spaces, others leave guides and marks out as players do.
    """
    spans = [span.start for span in tossup.words]
    if words != len(spans):
        spaced = [found.start() for found in _WORD.finditer(tossup.text)]
        spans = spaced if words == len(spaced) else spans
    return tuple(bisect_right(spans, sentence.end - 1) for sentence in tossup.sentences)


class ClueReading(msgspec.Struct, frozen=True):
    """What a player makes of the sentences of one tossup, its clues.

    ``ease`` has the chance that the player gives the true answer hearing one clue alone, ``reached`` that
    after each clue in its place. ``rise`` is the most by which that chance rises within
    :data:`~quizwriter.workflow.what_if.RACE_WORDS` words before the last clue, ``misled`` the most chance
    that one wrong page has throughout :data:`~quizwriter.workflow.swerves.SWERVE_WORDS` words there.
    ``swerves`` says whether the program sounds its swerve alarm.
    """

    ease: tuple[float, ...]
    reached: tuple[float, ...]
    rise: float
    misled: float
    swerves: bool

    @property
    def has_cliff(self) -> bool:
        """Whether the program marks a cliff: a rise of :data:`~quizwriter.workflow.what_if.CLIFF`."""
        return self.rise >= CLIFF


def read_clues(player: Player, tossup: Tossup) -> ClueReading:
    """What ``player`` makes of the clues of ``tossup``: one game in whole, and one of each clue alone."""
    play = player.play(tossup)
    ends = clue_ends(tossup, len(tossup.words))
    reached = [answer_chance(play, end) for end in ends]
    before_last = ends[-2] if len(ends) > 1 else 0
    return ClueReading(
        clue_ease(player, tossup),
        tuple(reached),
        _steepest(play, before_last),
        _misled(play, before_last),
        find_swerve([play]) is not None,
    )


def clue_ease(player: Player, tossup: Tossup) -> tuple[float, ...]:
    """For each sentence of ``tossup``, the chance that ``player`` gives the true answer hearing it alone."""
    found = []
    for sentence in tossup.sentences:
        play = player.play(Tossup(sentence.of(tossup.text), tossup.answer))
        found.append(answer_chance(play, play.heard[-1]) if play.heard else 0.0)
    return tuple(found)


def _steepest(play: Playthrough, words: int) -> float:
    chances = [answer_chance(play, heard) for heard in range(words + 1)]
    return max((late - chances[max(0, at - RACE_WORDS)] for at, late in enumerate(chances)), default=0.0)


def _misled(play: Playthrough, words: int) -> float:
    """The most chance that one wrong page keeps for so many words in a row, up to ``words``."""
    most = 0.0
    rows = [index for heard in range(1, words + 1) if (index := play.index_after(heard)) is not None]
    for first in range(len(rows) - SWERVE_WORDS + 1):
        stretch = rows[first : first + SWERVE_WORDS]
        pages = {play.rows[index][0].page if play.rows[index] else None for index in stretch}
        if len(pages) == 1 and None not in pages and not play.right[stretch[0]]:
            most = max(most, min(play.chances[index] for index in stretch))
    return most
