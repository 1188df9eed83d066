"""The probabilities that an estimate of accuracy draws from, whatever the ranking method uses.

A contextual method has them. The others rank by one sigma for all classes, or by no probability at
all, which is too coarse to draw labels from; for them the best calibrator that the training data
supports is fitted: contextual, or class-wise Platt where there are too few documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.accuracy import AccuracyModel
from satc.assurance.uncertainty import Calibrate, cross_fit, signed_errors
from satc.calibration.contextual import ContextualCalibrator, check_enough
from satc.calibration.features import as_features
from satc.calibration.platt import PlattCalibrator, expit
from satc.inputs import Labels, Scores
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.setting import Setting

Array = NDArray[np.float64]

_SMALLEST = 1e-6  # probabilities keep this distance from 0 and 1
MIN_DOCUMENTS = 10  # to learn from at all


def accuracy_model(setting: Setting) -> AccuracyModel:
    """Prepare the live estimate of a validation."""
    if setting.training is None:
        raise ValueError(
            "accuracy needs oof_scores and y_train, the out-of-fold scores and the true labels of "
            "the training documents: they say how far the probabilities can be trusted"
        )
    scores, labels = setting.training
    if len(scores) < MIN_DOCUMENTS:
        raise ValueError(
            f"y_train must hold at least {MIN_DOCUMENTS} documents for an estimate of accuracy, "
            f"but holds {len(scores)}"
        )
    seed = setting.random_state if isinstance(setting.random_state, int) else 0
    calibrate = calibration(seed)
    features, train_features = (
        None if value is None else as_features(value, name)
        for value, name in (
            (setting.features, "features"),
            (setting.train_features, "train_features"),
        )
    )
    uncertainty = cross_fit(calibrate, scores, labels, train_features, seed)
    decided = setting.scores >= 0
    if setting.calibrator is not None and isinstance(
        setting.misclassification, GivenMisclassification
    ):
        signed = setting.misclassification.signed
    else:
        probability = calibrate(setting.scores, features, scores, labels, train_features)
        signed = signed_errors(probability, decided)
    return AccuracyModel(signed, decided, uncertainty, seed=seed)


def calibration(seed: int) -> Calibrate:
    """Return the best way from scores to probabilities that the labels at hand support."""

    def calibrate(
        scores: Scores, features: Any, oof: Scores, labels: Labels, train_features: Any
    ) -> Array:
        try:
            check_enough(labels)
        except ValueError:
            probability = expit(PlattCalibrator().fit(oof, labels).logits(scores))
            return np.clip(probability, _SMALLEST, 1.0 - _SMALLEST)
        calibrator = ContextualCalibrator(random_state=seed).fit(oof, labels, train_features)
        return calibrator.probabilities(scores, features)

    return calibrate
