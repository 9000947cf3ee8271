"""The process that trains: what it is asked for, what it says, and what is kept of it.

What is done is kept until the whole plan is done, so that a plan that was cancelled goes on where it was.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from index_builder.trials import Trial, TrialAnswer, TrialReply, TrialRequest, TrialText
from quizwriter.domain.players import DAN
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.inputs import ExperimentInputs
from quizwriter.system.atomic import atomic_write
from quizwriter.system.children import Child, child_command
from quizwriter.system.decoding import DecodingError, decode_json
from quizwriter.system.extras import require_extra

COMMAND = child_command(Child.TRIALS)

LARGEST_REPLY = 1 << 26
"""Bytes of a line that the process says, and of a file that is kept."""

FOLDER = "trials"
"""The folder below the data folder where answers are kept until a plan is done."""


def answers_of(given: ExperimentInputs, asked: TrialRequest) -> list[tuple[TrialAnswer, ...]]:
    """The answers of each of the trials ``asked`` for; those that were done before a stop are kept."""
    if not given.trains:
        return [tuple(_made_up(trial, asked.texts[at]) for at in trial.tests) for trial in asked.trials]
    if any(trial.player == DAN for trial in asked.trials):
        require_extra("train", "This experiment")
    keys = [_key(given, asked, trial) for trial in asked.trials]
    folder = given.app.home / FOLDER
    found = {at: kept for at, key in enumerate(keys) if (kept := _kept(folder / key)) is not None}
    left = [at for at in range(len(keys)) if at not in found]
    if left:
        rest = msgspec.structs.replace(asked, trials=tuple(asked.trials[at] for at in left))
        for reply in _replies(given, rest):
            if reply.trouble is not None:
                raise QuizwriterError(*reply.trouble)
            given.progress("Training", len(found) + reply.done, len(keys))
            if reply.answers is not None:
                at = left[reply.number]
                found[at] = reply.answers
                path = folder / keys[at]
                with atomic_write(path, make_folder=True) as file:
                    file.write(msgspec.json.encode(reply.answers))
    return [found[at] for at in range(len(keys))]


def forget_trials(given: ExperimentInputs) -> None:
    """Remove what was kept of trials, once a plan is done."""
    shutil.rmtree(given.app.home / FOLDER, ignore_errors=True)


def _made_up(trial: Trial, asked: TrialText) -> TrialAnswer:
    """An answer that nobody gave, drawn by what is asked and by the seed of the training."""
    text = asked.text.encode("utf-8", "surrogatepass")
    knows, lot = (hashlib.sha256(drawn).digest()[0] for drawn in (text, b"%d " % trial.seed + text))
    return TrialAnswer(asked.page, right=knows < 240 and lot < 160, knows=knows < 240)


def _key(given: ExperimentInputs, asked: TrialRequest, trial: Trial) -> str:
    texts = [asked.texts[at] for at in (*trial.texts, *trial.tests)]
    digest = hashlib.sha256(msgspec.json.encode((given.engine.digest, asked.pages, asked.most, trial, texts)))
    return f"{digest.hexdigest()}.json"


def _kept(path: Path) -> tuple[TrialAnswer, ...] | None:
    with suppress(OSError, DecodingError):
        if path.stat().st_size <= LARGEST_REPLY:
            return decode_json(path.read_bytes(), tuple[TrialAnswer, ...])
    return None


def _replies(given: ExperimentInputs, asked: TrialRequest) -> Iterator[TrialReply]:
    """What the process says that trains; it is ended at once when the run is cancelled."""
    given.cancellation.check()
    done = 0
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        except OSError as trouble:
            raise QuizwriterError(
                f"The training could not be started ({trouble.strerror}).", "Try again."
            ) from trouble
        with process, given.cancellation.on_cancel(process.kill):
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                with suppress(OSError):
                    process.stdin.write(msgspec.json.encode(asked) + b"\n")
                    process.stdin.close()
                for line in _lines(process.stdout):
                    reply = decode_json(line, TrialReply)
                    done += reply.answers is not None
                    yield reply
            finally:
                process.kill()
        given.cancellation.check()
        if done < len(asked.trials):
            errors.seek(0)
            said = errors.read()[-2_000:].decode("utf-8", "replace").strip()
            last = said.splitlines()[-1] if said else "it said nothing"
            raise QuizwriterError(
                f"The training ended unexpectedly ({last[:200]}).",
                "Close other programs if memory is short; the same experiment continues where it was.",
            )


def _lines(pipe: IO[bytes]) -> Iterator[bytes]:
    while line := pipe.readline(LARGEST_REPLY):
        yield line
