"""The control arms of sets: drawn, kept as events, and never shown before a tossup is ready."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Iterable

from quizwriter.domain.events import Body, Event
from quizwriter.domain.review import Arm, ArmDrawn, PutInSet
from quizwriter.domain.review_state import Review
from quizwriter.errors import QuizwriterError
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store
from quizwriter.workflow.control_arm import LARGEST_SEED, drawn_arm, may_be_drawn
from quizwriter.workflow.session import PendingSave, now_ms

_KIND = "arm"  # of the events, and of the items that keep the seed of a set without a drawn tossup


class ControlArms:
    """Draws tossups of sets into arms. Any thread may ask."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store, self._profile = store, profile

    def seed(self, set_name: str) -> int | None:
        """The seed by which the set draws; None if it has no control arm."""
        return arm_seeds(self._store).get(set_name)

    def start(self, set_name: str, seed: int | None = None) -> tuple[Event, ...]:
        """Give the set a control arm, for good; tossups of the set that can still be drawn are drawn now.

        Without a ``seed``, one is drawn. A set that has a control arm keeps its own.
        """
        if not set_name:
            raise QuizwriterError("The tossup is in no set.", "Put it into a set first.")
        known = self.seed(set_name)
        if known is None:
            known = secrets.randbelow(LARGEST_SEED) if seed is None else seed % LARGEST_SEED
            self._store.put_item(_KIND, set_name, str(known))
        said = []
        for key, _, _ in self._store.tossups_of_set(set_name):
            body = draw_for(self._store, key, self._store.review_of(key), set_name, known)
            if body is not None:
                said.append(Event.new(key, now_ms(), self._profile.me.id, body))
        return self._store.add_events(said)

    def begin(self, set_name: str) -> str:
        """Save an empty tossup of the set, which is drawn at once. The result is its id."""
        seed = self.seed(set_name)
        if seed is None:
            raise QuizwriterError(f"The set {set_name} has no control arm.", "Start one first.")
        key, at_ms, me = uuid.uuid4().hex, now_ms(), self._profile.me.id
        self._store.save(PendingSave(key, "", None, 0, at_ms, author=me))
        said: tuple[Body, ...] = (PutInSet(set_name), ArmDrawn(set_name, drawn_arm(seed, key), seed))
        self._store.add_events([Event.new(key, at_ms, me, body) for body in said])
        return key

    def sizes(self, set_name: str) -> dict[Arm | None, int]:
        """How many tossups of the set are in each arm; under None those in neither."""
        found: dict[Arm | None, int] = {Arm.HIDDEN: 0, Arm.SHOWN: 0, None: 0}
        for key in self._store.one_of_each([key for key, _, _ in self._store.tossups_of_set(set_name)]):
            found[self._store.review_of(key).arm] += 1
        return found


def arm_seeds(store: Store) -> dict[str, int]:
    """The seeds of the sets that have a control arm; of several, the one that was drawn with first."""
    found: dict[str, int] = {}
    for event in sorted(store.events_of_kind(_KIND), key=lambda one: one.order):
        if isinstance(event.body, ArmDrawn):
            found.setdefault(event.body.name, event.body.seed)
    kept = {name: int(text) for name, text in store.items(_KIND).items() if text.isdecimal()}
    return {**kept, **found}


def draw_for(store: Store, tossup_id: str, review: Review, set_name: str, seed: int) -> ArmDrawn | None:
    """The draw of a tossup for the set, the same for all its branches; None if it can be drawn no more."""
    branches = (tossup_id, *store.sibling_branches(tossup_id))
    if not may_be_drawn(review, seen=any(map(store.players_shown, branches))):
        return None
    return ArmDrawn(set_name, drawn_arm(seed, store.root_of(tossup_id) or tossup_id), seed)


def hidden_among(store: Store, tossup_ids: Iterable[str]) -> frozenset[str]:
    """The tossups among these whose machine games may not be shown yet."""
    drawn = (event.body for event in store.events_of_kind(_KIND))
    if not any(isinstance(body, ArmDrawn) and body.arm is Arm.HIDDEN for body in drawn):
        return frozenset()
    return frozenset(key for key in tossup_ids if store.review_of(key).hides_machines)
