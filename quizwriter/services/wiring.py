"""The composition root: puts the services together, and does nothing else."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, TypeVar

from quizwriter import services
from quizwriter.services.downloads import Downloads
from quizwriter.services.engines import Engines
from quizwriter.services.language_models import LanguageModels
from quizwriter.services.packets import Packets
from quizwriter.services.profile import Profile
from quizwriter.services.publishing import Publishing
from quizwriter.services.review import ReviewService
from quizwriter.services.tossups import Tossups
from quizwriter.settings import data_folder
from quizwriter.store.store import Store

DATABASE = "quizwriter.db"

Made = TypeVar("Made")


class _LateModule(ModuleType):
    """A module that is imported when something in it is first used."""

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self.__name__), name)


if TYPE_CHECKING:
    from quizwriter.services import (
        branches,
        briefs,
        clue_lookup,
        control_arms,
        forgotten_people,
        games,
        known_people,
        packet_printing,
        past_questions,
        plays,
        playtests,
        problems,
        queue,
        recorded_rooms,
        recovery,
        rewriting,
        rooms,
        set_log,
        sources,
        statistics,
        survival,
        transfer,
        what_if,
    )
else:  # the window and most commands use few of them, and all take a third of the start
    globals().update(
        (module.name, _LateModule(f"{services.__name__}.{module.name}"))
        for module in iter_modules(services.__path__)
    )


class _Service(cached_property[Made]):
    """A service of an :class:`App`, made at its first use."""

    def __init__(self, make: Callable[[App], Made]) -> None:
        super().__init__(make)


class App:
    """The services of one writer, each made at its first use. Windows and commands get this object.

    Those that read the database raise a :class:`QuizwriterError` if it cannot be opened.

    In a ``with`` block, everything is closed at the end of the block, the database too.
    """

    def __init__(
        self, home: Path | None = None, bundle: Path | None = None, database: Path | None = None
    ) -> None:
        """The application whose files live in ``home``.

        ``bundle`` replaces the bundle used last; ``database`` replaces the database file in ``home``.
        """
        self.home = home or data_folder()
        self.database = database or self.home / DATABASE
        self.profile = Profile(self.home / "settings.toml", lambda: self.store)
        self.models = LanguageModels(lambda: self.store, self.profile)
        self.engines = Engines(self.home, self.profile, self.models, bundle)
        self.packets = Packets(self.engines)
        self.downloads = Downloads(self.home)
        self.publishing = Publishing(self.engines, self.database)

    @cached_property
    def store(self) -> Store:
        """The writer's database, opened at the first use. Windows ask services instead."""
        return Store(
            self.database,
            self.profile.identity.key,
            lambda: self.profile.me.id,
            lambda: self.forgotten_list.names(),
            lambda names: self.forgotten_list.save(names),
        )

    tossups = _Service(lambda app: Tossups(app.store, app.profile))
    review = _Service(lambda app: ReviewService(app.store, app.profile))
    people = _Service(lambda app: known_people.People(app.store, app.profile))
    """Whose tossups are, and who somebody is."""
    queue = _Service(lambda app: queue.Queue(app.store, app.engines))
    past = _Service(lambda app: past_questions.PastQuestions(lambda: app.queue, lambda: app.tossups))
    plays = _Service(lambda app: plays.Plays(app.store, app.home, app.engines, app.models.why_barred))
    control_arms = _Service(lambda app: control_arms.ControlArms(app.store, app.profile))
    recorded_rooms = _Service(lambda app: recorded_rooms.RecordedRooms(app.store, app.profile))
    """The buzzes of people who played tossups of the writer."""
    games = _Service(lambda app: games.Games(app.store, app.profile))
    """Games in which people and machines play tossups of the writer."""
    playtests = _Service(lambda app: playtests.Playtests(app.store, app.profile, app.games))
    """Pages for playtesters, and what comes back."""
    room_journals = _Service(lambda app: rooms.RoomJournals(app.store, app.home))
    """The logs of rooms, until their games are in the database."""
    rewriting = _Service(lambda app: rewriting.RewriteBank(app.store, app.home, app.engines, app.profile))
    problems = _Service(lambda app: problems.Problems(app.store, app.profile))
    briefs = _Service(lambda app: briefs.SetBriefs(app.store, app.profile, app.home))
    """What the briefs of sets still ask for."""
    sources = _Service(lambda app: sources.ClueSources(app.store))
    printing = _Service(lambda app: packet_printing.PacketPrinting(app.store))
    statistics = _Service(lambda app: statistics.Statistics(app.store, app.people, app.engines))
    set_log = _Service(lambda app: set_log.SetLog(app.store, app.profile))
    transfer = _Service(lambda app: transfer.Transfer(app.store, app.profile, app.tossups, app.people))
    branches = _Service(lambda app: branches.Branches(app.store, app.profile))
    clue_lookup = _Service(lambda app: clue_lookup.ClueLookup(app.store))
    what_if = _Service(lambda app: what_if.WhatIf())
    survival = _Service(lambda app: survival.SurvivalResults(app.store))
    forgotten_list = _Service(lambda app: forgotten_people.ForgottenList(app.home))
    forgotten_people = _Service(
        lambda app: forgotten_people.ForgottenPeople(
            app.home, app.store, app.profile, app.people, app.set_log, app.forgotten_list
        )
    )
    """Forgets people."""
    recovery = _Service(
        lambda app: recovery.Recovery(
            app.database,
            lambda: app.store,
            lambda: app.profile.settings.backup_days,
            app.profile.keep_name,
        )
    )
    """The backups of the database; the database stays closed."""

    def open_database(self) -> None:
        """Open the database now rather than at its first use; a missing folder is made."""
        _ = self.store

    def __enter__(self) -> App:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, trouble: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if "store" in self.__dict__:  # opened
            self.store.close()

    def close(self) -> None:
        """End the processes and connections of the services; their players raise Cancelled from now on."""
        self.models.use(None)
        self.engines.close()
