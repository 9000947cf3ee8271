"""The engine that plays: which bundle it comes from, and which players play beside those of the bundle.

The engine is imported where it is loaded, in the background: NumPy would hold up the window by a third.
"""

from __future__ import annotations

import logging
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cancellation import Cancellation
from quizwriter.errors import QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.settings import ServerSettings, resources_folder

if TYPE_CHECKING:
    from quizwriter.domain.guessing import Player
    from quizwriter.engine import Engine as Engine
    from quizwriter.engine.elastic import Secrets
    from quizwriter.engine.elastic import ServerReport as ServerReport
    from quizwriter.engine.player_process import PlayerProcesses

log = logging.getLogger(__name__)


class Engines:
    """Loads bundles and trains, asks and ends their players."""

    def __init__(self, home: Path, profile: Profile, bundle: Path | None = None) -> None:
        """The engines of the writer ``profile``; ``bundle`` is loaded in place of the one used last."""
        self._home = home
        self._profile = profile
        self._bundle = bundle
        self._untrained: Path | None = None
        self._server: ServerSettings | None = None
        self._server_player: tuple[ServerSettings, Player] | None = None
        self.trains = True
        """Whether what the starter bundle lacks may be trained; measuring wants the machine to itself."""
        self.in_processes = False
        """Whether slower players play in a process of their own; a window wants that, a command need not."""
        self._processes: PlayerProcesses | None = None

    @cached_property
    def secrets(self) -> Secrets:
        """The secrets that open servers, in the operating system's keyring."""
        from quizwriter.engine.elastic import Secrets

        return Secrets()

    def use_server(self, server: ServerSettings | None) -> None:
        """Let the player of ``server`` play beside those of any engine from now on; None: no such player."""
        self._server = server

    def with_server_player(self, engine: Engine) -> Engine:
        """``engine`` with the player of the server that is to be asked, and of no other."""
        players = tuple(player for player in engine.players if not player.distant)
        server = self._server  # the window's thread may change it
        if server is not None:
            if self._server_player is None or self._server_player[0] != server:
                from quizwriter.engine.elastic import server_player

                self._server_player = server, server_player(server, self.secrets)
            players = (*players, self._server_player[1])
        return replace(engine, players=players)

    def keep_secret(self, server: ServerSettings, secret: str) -> bool:
        """Keep ``secret``, which opens ``server``, and what opened the one in the settings no longer.

        An empty one leaves what is kept for ``server``. Slow; any thread may call it. False if it holds only
        until the program ends, for want of a keyring.

        Raises:
            QuizwriterError: there is a keyring and it does not do it.
        """
        kept = not secret or self.secrets.keep(server, secret)
        if server.opened_by != self._profile.settings.elasticsearch.opened_by:
            self.secrets.forget(self._profile.settings.elasticsearch)
        return kept

    def probe_server(self, server: ServerSettings, secret: str = "") -> ServerReport:
        """What ``server`` says of itself; ``secret`` opens it instead of the one kept.

        Slow (up to seconds); any thread may call it.

        Raises:
            QuizwriterError: it cannot be used.
        """
        from quizwriter.engine.elastic import probe_server

        return probe_server(server, secret or self.secrets.find(server))

    def load(self) -> Engine:
        """The engine of the bundle asked for, else of the one used last, else the embedded default.

        Slow (up to seconds); any thread may call it.

        Raises:
            QuizwriterError: that bundle cannot be used.
        """
        if self._bundle is not None:
            return self.read(self._bundle)
        return (
            self.read(Path(self._profile.settings.bundle))
            if self._profile.settings.bundle
            else self.load_starter()
        )

    def load_starter(self) -> Engine:
        """The embedded default: the shipped texts, indexed at the first start and kept.

        Raises:
            QuizwriterError: there is no room or no right to keep the index.
        """
        from index_builder.starter import starter_bundle

        texts, bundles = resources_folder() / "starter", self._home / "bundles"
        folder = starter_bundle(texts, bundles)
        try:
            engine = self.read(folder)
        except QuizwriterError as trouble:  # it is ours, so a damaged one is simply built again
            log.info("building the starter bundle again: %s", trouble)
            engine = self.read(starter_bundle(texts, bundles, anew=True))
        self._untrained = None if engine.is_trained else engine.folder
        return engine

    def open_bundle(self, folder: Path) -> Engine:
        """The engine of the bundle in ``folder``, which becomes the one used.

        :meth:`Profile.save_settings` keeps that choice.

        Raises:
            QuizwriterError: it cannot be used; the choice stays as it was.
        """
        engine = self.read(folder)
        self._untrained = None
        self._bundle = folder
        self._profile.settings = replace(self._profile.settings, bundle=str(folder.resolve()))
        return engine

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

    def read(self, bundle: Path) -> Engine:
        """The engine of ``bundle`` as it is now, with the packets that were added to it.

        Raises:
            QuizwriterError: that bundle cannot be used.
        """
        from index_builder.user_packets import refresh_index
        from quizwriter.engine import load

        processes = self._player_processes() if self.in_processes else None
        troubles = refresh_index(bundle)
        engine = self.with_server_player(load(bundle))
        if processes is not None:
            engine = processes.players(engine)
        return replace(engine, troubles=(*troubles, *engine.troubles)) if troubles else engine

    def batch_players(self, engine: Engine, cancellation: Cancellation) -> AbstractContextManager[Engine]:
        """``engine`` for slow work, within the block; a cancelled work no longer waits for a player.

        Beside a window, the players of the block play in a process of their own with the lowest priority, so
        the players of the draft never wait for them. A command plays in its own process.
        """
        if not self.in_processes:
            return nullcontext(engine)
        from quizwriter.engine.player_process import batch_players

        return batch_players(engine, cancellation)

    def _player_processes(self) -> PlayerProcesses:
        """The process for players, which starts while their bundle is read."""
        from quizwriter.engine.player_process import PlayerProcesses

        if self._processes is None:
            self._processes = PlayerProcesses()
        self._processes.start()
        return self._processes

    def close(self) -> None:
        """End what runs beside the program; players in a process of their own are in trouble from now on."""
        if self._processes is not None:
            self._processes.close()
            self._processes = None
