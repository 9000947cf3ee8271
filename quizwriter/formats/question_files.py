"""Question sets as they are found: JSON lines or QANTA JSON, plain or packed, row by row."""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import ijson
import msgspec
from msgspec.structs import replace

from quizwriter.domain.past_questions import EASIEST, HARDEST
from quizwriter.domain.plain_text import cleaned, count_odd
from quizwriter.domain.styles import PLAIN, TextStyles
from quizwriter.domain.tossup import Answer
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.formats.file_formats import Holds, endings
from quizwriter.formats.packet_tags import NO_TAG, PacketTag, read_tags, split_tags
from quizwriter.system.decoding import (
    LONGEST_TEXT,
    MOST_VALUES,
    DecodingError,
    JsonListReader,
    check_json_shape,
    decode_json,
    open_regular,
    read_limited,
    translate_decoding_errors,
    translate_unpacking_errors,
    unpacked,
)

GUESS, BUZZ, DEVELOPMENT = "guess", "buzz", "development"
"""The folds: who is trained on a question, or that nobody is."""

_GIVEN_FOLDS = {
    "guesstrain": GUESS,
    "buzztrain": BUZZ,
    "guessdev": DEVELOPMENT,
    "buzzdev": DEVELOPMENT,
    "guesstest": DEVELOPMENT,
    "buzztest": DEVELOPMENT,
    "adversarial": DEVELOPMENT,
}
SHORTEST = 20  # characters; a shorter text is a fragment
LONGEST_ROW = 8 << 20
"""Bytes of a row; the longest articles of an encyclopedia have a few million."""

MOST_FRUITLESS = 100_000
"""Lines one after the other that are no JSON objects; then the file is none of questions."""

LONGEST_NAME = 5_000
"""Characters of an answer line, a category, a tournament and the like."""

RETRACTED = "retracted.json"
"""The file of a challenge set that lists the withdrawn questions; the others keep their rows."""

LARGEST_RETRACTED = 256 << 20

_NAMES = (
    *("answer", "answer_label", "answer_main", "page", "id", "qanta_id", "_id", "category", "category_pred"),
    *("subcategory", "tournament", "packet", "num", "author", "writer"),
)
_QANTA_WRAPPER = re.compile(rb'^\s*\{[^{]{0,65536}?"questions"\s*:\s*\[', re.DOTALL)


_MISREAD = re.compile(r"[\x80-\x9fÂÃÄÅâ]")
"""Signs of text that was read in the wrong encoding; most texts with one of them are as they should be."""

_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_POWER_MARK = "(*)"


class QuestionOrigin(msgspec.Struct, frozen=True):
    """Where and when a question was asked; empty or None where the source does not say.

    ``place`` is where in the tournament: "packet 17, tossup 16". ``power`` is where the power ends, in code
    points of the text.
    """

    tournament: str = ""
    place: str = ""
    year: int | None = None
    difficulty: int | None = None
    power: int | None = None

    @property
    def source(self) -> str:
        """Where the question was asked, as a writer reads it."""
        return f"{self.tournament or 'a past question'}, {self.place}"


NO_ORIGIN = QuestionOrigin()


class FileQuestion(msgspec.Struct, frozen=True):
    """A tossup with its answer as the source gave it; ``page`` is None where the source names none."""

    id: str
    text: str
    page: str | None
    answer: str  # without brackets; never empty
    fold: str
    source: str  # as a writer reads it: "2017 NASAT, packet 17, tossup 16"
    category: str = ""  # as the source names it; empty where it does not
    line: str = ""  # the whole answer line
    tag: PacketTag = NO_TAG  # what stood between angle brackets behind the text and the answer line
    origin: QuestionOrigin = NO_ORIGIN
    styles: TextStyles = PLAIN  # of the text
    line_styles: TextStyles = PLAIN
    based_on: str = ""  # the past question that it was begun with


