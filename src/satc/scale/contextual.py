"""The contextual method over stored scores: the fitted model is applied in Arrow batches.

The model needs all scores of a document at once, so a batch contains complete documents. The code
that computes their probabilities is the one that is used in memory. Where the signs of the scores
decide, there are two passes over the data. The first sums the expected cells of every class, and
each partition returns one small row. The gains are computed from these sums, and the second pass
computes the utilities. Where labels are chosen for the measure, the probabilities are computed once
and kept by the engine; cuts or the rule of one label, utilities and labels come from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.contingency import ContingencyTables
from satc.errors import DataError
from satc.gains import Gains
from satc.inputs import SINGLE_LABEL, Labels
from satc.ranking.misclassification import GivenMisclassification
from satc.ranking.model import RankingModel
from satc.scale.cuts import BIN_SCHEMA, Bins, PairCounter, added
from satc.scale.engines import Batches
from satc.scale.exact import ExactSums, number
from satc.scale.stored import StoredScores

Array = NDArray[np.float64]
_PAIRS_PER_BLOCK = 1 << 20  # whose probabilities are computed at once


@dataclass(frozen=True)
class BatchReader:
    """Convert batches of complete documents to arrays; it is serialised and sent to the workers."""

    n_classes: int
    absent: float | None

    def blocks(self, batches: Batches) -> Batches:
        """Split batches into blocks of documents, so that their arrays stay small."""
        rows = max(1, _PAIRS_PER_BLOCK // self.n_classes)
        for batch in batches:
            for start in range(0, len(batch), rows):
                yield batch.slice(start, rows)

    def documents(self, batch: pa.RecordBatch) -> tuple[Array, NDArray[np.int64]]:
        """Return the scores, documents x classes, and the number of flaws of each document.

        A flaw is a pair that is missing, repeated, not finite, or of an unknown class.
        """
        rows = len(batch)
        lists = batch.column("columns"), batch.column("scores")
        columns, scores = (np.asarray(part.flatten(), dtype=np.float64) for part in lists)
        lengths = np.asarray(lists[0].value_lengths().fill_null(0), dtype=np.int64)
        row = np.repeat(np.arange(rows), lengths)
        usable = np.isfinite(scores) & (columns >= 0)
        places = row[usable], columns[usable].astype(np.int64)
        filled = np.full((rows, self.n_classes), -(self.absent or 1.0))
        filled[places] = scores[usable]
        is_stored = np.zeros((rows, self.n_classes), dtype=bool)
        is_stored[places] = True
        wanted = lengths if self.absent is not None else np.maximum(lengths, self.n_classes)
        return filled, wanted - is_stored.sum(axis=1)


class Calibrated(NamedTuple):
    """A block of documents with their probabilities."""

    document: pa.Array
    scores: Array
    probability: Array
    flaws: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BatchCalibrator:
    """Apply the calibrator to batches of documents; it is serialised and sent to the workers."""

    model: RankingModel  # without its training documents, which the workers do not need
    reader: BatchReader
    n_features: int | None = None  # of the vectors of documents; None without vectors

    def blocks(self, batches: Batches) -> Iterator[Calibrated]:
        """Return documents with their probabilities, which are computed unless they were kept."""
        for batch in self.reader.blocks(batches):
            if "probability" in batch.schema.names:
                yield self._kept(batch)
                continue
            scores, flaws = self.reader.documents(batch)
            probability = self.model.probability(scores, self._features(batch))
            if probability is None:
                raise ValueError(f"method {self.model.method.name!r} has no probabilities")
            yield Calibrated(
                batch.column("document"), scores, probability, flaws + self._lacking(scores)
            )

    def _features(self, batch: pa.RecordBatch) -> NDArray[np.float32] | None:
        """Return the vectors of documents; zeros for a document without one."""
        if self.n_features is None:
            return None
        features = np.zeros((len(batch), self.n_features), dtype=np.float32)
        vectors = batch.column("vector")
        lengths = np.asarray(vectors.value_lengths().fill_null(0), dtype=np.int64)
        wrong = (lengths != self.n_features) & (lengths > 0)
        if wrong.any():
            raise DataError(
                f"vectors must have {self.n_features} numbers, as those of the training documents, "
                f"but one has {lengths[wrong][0]}"
            )
        features[lengths > 0] = np.asarray(vectors.flatten(), dtype=np.float32).reshape(
            -1, self.n_features
        )
        return features

    def _lacking(self, scores: Array) -> NDArray[np.int64]:
        """Return 1 for documents whose one label cannot be any of their stored pairs."""
        possible = self.model.possible(scores)
        if possible is None or self.model.task != SINGLE_LABEL:
            return np.zeros(len(scores), dtype=np.int64)
        return np.asarray(~possible.any(axis=1), dtype=np.int64)

    def _kept(self, batch: pa.RecordBatch) -> Calibrated:
        scores, probability = (
            np.asarray(batch.column(name).flatten()).reshape(len(batch), -1)
            for name in ("scores", "probability")
        )
        return Calibrated(
            batch.column("document"), scores, probability, np.asarray(batch.column("flaws"))
        )

    def probabilities(self, batches: Batches) -> Batches:
        """Return the documents with their scores and probabilities, to be kept."""
        for block in self.blocks(batches):
            lists = (_as_lists(values) for values in (block.scores, block.probability))
            yield pa.record_batch(
                [block.document, pa.array(block.flaws, pa.int64()), *lists],
                names=["document", "flaws", "scores", "probability"],
            )

    def tables(self, batches: Batches) -> Batches:
        """Return one row: the expected cells of the classes, summed over all batches."""
        total = np.zeros((4, self.reader.n_classes))
        for block in self.blocks(batches):
            _, errors = self._errors(block)
            total += np.array(list(errors.expected_tables()))
        yield pa.record_batch([pa.array([total.ravel().tolist()], _NUMBERS)], names=["cells"])

    def bins(self, batches: Batches, counter: PairCounter) -> Batches:
        """Return the bins of the probabilities, over all batches."""
        for block in self.blocks(batches):
            absent = self.model.absent
            can = np.ones(block.scores.shape, dtype=bool)
            counter.add(block.probability, can if absent is None else block.scores != -absent)
        yield counter.rows()

    def _errors(self, block: Calibrated) -> tuple[Labels, GivenMisclassification]:
        """Return the labels of documents, and P(error)."""
        decided = self.model.decide(block.scores, block.probability)
        return decided, GivenMisclassification.from_probability(decided, block.probability)

    def utilities(self, batches: Batches, gains: Gains) -> Batches:
        """Compute the utilities of documents with the code that is used in memory."""
        for block in self.blocks(batches):
            decided, errors = self._errors(block)
            if self.model.weights is not None:
                errors = self.model.weights.weighted(errors, decided)
            if self.model.average == "micro":  # the gains of all classes are the same
                errors = GivenMisclassification(errors.sums())
                gains = Gains(*(np.repeat(side[:1], 2) for side in gains))
            yield pa.record_batch(
                [
                    block.document,
                    pa.array(errors.utilities(gains)),
                    pa.array(block.flaws, pa.int64()),
                ],
                names=["document", "utility", "flaws"],
            )

    def labels(self, batches: Batches, classes: pa.Array) -> Batches:
        """Return one row (document, class) for each label."""
        for block in self.blocks(batches):
            row, label = np.nonzero(self.model.decide(block.scores, block.probability))
            yield pa.record_batch(
                [block.document.take(pa.array(row)), classes.take(pa.array(label))],
                names=["document", "class"],
            )


_NUMBERS = pa.list_(pa.float64())


def _as_lists(rows: Array) -> pa.Array:
    """Return an Arrow array with one list for each row."""
    n, m = rows.shape
    return pa.ListArray.from_arrays(np.arange(n + 1, dtype=np.int32) * m, rows.ravel())


def expected_cells(
    scores: StoredScores, model: RankingModel, kept: Any = None
) -> ContingencyTables:
    """Return the expected tables of the classes; from kept probabilities, if given."""
    calibrator, engine = batch_calibrator(scores, model), scores.engine
    documents = whole_documents(scores) if kept is None else kept
    schema = pa.schema([("cells", _NUMBERS)])
    sums = engine.run(engine.map_batches(documents, calibrator.tables, schema))
    cells = np.sum(sums["cells"].to_pylist(), axis=0)
    return ContingencyTables(*cells.reshape(4, calibrator.reader.n_classes))


def keep_probabilities(scores: StoredScores, model: RankingModel) -> Any:
    """Compute the probabilities of all documents once: document, flaws, scores, probability."""
    calibrator, documents = batch_calibrator(scores, model), whole_documents(scores)
    schema = pa.schema(
        [
            _document(documents),
            ("flaws", pa.int64()),
            ("scores", _NUMBERS),
            ("probability", _NUMBERS),
        ]
    )
    return scores.engine.map_batches_once(documents, calibrator.probabilities, schema)


def bins_of_probabilities(scores: StoredScores, model: RankingModel, kept: Any) -> Bins:
    """Count all pairs by their log-odds, in one pass over probabilities that were kept."""
    calibrator, engine = batch_calibrator(scores, model), scores.engine
    m, sums = model.n_classes, ExactSums(1.0, scores.n_documents)

    def to_bins(batches: Batches) -> Batches:
        return calibrator.bins(batches, PairCounter(m, sums))

    rows = engine.map_batches(kept, to_bins, BIN_SCHEMA)
    return PairCounter(m, sums).bins(engine.run(added(rows)))


def contextual_utilities(
    scores: StoredScores, model: RankingModel, gains: Gains, kept: Any = None
) -> Any:
    """Expression: document, utility, flaws; from probabilities that were kept, if given."""
    calibrator = batch_calibrator(scores, model)
    documents = whole_documents(scores) if kept is None else kept

    def to_utilities(batches: Batches) -> Iterator[pa.RecordBatch]:
        return calibrator.utilities(batches, gains)

    schema = pa.schema([_document(documents), ("utility", pa.float64()), ("flaws", pa.int64())])
    return scores.engine.map_batches(documents, to_utilities, schema)


def contextual_labels(scores: StoredScores, model: RankingModel, kept: Any = None) -> Any:
    """Expression: document, class, one row for each label; from kept probabilities, if given."""
    calibrator = batch_calibrator(scores, model)
    documents = whole_documents(scores) if kept is None else kept
    names = pa.array(scores.classes, pa.string())

    def to_labels(batches: Batches) -> Iterator[pa.RecordBatch]:
        return calibrator.labels(batches, names)

    schema = pa.schema([_document(documents), ("class", pa.string())])
    return scores.engine.map_batches(documents, to_labels, schema)


def _document(documents: Any) -> pa.Field:
    """Return the field of the ids of documents."""
    return documents.schema().to_pyarrow().field("document")


def batch_calibrator(scores: StoredScores, model: RankingModel) -> BatchCalibrator:
    """Return what workers need to turn documents into probabilities and labels."""
    m = len(scores.classes)
    if model.training is not None and model.training.n_classes != m:
        raise ValueError(
            f"y_train must have a column for each of the {m} classes, "
            f"but has {model.training.n_classes}"
        )
    n_features = None
    if scores.vectors is not None and model.training is not None:
        features = model.training.features
        n_features = None if features is None else int(features.shape[1])
    light = replace(model, training=None, absent=scores.absent)
    return BatchCalibrator(light, BatchReader(m, scores.absent), n_features)


def whole_documents(scores: StoredScores) -> Any:
    """Expression: document, the column numbers of its classes (-1: unknown), and their scores.

    With stored vectors there is the column ``vector``, too, which is null where there is none.
    """
    documents = _documents(scores)
    if scores.vectors is None:
        return documents
    found = scores.vectors
    joined = documents.join(found, documents.document.cast("string") == found.id, how="left")
    return joined.select("document", "columns", "scores", "vector")


def _documents(scores: StoredScores) -> Any:
    if not scores.is_long:
        return _of_wide(scores)
    names = list(scores.classes)
    places = scores.engine.temporary_table(
        pa.table({"name": names, "place": list(range(len(names)))})
    )
    pairs = scores.table
    pairs = pairs.join(places, pairs["class"].cast("string") == places.name, how="left")
    nan = ibis.literal(float("nan"), "float64")
    pairs = pairs.mutate(
        place=pairs.place.fill_null(-1).cast("float64"),
        score=pairs.score.cast("float64").fill_null(nan),
    )
    return pairs.group_by("document").aggregate(
        columns=pairs.place.collect(), scores=pairs.score.collect()
    )


def _of_wide(scores: StoredScores) -> Any:
    missing = number(float("nan") if scores.absent is None else -scores.absent)
    cells = [scores.table[name].cast("float64").fill_null(missing) for name in scores.classes]
    places = [ibis.literal(float(place), "float64") for place in range(len(cells))]
    return scores.table.select("document", columns=ibis.array(places), scores=ibis.array(cells))
