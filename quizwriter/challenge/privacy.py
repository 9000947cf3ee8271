"""Pseudonyms for the people in a challenge set, and the search for names that would give them away."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.atomic import atomic_write
from quizwriter.domain.review import Person
from quizwriter.errors import QuizwriterError

if TYPE_CHECKING:
    from quizwriter.services import App

PSEUDONYM = re.compile(r"(?:person-[0-9a-f]{16}|unknown)\Z")
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)++")
_DROPPED = b"0123456789.,-[]{}:"
_WITHOUT = dict.fromkeys(_DROPPED)
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORTEST_PART = 3  # letters of a first or last name that is looked for alone
_SHORTEST_ID = 8  # characters; ours have 32
_BLOCK = 1 << 23  # bytes of whole lines that are searched at once


class Pseudonyms:
    """Pseudonyms of people, made with a secret key; without the key they look random.

    Source:
        HMAC, RFC 2104, with SHA-256, cut to 64 bits.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def load(cls, path: Path) -> Pseudonyms:
        """The pseudonyms of the key in the file at ``path``.

        The file is made at the first use. Only this user can read it.

        Raises:
            QuizwriterError: the file cannot be read or made, or holds no key.
        """
        problem = f"The key of the pseudonyms, {path}, cannot be used"
        remedy = "Make room, or allow reading and writing it."
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
        return "person-" + hmac.new(self._key, person_id.encode(), hashlib.sha256).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name that must not be released: the name as in its profile, its place, and the words around it."""

    name: str
    place: str
    context: str


_FOREIGN = re.compile(r"[^\x00-\x7f]+")


def _fold(text: str) -> str:
    """``text`` without case and accents."""
    lower = text.casefold()
    return lower if lower.isascii() else _FOREIGN.sub(_without_accents, lower)


def _without_accents(found: re.Match[str]) -> str:
    apart = unicodedata.normalize("NFKD", found[0])
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


@dataclass(frozen=True)
class _Needle:
    given: str  # as the profile has it
    words: frozenset[str]  # all of which must be in a text that holds it
    pattern: re.Pattern[str]
    longest: str  # of those that it is made of, without case and accents
    capital: bool = False  # looked for as written, and only in what people say to each other

    @property
    def without_dropped(self) -> str:
        """What a text without :data:`_DROPPED` has if it holds this."""
        return self.longest.translate(_WITHOUT)


class NameScanner:
    """Looks for people's names and e-mail addresses, whatever their case and accents."""

    def __init__(self, known_people: Iterable[Person], others: Iterable[str] = ()) -> None:
        """``people`` may lack a name or an e-mail; their ids are looked for, too.

        ``others`` are names which, the editor says, mean somebody else here; an e-mail never does.
        """
        passed = {_fold(" ".join(name.split())) for name in others}
        self._all: list[_Needle] = []
        self._needles: dict[str, list[_Needle]] = {}  # by one of the words each has
        self.longest = 1  # characters of what is looked for, roughly
        for person in known_people:
            given, address = " ".join(person.name.split()), person.email.strip()
            if len(person.id) >= _SHORTEST_ID:
                self._add(given or "a person's id", [[_fold(person.id)]])
            folded = _fold(given)
            parts = folded.split()
            if folded and folded not in passed and _LETTERS.search(folded):
                self._add(given, [parts, [*parts[1:], parts[0]]] if len(parts) == 2 else [parts])
            if address:
                self._add(address, [[_fold(address)]])
            if len(parts) > 1:
                for part in given.split():
                    bare = part.strip(".,")
                    if len(bare) >= _SHORTEST_PART and _fold(bare) not in passed:
                        pattern = re.compile(rf"(?<!\w){re.escape(bare[:1].upper() + bare[1:])}(?!\w)")
                        words = frozenset(_LETTERS.findall(_fold(bare)))
                        self._put(_Needle(given, words, pattern, "", capital=True))

    def _put(self, needle: _Needle) -> None:
        self._all.append(needle)
        self._needles.setdefault(max(needle.words, key=len, default=""), []).append(needle)

    def _in(self, words: set[str]) -> Iterator[_Needle]:
        """Those that may be in a text of ``words``."""
        for word in sorted(words & self._needles.keys()) + [""] * ("" in self._needles):
            for needle in self._needles[word]:
                if needle.words <= words:
                    yield needle

    def _add(self, given: str, orders: list[list[str]]) -> None:
        # in a file a line break may be written as \n, and "Doe, Jane" is Jane Doe as well
        between = r"(?:,?(?:\s|\\[nrt])+)"
        ways = "|".join(between.join(map(re.escape, order)) for order in orders)
        words = frozenset(_LETTERS.findall(" ".join(orders[0])))
        pattern = re.compile(rf"(?<!\w)(?:{ways})(?!\w)")
        self._put(_Needle(given, words, pattern, max(orders[0], key=len)))
        self.longest = max(self.longest, len(given) + 8)

    def search(self, text: str, place: str, *, talk: bool = False) -> Iterator[NameMatch]:
        """Every name in ``text``, one match for each name; ``place`` says where the text is.

        ``talk``: people talk about their work in the text, so a first or last name alone counts as a name
        too.
        """
        folded = _fold(text)
        for needle in self._in(set(_LETTERS.findall(folded))):
            if talk or not needle.capital:
                where = text if needle.capital else folded
                if found := needle.pattern.search(where):
                    yield NameMatch(needle.given, place, _context(where, *found.span()))

    def _near(self, needle: _Needle, folded: str) -> re.Match[str] | None:
        """The first place of ``needle``, looked for around its longest part only, which is much faster."""
        at = folded.find(needle.longest)
        while at >= 0:
            reach = self.longest + len(needle.longest)
            near = needle.pattern.search(folded, max(0, at - reach), at + reach)
            if near and (found := needle.pattern.match(folded, near.start())):  # whatever is behind the reach
                return found
            at = folded.find(needle.longest, at + 1)
        return None

    def search_file(self, path: Path) -> Iterator[NameMatch]:
        """Every name in the file at ``path``, as :meth:`search`; the place is the file's name and the line.

        Raises:
            OSError: the file cannot be read.
        """
        before = 0  # lines
        with path.open("rb") as file:
            while lines := file.readlines(_BLOCK):
                raw = b"".join(lines)
                # what is in a text is in it without some letters as well, and much of these files are numbers
                few = _fold(raw.translate(None, _DROPPED).decode("utf-8", "replace"))
                needles = [
                    needle for needle in self._all if not needle.capital and needle.without_dropped in few
                ]
                if needles:
                    folded = _fold(raw.decode("utf-8", "replace"))
                    for needle in needles:
                        if found := self._near(needle, folded):
                            line = before + folded.count("\n", 0, found.start()) + 1
                            place = f"{path.name}, line {line}"
                            yield NameMatch(needle.given, place, _context(folded, *found.span()))
                before += len(lines)


def _context(text: str, start: int, end: int) -> str:
    first, last = max(0, start - 24), end + 24
    cut = text[first:last].replace("\n", " ")
    return ("…" if first else "") + cut + ("…" if last < len(text) else "")


def known_people(app: App) -> list[Person]:
    """Everybody whose name must not be released: the people in the database, and the user of this profile."""
    mine = app.profile.settings
    me = Person(mine.profile_id, mine.profile_name, mine.profile_email)
    return [*app.store.people().values(), me]


def raise_if_named(found: Iterable[NameMatch]) -> None:
    """Raise if there are matches.

    Raises:
        QuizwriterError: there is a match; the text names the first five.
    """
    places = list(islice(found, 5))
    if places:
        said = "; ".join(f"“{one.name}” in {one.place} ({one.context})" for one in places)
        raise QuizwriterError(
            f"Names of people would be released: {said}. Nothing was exported.",
            "Change those texts or leave the histories out. If a name means somebody else, list it as such.",
        )
