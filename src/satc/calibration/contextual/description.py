"""The features of a pair of document and class: its score and its context.

The context is given by the other classes and by similar documents. The features have the same
meaning for every class, so that the model can apply to rare classes what it learns from frequent
ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from satc.calibration.contextual.block import DocumentBlock
from satc.calibration.contextual.class_tables import ClassTables
from satc.calibration.contextual.kernel import LARGEST, describe_pairs, n_features

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Table = NDArray[np.float32]

SCORE_NAMES = (
    "score",  # divided by the scale of the class
    "logit",  # of class-wise Platt scaling
    "rank",  # of the class within the document, 0 for the largest logit
    "best other logit",
    "gap to best other logit",
    "positive decisions elsewhere",
    "expected other labels",
    "log prior",
    "label co-occurrence",
    "mean score of the document",
)
SIMILAR_NAMES = (
    "neighbour votes",
    "gap to best other votes",
    "nearest similarity",
    "log length",
    "errors on neighbours",
    "centroid similarity",
    "gap to best other centroid",
)
OPINION_NAMES = (
    "logit of {}",
    "gap to best other logit of {}",
)


def feature_names(*, similar: bool, opinions: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the columns of `describe`."""
    told = (title.format(name) for name in opinions for title in OPINION_NAMES)
    return (*SCORE_NAMES, *(SIMILAR_NAMES if similar else ()), *told)


class DocumentsInContext(NamedTuple):
    """A block of documents, and what is known of the classes: for each fold of documents apart."""

    block: DocumentBlock
    fold: Indices  # of each document
    tables: Sequence[ClassTables]  # for each fold

    def describe(self, rows: Indices, columns: Indices) -> Table:
        """Return the features of some pairs, pairs x names; rows ascend."""
        rows, columns = (np.ascontiguousarray(one) for one in (rows, columns))
        table = np.empty((n_features(self.block), len(rows)), dtype=np.float32)
        for k, tables in enumerate(self.tables):
            places = np.flatnonzero(self.fold[rows] == k)
            describe_pairs(self.block, tables, rows, columns, places, table)
        return np.clip(table, -LARGEST, LARGEST, out=table).T


def log_priors(positives: Array, n_documents: int) -> Array:
    """Return the logarithm of the share of documents in every class, finite for empty classes."""
    return np.asarray(np.log((positives + 0.1) / n_documents))


def document_blocks(n_documents: int, n_classes: int, pairs: int) -> Iterator[slice]:
    """Divide documents into blocks of about this number of pairs."""
    size = max(1, pairs // n_classes)
    return (slice(start, start + size) for start in range(0, n_documents, size))
