"""The judge of answers: accept, prompt or reject, by an answer line and by nothing else.

It is the one place that decides whether an answer is right: commands, windows, imports, playtests and
measurements ask it. A player that names a page, and no words, is right by the page: :func:`is_right` has
both rules.
"""

from quizwriter.judging.judge import (
    LONGEST_ANSWER,
    Judgement,
    Verdict,
    first_possible,
    is_right,
    judge,
    may_be_right,
    with_possible,
)

__all__ = [
    "LONGEST_ANSWER",
    "Judgement",
    "Verdict",
    "first_possible",
    "is_right",
    "judge",
    "may_be_right",
    "with_possible",
]
