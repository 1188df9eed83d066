"""The features of a pair of document and class: its score and its context.

The context is given by the other classes and by similar documents. The features have the same
meaning for every class, so that the model can apply to rare classes what it learns from frequent
ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.calibration.platt import expit
from satc.calibration.similarity.similar import Similar
from satc.decisions import by_sign
from satc.inputs import Scores

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

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
_NO_OTHER = -20.0  # value of "best other logit" if there is only one class
_LARGEST = float(np.finfo(np.float32).max)
_FEW_CLASSES, _COMPARED = 512, 8  # up to so many classes, or pairs of a document, nothing is sorted


class DocumentBlock(NamedTuple):
    """The data of a block of documents from which features are computed."""

    scores: Scores  # divided by the scale of the class
    logits: Array
    cooccurrence: Array
    log_prior: Array
    similar: Similar | None  # None without features of documents
    opinions: Mapping[str, Array] = MappingProxyType({})  # log-odds of each, if classes compete

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of `describe`."""
        similar = () if self.similar is None else SIMILAR_NAMES
        told = (title.format(name) for name in self.opinions for title in OPINION_NAMES)
        return (*SCORE_NAMES, *similar, *told)


def describe(documents: DocumentBlock, rows: Indices, columns: Indices) -> NDArray[np.float32]:
    """Return the features of some pairs, pairs x names."""
    logits = documents.logits
    probability = expit(logits)
    decided = by_sign(documents.scores)
    pair = rows, columns
    own = logits[pair]
    other = _best_other(logits, rows, columns, _NO_OTHER)
    values = [
        documents.scores[pair],
        own,
        _ranks(logits, rows, columns),
        other,
        own - other,
        decided.sum(axis=1)[rows] - decided[pair],
        probability.sum(axis=1)[rows] - probability[pair],
        documents.log_prior[pair],
        documents.cooccurrence[pair],
        documents.scores.mean(axis=1)[rows],
    ]
    if documents.similar is not None:
        values += _similar_values(documents.similar, rows, columns)
    for alone in documents.opinions.values():
        values += [alone[pair], alone[pair] - _best_other(alone, rows, columns, _NO_OTHER)]
    table = np.empty((len(rows), len(values)), dtype=np.float32)
    with np.errstate(over="ignore"):
        for k, value in enumerate(values):
            table[:, k] = value
    np.clip(table, -_LARGEST, _LARGEST, out=table)
    return table


def _similar_values(
    similar: Similar, rows: Indices, columns: Indices
) -> list[NDArray[np.floating[Any]]]:
    pair = rows, columns
    votes, centroid = similar.votes[pair], similar.centroid[pair]
    return [
        votes,
        votes - _best_other(similar.votes, rows, columns, 0.0),
        similar.nearest[rows],
        np.log1p(similar.length)[rows],
        similar.errors[pair],
        centroid,
        centroid - _best_other(similar.centroid, rows, columns, 0.0),
    ]


def log_priors(positives: Array, n_documents: int) -> Array:
    """Return the logarithm of the share of documents in every class, finite for empty classes."""
    return np.asarray(np.log((positives + 0.1) / n_documents))


def document_blocks(n_documents: int, n_classes: int, pairs: int) -> Iterator[slice]:
    """Divide documents into blocks of about this number of pairs."""
    size = max(1, pairs // n_classes)
    return (slice(start, start + size) for start in range(0, n_documents, size))


def _best_other(
    values: NDArray[np.floating[Any]], rows: Indices, columns: Indices, otherwise: float
) -> NDArray[np.floating[Any]]:
    """Return, for some pairs, the largest value among the other classes of the document."""
    if values.shape[1] == 1:
        return np.full(len(rows), otherwise)
    best = values.argmax(axis=1)
    two = np.partition(values, -2, axis=1)[:, -2:]
    return two[rows, np.where(columns == best[rows], 0, 1)]


def _ranks(values: Array, rows: Indices, columns: Indices) -> Indices:
    """Return, for some pairs, how many classes of the document have a larger value.

    Values of a document with many classes and many pairs are sorted once; otherwise they are
    compared one by one.
    """
    n_classes = values.shape[1]
    many = np.bincount(rows, minlength=len(values)) > _COMPARED
    if n_classes <= _FEW_CLASSES or not many.any():
        return _compared(values, rows, columns)
    ranks = np.empty(len(rows), dtype=np.int64)
    few = ~many[rows]
    ranks[few] = _compared(values, rows[few], columns[few])
    order = np.argsort(rows, kind="stable")
    order = order[many[rows[order]]]
    first = np.flatnonzero(np.diff(rows[order], prepend=-1))
    for pairs in np.split(order, first[1:]):
        own = values[rows[pairs[0]]]
        ranks[pairs] = n_classes - np.searchsorted(np.sort(own), own[columns[pairs]], side="right")
    return ranks


@njit(cache=True)
def _compared(values: Array, rows: Indices, columns: Indices) -> Indices:
    ranks = np.zeros(len(rows), dtype=np.int64)
    for k in range(len(rows)):
        own = values[rows[k], columns[k]]
        for j in range(values.shape[1]):
            ranks[k] += values[rows[k], j] > own
    return ranks
