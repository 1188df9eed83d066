"""The estimator of the live accuracy, fitted to the training documents.

An estimate of accuracy draws labels from calibrated probabilities. A contextual ranking method has
such probabilities. The other methods rank with one sigma for all classes, or without probabilities,
which is too coarse. For these methods the best calibrator is fitted that the training data allow:
the contextual one, or class-wise Platt scaling if there are too few documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import AccuracyModel, DocumentSums
from satc.assurance.live.uncertainty import Decide, Uncertainty, cross_fit, signed_errors
from satc.calibration.contextual.calibrator import check_enough
from satc.calibration.evidence import evidence_on_training
from satc.calibration.platt import PlattCalibrator, expit
from satc.calibration.prior_shift.calibrator import WithShiftedPriors, shifted_probabilities
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, Scores
from satc.ranking.documents import RankedDocuments
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.model import RankingModel
from satc.ranking.preparation import CALIBRATORS

Array = NDArray[np.float64]
Probabilities = Callable[[Scores, Any], Array]  # from scores and features to P(label)
Fit = Callable[[Scores, Labels, Any], Probabilities]

_SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1
# Labels that are chosen by the probabilities depend on their errors. On training pools an interval
# this much wider covered at least as often as that of the signs (docs/research/live_accuracy.md).
_WIDENING_OF_CHOSEN = 1.2
_FEW_DOCUMENTS = 1_000  # with fewer training documents the interval is wider by
_WIDENING_OF_FEW = 1.2
MIN_DOCUMENTS = 10  # smallest number of training documents for an estimate


@dataclass(frozen=True, eq=False)
class AccuracyEstimator:
    """Fitted probabilities and their uncertainty; builds the model for any documents."""

    probabilities: Probabilities
    uncertainty: Uncertainty
    seed: int

    def signed(self, scores: Scores, decided: Labels, features: Any = None) -> Array:
        """Return P(error), with a minus sign where the decision is negative."""
        return signed_errors(self.probabilities(scores, features), decided)

    def model(
        self, documents: RankedDocuments, larger_set: DocumentSums | None = None
    ) -> AccuracyModel:
        """Return the model of some documents.

        `larger_set` holds the sums of a larger set, if the documents are a subset of one.
        """
        errors = documents.misclassification
        if documents.model.calibrator is not None and isinstance(errors, GivenMisclassification):
            signed = errors.signed
        else:
            features = documents.features
            signed = self.signed(documents.scores, documents.decided, features)
        decided = documents.decided
        return AccuracyModel(
            signed, decided, self.uncertainty, seed=self.seed, larger_set=larger_set
        )


def accuracy_model(documents: RankedDocuments) -> AccuracyModel:
    """Return the model for the live estimate of a validation."""
    return accuracy_estimator(documents.model).model(documents)


def accuracy_estimator(model: RankingModel) -> AccuracyEstimator:
    """Return the estimator, fitted to the training documents."""
    if model.training is None:
        raise ValueError(
            "accuracy needs oof_scores and y_train, the out-of-fold scores and the true labels of "
            "the training documents, to learn how far the probabilities can be trusted"
        )
    scores, labels = model.training.oof_scores, model.training.labels
    if len(scores) < MIN_DOCUMENTS:
        raise ValueError(
            f"y_train must hold at least {MIN_DOCUMENTS} documents for an estimate of accuracy, "
            f"but holds {len(scores)}"
        )
    seed = model.random_state if isinstance(model.random_state, int) else 0
    features = evidence_on_training(model.training)
    fit = best_calibrator(seed, model.task)

    def calibrate(
        scores: Scores, given: Any, oof: Scores, labels: Labels, train_features: Any
    ) -> Array:
        probability = fit(oof, labels, train_features)(scores, given)
        if isinstance(model.calibrator, WithShiftedPriors):
            probability = shifted_probabilities(probability, labels, model.task)
        return model.lifted(probability)

    uncertainty = cross_fit(calibrate, _decision_rule(model), model.training, features, seed)
    uncertainty = replace(
        uncertainty,
        widening=_widening(model, len(scores)),
        paired=model.task == SINGLE_LABEL,
    )
    if model.calibrator is not None:
        return AccuracyEstimator(_lifted(model, model.calibrator.probabilities), uncertainty, seed)
    return AccuracyEstimator(_lifted(model, fit(scores, labels, features)), uncertainty, seed)


def _lifted(model: RankingModel, probabilities: Probabilities) -> Probabilities:
    """Return probabilities in which ancestors are probable enough, where labels imply them."""
    if model.hierarchy is None:
        return probabilities
    return lambda scores, features: model.lifted(probabilities(scores, features))


def _widening(model: RankingModel, n_documents: int) -> float:
    """Return how much wider the interval is than the draws say."""
    widening = _WIDENING_OF_CHOSEN if model.is_chosen else 1.0
    return widening * (_WIDENING_OF_FEW if n_documents < _FEW_DOCUMENTS else 1.0)


def _decision_rule(model: RankingModel) -> Decide:
    """Return how held-out documents get their labels: as the documents of the model do."""
    if not model.is_chosen:
        return lambda scores, probability: model.closed(model.own_labels(scores))
    return lambda scores, probability: model.choose(probability).labels


def best_calibrator(seed: int, task: str = MULTI_LABEL) -> Fit:
    """Return a function that fits the best calibrator which the training documents allow."""

    def fit(oof: Scores, labels: Labels, train_features: Any) -> Probabilities:
        try:
            check_enough(labels)
        except ValueError:
            return partial(_platt_probabilities, PlattCalibrator().fit(oof, labels), task)
        calibrator = CALIBRATORS[task](random_state=seed)
        return calibrator.fit(oof, labels, train_features).probabilities

    return fit


def _platt_probabilities(
    calibrator: PlattCalibrator, task: str, scores: Scores, features: Any = None
) -> Array:
    probability = np.clip(expit(calibrator.logits(scores)), _SMALLEST, 1.0 - _SMALLEST)
    if task == SINGLE_LABEL:
        probability /= probability.sum(axis=1, keepdims=True)
    return np.asarray(probability)
