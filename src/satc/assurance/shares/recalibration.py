"""The audit corrects the predictions of all classes together.

Predictions may be labels, or probabilities that are too bold, too careful or inverted. A logistic
function of their log-odds, the same for all classes, is fitted to the audited documents. It has two
parameters and learns them from all pairs of an audited document and a class, so that a single
label hardly changes it. Labels become two probabilities: how often a given label is right, and how
often a missing label is missed. Calibrated probabilities stay as they are: a priori the slope is 1
and the shift is 0, each with standard deviation `SPREAD`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from satc.assurance.shares.sample import Array, Sample

SPREAD = 2.0
LEAST = 1e-6  # smaller probabilities, and those nearer to 1, have no larger log-odds
_STEPS = 50


def fitted(sample: Sample) -> Array:
    """Return the shift and the slope of the log-odds that fit the audited documents best."""
    x = _log_odds(sample.f).ravel()
    y = sample.y.ravel()
    weight = np.repeat(sample.weight * sample.n_effective, sample.y.shape[1])
    prior, found = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    for _ in range(_STEPS):
        step = _step(x, y, weight, found, prior)
        found = found + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-8:
            break
    return found


def _step(x: Array, y: Array, weight: Array, now: Array, prior: Array) -> Array:
    """Return a step of Newton's method towards the most probable shift and slope."""
    p = expit(now[0] + now[1] * x)
    error, curve = weight * (y - p), weight * p * (1.0 - p)
    gradient = np.array([error.sum(), error @ x]) - (now - prior) / SPREAD**2
    mixed = curve @ x
    hessian = np.array([[curve.sum(), mixed], [mixed, curve @ x**2]]) + np.eye(2) / SPREAD**2
    return np.asarray(np.linalg.solve(hessian, gradient))


def recalibrated(predictions: NDArray[np.floating[Any]], shift_and_slope: Array) -> Any:
    """Return the corrected probabilities of all documents; float32 stays float32."""
    shift, slope = shift_and_slope.tolist()
    return expit(_log_odds(predictions) * slope + shift)


def _log_odds(probability: NDArray[np.floating[Any]]) -> Any:
    return logit(np.clip(probability, LEAST, 1.0 - LEAST))
