"""Tossups of the database as a printed packet, and the files that are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter.cancellation import Progress
from quizwriter.domain.review import BasedOn
from quizwriter.errors import QuizwriterError
from quizwriter.formats.file_formats import FORMATS
from quizwriter.store.store import Store
from quizwriter.system.atomic import atomic_write
from quizwriter.workflow.queue import person_name

if TYPE_CHECKING:
    from quizwriter.formats.printed_packet import PrintedPacket, PrintedTossup

_REMEDY = "Choose another folder, or free some disk space."


class PacketPrinting:
    """Prints the tossups of one database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def beside(self, tossup_id: str) -> tuple[str, ...]:
        """The tossups of the packet that a tossup is in, else of its set, in the order of the packet."""
        review = self._store.review_of(tossup_id)
        if not review.set_name:
            raise QuizwriterError("This tossup is in no set.", "Put it into a set first.")
        return self._store.packet_tossups(review.set_name, review.packet)

    def packet(self, tossup_ids: Sequence[str], progress: Progress | None = None) -> PrintedPacket:
        """The tossups as a packet, numbered in this order.

        A tossup without a text and an answer is left out. The title is the set, and the packet of it, where
        all have the same. Slow for many.
        """
        from quizwriter.formats.printed_packet import PrintedPacket, printed_tossup

        printed: list[PrintedTossup] = []
        titles: set[str] = set()
        people = self._store.people()
        authors = {row.tossup_id: row.author for row in self._store.queue_rows(tossup_ids)}
        for done, key in enumerate(tossup_ids):
            if progress is not None:
                progress(done, len(tossup_ids))
            stored = self._store.load(key)
            tossup = stored.tossup
            if not tossup.text.strip() and not (tossup.answer is not None and tossup.answer.line.strip()):
                continue
            review = self._store.review_of(key)
            based_on = review.based_on.body if review.based_on is not None else None
            titles.add(", ".join(filter(None, (review.set_name, review.packet))))
            printed.append(
                printed_tossup(
                    tossup,
                    number=len(printed) + 1,
                    styles=stored.styles,
                    answer_styles=stored.answer_styles,
                    author=person_name(people, authors.get(key, "")),
                    category=review.category,
                    based_on=based_on.source if isinstance(based_on, BasedOn) else "",
                )
            )
        if not printed:
            raise QuizwriterError(
                "There is nothing to print.", "Write a text first, or choose tossups that have one."
            )
        return PrintedPacket(titles.pop() if len(titles) == 1 else "", tuple(printed))

    def write(self, path: Path, kind: str, packet: PrintedPacket) -> None:
        """Write ``packet`` to ``path`` as a file of the format with the id ``kind``, which has a writer."""
        write = FORMATS[kind].write
        assert write is not None, kind
        with atomic_write(path, problem=f"The packet could not be written to {path}", remedy=_REMEDY) as file:
            write(packet, file)
