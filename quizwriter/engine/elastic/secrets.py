"""The Elasticsearch server that was chosen: its secret in the system's keyring, the player that asks it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property

import msgspec

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import TOP, Player, Playthrough
from quizwriter.domain.page import Page
from quizwriter.domain.players import ELASTIC
from quizwriter.domain.server_address import SECRETS
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.buzzers import MarginBuzzer
from quizwriter.engine.elastic.client import Connection, ServerReport, probe_index
from quizwriter.engine.elastic.guesser import ElasticGuesser
from quizwriter.engine.elastic.ranking import RankingGuesser, ShareBuzzer
from quizwriter.errors import QuizwriterError
from quizwriter.settings import ModelSettings, ServerSettings
from quizwriter.system.keyring_access import find_secret, forget_secret, keep_secret


class Secrets:
    """API keys and passwords of servers, also of language models, in the system's keyring and nowhere else.

    Where there is no keyring they are held in memory. Slow, and a keyring may ask for a password of its own:
    not for the window's thread.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment
        self._in_memory: dict[str, str] = {}

    def find(self, server: ServerSettings | ModelSettings) -> str:
        """The secret that opens ``server``; empty where it needs none."""
        if not server.credential_id:
            return ""
        account, variable = _account_name(server), server.secret_variable
        secret = self._environment.get(variable) or self._in_memory.get(account)
        secret = secret or find_secret(account)
        if not secret:
            raise QuizwriterError(
                f"This computer has no {SECRETS[server.sign_in]} for {server.host}.",
                f"Write it in File, Preferences…, or set {variable}.",
            )
        return secret

    def keep(self, server: ServerSettings | ModelSettings, secret: str) -> bool:
        """Keep the secret that opens ``server``; False if that holds only until the program ends."""
        account = _account_name(server)
        self._in_memory[account] = secret
        kept = keep_secret(account, secret)
        if kept:
            del self._in_memory[account]
        return kept

    def forget(self, server: ServerSettings | ModelSettings) -> None:
        """Have the keyring no longer keep what opened ``server``, if anything did."""
        if not server.credential_id:
            return
        account = _account_name(server)
        self._in_memory.pop(account, None)
        forget_secret(account)


def probe_server(server: ServerSettings, secret: str) -> ServerReport:
    """What ``server`` says of itself. Slow, up to seconds."""
    connection = _connection_to(server, secret)
    if not connection.fields:
        return probe_index(connection)
    ranking = RankingGuesser(connection)
    try:
        return ranking.report()
    finally:
        ranking.close()


def server_player(server: ServerSettings, secrets: Secrets) -> Player:
    """The player that asks ``server``; nothing is sent, nor a secret looked for, before its first game."""
    guesser = _ServerGuesser(lambda: _connection_to(server, secrets.find(server)))
    if server.ranked_fields:
        return Player(guesser, ShareBuzzer(), f"elasticsearch {server.index} {server.fields}", distant=True)
    return Player(guesser, MarginBuzzer(), f"elasticsearch {server.index}", distant=True)


class _ServerGuesser(msgspec.Struct, dict=True):
    """The player of a server, made at its first game: by then it is in a thread that may wait."""

    connect: Callable[[], Connection]
    name: str = ELASTIC

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        return self._elastic.play(tossup, top)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        return self._elastic.explain(tossup, page, exact=exact)

    @cached_property
    def _elastic(self) -> ElasticGuesser | RankingGuesser:
        connection = self.connect()
        return RankingGuesser(connection) if connection.fields else ElasticGuesser(connection)


def _connection_to(server: ServerSettings, secret: str) -> Connection:
    return Connection(
        url=server.url,
        index=server.index,
        ca=server.ca,
        verify=server.verify,
        user=server.user if server.sign_in == "password" else "",
        secret=secret if server.sign_in == "password" else "",
        api_key=secret if server.sign_in == "key" else "",
        plain_ok=server.plain_ok,
        fields=server.ranked_fields,
    )


def _account_name(server: ServerSettings | ModelSettings) -> str:
    address, _, user = server.credential_id
    return f"{user or 'API key'} at {address}"
