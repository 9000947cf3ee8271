"""A sentence encoder: a network in the ONNX format and its tokenizer, which turn a text into a vector.

Both files may be a stranger's. They are data, never a pickle, and are checked before a library that is not
written in Python reads them: the network must be made of plain operators, without loops, without functions
of its own and without files beside it. Nothing is ever loaded over a network.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from quizwriter.system.decoding import DecodingError, check_json_shape

if TYPE_CHECKING:
    from onnx import GraphProto
    from onnxruntime import RunOptions

Floats = npt.NDArray[np.float32]

LARGEST_MODEL, LARGEST_TOKENIZER = 1 << 30, 1 << 26
"""Bytes of the network and of the tokenizer; those of small encoders have 90 and half a million."""

MOST_NODES = 50_000
"""Operators in a network; one of six layers has some hundreds."""

MOST_WIDTH, MOST_TOKENS = 8_192, 8_192
"""Numbers in a vector, and tokens of a text, at most."""

MOST_MEMORY = 2 << 30
"""Bytes that all encoders of a process together may compute with; the large ones need some hundred millions.

A network of a few bytes can ask for any size. What it does not get, it breaks for want of."""

LONGEST_QUERY_S = 30.0
"""Seconds for the vector of what was heard: a slower network is of no use while somebody writes."""

BATCH_TOKENS = 4_096
"""So many tokens are encoded at once, padding included: more need more memory and are no quicker."""

Pooling = Literal["mean", "cls", "max"]
"""How the vectors of the tokens become one: their mean, the first token's, or the largest of each number."""

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_DOMAINS = frozenset({"", "ai.onnx"})
_FUSED = frozenset(
    {
        "Attention", "BiasGelu", "BiasSplitGelu", "DequantizeLinear", "DynamicQuantizeMatMul",
        "EmbedLayerNormalization", "FastGelu", "FusedGemm", "FusedMatMul", "Gelu", "GroupQueryAttention",
        "MatMulIntegerToFloat", "MatMulNBits", "MultiHeadAttention", "PackedAttention", "QAttention",
        "QEmbedLayerNormalization", "QuantizeLinear", "QuickGelu", "RotaryEmbedding",
        "SimplifiedLayerNormalization", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
        "TransposeMatMul",
    }
)  # fmt: skip
"""The operators of ONNX runtime's own domain that it makes of several of an encoder; it has others, too."""

_UNBOUNDED = frozenset(
    {
        "AveragePool", "Conv", "ConvInteger", "ConvTranspose", "DeformConv", "GRU", "LRN", "LSTM",
        "Loop", "LpPool", "MaxPool", "MaxRoiPool", "NonMaxSuppression", "QLinearConv", "RNN", "RoiAlign",
        "STFT", "Scan", "SequenceMap",
    }
)  # fmt: skip
"""Operators that could compute for hours: they repeat others, or compare much more than they hold."""

_HARMLESS_PATTERNS = frozenset({" {2,}", r"\s+"})


class EncoderAbout(msgspec.Struct, frozen=True):
    """How an encoder is used: the manifest of a bundle keeps it.

    ``digest`` names the network and the tokenizer. A vector has ``width`` numbers, and of a text the first
    ``tokens`` are read. ``query`` and ``passage`` are put before the texts of each kind.
    """

    title: Annotated[str, msgspec.Meta(max_length=200)]
    digest: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    width: Annotated[int, msgspec.Meta(ge=1, le=MOST_WIDTH)]
    tokens: Annotated[int, msgspec.Meta(ge=4, le=MOST_TOKENS)] = 256
    pooling: Pooling = "mean"
    query: Annotated[str, msgspec.Meta(max_length=1_000)] = ""
    passage: Annotated[str, msgspec.Meta(max_length=1_000)] = ""


def encoder_digest(model: bytes, tokenizer: bytes) -> str:
    """The digest of an encoder: of the network's digest and the tokenizer's."""
    return hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in (model, tokenizer))).hexdigest()


