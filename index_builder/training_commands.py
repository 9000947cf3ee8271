"""The commands that train: ``train``, ``recipes`` and ``encoder``; and the options that commands share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from index_builder.progress import Progress
from index_builder.progress_output import ConsoleProgress, JsonProgress
from quizwriter.domain.players import DENSE, ENSEMBLE, networks
from quizwriter.domain.server_address import MODEL_KEY_VARIABLE
from quizwriter.engine.engine import BUZZERS, DISTRACTOR
from quizwriter.errors import QuizwriterError
from quizwriter.system.extras import TRAINING, require_extra


def add_training_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands of this module to those of ``python -m index_builder``."""
    _add_training(commands)
    _add_recipes(commands)
    _add_encoder(commands)


def _add_training(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "train", help="train the networks, the ensemble and the buzzers of a bundle"
    )
    command.set_defaults(
        run=_train,
        stopped="Stopped; the same command goes on from what was saved, if anything was trained yet.",
    )
    command.add_argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to train for")
    trainable = (*(kind.name for kind in networks()), ENSEMBLE, BUZZERS, DENSE, DISTRACTOR)
    command.add_argument(
        "--players", type=_names_of(trainable), default=(), metavar="NAMES",
        help=f"which players, separated by commas: {', '.join(trainable)} (unless given: all but birnn, "
        f"{DENSE} and {DISTRACTOR}, which writes sentences for the experiment of that name)",
    )  # fmt: skip
    command.add_argument(
        "--vectors", type=Path, metavar="FILE", help="start from word vectors: a GloVe or word2vec text file"
    )
    command.add_argument(
        "--encoder", type=Path, metavar="FOLDER",
        help=f"for the player {DENSE}: the folder of a sentence encoder, as sentence-transformers saves it",
    )  # fmt: skip
    command.add_argument(
        "--minutes", type=float, metavar="N", help="train each network for at most N minutes"
    )
    command.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="the seed of everything that is drawn at random (unless given: 0)",
    )
    add_device(command)
    command.add_argument(
        "--anew", action="store_true", help="train players again that the bundle has already"
    )
    command.add_argument(
        "--endpoint",
        metavar="URL",
        help="fit a buzzer to the language model of this server instead; it is sent the tossups. "
        f"With --players {BUZZERS}; its key is in {MODEL_KEY_VARIABLE}",
    )
    command.add_argument("--model", default="", metavar="NAME", help="the model on that server")
    command.add_argument(
        "--tossups", type=positive, default=100, metavar="N",
        help="how many tossups the language model plays, about six requests each (unless given: 100)",
    )  # fmt: skip
    command.add_argument(
        "--json-progress", action="store_true", help="for programs: write progress as lines of JSON"
    )


def _train(parsed: argparse.Namespace) -> int:
    report: dict[str, Any] = {}
    if parsed.endpoint and parsed.players != (BUZZERS,):
        raise QuizwriterError(
            "Of a language model, only a buzzer can be trained.", f"Add --players {BUZZERS}."
        )

    def run(progress: Progress) -> None:
        if parsed.endpoint:
            require_extra("train", TRAINING)
            # it sends texts of tossups; the program knows which never may be sent
            from quizwriter.services.wiring import App

            with App(bundle=parsed.bundle) as app:
                from index_builder.training.model_calibration import CalibrationLimits, calibrate_model

                endpoint = app.models.endpoint(app.models.named(parsed.endpoint, parsed.model))
                limits = CalibrationLimits(app.models.require_sendable, app.models.day())
                report.update(
                    calibrate_model(parsed.bundle, endpoint, parsed.tossups, progress, parsed.seed, limits)
                )
            return
        require_extra("train", TRAINING)
        # imported here, because torch and scikit-learn take seconds, and a stop must be heard meanwhile
        from index_builder.training.learner import usable_cores
        from index_builder.training.trainer import TrainingOptions, train, usual_players

        options = TrainingOptions(
            vectors=parsed.vectors,
            encoder=parsed.encoder,
            minutes=parsed.minutes,
            seed=parsed.seed,
            device=parsed.device,
            # a program that watches is one in which somebody writes: a core is left to it
            threads=max(1, usable_cores() - 1) if parsed.json_progress else None,
        )
        report.update(
            train(
                parsed.bundle, parsed.players or usual_players(), progress, anew=parsed.anew, options=options
            )
        )

    status = with_progress(parsed, run)
    if not parsed.json_progress:
        print(json.dumps(report, indent=1))
    return status


