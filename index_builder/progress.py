"""How far the builder is: the listener that everything slow reports to.

:mod:`index_builder.progress_output` has the two that people and programs read: bars, and lines of JSON.
"""

from __future__ import annotations

from pathlib import Path

from quizwriter.formats.question_files import ReadReport


class Progress:
    """Listens to how far the builder is, and does nothing with it.

    Any method of a listener may raise KeyboardInterrupt to stop the work.
    """

    def step(self, number: int, of: int, name: str) -> None:
        """Step ``number`` of the pipeline begins."""

    def reading(self, report: ReadReport) -> None:
        """A file is being read; ``report`` grows with it."""

    def indexing(self, done: int, total: int) -> None:
        """``done`` of ``total`` passages are indexed."""

    def fetching(self, name: str, done: int, total: int | None, unit: str) -> None:
        """``done`` of ``total`` units of ``name`` have arrived; ``total`` is None where nobody knows it."""

    def sending(self, done: int, total: int) -> None:
        """``done`` of ``total`` documents have arrived at the server."""

    def training(self, player: str, share: float) -> None:
        """The training of ``player`` has come to ``share``, from 0 to 1."""

    def measured(self, player: str, half: float, end: float) -> None:
        """So far ``player`` is right on these shares of development tossups, after half and after all."""

    def waiting(self, why: str, seconds: float) -> None:
        """Nothing happens for ``seconds`` more, for the reason ``why``."""

    def note(self, sentence: str) -> None:
        """Something happened that the user should know."""

    def published(self, bundle: Path) -> None:
        """The bundle in this folder can be used from now on; it is better than the one before."""
