"""The context of a decision: what the other classes and similar documents say about it.

A pair of document and class is described by a few numbers that mean the same for every class,
so that one model of all pairs can learn from frequent classes what it says of rare ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from satc.calibration.neighbours import Votes
from satc.calibration.platt import expit
from satc.inputs import Labels, Scores

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
)
NEIGHBOUR_NAMES = (
    "neighbour votes",
    "gap to best other votes",
    "nearest similarity",
    "log length",
)
_NO_OTHER = -20.0  # the best other logit where there is a single class
_UNLIKELY = 0.01  # labels less probable than that say nothing about others
_PSEUDO = 2.0  # documents by which conditional frequencies are shrunk to the prior


class Documents(NamedTuple):
    """A block of documents as the classifier and their neighbours see them."""

    scores: Scores  # in units of the class's typical one
    logits: Array
    cooccurrence: Array
    log_prior: Array
    votes: Votes | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns of `describe`."""
        return SCORE_NAMES if self.votes is None else SCORE_NAMES + NEIGHBOUR_NAMES


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
    ]
    if documents.votes is not None:
        votes, nearest, length = documents.votes
        best = _best_other(votes, rows, columns, 0.0)
        values += [votes[pair], votes[pair] - best, nearest[rows], np.log1p(length)[rows]]
    table = np.empty((len(rows), len(values)), dtype=np.float32)
    for k, value in enumerate(values):
        table[:, k] = value
    return table


class Cooccurrence:
    """Which labels go with which.

    The evidence of a document's other labels k for a label j is the sum over k of P(k) times
    log(P(j | k) / P(j)), the conditional frequency shrunk toward the prior. For labels that
    never met, the logarithm depends on k alone: only pairs that did are kept.
    """

    def fit(self, labels: Labels) -> Self:
        """Count which labels occur together."""
        indicator = sparse.csr_array(labels, dtype=np.float64)
        counts: Array = labels.sum(axis=0).astype(np.float64)
        self.never_ = np.log(_PSEUDO / (counts + _PSEUDO))
        together = sparse.coo_array(indicator.T @ indicator)
        k, j = together.coords
        prior = (counts + 0.1) / len(labels)
        lift = np.log1p(together.data / (_PSEUDO * prior[j]))
        lift[k == j] = 0.0
        self.lift_ = sparse.csr_array((lift, (k, j)), shape=together.shape)
        return self

    def evidence(self, probability: Array) -> Array:
        """Return what the likely labels of every document say of its other labels."""
        likely = np.where(probability >= _UNLIKELY, probability, 0.0)
        never = likely * self.never_
        met = (sparse.csr_array(likely) @ self.lift_).toarray()
        return np.asarray(met + never.sum(axis=1, keepdims=True) - never)


def log_priors(labels: Labels) -> Array:
    """Return the logarithm of every class's share of the documents, for empty classes too."""
    return np.asarray(np.log((labels.sum(axis=0) + 0.1) / len(labels)))


def folds(
    n_documents: int, rng: np.random.Generator, n_folds: int = 5
) -> Iterator[NDArray[np.bool_]]:
    """Yield which documents are held out, fold by fold."""
    fold = rng.permutation(n_documents) % n_folds
    return (fold == held_out for held_out in range(n_folds))


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
