"""The documents of a challenge set: its data sheet, its README, the plot of accuracy, and the licence."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.wording import counted_noun, listed, player_number, player_title

SHARES_HEARD = (10, 25, 50, 75, 90, 100)
"""The shares of the words, in per cent, after which the table gives the accuracy."""


@dataclass(frozen=True)
class SetFacts:
    """The facts about a challenge set that its documents state."""

    title: str
    version: str
    program: str  # name and version
    bundle: str  # title of the bundle that the players come from
    licence: str  # its name; see :data:`LICENCES`
    questions: int
    words: int  # of all questions
    writers: int
    unknown_writers: int  # questions without a known writer
    years: tuple[int, ...]  # of the first and the last edit; empty if unknown
    categories: Mapping[str, int]
    tags: Mapping[str, int]
    splits: Mapping[str, int]
    seed: int
    left_out: Mapping[str, int]
    overridden: Mapping[str, int]  # checks that did not pass and were overridden, by what people call them
    failing: Mapping[str, int]  # the same, not overridden
    duplicate_groups: int  # groups of near duplicates
    histories: bool
    edits: int
    files: tuple[str, ...]


PlayerGames = Mapping[str, Sequence[PlaySummary]]
"""The games of each player on every question, by the player's name, in the order of the players."""


@dataclass(frozen=True, slots=True)
class SheetItem:
    """A question of the data sheet.

    The editor answers the questions that have a ``hint``; the data answers the others.
    """

    key: str
    section: str
    question: str
    hint: str = ""


_MOTIVATION, _COMPOSITION, _COLLECTION, _PROCESSING, _USES, _DISTRIBUTION, _MAINTENANCE = (
    "Why it was made",
    "What is in it",
    "How it was collected",
    "What was done to it",
    "What it is for",
    "How it is given out",
    "Who looks after it",
)
SHEET_ITEMS = (
    SheetItem(
        "purpose",
        _MOTIVATION,
        "What was this set made for, and what was missing without it?",
        "One or two sentences.",
    ),
    SheetItem(
        "makers",
        _MOTIVATION,
        "Who made it, and on whose behalf?",
        "A team or an institution; no names of writers.",
    ),
    SheetItem("funding", _MOTIVATION, "Who paid for it?", "A grant, a tournament, nobody."),
    SheetItem("instances", _COMPOSITION, "What does one entry stand for, and how many are there?"),
    SheetItem("sample", _COMPOSITION, "Is it everything there is, or a selection, and how was that made?"),
    SheetItem("fields", _COMPOSITION, "What does an entry consist of, and what is its label?"),
    SheetItem("missing", _COMPOSITION, "Is anything missing from entries?"),
    SheetItem("relations", _COMPOSITION, "Do entries belong together in some way?"),
    SheetItem("splits", _COMPOSITION, "Which splits are recommended, and why these?"),
    SheetItem("noise", _COMPOSITION, "Which errors, noise or repetitions are known?"),
    SheetItem("selfcontained", _COMPOSITION, "Does it stand alone, or lean on something elsewhere?"),
    SheetItem("people", _COMPOSITION, "Does it tell anything about people, or let anyone be recognised?"),
    SheetItem(
        "offence",
        _COMPOSITION,
        "Could anything in it offend or distress?",
        "What the questions are about that some may not want to read.",
    ),
    SheetItem("acquired", _COLLECTION, "How did each entry come to be, and how was it checked?"),
    SheetItem("when", _COLLECTION, "Over what time was it collected?"),
    SheetItem(
        "writers",
        _COLLECTION,
        "Who wrote and edited it, and what did they get for it?",
        "Volunteers, students, paid writers, and how much.",
    ),
    SheetItem("consent", _COLLECTION, "Did the writers agree to its release, and can they take that back?"),
    SheetItem(
        "ethics",
        _COLLECTION,
        "Did anyone review whether it is right to collect it?",
        "A review board, or nobody.",
    ),
    SheetItem(
        "processing", _PROCESSING, "Was the text cleaned, split or labelled, and is the original kept?"
    ),
    SheetItem("software", _PROCESSING, "Can the software that did so be had?"),
    SheetItem("used", _USES, "What has it been used for so far?", "A tournament, a paper, nothing yet."),
    SheetItem("suits", _USES, "What else could it be used for?", "Tasks it would suit."),
    SheetItem("risks", _USES, "What about it may mislead those who use it later?"),
    SheetItem(
        "unfit", _USES, "What should it not be used for?", "For example to train the players it is to test."
    ),
    SheetItem("access", _DISTRIBUTION, "Who can have it, where and from when?", "An address, a date."),
    SheetItem("terms", _DISTRIBUTION, "Under which licence, and are there other rights in it?"),
    SheetItem(
        "rights",
        _DISTRIBUTION,
        "Does anybody else hold rights in the questions?",
        "A tournament that asked them, a publisher, nobody.",
    ),
    SheetItem(
        "host",
        _MAINTENANCE,
        "Who keeps it, and how can they be reached?",
        "A page or an office; no private address.",
    ),
    SheetItem("errata", _MAINTENANCE, "How are errors told and withdrawn questions marked?"),
    SheetItem(
        "updates",
        _MAINTENANCE,
        "Will it be updated, and what becomes of older versions?",
        "How often, and by whom.",
    ),
    SheetItem("extend", _MAINTENANCE, "Can others add to it?", "How, and who looks at what they send."),
)
"""The questions of the data sheet, in order.

Source:
    The topics of Gebru et al., "Datasheets for Datasets", Communications of the ACM 64 (2021); the wording is
    ours.
"""

