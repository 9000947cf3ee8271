"""The events of a tossup as files and databases hold them: the name of a kind, and the values of the body."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from quizwriter.decoding import DecodingError, decode_json, decode_value
from quizwriter.domain.review import KINDS, Body, ConsentGiven, body_kind


def encode_body(body: Body) -> tuple[str, dict[str, Any]]:
    """The kind of ``body`` and its values, ready for JSON."""
    values = cast(dict[str, Any], msgspec.to_builtins(body))
    if isinstance(body, ConsentGiven) and not body.reason:
        del values["reason"]  # so that a consent reads as it always did
    return body_kind(body), values


def decode_body(kind: str, values: object) -> Body:
    """The body that :func:`encode_body` made ``kind`` and ``values`` of.

    Raises:
        DecodingError: the kind or a field is unknown, as in the files of a newer program, or a value is not
            of the type and within the limits of its field.
    """
    body = KINDS.get(kind)
    if body is None:
        raise DecodingError(f"an event of an unknown kind ({kind[:40]!r})")
    return decode_value(values, body)


def decode_body_json(kind: str, raw: str) -> Body:
    """As :func:`decode_body`, of values that are still JSON.

    Raises:
        DecodingError: as for :func:`decode_body`, or ``raw`` is not JSON.
    """
    return decode_body(kind, decode_json(raw, object))
