"""QANTA's own DAN and bidirectional RNN, trained beside ours on the same questions, to compare them.

"Trick Me If You Can" was written against these networks. They learn single sentences and are asked about all
that was heard. They are no players of a bundle: nothing here writes into it. Their games on questions can be
written into a file, which experiments take for players.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from anyascii import anyascii
from msgspec.structs import replace

from index_builder.progress import Progress
from index_builder.training.dan import vectors_in
from index_builder.training.learner import chosen_device, usable_cores
from index_builder.training.qanta_networks import (
    RECIPES,
    UNKNOWN,
    WIDTH,
    LabelledTexts,
    NumberedTexts,
    RecipeTrainer,
)
from index_builder.training.trainer import NetworkTrainer, TrainingOptions, device_line
from index_builder.training.training_set import Floats, Numbers, TrainingSet
from quizwriter.domain.players import networks
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.engine import held_back, held_back_key
from quizwriter.engine.pages import read_pages
from quizwriter.engine.retrieval import PassageKind, PassageTable
from quizwriter.errors import QuizwriterError, translate_reading_errors
from quizwriter.formats.file_formats import question_rows
from quizwriter.formats.game_files import RecordedGame, RecordedPlayer, page_digest, write_games
from quizwriter.formats.question_files import BUZZ, DEVELOPMENT, ReadReport, question_of
from quizwriter.formats.tables import read_table
from quizwriter.system.decoding import DecodingError, read_limited

WORK_SUFFIX = ".recipes"
"""Added to the name of a bundle's folder: the folder beside it where networks are saved meanwhile."""

_LARGEST_TABLE = 64 << 20  # bytes

_NAME_TABLE = "Name adversarial.questions.csv, which “experiment adversarial --out” wrote for this bundle."

LabelledTossup = tuple[Tossup, int]
"""A tossup with its class."""

_ASIDE = re.compile(r"\([^()]*+\)|\[[^][]*+\]")
_POINTS = re.compile(r"\b(?:for (?:10|ten) points(?: each)?+|ftpe?+)\b,?+", re.IGNORECASE)
_WORD = re.compile(r"\w++|[^\w\s]")


def recipe_words(text: str) -> list[str]:
    """The words and signs of ``text`` without what stands in brackets and the points, in plain letters."""
    return _WORD.findall(anyascii(_POINTS.sub(" ", _ASIDE.sub(" ", text))).lower())


def sentences_of(tossup: Tossup) -> Iterator[str]:
    return (span.of(tossup.text) for span in tossup.sentences)


