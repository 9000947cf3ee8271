"""The command that makes the pages of results, or says which of them are stale."""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import os
import platform
import shlex
import tempfile
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quizwriter import __version__
from quizwriter.cancellation import Cancellation
from quizwriter.cli.commands import argument, command
from quizwriter.cli.experiment import given_by
from quizwriter.cli.options import use_named_server
from quizwriter.cli.output import cancelled_by_interrupt, print_lines, progress
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.services.wiring import App
from quizwriter.system.atomic import atomic_write
from quizwriter.system.decoding import file_digest
from quizwriter.workflow.wording import counted_noun

if TYPE_CHECKING:
    from quizwriter.experiments.inputs import ExperimentInputs
    from quizwriter.experiments.result_pages import ResultPage, ResultRun, RunRecord
    from quizwriter.experiments.runner import ExperimentReport
    from quizwriter.settings import ServerSettings
    from quizwriter.store.plays import PlaySummary

_CASES = "answer_check_tests.jsonl"
"""The file among the data with the cases of the judge."""

_NAME_DATA = "Name the folder with the shared questions with --data, or with DATA= for make."

_FIXED = 50
"""Tossups of which the outputs are taken; as many more are what these are compared with."""


@command(
    "results",
    "For releases: make the pages of results, or say which are stale.",
    argument("pages", nargs="*", metavar="PAGE", help="only these pages"),
    argument("--docs", type=Path, required=True, metavar="DIR", help="the folder with the pages"),
    argument("--data", type=Path, required=True, metavar="DIR", help="the folder with the shared questions"),
    argument(
        "--stale", action="store_true", help="make only the runs that are stale; the others stay as they are"
    ),
    argument(
        "--with-server",
        action="store_true",
        help="make the runs of Elasticsearch, too: the server that they name has the bundle, published",
    ),
    argument(
        "--check",
        action="store_true",
        help="make only the runs of seconds, and say of every page whether it is fresh",
    ),
)
def _results(arguments: argparse.Namespace) -> int:
    from quizwriter.experiments.result_pages import PAGES

    unknown = sorted(set(arguments.pages) - {page.name for page in PAGES})
    if unknown:
        raise QuizwriterError(
            f"There is no page of results called {' and '.join(unknown)}.",
            f"Name some of {', '.join(page.name for page in PAGES)}.",
        )
    pages = [page for page in PAGES if not arguments.pages or page.name in arguments.pages]
    with cancelled_by_interrupt() as cancellation, tempfile.TemporaryDirectory() as home:
        made = _Results(arguments.docs, arguments.data, arguments.bundle, Path(home), cancellation)
        if arguments.check:
            return _check(pages, made)
        for page in pages:
            runs = {run.name for run in page.runs if arguments.with_server or not run.asks_server}
            seconds = made.make(page, runs & made.stale(page).keys() if arguments.stale else runs)
            print_lines(f"{page.name}: made in {seconds:,.0f} s.")
    return 0


def _check(pages: Sequence[ResultPage], made: _Results) -> int:
    """Print which pages are stale, and let their heads say so."""
    stale = 0
    for page in pages:
        found = made.stale(page)
        made.write_head(page, found)
        stale += bool(found)
        said = "; ".join(f"{name}: {', '.join(reasons)}" for name, reasons in found.items())
        print_lines(f"{page.name}: {f'stale ({said})' if found else 'fresh'}.")
    print_lines(f"{stale} of {counted_noun(len(pages), 'page')} are stale.")
    return 0


