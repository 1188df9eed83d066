"""Networks: from tokens to vectors of texts.

A network is called with a batch of tokens and returns a vector for each text of the batch. Several
threads may call it at once; each call uses one processor.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.embeddings.models.architectures import NAMES, Transformer, distance_bias, read_transformer
from satc.embeddings.models.graph import network_graph
from satc.embeddings.models.model_folder import STATIC, ModelFolder
from satc.embeddings.models.pooling import Dense, check_pooling, pooled
from satc.embeddings.models.weights import Array, has_weights, open_weights
from satc.errors import DataError

Ids = NDArray[np.int64]
Mask = NDArray[np.int32]
ONNX = (Path("onnx") / "model.onnx", Path("model.onnx"))
_FAILURES = (RuntimeError, ValueError, NotImplementedError)


class Network(Protocol):
    """What computes the vectors; `max_tokens` is the longest input, `n_words` the vocabulary."""

    max_tokens: int | None
    n_words: int | None
    special_tokens: bool

    def __call__(self, ids: Ids, mask: Mask) -> Array:
        """Return texts x dimensions."""


class ComputedNetwork:
    """BERT or a relative, computed by the graph that satc builds."""

    special_tokens = True

    def __init__(self, network: Transformer, pooling: tuple[str, ...], integers: bool) -> None:
        self.words, self.positions = network.words, network.positions
        self.relative, self.pooling = network.relative, pooling
        self.n_words: int | None = len(self.words)
        self.max_tokens: int | None = len(self.positions)
        self._session = _session(network_graph(network, integers=integers))

    def __call__(self, ids: Ids, mask: Mask) -> Array:
        """Return texts x dimensions."""
        inputs = {"tokens": self.words[ids] + self.positions[: ids.shape[1]], "mask": mask}
        if self.relative is not None:
            inputs["distances"] = distance_bias(self.relative, ids.shape[1])
        return pooled(self._session.run(None, inputs)[0], mask, self.pooling)


class OnnxNetwork:
    """A network that somebody has exported to ONNX, with the names that exporters use."""

    n_words: int | None = None
    special_tokens = True

    def __init__(self, path: Path, pooling: tuple[str, ...], max_tokens: int | None) -> None:
        self.max_tokens, self.pooling = max_tokens, pooling
        try:
            self._session = _session(str(path))
        except _FAILURES as error:
            raise DataError(f"{path} must be a network in ONNX: {error}") from error
        self._inputs = {one.name for one in self._session.get_inputs()}
        if extra := self._inputs - {"input_ids", "attention_mask", "token_type_ids"}:
            raise DataError(f"{path} needs the input {min(extra)!r}, which satc does not have")

    def __call__(self, ids: Ids, mask: Mask) -> Array:
        """Return texts x dimensions."""
        given = {
            "input_ids": ids,
            "attention_mask": mask.astype(np.int64),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        found = hidden.astype(np.float32, copy=False)
        return pooled(found, mask, self.pooling) if found.ndim == 3 else found


class StaticNetwork:
    """A static model: every token has a vector, and a text has the mean of its tokens' vectors."""

    max_tokens: int | None = None
    special_tokens = False

    def __init__(self, folder: ModelFolder) -> None:
        with open_weights(folder.path) as weights:
            known = ("embedding.weight", "embeddings", "embeddings.weight")
            name = next((one for one in known if one in weights), known[0])
            table = weights[name]
            if "mapping" in weights:  # model2vec: several tokens may share a vector
                table = table[weights["mapping"].astype(np.int64)]
            if "weights" in weights:
                table = table * weights["weights"].reshape(-1, 1)
        self.table = np.ascontiguousarray(table, dtype=np.float32)
        self.n_words: int | None = len(self.table)

    def __call__(self, ids: Ids, mask: Mask) -> Array:
        """Return texts x dimensions."""
        return pooled(self.table[ids], mask, ("mean",))


class WithDense:
    """A network with dense layers after its pooling."""

    def __init__(self, network: Network, layers: tuple[Dense, ...]) -> None:
        self.network, self.layers = network, layers
        self.max_tokens, self.n_words = network.max_tokens, network.n_words
        self.special_tokens = network.special_tokens

    def __call__(self, ids: Ids, mask: Mask) -> Array:
        """Return texts x dimensions."""
        vectors = self.network(ids, mask)
        for layer in self.layers:
            vectors = layer(vectors)
        return vectors


def open_network(folder: ModelFolder, *, integers: bool = True) -> Network:
    """Open the network of a folder; with `integers` False it multiplies floating-point numbers."""
    check_pooling(folder.pooling, folder.path)
    network = _plain_network(folder, integers)
    layers = tuple(map(Dense, folder.dense))
    return WithDense(network, layers) if layers else network


def _plain_network(folder: ModelFolder, integers: bool) -> Network:
    if folder.kind == STATIC:
        return StaticNetwork(folder)
    if folder.kind in NAMES and has_weights(folder.path):
        with open_weights(folder.path) as weights:
            network = read_transformer(folder, weights)
        return ComputedNetwork(network, folder.pooling, integers)
    for name in ONNX:
        if (folder.path / name).is_file():
            limit = folder.max_tokens or folder.config.get("max_position_embeddings")
            return OnnxNetwork(folder.path / name, folder.pooling, limit)
    raise DataError(_refusal(folder))


def _refusal(folder: ModelFolder) -> str:
    remedy = "or make the vectors elsewhere and give the file of vectors"
    if folder.kind in NAMES:
        return f"{folder.path} must have model.safetensors or onnx/model.onnx; save it so, {remedy}"
    return (
        f"{folder.name}: satc computes {', '.join(NAMES)} and static models, but this one is "
        f"{folder.kind or 'of no known kind'!r}; export it to onnx/model.onnx in its folder, "
        f"{remedy}"
    )


def _session(model: bytes | str) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # `Encoder` has the threads
    options.log_severity_level = 3  # errors only
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
