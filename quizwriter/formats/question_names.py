"""Under which names files of games call a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quizwriter.formats.file_formats import Holds, endings
from quizwriter.formats.question_files import one_line

_DIGITS = re.compile(r"[0-9]+")


def place_key(packet: str, number: object) -> str:
    """The key of a tossup by its packet and number, in one form for packets, games and question files."""
    name = Path(packet.strip()).name
    for end in endings((Holds.PACKET, Holds.GAMES)):
        name = name.removesuffix(end)
    words = " ".join(_DIGITS.sub(_without_zeros, name.casefold().replace("_", " ")).split())
    return f"{words} / {number}"


def question_names(row: Mapping[str, Any], identifier: str) -> tuple[str, ...]:
    """Every name under which a buzz may call the question in ``row``, a row of a question file."""
    names = [identifier]
    for field_name in ("bq", "tossup_id", "id", "qanta_id", "_id"):
        value = row.get(field_name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            names.append(one_line(str(value)))
    packet, number = row.get("packet"), row.get("num")
    if isinstance(packet, str | int) and isinstance(number, str | int):
        place = place_key(str(packet), number)
        names.append(place)
        of_set = one_line(row.get("set")) or one_line(row.get("tournament"))
        if of_set:
            names.append(f"{of_set.casefold()} / {place}")
    return tuple(dict.fromkeys(names))


def _without_zeros(found: re.Match[str]) -> str:
    return found.group().lstrip("0") or "0"
