"""The weights of terms for each class, in a learner whose scores are sums over terms.

For a linear model the weight is the coefficient times the idf; for boosted stumps it is the vote if
the term is present minus the vote if it is absent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.estimation.scorer import Scorer

Weights = Callable[[int], NDArray[np.float64] | None]


def weights_of(scorer: Scorer, n_terms: int) -> Weights:
    """Return a function from a class to the weights of all terms; None if they are not known."""
    position = {int(j): k for k, j in enumerate(scorer.varying)}
    shared = len(scorer.members) == 1 and len(scorer.varying) > 1
    idf = _idf(scorer.transformer, n_terms)

    def weights(label: int) -> NDArray[np.float64] | None:
        if label not in position:
            return None
        k = position[label]
        found = _terms_of(scorer.members[0], k) if shared else _terms_of(scorer.members[k], 0)
        if found is None or len(found) > n_terms:
            return None
        padded = np.zeros(n_terms)
        padded[: len(found)] = found
        return padded * idf

    return weights


def _terms_of(member: Any, k: int) -> NDArray[np.float64] | None:
    """Return the weights of a class in a fitted classifier whose scores are sums over terms."""
    if hasattr(member, "describe") and hasattr(member, "pivots_"):
        votes = member.describe(k, feature_names=None)
        weights = np.zeros(int(member.n_features_in_))
        for vote in votes:
            weights[vote.column] = vote.present - vote.absent
        return weights
    if hasattr(member, "estimators_") and len(member.estimators_) > k:
        return _terms_of(member.estimators_[k], 0)
    if hasattr(member, "steps"):
        return _terms_of(member.steps[-1][1], k) if len(member.steps) == 1 else None
    coefficients = getattr(member, "coef_", None)
    if coefficients is None:
        return None
    dense = coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients
    return np.atleast_2d(np.asarray(dense, dtype=np.float64))[k]


def _idf(transformer: Any, n_terms: int) -> NDArray[np.float64]:
    for _, step in getattr(transformer, "steps", [("", transformer)]):
        if len(idf := getattr(step, "idf_", ())) == n_terms:
            return np.asarray(idf, dtype=np.float64)
    return np.ones(n_terms)
