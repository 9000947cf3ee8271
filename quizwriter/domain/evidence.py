"""Why a player guesses a page: words of the draft, and texts that share them."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from quizwriter.domain.page import Page
from quizwriter.domain.span import Span


class Method(StrEnum):
    """How the weights of cues were found."""

    SHARE = "share"
    """Each word's exact part of the score; all add up to it."""
    GRADIENT = "gradient"
    """The gradient of the score by the word's vector, times that vector: a first-order estimate."""
    WITHOUT = "without"
    """How far the score falls when the draft is read without the word: exact, and slower."""
    SAYS = "says"
    """A language model says that the word is a clue; nobody checked that."""
    NEAREST = "nearest"
    """No word has a weight: the passages are those whose meaning is nearest."""
    LEFT_OUT = "left out"
    """How far the chance falls when a language model is asked again without the sentence; a cue is one."""


class Cue(msgspec.Struct, frozen=True):
    """A word of the draft and its weight for the page; a negative one speaks against."""

    span: Span
    weight: float


class Reason(msgspec.Struct, frozen=True):
    """A cue that a writer may change: all its places in the draft, and how far the page's lead falls without.

    A cue is a name, whole, or one word that is no name.
    """

    spans: tuple[Span, ...]
    fall: float


class Passage(msgspec.Struct, frozen=True):
    """A text about the page, as the engine knows it.

    ``hits`` are the words it shares with sentence number ``sentence`` (from 0) of the draft, as spans
    of ``text``. ``yours`` says that the writer added it, with a packet.
    """

    source: str
    text: str
    hits: tuple[Span, ...]
    sentence: int
    yours: bool = False


class Faithfulness(msgspec.Struct, frozen=True):
    """Whether the highlighted words are those that matter: the page's chance with some words unread.

    ``whole`` is the chance when all are read, ``without_top`` without the five weightiest cues, and
    ``without_random`` the mean without five random words, drawn several times.

    A guesser knows its own chances only, and so says in ``unread`` what it would guess each time words are
    left out: first without the top ones, then for each draw. It is empty once a buzzer has judged that, which
    makes the chances those that are shown everywhere.
    """

    whole: float
    without_top: float
    without_random: float
    unread: tuple[
        tuple[tuple[Page, float], ...], ...
    ] = ()  # pages with scores, best first, the page among them


class Evidence(msgspec.Struct, frozen=True):
    """Why one guesser believes in ``page``.

    ``method`` says what the cues' weights are. ``score`` is the page's, in the guesser's unit; where the
    method is ``SHARE`` they add up to it. ``faithfulness`` comes with weights that are ``WITHOUT``, unless
    few words are clues. ``reasons`` are the words to change, the first without which the page falls most;
    ``frame`` are words that speak for it and for many other pages, as the noun of "this composer".
    """

    guesser: str
    page: Page
    score: float = 0.0
    cues: tuple[Cue, ...] = ()
    passages: tuple[Passage, ...] = ()
    method: Method = Method.SHARE
    faithfulness: Faithfulness | None = None
    reasons: tuple[Reason, ...] = ()
    frame: tuple[Span, ...] = ()
