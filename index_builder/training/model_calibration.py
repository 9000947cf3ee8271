"""The fitting of a buzzer to a language model, so that its chances mean what they say.

A language model learns nothing from a bundle, so any of its tossups will do; those held back for
buzzers come first, as for every other player. Each answer is kept in a file beside the bundle at once, so
that a stop loses nothing that was paid for. Tossups that never leave the machine are left out, and the budget
of the writer holds, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from index_builder.data.corpus import bundle_passages
from index_builder.progress import Progress
from index_builder.training.buzzers import fit_buzzer, reliability
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.model_budget import ModelBudget, Spending
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.players import BUZZERS
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.engine.bundle import Bundle, amend
from quizwriter.engine.engine import held_back, model_buzzer_name
from quizwriter.engine.language_model.chat_client import ChatClient, ModelEndpoint
from quizwriter.engine.language_model.guesser import AnswerMemory, LanguageModelGuesser, ModelUse, NoGuesses
from quizwriter.engine.pages import read_pages
from quizwriter.engine.retrieval import PassageKind
from quizwriter.engine.sentence_points import sentence_ends
from quizwriter.errors import BarredError, QuizwriterError
from quizwriter.formats.question_files import BUZZ
from quizwriter.system.decoding import LARGEST_NUMBER, DecodingError, decode_json

ANSWERS_SUFFIX = ".llm-answers.jsonl"
"""Added to the name of a bundle's folder: the file beside it that keeps what language models answered."""

FEWEST = 10
"""From fewer tossups nothing is learned; after so many without a guess, most of all, it is over."""

OTHER_MODEL = "Name another model with --model; what this one answered is kept."


class _KeptAnswer(msgspec.Struct):
    model: str
    digest: str
    body: str


class CalibrationLimits(msgspec.Struct, frozen=True):
    """What holds while a model is asked: ``guard`` raises for a tossup of which nothing may be sent.

    ``day`` is where the spending of a day is counted, and the budget of that day; None: the number of tossups
    is the only limit.
    """

    guard: Callable[[Tossup], object] = lambda tossup: None
    day: tuple[AnswerMemory, ModelBudget] | None = None


class AnswerFile:
    """The answers of language models in a file of JSON lines; a line that was cut off is left out."""

    def __init__(self, path: Path, ledger: AnswerMemory | None) -> None:
        """The answers in ``path``, which need not be there; ``ledger`` counts what a day costs."""
        self._path, self._ledger, self._spent = path, ledger, Spending()
        self._kept: dict[tuple[str, str], str] = {}
        if path.is_file():
            with path.open("rb") as file:
                for line in file:
                    try:
                        one = decode_json(line, _KeptAnswer, most_bytes=1 << 20)
                    except DecodingError:
                        continue
                    self._kept[one.model, one.digest] = one.body

    def find(self, model: str, digest: str) -> str | None:
        return self._kept.get((model, digest))

    def keep(self, model: str, digest: str, body: str) -> None:
        """Keep an answer, on the disk at once."""
        self._kept[model, digest] = body
        try:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(_KeptAnswer(model, digest, body)) + b"\n")
        except OSError as trouble:
            raise QuizwriterError(
                f"An answer could not be written to {self._path} ({trouble.strerror}).",
                "Free some disk space, or allow writing there.",
            ) from trouble

    def spent(self) -> Spending:
        """What was spent in this run."""
        return self._spent

    def reserve(self, most: Spending, budget: ModelBudget) -> str:
        """Count ``most``, also in the ledger of the day, which is the result.

        Raises:
            BudgetExceededError: the day's ``budget`` does not allow it.
        """
        day = "" if self._ledger is None else self._ledger.reserve(most, budget)
        self._spent += most
        return day

    def settle(self, day: str, more: Spending) -> None:
        """Count ``more``, which may be less than nothing."""
        self._spent += more
        if self._ledger is not None:
            self._ledger.settle(day, more)


