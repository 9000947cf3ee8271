"""A small sentence encoder of one's own, learnt from the passages of a bundle.

Two texts about one page are to be near each other, and far from those of the other pages in the batch. The
result is a folder as sentence-transformers saves one, with weights in safetensors.

Source:
    Henderson et al., "Efficient Natural Language Response Suggestion for Smart Reply", arXiv 1705.00652, for
    the loss; Reimers and Gurevych, "Sentence-BERT", EMNLP 2019, for encoders that take the mean of the
    tokens.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from safetensors.numpy import save as save_safetensors
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor, nn
from torch.nn import functional

from index_builder.data.encoder_folder import (
    CONFIG,
    LENGTH,
    MODULES,
    POOLING,
    TOKENIZER,
    WEIGHTS,
    BertConfig,
)
from index_builder.progress import Progress
from index_builder.training import saved_training
from index_builder.training.learner import SLOWEST_PACE, chosen_device, reproducible
from index_builder.training.page_classifier import tensor
from index_builder.training.saved_training import TrainingState, load_training, save_training, whole_step
from index_builder.training.training_set import Numbers
from quizwriter.domain.players import DENSE
from quizwriter.engine.bundle import Bundle
from quizwriter.engine.dense import SHARPNESS
from quizwriter.errors import QuizwriterError
from quizwriter.system.atomic import atomic_write

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The tokens of BERT that are no words."""

WORK_SUFFIX = ".training"
"""Added to the name of an encoder's folder: the folder beside it where its training is saved meanwhile."""

MOST_LETTERS = 1_000
"""Letters and signs that have a piece of their own; the rarer ones are unknown."""

WARM_UP = 0.3
"""The share of the steps during which the rate rises."""

SHORTEST_STRETCH = 6
"""Words of a stretch of a passage at least: what is heard begins with as few."""


class EncoderPlan(msgspec.Struct, frozen=True):
    """How large an encoder is, and how long it learns: ``steps`` of ``batch`` pairs of texts."""

    words: int = 8_000
    width: int = 128
    layers: int = 2
    heads: int = 4
    tokens: int = 128
    steps: int = 600
    batch: int = 64
    rate: float = 1e-3


_USUAL_PLAN = EncoderPlan()


class BertLayer(nn.Module):
    """A layer of :class:`BertModule`; the names of its parts are those in files of weights."""

    attention: Any
    intermediate: Any
    output: Any

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        width, inner, small = config.hidden_size, config.intermediate_size, config.layer_norm_eps
        parts = {part: nn.Linear(width, width) for part in ("query", "key", "value")}
        result = nn.ModuleDict({"dense": nn.Linear(width, width), "LayerNorm": nn.LayerNorm(width, small)})
        self.attention = nn.ModuleDict({"self": nn.ModuleDict(parts), "output": result})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = nn.ModuleDict(
            {"dense": nn.Linear(inner, width), "LayerNorm": nn.LayerNorm(width, small)}
        )
        self.heads = config.num_attention_heads

    def forward(self, states: Tensor, there: Tensor) -> Tensor:
        """The states after the layer: ``[texts, tokens, width]``; ``there`` is False for padding."""
        query, key, value = (
            self.attention["self"][part](states).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        heard = functional.scaled_dot_product_attention(query, key, value, attn_mask=there[:, None, None])
        output = self.attention["output"]
        states = output["LayerNorm"](output["dense"](heard.transpose(1, 2).flatten(2)) + states)
        inner = functional.gelu(self.intermediate["dense"](states))
        found: Tensor = self.output["LayerNorm"](self.output["dense"](inner) + states)
        return found


class BertModule(nn.Module):
    """A BERT without the layers for the tasks that it is pre-trained on.

    Source:
        Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", NAACL 2019.
    """

    embeddings: Any
    encoder: Any

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        width = config.hidden_size
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(config.vocab_size, width),
                "position_embeddings": nn.Embedding(config.max_position_embeddings, width),
                "token_type_embeddings": nn.Embedding(config.type_vocab_size, width),
                "LayerNorm": nn.LayerNorm(width, config.layer_norm_eps),
            }
        )
        self.encoder = nn.ModuleDict(
            {"layer": nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])}
        )
        for one in self.modules():
            if isinstance(one, nn.Linear | nn.Embedding):
                nn.init.normal_(one.weight, std=0.05)

    def forward(self, ids: Tensor, there: Tensor) -> Tensor:
        """The states of the tokens ``ids``: ``[texts, tokens, width]``; ``there`` is False for padding."""
        parts = self.embeddings
        states = parts["word_embeddings"](ids) + parts["token_type_embeddings"].weight[0]
        states = states + parts["position_embeddings"].weight[: ids.shape[1]]
        states = parts["LayerNorm"](states)
        for layer in self.encoder["layer"]:
            states = layer(states, there)
        found: Tensor = states
        return found

    def vectors(self, ids: Tensor, there: Tensor) -> Tensor:
        """The mean of the states of each text, of length one: ``[texts, width]``."""
        counted = there[:, :, None].to(torch.float32)
        mean = (self(ids, there) * counted).sum(dim=1) / counted.sum(dim=1)
        return functional.normalize(mean, dim=1)


