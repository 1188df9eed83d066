"""How far the calibrated probabilities can be trusted, learnt from training documents alone.

The calibrator is fitted on some folds of the training documents and judged on the one left out.
Three things are learnt, as shifts of log-odds (`shifts`). *Where it is wrong on the whole*: the
common shift of each region, for classes of which it had seen no, few or many positives. *How far
classes stray* from that: the standard deviation that makes the errors of the held-out ones most
likely; a class with much evidence strays less. *How errors go together*: labels of a document are
not independent (a wrong label often stands where another is missing), so that errors are more
numerous in some sets of documents than in others, and the regions vary jointly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.shifts import AT_ZERO, N_REGIONS, SHIFTS, Risks, ShiftedSums, regions_of
from satc.gains import Gains, average_gains
from satc.inputs import Labels, Scores
from satc.measures import F1
from satc.ranking.kernels import given_utilities
from satc.ranking.misclassification import GivenMisclassification

Array = NDArray[np.float64]

# Probabilities of labels, for documents and training documents with their labels.
Calibrate = Callable[[Scores, Any, Scores, Labels, Any], Array]

_N_FOLDS = 5
_SEEN = np.array([1, 3, 10, 50])  # positives from which a class belongs to the next group
_RISKY = (0.95, 0.85, 0.6)  # quantiles of expected errors that part the documents
_SPREADS = np.geomspace(0.05, 2.0, 14).tolist()
_USUAL_SPREAD = 0.8  # and the spread of its logarithm, before any evidence
_SPREAD_OF_SPREAD = 0.7
_REGION_SPREAD = 2.0  # of the shift of a region, before any evidence
_GROUP_SPREAD = 1.5  # of the shift of a group of classes around it
_MOST_DOUBT = 1.0  # of a group's shift, in a draw
_LEAST_VARIANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What held-out documents say about the calibrator."""

    gains: Gains  # what correcting an error of each class is worth
    risk_edges: Array  # utilities that part the documents
    groups: NDArray[np.int64]  # class -> group, by the positives that were seen
    group_shift: Array  # common shift, groups x regions
    group_doubt: Array  # its standard deviation
    spread: Array  # standard deviation of the classes' shifts, classes x regions
    information: Array  # variance of the errors that were seen, per region
    joint: Array  # covariance of errors, in units of independent ones, regions x regions

    @property
    def common(self) -> Array:
        """The common shift of every class, classes x regions."""
        return np.asarray(self.group_shift[self.groups])

    def risks(self, signed: Array) -> Risks:
        """Sort documents by what validating them promises: 0 for much, then less."""
        return _risks(given_utilities(signed, *self.gains), self.risk_edges)

    def prior(self, share: Array) -> Array:
        """Return the distribution of every shift on the grid, classes x regions x shifts."""
        return shift_prior(self.common, self.spread, share)

    def joint_covariance(self, variance: Array) -> Array:
        """Return the covariance of shifts that all classes of a region share.

        These are the calibrator's own error and the errors' going together in the documents
        left, in which independent errors would vary by `variance`, per region.
        """
        left = np.sqrt(np.maximum(variance, _LEAST_VARIANCE))
        learnt = np.sqrt(np.maximum(self.information, _LEAST_VARIANCE))
        together = (self.joint - np.eye(N_REGIONS)) / np.outer(left, left)
        own = self.joint / np.outer(learnt, learnt)
        values, vectors = np.linalg.eigh(together + own)
        return np.asarray(vectors * np.clip(values, 0.0, 1.0) @ vectors.T)

    def draw_common(
        self, expected: Array, variance: Array, n_draws: int, rng: np.random.Generator
    ) -> Array:
        """Draw what classes share, draws x groups x regions; error rates stay, on average."""
        covariance = self.joint_covariance(variance)
        doubt = np.minimum(self.group_doubt, _MOST_DOUBT)
        joint = rng.multivariate_normal(np.zeros(N_REGIONS), covariance, n_draws, method="eigh")
        alone = doubt * rng.standard_normal((n_draws, *doubt.shape))
        skewed = 2.0 * rare_share(expected, variance) - 1.0
        centre = -0.5 * (np.diagonal(covariance) + doubt**2) * skewed
        return np.asarray(centre + joint[:, np.newaxis] + alone)


