"""The review of tossups: statuses with their checks, categories, comments, tags and people."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, Progress
from quizwriter.domain.events import Body, Event
from quizwriter.domain.review import (
    Categorised,
    ConsentGiven,
    NeverSent,
    PutInSet,
    Round,
    Status,
    Tagged,
    TakenBack,
    WrittenBy,
)
from quizwriter.domain.review_state import Review, fold_events
from quizwriter.domain.text_anchors import AnchorTracker
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.services.control_arms import arm_seeds, draw_for
from quizwriter.services.language_models import never_sent_sets
from quizwriter.services.profile import Profile
from quizwriter.services.recording import RecordReport
from quizwriter.store.store import Store, from_store
from quizwriter.system.decoding import decode_small_json, translate_decoding_errors
from quizwriter.workflow.session import now_ms
from quizwriter.workflow.statuses import change_status, hand_over, hindrance, record_consent, steps_to
from quizwriter.workflow.wording import listed

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.workflow.categories import Category
    from quizwriter.workflow.checks import Check


SEVERAL_BRANCHES = "It has several branches, and all of them were chosen."
MERGE_THEM = "Merge them with Review > Branches…, or choose one of them."


class PlannedStatus(msgspec.Struct, frozen=True):
    """What would happen to a tossup on its way to another status.

    ``steps`` are the statuses that it would get one after another. ``hindrance`` says in a sentence why it
    cannot get there; empty if it can. ``checks`` are those of *ready*, where that is one of the steps.
    ``branch_of`` is the first of several branches of one tossup that were chosen together.
    """

    before: Status
    steps: tuple[Status, ...] = ()
    hindrance: str = ""
    checks: tuple[Check, ...] = ()
    branch_of: str = ""

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(check.name for check in self.checks if not check.passed)


class ReviewService:
    """Records events of tossups in the database, by the rules, and reads them."""

    def __init__(self, store: Store, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    events = from_store(Store.events)
    review_of = from_store(Store.review_of)
    standing_of = from_store(Store.standing_of)
    changes = from_store(Store.history)
    reviews = from_store(Store.tag_reviews)
    people = from_store(Store.people)
    save_person = from_store(Store.save_person)
    add_events = from_store(Store.add_events)
    packets = from_store(Store.packets)
    sets = from_store(Store.sets)

    def hides_machines(self, tossup_id: str) -> bool:
        """Whether a tossup's writer is shown nothing of the machines; False if that cannot be read."""
        try:
            return self._store.standing_of(tossup_id).hides_machines
        except QuizwriterError:
            return False

    def tossup(self, tossup_id: str) -> Tossup:
        return self._store.load(tossup_id).tossup

    def is_changed_since(self, tossup_id: str) -> bool:
        """Whether the text or the answer of a tossup was changed after it got its status."""
        return any(row.changed_since for row in self._store.queue_rows([tossup_id]))

    def find_people(self, name: str) -> tuple[str, ...]:
        """The ids of everybody whose name, e-mail address or id is ``name``."""
        people = self._store.people()
        found = tuple(key for key, person in people.items() if name in (key, person.name, person.email))
        if not found:
            names = sorted({person.name for person in people.values() if person.name})
            raise QuizwriterError(
                f"Nobody here is called {name}.",
                f"Choose one of {listed(names, 'or')}."
                if names
                else "No tossup here has an author with a name yet.",
            )
        return found

    def check(
        self,
        drafts: Mapping[str, Tossup],
        engine: Engine | None = None,
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
    ) -> dict[str, tuple[Check, ...]]:
        """The checks of ``drafts``, by tossup id; see :mod:`quizwriter.workflow.checks`.

        Slow (up to seconds for a set of thousands); any thread may call it. The past questions and the pages
        are those of ``engine``; without one, no draft is compared with past questions or pages. ``progress``
        gets the number of drafts that were checked and the number of all drafts.
        """
        from quizwriter.engine.clue_finder import SetSentences
        from quizwriter.services.clue_lookup import repeat_finders
        from quizwriter.services.problems import Surroundings, style_sheets, usual_style
        from quizwriter.workflow.checks import check
        from quizwriter.workflow.near_duplicates import DuplicateFinder, OtherTossup, RepeatFinder
        from quizwriter.workflow.problems.rules import dismissal_of

        sets: dict[tuple[str, str], tuple[DuplicateFinder, SetSentences]] = {}
        roots = self._store.branch_roots()
        usual = usual_style(self._profile.settings)
        sheets = style_sheets(self._store, usual)
        checked = {}
        for done, (key, draft) in enumerate(drafts.items()):
            if cancellation is not None:
                cancellation.check()
            if progress is not None:
                progress(done, len(drafts))
            review = self._store.review_of(key)
            name = review.set_name
            among = name, key if key in roots else ""  # no branch repeats another one
            if among not in sets:
                rows = self._store.others_of_set(*among)
                sets[among] = DuplicateFinder(OtherTossup(*row) for row in rows), SetSentences(rows)
            in_set: RepeatFinder = sets[among][0]
            past: RepeatFinder | None = None
            if engine is not None:
                in_set, past = repeat_finders(engine, draft, *sets[among])
            pages = engine.pages if engine is not None else None
            trail = None
            if review.dismissed:
                trail = AnchorTracker(change.edit for change in self._store.history(key))
            gone = Surroundings(dismissed=review.dismissed, trail=trail).dismissals(draft)
            checked[key] = check(
                draft,
                key,
                in_set=in_set,
                past=past,
                pages=pages,
                sheet=sheets.get(name, usual),
                dismissed=partial(lambda gone, one: dismissal_of(one, gone) is not None, gone),
            )
        return checked

    def plan_status(
        self,
        keys: Sequence[str],
        status: Status,
        engine: Engine | None = None,
        progress: Progress | None = None,
        cancellation: Cancellation | None = None,
        drafts: Mapping[str, Tossup] | None = None,
    ) -> dict[str, PlannedStatus]:
        """What :meth:`set_status` in steps would do to each of the tossups ``keys``; nothing is changed.

        Where *ready* is a step, the checks are made as by :meth:`check`; ``drafts`` are the tossups as they
        stand in a window, None: as they were saved.
        """
        planned, together = {}, self._branches_together(keys)
        for key in keys:
            review = self._store.review_of(key)
            why = f"{SEVERAL_BRANCHES} {MERGE_THEM}" if key in together else hindrance(review, status)
            steps = () if why else steps_to(review.status, status)
            planned[key] = PlannedStatus(review.status, steps, why, branch_of=together.get(key, ""))
        unchecked = [key for key, plan in planned.items() if Status.READY in plan.steps]
        found = {key: (drafts or {}).get(key) or self._store.load(key).tossup for key in unchecked}
        for key, checks in self.check(found, engine, progress, cancellation).items():
            planned[key] = replace(planned[key], checks=checks)
        return planned

    def set_status(
        self,
        keys: Sequence[str],
        status: Status,
        reason: str = "",
        *,
        failed: Mapping[str, Sequence[str]] | None = None,
        overridden: Mapping[str, str] | None = None,
        in_steps: bool = False,
    ) -> RecordReport:
        """Give the tossups ``keys`` another status; a tossup whose rules forbid it is refused.

        ``failed`` names, by tossup, the checks that do not pass. ``overridden`` gives, by check, the reason
        why it need not pass: see :func:`quizwriter.workflow.statuses.change_status`. ``in_steps`` lets a
        tossup take all steps that :func:`quizwriter.workflow.statuses.steps_to` allows, each recorded as an
        event; the reason stands with the last one.
        """

        def change(key: str, review: Review) -> Sequence[Body]:
            names = (failed or {}).get(key, ())
            steps = steps_to(review.status, status) if in_steps else ()
            bodies = list[Body]()
            for step in steps or (status,):
                why = reason if step is status else ""
                bodies.append(change_status(review, step, why, failed=names, overridden=overridden))
                review = replace(review, status=step)
            return bodies

        return self._record(keys, change)

    def record(self, keys: Sequence[str], body: Body) -> RecordReport:
        """Record ``body`` for each of the tossups ``keys``, except where it would change nothing.

        A consent to the release of another person's tossup needs a reason, and is refused where it could not
        count: see :func:`quizwriter.domain.review.fold_consent`.
        """

        me = self._profile.me.id
        people = self._store.people() if isinstance(body, WrittenBy) else {}
        names = {key: person.name for key, person in people.items()}
        of_sets = fold_events(self._store.style_events() if isinstance(body, PutInSet) else ())
        never_sent = never_sent_sets(self._store) if isinstance(body, PutInSet) else frozenset()
        seeds = arm_seeds(self._store) if isinstance(body, PutInSet) else {}

        def change(key: str, review: Review) -> Sequence[Body]:
            match body:
                case ConsentGiven():
                    return (record_consent(review.release, body, me),)
                case Categorised(levels=levels) if levels == review.category:
                    return ()
                case PutInSet(name=name, packet=packet) if (name, packet) == (
                    review.set_name,
                    review.packet,
                ):
                    return ()
                case PutInSet(name=name):  # what holds for the set goes with this tossup, too
                    style, words = of_sets.styles.get(name), of_sets.set_words
                    of_set: list[Body] = []
                    if style is not None and review.styles.get(name) != style:
                        of_set.append(style)
                    of_set += [
                        one
                        for word, one in words.items()
                        if word[0] == name and review.set_words.get(word) != one
                    ]
                    # also that of the set which it leaves: what was begun or imported there has no event yet
                    bars = dict.fromkeys((review.set_name, name))
                    of_set += [
                        NeverSent(one) for one in bars if one in never_sent and one not in review.never_sent
                    ]
                    if name in seeds and (arm := draw_for(self._store, key, review, name, seeds[name])):
                        of_set.append(arm)
                    return (body, *of_set)
                case WrittenBy(person=person):
                    same = review.same_people.get(person, person) == review.writer
                    return () if same else (hand_over(review.release, body, me, names),)
            return (body,)

        return self._record(keys, change)

    def tag(self, keys: Sequence[str], tags: Sequence[str]) -> RecordReport:
        """Add ``tags`` to those that the user gave the tossups ``keys`` before."""
        me = self._profile.me.id

        def change(_: str, review: Review) -> Sequence[Body]:
            before = review.tags.get((Round.BLIND, me), ())
            added = [tag for tag in tags if tag not in before]
            return (Tagged((*before, *added)),) if added or not before else ()

        return self._record(keys, change)

    def _record(self, keys: Sequence[str], change: Callable[[str, Review], Sequence[Body]]) -> RecordReport:
        events, refused = [], []
        at_ms, together = now_ms(), self._branches_together(keys)
        for key in keys:
            if key in together:
                if together[key] == key:  # one refusal for a tossup
                    refused.append((key, QuizwriterError(SEVERAL_BRANCHES, MERGE_THEM)))
                continue
            try:
                bodies = change(key, self._store.review_of(key))
            except QuizwriterError as trouble:
                refused.append((key, trouble))
                continue
            events += [Event.new(key, at_ms, self._profile.me.id, body) for body in bodies]
        return RecordReport(self._store.add_events(events), tuple(refused))

    def _branches_together(self, keys: Sequence[str]) -> dict[str, str]:
        """Those of ``keys`` that are branches of one tossup, with the first of its branches among them.

        A change must not be recorded twice.
        """
        roots = self._store.branch_roots() if len(keys) > 1 else {}
        of: dict[str, list[str]] = {}
        for key in dict.fromkeys(keys):
            if key in roots:
                of.setdefault(roots[key], []).append(key)
        return {key: found[0] for found in of.values() if len(found) > 1 for key in found}

    def take_back(self, events: Sequence[Event]) -> RecordReport:
        """Take back ``events``. To take back the resulting events makes the first ones count again."""
        of: dict[str, list[str]] = {}
        for event in events:
            of.setdefault(event.tossup_id, []).append(event.id)
        at_ms = now_ms()
        made = [
            Event.new(key, at_ms, self._profile.me.id, TakenBack(tuple(found))) for key, found in of.items()
        ]
        return RecordReport(self._store.add_events(made))

    def categories(self, set_name: str) -> tuple[Category, ...]:
        """The categories of a set, or the standard ones; each category comes before its subcategories."""
        from quizwriter.workflow import categories

        stored = self._store.items("categories").get(set_name)
        if stored is None:
            return categories.STANDARD
        with translate_decoding_errors(
            "The categories of this set cannot be read by this version", "Set them up again."
        ):
            return categories.with_parents(decode_small_json(stored, list[list[str]]))

    def save_categories(self, set_name: str, paths: Sequence[Category] | None) -> None:
        """Give a set categories of its own; None: the standard ones."""
        body = None if paths is None else json.dumps([list(path) for path in paths], ensure_ascii=False)
        self._store.put_item("categories", set_name, body)

    def sets_with_categories(self) -> tuple[str, ...]:
        return tuple(self._store.items("categories"))
