"""The engine in use: its bundle, the players of that bundle, and the player of an Elasticsearch server.

The module of the engine is imported when an engine is loaded, because importing NumPy slows the start of the
window by a third.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from quizwriter.cancellation import Cancellation
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.services.checked_bundle import CheckedBundle
from quizwriter.services.language_models import GuardedGuesser, LanguageModels, without_gaps
from quizwriter.services.profile import Profile
from quizwriter.settings import ServerSettings
from quizwriter.system.resource_files import resources_folder
from quizwriter.workflow.wording import listed

if TYPE_CHECKING:
    from quizwriter.domain.guessing import Player
    from quizwriter.engine.elastic.client import ServerReport
    from quizwriter.engine.elastic.secrets import Secrets
    from quizwriter.engine.engine import Engine
    from quizwriter.engine.player_processes import PlayerProcesses

log = logging.getLogger(__name__)


class Engines:
    """Loads the engines of bundles; manages the processes of players and the player of a server."""

    def __init__(
        self, home: Path, profile: Profile, models: LanguageModels, bundle: Path | None = None
    ) -> None:
        """The engines of the writer ``profile`` with the player of ``models``.

        ``bundle``, if given, replaces the bundle used last.
        """
        self._models = models
        self._home = home
        self._profile = profile
        self._bundle = bundle
        self._server: ServerSettings | None = None
        self._server_player: tuple[ServerSettings, Player] | None = None
        self.uses_player_processes = False
        """Whether slow players play in a process of their own. A window needs that; a command does not."""
        self.metered_in_batches = False
        """Whether players whose games cost money play in slow work, too: a command may ask for that."""
        self.shares: tuple[int, ...] = ()
        """After how many per cent of the words players that play at pauses are asked, to measure them.

        Empty: at the ends of sentences."""
        self.players_in_use: Mapping[str, str] = {}
        """The players that play every tossup, each with the digest of what it was loaded from.

        Empty: nobody knows, as in most commands."""
        self._processes: PlayerProcesses | None = None

    @cached_property
    def secrets(self) -> Secrets:
        """The secrets that open servers, in the operating system's keyring."""
        from quizwriter.engine.elastic.secrets import Secrets

        return Secrets()

    def use_engine(self, engine: Engine) -> None:
        """The players of ``engine`` are those in use from now on."""
        self.players_in_use = {player.name: player.engine for player in without_gaps(engine).players}

    def use_server(self, server: ServerSettings | None) -> None:
        """Add the player of ``server`` to every engine from now on; None: add no server player."""
        self._server = server

    def with_server_player(self, engine: Engine) -> Engine:
        """``engine`` with the players of the servers in use, and without players of other servers."""
        players = tuple(player for player in engine.players if not player.distant)
        server = self._server  # the window's thread may change it
        if server is not None:
            if self._server_player is None or self._server_player[0] != server:
                from quizwriter.engine.elastic.secrets import server_player

                elastic = server_player(server, self.secrets)
                guarded = GuardedGuesser(elastic.guesser, self._models.require_sendable)
                self._server_player = server, replace(elastic, guesser=guarded)
            players = (*players, self._server_player[1])
        model = self._models.player(engine)
        return replace(engine, players=players if model is None else (*players, model))

    def save_secret(self, server: ServerSettings, secret: str) -> bool:
        """Save ``secret`` for ``server`` in the keyring, and delete the secret of the server in the settings.

        An empty ``secret`` keeps the saved one. False: there is no keyring, and the secret is lost when the
        program ends. Slow; any thread may call it.
        """
        kept = not secret or self.secrets.keep(server, secret)
        if server.credential_id != self._profile.settings.elasticsearch.credential_id:
            self.secrets.forget(self._profile.settings.elasticsearch)
        return kept

    def probe_server(self, server: ServerSettings, secret: str = "") -> ServerReport:
        """A report on ``server``, reached with ``secret``; an empty secret: with the saved one.

        Slow (up to seconds); any thread may call it.
        """
        from quizwriter.engine.elastic.secrets import probe_server

        return probe_server(server, secret or self.secrets.find(server))

    @property
    def ranks_fields(self) -> bool:
        """Whether the server in use ranks the fields that the user named."""
        return self._server is not None and bool(self._server.ranked_fields)

    def foreign_index(self, bundle: Path) -> str:
        """The index of the server in use where it was not published from ``bundle``; empty where it was.

        One without a text that could be found is refused: each question would beat it. Slow (up to
        seconds): it asks the server.
        """
        if self._server is None:
            return ""
        report = self.probe_server(self._server)
        if not report.documents:
            fields = f" with the fields {listed(self._server.ranked_fields)}" if self.ranks_fields else ""
            raise QuizwriterError(
                f"The index {report.index} has no text{fields}.",
                "Publish a bundle there, or name the fields of titles and texts as the index calls them.",
            )
        return "" if self.holds_bundle(report, bundle) else report.index

    def holds_bundle(self, report: ServerReport, bundle: Path) -> bool:
        """Whether the index of the ``report`` was published from ``bundle`` as it is now."""
        from quizwriter.engine.bundle import Bundle

        return report.bundle == Bundle.digest_of(bundle)

    def start_players(self) -> None:
        """Have slow players play in a process of their own, which starts now. Quick; :meth:`close` ends it.

        The process reads the bundle that :meth:`load` gives, while the window is imported and made: what it
        has not read when the window asks it, the window waits for.
        """
        self.uses_player_processes = True
        self._player_processes(self._bundle_used_last)

    @property
    def _bundle_used_last(self) -> Path | None:
        """The bundle given at the start, else the one used last; None: the starter's is used."""
        if self._bundle is not None:
            return self._bundle
        return Path(self._profile.settings.bundle) if self._profile.settings.bundle else None

    def load(self) -> Engine:
        """The engine of the bundle given at the start, else of the bundle used last, else the starter's.

        Slow (up to seconds); any thread may call it.
        """
        bundle = self._bundle_used_last
        return self.load_starter() if bundle is None else self.load_bundle(bundle)

    def load_starter(self) -> Engine:
        """The engine of the starter bundle, which is built from the shipped texts at the first start."""
        from index_builder.starter import starter_bundle

        if self.uses_player_processes:
            self._player_processes()  # at the first start, while the bundle is built
        texts, bundles = resources_folder() / "starter", self._home / "bundles"
        folder = starter_bundle(texts, bundles)
        try:
            return self.load_bundle(folder)
        except QuizwriterError as trouble:  # the program made this bundle, and can build a damaged one again
            log.info("building the starter bundle again: %s", trouble)
            return self.load_bundle(starter_bundle(texts, bundles, anew=True))

    def open_bundle(self, folder: Path) -> Engine:
        """The engine of the bundle in ``folder``, which becomes the bundle in use.

        The setting is changed in memory; :meth:`Profile.save_settings` writes it.
        """
        engine = self.load_bundle(folder)
        self._bundle = folder
        self._profile.settings = replace(self._profile.settings, bundle=str(folder.resolve()))
        return engine

    def load_bundle(self, bundle: Path) -> Engine:
        """The engine of ``bundle`` with the packets added to it and the player of the server in use."""
        from quizwriter.engine.bundle import YOURS

        troubles: tuple[QuizwriterError, ...] = ()
        with translate_reading_errors(bundle):  # of a name that no folder can have
            has_yours = (bundle / YOURS).exists()
        if has_yours:  # no bundle has it to which nothing was ever added
            from index_builder.user_packets import refresh_index  # what builds is slow to import

            troubles = refresh_index(bundle)
        processes = self._player_processes(bundle) if self.uses_player_processes else None
        engine = self.with_server_player(self._loaded(bundle))
        if processes is not None:
            engine = processes.players(engine)
        return replace(engine, troubles=(*troubles, *engine.troubles)) if troubles else engine

    def _loaded(self, bundle: Path) -> Engine:
        """The engine of ``bundle`` alone. A window reads only what was not checked the last time."""
        from quizwriter.engine.engine import load

        if not self.uses_player_processes:
            return load(bundle, shares=self.shares)
        checked = CheckedBundle(self._home)
        state = checked.state(bundle)
        known = checked.has(state)
        engine = load(bundle, trusted=known, shares=self.shares)
        if not known and not engine.troubles:
            checked.keep(bundle, state)
        return engine

    def batch_engine(self, engine: Engine) -> Engine:
        """``engine`` with the players that take part in slow work."""
        return engine if self.metered_in_batches else without_gaps(engine)

    def batch_players(self, engine: Engine, cancellation: Cancellation) -> AbstractContextManager[Engine]:
        """``engine`` for slow work within the block; after a cancellation, no game is waited for.

        Players whose games cost money are left out: nobody asked for hundreds of them. So are all that are
        asked after some words only, in challenge sets, too: what they say between those words is not known.

        In a window, the players of the block play in a process of their own with the lowest priority, because
        the players of the draft must never wait for them. A command plays in its own process.
        """
        engine = self.batch_engine(engine)
        if not self.uses_player_processes:
            return nullcontext(engine)
        from quizwriter.engine.player_processes import batch_players

        return batch_players(engine, cancellation)

    def variant_players(self, engine: Engine) -> tuple[Player, ...]:
        """The players of ``engine`` that play variants of a draft: not the distant ones, nor the slow ones.

        In a window they play apart, the first player, too.
        """
        if not self.uses_player_processes:
            return tuple(player for player in engine.players if not (player.distant or player.at_pauses))
        return self._player_processes().variant_players(engine)

    def _player_processes(self, bundle: Path | None = None) -> PlayerProcesses:
        """The process for slow players, which starts while their ``bundle`` is built or read."""
        from quizwriter.engine.player_processes import PlayerProcesses

        if self._processes is None:
            self._processes = PlayerProcesses()
        self._processes.start(bundle)
        return self._processes

    def close(self) -> None:
        """End the process of the slow players; they raise Cancelled from now on."""
        if self._processes is not None:
            self._processes.close()
            self._processes = None
