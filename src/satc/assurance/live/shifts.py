"""The uncertainty of probabilities, as shifts of their log-odds on a grid.

Calibrated probabilities are uncertain, in particular those of rare classes. This is modelled by a
shift of the log-odds of an error, one for each class and *region* of decisions. A region is given
by three properties: the decision is positive or negative; it is doubtful or confident; the
*risk* of the document, from many expected errors to few. For every shift of the grid, three sums
are kept: the expected number of errors in documents that are not validated, its variance, and the
log-likelihood of the errors that were found in validated documents. A decision changes each sum by
the term of one document. The sums are integers (multiples of a tiny unit), so that undoing a
decision restores them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.inputs import Labels

Array = NDArray[np.float64]
Sums = NDArray[np.int64]
Risks = NDArray[np.int8]

SHIFTS: Array = np.linspace(-4.0, 4.0, 33)
STEP = float(SHIFTS[1] - SHIFTS[0])
AT_ZERO = len(SHIFTS) // 2
# Probabilities of an error that separate the steps from doubtful to confident.
POSITIVE_EDGES: Array = np.array([0.05])
NEGATIVE_EDGES: Array = np.array([0.05, 0.005, 0.0005])
N_RISKS = 4  # risk levels of documents, 0 for many expected errors
_N_POSITIVE = (len(POSITIVE_EDGES) + 1) * N_RISKS
N_REGIONS = _N_POSITIVE + (len(NEGATIVE_EDGES) + 1) * N_RISKS
POSITIVE, NEGATIVE = slice(0, _N_POSITIVE), slice(_N_POSITIVE, N_REGIONS)
_UNIT = float(1 << 36)
_ODDS = np.exp(SHIFTS)
_SMALLEST, _LARGEST = 1e-9, 1.0 - 1e-9  # probabilities of errors are clipped to this range


@dataclass(frozen=True, eq=False)
class ShiftedSums:
    """Sums over documents, classes x regions x shifts; updates change them in place."""

    expected: Sums  # expected number of errors in documents that are not validated
    variance: Sums  # its variance
    likelihood: Sums  # log-likelihood of the errors found in validated documents

    @classmethod
    def of(cls, signed: Array, risks: Risks) -> ShiftedSums:
        """Sum over documents, none of them validated.

        `signed` holds the probabilities of errors, negative where the decision of the classifier
        is negative, documents x classes; `risks` holds the risk levels of the documents.
        """
        shape = signed.shape[1], N_REGIONS, len(SHIFTS)
        sums = cls(*(np.zeros(shape, dtype=np.int64) for _ in range(3)))
        _add_expected(signed, risks, _ODDS, sums.expected, sums.variance, 1)
        return sums

    def validate(self, signed: Array, risks: Risks, wrong: Labels) -> None:
        """Mark documents as validated; `wrong` says which decisions on them were wrong."""
        self._update(signed, risks, wrong, -1)

    def revert(self, signed: Array, risks: Risks, wrong: Labels) -> None:
        """Undo `validate`."""
        self._update(signed, risks, wrong, 1)

    def _update(self, signed: Array, risks: Risks, wrong: Labels, sign: int) -> None:
        _add_expected(signed, risks, _ODDS, self.expected, self.variance, sign)
        _add_likelihood(signed, risks, wrong, SHIFTS, _ODDS, self.likelihood, -sign)

    def log_likelihood(self) -> Array:
        """Return the log-likelihood of the errors found, minus its value at shift 0."""
        values = self.likelihood / _UNIT
        return np.asarray(values - values[..., AT_ZERO : AT_ZERO + 1])

    def errors(self) -> tuple[Array, Array]:
        """Return mean and variance of the number of errors in documents not validated."""
        return self.expected / _UNIT, self.variance / _UNIT


@njit(cache=True)
def region(signed: float, risk: int) -> int:
    """Return the region of a decision, from its signed probability of error and the risk."""
    if signed > 0:
        step = 0
        for edge in POSITIVE_EDGES:
            step += signed < edge
        return step * N_RISKS + risk
    step = 0
    for edge in NEGATIVE_EDGES:
        step += -signed < edge
    return _N_POSITIVE + step * N_RISKS + risk


@njit(cache=True, nogil=True)
def _add_expected(
    signed: Array, risks: Risks, odds: Array, expected: Sums, variance: Sums, sign: int
) -> None:
    for i in range(signed.shape[0]):
        for j in range(signed.shape[1]):
            p = min(max(abs(signed[i, j]), _SMALLEST), _LARGEST)
            k = region(signed[i, j], risks[i])
            ratio = p / (1.0 - p)
            for g in range(len(odds)):
                shifted = ratio * odds[g]
                q = shifted / (1.0 + shifted)
                expected[j, k, g] += sign * np.int64(q * _UNIT)
                variance[j, k, g] += sign * np.int64(q / (1.0 + shifted) * _UNIT)


@njit(cache=True, nogil=True)
def _add_likelihood(
    signed: Array,
    risks: Risks,
    wrong: Labels,
    shifts: Array,
    odds: Array,
    likelihood: Sums,
    sign: int,
) -> None:
    for i in range(signed.shape[0]):
        for j in range(signed.shape[1]):
            p = min(max(abs(signed[i, j]), _SMALLEST), _LARGEST)
            k = region(signed[i, j], risks[i])
            ratio = p / (1.0 - p)
            for g in range(len(odds)):
                value = -np.log1p(ratio * odds[g])
                if wrong[i, j]:
                    value += shifts[g]  # the log-odds without shift are constant: left out
                likelihood[j, k, g] += sign * np.int64(value * _UNIT)


@njit(cache=True)
def regions_of(signed: Array, risks: Risks) -> Sums:
    """Return the regions of all decisions, documents x classes."""
    regions = np.empty(signed.shape, dtype=np.int64)
    for i in range(signed.shape[0]):
        for j in range(signed.shape[1]):
            regions[i, j] = region(signed[i, j], risks[i])
    return regions
