"""What a ranking stands on: the arguments of `rank`, checked, calibrated and estimated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from satc.calibration.sigma import GAPS, calibrate_sigma
from satc.contingency import ContingencyTables
from satc.gains import Gains, average_gains, pointwise_gains, unit_gains
from satc.inputs import (
    Labels,
    Scores,
    as_labels,
    as_scores,
    check_same_classes,
    check_same_shape,
    choice,
)
from satc.measures import Measure, parse
from satc.ranking.methods import Method, parse_method
from satc.ranking.misclassification import (
    GivenMisclassification,
    LogisticMisclassification,
    Misclassification,
)
from satc.smoothing import smooth


@dataclass(frozen=True, eq=False)
class Setting:
    """Scores with all that a method needs to know about them."""

    scores: Scores
    method: Method
    measure: Measure
    average: str
    misclassification: Misclassification | None  # none for the random ranker
    tables: ContingencyTables | None  # of the classes, or the pooled one for micro
    sigma: float | None
    random_state: Any

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
        if self.misclassification is None or self.average == "macro":
            return self.misclassification
        return GivenMisclassification(self.misclassification.sums())

    @property
    def column_gains(self) -> Gains:
        """The gains at the start, one pair per column."""
        return self._gains(2 if self.average == "micro" else self.scores.shape[1])

    def _gains(self, size: int) -> Gains:
        if self.tables is None:
            return unit_gains(size)
        formula = pointwise_gains if self.method.is_dynamic else average_gains
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
    random_state: Any = 0,
) -> Setting:
    """Check the arguments of `rank` and bring them into the form that methods work on."""
    chosen = parse_method(method)
    parsed = parse(measure)
    choice(average, GAPS, "average")
    scores = as_scores(scores, "scores")
    training = _training(scores, oof_scores, y_train)
    truth = _truth(scores, y_true, chosen)
    sigma = _sigma(sigma, training, chosen, average)
    return Setting(
        scores,
        chosen,
        parsed,
        average,
        _misclassification(scores, sigma, truth, chosen),
        _tables(scores, training, truth, chosen, average),
        sigma,
        random_state,
    )


Training = tuple[Scores, Labels]


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
    if method.probability != "sigma":
        return None
    if sigma is not None:
        if not (np.isfinite(sigma) and sigma > 0):
            raise ValueError(f"sigma must be a positive number, but is {sigma!r}")
        return float(sigma)
    return calibrate_sigma(*_needed(training, method), average)


def _misclassification(
    scores: Scores, sigma: float | None, truth: Labels | None, method: Method
) -> Misclassification | None:
    if sigma is not None:
        return LogisticMisclassification(scores, sigma)
    if method.probability == "truth" and truth is not None:
        return GivenMisclassification.from_truth(scores, truth)
    return None


def _tables(
    scores: Scores, training: Training | None, truth: Labels | None, method: Method, average: str
) -> ContingencyTables | None:
    if method.tables == "none":
        return None
    if method.tables == "truth" and truth is not None:
        tables = ContingencyTables.from_labels(truth, scores >= 0)
        return tables.pooled() if average == "micro" else tables
    oof, labels = _needed(training, method)
    tables = ContingencyTables.from_labels(labels, oof >= 0).scaled(len(scores) / len(oof))
    return smooth(tables.pooled() if average == "micro" else tables)


def _needed(training: Training | None, method: Method) -> Training:
    if training is None:
        raise ValueError(
            f"method {method.name!r} needs oof_scores and y_train, the out-of-fold scores and "
            "the true labels of the training documents"
        )
    return training
