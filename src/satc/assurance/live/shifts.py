"""What is unknown about probabilities: shifts of their log-odds, on one grid.

Calibrated probabilities are themselves uncertain, all the more for rare classes. That is said by a
shift of the log-odds of an error, one for each class and *region* of its decisions: positive or
negative, doubtful or confident, on a document of which many errors are expected, or few. For
every shift on a grid, three sums are kept: of the errors
expected among the documents left, of their variance, and of the log-likelihood of what was found
in the documents validated. A decision changes each by the part of one document. The sums are whole
numbers (of tiny units), so that taking a decision back restores them exactly.
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
# Steps from doubtful to confident, by the probability of an error.
POSITIVE_EDGES: Array = np.array([0.05])
NEGATIVE_EDGES: Array = np.array([0.05, 0.005, 0.0005])
N_RISKS = 4  # steps from documents of which many errors are expected to those of few
_N_POSITIVE = (len(POSITIVE_EDGES) + 1) * N_RISKS
N_REGIONS = _N_POSITIVE + (len(NEGATIVE_EDGES) + 1) * N_RISKS
POSITIVE, NEGATIVE = slice(0, _N_POSITIVE), slice(_N_POSITIVE, N_REGIONS)
_UNIT = float(1 << 36)
_ODDS = np.exp(SHIFTS)
_LEAST, _MOST = 1e-9, 1.0 - 1e-9  # probabilities of errors are kept inside


@dataclass(frozen=True, eq=False)
class ShiftedSums:
    """Sums over documents, classes x regions x shifts; they change in place."""

    expected: Sums  # errors among the documents left
    variance: Sums
    likelihood: Sums  # log-likelihood of what was found in the others

    @classmethod
    def of(cls, signed: Array, risks: Risks) -> ShiftedSums:
        """Sum over all documents, none of them validated.

        `signed` are the probabilities of errors, negative where the decision is; `risks` the
        steps of the documents.
        """
        shape = signed.shape[1], N_REGIONS, len(SHIFTS)
        sums = cls(*(np.zeros(shape, dtype=np.int64) for _ in range(3)))
        _expect(signed, risks, _ODDS, sums.expected, sums.variance, 1)
        return sums

    def validate(self, signed: Array, risks: Risks, wrong: Labels) -> None:
        """Learn which decisions on some documents were wrong."""
        self._move(signed, risks, wrong, -1)

    def revert(self, signed: Array, risks: Risks, wrong: Labels) -> None:
        """Take that back."""
        self._move(signed, risks, wrong, 1)

    def _move(self, signed: Array, risks: Risks, wrong: Labels, sign: int) -> None:
        _expect(signed, risks, _ODDS, self.expected, self.variance, sign)
        _find(signed, risks, wrong, SHIFTS, _ODDS, self.likelihood, -sign)

    def log_likelihood(self) -> Array:
        """Return the log-likelihood of what was found, relative to that without shift."""
        values = self.likelihood / _UNIT
        return np.asarray(values - values[..., AT_ZERO : AT_ZERO + 1])

    def errors(self) -> tuple[Array, Array]:
        """Return the expected errors among the documents left, and their variance."""
        return self.expected / _UNIT, self.variance / _UNIT


@njit(cache=True)
def region(signed: float, risk: int) -> int:
    """Tell the region of a decision from its signed probability of error, and the document."""
    if signed > 0:
        step = 0
        for edge in POSITIVE_EDGES:
            step += signed < edge
        return step * N_RISKS + risk
    step = 0
    for edge in NEGATIVE_EDGES:
        step += -signed < edge
    return _N_POSITIVE + step * N_RISKS + risk


@njit(cache=True)
def _expect(
    signed: Array, risks: Risks, odds: Array, expected: Sums, variance: Sums, sign: int
) -> None:
    for i in range(signed.shape[0]):
        for j in range(signed.shape[1]):
            p = min(max(abs(signed[i, j]), _LEAST), _MOST)
            k = region(signed[i, j], risks[i])
            ratio = p / (1.0 - p)
            for g in range(len(odds)):
                shifted = ratio * odds[g]
                q = shifted / (1.0 + shifted)
                expected[j, k, g] += sign * np.int64(q * _UNIT)
                variance[j, k, g] += sign * np.int64(q / (1.0 + shifted) * _UNIT)


@njit(cache=True)
def _find(
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
            p = min(max(abs(signed[i, j]), _LEAST), _MOST)
            k = region(signed[i, j], risks[i])
            ratio = p / (1.0 - p)
            for g in range(len(odds)):
                value = -np.log1p(ratio * odds[g])
                if wrong[i, j]:
                    value += shifts[g]  # the log-odds without shift are the same for all
                likelihood[j, k, g] += sign * np.int64(value * _UNIT)


@njit(cache=True)
def regions_of(signed: Array, risks: Risks) -> Sums:
    """Tell the regions of all decisions."""
    regions = np.empty(signed.shape, dtype=np.int64)
    for i in range(signed.shape[0]):
        for j in range(signed.shape[1]):
            regions[i, j] = region(signed[i, j], risks[i])
    return regions
