"""The clues of past questions: texts cut into clauses, and clauses of several questions that say the same.

A clue is looked for by its key: one rare word, or two words that follow each other, such as a name, a title
or a date. Of the clauses with a key, those are one clue that tell the same as one of them, by the rule for
stock clues (:mod:`quizwriter.engine.same_clue`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

import msgspec
import numpy as np
from msgspec.structs import replace

from quizwriter.domain.page import page_title
from quizwriter.domain.past_questions import PastClue, PastQuestion, QuestionKind, UsualPlace
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Tossup
from quizwriter.engine.same_clue import MOST_WORDS, AnswerWords, SentenceWords, is_written_as_name, same_clue
from quizwriter.engine.tokenizer import TOKEN, token

MOST_CLUES = 40
"""Clues that are told of an answer."""

MOST_CHARACTERS = 500_000
"""Characters of the questions on an answer that are read; the answer that is asked most has 114,000."""

MOST_KEYS = 20_000
"""Keys that are looked at, those of most questions first."""

_SHORTEST_CLAUSE = 4  # content words; a shorter one belongs to its neighbour
_CLEAR_MAJORITY = 0.5  # of the tossups with a clue, that it has a usual place

# Shares of the rarity of a word that one text has; chosen by eye on the clues used most of popular answers.
_RARE_WORD = 0.5
_RARE_NAME = 0.4  # a word that is mostly written with a capital, or a number
_RARE_PAIR = 0.72  # both words together

_SAME_CLUE, _SAME_WORDS = 0.5, 0.34
"""A key with this share of its clauses in another clue is no clue of its own; sooner if they share words."""

_SAME_QUESTIONS = 0.7
"""Two clues with this share of their clauses in common, both ways, are one."""

_TYPE_QUESTIONS = 3
"""What "this" names in so many questions is the type of the answer, and no word of a clue."""

_CORE_SHARE = 0.4
"""A word in this share of the clauses of a clue is one of its words."""

_ENOUGH_WORDS = 0.6
"""A clause without the key has at least this share of the words of a clue, by rarity."""

_COMMON = 0.27
"""This share of the greatest rarity is taken off each where clauses are compared, as for sentences."""

_MOST_COMPARED = 40
"""Clauses with a key that are tried as the one that tells the clue."""

_CUT = re.compile(
    r"[;:]\s+"
    r"|,\s+(?=(?:and|but|or|while|which|who|whose|where|in\ which|after|before|as\ well\ as|although|though"
    r"|when)\b)"
    r"|\s(?=(?:while|whose|after|before|in\ which|although)\b)",
    re.VERBOSE,
)

Rarity = Callable[[Collection[int]], Mapping[int, float]]
"""For the hashes of stems, how rare each is: the logarithm of all texts by the texts with the stem."""

_Key = tuple[int, ...]


class Clause(msgspec.Struct, frozen=True):
    """A part of a question that says one thing: where it stands, and its content words in order.

    ``words`` has the stems of the words at ``spans``. ``sentence`` counts from 0, of ``sentences``.
    """

    span: Span
    sentence: int
    sentences: int
    spans: tuple[Span, ...]
    words: SentenceWords


def clauses(text: str, answer: str = "") -> tuple[Clause, ...]:
    """The clauses of a question, without stock phrases at their beginnings.

    What "this" names and the words of the ``answer`` are no words of a clause.
    """
    tossup = Tossup(text)
    left_out = {token(word).hash for word in TOKEN.findall(page_title(answer))}
    words: list[tuple[int, Span]] = []
    numbers: list[int] = []  # the place of each among all words of the question
    written: list[str] = []  # those
    stock_ends: list[int] = []
    pointed = False
    for span, clue in zip(tossup.words, tossup.clues, strict=True):
        if not clue:
            stock_ends.append(span.end)
        for found in TOKEN.finditer(text, span.start, span.end):
            one = token(found.group())
            if clue and one.hash and not pointed and one.hash not in left_out:
                words.append((one.hash, Span(*found.span())))
                numbers.append(len(written))
            written.append(found.group().lower())
            pointed = one.pointer
    starts = [span.start for _, span in words]
    found_clauses = []
    at = 0
    for place, sentence in enumerate(tossup.sentences):
        for span in _merged(_cut(text, sentence), starts):
            start = at
            while at < len(words) and starts[at] < span.end:
                at += 1
            end = bisect_left(numbers, numbers[start] + MOST_WORDS, start, at) if start < at else at
            inside = words[start:end]
            if len(inside) > 1:
                spans = tuple(span for _, span in inside)
                span = Span(_after_stock(text, span, stock_ends, spans[1].start), span.end)
                said = _words(text, sentence.start, inside, numbers[start:end], written)
                found_clauses.append(Clause(span, place, len(tossup.sentences), spans, said))
    return tuple(found_clauses)


def _words(
    text: str,
    start: int,
    inside: Sequence[tuple[int, Span]],
    numbers: Sequence[int],
    written: Sequence[str],
) -> SentenceWords:
    """The words ``inside`` a clause of the sentence that begins at ``start``, as two clauses are compared.

    ``numbers`` are their places among the words of the question as they are ``written``.
    """
    places: dict[int, list[int]] = {}
    for (stem, _), number in zip(inside, numbers, strict=True):
        places.setdefault(stem, []).append(number - numbers[0])
    names = (stem for stem, span in inside if span.start > start and is_written_as_name(span.of(text)))
    return SentenceWords(
        {stem: tuple(at) for stem, at in places.items()},
        frozenset(names),
        kinds=frozenset(),
        stems=tuple(stem for stem, _ in inside),
        written=tuple(written[numbers[0] : numbers[-1] + 1]),
    )


def _after_stock(text: str, clause: Span, stock_ends: Sequence[int], limit: int) -> int:
    """Where ``clause`` begins behind the last stock phrase that ends before ``limit``."""
    at = bisect_left(stock_ends, limit)
    start = stock_ends[at - 1] if at and stock_ends[at - 1] > clause.start else clause.start
    while start < limit and not text[start].isalnum() and text[start] not in "\"“‘'":
        start += 1
    return start


def _cut(text: str, sentence: Span) -> Iterator[Span]:
    """``sentence`` cut at conjunctions outside of quotation marks."""
    at = looked = sentence.start
    quotes = 0
    for found in _CUT.finditer(text, sentence.start, sentence.end):
        quotes += text.count('"', looked, found.start())
        looked = found.start()
        if quotes % 2 == 0:
            yield Span(at, found.start())
            at = found.end()
    yield Span(at, sentence.end)


def _merged(parts: Iterable[Span], starts: Sequence[int]) -> list[Span]:
    """``parts`` of a sentence, short ones joined to what stands before them; words have these ``starts``."""
    found: list[Span] = []
    for part in parts:
        if found and min(_between(starts, part), _between(starts, found[-1])) < _SHORTEST_CLAUSE:
            found[-1] = Span(found[-1].start, part.end)
        else:
            found.append(part)
    return found


def _between(starts: Sequence[int], span: Span) -> int:
    return bisect_left(starts, span.end) - bisect_left(starts, span.start)


class ClueGroup(msgspec.Struct, frozen=True):
    """A clue, and the clause that tells it, with the weight of its words and of the rarest word.

    ``asked`` are the words of the past questions on the answer.
    """

    clue: PastClue
    told: SentenceWords
    weights: Mapping[int, float]
    rarest: float
    asked: AnswerWords

    def is_in(self, text: Iterable[Clause]) -> bool:
        return any(
            same_clue(clause.words, self.told, self.weights, self.rarest, asked=self.asked) for clause in text
        )


def clues_of(questions: Sequence[PastQuestion], rarity: Rarity, rarest: float) -> tuple[ClueGroup, ...]:
    """The clues that at least two of ``questions``, which are on one answer, use; the most used first.

    ``rarest`` is the rarity of a stem that one text of the library has.
    """
    lengths = list(accumulate(len(question.text) for question in questions))
    questions = questions[: bisect_right(lengths, MOST_CHARACTERS)]
    placed = [  # with the question of each clause
        (place, clause)
        for place, question in enumerate(questions)
        for clause in clauses(question.text, question.page)
    ]
    types = _answer_types(questions)
    weights = {
        stem: 0.0 if stem in types else weight
        for stem, weight in rarity({stem for _, clause in placed for stem in clause.words.stems}).items()
    }
    keys = _keys(questions, placed, weights, rarest)
    asking = {key: len({placed[one][0] for one in some}) for key, some in keys.items()}
    ranked = sorted(
        (key for key, count in asking.items() if count > 1),
        key=lambda key: (-asking[key], -sum(weights[stem] for stem in key), key),
    )
    with_stem: dict[int, set[int]] = defaultdict(set)
    for place, (_, clause) in enumerate(placed):
        for stem in clause.words.stems:
            with_stem[stem].add(place)
    compared = {stem: weight - _COMMON * rarest for stem, weight in weights.items()}
    heaviest = rarest - _COMMON * rarest
    question_of = np.asarray([place for place, _ in placed], np.int64)
    asked = AnswerWords(len(questions), lambda stem: np.unique(question_of[list(with_stem[stem])]))

    def same(one: int, other: int, key: _Key = ()) -> bool:
        words = placed[one][1].words, placed[other][1].words
        return one == other or bool(same_clue(*words, compared, heaviest, about=key, asked=asked))

    groups: list[ClueGroup] = []
    taken: list[tuple[set[int], Mapping[int, float]]] = []
    for key in ranked[:MOST_KEYS]:
        own = keys[key]
        if any(
            len(own & some) >= (_SAME_WORDS if core.keys() & set(key) else _SAME_CLUE) * len(own)
            for some, core in taken
        ):
            continue
        told, own = max(
            (
                (one, {other for other in own if same(one, other, key)})
                for one in sorted(own)[:_MOST_COMPARED]
            ),
            key=lambda found: len({placed[one][0] for one in found[1]}),
        )
        if len({placed[one][0] for one in own}) < 2:
            continue
        counts = Counter(stem for one in own for stem in set(placed[one][1].words.stems))
        core = {
            stem: weights[stem]
            for stem, count in counts.items()
            if weights[stem] and count >= max(2, _CORE_SHARE * len(own))
        }
        near = set().union(*(with_stem[stem] for stem in core))
        enough = _ENOUGH_WORDS * sum(core.values())
        some = own | {
            one
            for one in near
            if sum(core[stem] for stem in core.keys() & set(placed[one][1].words.stems)) >= enough
            and same(told, one)
        }
        if any(len(some & other) >= _SAME_QUESTIONS * max(len(some), len(other)) for other, _ in taken):
            continue
        taken.append((some, core))
        clue = _clue(questions, placed, some, own, core)
        groups.append(ClueGroup(clue, placed[told][1].words, compared, heaviest, asked))
        if len(groups) == MOST_CLUES:
            break
    return tuple(sorted(groups, key=lambda group: (-group.clue.tossups, -group.clue.bonus_parts)))


def _answer_types(questions: Sequence[PastQuestion]) -> set[int]:
    """What questions call the answer: the stems that follow "this" and "these" in several of them."""
    counts = Counter[int]()
    for question in questions:
        pointed = False
        named = set()
        for word in TOKEN.findall(question.text):
            one = token(word)
            if pointed and one.hash:
                named.add(one.hash)
            pointed = one.pointer
        counts.update(named)
    return {stem for stem, count in counts.items() if count >= _TYPE_QUESTIONS}


def _keys(
    questions: Sequence[PastQuestion],
    placed: Sequence[tuple[int, Clause]],
    weights: Mapping[int, float],
    rarest: float,
) -> dict[_Key, set[int]]:
    """What clues may be known by, each with the numbers of its clauses."""
    written, capital = Counter[int](), Counter[int]()
    for place, clause in placed:
        text = questions[place].text
        for stem, span in zip(clause.words.stems, clause.spans, strict=True):
            written[stem] += 1
            capital[stem] += not text[span.start].islower() and span.start > clause.span.start
    found: dict[_Key, set[int]] = defaultdict(set)
    for number, (_, clause) in enumerate(placed):
        for stem in clause.words.stems:
            name = capital[stem] > written[stem] / 2
            if weights[stem] >= rarest * (_RARE_NAME if name else _RARE_WORD):
                found[(stem,)].add(number)
        for one, other in zip(clause.words.stems, clause.words.stems[1:], strict=False):
            if (
                one != other
                and weights[one]
                and weights[other]
                and weights[one] + weights[other] >= rarest * _RARE_PAIR
            ):
                found[(one, other)].add(number)
    return found


def _clue(
    questions: Sequence[PastQuestion],
    placed: Sequence[tuple[int, Clause]],
    some: Collection[int],
    own: Collection[int],
    core: Mapping[int, float],
) -> PastClue:
    """The clue that the clauses ``some`` say; its example is one of ``own``."""
    numbers = sorted({placed[one][0] for one in some})
    tossups = [place for place in numbers if questions[place].kind is QuestionKind.TOSSUP]
    years = [year for place in numbers if (year := questions[place].year) is not None]
    of_tossups = sum(question.kind is QuestionKind.TOSSUP for question in questions)
    # the words of the clue and few others
    place, example = max(
        (placed[one] for one in sorted(own)),
        key=lambda pair: (
            sum(core.get(stem, 0.0) for stem in set(pair[1].words.stems)) / (6 + len(pair[1].words.stems))
        ),
    )
    start = example.span.start
    words = tuple(
        Span(span.start - start, span.end - start)
        for stem, span in zip(example.words.stems, example.spans, strict=True)
        if stem in core
    )
    text = example.span.of(questions[place].text)
    places = [placed[one] for one in some if questions[placed[one][0]].kind is QuestionKind.TOSSUP]
    return PastClue(
        example=text,
        words=words,
        tossups=len(tossups),
        of_tossups=of_tossups,
        bonus_parts=len(numbers) - len(tossups),
        first=min(years, default=None),
        last=max(years, default=None),
        place=_usual_place([clause for _, clause in places]),
        said={
            questions[place].number: clause.span for place, clause in (placed[one] for one in sorted(some))
        },
    )


def _usual_place(said: Sequence[Clause]) -> UsualPlace:
    counts = Counter(
        UsualPlace.LAST
        if clause.sentence == clause.sentences - 1
        else UsualPlace.FIRST
        if clause.sentence == 0
        else UsualPlace.MIDDLE
        for clause in said
    )
    for place, count in counts.most_common(1):
        if count > _CLEAR_MAJORITY * len(said):
            return place
    return UsualPlace.NONE


def ticked(groups: Iterable[ClueGroup], draft: str) -> tuple[PastClue, ...]:
    """The clues of ``groups``, those marked that ``draft`` has."""
    said = clauses(draft)
    return tuple(replace(group.clue, in_draft=group.is_in(said)) for group in groups)
