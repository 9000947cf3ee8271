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
    def _taken(self) -> list[Advice]:
        return [one for one in self.shown if one.taken]

    @property
    def taken(self) -> Estimate:
        return share_of(len(self._taken), len(self.shown))

    @property
    def taken_right(self) -> Estimate:
        return share_of(sum(one.right for one in self._taken), len(self._taken))

    def in_words(self, machine: str) -> str:
        left = [one for one in self.shown if not one.taken]
        return (
            f"People asked {player_title(machine)} {counted_noun(len(self.shown), 'time')}. Guesses taken: "
            f"{len(self._taken)}, {sum(one.right for one in self._taken)} of them right; not taken: "
            f"{len(left)}, {sum(one.right for one in left)} of them right."
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
