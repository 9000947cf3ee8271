"""Files in which people's buzzes lie: JSON lines, QBJ, tables of buzzes, and the folders of buzzpoints.

Each is read to :class:`Room` objects, one for each time that a tossup was read to two teams. Names of people
are not kept: a person is a short digest of team and name, so that no output can tell who it was.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import FORMATS, Holds, endings
from quizwriter.formats.question_files import ReadReport, place_key, rows
from quizwriter.system.decoding import (
    LONGEST_IDENTIFIER,
    Count,
    DecodingError,
    Identifier,
    check_json_shape,
    convert_value,
    decode_json,
    file_digest,
    open_regular,
    read_limited,
)
from quizwriter.workflow.people_rooms import pseudonym

MOST_BYTES = 64 << 20
"""Of a QBJ file or a table; a whole tournament in one QBJ file has some megabytes."""

MOST_FILES = 20_000
"""In a folder of games; the largest tournaments have some hundreds."""

MOST_VALUES_OF_GAMES = 2_000_000
"""Values, lists and objects included, in a QBJ file; a whole tournament has some hundred thousand."""

MOST_BUZZES = 1_000_000
"""Of one file or folder, and as many rooms; all tournaments of three years have 70,000."""

NAMED_FILES = 5
"""Damaged files of a folder that are named; of the others it is said how many there are."""

MOST_WORDS = 2_000
"""Words of a tossup; the longest have 250."""

TABLE = ".csv"

Name = Annotated[str, msgspec.Meta(max_length=LONGEST_IDENTIFIER)]
Words = Annotated[int, msgspec.Meta(ge=0, le=MOST_WORDS)]
Value = Annotated[int, msgspec.Meta(ge=-1000, le=1000)]
Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class RecordedBuzz(msgspec.Struct, frozen=True):
    """A buzz of a person, or of a system that played with people.

    ``position`` is the index of the word at which it came, from 0; it may lie past the last word.
    """

    team: str
    player: str
    position: int
    right: bool
    value: int
    chance: float | None = None  # how sure a system was


class Room(msgspec.Struct, frozen=True):
    """One reading of a tossup, with the buzzes in their order; without any, nobody tried.

    ``question`` is the tossup's key in the file. ``words`` is how many words it had, where the file says.
    """

    question: str
    room: str
    set: str = ""
    words: int | None = None
    buzzes: tuple[RecordedBuzz, ...] = ()
    plays_systems: bool = False
    by_modaq: bool = False  # positions count words as MODAQ does

    def in_our_words(self, text: str) -> Room:
        """The room with its positions among our words of the tossup's ``text``."""
        if not self.by_modaq:
            return self
        from quizwriter.formats.modaq_words import position_of_modaq

        placed = (replace(buzz, position=position_of_modaq(text, buzz.position)) for buzz in self.buzzes)
        return replace(self, buzzes=tuple(placed), by_modaq=False)

    @property
    def answered_at(self) -> int | None:
        """The position of the first right buzz; None where nobody was right."""
        return next((buzz.position for buzz in self.buzzes if buzz.right), None)


class _Reading(msgspec.Struct):
    """A room that is being read."""

    room: Room
    buzzes: dict[tuple[str, str, int, int, bool], RecordedBuzz] = msgspec.field(default_factory=dict)


