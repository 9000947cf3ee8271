"""The player that asks a language model: its game, what it says its clues are, and what that may cost.

It is asked after some words of a tossup only, at the ends of sentences and where the writer pauses. What it
said after a text is kept and never asked for again. Between those points its game is unknown.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from quizwriter.domain.evidence import Cue, Evidence, Method
from quizwriter.domain.guessing import TOP, Buzz, Guess, Playthrough, Row
from quizwriter.domain.model_budget import BudgetExceededError, ModelBudget, Spending
from quizwriter.domain.page import Page, page_title
from quizwriter.domain.players import LLM
from quizwriter.domain.span import Span
from quizwriter.domain.tossup import Answer, Tossup, bare_words
from quizwriter.engine.buzzers import DEFAULT_THRESHOLD
from quizwriter.engine.language_model.chat_answers import LEAST_CHANCE, ModelAnswer
from quizwriter.engine.language_model.chat_client import ChatClient, ModelTrouble, stopped
from quizwriter.engine.language_model.prompt import MOST_ANSWER_TOKENS, PROMPT_VERSION, estimated_tokens
from quizwriter.engine.pages import Pages
from quizwriter.engine.sentence_points import Points, sentence_ends, sentence_words, words_read
from quizwriter.system.decoding import DecodingError, decode_json

TYPICAL_ANSWER_TOKENS = 250
"""The tokens of a usual answer, to say beforehand what something costs."""


class AnswerMemory(Protocol):
    """Keeps the answers of language models, and what they cost. Any thread may use it."""

    def find(self, model: str, digest: str) -> str | None:
        """The answer that :meth:`keep` kept; None if there is none."""

    def keep(self, model: str, digest: str, body: str) -> None:
        """Keep the answer ``body`` of ``model`` to the text with this digest."""

    def spent(self) -> Spending:
        """What was spent on this day, on all models together."""

    def reserve(self, most: Spending, budget: ModelBudget) -> str:
        """Count ``most`` as spent on this day, which is the result.

        Raises:
            BudgetExceededError: the day's ``budget`` does not allow it, and nothing is counted.
        """

    def settle(self, day: str, more: Spending) -> None:
        """Count ``more`` on the ``day`` of a reservation: what it took beyond that, or less than nothing."""


class ModelUse(msgspec.Struct, frozen=True):
    """What a request for a model needs beside the model: what is kept, what it may cost, and what is barred.

    ``guard`` raises for a tossup of which nothing may be sent.
    """

    memory: AnswerMemory
    budget: ModelBudget
    guard: Callable[[Tossup], object] = lambda tossup: None


class NoGuesses(ModelTrouble):
    """The server answers, but none of its answers to one tossup has a guess."""


class LanguageModelGuesser:
    """Guesses what a language model names, mapped to pages by the rules of answer lines."""

    name = LLM

    def __init__(
        self,
        connect: Callable[[], ChatClient],
        model: str,
        host: str,
        use: ModelUse,
        pages: Pages,
        points: Points = sentence_ends,
    ) -> None:
        """The player that asks the ``model`` of ``host`` after the ``points`` of a tossup.

        ``connect`` makes the client, before the first text is sent.
        """
        self._connect, self._use, self._pages, self._points = connect, use, pages, points
        self.model, self._host = model, host
        self._made: ChatClient | None = None
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        """Send nothing more; a request on its way fails."""
        with self._lock:
            self._closed = True
        if self._made is not None:
            self._made.close()

    def _client(self) -> ChatClient:
        with self._lock:
            if self._closed:
                raise stopped()
            if self._made is None:
                self._made = self._connect()
            return self._made

    def play(self, tossup: Tossup, top: int = TOP) -> Playthrough:
        """The game at all points; slow, and each answer that is not kept yet is asked for.

        Raises:
            ModelTrouble: the model does not answer, the budget is spent, or the tossup is barred from it.
        """
        *_, play = self.games(tossup, top)
        return play

    def games(self, tossup: Tossup, top: int = TOP) -> Iterator[Playthrough]:
        """The game with what is kept, and again after each answer; the end of the text is asked for first.

        Units:
            Scores are the logarithms of the chances.
        """
        points = self._points(tossup)
        if not points:
            yield self._game(tossup, {}, top, grows=False)
            return
        self._use.guard(tossup)
        known = {
            count: answer for count in points if (answer := self._kept(words_read(tossup, count))) is not None
        }
        missing = [count for count in points if count not in known]
        missing.sort(key=lambda count: count != points[-1])  # where the writer is, comes first
        if known and missing:
            yield self._game(tossup, known, top, grows=True)
        for left, count in enumerate(missing, start=1):
            known[count] = self._ask(tossup, words_read(tossup, count))
            if left < len(missing):
                yield self._game(tossup, known, top, grows=True)
        if all(answer.trouble for answer in known.values()):
            raise NoGuesses(
                f"{self._host} {known[points[-1]].trouble}.",
                "Choose another model in Preferences, or keep writing: the next text is sent again.",
            )
        yield self._game(tossup, known, top, grows=False)

    def explain(self, tossup: Tossup, page: Page, *, exact: bool = False) -> Evidence | None:
        """What the model says its clues for ``page`` are, after all of ``tossup``; nothing is sent.

        ``exact`` asks the model again without each sentence, which costs what :meth:`cost_of_leaving_out`
        says.
        """
        if exact:
            return self._explain_by_leaving_out(tossup, page)
        answer = self._kept(words_read(tossup, len(tossup.words)))
        guesses = answer.guesses if answer is not None else ()
        said = [clue for guess in guesses if self._page(guess.answer, tossup) == page for clue in guess.clues]
        spans = clue_spans(tossup, said)
        cues = tuple(Cue(span, 1.0) for span in spans)
        return Evidence(LLM, page, float(len(cues)), cues, method=Method.SAYS)

    def cost_of_leaving_out(self, tossup: Tossup) -> Spending:
        """About what it costs to ask again without each sentence of ``tossup``; nothing is sent."""
        cost = Spending()
        for read in self._texts_left_out(tossup):
            if self._kept(read) is None:
                cost += self._use.budget.request(estimated_tokens(read), TYPICAL_ANSWER_TOKENS)
        return cost

    # -- asking

    def _kept(self, read: str) -> ModelAnswer | None:
        body = self._use.memory.find(self.model, prefix_digest(read))
        try:
            return None if body is None else decode_json(body, ModelAnswer)
        except DecodingError:
            return None  # it is asked for again

    def _ask(self, tossup: Tossup, read: str) -> ModelAnswer:
        """The model's answer after ``read``, words of ``tossup``; it is kept from now on.

        Of each request all that it could cost is reserved before it is sent, because another window may
        spend from the same budget meanwhile. A request that was cut off leaves it so: it may have to be paid.
        """
        budget, memory = self._use.budget, self._use.memory
        estimate = budget.request(estimated_tokens(read), MOST_ANSWER_TOKENS)
        days: list[str] = []

        def before_each() -> None:
            self._use.guard(tossup)  # it may have been barred since the game began
            give_back()
            try:
                days.append(memory.reserve(estimate, budget))
            except BudgetExceededError as exceeded:
                raise ModelTrouble(
                    f"The budget of today for language models is spent: {exceeded}.",
                    "It plays again tomorrow, or raise the budget in Preferences, Players, Language model.",
                    60.0,
                ) from exceeded

        def give_back() -> None:
            if days:  # what was refused has no tokens to pay for
                memory.settle(days.pop(), Spending(requests=1) - estimate)

        try:
            found = self._client().complete(read, before_each)
        except ModelTrouble as trouble:
            if not trouble.billed:
                give_back()
            raise
        sent = estimate.prompt_tokens if found.usage is None else found.usage.prompt_tokens
        got = TYPICAL_ANSWER_TOKENS if found.usage is None else found.usage.completion_tokens
        memory.settle(days[-1], budget.request(sent, got) - estimate)
        memory.keep(self.model, prefix_digest(read), msgspec.json.encode(found.answer).decode())
        return found.answer

    # -- games

    def _game(self, tossup: Tossup, known: dict[int, ModelAnswer], top: int, *, grows: bool) -> Playthrough:
        heard = tuple(sorted(known))
        rows = tuple(self._row(known[count], tossup.heard(count))[:top] for count in heard)
        answer = tossup.answer
        ranks = tuple(
            next((place for place, guess in enumerate(row, 1) if answer and answer.accepts(guess.page)), None)
            for row in rows
        )
        knows = None if answer is None else True  # any answer may be named
        return Playthrough(LLM, tossup, heard, rows, ranks, knows_answer=knows, sampled=True, grows=grows)

    def _row(self, answer: ModelAnswer, tossup: Tossup) -> Row:
        chances: dict[Page, float] = {}
        for guess in answer.guesses:
            page = self._page(guess.answer, tossup)
            chances[page] = chances.get(page, 0.0) + guess.chance
        best = sorted(chances.items(), key=lambda one: -one[1])
        return tuple(Guess(page, math.log(max(chance, LEAST_CHANCE))) for page, chance in best)

    def _page(self, said: str, tossup: Tossup) -> Page:
        """The page that ``said`` names, by the answer line or the bundle's names; else ``said`` as it is."""
        from quizwriter.judging import Verdict, judge  # here, as a start need not wait for it

        answer = tossup.answer
        if answer is not None:
            title = page_title(answer.page) if answer.page is not None else ""
            if judge(answer.line, said, heard=tossup.text, page=title).verdict is Verdict.ACCEPT:
                return answer.page or Page(answer.main)
        found = self._pages.meant(said) or self._pages.meant(Answer(said).main)
        return found if found is not None else Page(said)

    # -- evidence

    def _texts_left_out(self, tossup: Tossup) -> list[str]:
        """The words that are read, whole, and then without each sentence in turn."""
        return [
            words_read(tossup, len(tossup.words)),
            *(_joined(tossup, left) for left in _without_each(tossup)),
        ]

    def _explain_by_leaving_out(self, tossup: Tossup, page: Page) -> Evidence:
        self._use.guard(tossup)
        chances = []
        for read in self._texts_left_out(tossup):
            answer = self._kept(read) or self._ask(tossup, read)
            row = self._row(answer, tossup)
            chances.append(next((math.exp(guess.score) for guess in row if guess.page == page), 0.0))
        whole, *without = chances
        sentences = sentence_words(tossup)
        cues = tuple(
            Cue(Span(words[0].start, words[-1].end), whole - chance)
            for words, chance in zip(sentences, without, strict=True)
        )
        return Evidence(LLM, page, whole, cues, method=Method.LEFT_OUT)


