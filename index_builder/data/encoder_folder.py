"""Reads the folder of a sentence encoder, as sentence-transformers saves it.

The network is taken from ``onnx/model.onnx``, which most published encoders have, or made from
``model.safetensors`` where it is a BERT. A pickle is never read, and nothing is loaded over a network.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
import numpy as np

from quizwriter.engine.sentence_encoder import (
    LARGEST_MODEL,
    LARGEST_TOKENIZER,
    LONGEST_QUERY_S,
    MOST_TOKENS,
    MOST_WIDTH,
    EncoderAbout,
    Pooling,
    SentenceEncoder,
    check_model,
    encoder_digest,
)
from quizwriter.system.decoding import DecodingError, convert_value, decode_json, translate_decoding_errors
from quizwriter.system.members import read_member

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto, TensorProto

MODELS = ("onnx/model.onnx", "model.onnx")
WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"
POOLING, MODULES = "1_Pooling/config.json", "modules.json"
PROMPTS, LENGTH = "config_sentence_transformers.json", "sentence_bert_config.json"

LARGEST_CONFIG = 1 << 20  # bytes; usual ones have some hundreds
_MODULES = frozenset({"Transformer", "Pooling", "Normalize"})
_PASSAGE_PROMPTS = ("passage", "document")

T = TypeVar("T")

_Size = Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]
_Width = Annotated[int, msgspec.Meta(ge=1, le=MOST_WIDTH)]


class BertConfig(msgspec.Struct, frozen=True):
    """The shape of a BERT, from its ``config.json``.

    Source:
        Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers", NAACL 2019.
    """

    hidden_size: _Width
    num_hidden_layers: Annotated[int, msgspec.Meta(ge=1, le=200)]
    num_attention_heads: Annotated[int, msgspec.Meta(ge=1, le=1_000)]
    intermediate_size: _Size
    vocab_size: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
    max_position_embeddings: _Size = 512
    type_vocab_size: _Size = 2
    layer_norm_eps: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1e-12
    model_type: str = "bert"
    hidden_act: str = "gelu"
    position_embedding_type: str = "absolute"

    def check(self) -> None:
        """Return if a network of this kind can be made."""
        if (self.model_type, self.hidden_act, self.position_embedding_type) != ("bert", "gelu", "absolute"):
            raise DecodingError("the network is not a plain BERT")
        if self.hidden_size % self.num_attention_heads:
            raise DecodingError("the width cannot be shared among the heads")


class _Pooling(msgspec.Struct, frozen=True):
    word_embedding_dimension: _Width
    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = True
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False
    pooling_mode_weightedmean_tokens: bool = False
    pooling_mode_lasttoken: bool = False

    @property
    def pooling(self) -> Pooling:
        """The one mode."""
        chosen = [name for name in self.__struct_fields__ if getattr(self, name) is True]
        known: dict[str, Pooling] = {
            "pooling_mode_cls_token": "cls",
            "pooling_mode_mean_tokens": "mean",
            "pooling_mode_max_tokens": "max",
        }
        if len(chosen) != 1 or chosen[0] not in known:
            raise DecodingError("it does not take the mean, the first token or the maximum of the tokens")
        return known[chosen[0]]


class _Module(msgspec.Struct, frozen=True):
    type: str


class _Prompts(msgspec.Struct, frozen=True):
    prompts: dict[str, str] = {}


class _Length(msgspec.Struct, frozen=True):
    max_seq_length: Annotated[int, msgspec.Meta(ge=4, le=1_000_000)] | None = None


class EncoderFiles(msgspec.Struct, frozen=True):
    """An encoder as a bundle keeps it: the network, the tokenizer, and how they are used."""

    model: bytes
    tokenizer: bytes
    about: EncoderAbout

    def encoder(self, threads: int) -> SentenceEncoder:
        """The encoder, ready to be used."""
        with translate_decoding_errors(f"The encoder {self.about.title} cannot be used", _ANOTHER):
            encoder = SentenceEncoder(self.model, self.tokenizer, self.about, threads)
            encoder.encode(["This text is only to see whether it works."], seconds=LONGEST_QUERY_S)
        return encoder


_ANOTHER = "Name the folder of another encoder, as sentence-transformers saves it."


def read_encoder(folder: Path) -> EncoderFiles:
    """The encoder in ``folder``; only files inside it are read, and no link is followed."""
    with translate_decoding_errors(f"{folder} holds no sentence encoder that can be used", _ANOTHER):
        try:
            return _read_encoder(folder)
        except OSError as trouble:
            raise DecodingError(trouble.strerror or "it cannot be read") from trouble


def _read_encoder(folder: Path) -> EncoderFiles:
    modules = _config(folder, MODULES, list[_Module]) or []
    others = [one.type for one in modules if one.type.rpartition(".")[2] not in _MODULES]
    if others:
        raise DecodingError(f"{others[0][:80]} comes after the network, which is not known here")
    pooling = _config(folder, POOLING, _Pooling)
    tokenizer = _optional(folder, TOKENIZER, LARGEST_TOKENIZER)
    if tokenizer is None:
        raise DecodingError(f"it has no {TOKENIZER}")
    model = next(
        (raw for name in MODELS if (raw := _optional(folder, name, LARGEST_MODEL)) is not None), None
    )
    config = _config(folder, CONFIG, dict[str, Any]) or {}
    if model is None:
        weights = _optional(folder, WEIGHTS, LARGEST_MODEL)
        if weights is None:
            raise DecodingError(f"it has neither {MODELS[0]} nor {WEIGHTS}")
        model = bert_as_onnx(weights, convert_value(config, BertConfig))
    check_model(model)
    width = pooling.word_embedding_dimension if pooling is not None else config.get("hidden_size")
    length = _config(folder, LENGTH, _Length)
    longest = [
        value
        for value in (config.get("max_position_embeddings"), length and length.max_seq_length)
        if isinstance(value, int)
    ]
    prompts = _config(folder, PROMPTS, _Prompts) or _Prompts()
    about = {
        "title": folder.resolve().name[:200],
        "digest": encoder_digest(model, tokenizer),
        "width": width,
        "tokens": min([MOST_TOKENS, *longest]) if longest else 256,
        "pooling": pooling.pooling if pooling is not None else "mean",
        "query": prompts.prompts.get("query", ""),
        "passage": next((prompts.prompts[name] for name in _PASSAGE_PROMPTS if name in prompts.prompts), ""),
    }
    return EncoderFiles(model, tokenizer, convert_value(about, EncoderAbout))


def _optional(folder: Path, name: str, most_bytes: int) -> bytes | None:
    try:
        return read_member(folder, name, most_bytes)
    except FileNotFoundError:
        return None


def _config(folder: Path, name: str, kind: type[T]) -> T | None:
    """The JSON file ``name`` of ``folder`` as a ``kind``; None if there is none."""
    raw = _optional(folder, name, LARGEST_CONFIG)
    try:
        return None if raw is None else decode_json(raw, kind)
    except DecodingError as trouble:
        raise DecodingError(f"{name}: {trouble}") from trouble


def bert_as_onnx(weights: bytes, config: BertConfig) -> bytes:
    """The network of a BERT with ``weights``, a safetensors file, in the ONNX format.

    It takes ``input_ids`` and ``attention_mask`` and gives the state of each token after the last layer.
    """
    from onnx import helper  # here, as few have the extra
    from safetensors import SafetensorError
    from safetensors.numpy import load as load_safetensors

    config.check()
    try:
        arrays = load_safetensors(weights)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError) as trouble:
        raise DecodingError(f"{WEIGHTS} cannot be read") from trouble
    arrays = {name.removeprefix("bert."): values for name, values in arrays.items()}
    graph = _BertGraph(arrays, config)
    network = helper.make_model(graph.build(), opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    found: bytes = network.SerializeToString()
    return found


class _BertGraph:
    """Writes the operators of a BERT one after the other; an operator is called by what it computes."""

    def __init__(self, arrays: dict[str, np.ndarray[Any, Any]], config: BertConfig) -> None:
        self._arrays, self._config = arrays, config
        self._nodes: list[NodeProto] = []
        self._values: list[TensorProto] = []
        self._numbers = count()

    def build(self) -> GraphProto:
        """The whole network."""
        from onnx import TensorProto, helper

        config, width = self._config, self._config.hidden_size
        long, axes = TensorProto.INT64, ["texts", "tokens"]
        inputs = [helper.make_tensor_value_info(name, long, axes) for name in ("input_ids", "attention_mask")]
        words = self._weights("embeddings.word_embeddings.weight", config.vocab_size, width)
        places = self._weights("embeddings.position_embeddings.weight", config.max_position_embeddings, width)
        kinds = self._weights("embeddings.token_type_embeddings.weight", config.type_vocab_size, width)
        length = self._add("Gather", self._add("Shape", "input_ids"), self._value(np.asarray(1)))
        numbers = self._add("Range", self._value(np.asarray(0)), length, self._value(np.asarray(1)))
        states = self._add(
            "Add", self._add("Gather", words, "input_ids"), self._add("Gather", places, numbers)
        )
        states = self._add("Add", states, self._add("Gather", kinds, self._value(np.asarray(0))))
        states = self._normalised(states, "embeddings.LayerNorm")
        absent = self._add("Cast", "attention_mask", to=TensorProto.FLOAT)
        absent = self._add("Sub", self._value(np.float32(1)), absent)
        absent = self._add("Mul", absent, self._value(np.float32(-1e4)))
        absent = self._add("Unsqueeze", absent, self._value(np.asarray([1, 2])))  # for each head and token
        for layer in range(config.num_hidden_layers):
            states = self._layer(states, absent, f"encoder.layer.{layer}")
        self._nodes.append(helper.make_node("Identity", [states], ["last_hidden_state"]))
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, width])
        return helper.make_graph(self._nodes, "bert", inputs, [output], self._values)

    def _layer(self, states: str, absent: str, name: str) -> str:
        """A layer: attention, and then two linear layers; each is added to what goes in."""
        width, heads = self._config.hidden_size, self._config.num_attention_heads
        apart = self._value(np.asarray([0, 0, heads, width // heads]))
        query, key, value = (
            self._add(
                "Transpose",
                self._add("Reshape", self._linear(states, f"{name}.attention.self.{part}", width), apart),
                perm=turn,
            )
            for part, turn in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
        )
        scores = self._add("MatMul", query, key)
        scores = self._add("Mul", scores, self._value(np.float32((width // heads) ** -0.5)))
        shares = self._add("Softmax", self._add("Add", scores, absent), axis=-1)
        heard = self._add("Transpose", self._add("MatMul", shares, value), perm=[0, 2, 1, 3])
        heard = self._add("Reshape", heard, self._value(np.asarray([0, 0, width])))
        heard = self._linear(heard, f"{name}.attention.output.dense", width)
        states = self._normalised(self._add("Add", heard, states), f"{name}.attention.output.LayerNorm")
        inner = self._linear(states, f"{name}.intermediate.dense", self._config.intermediate_size)
        error = self._add("Erf", self._add("Mul", inner, self._value(np.float32(0.5**0.5))))
        inner = self._add("Mul", inner, self._add("Add", error, self._value(np.float32(1))))
        inner = self._add("Mul", inner, self._value(np.float32(0.5)))
        inner = self._linear(inner, f"{name}.output.dense", width, self._config.intermediate_size)
        return self._normalised(self._add("Add", inner, states), f"{name}.output.LayerNorm")

    def _linear(self, states: str, name: str, out: int, into: int | None = None) -> str:
        weights = self._weights(f"{name}.weight", out, into or self._config.hidden_size, turned=True)
        return self._add("Add", self._add("MatMul", states, weights), self._weights(f"{name}.bias", out))

    def _normalised(self, states: str, name: str) -> str:
        width = self._config.hidden_size
        gain, bias = self._weights(f"{name}.weight", width), self._weights(f"{name}.bias", width)
        return self._add("LayerNormalization", states, gain, bias, epsilon=self._config.layer_norm_eps)

    def _weights(self, name: str, *shape: int, turned: bool = False) -> str:
        values = self._arrays.get(name)
        if values is None or values.shape != shape or values.dtype not in (np.float32, np.float16):
            raise DecodingError(f"{WEIGHTS} has no {name} of {' by '.join(map(str, shape))} numbers")
        return self._value(np.ascontiguousarray(values.T if turned else values, np.float32))

    def _value(self, values: np.ndarray[Any, Any] | np.float32) -> str:
        from onnx import numpy_helper

        name = f"value{next(self._numbers)}"
        self._values.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def _add(self, operator: str, *inputs: str, **settings: Any) -> str:  # noqa: ANN401 - as ONNX has them
        from onnx import helper

        name = f"{operator}{next(self._numbers)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], name=name, **settings))
        return name
