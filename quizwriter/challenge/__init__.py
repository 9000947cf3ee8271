"""Challenge sets: what was written against the players, as a folder that others can load, check and cite."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizwriter import __version__
from quizwriter.challenge import documents
from quizwriter.challenge.choosing import (
    SHARES,
    Candidate,
    Choice,
    Left,
    Unit,
    numbered,
    releasable,
    represented,
    split,
    stumping,
)
from quizwriter.challenge.documents import Facts
from quizwriter.challenge.plays import Game, Plays
from quizwriter.challenge.privacy import Found, Pseudonyms, Watch
from quizwriter.challenge.release import Ledger, Release
from quizwriter.domain.guessing import TOP
from quizwriter.domain.review import Commented, Event, Person, StatusSet, body_json, state
from quizwriter.errors import QuizwriterError
from quizwriter.domain.tossup import Tossup
from quizwriter.workflow.checks import NEAR, TITLES, Check, Other, Repeats, check
from quizwriter.workflow.telling import counted

if TYPE_CHECKING:
    from quizwriter.app import App, Engine

FORMAT = "quizwriter challenge set"
SCHEMA = 1
MANIFEST, SUMS = "MANIFEST.json", "SHA256SUMS"
QUESTIONS, TABLE, TRICKME = "questions.json", "questions.csv", "questions.trickme.json"
PLAYS, HISTORIES, SPLITS, RETRACTED = "plays.jsonl", "histories.jsonl", "splits.json", "retracted.json"
SHEET, README, LICENCE = "DATASHEET.md", "README.md", "LICENSE.txt"
OURS = "quizwriter"
"""The key in ``questions.json`` with what we add to each question.

