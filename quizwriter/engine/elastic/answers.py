"""What a server answers, as typed values; what they have no field for is left out of an answer."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import astuple

from quizwriter.domain.page import Page
from quizwriter.engine.evidence import HeardWeighting
from quizwriter.system.decoding import LONGEST_TEXT, Count

H = TypeVar("H")
"""What a search finds."""

MOST_POINTS = 1e9
"""The most points of a page; a term has some dozens, and a tossup some hundred terms."""

Points = Annotated[float, Meta(ge=-MOST_POINTS, le=MOST_POINTS)]
Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, le=MOST_POINTS)]
Title = Annotated[str, Meta(max_length=1_000)]
Name = Annotated[str, Meta(max_length=300)]
Stem = Annotated[str, Meta(pattern=r"\A[0-9a-fA-F]{1,16}\Z")]


class _Version(msgspec.Struct):
    number: Annotated[str, Meta(max_length=40)] = "of unknown version"


class ServerInfo(msgspec.Struct):
    """What a server says of itself."""

    version: _Version = msgspec.field(default_factory=_Version)


class IndexAbout(msgspec.Struct, frozen=True):
    """What publishing wrote into an index; ``everywhere`` has the stems that count as stop words.

    ``bundle`` is the digest of the bundle that was published; empty where files were.

    ``hearing`` has the numbers of :class:`quizwriter.engine.evidence.HeardWeighting`.
    """

    schema: object = None
    complete: bool = False
    sent: Count = 0
    bundle: Annotated[str, Meta(max_length=200)] = ""
    documents: Count = 0
    pages: Count = 0
    passages: Count = 0
    everywhere: Annotated[list[Stem], Meta(max_length=100_000)] = []
    largest_prior: Points = 0.0
    hearing: tuple[Share, Share, Weight, Weight] = astuple(HeardWeighting())


class Counted(msgspec.Struct):
    """The answer to a question how many documents there are."""

    count: Count


class _Store(msgspec.Struct):
    size_in_bytes: Count


class _Primaries(msgspec.Struct):
    store: _Store


class _AllShards(msgspec.Struct):
    primaries: _Primaries


class IndexSize(msgspec.Struct):
    """The answer to a question how large an index is."""

    all: _AllShards = msgspec.field(name="_all")

    @property
    def bytes(self) -> int:
        """The bytes of one copy on disk."""
        return self.all.primaries.store.size_in_bytes


class Health(msgspec.Struct):
    """The answer to a question how a cluster is: green, yellow or red."""

    status: Name = "red"


class _Disk(msgspec.Struct):
    total_in_bytes: Count = 0
    available_in_bytes: Count = 0

    @property
    def free_share(self) -> float:
        """The share that is free; 1 where the node does not say."""
        return self.available_in_bytes / self.total_in_bytes if self.total_in_bytes else 1.0


class _FileSystem(msgspec.Struct):
    total: _Disk = msgspec.field(default_factory=_Disk)


class _NodeStats(msgspec.Struct):
    name: Name = ""
    fs: _FileSystem = msgspec.field(default_factory=_FileSystem)


class NodesStats(msgspec.Struct):
    """The answer to a question how the disks of all nodes are."""

    nodes: dict[Name, _NodeStats] = {}


class _SentDocument(msgspec.Struct):
    id: Name = msgspec.field(name="_id")
    status: int
    error: object = None


class BulkAnswer(msgspec.Struct):
    """What a server did with documents that were sent together; with an error where it did not take one."""

    items: list[dict[Name, _SentDocument]]


class _Fields(msgspec.Struct):
    page: list[Title] = []
    title: list[Title] = []
    kind: list[int] = []
    number: list[int] = []


class _Highlight(msgspec.Struct):
    text: list[Annotated[str, Meta(max_length=LONGEST_TEXT)]] = []


class _Source(msgspec.Struct):
    source: Title = ""


class _Best(msgspec.Struct):
    best: SearchAnswer[Hit]


class Hit(msgspec.Struct):
    """A page or a passage that a search found."""

    score: Points | None = msgspec.field(name="_score", default=None)
    fields: _Fields = msgspec.field(default_factory=_Fields)
    matched_queries: dict[Name, Points] = {}
    highlight: _Highlight = msgspec.field(default_factory=_Highlight)
    source: _Source = msgspec.field(name="_source", default_factory=_Source)
    inner_hits: _Best | None = None

    @property
    def points(self) -> float:
        """The score of the page or passage; 0 where the server gave none."""
        return self.score or 0.0

    @property
    def page(self) -> Page:
        return Page(self.fields.page[0] if self.fields.page else "")

    @property
    def title(self) -> str:
        return self.fields.title[0] if self.fields.title else ""


class Hits(msgspec.Struct, Generic[H]):
    """What one search found, the best first."""

    hits: list[H] = []


class _Error(msgspec.Struct):
    type: str = ""


class SearchAnswer(msgspec.Struct, Generic[H]):
    """The answer to one search: what it found, or why it failed."""

    hits: Hits[H] = msgspec.field(default_factory=Hits)
    error: _Error | None = None
    status: int = 500


class SearchAnswers(msgspec.Struct, Generic[H]):
    """The answers to several searches, in their order."""

    responses: list[SearchAnswer[H]] = []
