"""The drift alarm: whether the corrections agree with the predicted probabilities of errors.

The null hypothesis is that the log-odds of the probabilities are wrong by no more than a tolerance,
which is larger the fewer training documents they were learnt from.
The alternatives are larger shifts of the log-odds in either direction, of all classes or of one.
The mean likelihood of the alternatives, divided by the largest likelihood within the tolerance, is
an e-process: under the null hypothesis, the probability that it ever exceeds 20 is at most 5%, no
matter which documents were chosen and when one looks. The errors of a document are correlated;
therefore the logarithm of the likelihood is divided by the variance inflation that this causes,
which makes the alarm more cautious. When there is an alarm, the estimate uses the shift that was
found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.shifts import NEGATIVE, POSITIVE, SHIFTS, STEP
from satc.assurance.live.uncertainty import Uncertainty

Array = NDArray[np.float64]

ALARM = 20.0  # e-value: at most one false alarm in twenty validations
TOLERANCE = 0.3  # permitted shift of the log-odds, for all classes together
_DEVIATIONS = 6.0  # the tolerance grows by this many standard deviations of what was learnt
_ALTERNATIVES = np.linspace(-3.0, 3.0, 25)
_LEAST_INFORMATION = 1e-3
_PRIOR_SPREAD = 1.0  # prior standard deviation of the shift of a drift
_SIDES = {"wrong": POSITIVE, "missing": NEGATIVE}


@dataclass(frozen=True)
class Assumption:
    """Whether the corrections agree with the predicted probabilities of errors.

    Attributes
    ----------
    holds : bool
        False if there is an alarm.
    message : str
        One line that says what does not agree.
    classes : tuple of int
        Classes whose corrections, taken alone, do not agree.
    evidence : float
        The largest e-value; there is an alarm if it is 20 or more.
    """

    holds: bool
    message: str
    classes: tuple[int, ...] = ()
    evidence: float = 1.0


@dataclass(frozen=True, eq=False)
class Drift:
    """The result of the test, and for each region the distribution of the shift that was found."""

    assumption: Assumption
    shifts: Array  # the grid of shifts
    weights: Array | None  # probabilities, regions x shifts; None without an alarm


def drift_of(likelihood: Array, uncertainty: Uncertainty) -> Drift:
    """Test the corrections, given by their log-likelihood, classes x regions x shifts."""
    around = _shifted(likelihood, uncertainty.common)
    inflation = np.maximum(np.diagonal(uncertainty.error_covariance), 1.0)
    tempered = around / inflation[:, np.newaxis]
    weights = np.zeros((likelihood.shape[1], len(_ALTERNATIVES)))
    weights[:, len(_ALTERNATIVES) // 2] = 1.0
    findings, evidence = [], 1.0
    for name, side in _SIDES.items():
        total = tempered[:, side].sum(axis=(0, 1))
        value = float(_e_value(total, TOLERANCE + _estimation_error(uncertainty, side)))
        evidence = max(evidence, value)
        if value >= ALARM:
            posterior = total - 0.5 * (_ALTERNATIVES / _PRIOR_SPREAD) ** 2
            posterior = np.exp(posterior - posterior.max())
            weights[side] = posterior / posterior.sum()
            shift = float(weights[side][0] @ _ALTERNATIVES)
            findings.append(f"too {'many' if shift > 0 else 'few'} {name} labels")
    classes = _drifted_classes(tempered, uncertainty)
    holds = not findings and not classes
    if classes:
        listed = f"in classes {', '.join(map(str, classes))}"
        findings.append(listed if findings else f"unexpected numbers {listed}")
    message = "corrections agree with the probabilities"
    if not holds:
        message = f"corrections do not agree with the probabilities: {' '.join(findings)}"
    assumption = Assumption(holds, message, classes, evidence)
    return Drift(assumption, _ALTERNATIVES, weights if not holds else None)


def _drifted_classes(tempered: Array, uncertainty: Uncertainty) -> tuple[int, ...]:
    """Return the classes whose own shift is larger than the usual spread of the classes."""
    usual = np.maximum(TOLERANCE, 2.0 * uncertainty.spread.max(axis=1))
    values = [
        _e_value(tempered[:, side].sum(axis=1), usual + _estimation_error(uncertainty, side))
        for side in _SIDES.values()
    ]
    found = np.flatnonzero(np.max(values, axis=0) >= ALARM * len(tempered))
    return tuple(found.tolist())


def _estimation_error(uncertainty: Uncertainty, side: slice) -> float:
    """Return how far the shift that was learnt from training documents can be from the true one."""
    inflation = np.maximum(np.diagonal(uncertainty.error_covariance)[side], 1.0)
    information = float((uncertainty.information[side] / inflation).sum())
    return _DEVIATIONS / float(np.sqrt(max(information, _LEAST_INFORMATION)))


def _e_value(logarithm: Array, tolerance: Array | float) -> Array:
    """Return the mean likelihood of the alternatives / the largest one within the tolerance."""
    within = np.abs(_ALTERNATIVES) <= np.asarray(tolerance)[..., np.newaxis]
    null = np.where(within, logarithm, -np.inf).max(axis=-1, keepdims=True)
    return np.asarray(np.exp(np.minimum(logarithm - null, 700.0)).mean(axis=-1))


def _shifted(likelihood: Array, common: Array) -> Array:
    """Interpolate the log-likelihood at the common shift plus every alternative."""
    position = (common[..., np.newaxis] + _ALTERNATIVES - SHIFTS[0]) / STEP
    position = np.clip(position, 0.0, len(SHIFTS) - 1.000001)
    below = position.astype(np.int64)
    part = position - below
    low = np.take_along_axis(likelihood, below, axis=-1)
    high = np.take_along_axis(likelihood, below + 1, axis=-1)
    return np.asarray(low * (1.0 - part) + high * part)
