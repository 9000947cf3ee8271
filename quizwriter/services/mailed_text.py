"""What a text may have been before a mail program took it: parts of a saved mail, without codes and tags."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_HEADER = re.compile(r"^(?:content-type|mime-version):", re.IGNORECASE | re.MULTILINE)
_MOST_PARTS, _MOST_DASHED = 20, 500
_DASHED = re.compile(r"^--", re.MULTILINE)  # a part begins so
# each paragraph of it would be parsed as a mail
_NOTICE = re.compile(r"message/delivery-status", re.IGNORECASE)
_QUOTED = re.compile(r"=(?:([0-9A-Fa-f]{2})|[ \t]*\r?\n[ \t>]*)")
_SOFT_BREAK = re.compile(r"=[ \t]*\r?\n")
_TAG = re.compile(r"<[^<>]*>")


def readings(raw: bytes | str) -> Iterator[tuple[str, bool]]:
    """The texts that ``raw`` may stand for, the likeliest first; in a mail, those of each part.

    Each with whether tags were taken out, which somebody may have typed.
    """
    text = raw if isinstance(raw, str) else decoded(raw)
    for one in (text, *_parts(text)):
        plain = _without_codes(one)
        yield plain, False
        if plain != one:
            yield one, False
        if "<" in plain or "&" in plain:
            yield html.unescape(_TAG.sub("", plain)), True


def decoded(raw: bytes) -> str:
    """``raw`` in the encoding that its first bytes tell, else UTF-8; what is lost is replaced."""
    return raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")


def _parts(text: str) -> Iterator[str]:
    """The texts in a mail that was saved or forwarded as a file, also those that are attached."""
    if not _HEADER.search(text[:100_000]) or text.lower().count("boundary=") > _MOST_PARTS:
        return
    if len(_DASHED.findall(text)) > _MOST_DASHED:
        return
    import email  # 30 ms, which only mails need

    try:
        mail = _NOTICE.sub("text/plain", text).encode("utf-8", "replace")
        parts = list(email.message_from_bytes(mail).walk())
    except RecursionError:  # mails within mails, hundreds deep
        return
    for part in parts:
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            yield decoded(payload)


def _without_codes(text: str) -> str:
    """``text`` without the codes of quoted-printable, if each "=" is one and some end lines."""
    if not _SOFT_BREAK.search(text) or text.count("=") != len(_QUOTED.findall(text)):
        return text
    return _QUOTED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "", text)