class _Rooms:
    """The rooms found so far. A buzz that is there twice is counted once."""

    def __init__(self, report: ReadReport) -> None:
        self._report = report
        self._found: dict[tuple[str, str], _Reading] = {}
        self._people: dict[tuple[str, str], str] = {}
        self._buzzes = 0
        self._games: set[bytes] = set()

    def is_new(self, game: bytes) -> bool:
        """Whether no earlier game was written as ``game``, its JSON in one form; counted where one was."""
        digest = hashlib.sha256(game).digest()
        if digest in self._games:
            self._report.reject("the same game is there twice")
            return False
        self._games.add(digest)
        return True

    def open(self, question: str, room: str, set_name: str = "", words: int | None = None) -> _Reading:
        key = (question, room)
        reading = self._found.get(key)
        if reading is None:
            self.expect(rooms=1)
            reading = self._found[key] = _Reading(Room(question, room, set_name, words))
        return reading

    def expect(self, *, rooms: int = 0, buzzes: int = 0) -> None:
        """Refuse the file or folder if it may not have so many more."""
        for what, count in (("rooms", len(self._found) + rooms), ("buzzes", self._buzzes + buzzes)):
            if count > MOST_BUZZES:
                raise DecodingError(f"it has more than {MOST_BUZZES:,} {what}")

    def add(self, reading: _Reading, team: str, player: str, position: int, value: int, right: bool) -> None:
        self.expect(buzzes=1)
        self._buzzes += 1
        buzz = RecordedBuzz(
            self._pseudonym("t", team), self._pseudonym("p", f"{team}\0{player}"), position, right, value
        )
        key = (buzz.team, buzz.player, position, value, right)
        if key in reading.buzzes:
            self._report.reject(AGAIN)
            return
        reading.buzzes[key] = buzz
        self._report.used += 1

    def _pseudonym(self, kind: str, name: str) -> str:
        known = self._people.get((kind, name))
        if known is None:
            known = self._people[kind, name] = pseudonym(kind, name)
        return known

    def all(self) -> tuple[Room, ...]:
        """The rooms; a buzz behind the right one cannot have been and is left out."""
        return tuple(replace(one.room, buzzes=self._until_right(one)) for one in self._found.values())

    def _until_right(self, reading: _Reading) -> tuple[RecordedBuzz, ...]:
        found = sorted(reading.buzzes.values(), key=lambda buzz: (buzz.position, buzz.right))
        end = next((at for at, buzz in enumerate(found, 1) if buzz.right), len(found))
        for _ in found[end:]:
            self._report.reject(ANSWERED)
            self._report.used -= 1
        return tuple(found[:end])


class _DamagedFile(DecodingError):
    """A file of games that is damaged: none of it is used, and a folder is read without it."""


AGAIN = "the same buzz of the same room is there twice"
NO_BUZZ = "a line does not name its question (bq), game, word (pos), and whether it was right (correct)"
ANSWERED = "a buzz on a tossup that was answered rightly in this room before"


def read_rooms(path: Path, report: ReadReport) -> tuple[Room, ...]:
    """The rooms in the file or folder ``path``; what cannot be used is counted in ``report``.

    A file is our JSON lines, QBJ (wrapped in objects, or the bare match that MODAQ writes), or a table
    ``NAME.buzz.csv``. A folder holds games: QBJ files at any depth, tables, or those of buzzpoints; a damaged
    file in it is left out.
    """
    rooms = _Rooms(report)
    try:
        seen: set[str] = set()
        damaged = 0
        for file in _files(path):
            if path.is_dir():
                digest = file_digest(file)
                if digest in seen:
                    report.reject("the same file of a game is there twice")
                    continue
                seen.add(digest)
            label = file.relative_to(path).as_posix() if path.is_dir() else file.name
            try:
                _read_file(file, label, rooms, report)
            except _DamagedFile as damage:
                if not path.is_dir():
                    raise
                damaged += 1
                named = label if damaged <= NAMED_FILES else "another file"
                report.reject(f"{named} is damaged ({damage}) and left out")
    except OSError as trouble:
        raise QuizwriterError(
            f"{path} cannot be read ({trouble.strerror}).", "Check its name and that you may read it."
        ) from trouble
    except DecodingError as trouble:
        raise QuizwriterError(
            f"{path} cannot be used: {trouble}.", "Name a file or folder with buzzes that people made."
        ) from trouble
    report.read = 1.0
    found = rooms.all()
    if not found:
        reasons = "; ".join(report.rejected) or "it has no buzzes"
        raise QuizwriterError(
            f"No buzz in {path} can be used: {reasons[:200]}.",
            "Name a file with one buzz in each JSON line, a QBJ file, a table NAME.buzz.csv, or a folder of "
            "games.",
        )
    return found


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = []
    for count, file in enumerate(path.rglob("*")):
        if count >= MOST_FILES:
            raise DecodingError(f"it has more than {MOST_FILES:,} files")
        if file.is_symlink() or not file.is_file():
            continue
        if file.name.casefold().endswith(endings((Holds.GAMES,))):
            found.append(file)
    yield from sorted(found)


