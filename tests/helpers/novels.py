"""A bundle of made-up authors and their novels: questions that a rule can state, and types to draw from."""

from __future__ import annotations

import json
import random

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress

AUTHORS = NOVELS = 14
_STARTS = ("Bra", "Cor", "Dul", "Fen", "Gri", "Hol", "Jas", "Kem", "Lor", "Mun", "Nev", "Pol", "Ras", "Tul")
_PLACES = ("harbour", "orchard", "quarry", "chapel", "sawmill", "lighthouse", "tannery", "windmill")


def author(number):
    """The name of an author."""
    return f"{_STARTS[number]}min {_STARTS[-1 - number]}vane"


def novel(number):
    """The title of a novel, which the author of this number wrote."""
    return f"{_STARTS[number]}ster {_STARTS[(number + 5) % NOVELS]}dale"


def _once(draw):
    """A name that no other question has, so that it can only be copied."""
    return "".join(draw.choice("abdegiklmnoprstuz") for _ in range(7)).title()


def rows():
    """Tossups on each author and each novel, as lines of a question file hold them."""
    draw = random.Random(7)
    for number in range(AUTHORS):
        for times in range(3):
            place, other = draw.sample(_PLACES, 2)
            yield {
                "id": f"author-{number}-{times}",
                "text": f"This author, who moved, hid letters in a {place} near a {other}. "
                f"A brother of this author, who left, sang. "
                f"For 10 points, name this author of {novel(number)} and {_once(draw)}.",
                "answer": author(number),
                "page": author(number).replace(" ", "_"),
                "fold": "guesstrain",
            }
            yield {
                "id": f"novel-{number}-{times}",
                "text": f"This novel, which is long, opens in a {other} beside a {place}. "
                f"Nobody, in this novel, ever sings. For 10 points, name this novel "
                f"by {author(number)} about {_once(draw)}.",
                "answer": novel(number),
                "page": novel(number).replace(" ", "_"),
                "fold": "guesstrain",
            }


def write_questions(path):
    """Write the tossups into the file ``path``; its path."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows()), encoding="utf-8")
    return path


def plant_novels(folder):
    """Build the bundle into ``folder``; its path."""
    questions = write_questions(folder.with_suffix(".jsonl"))
    build(Inputs((questions,), everything=True), folder, "Novels", Progress())
    return folder
