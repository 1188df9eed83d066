"""The estimator of the live accuracy, fitted to the training documents.

An estimate of accuracy draws labels from calibrated probabilities. A contextual ranking method has
such probabilities. The other methods rank with one sigma for all classes, or without probabilities,
which is too coarse. For these methods the best calibrator is fitted that the training data allow:
the contextual one, or class-wise Platt scaling if there are too few documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import AccuracyModel, DocumentSums
from satc.assurance.live.uncertainty import Uncertainty, cross_fit, signed_errors
from satc.calibration.contextual.calibrator import ContextualCalibrator, check_enough
from satc.calibration.platt import PlattCalibrator, expit
from satc.calibration.similarity.features import as_features
from satc.inputs import Labels, Scores
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.setting import Setting

Array = NDArray[np.float64]
Probabilities = Callable[[Scores, Any], Array]  # from scores and features to P(label)
Fit = Callable[[Scores, Labels, Any], Probabilities]

_SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1
MIN_DOCUMENTS = 10  # smallest number of training documents for an estimate


@dataclass(frozen=True, eq=False)
class AccuracyEstimator:
    """Fitted probabilities and their uncertainty; builds the model for any documents."""

    probabilities: Probabilities
    uncertainty: Uncertainty
    seed: int

    def signed(self, scores: Scores, features: Any = None) -> Array:
        """Return P(error), with a minus sign where the decision of the classifier is negative."""
        return signed_errors(self.probabilities(scores, features), scores >= 0)

    def model(self, setting: Setting, larger_set: DocumentSums | None = None) -> AccuracyModel:
        """Return the model of some documents.

        `larger_set` holds the sums of a larger set, if the documents are a subset of one.
        """
        errors = setting.misclassification
        if setting.calibrator is not None and isinstance(errors, GivenMisclassification):
            signed = errors.signed
        else:
            signed = self.signed(setting.scores, _features(setting.features, "features"))
        decided = setting.scores >= 0
        return AccuracyModel(
            signed, decided, self.uncertainty, seed=self.seed, larger_set=larger_set
        )


def accuracy_model(setting: Setting) -> AccuracyModel:
    """Return the model for the live estimate of a validation."""
    return accuracy_estimator(setting).model(setting)


def accuracy_estimator(setting: Setting) -> AccuracyEstimator:
    """Return the estimator, fitted to the training documents."""
    if setting.training is None:
        raise ValueError(
            "accuracy needs oof_scores and y_train, the out-of-fold scores and the true labels of "
            "the training documents, to learn how far the probabilities can be trusted"
        )
    scores, labels = setting.training
    if len(scores) < MIN_DOCUMENTS:
        raise ValueError(
            f"y_train must hold at least {MIN_DOCUMENTS} documents for an estimate of accuracy, "
            f"but holds {len(scores)}"
        )
    seed = setting.random_state if isinstance(setting.random_state, int) else 0
    features = _features(setting.train_features, "train_features")
    fit = best_calibrator(seed)

    def calibrate(
        scores: Scores, given: Any, oof: Scores, labels: Labels, train_features: Any
    ) -> Array:
        return fit(oof, labels, train_features)(scores, given)

    uncertainty = cross_fit(calibrate, scores, labels, features, seed)
    if setting.calibrator is not None:
        return AccuracyEstimator(setting.calibrator.probabilities, uncertainty, seed)
    return AccuracyEstimator(fit(scores, labels, features), uncertainty, seed)


def _features(value: Any, name: str) -> Any:
    return None if value is None else as_features(value, name)


def best_calibrator(seed: int) -> Fit:
    """Return a function that fits the best calibrator which the training documents allow."""

    def fit(oof: Scores, labels: Labels, train_features: Any) -> Probabilities:
        try:
            check_enough(labels)
        except ValueError:
            return partial(_platt_probabilities, PlattCalibrator().fit(oof, labels))
        return (
            ContextualCalibrator(random_state=seed).fit(oof, labels, train_features).probabilities
        )

    return fit


def _platt_probabilities(
    calibrator: PlattCalibrator, scores: Scores, features: Any = None
) -> Array:
    return np.clip(expit(calibrator.logits(scores)), _SMALLEST, 1.0 - _SMALLEST)
