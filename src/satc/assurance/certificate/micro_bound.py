"""From a bound on the errors to a bound on a micro-averaged F-beta, precision or recall.

Let L labels be assigned at present, A of them wrong (FP), and let B labels be missing (FN). Then
F-beta >= c if and only if u A + v B <= s L, with weights u, v, s that depend on c. So a bound on a
weighted total of errors gives a bound on F-beta. The weights are fixed in advance, at a value of c
called *aim*, so that one total is bounded at all times. Where the bound on F-beta differs from
`aim`, the worst split of the errors into FP and FN is assumed. Precision is F-beta with beta = 0,
recall with infinite beta.
"""

from __future__ import annotations

import math
from typing import NamedTuple

_BISECTIONS = 50


class ErrorWeights(NamedTuple):
    """F-beta >= c if and only if ``fp * A + fn * B <= labels * L``."""

    fp: float
    fn: float
    labels: float


def micro_weights(beta: float, c: float) -> ErrorWeights:
    """Return the weights for F-beta >= c; beta = 0 is precision, infinite beta is recall.

    >>> micro_weights(1.0, 0.5)
    ErrorWeights(fp=0.75, fn=0.25, labels=0.5)
    >>> micro_weights(0.0, 0.9).fn, micro_weights(math.inf, 0.9).fn
    (0.0, 0.9)
    """
    recall = 1.0 if math.isinf(beta) else beta * beta / (1.0 + beta * beta)
    return ErrorWeights((1.0 - c) + c * (1.0 - recall), c * recall, 1.0 - c)


def micro_lowest(
    beta: float,
    aim: float,
    errors: float,
    n_labels: float,
    n_assigned: float,
    n_others: float = 0.0,
) -> float:
    """Return the lowest F-beta that is possible with at most these errors.

    Parameters
    ----------
    beta, aim : float
        The measure, and the value for which the weights of the errors were computed.
    errors : float
        Upper bound on the weighted total of errors.
    n_labels : float
        Number of assigned labels, L.
    n_assigned : float
        Number of assigned labels that nobody has checked: only these can be counted in `errors`.
    n_others : float
        Number of other errors, of either kind, anywhere: the errors of people.

    Examples
    --------
    >>> round(micro_lowest(1.0, 0.95, errors=1.05 * 4 / 2, n_labels=100, n_assigned=50), 4)
    0.9784
    """
    if errors <= 0.0 and n_others <= 0.0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        c = (low + high) / 2
        weights = micro_weights(beta, c)
        worst = (
            _worst_total(beta, c, aim, errors, n_assigned) + max(weights.fp, weights.fn) * n_others
        )
        low, high = (c, high) if worst <= weights.labels * n_labels else (low, c)
    return low


def _worst_total(beta: float, c: float, aim: float, errors: float, n_assigned: float) -> float:
    """Return the weighted total with the weights of c, for the worst split into FP and FN."""
    fixed, now = micro_weights(beta, aim), micro_weights(beta, c)
    most_wrong = min(n_assigned, errors / fixed.fp)
    splits = [most_wrong, 0.0] if fixed.fn else [most_wrong]
    return max(
        now.fp * wrong + (now.fn * (errors - fixed.fp * wrong) / fixed.fn if fixed.fn else 0.0)
        for wrong in splits
    )
