"""The briefs of sets: what is still wanted, and tossups begun for it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Progress
from quizwriter.domain.events import Body, Event, encode_body
from quizwriter.domain.review import BegunFor, BriefChosen, BriefLine, Categorised, PutInSet
from quizwriter.domain.review_state import fold_events
from quizwriter.domain.tossup import Answer
from quizwriter.services.beat_goal import NO_BEAT_GOAL, BeatGoal, GoalCount
from quizwriter.services.control_arms import hidden_among
from quizwriter.services.profile import Profile
from quizwriter.store.store import Store
from quizwriter.system.decoding import decode_small_json, translate_decoding_errors
from quizwriter.workflow.brief_lines import (
    NOT_COUNTED,
    BriefState,
    CountedTossup,
    brief_states,
    proposed_lines,
    sound_lines,
)
from quizwriter.workflow.queue import QueueFilter, QueueRow, QueueSort
from quizwriter.workflow.session import PendingSave, now_ms

if TYPE_CHECKING:
    from quizwriter.domain.guessing import Player
    from quizwriter.domain.page import Page

_KIND = "brief"  # of the item that keeps the brief of a set without a tossup


class SetBriefReport(msgspec.Struct, frozen=True):
    """The brief of a set with the tossups that there are; ``proposed``: nobody has chosen its lines yet."""

    set_name: str
    states: tuple[BriefState, ...]
    proposed: bool = False
    goal: BeatGoal = NO_BEAT_GOAL


class SetBriefs:
    """Keeps the briefs of the sets in one database, and begins tossups for them."""

    def __init__(self, store: Store, profile: Profile, home: Path) -> None:
        self._store, self._profile, self._home = store, profile, home

    def report(self, set_name: str) -> SetBriefReport:
        """The tossups that the set still wants; without lines of a brief, the categories that it has now."""
        tossups = self._tossups(set_name)
        chosen = self._chosen(set_name)
        kept = () if chosen is None else sound_lines(chosen.lines)  # a goal may be chosen without lines
        states = brief_states(kept or proposed_lines(tossups), tossups)
        return SetBriefReport(set_name, states, not kept, _goal(chosen))

    def goal(self, set_name: str) -> BeatGoal:
        """Which players each tossup of the set is to beat."""
        return _goal(self._chosen(set_name))

    def choose(
        self, set_name: str, lines: Iterable[BriefLine] | None = None, goal: BeatGoal | None = None
    ) -> tuple[Event, ...]:
        """Give a set a brief; it is recorded of every tossup that is in the set now. None: as it was."""
        before = self._chosen(set_name)
        at_ms = max(now_ms(), before.at_ms + 1 if before is not None else 0)  # the newest counts
        if lines is None:
            lines = () if before is None else before.lines
        goal = _goal(before) if goal is None else goal
        body = BriefChosen(set_name, sound_lines(lines), at_ms, goal.players, goal.by_f1)
        self._store.put_item(_KIND, set_name, json.dumps(encode_body(body)[1], ensure_ascii=False))
        keys = (key for key, _, _ in self._store.tossups_of_set(set_name))
        return self._store.add_events([Event.new(key, at_ms, self._profile.me.id, body) for key in keys])

    def count_goal(
        self,
        set_name: str,
        goal: BeatGoal,
        players: Sequence[Player],
        *,
        play: bool = False,
        step: Progress = lambda done, total: None,
    ) -> GoalCount:
        """How many tossups of the set reach ``goal``, by the games of ``players`` that are kept.

        With ``play``, games that were not kept are played now: slow. ``step`` gets how many tossups were
        looked at, of how many.
        """
        from quizwriter.store.plays import PlayCache  # late: not needed at start

        chosen = [player for player in players if player.name in goal.players]
        if missing := goal.missing({player.name for player in chosen}):
            return GoalCount(0, 0, missing=missing)
        rows = self._counted_rows(set_name)
        every = [row.tossup_id for row in rows if row.words]
        hidden = hidden_among(self._store, every)
        keys = [key for key in every if key not in hidden]

        def games(plays: PlayCache, at: int, key: str) -> tuple[Answer | None, dict[str, Page | None], bool]:
            step(at, len(keys))
            tossup = self._store.load(key).tossup
            there = [one for one in chosen if play or plays.has(one, tossup)]
            found = {one.name: plays.record(one, tossup) for one in there}
            known = all(game.summary.knowable for game in found.values())
            return tossup.answer, {name: game.course.last_guess for name, game in found.items()}, known

        with closing(PlayCache(self._home)) as plays:
            count = GoalCount.of(goal, (games(plays, at, key) for at, key in enumerate(keys)))
        return replace(count, hidden=len(hidden), wordless=len(rows) - len(every))

    def begin(self, set_name: str, line: BriefLine) -> str:
        """Save an empty tossup of the set for a line of its brief. The result is its id."""
        key, at_ms, me = uuid.uuid4().hex, now_ms(), self._profile.me.id
        self._store.save(PendingSave(key, "", None, 0, at_ms, author=me))
        said: list[Body] = []
        if set_name:
            said.append(PutInSet(set_name))
        if line.category:
            said.append(Categorised(line.category))
        if line.answer_type or line.difficulty:
            said.append(BegunFor(line.answer_type, line.difficulty))
        chosen = self._chosen(set_name)
        if chosen is not None:
            said.append(chosen)
        self._store.add_events([Event.new(key, at_ms, me, body) for body in said])
        return key

    def _chosen(self, set_name: str) -> BriefChosen | None:
        """The newest brief of the set, by whomever."""
        found = [fold_events(self._store.events_of_kind("brief")).briefs.get(set_name)]
        kept = self._store.items(_KIND).get(set_name)
        if kept is not None:
            with translate_decoding_errors(
                "This set's brief cannot be read by this version", "Choose it again."
            ):
                found.append(decode_small_json(kept, BriefChosen))
        return max((one for one in found if one is not None), key=lambda one: one.at_ms, default=None)

    def _tossups(self, set_name: str) -> list[CountedTossup]:
        found = []
        for row in self._counted_rows(set_name):
            begun = self._store.review_of(row.tossup_id).begun_for or BegunFor()
            found.append(CountedTossup(row.category, begun.answer_type, begun.difficulty))
        return found

    def _counted_rows(self, set_name: str) -> list[QueueRow]:
        keys = self._store.one_of_each(self._store.queue(QueueFilter(sets=(set_name,)), QueueSort()))
        return [row for row in self._store.queue_rows(keys) if row.status not in NOT_COUNTED]


def _goal(brief: BriefChosen | None) -> BeatGoal:
    return NO_BEAT_GOAL if brief is None else BeatGoal.of(brief.beats, brief.by_f1)