PRINTED = "printed"
"""The key under which the row of a packet has its :class:`PrintedDetails`, which no JSON file can have."""


class PrintedDetails(msgspec.Struct, frozen=True):
    """What a packet shows of a tossup beside its texts; the styles are those of the row's text and answer."""

    styles: TextStyles = PLAIN
    answer_styles: TextStyles = PLAIN
    based_on: str = ""


class ReadReport(msgspec.Struct):
    """What came of a file: rows used, and the others by reason with the first place of each."""

    path: str
    read: float = 0.0  # share of the file, from 0 to 1
    rows: int = 0
    row_bytes: int = LONGEST_ROW  # at most so many are in the row read last
    used: int = 0
    odd: int = 0  # characters that no text can have; they were replaced or left out
    bonuses: int = 0  # read and left out, because only tossups become drafts
    headings: int = 0  # lines that ask nothing: headings, notes and page numbers
    long_tags: int = 0  # tags too long for one
    editors: int = 0  # named in tags, and no writers
    rejected: Counter[str] = msgspec.field(default_factory=Counter)
    first: dict[str, int] = msgspec.field(default_factory=dict)
    openings: dict[str, str] = msgspec.field(default_factory=dict)  # of the first in a packet, without rows

    def reject(self, reason: str, opening: str = "") -> None:
        """Count the row read last under ``reason``; what has no rows has an ``opening`` to be found by."""
        if opening and not self.rejected[reason]:
            self.openings[reason] = opening
        self.rejected[reason] += 1
        self.first.setdefault(reason, self.rows)

    def as_json(self) -> dict[str, object]:
        return {
            "file": self.path,
            "rows": self.rows,
            "used": self.used,
            "odd_characters": self.odd,
            "left_out": {
                name: getattr(self, name) for name in ("bonuses", "headings", "long_tags", "editors")
            },
            "rejected": {
                reason: {"rows": count, "first_row": self.first[reason]}
                for reason, count in self.rejected.most_common()
            },
        }


HELD_BACK = "held_back_tournaments"
"""The key in the manifest of a bundle for how many of a hundred tournaments were held back."""


def is_held_back(tournament: str, share: int) -> bool:
    """Whether ``tournament`` is among the ``share`` of a hundred that are held back, by a hash of its name.

    Questions without a tournament never are: nobody could say whether they are new.
    """
    if not tournament or not share:
        return False
    return int(hashlib.sha256(tournament.encode()).hexdigest(), 16) % 100 < share


def fold_of(identifier: str) -> str:
    """The fold of a question that came without one: 8/10, 1/10, 1/10 by a hash of its id."""
    digit = int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 10
    return BUZZ if digit == 8 else DEVELOPMENT if digit == 9 else GUESS


def questions(path: Path, report: ReadReport) -> Iterator[FileQuestion]:
    """The tossups of a JSON-lines or QANTA file, plain or packed; the rest is counted in ``report``."""
    seen: set[str] = set()
    for row in not_withdrawn(path, rows(path, report), report):
        question = question_of(row, report, seen)
        if question is not None:
            yield question


class _WithdrawnRow(msgspec.Struct):
    qanta_id: int


def withdrawn_beside(path: Path) -> frozenset[int]:
    """The numbers of the questions that were withdrawn from the challenge set whose file is at ``path``.

    Empty where no list of them lies beside it.
    """
    listed = path.parent / RETRACTED
    if not listed.exists():
        return frozenset()
    with (
        translate_reading_errors(listed),
        translate_decoding_errors(f"{listed} cannot be used", "Verify the set, or copy it again."),
    ):
        found = decode_json(read_limited(listed, LARGEST_RETRACTED), list[_WithdrawnRow])
    return frozenset(row.qanta_id for row in found)


