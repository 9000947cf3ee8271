"""Which characters a text may have. A text is cleaned once, where it is read or pasted.

Line ends of any program become line feeds, and the control characters that old Windows files leave behind
become what they stood for. What stands for nothing is left out; in a text that is kept already, a substitute
is shown for it, so that nothing moves.
"""

from __future__ import annotations

import re

SUBSTITUTE = "\ufffd"

UNSEEN = (
    "\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef"
)
"""Joiners, soft hyphens and other characters without a width, for the brackets of a pattern."""

ACCENTS = "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
"""Accents and strokes that are characters of their own, for the brackets of a pattern."""

_OLD_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
_REPAIRS: dict[int, str] = {
    **{code: meant for code, meant in _OLD_WINDOWS.items() if meant},
    **dict.fromkeys((0x0B, 0x0C, 0x85, 0x2028, 0x2029), "\n"),
    **dict.fromkeys((0x0D, 0x1C, 0x1D, 0x1E, 0x1F), " "),  # white space to everybody
}
_UNFIT = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffc"
    + "".join(chr((plane << 16) | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
LEFT_OUT = re.compile(f"[\u200b\ufeff]|{_UNFIT.pattern}")
"""A character that is left out of a :func:`repaired` text: nobody sees it, or no text may have it."""

_LINE_END = re.compile("\r\n?")
_ODD = re.compile(f"[\x0b-\x0d\x1c-\x1f\u2028\u2029]|{_UNFIT.pattern}")


def _is_clean(text: str) -> bool:
    """A quick look, which finds nearly every clean text so: the patterns take fifty times as long."""
    if "\ufffc" in text:
        return False
    return text.isprintable() or text.replace("\n", "").replace("\xa0", "").isprintable()


def cleaned(text: str) -> str:
    """``text`` as it may be kept."""
    if _is_clean(text):
        return text
    return LEFT_OUT.sub("", repaired(_LINE_END.sub("\n", text)))


def repaired(text: str) -> str:
    """``text`` with another character for each that stands for one; no character moves."""
    return text.translate(_REPAIRS) if _ODD.search(text) else text


def shown_text(text: str) -> str:
    """A stored ``text`` as an editor can show it; no character moves."""
    return _UNFIT.sub(SUBSTITUTE, repaired(text)) if _ODD.search(text) else text


def count_odd(text: str) -> int:
    """How many characters of ``text`` are changed by :func:`cleaned`, line ends aside."""
    return 0 if _is_clean(text) else len(LEFT_OUT.findall(text))
