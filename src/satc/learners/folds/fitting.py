"""Linear SVMs of all classes, trained on all documents and on the training part of each fold.

The classes are divided among threads; compiled code does not hold Python's lock. The result does
not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from satc.inputs import Labels
from satc.learners.folds.descent import CENTRE, OFFSET, STATES, descend, score_held_out
from satc.learners.folds.lanes import zeros
from satc.learners.folds.matrix import FOLDS_AT_ONCE, Floats, FoldMatrix, fold_matrix, share

Array = NDArray[np.float64]
Fold = tuple[NDArray[np.int64], NDArray[np.int64]]  # documents to train on, documents to score

_PARTS = 4  # for each thread, so that all threads end at about the same time


@dataclass(frozen=True)
class Problem:
    """The parameters of the SVMs, those of `LinearSVM`."""

    C: float
    intercept_scaling: float
    tol: float
    max_iter: int
    seed: int


@dataclass(frozen=True, eq=False)
class FoldFits:
    """Fitted SVMs.

    Attributes
    ----------
    coef, intercept
        Weights of the SVMs that were trained on all documents, classes x terms, and intercepts.
    oof_scores
        Scores of the documents by SVMs that were not trained on them, documents x classes.
    rounds
        The number of rounds through the documents, for each class.
    """

    coef: Array
    intercept: Array
    oof_scores: Array
    rounds: NDArray[np.int64]


def fit_folds(
    factors: sparse.csr_matrix,
    term_factors: Array,
    labels: Labels,
    folds: Sequence[Fold],
    problem: Problem,
    n_jobs: int | None = None,
) -> FoldFits:
    """Fit the SVMs of all classes and folds.

    Parameters
    ----------
    factors
        What all folds share of the weight of a document and a term.
    term_factors
        The other factor: that of each term among all documents, and then in each of the folds. The
        weights of a document are the products of both, divided by their Euclidean norm.
    labels
        Documents x classes; each class has documents with and without it.
    folds
        The folds; each document is in one test part.
    problem
        The parameters.
    n_jobs
        The number of threads, as in joblib.
    """
    n, m = labels.shape
    shared, everything = share(factors), np.arange(n)
    scores = np.empty((n, m))
    found = FoldFits(np.empty((m, factors.shape[1])), np.empty(m), scores, np.zeros(m, np.int64))
    for first in range(0, max(len(folds), 1), FOLDS_AT_ONCE):
        group = list(folds[first : first + FOLDS_AT_ONCE])
        lanes = [0, *range(1 + first, 1 + first + len(group))]
        matrix = fold_matrix(
            shared,
            term_factors[lanes],
            [everything, *(train for train, _ in group)],
            [everything[:0], *(test for _, test in group)],
            problem.C,
        )
        _fit_group(matrix, labels, problem, n_jobs, found)
    _restore(found.coef, shared.order, term_factors[0])
    return found


def _fit_group(
    matrix: FoldMatrix, labels: Labels, problem: Problem, n_jobs: int | None, found: FoldFits
) -> None:
    """Fit all classes for the lanes of a matrix, in threads."""
    m = labels.shape[1]
    parts = min(m, _PARTS * effective_n_jobs(n_jobs))
    classes = [np.arange(part, m, parts) for part in range(parts)]
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(_fit_classes)(matrix, labels[:, part], problem) for part in classes
    )
    tested = matrix.held_out > 0
    for part, (weights, intercepts, scores, rounds) in zip(classes, results, strict=True):
        found.coef[part], found.intercept[part] = weights, intercepts
        found.oof_scores[np.ix_(tested, part)] = scores[tested]
        found.rounds[part] = np.maximum(found.rounds[part], rounds)


def _fit_classes(
    matrix: FoldMatrix, labels: Labels, problem: Problem
) -> tuple[Floats, Array, Array, NDArray[np.int64]]:
    """Fit some classes; return weights and intercepts of lane 0, scores and rounds."""
    workspace = zeros(len(matrix.squares)), zeros(len(labels)), zeros(STATES)
    return _fit_each(
        matrix,
        labels,
        float(problem.intercept_scaling),
        float(problem.tol),
        int(problem.max_iter),
        int(problem.seed),
        *workspace,
    )


@njit(cache=True, nogil=True)
def _fit_each(
    matrix: FoldMatrix,
    labels: Labels,
    intercept_scaling: float,
    tol: float,
    max_iter: int,
    seed: int,
    weights: Floats,
    multipliers: Floats,
    state: Floats,
) -> tuple[Floats, Array, Array, NDArray[np.int64]]:
    """Fit one class after the other."""
    n, m = labels.shape
    coef, intercepts = np.empty((m, len(weights)), np.float32), np.empty(m)
    scores, rounds = np.zeros((n, m)), np.zeros(m, np.int64)
    y = np.empty(n, np.float32)
    for j in range(m):
        for i in range(n):
            y[i] = np.float32(1) if labels[i, j] else np.float32(-1)
        rounds[j] = descend(
            matrix, y, intercept_scaling, tol, max_iter, seed, weights, multipliers, state
        )
        for term in range(len(weights)):  # an assignment of arrays would take seconds to compile
            coef[j, term] = weights[term, 0]
        intercepts[j] = state[CENTRE, 0] + state[OFFSET, 0]
        score_held_out(matrix, weights, state, scores[:, j])
    return coef, intercepts, scores, rounds


def _restore(coef: Array, order: NDArray[np.int64], term_factors: Array) -> None:
    """Turn stored weights into weights of the features, in the order of the columns."""
    known = term_factors != 0
    factors = np.where(known, term_factors, 1.0)
    for row in coef:
        row[order] = row.copy()
        row /= factors
        row[~known] = 0.0
