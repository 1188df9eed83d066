"""How much the predictions count, and how much the residuals vary: learnt from all classes.

The *residual* of a document and a class is y - lambda f, with y the true label and f the
prediction. Power tuning (PPI++, Angelopoulos, Duchi and Zrnic, 2023) chooses the lambda for which
the residuals vary least: the slope of y on f. Few audited documents say little about a slope.
Therefore each slope is drawn towards 1, which is right for calibrated probabilities: a priori its
standard deviation is `SLOPE`.

A rare class has almost no errors among the audited documents, so that their variance says nothing.
The probabilities say how much residuals vary: f (1 - f) on average. All classes together say by
which factor that is too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from satc.assurance.shares.sample import Array, Sample

SLOPE = 0.5  # standard deviation of the slopes of classes around 1
PRIOR_DOCUMENTS = 0.5  # uncertain documents that every class has besides those predicted (Jeffreys)


class Tuning(NamedTuple):
    """What all classes say about the predictions.

    Attributes
    ----------
    slope : array, one value per class
        The factor lambda of the predictions, from 0 to 1.
    scale : float
        Factor of the variance that the predictions tell, at least 1.
    n_effective : float
        Number of audited documents on which this rests.
    """

    slope: Array
    scale: float
    n_effective: float


def tuned(sample: Sample) -> Tuning:
    """Learn from the audited documents; there must be one at least."""
    slope = _slopes(sample)
    squares = own_variance(sample, slope).sum() + 1.0 / sample.n_effective
    scale = float(squares / told_variance(sample).sum())
    return Tuning(slope, max(scale, 1.0), sample.n_effective)


def told_variance(sample: Sample) -> Array:
    """Return the variance of the residuals of a document, as the predictions tell it."""
    mean, square = sample.moments[:2]
    return np.maximum(mean - square, 0.0) + PRIOR_DOCUMENTS / sample.frame


def own_variance(sample: Sample, slope: Array) -> Array:
    """Return the variance of the audited residuals, class by class; 0 if there are fewer than 3."""
    n = sample.n_effective
    if n <= 2.0:
        return np.zeros(sample.y.shape[1])
    residual = sample.y - slope * sample.f
    centred = residual - sample.weight @ residual
    return np.asarray(sample.weight @ centred**2 * n / (n - 2.0))  # a mean and a slope are fitted


def _slopes(sample: Sample) -> Array:
    residual = sample.y - sample.f
    covariance = sample.weight @ (residual * sample.f)
    covariance -= (sample.weight @ residual) * (sample.weight @ sample.f)
    spread = np.maximum(sample.moments[1] - sample.moments[0] ** 2, 0.0)
    precision = spread**2 + _noise(sample.moments) / (sample.n_effective * SLOPE**2)
    moved = np.divide(covariance * spread, precision, where=precision > 0.0, out=0.0 * spread)
    return np.clip(1.0 + moved, 0.0, 1.0)


def _noise(moments: Array) -> Array:
    """Return the variance of one document's contribution to the covariance of y - f and f."""
    f, f2, f3, f4 = moments
    return np.maximum((f3 - f4) - 2.0 * f * (f2 - f3) + f**2 * (f - f2), 0.0)
