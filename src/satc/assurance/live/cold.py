"""The live accuracy of a cold start: it rests on documents that were drawn at random.

Without training documents nothing says how far the probabilities can be trusted, and the documents
that people are given first are the doubtful ones, which say little about the others. So the
estimate needs documents that were drawn at random among those that nobody had read (the audit).
Calibrators that have not seen a drawn document predict its errors. The ratio of true to predicted
errors, of wrong and of missing labels, then has a gamma distribution: it is close to 1 if there are
many errors and all were predicted, and uncertain if there are few. Only those drawn documents count
that are as unlikely to be wrong as the documents that are left. Before `LEAST_DRAWN` documents were
drawn and decided, there is no estimate: `NotKnownYetError`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.accuracy import AccuracyModel
from satc.assurance.live.shifts import N_REGIONS, NEGATIVE, POSITIVE, SHIFTS
from satc.assurance.live.uncertainty import N_FOLDS, Uncertainty, signed_errors
from satc.calibration.cold.calibrator import ColdStartCalibrator
from satc.errors import NotKnownYetError
from satc.gains import average_gains
from satc.inputs import SINGLE_LABEL, Labels
from satc.measures import F1
from satc.ranking.cold_start import Decisions, arrays_of
from satc.ranking.documents import RankedDocuments
from satc.ranking.kernels import given_utilities
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.model import seed_of

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAST_DRAWN = 50  # random documents that must be decided before there is an estimate
# The prior of the ratio of true to predicted errors, as if so many had been found and predicted, by
# group of classes: those that no decided document has, those that few have, the others. People get
# the documents first that have most labels, so the fewer of them have a class, the more its missing
# labels are overestimated (docs/research/cold_start.md).
_PRIOR_FOUND = 0.5
_PRIOR_PREDICTED = np.array([[0.5, 3.0], [0.5, 1.5], [0.5, 0.5]])  # wrong labels, missing labels
_SPREAD = 0.8  # standard deviation of the shifts of classes, as in `uncertainty`
_WIDENING = 1.2  # of the interval: with it, it covered in 97% of the cases on training documents
_GROUP_EDGES = np.array([1, 10])  # decided positives that separate the groups of classes
_SIDES = (POSITIVE, NEGATIVE)


@dataclass(frozen=True, eq=False)
class DrawnUncertainty(Uncertainty):
    """The uncertainty of a cold start, learnt from documents that were drawn at random.

    `found` and `predicted` are the errors of the drawn documents and their expected number, groups
    of classes x (wrong labels, missing labels).
    """

    found: Array = None  # type: ignore[assignment]
    predicted: Array = None  # type: ignore[assignment]

    def draw_common(
        self, expected: Array, variance: Array, n_draws: int, rng: np.random.Generator
    ) -> Array:
        """Draw the shifts that all classes have in common, draws x groups x regions."""
        shape, rate = self.found + _PRIOR_FOUND, self.predicted + _PRIOR_PREDICTED
        ratio = rng.gamma(shape, 1.0 / rate, (n_draws, *shape.shape))
        logarithm = np.log(np.maximum(ratio, np.exp(SHIFTS[0])))
        common = np.empty((n_draws, len(self.found), N_REGIONS))
        for k, side in enumerate(_SIDES):
            common[:, :, side] = logarithm[:, :, k, np.newaxis]
        return common


def check_known(n_drawn: int, n_left: int) -> None:
    """Raise an error if too few random documents are decided for an estimate.

    `n_left` documents are not decided; if none is left, the accuracy is known.
    """
    if n_drawn < LEAST_DRAWN and n_left:
        raise NotKnownYetError(min(LEAST_DRAWN - n_drawn, n_left))


def cold_accuracy_model(
    documents: RankedDocuments, decisions: Decisions, drawn: Collection[int]
) -> AccuracyModel:
    """Return the model for the live estimate of a cold start; no decision is submitted to it.

    Parameters
    ----------
    documents
        The documents with their present estimates.
    decisions
        The documents that people decided on, with their labels.
    drawn
        Which of them were drawn at random.
    """
    known = dict(decisions)
    random = np.array(sorted(set(drawn) & known.keys()), dtype=np.int64)
    n_left = len(documents.scores) - len(known)
    check_known(len(random), n_left)
    standing = documents.model.standing
    if n_left and (standing is None or not standing.n_decisions):
        raise NotKnownYetError(min(LEAST_DRAWN, n_left))  # the probabilities are still a prior
    errors = documents.misclassification
    if not isinstance(errors, GivenMisclassification):
        raise TypeError("documents must have the probabilities of a cold start, but have none")
    uncertainty = _uncertainty(documents, errors.signed, decisions, random)
    return AccuracyModel(
        errors.signed,
        documents.decided,
        uncertainty,
        seed=seed_of(documents.model.random_state),
        heeds_corrections=False,
    )


def _uncertainty(
    documents: RankedDocuments, signed: Array, decisions: Decisions, random: Indices
) -> DrawnUncertainty:
    """Compare predicted and true errors of the drawn documents that are like those left."""
    n_classes = documents.model.n_classes
    decided, truth = arrays_of(decisions, n_classes)
    gains = average_gains(F1, GivenMisclassification(signed).expected_tables())
    left = np.ones(len(signed), dtype=bool)
    left[decided] = False
    largest = given_utilities(signed[left], *gains).max(initial=0.0)
    held_out = _held_out(documents, decided, truth, random)
    alike = given_utilities(held_out, *gains) <= largest
    wrong = documents.decided[random] != truth[np.searchsorted(decided, random)]
    held_out, wrong = held_out[alike], wrong[alike]
    groups = np.searchsorted(_GROUP_EDGES, truth.sum(axis=0), side="right")
    n_groups = len(_GROUP_EDGES) + 1
    inflation = _inflation(wrong)
    return DrawnUncertainty(
        gains=gains,
        risk_edges=np.zeros(3),
        groups=groups,
        group_shift=np.zeros((n_groups, N_REGIONS)),
        group_deviation=np.zeros((n_groups, N_REGIONS)),
        spread=np.full((n_classes, N_REGIONS), _SPREAD),
        information=np.ones(N_REGIONS),
        error_covariance=np.eye(N_REGIONS),
        widening=_WIDENING,
        paired=documents.model.task == SINGLE_LABEL,
        found=_by_group(wrong, held_out, groups) / inflation,
        predicted=_by_group(np.abs(held_out), held_out, groups) / inflation,
    )


def _by_group(values: Any, signed: Array, groups: Indices) -> Array:
    """Sum over groups of classes and over wrong and missing labels."""
    positive = ~np.signbit(signed)
    by_class = np.stack([np.where(side, values, 0).sum(axis=0) for side in (positive, ~positive)])
    return np.stack(
        [by_class[:, groups == k].sum(axis=1) for k in range(len(_GROUP_EDGES) + 1)]
    ).astype(np.float64)


def _held_out(
    documents: RankedDocuments, decided: Indices, truth: Labels, random: Indices
) -> Array:
    """Return P(error) of drawn documents by calibrators that have not seen them, signed."""
    model, scores = documents.model, documents.scores
    seed = seed_of(model.random_state)
    fold = np.random.default_rng(seed).permutation(len(random)) % N_FOLDS
    signed = np.empty((len(random), model.n_classes))
    for k in np.unique(fold).tolist():
        inside = random[fold == k]
        others = ~np.isin(decided, inside)
        calibrator = ColdStartCalibrator(model.task, seed)
        calibrator.fit(scores, documents.features, decided[others], truth[others], model.training)
        known = None if documents.features is None else documents.features.rows(inside)
        probability = calibrator.probabilities(scores[inside], known)
        signed[fold == k] = signed_errors(probability, documents.decided[inside])
    return signed


def _inflation(wrong: Labels) -> float:
    """Return how much more the number of errors varies because errors of a document go together."""
    errors = wrong.sum(axis=1).astype(np.float64)
    return max(1.0, float((errors**2).sum() / max(errors.sum(), 1.0)))
