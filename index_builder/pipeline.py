"""From nothing to a bundle in one command: a list of steps, each of which finds out what is done already."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from index_builder.build import build, is_built
from index_builder.data.catalogue import QANTA, WIKIPEDIA
from index_builder.data.corpus import Inputs
from index_builder.data.encyclopedia import article_titles, articles_file, fetch_articles
from index_builder.data.fetch import DEFAULT_POLICY, RetryPolicy, fetch_file, require_disk_space
from index_builder.progress import Progress
from quizwriter.domain.players import usual_training
from quizwriter.engine.bundle import Bundle
from quizwriter.errors import QuizwriterError
from quizwriter.system.extras import TRAINING, require_extra

if TYPE_CHECKING:
    from index_builder.training.trainer import PlanFor

BUNDLE, QUESTIONS, SOURCES = "bundle", "questions", "sources"
"""Folders of a pipeline: the bundle, the bundle without encyclopedia text, and the fetched files."""

INDEX_GROWTH = 2
"""Room to keep free while indexing, in bytes for each byte indexed; a bundle has about 1.4."""


class PipelineStep(msgspec.Struct, frozen=True):
    """A step of a pipeline, and its name as a user reads it."""

    name: str
    run: Callable[[Progress], None]


class Pipeline(msgspec.Struct, frozen=True):
    """Fetches, indexes and trains; the bundle and the fetched files are kept in the folder ``out``.

    See :func:`index_builder.data.encyclopedia.fetch_articles` for the other fields, and for ``plan_for``
    :func:`index_builder.training.train`.
    """

    out: Path
    mirror: str = ""
    api: str = WIKIPEDIA.address
    whole: bool = False
    limit: int | None = None
    contact: str = ""
    policy: RetryPolicy = DEFAULT_POLICY
    plan_for: PlanFor | None = None

    @property
    def steps(self) -> tuple[PipelineStep, ...]:
        """The steps, in order."""
        return (
            PipelineStep("Fetching past questions", self._fetch_questions),
            PipelineStep("Indexing past questions", self._index_questions),
            PipelineStep("Fetching encyclopedia text", self._fetch_articles),
            PipelineStep("Indexing everything", self._index_everything),
            PipelineStep("Training the other players", self._train),
        )

    def run(self, progress: Progress) -> None:
        """Take all steps that are not done yet."""
        for number, step in enumerate(self.steps, 1):
            progress.step(number, len(self.steps), step.name)
            step.run(progress)
        shutil.rmtree(self.out / QUESTIONS, ignore_errors=True)

    def _fetch_questions(self, progress: Progress) -> None:
        fetch_file(QANTA, self.out / SOURCES, progress, mirror=self.mirror, policy=self.policy)

    def _index_questions(self, progress: Progress) -> None:
        try:
            Bundle.open(self.out / BUNDLE)
        except QuizwriterError:  # not there yet, or damaged
            self._build(Inputs((self._questions,)), self.out / QUESTIONS, progress)

    def _fetch_articles(self, progress: Progress) -> None:
        first = self.out / QUESTIONS
        fetch_articles(
            article_titles(first if first.exists() else self.out / BUNDLE, self.limit),
            self.out / SOURCES,
            progress,
            api=self.api,
            whole=self.whole,
            contact=self.contact,
            policy=self.policy,
        )

    def _index_everything(self, progress: Progress) -> None:
        articles = articles_file(self.out / SOURCES, whole=self.whole)
        self._build(Inputs((self._questions,), wiki=(articles,)), self.out / BUNDLE, progress)

    def _train(self, progress: Progress) -> None:
        bundle = self.out / BUNDLE
        before = Bundle.open(bundle).digest
        try:
            require_extra("train", TRAINING)
            from index_builder.training.trainer import TrainingOptions, train  # loading torch takes seconds

            train(bundle, usual_training(), progress, options=TrainingOptions(plan_for=self.plan_for))
        except (
            QuizwriterError
        ) as trouble:  # too few questions, or no PyTorch: the retrieval player still plays
            progress.note(f"{trouble.problem} {trouble.remedy}")
        if Bundle.open(bundle).digest != before:
            progress.published(bundle)

    @property
    def _questions(self) -> Path:
        return self.out / SOURCES / QANTA.file

    def _build(self, inputs: Inputs, bundle: Path, progress: Progress) -> None:
        if not is_built(inputs, bundle):
            size = sum(path.stat().st_size for path in inputs.all)
            require_disk_space(self.out, INDEX_GROWTH * size, "the index")
            build(inputs, bundle, "QANTA and Wikipedia" if inputs.wiki else "QANTA", progress)
        progress.published(bundle)
