"""Has variants of drafts played, and keeps the games: an edit leaves most clues as they were."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock

from quizwriter.cancellation import Cancellation
from quizwriter.domain.guessing import Player, PlayOutline
from quizwriter.domain.tossup import Tossup

BATCH = 8
"""Variants that are played between two looks at whether anybody still wants them."""

MOST_KEPT = 4_000
"""Outlines that are kept, those used last: a hundred tossups or so."""


class WhatIf:
    """Plays variants of one tossup. Any thread may ask."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, PlayOutline] = OrderedDict()
        self._lock = Lock()

    def play(
        self,
        player: Player,
        tossup: Tossup,
        variants: Sequence[Tossup],
        *,
        buzz_chance: float = 0.0,
        cancellation: Cancellation | None = None,
    ) -> tuple[PlayOutline, ...]:
        """What ``player`` makes of each of ``variants``; those played before are not played again.

        ``buzz_chance`` is as :func:`quizwriter.engine.play_variants` takes it.
        """
        from quizwriter.engine.variants import play_variants  # here, as the start does not wait for it

        keys = [_key(player, variant, buzz_chance) for variant in variants]
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
        missing = list(
            {key: one for key, one in zip(keys, variants, strict=True) if key not in known}.items()
        )
        for start in range(0, len(missing), BATCH):
            if cancellation is not None:
                cancellation.check()
            batch = missing[start : start + BATCH]
            outlines = play_variants(player, tossup, [one for _, one in batch], buzz_chance=buzz_chance)
            known.update((key, outline) for (key, _), outline in zip(batch, outlines, strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = known[key]
                self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return tuple(known[key] for key in keys)


def _key(player: Player, tossup: Tossup, buzz_chance: float) -> bytes:
    """A digest of all that the result depends on."""
    answer = tossup.answer
    parts = (player.engine, player.name, repr(buzz_chance), repr(answer), tossup.text)
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part.encode("utf-8", "surrogatepass"))
    return digest.digest()
