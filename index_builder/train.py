"""Train a bundle's players: the networks, the ensemble that weighs them, and a buzzer for each.

Networks learn from what the bundle holds. The ensemble and the buzzers need tossups that the networks have
not seen: those the bundle holds back; or, in a bundle of everything, each half of its tossups, played by
networks that a moment before learnt from the other half.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from index_builder.calibration import (
    Told,
    fit_buzzer,
    fit_ensemble,
    fit_types,
    played,
    reliability,
    told,
)
from index_builder.corpus import Corpus
from index_builder.index import write_index
from index_builder.networks import DanLearner, Learner, Lessons, Plan, RnnLearner
from quizwriter.domain.guessing import Guesser
from quizwriter.domain.tossup import Answer, Page, Tossup, page_title
from quizwriter.engine import BUZZERS, ENSEMBLE, NETWORKS, guessers
from quizwriter.engine.bundle import Bundle, add_player, amend, publishing
from quizwriter.engine.ensemble import Ensemble, Types
from quizwriter.engine.neural import Dan, Network
from quizwriter.engine.retrieval import Kind, Retrieval
from quizwriter.errors import QuizwriterError
from quizwriter.questions import BUZZ, DEVELOPMENT

WORK = ".training"
"""The folder beside a bundle's where a training is kept until it is done."""

KEEP_EVERY = 120.0
"""Seconds between two savings of a training."""

CALIBRATED_ON, MEASURED_ON = 4_000, 1_000
"""At most so many tossups are played to fit the ensemble and the buzzers, and to measure."""

SMALL = 5_000
"""A bundle of fewer tossups learns in steps rather than in passes, and in seconds."""

PATIENCE = 3
"""After so many measurements in a row without a better one, a training stops."""

Progress = Callable[[str, float], None]
"""Is told which player is being trained and what share is done, from 0 to 1."""


