"""What the networks share in torch: word vectors, a layer of rectified units, and a softmax over pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import msgspec
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from index_builder.training.training_set import Arrays
from quizwriter.engine.networks import vectors_of

HIDDEN_DROPOUT = 0.2
"""The share of hidden units that are left out at random, others in each step."""

VECTOR_SPREAD = 0.1
"""The standard deviation of the numbers in the vectors before they are learnt."""

QUANTIZED_AT_ONCE = 50_000
"""So many vectors are made bytes at once: all together would need three times their memory."""


class NetworkSize(msgspec.Struct, frozen=True):
    """How large a network is.

    ``width`` counts the numbers in a word's vector, ``hidden`` the units between the words and the classes,
    and ``units`` those of the RNN in each direction.
    """

    width: int = 200
    hidden: int = 256
    units: int = 256


class NetworkInputs(Protocol):
    """What a network reads of the texts of a batch."""

    def to(self, device: torch.device) -> Self:
        """The same on ``device``."""


Inputs = TypeVar("Inputs", bound=NetworkInputs)


class Bags(NamedTuple):
    """Bags of terms, whose weighted vectors are added up.

    Shapes:
        ``terms`` and ``weights``: ``[terms]``, rows of vectors bag by bag, and what each counts. ``starts``:
        ``[bags]``, where each bag begins.
    """

    terms: Tensor
    starts: Tensor
    weights: Tensor

    def to(self, device: torch.device) -> Bags:
        """See :class:`NetworkInputs`."""
        return Bags(*(one.to(device) for one in self))


class PageClassifier(nn.Module, ABC, Generic[Inputs]):
    """Features of the words heard, a layer of rectified units, and a softmax over the pages.

    Vectors and classes have sparse gradients, because a batch touches few of them.
    """

    def __init__(self, terms: int, classes: int, features: int, size: NetworkSize, *, sparse: bool) -> None:
        """``terms`` and ``classes`` count rows; ``features`` the numbers that :meth:`features` gives."""
        super().__init__()
        self.vectors = nn.EmbeddingBag(terms, size.width, mode="sum", sparse=sparse)
        self.hidden = nn.Linear(features, size.hidden)
        self.outputs = nn.Embedding(classes, size.hidden, sparse=sparse)
        self.biases = nn.Embedding(classes, 1, sparse=sparse)
        self.dropout = nn.Dropout(HIDDEN_DROPOUT)
        for table, spread in ((self.vectors, VECTOR_SPREAD), (self.outputs, 0.02), (self.biases, 0.0)):
            nn.init.normal_(table.weight, std=spread)
        nn.init.normal_(self.hidden.weight, std=features**-0.5)
        nn.init.zeros_(self.hidden.bias)

    @abstractmethod
    def features(self, inputs: Inputs) -> Tensor:
        """What the hidden layer is told of each text: ``[texts, features]``."""

    def forward(self, inputs: Inputs, classes: Tensor) -> Tensor:
        """The logits of these ``classes`` for each text: ``[texts, classes]``."""
        hidden = self.dropout(torch.relu(self.hidden(self.features(inputs))))
        return functional.linear(hidden, self.outputs(classes), self.biases(classes)[:, 0])

    @property
    def tables(self) -> list[Tensor]:
        """The weights of which a step touches few rows."""
        return [self.vectors.weight, self.outputs.weight, self.biases.weight]

    @property
    def dense(self) -> list[Tensor]:
        """All other weights."""
        tables = {id(table) for table in self.tables}
        return [weights for weights in self.parameters() if id(weights) not in tables]

    @torch.no_grad()
    def arrays(self) -> Arrays:
        """The weights as the players load them; vectors in bytes, half as many as float16 takes."""
        weights = self.vectors.weight
        scales = weights.new_empty(len(weights))
        vectors = weights.new_empty(weights.shape, dtype=torch.int8)
        for start in range(0, len(weights), QUANTIZED_AT_ONCE):
            rows = slice(start, start + QUANTIZED_AT_ONCE)
            scales[rows] = weights[rows].abs().amax(dim=1).clamp(min=1e-12) / 127
            vectors[rows] = (weights[rows] / scales[rows, None]).round().to(torch.int8)
        return {
            "vectors": _numpy(vectors),
            "scales": _numpy(scales),
            "outputs": _numpy(self.outputs.weight).astype(np.float16),
            "biases": _numpy(self.biases.weight)[:, 0].copy(),
            "hidden": _numpy(self.hidden.weight).T.copy(),
            "hidden_bias": _numpy(self.hidden.bias).copy(),
        }

    @torch.no_grad()
    def load_tables(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Take over the vectors and the classes of a player's ``arrays``."""
        vectors = vectors_of(arrays, np.arange(len(arrays["scales"])))
        for table, values in zip(
            self.tables, (vectors, arrays["outputs"], arrays["biases"][:, None]), strict=True
        ):
            table.copy_(tensor(np.asarray(values, np.float32)))

    @torch.no_grad()
    def load(self, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Take over all weights of a player's ``arrays``, which have the shapes of this network."""
        self.load_tables(arrays)
        self.hidden.weight.copy_(tensor(arrays["hidden"].T.astype(np.float32)))
        self.hidden.bias.copy_(tensor(arrays["hidden_bias"].astype(np.float32)))


def tensor(values: np.ndarray[Any, Any]) -> Tensor:
    """``values`` as a tensor, which shares their memory where that can be written."""
    return torch.from_numpy(np.require(values, requirements=["C", "W"]))


def _numpy(weights: Tensor) -> np.ndarray[Any, Any]:
    return np.asarray(weights.detach().cpu().numpy())
