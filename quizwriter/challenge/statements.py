"""What the manifest of a challenge set states of it, and the licences to choose from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from quizwriter.services.beat_goal import NO_BEAT_GOAL, BeatGoal

_MARKDOWN = re.compile(r"([\\`*_<>\[\]|#])")


def plain_markdown(text: str) -> str:
    """``text`` on one line, without signs that Markdown would read."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


class SetStatements(msgspec.Struct, frozen=True):
    """What the manifest of a challenge set states and the rows do not hold."""

    title: str
    version: str
    program: str  # name and version
    bundle: str  # title of the bundle that the players come from
    licence: str  # its name; see :data:`LICENCES`
    seed: int
    histories: bool
    remarks: bool  # whether what people wrote about the questions is released
    left_out: Mapping[str, int]
    answers: Mapping[str, str]  # the editor's, by the keys of the items
    maintainer: str
    contact: str
    website: str
    released: str  # the day, or empty
    control: Mapping[str, Any] | None
    no_control: str  # why there is none, as a sentence; empty in sets before schema 4
    schema: int
    working_names: bool  # whether the names of files, packets and own tags are released
    names_of_others: int  # names of writers that, the editor decided, mean other people
    previous: Mapping[str, Any] | None  # the version before
    goal: BeatGoal = NO_BEAT_GOAL  # which players each question was to beat

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> SetStatements:
        """The statements in ``manifest``, which may lack the digests of the files."""
        settings = manifest["settings"]
        return cls(
            title=manifest["title"],
            version=manifest["version"],
            program=manifest["program"],
            bundle=manifest["bundle"]["title"],
            licence=manifest["licence"],
            seed=settings["seed"],
            histories=settings["histories"],
            remarks=settings.get("remarks", settings["histories"]),  # sets of before had both or none
            left_out=manifest["left_out"],
            answers=manifest["data_sheet"],
            maintainer=manifest["maintainer"],
            contact=manifest["contact"],
            website=manifest["website"],
            released=manifest["released"],
            control=manifest.get("control"),
            no_control=manifest.get("no_control", ""),
            schema=manifest["schema"],
            working_names=settings.get("working_names", True),  # sets before schema 5 had them
            names_of_others=settings.get("names_passed_over", 0),
            previous=manifest.get("previous"),
            goal=BeatGoal.of(settings.get("beats"), settings.get("by_f1")),
        )


class Licence(msgspec.Struct, frozen=True):
    """A licence to choose: its tag at Hugging Face, its SPDX identifier, and its address."""

    tag: str
    spdx: str
    address: str


LICENCES: Mapping[str, Licence] = {
    "CC BY 4.0": Licence("cc-by-4.0", "CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "CC BY-SA 4.0": Licence(
        "cc-by-sa-4.0", "CC-BY-SA-4.0", "https://creativecommons.org/licenses/by-sa/4.0/"
    ),
    "CC BY-NC 4.0": Licence(
        "cc-by-nc-4.0", "CC-BY-NC-4.0", "https://creativecommons.org/licenses/by-nc/4.0/"
    ),
    "CC0 1.0": Licence("cc0-1.0", "CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
}
"""The licences by name, the default first."""
