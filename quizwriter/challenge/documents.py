"""The documents of a challenge set: its data sheet, its README, how to cite it, the plot, and the licence.

:func:`set_documents` writes them all from the manifest and from the figures of the rows, and from nothing
else. They can therefore be written again from a released folder, and compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from statistics import fmean
from types import MappingProxyType
from typing import Any

from quizwriter.challenge.citation import bibtex, citation, licence_text, quoted
from quizwriter.challenge.data_sheet import data_sheet, provenance_sentences
from quizwriter.challenge.figures import (
    FEWEST,
    Games,
    PairedDifference,
    PeopleFigures,
    SetFigures,
)
from quizwriter.challenge.page_rule import BY_CHARACTERS, BY_LINE, BY_OUTLINES, BY_TITLES
from quizwriter.challenge.selection import SPLIT_SHARES
from quizwriter.challenge.statements import LICENCES, SetStatements, plain_markdown
from quizwriter.domain.players import player_kind
from quizwriter.domain.rater_agreement import KappaEstimate
from quizwriter.experiments.accuracy import SHARES_HEARD, PlayerResult
from quizwriter.experiments.drawing import DASHES, PAPER
from quizwriter.store.plays import PlaySummary
from quizwriter.workflow.estimates import Estimate
from quizwriter.workflow.wording import counted_noun, listed, player_title


def set_documents(
    manifest: Mapping[str, Any], figures: SetFigures, games: Games, control: Games = MappingProxyType({})
) -> dict[str, bytes]:
    """The documents by the names of their files, without the plot of sets that have it as pixels.

    ``games``, and those on the ``control``, are what ``figures`` were computed from.
    """
    said = SetStatements.of_manifest(manifest)
    drawn = {ACCURACY_PLOT: accuracy_plot(games, control).encode()} if said.schema >= BY_OUTLINES else {}
    return {
        **drawn,
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
    if name in {ACCURACY_PLOT, _OLD_PLOT}:
        return name == _plot_name(said)
    return (name != "histories.jsonl" or said.histories) and (name != "control.jsonl" or bool(said.control))


def _plot_name(said: SetStatements) -> str:
    return ACCURACY_PLOT if said.schema >= BY_OUTLINES else _OLD_PLOT


def _maintenance(said: SetStatements) -> list[str]:
    stated = {"Maintainer": said.maintainer, "contact": said.contact, "website": said.website}
    facts = [f"{name}: {plain_markdown(text)}" for name, text in stated.items() if text]
    lines = ["; ".join(facts) + "."] if facts else []
    if said.previous:
        lines.append(
            f"The version before is {plain_markdown(said.previous['version'])} of "
            f"{plain_markdown(said.previous['title'])}, with "
            f"{counted_noun(said.previous['questions'], 'question')}."
        )
    return ["## Who looks after it", "", *lines, ""] if lines else []


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
        lines += [_difference_row(one, said) for one in figures.differences if one.player == result.player]
    lines += [
        *_explanations(said, figures),
        "",
        _control_line(said),
        "",
        f"![Accuracy of each player by how much of the question was heard]({_plot_name(said)})",
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
                    f"| {plain_markdown(name)}{'†' if name in mark else ''} | {player_title(one.player)} | "
                    f"{one.questions:,} | {one.can_know:,} | {' | '.join(map(_estimate, cells))} |"
                )
        lines.append("")
    return lines


def _explanations(said: SetStatements, figures: SetFigures) -> Sequence[str]:
    if said.schema >= BY_CHARACTERS:
        return _new_explanations(said, figures)
    return _OLD_EXPLANATIONS if said.schema >= BY_LINE else _OLDEST_EXPLANATIONS


_OLDEST_EXPLANATIONS = (
    "",
    "*Right first at* is the mean share of the words, over the questions that are ever right; *buzzes",
    "right* the share of the questions it can know that the player answers rightly where it chooses to",
    "buzz. *Expected wins* is the mean chance to win at that buzz against people, by the cubic of",
    "Rodriguez et al., *Quizbowl: The Case for Incremental Question Answering* (arXiv 1904.04792), 0",
    "without a right buzz. Intervals of shares are Wilson's, those of means by the normal approximation.",
)
"""What sets of schema 2 say of their figures."""

_OLD_EXPLANATIONS = (
    "",
    "*Right first at* is the mean share of the words heard until the first guess is right; a question",
    "that is never right counts as 1, so that hard questions do not drop out. *Buzzes right* is the",
    "share of the questions it can know that the player answers rightly where it chooses to buzz.",
    "*Expected wins* is the mean chance to win at that buzz against people, by the cubic of Rodriguez",
    "et al., *Quizbowl: The Case for Incremental Question Answering* (arXiv 1904.04792), at the share of",
    "the words, 0 without a right buzz. Intervals of shares are Wilson's, those of means by the normal",
    "approximation.",
)
"""What sets of schema 3 say of their figures."""


_NO_PEOPLE = (
    "fitted; 0 without a right buzz. The cubic flatters late buzzes. This set records no buzzes of",
    "people, so nothing here is against recorded people: where you have such buzzes, `quizwriter",
    "experiment curves --questions . --buzzes FILE` counts both. Intervals of shares are Wilson's, those",
)
_WITH_PEOPLE = (
    "fitted; 0 without a right buzz. The cubic flatters late buzzes; a table below has the wins against",
    "the people who played questions of this set. Intervals of shares are Wilson's, those",
)


def _new_explanations(said: SetStatements, figures: SetFigures) -> list[str]:
    lines = [
        "",
        "*Right first at* is the mean share of the words heard until the first guess is right. A question",
        "that is never right is censored at its end, not left out: the mean is that of Kaplan and Meier's",
        "curve up to the end of the question. *Buzzes right* is the share of the questions it can know that",
        "the player answers rightly where it chooses to buzz. *Expected wins* is the mean chance to win at",
        "that buzz against people, by the cubic of Rodriguez et al., *Quizbowl: The Case for Incremental",
        "Question Answering* (arXiv 1904.04792), at the share of the characters heard, on which it was",
        *(_NO_PEOPLE if figures.people is None else _WITH_PEOPLE),
        "of means by the normal approximation.",
    ]
    if figures.differences:
        curves = "quizwriter experiment curves"
        if said.schema >= BY_TITLES and said.control:
            curves += f" --seed {said.control['seed']}"
        lines += [
            "",
            "A *difference* is the set less its control, over the pairs of which the player can know",
            f"both, as `{curves}` counts it; *area* is that of the whole curve. Its",
            "intervals are by bootstrap over pairs.",
        ]
    return [*lines, *_people_lines(figures.people)]


def _people_lines(people: PeopleFigures | None) -> list[str]:
    """What people did on the questions that they played, and who would win there; none where nobody did."""
    if people is None:
        return []
    edited = (
        [
            f"{people.edited:,} of these questions were edited since; buzzes moved there with the words.",
        ]
        if people.edited
        else []
    )
    return [
        "",
        f"People played {counted_noun(people.questions, 'question')} of this set in",
        f"{counted_noun(people.rooms, 'room')}; the share that answered rightly is",
        f"{_estimate(people.answered)}. Wins *by people* are the mean share of the rooms that nobody had",
        "answered yet at the player's right buzz; a question with fewer than five rooms takes those of all",
        "questions. Wins *by the cubic* are those of the published curve on the same questions.",
        *edited,
        "",
        _table_head("player", "questions", "wins, by people", "wins, by the cubic"),
        *(
            f"| {player_title(one.player)} | {one.people.number:,} | {_estimate(one.people)} | "
            f"{_estimate(one.cubic)} |"
            for one in people.wins
        ),
    ]


def _difference_row(one: PairedDifference, said: SetStatements) -> str:
    pairs = counted_noun(one.pairs, "pair") if said.schema >= BY_TITLES else f"{one.pairs:,} pairs"
    cells = [*map(_estimate, one.right.values()), f"area {_estimate(one.area)}", "", ""]
    return f"| {player_title(one.player)} | the difference | | {pairs} | {' | '.join(cells)} |"


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
        told = "No control was played: nothing here says how the players do on other questions."
        return f"{told} {plain_markdown(said.no_control)}" if said.no_control else told
    number = counted_noun(said.control["questions"], "question")
    if said.schema < BY_CHARACTERS:
        return (
            f"The control is {number} of "
            f"`{plain_markdown(said.control['file'])}` (SHA-256 {said.control['digest']}) from the fold on "
            f"which no player was trained, each matched to one question of this set: "
            f"{said.control['same_answer']:,} of them on the same answer, the others by category and length. "
            "Only answers that the bundle has were taken. The texts are not part of this set; "
            "`control.jsonl` has the games."
        )
    file = said.control["file"]
    source = (
        f"`{plain_markdown(file)}` (SHA-256 {said.control['digest']}), from the fold on which no "
        "player was trained"
        if file
        else f"those that the bundle (digest {said.control['digest']}) holds back from all players"
    )
    levels = "; ".join(f"{level}: {count:,}" for level, count in said.control["difficulties"].items())
    return (
        f"The control is {number} of {source}, each matched to one question of this set with the seed "
        f"{said.control['seed']}: {said.control['same_answer']:,} on the same answer, "
        f"{said.control['same_category']:,} more of the same category; of several, the nearest in length and "
        "in how often the answer was asked. Questions of this set have no recorded difficulty to match; "
        f"{f'the control has, by level, {levels}' if levels else 'nor has the control'}. "
        # of the bundle's own questions, any were taken: sets before schema 6 say otherwise
        f"{'' if said.schema >= BY_TITLES and not file else 'Only answers that the bundle has were taken. '}"
        "The texts are not part of this set; `control.jsonl` has the games."
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
        f"| {plain_markdown(one.tag)}{'†' if one.undecided else ''} | {one.questions:,} | "
        f"{one.undecided:,} | {one.agreement.number:,} | {_estimate(one.agreement)} |"
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
    of_questions = _NEW_QUESTION_FEATURES if said.schema >= BY_CHARACTERS else _QUESTION_FEATURES
    of_questions += _PEOPLE_FEATURES if figures.people is not None else ()
    for name, features in (("questions", of_questions), ("plays", _PLAY_FEATURES)):
        lines += [f"- config_name: {name}", "  features:", *_features(features, "  ")]
    return [*lines, "---"]


_Features = tuple[tuple[str, object], ...]

_PROVENANCE_FEATURES: _Features = (
    ("origin", "string"), ("edits", "int64"), ("first_day", "string"), ("last_day", "string"),
    ("players", ["string"]), ("file", "string"), ("digest", "string"), ("tournament", "string"),
    ("year", "int64"), ("authors", ["string"]), ("rewritten_from", "string"), ("based_on", "string"),
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
_NEW_QUESTION_FEATURES: _Features = (
    *(
        (name, (*_PROVENANCE_FEATURES, ("arm", "string")) if name == "provenance" else kind)
        for name, kind in _QUESTION_FEATURES
    ),
    ("loop", (("players", ["string"]), ("attempts", "int64"), ("minutes", "float64"))),
    (
        "wrong_guess",
        (
            ("guesser", "string"), ("page", "string"), ("sentence", "int64"), ("words", ["string"]),
            ("source", "string"),
        ),
    ),
)  # fmt: skip
"""Those of sets since schema 4."""

_PEOPLE_FEATURES: _Features = (("people", (("rooms", "int64"), ("answered", ["int64"]), ("edited", "bool"))),)
"""What sets have that people played."""

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


ACCURACY_PLOT = "accuracy.svg"
_OLD_PLOT = "accuracy.png"  # of sets before schema 5, drawn by a library whose versions draw different bytes
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
    _OLD_PLOT: "the picture above",
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


_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 590, 26, 308
"""Where the axes of the plot lie, in pixels."""

_DASHES: Mapping[str, str] = {"-": "", "--": "7 3", "-.": "9 3 2 3", ":": "2 3"}
_LABEL_HEIGHT = 6  # per cent


def accuracy_plot(games: Games, control: Games = MappingProxyType({})) -> str:
    """A plot, as SVG, of each player's accuracy by the share of the words heard, over questions it can know.

    That on the ``control`` is a thin line of the same colour. The same games give the same bytes.
    """
    lines, ends = [], []
    for name, whole in games.items():
        number = player_kind(name).number
        colour, right = PAPER.series[number], _right_by_share(whole)
        lines.append(_drawn_line(right, colour, 1.8, _DASHES[DASHES[number % len(DASHES)]]))
        ends.append((right[-1], player_title(name), colour))
        if any(game.knowable for game in control.get(name, {}).values()):
            lines.append(_drawn_line(_right_by_share(control[name]), colour, 0.9, _DASHES[":"]))
    ends.sort()
    heights = _apart([right_in_the_end for right_in_the_end, _, _ in ends])
    for height, (_, title, colour) in zip(heights, ends, strict=True):
        lines.append(_drawn_text(title, _RIGHT + 8, _up(height) + 4, f'fill="{colour}"'))
    if any(control.values()):
        lines.append(_drawn_text("thin and dotted: the control", _LEFT, _TOP - 10, 'fill="#555555"'))
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="360" viewBox="0 0 720 360" '
            'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12">',
            '<rect width="720" height="360" fill="#FFFFFF"/>',
            *_drawn_axes(),
            *lines,
            "</svg>\n",
        ]
    )


def _apart(ends: Sequence[float]) -> list[float]:
    """Where labels of lines with these rising ``ends`` stand: none on another, none above the plot."""
    found: list[float] = []
    for end in ends:
        found.append(max(end, found[-1] + _LABEL_HEIGHT) if found else end)
    highest = 100.0
    for place in reversed(range(len(found))):
        found[place] = min(found[place], highest)
        highest = found[place] - _LABEL_HEIGHT
    return found


def _right_by_share(whole: Mapping[int, PlaySummary]) -> list[float]:
    """How many of the games are right after each per cent of the words, in per cent."""
    played = [game for game in whole.values() if game.knowable]
    return [100 * fmean(game.right_after(share) for game in played) if played else 0.0 for share in _SHARES]


_SHARES = range(1, 101)


def _across(share: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * share / 100


def _up(right: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * right / 100


def _drawn_axes() -> Iterator[str]:
    for share in range(0, 101, 25):
        x, y = _across(share), _up(share)
        grid = 'stroke="#DDD9D0" stroke-width="0.6"'
        yield f'<path d="M{x:.2f} {_TOP}V{_BOTTOM}M{_LEFT} {y:.2f}H{_RIGHT}" {grid}/>'
        yield _drawn_text(str(share), x, _BOTTOM + 17, 'text-anchor="middle"')
        yield _drawn_text(str(share), _LEFT - 7, y + 4, 'text-anchor="end"')
    yield f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}" fill="none" stroke="#000000" stroke-width="0.8"/>'
    middle = 'text-anchor="middle"'
    yield _drawn_text("words heard, per cent of the question", _across(50), _BOTTOM + 38, middle)
    turned = f'{middle} transform="rotate(-90 16 {_up(50):.2f})"'
    yield _drawn_text("questions right, per cent", 16, _up(50), turned)


def _drawn_line(right: Sequence[float], colour: str, width: float, dashes: str) -> str:
    points = " ".join(
        f"{_across(share):.2f},{_up(one):.2f}" for share, one in zip(_SHARES, right, strict=True)
    )
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"{dashed}/>'


def _drawn_text(text: str, x: float, y: float, attributes: str) -> str:
    return f'<text x="{x:.2f}" y="{y:.2f}" {attributes}>{escape(text)}</text>'
