"""What the formula of a rival knows about documents: their labels, and how likely these are wrong.

`doubt` turns a confidence into a utility.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from satc.inputs import Labels

Array = NDArray[np.float64]

_SMALLEST = 1e-300  # P(error) can be 0 for scores of large magnitude
_LARGEST = 1.0 - 2.0**-53


@dataclass(frozen=True, eq=False)
class Predicted:
    """Documents with their labels and the probability that each decision is wrong.

    Attributes
    ----------
    decided : bool array, documents x classes
        The labels that are to be validated.
    wrong : array, documents x classes
        P(error) of each decision.
    one_label : bool
        Whether every document has exactly one label, so that probabilities sum to 1.
    cardinality : float or None
        The mean number of labels of the training documents; None if there are none.
    """

    decided: Labels
    wrong: Array
    one_label: bool = False
    cardinality: float | None = None

    @property
    def probability(self) -> Array:
        """P(document belongs to class)."""
        return np.where(self.decided, 1.0 - self.wrong, self.wrong)

    @property
    def confidence(self) -> Array:
        """The log-odds that each decision is right; with sigma, they are sigma x |score|."""
        wrong = np.clip(self.wrong, _SMALLEST, _LARGEST)
        return np.asarray(np.log1p(-wrong) - np.log(wrong))

    @property
    def log_odds(self) -> Array:
        """The log-odds that the document belongs to the class; with sigma, sigma x score."""
        confidence = self.confidence
        return np.where(self.decided, confidence, -confidence)

    @property
    def wrong_label(self) -> Array:
        """P(error) of the one label of each document."""
        return np.asarray(self.wrong[self.decided])


Formula = Callable[[Predicted], Array]


def doubt(confidence: Array) -> Array:
    """Return a utility above 0 that falls as the confidence rises.

    >>> doubt(np.array([-1.0, 0.0, 1.0, 3.0]))
    array([2.  , 1.  , 0.5 , 0.25])
    """
    return np.asarray(np.where(confidence < 0, 1.0 - confidence, 1.0 / (1.0 + abs(confidence))))