def train_encoder(
    bundle_folder: Path,
    out: Path,
    progress: Progress,
    *,
    plan: EncoderPlan = _USUAL_PLAN,
    seed: int = 0,
    device: str = "cpu",
) -> dict[str, Any]:
    """Train a sentence encoder on the passages of a bundle, and save it in the folder ``out``; a report.

    ``device`` is ``cpu``, ``cuda``, ``mps`` or ``auto``, the best there is. A training that was stopped goes
    on where it was, saved beside ``out``.
    """
    place = torch.device(chosen_device(device))
    bundle = Bundle.open(bundle_folder)
    pairs = PairedPassages.of(bundle)
    if not len(pairs.numbers):
        raise QuizwriterError(
            "The bundle has nothing that an encoder could learn from: no page has two passages.",
            "Build it from more tossups with their answers.",
        )
    tokenizer = _trained_tokenizer(pairs.texts, plan)
    config = BertConfig(
        plan.width, plan.layers, plan.heads, 4 * plan.width, tokenizer.get_vocab_size(), plan.tokens
    )
    work = out.parent / f"{out.name}{WORK_SUFFIX}"
    path, learnt_from = work / f"{DENSE}.npz", f"{bundle.digest} {plan} {seed}"
    with reproducible(place):
        torch.manual_seed(seed)
        module = BertModule(config).to(place)
        optimiser = torch.optim.AdamW(module.parameters(), plan.rate)
        found = load_training(path, learnt_from, module, [optimiser])
        step = 0 if found is None else found[0].step
        last, saved = 0.0, time.monotonic()
        try:
            while step < plan.steps:
                progress.training(DENSE, step / plan.steps)
                with whole_step():
                    optimiser.param_groups[0]["lr"] = plan.rate * _pace(step / plan.steps)
                    optimiser.zero_grad()
                    # what is drawn does not depend on a stop
                    loss = _loss(module, tokenizer, pairs, np.random.default_rng([seed, step]), plan.batch)
                    loss.backward()  # type: ignore[no-untyped-call]
                    optimiser.step()
                    step, last = step + 1, float(loss.detach())
                if time.monotonic() - saved > saved_training.SAVE_EVERY:
                    save_training(path, TrainingState(learnt_from, step, 0.0), module, [optimiser])
                    saved = time.monotonic()
        except BaseException:
            save_training(path, TrainingState(learnt_from, step, 0.0), module, [optimiser])
            raise
    weights = {name: one.detach().cpu().numpy() for name, one in module.state_dict().items()}
    _save(out, tokenizer, config, plan, weights)
    shutil.rmtree(work, ignore_errors=True)
    progress.training(DENSE, 1.0)
    return {
        "steps": plan.steps, "pairs_from": len(pairs.numbers), "loss": round(last, 4), "folder": str(out),
        "resumed": found is not None, "device": place.type,
    }  # fmt: skip


class PairedPassages(msgspec.Struct, frozen=True):
    """The passages of a bundle, and which of them have another one on the same page.

    Shapes:
        ``starts``: ``[pages + 1]``, where the passages of each page begin. ``page_of``: ``[passages]``.
        ``numbers``: those that have another one.
    """

    texts: Sequence[str]
    starts: Numbers
    page_of: Numbers
    numbers: Numbers

    @classmethod
    def of(cls, bundle: Bundle) -> PairedPassages:
        texts = bundle.texts("passages/texts")
        starts = np.asarray(bundle.array("passages/page_starts.npy"), np.int64)
        page_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        whole = [texts[number] for number in range(len(texts))]
        return cls(whole, starts, page_of, np.flatnonzero(np.diff(starts)[page_of] > 1))


def _pace(done: float) -> float:
    """What multiplies the rate once the share ``done`` of the steps is taken: it rises, then falls."""
    return min((done + SLOWEST_PACE) / WARM_UP, max(SLOWEST_PACE, (1 - done) / (1 - WARM_UP)), 1.0)


