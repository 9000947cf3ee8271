"""From nothing to a bundle in one command: a list of steps, each of which finds out what is done already."""

from __future__ import annotations

import _thread
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from index_builder import build, fetch
from index_builder.catalogue import QANTA, WIKIPEDIA, megabytes
from index_builder.corpus import Inputs
from index_builder.encyclopedia import articles_file, fetch_articles, titles_of
from index_builder.fetch import MANNERS, Manners, need_room
from quizwriter.engine.bundle import Bundle
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import ReadReport

BUNDLE, FIRST, SOURCES = "bundle", "questions", "sources"
"""Folders of :func:`everything`: the bundle, the one without encyclopedia text, and what was fetched."""

GROWTH = 2
"""Room to keep free while indexing, in bytes for each byte indexed; a bundle has about 1.4."""

TOLD_EVERY = 0.2
"""Seconds from one line about progress to the next."""

NICE = 15
"""How far a run that another program watches stands back where both want a core."""


class Progress(build.Progress, fetch.Progress, Protocol):
    """Is told how far everything is."""

    def step(self, number: int, of: int, name: str) -> None:
        """A step begins."""

    def training(self, player: str, share: float) -> None:
        """So much of a player's training is done."""

    def published(self, bundle: Path) -> None:
        """There is a bundle to be used, better than the one before."""


@dataclass(frozen=True)
class Step:
    """A part of the way, by its name."""

    name: str
    run: Callable[[Progress], None]


@dataclass(frozen=True)
class Everything:
    """The way from nothing to a bundle in ``out``, where what was fetched is kept too."""

    out: Path
    mirror: str = ""
    api: str = WIKIPEDIA.address
    whole: bool = False
    limit: int | None = None
    contact: str = ""
    manners: Manners = MANNERS

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in order."""
        return (
            Step("Fetching past questions", self._fetch_questions),
            Step("Indexing past questions", self._index_questions),
            Step("Fetching encyclopedia text", self._fetch_articles),
            Step("Indexing everything", self._index_everything),
            Step("Training the other players", self._train),
        )

    def run(self, progress: Progress) -> None:
        """Take all steps that are not done yet.

        Raises:
            QuizwriterError: one of them failed; what those before it brought stays.
        """
        for number, step in enumerate(self.steps, 1):
            progress.step(number, len(self.steps), step.name)
            step.run(progress)
        shutil.rmtree(self.out / FIRST, ignore_errors=True)

    def _fetch_questions(self, progress: Progress) -> None:
        fetch.fetch(QANTA, self.out / SOURCES, progress, mirror=self.mirror, manners=self.manners)

    def _index_questions(self, progress: Progress) -> None:
        try:
            Bundle.open(self.out / BUNDLE)
        except QuizwriterError:  # not there yet, or damaged
            self._build(Inputs((self._questions,)), self.out / FIRST, progress)

    def _fetch_articles(self, progress: Progress) -> None:
        first = self.out / FIRST
        fetch_articles(
            titles_of(first if first.exists() else self.out / BUNDLE, self.limit),
            self.out / SOURCES,
            progress,
            api=self.api,
            whole=self.whole,
            contact=self.contact,
            manners=self.manners,
        )

    def _index_everything(self, progress: Progress) -> None:
        articles = articles_file(self.out / SOURCES, whole=self.whole)
        self._build(Inputs((self._questions,), wiki=(articles,)), self.out / BUNDLE, progress)

    def _train(self, progress: Progress) -> None:
        from index_builder.train import PLAYERS, train  # JAX and scikit-learn take a second

        bundle = self.out / BUNDLE
        before = Bundle.open(bundle).digest
        try:
            train(bundle, PLAYERS, progress.training)
        except (
            QuizwriterError
        ) as trouble:  # too few questions, say; the retrieval player is there all the same
            progress.note(f"{trouble.problem} {trouble.remedy}")
        if Bundle.open(bundle).digest != before:
            progress.published(bundle)

    @property
    def _questions(self) -> Path:
        return self.out / SOURCES / QANTA.file

    def _build(self, inputs: Inputs, bundle: Path, progress: Progress) -> None:
        if not build.is_built(inputs, bundle):
            size = sum(path.stat().st_size for path in inputs.all)
            need_room(self.out, GROWTH * size, "the index")
            build.build(inputs, bundle, "QANTA and Wikipedia" if inputs.wiki else "QANTA", progress)
        progress.published(bundle)


class Lines:
    """Progress for another program: JSON objects on standard output, one a line.

    The program that reads them ends this one, in good order, by closing its standard input; so it ends too
    when that program is killed. It stands back by :data:`NICE`, as somebody types there meanwhile.
    """

    def __init__(self) -> None:
        if sys.platform != "win32":
            os.nice(NICE)
        self._doing = ""
        self._began = self._told = 0.0  # when it was first and last said how far that is
        self._first = 0.0  # how far it was then
        threading.Thread(target=_stop_when_left, daemon=True).start()

    def step(self, number: int, of: int, name: str) -> None:
        self._say(step=number, of=of, name=name)

    def published(self, bundle: Path) -> None:
        self._say(published=str(bundle))

    def training(self, player: str, share: float) -> None:
        """So much of a player's training is done."""
        if share >= 1 or time.monotonic() - self._told > TOLD_EVERY:
            self._told = time.monotonic()
            self._say(player=player, share=round(share, 3))

    def reading(self, report: ReadReport) -> None:
        self._far(f"Reading {Path(report.path).name}", report.read, 1.0, "")

    def indexing(self, done: int, total: int) -> None:
        self._far("Indexing", done, total, "passages")

    def fetching(self, name: str, done: int, total: int | None, unit: str) -> None:
        self._far(name, done, total, unit)

    def waiting(self, why: str, seconds: float) -> None:
        self._say(waiting=why, seconds=round(seconds))

    def note(self, sentence: str) -> None:
        self._say(note=sentence)

    def trouble(self, trouble: QuizwriterError) -> None:
        """Say why it ended."""
        self._say(problem=trouble.problem, remedy=trouble.remedy)

    def _far(self, doing: str, done: float, total: float | None, unit: str) -> None:
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._began, self._first = doing, now, done
        elif now - self._told < TOLD_EVERY and done != total:
            return
        self._told = now
        speed = (done - self._first) / (now - self._began) if now > self._began else 0.0
        self._say(doing=doing, done=done, total=total, said=_said(done, total, unit, speed))

    def _say(self, **what: object) -> None:
        try:
            sys.stdout.write(json.dumps(what) + "\n")
            sys.stdout.flush()
        except OSError as trouble:  # nobody reads any more
            raise KeyboardInterrupt from trouble


