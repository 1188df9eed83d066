"""An independent, slow computation of sentence models: one text at a time, plain NumPy, float64."""

from __future__ import annotations

import math

import numpy as np

erf = np.vectorize(math.erf)
ACTIVATIONS = {
    "gelu": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))),
    "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "relu": lambda x: np.maximum(x, 0),
}
# query, key, value, output, its norm, up, down, last norm
BERT = ["attention.self.query", "attention.self.key", "attention.self.value"]
BERT += ["attention.output.dense", "attention.output.LayerNorm", "intermediate.dense"]
BERT += ["output.dense", "output.LayerNorm"]
MPNET = ["attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o"]
MPNET += ["attention.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"]
DISTIL = ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"]
DISTIL += ["sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm"]
PARTS = {
    "bert": ("encoder.layer", BERT),
    "roberta": ("encoder.layer", BERT),
    "xlm-roberta": ("encoder.layer", BERT),
    "mpnet": ("encoder.layer", MPNET),
    "distilbert": ("transformer.layer", DISTIL),
}


def hidden_state(kind, weights, config, ids):
    """Return the vectors of the tokens of one text after the last layer."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}
    epsilon = config.get("layer_norm_eps", 1e-12)
    heads = config.get("num_attention_heads") or config["n_heads"]
    layers = config.get("num_hidden_layers") or config["n_layers"]
    act = ACTIVATIONS[config.get("hidden_act") or config["activation"]]
    first = 0 if kind in ("bert", "distilbert") else config["pad_token_id"] + 1
    x = np.array([w["embeddings.word_embeddings.weight"][i] for i in ids])
    x = x + w["embeddings.position_embeddings.weight"][first : first + len(ids)]
    if "embeddings.token_type_embeddings.weight" in w:
        x = x + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, w, "embeddings.LayerNorm", epsilon)
    folder, parts = PARTS[kind]
    for number in range(layers):
        q, k, v, out, norm1, up, down, norm2 = (f"{folder}.{number}.{part}" for part in parts)
        mixed = attention(*(linear(x, w, name) for name in (q, k, v)), heads, bias_of(w, len(ids)))
        x = norm(x + linear(mixed, w, out), w, norm1, epsilon)
        x = norm(x + linear(act(linear(x, w, up)), w, down), w, norm2, epsilon)
    return x


def linear(x, w, name):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def norm(x, w, name, epsilon):
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def attention(q, k, v, heads, bias):
    size = q.shape[1] // heads
    parts = []
    for head in range(heads):
        cut = slice(head * size, (head + 1) * size)
        scores = q[:, cut] @ k[:, cut].T / math.sqrt(size) + bias(head)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        parts.append(e / e.sum(axis=1, keepdims=True) @ v[:, cut])
    return np.concatenate(parts, axis=1)


def bias_of(w, n):
    """MPNet's bias of a pair of tokens, from the published rule, pair by pair."""
    table = w.get("encoder.relative_attention_bias.weight")
    if table is None:
        return lambda head: 0.0
    return lambda head: np.array(
        [[table[bucket(j - i, len(table)), head] for j in range(n)] for i in range(n)]
    )


def bucket(distance, n_buckets):
    """The bucket of a distance: half for each direction, exact up to 8, then logarithmic."""
    half = n_buckets // 2
    base = half if distance > 0 else 0
    size, exact = abs(distance), half // 2
    if size < exact:
        return base + size
    steps = math.log(size / exact) / math.log(128 / exact) * (half - exact)
    return base + min(exact + int(steps), half - 1)


def mean_vector(hidden):
    """The mean of the tokens, with length 1."""
    mean = hidden.mean(axis=0)
    return mean / np.linalg.norm(mean)
