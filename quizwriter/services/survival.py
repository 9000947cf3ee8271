"""The results of retraining: which tossups still stump IR once it has learned the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.store.store import Store
from quizwriter.system.decoding import DecodingError, decode_small_json
from quizwriter.workflow.wording import counted_noun

_KIND = "survives learning"  # of the items, by the id of the tossup


class Survival(msgspec.Struct, frozen=True):
    """Whether a tossup stumped IR before and after it learned ``learned`` others at most, on ``day``."""

    before: bool
    after: bool
    learned: int
    bundle: str
    day: str
    text: str  # digest of the tossup

    @property
    def in_words(self) -> str:
        """The result in a sentence; empty where the tossup never stumped IR."""
        if not self.before:
            return ""
        others = counted_noun(self.learned, "other tossup")
        asked = f"({self.day}, {self.bundle})"
        if self.after:
            return f"Still stumps IR after it has studied {others} {asked}."
        return f"IR gets it after studying {others} {asked}."


class SurvivalResults:
    """Keeps what the experiment *retrain* found on each tossup; computed again at will, it is no event."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def keep(
        self,
        tossup_id: str,
        tossup: Tossup,
        *,
        before: bool,
        after: bool,
        learned: int,
        bundle: str,
        day: str,
    ) -> None:
        """Keep whether the tossup stumped IR before and after it learned ``learned`` others at most."""
        found = Survival(before, after, learned, bundle, day, _digest(tossup))
        self._store.put_item(_KIND, tossup_id, json.dumps(msgspec.to_builtins(found), ensure_ascii=False))

    def of(self, tossup_id: str, tossup: Tossup) -> Survival | None:
        """The result for the tossup as it is; None without one, or if it was edited since."""
        kept = self._store.items(_KIND).get(tossup_id)
        return None if kept is None else _read(kept, tossup)

    def in_words(self, tossup_ids: Sequence[str]) -> dict[str, str]:
        """The results for the tossups as they are saved, a sentence each; most have none.

        Damaged ones have none, so that they do not keep others from being listed.
        """
        kept = self._store.items(_KIND)
        found = {}
        for key in tossup_ids:
            if key in kept:
                with suppress(QuizwriterError):
                    said = _read(kept[key], self._store.load(key).tossup)
                    found[key] = "" if said is None else said.in_words
        return {key: said for key, said in found.items() if said}


def _read(kept: str, tossup: Tossup) -> Survival | None:
    """The result in ``kept``; None if the tossup was edited since."""
    try:
        found = decode_small_json(kept, Survival)
    except DecodingError:
        return None  # another version wrote it; it can be asked for again
    return found if found.text == _digest(tossup) else None


def _digest(tossup: Tossup) -> str:
    answer = tossup.answer.line if tossup.answer is not None else ""
    return hashlib.sha256(f"{answer}\0{tossup.text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
