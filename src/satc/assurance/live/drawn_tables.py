"""Random contingency tables: possible outcomes for the documents that are not validated yet.

Given the shifts of the log-odds (`shifts`), the number of errors of a class is a sum of independent
0/1 variables. It is drawn from a binomial distribution with the same mean and variance. The labels
of validated documents are fixed. Every draw has its own shifts, so the draws contain the
uncertainty of the calibrator.
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

_NEGLIGIBLE = 1e-7  # expected errors below which a region is skipped
_N_POSITIVE = POSITIVE.stop


class KnownCounts(NamedTuple):
    """Validated positives and predicted positives that are not validated, per class."""

    positives: Counts  # validated documents that belong to the class
    decided: Counts  # documents that are not validated and that the classifier put into the class
    n_documents: int


class ShiftDraws(NamedTuple):
    """Shifts of every draw, class and region: the sum of an own and of a common shift.

    The own shift of a class is drawn by inversion: `uniform` is looked up in `cumulated`.
    """

    cumulated: Array  # cumulative distribution of the own shift, classes x regions x shifts
    uniform: NDArray[np.float32]  # uniform random numbers, classes x regions x draws
    common: Array  # common shift, groups x regions x draws
    groups: Counts  # the group of every class


def draw_errors(
    expected: Array,
    variance: Array,
    draws: ShiftDraws,
    rng: np.random.Generator,
    *,
    paired: bool = False,
) -> Counts:
    """Draw the numbers of wrong and of missing labels, draws x classes x 2.

    `expected` and `variance` are the mean and the variance of the number of errors at every shift
    of the grid, classes x regions x shifts (`ShiftedSums.errors`). `paired` is for documents with
    exactly one label: where a label is wrong, another one is missing.
    """
    errors = np.asarray(rng.binomial(*_binomial_parameters(expected, variance, *draws)))
    return in_pairs(errors) if paired else errors


def in_pairs(errors: Counts) -> Counts:
    """Scale the errors of each draw, so that as many labels are wrong as are missing.

    >>> in_pairs(np.array([[[4, 1], [2, 3]]])).tolist()
    [[[3, 1], [2, 4]]]
    """
    total = errors.sum(axis=1)
    both = (total.sum(axis=1) + 1) // 2
    both = np.where((total > 0).all(axis=1), both, 0)[:, np.newaxis]
    share = errors * (both / np.maximum(total, 1))[:, np.newaxis]
    whole = np.floor(share).astype(np.int64)
    left = both - whole.sum(axis=1)  # these go to the largest remainders
    place = np.argsort(np.argsort(whole - share, axis=1, kind="stable"), axis=1)
    scaled = whole + (place < left[:, np.newaxis])
    return np.where((both > 0)[:, np.newaxis], scaled, errors)


def tables_with_errors(known: KnownCounts, errors: Counts) -> ContingencyTables:
    """Return the tables of the present labels, draws x classes in every cell.

    `errors` are drawn numbers of wrong and of missing labels, draws x classes x 2.
    """
    fp = np.minimum(errors[..., 0], known.decided)
    fn = errors[..., 1]
    tp = known.positives + known.decided - fp
    tn = np.maximum(known.n_documents - tp - fp - fn, 0)
    return ContingencyTables(*(cell.astype(np.float64) for cell in (tp, fp, fn, tn)))


@njit(cache=True)
def _grid_position(cumulated: Array, uniform: float) -> float:
    """Return the position on the grid, in steps, that belongs to a uniform random number."""
    last = len(cumulated) - 1
    u = uniform * cumulated[last]
    g = min(np.searchsorted(cumulated, u), last)
    before = cumulated[g - 1] if g > 0 else 0.0
    width = cumulated[g] - before
    return g - 0.5 + ((u - before) / width if width > 0 else 0.5)


@njit(cache=True)
def _binomial_parameters(
    expected: Array,
    variance: Array,
    cumulated: Array,
    uniform: NDArray[np.float32],
    common: Array,
    groups: Counts,
) -> tuple[Counts, Array]:
    """Return the numbers of trials and the success probabilities, draws x classes x 2.

    Mean and variance of the errors of a draw are interpolated on the grid of shifts.
    """
    m, n_regions, n_draws = uniform.shape
    trials, chance = np.zeros((n_draws, m, 2), dtype=np.int64), np.zeros((n_draws, m, 2))
    means, spreads = np.empty((2, n_draws)), np.empty((2, n_draws))
    last = len(SHIFTS) - 1
    for j in range(m):
        means[:], spreads[:] = 0.0, 0.0
        for k in range(n_regions):
            if expected[j, k, last] < _NEGLIGIBLE:
                continue
            side = 0 if k < _N_POSITIVE else 1
            for d in range(n_draws):
                own = _grid_position(cumulated[j, k], uniform[j, k, d])
                position = own + common[groups[j], k, d] / STEP
                position = min(max(position, 0.0), last - 1e-9)
                g = int(position)
                part = position - g
                means[side, d] += expected[j, k, g] * (1 - part) + expected[j, k, g + 1] * part
                spreads[side, d] += variance[j, k, g] * (1 - part) + variance[j, k, g + 1] * part
        for side in range(2):
            for d in range(n_draws):
                mean = means[side, d]
                if mean > _NEGLIGIBLE:
                    success = max(1.0 - spreads[side, d] / mean, 1e-7)
                    trials[d, j, side] = max(int(np.ceil(mean / success - 1e-9)), 1)
                    chance[d, j, side] = min(mean / trials[d, j, side], 1.0)
    return trials, chance
