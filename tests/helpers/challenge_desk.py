"""An editor's program whose tossups may be released, for the tests of challenge sets."""

from __future__ import annotations

import random

from quizwriter.challenge.export import export
from quizwriter.challenge.metadata import SetMetadata
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.challenge.selection import Selection
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change, Edit
from quizwriter.domain.page import Page
from quizwriter.domain.review import Categorised, Consent, ConsentGiven, Person, Status, StatusSet
from quizwriter.domain.tossup import Answer
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave

ADA = Person("a" * 32, "Ada Novák", "ada.novak@example.org", 1)
BEN = Person("b" * 32, "Ben Osei", "ben@example.org", 1)
BEGUN = 1_950_000_000_000
ANSWERS = ("Madama_Butterfly", "Jane_Austen", "Macbeth")


def words(seed, count=24):
    """A text of ``count`` words that no other has."""
    draw = random.Random(seed)
    return " ".join(f"{draw.choice('bcdfglmnprst')}{draw.choice('aeiou')}{seed}{at}" for at in range(count))


WITH_ALL = SetMetadata("Spring", histories=True, remarks=True)
"""A set whose edits, comments and reasons are released, too."""


class Desk:
    """An editor's program on the starter bundle, with tossups that may be released."""

    def __init__(self, home, bundle):
        self.app = App(home, bundle)
        for person in (ADA, BEN):
            self.app.store.save_person(person)

    def write(self, key, text=None, *, author=ADA, edits=(), page="Jane_Austen", category="Literature"):
        """A tossup that was accepted and may be released; ``edits`` are those after its first text."""
        text = f"This author wrote {words(key)}. For 10 points, name this author." if text is None else text
        changes, now = [Change(1, BEGUN, Edit(0, "", text), author.id)], text
        for seq, edit in enumerate(edits, start=2):
            changes.append(Change(seq, BEGUN + 1000 * seq, edit, author.id))
            now = edit.apply(now)
        answer = Answer(page.replace("_", " "), Page(page))
        self.app.store.save(
            PendingSave(key, now, answer, 0, BEGUN + 1000 * len(changes), tuple(changes), author=author.id)
        )
        self.say(key, Categorised((category,)), ConsentGiven(Consent.YES), StatusSet(Status.ACCEPTED))
        return now

    def say(self, key, *bodies, author=BEN):
        """Record events."""
        events = [Event.new(key, BEGUN + 10**7, author.id, body) for body in bodies]
        return self.app.store.add_events(events)

    def released_id(self, key):
        """The id under which a tossup is released."""
        return Pseudonyms.load(self.app.home / "pseudonyms.key").of_question(key)

    def export(self, out, choice=None, release=None, **how):
        """Export with what most tests do not care for."""
        return export(self.app, out, choice or Selection(), release or WITH_ALL, **how)
