"""The SVM preset: linear, C = 1, hinge loss (Section 6.3 of the paper).

The paper uses LibSVM's linear C-SVC with default parameters. Liblinear solves the same problem in a
fraction of the time, except that it penalises the intercept; with ``intercept_scaling=5`` that
penalty is weak enough for the very same decisions on Reuters-21578. `LinearSVM` solves Liblinear's
problem in a fraction of its time, and comes closer to the solution (`dual_descent.py`).

Liblinear's default of 1000 iterations ends in a warning for most of the classes of Reuters-21578,
with scores up to .07 away from the solution. A coarser tolerance and enough iterations to reach it
take less time, and leave the scores within .012 and every decision unchanged.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from satc.inputs import choice
from satc.learners.dual_descent import hinge_descent

_SCALING = 5.0  # of the intercept: the larger, the weaker its penalty


def svm(
    implementation: str = "descent", *, C: float = 1.0, random_state: int | None = 0
) -> ClassifierMixin:
    """Make the paper's SVM for one class, an ordinary scikit-learn classifier.

    Wrap it in scikit-learn's `OneVsRestClassifier` for many classes, or hand it to
    `satc.SemiAutomatedClassifier`, which does.

    Parameters
    ----------
    implementation
        ``"descent"`` (`LinearSVM`, the fastest), ``"liblinear"``, or ``"libsvm"`` (the paper's).
    C
        How much an error on a training document costs.
    random_state
        Order in which the documents are visited; LibSVM does not use it.

    Examples
    --------
    >>> svm().fit([[0.0], [1.0]], [0, 1]).predict([[2.0]])
    array([1])
    """
    return choice(implementation, _IMPLEMENTATIONS, "implementation")(C, random_state)


class LinearSVM(ClassifierMixin, BaseEstimator):
    """A linear SVM of two classes: hinge loss, and an intercept that is hardly penalised.

    Parameters
    ----------
    C : float
        How much an error on a training document costs.
    intercept_scaling : float
        The penalty of the intercept b is b^2 / 2 s^2, where this is s, at least 1.
    tol : float
        How far a gradient may be from the optimum's.
    max_iter : int
        How many rounds through the documents at most.
    random_state : int, RandomState or None
        Order in which the documents are visited.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
    n_iter_ : int
        How many rounds it took.

    Examples
    --------
    >>> classifier = LinearSVM().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> classifier.predict([[0.5], [2.5]])
    array(['low', 'high'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        intercept_scaling: float = _SCALING,
        tol: float = 1e-3,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train on documents of two classes; the second in sorted order is the positive one."""
        if not (self.C > 0 and self.intercept_scaling >= 1):
            raise ValueError(
                "C must be above 0 and intercept_scaling at least 1, but they are "
                f"{self.C} and {self.intercept_scaling}"
            )
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        X = sparse.csr_matrix(X)
        signs = self._signs(y)
        seed = int(check_random_state(self.random_state).randint(2**31))
        weights, intercept, self.n_iter_ = hinge_descent(
            X.data,
            X.indices.astype(np.uint32, copy=False),
            X.indptr.astype(np.int32, copy=False),
            signs,
            X.shape[1],
            float(self.C),
            float(self.intercept_scaling),
            float(self.tol),
            self.max_iter,
            seed,
        )
        self.coef_, self.intercept_ = weights[np.newaxis], np.array([intercept])
        if self.n_iter_ >= self.max_iter:
            warnings.warn(
                f"no solution after {self.max_iter} rounds: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _signs(self, y: Any) -> NDArray[np.float64]:
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported: y must have two classes, but has "
                f"{len(self.classes_)} class{'es' * (len(self.classes_) != 1)}"
            )
        return np.where(y == self.classes_[1], 1.0, -1.0)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score documents: above 0 is the second class."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return np.asarray(X @ self.coef_[0] + self.intercept_[0])

    def predict(self, X: Any) -> NDArray[Any]:
        """Name the class of each document."""
        decided = self.decision_function(X) >= 0
        return np.asarray(self.classes_[decided.astype(np.int64)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


def _descent(C: float, random_state: int | None) -> LinearSVM:
    return LinearSVM(C=C, random_state=random_state)


def _liblinear(C: float, random_state: int | None) -> LinearSVC:
    return LinearSVC(
        loss="hinge",
        C=C,
        intercept_scaling=_SCALING,
        dual=True,
        tol=1e-2,
        max_iter=100_000,
        random_state=random_state,
    )


def _libsvm(C: float, random_state: int | None) -> SVC:
    return SVC(kernel="linear", C=C, cache_size=500, random_state=random_state)


_IMPLEMENTATIONS: dict[str, Callable[[float, int | None], ClassifierMixin]] = {
    "descent": _descent,
    "liblinear": _liblinear,
    "libsvm": _libsvm,
}
