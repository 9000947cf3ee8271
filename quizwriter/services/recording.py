"""The report on events that were recorded for several tossups: the new events, and who was refused why."""

from __future__ import annotations

import msgspec

from quizwriter.domain.events import Event
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.wording import counted_noun


class RefusedFor(msgspec.Struct, frozen=True):
    """One reason for which tossups were refused, and their ids."""

    problem: str
    remedy: str
    tossups: tuple[str, ...]

    @property
    def sentence(self) -> str:
        count = len(self.tossups)
        many = f"{counted_noun(count, 'tossup')}: " if count > 1 else ""
        return f"{many}{self.problem} {self.remedy}".strip()


class RecordReport(msgspec.Struct, frozen=True):
    """The events that were recorded for several tossups, and the error of each tossup that was refused."""

    events: tuple[Event, ...]
    refused: tuple[tuple[str, QuizwriterError], ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """The ids of the tossups with new events, each once."""
        return tuple(dict.fromkeys(event.tossup_id for event in self.events))

    @property
    def reasons(self) -> tuple[RefusedFor, ...]:
        """Why tossups were refused, each reason once, that of most tossups first."""
        found: dict[tuple[str, str], list[str]] = {}
        for key, trouble in self.refused:
            found.setdefault((trouble.problem, trouble.remedy), []).append(key)
        reasons = (RefusedFor(*said, tuple(keys)) for said, keys in found.items())
        return tuple(sorted(reasons, key=lambda one: -len(one.tossups)))
