"""The members of bundles that older bundles lack: past questions, indexes of their sentences, aliases."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from quizwriter.domain.page import Page
from quizwriter.domain.past_questions import QuestionFilter, QuestionKind
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.clue_finder import SetSentences
from quizwriter.engine.engine import load
from quizwriter.services.wiring import App
from quizwriter.workflow.answer_notes import lines_sentence
from tests.fuzz import mutation
from tests.fuzz.target import Target, refusal
from tests.fuzz.targets.bundles import seal
from tests.helpers.past_packets import LIGHTHOUSES, past_packets

MEMBERS = ("library/*", "sentences/*", "aliases/*")

_PAGES = ("Gralholm_Light", "Gannet", "Nothing_of_that_name")
_FILTERS = (
    QuestionFilter(),
    QuestionFilter(frozenset({QuestionKind.TOSSUP}), answer="gra", category="geo", tournament="fjord"),
    QuestionFilter(first_year=2011, last_year=2_015, easiest=1, hardest=5),
    QuestionFilter(yours=True),
)


class Libraries(Target):
    """Bundles of others whose past questions, sentences and aliases were changed, digests and all."""

    name = "bundles, past questions"

    def prepare(self, folder: Path) -> None:
        self._seed = past_packets(folder / "seed")
        self._files = [
            path.relative_to(self._seed) for some in MEMBERS for path in sorted(self._seed.glob(some))
        ]
        self._tossup = Tossup(
            f"{LIGHTHOUSES[0]} Gannets are counted there.", Answer("Gralholm Light", Page("Gralholm_Light"))
        )

    def make(self, draw: random.Random, case: Path) -> None:
        folder = shutil.copytree(self._seed, case / "bundle")
        for name in draw.sample(self._files, draw.choice((1, 1, 2, 4))):
            path = folder / name
            raw = path.read_bytes()
            if path.suffix == ".npy" and draw.random() < 0.9:
                raw = mutation.array(draw, raw)
            elif path.suffix == ".txt" and draw.random() < 0.7:
                raw = mutation.text(draw, raw.decode()).encode("utf-8", "surrogatepass")
            else:
                raw = mutation.raw(draw, raw)
            path.write_bytes(raw)
        if draw.random() < 0.95:
            seal(folder, draw)

    def read(self, case: Path) -> None:
        with refusal(), App(case / "home", bundle=case / "bundle") as app:
            engine = load(case / "bundle")
            for page in _PAGES:
                with refusal():
                    repr(app.past.report(engine, page, self._tossup.text))
                with refusal():
                    if engine.library is not None:
                        lines = engine.library.answer_lines(page)
                        lines_sentence(lines, page).encode("utf-8")
            for words in ("oldsund", "seabirds cliffs", '"a diary"', ""):
                for wanted in _FILTERS:
                    with refusal():
                        repr(app.past.search(engine, words, wanted, limit=20))
                        repr(app.past.search(engine, words, wanted, limit=3, start=2))
            with refusal():
                repr(app.clue_lookup.look_up(engine, self._tossup))
            with refusal():
                if engine.clue_finder is not None:
                    others = SetSentences([("t2", "Another", text) for text in LIGHTHOUSES])
                    repr(engine.clue_finder.look_up(self._tossup, others))
            with refusal():
                engine.pages.prepare()
                for typed in ("gra", "gralholm lighthouse", "lighthouse", "a"):
                    repr(engine.pages.complete(typed))
                    repr(engine.pages.meant(typed))
                repr([engine.pages.asked(Page(page)) for page in _PAGES])