def _read_file(file: Path, label: str, rooms: _Rooms, report: ReadReport) -> None:
    """Read ``file``, whose rooms are told from those of other files by its ``label``."""
    name = file.name.casefold()
    if name.endswith(TABLE):
        _read_buzz_table(file, label, rooms, report)
    elif FORMATS["qbj"].has(file) or is_qbj(file):
        _read_qbj(file, label, rooms, report)
    else:
        for row in rows(file, report):
            _read_row(row, rooms, report)


def is_qbj(file: Path) -> bool:
    """Whether a JSON file holds what QBJ does, whoever wrote it."""
    if not file.name.casefold().endswith(".json"):
        return False
    with open_regular(file) as stream:
        return _QBJ.search(stream.read(1 << 16)) is not None


_QBJ = re.compile(rb'"(?:match_questions|objects)"[ \t\r\n]*+:')


# -- our JSON lines


class _BuzzRow(msgspec.Struct):
    bq: Identifier | Count  # the qanta_id of a question is a number
    game: Identifier
    pos: Words
    correct: bool
    team: Name = ""
    player: Name = ""
    value: Value | None = None
    n_words: Words | None = None
    set: Name = ""


def _read_row(row: Mapping[str, Any], rooms: _Rooms, report: ReadReport) -> None:
    try:
        one = convert_value(row, _BuzzRow)
    except DecodingError as trouble:
        named = {"bq", "game", "pos", "correct"} <= row.keys()
        report.reject(f"a line that cannot be used ({trouble})" if named else NO_BUZZ)
        return
    value = one.value if one.value is not None else (10 if one.correct else 0)
    if one.correct != (value > 0):
        report.reject("a buzz whose points do not go with whether it was right")
        return
    reading = rooms.open(str(one.bq), one.game, one.set, one.n_words or None)
    rooms.add(reading, one.team, one.player, one.pos, value, one.correct)


# -- QBJ


class _Named(msgspec.Struct):
    name: Name = ""


class _Position(msgspec.Struct):
    word_index: Words | None = None


class _Result(msgspec.Struct):
    value: float = 0.0


class _QbjBuzz(msgspec.Struct):
    team: _Named | None = None
    player: _Named | None = None
    buzz_position: _Position | None = None
    result: _Result | None = None


class _QbjQuestion(msgspec.Struct):
    question_number: Number | None = None


class _MatchQuestion(msgspec.Struct):
    question_number: Number | None = None
    tossup_question: _QbjQuestion | None = None
    replacement_tossup_question: _QbjQuestion | None = None
    buzzes: list[_QbjBuzz] = []

    @property
    def number(self) -> int | None:
        """The number in the packet of the tossup that was played to its end."""
        for one in (self.replacement_tossup_question, self.tossup_question, self):
            if one is not None and one.question_number:
                return one.question_number
        return None


_LONGEST_REFERENCE = 20
"""References that are followed from one object to another; well-formed files need two."""


def _read_qbj(file: Path, label: str, rooms: _Rooms, report: ReadReport) -> None:
    report.rows += 1
    try:
        raw = read_limited(file, MOST_BYTES).removeprefix(codecs.BOM_UTF8)
        check_json_shape(raw, most_values=MOST_VALUES_OF_GAMES)
        whole = decode_json(raw, dict[str, Any])
        objects = whole.get("objects")
        if isinstance(objects, list):
            by_id = {one["id"]: one for one in objects if isinstance(one, dict) and _is_name(one.get("id"))}
            resolved = (_target(one, by_id) for one in objects if isinstance(one, dict))
            matches = [one for one in resolved if "match_questions" in one]
        else:
            by_id, matches = {}, [whole]
        if not any("match_questions" in match for match in matches):
            report.reject("a QBJ file without a match")
            return
    except DecodingError as trouble:
        raise _DamagedFile(str(trouble)) from trouble
    references = hashlib.sha256(_in_one_form(objects)).digest() if by_id else b""
    for at, match in enumerate(matches):
        if "match_questions" not in match or rooms.is_new(_in_one_form(match) + references):
            _read_match(f"{label}#{at}", match, by_id, rooms, report)