def not_withdrawn(
    path: Path, found: Iterable[dict[str, Any]], report: ReadReport
) -> Iterator[dict[str, Any]]:
    """The rows ``found`` in the file at ``path`` but the withdrawn ones, which ``report`` counts."""
    withdrawn = withdrawn_beside(path)
    for row in found:
        number = row.get("qanta_id")
        if isinstance(number, int) and number in withdrawn:
            report.reject("withdrawn from its challenge set")
        else:
            yield row


def question_of(row: Mapping[str, Any], report: ReadReport, seen: set[str]) -> FileQuestion | None:
    """The tossup in ``row``, or None after ``report`` got the reason. ``seen`` collects the ids."""
    if report.row_bytes > LONGEST_NAME and (reason := too_long(row)):
        report.reject(reason)
        return None
    if not row.get("text") and (row.get("leadin") or row.get("parts")):
        report.bonuses += 1
        return None
    whole = clean(row.get("text"))
    text, tags = split_tags(whole)
    whole_line = one_line(row.get("answer"))
    line, more_tags = split_tags(whole_line)
    page = one_line(row.get("page")).replace(" ", "_")
    answer = answer_of(row) or page.replace("_", " ")
    if len(text) < SHORTEST:
        report.reject("text missing or too short")
        return None
    if not answer:
        report.reject("no answer")
        return None
    identifier = _identifier(row, whole)
    if identifier in seen:
        report.reject("same id as an earlier row")
        return None
    seen.add(identifier)
    given = _GIVEN_FOLDS.get(clean(row.get("fold")))
    report.used += 1
    for name, kept in (("text", whole), ("answer", whole_line)):
        value = row.get(name)
        if isinstance(value, str) and value != kept:  # a quick look: most are kept as they are
            report.odd += count_odd(value)
    tag = read_tags((*tags, *more_tags)) if tags or more_tags else NO_TAG
    report.editors += len(tag.editors)
    category = (
        one_line(row.get("category")) or "".join(tag.category[:1]) or one_line(row.get("category_pred"))
    )
    fold = given or fold_of(identifier)
    origin = origin_of(row, text)
    found = FileQuestion(
        identifier, text, page or None, answer, fold, origin.source, category, line or answer, tag, origin
    )
    printed = row.get(PRINTED)
    if not isinstance(printed, PrintedDetails):
        return found
    # the texts of a packet are on one line already, so only tags are missing at their ends
    styles, line_styles = printed.styles.codes[: len(text)], printed.answer_styles.codes[: len(found.line)]
    return replace(
        found,
        styles=TextStyles.of_codes(styles),
        line_styles=TextStyles.of_codes(line_styles),
        based_on=one_line(printed.based_on),
    )


def too_long(row: Mapping[str, Any]) -> str:
    """Why a question or bonus part cannot be used if something in it is too long; empty if nothing is."""
    for value in row.values():  # a quick look: nearly every question is short
        if isinstance(value, str) and len(value) > LONGEST_NAME:
            break
    else:
        return ""
    text = row.get("text")
    if isinstance(text, str) and len(text) > LONGEST_TEXT:
        return f"a text of more than {LONGEST_TEXT:,} characters"
    for name in _NAMES:
        value = row.get(name)
        if isinstance(value, str) and len(value) > LONGEST_NAME:
            return f"{name} has more than {LONGEST_NAME:,} characters"
    return ""


def clean(value: object) -> str:
    """``value`` as :func:`cleaned` text; empty if it is no text.

    Letters that were once read in the wrong encoding ("Leo\\x9a JanÃ¡Äek") are what they were meant to be.
    """
    if not isinstance(value, str):
        return ""
    if value.isascii() and value.isprintable():  # a quick look: most are
        return value.strip()
    if _MISREAD.search(value):
        from ftfy import fix_encoding

        value = fix_encoding(value)
    return cleaned(value).strip()


def one_line(value: object) -> str:
    """``value`` as :func:`clean` text on one line, for what a list or a bundle keeps line by line."""
    return " ".join(clean(value).split())


