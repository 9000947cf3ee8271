"""Train a bundle's players: the networks, the ensemble that weighs them, and a buzzer for each.

Networks learn from what the bundle holds. The ensemble and the buzzers need tossups that the networks have
not seen: those the bundle holds back; or, in a bundle of everything, each half of its tossups, played by
networks that a moment before learnt from the other half.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from index_builder.calibration import (
    Told,
    fit_buzzer,
    fit_ensemble,
    fit_types,
    reliability,
    told,
)
from index_builder.corpus import Corpus
from index_builder.index import write_index
from index_builder.networks import SHARES, DanLearner, Learner, Lessons, Plan, RnnLearner
from quizwriter.domain.guessing import Playthrough
from quizwriter.domain.tossup import Answer, Page, Tossup, page_title
from quizwriter.engine import BUZZERS, ENSEMBLE, NETWORKS, guessers, trained
from quizwriter.engine.bundle import PLAYERS as PLAYERS_KEPT
from quizwriter.engine.bundle import Bundle, add_player, amend, publishing
from quizwriter.engine.ensemble import AnswerTypes, ClueKinds, Ensemble
from quizwriter.engine.networks import Dan, Network
from quizwriter.engine.retrieval import PassageKind, Retrieval
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import BUZZ, DEVELOPMENT

PLAYERS = ("dan", "rnn", ENSEMBLE, BUZZERS)
"""Who is trained unless it is said otherwise: the one that reads both ways reads anew for every prefix."""

WORK = ".training"
"""The folder beside a bundle's where a training is kept until it is done."""

KEEP_EVERY = 120.0
"""Seconds between two savings of a training."""

CALIBRATED_ON, MEASURED_ON = 3_000, 1_000
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
    """Train ``players`` of the bundle at ``folder``, those it has already only if ``anew``.

    The result says what came of each. An ensemble and buzzers that rest on a network are trained again with
    it. A training that was stopped goes on where it was. ``vectors`` names a text file of word vectors
    (GloVe, word2vec) to start from. ``minutes`` limits each network.

    Raises:
        QuizwriterError: the bundle cannot be used, lacks what a player needs, or the disk is full.
    """
    report: dict[str, Any] = {}
    for name in players:
        progress(name, 0.0)  # so that whoever listens knows how much there is to do
    work = folder.parent / f"{folder.name}{WORK}"
    for name in (name for name in NETWORKS if name in players):
        bundle = Bundle.open(folder)
        if trained(bundle, name) is None or anew:
            school = School(bundle, work, vectors, minutes, seed)
            report[name] = school.network(name, progress)
            _forget_what_rests_on_networks(folder)
    bundle = Bundle.open(folder)
    ensemble = trained(bundle, ENSEMBLE) is not None
    wanted = {
        name for name, there in ((ENSEMBLE, ensemble), (BUZZERS, bundle.about.get(BUZZERS)))
        if name in players and (anew or not there)
    }  # fmt: skip
    try:
        if ENSEMBLE in wanted:
            _ = _part(bundle, ()).dan  # or there is none, which is better said before an hour of games
        if wanted:
            first = ENSEMBLE if ENSEMBLE in wanted else BUZZERS
            parts = _parts(bundle, work, minutes, seed, lambda share: progress(first, 0.5 * share))
            heard = _hear(parts, seed, lambda share: progress(first, 0.5 + 0.4 * share))
            if ENSEMBLE in wanted:
                report[ENSEMBLE] = _train_ensemble(bundle, heard, seed, progress)
            if BUZZERS in wanted or (ENSEMBLE in wanted and BUZZERS in players):
                report[BUZZERS] = _train_buzzers(Bundle.open(folder), heard, seed, progress)
    except QuizwriterError:
        shutil.rmtree(work, ignore_errors=True)  # the networks are in the bundle, and the rest cannot be done
        raise
    shutil.rmtree(work, ignore_errors=True)
    for name in players:
        progress(name, 1.0)
    return report


