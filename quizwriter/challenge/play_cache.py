"""What players said of a tossup after every word, kept so that nobody plays the same game twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import IO, Any

from quizwriter.domain.guessing import Player, Playthrough, stumped
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.workflow.analysis import LONGEST_DRAFT

_BEFORE, _BETWEEN, _AFTER = b'{"key":"', b'","play":', b"}\n"
_DIGITS = 40  # of a key
_REST = b',"chances":'  # what a summary does not need


@dataclass(frozen=True, slots=True)
class CachedPlay:
    """The summary of a game; positions are words heard, ``curve`` goes by per cent of the words, from 1.

    ``knowable`` says whether the player can know the answer; of other games nothing is counted.
    """

    guesser: str
    engine: str  # digest of what the player was loaded from
    words: int
    first_correct: int | None
    stable_correct: int | None
    buzz: int | None
    buzzes_right: bool
    curve: tuple[bool, ...]  # whether the first guess is right then
    knowable: bool = True

    @classmethod
    def of(cls, line: bytes) -> CachedPlay:
        """The summary of the game in a ``line`` of :func:`played`; most of which is not read.

        Raises:
            ValueError, LookupError, TypeError: it is no game.
        """
        told = json.loads(line[: line.index(_REST)] + b"}")
        heard, right, words = told["heard"], told["right"], told["words"]
        curve, at = [], -1
        for share in range(1, 101):
            count = ceil(share / 100 * words)
            while at + 1 < len(heard) and heard[at + 1] <= count:
                at += 1
            curve.append(at >= 0 and bool(right[at]))
        return cls(
            told["guesser"],
            told["engine"],
            words,
            told["first_correct"],
            told["stable_correct"],
            told["buzz"],
            told["buzzes_right"],
            tuple(curve),
            bool(told["knowable"]),  # games kept by older versions lack it, so they are played again
        )

    def stumped(self, until: int = 100) -> bool:
        """Whether the player can know the answer, and its first guess is right at no time in the first
        ``until`` per cent of the words.
        """
        first = self.first_correct
        early = first if first is not None and first <= ceil(until / 100 * self.words) else None
        return stumped(early, knowable=self.knowable)


def told(play: Playthrough, engine: str) -> dict[str, Any]:
    """``play`` as a row of ``plays.jsonl`` has it, but for the question's id and the time it took.

    After each count of words in ``heard``: ``right`` says whether the first guess is right, ``chances`` what
    the player gives it, ``ranks`` the place of the true answer, ``guesses`` the numbers of its guesses in
    ``pages``, best first, ``scores`` how strong they are. Positions are words heard.
    """
    numbers: dict[str, int] = {}
    guesses = [[numbers.setdefault(guess.page, len(numbers)) for guess in row] for row in play.rows]
    buzz = play.buzz
    return {
        "guesser": play.guesser,
        "engine": engine,
        "words": len(play.tossup.words),
        "first_correct": play.first_correct,
        "stable_correct": play.stable_correct,
        "buzz": buzz.heard if buzz else None,
        "buzz_page": buzz.guess.page if buzz else "",
        "buzz_chance": round(float(buzz.confidence), 4) if buzz else 0.0,
        "buzzes_right": play.buzzes_right,
        "knowable": play.knowable,
        "heard": play.heard,
        "right": [int(right) for right in play.right],
        "chances": [round(float(chance), 4) for chance in play.chances],
        "ranks": play.ranks,
        "pages": list(numbers),
        "guesses": guesses,
        "scores": [[round(float(guess.score), 3) for guess in row] for row in play.rows],
    }


def played(player: Player, tossup: Tossup) -> bytes:
    """The game of ``player`` on ``tossup``, played now and told in JSON.

    Raises:
        QuizwriterError: the player is in trouble.
    """
    heard = tossup if len(tossup.words) <= LONGEST_DRAFT else tossup.heard(LONGEST_DRAFT)
    play = player.play(heard)
    if play.trouble is not None:
        raise QuizwriterError(
            f"{player.name} could not play: {play.trouble}", "Switch that player off, or mend what it lacks."
        )
    return json.dumps(told(play, player.engine), ensure_ascii=False, separators=(",", ":")).encode()


class PlayCache:
    """Games that were played, and what else is slow, in a file for each engine.

    Killed or full, a disk costs the last one at most.
    """

    def __init__(self, folder: Path) -> None:
        """Those kept in ``folder``, which need not be there yet."""
        self._folder = folder
        self._files: dict[str, IO[bytes]] = {}  # those that are read, by engine
        self._places: dict[str, dict[str, tuple[int, int]]] = {}  # of an engine's file: where each key is

    def close(self) -> None:
        """Let go of the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def game(self, player: Player, tossup: Tossup) -> CachedPlay:
        """The game of ``player`` on ``tossup``: the one kept, else one played and kept now.

        Raises:
            QuizwriterError: the player is in trouble, or the disk does not take it.
        """
        try:
            return CachedPlay.of(self.line(player, tossup))
        except (ValueError, LookupError, TypeError):  # it was damaged
            self.forget(player.engine, player.name, tossup)
            return CachedPlay.of(self.line(player, tossup))

    def line(self, player: Player, tossup: Tossup) -> bytes:
        """The same, told in JSON as :func:`told` does."""
        return self.kept(player.engine, player.name, tossup, lambda: played(player, tossup))

    def has(self, player: Player, tossup: Tossup) -> bool:
        """Whether the game need not be played."""
        return _key(player.name, tossup) in self._index(player.engine)

    def kept(self, engine: str, what: str, tossup: Tossup, make: Callable[[], bytes]) -> bytes:
        """The JSON kept under ``what`` for a tossup and an engine; else what ``make`` makes, kept now.

        Raises:
            QuizwriterError: the disk does not take it.
        """
        key, path = _key(what, tossup), self._file(engine)
        place = self._index(engine).get(key)
        try:
            if place is not None:
                file = self._files.get(engine)
                if file is None:
                    file = self._files[engine] = path.open("rb")
                file.seek(place[0])
                return file.read(place[1])
            made = make()
            line = _BEFORE + key.encode() + _BETWEEN + made + _AFTER
            self._folder.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as end:
                if end.tell() and not _ends(path):
                    end.write(b"\n")  # a program was killed while it wrote the line before
                end.write(line)
                end.flush()
                start = end.tell() - len(line)
        except OSError as trouble:
            raise _unusable(self._folder, trouble) from trouble
        self._index(engine)[key] = _inside(start, len(line))
        return made

    def forget(self, engine: str, what: str, tossup: Tossup) -> None:
        """Have what is kept under ``what`` made again."""
        self._index(engine).pop(_key(what, tossup), None)

    def _file(self, engine: str) -> Path:
        return self._folder / f"{hashlib.sha256(engine.encode()).hexdigest()[:24]}.jsonl"

    def _index(self, engine: str) -> dict[str, tuple[int, int]]:
        if engine not in self._places:
            index: dict[str, tuple[int, int]] = {}
            start = 0
            try:
                with self._file(engine).open("rb") as file:
                    for line in file:
                        if line.startswith(_BEFORE) and line.endswith(_AFTER):
                            key = line[len(_BEFORE) : len(_BEFORE) + _DIGITS].decode("ascii", "replace")
                            index[key] = _inside(start, len(line))
                        start += len(line)
            except FileNotFoundError:
                pass
            except OSError as trouble:
                raise _unusable(self._folder, trouble) from trouble
            self._places[engine] = index
        return self._places[engine]


def _inside(start: int, length: int) -> tuple[int, int]:
    """Where in a line of ``length`` the game is, and how long it is."""
    before = len(_BEFORE) + _DIGITS + len(_BETWEEN)
    return start + before, length - before - len(_AFTER)


def _key(what: str, tossup: Tossup) -> str:
    answer = tossup.answer
    told_apart = [what, tossup.text, answer and answer.line, answer and answer.page]
    return hashlib.sha256(json.dumps(told_apart).encode()).hexdigest()[:_DIGITS]


def _ends(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _unusable(folder: Path, trouble: OSError) -> QuizwriterError:
    return QuizwriterError(
        f"The games kept in {folder} cannot be used ({trouble.strerror}).",
        "Make room or allow writing there; the folder may be deleted, then they are played again.",
    )
