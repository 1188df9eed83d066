"""The number of positive documents among the undecided ones: an estimate and its interval.

*Estimate.* The difference estimator: the positives that the audit alone estimates, plus lambda
times the difference of the sum of the predictions and of what the audit estimates of that sum. It
is unbiased for every lambda and every classifier.

*Variance.* That of the audited residuals. Where a class has few errors among the audited documents,
it is a mean of that variance and of the one that the predictions tell (`tuning`), which counts as
`PRIOR_ERRORS` audited errors. It is never below the variance of the audited residuals.

*Prior.* The number of positives is the sum of the probabilities, give or take chance and a shift of
the log-odds of the class with standard deviation `SHIFT`: the odds may be wrong by a factor of 50.
The estimate is the mean of the prior and of the difference estimate, weighted by the inverse of the
variances that the predictions tell; its variance follows. This matters for rare classes only.
Where the audit contradicts the prior, it is not used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from satc.assurance.shares.sample import Array, Sample
from satc.assurance.shares.tuning import PRIOR_DOCUMENTS, Tuning, own_variance, told_variance

PRIOR_ERRORS = 4.0  # audited errors that the variance told by the predictions counts as
SHIFT = 2.0  # standard deviation of the shift of a class's log-odds


class Interval(NamedTuple):
    """Estimated positives among the undecided documents, one value per class."""

    estimate: Array
    low: Array
    high: Array


def interval(sample: Sample, tuning: Tuning, level: float) -> Interval:
    """Return the estimate and the interval; there must be one audited document at least."""
    told = told_variance(sample) * tuning.scale
    quantile = float(stdtrit(max(tuning.n_effective - 1.0, 1.0), (1.0 + level) / 2.0))
    correction = difference_estimate(sample, tuning.slope) - sample.f_total
    prior = _prior_variance(sample, tuning)
    expected = prior + told / sample.information
    trust = np.where(correction**2 > quantile**2 * expected, 1.0, prior / expected)
    variance = _variance(sample, tuning, told) / sample.information
    half = quantile * np.sqrt(trust**2 * variance + (1.0 - trust) ** 2 * prior)
    estimate = np.clip(sample.f_total + trust * correction, 0.0, sample.n_left)
    low = np.maximum(estimate - half - sample.too_high, 0.0)
    return Interval(estimate, low, np.minimum(estimate + half + sample.too_low, sample.n_left))


def difference_estimate(sample: Sample, slope: Array) -> Array:
    """Return the estimated positives among the undecided documents, without a prior.

    With slope 0 this is what the audit alone estimates.
    """
    return sample.y_left + slope * (sample.f_total - sample.f_left)


def _variance(sample: Sample, tuning: Tuning, told: Array) -> Array:
    own = own_variance(sample, tuning.slope)
    errors = sample.n_effective * told
    trust = PRIOR_ERRORS / (PRIOR_ERRORS + errors) if sample.n_effective > 2.0 else 1.0
    return np.maximum(own, trust * told + (1.0 - trust) * own)


def _prior_variance(sample: Sample, tuning: Tuning) -> Array:
    by_chance = (sample.uncertain + PRIOR_DOCUMENTS) * tuning.scale
    return np.asarray(by_chance + (SHIFT * by_chance) ** 2)