def train(
    folder: Path,
    players: Sequence[str],
    progress: Progress,
    *,
    vectors: Path | None = None,
    anew: bool = False,
    minutes: float | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Train ``players`` of the bundle at ``folder``, those it has only if ``anew``; what came of each.

    A training that was stopped goes on where it was. ``vectors`` names a text file of word vectors (GloVe,
    word2vec) to start from. ``minutes`` limits each network.

    Raises:
        QuizwriterError: the bundle cannot be used, lacks what a player needs, or the disk is full.
    """
    report: dict[str, Any] = {}
    work = folder.parent / f"{folder.name}{WORK}"
    for name in (name for name in NETWORKS if name in players):
        bundle = Bundle.open(folder)
        if bundle.player(name) is None or anew:
            school = School(bundle, work, vectors, minutes, seed)
            report[name] = school.network(name, progress)
    if ENSEMBLE in players or BUZZERS in players:
        bundle = Bundle.open(folder)
        parts = _parts(bundle, work, minutes, seed, progress)
        if ENSEMBLE in players and (bundle.player(ENSEMBLE) is None or anew):
            report[ENSEMBLE] = _train_ensemble(bundle, parts, seed, progress)
        if BUZZERS in players:
            report[BUZZERS] = _train_buzzers(Bundle.open(folder), parts, seed, progress)
    shutil.rmtree(work, ignore_errors=True)
    return report


class School:
    """Trains the networks of one bundle."""

    def __init__(
        self, bundle: Bundle, work: Path, vectors: Path | None, minutes: float | None, seed: int
    ) -> None:
        self._bundle = bundle
        self._work = work
        self._vectors = vectors
        self._minutes = minutes
        self._seed = seed
        self._retrieval = Retrieval(bundle)
        self._lessons = Lessons.of(bundle)
        self._held = held(bundle, DEVELOPMENT, self._retrieval)[:MEASURED_ON]
        if not len(self._lessons.classes):
            raise QuizwriterError(
                "There is nothing in the bundle that a network could learn from.",
                "Build it from files that hold tossups with their answers.",
            )

    def network(self, name: str, progress: Progress) -> dict[str, Any]:
        """Train the network ``name``, put it into the bundle, and say how it went."""
        learner = self._learner(name)
        resumed = learner.resume(self._work)
        best: tuple[float, dict[str, Any]] | None = None
        worse = 0
        saved = time.monotonic()
        measured = learner.step / learner.steps
        history: list[tuple[float, float]] = []

        def watch(done: float, arrays: Callable[[], dict[str, Any]]) -> bool:
            nonlocal best, worse, saved, measured
            progress(name, done)
            if time.monotonic() - saved > KEEP_EVERY:
                learner.save(self._work)
                saved = time.monotonic()
            if self._held and done - measured > 0.1:
                measured = done
                now = arrays()
                found = self._accuracy(name, now)
                history.append((round(done, 3), round(found, 4)))
                worse = 0 if best is None or found > best[0] else worse + 1
                if not worse:
                    best = found, now
            return worse < PATIENCE

        try:
            learner.learn(watch)
        except BaseException:
            learner.save(self._work)
            raise
        arrays = learner.arrays()
        if best is not None and self._accuracy(name, arrays) < best[0]:
            arrays = best[1]
        about = {
            "directions": 2 if name == "birnn" else 1,
            "classes": len(self._lessons.classes),
            "tossups": learner.draw.tossups,
            "steps": learner.step,
            "seconds": round(learner.spent),
            "seed": self._seed,
            "development": history,
        }
        if self._held or name == "dan":
            learner.save(self._work)  # the RNN starts from the DAN
        add_player(self._bundle.folder, name, arrays, about)
        progress(name, 1.0)
        return {**about, "resumed": resumed}

    def _learner(self, name: str) -> Learner:
        plan = plan_for(name, self._lessons, self._minutes, self._seed)
        if name == "dan":
            return DanLearner(self._lessons, plan, self._vectors)
        dan = DanLearner(self._lessons, plan, self._vectors)
        known = dan.resume(self._work) or dan.adopt(self._bundle.player("dan"))
        return RnnLearner(self._lessons, plan, 2 if name == "birnn" else 1, dan if known else None)

    def _accuracy(self, name: str, arrays: dict[str, Any]) -> float:
        """The share of right first guesses after half and after all of the development tossups."""
        network: Network = NETWORKS[name](arrays, self._retrieval.pages, self._retrieval.titles, name)
        right = 0
        for tossup in self._held:
            half = tossup.heard(len(tossup.words) // 2)
            right += sum(network.first(part) == self._row(tossup) for part in (half, tossup))
        return right / (2 * len(self._held))

    def _row(self, tossup: Tossup) -> int | None:
        return None if tossup.answer is None else self._retrieval.pages.rows.get(tossup.answer.key)


def plan_for(name: str, lessons: Lessons, minutes: float | None, seed: int) -> Plan:
    """How long the network ``name`` learns from ``lessons``, and in what batches."""
    tossups = int(np.count_nonzero(lessons.kinds == Kind.TOSSUP))
    dan = name == "dan"
    if tossups < SMALL:
        plan = Plan(200_000 / max(1, tossups), 5.0 if dan else 9.0, 128, rate=0.2 if dan else 0.1, seed=seed)
    elif dan:
        plan = Plan(24, 15 * 60, 1024, rate=0.2, seed=seed)
    else:
        plan = Plan(12, 90 * 60, 256, rate=0.1, seed=seed)
    if minutes is None:
        return plan
    return Plan(plan.passes, minutes * 60, plan.batch, plan.rate, plan.dense_rate, seed)


def held(bundle: Bundle, fold: str, retrieval: Retrieval) -> list[Tossup]:
    """The tossups of ``fold`` that ``bundle`` holds back, with their answers."""
    texts, folds, pages = (
        bundle.texts("held/texts"),
        bundle.lines("held/folds.txt"),
        bundle.lines("held/pages.txt"),
    )
    return [_tossup(texts[place], pages[place]) for place, found in enumerate(folds) if found == fold]


def _tossup(text: str, page: str) -> Tossup:
    return Tossup(text, Answer(page_title(page), Page(page)))


@dataclass(frozen=True)
class Part:
    """Players, and tossups that none of them has seen."""

    bundle: Bundle
    retrieval: Retrieval
    networks: tuple[Network, ...]
    tossups: tuple[Tossup, ...]

    @property
    def members(self) -> list[Retrieval | Network]:
        """Those the ensemble listens to: the network that reads both ways only where no other does."""
        names = {network.name for network in self.networks}
        return [
            self.retrieval,
            *(one for one in self.networks if one.name != "birnn" or "rnn" not in names),
        ]

    def types(self, arrays: dict[str, Any]) -> Types:
        """The types in ``arrays``, decided by this part's DAN."""
        return Types(arrays, self.dan)

    @property
    def dan(self) -> Dan:
        """The DAN.

        Raises:
            QuizwriterError: there is none.
        """
        for network in self.networks:
            if isinstance(network, Dan):
                return network
        raise QuizwriterError(
            "The ensemble needs the DAN.", "Train it first, or with it: --players dan,ensemble."
        )


def _parts(bundle: Bundle, work: Path, minutes: float | None, seed: int, progress: Progress) -> list[Part]:
    """Two parts: of the buzzer fold, or of everything, each half played by what the other half taught."""
    retrieval = Retrieval(bundle)
    apart = held(bundle, BUZZ, retrieval)
    if apart:
        order = np.random.default_rng(seed).permutation(len(apart))[:CALIBRATED_ON]
        return [_part(bundle, [apart[place] for place in order[half::2].tolist()]) for half in (0, 1)]
    names = [name for name in NETWORKS if bundle.player(name) is not None]
    parts = []
    for half in (0, 1):
        folder = work / f"half{half}"
        tossups = _publish_half(bundle, folder, half)
        school = School(Bundle.open(folder), work / f"work{half}", None, minutes, seed)
        for name in names:
            school.network(name, _in_half(progress, half))
        chosen = np.random.default_rng(seed).permutation(len(tossups))[: CALIBRATED_ON // 2]
        parts.append(_part(Bundle.open(folder), [tossups[place] for place in chosen.tolist()]))
    return parts


def _in_half(progress: Progress, half: int) -> Progress:
    return lambda name, done: progress(f"{name}, half {half + 1}", done)


def _part(bundle: Bundle, tossups: Sequence[Tossup]) -> Part:
    retrieval = Retrieval(bundle)
    networks = [one for one in guessers(bundle, retrieval) if isinstance(one, Network)]
    return Part(bundle, retrieval, tuple(networks), tuple(tossups))


def _publish_half(bundle: Bundle, folder: Path, half: int) -> list[Tossup]:
    """Publish ``bundle`` less every other tossup of each page; those left out."""
    texts, sources = bundle.texts("passages/texts"), bundle.texts("passages/sources")
    kinds = bundle.array("passages/kinds.npy")
    starts = bundle.array("passages/page_starts.npy")
    names = bundle.lines("passages/category_names.txt")
    categories = bundle.array("passages/categories.npy")
    pages = [Page(line) for line in bundle.lines("pages.txt")]
    kept: list[int] = []
    rows: list[int] = []
    counts: list[int] = []
    left_out: list[Tossup] = []
    for row, page in enumerate(pages):
        nth = stay = 0
        for place in range(int(starts[row]), int(starts[row + 1])):
            if kinds[place] == Kind.TOSSUP:
                nth += 1
                if (nth + row) % 2 == half:
                    left_out.append(_tossup(texts[place], page))
                    continue
                stay += 1
            kept.append(place)
            rows.append(row)
        counts.append(stay)
    corpus = Corpus(
        pages=tuple(pages),
        asked=tuple(counts),
        page_rows=tuple(rows),
        kinds=tuple(Kind(int(kinds[place])) for place in kept),
        sources=tuple(sources[place] for place in kept),
        texts=tuple(texts[place] for place in kept),
        categories=tuple(names[categories[place]] for place in kept),
        held=(),
        folds={},
        settled={},
    )
    with publishing(folder, {"title": f"half {half + 1}"}) as writer:
        write_index(corpus, writer, lambda done: None)
    return left_out


def _train_ensemble(bundle: Bundle, parts: Sequence[Part], seed: int, progress: Progress) -> dict[str, Any]:
    """Fit the ensemble on all parts and put it into the bundle."""
    lessons = _lessons_of_ensemble(parts, seed, progress)
    whole = _part(bundle, ())
    layers = fit_ensemble([field for lesson in lessons for field in lesson.fields], seed)
    about = {
        "members": [member.name for member in whole.members],
        "candidates": sum(len(right) for lesson in lessons for _, right in lesson.fields),
        "tossups": sum(len(part.tossups) for part in parts),
    }
    add_player(bundle.folder, ENSEMBLE, {**layers, **fit_types(bundle, whole.dan, seed)}, about)
    progress(ENSEMBLE, 1.0)
    return about


@dataclass(frozen=True)
class EnsembleLesson:
    """What the ensemble can learn from one part: its candidates, by these types."""

    types: dict[str, Any]
    fields: list[Told]


def _lessons_of_ensemble(parts: Sequence[Part], seed: int, progress: Progress) -> list[EnsembleLesson]:
    lessons: list[EnsembleLesson] = []
    for number, part in enumerate(parts):
        same = lessons and part.bundle is parts[0].bundle
        types = lessons[0].types if same else fit_types(part.bundle, part.dan, seed)
        fields = told(
            part.tossups,
            part.members,
            part.types(types),
            part.retrieval.pages,
            part.retrieval.asked,
            seed + number,
            _of_parts(progress, ENSEMBLE, number, len(parts)),
        )
        lessons.append(EnsembleLesson(types, list(fields)))
    return lessons


def _train_buzzers(bundle: Bundle, parts: Sequence[Part], seed: int, progress: Progress) -> dict[str, Any]:
    """Fit a buzzer for every player and say in the manifest how far it can be believed."""
    retrieval = Retrieval(bundle)
    development = held(bundle, DEVELOPMENT, retrieval)[:MEASURED_ON]
    players = guessers(bundle, retrieval)
    strangers = _players_of(parts, seed, progress, ensemble=any(one.name == ENSEMBLE for one in players))
    fitted: dict[str, dict[str, Any]] = {}
    for player in players:
        task = f"{BUZZERS}: {player.name}"
        games = [
            played(of_part[player.name], part.tossups, _of_parts(progress, task, number, len(parts)))
            for number, (part, of_part) in enumerate(zip(parts, strangers, strict=True))
        ]
        buzzer = fit_buzzer([play for game in games for play in game])
        if development:
            found = reliability(buzzer, played(player, development, lambda done: None))
        else:  # each half by the buzzer of the other
            halves = [reliability(fit_buzzer(games[1 - half]), games[half]) for half in (0, 1)]
            error = float(np.mean([half["error"] for half in halves]))
            found = {"error": round(error, 4), "table": halves[0]["table"]}
        fitted[player.name] = {**buzzer.as_json(), "reliability": found}
        progress(task, 1.0)
    amend(bundle.folder, {BUZZERS: fitted})
    return {name: {"worth_it": one["worth_it"], **one["reliability"]} for name, one in fitted.items()}


def _players_of(
    parts: Sequence[Part], seed: int, progress: Progress, *, ensemble: bool
) -> list[dict[str, Guesser]]:
    """For each part its players by name, the ensemble among them fitted on the other part."""
    players: list[dict[str, Guesser]] = []
    for part in parts:
        everyone: list[Guesser] = [part.retrieval, *part.networks]
        players.append({one.name: one for one in everyone})
    lessons = _lessons_of_ensemble(parts, seed, progress) if ensemble else []
    for part, of_part, lesson, other in zip(parts, players, lessons, reversed(lessons), strict=False):
        of_part[ENSEMBLE] = Ensemble(
            {**fit_ensemble(other.fields, seed), **lesson.types},
            part.members,
            part.types(lesson.types),
            part.retrieval.pages,
            part.retrieval.asked,
        )
    return players


def _of_parts(progress: Progress, name: str, number: int, count: int) -> Callable[[float], None]:
    """Progress within part ``number`` of ``count``."""
    return lambda done: progress(name, (number + done) / count)
