"""How far the calibrated probabilities can be trusted, learnt from training documents alone.

The calibrator is fitted on four fifths of the training documents and tested on the last fifth, five
times. Three things are learnt, all as shifts of log-odds (`shifts`):

* the *common shift* of each region, for groups of classes with no, few or many positive training
  documents;
* the *spread* of the classes around it: the standard deviation that makes the errors in held-out
  documents most likely;
* the *correlation of errors* within documents: the labels of a document are not independent (where
  a label is wrong, another one is often missing), so the number of errors varies more than
  with independent labels, and the regions vary jointly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.shifts import AT_ZERO, N_REGIONS, SHIFTS, Risks, ShiftedSums, regions_of
from satc.calibration.evidence import rows_of
from satc.gains import Gains, average_gains
from satc.inputs import Labels, Scores
from satc.measures import F1
from satc.ranking.kernels import given_utilities
from satc.ranking.misclassification import GivenMisclassification
from satc.training import Training

Array = NDArray[np.float64]

# P(label) of documents, from their scores and features, and from the scores, labels and features
# of training documents.
Calibrate = Callable[[Scores, Any, Scores, Labels, Any], Array]
# Labels of documents from scores and probabilities.
Decide = Callable[[Scores, Array], Labels]

N_FOLDS = 5
_GROUP_EDGES = np.array([1, 3, 10, 50])  # numbers of positives that separate the groups of classes
_RISK_QUANTILES = (0.95, 0.85, 0.6)  # quantiles of utility that separate the risk levels
_SPREADS = np.geomspace(0.05, 2.0, 14).tolist()
_PRIOR_SPREAD = 0.8  # prior median of the spread of classes,
_PRIOR_LOG_DEVIATION = 0.7  # and prior standard deviation of its logarithm
_REGION_DEVIATION = 2.0  # prior standard deviation of the shift of a region
_GROUP_DEVIATION = 1.5  # prior standard deviation of the shift of a group around its region
_LARGEST_DEVIATION = 1.0  # of the shift of a group, in a draw
_SMALLEST_VARIANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The uncertainty of a calibrator, learnt from held-out documents."""

    gains: Gains  # gain of correcting an error, per class
    risk_edges: Array  # utilities that separate the risk levels of documents
    groups: NDArray[np.int64]  # the group of every class, by its number of positives
    group_shift: Array  # common shift, groups x regions
    group_deviation: Array  # standard deviation of the common shift, groups x regions
    spread: Array  # standard deviation of the shifts of classes, classes x regions
    information: Array  # variance of the number of errors in the held-out documents, per region
    error_covariance: Array  # relative to independent errors, regions x regions
    widening: float = 1.0  # of the interval of a measure
    paired: bool = False  # whether every wrong label means a missing one: exactly one per document

    @property
    def common(self) -> Array:
        """The common shift of every class, classes x regions."""
        return np.asarray(self.group_shift[self.groups])

    def risks(self, signed: Array) -> Risks:
        """Return the risk levels of documents: 0 for the largest utilities, then smaller ones."""
        return _risk_levels(given_utilities(signed, *self.gains), self.risk_edges)

    def prior(self, share: Array) -> Array:
        """Return the prior distribution of the shifts, classes x regions x shifts.

        `share` is the `variance_ratio` of every class and region.
        """
        return shift_prior(self.common, self.spread, share)

    def common_covariance(self, variance: Array) -> Array:
        """Return the covariance of the shifts that all classes of a region share.

        It is the sum of two parts: the estimation error of the calibrator, and the correlation of
        errors within the documents that are not validated. `variance` is the variance of the number
        of errors in these documents if errors were independent, per region.
        """
        left = np.sqrt(np.maximum(variance, _SMALLEST_VARIANCE))
        learnt = np.sqrt(np.maximum(self.information, _SMALLEST_VARIANCE))
        correlated = (self.error_covariance - np.eye(N_REGIONS)) / np.outer(left, left)
        estimation = self.error_covariance / np.outer(learnt, learnt)
        values, vectors = np.linalg.eigh(correlated + estimation)
        return np.asarray(vectors * np.clip(values, 0.0, 1.0) @ vectors.T)

    def draw_common(
        self, expected: Array, variance: Array, n_draws: int, rng: np.random.Generator
    ) -> Array:
        """Draw the common shifts, draws x groups x regions.

        The centre of the draws is chosen so that the mean error rate does not change.
        """
        covariance = self.common_covariance(variance)
        deviation = np.minimum(self.group_deviation, _LARGEST_DEVIATION)
        of_regions = rng.multivariate_normal(
            np.zeros(N_REGIONS), covariance, n_draws, method="eigh"
        )
        of_groups = deviation * rng.standard_normal((n_draws, *deviation.shape))
        skew = 2.0 * variance_ratio(expected, variance) - 1.0
        centre = -0.5 * (np.diagonal(covariance) + deviation**2) * skew
        return np.asarray(centre + of_regions[:, np.newaxis] + of_groups)