def _loss(
    module: BertModule, tokenizer: Tokenizer, pairs: PairedPassages, random: np.random.Generator, size: int
) -> Tensor:
    """The cross-entropy of telling apart what each of ``size`` stretches, drawn at random, is paired with."""
    batch = min(size, len(pairs.numbers))
    chosen = random.choice(pairs.numbers, batch, replace=False)
    page_of, starts = pairs.page_of, pairs.starts
    first, there = starts[page_of[chosen]], np.diff(starts)[page_of[chosen]]
    other = first + (chosen - first + random.integers(1, there)) % there
    heard = [_stretch(pairs.texts[number], random) for number in chosen.tolist()]
    place = next(module.parameters()).device
    one, two = (
        module.vectors(*(values.to(place) for values in _inputs(tokenizer, texts)))
        for texts in (heard, [pairs.texts[number] for number in other.tolist()])
    )
    same = tensor(page_of[chosen][:, None] == page_of[other]) & ~torch.eye(batch, dtype=torch.bool)
    logits = (SHARPNESS * (one @ two.T)).masked_fill(same.to(place), -torch.inf)  # one page does not compete
    return functional.cross_entropy(logits, torch.arange(batch, device=place))


def _trained_tokenizer(texts: Sequence[str], plan: EncoderPlan) -> Tokenizer:
    """Word pieces of ``texts``, in lower case, between the tokens that BERT puts around a text."""
    tokenizer = Tokenizer(models.WordPiece(vocab=_word_pieces(texts, plan.words), unk_token="[UNK]"))
    tokenizer.add_special_tokens(list(SPECIAL_TOKENS))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    around = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    tokenizer.enable_truncation(plan.tokens)
    tokenizer.enable_padding()
    return tokenizer


def _word_pieces(texts: Sequence[str], most: int) -> dict[str, int]:
    """At most so many pieces of the words of ``texts`` with their numbers, the same in each run.

    The trainer numbers letters within words as it meets them, in an order of its own each time, and breaks
    ties by these numbers. Therefore it is told of them as if they were special.
    """
    learner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learner.normalizer = normalizer = normalizers.BertNormalizer(lowercase=True)
    learner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    counts = Counter[str]()
    for text in texts:
        counts.update(normalizer.normalize_str(text))
    letters = sorted(sorted(counts, key=lambda one: (-counts[one], one))[:MOST_LETTERS])
    within = [f"##{letter}" for letter in letters if not letter.isspace()]
    trainer = trainers.WordPieceTrainer(
        vocab_size=most,
        special_tokens=[*SPECIAL_TOKENS, *within],
        initial_alphabet=letters,
        limit_alphabet=MOST_LETTERS,
        show_progress=False,
    )
    learner.train_from_iterator(texts, trainer)
    found: dict[str, int] = learner.get_vocab()
    return found


def _inputs(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    found = tokenizer.encode_batch(list(texts))
    ids, there = ([getattr(one, name) for one in found] for name in ("ids", "attention_mask"))
    return torch.tensor(ids), torch.tensor(there, dtype=torch.bool)


def _stretch(text: str, random: np.random.Generator) -> str:
    """The beginning of ``text``, or a part of it: what was heard is the one, its last sentence the other."""
    words = text.split()
    if len(words) <= SHORTEST_STRETCH:
        return text
    size = int(random.integers(SHORTEST_STRETCH, len(words) + 1))
    start = 0 if random.random() < 0.5 else int(random.integers(0, len(words) - size + 1))
    return " ".join(words[start : start + size])


def _save(
    out: Path, tokenizer: Tokenizer, config: BertConfig, plan: EncoderPlan, weights: dict[str, Any]
) -> None:
    tokenizer.no_padding()
    modules = ("Transformer", "Pooling", "Normalize")
    folders = ("", "1_Pooling", "2_Normalize")
    files = {
        WEIGHTS: save_safetensors(weights),
        TOKENIZER: tokenizer.to_str().encode(),
        CONFIG: msgspec.json.encode(config),
        POOLING: _json({"word_embedding_dimension": plan.width, "pooling_mode_mean_tokens": True}),
        LENGTH: _json({"max_seq_length": plan.tokens}),
        MODULES: _json(
            [
                {
                    "idx": number,
                    "name": str(number),
                    "path": path,
                    "type": f"sentence_transformers.models.{name}",
                }
                for number, (name, path) in enumerate(zip(modules, folders, strict=True))
            ]
        ),
    }
    for name, raw in files.items():
        with atomic_write(
            out / name,
            problem=f"The encoder could not be saved in {out}",
            remedy="Free some disk space or allow writing there.",
            make_folder=True,
        ) as file:
            file.write(raw)


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()
