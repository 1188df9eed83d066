"""A linear classifier on embeddings, all classes at once: a second opinion beside the words.

It is logistic regression: a softmax over the classes where every document has exactly one label,
otherwise one logistic function for each class. The loss of all classes is minimised together by
L-BFGS. The coordinates are first made equally curved: the matrix of second derivatives is at most
that of the features divided by four, whatever the labels, and so one decomposition serves all
classes, and few steps suffice.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_expit, logsumexp
from sklearn.model_selection import KFold

from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels

Array = NDArray[np.float64]

_FOLDS = 5
_STEPS = 60
_TOLERANCE = 1e-3  # relative change of the loss at which the steps end
_FEW = 1e-12


class EmbeddingClassifier:
    """Logistic regression on dense vectors.

    Parameters
    ----------
    task : str
        ``"multi-label"`` or ``"single-label"``.
    C : float
        Inverse strength of the penalty on the weights, as in scikit-learn.

    Attributes
    ----------
    coef_ : array of shape (n_features, n_classes)
    intercept_ : array of shape (n_classes,)

    Examples
    --------
    >>> vectors = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> labels = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool)
    >>> EmbeddingClassifier("single-label").fit(vectors, labels).scores(vectors).argmax(axis=1)
    array([0, 0, 1, 1])
    """

    def __init__(self, task: str = MULTI_LABEL, C: float = 20.0) -> None:
        self.task = task
        self.C = C

    def fit(self, vectors: Any, labels: Labels) -> Self:
        """Fit to vectors, documents x features, and 0/1 labels, documents x classes."""
        rows = _with_ones(vectors)
        penalty = np.full(rows.shape[1], 1.0 / self.C)
        penalty[-1] = _FEW  # the intercept is hardly penalised
        curvature, turned = np.linalg.eigh(0.25 * (rows.T @ rows) + np.diag(penalty))
        scale = turned / np.sqrt(np.maximum(curvature, _FEW))
        inputs = rows @ scale
        weights = penalty[:, np.newaxis]
        size = (rows.shape[1], labels.shape[1])
        loss = _softmax_loss if self.task == SINGLE_LABEL else _logistic_loss

        def objective(flat: Array) -> tuple[float, Array]:
            plain = scale @ flat.reshape(size)
            value, residual = loss(inputs @ flat.reshape(size), labels)
            gradient = inputs.T @ residual + scale.T @ (weights * plain)
            return value + 0.5 * float((weights * plain * plain).sum()), gradient.ravel()

        found = minimize(
            objective,
            np.zeros(size[0] * size[1]),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _STEPS, "ftol": _TOLERANCE},
        ).x
        plain = scale @ found.reshape(size)
        self.coef_, self.intercept_ = plain[:-1], plain[-1]
        return self

    def scores(self, vectors: Any) -> Array:
        """Return a score of each document and class; log-odds, where classes do not compete."""
        return np.asarray(vectors, dtype=np.float64) @ self.coef_ + self.intercept_


class EmbeddingOpinion:
    """The classifier on embeddings, with out-of-fold scores of its training documents.

    Attributes
    ----------
    oof_scores_ : array of shape (n_train, n_classes)
        Scores by classifiers that were not trained on the document.
    """

    def __init__(self, task: str = MULTI_LABEL, random_state: int = 0) -> None:
        self.task = task
        self.random_state = random_state

    def fit(self, vectors: Any, labels: Labels) -> Self:
        """Train on all documents, and without each of five folds."""
        vectors, folds = np.asarray(vectors), min(_FOLDS, len(labels))
        self.classifier_ = EmbeddingClassifier(self.task).fit(vectors, labels)
        self.oof_scores_ = np.empty(labels.shape)
        splits = KFold(folds, shuffle=True, random_state=self.random_state).split(vectors)
        for inside, outside in splits:
            part = EmbeddingClassifier(self.task).fit(vectors[inside], labels[inside])
            self.oof_scores_[outside] = part.scores(vectors[outside])
        return self

    def scores(self, vectors: Any) -> Array:
        """Return the scores of documents."""
        return self.classifier_.scores(vectors)


def _with_ones(vectors: Any) -> Array:
    vectors = np.asarray(vectors, dtype=np.float64)
    return np.column_stack([vectors, np.ones(len(vectors))])


def _softmax_loss(logits: Array, labels: Labels) -> tuple[float, Array]:
    """Return the loss of one label for each document, and its derivative."""
    total = logsumexp(logits, axis=1, keepdims=True)
    value = float(total.sum() - logits[labels].sum())
    return value, np.exp(logits - total) - labels


def _logistic_loss(logits: Array, labels: Labels) -> tuple[float, Array]:
    """Return the loss of independent labels, and its derivative."""
    signed = np.where(labels, logits, -logits)
    value = -float(log_expit(signed).sum())
    return value, 0.5 + 0.5 * np.tanh(0.5 * logits) - labels