def cross_fit(
    calibrate: Calibrate, decide: Decide, training: Training, features: Any, seed: int
) -> Uncertainty:
    """Learn the uncertainty of a calibrator from out-of-fold scores and true labels.

    Held-out documents get their labels as the documents to be estimated do: labels that are chosen
    by probabilities are wrong more often than these probabilities say, and that is learnt here.
    """
    scores, labels = training.oof_scores, training.labels
    fold = np.random.default_rng(seed).permutation(len(scores)) % N_FOLDS
    held_out = [fold == k for k in range(N_FOLDS)]
    wrong = np.empty(scores.shape, dtype=bool)
    signed = np.empty(scores.shape)
    for inside in held_out:
        given = [rows_of(features, np.flatnonzero(rows)) for rows in (inside, ~inside)]
        probability = calibrate(
            scores[inside], given[0], scores[~inside], labels[~inside], given[1]
        )
        decided = decide(scores[inside], probability)
        wrong[inside] = decided != labels[inside]
        signed[inside] = signed_errors(probability, decided)
    fold_positives = np.array([labels[~k].sum(axis=0) for k in held_out])
    return learnt(signed, wrong, held_out, fold_positives, labels.sum(axis=0))


def learnt(
    signed: Array,
    wrong: Labels,
    held_out: Sequence[NDArray[np.bool_]],
    fold_positives: NDArray[np.int64],
    positives: NDArray[np.int64],
) -> Uncertainty:
    """Learn the uncertainty from predicted and true errors of held-out documents.

    Parameters
    ----------
    signed, wrong : arrays, documents x classes
        P(error) by calibrators that had not seen the document, negative where the decision is
        negative; and whether the decision is wrong.
    held_out
        For each fold, which documents were held out.
    fold_positives, positives
        Positive documents of each class, in each fold's training documents and in all.
    """
    gains = average_gains(F1, GivenMisclassification(signed).expected_tables())
    utility = given_utilities(signed, *gains)
    edges = np.quantile(utility, _RISK_QUANTILES)
    risks = _risk_levels(utility, edges)
    likelihood = np.array([_log_likelihood(signed[k], risks[k], wrong[k]) for k in held_out])
    fold_groups = _groups(fold_positives)
    sums = ShiftedSums.of(signed, risks)
    expected, information = (cell[..., AT_ZERO] for cell in sums.errors())
    shift, deviation = _group_shifts(likelihood, fold_groups)
    spread = _group_spreads(likelihood, shift, variance_ratio(expected, information), fold_groups)
    groups = _groups(positives)
    return Uncertainty(
        gains,
        edges,
        groups,
        shift,
        deviation,
        spread[groups],
        information.sum(axis=0),
        _error_covariance(signed, risks, wrong),
    )


def signed_errors(probability: Array, decided: Labels) -> Array:
    """Return P(error) from P(document belongs to class), negative for negative decisions."""
    return np.where(decided, 1.0 - probability, -probability)


def _risk_levels(utility: Array, edges: Array) -> Risks:
    return (utility[:, np.newaxis] < edges).sum(axis=1).astype(np.int8)