def _forget_what_rests_on_networks(folder: Path) -> None:
    """Take the ensemble and the buzzers out of the bundle: they were fitted on another network."""
    about = Bundle.open(folder).about
    players = {name: one for name, one in about.get(PLAYERS_KEPT, {}).items() if name != ENSEMBLE}
    amend(folder, {PLAYERS_KEPT: players, BUZZERS: {}})


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
        self._held = held(bundle, DEVELOPMENT)[:MEASURED_ON]
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
        known = dan.resume(self._work) or dan.adopt(trained(self._bundle, "dan"))
        begun = dan if known or self._vectors is not None else None
        learner = RnnLearner(self._lessons, plan, 2 if name == "birnn" else 1, begun)
        learner.adopt(trained(self._bundle, "rnn"))
        return learner

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
    tossups = int(np.count_nonzero(lessons.kinds == PassageKind.TOSSUP))
    dan = name == "dan"
    if tossups < SMALL:  # by steps: a pass is a moment
        steps, batch = (200, 256) if dan else (90, 64)
        passes = steps * batch * SHARES[PassageKind.TOSSUP] / max(1, tossups)
        plan = Plan(passes, 60.0, batch, rate=0.2 if dan else 0.1, seed=seed, units=96)
    elif dan:
        plan = Plan(60, 15 * 60, 1024, rate=0.2, seed=seed)
    else:
        plan = Plan(12, 90 * 60, 256, rate=0.1, seed=seed)
    if minutes is None:
        return plan
    return replace(plan, seconds=minutes * 60)


def held(bundle: Bundle, fold: str) -> list[Tossup]:
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

    def types(self, arrays: dict[str, Any]) -> AnswerTypes:
        """The types in ``arrays``, decided by this part's DAN."""
        return AnswerTypes(arrays, self.dan)

    @property
    def has_dan(self) -> bool:
        """Whether there is a DAN, without which there is no ensemble."""
        return any(isinstance(network, Dan) for network in self.networks)

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


