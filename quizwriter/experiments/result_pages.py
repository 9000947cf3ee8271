"""The pages of results: which runs each shows, and the blocks that are written into it.

A page has hand-written words, without any measured number, and blocks between two marks, which only
``make results`` writes. Beside the pages, ``record.json`` says what each run was made of. A page is fresh
while its command, its data, the recipe of its bundle and the outputs of the program are still these.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import msgspec

from quizwriter.engine.engine import HELD_BACK
from quizwriter.errors import QuizwriterError
from quizwriter.experiments.registry import Cell
from quizwriter.experiments.runner import ExperimentReport, shown_cell
from quizwriter.system.decoding import decode_json
from quizwriter.workflow.estimates import Estimate

HEAD = "head"
"""The block at the top of a page."""

RECORD = "record.json"
"""The file beside the pages that says what they were made of."""

FIXED_TOSSUPS = "fixed_tossups.txt"
"""The file beside the pages with the ids of the tossups of which the outputs are taken."""

RECORDED_GAMES = "qanta_games.jsonl.xz"
"""The file beside the pages with the games of QANTA's networks, trained on a graphics card.

It has the games that these two commands write, the first of which draws the controls: on the texts of trickme
and on the controls, and no others. It was cut to these from games on all held-back questions, before there
was ``--controls``, and the RNN was stopped after 20 passes::

    quizwriter experiment adversarial --bundle build/held-out --questions trickme.jsonl.xz
        --against held-back --players ir,dan,rnn,ensemble --out build/drawn
    python -m index_builder recipes --bundle build/held-out --players qanta-dan,qanta-birnn
        --games qanta_games.jsonl.xz --play trickme.jsonl.xz --controls build/drawn/adversarial.questions.csv
