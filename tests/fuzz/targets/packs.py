"""Packs: bytes, members, and rows with digests made anew, merged into a database that knows some of them."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from copy import deepcopy
from pathlib import Path

from quizwriter.domain.review import (
    Arm,
    ArmDrawn,
    BasedOn,
    BegunFor,
    Binned,
    BriefChosen,
    BriefLine,
    ClueSourced,
    Dismissed,
    NameDecided,
    NameVerdict,
    NeverSent,
    OutsideWriter,
    PutInSet,
    RoomsRecorded,
    SetWord,
    StyleChosen,
)
from quizwriter.domain.style_sheet import BuzzGoal, Powers, Spelling, StyleSheet
from quizwriter.domain.tossup_game import FORMATS, Move, MoveKind, Played, PlayedBy, PlayedTossup, Rules, Seat
from quizwriter.services.wiring import App
from tests.fuzz import mutation
from tests.fuzz.target import DATA, Target, packed_seed
from tests.fuzz.targets.database import NEWEST, read_everything

_SEAL_DIGITS = 64

_SET_EVENTS = (
    PutInSet("Spring"),
    Dismissed("double space", "It is meant so.", 1, 0, 4, "This"),
    Dismissed("no accepted answers", "Nobody says that.", 1, in_answer=True),
    StyleChosen(
        "Spring",
        StyleSheet(
            ("spelling",),
            40,
            150,
            40,
            Spelling.BRITISH,
            powers=Powers.EXPECTED,
            buzz_percent=50,
            goal=BuzzGoal(60, "ir"),
        ),
        7,
    ),
    BriefChosen("Spring", (BriefLine(("Science", "Physics"), "a person", "easy", 2), BriefLine(wanted=1)), 8),
    BegunFor("a person", "easy"),
    ClueSourced("A book of trees, page 7", 1, 0, 4, "This", "This is what the book says."),
    BasedOn("2015 Fjord Open, packet 3", "light-1"),
    BuzzGoal(60, "dan"),
    Binned(),
    Binned(False),
    NeverSent("Winter"),
    NameDecided("Novak", NameVerdict.ANOTHER_PERSON),
    OutsideWriter("ada"),
    ArmDrawn("Winter", Arm.HIDDEN, 7),
    SetWord("Spring", "Vadsbru", at_ms=9),
    SetWord("Spring", "Vadsbru", right=False, at_ms=10),
    RoomsRecorded("round 1.qbj", 20, ("0a", "0b", "0c"), (12, 20, 0), (8,)),
    Played(
        "a game",
        1,
        PlayedBy.WINDOW,
        Rules(FORMATS["ACF"], PlayedTossup("0" * 64, 9), (Seat("Ada"),)),
        (Move(MoveKind.READ, 5, 4), Move(MoveKind.BUZZ, 6, 4)),
    ),
)
"""What sets and tossups are given beside their words, once for each kind of event."""


def seal(raw: bytes) -> bytes:
    """``raw``, a pack, with the digest at its end made anew."""
    return raw[:-_SEAL_DIGITS] + hashlib.sha256(raw[:-_SEAL_DIGITS]).hexdigest().encode()


def _zip_comment(raw: bytes, comment: bytes) -> bytes:
    """``raw``, a zip file without a comment, with one."""
    return raw[:-2] + len(comment).to_bytes(2, "little") + comment


class Packs(Target):
    """Packs of others: with ``rows``, their rows behind sound digests, else their members or their bytes."""

    def __init__(self, name: str, *, rows: bool) -> None:
        self.name = name
        self._rows = rows

    def prepare(self, folder: Path) -> None:
        self._home = folder / "home"
        self._home.mkdir()
        (self._home / "quizwriter.db").write_bytes(packed_seed(f"databases/{NEWEST}.db.xz"))
        with App(self._home) as app:
            app.transfer.pack(folder / "new.qwpack")
            app.tossups.summaries()
        with App(shutil.copytree(self._home, folder / "edited")) as app:
            keys = [one.tossup_id for one in app.tossups.summaries()]
            for body in _SET_EVENTS:
                app.review.record(keys, body)
            app.transfer.pack(folder / "edited.qwpack")
        released = [
            (DATA / "packs" / f"{name}.qwpack").read_bytes() for name in ("second", "third", "some", "all")
        ]
        edited = (folder / "edited.qwpack").read_bytes()
        self._seeds = [*released, (folder / "new.qwpack").read_bytes(), edited, edited, edited]

    def make(self, draw: random.Random, case: Path) -> None:
        seed = draw.choice(self._seeds)
        (case / "theirs.qwpack").write_bytes(
            self._of_rows(draw, seed) if self._rows else self._of_bytes(draw, seed)
        )

    def _of_bytes(self, draw: random.Random, seed: bytes) -> bytes:
        if draw.random() < 0.5:
            changed = mutation.raw(draw, seed)
        else:
            comment = seed[seed.rindex(b"PK\x05\x06") + 22 :]
            members = mutation.zip_members(seed)
            name = draw.choice(list(members))
            members[name] = mutation.raw(draw, members[name])
            changed = mutation.zipped(draw, members)
            if draw.random() < 0.9:
                changed = _zip_comment(changed, comment)
        return seal(changed) if draw.random() < 0.8 else changed

    def _of_rows(self, draw: random.Random, seed: bytes) -> bytes:
        comment = seed[seed.rindex(b"PK\x05\x06") + 22 :]
        members = mutation.zip_members(seed)
        tables = [name for name in members if name != "manifest.json"]
        for name in draw.sample(tables, draw.choice((1, 1, len(tables)))):
            members[name] = self._table(draw, members[name])
        manifest = json.loads(members["manifest.json"])
        for name in tables:
            entry = manifest["files"][name]
            content = members[name]
            entry.update(
                sha256=hashlib.sha256(content).hexdigest(), bytes=len(content), lines=content.count(b"\n")
            )
        if draw.random() < 0.05:
            mutation.value(draw, manifest, 1)
        members["manifest.json"] = mutation.dumps(manifest)
        return seal(_zip_comment(mutation.zipped(random.Random(0), members), comment))

    @staticmethod
    def _table(draw: random.Random, content: bytes) -> bytes:
        """The JSON lines ``content`` with rows changed, many of them in ways that a reader has to allow."""
        rows = [json.loads(line) for line in content.splitlines()]
        if not rows:
            return content
        for _ in range(draw.choice((1, 1, 2, 5))):
            at = draw.randrange(len(rows))
            kind = draw.randrange(8)
            if kind == 0:
                rows.insert(at, deepcopy(rows[at]))
            elif kind == 1:
                del rows[at]
                rows = rows or [{}]
            elif kind == 2:  # the same tossup, cut off earlier, so that it forks
                row = rows[at]
                if isinstance(row, dict) and isinstance(row.get("edits"), list):
                    row["edits"] = row["edits"][: draw.randint(0, len(row["edits"]))]
                    written = ""
                    for edit in row["edits"]:
                        if isinstance(edit, list) and len(edit) > 3 and isinstance(edit[1], int):
                            written = (
                                written[: edit[1]] + str(edit[3]) + written[edit[1] + len(str(edit[2])) :]
                            )
                    row["text"] = written
                    asked = row.get("asked")
                    row["asked"] = [
                        one
                        for one in (asked if isinstance(asked, list) else ())
                        if isinstance(one, list)
                        and one
                        and isinstance(one[0], int)
                        and one[0] <= len(row["edits"])
                    ]
                    row["games"], row["events"] = [], []
            elif kind == 3 and isinstance(rows[at], dict) and isinstance(rows[at].get("edits"), list):
                moment = draw.choice((0, 1, 253_402_214_400_000, 62_135_596_800, 4_102_444_800_000))
                for part in ("edits", "asked", "games", "events"):
                    there = rows[at].get(part)
                    for one in there if isinstance(there, list) else ():
                        place = {"edits": 0, "asked": 1, "games": 1, "events": 3}[part]
                        if isinstance(one, list) and len(one) > place:
                            one[place] = moment
            elif kind == 4 and isinstance(rows[at], dict) and _is_filled_list(rows[at].get("events")):
                event = draw.choice(rows[at]["events"])
                rows[at]["events"].append(deepcopy(event))
                mutation.value(draw, rows[at]["events"][-1], 1)
            else:
                found = mutation.value(draw, rows[at])
                rows[at] = found
        return b"".join(mutation.dumps(row) + b"\n" for row in rows)

    def read(self, case: Path) -> None:
        home = shutil.copytree(self._home, case / "home")
        with App(home) as app:
            merged = app.transfer.merge([case / "theirs.qwpack"])
            app.transfer.arrived_tossups(merged)
            read_everything(app, case / "written")
            app.transfer.merge([case / "theirs.qwpack"])


def _is_filled_list(value: object) -> bool:
    return isinstance(value, list) and bool(value)