EDITOR_ITEMS = tuple(item for item in SHEET_ITEMS if item.hint)
"""The questions that only the editor can answer."""

UNANSWERED = "*The editor has not answered this.*"


def data_sheet(facts: SetFacts, answers: Mapping[str, str]) -> str:
    """The data sheet in Markdown; ``answers`` are the editor's answers by the keys of the items."""
    data_answers = _data_answers(facts)
    lines = [
        f"# Data sheet of {facts.title}, version {facts.version}",
        "",
        "After the topics of Gebru et al., *Datasheets for Datasets* (2021). Answers marked ◆ are the",
        "editor's, the others were filled in from the data.",
    ]
    section = ""
    for item in SHEET_ITEMS:
        if item.section != section:
            section = item.section
            lines += ["", f"## {section}"]
        answer_given = answers.get(item.key, "").strip()
        answer = f"◆ {answer_given}" if answer_given else UNANSWERED if item.hint else data_answers[item.key]
        lines += ["", f"**{item.question}**", "", answer]
    return "\n".join(lines) + "\n"


def _data_answers(facts: SetFacts) -> dict[str, str]:
    left_out = "; ".join(f"{reason}: {number:,}" for reason, number in sorted(facts.left_out.items()))
    overridden = "; ".join(f"{name}: {number:,}" for name, number in sorted(facts.overridden.items()))
    failing = "; ".join(f"{name}: {number:,}" for name, number in sorted(facts.failing.items()))
    categories = "; ".join(
        f"{name or 'none given'}: {number:,}" for name, number in sorted(facts.categories.items())
    )
    tags = "; ".join(f"{name}: {number:,}" for name, number in sorted(facts.tags.items()))
    years = " to ".join(str(year) for year in sorted(set(facts.years)))
    mean = facts.words / facts.questions if facts.questions else 0
    histories = (
        f"With `histories.jsonl` every edit is there ({facts.edits:,} in all), with what was said about it."
        if facts.histories
        else "The histories of the questions were left out."
    )
    return {
        "instances": "An entry is a tossup: a question of several sentences whose clues go from hard to "
        f"easy, with its answer. There are {counted_noun(facts.questions, 'question')} "
        f"of {mean:.0f} words on "
        f"average. By category: {categories or 'none'}.",
        "sample": f"A selection by the editor from what was written. Left out: {left_out or 'nothing'}.",
        "fields": "The text, the answer line as a packet prints it, the page that a player must name (the "
        "label), the category, the writer's pseudonym, the checks, where each machine player is right and "
        f"buzzes; in `plays.jsonl` what every player said after every word. {histories}"
        + (f" Phenomena that were tagged: {tags}." if tags else ""),
        "missing": "Questions without a page cannot be guessed by these players; the field is empty there. "
        "A player can know only the questions whose answer is one of its pages: `can_know` in "
        "`questions.json` says so for each."
        + (
            f" The writer of {counted_noun(facts.unknown_writers, 'question')} is not known."
            if facts.unknown_writers
            else ""
        ),
        "relations": "Questions that say much the same were looked for by the runs of four words they "
        f"share: {counted_noun(facts.duplicate_groups, 'group')} found. "
        f"Where more than one of a group is released, all "
        "are in the same split.",
        "splits": "; ".join(f"{name}: {number:,}" for name, number in facts.splits.items())
        + f". They are in `splits.json`, drawn with the seed {facts.seed}, balanced by category and by how "
        "many players a question stumps. Questions added later do not move those already there.",
        "noise": "Machine players took part while the questions were written, so the questions may be harder "
        "for these players than for others: compare players with that in mind. Checks that did not pass "
        f"and were overridden, each with a reason in the data: {overridden or 'none'}. Not passed and not "
        f"overridden: {failing or 'none'}.",
        "selfcontained": "It stands alone. To play it again you need the players' bundle, which "
        "`MANIFEST.json` names by its digest, and which is not part of this set.",
        "people": "Writers and editors appear as pseudonyms made with a secret key; names and e-mail "
        "addresses were searched for in every file. Questions speak of public figures, as quizbowl does.",
        "acquired": f"People wrote each question in {facts.program} with machine players guessing along. "
        "Each question lists the checks it passed, and what was overridden and why.",
        "when": f"Edits were made in {years}." if years else "The times of the edits are not known.",
        "consent": "Only questions whose writer agreed to release are here. A question can be withdrawn at "
        "any time; it is then listed in `retracted.json` of a later version.",
        "processing": "The text is as it was written. Sentences were told apart by rule (`tokenizations`). "
        + histories,
        "software": f"Yes: {facts.program}, under the MIT licence.",
        "risks": "The answer must be one of the pages a player knows; other players may know fewer. Near "
        "duplicates are found by shared words, not by meaning.",
        "terms": f"{facts.licence}; see `LICENSE.txt`.",
        "errata": "A withdrawn question stays in the files, so that digests hold, and is listed with the "
        "reason in `retracted.json` of a later version.",
    }


