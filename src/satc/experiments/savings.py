"""The savings of ranking: how many documents must be checked in each order to reach an accuracy.

The target is a share of the classifier's own error that is removed, ER (Equation 10). It means the
same accuracy for all orders, also for labels that were chosen for the measure and start better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.simulation import Simulation

_ROUNDING = 1e-12


class Saving(NamedTuple):
    """The number of documents that one simulation needs to reach a target."""

    name: str
    documents: int  # how many must be checked
    share: float  # of all documents


def savings(simulations: Mapping[str, Simulation], target: float) -> list[Saving]:
    """Count the documents that each simulation needs until a share of the error is removed."""
    curves = {name: sim.error_reduction for name, sim in simulations.items()}
    counts = {name: checks_needed(curve, target) for name, curve in curves.items()}
    return [Saving(name, n, n / (len(curves[name]) - 1)) for name, n in counts.items()]


def checks_needed(error_reduction: NDArray[np.float64] | Sequence[float], target: float) -> int:
    """Return the first n at which the error reduction reaches the target.

    >>> checks_needed([0.0, 0.5, 0.9, 1.0], 0.8)
    2
    """
    if not 0 < target <= 1:
        raise ValueError(f"target must be a share above 0 and up to 1, but is {target}")
    return int(np.argmax(np.asarray(error_reduction) >= target - _ROUNDING))


def accuracy_at(simulation: Simulation, target: float) -> float:
    """Return the measure after a share of the classifier's error is removed; 0: the classifier."""
    left = 1.0 - simulation.error_reduction[0]  # of the error, before anyone reads a document
    error = (1.0 - simulation.value[0]) / left if left > 0 else 0.0
    return float(1.0 - (1.0 - target) * error)
