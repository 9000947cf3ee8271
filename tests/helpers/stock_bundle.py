"""A bundle of made-up questions that share clues, for tests of stock clues and near duplicates."""

from __future__ import annotations

from index_builder.build import build
from index_builder.data.corpus import Inputs
from index_builder.progress import Progress
from tests.helpers.json_lines import write_lines

LEAD_IN = "Quilters in Vadsbru still sew the crooked herringbone banner of this explorer's second voyage."
REWORDED = [
    LEAD_IN,
    "The crooked herringbone banner from her second voyage is still sewn by Vadsbru quilters.",
    "For 10 points, name this explorer, whose crooked herringbone banner quilters of Vadsbru sew.",
]
FRESH = "Some drummers of Ulvangsund tuned copper kettles after a solar eclipse blinded their mayor."

FILLERS = 500
"""Tossups on other answers, without which no word would be rare."""


def filler(number: int) -> str:
    """A tossup whose words hardly any other has."""
    return (
        f"Boat{number} left harbour{number} at dawn. For 10 points, name this crew{number} of rowers{number}."
    )


def stock_rows() -> list[dict[str, object]]:
    """Three tossups on an explorer and one on a town that share a clue, and the fillers."""
    opening, close = "This person was born at sea.", "For 10 points, name this explorer of the Frost Strait."
    texts = [
        f"{REWORDED[0]} {opening} {close}",
        f"{opening} {REWORDED[1]} Her ship leaked. {close}",
        f"{opening} {REWORDED[2]}",
    ]
    rows: list[dict[str, object]] = [
        {
            "id": f"explorer-{number}",
            "text": text,
            "page": "Ida_Frost",
            "answer": "Ida Frost",
            "tournament": f"{2004 + 3 * number} Fjord Open",
            "packet": str(number + 1),
        }
        for number, text in enumerate(texts)
    ]
    rows.append(
        {
            "id": "town",
            "text": "In this town, quilters sew the crooked herringbone banner of Ida Frost's second voyage. "
            f"{close}",
            "page": "Vadsbru",
            "answer": "Vadsbru",
            "tournament": "Winter Cup",
        }
    )
    return rows + [
        {"id": f"filler-{number}", "text": filler(number), "answer": f"crew{number}"}
        for number in range(FILLERS)
    ]


def stock_bundle(folder, rows=None, **more):
    """The folder of a bundle of ``rows``, unless given those of :func:`stock_rows`; and the question file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = write_lines(folder / "tossups.jsonl", rows or stock_rows())
    build(Inputs([path], everything=True, **more), folder / "bundle", "Stock clues", Progress())
    return folder / "bundle", path
