"""Why a machine believes in a page: words of the draft, and texts that share them."""

from __future__ import annotations

from dataclasses import dataclass

from quizwriter.domain.tossup import Page, Span


@dataclass(frozen=True, slots=True)
class Cue:
    """A word of the draft and its exact share of the page's score; a negative one speaks against."""

    span: Span
    weight: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A text about the page, as the engine knows it.

    ``hits`` are the words it shares with sentence number ``sentence`` (from 0) of the draft, as spans
    of ``text``. ``yours`` says that the writer added it, with a packet.
    """

    source: str
    text: str
    hits: tuple[Span, ...]
    sentence: int
    yours: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why one guesser believes in ``page``: its cues add up to ``score``."""

    guesser: str
    page: Page
    score: float = 0.0
    cues: tuple[Cue, ...] = ()
    passages: tuple[Passage, ...] = ()
