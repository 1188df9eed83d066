"""`WithShiftedPriors`: a calibrator whose probabilities fit the class frequencies of documents.

The calibrator was fitted to training documents. How frequent the classes are among other documents
is estimated from the probabilities that it gives them (`labels`, `one_label`). All later
probabilities are then corrected by Bayes' rule for these frequencies.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.calibrator import ClassContext
from satc.calibration.prior_shift.labels import shifted_shares, with_shares
from satc.calibration.prior_shift.one_label import shifted_class_shares, with_class_shares
from satc.calibration.similarity.similar import SimilarDocument
from satc.calibration.untrained.calibrator import Calibrator
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels

Array = NDArray[np.float64]

# By how many documents of each class the frequencies stay near those of training; chosen on
# training documents (docs/research/prior_shift.md).
PSEUDO_POSITIVES = 10.0
_SMALLEST = 1e-6  # probabilities are at least this far from 0 and 1


def shifted_probabilities(
    probability: Array,
    y_train: Labels,
    task: str = MULTI_LABEL,
    pseudo_positives: float = PSEUDO_POSITIVES,
) -> Array:
    """Return the probabilities of documents, corrected for how frequent classes are among them."""
    share = np.asarray(y_train.mean(axis=0))
    estimate, correct = _FUNCTIONS[task]
    return _inside(correct(probability, share, estimate(probability, share, pseudo_positives)))


class WithShiftedPriors:
    """The probabilities of a calibrator, corrected for the class frequencies of some documents.

    Parameters
    ----------
    calibrator
        A fitted calibrator.
    task : str
        ``"multi-label"`` or ``"single-label"``.
    pseudo_positives : float
        The weight of the class frequencies in training, in positive documents of each class.

    Attributes
    ----------
    share_, shifted_ : arrays of shape (n_classes,)
        The share of documents of each class: in training, and among the documents.
    """

    def __init__(
        self,
        calibrator: Calibrator,
        task: str = MULTI_LABEL,
        pseudo_positives: float = PSEUDO_POSITIVES,
    ) -> None:
        self.calibrator = calibrator
        self.task = task
        self.pseudo_positives = pseudo_positives

    def fit(self, scores: Any, features: Any, y_train: Labels) -> Self:
        """Estimate how frequent the classes are among these documents."""
        probability = self.calibrator.probabilities(scores, features)
        self.share_ = np.asarray(y_train.mean(axis=0))
        estimate, _ = _FUNCTIONS[self.task]
        self.shifted_ = estimate(probability, self.share_, self.pseudo_positives)
        return self

    def probabilities(self, scores: Any, features: Any = None) -> Array:
        """Return P(document belongs to class), documents x classes."""
        return self._corrected(self.calibrator.probabilities(scores, features))

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        """Return the features of document i and their effect, one entry per class."""
        found = self.calibrator.context(scores, i, features)
        after = self._corrected(np.array([[one.after for one in found]]))[0]
        return [one._replace(after=float(p)) for one, p in zip(found, after, strict=True)]

    def similar_to(self, features: Any, n: int) -> list[SimilarDocument]:
        """Return the n most similar documents with known labels, the nearest first."""
        return self.calibrator.similar_to(features, n)

    def _corrected(self, probability: Array) -> Array:
        _, correct = _FUNCTIONS[self.task]
        return _inside(correct(probability, self.share_, self.shifted_))


_FUNCTIONS = {
    MULTI_LABEL: (shifted_shares, with_shares),
    SINGLE_LABEL: (shifted_class_shares, with_class_shares),
}


def _inside(probability: Array) -> Array:
    return np.clip(probability, _SMALLEST, 1.0 - _SMALLEST)