def readme(facts: SetFacts, games: PlayerGames) -> str:
    """The README in Markdown: the results as a table and a plot, the files, and how to load them."""
    front_matter = [
        "---",
        f"license: {LICENCES[facts.licence].tag}",
        "language: en",
        f"pretty_name: {_quoted(facts.title)}",
        "task_categories: [question-answering]",
        "tags: [quizbowl, adversarial]",
        "configs:",
        "- config_name: questions",
        "  default: true",
        "  data_files: [{split: whole, path: questions.json}]",
        "  field: questions",
        "- config_name: plays",
        "  data_files: [{split: whole, path: plays.jsonl}]",
        *(
            ["- config_name: histories", "  data_files: [{split: whole, path: histories.jsonl}]"]
            if facts.histories
            else []
        ),
        "---",
    ]
    players = list(games)
    player_names = listed([player_title(name) for name in players])
    lines = [
        *front_matter,
        "",
        f"# {facts.title}",
        "",
        f"Version {facts.version} of the questions: {counted_noun(facts.questions, 'quizbowl tossup')} by "
        f"{counted_noun(facts.writers, 'writer')}, written with machine players guessing along. "
        f"The players here are {player_names} of “{facts.bundle}”.",
        "",
        "## How the players do",
        "",
        "Share of the questions that are right after so much of the question, by the player's first guess. A",
        "player is measured only on the questions it can know, those whose answer is one of its pages:",
        "",
        "| player | can know | "
        + " | ".join(f"{share} %" for share in SHARES_HEARD)
        + " | right first at | buzzes right |",
        "| --- |" + " --- |" * (len(SHARES_HEARD) + 3),
    ]
    lines += [f"| {player_title(name)} | " + " | ".join(_table_cells(games[name])) + " |" for name in players]
    lines += [
        "",
        f"*Can know* is how many of the {counted_noun(facts.questions, 'question')} the player can know.",
        "*Right first at* is the mean share of the words, over the questions that are ever right; *buzzes",
        "right* the share of the questions it can know that the player answers rightly where it chooses to",
        "buzz.",
        "",
        f"![Accuracy of each player by how much of the question was heard]({ACCURACY_PLOT})",
        "",
        "## The files",
        "",
        "| file | what it holds |",
        "| --- | --- |",
        *(f"| `{name}` | {FILE_DESCRIPTIONS[name]} |" for name in facts.files),
        "",
        "## How to load it",
        "",
        *_LOADING.strip().splitlines(),
        "",
        "## Withdrawn questions",
        "",
        "A question can be withdrawn after its release: `retracted.json` lists those that were. Leave them",
        "out when you report results, and say which version you used: it is in `MANIFEST.json`.",
        "",
        "## Is it whole?",
        "",
        "`sha256sum -c SHA256SUMS` compares every file; `quizwriter verify .` reads and replays them, too.",
        "",
        f"Licence: {facts.licence}, see `LICENSE.txt`. `DATASHEET.md` says how the set came to be. "
        f"Made with {facts.program}.",
    ]
    return "\n".join(lines) + "\n"


