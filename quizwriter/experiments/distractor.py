"""The distractor: a sentence about another answer, written by a network that copies, and who falls for it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from quizwriter.domain.guessing import Player
from quizwriter.domain.page import Page, plain_title
from quizwriter.domain.players import DISTRACTOR
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.entity_library import EntityLibraries
from quizwriter.experiments import column
from quizwriter.experiments.inference import generator, mcnemar, mean_estimates
from quizwriter.experiments.inputs import ExperimentInputs, SourceQuestion
from quizwriter.experiments.registry import Cell, Found, Need, Plot, Series, experiment, refuse
from quizwriter.services.beat_goal import word_overlap
from quizwriter.system.decoding import Count, DecodingError, decode_value
from quizwriter.system.extras import require_extra
from quizwriter.workflow.estimates import share_of
from quizwriter.workflow.probes import split_clues, with_sentence
from quizwriter.workflow.wording import counted_noun, player_title

if TYPE_CHECKING:
    from index_builder.training.distractor import DistractorWriter

BEFORE, WRITTEN, BY_RULE = "without", "with the network's sentence", "with the rule's sentence"
"""The three tossups that are played; the rule's sentence is the AddOneSent of the paper's table 6."""

SHOWN_TYPES = 12
"""How many of the largest entity libraries a remark names."""


_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class _HeldBack(msgspec.Struct):
    """How well the network did on pairs that it did not learn from, as the manifest has it."""

    pairs: Count
    exact: _Share
    answered: _Share
    copied: _Share | None


class _Distracted(msgspec.Struct, frozen=True):
    """A question with both sentences, which are about ``rival``, a page of the same type ``noun``.

    ``asked`` is its last question, rewritten, which both of them state.
    """

    question: SourceQuestion
    noun: str
    rival: Page
    asked: str
    written: str
    by_rule: str

    @property
    def tossups(self) -> tuple[Tossup, Tossup, Tossup]:
        """The tossup as it is, and with each of the sentences before its last clue."""
        tossup = self.question.tossup
        clues = split_clues(tossup)
        return (
            tossup,
            with_sentence(tossup, clues, self.written),
            with_sentence(tossup, clues, self.by_rule),
        )


class _Game(msgspec.Struct, frozen=True):
    """What a player says in the end of the three tossups of a question."""

    of: _Distracted
    right: tuple[bool, bool, bool]
    overlap: tuple[float, float, float]
    fell: bool


@experiment(
    "distractor",
    title="The distractor",
    asks="Do players fall for one sentence about another answer that looks like the question?",
    source="Fan and Liu 2021, table 6; Jia and Liang 2017 (AddOneSent)",
    columns=(
        column.text("player"), column.count("tossups"), column.share("right before"),
        column.share("right with the network's"), column.share("right with the rule's"),
        column.share("change by the network's"), column.share("change by the rule's"),
        column.share("names the other answer"), column.share("F1 before"),
        column.share("F1 with the network's"), column.share("F1 with the rule's"),
        column.p_value("McNemar p"),
    ),
    plot=Plot.bars("tossups right in the end, per cent"),
    needs=(Need.QUESTIONS, Need.PLAYERS),
    unread=True,
    details=(
        column.text("question"), column.text("answer"), column.text("type"), column.text("other answer"),
        column.text("player"), column.text("right before"), column.text("right with the network's"),
        column.text("right with the rule's"), column.text("names the other answer"),
        column.text("the network's sentence"), column.text("the rule's sentence"),
    ),
)  # fmt: skip
def distractor(given: ExperimentInputs) -> Found:
    """The table has a row for each player, of the tossups whose answers it can know."""
    untrained = refuse(
        f"The bundle {given.engine.title} has no {DISTRACTOR}.",
        f"Train it: python -m index_builder train --players {DISTRACTOR} --bundle {given.engine.folder}",
    )
    if DISTRACTOR not in given.engine.about.get("players", {}):
        raise untrained  # before torch is loaded, which takes seconds
    require_extra("train", "The network that writes the sentences")
    from index_builder.training.distractor import DistractorWriter

    writer = DistractorWriter.load(given.engine.folder)
    if writer is None:
        raise untrained
    libraries = EntityLibraries.of(given.engine.folder)
    distracted = _distracted(given, writer, libraries)
    draw = generator(given.seed, DISTRACTOR)
    rows: list[list[Cell]] = []
    details: list[list[Cell]] = []
    series, sentences = [], []
    for name, played in given.by_player("plays tossups with a distractor", distracted, _play):
        title = player_title(name)
        games = [game for game in played if game is not None]
        if unknown := len(played) - len(games):
            given.left_out[f"tossups whose answers {title} cannot know"] += unknown
        row = _row(name, games, draw)
        rows.append(row)
        details += [_detail(name, game) for game in games]
        if games:
            series.append(Series.of(title, (BEFORE, WRITTEN, BY_RULE), row[2:5]))
        sentences.append(_sentence(title, games))
    return Found(
        rows,
        "; ".join(sentences) + ".",
        series,
        _remarks(writer, libraries, distracted),
        details,
    )


def _distracted(
    given: ExperimentInputs, writer: DistractorWriter, libraries: EntityLibraries
) -> list[_Distracted]:
    """The questions with both sentences, as far as they can be made."""
    from index_builder.training.stated_questions import asking_sentence, state

    asked: list[tuple[SourceQuestion, str, Page, str, str]] = []
    for one in given.unread_questions:
        given.cancellation.check()
        page = one.tossup.answer.page if one.tossup.answer is not None else None
        noun, sentence = libraries.type_of(page), asking_sentence(one.tossup)
        if page is None or noun is None:
            given.left_out["an answer of no known type"] += 1
            continue
        chance = random.Random(f"{given.seed} {one.tossup.text}")
        rival = libraries.other(page, chance)
        question = None if sentence is None else libraries.rewritten(sentence, chance)
        if rival is None or question is None:
            given.left_out["a question without a name or number that could be exchanged"] += 1
            continue
        by_rule = state(question, plain_title(rival), libraries.sizes.keys())
        if by_rule is None:
            given.left_out["a question that the rule cannot state"] += 1
            continue
        asked.append((one, noun, rival, question, by_rule))
    if not asked:
        raise refuse(
            "None of the questions has a last sentence that can be rewritten about another answer.",
            "Name more tossups that end with “name this …”, on answers of the bundle.",
        )

    def watch(done: int) -> None:
        given.cancellation.check()
        given.progress("Writing sentences", done, len(asked))

    written = writer.write([(question, plain_title(rival)) for _, _, rival, question, _ in asked], watch)
    return [
        _Distracted(one, noun, rival, question, text, by_rule)
        for (one, noun, rival, question, by_rule), text in zip(asked, written, strict=True)
    ]


def _play(player: Player, one: _Distracted) -> _Game | None:
    """The games on the three tossups; None where the player cannot know the answer."""
    plays = [player.play(tossup) for tossup in one.tossups]
    if not plays[0].knowable:
        return None
    guesses = [play.final[0].page if play.final else None for play in plays]
    answer = one.question.tossup.answer
    title = answer.page or answer.main if answer is not None else ""
    right = [bool(play.right and play.right[-1]) for play in plays]
    overlap = [
        1.0 if is_right else word_overlap("" if page is None else plain_title(page), plain_title(Page(title)))
        for is_right, page in zip(right, guesses, strict=True)
    ]
    return _Game(
        one, (right[0], right[1], right[2]), (overlap[0], overlap[1], overlap[2]), guesses[1] == one.rival
    )


def _row(name: str, games: Sequence[_Game], draw: np.random.Generator) -> list[Cell]:
    if not games:
        return [name, 0, *([None] * 10)]
    right = np.array([game.right for game in games], dtype=np.float64)
    overlap = np.array([game.overlap for game in games], dtype=np.float64)
    changes = right[:, 1:] - right[:, :1]
    fell = np.array([[float(game.fell)] for game in games])
    estimates = mean_estimates(np.column_stack([right, changes, fell, overlap]), draw)
    only_rule = int(((right[:, 1] < 1) & (right[:, 2] > 0)).sum())
    only_network = int(((right[:, 1] > 0) & (right[:, 2] < 1)).sum())
    return [name, len(games), *estimates, mcnemar(only_network, only_rule).p]


def _sentence(title: str, games: Sequence[_Game]) -> str:
    if not games:
        return f"{title} can know none of the answers"
    before, written, by_rule = (100 * sum(game.right[at] for game in games) / len(games) for at in range(3))
    return (
        f"{title} is right on {before:.1f} % of {counted_noun(len(games), 'tossup')} in the end, on"
        f" {written:.1f} % with a sentence by the network before the last clue, and on {by_rule:.1f} % with"
        " one by the rule"
    )


def _remarks(
    writer: DistractorWriter, libraries: EntityLibraries, distracted: Sequence[_Distracted]
) -> list[str]:
    number = len(distracted)
    named = sum(plain_title(one.rival) in one.written for one in distracted)
    same = sum(one.written == one.by_rule for one in distracted)
    counted = [writer.copied(one.written, one.asked, plain_title(one.rival)) for one in distracted]
    copied = share_of(sum(hits for hits, _ in counted), sum(of for _, of in counted))
    sizes = libraries.sizes
    largest = ", ".join(f"{noun} {size:,}" for noun, size in list(sizes.items())[:SHOWN_TYPES])
    trained = _trained(writer.about)
    return [
        f"The entity libraries have {counted_noun(len(sizes), 'type')} with"
        f" {counted_noun(sum(sizes.values()), 'entity', 'entities')}; the largest: {largest}.",
        f"Of {counted_noun(number, 'sentence')} by the network, {named:,} name the other answer whole and "
        f"{same:,} are the rule's word for word; {100 * (copied.value or 0.0):.1f} % of their "
        f"{copied.number:,} words were there to copy.{trained}",
        "Each sentence is about one other answer of the same type with other names and numbers, so it is "
        "true of nobody, and stands before the last clue. The same rewritten question and the same other "
        "answer go to the network and to the rule; McNemar's p is of the two.",
        "F1 is that of the words of the first guess's title, as the paper scores answers; it is 1 where the "
        "guess is right. The paper has F1 of three readers on SQuAD, on its own sentences and on "
        "AddOneSent: Match-LSTM 71.2, 38.9, 39.2; BiDAF 75.4, 46.8, 47.6; BERT 87.8, 56.6, 59.1.",
    ]


def _trained(about: Mapping[str, Any]) -> str:
    """What the manifest says of the network, as a sentence after a space; empty if it says nothing."""
    try:
        held = decode_value(about.get("held_back"), _HeldBack)
    except DecodingError:
        return ""
    copied = (
        ""
        if held.copied is None
        else f" It copied {100 * held.copied:.1f} % of the words there that only copying can say."
    )
    return (
        f" On {counted_noun(held.pairs, 'pair')} that it did not learn from, {100 * held.exact:.1f} % of its"
        f" statements were word for word right, and {100 * held.answered:.1f} % had the whole answer.{copied}"
    )


def _detail(name: str, game: _Game) -> list[Cell]:
    of, said = game.of, ["yes" if is_right else "no" for is_right in game.right]
    return [
        of.question.key, of.question.title, of.noun, plain_title(of.rival), name, *said,
        "yes" if game.fell else "no", of.written, of.by_rule,
    ]  # fmt: skip
