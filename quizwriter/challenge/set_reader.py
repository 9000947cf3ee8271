"""Reads the files of a challenge set, computes from the rows what they state, and compares.

Nothing that a file states is believed where the rows tell it: positions, figures, tables and documents are
computed again by the functions that wrote them. What no row tells, such as where a player buzzed, is left to
playing again.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TextIO

import msgspec

from quizwriter.challenge.citation import questions_head
from quizwriter.challenge.documents import ACCURACY_PLOT, set_documents
from quizwriter.challenge.figures import (
    ControlGames,
    QuestionRow,
    position_row,
    recomputed_summary,
    set_figures,
)
from quizwriter.challenge.layout import (
    CONTROL,
    MANIFEST,
    PLAYS,
    PROGRAM,
    QANTA_FIELDS,
    QUESTIONS,
    QUIZWRITER_KEY,
    SPLITS,
    TABLE,
    TRICKME,
    json_line,
    questions_table,
    split_file,
)
from quizwriter.challenge.metadata import MAX_QUESTIONS_BYTES, Retraction
from quizwriter.challenge.page_rule import (
    BY_CHARACTERS,
    BY_JUDGE,
    BY_LINE,
    RightnessRule,
    answer_label,
    rightness_rule,
)
from quizwriter.challenge.privacy import PSEUDONYM
from quizwriter.challenge.selection import SPLIT_SHARES
from quizwriter.challenge.statements import SetStatements
from quizwriter.domain.history import Edit, replay
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.formats.histories import LONGEST_LINE, RELEASED_HISTORIES, ReleasedHistory
from quizwriter.formats.question_files import RETRACTED
from quizwriter.formats.tables import read_table, write_table
from quizwriter.judging import may_be_right
from quizwriter.store.plays import Course, PlaySummary
from quizwriter.system.decoding import DecodingError, decode_json
from quizwriter.system.members import open_member
from quizwriter.workflow.checks import check, repeatable_checks
from quizwriter.workflow.near_duplicates import DuplicateFinder
from quizwriter.workflow.wording import listed

MOST_PROBLEMS = 200
"""Problems that are listed; a set with more of them is wrong throughout."""

_OF_ROWS = (".json", ".jsonl", ".csv")
_LARGEST_DOCUMENT = 64 << 20  # bytes

_SINCE_SCHEMA_2 = frozenset({CONTROL, *map(split_file, SPLIT_SHARES)})
"""Files that no set of schema 1 has: with them, who falsifies a set could not pass it off as an old one."""

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class QantaRow(msgspec.Struct, frozen=True):
    """What is computed again, or from, of a row under ``questions``."""

    qanta_id: int
    text: str
    first_sentence: str
    tokenizations: list[tuple[Count, Count]]
    answer: str
    page: str | None

    @property
    def asked(self) -> Answer:
        return Answer(self.answer, None if self.page is None else Page(self.page))

    @property
    def tossup(self) -> Tossup:
        return Tossup(self.text, self.asked)


class _ReleasedRow(QuestionRow, frozen=True):
    positions: tuple[dict[str, Any], ...] = ()
    stumped: tuple[str, ...] = ()
    power: int | None = None


def is_too_large(files: Mapping[str, Any], name: str, size: int) -> bool:
    """Whether a file of a set has too many bytes to be read; ``files`` are those that the manifest lists.

    A file with holes has any size without room on a disk. Of JSON lines one at a time is in memory.
    """
    if name.endswith(".jsonl") and size == files.get(name, {}).get("bytes"):
        return False
    return size > (MAX_QUESTIONS_BYTES if name.endswith(_OF_ROWS) else _LARGEST_DOCUMENT)


class _Questions(msgspec.Struct):
    questions: list[QantaRow]
    quizwriter: list[_ReleasedRow]
    maintainer_contact: str
    version: str = ""
    bibtex: str = ""


class _PlayLine(Course, frozen=True):
    qanta_id: int = 0
    guesser: str = ""
    engine: str = ""
    words: Count = 0
    first_correct: Count | None = None
    stable_correct: Count | None = None
    buzz: Count | None = None
    buzz_page: str = ""
    buzz_chance: float = 0.0
    buzzes_right: bool = False
    knowable: bool | None = None  # sets of older versions do not say it

    @property
    def claimed(self) -> PlaySummary:
        """What the line states of the game."""
        return PlaySummary(
            self.guesser, self.engine, self.words, self.first_correct, self.stable_correct, self.buzz,
            self.buzz_page, self.buzz_chance, self.buzzes_right, self.knowable is not False, "0" * 100,
        )  # fmt: skip


class _ControlLine(msgspec.Struct, frozen=True):
    control: int
    guesser: str
    engine: str
    words: Count
    first_correct: Count | None
    stable_correct: Count | None
    buzz: Count | None
    buzz_chance: float
    buzzes_right: bool
    knowable: bool
    heard: list[Count]
    right: list[Annotated[int, msgspec.Meta(ge=0, le=1)]]
    chances: list[float]
    matched: int = 0  # sets before schema 4 do not need it
    buzz_characters: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None

    @property
    def summary(self) -> PlaySummary:
        """The summary, computed from ``right``: the guesses would tell the answers of others' questions."""
        empty: list[Any] = [[] for _ in self.heard]
        course = Course(self.heard, self.right, self.chances, [None] * len(self.heard), [], empty, empty)
        first = next((heard for heard, right in zip(self.heard, self.right, strict=True) if right), None)
        at = self.heard.index(self.buzz) if self.buzz in self.heard else None
        wrong = [place for place, right in enumerate(self.right) if not right]
        last = wrong[-1] + 1 if wrong else 0
        return PlaySummary(
            self.guesser, self.engine, self.words, first,
            self.heard[last] if last < len(self.heard) else None,
            self.buzz, "", self.buzz_chance, at is not None and bool(self.right[at]), self.knowable,
            course.curve(self.words),
        )  # fmt: skip


