"""Effort: which edits work, how long it takes, and on whom, by the log of edits and of what players said."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from quizwriter.domain.history import edit_ids
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.experiments import column
from quizwriter.experiments.edit_kinds import EditClass, classify_edit
from quizwriter.experiments.inference import generator, grouped_mean, kaplan_meier
from quizwriter.experiments.inputs import ExperimentInputs, InputRecord, SourceQuestion
from quizwriter.experiments.people import MOST_GROUPS, percent
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.formats.histories import RELEASED_HISTORIES, ReleasedHistory, released_histories
from quizwriter.formats.question_files import withdrawn_beside
from quizwriter.judging import may_be_right
from quizwriter.system.decoding import decode_json, read_limited, translate_decoding_errors
from quizwriter.workflow.estimates import Estimate, share_of
from quizwriter.workflow.history_analysis import PAUSE_MS, History, position_share
from quizwriter.workflow.session import RecordedPlay
from quizwriter.workflow.set_progress import sample_size
from quizwriter.workflow.wording import counted_noun, player_title

GROUPS = ("writer", "tag", "month")
EVERY = "every edit"
"""What the row of all kinds of edits is called."""

LONGEST_HISTORY = 200_000
"""Edits of a tossup; keys that are typed one by one make some thousands."""

LARGEST_QUESTIONS = 1 << 30
"""Bytes of the file of questions of a challenge set."""

_MINUTE_MS = 60_000


class EditAttempt(msgspec.Struct, frozen=True):
    """An attempt to move a player: edits, and what it said before and after them.

    ``in_view`` says whether the writer was shown the player then; else it played both texts afterwards.
    ``shift`` is how much later it buzzes, as a share of the words.
    """

    tossup: int
    groups: tuple[str, ...]
    kind: EditClass
    player: str
    in_view: bool
    right_before: bool
    right_after: bool
    shift: float
    minutes: float


class StumpCourse(msgspec.Struct, frozen=True):
    """How long a writer took on one tossup until a player was stumped for good, or gave it up.

    ``stumped``: the first guess after the last word is surely wrong from this attempt on; else the tossup was
    left with a guess that is, or may be, right.
    """

    tossup: int
    groups: tuple[str, ...]
    player: str
    attempts: int
    minutes: float
    stumped: bool


class _LoggedTossup(msgspec.Struct, frozen=True):
    """A tossup of the database with its history."""

    key: str
    title: str
    history: History
    names: Mapping[str, str]
    minutes: tuple[float, ...]  # of work until each edit, from edit 0
    tags: tuple[str, ...] = ()  # those that a challenge set has

    def groups(self, by: str, seq: int, tags: Sequence[str]) -> tuple[str, ...]:
        """The groups of what was done by edit ``seq``."""
        change = self.history.changes[seq - 1]
        if by == "writer":
            return (self.names.get(change.author, "") or "unknown writer",)
        if by == "month":
            return (datetime.fromtimestamp(change.at_ms / 1000, UTC).strftime("%Y-%m"),)
        return tuple(tags) or ("no tag",) if by == "tag" else ("all",)


def minutes_of_work(history: History) -> tuple[float, ...]:
    """The minutes of work until each edit, from edit 0; of each pause, at most one minute counts."""
    found, before = [0.0], None
    for change in history.changes:
        gap = 0 if before is None else max(0, change.at_ms - before)
        found.append(found[-1] + min(gap, PAUSE_MS) / _MINUTE_MS)
        before = change.at_ms
    return tuple(found)


FEWEST_OF_KIND = 10
"""Attempts of a kind of edit from which the sentence names it."""


@experiment(
    "effort",
    title="Which edits work",
    asks="Which edits move the players, how long does that take, and whom?",
    source="Wallace et al. 2019, sections 2.4 and 5; Bartolo et al. 2020, section 3.2",
    columns=(
        column.text("group"), column.text("edits"), column.text("player"), column.text("in view"),
        column.count("attempts"), column.count("tossups"), column.share("fooled"),
        column.share("shift of the buzz"), column.share("buzzes later"),
        column.number("minutes of an attempt", estimated=True), column.share("stumped for good"),
        column.number("median attempts until stumped"), column.number("median minutes until stumped"),
        column.count("tossups to review"),
    ),
    plot=Plot.bars("shift of the buzz, per cent of the words"),
    needs=(Need.HISTORIES,),
    may=(Need.QUESTIONS, Need.PLAYERS),
    options=("by",),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("player"), column.count("attempts"),
        column.number("minutes"), column.text("stumped for good"),
    ),
)  # fmt: skip
def effort(given: ExperimentInputs) -> Found:
    """The table has a row for each group and player, and one for each kind of edit in it."""
    by = given.option("by", "", ("", *GROUPS))
    logged = list(_logged(given, by))
    tags = _tags(given, logged) if by == "tag" else {}
    attempts, courses = _shown(given, logged, by, tags)
    if given.players:
        attempts += _replayed(given, logged, by, tags, {one.key for one in given.unread(_ends(logged))})
    if not attempts:
        raise refuse(
            f"In none of {counted_noun(len(logged), 'tossup')} did the players play a text before and after "
            "an edit.",
            "Write with players, or name players with --players: they then play the old texts.",
        )
    draw = generator(given.seed, "effort")
    groups = _largest(given, attempts, by)
    rows: list[list[Cell]] = []
    for group in groups:
        rows += _group_rows(
            group,
            by,
            [one for one in attempts if group in one.groups],
            [one for one in courses if group in one.groups],
            draw,
        )
    whole = [row for row in rows if row[0] == groups[0]]
    remarks = [
        "An attempt is a stretch of typing at one place, without a pause of a minute, after which players "
        "were shown; both of its ends are by one engine, and the player can know the answer. A player is "
        "fooled if it was right after the last word before the attempt and is not after it. A buzz that "
        "never comes counts as one tenth behind the end. Intervals are by bootstrap over tossups, those of "
        "shares of tossups are Wilson's.",
        "Minutes are those of the log, of each pause one at most. A tossup stumps a player for good from the "
        "attempt on after which its last guess is surely wrong; tossups that were left with a guess that may "
        "be right are censored there, as in Kaplan and Meier's curve. Published rates of fooling are 59.4, "
        "47.1 and 44.0 % (Bartolo et al. 2020), of annotators who wrote for that alone.",
    ]
    details: list[list[Cell]] = [
        [
            logged[one.tossup].key, logged[one.tossup].title, one.player, one.attempts, one.minutes,
            "yes" if one.stumped else "no",
        ]
        for one in courses
    ]  # fmt: skip
    return Found(rows, _sentence(whole), _series(whole), remarks, details)


# -- the log


def _logged(given: ExperimentInputs, by: str) -> Iterator[_LoggedTossup]:
    """The tossups that were asked for, of the database or of a challenge set, with their histories."""
    store = given.app.store
    if given.questions_from and Path(given.questions_from).exists():
        yield from _released(given, Path(given.questions_from), by)
        return
    if given.tossup_ids:
        keys, name = list(given.tossup_ids), "the selection"
    elif given.questions_from:
        name = given.questions_from
        keys = [key for key, _, _ in store.tossups_of_set(name)]
    else:
        keys, name = sorted(one.tossup_id for one in store.tossups()), "the database"
    if not keys:
        where = f"the set “{name}”" if given.questions_from else name
        raise refuse(
            f"There is no tossup in {where}.", "Name a set of the database, or leave --questions out."
        )
    digest = hashlib.sha256()
    number = 0
    for key in given.watched("Reading the histories", given.one_of_each(keys)[: given.limit]):
        try:
            past = given.app.tossups.titled_history(key)
        except QuizwriterError:
            given.left_out["tossups whose history cannot be read or does not replay"] += 1
            continue
        if store.review_of(key).hides_machines:
            given.left_out["tossups whose machines are hidden until they are ready"] += 1
            continue
        if not past.history.changes or len(past.history.changes) > LONGEST_HISTORY:
            given.left_out["tossups without edits, or with too many"] += 1
            continue
        digest.update(edit_ids(key, past.history.changes)[-1].encode())
        number += 1
        yield _LoggedTossup(key, past.title, past.history, past.names, minutes_of_work(past.history))
    given.records.append(InputRecord("histories", name, digest.hexdigest(), number))


class _KnownRow(msgspec.Struct):
    guesser: str
    can_know: bool | None = None


class _SetRow(msgspec.Struct):
    qanta_id: int
    tags: tuple[str, ...] = ()
    positions: tuple[_KnownRow, ...] = ()


class _SetFile(msgspec.Struct):
    quizwriter: tuple[_SetRow, ...] = ()


def _released(given: ExperimentInputs, path: Path, by: str) -> Iterator[_LoggedTossup]:
    """The questions of the challenge set in the folder ``path``, with their histories."""
    if by == "month":
        raise refuse(
            "The histories of a challenge set do not say in which month an edit was made.",
            "Name writer or tag with --by.",
        )
    file = path / RELEASED_HISTORIES if path.is_dir() else path
    if file.name != RELEASED_HISTORIES or not file.is_file():
        raise refuse(
            f"There are no histories in {path}.",
            "Name a set of the database, or a challenge set that was released with its histories.",
        )
    about = _about(file.with_name("questions.json"))
    digest, number = hashlib.sha256(), 0
    for one in islice(_not_withdrawn(given, file), given.limit):
        given.cancellation.check()
        if not one.edits or len(one.edits) > LONGEST_HISTORY:
            given.left_out["tossups without edits, or with too many"] += 1
            continue
        row = about.get(one.qanta_id, _SetRow(one.qanta_id))
        knows = {known.guesser: known.can_know for known in row.positions if known.can_know is not None}
        try:
            history = History(one.changes(), one.plays(knows), one.answer_changes())
        except QuizwriterError:
            given.left_out["tossups whose history cannot be read or does not replay"] += 1
            continue
        key = one.tossup_id or str(one.qanta_id)
        answer = history.steps[-1].answer
        digest.update(edit_ids(key, history.changes)[-1].encode())
        number += 1
        names = {change.author: change.author for change in history.changes}
        title = key if answer is None else answer.main
        yield _LoggedTossup(key, title, history, names, minutes_of_work(history), row.tags)
    if not number:
        raise refuse(
            f"There is no tossup with edits in {path}.", "Name a set that was released with its histories."
        )
    given.records.append(InputRecord("histories", path.name, digest.hexdigest(), number))


def _not_withdrawn(given: ExperimentInputs, file: Path) -> Iterator[ReleasedHistory]:
    withdrawn = withdrawn_beside(file)
    for one in released_histories(file):
        if one.qanta_id in withdrawn:
            given.left_out["tossups that were withdrawn from their challenge set"] += 1
        else:
            yield one


def _about(path: Path) -> Mapping[int, _SetRow]:
    """What the file of questions at ``path`` says of tags and players; nothing where it is not there."""
    try:
        with translate_decoding_errors(f"{path} cannot be used", "Verify the set, or copy it again."):
            whole = decode_json(read_limited(path, LARGEST_QUESTIONS), _SetFile)
    except OSError:
        return {}
    return {row.qanta_id: row for row in whole.quizwriter}


def _tags(given: ExperimentInputs, logged: Sequence[_LoggedTossup]) -> Mapping[str, tuple[str, ...]]:
    from quizwriter.experiments.tags import final_tags

    reviews = given.app.store.tag_reviews([one.key for one in logged])
    return {one.key: one.tags or final_tags(reviews.get(one.key)) or () for one in logged}


def _shown(
    given: ExperimentInputs, logged: Sequence[_LoggedTossup], by: str, tags: Mapping[str, Sequence[str]]
) -> tuple[list[EditAttempt], list[StumpCourse]]:
    """The attempts and courses of the players that the writer was shown."""
    attempts, courses = [], []
    for number, one in enumerate(given.watched("Comparing versions", logged)):
        history = one.history
        for (before, after), shifts in history.attempts.items():
            kind = classify_edit(history.text_after(before), history.text_after(after))
            if kind is None:
                continue
            groups = one.groups(by, after, tags.get(one.key, ()))
            minutes = one.minutes[after] - one.minutes[before]
            for shift in shifts:
                if shift.before.answer_key != shift.after.answer_key:
                    continue  # the answer was changed, not the clues
                old, new = (play.stable_correct is not None for play in (shift.before, shift.after))
                attempts.append(
                    EditAttempt(number, groups, kind, shift.player, True, old, new, shift.size, minutes)
                )
        for player in history.players:
            of_player = [
                (index, play) for index, play in history.points(player) if play.knowable and play.words
            ]
            if not of_player:
                continue
            played = [play for _, play in of_player]
            right_at = [
                at
                for at, (index, play) in enumerate(of_player)
                if play.stable_correct is not None or _may_end_right(history.steps[index].answer, play)
            ]
            stumped = not right_at or right_at[-1] + 1 < len(played)
            end = min(len(played) - 1, right_at[-1] + 1) if right_at else 0
            seq = max(1, played[end].seq)
            groups = one.groups(by, seq, tags.get(one.key, ()))
            courses.append(StumpCourse(number, groups, player, end + 1, one.minutes[seq], stumped))
    return attempts, courses


def _may_end_right(answer: Answer | None, play: RecordedPlay) -> bool:
    """Whether the first guess after the last word may be right, so that the player is not stumped."""
    return answer is not None and bool(play.top) and may_be_right(answer, play.top[0].page)


def _ends(logged: Sequence[_LoggedTossup]) -> list[SourceQuestion]:
    """The tossups as they were in the end."""
    found = []
    for one in logged:
        last = one.history.steps[-1]
        text = one.history.text_after(last.seq)
        if text.strip():
            found.append(SourceQuestion(one.key, Tossup(text, last.answer)))
    return found


def _replayed(
    given: ExperimentInputs,
    logged: Sequence[_LoggedTossup],
    by: str,
    tags: Mapping[str, Sequence[str]],
    unread: Collection[str],
) -> list[EditAttempt]:
    """The attempts at which a named player was not shown: it plays both texts now, of ``unread`` tossups."""
    wanted: dict[Tossup, SourceQuestion] = {}
    places: list[tuple[int, int, int, frozenset[str], EditClass, list[Tossup]]] = []
    for number, one in enumerate(logged):
        if one.key not in unread:
            continue
        history = one.history
        for (before, after), shifts in history.attempts.items():
            kind = classify_edit(history.text_after(before), history.text_after(after))
            answer = history.steps[history.index_of(after)].answer
            texts = [Tossup(history.text_after(seq), answer) for seq in (before, after)]
            if kind is None or answer is None or not all(text.words for text in texts):
                continue
            places.append((number, before, after, frozenset(s.player for s in shifts), kind, texts))
            for text in texts:
                wanted.setdefault(text, SourceQuestion(f"{one.key}@{len(wanted)}", text))
    questions = given.resolved(list(wanted.values()))
    found = []
    for player, games in given.summaries(questions).items():
        by_text = dict(zip(wanted, games, strict=True))
        for number, before, after, in_view, kind, texts in places:
            old, new = (by_text[text] for text in texts)
            if player in in_view or not (old.knowable and new.knowable):
                continue
            one = logged[number]
            shift = position_share(new.buzz, new.words) - position_share(old.buzz, old.words)
            found.append(
                EditAttempt(
                    number, one.groups(by, after, tags.get(one.key, ())), kind, player, False,
                    old.stable_correct is not None, new.stable_correct is not None, shift,
                    one.minutes[after] - one.minutes[before],
                )
            )  # fmt: skip
    return found


# -- the table


def _largest(given: ExperimentInputs, attempts: Sequence[EditAttempt], by: str) -> list[str]:
    sizes: dict[str, int] = {}
    for one in attempts:
        for group in one.groups:
            sizes[group] = sizes.get(group, 0) + 1
    order = sorted(sizes, key=lambda group: (-sizes[group], group))
    if len(order) > MOST_GROUPS:
        given.left_out[f"groups by {by} with fewer attempts than the {MOST_GROUPS} largest"] += (
            len(order) - MOST_GROUPS
        )
    return order[:MOST_GROUPS]


def _group_rows(
    group: str,
    by: str,
    attempts: Sequence[EditAttempt],
    courses: Sequence[StumpCourse],
    draw: np.random.Generator,
) -> Iterator[list[Cell]]:
    for player, in_view in sorted({(one.player, not one.in_view) for one in attempts}):
        of_player = [one for one in attempts if one.player == player and one.in_view is not in_view]
        known = [one for one in courses if one.player == player] if not in_view else []
        review = sample_size(len({one.tossup for one in of_player})) if by == "writer" else None
        seen = "no" if in_view else "yes"
        yield [
            group, EVERY, player, seen, *_figures(of_player, draw), *_stumped(known),
            review,
        ]  # fmt: skip
        for kind in EditClass:
            some = [one for one in of_player if one.kind is kind]
            if some:
                yield [group, str(kind), player, seen, *_figures(some, draw), None, None, None, None]


def _figures(attempts: Sequence[EditAttempt], draw: np.random.Generator) -> list[Cell]:
    def mean(values: Sequence[float], of: Sequence[EditAttempt]) -> Estimate:
        tossups = np.array([one.tossup for one in of], dtype=np.int64)
        return grouped_mean(np.array(values, dtype=np.float64), tossups, draw)[0]

    right = [one for one in attempts if one.right_before]
    return [
        len(attempts),
        len({one.tossup for one in attempts}),
        mean([float(not one.right_after) for one in right], right),
        mean([one.shift for one in attempts], attempts),
        mean([float(one.shift > 0) for one in attempts], attempts),
        mean([one.minutes for one in attempts], attempts),
    ]


def _stumped(courses: Sequence[StumpCourse]) -> list[Cell]:
    if not courses:
        return [None, None, None]
    ended = [one.stumped for one in courses]
    medians = [
        kaplan_meier(np.array(times, dtype=np.float64), ended).median
        for times in ([one.attempts for one in courses], [one.minutes for one in courses])
    ]
    return [share_of(sum(ended), len(ended)), *medians]


def _series(rows: Sequence[Sequence[Cell]]) -> list[Series]:
    found = []
    for player, seen in dict.fromkeys((str(row[2]), str(row[3])) for row in rows):
        own = [row for row in rows if (row[2], row[3]) == (player, seen)]
        label = player_title(player) + ("" if seen == "yes" else ", not in view")
        found.append(Series.of(label, [str(row[1]) for row in own], [row[7] for row in own]))
    return found


def _sentence(rows: Sequence[Sequence[Cell]]) -> str:
    said = []
    for row in rows:
        if row[1] != EVERY:
            continue
        fooled, player = row[6], player_title(str(row[2]))
        assert isinstance(fooled, Estimate)
        seen = "" if row[3] == "yes" else ", not in view,"
        of = (
            f"{player}{seen} loses the answer in {percent(fooled.value)} of "
            f"{counted_noun(fooled.number, 'attempt')}"
        )
        if fooled.value is None:
            of = f"{player}{seen} was right before none of {counted_noun(int(str(row[4])), 'attempt')}"
        kinds = [
            (cell.value, str(one[1]), cell.number)
            for one in rows
            if one[1] != EVERY and one[2:4] == row[2:4] and isinstance(cell := one[7], Estimate)
            and cell.value is not None
        ]  # fmt: skip
        enough = [one for one in kinds if one[2] >= FEWEST_OF_KIND and round(one[0], 3) > 0]
        if enough:
            most, kind, number = max(enough)
            of += f", and the kind that delays it most is “{kind}” ({100 * most:+.1f} points, n {number:,})"
        said.append(of)
    return "; ".join(said) + "."
