"""Challenge sets with digests made anew, and the files that an editor keeps for the next release."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from pathlib import Path

from quizwriter.challenge.metadata import Ledger, SetMetadata, WithdrawnQuestions, version_after
from quizwriter.challenge.privacy import Pseudonyms
from quizwriter.challenge.retraction import retract
from quizwriter.challenge.verify import verify
from quizwriter.formats.histories import RELEASED_HISTORIES, released_histories
from quizwriter.formats.question_files import withdrawn_beside
from quizwriter.services.wiring import App
from quizwriter.store.plays import PlayCache
from quizwriter.workflow.history_analysis import History
from tests.fuzz import mutation
from tests.fuzz.target import Target, packed_seed, refusal, unpack_seed
from tests.fuzz.targets.database import NEWEST

MANIFEST, SUMS = "MANIFEST.json", "SHA256SUMS"


def _home(folder: Path) -> Path:
    unpack_seed("challenge/home.tar.xz", folder)
    (folder / "quizwriter.db").write_bytes(packed_seed(f"databases/{NEWEST}.db.xz"))
    with App(folder) as app:
        app.open_database()
    return folder


class ChallengeSets(Target):
    """Challenge sets of others: verified, taken as an earlier version, and retracted from."""

    name = "challenge sets"

    def prepare(self, folder: Path) -> None:
        self._home = _home(folder / "home")
        shutil.rmtree(self._home / "plays", ignore_errors=True)
        unpack_seed("challenge/sets.tar.xz", folder / "sets")
        unpack_seed("challenge/later_sets.tar.xz", folder / "sets")
        self._bundle = unpack_seed("bundles/3-31848ef.tar.xz", folder / "bundle")
        self._seeds = sorted((folder / "sets").iterdir())
        with App(self._home, bundle=self._bundle) as app:  # what plots is imported now, and not within a case
            assert not verify(app, folder / "sets" / "schema-3").problems

    def make(self, draw: random.Random, case: Path) -> None:
        folder = case / "set"
        shutil.copytree(draw.choice(self._seeds), folder)
        for path in folder.glob("plays.jsonl"):  # a game of each question, so that a case takes little time
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:6]))
        names = sorted(path.name for path in folder.iterdir() if path.name != SUMS)
        for name in draw.sample(names, draw.choice((1, 1, 2))):
            path = folder / name
            raw = path.read_bytes()
            if name.endswith(".json"):
                raw = mutation.json_bytes(draw, raw)
            elif name.endswith(".jsonl"):
                raw = mutation.json_lines(draw, raw)
            elif name.endswith((".csv", ".md", ".txt")):
                raw = mutation.text(draw, raw.decode()).encode("utf-8", "surrogatepass")
            else:
                raw = mutation.raw(draw, raw)
            path.write_bytes(raw)
        if draw.random() < 0.85:
            self._seal(folder)

    @staticmethod
    def _seal(folder: Path) -> None:
        """Make both lists of digests anew, as far as the manifest still is one."""
        sums = {}
        try:
            manifest = json.loads((folder / MANIFEST).read_bytes())
            for name, entry in manifest["files"].items():
                raw = (folder / name).read_bytes()
                entry["bytes"], entry["sha256"] = len(raw), hashlib.sha256(raw).hexdigest()
            (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        except (ValueError, TypeError, KeyError, AttributeError, OSError, RecursionError):
            pass
        for path in sorted(folder.iterdir()):
            if path.name != SUMS:
                sums[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        (folder / SUMS).write_text("".join(f"{one}  {name}\n" for name, one in sums.items()))

    def read(self, case: Path) -> None:
        home = shutil.copytree(self._home, case / "home")
        folder = case / "set"
        with App(home, bundle=self._bundle) as app:
            with refusal():
                report = verify(app, folder)
                "\n".join([*report.problems, *report.notes]).encode("utf-8")
            with refusal():
                version_after(folder).encode()
            with refusal():
                withdrawn_beside(folder / "questions.json")
            with refusal():
                for one in released_histories(folder / RELEASED_HISTORIES):
                    with refusal():
                        history = History(one.changes(), one.plays({}), one.answer_changes())
                        repr((history.attempts, history.runs))
            with refusal():
                key = Pseudonyms.load(home / "pseudonyms.key")
                repr(Ledger.of_release(folder, 0, key))
            with refusal():
                questions = json.loads((folder / "questions.json").read_bytes()) if _is_sound(folder) else {}
                ids = [str(row["qanta_id"]) for row in questions.get("quizwriter", [])][:1]
                retract(app, folder, ids or ["1"], "A reason.", case / "next")


def _is_sound(folder: Path) -> bool:
    try:
        rows = json.loads((folder / "questions.json").read_bytes())["quizwriter"]
        return bool(rows) and all(isinstance(row["qanta_id"], int) for row in rows)
    except (ValueError, TypeError, KeyError, OSError, RecursionError):
        return False


class ReleaseFiles(Target):
    """The files of a home from which challenge sets are released."""

    name = "release files"

    def prepare(self, folder: Path) -> None:
        self._home = _home(folder / "home")

    def make(self, draw: random.Random, case: Path) -> None:
        home = shutil.copytree(self._home, case / "home")
        files = [home / "challenge.toml", home / "pseudonyms.key", *sorted(home.glob("challenge/*.json"))]
        path = draw.choice([*files, files[0], *sorted(home.glob("plays/*"))])
        raw = path.read_bytes()
        if path.suffix == ".json":
            raw = mutation.json_bytes(draw, raw)
        elif path.suffix == ".jsonl":
            raw = mutation.json_lines(draw, raw)
        elif draw.random() < 0.7:
            raw = mutation.text(draw, raw.decode()).encode("utf-8", "surrogatepass")
        else:
            raw = mutation.raw(draw, raw)
        path.write_bytes(raw)

    def read(self, case: Path) -> None:
        home = case / "home"
        with refusal():
            said = SetMetadata.read(home / "challenge.toml")
            said.slug.encode()
            said.write(case / "again.toml")
            assert SetMetadata.read(case / "again.toml").title == said.title
        with refusal():
            key = Pseudonyms.load(home / "pseudonyms.key")
            key.of("ada")
            with refusal():
                repr(WithdrawnQuestions.read(home, key))
            for path in home.glob("challenge/*.json"):
                with refusal():
                    Ledger.read(path, 0, key).save(path, {}, {}, {}, key)
        with refusal():
            PlayCache(home).close()
