"""Signatures: what a person's key confirms, and the texts that are signed.

Keys and signatures are hexadecimal texts here; :mod:`quizwriter.system.signing` makes and checks them.
"""

from __future__ import annotations

import json
from collections import Counter
from enum import StrEnum

import msgspec

from quizwriter.system.signing import Signature


class Authenticity(StrEnum):
    """Whether the person whose name stands beside something did or said it, as far as signatures show."""

    VERIFIED = "verified"  # the person's key signed it
    UNSIGNED = "unsigned"  # no key signed it, and no key of the person is known
    UNCONFIRMED = "unconfirmed"  # no key signed it, although the person has a key
    OTHER_KEY = "another key"  # a key signed it that is not the first one seen for the person
    FORGED = "forged"  # the signature or the id does not fit; such rows are never stored

    @property
    def word(self) -> str:
        """What a reader sees: “verified”, “unsigned”, “another key” or “forged”."""
        return str(Authenticity.UNSIGNED if self is Authenticity.UNCONFIRMED else self)


class SignedRun(msgspec.Struct, frozen=True):
    """One signature for consecutive edits of one person: from the edit ``first`` to the edit ``last``.

    Both are ids of edits. The id of the last edit says what all edits up to there are.
    """

    first: str
    last: str
    person: str
    signature: Signature

    def statement(self, root: str) -> bytes:
        return signed_text("edits", root, self.first, self.last, self.person)


def signed_text(kind: str, *values: str | int) -> bytes:
    """The text of a ``kind`` of statement; statements of other kinds or values have other texts."""
    return f"QuizWriter {kind} 1\n{json.dumps(values, ensure_ascii=True, separators=(',', ':'))}".encode()


def judge(signed_by: str, first_key: str | None) -> Authenticity:
    """What a stored row proves whose signature fits the key ``signed_by``; empty: it has no signature.

    ``first_key`` is the first key that was seen for the person; None or empty: the person has no key.
    """
    if not signed_by:
        return Authenticity.UNCONFIRMED if first_key else Authenticity.UNSIGNED
    return Authenticity.VERIFIED if signed_by == first_key else Authenticity.OTHER_KEY


class Forgery(msgspec.Struct, frozen=True):
    """A row that was left out because its signature or its id does not fit.

    The row is an event, a person's name, or the signature of edits. The edits themselves stay, as unsigned.
    """

    kind: str  # "edits", "person", or the kind of the event
    person: str  # in whose name it was
    root: str = ""  # the tossup, by the id that it was made with


def short_key(key: str) -> str:
    """The beginning of a public key as two people compare it by telephone: four groups of four digits."""
    return " ".join(key[at : at + 4] for at in range(0, 16, 4))


class SignatureReport(msgspec.Struct):
    """How much of what arrived is verified, unsigned, or signed with another key; and what was forged."""

    edits: Counter[Authenticity] = msgspec.field(default_factory=Counter)
    events: Counter[Authenticity] = msgspec.field(default_factory=Counter)
    forged: list[Forgery] = msgspec.field(default_factory=list)
    other_keys: list[str] = msgspec.field(
        default_factory=list
    )  # the persons in whose names another key signed
