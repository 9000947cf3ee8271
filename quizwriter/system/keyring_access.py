"""Secrets in the operating system's keyring: passwords of servers, and the keys by which people sign.

Slow, and a keyring may ask for a password of its own: not for the window's thread.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar, cast

from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import open_regular

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

log = logging.getLogger(__name__)

T = TypeVar("T")

KEYRING_SERVICE = "QuizWriter"
"""Under this name the secrets lie in the keyring."""

LEAST_PRIORITY = 1
"""The least priority of a keyring that keeps secrets encrypted; below it are files that anyone may read."""

_MOST_BYTES = 10_000


def find_secret(account: str) -> str | None:
    """The secret of ``account``; None if the keyring has none, or there is no safe keyring."""
    keyring = _keyring()
    return None if keyring is None else _ask(lambda: keyring.get_password(KEYRING_SERVICE, account))


def keep_secret(account: str, secret: str) -> bool:
    """Put the ``secret`` of ``account`` into the keyring; False if there is no safe keyring."""
    keyring = _keyring()
    if keyring is None:
        return False
    _ask(lambda: keyring.set_password(KEYRING_SERVICE, account, secret))
    return True


def forget_secret(account: str) -> None:
    keyring = _keyring()
    if keyring is not None and _ask(lambda: keyring.get_password(KEYRING_SERVICE, account)) is not None:
        _ask(lambda: keyring.delete_password(KEYRING_SERVICE, account))


def find_lasting_secret(account: str, file: Path) -> str | None:
    """The secret that :func:`keep_lasting_secret` kept; None if there is none."""
    found = find_secret(account)
    if found is not None:
        return found
    try:
        with open_regular(file) as opened:
            return opened.read(_MOST_BYTES).decode("ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as trouble:
        reason = trouble.strerror if isinstance(trouble, OSError) else "it is damaged"
        raise QuizwriterError(
            f"The key in {file} cannot be read ({reason}).", "Allow reading it, or put it back from a backup."
        ) from trouble


def keep_lasting_secret(account: str, secret: str, file: Path) -> None:
    """Keep the ``secret`` of ``account`` in the keyring or, without a safe keyring, in a private ``file``."""
    if not keep_secret(account, secret):
        problem = f"The key could not be written to {file}"
        with atomic_write(file, problem=problem, private=True, make_folder=True) as opened:
            opened.write(secret.encode("ascii"))


def _keyring() -> KeyringBackend | None:
    """The system's keyring, if there is one that is safe."""
    if sys.platform != "darwin":  # macOS's looks for its libraries, for which Python starts a compiler
        sys.modules.setdefault("keyring.backends.macOS.api", cast(ModuleType, None))
    import keyring

    backend = _ask(keyring.get_keyring)
    return backend if backend.priority >= LEAST_PRIORITY else None


def _ask(ask: Callable[[], T]) -> T:
    try:
        return ask()
    except Exception as trouble:  # noqa: BLE001 - keyrings are the system's, and each fails in a way of its own
        log.warning("the keyring failed: %s", type(trouble).__name__)  # what it says may hold the secret
        raise QuizwriterError(
            f"The keyring of this computer did not answer ({type(trouble).__name__}).",
            "Unlock it and try again.",
        ) from None