def _add_recipes(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "recipes", help="train QANTA's own networks beside ours, to compare; the bundle stays as it is"
    )
    command.add_argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to learn from")
    compared = ("qanta-dan", "qanta-birnn", *(kind.name for kind in networks()))
    command.add_argument(
        "--players", type=_names_of(compared), default=compared, metavar="NAMES",
        help=f"which, separated by commas: {', '.join(compared)} (unless given: all)",
    )  # fmt: skip
    command.add_argument(
        "--share", type=per_cent, default=0, metavar="N",
        help="learn N of a hundred answers only, drawn by the seed (unless given: all)",
    )  # fmt: skip
    command.add_argument(
        "--units", type=positive, metavar="N",
        help="units of QANTA's RNN in each direction (unless given: 1,500, for a graphics card)",
    )  # fmt: skip
    command.add_argument(
        "--vectors", type=Path, metavar="FILE", help="word vectors to start from, such as glove.6B.300d.txt"
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the seed of what is drawn (unless given: 0)"
    )
    add_device(command)
    command.set_defaults(run=_recipes, stopped="Stopped; the same command goes on from the last whole pass.")


def _recipes(parsed: argparse.Namespace) -> int:
    require_extra("train", TRAINING)
    from index_builder.training.qanta_recipes import compare_recipes
    from index_builder.training.trainer import TrainingOptions

    options = TrainingOptions(vectors=parsed.vectors, seed=parsed.seed, device=parsed.device)
    with ConsoleProgress() as bars:
        report = compare_recipes(
            parsed.bundle, parsed.players, bars,
            share=parsed.share / 100 or 1.0, units=parsed.units, options=options,
        )  # fmt: skip
    print(json.dumps(report, indent=1))
    return 0


def _add_encoder(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "encoder", help=f"train a small sentence encoder for the player {DENSE} on a bundle's texts"
    )
    command.add_argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to learn from")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to save it in")
    command.add_argument("--steps", type=positive, metavar="N", help="train for so many steps of 64 pairs")
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the seed of what is drawn (unless given: 0)"
    )
    add_device(command)
    command.set_defaults(
        run=_encoder,
        stopped="Stopped; the same command goes on from what was saved, if anything was trained yet.",
    )


def _encoder(parsed: argparse.Namespace) -> int:
    require_extra("train", TRAINING)
    require_extra(DENSE, "The training of a sentence encoder")
    from index_builder.training.encoder_training import EncoderPlan, train_encoder

    plan = EncoderPlan() if parsed.steps is None else EncoderPlan(steps=parsed.steps)
    with ConsoleProgress() as bars:
        report = train_encoder(
            parsed.bundle, parsed.out, bars, plan=plan, seed=parsed.seed, device=parsed.device
        )
    print(json.dumps(report, indent=1))
    return 0


def add_device(command: argparse.ArgumentParser) -> None:
    """Add the option ``--device`` to ``command``."""
    command.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda", "mps"),
        default="auto",
        help="train the networks on the processor (cpu), on a graphics card (cuda, on a Mac mps), or on the "
        "card if there is one (auto, which is what happens unless given)",
    )


def with_progress(parsed: argparse.Namespace, run: Callable[[Progress], None]) -> int:
    """Run with lines of JSON if ``--json-progress`` is given, else with bars; the exit status."""
    if not parsed.json_progress:
        with ConsoleProgress() as bars:
            run(bars)
        return 0
    lines = JsonProgress()
    try:
        run(lines)
    except QuizwriterError as trouble:
        lines.trouble(trouble)
        return 1
    return 0


def positive(text: str) -> int:
    """A whole number that is 1 or more, as an option."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def per_cent(text: str) -> int:
    """A whole number from 0 to 99, as an option."""
    number = int(text)
    if not 0 <= number < 100:
        raise argparse.ArgumentTypeError("must be from 0 to 99")
    return number


def _names_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Reads names that are separated by commas, all of them ``known``."""

    def names_in(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(known)}")
        return names

    return names_in
