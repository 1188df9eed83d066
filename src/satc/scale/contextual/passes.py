"""The passes over stored documents that the contextual methods need.

The first pass computes the probabilities, which the engine keeps. Where the scores decide, it also
sums the expected cells of every class. Where labels are chosen for the measure, cuts or the rule of
one label come from the probabilities that were kept. The gains follow, and the last pass computes
the utilities.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from satc.contingency import ContingencyTables
from satc.gains import Gains
from satc.ranking.model import RankingModel
from satc.scale.contextual.calibrator import KEPT_FIELDS, BatchCalibrator
from satc.scale.contextual.cells import tables_of
from satc.scale.contextual.documents import PAIRS_PER_BLOCK, DocumentReader
from satc.scale.contextual.features import TermReader, VectorReader
from satc.scale.contextual.source import DocumentSource, documents_of
from satc.scale.cuts import BIN_SCHEMA, Bins, PairCounter, added
from satc.scale.engines.batches import Batches, MapBatches
from satc.scale.exact import ExactSums
from satc.scale.stored import StoredScores


def keep_probabilities(scores: StoredScores, model: RankingModel) -> Any:
    """Compute the probabilities of all documents once, for labels that are chosen later."""
    source = documents_of(scores)
    calibrator = batch_calibrator(source.reader, scores, model)
    return source.map(calibrator.probabilities, _kept_schema(source), once=True)


def keep_errors(scores: StoredScores, model: RankingModel) -> tuple[Any, ContingencyTables]:
    """Compute the probabilities of errors once; return them, and the expected tables."""
    source = documents_of(scores)
    calibrator = batch_calibrator(source.reader, scores, model)
    kept = source.map(calibrator.signed_errors, _kept_schema(source), once=True)
    cells = scores.engine.run(kept.filter(kept.cells.notnull()).select("cells"))
    return kept, _summed_cells(cells)


def _kept_schema(source: DocumentSource) -> pa.Schema:
    return pa.schema([source.id_field, *KEPT_FIELDS])


def _summed_cells(rows: pa.Table) -> ContingencyTables:
    blocks = (np.frombuffer(part, dtype=np.int64) for part in rows["cells"].to_pylist())
    return tables_of(block.reshape(4, -1) for block in blocks)


def expected_cells(scores: StoredScores, model: RankingModel, kept: Any) -> ContingencyTables:
    """Return the expected tables of the classes under the labels of the model."""
    calibrator = kept_calibrator(scores, model)
    schema = pa.schema([("cells", pa.binary())])
    return _summed_cells(scores.engine.run(map_kept(scores, kept, calibrator.tables, schema)))


def bins_of_probabilities(scores: StoredScores, model: RankingModel, kept: Any) -> Bins:
    """Count all pairs by their log-odds, in one pass over probabilities that were kept."""
    calibrator = kept_calibrator(scores, model)
    m, sums = model.n_classes, ExactSums(1.0, scores.n_documents)

    def to_bins(batches: Batches) -> Batches:
        return calibrator.bins(batches, PairCounter(m, sums))

    rows = map_kept(scores, kept, to_bins, BIN_SCHEMA)
    return PairCounter(m, sums).bins(scores.engine.run(added(rows)))


def contextual_utilities(
    scores: StoredScores, model: RankingModel, gains: Gains, kept: Any = None
) -> Any:
    """Expression: document, utility, flaws; from probabilities that were kept, if given."""
    numbers = [("utility", pa.float64()), ("flaws", pa.int64())]
    if kept is not None:
        to_utilities = partial(kept_calibrator(scores, model).utilities, gains=gains)
        return map_kept(scores, kept, to_utilities, pa.schema([_document(kept), *numbers]))
    source = documents_of(scores)
    to_utilities = partial(batch_calibrator(source.reader, scores, model).utilities, gains=gains)
    return source.map(to_utilities, pa.schema([source.id_field, *numbers]))


def contextual_labels(scores: StoredScores, model: RankingModel, kept: Any) -> Any:
    """Expression: document, class, one row for each label, from probabilities that were kept."""
    calibrator = kept_calibrator(scores, model)
    names = pa.array(scores.classes, pa.string())

    def to_labels(batches: Batches) -> Iterator[pa.RecordBatch]:
        return calibrator.labels(batches, names)

    schema = pa.schema([_document(kept), ("class", pa.string())])
    return map_kept(scores, kept, to_labels, schema)


def map_kept(scores: StoredScores, kept: Any, function: MapBatches, schema: pa.Schema) -> Any:
    """Apply a function to batches of documents that were kept."""
    rows = max(1, PAIRS_PER_BLOCK // len(scores.classes))
    return scores.engine.map_batches(kept, function, schema, rows=rows)


def _document(documents: Any) -> pa.Field:
    """Return the field of the ids of documents."""
    return documents.schema().to_pyarrow().field("document")


def kept_reader(scores: StoredScores) -> DocumentReader:
    """Return a reader for documents that were kept: their scores are not read."""
    return DocumentReader(scores.classes, scores.absent, "")


def kept_calibrator(scores: StoredScores, model: RankingModel) -> BatchCalibrator:
    """Return what workers need to turn probabilities that were kept into labels and sums.

    They do not need the calibrator itself, which can hold the features of all training documents.
    """
    light = replace(model, calibrator=None, training=None, absent=scores.absent)
    return BatchCalibrator(light, kept_reader(scores))


def batch_calibrator(
    reader: DocumentReader, scores: StoredScores, model: RankingModel
) -> BatchCalibrator:
    """Return what workers need to turn documents into probabilities and labels."""
    m = len(scores.classes)
    if model.training is not None and model.training.n_classes != m:
        raise ValueError(
            f"y_train must have a column for each of the {m} classes, "
            f"but has {model.training.n_classes}"
        )
    light = replace(model, training=None, absent=scores.absent)
    return BatchCalibrator(light, reader, feature_reader(scores, model))


def feature_reader(scores: StoredScores, model: RankingModel) -> VectorReader | TermReader | None:
    """Return what reads the features beside the documents, if there are any."""
    if scores.vectors is None or model.training is None or model.training.features is None:
        return None
    n_features = int(model.training.features.shape[1])
    return TermReader(n_features) if scores.has_terms else VectorReader(n_features)
