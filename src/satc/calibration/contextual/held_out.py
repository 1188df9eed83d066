"""Features of training documents, computed without their own labels.

Otherwise a rare class would recognise its own examples, for instance by its prior. The documents
are divided into folds. The Platt lines, priors and co-occurrences for the documents of a fold are
learnt from the other folds. Features are computed block by block, so that no array of documents x
classes is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.contextual.cooccurrence import Cooccurrence, cooccurrence_counts
from satc.calibration.contextual.description import DocumentBlock, document_blocks, log_priors
from satc.calibration.logistic import row_blocks
from satc.calibration.platt import PlattCalibrator, expit
from satc.calibration.similarity.similar import SimilarOf
from satc.inputs import Labels, Scores

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

N_FOLDS = 5
_NEGLIGIBLE = 0.01  # smaller residuals are set to 0


class HeldOut:
    """Lines, priors and co-occurrences for each fold, learnt from the other folds."""

    def __init__(
        self, platt: PlattCalibrator, scores: Scores, labels: Labels, rng: np.random.Generator
    ) -> None:
        self._scores, self._scale = scores, platt.scale
        self._fold = rng.permutation(len(labels)) % N_FOLDS
        lines = [platt.refit(scores, labels, self._fold != k) for k in range(N_FOLDS)]
        self._slope = np.array([line.slope for line in lines])
        self._intercept = np.array([line.intercept for line in lines])
        inside = [cooccurrence_counts(labels[self._fold == k]) for k in range(N_FOLDS)]
        n_outside = len(labels) - np.bincount(self._fold, minlength=N_FOLDS)
        total = sum(inside[1:], start=inside[0])
        outside: list[Any] = [total - part for part in inside]
        pairs = list(zip(outside, n_outside.tolist(), strict=True))
        self._cooccurrence = [Cooccurrence().fit_counts(counts, n) for counts, n in pairs]
        self._prior = np.array([log_priors(counts.diagonal(), n) for counts, n in pairs])

    def logits(self, rows: Indices, columns: Indices) -> Array:
        """Return the held-out Platt logits of some pairs."""
        fold = self._fold[rows]
        slope, intercept = self._slope[fold, columns], self._intercept[fold, columns]
        return np.asarray(self._scores[rows, columns] * slope + intercept, dtype=np.float64)

    def blocks(self, similar: SimilarOf, pairs: int) -> Iterator[tuple[slice, DocumentBlock]]:
        """Iterate over the documents in blocks of about this number of pairs."""
        for rows in document_blocks(len(self._scores), self._scores.shape[1], pairs):
            fold = self._fold[rows]
            logits = self._logits(rows)
            evidence = self._evidence(logits, fold)
            standard = self._scores[rows] / self._scale
            yield rows, DocumentBlock(standard, logits, evidence, self._prior[fold], similar(rows))

    def residuals(self, labels: Labels) -> Any:
        """Return label minus held-out probability, as a sparse array without values near 0."""
        parts = []
        for rows in row_blocks(*labels.shape):
            residual = (labels[rows] - expit(self._logits(rows))).astype(np.float32)
            residual[np.abs(residual) < _NEGLIGIBLE] = 0.0
            parts.append(sparse.csr_array(residual))
        return sparse.csr_array(sparse.vstack(parts))

    def _logits(self, rows: slice) -> Array:
        fold = self._fold[rows]
        logits = self._scores[rows] * self._slope[fold]
        logits += self._intercept[fold]
        return np.asarray(logits, dtype=np.float64)

    def _evidence(self, logits: Array, fold: Indices) -> Array:
        evidence = np.empty(logits.shape)
        for k, cooccurrence in enumerate(self._cooccurrence):
            inside = fold == k
            evidence[inside] = cooccurrence.evidence(expit(logits[inside]))
        return evidence
