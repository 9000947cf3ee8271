"""Who wrote a released question is nobody's business: pseudonyms, and the search for what gives them away."""

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
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_DROPPED = b"0123456789.,-[]{}:"
_WITHOUT = dict.fromkeys(_DROPPED)
_LETTERS = re.compile(r"[^\W\d_]+")
_SHORTEST_PART = 3  # letters of a first or last name that is looked for alone
_SHORTEST_ID = 8  # characters; ours have 32
_BLOCK = 1 << 23  # bytes of whole lines that are searched at once


class Pseudonyms:
    """Names for people which only the holder of the key can tell apart from random ones.

    Source:
        HMAC, RFC 2104, with SHA-256, cut to 64 bits.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def kept(cls, path: Path) -> Pseudonyms:
        """Those of the key in ``path``, made at the first use and readable by this user only.

        Raises:
            QuizwriterError: it cannot be read or made.
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
                f"{path} is not a key of pseudonyms any more.",
                "Restore a copy; without one, delete the file: people get new pseudonyms then.",
            ) from None
        return cls(key)

    def of(self, person_id: str) -> str:
        """The pseudonym of a person; ``unknown`` where nobody knows who it was."""
        if not person_id:
            return "unknown"
        return "person-" + hmac.new(self._key, person_id.encode(), hashlib.sha256).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name where none may be: whose it is as given, the place, and the words around it."""

    name: str
    place: str
    around: str


_FOREIGN = re.compile(r"[^\x00-\x7f]+")


def _folded(text: str) -> str:
    """``text`` without case and accents."""
    lower = text.casefold()
    return lower if lower.isascii() else _FOREIGN.sub(_bare, lower)


def _bare(found: re.Match[str]) -> str:
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

    def __init__(self, people: Iterable[Person], others: Iterable[str] = ()) -> None:
        """``people`` may lack a name or an e-mail; their ids are looked for, too.

        ``others`` are names which, the editor says, mean somebody else here; an e-mail never does.
        """
        passed = {_folded(" ".join(name.split())) for name in others}
        self._all: list[_Needle] = []
        self._needles: dict[str, list[_Needle]] = {}  # by one of the words each has
        self.longest = 1  # characters of what is looked for, roughly
        for person in people:
            given, address = " ".join(person.name.split()), person.email.strip()
            if len(person.id) >= _SHORTEST_ID:
                self._add(given or "a person's id", [[_folded(person.id)]])
            folded = _folded(given)
            parts = folded.split()
            if folded and folded not in passed and _LETTERS.search(folded):
                self._add(given, [parts, [*parts[1:], parts[0]]] if len(parts) == 2 else [parts])
            if address:
                self._add(address, [[_folded(address)]])
            if len(parts) > 1:
                for part in given.split():
                    bare = part.strip(".,")
                    if len(bare) >= _SHORTEST_PART and _folded(bare) not in passed:
                        pattern = re.compile(rf"(?<!\w){re.escape(bare[:1].upper() + bare[1:])}(?!\w)")
                        words = frozenset(_LETTERS.findall(_folded(bare)))
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
        """Every name in ``text``, one find for each name; ``place`` says where that is.

        ``talk`` is text of people about their work, where a first name alone is a name too.
        """
        folded = _folded(text)
        for needle in self._in(set(_LETTERS.findall(folded))):
            if talk or not needle.capital:
                where = text if needle.capital else folded
                if found := needle.pattern.search(where):
                    yield NameMatch(needle.given, place, _around(where, *found.span()))

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
        """As :meth:`search`, in a whole file; the place is its name and the line."""
        before = 0  # lines
        with path.open("rb") as file:
            while lines := file.readlines(_BLOCK):
                raw = b"".join(lines)
                # what is in a text is in it without some letters as well, and much of these files are numbers
                few = _folded(raw.translate(None, _DROPPED).decode("utf-8", "replace"))
                needles = [
                    needle for needle in self._all if not needle.capital and needle.without_dropped in few
                ]
                if needles:
                    folded = _folded(raw.decode("utf-8", "replace"))
                    for needle in needles:
                        if found := self._near(needle, folded):
                            line = before + folded.count("\n", 0, found.start()) + 1
                            place = f"{path.name}, line {line}"
                            yield NameMatch(needle.given, place, _around(folded, *found.span()))
                before += len(lines)


def _around(text: str, start: int, end: int) -> str:
    first, last = max(0, start - 24), end + 24
    cut = text[first:last].replace("\n", " ")
    return ("…" if first else "") + cut + ("…" if last < len(text) else "")


def people(app: App) -> list[Person]:
    """Everybody whose name may be nowhere: those in the store, and whoever writes here."""
    mine = app.profile.settings
    me = Person(mine.profile_id, mine.profile_name, mine.profile_email)
    return [*app.store.people().values(), me]


def refuse(found: Iterable[NameMatch]) -> None:
    """Raise if anybody is named."""
    places = list(islice(found, 5))
    if places:
        said = "; ".join(f"“{one.name}” in {one.place} ({one.around})" for one in places)
        raise QuizwriterError(
            f"People are named where no name may be: {said}. Nothing was exported.",
            "Change those texts or leave the histories out; if it is another of that name, say so.",
        )
