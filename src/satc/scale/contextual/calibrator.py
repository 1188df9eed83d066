"""`BatchCalibrator`: probabilities, labels, tables and utilities of batches of documents.

The code that computes the probabilities is the one that is used in memory. They are computed once,
and the engine keeps one number for each pair (`numbers`). Where the scores decide, that is the
*signed* probability of an error, whose sign is the decision (`ranking.misclassification`). Where
labels are chosen for the measure, it is the probability that the document belongs to the class; a
negative sign marks a pair that is not stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.decisions import by_cuts
from satc.gains import Gains
from satc.inputs import SINGLE_LABEL, Labels
from satc.ranking.misclassification import GivenMisclassification, positive_decisions
from satc.ranking.model import RankingModel
from satc.scale.contextual.cells import cell_sums
from satc.scale.contextual.documents import DocumentReader, Documents
from satc.scale.contextual.features import TermReader, VectorReader
from satc.scale.contextual.numbers import as_bytes, numbers_of
from satc.scale.cuts import PairCounter
from satc.scale.engines.batches import Batches

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

KEPT_FIELDS = [("flaws", pa.int64()), ("values", pa.binary()), ("cells", pa.binary())]


class Calibrated(NamedTuple):
    """A block of documents with their probabilities."""

    document: pa.Array
    probability: Array
    own: Labels | None  # the classifier's own labels; None where probabilities were kept
    possible: Labels | None  # the pairs that are stored; None if all are
    flaws: Integers


class Errors(NamedTuple):
    """A block of documents with their labels and the probabilities of errors."""

    document: pa.Array
    labels: Labels
    errors: GivenMisclassification
    flaws: Integers


@dataclass(frozen=True, eq=False)
class BatchCalibrator:
    """Apply the calibrator to batches of documents; it is serialised and sent to the workers."""

    model: RankingModel  # without its training documents, which the workers do not need
    reader: DocumentReader
    features: VectorReader | TermReader | None = None

    def blocks(self, batches: Batches) -> Iterator[Calibrated]:
        """Return documents with their probabilities, computed, or kept by `probabilities`."""
        for batch in batches:
            if "values" in batch.schema.names:
                yield self._kept(batch)
            else:
                yield from map(self._calibrated, self.reader.blocks(iter([batch])))

    def _calibrated(self, documents: Documents) -> Calibrated:
        features = None if self.features is None else self.features.of(documents.rows)
        probability = self.model.probability(documents.scores, features)
        if probability is None:
            raise ValueError(f"method {self.model.method.name!r} has no probabilities")
        possible = self.model.possible(documents.scores)
        flaws = documents.flaws
        if possible is not None and self.model.task == SINGLE_LABEL:
            flaws = flaws + ~possible.any(axis=1)  # the one label must be a stored pair
        own = self.model.own_labels(documents.scores)
        return Calibrated(documents.document, probability, own, possible, flaws)

    def _kept(self, batch: pa.RecordBatch) -> Calibrated:
        values = numbers_of(batch.column("values"), self.reader.n_classes)
        possible = None if self.model.absent is None else positive_decisions(values)
        probability = values if possible is None else np.abs(values)
        flaws = np.asarray(batch.column("flaws"))
        return Calibrated(batch.column("document"), probability, None, possible, flaws)

    def probabilities(self, batches: Batches) -> Batches:
        """Return documents with their probabilities, to be kept."""
        for block in self.blocks(batches):
            values = block.probability
            if block.possible is not None:
                values = np.where(block.possible, values, -values)
            yield _kept_rows(block, values, None)

    def signed_errors(self, batches: Batches) -> Batches:
        """Return documents with the signed probabilities of errors, to be kept.

        The first row of a block also has the sums over the block from which the expected tables of
        the classes follow (`cells`).
        """
        for block in self.blocks(batches):
            found = self._with_errors(block)
            cells = cell_sums(block.probability, found.labels)
            yield _kept_rows(block, found.errors.signed, cells)

    def labels_of(self, block: Calibrated) -> Labels:
        """Return the labels of documents: chosen for the measure, or the classifier's own."""
        if self.model.rule is not None:
            return self.model.rule.labels(block.probability, block.possible)
        if self.model.cuts is not None:
            labels = by_cuts(block.probability, self.model.cuts)
            return labels if block.possible is None else labels & block.possible
        if block.own is None:
            raise ValueError("labels must be chosen for the measure, but there is no rule")
        return block.own

    def _with_errors(self, block: Calibrated) -> Errors:
        labels = self.labels_of(block)
        errors = GivenMisclassification.from_probability(labels, block.probability)
        return Errors(block.document, labels, errors, block.flaws)

    def errors(self, batches: Batches) -> Iterator[Errors]:
        """Return documents with the probabilities of errors, computed or kept."""
        for batch in batches:
            if "values" in batch.schema.names and not self.model.is_chosen:
                signed = np.array(numbers_of(batch.column("values"), self.reader.n_classes))
                errors, flaws = GivenMisclassification(signed), np.asarray(batch.column("flaws"))
                labels = positive_decisions(signed)
                yield Errors(batch.column("document"), labels, errors, flaws)
            else:
                yield from map(self._with_errors, self.blocks(iter([batch])))

    def tables(self, batches: Batches) -> Batches:
        """Return one row for each block: the sums from which the expected tables follow."""
        for block in self.blocks(batches):
            sums = cell_sums(block.probability, self.labels_of(block))
            yield pa.record_batch([pa.array([sums.tobytes()], pa.binary())], names=["cells"])

    def bins(self, batches: Batches, counter: PairCounter) -> Batches:
        """Return the bins of the probabilities, over all batches."""
        for block in self.blocks(batches):
            can = block.possible
            if can is None:
                can = np.ones(block.probability.shape, dtype=bool)
            counter.add(block.probability, can)
        yield counter.rows()

    def utilities(self, batches: Batches, gains: Gains) -> Batches:
        """Compute the utilities of documents with the code that is used in memory."""
        if self.model.average == "micro":  # the gains of all classes are the same
            gains = Gains(*(np.repeat(side[:1], 2) for side in gains))
        for block in self.errors(batches):
            errors = block.errors
            if self.model.weights is not None:
                errors = self.model.weights.weighted(errors, block.labels)
            if self.model.average == "micro":
                errors = GivenMisclassification(errors.sums())
            utility = pa.array(errors.utilities(gains))
            columns: list[Any] = [block.document, utility, pa.array(block.flaws)]
            yield pa.record_batch(columns, names=["document", "utility", "flaws"])

    def labels(self, batches: Batches, classes: pa.Array) -> Batches:
        """Return one row (document, class) for each label."""
        for block in self.blocks(batches):
            row, label = np.nonzero(self.labels_of(block))
            yield pa.record_batch(
                [block.document.take(pa.array(row)), classes.take(pa.array(label))],
                names=["document", "class"],
            )


def _kept_rows(block: Calibrated, values: Array, cells: Integers | None) -> pa.RecordBatch:
    sums: list[bytes | None] = [None] * len(values)
    if cells is not None and sums:
        sums[0] = cells.tobytes()
    columns: list[Any] = [block.document, pa.array(block.flaws), as_bytes(values)]
    return pa.record_batch(
        [*columns, pa.array(sums, pa.binary())],
        names=["document", *(name for name, _ in KEPT_FIELDS)],
    )
