"""Question files: JSON lines, QANTA JSON, and tables, plain and packed; articles, bonuses and answer maps."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import shutil
from pathlib import Path

from index_builder.data.readers import read_answer_map, read_articles, read_bonus_parts
from quizwriter.formats.question_files import ReadReport, questions
from quizwriter.services.wiring import App
from tests.fuzz import mutation
from tests.fuzz.target import REPOSITORY, Target, packed_seed, refusal
from tests.fuzz.targets.database import read_everything

_PACKERS = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}


def _seeds() -> list[bytes]:
    tossups = packed_seed("bundles/questions.jsonl.xz").splitlines()[:12]
    examples = (REPOSITORY / "resources" / "examples.jsonl").read_bytes().splitlines()[:4]
    articles = packed_seed("bundles/articles.jsonl.xz").splitlines()[:4]
    bonus = {
        "leadin": "For 10 points each:",
        "tournament": "A tournament",
        "packet": 3,
        "num": 2,
        "parts": [
            {"text": "Name this lake in Siberia, the deepest of all.", "answer": "Lake Baikal [or Baikal]"},
            {"text": "Name the seals that live only in that lake.", "answer_main": "nerpa", "page": "Seal"},
        ],
    }
    dump = [{"index": {"_id": "7"}}, {"title": "Lake Baikal", "text": "It is a lake." * 9, "namespace": 0}]
    whole = {"bestSet": "x", "questions": [json.loads(line) for line in tossups[:6]]}
    keys = [{"key": "baikal", "page": "Lake_Baikal"}, {"key": "lake baikal", "page": "Lake_Baikal"}]
    return [
        b"\n".join([*tossups, b""]),
        b"\n".join(examples),
        b"\r\n".join(articles),
        "\n".join(json.dumps(row) for row in (bonus, bonus, *dump, *keys)).encode(),
        json.dumps(whole).encode(),
        json.dumps(whole["questions"], indent=1).encode(),
        b"\xef\xbb\xbf" + b"\n".join(tossups[:3]),
        b'text,answer,page\n"A text, with a comma, that is long enough.",Lake Baikal,Lake_Baikal\n',
    ]


def _mutated(draw: random.Random, seed: bytes) -> bytes:
    if seed.startswith(b"text,"):
        return mutation.text(draw, seed.decode()).encode("utf-8", "surrogatepass")
    mark = b"\xef\xbb\xbf" if seed.startswith(b"\xef\xbb\xbf") and draw.random() < 0.8 else b""
    try:
        json.loads(seed)
    except ValueError:
        return mark + mutation.json_lines(draw, seed.removeprefix(b"\xef\xbb\xbf"))
    return mutation.json_bytes(draw, seed)


def write_questions(draw: random.Random, seeds: list[bytes], case: Path) -> None:
    """A question file in ``case``, packed or not; now and then one that unpacks to far more."""
    if draw.random() < 0.02:
        kind = draw.choice(sorted(_PACKERS))
        filler = draw.choice((b"[", b"a", b"\n", b'{"text":"', b" ", b"[]\n", b'{"questions":[{"text":"'))
        block = _PACKERS[kind](filler * (16_000_000 // len(filler)))
        (case / f"questions.json.{kind}").write_bytes(block * 16)
        return
    found = _mutated(draw, draw.choice(seeds))
    kind = draw.choice(("", "", "", *sorted(_PACKERS)))
    if kind:
        found = _PACKERS[kind](found)
        if draw.random() < 0.3:
            found = mutation.raw(draw, found)
    (case / f"questions.json{f'.{kind}' if kind else ''}").write_bytes(found)


class QuestionFiles(Target):
    """What reads question files for the builder and for the commands."""

    name = "question files"

    def prepare(self, folder: Path) -> None:
        self._seeds = _seeds()

    def make(self, draw: random.Random, case: Path) -> None:
        write_questions(draw, self._seeds, case)

    def read(self, case: Path) -> None:
        (path,) = case.glob("questions.*")
        for reader in (questions, read_bonus_parts, read_articles, read_answer_map):
            report = ReadReport(str(path))
            with refusal():
                for found in reader(path, report):
                    repr(found).encode()
            json.dumps(report.as_json()).encode()


class Imports(Target):
    """Question files that become drafts in a database."""

    name = "imports"

    def prepare(self, folder: Path) -> None:
        self._seeds = _seeds()
        self._home = folder / "home"
        with App(self._home) as app:
            app.open_database()

    def make(self, draw: random.Random, case: Path) -> None:
        write_questions(draw, self._seeds, case)

    def read(self, case: Path) -> None:
        home = shutil.copytree(self._home, case / "home")
        with App(home) as app:
            app.transfer.import_files(list(case.glob("questions.*")), set_name="A set")
            read_everything(app, case / "written")