def _in_one_form(value: object) -> bytes:
    """``value`` as JSON that is the same however it was written."""
    return msgspec.json.encode(value, order="sorted")


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_IDENTIFIER


def _target(value: Mapping[str, Any], by_id: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """What ``value`` refers to, or ``value`` itself where it refers to nothing that is there."""
    for _ in range(_LONGEST_REFERENCE):
        reference = value.get("$ref")
        if not isinstance(reference, str) or reference not in by_id:
            break
        value = by_id[reference]
    return value


def _with_targets(row: object, by_id: Mapping[str, Mapping[str, Any]], names: tuple[str, ...]) -> object:
    """``row`` whose fields ``names`` are replaced by the objects that they refer to."""
    if not isinstance(row, dict) or not by_id:
        return row
    found = dict(_target(row, by_id))
    for name in names:
        if isinstance(found.get(name), dict):
            found[name] = _target(found[name], by_id)
    return found


def _read_match(
    room: str,
    match: Mapping[str, Any],
    by_id: Mapping[str, Mapping[str, Any]],
    rooms: _Rooms,
    report: ReadReport,
) -> None:
    packet = match.get("packets")
    if isinstance(packet, list):
        packet = next((one for one in packet if isinstance(one, str | dict)), None)
    if isinstance(packet, dict):
        packet = _target(packet, by_id).get("name")
    questions = match.get("match_questions")
    if not isinstance(questions, list):
        report.reject("a match whose questions are no list")
        return
    if not isinstance(packet, str) or len(packet) > LONGEST_IDENTIFIER:
        packet = ""
    for given in questions:
        report.rows += 1
        row = _with_targets(given, by_id, ("tossup_question", "replacement_tossup_question"))
        if isinstance(row, dict) and by_id and isinstance(row.get("buzzes"), list):
            row = {**row, "buzzes": [_with_targets(one, by_id, ("team", "player")) for one in row["buzzes"]]}
        try:
            question = convert_value(row, _MatchQuestion)
        except DecodingError as trouble:
            report.reject(str(trouble))
            continue
        if question.number is None:
            report.reject("a question of a match without a number")
            continue
        reading = rooms.open(place_key(packet, question.number), room)
        reading.room = replace(reading.room, by_modaq=True)
        for buzz in question.buzzes:
            position = buzz.buzz_position.word_index if buzz.buzz_position is not None else None
            if position is None or buzz.result is None or not -1000 <= buzz.result.value <= 1000:
                report.reject("a buzz of a match without a position or a result")
                continue
            value = int(buzz.result.value)
            team = buzz.team.name if buzz.team is not None else ""
            player = buzz.player.name if buzz.player is not None else ""
            rooms.add(reading, team, player, position, value, value > 0)


# -- tables


class _TableRow(msgspec.Struct):
    question_id: Identifier
    token_position: Words
    confidence: float | None = None
    buzz: str = ""
    correct: str = ""


_TRUE = frozenset({"1", "true", "yes", "t", "1.0"})
_FALSE = frozenset({"0", "false", "no", "f", "0.0"})


def _read_buzz_table(file: Path, label: str, rooms: _Rooms, report: ReadReport) -> None:
    try:
        text = read_limited(file, MOST_BYTES).decode("utf-8-sig")
    except (UnicodeDecodeError, DecodingError) as trouble:
        said = str(trouble) if isinstance(trouble, DecodingError) else "it is not UTF-8"
        raise _DamagedFile(said) from trouble
    head = text.split("\n", 1)[0].casefold()
    delimiter = max(_DELIMITERS, key=head.count)
    by_system = "token_position" in head
    try:
        # Nothing of a damaged table is used, and one that is too large is refused before its
        # cells are looked at, which takes ten times longer.
        table = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
        if by_system:
            names = [name.strip() for name in next(table)]
            column = names.index("question_id") if "question_id" in names else 0
            rooms.expect(rooms=len({row[column] for row in table if len(row) > column}))
        else:
            rooms.expect(buzzes=sum(1 for row in table if row) - 1)
    except csv.Error as trouble:
        raise _DamagedFile(f"it is not CSV: {trouble}") from trouble
    if by_system:
        _read_system_table(file, text, delimiter, rooms, report)
    elif head.count(delimiter) == len(_GAME_COLUMNS) - 1:
        _read_game_table(file, label, text, delimiter, rooms, report)
    else:
        report.rows += 1
        report.reject("a table whose columns are not known" if text.strip() else "an empty table")


def _read_system_table(file: Path, text: str, delimiter: str, rooms: _Rooms, report: ReadReport) -> None:
    """The table of one system: a row for each position, and the first row that buzzes counts."""
    system = file.name.casefold().removesuffix(TABLE).removesuffix(".buzz") or "system"
    done: set[str] = set()
    for row in csv.DictReader(io.StringIO(text, newline=""), restval="", strict=True, delimiter=delimiter):
        report.rows += 1
        if None in row:
            report.reject("a row with more cells than there are columns")
            continue
        cells: dict[str, Any] = {name.strip(): cell.strip() for name, cell in row.items() if name}
        try:
            cells["token_position"] = int(cells.get("token_position", ""))
            cells["confidence"] = float(cells["confidence"]) if cells.get("confidence") else None
            one = convert_value(cells, _TableRow)
        except (ValueError, OverflowError) as trouble:
            report.reject(
                str(trouble) if isinstance(trouble, DecodingError) else "a cell that is not a number"
            )
            continue
        if one.confidence is not None and not math.isfinite(one.confidence):
            report.reject("a cell that is not a number")
            continue
        buzz, correct = one.buzz.casefold(), one.correct.casefold()
        if buzz not in _TRUE | _FALSE or (buzz in _TRUE and correct not in _TRUE | _FALSE):
            report.reject("a cell that is neither true nor false")
            continue
        reading = rooms.open(one.question_id, system)
        reading.room = replace(reading.room, plays_systems=True)
        if buzz in _TRUE and one.question_id not in done:
            done.add(one.question_id)
            right = correct in _TRUE
            rooms.add(reading, system, system, one.token_position, 10 if right else -5, right)


_DELIMITERS = (",", ";", "\t")
"""What stands between the cells of a table: spreadsheets of some countries write semicolons."""

_GAME_COLUMNS = ("game", "round", "number", "team", "player", "opponent", "", "", "", "position", "value")
"""The columns of ``buzzes.csv`` in a tournament's folder of buzzpoints, by their order."""


class _Round(msgspec.Struct):
    number: Number
    packet: Name = ""


class _Tournament(msgspec.Struct):
    name: Name = ""
    set: Name = ""
    rounds: list[_Round] = []


def _read_game_table(
    file: Path, label: str, text: str, delimiter: str, rooms: _Rooms, report: ReadReport
) -> None:
    tournament = _Tournament()
    index = file.with_name("index.json")
    if index.is_file() and not index.is_symlink():
        try:
            tournament = decode_json(
                read_limited(index, MOST_BYTES).removeprefix(codecs.BOM_UTF8), _Tournament
            )
        except DecodingError as trouble:
            raise _DamagedFile(f"{index.name} beside it: {trouble}") from trouble
    packets = {one.number: one.packet for one in tournament.rounds}
    for at, row in enumerate(csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)):
        report.rows += 1
        if not at or not row:
            continue
        cells = dict(zip(_GAME_COLUMNS, row, strict=False))
        try:
            number, round_number = int(cells["number"]), int(cells["round"])
            position, value = int(cells["position"]), int(cells["value"])
        except (ValueError, KeyError):
            report.reject("a row of a table whose numbers are none")
            continue
        if not 0 <= position <= MOST_WORDS or not -1000 <= value <= 1000:
            report.reject("a row of a table with a number out of range")
            continue
        packet = packets.get(round_number) or f"Round {round_number}"
        reading = rooms.open(place_key(packet, number), f"{label}#{cells['game'][:40]}")
        reading.room = replace(reading.room, set=tournament.set, by_modaq=True)
        rooms.add(reading, cells["team"], cells["player"], position, value, value > 0)
