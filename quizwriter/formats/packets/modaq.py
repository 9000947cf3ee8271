"""Packets of MODAQ and of YetAnotherPacketParser: JSON whose texts have the tags of MODAQ for styles.

Source:
    MODAQ, src/state/IPacket.ts and src/parser; our own are those of
    :func:`quizwriter.formats.packet_files.packet_modaq`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Annotated, Any

import msgspec

from quizwriter.domain.plain_text import cleaned, count_odd
from quizwriter.formats.packets.packet_questions import (
    Packet,
    PacketBonus,
    UnreadQuestion,
    finished,
    finished_tossup,
    joined,
    unread_question,
    why_unusable,
)
from quizwriter.formats.packets.styled_lines import LARGEST_TEXT, LONGEST_LINE, StyledText
from quizwriter.system.decoding import (
    MOST_VALUES,
    DecodingError,
    check_json_shape,
    convert_value,
    decode_json,
    open_regular,
    read_limited,
    translate_decoding_errors,
)

MOST_QUESTIONS = 10_000
"""Tossups, and bonuses, of a packet; a whole tournament has some hundreds."""

MOST_PARTS = 20
"""Parts of a bonus that are read."""

_HEAD_BYTES = 1 << 16
_HEAD = re.compile(
    rb'\s*+\{(?:\s*+"[^"\\]*+"\s*+:\s*+(?:"(?:[^"\\]|\\.)*+"|[\d.+-]++|null|true|false)\s*+,)*+'
    rb'\s*+"(?:tossups|bonuses)"\s*+:\s*+\[',
    re.DOTALL,
)
_SPACE = re.compile(r"\s")
_BASED_ON = "based on "
"""What this program writes behind the tag of a question that was begun with a past one."""

_Text = Annotated[str, msgspec.Meta(max_length=LONGEST_LINE)]


class _ModaqTossup(msgspec.Struct):
    question: _Text
    answer: _Text
    metadata: _Text | None = None
    number: int | _Text | None = None


class _ModaqBonus(msgspec.Struct):
    leadin: _Text
    parts: list[_Text]
    answers: list[_Text]
    metadata: _Text | None = None
    number: int | _Text | None = None


class _ModaqPacket(msgspec.Struct):
    tossups: list[Any] = []
    bonuses: list[Any] | None = None


def is_modaq(path: Path) -> bool:
    """Whether the file at ``path`` begins as a packet of MODAQ does; False where it cannot be read."""
    try:
        with open_regular(path) as file:
            return _HEAD.match(file.read(_HEAD_BYTES).removeprefix(b"\xef\xbb\xbf")) is not None
    except OSError:
        return False


def read_modaq(path: Path) -> Packet:
    """The questions of a packet of MODAQ, with the styles of their texts; places count all questions."""
    packet = Packet("question")
    with translate_decoding_errors(
        f"{path} is not a sound packet", "Write it again with the program it is from."
    ):
        raw = read_limited(path, LARGEST_TEXT).removeprefix(b"\xef\xbb\xbf")
        check_json_shape(raw, most_values=MOST_VALUES)
        whole = decode_json(raw, _ModaqPacket)
        bonuses = whole.bonuses or []
        if max(len(whole.tossups), len(bonuses)) > MOST_QUESTIONS:
            raise DecodingError(f"it has more than {MOST_QUESTIONS:,} questions")
    for place, value in enumerate(whole.tossups, start=1):
        _read_tossup(packet, place, value)
    for place, value in enumerate(bonuses, start=len(whole.tossups) + 1):
        _read_bonus(packet, place, value)
    return packet


def _read_tossup(packet: Packet, place: int, value: object) -> None:
    try:
        row = convert_value(value, _ModaqTossup)
    except DecodingError as trouble:
        packet.unread.append(UnreadQuestion(place, f"no tossup of MODAQ: {trouble}"))
        return
    packet.odd += count_odd(row.question) + count_odd(row.answer)
    tag, based_on = _metadata(row.metadata)
    number = _number(row.number, place)
    found = finished_tossup(number, styled(row.question), styled(row.answer), tag, place, based_on)
    if isinstance(found, UnreadQuestion):
        packet.unread.append(found)
    else:
        packet.tossups.append(found)


def _read_bonus(packet: Packet, place: int, value: object) -> None:
    try:
        row = convert_value(value, _ModaqBonus)
        if len(row.parts) != len(row.answers) or len(row.parts) > MOST_PARTS:
            raise DecodingError("its parts and answers do not fit each other")
    except DecodingError as trouble:
        packet.unread.append(UnreadQuestion(place, f"no bonus of MODAQ: {trouble}"))
        return
    parts = list(_parts(packet, place, row))
    if parts:
        leadin, (tag, _) = finished(styled(row.leadin)).text, _metadata(row.metadata)
        packet.bonuses.append(PacketBonus(_number(row.number, place), leadin, tuple(parts), tag, place))


def _parts(packet: Packet, place: int, row: _ModaqBonus) -> Iterator[tuple[str, str]]:
    for number, (part, line) in enumerate(zip(row.parts, row.answers, strict=True), start=1):
        text, answer = finished(styled(part)).text, styled(line).text
        if reason := why_unusable(text, answer):
            packet.unread.append(unread_question(place, f"part {number} of a bonus: {reason}", text))
        else:
            yield text, answer


def styled(source: str) -> StyledText:
    """The text of ``source`` on one line, with the styles of its tags, all of which are left out.

    MODAQ reads the entities of HTML first.
    """
    whole = StyledText.tagged(unescape(source)).cleaned()
    return joined([StyledText(_SPACE.sub(" ", whole.text), whole.codes)])


def _metadata(metadata: str | None) -> tuple[str, str]:
    """The tag of a question, and the past question that it was begun with; empty where there is none."""
    said = " ".join(cleaned(unescape(metadata or "")).replace("<", " ").replace(">", " ").split())
    if said.startswith(_BASED_ON):
        return "", said.removeprefix(_BASED_ON)
    tag, mark, based_on = said.partition(f"; {_BASED_ON}")
    return (tag, based_on) if mark else (said, "")


def _number(number: int | str | None, place: int) -> str:
    said = "" if number is None else " ".join(str(number).split())
    return said if 0 < len(said) <= 10 else str(place)
