"""The composition root: settings in, wired application out; the window and the commands both use it.

The engine is imported where it is loaded, in the background: NumPy would hold up the window by a third.
"""

from __future__ import annotations

import csv
import logging
import shutil
import sys
import tomllib
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter.domain.guessing import Guess
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.review import (
    Body,
    Categorised,
    Event,
    Person,
    PutInSet,
    Review,
    Status,
    TakenBack,
    WrittenBy,
    fold_events,
)
from quizwriter.domain.tossup import Answer, Page, Tossup
from quizwriter.engine.elastic.secrets import Secrets, probe_server, server_player
from quizwriter.errors import QuizwriterError
from quizwriter.settings import ServerSettings, Settings, data_folder
from quizwriter.store import Store
from quizwriter.store import TossupSummary as TossupSummary
from quizwriter.workflow.history_analysis import History
from quizwriter.workflow.session import PendingSave, RecordedPlay, WritingSession, now_ms
from quizwriter.workflow.statuses import change_status
from quizwriter.workflow.tagging import Phenomenon

if TYPE_CHECKING:
    from index_builder.data import DataSource
    from index_builder.user_packets import PacketImport as PacketImport
    from quizwriter.engine import Engine as Engine
    from quizwriter.engine.elastic.secrets import ServerReport as ServerReport
    from quizwriter.engine.player_process import PlayerProcesses
    from quizwriter.workflow.analysis import Player
    from quizwriter.workflow.categories import Category
    from quizwriter.workflow.checks import Check
    from quizwriter.workflow.queue import QueueFilter

log = logging.getLogger(__name__)

DATABASE = "quizwriter.db"
EXAMPLES_MS = 1_795_275_000_000  # when the examples were written: their edits are the same on all machines
FETCHED = "sources"  # the folder beside the bundle; :mod:`index_builder.pipeline` calls it so


@dataclass(frozen=True)
class DownloadOffer:
    """What more evidence there is to be had; sizes as people say them."""

    sources: tuple[DataSource, ...]
    folder: Path  # where it is kept
    free: str  # room on that disk
    kept: str  # the size of what was fetched before; empty if nothing was


@dataclass(frozen=True, slots=True)
class RecordReport:
    """What was recorded of several tossups, and of which it could not be, with the reason."""

    events: tuple[Event, ...]
    refused: tuple[tuple[str, QuizwriterError], ...] = ()


@dataclass(frozen=True)
class TitledHistory:
    """A tossup's history with what people call the tossup, and who is who by id."""

    history: History
    title: str
    names: dict[str, str]


