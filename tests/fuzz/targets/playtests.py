"""What playtesters send back: their moves and remarks behind a code that is right, or the whole of it."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import FORMATS
from quizwriter.services.wiring import App
from quizwriter.workflow.session import PendingSave
from tests.fuzz import mutation
from tests.fuzz.target import Target

_TOSSUP = Tossup(
    "This fish swims far. (*) For 10 points, name this long fish.",
    Answer("<u>eel</u> [prompt on <u>fish</u>]"),
)
_MOVES = [
    {"kind": "read", "at_ms": 900, "word": 5},
    {"kind": "buzz", "at_ms": 950, "word": 5},
    {"kind": "answer", "at_ms": 2_000, "text": "fish"},
    {"kind": "verdict", "at_ms": 2_000, "said": "prompt", "text": "what kind?"},
    {"kind": "answer", "at_ms": 3_000, "text": "eel"},
    {"kind": "verdict", "at_ms": 3_000, "said": "accept"},
    {"kind": "overrule", "at_ms": 3_500, "seat": 0, "said": "reject"},
    {"kind": "read on", "at_ms": 4_000},
    {"kind": "end", "at_ms": 5_000},
]


class PlaytestResults(Target):
    """Results of a page that was sent from a database, of which each case has a copy."""

    name = "results of playtests"

    def prepare(self, folder: Path) -> None:
        self._home = folder / "home"
        with App(self._home) as app:
            app.store.save(PendingSave.begun("t", _TOSSUP.text, _TOSSUP.answer, 1, "ada"))
            page = app.playtests.page(app.games.tossups(["t"]), FORMATS["mACF"], "Spring", "0a" * 16)
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
        game = {"number": 1, "moves": _MOVES, "felt": "fair", "unfair": "no", "comment": "Nice."}
        self._seed = json.dumps(
            {
                "kind": data["kind"],
                "id": "ab" * 16,
                "name": "Ben",
                "sent": data["sent"],
                "code": data["code"],
                "games": [game],
            }
        ).encode()

    def make(self, draw: random.Random, case: Path) -> None:
        if draw.random() < 0.3:
            found = mutation.raw(draw, self._seed)
        else:
            whole = json.loads(self._seed)
            whole["games"] = mutation.value(draw, whole["games"], draw.choice((1, 1, 2)))
            whole["id"] = f"{draw.getrandbits(128):032x}"
            found = mutation.dumps(whole)
        (case / "results.json").write_bytes(found)

    def read(self, case: Path) -> None:
        home = case / "home"
        shutil.copytree(self._home, home)
        with App(home) as app:
            app.playtests.keep(app.playtests.read(case / "results.json"))