class RecipeWords:
    """The words of the texts that the networks learn, each with its row."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._rows: dict[str, int] = {}
        for text in texts:
            for word in recipe_words(text):
                self._rows.setdefault(word, UNKNOWN + 1 + len(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def numbered(self, texts: Iterable[str]) -> NumberedTexts:
        """``texts`` as rows; one without a word has an unknown one."""
        return NumberedTexts.of(
            [self._rows.get(word, UNKNOWN) for word in recipe_words(text)] or [UNKNOWN] for text in texts
        )

    def vectors(self, file: Path) -> tuple[Numbers, Floats]:
        """The rows of the words that have vectors in ``file``, with these."""
        found: dict[int, list[float]] = {}
        try:
            for word, numbers in vectors_in(file):
                if word in self._rows and len(numbers) == WIDTH:
                    found[self._rows[word]] = [float(number) for number in numbers]
        except ValueError:
            found = {}
        if not found:
            raise QuizwriterError(
                f"{file} has no vectors of {WIDTH} numbers for words of the bundle.",
                "Name a file with a word and its numbers on each line, such as glove.6B.300d.txt.",
            )
        return np.asarray(list(found), np.int64), np.asarray(list(found.values()), np.float32)


class RecipeTask(msgspec.Struct, frozen=True, dict=True):
    """What the networks learn from a bundle: the past tossups on its ``pages``, which are in ``page_rows``.

    ``judged`` are the tossups that say when a training is over; ``measured`` are those that decide nothing.
    """

    page_rows: Numbers
    pages: Sequence[str]
    tossups: Sequence[LabelledTossup]
    judged: Sequence[LabelledTossup]
    measured: Sequence[LabelledTossup]

    @cached_property
    def words(self) -> RecipeWords:
        """The words of the tossups that are learnt."""
        return RecipeWords(sentence for tossup, _ in self.tossups for sentence in sentences_of(tossup))

    def sentences(self, tossups: Sequence[LabelledTossup]) -> LabelledTexts:
        """The sentences of ``tossups``."""
        said = [(one, label) for tossup, label in tossups for one in sentences_of(tossup)]
        return LabelledTexts(self.words.numbered(text for text, _ in said), _labels(said))

    def heard(self, tossups: Sequence[LabelledTossup]) -> tuple[LabelledTexts, LabelledTexts]:
        """What was heard after half of the words of each of ``tossups``, and after all."""
        halves = self.words.numbered(one.heard(len(one.words) // 2).text for one, _ in tossups)
        whole = self.words.numbered(one.text for one, _ in tossups)
        return LabelledTexts(halves, _labels(tossups)), LabelledTexts(whole, _labels(tossups))

    def trainer(self, name: str, options: TrainingOptions, units: int | None = None) -> RecipeTrainer:
        """What trains the network ``name``, with so many ``units`` where it is the RNN."""
        recipe = RECIPES[name]
        if units is not None and name == "qanta-birnn":
            recipe = replace(recipe, units=units)
        return RecipeTrainer(
            name, recipe, self.sentences(self.tossups), self.sentences(self.judged), self.heard(self.judged),
            words=len(self.words), classes=len(self.pages), seed=options.seed, device=options.device,
            known=None if options.vectors is None else self.words.vectors(options.vectors),
        )  # fmt: skip

    def games(self, trainer: RecipeTrainer, tossups: Sequence[Tossup]) -> Iterator[RecordedGame]:
        """The games of the network on ``tossups``, which hears word by word."""
        for tossup in tossups:
            heard = (tossup.heard(count).text for count in range(1, len(tossup.words) + 1))
            classes = trainer.guesses(self.words.numbered(heard))
            yield RecordedGame.of(trainer.name, tossup.text, classes.tolist())


def _labels(labelled: Sequence[tuple[Any, int]]) -> Numbers:
    return np.asarray([label for _, label in labelled], np.int64)


def recipe_task(bundle: Bundle, share: float, seed: int) -> RecipeTask:
    """The task of a ``share`` of the pages that tossups of the ``bundle`` ask for, drawn by the ``seed``."""
    asked = np.flatnonzero(bundle.array("pages_asked.npy"))
    drawn = np.random.default_rng(seed).permutation(asked)[: max(2, round(share * len(asked)))]
    pages_learnt = np.sort(drawn)
    pages = read_pages(bundle)
    classes = {row: at for at, row in enumerate(pages_learnt.tolist())}
    judged, measured = (
        [
            (tossup, classes[row])
            for tossup in held_back(bundle, fold)
            if tossup.answer is not None and (row := pages.rows.get(tossup.answer.key, -1)) in classes
        ]
        for fold in (BUZZ, DEVELOPMENT)
    )
    if not judged or not measured:
        raise QuizwriterError(
            "The bundle holds back no tossups to judge by and to measure on.",
            "Build it without --all, or take a larger share of the classes.",
        )
    table = PassageTable(bundle)
    learnt = [
        (Tossup(table.texts[number]), at)
        for row, at in classes.items()
        for number in table.about(row)
        if table.kinds[number] == PassageKind.TOSSUP
    ]
    return RecipeTask(pages_learnt, [pages.all[row] for row in classes], learnt, judged, measured)


def compare_recipes(
    folder: Path,
    players: Sequence[str],
    progress: Progress,
    *,
    share: float = 1.0,
    units: int | None = None,
    options: TrainingOptions | None = None,
    play: Sequence[Path] = (),
    controls: Path | None = None,
    games: Path | None = None,
) -> dict[str, Any]:
    """Train ``players``, recipes and networks of ours, on a ``share`` of the classes of a bundle; a report.

    All learn the same tossups, ours also the bonuses and articles on the same pages. The buzzer fold says
    when each is done. The figures are of the development tossups on these pages, which decided nothing.
    ``units`` are those of QANTA's RNN. The bundle is not written to. A training that was stopped goes on
    where it was last saved.

    The file ``games`` gets the games of the recipes on the development tossups, or on those of them that the
    table ``controls`` names, and on the question files in ``play``. It says no title of a page.
    """
    options = options or TrainingOptions()
    options = replace(options, device=chosen_device(options.device))
    bundle = Bundle.open(folder)
    task = recipe_task(bundle, share, options.seed)
    asked = [] if games is None else [*_held_back(bundle, controls), *_tossups_in(play)]
    recorded: list[RecordedPlayer | RecordedGame] = []
    work = folder.parent / f"{folder.name}{WORK_SUFFIX}"
    before = torch.get_num_threads()
    torch.set_num_threads(options.threads or usable_cores())
    found: dict[str, Any] = {}
    try:
        progress.note(device_line(options.device))
        for name in (one for one in players if one in RECIPES):
            trainer = task.trainer(name, options, units)
            trainer.train(work, progress, options.minutes)
            half, end = map(trainer.accuracy, task.heard(task.measured))
            found[name] = {"half": half, "end": end, **trainer.report}
            recorded += [RecordedPlayer(name, [*map(page_digest, task.pages)]), *task.games(trainer, asked)]
        ours = [kind.name for kind in networks() if kind.name in players]
        if ours:
            trainer_of_ours = NetworkTrainer(
                folder, work, options, TrainingSet.of(bundle, task.page_rows), [one for one, _ in task.judged]
            )
        for name in ours:
            arrays, about, _ = trainer_of_ours.learn(name, progress)
            progress.training(name, 1.0)
            half, end = trainer_of_ours.accuracy(name, arrays, [one for one, _ in task.measured])
            found[name] = {"half": half, "end": end, "steps": about["steps"], "seconds": about["seconds"]}
    finally:
        torch.set_num_threads(before)
    if games is not None:
        write_games(games, recorded)
    shutil.rmtree(work, ignore_errors=True)
    return {
        "classes": len(task.pages),
        "tossups": len(task.tossups),
        "judged_by": len(task.judged),
        "measured_on": len(task.measured),
        "players": {name: _rounded(one) for name, one in found.items()},
    }


def _held_back(bundle: Bundle, controls: Path | None) -> Iterator[Tossup]:
    """The development tossups; of these only the controls in a table of an experiment, if one is given."""
    found = held_back(bundle, DEVELOPMENT)
    if controls is None:
        yield from found
        return
    try:
        with translate_reading_errors(controls):
            text = io.StringIO(read_limited(controls, _LARGEST_TABLE).decode("utf-8"), newline="")
        named = {row.get("control", "") for row in read_table(text)}
    except (DecodingError, UnicodeDecodeError) as trouble:
        raise QuizwriterError(f"{controls} is no table ({trouble}).", _NAME_TABLE) from trouble
    chosen = [tossup for number, tossup in enumerate(found) if held_back_key(number) in named]
    if not named or len(chosen) < len(named):
        raise QuizwriterError(f"{controls} names other controls than the bundle holds back.", _NAME_TABLE)
    yield from chosen


def _tossups_in(files: Sequence[Path]) -> Iterator[Tossup]:
    for path in files:
        report, seen = ReadReport(str(path)), set[str]()
        for row in question_rows(path, report):
            question = question_of(row, report, seen)
            if question is not None:
                yield Tossup(question.text)


def _rounded(figures: Mapping[str, float]) -> dict[str, float]:
    return {name: round(one, 4) for name, one in figures.items()}
