"""What experiments are given: questions, people's buzzes on them, and the games of the players of a bundle.

Everything is read when an experiment first asks for it. What cannot be used is left out, and counted with its
reason; nothing is dropped silently.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation
from quizwriter.domain.page import Page
from quizwriter.domain.players import ELASTIC
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import Advice
from quizwriter.engine.engine import HELD_BACK, held_back, held_back_key
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.experiments.controls import held_back_origins, was_asked, with_page
from quizwriter.experiments.experiment_options import source_name
from quizwriter.experiments.recorded_players import recorded_players
from quizwriter.experiments.registry import READ, YES, Need, refuse
from quizwriter.formats.buzz_files import RecordedBuzz, Room, read_rooms
from quizwriter.formats.file_formats import Holds, endings, question_rows
from quizwriter.formats.question_files import (
    DEVELOPMENT,
    ReadReport,
    not_withdrawn,
    one_line,
    question_names,
    question_of,
)
from quizwriter.services.blind_draws import BlindDraws
from quizwriter.services.recorded_rooms import people_of
from quizwriter.system.decoding import file_digest
from quizwriter.workflow.people_rooms import BuzzFit
from quizwriter.workflow.wording import counted_noun, player_title

if TYPE_CHECKING:
    from quizwriter.domain.guessing import Player
    from quizwriter.engine.engine import Engine
    from quizwriter.services.wiring import App
    from quizwriter.store.plays import PlayRecord, PlaySummary

S = TypeVar("S")
T = TypeVar("T")

GAMES = "games"
"""What buzzes are called that people made in the games of the database."""

RECORDED = "recorded"
"""The option that names a file of recorded games, and what the report calls it."""

_STEP = 10
"""Questions after which the progress is shown again."""

FEWEST_UNREAD = 20
"""Questions that must be left where others were read."""

MOST_QUESTIONS = 200_000
"""Questions of an experiment; all published ones are fewer."""

_QUESTION_FILES = ("questions.json", "questions.jsonl", "questions.jsonl.xz")


class SourceQuestion(msgspec.Struct, frozen=True):
    """A tossup of an experiment, with the names under which buzzes may know it."""

    key: str
    tossup: Tossup
    category: str = ""
    set: str = ""
    difficulty: int | None = None
    names: tuple[str, ...] = ()
    power_word: int | None = None  # how many words are in power, where the file says it beside the text

    @property
    def title(self) -> str:
        return self.tossup.answer.main if self.tossup.answer is not None else self.key


class PlayedRoom(msgspec.Struct, frozen=True):
    """A room whose tossup is known, or at least its length; ``question`` is None where only that is."""

    room: Room
    key: str
    words: int
    question: SourceQuestion | None = None

    def share(self, position: int) -> float:
        """How much of the tossup was heard at a buzz at ``position``; past the end counts as the end."""
        return min(1.0, (position + 1) / self.words)


class InputRecord(msgspec.Struct):
    """An input as the report of a run names it."""

    role: str
    name: str
    digest: str
    number: int


class ReadQuestions(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many of the ``questions`` players have ``read``, and whether they were played all the same.

    ``index`` is that of a server's player, where nobody knows which questions are in it.
    """

    questions: int
    read: int
    played: bool
    index: str = ""

    @property
    def sentence(self) -> str:
        """What a result says first; empty if no question was read."""
        return " ".join(filter(None, (self._known, self._unknown)))

    @property
    def _unknown(self) -> str:
        if not self.index:
            return ""
        return f"{player_title(ELASTIC)} plays from the index {self.index}, which may hold these questions."

    @property
    def _known(self) -> str:
        if not self.read:
            return ""
        known = f"The players have read {self.read:,} of {counted_noun(self.questions, 'question')}"
        if self.played:
            return f"{known}, and play them here all the same: what follows says nothing about new questions."
        return f"{known}; these are left out."


