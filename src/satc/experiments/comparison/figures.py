"""The figures that are read from a curve of the measure while people check documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satc.evaluation.error_reduction import expected_reduction

Array = NDArray[np.float64]

_ROUNDING = 1e-12
START = "start"


@dataclass(frozen=True)
class Figures:
    """Which figures are read from a curve.

    Attributes
    ----------
    targets
        Values of the measure; the figure is the number of documents until it is reached.
    reductions
        Shares of the classifier's own error; the figure is the number of documents until so much
        of it is removed.
    xis
        Expected fractions of the documents that people check; the figure is ENER.
    """

    targets: Sequence[float] = (0.8, 0.9, 0.95)
    reductions: Sequence[float] = (0.9,)
    xis: Sequence[float] = (0.05, 0.10, 0.20)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the figures.

        >>> Figures(targets=(0.9,), xis=(0.1,)).names
        ('start', 'until 0.9', 'until 90% removed', 'ENER(0.1)')
        """
        return (
            START,
            *(f"until {target:g}" for target in self.targets),
            *(f"until {share:.0%} removed" for share in self.reductions),
            *(f"ENER({xi:g})" for xi in self.xis),
        )

    def of(self, value: Array, own: float) -> Array:
        """Return the figures of a curve; `own` is the measure of the classifier's own labels.

        A target that is never reached is NaN.

        >>> Figures(targets=(0.9,), xis=(0.5,)).of(np.array([0.5, 0.75, 1.0]), 0.5)
        array([0.5, 2. , 2. , 0. ])
        """
        reduction = reduction_of(value, own)
        return np.array(
            [
                value[0],
                *(_first(value, target) for target in self.targets),
                *(_first(reduction, share) for share in self.reductions),
                *(expected_reduction(reduction, xi) for xi in self.xis),
            ]
        )


def reduction_of(value: Array, own: float) -> Array:
    """Return the share of the classifier's error that is removed; n / |Te| if it made none."""
    end = value[-1]
    if own >= end:
        return np.linspace(0.0, 1.0, len(value))
    return np.asarray((value - own) / (end - own))


def _first(curve: Array, target: float) -> float:
    reached = np.flatnonzero(curve >= target - _ROUNDING)
    return float(reached[0]) if len(reached) else float("nan")
