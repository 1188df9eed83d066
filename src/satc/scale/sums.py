"""What an estimate of accuracy sums over the documents, for a set where it is stored.

The sums (`assurance.live.shifts`) are whole numbers, so that the order in which workers and batches
add to them does not show. One small row per worker's batches comes back.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from satc.assurance.live.accuracy import DocumentSums
from satc.assurance.live.estimator import AccuracyEstimator
from satc.assurance.live.shifts import ShiftedSums
from satc.scale.contextual import Gatherer, whole_documents
from satc.scale.engines import Batches
from satc.scale.stored import StoredScores

_NUMBERS = pa.list_(pa.int64())
_SCHEMA = pa.schema([(name, _NUMBERS) for name in ("expected", "variance", "decided", "n")])


def whole_sums(scores: StoredScores, estimator: AccuracyEstimator) -> DocumentSums:
    """Sum over all stored documents."""
    gatherer = Gatherer(len(scores.classes), scores.absent)

    def sum_up(batches: Batches) -> Batches:
        return _sum_up(batches, gatherer, estimator)

    engine = scores.engine
    rows = engine.run(engine.map_batches(whole_documents(scores), sum_up, _SCHEMA))
    empty = ShiftedSums.of(np.empty((0, len(scores.classes))), np.empty(0, dtype=np.int8))
    expected, variance, decided, n = (
        np.asarray(np.array(rows[name].to_pylist(), dtype=np.int64).sum(axis=0))
        for name in _SCHEMA.names
    )
    shape = empty.expected.shape
    sums = ShiftedSums(expected.reshape(shape), variance.reshape(shape), empty.likelihood)
    return DocumentSums(sums, decided, int(n[0]))


def _sum_up(batches: Batches, gatherer: Gatherer, estimator: AccuracyEstimator) -> Batches:
    """Sum over all batches that come along."""
    m = gatherer.n_classes
    total = ShiftedSums.of(np.empty((0, m)), np.empty(0, dtype=np.int8))
    decided, n = np.zeros(m, dtype=np.int64), 0
    for batch in gatherer.blocks(batches):
        scores, _ = gatherer.documents(batch)
        signed = estimator.signed(scores)
        sums = ShiftedSums.of(signed, estimator.uncertainty.risks(signed))
        np.add(total.expected, sums.expected, out=total.expected)
        np.add(total.variance, sums.variance, out=total.variance)
        decided += np.count_nonzero(scores >= 0, axis=0)
        n += len(batch)
    parts = (total.expected.ravel(), total.variance.ravel(), decided, np.array([n]))
    yield pa.record_batch([pa.array([part.tolist()], _NUMBERS) for part in parts], schema=_SCHEMA)
