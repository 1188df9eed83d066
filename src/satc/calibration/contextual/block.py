"""A block of documents, as arrays for the compiled loops.

Log-odds and probabilities are computed by NumPy, to the last digit as everywhere else. What is not
there (votes of similar documents, opinions) is an array of length 0, so that one compiled function
serves all cases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.arrays.compiled import as_doubles, as_singles
from satc.calibration.opinions.pool import Pooled
from satc.calibration.platt import expit
from satc.calibration.similarity.similar import Similar
from satc.inputs import Scores

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


class DocumentBlock(NamedTuple):
    """The data of a block of documents from which features are computed."""

    scores: Array
    logits: Array  # of all opinions together
    probability: Array  # of these log-odds
    votes: Floats
    errors: Floats
    centroid: Floats
    nearest: Floats
    log_length: Floats
    opinions: Array  # log-odds of each opinion, documents and classes, if classes compete

    @classmethod
    def of(cls, scores: Scores, pooled: Pooled, similar: Similar | None = None) -> DocumentBlock:
        """Return a block of documents with their log-odds."""
        n, m = scores.shape
        told = list(pooled.alone.values())
        logits = as_doubles(pooled.logits)
        opinions = as_doubles(np.stack(told)) if told else np.empty((0, n, m))
        if similar is None:
            pairs, documents = np.empty((0, m), np.float32), np.empty(0, np.float32)
            similar = Similar(pairs, pairs, pairs, documents, documents)
        return cls(
            as_doubles(scores),
            logits,
            expit(logits),
            as_singles(similar.votes),
            as_singles(similar.errors),
            as_singles(similar.centroid),
            as_singles(similar.nearest),
            as_singles(np.log1p(similar.length)),
            opinions,
        )

    def looked_at(self, threshold: float) -> NDArray[np.bool_]:
        """Return the pairs that use the model: likely enough, or with the vote of a neighbour."""
        pairs = self.logits >= threshold
        if len(self.votes):
            pairs |= self.votes > 0
        return pairs
