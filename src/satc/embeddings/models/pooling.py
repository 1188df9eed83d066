"""From the vectors of tokens to one vector: pooling, and the dense layers that may follow it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from satc.embeddings.models.weights import open_weights
from satc.errors import DataError

Array = NDArray[np.float32]


def pooled(hidden: Array, mask: NDArray[np.int32], modes: Sequence[str]) -> Array:
    """Return a vector for each text: texts x dimensions, the modes one after the other.

    >>> hidden = np.array([[[1.0, 5.0], [3.0, 1.0], [9.0, 9.0]]], dtype=np.float32)
    >>> mask = np.array([[1, 1, 0]], dtype=np.int32)
    >>> pooled(hidden, mask, ["mean"])
    array([[2., 3.]], dtype=float32)
    """
    return np.concatenate([_MODES[mode](hidden, mask) for mode in modes], axis=1)


def check_pooling(modes: Sequence[str], path: Path) -> None:
    """Refuse modes that satc does not compute."""
    for mode in modes:
        if mode not in _MODES:
            raise DataError(
                f"{path}: the pooling must be {', '.join(_MODES)}, but is {mode!r}; make the "
                "vectors elsewhere and give the file of vectors instead"
            )


def _mean(hidden: Array, mask: NDArray[np.int32]) -> Array:
    return _sum(hidden, mask) / _count(mask)


def _mean_sqrt(hidden: Array, mask: NDArray[np.int32]) -> Array:
    return (_sum(hidden, mask) / np.sqrt(_count(mask))).astype(np.float32)


def _first(hidden: Array, mask: NDArray[np.int32]) -> Array:
    return hidden[:, 0]


def _last(hidden: Array, mask: NDArray[np.int32]) -> Array:
    return hidden[np.arange(len(mask)), mask.sum(axis=1) - 1]


def _max(hidden: Array, mask: NDArray[np.int32]) -> Array:
    return np.where(mask[:, :, None] > 0, hidden, np.float32(-np.inf)).max(axis=1)


def _sum(hidden: Array, mask: NDArray[np.int32]) -> Array:
    return np.einsum("ijk,ij->ik", hidden, mask.astype(np.float32))


def _count(mask: NDArray[np.int32]) -> Array:
    return mask.sum(axis=1, keepdims=True).astype(np.float32)


_MODES: dict[str, Callable[[Array, NDArray[np.int32]], Array]] = {
    "cls": _first,
    "max": _max,
    "mean": _mean,
    "mean_sqrt_len": _mean_sqrt,
    "lasttoken": _last,
}
_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "Identity": lambda x: x,
    "Tanh": np.tanh,
    "ReLU": lambda x: np.maximum(x, np.float32(0)),
}


class Dense:
    """A dense layer after the pooling, as a folder with its configuration and weights."""

    def __init__(self, folder: Path) -> None:
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise DataError(f"{folder} must be the folder of a dense layer: {error}") from error
        name = str(config.get("activation_function", "Identity")).rpartition(".")[2]
        if name not in _ACTIVATIONS:
            raise DataError(f"{folder}: the activation must be one of {', '.join(_ACTIVATIONS)}")
        self.activation = _ACTIVATIONS[name]
        with open_weights(folder) as weights:
            self.weight = weights["linear.weight"]
            self.bias = weights["linear.bias"] if "linear.bias" in weights else np.float32(0)

    def __call__(self, vectors: Array) -> Array:
        """Return the vectors after this layer."""
        return self.activation(vectors @ self.weight.T + self.bias)
