"""`RememberedCalibrator`: probabilities of some documents are known; more is fitted when needed.

A project stores the probabilities that its calibrator once gave. With them it can be opened without
a fit. Explanations, and documents that come later, need the calibrator itself, which is fitted when
somebody first asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.calibrator import ClassContext
from satc.calibration.prior_shift.calibrator import WithShiftedPriors
from satc.calibration.similarity.similar import SimilarDocument
from satc.calibration.untrained.calibrator import Calibrator
from satc.inputs import Scores

Array = NDArray[np.float64]


class RememberedCalibrator:
    """A calibrator that is fitted on first use, and that knows what it says of some documents.

    Parameters
    ----------
    fit
        Returns the fitted calibrator; it is called at most once.
    scores, features
        The documents that are known: these very objects.
    probability
        What the calibrator says of them.
    """

    def __init__(
        self, fit: Callable[[], Calibrator], scores: Scores, features: Any, probability: Array
    ) -> None:
        self._fit: Callable[[], Calibrator] | None = fit
        self._known: tuple[Scores, Any, Array] | None = (scores, features, probability)
        self._fitted: Calibrator | None = None
        self._lock = Lock()

    def fitted(self) -> Calibrator:
        """Return the calibrator itself, fitted if it is not yet."""
        with self._lock:
            if self._fit is not None:
                self._fitted, self._fit = self._fit(), None
            if self._fitted is None:
                raise ValueError("the calibrator could not be fitted")
            return self._fitted

    def forget(self) -> None:
        """Free the memory of the known probabilities; later ones come from the calibrator."""
        self._known = None

    def probabilities(self, scores: Any, features: Any = None) -> Array:
        """Return P(document belongs to class), documents x classes."""
        known = self._known
        if known is not None and scores is known[0] and features is known[1]:
            return known[2]
        return self.fitted().probabilities(scores, features)

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        """Return the features of document i and their effect, one entry per class."""
        return self.fitted().context(scores, i, features)

    def similar_to(self, features: Any, n: int) -> list[SimilarDocument]:
        """Return the n most similar documents with known labels, the nearest first."""
        return self.fitted().similar_to(features, n)

    def __reduce__(self) -> tuple[Callable[[Calibrator], Calibrator], tuple[Calibrator]]:
        """Send the fitted calibrator to other processes."""
        return _itself, (self.fitted(),)


def _itself(calibrator: Calibrator) -> Calibrator:
    return calibrator


def make_ready(calibrator: Calibrator | None) -> None:
    """Fit a calibrator that is not fitted yet, so that nobody has to wait for it later."""
    if isinstance(calibrator, WithShiftedPriors):
        calibrator = calibrator.calibrator
    if isinstance(calibrator, RememberedCalibrator):
        calibrator.fitted()
