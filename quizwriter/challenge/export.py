"""Releases a challenge set: from the store to a folder that others can load, check and cite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from quizwriter.cancellation import Cancellation
from quizwriter.challenge import documents
from quizwriter.challenge.documents import SetFacts
from quizwriter.challenge.layout import (
    FORMAT,
    HISTORIES,
    LICENCE,
    PLAYS,
    PROGRAM,
    QUESTIONS,
    README,
    RETRACTED,
    SCHEMA,
    SHEET,
    SPLITS,
    TABLE,
    TRICKME,
    ReleasedQuestion,
    line,
    listing,
    pretty,
    questions,
    seal,
    splits_of,
    table,
    write,
    writing,
    year,
)
from quizwriter.challenge.metadata import Ledger, Retraction, SetMetadata
from quizwriter.challenge.privacy import NameMatch, NameScanner, Pseudonyms, people, refuse
from quizwriter.challenge.selection import (
    SHARES,
    Candidate,
    Exclusions,
    Selection,
    SplitGroup,
    numbered,
    releasable,
    represented,
    split,
    stumping,
)
from quizwriter.domain.guessing import TOP
from quizwriter.domain.history import Change, replay
from quizwriter.domain.review import Consent, fold_events
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.formats.events import encode_body
from quizwriter.store.plays import PlayCache, PlaySummary
from quizwriter.workflow.checks import DUPLICATE_THRESHOLD, TITLES, Check, DuplicateFinder, OtherTossup, check
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.services import App, Engine

Progress = Callable[[str, int, int], None]
"""Is told what is going on, and how many of how many are done."""


@dataclass(frozen=True)
class ExportReport:
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
        said = [f"{counted_noun(self.questions, 'question')} released in {self.folder}."]
        said += [f"Left out, {reason}: {number:,}." for reason, number in sorted(self.left_out.items())]
        if self.unanswered:
            said.append(f"Not answered in the data sheet: {counted_noun(len(self.unanswered), 'question')}.")
        return said


@dataclass(frozen=True)
class ExportPreview:
    """What would be released before anybody plays, and what stays out for which reason."""

    questions: int
    left_out: Mapping[str, int]
    sets: tuple[str, ...]  # all that there are, but the one without a name
    unasked: tuple[str, ...]  # tossups of whoever sits here that want nothing but consent


def preview(app: App, choice: Selection, cancellation: Cancellation | None = None) -> ExportPreview:
    """What :func:`export` would begin with.

    Raises:
        QuizwriterError: the database cannot be read, or ``cancellation`` was cancelled.
    """
    cancellation = cancellation or Cancellation()
    cancellation.check()
    left, me = Exclusions(), app.profile.settings.profile_id
    stands = app.store.release_states()
    cancellation.check()
    chosen = releasable(stands, choice, frozenset(), left)
    mine = [one for one in stands if one.author == me and me and one.consent == Consent.NOT_ASKED]
    unasked = releasable(
        (replace(one, consent=Consent.YES) for one in mine), choice, frozenset(), Exclusions()
    )
    sets = sorted({one.set_name for one in stands} - {""}, key=str.casefold)
    return ExportPreview(len(chosen), dict(left.reasons), tuple(sets), tuple(unasked))


def export(
    app: App,
    out: Path,
    choice: Selection,
    release: SetMetadata,
    *,
    after: Path | None = None,
    engine: Engine | None = None,
    progress: Progress = lambda what, done, total: None,
    cancellation: Cancellation | None = None,
) -> ExportReport:
    """Release the tossups of ``choice`` in the folder ``out``, whole or not at all.

    The same state gives the same bytes. Players are those of ``engine``, or of the bundle used last; what
    has to be played is played in a batch, see :meth:`quizwriter.services.engines.Engines.batch_players`.
    ``after`` is the folder of an earlier version: its numbers and splits stay, what was retracted there
    stays retracted.

    Raises:
        QuizwriterError: there is nothing to release, somebody's name is in it, a player is in trouble,
            ``out`` is in the way, the disk does not take it, or ``cancellation`` was cancelled.
    """
    with writing(out) as folder, closing(PlayCache(app.home)) as plays:
        steps = _Steps(progress, cancellation or Cancellation())
        work = _Export(app, choice, release, after, plays, steps)
        candidates = work.candidates()
        work.see_that_nobody_is_named(candidates)
        engine = engine or app.engines.load()
        with app.engines.batch_players(engine, steps.cancellation) as players:
            return work.write(folder, out, candidates, players)


@dataclass(frozen=True)
class _Steps:
    """Says how far an export is, and ends it between two steps when it is no longer wanted."""

    progress: Progress
    cancellation: Cancellation

    def __call__(self, what: str, done: int, total: int) -> None:
        self.cancellation.check()
        self.progress(what, done, total)


class _Export:
    """One export, from the store to the files."""

    def __init__(
        self,
        app: App,
        choice: Selection,
        release: SetMetadata,
        after: Path | None,
        plays: PlayCache,
        steps: _Steps,
    ) -> None:
        self._app, self._choice, self._release, self._plays, self._step = app, choice, release, plays, steps
        self._left = Exclusions()
        self._pseudonyms = Pseudonyms.kept(app.home / "pseudonyms.key")
        self._watch = NameScanner(people(app), release.others)
        self._ledger_file = app.home / "challenge" / f"{release.slug}.json"
        self._ledger = Ledger.read(self._ledger_file, release.seed)
        self._retracted: list[Retraction] = []
        if after is not None:
            earlier = Ledger.of_release(after, release.seed)
            self._ledger = earlier.over(self._ledger)
            self._retracted = earlier.retracted

    def write(self, folder: Path, out: Path, candidates: list[Candidate], engine: Engine) -> ExportReport:
        """Make every file in ``folder``, which will be ``out``, as the players of ``engine`` play."""
        if strangers := set(self._choice.stumps) - {player.name for player in engine.players}:
            raise QuizwriterError(
                f"“{engine.title}” has no player {sorted(strangers)[0]}.",
                f"Choose among {', '.join(player.name for player in engine.players)}.",
            )
        games, played = self._games(engine, candidates)
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
        in_set = DuplicateFinder(OtherTossup(one.tossup_id, _named(one), one.tossup.text) for one in alike)
        rows = []
        for one in sorted(candidates, key=lambda one: numbers[one.tossup_id]):
            rows.append(
                ReleasedQuestion(
                    one,
                    numbers[one.tossup_id],
                    splits[one.tossup_id],
                    tuple(games[one.tossup_id]),
                    self._checks(engine, one, in_set),
                    numbers.get(groups.get(one.tossup_id, "")),
                    sum(len(rest) for first, rest in self._left.repeats if first == one.tossup_id),
                )
            )
            self._step("Checking the questions", len(rows), len(candidates))
        self._step("Writing the files", 0, 1)
        self._write_all(folder, rows, engine)
        self._step("Looking for names", 0, 1)
        for path in sorted(folder.iterdir()):
            refuse(self._watch.search_file(path))
        self._ledger.keep(self._ledger_file, numbers, splits)
        self._plays.remove_old_files([engine.digest, *(player.engine for player in engine.players)])
        return ExportReport(
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

    def candidates(self) -> list[Candidate]:
        """What may be released as far as the store knows, with all that is known of it."""
        store = self._app.store
        retracted = frozenset(one.tossup_id for one in self._retracted)
        ids = releasable(store.release_states(), self._choice, retracted, self._left)
        found = []
        for tossup_id in ids:
            changes, events = store.history(tossup_id), store.events(tossup_id)
            tossup, review = store.load(tossup_id).tossup, fold_events(events)
            _see_that_it_replays(tossup, changes)
            found.append(
                Candidate(
                    tossup_id,
                    tossup,
                    review,
                    review.writer or (changes[0].author if changes else ""),
                    changes,
                    events,
                    store.answers(tossup_id),
                    store.game_rows(tossup_id) if self._release.histories else (),
                )
            )
            self._step("Reading the tossups", len(found), len(ids))
        return found

    def see_that_nobody_is_named(self, candidates: Sequence[Candidate]) -> None:
        """Before anybody plays, which takes long; in a history also what was typed letter by letter."""
        found: list[NameMatch] = []
        for one in candidates:
            for place, text, talk in _texts(one, histories=self._release.histories):
                found += self._watch.search(text, place, talk=talk)
            if self._release.histories:
                found += self._typed(one)
        for key, answer in self._release.answers.items():
            found += self._watch.search(answer, f"the data sheet's answer on “{key}”", talk=True)
        refuse(found)

    def _typed(self, one: Candidate) -> Iterator[NameMatch]:
        """What was there whenever its writer had typed a word or began to rub out."""
        place = f"the history of {_named(one)}, at edit"
        text, begun, end = "", 0, 0  # what was typed since the last look

        def look(seq: int) -> Iterator[NameMatch]:
            first = max(0, begun - self._watch.longest)
            # as far as it was typed, too: what it was typed in front of is no part of a name
            around = f"{text[first:end]}\n{text[first : end + self._watch.longest]}"
            return self._watch.search(around, f"{place} {seq}")

        for change in one.changes:
            edit = change.edit
            goes_on = edit.start == end and not edit.removed and edit.inserted.isalnum()
            if end > begun and not goes_on:
                yield from look(change.seq - 1)
            text = edit.apply(text)
            begun, end = begun if goes_on else edit.start, edit.start + len(edit.inserted)
            if edit.removed and not edit.inserted:  # what was apart is together now
                yield from look(change.seq)
        yield from self._watch.search(text, f"{place} {len(one.changes)}")

    def _games(
        self, engine: Engine, candidates: Sequence[Candidate]
    ) -> tuple[dict[str, list[PlaySummary]], int]:
        games: dict[str, list[PlaySummary]] = {}
        played = 0
        total = len(candidates)
        for done, one in enumerate(candidates):
            self._step("Playing", done, total)
            played += sum(not self._plays.has(player, one.tossup) for player in engine.players)
            # one tossup after the other, because the ensemble rests on what the others have just said
            games[one.tossup_id] = [self._plays.summary(player, one.tossup) for player in engine.players]
        return games, played

    def _checks(self, engine: Engine, one: Candidate, in_set: DuplicateFinder) -> tuple[Check, ...]:
        """Those that rest on the tossup alone are kept, because past questions are many."""

        def make() -> tuple[Check, ...]:
            near = engine.retrieval.similar_past_tossups(one.tossup)
            past = DuplicateFinder(
                OtherTossup(str(number), source, text) for number, (source, text) in enumerate(near)
            )
            return tuple(check(one.tossup, in_set=DuplicateFinder(), past=past))

        checks = self._plays.checks(engine.digest, PROGRAM, one.tossup, make)
        if not in_set.of(one.tossup.text, one.tossup_id):
            return checks
        among = {made.name: made for made in check(one.tossup, one.tossup_id, in_set=in_set)}
        return tuple(among["set"] if made.name == "set" else made for made in checks)

    def _units(
        self,
        candidates: Sequence[Candidate],
        games: Mapping[str, Sequence[PlaySummary]],
        groups: Mapping[str, str],
    ) -> list[SplitGroup]:
        together: dict[str, list[Candidate]] = {}
        for one in candidates:
            together.setdefault(groups.get(one.tossup_id, one.tossup_id), []).append(one)
        units = []
        for members in together.values():
            first = min(members, key=lambda one: one.tossup_id)
            category = first.review.category[0] if first.review.category else ""
            stumps = sum(game.stumped() for game in games[first.tossup_id])
            stratum = f"{category or 'no category'}, stumps {stumps}"
            units.append(SplitGroup(stratum, tuple(sorted(one.tossup_id for one in members))))
        return units

    # -- the files

    def _write_all(self, folder: Path, rows: Sequence[ReleasedQuestion], engine: Engine) -> None:
        release = self._release
        names = [player.name for player in engine.players]
        by_player = {name: [row.games[at] for row in rows] for at, name in enumerate(names)}
        told = [row.ours(self._pseudonyms) for row in rows]
        write(folder / QUESTIONS, questions(rows, told, release))
        write(folder / TABLE, [table(rows, told, names, release).encode()])
        write(folder / TRICKME, listing(row.trickme(self._pseudonyms) for row in rows))
        write(
            folder / PLAYS,
            (
                self._plays.record(player, row.one.tossup).line(row.number)
                for row in rows
                for player in engine.players
            ),
        )
        if release.histories:
            write(folder / HISTORIES, (line(row.history(self._pseudonyms)) for row in rows))
        write(folder / SPLITS, [pretty(splits_of(rows, release.seed))])
        write(folder / RETRACTED, [pretty(msgspec.to_builtins(self._retracted))])
        facts = self._facts(rows, engine)
        write(folder / documents.CURVE, [documents.curve(by_player)])
        write(folder / SHEET, [documents.data_sheet(facts, release.answers).encode()])
        write(folder / README, [documents.readme(facts, by_player).encode()])
        write(folder / LICENCE, [documents.licence_text(facts).encode()])
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
                    "near_from": DUPLICATE_THRESHOLD,
                    "guesses_after_every_word": TOP,
                    "names_passed_over": len(release.others),
                },
                "questions": len(rows),
                "left_out": dict(sorted(self._left.reasons.items())),
            },
        )

    def _facts(self, rows: Sequence[ReleasedQuestion], engine: Engine) -> SetFacts:
        release = self._release
        writers = {row.one.author for row in rows}
        years = [
            year(change.at_ms) for row in rows for change in (row.one.changes[:1] + row.one.changes[-1:])
        ]
        failed = [
            (TITLES.get(check.name, check.name), check.name in row.overrides)
            for row in rows
            for check in row.checks
            if not check.passed
        ]
        return SetFacts(
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
            repeats=len({row.group for row in rows} - {None}),
            histories=release.histories,
            edits=sum(len(row.one.changes) for row in rows),
            files=tuple(name for name in documents.FILES if name != HISTORIES or release.histories),
        )


def _see_that_it_replays(tossup: Tossup, changes: Sequence[Change]) -> None:
    try:
        there = replay(change.edit for change in changes)
    except ValueError:
        there = None
    if there != tossup.text:
        name = tossup.answer.main if tossup.answer else tossup.text[:40]
        raise QuizwriterError(
            f"The history of “{name}” does not lead to its text.",
            "If it is being written just now, export again; else quizwriter check says what is damaged.",
        )


def _texts(one: Candidate, *, histories: bool) -> Iterator[tuple[str, str, bool]]:
    """The texts that are released of a tossup: the place, the text, and whether people talk in it."""
    name = _named(one)
    yield f"the text of {name}", one.tossup.text, False
    if one.tossup.answer is not None:
        yield f"the answer of {name}", one.tossup.answer.line, False
    for override in one.review.waived:
        yield f"the reason for “{override.check}” of {name}", override.reason, True
    yield f"the source of {name}", one.review.source, True
    yield f"the set of {name}", one.review.set_name, True
    if not histories:
        return
    for event in one.events:
        kind, body = encode_body(event.body)
        for text, talk in _strings(body):
            yield f"a {kind} on {name}", text, talk
    for asked in one.answers:
        if asked.answer is not None:
            yield f"an earlier answer of {name}", asked.answer.line, False


_TALK = frozenset({"text", "reason", "note"})  # what people say to each other in an event
_IDS = frozenset({"person", "comment", "suggestion", "events"})


def _strings(value: object, *, talk: bool = False) -> Iterator[tuple[str, bool]]:
    """The texts in an event's body, and whether each is what people say to each other."""
    if isinstance(value, str):
        yield value, talk
    elif isinstance(value, Mapping):
        for name, inside in value.items():
            if name not in _IDS:
                yield from _strings(inside, talk=name in _TALK)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from _strings(inside, talk=talk)


def _named(one: Candidate) -> str:
    """A tossup as people call it."""
    return f"“{one.tossup.answer.main if one.tossup.answer else one.tossup_id}”"


def _why_nothing(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return ""
    return (
        "What stays out, and why: "
        + "; ".join(f"{reason} ({number:,})" for reason, number in sorted(reasons.items()))
        + "."
    )
