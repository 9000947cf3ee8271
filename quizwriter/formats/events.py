"""The events of a tossup as files and databases hold them: the name of a kind, and the values of the body."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from quizwriter.domain.review import (
    KINDS,
    ArmDrawn,
    BasedOn,
    BegunFor,
    Binned,
    Body,
    BriefChosen,
    ClueSourced,
    ConsentGiven,
    Dismissed,
    NeverSent,
    PutInSet,
    RoomsRecorded,
    SetWord,
    StyleChosen,
    body_kind,
)
from quizwriter.domain.style_sheet import BuzzGoal
from quizwriter.domain.styles import AnswerStyled, Styled
from quizwriter.system.decoding import DecodingError, decode_small_json

LARGEST_BODY = 1 << 20
"""Bytes of the values of one event as JSON; a comment of some pages is a hundredth of that."""


def encode_body(body: Body) -> tuple[str, dict[str, Any]]:
    """The kind of ``body`` and its values, ready for JSON."""
    values = cast(dict[str, Any], msgspec.to_builtins(body))
    for kind, name in _LATER_FIELDS:  # without its later fields a body reads as it always did
        if isinstance(body, kind) and not values[name]:
            del values[name]
    return body_kind(body), values


_LATER_FIELDS: tuple[tuple[type[Body], str], ...] = ((ConsentGiven, "reason"), (PutInSet, "packet"))
"""Fields that a kind got after its first release, and that are empty by default."""

_LATER_KINDS: tuple[type[Body], ...] = (
    BasedOn, BuzzGoal, ClueSourced, Binned, Dismissed, StyleChosen, BriefChosen, BegunFor, Styled,
    AnswerStyled, SetWord, NeverSent, ArmDrawn, RoomsRecorded,
)  # fmt: skip


def first_pack_version(body: Body) -> int:
    """The first version of packs whose programs know such a ``body``; older programs refuse the pack."""
    return 3 if isinstance(body, _LATER_KINDS) or (isinstance(body, PutInSet) and body.packet) else 1


def decode_body(kind: str, raw: bytes | str) -> Body:
    """The body whose kind and values :func:`encode_body` gave; ``raw`` is the values as JSON.

    Raises:
        DecodingError: the kind or a field is unknown, as in the files of a newer program, a value is not of
            the type and within the limits of its field, or ``raw`` is not JSON or longer than
            :data:`LARGEST_BODY`.
    """
    body = KINDS.get(kind)
    if body is None:
        raise DecodingError(f"an event of an unknown kind ({kind[:40]!r})")
    if len(raw) > LARGEST_BODY:
        raise DecodingError(f"an event is longer than {LARGEST_BODY:,} bytes")
    return decode_small_json(raw, body)
