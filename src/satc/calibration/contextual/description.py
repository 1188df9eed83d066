"""The context of a decision: what the other classes and similar documents say about it.

A pair of document and class is described by a few numbers that mean the same for every class,
so that one model of all pairs can learn from frequent classes what it says of rare ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from satc.calibration.platt import expit
from satc.calibration.similarity.similar import Similar
from satc.inputs import Scores

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SCORE_NAMES = (
    "score",  # in units of the class's typical one
    "logit",  # class-wise Platt
    "rank",  # of the class within the document, the best is 0
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
_NO_OTHER = -20.0  # the best other logit where there is a single class


class Documents(NamedTuple):
    """A block of documents as the classifier and similar documents see them."""

    scores: Scores  # in units of the class's typical one
    logits: Array
    cooccurrence: Array
    log_prior: Array
    similar: Similar | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of `describe`."""
        return SCORE_NAMES if self.similar is None else SCORE_NAMES + SIMILAR_NAMES


def describe(documents: Documents, rows: Indices, columns: Indices) -> NDArray[np.float32]:
    """Return the context of some pairs, pairs x names."""
    logits = documents.logits
    probability = expit(logits)
    decided = documents.scores >= 0
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
        values += _of_similar(documents.similar, rows, columns)
    table = np.empty((len(rows), len(values)), dtype=np.float32)
    for k, value in enumerate(values):
        table[:, k] = value
    return table


def _of_similar(
    similar: Similar, rows: Indices, columns: Indices
) -> list[NDArray[np.floating[Any]]]:
    pair = rows, columns
    votes, centroid = similar.votes[pair], similar.centroid[pair]
    return [
        votes,
        votes - _best_other(similar.votes, rows, columns, 0.0),
        similar.nearest[rows],
        np.log1p(similar.length)[rows],
        similar.surprise[pair],
        centroid,
        centroid - _best_other(similar.centroid, rows, columns, 0.0),
    ]


def log_priors(positives: Array, n_documents: int) -> Array:
    """Return the logarithm of every class's share of the documents, for empty classes too."""
    return np.asarray(np.log((positives + 0.1) / n_documents))


def document_blocks(n_documents: int, n_classes: int, pairs: int) -> Iterator[slice]:
    """Cut documents into blocks of about so many pairs."""
    size = max(1, pairs // n_classes)
    return (slice(start, start + size) for start in range(0, n_documents, size))


def _best_other(
    values: NDArray[np.floating[Any]], rows: Indices, columns: Indices, otherwise: float
) -> NDArray[np.floating[Any]]:
    """Return the largest value of the document's other classes, for some pairs."""
    if values.shape[1] == 1:
        return np.full(len(rows), otherwise)
    best = values.argmax(axis=1)
    two = np.partition(values, -2, axis=1)[:, -2:]
    return two[rows, np.where(columns == best[rows], 0, 1)]


@njit(cache=True)
def _ranks(values: Array, rows: Indices, columns: Indices) -> Indices:
    """Count, for some pairs, the document's classes with a larger value."""
    ranks = np.zeros(len(rows), dtype=np.int64)
    for k in range(len(rows)):
        own = values[rows[k], columns[k]]
        for j in range(values.shape[1]):
            ranks[k] += values[rows[k], j] > own
    return ranks
