"""The probabilities that an estimate of accuracy draws from, whatever the ranking method uses.

A contextual method has them. The others rank by one sigma for all classes, or by no probability at
all, which is too coarse to draw labels from; for them the best calibrator that the training data
supports is fitted: contextual, or class-wise Platt where there are too few documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import AccuracyModel, WholeSums
from satc.assurance.live.uncertainty import Uncertainty, cross_fit, signed_errors
from satc.calibration.contextual.calibrator import ContextualCalibrator, check_enough
from satc.calibration.platt import PlattCalibrator, expit
from satc.calibration.similarity.features import as_features
from satc.inputs import Labels, Scores
from satc.ranking.documents import RankedDocuments
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.model import RankingModel

Array = NDArray[np.float64]
Probabilities = Callable[[Scores, Any], Array]  # of labels, from scores and features
Fit = Callable[[Scores, Labels, Any], Probabilities]

_SMALLEST = 1e-6  # probabilities keep this distance from 0 and 1
MIN_DOCUMENTS = 10  # to learn from at all


@dataclass(frozen=True, eq=False)
class AccuracyEstimator:
    """What has been learnt from the training documents, for models of any documents."""

    probabilities: Probabilities
    uncertainty: Uncertainty
    seed: int

    def signed(self, scores: Scores, features: Any = None) -> Array:
        """Return P(error), negative where the decision is."""
        return signed_errors(self.probabilities(scores, features), scores >= 0)

    def model(self, documents: RankedDocuments, whole: WholeSums | None = None) -> AccuracyModel:
        """Return the model of some documents; `whole` has the sums of the set they are part of."""
        errors = documents.misclassification
        if documents.model.calibrator is not None and isinstance(errors, GivenMisclassification):
            signed = errors.signed
        else:
            signed = self.signed(documents.scores, _features(documents.features, "features"))
        decided = documents.decided
        return AccuracyModel(signed, decided, self.uncertainty, seed=self.seed, whole=whole)


def accuracy_model(documents: RankedDocuments) -> AccuracyModel:
    """Prepare the live estimate of a validation."""
    return accuracy_estimator(documents.model).model(documents)


def accuracy_estimator(model: RankingModel) -> AccuracyEstimator:
    """Learn from the training documents how far the probabilities can be trusted."""
    if model.training is None:
        raise ValueError(
            "accuracy needs oof_scores and y_train, the out-of-fold scores and the true labels of "
            "the training documents: they say how far the probabilities can be trusted"
        )
    scores, labels = model.training.oof_scores, model.training.labels
    if len(scores) < MIN_DOCUMENTS:
        raise ValueError(
            f"y_train must hold at least {MIN_DOCUMENTS} documents for an estimate of accuracy, "
            f"but holds {len(scores)}"
        )
    seed = model.random_state if isinstance(model.random_state, int) else 0
    features = _features(model.training.features, "train_features")
    fit = fitting(seed)

    def calibrate(
        scores: Scores, given: Any, oof: Scores, labels: Labels, train_features: Any
    ) -> Array:
        return fit(oof, labels, train_features)(scores, given)

    uncertainty = cross_fit(calibrate, scores, labels, features, seed)
    if model.calibrator is not None:
        return AccuracyEstimator(model.calibrator.probabilities, uncertainty, seed)
    return AccuracyEstimator(fit(scores, labels, features), uncertainty, seed)


def _features(value: Any, name: str) -> Any:
    return None if value is None else as_features(value, name)


def fitting(seed: int) -> Fit:
    """Return the best way from scores to probabilities that the labels at hand support."""

    def fit(oof: Scores, labels: Labels, train_features: Any) -> Probabilities:
        try:
            check_enough(labels)
        except ValueError:
            return partial(_platt, PlattCalibrator().fit(oof, labels))
        return (
            ContextualCalibrator(random_state=seed).fit(oof, labels, train_features).probabilities
        )

    return fit


def _platt(calibrator: PlattCalibrator, scores: Scores, features: Any = None) -> Array:
    return np.clip(expit(calibrator.logits(scores)), _SMALLEST, 1.0 - _SMALLEST)
