"""Self-training: a classifier labels the documents that it is sure of, and learns from them.

A cheaper relative of the transductive SVM, by scikit-learn's `SelfTrainingClassifier`: documents
whose probability is above a threshold get their label, and the classifier is trained again, until
no further document is sure enough.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils.validation import validate_data

from satc.learners.two_classes import LinearClassifier

_NO_LABEL = -1  # the label of an unlabelled document in scikit-learn


class SelfTraining(LinearClassifier):
    """Logistic regression for two classes that also learns from the documents it is to label.

    Parameters
    ----------
    C : float
        Inverse strength of the penalty, as in scikit-learn's `LogisticRegression`.
    threshold : float
        The probability from which on a label is taken as true.
    max_iter : int
        Largest number of trainings.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, n_features) and (1,)
        Weights of the features, and the intercept.
    n_iter_ : int
        The number of trainings.

    Examples
    --------
    >>> unlabelled = [[0.1], [0.2], [1.8], [1.9]]
    >>> SelfTraining().fit([[0.0], [2.0]], ["no", "yes"], unlabelled).predict([[1.7]])
    array(['yes'], dtype='<U3')
    """

    def __init__(self, *, C: float = 10.0, threshold: float = 0.75, max_iter: int = 10) -> None:
        self.C = C
        self.threshold = threshold
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> Self:
        """Fit to labelled documents and, if there are any, to those that are to be labelled."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        numbers = self._is_positive(y).astype(np.int64)
        found, self.n_iter_ = self._learnt(X, numbers, unlabelled)
        self.coef_, self.intercept_ = found.coef_, found.intercept_
        return self

    def _learnt(
        self, X: Any, numbers: NDArray[np.int64], unlabelled: Any
    ) -> tuple[LogisticRegression, int]:
        """Return the classifier, and the number of trainings."""
        inductive = LogisticRegression(C=self.C, solver="liblinear", random_state=0)
        if unlabelled is None:
            return inductive.fit(X, numbers), 1
        others = validate_data(self, unlabelled, accept_sparse="csr", dtype=np.float64, reset=False)
        numbers = np.concatenate([numbers, np.full(others.shape[0], _NO_LABEL)])
        rows = sparse.vstack([sparse.csr_matrix(X), sparse.csr_matrix(others)], format="csr")
        learner = SelfTrainingClassifier(
            inductive, threshold=self.threshold, max_iter=self.max_iter
        ).fit(rows, numbers)
        return learner.estimator_, learner.n_iter_
