"""The search for the names of people in texts and files that are to be released.

A name is found in the forms in which people leave it: ``Doe, Jane``, ``JaneDoe``, ``jane_doe``, ``j.doe``,
``jdoe``, ``DOE``, with letters of other alphabets that look alike, or with invisible characters inside. The
forms, and when they count, are in :mod:`quizwriter.challenge.name_forms`.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

import msgspec

from quizwriter.challenge.name_forms import (
    COMMON_WORDS,
    SHORTEST_PART,
    NameForm,
    SearchedText,
    always_counts,
    initials_in,
    last_counts,
    letters_only,
    name_forms,
    read_names,
    run_together,
)
from quizwriter.challenge.name_texts import bracketed, decoded, is_note, readings, spoken_to
from quizwriter.challenge.near_names import IsRare, NearNames, is_unlisted
from quizwriter.challenge.nicknames import SHORTEST_CUT
from quizwriter.domain.forgotten_names import ForgottenNames
from quizwriter.domain.history import Edit
from quizwriter.domain.review import Person
from quizwriter.formats.histories import LONGEST_LINE
from quizwriter.services.look_alikes import plain_letters
from quizwriter.system.memory import own_cache

EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")

_WIDEST_GAP = 4
"""Characters between two parts of a name, as in ``Doe, "Jane"``."""
_SHORTEST_HANDLE = 4  # characters of an e-mail's part before the @ that is looked for
_SHORTEST_INSIDE = 7  # letters of a whole name or a handle that is looked for inside longer words
_SHORTEST_ID = 8  # characters; ours have 32
_SHORT_TEXT = 100  # characters; of a longer text that names nobody only the digest is remembered
_MOST_UNNAMED = 200_000
_LONG_NAME = 40  # characters of a name of which only digests are known
_LETTERS = re.compile(r"[^\W\d_]+")
_CONTEXT = 24  # characters on each side of a match
_NO_SUBJECTS: Mapping[int, str] = MappingProxyType({})
_CELLS_APART = " |||| "  # between cells of a table, of which no two make one name

_ROLES = frozenset(
    {
        "admin",
        "contact",
        "editor",
        "editors",
        "hello",
        "info",
        "mail",
        "office",
        "post",
        "questions",
        "quizbowl",
    }
    | {"support", "team"}
)
"""Parts before the @ of e-mail addresses that name nobody."""


class NameMatch(msgspec.Struct, frozen=True):
    """A name that must not be released.

    ``name`` is the name as in the profile, ``found`` the form in the text, ``place`` where the text is, and
    ``context`` the words around. ``alone`` says that only a part of the name was found, ``exact`` that it is
    an e-mail address or an id. ``key`` stands for this form in this text: older versions kept decisions under
    it. ``tossup_id`` is the tossup whose text it is, empty for other texts.
    """

    name: str
    found: str
    place: str
    context: str
    alone: bool
    key: str
    exact: bool = False
    tossup_id: str = ""


_FORGOTTEN = "somebody who was forgotten"
"""What a match calls the person whose name nothing here knows any more."""

_Said = tuple[str, str, tuple[int, int], bool, bool]
"""Whose name it is, its letters, its place, whether a part alone was found, and whether in a tag."""

_Found = tuple[str, NameForm, tuple[int, int], bool]
"""The letters of a form, the form, its place, and whether that is in a tag."""


class NameScanner:
    """Looks for the names, e-mail addresses and ids of people.

    Case and accents do not matter, and the forms are those of this module.
    """

    def __init__(
        self,
        known_people: Iterable[Person],
        is_rare: IsRare = is_unlisted,
        forgotten: ForgottenNames | None = None,
    ) -> None:
        """``known_people`` may lack a name or an e-mail; their ids are looked for, too.

        ``is_rare`` says which last names count alone. Names of those ``forgotten`` may be typed again.
        """
        self._forgotten = forgotten or ForgottenNames()
        self.name_forms: dict[str, list[NameForm]] = {}
        self._beginnings: set[str] = set()
        self._substrings: dict[str, str] = {}  # letters and digits that are found inside words: of whom
        self._exact: dict[str, str] = {}  # as it is written, but for case: of whom
        self._initials: dict[str, list[str]] = {}
        self._beginnings_of: dict[str, list[str]] = {}  # of first names, in the names of files
        self._parts: dict[str, list[str]] = {}  # first and last names and nicknames: of whom
        self._is_rare = is_rare
        self._near = NearNames(is_rare)
        # texts without a name: a set has each text in five files
        self._unnamed: set[tuple[str | bytes, bool]] = set()
        self._in_note = own_cache(self._note, 1_000)
        self.longest = _LONG_NAME if self._forgotten else 1  # characters of a form, roughly
        for person in known_people:
            given, address = " ".join(person.name.split()), person.email.strip().casefold()
            if len(person.id) >= _SHORTEST_ID:
                self._exact[person.id.casefold()] = given or "a person's id"
            letters = letters_only(plain_letters(given))
            self.longest = max(self.longest, len(given) + 8, len(address))
            if any(map(str.isalpha, letters)):
                self._add(given, letters)
            if address:
                self._exact[address] = address
                self._add_handle(address, letters)

    def _add(self, given: str, letters: str) -> None:
        for names in read_names(given):
            for low, form in name_forms(given, names):
                self.name_forms.setdefault(low, []).append(form)
                self._beginnings.update(low[:end] for end in range(1, len(low) + 1))
            whole = letters if names.last else ""
            if names.first and names.last:
                whole = names.first[0] + names.last[0]
                self._near.add(given, names.first, names.last)
                for low in names.short_initials:
                    self._initials.setdefault(low, []).append(given)
                parts = {*names.first, *names.last, *names.called}
                beginnings = {one[:end] for one in names.first for end in range(SHORTEST_CUT, len(one))}
                for low in parts:
                    self._parts.setdefault(low, []).append(given)
                for low in beginnings:
                    self._beginnings_of.setdefault(low, []).append(given)
            if len(whole) >= _SHORTEST_INSIDE or not whole.isascii():
                self._substrings[whole] = given
            for last in names.last:
                if len(last) >= _SHORTEST_INSIDE and self._is_rare(last):
                    self._substrings |= dict.fromkeys((last[::-1], codecs.encode(last, "rot13")), given)
        if len(letters) >= _SHORTEST_INSIDE or not letters.isascii():
            self._substrings[letters] = given

    def _add_handle(self, address: str, letters: str) -> None:
        """Look for the part of ``address`` before the @, unless it is a name or a word that many have."""
        local = address.partition("@")[0].partition("+")[0]
        bare = letters_only(plain_letters(local))
        if len(bare) < _SHORTEST_HANDLE or bare in _ROLES or bare in self.name_forms:
            return
        if bare.isalpha() and (bare in COMMON_WORDS or bare in letters):
            self.name_forms.setdefault(bare, []).append(NameForm(address, True, last_counts))
            self._beginnings.update(bare[:end] for end in range(1, len(bare) + 1))
        else:
            if len(bare) >= _SHORTEST_INSIDE or not bare.isalpha():
                self._substrings[bare] = address
            self.name_forms.setdefault(bare, []).append(NameForm(address, False, always_counts))
            self._beginnings.update(bare[:end] for end in range(1, len(bare) + 1))

    def search(
        self, text: str, place: str, *, remark: bool = False, subject: str = ""
    ) -> Iterator[NameMatch]:
        """Every name in ``text``, one match for each form; ``place`` says where the text is.

        ``remark``: somebody wrote the text about the work, so a first or last name alone counts, too.
        ``subject`` is what the text is about, an answer: a writer may have the name of a famous person, and
        the question asks for that person unless the name stands in a tag.
        """
        for given, shown, span, alone in self._find(text, remark=remark, subjects=(subject,)):
            yield self._match(given, shown, place, span, text, alone=alone)

    def _find(
        self, text: str, *, remark: bool = False, subjects: Iterable[str] = ()
    ) -> Iterator[tuple[str, str, tuple[int, int], bool]]:
        """Every name: as the profile has it, the text it was found in, where, and whether a part alone."""
        known = text if len(text) <= _SHORT_TEXT else _digest(text), remark
        if known in self._unnamed:
            return
        clean, seen = True, set[tuple[str, str]]()
        whole = decoded(text)
        for low in dict.fromkeys((text.lower(), whole.lower())):
            for exact, given in self._exact.items():
                if (at := low.find(exact)) >= 0 and (given, exact) not in seen:
                    seen.add((given, exact))
                    clean = False
                    yield given, low if low != text.lower() else text, (at, at + len(exact)), False
        asked = [letters_only(plain_letters(subject)) for subject in subjects]
        reached = 0
        for start, end in sorted(
            self._forgotten.spans(whole, remark=remark), key=lambda span: (span[0], -span[1])
        ):
            clean = False
            letters = letters_only(plain_letters(whole[start:end]))
            if (
                end > reached
                and (_FORGOTTEN, letters) not in seen
                and not any(letters in one for one in asked)
            ):
                seen.add((_FORGOTTEN, letters))
                yield _FORGOTTEN, whole, (start, end), False
            reached = max(reached, end)
        named: set[str] = set()  # who is named in an earlier reading
        for plain in readings(text):
            low = plain.lower()
            found = [
                (given, substring, (at, at + len(substring)), False, True)
                for substring, given in self._substrings.items()
                if (at := low.find(substring)) >= 0
            ]
            found += self._in_reading(plain, remark=remark)
            clean = clean and not found
            wholes = [(given, span) for given, _, span, alone, _ in found if not alone]
            for given, letters, span, alone, tagged in found:
                if given in named or (given, letters) in seen:
                    continue
                if alone and any(
                    one == given and start <= span[0] and span[1] <= end for one, (start, end) in wholes
                ):
                    continue  # a part of what is found anyway
                if tagged or not any(letters in one for one in asked):
                    seen.add((given, letters))
                    yield given, plain, span, alone
            named.update(given for given, *_, alone, _ in found if not alone)
        if clean and len(self._unnamed) < _MOST_UNNAMED:
            self._unnamed.add(known)

    def _in_reading(self, plain: str, *, remark: bool) -> Iterator[_Said]:
        """The names in one reading of a text; some may come twice."""
        text = SearchedText.of(plain, remark=remark)
        whole: set[str] = set()
        for letters, form, span, tagged in self._found(text):
            if not form.alone:
                whole.add(form.given)
            yield form.given, letters, span, form.alone, tagged
        for letters, span in initials_in(text, self._initials):
            for given in self._initials.get(letters, ()):
                yield given, letters, span, True, text.in_tag(span[0])
        for near in self._near.search(plain, remark=remark):
            if near.given not in whole:  # else the same is found twice
                yield near.given, near.letters, near.span, near.alone, text.in_tag(near.span[0])
        if text.file_name:
            for word in _LETTERS.finditer(plain):
                low = word[0].lower()
                for letters in dict.fromkeys((low, low.removesuffix("s"))):
                    for given in (*self._beginnings_of.get(letters, ()), *self._parts.get(letters, ())):
                        yield given, letters, word.span(), True, False
        if remark:
            for letters, span in run_together(text):
                for given in (*self._beginnings_of.get(letters, ()), *self._parts.get(letters, ())):
                    yield given, letters, span, True, False
            return
        notes = [span for span in bracketed(plain) if is_note(plain[slice(*span)])]
        for start, end in (*notes, *spoken_to(plain)):
            said = plain[start:end]
            for given, letters, span, alone, tagged in self._in_note(said):
                if not (alone and _in_longer_name(said, span)):
                    yield given, letters, (start + span[0], start + span[1]), alone, tagged

    def _note(self, said: str) -> list[_Said]:
        """The names in a note, which most readings of a text have in common."""
        return list(self._in_reading(said, remark=True))

    def _found(self, text: SearchedText) -> Iterator[_Found]:
        """The forms in ``text``; some may come twice."""
        yield from self._of_tokens(text)
        if (fewer := text.without_initials()) is not text:  # "Jane Q. Doe" is Jane Doe, whatever the Q. means
            yield from self._of_tokens(fewer)

    def _of_tokens(self, text: SearchedText) -> Iterator[_Found]:
        spans, lows = text.spans, text.lows
        for first, letters in enumerate(lows):
            last = first
            while letters in self._beginnings:
                for form in self.name_forms.get(letters, ()):
                    if form.counts(text, first, last):
                        start = spans[first][0]
                        yield letters, form, (start, spans[last][1]), text.in_tag(start)
                last += 1
                if last == len(lows) or spans[last][0] - spans[last - 1][1] > _WIDEST_GAP:
                    break
                letters += lows[last]

    def search_file(
        self, path: Path, subjects: Mapping[int, str] = _NO_SUBJECTS, taken: Collection[str] = ()
    ) -> Iterator[NameMatch]:
        """Every name in the file at ``path`` of a challenge set; the place is the file's name and the line.

        In JSON and CSV each value is a text, and the values under :data:`REMARK_FIELDS` are remarks; those
        under :data:`NOT_OF_PEOPLE` are passed over. ``subjects`` are what the questions of the set ask for,
        by their numbers, and ``taken`` is what players took for it; documents list both.
        """
        with path.open("rb") as file:
            if path.suffix == ".json":
                yield from self._search_json(file.read(), path.name, subjects)
                return
            if path.suffix == ".csv":
                yield from self._search_csv(file.read().decode("utf-8", "replace"), path.name)
                return
            if path.suffix == ".png":  # of the picture only what may be written in it
                yield from self._search_inside(file.read().decode("latin-1"), path.name)
                return
            if path.suffix != ".jsonl":
                text = file.read().decode("utf-8", "replace")
                apart = text.replace(" | ", _CELLS_APART)
                for given, shown, span, alone in self._find(apart, subjects=(*subjects.values(), *taken)):
                    place = f"{path.name}, line {shown.count(chr(10), 0, span[0]) + 1}"
                    yield self._match(given, shown, place, span, text, alone=alone)
                return
            for number, raw in enumerate(iter(partial(file.readline, LONGEST_LINE), b""), start=1):
                yield from self._search_json(raw, f"{path.name}, line {number}", subjects)

    def search_history(self, edits: Iterable[tuple[int, Edit]], place: str) -> Iterator[NameMatch]:
        """Names in a text as it was after each word that was typed and before each deletion.

        ``edits`` come with their numbers; ``place`` says where the history is.
        """
        text, begun, end, last = "", 0, 0, 0  # what was typed since the last look

        def look(seq: int) -> Iterator[NameMatch]:
            first = max(0, begun - self.longest)
            # as far as it was typed, too: what it was typed in front of is no part of a name
            around = f"{text[first:end]}\n{text[first : end + self.longest]}"
            return self.search(around, f"{place} {seq}")

        for seq, edit in edits:
            goes_on = edit.start == end and not edit.removed and edit.inserted.isalnum()
            if end > begun and not goes_on:
                yield from look(seq - 1)
            text = edit.apply(text)
            begun, end = begun if goes_on else edit.start, edit.start + len(edit.inserted)
            if edit.removed and not edit.inserted:  # what was apart is together now
                yield from look(seq)
            last = seq
        yield from self.search(text, f"{place} {last}")

    def _search_csv(self, text: str, name: str) -> Iterator[NameMatch]:
        rows = csv.reader(io.StringIO(text, newline=""))
        head = next(rows, [])
        remarks = [field in REMARK_FIELDS for field in head]
        asked = head.index("page") if "page" in head else None
        yield from self.search(" ".join(head), f"{name}, line 1")
        try:
            for row in rows:
                subject = row[asked] if asked is not None and asked < len(row) else ""
                for text, remark in zip(row, remarks, strict=False):
                    place = f"{name}, line {rows.line_num}"
                    yield from self.search(text, place, remark=remark, subject=subject)
        except csv.Error:
            yield from self.search(text, name)

    def _search_inside(self, text: str, place: str) -> Iterator[NameMatch]:
        """Whole names, addresses and ids anywhere in a text that is no language."""
        low = text.lower()
        for letters, given in {**self._exact, **self._substrings}.items():
            if (at := low.find(letters)) >= 0:
                yield self._match(given, text, place, (at, at + len(letters)), text, alone=False)

    def _search_json(self, raw: bytes, place: str, subjects: Mapping[int, str]) -> Iterator[NameMatch]:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            yield from self.search(raw.decode("utf-8", "replace"), place)
            return
        for text, remark, subject in _texts_in(value, subjects):
            yield from self.search(text, place, remark=remark, subject=subject)

    def _match(
        self, given: str, shown: str, place: str, span: tuple[int, int], text: str, *, alone: bool
    ) -> NameMatch:
        found = shown[slice(*span)]
        key = hashlib.sha256(f"{found.casefold()}\n{text}".encode(errors="replace")).hexdigest()[:24]
        exact = found.casefold() in self._exact
        return NameMatch(given, found, place, _context(shown, *span), alone, key, exact)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode(errors="surrogatepass")).digest()


_NAME_BEHIND = re.compile(r"\s[^\W\d_]")


def _in_longer_name(said: str, span: tuple[int, int]) -> bool:
    """Whether a first or last name in a note stands beside another capital, as part of another name."""
    behind = _NAME_BEHIND.match(said, span[1])
    if behind is not None and behind[0][-1].isupper():
        return True
    before = said[: span[0]].rsplit(" ", 2)
    return (
        len(before) > 1
        and before[-1] == ""
        and before[-2][:1].isupper()
        and before[-2].isalpha()
        and len(before) > 2
    )


def _context(text: str, start: int, end: int) -> str:
    first, last = max(0, start - _CONTEXT), end + _CONTEXT
    cut = " ".join(text[first:last].split())
    return ("…" if first else "") + cut + ("…" if last < len(text) else "")


REMARK_FIELDS = frozenset(
    {"file", "levels", "note", "overridden", "reason", "reasons", "set", "source", "tags", "tournament"}
)
"""Names of JSON fields whose texts people write about the work."""

NOT_OF_PEOPLE = frozenset({"buzz_page", "pages", "told", "top", "wrong_guess"})
"""Names of JSON fields with guesses of players and findings of checks: titles, and words searched before."""


def _body_of(raw: str) -> object:
    try:
        return {"by": "", **json.loads(raw)}
    except (ValueError, TypeError, RecursionError):
        return raw


def _texts_in(
    value: object, subjects: Mapping[int, str], *, remark: bool = False, subject: str = ""
) -> Iterator[tuple[str, bool, str]]:
    """The texts in a JSON ``value``: each with whether it is a remark, and the answer of its question.

    ``subjects`` has the answers of questions of which only the number is there.
    """
    if isinstance(value, str):
        if len(value) >= SHORTEST_PART:
            yield value, remark, subject
    elif isinstance(value, Mapping):
        number = value.get("qanta_id")
        known = subjects.get(number) if isinstance(number, int) else None
        asked = value.get("page") or value.get("answer") or known or subject
        about = asked if isinstance(asked, str) else subject
        said = "kind" in value or "by" in value  # an event: what people say to each other
        for name, inside in value.items():
            if name in NOT_OF_PEOPLE:
                continue
            if name == "body" and isinstance(inside, str):  # of an event: JSON in a text
                inside = _body_of(inside)
            below = remark or name in REMARK_FIELDS or (said and name == "text")
            yield from _texts_in(inside, subjects, remark=below, subject=about)
    elif isinstance(value, list):
        for inside in value:
            yield from _texts_in(inside, subjects, remark=remark, subject=subject)


# -- a whole set


def search_set(scanner: NameScanner, folder: Path, files: Collection[Path]) -> Iterator[NameMatch]:
    """Every name in these ``files`` of the challenge set in ``folder``."""
    questions = folder / "questions.json"
    subjects, taken = _subjects_in(questions) if questions in files else ({}, frozenset[str]())
    for path in files:
        yield from scanner.search_file(path, subjects, taken)


def _subjects_in(questions: Path) -> tuple[dict[int, str], frozenset[str]]:
    """What each question asks for, by its number, and what players took for it."""
    try:
        whole = json.loads(questions.read_bytes())
        asked = {int(row["qanta_id"]): str(row.get("page") or row["answer"]) for row in whole["questions"]}
        taken = {str(one["page"]) for row in whole["quizwriter"] if (one := row.get("wrong_guess"))}
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}, frozenset()  # whoever verifies says so
    return asked, frozenset(taken)
