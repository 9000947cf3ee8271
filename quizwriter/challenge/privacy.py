"""The people of a challenge set: their pseudonyms, and whose names must not be released."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.challenge.name_search import NameScanner
from quizwriter.domain.page import answer_key
from quizwriter.domain.review import Person
from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_write

if TYPE_CHECKING:
    from quizwriter.services.wiring import App

PSEUDONYM = re.compile(r"(?:person-[0-9a-f]{16}|unknown)\Z")


class Pseudonyms:
    """Pseudonyms of people and of questions, made with a secret key; without the key they look random.

    Source:
        HMAC, RFC 2104, with SHA-256, cut to 64 bits.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def load(cls, path: Path) -> Pseudonyms:
        """The pseudonyms of the key in the file at ``path``.

        The file is made at the first use. Only this user can read it.
        """
        problem = f"The key of the pseudonyms, {path}, cannot be used"
        remedy = "Free some disk space, or allow reading and writing it."
        try:
            if not path.exists():
                with atomic_write(
                    path, problem=problem, remedy=remedy, make_folder=True, private=True
                ) as file:
                    file.write(secrets.token_hex(32).encode() + b"\n")
            key = bytes.fromhex(path.read_text(encoding="ascii").strip())
            if len(key) < 16:
                raise ValueError
        except OSError as trouble:
            raise QuizwriterError(f"{problem} ({trouble.strerror}).", remedy) from trouble
        except ValueError:
            raise QuizwriterError(
                f"{path} no longer holds a key for pseudonyms.",
                "Restore a copy; without one, delete the file: people get new pseudonyms then.",
            ) from None
        return cls(key)

    def of(self, person_id: str) -> str:
        """The pseudonym of the person with this id; ``unknown`` for an empty id."""
        if not person_id:
            return "unknown"
        return f"person-{self._digest(person_id)}"

    def of_question(self, tossup_id: str) -> str:
        """The id under which the tossup with this id is released: the same in each release with this key.

        Ids in the database may follow from people's ids, and stand in every pack. Without the key, nobody can
        compute one id from the other.
        """
        return f"question-{self._digest(f'question {tossup_id}')}"

    def of_text(self, text: str) -> str:
        """What two equal texts have in common, whatever their case, spaces and punctuation."""
        return self._digest(f"text {answer_key(text)}", 32)

    @property
    def fingerprint(self) -> str:
        """A name of the key, from which nobody can compute the key."""
        return self._digest("fingerprint")

    def _digest(self, text: str, length: int = 16) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()[:length]


def known_people(app: App) -> list[Person]:
    """Everybody whose name must not be released: the people in the database, and the user of this profile.

    Those who were forgotten have pseudonyms there, which name nobody.
    """
    mine = app.profile.settings
    me = Person(mine.profile_id, mine.profile_name, mine.profile_email)
    pseudonyms = {one.pseudonym for one in app.store.forgotten.people}
    return [*(one for one in app.store.people().values() if one.name not in pseudonyms), me]


def name_scanner(app: App) -> NameScanner:
    return NameScanner(known_people(app), forgotten=app.store.forgotten)
