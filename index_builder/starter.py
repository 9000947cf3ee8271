"""The starter bundle: texts that come with the program, and players that were trained on them for a release.

The texts are indexed at the first start, which takes half a second. To train the players takes minutes:
``make starter`` does it once, and their weights lie beside the texts.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from quizwriter import __version__
from quizwriter.domain.players import BUZZERS, DAN, ENSEMBLE, RNN
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import MANIFEST, PLAYERS, SCHEMA, YOURS, Bundle, BundleWriter
from quizwriter.engine.engine import load
from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_text, atomic_write
from quizwriter.system.extras import TRAINING, require_extra

if TYPE_CHECKING:
    from collections.abc import Callable

    from index_builder.progress import Progress

TITLE = "Starter bundle"

PARTS = "library aliases guides"
"""What this version puts into a bundle beside what every bundle of its schema has."""

SHIPPED = "players.json"
"""The file beside the weights of the shipped players: what a manifest says of them, and their digests."""

SHIPPED_PLAYERS = (DAN, RNN, ENSEMBLE, BUZZERS)

EXAMPLES = 6
"""So many example tossups are played once the players are trained; see :func:`play_examples`."""


def starter_bundle(texts: Path, bundles: Path, *, anew: bool = False) -> Path:
    """The folder of the bundle of the files in ``texts/tossups`` and ``texts/articles``, and its players.

    The bundle is built under ``bundles`` if it is not there. Changed texts, other players, or another
    version of the program make a new bundle; ``anew`` replaces the old one. Players that were trained on
    other texts are left out.
    """
    digest = hashlib.sha256(f"{__version__} {SCHEMA} {PARTS} {corpus_digest(texts)}".encode())
    with suppress(FileNotFoundError):
        digest.update((texts / PLAYERS / SHIPPED).read_bytes())
    folder = bundles / f"starter-{digest.hexdigest()[:12]}"
    if anew or not (folder / MANIFEST).exists():

        def add_players(writer: BundleWriter) -> dict[str, Any]:
            return _add_players(texts, writer)

        _build(texts, folder, extend=add_players)
        _copy_added_packets(folder)
    return folder


def _build(
    texts: Path,
    folder: Path,
    progress: Progress | None = None,
    extend: Callable[[BundleWriter], dict[str, Any]] | None = None,
) -> None:
    # What builds is imported where something is built: most starts of the window find the bundle built.
    from index_builder.build import build
    from index_builder.data.corpus import Inputs
    from index_builder.progress import Progress

    tossups, articles = _files(texts)
    inputs = Inputs(tossups, wiki=articles, everything=True)
    build(inputs, folder, TITLE, progress or Progress(), extend=extend)


def _files(texts: Path) -> tuple[list[Path], list[Path]]:
    """The files of tossups and those of articles that the starter bundle is built from."""
    tossups, articles = (sorted((texts / name).glob("*.jsonl")) for name in ("tossups", "articles"))
    return tossups, articles


def _add_players(texts: Path, writer: BundleWriter) -> dict[str, Any]:
    """Copy the shipped players into the bundle of ``writer``; what its manifest says of them."""
    folder = texts / PLAYERS
    try:
        shipped = json.loads((folder / SHIPPED).read_text(encoding="utf-8"))
        if shipped["corpus"] != corpus_digest(texts):
            return {}  # their weights are for other pages
        for name, about in shipped[PLAYERS].items():
            path = folder / f"{name}.npz"
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                for key in arrays.files:
                    writer.array(f"{about['folder']}/{key}.npy", arrays[key])
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as trouble:
        raise QuizwriterError(
            f"The players that come with QuizWriter cannot be read from {folder}.",
            "Install QuizWriter again.",
        ) from trouble
    return {PLAYERS: shipped[PLAYERS], BUZZERS: shipped[BUZZERS]}


def _copy_added_packets(folder: Path) -> None:
    """Copy the packets that were added to an earlier starter bundle into this new one."""
    others = [one for one in folder.parent.glob("starter-*") if one != folder and (one / YOURS).is_dir()]
    if others and not (folder / YOURS).exists():
        last = max(others, key=lambda one: (one / YOURS).stat().st_mtime)
        with suppress(OSError, shutil.Error):  # the packets stay with the earlier bundle
            shutil.copytree(last / YOURS, folder / YOURS)


def train_starter(texts: Path, examples: Path, progress: Progress) -> None:
    """Train the players of the starter bundle on ``texts``, and put their weights into ``texts/players``.

    The same texts give the same bytes on one machine. ``examples`` is a file of tossups that nobody learns
    from.
    """
    require_extra("train", TRAINING)
    from index_builder.training.trainer import TrainingOptions, train

    # What may change the last digits is the same everywhere: no limit of time, no graphics card, one thread.
    options = TrainingOptions(minutes=math.inf, device="cpu", threads=1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "bundle"
        _build(texts, folder, progress)
        train(folder, SHIPPED_PLAYERS, progress, options=options)
        bundle = Bundle.open(folder)
        shipped = {
            "corpus": corpus_digest(texts),
            "first steps": first_steps(texts),
            "games": play_examples(folder, examples),
            BUZZERS: bundle.about[BUZZERS],
            PLAYERS: {name: _write_weights(bundle, name, texts / PLAYERS) for name in bundle.players},
        }
    with atomic_text(texts / PLAYERS / SHIPPED) as file:
        file.write(json.dumps(shipped, indent=1, ensure_ascii=False) + "\n")


def _write_weights(bundle: Bundle, name: str, folder: Path) -> dict[str, Any]:
    """Write the weights of the player ``name`` into ``folder``; what a manifest says of it, without times."""
    trained = bundle.player(name)
    assert trained is not None
    with atomic_write(folder / f"{name}.npz", make_folder=True) as file:
        np.savez_compressed(file, allow_pickle=False, **trained[0])
    about = bundle.about[PLAYERS][name]
    return {key: value for key, value in about.items() if key != "seconds"}


def corpus_digest(texts: Path) -> str:
    """A digest of the texts that the starter bundle is built from."""
    digest = hashlib.sha256()
    tossups, articles = _files(texts)
    for path in (*tossups, *articles):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def first_steps(texts: Path) -> dict[str, dict[str, float]]:
    """The weights of each network after the first steps of its training: the mean size of each array.

    They are other ones as soon as the code that trains does anything else, and take seconds.
    """
    require_extra("train", TRAINING)
    from index_builder.progress import Progress
    from index_builder.training.trainer import TrainingOptions, standard_plan, train

    options = TrainingOptions(
        minutes=math.inf,
        device="cpu",
        threads=1,
        plan_for=lambda *wanted: replace(standard_plan(*wanted), passes=standard_plan(*wanted).passes / 50),
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "bundle"
        _build(texts, folder)
        train(folder, (DAN, RNN), Progress(), options=options)
        bundle = Bundle.open(folder)
        found = {}
        for name, one in bundle.about[PLAYERS].items():
            trained = bundle.player(name)
            assert trained is not None
            sizes = {
                key: float(np.abs(array.astype(np.float64)).mean())
                for key, array in trained[0].items()
                if array.size
            }
            found[name] = {"steps": float(one["steps"]), **sizes}
    return found


def play_examples(folder: Path, examples: Path) -> dict[str, list[tuple[str, float]]]:
    """The games of the players in the bundle ``folder`` on the first tossups of the file ``examples``.

    For each player: its first guess and the chance of it, after half of each tossup and after all of it. The
    same weights play otherwise where the code that plays has changed what they mean.
    """
    rows = map(json.loads, examples.read_text(encoding="utf-8").splitlines()[:EXAMPLES])
    whole = [Tossup(row["text"]) for row in rows]
    heard = [tossup.heard(count) for tossup in whole for count in (len(tossup.words) // 2, len(tossup.words))]
    found = {}
    for player in load(folder).players:
        plays = [player.play(tossup) for tossup in heard]
        found[player.name] = [(str(play.final[0].page), round(play.chances[-1], 3)) for play in plays]
    return found