class _SplitsFile(msgspec.Struct):
    seed: int
    shares: dict[str, float]
    splits: dict[str, list[int]]


class _TrickmeRow(msgspec.Struct):
    question: str
    answer: str
    email: str
    category: str
    time: int


class SetReader:
    """The files of a challenge set, read and compared; what is wrong goes into a list of problems."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], problems: list[str]) -> None:
        """The set in ``folder`` with this ``manifest``; ``problems`` gets a sentence for each error."""
        self._folder = folder
        self._manifest = manifest
        self._problems = problems
        self._whole = manifest["schema"] >= 2  # older sets state less, and in other words
        self._is_right = rightness_rule(manifest["schema"])
        self._by_judge = manifest["schema"] >= BY_JUDGE
        self.questions: dict[int, QantaRow] = {}
        self.rows: dict[int, _ReleasedRow] = {}
        self._raw: dict[str, Any] | None = None  # the questions as they are written, once they were decoded
        self.games: dict[str, dict[int, PlaySummary]] = {}
        self._control: dict[str, dict[int, PlaySummary]] = {}
        self._matched: dict[int, int] = {}
        self._control_buzzes: dict[str, dict[int, float | None]] = {}
        self._last_pages: dict[tuple[str, int], Page | None] = {}
        self.retracted: list[Retraction] = []
        self.pseudonyms: dict[str, str] = {}  # each with the place where it was found first
        self.contact = ""

    def read_all(self) -> None:
        """Read every file, and add each error with its file and place to the problems."""
        self._read(QUESTIONS, self._questions)
        self._read(SPLITS, self._splits)
        self._read(RETRACTED, self._retracted)
        self._read(PLAYS, self._plays)
        self._read(TABLE, self._table)
        self._read(TRICKME, self._trickme)
        self._read(
            RELEASED_HISTORIES, self._histories, needed=bool(self._manifest["settings"].get("histories"))
        )
        if self._whole:
            if self._manifest.get("control"):
                self._read(CONTROL, self._control_games)
            for split in SPLIT_SHARES:
                self._read(split_file(split), partial(self._split, split))
            self._documents()
        elif later := sorted(_SINCE_SCHEMA_2.intersection(self._manifest["files"])):
            self._add(
                f"{MANIFEST}: it says that the set is of an older form than it is: {listed(later)} "
                "came later."
            )

    def plays_of(self, numbers: frozenset[int]) -> Iterator[tuple[int, dict[str, Any]]]:
        """The lines of ``plays.jsonl`` of these questions, as they are, with the question's number."""
        try:
            file = open_member(self._folder, PLAYS)
        except (OSError, DecodingError):
            return  # which is a problem already
        with file:
            while line := file.readline(LONGEST_LINE):
                try:
                    play = json.loads(line)
                    number = play["qanta_id"]
                except (ValueError, LookupError, TypeError, RecursionError):
                    continue  # which is a problem already
                if number in numbers:
                    yield number, play

    def _read(
        self,
        name: str,
        reader: Callable[[io.BufferedReader], Iterator[tuple[str, str]]],
        *,
        needed: bool = True,
    ) -> None:
        try:
            with open_member(self._folder, name) as file:
                size = os.fstat(file.fileno()).st_size
                if is_too_large(self._manifest["files"], name, size):
                    raise DecodingError(f"it has {size >> 20:,} MB, more than any such file")
                for place, problem in reader(file):
                    self._add(f"{name}{place}: {problem}")
        except FileNotFoundError:
            if needed:
                self._add(f"{name} is missing, so it was not read.")
        except OSError as trouble:
            self._add(f"{name} cannot be read ({trouble.strerror}).")
        except DecodingError as bad:
            self._add(f"{name} makes no sense ({bad}).")
        except (ValueError, LookupError, TypeError, RecursionError) as bad:
            self._add(f"{name} makes no sense ({type(bad).__name__}: {str(bad)[:100]}).")

    def _add(self, problem: str) -> None:
        if len(self._problems) < MOST_PROBLEMS:
            self._problems.append(problem)

    # -- the questions

    def _questions(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        raw = file.read(MAX_QUESTIONS_BYTES + 1)
        whole = decode_json(raw, _Questions, most_bytes=MAX_QUESTIONS_BYTES)
        self._raw = decode_json(raw, dict[str, Any])
        self.contact = whole.maintainer_contact
        for row, given in zip(whole.questions, self._raw["questions"], strict=True):
            place = f", question {row.qanta_id}"
            if list(given) != list(QANTA_FIELDS) or any(
                type(given[name]) not in kinds for name, kinds in QANTA_FIELDS.items()
            ):
                yield place, "it is not in QANTA's form."
            if row.qanta_id in self.questions:
                yield place, "it is there twice."
            self.questions[row.qanta_id] = row
            yield from self._sentences(row, place)
        for extra in whole.quizwriter:
            self.rows[extra.qanta_id] = extra
            place = f"{QUESTIONS}, question {extra.qanta_id}"
            for name in (extra.writer, *extra.provenance.authors, *(one.by for one in extra.taggings)):
                self._check_pseudonym(name, place)
        if self.rows.keys() != self.questions.keys() or len(whole.quizwriter) != len(whole.questions):
            yield "", f"the questions and what is under “{QUIZWRITER_KEY}” are not the same."
        if self._whole and len(self.questions) != self._manifest["questions"]:
            yield "", f"it has {len(self.questions)} questions, the manifest {self._manifest['questions']}."
        in_set = DuplicateFinder(())
        for number in sorted(self.rows.keys() & self.questions.keys()):
            yield from self._facts(self.rows[number], self.questions[number].tossup, in_set)

    def _sentences(self, row: QantaRow, place: str) -> Iterator[tuple[str, str]]:
        if any(not start < end <= len(row.text) for start, end in row.tokenizations):
            yield place, "a sentence is outside the text."
        elif self._same_program:
            spans = row.tossup.sentences
            if [(span.start, span.end) for span in spans] != row.tokenizations:
                yield place, "its sentences are not those of the text."
            elif spans and spans[0].of(row.text) != row.first_sentence:
                yield place, "its first sentence is another."

    def _facts(self, row: _ReleasedRow, tossup: Tossup, in_set: DuplicateFinder) -> Iterator[tuple[str, str]]:
        """What the text alone tells: words, power mark, and the checks that need nothing else."""
        if not self._same_program:
            return
        place = f", question {row.qanta_id}"
        if row.words != len(tossup.words):
            yield place, f"it has {len(tossup.words)} words, not {row.words}."
        if row.power != tossup.power:
            yield place, "its power mark is elsewhere."
        if (people := row.people) is not None and (
            len(people.answered) > people.rooms
            or list(people.answered) != sorted(people.answered)
            or people.answered[-1:] > (row.words,)
        ):
            yield place, "what people did on it does not fit together."
        now = {one.name: one for one in check(tossup, in_set=in_set, past=in_set)}
        repeatable = repeatable_checks()
        for said in row.checks:
            if said.check in repeatable and said.passed != now[said.check].passed:
                yield place, f"the check “{said.check}” comes out the other way."

    @property
    def _same_program(self) -> bool:
        """Whether this program wrote the set, so that its rules and words are those of the set."""
        return self._whole and bool(self._manifest["program"] == PROGRAM)

    # -- what is written in other forms

    def _table(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        text = io.StringIO(file.read(MAX_QUESTIONS_BYTES).decode("utf-8"), newline="")
        if not self._whole:
            yield from self._old_table(text)
            return
        if self._raw is None:
            return  # the questions cannot be read, which is a problem already
        players = [player["name"] for player in self._manifest["players"]]
        out = io.StringIO(newline="")
        write_table(
            out, questions_table(self._raw["questions"], self._raw["quizwriter"], players), line_end="\n"
        )
        out.seek(0)
        expected, found = list(read_table(out)), list(read_table(text))
        for wanted, given in zip(expected, found, strict=False):
            if wanted != given:
                differing = next(name for name in wanted if wanted[name] != given.get(name))
                yield f", question {wanted['qanta_id']}", f"{differing} is not as in {QUESTIONS}."
        if len(found) != len(expected):
            yield "", f"it has {len(found)} questions, {QUESTIONS} {len(expected)}."

    def _old_table(self, file: TextIO) -> Iterator[tuple[str, str]]:
        rows = list(read_table(file))
        for row in rows:
            question = self.questions.get(int(row["qanta_id"]))
            if question is None or (row["text"], row["answer"]) != (question.text, question.answer):
                yield f", question {row['qanta_id']}", f"it is not as in {QUESTIONS}."
            self._check_pseudonym(row["writer"], f"{TABLE}, question {row['qanta_id']}")
        if len(rows) != len(self.questions):
            yield "", f"it has {len(rows)} questions, {QUESTIONS} {len(self.questions)}."

    def _split(self, split: str, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        """The questions of one split are the rows of :data:`QUESTIONS`, byte for byte."""
        if self._raw is None:
            return
        expected = (
            json_line({**qanta, **extra})
            for qanta, extra in zip(self._raw["questions"], self._raw["quizwriter"], strict=True)
            if extra["split"] == split
        )
        number = 0
        for number, line in enumerate(expected, start=1):
            if file.readline(LONGEST_LINE) != line:
                yield f", line {number}", f"it is not as in {QUESTIONS}."
                return
        if file.read(1):
            yield "", f"it has more than the {number} questions of {QUESTIONS}."

    def _trickme(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        rows = decode_json(
            file.read(MAX_QUESTIONS_BYTES + 1), list[_TrickmeRow], most_bytes=MAX_QUESTIONS_BYTES
        )
        by_text = {
            self.questions[number].text: row for number, row in self.rows.items() if number in self.questions
        }
        if sorted(row.question for row in rows) != sorted(one.text for one in self.questions.values()):
            yield "", f"its questions are not those of {QUESTIONS}."
        for number, row in enumerate(rows, start=1):
            self._check_pseudonym(row.email, f"{TRICKME}, question {number}")
            of = by_text.get(row.question)
            if of is None or not self._whole:
                continue
            answer = self.questions[of.qanta_id].asked
            wanted = (answer_label(answer, self._manifest["schema"]), of.writer, of.category or "None")
            if (row.answer, row.email, row.category) != wanted or row.time % 86_400:
                yield f", question {number}", f"it is not as in {QUESTIONS}."

    def _splits(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        splits = decode_json(file.read(MAX_QUESTIONS_BYTES + 1), _SplitsFile, most_bytes=MAX_QUESTIONS_BYTES)
        numbers = [number for inside in splits.splits.values() for number in inside]
        if sorted(numbers) != sorted(self.questions):
            yield "", "the splits do not have every question once."
        if splits.seed != self._manifest["settings"]["seed"]:
            yield "", "its seed is not that of the manifest."
        for name, inside in splits.splits.items():
            for number in inside:
                if number in self.rows and self.rows[number].split != name:
                    yield f", question {number}", f"it is in another split than in {QUESTIONS}."

    def _retracted(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        self.retracted = decode_json(
            file.read(MAX_QUESTIONS_BYTES + 1), list[Retraction], most_bytes=MAX_QUESTIONS_BYTES
        )
        for row in self.retracted:
            if not row.reason.strip() or not row.version:
                yield f", question {row.qanta_id}", "it is not said why, or since when."

    # -- the games

    def _plays(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        there: dict[int, list[str]] = {}
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            play = decode_json(line, _PlayLine)
            question = self.questions.get(play.qanta_id)
            if question is None:
                yield f", line {number}", f"there is no question {play.qanta_id}."
                continue
            there.setdefault(play.qanta_id, []).append(play.guesser)
            if any(at >= len(play.pages) for row in play.guesses for at in row):
                yield f", line {number}", "the game does not fit together."
                continue
            computed = recomputed_summary(
                play.claimed, play, question.tossup, self._is_right, by_judge=self._by_judge
            )
            for problem in _differences(play, computed, question.asked, self._is_right, whole=self._whole):
                yield f", line {number}", problem
            self.games.setdefault(play.guesser, {})[play.qanta_id] = computed
            self._last_pages[play.guesser, play.qanta_id] = play.last_guess
        names = [player["name"] for player in self._manifest["players"]]
        for missing in sorted(self.questions.keys() - there.keys()):
            yield "", f"nobody plays question {missing}."
        for played, players in there.items():
            if sorted(players) != sorted(names):
                yield "", f"question {played} is not played once by each player of the manifest."
        if self._whole:
            for row in self.rows.values():
                yield from self._positions(row, names)

    def _positions(self, row: _ReleasedRow, names: list[str]) -> Iterator[tuple[str, str]]:
        """What :data:`QUESTIONS` says of the games, against the games."""
        games = [of[row.qanta_id] for name in names if row.qanta_id in (of := self.games.get(name, {}))]
        if tuple(map(position_row, games)) != row.positions:
            yield f", question {row.qanta_id}", f"{QUESTIONS} has other positions than the games."
        if tuple(game.guesser for game in games if game.stumped()) != row.stumped:
            yield f", question {row.qanta_id}", f"{QUESTIONS} says that other players are stumped."
        if self._manifest["schema"] < BY_CHARACTERS:
            return
        wrong = next(
            (
                game.guesser
                for game in games
                if game.knowable
                and game.stable_correct is None
                and (last := self._last_pages.get((game.guesser, row.qanta_id))) is not None
                and not (self._by_judge and may_be_right(self.questions[row.qanta_id].asked, last))
            ),
            None,
        )
        said = row.wrong_guess
        expected = None if wrong is None else (wrong, self._last_pages[wrong, row.qanta_id])
        if expected != (None if said is None else (said.guesser, said.page)):
            yield (
                f", question {row.qanta_id}",
                f"{QUESTIONS} says that another player is wrong, or otherwise.",
            )

    def _control_games(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            game = decode_json(line, _ControlLine)
            computed = game.summary
            if (game.first_correct, game.stable_correct, game.buzzes_right) != (
                computed.first_correct,
                computed.stable_correct,
                computed.buzzes_right,
            ):
                yield f", line {number}", "the positions are not what “right” gives."
            self._control.setdefault(game.guesser, {})[game.control] = computed
            self._matched[game.control] = game.matched
            self._control_buzzes.setdefault(game.guesser, {})[game.control] = game.buzz_characters
        played = {one for of in self._control.values() for one in of}
        if len(played) != self._manifest["control"]["questions"]:
            yield (
                "",
                f"it has {len(played)} questions, the manifest {self._manifest['control']['questions']}.",
            )

    # -- documents and histories

    def _documents(self) -> None:
        """Write the documents again from the manifest and the rows, and compare them."""
        if self._raw is None:
            return
        earlier = self._manifest.get("earlier") or []
        # withdrawing questions changes no document, so they are of the version that was exported
        first = {**self._manifest, "version": earlier[0]["version"]} if earlier else self._manifest
        try:
            if self._manifest["schema"] < BY_CHARACTERS:
                control, tossups = ControlGames(self._control), None
            else:
                seed = self._manifest["control"]["seed"] if self._control and self._by_judge else 0
                control = ControlGames(self._control, self._matched, self._control_buzzes, seed)
                tossups = {number: row.tossup for number, row in self.questions.items()}
            figures = set_figures(
                list(self.rows.values()),
                self.games,
                control,
                tossups,
                only_ever_right=self._manifest["schema"] < BY_LINE,
                whole_disputes=not self._by_judge,
                goal=SetStatements.of_manifest(first).goal,
                last_guesses=self._last_pages,
            )
            documents = set_documents(first, figures, self.games, control.games)
        except (LookupError, TypeError, ValueError, ZeroDivisionError, AttributeError):
            self._add("The documents cannot be written again from the rows, since these do not fit together.")
            return
        if self._same_program:
            for name, wanted in questions_head(SetStatements.of_manifest(first)).items():
                if self._raw.get(name) != wanted:
                    self._add(f"{QUESTIONS}: its {name} is not what {MANIFEST} gives.")
        by = "" if self._same_program else f" The set was made by {self._manifest['program']}."
        for name, wanted in documents.items():
            try:
                with open_member(self._folder, name) as file:
                    same = file.read(len(wanted) + 1) == wanted
            except (OSError, DecodingError):
                continue  # which the digests say
            if not same:
                what = "the plot" if name == ACCURACY_PLOT else "a figure or a sentence"
                self._add(f"{name}: {what} is not what the rows give.{by}")

    def _histories(self, file: io.BufferedReader) -> Iterator[tuple[str, str]]:
        seen, number = set(), 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            place = f", line {number}"
            row = decode_json(line, ReleasedHistory)
            question = self.questions.get(row.qanta_id)
            seen.add(row.qanta_id)
            try:
                text = replay(Edit(edit.start, edit.removed, edit.inserted) for edit in row.edits)
            except ValueError as trouble:
                yield place, f"the history does not replay: {trouble}."
                continue
            if question is None or text != question.text:
                yield place, "the history does not lead to the question's text."
            for one in (*row.edits, *row.answers, *row.events):
                self._check_pseudonym(one.by, f"{RELEASED_HISTORIES}{place}")
            for event in row.events:
                body = decode_json(event.body, dict[str, Any])
                for name in (body.get("person", "unknown"), *body.get("authors", ())):
                    self._check_pseudonym(str(name), f"{RELEASED_HISTORIES}{place}")
        if seen != self.questions.keys():
            yield "", "it does not have every question."

    def _check_pseudonym(self, name: str, place: str) -> None:
        if not PSEUDONYM.match(name) and name not in self.pseudonyms:
            self._add(f"{place}: {name!r} is no pseudonym.")
        self.pseudonyms.setdefault(name, place)


def _differences(
    play: _PlayLine, computed: PlaySummary, answer: Answer, is_right: RightnessRule, *, whole: bool
) -> Iterator[str]:
    """What a line of plays states and its own guesses contradict."""
    pages = [play.pages[row[0]] if row else None for row in play.guesses]
    if play.first_correct != computed.first_correct:
        yield "the player is not right first where it says."
    if play.stable_correct != computed.stable_correct:
        yield "the player is not right for good where it says."
    if not whole:
        return
    if play.right != [int(page is not None and is_right(answer, page)) for page in pages]:
        yield "“right” is not what the guesses give."
    if play.words != computed.words:
        yield f"the question has {computed.words} words, not {play.words}."
    if play.buzz is not None and (
        play.buzz not in play.heard
        or play.buzzes_right != computed.buzzes_right
        or play.buzz_page != computed.buzz_page
    ):
        yield "the buzz is not on the guess there."
    if play.buzz is None and play.buzzes_right:
        yield "the buzz is right, but there is no buzz."
    if play.knowable is False and computed.first_correct is not None:
        yield "the player names an answer that it is said not to know."
