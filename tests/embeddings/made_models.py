"""Small models with random weights, saved as the folders that people have."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from slow_networks import PARTS
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordLevel
from tokenizers.processors import TemplateProcessing

WORDS = [f"w{i}" for i in range(60)]
SIZE, INNER, HEADS, LAYERS, POSITIONS = 24, 40, 3, 2, 20
SPECIAL = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}


def save_tokenizer(folder: Path) -> None:
    """A tokenizer whose tokens are words in lower case, between two special tokens."""
    vocabulary = SPECIAL | {word: i + 4 for i, word in enumerate([*WORDS, "a"])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(8)  # models have such settings; they must not matter
    tokenizer.enable_padding(length=8)
    tokenizer.save(str(folder / "tokenizer.json"))


def ids_of(text: str) -> list[int]:
    """The tokens of a text, by the rule above."""
    known = {word: i + 4 for i, word in enumerate([*WORDS, "a"])}
    return [2, *(known.get(word, 1) for word in text.lower().split()), 3]


def save_model(folder: Path, kind: str, *, prefix="", activation="gelu", seed=0, **modules):
    """Save a model; return its weights, without the prefix, and its configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = random_weights(kind, np.random.default_rng(seed))
    names = {"num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "hidden_act": activation}
    if kind == "distilbert":
        names = {"n_heads": HEADS, "n_layers": LAYERS, "activation": activation}
    config = {"model_type": kind, "pad_token_id": 1, "layer_norm_eps": 1e-5, **names}
    if kind == "distilbert":
        del config["layer_norm_eps"]
    save_file(
        {prefix + name: value for name, value in weights.items()}, folder / "model.safetensors"
    )
    (folder / "config.json").write_text(json.dumps(config))
    save_tokenizer(folder)
    save_modules(folder, **modules)
    return weights, config


def save_modules(folder: Path, *, pooling="mean", max_tokens=16, lower=False):
    """Write the files that sentence-transformers adds."""
    steps = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    modules = [{"path": p, "type": f"sentence_transformers.models.{kind}"} for p, kind in steps]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    suffix = "" if pooling == "mean_sqrt_len" else "_token" if pooling == "cls" else "_tokens"
    modes = {f"pooling_mode_{pooling}{suffix}": True, "pooling_mode_other": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    limits = {"max_seq_length": max_tokens, "do_lower_case": lower}
    (folder / "sentence_bert_config.json").write_text(json.dumps(limits))


def random_weights(kind: str, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Weights large enough that every part of the network matters."""

    def draw(*shape, scale=0.3):
        return rng.normal(0, scale, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": draw(len(SPECIAL) + len(WORDS) + 1, SIZE, scale=1),
        "embeddings.position_embeddings.weight": draw(POSITIONS, SIZE, scale=1),
    }
    if kind not in ("distilbert", "mpnet"):
        found["embeddings.token_type_embeddings.weight"] = draw(2, SIZE)
    if kind == "mpnet":
        found["encoder.relative_attention_bias.weight"] = draw(32, HEADS, scale=1)
    folder, parts = PARTS[kind]
    shapes = [(SIZE, SIZE)] * 4 + [(SIZE,), (INNER, SIZE), (SIZE, INNER), (SIZE,)]
    names = [("embeddings.LayerNorm", (SIZE,))]
    for i in range(LAYERS):
        names += [(f"{folder}.{i}.{part}", one) for part, one in zip(parts, shapes, strict=True)]
    for name, shape in names:
        found[f"{name}.weight"] = draw(*shape) + (1 if len(shape) == 1 else 0)
        found[f"{name}.bias"] = draw(shape[0])
    return {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in found.items()}
