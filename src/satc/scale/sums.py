"""Sums over all stored documents, from which the accuracy is estimated.

The sums (`assurance.live.shifts`) are integers, so they do not depend on the order in which workers
and batches add to them. Each partition returns one small row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from satc.assurance.live.accuracy import DocumentSums
from satc.assurance.live.estimator import AccuracyEstimator
from satc.assurance.live.shifts import ShiftedSums
from satc.ranking.model import RankingModel
from satc.scale.contextual.documents import DocumentReader
from satc.scale.contextual.source import documents_of
from satc.scale.engines.batches import Batches
from satc.scale.stored import StoredScores

_INTEGERS = pa.list_(pa.int64())
_SCHEMA = pa.schema([(name, _INTEGERS) for name in ("expected", "variance", "decided", "n")])


def whole_sums(
    scores: StoredScores, estimator: AccuracyEstimator, model: RankingModel
) -> DocumentSums:
    """Return the sums over all stored documents, with the labels that the model gives them."""
    source = documents_of(scores)
    light = replace(model, training=None, absent=scores.absent)

    def sum_batches(batches: Batches) -> Batches:
        return _batch_sums(batches, source.reader, estimator, light)

    rows = scores.engine.run(source.map(sum_batches, _SCHEMA))
    empty = ShiftedSums.of(np.empty((0, len(scores.classes))), np.empty(0, dtype=np.int8))
    expected, variance, decided, n = (
        np.asarray(np.array(rows[name].to_pylist(), dtype=np.int64).sum(axis=0))
        for name in _SCHEMA.names
    )
    shape = empty.expected.shape
    sums = ShiftedSums(expected.reshape(shape), variance.reshape(shape), empty.likelihood)
    return DocumentSums(sums, decided, int(n[0]))


def _batch_sums(
    batches: Batches, reader: DocumentReader, estimator: AccuracyEstimator, model: RankingModel
) -> Batches:
    """Return one row: the sums over all batches."""
    m = reader.n_classes
    total = ShiftedSums.of(np.empty((0, m)), np.empty(0, dtype=np.int8))
    decided, n = np.zeros(m, dtype=np.int64), 0
    for documents in reader.blocks(batches):
        scores = documents.scores
        probability = model.probability(scores) if model.is_chosen else None
        labels = model.decide(scores, probability)
        signed = estimator.signed(scores, labels)
        sums = ShiftedSums.of(signed, estimator.uncertainty.risks(signed))
        np.add(total.expected, sums.expected, out=total.expected)
        np.add(total.variance, sums.variance, out=total.variance)
        decided += np.count_nonzero(labels, axis=0)
        n += len(scores)
    parts = (total.expected.ravel(), total.variance.ravel(), decided, np.array([n]))
    yield pa.record_batch([pa.array([part.tolist()], _INTEGERS) for part in parts], schema=_SCHEMA)
