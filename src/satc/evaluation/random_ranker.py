"""The random ranker: its expected error reduction, by formula and by simulation (Section 5.2).

The paper states E[ER(n)] = n/|Te| without proof. It is exact for a measure that is linear in the
corrections (accuracy). For F1 it is an approximation, which the simulation confirms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.evaluation.error_reduction import error_reduction
from satc.measures import Measure

Array = NDArray[np.float64]


def expected_random_curve(n_documents: int) -> Array:
    """Return n/|Te| for n = 0, ..., |Te|.

    >>> expected_random_curve(4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    return np.arange(n_documents + 1) / n_documents


def monte_carlo_random_curve(
    scores: Any,
    y_true: Any,
    *,
    measure: str | Measure = "f1",
    average: str = "macro",
    n_trials: int = 100,
    random_state: Any = 0,
    labels: Any = None,
) -> Array:
    """Return the mean of ER(n) over random orders; the paper uses 100.

    The arguments are those of `error_reduction`.
    """
    if n_trials < 1:
        raise ValueError(f"n_trials must be 1 or more, but is {n_trials}")
    generator = np.random.default_rng(random_state)
    n = len(scores)
    total = np.zeros(n + 1)
    for _ in range(n_trials):
        order = generator.permutation(n)
        total += error_reduction(
            order, scores, y_true, measure=measure, average=average, labels=labels
        ).er
    return total / n_trials