def answer_of(row: Mapping[str, Any]) -> str:
    """The answer of a question or bonus part, without brackets; empty if it has none."""
    label = one_line(row.get("answer_label")).replace("_", " ")
    return label or Answer(one_line(row.get("answer_main")) or one_line(row.get("answer"))).main


def _identifier(row: Mapping[str, Any], text: str) -> str:
    for name, prefix in (("id", ""), ("qanta_id", "qanta-"), ("_id", "")):
        if value := _label(row.get(name)):
            return f"{prefix}{value}"
    return "text-" + hashlib.sha256(text.encode()).hexdigest()[:12]


def _label(value: object) -> str:
    """``value`` as people call a packet or a question; empty if it is neither text nor a whole number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else one_line(value)


def _place_of(row: Mapping[str, Any], kind: str) -> str:
    packet, number = _label(row.get("packet")), _label(row.get("num"))
    place = f"{kind} {number}" if number else kind
    if not packet:
        return place
    return f"packet {packet}, {place}" if packet.isdigit() else f"{packet}, {place}"


def origin_of(row: Mapping[str, Any], text: str, kind: str = "tossup") -> QuestionOrigin:
    """Where and when the question in ``row`` was asked; ``text`` is its text as it is kept."""
    tournament = one_line(row.get("tournament"))
    year, difficulty = _whole_number(row.get("year")), _whole_number(row.get("difficulty"))
    if year is None or not 1900 <= year < 2100:
        year = year_in(tournament)
    if difficulty is not None and not EASIEST <= difficulty <= HARDEST:
        difficulty = None
    return QuestionOrigin(tournament, _place_of(row, kind), year, difficulty, _power_of(row, text))


def year_in(name: str) -> int | None:
    """The year in the name of a tournament; None if it has none."""
    found = _YEAR.search(name)
    return None if found is None else int(found.group())


def _whole_number(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 4:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _power_of(row: Mapping[str, Any], text: str) -> int | None:
    """Where the power ends: at the mark in the text, or where the row says."""
    mark = text.find(_POWER_MARK)
    if mark >= 0:
        return mark
    at, whole = row.get("power_char"), row.get("text")
    if isinstance(at, bool) or not isinstance(at, int) or not isinstance(whole, str):
        return None
    head = clean(whole[: max(0, at)])
    return len(head) if head and len(head) < len(text) and text.startswith(head) else None


def begins_as_json(path: Path) -> bool:
    """Whether the file at ``path``, plain or packed, begins with a JSON object or list, or is empty."""
    with _explained(path, ReadReport(str(path))), open_regular(path) as raw, unpacked(raw) as stream:
        start = stream.read(65536).removeprefix(codecs.BOM_UTF8).lstrip()
    return start[:1] in (b"", b"{", b"[")


def rows(path: Path, report: ReadReport) -> Iterator[dict[str, Any]]:
    """Every row of ``path`` that is a JSON object; ``report`` counts the other rows."""
    with _explained(path, report), open_regular(path) as raw, unpacked(raw) as stream:
        size = max(1, path.stat().st_size)
        start = stream.peek(65536)
        if start.startswith(codecs.BOM_UTF8):
            stream.read(len(codecs.BOM_UTF8))
            start = start.removeprefix(codecs.BOM_UTF8)
        prefix = "item" if start.lstrip()[:1] == b"[" else "questions.item" if _is_wrapped(start) else None
        if prefix is None:
            found = _json_lines(stream, report)
        else:
            reader = JsonListReader(stream, row_level=prefix.count(".") + 1, longest_row=LONGEST_ROW)
            found = iter(ijson.items(cast(IO[bytes], reader), prefix, use_float=True))
        for row in found:
            if prefix is not None:
                report.rows += 1
            if report.rows % 100 == 0:
                report.read = raw.tell() / size
            if isinstance(row, dict):
                yield row
            else:
                report.reject("not a JSON object")


def _json_lines(stream: io.BufferedReader, report: ReadReport) -> Iterator[object]:
    fruitless = 0
    while line := stream.readline(LONGEST_ROW + 1):
        fruitless += 1
        if fruitless > MOST_FRUITLESS:
            raise DecodingError(
                f"it has {MOST_FRUITLESS:,} lines one after the other that are no JSON objects"
            )
        if not line.strip():
            continue
        report.rows += 1
        if len(line) > LONGEST_ROW:
            report.reject(f"longer than {LONGEST_ROW >> 20} MB")
            while line and not line.endswith(b"\n"):
                line = stream.readline(LONGEST_ROW)
            continue
        try:
            report.row_bytes = len(line)
            if report.row_bytes > LONGEST_NAME:  # a shorter one can do no harm
                check_json_shape(line, most_values=MOST_VALUES)
            row = _json_value(line)
            if isinstance(row, dict):
                fruitless = 0
            yield row
        except UnicodeDecodeError:
            report.reject("not UTF-8")
        except DecodingError as trouble:
            report.reject(str(trouble))
        except (ValueError, RecursionError):
            report.reject("not JSON")


def _json_value(line: bytes) -> object:
    """The value in ``line``, also of what only Python writes: ``NaN``, half of a surrogate pair."""
    try:
        return msgspec.json.decode(line)  # equal, in a third of the time
    except ValueError:
        return json.loads(line)


def _is_wrapped(start: bytes) -> bool:
    first = start.split(b"\n", 1)[0]
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return _QANTA_WRAPPER.match(start) is not None
    return isinstance(row, dict) and isinstance(row.get("questions"), list)


@contextmanager
def _explained(path: Path, report: ReadReport) -> Iterator[None]:
    """What a broken file raises, as one sentence."""
    try:
        with translate_reading_errors(path), translate_unpacking_errors():
            yield
    except DecodingError as trouble:
        reason = str(trouble)
        what = reason.removeprefix("it ") if reason.startswith("it ") else f"cannot be used: {reason}"
        raise QuizwriterError(f"{path} {what} (after row {report.rows}).", "Get the file again.") from trouble
    except (ijson.JSONError, ValueError) as trouble:  # of a text that is not UTF-8, or of too many digits
        said = trouble.args[0] if trouble.args else ""  # bytes, where the text is not UTF-8
        told = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(trouble)
        reason = told.split("\n", 1)[0]  # without the drawing of the place
        raise QuizwriterError(
            f"{path} is not valid JSON (after row {report.rows}: {reason}).",
            "Get the file again, or correct it there.",
        ) from trouble


_DIGITS = re.compile(r"[0-9]+")


def place_key(packet: str, number: object) -> str:
    """The key of a tossup by its packet and number, in one form for packets, games and question files."""
    name = Path(packet.strip()).name
    for end in endings((Holds.PACKET, Holds.GAMES)):
        name = name.removesuffix(end)
    words = " ".join(_DIGITS.sub(_without_zeros, name.casefold().replace("_", " ")).split())
    return f"{words} / {number}"


def question_names(row: Mapping[str, Any], identifier: str) -> tuple[str, ...]:
    """Every name under which a buzz may call the question in ``row``, a row of a question file."""
    names = [identifier]
    for field_name in ("bq", "tossup_id", "id", "qanta_id", "_id"):
        value = row.get(field_name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            names.append(one_line(str(value)))
    packet, number = row.get("packet"), row.get("num")
    if isinstance(packet, str | int) and isinstance(number, str | int):
        place = place_key(str(packet), number)
        names.append(place)
        of_set = one_line(row.get("set")) or one_line(row.get("tournament"))
        if of_set:
            names.append(f"{of_set.casefold()} / {place}")
    return tuple(dict.fromkeys(names))


def _without_zeros(found: re.Match[str]) -> str:
    return found.group().lstrip("0") or "0"
