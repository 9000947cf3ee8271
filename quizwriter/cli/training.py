"""The commands that train, and what the other commands that make bundles share with them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter.cli.commands import argument, builder_command
from quizwriter.cli.options import positive_number, whole_number
from quizwriter.cli.output import print_lines
from quizwriter.domain.players import BUZZERS, DENSE, DISTRACTOR, ENSEMBLE, networks, usual_training
from quizwriter.domain.server_address import MODEL_KEY_VARIABLE
from quizwriter.errors import QuizwriterError
from quizwriter.services.wiring import App
from quizwriter.system.extras import TRAINING, require_extra

if TYPE_CHECKING:
    from index_builder.progress import Progress

DEVICE = argument(
    "--device",
    choices=("auto", "cpu", "cuda", "mps"),
    default="auto",
    help="train the networks on the processor (cpu), on a graphics card (cuda, on a Mac mps), or on the "
    "card if there is one (auto, which is what happens unless given)",
)
SEED = argument(
    "--seed",
    type=whole_number(0),
    default=0,
    metavar="N",
    help="the seed of everything that is drawn at random (unless given: 0)",
)
MINUTES = argument(
    "--minutes", type=positive_number, metavar="N", help="train each network for at most N minutes"
)
JSON_PROGRESS = argument(
    "--json-progress", action="store_true", help="for programs: write progress as lines of JSON"
)


def _trainable() -> tuple[str, ...]:
    return (*(kind.name for kind in networks()), ENSEMBLE, BUZZERS, DENSE, DISTRACTOR)


def _compared() -> tuple[str, ...]:
    return ("qanta-dan", "qanta-birnn", *(kind.name for kind in networks()))


def _names_of(known: Callable[[], Sequence[str]]) -> Callable[[str], tuple[str, ...]]:
    """Reads names that are separated by commas, all of them ``known`` when they are read."""

    def names_in(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split(","))
        for name in names:
            if name not in known():
                raise argparse.ArgumentTypeError(f"{name} is not one of {', '.join(known())}")
        return names

    return names_in


@builder_command(
    "train",
    "Train the networks, the ensemble and the buzzers of a bundle.",
    argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to train for"),
    argument(
        "--players",
        type=_names_of(_trainable),
        default=(),
        metavar="NAMES",
        help=lambda: (
            f"which players, separated by commas: {', '.join(_trainable())} (unless given: "
            f"{', '.join(usual_training())}); {DISTRACTOR} writes sentences for the experiment "
            "of that name"
        ),
    ),
    argument(
        "--vectors", type=Path, metavar="FILE", help="start from word vectors: a GloVe or word2vec text file"
    ),
    argument(
        "--encoder",
        type=Path,
        metavar="FOLDER",
        help=f"for the player {DENSE}: the folder of a sentence encoder, as sentence-transformers saves it",
    ),
    MINUTES,
    SEED,
    DEVICE,
    argument("--anew", action="store_true", help="train players again that the bundle has already"),
    argument(
        "--endpoint",
        metavar="URL",
        help="fit a buzzer to the language model of this server instead; it is sent the tossups. "
        f"With --players {BUZZERS}; its key is in {MODEL_KEY_VARIABLE}",
    ),
    argument("--model", default="", metavar="NAME", help="the model on that server"),
    argument(
        "--tossups",
        type=whole_number(1),
        default=100,
        metavar="N",
        help="how many tossups the language model plays, about six requests each (unless given: 100)",
    ),
    JSON_PROGRESS,
    stopped="Stopped; the same command continues from the saved state, if anything was trained yet.",
)
def _train(arguments: argparse.Namespace) -> int:
    report: dict[str, Any] = {}
    if arguments.endpoint and arguments.players != (BUZZERS,):
        raise QuizwriterError(
            "Of a language model, only a buzzer can be trained.", f"Add --players {BUZZERS}."
        )

    def run(progress: Progress) -> None:
        if arguments.endpoint:
            require_extra("train", TRAINING)
            with App(bundle=arguments.bundle) as app:
                from index_builder.training.model_calibration import CalibrationLimits, calibrate_model

                endpoint = app.models.endpoint(app.models.named(arguments.endpoint, arguments.model))
                limits = CalibrationLimits(app.models.require_sendable, app.models.day())
                report.update(
                    calibrate_model(
                        arguments.bundle, endpoint, arguments.tossups, progress, arguments.seed, limits
                    )
                )
            return
        require_extra("train", TRAINING)
        # imported here, because torch and scikit-learn take seconds, and Ctrl-C must work in that time
        from index_builder.training.learner import usable_cores
        from index_builder.training.trainer import TrainingOptions, train

        options = TrainingOptions(
            vectors=arguments.vectors,
            encoder=arguments.encoder,
            minutes=arguments.minutes,
            seed=arguments.seed,
            device=arguments.device,
            # a program that watches is one in which somebody writes: a core is left to it
            threads=max(1, usable_cores() - 1) if arguments.json_progress else None,
        )
        report.update(
            train(
                arguments.bundle,
                arguments.players or usual_training(),
                progress,
                anew=arguments.anew,
                options=options,
            )
        )

    status = with_progress(arguments, run)
    if not arguments.json_progress:
        print_lines(json.dumps(report, indent=1))
    return status


@builder_command(
    "recipes",
    "Train QANTA's own networks beside ours, to compare; the bundle stays as it is.",
    argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to learn from"),
    argument(
        "--players",
        type=_names_of(_compared),
        default=(),
        metavar="NAMES",
        help=lambda: f"which, separated by commas: {', '.join(_compared())} (unless given: all)",
    ),
    argument(
        "--share",
        type=whole_number(0, 99),
        default=0,
        metavar="N",
        help="learn N of a hundred answers only, drawn by the seed (unless given: all)",
    ),
    argument(
        "--units",
        type=whole_number(1),
        metavar="N",
        help="units of QANTA's RNN in each direction (unless given: 1,500, for a graphics card)",
    ),
    argument(
        "--vectors", type=Path, metavar="FILE", help="word vectors to start from, such as glove.6B.300d.txt"
    ),
    MINUTES,
    argument(
        "--games",
        type=Path,
        metavar="FILE",
        help="write what QANTA's networks guess, word by word, for experiments with --recorded FILE: on the "
        "questions that the bundle holds back",
    ),
    argument(
        "--play",
        type=Path,
        nargs="+",
        default=(),
        metavar="FILE",
        help="with --games, and on the questions in these files",
    ),
    argument(
        "--controls",
        type=Path,
        metavar="TABLE",
        help="with --games, of the questions held back only the controls in this table, which experiment "
        "adversarial --out wrote",
    ),
    SEED,
    DEVICE,
    stopped="Stopped; the same command continues from where the training was last saved.",
)
def _recipes(arguments: argparse.Namespace) -> int:
    from index_builder.progress_output import ConsoleProgress

    require_extra("train", TRAINING)
    from index_builder.training.qanta_recipes import compare_recipes
    from index_builder.training.trainer import TrainingOptions

    if (arguments.play or arguments.controls) and arguments.games is None:
        raise QuizwriterError("The games have no file to be written into.", "Name one with --games.")
    options = TrainingOptions(
        vectors=arguments.vectors,
        minutes=arguments.minutes,
        seed=arguments.seed,
        device=arguments.device,
    )
    with ConsoleProgress() as bars:
        report = compare_recipes(
            arguments.bundle, arguments.players or _compared(), bars,
            share=arguments.share / 100 or 1.0, units=arguments.units, options=options,
            play=arguments.play, controls=arguments.controls, games=arguments.games,
        )  # fmt: skip
    print_lines(json.dumps(report, indent=1))
    return 0


@builder_command(
    "encoder",
    f"Train a small sentence encoder for the player {DENSE} on a bundle's texts.",
    argument("--bundle", type=Path, required=True, metavar="DIR", help="the bundle to learn from"),
    argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder to save it in"),
    argument("--steps", type=whole_number(1), metavar="N", help="train for so many steps of 64 pairs"),
    SEED,
    DEVICE,
    stopped="Stopped; the same command continues from the saved state, if anything was trained yet.",
)
def _encoder(arguments: argparse.Namespace) -> int:
    from index_builder.progress_output import ConsoleProgress

    require_extra("train", TRAINING)
    require_extra(DENSE, "The training of a sentence encoder")
    from index_builder.training.encoder_training import EncoderPlan, train_encoder

    plan = EncoderPlan() if arguments.steps is None else EncoderPlan(steps=arguments.steps)
    with ConsoleProgress() as bars:
        report = train_encoder(
            arguments.bundle, arguments.out, bars, plan=plan, seed=arguments.seed, device=arguments.device
        )
    print_lines(json.dumps(report, indent=1))
    return 0


def with_progress(arguments: argparse.Namespace, run: Callable[[Progress], None]) -> int:
    """Run with lines of JSON if ``--json-progress`` is given, else with bars; the exit status."""
    from index_builder.progress_output import ConsoleProgress, JsonProgress

    if not arguments.json_progress:
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
