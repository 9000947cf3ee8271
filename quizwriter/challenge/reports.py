"""What an export, its preview and its rehearsal found: as values, as sentences and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from quizwriter.challenge.name_decisions import NameGroup
from quizwriter.challenge.remarks import Remark
from quizwriter.domain.review import NameVerdict
from quizwriter.workflow.wording import counted_noun


class ExportReport(msgspec.Struct, frozen=True):
    """The result of an export."""

    folder: Path
    version: str
    questions: int
    guessable: int  # questions whose answer any player can know
    left_out: Mapping[str, int]  # by reason
    near_duplicates: tuple[
        tuple[str, tuple[str, ...]], ...
    ]  # tossup ids: the released one, and those left out
    unanswered: tuple[str, ...]  # questions of the data sheet
    played: int  # games that had to be played now

    def as_json(self) -> dict[str, Any]:
        return {
            "folder": str(self.folder),
            "version": self.version,
            "questions": self.questions,
            "guessable": self.guessable,
            "left_out": dict(self.left_out),
            "near_duplicates": [{"kept": kept, "left_out": list(out)} for kept, out in self.near_duplicates],
            "data_sheet_unanswered": list(self.unanswered),
            "games_played": self.played,
        }

    @property
    def lines(self) -> list[str]:
        said = [
            f"{counted_noun(self.questions, 'question')} released as version {self.version} in {self.folder}."
            f" The players can know the answers of {self.guessable:,} of them."
        ]
        said += [f"Left out, {reason}: {number:,}." for reason, number in sorted(self.left_out.items())]
        if self.unanswered:
            said.append(f"Not answered in the data sheet: {counted_noun(len(self.unanswered), 'question')}.")
        return said


class ExportPreview(msgspec.Struct, frozen=True):
    """What an export would release, as far as is known before the players play."""

    questions: int
    left_out: Mapping[str, int]
    sets: tuple[str, ...]  # the names of all sets
    without_consent: tuple[str, ...]  # ids of the user's own tossups that lack only consent


class ExportRehearsal(msgspec.Struct, frozen=True):
    """What an export would release: the tossups, each remark with its writer, and names of people.

    ``names`` are all that were found, also those that are decided; ``never_released`` those whose tossups
    stay out. ``uncounted`` are the reasons for which the games of players may leave out more.
    """

    tossups: tuple[str, ...]
    left_out: Mapping[str, int]
    remarks: tuple[Remark, ...]
    people: Mapping[str, str]  # names by id
    names: tuple[NameGroup, ...]
    never_released: tuple[NameGroup, ...] = ()
    uncounted: tuple[str, ...] = ()

    @property
    def questions(self) -> int:
        return len(self.tossups)

    @property
    def stopping(self) -> tuple[NameGroup, ...]:
        return tuple(one for one in self.names if one.verdict is not NameVerdict.ANOTHER_PERSON)

    def as_json(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "left_out": dict(self.left_out),
            "uncounted": list(self.uncounted),
            "remarks": [
                {
                    "person": self.people.get(one.person, ""),
                    "tossup": one.tossup_id,
                    "title": one.title,
                    "kind": one.kind,
                    "text": one.text,
                }
                for one in self.remarks
            ],
            "names": [
                {
                    "name": one.words,
                    "people": list(one.people),
                    "decided": None if one.verdict is None else str(one.verdict),
                    "tossups": list(one.tossups),
                    "places": [{"place": place.place, "context": place.context} for place in one.matches],
                }
                for one in (*self.names, *self.never_released)
            ],
        }

    @property
    def lines(self) -> list[str]:
        """The rehearsal in sentences: each remark below its writer, then each name with its places."""
        most = "At most " if self.uncounted else ""
        said = [f"{most}{counted_noun(self.questions, 'question')} can be released."]
        said += [f"Left out, {reason}: {number:,}." for reason, number in sorted(self.left_out.items())]
        said += [f"Left out, {reason}: not known before the players play." for reason in self.uncounted]
        for person, remarks in groupby(self.remarks, key=lambda one: one.person):
            said.append(f"By {self.people.get(person) or 'a person without a name'}:")
            said += [f"  {one.kind} on “{one.title}”: {one.text}" for one in remarks]
        if not self.remarks:
            said.append("No comment and no reason would be released.")
        for group in (*self.names, *self.never_released):
            said.append(f"{group.sentence}:")
            said += [f"  {one.place}: {one.context}" for one in group.matches]
        if not self.names and not self.never_released:
            said.append("No name of a person was found.")
        elif self.stopping:
            said.append(
                "Change the texts with a writer's name. Say of each other name once, with --other-person "
                "NAME, that it is another person's, or leave its tossups out with --never-release NAME."
            )
        return said