class SentenceEncoder:
    """Turns texts into vectors of length one. Any thread may use it."""

    def __init__(self, model: bytes, tokenizer: bytes, about: EncoderAbout, threads: int = 1) -> None:
        """The network ``model``, an ONNX file, behind the ``tokenizer``, a ``tokenizer.json``."""
        os.environ["HF_HUB_OFFLINE"] = "1"  # the library of the tokenizer could load others from a server
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        check_model(model)
        self.about = about
        self._tokenizer = _tokenizer(tokenizer, about.tokens)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 4  # its errors are raised, too
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.use_env_allocators", "1")
        with _refusing("the network cannot be used"):
            _limit_memory()
            self._session = onnxruntime.InferenceSession(
                model,
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=["ConstantFolding"],  # would compute here, and for as long as it likes
            )
            inputs = {one.name: one.type for one in self._session.get_inputs()}
            self._outputs = [one.name for one in self._session.get_outputs()]
        if not {"input_ids"} <= inputs.keys() <= set(_INPUTS) or {*inputs.values()} != {"tensor(int64)"}:
            raise DecodingError(f"the network does not take {', '.join(_INPUTS[:2])}")
        self._inputs = tuple(inputs)

    def encode_queries(self, texts: Sequence[str]) -> Floats:
        """The vectors of what was heard, within :data:`LONGEST_QUERY_S`; see :meth:`encode`."""
        return self.encode([self.about.query + text for text in texts], seconds=LONGEST_QUERY_S)

    def encode_passages(self, texts: Sequence[str]) -> Floats:
        """The vectors of texts that are searched; see :meth:`encode`."""
        return self.encode([self.about.passage + text for text in texts])

    def encode(self, texts: Sequence[str], *, seconds: float | None = None) -> Floats:
        """The vectors of ``texts``, each of length one: texts of about one length are encoded together.

        ``seconds`` is how long the network may take for those that are encoded together.

        Shapes:
            ``[texts, width]``.
        """
        with _refusing("the tokenizer cannot read a text"):
            tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        found = np.zeros((len(texts), self.about.width), np.float32)
        order = sorted(range(len(texts)), key=lambda number: len(tokens[number]))
        while order:
            widest = max(1, len(tokens[order[-1]]))
            size = max(1, BATCH_TOKENS // widest)
            some, order = order[-size:], order[:-size]
            found[some] = self._vectors([tokens[number] for number in some], widest, seconds)
        return found

    def _vectors(self, tokens: Sequence[Sequence[int]], widest: int, seconds: float | None) -> Floats:
        ids, mask = np.zeros((2, len(tokens), widest), np.int64)
        for row, one in enumerate(tokens):
            ids[row, : len(one)], mask[row, : len(one)] = one, 1
        given = dict(zip(_INPUTS, (ids, mask, np.zeros_like(ids)), strict=True))
        with _limited(seconds) as options, _refusing("the network breaks, or is too large or too slow"):
            wanted = {name: given[name] for name in self._inputs}
            states = self._session.run(self._outputs[:1], wanted, options)[0]
        width = self.about.width
        if not isinstance(states, np.ndarray) or states.shape not in (
            (*ids.shape, width),
            (len(tokens), width),
        ):
            raise DecodingError(f"the network does not give vectors of {width} numbers")
        vectors = states.astype(np.float32)
        if vectors.ndim == 3:
            vectors = _pooled(vectors, mask, self.about.pooling)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise DecodingError("the network gives vectors that are no numbers")
        result: Floats = (vectors / np.maximum(lengths, np.float32(1e-12))).astype(np.float32)
        return result


@cache
def _limit_memory() -> None:
    """Give all networks of this process one store of memory, which has :data:`MOST_MEMORY` at most."""
    import onnxruntime as ort

    store = ort.OrtMemoryInfo("Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT)
    ort.create_and_register_allocator(store, ort.OrtArenaCfg({"max_mem": MOST_MEMORY}))


@contextmanager
def _limited(seconds: float | None) -> Iterator[RunOptions]:
    """The options of a run that ends after ``seconds``, at the operator that it has come to."""
    import onnxruntime

    options = onnxruntime.RunOptions()
    if seconds is None:
        yield options
        return
    watch = Timer(seconds, setattr, (options, "terminate", True))
    watch.daemon = True
    watch.start()
    try:
        yield options
    finally:
        watch.cancel()
        watch.join()


def _pooled(states: Floats, mask: npt.NDArray[np.int64], pooling: Pooling) -> Floats:
    """One vector for each text from the states of its tokens: ``[texts, tokens, width]``."""
    if pooling == "cls":
        return states[:, 0]
    there = mask[:, :, None].astype(np.float32)
    if pooling == "max":
        highest: Floats = np.where(there > 0, states, np.float32(-1e9)).max(axis=1)
        return highest
    mean: Floats = (states * there).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return mean


def check_model(model: bytes) -> None:
    """Return if ``model`` is an ONNX network that may be run.

    Raises:
        DecodingError: it is none, or too large, or has a loop, a function, an operator that is not a plain
            one, or values in another file.
    """
    import onnx

    if len(model) > LARGEST_MODEL:
        raise DecodingError(f"the network has more than {LARGEST_MODEL >> 20:,} MB")
    with _refusing("it is not a network in the ONNX format"):
        network = onnx.load_model_from_string(model)
    if network.functions:
        raise DecodingError("the network has functions of its own")
    if not network.graph.node or not network.graph.output:
        raise DecodingError("it is not a network in the ONNX format")
    nodes = 0
    for graph in _graphs(network.graph):
        nodes += len(graph.node)
        if nodes > MOST_NODES:
            raise DecodingError(f"the network has more than {MOST_NODES:,} operators")
        for node in graph.node:
            fused = node.domain == "com.microsoft" and node.op_type in _FUSED
            if node.op_type in _UNBOUNDED or not (fused or node.domain in _DOMAINS):
                raise DecodingError(f"the network has the operator {node.op_type[:40]!r}, which is not run")
        values = [*graph.initializer, *(a.t for node in graph.node for a in node.attribute)]
        if graph.sparse_initializer or any(one.external_data or one.data_location for one in values):
            raise DecodingError("the network has values in another file")
        if any(a.tensors or a.sparse_tensors for node in graph.node for a in node.attribute):
            raise DecodingError("the network has an operator with lists of values")


def _graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """``graph`` and all graphs inside its operators; protobuf limits how deep they are."""
    waiting = [graph]
    while waiting:
        one = waiting.pop()
        yield one
        for node in one.node:
            for attribute in node.attribute:
                waiting += [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]


def _tokenizer(raw: bytes, tokens: int) -> Any:  # noqa: ANN401 - its library has no types
    """The tokenizer in ``raw``, which cuts texts after so many ``tokens``; see :func:`_check_patterns`."""
    from tokenizers import Tokenizer

    if len(raw) > LARGEST_TOKENIZER:
        raise DecodingError(f"the tokenizer has more than {LARGEST_TOKENIZER >> 20:,} MB")
    check_json_shape(raw)
    with _refusing("it is not a tokenizer"):
        _check_patterns(msgspec.json.decode(raw))
        found = Tokenizer.from_buffer(raw)
        found.no_padding()
        found.enable_truncation(tokens)
    return found


def _check_patterns(value: object) -> None:
    """Refuse regular expressions but the few that take linear time: they are run by another library."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            pattern = one.get("Regex")
            if pattern is not None and pattern not in _HARMLESS_PATTERNS:
                raise DecodingError("the tokenizer has a regular expression, which is not run")
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


@contextmanager
def _refusing(reason: str) -> Iterator[None]:
    """A block in which a library reads a stranger's data; whatever it raises becomes ``reason``.

    Libraries written in Rust raise what is no Exception.
    """
    try:
        yield
    except (DecodingError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as trouble:
        raise DecodingError(reason) from trouble
