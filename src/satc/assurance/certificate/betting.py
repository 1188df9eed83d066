"""An upper bound for a total, from a sample, at any moment: betting (Waudby-Smith and Ramdas).

Whoever believes that the documents not yet read hold a certain total of errors must accept a fair
bet on the next one drawn among them: its expected value is what is left of that total, over the
number of documents left. We bet that there is less. If our wealth ever grows twentyfold,
the total is refuted at 95%, for good: Ville's inequality holds at all times at once, so that one
may look after every document and stop when one likes. What people find in between, in documents
that they chose themselves, is no part of the bet, but lowers what is left.

Stakes depend on earlier draws alone, not on the total in question. A larger total then always
makes us richer, and the totals that are not refuted end at one number, the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

_BOLDEST = 0.99  # share of the stake at which the worst draw would ruin us
_PRIOR_VARIANCE = 0.01  # of the draws, before any is seen: this share of the largest squared
_HALVINGS = 60


class Draws(NamedTuple):
    """Uniform draws, one by one, from documents of which some leave in between."""

    value: Array  # of the document drawn
    known: Array  # total of the documents read before this draw
    left: Array  # number of documents not read before this draw


def upper_total(draws: Draws, largest: float, error: float) -> float:
    """Bound the total over all documents, read or not; wrong with at most this probability.

    Parameters
    ----------
    draws : Draws
        In order.
    largest : float
        No document has a larger value; none has one below 0.
    error : float
        Probability that the bound is ever below the total.

    Examples
    --------
    >>> clean = Draws(np.zeros(60), np.zeros(60), 100.0 - np.arange(60))
    >>> round(upper_total(clean, largest=1.0, error=0.05), 2)
    3.42
    """
    if len(draws.value) and draws.value.max() > largest:
        raise ValueError(
            f"largest must not be below any value, but is {largest:g} and a value is "
            f"{draws.value.max():g}"
        )
    stakes = stakes_of(draws.value, largest, error)
    needed = -np.log(error)
    if not len(stakes):
        return np.inf
    known = float(draws.known[-1] + draws.value[-1])
    low, high = known, known + (draws.left[-1] - 1.0) * largest
    if high <= low or log_wealth(draws, stakes, high) < needed:
        return float(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if log_wealth(draws, stakes, middle) >= needed else (middle, high)
    return float(high)


def upper_mean(values: Array, largest: float, error: float) -> float:
    """Bound the mean from independent draws, as if of endlessly many documents.

    >>> round(upper_mean(np.zeros(60), largest=1.0, error=0.05), 3)
    0.052
    """
    many = np.full(len(values), 1e12)
    bound = upper_total(Draws(values, np.zeros(len(values)), many), largest, error)
    return float(min(largest, bound / 1e12))


def log_wealth(draws: Draws, stakes: Array, total: float) -> float:
    """Return the logarithm of the largest wealth so far, if the total were this."""
    return float(_largest_log_wealth(*draws, stakes, total))


@njit(cache=True)
def stakes_of(values: Array, largest: float, error: float) -> Array:
    """Return the stake of every bet: bold when the draws so far vary little."""
    stakes = np.empty(len(values))
    count, mean = 1.0, 0.0
    squares = _PRIOR_VARIANCE * largest * largest
    for t in range(len(values)):
        variance = squares / count
        wanted = np.sqrt(-2.0 * np.log(error) / (variance * (t + 1.0) * np.log(t + 2.0)))
        stakes[t] = min(wanted, _BOLDEST / largest)
        count += 1.0
        away = values[t] - mean
        mean += away / count
        squares += away * (values[t] - mean)
    return stakes


@njit(cache=True)
def _largest_log_wealth(
    values: Array, known: Array, left: Array, stakes: Array, total: float
) -> float:
    wealth, largest = 0.0, 0.0
    for t in range(len(values)):
        expected = (total - known[t]) / left[t]
        if expected < 0.0:  # more has been found than that: not for us to refute
            return -np.inf
        wealth += np.log(1.0 + stakes[t] * (expected - values[t]))
        largest = max(largest, wealth)
    return largest
