"""What a tossup should come to: how long it takes to read, and before which word no player is to buzz."""

from __future__ import annotations

from collections.abc import Sequence

from quizwriter.domain.style_sheet import BuzzGoal, StyleSheet
from quizwriter.workflow.wording import player_name


def speaking_seconds(words: int, speed: int) -> int:
    """The seconds that a moderator takes for ``words`` at ``speed`` words a minute, rounded."""
    return round(60 * words / speed)


def speaking_time(seconds: int) -> str:
    """``seconds`` as minutes and seconds: *0:48*."""
    return f"{seconds // 60}:{seconds % 60:02}"


def goal_sentence(goal: BuzzGoal) -> str:
    if goal.is_waived:
        return "No goal for this tossup"
    if goal.per_cent <= 0:
        return "No goal"
    who = f"{player_name(goal.player)} is not" if goal.player else "No player is"
    return f"{who} to buzz before {goal.per_cent} % of the words"


def goal_in_force(own: BuzzGoal | None, sheet: StyleSheet) -> BuzzGoal | None:
    """The goal of a tossup: its ``own``, else that of its set, whose style sheet is ``sheet``."""
    if own is not None:
        return None if own.is_waived else own
    return sheet.goal if sheet.goal.is_set else None


def goal_met(goal: BuzzGoal, buzzes: Sequence[tuple[str, int | None]], words: int) -> bool:
    """Whether no player whom the ``goal`` is about buzzes too early; ``buzzes`` has words heard by player."""
    least = goal_word(goal, words)
    return all(heard is None or heard >= least for player, heard in buzzes if goal.player in ("", player))


def goal_word(goal: BuzzGoal, words: int) -> int:
    """The number of words heard, of all ``words``, before which the buzz is too early."""
    return -(-words * goal.per_cent // 100)