class StatedBuzzer:
    """Takes the chances of the model as they are, until a buzzer is fitted to it; buzzes when it is likelier
    right than wrong.
    """

    threshold = DEFAULT_THRESHOLD

    def chances(self, play: Playthrough) -> tuple[float, ...]:
        return tuple(math.exp(min(0.0, row[0].score)) if row else 0.0 for row in play.rows)

    def buzz(self, play: Playthrough) -> Buzz | None:
        return play.first_buzz(DEFAULT_THRESHOLD)


def prefix_digest(read: str) -> str:
    return hashlib.sha256(f"{PROMPT_VERSION}\n{read}".encode("utf-8", "surrogatepass")).hexdigest()


def clue_spans(tossup: Tossup, clues: Sequence[str]) -> tuple[Span, ...]:
    """The words of ``tossup`` that stand in one of ``clues``, each of which is a run of its words.

    A clue that the text does not have has none: models misquote.
    """
    words = list(tossup.bare_words)
    marked: set[int] = set()
    for clue in clues:
        wanted = bare_words(clue)
        size = len(wanted)
        for at in range(len(words) - size + 1) if wanted else ():
            if words[at] == wanted[0] and words[at : at + size] == wanted:
                marked.update(range(at, at + size))
                break
    return tuple(tossup.words[number] for number in sorted(marked))


def _without_each(tossup: Tossup) -> Iterator[list[Span]]:
    groups = sentence_words(tossup)
    for number in range(len(groups)):
        yield [span for at, group in enumerate(groups) if at != number for span in group]


def _joined(tossup: Tossup, spans: Sequence[Span]) -> str:
    return " ".join(span.of(tossup.text) for span in spans)