def _said(done: float, total: float | None, unit: str, speed: float) -> str:
    """How far something is, as people say it; ``speed`` is in units a second."""
    if unit == "bytes":
        far = megabytes(round(done)) + (f" of {megabytes(round(total))}" if total else "")
        far += f", {megabytes(round(speed))} a second" if speed else ""
    elif unit:
        far = f"{done:,.0f}" + (f" of {total:,.0f} {unit}" if total else f" {unit}")
    else:
        far = f"{100 * done / total:.0f} %" if total else ""
    if not total or not speed or done >= total:
        return far
    left = (total - done) / speed
    if left < 60:
        return f"{far}, less than a minute left"
    return (
        f"{far}, about {left / 60:.0f} min left" if left < 5_400 else f"{far}, about {left / 3600:.0f} h left"
    )


GRACE_S = 1.0
"""Seconds a program may take to end in good order once nobody listens to it; then it ends without."""

STOPPED = 130
"""The exit status after an interrupt, as shells have it."""


def _stop_when_left() -> None:
    """Interrupt the main thread, as Ctrl-C does, once nobody holds the other end of standard input.

    A compiler or a library may hear of the interrupt only after half a minute. The process ends all the same
    after :data:`GRACE_S`: whatever is kept is written under another name first, and so survives any end.
    """
    while os.read(sys.stdin.fileno(), 1024):
        pass
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)  # wakes it even where it waits for the network
    else:
        _thread.interrupt_main()
    time.sleep(GRACE_S)
    os._exit(STOPPED)
