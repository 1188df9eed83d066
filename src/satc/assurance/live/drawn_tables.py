"""Contingency tables drawn at random: what the labels of the documents left may turn out to be.

Given the shifts, the errors of a class are a sum of independent coin tosses, drawn here as the
binomial of the same mean and variance. What has been validated is fixed. Every draw has shifts of
its own, so that the calibrator's uncertainty is in the draws.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.assurance.live.shifts import POSITIVE, SHIFTS, STEP
from satc.contingency import ContingencyTables

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

_NOTHING = 1e-7  # expected errors of a region that are not looked at
_N_POSITIVE = POSITIVE.stop


class Known(NamedTuple):
    """What is certain of each class."""

    positives: Counts  # documents validated that belong to the class
    decided: Counts  # documents left that are decided positive
    n_documents: int


class ShiftDraws(NamedTuple):
    """Shifts of every draw, class and region: what classes have of their own, plus the common."""

    cumulated: Array  # distribution of the classes' own on the grid, classes x regions x shifts
    uniform: NDArray[np.float32]  # where in it each draw is, classes x regions x draws
    common: Array  # groups x regions x draws
    groups: Counts  # class -> group


def draw_errors(
    expected: Array, variance: Array, draws: ShiftDraws, rng: np.random.Generator
) -> Counts:
    """Draw wrong and missing labels, draws x classes x 2, from sums on the grid (`shifts`)."""
    return np.asarray(rng.binomial(*_matched(expected, variance, *draws)))


def tables(known: Known, errors: Counts) -> ContingencyTables:
    """Return the tables of the labels as they stand, draws x classes in every cell."""
    fp = np.minimum(errors[..., 0], known.decided)
    fn = errors[..., 1]
    tp = known.positives + known.decided - fp
    tn = np.maximum(known.n_documents - tp - fp - fn, 0)
    return ContingencyTables(*(cell.astype(np.float64) for cell in (tp, fp, fn, tn)))


@njit(cache=True)
def _place(cumulated: Array, uniform: float) -> float:
    """Turn a uniform number into a place on the grid, evenly within its cells."""
    last = len(cumulated) - 1
    u = uniform * cumulated[last]
    g = min(np.searchsorted(cumulated, u), last)
    before = cumulated[g - 1] if g > 0 else 0.0
    width = cumulated[g] - before
    return g - 0.5 + ((u - before) / width if width > 0 else 0.5)


@njit(cache=True)
def _matched(
    expected: Array,
    variance: Array,
    cumulated: Array,
    uniform: NDArray[np.float32],
    common: Array,
    groups: Counts,
) -> tuple[Counts, Array]:
    """Return the binomials of the mean and variance of each draw's errors, read off the grid."""
    m, n_regions, n_draws = uniform.shape
    trials, chance = np.zeros((n_draws, m, 2), dtype=np.int64), np.zeros((n_draws, m, 2))
    means, spreads = np.empty((2, n_draws)), np.empty((2, n_draws))
    last = len(SHIFTS) - 1
    for j in range(m):
        means[:], spreads[:] = 0.0, 0.0
        for k in range(n_regions):
            if expected[j, k, last] < _NOTHING:
                continue
            side = 0 if k < _N_POSITIVE else 1
            for d in range(n_draws):
                place = _place(cumulated[j, k], uniform[j, k, d]) + common[groups[j], k, d] / STEP
                place = min(max(place, 0.0), last - 1e-9)
                g = int(place)
                part = place - g
                means[side, d] += expected[j, k, g] * (1 - part) + expected[j, k, g + 1] * part
                spreads[side, d] += variance[j, k, g] * (1 - part) + variance[j, k, g + 1] * part
        for side in range(2):
            for d in range(n_draws):
                mean = means[side, d]
                if mean > _NOTHING:
                    own = max(1.0 - spreads[side, d] / mean, 1e-7)
                    trials[d, j, side] = max(int(np.ceil(mean / own - 1e-9)), 1)
                    chance[d, j, side] = min(mean / trials[d, j, side], 1.0)
    return trials, chance
