"""The generalised logistic function: from scores to probabilities (Section 4.4, Equation 6).

P(error) = 1 / (1 + e^(sigma |score|)). Where the exponential is infinite, the probability is 0, and
there is no warning. Rows are processed in blocks that fit into the cache of the processor. The
exponential is that of NumPy, which is vectorised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.decisions import by_sign, is_label
from satc.inputs import Scores

Array = NDArray[np.float64]

# Number of pairs of document and class in a block.
BLOCK_PAIRS = 32_768
# The logistic function of a smaller number is its exponential, to double precision.
_FAR = -100.0


def growth(scores: Scores, sigma: float, out: Array) -> Array:
    """Write e^(sigma |score|) of every pair to `out`; P(error) is 1 / (1 + growth)."""
    _magnitudes(scores, sigma, out)
    with np.errstate(over="ignore"):
        return np.exp(out, out=out)


def row_blocks(
    n_rows: int, n_columns: int, least: int = 1, pairs: int = BLOCK_PAIRS
) -> Iterator[slice]:
    """Divide rows into blocks of about so many pairs, but of `least` rows or more."""
    size = max(least, pairs // n_columns)
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def growth_blocks(scores: Scores, sigma: float) -> Iterator[tuple[slice, Scores, Array]]:
    """Iterate over blocks of rows: the slice of rows, their scores and their growth.

    The next block overwrites the array of the growth.
    """
    buffer = np.empty((min(len(scores), max(1, BLOCK_PAIRS // scores.shape[1])), scores.shape[1]))
    for rows in row_blocks(*scores.shape):
        block = scores[rows]
        yield rows, block, growth(block, sigma, buffer[: len(block)])


def error_probabilities(scores: Scores, sigma: float) -> Array:
    """Return P(error) of every pair (Equation 6)."""
    probability = np.empty(scores.shape)
    for rows, _, grown in growth_blocks(scores, sigma):
        np.divide(1.0, 1.0 + grown, out=probability[rows])
    return probability


def membership_probabilities(scores: Any, sigma: float) -> Array:
    """Return P(document belongs to class) of every pair.

    >>> membership_probabilities(np.array([[0.0, 1e308, -1e308]]), 2.0).round(9)
    array([[0.5, 1. , 0. ]])
    """
    wrong = error_probabilities(scores, sigma)
    return np.subtract(1.0, wrong, out=wrong, where=by_sign(scores))


def one_label_probabilities(scores: Any, sigma: float) -> Array:
    """Return P(document belongs to class) where each document belongs to exactly one class.

    The probabilities of each class alone are divided by their sum. Where all of them are almost 0,
    they are proportional to e^(sigma x score), which is computed relative to the largest score.

    >>> one_label_probabilities(np.array([[-1.0, -2.0], [-1e6, -1e6], [-1e6, -1e7]]), 1.0).round(3)
    array([[0.693, 0.307],
           [0.5  , 0.5  ],
           [1.   , 0.   ]])
    """
    probability = membership_probabilities(scores, sigma)
    best = scores.max(axis=1, keepdims=True)
    far = np.flatnonzero(sigma * best < _FAR)
    probability[far] = np.exp(sigma * (scores[far].astype(np.float64) - best[far]))
    probability /= probability.sum(axis=1, keepdims=True)
    return probability


def expected_positives(scores: Scores, sigma: float) -> Array:
    """Return E[Pos] of every class, the sum over documents of P(class | document) (Equation 13)."""
    expected = np.zeros(scores.shape[1])
    for _, block, grown in growth_blocks(scores, sigma):
        _add_membership(block, grown, expected)
    return expected


@njit(cache=True, nogil=True)
def _magnitudes(scores: Scores, sigma: float, out: Array) -> None:
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            out[i, j] = sigma * abs(scores[i, j])


@njit(cache=True, error_model="numpy")
def _add_membership(scores: Scores, grown: Array, expected: Array) -> None:
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            wrong = 1.0 / (1.0 + grown[i, j])
            expected[j] += 1.0 - wrong if is_label(scores[i, j]) else wrong
