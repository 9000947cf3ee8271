"""Bundles: manifest, arrays and texts with digests made anew; then loaded, played and added to."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from pathlib import Path

import numpy as np

from index_builder.data.encyclopedia import article_titles
from index_builder.user_packets import add_packets, added_packets, refresh_index, remove_packets
from quizwriter.domain.page import Page
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import add_player, amend
from quizwriter.engine.engine import load
from tests.fuzz import mutation
from tests.fuzz.target import Target, refusal, unpack_seed
from tests.helpers.forest import in_the_forest

_TEXTS = ("txt", "utf8")


def seal(folder: Path, draw: random.Random) -> None:
    """Make the digests in the manifest of the bundle ``folder`` anew, as far as it still is a manifest."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
        for name, entry in manifest["files"].items():
            raw = (folder / name).read_bytes()
            entry["bytes"], entry["sha256"] = len(raw), hashlib.sha256(raw).hexdigest()
        path.write_bytes(
            json.dumps(manifest, ensure_ascii=bool(draw.randrange(2))).encode("utf-8", "surrogatepass")
        )
    except (ValueError, TypeError, KeyError, AttributeError, OSError, RecursionError):
        pass


class Bundles(Target):
    """Bundles of others, with all kinds of players; in some of them, packets were added."""

    name = "bundles"

    def prepare(self, folder: Path) -> None:
        plain = unpack_seed("bundles/3-31848ef.tar.xz", folder / "plain")
        added = shutil.copytree(plain, folder / "added")
        packet = folder / "mine.txt"
        packet.write_text(
            "1. This lake is the deepest of all. For 10 points, name this lake.\nANSWER: Lake Baikal\n\n"
            "2. The author of Emma wrote this novel, too. For 10 points, name it.\nANSWER: Mansfield Park\n",
            encoding="utf-8",
        )
        add_packets(added, [packet])
        older = unpack_seed("bundles/2-74a8029.tar.xz", folder / "older")
        self._seeds = [plain, plain, plain, added, older]
        pages = (plain / "pages.txt").read_text(encoding="utf-8").splitlines()
        texts = (plain / "passages" / "texts.utf8").read_bytes().decode("utf-8", "replace")
        self._tossup = Tossup(f"{texts[:300]} {in_the_forest('Alder', 3)}", Answer(pages[0], Page(pages[0])))

    def make(self, draw: random.Random, case: Path) -> None:
        folder = case / "bundle"
        shutil.copytree(draw.choice(self._seeds), folder)
        inside = sorted(folder.glob("yours/**/manifest.json"))
        part = draw.choice(inside).parent if inside and draw.random() < 0.7 else folder
        if draw.random() < 0.3:
            path = part / "manifest.json"
            manifest = json.loads(path.read_bytes())
            if draw.random() < 0.7:  # what the manifest says beside its files
                said = {key: value for key, value in manifest.items() if key != "files"}
                found = mutation.value(draw, said)
                manifest = {"files": manifest["files"], **found} if isinstance(found, dict) else manifest
            else:
                manifest = mutation.value(draw, manifest)
            path.write_bytes(mutation.dumps(manifest))
        else:
            files = [
                path for path in sorted(part.rglob("*")) if path.is_file() and path.name != "manifest.json"
            ]
            for path in draw.sample(files, min(len(files), draw.choice((1, 1, 2, 4)))):
                raw = path.read_bytes()
                if path.suffix == ".npy":
                    raw = mutation.array(draw, raw)
                elif path.suffix == ".json":
                    raw = mutation.json_bytes(draw, raw)
                else:
                    raw = mutation.raw(draw, raw)
                path.write_bytes(raw)
        if draw.random() < 0.92:
            seal(part, draw)

    def read(self, case: Path) -> None:
        folder = case / "bundle"
        for trouble in refresh_index(folder):
            str(trouble).encode("utf-8")
        with refusal():
            engine = load(folder)
            engine.title.encode("utf-8")
            for player in engine.players:
                with refusal():
                    play = player.play(self._tossup)
                    repr(play)
                    pages = [guess.page for row in play.rows[-1:] for guess in row][:2]
                    for page in (*pages, self._tossup.answer.page, Page("Nothing_of_that_name")):
                        with refusal():
                            repr(player.guesser.explain(self._tossup, page))
                    with refusal():
                        repr(player.guesser.explain(self._tossup, self._tossup.answer.page, exact=True))
            with refusal():
                list(engine.retrieval.similar_past_tossups(self._tossup))
            with refusal():
                engine.pages.find("Lake Baikal"), engine.pages.complete("L")
        with refusal():
            article_titles(folder, 5)
        with refusal():
            found, troubles = added_packets(folder)
            repr(found), repr(troubles)
            for one in found[:1]:
                remove_packets(folder, one.name)
        with refusal():
            amend(folder, {"buzzers": {}})
        with refusal():
            add_player(folder, "dan", {"scales": np.zeros(3, np.float32)}, {"scale": 1.0})
