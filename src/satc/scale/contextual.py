"""The contextual method over stored scores: the fitted model applied in Arrow batches.

What the model looks at is a document with all its classes, so a batch holds whole documents, and
the very code that works in memory describes and judges them. Two passes: the first sums what is
expected of every class, and one small row per worker's batches comes back; from these sums come
the gains, and the second pass turns documents into utilities.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from satc.calibration.contextual import ContextualCalibrator
from satc.calibration.expected import expected_tables, raised
from satc.contingency import ContingencyTables
from satc.errors import DataError
from satc.gains import Gains, average_gains
from satc.measures import Measure
from satc.ranking.misclassification import GivenMisclassification
from satc.scale.engines import Batches
from satc.scale.stored import StoredScores

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judge:
    """Whole documents in a batch, to probabilities; it travels to the workers."""

    calibrator: ContextualCalibrator
    n_classes: int
    absent: float | None

    def documents(self, batch: pa.RecordBatch) -> tuple[Array, NDArray[np.int64]]:
        """Return the scores, documents x classes, and how many flaws each document has."""
        rows = len(batch)
        lists = batch.column("columns"), batch.column("scores")
        columns, scores = (np.asarray(part.flatten(), dtype=np.float64) for part in lists)
        lengths = np.asarray(lists[0].value_lengths().fill_null(0), dtype=np.int64)
        row = np.repeat(np.arange(rows), lengths)
        usable = np.isfinite(scores) & (columns >= 0)
        wanted = lengths if self.absent is not None else np.full(rows, self.n_classes)
        flaws = np.abs(wanted - np.bincount(row[usable], minlength=rows))
        flaws += np.maximum(lengths - self.n_classes, 0)
        filled = np.full((rows, self.n_classes), -(self.absent or 1.0))
        filled[row[usable], columns[usable].astype(np.int64)] = scores[usable]
        return filled, flaws

    def tables(self, batches: Batches) -> Batches:
        """Sum the expected cells of the classes over all batches that come along."""
        total = np.zeros((4, self.n_classes))
        for batch in batches:
            if len(batch):
                scores, _ = self.documents(batch)
                probability = self.calibrator.probabilities(scores)
                total += np.array(list(expected_tables(probability, scores >= 0)))
        yield pa.record_batch([pa.array([total.ravel().tolist()], _CELLS)], names=["cells"])

    def utilities(self, batches: Batches, gains: Gains, average: str) -> Batches:
        """Turn documents into utilities, by the sums that are used in memory."""
        for batch in batches:
            if not len(batch):
                continue
            scores, flaws = self.documents(batch)
            probability = self.calibrator.probabilities(scores)
            errors = GivenMisclassification.from_probability(scores, probability)
            if average == "micro":
                errors = GivenMisclassification(errors.sums())
                gains = Gains(gains.fp[:2], gains.fn[:2])
            yield pa.record_batch(
                [
                    batch.column("document"),
                    pa.array(errors.utilities(gains)),
                    pa.array(flaws, pa.int64()),
                ],
                names=["document", "utility", "flaws"],
            )


_CELLS = pa.list_(pa.float64())


def contextual_utilities(
    scores: StoredScores,
    oof_scores: Any,
    y_train: Any,
    measure: Measure,
    average: str,
    random_state: int,
) -> tuple[Any, Gains]:
    """Fit the model, and return the table of utilities and the gains."""
    calibrator = ContextualCalibrator(random_state=random_state).fit(oof_scores, y_train)
    m = len(scores.classes)
    if len(calibrator.log_prior_) != m:
        raise ValueError(
            f"y_train must have a column for each of the {m} classes, "
            f"but has {len(calibrator.log_prior_)}"
        )
    judge = Judge(calibrator, m, scores.absent)
    documents = whole_documents(scores)
    engine = scores.engine
    sums = engine.map_batches(documents, judge.tables, pa.schema([("cells", _CELLS)]))
    cells = np.sum(engine.run(sums)["cells"].to_pylist(), axis=0)
    tables = ContingencyTables(*cells.reshape(4, m))
    gains = _gains(tables, measure, average)

    def to_utilities(batches: Batches) -> Iterator[pa.RecordBatch]:
        return judge.utilities(batches, gains, average)

    document = documents.schema().to_pyarrow().field("document")
    schema = pa.schema([document, ("utility", pa.float64()), ("flaws", pa.int64())])
    return engine.map_batches(documents, to_utilities, schema), gains


def _gains(tables: ContingencyTables, measure: Measure, average: str) -> Gains:
    m = len(tables.tp)
    fp, fn = average_gains(measure, raised(tables.pooled() if average == "micro" else tables))
    size = max(m, 2)  # micro-averaging has a column of FPs and one of FNs
    return Gains(*(np.ascontiguousarray(np.broadcast_to(gain, size)) for gain in (fp, fn)))


def whole_documents(scores: StoredScores) -> Any:
    """Expression: document, the places of its classes, and their scores; -1: no such class."""
    if not scores.is_long:
        return _of_wide(scores)
    names = list(scores.classes)
    places = scores.engine.lend(pa.table({"name": names, "place": list(range(len(names)))}))
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
    if scores.absent is not None:
        raise DataError(
            "a wide table with absent pairs must be brought into long form for the contextual "
            "method: document, class, score"
        )
    nan = ibis.literal(float("nan"), "float64")
    cells = [scores.table[name].cast("float64").fill_null(nan) for name in scores.classes]
    places = [ibis.literal(float(place), "float64") for place in range(len(cells))]
    return scores.table.select("document", columns=ibis.array(places), scores=ibis.array(cells))
