"""Train a bundle's players: the networks, the ensemble that orders their guesses, and a buzzer for each.

Networks learn from what the bundle holds. The ensemble and the buzzers need tossups that the networks have
not seen; :mod:`index_builder.training.calibration_parts` finds them.
"""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from msgspec.structs import replace
from threadpoolctl import threadpool_limits

from index_builder.progress import Progress
from index_builder.training import saved_training
from index_builder.training.buzzers import fit_buzzer, reliability, reliability_report
from index_builder.training.calibration_parts import (
    CalibrationPart,
    PlayedPart,
    fit_answers,
    play_parts,
    write_halves,
)
from index_builder.training.distractor import DistractorPlan, train_distractor
from index_builder.training.ensemble import fit_ensemble
from index_builder.training.learner import (
    DevelopmentCurve,
    Learner,
    LearningTask,
    TrainingPlan,
    chosen_device,
    network_training,
    usable_cores,
)
from index_builder.training.page_classifier import NetworkSize
from index_builder.training.training_set import BATCH_SHARES, Arrays, TrainingSet
from quizwriter.domain.guessing import Playthrough, Reliability
from quizwriter.domain.players import BUZZERS, DENSE, DISTRACTOR, ENSEMBLE, networks, player_kind
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import PLAYERS as PLAYERS_IN_MANIFEST
from quizwriter.engine.bundle import Bundle, add_player, amend
from quizwriter.engine.dense import PLAYING
from quizwriter.engine.engine import (
    guessers,
    has_own_buzzers,
    held_back,
    network_class,
    separate_buzzers,
    trained,
)
from quizwriter.engine.ensemble import Ensemble
from quizwriter.engine.retrieval import PassageKind, Retrieval
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import BUZZ, DEVELOPMENT
from quizwriter.system.extras import require_extra

WORK_SUFFIX = ".training"
"""Added to the name of a bundle's folder: the folder beside it where a training is saved until it is done."""

CALIBRATED_ON, MEASURED_ON = 5_000, 1_000
"""At most so many tossups are played to fit the ensemble and the buzzers, and to measure."""

SMALL_BUNDLE = 5_000
"""A bundle of fewer tossups is trained for a number of steps rather than of passes, and in seconds."""

MEASURED_EVERY = 0.1
"""The share of a training from one measurement on the development fold to the next."""

PATIENCE = 3
"""A training stops after so many measurements in a row without a better one."""

PlanFor = Callable[[str, TrainingSet, float | None, int], TrainingPlan]
"""Makes the plan of a training from the name of the network, what it learns from, minutes and seed."""


def standard_plan(name: str, training_set: TrainingSet, minutes: float | None, seed: int) -> TrainingPlan:
    """How long the network ``name`` learns from ``training_set``, and in what batches."""
    tossups = int(np.count_nonzero(training_set.kinds == PassageKind.TOSSUP))
    schedule = network_training(name).schedule
    if tossups < SMALL_BUNDLE:
        drawn = schedule.small_steps * schedule.small_batch * BATCH_SHARES[PassageKind.TOSSUP]
        plan = TrainingPlan(
            drawn / max(1, tossups),
            math.inf,
            schedule.small_batch,
            rate=schedule.small_rate,
            seed=seed,
            size=NetworkSize(units=96),
        )
    else:
        plan = TrainingPlan(schedule.passes, math.inf, schedule.batch, rate=schedule.rate, seed=seed)
    return plan if minutes is None else replace(plan, seconds=minutes * 60)


class TrainingOptions(msgspec.Struct, frozen=True):
    """How players are trained.

    ``encoder`` is the folder of the sentence encoder of the dense player. ``vectors`` names a text file of
    word vectors (GloVe, word2vec) to start from. ``minutes`` limits each network. ``plan_for`` says how large
    a network is and how long it learns; :func:`standard_plan` if None. ``device`` is ``cpu``, ``cuda``,
    ``mps`` or ``auto``, the best there is; ``threads`` counts those on the processor: another number changes
    the last digits of what is learnt.
    """

    vectors: Path | None = None
    encoder: Path | None = None
    minutes: float | None = None
    seed: int = 0
    plan_for: PlanFor | None = None
    distractor: DistractorPlan = msgspec.field(default_factory=DistractorPlan)
    device: str = "auto"
    threads: int | None = None


_USUAL_OPTIONS = TrainingOptions()


def train(
    folder: Path,
    players: Sequence[str],
    progress: Progress,
    *,
    anew: bool = False,
    options: TrainingOptions = _USUAL_OPTIONS,
) -> dict[str, Any]:
    """Train ``players`` of the bundle at ``folder``, those it has already only if ``anew``.

    The result has a report for each. An ensemble and buzzers that were fitted on a network are trained again
    with it. A training that was stopped goes on where it was.
    """
    options = replace(options, device=chosen_device(options.device))
    threads = options.threads or usable_cores()
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        return _train(folder, players, progress, anew, options)
    finally:
        torch.set_num_threads(before)


