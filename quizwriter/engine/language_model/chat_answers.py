"""What a server of the chat-completions protocol answers, read strictly: guesses, or a reason why not.

Everything here is outside data. A guess is a short line of plain text; whatever else a model writes is thrown
away or refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from quizwriter.engine.language_model.prompt import CLUES, GUESSES
from quizwriter.engine.server_words import one_line
from quizwriter.system.decoding import DecodingError, check_json_shape, decode_json

LARGEST_ANSWER = 1 << 20
"""Bytes of one answer of a server; five guesses with the probabilities of their tokens take 40,000."""

MOST_VALUES = 50_000
"""Values in the JSON of one answer."""

MOST_TOKENS = 100_000_000
"""Tokens of one request, by the count of a server that makes sense."""

LONGEST_NAME, LONGEST_CLUE = 200, 300
"""Characters of an answer and of a clue; longer ones are cut."""

LEAST_CHANCE = 1e-4
"""The least chance of a guess: a model that says 0 is not to be taken at its word."""

_LONG = Meta(max_length=LARGEST_ANSWER)
_THOUGHT_END = "</think>"
_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_LogProbability = Annotated[float, Meta(ge=-1e6, le=1e-3)]


class _TokenChance(msgspec.Struct):
    token: Annotated[str, _LONG] = ""
    logprob: _LogProbability = 0.0


class _LogProbabilities(msgspec.Struct):
    content: list[_TokenChance] | None = None


class _Message(msgspec.Struct):
    content: Annotated[str, _LONG] | None = None
    refusal: Annotated[str, _LONG] | None = None


class _Choice(msgspec.Struct):
    message: _Message = msgspec.field(default_factory=_Message)
    finish_reason: Annotated[str, Meta(max_length=100)] | None = None
    logprobs: _LogProbabilities | None = None


_Tokens = Annotated[int, Meta(ge=0, le=MOST_TOKENS)]


class TokenUsage(msgspec.Struct, frozen=True):
    """How many tokens were sent and answered, as the server counts them."""

    prompt_tokens: _Tokens = 0
    completion_tokens: _Tokens = 0


class ChatCompletion(msgspec.Struct):
    """The answer of a server; of several choices, the first one counts."""

    choices: Annotated[list[_Choice], Meta(min_length=1, max_length=16)]
    model: Annotated[str, Meta(max_length=500)] | None = None
    usage: TokenUsage | None = None


class _ModelName(msgspec.Struct):
    id: Annotated[str, Meta(max_length=500)]


class ModelList(msgspec.Struct):
    """The models that a server has."""

    data: Annotated[list[_ModelName], Meta(max_length=10_000)] = []

    @property
    def names(self) -> tuple[str, ...]:
        """Their names, cleaned for a label."""
        return tuple(filter(None, (one_line(one.id, 200) for one in self.data)))


class _ErrorText(msgspec.Struct):
    message: object = None
    code: object = None
    param: object = None


class _Refusal(msgspec.Struct):
    error: _ErrorText | Annotated[str, _LONG] | None = None
    message: object = None
    detail: object = None


class _SaidGuess(msgspec.Struct):
    answer: Annotated[str, _LONG]
    chance: Annotated[float, Meta(ge=0, le=100)]
    clues: Annotated[list[Annotated[str, _LONG]], Meta(max_length=100)] = []


class _SaidGuesses(msgspec.Struct):
    guesses: Annotated[list[_SaidGuess], Meta(max_length=100)]


class ModelGuess(msgspec.Struct, frozen=True):
    """An answer as the model named it, its chance from 0 to 1, and the clues that it says speak for it."""

    answer: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
    chance: Annotated[float, Meta(ge=0, le=1)]
    clues: Annotated[tuple[Annotated[str, Meta(max_length=LONGEST_CLUE)], ...], Meta(max_length=CLUES)] = ()


class ModelAnswer(msgspec.Struct, frozen=True):
    """What a model said after some words, the likeliest first; as it is kept in the database.

    ``by_tokens`` says that the chances are those of the tokens; otherwise the model stated them. Where there
    are no guesses, ``trouble`` says why.
    """

    guesses: Annotated[tuple[ModelGuess, ...], Meta(max_length=GUESSES)] = ()
    by_tokens: bool = False
    trouble: Annotated[str, Meta(max_length=300)] = ""


class NoGuessError(DecodingError):
    """A list of guesses is empty."""


class ReadAnswer(msgspec.Struct, frozen=True):
    """The answer of a server that was read: the guesses, the model that it names, and what it took."""

    answer: ModelAnswer
    model: str
    usage: TokenUsage | None


def read_completion(raw: bytes) -> ReadAnswer:
    """What the body ``raw`` of an answer says.

    An answer without guesses that can be read is one, too: its ``trouble`` says what it is.
    """
    check_json_shape(raw, most_values=MOST_VALUES)
    found = decode_json(raw, ChatCompletion, most_bytes=LARGEST_ANSWER)
    choice = found.choices[0]
    tokens = (choice.logprobs.content if choice.logprobs is not None else None) or []
    text = choice.message.content or ""
    if choice.message.refusal and not text.strip():
        answer = ModelAnswer(trouble="refused to answer")
    elif not text.strip():
        thinks_long = choice.finish_reason == "length"
        answer = ModelAnswer(
            trouble="used all its tokens before it answered" if thinks_long else "answered nothing"
        )
    else:
        try:
            answer = read_guesses(text, [(one.token, one.logprob) for one in tokens])
        except NoGuessError:
            answer = ModelAnswer(trouble="named no answer")
        except DecodingError:
            cut = choice.finish_reason == "length"
            answer = ModelAnswer(
                trouble="did not finish its answer" if cut else "answered something else than guesses"
            )
    return ReadAnswer(answer, one_line(found.model or "", 200), found.usage)


def read_guesses(text: str, tokens: Sequence[tuple[str, float]] = ()) -> ModelAnswer:
    """The guesses in ``text``, which is one JSON object.

    Around the object, only a code fence is allowed, and before it what a model thought, up to ``</think>``.
    ``tokens`` are the tokens of the text with their log-probabilities; then these give the chances.

    Raises:
        DecodingError: ``text`` is something else, or has no guess.
    """
    _, _, rest = text.rpartition(_THOUGHT_END)
    bare = rest.strip()
    if fence := _FENCE.match(bare):
        bare = fence[1].strip()
    check_json_shape(bare, deepest=8, most_values=MOST_VALUES)
    said = decode_json(bare, _SaidGuesses).guesses
    given = _token_chances(bare, [one.answer for one in said], tokens)
    stated = [one.chance for one in said]
    if any(chance > 1 for chance in stated):  # in per cent
        stated = [chance / 100 for chance in stated]
    found: dict[str, ModelGuess] = {}
    for guess, chance in zip(said, stated if given is None else given, strict=True):
        name = one_line(guess.answer, LONGEST_NAME)
        if name and name.casefold() not in found:
            clues = tuple(filter(None, (one_line(clue, LONGEST_CLUE) for clue in guess.clues[:CLUES])))
            found[name.casefold()] = ModelGuess(name, max(chance, LEAST_CHANCE), clues)
    if not found:
        raise NoGuessError("it has no guess")
    best = sorted(found.values(), key=lambda guess: -guess.chance)[:GUESSES]
    total = sum(guess.chance for guess in best)
    if total > 1:  # by how much a model overshoots says nothing
        best = [msgspec.structs.replace(guess, chance=guess.chance / total) for guess in best]
    return ModelAnswer(tuple(best), given is not None)


def _token_chances(
    bare: str, names: Sequence[str], tokens: Sequence[tuple[str, float]]
) -> list[float] | None:
    """The chance of each name by its tokens; None where they do not tell.

    The probability of the tokens of the second name is that of the name given that the first one is named
    before; it shares what the first one leaves, and so on.
    """
    text = "".join(token for token, _ in tokens)  # with spaces around it that servers leave out
    at, left = text.rfind(bare), 1.0
    if at < 0:
        return None
    spans = []
    for name in names:
        written, key = msgspec.json.encode(name).decode(), text.find('"answer"', at)
        start = text.find(written, key + len('"answer"')) if key >= 0 else -1
        if start < 0:
            return None  # it is written with escapes of another kind
        at = start + len(written)
        spans.append((start + 1, at - 1))
    found = []
    place, number = 0, 0
    for start, end in spans:
        sum_ = 0.0
        while number < len(tokens) and place < end:
            token, logprob = tokens[number]
            if place + len(token) > start:
                sum_ += logprob
            place, number = place + len(token), number + 1
        chance = left * math.exp(min(0.0, sum_))
        left = max(0.0, left - chance)
        found.append(chance)
    return found


def refusal_text(raw: bytes) -> str:
    """What the body ``raw`` of a refusal says, in one line for people; empty if it says nothing readable."""
    try:
        check_json_shape(raw, most_values=MOST_VALUES)
        found = decode_json(raw, _Refusal, most_bytes=LARGEST_ANSWER)
    except DecodingError:
        return ""
    said = found.error.message if isinstance(found.error, _ErrorText) else found.error
    said = said or found.message or found.detail
    extra = found.error.code if isinstance(found.error, _ErrorText) else None
    parts = [one_line(part, 200) for part in (said, extra) if isinstance(part, str)]
    return " ".join(dict.fromkeys(filter(None, parts)))


def read_models(raw: bytes) -> tuple[str, ...]:
    check_json_shape(raw, most_values=MOST_VALUES)
    return decode_json(raw, ModelList, most_bytes=LARGEST_ANSWER).names
