"""Dual coordinate descent for the linear SVMs of one class in all folds at once.

The problem and the algorithm are those of `dual_descent`: a lane is one of its problems. All lanes
visit the documents in the same order, and so the features of a document are read once for all of
them. A document that a fold holds out has the largest multiplier 0 in the lane of this fold. A
document is skipped when it can be skipped in all lanes.

The centre of the intercept moves after each round through the documents, not only after a descent
has converged. All lanes have converged when neither a gradient nor a centre is further from its
optimum than the tolerance.

The weights w of the terms are stored multiplied by their factors a. The score of a document is then
the sum of its factors l times the stored weights, divided by its length; when a multiplier changes,
the squares of a are needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.learners.dual_descent import shuffle
from satc.learners.folds.lanes import any_of, load, maximum, minimum, splat, store, where
from satc.learners.folds.matrix import FoldMatrix

Floats = NDArray[np.float32]

# Rows of the state: numbers that each lane has once.
CENTRE, OFFSET, ABOVE, BELOW, HIGHEST, LOWEST, DISTANCE = range(7)
STATES = 7

_ZERO, _ONE, _INFINITY = np.float32(0), np.float32(1), np.float32(np.inf)
_NO_STEP = np.float32(1e-9)  # no step is taken if the projected gradient is smaller


@njit(cache=True, nogil=True)
def descend(
    matrix: FoldMatrix,
    y: Floats,
    intercept_scaling: float,
    tolerance: float,
    max_rounds: int,
    seed: int,
    weights: Floats,
    multipliers: Floats,
    state: Floats,
) -> int:
    """Solve the problems of all lanes; return the number of rounds.

    `y` is 1 or -1 for each document. `weights` (terms x lanes), `multipliers` (documents x lanes)
    and `state` are overwritten; the intercepts are the sums of `CENTRE` and `OFFSET`.
    """
    factor = np.float32(1.0 - 1.0 / intercept_scaling**2)
    weights[:] = _ZERO
    multipliers[:] = _ZERO
    state[:] = _ZERO
    state[CENTRE] = factor * np.sign(y.sum())  # for a rare class the intercept is close to -1
    random = np.array([seed * 2654435761 + 88172645463325252], dtype=np.uint64)
    n = len(y)
    order, active = np.arange(n), n
    _respect_all(state)
    for rounds in range(1, max_rounds + 1):
        everything = active == n
        shuffle(order, active, random)
        active = _visit(matrix, y, weights, multipliers, state, order, active)
        if _move_centres(state, factor, matrix.n_lanes) > tolerance:
            _set_limits(state)
        elif everything:
            return rounds
        else:
            active = n  # check all documents once more
            _respect_all(state)
    return max_rounds


@njit(cache=True, nogil=True)
def _visit(
    matrix: FoldMatrix,
    y: Floats,
    weights: Floats,
    multipliers: Floats,
    state: Floats,
    order: NDArray[np.int64],
    active: int,
) -> int:
    """Visit the active documents, and change their multipliers; return how many stay active."""
    zero, one, tiny = splat(_ZERO), splat(_ONE), splat(_NO_STEP)
    above, below, centre = load(state, ABOVE), load(state, BELOW), load(state, CENTRE)
    offset, highest, lowest = load(state, OFFSET), splat(-_INFINITY), splat(_INFINITY)
    at = 0
    while at < active:
        i = order[at]
        sign, scale = splat(y[i]), load(matrix.scales, i)
        score = _sum(matrix, i, weights) * scale + centre + offset
        gradient = sign * score - one
        old, cost = load(multipliers, i), load(matrix.costs, i)
        lowermost, uppermost, used = old == zero, old == cost, cost > zero
        fixed = (lowermost & (gradient > zero)) | (uppermost & (gradient < zero))
        projected = where(fixed, zero, gradient)
        highest = where(used, maximum(highest, projected), highest)
        lowest = where(used, minimum(lowest, projected), lowest)
        if any_of(used & ((projected > tiny) | (projected < zero - tiny))):
            new = minimum(maximum(old - gradient * load(matrix.steps, i), zero), cost)
            store(multipliers, i, new)
            change = (new - old) * sign
            offset = offset + change
            _add(matrix, i, change * scale, weights)
        skipped = (lowermost & (gradient > above)) | (uppermost & (gradient < below))
        if any_of(where(skipped, zero, cost) > zero):
            at += 1
        else:
            active -= 1
            order[at], order[active] = order[active], i
    store(state, OFFSET, offset)
    store(state, HIGHEST, highest)
    store(state, LOWEST, lowest)
    return active


@njit(inline="always")
def _sum(matrix: FoldMatrix, i: int, weights: Floats) -> Any:
    """Return the sum of the weights of a document, times its factors."""
    even, odd = splat(_ZERO), splat(_ZERO)  # two sums, so that no addition waits for the last one
    at, end = matrix.starts[i], matrix.starts[i + 1]
    while at + 1 < end:
        even = even + load(weights, matrix.terms[at]) * splat(matrix.values[at])
        odd = odd + load(weights, matrix.terms[at + 1]) * splat(matrix.values[at + 1])
        at += 2
    if at < end:
        even = even + load(weights, matrix.terms[at]) * splat(matrix.values[at])
    return even + odd


@njit(inline="always")
def _add(matrix: FoldMatrix, i: int, change: Any, weights: Floats) -> None:
    """Add a multiple of a document to the weights."""
    for at in range(matrix.starts[i], matrix.starts[i + 1]):
        term = matrix.terms[at]
        change_of_term = load(matrix.squares, term) * (change * splat(matrix.values[at]))
        store(weights, term, load(weights, term) + change_of_term)


@njit(cache=True, nogil=True)
def _move_centres(state: Floats, factor: float, n_lanes: int) -> float:
    """Move the centres; return the largest distance of a gradient or a centre from its optimum."""
    worst = _ZERO
    for lane in range(n_lanes):
        intercept = state[CENTRE, lane] + state[OFFSET, lane]
        move = factor * intercept - state[CENTRE, lane]
        state[CENTRE, lane] += move
        range_of_gradients = state[HIGHEST, lane] - state[LOWEST, lane]
        worst = max(worst, abs(move), range_of_gradients)
    return float(worst)


@njit(cache=True, nogil=True)
def _respect_all(state: Floats) -> None:
    """No document may be skipped in the next round."""
    state[ABOVE], state[BELOW] = _INFINITY, -_INFINITY


@njit(cache=True, nogil=True)
def _set_limits(state: Floats) -> None:
    """Multipliers with gradients beyond these stay at their bound, and may be skipped."""
    for lane in range(state.shape[1]):
        highest, lowest = state[HIGHEST, lane], state[LOWEST, lane]
        state[ABOVE, lane] = highest if highest > 0 else _INFINITY
        state[BELOW, lane] = lowest if lowest < 0 else -_INFINITY


@njit(cache=True, nogil=True)
def score_held_out(matrix: FoldMatrix, weights: Floats, state: Floats, scores: Any) -> None:
    """Score each document in the lane that holds it out; those of lane 0 stay as they are."""
    for i in range(len(scores)):
        lane = matrix.held_out[i]
        if lane > 0:
            total = 0.0
            for at in range(matrix.starts[i], matrix.starts[i + 1]):
                total += matrix.values[at] * weights[matrix.terms[at], lane]
            intercept = state[CENTRE, lane] + state[OFFSET, lane]
            scores[i] = total * matrix.scales[i, lane] + intercept
