"""The events of a tossup as files and databases hold them: the name of a kind, and the values of the body."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from quizwriter.decoding import DecodingError, decode_json, decode_value
from quizwriter.domain.review import (
    Body,
    Categorised,
    Cited,
    Commented,
    ConsentGiven,
    Decided,
    Imported,
    PutInSet,
    Replied,
    Resolved,
    Rewritten,
    StatusSet,
    Suggested,
    Superseded,
    Tagged,
    TakenBack,
    WrittenBy,
)

_TYPES: dict[str, type[Body]] = {
    "status": StatusSet,
    "comment": Commented,
    "reply": Replied,
    "resolved": Resolved,
    "suggestion": Suggested,
    "decision": Decided,
    "tags": Tagged,
    "category": Categorised,
    "set": PutInSet,
    "writer": WrittenBy,
    "consent": ConsentGiven,
    "superseded": Superseded,
    "source": Cited,
    "imported": Imported,
    "rewritten": Rewritten,
    "taken back": TakenBack,
}
_KINDS = {body: kind for kind, body in _TYPES.items()}


def encode_body(body: Body) -> tuple[str, dict[str, Any]]:
    """The kind of ``body`` and its values, ready for JSON."""
    return _KINDS[type(body)], cast(dict[str, Any], msgspec.to_builtins(body))


def decode_body(kind: str, values: object) -> Body:
    """The body that :func:`encode_body` made ``kind`` and ``values`` of.

    Raises:
        DecodingError: the kind or a field is unknown, as in the files of a newer program, or a value is not
            of the type and within the limits of its field.
    """
    body = _TYPES.get(kind)
    if body is None:
        raise DecodingError(f"an event of an unknown kind ({kind[:40]!r})")
    return decode_value(values, body)


def decode_body_json(kind: str, raw: str) -> Body:
    """As :func:`decode_body`, of values that are still JSON.

    Raises:
        DecodingError: as for :func:`decode_body`, or ``raw`` is not JSON.
    """
    return decode_body(kind, decode_json(raw, object))