def cross_fit(
    calibrate: Calibrate, scores: Scores, labels: Labels, features: Any, seed: int
) -> Uncertainty:
    """Learn the uncertainty of a calibrator from out-of-fold scores and true labels."""
    fold = np.random.default_rng(seed).permutation(len(scores)) % _N_FOLDS
    held_out = [fold == k for k in range(_N_FOLDS)]
    wrong = (scores >= 0) != labels
    signed = np.empty(scores.shape)
    for inside in held_out:
        given = [_rows(features, rows) for rows in (inside, ~inside)]
        probability = calibrate(
            scores[inside], given[0], scores[~inside], labels[~inside], given[1]
        )
        signed[inside] = signed_errors(probability, scores[inside] >= 0)
    gains = average_gains(F1, GivenMisclassification(signed).expected_tables())
    utility = given_utilities(signed, *gains)
    edges = np.quantile(utility, _RISKY)
    risks = _risks(utility, edges)
    found = np.array([_found(signed[k], risks[k], wrong[k]) for k in held_out])
    seen = np.array([labels[~k].sum(axis=0) for k in held_out])
    sums = ShiftedSums.of(signed, risks)
    expected, information = (cell[..., AT_ZERO] for cell in sums.errors())
    common, doubt = _common(found, _groups(seen))
    spread = _spread(found, common, rare_share(expected, information), _groups(seen))
    now = _groups(labels.sum(axis=0))
    return Uncertainty(
        gains,
        edges,
        now,
        common,
        doubt,
        spread[now],
        information.sum(axis=0),
        _joint(signed, risks, wrong),
    )


def signed_errors(probability: Array, decided: Labels) -> Array:
    """P(error), negative where the decision is, from P(document belongs to class)."""
    return np.where(decided, 1.0 - probability, -probability)


def _risks(utility: Array, edges: Array) -> Risks:
    return (utility[:, np.newaxis] < edges).sum(axis=1).astype(np.int8)


def rare_share(expected: Array, variance: Array) -> Array:
    """Return variance over expected errors: 1 - P(error), in the mean over errors."""
    return np.where(expected > 0, variance / np.where(expected > 0, expected, 1.0), 1.0)


def shift_prior(common: Array, deviation: Array, share: Array) -> Array:
    """Return probabilities of the shifts on the grid, on a new last axis.

    Shifting log-odds up and down alike would make errors more frequent on average. The centre makes
    up for that; `share` is variance over expected errors, near 1 where errors are rare.
    """
    centre = common - 0.5 * deviation**2 * (2.0 * share - 1.0)
    away = (SHIFTS - centre[..., np.newaxis]) / deviation[..., np.newaxis]
    prior = np.exp(-0.5 * away**2)
    return np.asarray(prior / prior.sum(axis=-1, keepdims=True))


def _groups(seen: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.searchsorted(_SEEN, seen, side="right")


def _found(signed: Array, risks: Risks, wrong: Labels) -> Array:
    sums = ShiftedSums.of(signed, risks)
    sums.validate(signed, risks, wrong)
    return sums.log_likelihood()


def _common(found: Array, groups: NDArray[np.int64]) -> tuple[Array, Array]:
    """Find the probable common shift of every group and region, and how far it is in doubt."""
    of_region, _ = _mean_shift(found.sum(axis=(0, 1)), 0.0, _REGION_SPREAD)
    evidence = np.array([found[groups == group].sum(axis=0) for group in range(len(_SEEN) + 1)])
    return _mean_shift(evidence, of_region[:, np.newaxis], _GROUP_SPREAD)


def _mean_shift(likelihood: Array, centre: Array | float, spread: float) -> tuple[Array, Array]:
    logarithm = likelihood - 0.5 * ((SHIFTS - centre) / spread) ** 2
    weights = np.exp(logarithm - logarithm.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mean = weights @ SHIFTS
    return mean, np.sqrt(np.maximum(weights @ SHIFTS**2 - mean**2, 0.0))


def _spread(found: Array, common: Array, share: Array, groups: NDArray[np.int64]) -> Array:
    """Find the probable spread of the classes' shifts, of every group and region."""
    away = np.log(np.array(_SPREADS) / _USUAL_SPREAD) / _SPREAD_OF_SPREAD
    evidence = np.empty((len(_SPREADS), *common.shape))
    likelihood = np.exp(found - found.max(axis=-1, keepdims=True))
    for k, spread in enumerate(_SPREADS):
        deviation = np.full(share.shape, spread)
        marginal = (likelihood * shift_prior(common[groups], deviation, share)).sum(axis=-1)
        logarithm = np.log(np.maximum(marginal, 1e-300))
        for group in range(len(common)):
            evidence[k, group] = logarithm[groups == group].sum(axis=0) - 0.5 * away[k] ** 2
    return np.asarray(np.array(_SPREADS)[evidence.argmax(axis=0)])


def _joint(signed: Array, risks: Risks, wrong: Labels) -> Array:
    """Second moments of documents' surplus errors, region by region, over independent ones."""
    regions = regions_of(signed, risks)
    p = np.abs(signed)
    surplus = np.stack(
        [np.where(regions == k, wrong - p, 0.0).sum(axis=1) for k in range(N_REGIONS)]
    )
    alone = np.array([(p * (1.0 - p))[regions == k].sum() for k in range(N_REGIONS)])
    scale = np.sqrt(np.maximum(alone, _LEAST_VARIANCE))
    return np.asarray(surplus @ surplus.T / np.outer(scale, scale))


def _rows(features: Any, rows: Any) -> Any:
    return None if features is None else features[np.flatnonzero(rows)]
