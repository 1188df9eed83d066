"""The parameter sigma of the logistic function, one for all classes (Section 6.2).

The expected number of positives, from out-of-fold scores and the logistic function, should be the
true number: sigma minimises the mean over classes of |Pos - E[Pos]| (*macro*, Equation 13), or the
difference of the two totals (*micro*, Equation 18). The objective is piecewise smooth and may have
several local minima. A wide logarithmic grid finds the best region, and a bounded search finds the
minimum in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from satc.calibration.logistic import expected_positives
from satc.errors import CalibrationWarning
from satc.inputs import Labels, Scores, choice

# Values of sigma times the mean |score|. At one end every probability is near 0.5, at the other end
# every probability is near 0 or 1, even where a few scores are much larger than the mean. There are
# five points per factor of ten.
_GRID = np.logspace(-3, 6, 46)

Gap = Callable[[NDArray[np.float64], NDArray[np.float64]], float]


def macro_gap(positives: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Return the mean over classes of |Pos - E[Pos]| (Equation 13)."""
    return float(np.mean(np.abs(positives - expected)))


def micro_gap(positives: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Return |all positives - all expected positives| (Equation 18)."""
    return float(abs(np.sum(positives) - np.sum(expected)))


GAPS: dict[str, Gap] = {"macro": macro_gap, "micro": micro_gap}


def calibrate_sigma(oof_scores: Scores, y_train: Labels, average: str = "macro") -> float:
    """Return the sigma whose expected positives agree best with the true ones.

    Parameters
    ----------
    oof_scores : array of shape (n_train, n_classes)
        Out-of-fold scores of the training documents.
    y_train : boolean array of the same shape
        Their true labels.
    average : {"macro", "micro"}
        The objective.

    Warns
    -----
    CalibrationWarning
        If the optimum is at an end of the grid. This happens if the scores separate the classes
        perfectly, or contain no information about them.
    """
    gap = choice(average, GAPS, "average")
    positives = y_train.sum(axis=0).astype(np.float64)
    typical = float(np.mean(np.abs(oof_scores), dtype=np.float64))
    return search_sigma(
        positives, typical, lambda sigma: expected_positives(oof_scores, sigma), gap
    )


def search_sigma(
    positives: NDArray[np.float64],
    typical: float,
    expected: Callable[[float], NDArray[np.float64]],
    gap: Gap,
) -> float:
    """Search sigma; the caller computes the expected positives, for example in a database.

    Parameters
    ----------
    positives : array of shape (n_classes,)
        Pos of every class.
    typical : float
        The mean of |score|.
    expected : callable
        Returns E[Pos] of every class for a value of sigma.
    gap : callable
        One of `GAPS`.
    """
    if not np.isfinite(typical):
        raise ValueError("scores must be so small that their mean is finite, but it is not")
    if typical == 0.0 or not np.isfinite(1.0 / typical):
        warnings.warn(
            "all scores are 0: every sigma fits equally well", CalibrationWarning, stacklevel=3
        )
        return 1.0

    def objective(log_sigma: float) -> float:
        return gap(positives, expected(float(np.exp(log_sigma)) / typical))

    grid = np.log(_GRID)
    values = np.array([objective(point) for point in grid])
    best = int(np.argmin(values))
    if values[best] == min(values[0], values[-1]):
        warnings.warn(
            f"sigma has no best value inside its grid, {_GRID[best] / typical:g} is taken: "
            "the scores separate the classes perfectly, or contain no information about them",
            CalibrationWarning,
            stacklevel=3,
        )
        return float(_GRID[best] / typical)
    found = scipy.optimize.minimize_scalar(
        objective,
        bounds=(grid[best - 1], grid[best + 1]),
        method="bounded",
        options={"xatol": 1e-5},
    )
    better = float(found.x) if found.fun < values[best] else float(grid[best])
    return float(np.exp(better)) / typical
