"""Releases a challenge set: from the store to a folder that others can load, check and cite.

Preview, rehearsal and export are in one file, because they must choose the same tossups by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from quizwriter.cancellation import Cancellation, PartProgress
from quizwriter.challenge.citation import questions_head
from quizwriter.challenge.control import CONTROL_FILE, Control, ControlSearch, buzz_characters, control_row
from quizwriter.challenge.data_sheet import EDITOR_ITEMS
from quizwriter.challenge.documents import set_documents
from quizwriter.challenge.figures import ControlGames, QuestionRow, set_figures
from quizwriter.challenge.layout import (
    CONTROL,
    FORMAT,
    PLAYS,
    PROGRAM,
    QUESTIONS,
    SCHEMA,
    SPLITS,
    TABLE,
    TRICKME,
    ReleasedQuestion,
    indented_json,
    json_line,
    json_list,
    new_folder,
    questions_csv,
    questions_json,
    split_file,
    split_rows,
    splits_json,
    write_manifest,
    write_parts,
)
from quizwriter.challenge.metadata import (
    EarlierRelease,
    Ledger,
    ReleasedVersion,
    SetMetadata,
    WithdrawnQuestions,
    later_version,
    released_versions,
    retractions,
)
from quizwriter.challenge.name_decisions import (
    NameDecisions,
    NameGroup,
    decide_names,
    name_letters,
    raise_if_named,
)
from quizwriter.challenge.name_search import NameMatch, search_set
from quizwriter.challenge.privacy import Pseudonyms, known_people, name_scanner
from quizwriter.challenge.release_signature import sign
from quizwriter.challenge.remarks import (
    quoted_title,
    released_texts,
    remarks_in,
    review_without_remarks,
    without_remarks,
    without_working_notes,
)
from quizwriter.challenge.reports import ExportPreview, ExportRehearsal, ExportReport
from quizwriter.challenge.selection import (
    NAMED,
    NEAR_DUPLICATE,
    NOT_KNOWABLE,
    NOT_STUMPING,
    SPLIT_SHARES,
    Candidate,
    Exclusions,
    Selection,
    SplitGroup,
    assign_numbers,
    assign_splits,
    select_releasable,
    select_representatives,
    select_stumping,
)
from quizwriter.challenge.statements import SetStatements
from quizwriter.challenge.working_names import WorkingNames
from quizwriter.challenge.wrong_guesses import wrong_guess
from quizwriter.domain.guessing import TOP
from quizwriter.domain.history import Change, replay
from quizwriter.domain.provenance import provenance
from quizwriter.domain.review import Consent, NameVerdict
from quizwriter.domain.tossup import Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.formats.histories import RELEASED_HISTORIES
from quizwriter.formats.question_files import RETRACTED
from quizwriter.services.beat_goal import NO_BEAT_GOAL
from quizwriter.store.plays import PlayCache, PlaySummary
from quizwriter.workflow.checks import Check, check, checks_version, checks_with
from quizwriter.workflow.near_duplicates import DUPLICATE_THRESHOLD, DuplicateFinder, OtherTossup
from quizwriter.workflow.problems.rule import RuleNeed

if TYPE_CHECKING:
    from quizwriter.engine.engine import Engine
    from quizwriter.services.wiring import App


def preview(app: App, selection: Selection, cancellation: Cancellation | None = None) -> ExportPreview:
    """The number of tossups that :func:`export` would consider, and the number left out for each reason."""
    cancellation = cancellation or Cancellation()
    cancellation.check()
    exclusions, me = Exclusions(), app.profile.settings.profile_id
    states = app.store.release_states()
    cancellation.check()
    withdrawn = WithdrawnQuestions.read(app.home, Pseudonyms.load(app.home / "pseudonyms.key"))
    is_withdrawn = cache(partial(_is_withdrawn, app, withdrawn))
    chosen = frozenset(select_releasable(states, selection, exclusions, is_withdrawn))
    released = {one.root for one in states if one.tossup_id in chosen}
    mine = {
        one.tossup_id
        for one in states
        if one.author == me and me and one.consent == Consent.NOT_ASKED and one.root not in released
    }
    allowed = select_releasable(
        (replace(one, consent=Consent.YES) if one.tossup_id in mine else one for one in states),
        selection,
        Exclusions(),
        is_withdrawn,
    )
    without_consent = (key for key in allowed if key in mine)
    sets = sorted({one.set_name for one in states} - {""}, key=str.casefold)
    return ExportPreview(len(chosen), dict(exclusions.reasons), tuple(sets), tuple(without_consent))


def export(
    app: App,
    out: Path,
    selection: Selection,
    release: SetMetadata,
    *,
    after: Path | None = None,
    control: Path | None = None,
    signed: bool = False,
    engine: Engine | None = None,
    progress: PartProgress = lambda what, done, total: None,
    cancellation: Cancellation | None = None,
) -> ExportReport:
    """Release the tossups of ``selection`` in the folder ``out``, whole or not at all.

    The same database and the same bundle give the same bytes. The players are those of ``engine``, or of the
    bundle used last; missing games are played in a batch, see
    :meth:`quizwriter.services.engines.Engines.batch_players`. ``after`` is the folder of the version before:
    its questions keep their numbers and splits. The version never goes back: see
    :func:`quizwriter.challenge.metadata.later_version`. A question that was withdrawn from any set is never
    released again. ``control`` is a question file from which the control is taken, else the bundle's own
    held-back questions are; see :class:`quizwriter.challenge.control.ControlSearch`.
    ``signed``: with the key of the user's profile.
    """
    key = app.profile.identity.needed_key() if signed else None
    with new_folder(out) as folder, closing(PlayCache(app.home)) as plays:
        steps = _Steps(progress, cancellation or Cancellation())
        work = _Export(app, selection, release, after, control, plays, steps)
        candidates, groups = work.releasable()
        work.keep_others(groups, candidates)
        raise_if_named(groups, [one.tossup_id for one in candidates])
        engine = engine or app.engines.load()
        with app.engines.batch_players(engine, steps.cancellation) as players:
            report = work.write(folder, out, candidates, players)
        if key is not None:
            sign(folder, key, f"{release.title} {report.version}")
        return report


def rehearse(
    app: App,
    selection: Selection,
    release: SetMetadata,
    *,
    after: Path | None = None,
    engine: Engine | None = None,
    progress: PartProgress = lambda what, done, total: None,
    cancellation: Cancellation | None = None,
) -> ExportRehearsal:
    """What :func:`export` would release with the same arguments; nobody plays, and nothing is written."""
    if selection.stumps:
        _require_players(selection.stumps, engine or app.engines.load())
    with closing(PlayCache(app.home)) as plays:
        work = _Export(
            app, selection, release, after, None, plays, _Steps(progress, cancellation or Cancellation())
        )
        candidates, names = work.releasable()
    remarks = [
        remark
        for one in candidates
        if release.remarks
        for remark in remarks_in(
            one.events, one.tossup_id, one.tossup.answer.main if one.tossup.answer else ""
        )
    ]
    people = {person.id: person.name for person in known_people(app)}
    remarks.sort(key=lambda one: (people.get(one.person, "").casefold(), one.person, one.title))
    return ExportRehearsal(
        tuple(one.tossup_id for one in candidates),
        work.left_out,
        tuple(remarks),
        people,
        names,
        work.never_released,
        tuple(_uncounted(selection, candidates)),
    )


def _uncounted(selection: Selection, candidates: Sequence[Candidate]) -> Iterator[str]:
    """The reasons for which an export may leave out more, because they depend on games."""
    if selection.stumps:
        yield from (NOT_KNOWABLE, NOT_STUMPING)
    if not selection.keep_duplicates:
        texts = (OtherTossup(one.tossup_id, one.tossup_id, one.tossup.text) for one in candidates)
        if any(not selection.kept_duplicates.issuperset(group) for group in DuplicateFinder(texts).groups()):
            yield NEAR_DUPLICATE


def _require_players(names: Iterable[str], engine: Engine) -> None:
    known = [player.name for player in engine.players]
    for name in sorted(set(names) - set(known)):
        raise QuizwriterError(f"“{engine.title}” has no player {name}.", f"Choose among {', '.join(known)}.")


class _Steps(msgspec.Struct, frozen=True):
    """Reports the progress of an export, and raises between two steps once it is cancelled."""

    progress: PartProgress
    cancellation: Cancellation

    def __call__(self, what: str, done: int, total: int) -> None:
        self.cancellation.check()
        self.progress(what, done, total)


class _Export:
    """One export, from the store to the files."""

    def __init__(
        self,
        app: App,
        selection: Selection,
        release: SetMetadata,
        after: Path | None,
        control: Path | None,
        plays: PlayCache,
        steps: _Steps,
    ) -> None:
        self._app, self._selection, self._release, self._plays, self._step = (
            app,
            selection,
            release,
            plays,
            steps,
        )
        self._control_file = control
        self._exclusions = Exclusions()
        self._pseudonyms = pseudonyms = Pseudonyms.load(app.home / "pseudonyms.key")
        self._decisions = NameDecisions.of_editor(app, release.others)
        self._scanner = name_scanner(app)
        self._names_of_others = 0
        self.never_released: tuple[NameGroup, ...] = ()
        self._ledger_file = app.home / "challenge" / f"{release.slug}.json"
        self._ledger = Ledger.read(self._ledger_file, release.seed, pseudonyms)
        self._withdrawn = WithdrawnQuestions.read(app.home, pseudonyms)
        self._earlier: EarlierRelease | None = None
        released = released_versions(app, release.title)
        if after is not None:
            continued = Ledger.of_release(after, release.seed, pseudonyms)
            self._earlier = continued.earlier
            self._ledger = continued.merged_with(self._ledger)
        if self._earlier is not None:
            self._withdrawn = self._withdrawn.with_more(self._earlier.withdrawn)
            released.append(ReleasedVersion(self._earlier.version, taken=True))
        self._release = replace(release, version=later_version(release.version, released))
        self._working_names = WorkingNames(self._ledger.working_names)
        self._retracted = retractions(self._ledger, self._earlier, self._withdrawn, release.title)

    @property
    def left_out(self) -> Mapping[str, int]:
        return dict(self._exclusions.reasons)

    def write(self, folder: Path, out: Path, candidates: list[Candidate], engine: Engine) -> ExportReport:
        """Write every file to ``folder``, which will become ``out``; the players of ``engine`` play."""
        _require_players(self._selection.stumps, engine)
        games, played = self._games(engine, candidates)
        candidates = select_stumping(candidates, games, self._selection, self._exclusions)
        released = frozenset(self._ledger.numbers)
        candidates, groups = select_representatives(
            candidates, games, self._selection, released, self._exclusions
        )
        if not candidates:
            raise QuizwriterError(
                "There is nothing to release.",
                _exclusion_remedy(self._exclusions.reasons) or "Write some tossups first.",
            )
        numbers = assign_numbers([one.released_id for one in candidates], self._ledger.numbers)
        number_of = {one.tossup_id: numbers[one.released_id] for one in candidates}
        splits = assign_splits(
            self._split_groups(candidates, games, groups), self._ledger.splits, self._release.seed
        )
        alike = [one for one in candidates if one.tossup_id in groups]
        in_set = DuplicateFinder(
            OtherTossup(one.tossup_id, quoted_title(one), one.tossup.text) for one in alike
        )
        rows = []
        for one in sorted(candidates, key=lambda one: numbers[one.released_id]):
            rows.append(
                ReleasedQuestion(
                    one,
                    numbers[one.released_id],
                    splits[one.released_id],
                    tuple(games[one.tossup_id]),
                    self._checks(engine, one, in_set),
                    number_of.get(groups.get(one.tossup_id, "")),
                    sum(
                        len(rest)
                        for first, rest in self._exclusions.near_duplicates
                        if first == one.tossup_id
                    ),
                    wrong_guess(
                        engine,
                        one.tossup,
                        [self._plays.record(player, one.tossup) for player in engine.players],
                    ),
                )
            )
            self._step("Checking the questions", len(rows), len(candidates))
        self._step("Writing the files", 0, 1)
        self._write_all(folder, rows, engine)
        self._step("Looking for names", 0, 1)
        raise_if_named(self._decisions.groups(search_set(self._scanner, folder, sorted(folder.iterdir()))))
        self._ledger.save(self._ledger_file, numbers, splits, self._working_names.kept, self._pseudonyms)
        if self._earlier is not None:
            self._withdrawn.save()
        released_ids = [row.candidate.tossup_id for row in rows]
        self._app.set_log.record_release(self._release.title, self._release.version, out, released_ids)
        self._plays.remove_old_files([engine.digest, *(player.engine for player in engine.players)])
        return ExportReport(
            folder=out,
            version=self._release.version,
            questions=len(rows),
            guessable=sum(any(game.knowable for game in row.games) for row in rows),
            left_out=dict(sorted(self._exclusions.reasons.items())),
            near_duplicates=tuple(self._exclusions.near_duplicates),
            unanswered=tuple(
                item.question for item in EDITOR_ITEMS if not self._release.answers.get(item.key, "").strip()
            ),
            played=played,
        )

    # -- what goes in

    def candidates(self) -> list[Candidate]:
        """The tossups whose states in the database allow a release, with their histories."""
        store = self._app.store
        ids = select_releasable(
            store.release_states(),
            self._selection,
            self._exclusions,
            partial(_is_withdrawn, self._app, self._withdrawn),
            lambda key: self._pseudonyms.of_question(key) in self._ledger.numbers,
        )
        found = []
        for tossup_id in sorted(ids, key=self._pseudonyms.of_question):  # so numbers do not tell the order
            changes, events = store.history(tossup_id), without_working_notes(store.events(tossup_id))
            tossup, review = store.load(tossup_id).tossup, store.review_of(tossup_id)
            if not self._release.working_names:
                events = tuple(map(self._working_names.without, events))
                review = self._working_names.without_in(review)
            _check_replay(tossup, changes)
            if not self._release.remarks:
                events, review = without_remarks(events), review_without_remarks(review)
            shown = store.players_shown(tossup_id)
            origin = provenance(changes, review, shown)
            found.append(
                Candidate(
                    tossup_id,
                    self._pseudonyms.of_question(tossup_id),
                    tossup,
                    review,
                    review.writer,
                    origin,
                    changes,
                    events,
                    store.answers(tossup_id),
                    store.game_rows(tossup_id) if self._release.histories else (),
                    shown,
                )
            )
            self._step("Reading the tossups", len(found), len(ids))
        return found

    def releasable(self) -> tuple[list[Candidate], tuple[NameGroup, ...]]:
        """The candidates without those whose names are never to be released, and the names in the others.

        An export asks it before it writes, and a rehearsal instead.
        """
        candidates = self.candidates()
        decided = self._decisions
        matches = [match for one in candidates for match in self._names_in(one)]
        never = [one for one in decided.groups(matches) if one.verdict is NameVerdict.NEVER_RELEASE]
        out = {tossup_id for one in never for tossup_id in one.tossups}
        if out:
            self._exclusions.reasons[NAMED] += len(out)
        self.never_released = tuple(never)
        kept = [match for match in matches if match.tossup_id not in out]
        groups = decided.groups([*kept, *self._names_in_statements()])
        others = [one for one in groups if one.verdict is NameVerdict.ANOTHER_PERSON]
        self._names_of_others = len({name_letters(one.words) for one in others})
        return [one for one in candidates if one.tossup_id not in out], groups

    def keep_others(self, groups: Iterable[NameGroup], candidates: Sequence[Candidate]) -> None:
        """Record in the database what the set's own file says of names, so that who verifies has it, too."""
        recorded = NameDecisions.of_editor(self._app)
        found = [
            one
            for one in groups
            if one.verdict is NameVerdict.ANOTHER_PERSON and not recorded.passes(one.matches[0])
        ]
        verdicts = {one.words: NameVerdict.ANOTHER_PERSON for one in found}
        decide_names(self._app, verdicts, found, [one.tossup_id for one in candidates])

    def _names_in(self, one: Candidate) -> Iterator[NameMatch]:
        """The names in the texts of a tossup; in its history, also names that were typed letter by letter."""
        answer = one.tossup.answer
        subject = (answer.page or answer.main) if answer is not None else ""
        for place, text, remark in released_texts(one, histories=self._release.histories):
            for match in self._scanner.search(text, place, remark=remark, subject=subject):
                yield replace(match, tossup_id=one.tossup_id)
        if self._release.histories:
            edits = ((change.seq, change.edit) for change in one.changes)
            place = f"the history of {quoted_title(one)}, at edit"
            for match in self._scanner.search_history(edits, place):
                yield replace(match, tossup_id=one.tossup_id)

    def _names_in_statements(self) -> Iterator[NameMatch]:
        release = self._release
        for place, text in (
            ("title", release.title), ("maintainer", release.maintainer), ("contact", release.contact),
            ("website", release.website), ("version", release.version),
        ):  # fmt: skip
            yield from self._scanner.search(text, f"the {place} of the set")
        yield from self._scanner.search(self._selection.set_name or "", "the set to release", remark=True)
        for key, said in release.answers.items():
            yield from self._scanner.search(said, f"the data sheet's answer on “{key}”", remark=True)

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
            found = [self._plays.summary(player, one.tossup) for player in engine.players]
            games[one.tossup_id] = found
            self._app.plays.record(one.tossup_id, one.tossup, found)
        return games, played

    def _checks(self, engine: Engine, one: Candidate, in_set: DuplicateFinder) -> tuple[Check, ...]:
        """The checks of a tossup; those that need no other tossup are slow and come from the cache."""

        def make() -> tuple[Check, ...]:
            near = engine.retrieval.similar_past_tossups(one.tossup)
            past = DuplicateFinder(
                OtherTossup(str(number), source, text) for number, (source, text) in enumerate(near)
            )
            return tuple(check(one.tossup, in_set=DuplicateFinder(), past=past, pages=engine.pages))

        checks = self._plays.checks(engine.digest, f"{PROGRAM}, checks {checks_version()}", one.tossup, make)
        if not in_set.of(one.tossup.text, one.tossup_id):
            return checks
        among = {made.name: made for made in check(one.tossup, one.tossup_id, in_set=in_set)}
        of_set = checks_with(RuleNeed.SET)
        return tuple(among[made.name] if made.name in of_set else made for made in checks)

    def _split_groups(
        self,
        candidates: Sequence[Candidate],
        games: Mapping[str, Sequence[PlaySummary]],
        groups: Mapping[str, str],
    ) -> list[SplitGroup]:
        together: dict[str, list[Candidate]] = {}
        for one in candidates:
            together.setdefault(groups.get(one.tossup_id, one.tossup_id), []).append(one)
        groups_to_split = []
        for members in together.values():
            first = min(members, key=lambda one: one.released_id)
            category = first.review.category[0] if first.review.category else ""
            stumps = sum(game.stumped() for game in games[first.tossup_id])
            stratum = f"{category or 'no category'}, stumps {stumps}"
            groups_to_split.append(SplitGroup(stratum, tuple(sorted(one.released_id for one in members))))
        return groups_to_split

    # -- the files

    def _write_all(self, folder: Path, rows: Sequence[ReleasedQuestion], engine: Engine) -> None:
        names = [player.name for player in engine.players]
        extras = [row.quizwriter_row(self._pseudonyms) for row in rows]
        control, control_games = self._play_control(folder, rows, engine)
        manifest = self._manifest(rows, engine, control)
        head = questions_head(SetStatements.of_manifest(manifest))
        write_parts(folder / QUESTIONS, questions_json(rows, extras, head))
        write_parts(folder / TABLE, [questions_csv(rows, extras, names).encode()])
        write_parts(folder / TRICKME, json_list(row.trickme_row(self._pseudonyms) for row in rows))
        for split in SPLIT_SHARES:
            write_parts(folder / split_file(split), map(json_line, split_rows(rows, extras, split)))
        write_parts(
            folder / PLAYS,
            (
                self._plays.record(player, row.candidate.tossup).line(row.number)
                for row in rows
                for player in engine.players
            ),
        )
        if self._release.histories:
            write_parts(
                folder / RELEASED_HISTORIES, (json_line(row.history_row(self._pseudonyms)) for row in rows)
            )
        write_parts(folder / SPLITS, [indented_json(splits_json(rows, self._release.seed))])
        write_parts(folder / RETRACTED, [indented_json(msgspec.to_builtins(self._retracted))])
        games = {name: {row.number: row.games[at] for row in rows} for at, name in enumerate(names)}
        goal = SetStatements.of_manifest(manifest).goal
        figures = set_figures(
            [msgspec.convert(extra, QuestionRow) for extra in extras],
            games,
            control_games,
            {row.number: row.candidate.tossup for row in rows},
            goal=goal,
            last_guesses={
                (player.name, row.number): self._plays.record(player, row.candidate.tossup).course.last_guess
                for row in rows
                for player in engine.players
                if player.name in goal.players
            },
        )
        for name, contents in set_documents(manifest, figures, games, control_games.games).items():
            write_parts(folder / name, [contents])
        write_manifest(folder, manifest)

    def _play_control(
        self, folder: Path, rows: Sequence[ReleasedQuestion], engine: Engine
    ) -> tuple[Control | str, ControlGames]:
        """The control with the games on it, which are written; else why there is none, and no games."""
        search = ControlSearch(
            {row.number: row.candidate for row in rows},
            {row.number: row.games for row in rows},
            engine,
            self._release.seed,
            lambda done, total: self._step("Choosing the control", done, total),
        )
        file = self._control_file
        control = search.in_bundle() if file is None else search.in_file(file)
        if isinstance(control, Control) and control.file and not self._release.working_names:
            control = replace(control, file=CONTROL_FILE)
        if isinstance(control, str):
            return control, ControlGames()
        games: dict[str, dict[int, PlaySummary]] = {player.name: {} for player in engine.players}
        buzzes: dict[str, dict[int, float | None]] = {player.name: {} for player in engine.players}
        with (folder / CONTROL).open("wb") as out:
            for done, question in enumerate(control.questions):
                self._step("Playing the control", done, len(control.questions))
                for player in engine.players:
                    record = self._plays.record(player, question.tossup)
                    out.write(json_line(control_row(question, record)))
                    games[player.name][question.number] = record.summary
                    buzzes[player.name][question.number] = buzz_characters(record.summary, question.tossup)
        matched = {question.number: question.matched for question in control.questions}
        return control, ControlGames(games, matched, buzzes, self._release.seed)

    def _manifest(
        self, rows: Sequence[ReleasedQuestion], engine: Engine, control: Control | str
    ) -> dict[str, Any]:
        """The manifest without the digests: all that the documents state and the rows do not hold."""
        release = self._release
        return {
            "format": FORMAT,
            "schema": SCHEMA,
            "title": release.title,
            "version": release.version,
            "released": release.released,
            "licence": release.licence,
            "maintainer": release.maintainer,
            "contact": release.contact,
            "website": release.website,
            "program": PROGRAM,
            "bundle": {"title": engine.title, "digest": engine.digest},
            "players": [{"name": player.name, "digest": player.engine} for player in engine.players],
            "settings": {
                **self._selection.as_json(self._pseudonyms.of_question),
                "histories": release.histories,
                "remarks": release.remarks,
                "seed": release.seed,
                "shares": dict(SPLIT_SHARES),
                "near_from": DUPLICATE_THRESHOLD,
                "guesses_after_every_word": TOP,
                "working_names": release.working_names,
                "names_passed_over": self._names_of_others,
                **self._goal(rows),
            },
            "key": self._pseudonyms.fingerprint,
            "previous": self._earlier.as_json() if self._earlier else None,
            "control": None if isinstance(control, str) else control.as_json(),
            "no_control": control if isinstance(control, str) else "",
            "questions": len(rows),
            "left_out": dict(sorted(self._exclusions.reasons.items())),
            "data_sheet": {key: text for key, text in release.answers.items() if text.strip()},
        }

    def _goal(self, rows: Sequence[ReleasedQuestion]) -> dict[str, Any]:
        """The goal of the sets that the questions are in, if all have the same."""
        names = {row.candidate.review.set_name for row in rows}
        goals = {self._app.briefs.goal(name) for name in names}
        goal = goals.pop() if len(goals) == 1 else NO_BEAT_GOAL
        return {"beats": [*goal.players], "by_f1": goal.by_f1} if goal.players else {}


def _is_withdrawn(app: App, withdrawn: WithdrawnQuestions, tossup_id: str) -> bool:
    """Whether a tossup of the database was withdrawn, under its own id or with the same text."""
    return bool(withdrawn.known) and withdrawn.has(tossup_id, app.store.load(tossup_id).tossup.text)


def _check_replay(tossup: Tossup, changes: Sequence[Change]) -> None:
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


def _exclusion_remedy(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return ""
    return (
        "What stays out, and why: "
        + "; ".join(f"{reason} ({number:,})" for reason, number in sorted(reasons.items()))
        + "."
    )
