"""The rooms in which people played a tossup, each buzz placed in the text as it is now.

A buzz belongs to the version that was read, which its digest names. Where the text was edited since, the diff
of the two versions says where the buzz is now, or that it tells nothing of the text any more.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import pairwise, product
from math import ceil
from statistics import fmean

import msgspec

from quizwriter.domain.alignment import matching_words
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change
from quizwriter.domain.review import Person, RoomsRecorded, name_key
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.domain.tossup_game import Advice, Game, Phase, Played, Said, Seat, version_digest
from quizwriter.workflow.session import AnswerChange

FEWEST_ROOMS = 5
"""Rooms from which on people have a curve, and a question chances of its own; fewer are shown one by one."""

REST_MS = 3_600_000

_PARTED = re.compile(r"\S++")


class BuzzFit(StrEnum):
    """What an edit left of a buzz."""

    FITS = "fits"  # the words that were heard are the first ones still
    MOVED = "moved by the diff"
    GONE = "no longer fits"


class PlacedBuzz(msgspec.Struct, frozen=True):
    """After how many words of the text of now a buzz is; 0 where it no longer fits."""

    fit: BuzzFit
    word: int


class Placement:
    """Says where buzzes on the version ``read`` are in the text ``now``; None: that version is not known."""

    def __init__(self, read: Tossup | None, now: Tossup) -> None:
        self._text, self._starts = (
            ("", []) if read is None else (read.text, [one.start for one in read.words])
        )
        self._read = () if read is None else read.bare_words
        self._now = now.bare_words

    @cached_property
    def _matched(self) -> Mapping[int, int]:
        return dict(matching_words(self._read, self._now))

    def place(self, heard: int) -> PlacedBuzz:
        """Where a buzz after ``heard`` words of the version is now.

        It fits where those words are still the first ones. It moves with the word at which it was, as long as
        what was heard makes up half of what would be heard now, and half of it is still there.
        """
        read, now = self._read, self._now
        heard = min(max(heard, 1), len(read))
        if not read or not now:
            return PlacedBuzz(BuzzFit.GONE, 0)
        if read[:heard] == now[:heard]:
            return PlacedBuzz(BuzzFit.FITS, heard)
        at = self._matched.get(heard - 1)
        if at is not None:
            kept = sum(one in self._matched for one in range(heard))
            if 2 * kept >= max(heard, at + 1):
                return PlacedBuzz(BuzzFit.MOVED, at + 1)
        return PlacedBuzz(BuzzFit.GONE, 0)

    def place_share(self, heard: int, words: int) -> PlacedBuzz:
        """As :meth:`place`, of a buzz in a file that counts ``words`` words.

        A file may count what spaces part, such as a lone stroke or a power mark; of other numbers of words
        only the share is told.
        """
        own = len(self._read)
        if words < 1 or words == own:
            return self.place(heard)
        parted = [part.end() for part in _PARTED.finditer(self._text)]
        if words == len(parted):
            return self.place(bisect_left(self._starts, parted[min(max(heard, 1), words) - 1]))
        placed = self.place(min(own, max(1, ceil(min(heard, words) / words * own))) if own else 1)
        return PlacedBuzz(BuzzFit.MOVED, placed.word) if placed.fit is BuzzFit.FITS else placed

    def place_end(self, heard: int) -> PlacedBuzz:
        """What is left of ``heard`` words after which nobody was right: nothing, if more words follow now."""
        placed = self.place(heard)
        if placed.word == len(self._now) or heard < len(self._read):
            return placed
        return PlacedBuzz(BuzzFit.GONE, 0)

    @property
    def words_read(self) -> int:
        return len(self._read)


class PeopleBuzz(msgspec.Struct, frozen=True):
    """A person's buzz; ``answers`` are what was said, and ``who`` is a pseudonym: both empty where unknown.

    ``neg``: it is that of its room, see :func:`neg_of`. A game also has its ``room``, its ``points`` and the
    pseudonym of its ``team``, which is the person's own where there are no teams.
    """

    placed: PlacedBuzz
    right: bool
    neg: bool = False
    answers: tuple[str, ...] = ()
    who: str = ""
    room: str = ""
    points: int = 0
    team: str = ""


class PeopleRoom(msgspec.Struct, frozen=True):
    """One reading of the tossup; ``placed`` is its right buzz, or where it ended if nobody was right.

    In a room that is not ``whole``, somebody who does not count answered first, or the reading stopped.
    """

    name: str
    answered: bool
    placed: PlacedBuzz
    whole: bool = True
    told: bool = True  # which version was read
    game: str = ""  # in which other tossups may have been read to the same teams


class RoomFigures(msgspec.Struct, frozen=True):
    """What people did on a tossup: in how many rooms it was ``answered``, and after which word on average.

    ``negs`` are those of these rooms. Of imported ones no buzz says in which it was, so there each counts
    that still fits.
    """

    rooms: int
    answered: int
    mean_word: float | None
    negs: int


class PeopleRooms(msgspec.Struct, frozen=True):
    """All rooms of a tossup, all buzzes in them, and what machines were asked after these."""

    rooms: tuple[PeopleRoom, ...] = ()
    buzzes: tuple[PeopleBuzz, ...] = ()
    advice: tuple[Advice, ...] = ()

    @property
    def fitting(self) -> tuple[PeopleRoom, ...]:
        """The rooms that tell when people answer the text as it is now."""
        return tuple(one for one in self.rooms if one.whole and one.placed.fit is not BuzzFit.GONE)

    def counted(self, fit: BuzzFit) -> int:
        """How many rooms are of that kind."""
        return sum(one.placed.fit is fit for one in self.rooms)

    @property
    def right_words(self) -> tuple[int, ...]:
        """After how many words each fitting room was answered that was."""
        return tuple(sorted(one.placed.word for one in self.fitting if one.answered))

    @property
    def figures(self) -> RoomFigures | None:
        """The figures of the rooms that fit; None without any."""
        right = self.right_words
        if not self.fitting:
            return None
        names = {one.name for one in self.fitting}
        negs = sum(
            one.neg and one.placed.fit is not BuzzFit.GONE and (not one.room or one.room in names)
            for one in self.buzzes
        )
        return RoomFigures(len(self.fitting), len(right), fmean(right) if right else None, negs)


def neg_of(buzzes: Iterable[tuple[int, bool, int]], words: int) -> int | None:
    """Which of a room's buzzes was the neg: the first wrong one with minus points before the last word.

    Each is told by the words heard, whether it was right, and its points; None: there was no neg.
    """
    return next(
        (
            at
            for at, (heard, right, points) in enumerate(buzzes)
            if not right and points < 0 and heard < words
        ),
        None,
    )


class PastVersions(msgspec.Struct, frozen=True):
    """What a tossup went through, as far as it tells which version was read, and who wrote on it."""

    changes: Sequence[Change] = ()
    answers: Sequence[AnswerChange] = ()
    people: Mapping[str, Person] = {}

    @property
    def writers(self) -> frozenset[str]:
        return frozenset(change.author for change in self.changes if change.author)

    def versions(self, wanted: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Tossup | None]:
        """The versions with each digest; without one, that after the edit. None where there is no such.

        People mostly read one of the last versions, so these are looked at first: each costs a digest.
        """
        found: dict[tuple[str, int], Tossup | None] = dict.fromkeys(wanted)
        missing = {digest: (digest, seq) for digest, seq in found if digest}
        lines = dict.fromkeys(one.answer.line for one in reversed(self.answers) if one.answer is not None)
        texts = {0: ""}
        text = ""
        for change in self.changes:
            text = texts[change.seq] = change.edit.apply(text)
        found |= {("", seq): Tossup(texts[seq]) for digest, seq in found if not digest and seq in texts}
        for text, line in product(dict.fromkeys(reversed(texts.values())), (*lines, None)):
            if not missing:
                break
            tossup = Tossup(text, None if line is None else Answer(line))
            if (key := missing.pop(version_digest(tossup), None)) is not None:
                found[key] = tossup
        return found

    def at_rest(self) -> Iterator[Tossup]:
        """The earlier versions that were left alone for an hour, as those are that others were given."""
        answers = sorted(self.answers, key=lambda one: one.seq)
        text = ""
        for change, after in pairwise(self.changes):
            text = change.edit.apply(text)
            if after.at_ms - change.at_ms >= REST_MS:
                line = bisect_right(answers, change.seq, key=lambda one: one.seq)
                yield Tossup(text, answers[line - 1].answer if line else None)


def people_rooms(events: Iterable[Event], now: Tossup, history: PastVersions) -> PeopleRooms:
    """What the ``events`` of a tossup say of people on the text ``now``.

    A room that was recorded twice counts once. The games of its writers do not count, nor does whoever heard
    the tossup before: each knows it.
    """
    events = [one for one in events if isinstance(one.body, Played | RoomsRecorded)]
    if not events:
        return PeopleRooms()
    keys = [_version(event) for event in events]
    versions = history.versions(keys)
    placements = {key: Placement(read, now) for key, read in versions.items()}
    rooms: dict[str, PeopleRoom] = {}
    buzzes: list[PeopleBuzz] = []
    advice: list[Advice] = []
    listeners = _Listeners(history)
    for event, key in zip(events, keys, strict=True):
        match event.body:
            case RoomsRecorded() as recorded:
                _add_recorded(recorded, placements[key], rooms, buzzes)
            case Played() as played:
                _add_played(played, placements[key], listeners, rooms, buzzes, advice)
    return PeopleRooms(tuple(rooms.values()), tuple(buzzes), tuple(advice))


def _version(event: Event) -> tuple[str, int]:
    body = event.body
    if isinstance(body, Played):
        return body.rules.tossup.digest, 0
    digest = body.digest if isinstance(body, RoomsRecorded) else ""
    return (digest, 0) if digest else ("", event.seq)


def _add_recorded(
    recorded: RoomsRecorded, placement: Placement, rooms: dict[str, PeopleRoom], buzzes: list[PeopleBuzz]
) -> None:
    if recorded.games and all(game in rooms for game in recorded.games):
        return
    for game, heard in zip(recorded.games, recorded.right, strict=False):
        if game in rooms:
            continue
        if heard > 0:
            placed = placement.place_share(heard, recorded.words)
            buzzes.append(PeopleBuzz(placed, True))
        else:
            placed = placement.place_end(placement.words_read)
        rooms[game] = PeopleRoom(game, heard > 0, placed, told=bool(recorded.digest))
    free = Counter(recorded.free)
    for heard in recorded.wrong:
        free[heard] -= 1
        neg = heard < recorded.words and free[heard] < 0
        buzzes.append(PeopleBuzz(placement.place_share(heard, recorded.words), False, neg))


class _Listeners:
    """Who heard the tossup before, from the first game on."""

    def __init__(self, history: PastVersions) -> None:
        self._ids = set(history.writers)
        self._writers = {name_key(history.people[key].name) for key in self._ids if key in history.people}
        self._names: set[str] = set()

    def are_new(self, seats: Sequence[Seat]) -> set[int]:
        """The seats of people to whom the tossup is new; from now on it is not."""
        found = {
            at
            for at, seat in enumerate(seats)
            if not seat.machine
            and seat.person not in self._ids
            and called(seat.name) not in self._names
            and not (seat.name and name_key(seat.name) in self._writers - {""})
        }
        self._ids.update(seat.person for seat in seats if seat.person)
        self._names.update(called(seat.name) for seat in seats if seat.name and not seat.machine)
        return found


def called(name: str) -> str:
    """By what a player called ``name`` is known again: two of one name count as one person."""
    return " ".join(name.casefold().split())


def _add_played(
    played: Played,
    placement: Placement,
    listeners: _Listeners,
    rooms: dict[str, PeopleRoom],
    buzzes: list[PeopleBuzz],
    advice: list[Advice],
) -> None:
    seats, game = played.rules.seats, played.replay()
    name = f"{played.game} {played.number}"
    if name in rooms:
        return
    counted = listeners.are_new(seats)
    if game is None or not counted or played.replaced:
        return
    state = game.state
    scored = [
        (buzz.word, buzz.said is Said.ACCEPT, points)
        for buzz, points in zip(state.buzzes, state.points(played.rules), strict=True)
    ]
    neg = neg_of(scored, played.rules.tossup.words)  # of the text that was read
    for at, (buzz, (word, right, points)) in enumerate(zip(state.buzzes, scored, strict=True)):
        if buzz.seat in counted and buzz.said in {Said.ACCEPT, Said.REJECT}:
            seat = seats[buzz.seat]
            who = pseudonym("p", f"{seat.team}\0{seat.name}") if seat.name else ""
            nobody = f"{played.game}\0{buzz.seat}"  # of whom nothing is told, in another game is another
            team = pseudonym("t", seat.team or seat.name or nobody)
            buzzes.append(
                PeopleBuzz(placement.place(word), right, at == neg, buzz.answers, who, name, points, team)
            )
    heard = {(buzz.seat, buzz.word) for buzz in state.buzzes if buzz.seat in counted}
    advice += [one for one in played.advice if (one.seat, one.word) in heard]
    answered = state.answered
    own = answered is not None and answered.seat in counted
    placed = (
        placement.place(answered.word) if own and answered is not None else placement.place_end(state.word)
    )
    whole = own or (answered is None and _is_over(game, counted))
    rooms[name] = PeopleRoom(name, own, placed, whole, game=played.game)


def _is_over(game: Game, counted: set[int]) -> bool:
    """Whether every seat that counts had its chance: all words were read, or each of them answered."""
    state, rules = game.state, game.rules
    if state.word >= rules.tossup.words:
        return True
    tried = {rules.team(one.seat) for one in state.buzzes if one.said is Said.REJECT}
    return state.phase is not Phase.READING and all(rules.team(seat) in tried for seat in counted)


def pseudonym(kind: str, name: str) -> str:
    """What somebody is called whose ``name`` is not shown: the same in every game, and no name."""
    return kind + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
