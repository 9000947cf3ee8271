"""The events of a tossup as files and databases hold them: the name of a kind, and the values of the body."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from quizwriter.decoding import DecodingError, decode_small_json
from quizwriter.domain.review import KINDS, Body, ConsentGiven, body_kind

LARGEST_BODY = 1 << 20
"""Bytes of the values of one event as JSON; a comment of some pages is a hundredth of that."""


def encode_body(body: Body) -> tuple[str, dict[str, Any]]:
    """The kind of ``body`` and its values, ready for JSON."""
    values = cast(dict[str, Any], msgspec.to_builtins(body))
    if isinstance(body, ConsentGiven) and not body.reason:
        del values["reason"]  # so that a consent reads as it always did
    return body_kind(body), values


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