def _train(
    folder: Path, players: Sequence[str], progress: Progress, anew: bool, options: TrainingOptions
) -> dict[str, Any]:
    report: dict[str, Any] = {}
    if DENSE in players:
        require_extra(DENSE, PLAYING)  # before an hour of training, not after it
        if options.encoder is None:
            raise QuizwriterError(
                "The dense player needs a sentence encoder.", "Name the folder of one with --encoder."
            )
    for name in players:
        progress.training(name, 0.0)  # says how much there is to do
    work = folder.parent / f"{folder.name}{WORK_SUFFIX}"
    learning = [
        kind.name for kind in networks()
        if kind.name in players and (anew or trained(Bundle.open(folder), kind.name) is None)
    ]  # fmt: skip
    if learning:
        progress.note(device_line(options.device))
        trainer = NetworkTrainer(folder, work, options)
        for name in learning:
            report[name] = trainer.train(name, progress)
    bundle = Bundle.open(folder)
    if DISTRACTOR in players and (anew or DISTRACTOR not in bundle.players):
        report[DISTRACTOR] = _train_distractor(folder, work, options, progress)
        bundle = Bundle.open(folder)
    ensemble = trained(bundle, ENSEMBLE) is not None
    wanted = {
        name for name, there in ((ENSEMBLE, ensemble), (BUZZERS, has_own_buzzers(bundle.about)))
        if name in players and (anew or not there)
    }  # fmt: skip
    try:
        if ENSEMBLE in wanted:
            CalibrationPart.of(bundle, ()).require_several()  # before an hour of games, not after it
        if wanted:
            first = ENSEMBLE if ENSEMBLE in wanted else BUZZERS
            parts = _calibration_parts(
                bundle, work, options, lambda share: progress.training(first, 0.5 * share)
            )
            with_buzzers = BUZZERS in wanted or (ENSEMBLE in wanted and BUZZERS in players)
            with threadpool_limits(1, "blas"):  # a second thread waits more than it works: games are small
                played = play_parts(
                    parts,
                    options.seed,
                    lambda share: progress.training(first, 0.5 + 0.4 * share),
                    ensemble=with_buzzers and (ensemble or ENSEMBLE in wanted),
                )
                if ENSEMBLE in wanted:
                    report[ENSEMBLE] = _train_ensemble(bundle, played, options.seed)
                    progress.training(ENSEMBLE, 1.0)
                if with_buzzers:
                    report[BUZZERS] = _train_buzzers(Bundle.open(folder), played, options.seed, progress)
    except QuizwriterError:
        shutil.rmtree(work, ignore_errors=True)  # the networks are in the bundle, the rest cannot be trained
        raise
    if DENSE in players and options.encoder is not None:
        from index_builder.training.dense import train_dense  # here, as few have the extra

        report[DENSE] = train_dense(folder, options.encoder, work, progress, anew=anew, seed=options.seed)
    shutil.rmtree(work, ignore_errors=True)
    for name in players:
        progress.training(name, 1.0)
    return report


def _train_distractor(
    folder: Path, work: Path, options: TrainingOptions, progress: Progress
) -> dict[str, Any]:
    seconds = math.inf if options.minutes is None else options.minutes * 60
    plan = replace(options.distractor, seed=options.seed, seconds=seconds)
    return train_distractor(
        folder,
        work,
        plan,
        lambda share: progress.training(DISTRACTOR, min(1.0, share)),
        device=options.device,
    )


def device_line(device: str) -> str:
    """On what the networks are trained, as a sentence."""
    if device == "cuda":
        return f"The networks are trained on the graphics card {torch.cuda.get_device_name()}."
    if device == "mps":
        return "The networks are trained on the graphics card of this Mac."
    threads = torch.get_num_threads()
    return f"The networks are trained on the processor, in {threads} thread{'s' if threads > 1 else ''}."


def _remove_fitted_on_networks(folder: Path) -> None:
    """Remove the ensemble and the buzzers from the bundle: they were fitted on another network."""
    about = Bundle.open(folder).about
    players = {name: one for name, one in about.get(PLAYERS_IN_MANIFEST, {}).items() if name != ENSEMBLE}
    amend(folder, {PLAYERS_IN_MANIFEST: players, BUZZERS: separate_buzzers(about)})


