"""Classifiers of all folds that are fitted together, if the learner can do that.

The learner is then a pipeline of two steps. The first one has the method `fold_factors`: it says
how the features of a document depend on the fold. The second one has `fit_folds`, which fits the
classifiers of all classes, on all documents and on the training part of each fold
(`LogTfidfTransformer` and `LinearSVM`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from satc.estimation.folds import Fold
from satc.estimation.scorer import Scorer
from satc.inputs import Labels

Array = NDArray[np.float64]

_FEWEST_FOLDS = 5  # the time is nearly the same for any number of folds up to 15


def can_fit_together(
    estimator: BaseEstimator,
    labels: Labels,
    folds: Sequence[Fold],
    fit_params: Mapping[str, Any] | None = None,
) -> bool:
    """Whether the classifiers of all folds can be fitted together."""
    if fit_params or not isinstance(estimator, Pipeline) or len(estimator.steps) != 2:
        return False
    transformer, classifier = (step for _, step in estimator.steps)
    return (
        _defines(transformer, "fold_factors")
        and _defines(classifier, "fit_folds")
        and classifier.can_fit_folds
        and len(folds) >= _FEWEST_FOLDS
        and all(_trains_once(fold, len(labels)) for fold in folds)
        and bool((labels.any(axis=0) & ~labels.all(axis=0)).any())
    )


def _defines(step: Any, method: str) -> bool:
    """Whether the class of a step has a method of its own; a subclass may fit in another way."""
    return method in vars(type(step))


def _trains_once(fold: Fold, n: int) -> bool:
    """Whether a fold has training documents, and none of them twice."""
    return 0 < len(fold.train) == len(np.unique(np.arange(n)[fold.train]))


def fit_together(
    estimator: Any, X: Any, labels: Labels, folds: Sequence[Fold], n_jobs: int | None
) -> tuple[Scorer, Array]:
    """Return classifiers that were trained on all documents, and the out-of-fold scores."""
    always: NDArray[np.bool_] = np.asarray(labels.all(axis=0))
    varying = np.flatnonzero(labels.any(axis=0) & ~always)
    transformer = clone(estimator[:-1]).fit(X)
    factors = transformer[0].fold_factors(X, [fold.train for fold in folds])
    members, found = estimator[-1].fit_folds(*factors, labels[:, varying], folds, n_jobs)
    scores = np.zeros(labels.shape)
    scores[:, varying] = found
    for fold in folds:
        scores[fold.test] = _with_constant_classes(scores[fold.test], labels[fold.train], members)
    return Scorer(transformer, members, varying, always), scores


def _with_constant_classes(scores: Array, trained: Labels, members: list[Any]) -> Array:
    """Fill in the scores of classes that are constant in the training part of a fold."""
    always: NDArray[np.bool_] = np.asarray(trained.all(axis=0))
    varying = np.flatnonzero(trained.any(axis=0) & ~always)
    Scorer(None, members if len(varying) else [], varying, always).decide_constant(scores)
    return scores
