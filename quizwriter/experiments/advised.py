"""What people who asked a machine in a game made of its guess."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from quizwriter.domain.tossup_game import Advice
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.wording import counted_noun, player_title

NOBODY_ASKED = "No people yet: nobody asked a machine in these games."


class Advised(msgspec.Struct, frozen=True):
    """The guesses of one machine that were asked for and shown, on ``tossups`` tossups."""

    tossups: int
    shown: Sequence[Advice]

    @property
    def taken(self) -> Estimate:
        return share_of(sum(one.taken for one in self.shown), len(self.shown))

    @property
    def taken_right(self) -> Estimate:
        """How many of the guesses that were taken are right."""
        taken = [one for one in self.shown if one.taken]
        return share_of(sum(one.right for one in taken), len(taken))

    def in_words(self, machine: str) -> str:
        taken = [one for one in self.shown if one.taken]
        left = len(self.shown) - len(taken)
        right = sum(one.right for one in taken)
        left_right = sum(one.right for one in self.shown) - right
        return (
            f"People asked {player_title(machine)} {counted_noun(len(self.shown), 'time')}. Guesses taken: "
            f"{len(taken)}, {right} of them right; not taken: {left}, {left_right} of them right."
        )


def advised(asked: Iterable[tuple[str, Advice]]) -> Mapping[str, Advised]:
    """What was asked of each machine; ``asked`` are pieces of advice with the ids of their tossups."""
    of: dict[str, list[tuple[str, Advice]]] = {}
    for key, one in asked:
        of.setdefault(one.machine, []).append((key, one))
    return {
        machine: Advised(len({key for key, _ in rows}), [one for _, one in rows])
        for machine, rows in sorted(of.items())
    }


def advice_remark(asked: Iterable[tuple[str, Advice]]) -> str:
    """A sentence on each machine that was asked."""
    return " ".join(one.in_words(machine) for machine, one in advised(asked).items()) or NOBODY_ASKED
