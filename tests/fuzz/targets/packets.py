"""Packets: Word files part by part, plain text, and MODAQ's JSON."""

from __future__ import annotations

import json
import random
from pathlib import Path

from quizwriter.formats.file_formats import read_packet
from quizwriter.formats.packets.modaq import is_modaq
from tests.fuzz import mutation
from tests.fuzz.target import Target
from tests.helpers.made_packets import LAYOUTS, Source, make

_TOSSUPS = [
    Source(
        "This lake is the deepest of all. (*) For 10 points, name this lake in Siberia.",
        "Lake Baikal [or Baikal]",
    ),
    Source(
        'In this opera, Pinkerton ("PINK-er-tun") leaves. For 10 points, name this opera.', "Madama Butterfly"
    ),
    Source(
        "The author of Emma wrote it too. It has a park. For 10 points, name this novel.", "Mansfield Park"
    ),
]
_BONUSES = [
    (
        "Answer the following about trees, for 10 points each:",
        [
            Source("Name this tree with white bark.", "birch [accept silver birch]"),
            Source("Name the acid in this tree.", "betulinic acid"),
            Source("Name the mushroom on it.", "chaga"),
        ],
    )
]
_PARTS = (
    "word/document.xml",
    "word/styles.xml",
    "word/numbering.xml",
    "word/_rels/document.xml.rels",
    "[Content_Types].xml",
)


class Packets(Target):
    """Packets as Word files (``word``) or as plain text."""

    def __init__(self, name: str, *, word: bool) -> None:
        self.name = name
        self._word = word

    def prepare(self, folder: Path) -> None:
        self._seeds: list[bytes] = []
        suffix = ".docx" if self._word else ".txt"
        for number, layout in enumerate(LAYOUTS):
            if layout.word == self._word:
                path = folder / f"{number}{suffix}"
                make(path, layout, _TOSSUPS, _BONUSES, number)
                self._seeds.append(path.read_bytes())

    def make(self, draw: random.Random, case: Path) -> None:
        seed = draw.choice(self._seeds)
        if not self._word:
            changed = mutation.text(draw, seed.decode("utf-8", "replace"))
            raw = changed.encode(draw.choice(("utf-8", "utf-8", "utf-16", "cp1252")), "replace")
            (case / "packet.txt").write_bytes(mutation.raw(draw, raw) if draw.random() < 0.2 else raw)
            return
        if draw.random() < 0.15:
            (case / "packet.docx").write_bytes(mutation.raw(draw, seed))
            return
        members = mutation.zip_members(seed)
        part = draw.choice((_PARTS[0],) * 6 + tuple(name for name in _PARTS if name in members))
        members[part] = mutation.xml(draw, members[part])
        (case / "packet.docx").write_bytes(mutation.zipped(draw, members))

    def read(self, case: Path) -> None:
        (path,) = case.glob("packet.*")
        repr(read_packet(path)).encode("utf-8")


class ModaqPackets(Target):
    """Packets of MODAQ, whose beginning stays, so that they are read as such."""

    name = "packets, MODAQ"

    def prepare(self, folder: Path) -> None:
        tossups = [
            {
                "number": number,
                "question": f"<b>{one.text.replace('(*)', '(*)</b>')} H<sub>2</sub>O <em>x</em>",
                "answer": f"<b><u>{one.answer}</u></b> <req>y</req>",
                "metadata": "Ada Example, Science; based on a made-up tournament, tossup 3",
            }
            for number, one in enumerate(_TOSSUPS, start=1)
        ]
        bonuses = [
            {
                "leadin": leadin,
                "parts": [part.text for part in parts],
                "answers": [part.answer for part in parts],
                "values": [10] * len(parts),
                "metadata": "Science - Biology",
            }
            for leadin, parts in _BONUSES
        ]
        self._seed = json.dumps({"tossups": tossups, "bonuses": bonuses}).encode()

    def make(self, draw: random.Random, case: Path) -> None:
        changed = mutation.json_bytes(draw, self._seed)
        head = b'{"tossups": ['
        if draw.random() < 0.5 and not changed.startswith(head):
            changed = head + changed[len(head) :]
        (case / "packet.json").write_bytes(changed)

    def read(self, case: Path) -> None:
        path = case / "packet.json"
        if is_modaq(path):
            repr(read_packet(path)).encode("utf-8")
