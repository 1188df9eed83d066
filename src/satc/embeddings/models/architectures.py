"""The architectures that satc computes itself: BERT and its relatives.

They differ in the names of their weights and in how positions count, and in little else. This
module reads each of them into one description, a `Transformer`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.embeddings.models.model_folder import ModelFolder
from satc.embeddings.models.weights import Array, Weights
from satc.errors import DataError

WORDS = "embeddings.word_embeddings.weight"


class Names(NamedTuple):
    """The names of the weights of a layer, and of the settings in the configuration."""

    layer: str = "encoder.layer"
    query: str = "attention.self.query"
    key: str = "attention.self.key"
    value: str = "attention.self.value"
    attention_out: str = "attention.output.dense"
    attention_norm: str = "attention.output.LayerNorm"
    up: str = "intermediate.dense"
    down: str = "output.dense"
    out_norm: str = "output.LayerNorm"
    n_layers: str = "num_hidden_layers"
    n_heads: str = "num_attention_heads"
    activation: str = "hidden_act"


_BERT = Names()
_MPNET = Names(
    query="attention.attn.q",
    key="attention.attn.k",
    value="attention.attn.v",
    attention_out="attention.attn.o",
    attention_norm="attention.LayerNorm",
)
_DISTILBERT = Names(
    "transformer.layer",
    "attention.q_lin",
    "attention.k_lin",
    "attention.v_lin",
    "attention.out_lin",
    "sa_layer_norm",
    "ffn.lin1",
    "ffn.lin2",
    "output_layer_norm",
    "n_layers",
    "n_heads",
    "activation",
)
NAMES = {
    "bert": _BERT,
    "roberta": _BERT,
    "xlm-roberta": _BERT,
    "camembert": _BERT,
    "mpnet": _MPNET,
    "distilbert": _DISTILBERT,
}
_AFTER_PADDING = ("roberta", "xlm-roberta", "camembert", "mpnet")  # positions start after it


class Linear(NamedTuple):
    """A linear layer, or the scale and shift of a normalisation."""

    weight: Array
    bias: Array


class Layer(NamedTuple):
    """One layer of the network."""

    qkv: Linear  # query, key and value together
    attention_out: Linear
    attention_norm: Linear
    up: Linear
    down: Linear
    out_norm: Linear


@dataclass(frozen=True)
class Transformer:
    """A network: `words` has a row for each token, `positions` one for each position."""

    words: Array
    positions: Array
    norm: Linear
    layers: tuple[Layer, ...]
    n_heads: int
    epsilon: float
    activation: str
    relative: Array | None  # MPNet: a bias for each distance of two tokens


def read_transformer(folder: ModelFolder, weights: Weights) -> Transformer:
    """Read a network of one of the architectures in `NAMES`."""
    config, names = folder.config, NAMES[folder.kind]
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise DataError(f"{folder.path}: position_embedding_type must be 'absolute'")
    weights = weights.with_prefix_of(WORDS)
    relative = "encoder.relative_attention_bias.weight"
    return Transformer(
        words=weights[WORDS],
        positions=_positions(folder, weights),
        norm=_linear(weights, "embeddings.LayerNorm"),
        layers=tuple(_layer(weights, names, i) for i in range(_whole(folder, names.n_layers))),
        n_heads=_whole(folder, names.n_heads),
        epsilon=float(config.get("layer_norm_eps", 1e-12)),
        activation=str(config.get(names.activation, "gelu")),
        relative=weights[relative] if folder.kind == "mpnet" else None,
    )


def distance_bias(relative: Array, n_tokens: int) -> Array:
    """Return MPNet's bias for each head and each pair of tokens: 1 x heads x tokens x tokens."""
    place = np.arange(n_tokens)
    buckets = _bucket(place[None, :] - place[:, None], relative.shape[0])
    return np.ascontiguousarray(relative[buckets].transpose(2, 0, 1))[None]


def _bucket(distance: NDArray[np.int64], n_buckets: int) -> NDArray[np.int64]:
    """Return the bucket of a distance: exact if it is short, then ever wider, up to 128."""
    half = n_buckets // 2
    exact, size = half // 2, np.abs(distance)
    scale = np.log(np.maximum(size, 1) / exact) / np.log(128 / exact)
    wide = np.minimum(exact + (scale * (half - exact)).astype(np.int64), half - 1)
    return np.where(distance > 0, half, 0) + np.where(size < exact, size, wide)


def _positions(folder: ModelFolder, weights: Weights) -> Array:
    """Return the vectors of the positions, with that of the first text where there is one."""
    positions = weights["embeddings.position_embeddings.weight"]
    kinds = "embeddings.token_type_embeddings.weight"
    if kinds in weights:
        positions = positions + weights[kinds][0]
    padding = int(folder.config.get("pad_token_id", 1) or 0)
    return positions[padding + 1 :] if folder.kind in _AFTER_PADDING else positions


def _layer(weights: Weights, names: Names, number: int) -> Layer:
    base = f"{names.layer}.{number}."
    parts = [_linear(weights, base + one) for one in (names.query, names.key, names.value)]
    qkv = Linear(*(np.concatenate(one) for one in zip(*parts, strict=True)))
    others = ("attention_out", "attention_norm", "up", "down", "out_norm")
    return Layer(qkv, *(_linear(weights, base + getattr(names, one)) for one in others))


def _linear(weights: Weights, name: str) -> Linear:
    return Linear(weights[f"{name}.weight"], weights[f"{name}.bias"])


def _whole(folder: ModelFolder, key: str) -> int:
    value: Any = folder.config.get(key)
    if not isinstance(value, int) or value < 1:
        raise DataError(f"{folder.path / 'config.json'}: {key!r} must be at least 1, is {value!r}")
    return value