QANTA's loader makes its questions of all that stands in a row, so no row may hold more than it knows.
"""

PROGRAM = f"QuizWriter {__version__}"

Progress = Callable[[str, int, int], None]
"""Is told what is going on, and how many of how many are done; may raise to stop it."""


@dataclass(frozen=True)
class Report:
    """What came of an export."""

    folder: Path
    questions: int
    left_out: Mapping[str, int]  # by reason
    repeats: tuple[tuple[str, tuple[str, ...]], ...]  # tossup ids: who stands for whom
    unanswered: tuple[str, ...]  # questions of the data sheet
    played: int  # games that had to be played now

    def as_json(self) -> dict[str, Any]:
        """The report, ready for JSON."""
        return {
            "folder": str(self.folder),
            "questions": self.questions,
            "left_out": dict(self.left_out),
            "near_duplicates": [{"kept": kept, "left_out": list(out)} for kept, out in self.repeats],
            "data_sheet_unanswered": list(self.unanswered),
            "games_played": self.played,
        }

    @property
    def lines(self) -> list[str]:
        """The report in sentences."""
        said = [f"{counted(self.questions, 'question')} released in {self.folder}."]
        said += [f"Left out, {reason}: {number:,}." for reason, number in sorted(self.left_out.items())]
        if self.unanswered:
            said.append(f"Not answered in the data sheet: {counted(len(self.unanswered), 'question')}.")
        return said


@dataclass(frozen=True)
class Preview:
    """What would be released before anybody plays, and what stays out for which reason."""

    questions: int
    left_out: Mapping[str, int]


def preview(app: App, choice: Choice) -> Preview:
    """What :func:`export` would begin with."""
    left = Left()
    chosen = releasable(app.store.standings(), choice, frozenset(), left)
    return Preview(len(chosen), dict(left.reasons))


def export(
    app: App,
    out: Path,
    choice: Choice,
    release: Release,
    *,
    after: Path | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Report:
    """Release the tossups of ``choice`` in the folder ``out``, whole or not at all.

    The same state gives the same bytes. ``after`` is the folder of an earlier version: its numbers and splits
    stay, what was retracted there stays retracted.

    Raises:
        QuizwriterError: there is nothing to release, somebody's name is in it, a player is in trouble, ``out``
            is in the way, or the disk does not take it.
    """
    with writing(out) as folder:
        return _Export(app, choice, release, after, progress).write(folder, out)


class _Export:
    """One export, from the store to the files."""

    def __init__(
        self, app: App, choice: Choice, release: Release, after: Path | None, progress: Progress
    ) -> None:
        self._app, self._choice, self._release, self._progress = app, choice, release, progress
        self._left = Left()
        self._pseudonyms = Pseudonyms.kept(app.home / "pseudonyms.key")
        self._watch = Watch(people(app), release.others)
        self._ledger_file = app.home / "challenge" / f"{release.slug}.json"
        self._ledger = Ledger.read(self._ledger_file, release.seed)
        self._retracted: list[dict[str, Any]] = []
        if after is not None:
            earlier = Ledger.of_release(after, release.seed)
            self._ledger = earlier.over(self._ledger)
            self._retracted = earlier.retracted

    def write(self, folder: Path, out: Path) -> Report:
        """Make every file in ``folder``, which will be ``out``."""
        candidates = self._candidates()
        self._see_that_nobody_is_named(candidates)
        engine = self._app.load_engine()
        games, played, plays = self._games(engine, candidates)
        candidates = stumping(candidates, games, self._choice, self._left)
        released = frozenset(self._ledger.splits)
        candidates, groups = represented(candidates, games, self._choice, released, self._left)
        if not candidates:
            raise QuizwriterError(
                "There is nothing to release.",
                _why_nothing(self._left.reasons) or "Write some tossups first.",
            )
        numbers = numbered([one.tossup_id for one in candidates], self._ledger.numbers)
        splits = split(self._units(candidates, games, groups), self._ledger.splits, self._release.seed)
        alike = [one for one in candidates if one.tossup_id in groups]
        in_set = Repeats(Other(one.tossup_id, _named(one), one.tossup.text) for one in alike)
        rows = []
        for one in sorted(candidates, key=lambda one: numbers[one.tossup_id]):
            rows.append(
                _Row(
                    one,
                    numbers[one.tossup_id],
                    splits[one.tossup_id],
                    tuple(games[one.tossup_id]),
                    self._checks(engine, one, in_set, plays),
                    numbers.get(groups.get(one.tossup_id, "")),
                    sum(len(rest) for first, rest in self._left.repeats if first == one.tossup_id),
                )
            )
            self._progress("Checking the questions", len(rows), len(candidates))
        self._progress("Writing the files", 0, 1)
        self._write_all(folder, rows, engine, plays)
        self._progress("Looking for names", 0, 1)
        for path in sorted(folder.iterdir()):
            _refuse(islice(self._watch.search_file(path), 5), self._left)
        self._ledger.keep(self._ledger_file, numbers, splits)
        return Report(
            folder=out,
            questions=len(rows),
            left_out=dict(sorted(self._left.reasons.items())),
            repeats=tuple(self._left.repeats),
            unanswered=tuple(
                item.question
                for item in documents.ASKED
                if not self._release.answers.get(item.key, "").strip()
            ),
            played=played,
        )

    # -- what goes in

    def _candidates(self) -> list[Candidate]:
        store = self._app.store
        retracted = frozenset(str(one["tossup_id"]) for one in self._retracted)
        ids = releasable(store.standings(), self._choice, retracted, self._left)
        found = []
        for tossup_id in ids:
            changes, events = store.history(tossup_id), store.events(tossup_id)
            review = state(events)
            found.append(
                Candidate(
                    tossup_id,
                    store.load(tossup_id).tossup,
                    review,
                    review.writer or (changes[0].author if changes else ""),
                    changes,
                    events,
                    store.asked(tossup_id),
                    store.shown(tossup_id) if self._release.histories else (),
                )
            )
            self._progress("Reading the tossups", len(found), len(ids))
        return found

    def _see_that_nobody_is_named(self, candidates: Sequence[Candidate]) -> None:
        """Before anybody plays, which takes long; in a history also what was typed bit by bit and rubbed out."""
        found: list[Found] = []
        for one in candidates:
            for place, text, talk in _texts(one, histories=self._release.histories):
                found += self._watch.search(text, place, talk=talk)
            if self._release.histories:
                found += self._typed(one)
        for key, answer in self._release.answers.items():
            found += self._watch.search(answer, f"the data sheet's answer on “{key}”", talk=True)
        _refuse(found, self._left)

    def _typed(self, one: Candidate) -> Iterator[Found]:
        """What was there whenever its writer had typed a word or began to rub out."""
        place = f"the history of {_named(one)}, at edit"
        reach = self._watch.longest
        text, begun, end = "", 0, 0  # what was typed since the last look
        for change in one.changes:
            edit = change.edit
            goes_on = edit.start == end and not edit.removed and edit.inserted.isalnum()
            if end > begun and not goes_on:
                yield from self._watch.search(
                    text[max(0, begun - reach) : end + reach], f"{place} {change.seq - 1}"
                )
                begun = edit.start
            text = edit.apply(text)
            begun = begun if goes_on else edit.start
            end = edit.start + len(edit.inserted)
            if edit.removed and not edit.inserted:  # what was apart is together now
                yield from self._watch.search(
                    text[max(0, end - reach) : end + reach], f"{place} {change.seq}"
                )
        yield from self._watch.search(text, f"{place} {len(one.changes)}")

    def _games(
        self, engine: Engine, candidates: Sequence[Candidate]
    ) -> tuple[dict[str, list[Game]], int, Plays]:
        plays = Plays(self._app.home / "plays")
        games: dict[str, list[Game]] = {}
        played = 0
        total = len(candidates)
        for done, one in enumerate(candidates):
            self._progress("Playing", done, total)
            played += sum(not plays.has(player, one.tossup) for player in engine.players)
            # one tossup after the other, because the ensemble rests on what the others have just said
            games[one.tossup_id] = [plays.game(player, one.tossup) for player in engine.players]
        return games, played, plays

    def _checks(self, engine: Engine, one: Candidate, in_set: Repeats, plays: Plays) -> tuple[Check, ...]:
        def make() -> bytes:
            return json.dumps(asdict(_past(engine, one.tossup))).encode()

        past = Check(**json.loads(plays.kept(engine.digest, "past questions", one.tossup, make)))
        made = check(one.tossup, one.tossup_id, in_set=in_set)
        return tuple(past if other.name == past.name else other for other in made)

    def _units(
        self, candidates: Sequence[Candidate], games: Mapping[str, Sequence[Game]], groups: Mapping[str, str]
    ) -> list[Unit]:
        together: dict[str, list[Candidate]] = {}
        for one in candidates:
            together.setdefault(groups.get(one.tossup_id, one.tossup_id), []).append(one)
        units = []
        for members in together.values():
            first = min(members, key=lambda one: one.tossup_id)
            category = first.review.category[0] if first.review.category else ""
            stumps = sum(game.stumped() for game in games[first.tossup_id])
            stratum = f"{category or 'no category'}, stumps {stumps}"
            units.append(Unit(stratum, tuple(sorted(one.tossup_id for one in members))))
        return units

    # -- the files

    def _write_all(self, folder: Path, rows: Sequence[_Row], engine: Engine, plays: Plays) -> None:
        release = self._release
        names = [player.name for player in engine.players]
        by_player = {name: [row.games[at] for row in rows] for at, name in enumerate(names)}
        told = [row.ours(self._pseudonyms) for row in rows]
        _write(folder / QUESTIONS, _questions(rows, told, release))
        _write(folder / TABLE, [_table(rows, told, names, release).encode()])
        _write(folder / TRICKME, _list(row.trickme(self._pseudonyms) for row in rows))
        players = {player.name: player for player in engine.players}
        _write(
            folder / PLAYS,
            (
                b'{"qanta_id":%d,' % row.number
                + plays.line(players[game.guesser], row.one.tossup)[1:]
                + b"\n"
                for row in rows
                for game in row.games
            ),
        )
        if release.histories:
            _write(folder / HISTORIES, (_line(row.history(self._pseudonyms)) for row in rows))
        _write(folder / SPLITS, [_pretty(_splits(rows, release.seed))])
        _write(folder / RETRACTED, [_pretty(self._retracted)])
        facts = self._facts(rows, engine)
        _write(folder / documents.CURVE, [documents.curve(by_player)])
        _write(folder / SHEET, [documents.data_sheet(facts, release.answers).encode()])
        _write(folder / README, [documents.readme(facts, by_player).encode()])
        _write(folder / LICENCE, [documents.licence_text(facts).encode()])
        seal(
            folder,
            {
                "format": FORMAT,
                "schema": SCHEMA,
                "title": release.title,
                "version": release.version,
                "program": PROGRAM,
                "bundle": {"title": engine.title, "digest": engine.digest},
                "players": [{"name": player.name, "digest": player.engine} for player in engine.players],
                "settings": {
                    **self._choice.as_json(),
                    "histories": release.histories,
                    "seed": release.seed,
                    "shares": dict(SHARES),
                    "near_from": NEAR,
                    "guesses_after_every_word": TOP,
                    "names_passed_over": len(release.others),
                },
                "questions": len(rows),
                "left_out": dict(sorted(self._left.reasons.items())),
            },
        )

    def _facts(self, rows: Sequence[_Row], engine: Engine) -> Facts:
        release = self._release
        writers = {row.one.author for row in rows}
        years = [
            _year(change.at_ms) for row in rows for change in (row.one.changes[:1] + row.one.changes[-1:])
        ]
        failed = [
            (TITLES.get(check.name, check.name), check.name in row.overrides)
            for row in rows
            for check in row.checks
            if not check.passed
        ]
        return Facts(
            title=release.title,
            version=release.version,
            program=PROGRAM,
            bundle=engine.title,
            licence=release.licence,
            questions=len(rows),
            words=sum(len(row.one.tossup.words) for row in rows),
            writers=len(writers - {""}),
            unknown_writers=sum(not row.one.author for row in rows),
            years=(min(years), max(years)) if years else (),
            categories=Counter((row.one.review.category or ("",))[0] for row in rows),
            tags=Counter(tag for row in rows for tag in row.tags),
            splits={name: sum(row.split == name for row in rows) for name in SHARES},
            seed=release.seed,
            left_out=self._left.reasons,
            overridden=Counter(name for name, overridden in failed if overridden),
            failing=Counter(name for name, overridden in failed if not overridden),
            repeats=len(self._left.repeats),
            histories=release.histories,
            edits=sum(len(row.one.changes) for row in rows),
            files=tuple(name for name in documents.FILES if name != HISTORIES or release.histories),
        )


@dataclass(frozen=True)
class _Row:
    """A question that is released."""

    one: Candidate
    number: int
    split: str
    games: tuple[Game, ...]
    checks: tuple[Check, ...]
    group: int | None  # the number of the one that stands for its near duplicates
    repeats: int  # near duplicates that were left out for it

    @property
    def overrides(self) -> dict[str, str]:
        """By check, why it need not pass."""
        return {override.check: override.reason for override in self.one.review.overridden}

    @property
    def tags(self) -> list[str]:
        """The phenomena, as they were decided; else all that anybody found."""
        by_round: dict[str, set[str]] = {}
        for (of, _), tags in self.one.review.tags.items():
            by_round.setdefault(of, set()).update(tags)
        return sorted(by_round.get("deciding", by_round.get("blind", set())))

    def qanta(self, title: str) -> dict[str, Any]:
        """The question as QANTA's loader wants it, no field more."""
        tossup, review = self.one.tossup, self.one.review
        assert tossup.answer is not None
        first = tossup.sentences[0]
        levels = (*review.category, "", "")
        return {
            "qanta_id": self.number,
            "text": tossup.text,
            "first_sentence": first.of(tossup.text),
            "tokenizations": [[span.start, span.end] for span in tossup.sentences],
            "answer": tossup.answer.line,
            "page": tossup.answer.page,
            "fold": "adversarial",
            "gameplay": False,
            "category": levels[0] or None,
            "subcategory": levels[1] or None,
            "tournament": review.set_name or title,
            "difficulty": None,
            "year": _year(self.one.changed_ms),
            "proto_id": None,
            "qdb_id": None,
            "dataset": "trickme",
        }

    def ours(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """What we know besides."""
        tossup, review, overrides = self.one.tossup, self.one.review, self.overrides
        return {
            "qanta_id": self.number,
            "tossup_id": self.one.tossup_id,
            "split": self.split,
            "writer": pseudonyms.of(self.one.author),
            "status": str(review.status),
            "levels": list(review.category),
            "source": review.source,
            "words": len(tossup.words),
            "power": tossup.power,
            "tags": self.tags,
            "checks": [
                {
                    "check": check.name,
                    "passed": check.passed,
                    "told": check.told,
                    "overridden": "" if check.passed else overrides.get(check.name, ""),
                }
                for check in self.checks
            ],
            "stumped": [game.guesser for game in self.games if game.stumped()],
            "positions": [
                {
                    "guesser": game.guesser,
                    "first_correct": game.first_correct,
                    "stable_correct": game.stable_correct,
                    "buzz": game.buzz,
                    "buzzes_right": game.buzzes_right,
                }
                for game in self.games
            ],
            "near_duplicates_of": self.group,
            "near_duplicates_left_out": self.repeats,
        }

    def trickme(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """The question as Trick Me wrote it: the time is the day of the last edit, in seconds since 1970."""
        tossup, review = self.one.tossup, self.one.review
        assert tossup.answer is not None
        return {
            "question": tossup.text,
            "answer": tossup.answer.page or tossup.answer.main.replace(" ", "_"),
            "email": pseudonyms.of(self.one.author),
            "category": review.category[0] if review.category else "None",
            "time": self.one.changed_ms // 86_400_000 * 86_400,
        }

    def history(self, pseudonyms: Pseudonyms) -> dict[str, Any]:
        """How it came to be; times are milliseconds since it was begun, so that nobody's hours are told."""
        one = self.one
        times = [at.at_ms for some in (one.changes, one.events, one.asked) for at in some]
        begun = min(times, default=0)
        places = {event.id: number for number, event in enumerate(one.events)}
        return {
            "qanta_id": self.number,
            "tossup_id": one.tossup_id,
            "edits": [
                {
                    "ms": change.at_ms - begun,
                    "by": pseudonyms.of(change.author),
                    "start": change.edit.start,
                    "removed": change.edit.removed,
                    "inserted": change.edit.inserted,
                }
                for change in one.changes
            ],
            "answers": [
                {
                    "seq": asked.seq,
                    "ms": asked.at_ms - begun,
                    "by": pseudonyms.of(asked.author),
                    "answer": asked.answer.line if asked.answer else "",
                    "page": (asked.answer.page or "") if asked.answer else "",
                }
                for asked in one.asked
            ],
            "shown": [
                {
                    "seq": shown.seq,
                    "ms": shown.at_ms - begun,
                    "guesser": shown.guesser,
                    "engine": shown.engine,
                    "words": shown.words,
                    "first_correct": shown.first_correct,
                    "stable_correct": shown.stable_correct,
                    "buzz": shown.buzz_heard,
                    "buzz_page": shown.buzz_page or "",
                    "pages": [guess.page for guess in shown.top],
                    "scores": [round(float(guess.score), 3) for guess in shown.top],
                }
                for shown in one.shown
            ],
            "events": [
                {
                    "number": places[event.id],
                    "seq": event.seq,
                    "ms": event.at_ms - begun,
                    "by": pseudonyms.of(event.author),
                    **_said(event, places, pseudonyms),
                }
                for event in one.events
            ],
        }


def _said(event: Event, places: Mapping[str, int], pseudonyms: Pseudonyms) -> dict[str, str]:
    """What an event says, its references by number and its people by pseudonym; the values as JSON in a text.

    Every kind has its own, and tables want one type in a column.
    """
    kind, body = body_json(event.body)
    values = dict(body)
    for name in ("comment", "suggestion"):
        if name in values:
            values[name] = places.get(values[name], -1)
    if "person" in values:
        values["person"] = pseudonyms.of(values["person"])
    if "events" in values:
        values["events"] = [places.get(one, -1) for one in values["events"]]
    return {"kind": kind, "body": json.dumps(values, ensure_ascii=False, sort_keys=True)}


def people(app: App) -> list[Person]:
    """Everybody whose name may be nowhere: those in the store, and whoever writes here."""
    mine = app.settings
    me = Person(mine.profile_id, mine.profile_name, mine.profile_email)
    return [*app.store.people().values(), me]


def _past(engine: Engine, tossup: Tossup) -> Check:
    """Whether past questions say the same; slow, because of how many there are."""
    near = engine.retrieval.past_near(tossup)
    past = Repeats(Other(f"{number}", source, text) for number, (source, text) in enumerate(near))
    return next(one for one in check(tossup, past=past) if one.name == "past")


def _texts(one: Candidate, *, histories: bool) -> Iterator[tuple[str, str, bool]]:
    """The texts that are released of a tossup: the place, the text, and whether people talk in it."""
    name = _named(one)
    yield f"the text of {name}", one.tossup.text, False
    if one.tossup.answer is not None:
        yield f"the answer of {name}", one.tossup.answer.line, False
    for override in one.review.overridden:
        yield f"the reason for “{override.check}” of {name}", override.reason, True
    yield f"the source of {name}", one.review.source, True
    yield f"the set of {name}", one.review.set_name, True
    if not histories:
        return
    for event in one.events:
        kind, body = body_json(event.body)
        talk = isinstance(event.body, Commented | StatusSet) or kind in {"reply", "decision", "suggestion"}
        for text in _strings(body):
            yield f"a {kind} on {name}", text, talk
    for asked in one.asked:
        if asked.answer is not None:
            yield f"an earlier answer of {name}", asked.answer.line, False


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inside in value.items():
            if name not in {"person", "comment", "events"} or not isinstance(value, dict):
                yield from _strings(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from _strings(inside)


def _named(one: Candidate) -> str:
    """A tossup as people call it."""
    return f"“{one.tossup.answer.main if one.tossup.answer else one.tossup_id}”"


def _refuse(found: Iterable[Found], left: Left) -> None:
    """Raise if anybody is named."""
    places = list(islice(found, 5))
    if places:
        said = "; ".join(f"“{one.name}” in {one.place} ({one.around})" for one in places)
        raise QuizwriterError(
            f"People are named where no name may be: {said}. Nothing was exported.",
            "Change those texts or leave the histories out; if it is another of that name, say so.",
        )


def _why_nothing(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return ""
    return (
        "What stays out, and why: "
        + "; ".join(f"{reason} ({number:,})" for reason, number in sorted(reasons.items()))
        + "."
    )


def _year(at_ms: int) -> int:
    return datetime.fromtimestamp(at_ms / 1000, UTC).year


# -- files


def _pretty(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _line(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def _list(values: Iterable[object]) -> Iterator[bytes]:
    """``values`` as a JSON list, one a line."""
    yield b"[\n"
    for number, value in enumerate(values):
        yield (b",\n" if number else b"") + _line(value).rstrip()
    yield b"\n]\n"


def _questions(rows: Sequence[_Row], told: Sequence[Mapping[str, Any]], release: Release) -> Iterator[bytes]:
    yield b'{"questions": '
    yield from _list(row.qanta(release.title) for row in rows)
    for name, value in (
        ("version", release.version),
        ("maintainer_name", release.maintainer),
        ("maintainer_contact", release.contact),
        ("maintainer_website", release.website),
        ("project_website", release.website),
        ("bibtex", ""),
        ("dependent_checksums", {}),
    ):
        yield b',"%s": ' % name.encode() + _line(value)
    yield b',"%s": ' % OURS.encode()
    yield from _list(told)
    yield b"}\n"


def _table(
    rows: Sequence[_Row], told: Sequence[Mapping[str, Any]], players: Sequence[str], release: Release
) -> str:
    out = io.StringIO()
    positions = ("first_correct", "stable_correct", "buzz", "buzzes_right")
    head = (
        "qanta_id tossup_id split text answer page category subcategory topic tournament year writer words "
        "power tags stumped overridden not_passed"
    ).split()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([*head, *(f"{name}_{position}" for name in players for position in positions)])
    for row, ours in zip(rows, told, strict=True):
        qanta = row.qanta(release.title)
        levels = (*row.one.review.category, "", "", "")
        failed = [check for check in ours["checks"] if not check["passed"]]
        overridden = [f"{check['check']}: {check['overridden']}" for check in failed if check["overridden"]]
        table.writerow(
            [
                row.number, ours["tossup_id"], row.split, qanta["text"], qanta["answer"], qanta["page"],
                *levels[:3], qanta["tournament"], qanta["year"], ours["writer"], ours["words"], ours["power"],
                "; ".join(row.tags), "; ".join(ours["stumped"]), "; ".join(overridden),
                "; ".join(check["check"] for check in failed),
                *(place[position] for place in ours["positions"] for position in positions),
            ]
        )  # fmt: skip
    return out.getvalue()


def _splits(rows: Sequence[_Row], seed: int) -> dict[str, Any]:
    return {
        "seed": seed,
        "shares": dict(SHARES),
        "stratified_by": ["category", "how many players it stumps"],
        "splits": {name: [row.number for row in rows if row.split == name] for name in SHARES},
    }


def _write(path: Path, parts: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(parts)


def digest(path: Path) -> str:
    """SHA-256 of the file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Put the digests of all files in ``folder`` into its manifest, and those and the manifest's into a list."""
    names = sorted(path.name for path in folder.iterdir() if path.name not in {MANIFEST, SUMS})
    files = {
        name: {"bytes": (folder / name).stat().st_size, "sha256": digest(folder / name)} for name in names
    }
    _write(folder / MANIFEST, [_pretty({**manifest, "files": files})])
    _write(folder / SUMS, [sums(folder)])


def sums(folder: Path) -> bytes:
    """The list of digests of the files in ``folder``, as ``sha256sum`` writes it."""
    names = sorted(path.name for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{digest(folder / name)}  {name}\n" for name in names).encode()


@contextmanager
def writing(out: Path) -> Iterator[Path]:
    """A folder to fill, which is ``out`` once the block ends well, and gone if it does not.

    Raises:
        QuizwriterError: something is in the way, or the disk does not take it.
    """
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise QuizwriterError(
                f"{out} is there already, and not empty.",
                "Name a new folder: released versions stay as they are.",
            )
        out = out.resolve()
        half = out.with_name(f".{out.name}.exporting")
        try:
            shutil.rmtree(half, ignore_errors=True)
            half.mkdir(parents=True)
            yield half
            if out.exists():
                out.rmdir()
            half.rename(out)
        finally:
            shutil.rmtree(half, ignore_errors=True)
    except OSError as trouble:
        raise QuizwriterError(
            f"The challenge set could not be written to {out} ({trouble.strerror or trouble}).",
            "Make room or allow writing there; nothing half was left.",
        ) from trouble
