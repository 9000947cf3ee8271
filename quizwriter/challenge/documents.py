"""The documents of a challenge set: its data sheet, its README, how to cite it, the plot, and the licence.

:func:`set_documents` writes them all from the manifest and from the figures of the rows, and from nothing
else. They can therefore be written again from a released folder, and compared.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from quizwriter.challenge.citation import bibtex, citation, licence_text, quoted
from quizwriter.challenge.data_sheet import data_sheet, provenance_sentences
from quizwriter.challenge.figures import (
    FEWEST,
    Games,
    SetFigures,
)
from quizwriter.challenge.selection import SPLIT_SHARES
from quizwriter.challenge.statements import LICENCES, SetStatements
from quizwriter.domain.rater_agreement import KappaEstimate
from quizwriter.experiments import SHARES_HEARD, Estimate, PlayerResult
from quizwriter.workflow.wording import counted_noun, listed, player_number, player_title

_MARKDOWN = re.compile(r"([\\`*_<>\[\]|#])")


def set_documents(manifest: Mapping[str, Any], figures: SetFigures, games: Games) -> dict[str, bytes]:
    """The documents by the names of their files; ``games`` are what ``figures`` were computed from."""
    said = SetStatements.of_manifest(manifest)
    return {
        ACCURACY_PLOT: accuracy_plot(games),
        "DATASHEET.md": data_sheet(said, figures).encode(),
        "README.md": readme(said, figures).encode(),
        "LICENSE.txt": licence_text(said).encode(),
        "CITATION.cff": citation(said).encode(),
    }


def readme(said: SetStatements, figures: SetFigures) -> str:
    """The README in Markdown: the results as tables and a plot, the files, how to load and cite them."""
    files = [name for name in FILE_DESCRIPTIONS if _is_there(name, said)]
    by = f" by {counted_noun(figures.writers, 'known writer')}" if figures.writers else ""
    lines = [
        *_front_matter(said, figures),
        "",
        f"# {said.title}",
        "",
        f"Version {said.version}: {counted_noun(figures.questions, 'quizbowl tossup')}{by}. The players here "
        f"are {listed([player_title(one.player) for one in figures.results])} of “{said.bundle}”. They can "
        f"know the answers of {figures.guessable:,} of the {figures.questions:,} questions.",
        "",
        "## Where the questions come from",
        "",
        *(f"- {sentence}" for sentence in provenance_sentences(figures.provenance)),
        "",
        *_results(said, figures),
        *_agreement(figures),
        "## The files",
        "",
        "| file | what it holds |",
        "| --- | --- |",
        *(f"| `{name}` | {FILE_DESCRIPTIONS[name]} |" for name in files),
        "",
        "## How to load it",
        "",
        *_loading(figures).strip().splitlines(),
        "",
        "## How to cite it",
        "",
        "Name the version. `CITATION.cff` says the same for programs.",
        "",
        "```bibtex",
        *bibtex(said).splitlines(),
        "```",
        "",
        *_maintenance(said),
        "## Withdrawn questions",
        "",
        "A question can be withdrawn after its release: `retracted.json` lists those that were. Leave them",
        "out when you report results, and say which version you used: it is in `MANIFEST.json`.",
        "",
        "## Is it whole?",
        "",
        "`sha256sum -c SHA256SUMS` compares every file; `quizwriter verify .` reads and replays them, too.",
        "",
        f"Licence: {said.licence}, see `LICENSE.txt`. `DATASHEET.md` says how the set came to be. "
        f"Made with {said.program}.",
    ]
    return "\n".join(lines) + "\n"


def _is_there(name: str, said: SetStatements) -> bool:
    return (name != "histories.jsonl" or said.histories) and (name != "control.jsonl" or bool(said.control))


def _maintenance(said: SetStatements) -> list[str]:
    stated = {"Maintainer": said.maintainer, "contact": said.contact, "website": said.website}
    facts = [f"{name}: {_plain(text)}" for name, text in stated.items() if text]
    lines = ["; ".join(facts) + "."] if facts else []
    if said.previous:
        lines.append(
            f"The version before is {_plain(said.previous['version'])} of {_plain(said.previous['title'])}, "
            f"with {counted_noun(said.previous['questions'], 'question')}."
        )
    return ["## Who looks after it", "", *lines, ""] if lines else []


def _plain(text: str) -> str:
    """``text`` on one line, without signs that Markdown would read."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


