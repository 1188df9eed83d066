"""The compiled inner loops of utilities and error probabilities."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.decisions import is_label
from satc.inputs import Scores

Array = NDArray[np.float64]


@njit(cache=True, nogil=True, error_model="numpy")
def sum_utilities(
    scores: Scores, grown: Array, gain_fp: Array, gain_fn: Array, utility: Array
) -> None:
    """Equation 9: U(d), the sum over classes of P(error) x gain, with P = 1 / (1 + grown).

    Overwrites `grown`.
    """
    n, m = scores.shape
    for i in range(n):
        for j in range(m):
            gain = gain_fp[j] if is_label(scores[i, j]) else gain_fn[j]
            grown[i, j] = (1.0 / (1.0 + grown[i, j])) * gain
    for i in range(0, n - n % 4, 4):  # four independent sums: the processor runs them in parallel
        one = two = three = four = 0.0
        for j in range(m):
            one += grown[i, j]
            two += grown[i + 1, j]
            three += grown[i + 2, j]
            four += grown[i + 3, j]
        utility[i], utility[i + 1], utility[i + 2], utility[i + 3] = one, two, three, four
    for i in range(n - n % 4, n):
        total = 0.0
        for j in range(m):
            total += grown[i, j]
        utility[i] = total


@njit(cache=True, nogil=True)
def given_utilities(signed: Array, gain_fp: Array, gain_fn: Array) -> Array:
    """Equation 9 from signed error probabilities, documents x classes."""
    n, m = signed.shape
    utility = np.empty(n)
    for i in range(n):
        total = 0.0
        for j in range(m):
            p = signed[i, j]
            total += p * (gain_fp[j] if p > 0 else -gain_fn[j])
        utility[i] = total
    return utility


@njit(cache=True, nogil=True, error_model="numpy")
def sum_errors(scores: Scores, grown: Array, sums: Array) -> None:
    """Sum P(error) over the classes decided positive, and -P(error) over the others."""
    for i in range(scores.shape[0]):
        positive = negative = 0.0
        for j in range(scores.shape[1]):
            wrong = 1.0 / (1.0 + grown[i, j])
            if is_label(scores[i, j]):
                positive += wrong
            else:
                negative += wrong
        sums[i, 0], sums[i, 1] = positive, -negative


@njit(cache=True, nogil=True, error_model="numpy")
def sign_errors(scores: Scores, grown: Array) -> None:
    """Overwrite `grown` with the signed error probabilities."""
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            wrong = 1.0 / (1.0 + grown[i, j])
            grown[i, j] = wrong if is_label(scores[i, j]) else -wrong
