"""Who the user is to others: the key by which the user signs, and the file that carries the profile over."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from quizwriter import __version__
from quizwriter.domain.review import Person
from quizwriter.domain.signatures import Authenticity
from quizwriter.domain.tossup_game import clean_line
from quizwriter.errors import QuizwriterError
from quizwriter.store.store import Store
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import DecodingError, Identifier, Milliseconds, decode_json, read_limited
from quizwriter.system.keyring_access import find_lasting_secret, keep_lasting_secret
from quizwriter.system.signing import KEY_DIGITS, SALT_BYTES, SigningKey, seal, unseal

log = logging.getLogger(__name__)

SUFFIX = ".qwprofile"
"""How the name of a profile's file ends."""

SHORTEST_PASSPHRASE = 8
"""Characters."""

FORMAT, VERSION = "quizwriter-profile", 1
_MOST_BYTES = 100_000

UNSIGNED = "Your edits are saved without your signature for now."


class Identity:
    """The key of the user. Loading it is slow and may wait for the keyring, so a window defers that."""

    def __init__(self, home: Path, me: Callable[[], Person], open_store: Callable[[], Store]) -> None:
        """The key of the person that ``me`` gives, kept in the keyring or in the folder ``home``."""
        self._home, self._me, self._open_store = home, me, open_store
        self._key: SigningKey | None = None
        self._making = threading.Lock()  # a window loads and a save signs, each in a thread of its own
        self._tried = False
        self.deferred = False
        """Whether nothing is signed before :meth:`load` was called. Otherwise the first save calls it."""
        self.trouble: QuizwriterError | None = None
        """Why nothing is signed, or why others will not recognise the signatures."""
        self.warn: Callable[[QuizwriterError], object] = lambda trouble: log.info("profile: %s", trouble)
        """Called with :attr:`trouble` where the key is loaded."""

    def key(self) -> SigningKey | None:
        """The key, called in the thread that saves; None if nothing is to be signed."""
        if not self._tried and not self.deferred:
            self.load()
        return self._key

    def needed_key(self) -> SigningKey:
        """The key, for what cannot be done without."""
        if self._key is None:
            self.load()
        if self._key is None:
            raise self.trouble or QuizwriterError("Your profile has no key yet.", "Start QuizWriter again.")
        return self._key

    def load(self) -> None:
        """Find the key of the user, or make it; :attr:`trouble` says why there is none.

        Writing goes on without a key, so no trouble is raised. Where only the database does not take the key,
        because another program is using it, the next save tries again.
        """
        self._tried, self.trouble = True, None
        me, key = self._me(), None
        try:
            with self._making:
                key = self._found(me) or self._made(me)
            self._use(key, me)
        except QuizwriterError as trouble:
            self.trouble = QuizwriterError(f"{UNSIGNED} {trouble.problem}", trouble.remedy)
            if key is not None:
                self._tried = self.deferred = False
        if self.trouble is not None:
            self.warn(self.trouble)

    def _found(self, me: Person) -> SigningKey | None:
        secret = find_lasting_secret(*self._place(me.id))
        if secret is None:
            return None
        try:
            return SigningKey(me.id, secret)
        except ValueError:
            raise QuizwriterError(
                "The key of your profile is damaged.", "Import your profile, if you exported it."
            ) from None

    def _made(self, me: Person) -> SigningKey:
        key = SigningKey.generate(me.id)
        account, file = self._place(me.id)
        keep_lasting_secret(account, key.secret, file)
        return self._found(me) or key  # another program of the same user may have made one meanwhile

    def _use(self, key: SigningKey, me: Person, *, imported: bool = False) -> None:
        if self._open_store().use_key(key, me, imported=imported) is not Authenticity.VERIFIED:
            self.trouble = QuizwriterError(
                "The key of your profile has changed, so others see “another key” next to what you write.",
                "Import your profile, if you exported it.",
            )
        self._key = key

    def _place(self, person: str) -> tuple[str, Path]:
        """The account in the keyring, and the file that is used without a keyring."""
        digest = hashlib.sha256(person.encode()).hexdigest()[:16]
        return f"signing key {digest}", self._home / f"signing-{digest}.key"

    def export(self, path: Path, passphrase: str) -> None:
        """Write the profile with its key to ``path``, so that only who knows ``passphrase`` can read it.

        Slow, about a second.
        """
        _check(passphrase)
        me = self._me()
        if self._key is not None and self._key.person != me.id:
            self.load()
        key = self.needed_key()
        known = self._open_store().people().get(me.id, me)
        row = _ProfileRow(me.id, me.name, me.email, known.changed_ms, key.secret)
        salt = os.urandom(SALT_BYTES)
        sealed = seal(msgspec.json.encode(row), passphrase, salt).decode("ascii")
        document = {
            "format": FORMAT,
            "version": VERSION,
            "program": __version__,
            "salt": salt.hex(),
            "sealed": sealed,
        }
        with atomic_write(path, problem=f"The profile could not be written to {path}", private=True) as file:
            file.write(json.dumps(document, indent=1).encode() + b"\n")

    def read(self, path: Path, passphrase: str) -> tuple[Person, SigningKey]:
        """The person and the key in the file at ``path``. Slow, about a second."""
        try:
            raw = read_limited(path, _MOST_BYTES)
            header = decode_json(raw, _Header)
            if header.version > VERSION:
                program = clean_line(str(header.program), 20)
                raise QuizwriterError(
                    f"The profile {path} was written by a newer QuizWriter ({program}).",
                    "Install that version or a later one; nothing was changed.",
                )
            document = decode_json(raw, _Document)
            text = unseal(document.sealed.encode(), passphrase, bytes.fromhex(document.salt))
            if text is None:
                raise QuizwriterError(
                    f"The passphrase does not open the profile {path}.",
                    "Type the passphrase with which you exported it; nothing was changed.",
                )
            row = decode_json(text, _ProfileRow)
            return Person(row.id, row.name, row.email, row.changed_ms), SigningKey(row.id, row.key)
        except OSError as trouble:
            raise QuizwriterError(
                f"The profile {path} cannot be read ({trouble.strerror}).", "Check its name."
            ) from trouble
        except (DecodingError, ValueError) as trouble:
            raise QuizwriterError(
                f"The file {path} is not a QuizWriter profile ({trouble}).", "Export the profile again."
            ) from trouble

    def adopt(self, me: Person, key: SigningKey) -> None:
        """Keep ``key`` as the key of ``me``, the user in the settings."""
        account, file = self._place(me.id)
        keep_lasting_secret(account, key.secret, file)
        self._tried, self.trouble = True, None
        self._use(key, me, imported=True)


def _check(passphrase: str) -> None:
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise QuizwriterError(
            f"The passphrase is shorter than {SHORTEST_PASSPHRASE} characters.", "Choose a longer one."
        )


class _Header(msgspec.Struct):
    """The head of a profile, which all versions share, newer ones too."""

    format: Literal["quizwriter-profile"]
    version: Annotated[int, msgspec.Meta(ge=1)]
    program: object = None


class _Document(msgspec.Struct):
    salt: Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{2 * SALT_BYTES}}}\Z")]
    sealed: Annotated[str, msgspec.Meta(pattern=r"\A[A-Za-z0-9_=-]*\Z")]


class _ProfileRow(msgspec.Struct, forbid_unknown_fields=True):
    id: Identifier
    name: Annotated[str, msgspec.Meta(max_length=200)]
    email: Annotated[str, msgspec.Meta(max_length=200)]
    changed_ms: Milliseconds
    key: Annotated[str, msgspec.Meta(pattern=rf"\A[0-9a-f]{{{KEY_DIGITS}}}\Z")]
