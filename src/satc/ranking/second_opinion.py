"""A second opinion on predicted labels: what a classifier says that learnt them from the others.

Each document is judged by a linear classifier that was trained on the predicted labels of other
documents. Where it disagrees, the predicted label does not fit to the labels of similar documents,
and is worth a look.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from satc.inputs import Labels

Array = NDArray[np.float64]

_FOLDS = 5
_LEAST = 2  # documents with a label, and without it, that are needed to learn it
_SURE = 1.0  # confidence in labels that cannot be learnt


def second_opinion(features: Any, labels: Labels, seed: int = 0) -> Array:
    """Return scores, documents x classes, by classifiers that were not trained on the document.

    Parameters
    ----------
    features : array or sparse matrix, documents x features
    labels : array of shape (n_documents, n_classes)
        The predicted labels.
    seed : int
        Seed of the folds.

    Examples
    --------
    >>> features = np.array([[1.0, 0.0], [0.0, 1.0]] * 10)
    >>> labels = features > 0
    >>> labels[0] = [False, True]
    >>> (second_opinion(features, labels)[0] > 0).tolist()
    [True, False]
    """
    positives = labels.sum(axis=0)
    learnt = (positives >= _LEAST) & (len(labels) - positives >= _LEAST)
    opinion = np.where(labels, _SURE, -_SURE)
    folds = min(_FOLDS, len(labels))
    if learnt.any() and folds > 1:
        from satc.estimation.out_of_fold import out_of_fold_scores  # slow to import
        from satc.learners.linear_svm import svm

        scores = out_of_fold_scores(
            svm(random_state=seed), features, labels[:, learnt], cv=folds, random_state=seed
        )
        opinion[:, learnt] = scores - _centres(scores, positives[learnt])
    return opinion


def _centres(scores: Array, positives: NDArray[np.int64]) -> Array:
    """Return the score of each class above which as many documents are as were predicted.

    Otherwise a classifier of rare labels would say "no" to nearly every document. It is 0 where
    that many have a positive score anyway.
    """
    falling = -np.sort(-scores, axis=0)
    columns = np.arange(scores.shape[1])
    middle = 0.5 * (falling[positives - 1, columns] + falling[positives, columns])
    return np.asarray(np.minimum(middle, 0.0))