"""

RECIPE = {
    "--questions": ("tossups.jsonl.xz",),
    "--bonuses": ("bonuses.jsonl.xz",),
    "--wiki": ("wiki_pages.jsonl.xz", "wiki_openings.jsonl.xz"),
    "--answer-map": ("answer_page_map.jsonl.xz",),
    "--without": ("buzz_tossups.jsonl.xz", "trickme.jsonl.xz"),
}
"""From which of the shared files the bundle of the pages is built, by the options of ``build``."""

_MOST_COLUMNS = 5
"""A table with more columns than this, and fewer rows than columns, is laid on its side."""

_BLOCK = re.compile(r"<!-- results (?P<name>[\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


class ResultRun(msgspec.Struct, frozen=True):
    """A run of an experiment on a page: ``command`` is what follows ``quizwriter experiment``.

    ``columns`` are those that the page shows, the first ``labels`` of which name the rows. ``minutes`` is
    how long it takes on two cores; :data:`CHEAP` ones are made anew whenever the pages are checked.
    """

    name: str
    command: str
    columns: tuple[str, ...]
    minutes: float = 1.0
    labels: int = 1
    left_out: tuple[str, ...] = ()  # rows by one of their labels
    small: bool = True  # whether what it shows of the fixed tossups is a part of the page's outputs
    fixed: str = ""  # the options that make it small enough for these
    made: bool = False  # whether what it shows of made-up games on them is, of which every answer is known
    trains: bool = False  # whether it trains networks: of the fixed tossups, made-up trainings count
    judged: bool = False  # whether it shows anything that depends on guesses that may be right
    buzzes: bool = False  # whether it shows anything that depends on where players buzz
    opening: str = ""  # what its sentence leaves unsaid, before it

    @property
    def needs_bundle(self) -> bool:
        """Whether players play in it."""
        return "--players" in self.command or HELD_BACK in self.command

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(filter(None, self._option("--players").split(",")))

    @property
    def has_control(self) -> bool:
        return self._option("--against") == HELD_BACK

    @property
    def asks_server(self) -> bool:
        return bool(self._option("--elasticsearch"))

    @property
    def fields(self) -> str:
        """The fields by which that server ranks pages itself; empty where it does not."""
        return self._option("--fields")

    def _option(self, name: str) -> str:
        words = shlex.split(self.command)
        return words[words.index(name) + 1] if name in words else ""

    def table_digest(self, report: ExperimentReport) -> str:
        """The digest of what the page shows of a report: its sentence, and the cells of the columns."""
        at = [report.head.index(title) for title in self.columns]
        said = [report.found.sentence, *([line[one] for one in at] for line in report.lines)]
        return hashlib.sha256(msgspec.json.encode(said)).hexdigest()

    def outputs(self, report: ExperimentReport) -> bytes:
        """All that the page shows of a report: what :meth:`table_digest` is of, and what its plot draws."""
        drawn = [
            [one.label, *(list(map(_rounded, of)) for of in (one.across, one.up, one.low, one.high))]
            for one in report.found.series
        ]
        return msgspec.json.encode([self.table_digest(report), drawn])


def _rounded(value: str | float) -> str | float:
    return value if isinstance(value, str) else round(float(value), 4) + 0.0


class ResultPage(msgspec.Struct, frozen=True):
    """A page of results, by the name of its file, with its runs."""

    name: str
    runs: tuple[ResultRun, ...]


CHEAP = 0.5
"""Minutes that a run may take that is made anew at each check."""

_ROOMS = "--questions buzz_tossups.jsonl.xz --buzzes buzzes.jsonl.xz"
_SERVER = (
    "adversarial --questions trickme.jsonl.xz --against held-back --players ir,elasticsearch "
    "--elasticsearch http://127.0.0.1:9200"
)
_NETWORKS = ("dan", "rnn", "ensemble", "qanta-dan", "qanta-birnn")
_CURVE = ("right after 25 %", "right after 50 %", "right after 75 %", "right after 100 %")

# fmt: off
PAGES = (
    ResultPage(
        "people",
        (
            ResultRun(
                "people",
                "people --buzzes buzzes.jsonl.xz",
                ("group", "right", "position", "conversion", "powers", "negs", "answered by 25 %",
                 "answered by 50 %", "answered by 75 %"),
                minutes=0.2,
            ),
            ResultRun(
                "people-difficulty",
                f"people {_ROOMS} --by difficulty",
                ("group", "right", "answered by 50 %", "answered by 75 %"),
                minutes=0.3,
            ),
        ),
    ),
    ResultPage(
        "curves",
        (
            ResultRun(
                "curves",
                f"curves {_ROOMS} --against held-back --players ir",
                ("player", "set", *_CURVE, "right in the end, of all", "wins, by people",
                 "wins, by the cubic"),
                minutes=3,
                labels=2,
                buzzes=True,
            ),
            ResultRun(
                "curves-difficulty",
                f"curves {_ROOMS} --by difficulty --players ir",
                ("player", "set", "right after 50 %", "right after 100 %", "right buzzes"),
                minutes=1,
                labels=2,
                buzzes=True,
            ),
        ),
    ),
    ResultPage(
        "players",
        (
            ResultRun(
                "players",
                "curves --questions held-back --limit 1000 --players ir,dan,rnn,ensemble",
                ("player", "can know", *_CURVE, "right in the end, of all"),
                minutes=4,
            ),
        ),
    ),
    ResultPage(
        "adversarial",
        (
            ResultRun(
                "adversarial",
                f"adversarial --questions trickme.jsonl.xz --against held-back --recorded {RECORDED_GAMES} "
                "--players ir,dan,rnn,ensemble,qanta-dan,qanta-birnn",
                ("player", "of", "right after 50 %", "right after 100 %"),
                minutes=3,
                labels=2,
                left_out=(
                    "drop of all",
                    *(f"{other} less {one}" for one, other in combinations(_NETWORKS, 2)),
                ),
                small=False,
                made=True,
            ),
            *(
                ResultRun(
                    name,
                    f"{_SERVER}{fields}",
                    ("player", "of", "right after 50 %", "right after 100 %"),
                    minutes=10,
                    labels=2,
                    left_out=("ir", "drop, same answer", "drop of all"),
                    small=False,
                    made=True,
                    opening=opening,
                )
                for name, fields, opening in (
                    ("server-ranking", " --fields about,text", "With the server’s own ranking: "),
                    ("server-points", "", "With IR’s points on the server: "),
                )
            ),
            ResultRun(
                "beaten",
                "beaten --questions trickme.jsonl.xz --players ir,dan,rnn,ensemble",
                ("player", "beaten by the page", "beaten by F1", "beaten with all weaker",
                 "by F1 with all weaker"),
                minutes=3,
                made=True,
                judged=True,
            ),
        ),
    ),
    ResultPage(
        "shape",
        (
            ResultRun(
                "shape",
                f"shape {_ROOMS}",
                ("by", "clue pairs out of order", "tossups out of order", "tau with the order",
                 "buzzer race", "neg pile-up"),
                minutes=0.4,
            ),
            ResultRun(
                "shape-machines",
                f"shape {_ROOMS} --machines --players ir",
                ("by", "clue pairs out of order", "Spearman with people", "ROC area, pairs out of order",
                 "ROC area, buzzer races", "ROC area, neg pile-ups", "marked pairs that people have",
                 "marked cliffs where people race", "swerve alarms where people pile up"),
                minutes=4,
            ),
        ),
    ),
    ResultPage(
        "predicted_curve",
        (
            ResultRun(
                "shape-fit",
                f"shape {_ROOMS} --fit --players ir",
                ("prediction", "log loss of a room", "less than the difficulty's", "distance of the curves"),
                minutes=3,
            ),
        ),
    ),
    ResultPage(
        "versus",
        (
            ResultRun(
                "versus",
                f"versus {_ROOMS} --players ir",
                ("rule", "mean score", "matches won", "points in a match", "people's points"),
                minutes=2,
                buzzes=True,
            ),
            ResultRun(
                "versus-calibration",
                f"versus {_ROOMS} --calibration --players ir",
                ("player", "CalScore", "MCE", "mean chance", "right", "Brier score", "calibration error",
                 "right of its buzzes"),
                minutes=2,
                buzzes=True,
            ),
        ),
    ),
    ResultPage(
        "teaming",
        (
            ResultRun(
                "teaming",
                f"teaming {_ROOMS} --players ir",
                ("player", "followed from", "followed", "right where followed", "QANTA 2025, gain"),
                minutes=3,
                labels=2,
            ),
        ),
    ),
    ResultPage(
        "advscore",
        (
            ResultRun(
                "advscore",
                f"advscore {_ROOMS} --players ir",
                ("players", "people right", "players right", "chance of people", "chance of players",
                 "margin", "information kappa", "disagreement delta", "AdvScore", "ambiguous",
                 "easy for nobody", "easy for all"),
                minutes=2,
            ),
        ),
    ),
    ResultPage(
        "whatif",
        (
            ResultRun(
                "whatif",
                "whatif --questions held-back --limit 500 --players ir "
                "--probe drop,first,last,frame,mask",
                ("probe", "right after", "change", "worst of a tossup", "shift of first right"),
                minutes=2,
            ),
            ResultRun(
                "whatif-attacks",
                "whatif --questions held-back --limit 500 --players ir "
                "--probe addone,addrandom,addsent,addcommon,addany,radius",
                ("probe", "right after", "change", "right, mean of sentences", "words that fool, median"),
                minutes=4,
            ),
        ),
    ),
    ResultPage(
        "cues",
        (
            ResultRun(
                "cues",
                "cues --questions held-back --limit 780 --players ir,dan,rnn,ensemble",
                ("player", "masked", "generic nouns", "generic noun first", "delay",
                 "less the darkest marks"),
                minutes=8,
                labels=2,
                left_out=("darkest words", "darkest marks", "random words"),  # the plot has them
                buzzes=True,
            ),
        ),
    ),
    ResultPage(
        "overlap",
        (
            ResultRun(
                "overlap",
                "overlap --questions held-back --limit 1000",
                ("set", "unigrams seen", "bigrams seen", "longest run", "past tossups on the answer",
                 "words", "stock clues", "stock on the answer", "new clues"),
                minutes=3,
            ),
        ),
    ),
    ResultPage(
        "retrain",
        (
            ResultRun(
                "retrain-kfold",
                "retrain --questions held-back --limit 1000 --plan kfold --players ir",
                ("learned", "right in the end", "change", "stumped", "stumped before and still"),
                minutes=2,
                fixed="--folds 2",
            ),
            ResultRun(
                "retrain-sizes",
                "retrain --questions trickme.jsonl.xz --plan sizes --players ir",
                ("learned", "right in the end", "change", "stumped before and still"),
                left_out=("20 %", "40 %", "60 %", "80 %"),
                minutes=3,
                fixed="--folds 2",
            ),
            ResultRun(
                "retrain-seeds",
                "retrain --questions held-back --limit 1000 --plan seeds --classes 150 --rows 1500",
                ("learned", "right in the end", "stumped"),
                left_out=tuple(f"seed {number}" for number in range(2, 11)),
                minutes=3,
                trains=True,
            ),
            ResultRun(
                "retrain-ablate",
                "retrain --questions held-back --limit 1000 --plan ablate --players ir --classes 1500",
                ("learned", "right in the end", "change", "McNemar p"),
                left_out=tuple(f"with {share} % of everything" for share in (20, 40, 60, 80)),
                minutes=3,
                fixed="--classes 100",
            ),
        ),
    ),
)
# fmt: on
"""The pages of results, in the order in which they are made."""


class _Source(msgspec.Struct):
    name: str
    sha256: str


class BundleSources(msgspec.Struct):
    """What the manifest of a bundle says of the files that it was built from or without."""

    sources: list[_Source] = []
    without: list[_Source] = []

    @property
    def digests(self) -> dict[str, str]:
        return {one.name: one.sha256 for one in (*self.sources, *self.without)}


class RunRecord(msgspec.Struct, forbid_unknown_fields=True):
    """What a run was made of, by digests, and how long it took."""

    command: str
    files: dict[str, str]  # the data by the names of their files
    recipe: str  # of its bundle; empty where nobody plays
    players: dict[str, str]
    table: str
    sentence: str
    outputs: str
    seconds: float
    machine: str
    program: str


class _Records(msgspec.Struct, forbid_unknown_fields=True):
    runs: dict[str, RunRecord] = {}


def read_records(folder: Path) -> dict[str, RunRecord]:
    """The records beside the pages in ``folder``, by the names of the runs; none if there is no file."""
    path = folder / RECORD
    return decode_json(path.read_bytes(), _Records).runs if path.exists() else {}


def records_as_json(records: Mapping[str, RunRecord]) -> bytes:
    """What :func:`read_records` reads, with the runs in the order of the pages."""
    order = [run.name for page in PAGES for run in page.runs]
    kept = {name: records[name] for name in order if name in records}
    return msgspec.json.format(msgspec.json.encode(_Records(kept)), indent=1) + b"\n"


def recipe_digest(digests: Mapping[str, str]) -> str:
    """The digest of the recipe of the bundle, given those of its files."""
    said = [[option, [[name, digests[name]] for name in names]] for option, names in RECIPE.items()]
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()


def reasons_stale(was: RunRecord | None, now: RunRecord) -> list[str]:
    """What is no longer as when a run was made; nothing if its block is fresh. Times and players' weights
    may differ."""
    if was is None:
        return ["it was never made"]
    said = {
        "the command": was.command == now.command,
        "the data": was.files == now.files,
        "the recipe of the bundle": was.recipe == now.recipe,
        "what the program puts out": was.outputs == now.outputs,
        "the table": not now.table or was.table == now.table,
    }
    return [f"{what} changed" for what, same in said.items() if not same]


# -- what is written into a page


def filled(text: str, blocks: Mapping[str, str]) -> str:
    """The page ``text`` with what its ``blocks`` say now; other blocks stay as they are."""
    found = {match["name"] for match in _BLOCK.finditer(text)}
    if lost := sorted(blocks.keys() - found):
        raise QuizwriterError(
            f"The page has no place for {' and '.join(lost)}.",
            f"Add “<!-- results {lost[0]} -->” and, on a line below it, “<!-- end -->”.",
        )

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in blocks:
            return match[0]
        return f"<!-- results {name} -->\n{blocks[name].strip()}\n<!-- end -->"

    return _BLOCK.sub(block, text)


def run_block(run: ResultRun, report: ExperimentReport) -> str:
    """What a page shows of a run: its command, its table, and its plot."""
    parts = [f"```\nquizwriter experiment {run.command} --seed {report.seed}\n```", *_table(run, report)]
    if report.has_plot:
        parts.append(f"![{report.experiment.title}]({run.name}.png)")
    return "\n\n".join(parts)


def head_block(runs: Sequence[RunRecord], stale: Mapping[str, Sequence[str]]) -> str:
    """What a page says first: what was found, whether that is still so, and of what it was made."""
    files = {name: digest for run in runs for name, digest in run.files.items()}
    said = [f"`{name}` {digest[:8]}" for name, digest in sorted(files.items())]
    if recipe := next((run.recipe for run in runs if run.recipe), ""):
        said.append(f"[the bundle](../experiments.md#the-results) {recipe[:8]}")
    said.append(f"outputs {'+'.join(run.outputs[:8] for run in runs)}")
    findings = [
        run.sentence
        for run in runs
        if not any(run.sentence in other.sentence for other in runs if other != run)
    ]
    made = f"{sum(run.seconds for run in runs):,.0f} s on {runs[0].machine}" if runs else ""
    if stale:
        why = "; ".join(f"{name}: {', '.join(reasons)}" for name, reasons in stale.items())
        state = f"**Stale** ({why})."
    else:
        state = "Fresh."
    return "\n\n".join([*(f"**{one}**" for one in findings), f"{state} Made of {', '.join(said)}; {made}."])


def _table(run: ResultRun, report: ExperimentReport) -> Iterator[str]:
    titles = [column.title for column in report.experiment.columns]
    at = [titles.index(title) for title in run.columns]
    kinds = [report.experiment.columns[one] for one in at]
    rows = []
    for row in report.found.rows:
        cells: list[Cell] = [row[one] for one in at]
        if set(run.left_out).intersection(map(str, cells[: run.labels])):
            continue
        numbers = Counter(cell.number for cell in cells if isinstance(cell, Estimate))
        most = numbers.most_common(1)[0][0] if numbers else None
        shown = []
        for cell, kind in zip(cells, kinds, strict=True):
            said = shown_cell(cell, kind).replace("\N{EN DASH}", "")
            if isinstance(cell, Estimate):
                said = _narrow(said, f"{most:,}", alone=cell.value is None)
            shown.append(said)
        label = ", ".join(filter(None, shown[: run.labels]))
        rows.append([label, *shown[run.labels :], "" if most is None else f"{most:,}"])
    head = [run.columns[0], *run.columns[run.labels :], "n"]
    if rows and len({row[-1] for row in rows}) == 1:  # said once, above the names of the rows
        head, said = head[:-1], rows[0][-1]
        head[0] += f", n = {said}" if said else ""
        rows = [row[:-1] for row in rows]
    kept = [at for at in range(len(head)) if at == 0 or any(row[at] for row in rows)]
    lines = [[line[at] for at in kept] for line in (head, *rows)]
    if len(kept) > _MOST_COLUMNS and len(rows) < len(kept):
        lines = [list(column) for column in zip(*lines, strict=True)]
    lines.insert(1, ["---"] * len(lines[0]))
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _narrow(said: str, most: str, *, alone: bool) -> str:
    """A cell as a page has it: without its number where that is the number of its row."""
    if alone:
        return ""
    value, _, number = said.rpartition(" (n ")
    value = value.replace("[", "(").replace("]", ")")
    if "\N{MINUS SIGN}" not in value:
        value = value.replace(" to ", "\N{EN DASH}")
    return value if number == f"{most})" else f"{value}, n {number[:-1]}"