def _table_cells(games: Sequence[PlaySummary]) -> list[str]:
    games = [game for game in games if game.knowable]
    if not games:
        return ["0", *["–"] * (len(SHARES_HEARD) + 2)]
    right = [f"{fmean(game.right_after(share) for game in games):.3f}" for share in SHARES_HEARD]
    first = [game.first_correct / game.words for game in games if game.first_correct is not None]
    return [
        f"{len(games):,}",
        *right,
        f"{fmean(first):.3f}" if first else "–",
        f"{fmean(game.buzzes_right for game in games):.3f}",
    ]


def _quoted(text: str) -> str:
    """``text`` as a quoted string of YAML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


ACCURACY_PLOT = "accuracy.png"
FILE_DESCRIPTIONS = {
    "questions.json": "the questions in QANTA's form under `questions`, and what we add under `quizwriter`",
    "questions.csv": "the same as a table, one question a row",
    "questions.trickme.json": "the same as the Trick Me interface wrote it; pseudonyms stand for addresses",
    "plays.jsonl": "one line for each player and question: its guesses after every word",
    "histories.jsonl": "one line a question: edits, what was shown and said; `top` and `body` are JSON",
    "splits.json": "which question is in which split",
    "retracted.json": "questions withdrawn since their release",
    "DATASHEET.md": "how and why the set was made",
    "README.md": "this",
    ACCURACY_PLOT: "the picture above",
    "LICENSE.txt": "the terms",
    "MANIFEST.json": "the program, the players and the settings, with the digest of every file",
    "SHA256SUMS": "the digests once more, for `sha256sum -c`",
}
_LOADING = """
With pandas:

