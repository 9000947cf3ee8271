"""A small bundle of questions with tournaments, years and answer lines, for tests of the library."""

from __future__ import annotations

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from tests.helpers.json_lines import write_lines

LIGHTHOUSES = [
    "Engineers of this building found a seal made of lead below its third stair. Its keeper Maren Oldsund "
    "wrote a diary about gannets. For 10 points, name this tower on the island of Gralholm.",
    "The keeper Maren Oldsund left a diary in this building; a storm took its lantern in 1871. For 10 "
    "points, name this tower on Gralholm.",
    "In the winter of 1871, the lantern of this building fell into the sea, and a diary by Maren Oldsund "
    "tells of that night. For 10 points, name this lighthouse.",
]


OTHERS = 60
"""Tossups on other answers, without which no word would be rare."""


def past_packets(folder, **more):
    """The folder of a bundle with three tossups and a bonus on a lighthouse, and one tossup on a bird."""
    tossups = [
        {
            "id": f"light-{number}",
            "text": text,
            "page": "Gralholm_Light",
            "answer": "Gralholm Light [or Gralholm Lighthouse]" if number else "Gralholm Light",
            "category": "Geography",
            "tournament": f"{2010 + number} Fjord Open",
            "difficulty": 4 + number,
            "packet": "3",
            "num": 7 + number,
            "power_char": 40,
            "fold": "guesstrain" if number else "guessdev",
        }
        for number, text in enumerate(LIGHTHOUSES)
    ]
    bird = {
        "id": "bird",
        "text": "This bird dives from great heights into the Dvořák Sea. Maren Oldsund counted its nests.",
        "page": "Gannet",
        "answer": "gannets",
        "category": "Science",
        "tournament": "Winter Cup",
    }
    bonus = {
        "id": "bonus",
        "leadin": "For 10 points each:",
        "parts": [
            {
                "text": "A diary by Maren Oldsund was kept there.",
                "answer": "Gralholm Light",
                "page": "Gralholm_Light",
            },
            {"text": "Gannets are plunge divers of this class.", "answer": "birds [or Aves]"},
        ],
        "category": "Geography",
        "tournament": "2015 Fjord Open",
        "year": 2015,
        "difficulty": 6,
    }
    others = [
        {"id": f"other-{number}", "text": f"Crew {number} rowed boat {number} home.", "answer": f"{number}"}
        for number in range(OTHERS)
    ]
    seabirds = "Gannets are seabirds. They nest in colonies on cliffs by the sea."
    articles = [{"page": "Gannet", "text": seabirds}]
    folder.mkdir(parents=True, exist_ok=True)
    inputs = Inputs(
        [write_lines(folder / "tossups.jsonl", [*tossups, bird, *others])],
        bonuses=[write_lines(folder / "bonuses.jsonl", [bonus])],
        wiki=[write_lines(folder / "wiki.jsonl", articles)],
        **more,
    )
    build(inputs, folder / "bundle", "Past packets", Progress())
    return folder / "bundle"
