"""A linear transductive SVM: the documents that are to be labelled are there when it is trained.

The last paragraph of the paper suggests it. The problem is that of Joachims (1999, *Transductive
inference for text classification using support vector machines*): among all labellings of the
unlabelled documents with a given number of positive ones, find the one that an SVM separates with
the smallest loss. The search is the one of Sindhwani and Keerthi (2006, *Large scale
semi-supervised linear SVMs*), with many switches at once:

1. An SVM that is trained on the labelled documents labels the others: those with the highest scores
   are positive, as many as have the share of positive training documents.
2. An SVM is trained on all documents. Errors on unlabelled documents cost little at first.
3. A positive and a negative unlabelled document exchange their labels if this lowers the sum of
   their losses, and so do all such pairs. Steps 2 and 3 are repeated while there are any.
4. The cost of errors on unlabelled documents is raised, until it is the wanted one.

Each switch and each training lowers the same sum, so step 3 comes to an end.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from satc.learners.dual_descent import HingeProblem, hinge_descent
from satc.learners.linear_svm import LinearSVM, is_number

Floats = NDArray[np.float64]

_RISING = (1 / 256, 1 / 64, 1 / 16, 1 / 4, 1.0)  # shares of the final cost of unlabelled documents
_MOST_EXCHANGES = 1_000  # rounds of step 3; a few are enough


class TransductiveSVM(LinearSVM):
    """A linear SVM for two classes that also learns from the documents it is to label.

    Parameters
    ----------
    C, intercept_scaling, tol, max_iter, random_state
        As for the inductive SVM (`satc.learners.svm`).
    C_unlabelled : float, optional
        Cost of an error on an unlabelled document; `C` if left out.
    positive_share : float, optional
        The share of positive documents among the unlabelled ones; that of the training documents
        if left out.

    Attributes
    ----------
    coef_, intercept_, n_iter_
        As for the inductive SVM.
    transduction_ : boolean array of shape (n_unlabelled,)
        Which unlabelled documents were taken as positive at the end.

    Examples
    --------
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> unlabelled = [[0.1], [0.2], [0.3], [0.4], [0.5], [2.0], [2.1], [2.2], [2.3], [2.4]]
    >>> TransductiveSVM(C=10.0).fit(X, y, unlabelled).predict([[0.7], [1.5]])
    array([0, 1])
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        C_unlabelled: float | None = None,
        positive_share: float | None = None,
        intercept_scaling: float = 5.0,
        tol: float = 1e-3,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            C=C,
            intercept_scaling=intercept_scaling,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
        )
        self.C_unlabelled = C_unlabelled
        self.positive_share = positive_share

    def fit(self, X: Any, y: Any, unlabelled: Any = None) -> Self:
        """Fit to labelled documents and to those that are to be labelled.

        Without `unlabelled`, this is the inductive SVM.
        """
        self._check_transduction()
        super().fit(X, y)
        self.transduction_ = np.zeros(0, dtype=np.bool_)
        if unlabelled is None:
            return self
        others = validate_data(self, unlabelled, accept_sparse="csr", dtype=np.float64, reset=False)
        search = _Search(self, _stacked(X, others), self._signs(y))
        self.transduction_ = search.run(self._n_positive(y, others.shape[0]))
        self.coef_, self.intercept_ = search.weights[np.newaxis], np.array([search.intercept])
        self.n_iter_ += search.rounds
        return self

    def _n_positive(self, y: Any, n_unlabelled: int) -> int:
        """Return how many of the unlabelled documents are to be positive: at least one."""
        share = self.positive_share
        if share is None:
            share = float(np.mean(np.asarray(y) == self.classes_[1]))
        return min(max(round(share * n_unlabelled), 1), n_unlabelled)

    def _check_transduction(self) -> None:
        cost, share = self.C_unlabelled, self.positive_share
        if cost is not None and not (is_number(cost) and cost > 0):
            raise ValueError(f"C_unlabelled must be above 0, but is {cost!r}")
        if share is not None and not (is_number(share) and 0 < share < 1):
            raise ValueError(f"positive_share must be between 0 and 1, but is {share!r}")


class _Search:
    """The search for the labels of the unlabelled documents, and the SVM that fits them."""

    def __init__(self, svm: TransductiveSVM, rows: sparse.csr_matrix, signs: Floats) -> None:
        self._svm = svm
        self._rows = rows
        self._n_labelled = len(signs)
        n_unlabelled = rows.shape[0] - len(signs)
        self._signs = np.concatenate([signs, -np.ones(n_unlabelled)])
        self._multipliers = np.zeros(rows.shape[0])
        self._seed = int(check_random_state(svm.random_state).randint(2**31))
        self.weights = np.zeros(rows.shape[1])
        self.intercept = float(svm.intercept_[0])
        self.rounds = 0

    def run(self, n_positive: int) -> NDArray[np.bool_]:
        """Label the unlabelled documents, and train; return which of them are positive."""
        unlabelled = slice(self._n_labelled, None)
        scores = self._rows[unlabelled] @ self._svm.coef_[0]
        best = np.argsort(-scores, kind="stable")[:n_positive]
        self._signs[unlabelled][best] = 1.0
        svm = self._svm
        cost = svm.C if svm.C_unlabelled is None else svm.C_unlabelled
        for share in _RISING:
            self._train(share * cost)
            for _ in range(_MOST_EXCHANGES):
                if not self._exchange():
                    break
                self._train(share * cost)
        return np.asarray(self._signs[unlabelled] > 0)

    def _train(self, cost: float) -> None:
        """Train on all documents, from the last solution on."""
        svm = self._svm
        costs = np.full(len(self._signs), cost)
        costs[: self._n_labelled] = svm.C
        problem = HingeProblem.of(self._rows, self._signs, costs)
        self.intercept, rounds = hinge_descent(
            problem, svm._limits, self._seed, self.weights, self._multipliers, self.intercept
        )
        self.rounds += rounds
        if rounds >= svm.max_iter:
            svm._warn_of_limit()

    def _exchange(self) -> bool:
        """Let pairs of documents exchange their labels if they gain; return whether any do."""
        first = self._n_labelled
        signs = self._signs[first:]
        scores = self._rows[first:] @ self.weights + self.intercept
        losses = np.maximum(0.0, 1.0 - signs * scores)
        positive, negative = (_by_loss(losses, np.flatnonzero(signs == side)) for side in (1, -1))
        n = min(len(positive), len(negative))
        worst = losses[positive[:n]], losses[negative[:n]]
        gains = (worst[0] + worst[1] > 2.0) & (worst[0] > 0.0) & (worst[1] > 0.0)
        chosen = np.concatenate([positive[:n][gains], negative[:n][gains]]) + first
        self._forget(chosen)
        self._signs[chosen] *= -1.0
        return bool(len(chosen))

    def _forget(self, documents: NDArray[np.int64]) -> None:
        """Take documents out of the solution, so that they can change their sides."""
        pulls = self._multipliers[documents] * self._signs[documents]
        self.weights -= self._rows[documents].T @ pulls
        self._multipliers[documents] = 0.0


def _by_loss(losses: Floats, documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sort documents by their losses, the largest first."""
    return documents[np.argsort(-losses[documents], kind="stable")]


def _stacked(labelled: Any, unlabelled: Any) -> sparse.csr_matrix:
    parts = [sparse.csr_matrix(part, dtype=np.float64) for part in (labelled, unlabelled)]
    return sparse.vstack(parts, format="csr")
