"""Prepare a ranking: check the arguments, calibrate, and estimate the tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from satc.arrays.magnitudes import extreme_exponent, scaled
from satc.calibration.cold.calibrator import ColdStartCalibrator
from satc.calibration.contextual.calibrator import ContextualCalibrator, check_enough
from satc.calibration.contextual.one_label import OneLabelCalibrator
from satc.calibration.evidence import Evidence, evidence_of, evidence_on_training
from satc.calibration.prior_shift.calibrator import WithShiftedPriors
from satc.calibration.sigma import calibrate_sigma
from satc.calibration.untrained.calibrator import Calibrator, WithUntrained
from satc.code_book.hierarchy import Hierarchy
from satc.contingency import ContingencyTables
from satc.decisions import Decided, own_labels
from satc.errors import CalibrationWarning
from satc.inputs import (
    MULTI_LABEL,
    SINGLE_LABEL,
    Labels,
    Scores,
    are_distributions,
    as_labels,
    as_scores,
    check_average,
    check_one_label,
    check_same_classes,
    check_same_shape,
    check_task,
    warn_of_probabilities,
)
from satc.measures import parse
from satc.predictions.opinions import parse_opinions
from satc.ranking.arguments.named_classes import match_columns
from satc.ranking.cold_start import chosen_where_learnt, evidence_on
from satc.ranking.documents import RankedDocuments
from satc.ranking.methods import Method, parse_method
from satc.ranking.misclassification import GivenMisclassification, Misclassification
from satc.ranking.model import RankingModel, require_training, seed_of
from satc.ranking.options import (
    DEFAULTS,
    FOR_MEASURE,
    RankingOptions,
    check_decide,
    check_prior_shift,
    with_defaults,
)
from satc.ranking.weights import parse_costs, parse_weights, refuse_weights
from satc.training import Training

Array = NDArray[np.float64]

_LEARNT_INSTEAD = "they start from a prior, and are learnt as people decide"
_SMALLEST = 1e-9  # probabilities of a softmax can be 0
Calibrate = Callable[[Scores, Training, Any, Any, str], Calibrator]  # as `calibrated`
CALIBRATORS = {MULTI_LABEL: ContextualCalibrator, SINGLE_LABEL: OneLabelCalibrator}


def prepare(
    scores: Any,
    *,
    y_true: Any = None,
    calibrate: Calibrate | None = None,
    **options: Unpack[RankingOptions],
) -> RankedDocuments:
    """Check the arguments of `rank`, and return the documents with their ranking model.

    `calibrate` fits the contextual calibrator, or replaces the fit; by default it is `calibrated`.
    """
    given = with_defaults(options, RankingOptions, DEFAULTS)
    method, measure = parse_method(given["method"]), parse(given["measure"])
    check_average(given["average"])
    check_decide(given["decide"])
    check_task(given["task"])
    method.check_task(given["task"])
    check_prior_shift(given["prior_shift"])
    calibrate = calibrate or calibrated
    if given["prior_shift"]:
        calibrate = _with_shifted_priors(calibrate)
    scores, y_true, class_names = match_columns(scores, y_true, given)
    scores = as_scores(scores, "scores")
    warn_of_probabilities(scores, given["task"], stacklevel=4)
    training = _checked_training(scores, given)
    if given["sigma"] is None or method.probability != "sigma":  # else their unit matters
        scores, training = _near_one(scores, training)
    training = _with_opinions(scores, training, given)
    truth = _truth(scores, y_true, method)
    training = _closed_training(scores, training, given)
    if given["task"] == SINGLE_LABEL:
        _check_single(scores, training, truth)
        scores, training = _logits(scores, training)
    weights = parse_weights(scores.shape[1], given["class_weights"], given["error_costs"])
    if method.is_rival:
        refuse_weights(weights, method.name)
    calibrator: Calibrator | None = None
    if method.probability == "context":
        calibrator = _calibrator(scores, training, given, calibrate)
    model = RankingModel(
        method,
        measure,
        given["average"],
        scores.shape[1],
        sigma=_sigma(given["sigma"], training, method, given["average"]),
        calibrator=calibrator,
        task=given["task"],
        weights=weights,
        training=training,
        random_state=given["random_state"],
        hierarchy=given["hierarchy"],
        class_names=class_names,
    )
    return _with_tables(model, scores, truth, given, calibrate)


def _with_tables(
    model: RankingModel,
    scores: Scores,
    truth: Labels | None,
    given: dict[str, Any],
    calibrate: Calibrate,
) -> RankedDocuments:
    """Decide on labels, estimate the tables of a model, and apply it to the documents."""
    features, decisions, probability = given["features"], None, None
    if given["decide"] == FOR_MEASURE:
        probability = model.probability(scores, features)
        decisions = _chosen(model, scores, features, probability, calibrate)
        model = replace(model, cuts=decisions.cuts, rule=decisions.rule)
    elif model.hierarchy is not None:
        decisions = Decided(model.closed(model.own_labels(scores)))
    costs = parse_costs(len(scores), given["costs"])
    documents = RankedDocuments(model, scores, None, features, costs, decisions=decisions)
    if model.method.probability == "truth" and truth is not None:
        errors: Misclassification | None = GivenMisclassification.from_truth(
            documents.decided, truth
        )
    else:
        errors = model.misclassification(scores, features, probability)
    documents = replace(documents, misclassification=errors)
    return replace(documents, model=replace(model, class_tables=tables_of(documents, truth)))


def _chosen(
    model: RankingModel,
    scores: Scores,
    features: Any,
    probability: Array | None,
    calibrate: Calibrate,
) -> Decided:
    """Choose labels for the measure by the probabilities of the method; if it has none, in context.

    In a cold start nothing is known yet to choose by, so the labels are the classifier's own.
    """
    if model.is_cold and probability is not None:
        return chosen_where_learnt(model, scores, probability, np.zeros((0, model.n_classes), bool))
    if probability is None:
        training = require_training(model.training, model.method)
        try:
            check_enough(training.labels)
        except ValueError:  # the order needs no probabilities, so the classifier's labels will do
            return Decided(model.closed(model.own_labels(scores)))
        calibrator = calibrate(scores, training, features, model.random_state, model.task)
        probability = model.lifted(calibrator.probabilities(scores, features))
    return model.choose(probability)


def tables_of(documents: RankedDocuments, truth: Labels | None) -> ContingencyTables | None:
    """Return the tables that the method uses, one for each class; None if it uses none."""
    model, errors = documents.model, documents.misclassification
    if model.method.tables == "none":
        return None
    if model.method.tables == "truth" and truth is not None:
        return ContingencyTables.from_labels(truth, documents.decided)
    if model.method.tables == "expected" and isinstance(errors, GivenMisclassification):
        return errors.expected_tables()
    return model.kfold_tables(len(documents.scores))


def training_of(options: dict[str, Any]) -> Training | None:
    """Return the training documents, given as `training` or as separate arrays."""
    parts = ("oof_scores", "y_train", "train_features")
    training = options.get("training")
    if training is not None:
        for name in parts:
            if options.get(name) is not None:
                raise ValueError(
                    f"{name} must not be given together with training, which contains it"
                )
        return training if isinstance(training, Training) else _not_training(training)
    oof, labels, features = (options.get(name) for name in parts)
    if oof is None and labels is None:
        return None
    if oof is None or labels is None:
        there, missing = ("y_train", "oof_scores") if oof is None else ("oof_scores", "y_train")
        raise ValueError(f"{missing} must be given together with {there}")
    return Training(oof, labels, features)


def _not_training(value: Any) -> Training:
    raise TypeError(f"training must be a satc.Training, but is {type(value).__name__}")


def _checked_training(scores: Scores, options: dict[str, Any]) -> Training | None:
    if options["oof_scores"] is not None:  # check this first: `Training` compares it with y_train
        oof = options["oof_scores"] = as_scores(options["oof_scores"], "oof_scores")
        check_same_classes(scores=scores, oof_scores=oof)
    training = training_of(options)
    if training is not None:
        check_same_classes(scores=scores, oof_scores=training.oof_scores)
    return training


def _closed_training(
    scores: Scores, training: Training | None, given: dict[str, Any]
) -> Training | None:
    """Check the hierarchy, if there is one, and add the ancestors of the training labels."""
    hierarchy = given["hierarchy"]
    if hierarchy is None:
        return training
    if not isinstance(hierarchy, Hierarchy):
        raise TypeError(
            f"hierarchy must be a satc.code_book.Hierarchy, but is {type(hierarchy).__name__}"
        )
    if given["task"] == SINGLE_LABEL:
        raise ValueError(
            "hierarchy must be None in a single-label task: a label that implies its ancestors "
            "would not be the only one"
        )
    if len(hierarchy) != scores.shape[1]:
        raise ValueError(
            f"hierarchy must have the classes of scores, {scores.shape[1]}, but has "
            f"{len(hierarchy)}"
        )
    if training is None:
        return None
    return replace(training, labels=hierarchy.close(training.labels))


def _with_opinions(
    scores: Scores, training: Training | None, given: dict[str, Any]
) -> Training | None:
    """Put opinions on documents beside their features; return the training side with its own."""
    if given["opinions"] is None:
        return training
    shape = None if training is None else (training.n_documents, training.n_classes)
    n_documents, n_classes = scores.shape
    parsed = parse_opinions(given["opinions"], (n_documents, n_classes), shape)
    known = evidence_of(given["features"])
    given["features"] = Evidence(known.features, {**known.opinions, **parsed.documents})
    if training is None:
        return None
    return replace(training, opinions={**training.opinions, **parsed.training})


def _check_single(scores: Scores, training: Training | None, truth: Labels | None) -> None:
    """Refuse what cannot be a task in which every document has exactly one label."""
    if scores.shape[1] < 2:
        raise ValueError(
            "a single-label task needs two classes or more, so scores must have two columns or "
            f"more, but have {scores.shape[1]}"
        )
    if training is not None:
        check_one_label(training.labels, "y_train")
    if truth is not None:
        check_one_label(truth, "y_true")


def _logits(scores: Scores, training: Training | None) -> tuple[Scores, Training | None]:
    """Return the logarithms of scores that are the outputs of a softmax; others do not change."""
    if not are_distributions(scores):
        return scores, training
    if training is None:
        return _logarithm(scores), None
    if not are_distributions(training.oof_scores):
        raise ValueError(
            "oof_scores must be probabilities that sum to 1 in every row, as scores are, "
            "but are not"
        )
    return _logarithm(scores), replace(training, oof_scores=_logarithm(training.oof_scores))


def _logarithm(probability: Scores) -> Scores:
    return np.log(np.maximum(probability.astype(np.float64), _SMALLEST))


def _near_one(scores: Scores, training: Training | None) -> tuple[Scores, Training | None]:
    """Multiply scores of extreme magnitude by a power of two; nothing depends on their unit."""
    if training is None:
        return scaled(scores, extreme_exponent(scores)), None
    exponent = extreme_exponent(training.oof_scores)
    oof_scores = scaled(training.oof_scores, exponent)
    if oof_scores is not training.oof_scores:
        training = replace(training, oof_scores=oof_scores)
    return scaled(scores, exponent), training


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
    training = require_training(training, method)
    return calibrate_sigma(training.oof_scores, training.labels, average)


def _calibrator(
    scores: Scores, training: Training | None, given: dict[str, Any], calibrate: Calibrate
) -> Calibrator:
    """Fit the contextual calibrator; without enough training documents, that of a cold start."""
    if training is None:
        return _cold_calibrator(scores, None, given)
    features = evidence_of(given["features"]).features
    if (features is None) != (training.features is None):
        there, missing = ("features", "train_features")
        if features is None:
            there, missing = missing, there
        raise ValueError(f"{missing} must be given together with {there}")
    if not enough_for_context(training.labels, _LEARNT_INSTEAD, stacklevel=5):
        return _cold_calibrator(scores, training, given)
    seed, task = given["random_state"], given["task"]
    return calibrate(scores, training, given["features"], seed, task)


def calibrated(
    scores: Scores, training: Training, known: Any, random_state: Any, task: str
) -> Calibrator:
    """Fit the contextual calibrator, and learn what opinions without training documents add."""
    calibrator = fit_calibrator(training, random_state, task)
    evidence = evidence_of(known)
    untrained = [name for name in evidence.opinions if name not in training.opinions]
    if not untrained:
        return calibrator
    return WithUntrained(calibrator, untrained, task).fit(scores, evidence)


def _with_shifted_priors(calibrate: Calibrate) -> Calibrate:
    """Return a fit whose probabilities are corrected for how frequent classes are now."""

    def fit(
        scores: Scores, training: Training, known: Any, random_state: Any, task: str
    ) -> Calibrator:
        calibrator = calibrate(scores, training, known, random_state, task)
        return WithShiftedPriors(calibrator, task).fit(scores, known, training.labels)

    return fit


def _cold_calibrator(
    scores: Scores, training: Training | None, given: dict[str, Any]
) -> ColdStartCalibrator:
    """Fit the calibrator of a cold start; `features` become its evidence."""
    seed, task = seed_of(given["random_state"]), given["task"]
    own = own_labels(scores, task)
    given["features"] = evidence_on(scores, own, given["features"], seed)
    calibrator = ColdStartCalibrator(task, seed)
    return calibrator.fit(scores, given["features"], training=training)


def enough_for_context(
    labels: Labels, instead: str = "the paper's own method is used instead", *, stacklevel: int
) -> bool:
    """Whether there are enough training documents for the contextual methods.

    If not, a warning says what is done `instead`.
    """
    try:
        check_enough(labels)
    except ValueError as error:
        warnings.warn(f"{error}: {instead}", CalibrationWarning, stacklevel=stacklevel)
        return False
    return True


def fit_calibrator(
    training: Training, random_state: Any, task: str = MULTI_LABEL
) -> ContextualCalibrator:
    """Fit the contextual calibrator of the task on the training documents."""
    calibrator = CALIBRATORS[task](random_state=seed_of(random_state))
    return calibrator.fit(training.oof_scores, training.labels, evidence_on_training(training))
