"""What was right in sets before schema 3: the answer's own page, whatever its line accepts.

What a set says was right stays so, and is verified by the rule of its time.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quizwriter.domain.page import answer_key
from quizwriter.domain.tossup import Answer

BY_LINE = 3
"""The first schema of a manifest whose sets call right what :meth:`Answer.accepts` does."""

BY_CHARACTERS = 4
"""The first schema whose sets count expected wins by characters, and say who was in the loop."""

BY_OUTLINES = 5
"""The first schema whose sets have their plot as outlines, which are drawn again to verify them."""

BY_JUDGE = 5
"""The first schema by which a player is stumped only where all its guesses are surely wrong.

Before, a guess was wrong where it was not surely right.
"""

BY_TITLES = 6
"""The first schema whose texts say that a player may know an answer that has no page of its own."""

RightnessRule = Callable[[Answer, str], bool]
"""Whether a guess of a page is right for an answer."""

_MARKUP = re.compile(r"</?(?:b|u|i|em|strong)>|\*_|_\*", re.IGNORECASE)
_REQUIRED = re.compile(r"(?<![^\W_])(_{1,2})([^_\s](?:[^_]*[^_\s])?)\1(?![^\W_])")
_AFTER_FIRST = re.compile(r"[\[(<;]")


def rightness_rule(schema: int) -> RightnessRule:
    """What is right in sets whose manifest has this ``schema``."""
    return Answer.accepts if schema >= BY_LINE else _is_own_page


def answer_label(answer: Answer, schema: int = BY_LINE) -> str:
    """The page of ``answer``; where it has none, what people call it, with underscores."""
    if answer.page is not None:
        return answer.page
    return (answer.main if schema >= BY_LINE else _first_answer(answer.line)).replace(" ", "_")


def _is_own_page(answer: Answer, page: str) -> bool:
    own = _first_answer(answer.line) if answer.page is None else answer.page
    return page == answer.page or answer_key(page) == answer_key(own)


def _first_answer(line: str) -> str:
    """What stood for the answer before the grammar of answer lines read it: all up to the first bracket."""
    plain = _REQUIRED.sub(r"\2", _MARKUP.sub("", line))
    return _AFTER_FIRST.split(plain, maxsplit=1)[0].strip(' \t"“”') or plain.strip()
