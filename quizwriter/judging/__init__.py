"""The judge of typed answers: accept, prompt or reject, by an answer line and by nothing else.

It is the one place that decides whether a typed answer is right: commands, windows, imports and measurements
ask it. Answers that name a page are not typed, and being right is then a question of the page.
"""

from quizwriter.judging.judge import LONGEST_ANSWER, Judgement, Verdict, judge

__all__ = ["LONGEST_ANSWER", "Judgement", "Verdict", "judge"]
