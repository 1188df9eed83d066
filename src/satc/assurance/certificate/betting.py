"""An upper bound on a total, from a random sample, valid at any time (Waudby-Smith and Ramdas).

Each candidate for the total number of errors is tested by betting. If the candidate were the true
total, the expected number of errors in the next document of the sample would be known: the errors
that are left, divided by the number of documents that are left. A bet that the document has fewer
errors would then be fair. When the wealth from such bets reaches 1 / error (20 for 95%
confidence), the candidate is refuted. By Ville's inequality this holds at all times at once, so
one may compute the bound after every document and stop at any time. Errors that people find in
documents of their own choice are no part of the bets, but reduce the errors that are left.

The stakes depend on earlier draws only, not on the candidate. A larger candidate therefore always
gives a larger wealth, and the candidates that are not refuted are all those up to one number: the
bound.

Two players bet side by side. The bold one has nine tenths of the wealth and gains most as long as
no error is drawn, but an early error takes almost all that it has. The careful one stakes at most
half as much, and is the richer one after early errors. The sum of their wealths is fair because
each of them is fair, and it is this sum that refutes a candidate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PRIOR_VARIANCE = 0.01  # variance of the draws before the first, as a share of largest squared
_BISECTIONS = 60


class Strategy(NamedTuple):
    """How to bet: one value per player in `largest_stakes` and in `wealth`.

    Attributes
    ----------
    boldness
        Factor of the squared stakes.
    largest_stakes
        As shares of the stake at which the worst draw would take all wealth.
    wealth
        What each player has at the start; the sum is 1.
    """

    boldness: float
    largest_stakes: tuple[float, ...]
    wealth: tuple[float, ...]


FIRST = Strategy(2.0, (0.99,), (1.0,))  # of certificates in format 1
HEDGED = Strategy(4.0, (0.99, 0.495), (0.9, 0.1))


class Draws(NamedTuple):
    """Uniform draws, one by one; other documents may be read between two draws."""

    value: Array  # of each drawn document
    known: Array  # total value of the documents read before this draw
    left: Array  # number of documents not read before this draw


def upper_total(draws: Draws, largest: float, error: float, strategy: Strategy = HEDGED) -> float:
    """Return an upper bound on the total value of all documents, read or not.

    Parameters
    ----------
    draws : Draws
        In the order in which they were made.
    largest : float
        The largest value that a document can have; the smallest is 0.
    error : float
        Probability, at most, that the bound is below the total at any time.
    strategy : Strategy
        How to bet; it is fixed before the first draw.

    Examples
    --------
    >>> clean = Draws(np.zeros(60), np.zeros(60), 100.0 - np.arange(60))
    >>> round(upper_total(clean, largest=1.0, error=0.05), 2)
    3.52
    """
    if len(draws.value) and draws.value.max() > largest:
        raise ValueError(
            f"largest must not be below any value, but is {largest:g} and a value is "
            f"{draws.value.max():g}"
        )
    if not len(draws.value):
        return np.inf
    known = float(draws.known[-1] + draws.value[-1])
    if largest == 0.0:  # no document can have a value, as where no label can be wrong
        return known
    high = known + float(draws.left[-1] - 1.0) * largest
    if high <= known:
        return high
    stakes = stakes_of(draws.value, largest, error, strategy)
    wealth = np.log(np.array(strategy.wealth))
    return float(_lowest_refuted(*draws, stakes, wealth, -np.log(error), known, high))


def upper_mean(values: Array, largest: float, error: float, strategy: Strategy = HEDGED) -> float:
    """Return an upper bound on the mean of independent draws.

    The draws are treated as draws from a very large set of documents.

    >>> round(upper_mean(np.zeros(60), largest=1.0, error=0.05), 3)
    0.053
    """
    many = np.full(len(values), 1e12)
    draws = Draws(values, np.zeros(len(values)), many)
    return float(min(largest, upper_total(draws, largest, error, strategy) / 1e12))


def stakes_of(values: Array, largest: float, error: float, strategy: Strategy = HEDGED) -> Array:
    """Return the stakes, players x draws; they are larger when the earlier draws vary less."""
    wanted = _wanted_stakes(values, largest, error, strategy.boldness)
    return np.minimum(wanted, np.array(strategy.largest_stakes)[:, np.newaxis] / largest)


def log_wealth(draws: Draws, stakes: Array, total: float, strategy: Strategy = HEDGED) -> float:
    """Return the logarithm of the largest joint wealth so far, for one candidate total."""
    return float(_largest_log_wealth(*draws, stakes, np.log(strategy.wealth), total))


@njit(cache=True)
def _wanted_stakes(values: Array, largest: float, error: float, boldness: float) -> Array:
    stakes = np.empty(len(values))
    count, mean = 1.0, 0.0
    squares = _PRIOR_VARIANCE * largest * largest
    for t in range(len(values)):
        variance = squares / count
        stakes[t] = np.sqrt(-boldness * np.log(error) / (variance * (t + 1.0) * np.log(t + 2.0)))
        count += 1.0
        deviation = values[t] - mean
        mean += deviation / count
        squares += deviation * (values[t] - mean)
    return stakes


@njit(cache=True)
def _largest_log_wealth(
    values: Array, known: Array, left: Array, stakes: Array, wealth: Array, total: float
) -> float:
    wealth, largest = wealth.copy(), 0.0
    for t in range(len(values)):
        expected = (total - known[t]) / left[t]
        if expected < 0.0:  # more errors were found than the candidate total: it is too small
            return -np.inf
        for player in range(len(wealth)):
            wealth[player] += np.log(1.0 + stakes[player, t] * (expected - values[t]))
        largest = max(largest, _log_of_sum(wealth))
    return largest


@njit(cache=True)
def _lowest_refuted(
    values: Array,
    known: Array,
    left: Array,
    stakes: Array,
    wealth: Array,
    wanted: float,
    low: float,
    high: float,
) -> float:
    """Return the lowest total from low to high whose log wealth reaches `wanted`; else high."""
    if not _is_refuted(values, known, left, stakes, wealth, wanted, high):
        return high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if middle == high:
            break
        if _is_refuted(values, known, left, stakes, wealth, wanted, middle):
            high = middle
        elif middle == low:  # no number lies between them
            break
        else:
            low = middle
    return high


@njit(cache=True)
def _is_refuted(
    values: Array,
    known: Array,
    left: Array,
    stakes: Array,
    wealth: Array,
    wanted: float,
    total: float,
) -> bool:
    """Whether `_largest_log_wealth` reaches `wanted`; it need not follow all draws."""
    if total < known.max():
        return False
    wealth, rest = wealth.copy(), np.log(len(wealth)) + 1e-9
    for t in range(len(values)):
        expected = (total - known[t]) / left[t]
        for player in range(len(wealth)):
            wealth[player] += np.log(1.0 + stakes[player, t] * (expected - values[t]))
        # The sum is at most the number of players times the largest wealth.
        if wealth.max() + rest >= wanted and _log_of_sum(wealth) >= wanted:
            return True
    return False


@njit(cache=True)
def _log_of_sum(logarithms: Array) -> float:
    highest = logarithms.max()
    total = 0.0
    for one in logarithms:
        total += np.exp(one - highest)
    return float(highest + np.log(total))
