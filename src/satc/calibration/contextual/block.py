"""A block of documents, as arrays for the compiled loops.

What is not there is an array of length 0: the log-odds, if they follow from the scores alone; the
votes of similar documents; the opinions. So one compiled function serves all cases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.arrays.compiled import as_doubles, as_singles
from satc.calibration.opinions.pool import Pooled
from satc.calibration.similarity.similar import Similar
from satc.inputs import Scores

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


class DocumentBlock(NamedTuple):
    """The data of a block of documents from which features are computed."""

    scores: Array
    logits: Array  # of all opinions together, if there are opinions
    votes: Floats
    errors: Floats
    centroid: Floats
    nearest: Floats
    log_length: Floats
    opinions: Array  # log-odds of each opinion, documents and classes, if classes compete

    @classmethod
    def of(
        cls,
        scores: Scores,
        similar: Similar | None = None,
        pooled: Pooled | None = None,
    ) -> DocumentBlock:
        """Return a block of documents; without `pooled`, log-odds follow from the scores alone."""
        n, m = scores.shape
        told = [] if pooled is None else list(pooled.alone.values())
        logits = np.empty((0, m)) if pooled is None else as_doubles(pooled.logits)
        opinions = as_doubles(np.stack(told)) if told else np.empty((0, n, m))
        if similar is None:
            pairs, documents = np.empty((0, m), np.float32), np.empty(0, np.float32)
            similar = Similar(pairs, pairs, pairs, documents, documents)
        return cls(
            as_doubles(scores),
            logits,
            as_singles(similar.votes),
            as_singles(similar.errors),
            as_singles(similar.centroid),
            as_singles(similar.nearest),
            as_singles(np.log1p(similar.length)),
            opinions,
        )
