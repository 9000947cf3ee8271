"""Every figure that a challenge set states, computed from the rows of its files alone.

The export and the verification both call :func:`set_figures`; no document states a figure from elsewhere.
The rows are the values under ``quizwriter`` in ``questions.json``, and the games in ``plays.jsonl`` and
``control.jsonl``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec.structs import replace

from quizwriter.challenge.page_rule import RightnessRule
from quizwriter.challenge.wrong_guesses import TaggedExample, WrongGuessRow, tagged_examples
from quizwriter.domain.events import Event
from quizwriter.domain.history import Change
from quizwriter.domain.page import Page
from quizwriter.domain.provenance import Origin
from quizwriter.domain.rater_agreement import KappaEstimate, estimate_kappa
from quizwriter.domain.review import Round
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.experiments.accuracy import SHARES_HEARD, PlayerResult, first_right, player_result, win
from quizwriter.experiments.curves import PeoplesWins
from quizwriter.experiments.inference import paired_means
from quizwriter.services.beat_goal import NO_BEAT_GOAL, BeatGoal, GoalCount
from quizwriter.store.plays import Course, PlaySummary
from quizwriter.workflow.checks import check_titles
from quizwriter.workflow.estimates import Estimate, mean_of, share_of
from quizwriter.workflow.history_analysis import PAUSE_MS, typing_stretches
from quizwriter.workflow.people_rooms import BuzzFit, PastVersions, people_rooms

FEWEST = 5
"""Fewer questions than this in a category or with a tag get no line of their own in the results."""


# -- the rows


class CheckRow(msgspec.Struct, frozen=True):
    """A check of a question, and the reason of its override; empty without one."""

    check: str
    passed: bool
    told: str
    overridden: str = ""


class TaggingRow(msgspec.Struct, frozen=True):
    """The tags that one person gave a question in a round."""

    by: str  # a pseudonym
    round: str
    tags: tuple[str, ...]


class ProvenanceRow(msgspec.Struct, frozen=True):
    """Where a question comes from, see :class:`quizwriter.domain.provenance.Provenance`.

    The days are of the first and the last edit, in UTC; empty without edits.
    """

    origin: str
    edits: int = 0
    first_day: str = ""
    last_day: str = ""
    players: tuple[str, ...] = ()
    file: str = ""
    digest: str = ""
    tournament: str = ""
    year: int | None = None
    authors: tuple[str, ...] = ()  # pseudonyms
    rewritten_from: str = ""  # the released id of the other tossup
    based_on: str = ""  # the past question with whose text it began
    arm: str = ""  # of the comparison of its set, "hidden" or "shown"; empty: in none


class LoopRow(msgspec.Struct, frozen=True):
    """Who was in the loop while a question was edited here, see :func:`loop_row`."""

    players: tuple[str, ...]
    attempts: Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
    minutes: Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class PeopleRow(msgspec.Struct, frozen=True):
    """What people did who played a question: in how many rooms, and after how many words they answered it.

    ``answered`` has the words heard at the first right buzz of each room that had one, in order. ``edited``:
    the text was changed since some were heard, and buzzes moved with the words. No room is named.
    """

    rooms: Annotated[int, msgspec.Meta(ge=1, le=1 << 31)]
    answered: tuple[Annotated[int, msgspec.Meta(ge=1, le=1 << 31)], ...]
    edited: bool = False


def people_row(events: Sequence[Event], tossup: Tossup, history: PastVersions) -> PeopleRow | None:
    """What the ``events`` of a question say of people on its text; None without a room that fits it."""
    people = people_rooms(events, tossup, history)
    if not people.fitting:
        return None
    moved = people.counted(BuzzFit.FITS) < len(people.rooms)
    return PeopleRow(len(people.fitting), people.right_words, moved)


def loop_row(changes: Sequence[Change], shown: Sequence[tuple[int, str]]) -> LoopRow:
    """The players that were ``shown`` after edits, how often the writer tried, and for how many minutes.

    ``shown`` has the number of an edit and a player each. An attempt is a stretch of typing at one place
    after which any player showed its game. Minutes are the times between edits, pauses cut to
    :data:`PAUSE_MS`.
    """
    pauses = (max(0, after.at_ms - before.at_ms) for before, after in pairwise(changes))
    spent = sum(min(pause, PAUSE_MS) for pause in pauses)
    firsts = [first for first, _ in typing_stretches(changes)]
    return LoopRow(
        tuple(sorted({player for _, player in shown})),
        len({bisect_right(firsts, number) for number, _ in shown}),
        round(spent / 60_000, 2),
    )


class QuestionRow(msgspec.Struct, frozen=True):
    """What the figures need of a row under ``quizwriter``. Sets of older versions lack the last fields."""

    qanta_id: int
    tossup_id: str
    split: str
    writer: str
    levels: tuple[str, ...]
    words: int
    tags: tuple[str, ...]
    checks: tuple[CheckRow, ...]
    near_duplicates_group: int | None = None
    taggings: tuple[TaggingRow, ...] = ()
    tags_decided: bool = True
    provenance: ProvenanceRow = ProvenanceRow(Origin.NOT_RECORDED)
    consent: str = ""  # how sure the consent is, see ConsentBasis; empty: not recorded
    loop: LoopRow | None = None
    wrong_guess: WrongGuessRow | None = None
    people: PeopleRow | None = None

    @property
    def category(self) -> str:
        """The broadest level of the category; empty if it has none."""
        return self.levels[0] if self.levels else ""


Games = Mapping[str, Mapping[int, PlaySummary]]
"""The game of each player on each question, by the player's name and the question's number."""


def position_row(game: PlaySummary) -> dict[str, Any]:
    """What ``questions.json`` says of a game under ``positions``, ready for JSON."""
    return {
        "guesser": game.guesser,
        "first_correct": game.first_correct,
        "stable_correct": game.stable_correct,
        "buzz": game.buzz,
        "buzzes_right": game.buzzes_right,
        "can_know": game.knowable,
    }


def recomputed_summary(
    claimed: PlaySummary,
    course: Course,
    tossup: Tossup,
    rule: RightnessRule = Answer.accepts,
    *,
    by_judge: bool = True,
) -> PlaySummary:
    """The summary of a game as its ``course`` has it, whatever ``claimed`` says; ``rule`` is that of the set.

    ``by_judge``: a guess that may be right stumps nobody, as in sets since schema 5.

    Two claims cannot be computed from the course: the position of the buzz, and whether the player can know
    an answer that it never names. A game of ``control.jsonl`` has no guesses, so its ``right`` is believed.
    """
    answer = tossup.answer
    firsts = [course.pages[row[0]] if row else None for row in course.guesses]
    if course.pages:
        right = [int(page is not None and answer is not None and rule(answer, page)) for page in firsts]
    else:
        right = list(course.right)
    first = next((heard for heard, is_right in zip(course.heard, right, strict=True) if is_right), None)
    stable = None
    for heard, is_right in zip(reversed(course.heard), reversed(right), strict=True):
        if not is_right:
            break
        stable = heard
    at = course.heard.index(claimed.buzz) if claimed.buzz in course.heard else None
    page = firsts[at] if at is not None and firsts else None
    words = len(tossup.words)
    return PlaySummary(
        guesser=claimed.guesser,
        engine=claimed.engine,
        words=words,
        first_correct=first,
        stable_correct=stable,
        buzz=claimed.buzz,
        buzz_page=page or "",
        buzz_chance=course.chances[at] if at is not None else 0.0,
        buzzes_right=bool(at is not None and right[at]),
        knowable=answer is not None and (claimed.knowable or first is not None),
        curve=msgspec.structs.replace(course, right=right).curve(words),
        possible=course.first_possible(answer) if by_judge and course.pages else None,
    )


# -- the control


class ControlGames(msgspec.Struct, frozen=True):
    """The games on the control, whose questions have numbers of their own.

    ``matched`` has the question of the set for each of them, ``buzzes`` the share of the characters heard at
    the buzz; both are empty in sets before schema 4. ``seed`` matched them and draws the intervals; before
    schema 5 the intervals were drawn with 0.
    """

    games: Games = msgspec.field(default_factory=dict)
    matched: Mapping[int, int] = msgspec.field(default_factory=dict)
    buzzes: Mapping[str, Mapping[int, float | None]] = msgspec.field(default_factory=dict)
    seed: int = 0

    def buzzes_of(self, name: str) -> list[float | None] | None:
        """The share heard at each buzz of the player ``name``, in the order of its games."""
        found = self.buzzes.get(name)
        return None if found is None else [found.get(number) for number in self.games[name]]


class PairedDifference(msgspec.Struct, frozen=True):
    """How much more of the set than of its control a player gets, over ``pairs`` that it can both know.

    ``right`` is the difference after each of :data:`SHARES_HEARD`, ``area`` that of the whole curve; the
    intervals are by bootstrap over pairs.
    """

    player: str
    pairs: int
    right: Mapping[int, Estimate]
    area: Estimate


def paired_differences(games: Games, control: ControlGames) -> Iterator[PairedDifference]:
    """The difference of each player, as the experiment ``curves`` draws it; none without a control."""
    for name, beside in control.games.items():
        pairs = [
            (games[name][at], game)
            for number, game in beside.items()
            if (at := control.matched.get(number)) is not None and at in games.get(name, {})
        ]
        known = [(one, other) for one, other in pairs if one.knowable and other.knowable]
        if not known:
            continue
        columns = np.array(
            [
                [
                    *(float(one.right_after(at)) - float(other.right_after(at)) for at in SHARES_HEARD),
                    (one.curve.count("1") - other.curve.count("1")) / 100,
                ]
                for one, other in known
            ]
        )
        *right, area = paired_means(columns, control.seed)
        yield PairedDifference(name, len(known), dict(zip(SHARES_HEARD, right, strict=True)), area)


# -- people


class WinsAgainstPeople(msgspec.Struct, frozen=True):
    """The expected wins of a player on the questions that people played and that it can know.

    ``people`` are by :class:`PeoplesWins`, ``cubic`` by the published curve on the same questions.
    """

    player: str
    people: Estimate
    cubic: Estimate


class PeopleFigures(msgspec.Struct, frozen=True):
    """What people did on the questions that they played, and who would win there."""

    questions: int
    rooms: int
    answered: Estimate  # the share of the rooms in which somebody was right
    edited: int  # how many of the questions were changed since
    wins: tuple[WinsAgainstPeople, ...]


def people_figures(
    rows: Sequence[QuestionRow], games: Games, tossups: Mapping[int, Tossup] | None
) -> PeopleFigures | None:
    """The figures of people in a set of the questions ``rows``; None where nobody played any of them."""
    played = {row.qanta_id: (row.people, row.words) for row in rows if row.people is not None and row.words}
    if not played:
        return None
    answered = {
        str(number): [
            *(min(1.0, heard / words) for heard in people.answered),
            *[None] * (people.rooms - len(people.answered)),
        ]
        for number, (people, words) in played.items()
    }
    against = PeoplesWins(answered)
    wins = []
    for name, of in games.items():
        known = [number for number in played if number in of and of[number].knowable]
        by_people = [win(of[number], chance=partial(against.chance, str(number))) for number in known]
        by_cubic = [win(of[number], None if tossups is None else tossups[number]) for number in known]
        wins.append(WinsAgainstPeople(name, mean_of(by_people), mean_of(by_cubic)))
    rooms = sum(people.rooms for people, _ in played.values())
    return PeopleFigures(
        len(played),
        rooms,
        share_of(sum(len(people.answered) for people, _ in played.values()), rooms),
        sum(people.edited for people, _ in played.values()),
        tuple(wins),
    )


# -- the whole set


class ImportedFile(msgspec.Struct, frozen=True):
    """A file from which questions were imported, and what the file says of them."""

    file: str
    digest: str
    questions: int
    edited: int  # how many of them were edited here
    tournaments: tuple[str, ...]
    years: tuple[int, ...]
    authors: int  # different ones
    without_author: int


class ProvenanceFigures(msgspec.Struct, frozen=True):
    """Where the questions come from: how many by origin, the work here, and the files."""

    origins: Mapping[Origin, int]
    edits: int
    edited: int  # how many questions have any edit here
    days: tuple[str, str] | None  # of the first and the last edit
    players: Mapping[str, int]  # how many questions were edited with this player in view
    files: tuple[ImportedFile, ...]
    based_on: tuple[str, ...] = ()  # the past questions with whose texts questions began
    arms: Mapping[str, int] = msgspec.field(default_factory=dict)  # how many questions are in each arm


class TagFigures(msgspec.Struct, frozen=True):
    """How often a tag was given, in how many questions nobody decided it, and how far its taggers agree."""

    tag: str
    questions: int
    undecided: int
    agreement: KappaEstimate


class SetFigures(msgspec.Struct, frozen=True):
    """All figures of a challenge set; see :func:`set_figures`."""

    questions: int
    words: int
    writers: int
    unknown_writers: int
    guessable: int  # questions that any player can know
    categories: Mapping[str, int]
    splits: Mapping[str, int]
    overridden: Mapping[str, int]
    failing: Mapping[str, int]
    duplicate_groups: int
    provenance: ProvenanceFigures
    consents: Mapping[str, int]
    tags: tuple[TagFigures, ...]
    taggers: int
    results: tuple[PlayerResult, ...]
    by_category: Mapping[str, tuple[PlayerResult, ...]]
    by_tag: Mapping[str, tuple[PlayerResult, ...]]
    control: tuple[PlayerResult, ...]
    differences: tuple[PairedDifference, ...] = ()
    examples: tuple[TaggedExample, ...] | None = None  # None: sets before schema 4 have none
    loops: tuple[LoopRow, ...] = ()
    people: PeopleFigures | None = None
    goal: GoalCount | None = None  # None: the set had no goal


def set_figures(
    rows: Sequence[QuestionRow],
    games: Games,
    control: ControlGames,
    tossups: Mapping[int, Tossup] | None = None,
    *,
    only_ever_right: bool = False,
    whole_disputes: bool = False,
    goal: BeatGoal = NO_BEAT_GOAL,
    last_guesses: Mapping[tuple[str, int], Page | None] = MappingProxyType({}),
) -> SetFigures:
    """The figures of a set of the questions ``rows``, on which players played ``games``.

    ``control`` has no games without a control. With ``tossups``, the texts of the questions, expected wins
    are by the characters heard; sets before schema 4 have none. ``only_ever_right``: questions that are
    never right drop out of the mean position, as they did before schema 3. ``whole_disputes``: where taggers
    dispute one tag, all of the question's count as undecided, as they did before schema 5. The questions were
    to reach the ``goal``; ``last_guesses`` are by player and question, after the last word.
    """

    def results(numbers: Sequence[int]) -> tuple[PlayerResult, ...]:
        found = []
        for name, of in games.items():
            there = [number for number in numbers if number in of]
            texts = None if tossups is None else [tossups[number] for number in there]
            found.append(of_games(name, [of[number] for number in there], texts))
        return tuple(found)

    def of_games(
        name: str,
        played: Sequence[PlaySummary],
        texts: Sequence[Tossup] | None,
        buzzes: Sequence[float | None] | None = None,
    ) -> PlayerResult:
        found = player_result(name, played, texts, buzzes)
        if not only_ever_right:
            return found
        reached = [first_right(game) for game in played if game.knowable and game.first_correct is not None]
        return replace(found, first=mean_of(reached))

    def by(numbers: Mapping[str, list[int]]) -> dict[str, tuple[PlayerResult, ...]]:
        return {name: results(of) for name, of in sorted(numbers.items()) if len(of) >= FEWEST}

    categories: dict[str, list[int]] = {}
    tagged: dict[str, list[int]] = {}
    for row in rows:
        categories.setdefault(row.category, []).append(row.qanta_id)
        for tag in row.tags:
            tagged.setdefault(tag, []).append(row.qanta_id)
    titles = check_titles()
    failed = [
        (titles.get(check.check, check.check), bool(check.overridden))
        for row in rows
        for check in row.checks
        if not check.passed
    ]
    known = {number for of in games.values() for number, game in of.items() if game.knowable}
    return SetFigures(
        questions=len(rows),
        words=sum(row.words for row in rows),
        writers=len({row.writer for row in rows} - {"unknown"}),
        unknown_writers=sum(row.writer == "unknown" for row in rows),
        guessable=sum(row.qanta_id in known for row in rows),
        categories={name: len(of) for name, of in sorted(categories.items())},
        splits=Counter(row.split for row in rows),
        overridden=Counter(name for name, overridden in failed if overridden),
        failing=Counter(name for name, overridden in failed if not overridden),
        duplicate_groups=len({row.near_duplicates_group for row in rows} - {None}),
        provenance=provenance_figures(rows),
        consents=Counter(row.consent for row in rows),
        tags=tag_figures(rows, whole_disputes=whole_disputes),
        taggers=len({tagging.by for row in rows for tagging in row.taggings}),
        results=results([row.qanta_id for row in rows]),
        by_category=by(categories),
        by_tag=by(tagged),
        control=tuple(
            of_games(name, list(of.values()), None, control.buzzes_of(name))
            for name, of in control.games.items()
        ),
        differences=tuple(paired_differences(games, control)),
        examples=None
        if tossups is None
        else tuple(
            tagged_examples(
                {row.qanta_id: row.tags for row in rows},
                {row.qanta_id: row.wrong_guess for row in rows if row.wrong_guess is not None},
                tossups,
            )
        ),
        loops=tuple(row.loop for row in rows if row.loop is not None),
        people=people_figures(rows, games, tossups),
        goal=None if tossups is None else _goal_count(goal, games, tossups, last_guesses),
    )


def _goal_count(
    goal: BeatGoal,
    games: Games,
    tossups: Mapping[int, Tossup],
    last_guesses: Mapping[tuple[str, int], Page | None],
) -> GoalCount | None:
    """How many questions reach the ``goal``; None without one."""
    if not goal.players:
        return None
    if missing := goal.missing(games):
        return GoalCount(0, 0, missing=missing)

    def questions() -> Iterator[tuple[Answer | None, dict[str, Page | None], bool]]:
        for number, tossup in tossups.items():
            played = {name: games[name][number] for name in goal.players if number in games.get(name, {})}
            guesses = {name: last_guesses.get((name, number)) for name in played}
            yield tossup.answer, guesses, all(game.knowable for game in played.values())

    return GoalCount.of(goal, questions())


def provenance_figures(rows: Sequence[QuestionRow]) -> ProvenanceFigures:
    every = [row.provenance for row in rows]
    files: dict[tuple[str, str], list[ProvenanceRow]] = {}
    for one in every:
        if one.origin == Origin.IMPORTED:
            files.setdefault((one.file, one.digest), []).append(one)
    days = sorted(day for one in every for day in (one.first_day, one.last_day) if day)
    return ProvenanceFigures(
        origins={origin: count for origin in Origin if (count := sum(one.origin == origin for one in every))},
        edits=sum(one.edits for one in every),
        edited=sum(one.edits > 0 for one in every),
        days=(days[0], days[-1]) if days else None,
        players=dict(sorted(Counter(name for one in every for name in one.players).items())),
        files=tuple(
            ImportedFile(
                file,
                digest,
                len(of),
                sum(one.edits > 0 for one in of),
                tuple(sorted({one.tournament for one in of} - {""})),
                tuple(sorted({one.year for one in of if one.year is not None})),
                len({author for one in of for author in one.authors}),
                sum(not one.authors for one in of),
            )
            for (file, digest), of in sorted(files.items())
        ),
        based_on=tuple(sorted({one.based_on for one in every} - {""})),
        arms=dict(sorted(Counter(one.arm for one in every if one.arm).items())),
    )


def _is_undecided(row: QuestionRow, tag: str, *, whole_disputes: bool) -> bool:
    """Whether taggers differ on ``tag`` and nobody decided."""
    if tag not in row.tags or row.tags_decided:
        return False
    return whole_disputes or any(tag not in one.tags for one in row.taggings)


def tag_figures(rows: Sequence[QuestionRow], *, whole_disputes: bool) -> tuple[TagFigures, ...]:
    """How often each tag was given, and how far the people agree who tagged without seeing each other's tags.

    Agreement is over the questions that the most usual number of people tagged, two at least: Cohen's kappa
    for two people, Fleiss' kappa for more.
    """
    blind = [[frozenset(one.tags) for one in row.taggings if one.round == Round.BLIND] for row in rows]
    sizes = Counter(len(of) for of in blind if len(of) > 1)
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
    compared = [of for of in blind if len(of) == usual] if usual else []
    people = {
        one.by
        for row, of in zip(rows, blind, strict=True)
        if len(of) == usual
        for one in row.taggings
        if one.round == Round.BLIND
    }
    names = {tag for row in rows for tag in row.tags} | {
        tag for of in compared for tags in of for tag in tags
    }
    return tuple(
        TagFigures(
            tag,
            sum(tag in row.tags for row in rows),
            sum(_is_undecided(row, tag, whole_disputes=whole_disputes) for row in rows),
            estimate_kappa([[tag in tags for tags in of] for of in compared], same_two=len(people) == 2)
            if compared
            else KappaEstimate(0, None),
        )
        for tag in sorted(names)
    )
