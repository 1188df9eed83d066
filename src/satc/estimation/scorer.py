"""Classifiers of all classes: one multi-label classifier, or a copy of one for each class.

Any scikit-learn classifier with `decision_function` or `predict_proba` can be used. If it is not a
multi-label classifier, one copy is fitted for each class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.validation import _num_samples

from satc.estimation.transductive import check_transductive, unlabelled_argument
from satc.inputs import Labels

Array = NDArray[np.float64]

# Probabilities are clipped to this distance from 0 and 1, so that scores are finite.
CLIPPED_AT = 1e-6


class Scorer(NamedTuple):
    """Fitted classifiers for all classes."""

    transformer: Any  # the transformers that all classes share, or None
    members: list[Any]  # one classifier per varying class, or a single multi-label one
    varying: NDArray[np.int64]  # classes with positive and negative examples
    always: NDArray[np.bool_]  # for every class, whether all examples are positive

    def scores(self, X: Any) -> Array:
        """Return scores, documents x classes: sign = decision, magnitude = confidence."""
        if self.transformer is not None:
            X = self.transformer.transform(X)
        scores = np.zeros((_num_samples(X), len(self.always)))
        if len(self.members) == 1 and len(self.varying) > 1:
            scores[:, self.varying] = _multi_label_scores(self.members[0], X)
        else:
            for j, member in zip(self.varying, self.members, strict=True):
                scores[:, j] = _binary_scores(member, X)
        self.decide_constant(scores)
        return scores

    def decide_constant(self, scores: Array) -> None:
        """Fill in the scores of classes without a positive (or without a negative) example.

        Their confidence is the mean confidence of the other classes, so that it fits the scale of
        the classifier. For classifiers with probabilities it is the largest possible confidence;
        without another class it is 1.
        """
        constant = np.setdiff1d(np.arange(len(self.always)), self.varying)
        if not len(constant):
            return
        confidence = 1.0
        if self.members and hasattr(self.members[0], "decision_function"):
            confidence = float(np.mean(np.abs(scores[:, self.varying])))
        elif self.members:
            confidence = float(_logit(np.ones(1))[0])
        scores[:, constant] = np.where(self.always[constant], confidence, -confidence)


def fit_scorer(
    estimator: BaseEstimator,
    X: Any,
    Y: Labels,
    n_jobs: int | None = None,
    fit_params: Mapping[str, Any] | None = None,
    unlabelled: Sequence[Any] = (),
) -> Scorer:
    """Fit a classifier for all classes: one multi-label classifier, or one for each class.

    `fit_params` are arguments of its `fit`, such as ``sample_weight``. `unlabelled` are sets of
    documents without labels, for a transductive classifier.
    """
    given = fit_params or {}
    if unlabelled:
        check_transductive(estimator)
    if not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")):
        raise TypeError(
            "estimator must have decision_function or predict_proba, "
            f"but {type(estimator).__name__} has neither"
        )
    varying = np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
    always: NDArray[np.bool_] = np.asarray(Y.all(axis=0))
    if len(varying) > 1 and get_tags(estimator).classifier_tags.multi_label:
        given = {**given, **unlabelled_argument(None, unlabelled)}
        member = clone(estimator).fit(X, Y[:, varying].astype(np.int64), **given)
        return Scorer(None, [member], varying, always)
    transformer, final, X, given = _share(estimator, X, given)
    if unlabelled and final is estimator and isinstance(estimator, Pipeline):
        raise ValueError(
            "the transformers of a transductive classifier must not need labels, but those of "
            f"{type(estimator).__name__} do"
        )
    given = {**given, **unlabelled_argument(transformer, unlabelled)}
    members = Parallel(n_jobs=n_jobs)(
        delayed(_fit_one)(final, X, Y[:, j].astype(np.int64), given) for j in varying
    )
    return Scorer(transformer, members, varying, always)


def _share(
    estimator: BaseEstimator, X: Any, fit_params: Mapping[str, Any]
) -> tuple[Any, BaseEstimator, Any, Mapping[str, Any]]:
    """Fit the transformers of a pipeline once for all classes, if they need only the documents.

    Returns the fitted transformers (or None), the classifier to fit for each class, the documents
    to fit it on, and the arguments of its `fit`.
    """
    unshared = None, estimator, X, fit_params
    if not isinstance(estimator, Pipeline) or len(estimator.steps) < 2:
        return unshared
    final_params = _params_of_last_step(estimator, fit_params)
    if final_params is None:
        return unshared
    transformer = clone(estimator[:-1])
    try:
        transformed = transformer.fit_transform(X)
    except (TypeError, ValueError):  # a transformer needs labels: each class fits its own
        return unshared
    return transformer, estimator.steps[-1][1], transformed, final_params


def _params_of_last_step(
    pipeline: Pipeline, fit_params: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the arguments that the last step requests; None if other steps request any."""
    if not fit_params:
        return {}
    routed = process_routing(pipeline, "fit", **fit_params)
    (last, _), others = pipeline.steps[-1], [name for name, _ in pipeline.steps[:-1]]
    if any(params for name in others for params in routed.get(name, {}).values()):
        return None
    return dict(routed[last].fit)


def _fit_one(
    estimator: BaseEstimator, X: Any, y: NDArray[np.int64], fit_params: Mapping[str, Any]
) -> Any:
    return clone(estimator).fit(X, y, **fit_params)


def _binary_scores(member: Any, X: Any) -> Array:
    if hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X), dtype=np.float64).reshape(-1)
    return _logit(np.asarray(member.predict_proba(X), dtype=np.float64)[:, 1])


def _multi_label_scores(member: Any, X: Any) -> Array:
    if hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X), dtype=np.float64)
    probability = member.predict_proba(X)
    if isinstance(probability, list):  # one array per class, as forests and neighbours give
        probability = np.column_stack([one[:, 1] for one in probability])
    return _logit(np.asarray(probability, dtype=np.float64))


def _logit(probability: Array) -> Array:
    clipped = np.clip(probability, CLIPPED_AT, 1.0 - CLIPPED_AT)
    return np.asarray(np.log(clipped) - np.log1p(-clipped))
