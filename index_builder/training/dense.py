"""The dense player of a bundle: the vectors of its passages, and its buzzer.

The encoder is copied into the bundle. The vectors are saved piece by piece beside it, so that the same
command goes on after a stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from index_builder.data.encoder_folder import EncoderFiles, read_encoder
from index_builder.progress import Progress
from index_builder.training.buzzers import fit_buzzer, reliability
from index_builder.training.learner import usable_cores
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.players import BUZZERS, DENSE
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import Bundle, add_player, amend
from quizwriter.engine.dense import EMBEDDINGS, MODEL, TOKENIZER, quantized
from quizwriter.engine.engine import dense_guesser, held_back
from quizwriter.engine.retrieval import PassageKind, Retrieval
from quizwriter.engine.sentence_encoder import SentenceEncoder
from quizwriter.engine.sentence_points import sentence_ends, share_points
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import BUZZ, DEVELOPMENT
from quizwriter.system.atomic import atomic_write

AT_ONCE = 1_024
"""Passages between two savings."""

CALIBRATED_ON, MEASURED_ON = 300, 300
"""At most so many tossups are played to fit the buzzer, and to measure."""

_EMBEDDING = 0.8  # the share of the work that is not playing


def train_dense(
    folder: Path, encoder_folder: Path, work: Path, progress: Progress, *, anew: bool, seed: int
) -> dict[str, Any]:
    """Embed the passages of the bundle at ``folder``, and fit the buzzer of the player that searches them.

    ``work`` is where vectors are saved until all are there. A player of the same encoder stays as it is,
    unless ``anew``. The result is a report.
    """
    files = read_encoder(encoder_folder)
    bundle = Bundle.open(folder)
    before = bundle.players.get(DENSE)
    buzzers = bundle.about.get(BUZZERS) or {}
    passages = len(bundle.stored("passages/kinds.npy"))
    about = {"encoder": msgspec.to_builtins(files.about), "passages": passages}
    if before is None or before.encoder != files.about or anew:
        vectors = _embedded(bundle, files, work / f"{DENSE}-{files.about.digest[:12]}", progress)
        amend(folder, {BUZZERS: {name: one for name, one in buzzers.items() if name != DENSE}})
        add_player(
            folder,
            DENSE,
            {EMBEDDINGS: vectors},
            about,
            files={MODEL: files.model, TOKENIZER: files.tokenizer},
        )
    elif DENSE in buzzers:
        return {"passages": passages, "encoder": files.about.title}
    found = fit_dense_buzzer(folder, seed, progress)
    progress.training(DENSE, 1.0)
    return {**about, **found}


def _embedded(bundle: Bundle, files: EncoderFiles, work: Path, progress: Progress) -> npt.NDArray[np.int8]:
    """The vectors of all passages: ``[passages, width]``."""
    encoder = files.encoder(usable_cores())
    texts = bundle.texts("passages/texts")
    if not len(texts):
        raise QuizwriterError(f"{bundle.folder} has no passages.", "Build it from files that hold tossups.")
    found = []
    for start in range(0, len(texts), AT_ONCE):
        progress.training(DENSE, _EMBEDDING * start / len(texts))
        some = [texts[number] for number in range(start, min(start + AT_ONCE, len(texts)))]
        found.append(_piece(work / f"{bundle.digest[:12]}-{start}.npy", some, encoder))
    return np.concatenate(found)


def _piece(path: Path, texts: Sequence[str], encoder: SentenceEncoder) -> npt.NDArray[np.int8]:
    """The vectors of ``texts``, from ``path`` if they were saved there."""
    shape = len(texts), encoder.about.width
    try:
        saved = np.load(path, allow_pickle=False)
        if saved.shape == shape and saved.dtype == np.int8:
            return np.asarray(saved, np.int8)
    except (OSError, ValueError, EOFError):  # there is none, or it is damaged
        pass
    vectors = quantized(encoder.encode_passages(texts))
    with atomic_write(
        path,
        problem=f"The vectors could not be saved in {path.parent}",
        remedy="Free some disk space or allow writing there; the same command continues from there.",
        make_folder=True,
    ) as file:
        np.save(file, vectors, allow_pickle=False)
    return vectors


def fit_dense_buzzer(folder: Path, seed: int, progress: Progress) -> dict[str, Any]:
    """Fit the buzzer of the dense player on tossups, none of which it finds itself among the passages.

    They are held back for buzzers; in a bundle of everything they are its own, and each is played as if it
    were not there. The result says how well the chances hold on the half that they were not fitted on, and
    which share of the development fold is right after half and after all.
    """
    bundle = Bundle.open(folder)
    dense = dense_guesser(bundle, Retrieval(bundle))
    assert dense is not None
    at_ends = dense.asked_after(sentence_ends, usable_cores())
    at_halves = dense.asked_after(share_points((50, 100)), usable_cores())
    chosen = _tossups(bundle, seed)
    development = held_back(bundle, DEVELOPMENT)[:MEASURED_ON]
    work = len(chosen) + len(development)
    games: list[Playthrough] = []
    for done, (tossup, own) in enumerate(chosen):
        progress.training(DENSE, _EMBEDDING + (1 - _EMBEDDING) * done / work)
        games.append(at_ends.play(tossup, without=own))
    halves = games[::2], games[1::2]
    errors = [reliability(fit_buzzer(halves[1 - at]), halves[at])["error"] for at in (0, 1)]
    buzzer = fit_buzzer(games)
    found: dict[str, Any] = {"error": round(sum(errors) / 2, 4), "tossups": len(games)}
    if development:
        right = np.zeros(2)
        for done, tossup in enumerate(development, start=len(chosen)):
            progress.training(DENSE, _EMBEDDING + (1 - _EMBEDDING) * done / work)
            play = at_halves.play(tossup)
            right += [play.right[0], play.right[-1]] if play.rows else [False, False]
        half, end = (right / len(development)).round(4).tolist()
        found["development"] = {"half": half, "end": end, "tossups": len(development)}
        progress.measured(DENSE, half, end)
    kept = {name: one for name, one in (bundle.about.get(BUZZERS) or {}).items() if name != DENSE}
    amend(folder, {BUZZERS: {**kept, DENSE: {**buzzer.as_json(), "reliability": found}}})
    return {"worth_it": buzzer.threshold, **found}


def _tossups(bundle: Bundle, seed: int) -> list[tuple[Tossup, int | None]]:
    """The tossups to play, and the number of the passage that is the tossup itself, if any is."""
    draw = np.random.default_rng(seed)
    unseen = held_back(bundle, BUZZ)
    if unseen:
        order = draw.permutation(len(unseen))[:CALIBRATED_ON]
        return [(unseen[place], None) for place in order.tolist()]
    texts, pages = bundle.texts("passages/texts"), bundle.lines("pages.txt")
    starts = bundle.array("passages/page_starts.npy")
    numbers = np.flatnonzero(bundle.array("passages/kinds.npy") == PassageKind.TOSSUP)
    found: list[tuple[Tossup, int | None]] = []
    for number in draw.permutation(numbers)[:CALIBRATED_ON].tolist():
        page = Page(pages[int(np.searchsorted(starts, number, side="right")) - 1])
        found.append((Tossup(texts[number], Answer(page_title(page), page)), number))
    return found
