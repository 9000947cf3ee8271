"""When a tossup beats a player, and the goal of a set: which players its tossups are to beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping

import msgspec

from quizwriter.domain.answer_line import Directive, read_answer_line
from quizwriter.domain.page import Page, plain_title
from quizwriter.domain.players import DAN, ENSEMBLE, IR
from quizwriter.domain.tossup import Answer
from quizwriter.workflow.wording import counted_noun, listed, player_name, player_title

ADVERSARIES = ((DAN,), (DAN, IR), (DAN, IR, ENSEMBLE))
"""The goals to choose from: three adversaries, each stronger than the one before, and all that are weaker.

Source:
    Bartolo et al., "Beat the AI" (2020), section 3, with three models, each stronger.
"""

WINS_FROM = 0.4
"""The F1 of the words from which a player wins, in Beat the AI, section 3.1."""

F1_LIMIT = f"F1 under {100 * WINS_FROM:.0f} %"


class BeatGoal(msgspec.Struct, frozen=True):
    """Tossups are to beat all ``players``: by the page that they name, or ``by_f1`` of its words."""

    players: tuple[str, ...] = ()
    by_f1: bool = False

    @classmethod
    def of(cls, players: object, by_f1: object) -> BeatGoal:
        """The goal that a brief or a manifest names; none where that is no goal to choose."""
        for known in ADVERSARIES:
            if isinstance(players, list | tuple) and tuple(players) == known:
                return cls(known, by_f1 is True)
        return cls()

    @property
    def sentence(self) -> str:
        """What it asks for, such as *beat DAN and IR by the page*; empty without a goal."""
        if not self.players:
            return ""
        return f"beat {listed([*map(player_name, self.players)])} by {'F1' if self.by_f1 else 'the page'}"

    def missing(self, players: Container[str]) -> tuple[str, ...]:
        """The players to beat that are not among ``players``."""
        return tuple(name for name in self.players if name not in players)

    @property
    def rule(self) -> str:
        needed = [
            "the player's first guess after the last word is not the page of the answer",
            "the answer line neither accepts nor prompts on it",
        ]
        if self.by_f1:
            needed.append(
                f"its title has an {F1_LIMIT} with each name that the line accepts and "
                "with the title of the page"
            )
        return f"A tossup beats a player by {'F1' if self.by_f1 else 'the page'} if {listed(needed)}."


NO_BEAT_GOAL = BeatGoal()


class GoalCount(msgspec.Struct, frozen=True):
    """How many tossups reach a goal, of those that all its players played and can know."""

    reached: int
    counted: int
    unknown: int = 0  # no page of some player
    unplayed: int = 0
    hidden: int = 0  # in the control arm, and not ready: no machine may play them
    wordless: int = 0  # without a word to play
    missing: tuple[str, ...] = ()  # players of the goal that the bundle has not: nothing is counted

    @classmethod
    def of(
        cls, goal: BeatGoal, tossups: Iterable[tuple[Answer | None, Mapping[str, Page | None], bool]]
    ) -> GoalCount:
        """Of each tossup, ``tossups`` has the answer, the last guess by player, and whether all who played
        can know it."""
        reached = counted = unknown = unplayed = 0
        for answer, guesses, known in tossups:
            if not known:
                unknown += 1
            elif not guesses.keys() >= set(goal.players):
                unplayed += 1
            else:
                counted += 1
                reached += all(beats(answer, guesses[name], by_f1=goal.by_f1) for name in goal.players)
        return cls(reached, counted, unknown, unplayed)

    @property
    def sentence(self) -> str:
        """The count, and what is not in it."""
        if self.missing:
            players = listed([*map(player_title, self.missing)], "or")
            return f"Nothing is counted: the bundle has no {players}."
        reach = "reaches" if self.reached == 1 else "reach"
        said = f"{self.reached:,} of {counted_noun(self.counted, 'tossup')} {reach} the goal"
        left = [f"{self.unknown:,} whose answer some player cannot know"] if self.unknown else []
        left += [f"{self.unplayed:,} not played yet"] if self.unplayed else []
        left += [f"{self.hidden:,} with the machines hidden"] if self.hidden else []
        left += [f"{self.wordless:,} without a word"] if self.wordless else []
        return f"{said}; not counted: {', '.join(left)}." if left else f"{said}."


def beats(answer: Answer | None, guess: Page | None, *, by_f1: bool) -> bool:
    """Whether a tossup on ``answer`` beats a player whose first guess after the last word is ``guess``.

    A player whose guess may be right is not beaten, by F1 neither; see
    :func:`quizwriter.judging.may_be_right`.
    """
    from quizwriter.judging import may_be_right  # here, as the start does not wait for the judge

    if answer is None or guess is None:
        return True
    return not may_be_right(answer, guess) and not (by_f1 and answer_overlap(guess, answer) >= WINS_FROM)


def answer_overlap(guess: Page | None, answer: Answer | None) -> float:
    """The largest F1 of the title of ``guess`` with a name that the line of ``answer`` accepts."""
    if guess is None or answer is None:
        return 0.0
    names = [answer.main, *([] if answer.page is None else [plain_title(answer.page)])]
    names += [
        name.text
        for clause in read_answer_line(answer.line).clauses
        if clause.directive in {Directive.MAIN, Directive.ACCEPT}
        for name in clause.names
    ]
    return max(word_overlap(plain_title(guess), name) for name in names)


def word_overlap(said: str, wanted: str) -> float:
    """F1 of the words of two answers, from 0 to 1, as SQuAD counts it: articles and case are nothing.

    Source:
        Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text" (2016), section 6.1.
    """
    one, other = (
        Counter(word for word in text.casefold().replace(",", " ").split() if word not in {"a", "an", "the"})
        for text in (said, wanted)
    )
    both = (one & other).total()
    return 2 * both / (one.total() + other.total()) if both else 0.0
