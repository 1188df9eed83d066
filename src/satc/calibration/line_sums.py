"""The log-loss of class-wise lines, its gradient and its Hessian: compiled sums over documents.

Several *problems* are summed up in one pass: each of them leaves out the documents of one fold, and
has a line for each class. A document is standardised once for all problems. No temporary array of
documents x classes is needed. The logarithms are those of products of several probabilities, which
saves most of them.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.calibration.exponential import expit_row
from satc.inputs import Labels

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

N_SUMS = 6  # the value, two of the gradient, three of the Hessian
_LOG_TINY = math.log(1e-300)  # of the probability of a label that is impossible by the line
_FACTORS = 16  # probabilities of a product; they are 0 or at least 5e-17


@njit(cache=True, nogil=True, error_model="numpy")
def add_documents(
    scores: Array,
    labels: Labels,
    fold: Indices,
    scale: Array,
    mean: float,
    spread: float,
    lines: Array,
    active: Flags,
    sums: Array,
) -> None:
    """Add the sums over documents.

    Parameters
    ----------
    scores, labels
        Documents x classes.
    fold
        The problem that leaves out the document; -1 if none does.
    scale, mean, spread
        By which scores are standardised: scale is an array of classes.
    lines
        Problems x 2 x classes: slope and intercept.
    active
        The problems that are summed up.
    sums
        Problems x `N_SUMS` x classes.
    """
    m = scores.shape[1]
    x, logits, probability = np.empty(m), np.empty(m), np.empty(m)
    bits = np.empty(m, dtype=np.int64)
    products, n_factors = np.ones((len(lines), m)), np.zeros(len(lines), dtype=np.int64)
    for i in range(len(scores)):
        for j in range(m):
            x[j] = (scores[i, j] / scale[j] - mean) / spread
        for p in range(len(lines)):
            if not active[p] or fold[i] == p:
                continue
            for j in range(m):
                logits[j] = lines[p, 1, j] + lines[p, 0, j] * x[j]
            expit_row(logits, bits, bits.view(np.float64), probability)
            _add_document(x, probability, labels[i], products[p], sums[p])
            n_factors[p] += 1
            if n_factors[p] == _FACTORS:
                _take_logarithms(products[p], sums[p, 0])
                n_factors[p] = 0
    for p in range(len(lines)):
        _take_logarithms(products[p], sums[p, 0])


@njit(cache=True, nogil=True, error_model="numpy")
def _add_document(
    x: Array, probability: Array, labels: Labels, products: Array, sums: Array
) -> None:
    value, slope, intercept = sums[0], sums[1], sums[2]
    slope_slope, slope_intercept, intercept_intercept = sums[3], sums[4], sums[5]
    for j in range(len(x)):
        residual = probability[j] - labels[j]
        curvature = probability[j] * (1.0 - probability[j])
        weighted = curvature * x[j]
        right = 1.0 - abs(residual)
        value[j] -= 0.0 if right > 0.0 else _LOG_TINY
        products[j] *= right if right > 0.0 else 1.0
        slope[j] += residual * x[j]
        intercept[j] += residual
        slope_slope[j] += weighted * x[j]
        slope_intercept[j] += weighted
        intercept_intercept[j] += curvature


@njit(cache=True, nogil=True)
def _take_logarithms(products: Array, value: Array) -> None:
    for j in range(len(products)):
        value[j] -= math.log(products[j])
        products[j] = 1.0