# -- the results


def _results(said: SetStatements, figures: SetFigures) -> list[str]:
    lines = [
        "## How the players do",
        "",
        "Share of the questions that are right after so much of the question, by the player's first guess. A",
        "player is measured only on the questions it can know, those whose answer is one of its pages: *can",
        "know* is how many these are. In brackets: the 95 % interval.",
        "",
        _table_head(
            "player", "questions of", "questions", "can know", *(f"{share} %" for share in SHARES_HEARD),
            "right first at", "buzzes right", "expected wins",
        ),
    ]  # fmt: skip
    for result in figures.results:
        lines.append(_result_row(result, "this set"))
        lines += [_result_row(one, "the control") for one in figures.control if one.player == result.player]
    lines += [
        "",
        "*Right first at* is the mean share of the words heard until the first guess is right; a question",
        "that is never right counts as 1, so that hard questions do not drop out. *Buzzes right* is the",
        "share of the questions it can know that the player answers rightly where it chooses to buzz.",
        "*Expected wins* is the mean chance to win at that buzz against people, by the cubic of Rodriguez",
        "et al., *Quizbowl: The Case for Incremental Question Answering* (arXiv 1904.04792), at the share of",
        "the words, 0 without a right buzz. Intervals of shares are Wilson's, those of means by the normal",
        "approximation.",
        "",
        _control_line(said),
        "",
        f"![Accuracy of each player by how much of the question was heard]({ACCURACY_PLOT})",
        "",
    ]
    undecided = {one.tag for one in figures.tags if one.undecided}
    for noun, groups, mark in (
        ("category", {name or "none given": of for name, of in figures.by_category.items()}, frozenset()),
        ("tag", figures.by_tag, undecided),
    ):
        if not groups:
            continue
        lines += [
            f"By {noun}, where there are {FEWEST} questions or more:",
            "",
            _table_head(
                noun, "player", "questions", "can know", "right after 50 %", "right after 100 %",
                "buzzes right", "expected wins",
            ),
        ]  # fmt: skip
        for name, results in groups.items():
            for one in results:
                cells = [one.right[50], one.right[100], one.buzzes_right, one.wins]
                lines.append(
                    f"| {_plain(name)}{'†' if name in mark else ''} | {player_title(one.player)} | "
                    f"{one.questions:,} | {one.can_know:,} | {' | '.join(map(_estimate, cells))} |"
                )
        lines.append("")
    return lines


def _table_head(*titles: str) -> str:
    return f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}"


def _result_row(result: PlayerResult, of: str) -> str:
    estimates = [*result.right.values(), result.first, result.buzzes_right, result.wins]
    return (
        f"| {player_title(result.player)} | {of} | {result.questions:,} | {result.can_know:,} | "
        f"{' | '.join(map(_estimate, estimates))} |"
    )


def _estimate(one: Estimate | KappaEstimate) -> str:
    value = one.kappa if isinstance(one, KappaEstimate) else one.value
    if value is None:
        return "–"
    interval = f" ({one.low:.2f} to {one.high:.2f})" if one.low is not None and one.high is not None else ""
    return f"{value:.3f}{interval}".replace("-", "\u2212")


def _control_line(said: SetStatements) -> str:
    if not said.control:
        return "No control was played: nothing here says how the players do on other questions."
    return (
        f"The control is {counted_noun(said.control['questions'], 'question')} of "
        f"`{_plain(said.control['file'])}` (SHA-256 {said.control['digest']}) from the fold on which no "
        f"player was trained, each matched to one question of this set: {said.control['same_answer']:,} of "
        "them on the same answer, the others by category and length. Only answers that the bundle has were "
        "taken. The texts are not part of this set; `control.jsonl` has the games."
    )


