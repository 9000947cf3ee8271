"""Tossups of a set and controls, drawn and shuffled: whoever plays them does not know which is which."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Annotated

import msgspec

from quizwriter.errors import QuizwriterError
from quizwriter.services.games import Games
from quizwriter.services.match import MatchTossup
from quizwriter.store.store import Store
from quizwriter.system.decoding import DecodingError, decode_small_json

_KIND = "blind draw"

_Keys = Annotated[tuple[Annotated[str, msgspec.Meta(max_length=200)], ...], msgspec.Meta(max_length=100)]


class BlindDraw(msgspec.Struct, frozen=True):
    """The tossups that the ``seed`` drew of a set, and as many of its control."""

    seed: int
    these: _Keys
    controls: _Keys

    @property
    def shuffled(self) -> tuple[str, ...]:
        """All of them, in the order in which they are read."""
        keys = [*self.these, *self.controls]
        random.Random(f"order {self.seed}").shuffle(keys)
        return tuple(keys)


class BlindDraws:
    """Draws once for each set and control, and remembers what was drawn."""

    def __init__(self, store: Store, games: Games) -> None:
        self._store, self._games = store, games

    def of(self, set_name: str, control: str) -> BlindDraw | None:
        """What was drawn; None where nothing was."""
        items = self._store.items(_KIND)
        kept, older = items.get(_name(set_name, control)), items.get(f"{set_name} / {control}")
        try:
            if kept is not None:
                return decode_small_json(kept, BlindDraw)
            found = None if older is None else decode_small_json(older, BlindDraw)
            return found if found is not None and self._is_of(found, set_name, control) else None
        except DecodingError as damage:
            raise QuizwriterError(
                f"The draw of {set_name} and {control} is damaged ({damage}).", "Restore a backup."
            ) from damage

    def draw(self, set_name: str, control: str, each: int, seed: int) -> Sequence[MatchTossup]:
        """``each`` tossups of the set and of its control, shuffled; the same if drawn before. Slow."""
        drawn = self.of(set_name, control)
        if drawn is None:
            if set_name == control:
                raise QuizwriterError("A set cannot be its own control.", "Name another set.")
            draw = random.Random(f"draw {seed}")
            these, controls = (self._keys(name, each, draw) for name in (set_name, control))
            drawn = BlindDraw(seed, these, controls)
            self._store.put_item(_KIND, _name(set_name, control), msgspec.json.encode(drawn).decode())
        elif (drawn.seed, len(drawn.these)) != (seed, each):
            raise QuizwriterError(
                f"{len(drawn.these)} tossups of {set_name} and {control} were drawn before, by the seed "
                f"{drawn.seed}.",
                "Use that number and that seed.",
            )
        return self._games.tossups(drawn.shuffled)

    def _is_of(self, drawn: BlindDraw, set_name: str, control: str) -> bool:
        """Whether a draw that an older version kept is of these two: "A / B" and "C" had one name with "A"
        and "B / C". Where no name has a slash it is, whatever sets its tossups are in today."""
        if " / " not in set_name + control:
            return True
        keys = [{key for key, _, _ in self._store.tossups_of_set(name)} for name in (set_name, control)]
        return bool(keys[0].intersection(drawn.these) and keys[1].intersection(drawn.controls))

    def _keys(self, name: str, each: int, draw: random.Random) -> tuple[str, ...]:
        keys = sorted(one.key for one in self._games.tossups_of(name))
        if len(keys) < each:
            raise QuizwriterError(
                f"{name} has only {len(keys)} tossups that can be read, and {each} are needed.",
                "Draw fewer, or name a larger set.",
            )
        return tuple(draw.sample(keys, each))


def _name(set_name: str, control: str) -> str:
    return json.dumps([set_name, control], ensure_ascii=False)
