"""A sentence encoder of random weights, made in a moment: it encodes, and knows nothing."""

from __future__ import annotations

import json

import numpy as np
from safetensors.numpy import save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "alder",
    "birch",
    "elm",
    "fir",
    "leaf",
    "this",
    "tree",
    "##s",
    ".",
)
CONFIG = {
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 16,
}


def weights(seed=0):
    """The weights of a BERT of one layer, by their names in files."""
    draw, width, inner = np.random.default_rng(seed), CONFIG["hidden_size"], CONFIG["intermediate_size"]
    layer, shapes = "encoder.layer.0", {}
    for name, out, into in (
        ("attention.self.query", width, width),
        ("attention.self.key", width, width),
        ("attention.self.value", width, width),
        ("attention.output.dense", width, width),
        ("intermediate.dense", inner, width),
        ("output.dense", width, inner),
    ):
        shapes |= {f"{layer}.{name}.weight": (out, into), f"{layer}.{name}.bias": (out,)}
    for name in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        shapes |= {f"{name}.LayerNorm.{part}": (width,) for part in ("weight", "bias")}
    for name, rows in (("word", len(WORDS)), ("position", 16), ("token_type", 2)):
        shapes[f"embeddings.{name}_embeddings.weight"] = rows, width
    return {name: draw.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}


def make_encoder(folder, seed=0):
    """The ``folder`` with an encoder as sentence-transformers saves it."""
    tokenizer = Tokenizer(models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(save(weights(seed)))
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
    for name, said in {
        "config.json": CONFIG,
        "1_Pooling/config.json": {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": 12},
        "config_sentence_transformers.json": {"prompts": {"query": "this ", "document": "tree "}},
        "modules.json": [
            {"type": "sentence_transformers.models.Transformer"},
            {"type": "sentence_transformers.models.Pooling"},
        ],
    }.items():
        (folder / name).write_text(json.dumps(said), encoding="utf-8")
    return folder
