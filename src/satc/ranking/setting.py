"""What a ranking stands on: the arguments of `rank`, checked, calibrated and estimated."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.calibrator import ContextualCalibrator, check_enough
from satc.calibration.expected import raised
from satc.calibration.sigma import calibrate_sigma
from satc.contingency import ContingencyTables
from satc.errors import CalibrationWarning
from satc.gains import Gains, average_gains, pointwise_gains, unit_gains
from satc.inputs import (
    Labels,
    Scores,
    as_labels,
    as_scores,
    check_average,
    check_same_classes,
    check_same_shape,
)
from satc.measures import Measure, parse
from satc.ranking.methods import Method, parse_method
from satc.ranking.misclassification import (
    GivenMisclassification,
    LogisticMisclassification,
    Misclassification,
)
from satc.ranking.weights import Worth, parse_worth
from satc.smoothing import smooth

Training = tuple[Scores, Labels]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Setting:
    """Scores with all that a method needs to know about them."""

    scores: Scores
    method: Method
    measure: Measure
    average: str
    misclassification: Misclassification | None  # none for the random ranker
    class_tables: ContingencyTables | None  # one for each class
    sigma: float | None
    random_state: Any
    calibrator: ContextualCalibrator | None = None
    features: Any = None
    training: Training | None = None  # out-of-fold scores and true labels
    train_features: Any = None
    worth: Worth | None = None  # none where all weights and costs are 1
    ties: Places | None = None  # which comes first among equals; the index, where there is none

    @property
    def tables(self) -> ContingencyTables | None:
        """The tables that gains come from: of the classes, or the pooled one for micro.

        k-fold estimates are smoothed, expected cells raised; true ones are left as they are.
        """
        if self.class_tables is None:
            return None
        tables = self.class_tables.pooled() if self.average == "micro" else self.class_tables
        if self.method.tables == "expected":
            return raised(tables)
        return smooth(tables) if self.method.tables == "k-fold" else tables

    @property
    def gains(self) -> Gains:
        """The gains at the start, one pair per class."""
        return self._gains(self.scores.shape[1])

    @cached_property
    def columns(self) -> Misclassification | None:
        """What utilities are summed over: the classes; for micro, just FP and FN.

        Micro-averaged gains are the same for every class (Equation 17), so the sums of P(fp)
        and of P(fn) over the classes are all that matters of a document.
        """
        errors = self.misclassification
        if errors is not None and self.worth is not None:
            errors = self.worth.weighed(errors, self.scores)
        if errors is None or self.average == "macro":
            return errors
        return GivenMisclassification(errors.sums())

    @property
    def column_gains(self) -> Gains:
        """The gains at the start, one pair per column."""
        return self._gains(2 if self.average == "micro" else self.scores.shape[1])

    def weighed(self, gains: Gains) -> Gains:
        """Return what corrections are worth, class by class, with the weights of the classes."""
        return gains if self.worth is None else self.worth.gains(gains)

    def _gains(self, size: int) -> Gains:
        if self.tables is None:
            return unit_gains(size)
        formula = pointwise_gains if self.method.gains == "pointwise" else average_gains
        fp, fn = formula(self.measure, self.tables)
        return Gains(*(np.ascontiguousarray(np.broadcast_to(gain, size)) for gain in (fp, fn)))


def prepare(
    scores: Any,
    *,
    oof_scores: Any = None,
    y_train: Any = None,
    y_true: Any = None,
    method: str,
    measure: str | Measure,
    average: str,
    sigma: float | None = None,
    features: Any = None,
    train_features: Any = None,
    random_state: Any = 0,
    class_weights: Any = None,
    costs: Any = None,
    error_costs: Any = None,
) -> Setting:
    """Check the arguments of `rank` and bring them into the form that methods work on."""
    chosen = parse_method(method)
    parsed = parse(measure)
    check_average(average)
    scores = as_scores(scores, "scores")
    training = _training(scores, oof_scores, y_train)
    truth = _truth(scores, y_true, chosen)
    calibrator = None
    if chosen.probability == "context":
        calibrator = _calibrator(_needed(training, chosen), train_features, features, random_state)
        if calibrator is None:
            chosen = parse_method(chosen.plain)
    sigma = _sigma(sigma, training, chosen, average)
    misclassification = _misclassification(scores, sigma, truth, calibrator, features)
    return Setting(
        scores,
        chosen,
        parsed,
        average,
        misclassification,
        tables_of(scores, training, truth, chosen, misclassification),
        sigma,
        random_state,
        calibrator,
        features,
        training,
        train_features,
        parse_worth(scores.shape, class_weights, costs, error_costs),
    )


def part_of(setting: Setting, scores: Scores, ties: Places) -> Setting:
    """Return the setting of these documents, a part of the set whose tables the setting has."""
    worth = None if setting.worth is None else setting.worth.of_documents(len(scores))
    errors = _misclassification(scores, setting.sigma, None, setting.calibrator, None)
    return replace(setting, scores=scores, misclassification=errors, worth=worth, ties=ties)


def _training(scores: Scores, oof_scores: Any, y_train: Any) -> Training | None:
    if oof_scores is None and y_train is None:
        return None
    if oof_scores is None or y_train is None:
        given, missing = (
            ("y_train", "oof_scores") if oof_scores is None else ("oof_scores", "y_train")
        )
        raise ValueError(f"{missing} must be given together with {given}")
    oof = as_scores(oof_scores, "oof_scores")
    labels = as_labels(y_train, "y_train")
    check_same_classes(scores=scores, oof_scores=oof)
    check_same_shape(oof_scores=oof, y_train=labels)
    return oof, labels


def _truth(scores: Scores, y_true: Any, method: Method) -> Labels | None:
    if y_true is None:
        if method.needs_truth:
            raise ValueError(
                f"method {method.name!r} needs y_true, the true labels of the documents"
            )
        return None
    labels = as_labels(y_true, "y_true")
    check_same_shape(scores=scores, y_true=labels)
    return labels


def _sigma(
    sigma: float | None, training: Training | None, method: Method, average: str
) -> float | None:
    if sigma is not None and not (np.isfinite(sigma) and sigma > 0):
        raise ValueError(f"sigma must be a positive number, but is {sigma!r}")
    if method.probability != "sigma":
        return None
    if sigma is not None:
        return float(sigma)
    return calibrate_sigma(*_needed(training, method), average)


def _calibrator(
    training: Training, train_features: Any, features: Any, random_state: Any
) -> ContextualCalibrator | None:
    """Learn the context; None, with a warning, where the training data cannot support it."""
    if (features is None) != (train_features is None):
        given, missing = ("features", "train_features")
        if features is None:
            given, missing = missing, given
        raise ValueError(f"{missing} must be given together with {given}")
    seed = random_state if isinstance(random_state, int) else 0
    try:
        check_enough(training[1])
    except ValueError as error:
        warnings.warn(
            f"{error}: the paper's own method is used instead", CalibrationWarning, stacklevel=4
        )
        return None
    return ContextualCalibrator(random_state=seed).fit(*training, train_features)


def _misclassification(
    scores: Scores,
    sigma: float | None,
    truth: Labels | None,
    calibrator: ContextualCalibrator | None,
    features: Any,
) -> Misclassification | None:
    if calibrator is not None:
        probability = calibrator.probabilities(scores, features)
        return GivenMisclassification.from_probability(scores, probability)
    if sigma is not None:
        return LogisticMisclassification(scores, sigma)
    if truth is not None:
        return GivenMisclassification.from_truth(scores, truth)
    return None


def tables_of(
    scores: Scores,
    training: Training | None,
    truth: Labels | None,
    method: Method,
    misclassification: Misclassification | None,
) -> ContingencyTables | None:
    """Return the tables of the classes that a method goes by."""
    if method.tables == "none":
        return None
    if method.tables == "truth" and truth is not None:
        return ContingencyTables.from_labels(truth, scores >= 0)
    if isinstance(misclassification, GivenMisclassification):
        return misclassification.expected_tables()
    return _kfold(scores, _needed(training, method))


def kfold_tables(setting: Setting) -> ContingencyTables:
    """Return the k-fold estimate of the tables, for methods that do without, too."""
    return _kfold(setting.scores, _needed(setting.training, setting.method))


def _kfold(scores: Scores, training: Training) -> ContingencyTables:
    oof, labels = training
    return ContingencyTables.from_labels(labels, oof >= 0).scaled(len(scores) / len(oof))


def _needed(training: Training | None, method: Method) -> Training:
    if training is None:
        raise ValueError(
            f"method {method.name!r} needs oof_scores and y_train, the out-of-fold scores and "
            "the true labels of the training documents"
        )
    return training
