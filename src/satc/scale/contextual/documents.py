"""Batches of stored scores as matrices, documents x classes; this runs on the workers.

A *flaw* is a pair that is missing, repeated, not finite, or of an unknown class. Missing pairs are
no flaws where ``absent`` says how they count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from satc.scale.contextual.numbers import as_bytes, bytes_of, cut_bytes, numbers_of
from satc.scale.contextual.scatter import pairs_to_matrix, replace_missing
from satc.scale.engines.batches import Batches, runs_of

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

PAIRS_PER_BLOCK = 1 << 20  # whose probabilities are computed at once

# What the rows of a batch are.
PAIRS = "pairs"  # document, class, score; the pairs of a document are next to each other
PACKED = "packed"  # document, some of its pairs as bytes; its rows are next to each other
COLUMNS = "columns"  # document, and the scores of all classes in one column each
GATHERED = "gathered"  # document, number of flaws, the scores of all classes as bytes


# A pair in the layout `PACKED`: the place of its class, -1 if it is unknown, and its score.
_PAIR = np.dtype([("place", np.int32), ("score", np.float64)])


class Documents(NamedTuple):
    """Some documents with the scores of all classes; `rows` are those of the batch, if any."""

    document: pa.Array
    scores: Array
    flaws: Integers
    rows: pa.RecordBatch | None


@dataclass(frozen=True)
class DocumentReader:
    """Read batches of complete documents; it is serialised and sent to the workers."""

    classes: tuple[str, ...]
    absent: float | None
    layout: str

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def rows_per_block(self) -> int:
        """The number of documents in a block, so that its arrays stay small."""
        return max(1, PAIRS_PER_BLOCK // self.n_classes)

    def blocks(self, batches: Batches) -> Iterator[Documents]:
        """Return blocks of documents."""
        read = {
            PAIRS: self._pairs,
            PACKED: self._packed,
            COLUMNS: self._columns,
            GATHERED: self._gathered,
        }
        for batch in batches:
            yield from read[self.layout](batch)

    @property
    def _fill(self) -> float:
        return -(self.absent or 1.0)

    def pack(self, batches: Batches) -> Batches:
        """Return documents in the layout `PACKED`, from the layout `PAIRS`."""
        for batch in batches:
            ids, run_ends = runs_of(batch.column("document"))
            pairs = np.empty(len(batch), dtype=_PAIR)
            pairs["place"], pairs["score"] = self._places_and_scores(batch)
            yield pa.record_batch([ids, cut_bytes(pairs, run_ends)], names=["document", "pairs"])

    def _pairs(self, batch: pa.RecordBatch) -> Iterator[Documents]:
        ids, run_ends = runs_of(batch.column("document"))
        return self._matrices(ids, np.asarray(run_ends), *self._places_and_scores(batch))

    def _packed(self, batch: pa.RecordBatch) -> Iterator[Documents]:
        ids, run_ends = runs_of(batch.column("document"))
        data, ends = bytes_of(batch.column("pairs"))
        pairs = data.view(_PAIR)
        pair_ends = ends[np.asarray(run_ends)] // _PAIR.itemsize
        return self._matrices(ids, pair_ends, pairs["place"], pairs["score"])

    def _places_and_scores(self, batch: pa.RecordBatch) -> tuple[Any, Any]:
        """Return the place of the class of each pair, and its score; NaN if it has none."""
        names = batch.column("class")
        places = pc.index_in(names, value_set=pa.array(self.classes, names.type)).fill_null(-1)
        return places.to_numpy(), batch.column("score").to_numpy(zero_copy_only=False)

    def _matrices(self, ids: pa.Array, ends: Any, places: Any, scores: Any) -> Iterator[Documents]:
        """Return blocks of documents; the pairs of document i end before `ends[i]`."""
        ends = np.concatenate([[0], ends])
        for start in range(0, len(ids), self.rows_per_block):
            some = ends[start : start + self.rows_per_block + 1]
            matrix, n_stored = pairs_to_matrix(some, places, scores, self.n_classes, self._fill)
            wanted = np.diff(some)
            if self.absent is None:
                wanted = np.maximum(wanted, self.n_classes)
            documents = ids.slice(start, self.rows_per_block)
            yield Documents(documents, matrix, wanted - n_stored, None)

    def _columns(self, batch: pa.RecordBatch) -> Iterator[Documents]:
        for some in self._slices(batch):
            matrix = np.empty((len(some), self.n_classes))
            for j in range(self.n_classes):
                column = some.column(j + 1)  # the first one is the document
                matrix[:, j] = column.to_numpy(zero_copy_only=False)
                if self.absent is not None and column.null_count:
                    matrix[np.asarray(column.is_null()), j] = self._fill
            flaws = np.zeros(len(some), dtype=np.int64)
            replace_missing(matrix, self._fill, flaws)
            yield Documents(some.column("document"), matrix, flaws, some)

    def _gathered(self, batch: pa.RecordBatch) -> Iterator[Documents]:
        for some in self._slices(batch):
            scores = numbers_of(some.column("scores"), self.n_classes)
            flaws = np.asarray(some.column("flaws"), dtype=np.int64)
            yield Documents(some.column("document"), scores, flaws, some)

    def _slices(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(batch), self.rows_per_block):
            yield batch.slice(start, self.rows_per_block)


def gathered_rows(documents: Documents) -> pa.RecordBatch:
    """Return documents in the layout `GATHERED`."""
    columns: list[Any] = [documents.document, pa.array(documents.flaws)]
    return pa.record_batch(
        [*columns, as_bytes(documents.scores)], names=["document", "flaws", "scores"]
    )
