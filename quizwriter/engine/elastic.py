"""The Elasticsearch player: the retrieval player's own sum, worked out by a server or a cluster of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from quizwriter.domain.evidence import Evidence
from quizwriter.domain.guessing import TOP, Playthrough
from quizwriter.domain.tossup import Page, Tossup

NAME = "elasticsearch"

PATIENCE = 2.0
"""Seconds after which a server counts as too slow."""


@dataclass(frozen=True)
class Connection:
    """Where the server is and how it is to be trusted.

    ``ca`` is the file of a certificate authority, empty for the system's own. ``user`` and ``secret``, or
    ``api_key``, say who asks. ``plain_ok`` allows http to another computer, where anyone on the way can read
    drafts.
    """

    url: str
    index: str
    ca: str = ""
    verify: bool = True
    user: str = ""
    secret: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    plain_ok: bool = False


@dataclass(frozen=True)
class Server:
    """What answered: its version, the index behind the alias, the passages in it, and how soon it did."""

    version: str
    index: str
    documents: int
    latency_ms: float


def probe(connection: Connection) -> Server:
    """Ask the server who it is and what is in the index.

    Raises:
        QuizwriterError: no such server or index, or it does not let us in.
    """
    raise NotImplementedError


class Elastic:
    """Guesses pages as the retrieval player does, from the index that ``index_builder publish`` made."""

    def __init__(self, connection: Connection) -> None:
        """Nothing is asked of the server yet."""
        self.connection = connection

    @property
    def name(self) -> str:
        """``elasticsearch``."""
        return NAME

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The ``top`` guesses at sentence ends, every 25 characters, and around changes.

        Raises:
            QuizwriterError: the server cannot be used now.
        """
        raise NotImplementedError

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """Each word's share of the score of ``page``, and the texts behind it.

        Raises:
            QuizwriterError: the server cannot be used now.
        """
        raise NotImplementedError
