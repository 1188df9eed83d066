"""Transductive classifiers, which also learn from the documents that are to be labelled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter


def is_transductive(estimator: BaseEstimator) -> bool:
    """Whether a classifier also learns from documents without labels: `fit` takes `unlabelled`."""
    final = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return bool(has_fit_parameter(final, "unlabelled"))


def check_transductive(estimator: BaseEstimator) -> None:
    """Refuse documents without labels for a classifier that has no use for them."""
    if not is_transductive(estimator):
        raise ValueError(
            "unlabelled must be left out unless the fit of the classifier takes it, but that of "
            f"{type(estimator).__name__} does not; satc.learners.TransductiveSVM does"
        )


def unlabelled_argument(transformer: Any, parts: Sequence[Any]) -> dict[str, Any]:
    """Return documents without labels as an argument of `fit`; nothing if there are none."""
    if not parts:
        return {}
    found = [part if transformer is None else transformer.transform(part) for part in parts]
    if any(sparse.issparse(part) for part in found):
        return {"unlabelled": sparse.vstack([sparse.csr_matrix(part) for part in found], "csr")}
    return {"unlabelled": np.concatenate([np.asarray(part) for part in found])}
