"""`WithUntrained`: a calibrator, and opinions of which no training documents are known.

The calibrator gives the probabilities. Then each of these opinions is heard, one after the other:
what it is worth is learnt from the documents themselves (`agreement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.calibrator import ClassContext
from satc.calibration.evidence import Evidence, evidence_of, is_there
from satc.calibration.similarity.similar import SimilarDocument
from satc.calibration.untrained.agreement import ClassAgreement, LabelAgreement
from satc.inputs import SINGLE_LABEL, Scores

Array = NDArray[np.float64]


class Calibrator(Protocol):
    """From scores and features (or evidence) to probabilities."""

    def probabilities(self, scores: Any, features: Any = None) -> Array:
        """Return P(document belongs to class), documents x classes."""

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        """Return the features of document i and their effect, one entry per class."""

    def similar_to(self, features: Any, n: int) -> list[SimilarDocument]:
        """Return the n most similar documents with known labels, the nearest first."""


class WithUntrained:
    """The probabilities of a calibrator after further opinions were heard.

    Parameters
    ----------
    calibrator
        A fitted calibrator.
    names : sequence of str
        The opinions that it does not know.
    task : str
        ``"multi-label"`` or ``"single-label"``.
    """

    def __init__(self, calibrator: Calibrator, names: Sequence[str], task: str) -> None:
        self.calibrator = calibrator
        self.names = tuple(names)
        self.task = task

    def fit(self, scores: Scores, evidence: Evidence) -> WithUntrained:
        """Learn what the opinions on these documents are worth."""
        probability = self.calibrator.probabilities(scores, self._known(evidence))
        self.worth_: dict[str, LabelAgreement | ClassAgreement] = {}
        for name in self.names:
            opinion = evidence.opinions[name]
            kind = ClassAgreement if self.task == SINGLE_LABEL else LabelAgreement
            self.worth_[name] = kind().fit(probability, opinion)
            probability = self.worth_[name].heard(probability, opinion)
        return self

    def probabilities(self, scores: Any, features: Any = None) -> Array:
        """Return P(document belongs to class), documents x classes."""
        evidence = evidence_of(features)
        probability = self.calibrator.probabilities(scores, self._known(evidence))
        for name, worth in self.worth_.items():
            probability = worth.heard(probability, evidence.opinions[name])
        return probability

    def context(self, scores: Any, i: int, features: Any = None) -> list[ClassContext]:
        """Return the features of document i and their effect, one entry per class."""
        evidence = evidence_of(features)
        found = self.calibrator.context(scores, i, self._known(evidence))
        rows = slice(i, i + 1 or None)
        probability = np.array([[one.after for one in found]])
        said: list[dict[str, float]] = [dict(one.opinions) for one in found]
        for name, worth in self.worth_.items():
            opinion = evidence.opinions[name][rows]
            probability = worth.heard(probability, opinion)
            if not is_there(opinion)[0]:
                continue
            for j, one in enumerate(said):
                one[name] = float(opinion[0, j])
        return [
            one._replace(after=float(p), opinions=told)
            for one, p, told in zip(found, probability[0], said, strict=True)
        ]

    def similar_to(self, features: Any, n: int) -> list[SimilarDocument]:
        """Return the n most similar documents with known labels, the nearest first."""
        return self.calibrator.similar_to(features, n)

    def _known(self, evidence: Evidence) -> Evidence:
        """Return the evidence without the opinions that the calibrator does not know."""
        known = {n: one for n, one in evidence.opinions.items() if n not in self.names}
        return Evidence(evidence.features, known)
