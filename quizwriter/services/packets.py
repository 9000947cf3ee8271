"""The writer's own packets, added to the bundle that is open."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cancellation import Progress
from quizwriter.errors import QuizwriterError
from quizwriter.services.engines import Engines
from quizwriter.system.children import Child, child_command
from quizwriter.system.extras import TRAINING, require_extra

if TYPE_CHECKING:
    from index_builder.user_packets import PacketImport
    from quizwriter.engine.engine import Engine


class Packets:
    """Adds packets to bundles and removes them; the files of the bundle itself stay unchanged."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def added_packets(self, bundle: Path) -> tuple[list[PacketImport], list[QuizwriterError]]:
        """The packets added to ``bundle``, and an error for each packet that cannot be used."""
        from index_builder.user_packets import added_packets

        return added_packets(bundle)

    def add_packets(
        self, bundle: Path, paths: Sequence[Path], progress: Progress
    ) -> tuple[list[PacketImport], Engine]:
        """Add the packets in folders or files. The result: a report on each, and the engine with the packets.

        Slow (up to seconds); any thread may call it. ``progress`` gets the number of files that were read and
        the number of all files.
        """
        from index_builder.user_packets import add_packets

        return add_packets(bundle, paths, progress), self._engines.load_bundle(bundle)

    def remove_packets(self, bundle: Path, name: str) -> Engine:
        """Remove the packets that were added under ``name``. The result is the engine without them."""
        from index_builder.user_packets import remove_packets

        remove_packets(bundle, name)
        return self._engines.load_bundle(bundle)

    def learning_command(self, bundle: Path) -> tuple[str, ...]:
        """The command that lets the networks of ``bundle`` learn from the packets that were added to it.

        It prints its progress as lines of JSON.
        """
        require_extra("train", TRAINING)
        return child_command(Child.BUILDER, "learn", "--json-progress", "--bundle", str(bundle))

    def reload(self, bundle: Path) -> Engine:
        return self._engines.load_bundle(bundle)

    def have_taught(self, bundle: Path) -> bool:
        """Whether a network has learned from packets, so that :meth:`unlearn` has something to undo."""
        from index_builder.user_packets import taught_networks

        return bool(taught_networks(bundle))

    def unlearn(self, bundle: Path) -> tuple[str, Engine]:
        """Give the networks the weights back that they had before they learnt; a sentence, and the engine."""
        from index_builder.user_packets import unlearn_packets, unlearnt_sentence

        return unlearnt_sentence(unlearn_packets(bundle)), self._engines.load_bundle(bundle)