def _agreement(figures: SetFigures) -> list[str]:
    tags = figures.tags
    if not tags:
        return []
    lines = [
        "## Tags",
        "",
        f"Tags by {counted_noun(figures.taggers, 'tagger')}. Kappa is Cohen's for two people and Fleiss' for",
        "more, of those who tagged without seeing each other's tags, over the *compared* questions, with its",
        "95 % interval (jackknife). A tag is *undecided* (†) where taggers disagree and nobody decided.",
        "",
        _table_head("tag", "questions", "undecided", "compared", "kappa"),
    ]
    lines += [
        f"| {_plain(one.tag)}{'†' if one.undecided else ''} | {one.questions:,} | {one.undecided:,} | "
        f"{one.agreement.number:,} | {_estimate(one.agreement)} |"
        for one in tags
    ]
    return [*lines, ""]


# -- how to load and cite it


def _front_matter(said: SetStatements, figures: SetFigures) -> list[str]:
    """The metadata block of the README, by which ``datasets`` finds the files and their types."""
    lines = [
        "---",
        f"license: {LICENCES[said.licence].tag}",
        "language: en",
        f"pretty_name: {quoted(said.title)}",
        "task_categories: [question-answering]",
        "tags: [quizbowl, adversarial]",
        "configs:",
        "- config_name: questions",
        "  default: true",
        "  data_files:",
        *(f"  - {{split: {split}, path: questions.{split}.jsonl}}" for split in _splits(figures)),
        "- config_name: plays",
        "  data_files: [{split: whole, path: plays.jsonl}]",
    ]
    if said.control:
        lines += ["- config_name: control", "  data_files: [{split: whole, path: control.jsonl}]"]
    if said.histories:
        lines += ["- config_name: histories", "  data_files: [{split: whole, path: histories.jsonl}]"]
    lines.append("dataset_info:")
    for name, features in (("questions", _QUESTION_FEATURES), ("plays", _PLAY_FEATURES)):
        lines += [f"- config_name: {name}", "  features:", *_features(features, "  ")]
    return [*lines, "---"]


_Features = tuple[tuple[str, object], ...]

_PROVENANCE_FEATURES: _Features = (
    ("origin", "string"), ("edits", "int64"), ("first_day", "string"), ("last_day", "string"),
    ("players", ["string"]), ("file", "string"), ("digest", "string"), ("tournament", "string"),
    ("year", "int64"), ("authors", ["string"]), ("rewritten_from", "string"), ("based_on", "string"),
    ("arm", "string"),
)  # fmt: skip
_QUESTION_FEATURES: _Features = (
    ("qanta_id", "int64"), ("text", "string"), ("first_sentence", "string"), ("tokenizations", [["int64"]]),
    ("answer", "string"), ("page", "string"), ("fold", "string"), ("gameplay", "bool"),
    ("category", "string"), ("subcategory", "string"), ("tournament", "string"), ("difficulty", "string"),
    ("year", "int64"), ("proto_id", "string"), ("qdb_id", "int64"), ("dataset", "string"),
    ("tossup_id", "string"), ("split", "string"), ("writer", "string"), ("provenance", _PROVENANCE_FEATURES),
    ("consent", "string"), ("status", "string"), ("set", "string"), ("levels", ["string"]),
    ("source", "string"), ("words", "int64"), ("power", "int64"), ("tags", ["string"]),
    ("tags_decided", "bool"),
    ("taggings", [(("by", "string"), ("round", "string"), ("tags", ["string"]))]),
    (
        "checks",
        [(("check", "string"), ("passed", "bool"), ("told", "string"), ("overridden", "string"))],
    ),
    ("stumped", ["string"]),
    (
        "positions",
        [
            (
                ("guesser", "string"), ("first_correct", "int64"), ("stable_correct", "int64"),
                ("buzz", "int64"), ("buzzes_right", "bool"), ("can_know", "bool"),
            )
        ],
    ),
    ("near_duplicates_group", "int64"), ("near_duplicates_left_out", "int64"),
)  # fmt: skip
_PLAY_FEATURES: _Features = (
    ("qanta_id", "int64"), ("guesser", "string"), ("engine", "string"), ("words", "int64"),
    ("first_correct", "int64"), ("stable_correct", "int64"), ("buzz", "int64"), ("buzz_page", "string"),
    ("buzz_chance", "float64"), ("buzzes_right", "bool"), ("knowable", "bool"), ("heard", ["int64"]),
    ("right", ["int64"]), ("chances", ["float64"]), ("ranks", ["int64"]), ("pages", ["string"]),
    ("guesses", [["int64"]]), ("scores", [["float64"]]),
)  # fmt: skip
"""The fields of each row with their types: ``datasets`` would otherwise guess them from the first rows."""


