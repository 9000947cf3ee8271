"""The distractor: a Transformer that copies. It says a question and an answer as one statement.

Given a question that was rewritten about something else, and an answer of the same type that is wrong, the
statement is true of nobody, and looks like the question to whoever only compares words.

Source:
    Fan and Liu, "Adversarial data generation for reading comprehension with Transformer", Intelligent
    Computer and Applications 11 (2021), 1-7: section 3.2.2 and equations 1 to 6. Gu et al., "Incorporating
    Copying Mechanism in Sequence-to-Sequence Learning" (2016), has the equations first.
"""

from __future__ import annotations

import hashlib
import math
import random
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from msgspec.structs import replace
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_, parameters_to_vector, vector_to_parameters
from torch.nn.utils.rnn import pad_sequence

from index_builder.training import saved_training
from index_builder.training.learner import LARGEST_GRADIENT, SLOWEST_PACE, reproducible
from index_builder.training.page_classifier import tensor
from index_builder.training.saved_training import TrainingState, load_training, save_training, whole_step
from index_builder.training.stated_questions import StatedPair, stated_pairs
from quizwriter.domain.players import DISTRACTOR
from quizwriter.engine.bundle import PLAYERS, Bundle, add_player
from quizwriter.engine.entity_library import EntityLibraries
from quizwriter.engine.stored_arrays import Array, require
from quizwriter.errors import QuizwriterError

PADDING, UNKNOWN, SEPARATOR, BEGINNING, END = range(5)
"""Words that are no words. The separator is between the question and the answer."""
_FIRST_WORD = 5

MOST_WORDS, MOST_STORED_WORDS = 5_000, 50_000
"""Words that the network can say without copying them, and how many a file may have."""

BUCKETS = 1_024
"""All other words share so many vectors, by a digest of their letters; so one is told from the next."""

LONGEST_INPUT, LONGEST_STATEMENT = 80, 80
"""Tokens of a question with its answer, and of a statement; what is longer is cut."""

MOST_PAIRS, HELD_BACK = 40_000, 300
"""Pairs that are learnt from, and pairs on other pages that the network is measured on."""

FEWEST_PAIRS = 20
"""With fewer pairs than this there is nothing to learn from."""

WIDTH, HEADS, LAYERS, DROPOUT = 128, 4, 2, 0.1

_TOKEN = re.compile(r"['’]s\b|[^\W_]++(?:[-.,'’][^\W_]++)*+(?<!['’]s)|[^\W_]++|[^\w\s]|_")
_NO_SPACE_BEFORE = frozenset(".,;:!?)]}%”’'s") | {"'s", "’s"}
_NO_SPACE_AFTER = frozenset("([{“‘$£#")


class DistractorPlan(msgspec.Struct, frozen=True):
    """How long the network learns: ``steps`` of ``batch`` pairs each, at most ``seconds``.

    A limit in seconds makes the result depend on how fast the computer is.
    """

    steps: int = 1_000
    batch: int = 32
    rate: float = 1e-3
    warm_up: int = 100
    seconds: float = math.inf
    seed: int = 0
    most_pairs: int = MOST_PAIRS


def tokens_of(text: str) -> list[str]:
    """The words and signs of ``text``; a possessive is a token of its own."""
    return _TOKEN.findall(text)


def text_of(tokens: Sequence[str]) -> str:
    """The text of ``tokens``, with spaces where a sentence has them."""
    found: list[str] = []
    quoted = space = False
    for one in tokens:
        closes = one == '"' and quoted
        if found and space and not closes and one not in _NO_SPACE_BEFORE:
            found.append(" ")
        quoted ^= one == '"'
        space = one not in _NO_SPACE_AFTER and not (one == '"' and quoted)
        found.append(one)
    return "".join(found)