def variance_ratio(expected: Array, variance: Array) -> Array:
    """Return the variance of the number of errors / its mean, or 1 where the mean is 0.

    It is the mean of 1 - P(error), weighted by P(error): near 1 where errors are rare.
    """
    return np.where(expected > 0, variance / np.where(expected > 0, expected, 1.0), 1.0)


def shift_prior(common: Array, deviation: Array, share: Array) -> Array:
    """Return the probabilities of the shifts of the grid, on a new last axis.

    Shifts of the log-odds that are symmetric around 0 would increase the mean number of errors. The
    centre of the prior corrects this; `share` is the `variance_ratio`.
    """
    centre = common - 0.5 * deviation**2 * (2.0 * share - 1.0)
    distance = (SHIFTS - centre[..., np.newaxis]) / deviation[..., np.newaxis]
    prior = np.exp(-0.5 * distance**2)
    return np.asarray(prior / prior.sum(axis=-1, keepdims=True))


def _groups(n_positives: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the groups of classes with these numbers of positive training documents."""
    return np.searchsorted(_GROUP_EDGES, n_positives, side="right")


def _log_likelihood(signed: Array, risks: Risks, wrong: Labels) -> Array:
    """Return the log-likelihood of the errors of some documents, classes x regions x shifts."""
    sums = ShiftedSums.of(signed, risks)
    sums.validate(signed, risks, wrong)
    return sums.log_likelihood()


def _group_shifts(likelihood: Array, groups: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return the mean and standard deviation of the shift of every group and region."""
    of_region, _ = _posterior_shift(likelihood.sum(axis=(0, 1)), 0.0, _REGION_DEVIATION)
    of_groups = np.array(
        [likelihood[groups == group].sum(axis=0) for group in range(len(_GROUP_EDGES) + 1)]
    )
    return _posterior_shift(of_groups, of_region[:, np.newaxis], _GROUP_DEVIATION)


def _posterior_shift(
    likelihood: Array, centre: Array | float, deviation: float
) -> tuple[Array, Array]:
    """Return the posterior mean and standard deviation of a shift with a normal prior."""
    logarithm = likelihood - 0.5 * ((SHIFTS - centre) / deviation) ** 2
    weights = np.exp(logarithm - logarithm.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mean = weights @ SHIFTS
    return mean, np.sqrt(np.maximum(weights @ SHIFTS**2 - mean**2, 0.0))


def _group_spreads(
    log_likelihood: Array, shift: Array, share: Array, groups: NDArray[np.int64]
) -> Array:
    """Return the most probable spread of the shifts of classes, groups x regions."""
    distance = np.log(np.array(_SPREADS) / _PRIOR_SPREAD) / _PRIOR_LOG_DEVIATION
    evidence = np.empty((len(_SPREADS), *shift.shape))
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=-1, keepdims=True))
    for k, spread in enumerate(_SPREADS):
        deviation = np.full(share.shape, spread)
        marginal = (likelihood * shift_prior(shift[groups], deviation, share)).sum(axis=-1)
        logarithm = np.log(np.maximum(marginal, 1e-300))
        for group in range(len(shift)):
            evidence[k, group] = logarithm[groups == group].sum(axis=0) - 0.5 * distance[k] ** 2
    return np.asarray(np.array(_SPREADS)[evidence.argmax(axis=0)])


def _error_covariance(signed: Array, risks: Risks, wrong: Labels) -> Array:
    """Return the covariance of the errors of a document, relative to independent errors.

    It has one row and one column per region; with independent errors it is the identity matrix.
    """
    regions = regions_of(signed, risks)
    p = np.abs(signed)
    surplus = np.stack(
        [np.where(regions == k, wrong - p, 0.0).sum(axis=1) for k in range(N_REGIONS)]
    )
    independent = np.array([(p * (1.0 - p))[regions == k].sum() for k in range(N_REGIONS)])
    scale = np.sqrt(np.maximum(independent, _SMALLEST_VARIANCE))
    return np.asarray(surplus @ surplus.T / np.outer(scale, scale))
