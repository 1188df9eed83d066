"""From bounded errors to a bound on a measure.

Let L labels be assigned as things stand, A of them wrongly (FP), and B labels missing (FN). Then
F-beta is at least c exactly where u A + v B <= s L, with weights that depend on c: a statement
about a weighted total of errors. The weights are fixed in advance, at the value *aimed* at, so
that one bounded total serves at all times; where the bound comes out at another value, the worst
split of the errors into FP and FN is assumed. Precision and recall are the ends of the family.
"""

from __future__ import annotations

import math
from typing import NamedTuple

_HALVINGS = 50


class Weights(NamedTuple):
    """F-beta >= c where ``fp * A + fn * B <= labels * L``."""

    fp: float
    fn: float
    labels: float


def weights_of(beta: float, c: float) -> Weights:
    """Return the weights; beta 0 is precision, infinite beta is recall.

    >>> weights_of(1.0, 0.5)
    Weights(fp=0.75, fn=0.25, labels=0.5)
    >>> weights_of(0.0, 0.9).fn, weights_of(math.inf, 0.9).fn
    (0.0, 0.9)
    """
    recall = 1.0 if math.isinf(beta) else beta * beta / (1.0 + beta * beta)
    return Weights((1.0 - c) + c * (1.0 - recall), c * recall, 1.0 - c)


def lowest(
    beta: float,
    aim: float,
    errors: float,
    n_labels: float,
    n_assigned: float,
    n_others: float = 0.0,
) -> float:
    """Return the lowest F-beta possible with these errors at most.

    Parameters
    ----------
    beta, aim : float
        The measure, and the value whose weights the errors were weighed by.
    errors : float
        Bound of the weighted total.
    n_labels : float
        Labels assigned, L.
    n_assigned : float
        How many of them the weighted errors can be in: those that nobody has checked.
    n_others : float
        Further errors, anywhere: those of people.

    Examples
    --------
    >>> round(lowest(1.0, 0.95, errors=1.05 * 4 / 2, n_labels=100, n_assigned=50), 4)
    0.9784
    """
    if errors <= 0.0 and n_others <= 0.0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        c = (low + high) / 2
        weights = weights_of(beta, c)
        worst = _worst(beta, c, aim, errors, n_assigned) + max(weights.fp, weights.fn) * n_others
        low, high = (c, high) if worst <= weights.labels * n_labels else (low, c)
    return low


def _worst(beta: float, c: float, aim: float, errors: float, n_assigned: float) -> float:
    """Weigh the errors anew, in the split into FP and FN that weighs most."""
    fixed, now = weights_of(beta, aim), weights_of(beta, c)
    most_wrong = min(n_assigned, errors / fixed.fp)
    splits = [most_wrong, 0.0] if fixed.fn else [most_wrong]
    return max(
        now.fp * wrong + (now.fn * (errors - fixed.fp * wrong) / fixed.fn if fixed.fn else 0.0)
        for wrong in splits
    )
