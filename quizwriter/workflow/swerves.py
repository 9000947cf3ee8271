"""The swerve alarm: a stretch of the draft that sounds like another answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.page import Page

SWERVE_WORDS = 5
"""For so many words the same wrong page leads at least."""

SWERVE_CHANCE = 0.5
"""The chance that one player gives the wrong page at some word of the stretch; two players need not.

No threshold told better than chance where people buzz wrong together; this one is that at which players buzz.
"""


class Swerve(msgspec.Struct, frozen=True):
    """From word ``first`` to word ``last``, from 1, ``players`` take the answer for ``page``."""

    page: Page
    first: int
    last: int
    players: tuple[str, ...]


def find_swerve(plays: Sequence[Playthrough]) -> Swerve | None:
    """The longest stretch in which players that can know the answer agree on one wrong page.

    At least :data:`SWERVE_WORDS` words long; two players agree, or one has a chance of at least
    :data:`SWERVE_CHANCE` for the page at one of its words.
    """
    leads = {play.guesser: _wrong_leads(play) for play in plays if play.knowable and play.trouble is None}
    found: list[Swerve] = []
    names = tuple(leads)
    for number, name in enumerate(names):
        for page, first, last, chance in _stretches(leads[name]):
            if last - first + 1 >= SWERVE_WORDS and chance >= SWERVE_CHANCE:
                found.append(Swerve(page, first, last, (name,)))
        for other in names[number + 1 :]:
            both = {
                heard: lead
                for heard, lead in leads[name].items()
                if heard in leads[other] and leads[other][heard][0] == lead[0]
            }
            for page, first, last, _ in _stretches(both):
                if last - first + 1 >= SWERVE_WORDS:
                    found.append(Swerve(page, first, last, (name, other)))
    return max(found, key=lambda one: (len(one.players), one.last - one.first, -one.first), default=None)


def _wrong_leads(play: Playthrough) -> dict[int, tuple[Page, float]]:
    """For each word heard at which a wrong page leads, that page and its chance."""
    found: dict[int, tuple[Page, float]] = {}
    lead: tuple[Page, float] | None = None
    rows = iter(zip(play.heard, play.rows, play.right, play.chances, strict=True))
    following = next(rows, None)
    for heard in range(1, len(play.tossup.words) + 1):
        if following is not None and following[0] == heard:
            _, row, right, chance = following
            lead = (row[0].page, chance) if row and not right else None
            following = next(rows, None)
        if lead is not None:
            found[heard] = lead
    return found


def _stretches(leads: dict[int, tuple[Page, float]]) -> list[tuple[Page, int, int, float]]:
    """The stretches of words with one page: the page, the first and the last word, the highest chance."""
    found: list[tuple[Page, int, int, float]] = []
    for heard, (page, chance) in leads.items():
        if found and found[-1][0] == page and found[-1][2] == heard - 1:
            _, first, _, most = found.pop()
            found.append((page, first, heard, max(most, chance)))
        else:
            found.append((page, heard, heard, chance))
    return found
