"""The SVM preset: linear, C = 1, hinge loss (Section 6.3 of the paper).

The paper uses the linear C-SVC of LibSVM with default parameters. Liblinear solves the same problem
in a fraction of the time, except that it penalises the intercept. With ``intercept_scaling=5`` this
penalty is so weak that all decisions on Reuters-21578 are the same. `LinearSVM` solves the problem
of Liblinear in a fraction of its time, and is closer to the solution (`dual_descent.py`).

With its default of 1000 iterations, Liblinear gives a warning for most classes of Reuters-21578,
and scores that are up to .07 away from the solution. With a coarser tolerance and enough iterations
to reach it, it takes less time, the scores are within .012, and no decision changes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from satc.inputs import Labels, choice
from satc.learners.dual_descent import HingeProblem, Limits, hinge_descent
from satc.learners.folds.fitting import Fold, Problem, fit_folds
from satc.learners.two_classes import LinearClassifier

_LEAST_TOLERANCE = 1e-4  # for C of at most 1; far above the rounding errors of 32-bit numbers
_SCALING = 5.0  # intercept_scaling: a larger value makes the penalty of the intercept weaker


def svm(
    implementation: str = "descent", *, C: float = 1.0, random_state: int | None = 0
) -> ClassifierMixin:
    """Return the SVM of the paper for one class, an ordinary scikit-learn classifier.

    For many classes, wrap it in scikit-learn's `OneVsRestClassifier`, or pass it to
    `satc.SemiAutomatedClassifier`, which fits one copy for each class.

    Parameters
    ----------
    implementation
        ``"descent"`` (`LinearSVM`, the fastest), ``"liblinear"``, or ``"libsvm"`` (as in the
        paper).
    C
        Cost of an error on a training document.
    random_state
        Seed of the order in which documents are visited; LibSVM does not use it.

    Examples
    --------
    >>> svm().fit([[0.0], [1.0]], [0, 1]).predict([[2.0]])
    array([1])
    """
    return choice(implementation, _IMPLEMENTATIONS, "implementation")(C, random_state)


def is_number(value: Any) -> bool:
    """Say whether a parameter is a number.

    >>> is_number(1), is_number("1"), is_number(True)
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


class LinearSVM(LinearClassifier):
    """A linear SVM for two classes, with hinge loss and a weak penalty of the intercept.

    Parameters
    ----------
    C : float
        Cost of an error on a training document.
    intercept_scaling : float
        The penalty of the intercept b is b^2 / 2 s^2, where s is this parameter, at least 1.
    tol : float
        Tolerance of the gradients at the optimum.
    max_iter : int
        Largest number of rounds through the documents.
    random_state : int, RandomState or None
        Seed of the order in which documents are visited.

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
        Weights of the features.
    intercept_ : array of shape (1,)
        The intercept.
    n_iter_ : int
        Number of rounds through the documents.

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
        """Fit to documents of two classes; the second class in sorted order is the positive one."""
        self._check_parameters()
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        X = sparse.csr_matrix(X)
        signs = self._signs(y)
        seed = int(check_random_state(self.random_state).randint(2**31))
        problem = HingeProblem.of(X, signs, np.full(len(signs), float(self.C)))
        weights, multipliers = np.zeros(X.shape[1]), np.zeros(len(signs))
        start = float(np.sign(signs.sum()))  # for a rare class the intercept is close to -1
        intercept, self.n_iter_ = hinge_descent(
            problem, self._limits, seed, weights, multipliers, start
        )
        self.coef_, self.intercept_ = weights[np.newaxis], np.array([intercept])
        if self.n_iter_ >= self.max_iter:
            self._warn_of_limit()
        return self

    @property
    def can_fit_folds(self) -> bool:
        """Whether the tolerance is large enough for `fit_folds`, which uses 32-bit numbers."""
        return bool(self.tol >= _LEAST_TOLERANCE * max(1.0, self.C))

    def fit_folds(
        self,
        factors: sparse.csr_matrix,
        term_factors: NDArray[np.float64],
        labels: Labels,
        folds: Sequence[Fold],
        n_jobs: int | None = None,
    ) -> tuple[list[Self], NDArray[np.float64]]:
        """Fit one SVM for each class, and score the documents of each fold by SVMs without them.

        Parameters
        ----------
        factors : sparse matrix of shape (n_documents, n_features)
            What all folds share of the weight of a document and a feature.
        term_factors : array of shape (1 + n_folds, n_features)
            The other factor, for all documents and for the training part of each fold. The
            features of a document are the products of both, divided by their Euclidean norm.
        labels : boolean array of shape (n_documents, n_classes)
            Each class has documents with it, and documents without it.
        folds : sequence
            Pairs of indices: documents to train on, and documents to score.
        n_jobs : int, optional
            The number of threads, as in joblib.

        Returns
        -------
        The SVMs that were trained on all documents, and the out-of-fold scores.
        """
        self._check_parameters()
        seed = int(check_random_state(self.random_state).randint(2**31))
        parameters = self.C, self.intercept_scaling, self.tol / 2, self.max_iter, seed
        found = fit_folds(factors, term_factors, labels, folds, Problem(*parameters), n_jobs)
        members = [clone(self) for _ in found.intercept]
        for j, member in enumerate(members):
            member.coef_, member.intercept_ = found.coef[j : j + 1], found.intercept[j : j + 1]
            member.classes_, member.n_features_in_ = np.array([0, 1]), factors.shape[1]
            member.n_iter_ = int(found.rounds[j])
        if found.rounds.max() >= self.max_iter:
            self._warn_of_limit()
        return members, found.oof_scores

    def _check_parameters(self) -> None:
        given = (self.C, self.intercept_scaling)
        if not (all(map(is_number, given)) and self.C > 0 and self.intercept_scaling >= 1):
            raise ValueError(
                "C must be above 0 and intercept_scaling at least 1, but they are "
                f"{self.C!r} and {self.intercept_scaling!r}"
            )

    def _warn_of_limit(self) -> None:
        warnings.warn(
            f"no solution after {self.max_iter} rounds: raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=3,
        )

    @property
    def _limits(self) -> Limits:
        return Limits(float(self.intercept_scaling), float(self.tol), int(self.max_iter))

    def _signs(self, y: Any) -> NDArray[np.float64]:
        return np.where(self._is_positive(y), 1.0, -1.0)


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
