"""The signature of a challenge set, in the form of minisign: who released these bytes.

The signature is over the list of digests, so it is over every file. It is made with the key of the editor's
profile. Anybody can check it without QuizWriter: ``minisign -Vm SHA256SUMS -P KEY``.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.challenge.layout import CHECKSUMS, SIGNATURE
from quizwriter.errors import QuizwriterError
from quizwriter.system.decoding import DecodingError
from quizwriter.system.members import read_member
from quizwriter.system.signing import SigningKey

if TYPE_CHECKING:
    from minisign import SecretKey

_MOST_BYTES = 16 << 20
_UNENCRYPTED = b"Ed" + bytes(2) + b"B2" + bytes(48)
"""How a secret key of minisign begins that has no passphrase: algorithms, salt and limits."""


def public_key_of(key: SigningKey) -> str:
    """The public key in the form of minisign: the text behind ``-P``."""
    public = bytes.fromhex(key.public)
    return base64.standard_b64encode(b"Ed" + _key_id(public) + public).decode("ascii")


def sign(folder: Path, key: SigningKey, comment: str) -> None:
    """Write the signature of the list of digests in ``folder``; ``comment`` is signed with it."""
    signature = _secret_key(key).sign(
        (folder / CHECKSUMS).read_bytes(),
        trusted_comment=comment,
        untrusted_comment="a QuizWriter challenge set",
    )
    (folder / SIGNATURE).write_bytes(bytes(signature) + b"\n")


def check_signature(folder: Path, public_key: str, problems: list[str], notes: list[str]) -> None:
    """Compare the signature in ``folder`` with ``public_key``; empty: only say if there is one."""
    from minisign import Error, PublicKey, Signature, VerifyError

    try:
        key = PublicKey.from_base64(public_key) if public_key else None
    except Error as trouble:
        raise QuizwriterError(
            f"“{public_key[:60]}” is not a public key of minisign ({trouble}).",
            "Copy the key again: 56 letters and digits that begin with RW.",
        ) from trouble
    try:
        signature = Signature.from_bytes(read_member(folder, SIGNATURE, _MOST_BYTES))
        signed = read_member(folder, CHECKSUMS, _MOST_BYTES)
    except FileNotFoundError:
        if key is not None:
            problems.append(f"{SIGNATURE} is missing.")
        return
    except (OSError, DecodingError, Error, UnicodeError) as trouble:
        problems.append(f"{SIGNATURE} makes no sense ({trouble}).")
        return
    if key is None:
        notes.append("The set has a signature. Give the releaser's key with --public-key to check it.")
        return
    try:
        key.verify(signed, signature)
    except VerifyError:
        problems.append(f"{SIGNATURE}: the signature is not of this set, or was made with another key.")
    else:
        notes.append(f"Signed with that key: {signature.trusted_comment[:200]}.")


def _key_id(public: bytes) -> bytes:
    return hashlib.sha256(public).digest()[:8]


def _secret_key(key: SigningKey) -> SecretKey:
    from minisign import SecretKey

    public = bytes.fromhex(key.public)
    pair = _key_id(public) + bytes.fromhex(key.secret) + public
    checksum = hashlib.blake2b(b"Ed" + pair, digest_size=32).digest()
    return SecretKey.from_base64(base64.standard_b64encode(_UNENCRYPTED + pair + checksum))
