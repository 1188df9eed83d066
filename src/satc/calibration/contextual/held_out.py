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

from satc.calibration.contextual.block import DocumentBlock
from satc.calibration.contextual.class_tables import ClassTables
from satc.calibration.contextual.cooccurrence import Cooccurrence, PairCounts, heard_classes
from satc.calibration.contextual.description import (
    DocumentsInContext,
    document_blocks,
    log_priors,
)
from satc.calibration.evidence import Evidence
from satc.calibration.logistic import row_blocks
from satc.calibration.opinions.pool import OpinionPool, Pooled
from satc.calibration.platt import expit
from satc.calibration.similarity.similar import SimilarOf
from satc.inputs import Labels, Scores

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

N_FOLDS = 5
_NEGLIGIBLE = 0.01  # smaller residuals are set to 0


def random_folds(n: int, rng: np.random.Generator) -> Indices:
    """Return a random fold of each document."""
    return np.asarray(rng.permutation(n) % N_FOLDS)


class HeldOut:
    """Lines, priors and co-occurrences for each fold, learnt from the other folds."""

    def __init__(
        self, pool: OpinionPool, scores: Scores, known: Evidence, labels: Labels, fold: Indices
    ) -> None:
        self._scores, self._fold = scores, fold
        self._opinions = {name: known.opinions[name] for name in pool.heard}
        self._pools = pool.held_out
        self._alone = bool((labels.sum(axis=1) == 1).all())  # classes compete
        heard = heard_classes(labels)
        inside = [PairCounts.of(labels[self._fold == k], heard) for k in range(N_FOLDS)]
        together = [part.together for part in inside]
        total = PairCounts(
            sum(together[1:], start=together[0]),
            labels.sum(axis=0).astype(np.float64),
            len(labels),
            heard,
        )
        outside = [total.without(part) for part in inside]
        self.tables = [
            ClassTables.of(
                one.platt.scale,
                log_priors(counted.counts, counted.n_documents),
                Cooccurrence().fit_counts(counted),
            )
            for one, counted in zip(pool.held_out, outside, strict=True)
        ]

    def logits(self, rows: Indices, columns: Indices) -> Array:
        """Return the held-out log-odds of some pairs."""
        logits, fold = np.empty(len(rows)), self._fold[rows]
        for k, pool in enumerate(self._pools):
            inside = fold == k
            pairs = rows[inside], columns[inside]
            told = {name: one[pairs] for name, one in self._opinions.items()}
            logits[inside] = pool.logits(self._scores[pairs], told, columns[inside])
        return logits

    def blocks(self, similar: SimilarOf, pairs: int) -> Iterator[tuple[slice, DocumentsInContext]]:
        """Iterate over the documents in blocks of about this number of pairs."""
        for rows in document_blocks(len(self._scores), self._scores.shape[1], pairs):
            block = DocumentBlock.of(self._scores[rows], self._pooled(rows), similar(rows))
            yield rows, DocumentsInContext(block, self._fold[rows], self.tables)

    def residuals(self, labels: Labels) -> Any:
        """Return label minus held-out probability, as a sparse array without values near 0."""
        parts = []
        for rows in row_blocks(*labels.shape):
            residual = (labels[rows] - expit(self._pooled(rows).logits)).astype(np.float32)
            residual[np.abs(residual) < _NEGLIGIBLE] = 0.0
            parts.append(sparse.csr_array(residual))
        return sparse.csr_array(sparse.vstack(parts))

    def _pooled(self, rows: slice) -> Pooled:
        """Return the held-out log-odds of documents, of all opinions and of each alone."""
        scores, fold = self._scores[rows], self._fold[rows]
        names = self._opinions if self._alone else ()
        pooled = Pooled(np.empty(scores.shape), {name: np.empty(scores.shape) for name in names})
        for k, pool in enumerate(self._pools):
            inside = np.flatnonzero(fold == k)
            told = {name: one[rows][inside] for name, one in self._opinions.items()}
            found = pool.pooled(scores[inside], told, alone=self._alone)
            pooled.logits[inside] = found.logits
            for name, alone in found.alone.items():
                pooled.alone[name][inside] = alone
        return pooled
