"""Events of made-up people, and what proves whose each is."""

from __future__ import annotations

from quizwriter.domain.events import Event
from quizwriter.domain.signatures import Authenticity

SIGNED, UNSIGNED = Authenticity.VERIFIED, Authenticity.UNSIGNED
LOOSE, OTHER = Authenticity.UNCONFIRMED, Authenticity.OTHER_KEY


def events_of(*said):
    """The events of one tossup, given as (author, body, authenticity), one after the other."""
    return [
        Event(f"e{at}", "one", at, author, body, authenticity=proof)
        for at, (author, body, proof) in enumerate(said)
    ]
