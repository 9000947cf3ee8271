"""People who were forgotten: their names are known by salted digests alone, and found by these.

What a person is called is words in a row. A word is compared without case and accents. The whole name, the
e-mail address and the like count in every text; a part of the name counts in remarks only, as a tossup may be
about somebody of the same surname.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated

import msgspec

from quizwriter.domain.plain_text import ACCENTS, UNSEEN
from quizwriter.domain.review import Person

MOST_WORDS = 5
"""Words of a name at most that are looked for together."""

SHORTEST_PART = 3
"""Letters of a word of a name at least that counts alone."""

LONGEST_GAP = 3
"""Signs at most between two words of a name."""

MOST_SEEN = 200_000
"""Words whose answer is kept: each version of a draft has nearly the same ones."""

LONGEST_SIDE = 100
"""Signs at most before and behind the @ of an address."""

BLACK = "■"
"""What stands for each letter and digit of a forgotten name."""

_WORD = re.compile(rf"[^\W_]++(?:[{ACCENTS}{UNSEEN}]++[^\W_]*+)*+")
_WORD_BETWEEN = re.compile(rf"[^\W_]++(?:[{ACCENTS}]++[^\W_]*+)*+")  # web pages part words by unseen spaces
_NO_LETTERS = re.compile(f"[{UNSEEN}]+")
_OF_ADDRESS = r"[^\s<>()\[\],;:\"“”|]"
_ADDRESS = re.compile(rf"{_OF_ADDRESS}{{1,{LONGEST_SIDE}}}@{_OF_ADDRESS}{{1,{LONGEST_SIDE}}}")
_AROUND_AT = re.compile(rf"{_OF_ADDRESS}@(?={_OF_ADDRESS})")
_FILE = re.compile(r"\S+|.*\.[A-Za-z]{2,6}")

Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")]


def _bare(text: str) -> str:
    if text.isascii():
        return text.lower()
    flat = unicodedata.normalize("NFKD", _NO_LETTERS.sub("", text).casefold())
    return "".join(one for one in flat if not unicodedata.combining(one))


def _words(text: str) -> list[str]:
    return [_bare(one) for one in _WORD.findall(unicodedata.normalize("NFC", text))]


class ForgottenPerson(msgspec.Struct, frozen=True):
    """Somebody who was forgotten, by digests; ``ids`` are those in the database, which name nobody.

    ``whole`` has the names and addresses, ``firsts`` the words that a name begins with, however it is turned,
    ``parts`` the words of the names that count alone in remarks, and ``keys`` the public keys. Lists of older
    programs have no ``firsts``: a name may begin with any word.
    """

    pseudonym: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    ids: tuple[Annotated[str, msgspec.Meta(max_length=200)], ...] = ()
    whole: frozenset[Digest] = frozenset()
    parts: frozenset[Digest] = frozenset()
    keys: frozenset[Digest] = frozenset()
    firsts: frozenset[Digest] = frozenset()


class NameDigests(msgspec.Struct, frozen=True):
    """What names and addresses are found by; see :class:`ForgottenPerson`."""

    whole: frozenset[Digest]
    parts: frozenset[Digest]
    firsts: frozenset[Digest]


class _SeenWord(msgspec.Struct, frozen=True):
    """A word of a text: without case and accents, whether a name may begin with it, and what it is alone."""

    bare: str
    begins: bool
    whole: bool
    part: bool


class ForgottenNames(msgspec.Struct, frozen=True, dict=True):
    """All people who were forgotten. ``masked`` says which letters of earlier edits were part of a name.

    Its keys are digests of the ids that the edits had. ``renamed`` gives, for the digest of an id that an
    event or an edit had, the id that it has without the name.
    """

    salt: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")] = "0" * 32
    people: tuple[ForgottenPerson, ...] = ()
    masked: Mapping[Digest, tuple[int, ...]] = {}
    renamed: Mapping[Digest, str] = {}

    def __bool__(self) -> bool:
        return bool(self.people)

    @cached_property
    def _keyed(self) -> hashlib.blake2b:
        return hashlib.blake2b(key=bytes.fromhex(self.salt), digest_size=16)

    def digest(self, text: str) -> str:
        digest = self._keyed.copy()
        digest.update(text.encode())
        return digest.hexdigest()

    def described(self, names: Iterable[str], emails: Iterable[str]) -> NameDigests:
        """The digests of everything that ``names`` and ``emails`` are found by."""
        whole: set[str] = set()
        parts: set[str] = set()
        firsts: set[str] = set()
        for name in names:
            words = _words(name)[:MOST_WORDS]
            if not words:
                continue
            forms = [words]
            if len(words) > 1:
                first, last = words[0], words[-1]
                forms += [[first, last], [last, first], [last, *words[:-1]], [first[0], last], [first + last]]
                parts.update(one for one in words if len(one) >= SHORTEST_PART)
            whole.update(" ".join(form) for form in forms)
            firsts.update(form[0] for form in forms)
        for email in filter(None, emails):
            whole.add(_bare(email))
            local = " ".join(_words(email.partition("@")[0]))
            if len(local) >= SHORTEST_PART:
                parts.add(local)
        return NameDigests(*(frozenset(map(self.digest, some)) for some in (whole, parts, firsts)))

    @cached_property
    def _whole(self) -> frozenset[str]:
        return frozenset(one for person in self.people for one in person.whole)

    @cached_property
    def _parts(self) -> frozenset[str]:
        return frozenset(one for person in self.people for one in person.parts)

    @cached_property
    def _firsts(self) -> frozenset[str] | None:
        """None: a name may begin with any word."""
        if any(person.whole and not person.firsts for person in self.people):
            return None
        return frozenset(one for person in self.people for one in person.firsts)

    @cached_property
    def ids(self) -> Mapping[str, ForgottenPerson]:
        return {key: person for person in self.people for key in person.ids}

    def person_of(self, name: str = "", email: str = "", key: str = "") -> ForgottenPerson | None:
        """The forgotten person who has this name, this address or this public key."""
        said = {self.digest(one) for one in (" ".join(_words(name)), _bare(email)) if one}
        signed = self.digest(key) if key else ""
        return next((one for one in self.people if said & one.whole or signed in one.keys), None)

    def without_name(self, person: Person) -> Person:
        """``person``, under a pseudonym if it was forgotten."""
        if not self.people:
            return person
        signed = person.signature.key if person.signature is not None else person.key
        found = self.ids.get(person.id) or self.person_of(person.name, person.email, signed)
        if found is None:
            return person
        return msgspec.structs.replace(person, name=found.pseudonym, email="", signature=None)

    # -- texts

    def spans(self, text: str, *, remark: bool = False, any_case: bool = False) -> Iterator[tuple[int, int]]:
        """Where a forgotten name is in ``text``; ``remark``: a part of a name counts if it has a capital.

        ``any_case``: without one, too, as in the name of a file.
        """
        if not self.people:
            return
        for start, end in _addresses(text):
            if self.digest(_bare(text[start:end].rstrip(".!?"))) in self._whole:
                yield start, end
        any_case = any_case or _FILE.fullmatch(text) is not None
        seen, look = self._seen, self._look
        if len(seen) > MOST_SEEN:
            seen.clear()
        unseen = not text.isascii() and _NO_LETTERS.search(text) is not None
        words = [
            (pattern, found, known)
            for pattern in ((_WORD, _WORD_BETWEEN) if unseen else (_WORD,))
            for found in pattern.finditer(text)
            if (known := seen.get(found[0]) or look(found[0])).begins or known.part
        ]
        for pattern, found, known in words:
            start, end = found.span()
            if known.whole or (remark and known.part and (any_case or text[start].isupper())):
                yield start, end
            if known.begins:
                for to in self._ends(text, end, known.bare, pattern):
                    yield start, to

    def _ends(self, text: str, reached: int, row: str, pattern: re.Pattern[str]) -> Iterator[int]:
        """Where the names end that begin with the word ``row``, which ends at ``reached``."""
        for _ in range(MOST_WORDS - 1):
            found = pattern.search(text, reached, reached + LONGEST_GAP + 1)
            if found is None or "\n" in text[reached : found.start()]:
                return
            found = pattern.match(text, found.start())
            assert found is not None
            row, reached = f"{row} {_bare(found[0])}", found.end()
            if self._is_among(row, self._whole):
                yield reached

    def _look(self, word: str) -> _SeenWord:
        bare = _bare(word)
        begins = self._firsts is None or self._is_among(bare, self._firsts)
        whole = begins and self._is_among(bare, self._whole)
        seen = self._seen[word] = _SeenWord(bare, begins, whole, self._is_among(bare, self._parts))
        return seen

    def _is_among(self, row: str, digests: frozenset[str]) -> bool:
        """Whether ``row`` or its plural, such as in *jordans packet*, is one of ``digests``."""
        return any(self.digest(one) in digests for one in (row, row.removesuffix("s")))

    @cached_property
    def _seen(self) -> dict[str, _SeenWord]:
        return {}

    def blacked(self, text: str, *, remark: bool = False, any_case: bool = False) -> str:
        """``text`` with :data:`BLACK` for each letter and digit of a forgotten name: as long as before."""
        spans = list(self.spans(text, remark=remark, any_case=any_case))
        if not spans:
            return text
        letters = list(text)
        for start, end in spans:
            letters[start:end] = blacked(text[start:end])
        return "".join(letters)

    def without_names(
        self, value: object, *, remark: bool = True, keys: bool = False, any_case: bool = False
    ) -> object:
        """``value``, ready for JSON, with its texts blacked, and with ``keys`` the names of its fields.

        Texts that must fit a draft are blacked as that is.
        """
        match value:
            case str():
                return self.blacked(value, remark=remark, any_case=any_case)
            case list() | tuple():
                return [self.without_names(one, remark=remark, keys=keys, any_case=any_case) for one in value]
            case dict():
                return {
                    self.blacked(key, remark=True) if keys else key: self.without_names(
                        inside, remark=remark and key not in _OF_DRAFTS, keys=keys, any_case=key in _OF_FILES
                    )
                    for key, inside in value.items()
                }
        return value


_OF_DRAFTS = frozenset({"removed", "inserted", "quoted", "line"})
_OF_FILES = frozenset({"file", "question", "packet"})


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    """Where addresses are: only around each @, as a pattern alone tries every letter as the first."""
    if "@" not in text:
        return
    end = 0
    for around in _AROUND_AT.finditer(text):
        at = around.end() - 1
        if at > end:  # else it is in the one before
            found = _ADDRESS.search(text, max(end, at - LONGEST_SIDE), at + 2 * LONGEST_SIDE + 1)
            assert found is not None
            end = found.end()
            yield found.span()


def blacked(text: str) -> str:
    """``text`` with :data:`BLACK` for each letter, accent and digit."""
    return "".join(BLACK if one.isalnum() or unicodedata.combining(one) else one for one in text)
