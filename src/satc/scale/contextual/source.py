"""Stored scores as batches of complete documents, in the layout that is read fastest.

In wide form, a row is a document. In long form, the pairs of a document must be brought together:
DuckDB reads them as they are stored if they are together there, and sorts them otherwise; Spark
moves them to one worker. Before that, pairs that are stored together are packed into one row of
bytes, because a few long rows are moved faster than many short ones. If features are stored too,
the scores of a document are gathered into one row first, so that the features are joined to
documents and not to pairs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa

from satc.scale.contextual.documents import (
    COLUMNS,
    GATHERED,
    PACKED,
    PAIRS,
    PAIRS_PER_BLOCK,
    DocumentReader,
    gathered_rows,
)
from satc.scale.contextual.features import PLACES, VECTOR
from satc.scale.engines.batches import Batches, MapBatches
from satc.scale.stored import StoredScores

_OF_DOCUMENT = "satc_id"  # column of joined features


class DocumentSource(NamedTuple):
    """A table of stored scores, and how its batches are read."""

    scores: StoredScores
    table: Any
    reader: DocumentReader

    @property
    def id_field(self) -> pa.Field:
        """The field of the ids of documents."""
        return self.table.schema().to_pyarrow().field("document")

    def map(self, function: MapBatches, schema: pa.Schema, *, once: bool = False) -> Any:
        """Apply a function to batches of complete documents; return a table of its results."""
        engine = self.scores.engine
        apply = engine.map_batches_once if once else engine.map_batches
        if self.reader.layout == PAIRS:
            return apply(self.table, function, schema, by="document", rows=PAIRS_PER_BLOCK)
        if self.reader.layout == PACKED:
            rows = self.reader.rows_per_block
            return apply(self.table, function, schema, by="document", rows=rows)
        return apply(self.table, function, schema, rows=self.reader.rows_per_block)


def documents_of(scores: StoredScores) -> DocumentSource:
    """Return the documents of stored scores, with their features if there are any."""
    plain = _of_pairs(scores) if scores.is_long else _of_columns(scores)
    if scores.vectors is None:
        return plain
    if scores.is_long:
        plain = _gathered(plain)
    vectors = scores.vectors
    columns = {_OF_DOCUMENT: vectors.id, VECTOR: vectors.vector}
    if "places" in vectors.columns:
        columns[PLACES] = vectors.places
    found = vectors.select(**columns)
    table = plain.table
    joined = table.join(found, table.document.cast("string") == found[_OF_DOCUMENT], how="left")
    return plain._replace(table=joined.drop(_OF_DOCUMENT))


def _of_pairs(scores: StoredScores) -> DocumentSource:
    pairs = scores.table
    names = {"class": pairs["class"].cast("string"), "score": _as_float(pairs.score)}
    reader = DocumentReader(scores.classes, scores.absent, PAIRS)
    source = DocumentSource(scores, pairs.select("document", **names), reader)
    return _packed(source) if scores.engine.moves_rows else source


def _packed(source: DocumentSource) -> DocumentSource:
    engine, reader = source.scores.engine, source.reader
    schema = pa.schema([source.id_field, ("pairs", pa.binary())])
    table = engine.map_batches(source.table, reader.pack, schema, rows=PAIRS_PER_BLOCK)
    return DocumentSource(source.scores, table, replace(reader, layout=PACKED))


def _of_columns(scores: StoredScores) -> DocumentSource:
    cells = {name: _as_float(scores.table[name]) for name in scores.classes}
    table = scores.table.select("document", **cells)
    return DocumentSource(scores, table, DocumentReader(scores.classes, scores.absent, COLUMNS))


def _as_float(column: Any) -> Any:
    """Expression: the numbers; other types than single precision as double precision."""
    return column if column.type().is_float32() else column.cast("float64")


def _gathered(source: DocumentSource) -> DocumentSource:
    reader = source.reader

    def gather(batches: Batches) -> Batches:
        for documents in reader.blocks(batches):
            yield gathered_rows(documents)

    schema = pa.schema([source.id_field, ("flaws", pa.int64()), ("scores", pa.binary())])
    table = source.map(gather, schema, once=True)
    return DocumentSource(source.scores, table, replace(reader, layout=GATHERED))
