"""How many stock clues are found and how many marks are false, measured on held-back tournaments."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from quizwriter.cancellation import PartProgress
from quizwriter.domain.page import Page
from quizwriter.domain.past_questions import QuestionKind
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup
from quizwriter.errors import QuizwriterError
from quizwriter.formats.question_files import HELD_BACK, FileQuestion, ReadReport, is_held_back, questions
from quizwriter.workflow.estimates import percentile

if TYPE_CHECKING:
    from quizwriter.domain.stock_clues import SentenceClues
    from quizwriter.engine.engine import Engine

PLANTED = 500
"""How many tossups get a stock clue."""

WHOLE = 300
"""How many whole tossups are looked at for false marks, and for times."""

HEARD_BY = 3
"""In so many other tournaments a clue was heard before it is planted."""

_RARE = 300  # texts of the library with a word that makes a clue known
_VERBATIM = 8  # words in a row: whoever shares them copied


def clue_accuracy(engine: Engine, path: Path, progress: PartProgress) -> dict[str, Any]:
    """Every figure, by name; times are milliseconds of this thread's processor.

    The bundle was built with ``--hold-back`` from the questions in the file at ``path``: its held-back
    tournaments are new to the library. A clue is *known* if two rare words of its sentence stand together in
    one sentence of past tossups on the same answer, from :data:`HEARD_BY` tournaments or more, none of which
    has eight of its words in a row: it is a rewording. One known clue is planted into each of
    :data:`PLANTED` other held-back tossups; found there, on another answer, it is no false mark, as past
    questions do tell the same fact. A clue is *new* if no past question on its answer has a
    rare word of its sentence, and none on any answer has two of them.
    """
    share = engine.about.get(HELD_BACK)
    if not isinstance(share, int) or not share or engine.library is None or engine.clue_finder is None:
        raise QuizwriterError(
            "Stock clues can be measured only with a bundle that held tournaments back.",
            "Build one with python -m index_builder build --hold-back 6.",
        )
    held = [
        _tossup(engine, question)
        for question in questions(path, ReadReport(str(path)))
        if is_held_back(question.origin.tournament, share)
    ]
    random.Random(16).shuffle(held)
    past = _PastWords(engine)
    known = _known_clues(past, held, progress)
    look_up = engine.clue_finder.look_up
    look_up(held[0])  # reads what is read once
    found = elsewhere = 0
    for number, (sentence, answer) in enumerate(known):
        progress("Looking for planted clues", number, len(known))
        host = held[-1 - number % len(held)]
        found += _is_found(look_up, _planted(host, sentence), sentence, answer)
        elsewhere += _is_found(look_up, _planted(host, sentence), sentence, host.answer)
    return {
        "stock_planted": len(known),
        "stock_found_on_answer": round(found / max(1, len(known)), 3),
        "stock_found_on_other_answer": round(elsewhere / max(1, len(known)), 3),
        **_marks(look_up, past, held[:WHOLE], progress),
    }


LookUp = Callable[[Tossup], "tuple[SentenceClues, ...]"]


def _tossup(engine: Engine, question: FileQuestion) -> Tossup:
    name = question.page or question.answer
    return Tossup(
        question.text, Answer(question.answer, engine.pages.find(name) or Page(name.replace(" ", "_")))
    )


class _PastSentence(msgspec.Struct, frozen=True):
    """A sentence of a past tossup: its tournament, its stems, and its runs of words."""

    tournament: str
    stems: frozenset[int]
    runs: frozenset[str]


class _PastWords:
    """The words of past questions, read from the library without the index of sentences."""

    def __init__(self, engine: Engine) -> None:
        assert engine.library is not None
        self._library = engine.library
        self._texts: dict[int, frozenset[int]] = {}

    def rare(self, sentence: str) -> dict[int, frozenset[int]]:
        """The rare stems of ``sentence``, each with the texts that have it."""
        shelf = self._library.shelves[0]
        found = {}
        for stem in _stems(sentence):
            if stem not in self._texts:
                self._texts[stem] = frozenset(shelf.texts_with(stem).tolist())
            if len(self._texts[stem]) <= _RARE:
                found[stem] = self._texts[stem]
        return found

    def is_new(self, sentence: str, page: str) -> bool:
        """Whether no question on ``page`` has a rare word of ``sentence``, and none at all has two."""
        on_page = {question.number for question in self._library.questions_on(page)}
        rare = list(self.rare(sentence).values())
        return bool(rare) and not (
            any(on_page & one for one in rare) or any(one & other for one, other in combinations(rare, 2))
        )

    def sentences_on(self, page: str) -> list[_PastSentence]:
        """The sentences of all past tossups with this answer that have a tournament."""
        return [
            _PastSentence(question.tournament, _stems(sentence), frozenset(_runs(sentence)))
            for question in self._library.questions_on(page)
            if question.kind is QuestionKind.TOSSUP and question.tournament
            for sentence in _sentences(question.text)
        ]


def _stems(text: str) -> frozenset[int]:
    from quizwriter.engine.search_words import SearchWords

    return frozenset(SearchWords(text).stems)


def _sentences(text: str) -> list[str]:
    return [span.of(text) for span in Tossup(text).sentences]


def _runs(text: str) -> Iterator[str]:
    words = text.casefold().split()
    for at in range(len(words) - _VERBATIM + 1):
        yield " ".join(words[at : at + _VERBATIM])


def _known_clues(
    past: _PastWords, held: Sequence[Tossup], progress: PartProgress
) -> list[tuple[str, Answer | None]]:
    """One known clue of as many tossups as are planted, with the answer that it is about."""
    found: list[tuple[str, Answer | None]] = []
    for tossup in held:
        if len(found) == PLANTED:
            break
        progress("Choosing known clues", len(found), PLANTED)
        on_page = past.sentences_on((tossup.answer and tossup.answer.page) or "")
        chosen = [sentence for sentence in _sentences(tossup.text)[:-1] if _is_known(past, sentence, on_page)]
        if chosen:
            found.append((random.Random(tossup.text).choice(chosen), tossup.answer))
    return found


def _is_known(past: _PastWords, sentence: str, on_page: Sequence[_PastSentence]) -> bool:
    runs, rare = frozenset(_runs(sentence)), past.rare(sentence)
    with_pair = {
        pair: {one.tournament for one in on_page if one.stems.issuperset(pair)}
        for pair in combinations(sorted(rare), 2)
    }
    heard = any(len(tournaments) >= HEARD_BY for tournaments in with_pair.values())
    return heard and not any(one.runs & runs for one in on_page)


def _planted(host: Tossup, sentence: str) -> Tossup:
    """``host`` with ``sentence`` as its second."""
    sentences = _sentences(host.text)
    return Tossup(" ".join([*sentences[:1], sentence, *sentences[1:]]))


def _is_found(look_up: LookUp, planted: Tossup, sentence: str, answer: Answer | None) -> bool:
    """Whether any sentence that has words of the planted one is marked."""
    start = planted.text.index(sentence)
    stretch = Span(start, start + len(sentence))
    return any(
        one.stock and one.span.start < stretch.end and one.span.end > stretch.start
        for one in look_up(Tossup(planted.text, answer))
    )


def _marks(
    look_up: LookUp, past: _PastWords, whole: Sequence[Tossup], progress: PartProgress
) -> dict[str, Any]:
    """Marks and times of whole tossups, whose sentences were not looked up before."""
    marked = false = fresh = near = 0
    times: list[float] = []
    for number, tossup in enumerate(whole):
        progress("Looking for false marks", number, len(whole))
        page = (tossup.answer and tossup.answer.page) or ""
        started = time.thread_time()
        clues = look_up(tossup)
        spent = 1000 * (time.thread_time() - started)
        times += [spent / max(1, len(clues))] * len(clues)
        for one in clues:
            new = past.is_new(one.span.of(tossup.text), page)
            fresh, false = fresh + new, false + (new and one.stock)
            marked, near = marked + one.stock, near + (one.near is not None)
    return {
        "stock_new_sentences_per_tossup": round(fresh / len(whole), 2),
        "stock_false_marks_per_tossup": round(false / len(whole), 3),
        "stock_marks_per_tossup": round(marked / len(whole), 2),
        "near_duplicates_per_tossup": round(near / len(whole), 3),
        "stock_sentence_p50": round(percentile(times, 50), 1),
        "stock_sentence_p95": round(percentile(times, 95), 1),
    }
