"""Has variants of drafts played, and keeps the games: an edit leaves most clues as they were."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from quizwriter.cancellation import Cancellation
from quizwriter.domain.guessing import FoolRadius, Player, PlayOutline
from quizwriter.domain.tossup import Tossup

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine

BATCH = 8
"""Variants that are played between two looks at whether anybody still wants them."""

GREEDY_WORDS = 12
"""Words that the greedy search adds, and leaves out one at a time."""

MOST_GREEDY = 6
"""Words of a bound that is shown; a clue that needs more is not easily fooled."""

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

    def fool(
        self, engine: Engine, players: Sequence[Player], tossup: Tossup, cancellation: Cancellation
    ) -> tuple[FoolRadius | None, tuple[str, ...], Mapping[str, tuple[str, ...]]]:
        """How easily retrieval is fooled on ``tossup``, whom of ``players`` the distractor fools, and bounds.

        The distractor is read before the last clue, in a text that is played and thrown away. A player is
        fooled where its last guess was right, and is wrong then. The bounds are of the players beside
        retrieval: words whose addition has a player lose the answer, by a greedy search; fewer may be
        enough. A player that keeps the answer has none. Slow; any thread may call it.
        """
        from quizwriter.engine.fool_radius import fool_radius, greedy_bound, rival_words
        from quizwriter.engine.variants import play_ends
        from quizwriter.workflow.probes import split_clues, with_sentence

        if tossup.answer is None:
            return None, (), {}
        found = fool_radius(engine.retrieval, tossup)
        cancellation.check()
        if found is None or not found.distractor:
            return found, (), {}
        probe = with_sentence(tossup, split_clues(tossup), found.distractor)
        words = rival_words(engine.retrieval, tossup, found.rival, GREEDY_WORDS)
        fooled, bounds = [], dict[str, tuple[str, ...]]()
        for player in players:
            before, after = self.play(player, tossup, [tossup, probe], cancellation=cancellation)
            right = [one.page is not None and tossup.answer.accepts(one.page) for one in (before, after)]
            if before.knowable and right == [True, False]:
                fooled.append(player.name)
            if before.knowable and right[0] and player.name != engine.retrieval.name:

                def ends(variants: Sequence[Tossup], player: Player = player) -> list[PlayOutline]:
                    cancellation.check()
                    return list(play_ends(player, tossup, variants))

                added, _ = greedy_bound(
                    ends,
                    tossup.answer,
                    words,
                    lambda line: replace(tossup, text=f"{tossup.text} {' '.join(line)}."),
                )
                if 0 < len(added) <= MOST_GREEDY:
                    bounds[player.name] = added
        return found, tuple(fooled), bounds


def _key(player: Player, tossup: Tossup, buzz_chance: float) -> bytes:
    """A digest of all that the result depends on."""
    answer = tossup.answer
    parts = (player.engine, player.name, repr(buzz_chance), repr(answer), tossup.text)
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part.encode("utf-8", "surrogatepass"))
    return digest.digest()