def calibrate_model(
    folder: Path,
    endpoint: ModelEndpoint,
    tossups: int,
    progress: Progress,
    seed: int,
    limits: CalibrationLimits,
) -> dict[str, Any]:
    """Fit a buzzer to the model of ``endpoint`` on so many ``tossups``, and put it into the bundle.

    The result says how well its chances hold on the half on which it was not fitted, and what was spent.
    """
    bundle = Bundle.open(folder)
    chosen = _sendable(_tossups(bundle, tossups, seed), limits, progress)
    requests = sum(len(sentence_ends(tossup)) for tossup in chosen)
    progress.note(
        f"{endpoint.host} is sent the beginnings of {len(chosen)} past tossups of this bundle in at most "
        f"{requests} requests, and nothing that you wrote. What it answered before is not asked again."
    )
    ledger, budget = limits.day or (None, ModelBudget(LARGEST_NUMBER, LARGEST_NUMBER, 0.0))
    memory = AnswerFile(folder.parent / f"{folder.name}{ANSWERS_SUFFIX}", ledger)
    use = ModelUse(memory, budget, limits.guard)
    guesser = LanguageModelGuesser(
        lambda: ChatClient(endpoint), endpoint.model, endpoint.host, use, read_pages(bundle)
    )
    games: list[Playthrough] = []
    try:
        for done, tossup in enumerate(chosen):
            progress.training(BUZZERS, done / len(chosen))
            try:
                games.append(guesser.play(tossup))
            except NoGuesses as trouble:  # this text would be answered so again: it is left out
                if done + 1 - len(games) >= max(FEWEST, len(games)):
                    raise QuizwriterError(trouble.problem, OTHER_MODEL) from trouble
        if len(games) < min(FEWEST, len(chosen)):
            raise QuizwriterError(
                f"The model has guesses for {len(games)} of {len(chosen)} tossups.", OTHER_MODEL
            )
    finally:
        guesser.close()
    halves = games[::2], games[1::2]
    errors = [reliability(fit_buzzer(halves[1 - at]), halves[at])["error"] for at in (0, 1)]
    found = {"error": round(sum(errors) / 2, 4), "tossups": len(games)}
    if len(games) < len(chosen):
        progress.note(f"The model had no guess for {len(chosen) - len(games)} tossups, which were left out.")
    buzzer = fit_buzzer(games)
    name = model_buzzer_name(endpoint.model)
    entry = {**buzzer.as_json(), "reliability": found}
    amend(folder, {BUZZERS: {**Bundle.open(folder).about.get(BUZZERS, {}), name: entry}})
    progress.training(BUZZERS, 1.0)
    spent = memory.spent()
    return {name: {"worth_it": buzzer.threshold, **found, "requests": spent.requests, "tokens": spent.tokens}}


def _sendable(tossups: list[Tossup], limits: CalibrationLimits, progress: Progress) -> list[Tossup]:
    """Those that may be sent."""
    found = []
    for tossup in tossups:
        try:
            limits.guard(tossup)
        except BarredError:
            continue
        found.append(tossup)
    if len(found) < len(tossups):
        progress.note(
            f"Of {len(tossups)} tossups, {len(tossups) - len(found)} never leave this machine, and are left "
            "out."
        )
    if not found:
        raise QuizwriterError(
            "None of the tossups may be sent: they are of sets that never leave this machine.",
            "Name another bundle, or more tossups with --tossups.",
        )
    return found


def _tossups(bundle: Bundle, count: int, seed: int) -> list[Tossup]:
    """So many tossups with answers: held back for buzzers, else of the bundle itself."""
    draw = np.random.default_rng(seed)
    unseen = held_back(bundle, BUZZ)
    if unseen:
        return [unseen[place] for place in draw.permutation(len(unseen))[:count].tolist()]
    rows = [row for row in bundle_passages(bundle) if row.kind is PassageKind.TOSSUP]
    if len(rows) < FEWEST:
        raise QuizwriterError(
            f"{bundle.folder} has {len(rows)} tossups, from which nothing can be learned about a model.",
            "Build a bundle of more questions.",
        )
    chosen = [rows[place] for place in draw.permutation(len(rows))[:count].tolist()]
    return [Tossup(row.text, Answer(page_title(row.page), Page(row.page))) for row in chosen]
