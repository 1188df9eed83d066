"""One fit of the contextual calibrator for all methods that are compared.

The fit depends on the documents and on the seed, not on the method, the measure or the labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.calibrator import ClassContext
from satc.calibration.similarity.similar import SimilarDocument
from satc.calibration.untrained.calibrator import Calibrator
from satc.inputs import Scores
from satc.ranking.preparation import calibrated
from satc.training import Training

Array = NDArray[np.float64]


class SharedFit:
    """Fits at the first call, and returns the same calibrator afterwards; `calibrate` of `prepare`.

    All calls must be about the same documents and the same seed.
    """

    def __init__(self) -> None:
        self._calibrator: Calibrator | None = None

    def __call__(
        self, scores: Scores, training: Training, known: Any, random_state: Any, task: str
    ) -> Calibrator:
        """Return the calibrator."""
        if self._calibrator is None:
            fitted = calibrated(scores, training, known, random_state, task)
            self._calibrator = _OfDocuments(fitted, scores, fitted.probabilities(scores, known))
        return self._calibrator


class _OfDocuments:
    """A calibrator that keeps its probabilities of some documents."""

    def __init__(self, fitted: Calibrator, scores: Scores, probability: Array) -> None:
        self._fitted, self._scores, self._probability = fitted, scores, probability

    def probabilities(self, scores: Any, features: Any = None) -> Array:
        if np.array_equal(scores, self._scores):
            return self._probability
        return self._fitted.probabilities(scores, features)

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        return self._fitted.context(scores, i, features)

    def similar_to(self, features: Any, n: int) -> list[SimilarDocument]:
        return self._fitted.similar_to(features, n)
