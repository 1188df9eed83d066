"""The drift alarm: whether the corrections found agree with those predicted.

A likelihood ratio that is compared with the best of the hypotheses under suspicion is an
e-process: if the errors of the validated documents come from probabilities whose log-odds are off
by no more than a tolerance, the chance that it ever exceeds 20 is at most 5%, whichever documents
were chosen and whenever one looks. Alternatives are shifts in either direction, of all
classes or of one. Since errors of a document go together, the ratio is tempered, which only makes
it more careful. When the alarm is on, the shift found is put into the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satc.assurance.live.shifts import NEGATIVE, POSITIVE, SHIFTS, STEP
from satc.assurance.live.uncertainty import Uncertainty

Array = NDArray[np.float64]

ALARM = 20.0  # e-value: one false alarm in twenty validations at most
TOLERANCE = 0.3  # of log-odds, for all classes together
_ALTERNATIVES = np.linspace(-3.0, 3.0, 25)
_PRIOR_SPREAD = 1.0  # of a drift's shift
_SIDES = {"wrong": POSITIVE, "missing": NEGATIVE}


@dataclass(frozen=True)
class Assumption:
    """Whether the corrections found agree with those predicted.

    Attributes
    ----------
    holds : bool
        False when the alarm is on.
    message : str
        What is off, in one line.
    classes : tuple of int
        Classes that are off by themselves.
    evidence : float
        The largest e-value; the alarm is on from 20.
    """

    holds: bool
    message: str
    classes: tuple[int, ...] = ()
    evidence: float = 1.0


@dataclass(frozen=True, eq=False)
class Drift:
    """The verdict, and for each region the distribution of a shift to put things right."""

    assumption: Assumption
    shifts: Array  # the grid of shifts
    weights: Array | None  # regions x shifts, where the alarm is on


def drift_of(likelihood: Array, uncertainty: Uncertainty) -> Drift:
    """Judge the log-likelihood of what was found, classes x regions x shifts."""
    around = _shifted(likelihood, uncertainty.common)
    temper = np.maximum(np.diagonal(uncertainty.joint), 1.0)
    tempered = around / temper[:, np.newaxis]
    weights = np.zeros((likelihood.shape[1], len(_ALTERNATIVES)))
    weights[:, len(_ALTERNATIVES) // 2] = 1.0
    said, evidence = [], 1.0
    for name, side in _SIDES.items():
        total = tempered[:, side].sum(axis=(0, 1))
        value = float(_e_value(total, TOLERANCE))
        evidence = max(evidence, value)
        if value >= ALARM:
            posterior = total - 0.5 * (_ALTERNATIVES / _PRIOR_SPREAD) ** 2
            posterior = np.exp(posterior - posterior.max())
            weights[side] = posterior / posterior.sum()
            shift = float(weights[side][0] @ _ALTERNATIVES)
            said.append(f"too {'many' if shift > 0 else 'few'} {name} labels")
    classes = _classes(tempered, uncertainty)
    holds = not said and not classes
    if classes:
        said.append(f"in classes {', '.join(map(str, classes))}" if said else _unexpected(classes))
    message = "corrections agree with the probabilities"
    if not holds:
        message = f"corrections do not agree with the probabilities: {' '.join(said)}"
    verdict = Assumption(holds, message, classes, evidence)
    return Drift(verdict, _ALTERNATIVES, weights if not holds else None)


def _unexpected(classes: tuple[int, ...]) -> str:
    return f"unexpected numbers in classes {', '.join(map(str, classes))}"


def _classes(tempered: Array, uncertainty: Uncertainty) -> tuple[int, ...]:
    """Find the classes that are off by themselves, beyond what they usually stray."""
    usual = np.maximum(TOLERANCE, 2.0 * uncertainty.spread.max(axis=1))
    values = [_e_value(tempered[:, side].sum(axis=1), usual) for side in _SIDES.values()]
    found = np.flatnonzero(np.max(values, axis=0) >= ALARM * len(tempered))
    return tuple(found.tolist())


def _e_value(logarithm: Array, tolerance: Array | float) -> Array:
    """Return the mean likelihood of the alternatives over the best within the tolerance."""
    within = np.abs(_ALTERNATIVES) <= np.asarray(tolerance)[..., np.newaxis]
    null = np.where(within, logarithm, -np.inf).max(axis=-1, keepdims=True)
    return np.asarray(np.exp(np.minimum(logarithm - null, 700.0)).mean(axis=-1))


def _shifted(likelihood: Array, common: Array) -> Array:
    """Read the likelihood at the common shift plus every alternative."""
    place = (common[..., np.newaxis] + _ALTERNATIVES - SHIFTS[0]) / STEP
    place = np.clip(place, 0.0, len(SHIFTS) - 1.000001)
    below = place.astype(np.int64)
    part = place - below
    low = np.take_along_axis(likelihood, below, axis=-1)
    high = np.take_along_axis(likelihood, below + 1, axis=-1)
    return np.asarray(low * (1.0 - part) + high * part)
