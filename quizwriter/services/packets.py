"""The writer's own packets, added to the bundle that is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.errors import QuizwriterError
from quizwriter.services.engines import Engines

if TYPE_CHECKING:
    from index_builder.user_packets import PacketImport
    from quizwriter.engine import Engine


class Packets:
    """Adds packets to bundles and takes them out again; nothing of the bundle itself changes."""

    def __init__(self, engines: Engines) -> None:
        """Packets of the bundles that ``engines`` reads."""
        self._engines = engines

    def added_packets(self, bundle: Path) -> tuple[list[PacketImport], list[QuizwriterError]]:
        """The packets added to ``bundle``, and what is wrong with those that cannot be used."""
        from index_builder.user_packets import added_packets

        return added_packets(bundle)

    def add_packets(
        self, bundle: Path, paths: Sequence[Path], progress: Callable[[int, int], None]
    ) -> tuple[list[PacketImport], Engine]:
        """Add the packets in folders or files; what came of each, and the engine that knows them.

        Slow (up to seconds); any thread may call it. ``progress`` is told how many files of how many are
        read.

        Raises:
            QuizwriterError: a path cannot be read or the bundle cannot be added to; nothing is added then.
        """
        from index_builder.user_packets import add_packets

        return add_packets(bundle, paths, progress), self._engines.read(bundle)

    def remove_packets(self, bundle: Path, name: str) -> Engine:
        """Take out what was added under ``name``; the engine without it.

        Raises:
            QuizwriterError: it is not there, or cannot be removed.
        """
        from index_builder.user_packets import remove_packets

        remove_packets(bundle, name)
        return self._engines.read(bundle)