class ExperimentInputs(msgspec.Struct, dict=True):
    """What one run of an experiment was given, and what it left out.

    ``questions_from``, ``buzzes_from`` and ``against_from`` are a file, a folder, :data:`HELD_BACK`, or the
    name of a set in the database; buzzes may be :data:`GAMES`, too. ``tossup_ids`` are
    tossups of the database instead of ``questions_from``. ``held_back_from`` is a file instead of what the
    bundle holds back, for checks: the starter bundle holds nothing back. Without ``trains``, the answers of
    trained players are made up, for checks, too: a training differs from machine to machine.
    """

    app: App
    questions_from: str = ""
    buzzes_from: str = ""
    against_from: str = ""
    tossup_ids: tuple[str, ...] = ()
    players: tuple[str, ...] = ()
    seed: int = 1
    limit: int | None = None
    held_back_from: Path | None = None
    trains: bool = True
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    progress: Callable[[str, float, float], None] = lambda work, done, total: None
    cancellation: Cancellation = msgspec.field(default_factory=Cancellation)
    loaded: Engine | None = None  # the engine, where it is loaded already
    left_out: Counter[str] = msgspec.field(default_factory=Counter)
    asked: list[tuple[str, Advice]] = msgspec.field(default_factory=list)
    """What machines were asked in the games that were read, with the ids of the tossups."""
    records: list[InputRecord] = msgspec.field(default_factory=list)
    read: ReadQuestions | None = None  # once an experiment asked for questions that are unread

    @property
    def there(self) -> frozenset[Need]:
        found = {Need.PLAYERS, Need.HISTORIES}
        if self.questions_from or self.tossup_ids:
            found.add(Need.QUESTIONS)
        if self.buzzes_from:
            found.add(Need.BUZZES)
        if self.against_from:
            found |= {Need.AGAINST_QUESTIONS, Need.AGAINST_BUZZES}
        return frozenset(found)

    # -- questions

    @cached_property
    def questions(self) -> tuple[SourceQuestion, ...]:
        if self.tossup_ids:
            return self._recorded("questions", "the selection", self._of_database(self.tossup_ids))
        return self._read_questions("questions", self.questions_from)

    @cached_property
    def against_questions(self) -> tuple[SourceQuestion, ...]:
        """The questions to compare with, at least one; see :attr:`questions`."""
        return self._read_questions("against", self.against_from or HELD_BACK)

    def _read_questions(self, role: str, name: str) -> tuple[SourceQuestion, ...]:
        held = self.held_back_from
        path = Path(name)
        with translate_reading_errors(name):  # of a name that no file can have
            is_there = path.exists()
        if name == HELD_BACK:
            found = list(self._held_back() if held is None else self._of_file(held))
        elif is_there:
            most = self.limit if role == "questions" else None
            found = list(islice(self._of_path(path), most))
        else:
            of_set = self.app.store.tossups_of_set(name) if name else ()
            if not of_set:
                raise refuse(
                    f"There is no file, folder or set “{name}”.",
                    f"Name questions in a file, a folder, a set of the database, or {HELD_BACK}.",
                )
            found = self._of_database([key for key, _, _ in of_set], name)
        return self._recorded(role, name, found)

    def _recorded(self, role: str, name: str, found: list[SourceQuestion]) -> tuple[SourceQuestion, ...]:
        if not found:
            why = "; ".join(f"{reason}: {number}" for reason, number in self.left_out.most_common(3))
            raise refuse(
                f"There is no question with an answer in {name}{f' ({why})' if why else ''}.",
                "Name questions that have a text and an answer.",
            )
        if len(found) > MOST_QUESTIONS:
            raise refuse(f"{name} has more than {MOST_QUESTIONS:,} questions.", "Name fewer questions.")
        if self.limit is not None and role == "questions":
            found = found[: self.limit]
        digest = hashlib.sha256()
        for one in found:
            answer = one.tossup.answer.line if one.tossup.answer is not None else ""
            digest.update(f"{one.key}\0{one.tossup.text}\0{answer}\0".encode("utf-8", "surrogatepass"))
        self.records.append(InputRecord(role, source_name(name), digest.hexdigest(), len(found)))
        return tuple(found)

    def one_of_each(self, keys: Sequence[str]) -> tuple[str, ...]:
        """``keys`` with one branch of each tossup, as everywhere else; the others are left out."""
        found = self.app.store.one_of_each(keys)
        if len(found) < len(keys):
            self.left_out["another branch of a tossup that is here already"] += len(keys) - len(found)
        return found

    def _of_database(self, keys: Sequence[str], set_name: str = "") -> list[SourceQuestion]:
        found = []
        for key in self.one_of_each(keys):
            try:
                tossup = self.app.store.load(key).tossup
                review = self.app.store.review_of(key)
            except QuizwriterError:
                self.left_out["a tossup that is damaged or no longer there"] += 1
                continue
            if tossup.answer is None or not tossup.words:
                self.left_out["a tossup without an answer or without words"] += 1
            elif review.hides_machines:
                self.left_out["a tossup whose machines are hidden until it is ready"] += 1
            else:
                category = review.category[0] if review.category else ""
                found.append(SourceQuestion(key, tossup, category, set_name, None, (key,)))
        return found

    @property
    def has_held_back(self) -> bool:
        return bool(self._unseen)

    @cached_property
    def _unseen(self) -> list[Tossup]:
        return held_back(self.engine.folder, DEVELOPMENT)

    def _held_back(self) -> Iterator[SourceQuestion]:
        if not self._unseen:
            raise refuse(
                f"The bundle {self.engine.title} holds no questions back: its players learned from all.",
                "Build a bundle without --all, or name other questions with --against.",
            )
        known = held_back_origins(self.engine)
        for number, tossup in enumerate(self._unseen):
            category, difficulty = known.get(tossup.text, ("", None))
            yield SourceQuestion(held_back_key(number), tossup, category, difficulty=difficulty, names=())

    def _of_path(self, path: Path) -> Iterator[SourceQuestion]:
        if not path.is_dir():
            yield from self._of_file(path)
            return
        named = [path / name for name in _QUESTION_FILES if (path / name).is_file()]
        packets = endings((Holds.PACKET,))
        files = named[:1] or [
            one
            for folder in ("packet_files", "")
            for one in sorted(path.rglob(f"{folder}/*" if folder else "*"))
            if one.name.casefold().endswith(packets) and one.name != "index.json" and one.is_file()
        ]
        for file in dict.fromkeys(files):
            yield from self._of_file(file)

    def _of_file(self, path: Path) -> Iterator[SourceQuestion]:
        report = ReadReport(str(path))
        seen: set[str] = set()
        for row in not_withdrawn(path, question_rows(path, report), report):
            self.cancellation.check()
            given = row if "id" in row or "bq" not in row else {**row, "id": row["bq"]}
            question = question_of(given, report, seen)
            if question is None:
                continue
            page = question.page or question.answer.replace(" ", "_")
            tossup = Tossup(question.text, Answer(question.line or question.answer, Page(page)))
            if not tossup.words:
                report.reject("a text without words")
                continue
            power = row.get("power_word")
            yield SourceQuestion(
                question.id,
                tossup,
                question.category,
                one_line(row.get("set")) or question.origin.tournament,
                question.origin.difficulty,
                question_names(row, question.id),
                power if isinstance(power, int) and not isinstance(power, bool) and power > 0 else None,
            )
        self.left_out.update({f"{path.name}: {reason}": one for reason, one in report.rejected.items()})

    # -- buzzes

    @cached_property
    def rooms(self) -> tuple[PlayedRoom, ...]:
        """The rooms with buzzes whose tossups have a known length, at least one."""
        return self._read_rooms("buzzes", self.buzzes_from, self.questions if self._has_questions else ())

    @cached_property
    def rooms_by_question(self) -> dict[str, list[PlayedRoom]]:
        found: dict[str, list[PlayedRoom]] = {}
        for one in self.rooms:
            found.setdefault(one.key, []).append(one)
        return found

    def count_unplayed(self) -> None:
        unplayed = sum(one.key not in self.rooms_by_question for one in self.questions)
        if unplayed:
            self.left_out["questions without a recorded room"] = unplayed

    @cached_property
    def against_rooms(self) -> tuple[PlayedRoom, ...]:
        if self.buzzes_from == GAMES:
            return self._games_of_people("against", self.against_questions)
        return self._read_rooms("against", self.against_from, self.questions if self._has_questions else ())

    @property
    def _has_questions(self) -> bool:
        return bool(self.questions_from or self.tossup_ids)

    def _read_rooms(self, role: str, name: str, known: Sequence[SourceQuestion]) -> tuple[PlayedRoom, ...]:
        if self.buzzes_from == GAMES:
            return self._games_of_people(role, known)
        path = Path(name)
        report = ReadReport(str(path))
        read = read_rooms(path, report)
        self.left_out.update({f"{path.name}: {reason}": one for reason, one in report.rejected.items()})
        if not known and path.is_dir():  # a folder of buzzpoints has its packets beside its games
            known = tuple(self._of_path(path))
        found = self._joined(read, known)
        buzzes = sum(len(one.room.buzzes) for one in found)
        if not buzzes:
            none = f"None of the {len(read):,} rooms" if len(read) > 1 else "No room"
            raise refuse(
                f"{none} in {path} fits a question"
                f"{' of ' + self.questions_from if self.questions_from else ''}.",
                "Name the questions that were read there with --questions.",
            )
        self.records.append(InputRecord(role, path.name, _path_digest(path), buzzes))
        return tuple(found)

    def _games_of_people(self, role: str, known: Sequence[SourceQuestion]) -> tuple[PlayedRoom, ...]:
        """The games of the database on the questions ``known``, each buzz placed in the text of now."""
        drawn = self._drawn(role)
        found = []
        for one in known:
            if drawn is not None and one.key not in drawn:
                continue
            people = people_of(self.app.store, one.key, one.tossup, imported=False)
            self.asked += [(one.key, advice) for advice in people.advice]
            buzzes = [buzz for buzz in people.buzzes if buzz.room and buzz.placed.fit is not BuzzFit.GONE]
            left = len(people.rooms) - len(people.fitting)
            if left:
                self.left_out["rooms that no longer fit, or ended before people had answered"] += left
            for room in people.fitting:
                own = tuple(
                    RecordedBuzz(
                        buzz.team, buzz.who or buzz.team, buzz.placed.word - 1, buzz.right, buzz.points
                    )
                    for buzz in buzzes
                    if buzz.room == room.name
                )
                whole = Room(one.key, room.game, one.set, len(one.tossup.words), own)
                found.append(PlayedRoom(whole, one.key, len(one.tossup.words), one))
        if not found:
            name = (self.against_from if role == "against" else self.questions_from) or "the selection"
            raise refuse(
                f"No people yet: nobody has played a tossup of {name}.",
                "Have people play them: Play > Read to someone…, or send them to playtesters.",
            )
        digest = hashlib.sha256(repr([one.room for one in found]).encode("utf-8", "surrogatepass"))
        number = sum(len(one.room.buzzes) for one in found)
        self.records.append(InputRecord("games", "the database", digest.hexdigest(), number))
        return tuple(found)

    def _drawn(self, role: str) -> frozenset[str] | None:
        """The tossups of the blind draw that was asked for; None: all."""
        if self.options.get("blind") != YES:
            return None
        draw = BlindDraws(self.app.store, self.app.games).of(self.questions_from, self.against_from)
        if draw is None:
            raise refuse(
                f"Nothing was drawn of {self.questions_from} and {self.against_from or 'a control'}.",
                "Draw first: quizwriter playtest send FILE --set SET --control CONTROL.",
            )
        return frozenset(draw.controls if role == "against" else draw.these)

    def _joined(self, read: Iterable[Room], known: Sequence[SourceQuestion]) -> list[PlayedRoom]:
        by_name = _index(known)
        found = []
        for given in read:
            room = given
            question = by_name.get(room.question)
            if question is None and room.set:
                question = by_name.get(f"{room.set.casefold()} / {room.question}")
            if question is None and (known or room.words is None):
                self.left_out["buzzes that fit no question"] += max(1, len(room.buzzes))
                continue
            words = room.words or (len(question.tossup.words) if question is not None else 0)
            if not words:
                self.left_out["buzzes on a question without words"] += len(room.buzzes)
                continue
            if question is not None:
                room = room.in_our_words(question.tossup.text)
            late = sum(buzz.position > words for buzz in room.buzzes)
            if late:
                self.left_out["positions past the last word, which count as the end"] += late
            found.append(PlayedRoom(room, question.key if question else room.question, words, question))
        return found

    # -- players

    @cached_property
    def engine(self) -> Engine:
        return self.loaded or self.app.engines.load()

    @cached_property
    def recorded_players(self) -> tuple[Player, ...]:
        """The players whose games are in the file that the option ``recorded`` names."""
        name = self.options.get(RECORDED, "")
        if not name:
            return ()
        found = recorded_players(Path(name), self.engine.pages.all)
        if taken := {player.name for player in found} & {player.name for player in self.engine.players}:
            raise refuse(
                f"{Path(name).name} has games of {' and '.join(sorted(taken))}, a player of the bundle.",
                "Give the players of the file other names.",
            )
        self.records.append(InputRecord(RECORDED, Path(name).name, found[0].engine, len(found)))
        return found

    @property
    def player_names(self) -> tuple[str, ...]:
        """The players of the experiment: those that were named, else all."""
        there = tuple(player.name for player in (*self.engine.players, *self.recorded_players))
        unknown = [name for name in self.players if name not in there]
        if unknown:
            raise refuse(
                f"The bundle {self.engine.title} has no player {' and '.join(unknown)}.",
                f"Name some of {', '.join(there)} with --players.",
            )
        return self.players or there

    @contextmanager
    def batch_players(self) -> Iterator[tuple[Player, ...]]:
        """The players of the experiment within the block, for slow work that no draft waits for."""
        names = self.player_names
        with self.app.engines.batch_players(self.engine, self.cancellation) as batch:
            yield tuple(player for player in batch.players if player.name in names)

    def resolved(self, questions: Sequence[SourceQuestion]) -> tuple[SourceQuestion, ...]:
        """``questions`` with the pages of the engine for their answers, where it has them."""
        return tuple(replace(one, tossup=with_page(one.tossup, self.engine)) for one in questions)

    @cached_property
    def unread_questions(self) -> tuple[SourceQuestion, ...]:
        """The questions on the pages of the engine that no player has read; see :meth:`unread`."""
        return self.unread(self.resolved(self.questions))

    def unread(self, questions: Sequence[SourceQuestion]) -> tuple[SourceQuestion, ...]:
        """Those of ``questions`` that no player has read; all of them with the option ``read``.

        A question is read if the bundle has its text, or one near to it, among its past tossups: by the text,
        never by the id. Slow: 15 ms a question.
        """
        played, index = self.options.get(READ) == YES, self._foreign_index()
        if self.questions_from == HELD_BACK:
            self.read = ReadQuestions(len(questions), 0, played, index) if index else None
            return tuple(questions)
        found = [
            one
            for one in self.watched("Looking for questions that the players have read", questions)
            if not was_asked(one.tossup, self.engine)
        ]
        self.read = ReadQuestions(len(questions), len(questions) - len(found), played, index)
        if played or not self.read.read:
            return tuple(questions)
        if len(found) < FEWEST_UNREAD:
            raise refuse(
                f"The players have read {self.read.read:,} of {counted_noun(len(questions), 'question')}: "
                f"{len(found) or 'none'} would be left, and {FEWEST_UNREAD} are needed.",
                f"Use a bundle that was built without these questions, or play them anyway with --{READ}.",
            )
        self.left_out["questions that the players have read"] += self.read.read
        return tuple(found)

    def _foreign_index(self) -> str:
        """The index of the server's player that was not published from the bundle; empty if there is none.

        One of somebody else, whose fields are named, is played. One that was published from another bundle
        is played only with the option ``read``.
        """
        distant = next((one for one in self.engine.players if one.name == ELASTIC), None)
        if distant is None or ELASTIC not in self.player_names:
            return ""
        index = self.app.engines.foreign_index(self.engine.folder)
        if index and not self.app.engines.ranks_fields and self.options.get(READ) != YES:
            raise refuse(
                f"The index {index} was not published from {self.engine.title}: it may hold these questions.",
                "Publish this bundle there (python -m index_builder publish), name the fields of an index of "
                f"your own with --fields, or play anyway with --{READ}.",
            )
        return index

    def unread_controls(self) -> tuple[SourceQuestion, ...]:
        """The questions to compare with; without the option ``read``, those that nobody has read."""
        controls = self.resolved(self.against_questions)
        if self.against_from in {"", HELD_BACK} or self.options.get(READ) == YES:
            return controls
        work = "Looking for controls that the players have read"
        found = tuple(one for one in self.watched(work, controls) if not was_asked(one.tossup, self.engine))
        if not found:
            raise refuse(
                f"The players have read all questions of {Path(self.against_from).name}.",
                f"Name others with --against, or play them anyway with --{READ}.",
            )
        if len(found) < len(controls):
            self.left_out["controls that the players have read"] += len(controls) - len(found)
        return found

    def summaries(self, questions: Sequence[SourceQuestion]) -> dict[str, list[PlaySummary]]:
        """The game of each player on each of ``questions``, in their order; kept games are reused."""
        return dict(self._games(questions, whole=False))

    def courses(self, questions: Sequence[SourceQuestion]) -> dict[str, list[PlayRecord]]:
        """As :meth:`summaries`, with every guess after every word."""
        return dict(self._games(questions, whole=True))

    def _games(self, questions: Sequence[SourceQuestion], *, whole: bool) -> Iterator[tuple[str, list[Any]]]:
        from quizwriter.store.plays import PlayCache

        with closing(PlayCache(self.app.home)) as cache:
            kept = cache.record if whole else cache.summary
            yield from self.by_player("plays", questions, lambda player, one: kept(player, one.tossup))

    def by_player(
        self, work: str, questions: Sequence[S], of: Callable[[Player, S], T]
    ) -> Iterator[tuple[str, list[T]]]:
        """What ``of`` says of each of ``questions`` for one player after the other, with the player's name.

        ``work`` is what the player does with a question, as the progress says it.
        """
        with self.batch_players() as players:
            recorded = (player for player in self.recorded_players if player.name in self.player_names)
            for player in (*players, *recorded):
                said = f"{player_title(player.name)} {work}"
                yield player.name, [of(player, one) for one in self.watched(said, questions)]

    def watched(self, work: str, questions: Sequence[T]) -> Iterator[T]:
        """``questions`` one by one, while the progress of ``work`` is shown."""
        for done, one in enumerate(questions):
            self.cancellation.check()
            if done % _STEP == 0:
                self.progress(work, done, len(questions))
            yield one

    def option(self, name: str, default: str, allowed: Sequence[str] = ()) -> str:
        value = self.options.get(name) or default
        if allowed and value not in allowed:
            raise refuse(f"--{name} cannot be {value}.", f"Choose {', '.join(allowed)}.")
        return value

    def whole_option(self, name: str, default: int, least: int, most: int) -> int:
        """The option ``name`` as a number, else ``default``."""
        said = self.option(name, str(default))
        if not said.isdecimal() or not least <= int(said[:12]) <= most:
            raise refuse(f"--{name} cannot be {said[:20]}.", f"Choose a number from {least:,} to {most:,}.")
        return int(said)


def _index(known: Sequence[SourceQuestion]) -> dict[str, SourceQuestion | None]:
    """The question of each name; None where several have it."""
    found: dict[str, SourceQuestion | None] = {}
    for one in known:
        for name in one.names:
            found[name] = one if name not in found or found[name] is one else None
    return found


def _path_digest(path: Path) -> str:
    """SHA-256 of a file; of a folder that of the digests of the files in it, in the order of their names."""
    if path.is_file():
        return file_digest(path)
    whole = hashlib.sha256()
    for one in sorted(path.rglob("*")):
        if one.is_file() and not one.is_symlink():
            whole.update(
                f"{one.relative_to(path).as_posix()}\0{file_digest(one)}\0".encode("utf-8", "surrogatepass")
            )
    return whole.hexdigest()
