"""What a server says, as a sentence, a row or a log may hold it: in one line, and without the user's secrets.

A server, or a proxy before it, may repeat what it was sent, and the key with that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

SHORTEST_SECRET = 8
"""Characters of a key that is a secret; servers on this computer are often given a word such as "none"."""

_ESCAPED = re.compile(rb"\\(?:u00([2-7][0-9a-fA-F])|.)", re.DOTALL)
"""An escape in JSON: servers write the signs in keys so, some the slash and some the plus."""


def without_secrets(body: bytes, secrets: Iterable[str]) -> bytes:
    """``body``, text or JSON, with stars for each of ``secrets``."""
    hidden = [secret.encode() for secret in secrets if len(secret) >= SHORTEST_SECRET]
    if hidden:
        body = _ESCAPED.sub(_plainly, body)
    for secret in hidden:
        body = body.replace(secret, b"*" * len(secret))
    return body


def one_line(text: str, longest: int) -> str:
    """``text`` in one line without control characters, cut where it is longer than ``longest``.

    Marks that turn the direction of what follows are control characters, too.
    """
    some = text[: 4 * longest]
    kept = (" " if letter.isspace() or unicodedata.category(letter)[0] == "C" else letter for letter in some)
    return " ".join("".join(kept).split())[:longest].strip()


def _plainly(escape: re.Match[bytes]) -> bytes:
    """The letter or sign for which ``escape`` stands; what means something else alone stays escaped."""
    sign = bytes([int(escape[1], 16)]) if escape[1] else escape[0][1:]
    return sign if sign == b"/" or (escape[1] and sign not in b'"\\\x7f') else escape[0]
