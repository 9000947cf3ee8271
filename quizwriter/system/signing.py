"""Ed25519 keys and signatures, and the protection of a key by a passphrase.

The library ``cryptography`` is imported at its first use, for nobody starts with it.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from cryptography.fernet import Fernet
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

KEY_DIGITS, SIGNATURE_DIGITS = 64, 128
"""Hexadecimal digits of a public key and of a signature."""

SALT_BYTES = 16
SCRYPT_COST = 1 << 17

_FIELD = 2**255 - 19
_OF_ORDER_8 = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_WEAK = {0, 1, _FIELD - 1, _OF_ORDER_8, _FIELD - _OF_ORDER_8}
"""The y of the eight points of small order. As public keys they have no private part: one signature with such
a key fits many statements, or all, and anybody can make it. The library takes them."""


class Signature(msgspec.Struct, frozen=True):
    """An Ed25519 signature: the public key (64 hexadecimal digits) and the signature itself (128)."""

    key: str
    value: str


class SigningKey:
    """The private key of one person."""

    def __init__(self, person: str, secret: str) -> None:
        """The key of ``person`` that :attr:`secret` gave."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        self.person = person
        self.secret = secret
        self._key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
        self.public = self._key.public_key().public_bytes_raw().hex()

    @classmethod
    def generate(cls, person: str) -> SigningKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return cls(person, Ed25519PrivateKey.generate().private_bytes_raw().hex())

    def sign(self, statement: bytes) -> Signature:
        return Signature(self.public, self._key.sign(statement).hex())

    def __repr__(self) -> str:
        """The person and the public key: a secret is written nowhere."""
        return f"SigningKey({self.person!r}, public={self.public!r})"


def fits(signature: Signature, statement: bytes) -> bool:
    """Whether ``signature`` was made of ``statement`` with the private part of its key."""
    from cryptography.exceptions import InvalidSignature

    try:
        key = _public_key(signature.key)
        key.verify(bytes.fromhex(signature.value), statement)
    except (InvalidSignature, ValueError):
        return False
    return True


def seal(text: bytes, passphrase: str, salt: bytes) -> bytes:
    """``text`` encrypted with ``passphrase``, so that nobody reads or changes it who does not know that.

    Source: Fernet, with a key by scrypt (RFC 7914) with N = :data:`SCRYPT_COST`, r = 8 and p = 1.
    """
    return _fernet(passphrase, salt).encrypt(text)


def unseal(sealed: bytes, passphrase: str, salt: bytes) -> bytes | None:
    """What :func:`seal` encrypted; None if the passphrase is another one, or ``sealed`` was changed."""
    from cryptography.fernet import InvalidToken

    try:
        return _fernet(passphrase, salt).decrypt(sealed)
    except InvalidToken:
        return None


@lru_cache(256)
def _public_key(key: str) -> Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    raw = bytes.fromhex(key)
    y = int.from_bytes(raw, "little") % 2**255  # without the bit that is the sign of x
    if y >= _FIELD or y in _WEAK:
        raise ValueError("a key that proves nothing")
    return Ed25519PublicKey.from_public_bytes(raw)


def _fernet(passphrase: str, salt: bytes) -> Fernet:
    from cryptography.fernet import Fernet
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    derived = Scrypt(salt=salt, length=32, n=SCRYPT_COST, r=8, p=1).derive(passphrase.encode())
    return Fernet(base64.urlsafe_b64encode(derived))