class _Results:
    """What makes pages: the folders, the digests of the data, and what was recorded of earlier runs."""

    def __init__(
        self, docs: Path, data: Path, bundle: Path | None, home: Path, cancellation: Cancellation
    ) -> None:
        from quizwriter.experiments.result_pages import read_records

        self._docs, self._data, self._bundle, self._home = docs, data, bundle, home
        self._cancellation = cancellation
        self._digests: dict[str, str] = {}
        self._records = read_records(docs)
        if not data.is_dir():
            raise QuizwriterError(f"There is no folder {data} with the shared questions.", _NAME_DATA)

    def make(self, page: ResultPage, names: Container[str]) -> float:
        """Make the runs of ``page`` with these ``names`` and write it with plots; the seconds that took."""
        from quizwriter.experiments.result_pages import RECORD, read_records, records_as_json, run_block

        blocks, whole = {}, 0.0
        for run in page.runs:
            if run.name not in names:
                continue
            begun = time.monotonic()
            report = self._report(run.command, self._built if run.needs_bundle else None)
            seconds = round(time.monotonic() - begun, 1)
            whole += seconds
            self._records[run.name] = self._record(run, report, seconds)
            blocks[run.name] = run_block(run, report)
            if report.has_plot:
                _write(self._docs / f"{run.name}.png", report.files()[f"{report.experiment.stem}.png"])
        self._fill(page, blocks)
        self._records = {**read_records(self._docs), **{name: self._records[name] for name in blocks}}
        _write(self._docs / RECORD, records_as_json(self._records))
        self.write_head(page, self.stale(page) if len(blocks) < len(page.runs) else {})
        return whole

    def stale(self, page: ResultPage) -> dict[str, list[str]]:
        """Why runs of ``page`` are stale, by their names; cheap ones are made anew to see."""
        from quizwriter.experiments.result_pages import CHEAP, reasons_stale

        found = {}
        for run in page.runs:
            report = None
            if run.minutes <= CHEAP and not run.needs_bundle:
                report = self._report(run.command, None)
            if reasons := reasons_stale(self._records.get(run.name), self._record(run, report, 0.0)):
                found[run.name] = reasons
        return found

    def write_head(self, page: ResultPage, stale: Mapping[str, Sequence[str]]) -> None:
        """Let the head of ``page`` say what was found and whether it is ``stale``."""
        from quizwriter.experiments.result_pages import HEAD, head_block

        records = [self._records[run.name] for run in page.runs if run.name in self._records]
        self._fill(page, {HEAD: head_block(records, stale)})

    def _fill(self, page: ResultPage, blocks: Mapping[str, str]) -> None:
        from quizwriter.experiments.result_pages import filled

        path = self._docs / f"{page.name}.md"
        text = _read(path)
        if (new := filled(text, blocks)) != text:
            _write(path, new.encode())

    def _record(self, run: ResultRun, report: ExperimentReport | None, seconds: float) -> RunRecord:
        from quizwriter.experiments.result_pages import RECIPE, RunRecord, recipe_digest

        names = [word for word in shlex.split(run.command) if self._file(word) is not None]
        recipe = ""
        if run.needs_bundle:
            recipe = recipe_digest({name: self._digest(name) for of in RECIPE.values() for name in of})
        return RunRecord(
            run.command,
            {name: self._digest(name) for name in names},
            recipe,
            {} if report is None else report.players,
            "" if report is None else run.table_digest(report),
            "" if report is None else run.opening + report.found.sentence,
            self._outputs(run),
            seconds,
            f"{os.cpu_count()} cores ({platform.machine()})",
            __version__,
        )

    def _file(self, name: str) -> Path | None:
        """The file of this ``name`` among the data or beside the pages."""
        return next((of / name for of in (self._data, self._docs) if (of / name).is_file()), None)

    def _digest(self, name: str) -> str:
        if name not in self._digests:
            self._digests[name] = file_digest(self._file(name) or self._shared(name))
        return self._digests[name]

    def _shared(self, name: str) -> Path:
        path = self._data / name
        if not path.is_file():
            raise QuizwriterError(f"There is no file {name} in {self._data}.", _NAME_DATA)
        return path

    @cached_property
    def _built(self) -> Path:
        """The bundle of the pages, which is built and trained if it is not there."""
        from quizwriter.cli.parser import parser_of_all
        from quizwriter.engine.bundle import MANIFEST
        from quizwriter.experiments.result_pages import RECIPE, BundleSources
        from quizwriter.system.decoding import decode_json

        folder = self._bundle
        if folder is None:
            raise QuizwriterError("These pages need a bundle.", "Name it with --bundle.")
        if not folder.exists():
            words = ["build", "--out", str(folder), "--title", "Held out"]
            for option, names in RECIPE.items():
                words += [option, *(str(self._data / name) for name in names)]
            for typed in (words, ["train", "--bundle", str(folder)]):
                arguments = parser_of_all().parse_args(typed)
                if arguments.run(arguments):
                    raise QuizwriterError("The bundle could not be made.", "Look at what was printed above.")
        made = decode_json(_read(folder / MANIFEST), BundleSources).digests
        if made != {name: self._digest(name) for names in RECIPE.values() for name in names}:
            raise QuizwriterError(
                f"The bundle in {folder} was built from other files than the pages are of.",
                "Name a folder that does not exist yet: the bundle is built there.",
            )
        return folder

    def _report(
        self, typed: str, bundle: Path | None, held_back: Path | None = None, *, trains: bool = True
    ) -> ExperimentReport:
        from quizwriter.cli.parser import parser_of_all
        from quizwriter.experiments.runner import run

        words = [str(self._file(word) or word) for word in shlex.split(typed)]
        arguments = parser_of_all().parse_args(["experiment", *words])
        with App(self._home, bundle=bundle) as app, progress() as bars:
            server = use_named_server(app, arguments)
            if server is not None and bundle is not None:
                _require_published(app, server, bundle)
            given = given_by(arguments, app, bars.show, self._cancellation)
            given.held_back_from, given.trains = held_back, trains
            return run(arguments.name, given)

    # -- outputs

    def _outputs(self, run: ResultRun) -> str:
        """The digest of what the program puts out on the fixed tossups with the starter's players: the games
        of those of the run, with their buzzes where these count, then what it makes of a server's answers,
        then what the page shows of the fixed tossups and of made-up games and trainings on them, then
        verdicts on guesses.
        """
        whole = hashlib.sha256()
        if run.players or not run.small:
            for name, games in self._games.items():
                if name in run.players or not run.players:
                    said = [[game.curve, game.first_correct, game.possible] for game in games]
                    if run.buzzes:
                        said += [[game.buzz, game.buzz_page] for game in games]
                    whole.update(json.dumps([name, said]).encode())
        if run.asks_server:
            for one in self._asked_of_server(run.fields):
                whole.update(one)
        for typed in self._fixed_commands(run):
            report = self._report(typed, None, self._fixed["against"], trains=not run.trains)
            whole.update(run.outputs(report))
        if run.judged:
            whole.update(self._verdicts)
        return whole.hexdigest()

    @cached_property
    def _games(self) -> dict[str, list[PlaySummary]]:
        """The games of every player of the starter bundle on the fixed tossups."""
        with App(self._home) as app:
            given = self._given(app)
            return dict(sorted(given.summaries(given.resolved(given.questions)).items()))

    def _asked_of_server(self, fields: str) -> Iterator[bytes]:
        from quizwriter.engine.elastic.made_answers import server_outputs

        with App(self._home) as app:
            given = self._given(app)
            questions = given.resolved(given.questions)
        return server_outputs([one.tossup for one in questions], fields.split(",") if fields else ())

    def _given(self, app: App, role: str = "questions") -> ExperimentInputs:
        from quizwriter.experiments.inputs import ExperimentInputs

        return ExperimentInputs(app, str(self._fixed[role]), cancellation=self._cancellation)

    @cached_property
    def _made_games(self) -> Path:
        from quizwriter.experiments.made_games import write_made_games

        path = self._home / "made.jsonl.xz"
        with App(self._home) as app:
            write_made_games(
                path, [one for role in ("questions", "against") for one in self._given(app, role).questions]
            )
        return path

    @cached_property
    def _verdicts(self) -> bytes:
        """Whether guesses beat the players, by either rule, on the cases of the judge among the data."""
        from quizwriter.domain.page import Page
        from quizwriter.domain.tossup import Answer
        from quizwriter.services.beat_goal import beats

        found = []
        for line in _read(self._shared(_CASES)).splitlines():
            case = json.loads(line)
            answer, guess = Answer(case["answerline"]), Page(case["given"].replace(" ", "_"))
            found.append([beats(answer, guess, by_f1=by_f1) for by_f1 in (False, True)])
        return json.dumps(found).encode()

    @cached_property
    def _fixed(self) -> dict[str, Path]:
        """Files of the fixed tossups, their halves, as many to compare them with, and people's buzzes."""
        from quizwriter.experiments.result_pages import FIXED_TOSSUPS

        ids = _read(self._docs / FIXED_TOSSUPS).split()
        folder = self._home / "fixed"
        folder.mkdir()
        these, others = set(ids[:_FIXED]), set(ids[_FIXED:])
        found = {}
        for role, name, wanted in (
            ("questions", "buzz_tossups.jsonl.xz", these),
            ("against", "buzz_tossups.jsonl.xz", others),
            ("buzzes", "buzzes.jsonl.xz", these | others),
        ):
            path = found[role] = folder / f"{role}.jsonl"
            lines = _lines(self._shared(name), wanted)
            path.write_text("".join(lines), encoding="utf-8")
        found["halves"] = folder / "halves.jsonl"
        found["halves"].write_text("".join(_halves(found["questions"])), encoding="utf-8")
        return found

    def _fixed_commands(self, run: ResultRun) -> Iterator[str]:
        """The commands of ``run`` on the fixed tossups, by the starter's players and by those of the made-up
        games; a control comes from the other fixed tossups."""
        from quizwriter.experiments.made_games import MADE_PLAYERS

        words = shlex.split(run.command)
        learns = words[0] == "retrain"
        for at, word in enumerate(words):
            if word in ("--questions", "--buzzes") or (word == "--against" and not run.has_control):
                words[at + 1] = str(self._fixed["halves" if learns else word[2:]])
        if run.small:
            yield f"{shlex.join(words)} {run.fixed}"
        if run.made:
            kept = words[: words.index("--questions") + 2]
            kept += ["--against", "held-back"] if run.has_control else []
            yield shlex.join(
                [*kept, "--recorded", str(self._made_games), "--players", ",".join(MADE_PLAYERS)]
            )


def _require_published(app: App, server: ServerSettings, bundle: Path) -> None:
    """Raise unless the index of ``server`` was published from ``bundle``, whose players stand beside it."""
    if index := app.engines.foreign_index(bundle):
        raise QuizwriterError(
            f"The index {index} does not hold the bundle in {bundle}.",
            f"Publish it: index_builder publish --bundle {bundle} --to {server.url} --index {server.index}.",
        )


def _lines(path: Path, wanted: set[str]) -> Iterator[str]:
    """The rows of the tossups whose ids are ``wanted``."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if json.loads(line)["bq"] in wanted:
                yield line


def _halves(path: Path) -> Iterator[str]:
    """The rows of the first and of the second half of each tossup: who learns the one may know the other."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        words = row["text"].split()
        for name, part in (("first", words[: len(words) // 2]), ("second", words[len(words) // 2 :])):
            yield json.dumps({**row, "bq": f"{row['bq']} {name}", "text": " ".join(part)}) + "\n"


def _read(path: Path) -> str:
    with translate_reading_errors(path):
        return path.read_text(encoding="utf-8")


def _write(path: Path, raw: bytes) -> None:
    with atomic_write(path) as file:
        file.write(raw)
