"""The composition root: puts the services together, and does nothing else."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from quizwriter.services.branches import Branches
    from quizwriter.services.briefs import SetBriefs
    from quizwriter.services.clue_lookup import ClueLookup
    from quizwriter.services.control_arms import ControlArms
    from quizwriter.services.forgotten_people import ForgottenList, ForgottenPeople
    from quizwriter.services.games import Games
    from quizwriter.services.known_people import People
    from quizwriter.services.packet_printing import PacketPrinting
    from quizwriter.services.past_questions import PastQuestions
    from quizwriter.services.plays import Plays
    from quizwriter.services.playtests import Playtests
    from quizwriter.services.problems import Problems
    from quizwriter.services.queue import Queue
    from quizwriter.services.recorded_rooms import RecordedRooms
    from quizwriter.services.recovery import Recovery
    from quizwriter.services.rewriting import RewriteBank
    from quizwriter.services.rooms import RoomJournals
    from quizwriter.services.set_log import SetLog
    from quizwriter.services.sources import ClueSources
    from quizwriter.services.statistics import Statistics
    from quizwriter.services.survival import SurvivalResults
    from quizwriter.services.transfer import Transfer
    from quizwriter.services.what_if import WhatIf

DATABASE = "quizwriter.db"


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
        self._database = database or self.home / DATABASE
        self.profile = Profile(self.home / "settings.toml", lambda: self.store)
        self.models = LanguageModels(lambda: self.store, self.profile)
        self.engines = Engines(self.home, self.profile, self.models, bundle)
        self.packets = Packets(self.engines)
        self.downloads = Downloads(self.home)
        self.publishing = Publishing(self.engines, self._database)

    @cached_property
    def store(self) -> Store:
        """The writer's database, opened at the first use. Windows ask services instead."""
        return Store(
            self._database,
            self.profile.identity.key,
            lambda: self.profile.me.id,
            lambda: self.forgotten_list.names(),
        )

    @cached_property
    def forgotten_list(self) -> ForgottenList:
        from quizwriter.services.forgotten_people import ForgottenList

        return ForgottenList(self.home)

    @cached_property
    def forgotten_people(self) -> ForgottenPeople:
        """Forgets people."""
        from quizwriter.services.forgotten_people import ForgottenPeople

        return ForgottenPeople(
            self.home, self.store, self.profile, self.people, self.set_log, self.forgotten_list
        )

    @cached_property
    def tossups(self) -> Tossups:
        return Tossups(self.store, self.profile)

    @cached_property
    def review(self) -> ReviewService:
        return ReviewService(self.store, self.profile)

    @cached_property
    def queue(self) -> Queue:
        from quizwriter.services.queue import Queue

        return Queue(self.store)

    @cached_property
    def past(self) -> PastQuestions:
        from quizwriter.services.past_questions import PastQuestions

        return PastQuestions(lambda: self.queue, lambda: self.tossups)

    @cached_property
    def plays(self) -> Plays:
        from quizwriter.services.plays import Plays

        return Plays(self.store, self.home, self.engines, self.models.why_barred)

    @cached_property
    def control_arms(self) -> ControlArms:
        from quizwriter.services.control_arms import ControlArms

        return ControlArms(self.store, self.profile)

    @cached_property
    def recorded_rooms(self) -> RecordedRooms:
        """The buzzes of people who played tossups of the writer."""
        from quizwriter.services.recorded_rooms import RecordedRooms

        return RecordedRooms(self.store, self.profile)

    @cached_property
    def games(self) -> Games:
        """Games in which people and machines play tossups of the writer."""
        from quizwriter.services.games import Games

        return Games(self.store, self.profile)

    @cached_property
    def playtests(self) -> Playtests:
        """Pages for playtesters, and what comes back."""
        from quizwriter.services.playtests import Playtests

        return Playtests(self.store, self.profile, self.games)

    @cached_property
    def room_journals(self) -> RoomJournals:
        """The logs of rooms, until their games are in the database."""
        from quizwriter.services.rooms import RoomJournals

        return RoomJournals(self.store, self.home)

    @cached_property
    def rewriting(self) -> RewriteBank:
        from quizwriter.services.rewriting import RewriteBank

        return RewriteBank(self.store, self.home, self.engines, self.profile)

    @cached_property
    def problems(self) -> Problems:
        from quizwriter.services.problems import Problems

        return Problems(self.store, self.profile)

    @cached_property
    def briefs(self) -> SetBriefs:
        """What the briefs of sets still ask for."""
        from quizwriter.services.briefs import SetBriefs

        return SetBriefs(self.store, self.profile, self.home)

    @cached_property
    def sources(self) -> ClueSources:
        from quizwriter.services.sources import ClueSources

        return ClueSources(self.store)

    @cached_property
    def printing(self) -> PacketPrinting:
        from quizwriter.services.packet_printing import PacketPrinting

        return PacketPrinting(self.store)

    @cached_property
    def statistics(self) -> Statistics:
        from quizwriter.services.statistics import Statistics

        return Statistics(self.store, self.people)

    @cached_property
    def set_log(self) -> SetLog:
        from quizwriter.services.set_log import SetLog

        return SetLog(self.store, self.profile)

    @cached_property
    def people(self) -> People:
        """Whose tossups are, and who somebody is."""
        from quizwriter.services.known_people import People

        return People(self.store, self.profile)

    @cached_property
    def transfer(self) -> Transfer:
        from quizwriter.services.transfer import Transfer

        return Transfer(self.store, self.profile, self.tossups, self.people)

    @cached_property
    def branches(self) -> Branches:
        from quizwriter.services.branches import Branches

        return Branches(self.store, self.profile)

    @cached_property
    def clue_lookup(self) -> ClueLookup:
        from quizwriter.services.clue_lookup import ClueLookup

        return ClueLookup(self.store)

    @cached_property
    def what_if(self) -> WhatIf:
        from quizwriter.services.what_if import WhatIf

        return WhatIf()

    @cached_property
    def survival(self) -> SurvivalResults:
        from quizwriter.services.survival import SurvivalResults

        return SurvivalResults(self.store)

    @cached_property
    def recovery(self) -> Recovery:
        """The backups of the database; the database stays closed."""
        from quizwriter.services.recovery import Recovery

        return Recovery(self._database, lambda: self.store, lambda: self.profile.settings.backup_days)

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
