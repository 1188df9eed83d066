"""Out-of-fold scores of the training set, by k-fold cross-validation (Sections 4.3 and 6.1).

Every training document is scored by a classifier that was not trained on it. Sigma, the contingency
tables and all other estimates are computed from these scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from satc.estimation.folds import Fold, make_folds
from satc.estimation.scorer import Scorer, fit_scorer
from satc.estimation.together import can_fit_together, fit_together
from satc.inputs import Labels, as_labels

Array = NDArray[np.float64]


def out_of_fold_scores(
    estimator: BaseEstimator,
    X: Any,
    Y: Any,
    *,
    cv: Any = 10,
    n_jobs: int | None = None,
    random_state: Any = 0,
    fit_params: Mapping[str, Any] | None = None,
    groups: Any = None,
    unlabelled: Any = None,
) -> Array:
    """Score every training document by a classifier that was trained on the other folds.

    Parameters
    ----------
    estimator : scikit-learn classifier
        It needs `decision_function`, or `predict_proba`; with the latter the score is the log-odds.
    X : documents
        Anything that the estimator accepts: array, sparse matrix, frame, list of texts.
    Y : array or sparse matrix of shape (n_documents, n_classes)
        The true labels, 0/1.
    cv : int, splitter or iterable
        The number of shuffled folds, a scikit-learn splitter, or pairs of index arrays.
    n_jobs : int, optional
        Number of folds that are computed in parallel by joblib; of threads, if the classifier fits
        all folds together.
    random_state : int or RandomState
        Seed of the shuffling.
    fit_params : mapping, optional
        Arguments of the `fit` of the estimator, such as ``{"sample_weight": weights}``. A sequence
        with one value for each document is cut to the documents of a fold.
    groups : array of shape (n_documents,), optional
        For a splitter such as ``GroupKFold``: documents of one group stay in one fold.
    unlabelled : documents, optional
        The documents that are to be labelled, for a transductive classifier: each fold gets them,
        and its own test documents, without their labels. So the scores of a training document and
        those of a document to be labelled are made in the same way.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> X = [[0.0], [0.1], [0.2], [0.3], [0.7], [0.8], [0.9], [1.0]]
    >>> Y = [[1, 0]] * 4 + [[0, 1]] * 4
    >>> (out_of_fold_scores(LinearSVC(), X, Y, cv=4) >= 0).astype(int).tolist() == Y
    True
    """
    labels = as_labels(Y, "Y")
    n = _num_samples(X)
    if n != len(labels):
        raise ValueError(f"Y must have as many rows as X has documents, {n}, but has {len(labels)}")
    folds = make_folds(labels, cv, random_state, groups)
    if unlabelled is None and can_fit_together(estimator, labels, folds, fit_params):
        return fit_together(estimator, X, labels, folds, n_jobs)[1]
    return _fold_by_fold(estimator, X, labels, folds, n_jobs, fit_params, unlabelled)


def fit_with_folds(
    estimator: BaseEstimator,
    X: Any,
    labels: Labels,
    *,
    cv: Any = 10,
    n_jobs: int | None = None,
    random_state: Any = 0,
    fit_params: Mapping[str, Any] | None = None,
    groups: Any = None,
    unlabelled: Any = None,
) -> tuple[Scorer, Array]:
    """Train on all documents, and compute their out-of-fold scores.

    The parameters are those of `out_of_fold_scores`.
    """
    folds = make_folds(labels, cv, random_state, groups)
    if unlabelled is None and can_fit_together(estimator, labels, folds, fit_params):
        return fit_together(estimator, X, labels, folds, n_jobs)
    others = () if unlabelled is None else (unlabelled,)
    scorer = fit_scorer(estimator, X, labels, n_jobs, fit_params, others)
    return scorer, _fold_by_fold(estimator, X, labels, folds, n_jobs, fit_params, unlabelled)


def score_fold(
    estimator: BaseEstimator,
    X: Any,
    labels: Labels,
    fold: Fold,
    fit_params: Mapping[str, Any] | None = None,
    unlabelled: Any = None,
) -> Array:
    """Train on the training documents of a fold and score its test documents.

    A transductive classifier also gets the test documents, without their labels.
    """
    given = {
        name: _safe_indexing(value, fold.train) if _is_per_document(value, labels) else value
        for name, value in (fit_params or {}).items()
    }
    rows, test = _safe_indexing(X, fold.train), _safe_indexing(X, fold.test)
    others = () if unlabelled is None else (unlabelled, test)
    scorer = fit_scorer(estimator, rows, labels[fold.train], 1, given, others)
    return scorer.scores(test)


def _fold_by_fold(
    estimator: BaseEstimator,
    X: Any,
    labels: Labels,
    folds: Sequence[Fold],
    n_jobs: int | None,
    fit_params: Mapping[str, Any] | None,
    unlabelled: Any,
) -> Array:
    X = _with_rows(X)
    parts = Parallel(n_jobs=n_jobs)(
        delayed(score_fold)(estimator, X, labels, fold, fit_params, unlabelled) for fold in folds
    )
    scores = np.empty(labels.shape)
    for fold, part in zip(folds, parts, strict=True):
        scores[fold.test] = part
    return scores


def _is_per_document(value: Any, labels: Labels) -> bool:
    """Whether an argument of `fit` has one value for each document."""
    is_sequence = hasattr(value, "__len__") or hasattr(value, "shape")
    if not is_sequence or isinstance(value, str | bytes | Mapping):
        return False
    return bool(_num_samples(value) == len(labels))


def _with_rows(X: Any) -> Any:
    """Return documents in a form that can be indexed by row."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if hasattr(X, "__getitem__") else np.asarray(X)
