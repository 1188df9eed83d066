"""The generalised logistic function: scores to probabilities (Section 4.4, Equation 6).

P(error) = 1 / (1 + e^(sigma |score|)) can neither overflow nor lose precision: the exponent
is capped where the result is the smallest positive number anyway.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from satc.inputs import Scores

# e^709 is about the largest double; beyond it P(error) is 0 for every purpose.
LARGEST_EXPONENT = 709.0


@njit(cache=True, inline="always")
def error_probability(score: float, sigma: float) -> float:
    """Equation 6 for one score."""
    return 1.0 / (1.0 + np.exp(min(sigma * abs(score), LARGEST_EXPONENT)))


@njit(cache=True, parallel=True)
def membership_probabilities(scores: Scores, sigma: float) -> NDArray[np.float64]:
    """P(document belongs to class) for every pair.

    >>> membership_probabilities(np.array([[0.0, 1e308, -1e308]]), 2.0).round(9)
    array([[0.5, 1. , 0. ]])
    """
    n, m = scores.shape
    probability = np.empty((n, m))
    for i in prange(n):
        for j in range(m):
            wrong = error_probability(scores[i, j], sigma)
            probability[i, j] = 1.0 - wrong if scores[i, j] >= 0 else wrong
    return probability


@njit(cache=True, parallel=True)
def expected_positives(scores: Scores, sigma: float) -> NDArray[np.float64]:
    """E[Pos] of every class: the sum over documents of P(class | document) (Equation 12)."""
    n, m = scores.shape
    n_blocks = (n + 255) // 256
    partial = np.zeros((n_blocks, m))
    for block in prange(n_blocks):
        for i in range(block * 256, min(n, block * 256 + 256)):
            for j in range(m):
                wrong = error_probability(scores[i, j], sigma)
                partial[block, j] += 1.0 - wrong if scores[i, j] >= 0 else wrong
    return partial.sum(axis=0)


def error_probabilities(scores: Any, sigma: float) -> NDArray[np.float64]:
    """P(error) for every pair of document and class (Equation 6)."""
    probability = membership_probabilities(scores, sigma)
    return np.where(scores >= 0, 1.0 - probability, probability)