```python
import json, pandas
from pathlib import Path
whole = json.loads(Path("questions.json").read_text(encoding="utf-8"))
questions = pandas.DataFrame(whole["questions"]).merge(pandas.DataFrame(whole["quizwriter"]), on="qanta_id")
plays = pandas.read_json("plays.jsonl", lines=True)
splits = json.loads(Path("splits.json").read_text(encoding="utf-8"))["splits"]
test = questions[questions.qanta_id.isin(splits["test"])]
```

With Hugging Face `datasets`, from this folder:

```python
from datasets import load_dataset
questions = load_dataset(".", "questions", split="whole")
plays = load_dataset(".", "plays", split="whole")
```

With QANTA's own code: `questions.json` is a data set of its fold `adversarial`.

What a player said after the words it had heard, from a row of `plays.jsonl`:

```python
said = [[play["pages"][number] for number in row] for row in play["guesses"]]  # best first
```
"""


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence to choose: its tag at Hugging Face, its SPDX identifier, and its address."""

    tag: str
    spdx: str
    address: str


LICENCES: Mapping[str, Licence] = {
    "CC BY 4.0": Licence("cc-by-4.0", "CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "CC BY-SA 4.0": Licence(
        "cc-by-sa-4.0", "CC-BY-SA-4.0", "https://creativecommons.org/licenses/by-sa/4.0/"
    ),
    "CC BY-NC 4.0": Licence(
        "cc-by-nc-4.0", "CC-BY-NC-4.0", "https://creativecommons.org/licenses/by-nc/4.0/"
    ),
    "CC0 1.0": Licence("cc0-1.0", "CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
}
"""The licences by name, the default first."""


def licence_text(facts: SetFacts) -> str:
    """The contents of the licence file."""
    licence = LICENCES[facts.licence]
    return (
        f"{facts.title}\n\nSPDX-License-Identifier: {licence.spdx}\n\n"
        f"The questions and all that comes with them are released under {facts.licence}.\n"
        f"The full terms are at {licence.address}legalcode\n"
    )


# By the players' numbers, as in the window: blue, vermillion, green, purple, sky, orange, black, yellow. They
# are Okabe and Ito's own, as the ground is always white; yellow alone is darkened.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8A8000")
_DASHES = ("-", "--", "-.", ":")


def accuracy_plot(games: PlayerGames) -> bytes:
    """A plot, as PNG, of each player's accuracy by the share of the words heard, over questions it can know.

    The same games give the same bytes. The font comes with the plotting library and is the same everywhere.
    """
    from matplotlib import get_data_path, rc_context, rcdefaults
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text

    with rc_context():
        rcdefaults()  # whatever the user has set for other programs
        figure = Figure(figsize=(7.2, 3.6), facecolor="white", layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        heard = range(1, 101)
        ends = []
        for name, whole in games.items():
            number = player_number(name)
            played = [game for game in whole if game.knowable]
            right = [
                100 * fmean(game.right_after(share) for game in played) if played else 0.0 for share in heard
            ]
            colour = _COLOURS[number]
            axes.plot(heard, right, color=colour, linestyle=_DASHES[number % len(_DASHES)], linewidth=1.8)
            ends.append((right[-1], player_title(name), colour))
        below = -10.0
        for right_in_the_end, title, colour in sorted(ends):  # a label beside each line, none on another
            below = max(right_in_the_end, below + 6)
            axes.annotate(
                title,
                (100, right_in_the_end),
                (101.5, below),
                color=colour,
                va="center",
                annotation_clip=False,
            )
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        axes.set_xlabel("words heard, per cent of the question")
        axes.set_ylabel("questions right, per cent")
        axes.set_xticks(range(0, 101, 25))
        axes.set_yticks(range(0, 101, 25))
        axes.grid(visible=True, color="#DDD9D0", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        font = FontProperties(fname=f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf", size=9)
        for text in figure.findobj(Text):
            assert isinstance(text, Text)
            text.set_fontproperties(font)
        written = io.BytesIO()
        figure.savefig(written, format="png", dpi=144, metadata={"Software": None})
    return written.getvalue()