class NetworkTrainer:
    """Trains the networks of one bundle."""

    def __init__(
        self,
        folder: Path,
        work: Path,
        options: TrainingOptions,
        training_set: TrainingSet | None = None,
        development: Sequence[Tossup] | None = None,
    ) -> None:
        """``work`` is the folder where trainings are saved until they are done; see :func:`train`.

        Networks learn all of the bundle and are measured on its development fold, unless others are given.
        """
        bundle = Bundle.open(folder)
        self._folder = folder
        self._work = work
        self._options = options
        self._plan_for = options.plan_for or standard_plan
        self._retrieval = Retrieval(bundle)
        self._training_set = TrainingSet.of(bundle) if training_set is None else training_set
        self._development = held_back(bundle, DEVELOPMENT) if development is None else development
        self._development = self._development[:MEASURED_ON]
        if not len(self._training_set.classes):
            raise QuizwriterError(
                "The bundle has nothing that a network could learn from.",
                "Build it from files that hold tossups with their answers.",
            )

    def train(self, name: str, progress: Progress) -> dict[str, Any]:
        """Train the network ``name`` and put it into the bundle; a report of the training."""
        arrays, about, resumed = self.learn(name, progress)
        _remove_fitted_on_networks(self._folder)
        add_player(self._folder, name, arrays, about)
        progress.training(name, 1.0)
        return {**about, "resumed": resumed}

    def learn(self, name: str, progress: Progress) -> tuple[Arrays, dict[str, Any], bool]:
        """The best weights of the network ``name``, what a manifest says of it, and whether it went on."""
        learner = self._learner(name)
        resumed = learner.resume(self._work)
        if not resumed:
            learner.start()
        curve = learner.curve
        saved = time.monotonic()

        def watch(done: float) -> bool:
            nonlocal saved
            progress.training(name, done)
            if self._development and done - curve.measured > MEASURED_EVERY:
                self._measure(name, learner, done, curve, progress)
            if time.monotonic() - saved > saved_training.SAVE_EVERY:
                learner.save(self._work)
                saved = time.monotonic()
            return curve.without_progress < PATIENCE

        try:
            if resumed:  # the measurement that was due may be what was stopped
                watch(learner.done)
            if curve.without_progress < PATIENCE:
                learner.learn(watch)
        except BaseException:
            learner.save(self._work)
            raise
        if self._development and curve.measured < 1.0 and curve.without_progress < PATIENCE:
            self._measure(name, learner, 1.0, curve, progress)
        about = {
            "directions": network_training(name).directions,
            "classes": len(self._training_set.classes),
            "tossups": learner.sampler.tossups,
            "steps": learner.step,
            "seconds": round(learner.spent),
            "seed": self._options.seed,
            "device": self._options.device,
            "development": [[round(number, 4) for number in point] for point in curve.points],
        }
        if self._development or network_training(name).starts_others:
            learner.save(self._work)
        return curve.best or learner.arrays(), about, resumed

    def _learner(self, name: str) -> Learner[Any, Any]:
        options, bundle = self._options, Bundle.open(self._folder)

        def plan_of(network: str) -> TrainingPlan:
            return self._plan_for(network, self._training_set, options.minutes, options.seed)

        return network_training(name).learner(
            LearningTask(
                self._training_set,
                plan_of(name),
                options.device,
                self._work,
                options.vectors,
                plan_of,
                lambda network: trained(bundle, network),
            )
        )

    def _measure(
        self, name: str, learner: Learner[Any, Any], done: float, curve: DevelopmentCurve, progress: Progress
    ) -> None:
        """Add to the curve what the network knows of the development fold now."""
        arrays = learner.arrays()
        half, end = self.accuracy(name, arrays, self._development)
        curve.add(done, half, end, arrays)
        progress.measured(name, half, end)

    def accuracy(self, name: str, arrays: Arrays, tossups: Sequence[Tossup]) -> tuple[float, float]:
        """The shares of first guesses that are right after half and after all of each of ``tossups``."""
        make = network_class(player_kind(name))
        network = make(arrays, self._retrieval.pages, self._retrieval.titles, name)
        right = np.zeros(2)
        for tossup in tossups:
            half = tossup.heard(len(tossup.words) // 2)
            right += [network.best_row(part) == self._row(tossup) for part in (half, tossup)]
        half_right, end_right = (right / len(tossups)).tolist()
        return half_right, end_right

    def _row(self, tossup: Tossup) -> int | None:
        return None if tossup.answer is None else self._retrieval.pages.rows.get(tossup.answer.key)


def _calibration_parts(
    bundle: Bundle, work: Path, options: TrainingOptions, progress: Callable[[float], None]
) -> list[CalibrationPart]:
    """Two parts: halves of the buzzer fold; in a bundle of everything, each half of its tossups.

    In the latter case each half is played by networks that are trained on the other half.
    """
    unseen = held_back(bundle, BUZZ)
    if unseen:
        order = np.random.default_rng(options.seed).permutation(len(unseen))[:CALIBRATED_ON]
        players = CalibrationPart.of(bundle, ())  # once for both: they fill hundreds of megabytes
        return [
            replace(players, tossups=tuple(unseen[place] for place in order[half::2].tolist()))
            for half in (0, 1)
        ]
    names = [kind.name for kind in networks() if trained(bundle, kind.name) is not None]
    parts = []
    for half in (0, 1):
        folder = work / f"half{half}"
        tossups = write_halves(bundle, folder, half)
        trainer = NetworkTrainer(folder, work / f"work{half}", replace(options, vectors=None))
        for number, name in enumerate(names):
            trainer.train(name, _ShareOf(progress, half * len(names) + number, 2 * len(names)))
        chosen = np.random.default_rng(options.seed).permutation(len(tossups))[: CALIBRATED_ON // 2]
        parts.append(CalibrationPart.of(Bundle.open(folder), [tossups[place] for place in chosen.tolist()]))
    return parts


class _ShareOf(Progress):
    """Tells how far one of several trainings is as a share of all."""

    def __init__(self, share: Callable[[float], None], number: int, of: int) -> None:
        self._share = share
        self._number = number
        self._of = of

    def training(self, player: str, share: float) -> None:
        self._share((self._number + share) / self._of)


def _train_ensemble(bundle: Bundle, played: Sequence[PlayedPart], seed: int) -> dict[str, Any]:
    """Fit the ensemble on all parts and put it into the bundle."""
    whole = CalibrationPart.of(bundle, ())
    layers = fit_ensemble([example for part in played for example in part.examples], seed)
    types = played[0].types if played[0].part.bundle.digest == bundle.digest else fit_answers(whole, seed)
    about = {
        "members": [member.name for member in whole.members],
        "candidates": sum(len(example.right) for part in played for example in part.examples),
        "tossups": sum(len(part.part.tossups) for part in played),
    }
    add_player(bundle.folder, ENSEMBLE, {**layers, **types}, about)
    return about


def _train_buzzers(
    bundle: Bundle, played: Sequence[PlayedPart], seed: int, progress: Progress
) -> dict[str, Any]:
    """Fit a buzzer for every player, and write it and its reliability into the manifest.

    The ensemble's is fitted on the games of ensembles that were fitted on the other part.
    """
    development = held_back(bundle, DEVELOPMENT)[:MEASURED_ON]
    players = guessers(bundle, Retrieval(bundle))
    games = {
        player.name: [one.games[player.name] for one in played]
        for player in players
        if player.name != ENSEMBLE
    }
    if any(player.name == ENSEMBLE for player in players):
        games[ENSEMBLE] = []
        for number, one in enumerate(played):
            if ENSEMBLE not in one.games:
                layers = fit_ensemble(played[1 - number].examples, seed)
                one.games[ENSEMBLE] = _ensemble_games(
                    one.part.ensemble(layers, one.types), one.part.tossups, progress
                )
            games[ENSEMBLE].append(one.games[ENSEMBLE])
    buzzers = {name: fit_buzzer([play for part in parts for play in part]) for name, parts in games.items()}
    if (
        development
    ):  # all play a tossup before the next one, because the ensemble's members remember their last
        fresh = {name: Reliability() for name in buzzers}
        for done, tossup in enumerate(development):
            progress.training(BUZZERS, 0.5 + 0.5 * done / len(development))
            for player in players:
                play = player.play(tossup)
                fresh[player.name].add(replace(play, chances=buzzers[player.name].chances(play)))
        found = {name: reliability_report(one) for name, one in fresh.items()}
    else:
        found = {name: _across(parts) for name, parts in games.items()}
    amend(
        bundle.folder,
        {
            BUZZERS: {
                **separate_buzzers(bundle.about),
                **{name: {**one.as_json(), "reliability": found[name]} for name, one in buzzers.items()},
            }
        },
    )
    progress.training(BUZZERS, 1.0)
    return {name: {"worth_it": one.threshold, **found[name]} for name, one in buzzers.items()}


def _ensemble_games(ensemble: Ensemble, tossups: Sequence[Tossup], progress: Progress) -> list[Playthrough]:
    games = []
    for done, tossup in enumerate(tossups):
        progress.training(BUZZERS, done / len(tossups) / 2)
        games.append(ensemble.play(tossup))
    return games


def _across(parts: Sequence[list[Playthrough]]) -> dict[str, Any]:
    """The reliability of each part's games by the buzzer of the other, both together."""
    one, other = (reliability(fit_buzzer(parts[1 - number]), parts[number]) for number in (0, 1))
    return {"error": round((one["error"] + other["error"]) / 2, 4), "table": one["table"]}
