"""The control arm of a set: about half of its tossups, drawn at random, are written with the machines hidden.

So it can be tested whether it helps a writer to see the machines. Nobody can change what was drawn: the arm
follows from the seed of the set and the id of the tossup, and the draw is an event that nothing takes back.
"""

from __future__ import annotations

import hashlib

from quizwriter.domain.history import Change
from quizwriter.domain.review import Arm, ArmDrawn
from quizwriter.domain.review_state import Review
from quizwriter.domain.tossup import Tossup

HIDDEN_NOTICE = (
    "The machines are hidden: this tossup was drawn into the control arm of its set. They play it once it is "
    "ready (Ctrl+Enter)."
)
"""What stands where the players' guesses would stand."""

HIDDEN_IN_SHORT = "Machines hidden until this tossup is ready."
"""What stands where there is room for one line."""

LARGEST_SEED = 1 << 32


def drawn_arm(seed: int, tossup_id: str) -> Arm:
    """The arm of a tossup, by a fair coin that falls the same on every computer."""
    digest = hashlib.sha256(f"{seed}\0{tossup_id}".encode("utf-8", "surrogatepass")).digest()
    return Arm.HIDDEN if digest[0] % 2 else Arm.SHOWN


def may_be_drawn(review: Review, *, seen: bool) -> bool:
    """Whether a tossup can still be drawn: nobody was shown what players make of it, and it began here.

    ``seen``: a player showed its game on it.
    """
    elsewhere = review.imported is not None or review.rewritten is not None or review.based_on is not None
    return review.arm_drawn is None and review.left_draft is None and not seen and not elsewhere


def arm_sentence(review: Review) -> str:
    """In which arm a tossup is, for its history; empty if it is in none."""
    drawn = review.arm_drawn.body if review.arm_drawn is not None else None
    if not isinstance(drawn, ArmDrawn):
        return ""
    if drawn.arm is Arm.SHOWN:
        return f"Control arm of {drawn.name}: written with the machines visible."
    until = "" if review.left_draft is None else " until it was ready"
    return f"Control arm of {drawn.name}: written with the machines hidden{until}."


def text_when_ready(changes: tuple[Change, ...], review: Review) -> str | None:
    """The text as it was when the tossup first left the draft; None if it never did.

    Later edits may be made with the machines in sight, in both arms.
    """
    if review.left_draft is None:
        return None
    text = ""
    for change in changes:
        if change.seq > review.left_draft.seq:
            break
        text = change.edit.apply(text)
    return text


def as_written(tossup: Tossup, changes: tuple[Change, ...], review: Review) -> Tossup | None:
    """The tossup as :func:`text_when_ready` says; None if it never was ready, or had no words then."""
    text = text_when_ready(changes, review)
    found = Tossup(text, tossup.answer) if text else None
    return found if found is not None and found.words else None
