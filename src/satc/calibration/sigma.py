"""The growth rate sigma, one for all classes (Section 6.2).

Out-of-fold scores should say, through the logistic function, as many positives as there are:
sigma minimises the mean over classes of |Pos - E[Pos]| (*macro*, Equation 13), or the
difference of the two totals (*micro*, Equation 18). The objective is piecewise smooth and may
have several local minima: a wide logarithmic grid finds the valley, a bounded search its floor.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from satc.calibration.logistic import expected_positives
from satc.errors import CalibrationWarning
from satc.inputs import Labels, Scores, choice

# sigma times the typical score; the grid reaches from "every score is a coin flip" to
# "every score is certain", also where a few scores dwarf the typical one; five points to a
# factor of ten.
_GRID = np.logspace(-3, 6, 46)

Gap = Callable[[NDArray[np.float64], NDArray[np.float64]], float]


def macro_gap(positives: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Equation 13: the mean over classes of |Pos - E[Pos]|."""
    return float(np.mean(np.abs(positives - expected)))


def micro_gap(positives: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Equation 18: the difference between all positives and all expected ones."""
    return float(abs(np.sum(positives) - np.sum(expected)))


GAPS: dict[str, Gap] = {"macro": macro_gap, "micro": micro_gap}


def calibrate_sigma(oof_scores: Scores, y_train: Labels, average: str = "macro") -> float:
    """Find the sigma whose expected positives agree best with the true ones.

    Parameters
    ----------
    oof_scores : array of shape (n_train, n_classes)
        Out-of-fold scores of the training documents.
    y_train : boolean array of the same shape
        Their true labels.
    average : {"macro", "micro"}
        Which of the two objectives.

    Warns
    -----
    CalibrationWarning
        If the optimum sits on the edge of the grid, as for scores that separate the classes
        perfectly, or that say nothing.
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
    """Find sigma, wherever the expected positives are summed.

    Parameters
    ----------
    positives : array of shape (n_classes,)
        Pos of every class.
    typical : float
        The mean of |score|.
    expected : callable
        From sigma to E[Pos] of every class.
    gap : callable
        One of `GAPS`.
    """
    if typical == 0.0 or not np.isfinite(1.0 / typical):
        warnings.warn("all scores are 0: every sigma fits alike", CalibrationWarning, stacklevel=3)
        return 1.0

    def objective(log_sigma: float) -> float:
        return gap(positives, expected(float(np.exp(log_sigma)) / typical))

    grid = np.log(_GRID)
    values = np.array([objective(point) for point in grid])
    best = int(np.argmin(values))
    if values[best] == min(values[0], values[-1]):
        warnings.warn(
            f"sigma has no best value inside its grid, {_GRID[best] / typical:g} is taken: "
            "the scores separate the classes perfectly, or say nothing about them",
            CalibrationWarning,
            stacklevel=3,
        )
        return float(_GRID[best] / typical)
    found = minimize_scalar(
        objective,
        bounds=(grid[best - 1], grid[best + 1]),
        method="bounded",
        options={"xatol": 1e-5},
    )
    better = float(found.x) if found.fun < values[best] else float(grid[best])
    return float(np.exp(better)) / typical