class Vocabulary:
    """The words that the network can say. Others are known by a bucket, and can only be copied."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._numbers = {word: number for number, word in enumerate(words, _FIRST_WORD)}

    @classmethod
    def of(cls, pairs: Sequence[StatedPair]) -> Vocabulary:
        """The commonest words of ``pairs``, of those that at least two pairs have."""
        counted = Counter(word for one in pairs for word in set(tokens_of(one.statement)))
        common = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_WORDS]
        return cls([word for word, times in common if times > 1])

    def __len__(self) -> int:
        return _FIRST_WORD + len(self.words)

    def output(self, word: str) -> int:
        """The number of ``word`` among what can be said; :data:`UNKNOWN` where it can only be copied."""
        return self._numbers.get(word, UNKNOWN)

    def input(self, word: str) -> int:
        """The number of the vector of ``word``."""
        known = self._numbers.get(word)
        return len(self) + zlib.crc32(word.encode("utf-8", "replace")) % BUCKETS if known is None else known

    def word(self, number: int) -> str:
        """The word with this number; empty for those that are no words."""
        return self.words[number - _FIRST_WORD] if number >= _FIRST_WORD else ""


class CopyingTransformer(nn.Module):
    """Encoder and decoder of Vaswani et al., and a decoder's choice between saying and copying a word."""

    positions: Tensor

    def __init__(self, words: int) -> None:
        """``words`` is the number of words that can be said, :data:`END` and its like among them."""
        super().__init__()
        about: dict[str, Any] = {"dropout": DROPOUT, "batch_first": True}
        self.words = words
        self.embedding = nn.Embedding(words + BUCKETS, WIDTH, padding_idx=PADDING)
        self.register_buffer("positions", _waves(max(LONGEST_INPUT, LONGEST_STATEMENT) + 2), persistent=False)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, **about), LAYERS, enable_nested_tensor=False
        )
        self.decoder = nn.TransformerDecoder(
            nn.TransformerDecoderLayer(WIDTH, HEADS, 4 * WIDTH, **about), LAYERS
        )
        self.saying = nn.Linear(WIDTH, words, bias=False)  # W_g of equation 4
        self.copying = nn.Linear(WIDTH, WIDTH, bias=False)  # W_c of equation 5
        for weights in self.parameters():
            if weights.dim() > 1:
                nn.init.xavier_uniform_(weights)

    def forward(self, given: Tensor, said: Tensor) -> Tensor:
        """The logarithms of the chances of the next word after each word ``said``.

        Shapes:
            ``given`` ``[batch, g]`` and ``said`` ``[batch, s]`` are numbers of vectors, padded. The result is
            ``[batch, s, words + g]``: the chance that each word is said, then that each place of ``given`` is
            copied; together they are 1. A word's own chance is the sum of its chances (equation 1).
        """
        nothing = given == PADDING
        hidden = self.encoder(self._embedded(given), src_key_padding_mask=nothing)
        later = torch.ones(said.shape[1], said.shape[1], dtype=torch.bool, device=said.device).triu(1)
        states = self.decoder(self._embedded(said), hidden, tgt_mask=later, memory_key_padding_mask=nothing)
        to_say = self.saying(states)
        to_copy = states @ torch.tanh(self.copying(hidden)).transpose(1, 2)  # sigma of equation 5
        to_copy = to_copy.masked_fill((nothing | (given == SEPARATOR))[:, None, :], -math.inf)
        return torch.log_softmax(torch.cat([to_say, to_copy], -1), -1)  # Z of equation 6

    def _embedded(self, numbers: Tensor) -> Tensor:
        vectors: Tensor = self.embedding(numbers)
        return vectors * math.sqrt(WIDTH) + self.positions[: numbers.shape[1]]


def _waves(length: int) -> Tensor:
    """Sines and cosines of each position, by Vaswani et al., section 3.5: ``[length, WIDTH]``."""
    at = torch.arange(length)[:, None] * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10_000.0) / WIDTH))
    return torch.stack([at.sin(), at.cos()], -1).flatten(1)