class App:
    """What the window and the commands stand on."""

    def __init__(
        self, home: Path | None = None, bundle: Path | None = None, database: Path | None = None
    ) -> None:
        """The application whose files live in ``home``; ``bundle`` overrides the one used last.

        ``database`` is another file than the one there.

        ``settings_trouble`` is what in the settings makes no sense; the defaults hold for that.
        """
        self.home = home or data_folder()
        self._settings_file = self.home / "settings.toml"
        self.settings, self.settings_trouble = Settings.read(self._settings_file)
        self._kept = self.settings
        self._bundle = bundle
        self._database = database or self.home / DATABASE
        self._store: Store | None = None
        self._untrained: Path | None = None
        self.secrets = Secrets()
        self._server: ServerSettings | None = None
        self._distant: tuple[ServerSettings, Player] | None = None
        self.trains = True
        """Whether what the starter bundle lacks may be trained; measuring wants the machine to itself."""
        self.plays_apart = False
        """Whether slower players play in a process of their own; a window wants that, a command need not."""
        self._apart: PlayerProcesses | None = None

    @property
    def store(self) -> Store:
        """The writer's database, opened at the first use.

        Raises:
            QuizwriterError: it cannot be opened.
        """
        if self._store is None:
            self._store = Store(self._database)
        return self._store

    def change(self, settings: Settings) -> None:
        """Use ``settings`` from now on, and keep them.

        Raises:
            QuizwriterError: they could not be kept, or the file must be mended first; they hold all the same.
        """
        self.settings = settings
        if settings == self._kept:
            return
        if self.settings_trouble is not None:
            _, self.settings_trouble = Settings.read(self._settings_file)
        if self.settings_trouble is not None:  # somebody's work is in that file
            raise QuizwriterError(
                f"{self.settings_trouble.problem} So what you chose holds only until you close the window.",
                self.settings_trouble.remedy,
            )
        settings.write(self._settings_file)
        self._kept = settings

    @property
    def me(self) -> Person:
        """Who writes here; nameless until that is asked."""
        settings = self.settings
        if not settings.profile_id:
            try:
                self.change(replace(settings, profile_id=uuid.uuid4().hex))
            except QuizwriterError as trouble:
                log.warning("who writes here is known for this run only: %s", trouble)
        settings = self.settings
        return Person(settings.profile_id, settings.profile_name, settings.profile_email)

    def introduce(self, name: str, email: str) -> None:
        """Call whoever writes here ``name`` from now on.

        Raises:
            QuizwriterError: that could not be kept.
        """
        me = Person(self.me.id, name, email, now_ms())
        self.store.know(me)
        self.change(replace(self.settings, profile_name=name, profile_email=email))

    def ask(self, server: ServerSettings | None) -> None:
        """Let the player of ``server`` play beside those of any engine from now on; None: no such player."""
        self._server = server

    def joined(self, engine: Engine) -> Engine:
        """``engine`` with the player of the server that is to be asked, and of no other."""
        players = tuple(player for player in engine.players if not player.distant)
        server = self._server  # the window's thread may change it
        if server is not None:
            if self._distant is None or self._distant[0] != server:
                self._distant = server, server_player(server, self.secrets)
            players = (*players, self._distant[1])
        return replace(engine, players=players)

    def keep_secret(self, server: ServerSettings, secret: str) -> bool:
        """Keep ``secret``, which opens ``server``, and what opened the one in the settings no longer.

        An empty one leaves what is kept for ``server``. Slow; any thread may call it. False if it holds only
        until the program ends, for want of a keyring.

        Raises:
            QuizwriterError: there is a keyring and it does not do it.
        """
        kept = not secret or self.secrets.keep(server, secret)
        if server.opened_by != self.settings.elasticsearch.opened_by:
            self.secrets.forget(self.settings.elasticsearch)
        return kept

    def test(self, server: ServerSettings, secret: str = "") -> ServerReport:
        """What ``server`` says of itself; ``secret`` opens it instead of the one kept.

        Slow (up to seconds); any thread may call it.

        Raises:
            QuizwriterError: it cannot be used.
        """
        return probe_server(server, secret or self.secrets.find(server))

    def load_engine(self) -> Engine:
        """The engine of the bundle asked for, else of the one used last, else the embedded default.

        Slow (up to seconds); any thread may call it.

        Raises:
            QuizwriterError: that bundle cannot be used.
        """
        if self._bundle is not None:
            return self._read(self._bundle)
        return self._read(Path(self.settings.bundle)) if self.settings.bundle else self.load_starter()

    def load_starter(self) -> Engine:
        """The embedded default: the shipped texts, indexed at the first start and kept.

        Raises:
            QuizwriterError: there is no room or no right to keep the index.
        """
        from index_builder.starter import starter_bundle

        texts, bundles = resources() / "starter", self.home / "bundles"
        folder = starter_bundle(texts, bundles)
        try:
            engine = self._read(folder)
        except QuizwriterError as trouble:  # it is ours, so a damaged one is simply built again
            log.info("building the starter bundle again: %s", trouble)
            engine = self._read(starter_bundle(texts, bundles, anew=True))
        self._untrained = None if engine.is_trained else engine.folder
        return engine

    def open_bundle(self, folder: Path) -> Engine:
        """The engine of the bundle in ``folder``, which becomes the one used; :meth:`change` keeps that.

        Raises:
            QuizwriterError: it cannot be used; the choice stays as it was.
        """
        engine = self._read(folder)
        self._untrained = None
        self._bundle = folder
        self.settings = replace(self.settings, bundle=str(folder.resolve()))
        return engine

    def added(self, bundle: Path) -> tuple[list[PacketImport], list[QuizwriterError]]:
        """The packets added to ``bundle``, and what is wrong with those that cannot be used."""
        from index_builder.user_packets import added_packets

        return added_packets(bundle)

    def add_packets(
        self, bundle: Path, paths: Sequence[Path], progress: Callable[[int, int], None]
    ) -> tuple[list[PacketImport], Engine]:
        """Add the packets in folders or files; what came of each, and the engine that knows them.

        Slow (up to seconds); any thread may call it. ``progress`` is told how many files of how many are
        read.

        Raises:
            QuizwriterError: a path cannot be read or the bundle cannot be added to; nothing is added then.
        """
        from index_builder.user_packets import add_packets

        return add_packets(bundle, paths, progress), self._read(bundle)

    def remove_packets(self, bundle: Path, name: str) -> Engine:
        """Take out what was added under ``name``; the engine without it.

        Raises:
            QuizwriterError: it is not there, or cannot be removed.
        """
        from index_builder.user_packets import remove_packets

        remove_packets(bundle, name)
        return self._read(bundle)

    @property
    def evidence_folder(self) -> Path:
        """Where *Get more evidence* keeps what it fetches and makes; not there before."""
        return self.home / "evidence"

    def evidence_offer(self) -> DownloadOffer:
        """What *Get more evidence* would fetch, and what is here of it."""
        from index_builder.data import QANTA, WIKIPEDIA, megabytes

        folder = self.evidence_folder
        there = next(parent for parent in (folder, *folder.parents) if parent.exists())
        kept = sum(path.stat().st_size for path in (folder / FETCHED).glob("*"))
        free = shutil.disk_usage(there).free
        return DownloadOffer((QANTA, WIKIPEDIA), folder, megabytes(free), megabytes(kept) if kept else "")

    def evidence_command(self, *, mirror: str) -> list[str]:
        """The program that fetches and indexes more evidence, and says how far it is in lines of JSON.

        ``mirror`` is a file with the questions, or another address of them; empty for their own.
        """
        command = [sys.executable, "-P", "-m", "index_builder", "all", "--json-progress"]
        command += ["--out", str(self.evidence_folder)]
        return [*command, *(["--mirror", mirror] if mirror else [])]

    def training_command(self) -> list[str] | None:
        """The program that trains the players which the starter bundle could have and has not.

        Other bundles are trained when they are built, if at all: that takes hours.

        It says ``{"player": "dan", "share": 0.4}`` in lines of JSON, ends when its standard input is closed,
        and goes on from there when it is run again. None where there is nothing to train.
        """
        if self._untrained is None or not self.trains:
            return None
        bundle = str(self._untrained)
        return [sys.executable, "-P", "-m", "index_builder", "train", "--bundle", bundle, "--json-progress"]

    def forget_fetched(self) -> None:
        """Remove what was fetched; the bundles built of it stay.

        Raises:
            QuizwriterError: it cannot be removed.
        """
        folder = self.evidence_folder / FETCHED
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass
        except OSError as trouble:
            raise QuizwriterError(
                f"{folder} could not be removed ({trouble.strerror}).", "Remove that folder by hand."
            ) from trouble

    def _read(self, bundle: Path) -> Engine:
        from index_builder.user_packets import refresh_index
        from quizwriter.engine import load

        apart = self._company() if self.plays_apart else None
        troubles = refresh_index(bundle)
        engine = self.joined(load(bundle))
        if apart is not None:
            engine = apart.players(engine)
        return replace(engine, troubles=(*troubles, *engine.troubles)) if troubles else engine

    def _company(self) -> PlayerProcesses:
        """The process for players, which starts while their bundle is read."""
        from quizwriter.engine.player_process import PlayerProcesses

        if self._apart is None:
            self._apart = PlayerProcesses()
        self._apart.start()
        return self._apart

    def close(self) -> None:
        """End what runs beside the program; players in a process of their own are in trouble from now on."""
        if self._apart is not None:
            self._apart.close()
            self._apart = None

    def new_session(self) -> WritingSession:
        """An empty tossup; it is in the database once something is typed."""
        return WritingSession(uuid.uuid4().hex, author=self.me.id)

    def session(self, tossup_id: str) -> WritingSession:
        """The saved tossup, to be written on.

        Raises:
            QuizwriterError: it is not there, or cannot be read.
        """
        kept = self.store.load(tossup_id)
        return WritingSession(
            kept.tossup_id,
            kept.tossup,
            seq=kept.seq,
            head=kept.head,
            cursor=kept.cursor,
            author=self.me.id,
        )

    def last_session(self) -> WritingSession:
        """The tossup written on last, or an empty one.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        last = self.store.last()
        return self.new_session() if last is None else self.session(last)

    def drafts(self, keys: Sequence[str]) -> dict[str, Tossup]:
        """The tossups ``keys`` as they were saved.

        Raises:
            QuizwriterError: one is not there, or cannot be read.
        """
        return {key: self.store.load(key).tossup for key in keys}

    def check(
        self,
        drafts: Mapping[str, Tossup],
        engine: Engine | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> dict[str, tuple[Check, ...]]:
        """What must hold before ``drafts``, by id, are ready; see :mod:`quizwriter.workflow.checks`.

        Slow (up to seconds for a set of thousands); any thread may call it. Past questions are those of
        ``engine``; without one they cannot be looked at. ``progress`` is told how many of how many are done.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        from quizwriter.workflow.checks import DuplicateFinder, OtherTossup, check

        sets: dict[str, DuplicateFinder] = {}
        checked = {}
        for done, (key, draft) in enumerate(drafts.items()):
            if progress is not None:
                progress(done, len(drafts))
            name = fold_events(self.store.events(key)).set_name
            if name not in sets:
                sets[name] = DuplicateFinder(OtherTossup(*row) for row in self.store.in_set(name))
            past = None
            if engine is not None:
                found = engine.retrieval.past_near(draft)
                past = DuplicateFinder(OtherTossup(source, source, text) for source, text in found)
            checked[key] = check(draft, key, in_set=sets[name], past=past)
        return checked

    def set_status(
        self,
        keys: Sequence[str],
        status: Status,
        reason: str = "",
        *,
        failed: Mapping[str, Sequence[str]] | None = None,
        overridden: Mapping[str, str] | None = None,
    ) -> RecordReport:
        """Give the tossups ``keys`` another status, but those whose rules do not let them.

        ``failed`` names for each the checks that do not pass, and ``overridden`` says for each check why
        that is all right: see :func:`quizwriter.workflow.statuses.change_status`.

        Raises:
            QuizwriterError: nothing could be written.
        """

        def change(key: str, review: Review) -> Body:
            names = (failed or {}).get(key, ())
            return change_status(review, status, reason, failed=names, overridden=overridden)

        return self._record(keys, change)

    def record(self, keys: Sequence[str], body: Body) -> RecordReport:
        """Record ``body`` of each of the tossups ``keys``, but of those of which it holds already.

        Raises:
            QuizwriterError: nothing could be written.
        """

        def change(_: str, review: Review) -> Body | None:
            match body:
                case Categorised(levels=levels) if levels == review.category:
                    return None
                case PutInSet(name=name) if name == review.set_name:
                    return None
                case WrittenBy(person=person) if person == review.writer:
                    return None
            return body

        return self._record(keys, change)

    def _record(self, keys: Sequence[str], change: Callable[[str, Review], Body | None]) -> RecordReport:
        events, refused = [], []
        at_ms = now_ms()
        for key in keys:
            try:
                body = change(key, fold_events(self.store.events(key)))
            except QuizwriterError as trouble:
                refused.append((key, trouble))
                continue
            if body is not None:
                events.append(Event.new(key, at_ms, self.me.id, body))
        return RecordReport(self.store.record(events), tuple(refused))

    def take_back(self, events: Sequence[Event]) -> RecordReport:
        """Have ``events`` count no longer; taking back what was taken back makes them count again.

        Raises:
            QuizwriterError: nothing could be written.
        """
        of: dict[str, list[str]] = {}
        for event in events:
            of.setdefault(event.tossup_id, []).append(event.id)
        at_ms = now_ms()
        made = [Event.new(key, at_ms, self.me.id, TakenBack(tuple(found))) for key, found in of.items()]
        return RecordReport(self.store.record(made))

    def categories(self, set_name: str) -> tuple[Category, ...]:
        """The categories of a set, each level before those below it: its own, else the standard ones.

        Raises:
            QuizwriterError: they cannot be read.
        """
        from quizwriter.workflow import categories

        kept = self.store.kept("categories").get(set_name)
        return categories.STANDARD if kept is None else categories.of_json(kept)

    def keep_categories(self, set_name: str, paths: Sequence[Category] | None) -> None:
        """Give a set categories of its own; None: the standard ones.

        Raises:
            QuizwriterError: they could not be kept.
        """
        from quizwriter.workflow import categories

        self.store.keep("categories", set_name, None if paths is None else categories.as_json(paths))

    def filters(self) -> dict[str, QueueFilter]:
        """The saved filters by name; those that make no sense to this version are left out."""
        from quizwriter.workflow.queue import QueueFilter

        found = {}
        for name, kept in self.store.kept("filter").items():
            try:
                found[name] = QueueFilter.of_json(kept)
            except QuizwriterError as trouble:
                log.warning("the filter %s: %s", name, trouble)
        return found

    def keep_filter(self, name: str, wanted: QueueFilter | None) -> None:
        """Save a filter under a name, in place of what was; None forgets it.

        Raises:
            QuizwriterError: it could not be kept.
        """
        self.store.keep("filter", name, None if wanted is None else wanted.as_json())

    def queue_lines(
        self,
        keys: Sequence[str],
        columns: Sequence[tuple[str, str]],
        progress: Callable[[int, int], None] | None = None,
    ) -> Iterator[list[str]]:
        """The queue as text: ids, and what is under ``columns``, pairs of a column and a player.

        Raises:
            QuizwriterError: the database cannot be read.
        """
        from quizwriter.workflow.queue import cell

        people = self.store.people()
        for start in range(0, len(keys), 500):
            if progress is not None:
                progress(start, len(keys))
            for row in self.store.queue_rows(keys[start : start + 500]):
                yield [row.tossup_id, *(cell(row, people, column, player) for column, player in columns)]

    def export_queue(
        self,
        path: Path,
        keys: Sequence[str],
        columns: Sequence[tuple[str, str]],
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Write the tossups ``keys`` to ``path`` as CSV, an id and the ``columns`` each.

        Raises:
            QuizwriterError: it cannot be written; what was there stays as it was.
        """
        from quizwriter.workflow.queue import column_title

        beside = path.with_name(f".{path.name}.half")
        try:
            with beside.open("w", encoding="utf-8-sig", newline="") as file:  # so that Excel sees UTF-8
                table = csv.writer(file)
                table.writerow(["Id", *(column_title(*column) for column in columns)])
                table.writerows(self.queue_lines(keys, columns, progress))
            beside.replace(path)
        except OSError as trouble:
            beside.unlink(missing_ok=True)
            raise QuizwriterError(
                f"{path} could not be written ({trouble.strerror}).",
                "Choose another place, or make room there.",
            ) from trouble

    def past(self, tossup_id: str) -> TitledHistory:
        """The history of a saved tossup. Any thread may call it.

        Raises:
            QuizwriterError: it is not there, cannot be read, or does not replay.
        """
        store = self.store
        tossup = store.load(tossup_id).tossup
        history = History(store.history(tossup_id), store.shown(tossup_id), store.asked(tossup_id))
        opening = " ".join(tossup.text.split()[:6])
        names = {key: person.name for key, person in store.people().items()}
        return TitledHistory(
            history, tossup.answer.main if tossup.answer else opening or "a new tossup", names
        )

    def branch(self, history: History, index: int) -> str:
        """Make a tossup that stands where ``history`` stood at step ``index``, with all before; its id.

        Raises:
            QuizwriterError: it could not be saved.
        """
        step = history.steps[index]
        saving = PendingSave(
            uuid.uuid4().hex,
            history.text(index),
            step.answer,
            cursor=0,
            at_ms=now_ms(),
            changes=history.changes[: step.seq],
            shown=tuple(one for one in history.shown if one.seq <= step.seq),
            author=self.me.id,
        )
        self.store.save(saving)
        return saving.tossup_id

    def add_examples(self) -> tuple[TossupSummary, ...]:
        """The example set as a list shows it, put into the database but for what is there already.

        Raises:
            QuizwriterError: the database does not take it.
        """
        packet = tuple(_examples(now_ms()))
        self.store.add(packet)
        listed = {one.tossup_id: one for one in self.store.tossups()}
        return tuple(listed[saving.tossup_id] for saving in packet)

    def example(self) -> Tossup:
        """The example tossup that is shipped, with its answer."""
        return next(iter(tossups(resources() / "examples.jsonl")))


def tossups(path: Path, limit: int | None = None) -> Iterator[Tossup]:
    """The first ``limit`` tossups of a question file, or all, each with its answer.

    A question without a page counts under its answer's own name.

    Raises:
        QuizwriterError: the file cannot be read.
    """
    from quizwriter.formats.question_files import ReadReport, questions

    for question in islice(questions(path, ReadReport(str(path))), limit):
        page = question.page or question.answer.replace(" ", "_")
        yield Tossup(question.text, Answer(question.answer, Page(page)))


def phenomena() -> tuple[Phenomenon, ...]:
    """The ways in which clues are hard for machines, as they are shipped, each with an example."""
    text = (resources() / "phenomena.toml").read_text(encoding="utf-8")
    return tuple(Phenomenon(**row) for row in tomllib.loads(text)["phenomenon"])


def _examples(at_ms: int) -> Iterator[PendingSave]:
    """The example set, each tossup with its recorded history or as one edit, the first one the newest."""
    from quizwriter.formats.question_files import ReadReport, rows

    def read(name: str) -> Iterator[dict[str, Any]]:
        path = resources() / name
        return rows(path, ReadReport(str(path)))

    histories = {row["id"]: row for row in read("example_histories.jsonl")}
    for age, row in enumerate(read("examples.jsonl")):
        key, text = row["id"], row["text"]
        whole = {"at_ms": EXAMPLES_MS, "start": 0, "removed": "", "inserted": text}
        history = histories.get(key, {"edits": [whole], "shown": []})
        yield PendingSave(
            tossup_id=key,
            text=text,
            answer=Answer(row["answer"], Page(row["page"])),
            cursor=0,
            at_ms=at_ms - age,
            changes=tuple(
                Change(seq, edit["at_ms"], Edit(edit["start"], edit["removed"], edit["inserted"]))
                for seq, edit in enumerate(history["edits"], start=1)
            ),
            shown=tuple(
                RecordedPlay(**{**shown, "top": tuple(Guess(*guess) for guess in shown["top"])})
                for shown in history["shown"]
            ),
        )


def resources() -> Path:
    """The folder of shipped data: inside the installed package, or beside it in a checkout.

    Raises:
        QuizwriterError: the installation is not whole.
    """
    package = Path(__file__).parent
    for folder in (package / "resources", package.parent / "resources"):
        if folder.is_dir():
            return folder
    raise QuizwriterError("The program's resources folder is missing.", "Install QuizWriter again.")
