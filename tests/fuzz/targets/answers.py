"""Answer lines of others, and answers typed to them: read, written back, criticised and judged."""

from __future__ import annotations

import random
from pathlib import Path

from quizwriter.domain.answer_line import read_answer_line
from quizwriter.judging import judge
from quizwriter.workflow.answer_notes import line_problems
from tests.fuzz import mutation
from tests.fuzz.target import Target

_LINES = (
    "<b><u>Madama Butterfly</u></b> [or <b><u>Madame Butterfly</u></b>; prompt on <u>Butterfly</u>]",
    "the Battle of *_Hastings_* [accept *_1066_* before “conquest” is read; do not accept or prompt on "
    '"William"]',
    "<b><u>Kraków</u></b> (KRAH-koof) [or <b><u>Cracow</u></b> or *_Krakau_*; anti-prompt on "
    "Wawel Castle by asking “in which city?”]",
    "<b><u>Rosencrantz</u></b> AND <b><u>Guildenstern</u></b> [accept in either order; prompt on one name]",
    "any of <b><u>sodium</u></b>, <b><u>potassium</u></b>, or <b><u>Li</u></b>thium; accept equivalents "
    "{note to moderator: read it slowly} <Chemistry, Ada>",
    "<b><u>17</u></b> [accept <b><u>seventeen</u></b>; reject “seventy”] (the boat was number 17)",
)
_TYPED = ("madam butterfly", "krakow", "guildenstern and rosencrantz", "lithium, sodium", "seventeen", "1066")
_JOINTS = (
    "[", "]", "(", ")", "{", "}", ";", " or ", ", ", " accept ", " prompt on ", " do not accept ", " AND ",
    " by asking ", " before ", "<b>", "</b>", "<u>", "*_", "_*", "“", "”", '"', " in place of ", "/", "&",
)  # fmt: skip


class AnswerLines(Target):
    """Lines and typed answers with anything in them; a third of the lines is nothing but joints."""

    name = "answer lines"

    def make(self, draw: random.Random, case: Path) -> None:
        line = draw.choice(_LINES)
        kind = draw.randrange(3)
        if kind == 0:
            line = "".join(
                draw.choice((*_JOINTS, *_TYPED)) for _ in range(draw.choice((5, 50, 1_000, 5_000)))
            )
        elif kind == 1:
            joint = draw.choice(_JOINTS) + draw.choice((*_JOINTS, "a", "a b ", ""))
            line += joint * draw.choice((2, 50, 1_000, 8_000))
        if draw.random() < 0.7:
            line = mutation.text(draw, line)
        typed = draw.choice((*_TYPED, line[:1_200]))
        if draw.random() < 0.8:
            typed = mutation.text(draw, typed, longest=2_000)
        heard = mutation.text(draw, "Before the conquest is read, a castle.")
        for name, said in (("line", line), ("typed", typed), ("heard", heard)):
            (case / name).write_bytes(said[:100_000].encode("utf-8", "surrogatepass"))

    def read(self, case: Path) -> None:
        line, typed, heard = (
            (case / name).read_bytes().decode("utf-8", "surrogatepass") for name in ("line", "typed", "heard")
        )
        read = read_answer_line(line)
        repr(read)
        said = "".join(piece.text for piece in read.pieces)
        assert said == line, "each character of the line is in one piece"
        repr(line_problems(line))
        for how in ({}, {"heard": heard}, {"heard": "", "page": line[:300]}):
            repr(judge(line, typed, **how))
        repr(judge(line, typed[:200]))
        repr(judge(typed, line[:900]))