class DistractorBatch(msgspec.Struct, frozen=True):
    """Pairs as numbers: what is given, what was said before each word, and the words that come next.

    Shapes:
        ``given`` ``[batch, g]``; ``said`` and ``next_words`` ``[batch, s]``; ``copied`` ``[batch, s, g]``:
        whether the word at a place of ``given`` is the next word.
    """

    given: Tensor
    said: Tensor
    next_words: Tensor
    copied: Tensor

    @classmethod
    def of(cls, pairs: Sequence[StatedPair], vocabulary: Vocabulary) -> DistractorBatch:
        inputs = [input_tokens(one.question, one.answer) for one in pairs]
        statements = [tokens_of(one.statement)[:LONGEST_STATEMENT] for one in pairs]
        given = padded([[_number(word, vocabulary) for word in words] for words in inputs])
        said = padded([[BEGINNING, *map(vocabulary.input, words)] for words in statements])
        following = padded([[*map(vocabulary.output, words), END] for words in statements])
        copied = torch.zeros(len(pairs), said.shape[1], given.shape[1], dtype=torch.bool)
        for row, (words, there) in enumerate(zip(statements, inputs, strict=True)):
            places: dict[str, list[int]] = {}
            for place, word in enumerate(there):
                places.setdefault(word, []).append(place)
            for at, word in enumerate(words):
                copied[row, at, places.get(word, [])] = True
        return cls(given, said, following, copied)

    def loss(self, module: CopyingTransformer) -> Tensor:
        """The mean over all words of the negative logarithm of each one's chance, by equations 1 to 3."""
        chances = module(self.given, self.said)
        by_saying, by_copying = chances.split([module.words, self.given.shape[1]], -1)
        said = by_saying.gather(-1, self.next_words[..., None])
        # equation 2: what is in the input and no word of the vocabulary cannot be said
        only_copied = (self.next_words == UNKNOWN) & self.copied.any(-1)
        said = said.masked_fill(only_copied[..., None], -math.inf)
        whole = torch.logsumexp(torch.cat([said, by_copying.masked_fill(~self.copied, -math.inf)], -1), -1)
        return -whole[self.next_words != PADDING].mean()


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """``rows`` as one tensor, each filled up with :data:`PADDING`."""
    return pad_sequence([torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True)


_BETWEEN = "\0"
"""Stands for the separator among tokens, of which it is none."""


def input_tokens(question: str, answer: str) -> list[str]:
    """What the network is given: the question, the separator and the answer."""
    of_answer = tokens_of(answer)[: LONGEST_INPUT // 2]
    return [*tokens_of(question)[: LONGEST_INPUT - 1 - len(of_answer)], _BETWEEN, *of_answer]


def _number(word: str, vocabulary: Vocabulary) -> int:
    return SEPARATOR if word == _BETWEEN else vocabulary.input(word)


class DistractorWriter:
    """Says questions and answers as statements, always the likeliest next word."""

    AT_ONCE = 64
    """Statements that are written beside each other."""

    def __init__(
        self, module: CopyingTransformer, vocabulary: Vocabulary, about: Mapping[str, Any] = {}
    ) -> None:
        """``about`` is what the manifest says of the training."""
        self._module = module
        self._vocabulary = vocabulary
        self.about = about

    @classmethod
    def load(cls, folder: Path) -> DistractorWriter | None:
        """The writer in the bundle at ``folder``; None where none was trained."""
        bundle = Bundle.open(folder, trusted=True)
        found = bundle.player(DISTRACTOR)
        if found is None:
            return None
        arrays, about = found
        with bundle.refusing(about.folder):
            require({"letters", "parameters"} <= arrays.keys(), "a file is missing")
            words = arrays["letters"].tobytes().decode("utf-8").split("\n")[:-1]
            require(
                len(words) <= MOST_STORED_WORDS and len({*words}) == len(words), "its words make no sense"
            )
            module = CopyingTransformer(_FIRST_WORD + len(words))
            count = sum(weights.numel() for weights in module.parameters())
            require(arrays["parameters"].shape == (count,), "its weights do not fit its words")
            with torch.no_grad():
                vector_to_parameters(tensor(arrays["parameters"].astype(np.float32)), module.parameters())
        return cls(module, Vocabulary(words), bundle.about[PLAYERS][DISTRACTOR])

    def copied(self, text: str, question: str, answer: str) -> tuple[int, int]:
        """How many words of ``text`` stand in the question or the answer, and how many it has."""
        given, words = set(input_tokens(question, answer)), tokens_of(text)
        return sum(word in given for word in words), len(words)

    def write(
        self, asked: Sequence[tuple[str, str]], watch: Callable[[int], object] = lambda done: None
    ) -> list[str]:
        """A statement for each question with its answer; ``watch`` hears how many there are."""
        found: list[str] = []
        self._module.eval()
        with torch.no_grad(), reproducible(torch.device("cpu")):
            for start in range(0, len(asked), self.AT_ONCE):
                watch(start)
                found += map(text_of, self._written(asked[start : start + self.AT_ONCE]))
        return found

    def _written(self, asked: Sequence[tuple[str, str]]) -> list[list[str]]:
        vocabulary = self._vocabulary
        inputs = [input_tokens(question, answer) for question, answer in asked]
        given = padded([[_number(word, vocabulary) for word in words] for words in inputs])
        # each word of the input gets a number, so that its places are added up
        numbers = [
            {word: at for at, word in enumerate(dict.fromkeys(words), len(vocabulary))} for words in inputs
        ]
        place_of = padded(
            [
                [
                    of[word] if vocabulary.output(word) == UNKNOWN else vocabulary.output(word)
                    for word in words
                ]
                for words, of in zip(inputs, numbers, strict=True)
            ]
        )
        names = [{number: word for word, number in of.items()} for of in numbers]
        wide = len(vocabulary) + given.shape[1]
        said = torch.full((len(asked), 1), BEGINNING)
        found: list[list[str]] = [[] for _ in asked]
        going = set(range(len(asked)))
        for _ in range(LONGEST_STATEMENT):
            chances = self._module(given, said)[:, -1].exp()
            whole = torch.zeros(len(asked), wide)
            whole[:, : len(vocabulary)] = chances[:, : len(vocabulary)]
            whole.scatter_add_(1, place_of, chances[:, len(vocabulary) :])
            whole[:, [PADDING, UNKNOWN, SEPARATOR, BEGINNING]] = 0.0
            following = whole.argmax(-1).tolist()
            for row, number in enumerate(following):
                if row in going and number == END:
                    going.discard(row)
                if row in going:
                    found[row].append(names[row].get(number) or vocabulary.word(number))
            if not going:
                break
            added = [vocabulary.input(words[-1]) if words else PADDING for words in found]
            said = torch.cat([said, torch.tensor(added)[:, None]], 1)
        return found


class StatementScores(msgspec.Struct, frozen=True):
    """How well statements are written, as shares of ``number`` pairs that nobody learned from.

    ``exact`` are word for word those of the rule. ``answered`` have the whole answer in them. ``copied`` is
    the share of those words of the rule's statements that only copying can say; None where there are none.
    """

    number: int
    exact: float
    answered: float
    copied: float | None

    @classmethod
    def of(
        cls, pairs: Sequence[StatedPair], written: Sequence[str], vocabulary: Vocabulary
    ) -> StatementScores:
        """The scores of what was ``written`` for ``pairs``, at least one."""
        exact = answered = copied = rare = 0
        for one, text in zip(pairs, written, strict=True):
            tokens, wanted = tokens_of(text), tokens_of(one.statement)
            exact += tokens == wanted
            answered += one.answer in text
            there = Counter(tokens)
            outside = Counter(word for word in wanted if vocabulary.output(word) == UNKNOWN)
            rare += outside.total()
            copied += (outside & there).total()
        return cls(len(pairs), exact / len(pairs), answered / len(pairs), copied / rare if rare else None)


class DistractorLearner:
    """Trains the network on pairs; a training that was stopped goes on where it was saved."""

    def __init__(self, pairs: Sequence[StatedPair], plan: DistractorPlan, device: str = "cpu") -> None:
        self.pairs = pairs
        self.plan = plan
        self.vocabulary = Vocabulary.of(pairs)
        self.device = torch.device(device)
        torch.manual_seed(plan.seed)
        self.module = CopyingTransformer(len(self.vocabulary)).to(self.device)
        self._optimiser = torch.optim.Adam(self.module.parameters(), plan.rate, betas=(0.9, 0.98))
        self.step = 0
        self.spent = 0.0

    def learn(self, watch: Callable[[float], object]) -> None:
        """Take all the steps that are left; ``watch`` hears the share that is done."""
        with reproducible(self.device):
            while self.step < self.plan.steps and self.spent < self.plan.seconds:
                started = time.monotonic()
                with whole_step():
                    self._descend()
                    self.step += 1
                    self.spent += time.monotonic() - started
                watch(max(self.step / self.plan.steps, self.spent / self.plan.seconds))

    def _descend(self) -> None:
        plan, done = self.plan, self.step / self.plan.steps
        drawn = np.random.default_rng([plan.seed, self.step]).integers(0, len(self.pairs), plan.batch)
        batch = DistractorBatch.of([self.pairs[number] for number in drawn.tolist()], self.vocabulary)
        batch = DistractorBatch(
            *(one.to(self.device) for one in (batch.given, batch.said, batch.next_words, batch.copied))
        )
        torch.manual_seed(plan.seed * 1_000_003 + self.step)  # what is dropped
        self.module.train()
        pace = min((self.step + 1) / plan.warm_up, max(SLOWEST_PACE, 1 - done))
        self._optimiser.param_groups[0]["lr"] = plan.rate * pace
        self._optimiser.zero_grad()
        batch.loss(self.module).backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(self.module.parameters(), LARGEST_GRADIENT)
        self._optimiser.step()

    def writer(self) -> DistractorWriter:
        """Writes with what was learnt so far."""
        return DistractorWriter(self.module.to("cpu"), self.vocabulary)

    def arrays(self) -> dict[str, Array]:
        """The weights and the words, as :meth:`DistractorWriter.load` reads them."""
        letters = "".join(f"{word}\n" for word in self.vocabulary.words).encode("utf-8", "replace")
        weights = parameters_to_vector(self.module.parameters()).detach().cpu().numpy()
        return {"letters": np.frombuffer(letters, np.uint8), "parameters": weights.astype(np.float16)}

    @property
    def _learnt_from(self) -> str:
        """A digest of the pairs and the plan: a training does not go on with others."""
        known = hashlib.sha256(repr(replace(self.plan, seconds=0.0)).encode())
        for one in self.pairs:
            known.update(f"{one}\n".encode("utf-8", "replace"))
        return known.hexdigest()[:16]

    def save(self, folder: Path) -> None:
        """Save all that is needed to go on."""
        state = TrainingState(self._learnt_from, self.step, self.spent)
        save_training(folder / f"{DISTRACTOR}.npz", state, self.module, [self._optimiser])

    def resume(self, folder: Path) -> bool:
        """Go on where :meth:`save` was called; False if nothing was saved, or of other pairs."""
        path = folder / f"{DISTRACTOR}.npz"
        found = load_training(path, self._learnt_from, self.module, [self._optimiser])
        if found is not None:
            self.step, self.spent = found[0].step, found[0].spent
        return found is not None


def drawn_pairs(
    bundle: Bundle, libraries: EntityLibraries, plan: DistractorPlan
) -> tuple[list[StatedPair], list[StatedPair]]:
    """The pairs of ``bundle`` to learn from, and some on other pages to measure on."""
    found = list(stated_pairs(bundle, libraries))
    random.Random(plan.seed).shuffle(found)
    pages = list(dict.fromkeys(page for page, _ in found))
    apart = set(pages[: max(1, len(pages) // 20)])
    learnt = [pair for page, pair in found if page not in apart][: plan.most_pairs]
    if len(learnt) < FEWEST_PAIRS:
        raise QuizwriterError(
            "There are too few questions in the bundle for the distractor to learn from.",
            "Build it from more tossups and bonuses with their answers.",
        )
    return learnt, [pair for page, pair in found if page in apart][:HELD_BACK]


def train_distractor(
    folder: Path,
    work: Path,
    plan: DistractorPlan,
    watch: Callable[[float], object],
    *,
    device: str = "cpu",
) -> dict[str, Any]:
    """Train the distractor of the bundle at ``folder`` and put it there; a report of the training.

    ``work`` is the folder where the training is saved until it is done.
    """
    bundle = Bundle.open(folder)
    learnt, held = drawn_pairs(bundle, EntityLibraries.of(bundle), plan)
    learner = DistractorLearner(learnt, plan, device)
    resumed = learner.resume(work)
    saved = time.monotonic()

    def save_at_times(done: float) -> None:
        nonlocal saved
        watch(done)
        if time.monotonic() - saved > saved_training.SAVE_EVERY:
            learner.save(work)
            saved = time.monotonic()

    try:
        learner.learn(save_at_times)
    except BaseException:
        learner.save(work)
        raise
    written = learner.writer().write([(one.question, one.answer) for one in held])
    scores = StatementScores.of(held, written, learner.vocabulary) if held else None
    about = {
        "pairs": len(learnt),
        "words": len(learner.vocabulary.words),
        "steps": learner.step,
        "seconds": round(learner.spent),
        "seed": plan.seed,
        "device": device,
        "held_back": None if scores is None else {
            "pairs": scores.number,
            "exact": round(scores.exact, 4),
            "answered": round(scores.answered, 4),
            "copied": None if scores.copied is None else round(scores.copied, 4),
        },
    }  # fmt: skip
    add_player(folder, DISTRACTOR, learner.arrays(), about)
    return {**about, "resumed": resumed}