def _parts(
    bundle: Bundle, work: Path, minutes: float | None, seed: int, progress: Callable[[float], None]
) -> list[Part]:
    """Two parts: of the buzzer fold, or of everything, each half played by what the other half taught."""
    apart = held(bundle, BUZZ)
    if apart:
        order = np.random.default_rng(seed).permutation(len(apart))[:CALIBRATED_ON]
        return [_part(bundle, [apart[place] for place in order[half::2].tolist()]) for half in (0, 1)]
    names = [name for name in NETWORKS if trained(bundle, name) is not None]
    parts = []
    for half in (0, 1):
        folder = work / f"half{half}"
        tossups = _publish_half(bundle, folder, half)
        school = School(Bundle.open(folder), work / f"work{half}", None, minutes, seed)

        for number, name in enumerate(names):
            before = half * len(names) + number

            def share(_: str, done: float, before: int = before) -> None:
                progress((before + done) / (2 * len(names)))

            school.network(name, share)
        chosen = np.random.default_rng(seed).permutation(len(tossups))[: CALIBRATED_ON // 2]
        parts.append(_part(Bundle.open(folder), [tossups[place] for place in chosen.tolist()]))
    return parts


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
    left_out: list[Tossup] = []
    for row, page in enumerate(pages):
        nth = 0
        for place in range(int(starts[row]), int(starts[row + 1])):
            if kinds[place] == PassageKind.TOSSUP:
                nth += 1
                if (nth + row) % 2 == half:
                    left_out.append(_tossup(texts[place], page))
                    continue
            kept.append(place)
            rows.append(row)
    corpus = Corpus(
        pages=tuple(pages),
        asked=tuple(bundle.array("pages_asked.npy").tolist()),  # as ever: the ensemble is told of it
        page_rows=tuple(rows),
        kinds=tuple(PassageKind(int(kinds[place])) for place in kept),
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


@dataclass(frozen=True)
class Heard:
    """What the players of a part made of its tossups: their games, and what that tells the ensemble."""

    part: Part
    types: dict[str, Any]
    games: dict[str, list[Playthrough]]
    lessons: list[Told]

    @classmethod
    def of(
        cls, part: Part, types: dict[str, Any] | None, seed: int, progress: Callable[[float], None]
    ) -> Heard:
        """Play every tossup once with everybody; ``types`` are fitted if None."""
        players: list[Retrieval | Network] = [part.retrieval, *part.networks]
        arrays = fit_types(part.bundle, part.dan, seed) if types is None and part.has_dan else types or {}
        games: dict[str, list[Playthrough]] = {player.name: [] for player in players}
        lessons = []
        random = np.random.default_rng(seed)
        for done, tossup in enumerate(part.tossups):
            progress(done / len(part.tossups))
            for player in players:
                games[player.name].append(player.play(tossup))
            if arrays:
                lesson = told(
                    tossup,
                    part.members,
                    ClueKinds(part.retrieval),
                    part.types(arrays),
                    part.retrieval.pages,
                    part.retrieval.asked,
                    random,
                )
                lessons += [lesson] if lesson is not None else []
        return cls(part, arrays, games, lessons)

    def ensemble(self, layers: dict[str, Any]) -> Ensemble:
        """The ensemble of these players with ``layers``."""
        part = self.part
        arrays = {**layers, **self.types}
        return Ensemble(
            arrays,
            part.members,
            ClueKinds(part.retrieval),
            part.types(arrays),
            part.retrieval.pages,
            part.retrieval.asked,
        )


def _hear(parts: Sequence[Part], seed: int, progress: Callable[[float], None]) -> list[Heard]:
    found: list[Heard] = []
    for number, part in enumerate(parts):
        same = found[0].types if found and found[0].part.bundle is part.bundle else None

        def share(done: float, number: int = number) -> None:
            progress((number + done) / len(parts))

        found.append(Heard.of(part, same, seed + number, share))
    return found


def _train_ensemble(bundle: Bundle, heard: Sequence[Heard], seed: int, progress: Progress) -> dict[str, Any]:
    """Fit the ensemble on all parts and put it into the bundle."""
    whole = _part(bundle, ())
    layers = fit_ensemble([lesson for one in heard for lesson in one.lessons], seed)
    types = (
        heard[0].types if heard[0].part.bundle.digest == bundle.digest else fit_types(bundle, whole.dan, seed)
    )
    about = {
        "members": [member.name for member in whole.members],
        "candidates": sum(len(lesson.right) for one in heard for lesson in one.lessons),
        "tossups": sum(len(one.part.tossups) for one in heard),
    }
    add_player(bundle.folder, ENSEMBLE, {**layers, **types}, about)
    progress(ENSEMBLE, 1.0)
    return about


def _train_buzzers(bundle: Bundle, heard: Sequence[Heard], seed: int, progress: Progress) -> dict[str, Any]:
    """Fit a buzzer for every player and say in the manifest how far it can be believed.

    The ensemble's is fitted on the games of ensembles that were fitted on the other part.
    """
    development = held(bundle, DEVELOPMENT)[:MEASURED_ON]
    players = guessers(bundle, Retrieval(bundle))
    games = {
        player.name: [one.games[player.name] for one in heard]
        for player in players
        if player.name != ENSEMBLE
    }
    if any(player.name == ENSEMBLE for player in players):
        games[ENSEMBLE] = []
        for number, one in enumerate(heard):
            ensemble = one.ensemble(fit_ensemble(heard[1 - number].lessons, seed))
            games[ENSEMBLE].append(_played(ensemble, one.part.tossups, number, progress))
    buzzers = {name: fit_buzzer([play for part in parts for play in part]) for name, parts in games.items()}
    if development:  # everybody plays a tossup before the next, so that the ensemble's members remember it
        fresh: dict[str, list[Playthrough]] = {name: [] for name in buzzers}
        for done, tossup in enumerate(development):
            progress(BUZZERS, 0.5 + 0.5 * done / len(development))
            for player in players:
                fresh[player.name].append(player.play(tossup))
        found = {name: reliability(buzzer, fresh[name]) for name, buzzer in buzzers.items()}
    else:
        found = {name: _across(parts) for name, parts in games.items()}
    amend(
        bundle.folder,
        {BUZZERS: {name: {**one.as_json(), "reliability": found[name]} for name, one in buzzers.items()}},
    )
    progress(BUZZERS, 1.0)
    return {name: {"worth_it": one.worth_it, **found[name]} for name, one in buzzers.items()}


def _played(
    ensemble: Ensemble, tossups: Sequence[Tossup], number: int, progress: Progress
) -> list[Playthrough]:
    games = []
    for done, tossup in enumerate(tossups):
        progress(BUZZERS, (number + done / len(tossups)) / 4)
        games.append(ensemble.play(tossup))
    return games


def _across(parts: Sequence[list[Playthrough]]) -> dict[str, Any]:
    """The reliability of each part's games by the buzzer of the other, both together."""
    one, other = (reliability(fit_buzzer(parts[1 - number]), parts[number]) for number in (0, 1))
    return {"error": round((one["error"] + other["error"]) / 2, 4), "table": one["table"]}
