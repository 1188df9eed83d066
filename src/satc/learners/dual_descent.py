"""Dual coordinate descent for the linear SVM with a weakly regularised intercept.

The problem is that of Liblinear: hinge loss, L2 penalty, and a penalty ``b^2 / 2 s^2`` of the
intercept ``b``. The algorithm is also that of Liblinear: it updates the multiplier of one document
after the other, in random order, and skips multipliers that are probably final for a while (Hsieh
et al., 2008, *A dual coordinate descent method for large-scale linear SVM*). Only the intercept is
treated differently. Liblinear adds it as a feature of value ``s`` to every document, which couples
all documents: with ``s = 5`` a step has 1/26 of the length that it would have without this feature,
and ten times as many rounds are needed as with ``s = 1``.

Here the descent uses ``s = 1`` and the penalty ``(b - c)^2 / 2`` around a *centre* ``c``. After it
has converged, the centre moves to ``c = (1 - 1/s^2) b``, and the descent is repeated. When the
centre does not move any more, both penalties have the same gradient at ``b``, so this is the
solution of the original problem. The intercept is determined by many documents and hardly by its
penalty, so two or three centres are enough. The multipliers are kept from one centre to the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Terms = NDArray[np.uint32]  # unsigned, so that no check for negative indices is compiled

_NO_STEP = 1e-12  # no step is taken if the projected gradient is smaller
_SHIFT = np.uint64(33)
_XORSHIFT = (np.uint64(13), np.uint64(7), np.uint64(17))


class HingeProblem(NamedTuple):
    """The documents of an SVM, as the rows of a sparse matrix, with their labels and costs."""

    data: Floats
    indices: Terms
    indptr: NDArray[np.int32]
    y: Floats  # 1 or -1
    costs: Floats  # the largest multiplier of each document

    @classmethod
    def of(cls, rows: sparse.csr_matrix, y: Floats, costs: Floats) -> HingeProblem:
        """Return the problem of a sparse matrix."""
        indices = rows.indices.astype(np.uint32, copy=False)
        return cls(rows.data, indices, rows.indptr.astype(np.int32, copy=False), y, costs)


class Limits(NamedTuple):
    """How the intercept is penalised, and when the descent ends."""

    intercept_scaling: float
    tol: float
    max_rounds: int


@njit(cache=True, nogil=True)
def hinge_descent(
    problem: HingeProblem,
    limits: Limits,
    seed: int,
    weights: Floats,
    multipliers: Floats,
    start: float,
) -> tuple[float, int]:
    """Optimise weights and multipliers; return the intercept and the number of rounds.

    Both can be zeros, or those of a similar problem: the weights must be the sum of all documents
    x label x multiplier. `start` is a guess of the intercept.
    """
    factor = 1.0 - 1.0 / limits.intercept_scaling**2
    norms = _norms(problem.data, problem.indptr)
    centre, offset, rounds = factor * start, (multipliers * problem.y).sum(), 0
    state = np.array([seed * 2654435761 + 88172645463325252], dtype=np.uint64)
    while rounds < limits.max_rounds:
        offset, more = _descend(
            *(problem, norms, centre, offset),
            *(limits.tol, limits.max_rounds - rounds, weights, multipliers, state),
        )
        rounds += more
        intercept = centre + offset
        if abs(centre - factor * intercept) <= limits.tol:
            break
        centre = factor * intercept
    return centre + offset, rounds


@njit(cache=True, nogil=True)
def _norms(data: Floats, indptr: NDArray[np.int32]) -> Floats:
    norms = np.ones(len(indptr) - 1)  # the intercept adds 1
    for i in range(len(norms)):
        for k in range(indptr[i], indptr[i + 1]):
            norms[i] += data[k] * data[k]
    return norms


@njit(cache=True, nogil=True)
def _descend(
    problem: HingeProblem,
    norms: Floats,
    centre: float,
    offset: float,
    tol: float,
    max_rounds: int,
    weights: Floats,
    multipliers: Floats,
    state: NDArray[np.uint64],
) -> tuple[float, int]:
    """Optimise weights and multipliers for one centre; return intercept - centre and rounds."""
    data, indices, indptr, y, costs = problem
    n = len(y)
    order, active = np.arange(n), n
    above, below = np.inf, -np.inf  # multipliers with gradients beyond these stay at their bound
    for done in range(1, max_rounds + 1):
        highest, lowest = -np.inf, np.inf
        shuffle(order, active, state)
        at = 0
        while at < active:
            i = order[at]
            gradient = offset + centre
            for k in range(indptr[i], indptr[i + 1]):
                gradient += weights[indices[k]] * data[k]
            gradient = gradient * y[i] - 1.0
            old, cost = multipliers[i], costs[i]
            if (old == 0.0 and gradient > above) or (old == cost and gradient < below):
                active -= 1
                order[at], order[active] = order[active], i
                continue
            at += 1
            if (old == 0.0 and gradient > 0.0) or (old == cost and gradient < 0.0):
                highest, lowest = max(highest, 0.0), min(lowest, 0.0)
                continue
            highest, lowest = max(highest, gradient), min(lowest, gradient)
            if abs(gradient) > _NO_STEP:
                multipliers[i] = min(max(old - gradient / norms[i], 0.0), cost)
                step = (multipliers[i] - old) * y[i]
                offset += step
                for k in range(indptr[i], indptr[i + 1]):
                    weights[indices[k]] += step * data[k]
        if highest - lowest <= tol:
            if active == n:
                return offset, done
            active, above, below = n, np.inf, -np.inf  # check all multipliers once more
            continue
        above = highest if highest > 0.0 else np.inf
        below = lowest if lowest < 0.0 else -np.inf
    return offset, max_rounds


@njit(cache=True, nogil=True)
def shuffle(order: NDArray[np.int64], size: int, state: NDArray[np.uint64]) -> None:
    """Shuffle the first entries (Fisher and Yates; Marsaglia's xorshift)."""
    x = state[0]
    for at in range(size - 1):
        x ^= x << _XORSHIFT[0]
        x ^= x >> _XORSHIFT[1]
        x ^= x << _XORSHIFT[2]
        other = at + np.int64((x >> _SHIFT) % np.uint64(size - at))
        order[at], order[other] = order[other], order[at]
    state[0] = x