def _features(features: _Features, indent: str) -> Iterator[str]:
    """``features`` as ``datasets`` writes them in YAML."""
    for name, kind in features:
        yield f"{indent}- name: {name}"
        yield from _feature(kind, indent + "  ")


def _feature(kind: object, indent: str) -> Iterator[str]:
    if isinstance(kind, str):
        yield f"{indent}dtype: {kind}"
    elif isinstance(kind, tuple):
        yield f"{indent}struct:"
        yield from _features(kind, indent)
    elif isinstance(kind, list):
        (inside,) = kind
        if isinstance(inside, str):
            yield f"{indent}list: {inside}"
        else:
            yield f"{indent}list:"
            yield from (
                _features(inside, indent) if isinstance(inside, tuple) else _feature(inside, indent + "  ")
            )


ACCURACY_PLOT = "accuracy.png"
FILE_DESCRIPTIONS = {
    "questions.json": "the questions in QANTA's form under `questions`, and what we add under `quizwriter`",
    "questions.validation.jsonl": "the questions of the validation split, both kinds of fields in one row",
    "questions.test.jsonl": "the same of the test split",
    "questions.csv": "the same as a table, one question a row",
    "questions.trickme.json": "the same as the Trick Me interface wrote it; pseudonyms stand for addresses",
    "plays.jsonl": "one line for each player and question: its guesses after every word",
    "control.jsonl": "the games of the same players on the control, without texts and guesses",
    "histories.jsonl": "one line a question: edits, what was shown and said; `top` and `body` are JSON",
    "splits.json": "which question is in which split",
    "retracted.json": "questions withdrawn since their release",
    "DATASHEET.md": "how and why the set was made",
    "README.md": "this",
    "CITATION.cff": "how to cite it, for programs",
    ACCURACY_PLOT: "the picture above",
    "LICENSE.txt": "the terms",
    "MANIFEST.json": "the program, the players and the settings, with the digest of every file",
    "SHA256SUMS": "the digests once more, for `sha256sum -c`",
}


def _splits(figures: SetFigures) -> list[str]:
    """The splits that have any questions; programs refuse empty files."""
    return [split for split in SPLIT_SHARES if figures.splits.get(split)]


def _loading(figures: SetFigures) -> str:
    """How to load the files, in Markdown; the tests run the code."""
    splits = _splits(figures)
    return f"""
With pandas:

```python
import pandas
questions = pandas.concat([
    pandas.read_json(f"questions.{{split}}.jsonl", lines=True) for split in {splits}
])
plays = pandas.read_json("plays.jsonl", lines=True)
test = questions[questions.split == "test"]
```

With Hugging Face `datasets`, from this folder:

```python
from pathlib import Path
from datasets import load_dataset
here = str(Path.cwd())
questions = load_dataset(here, "questions")  # its splits: {", ".join(splits)}
plays = load_dataset(here, "plays", split="whole")
tests = set(questions["{splits[-1]}"]["qanta_id"])
test_plays = plays.filter(lambda play: play["qanta_id"] in tests)
```

With QANTA's own code: `questions.json` is a data set of its fold `adversarial`.

What a player said after the words it had heard, from a row of `plays.jsonl`:

```python
said = [[play["pages"][number] for number in row] for row in play["guesses"]]  # best first
```
"""


# By the players' numbers, as in the window: blue, vermillion, green, purple, sky, orange, black, yellow. They
# are Okabe and Ito's own, as the ground is always white; yellow alone is darkened.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#8A8000")
_DASHES = ("-", "--", "-.", ":")


def accuracy_plot(games: Games) -> bytes:
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
            played = [game for game in whole.values() if game.knowable]
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
